// See outfile.h.
#define _GNU_SOURCE // dup
#include "outfile.h"

#include "base/output.h"
#include "cli.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

// Opens a file that gets its name when it is complete.
hfStatus open_out_file(outFile* out, const char* path, hfError* error) {
  hfStatus status;
  hfiOutput* output = hfi_output_create(sizeof *output, path, HFI_OUTPUT_WHOLE, &status, error);
  if (!output) return status;

  // the stream has its own descriptor, so that fclose leaves the descriptor of the output open
  int fd = dup(output->fd);
  *out = (outFile){fd >= 0 ? fdopen(fd, "wb") : NULL, output};

  if (out->file) return HF_OK;

  snprintf(error->message, sizeof error->message, "%s: cannot write: %s", path, strerror(errno));
  if (fd >= 0) close(fd);
  hfi_output_abandon(output);
  error->status = HF_ERROR_FILE;
  return HF_ERROR_FILE;
}

// Completes a file. One that could not be written whole leaves the older file as it was.
hfStatus close_out_file(outFile* out, hfError* error) {
  const hfiOutput* output = out->output;
  int bad = ferror(out->file);
  if (fclose(out->file) == 0 && !bad) return hfi_output_destroy(out->output, error);

  snprintf(error->message, sizeof error->message, "%s: cannot write: %s", output->path, strerror(errno ? errno : EIO));
  hfi_output_abandon(out->output);
  error->status = HF_ERROR_FILE;
  return HF_ERROR_FILE;
}

void discard_out_file(outFile* out) {
  fclose(out->file);
  hfi_output_abandon(out->output);
}

char* resolve_out_file(const char* path) {
  return hfi_output_target(path);
}

// Files that are neither regular nor missing (a terminal, /dev/null) may be used twice.
static int is_special(const char* path) {
  struct stat info;
  return stat(path, &info) == 0 && !S_ISREG(info.st_mode);
}

// ---- endings of names ------------------------------------------------------------------------------

const char* ending_of(const char* path) {
  const char* slash = strrchr(path, '/');
  const char* name = slash ? slash + 1 : path;
  const char* point = strrchr(name, '.');
  return point && point > name ? point + 1 : "";
}

// The next word of a list with blanks between them. `word` stands on the word before.
static const char* next_word(const char* word) {
  word += strcspn(word, " ");
  return word + strspn(word, " ");
}

// Is a word, in capitals or not, in a list with blanks between the words?
static int is_listed(const char* word, const char* list) {
  size_t length = strlen(word);
  for (const char* w = list; *w; w = next_word(w))
    if (strcspn(w, " ") == length && strncasecmp(w, word, length) == 0) return 1;
  return 0;
}

// Refuses "-" and the name of a file that has the ending of another format. Returns 1, with a message, if it refuses,
// else 0. endings: those that the file may have, separated by spaces; only: 1: any other one is refused, 0: unknown
// ones pass. A NULL path, a name without an ending and a device or pipe pass.
int refuse_ending(const char* option, const char* path, const char* endings, int only) {
  static const char formats[] = "csv tsv xls xlsx ods parquet npy npz h5 hdf5 mat json yaml yml html htm pdf rec hfr "
                                "mcap bag db png jpg jpeg webp gif bmp tif tiff svg mp4 mkv mov avi webm xml mjcf "
                                "urdf srdf sdf hfm usd gltf glb obj stl gz xz zip";
  const char* ending = path ? ending_of(path) : "";
  if (path && strcmp(path, "-") == 0) {
    say_error("%s -: the name of a file is needed; for standard output write /dev/stdout", option);
    return 1;
  }

  if (!*ending || is_special(path) || is_listed(ending, endings)) return 0;
  if (!only && !is_listed(ending, formats)) return 0;

  // the endings as words: ".a", ".a or .b", ".a, .b or .c"
  char known[64] = "";
  for (const char* w = endings; *w; w = next_word(w)) {
    size_t used = strlen(known);
    size_t length = strcspn(w, " ");
    const char* separator = w[length] ? ", " : " or ";
    snprintf(known + used, sizeof known - used, "%s.%.*s", used == 0 ? "" : separator, (int)length, w);
  }

  say_error("%s %s: no .%s is written here; let the name end in %s", option, path, ending, known);
  return 1;
}

// ---- folders that cannot be written ----------------------------------------------------------------

// Refuses a folder in which no file can be made. Returns 1, with a message, if it does.
int refuse_folder(const char* option, const char* folder) {
  struct stat info;
  int is_folder = stat(folder, &info) == 0 && S_ISDIR(info.st_mode);
  if (is_folder && access(folder, W_OK | X_OK) == 0) return 0;

  if (!is_folder && access(folder, F_OK) == 0) errno = ENOTDIR;

  say_error("%s %s: nothing can be written there: %s", option, folder, strerror(errno));
  return 1;
}

// The same of the folder of a file to be written; path may be NULL.
int refuse_folder_of(const char* option, const char* path) {
  if (!path || is_special(path) || hfi_output_descriptor(path) >= 0) return 0;

  char* target = hfi_output_target(path);
  if (!target) {
    say_error("out of memory");
    return 1;
  }

  const char* slash = strrchr(target, '/');
  char folder[PATH_MAX];
  if (slash)
    snprintf(folder, sizeof folder, "%.*s", (int)(slash - target) + 1, target);
  else
    snprintf(folder, sizeof folder, ".");

  free(target);
  return refuse_folder(option, folder);
}

// ---- the same file twice ---------------------------------------------------------------------------

// Are two names the same file, which may not exist yet? Special files never are.
static int is_same_file(const char* a, const char* b) {
  if (is_special(a) || is_special(b)) return 0;

  struct stat s, t;
  if (stat(a, &s) == 0 && stat(b, &t) == 0) return s.st_dev == t.st_dev && s.st_ino == t.st_ino;

  char* x = hfi_output_target(a);
  char* y = hfi_output_target(b);
  int same = x && y && strcmp(x, y) == 0;
  free(x);
  free(y);
  return same;
}

// Refuses two files that are the same one if one of them is written. Returns 1, with a message, if it does.
int refuse_same_file(const usedFile* used, int count) {
  for (int i = 0; i < count; ++i) {
    for (int j = 0; j < i; ++j) {
      const usedFile* a = &used[j];
      const usedFile* b = &used[i];
      if (!a->path || !b->path) continue;
      if (!a->written && !b->written) continue; // reading one file twice is good
      if (!is_same_file(a->path, b->path)) continue;

      say_error("%s and %s are the same file: %s", a->role, b->role, b->path);
      return 1;
    }
  }
  return 0;
}
