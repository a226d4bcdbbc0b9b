// Tree-sparse factorisation M = L^T D L (Featherstone, Rigid Body Dynamics Algorithms, 6.4-6.5).
//
// Eliminating dof k from the leaves inward changes only rows of its ancestors, so L has exactly the
// non-zeros of M. Row i of an ancestor holds the ancestors of i, which are the first entries of row k:
//
//   for k = nv-1 … 0, ancestors i of k:   a = M_ki/M_kk,  row_i -= a row_k[0 … depth_i],  M_ki = a
//
// leaves the unit lower-triangular L in the off-diagonals and D on the diagonal.
//   M x = b:   y = L^-T b,  z = D^-1 y,  x = L^-1 z
#include "step/dynamics/inside.h"

#include "base/compile.h"
#include "linalg/dense.h"

#include <string.h>

// A pivot is at least this share of its diagonal entry [-]. Exact pivots are positive. If M is singular up to rounding
// (joints that move a body in the same way, parts that are 1e8 m away), this bound gives a dof a large but finite
// response.
static const double SINGULAR_PIVOT_SHARE = 1e-14;

// ---- chains ---------------------------------------------------------------------------------------
//
// In a tree without branches all dofs before k are its ancestors: row k has k + 1 entries, and its rows follow each
// other. Chains of up to seven dofs, as fingers and arms are, have code that is written out: callers pass constants
// for n and k. Sums have the order of the general functions.

// Whether the n dofs of the tree that starts with dof `begin` are a chain.
static int is_chain(const hfModel* m, int begin, int n) { return hf_model_dof_depth(m)[begin + n - 1] == n - 1; }

// Eliminates a row whose ancestors are the first `depth` dofs of the tree. Returns the inverse of its pivot.
HFI_FORCE_INLINE double eliminate_row(double* L, double* row, const double* M_row, int depth) {
  double least = SINGULAR_PIVOT_SHARE * M_row[depth];
  double inverse = 1 / (row[depth] > least ? row[depth] : least);
  for (int a = depth - 1; a >= 0; --a) {
    double factor = row[a] * inverse;
    hfi_axpy(L + a * (a + 1) / 2, -factor, row, a + 1);
    row[a] = factor;
  }
  return inverse;
}

// Eliminates dof k of a chain of n dofs, if the chain has it, and writes its inverse pivot.
HFI_FORCE_INLINE void eliminate_dof(double* L, double* Dinv, const double* M, int n, int k) {
  if (k < n) Dinv[k] = eliminate_row(L, L + k * (k + 1) / 2, M + k * (k + 1) / 2, k);
}
// Factors a chain of n <= 7 dofs, whose copy of M is in L.
HFI_FORCE_INLINE void factor_copied_chain(double* L, double* Dinv, const double* M, int n) {
  eliminate_dof(L, Dinv, M, n, 6);
  eliminate_dof(L, Dinv, M, n, 5);
  eliminate_dof(L, Dinv, M, n, 4);
  eliminate_dof(L, Dinv, M, n, 3);
  eliminate_dof(L, Dinv, M, n, 2);
  eliminate_dof(L, Dinv, M, n, 1);
  eliminate_dof(L, Dinv, M, n, 0);
}

// Copies M and factors a chain of n dofs at whose end nfinger single dofs hang. Their rows follow.
HFI_FORCE_INLINE void factor_chain(double* L, double* Dinv, const double* M, int n, int nfinger) {
  int size = n * (n + 1) / 2;
  memcpy(L, M, (size_t)(size + nfinger * (n + 1)) * sizeof *L);

  for (int k = nfinger - 1; k >= 0; --k) {
    int row = size + k * (n + 1);
    Dinv[n + k] = eliminate_row(L, L + row, M + row, n);
  }

  factor_copied_chain(L, Dinv, M, n);
}

// x <- L^-T x, the part of dof k of a chain of n.
HFI_FORCE_INLINE void step_inward(const double* L, int n, int k, double* x) {
  if (k < n) hfi_axpy(x, -x[k], L + k * (k + 1) / 2, k);
}

