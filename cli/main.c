// The command holdfast: calls the verb that the first argument names. Exit status: 0 success, 1 the work failed, 2 the
// call was wrong.
#include "cli.h"
#include "data.h"
#include "near.h"

#include <argp.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

typedef struct verb {
  const char *name, *about;
  int (*run)(int argc, char** argv);
} verb;

static const verb verbs[] = {
    {"run", "simulate a scene", verb_run},
    {"check", "read a model and print every warning with file:line", verb_check},
    {"info", "print the tree, sizes and masses of a model", verb_info},
    {"dynamics", "print mass matrix, bias, poses and contacts at a given state", verb_dynamics},
    {"view", "show a scene live in the browser, or replay a recording", verb_view},
    {"render", "draw a picture or a video of a scene or a recording, without a screen", verb_render},
    {"convert", "convert a recording to MCAP or a report, a model to MJCF, SDFormat, URDF or a block", verb_convert},
    {"problem", "solve a step problem or a friction problem that stands in a file", verb_problem},
    {"experiment", "reproduce a figure or table of a paper, with its numbers beside ours", verb_experiment},
    {"study", "run a scene, function or experiment many times over parameters, on cores or a cluster", verb_study},
    {"bench", "measure speed, beside MuJoCo where it is installed", verb_bench},
};
enum { VERBS = sizeof verbs / sizeof *verbs };

// Prints what the command is, its verbs and its exit statuses.
static void print_usage(FILE* to) {
  fprintf(to, "Usage: holdfast VERB [OPTION...] [ARGUMENT]\n"
              "Simulate robots that grip: models in MJCF, URDF or SDFormat, SI units throughout.\n\n");
  for (int i = 0; i < VERBS; ++i) fprintf(to, "  %-12s %s\n", verbs[i].name, verbs[i].about);

  char path[DATA_PATH];
  fprintf(to, "\nModels and examples that come with it are in %s: holdfast run models/gripper_mug.xml finds them.\n",
          data_path(path, ""));
  fprintf(to, "\n  --help       this text; holdfast VERB --help has the options\n"
              "  --version    the version\n\n"
              "Exit status: 0 success, 1 the work failed, 2 the call was wrong.\n");
}

// The verb of a name, or NULL.
static const verb* find_verb(const char* name) {
  for (int i = 0; i < VERBS; ++i)
    if (strcmp(verbs[i].name, name) == 0) return &verbs[i];
  return NULL;
}

// Runs a verb, whose argv[0] is "holdfast VERB" for messages. Returns the exit status.
static int call_verb(const verb* v, int argc, char** argv) {
  char name[64];
  snprintf(name, sizeof name, "holdfast %s", v->name);
  argv[0] = name;
  return v->run(argc, argv);
}

// Does what the arguments ask. Returns the exit status.
static int dispatch(int argc, char** argv) {
  if (argc < 2) {
    print_usage(stderr);
    return CLI_MISUSED;
  }
  if (strcmp(argv[1], "--help") == 0) {
    print_usage(stdout);
    return CLI_GOOD;
  }
  if (strcmp(argv[1], "--version") == 0) {
    printf("holdfast %s\n", hf_version());
    return CLI_GOOD;
  }

  const verb* v = find_verb(argv[1]);
  if (v) return call_verb(v, argc - 1, argv + 1);
  const char* names[VERBS];
  for (int i = 0; i < VERBS; ++i) names[i] = verbs[i].name;
  const char* near = near_verb(argv[1], names, VERBS);
  if (near)
    say_error("there is no verb \"%s\"; perhaps %s; holdfast --help lists them", argv[1], near);
  else
    say_error("there is no verb \"%s\"; holdfast --help lists them", argv[1]);
  return CLI_MISUSED;
}

// The command. A processor on which it cannot run, and output that cannot be written, are failures.
int main(int argc, char** argv) {
  argp_err_exit_status = CLI_MISUSED;
  // if the reader of a pipe ends, or a file gets too large for the system, a write fails, and this function reports it
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);

  hfError error;
  int status = CLI_FAILED;
  if (hf_check_processor(&error) == HF_OK)
    status = dispatch(argc, argv);
  else
    say_error("%s", error.message);

  clear_progress();
  if (fflush(stdout) == 0 && !ferror(stdout)) return status;
  say_error("cannot write to standard output: %s", strerror(errno));
  return CLI_FAILED;
}
