// A guard is a child that waits for the end of its parent: it reads from a pipe whose other end only the parent has, so that the
// read ends when the parent does, whatever ended it.
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

static int remove_entry(const char* path, const struct stat* info, int kind, struct FTW* place) {
  (void)info, (void)kind, (void)place;
  remove(path);
  return 0;
}

int remove_tree(const char* path) {
  nftw(path, remove_entry, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS);
  return access(path, F_OK) != 0;
}

// Waits in the child. It has a session of its own and ignores what a terminal sends, because that means the parent.
static void wait_and_remove(int end, const char* path) {
  char byte;
  setsid();
  signal(SIGINT, SIG_IGN), signal(SIGTERM, SIG_IGN), signal(SIGHUP, SIG_IGN), signal(SIGQUIT, SIG_IGN);
  close(STDIN_FILENO), close(STDOUT_FILENO), close(STDERR_FILENO);
  while (read(end, &byte, 1) > 0) continue;
  const struct timespec moment = {0, 100000000};
  for (int i = 0, is_gone = 0; i < MOST_REMOVALS && !is_gone; ++i) { // Programs that end after the parent may write into a folder until it is gone.
    nanosleep(&moment, NULL);
    is_gone = remove_tree(path);
  }
  _exit(0);
}

int make_temporary_folder(char path[TEMPORARY_PATH], const char* name) {
  const char* folder = getenv("TMPDIR");
  int length = snprintf(path, TEMPORARY_PATH, "%s/holdfast-%s-XXXXXX", folder && *folder ? folder : "/tmp", name);
  if (length >= TEMPORARY_PATH) errno = ENAMETOOLONG;
  if (length >= TEMPORARY_PATH || !mkdtemp(path)) return say_error("%s: cannot make the folder: %s", path, strerror(errno)), -1;
  remove_at_end(path);
  return 0;
}

void end_with_parent(void) { prctl(PR_SET_PDEATHSIG, SIGKILL); }

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
