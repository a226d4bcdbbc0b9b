// The ladder (docs/theory/ladder.md): each island of a step problem is solved by the first rung
// that reaches the tolerance. A heap that TAMSI does not solve goes to the convex rung at once.
//
//   TAMSI    Newton's method with the transition-aware line search
//   merit    the same, with steps halved until the residual decreases
//   convex   friction bounded by given normal forces: always has an answer
//
// A rung that fails leaves its iterations in the report, and the next one starts again from the
// velocities of the start of the step.
#include <holdfast/solver.h>

#include "base/object.h"
#include "linalg/dense.h"
#include "math/vec3.h"
#include "solve/convex.h"
#include "solve/dual.h"
#include "solve/finite.h"
#include "solve/partition.h"
#include "solve/tree_rows.h"
#include "solve/soft.h"
#include "solve/solver.h"
#include "solve/system.h"

#include <string.h>

struct hfSolver {
  hfStepCapacity capacity;
  hfiPartition partition;
  hfiIsland island; // the island that is being solved
  double* s;        // (nrow) row velocities of the answer
  int32_t solved_rows; // rows of the problem that was solved last
  int32_t estimate;    // 1: heaps may be left at an estimate (solver.h)
  int32_t estimated;   // number of trees with an estimate
  int32_t* estimate_work; // (ntree) iterations that the estimate of a tree took; 0: there is none
};

hfSolverConfig hf_solver_config_default(void) {
  hfSolverConfig config = {HF_COUPLING_TWO_WAY, HF_RUNG_TAMSI, HF_RUNG_CONVEX, 200, 1e-8,
                           HFI_PI / 3};
  return config;
}

static void take_arrays(void* object, hfiArena* arena) {
  hfSolver* solver = object;
  const hfStepCapacity* c = &solver->capacity;
  hfi_partition_plan(&solver->partition, arena, c->ntree, c->nblock, c->npiece);
  hfi_island_plan(&solver->island, arena, &solver->capacity);
  solver->s = HFI_TAKE(arena, double, solver->capacity.nrow);
  solver->estimate_work = HFI_TAKE(arena, int32_t, c->ntree);
}

hfStatus hf_solver_create(hfSolver** out, const hfStepCapacity* capacity, hfError* error) {
  hfi_clear_error(error);
  hfSolver seed = {.capacity = *capacity};
  hfSolver* solver = hfi_object_create(&seed, sizeof seed, take_arrays, &capacity->allocator, "a solver", error);
  if (!solver) return HF_ERROR_MEMORY;
  *out = solver;
  return HF_OK;
}

void hf_solver_free(hfSolver* solver) { hfi_release(solver); }

static hfStatus check_config(const hfSolverConfig* c, hfError* error) {
  if (c->coupling < HF_COUPLING_TWO_WAY || c->coupling > HF_COUPLING_FRICTIONLESS)
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "solver: coupling = %d", c->coupling);
  if (c->first_rung < HF_RUNG_TAMSI || c->last_rung < c->first_rung ||
      c->last_rung > HF_RUNG_CONVEX)
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "solver: rungs %d to %d", c->first_rung,
                      c->last_rung);
  if (c->max_iterations < 1)
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "solver: max_iterations = %d", c->max_iterations);
  if (!(c->tolerance > 0 && c->tolerance < 1))
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "solver: tolerance = %g", c->tolerance);
  if (!(c->theta_max > 0 && c->theta_max < HFI_PI))
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "solver: theta_max = %g", c->theta_max);
  return HF_OK;
}

static int all_finite(const double* x, int32_t n) {
  double sum = 0;
  for (int32_t i = 0; i < n; ++i) sum += 0 * x[i];
  return sum == 0;
}

// Called where there is no answer: the island keeps the velocities of the start of the step and
// gets no impulses. Returns 0.
static int give_up(hfiIsland* I) {
  memcpy(I->v, I->v0, sizeof(double) * (size_t)I->n);
  memset(I->gamma, 0, sizeof(double) * (size_t)I->nrow);
  hfi_system_rows(I, I->v, I->s);
  return 0;
}

// Does row k of the symmetric A (n x n) have no entry beside the diagonal?
static int is_uncoupled(const double* A, int32_t n, int32_t k) {
  for (int32_t i = k + 1; i < n; ++i)
    if (A[k * n + i] != 0) return 0;
  return 1;
}

