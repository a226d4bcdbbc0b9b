// Trees that are far from all else, and trees that fly together.
//
// How far geoms come within a step decides which pairs are looked at. The links of a robot that falls, drives or is thrown come far, but mostly
// together. If nothing else is within reach of the tree, its links can touch only each other. A motion that they all share brings no two of them
// nearer, so only V_k - V_1 counts, the motion of link k as seen from the first link.
//
// The tree is taken as a sphere about the origin of its first body, and so is each other geom that is no plane.
//
// If nothing that can be touched is fixed, as where things fall that no floor will stop, the mean velocity of all trees brings no two geoms nearer either.
#include "step/world/world.h"

// A tree is examined only if its first body moves further than this within the step [m].
static const double FAST = 1e-3;

// The velocity of the first body of tree t, at its origin.
static hfVec3 root_velocity(const hfiWorld* w, const hfMotion* V, int t) {
  const hfDynamics* d = &w->dynamics;
  int root = hf_model_tree_body(w->model)[t];
  const hfMotion* motion = &V[d->body_link[root]];
  return v3_add(motion->v, v3_cross(motion->w, v3_sub(d->X_WB[root].p, d->p_WO[t])));
}

int hfi_world_share_velocity(const hfiWorld* w, const hfMotion* V, double horizon, hfVec3* shared) {
  int n = w->model->ntree;
  hfVec3 sum = v3_zero();
  if (n < 2) return 0;
  for (int t = 0; t < n; ++t) sum = v3_add(sum, root_velocity(w, V, t));
  if (!(horizon * v3_norm(sum) > FAST * n)) return 0;
  *shared = v3_scale(1.0 / n, sum);
  return 1;
}

// Whether tree t has several links, of which the first one is fast.
static int moves_fast(const hfiWorld* w, const hfMotion* V, double horizon, int t) {
  const hfModel* m = w->model;
  int first = hf_model_tree_dofadr(m)[t], last = first + hf_model_tree_dofnum(m)[t] - 1;
  if (hf_model_dof_body(m)[first] == hf_model_dof_body(m)[last]) return 0;
  return horizon * v3_norm(root_velocity(w, V, t)) > FAST;
}

// The largest margin of an explicit pair [m].
static double largest_pair_margin(const hfModel* m) {
  double most = 0;
  for (int i = 0; i < m->npair; ++i) most = max2(most, hf_model_pair_margin(m)[i]);
  return most;
}

// Radius of a sphere about p that contains every place which the geoms of tree t may reach [m]; INFINITY if one of them is a plane.
static double radius_within_reach(const hfiWorld* w, const double* reach, int t, hfVec3 p) {
  const hfModel* m = w->model;
  const hfiScene* s = &w->scene;
  const double *radius = hf_model_geom_rbound(m), *margin = hf_model_geom_margin(m);
  double most = 0;
  for (int k = 0; k < s->nactive; ++k) {
    int g = s->active[k];
    if (hf_model_body_tree(m)[hf_model_geom_body(m)[g]] != t) continue;
    if (!(radius[g] > 0)) return INFINITY;
    most = max2(most, v3_norm(v3_sub(w->dynamics.X_WG[g].p, p)) + radius[g] + margin[g] + reach[g]);
  }
  return most + largest_pair_margin(m);
}

// Does geom g stay outside of the sphere wherever it moves within the step?
static int is_outside(const hfiWorld* w, const double* reach, int g, hfVec3 centre, double radius) {
  const hfPose* X_WG = &w->dynamics.X_WG[g];
  hfVec3 to = v3_sub(centre, X_WG->p);
  double own = hf_model_geom_rbound(w->model)[g], grown = radius + reach[g] + hf_model_geom_margin(w->model)[g];
  return own > 0 ? v3_norm2(to) > sqr(grown + own) : v3_dot(to, m3_col(X_WG->R, 2)) > grown;
}

static int is_alone(const hfiWorld* w, const double* reach, int t) {
  const hfModel* m = w->model;
  const hfiScene* s = &w->scene;
  hfVec3 centre = w->dynamics.X_WB[hf_model_tree_body(m)[t]].p;
  double radius = radius_within_reach(w, reach, t, centre);
  for (int k = 0; k < s->nactive; ++k) {
    int g = s->active[k];
    if (hf_model_body_tree(m)[hf_model_geom_body(m)[g]] != t && !is_outside(w, reach, g, centre, radius)) return 0;
  }
  return radius < INFINITY;
}

int hfi_world_mark_alone(hfiWorld* w, const hfMotion* V, double horizon, const double* reach) {
  int any = 0;
  for (int t = 0; t < w->model->ntree; ++t) {
    w->alone[t] = moves_fast(w, V, horizon, t) && is_alone(w, reach, t);
    any |= w->alone[t];
  }
  return any;
}

void hfi_world_set_carriers(hfiWorld* w) {
  const hfModel* m = w->model;
  hfiScene* s = &w->scene;
  int of_all = w->any_fixed ? -1 : s->active[0];
  for (int k = 0, first = -1, before = -1; k < s->nactive; ++k) { // the geoms of a tree follow each other
    int g = s->active[k], t = hf_model_body_tree(m)[hf_model_geom_body(m)[g]];
    if (t != before) first = g, before = t;
    w->carrier[g] = t >= 0 && w->alone[t] ? first : of_all;
  }
  s->carrier = w->carrier;
}
