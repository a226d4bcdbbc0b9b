// holdfast study: hands over to the Python package, python3 -m holdfast.study,
// which has the verb's options and messages.
//
// The interpreter is HOLDFAST_PYTHON where that is set, else python3 of the search path.
// The package finds this program, which makes its replays and runs experiments, by HOLDFAST_COMMAND.
#include "cli.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// The Python that runs studies.
static const char* interpreter(void) {
  const char* named = getenv("HOLDFAST_PYTHON");
  return named && *named ? named : "python3";
}

// Keeps the last line of a text, without its end.
static void keep_last_line(char* text) {
  size_t length = strlen(text);
  while (length && text[length - 1] == '\n') text[--length] = 0;
  const char* last = strrchr(text, '\n');
  if (last) memmove(text, last + 1, strlen(last + 1) + 1);
}

// Reads a stream to its end; `text` gets the end of what came.
static void read_end(int stream, char* text, size_t size) {
  size_t kept = 0;
  for (;;) {
    ssize_t got = read(stream, text + kept, size - 1 - kept);
    if (got <= 0) break;

    kept += (size_t)got;
    if (kept < size - 1) continue;

    // the text is full: its second half makes room for more
    kept = size / 2;
    memmove(text, text + size - 1 - kept, kept);
  }
  text[kept] = 0;
}

// What try_package returns beside the exit status of Python, as shells do.
enum { NOT_TRIED = 126, NO_INTERPRETER = 127 };

// Runs `python -c "import holdfast.study"`. Returns Python's exit status, 0 if that works; NO_INTERPRETER; or
// NOT_TRIED, where the system refuses a pipe or a process, or Python ends by a signal.
// `why`, of `size` bytes, gets the last line of what Python says, or that it says nothing.
static int try_package(const char* python, char* why, size_t size) {
  int ends[2];
  why[0] = 0;
  if (pipe(ends) != 0) return NOT_TRIED;

  pid_t child = fork();
  if (child == 0) {
    if (dup2(ends[1], STDERR_FILENO) < 0) _exit(NOT_TRIED);
    close(ends[0]);
    close(ends[1]);
    execlp(python, python, "-c", "import holdfast.study", (char*)NULL);
    _exit(NO_INTERPRETER);
  }

  close(ends[1]);
  if (child > 0) read_end(ends[0], why, size);
  close(ends[0]);
  keep_last_line(why);
  if (!why[0]) snprintf(why, size, "it does not say why");

  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return NOT_TRIED;
  return WIFEXITED(status) ? WEXITSTATUS(status) : NOT_TRIED;
}

// Tells the package, in HOLDFAST_COMMAND, where this program is, unless the user has set that.
static void tell_own_path(void) {
  char path[4096];
  ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  if (length <= 0) return; // the package looks on the search path

  path[length] = 0;
  setenv("HOLDFAST_COMMAND", path, 0);
}

// Is one of the arguments --help or -h?
static int asks_for_help(int argc, char** argv) {
  for (int i = 1; i < argc; ++i)
    if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) return 1;
  return 0;
}

// Says why studies cannot be run, `tried` and `why` being what try_package found.
// Where help was asked for, prints what the verb is instead. Returns the exit status.
static int explain(int tried, const char* why, int help, const char* python) {
  static const char install[] = "pip install ./python in the source tree of Holdfast installs it";
  int no_interpreter = tried == NO_INTERPRETER;

  if (help) {
    printf("Usage: holdfast study VERB [OPTION...] [ARGUMENT]\n"
           "Run a scene, a Python function or an experiment many times over parameters, "
           "and keep every result in one file.\n\n"
           "The verbs run, resume, status, export, report, replay, merge and script, with their options, "
           "are part of the Python package\n"
           "holdfast, which \"%s\" %s (%s).\n%s. HOLDFAST_PYTHON names another Python (3.11 or later).\n",
           python, no_interpreter ? "cannot look for" : "cannot load", no_interpreter ? "it cannot be started" : why,
           install);
    return CLI_GOOD;
  }

  if (no_interpreter)
    say_error("studies need Python 3.11 or later, and \"%s\" cannot be started; HOLDFAST_PYTHON names another one",
              python);
  else
    say_error("studies need the Python package holdfast, which \"%s\" cannot load (%s): %s; "
              "HOLDFAST_PYTHON names a Python that has it",
              python, why, install);
  return CLI_FAILED;
}

// The verb: becomes the Python package, or says why it cannot.
int verb_study(int argc, char** argv) {
  const char* python = interpreter();
  char** arguments = calloc((size_t)argc + 3, sizeof *arguments);
  if (!arguments) {
    say_error("out of memory");
    return CLI_FAILED;
  }

  arguments[0] = (char*)(uintptr_t)python; // execvp changes none of them
  arguments[1] = (char[]){"-m"};
  arguments[2] = (char[]){"holdfast.study"};
  for (int i = 1; i < argc; ++i) arguments[i + 2] = argv[i];

  char said[1024];
  int tried = try_package(python, said, sizeof said);

  tell_own_path();
  if (tried == 0) execvp(python, arguments); // which returns only where it fails
  int why = errno;
  free(arguments);

  if (tried != 0) return explain(tried, said, asks_for_help(argc, argv), python);

  say_error("cannot start \"%s\": %s", python, strerror(why));
  return CLI_FAILED;
}
