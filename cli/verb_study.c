// holdfast study: hands over to the Python package, python3 -m holdfast.study, which has the verb's options and messages.
//
// The interpreter is HOLDFAST_PYTHON where that is set, else python3 of the search path. The package finds this program, which
// makes its replays and runs experiments, by HOLDFAST_COMMAND.
#include "cli.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char* interpreter(void) {
  const char* named = getenv("HOLDFAST_PYTHON");
  return named && *named ? named : "python3";
}

// Runs `python -c "import holdfast.study"` with its output closed. Returns 0 if that works, 127 if there is no interpreter.
static int try_package(const char* python) {
  pid_t child = fork();
  if (child == 0) {
    if (!freopen("/dev/null", "w", stderr)) _exit(126);
    execlp(python, python, "-c", "import holdfast.study", (char*)NULL);
    _exit(127);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return 126;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 126;
}

static void tell_own_path(void) {
  char path[4096];
  ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  if (length <= 0) return; // the package looks on the search path
  path[length] = 0;
  setenv("HOLDFAST_COMMAND", path, 0);
}

int verb_study(int argc, char** argv) {
  const char* python = interpreter();
  char** arguments = calloc((size_t)argc + 3, sizeof *arguments);
  if (!arguments) return say_error("out of memory"), CLI_FAILED;
  arguments[0] = (char*)(uintptr_t)python; // execvp changes none of them
  arguments[1] = (char[]){"-m"};
  arguments[2] = (char[]){"holdfast.study"};
  for (int i = 1; i < argc; ++i) arguments[i + 2] = argv[i];
  int tried = try_package(python);
  tell_own_path();
  if (tried == 0) execvp(python, arguments);
  if (tried == 127)
    say_error("studies need Python 3.11 or later, and \"%s\" cannot be started; HOLDFAST_PYTHON names another one", python);
  else if (tried != 0)
    say_error("studies need the Python package holdfast, which \"%s\" does not have: pip install holdfast, or name a Python "
              "that has it by HOLDFAST_PYTHON", python);
  else
    say_error("cannot start \"%s\": %s", python, strerror(errno));
  free(arguments);
  return CLI_FAILED;
}
