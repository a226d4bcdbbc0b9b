// How far two geoms of one tree may come towards each other.
//
// A motion that all links share brings no two of them nearer to each other: if an arm turns at 90 rad/s about its first joint, all its links move far, but hardly
// towards each other. So only the motions of the links k between the geoms a and b count, up to the last link that carries both. Seen from its parent, link k
// has the velocity V_k - V_parent(k), and carries the geom g (a or b) behind it with a speed of at most
//
//   c_k = |v_k(p_g)| + |w_k| r_g      v_k, w_k  linear and angular part of V_k - V_parent(k)      p_g, r_g  centre and radius of the bounding sphere of g
//
// a and b come nearer to each other by at most h sum_k c_k, plus a fall and a push of each. Speeds are added, not vectors, because the motions of two joints
// that cancel each other at the start of a step need not do so at its end.
#include "world/world.h"

// The speed at which link k carries geom g, as seen from the link before it [m/s].
static double carry_speed(const hfiWorld* w, const hfMotion* V, int k, int g) {
  const hfDynamics* d = &w->dynamics;
  hfMotion own = mo_axpy(-1, V[d->link[k].parent], V[k]);
  hfVec3 v = v3_add(own.v, v3_cross(own.w, v3_sub(d->X_WG[g].p, hfi_link_reference(d, k))));
  return v3_norm(v) + v3_norm(own.w) * hf_model_geom_rbound(w->model)[g];
}

// The sum of these speeds over the links between two geoms of one tree.
static double approach_speed(const hfiWorld* w, const hfMotion* V, int geom_a, int geom_b) {
  const hfDynamics* d = &w->dynamics;
  const int32_t* body = hf_model_geom_body(w->model);
  int a = d->body_link[body[geom_a]], b = d->body_link[body[geom_b]];
  double speed = 0;
  while (a != b) { // parents come first
    if (a > b) speed += carry_speed(w, V, a, geom_a), a = d->link[a].parent;
    else speed += carry_speed(w, V, b, geom_b), b = d->link[b].parent;
  }
  return speed;
}

double hfi_world_pair_reach(const void* world, int geom_a, int geom_b, double first) {
  const hfiWorld* w = world;
  const hfDynamics* d = &w->dynamics;
  const int32_t *body = hf_model_geom_body(w->model), *tree = hf_model_body_tree(w->model);
  int t = tree[body[geom_a]];
  double h = w->horizon;
  if (t < 0 || t != tree[body[geom_b]]) return INFINITY;
  if (first < 0) return h * approach_speed(w, d->V, geom_a, geom_b) + 2 * (h * h * v3_norm(d->gravity) + (w->push ? w->push[t] : 0));
  double second = w->second_marked[t] ? h * approach_speed(w, w->second_V, geom_a, geom_b) : 0;
  return second > first + HFI_FURTHER ? second : 0;
}
