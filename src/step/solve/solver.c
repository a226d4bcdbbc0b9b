// The ladder (docs/theory/ladder.md): each island of a step problem is solved by the first rung that reaches the
// tolerance.
//
//   TAMSI    Newton's method with the transition-aware line search
//   merit    the same, with steps halved until the residual decreases
//   convex   friction bounded by given normal forces; this problem always has an answer
//
// Every rung starts from the velocities at the start of the step. The report also counts the iterations of the rungs
// that failed. If TAMSI does not solve a heap, the convex rung follows at once, without merit.
//
// A call may also only estimate an island (solver.h); a later call within the same step solves it.
#include "step/solve/inside.h"

#include <holdfast/solver.h>

#include "base/object.h"
#include "linalg/dense.h"
#include "math/vec3.h"
#include "step/problem/finite.h"
#include "step/problem/partition.h"
#include "step/law/tals.h"

#include <string.h>

struct hfSolver {
  hfStepCapacity capacity;
  hfiPartition partition;
  hfiIsland island;             // the island that is being solved
  double* s;                    // (nrow) row velocities of the answer
  int32_t solved_rows;          // number of rows of the last problem
  int32_t may_estimate;         // 1: heaps are only estimated
  int32_t estimated_trees;      // number of trees whose last answer is an estimate
  int32_t* estimate_iterations; // (ntree) iterations of the tree's estimate; 0: its last answer is not an estimate
};

// Returns the configuration of the ladder: all rungs, both ways coupled.
hfSolverConfig hf_solver_config_default(void) {
  return (hfSolverConfig){.coupling = HF_COUPLING_TWO_WAY,
                          .first_rung = HF_RUNG_TAMSI,
                          .last_rung = HF_RUNG_CONVEX,
                          .max_iterations = 200,
                          .tolerance = 1e-8,
                          .theta_max = HFI_PI / 3};
}

// Takes the storage of a solver.
static void take_arrays(void* object, hfiArena* arena) {
  hfSolver* solver = object;
  const hfStepCapacity* c = &solver->capacity;
  hfi_partition_plan(&solver->partition, arena, c->ntree, c->nblock, c->npiece);
  hfi_island_plan(&solver->island, arena, c);
  solver->s = HFI_TAKE(arena, double, c->nrow);
  solver->estimate_iterations = HFI_TAKE(arena, int32_t, c->ntree);
}

// Makes a solver for problems up to a capacity. Writes *out, or refuses with HF_ERROR_MEMORY.
hfStatus hf_solver_create(hfSolver** out, const hfStepCapacity* capacity, hfError* error) {
  hfi_clear_error(error);
  hfSolver seed = {.capacity = *capacity};
  hfSolver* solver = hfi_object_create(&seed, sizeof seed, take_arrays, &capacity->allocator, "a solver", error);
  if (!solver) return HF_ERROR_MEMORY;
  *out = solver;
  return HF_OK;
}

void hfi_solver_use_workers(hfSolver* solver, hfiWorkers* workers) { solver->island.parts.workers = workers; }

void hf_solver_free(hfSolver* solver) {
  hfi_release(solver);
}

// Refuses a configuration with a value that is out of its range, and names it.
hfStatus hfi_solver_config_check(const hfSolverConfig* c, hfError* error) {
  if (c->coupling < HF_COUPLING_TWO_WAY || c->coupling > HF_COUPLING_FRICTIONLESS)
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "solver: coupling = %d: allowed is %d to %d", c->coupling,
                      HF_COUPLING_TWO_WAY, HF_COUPLING_FRICTIONLESS);

  if (c->first_rung < HF_RUNG_TAMSI || c->last_rung < c->first_rung || c->last_rung > HF_RUNG_CONVEX)
    return hfi_refuse(error, HF_ERROR_ARGUMENT,
                      "solver: first_rung = %d, last_rung = %d: allowed is %d to %d, and the first must not be above "
                      "the last",
                      c->first_rung, c->last_rung, HF_RUNG_TAMSI, HF_RUNG_CONVEX);

  if (c->max_iterations < 1)
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "solver: max_iterations = %d must be at least 1", c->max_iterations);

  if (!(c->tolerance > 0 && c->tolerance <= 1))
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "solver: tolerance = %g must be above 0 and at most 1", c->tolerance);

  if (!hfi_turn_is_allowed(c->theta_max))
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "solver: theta_max = %g: allowed is %g to %g", c->theta_max,
                      HFI_LEAST_TURN, HFI_LARGEST_TURN);
  return HF_OK;
}

