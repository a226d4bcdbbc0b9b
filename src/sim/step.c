// A step: the method in force does it, and sensors look at its end.
#include "sim/sim.h"

#include "base/error.h"
#include "model/delay.h"

#include <string.h>

const hfInput* hfi_sim_feed_back(hfSim* s, const hfState* state, const hfInput* in) {
  if (!s->ctrl || !s->world->config.scene_signals) return in;
  s->input = in ? *in : (hfInput){0};
  for (int i = 0; i < s->model->nu; ++i) s->ctrl[i] = hf_model_actuator_signal(s->model)[i] >= 0 ? NAN : 0; // signals of time act later
  hf_signal_feedback(s->model, state->time, hf_state_q(state), hf_state_v(state), s->ctrl);
  for (int i = 0; i < s->model->nu; ++i)
    if (hfi_control_is_given(in, i)) s->ctrl[i] = in->ctrl[i];
  s->input.ctrl = s->ctrl;
  return &s->input;
}

// The controls of a step become a part of the state where their actuators have a history.
static void remember_controls(const hfSim* s, hfState* state, double time) {
  const hfModel* m = s->model;
  for (int i = 0; s->sampled && i < m->nu; ++i) {
    int n = hf_model_actuator_nsample(m)[i];
    if (n > 0) hfi_delay_push(hf_state_mutable_history(state) + hf_model_actuator_historyadr(m)[i], n, 1, time, &s->sampled[i]);
  }
}

hfStatus hfi_sim_step_unplaced(hfSim* s, hfState* state, const hfInput* in, hfStepReport* report, hfError* error) {
  hfi_clear_error(error);
  hfStepReport unused;
  if (!report) report = &unused;
  memset(report, 0, sizeof *report);
  hfStatus status = hfi_sim_begin(s, state, in, error);
  if (status == HF_OK) {
    hfiStepOutput out = {.report = report, .acceleration = s->acceleration};
    if (s->model->nsensor) {
      hfi_clear_constraint_forces(s->model, &s->constraint);
      out.constraint = &s->constraint;
    }
    double time = state->time;
    in = hfi_sim_feed_back(s, state, in);
    hfi_sim_keep_start(s, state);
    if (s->sampled) hfi_world_read_controls(s->world, time, in, s->sampled);
    status = s->method->step(s->run, state, in, &out, error);
    s->stepped = out.taken;
    if (out.taken) remember_controls(s, state, time);
    if (out.taken) hfi_sim_judge_energy(s, state, in, state->time - time, report);
    if (out.taken) (s->method->discrete ? hfi_world_go : hfi_world_place)(s->world, hf_state_q(state), in), status = report->status;
    if (out.taken && s->model->nsensor) hfi_sim_sense(s, state, in);
  }
  if (status < 0) report->status = status;
  return status;
}

hfStatus hf_sim_step(hfSim* s, hfState* state, const hfInput* in, hfStepReport* report, hfError* error) {
  hfi_clear_error(error);
  hfStatus status = hfi_sim_step_unplaced(s, state, in, report, error);
  hfi_world_complete(s->world); // for who reads poses, and for the next step
  return status;
}
