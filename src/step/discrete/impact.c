// Impacts: contacts with a coefficient of restitution e > 0 that close in this step (docs/theory/impacts.md).
//
// Impacts go in generations. A generation are all contacts that approach; they are struck together, by Newton's law:
//
//   vn+ >= e |vn-|,   gamma_n >= 0,   gamma_n (vn+ - e |vn-|) = 0        for all contacts of the generation at once
//   then friction:  |gamma_t| <= mu gamma_n towards vt = 0               again for all at once
//
// (impulses.c). Contacts that these impulses make approach are the next generation, until none approaches. So in a row
// of touching balls an impact runs from ball to ball within one step, as in Newton's cradle, and a box that falls flat
// on four corners does not turn.
//
// The impulses gamma_n give the energy sum gamma_n (vn+ + vn-)/2 <= 0 if e <= 1. They are shortened where they would
// give more because they are not exact.
//
// The impact is taken at the start of the step, across a gap g that would close within it. With the relative
// acceleration a of gravity the speeds at the moment of touching are v_i^2 = vn-^2 + 2 a g and e v_i. The body then
// starts with the speed that it would have when it is back at the gap g, vn+^2 = e^2 v_i^2 - 2 a g, so that its energy
// is that of an impact at the surface. If the speed is below the one that gravity gives within two steps, there is no
// impact: the law of the contact stops the body.
#include "step/discrete/inside.h"

#include "step/problem/algebra.h"

#include "base/disjoint_sets.h"

#include <string.h>

// A contact has an impact only if its closing speed is above this [m/s], and above the speed that gravity gives the
// bodies in two steps.
static const double SLOWEST_IMPACT = 1e-3;
// A step has at most this many generations of impacts, and one more for each tree, because an impact runs along a row
// of bodies by one body in each generation. A ball between two others may be struck again and again.
enum { MOST_GENERATIONS = 50 };

// Takes storage for the impacts of up to max_contacts contacts.
void hfi_impacts_init(hfiImpacts* impacts, const hfModel* m, int max_contacts, hfiArena* arena) {
  impacts->gamma = hfi_arena_take(arena, (size_t)max_contacts, sizeof *impacts->gamma);
  impacts->struck = HFI_TAKE(arena, hfiStruck, max_contacts);
  impacts->before = HFI_TAKE(arena, double, max_contacts);
  impacts->island_block = HFI_TAKE(arena, int32_t, max_contacts);
  HFI_TAKE_EACH(arena, int32_t, m->ntree, &impacts->forest, &impacts->load, &impacts->is_listed, &impacts->island_tree);
  hfi_impulses_init(&impacts->impulses, m, max_contacts, arena);
}

// ---- a generation -------------------------------------------------------------------------------------

// Returns the speed after an impact at vn < 0 [m/s]; 0 if there is no impact.
static double find_rebound_speed(const hfiWorld* w, const hfiContact* c, double h, double vn) {
  double a = hfi_closing_acceleration(w, c);
  double gap = max2(0, -c->depth);
  double e = c->material.restitution;
  if (!(-vn > SLOWEST_IMPACT + 2 * h * max2(0, a))) return 0;

  double touching = vn * vn + 2 * a * gap; // 0 or less: gravity stops the bodies before they touch
  double square = e * e * touching - 2 * a * gap;
  return touching > 0 && square > 0 ? sqrt(square) : 0;
}

// Lists in s->impacts.struck the contacts that approach and have an impact, with their normal velocities vn before and
// `rebound` after it. Returns their number.
static int find_struck(hfiDiscrete* s) {
  const hfStepProblem* p = &s->assembly.problem;
  const hfiWorld* w = s->world;
  int count = 0;

  for (int i = 0; i < w->near.ncontact; ++i) {
    const hfiContact* c = &w->near.contact[i];
    if (!(c->material.restitution > 0) || s->block[i] < 0) continue;

    double vn = hfi_row_velocity(p, &p->block[s->block[i]], 0, p->v0);
    double rebound = vn < 0 ? find_rebound_speed(w, c, p->h, vn) : 0;
    if (rebound > 0) s->impacts.struck[count++] = (hfiStruck){s->block[i], 0, vn, rebound};
  }
  return count;
}