// Are n numbers finite? 0 times a number that is not finite is not a number.
static int all_finite(const double* x, int32_t n) {
  double sum = 0;
  for (int32_t i = 0; i < n; ++i) sum += 0 * x[i];
  return sum == 0;
}

// ---- an island without rows ----------------------------------------------------------------------

// Are all entries of row k of the symmetric M (n x n) right of the diagonal zero?
static int is_uncoupled(const double* M, int32_t n, int32_t k) {
  for (int32_t i = k + 1; i < n; ++i)
    if (M[k * n + i] != 0) return 0;
  return 1;
}

// Solves A v = p*, A = M + diag, for the first dofs of a tree, as long as they are coupled to no other dof. The
// translation of a free body mostly consists of such dofs, and so does a body on a slide. Returns the number of these
// dofs.
static int32_t solve_uncoupled(const double* M, const double* diag, const double* p, int32_t n, double* v) {
  for (int32_t k = 0; k < n; ++k) {
    double A_kk = M[k * n + k] + diag[k];
    if (!is_uncoupled(M, n, k) || !(A_kk > 0)) return k;
    v[k] = p[k] * (1 / A_kk);
  }
  return n;
}

// Solves A v = p* for the dofs of a tree from k on; those before k are coupled to no other dof. A (n x n) is scratch.
// Returns 0 if there is no answer.
static int solve_coupled(double* A, const double* M, const double* diag, const double* p, int32_t n, int32_t k,
                         double* v) {
  double* rest = A + k * (n + 1);
  memcpy(A, M, sizeof(double) * (size_t)(n * n));
  for (int32_t i = k; i < n; ++i) {
    v[i] = p[i];
    A[i * n + i] += diag[i];
  }

  if (hfi_ldlt(rest, n - k, n, 1) != 0) return 0;
  hfi_ldlt_solve(rest, n - k, n, v + k);
  return 1;
}

// Solves an island without rows, which is one tree: A v = p*. Returns 0 if there is no answer; the tree then keeps its
// velocities of the start of the step.
static int solve_free_tree(const hfiSolveJob* job, int32_t tree) {
  const hfStepProblem* P = job->problem;
  int32_t first = P->tree_start[tree];
  int32_t n = P->tree_start[tree + 1] - first;
  const double* M = P->M + P->M_start[tree];
  const double* diag = P->diag + first;
  const double* p = P->p + first;
  double* scratch = job->solver->island.matrix.local;
  double* v = job->v + first;

  int32_t k = solve_uncoupled(M, diag, p, n, v);
  int solved = k == n || solve_coupled(scratch, M, diag, p, n, k, v);
  if (solved && all_finite(v, n)) return 1;

  memcpy(v, P->v0 + first, sizeof(double) * (size_t)n);
  return 0;
}

// ---- the rungs -----------------------------------------------------------------------------------

// Returns the result `after` with the iterations of both results.
static hfiNewtonResult add_iterations(hfiNewtonResult before, hfiNewtonResult after) {
  after.iterations += before.iterations;
  after.limited += before.limited;
  return after;
}

// Sets the iterate to the velocities at the start of the step.
static void restart(hfiIsland* I) { memcpy(I->dofs.v, I->dofs.v0, sizeof(double) * (size_t)I->n); }

// Solves the problem without friction first and starts TAMSI from that answer. This helps if friction would keep a
// wrong first guess of the normal forces from changing.
static hfiNewtonResult solve_from_frictionless(hfiIsland* I, const hfSolverConfig* config) {
  restart(I);
  hfiNewtonResult out = hfi_newton_solve(I, config, HF_COUPLING_FRICTIONLESS, HF_RUNG_CONVEX, HFI_NO_DUALS);
  return add_iterations(out, hfi_newton_solve(I, config, HF_COUPLING_TWO_WAY, HF_RUNG_TAMSI, HFI_NO_DUALS));
}

// Is this a heap whose ladder ends with the convex rung?
static int is_heap_with_convex(const hfiIsland* I, const hfSolverConfig* config) {
  return hfi_use_friction_duals(I) && config->last_rung == HF_RUNG_CONVEX;
}

