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
#include "methods/continuous/accel.h"

#include "base/finite.h"
#include "model/path.h"

#include "linalg/dense.h"

#include <string.h>

static const double SHARE = 1e-12; // Added to the diagonal of Je M^-1 Je^T, over its mean [-].
static const double EQUALITY_TIME = 0.01; // Time constant in which the error of a near-rigid equality goes to zero [s].

int hfi_accel_max_equality(const hfModel* m) {
  int rows = 0;
  for (int i = 0; i < m->neq; ++i) {
    int type = hf_model_eq_type(m)[i];
    rows += type == HF_EQUALITY_CONNECT ? 3 : type == HF_EQUALITY_WELD ? 6 : 1;
  }
  return rows;
}

static void set_stabilisation(hfAccel* a, int i, int first, int dim) {
  const double *ref = hf_model_eq_solref(a->model) + 2 * i, *imp = hf_model_eq_solimp(a->model) + 5 * i;
  double T = EQUALITY_TIME, b = 2 / T, k = 1 / (T * T), dmax = clamp(imp[1], 1e-4, 0.9999);
  if (ref[0] > 0) b = 2 / (dmax * ref[0]), k = 1 / sqr(dmax * ref[0] * max2(ref[1], 1e-3));
  else if (ref[0] < 0) b = -ref[1] / dmax, k = -ref[0] / sqr(dmax);
  for (int r = first; r < first + dim; ++r) a->damping[r] = b, a->stiffness[r] = k;
}

// Is equality i rigid? If not, it is a spring with the model's own parameters.
static int is_rigid(const hfAccel* a, int i) { return hf_model_eq_solref(a->model)[2 * i] == 0; }

static const double OPEN = 0.01; // An equality is partly open if its error is above this, and fully open above twice this [m or rad].

// How far n errors of equality i are open, from 0 to 1. It is continuous, because integrators do not step across a jump.
static double openness(const hfAccel* a, int i, const double* r, int n) {
  double size2 = 0;
  for (int k = 0; k < n; ++k) size2 += sqr(r[k]);
  return is_rigid(a, i) && size2 > sqr(OPEN) ? min2(1, sqrt(size2) / OPEN - 1) : 0;
}

// Moves attachment points that are apart to the middle between them, as in discrete time (step/actuation/equality_rows.c): opposite forces at points that
// are apart would be a torque on both bodies together.
static void join_points(const hfDynamics* d, hfiEquality* e, double share) {
  if (share == 0 || !d->body_link[e->body[0]] || !d->body_link[e->body[1]]) return;
  hfVec3 half = v3_scale(0.5 * share, v3_sub(e->p_W[1], e->p_W[0]));
  e->p_W[0] = v3_add(e->p_W[0], half), e->p_W[1] = v3_sub(e->p_W[1], half);
}

// Writes the rows of equality i after the present ones.
static void add_rows(hfAccel* a, int i, const double* q) {
  const int nv = a->model->nv;
  hfiEquality* e = &a->equality[i];
  *e = hfi_equality_evaluate(a->actuation, a->dynamics, i, q);
  if (e->dim == 0) return;
  if (e->dim > 1) join_points(a->dynamics, e, openness(a, i, e->r, 3));
  int ncol = hfi_equality_jacobian(a->actuation, a->dynamics, i, e, a->eq_cols, a->eq_J);
  double* Je = a->Je + (size_t)a->nequality * (size_t)nv;
  memset(Je, 0, (size_t)(e->dim * nv) * sizeof *Je);
  for (int r = 0; r < e->dim; ++r) {
    for (int k = 0; k < ncol; ++k) Je[r * nv + a->eq_cols[k]] = a->eq_J[r * ncol + k];
    a->error[a->nequality + r] = e->r[r];
  }
  for (int first = 0; first < e->dim; first += 3) a->open = max2(a->open, openness(a, i, e->r + first, imin2(3, e->dim)));
  set_stabilisation(a, i, a->nequality, e->dim);
  a->nequality += e->dim;
}