// Joins the trees of each of the `count` struck contacts in impacts->forest, and counts the struck contacts on each
// tree in impacts->load. No tree is listed yet.
static void join_trees(hfiDiscrete* s, int count) {
  const hfStepProblem* p = &s->assembly.problem;
  hfiImpacts* impacts = &s->impacts;

  for (int t = 0; t < p->ntree; ++t) {
    impacts->forest[t] = t;
    impacts->load[t] = 0;
    impacts->is_listed[t] = 0;
  }
  for (int k = 0; k < count; ++k) {
    const hfStepBlock* b = &p->block[impacts->struck[k].block];
    const hfStepPiece* piece = p->piece + b->piece;
    for (int j = 0; j < b->npiece; ++j) {
      hfi_join_sets(impacts->forest, piece[0].tree, piece[j].tree);
      impacts->load[piece[j].tree]++;
    }
  }
}

// ---- one island ---------------------------------------------------------------------------------------

// Returns the root of the trees of struck contact k in the forest.
static int find_root(hfiDiscrete* s, int k) {
  const hfStepProblem* p = &s->assembly.problem;
  const hfStepBlock* b = &p->block[s->impacts.struck[k].block];
  return hfi_find_set(s->impacts.forest, p->piece[b->piece].tree);
}

// Adds the change of velocities of an island to v0, and the impulses of its contacts to p* and to s->impacts.gamma.
// first: the first row of the impulses in their blocks; rows: their number for each contact.
static void add_impulses(hfiDiscrete* s, int first, int rows) {
  hfStepProblem* p = &s->assembly.problem;
  const hfiImpulses* f = &s->impacts.impulses;

  for (int k = 0; k < f->ntree; ++k)
    for (int i = p->tree_start[f->tree[k]]; i < p->tree_start[f->tree[k] + 1]; ++i) p->v0[i] += f->dv[i];

  for (int i = 0; i < f->count; ++i) {
    const hfStepBlock* b = &p->block[f->block[i]];
    for (int r = 0; r < rows; ++r) {
      hfi_row_add_impulse(p, b, first + r, f->gamma[rows * i + r], p->p);
      s->impacts.gamma[b->param][first + r] += f->gamma[rows * i + r];
    }
  }
}

// Shortens normal impulses that would give energy, because they are not exact. before: normal velocities before them
// [m/s]. By s gamma the kinetic energy changes by s^2 gamma.dv/2 + s gamma.before, with dv = J M^-1 J^T gamma. `square`
// is gamma.dv, `linear` is -gamma.before. s = 2 linear/square gives no energy.
static void limit_energy(hfiImpulses* f, const hfDynamics* d, const hfStepProblem* p, const double* before) {
  double linear = 0;
  double square = 0;
  for (int i = 0; i < f->count; ++i) {
    linear -= f->gamma[i] * before[i];
    square += f->gamma[i] * hfi_row_velocity(p, &p->block[f->block[i]], 0, f->dv);
  }
  if (square <= 2 * linear) return;

  for (int i = 0; i < f->count; ++i) f->gamma[i] *= 2 * linear / square;
  hfi_impulses_find_change(f, d, p);
}

// Gathers the island of struck contact `first`: all struck contacts whose trees are joined to its trees. Writes their
// blocks, the changes of normal velocity f->change that they aim at, their velocities before the impact, and the trees.
// The island's contacts, from `first` to count - 1, count as gathered from now on.
static void gather_island(hfiDiscrete* s, int first, int count) {
  const hfStepProblem* p = &s->assembly.problem;
  hfiImpacts* impacts = &s->impacts;
  hfiImpulses* f = &impacts->impulses;
  int root = find_root(s, first);
  f->count = 0;
  f->ntree = 0;

  for (int k = first; k < count; ++k) {
    hfiStruck* struck = &impacts->struck[k];
    if (struck->is_gathered || find_root(s, k) != root) continue;
    struck->is_gathered = 1;
    impacts->island_block[f->count] = struck->block;
    impacts->before[f->count] = struck->before;
    f->change[f->count] = struck->after - struck->before;
    f->count++;

    const hfStepBlock* b = &p->block[struck->block];
    for (int j = b->piece; j < b->piece + b->npiece; ++j) {
      int tree = p->piece[j].tree;
      if (impacts->is_listed[tree]) continue;
      impacts->is_listed[tree] = 1;
      impacts->island_tree[f->ntree++] = tree;
    }
  }
}

