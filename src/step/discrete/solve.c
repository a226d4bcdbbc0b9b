// Solving the step problem: by the ladder (step/solve), or by a solver that the creator of the method handed in
// (problem_solver.h).
//
// A solution may close contacts that nobody predicted. They are added, and the problem is solved again.
#include "step/discrete/inside.h"

#include "step/solve/solver.h"

#include <string.h>

// ---- trees whose velocities are known -----------------------------------------------------------------

// Marks in s->changed the trees whose velocities must be solved for: all except those that fly and on which no row
// acts. Returns the number of trees that need no solution.
static int mark_grounded(hfiDiscrete* s) {
  const hfStepProblem* p = &s->assembly.problem;
  int flying = 0; // number of trees that are not marked

  for (int t = 0; t < p->ntree; ++t) {
    s->changed[t] = !(s->config.gyroscopic && s->flies[t]);
    flying += !s->changed[t];
  }

  // a tree with rows
  for (const hfStepPiece *piece = p->piece, *end = piece + p->npiece; flying && piece < end; ++piece) {
    flying -= !s->changed[piece->tree];
    s->changed[piece->tree] = 1;
  }

  // an articulated tree whose velocities in flight could not be computed
  for (int t = 0; flying && t < p->ntree; ++t) {
    int is_known = !s->flight.articulated[t] || s->flight.has_middle;
    if (s->changed[t] || is_known) continue;
    s->changed[t] = 1;
    --flying;
  }
  return flying;
}

// Sets v1 of a tree that flies and on which no row acts. The velocities of an articulated tree were computed with its
// momentum; a free body falls, v1 = v0 + h g.
static void set_flying_velocity(hfiDiscrete* s, int t) {
  const hfStepProblem* p = &s->assembly.problem;
  int first = p->tree_start[t];
  size_t size = sizeof *s->v1 * (size_t)(p->tree_start[t + 1] - first);
  double* v1 = s->v1 + first;

  if (s->flight.articulated[t]) {
    memcpy(v1, s->flight.middle + first, size);
    return;
  }
  memcpy(v1, p->v0 + first, size);
  v3_store(v1, v3_axpy(p->h, s->world->dynamics.gravity, v3_load(v1)));
}

// Marks in s->changed the trees whose velocities must be solved for, and sets v1 of the others: trees that fly, and
// trees that sleep, whose velocities and impulses are zero. Returns 0 if all trees must be solved for.
static int mark_unknown(hfiDiscrete* s) {
  const hfStepProblem* p = &s->assembly.problem;
  if (!mark_grounded(s) && !s->sleep.count) return 0;

  if (s->sleep.count) memset(s->impulse, 0, sizeof *s->impulse * (size_t)s->assembly.capacity.nrow);
  for (int t = 0; t < p->ntree; ++t) {
    if (!s->changed[t]) set_flying_velocity(s, t);
    if (!s->sleep.count || !s->sleep.asleep[t]) continue;
    memset(s->v1 + p->tree_start[t], 0, sizeof *s->v1 * (size_t)(p->tree_start[t + 1] - p->tree_start[t]));
    s->changed[t] = 0;
  }
  return 1;
}

// ---- one solution -------------------------------------------------------------------------------------

// Solves the rigid problem, and solves it again as long as overlaps give too much energy.
static hfStatus solve_rigid(hfiDiscrete* s, hfSolveReport* report, hfError* error) {
  enum { MOST_REDUCTIONS = 4 };
  hfStatus status = HF_OK;

  for (int k = 0; k <= MOST_REDUCTIONS; ++k) {
    status = s->solver.table->solve(s->solver.rigid, &s->assembly.problem, s->v1, s->impulse, report, error);
    if (status != HF_OK || !hfi_discrete_limit_release(s, k + 1 >= MOST_REDUCTIONS)) break;
  }
  return status;
}

// Computes v1 and the impulses. If the solver that was handed in finds no solution and has a fallback, the convex
// problem is solved. changed: NULL, or the trees (ntree) whose islands are solved again from v0.
static hfStatus solve_problem(hfiDiscrete* s, const int32_t* changed, hfiStepOutput* out, hfError* error) {
  hfSolverConfig config = s->config.solver;

  if (s->solver.table) {
    hfStatus status = solve_rigid(s, &out->report->solve, error);
    if (status <= 0 || !s->solver.policy.falls_back) return status; // positive: it has no solution
    config.first_rung = HF_RUNG_CONVEX;
    changed = NULL;
  }

  hfiSolveJob job = {s->solver.ladder, &config, &s->assembly.problem, s->v1, s->impulse, &out->report->solve};
  if (changed) return hfi_solver_solve_changed(&job, changed, &out->trouble);
  return hfi_solver_solve_marked(&job, mark_unknown(s) ? s->changed : NULL, &out->trouble);
}

// ---- solve, revise, solve again -----------------------------------------------------------------------

// Heaps are estimated first: the estimate shows most of the missing contacts before the larger part of the work is
// done.
hfStatus hfi_discrete_solve(hfiDiscrete* s, hfiStepOutput* out, hfError* error) {
  enum { MOST_REPEATS = 4 };
  hfi_solver_estimate_heaps(s->solver.ladder, s->config.anticipate);
  hfStatus status = solve_problem(s, NULL, out, error);

  s->solver.repeats = 0;
  s->solver.most_repeats = MOST_REPEATS + hfi_solver_has_estimates(s->solver.ladder);
  return status;
}

// Examines a solution s->v1. Returns 1 if the problem must be solved again; s->changed then marks the trees. Writes
// solver.has_added. The last solution of a step, after most_repeats, is not examined.
int hfi_discrete_revise(hfiDiscrete* s, const hfState* state) {
  s->solver.has_added = 0;
  if (s->solver.repeats == s->solver.most_repeats) {
    hfi_near_doubt(&s->world->near); // Nobody examines the last solution.
    return 0;
  }

  if (hfi_discrete_add_missed(s, state, s->v1)) {
    if (s->config.gyroscopic) hfi_discrete_ground_near_trees(s);
    s->solver.has_added = 1;
    return 1;
  }
  if (!hfi_solver_has_estimates(s->solver.ladder)) return hfi_discrete_follow_paths_again(s, s->v1);

  // Estimated trees are examined again when they are solved.
  hfi_near_forget_estimate(&s->world->near);
  memset(s->changed, 0, sizeof *s->changed * (size_t)s->world->model->ntree);
  return 1;
}

// If contacts were missing, the heaps are estimated once more, because new contacts often make bodies move towards
// others.
hfStatus hfi_discrete_solve_again(hfiDiscrete* s, hfiStepOutput* out, hfError* error) {
  enum { MOST_ESTIMATES = 2 };
  int may_estimate = s->solver.has_added && s->solver.repeats < MOST_ESTIMATES;
  hfi_solver_estimate_heaps(s->solver.ladder, may_estimate && hfi_solver_has_estimates(s->solver.ladder));

  // The last solution is a better first guess, except for laws with a slope as steep as that of regularised friction.
  if (s->config.friction == HF_FRICTION_ANCHORED)
    memcpy(s->assembly.problem.v0, s->v1, sizeof *s->v1 * (size_t)s->world->model->nv);

  s->solver.repeats++;
  return solve_problem(s, s->changed, out, error);
}
