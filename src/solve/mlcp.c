// A step with rigid contact (Shepherd, Zapolsky, Drumwright 2016) as a problem for the impulses alone.
//
//   x   impulses of the rows [N s]          v   velocities at the end of the step
//   J   rows, N those of normals, F those of tangents           fN  normal impulses
//
// mlcp_rows.c eliminates the velocities, v = v* + A^-1 J^T x. The form that was asked for then chooses x so that
//
//   saturated  h lo <= x <= h hi,  complementary to J v - s0 + R x
//   normal     fN >= 0,            complementary to N v - b
//   tangents   friction within mu fN, against F v - s0
//
// where targets s0 and b, compliance R and bounds are those of the rows. complementarity.c and dissipation.c say in what way friction opposes slip.
//
// Islands (partition.h) do not act on each other. Those of contacts alone are solved one after the other, because the effort grows with the third
// power of the rows, and memory with the second: it follows the largest problem so far. Islands with saturated rows are *driven*, and solved as one: a saturated
// row has bounds, beside which the velocities of an island at rest are too small to be told from zero. They need a faster island beside them, as a scale.
#include "solve/mlcp.h"

#include "base/error.h"
#include "linalg/dense.h"
#include "math/vec3.h"
#include "solve/finite.h"

#include <string.h>

// Driven islands are solved together with all others where they move slower than this share of the fastest [-].
static const double SLOW = 1e-6;

// What hf_mlcp_solve was called with.
typedef struct mlcpSolving {
  hfMlcp* m;
  double *v, *impulse; // the answer
  hfSolveReport* report;
  hfError* error;
} mlcpSolving;

// Writes the impulses m->x and the velocities that follow from them.
static void write_answer(const mlcpSolving* job) {
  const hfMlcp* m = job->m;
  const hfStepProblem* p = m->problem;
  for (int i = 0; i < m->n; ++i) job->impulse[m->source[i]] = m->x[i];
  for (int k = 0; k < m->members.ntree; ++k) {
    int t = m->members.trees[k], start = p->tree_start[t], first = m->column[t], n = p->tree_start[t + 1] - start;
    double* v = job->v + start;
    memcpy(v, m->free_v + first, sizeof *v * (size_t)n);
    for (int i = 0; i < m->n; ++i) hfi_axpy(v, m->x[i], m->W + (size_t)i * (size_t)m->nv + first, n);
  }
}

// Solves the rows that are formed.
static hfStatus solve_rows(const mlcpSolving* job) {
  static hfStatus (*const forms[])(hfMlcp*, hfSolveReport*, hfError*) = {hfi_mlcp_complementarity, hfi_mlcp_two_stage, hfi_mlcp_dissipation};
  hfMlcp* m = job->m;
  hfStatus status = HF_OK;
  if (m->n > 0) {
    ++job->report->islands;
    status = forms[m->config.form](m, job->report, job->error);
  }
  if (status >= 0) write_answer(job);
  return status;
}

static int32_t island_of(const hfMlcp* m, const hfStepBlock* b) { return m->partition.label[m->problem->piece[b->piece].tree]; }

// Marks the driven islands. Returns whether there are any.
static int find_driven(hfMlcp* m) {
  const hfStepProblem* p = m->problem;
  int any = 0;
  memset(m->driven, 0, sizeof *m->driven * (size_t)m->partition.count);
  for (int k = 0; k < p->nblock; ++k)
    if (p->block[k].law == HF_LAW_SATURATED) m->driven[island_of(m, &p->block[k])] = any = 1;
  return any;
}

// The members of all driven islands, or of all islands.
static hfiMembers gather(hfMlcp* m, int all) {
  const hfStepProblem* p = m->problem;
  hfiMembers group = {.trees = m->group_tree, .blocks = m->group_block};
  for (int t = 0; t < p->ntree; ++t)
    if (all || m->driven[m->partition.label[t]]) m->group_tree[group.ntree++] = t;
  for (int k = 0; k < p->nblock; ++k)
    if (all || m->driven[island_of(m, &p->block[k])]) m->group_block[group.nblock++] = k;
  return group;
}

// The largest velocity that the impulses of the rows must change [m/s or rad/s].
static double largest_rate(const hfMlcp* m) {
  double largest = 0;
  for (int i = 0; i < m->n; ++i) largest = max2(largest, fabs(m->g[i] - m->target[i]));
  return largest;
}

// Of two parts of a problem, the status of the whole: an error of the latter part, else the first trouble.
static hfStatus join_status(hfStatus before, hfStatus now) { return now < 0 || before == HF_OK ? now : before; }

// Solves the islands that are not driven one by one. *fastest: their largest rate. *status: the first trouble. Returns 0 where the step has to end.
static int solve_single_islands(const mlcpSolving* job, double* fastest, hfStatus* status) {
  hfMlcp* m = job->m;
  for (int k = 0; k < m->partition.count; ++k) {
    if (m->driven[k]) continue;
    hfStatus formed = hfi_mlcp_form_rows(m, hfi_partition_members(&m->partition, k), job->error);
    if (formed != HF_OK) {
      *status = formed;
      return 0;
    }
    *fastest = max2(*fastest, largest_rate(m));
    *status = join_status(*status, solve_rows(job));
    if (*status < 0) return 0;
  }
  return 1;
}

// Solves the driven islands as one, or, where they are too slow, all islands as one. `before` is the status of the islands solved so far.
static hfStatus solve_driven_islands(const mlcpSolving* job, double fastest, hfStatus before) {
  hfMlcp* m = job->m;
  hfStatus formed = hfi_mlcp_form_rows(m, gather(m, 0), job->error);
  if (formed == HF_OK && largest_rate(m) < SLOW * fastest) {
    memset(job->report, 0, sizeof *job->report);
    before = HF_OK;
    formed = hfi_mlcp_form_rows(m, gather(m, 1), job->error);
  }
  return formed == HF_OK ? join_status(before, solve_rows(job)) : formed;
}

static hfStatus solve_islands(const mlcpSolving* job) {
  hfStatus status = HF_OK;
  double fastest = 0;
  int any_driven = find_driven(job->m);
  if (!solve_single_islands(job, &fastest, &status) || !any_driven) return status;
  return solve_driven_islands(job, fastest, status);
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
  status = solve_islands(&(mlcpSolving){m, v, impulse, report, error});
  if (status < 0) return status;
  for (int i = 0; i < problem->nv; ++i)
    if (!isfinite(v[i]) && status == HF_OK) status = HF_SINGULAR;
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
