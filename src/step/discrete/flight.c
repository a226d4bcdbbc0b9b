// Inertial motion (docs/theory/flight.md): which trees of a world fly, and how they start and end a step.
#include "step/discrete/inside.h"

#include "base/finite.h"

#include <string.h>

void hfi_discrete_turn_free_bodies(hfiDiscrete* s, const double* v0) {
  int turned = hfi_flight_begin(&s->flight, &s->world->dynamics, s->config.step, v0);
  if (turned) hfi_world_forget(s->world);
}

// ---- which trees fly ----------------------------------------------------------------------------------

static int any_articulated_flies(const hfiDiscrete* s) {
  for (int t = 0; t < s->world->model->ntree; ++t)
    if (s->flies[t] && s->flight.articulated[t]) return 1;
  return 0;
}

static int count_flying(const hfiDiscrete* s) {
  int count = 0;
  for (int t = 0; t < s->world->model->ntree; ++t) count += s->flies[t];
  return count;
}

// Writes s->flies: 1 for the trees on which no known force (tau) and no spring or damper (diag) acts. Returns their
// number.
static int find_trees_without_force(hfiDiscrete* s) {
  const hfModel* m = s->world->model;
  const double* tau = s->forces.tau;
  const double* diag = s->assembly.problem.diag;
  int flying = 0;

  for (int t = 0; t < m->ntree; ++t) {
    int i = hf_model_tree_dofadr(m)[t];
    int end = i + hf_model_tree_dofnum(m)[t];
    while (i < end && tau[i] == 0 && diag[i] == 0) ++i;
    s->flies[t] = i == end;
    flying += s->flies[t];
  }
  return flying;
}

// Clears s->flies of articulated trees with a point that geometry found; of a tree that may touch itself only if the
// point acts. The momentum of an articulated tree is set before contacts are solved, so that a contact must not act on
// it. For free bodies the solution shows whether a contact acted on them.
void hfi_discrete_ground_near_trees(hfiDiscrete* s) {
  const int32_t* body = hf_model_geom_body(s->world->model);
  const int32_t* tree = hf_model_body_tree(s->world->model);
  const int32_t* articulated = s->flight.articulated;
  if (!any_articulated_flies(s)) return;

  for (int i = 0; i < s->world->near.nfound; ++i) {
    const hfiRawContact* point = &s->world->near.found[i];
    int a = tree[body[point->geom_a]];
    int b = tree[body[point->geom_b]];
    if (a == b && !point->acts) continue;
    if (a >= 0 && articulated[a]) s->flies[a] = 0;
    if (b >= 0 && articulated[b]) s->flies[b] = 0;
  }
}

// ---- rows of the actuation ----------------------------------------------------------------------------

// Whether a row of block b pulls in both directions, so that it may always act.
static int pulls_both_ways(const hfiRows* rows, int b) {
  const hfSaturatedRow* row = hfi_rows_laws(rows, b);
  for (int r = 0; r < hfi_rows_block(rows, b)->dim; ++r)
    if (row[r].lo < 0 && row[r].hi > 0) return 1;
  return 0;
}

// Whether a row of block b exerts a force at velocities v (nv).
static int block_acts(const hfiRows* rows, int b, const double* v) {
  double force[HFI_MAX_BLOCK_ROWS];
  hfi_rows_force(rows, b, v, force);
  return hfi_any_nonzero(force, hfi_rows_block(rows, b)->dim);
}

static int moves_flying_tree(const hfiDiscrete* s, const hfStepBlock* block) {
  const hfStepPiece* piece = s->assembly.problem.piece + block->piece;
  for (int k = 0; k < block->npiece; ++k)
    if (s->flies[piece[k].tree]) return 1;
  return 0;
}

// Whether the actuation has a row on a flying tree. Its blocks are the problem's first.
static int any_row_on_flying_tree(const hfiDiscrete* s) {
  const hfStepPiece* piece = s->assembly.problem.piece;
  const hfStepPiece* end = piece + hfi_rows_piece_count(&s->world->actuation.rows);
  int any = 0;
  for (; piece < end; ++piece) any |= s->flies[piece->tree];
  return any;
}

