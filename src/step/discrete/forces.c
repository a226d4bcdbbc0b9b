// Forces of a step that do not come from contacts.
//
//   p* = M v0 + h (tau - bias),   tau = applied + J^T wrenches + what actuation leaves explicit
#include "step/discrete/inside.h"

#include "linalg/dense.h"

#include <float.h>
#include <string.h>

// Lets drives by inverse dynamics look ahead: a `constraint` takes its signal at the end of the step, where it will be
// met, and `computed torque` takes the rates of its signal. Writes the world's controls and s->forces.ctrl_rate.
static void look_ahead(hfiDiscrete* s, double time, const hfInput* in) {
  hfiWorld* w = s->world;
  const hfModel* m = w->model;
  double* rate = s->forces.ctrl_rate;
  if (!w->config.scene_signals || !m->nsignal) return; // The rates stay zero.

  memset(rate, 0, 2 * sizeof *rate * (size_t)m->nu);
  for (int i = 0; i < m->nu; ++i) {
    int signal = hf_model_actuator_signal(m)[i];
    int law = w->actuation.law[i];
    if (signal < 0 || hfi_control_is_given(in, i)) continue;
    if (hf_model_signal_type(m)[signal] == HF_SIGNAL_FEEDBACK) continue; // No later value is known.

    if (law == HF_DRIVE_CONSTRAINT) w->ctrl[i] = hf_signal_value(m, signal, time + s->config.step);
    if (law == HF_DRIVE_COMPUTED_TORQUE) hf_signal_rates(m, signal, time, rate + 2 * i);
  }
}

// Writes p = M v0, with the dense blocks of the problem, along whose rows compilers use vectors. p is zero before.
static void find_momentum(hfStepProblem* p) {
  for (int t = 0; t < p->ntree; ++t) {
    int first = p->tree_start[t];
    int n = p->tree_start[t + 1] - first;
    const double* M = p->M + p->M_start[t];
    const double* v0 = p->v0 + first;
    double* momentum = p->p + first;
    if (n == 1) *momentum = *M * *v0;
    else hfi_add_rows(momentum, 1.0, v0, 1, M, n, n, n);
  }
}

// Computes the forces and rows of a step that do not come from contacts, and the momentum p* of its step problem.
void hfi_discrete_load(hfiDiscrete* s, const hfState* state, const hfInput* in) {
  hfiWorld* w = s->world;
  hfDynamics* d = &w->dynamics;
  hfStepProblem* p = &s->assembly.problem;
  double* tau = s->forces.tau;
  const int nv = w->model->nv;

  // inputs
  hfi_world_load(w, state->time, in);
  memset(tau, 0, sizeof *tau * (size_t)nv);
  hfi_world_add_applied(w, in, tau);
  look_ahead(s, state->time, in);
  const double* targets = hfi_world_targets(w, in); // (nv) velocity targets, or NULL

  // actuation: it adds to tau, diag and the rows of p. M is factored only for trees whose factors somebody needs.
  hfi_postpone_factors(d);
  hf_actuation_update(&w->actuation, d, hf_state_q(state));
  hfiActuationStep step = {.h = s->config.step,
                           .near_rigid = s->config.near_rigid,
                           .limit_speed = s->forces.all_limits ? DBL_MAX : s->solver.policy.limit_speed,
                           .rigid_limits = s->config.rigid_limits,
                           .rigid_equalities = s->config.rigid_equalities,
                           .soft_defaults = s->config.mujoco_softness,
                           .explicit_drives = s->config.explicit_drives,
                           .q = hf_state_q(state),
                           .v = hf_state_v(state),
                           .act = hf_state_act(state),
                           .ctrl = w->ctrl,
                           .ctrl_rate = s->forces.ctrl_rate};
  if (s->config.friction == HF_FRICTION_ANCHORED) step.friction = hf_state_friction(state);
  if (targets) {
    step.velocity_target = targets;
    step.force_limit = in->force_limit;
  }
  hfi_actuation_step(&w->actuation, d, &step, p, tau);

  // p* = M v0 + h (tau - bias)
  find_momentum(p);
  hfi_add_difference(p->p, s->config.step, tau, d->c, nv);
}