// Sets the softness of the aims (see damp_aims) of equality i, whose first row is `first`: openness/(4 mass). The mass is the one that the equality may move
// at the release speed: for a translation the mass of its trees, otherwise the mean effective mass of the rows.
static void set_softness(hfAccel* a, int i, int first) {
  const hfiEquality* e = &a->equality[i];
  int n = a->nequality, size = imin2(3, e->dim);
  for (int group = 0; group < e->dim; group += 3) {
    double w = 0, share = is_rigid(a, i) ? 0.25 * a->open : 0;
    for (int k = first + group; k < first + group + size; ++k) w += a->Ae[k * n + k] / size;
    if (e->dim > 1 && group == 0) w = 1 / hfi_equality_mass(a->model, e);
    for (int k = first + group; k < first + group + size; ++k) a->softness[k] = share * w;
  }
}

// Factors Je M^-1 Je^T + diag(softness), of which a->Ae is the first part.
static hfStatus factor_softened(hfAccel* a) {
  int n = a->nequality;
  for (int i = 0, first = 0; i < a->model->neq; first += a->equality[i++].dim) set_softness(a, i, first);
  memcpy(a->softened, a->Ae, (size_t)(n * n) * sizeof *a->Ae);
  for (int r = 0; r < n; ++r) a->softened[r * n + r] += a->softness[r];
  return hfi_ldlt(a->softened, n, n, 1) ? HF_SINGULAR : HF_OK;
}

hfStatus hfi_accel_equalities(hfAccel* a, const double* q) {
  const int nv = a->model->nv;
  a->nequality = 0, a->open = 0;
  for (int i = 0; i < a->model->neq; ++i) add_rows(a, i, q);
  int n = a->nequality;
  if (n == 0) return HF_OK;
  memcpy(a->JeM, a->Je, (size_t)(n * nv) * sizeof *a->Je);
  for (int r = 0; r < n; ++r) hf_dynamics_solve(a->dynamics, a->JeM + r * nv);
  double mean = 0;
  for (int r = 0; r < n; ++r) {
    for (int c = r; c < n; ++c) a->Ae[r * n + c] = hfi_dot(a->Je + r * nv, a->JeM + c * nv, nv);
    mean += a->Ae[r * n + r] / n;
  }
  for (int r = 0; r < n; ++r) a->Ae[r * n + r] += SHARE * mean;
  if (a->open > 0 && factor_softened(a)) return HF_SINGULAR;
  return hfi_ldlt(a->Ae, n, n, 1) ? HF_SINGULAR : HF_OK;
}

// ---- rates ------------------------------------------------------------------------------------------

// The rate of the Jacobian row of a joint or tendon, times v.
static double coordinate_rate(const hfAccel* a, int kind, int id) {
  return kind == HF_OBJECT_TENDON && hfi_tendon_is_spatial(a->model, id) ? hfi_tendon_gradient_rate(a->dynamics, id) : 0;
}

// Jedot v of a coupling r = x1 - P(x2) of two joints or tendons: Jdot_1 v - P' Jdot_2 v - P''(x2) x2dot^2.
static double coupling_rate(const hfAccel* a, int i, const double* v) {
  const hfModel* m = a->model;
  int two = hf_model_eq_obj2(m)[i], kind = hf_model_eq_objkind(m)[i];
  double first = coordinate_rate(a, kind, hf_model_eq_obj1(m)[i]);
  if (two < 0) return first;
  double speed = kind == HF_OBJECT_TENDON ? a->actuation->tendon_velocity[two] : v[hf_model_jnt_dofadr(m)[two]];
  return first + a->equality[i].slope * coordinate_rate(a, kind, two) + a->equality[i].bend * speed * speed;
}

// Returns the share [-] of their error that the n rows of rigid equality i from row `first` on may reduce at present, and *r2 = |r|^2. In the steady state of b Je v + k r = 0 the
// error falls with the speed k |r|/b, which must be within the release speed.
static double limit_error(const hfAccel* a, int i, int first, int n, double* r2) {
  const int nv = a->model->nv;
  double b = a->damping[first], k = a->stiffness[first];
  double fastest = hfi_equality_release_speed(a->model, &a->equality[i], a->Je + (size_t)first * (size_t)nv, n * nv);
  *r2 = 0;
  for (int r = first; r < first + n; ++r) *r2 += sqr(a->error[r]);
  return sqr(k) * *r2 > sqr(b * fastest) ? b * fastest / (k * sqrt(*r2)) : 1;
}

