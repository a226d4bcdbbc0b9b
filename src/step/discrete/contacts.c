// Which contacts count in a step: those that touch, those that the motion of the step is predicted to close, and those
// that its solution closes.
#include "step/discrete/inside.h"

#include "step/contact/contact_law.h"
#include "step/contact/surface.h"
#include "step/law/law.h"
#include "step/solve/solver.h"

#include <string.h>

// ---- prediction of contacts ---------------------------------------------------------------------------

// If a row may move a geom farther than this in a step, contacts are predicted with the motion that the row causes [m].
static const double NOTICEABLE_MOTION = 1e-3;

// Upper bound [m] on how far the force of row r of a block can move any geom during this step: the force that the row
// has at the end of a step in which it acts alone, h^2 f/(1 + h kappa w), times the J/m and the lever of the dof that
// it moves most.
static double bound_motion_by_row(const hfiDiscrete* s, const hfStepBlock* block, int r) {
  const hfStepProblem* p = &s->assembly.problem;
  const double* lever = s->world->near.size.lever; // (nv) how far a unit of the dof moves any point
  double velocity = 0; // J v0 of the row
  double w = 0;        // its inverse mass J M^-1 J^T, with the diagonal of M for M
  double most = 0;     // largest |J/m| lever

  for (const hfStepPiece *piece = p->piece + block->piece, *end = piece + block->npiece; piece < end; ++piece) {
    const double* J = p->J + piece->jac + r * piece->ncol;
    for (int k = 0; k < piece->ncol; ++k) {
      int dof = p->tree_start[piece->tree] + p->cols[piece->col + k];
      double moved = J[k] * s->assembly.inverse_mass[dof];
      velocity += J[k] * p->v0[dof];
      w += J[k] * moved;
      most = max2(most, fabs(moved) * lever[dof]);
    }
  }

  const hfSaturatedRow* row = &p->saturated[block->param + r];
  double force = hfi_saturated_unclamped(row, velocity) / (1 + p->h * row->kappa * w);
  return p->h * p->h * fabs(clamp(force, row->lo, row->hi)) * most;
}

// Whether a drive, target or equality may move some geom noticeably.
static int any_row_moves_geoms(const hfiDiscrete* s) {
  const hfiRows* rows = &s->world->actuation.rows;

  for (int b = 0; b < rows->nblock; ++b) {
    const hfStepBlock* block = hfi_rows_block(rows, b);
    for (int r = 0; r < block->dim; ++r)
      if (bound_motion_by_row(s, block, r) > NOTICEABLE_MOTION) return 1;
  }
  return 0;
}

// Solves the step problem without contacts and gives the dynamics the velocities of the solution, s->v1. Contacts are
// then predicted with these. Returns 0 if there is no solution: contacts are then predicted with the velocities of the
// start.
static int predict_contact_free_velocity(hfiDiscrete* s) {
  const hfStepProblem* p = &s->assembly.problem;
  hfSolveReport report;
  hfiSolveJob job = {s->solver.ladder, &s->config.solver, p, s->v1, s->impulse, &report};
  if (hfi_solver_solve_marked(&job, NULL, NULL) < 0) return 0;

  const int32_t* tree = hf_model_dof_tree(s->world->model);
  for (int i = 0; s->sleep.count && i < p->nv; ++i)
    if (s->sleep.asleep[tree[i]]) s->v1[i] = 0;
  hf_dynamics_set_velocity(&s->world->dynamics, s->v1);
  return 1;
}

// Whether contacts are predicted that are still open at the start of the step.
static int anticipates(const hfiDiscrete* s) { return s->config.anticipate && s->world->config.max_contacts; }

// Finds the contacts. While some of them wake trees that slept, contacts of these trees are missing.
void hfi_discrete_find_contacts(hfiDiscrete* s, int foresee) {
  hfiWorld* w = s->world;
  double horizon = anticipates(s) ? s->config.step : 0;
  int predicted = foresee && horizon > 0 && any_row_moves_geoms(s) && predict_contact_free_velocity(s);

  do
    hfi_near_find(&w->near, 0, horizon, s->forces.tau);
  while (s->sleep.count && hfi_sleep_wake_touched(s));
  if (predicted) hf_dynamics_set_velocity(&w->dynamics, s->assembly.problem.v0);
}

// ---- rows of contacts ---------------------------------------------------------------------------------

// The bound on the slope of anchored friction, `steepest` of hfi_assembly_add_contact [-].
static double bound_friction_slope(const hfiDiscrete* s) { return sqr(2 * HFI_PI / s->config.near_rigid); }

