// The ladder (docs/theory/ladder.md): each island of a step problem is solved by the first rung that reaches the tolerance.
//
//   TAMSI    Newton's method with the transition-aware line search
//   merit    the same, with steps halved until the residual decreases
//   convex   friction bounded by given normal forces: always has an answer
//
// Every rung starts from the velocities of the start of the step. The report counts the iterations of those that failed, too. A heap that
// TAMSI does not solve goes to the convex rung at once.
//
// An island may also be left at an estimate (solver.h), and be solved in a later call within the same step.
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
#include "solve/tals.h"

#include <string.h>

struct hfSolver {
  hfStepCapacity capacity;
  hfiPartition partition;
  hfiIsland island;             // the island that is being solved
  double* s;                    // (nrow) row velocities of the answer
  int32_t solved_rows;          // rows of the problem that was solved last
  int32_t may_estimate;         // 1: heaps may be left at an estimate
  int32_t estimated_trees;      // number of trees whose last answer is an estimate
  int32_t* estimate_iterations; // (ntree) how many that estimate took; 0: the answer of the tree is no estimate
};

// What one call of the solver is about.
typedef struct solving {
  hfSolver* solver;
  const hfSolverConfig* config;
  const hfStepProblem* problem;
  double *v, *impulse; // (nv), (nrow) the answer
  hfSolveReport* report;
} solving;

hfSolverConfig hf_solver_config_default(void) {
  hfSolverConfig config = {HF_COUPLING_TWO_WAY, HF_RUNG_TAMSI, HF_RUNG_CONVEX, 200, 1e-8,
                           HFI_PI / 3};
  return config;
}

static void take_arrays(void* object, hfiArena* arena) {
  hfSolver* solver = object;
  const hfStepCapacity* c = &solver->capacity;
  hfi_partition_plan(&solver->partition, arena, c->ntree, c->nblock, c->npiece);
  hfi_island_plan(&solver->island, arena, c);
  solver->s = HFI_TAKE(arena, double, c->nrow);
  solver->estimate_iterations = HFI_TAKE(arena, int32_t, c->ntree);
}

hfStatus hf_solver_create(hfSolver** out, const hfStepCapacity* capacity, hfError* error) {
  hfi_clear_error(error);
  hfSolver seed = {.capacity = *capacity};
  hfSolver* solver = hfi_object_create(&seed, sizeof seed, take_arrays, &capacity->allocator, "a solver", error);
  if (!solver) return HF_ERROR_MEMORY;
  *out = solver;
  return HF_OK;
}

void hf_solver_free(hfSolver* solver) {
  if (solver) hfi_island_release(&solver->island);
  hfi_release(solver);
}

hfStatus hfi_solver_config_check(const hfSolverConfig* c, hfError* error) {
  if (c->coupling < HF_COUPLING_TWO_WAY || c->coupling > HF_COUPLING_FRICTIONLESS)
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "solver: coupling = %d", c->coupling);
  if (c->first_rung < HF_RUNG_TAMSI || c->last_rung < c->first_rung ||
      c->last_rung > HF_RUNG_CONVEX)
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "solver: rungs %d to %d", c->first_rung,
                      c->last_rung);
  if (c->max_iterations < 1)
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "solver: max_iterations = %d", c->max_iterations);
  if (!(c->tolerance > 0 && c->tolerance <= 1))
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "solver: tolerance = %g", c->tolerance);
  if (!hfi_turn_is_allowed(c->theta_max))
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "solver: theta_max = %g: allowed is %g to %g", c->theta_max, HFI_LEAST_TURN, HFI_LARGEST_TURN);
  return HF_OK;
}

static int all_finite(const double* x, int32_t n) {
  double sum = 0;
  for (int32_t i = 0; i < n; ++i) sum += 0 * x[i];
  return sum == 0;
}

// ---- an island without rows ----------------------------------------------------------------------

// Does row k of the symmetric M (n x n) have no entry right of the diagonal?
static int is_uncoupled(const double* M, int32_t n, int32_t k) {
  for (int32_t i = k + 1; i < n; ++i)
    if (M[k * n + i] != 0) return 0;
  return 1;
}

// Solves A v = p*, A = M + diag, for those first dofs of a tree that are coupled to no other dof. The translation of a free body mostly has
// such dofs, and a body on a slide is one. Returns their number.
static int32_t solve_uncoupled(const double* M, const double* diag, const double* p, int32_t n, double* v) {
  int32_t k = 0;
  for (; k < n && is_uncoupled(M, n, k) && M[k * n + k] + diag[k] > 0; ++k) v[k] = p[k] * (1 / (M[k * n + k] + diag[k]));
  return k;
}

