// See watch.h. The number is a sum over all model files of the folder, of their times and sizes.
#include "watch.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static unsigned long long stamp_of(const char* path) {
  struct stat info;
  if (stat(path, &info) != 0) return 1;
  return (unsigned long long)info.st_mtim.tv_sec * 1000000007u +
         (unsigned long long)info.st_mtim.tv_nsec + 31u * (unsigned long long)info.st_size;
}

static int is_model(const char* name) {
  const char* dot = strrchr(name, '.');
  return dot &&
         (strcmp(dot, ".xml") == 0 || strcmp(dot, ".mjcf") == 0 || strcmp(dot, ".urdf") == 0 || strcmp(dot, ".sdf") == 0);
}

unsigned long long watch_stamp(const char* path) {
  char folder[4096], file[4352];
  unsigned long long stamp = stamp_of(path);
  snprintf(folder, sizeof folder, "%s", path);
  char* slash = strrchr(folder, '/');
  if (slash)
    *slash = '\0';
  else
    strcpy(folder, ".");
  DIR* list = opendir(folder);
  if (!list) return stamp;
  for (struct dirent* entry; (entry = readdir(list));) {
    if (!is_model(entry->d_name)) continue;
    snprintf(file, sizeof file, "%s/%s", folder, entry->d_name);
    stamp += 3 * stamp_of(file);
  }
  closedir(list);
  return stamp;
}
