// Finding the package of package://NAME/FILE and model://NAME/FILE.
//
// A folder may be the package NAME if it is called NAME or if its package.xml has this name. Several folders may be: a
// workspace has build/NAME and install/NAME beside src/NAME. The first of them that has FILE counts.
//
// r: the reader, w: what is looked for, f: a folder.
#include "io/xml/reader.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  MOST_DEPTH = 4,        // Packages are looked for up to so many folders below a given one.
  MOST_ENTRIES = 100000, // A search looks at so many files and folders at most.
  MOST_BYTES = 1 << 20   // A package.xml has so many bytes at most.
};

typedef struct Folder {
  const char* path;
  const char* package; // name that its package.xml gives it, or NULL
  int depth;           // number of folders between it and the root of the search, itself included
  int is_inside;       // 1: it belongs to the package that contains it, so that nothing is looked for in it
  struct Folder* next;
} Folder;

// All folders in which packages are looked for below one root.
struct hfiPackageIndex {
  const char* root;
  Folder *first, **tail;
  int entries; // number of files and folders that were looked at
  struct hfiPackageIndex* next;
};

typedef struct Wanted {
  const char *name, *file;
  // The path that the file would have in the first folder that may be the package but does not have the file, or NULL.
  const char* missed;
} Wanted;

// ---- one folder ---------------------------------------------------------------------------------

// The path of FILE in a folder that may be the package, or NULL if it is not there. Notes the first path that is
// missed.
static const char* find_file_in_package(hfiReader* r, Wanted* w, const char* folder) {
  const char* path = hfi_join(r, folder, w->file);
  if (hfi_file_exists(path) || hfi_folder_exists(path)) return path;
  if (!w->missed) w->missed = path;
  return NULL;
}

// Whether a folder is called like a package. In names of ROS packages and their folders '-' and '_' are often
// exchanged: a '-' in the name of the package may be a '_' in the name of the folder.
static int is_called(const char* folder, const char* name) {
  for (; *folder && (*folder == *name || (*name == '-' && *folder == '_')); ++folder) ++name;
  return *folder == *name;
}

// The text of <name> in folder/package.xml, "" if there is none, or NULL if there is no such file.
static const char* read_package_name(hfiReader* r, const char* folder) {
  char path[PATH_MAX];
  size_t size = 0;
  int length = snprintf(path, sizeof path, "%s/package.xml", folder);
  int fits = length > 0 && (size_t)length < sizeof path;
  char* text = fits && hfi_file_exists(path) ? hfi_slurp(path, MOST_BYTES, &size, NULL) : NULL;
  if (!text) return NULL;

  const char* begin = strstr(text, "<name>");
  const char* end = begin ? strstr(begin, "</name>") : NULL;
  const char* name = "";
  if (end) {
    begin += strlen("<name>");
    while (begin < end && (unsigned char)*begin <= ' ') ++begin;
    while (end > begin && (unsigned char)end[-1] <= ' ') --end;
    name = hfi_format(r, "%.*s", (int)(end - begin), begin);
  }
  free(text);
  return name;
}

// The path of FILE if the package is `folder` by its name, the folder NAME in it, or `folder` by its package.xml; else
// NULL. Tried in this order.
static const char* find_in(hfiReader* r, Wanted* w, const char* folder) {
  int is_package = is_called(hfi_base_name(folder), w->name) && hfi_folder_exists(folder);
  const char* found = is_package ? find_file_in_package(r, w, folder) : NULL;

  // the folder NAME in it, also with '_' for '-'
  char* with_underscores = HFI_NEW(r, char, strlen(w->name) + 1);
  if (found || !with_underscores) return found;
  strcpy(with_underscores, w->name);
  for (char* c = with_underscores; *c; ++c)
    if (*c == '-') *c = '_';

  const char* names[2] = {w->name, with_underscores};
  for (int i = 0; i < 2 && !found; ++i) {
    const char* inside = hfi_join(r, folder, names[i]);
    if (hfi_folder_exists(inside)) found = find_file_in_package(r, w, inside);
  }

  if (found) return found;
  const char* name = read_package_name(r, folder);
  return name && strcmp(name, w->name) == 0 ? find_file_in_package(r, w, folder) : NULL;
}

// ---- the folders below one ----------------------------------------------------------------------

// Appends a folder to the index.
static void append(hfiReader* r, hfiPackageIndex* index, const char* path, int depth, int is_inside) {
  Folder* f = HFI_NEW(r, Folder, 1);
  if (!f) return;
  f->path = path;
  f->depth = depth;
  f->is_inside = is_inside;
  *index->tail = f;
  index->tail = &f->next;
}

// Appends the folders in a folder, without the hidden ones.
static void append_folders_in(hfiReader* r, hfiPackageIndex* index, const Folder* folder) {
  DIR* list = opendir(folder->path);
  if (!list) return;

  while (!r->status && index->entries < MOST_ENTRIES) {
    const struct dirent* entry = readdir(list);
    if (!entry) break;
    if (entry->d_name[0] == '.') continue;
    ++index->entries;

    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/%s", folder->path, entry->d_name);
    if (length > 0 && (size_t)length < sizeof path && hfi_folder_exists(path))
      append(r, index, hfi_format(r, "%s", path), folder->depth + 1, folder->package != NULL);
  }
  closedir(list);
}

