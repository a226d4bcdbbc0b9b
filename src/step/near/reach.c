// How far geoms may move within a step, and the pairs that are examined again because a solution moves them further
// (near.h).
//
// The reach of a geom is an upper bound on how far any of its points moves within the horizon h:
//
//   reach = h |v| + h |w| extent + h^2 |g| + push     v, w  velocity of its body's origin, and angular velocity
//
// The push stands for rows and known forces, whose effect is not known before the step is solved.
//
// Two geoms of one tree come nearer to each other by less than the sum of their reaches: a motion that all links share
// brings no two of them nearer. If an arm turns fast about its first joint, all its links move far, but hardly towards
// each other. So only the motions of the links k between the geoms a and b count, up to the last link that carries
// both. Seen from its parent, link k has the velocity V_k - V_parent(k), and carries the geom g (a or b) behind it with
// a speed of at most
//
//   c_k = |v_k(p_g)| + |w_k| r_g      v_k, w_k  linear and angular part of V_k - V_parent(k)
//                                     p_g, r_g  centre and radius of the bounding sphere of g
//
// a and b come nearer to each other by at most h sum_k c_k, plus a fall and a push of each. Speeds are added, not
// vectors, because the motions of two joints that cancel each other at the start of a step need not do so at its end.
#include "step/near/inside.h"

#include "base/compile.h"
#include "base/finite.h"

#include <string.h>

// ---- one geom ---------------------------------------------------------------------------------------

// Computes the reach (ngeom) of geoms that can touch another, with the velocities V of the links (nlink), whose linear
// parts are at the reference point p_WO of the tree. push (ntree): how far forces push each tree beyond its free motion
// [m]; NULL: nowhere. Returns how far the origins of bodies move at most, and how far bodies turn.
static hfiFarthest measure_reach(const hfiNear* near, const hfMotion* V, double h, const double* push, double* reach) {
  const hfModel* m = near->model;
  const hfDynamics* d = near->dynamics;
  const hfiScene* scene = &near->scene;
  const int32_t* body = hf_model_geom_body(m);
  const int32_t* lastdof = hf_model_body_lastdof(m);
  const int32_t* tree = hf_model_body_tree(m);
  const double fall = h * h * v3_norm(d->gravity);
  hfiFarthest farthest = {0, 0};
  double base = 0; // how far the origin of the body moves [m]
  double turn = 0; // how far the body turns [rad]

  for (int k = 0, before = -1; k < scene->nactive; ++k) {
    int g = scene->active[k];
    int b = body[g];

    // a new body, because the geoms of a body follow each other; without dofs it does not move
    if (b != before) {
      base = 0;
      turn = 0;
    }
    if (b != before && lastdof[b] >= 0) {
      hfMotion motion = V[d->body_link[b]];
      hfVec3 v = v3_add(motion.v, v3_cross(motion.w, v3_sub(d->X_WB[b].p, d->p_WO[tree[b]])));
      base = h * v3_norm(v) + fall + (push ? push[tree[b]] : 0);
      turn = h * v3_norm(motion.w);
      farthest.base = max2(farthest.base, base);
      farthest.turn = max2(farthest.turn, turn);
    }
    before = b;
    reach[g] = base + turn * near->size.extent[g];
  }
  return farthest;
}

// Sets near->reach.push: trees on which rows or known forces tau (nv) act are examined HFI_FURTHER than their free
// motion. Trees that the solution moves even further are examined again after it.
static void set_push(hfiNear* near, const double* tau) {
  const hfModel* m = near->model;
  const hfStepPiece* piece = near->rows->problem->piece;
  const int32_t* num = hf_model_tree_dofnum(m);
  double* push = near->reach.push;

  // known forces; the dofs of the trees follow each other
  int first = 0;
  for (int t = 0; t < m->ntree; ++t) {
    push[t] = hfi_any_nonzero(tau + first, num[t]) ? HFI_FURTHER : 0;
    first += num[t];
  }

  // rows
  int count = hfi_rows_piece_count(near->rows);
  for (int k = 0; k < count; ++k) push[piece[k].tree] = HFI_FURTHER;
}

// ---- two geoms of one tree --------------------------------------------------------------------------

// The speed at which link k carries geom g, as seen from the link before it [m/s].
static double carry_speed(const hfiNear* near, const hfMotion* V, int k, int g) {
  const hfDynamics* d = near->dynamics;
  hfMotion relative = mo_axpy(-1, V[d->link[k].parent], V[k]);
  hfVec3 v = v3_add(relative.v, v3_cross(relative.w, v3_sub(d->X_WG[g].p, hfi_link_reference(d, k))));
  return v3_norm(v) + v3_norm(relative.w) * hf_model_geom_rbound(near->model)[g];
}