// Tries one rung from the velocities at the start of the step. *coupled: the relative residual of the problem with the
// coupling of the configuration. If TAMSI fails, it is
// tried once more from the answer without friction. In a heap the convex rung follows instead, if the ladder has it,
// because its answer is a better start.
static hfiNewtonResult try_rung(hfiIsland* I, const hfSolverConfig* config, int32_t rung, double* coupled) {
  int two_way = config->coupling == HF_COUPLING_TWO_WAY;
  hfiDuals duals = rung != HF_RUNG_MERIT && hfi_use_friction_duals(I) ? HFI_NEW_DUALS : HFI_NO_DUALS;
  restart(I);
  if (rung == HF_RUNG_CONVEX && two_way) return hfi_convex_solve(I, config, coupled);

  // a heap begins with soft laws
  hfiNewtonResult out = {0, 0, 0, 0};
  if (duals != HFI_NO_DUALS && two_way) out = hfi_soft_solve(I, config);

  // Newton's method, from v0 or else from the answer without friction
  if (!out.converged) out = add_iterations(out, hfi_newton_solve(I, config, config->coupling, rung, duals));
  int may_retry = rung == HF_RUNG_TAMSI && two_way && !is_heap_with_convex(I, config);
  if (!out.converged && may_retry) out = add_iterations(out, solve_from_frictionless(I, config));

  *coupled = out.residual;
  return out;
}

// Returns the next rung. Merit is of no use in a heap: its steps are limited by rows, and in a heap some row always
// makes them tiny.
static int32_t next_rung(const hfiIsland* I, const hfSolverConfig* config, int32_t rung) {
  return rung == HF_RUNG_TAMSI && is_heap_with_convex(I, config) ? HF_RUNG_CONVEX : rung + 1;
}

// Adds an island that was solved on a rung to the report. estimate_iterations: number of iterations of its estimate
// before, or 0.
static void report_island(hfSolveReport* report, int32_t rung, int32_t estimate_iterations, const hfiNewtonResult* out,
                          double coupled) {
  report->rung = imax2(report->rung, rung);
  report->islands += 1;
  report->iterations += out->iterations;
  report->max_iterations = imax2(report->max_iterations, estimate_iterations + out->iterations);
  report->limited += out->limited;
  report->residual = max2(report->residual, out->residual);
  report->coupled_residual = max2(report->coupled_residual, coupled);
  if (!out->converged) report->status = HF_NOT_CONVERGED;
}

// Replaces an answer that is not finite: the island keeps the velocities of the start of the step and gets no impulses.
static void give_up(hfiIsland* I) {
  restart(I);
  memset(I->rows.gamma, 0, sizeof(double) * (size_t)I->nrow);
  hfi_system_rows(I, I->dofs.v, I->rows.s);
}

// Tries the rungs in their order until one solves the island, and adds the island to the report. There is no finite
// answer if the mass matrix is not positive definite or numbers overflow.
static void solve_island(hfiIsland* I, const hfSolverConfig* config, int32_t estimate_iterations,
                         hfSolveReport* report) {
  double coupled = 0; // residual of the problem with the coupling of the configuration
  hfRung rung = config->first_rung;
  hfiNewtonResult out = try_rung(I, config, rung, &coupled);
  while (!out.converged && rung < config->last_rung) {
    rung = next_rung(I, config, rung);
    out = add_iterations(out, try_rung(I, config, rung, &coupled));
  }
  report_island(report, rung, estimate_iterations, &out, coupled);

  if (isfinite(out.residual) && all_finite(I->dofs.v, I->n)) return;
  give_up(I);
  report->status = HF_SINGULAR;
}

// Copies the answer of the island (v, gamma and s) to the velocities, impulses and row velocities of the problem.
// Blocks whose rows are consecutive in the island and in the problem are copied together.
static void scatter_island(const hfiSolveJob* job) {
  const hfStepProblem* P = job->problem;
  const hfiIsland* I = &job->solver->island;

  // velocities
  for (int32_t t = 0; t < I->ntree; ++t) {
    int32_t tree = I->tree[t];
    int32_t first = P->tree_start[tree];
    int32_t n = P->tree_start[tree + 1] - first;
    memcpy(job->v + first, I->dofs.v + I->first[tree], sizeof(double) * (size_t)n);
  }

  // impulses and row velocities, of the blocks from b to before `end` together
  int32_t end;
  for (int32_t b = 0; b < I->nblock; b = end) {
    const hfiIslandBlock* first = I->block + b;
    int32_t rows = first->dim;
    for (end = b + 1; end < I->nblock; ++end) {
      const hfiIslandBlock* next = I->block + end;
      if (next->row != first->row + rows || next->source != first->source + rows) break;
      rows += next->dim;
    }

    size_t size = sizeof(double) * (size_t)rows;
    memcpy(job->impulse + first->source, I->rows.gamma + first->row, size);
    memcpy(job->solver->s + first->source, I->rows.s + first->row, size);
  }
}

