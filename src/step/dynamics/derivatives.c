// Derivatives of inverse dynamics tau(q, v, vdot) by central differences, column by column:
//
//   dtau/dq_j = (tau(q (+) e e_j) - tau(q (-) e e_j))/(2 e)     on the manifold
//   dtau/dv_j = (tau(v + e_j) - tau(v - e_j))/2                 exact: tau is quadratic in v
//
// dtau/dvdot is M. The step e balances truncation e^2/6 tau''' with rounding eps tau/e.
#include "step/dynamics/inside.h"
#include <string.h>

// Coordinates are moved by this to both sides [m or rad]: near eps^(1/3), for coordinates of order one.
static const double DIFFERENCE_STEP = 1e-5;

// The arguments of tau.
typedef struct Point {
  const double* q;
  const double* v;
  const double* vdot;
  const hfInput* input;
} Point;

// Writes column j of J (nv x nv): scale (plus - minus).
static void store_column(int nv, int j, double scale, const double* plus, const double* minus, double* J) {
  for (int i = 0; i < nv; ++i) J[i * nv + j] = scale * (plus[i] - minus[i]);
}

// Computes tau with dof j moved by e from q. Leaves the dynamics there.
static void compute_force_moved(hfDynamics* d, const Point* point, int j, double e, double* tau) {
  const hfModel* m = d->model;
  double* q = d->scratch.work;
  double* unit = d->scratch.work + m->nq;
  memcpy(q, point->q, (size_t)m->nq * sizeof *q);
  memset(unit, 0, (size_t)m->nv * sizeof *unit);
  unit[j] = 1;

  hf_model_integrate(m, q, unit, e);
  hf_dynamics_set_position(d, q, point->input);
  hf_dynamics_inverse(d, point->v, point->vdot, NULL, tau);
}

// Computes tau with the rate of dof j changed by e.
static void compute_force_at_rate(hfDynamics* d, const Point* point, int j, double e, double* tau) {
  double* v = d->scratch.work + d->model->nq;
  memcpy(v, point->v, (size_t)d->model->nv * sizeof *v);
  v[j] += e;
  hf_dynamics_inverse(d, v, point->vdot, NULL, tau);
}

// Writes dtau/dq and dtau/dv (nv x nv each). Leaves the dynamics at q, v.
void hf_dynamics_inverse_derivatives(hfDynamics* d, const double* q, const double* v, const double* vdot,
                                     const hfInput* input, double* dtau_dq, double* dtau_dv) {
  const Point point = {q, v, vdot, input};
  int nv = d->model->nv;
  double* plus = d->scratch.work + d->model->nq + nv;
  double* minus = plus + nv;

  for (int j = 0; j < nv; ++j) {
    compute_force_moved(d, &point, j, DIFFERENCE_STEP, plus);
    compute_force_moved(d, &point, j, -DIFFERENCE_STEP, minus);
    store_column(nv, j, 1 / (2 * DIFFERENCE_STEP), plus, minus, dtau_dq);
  }

  hf_dynamics_set_position(d, q, input);
  for (int j = 0; j < nv; ++j) {
    compute_force_at_rate(d, &point, j, 1, plus);
    compute_force_at_rate(d, &point, j, -1, minus);
    store_column(nv, j, 0.5, plus, minus, dtau_dv);
  }

  hf_dynamics_set_velocity(d, v);
}
