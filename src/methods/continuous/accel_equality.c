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

// Added to the diagonal of Je M^-1 Je^T, over its mean [-].
static const double REDUNDANCY_SHARE = 1e-12;
// Time constant in which the error of a near-rigid equality goes to zero [s].
static const double EQUALITY_TIME = 0.01;
// An equality is partly open above this error, and fully open above twice this [m or rad].
static const double PARTLY_OPEN_ERROR = 0.01;
// Bounds of MuJoCo's impedance dmax [-].
static const double LEAST_IMPEDANCE = 1e-4;
static const double LARGEST_IMPEDANCE = 0.9999;
// Smallest damping ratio of a spring [-].
static const double LEAST_DAMPING_RATIO = 1e-3;

// Returns the largest number of rows that all equalities of a model have together.
int hfi_accel_max_equality(const hfModel* model) {
  int rows = 0;
  for (int i = 0; i < model->neq; ++i) {
    int type = hf_model_eq_type(model)[i];
    if (type == HF_EQUALITY_CONNECT) rows += 3;
    else if (type == HF_EQUALITY_WELD) rows += 6;
    else rows += 1;
  }
  return rows;
}

// ---- rows at a configuration --------------------------------------------------------------------------

// Is equality i rigid? If not, it is a spring with the model's own parameters.
static int is_rigid(const hfAccel* accel, int i) { return hf_model_eq_solref(accel->model)[2 * i] == 0; }

// Sets b (damping) and k (stiffness) of the head for the dim rows of equality i, from row `first` on. Without solref
// (zero) they follow from EQUALITY_TIME.
static void set_stabilisation(hfAccel* accel, int i, int first, int dim) {
  const double* solref = hf_model_eq_solref(accel->model) + 2 * i;
  double dmax = clamp(hf_model_eq_solimp(accel->model)[5 * i + 1], LEAST_IMPEDANCE, LARGEST_IMPEDANCE);
  double b = 2 / EQUALITY_TIME;
  double k = 1 / (EQUALITY_TIME * EQUALITY_TIME);

  if (solref[0] > 0) {
    // a time constant and a damping ratio
    b = 2 / (dmax * solref[0]);
    k = 1 / sqr(dmax * solref[0] * max2(solref[1], LEAST_DAMPING_RATIO));
  } else if (solref[0] < 0) {
    // minus a stiffness and minus a damping
    b = -solref[1] / dmax;
    k = -solref[0] / sqr(dmax);
  }

  for (int r = first; r < first + dim; ++r) {
    accel->equalities.damping[r] = b;
    accel->equalities.stiffness[r] = k;
  }
}

// How far n errors r of equality i are open, from 0 to 1. It is continuous, because integrators do not step across a
// jump.
static double find_openness(const hfAccel* accel, int i, const double* r, int n) {
  double size2 = 0;
  for (int k = 0; k < n; ++k) size2 += sqr(r[k]);
  return is_rigid(accel, i) && size2 > sqr(PARTLY_OPEN_ERROR) ? min2(1, sqrt(size2) / PARTLY_OPEN_ERROR - 1) : 0;
}

// Moves attachment points that are apart to the middle between them, as in discrete time
// (step/actuation/equality_rows.c): opposite forces at points that are apart would be a torque on both bodies together.
static void join_points(const hfDynamics* dynamics, hfiEquality* equality, double share) {
  if (share == 0 || !dynamics->body_link[equality->body[0]] || !dynamics->body_link[equality->body[1]]) return;
  hfVec3 half = v3_scale(0.5 * share, v3_sub(equality->p_W[1], equality->p_W[0]));
  equality->p_W[0] = v3_add(equality->p_W[0], half);
  equality->p_W[1] = v3_sub(equality->p_W[1], half);
}

