// One step of discrete time.
//
//   kinematics at q0 -> M, bias -> forces and rows -> contacts -> step problem -> v1
//   q1 = q0 (+) h v1, activations, contact memory, time
#include "step/discrete/discrete.h"

#include "base/error.h"
#include "base/finite.h"
#include "linalg/dense.h"
#include "model/object.h"
#include "step/solve/solver.h"

#include <string.h>

void hfi_discrete_problem(hfiDiscrete* s, const hfState* state, const hfInput* in, int foresee) {
  const double* v0 = hf_state_v(state);
  hfDynamics* d = &s->world->dynamics;
  hfi_world_place(s->world, hf_state_q(state), in);
  if (s->config.gyroscopic) v0 = hfi_discrete_turn_free_bodies(s, v0);
  hf_dynamics_set_velocity(d, v0);
  hf_dynamics_update_mass_matrix(d);
  if (s->config.gyroscopic) hfi_flight_bias(&s->flight, d);
  else hf_dynamics_update_bias(d);
  hfi_assembly_begin(&s->assembly, d, s->config.step, v0);
  hfi_discrete_forces(s, state, in);
  if (s->sleep.stepping) hfi_sleep_find(s, state, in);
  hfi_discrete_contacts(s, state, foresee);
  hfi_discrete_impacts(s, state);
}

// ---- the step ---------------------------------------------------------------------------------------

// Whether the velocities of a flying tree are known before the problem is solved, provided that no row acts on it.
static int knows_flight(const hfiDiscrete* s, int t) {
  return !s->flight.articulated[t] || s->flight.has_middle;
}

// Marks in s->changed the trees whose velocities must be solved for: all except those that fly and on which no row acts. Returns the number of these.
static int mark_grounded(hfiDiscrete* s) {
  const hfStepProblem* p = &s->assembly.problem;
  int flying = 0;
  for (int t = 0; t < p->ntree; ++t) s->changed[t] = !(s->config.gyroscopic && s->flies[t]), flying += !s->changed[t];
  for (const hfStepPiece *piece = p->piece, *end = piece + p->npiece; flying && piece < end; ++piece)
    flying -= !s->changed[piece->tree], s->changed[piece->tree] = 1;
  for (int t = 0; flying && t < p->ntree; ++t)
    if (!s->changed[t] && !knows_flight(s, t)) s->changed[t] = 1, --flying;
  return flying;
}

// Sets the velocities of a tree that flies and on which no row acts. Those of an articulated tree were computed with its momentum; a free body falls,
// v1 = v0 + h g.
static void set_flying(hfiDiscrete* s, int t) {
  const hfStepProblem* p = &s->assembly.problem;
  int first = p->tree_start[t], n = p->tree_start[t + 1] - first;
  memcpy(s->v1 + first, (s->flight.articulated[t] ? s->flight.middle : p->v0) + first, sizeof *s->v1 * (size_t)n);
  if (!s->flight.articulated[t]) v3_store(s->v1 + first, v3_axpy(p->h, s->world->dynamics.gravity, v3_load(s->v1 + first)));
}

// Marks in s->changed the trees whose velocities must be solved for, and sets the velocities of the others. Trees that sleep have zero velocities and
// impulses. Returns 0 if all trees must be solved for.
static int mark_unknown(hfiDiscrete* s) {
  const hfStepProblem* p = &s->assembly.problem;
  if (!mark_grounded(s) && !s->sleep.count) return 0;
  if (s->sleep.count) memset(s->impulse, 0, sizeof *s->impulse * (size_t)s->assembly.capacity.nrow);
  for (int t = 0; t < p->ntree; ++t) {
    if (!s->changed[t]) set_flying(s, t);
    if (!s->sleep.count || !s->sleep.asleep[t]) continue;
    memset(s->v1 + p->tree_start[t], 0, sizeof *s->v1 * (size_t)(p->tree_start[t + 1] - p->tree_start[t]));
    s->changed[t] = 0;
  }
  return 1;
}

// Solves the rigid problem, and solves it again as long as overlaps give too much energy.
static hfStatus solve_rigid(hfiDiscrete* s, hfStepReport* report, hfError* error) {
  enum { MOST = 4 };
  hfStatus status = HF_OK;
  for (int k = 0; k <= MOST; ++k) {
    status = s->solver_table->solve(s->rigid_solver, &s->assembly.problem, s->v1, s->impulse, &report->solve, error);
    if (status != HF_OK || !hfi_discrete_limit_release(s, k + 1 >= MOST)) break;
  }
  return status;
}

