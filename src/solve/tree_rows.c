// Saturated rows of one tree (solve/tree_rows.h). The equations are those of newton.c,
//
//   r = A v - p* - J^T gamma,   s = J v,   K = A + J^T G J,   K dv = -r.
//
// Between their bounds the laws are linear: where no row passes a bound, one step is the solution but for rounding. Nothing is gathered for
// it: scalars, whose row of J has one entry, are listed, other blocks are patches that look at the problem's own Jacobian, and all loops
// run over one tree. Sums are formed in the order of system.c.
#include "solve/tree_rows.h"

#include "linalg/dense.h"
#include "math/vec3.h"
#include "solve/system.h"
#include "solve/tals.h"

#include <string.h>

// The tree in the problem.
typedef struct Tree {
  int32_t n;
  const double *M, *diag, *p, *v0; // (n x n), (n)
  double h;
} Tree;

static Tree find_tree(const hfStepProblem* P, int32_t tree) {
  int32_t first = P->tree_start[tree];
  Tree t = {P->tree_start[tree + 1] - first, P->M + P->M_start[tree], P->diag + first, P->p + first, P->v0 + first, P->h};
  return t;
}

// ---- rows -------------------------------------------------------------------------------------------

static void list_scalar(hfiIsland* I, const hfStepProblem* P, const hfStepBlock* b) {
  const hfStepPiece* piece = P->piece + b->piece;
  int32_t i = I->nscalar++;
  I->scalar[i].dof = P->cols[piece->col], I->scalar[i].J = P->J[piece->jac];
  I->block[i].source = b->row, I->block[i].saturated = P->saturated + b->param;
}

static int same_dofs(const hfiPatch* a, const hfiPatch* b) {
  return a->ncol == b->ncol && memcmp(a->dof, b->dof, sizeof *a->dof * (size_t)a->ncol) == 0;
}

// Lists a block of another sort as a patch. Patches in succession on the same dofs are a group: the first of them knows their number.
static void list_wide(hfiIsland* I, const hfStepProblem* P, const hfStepBlock* b, hfiPatch** group) {
  const hfStepPiece* piece = P->piece + b->piece;
  hfiPatch* patch = I->patch + I->npatch++;
  patch->block = I->nblock, patch->nblock = 1, patch->row = I->nrow, patch->nrow = b->dim;
  patch->ncol = piece->ncol, patch->dof = P->cols + piece->col, patch->J = P->J + piece->jac;
  I->block[I->nblock].source = b->row, I->block[I->nblock].saturated = P->saturated + b->param;
  I->nblock += 1, I->nrow += b->dim;
  if (*group && same_dofs(*group, patch)) ++(*group)->nblock;
  else *group = patch;
}

// Lists scalars, then patches. Returns 0 where there are rows for the general method.
static int list_rows(hfiIsland* I, const hfStepProblem* P, const int32_t* blocks, int32_t nblock) {
  int32_t nwide = 0;
  hfiPatch* group = NULL;
  I->nscalar = I->npatch = 0;
  for (int32_t i = 0; i < nblock; ++i) {
    const hfStepBlock* b = P->block + blocks[i];
    if (b->law != HF_LAW_SATURATED || b->npiece != 1) return 0;
    if (b->dim == 1 && P->piece[b->piece].ncol == 1) list_scalar(I, P, b);
    else I->wide[nwide++] = blocks[i];
  }
  I->nblock = I->nrow = I->nscalar;
  for (int32_t i = 0; i < nwide; ++i) list_wide(I, P, P->block + I->wide[i], &group);
  return 1;
}

// Row r of J times x.
static double multiply_row(const hfiPatch* patch, int32_t r, const double* x) {
  const double* J = patch->J + r * patch->ncol;
  double sum = 0;
  for (int32_t c = 0; c < patch->ncol; ++c) sum += x[patch->dof[c]] * J[c];
  return sum;
}

