// How far two geoms of one tree, or of two free bodies, may come towards each other.
//
// A motion that all links share brings no two of them nearer to each other: if an arm turns at 90 rad/s about its first joint, all its links move far, but hardly
// towards each other. So only the motions of the links k between the geoms a and b count, up to the last link that carries both. Seen from its parent, link k
// has the velocity V_k - V_parent(k), and carries the geom g (a or b) behind it with a speed of at most
//
//   c_k = |v_k(p_g)| + |w_k| r_g      v_k, w_k  linear and angular part of V_k - V_parent(k)      p_g, r_g  centre and radius of the bounding sphere of g
//
// a and b come nearer to each other by at most h sum_k c_k, plus a fall and a push of each. Speeds are added, not vectors, because the motions of two joints
// that cancel each other at the start of a step need not do so at its end.
//
// The centres of mass of two free bodies move along straight lines but for a fall and a push, so that only the difference of their velocities v_A - v_B counts:
// bodies that fall side by side at 20 m/s come no nearer to each other. With the turns of both, a and b come nearer by at most
//
//   h (|v_A - v_B| + |w_A| (|p_a - c_A| + r_a) + |w_B| (|p_b - c_B| + r_b))      c_A, c_B  centres of mass
#include "step/world/world.h"

#include "base/compile.h"

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

// An upper bound on the speed at which the turning of a free body moves the points of geom g, as seen from its centre of mass [m/s].
static double turn_speed(const hfiWorld* w, hfVec3 angular, hfVec3 com, int g) {
  return v3_norm(angular) * (v3_norm(v3_sub(w->dynamics.X_WG[g].p, com)) + hf_model_geom_rbound(w->model)[g]);
}

// The speed at which geoms of two free bodies come towards each other at most.
static double meeting_speed(const hfiWorld* w, const hfMotion* V, int geom_a, int geom_b) {
  const hfDynamics* d = &w->dynamics;
  const int32_t* body = hf_model_geom_body(w->model);
  int a = d->body_link[body[geom_a]], b = d->body_link[body[geom_b]];
  hfVec3 com_a = pose_point(d->X_WB[d->link[a].body], d->link[a].com_B), com_b = pose_point(d->X_WB[d->link[b].body], d->link[b].com_B);
  hfVec3 v_a = v3_add(V[a].v, v3_cross(V[a].w, v3_sub(com_a, hfi_link_reference(d, a))));
  hfVec3 v_b = v3_add(V[b].v, v3_cross(V[b].w, v3_sub(com_b, hfi_link_reference(d, b))));
  return v3_norm(v3_sub(v_a, v_b)) + turn_speed(w, V[a].w, com_a, geom_a) + turn_speed(w, V[b].w, com_b, geom_b);
}

// hfi_world_pair_reach of geoms of the trees t and u: of one tree, or of two free bodies.
HFI_CALLED static double reach_of_trees(const hfiWorld* w, int t, int u, int geom_a, int geom_b, double first) {
  double (*speed)(const hfiWorld*, const hfMotion*, int, int) = t == u ? approach_speed : meeting_speed;
  double h = w->horizon;
  if (first < 0) return h * speed(w, w->dynamics.V, geom_a, geom_b) + 2 * h * h * v3_norm(w->dynamics.gravity) + (w->push ? w->push[t] + w->push[u] : 0);
  double second = w->second_marked[t] || w->second_marked[u] ? h * speed(w, w->second_V, geom_a, geom_b) : 0;
  return second > first + HFI_FURTHER ? second : 0;
}

static int are_free_bodies(const hfDynamics* d, int tree_a, int body_a, int tree_b, int body_b) {
  return tree_a >= 0 && tree_b >= 0 && hfi_is_free_alone(d, body_a) && hfi_is_free_alone(d, body_b);
}

double hfi_world_pair_reach(const void* world, int geom_a, int geom_b, double first) {
  const hfiWorld* w = world;
  const int32_t *body = hf_model_geom_body(w->model), *tree = hf_model_body_tree(w->model);
  int a = body[geom_a], b = body[geom_b], t = tree[a], u = tree[b];
  if (t == u ? t < 0 : w->nfree < 2 || !are_free_bodies(&w->dynamics, t, a, u, b)) return INFINITY;
  return reach_of_trees(w, t, u, geom_a, geom_b, first);
}
