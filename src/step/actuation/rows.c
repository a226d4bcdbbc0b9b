// The set of rows of a step, its capacity, its copy into the step problem, and the inverse mass of
// a row.
//
//   w = J M^-1 J^T = |D^-1/2 L^-T J^T|^2,  M = L^T D L
//
// This is the first half of a solve with M, and it touches only the dofs of J and their ancestors.
// For one dof these are a row of L, in its order.
#include "step/actuation/rows.h"
#include "linalg/dense.h"
#include "math/vec3.h"
#include "model/joint.h"
#include "model/path.h"
#include <string.h>

// ---- capacity -------------------------------------------------------------------------------------

// Number of dofs that move a site or its reference; a dof that moves both counts twice.
static int count_site_dofs(const hfModel* m, int site, int reference) {
  int n = hfi_chain(m, hf_model_site_body(m)[site], NULL);
  return reference < 0 ? n : n + hfi_chain(m, hf_model_site_body(m)[reference], NULL);
}

int hfi_moment_capacity(const hfModel* m, int actuator) {
  const int32_t* id = hf_model_actuator_trnid(m) + 2 * actuator;
  switch (hf_model_actuator_trntype(m)[actuator]) {
  case HF_TRANSMISSION_TENDON: return hfi_tendon_dofs(m, id[0], NULL);
  case HF_TRANSMISSION_SITE:
  case HF_TRANSMISSION_SLIDER_CRANK: return count_site_dofs(m, id[0], id[1]);
  case HF_TRANSMISSION_BODY: return 0; // Its force acts at contacts (step/world/adhesion.c).
  default: return hfi_joint_nv(hf_model_jnt_type(m)[id[0]]);
  }
}

// Adds `blocks` blocks of dim rows over ncol columns in at most npiece pieces to the sizes.
static void reserve(const hfModel* m, hfiRowSizes* s, int blocks, int dim, int ncol, int npiece) {
  s->nblock += blocks;
  s->nrow += blocks * dim;
  s->npiece += blocks * imin2(imin2(npiece, ncol), m->ntree);
  s->ncol += blocks * ncol;
  s->njac += blocks * dim * ncol;
}

static int body_of(const hfModel* m, int kind, int id) { return kind == HF_OBJECT_SITE ? hf_model_site_body(m)[id] : id; }

// Number of dofs that move the two bodies of an equality; a dof that moves both counts twice.
static int count_equality_dofs(const hfModel* m, int kind, int one, int two) {
  return hfi_chain(m, body_of(m, kind, one), NULL) + hfi_chain(m, body_of(m, kind, two), NULL);
}

static void reserve_equality(const hfModel* m, hfiRowSizes* s, int e) {
  int kind = hf_model_eq_objkind(m)[e], one = hf_model_eq_obj1(m)[e], two = hf_model_eq_obj2(m)[e];
  switch (hf_model_eq_type(m)[e]) {
  case HF_EQUALITY_JOINT: reserve(m, s, 1, 1, 2, 2); break;
  case HF_EQUALITY_TENDON: {
    int n = hfi_tendon_dofs(m, one, NULL) + (two < 0 ? 0 : hfi_tendon_dofs(m, two, NULL));
    reserve(m, s, 1, 1, n, n);
    break;
  }
  case HF_EQUALITY_CONNECT: // its three rows, and three of its damper, which are computed among six
    reserve(m, s, 2, 6, count_equality_dofs(m, kind, one, two), 2);
    break;
  default: reserve(m, s, 1, 6, count_equality_dofs(m, kind, one, two), 2);
  }
}