// Appends the rows of equality i at q: Jacobian, errors, b and k. Raises rows->open to its openness if that is larger.
static void add_rows(hfAccel* accel, int i, const double* q) {
  const int nv = accel->model->nv;
  hfiEqualityRows* rows = &accel->equalities;
  hfiEquality* equality = &rows->object[i];
  *equality = hfi_equality_evaluate(accel->actuation, accel->dynamics, i, q);
  if (equality->dim == 0) return;

  // connect or weld: its first three errors are those of the points
  if (equality->dim > 1) join_points(accel->dynamics, equality, find_openness(accel, i, equality->r, 3));

  // Jacobian and errors
  int ncol = hfi_equality_jacobian(accel->actuation, accel->dynamics, i, equality, rows->cols, rows->block);
  double* J = rows->J + (size_t)rows->count * (size_t)nv;
  memset(J, 0, (size_t)(equality->dim * nv) * sizeof *J);
  for (int r = 0; r < equality->dim; ++r) {
    for (int k = 0; k < ncol; ++k) J[r * nv + rows->cols[k]] = rows->block[r * ncol + k];
    rows->error[rows->count + r] = equality->r[r];
  }

  // openness of translation (rows 0 to 2) and rotation (3 to 5) apart
  for (int first = 0; first < equality->dim; first += 3)
    rows->open = max2(rows->open, find_openness(accel, i, equality->r + first, imin2(3, equality->dim)));

  set_stabilisation(accel, i, rows->count, equality->dim);
  rows->count += equality->dim;
}

// Sets the softness of the aims (see damp_aims) of equality i, whose first row is `first`: openness/(4 mass). The mass
// is the one that the equality may move at the release speed: for a translation the mass of its trees, otherwise the
// mean effective mass of the rows.
static void set_softness(hfAccel* accel, int i, int first) {
  hfiEqualityRows* rows = &accel->equalities;
  const hfiEquality* equality = &rows->object[i];
  int n = rows->count;
  int size = imin2(3, equality->dim);
  double share = is_rigid(accel, i) ? 0.25 * rows->open : 0;

  // translation, then rotation
  for (int group = 0; group < equality->dim; group += 3) {
    double w = 0;

    for (int k = first + group; k < first + group + size; ++k) w += rows->A[k * n + k] / size;
    if (equality->dim > 1 && group == 0) w = 1 / hfi_equality_mass(accel->model, equality);
    for (int k = first + group; k < first + group + size; ++k) rows->softness[k] = share * w;
  }
}

// Factors Je M^-1 Je^T + diag(softness), of which rows->A is the first part.
static hfStatus factor_softened(hfAccel* accel) {
  hfiEqualityRows* rows = &accel->equalities;
  int n = rows->count;

  int first = 0;
  for (int i = 0; i < accel->model->neq; ++i) {
    set_softness(accel, i, first);
    first += rows->object[i].dim;
  }

  memcpy(rows->softened, rows->A, (size_t)(n * n) * sizeof *rows->A);
  for (int r = 0; r < n; ++r) rows->softened[r * n + r] += rows->softness[r];
  return hfi_ldlt(rows->softened, n, n, 1) ? HF_SINGULAR : HF_OK;
}

// Computes the rows of all equalities at q and the factors of Je M^-1 Je^T. HF_SINGULAR: these do not exist.
hfStatus hfi_accel_update_equalities(hfAccel* accel, const double* q) {
  const int nv = accel->model->nv;
  hfiEqualityRows* rows = &accel->equalities;
  rows->count = 0;
  rows->open = 0;

  for (int i = 0; i < accel->model->neq; ++i) add_rows(accel, i, q);
  int n = rows->count;
  if (n == 0) return HF_OK;

  // the upper half of Je M^-1 Je^T
  double mean = 0;
  memcpy(rows->JM, rows->J, (size_t)(n * nv) * sizeof *rows->J);
  for (int r = 0; r < n; ++r) hf_dynamics_solve(accel->dynamics, rows->JM + r * nv);
  for (int r = 0; r < n; ++r) {
    for (int c = r; c < n; ++c) rows->A[r * n + c] = hfi_dot(rows->J + r * nv, rows->JM + c * nv, nv);
    mean += rows->A[r * n + r] / n;
  }

  for (int r = 0; r < n; ++r) rows->A[r * n + r] += REDUNDANCY_SHARE * mean;

  // factors
  if (rows->open > 0 && factor_softened(accel)) return HF_SINGULAR;
  return hfi_ldlt(rows->A, n, n, 1) ? HF_SINGULAR : HF_OK;
}

