// j M^-1 j^T at qpos0, tree by tree.
//
//   M_ab = S_a^T Ic_b S_b + armature + sum_t armature_t J_ta J_tb,  a an ancestor dof of b or b itself,
//                                                                   Ic_b the composite inertia,
//                                                                   J_t the gradient of the length of tendon t
#include "model/derive.h"

#include "base/error.h"
#include "linalg/dense.h"
#include "model/path.h"

#include <stdlib.h>

// ---- moments of tendons ----------------------------------------------------------------------------

// Adds to row (nv) factor times the gradient of a spatial tendon's length at qpos0, where the bodies are at X_WB.
static void add_path_moment(const hfModel* m, int tendon, const hfPose* X_WB, double factor, double* row) {
  hfiPathWalk walk = hfi_path_begin(m, X_WB, NULL, tendon);
  hfiPathSpan span;

  while (hfi_path_next(&walk, &span))
    for (int s = 0; s < 2 * span.nsegment; ++s) {
      // each end of a segment is pulled along it
      const hfiPathSegment* segment = &span.segment[s / 2];
      hfVec3 u = v3_unit(v3_sub(segment->p_W[1], segment->p_W[0]));
      hfVec3 p = segment->p_W[s % 2];
      hfForce pull = {v3_cross(p, u), u};
      double sign_factor = s % 2 ? factor : -factor;
      for (int k = hf_model_body_lastdof(m)[segment->body[s % 2]]; k >= 0; k = hf_model_dof_parent(m)[k])
        row[k] += sign_factor * span.scale * fo_dot(pull, hfi_reference_axis(m, k, X_WB));
    }
}

// Adds to row (nv) factor times the gradient of a tendon's length at qpos0. That of a fixed tendon are its
// coefficients.
void hfi_add_tendon_moment(const hfModel* m, int tendon, const hfPose* X_WB, double factor, double* row) {
  if (hfi_tendon_is_spatial(m, tendon)) {
    add_path_moment(m, tendon, X_WB, factor, row);
    return;
  }

  for (int k = 0; k < hf_model_tendon_num(m)[tendon]; ++k) {
    int w = hf_model_tendon_adr(m)[tendon] + k;
    int joint = hf_model_wrap_obj(m)[w];
    row[hf_model_jnt_dofadr(m)[joint]] += factor * hf_model_wrap_coef(m)[w];
  }
}

// ---- mass ------------------------------------------------------------------------------------------

// Fills the dense M (n x n, upper triangle) of a tree whose first dof is `first`, without the armature of tendons.
static void fill_tree(const hfModel* m, int first, int n, const hfPose* X_WB, const hfiInertia* composite, double* M) {
  for (int b = 0; b < n; ++b) {
    int dof = first + b;
    hfForce F = inertia_mul(&composite[hf_model_dof_body(m)[dof]], hfi_reference_axis(m, dof, X_WB));
    for (int a = dof; a >= 0; a = hf_model_dof_parent(m)[a])
      M[(a - first) * n + b] = fo_dot(F, hfi_reference_axis(m, a, X_WB));
    M[b * n + b] += hf_model_dof_armature(m)[dof];
  }
}

// Adds the armature of tendons to M of a tree. J: room for nv numbers.
static void add_tendons(const hfModel* m, int first, int n, const hfPose* X_WB, double* J, double* M) {
  for (int t = 0; t < m->ntendon; ++t) {
    double armature = hf_model_tendon_armature(m)[t];
    if (armature == 0) continue;

    for (int k = 0; k < m->nv; ++k) J[k] = 0;
    hfi_add_tendon_moment(m, t, X_WB, 1, J);

    for (int b = 0; b < n; ++b)
      for (int a = first + b; a >= 0; a = hf_model_dof_parent(m)[a])
        M[(a - first) * n + b] += armature * J[a] * J[first + b];
  }
}

// Adds the part of one tree to *compliance = j M^-1 j^T and *square = |M^-1 j^T|^2. Returns 0, -1 if there is no
// memory, or the pivot at which M is not positive definite.
static int add_tree(const hfModel* m, int tree, const hfPose* X_WB, const hfiInertia* composite, const double* row,
                    double* compliance, double* square) {
  int first = hf_model_tree_dofadr(m)[tree];
  int n = hf_model_tree_dofnum(m)[tree];
  int acts = 0;

  for (int i = 0; i < n; ++i) acts |= row[first + i] != 0;
  if (!acts) return 0;

  double* M = calloc((size_t)n * (size_t)(n + 1) + (size_t)m->nv, sizeof *M);
  if (!M) return -1;

  double* x = M + (size_t)n * (size_t)n;
  double* J = x + n;
  for (int i = 0; i < n; ++i) x[i] = row[first + i];
  fill_tree(m, first, n, X_WB, composite, M);
  add_tendons(m, first, n, X_WB, J, M);

  int failed = hfi_cholesky(M, n, n);
  if (!failed) {
    hfi_cholesky_solve(M, n, n, x);
    *compliance += hfi_dot(row + first, x, n);
    *square += hfi_dot(x, x, n);
  }

  free(M);
  return failed;
}

hfStatus hfi_reference_compliance(const hfModel* m, const double* row, double* compliance, hfError* error) {
  double acceleration;
  return hfi_reference_acceleration(m, row, compliance, &acceleration, error);
}

// For forces along row^T (nv) at qpos0, computes *compliance = row M^-1 row^T and *acceleration = |M^-1 row^T|, tree by
// tree. HF_ERROR_MODEL: M is not positive definite.
hfStatus hfi_reference_acceleration(const hfModel* m, const double* row, double* compliance, double* acceleration,
                                    hfError* error) {
  hfPose* X_WB = malloc(sizeof *X_WB * (size_t)m->nbody);
  hfiInertia* composite = malloc(sizeof *composite * (size_t)m->nbody);
  int failed = X_WB && composite ? 0 : -1; // > 0: a pivot
  double square = 0;
  *compliance = 0;

  if (!failed) {
    hfi_reference_poses(m, X_WB);
    hfi_reference_composites(m, X_WB, composite);
    for (int t = 0; t < m->ntree && !failed; ++t)
      failed = add_tree(m, t, X_WB, composite, row, compliance, &square);
  }

  *acceleration = sqrt(square);
  free(X_WB);
  free(composite);

  if (failed > 0)
    return hfi_refuse(error, HF_ERROR_MODEL, "the mass matrix at the reference configuration is not positive definite");
  return failed ? hfi_refuse(error, HF_ERROR_MEMORY, "out of memory") : HF_OK;
}
