#include "scene_list.h"

#include <fts.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- files ------------------------------------------------------------------------------------------

static char* read_text(const char* path) {
  FILE* file = fopen(path, "rb");
  if (!file) return NULL;
  char* text = NULL;
  if (fseek(file, 0, SEEK_END) == 0) {
    long size = ftell(file);
    rewind(file);
    text = size >= 0 ? malloc((size_t)size + 1) : NULL;
    if (text) text[fread(text, 1, (size_t)size, file)] = 0;
  }
  fclose(file);
  return text;
}

static int is_mjcf(const char* path) {
  size_t n = strlen(path);
  if (n < 4 || strcmp(path + n - 4, ".xml") != 0) return 0;
  char* text = read_text(path);
  int found = text && strstr(text, "<mujoco") != NULL;
  free(text);
  return found;
}

static int append(sceneList* list, const char* path) {
  char** grown = realloc(list->path, sizeof *grown * (size_t)(list->count + 1));
  if (!grown) return -1;
  list->path = grown;
  grown[list->count] = strdup(path);
  return grown[list->count] ? (list->count++, 0) : -1;
}

// ---- parts ------------------------------------------------------------------------------------------

// Leaves the file out of the list.
static void remove_path(sceneList* list, const char* path) {
  for (int i = 0; i < list->count; ++i)
    if (strcmp(list->path[i], path) == 0) {
      free(list->path[i]);
      memmove(list->path + i, list->path + i + 1, sizeof *list->path * (size_t)(--list->count - i));
      return;
    }
}

// Removes the file that the element at `element` names, relative to the folder of the file that has the element.
static void remove_named(sceneList* list, const char* owner, const char* element) {
  const char *end = strchr(element, '>'), *file = strstr(element, "file=");
  if (!end || !file || file > end) return;
  char folder[PATH_MAX], joined[2 * PATH_MAX], real[PATH_MAX];
  const char *name = file + 6, *close = strchr(name, file[5]);
  if (!close || close > end) return;
  snprintf(folder, sizeof folder, "%s", owner);
  snprintf(joined, sizeof joined, "%s/%.*s", dirname(folder), (int)(close - name), name);
  if (realpath(joined, real) && strcmp(real, owner) != 0) remove_path(list, real);
}

static void remove_parts_of(sceneList* list, const char* owner) {
  static const char* const elements[] = {"<include", "<model "};
  char* text = read_text(owner);
  for (int k = 0; text && k < 2; ++k)
    for (const char* at = text; (at = strstr(at, elements[k])); ++at) remove_named(list, owner, at);
  free(text);
}

// ---- the list ---------------------------------------------------------------------------------------

static int compare_paths(const FTSENT** a, const FTSENT** b) { return strcmp((*a)->fts_name, (*b)->fts_name); }

static int collect(sceneList* list, char* root) {
  char* roots[2] = {root, NULL};
  FTS* tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, compare_paths);
  int failed = tree ? 0 : -1;
  for (FTSENT* e; !failed && (e = fts_read(tree));)
    if (e->fts_info == FTS_F && is_mjcf(e->fts_path)) failed = append(list, e->fts_path);
  if (tree) fts_close(tree);
  return failed;
}

int scene_list_make(sceneList* list, const char* folder) {
  char root[PATH_MAX];
  memset(list, 0, sizeof *list);
  if (!realpath(folder, root) || collect(list, root) != 0) return -1;
  list->skip = (int)strlen(root) + 1;
  if (list->count == 1 && strcmp(list->path[0], root) == 0) { // one file
    list->skip = (int)(strrchr(root, '/') - root) + 1;
    return 0;
  }
  sceneList all = *list; // The list shrinks while its files are looked at.
  all.path = malloc(sizeof *all.path * (size_t)(all.count + 1));
  if (!all.path) return -1;
  for (int i = 0; i < all.count; ++i) all.path[i] = strdup(list->path[i]);
  for (int i = 0; i < all.count; ++i)
    if (all.path[i]) remove_parts_of(list, all.path[i]);
  scene_list_free(&all);
  return 0;
}

void scene_list_free(sceneList* list) {
  for (int i = 0; i < list->count; ++i) free(list->path[i]);
  free(list->path);
  memset(list, 0, sizeof *list);
}