// Solves A v = p* for the first dofs of a tree that no other is coupled to, as those of a free body's translation mostly
// are. Returns their number.
static int32_t solve_uncoupled(const double* A, int32_t n, double* v) {
  int32_t k = 0;
  for (; k < n && is_uncoupled(A, n, k) && A[k * n + k] > 0; ++k) v[k] *= 1 / A[k * n + k];
  return k;
}

// Solves an island without rows, which is one tree: A v = p*. Where it has no answer the tree keeps the velocities of the
// start of the step. Returns 0 then.
static int solve_free_tree(const hfiIsland* I, const hfStepProblem* P, int32_t tree, double* v) {
  int32_t first = P->tree_start[tree], n = P->tree_start[tree + 1] - first;
  double* A = I->local;
  memcpy(A, P->M + P->M_start[tree], sizeof(double) * (size_t)(n * n));
  for (int32_t i = 0; i < n; ++i) A[i * n + i] += P->diag[first + i];
  memcpy(v + first, P->p + first, sizeof(double) * (size_t)n);
  int32_t k = solve_uncoupled(A, n, v + first);
  if (hfi_ldlt(A + k * (n + 1), n - k, n, 1) == 0) {
    hfi_ldlt_solve(A + k * (n + 1), n - k, n, v + first + k);
    if (all_finite(v + first, n)) return 1;
  }
  memcpy(v + first, P->v0 + first, sizeof(double) * (size_t)n);
  return 0;
}

// The result `after`, with the work of both.
static hfiNewtonResult add_work(hfiNewtonResult before, hfiNewtonResult after) {
  after.iterations += before.iterations;
  after.limited += before.limited;
  return after;
}

// Tries one rung from the velocities of the start of the step. Where TAMSI fails, it is tried once
// more from the answer without friction: a wrong first guess of the normal forces can persist
// because friction holds it up. *coupled is the residual of the problem with the coupling that was
// asked for. In a heap the convex rung gives a better start than that.
static hfiNewtonResult try_rung(hfiIsland* I, const hfSolverConfig* config, int32_t rung,
                           double* coupled) {
  int two_way = config->coupling == HF_COUPLING_TWO_WAY;
  hfiDuals duals = rung != HF_RUNG_MERIT && hfi_use_friction_duals(I) ? HFI_NEW_DUALS : HFI_NO_DUALS;
  memcpy(I->v, I->v0, sizeof(double) * (size_t)I->n);
  if (rung == HF_RUNG_CONVEX && two_way) return hfi_convex_solve(I, config, coupled);
  hfiNewtonResult out = {0, 0, 0, 0};
  if (duals && two_way) out = hfi_soft_solve(I, config);
  int convex_follows = duals && two_way && config->last_rung == HF_RUNG_CONVEX;
  if (!out.converged) out = add_work(out, hfi_newton_solve(I, config, config->coupling, rung, duals));
  if (!out.converged && rung == HF_RUNG_TAMSI && two_way && !convex_follows) {
    memcpy(I->v, I->v0, sizeof(double) * (size_t)I->n);
    out = add_work(out, hfi_newton_solve(I, config, HF_COUPLING_FRICTIONLESS, HF_RUNG_CONVEX, HFI_NO_DUALS));
    out = add_work(out, hfi_newton_solve(I, config, HF_COUPLING_TWO_WAY, rung, HFI_NO_DUALS));
  }
  *coupled = out.residual;
  return out;
}

// The rung after TAMSI or another one. Merit limits steps by rows, which are always some in a heap.
static int32_t next_rung(const hfiIsland* I, const hfSolverConfig* config, int32_t rung) {
  int is_heap = hfi_use_friction_duals(I) && config->last_rung == HF_RUNG_CONVEX;
  return is_heap && rung == HF_RUNG_TAMSI ? HF_RUNG_CONVEX : rung + 1;
}

// Adds an island that was solved on a rung, whose estimate took `before` iterations, to the report.
static void report_island(hfSolveReport* report, int32_t rung, int32_t before, const hfiNewtonResult* out, double coupled) {
  report->rung = imax2(report->rung, rung);
  report->islands += 1;
  report->iterations += out->iterations;
  report->max_iterations = imax2(report->max_iterations, before + out->iterations);
  report->limited += out->limited;
  report->residual = max2(report->residual, out->residual);
  report->coupled_residual = max2(report->coupled_residual, coupled);
  if (!out->converged) report->status = HF_NOT_CONVERGED;
}

