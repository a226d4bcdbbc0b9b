// What a step did: contact forces in newtons, sums over pairs, the report.
//
//   f = gamma/h on body A, in the contact frame (t1, t2, n)
#include "sim/sim.h"

#include "solve/law.h"

// s = J v1 of every row.
static void row_velocities(hfSim* s) {
  const hfStepProblem* p = &s->assembly.problem;
  for (int i = 0; i < p->nblock; ++i) {
    const hfStepBlock* b = &p->block[i];
    for (int r = 0; r < b->dim; ++r) {
      double sum = 0;
      for (int k = b->piece; k < b->piece + b->npiece; ++k) {
        const hfStepPiece* piece = &p->piece[k];
        const double *J = p->J + piece->jac + r * piece->ncol, *v = s->v1 + p->tree_start[piece->tree];
        for (int c = 0; c < piece->ncol; ++c) sum += J[c] * v[p->cols[piece->col + c]];
      }
      s->row_velocity[b->row + r] = sum;
    }
  }
}

static hfVec3 in_world(const hfiContact* c, const double* x, double scale) {
  return v3_scale(scale, v3_add(v3_scale(x[0], c->t1), v3_scale(x[1], c->t2)));
}

static int contact_sticks(const hfContactLaw* law, double h, int dim, const double* velocity, double fn) {
  if (dim < 3) return 0;
  double w[2], radius = hfi_contact_stick(law, h, HF_SLIDING, fn, velocity, w);
  return fn > 0 && sqr(w[0]) + sqr(w[1]) <= sqr(radius);
}

static hfContact contact_result(const hfSim* s, int i) {
  const hfStepProblem* p = &s->assembly.problem;
  const hfiContact* c = &s->contact[i];
  hfContact r = {c->geom_a, c->geom_b, c->body_a, c->body_b, c->feature, 0, c->p_W, c->n, c->depth, 0, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, 0};
  if (s->block[i] < 0) return r;
  const hfStepBlock* b = &p->block[s->block[i]];
  const double *gamma = s->impulse + b->row, *velocity = s->row_velocity + b->row;
  r.fn = gamma[0] / p->h;
  r.vn = velocity[0];
  if (b->dim >= 3) r.ft = in_world(c, gamma + 1, 1 / p->h), r.vt = in_world(c, velocity + 1, 1);
  if (b->dim >= 4) r.torque = v3_scale(gamma[3] / p->h, c->n);
  if (b->dim >= 6) r.torque = v3_add(r.torque, in_world(c, gamma + 4, 1 / p->h));
  r.stick = contact_sticks(&p->contact[b->param], p->h, b->dim, velocity, r.fn);
  return r;
}

void hfi_sim_results(hfSim* s, hfStepReport* report) {
  const hfStepProblem* p = &s->assembly.problem;
  row_velocities(s);
  report->ncontact = s->ncontact;
  report->ndropped = s->ndropped;
  report->ncapped = s->assembly.ncapped + s->actuation.rows.ncapped;
  for (int i = 0; i < s->ncontact; ++i) {
    s->result[i] = contact_result(s, i);
    report->nstick += s->result[i].stick;
    report->max_depth = max2(report->max_depth, s->result[i].depth);
  }
  for (int i = 0; i < p->nv; ++i) s->acceleration[i] = (s->v1[i] - p->v0[i]) / p->h;
  hfi_actuation_collect(&s->actuation, s->v1);
}

// ---- reading them --------------------------------------------------------------------------------

int hf_sim_contact_count(const hfSim* s) { return s->ncontact; }

hfContact hf_sim_contact(const hfSim* s, int i) {
  assert(i >= 0 && i < s->ncontact);
  return s->result[i];
}

int hf_sim_pair_force(const hfSim* s, int body_a, int body_b, hfVec3* normal, hfVec3* friction) {
  int count = 0;
  *normal = *friction = v3_zero();
  for (int i = 0; i < s->ncontact; ++i) {
    const hfContact* c = &s->result[i];
    double sign = c->body_a == body_a && (body_b < 0 || c->body_b == body_b) ? 1 : c->body_b == body_a && (body_b < 0 || c->body_a == body_b) ? -1 : 0;
    if (sign == 0) continue;
    *normal = v3_axpy(sign * c->fn, c->n_W, *normal);
    *friction = v3_axpy(sign, c->ft, *friction);
    count++;
  }
  return count;
}

const hfModel* hf_sim_model(const hfSim* s) { return s->model; }
double hf_sim_step_size(const hfSim* s) { return s->h; }
const double* hf_sim_ctrl(const hfSim* s) { return s->ctrl; }
const double* hf_sim_actuator_force(const hfSim* s) { return hf_actuation_force(&s->actuation); }
const double* hf_sim_acceleration(const hfSim* s) { return s->acceleration; }
const double* hf_sim_sensors(const hfSim* s) { return s->sensor; }
const hfDynamics* hf_sim_dynamics(const hfSim* s) { return &s->dynamics; }
