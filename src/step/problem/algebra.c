// The algebra of a step problem. algebra.h has the equations.
//
// A block has a piece of its Jacobian for each tree that it acts on. Column c of a piece belongs to the dof cols[c] of
// that tree.
#include "step/problem/algebra.h"

#include "step/law/contact_response.h"

#include <string.h>

// ---- one block ---------------------------------------------------------------------------------------

// Writes s (dim) = J_b v + drift_b.
void hfi_block_velocity(const hfStepProblem* P, const hfStepBlock* block, const double* v, double* s) {
  for (int i = 0; i < block->dim; ++i) s[i] = 0;

  for (int k = block->piece; k < block->piece + block->npiece; ++k) {
    const hfStepPiece* piece = P->piece + k;
    const double* J = P->J + piece->jac;
    const double* v_tree = v + P->tree_start[piece->tree];
    const int32_t* cols = P->cols + piece->col;

    for (int i = 0; i < block->dim; ++i, J += piece->ncol) {
      double sum = s[i];
      for (int c = 0; c < piece->ncol; ++c) sum += J[c] * v_tree[cols[c]];
      s[i] = sum;
    }
  }

  if (!P->drift) return;
  for (int i = 0; i < block->dim; ++i) s[i] += P->drift[block->row + i];
}

// Returns J v of the first row of a block, without the drift [m/s].
double hfi_normal_velocity(const hfStepProblem* P, const hfStepBlock* block, const double* v) {
  double s[HFI_MAX_BLOCK_ROWS];
  hfi_block_velocity(P, block, v, s);
  return s[0] - (P->drift ? P->drift[block->row] : 0);
}

// Returns J v of row i of a block, without the drift [m/s].
double hfi_row_velocity(const hfStepProblem* P, const hfStepBlock* block, int i, const double* v) {
  double sum = 0;
  for (int k = block->piece; k < block->piece + block->npiece; ++k) {
    const hfStepPiece* piece = P->piece + k;
    const int32_t* cols = P->cols + piece->col;
    const double* J = P->J + piece->jac + i * piece->ncol;
    const double* v_tree = v + P->tree_start[piece->tree];
    for (int c = 0; c < piece->ncol; ++c) sum += J[c] * v_tree[cols[c]];
  }
  return sum;
}

// x (nv) += J_i^T gamma, for row i of a block
void hfi_row_add_impulse(const hfStepProblem* P, const hfStepBlock* block, int i, double gamma, double* x) {
  for (int k = block->piece; k < block->piece + block->npiece; ++k) {
    const hfStepPiece* piece = P->piece + k;
    const int32_t* cols = P->cols + piece->col;
    const double* J = P->J + piece->jac + i * piece->ncol;
    double* x_tree = x + P->tree_start[piece->tree];
    for (int c = 0; c < piece->ncol; ++c) x_tree[cols[c]] += gamma * J[c];
  }
}

// Writes row i of a block as a dense row J (count). The velocities of tree t begin at first[t].
void hfi_block_dense_row(const hfStepProblem* P, const hfStepBlock* block, int i, const int32_t* first, int count,
                         double* J) {
  memset(J, 0, sizeof *J * (size_t)count);
  for (int k = block->piece; k < block->piece + block->npiece; ++k) {
    const hfStepPiece* piece = P->piece + k;
    const double* from = P->J + piece->jac + i * piece->ncol;
    double* to = J + first[piece->tree];
    for (int c = 0; c < piece->ncol; ++c) to[P->cols[piece->col + c]] += from[c]; // pieces may share dofs
  }
}

// r (nv) -= J_b^T gamma
void hfi_block_subtract_impulse(const hfStepProblem* P, const hfStepBlock* block, const double* gamma, double* r) {
  for (int k = block->piece; k < block->piece + block->npiece; ++k) {
    const hfStepPiece* piece = P->piece + k;
    const double* J = P->J + piece->jac;
    const int32_t* cols = P->cols + piece->col;
    double* r_tree = r + P->tree_start[piece->tree];

    for (int i = 0; i < block->dim; ++i, J += piece->ncol)
      for (int c = 0; c < piece->ncol; ++c) r_tree[cols[c]] -= J[c] * gamma[i];
  }
}

// Writes the derivatives of a contact as a full matrix G (dim x dim). Of a contact without force, all of them are zero.
//
//   G = [ gnn  0   ]      gtt: sliding (rows 1, 2), torsion (row 3), rolling (rows 4, 5)
//       [ gtn  gtt ]
static void expand_response(const hfiContactResponse* response, int dim, double* G) {
  memset(G, 0, sizeof *G * (size_t)(dim * dim));
  G[0] = response->gnn;
  if (!(response->pi_mu > 0)) return;

  // gtn, then gtt group by group
  for (int i = 1; i < dim; ++i) G[i * dim] = response->gtn[i - 1];

  for (int group = 0; group < hfi_group_count(dim); ++group) {
    const double* gtt = response->gtt + hfi_group_gtt(group);
    int row = 1 + hfi_group_row(group);
    G[row * (dim + 1)] = gtt[0];
    if (hfi_group_dim(group) == 1) continue;
    G[row * dim + row + 1] = gtt[1];
    G[(row + 1) * dim + row] = gtt[1];
    G[(row + 1) * (dim + 1)] = gtt[2];
  }
}