// Climbs the ladder for one island, whose estimate took `before` iterations, and adds to the report. Returns 0 when there is no answer: the
// mass matrix is not positive definite, or numbers overflow.
static int solve_island(hfiIsland* I, const hfSolverConfig* config, int32_t before, hfSolveReport* report) {
  double coupled = 0;
  int32_t rung = config->first_rung;
  hfiNewtonResult out = try_rung(I, config, rung, &coupled);
  while (!out.converged && rung < config->last_rung) {
    rung = next_rung(I, config, rung);
    out = add_work(out, try_rung(I, config, rung, &coupled));
  }
  report_island(report, rung, before, &out, coupled);
  return isfinite(out.residual) && all_finite(I->v, I->n) ? 1 : give_up(I);
}

// Copies the answer of an island to velocities, impulses and row velocities of the problem.
// Consecutive blocks whose rows are consecutive in both are copied at once.
static void scatter_island(const hfiIsland* I, double* v, double* impulse, double* s) {
  const hfStepProblem* P = I->problem;
  for (int32_t t = 0; t < I->ntree; ++t) {
    int32_t tree = I->tree[t], first = P->tree_start[tree], n = P->tree_start[tree + 1] - first;
    memcpy(v + first, I->v + I->first[tree], sizeof(double) * (size_t)n);
  }
  for (int32_t b = 0, end; b < I->nblock; b = end) {
    const hfiIslandBlock* first = I->block + b;
    int32_t rows = first->dim;
    for (end = b + 1; end < I->nblock && I->block[end].row == first->row + rows &&
                      I->block[end].source == first->source + rows;)
      rows += I->block[end++].dim;
    memcpy(impulse + first->source, I->gamma + first->row, sizeof(double) * (size_t)rows);
    memcpy(s + first->source, I->s + first->row, sizeof(double) * (size_t)rows);
  }
}

// Whether an island has a tree that `changed` marks.
static int has_changed(const int32_t* trees, int32_t count, const int32_t* changed) {
  int any = 0;
  for (int32_t t = 0; t < count; ++t) any |= changed[trees[t]];
  return any;
}

// Number of iterations that the estimate of these trees took, the largest of them where they were several islands; 0: there is none.
static int32_t find_estimate(const hfSolver* solver, const int32_t* trees, int32_t count) {
  int32_t work = 0;
  for (int32_t t = 0; solver->estimated && t < count; ++t) work = imax2(work, solver->estimate_work[trees[t]]);
  return work;
}

// Notes that these trees have an estimate, which took `work` iterations, or with 0 that they have none.
static void note_estimate(hfSolver* solver, const int32_t* trees, int32_t count, int32_t work) {
  for (int32_t t = 0; t < count; ++t) {
    int32_t* mine = solver->estimate_work + trees[t];
    solver->estimated += (work > 0) - (*mine > 0);
    *mine = work;
  }
}

// Estimates the heap in solver->island, whose earlier estimate took `before` iterations. Returns the iterations of both, or 0 where it
// is to be solved.
static int32_t estimate_island(hfSolver* solver, const hfSolverConfig* config, int32_t before, hfSolveReport* report) {
  hfiIsland* I = &solver->island;
  if (!hfi_use_friction_duals(I) || config->coupling != HF_COUPLING_TWO_WAY || config->first_rung != HF_RUNG_TAMSI) return 0;
  memcpy(I->v, I->v0, sizeof(double) * (size_t)I->n);
  hfiNewtonResult out = hfi_soft_estimate(I, config);
  report->iterations += out.iterations;
  report->islands += out.converged;
  return out.converged ? before + out.iterations : 0;
}

// Number of islands with blocks and a tree that `changed` marks or that was estimated.
static int32_t count_changed(const hfSolver* solver, const int32_t* changed) {
  const hfiPartition* S = &solver->partition;
  int32_t count = 0;
  for (int32_t k = 0; k < S->count; ++k) {
    const int32_t *trees = S->tree + S->tree_start[k], ntree = S->tree_start[k + 1] - S->tree_start[k];
    count += S->block_start[k + 1] > S->block_start[k] && (has_changed(trees, ntree, changed) || find_estimate(solver, trees, ntree));
  }
  return count;
}

