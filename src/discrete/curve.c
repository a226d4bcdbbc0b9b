// Contacts of curved surfaces that roll: the normal velocity of a step is the mean over its path (docs/theory/motion.md),
//
//   J_n v + drift = (g(q0 (+) h v) - g(q0))/h     g: the gap of the two geoms
//
// The row J_n of a contact has the point and the normal of q0, and the drift is what it lacks. It is computed with the velocities of the
// start; and, where a body rolls alone, so that little has to be solved, again with those of each solution.
//
// A contact whose gap is met so leaves with J_n v = -drift. It must not give energy: J_n v is at most as large as the speed at which it would
// close without its force, that of the start and of the gravity of the step.
#include "discrete/discrete.h"

#include "model/shape.h"

#include <string.h>

// The path of a contact is known where a solution moves its end by less than this [m].
static const double SETTLED = 1e-6;
// A contact that is open by more than this has no drift: it will be an impact, which changes the path [m].
static const double OPEN = 1e-4;
// Nor has one whose bodies turn relative to each other by more than this in the step [rad], or which travels over a body by more than this
// share of its size [-]: the path says too little then.
static const double MOST_TURN = 0.7, MOST_TRAVEL = 0.5;

// ---- which contacts ---------------------------------------------------------------------------------

// The larger bounding radius of the round or curved geoms of a contact, or 0 where its rows are exact or where its point does not move
// over a smooth surface: a ball on a face, two polyhedra [m].
static double curved_size(const hfModel* m, const hfiContact* c) {
  int a = hfi_shape_kinds[hf_model_geom_type(m)[c->geom_a]].curvature, b = hfi_shape_kinds[hf_model_geom_type(m)[c->geom_b]].curvature;
  if (a + b < HFI_CURVED) return 0;
  return max2(a ? hf_model_geom_rbound(m)[c->geom_a] : 0, b ? hf_model_geom_rbound(m)[c->geom_b] : 0);
}

static int are_of_one_pair(const hfiContact* a, const hfiContact* b) { return a->geom_a == b->geom_a && a->geom_b == b->geom_b; }

// Whether contact i is the only one of its geoms: then their gap is its gap.
static int is_single(const hfiWorld* w, int i) {
  const hfiContact* c = w->contact + i;
  return !(i > 0 && are_of_one_pair(c - 1, c)) && !(i + 1 < w->ncontact && are_of_one_pair(c + 1, c));
}

// Counts the contacts of each tree.
static void count_contacts(hfiDiscrete* s) {
  const hfiWorld* w = s->world;
  const int32_t* tree = hf_model_body_tree(w->model);
  memset(s->touches, 0, sizeof *s->touches * (size_t)w->model->ntree);
  for (int i = 0; i < w->ncontact; ++i) {
    int a = tree[w->contact[i].body_a], b = tree[w->contact[i].body_b];
    if (a >= 0) s->touches[a]++;
    if (b >= 0) s->touches[b]++;
  }
}

// Whether the bodies of a contact have no other one.
static int rolls_alone(const hfiDiscrete* s, const hfiContact* c) {
  const int32_t* tree = hf_model_body_tree(s->world->model);
  int a = tree[c->body_a], b = tree[c->body_b];
  return (a < 0 || s->touches[a] == 1) && (b < 0 || s->touches[b] == 1);
}

static int any_rolls_alone(const hfiDiscrete* s) {
  for (const hfiContact *c = s->world->contact, *end = c + s->world->ncontact; c < end; ++c)
    if (c->curved && rolls_alone(s, c)) return 1;
  return 0;
}

// A turn by theta moves a surface of size r by at most r theta^2/2 beyond what is linear in it.
static double bend_of_turn(double size, double turn2) { return 0.5 * size * turn2; }

void hfi_discrete_mark_curved(hfiDiscrete* s) {
  const hfiWorld* w = s->world;
  const hfDynamics* d = &w->dynamics;
  double h = s->config.step;
  s->any_curved = 0;
  if (!s->config.gyroscopic || !s->config.anticipate) return;
  if (!(bend_of_turn(w->largest_extent, sqr(2 * w->farthest.turn)) > HFI_LEAST_BEND)) return; // two bodies may turn against each other
  for (int i = 0; i < w->ncontact; ++i) {
    hfiContact* c = &w->contact[i];
    double size = curved_size(w->model, c);
    if (!(size > 0) || c->depth < -OPEN) continue;
    hfVec3 w_BA = v3_sub(d->V[d->body_link[c->body_a]].w, d->V[d->body_link[c->body_b]].w);
    double turn2 = h * h * v3_norm2(w_BA);
    c->curved = bend_of_turn(size, turn2) > HFI_LEAST_BEND && turn2 < sqr(MOST_TURN) && is_single(w, i);
    s->any_curved |= c->curved;
  }
}

// ---- the path ---------------------------------------------------------------------------------------

// Sets the drift of contact i for the path at velocities v, V of the links. Returns by how much its surfaces are then elsewhere at the end of
// the step [m].
static double bend(hfiDiscrete* s, int i, const double* v, const hfMotion* V) {
  hfStepProblem* p = &s->assembly.problem;
  const hfStepBlock* b = &p->block[s->block[i]];
  const hfiContact* c = &s->world->contact[i];
  double h = p->h, before = p->drift[b->row];
  double size = curved_size(s->world->model, c);
  hfiPathEnd end;
  if (!hfi_world_path_end(s->world, V, s->about, h, c->geom_a, c->geom_b, c->p_W, size, &end)) return 0;
  double drift = (end.gap - c->material.include_margin + c->depth) / h - hfi_normal_velocity(p, b, v);
  double closing = h * hfi_closing_acceleration(s->world, c) - hfi_normal_velocity(p, b, s->assembly.start);
  if (end.travel > MOST_TRAVEL * size) drift = 0;
  p->drift[b->row] = max2(drift, -max2(0, closing));
  return h * fabs(p->drift[b->row] - before);
}

void hfi_discrete_mark_changed(const hfiDiscrete* s, const hfiContact* c) {
  const int32_t* tree = hf_model_body_tree(s->world->model);
  if (tree[c->body_a] >= 0) s->changed[tree[c->body_a]] = 1;
  if (tree[c->body_b] >= 0) s->changed[tree[c->body_b]] = 1;
}

// Bends the curved contacts by velocities v; with `alone` only those of bodies that roll alone. Returns 1 where that changes one noticeably.
static int bend_all(hfiDiscrete* s, const double* v, int alone) {
  hfiWorld* w = s->world;
  int any = 0;
  hfi_accelerate(&w->dynamics, v); // velocities of the links at rates v
  hfi_discrete_turning_centres(s, v);
  for (int i = 0; i < w->ncontact; ++i) {
    const hfiContact* c = &w->contact[i];
    if (!c->curved || s->block[i] < 0 || (alone && !rolls_alone(s, c)) || !(bend(s, i, v, w->dynamics.B) > SETTLED)) continue;
    hfi_discrete_mark_changed(s, c);
    any = 1;
  }
  return any;
}

void hfi_discrete_bend(hfiDiscrete* s) {
  if (!s->any_curved) return;
  if (!s->assembly.problem.drift) hfi_assembly_begin_drift(&s->assembly);
  bend_all(s, s->assembly.start, 0);
}

int hfi_discrete_bend_again(hfiDiscrete* s, const double* v) {
  const hfiWorld* w = s->world;
  if (!s->any_curved) return 0;
  count_contacts(s);
  if (!any_rolls_alone(s)) return 0;
  memset(s->changed, 0, sizeof *s->changed * (size_t)w->model->ntree);
  return bend_all(s, v, 1);
}
