// Round bodies that pass an edge (docs/theory/motion.md).
//
// A ball of radius r that rolls at speed v over tiles has an edge of the next tile ahead, at a distance x: their gap is x^2/(2r) and closes at
// v x/r. By that alone it would be closed within the step if x < 2 h v, and a contact that brakes the ball to x/(2h) would prevent it. But the
// ball passes over the edge: on its path the gap closes to zero and no further. So of such a contact the lowest gap of the path counts,
//
//   J_n v + drift = (min_t g(q0 (+) t v) - g(q0))/h
//
// where that is more than J_n v. A contact only loses force by it, so that no energy is given.
#include "discrete/discrete.h"

// A path that is wrong by less than this is taken as linear [m].
static const double LEAST_BEND = 5e-6;
// Cosine of the turn of the normal beyond which the path has led to another side of the body [-].
static const double SAME_SIDE = 0.5;

static int has_edges(int type) { return type == HF_GEOM_BOX || type == HF_GEOM_MESH; }
static int is_round(int type) {
  return type == HF_GEOM_SPHERE || type == HF_GEOM_CAPSULE || type == HF_GEOM_ELLIPSOID || type == HF_GEOM_CYLINDER;
}

// The round geom of a contact with a geom that has edges, or -1.
static int find_round(const hfModel* m, const hfiContact* c) {
  int a = hf_model_geom_type(m)[c->geom_a], b = hf_model_geom_type(m)[c->geom_b];
  return has_edges(b) && is_round(a) ? c->geom_a : has_edges(a) && is_round(b) ? c->geom_b : -1;
}

// Upper bound on what is not linear in the motion of geom g along a contact: its centre moves by h v past an edge [m].
static double bend_of_travel(const hfiWorld* w, const hfiContact* c, int g, double h) {
  const hfDynamics* d = &w->dynamics;
  hfVec3 p = d->X_WG[g].p, v = v3_zero();
  for (int k = 0; k < 2; ++k) {
    int link = d->body_link[k ? c->body_b : c->body_a];
    hfVec3 at = v3_add(d->V[link].v, v3_cross(d->V[link].w, v3_sub(p, hfi_link_reference(d, link))));
    v = k ? v3_sub(v, at) : at;
  }
  return 0.5 * h * h * v3_norm2(hfi_across(c->n, v)) / hf_model_geom_size(w->model)[3 * g];
}

// The lowest gap of the geoms of a contact on their paths [m], which closes at speed -vn at first. INFINITY: not known.
static double find_lowest_gap(const hfiDiscrete* s, const hfiContact* c, double vn) {
  const hfiWorld* w = s->world;
  const hfMotion* V = w->dynamics.V;
  double h = s->config.step;
  hfiPathEnd end, middle;
  if (!hfi_world_path_end(w, V, s->about, h, c->geom_a, c->geom_b, c->p_W, INFINITY, &end) || v3_dot(end.n, c->n) < SAME_SIDE) return INFINITY;
  if (!(end.rate > 0)) return end.gap;
  double lowest_at = h * -vn / (end.rate - vn); // if the rate grows at a constant pace
  if (!hfi_world_path_end(w, V, s->about, lowest_at, c->geom_a, c->geom_b, c->p_W, INFINITY, &middle)) return INFINITY;
  return min2(end.gap, middle.gap);
}

// Lets contact i know that its round geom g passes an edge.
static void ease(hfiDiscrete* s, int i, int g) {
  hfStepProblem* p = &s->assembly.problem;
  const hfiContact* c = &s->world->contact[i];
  const hfStepBlock* b = &p->block[s->block[i]];
  double row[6];
  hfi_block_velocity(p, b, s->assembly.start, row);
  double vn = row[0] - (p->drift ? p->drift[b->row] : 0);
  if (!(vn < 0) || !(c->depth > p->h * vn) || !(bend_of_travel(s->world, c, g, p->h) > LEAST_BEND)) return;
  hfi_discrete_turning_centres(s, s->assembly.start);
  double lowest = find_lowest_gap(s, c, vn), drift = (lowest - c->material.include_margin + c->depth) / p->h - vn;
  if (!isfinite(drift) || !(drift > 0)) return;
  if (!p->drift) hfi_assembly_begin_drift(&s->assembly);
  p->drift[b->row] = drift;
}

void hfi_discrete_ease(hfiDiscrete* s) {
  const hfiWorld* w = s->world;
  if (!s->config.gyroscopic || !s->config.anticipate) return;
  for (int i = 0; i < w->ncontact; ++i) {
    int g = s->block[i] >= 0 && !w->contact[i].curved ? find_round(w->model, &w->contact[i]) : -1;
    if (g >= 0) ease(s, i, g);
  }
}
