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

enum { EDGES = 8 }; // Edges of the polygon of a group with two directions.
// A group slides if its lambda is above this share of the largest |b| [-]; |b| counts as at least this large.
static const double SLIDING_SHARE = 1e-9;

// Column of G: the part of x that one unknown of the polygon problem makes, f_n of a contact or beta_e of an edge.
typedef struct Column {
  int32_t row;      // first of its rows in A
  int32_t nrow;     // number of these rows: 1 or 2
  double weight[2]; // entries of the column in these rows
  int32_t group;    // friction group of an edge, else -1
} Column;

size_t hfi_polygon_column_size(void) { return sizeof(Column); }

// ---- the problem ------------------------------------------------------------------------------------

// Number of edges of the polygon of a group.
static int count_edges(const hfiFrictionGroup* group) {
  if (group->mode != HF_MODE_ROLLING) return 0;
  return group->nrow == 2 ? EDGES : 2 * group->nrow;
}

// Lists the columns of G (row, number of rows, weights, group): first the normal forces of closed contacts, then the
// edges of rolling groups. Edges of two rows are directions at equal angles; one row has the edges +1 and -1. Returns
// their number, or -1 if there is no room.
static int add_columns(const hfRigid* rigid, Column* column, int capacity) {
  const hfRigidProblem* problem = &rigid->problem;
  int n = 0;
  for (int i = 0; i < problem->ncontact; ++i) {
    if (problem->contact[i].row_n < 0) continue;
    if (n == capacity) return -1;
    column[n++] = (Column){problem->contact[i].row_n, 1, {1, 0}, -1};
  }

  for (int k = 0; k < rigid->ngroup; ++k) {
    const hfiFrictionGroup* group = &rigid->group[k];
    int edges = count_edges(group);

    if (n + edges > capacity) return -1;
    for (int e = 0; e < edges; ++e) {
      hfiSine turn = hfi_sine(2 * HFI_PI * e / edges);
      column[n++] = (Column){group->row, group->nrow, {turn.cos, group->nrow == 2 ? turn.sin : 0}, k};
    }
  }
  return n;
}

// Returns a^T A b of two columns of G.
static double multiply_columns(const hfRigidProblem* problem, const Column* a, const Column* b) {
  double sum = 0;
  for (int i = 0; i < a->nrow; ++i)
    for (int j = 0; j < b->nrow; ++j) {
      double entry = problem->A[(a->row + i) * problem->n + b->row + j];
      sum += a->weight[i] * b->weight[j] * entry;
    }
  return sum;
}

// Fills the polygon problem, rigid->polygons.A and b. Returns its size, or -1 if it is too large.
// slack[k] is the row of lambda of friction group k, or -1 if the group does not roll. nforce: columns of G.
static int fill_problem(hfRigid* rigid, Column* column, int32_t* slack) {
  const hfRigidProblem* problem = &rigid->problem;
  int nforce = add_columns(rigid, column, rigid->max_rows);

  if (nforce < 0) return -1;
  int n = nforce;
  for (int k = 0; k < rigid->ngroup; ++k) slack[k] = count_edges(&rigid->group[k]) ? n++ : -1;

  if (n > rigid->max_rows) return -1;

  // G^T A G, and the couplings of edges and lambda
  double* A = rigid->polygons.A;
  double* b = rigid->polygons.b;
  memset(A, 0, (size_t)n * (size_t)n * sizeof *A);
  memset(b, 0, (size_t)n * sizeof *b);

  for (int i = 0; i < nforce; ++i) {
    for (int j = 0; j < nforce; ++j) A[i * n + j] = multiply_columns(problem, &column[i], &column[j]);
    for (int j = 0; j < column[i].nrow; ++j) b[i] += column[i].weight[j] * problem->b[column[i].row + j];

    if (column[i].group < 0) continue;

    int lambda = slack[column[i].group];
    A[i * n + lambda] = 1;
    A[lambda * n + i] = -1;
  }

  // mu f_n in the rows of lambda
  for (int k = 0; k < rigid->ngroup; ++k) {
    int row_n = problem->contact[rigid->group[k].contact].row_n;
    if (slack[k] < 0) continue;

    for (int j = 0; j < nforce; ++j) {
      int is_its_normal = column[j].group < 0 && column[j].row == row_n;
      if (is_its_normal) A[slack[k] * n + j] = rigid->group[k].mu_static;
    }
  }
  return n;
}

// ---- its solution -----------------------------------------------------------------------------------

// Sets the modes from the solution z: groups whose lambda is above SLIDING_SHARE * scale slide, against their friction.
static void set_sliding_modes(hfRigid* rigid, const int32_t* slack, double scale) {
  for (int k = 0; k < rigid->ngroup; ++k) {
    const hfiFrictionGroup* group = &rigid->group[k];
    if (slack[k] < 0 || rigid->polygons.z[slack[k]] <= SLIDING_SHARE * scale) continue;

    hfiTrack* track = hfi_group_track(rigid, group);
    const hfiContact* contact = hfi_point_contact(rigid, group->contact);
    hfVec3 d = v3_neg(hfi_group_vector(contact, group->kind, track->f + group->first));
    if (v3_norm(d) == 0) continue;

    track->mode[group->kind] = HF_MODE_SLIDING;
    track->d_W[group->kind] = v3_unit(d);
  }
}

// Solves the assembled problem with friction polygons, and sets forces and modes of the tracks from its solution. `out`
// (nv) becomes `base` plus what the forces add. HF_NOT_CONVERGED: the polygon problem is too large. HF_NO_SOLUTION:
// Lemke's method finds none.
hfStatus hfi_rigid_solve_polygons(hfRigid* rigid, const double* base, double* out) {
  hfRigidProblem* problem = &rigid->problem;
  hfLcpReport* report = &problem->lcp;
  Column* column = rigid->polygons.column;
  int32_t* slack = rigid->polygons.slack;
  int n = fill_problem(rigid, column, slack);
  if (n < 0) return HF_NOT_CONVERGED;

  int nforce = n;
  for (int k = 0; k < rigid->ngroup; ++k) nforce -= slack[k] >= 0;

  // solve for z = (f_n, beta, lambda)
  hfLcp lcp = {n, rigid->polygons.A, rigid->polygons.b, NULL, NULL};
  hfLcpConfig config = hf_lcp_config_default();
  hfError error = {HF_OK, ""};
  if (n) {
    hfStatus status = hf_lcp_solve(&lcp, &config, rigid->polygons.z, NULL, rigid->work, rigid->work_size, report,
                                   &error);
    if (status != HF_OK) return HF_NO_SOLUTION;
  }
  report->status = HF_OK;

  // x = G z
  memset(problem->x, 0, (size_t)problem->n * sizeof *problem->x);
  for (int i = 0; i < nforce; ++i) {
    const Column* force = &column[i];
    for (int j = 0; j < force->nrow; ++j) problem->x[force->row + j] += force->weight[j] * rigid->polygons.z[i];
  }

  hfi_rigid_add_forces(rigid, base, out);
  hfi_rigid_store_forces(rigid);

  // modes
  double scale = SLIDING_SHARE;
  for (int i = 0; i < problem->n; ++i) scale = max2(scale, fabs(problem->b[i]));
  set_sliding_modes(rigid, slack, scale);
  return HF_OK;
}
