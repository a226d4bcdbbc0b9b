// Keeps bodies from passing through each other: finds up to which time of a step each tree may move along its path (docs/theory/motion.md).
//
// The step is solved, so the path of every geom over it is known. To come out on the other side of a body, another one has to
// overlap it by half of the sum of their least widths at some time. The overlap of a pair that passes grows like this:
//
//   overlap
//     ^                 /
//     | deep - - - - - /      deep    TOO_DEEP times the width of the pair: a pair that gets there has to stop
//     |               /
//     | start -------x        start   the overlap at the start of the step, or none where the two are apart
//     +--------------|--> t
//                 stop time
//
//   1. Which trees move far enough to pass?           hfi_world_moves_as_one, hfi_world_mark_passing, pair_could_pass
//   2. When does the overlap of a pair exceed a level?  overlap_time, by conservative advancement (step/near/mover.h)
//   3. Which trees stop, and when?                    hfi_world_find_stops
//
// In an ordinary step the answer to the first question is none.
#include "step/world/world.h"

#include "step/geometry/width.h"
#include "model/shape.h"
#include "step/near/mover.h"

enum { MAX_ADVANCES = 200, MAX_ROUNDS = 8 };
static const double TOO_DEEP = 0.5; // A pair that would overlap by more than this share of its width has to stop [-].
static const double SLACK = 0.05; // A time at which an overlap exceeds a level is found to this share of the width of the pair [-].
static const double FINE = 0.01;  // An overlap within the step is found to this share of the width of the pair [-].
// When a pair has to stop, a tree of the pair stops if its own motion in the rest of the step is more than this share of the width [-].
static const double OWN_MOTION = 0.1;
// A pair of a thin body and a far thicker one has at least this width [m]. Smaller overlaps, as of a corner in a floor, are no
// passage, and the contact law removes them.
static const double THICK = 1e-3;
// A body that turns by more than this in a step [rad] ends the step along the path that was tested here, not by free spin.
static const double LARGE_TURN = 0.5;
// An upper bound on a speed is multiplied by this, so that rounding cannot make it too small [-].
static const double ABOVE_ROUNDING = 1.0001;

// ---- widths -----------------------------------------------------------------------------------------

// The width of a pair of geoms with least widths a and b [m]: half of the overlap (a + b)/2 that they have while they pass each
// other, but at least the smaller of a and b, and at most the larger of THICK and twice the smaller.
static double pair_width(double a, double b) {
  double least = min2(a, b);
  return max2(least, min2(0.25 * (a + b), max2(2 * least, THICK)));
}

// The least width of all pairs, or, where the scene does not list its pairs for good, the least width of all geoms: no pair has less.
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

// V_k - V_first, at the origin of body k and with a turn about it, is how body k moves as seen from the first solid body. With
// relative velocity a and turn b over the extent of the body no point of it moves faster than a + b <= 1.5 sqrt(a^2 + b^2).
int hfi_world_moves_as_one(const hfiWorld* w, const hfMotion* V, double h, double excess) {
  const hfDynamics* d = &w->dynamics;
  int first = d->body_link[w->solid[0]];
  hfVec3 O = hfi_link_reference(d, first);
  for (int k = 1; k < w->nsolid; ++k) {
    int b = w->solid[k], link = d->body_link[b];
    hfVec3 p = d->X_WB[b].p, turn = v3_sub(V[link].w, V[first].w);
    hfVec3 move = v3_sub(v3_add(V[link].v, v3_cross(V[link].w, v3_sub(p, hfi_link_reference(d, link)))),
                         v3_add(V[first].v, v3_cross(V[first].w, v3_sub(p, O))));
    double most2 = v3_norm2(move) + v3_norm2(turn) * sqr(w->body_extent[b]);
    if (hfi_world_could_pass(w, 2 * (1.5 * h * sqrt(most2) + excess))) return 0; // twice, because two bodies may move towards each other
  }
  return 1;
}

int hfi_world_mark_passing(hfiWorld* w, const hfMotion* V, double h, int32_t* marked) {
  const hfModel* m = w->model;
  const int32_t *body = hf_model_geom_body(m), *tree = hf_model_body_tree(m);
  const double* reach = hfi_world_second_reach(w, V, h);
  int any = 0;
  for (int t = 0; t < m->ntree; ++t) marked[t] = 0;
  for (int g = 0; g < m->ngeom; ++g)
    if (hfi_world_could_pass(w, reach[g])) marked[tree[body[g]]] = any = 1; // A geom of the world has reach 0 and no tree.
  return any;
}

