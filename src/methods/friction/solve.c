// Solves friction problems: checks, reduction to u = W r + q, islands, and what is reported.
#include "base/error.h"
#include "methods/friction/proximal.h"
#include "methods/friction/residual.h"

#include <string.h>

// Returns the configuration that solves nearly every problem of a step.
hfFrictionConfig hf_friction_config_default(void) {
  hfFrictionConfig c = {.tolerance = 1e-8, .max_steps = 300, .max_iterations = 30};
  return c;
}

// Refuses a configuration with numbers out of their ranges.
static hfStatus check_config(const hfFrictionConfig* config, hfError* error) {
  if (!(config->tolerance > 0 && config->tolerance < 1))
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "friction problem: tolerance = %g must be between 0 and 1",
                      config->tolerance);
  if (config->max_steps < 1 || config->max_iterations < 1)
    return hfi_refuse(error, HF_ERROR_ARGUMENT,
                      "friction problem: max_steps = %d and max_iterations = %d must be at least 1", config->max_steps,
                      config->max_iterations);
  return HF_OK;
}

// ---- islands -------------------------------------------------------------------------------------

// Finds the groups of nodes that W couples. Returns 0 if memory ran out.
static int find_islands(const hfiReduced* reduced, hfiComponents* islands, const hfAllocator* allocator) {
  int32_t count = reduced->W.start[reduced->n];
  int32_t* edges = hfi_allocate(allocator, sizeof(int32_t) * 2 * ((size_t)count + 1));
  if (!edges) return 0;

  for (int32_t row = 0; row < reduced->n; ++row)
    for (int32_t e = reduced->W.start[row]; e < reduced->W.start[row + 1]; ++e) {
      edges[2 * e] = hfi_row_node(reduced, row);
      edges[2 * e + 1] = hfi_row_node(reduced, reduced->W.col[e]);
    }
  int found = hfi_components_find(islands, hfi_reduced_nodes(reduced), edges, count, allocator);
  hfi_release(edges);
  return found;
}

// One island as a problem of its own, in memory for the largest one.
typedef struct Island {
  hfiReduced problem;
  double* mu; // (ncontact) what problem.mu points to
  double* r;  // (n) its reactions
} Island;

// Takes the arrays of an island that is as large as the whole problem.
static void plan_island(Island* island, const hfiReduced* reduced, hfiArena* arena) {
  island->mu = HFI_TAKE(arena, double, reduced->ncontact);
  island->r = HFI_TAKE(arena, double, reduced->n);
  island->problem.q = HFI_TAKE(arena, double, reduced->n);
  island->problem.W.start = HFI_TAKE(arena, int32_t, reduced->n + 1);
  island->problem.W.col = HFI_TAKE(arena, int32_t, reduced->W.start[reduced->n]);
  island->problem.W.value = HFI_TAKE(arena, double, reduced->W.start[reduced->n]);
  island->problem.mu = island->mu;
}

// Copies the rows of one node of `reduced`, whose columns are numbered anew, and its part of the reactions r.
static void gather_node(Island* island, const hfiReduced* reduced, const hfiComponents* components, int32_t node,
                        const double* r) {
  int32_t from = hfi_node_row(reduced, node);
  int32_t to = hfi_node_row(&island->problem, components->local[node]);

  for (int32_t a = 0; a < hfi_node_size(reduced, node); ++a) {
    island->r[to + a] = r[from + a];
    island->problem.q[to + a] = reduced->q[from + a];

    int32_t end = island->problem.W.start[to + a];
    for (int32_t e = reduced->W.start[from + a]; e < reduced->W.start[from + a + 1]; ++e) {
      int32_t coupled = hfi_row_node(reduced, reduced->W.col[e]);
      int32_t within = reduced->W.col[e] - hfi_node_row(reduced, coupled);
      island->problem.W.col[end] = hfi_node_row(&island->problem, components->local[coupled]) + within;
      island->problem.W.value[end] = reduced->W.value[e];
      ++end;
    }
    island->problem.W.start[to + a + 1] = end;
  }
}

