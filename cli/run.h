// The verb `run`: its arguments, and the sums over the steps of a run.
#ifndef CLI_RUN_H
#define CLI_RUN_H

#include "cli.h"
#include "scene.h"
#include "start.h"
#include "step_times.h"
#include <holdfast/rigid.h>

typedef struct runOptions {
  double time; // time to simulate [s]
  double record_interval; // simulated time between frames of the recording [s]
  int has_interval; // 1: the command line gives record_interval
  const char* controls; // the file to read; NULL: not given
  // files to write; NULL: not given
  const char* log;
  const char* contacts;
  const char* steps;
  const char* record;
  const char* report;
  hfStateLogConfig log_columns; // what the log has beside the state
  const char** log_bodies; // names of the bodies of log_columns; the array comes from malloc
  int json; // 1: the result is printed as JSON
  hfSimConfig config;
} runOptions;

typedef struct runArguments {
  runOptions run;
  sceneOptions scene;
  startOptions start;
} runArguments;
extern const struct argp run_argp; // input: runArguments*

// The largest violation of its kind in a run.
typedef struct worstViolation {
  hfViolation violation;
  double time; // simulated time at which it occurred [s]
  double last; // amount in the last step [m or rad]
} worstViolation;
enum { VIOLATIONS = 4 }; // Kinds of violations: the kinds of hfViolations, in that order.

// How the solver of discrete time did.
typedef struct solverStatistics {
  long rung[HF_RUNG_CONVEX + 1]; // how many steps each rung solved
  long iterations; // Newton iterations of all steps
  int max_iterations; // most in a step
  long not_converged; // steps that did not reach the tolerance
  double worst_residual; // [-]
  double worst_coupled_residual; // [-]
} solverStatistics;

// The contacts of a run.
typedef struct contactStatistics {
  long sum; // over all steps
  int most; // in a step
  long dropped; // contacts that exceeded the capacity
  long forgetful; // steps with more contacts than the state has room to remember
  double max_depth; // [m]
  hfContact sunk; // the deepest contact in which a geom lies deeper than it is thick; depth 0: there is none
  double sunk_time; // simulated time at which it was found [s]
} contactStatistics;

// Steps in which an equality or a limit let go.
typedef struct letGoStatistics {
  long steps;
  hfObjectKind kind; // of the first that did
  int id; // of the first that did
  double time; // simulated time at the end of that step [s]
} letGoStatistics;

// Steps that ended with energy that no work explains.
typedef struct gainStatistics {
  long steps;
  double energy; // the sum [J]
  double time; // simulated time at the end of the first of them [s]
} gainStatistics;

// The work of the integrator of continuous time.
typedef struct integratorStatistics {
  long evaluations;
  long steps;
  long rejected; // steps tried whose error was too large
  long failed; // steps tried that had no solution
  long held; // steps with held contacts
  double smallest_step; // shortest step [s]
  long missed; // steps of the sim whose error is larger than the accuracy allows
} integratorStatistics;

// What the method switching did.
typedef struct switchStatistics {
  long transitions;
  long impacts;
  double rigid_time; // [s]
  hfSwitch* list; // (count); from realloc
  int count;
  int capacity; // of the list
} switchStatistics;

// Sums over the steps of a run.
typedef struct runStatistics {
  long steps;
  int asleep; // trees that sleep at the end
  long stopped; // times that a tree stopped within a step rather than pass through another
  solverStatistics solver;
  contactStatistics contacts;
  worstViolation worst[VIOLATIONS];
  letGoStatistics let_go;
  gainStatistics gain;
  integratorStatistics integrator;
  switchStatistics switching;
  stepTimes times;
  double wall; // wall time of the loop [s]
  double stepping; // wall time of the steps in it [s]
} runStatistics;

typedef struct run {
  const char* scene; // path
  const hfModel* model;
  int started_by_default; // 1: neither a keyframe nor positions were given
  hfSim* sim;
  hfState* state;
  hfInput* input;
  const hfSimConfig* config;
  double start_time;
  int interrupted; // 1: a signal ended the run
  int refused; // 1: a step was refused, so that the sim has no results of the last state
  int refused_at_once; // 1: the first step was refused, so that nothing is worth keeping
  runStatistics statistics;
} run;

// The files that a run writes; NULL: not asked for.
typedef struct outputs {
  hfStateLog* log;
  hfStepLog* steps;
  hfContactLog* contacts;
  hfRecorder* recorder;
  hfReport* report;
} outputs;

// Opens the files that the options name. After a refusal the caller must call discard_outputs.
hfStatus open_outputs(const runOptions* options, const run* r, outputs* out, hfError* error);
// After each step.
hfStatus write_outputs(const run* r, const hfStepReport* report, outputs* out, hfError* error);
// Closes all files, even if one of them cannot be completed. Returns the exit status.
int close_outputs(const run* r, outputs* out);
// Gives up files to which no step was written: older files of these names stay as they were.
void discard_outputs(outputs* out);

// After each step but the first: keeps a contact in which a geom lies deeper than it is thick.
void keep_sunk(run* r, double time, const hfStepReport* report);
// Warns of that contact, at the end of a run.
void warn_about_sunk(const run* r);

// Print the result as text or as JSON, or write it as an HTML file. Each returns the exit status.
int print_summary(const run* r);
int print_run_json(const run* r);
// "equality", "limit of joint" or "limit of tendon".
const char* what_lets_go(hfObjectKind kind);
int close_report(const run* r, hfReport* report);
hfStatus record_figures(const run* r, hfRecorder* recorder, hfError* error);

#endif
