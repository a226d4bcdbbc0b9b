// Finding the files of a model, and reading them.
#include "io/xml/reader.h"

#include "base/error.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// A path with slashes for backslashes, which models have that were written on Windows.
static const char* with_slashes(hfiReader* r, const char* path) {
  if (!strchr(path, '\\')) return path;
  char* out = HFI_NEW(r, char, strlen(path) + 1);
  for (size_t i = 0; out && path[i]; ++i) out[i] = (char)(path[i] == '\\' ? '/' : path[i]);
  return out ? out : path;
}

// "folder/file", or file itself if it is absolute or the folder is "".
const char* hfi_join(hfiReader* r, const char* folder, const char* file) {
  file = with_slashes(r, file);
  folder = with_slashes(r, folder);
  if (!folder[0] || file[0] == '/') return file;
  size_t length = strlen(folder);
  return hfi_format(r, folder[length - 1] == '/' ? "%s%s" : "%s/%s", folder, file);
}

const char* hfi_folder_of(hfiReader* r, const char* path) {
  const char* slash = strrchr(path, '/');
  if (!slash) return "";
  return slash == path ? "/" : hfi_format(r, "%.*s", (int)(slash - path), path);
}

const char* hfi_base_name(const char* path) {
  const char* name = path;
  for (const char* c = path; *c; ++c)
    if (*c == '/' || *c == '\\') name = c + 1;
  return name;
}

const char* hfi_extension(const char* path) {
  const char* dot = strrchr(hfi_base_name(path), '.');
  return dot ? dot + 1 : "";
}

int hfi_file_exists(const char* path) {
  struct stat info;
  return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

int hfi_folder_exists(const char* path) {
  struct stat info;
  return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

// Removes NAME/.. from a path, also if NAME is no folder: "robot/gone/../mesh" becomes "robot/mesh".
static const char* shorten(hfiReader* r, const char* path) {
  char* out = HFI_NEW(r, char, strlen(path) + 1);
  if (!out) return path;

  size_t n = 0;
  const char* next = NULL;
  for (const char* from = path; *from; from = next) {
    size_t length = strcspn(from, "/");
    next = from + length + (from[length] == '/');

    // `last` is where the last part of `out` begins, which ends with "/"; ".." takes it away if it is a name
    size_t last = n > 0 ? n - 1 : 0;
    while (last > 0 && out[last - 1] != '/') --last;
    int goes_up = length == 2 && memcmp(from, "..", 2) == 0;
    int has_name = n > last + 1 && !(n == last + 3 && memcmp(out + last, "../", 3) == 0);
    if (goes_up && has_name) {
      n = last;
    } else {
      memcpy(out + n, from, (size_t)(next - from));
      n += (size_t)(next - from);
    }
  }

  out[n] = 0;
  return out;
}

// Looks for a file in `folder`, then in each search folder. Returns the first path that exists, or else the path in
// `folder`.
const char* hfi_resolve(hfiReader* r, const char* folder, const char* file) {
  const char* first = hfi_join(r, folder, file);
  if (hfi_file_exists(first)) return first;
  const char* shorter = shorten(r, first);
  if (hfi_file_exists(shorter)) return shorter;

  for (int i = 0; i < r->config.search_count; ++i) {
    const char* path = hfi_join(r, r->config.search_path[i], file);
    if (hfi_file_exists(path)) return path;
  }
  return first;
}

// ---- bytes --------------------------------------------------------------------------------------

// Refuses a path for a reason of the system (errno).
static hfStatus refuse_system(hfError* error, const char* path, int code) {
  char text[128] = "unknown error";
  strerror_r(code, text, sizeof text);
  hfStatus status = code == ENOMEM ? HF_ERROR_MEMORY : HF_ERROR_FILE;
  return hfi_refuse(error, status, "cannot read %s: %s", *path ? path : "\"\"", text);
}

// Reads at most `length` bytes of an open file, and adds a zero. Returns NULL after a refusal.
static char* read_bytes(FILE* file, const char* path, size_t length, size_t* size, hfError* error) {
  char* text = malloc(length + 1);
  if (!text) {
    refuse_system(error, path, ENOMEM);
    return NULL;
  }

  *size = fread(text, 1, length, file);
  text[*size] = 0;
  if (!ferror(file)) return text;

  refuse_system(error, path, errno);
  free(text);
  return NULL;
}

// Reads a whole file of at most `limit` bytes, and adds a zero, which *size does not count. The caller frees it.
// Returns NULL after a refusal.
char* hfi_slurp(const char* path, size_t limit, size_t* size, hfError* error) {
  struct stat info;

  // its kind is checked first, because opening a pipe would wait for a writer
  if (stat(path, &info) != 0) {
    refuse_system(error, path, errno);
    return NULL;
  }
  if (!S_ISREG(info.st_mode)) {
    hfi_refuse(error, HF_ERROR_FILE, "cannot read %s: not a file", path);
    return NULL;
  }
  if ((size_t)info.st_size > limit) {
    hfi_refuse(error, HF_ERROR_FILE, "%s: %zu bytes, more than the limit of %zu", path, (size_t)info.st_size, limit);
    return NULL;
  }

  FILE* file = fopen(path, "rb");
  if (!file) {
    refuse_system(error, path, errno);
    return NULL;
  }
  char* text = read_bytes(file, path, (size_t)info.st_size, size, error);
  fclose(file);
  return text;
}