// Computes v1 and the impulses. If the solver that was handed in finds no solution and has a fallback, the convex problem is solved. changed: NULL, or the
// trees (ntree) whose islands are solved again from v0.
static hfStatus solve_problem(hfiDiscrete* s, const int32_t* changed, hfStepReport* report, hfError* error) {
  const hfSolverConfig* config = &s->config.solver;
  hfSolverConfig fallback;
  if (s->solver_table) {
    hfStatus status = solve_rigid(s, report, error);
    if (status <= 0 || !s->policy.falls_back) return status;
    fallback = *config, config = &fallback;
    fallback.first_rung = HF_RUNG_CONVEX, changed = NULL;
  }
  hfiSolveJob job = {s->solver, config, &s->assembly.problem, s->v1, s->impulse, &report->solve};
  if (changed) return hfi_solver_solve_changed(&job, changed, error);
  return hfi_solver_solve_marked(&job, mark_unknown(s) ? s->changed : NULL, error);
}

// What remains to be done after a solution: nothing; solve the problem again; solve it with contacts that were added.
typedef enum unsolved { SOLVED, UNSOLVED, MISSED } unsolved;

// Adds contacts that the solution closes although they were not predicted, and marks their trees in s->changed. The problem is also unsolved if heaps
// were only estimated, or if the solution changes the path of a curved contact.
static unsolved find_unsolved(hfiDiscrete* s, const hfState* state) {
  double excess = s->excess;
  if (hfi_discrete_add_missed(s, state, s->v1)) {
    if (s->config.gyroscopic) hfi_discrete_ground(s);
    return MISSED;
  }
  if (!hfi_solver_has_estimates(s->solver)) return hfi_discrete_bend_again(s, s->v1) ? UNSOLVED : SOLVED;
  s->excess = excess; // Estimated trees are examined again when they are solved.
  memset(s->changed, 0, sizeof *s->changed * (size_t)s->world->model->ntree);
  return UNSOLVED;
}

// Solves the problem with the contacts that were predicted. If the solution closes others, adds them and solves again. Heaps are estimated first: the
// estimate shows most of the missing contacts before the larger part of the work is done. If contacts were missing, the heaps are estimated once
// more, because new contacts often make bodies move towards others.
static hfStatus solve_step(hfiDiscrete* s, const hfState* state, hfStepReport* report, hfError* error) {
  enum { MOST = 4, MORE_ESTIMATES = 2 };
  hfi_solver_estimate_heaps(s->solver, s->config.anticipate);
  hfStatus status = solve_problem(s, NULL, report, error);
  int most = MOST + hfi_solver_has_estimates(s->solver);
  unsolved left;
  for (int k = 0; k < most && status >= 0 && (left = find_unsolved(s, state)) != SOLVED; ++k) {
    hfi_solver_estimate_heaps(s->solver, left == MISSED && k < MORE_ESTIMATES && hfi_solver_has_estimates(s->solver));
    // The last solution is a better first guess, except for laws with a slope as steep as that of regularised friction.
    if (s->config.friction == HF_FRICTION_ANCHORED)
      memcpy(s->assembly.problem.v0, s->v1, sizeof *s->v1 * (size_t)s->world->model->nv);
    status = solve_problem(s, s->changed, report, error);
    if (k + 1 == most) s->excess = INFINITY; // The last solution was not examined.
  }
  return status;
}

// Stores the contacts of the step in the memory, beside those of trees that sleep. Returns for how many there was no room.
static int store_memory(hfiDiscrete* s, hfState* state) {
  const hfiWorld* w = s->world;
  hfiContactStep step = {w->surfaces, s->config.step, w->X0_WB, w->dynamics.X_WB, w->contact, s->outcome, w->ncontact};
  if (s->sleep.count) return hfi_memory_store_beside(state, s->sleep.still, s->sleep.fresh, &step);
  return hfi_memory_store(state, &step);
}

