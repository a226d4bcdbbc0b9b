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
static hfStatus check_config(const hfFrictionConfig* c, hfError* error) {
  if (!(c->tolerance > 0 && c->tolerance < 1))
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "friction problem: tolerance = %g must be between 0 and 1",
                      c->tolerance);
  if (c->max_steps < 1 || c->max_iterations < 1)
    return hfi_refuse(error, HF_ERROR_ARGUMENT,
                      "friction problem: max_steps = %d and max_iterations = %d must be at least 1", c->max_steps,
                      c->max_iterations);
  return HF_OK;
}

// ---- islands -------------------------------------------------------------------------------------

// Finds the groups of nodes that W couples. Returns 0 if memory ran out.
static int find_islands(const hfiReduced* P, hfiComponents* islands, const hfAllocator* allocator) {
  int32_t count = P->W.start[P->n];
  int32_t* edges = hfi_allocate(allocator, sizeof(int32_t) * 2 * ((size_t)count + 1));
  if (!edges) return 0;

  for (int32_t row = 0; row < P->n; ++row)
    for (int32_t e = P->W.start[row]; e < P->W.start[row + 1]; ++e) {
      edges[2 * e] = hfi_row_node(P, row);
      edges[2 * e + 1] = hfi_row_node(P, P->W.col[e]);
    }
  int found = hfi_components_find(islands, hfi_reduced_nodes(P), edges, count, allocator);
  hfi_release(edges);
  return found;
}

// One island as a problem of its own, in memory for the largest one.
typedef struct island {
  hfiReduced P;
  double *mu, *r;
} island;

// Takes the arrays of an island that is as large as the whole problem.
static void plan_island(island* I, const hfiReduced* P, hfiArena* arena) {
  I->mu = HFI_TAKE(arena, double, P->ncontact);
  I->r = HFI_TAKE(arena, double, P->n);
  I->P.q = HFI_TAKE(arena, double, P->n);
  I->P.W.start = HFI_TAKE(arena, int32_t, P->n + 1);
  I->P.W.col = HFI_TAKE(arena, int32_t, P->W.start[P->n]);
  I->P.W.value = HFI_TAKE(arena, double, P->W.start[P->n]);
  I->P.mu = I->mu;
}

// Copies the rows of one node, whose columns are numbered anew.
static void gather_node(island* I, const hfiReduced* P, const hfiComponents* C, int32_t node, const double* r) {
  int32_t from = hfi_node_row(P, node);
  int32_t to = hfi_node_row(&I->P, C->local[node]);

  for (int32_t a = 0; a < hfi_node_size(P, node); ++a) {
    I->r[to + a] = r[from + a];
    I->P.q[to + a] = P->q[from + a];

    int32_t end = I->P.W.start[to + a];
    for (int32_t e = P->W.start[from + a]; e < P->W.start[from + a + 1]; ++e) {
      int32_t coupled = hfi_row_node(P, P->W.col[e]);
      I->P.W.col[end] = hfi_node_row(&I->P, C->local[coupled]) + P->W.col[e] - hfi_node_row(P, coupled);
      I->P.W.value[end] = P->W.value[e];
      ++end;
    }
    I->P.W.start[to + a + 1] = end;
  }
}

// Copies island c of problem P, and its part of the reactions r, into *I.
static void gather_island(island* I, const hfiReduced* P, const hfiComponents* C, int32_t c, const double* r) {
  I->P.ncontact = 0;
  I->P.nequality = 0;
  for (int32_t k = C->start[c]; k < C->start[c + 1]; ++k) {
    if (C->item[k] < P->ncontact)
      I->mu[I->P.ncontact++] = P->mu[C->item[k]];
    else
      ++I->P.nequality;
  }

  I->P.n = 3 * I->P.ncontact + I->P.nequality;
  I->P.W.rows = I->P.n;
  I->P.W.cols = I->P.n;
  I->P.W.start[0] = 0;
  for (int32_t k = C->start[c]; k < C->start[c + 1]; ++k) gather_node(I, P, C, C->item[k], r);
}

// Copies the reactions of island c back into r.
static void scatter_island(const island* I, const hfiReduced* P, const hfiComponents* C, int32_t c, double* r) {
  for (int32_t k = C->start[c]; k < C->start[c + 1]; ++k) {
    int32_t node = C->item[k];
    int32_t from = hfi_node_row(&I->P, C->local[node]);
    memcpy(r + hfi_node_row(P, node), I->r + from, sizeof *r * (size_t)hfi_node_size(P, node));
  }
}