// ---- one pair ---------------------------------------------------------------------------------------

// Two geoms, how they move, and when the trees that they belong to stop.
typedef struct Pair {
  hfiMover mover[2];
  int tree[2];         // -1: the world
  double stop_time[2]; // INFINITY: it moves over the whole step [s]
  double width;        // see pair_width [m]
  int start_is_known;  // 1: has_start and `start` are known
  int has_start;       // 1: geometry finds nearest points at the start of the step
  hfiContactPoint start; // these points
} Pair;

// Upper bound on the speed at which the two come nearer along n from time t on, until one of them stops [m/s].
static double closing_speed(const Pair* p, hfVec3 n, double t) {
  double along = 0, turning = 0;
  for (int k = 0; k < 2; ++k) {
    if (!(t < p->stop_time[k])) continue;
    const hfiMover* m = &p->mover[k];
    along += (k ? 1 : -1) * v3_dot(n, m->v);
    turning += v3_norm(v3_cross(n, m->w)) * m->radius;
  }
  return max2(0, along) + turning;
}

// The first time after t at which one of the two stops; h if none does.
static double next_stop(const Pair* p, double t, double h) {
  double next = h;
  for (int k = 0; k < 2; ++k)
    if (p->stop_time[k] > t) next = min2(next, p->stop_time[k]);
  return next;
}

// The nearest points at the start of the step, which are found only once. Returns 0 if geometry finds none.
static int start_distance(Pair* p, hfiContactPoint* at) {
  const hfiMover *a = &p->mover[0], *b = &p->mover[1];
  if (!p->start_is_known) p->has_start = hfi_distance(a->shape, &a->X0, b->shape, &b->X0, INFINITY, &p->start), p->start_is_known = 1;
  if (p->has_start) *at = p->start;
  return p->has_start;
}

// Finds the overlap at time t to FINE of the width, and its direction n, of two geoms that keep their poses after they have stopped. Returns 0 if geometry
// finds none.
static int find_overlap(Pair* p, double t, double* overlap, hfVec3* n) {
  const hfiMover *a = &p->mover[0], *b = &p->mover[1];
  hfiContactPoint at;
  if (t > 0) {
    hfPose X_A = hfi_mover_pose(a, min2(t, p->stop_time[0])), X_B = hfi_mover_pose(b, min2(t, p->stop_time[1]));
    return hfi_rough_overlap(a->shape, &X_A, b->shape, &X_B, FINE * p->width, overlap, n);
  }
  if (!start_distance(p, &at)) return 0;
  *overlap = at.depth, *n = at.n_W;
  return 1;
}

// The overlap at time t along the unit vector n, of two geoms that keep their poses after they have stopped. The true overlap is no larger [m].
static double overlap_along(const Pair* p, hfVec3 n, double t) {
  const hfiMover *a = &p->mover[0], *b = &p->mover[1];
  hfPose X_A = hfi_mover_pose(a, min2(t, p->stop_time[0])), X_B = hfi_mover_pose(b, min2(t, p->stop_time[1]));
  return hfi_overlap_along(a->shape, &X_A, b->shape, &X_B, n);
}

// Returns the time at which the overlap begins to exceed the level; INFINITY: not within h. It advances along the paths (conservative advancement): the overlap
// is at most the overlap along any direction n, which must still grow by `room` to reach the level. At the closing speed c that takes room/c at least. Each
// advance goes SLACK of the width further, so that few are needed. n is the direction to begin with. When the overlap along n reaches the level, a new
// direction is found, which is expensive.
static double overlap_time(Pair* p, double h, double level, hfVec3 n) {
  double t = 0;
  for (int k = 0; k < MAX_ADVANCES; ++k) {
    double room = level - overlap_along(p, n, t);
    if (!(room > 0)) {
      double overlap;
      if (!find_overlap(p, t, &overlap, &n)) return INFINITY;
      if (!((room = level - overlap) > 0)) return t;
    }
    double c = closing_speed(p, n, t), next = next_stop(p, t, h);
    if (c * (next - t) > room) next = min2(next, t + (room + SLACK * p->width) / c);
    if (next >= h) return INFINITY;
    t = next;
  }
  return t;
}

// Time at which a pair that would overlap too deeply has to stop: when it begins to overlap, or to overlap more than at the start.
// INFINITY: its overlap stays below that. n: the normal of a contact point of the pair at the start.
static double find_stop_time(Pair* p, double h, hfVec3 n) {
  hfiContactPoint at;
  if (overlap_time(p, h, TOO_DEEP * p->width, n) > h || !start_distance(p, &at)) return INFINITY;
  double slack = SLACK * p->width;
  return overlap_time(p, h, max2(at.depth + slack, -slack), at.n_W);
}

