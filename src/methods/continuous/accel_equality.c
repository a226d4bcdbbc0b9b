// Equalities in continuous time: KKT rows with Baumgarte's stabilisation.
//
//   [ M  -Je^T ] [ vdot   ]   [ tau               ]
//   [ Je   0   ] [ lambda ] = [ -Jedot v + target ],   target = -b Je v - k r
//
//   r        error of the equality, dr/dt = Je v (step/actuation/equality.c)
//   b, k     2/T and 1/T^2 with the time constant T = EQUALITY_TIME, or MuJoCo's reference
//            acceleration where the model gives solref: b = 2/(dmax tc), k = 1/(dmax tc ratio)^2
//
// Eliminating vdot: (Je M^-1 Je^T) lambda = target - Jedot v - Je M^-1 tau. Redundant rows make this
// singular; a diagonal of 1e-12 of its mean shares the force among them.
#include "methods/continuous/inside.h"

#include "base/finite.h"
#include "linalg/dense.h"
#include "model/path.h"

#include <string.h>

static const double DIAGONAL_SHARE = 1e-12;      // Added to the diagonal of Je M^-1 Je^T, over its mean [-].
static const double EQUALITY_TIME = 0.01;        // Time constant in which the error of a near-rigid equality goes to zero [s].
static const double PARTLY_OPEN_ERROR = 0.01;    // An equality is partly open above this error, and fully open above twice this [m or rad].
static const double LEAST_IMPEDANCE = 1e-4;      // Bounds of MuJoCo's impedance dmax [-].
static const double LARGEST_IMPEDANCE = 0.9999;
static const double LEAST_DAMPING_RATIO = 1e-3;  // Smallest damping ratio of a spring [-].

int hfi_accel_max_equality(const hfModel* m) {
  int rows = 0;
  for (int i = 0; i < m->neq; ++i) {
    int type = hf_model_eq_type(m)[i];
    if (type == HF_EQUALITY_CONNECT) rows += 3;
    else if (type == HF_EQUALITY_WELD) rows += 6;
    else rows += 1;
  }
  return rows;
}

// ---- rows at a configuration --------------------------------------------------------------------------

// Is equality i rigid? If not, it is a spring with the model's own parameters.
static int is_rigid(const hfAccel* a, int i) { return hf_model_eq_solref(a->model)[2 * i] == 0; }

// Sets b and k of the dim rows of equality i from row `first` on.
static void set_stabilisation(hfAccel* a, int i, int first, int dim) {
  const double* ref = hf_model_eq_solref(a->model) + 2 * i;
  double dmax = clamp(hf_model_eq_solimp(a->model)[5 * i + 1], LEAST_IMPEDANCE, LARGEST_IMPEDANCE);
  double b = 2 / EQUALITY_TIME;
  double k = 1 / (EQUALITY_TIME * EQUALITY_TIME);
  if (ref[0] > 0) {
    b = 2 / (dmax * ref[0]);
    k = 1 / sqr(dmax * ref[0] * max2(ref[1], LEAST_DAMPING_RATIO));
  } else if (ref[0] < 0) {
    b = -ref[1] / dmax;
    k = -ref[0] / sqr(dmax);
  }

  for (int r = first; r < first + dim; ++r) {
    a->equalities.damping[r] = b;
    a->equalities.stiffness[r] = k;
  }
}

// How far n errors r of equality i are open, from 0 to 1. It is continuous, because integrators do not step across a
// jump.
static double openness(const hfAccel* a, int i, const double* r, int n) {
  double size2 = 0;
  for (int k = 0; k < n; ++k) size2 += sqr(r[k]);
  return is_rigid(a, i) && size2 > sqr(PARTLY_OPEN_ERROR) ? min2(1, sqrt(size2) / PARTLY_OPEN_ERROR - 1) : 0;
}

// Moves attachment points that are apart to the middle between them, as in discrete time
// (step/actuation/equality_rows.c): opposite forces at points that are apart would be a torque on both bodies together.
static void join_points(const hfDynamics* d, hfiEquality* e, double share) {
  if (share == 0 || !d->body_link[e->body[0]] || !d->body_link[e->body[1]]) return;
  hfVec3 half = v3_scale(0.5 * share, v3_sub(e->p_W[1], e->p_W[0]));
  e->p_W[0] = v3_add(e->p_W[0], half);
  e->p_W[1] = v3_sub(e->p_W[1], half);
}

