// Spatial tendons: length, its gradient and the rate of the gradient.
//
//   l = sum over straight parts |p1 - p0|/divisor + curves,   u = (p1 - p0)/|p1 - p0|
//   ldot = J v = sum u . (v1(p1) - v0(p0))/divisor            v_b(p) the velocity of body b at p
//   Jdot v = sum (|w|^2 - (u . w)^2)/|p1 - p0| + u . (a1 - a0) over divisors,   w = v1(p1) - v0(p0),
//            a_b the acceleration of body b's point at vdot = 0 (tendons without curves)
//
// The length of a path is stationary against a shift of the points where it touches a geom, so that these points count
// as fixed in the geom's body. Armature a of a tendon adds a J^T J to M and a J^T (Jdot v) to the bias.
#include "step/dynamics/inside.h"
#include "model/path.h"
#include <string.h>

// gradient += pull . d v(p)/d v over the dofs of `body` after the first `skip`, with the velocity v(p) of its point
// p_W.
static void add_end(const hfDynamics* d, int body, int skip, hfVec3 p_W, hfVec3 pull, double* gradient) {
  const int32_t* dof = NULL;
  int n = hfi_jacobian_dofs(d, body, &dof);
  hfForce F = {v3_cross(v3_sub(p_W, hfi_body_reference(d, body)), pull), pull};

  for (int k = skip; k < n; ++k) gradient[dof[k]] += fo_dot(F, d->S[dof[k]]);
}

// Returns the number of dofs that move two bodies alike: their common first dofs.
static int count_shared(const hfDynamics* d, const int32_t body[2]) {
  const int32_t* x = NULL;
  const int32_t* y = NULL;
  int nx = hfi_jacobian_dofs(d, body[0], &x);
  int ny = hfi_jacobian_dofs(d, body[1], &y);

  int n = 0;
  while (n < nx && n < ny && x[n] == y[n]) n++;
  return n;
}

// Adds to gradient (nv) the rate of a segment's length, times `scale`, per unit rate of each dof.
static void add_segment(const hfDynamics* d, const hfiPathSegment* s, double scale, double* gradient) {
  hfVec3 pull = v3_scale(scale, v3_unit(v3_sub(s->p_W[1], s->p_W[0])));
  int shared = count_shared(d, s->body);
  add_end(d, s->body[0], shared, s->p_W[0], v3_neg(pull), gradient);
  add_end(d, s->body[1], shared, s->p_W[1], pull, gradient);
}

// Adds the gradient (nv) of a spatial tendon's length. Returns the length [m].
double hfi_tendon_gradient(const hfDynamics* d, int t, double* gradient) {
  hfiPathWalk walk = hfi_path_begin(d->model, d->X_WB, &d->kinematics.path, t);
  hfiPathSpan span;
  double length = 0;

  while (hfi_path_next(&walk, &span)) {
    length += span.scale * span.length;
    for (int s = 0; s < span.nsegment; ++s) add_segment(d, &span.segment[s], span.scale, gradient);
  }
  return length;
}

// Returns Jdot v of a segment: the third line of the head of this file, for one straight part.
static double segment_rate(const hfDynamics* d, const hfiPathSegment* s) {
  hfVec3 along = v3_sub(s->p_W[1], s->p_W[0]);
  hfVec3 u = v3_unit(along);
  double length = v3_norm(along);
  if (!(length > 0)) return 0;

  // velocity w and acceleration a of the second end relative to the first
  hfVec3 w = v3_zero();
  hfVec3 a = v3_zero();
  for (int i = 0; i < 2; ++i) {
    double sign = i ? 1 : -1;
    w = v3_axpy(sign, hfi_point_velocity(d, s->body[i], s->p_W[i]).v, w);
    a = v3_axpy(sign, hf_dynamics_jacobian_rate(d, s->body[i], s->p_W[i]).v, a);
  }
  return (v3_norm2(w) - sqr(v3_dot(u, w))) / length + v3_dot(u, a);
}

// Returns Jdot v of a spatial tendon [m/s^2].
double hfi_tendon_gradient_rate(const hfDynamics* d, int t) {
  hfiPathWalk walk = hfi_path_begin(d->model, d->X_WB, &d->kinematics.path, t);
  hfiPathSpan span;
  double rate = 0;

  while (hfi_path_next(&walk, &span))
    for (int s = 0; s < span.nsegment; ++s) rate += span.scale * segment_rate(d, &span.segment[s]);
  return rate;
}

// ---- armature ---------------------------------------------------------------------------------------
//
// The entries of M to which the armature of tendons adds. A tendon with armature a and the gradient J of its length
// adds a J^T J to M. J of a fixed tendon has the coefficients of its joints; J of a spatial tendon depends on the
// configuration (tendon.c). M is stored with the entries of one branch of a tree only. What the armature adds between
// dofs of different branches is left out.

