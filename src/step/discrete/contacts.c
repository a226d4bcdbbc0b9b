// Which contacts count in a step: those that touch, those that the motion of the step is predicted to close, and those
// that its solution closes.
#include "step/discrete/inside.h"

#include "base/finite.h"
#include "step/contact/surface.h"
#include "step/law/law.h"
#include "step/solve/solver.h"
#include "step/contact/contact_law.h"

#include <string.h>

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
      most = max2(most, fabs(moved) * s->world->near.size.lever[dof]);
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
  hfiSolveJob job = {s->solver.ladder, &s->config.solver, p, s->v1, s->impulse, &report};
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
  if (s->solver.policy.recovery * law->depth > deepest) law->depth = deepest / s->solver.policy.recovery;
}

// The velocities that moving surfaces add to the rows of contact i.
static void set_drift(hfiDiscrete* s, int i) {
  hfStepProblem* p = &s->assembly.problem;
  const hfStepBlock* b = &p->block[s->block[i]];
  const hfiContact* c = &s->world->near.contact[i];
  hfiSurfaceMotion motion = hfi_surface_motion(s->world->model, s->world->dynamics.X_WB, c, p->h);
  for (int r = 1; r < b->dim; ++r) p->drift[b->row + r] = hfi_surface_drift(&motion, c, r, p->h);
}

// Adds the rows of contact i to the step problem.
static inline void add_contact(hfiDiscrete* s, int i, double steepest) {
  s->block[i] = hfi_assembly_add_contact(&s->assembly, &s->world->dynamics, &s->world->near.contact[i], s->config.friction,
                                         steepest, s->config.static_speed);
  if (s->block[i] < 0) return;
  if (s->world->surfaces) set_drift(s, i);
  hfContactLaw* law = &s->assembly.problem.contact[s->assembly.problem.block[s->block[i]].param];
  if (s->solver.policy.has_rigid_contacts) limit_recovery(s, law); // The force of rigid contact does not depend on the depth.
  else if (s->world->near.contact[i].material.adhesion != 0) hfi_contact_stick_on(&s->world->near.contact[i], law);
}

// Adds the forces of adhesion to the step problem.
static void add_adhesion(hfiDiscrete* s) {
  hfStepProblem* p = &s->assembly.problem;
  double* pull = s->v1; // scratch until the problem is solved
  memset(pull, 0, sizeof *pull * (size_t)p->nv);
  hfi_world_add_adhesion(s->world, pull);
  for (int i = 0; i < p->nv; ++i) {
    s->forces.tau[i] += pull[i];
    p->p[i] += s->config.step * pull[i];
  }
}

void hfi_discrete_add_contacts(hfiDiscrete* s, const hfState* state) {
  hfiWorld* w = s->world;
  if (w->has_adhesion) add_adhesion(s);
  s->curves.any = 0;
  if (!w->near.ncontact && !w->surfaces) return;
  if (hfi_contacts_remember(s)) hfi_memory_recall(state, &w->dynamics, w->surfaces, s->config.step, w->near.contact, w->near.ncontact);
  if (w->surfaces) hfi_assembly_begin_drift(&s->assembly);
  double steepest = find_steepest(s);
  hfi_discrete_mark_rolling(s);
  for (int i = 0; i < w->near.ncontact; ++i) add_contact(s, i, steepest);
  hfi_discrete_follow_paths(s);
  hfi_discrete_let_pass_edges(s);
  hfi_discrete_damp_rocking(s);
}

static int anticipates(const hfiDiscrete* s) { return s->config.anticipate && s->world->config.max_contacts; }

void hfi_discrete_find_contacts(hfiDiscrete* s, int foresee) {
  hfiWorld* w = s->world;
  const double *v0 = s->assembly.problem.v0, horizon = anticipates(s) ? s->config.step : 0;
  int predicted = foresee && horizon > 0 && any_row_moves_geoms(s) && predict_contact_free_velocity(s);

  do
    hfi_near_find(&w->near, 0, horizon, s->forces.tau);
  while (s->sleep.count && hfi_sleep_wake_touched(s));
  if (predicted) hf_dynamics_set_velocity(&w->dynamics, v0);
}

// ---- contacts that were not predicted ---------------------------------------------------------------

// Adds the rows of new contacts after all others, which stay where they are. Marks the trees that the new rows act on.
static void add_new_contacts(hfiDiscrete* s, const hfState* state) {
  hfiWorld* w = s->world;
  memset(s->changed, 0, sizeof *s->changed * (size_t)w->model->ntree);
  for (int i = 0; i < w->near.ncontact; ++i) {
    if (s->block[i] != HFI_NEW_CONTACT) continue;
    hfiContact* c = &w->near.contact[i];
    if (hfi_contacts_remember(s)) hfi_memory_recall(state, &w->dynamics, w->surfaces, s->config.step, c, 1);
    add_contact(s, i, find_steepest(s));
    hfi_discrete_mark_changed(s, c);
  }
}

int hfi_discrete_add_missed(hfiDiscrete* s, const hfState* state, const double* v1) {
  if (!anticipates(s) || !hfi_near_add_missed(&s->world->near, v1, s->config.step, s->block)) return 0;
  add_new_contacts(s, state);
  return 1;
}
