// Finding the files of a model, and reading them.
#include "import/reader.h"

#include "base/error.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// Models that were written on Windows have backslashes in their paths.
static const char* with_slashes(hfiReader* r, const char* path) {
  if (!strchr(path, '\\')) return path;
  char* out = HFI_NEW(r, char, strlen(path) + 1);
  for (size_t i = 0; out && path[i]; ++i) out[i] = (char)(path[i] == '\\' ? '/' : path[i]);
  return out ? out : path;
}

const char* hfi_join(hfiReader* r, const char* folder, const char* file) {
  file = with_slashes(r, file), folder = with_slashes(r, folder);
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
  const char *slash = strrchr(path, '/'), *back = strrchr(path, '\\');
  const char* last = slash && back ? (slash > back ? slash : back) : slash ? slash : back;
  return last ? last + 1 : path;
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
  for (const char *from = path, *next; *from; from = next) {
    size_t length = strcspn(from, "/");
    next = from + length + (from[length] == '/');
    size_t last = n > 0 ? n - 1 : 0; // start of the last part in `out`
    while (last > 0 && out[last - 1] != '/') --last;
    int up = length == 2 && memcmp(from, "..", 2) == 0;
    int has_name = n > last + 1 && !(n == last + 3 && memcmp(out + last, "../", 3) == 0);
    if (up && has_name) {
      n = last;
    } else {
      memcpy(out + n, from, (size_t)(next - from));
      n += (size_t)(next - from);
    }
  }
  out[n] = 0;
  return out;
}

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

// ---- package:// ---------------------------------------------------------------------------------

// Whether folder/package.xml contains <name>NAME</name>.
static int package_is_called(hfiReader* r, const char* folder, const char* name) {
  enum { MOST = 1 << 20 };
  size_t size = 0;
  char* text = hfi_slurp(hfi_join(r, folder, "package.xml"), MOST, &size, NULL);
  if (!text) return 0;
  const char* begin = strstr(text, "<name>");
  const char* end = begin ? strstr(begin, "</name>") : NULL;
  int same = 0;
  if (end) {
    begin += strlen("<name>");
    while (begin < end && (unsigned char)*begin <= ' ') ++begin;
    while (end > begin && (unsigned char)end[-1] <= ' ') --end;
    same =
        (size_t)(end - begin) == strlen(name) && strncmp(begin, name, (size_t)(end - begin)) == 0;
  }
  free(text);
  return same;
}

// The folder of the package if `folder` is that folder or contains it, else NULL. In names of ROS packages and their
// folders '-' and '_' are often exchanged, so that both are accepted.
static const char* package_in(hfiReader* r, const char* folder, const char* name) {
  char* twin = HFI_NEW(r, char, strlen(name) + 1);
  if (!twin) return NULL;
  strcpy(twin, name);
  for (char* c = twin; *c; ++c)
    if (*c == '-') *c = '_';
  const char* candidates[2] = {name, twin};
  for (int i = 0; i < 2; ++i) {
    if (strcmp(hfi_base_name(folder), candidates[i]) == 0 && hfi_folder_exists(folder)) return folder;
    const char* inside = hfi_join(r, folder, candidates[i]);
    if (hfi_folder_exists(inside)) return inside;
  }
  return package_is_called(r, folder, name) ? folder : NULL;
}

// Finds a package in a folder of ROS_PACKAGE_PATH, or up to `depth` folders below it. A folder that is a package contains no
// other one, so that the search does not look into it.
static const char* find_package_below(hfiReader* r, const char* folder, const char* name, int depth) {
  const char* found = package_in(r, folder, name);
  if (found || depth == 0 || r->status || hfi_file_exists(hfi_join(r, folder, "package.xml"))) return found;
  DIR* list = opendir(folder);
  if (!list) return NULL;
  for (struct dirent* entry = readdir(list); entry && !found && !r->status; entry = readdir(list)) {
    if (entry->d_name[0] == '.') continue;
    const char* inside = hfi_join(r, folder, hfi_format(r, "%s", entry->d_name));
    if (hfi_folder_exists(inside)) found = find_package_below(r, inside, name, depth - 1);
  }
  closedir(list);
  return found;
}

