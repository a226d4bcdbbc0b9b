// Finds modes by a complementarity problem with friction polygons, if the active set finds none.
//
//   w_N = y_N                      >= 0  _|_  f_n   >= 0
//   w_e = e . y_T + lambda_u       >= 0  _|_  beta_e >= 0      edges e of friction group u
//   w_u = mu f_n - sum_e beta_e    >= 0  _|_  lambda_u >= 0
//
// y = A x + b are the rows of the rigid problem with all groups in question rolling, x = (f_n, sum_e beta_e e): so
// the matrix is G^T A G with the couplings to lambda, G the map from (f_n, beta) to x. Lemke solves it wherever the
// sliding contacts admit a solution, dependent rows included. lambda_u > 0: the group slides, against its friction.
// A group with one direction has two edges and is exact; with two directions there are eight.
#include "methods/switching/rigid.h"

#include "linalg/dense.h"

#include <string.h>

enum { EDGES = 8 };
// A group slides if its lambda is above this share of the largest |b| [-]; |b| counts as at least this large.
static const double SLIDING_SHARE = 1e-9;

// Column z of the polygon problem: x_i = weight, or a pair of rolling rows.
typedef struct Column {
  int32_t row, nrow; // rows of A
  double weight[2];
  int32_t group; // friction group of an edge, else -1
} Column;

size_t hfi_polygon_column_size(void) { return sizeof(Column); }

// ---- the problem ------------------------------------------------------------------------------------

// Number of edges of the polygon of a group.
static int count_edges(const hfiFrictionGroup* u) {
  if (u->mode != HF_MODE_ROLLING) return 0;
  return u->nrow == 2 ? EDGES : 2 * u->nrow;
}

// Lists the columns of normal forces and edges. Returns their number, or -1 if there is no room.
static int add_columns(const hfRigid* r, Column* column, int capacity) {
  const hfRigidProblem* p = &r->problem;
  int n = 0;
  for (int i = 0; i < p->ncontact; ++i) {
    if (p->contact[i].row_n < 0) continue;
    if (n == capacity) return -1;
    column[n++] = (Column){p->contact[i].row_n, 1, {1, 0}, -1};
  }

  for (int k = 0; k < r->ngroup; ++k) {
    const hfiFrictionGroup* u = &r->group[k];
    int edges = count_edges(u);
    if (n + edges > capacity) return -1;
    for (int e = 0; e < edges; ++e) {
      hfiSine turn = hfi_sine(2 * HFI_PI * e / edges);
      column[n++] = (Column){u->row, u->nrow, {turn.cos, u->nrow == 2 ? turn.sin : 0}, k};
    }
  }
  return n;
}

// a^T A b of two columns.
static double multiply_columns(const hfRigidProblem* p, const Column* a, const Column* b) {
  double sum = 0;
  for (int i = 0; i < a->nrow; ++i)
    for (int j = 0; j < b->nrow; ++j) sum += a->weight[i] * b->weight[j] * p->A[(a->row + i) * p->n + b->row + j];
  return sum;
}

// Fills the problem. Returns its size, or -1 if it is too large. slack[k]: row of lambda of friction group k, or -1.
static int fill_problem(hfRigid* r, Column* column, int32_t* slack) {
  const hfRigidProblem* p = &r->problem;
  int nforce = add_columns(r, column, r->max_rows);
  if (nforce < 0) return -1;
  int n = nforce;
  for (int k = 0; k < r->ngroup; ++k) slack[k] = count_edges(&r->group[k]) ? n++ : -1;
  if (n > r->max_rows) return -1;

  // G^T A G, and the couplings of edges and lambda
  double* A = r->polygons.A;
  double* b = r->polygons.b;
  memset(A, 0, (size_t)n * (size_t)n * sizeof *A);
  memset(b, 0, (size_t)n * sizeof *b);
  for (int i = 0; i < nforce; ++i) {
    for (int j = 0; j < nforce; ++j) A[i * n + j] = multiply_columns(p, &column[i], &column[j]);
    for (int j = 0; j < column[i].nrow; ++j) b[i] += column[i].weight[j] * p->b[column[i].row + j];
    if (column[i].group < 0) continue;
    int lambda = slack[column[i].group];
    A[i * n + lambda] = 1;
    A[lambda * n + i] = -1;
  }

  // mu f_n in the rows of lambda
  for (int k = 0; k < r->ngroup; ++k) {
    int row_n = p->contact[r->group[k].contact].row_n;
    for (int j = 0; slack[k] >= 0 && j < nforce; ++j)
      if (column[j].group < 0 && column[j].row == row_n) A[slack[k] * n + j] = r->group[k].mu_static;
  }
  return n;
}

// ---- its solution -----------------------------------------------------------------------------------

// Sets the modes: groups that move and whose friction is at its bound slide, against their friction.
static void take_modes(hfRigid* r, const int32_t* slack, double scale) {
  for (int k = 0; k < r->ngroup; ++k) {
    const hfiFrictionGroup* u = &r->group[k];
    if (slack[k] < 0 || r->polygons.z[slack[k]] <= SLIDING_SHARE * scale) continue;
    hfiTrack* t = hfi_group_track(r, u);
    hfVec3 d = v3_neg(hfi_group_vector(hfi_point_contact(r, u->contact), u->group, t->f + u->first));
    if (v3_norm(d) == 0) continue;
    t->mode[u->group] = HF_MODE_SLIDING;
    t->d_W[u->group] = v3_unit(d);
  }
}

hfStatus hfi_rigid_polygon(hfRigid* r, const double* base, double* out) {
  hfRigidProblem* p = &r->problem;
  Column* column = r->polygons.column;
  int32_t* slack = r->polygons.slack;
  int n = fill_problem(r, column, slack);
  if (n < 0) return HF_NOT_CONVERGED;
  int nforce = n;
  for (int k = 0; k < r->ngroup; ++k) nforce -= slack[k] >= 0;

  hfLcp lcp = {n, r->polygons.A, r->polygons.b, NULL, NULL};
  hfLcpConfig config = hf_lcp_config_default();
  hfError error = {HF_OK, ""};
  if (n && hf_lcp_solve(&lcp, &config, r->polygons.z, NULL, r->work, r->work_size, &p->lcp, &error) != HF_OK)
    return HF_NO_SOLUTION;
  p->lcp.status = HF_OK;

  // x = G z
  memset(p->x, 0, (size_t)p->n * sizeof *p->x);
  for (int i = 0; i < nforce; ++i)
    for (int j = 0; j < column[i].nrow; ++j) p->x[column[i].row + j] += column[i].weight[j] * r->polygons.z[i];
  hfi_rigid_add_forces(r, base, out);
  hfi_rigid_store_forces(r);

  double scale = SLIDING_SHARE;
  for (int i = 0; i < p->n; ++i) scale = max2(scale, fabs(p->b[i]));
  take_modes(r, slack, scale);
  return HF_OK;
}