// The capacity does not depend on values that an overlay may change.
hfiRowSizes hfi_row_capacity(const hfModel* m) {
  hfiRowSizes s = {0};
  for (int i = 0; i < m->nu; ++i) // A motor has a row for its current and one for its friction.
    reserve(m, &s, hf_model_actuator_gaintype(m)[i] == HF_GAIN_MOTOR ? 2 : 1, 1, hfi_moment_capacity(m, i), m->ntree);
  for (int j = 0; j < m->njnt; ++j)
    if (hf_model_jnt_limited(m)[j]) reserve(m, &s, 2, 1, hfi_joint_nv(hf_model_jnt_type(m)[j]), 1);
  reserve(m, &s, 2 * m->nv, 1, 1, 1); // A dof has up to one friction loss and one velocity target.
  for (int t = 0; t < m->ntendon; ++t) // A tendon has up to two limits, friction, two springs, a damper.
    reserve(m, &s, 6, 1, hfi_tendon_dofs(m, t, NULL), m->ntree);
  for (int e = 0; e < m->neq; ++e) reserve_equality(m, &s, e);
  return s;
}

// ---- the set --------------------------------------------------------------------------------------

void hfi_rows_init(hfiRows* r, const hfModel* m, hfiArena* arena) {
  memset(r, 0, sizeof *r);
  r->max = hfi_row_capacity(m);
  r->block = HFI_TAKE(arena, hfiRowBlock, r->max.nblock);
  r->row = HFI_TAKE(arena, hfSaturatedRow, r->max.nrow);
  r->cols = HFI_TAKE(arena, int32_t, r->max.ncol);
  r->J = HFI_TAKE(arena, double, r->max.njac);
}

void hfi_rows_clear(hfiRows* r) {
  memset(&r->n, 0, sizeof r->n);
  r->ncapped = 0;
}

void hfi_rows_force(const hfiRows* r, const hfiRowBlock* b, const double* v, double* force) {
  for (int i = 0; i < b->dim; ++i) {
    const hfSaturatedRow* row = &r->row[b->row + i];
    const double* J = r->J + b->jac + i * b->ncol;
    double s = 0;
    for (int k = 0; k < b->ncol; ++k) s += J[k] * v[r->cols[b->col + k]];
    force[i] = clamp(-row->kappa * (s - row->s0), row->lo, row->hi);
  }
}

// ---- the step problem -----------------------------------------------------------------------------

// Appends the piece of columns [first, first + n) of a block, which are all on one tree.
static void append_piece(const hfiRows* r, const hfModel* m, const hfiRowBlock* b, int first, int n, hfStepProblem* p) {
  const int32_t* from = r->cols + b->col + first;
  const double* J_from = r->J + b->jac + first;
  hfStepPiece piece = {hf_model_dof_tree(m)[from[0]], n, p->ncol, p->njac};
  int32_t *cols = p->cols + piece.col, root = hf_model_tree_dofadr(m)[piece.tree];
  double* J = p->J + piece.jac;
  for (int k = 0; k < n; ++k) cols[k] = from[k] - root;
  for (int i = 0; i < b->dim; ++i, J += n, J_from += b->ncol)
    for (int k = 0; k < n; ++k) J[k] = J_from[k];
  p->piece[p->npiece++] = piece;
  p->ncol += n, p->njac += b->dim * n;
}

static void append_block(const hfiRows* r, const hfModel* m, const hfiRowBlock* b, hfStepProblem* p) {
  hfStepBlock block = {HF_LAW_SATURATED, b->dim, p->nrow, p->nsaturated, p->npiece, 0};
  const int32_t *cols = r->cols + b->col, *tree = hf_model_dof_tree(m);
  for (int first = 0, end; first < b->ncol; first = end) {
    for (end = first + 1; end < b->ncol && tree[cols[end]] == tree[cols[first]];) end++;
    append_piece(r, m, b, first, end - first, p);
  }
  block.npiece = p->npiece - block.piece;
  for (int i = 0; i < b->dim; ++i) p->saturated[block.param + i] = r->row[b->row + i];
  p->nrow += b->dim, p->nsaturated += b->dim;
  p->block[p->nblock++] = block;
}

static int is_scalar(const hfiRowBlock* b) { return b->dim == 1 && b->ncol == 1; }

