// Which contacts count in a step: those that touch, those that the motion of the step is predicted to close, and those
// that its solution closes.
#include "discrete/discrete.h"

#include "solve/law.h"

#include <string.h>

// A row that may move a geom farther than this in a step has contacts predicted with it [m].
static const double NOTICEABLE = 1e-3;

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

// How far known forces and those of rows may push each tree beyond its free motion, into s->push. Returns 1 where a
// drive, target or equality may move some geom noticeably.
static int measure_push(hfiDiscrete* s) {
  const hfModel* m = s->world->model;
  const hfiRows* rows = &s->world->actuation.rows;
  const int32_t* tree = hf_model_dof_tree(m);
  double h2 = sqr(s->config.step);
  int any = 0;
  memset(s->push, 0, sizeof *s->push * (size_t)m->ntree);
  for (int i = 0; i < m->nv; ++i)
    s->push[tree[i]] += h2 * fabs(s->tau[i]) * s->assembly.inverse_mass[i] * s->world->lever[i];
  for (const hfiRowBlock *b = rows->block, *end = b + rows->n.nblock; b < end; ++b)
    for (int r = 0; r < b->dim && b->ncol; ++r) {
      const int32_t* cols = rows->cols + b->col;
      double moved = distance_moved_by_row(s, &rows->row[b->row + r], b->ncol, cols, rows->J + b->jac + r * b->ncol);
      any |= moved > NOTICEABLE;
      s->push[tree[cols[0]]] += min2(moved, NOTICEABLE);
    }
  return any;
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

// The contacts of the world, with what the state remembers of them, into the step problem.
static void add_contacts(hfiDiscrete* s, const hfState* state) {
  hfiWorld* w = s->world;
  if (hfi_contacts_remember(s)) hfi_memory_recall(state, &w->dynamics, s->config.step, w->contact, w->ncontact);
  double steepest = sqr(2 * HFI_PI / s->config.near_rigid);
  for (int i = 0; i < w->ncontact; ++i)
    s->block[i] = hfi_assembly_add_contact(&s->assembly, &w->dynamics, &w->contact[i], s->config.friction, steepest,
                                           s->config.static_speed);
}

static int anticipates(const hfiDiscrete* s) { return s->config.anticipate && s->world->config.max_contacts; }

void hfi_discrete_contacts(hfiDiscrete* s, const hfState* state) {
  hfiWorld* w = s->world;
  const double* v0 = s->assembly.problem.v0;
  int predicted = anticipates(s) && measure_push(s) && predict_contact_free_velocity(s);
  memcpy(s->foreseen, predicted ? s->v1 : v0, sizeof *v0 * (size_t)w->model->nv);
  hfi_world_find_contacts(w, 0, anticipates(s) ? s->config.step : 0, predicted ? NULL : s->push);
  if (predicted) hf_dynamics_velocity(&w->dynamics, v0);
  s->before_contacts = hfi_assembly_mark(&s->assembly);
  add_contacts(s, state);
}

// ---- contacts that were not predicted ---------------------------------------------------------------

// Candidates are not looked at again where no tree moves further than this beyond what was predicted [m].
static const double UNFORESEEN = 5e-5;

// Whether v1 may move a point noticeably further than predicted.
static int moves_unforeseen(const hfiDiscrete* s, const double* v1) {
  const hfModel* m = s->world->model;
  double h = s->config.step, fall = h * h * v3_norm(s->world->dynamics.gravity);
  for (int t = 0; t < m->ntree; ++t) {
    double sum = 0;
    for (int i = hf_model_tree_dofadr(m)[t], end = i + hf_model_tree_dofnum(m)[t]; i < end; ++i)
      sum += fabs(v1[i] - s->foreseen[i]) * s->world->lever[i];
    if (h * sum > UNFORESEEN + 2 * fall) return 1;
  }
  return 0;
}

int hfi_discrete_add_missed(hfiDiscrete* s, const hfState* state, const double* v1) {
  hfDynamics* d = &s->world->dynamics;
  if (!anticipates(s) || !moves_unforeseen(s, v1)) return 0;
  hfi_accelerate(d, v1); // velocities of the links at rates v1
  if (!hfi_world_find_missed(s->world, d->B, s->config.step)) return 0;
  hfi_assembly_return(&s->assembly, s->before_contacts);
  add_contacts(s, state);
  memcpy(s->foreseen, v1, sizeof *v1 * (size_t)s->world->model->nv);
  return 1;
}