// s = J v
static void multiply_rows(const hfiIsland* I, const double* v, double* s) {
  for (int32_t i = 0; i < I->nscalar; ++i) s[i] = I->scalar[i].J * v[I->scalar[i].dof];
  for (const hfiPatch *patch = I->patch, *end = patch + I->npatch; patch < end; ++patch)
    for (int32_t r = 0; r < patch->nrow; ++r) s[patch->row + r] = multiply_row(patch, r, v);
}

// Impulses and slopes of the rows of a patch at s.
static void respond(const hfiIsland* I, const hfiPatch* patch, double h, const double* s) {
  const hfSaturatedRow* law = I->block[patch->block].saturated - patch->row;
  for (int32_t i = patch->row; i < patch->row + patch->nrow; ++i) I->gamma[i] = hfi_saturated_respond(law + i, h, s[i], I->G + i);
}

// tau += J^T gamma of a group.
static void add_impulses(const hfiIsland* I, const hfiPatch* group) {
  for (int32_t c = 0; c < group->ncol; ++c) {
    double sum = 0;
    for (const hfiPatch *patch = group, *end = group + group->nblock; patch < end; ++patch)
      for (int32_t r = 0; r < patch->nrow; ++r) sum += I->gamma[patch->row + r] * patch->J[r * patch->ncol + c];
    I->tau[group->dof[c]] += sum;
  }
}

// Entry i, j of J^T G J of a group.
static double slope_of(const hfiIsland* I, const hfiPatch* group, int32_t i, int32_t j) {
  double sum = 0;
  for (const hfiPatch *patch = group, *end = group + group->nblock; patch < end; ++patch) {
    const double *J = patch->J, *G = I->G + patch->row;
    for (int32_t r = 0; r < patch->nrow; ++r, J += patch->ncol) sum += J[i] * (G[r] * J[j]);
  }
  return sum;
}

// K += J^T G J of a group, in the upper triangle.
static void add_slopes(const hfiIsland* I, const hfiPatch* group, double* K, int32_t n) {
  for (int32_t i = 0; i < group->ncol; ++i)
    for (int32_t j = i; j < group->ncol; ++j) K[group->dof[i] * n + group->dof[j]] += slope_of(I, group, i, j);
}

// Whether row i, which is at a bound, would shorten the step.
static int shortens(const hfiIsland* I, const hfSaturatedRow* law, int32_t i) {
  return I->G[i] == 0 && hfi_tals_saturated(law, I->s[i], I->s1[i]) < 1;
}

static int any_shortens(const hfiIsland* I) {
  for (int32_t i = 0; i < I->nscalar; ++i)
    if (shortens(I, I->block[i].saturated, i)) return 1;
  for (const hfiPatch *patch = I->patch, *end = patch + I->npatch; patch < end; ++patch)
    for (int32_t r = 0; r < patch->nrow; ++r)
      if (shortens(I, I->block[patch->block].saturated + r, patch->row + r)) return 1;
  return 0;
}

static void write_rows(const hfiIsland* I, double* impulse, double* s) {
  for (int32_t i = 0; i < I->nscalar; ++i) impulse[I->block[i].source] = I->gamma[i], s[I->block[i].source] = I->s1[i];
  for (const hfiPatch *patch = I->patch, *end = patch + I->npatch; patch < end; ++patch)
    for (int32_t r = 0; r < patch->nrow; ++r) {
      int32_t to = I->block[patch->block].source + r;
      impulse[to] = I->gamma[patch->row + r], s[to] = I->s1[patch->row + r];
    }
}

// ---- one step ---------------------------------------------------------------------------------------

static void weigh(hfiIsland* I, const Tree* t) {
  I->n = t->n;
  for (int32_t i = 0; i < t->n; ++i) {
    I->diag[i] = t->M[i * t->n + i] + t->diag[i];
    I->inverse_diag[i] = 1 / I->diag[i];
  }
  I->p_norm = hfi_system_momentum_norm(I, t->p);
}