// Writes the impulses gamma (dim) of a block at row velocities s and, unless it is NULL, G = -dgamma/ds (dim x
// dim).
void hfi_block_respond(const hfStepProblem* P, const hfStepBlock* block, int coupling, double lag, const double* s,
                       double* gamma, double* G) {
  int dim = block->dim;

  if (block->law == HF_LAW_CONTACT) {
    hfiContactResponse response;
    hfi_contact_respond(P->contact + block->param, P->h, dim, coupling, lag, s, gamma, &response);
    if (G) expand_response(&response, dim, G);
    return;
  }

  // saturated rows: G is diagonal
  if (G) memset(G, 0, sizeof *G * (size_t)(dim * dim));
  for (int i = 0; i < dim; ++i) {
    double slope;
    gamma[i] = hfi_saturated_respond(P->saturated + block->param + i, P->h, s[i], &slope);
    if (G) G[i * (dim + 1)] = slope;
  }
}

// ---- the whole problem -------------------------------------------------------------------------------

// Writes s (nrow) = J v + drift.
void hfi_problem_row_velocities(const hfStepProblem* P, const double* v, double* s) {
  for (int b = 0; b < P->nblock; ++b) hfi_block_velocity(P, P->block + b, v, s + P->block[b].row);
}

// Writes r (nv) = A v - p*.
void hfi_problem_momentum_change(const hfStepProblem* P, const double* v, double* r) {
  for (int t = 0; t < P->ntree; ++t) {
    int first = P->tree_start[t];
    int n = P->tree_start[t + 1] - first;
    const double* M = P->M + P->M_start[t];

    for (int i = 0; i < n; ++i, M += n) {
      double sum = P->diag[first + i] * v[first + i] - P->p[first + i];
      for (int j = 0; j < n; ++j) sum += M[j] * v[first + j];
      r[first + i] = sum;
    }
  }
}

// Writes r (nv) = A v - p* - J^T gamma(J v + drift) and, unless it is NULL, the impulses gamma (nrow).
void hfi_problem_residual(const hfStepProblem* P, int coupling, const double* v, double* r, double* gamma) {
  hfi_problem_momentum_change(P, v, r);
  for (int b = 0; b < P->nblock; ++b) {
    const hfStepBlock* block = P->block + b;
    double s[HFI_MAX_BLOCK_ROWS];
    double impulse[HFI_MAX_BLOCK_ROWS];

    hfi_block_velocity(P, block, v, s);
    hfi_block_respond(P, block, coupling, 0, s, impulse, NULL);
    hfi_block_subtract_impulse(P, block, impulse, r);
    if (gamma) memcpy(gamma + block->row, impulse, sizeof *gamma * (size_t)block->dim);
  }
}

// K += A, tree by tree
static void add_mass(const hfStepProblem* P, double* K) {
  for (int t = 0; t < P->ntree; ++t) {
    int first = P->tree_start[t];
    int n = P->tree_start[t + 1] - first;
    const double* M = P->M + P->M_start[t];

    for (int i = 0; i < n; ++i) {
      double* row = K + (first + i) * P->nv + first;
      for (int j = 0; j < n; ++j) row[j] += M[i * n + j];
      row[i] += P->diag[first + i];
    }
  }
}

// K += J_a^T G J_b, for the pieces a and b of the same block with `dim` rows
static void add_pieces(const hfStepProblem* P, const hfStepPiece* a, const hfStepPiece* b, int dim, const double* G,
                       double* K) {
  const double* J_a = P->J + a->jac;
  const double* J_b = P->J + b->jac;

  for (int i = 0; i < a->ncol; ++i) {
    double* row = K + (P->tree_start[a->tree] + P->cols[a->col + i]) * P->nv + P->tree_start[b->tree];
    for (int j = 0; j < b->ncol; ++j) {
      double sum = 0;
      for (int r = 0; r < dim; ++r)
        for (int q = 0; q < dim; ++q) sum += J_a[r * a->ncol + i] * G[r * dim + q] * J_b[q * b->ncol + j];
      row[P->cols[b->col + j]] += sum;
    }
  }
}

// Writes K (nv x nv) = dr/dv at v.
void hfi_problem_matrix(const hfStepProblem* P, int coupling, const double* v, double* K) {
  memset(K, 0, sizeof *K * (size_t)P->nv * (size_t)P->nv);
  add_mass(P, K);

  for (int b = 0; b < P->nblock; ++b) {
    const hfStepBlock* block = P->block + b;
    const hfStepPiece* piece = P->piece + block->piece;
    double s[HFI_MAX_BLOCK_ROWS];
    double gamma[HFI_MAX_BLOCK_ROWS];
    double G[HFI_MAX_BLOCK_ROWS * HFI_MAX_BLOCK_ROWS];

    hfi_block_velocity(P, block, v, s);
    hfi_block_respond(P, block, coupling, 0, s, gamma, G);
    for (int i = 0; i < block->npiece; ++i)
      for (int j = 0; j < block->npiece; ++j) add_pieces(P, piece + i, piece + j, block->dim, G, K);
  }
}
