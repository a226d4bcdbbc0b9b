// See watch.h. The number is a sum over all model files of the folder, of their times and sizes.
#include "watch.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

// A number that changes with a file's time or size; 1: there is no file.
static unsigned long long stamp_of(const char* path) {
  struct stat info;
  if (stat(path, &info) != 0) return 1;

  unsigned long long seconds = (unsigned long long)info.st_mtim.tv_sec;
  unsigned long long nanoseconds = (unsigned long long)info.st_mtim.tv_nsec;
  return seconds * 1000000007u + nanoseconds + 31u * (unsigned long long)info.st_size; // primes mix the three
}

// Has a file the ending of a model?
static int is_model(const char* name) {
  static const char* const endings[] = {".xml", ".mjcf", ".urdf", ".sdf"};
  const char* ending = strrchr(name, '.');

  for (size_t i = 0; ending && i < sizeof endings / sizeof *endings; ++i)
    if (strcmp(ending, endings[i]) == 0) return 1;
  return 0;
}

// A number that changes when the file, or any model in its folder, changes: the scene may include such a model.
unsigned long long watch_stamp(const char* path) {
  char folder[4096];
  snprintf(folder, sizeof folder, "%s", path);
  char* slash = strrchr(folder, '/');
  if (slash)
    *slash = '\0';
  else
    strcpy(folder, ".");

  unsigned long long stamp = stamp_of(path);
  DIR* list = opendir(folder);
  if (!list) return stamp;

  for (struct dirent* entry = readdir(list); entry; entry = readdir(list)) {
    char file[4352];
    if (!is_model(entry->d_name)) continue;
    snprintf(file, sizeof file, "%s/%s", folder, entry->d_name);
    stamp += 3 * stamp_of(file); // not cancelled by the stamp of `path` itself
  }
  closedir(list);
  return stamp;
}
