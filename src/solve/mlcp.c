// A step with rigid contact (Shepherd, Zapolsky, Drumwright 2016) as a problem for the impulses
// alone.
//
//   x   impulses of the rows: saturated rows, then normals, then tangents [N s]
//   v   velocities at the end of the step, v* those without impulses
//   G   J A^-1 J^T, the velocities that unit impulses give to the rows
//   h   step, kappa and s0 slope and target of a saturated row, N normal rows, fN normal impulses
//
// Islands (partition.h) do not act on each other: those of contacts alone are solved one after the other, because the effort grows with the third
// power of the rows, and memory with the second: it follows the largest problem so far.
// Step 1 copies the rows of an island into the dense matrix J (take_saturated, take_normals,
// take_tangents). Step 2 eliminates the velocities:
//
//   v = v* + A^-1 J^T x,   v* = A^-1 p*,   G = J A^-1 J^T
//
// Step 3 chooses x so that
//
//   saturated  h lo <= x <= h hi,  complementary to J v - s0 + R x    R = 1/(h kappa); 0 if near-rigid
//   normal     fN >= 0,            complementary to N v - b           b = depth/h where there is a gap,
//                                                                     recovery depth/h in an overlap
//   tangents   friction within mu fN, against F v - s0                s0 = -k_t xi0/(h k_t + c_t), the slip at
//                                                                     which an anchor exerts no force, less the drift
//
// complementarity.c and dissipation.c say in what way friction opposes slip.
#include "solve/mlcp.h"

#include "base/error.h"
#include "base/finite.h"
#include "linalg/dense.h"
#include "math/vec3.h"
#include "solve/finite.h"

#include <string.h>

// A saturated row is treated as rigid if h kappa w exceeds this, w being its inverse mass [-].
// Near-rigid rows have (2 pi/beta)^2 = 3948 with the default beta = 0.1.
static const double RIGID_SLOPE = 1000;
// Islands with saturated rows are solved together with all others where they move slower than this share of the fastest [-].
static const double SLOW = 1e-6;

// ---- rows ----------------------------------------------------------------------------------------

// Copies row r of a block to row i of J.
static void take_row(hfMlcp* m, const hfStepBlock* b, int r, int i) {
  const hfStepProblem* p = m->problem;
  double* J = m->J + (size_t)i * (size_t)m->nv;
  memset(J, 0, sizeof *J * (size_t)m->nv);
  m->source[i] = b->row + r;
  for (int k = b->piece; k < b->piece + b->npiece; ++k) {
    const hfStepPiece* piece = &p->piece[k];
    const double* from = p->J + piece->jac + r * piece->ncol;
    for (int c = 0; c < piece->ncol; ++c) J[m->column[piece->tree] + p->cols[piece->col + c]] = from[c];
  }
}

// Appends all saturated rows of the island.
static void take_saturated(hfMlcp* m) {
  const hfStepProblem* p = m->problem;
  for (int k = 0; k < m->nblock; ++k) {
    const hfStepBlock* b = &p->block[m->block[k]];
    for (int r = 0; b->law == HF_LAW_SATURATED && r < b->dim; ++r) {
      const hfSaturatedRow* row = &p->saturated[b->param + r];
      int i = m->ns++;
      take_row(m, b, r, i);
      m->target[i] = row->s0;
      m->soft[i] = 1 / (p->h * row->kappa);
      m->lo[i] = p->h * row->lo;
      m->hi[i] = p->h * row->hi;
    }
  }
}