// Applies the normal impulses of an island.
static void strike(hfiDiscrete* s) {
  const hfStepProblem* p = &s->assembly.problem;
  hfiImpulses* f = &s->impacts.impulses;

  f->kind = HFI_IMPULSE_NORMAL;
  hfi_impulses_solve(f, &s->world->dynamics, p);
  limit_energy(f, &s->world->dynamics, p, s->impacts.before);
  add_impulses(s, 0, 1);
}

// Applies friction to an island after its normal impulses f->gamma: it aims at zero slip along t1 and t2. The slip
// includes the motion of surfaces that move along themselves (p->drift).
static void apply_friction(hfiDiscrete* s) {
  const hfStepProblem* p = &s->assembly.problem;
  hfiImpulses* f = &s->impacts.impulses;

  // contacts without friction leave the list; the others move up in it, f->block being island_block
  int count = 0;
  for (int i = 0; i < f->count; ++i) {
    const hfStepBlock* b = &p->block[f->block[i]];
    double most = p->contact[b->param].mu[HF_SLIDING] * f->gamma[i];
    if (b->dim < 3 || !(most > 0)) continue; // most: largest friction impulse, mu gamma_n

    s->impacts.island_block[count] = f->block[i];
    f->bound[count] = most;
    for (int r = 1; r < 3; ++r) {
      double slip = hfi_row_velocity(p, b, r, p->v0) + (p->drift ? p->drift[b->row + r] : 0);
      f->change[2 * count + r - 1] = -slip;
    }
    count++;
  }
  f->count = count;
  if (!count) return;

  f->kind = HFI_IMPULSE_FRICTION;
  hfi_impulses_solve(f, &s->world->dynamics, p);
  add_impulses(s, 1, 2);
}

// ---- all impacts --------------------------------------------------------------------------------------

// Applies the impacts of the contacts in the problem, generation by generation: each changes p->v0, and with it which
// contacts approach. Returns whether there were any.
static int apply_all_impacts(hfiDiscrete* s) {
  hfiImpacts* impacts = &s->impacts;
  int most = MOST_GENERATIONS + s->world->model->ntree;
  impacts->impulses.block = impacts->island_block;
  impacts->impulses.tree = impacts->island_tree;
  impacts->impulses.load = impacts->load;

  for (int generation = 0; generation < most; ++generation) {
    int count = find_struck(s);
    if (!count) return generation > 0;

    join_trees(s, count);
    for (int k = 0; k < count; ++k) {
      if (impacts->struck[k].is_gathered) continue;
      gather_island(s, k, count);
      strike(s);
      apply_friction(s);
    }
  }
  return 1;
}

// Clears the impulses of contacts from number `first` on, of the `count` that the problem has.
static void clear_impulses(hfiImpacts* impacts, int first, int count) {
  if (count > first) memset(impacts->gamma + first, 0, sizeof *impacts->gamma * (size_t)(count - first));
}

// Applies impacts until none closes a contact that was not predicted.
void hfi_discrete_apply_impacts(hfiDiscrete* s, const hfState* state) {
  const hfStepProblem* p = &s->assembly.problem;
  s->impacts.any = 0;
  if (!s->world->has_restitution) return;

  clear_impulses(&s->impacts, 0, p->ncontact);
  while (apply_all_impacts(s)) {
    s->impacts.any = 1;
    int known = p->ncontact;
    if (!hfi_discrete_add_missed(s, state, p->v0)) return;
    clear_impulses(&s->impacts, known, p->ncontact);
  }
}

// Returns the impulse of the impacts of contact i of the world along n, t1, t2 [N s], or NULL if it had none.
const double* hfi_discrete_find_impact(const hfiDiscrete* s, int i) {
  if (!s->impacts.any || s->block[i] < 0) return NULL;
  const double* gamma = s->impacts.gamma[s->assembly.problem.block[s->block[i]].param];
  return gamma[0] > 0 ? gamma : NULL;
}
