// Forces of a step that are no contacts.
//
//   p* = M v0 + h (tau - bias),   tau = applied + J^T wrenches + what actuation leaves explicit
#include "sim/sim.h"

#include "linalg/dense.h"

#include <string.h>

// Controls of the input, or zero; the scene's signals drive theirs.
static void choose_controls(hfSim* s, const hfState* state, const hfInput* in) {
  size_t bytes = sizeof *s->ctrl * (size_t)s->model->nu;
  if (in && in->ctrl)
    memcpy(s->ctrl, in->ctrl, bytes);
  else
    memset(s->ctrl, 0, bytes);
  if (s->config.scene_signals && s->model->nsignal) hf_signal_controls(s->model, state->time, s->ctrl);
}

// Inverse dynamics looks ahead: a constraint takes its signal at the end of the step, where it will be met, and
// computed torque the rates of its signal.
static void look_ahead(hfSim* s, double time) {
  const hfModel* m = s->model;
  if (!s->config.scene_signals || !m->nsignal) return; // the rates stay zero
  memset(s->ctrl_rate, 0, 2 * sizeof *s->ctrl_rate * (size_t)m->nu);
  for (int i = 0; i < m->nu; ++i) {
    int signal = hf_model_actuator_signal(m)[i], law = s->actuation.law[i];
    if (signal < 0) continue;
    if (law == HF_DRIVE_CONSTRAINT) s->ctrl[i] = hf_signal_value(m, signal, time + s->h);
    if (law == HF_DRIVE_COMPUTED_TORQUE) hf_signal_rates(m, signal, time, s->ctrl_rate + 2 * i);
  }
}

static void apply_input(hfSim* s, const hfInput* in) {
  const hfModel* m = s->model;
  if (in && in->force)
    memcpy(s->tau, in->force, sizeof *s->tau * (size_t)m->nv);
  else
    memset(s->tau, 0, sizeof *s->tau * (size_t)m->nv);
  const double* wrench = in ? (const double*)in->wrench : NULL;
  if (!wrench || !(hfi_dot(wrench, wrench, 6 * m->nbody) > 0)) return;
  for (int b = 1; b < m->nbody; ++b) {
    hfForce F = in->wrench[b];
    if (v3_norm2(F.n) + v3_norm2(F.f) > 0)
      hfi_jacobian_transpose_add(&s->dynamics, b, hfi_body_com(&s->dynamics, b), F, s->tau);
  }
}

void hfi_sim_input(hfSim* s, const hfState* state, const hfInput* in) {
  choose_controls(s, state, in);
  apply_input(s, in);
}

void hfi_sim_forces(hfSim* s, const hfState* state, const hfInput* in) {
  const hfModel* m = s->model;
  hfDynamics* d = &s->dynamics;
  hfStepProblem* p = &s->assembly.problem;
  hfi_sim_input(s, state, in);
  look_ahead(s, state->time);
  hf_dynamics_factor(d);
  hf_actuation_update(&s->actuation, d, hf_state_q(state));
  hfiActuationStep step = {s->h,
                           s->config.near_rigid,
                           s->config.explicit_drives,
                           hf_state_q(state),
                           hf_state_act(state),
                           s->ctrl,
                           s->ctrl_rate,
                           NULL,
                           NULL};
  if (in) step.velocity_target = in->velocity_target, step.force_limit = in->force_limit;
  hfi_actuation_step(&s->actuation, d, &step, s->tau, p->diag);
  hfi_rows_append(&s->actuation.rows, m, p);
  hf_dynamics_multiply(d, p->v0, p->p);
  for (int i = 0; i < m->nv; ++i) p->p[i] += s->h * (s->tau[i] - d->c[i]);
  if (s->config.gyroscopic) hf_dynamics_gyroscopic_impulse(d, s->h, p->p);
}
