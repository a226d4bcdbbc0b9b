// Everything at a state, without a step: explicit forces and the acceleration without constraints,
//
//   vdot = M^-1 (applied + J^T wrenches + actuators + passive - bias).
#include "sim/sim.h"

hfStatus hf_sim_evaluate(hfSim* s, const hfState* state, const hfInput* in, hfError* error) {
  hfStatus status = hfi_sim_check(s, state, in, error);
  if (status != HF_OK) return status;
  const hfModel* m = s->model;
  hfDynamics* d = &s->dynamics;
  const double* q = hf_state_q(state);
  hfi_sim_pose(s, q, in);
  hf_dynamics_velocity(d, hf_state_v(state));
  hf_dynamics_mass_matrix(d);
  hf_dynamics_factor(d);
  hf_dynamics_bias(d);
  hfi_sim_input(s, state, in);
  hf_actuation_update(&s->actuation, d, q);
  hf_actuation_forces(&s->actuation, hf_state_act(state), s->ctrl, s->h);
  hf_actuation_passive(&s->actuation, d, q, s->acceleration);
  const double* drive = hf_actuation_joint_force(&s->actuation);
  for (int i = 0; i < m->nv; ++i) s->acceleration[i] += s->tau[i] + drive[i] - d->c[i];
  hf_dynamics_solve(d, s->acceleration);
  hfi_assembly_begin(&s->assembly, d, s->h, hf_state_v(state));
  hfi_sim_contacts(s, state);
  s->stepped = 0;
  if (m->nsensor) hfi_sim_sense(s, state, in, 0);
  return HF_OK;
}