// Appends n blocks of one row over one dof, whose rows, columns and Jacobians follow each other.
// Most blocks are of this kind.
static void append_scalars(const hfiRows* r, const hfModel* m, const hfiRowBlock* b, int n, hfStepProblem* p) {
  const int32_t *tree = hf_model_dof_tree(m), *first = hf_model_tree_dofadr(m), *dof = r->cols + b->col;
  int row = p->nrow, param = p->nsaturated, piece = p->npiece, col = p->ncol, jac = p->njac;
  hfStepBlock* block = p->block + p->nblock;
  for (int k = 0; k < n; ++k) {
    int t = tree[dof[k]];
    hfStepPiece own = {t, 1, col + k, jac + k};
    hfStepBlock made = {HF_LAW_SATURATED, 1, row + k, param + k, piece + k, 1};
    p->cols[col + k] = dof[k] - first[t];
    p->piece[piece + k] = own;
    block[k] = made;
  }
  memcpy(p->J + jac, r->J + b->jac, (size_t)n * sizeof *p->J);
  memcpy(p->saturated + param, r->row + b->row, (size_t)n * sizeof *p->saturated);
  p->nblock += n, p->nrow += n, p->nsaturated += n, p->npiece += n, p->ncol += n, p->njac += n;
}

void hfi_rows_append(const hfiRows* r, const hfModel* m, hfStepProblem* p) {
  for (int b = 0, n; b < r->n.nblock; b += n) {
    for (n = 0; b + n < r->n.nblock && is_scalar(&r->block[b + n]);) n++;
    if (n > 0) append_scalars(r, m, &r->block[b], n, p);
    else append_block(r, m, &r->block[b], p), n = 1;
  }
}

// ---- effective mass -------------------------------------------------------------------------------

// Inverse mass w = e^T M^-1 e of a dof, with e its unit vector. From M = L^T D L (step/dynamics/ltdl.c) follows
//
//   w = sum_k y_k^2/D_k,   L^T y = e
//
// y is 1 for the dof itself and -x_k for its ancestor k. x begins as the dof's row of L. Then ancestors are eliminated, the nearest one first.
static double compute_inverse_mass(const hfDynamics* d, int dof) {
  const int32_t *adr = hf_model_dof_Madr(d->model), *col = hf_model_M_col(d->model) + adr[dof];
  const double *L = d->L, *x = L + adr[dof];
  double w = d->Dinv[dof], *next = d->work;
  for (int k = hf_model_dof_depth(d->model)[dof] - 1; k >= 0; --k) {
    const double* row = L + adr[col[k]];
    double xk = x[k];
    w += d->Dinv[col[k]] * xk * xk;
    for (int j = 0; j < k; ++j) next[j] = x[j] - xk * row[j];
    x = next;
  }
  return w;
}

double hfi_dof_inverse_mass(const hfDynamics* d, int dof) {
  hfi_need_factors(d, hf_model_dof_tree(d->model)[dof]);
  if (d->inverse_mass[dof] < 0) d->inverse_mass[dof] = compute_inverse_mass(d, dof);
  return d->inverse_mass[dof];
}

double hfi_coupled_inverse_mass(const hfDynamics* d, double* x, int ncol, const int32_t* cols, const double* J) {
  const hfModel* m = d->model;
  const int32_t *adr = hf_model_dof_Madr(m), *depth = hf_model_dof_depth(m);
  if (ncol == 0) return 0;
  for (int k = 0; k < ncol; ++k) {
    hfi_need_factors(d, hf_model_dof_tree(m)[cols[k]]);
    x[cols[k]] += J[k];
  }
  double w = 0;
  int root = hf_model_tree_dofadr(m)[hf_model_dof_tree(m)[cols[0]]];
  for (int i = cols[ncol - 1]; i >= root; --i) {
    if (x[i] == 0) continue;
    const double* row = d->L + adr[i];
    const int32_t* col = hf_model_M_col(m) + adr[i];
    double xi = x[i];
    int n = depth[i];
    for (int k = 0; k < n; ++k) x[col[k]] -= row[k] * xi;
    w += d->Dinv[i] * xi * xi;
    x[i] = 0;
  }
  return w;
}
