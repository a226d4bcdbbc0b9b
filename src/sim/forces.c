// Forces of a step that are no contacts.
//
//   p* = M v0 + h (tau - bias),   tau = applied + J^T wrenches + what actuation leaves explicit
#include "sim/sim.h"

#include <string.h>

// Controls of the input, or zero; the scene's signals drive theirs.
static void choose_controls(hfSim* s, const hfState* state, const hfInput* in) {
  size_t bytes = sizeof *s->ctrl * (size_t)s->model->nu;
  if (in && in->ctrl)
    memcpy(s->ctrl, in->ctrl, bytes);
  else
    memset(s->ctrl, 0, bytes);
  if (s->config.scene_signals) hf_signal_controls(s->model, state->time, s->ctrl);
}

static void apply_input(hfSim* s, const hfInput* in) {
  const hfModel* m = s->model;
  if (in && in->force)
    memcpy(s->tau, in->force, sizeof *s->tau * (size_t)m->nv);
  else
    memset(s->tau, 0, sizeof *s->tau * (size_t)m->nv);
  for (int b = 1; in && in->wrench && b < m->nbody; ++b) {
    const double* w = in->wrench + 6 * b;
    hfForce F = {v3_load(w + 3), v3_load(w)};
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
  hf_dynamics_factor(d);
  hf_actuation_update(&s->actuation, d, hf_state_q(state));
  hfiActuationStep step = {s->h,
                           s->config.near_rigid,
                           s->config.drives == HF_DRIVES_EXPLICIT,
                           hf_state_q(state),
                           hf_state_act(state),
                           s->ctrl,
                           NULL,
                           NULL};
  if (in) step.velocity_target = in->velocity_target, step.force_limit = in->force_limit;
  hfi_actuation_step(&s->actuation, d, &step, s->tau, p->diag);
  hfi_rows_append(&s->actuation.rows, m, p);
  hf_dynamics_multiply(d, p->v0, p->p);
  for (int i = 0; i < m->nv; ++i) p->p[i] += s->h * (s->tau[i] - d->c[i]);
  if (s->config.gyroscopic) hf_dynamics_gyroscopic_impulse(d, s->h, p->p);
}
