// Steps of discrete time whose size is controlled (docs/theory/accuracy.md).
//
//   full = S_h x0,   half = S_(h/2) S_(h/2) x0,   e = max |half.q (-) full.q|
//
//   e <= accuracy: x1 = half (+) share (half (-) full), or x1 = half where extrapolation would be wrong (extrapolate.c)
//   otherwise:     x0 is put back, and a shorter step is tried
//
// An explicit method takes the stretches that it follows with less work (resolved.c).
#include "methods/controlled/controlled.h"

#include "base/object.h"
#include "methods/ode/controller.h"

#include <string.h>

enum {
  ERROR_ORDER = 2,        // The error of a step of length h falls with h^2.
  FLIGHT_ERROR_ORDER = 3, // It falls with h^3 where everything flies.

  // After this many tries of any method in one step of the sim, the rest of it is taken in few hasty steps.
  MOST_TRIES = 200000,
  // After this many failures of an explicit method in one step of the sim, discrete time takes the rest of it.
  MOST_EXPLICIT_FAILURES = 16,
};
// Each step may have this share of the error that was asked for, because a run has many steps [-].
static const double STEP_ERROR_SHARE = 0.1;
// The solver's tolerance is at most this share of the accuracy, so that the residuals of many steps do not add up [-],
static const double SOLVER_SHARE = 1e-6;
// and at least this [-].
static const double LEAST_SOLVER_TOLERANCE = 1e-14;
// A rejected step is tried again at half its length, because the full step of that length is known. If the error needs
// a step below this share of the length, it is tried with the length that the error needs [-].
static const double LEAST_RETRY_SHARE = 0.25;
// Hasty steps are at least this share of the step of the sim [-].
static const double HASTY_SHARE = 0.01;
// A step that would leave less than this share of itself ends at the end of the sim's step [-].
static const double SLIVER_SHARE = 1e-9;

// ---- creation ---------------------------------------------------------------------------------------

// Plans or takes the arrays: four states, the vectors of extrapolation, three summaries.
static void take_arrays(void* object, hfiArena* arena) {
  hfiControlled* controlled = object;
  const hfModel* model = controlled->world->model;
  int capacity = imax2(controlled->world->config.max_contacts, hf_state_memory_default(model));

  hfState** const states[] = {&controlled->origin, &controlled->start, &controlled->full, &controlled->middle};
  for (size_t i = 0; i < sizeof states / sizeof *states; ++i) {
    void* memory = hfi_arena_take(arena, 1, hf_state_size(model, capacity));
    if (memory) *states[i] = hf_state_init(memory, model, capacity);
  }

  HFI_TAKE_EACH(arena, double, model->nv, &controlled->difference, &controlled->share, &controlled->change);

  hfiStepSummary* const summaries[] = {&controlled->full_summary, &controlled->first_summary,
                                       &controlled->second_summary};
  for (size_t i = 0; i < sizeof summaries / sizeof *summaries; ++i)
    summaries[i]->flies = HFI_TAKE(arena, int32_t, model->ntree);
}

// Frees the method with its parts; NULL is allowed.
static void free_controlled(void* method) {
  hfiControlled* controlled = method;
  if (!controlled) return;
  hfi_resolved_free(&controlled->resolved);
  hfi_discrete_free(controlled->discrete);
  hfi_release(controlled);
}

// Creates the method: discrete time with a tolerance that suits the accuracy, and two explicit methods.
static hfStatus create_controlled(void** method, hfiWorld* world, const hfSimConfig* config, hfError* error) {
  hfiControlled seed = {
      .world = world,
      .step = config->step,
      .accuracy = STEP_ERROR_SHARE * config->accuracy,
      .smallest = min2(config->smallest_step, config->step),
  };
  hfiControlled* controlled =
      hfi_object_create(&seed, sizeof seed, take_arrays, &world->config.allocator, "error control", error);
  if (!controlled) return HF_ERROR_MEMORY;

  hfSimConfig inner = *config;
  double solver_tolerance = max2(LEAST_SOLVER_TOLERANCE, SOLVER_SHARE * config->accuracy);
  inner.solver.tolerance = min2(inner.solver.tolerance, solver_tolerance);
  hfStatus status = hfi_discrete_create(&controlled->discrete, world, &inner, NULL, error);
  if (status == HF_OK) status = hfi_resolved_create(&controlled->resolved, world, config, error);

  if (status == HF_OK) *method = controlled;
  else free_controlled(controlled);
  return status;
}

