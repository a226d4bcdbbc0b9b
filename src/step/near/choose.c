// Which of the points found act in a step. A point acts if it is deeper than -gap. With a horizon h a point also acts
// if it would close within h. The depth r->depth is the overlap plus the gap at which the contact begins to act [m]; a
// point is open by -depth.
//
//   1. Mark the trees that have a point that acts: they may be stopped by it.
//   2. A point closes if the free motion of both bodies closes it, or the free motion of one body while the other,
//      marked, stands still.
//   3. Points that close act too, and mark their trees. Repeat until no point is added: a stack falls as one, its
//      lowest body meets the floor, the next one meets that, all in one step.
//   4. A point of a marked tree that is barely open acts, whatever the free motion does, if no other point of its two
//      geoms acts: contacts with other geoms may turn the body back. For example, a coin leans on a wall, and a step
//      has pushed it out of the wall. The free motion does not bring it back, because gravity is along the wall; only
//      the contact with the floor turns it back.
#include "step/near/inside.h"

#include <string.h>

// A point is barely open up to this gap [m]. A body that a step pushed out of another one ends apart from it by about
// its size times the square of the angle by which it turned.
static const double BARELY_OPEN_GAP = 1e-6;

// Marks the trees of the two bodies of a point with the number of the round, unless they are marked already.
static inline void mark_touched(const hfModel* m, const hfiRawContact* r, int round, int32_t* touched) {
  int a = hfi_tree_of_geom(m, r->geom_a);
  int b = hfi_tree_of_geom(m, r->geom_b);

  if (a >= 0 && !touched[a]) touched[a] = round;
  if (b >= 0 && !touched[b]) touched[b] = round;
}

// Was a tree of the point marked in the round `first` or in a later one?
static inline int is_touched_since(const hfModel* m, const hfiRawContact* r, int first, const int32_t* touched) {
  int a = hfi_tree_of_geom(m, r->geom_a);
  int b = hfi_tree_of_geom(m, r->geom_b);
  return (a >= 0 && touched[a] >= first) || (b >= 0 && touched[b] >= first);
}

// How fast velocities V of the links and a fall of time t carry a body's point along n [m/s]. Nothing moves a body
// without dofs.
static inline double speed_along(const hfDynamics* d, const hfMotion* V, double t, int body, hfVec3 p_W, hfVec3 n) {
  if (hf_model_body_lastdof(d->model)[body] < 0) return 0;

  hfVec3 v = hfi_contact_velocity(d, V, body, p_W).v;
  if (t > 0) v = v3_axpy(t, d->gravity, v);
  return v3_dot(n, v);
}

// Returns how fast the gap of a point grows at velocities V of the links, after a fall of time t [m/s]. touched (ntree,
// or NULL): trees that may stand still. Of the motions with and without them, the one that closes most counts.
double hfi_opening_speed(const hfDynamics* d, const hfMotion* V, double t, const hfiRawContact* r,
                         const int32_t* touched) {
  const int32_t* body = hf_model_geom_body(d->model);
  const int32_t* tree = hf_model_body_tree(d->model);
  int a = body[r->geom_a];
  int b = body[r->geom_b];
  double away_a = speed_along(d, V, t, a, r->point.p_WCa, r->point.n_W);
  double away_b = -speed_along(d, V, t, b, r->point.p_WCb, r->point.n_W);
  double opening = away_a + away_b;

  if (touched && tree[a] >= 0 && touched[tree[a]]) opening = min2(opening, away_b);
  if (touched && tree[b] >= 0 && touched[tree[b]]) opening = min2(opening, away_a);
  return opening;
}

// Lets points that the free motion v0 + h g closes act (rules 2 and 3), starting from the trees that near->touched
// marks. Returns the widest gap of these points [m].
static double choose_closing(hfiNear* near, double h) {
  const hfDynamics* d = near->dynamics;
  int32_t* touched = near->touched;
  double widest = 0;

  int any_added = 1;
  for (int round = 2; any_added; ++round) { // Round 1 is rule 1.
    any_added = 0;
    for (int i = 0; i < near->nfound; ++i) {
      hfiRawContact* r = &near->found[i];

      // a point is examined again only if one of its trees was marked in this round or in the last one
      if (r->acts || (round > 2 && !is_touched_since(near->model, r, round - 1, touched))) continue;
      // the gap -depth, which grows by h times the opening speed, would be below zero
      int closes = r->depth > h * hfi_opening_speed(d, d->V, h, r, touched);
      if (!closes) continue;

      r->acts = HFI_ACTS;
      any_added = 1;
      widest = max2(widest, -r->depth);
      mark_touched(near->model, r, round, touched);
    }
  }
  return widest;
}

// Lets points that are barely open act (rule 4), if no other point of their pair acts.
static void choose_barely_open(hfiNear* near) {
  hfiRawContact* found = near->found;

  for (int begin = 0, end; begin < near->nfound; begin = end) {
    int candidate = found[begin].candidate;
    int acts = found[begin].acts;
    for (end = begin + 1; end < near->nfound && found[end].candidate == candidate; ++end) acts |= found[end].acts;

    // a pair of which no point acts, with a tree that was marked in any round
    if (acts || !is_touched_since(near->model, &found[begin], 1, near->touched)) continue;
    for (int i = begin; i < end; ++i)
      if (found[i].depth > -BARELY_OPEN_GAP) found[i].acts = HFI_ACTS;
  }
}

// Sets depth and `acts` of the points found (rules 1 to 4). Returns the widest gap of points that act because they
// close [m]. Without a horizon (0) only rule 1 counts.
double hfi_near_choose(hfiNear* near, double gap, double horizon) {
  const hfModel* m = near->model;
  const hfiMaterial* listed = hfi_listed_materials(near);
  int predicts = horizon > 0;
  int waiting = 0; // number of points that do not act yet

  // rule 1; the marks are needed only for the rules after it
  if (predicts) memset(near->touched, 0, sizeof *near->touched * (size_t)m->ntree);
  for (int i = 0; i < near->nfound; ++i) {
    hfiRawContact* r = &near->found[i];
    hfi_near_measure_depth(m, listed, r);
    r->acts = r->depth > -gap;
    if (!r->acts) waiting++;
    else if (predicts) mark_touched(m, r, 1, near->touched);
  }
  if (!predicts || !waiting) return 0;

  double widest = choose_closing(near, horizon);
  choose_barely_open(near);
  return widest;
}
