// Saturated rows on single dofs of one tree (solve/scalars.h). The equations are those of newton.c,
//
//   r = A v - p* - J^T gamma,   s = J v,   K = A + J^T G J,   K dv = -r,
//
// where each row of J has one entry, so that J^T gamma and J^T G J are sums over the rows. Between their bounds the laws are linear: where
// no row passes a bound, one step is the solution but for rounding. Nothing is gathered for it, and all loops run over one tree.
#include "solve/scalars.h"

#include "linalg/dense.h"
#include "math/vec3.h"
#include "solve/system.h"
#include "solve/tals.h"

#include <string.h>

// The tree in the problem.
typedef struct Tree {
  int32_t n;
  const double *M, *diag, *p, *v0; // (n x n), (n)
} Tree;

static Tree find_tree(const hfStepProblem* P, int32_t tree) {
  int32_t first = P->tree_start[tree];
  Tree t = {P->tree_start[tree + 1] - first, P->M + P->M_start[tree], P->diag + first, P->p + first, P->v0 + first};
  return t;
}

// Lists the rows in I->scalar and I->block. Returns 0 where one of them is no scalar.
static int list_rows(hfiIsland* I, const hfStepProblem* P, const int32_t* blocks, int32_t nblock) {
  for (int32_t i = 0; i < nblock; ++i) {
    const hfStepBlock* b = P->block + blocks[i];
    const hfStepPiece* piece = P->piece + b->piece;
    if (b->law != HF_LAW_SATURATED || b->dim != 1 || b->npiece != 1 || piece->ncol != 1) return 0;
    I->scalar[i].dof = P->cols[piece->col], I->scalar[i].J = P->J[piece->jac];
    I->block[i].source = b->row, I->block[i].saturated = P->saturated + b->param;
  }
  return 1;
}

static void weigh(hfiIsland* I, const Tree* t) {
  I->n = t->n;
  for (int32_t i = 0; i < t->n; ++i) {
    I->diag[i] = t->M[i * t->n + i] + t->diag[i];
    I->inverse_diag[i] = 1 / I->diag[i];
  }
  I->p_norm = hfi_system_momentum_norm(I, t->p);
}

// Computes impulses, slopes and the residual at v and s. Returns |r|, and in *scale what it is compared with.
static double evaluate(hfiIsland* I, const Tree* t, int32_t nrow, double h, const double* v, const double* s, double* scale) {
  int32_t n = t->n;
  for (int32_t i = 0; i < n; ++i) I->tau[i] = 0, I->Av[i] = t->diag[i] * v[i];
  for (int32_t i = 0; i < nrow; ++i) {
    I->gamma[i] = hfi_saturated_respond(I->block[i].saturated, h, s[i], I->G + i);
    I->tau[I->scalar[i].dof] += I->scalar[i].J * I->gamma[i];
  }
  hfi_add_rows(I->Av, 1.0, v, 1, t->M, n, n, n);
  for (int32_t i = 0; i < n; ++i) I->r[i] = I->Av[i] - t->p[i] - I->tau[i];
  *scale = hfi_system_scale(I);
  return hfi_system_momentum_norm(I, I->r);
}

// Computes dv = -K^-1 r and v1 = v0 + dv. Returns 0 where a pivot fails.
static int find_step(hfiIsland* I, const Tree* t, int32_t nrow) {
  int32_t n = t->n;
  double* K = I->local;
  memcpy(K, t->M, sizeof *K * (size_t)(n * n));
  for (int32_t i = 0; i < n; ++i) K[i * (n + 1)] += t->diag[i];
  for (int32_t i = 0; i < nrow; ++i) K[I->scalar[i].dof * (n + 1)] += sqr(I->scalar[i].J) * I->G[i];
  if (hfi_ldlt(K, n, n, 1) != 0) return 0;
  hfi_scale(I->dv, -1.0, I->r, n);
  hfi_ldlt_solve(K, n, n, I->dv);
  for (int32_t i = 0; i < n; ++i) I->v1[i] = t->v0[i] + I->dv[i];
  return 1;
}

// Row velocities s1 at the end of the step (newton.c: compute_end_rows). Returns 0 where a row that is at a bound would shorten it.
static int find_end_rows(hfiIsland* I, int32_t nrow, int is_short) {
  for (int32_t i = 0; i < nrow; ++i) {
    const hfiScalar* row = I->scalar + i;
    I->s1[i] = is_short ? I->s[i] + row->J * I->dv[row->dof] : row->J * I->v1[row->dof];
    if (I->G[i] == 0 && hfi_tals_saturated(I->block[i].saturated, I->s[i], I->s1[i]) < 1) return 0;
  }
  return 1;
}

int hfi_scalars_solve(hfiIsland* I, const hfSolverConfig* config, const hfStepProblem* P, int32_t tree, const int32_t* blocks,
                      int32_t nblock, double* v, double* impulse, double* s, hfiNewtonResult* out) {
  Tree t = find_tree(P, tree);
  double scale, tolerance = config->tolerance;
  if (P->drift || config->first_rung != HF_RUNG_TAMSI || !list_rows(I, P, blocks, nblock)) return 0;
  weigh(I, &t);
  for (int32_t i = 0; i < nblock; ++i) I->s[i] = I->scalar[i].J * t.v0[I->scalar[i].dof];
  double before = evaluate(I, &t, nblock, P->h, t.v0, I->s, &scale);
  if (!(before / HFI_BALANCED_ROUNDING > tolerance * scale) || !find_step(I, &t, nblock)) return 0;
  double step = hfi_system_velocity_norm(I, I->dv), along = hfi_dot(I->dv, I->r, t.n);
  if (!isfinite(step) || !find_end_rows(I, nblock, !(step > HFI_SHORT_STEP * scale))) return 0;
  double norm = evaluate(I, &t, nblock, P->h, I->v1, I->s1, &scale), end = hfi_dot(I->dv, I->r, t.n);
  if (along < 0 && end > -HFI_OVERSHOOT * along) return 0;
  if (!(norm / HFI_SETTLED <= tolerance * scale && step * (norm / before) <= tolerance * scale)) return 0;
  memcpy(v + P->tree_start[tree], I->v1, sizeof *v * (size_t)t.n);
  for (int32_t i = 0; i < nblock; ++i) impulse[I->block[i].source] = I->gamma[i], s[I->block[i].source] = I->s1[i];
  *out = (hfiNewtonResult){.converged = 1, .iterations = 1, .residual = scale > 0 ? norm / scale : norm};
  return 1;
}