// The sum of these speeds over the links between two geoms of one tree, if links have the velocities V (nlink) [m/s].
static double approach_speed(const hfiNear* near, const hfMotion* V, int geom_a, int geom_b) {
  const hfDynamics* d = near->dynamics;
  const int32_t* body = hf_model_geom_body(near->model);
  int a = d->body_link[body[geom_a]];
  int b = d->body_link[body[geom_b]];
  double speed = 0;

  while (a != b) { // parents come first
    if (a > b) {
      speed += carry_speed(near, V, a, geom_a);
      a = d->link[a].parent;
    } else {
      speed += carry_speed(near, V, b, geom_b);
      b = d->link[b].parent;
    }
  }
  return speed;
}

// What the functions below need to know of a search.
typedef struct PairSearch {
  const hfiNear* near;
  double h;              // horizon [s]
  const hfMotion* V;     // (nlink) second search: velocities of the links in the solution
  const int32_t* marked; // (ntree) second search: 1: the tree is examined
} PairSearch;

// An hfiPairReach for the first search: the motion that is foreseen, a fall and a push.
HFI_NOINLINE static double first_pair_reach(const void* data, int geom_a, int geom_b, double first) {
  const PairSearch* search = data;
  const hfiNear* near = search->near;
  const hfDynamics* d = near->dynamics;
  int t = hfi_tree_of_geom(near->model, geom_a);
  double h = search->h;
  (void)first;

  if (t < 0 || t != hfi_tree_of_geom(near->model, geom_b)) return INFINITY;
  double fall = 2 * h * h * v3_norm(d->gravity);
  return h * approach_speed(near, d->V, geom_a, geom_b) + fall + 2 * near->reach.push[t];
}

// An hfiPairReach for the second search, for pairs that the first one has asked about.
HFI_NOINLINE static double second_pair_reach(const void* data, int geom_a, int geom_b, double first) {
  const PairSearch* search = data;

  if (!hfi_geom_is_marked(search->near->model, geom_a, search->marked)) return 0;
  double second = search->h * approach_speed(search->near, search->V, geom_a, geom_b);
  return second > first + HFI_FURTHER ? second : 0;
}

// ---- the searches -----------------------------------------------------------------------------------

// Computes near->reach.push, first and farthest for the velocities of the dynamics.
void hfi_near_reach(hfiNear* near, double horizon, const double* tau) {
  hfiReach* reach = &near->reach;

  if (tau) set_push(near, tau);
  else memset(reach->push, 0, sizeof *reach->push * (size_t)near->model->ntree);
  reach->farthest = measure_reach(near, near->dynamics->V, horizon, reach->push, reach->first);
}

void hfi_near_second_reach(hfiNear* near, const hfMotion* V, double horizon) {
  measure_reach(near, V, horizon, NULL, near->reach.second);
}

int hfi_near_asks_pairs(const hfiNear* near, double horizon) {
  const hfiFarthest* farthest = &near->reach.farthest;
  double longest = farthest->base + farthest->turn * near->size.largest_extent;
  return horizon > 0 && near->scene.pairs.are_listed && 2 * longest > HFI_FAR_REACH;
}

// Finds the points of all pairs. Writes near->found, nfound and ndropped.
void hfi_near_collide(hfiNear* near, double horizon, const double* reach) {
  hfiScene* scene = &near->scene;
  PairSearch search = {.near = near, .h = horizon};

  if (hfi_near_asks_pairs(near, horizon)) {
    scene->options.pair_reach = first_pair_reach;
    scene->options.pair_data = &search;
  }
  near->nfound = hfi_scene_collide(scene, near->dynamics->X_WG, reach, near->found, near->capacity, &near->ndropped);
  scene->options.pair_reach = NULL;
}

// Marks in reach.extended the geoms whose second reach exceeds the first by more than HFI_FURTHER, and replaces their
// first reach by it. Only geoms of trees that `marked` (ntree) marks count. Returns whether there are such geoms.
static int extend_reach(hfiNear* near, const int32_t* marked) {
  const hfModel* m = near->model;
  hfiReach* reach = &near->reach;
  int any = 0;

  for (int g = 0; g < m->ngeom; ++g) {
    reach->extended[g] = hfi_geom_is_marked(m, g, marked) && reach->second[g] > reach->first[g] + HFI_FURTHER;
    if (!reach->extended[g]) continue;
    reach->first[g] = reach->second[g];
    any = 1;
  }
  return any;
}

// Searches pairs again whose geoms the velocities V move further than the first search assumed. Writes near->found,
// nfound, ndropped and reach.
void hfi_near_search_again(hfiNear* near, const hfMotion* V, double horizon, const int32_t* marked) {
  hfiScene* scene = &near->scene;
  hfiReach* reach = &near->reach;
  PairSearch search = {.near = near, .h = horizon, .V = V, .marked = marked};

  int any_extended = extend_reach(near, marked);
  if (!any_extended && !hfi_near_asks_pairs(near, horizon)) return;

  scene->options.pair_reach = second_pair_reach;
  scene->options.pair_data = &search;
  const int32_t* extended = any_extended ? reach->extended : NULL;
  near->nfound = hfi_scene_search_again(scene, near->dynamics->X_WG, reach->first, extended, near->found,
                                        near->nfound, near->capacity, &near->ndropped);
  scene->options.pair_reach = NULL;
  near->fresh &= ~(uint32_t)HFI_FRESH_FOUND;
}