// ---- rates ------------------------------------------------------------------------------------------

// The rate of the Jacobian row of a joint or tendon, times v. Only spatial tendons have one that is not zero.
static double find_coordinate_rate(const hfAccel* accel, int kind, int id) {
  int is_spatial = kind == HF_OBJECT_TENDON && hfi_tendon_is_spatial(accel->model, id);
  return is_spatial ? hfi_tendon_gradient_rate(accel->dynamics, id) : 0;
}

// Jedot v of a coupling r = x1 - P(x2) of two joints or tendons: Jdot_1 v - P' Jdot_2 v - P''(x2) x2dot^2.
static double coupling_rate(const hfAccel* accel, int i, const double* v) {
  const hfModel* model = accel->model;
  const hfiEquality* equality = &accel->equalities.object[i];
  int kind = hf_model_eq_objkind(model)[i];
  int second = hf_model_eq_obj2(model)[i];
  double rate = find_coordinate_rate(accel, kind, hf_model_eq_obj1(model)[i]);
  if (second < 0) return rate;

  int is_tendon = kind == HF_OBJECT_TENDON;
  double speed = is_tendon ? accel->actuation->tendons.velocity[second] : v[hf_model_jnt_dofadr(model)[second]];
  return rate + equality->slope * find_coordinate_rate(accel, kind, second) + equality->bend * speed * speed;
}

// Returns the share [-] of their error that the n rows of rigid equality i from row `first` on may reduce at present,
// and *r2 = |r|^2. In the steady state of b Je v + k r = 0 the error falls with the speed k |r|/b, which must be within
// the release speed.
static double limit_error(const hfAccel* accel, int i, int first, int n, double* r2) {
  const int nv = accel->model->nv;
  const hfiEqualityRows* rows = &accel->equalities;
  double b = rows->damping[first];
  double k = rows->stiffness[first];
  const double* J = rows->J + (size_t)first * (size_t)nv;
  double fastest = hfi_equality_release_speed(accel->model, &rows->object[i], J, n * nv);

  *r2 = 0;
  for (int r = first; r < first + n; ++r) *r2 += sqr(rows->error[r]);

  int is_too_fast = sqr(k) * *r2 > sqr(b * fastest);
  return is_too_fast ? b * fastest / (k * sqrt(*r2)) : 1;
}

// Sets the targets of the n rows of equality i from row `first` on to k r, the acceleration that reduces the error r. A
// rigid equality takes only the share of r that limit_error allows.
static void set_aims(hfAccel* accel, int i, int first, int n) {
  hfiEqualityRows* rows = &accel->equalities;

  double r2;
  double share = is_rigid(accel, i) ? limit_error(accel, i, first, n, &r2) : 1;
  for (int r = first; r < first + n; ++r) rows->target[r] = rows->stiffness[r] * share * rows->error[r];
}

// Softens the aims s in rows->target to s - D (A + D)^-1 s, A = Je M^-1 Je^T, D = diag(softness).
//
// An aim at row velocities s needs the energy s^T A^-1 s/2. That has no bound if bodies can hardly follow, as an arm
// that is stretched out, or if equalities contradict each other. The softened aims, A (A + D)^-1 s, need at most
// s^T D^-1 s/8. If A is much larger than D, they are nearly the aims s.
static void damp_aims(hfiEqualityRows* rows) {
  memcpy(rows->lambda, rows->target, (size_t)rows->count * sizeof *rows->lambda);
  hfi_ldlt_solve(rows->softened, rows->count, rows->count, rows->lambda);
  for (int r = 0; r < rows->count; ++r) rows->target[r] -= rows->softness[r] * rows->lambda[r];
}