// Improves the reactions r, island by island, and counts the work in the report.
// Returns HF_OK, HF_NOT_CONVERGED if an island did not converge, or HF_ERROR_MEMORY.
static hfStatus solve_islands(const hfiReduced* P, const hfiComponents* C, const hfFrictionConfig* config, double* r,
                              hfFrictionReport* report) {
  island I = {0};
  hfiArena size = hfi_arena(NULL, 0);
  plan_island(&I, P, &size);
  hfiArena arena = hfi_arena_allocate(&size, &config->allocator);

  // one solver with room for the largest island
  hfiProximal S = {0};
  int32_t nodes = C->largest;
  int32_t rows = nodes < P->n / 3 ? 3 * nodes : P->n;
  int created = arena.base && hfi_proximal_create(&S, nodes, rows, P->W.start[P->n], &config->allocator);
  hfStatus status = created ? HF_OK : HF_ERROR_MEMORY;
  if (created) plan_island(&I, P, &arena);

  report->islands = C->count;
  for (int32_t c = 0; c < C->count && status >= 0; ++c) {
    gather_island(&I, P, C, c, r);
    hfStatus outcome = hfi_proximal_solve(&S, &I.P, config, I.r, report);
    scatter_island(&I, P, C, c, r);
    if (outcome != HF_OK) status = outcome;
  }

  hfi_proximal_free(&S);
  hfi_release(arena.base);
  return status;
}

// ---- in and out ----------------------------------------------------------------------------------

// Writes the reactions of a solution, and its multipliers if there are any, as reactions r of the reduced problem.
static void take_guess(const hfFrictionProblem* problem, const hfFrictionSolution* s, double* r) {
  for (int32_t i = 0; i < problem->dim * problem->ncontact; ++i) r[hfi_reduced_row(problem->dim, i)] = s->r[i];
  if (s->lambda && problem->nequality)
    memcpy(r + 3 * problem->ncontact, s->lambda, sizeof *r * (size_t)problem->nequality);
}

// Copies the rows of the contacts of the reduced problem to the rows of the caller; `to` may be NULL.
static void give_rows(const hfFrictionProblem* problem, const double* from, double* to) {
  for (int32_t i = 0; to && i < problem->dim * problem->ncontact; ++i) to[i] = from[hfi_reduced_row(problem->dim, i)];
}

// Computes u and v of the reactions r, and their report. work (2 n) is scratch.
// If v cannot be computed, nothing is written.
static hfStatus give_answer(const hfFrictionProblem* problem, const hfiReduced* P, const hfAllocator* allocator,
                            const double* r, double* work, hfFrictionSolution* s, hfFrictionReport* report,
                            hfError* error) {
  const double* lambda = r + 3 * P->ncontact;
  double* u = work;
  double* rows = work + P->n;
  hfi_reduced_velocity(P, r, u);
  hfiResidual e = hfi_friction_residual(P, r, u);

  give_rows(problem, r, rows);
  if (problem->form == HF_FORM_GLOBAL && s->v) {
    hfStatus status = hfi_recover_velocity(problem, allocator, rows, lambda, s->v, error);
    if (status < 0) return status;
  }

  report->natural_map = e.natural_map;
  report->residual = e.residual;
  report->scaled_residual = e.scaled_residual;
  give_rows(problem, r, s->r);
  give_rows(problem, u, s->u);
  if (s->lambda && P->nequality) memcpy(s->lambda, lambda, sizeof *lambda * (size_t)P->nequality);
  return HF_OK;
}

// Solves a problem, from the reactions of the solution with config->warm_start, else from zero.
// Returns HF_OK, HF_NOT_CONVERGED with the best answer, or a status < 0 with a message.
hfStatus hf_friction_solve(const hfFrictionProblem* problem, const hfFrictionConfig* config,
                           hfFrictionSolution* solution, hfFrictionReport* report, hfError* error) {
  hfi_clear_error(error);
  hfStatus status = check_config(config, error);
  if (!status) status = hf_friction_problem_validate(problem, error);
  hfiReduced P = {0};
  if (!status) status = hfi_friction_reduce(problem, &config->allocator, &P, error);
  if (status) return status;

  // r, and behind it the work of give_answer
  hfiComponents islands = {0};
  double* r = hfi_allocate(&config->allocator, 3 * sizeof(double) * ((size_t)P.n + 1));
  memset(report, 0, sizeof *report);
  if (!r || !find_islands(&P, &islands, &config->allocator)) status = HF_ERROR_MEMORY;

  if (!status && config->warm_start) take_guess(problem, solution, r);
  if (!status) status = solve_islands(&P, &islands, config, r, report);
  if (status >= 0) {
    hfStatus end = give_answer(problem, &P, &config->allocator, r, r + P.n, solution, report, error);
    if (end < 0) status = end;
  } else {
    hfi_refuse(error, status, "friction problem: no memory for %d contacts", problem->ncontact);
  }

  hfi_release(islands.start);
  hfi_release(r);
  hfi_reduced_free(&P);
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
  hfiReduced P = {0};
  if (!status) status = hfi_friction_reduce(problem, &standard, &P, error);
  if (status) return status;

  double* r = hfi_allocate(&standard, 3 * sizeof(double) * ((size_t)P.n + 1));
  memset(report, 0, sizeof *report);
  if (r) {
    take_guess(problem, solution, r);
    status = give_answer(problem, &P, &standard, r, r + P.n, solution, report, error);
  } else {
    status = hfi_refuse(error, HF_ERROR_MEMORY, "friction problem: no memory for %d contacts", problem->ncontact);
  }

  hfi_release(r);
  hfi_reduced_free(&P);
  report->status = status;
  return status;
}