// Clears s->flies of the trees of a block. Returns how many of them flew.
static int ground_trees_of(hfiDiscrete* s, const hfStepBlock* block) {
  const hfStepPiece* piece = s->assembly.problem.piece + block->piece;
  int grounded = 0;
  for (int k = 0; k < block->npiece; ++k) {
    grounded += s->flies[piece[k].tree];
    s->flies[piece[k].tree] = 0;
  }
  return grounded;
}

// Clears s->flies of the trees on which a row of the actuation acts at the velocities M^-1 p*. These are computed, in
// s->v1, only if some flying tree has a row that pulls in one direction.
static void ground_by_rows(hfiDiscrete* s) {
  const hfiRows* rows = &s->world->actuation.rows;
  const hfStepProblem* p = &s->assembly.problem;
  if (!any_row_on_flying_tree(s)) return;

  // rows that pull in both directions ground their trees without a test; nothing is left to do if no tree flies any
  // more
  int flying = count_flying(s);
  for (int b = 0; b < rows->nblock; ++b) {
    const hfStepBlock* block = hfi_rows_block(rows, b);
    if (!moves_flying_tree(s, block) || !pulls_both_ways(rows, b)) continue;
    flying -= ground_trees_of(s, block);
    if (!flying) return;
  }

  // the other rows, as limits, ground their trees only if they exert a force at M^-1 p*
  int is_solved = 0; // 1: s->v1 has these velocities
  for (int b = 0; b < rows->nblock; ++b) {
    const hfStepBlock* block = hfi_rows_block(rows, b);
    if (!moves_flying_tree(s, block)) continue;
    if (!is_solved) {
      memcpy(s->v1, p->p, sizeof *p->p * (size_t)p->nv);
      hf_dynamics_solve(&s->world->dynamics, s->v1);
      is_solved = 1;
    }
    if (block_acts(rows, b, s->v1)) ground_trees_of(s, block);
  }
}

// Writes s->flies, and p* of articulated trees that fly.
void hfi_discrete_begin_flight(hfiDiscrete* s) {
  hfStepProblem* p = &s->assembly.problem;
  if (find_trees_without_force(s)) {
    hfi_discrete_ground_near_trees(s);
    ground_by_rows(s);
  }
  hfi_articulated_begin(&s->flight, &s->world->dynamics, s->config.step, p->v0, s->forces.tau, s->flies, p->p);
}

// ---- the end of the step ------------------------------------------------------------------------------

// Whether a block acted in the solution. For a contact its normal force decides, since there is no friction without it.
static int block_acted(const hfiDiscrete* s, const hfStepBlock* b) {
  int rows = b->law == HF_LAW_CONTACT ? 1 : b->dim;
  return hfi_any_nonzero(s->impulse + b->row, rows);
}

// Clears s->flies of the trees on which a contact acted in the solution. An articulated tree does not fly if any other
// row acted, either: rows were judged before with velocities that are not exactly those of the solution.
static void ground_by_impulses(hfiDiscrete* s) {
  const hfStepProblem* p = &s->assembly.problem;
  int flying = count_flying(s);
  int first = any_articulated_flies(s) ? 0 : s->world->actuation.rows.nblock; // Contacts are the last blocks.

  for (int b = p->nblock - 1; flying && b >= first; --b)
    if (block_acted(s, &p->block[b])) flying -= ground_trees_of(s, &p->block[b]);
}

// Moves q over the step: trees that fly by inertial motion, all others by v1. v: the solution on entry, the velocities
// of the end on return. A tree that stops (its stop time is finite) does not fly: it moves along the path that was
// tested.
void hfi_discrete_move_inertially(hfiDiscrete* s, const hfInput* in, const double* stop_time, double* q, double* v) {
  hfDynamics* d = &s->world->dynamics;
  hfiFlight* flight = &s->flight;
  const double h = s->config.step;

  ground_by_impulses(s);
  for (int t = 0; stop_time && t < s->world->model->ntree; ++t)
    if (isfinite(stop_time[t])) s->flies[t] = 0;

  hfi_articulated_move(flight, d, h, s->flies, stop_time, s->v1, q);
  hfi_flight_end(flight, d, h, s->flies, stop_time, q, v);
  hfi_translation_end(flight, d, h, s->flies, v);

  // articulated trees need the poses at the end
  if (!hfi_articulated_needs_end(flight, d, s->flies)) return;
  hfi_world_place(s->world, q, in);
  hfi_articulated_end(flight, d, h, s->flies, v);
}
