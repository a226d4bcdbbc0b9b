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

// Column z of the polygon problem: x_i = weight, or a pair of rolling rows.
typedef struct Column {
  int32_t row, nrow; // rows of A
  double weight[2];
  int32_t group; // friction group of an edge, else -1
} Column;

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
    int edges = u->mode == HF_MODE_ROLLING ? u->nrow == 2 ? EDGES : 2 * u->nrow : 0;
    if (n + edges > capacity) return -1;
    for (int e = 0; e < edges; ++e) {
      hfiSine turn = hfi_sine(2 * HFI_PI * e / edges);
      Column edge = {u->row, u->nrow, {turn.cos, u->nrow == 2 ? turn.sin : 0}, k};
      column[n++] = edge;
    }
  }
  return n;
}

static double product(const hfRigidProblem* p, const Column* a, const Column* b) {
  double sum = 0;
  for (int i = 0; i < a->nrow; ++i)
    for (int j = 0; j < b->nrow; ++j)
      sum += a->weight[i] * b->weight[j] * p->A[(a->row + i) * p->n + b->row + j];
  return sum;
}

// Fills the problem. Returns its size, or -1 if it is too large. slack[k]: row of lambda of friction group k, or -1.
static int fill(hfRigid* r, Column* column, int32_t* slack) {
  const hfRigidProblem* p = &r->problem;
  int nforce = add_columns(r, column, r->max_rows), n = nforce;
  if (nforce < 0) return -1;
  for (int k = 0; k < r->ngroup; ++k)
    slack[k] = r->group[k].mode == HF_MODE_ROLLING && r->group[k].nrow ? n++ : -1;
  if (n > r->max_rows) return -1;
  double *A = r->polygon_A, *b = r->polygon_b;
  memset(A, 0, (size_t)n * (size_t)n * sizeof *A);
  memset(b, 0, (size_t)n * sizeof *b);
  for (int i = 0; i < nforce; ++i) {
    for (int j = 0; j < nforce; ++j) A[i * n + j] = product(p, &column[i], &column[j]);
    for (int j = 0; j < column[i].nrow; ++j) b[i] += column[i].weight[j] * p->b[column[i].row + j];
    if (column[i].group < 0) continue;
    int at = slack[column[i].group];
    A[i * n + at] = 1;
    A[at * n + i] = -1;
  }
  for (int k = 0; k < r->ngroup; ++k)
    for (int j = 0; slack[k] >= 0 && j < nforce; ++j)
      if (column[j].group < 0 && column[j].row == p->contact[r->group[k].contact].row_n)
        A[slack[k] * n + j] = r->group[k].mu_static;
  return n;
}

static void take_solution(hfRigid* r, const Column* column, int nforce, const double* base) {
  hfRigidProblem* p = &r->problem;
  memset(p->x, 0, (size_t)p->n * sizeof *p->x);
  for (int i = 0; i < nforce; ++i)
    for (int j = 0; j < column[i].nrow; ++j)
      p->x[column[i].row + j] += column[i].weight[j] * r->polygon_z[i];
  hfi_rigid_add_forces(r, base);
  hfi_rigid_store_forces(r);
}

// Sets the modes: groups that move and whose friction is at its bound slide, against their friction.
static void take_modes(hfRigid* r, const int32_t* slack, double scale) {
  for (int k = 0; k < r->ngroup; ++k) {
    const hfiFrictionGroup* u = &r->group[k];
    if (slack[k] < 0 || r->polygon_z[slack[k]] <= 1e-9 * scale) continue;
    hfiTrack* t = &r->track[r->point[u->contact].track];
    hfVec3 d = v3_neg(hfi_group_vector(r->accel->contact[u->contact].contact, u->group, t->f + u->first));
    if (v3_norm(d) == 0) continue;
    t->mode[u->group] = HF_MODE_SLIDING;
    t->d_W[u->group] = v3_unit(d);
  }
}

hfStatus hfi_rigid_polygon(hfRigid* r, const double* base) {
  hfRigidProblem* p = &r->problem;
  Column* column = r->polygon_column;
  int32_t* slack = r->polygon_slack;
  int n = fill(r, column, slack), nforce = n;
  if (n < 0) return HF_NOT_CONVERGED;
  for (int k = 0; k < r->ngroup; ++k) nforce -= slack[k] >= 0;
  hfLcp lcp = {n, r->polygon_A, r->polygon_b, NULL, NULL};
  hfLcpConfig config = hf_lcp_config_default();
  hfError error = {HF_OK, ""};
  if (n && hf_lcp_solve(&lcp, &config, r->polygon_z, NULL, r->work, r->work_size, &p->lcp,
                        &error) != HF_OK)
    return HF_NO_SOLUTION;
  double scale = 1e-9;
  for (int i = 0; i < p->n; ++i) scale = max2(scale, fabs(p->b[i]));
  p->lcp.status = HF_OK;
  take_solution(r, column, nforce, base);
  take_modes(r, slack, scale);
  return HF_OK;
}

size_t hfi_polygon_column_size(void) { return sizeof(Column); }
