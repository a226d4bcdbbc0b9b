// A guard is a child that waits for the end of its parent: it reads from a pipe whose other end only the parent has, so that the
// read ends when the parent does, whatever ended it.
#include "guard.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// Waits in the child. It has a session of its own and ignores what a terminal sends, because that means the parent.
static void wait_and_remove(int end, const char* path) {
  char byte;
  setsid();
  signal(SIGINT, SIG_IGN), signal(SIGTERM, SIG_IGN), signal(SIGHUP, SIG_IGN), signal(SIGQUIT, SIG_IGN);
  close(STDIN_FILENO), close(STDOUT_FILENO), close(STDERR_FILENO);
  while (read(end, &byte, 1) > 0) continue;
  const struct timespec moment = {0, 100000000}; // Children that end with the parent stop writing the file in this time.
  nanosleep(&moment, NULL);
  unlink(path);
  _exit(0);
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
