// holdfast experiment and holdfast bench: each runs one entry of its list by name.
#include "experiment_list.h"
#include "near.h"
#include "result.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define X(name) extern const experiment experiment_##name;
EXPERIMENTS(X)
BENCHMARKS(X)
#undef X

#define X(name) &experiment_##name,
static const experiment* const experiments[] = {EXPERIMENTS(X) NULL};
static const experiment* const benchmarks[] = {BENCHMARKS(X) NULL};
#undef X

enum { KEY_QUICK = 0x3000, KEY_OUT, KEY_JSON, KEY_BODIES, KEY_THREADS };

static const struct argp_option options[] = {
    {"quick", KEY_QUICK, 0, 0, "Run a reduced version", 1},
    {"out", KEY_OUT, "DIR", 0, "Write plots, tables and NAME.html, a page of all of them, into this folder", 1},
    {"json", KEY_JSON, 0, 0, "Print the result as JSON", 1},
    {0}};
static const struct argp_option bench_options[] = {
    {"bodies", KEY_BODIES, "N[,N...]", 0, "clutter: the numbers of bodies (default 50,100,200,500,1000)", 1},
    {"threads", KEY_THREADS, "N", 0,
     "clutter: threads that share a step of a large heap (default 1); with more, elapsed time counts", 1},
    {0}};

typedef struct experimentArguments {
  const char* name;
  experimentOptions options;
  int json;
} experimentArguments;

// The parser of argp for the options of experiments; its input is the experimentArguments.
static error_t parse(int key, char* argument, struct argp_state* state) {
  experimentArguments* a = state->input;
  switch (key) {
  case KEY_QUICK:
    a->options.quick = 1;
    return 0;
  case KEY_OUT:
    a->options.out = argument;
    return 0;
  case KEY_JSON:
    a->json = 1;
    return 0;

  case ARGP_KEY_ARG:
    if (a->name && a->options.folder)
      argp_error(state, "one name and one folder can be given, not also \"%s\"", argument);
    if (a->name)
      a->options.folder = argument;
    else
      a->name = argument;
    return 0;

  default:
    return ARGP_ERR_UNKNOWN;
  }
}

// Reads ascending numbers with commas between them. Returns how many, or 0 if the text is something else.
static int read_bodies(const char* text, int bodies[MOST_SCENES]) {
  for (int count = 0; count < MOST_SCENES;) {
    char* end;
    long n = strtol(text, &end, 10);
    int is_number = end != text && n >= 1 && n <= MOST_BODIES;
    int ascends = count == 0 || n > bodies[count - 1];
    if (!is_number || !ascends) return 0;

    bodies[count++] = (int)n;
    if (!*end) return count;
    if (*end != ',') return 0;
    text = end + 1;
  }
  return 0;
}

// Reads a number of threads. Returns 0 if the text is something else.
static int read_threads(const char* text) {
  char* end;
  long n = strtol(text, &end, 10);
  int is_number = end != text && !*end && n >= 1 && n <= MOST_THREADS;
  return is_number ? (int)n : 0;
}