// Computes Jedot v and the targets of all equalities at velocity v: the accelerations along their rows that reduce
// error and velocity (see the head).
void hfi_accel_update_equality_rates(hfAccel* accel, const double* v) {
  const int nv = accel->model->nv;
  hfiEqualityRows* rows = &accel->equalities;

  int row = 0; // first row of equality i
  for (int i = 0; i < accel->model->neq; ++i) {
    const hfiEquality* equality = &rows->object[i];
    // one row: a coupling of joints or tendons; more: a connect or weld
    if (equality->dim == 1) rows->Jdot_v[row] = coupling_rate(accel, i, v);
    else if (equality->dim) hfi_attachment_rate(accel->dynamics, equality, rows->Jdot_v + row);

    for (int first = 0; first < equality->dim; first += 3)
      set_aims(accel, i, row + first, imin2(3, equality->dim - first));
    row += equality->dim;
  }

  // target = -b Je v - k r; so far it has k r (set_aims)
  if (rows->open > 0) damp_aims(rows);
  for (int r = 0; r < rows->count; ++r)
    rows->target[r] = -rows->damping[r] * hfi_dot(rows->J + r * nv, v, nv) - rows->target[r];
}

// ---- energy -----------------------------------------------------------------------------------------

// Square of the speed at which the n rows of equality i from row `first` on aim.
static double aimed_speed2(const hfAccel* accel, int i, int first, int n) {
  double r2;
  double share = limit_error(accel, i, first, n, &r2);
  return sqr(share * accel->equalities.stiffness[first] / accel->equalities.damping[first]) * r2;
}

// Upper bound on the energy [J] that rigid equalities add to the motion while they close, s^T D^-1 s/8; infinite if
// none is open.
double hfi_accel_release_energy(const hfAccel* accel) {
  const hfiEqualityRows* rows = &accel->equalities;
  double sum = 0;
  if (rows->open == 0) return INFINITY;

  int first = 0; // first row of equality i
  for (int i = 0; i < accel->model->neq; ++i) {
    int dim = rows->object[i].dim;
    for (int group = 0; group < dim && is_rigid(accel, i); group += 3) {
      double speed2 = aimed_speed2(accel, i, first + group, imin2(3, dim - group));
      sum += speed2 / (8 * rows->softness[first + group]);
    }
    first += dim;
  }
  return sum;
}

// ---- solution ---------------------------------------------------------------------------------------

// x <- vdot of M vdot = x + Je^T lambda, Je vdot = target. Also writes lambda. target may be rows->lambda.
void hfi_accel_solve(hfAccel* accel, double* x, const double* target) {
  const hfModel* model = accel->model;
  hfiEqualityRows* rows = &accel->equalities;
  const int nv = model->nv;
  const int n = rows->count;

  // x <- M^-1 x, for the trees on which x is not zero: a column of the Jacobian has forces on few trees
  for (int t = 0; t < model->ntree; ++t) {
    int has_force = hfi_any_nonzero(x + hf_model_tree_dofadr(model)[t], hf_model_tree_dofnum(model)[t]);
    if (has_force) hfi_solve_tree(accel->dynamics, t, x);
  }
  if (n == 0) return;

  // forces of the equalities, and what they accelerate
  for (int r = 0; r < n; ++r) rows->lambda[r] = target[r] - hfi_dot(rows->J + r * nv, x, nv);
  hfi_ldlt_solve(rows->A, n, n, rows->lambda);
  for (int r = 0; r < n; ++r) hfi_axpy(x, rows->lambda[r], rows->JM + r * nv, nv);
}