// x <- L^-1 D^-1 x, the part of dof k of a chain of n.
HFI_FORCE_INLINE void step_outward(const double* L, const double* Dinv, int n, int k, double* x) {
  if (k >= n) return;
  const double* row = L + k * (k + 1) / 2;
  double sum = Dinv[k] * x[k];
  for (int a = 0; a < k; ++a) sum -= row[a] * x[a];
  x[k] = sum;
}

// Solves M x = b in place for a chain of n dofs.
HFI_FORCE_INLINE void solve_chain(const double* L, const double* Dinv, int n, double* x) {
  // L^-T x
  step_inward(L, n, 6, x);
  step_inward(L, n, 5, x);
  step_inward(L, n, 4, x);
  step_inward(L, n, 3, x);
  step_inward(L, n, 2, x);
  step_inward(L, n, 1, x);

  // L^-1 D^-1 x
  step_outward(L, Dinv, n, 0, x);
  step_outward(L, Dinv, n, 1, x);
  step_outward(L, Dinv, n, 2, x);
  step_outward(L, Dinv, n, 3, x);
  step_outward(L, Dinv, n, 4, x);
  step_outward(L, Dinv, n, 5, x);
  step_outward(L, Dinv, n, 6, x);
}

// Factors a chain of n dofs if there is code for n. Returns whether there is.
static int factor_short_chain(double* L, double* Dinv, const double* M, int n) {
  switch (n) {
  case 3: factor_chain(L, Dinv, M, 3, 0); return 1;
  case 4: factor_chain(L, Dinv, M, 4, 0); return 1;
  case 6: factor_chain(L, Dinv, M, 6, 0); return 1;
  case 7: factor_chain(L, Dinv, M, 7, 0); return 1;
  default: return 0;
  }
}

// Factors an arm of six or seven dofs that ends in several fingers of one dof each; depth: of the tree's ndof dofs; n:
// depth of the last one. Returns 0 for other trees, and does nothing.
static int factor_arm(double* L, double* Dinv, const double* M, const int32_t* depth, int ndof, int n) {
  if ((n != 6 && n != 7) || depth[n - 1] != n - 1) return 0;
  for (int k = n; k < ndof; ++k)
    if (depth[k] != n) return 0;

  if (n == 6) factor_chain(L, Dinv, M, 6, ndof - 6);
  else factor_chain(L, Dinv, M, 7, ndof - 7);
  return 1;
}

// Solves M x = b in place for a chain of n dofs if there is code for n. Returns whether there is.
static int solve_short_chain(const double* L, const double* Dinv, int n, double* x) {
  switch (n) {
  case 3: solve_chain(L, Dinv, 3, x); return 1;
  case 4: solve_chain(L, Dinv, 4, x); return 1;
  case 6: solve_chain(L, Dinv, 6, x); return 1;
  case 7: solve_chain(L, Dinv, 7, x); return 1;
  default: return 0;
  }
}

// ---- branches -------------------------------------------------------------------------------------
//
// A tree is a trunk, a chain of dofs that all others have as ancestors, with branches. For the trunks of most robots,
// free joints and the three dofs of a plane, there is code with constants for their number of dofs. Other trees have
// the trunk 0.

// Returns the number of dofs of the trunk of tree t: 6, 3 or 0. Tries the longer trunk first.
int hfi_find_trunk(const hfModel* m, int t) {
  const int32_t* adr = hf_model_dof_Madr(m);
  const int32_t* depth = hf_model_dof_depth(m);
  const int32_t* col = hf_model_M_col(m);
  int begin = hf_model_tree_dofadr(m)[t];
  int end = begin + hf_model_tree_dofnum(m)[t];

  for (int n = 6; n > 0; n -= 3) {
    // the first dof behind the first n that does not have all of these as ancestors
    int k = begin + n;
    while (k < end && depth[k] >= n && col[adr[k] + n - 1] == begin + n - 1) ++k;

    int is_long = end - begin >= n && depth[begin + n - 1] == n - 1;
    if (k >= end && is_long) return n;
  }
  return 0;
}