// Returns the index of M's entry at (row, col), or -1 if M has none there, because dof col does not move the link of
// dof row.
static int find_entry(const hfModel* m, int row, int col) {
  int start = hf_model_dof_Madr(m)[row];
  int depth = hf_model_dof_depth(m)[col];
  if (depth > hf_model_dof_depth(m)[row] || hf_model_M_col(m)[start + depth] != col) return -1;
  return start + depth;
}

// Lists the entries of M to which the armature of a fixed tendon adds, with what it adds, in mass.armature: a J_i J_j
// at (i, j), for each two joints of the tendon. A pair of dofs for which M has no entry is left out.
static void add_fixed_armature(hfDynamics* d, int tendon) {
  const hfModel* m = d->model;
  const int32_t* jnt = hf_model_wrap_obj(m) + hf_model_tendon_adr(m)[tendon];
  const double* coef = hf_model_wrap_coef(m) + hf_model_tendon_adr(m)[tendon];

  for (int a = 0; a < hf_model_tendon_num(m)[tendon]; ++a) {
    for (int b = 0; b <= a; ++b) {
      int i = hf_model_jnt_dofadr(m)[jnt[a]];
      int j = hf_model_jnt_dofadr(m)[jnt[b]];
      int row = imax2(i, j);
      int col = imin2(i, j);
      int entry = find_entry(m, row, col);

      // If a tendon names a joint twice, both cross terms belong to one diagonal entry.
      double twice = a != b && i == j ? 2 : 1;
      double value = twice * hf_model_tendon_armature(m)[tendon] * coef[a] * coef[b];
      hfiArmature r = {entry, row, col, tendon, value};
      if (entry >= 0 && value != 0) d->mass.armature[d->mass.narmature++] = r;
    }
  }
}

// Lists the entries of M to which a spatial tendon's armature adds. Their values depend on the configuration.
static void list_spatial_armature(hfDynamics* d, int tendon) {
  const hfModel* m = d->model;
  int32_t* dof = d->scratch.tendon_dof;
  if (hf_model_tendon_armature(m)[tendon] == 0) return;

  int n = hfi_tendon_dofs(m, tendon, dof);
  for (int a = 0; a < n; ++a) {
    for (int b = 0; b <= a; ++b) {
      hfiArmature r = {find_entry(m, dof[a], dof[b]), dof[a], dof[b], tendon, 0};
      if (r.entry >= 0) d->mass.armature[d->mass.narmature++] = r;
    }
  }
}

// Lists the entries of M to which the armature of all tendons adds. Fixed tendons come first: their values stay.
void hfi_list_tendon_armature(hfDynamics* d) {
  const hfModel* m = d->model;
  d->mass.narmature = 0;
  for (int t = 0; t < m->ntendon; ++t)
    if (!hfi_tendon_is_spatial(m, t)) add_fixed_armature(d, t);
  d->mass.nfixed_armature = d->mass.narmature;
  for (int t = 0; t < m->ntendon; ++t)
    if (hfi_tendon_is_spatial(m, t)) list_spatial_armature(d, t);
}

// Computes the values of the entries of spatial tendons. The entries of a tendon follow each other, so that its
// gradient is computed once.
void hfi_update_tendon_armature(hfDynamics* d) {
  double* gradient = d->scratch.gradient;
  int t = -1; // the tendon whose gradient is known

  for (int k = d->mass.nfixed_armature; k < d->mass.narmature; ++k) {
    hfiArmature* a = &d->mass.armature[k];
    if (a->tendon != t) {
      t = a->tendon;
      memset(gradient, 0, (size_t)d->model->nv * sizeof *gradient);
      hfi_tendon_gradient(d, t, gradient);
    }

    a->value = hf_model_tendon_armature(d->model)[t] * gradient[a->row] * gradient[a->col];
  }
}

// tau += a J^T (Jdot v) of each spatial tendon with armature a.
void hfi_add_tendon_bias(hfDynamics* d, double* tau) {
  const hfModel* m = d->model;
  double* gradient = d->scratch.gradient;
  if (d->mass.narmature == d->mass.nfixed_armature) return;

  for (int t = 0; t < m->ntendon; ++t) {
    double armature = hf_model_tendon_armature(m)[t];
    if (armature == 0 || !hfi_tendon_is_spatial(m, t)) continue;

    memset(gradient, 0, (size_t)m->nv * sizeof *gradient);
    hfi_tendon_gradient(d, t, gradient);

    double force = armature * hfi_tendon_gradient_rate(d, t);
    for (int i = 0; i < m->nv; ++i) tau[i] += force * gradient[i];
  }
}