// ---- estimates -----------------------------------------------------------------------------------

// Returns the number of iterations of the estimate of these trees, or 0 if their answers are not estimates. If the
// trees were in several islands then, it is the largest of their numbers.
static int32_t find_estimate(const hfSolver* solver, const hfiMembers* m) {
  int32_t iterations = 0;
  if (!solver->estimated_trees) return 0;
  for (int32_t t = 0; t < m->ntree; ++t) iterations = imax2(iterations, solver->estimate_iterations[m->trees[t]]);
  return iterations;
}

// Notes that the answer of these trees is an estimate of this many iterations; 0: it is no estimate.
static void note_estimate(hfSolver* solver, const hfiMembers* m, int32_t iterations) {
  for (int32_t t = 0; t < m->ntree; ++t) {
    int32_t* noted = solver->estimate_iterations + m->trees[t];
    solver->estimated_trees += (iterations > 0) - (*noted > 0);
    *noted = iterations;
  }
}

// Estimates the island if it is a heap. before: number of iterations of an earlier estimate. Returns the iterations of
// both estimates together, or 0 if the island must be solved.
static int32_t estimate_island(const hfiSolveJob* job, int32_t before) {
  hfiIsland* I = &job->solver->island;
  const hfSolverConfig* config = job->config;
  if (!hfi_use_friction_duals(I)) return 0;
  if (config->coupling != HF_COUPLING_TWO_WAY || config->first_rung != HF_RUNG_TAMSI) return 0;

  restart(I);
  hfiNewtonResult out = hfi_soft_estimate(I, config);
  job->report->iterations += out.iterations;
  job->report->islands += out.converged;
  return out.converged ? before + out.iterations : 0;
}

// ---- all islands ---------------------------------------------------------------------------------

// Must the island be solved? It must if `changed` (ntree, NULL: all) marks one of its trees, or if it was only
// estimated so far.
static int must_solve(const hfSolver* solver, const hfiMembers* m, const int32_t* changed) {
  int any = !changed;
  for (int32_t t = 0; changed && t < m->ntree; ++t) any |= changed[m->trees[t]];
  return any || find_estimate(solver, m);
}

// Must any island be solved? If not, nobody reads the numbers of the problem, and they need not be checked.
static int must_solve_any(const hfSolver* solver, const hfStepProblem* P, const int32_t* changed) {
  if (!changed || solver->estimated_trees) return 1;
  for (int32_t t = 0; t < P->ntree; ++t)
    if (changed[t]) return 1;
  return 0;
}

// Number of islands with blocks, of the last problem, that must be solved.
static int32_t count_islands_to_solve(const hfSolver* solver, const int32_t* changed) {
  int32_t count = 0;
  for (int32_t k = 0; k < solver->partition.count; ++k) {
    hfiMembers m = hfi_partition_members(&solver->partition, k);
    count += m.nblock > 0 && must_solve(solver, &m, changed);
  }
  return count;
}

// Tries to solve an island by a single Newton step directly on the problem (tree_rows.h). Returns 1 if the island is
// solved.
static int solve_tree_rows(const hfiSolveJob* job, const hfiMembers* m) {
  // Contacts are the last blocks of a world.
  const hfStepBlock* last = job->problem->block + m->blocks[m->nblock - 1];
  if (hfi_is_felt_contact(job->problem, last)) return 0;

  hfiNewtonResult out;
  hfiAnswer answer = {job->v, job->impulse, job->solver->s};
  if (!hfi_tree_rows_solve(&job->solver->island, job->config, job->problem, m, &answer, &out)) return 0;
  report_island(job->report, HF_RUNG_TAMSI, 0, &out, out.residual);
  return 1;
}