// Moves the state to the end of the step. s->foreseen, which is no longer needed, becomes the velocities there: v1 after the inertial motion of
// flying trees.
static void advance(hfiDiscrete* s, hfState* state, const hfInput* in, hfiStepOutput* out) {
  hfiWorld* w = s->world;
  const hfModel* m = w->model;
  const double h = s->config.step;
  int remembers = hfi_contacts_remember(s);
  int follows = remembers && (w->ncontact || s->config.sleep); // 1: memory or sleep needs the poses at the end of the step
  double *q = hf_state_mutable_q(state), *v = hf_state_mutable_v(state), *end = s->foreseen;
  const double* stop_time = hfi_discrete_may_pass(s) ? hfi_discrete_find_stops(s, out->report) : NULL;
  if (follows) hfi_world_mark_start(w);
  memcpy(end, s->v1, sizeof *end * (size_t)m->nv);
  if (s->config.gyroscopic)
    hfi_discrete_end_flight(s, in, stop_time, q, end);
  else
    hfi_discrete_move_plainly(s, stop_time, q);
  if (s->sleep.count) hfi_sleep_hold(s, q, end);
  hfi_difference_quotient(out->acceleration, end, v, h, m->nv);
  memcpy(v, end, sizeof *v * (size_t)m->nv);
  hf_actuation_advance(&w->actuation, hf_state_mutable_act(state), h);
  if (s->config.friction == HF_FRICTION_ANCHORED)
    hfi_friction_remember(&w->actuation, s->v1, hf_state_mutable_friction(state));
  state->time += h;
  if (follows) hfi_world_pose(w, q, in);
  if (remembers && store_memory(s, state)) out->report->status = HF_OVERFLOW;
}

// Whether the problem lacked something, so that it must be made again: the solution brings a tree to one that sleeps, or a joint past a limit that
// seemed far away, or turns a body by the pull of a connect faster than the step can follow. The pull is not tested with rigid rows, because
// velocities do not determine the forces of rigid rows.
static int problem_lacked_something(hfiDiscrete* s, const hfState* state) {
  hfActuation* a = &s->world->actuation;
  if (s->sleep.count && hfi_sleep_wake_touched(s)) return 1;
  if (hfi_limit_passed(a, hf_state_q(state), s->v1, s->config.step)) return s->all_limits = 1;
  return !s->policy.has_rigid_rows && s->world->model->neq && !a->ntension && hfi_find_tensions(a, &s->world->dynamics, hf_state_q(state), s->v1);
}

// Refuses velocities that are not finite or too large, and names their tree. No solver has tested the velocities of trees that fly.
static hfStatus check_velocities(const hfiDiscrete* s, hfError* error) {
  const hfModel* m = s->world->model;
  if (hfi_surely_speeds(s->v1, m->nv)) return HF_OK;
  for (int t = 0; t < m->ntree; ++t) {
    int first = hf_model_tree_dofadr(m)[t];
    if (!hfi_all_speeds(s->v1 + first, hf_model_tree_dofnum(m)[t]))
      return hfi_refuse(error, HF_ERROR_NONFINITE, "tree %d: the velocity of %s is not finite or above %g at the end of the step", t,
                        hfi_model_label(m, HF_OBJECT_BODY, hf_model_dof_body(m)[first]).text, hfi_largest_speed);
  }
  return HF_OK; // Only the sum is too large.
}

static hfStatus step(hfiDiscrete* s, hfState* state, const hfInput* in, hfiStepOutput* out, hfError* error) {
  hfStepReport* report = out->report;
  hfStatus status;
  if (s->config.sleep) hfi_sleep_start(s);
  *s->world->actuation.due = 0; // The forces of the step before are no longer needed.
  do {
    hfi_discrete_problem(s, state, in, 0);
    if (s->config.gyroscopic) hfi_discrete_begin_flight(s);
    status = solve_step(s, state, report, error);
  } while (status >= 0 && problem_lacked_something(s, state));
  s->all_limits = 0, s->world->actuation.ntension = 0;
  report->status = status;
  if (status < 0 || (status > 0 && s->solver_table && !s->policy.falls_back)) return status;
  status = check_velocities(s, error);
  if (status < 0) return report->status = status; // The state stays as it was.
  if (s->world->ndropped) report->status = HF_OVERFLOW;
  hfi_discrete_results(s, out);
  advance(s, state, in, out);
  if (s->config.sleep) hfi_sleep_end(s, state, in, report);
  out->taken = 1;
  return report->status;
}

hfStatus hfi_discrete_step(hfiDiscrete* s, hfState* state, const hfInput* in, hfiStepOutput* out, hfError* error) {
  hfStatus status = step(s, state, in, out, error);
  if (s->config.sleep) hfi_sleep_stop(s);
  return status;
}