// Tries to solve the island of one tree whose rows are all saturated at once. Returns 1 where that is done.
static int solve_tree_rows(hfSolver* solver, const hfSolverConfig* config, const hfStepProblem* problem, int32_t tree, const int32_t* blocks,
                         int32_t nblock, double* v, double* impulse, hfSolveReport* report) {
  hfiNewtonResult out;
  if (!hfi_tree_rows_solve(&solver->island, config, problem, tree, blocks, nblock, v, impulse, solver->s, &out)) return 0;
  report_island(report, HF_RUNG_TAMSI, 0, &out, out.residual);
  return 1;
}

// changed: the trees (ntree) whose islands are solved, or NULL for all.
static hfStatus solve_islands(hfSolver* solver, const hfSolverConfig* config, const hfStepProblem* problem,
                              const int32_t* changed, double* v, double* impulse, hfSolveReport* report,
                              hfError* error) {
  hfiPartition* S = &solver->partition;
  hfiIsland* I = &solver->island;
  hfStatus status = check_config(config, error);
  if (!status) status = hfi_problem_check_capacity(problem, &solver->capacity, error);
  if (!status) status = hfi_problem_check_finite(problem, error);
  if (status) return status;
  hfi_partition_find(S, problem);
  for (int32_t k = 0; k < S->count; ++k) {
    const int32_t *trees = S->tree + S->tree_start[k], *blocks = S->block + S->block_start[k];
    int32_t ntree = S->tree_start[k + 1] - S->tree_start[k], nblock = S->block_start[k + 1] - S->block_start[k];
    int32_t before = find_estimate(solver, trees, ntree), work = 0;
    if (changed && !has_changed(trees, ntree, changed) && !before) continue;
    if (nblock == 0) {
      if (!solve_free_tree(I, problem, trees[0], v)) report->status = HF_SINGULAR;
      continue;
    }
    int touches = problem->block[blocks[nblock - 1]].law == HF_LAW_CONTACT; // Contacts are the last blocks of a world.
    if (ntree == 1 && !touches && !before && solve_tree_rows(solver, config, problem, trees[0], blocks, nblock, v, impulse, report)) continue;
    hfi_island_gather(I, problem, trees, ntree, blocks, nblock);
    if (solver->estimate) work = estimate_island(solver, config, before, report);
    if (!work && !solve_island(I, config, before, report)) report->status = HF_SINGULAR;
    if (before || work) note_estimate(solver, trees, ntree, work);
    scatter_island(I, v, impulse, solver->s);
  }
  solver->solved_rows = problem->nrow;
  return report->status;
}

hfStatus hfi_solver_solve_marked(hfSolver* solver, const hfSolverConfig* config, const hfStepProblem* problem,
                                 const int32_t* marked, double* v, double* impulse, hfSolveReport* report,
                                 hfError* error) {
  memset(report, 0, sizeof *report);
  solver->island.known_rows = 0;
  if (solver->estimated) memset(solver->estimate_work, 0, sizeof *solver->estimate_work * (size_t)solver->capacity.ntree);
  solver->estimated = 0;
  return solve_islands(solver, config, problem, marked, v, impulse, report, error);
}

hfStatus hf_solver_solve(hfSolver* solver, const hfSolverConfig* config,
                         const hfStepProblem* problem, double* v, double* impulse,
                         hfSolveReport* report, hfError* error) {
  hfi_clear_error(error);
  return hfi_solver_solve_marked(solver, config, problem, NULL, v, impulse, report, error);
}

hfStatus hfi_solver_solve_changed(hfSolver* solver, const hfSolverConfig* config, const hfStepProblem* problem,
                                  const int32_t* changed, double* v, double* impulse, hfSolveReport* report,
                                  hfError* error) {
  report->islands -= count_changed(solver, changed); // they are solved again, perhaps as fewer islands
  solver->island.known_rows = solver->solved_rows;
  solver->island.known_impulse = impulse;
  return solve_islands(solver, config, problem, changed, v, impulse, report, error);
}

void hfi_solver_estimate_heaps(hfSolver* solver, int estimate) { solver->estimate = estimate && solver->capacity.ntree > HFI_FEW_TREES; }
int hfi_solver_has_estimates(const hfSolver* solver) { return solver->estimated > 0; }

const double* hfi_solver_row_velocities(const hfSolver* solver) { return solver->s; }