// Solves A v = p* for the dofs of a tree from k on. Returns 0 where that has no answer.
static int solve_coupled(double* A, const double* M, const double* diag, const double* p, int32_t n, int32_t k, double* v) {
  memcpy(A, M, sizeof(double) * (size_t)(n * n));
  for (int32_t i = k; i < n; ++i) v[i] = p[i], A[i * n + i] += diag[i];
  if (hfi_ldlt(A + k * (n + 1), n - k, n, 1) != 0) return 0;
  hfi_ldlt_solve(A + k * (n + 1), n - k, n, v + k);
  return 1;
}

// Solves an island without rows, which is one tree: A v = p*. Returns 0 where that has no answer: the tree then keeps the velocities of the
// start of the step.
static int solve_free_tree(const solving* job, int32_t tree) {
  const hfStepProblem* P = job->problem;
  int32_t first = P->tree_start[tree], n = P->tree_start[tree + 1] - first;
  const double *M = P->M + P->M_start[tree], *diag = P->diag + first, *p = P->p + first;
  double* v = job->v + first;
  int32_t k = solve_uncoupled(M, diag, p, n, v);
  if ((k == n || solve_coupled(job->solver->island.local, M, diag, p, n, k, v)) && all_finite(v, n)) return 1;
  memcpy(v, P->v0 + first, sizeof(double) * (size_t)n);
  return 0;
}

// ---- the rungs -----------------------------------------------------------------------------------

// The result `after`, with the work of both.
static hfiNewtonResult add_work(hfiNewtonResult before, hfiNewtonResult after) {
  after.iterations += before.iterations;
  after.limited += before.limited;
  return after;
}

static void start_again(hfiIsland* I) { memcpy(I->v, I->v0, sizeof(double) * (size_t)I->n); }

// Solves the problem without friction first and starts TAMSI from there. This helps where a wrong first guess of the normal forces persists
// because friction holds it up.
static hfiNewtonResult solve_from_frictionless(hfiIsland* I, const hfSolverConfig* config) {
  start_again(I);
  hfiNewtonResult out = hfi_newton_solve(I, config, HF_COUPLING_FRICTIONLESS, HF_RUNG_CONVEX, HFI_NO_DUALS);
  return add_work(out, hfi_newton_solve(I, config, HF_COUPLING_TWO_WAY, HF_RUNG_TAMSI, HFI_NO_DUALS));
}

// Is this a heap whose ladder ends with the convex rung?
static int is_heap_with_convex(const hfiIsland* I, const hfSolverConfig* config) {
  return hfi_use_friction_duals(I) && config->last_rung == HF_RUNG_CONVEX;
}

// Tries one rung. *coupled: the residual of the problem with the coupling that was asked for. Where TAMSI fails it is tried once more from the
// answer without friction, but not in a heap that the convex rung follows: that gives a better start.
static hfiNewtonResult try_rung(hfiIsland* I, const hfSolverConfig* config, int32_t rung, double* coupled) {
  int two_way = config->coupling == HF_COUPLING_TWO_WAY;
  hfiDuals duals = rung != HF_RUNG_MERIT && hfi_use_friction_duals(I) ? HFI_NEW_DUALS : HFI_NO_DUALS;
  start_again(I);
  if (rung == HF_RUNG_CONVEX && two_way) return hfi_convex_solve(I, config, coupled);
  hfiNewtonResult out = {0, 0, 0, 0};
  if (duals && two_way) out = hfi_soft_solve(I, config);
  if (!out.converged) out = add_work(out, hfi_newton_solve(I, config, config->coupling, rung, duals));
  if (!out.converged && rung == HF_RUNG_TAMSI && two_way && !is_heap_with_convex(I, config))
    out = add_work(out, solve_from_frictionless(I, config));
  *coupled = out.residual;
  return out;
}

// The rung after this one. A heap has no use for merit, whose steps are limited by rows: some row always limits them there.
static int32_t next_rung(const hfiIsland* I, const hfSolverConfig* config, int32_t rung) {
  return rung == HF_RUNG_TAMSI && is_heap_with_convex(I, config) ? HF_RUNG_CONVEX : rung + 1;
}

// Adds an island that was solved on a rung to the report. An estimate of it took estimate_iterations before.
static void report_island(hfSolveReport* report, int32_t rung, int32_t estimate_iterations, const hfiNewtonResult* out, double coupled) {
  report->rung = imax2(report->rung, rung);
  report->islands += 1;
  report->iterations += out->iterations;
  report->max_iterations = imax2(report->max_iterations, estimate_iterations + out->iterations);
  report->limited += out->limited;
  report->residual = max2(report->residual, out->residual);
  report->coupled_residual = max2(report->coupled_residual, coupled);
  if (!out->converged) report->status = HF_NOT_CONVERGED;
}