// Copies island c of `reduced`, and its part of the reactions r, into *island.
static void gather_island(Island* island, const hfiReduced* reduced, const hfiComponents* components, int32_t c,
                          const double* r) {
  // contacts and equalities
  island->problem.ncontact = 0;
  island->problem.nequality = 0;
  for (int32_t k = components->start[c]; k < components->start[c + 1]; ++k) {
    int32_t node = components->item[k];
    if (node < reduced->ncontact) island->mu[island->problem.ncontact++] = reduced->mu[node];
    else ++island->problem.nequality;
  }

  // their rows
  island->problem.n = 3 * island->problem.ncontact + island->problem.nequality;
  island->problem.W.rows = island->problem.n;
  island->problem.W.cols = island->problem.n;
  island->problem.W.start[0] = 0;
  for (int32_t k = components->start[c]; k < components->start[c + 1]; ++k)
    gather_node(island, reduced, components, components->item[k], r);
}

// Copies the reactions of island c back into r.
static void scatter_island(const Island* island, const hfiReduced* reduced, const hfiComponents* components, int32_t c,
                           double* r) {
  for (int32_t k = components->start[c]; k < components->start[c + 1]; ++k) {
    int32_t node = components->item[k];
    int32_t from = hfi_node_row(&island->problem, components->local[node]);
    memcpy(r + hfi_node_row(reduced, node), island->r + from, sizeof *r * (size_t)hfi_node_size(reduced, node));
  }
}

// Improves the reactions r, island by island, and counts the work in the report.
// Returns HF_OK, HF_NOT_CONVERGED if an island did not converge, or HF_ERROR_MEMORY.
static hfStatus solve_islands(const hfiReduced* reduced, const hfiComponents* components,
                              const hfFrictionConfig* config, double* r, hfFrictionReport* report) {
  Island island = {0};
  hfiArena size = hfi_arena(NULL, 0);
  plan_island(&island, reduced, &size);
  hfiArena arena = hfi_arena_allocate(&size, &config->allocator);

  // one solver with room for the largest island
  hfiProximal solver = {0};
  int32_t nodes = components->largest;
  int32_t rows = nodes < reduced->n / 3 ? 3 * nodes : reduced->n;
  int32_t entries = reduced->W.start[reduced->n];
  int created = arena.base && hfi_proximal_create(&solver, nodes, rows, entries, &config->allocator);
  hfStatus status = created ? HF_OK : HF_ERROR_MEMORY;
  if (created) plan_island(&island, reduced, &arena);

  // island by island
  report->islands = components->count;
  for (int32_t c = 0; c < components->count && status >= 0; ++c) {
    gather_island(&island, reduced, components, c, r);
    hfStatus outcome = hfi_proximal_solve(&solver, &island.problem, config, island.r, report);
    scatter_island(&island, reduced, components, c, r);
    if (outcome != HF_OK) status = outcome;
  }

  hfi_proximal_free(&solver);
  hfi_release(arena.base);
  return status;
}

// ---- in and out ----------------------------------------------------------------------------------

// Writes the reactions of a solution, and its multipliers if there are any, as reactions r of the reduced problem.
static void take_guess(const hfFrictionProblem* problem, const hfFrictionSolution* solution, double* r) {
  for (int32_t i = 0; i < problem->dim * problem->ncontact; ++i) r[hfi_reduced_row(problem->dim, i)] = solution->r[i];
  if (solution->lambda && problem->nequality)
    memcpy(r + 3 * problem->ncontact, solution->lambda, sizeof *r * (size_t)problem->nequality);
}

// Copies the rows of the contacts of the reduced problem to the rows of the caller; `to` may be NULL.
static void give_rows(const hfFrictionProblem* problem, const double* from, double* to) {
  for (int32_t i = 0; to && i < problem->dim * problem->ncontact; ++i) to[i] = from[hfi_reduced_row(problem->dim, i)];
}