// Computes impulses, slopes and the residual at v and s. Returns |r|, and in *scale what it is compared with.
static double evaluate(hfiIsland* I, const Tree* t, const double* v, const double* s, double* scale) {
  int32_t n = t->n;
  for (int32_t i = 0; i < n; ++i) I->tau[i] = 0, I->Av[i] = t->diag[i] * v[i];
  for (int32_t i = 0; i < I->nscalar; ++i) {
    I->gamma[i] = hfi_saturated_respond(I->block[i].saturated, t->h, s[i], I->G + i);
    I->tau[I->scalar[i].dof] += I->scalar[i].J * I->gamma[i];
  }
  for (int32_t k = 0; k < I->npatch; ++k) respond(I, I->patch + k, t->h, s);
  for (int32_t k = 0; k < I->npatch; k += I->patch[k].nblock) add_impulses(I, I->patch + k);
  hfi_add_rows(I->Av, 1.0, v, 1, t->M, n, n, n);
  for (int32_t i = 0; i < n; ++i) I->r[i] = I->Av[i] - t->p[i] - I->tau[i];
  *scale = hfi_system_scale(I);
  return hfi_system_momentum_norm(I, I->r);
}

// Computes dv = -K^-1 r and v1 = v0 + dv. Returns 0 where a pivot fails.
static int find_step(hfiIsland* I, const Tree* t) {
  int32_t n = t->n;
  double* K = I->local;
  memcpy(K, t->M, sizeof *K * (size_t)(n * n));
  for (int32_t i = 0; i < n; ++i) K[i * (n + 1)] += t->diag[i];
  for (int32_t i = 0; i < I->nscalar; ++i) K[I->scalar[i].dof * (n + 1)] += sqr(I->scalar[i].J) * I->G[i];
  for (int32_t k = 0; k < I->npatch; k += I->patch[k].nblock) add_slopes(I, I->patch + k, K, n);
  if (hfi_ldlt(K, n, n, 1) != 0) return 0;
  hfi_scale(I->dv, -1.0, I->r, n);
  hfi_ldlt_solve(K, n, n, I->dv);
  for (int32_t i = 0; i < n; ++i) I->v1[i] = t->v0[i] + I->dv[i];
  return 1;
}

// Row velocities s1 at the end of the step (newton.c: compute_end_rows). Returns 0 where a row that is at a bound would shorten it.
static int find_end_rows(hfiIsland* I, int is_short) {
  multiply_rows(I, is_short ? I->dv : I->v1, I->s1);
  for (int32_t i = 0; is_short && i < I->nrow; ++i) I->s1[i] = I->s[i] + I->s1[i];
  return !any_shortens(I);
}

int hfi_tree_rows_solve(hfiIsland* I, const hfSolverConfig* config, const hfStepProblem* P, int32_t tree, const int32_t* blocks,
                        int32_t nblock, double* v, double* impulse, double* s, hfiNewtonResult* out) {
  Tree t = find_tree(P, tree);
  double scale, tolerance = config->tolerance;
  if (P->drift || config->first_rung != HF_RUNG_TAMSI || !list_rows(I, P, blocks, nblock)) return 0;
  weigh(I, &t);
  multiply_rows(I, t.v0, I->s);
  double before = evaluate(I, &t, t.v0, I->s, &scale);
  if (!(before / HFI_BALANCED_ROUNDING > tolerance * scale) || !find_step(I, &t)) return 0;
  double step = hfi_system_velocity_norm(I, I->dv), along = hfi_dot(I->dv, I->r, t.n);
  if (!isfinite(step) || !find_end_rows(I, !(step > HFI_SHORT_STEP * scale))) return 0;
  double norm = evaluate(I, &t, I->v1, I->s1, &scale), end = hfi_dot(I->dv, I->r, t.n);
  if (along < 0 && end > -HFI_OVERSHOOT * along) return 0;
  if (!(norm / HFI_SETTLED <= tolerance * scale && step * (norm / before) <= tolerance * scale)) return 0;
  memcpy(v + P->tree_start[tree], I->v1, sizeof *v * (size_t)t.n);
  write_rows(I, impulse, s);
  *out = (hfiNewtonResult){.converged = 1, .iterations = 1, .residual = scale > 0 ? norm / scale : norm};
  return 1;
}
