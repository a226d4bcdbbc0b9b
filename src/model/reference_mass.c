// j M^-1 j^T at qpos0, tree by tree.
//
//   M_ab = S_a^T Ic_b S_b + armature,  a an ancestor dof of b or b itself, Ic_b the composite inertia
#include "model/reference_mass.h"

#include "base/error.h"
#include "linalg/dense.h"
#include "model/derive.h"

#include <stdlib.h>

// Dense M (n x n, upper triangle) of a tree whose first dof is `first`.
static void fill_tree(const hfModel* m, int first, int n, const hfPose* X_WB,
                      const hfiInertia* composite, double* M) {
  for (int b = 0; b < n; ++b) {
    int dof = first + b;
    hfForce F =
        inertia_mul(&composite[hf_model_dof_body(m)[dof]], hfi_reference_axis(m, dof, X_WB));
    for (int a = dof; a >= 0; a = hf_model_dof_parent(m)[a])
      M[(a - first) * n + b] = fo_dot(F, hfi_reference_axis(m, a, X_WB));
    M[b * n + b] += hf_model_dof_armature(m)[dof];
  }
}

// Adds the part of one tree; 0 on success.
static int add_tree(const hfModel* m, int tree, const hfPose* X_WB, const hfiInertia* composite,
                    const double* row, double* compliance, double* square) {
  int first = hf_model_tree_dofadr(m)[tree], n = hf_model_tree_dofnum(m)[tree], any = 0;
  for (int i = 0; i < n; ++i) any |= row[first + i] != 0;
  if (!any) return 0;
  double* M = calloc((size_t)n * (size_t)(n + 1), sizeof *M);
  if (!M) return -1;
  double* x = M + (size_t)n * (size_t)n;
  for (int i = 0; i < n; ++i) x[i] = row[first + i];
  fill_tree(m, first, n, X_WB, composite, M);
  int failed = hfi_cholesky(M, n, n);
  if (!failed) {
    hfi_cholesky_solve(M, n, n, x);
    *compliance += hfi_dot(row + first, x, n);
    *square += hfi_dot(x, x, n);
  }
  free(M);
  return failed;
}

hfStatus hfi_reference_compliance(const hfModel* m, const double* row, double* compliance,
                                  hfError* error) {
  double acceleration;
  return hfi_reference_acceleration(m, row, compliance, &acceleration, error);
}

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
    return hfi_refuse(error, HF_ERROR_MODEL,
                      "the mass matrix at the reference configuration is not positive definite");
  return failed ? hfi_refuse(error, HF_ERROR_MEMORY, "out of memory") : HF_OK;
}
