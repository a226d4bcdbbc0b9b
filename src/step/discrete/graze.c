// Round bodies that pass an edge (docs/theory/rolling.md).
//
// A ball of radius r that rolls at speed v over tiles has an edge of the next tile ahead, at a distance x: their gap is
// x^2/(2r) and closes at v x/r. At that rate the gap would be closed within the step if x < 2 h v, and the contact
// would brake the ball to x/(2h) to prevent that. But in truth the ball passes over the edge: on its path the gap
// closes to zero and no further. So for such a contact the lowest gap on the path counts,
//
//   J_n v + drift = (min_t g(q0 (+) t v) - g(q0))/h
//
// if that is more than J_n v. This only reduces the force of a contact, so that no energy is given.
#include "step/discrete/inside.h"

#include "model/shape.h"

// If the cosine of the turn of the normal is below this, the path has led to another side of the body [-].
static const double SAME_SIDE_COSINE = 0.5;

static int has_edges(int type) { return type == HF_GEOM_BOX || type == HF_GEOM_MESH; }
static int is_round(int type) { return hfi_shape_kinds[type].curvature != HFI_FLAT; }

// Returns the round geom of a contact with a geom that has edges, or -1.
static int find_round_geom(const hfModel* m, const hfiContact* c) {
  int a = hf_model_geom_type(m)[c->geom_a];
  int b = hf_model_geom_type(m)[c->geom_b];
  if (has_edges(b) && is_round(a)) return c->geom_a;
  return has_edges(a) && is_round(b) ? c->geom_b : -1;
}

// Upper bound on the part of the motion of geom g along a contact that is not linear [m]: its centre moves by h v past
// an edge, at a distance of its radius.
static double bend_of_travel(const hfiWorld* w, const hfiContact* c, int g, double h) {
  const hfDynamics* d = &w->dynamics;
  hfVec3 centre = d->X_WG[g].p;
  hfVec3 v = v3_sub(hfi_point_velocity(d, c->body_a, centre).v, hfi_point_velocity(d, c->body_b, centre).v);
  return 0.5 * h * h * v3_norm2(hfi_across(c->n, v)) / hf_model_geom_size(w->model)[3 * g];
}

// Where the paths of two geoms end. It is the same for all points of their contact, which follow each other.
typedef struct PairEnd {
  int geom_a, geom_b;
  int is_known; // 1: `end` could be found
  hfiPathEnd end;
} PairEnd;

// Finds the end of the paths of a contact's geoms, unless they are those of the contact before.
static void find_pair_end(const hfiPaths* paths, const hfiContact* c, PairEnd* pair) {
  if (c->geom_a == pair->geom_a && c->geom_b == pair->geom_b) return;
  pair->geom_a = c->geom_a;
  pair->geom_b = c->geom_b;
  pair->is_known = hfi_near_path_end(paths, c->geom_a, c->geom_b, c->p_W, INFINITY, &pair->end);
}

// Returns the lowest gap of the geoms of a contact on their paths [m], without margin; INFINITY if it is not known. The
// gap changes at the rate vn at the start and end->rate at the end. pair: the end of the last pair's paths, kept.
static double find_lowest_gap(const hfiDiscrete* s, const hfiContact* c, double vn, PairEnd* pair) {
  hfiPaths paths = {&s->world->near, s->world->dynamics.V, s->config.step};
  const hfiPathEnd* end = &pair->end;

  find_pair_end(&paths, c, pair);
  if (!pair->is_known || v3_dot(end->n, c->n) < SAME_SIDE_COSINE) return INFINITY;
  if (!(end->rate > 0)) return end->gap; // it closes up to the end

  // the time of the lowest gap, if the rate changes linearly
  hfiPathEnd middle;
  paths.h = paths.h * -vn / (end->rate - vn);
  if (!hfi_near_path_end(&paths, c->geom_a, c->geom_b, c->p_W, INFINITY, &middle)) return INFINITY;
  return min2(end->gap, middle.gap);
}

// Returns the normal velocity of contact i at the start of the step [m/s].
static double find_start_velocity(const hfiDiscrete* s, int i) {
  const hfStepProblem* p = &s->assembly.problem;
  return hfi_normal_velocity(p, &p->block[s->block[i]], s->assembly.start);
}

// Whether the step would close contact c, whose normal velocity is vn, although its round geom g may pass over the edge
// ahead.
static int may_pass_edge(const hfiDiscrete* s, const hfiContact* c, int g, double vn) {
  double h = s->config.step;
  return vn < 0 && c->depth > h * vn && bend_of_travel(s->world, c, g, h) > HFI_LINEAR_PATH_ERROR;
}

// Sets the drift of the normal row of contact i for the lowest gap on its path, if that reduces its force. vn: normal
// velocity at the start. g(q0) of the head is include_margin - depth, because c->depth contains the margin. The drift
// is not finite if the lowest gap is not known.
static void set_lowest_gap_drift(hfiDiscrete* s, int i, double vn, PairEnd* pair) {
  hfStepProblem* p = &s->assembly.problem;
  const hfiContact* c = &s->world->near.contact[i];
  double lowest = find_lowest_gap(s, c, vn, pair);
  double drift = (lowest - c->material.include_margin + c->depth) / p->h - vn;
  if (!isfinite(drift) || !(drift > 0)) return;

  if (!p->drift) hfi_assembly_begin_drift(&s->assembly);
  p->drift[p->block[s->block[i]].row] = drift;
}

// Writes the drift of contacts of round bodies that pass an edge. Contacts that roll have one already.
void hfi_discrete_let_pass_edges(hfiDiscrete* s) {
  hfiNear* near = &s->world->near;
  PairEnd pair = {.geom_a = -1, .geom_b = -1};
  int count = 0;
  if (!s->config.gyroscopic || !s->config.anticipate) return;

  for (int i = 0; i < near->ncontact; ++i) {
    const hfiContact* c = &near->contact[i];
    if (s->block[i] < 0 || c->curved) continue;
    int g = find_round_geom(s->world->model, c);
    if (g < 0) continue;
    double vn = find_start_velocity(s, i);
    if (!may_pass_edge(s, c, g, vn)) continue;

    if (!count++) hfi_near_turning_centres(near, &s->flight, s->config.gyroscopic, s->assembly.start);
    set_lowest_gap_drift(s, i, vn, &pair);
  }
}