// ---- stops ------------------------------------------------------------------------------------------

static Pair make_pair(const hfiPaths* paths, const hfiRawContact* r) {
  const hfiWorld* w = paths->world;
  const int32_t *body = hf_model_geom_body(w->model), *tree = hf_model_body_tree(w->model);
  Pair p = {.tree = {tree[body[r->geom_a]], tree[body[r->geom_b]]},
            .stop_time = {INFINITY, INFINITY},
            .width = pair_width(w->width[r->geom_a], w->width[r->geom_b])};
  hfi_movers_on_paths(paths, r->geom_a, r->geom_b, p.mover);
  return p;
}

// May the two geoms pass each other within the step? They cannot if they come nearer by less than HFI_PASSING_SHARE of their width.
static int pair_could_pass(const Pair* p, double h) {
  const hfiMover *a = &p->mover[0], *b = &p->mover[1];
  double speed = v3_norm(v3_sub(a->v, b->v)) + v3_norm(a->w) * a->radius + v3_norm(b->w) * b->radius;
  return h * speed > HFI_PASSING_SHARE * p->width;
}

// Returns an upper bound on |v| + |w| radius of the mover of geom g [m/s].
//
// The geom's frame, at p, has the velocity v_p. The mover turns about an axis and slides along it: |v| is the part of v_p along w, and |w| times the distance of p
// from the axis is the part across w. The sum of both parts is at most sqrt(2) |v_p|.
//
// n is NULL, or the normal of a plane. What moves along the plane does not come nearer to it, so that the part of v_p along n counts alone. A turn by h |w|
// changes v_p by up to h |w| |v_p|.
static double bound_speed(const hfiPaths* paths, int g, const hfVec3* n) {
  const hfiWorld* w = paths->world;
  const hfDynamics* d = &w->dynamics;
  const hfMotion* V = paths->V;
  int body = hf_model_geom_body(w->model)[g], link = d->body_link[body], tree = hf_model_body_tree(w->model)[body];
  if (tree < 0) return 0;
  double spin = v3_norm(V[link].w), radius = hf_model_geom_rbound(w->model)[g];
  hfVec3 p = d->X_WG[g].p;
  const hfiTurningCentre* about = &paths->about[tree];
  if (about->known) return (n ? fabs(v3_dot(*n, about->v)) : v3_norm(about->v)) + spin * (radius + v3_norm(v3_sub(p, about->p)));
  hfVec3 v = v3_add(V[link].v, v3_cross(V[link].w, v3_sub(p, hfi_link_reference(d, link))));
  return spin * radius + (n ? fabs(v3_dot(*n, v)) + paths->h * spin * v3_norm(v) : sqrt(2) * v3_norm(v));
}

// Is geom g a plane that no dof moves?
static int is_fixed_plane(const hfModel* m, int g) {
  return hf_model_geom_type(m)[g] == HF_GEOM_PLANE && hf_model_body_tree(m)[hf_model_geom_body(m)[g]] < 0;
}

// Are the two geoms surely too slow to pass each other within the step? Upper bounds of their speeds decide. Most pairs are too slow, and their paths
// need not be computed.
static int pair_is_slow(const hfiPaths* paths, const hfiRawContact* r) {
  const hfiWorld* w = paths->world;
  const hfModel* m = w->model;
  int plane = is_fixed_plane(m, r->geom_a) ? r->geom_a : is_fixed_plane(m, r->geom_b) ? r->geom_b : -1;
  hfVec3 n = plane >= 0 ? m3_col(w->dynamics.X_WG[plane].R, 2) : v3_zero();
  const hfVec3* along = plane >= 0 ? &n : NULL;
  double speed = bound_speed(paths, r->geom_a, along) + bound_speed(paths, r->geom_b, along);
  return paths->h * ABOVE_ROUNDING * speed <= HFI_PASSING_SHARE * pair_width(w->width[r->geom_a], w->width[r->geom_b]);
}

// Stops the faster tree of a pair at time t, and the other one too if its own motion in the rest of the step is not small. Returns 1
// where a tree stops earlier than it did.
static int stop_trees_of_pair(const Pair* p, double h, double t, double* stop_time) {
  double left[2]; // how far each tree would still move [m]; 0 for the world and for a tree that has already stopped
  for (int k = 0; k < 2; ++k) left[k] = p->tree[k] >= 0 && p->stop_time[k] > t ? (h - t) * hfi_mover_speed(&p->mover[k]) : 0;
  double least = min2(OWN_MOTION * p->width, max2(left[0], left[1]));
  int earlier = 0;
  for (int k = 0; k < 2; ++k)
    if (left[k] >= least && left[k] > 0 && t < stop_time[p->tree[k]]) stop_time[p->tree[k]] = t, earlier = 1;
  return earlier;
}

