// A step: the method of the sim takes it, and sensors measure at its end.
#include "sim/sim.h"

#include "base/error.h"
#include "model/history.h"

#include <string.h>

// Writes the controls of a step to the histories of their actuators in the state.
static void remember_controls(const hfSim* s, hfState* state, double time) {
  const hfModel* m = s->model;
  for (int i = 0; s->sampled && i < m->nu; ++i) {
    int n = hf_model_actuator_nsample(m)[i];
    if (n > 0) hfi_delay_push(hf_state_mutable_history(state) + hf_model_actuator_historyadr(m)[i], n, 1, time, &s->sampled[i]);
  }
}

// Measures at the start of a step if the state lacks a measurement there, because it is new or its time was set. Returns whether it did.
static int measure_first(hfSim* s, const hfState* state, const hfInput* in) {
  if (!s->first || !hfi_any_sensor_due(s->model, state)) return 0;
  hfi_sim_look(s, state, in);
  memcpy(s->first, s->sensor, sizeof *s->first * (size_t)s->model->nsensordata);
  return 1;
}

// Measures at the end of a step that began at `time`. has_first: s->first holds the measurements of its start.
static void sense_end(hfSim* s, hfState* state, const hfInput* in, double time, int has_first) {
  if (!s->first) {
    hfi_sim_sense_later(s, state, in);
    return;
  }
  hfi_sim_sense(s, state, in);
  if (has_first) hfi_keep_measurements(s->model, state, time, s->first);
  hfi_keep_measurements(s->model, state, state->time, s->sensor);
  hfi_delay_sensors(s->model, state, s->sensor);
}

// The violations at a state to which hfi_world_go has brought the world. Poses are computed only if the violations need them: the next call may be a
// step of another state.
static hfViolations find_violations(hfSim* s, const hfState* state) {
  const hfActuation* a = &s->world->actuation;
  if (!hfi_has_violations(a)) return (hfViolations){0};
  if (hfi_violations_need_poses(s->model)) hfi_world_complete(s->world);
  return hfi_find_violations(a, &s->world->dynamics, hf_state_q(state));
}

// Reports equalities and limits that let go in a step of length h that ends in this state.
static void find_let_go(const hfSim* s, const hfState* state, double h, hfStepReport* report) {
  if (!hfi_has_violations(&s->world->actuation)) return; // There are none.
  hfiLimitLaws laws = {.rigid = s->config.rigid_limits,
                       .soft_defaults = s->config.mujoco_softness,
                       .rigid_equalities = s->config.rigid_equalities,
                       .continuous = !s->method->discrete,
                       .h = h};
  hfiLetGo go = hfi_find_let_go(&s->world->actuation, &s->world->dynamics, &report->violation, &laws, hf_state_q(state), hf_state_v(state));
  report->nlet_go = go.count, report->let_go_kind = go.kind, report->let_go = go.id;
  if (go.count && report->status == HF_OK) report->status = HF_LET_GO;
}

// If a step was not taken, the results are those of the unchanged state, not those of an earlier step.
static void look_instead(hfSim* s, const hfState* state, const hfInput* in, hfStepReport* report) {
  hfi_sim_look(s, state, in);
  report->violation = find_violations(s, state);
  if (s->first) hfi_delay_sensors(s->model, state, s->sensor);
}

// Refuses a time so large that adding the step does not change it: a program that waits for a later time would never end.
static hfStatus check_time(const hfSim* s, const hfState* state, hfError* error) {
  double h = hf_sim_step_size(s);
  if (state->time + h != state->time) return HF_OK;
  return hfi_refuse(error, HF_ERROR_ARGUMENT, "the time of the state, %g s, is too large: a step of %g s would end at the same number", state->time, h);
}

// Returns the input without the arrays that have no effect, so that nothing reads them again.
static hfInput leave_out_idle(const hfSim* s, const hfInput* in) {
  hfInput out = *in;
  if (!s->has_wrenches) out.wrench = NULL;
  if (!s->has_targets) out.velocity_target = NULL;
  return out;
}

// All that follows a step which was taken from `time` on. has_first: see sense_end.
static void end_step(hfSim* s, hfState* state, const hfInput* in, double time, int has_first, hfStepReport* report) {
  remember_controls(s, state, time);
  hfi_sim_judge_energy(s, state, in, state->time - time, report);
  (s->method->discrete ? hfi_world_go : hfi_world_place)(s->world, hf_state_q(state), in);
  if (s->model->nrest) hfi_world_complete(s->world), hfi_yield_springs(&s->world->dynamics, hf_state_q(state), hf_state_mutable_rest(state));
  report->violation = find_violations(s, state);
  find_let_go(s, state, state->time - time, report);
  if (s->model->nsensor) sense_end(s, state, in, time, has_first);
}

// A step from a state that was checked.
static hfStatus take_step(hfSim* s, hfState* state, const hfInput* in, hfStepReport* report, hfError* error) {
  hfiStepOutput out = {.report = report, .acceleration = s->acceleration};
  if (s->senses_constraints) {
    hfi_clear_constraint_forces(s->model, &s->constraint);
    out.constraint = &s->constraint;
  }
  s->later->due = 0;
  double time = state->time;
  hfInput busy;
  if (in) busy = leave_out_idle(s, in), in = &busy;
  in = hfi_sim_feed_back(s, state, in);
  int has_first = measure_first(s, state, in);
  hfi_sim_keep_start(s, state);
  if (s->sampled) hfi_world_read_controls(s->world, time, in, s->sampled);
  hfStatus status = s->method->step(s->run, state, in, &out, error);
  s->stepped = out.taken;
  if (!out.taken) {
    look_instead(s, state, in, report);
    return status;
  }
  end_step(s, state, in, time, has_first, report);
  return report->status;
}

hfStatus hfi_sim_step_unplaced(hfSim* s, hfState* state, const hfInput* in, hfStepReport* report, hfError* error) {
  hfi_clear_error(error);
  hfStepReport unused;
  if (!report) report = &unused;
  hfStatus status = hfi_sim_begin(s, state, in, error);
  if (status == HF_OK) status = check_time(s, state, error);
  if (status == HF_OK && hfi_still_begin(s, state, in)) return hfi_still_step(s, state, report);
  memset(report, 0, sizeof *report);
  if (status == HF_OK) {
    status = take_step(s, state, in, report, error);
    hfi_still_end(s, state, in, report);
  }
  if (status < 0) report->status = status;
  return status;
}

hfStatus hf_sim_step(hfSim* s, hfState* state, const hfInput* in, hfStepReport* report, hfError* error) {
  hfi_clear_error(error);
  hfStatus status = hfi_sim_step_unplaced(s, state, in, report, error);
  hfi_world_complete(s->world); // for those who read poses, and for the next step
  if (hf_model_is_overlay(s->model)) hfi_sim_need_sensors(s); // now, because the parameters may change before anybody asks
  return status;
}
