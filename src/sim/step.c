// A step: the method of the sim takes it, and sensors measure at its end.
#include "sim/inside.h"

#include "base/error.h"
#include "model/block.h"
#include "model/history.h"

#include <string.h>

// ---- before the method --------------------------------------------------------------------------------

// Refuses a time so large that adding the step does not change it: a program that waits for a later time would never
// end.
static hfStatus check_time(const hfSim* s, const hfState* state, hfError* error) {
  double h = s->config.step;
  if (state->time + h != state->time) return HF_OK;
  return hfi_refuse(error, HF_ERROR_ARGUMENT,
                    "the time of the state, %g s, is too large: a step of %g s would end at the same number",
                    state->time, h);
}

// Measures at the start of a step if the state lacks a measurement there, because it is new or its time was set.
// Returns whether it did; s->sensors.first then has the measurements.
static int measure_first(hfSim* s, const hfState* state, const hfInput* in) {
  if (!s->sensors.first || !hfi_any_sensor_due(s->model, state)) return 0;

  hfi_sim_evaluate_state(s, state, in);
  memcpy(s->sensors.first, s->sensors.value, sizeof(double) * (size_t)s->model->nsensordata);
  return 1;
}

// ---- after the method ---------------------------------------------------------------------------------

// Writes the controls of a step to the histories of their actuators in the state.
static void remember_controls(const hfSim* s, hfState* state, double time) {
  const hfModel* m = s->model;
  for (int i = 0; s->input.sampled && i < m->nu; ++i) {
    int n = hf_model_actuator_nsample(m)[i];
    if (n == 0) continue;
    double* history = hf_state_mutable_history(state) + hf_model_actuator_historyadr(m)[i];
    hfi_delay_push(history, n, 1, time, &s->input.sampled[i]);
  }
}

// The violations at a state to which hfi_world_go has brought the world. Poses are computed only if the violations need
// them: the next call may be a step of another state.
static hfViolations find_violations(hfSim* s, const hfState* state) {
  const hfActuation* a = &s->world->actuation;
  if (!hfi_has_violations(a)) return (hfViolations){0};
  if (hfi_violations_need_poses(s->model)) hfi_world_need(s->world, HFI_FRESH_PLACED);
  return hfi_find_violations(a, &s->world->dynamics, hf_state_q(state));
}

// Reports equalities and limits that let go in a step of length h that ends in this state. Reads report->violation.
static void report_let_go(hfSim* s, const hfState* state, double h, hfStepReport* report) {
  hfiWorld* w = s->world;
  if (!hfi_has_violations(&w->actuation)) return;

  hfiLimitLaws laws = {.rigid = s->config.rigid_limits,
                       .soft_defaults = s->config.mujoco_softness,
                       .rigid_equalities = s->config.rigid_equalities,
                       .continuous = !hfi_method_is(s->method, HFI_DISCRETE_TIME),
                       .h = h};
  hfiLetGo go = hfi_find_let_go(&w->actuation, &w->dynamics, &report->violation, &laws, hf_state_q(state),
                                hf_state_v(state));

  report->nlet_go = go.count;
  report->let_go_kind = go.kind;
  report->let_go = go.id;
  if (go.count && report->status == HF_OK) report->status = HF_LET_GO;
}

// Measures at the end of a step that began at `time`. has_first: s->sensors.first has the measurements of its start.
static void sense_end(hfSim* s, hfState* state, const hfInput* in, double time, int has_first) {
  if (!s->sensors.first) {
    hfi_sim_sense_later(s, state, in);
    return;
  }

  hfi_sim_sense(s, state, in);
  if (has_first) hfi_keep_measurements(s->model, state, time, s->sensors.first);
  hfi_keep_measurements(s->model, state, state->time, s->sensors.value);
  hfi_delay_sensors(s->model, state, s->sensors.value);
}

// Does what follows a step that was taken from `time` on: histories, energy, yielding springs, violations, sensors.
static void end_step(hfSim* s, hfState* state, const hfInput* in, double time, int has_first, hfStepReport* report) {
  remember_controls(s, state, time);
  hfi_sim_judge_energy(s, state, in, state->time - time, report);

  hfi_world_go(s->world, hf_state_q(state), in);
  if (s->model->nrest) {
    hfi_world_need(s->world, HFI_FRESH_PLACED);
    hfi_yield_springs(&s->world->dynamics, hf_state_q(state), hf_state_mutable_rest(state));
  }

  report->violation = find_violations(s, state);
  report_let_go(s, state, state->time - time, report);
  if (s->model->nsensor) sense_end(s, state, in, time, has_first);
}

// ---- the step -----------------------------------------------------------------------------------------

// Takes a step from a state and input that were checked. If the method refuses it, the sim has the results of the
// unchanged state. Returns the step's status.
static hfStatus take_step(hfSim* s, hfState* state, const hfInput* in, hfStepReport* report, hfError* error) {
  hfiStepOutput out = {.report = report, .acceleration = s->acceleration};
  if (s->sensors.reads_constraints) {
    hfi_clear_constraint_forces(s->model, &s->constraint);
    out.constraint = &s->constraint;
  }
  s->sensors.later->due = 0;

  // the input without arrays that have no effect, so that nothing reads them again, and with controls of feedback
  hfInput acting;
  if (in) {
    acting = *in;
    if (!s->input.has_wrenches) acting.wrench = NULL;
    if (!s->input.has_targets) acting.velocity_target = NULL;
    in = &acting;
  }
  in = hfi_sim_feed_back(s, state, in);

  // what the method does not know: the state and the controls at the start
  double time = state->time;
  int has_first = measure_first(s, state, in);
  hfi_sim_keep_start(s, state);
  if (s->input.sampled) hfi_world_read_controls(s->world, time, in, s->input.sampled);

  hfStatus status = s->method->step(s->run, state, in, &out, error);
  // the method says what is wrong as a trouble; it becomes the message
  if (status < 0 && out.trouble.kind != HFI_TROUBLE_NONE) hfi_sim_explain(s, &out.trouble, error);
  s->stepped = out.taken;
  // taken: the state is at the end of the step; there may still be a difficulty
  if (out.taken) {
    end_step(s, state, in, time, has_first, report);
    return report->status;
  }

  // the step was not taken: the results are those of the unchanged state, not those of an earlier step
  hfi_sim_evaluate_state(s, state, in);
  report->violation = find_violations(s, state);
  if (s->sensors.first) hfi_delay_sensors(s->model, state, s->sensors.value);
  return status;
}

// Checks state and input and takes a step. Poses at its end are not computed. `report` may be NULL.
hfStatus hfi_sim_step_unplaced(hfSim* s, hfState* state, const hfInput* in, hfStepReport* report, hfError* error) {
  hfi_clear_error(error);
  hfStepReport unused;
  if (!report) report = &unused;
  memset(report, 0, sizeof *report);

  hfStatus status = hfi_sim_begin(s, state, in, error);
  if (status == HF_OK) status = check_time(s, state, error);
  if (status == HF_OK) status = take_step(s, state, in, report, error);
  if (status < 0) report->status = status;
  return status;
}

// Takes a step and computes the poses at its end, for callers who read them and for the next step.
hfStatus hf_sim_step(hfSim* s, hfState* state, const hfInput* in, hfStepReport* report, hfError* error) {
  hfi_clear_error(error);
  hfStatus status = hfi_sim_step_unplaced(s, state, in, report, error);
  hfi_world_need(s->world, HFI_FRESH_PLACED);

  // sensors now, because the parameters of an overlay may change before anybody asks for them
  if (hfi_is_overlay(s->model)) hfi_sim_need_sensors(s);
  return status;
}
