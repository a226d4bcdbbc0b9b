// Nothing passes through: up to which time of a step each tree may move along its path (docs/theory/motion.md).
//
// The paths are those of a solved step. To come out on the other side of a body, another one has to overlap it by half of
// their two least widths at some time. Conservative advancement along the paths finds the time at which an overlap exceeds
// a level; trees of pairs that would overlap by half of the pair's width stop before. All of it happens only where bodies
// move by a good part of that width within the step.
#include "world/world.h"

#include "geometry/width.h"
#include "model/shape.h"
#include "world/mover.h"

enum { MAX_ADVANCES = 200, MAX_ROUNDS = 8 };
// Shares of the width of a pair [-]: overlap that is too much; by how much an overlap may exceed a level; own motion from
// which a tree of a pair stops.
static const double TOO_DEEP = 0.5, SLACK = 0.05, OWN = 0.1;
// The width of a pair that is far wider than the smaller body is at least this: overlaps are left to the contact law that
// are no passage, such as those of a point in a floor [m].
static const double THICK = 1e-3;
static const double TURN = 0.5; // A body that turns by more in a step ends it along its path, not by free spin [rad].

// ---- widths -----------------------------------------------------------------------------------------

// The width of a pair with least widths a and b: half of the overlap at which they pass each other, but not less than the smaller width
// and not more than twice that.
static double pair_width(double a, double b) {
  double least = min2(a, b);
  return max2(least, min2(0.25 * (a + b), max2(2 * least, THICK)));
}

// The least width of all pairs. Where pairs are not listed for good, that of all geoms is a bound.
static double find_least_width(const hfiWorld* w) {
  const hfiScene* s = &w->scene;
  double least = INFINITY;
  for (int g = 0; !s->listed && g < w->model->ngeom; ++g) least = min2(least, w->width[g]);
  for (int i = 0; s->listed && i < s->ncandidate; ++i)
    least = min2(least, pair_width(w->width[s->candidate[i].a], w->width[s->candidate[i].b]));
  return least;
}

void hfi_world_measure_widths(hfiWorld* w) {
  const hfModel* m = w->model;
  w->largest_extent = 0, w->nsolid = 0;
  for (int b = 0; b < m->nbody; ++b) w->body_extent[b] = -1;
  for (int g = 0; g < m->ngeom; ++g) {
    int touches = hfi_geom_may_touch(m, g), b = hf_model_geom_body(m)[g];
    w->width[g] = touches ? hfi_least_width(&w->scene.shape[g]) : INFINITY;
    if (!touches) continue;
    w->body_extent[b] = max2(w->body_extent[b], w->extent[g]);
    if (hf_model_body_lastdof(m)[b] >= 0) w->largest_extent = max2(w->largest_extent, w->extent[g]);
  }
  for (int b = 0; b < m->nbody; ++b)
    if (w->body_extent[b] >= 0) w->solid[w->nsolid++] = b;
  w->least_width = find_least_width(w);
}

// A body shakes what it holds: all move with the first one, seen from which nothing moves far.
int hfi_world_moves_as_one(const hfiWorld* w, const hfMotion* V, double h, double excess) {
  const hfDynamics* d = &w->dynamics;
  int first = d->body_link[w->solid[0]];
  hfVec3 O = hfi_link_reference(d, first);
  double most2 = 0;
  for (int k = 1; k < w->nsolid; ++k) {
    int b = w->solid[k], link = d->body_link[b];
    hfVec3 p = d->X_WB[b].p, turn = v3_sub(V[link].w, V[first].w);
    hfVec3 move = v3_sub(v3_add(V[link].v, v3_cross(V[link].w, v3_sub(p, hfi_link_reference(d, link)))),
                         v3_add(V[first].v, v3_cross(V[first].w, v3_sub(p, O))));
    most2 = max2(most2, v3_norm2(move) + v3_norm2(turn) * sqr(w->body_extent[b]));
  }
  return !hfi_world_is_far(w, 2 * (1.5 * h * sqrt(most2) + excess)); // a + b <= sqrt(2 (a^2 + b^2)); two bodies, each beside the first
}

int hfi_world_mark_fast(hfiWorld* w, const hfMotion* V, double h, int32_t* fast) {
  const hfModel* m = w->model;
  const int32_t *body = hf_model_geom_body(m), *tree = hf_model_body_tree(m);
  double* reach = w->reach + m->ngeom;
  int any = 0;
  for (int t = 0; t < m->ntree; ++t) fast[t] = 0;
  hfi_contact_reach(&w->dynamics, V, h, w->extent, NULL, reach);
  for (int g = 0; g < m->ngeom; ++g)
    if (hfi_world_is_far(w, reach[g])) fast[tree[body[g]]] = any = 1; // The world's geoms have no reach.
  return any;
}

