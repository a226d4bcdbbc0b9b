// A piece is put together in memory and written to the file in one call of the system. When the system takes only a part
// of it, because the disk is full, the file is cut back to the last whole piece. So a file never ends in half a piece.
#include "record/output.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static hfStatus refuse_file(const char* path, int code, hfError* error) {
  return hfi_refuse(error, HF_ERROR_FILE, "%s: cannot write: %s", path, strerror(code));
}

static char* copy_text(const char* a, const char* b) {
  char* text = malloc(strlen(a) + strlen(b) + 1);
  if (text) strcat(strcpy(text, a), b);
  return text;
}

// Whether the name exists and is no regular file (a pipe or a device). Such a file is written directly, without a
// temporary file.
static int is_special(const char* path) {
  struct stat info;
  return stat(path, &info) == 0 && !S_ISREG(info.st_mode);
}

hfStatus hfi_output_open(hfiOutput* out, const char* path, hfiOutputMode mode, hfError* error) {
  hfiOutput made = {.fd = -1, .path = copy_text(path, "")};
  if (mode == HFI_OUTPUT_WHOLE && !is_special(path)) {
    made.temporary = copy_text(path, ".XXXXXX");
    if (made.temporary) made.fd = mkstemp(made.temporary);
    if (made.fd >= 0) fchmod(made.fd, 0644);
  } else {
    made.fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  }
  int code = made.path ? errno : ENOMEM;
  if (made.fd >= 0 && made.path) {
    *out = made;
    return HF_OK;
  }
  if (made.fd >= 0) close(made.fd);
  free(made.path), free(made.temporary);
  return refuse_file(path, code, error);
}

void hfi_output_bytes(hfiOutput* out, const void* bytes, size_t size) {
  hfi_bytes_put(&out->piece, bytes, size);
}

void hfi_output_print(hfiOutput* out, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  hfi_bytes_vprint(&out->piece, format, arguments);
  va_end(arguments);
}

// Returns 0, or the error code of the system.
static int write_all(int fd, const char* bytes, size_t size) {
  while (size > 0) {
    ssize_t n = write(fd, bytes, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n < 0 ? errno : ENOSPC;
    bytes += n, size -= (size_t)n;
  }
  return 0;
}

hfStatus hfi_output_flush(hfiOutput* out, hfError* error) {
  if (out->piece.failed) return refuse_file(out->path, ENOMEM, error);
  int code = write_all(out->fd, out->piece.data, out->piece.size);
  if (code != 0) {
    if (ftruncate(out->fd, (off_t)out->written) == 0) lseek(out->fd, (off_t)out->written, SEEK_SET);
    out->piece.size = 0; // the caller has been told; closing must not try to write the piece again
    return refuse_file(out->path, code, error);
  }
  out->written += out->piece.size;
  out->piece.size = 0;
  return HF_OK;
}

static void release(hfiOutput* out) {
  free(out->path), free(out->temporary), hfi_bytes_release(&out->piece);
  *out = (hfiOutput){.fd = -1};
}

hfStatus hfi_output_close(hfiOutput* out, hfError* error) {
  hfStatus status = hfi_output_flush(out, error);
  if (close(out->fd) != 0 && status == HF_OK) status = refuse_file(out->path, errno, error);
  if (out->temporary && status == HF_OK && rename(out->temporary, out->path) != 0)
    status = refuse_file(out->path, errno, error);
  if (out->temporary && status != HF_OK) unlink(out->temporary);
  release(out);
  return status;
}

void* hfi_output_create(size_t size, const char* path, hfiOutputMode mode, hfStatus* status,
                        hfError* error) {
  hfiOutput* object = calloc(1, size);
  if (!object) {
    *status = hfi_refuse(error, HF_ERROR_MEMORY, "%s: out of memory", path);
    return NULL;
  }
  *status = hfi_output_open(object, path, mode, error);
  if (*status == HF_OK) return object;
  free(object);
  return NULL;
}

hfStatus hfi_output_destroy(void* object, hfError* error) {
  if (!object) return HF_OK;
  hfStatus status = hfi_output_close(object, error);
  free(object);
  return status;
}

void hfi_output_abandon(void* object) {
  hfiOutput* out = object;
  close(out->fd);
  if (out->temporary) unlink(out->temporary);
  release(out);
  free(object);
}
