// The verb `run`: its arguments, and the sums over the steps of a run.
#ifndef CLI_RUN_H
#define CLI_RUN_H

#include "cli.h"
#include "scene.h"
#include "start.h"
#include "step_times.h"
#include <holdfast/rigid.h>

typedef struct runOptions {
  double time;                                             // time to simulate [s]
  double record_interval;                                  // simulated time between frames of the recording [s]
  int has_interval; // 1: the command line gives record_interval
  const char *controls, *log, *contacts, *steps, *record, *report; // files to read or write; NULL: not given
  hfStateLogConfig log_columns; // what the log has beside the state
  const char** log_bodies;      // names of the bodies of log_columns; the array comes from malloc
  int json;
  hfSimConfig config;
} runOptions;

typedef struct runArguments {
  runOptions run;
  sceneOptions scene;
  startOptions start;
} runArguments;
extern const struct argp run_argp; // input: runArguments*

// The largest violation of its kind in a run, the simulated time at which it occurred [s], and the amount in the last step [m or rad].
typedef struct worstViolation {
  hfViolation violation;
  double at, last;
} worstViolation;
enum { VIOLATIONS = 4 }; // kinds: those of hfViolations, in that order

// Sums over the steps of a run.
typedef struct runStatistics {
  long steps;
  long rung[HF_RUNG_CONVEX + 1]; // how many steps each rung solved
  long iterations;               // Newton iterations
  int max_iterations;            // most in a step
  long contacts;                 // sum over all steps
  int max_contacts;              // most in a step
  int asleep;                    // trees that sleep at the end
  long stopped;                  // times that a tree stopped within a step rather than pass through another
  long dropped, not_converged;   // contacts that exceeded the capacity; steps that did not reach the tolerance
  long forgetful;                // steps with more contacts than the state has room to remember
  double worst_residual, worst_coupled_residual, max_depth;
  hfContact sunk;          // the deepest contact in which a geom lies deeper than it is thick; depth 0: there is none
  double sunk_at;          // simulated time at which it was found [s]
  worstViolation worst[VIOLATIONS];
  long let_go;             // steps in which an equality or limit let go
  hfObjectKind first_let_go_kind; // the first that did
  int first_let_go;
  double let_go_at;        // simulated time at the end of that step [s]
  long gained;             // steps that ended with energy that no work explains
  double gained_energy;    // their sum [J]
  double gained_at;        // simulated time at the end of the first of them [s]
  stepTimes times;
  long evaluations, inner_steps, rejected, failed; // counts of the integrator, in continuous time
  long held;                                       // steps of the integrator with held contacts
  double smallest_step;                            // shortest step of the integrator [s]
  long missed;                                     // steps of the sim whose error is larger than the accuracy allows
  // method switching
  long transitions, impacts;
  double rigid_time; // [s]
  int nswitch, switch_capacity;
  hfSwitch* switches; // (nswitch)
  double wall, stepping; // wall time of the loop and of the steps in it [s]
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
  int interrupted;
  int refused;         // a step was refused: the sim has no results of the last state
  int refused_at_once; // the first step was refused: nothing is worth keeping
  runStatistics statistics;
} run;

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
