// One step of discrete time.
//
//   kinematics at q0 -> M, bias -> forces and rows -> contacts -> step problem -> v1
//   q1 = q0 (+) h v1, activations, contact memory, time
#include "discrete/discrete.h"

#include "solve/law.h"
#include "solve/solver.h"

#include <string.h>

// ---- contacts ---------------------------------------------------------------------------------------

// A row that may move a geom farther than this in a step has contacts predicted with it [m].
static const double kNoticeable = 1e-3;

// Upper bound [m] on how far the force of a row over n dofs can move any geom during this step: the force that the
// row has at the end of a step in which it acts alone, h^2 f/(1 + h kappa w), times the J/m and the lever of the dof
// that it moves most.
static inline double distance_moved_by_row(const hfiDiscrete* s, const hfSaturatedRow* row, int n, const int32_t* dof,
                                           const double* J) {
  double h = s->config.step, velocity = 0, w = 0, most = 0;
  for (int i = 0; i < n; ++i) {
    double moved = J[i] * s->assembly.inverse_mass[dof[i]];
    velocity += J[i] * s->assembly.problem.v0[dof[i]], w += J[i] * moved;
    most = max2(most, fabs(moved) * s->world->lever[dof[i]]);
  }
  double free = hfi_saturated_unclamped(row, velocity) / (1 + h * row->kappa * w);
  return h * h * fabs(clamp(free, row->lo, row->hi)) * most;
}

// 1: a drive, target or equality may move some geom noticeably.
static int any_row_moves_geoms(const hfiDiscrete* s) {
  const hfiRows* rows = &s->world->actuation.rows;
  for (const hfiRowBlock *b = rows->block, *end = b + rows->n.nblock; b < end; ++b)
    for (int r = 0; r < b->dim; ++r)
      if (distance_moved_by_row(s, &rows->row[b->row + r], b->ncol, rows->cols + b->col,
                                rows->J + b->jac + r * b->ncol) > kNoticeable)
        return 1;
  return 0;
}

// Solves the step problem without contacts and gives the dynamics its velocities, by which contacts are then
// predicted. Returns 0 where there is no solution: contacts are then predicted by the velocities of the start.
static int predict_contact_free_velocity(hfiDiscrete* s) {
  const hfStepProblem* p = &s->assembly.problem;
  hfSolveReport report;
  hfError error = {HF_OK, ""};
  if (hf_solver_solve(s->solver, &s->config.solver, p, s->v1, s->impulse, &report, &error) < 0) return 0;
  hf_dynamics_velocity(&s->world->dynamics, s->v1);
  return 1;
}

void hfi_discrete_contacts(hfiDiscrete* s, const hfState* state) {
  hfiWorld* w = s->world;
  int anticipates = s->config.anticipate && w->config.max_contacts;
  int predicted = anticipates && any_row_moves_geoms(s) && predict_contact_free_velocity(s);
  hfi_world_find_contacts(w, 0, anticipates ? s->config.step : 0);
  if (predicted) hf_dynamics_velocity(&w->dynamics, s->assembly.problem.v0);
  if (hfi_contacts_remember(s)) hfi_memory_recall(state, w->dynamics.X_WB, w->contact, w->ncontact);
  double steepest = sqr(2 * HFI_PI / s->config.near_rigid);
  for (int i = 0; i < w->ncontact; ++i)
    s->block[i] = hfi_assembly_add_contact(&s->assembly, &w->dynamics, &w->contact[i], s->config.friction, steepest,
                                           s->config.static_speed);
}

void hfi_discrete_problem(hfiDiscrete* s, const hfState* state, const hfInput* in) {
  const double* v0 = hf_state_v(state);
  hfDynamics* d = &s->world->dynamics;
  hfi_world_place(s->world, hf_state_q(state), in);
  hf_dynamics_velocity(d, v0);
  hf_dynamics_mass_matrix(d);
  hf_dynamics_bias(d);
  hfi_assembly_begin(&s->assembly, d, s->config.step, v0);
  hfi_discrete_forces(s, state, in);
  hfi_discrete_contacts(s, state);
}

// ---- the step ---------------------------------------------------------------------------------------

// v1 and impulses. The rigid model may have no answer: then its fallback, the convex problem, has.
static hfStatus solve_problem(hfiDiscrete* s, hfStepReport* report, hfError* error) {
  const hfStepProblem* p = &s->assembly.problem;
  hfSolverConfig config = s->config.solver;
  if (s->mlcp) {
    hfStatus status = hf_mlcp_solve(s->mlcp, p, s->v1, s->impulse, &report->solve, error);
    if (status <= 0 || !s->config.mlcp.fallback) return status;
    config.first_rung = HF_RUNG_CONVEX;
  }
  return hf_solver_solve(s->solver, &config, p, s->v1, s->impulse, &report->solve, error);
}

static void advance(hfiDiscrete* s, hfState* state, const hfInput* in, hfStepReport* report) {
  hfiWorld* w = s->world;
  const hfModel* m = w->model;
  const double h = s->config.step;
  int remembers = hfi_contacts_remember(s);
  double* q = hf_state_mutable_q(state);
  if (remembers) hfi_world_mark_start(w);
  hf_model_integrate(m, q, s->v1, h);
  memcpy(hf_state_mutable_v(state), s->v1, sizeof *s->v1 * (size_t)m->nv);
  hf_actuation_advance(&w->actuation, hf_state_mutable_act(state), h);
  state->time += h;
  if (remembers) hfi_world_place(w, q, in);
  if (remembers && hfi_memory_store(state, w->X0_WB, w->dynamics.X_WB, w->contact, s->outcome, w->ncontact))
    report->status = HF_OVERFLOW;
}

hfStatus hfi_discrete_step(hfiDiscrete* s, hfState* state, const hfInput* in, hfiStepOutput* out, hfError* error) {
  hfStepReport* report = out->report;
  hfi_discrete_problem(s, state, in);
  hfStatus status = solve_problem(s, report, error);
  report->status = status;
  if (status < 0 || (status > 0 && s->mlcp && !s->config.mlcp.fallback)) return status;
  if (s->world->ndropped) report->status = HF_OVERFLOW;
  hfi_discrete_results(s, out);
  advance(s, state, in, report);
  out->taken = 1;
  return report->status;
}