// Appends the normal row of every contact. Its target is the approach velocity that closes the gap
// in this step, or that removes the share `recovery` of an overlap.
static void take_normals(hfMlcp* m) {
  const hfStepProblem* p = m->problem;
  for (int k = 0; k < m->nblock; ++k) {
    const hfStepBlock* b = &p->block[m->block[k]];
    if (b->law != HF_LAW_CONTACT) continue;
    const hfContactLaw* law = &p->contact[b->param];
    int c = m->nc++, i = m->ns + c;
    m->contact[c] = m->block[k];
    m->mu[c] = law->mu[0];
    take_row(m, b, 0, i);
    m->target[i] = law->depth / p->h * (law->depth > 0 ? m->config.recovery : 1);
    if (p->drift) m->target[i] -= p->drift[b->row];
    m->soft[i] = 0, m->lo[i] = 0, m->hi[i] = INFINITY;
  }
}

// The slip velocity that row i (1 or 2) of a contact aims at: that at which the force of anchored friction vanishes; rigid
// contact that sticks has no other. Laws without memory aim at no slip.
static double tangent_target(const hfContactLaw* law, double h, int i) {
  double slope = h * law->k_t[HF_SLIDING] + law->c_t[HF_SLIDING];
  if (law->friction != HF_FRICTION_ANCHORED || !(slope > 0)) return 0;
  return -law->k_t[HF_SLIDING] * law->xi0[i - 1] / slope;
}

static int has_friction(const hfStepBlock* b, const hfContactLaw* law) { return b->dim >= 3 && law->mu[0] > 0; }

// Appends two tangent rows for every contact with friction.
static void take_tangents(hfMlcp* m) {
  m->n = m->ns + m->nc;
  for (int c = 0; c < m->nc; ++c) {
    const hfStepBlock* b = &m->problem->block[m->contact[c]];
    m->tangent[c] = -1;
    if (!has_friction(b, &m->problem->contact[b->param])) continue;
    m->tangent[c] = m->n;
    m->nt++;
    for (int r = 1; r <= 2; ++r, ++m->n) {
      take_row(m, b, r, m->n);
      m->target[m->n] = tangent_target(&m->problem->contact[b->param], m->problem->h, r);
      if (m->problem->drift) m->target[m->n] -= m->problem->drift[b->row + r];
      m->soft[m->n] = 0;
      m->lo[m->n] = -INFINITY, m->hi[m->n] = INFINITY;
    }
  }
}

// Computes W = J A^-1 and v* = A^-1 p* of the island, tree by tree. Returns 0 if A of a tree is not positive
// definite.
static int eliminate_velocities(hfMlcp* m) {
  const hfStepProblem* p = m->problem;
  memcpy(m->W, m->J, sizeof *m->J * (size_t)m->n * (size_t)m->nv);
  for (int k = 0; k < m->ntree; ++k) {
    int t = m->tree[k], start = p->tree_start[t], first = m->column[t], n = p->tree_start[t + 1] - start;
    memcpy(m->free_v + first, p->p + start, sizeof *p->p * (size_t)n);
    memcpy(m->A, p->M + p->M_start[t], sizeof *m->A * (size_t)n * (size_t)n);
    for (int i = 0; i < n; ++i) m->A[i * n + i] += p->diag[start + i];
    if (hfi_cholesky(m->A, n, n)) return 0;
    hfi_cholesky_solve(m->A, n, n, m->free_v + first);
    for (int i = 0; i < m->n; ++i) hfi_cholesky_solve(m->A, n, n, m->W + (size_t)i * (size_t)m->nv + first);
  }
  return 1;
}

// Computes G and g = J v*, and makes rows rigid that are near-rigid. Returns 0 where numbers overflow.
static int form_matrix(hfMlcp* m) {
  int nv = m->nv;
  for (int i = 0; i < m->n; ++i) {
    const double* J = m->J + (size_t)i * (size_t)nv;
    m->g[i] = hfi_dot(J, m->free_v, nv);
    for (int j = 0; j <= i; ++j) m->G[i * m->n + j] = m->G[j * m->n + i] = hfi_dot(J, m->W + (size_t)j * (size_t)nv, nv);
  }
  for (int i = 0; i < m->ns; ++i)
    if (m->G[i * m->n + i] > RIGID_SLOPE * m->soft[i]) m->soft[i] = 0;
  return hfi_all_finite(m->G, m->n * m->n) && hfi_all_finite(m->g, m->n) && hfi_all_finite(m->target, m->n);
}

