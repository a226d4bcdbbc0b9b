// Residual and Newton matrix of an island (TAMSI Eq. 21, 23).
//
//   r(v) = A v - p* - J^T gamma(J v),     K = dr/dv = A + J^T G J,   G = -dgamma/ds
//
// A patch's contribution is the product of its stacked Jacobian with the rows of G J; blocks without
// force or stiffness (open contacts, saturated drives) are skipped.
#include "solve/system.h"

#include "linalg/dense.h"
#include "math/vec3.h"

#include <string.h>

void hfi_system_rows(const hfiIsland* I, const double* v, double* s) {
  double* local = I->column;
  for (int32_t k = 0; k < I->npatch; ++k) {
    const hfiPatch* patch = I->patch + k;
    for (int32_t c = 0; c < patch->ncol; ++c) local[c] = v[patch->dof[c]];
    for (int32_t c = patch->ncol; c < patch->ld; ++c) local[c] = 0;
    for (int32_t r = 0; r < patch->nrow; ++r)
      s[patch->row + r] = hfi_dot(patch->J + r * patch->ld, local, patch->ld);
  }
}

static void respond_saturated(hfiIsland* I, const hfiIslandBlock* b, hfiContactResponse* response) {
  response->active = response->coupled = 0;
  for (int32_t i = 0; i < b->dim; ++i) {
    int32_t row = b->row + i;
    I->gamma[row] = hfi_saturated_respond(b->saturated + i, I->problem->h, I->s[row], I->G + row);
    if (I->gamma[row] != 0 || I->G[row] != 0) response->active = 1;
  }
}

void hfi_system_respond(hfiIsland* I, int coupling) {
  for (int32_t k = 0; k < I->nblock; ++k) {
    const hfiIslandBlock* b = I->block + k;
    hfiContactResponse* response = I->response + k;
    if (b->law == HF_LAW_SATURATED) {
      respond_saturated(I, b, response);
      continue;
    }
    hfi_contact_respond(b->contact, I->problem->h, b->dim, coupling, I->lag[k], I->s + b->row, response);
    for (int32_t i = 0; i < b->dim; ++i) I->gamma[b->row + i] = response->gamma[i];
  }
}

void hfi_system_multiply(const hfiIsland* I, const double* x, double* y) {
  const hfStepProblem* P = I->problem;
  for (int32_t t = 0; t < I->ntree; ++t) {
    int32_t tree = I->tree[t], start = P->tree_start[tree], m = P->tree_start[tree + 1] - start;
    const double *M = P->M + P->M_start[tree], *xt = x + I->first[tree];
    double* yt = y + I->first[tree];
    for (int32_t i = 0; i < m; ++i) yt[i] = P->diag[start + i] * xt[i];
    for (int32_t i = 0; i < m; ++i) hfi_axpy(yt, xt[i], M + i * m, m); // M is symmetric
  }
}

static void add_patch_impulse(const hfiIsland* I, const hfiPatch* patch, double* tau) {
  double* local = I->column;
  memset(local, 0, sizeof(double) * (size_t)patch->ld);
  for (int32_t k = patch->block; k < patch->block + patch->nblock; ++k) {
    if (!I->response[k].active) continue;
    const hfiIslandBlock* b = I->block + k;
    const double* J = patch->J + (b->row - patch->row) * patch->ld;
    for (int32_t i = 0; i < b->dim; ++i) hfi_axpy(local, I->gamma[b->row + i], J + i * patch->ld, patch->ld);
  }
  for (int32_t c = 0; c < patch->ncol; ++c) tau[patch->dof[c]] += local[c];
}

void hfi_system_residual(hfiIsland* I) {
  memset(I->tau, 0, sizeof(double) * (size_t)I->n);
  for (int32_t k = 0; k < I->npatch; ++k) add_patch_impulse(I, I->patch + k, I->tau);
  hfi_system_multiply(I, I->v, I->Av);
  for (int32_t i = 0; i < I->n; ++i) I->r[i] = I->Av[i] - I->p[i] - I->tau[i];
}

