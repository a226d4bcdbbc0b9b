// The acceleration problem in dense form, for those who solve it themselves.
//
//   Jdot v = (J(q (+) e v) v - J(q (-) e v) v)/(2 e)
//
// by differences along the motion: the contact point's travel over both surfaces, their curvature and
// the turning of the frame are in it, whatever the shapes.
#include "integrate/accel.h"

#include <string.h>

static const double STEP = 1e-5; // [s]; truncation e^2/6 against rounding eps/e

static const hfiAccelContact* find_contact(const hfAccel* a, const hfAccelContact* like) {
  for (int i = 0; i < a->ncontact; ++i) {
    const hfiAccelContact* c = &a->contact[i];
    if (c->at.geom_a == like->geom_a && c->at.geom_b == like->geom_b && c->at.feature == like->feature) return c;
  }
  return NULL;
}

// Adds J(q (+) e v) v/(2 e) to Jdot_v, or NAN where a contact is not there.
static void add_moved(hfAccel* a, const double* q, double e, double* Jdot_v) {
  hfAccelProblem* p = &a->problem;
  double s[6];
  memcpy(a->q_moved, q, (size_t)a->model->nq * sizeof *q);
  hf_model_integrate(a->model, a->q_moved, p->v, e);
  if (hfi_accel_configure(a, a->q_moved)) return;
  for (int i = 0; i < p->ncontact; ++i) {
    const hfiAccelContact* c = find_contact(a, &p->contact[i]);
    if (c) hfi_accel_row_velocities(a, c, p->v, s);
    for (int r = 0; r < p->contact[i].dim; ++r) Jdot_v[p->contact[i].row + r] += c ? s[r] / (2 * e) : NAN;
  }
}

static void copy_contact(const hfAccel* a, const hfiAccelContact* c, int row, hfAccelContact* out) {
  const int nv = a->model->nv;
  hfAccelContact filled = {c->at.geom_a, c->at.geom_b, c->at.body_a, c->at.body_b, c->at.feature, c->dim, row,
                           c->at.p_W, c->at.n, c->at.t1, c->at.t2, c->law};
  const int32_t* cols = a->cols + c->col;
  const double* J = a->J + c->jac;
  double* out_J = a->problem.J + (size_t)row * (size_t)nv;
  *out = filled;
  memset(out_J, 0, (size_t)(c->dim * nv) * sizeof *out_J);
  for (int p = 0; p < c->shape.npiece; ++p) {
    int n = c->shape.ncol[p];
    for (int r = 0; r < c->dim; ++r)
      for (int k = 0; k < n; ++k) out_J[r * nv + cols[k]] += J[r * n + k];
    cols += n;
    J += c->dim * n;
  }
}

const hfAccelProblem* hf_accel_problem(hfAccel* a, double t, const double* q, const double* v, const double* act) {
  hfAccelProblem* p = &a->problem;
  const size_t bytes = (size_t)a->model->nv * sizeof *v;
  if (hf_accel_rate(a, t, q, v, act, a->vdot, NULL)) return NULL;
  --a->statistics.evaluations;
  p->nv = a->model->nv;
  p->ncontact = a->ncontact;
  p->nequality = a->nequality;
  p->nrow = 0;
  hf_dynamics_dense_M(&a->dynamics, p->M);
  memcpy(p->tau, a->tau, bytes);
  memcpy(p->v, v, bytes);
  for (int i = 0; i < a->ncontact; ++i) {
    copy_contact(a, &a->contact[i], p->nrow, &p->contact[i]);
    p->nrow += a->contact[i].dim;
  }
  memset(p->Jdot_v, 0, (size_t)p->nrow * sizeof *p->Jdot_v);
  add_moved(a, q, STEP, p->Jdot_v);
  add_moved(a, q, -STEP, p->Jdot_v);
  if (hf_accel_rate(a, t, q, v, act, a->vdot, NULL)) return NULL; // equalities of q again
  --a->statistics.evaluations;
  p->Je = a->Je;
  p->Jedot_v = a->Jedot_v;
  p->error = a->error;
  p->reference = a->target;
  return p;
}