// ---- paths ------------------------------------------------------------------------------------------

// A pair of geoms and how it moves.
typedef struct Pair {
  hfiMover mover[2];
  int tree[2]; // -1: the world
  double stop[2]; // [s]
  double width;   // see pair_width [m]
} Pair;

// The axis of a screw motion with velocity v at p and spin w: the point of it that is nearest to p.
static hfVec3 screw_centre(hfVec3 p, hfVec3 v, hfVec3 w) { return v3_axpy(1 / v3_norm2(w), v3_cross(w, v), p); }

// Geom g along the path of its tree: a free body about the centre that `about` has, any other link about its screw axis.
static hfiMover mover_along_path(const hfiWorld* w, const hfMotion* V, const hfiTurningCentre* about, int g) {
  const hfDynamics* d = &w->dynamics;
  int body = hf_model_geom_body(w->model)[g], link = d->body_link[body], tree = hf_model_body_tree(w->model)[body];
  hfiMover m = {&w->scene.shape[g], d->X_WG[g], d->X_WG[g].p, v3_zero(), V[link].w, hf_model_geom_rbound(w->model)[g]};
  if (tree < 0) return m;
  if (about[tree].known) {
    m.centre = about[tree].p, m.v = about[tree].v;
  } else {
    m.v = v3_add(V[link].v, v3_cross(m.w, v3_sub(m.centre, hfi_link_reference(d, link))));
    if (v3_norm2(m.w) > 0) {
      hfVec3 axis = v3_unit(m.w);
      m.centre = screw_centre(m.centre, m.v, m.w);
      m.v = v3_scale(v3_dot(axis, m.v), axis);
    }
  }
  m.radius += v3_norm(v3_sub(m.X0.p, m.centre));
  return m;
}

// Bound on how fast the pair comes nearer along n from time t on, until one of them stops.
static double closing_speed(const Pair* p, hfVec3 n, double t) {
  double along = 0, turning = 0;
  for (int k = 0; k < 2; ++k) {
    if (!(t < p->stop[k])) continue;
    const hfiMover* m = &p->mover[k];
    along += (k ? 1 : -1) * v3_dot(n, m->v);
    turning += v3_norm(v3_cross(n, m->w)) * m->radius;
  }
  return max2(0, along) + turning;
}

// The next time after t at which one of them stops, at most h.
static double next_stop(const Pair* p, double t, double h) {
  double next = h;
  for (int k = 0; k < 2; ++k)
    if (p->stop[k] > t) next = min2(next, p->stop[k]);
  return next;
}

static int pair_distance(const Pair* p, double t, hfiContactPoint* at) {
  const hfiMover *a = &p->mover[0], *b = &p->mover[1];
  hfPose X_A = hfi_mover_pose(a, min2(t, p->stop[0])), X_B = hfi_mover_pose(b, min2(t, p->stop[1]));
  return hfi_distance(a->shape, &X_A, b->shape, &X_B, INFINITY, at);
}

// Time at which the overlap exceeds the level; INFINITY: not within h.
static double passage_time(const Pair* p, double h, double level) {
  double t = 0;
  for (int k = 0; k < MAX_ADVANCES; ++k) {
    hfiContactPoint at;
    if (!pair_distance(p, t, &at)) return INFINITY;
    double room = level - at.depth;
    if (!(room > 0)) return t;
    double c = closing_speed(p, at.n_W, t), next = next_stop(p, t, h);
    if (c * (next - t) > room) next = min2(next, t + (room + SLACK * p->width) / c);
    if (next >= h) return INFINITY;
    t = next;
  }
  return t;
}

// Time at which a pair that would overlap too much stops: where it begins to overlap, or to overlap more than it does.
// INFINITY: it does not.
static double stop_time(const Pair* p, double h) {
  hfiContactPoint at;
  if (!pair_distance(p, 0, &at)) return INFINITY;
  double slack = SLACK * p->width, level = max2(at.depth + slack, -slack);
  if (passage_time(p, h, max2(level, TOO_DEEP * p->width)) > h) return INFINITY;
  return passage_time(p, h, level);
}

// ---- stops ------------------------------------------------------------------------------------------

