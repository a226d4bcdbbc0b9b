// A piece is put together in memory and written to the file in one call of the system. If the system writes only a part
// of it, because the disk is full, the file is cut back to the last whole piece. So a file never ends in half a piece.
//
// Until it gets its name, a file is one without a name (O_TMPFILE): the system removes it when the process ends,
// however it ends. File systems that have no such files get a temporary name beside the final one.
//
// A file gets its name only when the disk has what it contains (fsync), and then the disk is given the name, too. So
// after a loss of power there is the older file or the new one. A user who does not need that sets HOLDFAST_FSYNC=off.
//
// The name of an open descriptor (/dev/stdout, /dev/fd/3, a process substitution of the shell) is no name of a file:
// pieces are added to what is open there, and what it holds already stays.
#define _GNU_SOURCE // O_TMPFILE
#include "base/output.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// Refuses to write a file because of an error of the system.
static hfStatus refuse_file(const char* path, int code, hfError* error) {
  hfStatus status = code == ENOMEM ? HF_ERROR_MEMORY : HF_ERROR_FILE;
  const char* name = *path ? path : "\"\"";
  return hfi_refuse(error, status, "%s: cannot write: %s", name, strerror(code));
}

// Returns the text a b, which the caller frees, or NULL if there is no memory.
static char* copy_text(const char* a, const char* b) {
  char* text = malloc(strlen(a) + strlen(b) + 1);
  if (text) strcat(strcpy(text, a), b);
  return text;
}

// ---- symbolic links --------------------------------------------------------------------------------

enum {
  MOST_LINKS = 40, // Linux follows as many symbolic links.
  MOST_DIGITS = 9, // A descriptor with more digits would not be an int.
};

// The folder of a path with a slash behind it, or "" for the present one.
static char* folder_of(const char* path) {
  char* folder = copy_text(path, "");
  char* slash = folder ? strrchr(folder, '/') : NULL;
  if (slash)
    slash[1] = '\0';
  else if (folder)
    *folder = '\0';
  return folder;
}

// Replaces the name of a symbolic link by what it leads to, which may be relative to its folder. Returns 0 if the name
// is none of a link, or if there is no memory, which leaves NULL.
static int follow_link(char** name) {
  char to[PATH_MAX];
  ssize_t size = readlink(*name, to, sizeof to - 1);
  if (size < 0) return 0;
  to[size] = '\0';

  char* folder = folder_of(*to == '/' ? "" : *name);
  free(*name);
  *name = folder ? copy_text(folder, to) : NULL;
  free(folder);
  return *name != NULL;
}

// Puts the real name of its folder before the name of a file. Returns NULL if there is no memory; a file in no folder
// keeps its name.
static char* resolve_folder(const char* name) {
  char real[PATH_MAX + 1];
  char* folder = folder_of(name);
  if (!folder) return NULL;

  size_t length = strlen(folder);
  char* whole;
  if (!name[length] || !realpath(length > 0 ? folder : ".", real))
    whole = copy_text(name, "");
  else
    whole = copy_text(real[1] ? strcat(real, "/") : real, name + length);
  free(folder);
  return whole;
}

// The descriptor that a name stands for without any link being followed, or -1.
static int read_descriptor(const char* name) {
  static const char* const folders[] = {"/dev/fd/", "/proc/self/fd/"};
  if (strcmp(name, "/dev/stdout") == 0) return STDOUT_FILENO;
  if (strcmp(name, "/dev/stderr") == 0) return STDERR_FILENO;

  for (size_t i = 0; i < sizeof folders / sizeof *folders; ++i) {
    size_t length = strlen(folders[i]);
    if (strncmp(name, folders[i], length) != 0) continue;
    size_t digits = strspn(name + length, "0123456789");
    if (digits > 0 && digits <= MOST_DIGITS && !name[length + digits]) return atoi(name + length);
  }
  return -1;
}