// Looks for the package in the folders of ROS and Gazebo: ROS_PACKAGE_PATH, then PREFIX/share of AMENT_PREFIX_PATH, then Gazebo's folders of models.
static const char* find_ros_package(hfiReader* r, const char* name) {
  enum { DEEPEST = 4 };
  static const struct {
    const char *variable, *inside;
    int depth;
  } lists[] = {{"ROS_PACKAGE_PATH", "", DEEPEST},
               {"AMENT_PREFIX_PATH", "share", 0},
               {"GZ_SIM_RESOURCE_PATH", "", 0},
               {"GAZEBO_MODEL_PATH", "", 0}};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; ++i) {
    const char* at = getenv(lists[i].variable);
    while (at && *at) {
      int length = (int)strcspn(at, ":");
      const char* folder = hfi_format(r, lists[i].inside[0] ? "%.*s/%s" : "%.*s%s", length, at, lists[i].inside);
      const char* found = length ? find_package_below(r, folder, name, lists[i].depth) : NULL;
      if (found || r->status) return found;
      at += length + (at[length] == ':');
    }
  }
  return NULL;
}

static const char* find_package(hfiReader* r, const char* name) {
  for (int i = 0; i < r->config.search_count; ++i) {
    const char* found = package_in(r, r->config.search_path[i], name);
    if (found) return found;
  }
  // Goes up from the folder of the main file. A relative path is made absolute first, so that it has parent folders.
  char absolute[PATH_MAX];
  int real = realpath(r->folder[0] ? r->folder : ".", absolute) != NULL;
  const char* folder = hfi_format(r, "%s", real ? absolute : r->folder);
  while (folder[0] && !r->status) {
    const char* found = package_in(r, folder, name);
    if (found) return found;
    if (strcmp(folder, "/") == 0) break;
    folder = hfi_folder_of(r, folder);
  }
  return find_ros_package(r, name);
}

const char* hfi_resolve_uri(hfiReader* r, const char* uri) {
  if (strncmp(uri, "file://", 7) == 0) return uri + 7;
  const char* rest = strncmp(uri, "package://", 10) == 0 ? uri + 10
                     : strncmp(uri, "model://", 8) == 0  ? uri + 8
                                                         : NULL;
  if (!rest) return hfi_resolve(r, r->folder, uri);
  rest += strspn(rest, "/"); // package:///NAME/FILE means the same
  const char* slash = strchr(rest, '/');
  if (!slash) return *rest ? hfi_resolve(r, r->folder, rest) : uri; // package://FILE has no package: the file is beside the model
  const char* name = hfi_format(r, "%.*s", (int)(slash - rest), rest);
  const char* folder = find_package(r, name);
  return folder ? hfi_join(r, folder, slash + 1) : uri;
}

// ---- bytes --------------------------------------------------------------------------------------

static hfStatus refuse_system(hfError* error, const char* path, int code) {
  char text[128] = "unknown error";
  strerror_r(code, text, sizeof text);
  return hfi_refuse(error, code == ENOMEM ? HF_ERROR_MEMORY : HF_ERROR_FILE, "cannot read %s: %s",
                    *path ? path : "\"\"", text);
}

// Reads an open file. Returns NULL after a refusal.
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

char* hfi_slurp(const char* path, size_t limit, size_t* size, hfError* error) {
  struct stat info;
  // This is checked first, because opening a pipe would wait for a writer.
  if (stat(path, &info) != 0) {
    refuse_system(error, path, errno);
    return NULL;
  }
  if (!S_ISREG(info.st_mode)) {
    hfi_refuse(error, HF_ERROR_FILE, "cannot read %s: not a file", path);
    return NULL;
  }
  if ((size_t)info.st_size > limit) {
    hfi_refuse(error, HF_ERROR_FILE, "%s: %zu bytes, more than the limit of %zu", path,
               (size_t)info.st_size, limit);
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