// A stop time of h lets a tree move over the whole step, but exactly along the path that was tested. Trees that turn far get it.
static void keep_to_path(const Pair* p, double h, double* stop_time) {
  for (int k = 0; k < 2; ++k)
    if (p->tree[k] >= 0 && h * v3_norm(p->mover[k].w) > LARGE_TURN) stop_time[p->tree[k]] = min2(stop_time[p->tree[k]], h);
}

// A height field has matter below it everywhere, so that nothing comes out on its other side.
static int has_height_field(const Pair* p) {
  return p->mover[0].shape->type == HF_GEOM_HFIELD || p->mover[1].shape->type == HF_GEOM_HFIELD;
}

// Stops the trees of the pair that has the found point r before the two pass each other. Returns 1 if a tree stops earlier than it did.
static int stop_pair(const hfiPaths* paths, const hfiRawContact* r, double* stop_time) {
  double h = paths->h;
  if (pair_is_slow(paths, r)) return 0;
  Pair p = make_pair(paths, r);
  if (has_height_field(&p) || !pair_could_pass(&p, h)) return 0;
  for (int k = 0; k < 2; ++k) p.stop_time[k] = p.tree[k] >= 0 ? stop_time[p.tree[k]] : INFINITY;
  p.start_is_known = p.has_start = hfi_scene_recent(&paths->world->scene, paths->world->dynamics.X_WG, r->candidate, &p.start);
  double t = find_stop_time(&p, h, r->point.n_W);
  keep_to_path(&p, h, stop_time);
  return t < h && stop_trees_of_pair(&p, h, t, stop_time);
}

// Examines every pair with a marked tree once. The points of a pair follow each other. Returns 1 if some tree was stopped.
static int stop_pairs(const hfiPaths* paths, const int32_t* marked, double* stop_time) {
  const hfiWorld* w = paths->world;
  const int32_t *body = hf_model_geom_body(w->model), *tree = hf_model_body_tree(w->model);
  int any = 0;
  for (int i = 0; i < w->nfound; ++i) {
    const hfiRawContact* r = &w->found[i];
    if (i > 0 && w->found[i - 1].candidate == r->candidate) continue;
    int a = tree[body[r->geom_a]], b = tree[body[r->geom_b]];
    if ((a >= 0 && marked[a]) || (b >= 0 && marked[b])) any |= stop_pair(paths, r, stop_time);
  }
  return any;
}

// Gives trees that an equality or a tendon ties together the earliest stop time of all of them.
static void stop_tied(const hfiWorld* w, double* stop_time) {
  const hfiRows* rows = &w->actuation.rows;

  for (int b = 0; b < rows->nblock; ++b) {
    const hfStepBlock* block = hfi_rows_block(rows, b);
    const hfStepPiece* piece = rows->problem->piece + block->piece;
    double least = INFINITY;
    for (int k = 0; k < block->npiece; ++k) least = min2(least, stop_time[piece[k].tree]);
    for (int k = 0; k < block->npiece; ++k) stop_time[piece[k].tree] = least;
  }
}

int hfi_world_all_pairs_are_slow(const hfiPaths* paths) {
  const hfiWorld* w = paths->world;
  for (int i = 0; i < w->nfound; ++i)
    if (!(i > 0 && w->found[i - 1].candidate == w->found[i].candidate) && !pair_is_slow(paths, &w->found[i])) return 0;
  return 1;
}

// A tree that has stopped is an obstacle for the trees behind it, so the pairs are examined again until no further tree stops.
int hfi_world_find_stops(hfiWorld* w, const hfiPaths* paths, const int32_t* marked, int all_are_found, double* stop_time) {
  const hfModel* m = w->model;
  int again = 1;
  for (int t = 0; t < m->ntree; ++t) stop_time[t] = INFINITY;
  if (!all_are_found) hfi_world_search_again(w, marked); // It uses the second reach that hfi_world_mark_passing computed.
  for (int round = 0; again && round < MAX_ROUNDS; ++round) {
    again = stop_pairs(paths, marked, stop_time);
    stop_tied(w, stop_time);
  }
  for (int t = 0; t < m->ntree; ++t)
    if (stop_time[t] <= paths->h) return 1;
  return 0;
}
