// Which contacts count in a step: those that touch, those that the motion of the step is predicted to close, and those
// that its solution closes.
#include "step/discrete/discrete.h"

#include "base/finite.h"
#include "step/contact/surface.h"
#include "step/law/law.h"
#include "step/solve/solver.h"
#include "step/contact/contact_law.h"

#include <string.h>

// Sets s->push: how much further than their free motion trees are examined in the first search for contacts, because rows and known forces act on
// them. Trees that the solution moves even further are examined again after it.
static void set_push(hfiDiscrete* s) {
  const hfModel* m = s->world->model;
  const hfiRows* rows = &s->world->actuation.rows;
  const hfStepPiece* piece = s->assembly.problem.piece;
  const int32_t* num = hf_model_tree_dofnum(m);
  for (int t = 0, first = 0; t < m->ntree; first += num[t++]) // The dofs of the trees follow each other.
    s->push[t] = hfi_any_nonzero(s->tau + first, num[t]) ? HFI_FURTHER : 0;
  for (int k = 0, n = hfi_rows_piece_count(rows); k < n; ++k) s->push[piece[k].tree] = HFI_FURTHER;
}

// If a row may move a geom farther than this in a step, contacts are predicted with the motion that the row causes [m].
static const double NOTICEABLE = 1e-3;

// Upper bound [m] on how far the force of row r of a block can move any geom during this step: the force that the row has at the end of
// a step in which it acts alone, h^2 f/(1 + h kappa w), times the J/m and the lever of the dof that it moves most.
static double distance_moved_by_row(const hfiDiscrete* s, const hfStepBlock* block, int r) {
  const hfStepProblem* p = &s->assembly.problem;
  const hfSaturatedRow* row = &p->saturated[block->param + r];
  const double h = p->h;
  double velocity = 0, w = 0, most = 0;

  for (const hfStepPiece *piece = p->piece + block->piece, *end = piece + block->npiece; piece < end; ++piece) {
    const double* J = p->J + piece->jac + r * piece->ncol;
    for (int k = 0; k < piece->ncol; ++k) {
      int dof = p->tree_start[piece->tree] + p->cols[piece->col + k];
      double moved = J[k] * s->assembly.inverse_mass[dof];
      velocity += J[k] * p->v0[dof];
      w += J[k] * moved;
      most = max2(most, fabs(moved) * s->world->lever[dof]);
    }
  }
  double free = hfi_saturated_unclamped(row, velocity) / (1 + h * row->kappa * w);
  return h * h * fabs(clamp(free, row->lo, row->hi)) * most;
}

// Whether a drive, target or equality may move some geom by more than NOTICEABLE.
static int any_row_moves_geoms(const hfiDiscrete* s) {
  const hfiRows* rows = &s->world->actuation.rows;
  for (int b = 0; b < rows->nblock; ++b) {
    const hfStepBlock* block = hfi_rows_block(rows, b);
    for (int r = 0; r < block->dim; ++r)
      if (distance_moved_by_row(s, block, r) > NOTICEABLE) return 1;
  }
  return 0;
}

// Solves the step problem without contacts and gives the dynamics the velocities of the solution. Contacts are then predicted with these. Returns 0
// if there is no solution: contacts are then predicted with the velocities of the start.
static int predict_contact_free_velocity(hfiDiscrete* s) {
  const hfStepProblem* p = &s->assembly.problem;
  hfSolveReport report;
  hfiSolveJob job = {s->solver, &s->config.solver, p, s->v1, s->impulse, &report};
  if (hfi_solver_solve_marked(&job, NULL, NULL) < 0) return 0;
  for (int i = 0; s->sleep.count && i < p->nv; ++i)
    if (s->sleep.asleep[hf_model_dof_tree(s->world->model)[i]]) s->v1[i] = 0;
  hf_dynamics_set_velocity(&s->world->dynamics, s->v1);
  return 1;
}

// The bound on the slope of anchored friction, `steepest` of hfi_assembly_add_contact [-].
static double find_steepest(const hfiDiscrete* s) { return sqr(2 * HFI_PI / s->config.near_rigid); }

// Rigid contact removes the share `recovery` of an overlap in a step. The depth of a deep overlap is reduced, so that it is removed at most at the
// release speed of the world.
static void limit_recovery(const hfiDiscrete* s, hfContactLaw* law) {
  double deepest = s->world->model->world.release_speed * s->config.step;
  if (s->policy.recovery * law->depth > deepest) law->depth = deepest / s->policy.recovery;
}

// The velocities that moving surfaces add to the rows of contact i.
static void set_drift(hfiDiscrete* s, int i) {
  hfStepProblem* p = &s->assembly.problem;
  const hfStepBlock* b = &p->block[s->block[i]];
  const hfiContact* c = &s->world->contact[i];
  hfiSurfaceMotion motion = hfi_surface_motion(s->world->model, s->world->dynamics.X_WB, c, p->h);
  for (int r = 1; r < b->dim; ++r) p->drift[b->row + r] = hfi_surface_drift(&motion, c, r, p->h);
}

// Adds the rows of contact i to the step problem.
static inline void add_contact(hfiDiscrete* s, int i, double steepest) {
  s->block[i] = hfi_assembly_add_contact(&s->assembly, &s->world->dynamics, &s->world->contact[i], s->config.friction,
                                         steepest, s->config.static_speed);
  if (s->block[i] < 0) return;
  if (s->world->surfaces) set_drift(s, i);
  hfContactLaw* law = &s->assembly.problem.contact[s->assembly.problem.block[s->block[i]].param];
  if (s->policy.has_rigid_contacts) limit_recovery(s, law); // The force of rigid contact does not depend on the depth.
  else if (s->world->contact[i].material.adhesion != 0) hfi_contact_stick_on(&s->world->contact[i], law);
}

