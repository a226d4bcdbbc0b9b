// The acceleration problem in dense form, for code that solves it itself.
//
//   Jdot v = (J(q (+) e v) v - J(q (-) e v) v)/(2 e)      one side alone where the other loses the contact
//
// by differences along the motion. They include the travel of the contact point over both surfaces, their curvature and the turning of the frame, for
// all shapes.
#include "methods/continuous/accel.h"

#include "linalg/dense.h"

#include <string.h>

// Step e of the difference quotient [s]: a compromise of its truncation, e^2/6, and rounding, eps/e.
static const double STEP = 1e-5;
// The slopes on both sides agree when they differ by less than this share plus this much [-, m/s^2].
static const double AGREE = 0.1, AGREE_FLOOR = 1e-2;

// Computes the row velocities J(q (+) e v) v + drift of the contacts at q (+) e v. Afterwards the accel is at no known configuration.
static void look_aside(hfAccel* a, const double* q, const double* v, double e, hfiMoved* out, int32_t* count) {
  memcpy(a->q_moved, q, (size_t)a->model->nq * sizeof *q);
  hf_model_integrate(a->model, a->q_moved, v, e);
  a->known = 0;
  hfi_world_place(a->world, a->q_moved, a->input);
  hfi_accel_collide(a);
  *count = a->ncontact;
  for (int i = 0; i < a->ncontact; ++i) {
    const hfiAccelContact* c = &a->contact[i];
    hfiMoved* m = &out[i];
    m->key = hfi_contact_key(c->at);
    hfi_accel_row_velocities(c, v, m->s);
  }
}

static const hfiMoved* find_moved(hfiContactKey key, const hfiMoved* moved, int count) {
  for (int i = 0; i < count; ++i)
    if (hfi_same_contact(moved[i].key, key)) return &moved[i];
  return NULL;
}

// The mean of the slopes on both sides. If they differ too much, the contact jumped to another feature on one side; then the smaller slope, which is
// that of the other side, is taken.
static double choose_slope(double ahead, double behind) {
  if (!isfinite(ahead) || !isfinite(behind)) return isfinite(ahead) ? ahead : behind;
  double larger = max2(fabs(ahead), fabs(behind));
  if (fabs(ahead - behind) <= AGREE * larger + AGREE_FLOOR) return 0.5 * (ahead + behind);
  return fabs(ahead) < fabs(behind) ? ahead : behind;
}

static void fill_rates(hfAccel* a) {
  hfAccelProblem* p = &a->problem;
  for (int i = 0; i < p->ncontact; ++i) {
    hfiContactKey key = hfi_contact_key(a->contact[i].at);
    const hfiMoved *back = find_moved(key, a->moved[0], a->nmoved[0]), *on = find_moved(key, a->moved[1], a->nmoved[1]);
    for (int r = 0; r < p->contact[i].dim; ++r) {
      int row = p->contact[i].row + r;
      double here = hfi_dot(p->J + (size_t)row * (size_t)p->nv, p->v, p->nv) + a->contact[i].drift[r];
      p->Jdot_v[row] = choose_slope(on ? (on->s[r] - here) / STEP : NAN, back ? (here - back->s[r]) / STEP : NAN);
    }
  }
}

static void copy_contact(const hfAccel* a, const hfiAccelContact* c, int row, hfAccelContact* out) {
  const int nv = a->model->nv;
  hfAccelContact filled = {c->at->geom_a, c->at->geom_b, c->at->body_a, c->at->body_b, c->at->feature, c->dim, row,
                           c->at->p_W, c->at->n, c->at->t1, c->at->t2, c->law};
  double* J = a->problem.J + (size_t)row * (size_t)nv;
  *out = filled;
  memset(J, 0, (size_t)(c->dim * nv) * sizeof *J);
  for (int r = 0; r < c->dim; ++r)
    for (int k = 0; k < c->n; ++k) J[r * nv + c->cols[k]] = c->J[r * c->n + k];
}

// Do the row velocities in a->moved belong to this q and v?
static int rates_known(const hfAccel* a, const double* q, const double* v) {
  return a->rated && memcmp(q, a->q_rated, (size_t)a->model->nq * sizeof *q) == 0 && memcmp(v, a->v_rated, (size_t)a->model->nv * sizeof *v) == 0;
}

const hfAccelProblem* hf_accel_problem(hfAccel* a, double t, const double* q, const double* v, const double* act) {
  hfAccelProblem* p = &a->problem;
  const size_t bytes = (size_t)a->model->nv * sizeof *v;
  if (!rates_known(a, q, v)) {
    for (int side = 0; side < 2; ++side) look_aside(a, q, v, side ? STEP : -STEP, a->moved[side], &a->nmoved[side]);
    memcpy(a->q_rated, q, (size_t)a->model->nq * sizeof *q);
    memcpy(a->v_rated, v, bytes);
    a->rated = 1;
  }
  if (hfi_accel_gather(a, t, q, v, act, NULL)) return NULL;
  --a->statistics.evaluations;
  p->nv = a->model->nv;
  p->ncontact = a->ncontact;
  p->nequality = a->nequality;
  p->nrow = 0;
  hf_dynamics_dense_mass_matrix(a->dynamics, p->M);
  memcpy(p->tau, a->tau, bytes);
  memcpy(p->v, v, bytes);
  for (int i = 0; i < a->ncontact; ++i) {
    copy_contact(a, &a->contact[i], p->nrow, &p->contact[i]);
    p->nrow += a->contact[i].dim;
  }
  fill_rates(a);
  p->Je = a->Je;
  p->Jedot_v = a->Jedot_v;
  p->error = a->error;
  p->reference = a->target;
  return p;
}