// Writes the rows of equality i after the present ones.
static void add_rows(hfAccel* a, int i, const double* q) {
  const int nv = a->model->nv;
  hfiEqualityRows* rows = &a->equalities;
  hfiEquality* e = &rows->object[i];
  *e = hfi_equality_evaluate(a->actuation, a->dynamics, i, q);
  if (e->dim == 0) return;
  if (e->dim > 1) join_points(a->dynamics, e, openness(a, i, e->r, 3));

  // Jacobian and errors
  int ncol = hfi_equality_jacobian(a->actuation, a->dynamics, i, e, rows->cols, rows->block);
  double* J = rows->J + (size_t)rows->count * (size_t)nv;
  memset(J, 0, (size_t)(e->dim * nv) * sizeof *J);
  for (int r = 0; r < e->dim; ++r) {
    for (int k = 0; k < ncol; ++k) J[r * nv + rows->cols[k]] = rows->block[r * ncol + k];
    rows->error[rows->count + r] = e->r[r];
  }

  for (int first = 0; first < e->dim; first += 3)
    rows->open = max2(rows->open, openness(a, i, e->r + first, imin2(3, e->dim)));
  set_stabilisation(a, i, rows->count, e->dim);
  rows->count += e->dim;
}

// Sets the softness of the aims (see damp_aims) of equality i, whose first row is `first`: openness/(4 mass). The mass
// is the one that the equality may move at the release speed: for a translation the mass of its trees, otherwise the
// mean effective mass of the rows.
static void set_softness(hfAccel* a, int i, int first) {
  hfiEqualityRows* rows = &a->equalities;
  const hfiEquality* e = &rows->object[i];
  int n = rows->count;
  int size = imin2(3, e->dim);
  double share = is_rigid(a, i) ? 0.25 * rows->open : 0;

  for (int group = 0; group < e->dim; group += 3) {
    double w = 0;
    for (int k = first + group; k < first + group + size; ++k) w += rows->A[k * n + k] / size;
    if (e->dim > 1 && group == 0) w = 1 / hfi_equality_mass(a->model, e);
    for (int k = first + group; k < first + group + size; ++k) rows->softness[k] = share * w;
  }
}

// Factors Je M^-1 Je^T + diag(softness), of which rows->A is the first part.
static hfStatus factor_softened(hfAccel* a) {
  hfiEqualityRows* rows = &a->equalities;
  int n = rows->count;
  for (int i = 0, first = 0; i < a->model->neq; first += rows->object[i++].dim) set_softness(a, i, first);
  memcpy(rows->softened, rows->A, (size_t)(n * n) * sizeof *rows->A);
  for (int r = 0; r < n; ++r) rows->softened[r * n + r] += rows->softness[r];
  return hfi_ldlt(rows->softened, n, n, 1) ? HF_SINGULAR : HF_OK;
}

hfStatus hfi_accel_equalities(hfAccel* a, const double* q) {
  const int nv = a->model->nv;
  hfiEqualityRows* rows = &a->equalities;
  rows->count = 0;
  rows->open = 0;
  for (int i = 0; i < a->model->neq; ++i) add_rows(a, i, q);
  int n = rows->count;
  if (n == 0) return HF_OK;

  // the upper half of Je M^-1 Je^T
  double mean = 0;
  memcpy(rows->JM, rows->J, (size_t)(n * nv) * sizeof *rows->J);
  for (int r = 0; r < n; ++r) hf_dynamics_solve(a->dynamics, rows->JM + r * nv);
  for (int r = 0; r < n; ++r) {
    for (int c = r; c < n; ++c) rows->A[r * n + c] = hfi_dot(rows->J + r * nv, rows->JM + c * nv, nv);
    mean += rows->A[r * n + r] / n;
  }
  for (int r = 0; r < n; ++r) rows->A[r * n + r] += DIAGONAL_SHARE * mean;

  if (rows->open > 0 && factor_softened(a)) return HF_SINGULAR;
  return hfi_ldlt(rows->A, n, n, 1) ? HF_SINGULAR : HF_OK;
}

// ---- rates ------------------------------------------------------------------------------------------

// The rate of the Jacobian row of a joint or tendon, times v.
static double coordinate_rate(const hfAccel* a, int kind, int id) {
  return kind == HF_OBJECT_TENDON && hfi_tendon_is_spatial(a->model, id)
      ? hfi_tendon_gradient_rate(a->dynamics, id)
      : 0;
}

// Jedot v of a coupling r = x1 - P(x2) of two joints or tendons: Jdot_1 v - P' Jdot_2 v - P''(x2) x2dot^2.
static double coupling_rate(const hfAccel* a, int i, const double* v) {
  const hfModel* m = a->model;
  const hfiEquality* e = &a->equalities.object[i];
  int kind = hf_model_eq_objkind(m)[i];
  int two = hf_model_eq_obj2(m)[i];
  double first = coordinate_rate(a, kind, hf_model_eq_obj1(m)[i]);
  if (two < 0) return first;

  double speed = kind == HF_OBJECT_TENDON ? a->actuation->tendons.velocity[two] : v[hf_model_jnt_dofadr(m)[two]];
  return first + e->slope * coordinate_rate(a, kind, two) + e->bend * speed * speed;
}

