// A step with rigid contact (Shepherd, Zapolsky, Drumwright 2016) as a problem whose only unknowns are impulses.
//
//   x   impulses of the rows [N s]          v   velocities at the end of the step
//   J   rows: N of normals, F of tangents   fN  normal impulses
//
// mlcp_rows.c eliminates the velocities, v = v* + A^-1 J^T x. The form of the configuration then chooses x so that
//
//   saturated  h lo <= x <= h hi,  complementary to J v - s0 + R x
//   normal     fN >= 0,            complementary to N v - b
//   tangents   friction within mu fN, against F v - s0
//
// where the rows have the targets s0 and b, the compliance R and the bounds lo and hi. complementarity.c and
// dissipation.c say how friction opposes slip.
//
// Islands (partition.h) do not act on each other. Islands that have only contacts are solved one after the other,
// because the computing time grows with the third power of the number of rows, and memory with the second. Islands with
// saturated rows are *driven*. They are solved as one: compared with the bounds of a saturated row, the velocities of
// an island at rest cannot be told from zero. A faster island in the same problem gives it a scale.
#include "methods/mlcp/inside.h"

#include "base/error.h"
#include "linalg/dense.h"
#include "math/vec3.h"
#include "step/problem/finite.h"

#include <string.h>

// Driven islands are solved together with all other islands if their largest speed is below this share of the others'
// largest speed [-].
static const double SLOW_SHARE = 1e-6;

// The arguments of hf_mlcp_solve.
typedef struct MlcpJob {
  hfMlcp* mlcp;
  hfSolveReport* report;
  hfError* error;
} MlcpJob;

// ---- the members ------------------------------------------------------------------------------------

// Writes the impulses rows.x and the velocities that they cause to the answer.
static void write_answer(const hfMlcp* mlcp) {
  const hfStepProblem* problem = mlcp->problem;
  const hfiMlcpRows* rows = &mlcp->rows;

  for (int i = 0; i < rows->n; ++i) mlcp->impulse[rows->source[i]] = rows->x[i];

  // v = v* + sum of x_i times row i of W, tree by tree
  for (int k = 0; k < mlcp->members.ntree; ++k) {
    int tree = mlcp->members.trees[k];
    int start = problem->tree_start[tree];
    int first = mlcp->column[tree];
    int n = problem->tree_start[tree + 1] - start;

    double* v = mlcp->v + start;
    memcpy(v, mlcp->free_v + first, sizeof *v * (size_t)n);
    for (int i = 0; i < rows->n; ++i) hfi_axpy(v, rows->x[i], rows->W + (size_t)i * (size_t)mlcp->nv + first, n);
  }
}

// Solves the problem of the rows that hfi_mlcp_form_rows formed.
static hfStatus solve_rows(const MlcpJob* job) {
  static hfStatus (*const forms[])(hfMlcp*, hfSolveReport*, hfError*) = {
      [HF_MLCP_COMPLEMENTARITY] = hfi_mlcp_complementarity,
      [HF_MLCP_TWO_STAGE] = hfi_mlcp_two_stage,
      [HF_MLCP_DISSIPATION] = hfi_mlcp_dissipation,
  };
  hfMlcp* mlcp = job->mlcp;
  hfStatus status = HF_OK;

  if (mlcp->rows.n > 0) {
    ++job->report->islands;
    status = forms[mlcp->config.form](mlcp, job->report, job->error);
  }
  if (status >= 0) write_answer(mlcp);
  return status;
}

// Returns the largest change of velocity that the impulses of a row must cause [m/s or rad/s].
static double find_largest_speed(const hfiMlcpRows* rows) {
  double largest = 0;
  for (int i = 0; i < rows->n; ++i) largest = max2(largest, fabs(rows->g[i] - rows->target[i]));
  return largest;
}

// ---- islands ------------------------------------------------------------------------------------------

static int32_t find_island(const hfMlcp* mlcp, const hfStepBlock* block) {
  return mlcp->islands.partition.label[mlcp->problem->piece[block->piece].tree];
}

// Marks the driven islands. Returns how many rows drive any.
static int mark_driven(hfMlcp* mlcp) {
  const hfStepProblem* problem = mlcp->problem;
  hfiMlcpIslands* islands = &mlcp->islands;
  int count = 0;

  memset(islands->driven, 0, sizeof *islands->driven * (size_t)islands->partition.count);
  for (int k = 0; k < problem->nblock; ++k) {
    if (problem->block[k].law != HF_LAW_SATURATED) continue;
    islands->driven[find_island(mlcp, &problem->block[k])] = 1;
    ++count;
  }
  return count;
}

// Returns the members of all driven islands; all = 1: of all islands.
static hfiMembers gather_members(hfMlcp* mlcp, int all) {
  const hfStepProblem* problem = mlcp->problem;
  hfiMlcpIslands* islands = &mlcp->islands;
  hfiMembers group = {.trees = islands->group_tree, .blocks = islands->group_block};

  for (int t = 0; t < problem->ntree; ++t)
    if (all || islands->driven[islands->partition.label[t]]) islands->group_tree[group.ntree++] = t;
  for (int k = 0; k < problem->nblock; ++k)
    if (all || islands->driven[find_island(mlcp, &problem->block[k])]) islands->group_block[group.nblock++] = k;
  return group;
}

