// holdfast problem: solves a problem that stands in a file, a step problem or a friction problem.
#include "cli.h"
#include "json.h"
#include "near.h"
#include "numbers.h"

#include <argp.h>
#include <errno.h>
#include <holdfast/friction.h>
#include <holdfast/solver.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct problemOptions {
  const char* path;
  double tolerance;
  int json;
} problemOptions;

enum { KEY_TOLERANCE = 0x100, KEY_JSON };
static const struct argp_option options[] = {
    {"tolerance", KEY_TOLERANCE, "NUMBER", 0, "Relative residual at which an answer is good (default 1e-8)", 1},
    {"json", KEY_JSON, 0, 0, "Print report and answer as JSON", 1},
    {0}};

// The parser of argp for the options of this verb.
static error_t parse(int key, char* argument, struct argp_state* state) {
  problemOptions* o = state->input;
  switch (key) {
  case KEY_TOLERANCE:
    if (!parse_number(argument, &o->tolerance) || !(o->tolerance > 0 && o->tolerance < 1))
      argp_error(state, "--tolerance must be a number between 0 and 1, is \"%s\"", argument);
    return 0;
  case KEY_JSON:
    o->json = 1;
    return 0;

  case ARGP_KEY_ARG:
    if (o->path) argp_error(state, "one file only, not also \"%s\"", argument);
    o->path = argument;
    return 0;
  case ARGP_KEY_END:
    if (!o->path) argp_error(state, "which file?");
    return 0;

  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp problem_argp = {
    options,
    parse,
    "FILE",
    "Solve a problem that stands in a file: a step problem, or a friction problem given by matrices. "
    "Files of FCLIB are converted by the Python package: holdfast.fclib.read(FILE).write(TEXT).\vExamples:\n"
    "  holdfast problem capsules.txt\n"
    "  holdfast problem capsules.txt --tolerance 1e-10 --json",
    0,
    0,
    0};

// Says why there is no answer, and returns the exit status.
static int refuse(const hfError* error) {
  say_error("%s", error->message);
  return CLI_FAILED;
}

// ---- friction problems ---------------------------------------------------------------------------

// Prints a friction problem's report and answer as JSON. Returns the exit status.
static int print_friction_json(const hfFrictionProblem* p, const hfFrictionSolution* s, const hfFrictionReport* r) {
  int rows = p->dim * p->ncontact;
  int nv = p->form == HF_FORM_GLOBAL ? p->nv : 0;

  return print_json(json_pack("{s:s,s:s,s:i,s:i,s:i,s:o,s:o,s:o,s:o,s:o,s:o,s:o}",
                              "problem", "friction",
                              "status", hf_status_name(r->status),
                              "islands", r->islands,
                              "steps", r->steps,
                              "iterations", r->iterations,
                              "natural_map", json_number(r->natural_map),
                              "residual", json_number(r->residual),
                              "scaled_residual", json_number(r->scaled_residual),
                              "r", json_numbers(s->r, rows),
                              "u", json_numbers(s->u, rows),
                              "lambda", json_numbers(s->lambda, p->nequality),
                              "v", json_numbers(s->v, nv)));
}

// A friction that has this share of mu^2 times the squared normal force is on the cone, but for rounding.
static const double CONE_SHARE = 0.999999;

// Prints a friction problem's report, and how many contacts are open, slip and stick.
// The rows of a contact are its normal and then its tangents, in the force r as in the velocity u.
static void print_friction(const hfFrictionProblem* p, const hfFrictionSolution* s, const hfFrictionReport* r) {
  int open = 0;
  int slip = 0;
  for (int i = 0; i < p->ncontact; ++i) {
    const double* force = s->r + p->dim * i;
    const double* u = s->u + p->dim * i;
    open += force[0] == 0;

    // a contact slips where the force is on the cone and the contact moves
    double friction_squared = 0;
    double speed_squared = 0;
    for (int k = 1; k < p->dim; ++k) {
      friction_squared += force[k] * force[k];
      speed_squared += u[k] * u[k];
    }
    int is_on_cone = friction_squared >= CONE_SHARE * p->mu[i] * p->mu[i] * force[0] * force[0];
    slip += force[0] > 0 && is_on_cone && speed_squared > 0;
  }

  printf("friction problem: %s form, %d contacts of %d rows, %d equalities\n",
         p->form == HF_FORM_LOCAL ? "local" : "global", p->ncontact, p->dim, p->nequality);
  printf("status: %s; %d islands, %d proximal steps, %d factorisations\n", hf_status_name(r->status), r->islands,
         r->steps, r->iterations);
  printf("natural map: %.3g; relative %.3g; scaled %.3g\n", r->natural_map, r->residual, r->scaled_residual);
  printf("contacts: %d open, %d slip, %d stick\n", open, slip, p->ncontact - open - slip);
}

// Reads a friction problem, solves it and prints the answer. Returns the exit status, CLI_FAILED also for an answer
// that misses the tolerance.
static int solve_friction(const problemOptions* o) {
  hfFrictionProblem* p = NULL;
  hfError error;
  if (hf_friction_problem_read(&p, o->path, &error) < 0) return refuse(&error);

  // the four parts of the answer, r, u, lambda and v, stand one behind another
  size_t rows = (size_t)(p->dim * p->ncontact);
  size_t equalities = (size_t)p->nequality;
  double* memory = calloc(2 * rows + equalities + (size_t)p->nv + 1, sizeof *memory);
  if (!memory) {
    say_error("%s: out of memory", o->path);
    hf_friction_problem_free(p);
    return CLI_FAILED;
  }
  hfFrictionSolution s = {memory, memory + rows, memory + 2 * rows, memory + 2 * rows + equalities};

  hfFrictionConfig config = hf_friction_config_default();
  config.tolerance = o->tolerance;
  hfFrictionReport report;
  hfStatus solved = hf_friction_solve(p, &config, &s, &report, &error);

  int status = CLI_GOOD;
  if (solved < 0)
    status = refuse(&error);
  else if (o->json)
    status = print_friction_json(p, &s, &report);
  else
    print_friction(p, &s, &report);
  if (solved > 0) status = CLI_FAILED;
  free(memory);
  hf_friction_problem_free(p);
  return status;
}

// ---- step problems -------------------------------------------------------------------------------

// Prints the report of a step problem; as JSON with velocities v and impulses, too. Returns the exit status.
static int print_step(const hfStepProblem* p, const double* v, const double* impulse, const hfSolveReport* r,
                      int json) {
  static const char* const rungs[] = {"none", "tamsi", "merit", "convex"};
  if (json)
    return print_json(json_pack("{s:s,s:s,s:s,s:i,s:i,s:o,s:o,s:o,s:o}",
                                "problem", "step",
                                "status", hf_status_name(r->status),
                                "rung", rungs[r->rung],
                                "islands", r->islands,
                                "iterations", r->iterations,
                                "residual", json_number(r->residual),
                                "coupled_residual", json_number(r->coupled_residual),
                                "v", json_numbers(v, p->nv),
                                "impulse", json_numbers(impulse, p->nrow)));

  printf("step problem: %d dofs in %d trees, %d rows, %d contacts, h %g s\n", p->nv, p->ntree, p->nrow, p->ncontact,
         p->h);
  printf("status: %s; rung %s, %d islands, %d iterations\n", hf_status_name(r->status), rungs[r->rung], r->islands,
         r->iterations);
  printf("residual: %.3g; coupled %.3g\n", r->residual, r->coupled_residual);
  return CLI_GOOD;
}

// Reads a step problem, solves it and prints the answer. Returns the exit status, CLI_FAILED also for an answer that
// misses the tolerance.
static int solve_step(const problemOptions* o) {
  hfStepProblem* p = NULL;
  hfSolver* solver = NULL;
  hfError error;
  if (hf_step_problem_read(&p, o->path, &error) < 0) return refuse(&error);

  // the impulses stand behind the velocities
  hfStepCapacity capacity = hf_step_problem_capacity(p);
  double* v = calloc((size_t)p->nv + (size_t)p->nrow + 1, sizeof *v);
  int status = CLI_FAILED;
  if (!v || hf_solver_create(&solver, &capacity, &error) < 0) {
    say_error("%s: %s", o->path, v ? error.message : "out of memory");
  } else {
    double* impulse = v + p->nv;
    hfSolverConfig config = hf_solver_config_default();
    config.tolerance = o->tolerance;
    hfSolveReport report;
    hfStatus solved = hf_solver_solve(solver, &config, p, v, impulse, &report, &error);
    status = solved < 0 ? refuse(&error) : print_step(p, v, impulse, &report, o->json);
    if (solved > 0) status = CLI_FAILED;
  }

  hf_solver_free(solver);
  free(v);
  hf_step_problem_free(p);
  return status;
}

// 1: the first line says that the file is a friction problem. -1: it cannot be read.
static int is_friction_problem(const char* path) {
  char line[64] = "";
  FILE* file = fopen(path, "r");
  if (!file) {
    say_error("%s: %s", path, strerror(errno));
    return -1;
  }

  // comments and empty lines may stand before it
  while (fgets(line, sizeof line, file) && (*line == '#' || *line == '\n')) {}
  fclose(file);
  return strncmp(line, "holdfast-friction-problem", 25) == 0;
}

// The verb: solves the friction problem or the step problem of a file.
int verb_problem(int argc, char** argv) {
  problemOptions o = {.tolerance = 1e-8};
  parse_arguments(&problem_argp, argc, argv, &o);

  int friction = is_friction_problem(o.path);
  if (friction < 0) return CLI_FAILED;

  return friction ? solve_friction(&o) : solve_step(&o);
}