// y = a x0 + b x1 + c x2
static void combine3(double* restrict y, double a, const double* x0, double b, const double* x1, double c,
                     const double* x2, int n) {
  for (int i = 0; i < n; ++i) y[i] = a * x0[i] + b * x1[i] + c * x2[i];
}
static void combine2(double* restrict y, double a, const double* x0, double b, const double* x1, int n) {
  for (int i = 0; i < n; ++i) y[i] = a * x0[i] + b * x1[i];
}
static void scale_row(double* restrict y, double a, const double* x, int n) {
  for (int i = 0; i < n; ++i) y[i] = a * x[i];
}

// Rows of G J of a contact.
static void weigh_contact(const hfiContactResponse* c, int dim, const double* J, double* GJ, int ld) {
  scale_row(GJ, c->gnn, J, ld);
  if (dim >= 3) {
    const double *J1 = J + ld, *J2 = J + 2 * ld;
    combine3(GJ + ld, c->gtn[0], J, c->gtt[0], J1, c->gtt[1], J2, ld);
    combine3(GJ + 2 * ld, c->gtn[1], J, c->gtt[1], J1, c->gtt[2], J2, ld);
  }
  if (dim >= 4) combine2(GJ + 3 * ld, c->gtn[2], J, c->gtt[3], J + 3 * ld, ld);
  if (dim >= 6) {
    const double *J4 = J + 4 * ld, *J5 = J + 5 * ld;
    combine3(GJ + 4 * ld, c->gtn[3], J, c->gtt[4], J4, c->gtt[5], J5, ld);
    combine3(GJ + 5 * ld, c->gtn[4], J, c->gtt[5], J4, c->gtt[6], J5, ld);
  }
}

static void weigh_block(const hfiIsland* I, int32_t k, const double* J, double* GJ, int ld) {
  const hfiIslandBlock* b = I->block + k;
  if (b->law == HF_LAW_CONTACT) weigh_contact(I->response + k, b->dim, J, GJ, ld);
  else
    for (int32_t i = 0; i < b->dim; ++i) scale_row(GJ + i * ld, I->G[b->row + i], J + i * ld, ld);
}

// C += J^T G J of a patch, by runs of consecutive active blocks.
static void add_patch_product(const hfiIsland* I, const hfiPatch* patch, double* C, int ldc) {
  int ld = patch->ld, end = patch->block + patch->nblock;
  for (int32_t k = patch->block; k < end; ++k) {
    if (!I->response[k].active) continue;
    int32_t first = I->block[k].row, rows = 0;
    const double* J = patch->J + (first - patch->row) * ld;
    for (; k < end && I->response[k].active; ++k) {
      weigh_block(I, k, J + rows * ld, I->GJ + rows * ld, ld);
      rows += I->block[k].dim;
    }
    hfi_add_atb(C, ldc, J, ld, I->GJ, ld, rows, patch->ncol, patch->ncol);
  }
}

// Adds rows of segment P and columns of segment Q of a local matrix to the Newton matrix.
static void scatter_segments(hfiIsland* I, const hfiPatch* patch, const hfiSegment* P,
                             const hfiSegment* Q, int symmetric) {
  hfiBlockMatrix* K = &I->K;
  const double* local = I->local + P->column * patch->ld + Q->column;
  const int32_t *row = patch->slot + P->column, *column = patch->slot + Q->column;
  int ld = patch->ld;
  if (P->node > Q->node) { // kept transposed
    if (symmetric) return;
    double* T = hfi_block_lower(K, Q->node) + hfi_block_column(K, Q->node, P->node);
    int w = K->width[Q->node];
    for (int32_t i = 0; i < P->ncol; ++i)
      for (int32_t j = 0; j < Q->ncol; ++j) T[column[j] * w + row[i]] += local[i * ld + j];
    return;
  }
  double* D = hfi_block_diagonal(K, P->node);
  int w = K->size[P->node];
  if (P->node < Q->node) {
    D = hfi_block_upper(K, P->node) + hfi_block_column(K, P->node, Q->node);
    w = K->width[P->node];
  }
  for (int32_t i = 0; i < P->ncol; ++i)
    for (int32_t j = 0; j < Q->ncol; ++j) D[row[i] * w + column[j]] += local[i * ld + j];
}

