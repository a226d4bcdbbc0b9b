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
  MOST_TRIES = 200000,    // After this many tries of any method in one step of the sim, the rest of it is taken in few hasty steps.
  MOST_FAILURES = 16,     // After this many failures of an explicit method in one step of the sim, discrete time takes the rest of it.
};
// Each step may have this share of the error that was asked for, because a run has many steps [-].
static const double STEP_SHARE = 0.1;
// The solver's tolerance is at most this share of the accuracy, so that the residuals of many steps do not add up, and
// at least SOLVER_LEAST [-].
static const double SOLVER_SHARE = 1e-6, SOLVER_LEAST = 1e-14;
// A rejected step is tried again at half its length, because the full step of that length is known. If the error needs
// a step below this share of the length, it is tried with the length that the error needs [-].
static const double SHORTEST_RETRY = 0.25;
// Hasty steps are at least this share of the step of the sim [-].
static const double HASTY_SHARE = 0.01;
// A step that would leave less than this share of itself ends at the end of the sim's step [-].
static const double SLIVER = 1e-9;

// ---- creation ---------------------------------------------------------------------------------------

static void take_arrays(void* object, hfiArena* arena) {
  hfiControlled* c = object;
  const hfModel* m = c->world->model;
  int capacity = imax2(c->world->config.max_contacts, hf_state_memory_default(m));

  hfState** const states[] = {&c->origin, &c->start, &c->full, &c->middle};
  for (size_t i = 0; i < sizeof states / sizeof *states; ++i) {
    void* memory = hfi_arena_take(arena, 1, hf_state_size(m, capacity));
    if (memory) *states[i] = hf_state_init(memory, m, capacity);
  }

  HFI_TAKE_EACH(arena, double, m->nv, &c->difference, &c->share, &c->change);
  hfiStepSummary* const summaries[] = {&c->full_summary, &c->first_summary, &c->second_summary};
  for (size_t i = 0; i < sizeof summaries / sizeof *summaries; ++i)
    summaries[i]->flies = HFI_TAKE(arena, int32_t, m->ntree);
}

static void free_controlled(void* method) {
  hfiControlled* c = method;
  if (!c) return;
  hfi_resolved_free(&c->resolved);
  hfi_discrete_free(c->discrete);
  hfi_release(c);
}

static hfStatus create_controlled(void** method, hfiWorld* world, const hfSimConfig* config, hfError* error) {
  hfiControlled seed = {.world = world,
                        .step = config->step,
                        .accuracy = STEP_SHARE * config->accuracy,
                        .smallest = min2(config->smallest_step, config->step)};
  hfiControlled* c = hfi_object_create(&seed, sizeof seed, take_arrays, &world->config.allocator, "error control",
                                       error);
  if (!c) return HF_ERROR_MEMORY;

  hfSimConfig inner = *config;
  inner.solver.tolerance = min2(inner.solver.tolerance, max2(SOLVER_LEAST, SOLVER_SHARE * config->accuracy));
  hfStatus status = hfi_discrete_create(&c->discrete, world, &inner, NULL, error);
  if (status == HF_OK) status = hfi_resolved_create(&c->resolved, world, config, error);
  if (status == HF_OK)
    *method = c;
  else
    free_controlled(c);
  return status;
}

// ---- one step of discrete time -------------------------------------------------------------------

// A step of the sim that is being taken.
typedef struct attempt {
  hfiControlled* c;
  const hfInput* in;
  hfiStepOutput* out;
  hfError* error;
  hfStepReport total; // report of the sim's step so far
  int tries;          // number of steps that were tried: those of discrete time, each with its two halves, and those of explicit methods
  int may_resolve;    // 1: explicit methods may take stretches
  int failures;       // how often an explicit method could not continue
} attempt;

// Clears report and constraint forces, which must be those of the last step of discrete time only.
static void clear_output(const attempt* a) {
  memset(a->out->report, 0, sizeof *a->out->report);
  if (a->out->constraint) hfi_clear_constraint_forces(a->c->world->model, a->out->constraint);
}

// Takes one step of discrete time of length h, and summarises it. Its work counts in a->total.
static hfStatus take_step(attempt* a, hfState* state, double h, hfiStepSummary* summary) {
  hfiDiscrete* d = a->c->discrete;
  clear_output(a);
  hfi_discrete_set_step(d, h);
  hfStatus status = hfi_discrete_step(d, state, a->in, a->out, a->error);
  hfi_discrete_set_step(d, a->c->step);
  hfi_summarise_step(summary, a->c);

  const hfSolveReport* solve = &a->out->report->solve;
  a->total.continuous.evaluations += 1;
  a->total.solve.iterations += solve->iterations;
  a->total.solve.rung = imax2(a->total.solve.rung, solve->rung);
  return status;
}

