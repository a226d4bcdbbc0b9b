// Contacts of curved surfaces that roll: the normal velocity of a step is the mean over its path
// (docs/theory/rolling.md),
//
//   J_n v + drift = (g(q0 (+) h v) - g(q0))/h     g: the gap of the two geoms
//
// The row J_n of a contact has the point and the normal of q0; the drift is the difference. It is computed with the
// velocities of the start. If a body rolls alone, so that little has to be solved, it is computed again with the
// velocities of each solution.
//
// A contact that keeps its gap in this way ends the step with J_n v = -drift. It must not give energy: so J_n v is at
// most the speed at which the contact would close without its force, by the velocities of the start and by gravity.
#include "step/discrete/inside.h"

#include "step/problem/algebra.h"

#include "model/shape.h"

#include <string.h>

// The path of a contact is accurate enough if the last solution moved its end by less than this [m].
static const double SETTLED_PATH = 1e-6;
// The bound on the error of linear motion above which the path of an ellipsoid that rolls alone is followed [m]. There
// it costs little, and keeps the energy (roll.c).
static const double LONE_PATH_ERROR = 5e-10;
// A contact that is open by more than this has no drift [m]: it will be an impact, which changes the path.
static const double WIDE_GAP = 1e-4;
// A contact has no drift if its bodies turn relative to each other by more than this in the step [rad]: the path is
// then not accurate enough.
static const double MOST_TURN = 0.7;
// Nor has it if it travels over a body by more than this share of the body's size [-].
static const double MOST_TRAVEL = 0.5;

// ---- which contacts -----------------------------------------------------------------------------------

// Returns the larger bounding radius of the round or curved geoms of a contact [m]. It is 0 if the rows of the contact
// are exact, as for a ball on a face, or if its point does not move over a smooth surface, as for two polyhedra.
static double find_curved_size(const hfModel* m, const hfiContact* c) {
  int a = hfi_shape_kinds[hf_model_geom_type(m)[c->geom_a]].curvature;
  int b = hfi_shape_kinds[hf_model_geom_type(m)[c->geom_b]].curvature;
  if (a + b < HFI_CURVED) return 0;
  return max2(a ? hf_model_geom_rbound(m)[c->geom_a] : 0, b ? hf_model_geom_rbound(m)[c->geom_b] : 0);
}

static int are_of_one_pair(const hfiContact* a, const hfiContact* b) {
  return a->geom_a == b->geom_a && a->geom_b == b->geom_b;
}

// Whether contact i is the only contact of its two geoms. Then its gap is the gap of the geoms.
static int is_single(const hfiNear* near, int i) {
  const hfiContact* c = near->contact + i;
  if (i > 0 && are_of_one_pair(c - 1, c)) return 0;
  return i + 1 == near->ncontact || !are_of_one_pair(c + 1, c);
}

// Counts the contacts of each tree.
static void count_contacts(hfiDiscrete* s) {
  const hfiWorld* w = s->world;
  const int32_t* tree = hf_model_body_tree(w->model);
  int32_t* count = s->curves.contacts_on;

  memset(count, 0, sizeof *count * (size_t)w->model->ntree);
  for (int i = 0; i < w->near.ncontact; ++i) {
    int a = tree[w->near.contact[i].body_a];
    int b = tree[w->near.contact[i].body_b];
    if (a >= 0) count[a]++;
    if (b >= 0) count[b]++;
  }
}

// Whether the bodies of a contact have no other contact.
static int rolls_alone(const hfiDiscrete* s, const hfiContact* c) {
  const int32_t* tree = hf_model_body_tree(s->world->model);
  const int32_t* count = s->curves.contacts_on;
  int a = tree[c->body_a];
  int b = tree[c->body_b];
  return (a < 0 || count[a] == 1) && (b < 0 || count[b] == 1);
}

static int any_rolls_alone(const hfiDiscrete* s) {
  for (const hfiContact *c = s->world->near.contact, *end = c + s->world->near.ncontact; c < end; ++c)
    if (c->curved && rolls_alone(s, c)) return 1;
  return 0;
}

