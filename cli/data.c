// Where the files are that come with the command.
#include "data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

static int has_models(const char* folder) {
  char path[DATA_PATH];
  struct stat info;
  snprintf(path, sizeof path, "%.1000s/models", folder);
  return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

// Finds the path of this command. If /proc is not mounted, as in a fresh root, this is the path by which the program was started.
static int find_command(char* command, size_t size) {
  ssize_t length = readlink("/proc/self/exe", command, size - 1);
  if (length > 0) return command[length] = 0, 1;
  const char* started = (const char*)getauxval(AT_EXECFN);
  char* whole = started ? realpath(started, NULL) : NULL;
  int found = whole && strlen(whole) < size;
  if (found) strcpy(command, whole);
  free(whole);
  return found;
}

// Finds the folder of the models beside an installed command: PREFIX/share/holdfast for PREFIX/bin/holdfast. Returns 0 if it has no models.
static int find_installed(char folder[DATA_PATH]) {
  char command[512];
  if (!find_command(command, sizeof command)) return 0;
  for (int up = 0; up < 2; ++up) {
    char* slash = strrchr(command, '/');
    if (!slash) return 0;
    *slash = 0;
  }
  snprintf(folder, DATA_PATH, "%s/share/holdfast", command);
  return has_models(folder);
}

const char* data_path(char path[DATA_PATH], const char* file) {
  char folder[DATA_PATH];
  const char* given = getenv("HOLDFAST_DATA");
  if (given && *given)
    snprintf(folder, sizeof folder, "%s", given);
  else if (!find_installed(folder))
    snprintf(folder, sizeof folder, "%s", HF_SOURCE_DIR);
  snprintf(path, DATA_PATH, "%.800s/%.200s", folder, file);
  return path;
}
