// Inertial motion (docs/theory/motion.md): which trees of a world fly, and how they start and end a step.
#include "step/discrete/inside.h"

#include "base/finite.h"

#include <string.h>

void hfi_discrete_turn_free_bodies(hfiDiscrete* s, const double* v0) {
  int turned = hfi_flight_begin(&s->flight, &s->world->dynamics, s->config.step, v0);
  if (turned) hfi_world_forget(s->world);
}

// Finds the trees on which no known force (tau) and no spring or damper (diag) acts; the others do not fly. Returns their number.
static int ground_by_forces(hfiDiscrete* s) {
  const hfModel* m = s->world->model;
  const double *tau = s->forces.tau, *diag = s->assembly.problem.diag;
  int flying = 0;
  for (int t = 0; t < m->ntree; ++t) {
    int i = hf_model_tree_dofadr(m)[t], end = i + hf_model_tree_dofnum(m)[t];
    while (i < end && tau[i] == 0 && diag[i] == 0) ++i;
    s->flies[t] = i == end;
    flying += s->flies[t];
  }
  return flying;
}

static int any_articulated_flies(const hfiDiscrete* s) {
  for (int t = 0; t < s->world->model->ntree; ++t)
    if (s->flies[t] && s->flight.articulated[t]) return 1;
  return 0;
}

// The momentum of an articulated tree is set before contacts are solved. So it does not fly if another tree or the world may come near it, or if it
// touches itself. For free bodies the solution shows whether a contact acted on them.
void hfi_discrete_ground_near_trees(hfiDiscrete* s) {
  const int32_t *body = hf_model_geom_body(s->world->model), *tree = hf_model_body_tree(s->world->model);
  const int32_t* articulated = s->flight.articulated;
  if (!any_articulated_flies(s)) return;
  for (int i = 0; i < s->world->near.nfound; ++i) {
    const hfiRawContact* r = &s->world->near.found[i];
    int a = tree[body[r->geom_a]], b = tree[body[r->geom_b]];
    if (a == b && !r->acts) continue;
    if (a >= 0 && articulated[a]) s->flies[a] = 0;
    if (b >= 0 && articulated[b]) s->flies[b] = 0;
  }
}

// Whether a row of a block pulls in both directions, so that it may always act.
static int pulls_both_ways(const hfiRows* rows, int b) {
  for (const hfSaturatedRow *row = hfi_rows_laws(rows, b), *end = row + hfi_rows_block(rows, b)->dim; row < end; ++row)
    if (row->lo < 0 && row->hi > 0) return 1;
  return 0;
}

// Whether a row of a block exerts a force at velocities v.
static int block_acts(const hfiRows* rows, int b, const double* v) {
  double force[6];
  hfi_rows_force(rows, b, v, force);
  return hfi_any_nonzero(force, hfi_rows_block(rows, b)->dim);
}

static int moves_flying(const hfiDiscrete* s, const hfiRows* rows, int b) {
  const hfStepBlock* block = hfi_rows_block(rows, b);
  const hfStepPiece* piece = rows->problem->piece + block->piece;
  for (int k = 0; k < block->npiece; ++k)
    if (s->flies[piece[k].tree]) return 1;
  return 0;
}

// Whether the actuation has a row on a flying tree. Its blocks are the problem's first.
static int any_row_on_flying(const hfiDiscrete* s) {
  const hfStepProblem* p = &s->assembly.problem;
  const hfStepPiece* end = p->piece + hfi_rows_piece_count(&s->world->actuation.rows);
  int any = 0;
  for (const hfStepPiece* piece = p->piece; piece < end; ++piece) any |= s->flies[piece->tree];
  return any;
}

static int count_flying(const hfiDiscrete* s) {
  int count = 0;
  for (int t = 0; t < s->world->model->ntree; ++t) count += s->flies[t];
  return count;
}

static void ground_block(const hfiDiscrete* s, const hfiRows* rows, int b) {
  const hfStepBlock* block = hfi_rows_block(rows, b);
  const hfStepPiece* piece = rows->problem->piece + block->piece;
  for (int k = 0; k < block->npiece; ++k) s->flies[piece[k].tree] = 0;
}

// A tree does not fly if a row of the actuation acts on it at the velocities M^-1 p*. These velocities are computed only if some flying tree has a
// row that pulls in one direction.
static void ground_by_rows(hfiDiscrete* s) {
  const hfiRows* rows = &s->world->actuation.rows;
  if (!any_row_on_flying(s)) return;
  const hfStepProblem* p = &s->assembly.problem;
  int solved = 0;
  for (int b = 0; b < rows->nblock; ++b) {
    if (!moves_flying(s, rows, b) || !pulls_both_ways(rows, b)) continue;
    ground_block(s, rows, b);
    if (!count_flying(s)) return;
  }
  for (int b = 0; b < rows->nblock; ++b) {
    if (!moves_flying(s, rows, b)) continue;
    if (!solved) {
      memcpy(s->v1, p->p, sizeof *p->p * (size_t)p->nv);
      hf_dynamics_solve(&s->world->dynamics, s->v1);
      solved = 1;
    }
    if (block_acts(rows, b, s->v1)) ground_block(s, rows, b);
  }
}

// Did a block act in the solution? For a contact its normal force decides, since there is no friction without it.
static int block_acted(const hfiDiscrete* s, const hfStepBlock* b) {
  int acted = s->impulse[b->row] != 0;
  for (int r = 1; r < b->dim && b->law != HF_LAW_CONTACT; ++r) acted |= s->impulse[b->row + r] != 0;
  return acted;
}

// A tree does not fly if a contact acted on it in the solution. An articulated tree does not fly if any other row acted: rows were judged before with
// velocities that are not exactly those of the solution. Contacts are the last blocks.
static void ground_by_impulses(hfiDiscrete* s) {
  const hfStepProblem* p = &s->assembly.problem;
  int flying = count_flying(s), first = any_articulated_flies(s) ? 0 : s->world->actuation.rows.nblock;
  for (const hfStepBlock* b = p->block + p->nblock - 1; flying && b >= p->block + first; --b) {
    if (!block_acted(s, b)) continue;
    for (int k = b->piece; k < b->piece + b->npiece; ++k)
      flying -= s->flies[p->piece[k].tree], s->flies[p->piece[k].tree] = 0;
  }
}

void hfi_discrete_begin_flight(hfiDiscrete* s) {
  hfStepProblem* p = &s->assembly.problem;
  if (ground_by_forces(s)) {
    hfi_discrete_ground_near_trees(s);
    ground_by_rows(s);
  }
  hfi_articulated_begin(&s->flight, &s->world->dynamics, s->config.step, p->v0, s->forces.tau, s->flies, p->p);
}

void hfi_discrete_move_inertially(hfiDiscrete* s, const hfInput* in, const double* stop_time, double* q, double* v) {
  ground_by_impulses(s);
  for (int t = 0; stop_time && t < s->world->model->ntree; ++t)
    if (isfinite(stop_time[t])) s->flies[t] = 0; // A tree that stops moves along the path that was tested.
  hfi_articulated_move(&s->flight, &s->world->dynamics, s->config.step, s->flies, stop_time, s->v1, q);
  hfi_flight_end(&s->flight, &s->world->dynamics, s->config.step, s->flies, stop_time, q, v);
  hfi_translation_end(&s->flight, &s->world->dynamics, s->config.step, s->flies, v);
  if (!hfi_articulated_needs_end(&s->flight, &s->world->dynamics, s->flies)) return;
  hfi_world_place(s->world, q, in);
  hfi_articulated_end(&s->flight, &s->world->dynamics, s->config.step, s->flies, v);
}
