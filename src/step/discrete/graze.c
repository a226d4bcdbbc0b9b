// Round bodies that pass an edge (docs/theory/motion.md).
//
// A ball of radius r that rolls at speed v over tiles has an edge of the next tile ahead, at a distance x: their gap is x^2/(2r) and closes at v x/r.
// At that rate the gap would be closed within the step if x < 2 h v, and the contact would brake the ball to x/(2h) to prevent that. But in truth the
// ball passes over the edge: on its path the gap closes to zero and no further. So for such a contact the lowest gap on the path counts,
//
//   J_n v + drift = (min_t g(q0 (+) t v) - g(q0))/h
//
// if that is more than J_n v. This only reduces the force of a contact, so that no energy is given.
#include "step/discrete/inside.h"

#include "model/shape.h"

// If the cosine of the turn of the normal is below this, the path has led to another side of the body [-].
static const double SAME_SIDE = 0.5;

static int has_edges(int type) { return type == HF_GEOM_BOX || type == HF_GEOM_MESH; }
static int is_round(int type) { return hfi_shape_kinds[type].curvature != HFI_FLAT; }

// The round geom of a contact with a geom that has edges, or -1.
static int find_round(const hfModel* m, const hfiContact* c) {
  int a = hf_model_geom_type(m)[c->geom_a], b = hf_model_geom_type(m)[c->geom_b];
  return has_edges(b) && is_round(a) ? c->geom_a : has_edges(a) && is_round(b) ? c->geom_b : -1;
}

// Upper bound on the part of the motion of geom g along a contact that is not linear [m]: its centre moves by h v past an edge.
static double bend_of_travel(const hfiWorld* w, const hfiContact* c, int g, double h) {
  const hfDynamics* d = &w->dynamics;
  hfVec3 p = d->X_WG[g].p, v = v3_sub(hfi_point_velocity(d, c->body_a, p).v, hfi_point_velocity(d, c->body_b, p).v);
  return 0.5 * h * h * v3_norm2(hfi_across(c->n, v)) / hf_model_geom_size(w->model)[3 * g];
}

// Where the paths of two geoms end. It is the same for all points of their contact, which follow each other.
typedef struct PairEnd {
  int geom_a, geom_b, known; // known: 1 if `end` could be found
  hfiPathEnd end;
} PairEnd;

// Finds the end of the paths of a contact's geoms, unless they are those of the contact before.
static void find_pair_end(const hfiPaths* paths, const hfiContact* c, PairEnd* pair) {
  if (c->geom_a == pair->geom_a && c->geom_b == pair->geom_b) return;
  pair->geom_a = c->geom_a, pair->geom_b = c->geom_b;
  pair->known = hfi_near_path_end(paths, c->geom_a, c->geom_b, c->p_W, INFINITY, &pair->end);
}

// The lowest gap of the geoms of a contact on their paths [m]. The gap closes with speed -vn at the start. INFINITY if it is not known.
static double find_lowest_gap(const hfiDiscrete* s, const hfiContact* c, double vn, PairEnd* pair) {
  hfiPaths paths = {&s->world->near, s->world->dynamics.V, s->config.step};
  const hfiPathEnd* end = &pair->end;
  hfiPathEnd middle;
  find_pair_end(&paths, c, pair);
  if (!pair->known || v3_dot(end->n, c->n) < SAME_SIDE) return INFINITY;
  if (!(end->rate > 0)) return end->gap;
  paths.h = paths.h * -vn / (end->rate - vn); // the time of the lowest gap, if the rate changes linearly
  if (!hfi_near_path_end(&paths, c->geom_a, c->geom_b, c->p_W, INFINITY, &middle)) return INFINITY;
  return min2(end->gap, middle.gap);
}

// Whether the step would close contact i although its round geom g may pass over the edge ahead. *vn: the velocity of the normal row.
static int may_pass(const hfiDiscrete* s, int i, int g, double* vn) {
  const hfStepProblem* p = &s->assembly.problem;
  const hfiContact* c = &s->world->near.contact[i];
  *vn = hfi_normal_velocity(p, &p->block[s->block[i]], s->assembly.start);
  return *vn < 0 && c->depth > p->h * *vn && bend_of_travel(s->world, c, g, p->h) > HFI_LINEAR_PATH_ERROR;
}

// Sets the drift of contact i for the lowest gap on its path.
static void set_lowest_gap_drift(hfiDiscrete* s, int i, double vn, PairEnd* pair) {
  hfStepProblem* p = &s->assembly.problem;
  const hfiContact* c = &s->world->near.contact[i];
  double lowest = find_lowest_gap(s, c, vn, pair), drift = (lowest - c->material.include_margin + c->depth) / p->h - vn;
  if (!isfinite(drift) || !(drift > 0)) return;
  if (!p->drift) hfi_assembly_begin_drift(&s->assembly);
  p->drift[p->block[s->block[i]].row] = drift;
}

void hfi_discrete_let_pass_edges(hfiDiscrete* s) {
  const hfiWorld* w = s->world;
  PairEnd pair = {.geom_a = -1, .geom_b = -1};
  if (!s->config.gyroscopic || !s->config.anticipate) return;
  for (int i = 0, eased = 0; i < w->near.ncontact; ++i) {
    int g = s->block[i] >= 0 && !w->near.contact[i].curved ? find_round(w->model, &w->near.contact[i]) : -1;
    double vn;
    if (g < 0 || !may_pass(s, i, g, &vn)) continue;
    if (!eased++) hfi_near_turning_centres(&s->world->near, &s->flight, s->config.gyroscopic, s->assembly.start);
    set_lowest_gap_drift(s, i, vn, &pair);
  }
}