// ---- solving -------------------------------------------------------------------------------------

// Writes impulses and velocities of the answer m->x of the island.
static void scatter(const hfMlcp* m, double* v, double* impulse) {
  const hfStepProblem* p = m->problem;
  for (int i = 0; i < m->n; ++i) impulse[m->source[i]] = m->x[i];
  for (int k = 0; k < m->ntree; ++k) {
    int t = m->tree[k], start = p->tree_start[t], first = m->column[t], n = p->tree_start[t + 1] - start;
    memcpy(v + start, m->free_v + first, sizeof *v * (size_t)n);
    for (int i = 0; i < m->n; ++i) hfi_axpy(v + start, m->x[i], m->W + (size_t)i * (size_t)m->nv + first, n);
  }
}

// Counts the rows of the selected blocks.
static void count_rows(hfMlcp* m) {
  const hfStepProblem* p = m->problem;
  m->ns = m->nc = m->nt = 0;
  for (int k = 0; k < m->nblock; ++k) {
    const hfStepBlock* b = &p->block[m->block[k]];
    if (b->law == HF_LAW_SATURATED) m->ns += b->dim;
    if (b->law == HF_LAW_CONTACT) ++m->nc, m->nt += has_friction(b, &p->contact[b->param]);
  }
}

// Copies the rows of the selected trees and blocks. Returns HF_SINGULAR where the numbers do not make a problem.
static hfStatus take_rows(hfMlcp* m, hfError* error) {
  m->nv = 0;
  for (int i = 0; i < m->ntree; ++i) {
    m->column[m->tree[i]] = m->nv;
    m->nv += m->problem->tree_start[m->tree[i] + 1] - m->problem->tree_start[m->tree[i]];
  }
  count_rows(m);
  hfStatus status = hfi_mlcp_make_room(m, error);
  if (status != HF_OK) return status;
  m->ns = m->nc = m->nt = 0;
  take_saturated(m);
  take_normals(m);
  take_tangents(m);
  return eliminate_velocities(m) && form_matrix(m) ? HF_OK : HF_SINGULAR;
}

static hfStatus take_island(hfMlcp* m, int k, hfError* error) {
  const hfiPartition* S = &m->partition;
  m->tree = S->tree + S->tree_start[k], m->ntree = S->tree_start[k + 1] - S->tree_start[k];
  m->block = S->block + S->block_start[k], m->nblock = S->block_start[k + 1] - S->block_start[k];
  return take_rows(m, error);
}

static int32_t island_of(const hfMlcp* m, const hfStepBlock* b) { return m->partition.label[m->problem->piece[b->piece].tree]; }

// Takes all islands that have saturated rows as one, or all islands.
static hfStatus take_driven(hfMlcp* m, int all, hfError* error) {
  const hfStepProblem* p = m->problem;
  m->tree = m->group_tree, m->block = m->group_block, m->ntree = m->nblock = 0;
  for (int t = 0; t < p->ntree; ++t)
    if (all || m->driven[m->partition.label[t]]) m->group_tree[m->ntree++] = t;
  for (int k = 0; k < p->nblock; ++k)
    if (all || m->driven[island_of(m, &p->block[k])]) m->group_block[m->nblock++] = k;
  return take_rows(m, error);
}

// Marks the islands that have saturated rows. Returns how many.
static int find_driven(hfMlcp* m) {
  const hfStepProblem* p = m->problem;
  int count = 0;
  for (int k = 0; k < m->partition.count; ++k) m->driven[k] = 0;
  for (int k = 0; k < p->nblock; ++k)
    if (p->block[k].law == HF_LAW_SATURATED) m->driven[island_of(m, &p->block[k])] = 1;
  for (int k = 0; k < m->partition.count; ++k) count += m->driven[k];
  return count;
}