static void add_patch(hfiIsland* I, const hfiPatch* patch, int symmetric) {
  const hfiSegment* segment = I->segment + patch->segment;
  if (patch->contiguous) { // straight into a diagonal block
    int w = I->K.size[segment->node];
    add_patch_product(I, patch, hfi_block_diagonal(&I->K, segment->node) + patch->slot[0] * (w + 1), w);
    return;
  }
  memset(I->local, 0, sizeof(double) * (size_t)(patch->ncol * patch->ld));
  add_patch_product(I, patch, I->local, patch->ld);
  for (int32_t i = 0; i < patch->nsegment; ++i)
    for (int32_t j = 0; j < patch->nsegment; ++j)
      scatter_segments(I, patch, segment + i, segment + j, symmetric);
}

// Writes A into the (zero) Newton matrix.
static void place_mass(hfiIsland* I) {
  const hfStepProblem* P = I->problem;
  for (int32_t t = 0; t < I->ntree; ++t) {
    int32_t tree = I->tree[t], start = P->tree_start[tree], m = P->tree_start[tree + 1] - start;
    int32_t node = I->node[tree], slot = I->first[tree] - I->K.first[node], w = I->K.size[node];
    const double* M = P->M + P->M_start[tree];
    double* D = hfi_block_diagonal(&I->K, node) + slot * (w + 1);
    for (int32_t i = 0; i < m; ++i) {
      memcpy(D + i * w, M + i * m, sizeof(double) * (size_t)m);
      D[i * w + i] += P->diag[start + i];
    }
  }
}

int hfi_system_is_coupled(const hfiIsland* I) {
  for (int32_t k = 0; k < I->nblock; ++k)
    if (I->response[k].coupled) return 1;
  return 0;
}

int hfi_system_factor(hfiIsland* I) {
  int symmetric = !hfi_system_is_coupled(I);
  hfi_block_zero(&I->K);
  place_mass(I);
  for (int32_t k = 0; k < I->npatch; ++k) add_patch(I, I->patch + k, symmetric);
  return hfi_block_factor(&I->K, symmetric);
}

void hfi_system_decouple(hfiIsland* I) {
  for (int32_t k = 0; k < I->nblock; ++k) {
    I->response[k].coupled = 0;
    for (int i = 0; i < 5; ++i) I->response[k].gtn[i] = 0;
  }
}

double hfi_system_row_weight(const hfiIsland* I, const hfiIslandBlock* b, int32_t i) {
  const hfiPatch* patch = I->patch + b->patch;
  const double* J = patch->J + (b->row - patch->row + i) * patch->ld;
  double sum = 0;
  for (int32_t c = 0; c < patch->ncol; ++c) sum += J[c] * J[c] * I->inverse_diag[patch->dof[c]];
  return sqrt(sum);
}

double hfi_system_momentum_norm(const hfiIsland* I, const double* x) {
  double sum = 0;
  for (int32_t i = 0; i < I->n; ++i) sum += x[i] * x[i] * I->inverse_diag[i];
  return sqrt(sum);
}

double hfi_system_velocity_norm(const hfiIsland* I, const double* x) {
  double sum = 0;
  for (int32_t i = 0; i < I->n; ++i) sum += x[i] * x[i] / I->inverse_diag[i];
  return sqrt(sum);
}

double hfi_system_scale(const hfiIsland* I) {
  return max2(hfi_system_momentum_norm(I, I->p), hfi_system_momentum_norm(I, I->tau));
}