// Returns the most by which a turn moves a surface of this size further than its linear motion does, r theta^2/2 [m].
// turn2: the square of the turn.
static double bend_of_turn(double size, double turn2) { return 0.5 * size * turn2; }

// The tree that a contact joins to the world, if that is its only contact: a candidate for rolling alone. Else -1.
static int find_lone_tree(const hfiDiscrete* s, const hfiContact* c) {
  const int32_t* tree = hf_model_body_tree(s->world->model);
  if (tree[c->body_a] >= 0 && tree[c->body_b] >= 0) return -1;
  return rolls_alone(s, c) ? imax2(tree[c->body_a], tree[c->body_b]) : -1;
}

// Finds the bodies that roll alone (inside.h). Writes s->rolls, and marks their bodies in s->flight. Returns 1 if it
// found some: the caller must then place the world again, because these bodies are not turned into the middle.
int hfi_discrete_find_rolls(hfiDiscrete* s, const hfState* state) {
  const hfModel* m = s->world->model;
  const hfiNear* near = &s->world->near;
  hfiRolls* rolls = &s->rolls;
  if (!rolls->are_allowed) return 0;
  if (rolls->any) { // they are known, also if the problem is made again
    for (int t = 0; t < m->ntree; ++t)
      if (rolls->block[t] >= 0) rolls->block[t] = HFI_ROLLS_SOON;
    return 0;
  }

  count_contacts(s);
  for (int t = 0; t < m->ntree; ++t) rolls->block[t] = HFI_ROLLS_NOT;
  for (int i = 0; i < near->ncontact; ++i) {
    const hfiContact* c = &near->contact[i];
    double size = find_curved_size(m, c);
    int tree = find_lone_tree(s, c);
    if (!(size > 0) || c->depth < -WIDE_GAP || tree < 0 || !hfi_discrete_may_roll(s, c)) continue;

    // the last three dofs of a free body turn it
    hfVec3 w = v3_load(hf_state_v(state) + hf_model_tree_dofadr(m)[tree] + 3);
    double turn2 = sqr(s->config.step) * v3_norm2(w); // square of the turn in this step
    if (!(bend_of_turn(size, turn2) > LONE_PATH_ERROR && turn2 < sqr(MOST_TURN))) continue;
    rolls->any = 1;
    rolls->block[tree] = HFI_ROLLS_SOON;
    hfi_discrete_set_rolling(s, tree);
  }
  return rolls->any;
}

// Whether the body of contact i rolls alone. It does not if a contact was found after hfi_discrete_find_rolls.
static int belongs_to_roll(hfiDiscrete* s, const hfiContact* c) {
  if (!s->rolls.any) return 0;
  int tree = find_lone_tree(s, c);
  return tree >= 0 && s->rolls.block[tree] != HFI_ROLLS_NOT;
}

// Sets `curved` of the contacts whose normal row gets a drift for their path, and s->curves.any. It was 0 before.
void hfi_discrete_mark_rolling(hfiDiscrete* s) {
  hfiNear* near = &s->world->near;
  const hfDynamics* d = &s->world->dynamics;
  double h = s->config.step;
  s->curves.any = 0;
  if (!s->config.gyroscopic || !s->config.anticipate) return;

  // twice the largest turn, because two bodies may turn against each other
  double largest_turn = 2 * near->reach.farthest.turn;
  if (!s->rolls.any && !(bend_of_turn(near->size.largest_extent, sqr(largest_turn)) > HFI_LINEAR_PATH_ERROR)) return;

  if (s->rolls.any) count_contacts(s);
  for (int i = 0; i < near->ncontact; ++i) {
    hfiContact* c = &near->contact[i];
    double size = find_curved_size(s->world->model, c);
    if (!(size > 0) || c->depth < -WIDE_GAP) continue;

    // turn2: square of the turn of A relative to B in this step
    hfVec3 w_BA = v3_sub(d->V[d->body_link[c->body_a]].w, d->V[d->body_link[c->body_b]].w);
    double turn2 = h * h * v3_norm2(w_BA);
    c->curved = bend_of_turn(size, turn2) > HFI_LINEAR_PATH_ERROR && turn2 < sqr(MOST_TURN) && is_single(near, i);
    c->curved |= belongs_to_roll(s, c);
    s->curves.any |= c->curved;
  }
}

