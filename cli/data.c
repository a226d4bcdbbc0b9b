// Where the files are that come with the command. No folder of the machine that built it is compiled into the command:
// it looks from the place where it lies itself, so that nobody else can put files in its way.
#include "data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

// Whether the folder has a folder of models.
static int has_models(const char* folder) {
  char path[DATA_PATH];
  struct stat info;
  snprintf(path, sizeof path, "%.1000s/models", folder);
  return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

// Finds the path of this command. If /proc is not mounted, as in a fresh root, this is the path by which the program
// was started. Returns 0 if there is none.
static int find_command(char* command, size_t size) {
  ssize_t length = readlink("/proc/self/exe", command, size - 1);
  if (length > 0) {
    command[length] = 0;
    return 1;
  }

  const char* started = (const char*)getauxval(AT_EXECFN);
  char* whole = started ? realpath(started, NULL) : NULL;
  int found = whole && strlen(whole) < size;
  if (found) strcpy(command, whole);
  free(whole);
  return found;
}

// Installed: PREFIX/share/holdfast for the command PREFIX/bin/holdfast.
static int find_installed(const char* prefix, char folder[DATA_PATH]) {
  snprintf(folder, DATA_PATH, "%s/share/holdfast", prefix);
  return has_models(folder);
}

// In a wheel: the Python package itself, whose command is PACKAGE/bin/holdfast and whose models are PACKAGE/models.
static int find_package(const char* prefix, char folder[DATA_PATH]) {
  char path[DATA_PATH];
  snprintf(path, sizeof path, "%s/__init__.py", prefix);
  if (access(path, F_OK) != 0) return 0;

  snprintf(folder, DATA_PATH, "%s", prefix);
  return has_models(folder);
}

// In a build folder, which is BUILD for BUILD/cli/holdfast: the sources that the file BUILD/source-folder names.
// The file counts only if it belongs to the owner of the command.
static int find_sources(const char* command, const char* build, char folder[DATA_PATH]) {
  char path[DATA_PATH];
  struct stat command_info;
  struct stat file_info;
  snprintf(path, sizeof path, "%s/source-folder", build);
  if (stat(command, &command_info) != 0 || stat(path, &file_info) != 0) return 0;
  if (file_info.st_uid != command_info.st_uid) return 0;

  FILE* file = fopen(path, "r");
  int read = file && fgets(folder, DATA_PATH, file) != NULL;
  if (file) fclose(file);
  if (!read) return 0;

  folder[strcspn(folder, "\n")] = 0;
  return has_models(folder);
}

// Finds the folder of the files that come with the command. If there is none, it is share/holdfast beside the command,
// which messages then name.
static void find_folder(char folder[DATA_PATH]) {
  char command[512];
  char prefix[512];
  snprintf(folder, DATA_PATH, "share/holdfast");
  if (!find_command(command, sizeof command)) return;

  // the folder above that of the command
  snprintf(prefix, sizeof prefix, "%s", command);
  for (int up = 0; up < 2; ++up) {
    char* slash = strrchr(prefix, '/');
    if (!slash) return;
    *slash = 0;
  }

  if (find_package(prefix, folder) || find_sources(command, prefix, folder)) return;
  find_installed(prefix, folder);
}

// Writes the path of a file that comes with the command, see data.h.
const char* data_path(char path[DATA_PATH], const char* file) {
  char folder[DATA_PATH];
  const char* given = getenv("HOLDFAST_DATA");

  if (given && *given)
    snprintf(folder, sizeof folder, "%s", given);
  else
    find_folder(folder);

  snprintf(path, DATA_PATH, "%.800s/%.200s", folder, file);
  return path;
}