// Returns the share [-] of their error that the n rows of rigid equality i from row `first` on may reduce at present,
// and *r2 = |r|^2. In the steady state of b Je v + k r = 0 the error falls with the speed k |r|/b, which must be within
// the release speed.
static double limit_error(const hfAccel* a, int i, int first, int n, double* r2) {
  const int nv = a->model->nv;
  const hfiEqualityRows* rows = &a->equalities;
  double b = rows->damping[first];
  double k = rows->stiffness[first];
  double fastest = hfi_equality_release_speed(a->model, &rows->object[i], rows->J + (size_t)first * (size_t)nv, n * nv);

  *r2 = 0;
  for (int r = first; r < first + n; ++r) *r2 += sqr(rows->error[r]);
  return sqr(k) * *r2 > sqr(b * fastest) ? b * fastest / (k * sqrt(*r2)) : 1;
}

// Sets the targets of the n rows of equality i from row `first` on to k r, the acceleration that reduces the error r. A
// rigid equality takes only the share of r that limit_error allows.
static void set_aims(hfAccel* a, int i, int first, int n) {
  hfiEqualityRows* rows = &a->equalities;
  double r2;
  double share = is_rigid(a, i) ? limit_error(a, i, first, n, &r2) : 1;
  for (int r = first; r < first + n; ++r) rows->target[r] = rows->stiffness[r] * share * rows->error[r];
}

// An aim at row velocities s needs the energy s^T A^-1 s/2, A = Je M^-1 Je^T, which has no bound if bodies can hardly
// follow, as an arm that is stretched out, or if equalities contradict each other. With softness D the aims A (A +
// D)^-1 s = s - D (A + D)^-1 s need at most s^T D^-1 s/8. If A is much larger than D, they are nearly the aims s.
static void damp_aims(hfiEqualityRows* rows) {
  memcpy(rows->lambda, rows->target, (size_t)rows->count * sizeof *rows->lambda);
  hfi_ldlt_solve(rows->softened, rows->count, rows->count, rows->lambda);
  for (int r = 0; r < rows->count; ++r) rows->target[r] -= rows->softness[r] * rows->lambda[r];
}

void hfi_accel_equality_rates(hfAccel* a, const double* v) {
  const int nv = a->model->nv;
  hfiEqualityRows* rows = &a->equalities;
  for (int i = 0, r = 0; i < a->model->neq; ++i) {
    const hfiEquality* e = &rows->object[i];
    if (e->dim == 1) rows->Jdot_v[r] = coupling_rate(a, i, v);
    else if (e->dim) hfi_attachment_rate(a->dynamics, e, rows->Jdot_v + r);
    for (int first = 0; first < e->dim; first += 3) set_aims(a, i, r + first, imin2(3, e->dim - first));
    r += e->dim;
  }

  if (rows->open > 0) damp_aims(rows);
  for (int r = 0; r < rows->count; ++r)
    rows->target[r] = -rows->damping[r] * hfi_dot(rows->J + r * nv, v, nv) - rows->target[r];
}

// ---- energy -----------------------------------------------------------------------------------------

// Square of the speed at which the n rows of equality i from row `first` on aim.
static double aimed_speed2(const hfAccel* a, int i, int first, int n) {
  double r2;
  double share = limit_error(a, i, first, n, &r2);
  return sqr(share * a->equalities.stiffness[first] / a->equalities.damping[first]) * r2;
}

double hfi_accel_release_energy(const hfAccel* a) {
  const hfiEqualityRows* rows = &a->equalities;
  double sum = 0;
  if (rows->open == 0) return INFINITY;

  for (int i = 0, first = 0; i < a->model->neq; first += rows->object[i++].dim) {
    int dim = rows->object[i].dim;
    for (int group = 0; group < dim && is_rigid(a, i); group += 3)
      sum += aimed_speed2(a, i, first + group, imin2(3, dim - group)) / (8 * rows->softness[first + group]);
  }
  return sum;
}

// ---- solution ---------------------------------------------------------------------------------------

void hfi_accel_solve(hfAccel* a, double* x, const double* target) {
  const hfModel* m = a->model;
  hfiEqualityRows* rows = &a->equalities;
  const int nv = m->nv;
  const int n = rows->count;

  // x <- M^-1 x, for the trees on which x is not zero: a column of the Jacobian has forces on few trees
  for (int t = 0; t < m->ntree; ++t)
    if (hfi_any_nonzero(x + hf_model_tree_dofadr(m)[t], hf_model_tree_dofnum(m)[t])) hfi_solve_tree(a->dynamics, t, x);
  if (n == 0) return;

  for (int r = 0; r < n; ++r) rows->lambda[r] = target[r] - hfi_dot(rows->J + r * nv, x, nv);
  hfi_ldlt_solve(rows->A, n, n, rows->lambda);
  for (int r = 0; r < n; ++r) hfi_axpy(x, rows->lambda[r], rows->JM + r * nv, nv);
}