// A trunk has at most this many dofs.
enum { MAX_TRUNK = 6 };

// Factors the tree of the dofs `begin` to `last`, whose first `trunk` dofs are ancestors of all others. Writes L, which
// begins as a copy of M, and Dinv. A row has one entry for each ancestor, from the root on; the first `trunk` of them
// are of the trunk. root: the rows of the trunk, of which row a has a + 1 entries.
HFI_FORCE_INLINE void factor_branches(const hfDynamics* d, int begin, int last, int trunk) {
  const int32_t* adr = hf_model_dof_Madr(d->model);
  const int32_t* depth = hf_model_dof_depth(d->model);
  double* root = d->mass.L + adr[begin];
  memcpy(root, d->M + adr[begin], (size_t)(adr[last] + depth[last] + 1 - adr[begin]) * sizeof *d->M);

  for (int k = last; k >= begin + trunk; --k) {
    const int32_t* col = hf_model_M_col(d->model) + adr[k];
    double* row = d->mass.L + adr[k];
    // the inverse of the pivot, the row's last entry, which is at least `least`
    double least = SINGULAR_PIVOT_SHARE * d->M[adr[k] + depth[k]];
    double inverse = 1 / (row[depth[k]] > least ? row[depth[k]] : least);
    d->mass.Dinv[k] = inverse;

    // the row's entries in the trunk are kept in registers
    double in_trunk[MAX_TRUNK];
    for (int a = 0; a < trunk; ++a) in_trunk[a] = row[a];

    // rows of ancestors in branches
    for (int a = depth[k] - 1; a >= trunk; --a) {
      double factor = row[a] * inverse;
      double* target = d->mass.L + adr[col[a]];
      hfi_axpy(target, -factor, in_trunk, trunk);
      hfi_axpy(target + trunk, -factor, row + trunk, a + 1 - trunk);
      row[a] = factor;
    }

    // rows of ancestors in the trunk
    for (int a = 0; a < trunk; ++a) row[a] = in_trunk[a] * inverse;
    for (int a = 0; a < trunk; ++a) hfi_axpy(root + a * (a + 1) / 2, -(in_trunk[a] * inverse), in_trunk, a + 1);
  }

  factor_copied_chain(root, d->mass.Dinv + begin, d->M + adr[begin], trunk);
}

// Solves M x = b for the dofs `begin` to end - 1 of a tree with this trunk. x (nv): b on entry. Inward means x <- L^-T
// x, outward x <- L^-1 D^-1 x; the trunk, a chain, does both at once between them.
HFI_FORCE_INLINE void solve_branches(const hfDynamics* d, int begin, int end, int trunk, double* x) {
  const int32_t* adr = hf_model_dof_Madr(d->model);
  const int32_t* depth = hf_model_dof_depth(d->model);
  const int32_t* M_col = hf_model_M_col(d->model);

  // the unknowns of the trunk are kept in registers
  double root[MAX_TRUNK];
  for (int a = 0; a < trunk; ++a) root[a] = x[begin + a];

  // inward
  for (int k = end - 1; k >= begin + trunk; --k) {
    const double* row = d->mass.L + adr[k];
    const int32_t* col = M_col + adr[k];
    double xk = x[k];
    for (int a = 0; a < trunk; ++a) root[a] -= row[a] * xk;
    for (int a = trunk, n = depth[k]; a < n; ++a) x[col[a]] -= row[a] * xk;
  }

  // the trunk, then outward
  solve_chain(d->mass.L + adr[begin], d->mass.Dinv + begin, trunk, root);
  for (int k = begin + trunk; k < end; ++k) {
    const double* row = d->mass.L + adr[k];
    const int32_t* col = M_col + adr[k];
    double sum = d->mass.Dinv[k] * x[k];
    for (int a = 0; a < trunk; ++a) sum -= row[a] * root[a];
    for (int a = trunk, n = depth[k]; a < n; ++a) sum -= row[a] * x[col[a]];
    x[k] = sum;
  }
  for (int a = 0; a < trunk; ++a) x[begin + a] = root[a];
}

