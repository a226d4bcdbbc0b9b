// Works on the text: the attributes meshdir="…" and file="….stl" of a self-contained MJCF file.
#include "stand_in.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME_SIZE = 256, PATH_SIZE = 1024 };

static char* read_text(const char* path) {
  FILE* file = fopen(path, "rb");
  struct stat info;
  if (!file) return NULL;
  char* text = fstat(fileno(file), &info) == 0 ? malloc((size_t)info.st_size + 1) : NULL;
  if (text) text[fread(text, 1, (size_t)info.st_size, file)] = '\0';
  fclose(file);
  return text;
}

// Value of the next `name="…"` at or after *at; *at moves behind it. 0 where there is none.
static int next_attribute(const char** at, const char* name, char* value) {
  const char* start = strstr(*at, name);
  const char* end = start ? strchr(start + strlen(name), '"') : NULL;
  if (!end) return 0;
  start += strlen(name);
  snprintf(value, NAME_SIZE, "%.*s", (int)(end - start), start);
  *at = end;
  return 1;
}

static int next_mesh(const char** at, char* name) {
  while (next_attribute(at, "file=\"", name)) {
    size_t n = strlen(name);
    if (n > 4 && strcmp(name + n - 4, ".stl") == 0) return 1;
  }
  return 0;
}

static void mesh_folder(const char* text, char* folder) {
  const char* at = text;
  if (!next_attribute(&at, "meshdir=\"", folder)) strcpy(folder, ".");
}

static int count_missing(const char* path, const char* text) {
  char folder[NAME_SIZE], name[NAME_SIZE], file[PATH_SIZE + 2 * NAME_SIZE];
  const char *at = text, *slash = strrchr(path, '/');
  int missing = 0, base = slash ? (int)(slash - path) : 0;
  mesh_folder(text, folder);
  while (next_mesh(&at, name)) {
    snprintf(file, sizeof file, "%.*s/%s/%s", base ? base : 1, base ? path : ".", folder, name);
    missing += access(file, R_OK) != 0;
  }
  return missing;
}

static int write_tetrahedron(const char* path) {
  static const float vertex[4][3] = {{0, 0, 0}, {0.1f, 0, 0}, {0, 0.1f, 0}, {0, 0, 0.1f}};
  static const int face[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  const char header[80] = "tetrahedron", attribute[2] = {0, 0};
  const float normal[3] = {0, 0, 0};
  const uint32_t count = 4;
  FILE* file = fopen(path, "wb");
  if (!file) return -1;
  fwrite(header, 1, sizeof header, file);
  fwrite(&count, sizeof count, 1, file);
  for (int f = 0; f < 4; ++f) {
    fwrite(normal, sizeof *normal, 3, file);
    for (int k = 0; k < 3; ++k) fwrite(vertex[face[f][k]], sizeof **vertex, 3, file);
    fwrite(attribute, 1, sizeof attribute, file);
  }
  return fclose(file);
}

static int write_copy(StandIn* s, const char* text) {
  char folder[NAME_SIZE], name[NAME_SIZE], file[PATH_SIZE + 2 * NAME_SIZE];
  const char* at = text;
  mesh_folder(text, folder);
  snprintf(s->path, sizeof s->path, "%.1000s/model.xml", s->folder);
  snprintf(file, sizeof file, "%s/%s", s->folder, folder);
  mkdir(file, 0700);
  while (next_mesh(&at, name)) {
    snprintf(file, sizeof file, "%s/%s/%s", s->folder, folder, name);
    if (write_tetrahedron(file) != 0) return -1;
  }
  FILE* copy = fopen(s->path, "wb");
  if (!copy) return -1;
  fputs(text, copy);
  return fclose(copy);
}

int stand_in_make(StandIn* s, const char* path) {
  char* text = read_text(path);
  int status = 0;
  if (!text) return -1;
  s->folder[0] = '\0';
  snprintf(s->path, sizeof s->path, "%s", path);
  if (count_missing(path, text) > 0) {
    const char* tmp = getenv("TMPDIR");
    snprintf(s->folder, sizeof s->folder, "%s/holdfast-bench-XXXXXX", tmp ? tmp : "/tmp");
    status = mkdtemp(s->folder) ? write_copy(s, text) : -1;
  }
  free(text);
  return status;
}

void stand_in_remove(const StandIn* s) {
  char folder[NAME_SIZE], name[NAME_SIZE], file[PATH_SIZE + 2 * NAME_SIZE];
  if (!s->folder[0]) return;
  char* text = read_text(s->path);
  const char* at = text;
  if (!text) return;
  mesh_folder(text, folder);
  while (next_mesh(&at, name)) {
    snprintf(file, sizeof file, "%s/%s/%s", s->folder, folder, name);
    remove(file);
  }
  snprintf(file, sizeof file, "%s/%s", s->folder, folder);
  remove(file);
  remove(s->path);
  remove(s->folder);
  free(text);
}