// The list of folders below a root, nearest first, which is made when it is first needed. A folder that is a package
// contains no other one, so that of its folders only the names count. NULL if there is no memory.
static const hfiPackageIndex* get_index(hfiReader* r, const char* root) {
  for (const hfiPackageIndex* i = r->packages; i; i = i->next)
    if (strcmp(i->root, root) == 0) return i;

  hfiPackageIndex* index = HFI_NEW(r, hfiPackageIndex, 1);
  if (!index) return NULL;
  index->root = root;
  index->tail = &index->first;
  append(r, index, root, 0, 0);

  // the list grows while it is visited
  for (Folder* f = index->first; f && !r->status; f = f->next) {
    if (f->is_inside || f->depth > MOST_DEPTH) continue;
    f->package = read_package_name(r, f->path);
    append_folders_in(r, index, f);
  }

  if (index->entries >= MOST_ENTRIES) {
    char message[HF_MESSAGE_SIZE];
    snprintf(message, sizeof message,
             "the search for packages ended after %d files and folders: name a folder that is nearer to the package",
             MOST_ENTRIES);
    hfi_diagnostics_add(r->diagnostics, HF_NOTE, root, 0, message, "");
  }
  index->next = r->packages;
  r->packages = index;
  return index;
}

// The file in the nearest folder below `root` that is the package. Of equally near ones the first by name counts: the
// order in which the system lists folders has no effect.
static const char* find_below(hfiReader* r, Wanted* w, const char* root) {
  const hfiPackageIndex* index = get_index(r, root);
  const char* found = NULL;
  int depth = 0;

  for (const Folder* f = index ? index->first : NULL; f && !r->status && !(found && f->depth > depth); f = f->next) {
    int has_name = f->package && strcmp(f->package, w->name) == 0;
    if (!has_name && !is_called(hfi_base_name(f->path), w->name)) continue;
    const char* path = find_file_in_package(r, w, f->path);
    if (path && (!found || strcmp(path, found) < 0)) {
      found = path;
      depth = f->depth;
    }
  }
  return found;
}

// ---- all places ---------------------------------------------------------------------------------

// Looks in the folders of ROS and Gazebo: ROS_PACKAGE_PATH, then PREFIX/share of AMENT_PREFIX_PATH, then Gazebo's
// folders of models.
static const char* find_by_environment(hfiReader* r, Wanted* w) {
  static const struct {
    const char *variable, *inside;
    const char* (*find)(hfiReader* r, Wanted* w, const char* folder);
  } lists[] = {{"ROS_PACKAGE_PATH", "", find_below},
               {"AMENT_PREFIX_PATH", "share", find_in},
               {"GZ_SIM_RESOURCE_PATH", "", find_in},
               {"GAZEBO_MODEL_PATH", "", find_in}};

  for (size_t i = 0; i < sizeof lists / sizeof *lists; ++i) {
    const char* rest = getenv(lists[i].variable);
    while (rest && *rest) {
      int length = (int)strcspn(rest, ":");
      const char* folder = hfi_format(r, "%.*s", length, rest);
      if (lists[i].inside[0]) folder = hfi_join(r, folder, lists[i].inside);
      const char* found = length ? lists[i].find(r, w, folder) : NULL;
      if (found || r->status) return found;
      rest += length + (rest[length] == ':');
    }
  }
  return NULL;
}

// Looks in the folders above the main file, nearest first. A relative path is made absolute first, so that it has
// parent folders.
static const char* find_above(hfiReader* r, Wanted* w) {
  char absolute[PATH_MAX];
  int is_absolute = realpath(r->folder[0] ? r->folder : ".", absolute) != NULL;
  const char* folder = hfi_format(r, "%s", is_absolute ? absolute : r->folder);

  while (folder[0] && !r->status) {
    const char* found = find_in(r, w, folder);
    if (found || strcmp(folder, "/") == 0) return found;
    folder = hfi_folder_of(r, folder);
  }
  return NULL;
}

// Looks in all places, in the order that hfi_resolve_uri promises.
static const char* find_file(hfiReader* r, Wanted* w) {
  const char* found = NULL;
  for (int i = 0; i < r->config.search_count && !found; ++i) found = find_in(r, w, r->config.search_path[i]);
  for (int i = 0; i < r->config.search_count && !found; ++i) found = find_below(r, w, r->config.search_path[i]);
  if (!found) found = find_above(r, w);
  return found ? found : find_by_environment(r, w);
}

// The rest of a text behind its beginning, or NULL if it begins with something else.
static const char* skip_prefix(const char* text, const char* prefix) {
  size_t length = strlen(prefix);
  return strncmp(text, prefix, length) == 0 ? text + length : NULL;
}

// The path of a file that a URI names, as reader.h says.
const char* hfi_resolve_uri(hfiReader* r, const char* uri) {
  // a file, for which some models have a relative path
  const char* path = skip_prefix(uri, "file://localhost");
  if (path && *path == '/') return path;
  path = skip_prefix(uri, "file://");
  if (path) return hfi_resolve(r, r->folder, path);

  const char* rest = skip_prefix(uri, "package://");
  if (!rest) rest = skip_prefix(uri, "model://");
  if (!rest) return hfi_resolve(r, r->folder, uri);

  // package:///NAME/FILE means the same; package://FILE has no package: the file is beside the model
  rest += strspn(rest, "/");
  const char* slash = strchr(rest, '/');
  if (!slash) return *rest ? hfi_resolve(r, r->folder, rest) : uri;

  Wanted w = {.name = hfi_format(r, "%.*s", (int)(slash - rest), rest), .file = slash + 1};
  const char* found = find_file(r, &w);
  if (found) return found;
  // for the message that the file is not there: the path in the first folder that may be the package
  return w.missed ? w.missed : uri;
}