// ---- trees ----------------------------------------------------------------------------------------

// Writes L and Dinv of tree t, and forgets its inverse masses. Trees of usual forms have code of their own.
void hfi_factor_tree(const hfDynamics* d, int t) {
  const hfModel* m = d->model;
  const int32_t* depth = hf_model_dof_depth(m);
  int begin = hf_model_tree_dofadr(m)[t];
  int n = hf_model_tree_dofnum(m)[t];
  int last = begin + n - 1;
  const double* M = d->M + hf_model_dof_Madr(m)[begin];
  double* L = d->mass.L + hf_model_dof_Madr(m)[begin];
  double* Dinv = d->mass.Dinv + begin;

  d->mass.postponed[t] = 0;
  for (int k = begin; k <= last; ++k) d->mass.inverse[k] = -1; // not computed yet (hfi_dof_inverse_mass)

  if (n == 1) { // a single dof, such as a slide
    *L = *M;
    *Dinv = 1 / *M;
    return;
  }
  // each of these two returns 0 and does nothing if it has no code for the tree
  if (is_chain(m, begin, n) && factor_short_chain(L, Dinv, M, n)) return;
  if (factor_arm(L, Dinv, M, depth + begin, n, depth[last])) return;

  // other forms, with constants for the usual trunks
  switch (d->mass.trunk[t]) {
  case 6: factor_branches(d, begin, last, 6); break;
  case 3: factor_branches(d, begin, last, 3); break;
  default: factor_branches(d, begin, last, 0);
  }
}

// Marks all trees whose factors must be computed again before they are used. Factors of steady trees stay.
void hfi_postpone_factors(hfDynamics* d) {
  if (hfi_dynamics_is_fresh(d, HFI_FRESH_FACTORS)) return;
  for (int t = 0; t < d->model->ntree; ++t) d->mass.postponed[t] |= !d->mass.steady[t];
  d->fresh |= HFI_FRESH_FACTORS;
}

// Computes what is missing of MASS and FACTORS.
void hfi_dynamics_need(hfDynamics* d, uint32_t what) {
  if (what & (HFI_FRESH_MASS | HFI_FRESH_FACTORS)) hf_dynamics_update_mass_matrix(d);
  if (what & HFI_FRESH_FACTORS) hf_dynamics_factor(d);
}

// Factors M of all trees.
void hf_dynamics_factor(hfDynamics* d) {
  hfi_postpone_factors(d);
  for (int t = 0; t < d->model->ntree; ++t) hfi_need_factors(d, t);
}

// Solves M x = b in place for the dofs of tree t in x (nv). Factors the tree first if that was postponed.
void hfi_solve_tree(const hfDynamics* d, int t, double* x) {
  const hfModel* m = d->model;
  int begin = hf_model_tree_dofadr(m)[t];
  int n = hf_model_tree_dofnum(m)[t];
  hfi_need_factors(d, t);

  if (n == 1) { // a single dof, such as a slide
    x[begin] *= d->mass.Dinv[begin];
    return;
  }
  const double* L = d->mass.L + hf_model_dof_Madr(m)[begin];
  if (is_chain(m, begin, n) && solve_short_chain(L, d->mass.Dinv + begin, n, x + begin)) return;
  switch (d->mass.trunk[t]) {
  case 6: solve_branches(d, begin, begin + n, 6, x); break;
  case 3: solve_branches(d, begin, begin + n, 3, x); break;
  default: solve_branches(d, begin, begin + n, 0, x);
  }
}

// Solves M x = b in place for all dofs.
void hf_dynamics_solve(const hfDynamics* d, double* x) {
  for (int t = 0; t < d->model->ntree; ++t) hfi_solve_tree(d, t, x);
}