// What only benchmarks have; the other options are those of experiments.
static error_t parse_bench(int key, char* argument, struct argp_state* state) {
  experimentArguments* a = state->input;
  switch (key) {
  case ARGP_KEY_INIT:
    state->child_inputs[0] = a;
    return 0;

  case KEY_BODIES:
    a->options.scenes = read_bodies(argument, a->options.bodies);
    if (!a->options.scenes)
      argp_error(state, "--bodies %s: want up to %d ascending numbers from 1 to %d with commas between them", argument,
                 MOST_SCENES, MOST_BODIES);
    return 0;

  case KEY_THREADS:
    a->options.threads = read_threads(argument);
    if (!a->options.threads) argp_error(state, "--threads %s: want a number from 1 to %d", argument, MOST_THREADS);
    return 0;

  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp options_argp = {options, parse, 0, 0, 0, 0, 0};
static const struct argp_child bench_children[] = {{&options_argp, 0, 0, 0}, {0}};

static const struct argp experiment_argp = {
    options,
    parse,
    "[NAME]",
    "Reproduce a figure or table: prints the paper's numbers beside ours. "
    "Exit status 1 means that a line that the experiment has to show does not hold. "
    "Without a NAME, lists them.\vExamples:\n"
    "  holdfast experiment\n"
    "  holdfast experiment painleve --quick\n"
    "  holdfast experiment tamsi-gripper --out figures",
    0,
    0,
    0};
static const struct argp bench_argp = {
    bench_options,
    parse_bench,
    "[NAME [FOLDER]]",
    "Measure speed, beside a peer's in the same run where it is installed. "
    "Without a NAME, lists them.\vExamples:\n"
    "  holdfast bench\n"
    "  holdfast bench gripper --quick\n"
    "  holdfast bench robots models",
    bench_children,
    0,
    0};

// Prints the names of a list, each with what it is about.
static void print_list(const experiment* const* list) {
  for (; *list; ++list) printf("  %-20s %s\n", (*list)->name, (*list)->about);
}

// The experiment of a name, or NULL.
static const experiment* find(const experiment* const* list, const char* name) {
  while (*list && strcmp((*list)->name, name) != 0) ++list;
  return *list;
}

// Does a benchmark run over the scenes of a folder?
static int takes_folder(const experiment* e) { return e == &experiment_bench_robots; }

// Makes a folder, if there is none. Returns the exit status.
static int make_folder(const char* path) {
  struct stat info;
  if (mkdir(path, 0777) == 0 || (stat(path, &info) == 0 && S_ISDIR(info.st_mode))) return CLI_GOOD;
  say_error("%s: cannot make the folder: %s", path, strerror(errno));
  return CLI_FAILED;
}

// Refuses options and a folder that an experiment does not take. Returns the exit status.
static int check_options(const experiment* e, const experimentOptions* o) {
  if (o->folder && !takes_folder(e)) {
    say_error("%s takes no folder: \"%s\"", e->name, o->folder);
    return CLI_MISUSED;
  }

  if (!o->folder && takes_folder(e)) {
    say_error("%s needs a FOLDER with MJCF scenes", e->name);
    return CLI_MISUSED;
  }

  if ((o->scenes || o->threads) && e != &experiment_bench_clutter) {
    say_error("%s takes no %s", e->name, o->scenes ? "--bodies" : "--threads");
    return CLI_MISUSED;
  }

  return CLI_GOOD;
}

// Runs an experiment of a list by its name, or lists all. reference: "paper" or "peer", what the numbers
// stand beside. judged: a line that does not hold makes the command fail. Returns the exit status.
static int run_listed(const experiment* const* list, const experimentArguments* a, const char* reference, int judged) {
  if (!a->name) {
    print_list(list);
    return CLI_GOOD;
  }
  const experiment* e = find(list, a->name);
  if (!e) {
    say_error("there is no \"%s\"; call the verb without a name to list them", a->name);
    return CLI_MISUSED;
  }

  const experimentOptions* o = &a->options;
  int status = check_options(e, o);
  if (status == CLI_GOOD && o->out) status = make_folder(o->out);
  if (status != CLI_GOOD) return status;

  result r;
  result_begin(&r, reference, judged, o->out, a->json);
  result_note(&r, "%s: %s%s\n", e->name, e->about, o->quick ? " (quick)" : "");
  status = e->run(o, &r);
  if (status == CLI_GOOD) result_write_page(&r, e->name, e->about, o->quick);

  int ended = result_end(&r, e->name, o->quick, status == CLI_GOOD);
  return status == CLI_GOOD ? ended : status;
}

int verb_experiment(int argc, char** argv) {
  experimentArguments a = {0};
  parse_arguments(&experiment_argp, argc, argv, &a);
  return run_listed(experiments, &a, "paper", 1);
}

int verb_bench(int argc, char** argv) {
  experimentArguments a = {0};
  parse_arguments(&bench_argp, argc, argv, &a);
  return run_listed(benchmarks, &a, "peer", 0); // its lines depend on the machine and on what else runs there
}