// Combines the statuses of two parts of a problem: an error of the second part; otherwise the first status that is not
// HF_OK.
static hfStatus combine_status(hfStatus before, hfStatus now) { return now < 0 || before == HF_OK ? now : before; }

// Solves one by one the islands that are not driven. *fastest becomes at least their largest speed, and *status the
// first status that is not HF_OK, or an error. Returns 0 if the solution must end: rows could not be formed, or an
// error.
static int solve_single_islands(const MlcpJob* job, double* fastest, hfStatus* status) {
  hfMlcp* mlcp = job->mlcp;
  const hfiPartition* partition = &mlcp->islands.partition;

  for (int k = 0; k < partition->count; ++k) {
    if (mlcp->islands.driven[k]) continue;

    hfStatus formed = hfi_mlcp_form_rows(mlcp, hfi_partition_members(partition, k), job->error);
    if (formed != HF_OK) {
      *status = formed;
      return 0;
    }

    *fastest = max2(*fastest, find_largest_speed(&mlcp->rows));
    *status = combine_status(*status, solve_rows(job));
    if (*status < 0) return 0;
  }
  return 1;
}

// Solves the driven islands as one. If they are too slow beside the speed `fastest` of the others, solves all islands
// as one. before: status of the islands solved so far.
static hfStatus solve_driven_islands(const MlcpJob* job, double fastest, hfStatus before) {
  hfMlcp* mlcp = job->mlcp;
  hfStatus formed = hfi_mlcp_form_rows(mlcp, gather_members(mlcp, 0), job->error);

  if (formed == HF_OK && find_largest_speed(&mlcp->rows) < SLOW_SHARE * fastest) {
    memset(job->report, 0, sizeof *job->report);
    before = HF_OK;
    formed = hfi_mlcp_form_rows(mlcp, gather_members(mlcp, 1), job->error);
  }
  return formed == HF_OK ? combine_status(before, solve_rows(job)) : formed;
}

// Solves the islands that are not driven, then the driven ones. The answer goes to mlcp->v and mlcp->impulse.
static hfStatus solve_islands(const MlcpJob* job) {
  hfStatus status = HF_OK;
  double fastest = 0;
  int any_driven = mark_driven(job->mlcp) > 0;
  if (!solve_single_islands(job, &fastest, &status) || !any_driven) return status;
  return solve_driven_islands(job, fastest, status);
}

// ---- the public interface -----------------------------------------------------------------------------

// Solves a problem. v and impulse stay as they are if it is refused.
hfStatus hf_mlcp_solve(hfMlcp* mlcp, const hfStepProblem* problem, double* v, double* impulse, hfSolveReport* report,
                       hfError* error) {
  hfi_clear_error(error);
  memset(report, 0, sizeof *report);

  hfiTrouble trouble;
  hfStatus status = hfi_problem_check_capacity(problem, &mlcp->capacity, &trouble);
  if (status != HF_OK) return report->status = hfi_explain_problem(&trouble, error);

  mlcp->problem = problem;
  hfi_partition_find(&mlcp->islands.partition, problem);
  memset(mlcp->impulse, 0, sizeof *impulse * (size_t)problem->nrow);
  memcpy(mlcp->v, problem->v0, sizeof *v * (size_t)problem->nv); // Islands without an answer keep these.

  status = solve_islands(&(MlcpJob){mlcp, report, error});
  if (status < 0) return report->status = status;

  memcpy(impulse, mlcp->impulse, sizeof *impulse * (size_t)problem->nrow);
  memcpy(v, mlcp->v, sizeof *v * (size_t)problem->nv);
  for (int i = 0; i < problem->nv; ++i)
    if (!isfinite(v[i]) && status == HF_OK) status = HF_SINGULAR;
  report->coupled_residual = report->residual;
  return report->status = status;
}

// Writes force (nv), J^T impulse/h summed over the saturated rows [N or N m].
void hf_step_problem_row_force(const hfStepProblem* problem, const double* impulse, double* force) {
  memset(force, 0, sizeof *force * (size_t)problem->nv);
  for (int k = 0; k < problem->nblock; ++k) {
    const hfStepBlock* block = &problem->block[k];
    if (block->law != HF_LAW_SATURATED) continue;

    // force += J^T impulse/h
    for (int j = block->piece; j < block->piece + block->npiece; ++j) {
      const hfStepPiece* piece = &problem->piece[j];
      const int32_t* cols = problem->cols + piece->col;
      const double* J = problem->J + piece->jac;
      double* tree_force = force + problem->tree_start[piece->tree];
      for (int r = 0; r < block->dim; ++r)
        for (int c = 0; c < piece->ncol; ++c)
          tree_force[cols[c]] += J[r * piece->ncol + c] * impulse[block->row + r] / problem->h;
    }
  }
}