// Returns the descriptor that a path leads to, over symbolic links, or -1 if it leads to none.
int hfi_output_descriptor(const char* path) {
  char* name = copy_text(path, "");
  int fd = name ? read_descriptor(name) : -1;
  for (int i = 0; i < MOST_LINKS && fd < 0 && name; ++i) {
    if (!follow_link(&name)) break;
    fd = read_descriptor(name);
  }
  free(name);
  return fd;
}

// Returns the name of the file that a path leads to, over symbolic links, which need not exist; NULL without memory.
char* hfi_output_target(const char* path) {
  char real[PATH_MAX];
  if (hfi_output_descriptor(path) >= 0) return copy_text(path, "");
  if (realpath(path, real)) return copy_text(real, "");

  // a file that does not exist yet
  char* name = copy_text(path, "");
  for (int i = 0; name && i < MOST_LINKS && follow_link(&name);) ++i;
  char* whole = name ? resolve_folder(name) : NULL;
  free(name);
  return whole;
}

// ---- files without their name ----------------------------------------------------------------------

enum { TRIES = 100, LONGEST_NAME = 255 }; // LONGEST_NAME: of a file in its folder [bytes].

// Makes a temporary name in the folder of the final one, by a clock that counts nanoseconds. If the name is taken,
// callers try another one. A long name is cut to make room for the suffix.
static char* name_beside(const char* path) {
  char suffix[32];
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  snprintf(suffix, sizeof suffix, ".%lx%08lx", (unsigned long)now.tv_sec & 0xffffff, (unsigned long)now.tv_nsec);

  const char* slash = strrchr(path, '/');
  size_t folder = slash ? (size_t)(slash + 1 - path) : 0;
  size_t longest = folder + LONGEST_NAME - strlen(suffix); // without the suffix
  char* name = copy_text(path, suffix);
  if (name && strlen(path) > longest) strcpy(name + longest, suffix);
  return name;
}

// Opens a new file with a temporary name, out->temporary. Returns its descriptor, or -1.
static int open_named_beside(hfiOutput* out) {
  for (int i = 0; i < TRIES; ++i) {
    free(out->temporary);
    out->temporary = name_beside(out->target);
    if (!out->temporary) {
      errno = ENOMEM;
      return -1;
    }
    int fd = open(out->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0 || errno != EEXIST) return fd;
  }
  return -1;
}

#ifdef O_TMPFILE
enum { LINK_SIZE = 40 };

// The name by which the system knows an open file that has none of its own.
static void print_link(char text[LINK_SIZE], int fd) { snprintf(text, LINK_SIZE, "/proc/self/fd/%d", fd); }