// Computes u and v of the reactions r, and their report. work (2 n) is scratch.
// If v cannot be computed, nothing is written.
static hfStatus give_answer(const hfFrictionProblem* problem, const hfiReduced* reduced, const hfAllocator* allocator,
                            const double* r, double* work, hfFrictionSolution* solution, hfFrictionReport* report,
                            hfError* error) {
  const double* lambda = r + 3 * reduced->ncontact;
  double* u = work;
  double* rows = work + reduced->n;

  hfi_reduced_velocity(reduced, r, u);
  hfiResidual residual = hfi_friction_residual(reduced, r, u);

  // velocities of the global form, from the reactions in the caller's order
  give_rows(problem, r, rows);
  if (problem->form == HF_FORM_GLOBAL && solution->v) {
    hfStatus status = hfi_recover_velocity(problem, allocator, rows, lambda, solution->v, error);
    if (status < 0) return status;
  }

  // answer and report
  report->natural_map = residual.natural_map;
  report->residual = residual.residual;
  report->scaled_residual = residual.scaled_residual;
  give_rows(problem, r, solution->r);
  give_rows(problem, u, solution->u);
  if (solution->lambda && reduced->nequality)
    memcpy(solution->lambda, lambda, sizeof *lambda * (size_t)reduced->nequality);
  return HF_OK;
}

// Solves a problem, from the reactions of the solution with config->warm_start, else from zero.
// Returns HF_OK, HF_NOT_CONVERGED with the best answer, or a status < 0 with a message.
hfStatus hf_friction_solve(const hfFrictionProblem* problem, const hfFrictionConfig* config,
                           hfFrictionSolution* solution, hfFrictionReport* report, hfError* error) {
  hfi_clear_error(error);
  hfStatus status = check_config(config, error);
  if (!status) status = hf_friction_problem_validate(problem, error);
  hfiReduced reduced = {0};
  if (!status) status = hfi_friction_reduce(problem, &config->allocator, &reduced, error);
  if (status) return status;

  // r, and behind it the work of give_answer
  hfiComponents islands = {0};
  double* r = hfi_allocate(&config->allocator, 3 * sizeof(double) * ((size_t)reduced.n + 1));
  memset(report, 0, sizeof *report);
  if (!r || !find_islands(&reduced, &islands, &config->allocator)) status = HF_ERROR_MEMORY;

  if (!status && config->warm_start) take_guess(problem, solution, r);
  if (!status) status = solve_islands(&reduced, &islands, config, r, report);
  if (status >= 0) {
    hfStatus end = give_answer(problem, &reduced, &config->allocator, r, r + reduced.n, solution, report, error);
    if (end < 0) status = end;
  } else {
    hfi_refuse(error, status, "friction problem: no memory for %d contacts", problem->ncontact);
  }

  hfi_release(islands.start);
  hfi_release(r);
  hfi_reduced_free(&reduced);
  report->status = status;
  return status;
}

// Computes velocities and residuals of the reactions that the solution holds.
// Returns HF_OK, or a status < 0 with a message.
hfStatus hf_friction_evaluate(const hfFrictionProblem* problem, hfFrictionSolution* solution, hfFrictionReport* report,
                              hfError* error) {
  hfi_clear_error(error);
  const hfAllocator standard = {0};
  hfStatus status = hf_friction_problem_validate(problem, error);
  hfiReduced reduced = {0};
  if (!status) status = hfi_friction_reduce(problem, &standard, &reduced, error);
  if (status) return status;

  double* r = hfi_allocate(&standard, 3 * sizeof(double) * ((size_t)reduced.n + 1));
  memset(report, 0, sizeof *report);
  if (r) {
    take_guess(problem, solution, r);
    status = give_answer(problem, &reduced, &standard, r, r + reduced.n, solution, report, error);
  } else {
    status = hfi_refuse(error, HF_ERROR_MEMORY, "friction problem: no memory for %d contacts", problem->ncontact);
  }

  hfi_release(r);
  hfi_reduced_free(&reduced);
  report->status = status;
  return status;
}