static Pair make_pair(const hfiWorld* w, const hfMotion* V, const hfiTurningCentre* about, const hfiRawContact* r) {
  const int32_t *body = hf_model_geom_body(w->model), *tree = hf_model_body_tree(w->model);
  Pair p = {{mover_along_path(w, V, about, r->geom_a), mover_along_path(w, V, about, r->geom_b)},
            {tree[body[r->geom_a]], tree[body[r->geom_b]]}, {INFINITY, INFINITY},
            pair_width(w->width[r->geom_a], w->width[r->geom_b])};
  return p;
}

// Whether the two come nearer by enough of the smaller width for a look at them.
static int moves_far(const Pair* p, double h) {
  const hfiMover *a = &p->mover[0], *b = &p->mover[1];
  double speed = v3_norm(v3_sub(a->v, b->v)) + v3_norm(a->w) * a->radius + v3_norm(b->w) * b->radius;
  return h * speed > HFI_FAR * p->width;
}

// Stops the trees of a pair at time t that still move far by themselves, at least the faster one. Returns 1.
static int stop_pair(const Pair* p, double h, double t, double* stop) {
  double far[2];
  for (int k = 0; k < 2; ++k) far[k] = p->tree[k] >= 0 && p->stop[k] > t ? (h - t) * hfi_mover_speed(&p->mover[k]) : 0;
  double least = min2(OWN * p->width, max2(far[0], far[1]));
  for (int k = 0; k < 2; ++k)
    if (far[k] >= least && far[k] > 0) stop[p->tree[k]] = min2(stop[p->tree[k]], t);
  return 1;
}

// A body that turns far in the step moves along its path, though nothing stops it.
static void follow_path(const Pair* p, double h, double* stop) {
  for (int k = 0; k < 2; ++k)
    if (p->tree[k] >= 0 && h * v3_norm(p->mover[k].w) > TURN) stop[p->tree[k]] = min2(stop[p->tree[k]], h);
}

// Nothing comes out below a height field.
static int is_solid_below(const Pair* p) {
  return p->mover[0].shape->type == HF_GEOM_HFIELD || p->mover[1].shape->type == HF_GEOM_HFIELD;
}

// Looks at a pair. Returns 1 where it stops.
static int stop_passing(const hfiWorld* w, const hfMotion* V, const hfiTurningCentre* about, double h, const hfiRawContact* r,
                        double* stop) {
  Pair p = make_pair(w, V, about, r);
  if (is_solid_below(&p) || !moves_far(&p, h)) return 0;
  for (int k = 0; k < 2; ++k) p.stop[k] = p.tree[k] >= 0 ? stop[p.tree[k]] : INFINITY;
  double t = stop_time(&p, h);
  follow_path(&p, h, stop);
  return t < h && stop_pair(&p, h, t, stop);
}

// Trees that an equality or a tendon ties together stop together.
static void stop_tied(const hfiWorld* w, double* stop) {
  const hfiRows* rows = &w->actuation.rows;
  const int32_t* tree = hf_model_dof_tree(w->model);
  for (const hfiRowBlock *b = rows->block, *end = b + rows->n.nblock; b < end; ++b) {
    double least = INFINITY;
    for (int k = 0; k < b->ncol; ++k) least = min2(least, stop[tree[rows->cols[b->col + k]]]);
    for (int k = 0; k < b->ncol; ++k) stop[tree[rows->cols[b->col + k]]] = least;
  }
}

int hfi_world_stop_trees(hfiWorld* w, const hfMotion* V, double h, const int32_t* fast, const hfiTurningCentre* about, double* stop) {
  const hfModel* m = w->model;
  const int32_t *body = hf_model_geom_body(m), *tree = hf_model_body_tree(m);
  for (int t = 0; t < m->ntree; ++t) stop[t] = INFINITY;
  hfi_world_look_further(w, V, h, fast);
  int again = 1;
  for (int round = 0; again && round < MAX_ROUNDS; ++round) {
    again = 0;
    for (int i = 0; i < w->nfound; ++i) {
      const hfiRawContact* r = &w->found[i];
      if (i > 0 && w->found[i - 1].candidate == r->candidate) continue;
      int a = tree[body[r->geom_a]], b = tree[body[r->geom_b]];
      if ((a >= 0 && fast[a]) || (b >= 0 && fast[b])) again |= stop_passing(w, V, about, h, r, stop);
    }
    stop_tied(w, stop);
  }
  for (int t = 0; t < m->ntree; ++t)
    if (stop[t] <= h) return 1;
  return 0;
}