// Returns refusals. A status > 0 of a step becomes the status of the sim's step.
static hfStatus record_status(attempt* a, hfStatus status) {
  if (status > 0) a->total.status = status;
  return status < 0 ? status : HF_OK;
}

// ---- error control -------------------------------------------------------------------------------

// The power of h with which the error of the last step falls.
static int error_order(const hfiControlled* c) {
  for (int t = 0; t < c->world->model->ntree; ++t)
    if (!c->second_summary.flies[t]) return ERROR_ORDER;
  return FLIGHT_ERROR_ORDER;
}

// Takes both halves of a step, and the full step unless it is known from a rejected step. *error: the estimate [m,
// rad].
static hfStatus try_step(attempt* a, hfState* state, double h, int known, double* error) {
  hfiControlled* c = a->c;
  hfStatus status = HF_OK;
  hf_state_copy(c->start, state, NULL);
  if (!known) {
    hf_state_copy(c->full, state, NULL);
    status = take_step(a, c->full, h, &c->full_summary);
  }

  if (status >= 0) status = record_status(a, take_step(a, state, 0.5 * h, &c->first_summary));
  if (status < 0) return status;
  hf_state_copy(c->middle, state, NULL);
  status = record_status(a, take_step(a, state, 0.5 * h, &c->second_summary));

  *error = hfi_controlled_error(c, state, c->full);
  *error = max2(*error, max2(c->first_summary.early, c->second_summary.early));
  return status;
}

// The length [s] of a step of about h, if `rest` remains of the sim's step: the rest; or half of it, if a step of h
// would leave a rest shorter than h; else h.
static double fit_step(double h, double rest) {
  if (h >= rest * (1 - SLIVER)) return rest;
  return 2 * h > rest ? 0.5 * rest : h;
}

// Adds an accepted step to the report.
static void count_step(attempt* a, double h, double error) {
  hfIntegratorReport* r = &a->total.continuous;
  r->smallest = r->steps == 0 ? h : min2(r->smallest, h);
  r->last = h;
  r->error = max2(r->error, error);
  r->steps += 1;
}

// Restores the start and chooses the length of the next try; `next` is the length that the error needs [s]. Returns 1
// if the full step of the next try is known, because it is the first half of the rejected one.
static int reject_step(attempt* a, hfState* state, double* h, double next) {
  hfiControlled* c = a->c;
  a->total.continuous.rejected += 1;
  hf_state_copy(state, c->start, NULL);
  if (next < SHORTEST_RETRY * *h || 0.5 * *h < c->smallest) {
    *h = max2(next, c->smallest);
    return 0;
  }

  // the first half becomes the full step
  hfState* full = c->full;
  hfiStepSummary summary = c->full_summary;
  c->full = c->middle;
  c->middle = full;
  c->full_summary = c->first_summary;
  c->first_summary = summary;
  *h *= 0.5;
  return 1;
}

// Accepts the step of length h that was tried last, of the `rest` of the sim's step, and sets the pace. Returns its
// length [s].
static double accept_step(attempt* a, hfState* state, double h, double rest, double error, const hfiVerdict* verdict,
                          hfiPace* pace) {
  hfiControlled* c = a->c;
  if (verdict->accept) hfi_controlled_extrapolate(c, state, c->full);
  else a->total.status = HF_STEP_TOO_SMALL;
  count_step(a, h, error);
  c->ended_resolved = 0;

  // The pace after a last step that was cut short is better taken from the step before it was cut.
  int last = h >= rest * (1 - SLIVER);
  if (!(last && verdict->h < pace->h)) pace->h = max2(verdict->h, c->smallest);
  pace->leaped = 1;
  pace->failed = 0;
  pace->span = 0.5 * h;
  if (a->may_resolve) hfi_pace_hand_over(pace, pace->h);
  return last ? rest : h;
}

// Have so many steps been tried that the rest is taken in hasty ones?
static int is_used_up(const attempt* a) { return a->tries >= MOST_TRIES; }

// ---- stretches of the sim's step -------------------------------------------------------------------