// Solves or estimates an island that has rows, and writes its answer. If it has no earlier estimate, a single step on
// the problem is tried first. Returns 0 if it needs more storage than was planned.
static int solve_or_estimate(const hfiSolveJob* job, const hfiMembers* m) {
  hfSolver* solver = job->solver;
  hfiIsland* I = &solver->island;
  int32_t before = find_estimate(solver, m); // iterations of an earlier estimate, or 0
  if (!before && solve_tree_rows(job, m)) return 1;

  if (!hfi_island_gather(I, job->problem, m->trees, m->ntree, m->blocks, m->nblock)) return 0;
  int32_t iterations = solver->may_estimate ? estimate_island(job, before) : 0;
  if (!iterations) solve_island(I, job->config, before, job->report);

  if (before || iterations) note_estimate(solver, m, iterations);
  scatter_island(job);
  return 1;
}

// Solves the islands of the trees that `changed` (ntree, NULL: all) marks, and those that were only estimated so far.
// Writes v, impulses and row velocities of these, and adds them to the report. Returns its status, or a refusal.
static hfStatus solve_islands(const hfiSolveJob* job, const int32_t* changed, hfiTrouble* trouble) {
  hfSolver* solver = job->solver;
  const hfStepProblem* P = job->problem;
  int any = must_solve_any(solver, P, changed);
  hfStatus status = any ? hfi_problem_check_finite(P, trouble) : HF_OK;
  if (status) return status;

  // the islands; if none has blocks and none is solved, there is no need to know them
  if (any || P->nblock)
    hfi_partition_find(&solver->partition, P);
  else
    hfi_partition_clear(&solver->partition);

  for (int32_t k = 0; k < solver->partition.count; ++k) {
    hfiMembers m = hfi_partition_members(&solver->partition, k);
    if (!must_solve(solver, &m, changed)) continue;

    if (m.nblock == 0) {
      if (!solve_free_tree(job, m.trees[0])) job->report->status = HF_SINGULAR;
    } else if (!solve_or_estimate(job, &m)) {
      hfiTrouble found = {.status = HF_ERROR_MEMORY, .kind = HFI_TROUBLE_ISLAND, .id = m.ntree};
      return hfi_note_trouble(trouble, found);
    }
  }
  solver->solved_rows = P->nrow;
  return job->report->status;
}

// Solves the islands with a marked tree, or all, as a new problem: forgets what earlier solutions left.
hfStatus hfi_solver_solve_marked(const hfiSolveJob* job, const int32_t* marked, hfiTrouble* trouble) {
  hfSolver* solver = job->solver;
  memset(job->report, 0, sizeof *job->report);
  solver->island.known.rows = 0;

  if (solver->estimated_trees) {
    int32_t* iterations = solver->estimate_iterations;
    memset(iterations, 0, sizeof *iterations * (size_t)solver->capacity.ntree);
    solver->estimated_trees = 0;
  }
  return solve_islands(job, marked, trouble);
}

// Checks the problem and the configuration, and solves all islands. Returns the status, which a refusal also writes to
// the report.
hfStatus hf_solver_solve(hfSolver* solver, const hfSolverConfig* config,
                         const hfStepProblem* problem, double* v, double* impulse,
                         hfSolveReport* report, hfError* error) {
  hfi_clear_error(error);
  memset(report, 0, sizeof *report);

  hfiTrouble trouble = {.kind = HFI_TROUBLE_NONE};
  hfiSolveJob job = {solver, config, problem, v, impulse, report};
  hfStatus status = hfi_problem_check_capacity(problem, &solver->capacity, &trouble);
  if (status == HF_OK) status = hfi_solver_config_check(config, error);
  if (status == HF_OK) status = hfi_solver_solve_marked(&job, NULL, &trouble);

  if (trouble.kind != HFI_TROUBLE_NONE) hfi_explain_problem(&trouble, error);
  if (status < 0) report->status = status;
  return status;
}

// Solves again the islands with a changed tree, and those that were only estimated, with the last answer as known.
hfStatus hfi_solver_solve_changed(const hfiSolveJob* job, const int32_t* changed, hfiTrouble* trouble) {
  hfSolver* solver = job->solver;
  // These are solved and counted again. New blocks may have joined some of them.
  job->report->islands -= count_islands_to_solve(solver, changed);
  solver->island.known.rows = solver->solved_rows;
  solver->island.known.impulse = job->impulse;
  return solve_islands(job, changed, trouble);
}

void hfi_solver_estimate_heaps(hfSolver* solver, int estimate) {
  solver->may_estimate = estimate && solver->capacity.ntree > HFI_FEW_TREES;
}

int hfi_solver_has_estimates(const hfSolver* solver) { return solver->estimated_trees > 0; }

const double* hfi_solver_row_velocities(const hfSolver* solver) { return solver->s; }
