// What a step did: contact forces in newtons, sums over pairs, the report.
//
//   f = gamma/h on body A, in the contact frame (t1, t2, n)
#include "sim/sim.h"

#include "contact/result.h"
#include "switching/switching.h"

#include "solve/law.h"

void hfi_block_velocity(const hfSim* s, const hfStepBlock* b, double* out) {
  const hfStepProblem* p = &s->assembly.problem;
  for (int r = 0; r < b->dim; ++r) out[r] = 0;
  for (int k = b->piece; k < b->piece + b->npiece; ++k) {
    const hfStepPiece* piece = &p->piece[k];
    const double *J = p->J + piece->jac, *v = s->v1 + p->tree_start[piece->tree];
    const int32_t* cols = p->cols + piece->col;
    for (int r = 0; r < b->dim; ++r, J += piece->ncol)
      for (int c = 0; c < piece->ncol; ++c) out[r] += J[c] * v[cols[c]];
  }
}

static int contact_sticks(const hfContactLaw* law, double h, int dim, const double* velocity,
                          double fn) {
  if (dim < 3) return 0;
  double w[2], radius = hfi_contact_stick(law, h, HF_SLIDING, fn, velocity, w);
  return fn > 0 && sqr(w[0]) + sqr(w[1]) <= sqr(radius);
}

// The same from the impulses alone: friction below its bound. Not so where the bound was another than
// mu times this normal impulse, as on the convex rung.
static int friction_is_below_bound(const hfContactLaw* law, int dim, const double* gamma) {
  double bound = law->mu[HF_SLIDING] * gamma[0] *
                 (law->friction == HF_FRICTION_SMOOTH ? 0.70710678118654752 : 1);
  return dim >= 3 && gamma[0] > 0 &&
         sqr(gamma[1]) + sqr(gamma[2]) < sqr(bound) * (1 - 1e-9); // at the bound: rounding
}

// Contact i, whose block is b; with memory its outcome is known.
static int block_sticks(const hfSim* s, int i, const hfStepBlock* b, int rung) {
  const hfStepProblem* p = &s->assembly.problem;
  const hfContactLaw* law = &p->contact[b->param];
  const double* gamma = s->impulse + b->row;
  if (law->friction == HF_FRICTION_ANCHORED)
    return b->dim >= 3 && law->mu[HF_SLIDING] * gamma[0] > 0 &&
           !(s->outcome[i].slips & 1 << HF_SLIDING);
  if (rung <= HF_RUNG_MERIT && !s->mlcp) return friction_is_below_bound(law, b->dim, gamma);
  double velocity[6];
  hfi_block_velocity(s, b, velocity);
  return contact_sticks(law, p->h, b->dim, velocity, gamma[0] / p->h);
}

// Rigid rows: velocities tell nothing of the force. Rows of the actuation are the problem's first.
static void take_target_impulses(hfSim* s) {
  const hfStepProblem* p = &s->assembly.problem;
  const hfiRows* rows = &s->actuation.rows;
  for (int b = 0; b < rows->n.nblock; ++b)
    if (rows->block[b].source == HFI_ROW_TARGET)
      s->actuation.target_force[rows->block[b].id] = s->impulse[p->block[b].row] / p->h;
}

void hfi_sim_results(hfSim* s, hfStepReport* report) {
  const hfStepProblem* p = &s->assembly.problem;
  s->stepped = 1;
  report->ncontact = s->ncontact;
  report->ndropped = s->ndropped;
  report->ncapped = s->assembly.ncapped + s->actuation.rows.ncapped;
  for (int i = 0; i < s->ncontact; ++i) {
    report->max_depth = max2(report->max_depth, s->contact[i].depth);
    if (s->block[i] < 0) continue;
    report->nstick += block_sticks(s, i, &p->block[s->block[i]], report->solve.rung);
  }
  for (int i = 0; i < p->nv; ++i) s->acceleration[i] = (s->v1[i] - p->v0[i]) / p->h;
  hfi_actuation_collect(&s->actuation, s->v1);
  if (s->mlcp) take_target_impulses(s);
}

