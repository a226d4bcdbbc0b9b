// Everything at a state, without a step: explicit forces and the acceleration without constraints,
//
//   vdot = M^-1 (applied + J^T wrenches + actuators + passive - bias);
//
// also the step problem of a state, inverse dynamics, and the controls of feedback signals, which depend on the state.
#include "sim/inside.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

// ---- controls of feedback signals -----------------------------------------------------------------------

// Returns the input of a step: the caller's, or in a scene with feedback signals a copy with the controls of these
// signals at the state. Controls that the caller gives come before signals. Writes s->input.ctrl and .with_ctrl.
const hfInput* hfi_sim_feed_back(hfSim* s, const hfState* state, const hfInput* in) {
  const hfModel* m = s->model;
  double* ctrl = s->input.ctrl;
  if (!ctrl || !s->world->config.scene_signals) return in;

  // hfi_world_load reads signals of time later
  for (int i = 0; i < m->nu; ++i) ctrl[i] = hf_model_actuator_signal(m)[i] >= 0 ? NAN : 0;
  hf_signal_feedback(m, state->time, hf_state_q(state), hf_state_v(state), ctrl);
  for (int i = 0; i < m->nu; ++i)
    if (hfi_control_is_given(in, i)) ctrl[i] = in->ctrl[i];

  s->input.with_ctrl = in ? *in : (hfInput){0};
  s->input.with_ctrl.ctrl = ctrl;
  return &s->input.with_ctrl;
}

// ---- evaluation ---------------------------------------------------------------------------------------

// Computes s->acceleration at the state where the world is. Writes s->applied.
static void compute_free_acceleration(hfSim* s, const hfState* state, const hfInput* in) {
  hfiWorld* w = s->world;
  hfDynamics* d = &w->dynamics;
  const double* q = hf_state_q(state);
  const double* drive = hf_actuation_joint_force(&w->actuation);

  // forces that depend on the state alone; s->acceleration holds forces until it is solved for
  hf_actuation_update(&w->actuation, d, q);
  hf_actuation_forces(&w->actuation, hf_state_act(state), w->ctrl, s->config.step);
  hf_actuation_passive(&w->actuation, d, q, s->acceleration);
  memset(s->applied, 0, sizeof *s->applied * (size_t)s->model->nv);
  hfi_world_add_applied(w, in, s->applied);

  for (int i = 0; i < s->model->nv; ++i) s->acceleration[i] += s->applied[i] + drive[i] - d->c[i];
  hf_dynamics_solve(d, s->acceleration);
}

// Computes everything at a checked state without a step: poses, bias, forces, s->acceleration, contacts and sensors.
// Clears s->stepped.
void hfi_sim_evaluate_state(hfSim* s, const hfState* state, const hfInput* in) {
  hfiWorld* w = s->world;
  hfDynamics* d = &w->dynamics;

  hfi_world_place(w, hf_state_q(state), in);
  hf_dynamics_set_velocity(d, hf_state_v(state));
  hfi_dynamics_need(d, HFI_FRESH_MASS | HFI_FRESH_FACTORS);
  hf_dynamics_update_bias(d);
  hfi_world_load(w, state->time, in);
  compute_free_acceleration(s, state, in);

  hfi_discrete_evaluate_contacts(s->maker, state);
  s->stepped = 0;
  if (s->model->nsensor) hfi_sim_sense(s, state, in);
}

// Checks state and input, and computes everything at the state. Sensors with a delay show what arrives at its time.
hfStatus hf_sim_evaluate(hfSim* s, const hfState* state, const hfInput* in, hfError* error) {
  hfi_clear_error(error);
  hfStatus status = hfi_sim_begin(s, state, in, error);
  if (status != HF_OK) return status;

  hfi_sim_evaluate_state(s, state, hfi_sim_feed_back(s, state, in));
  if (s->sensors.first) hfi_delay_sensors(s->model, state, s->sensors.value);
  return HF_OK;
}

hfStepCapacity hf_sim_capacity(const hfSim* s) { return hfi_discrete_capacity(s->maker); }

// Makes the step problem of a state, which belongs to the sim until its next call, and solves nothing.
hfStatus hf_sim_problem(hfSim* s, const hfState* state, const hfInput* in, const hfStepProblem** problem,
                        hfError* error) {
  hfi_clear_error(error);
  hfi_sim_need_sensors(s);
  hfStatus status = hfi_sim_begin(s, state, in, error);
  if (status != HF_OK) return status;

  *problem = hfi_discrete_problem(s->maker, state, hfi_sim_feed_back(s, state, in));
  s->stepped = 0;
  return HF_OK;
}

// Computes the forces (nv) that a step needs to end with the velocities v1 (nv) [N, N m]. Velocity targets of the input
// are left out.
hfStatus hf_sim_inverse(hfSim* s, const hfState* state, const hfInput* in, const double* v1, double* force,
                        hfError* error) {
  hfi_clear_error(error);
  hfInput free_input = in ? *in : (hfInput){0};
  free_input.velocity_target = NULL;

  hfi_sim_need_sensors(s);
  hfStatus status = hfi_sim_begin(s, state, &free_input, error);
  if (status == HF_OK) status = hfi_sim_check_velocities(s, v1, "the velocity v1", error);
  if (status != HF_OK) return status;

  hfi_discrete_inverse(s->maker, state, &free_input, v1, force);
  s->stepped = 0;
  return HF_OK;
}
