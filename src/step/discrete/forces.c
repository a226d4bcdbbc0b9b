// Forces of a step that are no contacts.
//
//   p* = M v0 + h (tau - bias),   tau = applied + J^T wrenches + what actuation leaves explicit
#include "step/discrete/inside.h"

#include "linalg/dense.h"

#include <float.h>
#include <string.h>

// Drives by inverse dynamics look ahead: a `constraint` takes its signal at the end of the step, where it will be met, and `computed torque` takes
// the rates of its signal.
static void look_ahead(hfiDiscrete* s, double time, const hfInput* in) {
  hfiWorld* w = s->world;
  const hfModel* m = w->model;
  if (!w->config.scene_signals || !m->nsignal) return; // The rates stay zero.
  memset(s->forces.ctrl_rate, 0, 2 * sizeof *s->forces.ctrl_rate * (size_t)m->nu);
  for (int i = 0; i < m->nu; ++i) {
    int signal = hf_model_actuator_signal(m)[i], law = w->actuation.law[i];
    if (signal < 0 || hfi_control_is_given(in, i)) continue;
    if (hf_model_signal_type(m)[signal] == HF_SIGNAL_FEEDBACK) continue; // No later value is known.
    if (law == HF_DRIVE_CONSTRAINT) w->ctrl[i] = hf_signal_value(m, signal, time + s->config.step);
    if (law == HF_DRIVE_COMPUTED_TORQUE) hf_signal_rates(m, signal, time, s->forces.ctrl_rate + 2 * i);
  }
}

// p = M v0, with the dense blocks of the problem, along whose rows compilers use vectors.
static void find_momentum(hfStepProblem* p) {
  for (int t = 0; t < p->ntree; ++t) {
    int first = p->tree_start[t], n = p->tree_start[t + 1] - first;
    const double *M = p->M + p->M_start[t], *v0 = p->v0 + first;
    double* momentum = p->p + first; // It is zero since hfi_assembly_begin.
    if (n == 1) *momentum = *M * *v0;
    else hfi_add_rows(momentum, 1.0, v0, 1, M, n, n, n);
  }
}

// Computes the forces and rows of a step that do not come from contacts, and the momentum of its step problem.
void hfi_discrete_load(hfiDiscrete* s, const hfState* state, const hfInput* in) {
  hfiWorld* w = s->world;
  const hfModel* m = w->model;
  hfDynamics* d = &w->dynamics;
  hfStepProblem* p = &s->assembly.problem;
  const double h = s->config.step;
  hfi_world_load(w, state->time, in);
  memset(s->forces.tau, 0, sizeof *s->forces.tau * (size_t)m->nv);
  hfi_world_add_applied(w, in, s->forces.tau);
  look_ahead(s, state->time, in);
  const double* targets = hfi_world_targets(w, in);
  hfi_postpone_factors(d);
  hf_actuation_update(&w->actuation, d, hf_state_q(state));
  hfiActuationStep step = {.h = h,
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
  if (targets) step.velocity_target = targets, step.force_limit = in->force_limit;
  hfi_actuation_step(&w->actuation, d, &step, p, s->forces.tau);
  find_momentum(p);
  hfi_add_difference(p->p, h, s->forces.tau, d->c, m->nv);
}