// The answer where there is none: the island keeps the velocities of the start of the step and gets no impulses.
static void keep_start(hfiIsland* I) {
  start_again(I);
  memset(I->gamma, 0, sizeof(double) * (size_t)I->nrow);
  hfi_system_rows(I, I->v, I->s);
}

// Climbs the ladder for one island and adds it to the report. There is no answer where the mass matrix is not positive definite, or numbers
// overflow.
static void solve_island(hfiIsland* I, const hfSolverConfig* config, int32_t estimate_iterations, hfSolveReport* report) {
  double coupled = 0;
  int32_t rung = config->first_rung;
  hfiNewtonResult out = try_rung(I, config, rung, &coupled);
  while (!out.converged && rung < config->last_rung) {
    rung = next_rung(I, config, rung);
    out = add_work(out, try_rung(I, config, rung, &coupled));
  }
  report_island(report, rung, estimate_iterations, &out, coupled);
  if (isfinite(out.residual) && all_finite(I->v, I->n)) return;
  keep_start(I);
  report->status = HF_SINGULAR;
}

// Copies the answer of the island to velocities, impulses and row velocities of the problem. Blocks whose rows follow each other in both are
// copied at once.
static void scatter_island(const solving* job) {
  const hfStepProblem* P = job->problem;
  const hfiIsland* I = &job->solver->island;
  for (int32_t t = 0; t < I->ntree; ++t) {
    int32_t tree = I->tree[t], first = P->tree_start[tree], n = P->tree_start[tree + 1] - first;
    memcpy(job->v + first, I->v + I->first[tree], sizeof(double) * (size_t)n);
  }
  for (int32_t b = 0, end; b < I->nblock; b = end) {
    const hfiIslandBlock* first = I->block + b;
    int32_t rows = first->dim;
    for (end = b + 1; end < I->nblock && I->block[end].row == first->row + rows &&
                      I->block[end].source == first->source + rows;)
      rows += I->block[end++].dim;
    memcpy(job->impulse + first->source, I->gamma + first->row, sizeof(double) * (size_t)rows);
    memcpy(job->solver->s + first->source, I->s + first->row, sizeof(double) * (size_t)rows);
  }
}

// ---- estimates -----------------------------------------------------------------------------------

// How many iterations the estimate of these trees took; 0: their answers are no estimates. Where they were several islands before, the largest
// number counts.
static int32_t find_estimate(const hfSolver* solver, const hfiMembers* m) {
  int32_t iterations = 0;
  for (int32_t t = 0; solver->estimated_trees && t < m->ntree; ++t) iterations = imax2(iterations, solver->estimate_iterations[m->trees[t]]);
  return iterations;
}

// Notes that the answer of these trees is an estimate that took so many iterations, or with 0 that it is none.
static void note_estimate(hfSolver* solver, const hfiMembers* m, int32_t iterations) {
  for (int32_t t = 0; t < m->ntree; ++t) {
    int32_t* noted = solver->estimate_iterations + m->trees[t];
    solver->estimated_trees += (iterations > 0) - (*noted > 0);
    *noted = iterations;
  }
}

// Estimates the island where it is a heap. Returns the iterations of this estimate and of an earlier one, `before`, or 0 where the island has to be
// solved.
static int32_t estimate_island(const solving* job, int32_t before) {
  hfiIsland* I = &job->solver->island;
  const hfSolverConfig* config = job->config;
  if (!hfi_use_friction_duals(I) || config->coupling != HF_COUPLING_TWO_WAY || config->first_rung != HF_RUNG_TAMSI) return 0;
  start_again(I);
  hfiNewtonResult out = hfi_soft_estimate(I, config);
  job->report->iterations += out.iterations;
  job->report->islands += out.converged;
  return out.converged ? before + out.iterations : 0;
}

// ---- all islands ---------------------------------------------------------------------------------

// Must the island be solved? `changed` (ntree) marks trees, and NULL stands for all of them. What was only estimated counts as changed.
static int is_wanted(const hfSolver* solver, const hfiMembers* m, const int32_t* changed) {
  int any = !changed;
  for (int32_t t = 0; changed && t < m->ntree; ++t) any |= changed[m->trees[t]];
  return any || find_estimate(solver, m);
}

// Must any island be solved? Where all trees fly, nobody reads the numbers of the problem.
static int is_any_wanted(const hfSolver* solver, const hfStepProblem* P, const int32_t* changed) {
  if (!changed || solver->estimated_trees) return 1;
  for (int32_t t = 0; t < P->ntree; ++t)
    if (changed[t]) return 1;
  return 0;
}