// ---- one step of discrete time -------------------------------------------------------------------

// A call of `step`: a step of the sim that is being taken.
typedef struct StepCall {
  hfiControlled* controlled;
  const hfInput* input;
  hfiStepOutput* out;
  hfError* error;
  hfStepReport total; // report of the sim's step so far
  int tries;          // number of tries: steps of discrete time, each with its halves, and steps of explicit methods
  int may_resolve;    // 1: explicit methods may take stretches
  int failures;       // how often an explicit method could not continue
} StepCall;

// Clears report and constraint forces, which must be those of the last step of discrete time only.
static void clear_output(const StepCall* call) {
  memset(call->out->report, 0, sizeof *call->out->report);
  if (call->out->constraint) hfi_clear_constraint_forces(call->controlled->world->model, call->out->constraint);
}

// Takes one step of discrete time of length h from `state`, and summarises it. Its work counts in call->total.
static hfStatus take_step(StepCall* call, hfState* state, double h, hfiStepSummary* summary) {
  hfiDiscrete* discrete = call->controlled->discrete;
  clear_output(call);

  hfi_discrete_set_step(discrete, h);
  hfStatus status = hfi_discrete_step(discrete, state, call->input, call->out, call->error);
  hfi_discrete_set_step(discrete, call->controlled->step);
  hfi_summarise_step(summary, call->controlled);

  // work
  const hfSolveReport* solve = &call->out->report->solve;
  call->total.continuous.evaluations += 1;
  call->total.solve.iterations += solve->iterations;
  call->total.solve.rung = imax2(call->total.solve.rung, solve->rung);
  return status;
}

// Passes a refusal on. A status > 0 of a step becomes the status of the sim's step, and HF_OK is returned.
static hfStatus record_status(StepCall* call, hfStatus status) {
  if (status > 0) call->total.status = status;
  return status < 0 ? status : HF_OK;
}

// ---- error control -------------------------------------------------------------------------------

// The power of h with which the error of the last step falls.
static int error_order(const hfiControlled* controlled) {
  for (int t = 0; t < controlled->world->model->ntree; ++t)
    if (!controlled->second_summary.flies[t]) return ERROR_ORDER;
  return FLIGHT_ERROR_ORDER;
}

// Takes both halves of a step of length h, and the full step unless it is known from a rejected step. Writes the four
// states, the summaries and the estimated *error [m, rad]; `state` is after the second half.
static hfStatus try_step(StepCall* call, hfState* state, double h, int is_full_known, double* error) {
  hfiControlled* controlled = call->controlled;
  hfStatus status = HF_OK;

  // the full step
  hf_state_copy(controlled->start, state, NULL);
  if (!is_full_known) {
    hf_state_copy(controlled->full, state, NULL);
    status = take_step(call, controlled->full, h, &controlled->full_summary);
  }

  // the two halves
  if (status >= 0) status = record_status(call, take_step(call, state, 0.5 * h, &controlled->first_summary));
  if (status < 0) return status;

  hf_state_copy(controlled->middle, state, NULL);
  status = record_status(call, take_step(call, state, 0.5 * h, &controlled->second_summary));

  // the error; bodies that bounced across a gap are ahead of their impact by `early` [m]
  *error = hfi_controlled_estimate_error(controlled, state, controlled->full);
  *error = max2(*error, max2(controlled->first_summary.early, controlled->second_summary.early));
  return status;
}

// The length [s] of a step of about h, if `rest` remains of the sim's step: the rest; or half of it, if a step of h
// would leave a rest shorter than h; else h.
static double fit_step(double h, double rest) {
  if (h >= rest * (1 - SLIVER_SHARE)) return rest;
  return 2 * h > rest ? 0.5 * rest : h;
}

// Adds an accepted step to the report.
static void count_step(StepCall* call, double h, double error) {
  hfIntegratorReport* report = &call->total.continuous;
  report->smallest = report->steps == 0 ? h : min2(report->smallest, h);
  report->last = h;
  report->error = max2(report->error, error);
  report->steps += 1;
}

