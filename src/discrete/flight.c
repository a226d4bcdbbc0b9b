// Inertial motion (docs/theory/motion.md): which trees of a world fly, and how they start and end a step.
#include "discrete/discrete.h"

#include <string.h>

const double* hfi_discrete_turn_free_bodies(hfiDiscrete* s, const double* v0) {
  if (hfi_flight_begin(&s->flight, &s->world->dynamics, s->config.step, v0)) s->world->placed = 0;
  return s->flight.start;
}

// Which trees fly: no known force acts on them (tau), and no spring or damper (diag). Returns their number.
static int ground_by_forces(hfiDiscrete* s) {
  const hfStepProblem* p = &s->assembly.problem;
  const hfModel* m = s->world->model;
  int flying = 0;
  for (int t = 0; t < m->ntree; ++t) {
    s->flies[t] = 1;
    for (int i = hf_model_tree_dofadr(m)[t], end = i + hf_model_tree_dofnum(m)[t]; i < end && s->flies[t]; ++i)
      if (s->tau[i] != 0 || p->diag[i] != 0) s->flies[t] = 0;
    flying += s->flies[t];
  }
  return flying;
}

void hfi_discrete_ground(hfiDiscrete* s) {
  const int32_t *body = hf_model_geom_body(s->world->model), *tree = hf_model_body_tree(s->world->model);
  for (int i = 0; i < s->world->nfound; ++i) {
    const hfiRawContact* r = &s->world->found[i];
    int a = tree[body[r->geom_a]], b = tree[body[r->geom_b]];
    if (a == b && !r->acts) continue;
    if (a >= 0) s->flies[a] = 0;
    if (b >= 0) s->flies[b] = 0;
  }
}

// Whether a row of a block exerts a force at velocities v. One that pulls both ways always may.
static int block_acts(const hfiRows* rows, const hfiRowBlock* b, const double* v) {
  double force[6];
  hfi_rows_force(rows, b, v, force);
  for (int r = 0; r < b->dim; ++r) {
    const hfSaturatedRow* row = &rows->row[b->row + r];
    if (force[r] != 0 || (row->lo < 0 && row->hi > 0)) return 1;
  }
  return 0;
}

static int moves_flying(const hfiDiscrete* s, const hfiRows* rows, const hfiRowBlock* b) {
  for (int k = 0; k < b->ncol; ++k)
    if (s->flies[hf_model_dof_tree(s->world->model)[rows->cols[b->col + k]]]) return 1;
  return 0;
}

// Trees do not fly on which a row of the actuation acts at the velocities M^-1 p*.
static void ground_by_rows(hfiDiscrete* s) {
  const hfiRows* rows = &s->world->actuation.rows;
  const int32_t* tree = hf_model_dof_tree(s->world->model);
  const hfStepProblem* p = &s->assembly.problem;
  int solved = 0;
  for (const hfiRowBlock *b = rows->block, *end = b + rows->n.nblock; b < end; ++b) {
    if (!moves_flying(s, rows, b)) continue;
    if (!solved) {
      memcpy(s->v1, p->p, sizeof *p->p * (size_t)p->nv);
      hf_dynamics_solve(&s->world->dynamics, s->v1);
      solved = 1;
    }
    if (!block_acts(rows, b, s->v1)) continue;
    for (int k = 0; k < b->ncol; ++k) s->flies[tree[rows->cols[b->col + k]]] = 0;
  }
}

static int any_flies(const hfiDiscrete* s) {
  for (int t = 0; t < s->world->model->ntree; ++t)
    if (s->flies[t]) return 1;
  return 0;
}

// Trees do not fly on which a row acted in the solution.
static void ground_by_impulses(hfiDiscrete* s) {
  const hfStepProblem* p = &s->assembly.problem;
  if (!any_flies(s)) return;
  for (const hfStepBlock *b = p->block, *end = b + p->nblock; b < end; ++b) {
    int acted = 0;
    for (int r = b->row; r < b->row + b->dim; ++r) acted |= s->impulse[r] != 0;
    for (int k = b->piece; acted && k < b->piece + b->npiece; ++k) s->flies[p->piece[k].tree] = 0;
  }
}

void hfi_discrete_begin_flight(hfiDiscrete* s) {
  hfStepProblem* p = &s->assembly.problem;
  if (ground_by_forces(s)) {
    hfi_discrete_ground(s);
    ground_by_rows(s);
  }
  hfi_articulated_begin(&s->flight, &s->world->dynamics, s->config.step, p->v0, s->tau, s->flies, p->p);
}

void hfi_discrete_end_flight(hfiDiscrete* s, const hfInput* in, double* q, double* v) {
  ground_by_impulses(s);
  hfi_articulated_move(&s->flight, &s->world->dynamics, s->config.step, s->flies, s->v1, q);
  hfi_flight_end(&s->flight, &s->world->dynamics, s->config.step, s->flies, q, v);
  if (!hfi_articulated_needs_end(&s->flight, &s->world->dynamics, s->flies)) return;
  hfi_world_place(s->world, q, in);
  hfi_articulated_end(&s->flight, &s->world->dynamics, s->config.step, s->flies, v);
}