// Takes a step of discrete time, of at most `rest`. *used: its length [s], or 0 if the motion is handed over to an
// explicit method instead.
static hfStatus advance_discrete(attempt* a, hfState* state, double rest, hfiPace* pace, double* used) {
  hfiControlled* c = a->c;
  double h = fit_step(is_used_up(a) ? max2(pace->h, HASTY_SHARE * c->step) : pace->h, rest);
  *used = 0;

  for (int known = 0;;) {
    double error = 0;
    hfStatus status = try_step(a, state, h, known, &error);
    if (status < 0) return status;
    hfiVerdict verdict = hfi_controller_decide(h, error, c->accuracy, error_order(c));
    ++a->tries;

    int may_be_shorter = h > c->smallest && !is_used_up(a);
    if (verdict.accept || !may_be_shorter) {
      *used = accept_step(a, state, h, rest, error, &verdict, pace);
      return HF_OK;
    }
    known = reject_step(a, state, &h, verdict.h);
    if (a->may_resolve && !pace->failed && hfi_pace_hand_over(pace, h)) return HF_OK;
  }
}

// Lets an explicit method follow the motion for `rest` or less. *used: how long it did [s].
static hfStatus advance_resolved(attempt* a, hfState* state, double rest, hfiPace* pace, double* used) {
  hfiControlled* c = a->c;
  double start = state->time;
  hfStatus status = hfi_resolved_advance(c, state, a->in, rest, MOST_TRIES - a->tries, pace, a->error);
  if (status < 0) return status;

  // the report
  hfIntegratorReport report = hfi_continuous_report(c->resolved.last);
  hfIntegratorReport* total = &a->total.continuous;
  if (report.steps > 0) {
    total->smallest = total->steps == 0 ? report.smallest : min2(total->smallest, report.smallest);
    total->last = report.last;
    c->ended_resolved = 1;
  }
  total->evaluations += report.evaluations;
  total->steps += report.steps;
  total->rejected += report.rejected + report.failed;
  a->tries += (int)(report.steps + report.rejected + report.failed);

  *used = state->time - start;
  if (*used >= rest * (1 - SLIVER)) *used = rest;
  return HF_OK;
}

// Advances the state by the step of the sim.
static hfStatus advance_all(attempt* a, hfState* state) {
  hfiControlled* c = a->c;
  hfiPace pace = hfi_pace_recall(c, state);
  a->may_resolve = hfi_resolved_applies(c, a->in);

  double done = 0;
  while (done < c->step) {
    double rest = c->step - done;
    double used = 0;
    int resolve = a->may_resolve && pace.resolved && !is_used_up(a);
    hfStatus status = resolve
        ? advance_resolved(a, state, rest, &pace, &used)
        : advance_discrete(a, state, rest, &pace, &used);
    if (status < 0) return status;

    // After an explicit method has failed, discrete time takes at least one step.
    if (resolve && pace.failed && ++a->failures > MOST_FAILURES) a->may_resolve = 0;
    done = used >= rest ? c->step : done + used;
  }
  hfi_pace_keep(c, state, &pace);
  return HF_OK;
}

// ---- the sim's step --------------------------------------------------------------------------------

// Writes the report of the sim's step. Contacts and other results are those at its end, from the method that took the
// last stretch. Work, number of steps and status are those of the whole step.
static void finish_report(attempt* a) {
  hfStepReport* report = a->out->report;
  const hfStepReport* total = &a->total;
  if (a->c->ended_resolved) {
    hfiContinuous* last = a->c->resolved.last;
    clear_output(a);
    hfi_continuous_results(last, total->status, hf_accel_statistics(last->accel).dropped, a->out);
  }

  report->continuous = total->continuous;
  report->continuous.status = total->status;
  report->solve.iterations = total->solve.iterations;
  report->solve.rung = total->solve.rung;
  report->status = total->status;
}

static hfStatus step(void* method, hfState* state, const hfInput* in, hfiStepOutput* out, hfError* error) {
  hfiControlled* c = method;
  attempt a = {.c = c, .in = in, .out = out, .error = error};
  hfStatus status = hf_state_copy(c->origin, state, error);
  if (status < 0) return status;
  status = advance_all(&a, state);
  if (status < 0) {
    hf_state_copy(state, c->origin, NULL);
    out->taken = 0;
    return status;
  }

  finish_report(&a);
  const double* v0 = hf_state_v(c->origin);
  const double* v1 = hf_state_v(state);
  for (int i = 0; i < c->world->model->nv; ++i) out->acceleration[i] = (v1[i] - v0[i]) / c->step;
  state->time = c->origin->time + c->step;
  out->taken = 1;
  return a.total.status;
}

// ---- for the table of methods ----------------------------------------------------------------------

static int contact_count(const void* method) {
  const hfiControlled* c = method;
  return c->ended_resolved ? c->resolved.last->ncontact : c->world->near.ncontact;
}

static hfContact contact(const void* method, int i) {
  const hfiControlled* c = method;
  return c->ended_resolved ? c->resolved.last->contact[i] : hfi_discrete_contact(c->discrete, i);
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