// Restores the start and chooses the length *h of the next try. `next` is the length that the error needs [s]. Returns
// 1 if *h is halved: the full step of the next try is then the first half of the rejected one, and known. Returns 0 if
// the error needs a much shorter step, or half of it would be too short.
static int reject_step(StepCall* call, hfState* state, double* h, double next) {
  hfiControlled* controlled = call->controlled;
  call->total.continuous.rejected += 1;
  hf_state_copy(state, controlled->start, NULL);

  if (next < LEAST_RETRY_SHARE * *h || 0.5 * *h < controlled->smallest) {
    *h = max2(next, controlled->smallest);
    return 0;
  }

  // the first half becomes the full step
  hfState* full = controlled->full;
  hfiStepSummary summary = controlled->full_summary;
  controlled->full = controlled->middle;
  controlled->middle = full;
  controlled->full_summary = controlled->first_summary;
  controlled->first_summary = summary;
  *h *= 0.5;
  return 1;
}

// Accepts the step of length h that was tried last, of the `rest` of the sim's step, and sets the pace. A step that has
// the shortest length is accepted with any error, which becomes the status. Returns its length [s].
static double accept_step(StepCall* call, hfState* state, double h, double rest, double error,
                          const hfiVerdict* verdict, hfiPace* pace) {
  hfiControlled* controlled = call->controlled;
  if (verdict->accept) hfi_controlled_extrapolate(controlled, state, controlled->full);
  else call->total.status = HF_STEP_TOO_SMALL;
  count_step(call, h, error);
  controlled->ended_resolved = 0;

  // the pace after a last step that was cut short is better taken from the step before it was cut
  int last = h >= rest * (1 - SLIVER_SHARE);
  if (!(last && verdict->h < pace->h)) pace->h = max2(verdict->h, controlled->smallest);

  pace->has_stepped = 1;
  pace->failed = 0;
  pace->span = 0.5 * h;

  if (call->may_resolve) hfi_pace_hand_over(pace, pace->h);
  return last ? rest : h;
}

// Whether so many steps have been tried that the rest is taken in hasty ones.
static int is_used_up(const StepCall* call) { return call->tries >= MOST_TRIES; }

// ---- stretches of the sim's step -------------------------------------------------------------------

// Takes a step of discrete time, of at most `rest` [s]. *used is its length [s], or 0 if the motion is handed over to
// an explicit method instead.
static hfStatus advance_discrete(StepCall* call, hfState* state, double rest, hfiPace* pace, double* used) {
  hfiControlled* controlled = call->controlled;
  double pace_h = pace->h;
  if (is_used_up(call)) pace_h = max2(pace_h, HASTY_SHARE * controlled->step);
  // the rest, half of it, or pace_h
  double h = fit_step(pace_h, rest);
  *used = 0;

  int is_full_known = 0;
  for (;;) {
    double error = 0;
    hfStatus status = try_step(call, state, h, is_full_known, &error);

    if (status < 0) return status;
    hfiVerdict verdict = hfi_controller_decide(h, error, controlled->accuracy, error_order(controlled));
    ++call->tries;

    int may_be_shorter = h > controlled->smallest && !is_used_up(call);
    if (verdict.accept || !may_be_shorter) {
      *used = accept_step(call, state, h, rest, error, &verdict, pace);
      return HF_OK;
    }

    // again, shorter; or with an explicit method
    is_full_known = reject_step(call, state, &h, verdict.h);
    if (call->may_resolve && !pace->failed && hfi_pace_hand_over(pace, h)) return HF_OK;
  }
}

// Lets an explicit method follow the motion for `rest` [s] or less. *used is how long it did [s].
static hfStatus advance_resolved(StepCall* call, hfState* state, double rest, hfiPace* pace, double* used) {
  hfiControlled* controlled = call->controlled;
  double start = state->time;
  int most = MOST_TRIES - call->tries;
  hfStatus status = hfi_resolved_advance(controlled, state, call->input, rest, most, pace, call->error);
  if (status < 0) return status;

  // the report; steps that failed count as rejected
  hfIntegratorReport report = hfi_continuous_report(controlled->resolved.last);
  hfIntegratorReport* total = &call->total.continuous;
  if (report.steps > 0) {
    total->smallest = total->steps == 0 ? report.smallest : min2(total->smallest, report.smallest);
    total->last = report.last;
    controlled->ended_resolved = 1;
  }

  total->evaluations += report.evaluations;
  total->steps += report.steps;
  total->rejected += report.rejected + report.failed;
  call->tries += (int)(report.steps + report.rejected + report.failed);

  *used = state->time - start;
  // what is left by rounding counts as done
  if (*used >= rest * (1 - SLIVER_SHARE)) *used = rest;
  return HF_OK;
}