// Sets a->target of the n rows of equality i from row `first` on to k r, the acceleration that reduces the error r. A rigid equality takes only the
// share of r that limit_error allows.
static void set_aims(hfAccel* a, int i, int first, int n) {
  double r2, share = is_rigid(a, i) ? limit_error(a, i, first, n, &r2) : 1;
  for (int r = first; r < first + n; ++r) a->target[r] = a->stiffness[r] * share * a->error[r];
}

// An aim at row velocities s needs the energy s^T A^-1 s/2, A = Je M^-1 Je^T, which has no bound if bodies can hardly follow, as an arm that is
// stretched out, or if equalities contradict each other. With softness D the aims A (A + D)^-1 s = s - D (A + D)^-1 s need at most s^T D^-1 s/8. If A
// is much larger than D, they are nearly the aims s.
static void damp_aims(hfAccel* a) {
  memcpy(a->lambda, a->target, (size_t)a->nequality * sizeof *a->lambda);
  hfi_ldlt_solve(a->softened, a->nequality, a->nequality, a->lambda);
  for (int r = 0; r < a->nequality; ++r) a->target[r] -= a->softness[r] * a->lambda[r];
}

// Square of the speed at which the n rows of equality i from row `first` on aim.
static double aimed_speed2(const hfAccel* a, int i, int first, int n) {
  double r2, share = limit_error(a, i, first, n, &r2);
  return sqr(share * a->stiffness[first] / a->damping[first]) * r2;
}

double hfi_accel_release_energy(const hfAccel* a) {
  double sum = 0;
  if (a->open == 0) return INFINITY;
  for (int i = 0, first = 0; i < a->model->neq; first += a->equality[i++].dim)
    for (int group = 0, dim = a->equality[i].dim; group < dim && is_rigid(a, i); group += 3)
      sum += aimed_speed2(a, i, first + group, imin2(3, dim - group)) / (8 * a->softness[first + group]);
  return sum;
}

void hfi_accel_equality_rates(hfAccel* a, const double* v) {
  const int nv = a->model->nv;
  for (int i = 0, r = 0; i < a->model->neq; ++i) {
    const hfiEquality* e = &a->equality[i];
    if (e->dim == 1) a->Jedot_v[r] = coupling_rate(a, i, v);
    else if (e->dim) hfi_attachment_rate(a->dynamics, e, a->Jedot_v + r);
    for (int first = 0; first < e->dim; first += 3) set_aims(a, i, r + first, imin2(3, e->dim - first));
    r += e->dim;
  }
  if (a->open > 0) damp_aims(a);
  for (int r = 0; r < a->nequality; ++r) a->target[r] = -a->damping[r] * hfi_dot(a->Je + r * nv, v, nv) - a->target[r];
}

// x <- M^-1 x, for the trees on which x is not zero. A column of the Jacobian has forces on few trees.
static void solve_loaded_trees(const hfAccel* a, double* x) {
  const hfModel* m = a->model;
  for (int t = 0; t < m->ntree; ++t)
    if (hfi_any_nonzero(x + hf_model_tree_dofadr(m)[t], hf_model_tree_dofnum(m)[t])) hfi_solve_tree(a->dynamics, t, x);
}

void hfi_accel_solve(hfAccel* a, double* x, const double* target) {
  const int nv = a->model->nv, n = a->nequality;
  solve_loaded_trees(a, x);
  if (n == 0) return;
  for (int r = 0; r < n; ++r) a->lambda[r] = target[r] - hfi_dot(a->Je + r * nv, x, nv);
  hfi_ldlt_solve(a->Ae, n, n, a->lambda);
  for (int r = 0; r < n; ++r) hfi_axpy(x, a->lambda[r], a->JeM + r * nv, nv);
}