// The largest velocity that the impulses of the selected rows must change [m/s or rad/s].
static double largest_rate(const hfMlcp* m) {
  double largest = 0;
  for (int i = 0; i < m->n; ++i) largest = max2(largest, fabs(m->g[i] - m->target[i]));
  return largest;
}

static hfStatus solve_rows(hfMlcp* m, double* v, double* impulse, hfSolveReport* report, hfError* error) {
  static hfStatus (*const forms[])(hfMlcp*, hfSolveReport*, hfError*) = {hfi_mlcp_complementarity, hfi_mlcp_two_stage, hfi_mlcp_dissipation};
  hfStatus status = HF_OK;
  if (m->n > 0) {
    ++report->islands;
    status = forms[m->config.form](m, report, error);
  }
  if (status >= 0) scatter(m, v, impulse);
  return status;
}

// Solves islands without saturated rows one by one, then all others as one. A saturated row has bounds, beside which the velocities of an
// island at rest are too small to be told from zero: these need a faster island beside them, as a scale.
static hfStatus solve_islands(hfMlcp* m, double* v, double* impulse, hfSolveReport* report, hfError* error) {
  hfStatus status = HF_OK;
  double fastest = 0;
  int driven = find_driven(m);
  for (int k = 0; k < m->partition.count; ++k) {
    if (m->driven[k]) continue;
    hfStatus own = take_island(m, k, error);
    if (own != HF_OK) return own;
    fastest = max2(fastest, largest_rate(m));
    own = solve_rows(m, v, impulse, report, error);
    if (own < 0) return own;
    if (status == HF_OK) status = own;
  }
  if (!driven) return status;
  hfStatus own = take_driven(m, 0, error);
  if (own == HF_OK && largest_rate(m) < SLOW * fastest) {
    memset(report, 0, sizeof *report);
    status = HF_OK;
    own = take_driven(m, 1, error);
  }
  if (own != HF_OK) return own;
  own = solve_rows(m, v, impulse, report, error);
  return own < 0 || status == HF_OK ? own : status;
}

hfStatus hf_mlcp_solve(hfMlcp* m, const hfStepProblem* problem, double* v, double* impulse, hfSolveReport* report, hfError* error) {
  hfi_clear_error(error);
  memset(report, 0, sizeof *report);
  hfStatus status = hfi_problem_check_capacity(problem, &m->capacity, error);
  if (status != HF_OK) return report->status = status;
  m->problem = problem;
  hfi_partition_find(&m->partition, problem);
  memset(impulse, 0, sizeof *impulse * (size_t)problem->nrow);
  memcpy(v, problem->v0, sizeof *v * (size_t)problem->nv); // of islands without an answer
  status = solve_islands(m, v, impulse, report, error);
  if (status < 0) return status;
  for (int i = 0; i < problem->nv; ++i) if (!isfinite(v[i]) && status == HF_OK) status = HF_SINGULAR;
  report->coupled_residual = report->residual;
  return report->status = status;
}

void hf_step_problem_row_force(const hfStepProblem* p, const double* impulse, double* force) {
  memset(force, 0, sizeof *force * (size_t)p->nv);
  for (int k = 0; k < p->nblock; ++k) {
    const hfStepBlock* b = &p->block[k];
    if (b->law != HF_LAW_SATURATED) continue;
    for (int j = b->piece; j < b->piece + b->npiece; ++j) {
      const hfStepPiece* piece = &p->piece[j];
      double* at = force + p->tree_start[piece->tree];
      for (int r = 0; r < b->dim; ++r)
        for (int c = 0; c < piece->ncol; ++c) at[p->cols[piece->col + c]] += p->J[piece->jac + r * piece->ncol + c] * impulse[b->row + r] / p->h;
    }
  }
}