// Advances the state by the step of the sim, in stretches of discrete time and of explicit methods.
static hfStatus advance_all(StepCall* call, hfState* state) {
  hfiControlled* controlled = call->controlled;
  hfiPace pace = hfi_pace_recall(controlled, state);
  call->may_resolve = hfi_resolved_can_apply(controlled, call->input);

  double done = 0;
  while (done < controlled->step) {
    double rest = controlled->step - done;
    double used = 0;
    int resolve = call->may_resolve && pace.resolved && !is_used_up(call); // by an explicit method
    hfStatus status = HF_OK;
    if (resolve) status = advance_resolved(call, state, rest, &pace, &used);
    else status = advance_discrete(call, state, rest, &pace, &used);
    if (status < 0) return status;

    // after an explicit method has failed, discrete time takes at least one step (hfiPace.failed)
    if (resolve && pace.failed && ++call->failures > MOST_EXPLICIT_FAILURES) call->may_resolve = 0;

    done = used >= rest ? controlled->step : done + used;
  }

  hfi_pace_store(controlled, state, &pace);
  return HF_OK;
}

// ---- the sim's step --------------------------------------------------------------------------------

// Writes the report of the sim's step. Contacts and other results are those at its end, from the method that took the
// last stretch. Work, number of steps and status are those of the whole step.
static void finish_report(StepCall* call) {
  hfStepReport* report = call->out->report;
  const hfStepReport* total = &call->total;
  if (call->controlled->ended_resolved) {
    hfiContinuous* last = call->controlled->resolved.last;
    clear_output(call);
    hfi_continuous_compute_results(last, total->status, hf_accel_statistics(last->accel).dropped, call->out);
  }

  // work
  report->continuous = total->continuous;
  report->continuous.status = total->status;
  report->solve.iterations = total->solve.iterations;
  report->solve.rung = total->solve.rung;
  report->status = total->status;
}

// One step of a sim. A refusal leaves the state as it was.
static hfStatus step(void* method, hfState* state, const hfInput* input, hfiStepOutput* out, hfError* error) {
  hfiControlled* controlled = method;
  StepCall call = {.controlled = controlled, .input = input, .out = out, .error = error};
  hfStatus status = hf_state_copy(controlled->origin, state, error);
  if (status < 0) return status;

  // the motion
  status = advance_all(&call, state);
  if (status < 0) {
    hf_state_copy(state, controlled->origin, NULL);
    out->taken = 0;
    return status;
  }

  // results; the acceleration is the mean over the step
  finish_report(&call);

  const double* v0 = hf_state_v(controlled->origin);
  const double* v1 = hf_state_v(state);
  for (int i = 0; i < controlled->world->model->nv; ++i) out->acceleration[i] = (v1[i] - v0[i]) / controlled->step;

  // exactly a step later: the sum of the stretches is rounded
  state->time = controlled->origin->time + controlled->step;
  out->taken = 1;
  return call.total.status;
}

// ---- for the table of methods ----------------------------------------------------------------------

static int contact_count(const void* method) {
  const hfiControlled* controlled = method;
  return controlled->ended_resolved ? controlled->resolved.last->ncontact : controlled->world->near.ncontact;
}

static hfContact contact(const void* method, int i) {
  const hfiControlled* controlled = method;
  if (controlled->ended_resolved) return controlled->resolved.last->contact[i];
  return hfi_discrete_contact(controlled->discrete, i);
}

static hfiDiscrete* problem_maker(void* method) { return ((const hfiControlled*)method)->discrete; }

// It has no energy, because steps under error control are not judged.
const hfiMethod hfi_method_controlled = {
    .traits = HFI_DISCRETE_TIME | HFI_INVERSE_DRIVES | HFI_SPARSE_HEAPS,
    .create = create_controlled,
    .free = free_controlled,
    .step = step,
    .contact_count = contact_count,
    .contact = contact,
    .problem_maker = problem_maker,
};