// Opens a new file without a name in the folder of a path. Returns its descriptor, or -1 if the system cannot do that.
static int open_nameless(const char* path) {
  char link[LINK_SIZE];
  char* folder = folder_of(path);
  if (!folder) return -1;
  int fd = open(*folder ? folder : ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
  free(folder);
  if (fd < 0) return fd;

  print_link(link, fd);
  if (access(link, F_OK) == 0) return fd;
  close(fd); // There is no /proc. Without it the file could not get a name later.
  return -1;
}

// Gives a nameless file its name, or a temporary name if the name is taken. Returns 0, or the error code of the system.
static int link_nameless(hfiOutput* out) {
  char link[LINK_SIZE];
  print_link(link, out->fd);
  const char* name = out->target;
  for (int i = 0; i < TRIES; ++i) {
    if (linkat(AT_FDCWD, link, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0) return 0;
    if (errno != EEXIST) return errno;

    free(out->temporary);
    out->temporary = name_beside(out->target);
    name = out->temporary;
    if (!name) return ENOMEM;
  }
  return EEXIST;
}
#else
static int open_nameless(const char* path) {
  (void)path;
  return -1;
}
static int link_nameless(hfiOutput* out) {
  (void)out;
  return ENOSYS;
}
#endif

// ---- the disk ----------------------------------------------------------------------------------------

// Whether files must reach the disk before they count as written. The user's environment can say that they need not.
static int must_sync(void) {
  const char* choice = getenv("HOLDFAST_FSYNC");
  return !choice || strcmp(choice, "off") != 0;
}

// Waits until the disk has what was written to a descriptor. File systems that cannot do that for this kind of file say
// EINVAL or ENOTSUP, or EROFS for a device; that is not an error. Returns 0, or the error code of the system.
static int sync_descriptor(int fd) {
  while (fsync(fd) != 0) {
    if (errno == EINTR) continue;
    return errno == EINVAL || errno == ENOTSUP || errno == EROFS ? 0 : errno;
  }
  return 0;
}

// Waits until the disk has the content of the file. Nothing is done for a descriptor of the caller, which may be a
// pipe.
static int sync_content(const hfiOutput* out) {
  return out->shared || !must_sync() ? 0 : sync_descriptor(out->fd);
}

// Waits until the disk has the names of the folder of a path. A folder that may be written to but not read cannot be
// opened: its names reach the disk when the system likes.
static int sync_folder(const char* path) {
  if (!must_sync()) return 0;
  char* folder = folder_of(path);
  if (!folder) return ENOMEM;
  int fd = open(*folder ? folder : ".", O_RDONLY | O_CLOEXEC);
  free(folder);
  if (fd < 0) return 0;

  int code = sync_descriptor(fd);
  close(fd);
  return code;
}

// Gives the file its name: it replaces an older file in one step. Returns 0, or the error code of the system.
static int take_name(hfiOutput* out) {
  int code = sync_content(out);
  if (code != 0) return code;

  code = out->temporary ? 0 : link_nameless(out);
  if (code == 0 && out->temporary && rename(out->temporary, out->target) != 0) code = errno;
  if (code != 0) return code;

  free(out->temporary);
  out->temporary = NULL;
  out->named = 1;
  return sync_folder(out->target);
}

// ---- opening -----------------------------------------------------------------------------------------

// Another descriptor of what is open under this one, so that closing it leaves this one open. WebAssembly has none.
static int duplicate(int fd) {
#ifdef F_DUPFD_CLOEXEC
  return fcntl(fd, F_DUPFD_CLOEXEC, 0);
#else
  (void)fd;
  errno = ENOSYS;
  return -1;
#endif
}

// Opens what the path of an output leads to. Returns the descriptor, or -1 with the error in errno.
//
// An open descriptor, a pipe or a device is written directly. A regular file is written beside an older one, whose
// permissions it takes over. A name that no file can have (too long, empty, links in a circle) is refused now, not when
// the file gets it.
static int open_file(hfiOutput* out) {
  // an open descriptor
  int descriptor = hfi_output_descriptor(out->path);
  if (descriptor >= 0) {
    out->named = 1;
    out->shared = 1;
    return duplicate(descriptor);
  }

  // a pipe or a device
  struct stat older;
  int exists = stat(out->target, &older) == 0;
  if (!exists && (errno != ENOENT || !*out->target)) return -1;
  if (exists && !S_ISREG(older.st_mode)) {
    out->named = 1;
    return open(out->target, O_WRONLY | O_CLOEXEC);
  }
  if (exists && access(out->target, W_OK) != 0) return -1;

  // a regular file
  int fd = open_nameless(out->target);
  if (fd < 0) fd = open_named_beside(out);
  if (fd >= 0 && exists) fchmod(fd, older.st_mode & 0777);
  return fd;
}

// Opens a file for writing. A refusal leaves *out as it was.
hfStatus hfi_output_open(hfiOutput* out, const char* path, hfiOutputMode mode, hfError* error) {
  hfiOutput made = {.fd = -1, .mode = mode, .path = copy_text(path, ""), .target = hfi_output_target(path)};
  int has_memory = made.path && made.target;
  if (has_memory) made.fd = open_file(&made);
  int code = has_memory ? errno : ENOMEM;
  if (made.fd >= 0) {
    *out = made;
    return HF_OK;
  }

  free(made.path);
  free(made.target);
  free(made.temporary);
  return refuse_file(path, code, error);
}

// ---- writing -----------------------------------------------------------------------------------------

void hfi_output_bytes(hfiOutput* out, const void* bytes, size_t size) {
  hfi_bytes_put(&out->piece, bytes, size);
}

void hfi_output_print(hfiOutput* out, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  hfi_bytes_vprint(&out->piece, format, arguments);
  va_end(arguments);
}

// Writes all bytes to a descriptor. Returns 0, or the error code of the system.
static int write_all(int fd, const char* bytes, size_t size) {
  while (size > 0) {
    ssize_t n = write(fd, bytes, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n < 0 ? errno : ENOSPC;
    bytes += n;
    size -= (size_t)n;
  }
  return 0;
}

// Writes the piece that was put together. If that fails, the file ends with the last whole piece.
hfStatus hfi_output_flush(hfiOutput* out, hfError* error) {
  if (out->piece.failed) return refuse_file(out->path, ENOMEM, error);

  // after a failure without a name, the beginning of the file is missing
  if (out->failure && !out->named) return refuse_file(out->path, out->failure, error);

  int code = write_all(out->fd, out->piece.data, out->piece.size);
  if (code == 0 && out->mode == HFI_OUTPUT_ROWS && !out->named) code = take_name(out);
  if (code != 0) {
    if (!out->shared && ftruncate(out->fd, (off_t)out->written) == 0) lseek(out->fd, (off_t)out->written, SEEK_SET);
    out->piece.size = 0; // The caller knows of the failure; closing must not try to write the piece again.
    out->failure = code;
    return refuse_file(out->path, code, error);
  }

  out->written += out->piece.size;
  out->piece.size = 0;
  return HF_OK;
}

// ---- closing -----------------------------------------------------------------------------------------

// Releases what an output holds, beside its descriptor, and removes a file that got no name.
static void release(hfiOutput* out) {
  if (out->temporary) unlink(out->temporary);
  free(out->path);
  free(out->target);
  free(out->temporary);
  hfi_bytes_release(&out->piece);
  *out = (hfiOutput){.fd = -1};
}

// Whether a regular file has lost its name: it was removed, or another file took its place.
static int is_removed(int fd) {
  struct stat file;
  return fstat(fd, &file) == 0 && S_ISREG(file.st_mode) && file.st_nlink == 0;
}

// Writes the rest, gives the file its name, and closes it. Returns the first failure; the file is closed in any case.
hfStatus hfi_output_close(hfiOutput* out, hfError* error) {
  hfStatus status = hfi_output_flush(out, error);
  int code = 0; // error code of the system
  if (status == HF_OK) code = out->named ? sync_content(out) : take_name(out);

  if (status == HF_OK && code == 0 && !out->shared && is_removed(out->fd))
    status = hfi_refuse(error, HF_ERROR_FILE, "%s: the file was removed or replaced while it was being written",
                        out->path);

  if (close(out->fd) != 0 && code == 0) code = errno;
  if (code != 0 && status == HF_OK) status = refuse_file(out->path, code, error);
  release(out);
  return status;
}

void hfi_output_discard(hfiOutput* out) {
  close(out->fd);
  release(out);
}

// ---- objects with a file -----------------------------------------------------------------------------

// Creates an object of `size` bytes that begins with an hfiOutput, and opens its file. NULL: *status says why not.
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

// Closes the file of such an object and frees the object.
hfStatus hfi_output_destroy(void* object, hfError* error) {
  if (!object) return HF_OK;
  hfStatus status = hfi_output_close(object, error);
  free(object);
  return status;
}

void hfi_output_abandon(void* object) {
  if (object) hfi_output_discard(object);
  free(object);
}

// Writes a whole file.
hfStatus hfi_write_file(const char* path, const void* bytes, size_t size, hfError* error) {
  hfiOutput out;
  hfStatus status = hfi_output_open(&out, path, HFI_OUTPUT_WHOLE, error);
  if (status != HF_OK) return status;
  hfi_output_bytes(&out, bytes, size);
  return hfi_output_close(&out, error);
}