// ---- reading them --------------------------------------------------------------------------------

int hf_sim_contact_count(const hfSim* s) { return s->ncontact; }

// After a step: forces and velocities at its end.
static void set_stepped(const hfSim* s, const hfiContact* c, const hfStepBlock* b, hfContact* r) {
  const hfStepProblem* p = &s->assembly.problem;
  const double* gamma = s->impulse + b->row;
  double velocity[6], force[6];
  hfi_block_velocity(s, b, velocity);
  for (int i = 0; i < b->dim; ++i) force[i] = gamma[i] / p->h;
  hfi_contact_result_force(r, c, b->dim, force);
  hfi_contact_result_velocity(r, c, b->dim, velocity);
  r->mu = b->dim >= 3 ? p->contact[b->param].mu[HF_SLIDING] : 0;
  r->stick = contact_sticks(&p->contact[b->param], p->h, b->dim, velocity, r->fn);
}

// At a state: the normal force of the law at the present depth and speed, no friction.
static void set_evaluated(const hfSim* s, const hfiContact* c, const hfStepBlock* b, hfContact* r) {
  hfVec3 va = hf_dynamics_point_velocity(&s->dynamics, c->body_a, c->p_W).v;
  hfVec3 v = v3_sub(va, hf_dynamics_point_velocity(&s->dynamics, c->body_b, c->p_W).v);
  r->vn = v3_dot(c->n, v);
  r->vt = v3_axpy(-r->vn, c->n, v);
  r->fn = s->assembly.problem.contact[b->param].normal_force0;
}

hfContact hf_sim_contact(const hfSim* s, int i) {
  assert(i >= 0 && i < s->ncontact);
  if ((s->continuous || s->switching) && s->stepped) return s->result[i];
  const hfiContact* c = &s->contact[i];
  hfContact r = hfi_contact_result(c);
  if (s->block[i] < 0) return r;
  const hfStepBlock* b = &s->assembly.problem.block[s->block[i]];
  (s->stepped ? set_stepped : set_evaluated)(s, c, b, &r);
  return r;
}

int hf_sim_pair_force(const hfSim* s, int body_a, int body_b, hfVec3* normal, hfVec3* friction) {
  int count = 0;
  *normal = *friction = v3_zero();
  for (int i = 0; i < s->ncontact; ++i) {
    const hfiContact* c = &s->contact[i];
    double sign = c->body_a == body_a && (body_b < 0 || c->body_b == body_b)   ? 1
                  : c->body_b == body_a && (body_b < 0 || c->body_a == body_b) ? -1
                                                                               : 0;
    if (sign == 0) continue;
    hfContact r = hf_sim_contact(s, i);
    *normal = v3_axpy(sign * r.fn, r.n_W, *normal);
    *friction = v3_axpy(sign, r.ft, *friction);
    count++;
  }
  return count;
}

const hfModel* hf_sim_model(const hfSim* s) { return s->model; }
double hf_sim_step_size(const hfSim* s) { return s->h; }
const hfSimConfig* hf_sim_config(const hfSim* s) { return &s->config; }
const double* hf_sim_ctrl(const hfSim* s) { return s->ctrl; }
const double* hf_sim_actuator_force(const hfSim* s) { return hf_actuation_force(&s->actuation); }
const double* hf_sim_target_force(const hfSim* s) { return s->actuation.target_force; }
const double* hf_sim_acceleration(const hfSim* s) { return s->acceleration; }
const double* hf_sim_sensors(const hfSim* s) { return s->sensor; }
const hfDynamics* hf_sim_dynamics(const hfSim* s) { return &s->dynamics; }

hfSwitch hf_sim_switch(const hfSim* s, int i) {
  assert(s->switching);
  return hfi_switching_switch(s->switching, i);
}

const hfRigidProblem* hf_sim_rigid(const hfSim* s) {
  return s->switching ? hfi_switching_problem(s->switching) : NULL;
}