// Rigid contact removes the share `recovery` of an overlap in a step. Reduces the depth of a deep overlap, so that it
// is removed at most at the release speed of the world.
static void limit_recovery(const hfiDiscrete* s, hfContactLaw* law) {
  double recovery = s->solver.policy.recovery;
  double deepest = s->world->model->world.release_speed * s->config.step;
  if (recovery * law->depth > deepest) law->depth = deepest / recovery;
}

// Writes the velocities that moving surfaces add to the rows of contact i.
static void set_surface_drift(hfiDiscrete* s, int i) {
  hfStepProblem* p = &s->assembly.problem;
  const hfStepBlock* b = &p->block[s->block[i]];
  const hfiContact* c = &s->world->near.contact[i];
  hfiSurfaceMotion motion = hfi_surface_motion(s->world->model, s->world->dynamics.X_WB, c, p->h);
  for (int r = 1; r < b->dim; ++r) p->drift[b->row + r] = hfi_surface_drift(&motion, c, r, p->h);
}

// Adds the rows of contact i to the step problem. Writes s->block[i]: -1 if the contact can move nothing.
static inline void add_contact(hfiDiscrete* s, int i, double steepest) {
  const hfiContact* c = &s->world->near.contact[i];
  s->block[i] = hfi_assembly_add_contact(&s->assembly, &s->world->dynamics, c, s->config.friction, steepest,
                                         s->config.static_speed);
  if (s->block[i] < 0) return;

  if (s->world->surfaces) set_surface_drift(s, i);
  hfStepProblem* p = &s->assembly.problem;
  hfContactLaw* law = &p->contact[p->block[s->block[i]].param];
  if (s->solver.policy.has_rigid_contacts) limit_recovery(s, law); // Its force does not depend on the depth.
  else if (c->material.adhesion != 0) hfi_contact_stick_on(c, law);
}

// Adds the forces of adhesion to the step problem and to s->forces.tau. s->v1 is scratch.
static void add_adhesion(hfiDiscrete* s) {
  hfStepProblem* p = &s->assembly.problem;
  double* pull = s->v1;

  memset(pull, 0, sizeof *pull * (size_t)p->nv);
  hfi_world_add_adhesion(s->world, pull);
  for (int i = 0; i < p->nv; ++i) {
    s->forces.tau[i] += pull[i];
    p->p[i] += s->config.step * pull[i];
  }
}

// Gives n contacts of the world what the state remembers of them.
static void recall_contacts(const hfiDiscrete* s, const hfState* state, hfiContact* contact, int n) {
  const hfiWorld* w = s->world;
  if (hfi_contacts_remember(s)) hfi_memory_recall(state, &w->dynamics, w->surfaces, s->config.step, contact, n);
}

// Adds all contacts. Then refines those that roll, that pass edges, or that rock a body.
void hfi_discrete_add_contacts(hfiDiscrete* s, const hfState* state) {
  hfiWorld* w = s->world;
  const int count = w->near.ncontact;
  if (w->has_adhesion) add_adhesion(s);
  s->curves.any = 0;
  if (!count && !w->surfaces) return;

  recall_contacts(s, state, w->near.contact, count);
  if (w->surfaces) hfi_assembly_begin_drift(&s->assembly);
  hfi_discrete_mark_rolling(s);
  double steepest = bound_friction_slope(s);
  for (int i = 0; i < count; ++i) add_contact(s, i, steepest);

  hfi_discrete_follow_paths(s);
  hfi_discrete_let_pass_edges(s);
  hfi_discrete_damp_rocking(s);
}

// ---- contacts that were not predicted -----------------------------------------------------------------

// Adds the rows of new contacts after all others, which stay where they are. Marks the trees that the new rows act on.
int hfi_discrete_add_missed(hfiDiscrete* s, const hfState* state, const double* v1) {
  hfiNear* near = &s->world->near;
  if (!anticipates(s) || !hfi_near_add_missed(near, v1, s->config.step, s->block)) return 0;

  memset(s->changed, 0, sizeof *s->changed * (size_t)s->world->model->ntree);
  double steepest = bound_friction_slope(s);
  for (int i = 0; i < near->ncontact; ++i) {
    if (s->block[i] != HFI_NEW_CONTACT) continue;
    recall_contacts(s, state, &near->contact[i], 1);
    add_contact(s, i, steepest);
    hfi_discrete_mark_changed(s, &near->contact[i]);
    hfi_discrete_end_rolls_of(s, &near->contact[i]);
  }
  return 1;
}
