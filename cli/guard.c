// A guard is a child that waits for the end of its parent: it reads from a pipe whose other end only the parent has,
// so that the read ends when the parent does, whatever ended it.
#define _GNU_SOURCE // nftw
#include "guard.h"

#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { OPEN_FOLDERS = 16 };   // nftw holds at most so many folders open at once.
enum { MOST_REMOVALS = 100 }; // How often the guard tries to remove a folder, one tenth of a second apart.

// Removes a file or an empty folder. Returns 0, with which nftw goes on to the next, also if it could not be removed.
static int remove_entry(const char* path, const struct stat* info, int kind, struct FTW* place) {
  (void)info;
  (void)kind;
  (void)place;
  remove(path);
  return 0;
}

int remove_tree(const char* path) {
  nftw(path, remove_entry, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS);
  return access(path, F_OK) != 0;
}

// The guard: waits until the pipe `end` closes, then removes the file or folder `path`. Does not return.
// It has a session of its own and ignores what a terminal sends, because that means the parent.
static void wait_and_remove(int end, const char* path) {
  setsid();
  signal(SIGINT, SIG_IGN);
  signal(SIGTERM, SIG_IGN);
  signal(SIGHUP, SIG_IGN);
  signal(SIGQUIT, SIG_IGN);
  close(STDIN_FILENO);
  close(STDOUT_FILENO);
  close(STDERR_FILENO);

  char byte;
  while (read(end, &byte, 1) > 0) continue;

  // programs that end after the parent may write into a folder until it is gone
  const struct timespec moment = {.tv_nsec = 100000000};
  int is_gone = 0;
  for (int i = 0; i < MOST_REMOVALS && !is_gone; ++i) {
    nanosleep(&moment, NULL);
    is_gone = remove_tree(path);
  }
  _exit(0);
}

// Makes a folder holdfast-NAME-XXXXXX that is removed when this process ends. Returns 0, or -1 after a message.
int make_temporary_folder(char path[TEMPORARY_PATH], const char* name) {
  const char* folder = getenv("TMPDIR");
  if (!folder || !*folder) folder = "/tmp";

  int length = snprintf(path, TEMPORARY_PATH, "%s/holdfast-%s-XXXXXX", folder, name);
  int fits = length < TEMPORARY_PATH;
  if (!fits) errno = ENAMETOOLONG;
  if (!fits || !mkdtemp(path)) {
    say_error("%s: cannot make the folder: %s", path, strerror(errno));
    return -1;
  }
  remove_at_end(path);
  return 0;
}

void end_with_parent(void) { prctl(PR_SET_PDEATHSIG, SIGKILL); }

// Starts a guard that removes a file or a folder. Returns 0 if it could not be started.
int remove_at_end(const char* path) {
  int ends[2];
  if (pipe(ends) != 0) return 0;

  fcntl(ends[1], F_SETFD, FD_CLOEXEC); // programs that this process starts must not keep the guard waiting

  pid_t child = fork();
  if (child == 0) {
    // A second child, whose parent is gone at once, leaves nobody to wait for.
    if (fork() != 0) _exit(0);
    close(ends[1]);
    wait_and_remove(ends[0], path);
  }

  close(ends[0]);
  return child > 0 && waitpid(child, NULL, 0) == child;
}