// ---- the path -----------------------------------------------------------------------------------------

// Sets the drift of the friction rows of a body that rolls alone. In the middle of its path the contact point has the
// mean of its velocities at both ends.
static void set_friction_drift(hfStepProblem* p, const hfStepBlock* b, const hfiContact* c, const double* v,
                               const hfiPathEnd* end) {
  hfVec3 middle = v3_scale(0.5, v3_add(end->v0, end->v1));
  if (b->dim < 3) return;
  p->drift[b->row + 1] = v3_dot(c->t1, middle) - hfi_row_velocity(p, b, 1, v);
  p->drift[b->row + 2] = v3_dot(c->t2, middle) - hfi_row_velocity(p, b, 2, v);
}

// Sets the drift of contact i for the path at velocities v, which give the links the velocities V. Returns by how much
// this changes the place of its surfaces at the end of the step [m].
static double set_path_drift(hfiDiscrete* s, int i, const double* v, const hfMotion* V) {
  hfStepProblem* p = &s->assembly.problem;
  const hfStepBlock* b = &p->block[s->block[i]];
  const hfiContact* c = &s->world->near.contact[i];
  double h = p->h;

  // the gap at the end of the path
  double size = find_curved_size(s->world->model, c);
  hfiPaths paths = {&s->world->near, V, h};
  hfiPathEnd end;
  if (!hfi_near_path_end(&paths, c->geom_a, c->geom_b, c->p_W, size, &end)) return 0;

  // `drift` makes J_n v + drift the mean speed of the gap; c->depth contains the margin, end.gap does not. J_n v =
  // -drift is at most `closing`, the speed at which the contact would close without its force.
  double drift = (end.gap - c->material.include_margin + c->depth) / h - hfi_normal_velocity(p, b, v);
  double closing = h * hfi_closing_acceleration(s->world, c) - hfi_normal_velocity(p, b, s->assembly.start);
  if (end.travel > MOST_TRAVEL * size) drift = 0; // the contact point runs too far over a body

  double before = p->drift[b->row];
  p->drift[b->row] = max2(drift, -max2(0, closing));
  if (belongs_to_roll(s, c)) { // both halves of the impulse together give no energy
    p->drift[b->row] = drift;
    set_friction_drift(p, b, c, v, &end);
  }
  return h * fabs(p->drift[b->row] - before);
}

// Sets the drift of all contacts that roll for velocities v; with `alone` only of those whose bodies roll alone.
// Returns 1 if that changes a contact noticeably; s->changed then marks its trees.
static int set_path_drifts(hfiDiscrete* s, const double* v, int alone) {
  hfiWorld* w = s->world;
  hfDynamics* d = &w->dynamics;
  int any = 0;

  hfi_accelerate(d, v); // computes d->B, the velocities of the links for the dof velocities v
  hfi_near_turning_centres(&w->near, &s->flight, s->config.gyroscopic, v);
  hfi_discrete_spin_rolling(s, v);
  for (int i = 0; i < w->near.ncontact; ++i) {
    const hfiContact* c = &w->near.contact[i];
    if (!c->curved || s->block[i] < 0) continue;
    if (alone && !rolls_alone(s, c)) continue;
    if (!(set_path_drift(s, i, v, d->B) > SETTLED_PATH)) continue;
    hfi_discrete_mark_changed(s, c);
    any = 1;
  }
  return any;
}

void hfi_discrete_follow_paths(hfiDiscrete* s) {
  if (!s->curves.any) return;
  if (!s->assembly.problem.drift) hfi_assembly_begin_drift(&s->assembly);
  set_path_drifts(s, s->assembly.start, 0);
}

// Little has to be solved again if a body rolls alone; others keep the paths of the start.
int hfi_discrete_follow_paths_again(hfiDiscrete* s, const double* v) {
  if (!s->curves.any) return 0;
  count_contacts(s);
  if (!any_rolls_alone(s)) return 0;
  memset(s->changed, 0, sizeof *s->changed * (size_t)s->world->model->ntree);
  return set_path_drifts(s, v, 1);
}