// Adds the forces of adhesion to the step problem.
static void add_adhesion(hfiDiscrete* s) {
  hfStepProblem* p = &s->assembly.problem;
  double* pull = s->v1; // scratch until the problem is solved
  memset(pull, 0, sizeof *pull * (size_t)p->nv);
  hfi_world_add_adhesion(s->world, pull);
  for (int i = 0; i < p->nv; ++i) {
    s->tau[i] += pull[i];
    p->p[i] += s->config.step * pull[i];
  }
}

void hfi_discrete_add_contacts(hfiDiscrete* s, const hfState* state) {
  hfiWorld* w = s->world;
  if (w->has_adhesion) add_adhesion(s);
  s->any_curved = 0;
  if (!w->ncontact && !w->surfaces) return;
  if (hfi_contacts_remember(s)) hfi_memory_recall(state, &w->dynamics, w->surfaces, s->config.step, w->contact, w->ncontact);
  if (w->surfaces) hfi_assembly_begin_drift(&s->assembly);
  double steepest = find_steepest(s);
  hfi_discrete_mark_curved(s);
  for (int i = 0; i < w->ncontact; ++i) add_contact(s, i, steepest);
  hfi_discrete_bend(s);
  hfi_discrete_ease(s);
  hfi_discrete_damp_rocking(s);
}

static int anticipates(const hfiDiscrete* s) { return s->config.anticipate && s->world->config.max_contacts; }

void hfi_discrete_find_contacts(hfiDiscrete* s, int foresee) {
  hfiWorld* w = s->world;
  const double *v0 = s->assembly.problem.v0, horizon = anticipates(s) ? s->config.step : 0;
  int predicted = foresee && horizon > 0 && any_row_moves_geoms(s) && predict_contact_free_velocity(s);
  if (horizon > 0) set_push(s);
  s->excess = 0;
  memcpy(s->foreseen, predicted ? s->v1 : v0, sizeof *v0 * (size_t)w->model->nv);
  do
    hfi_world_find_contacts(w, 0, horizon, s->push);
  while (s->sleep.count && hfi_sleep_wake_touched(s));
  if (predicted) hf_dynamics_set_velocity(&w->dynamics, v0);
}

// ---- contacts that were not predicted ---------------------------------------------------------------

// A tree is not examined again if it moves less than this beyond what was predicted [m].
static const double UNFORESEEN = 5e-5;
// In a scene with at most this many trees, one sum over all dofs is tested first: mostly no tree moves further than predicted. With more trees some
// tree almost always does.
enum { FEW_TREES = 8 };

// Sum of |v1 - foreseen| lever over n dofs, in two lanes. It is an upper bound on the difference between the true and the predicted speed of any
// point [m/s].
static inline double excess_speed(const double* v1, const double* foreseen, const double* lever, int n) {
  double even = 0, odd = 0;
  for (; n > 1; n -= 2, v1 += 2, foreseen += 2, lever += 2)
    even += fabs(v1[0] - foreseen[0]) * lever[0], odd += fabs(v1[1] - foreseen[1]) * lever[1];
  return n ? even + fabs(v1[0] - foreseen[0]) * lever[0] + odd : even + odd;
}

// Marks each tree that has a point which v1 may move noticeably further than predicted. Returns the largest such distance [m]; 0 if there is no such tree.
static double mark_unforeseen(hfiDiscrete* s, const double* v1) {
  const hfModel* m = s->world->model;
  const double *foreseen = s->foreseen, *lever = s->world->lever, h = s->config.step;
  double fall = h * h * v3_norm(s->world->dynamics.gravity), least = (UNFORESEEN + 2 * fall) / h, most = 0;
  s->excess += UNFORESEEN + 2 * fall;
  if (m->ntree <= FEW_TREES && !(excess_speed(v1, foreseen, lever, m->nv) > least)) return 0;
  for (int t = 0, i = 0; t < m->ntree; ++t) { // The dofs of the trees follow each other.
    double excess = excess_speed(v1 + i, foreseen + i, lever + i, hf_model_tree_dofnum(m)[t]);
    i += hf_model_tree_dofnum(m)[t];
    s->unforeseen[t] = excess > least;
    most = max2(most, excess > least ? excess : 0);
  }
  s->excess += h * most;
  return h * most;
}

// Adds the rows of new contacts after all others, which stay where they are. Marks the trees that the new rows act on.
static void add_new_contacts(hfiDiscrete* s, const hfState* state) {
  hfiWorld* w = s->world;
  memset(s->changed, 0, sizeof *s->changed * (size_t)w->model->ntree);
  for (int i = 0; i < w->ncontact; ++i) {
    if (s->block[i] != HFI_NEW_CONTACT) continue;
    hfiContact* c = &w->contact[i];
    if (hfi_contacts_remember(s)) hfi_memory_recall(state, &w->dynamics, w->surfaces, s->config.step, c, 1);
    add_contact(s, i, find_steepest(s));
    hfi_discrete_mark_changed(s, c);
  }
}

int hfi_discrete_add_missed(hfiDiscrete* s, const hfState* state, const double* v1) {
  hfDynamics* d = &s->world->dynamics;
  double excess = anticipates(s) ? mark_unforeseen(s, v1) : 0;
  int further = excess > HFI_FURTHER;
  if (!(excess > 0) || (!further && !hfi_world_may_miss(s->world, s->unforeseen))) return 0;
  hfi_accelerate(d, v1); // velocities of the links at rates v1
  if (!hfi_world_add_missed(s->world, d->B, s->config.step, s->unforeseen, further, s->block)) return 0;
  add_new_contacts(s, state);
  memcpy(s->foreseen, v1, sizeof *v1 * (size_t)s->world->model->nv);
  return 1;
}