// Number of islands with blocks that solve_islands would solve.
static int32_t count_wanted(const hfSolver* solver, const int32_t* changed) {
  int32_t count = 0;
  for (int32_t k = 0; k < solver->partition.count; ++k) {
    hfiMembers m = hfi_partition_members(&solver->partition, k);
    count += m.nblock > 0 && is_wanted(solver, &m, changed);
  }
  return count;
}

// Tries to solve an island by a single Newton step on the problem as it is (tree_rows.h). Returns 1 where that is done.
static int solve_tree_rows(const solving* job, const hfiMembers* m) {
  hfiNewtonResult out;
  int touches = job->problem->block[m->blocks[m->nblock - 1]].law == HF_LAW_CONTACT; // Contacts are the last blocks of a world.
  if (touches) return 0;
  hfiAnswer answer = {job->v, job->impulse, job->solver->s};
  if (!hfi_tree_rows_solve(&job->solver->island, job->config, job->problem, m, &answer, &out)) return 0;
  report_island(job->report, HF_RUNG_TAMSI, 0, &out, out.residual);
  return 1;
}

// Solves or estimates an island that has rows. Returns 0 where there is no memory for it.
static int solve_with_rows(const solving* job, const hfiMembers* m) {
  hfSolver* solver = job->solver;
  int32_t before = find_estimate(solver, m), iterations = 0;
  if (!before && solve_tree_rows(job, m)) return 1;
  if (!hfi_island_gather(&solver->island, job->problem, m->trees, m->ntree, m->blocks, m->nblock)) return 0;
  if (solver->may_estimate) iterations = estimate_island(job, before);
  if (!iterations) solve_island(&solver->island, job->config, before, job->report);
  if (before || iterations) note_estimate(solver, m, iterations);
  scatter_island(job);
  return 1;
}

// changed: the trees (ntree) whose islands are solved, or NULL for all.
static hfStatus solve_islands(const solving* job, const int32_t* changed, hfError* error) {
  hfSolver* solver = job->solver;
  hfStatus status = hfi_solver_config_check(job->config, error);
  if (!status && is_any_wanted(solver, job->problem, changed)) status = hfi_problem_check_finite(job->problem, error);
  if (status) return status;
  hfi_partition_find(&solver->partition, job->problem);
  for (int32_t k = 0; k < solver->partition.count; ++k) {
    hfiMembers m = hfi_partition_members(&solver->partition, k);
    if (!is_wanted(solver, &m, changed)) continue;
    if (m.nblock > 0) {
      if (!solve_with_rows(job, &m)) return hfi_refuse(error, HF_ERROR_MEMORY, "out of memory: %d trees that are coupled", m.ntree);
    } else if (!solve_free_tree(job, m.trees[0]))
      job->report->status = HF_SINGULAR;
  }
  solver->solved_rows = job->problem->nrow;
  return job->report->status;
}

hfStatus hfi_solver_solve_marked(hfSolver* solver, const hfSolverConfig* config, const hfStepProblem* problem,
                                 const int32_t* marked, double* v, double* impulse, hfSolveReport* report,
                                 hfError* error) {
  memset(report, 0, sizeof *report);
  solver->island.known_rows = 0;
  if (solver->estimated_trees) memset(solver->estimate_iterations, 0, sizeof *solver->estimate_iterations * (size_t)solver->capacity.ntree);
  solver->estimated_trees = 0;
  return solve_islands(&(solving){solver, config, problem, v, impulse, report}, marked, error);
}

hfStatus hf_solver_solve(hfSolver* solver, const hfSolverConfig* config,
                         const hfStepProblem* problem, double* v, double* impulse,
                         hfSolveReport* report, hfError* error) {
  hfi_clear_error(error);
  memset(report, 0, sizeof *report);
  hfStatus status = hfi_problem_check_capacity(problem, &solver->capacity, error);
  return status ? status : hfi_solver_solve_marked(solver, config, problem, NULL, v, impulse, report, error);
}

hfStatus hfi_solver_solve_changed(hfSolver* solver, const hfSolverConfig* config, const hfStepProblem* problem,
                                  const int32_t* changed, double* v, double* impulse, hfSolveReport* report,
                                  hfError* error) {
  report->islands -= count_wanted(solver, changed); // They are solved again, perhaps as fewer islands.
  solver->island.known_rows = solver->solved_rows;
  solver->island.known_impulse = impulse;
  return solve_islands(&(solving){solver, config, problem, v, impulse, report}, changed, error);
}

void hfi_solver_estimate_heaps(hfSolver* solver, int estimate) { solver->may_estimate = estimate && solver->capacity.ntree > HFI_FEW_TREES; }
int hfi_solver_has_estimates(const hfSolver* solver) { return solver->estimated_trees > 0; }

const double* hfi_solver_row_velocities(const hfSolver* solver) { return solver->s; }
