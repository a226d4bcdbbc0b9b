// Keeps bodies from passing through each other: finds up to which time of a step each tree may move along its path
// (docs/theory/impacts.md).
//
// The step is solved, so the path of every geom over it is known. To come out on the other side of a body, another one
// has to overlap it by half of the sum of their least widths at some time. The overlap of a pair that passes grows like
// this:
//
//   overlap
//     ^                 /
//     | deep - - - - - /      deep    STOPPING_SHARE times the width of the pair: a pair that gets there has to stop
//     |               /
//     | start -------x        start   the overlap at the start of the step, or none where the two are apart
//     +--------------|--> t
//                 stop time
//
//   1. Which trees move far enough to pass?           moves_as_one, mark_passing, could_pass_each_other
//   2. When does the overlap of a pair exceed a level?  find_overlap_time, by conservative advancement (hfiMover)
//   3. Which trees stop, and when?                    stop_pairs, find_stop_times
//
// In an ordinary step the answer to the first question is none.

#include "step/near/inside.h"

enum { MOST_PATH_ADVANCES = 200 }; // of a pair on its way to one overlap
enum { MOST_STOP_ROUNDS = 8 };     // searches for trees that stop behind others
// Two geoms that come nearer by less than this share of their width within the step cannot pass each other [-].
static const double PASSING_SHARE = 0.4;
// A pair that would overlap by more than this share of its width has to stop [-].
static const double STOPPING_SHARE = 0.5;
// A time at which an overlap exceeds a level is found to this share of the width of the pair [-].
static const double SLACK_SHARE = 0.05;
// An overlap within the step is found to this share of the width of the pair [-].
static const double OVERLAP_ACCURACY_SHARE = 0.01;
// When a pair has to stop, a tree of the pair stops if its own motion in the rest of the step is more than this share
// of the width [-].
static const double OWN_MOTION_SHARE = 0.1;
// A body that turns by more than this in a step ends the step along the path that was tested here, not by free spin
// [rad].
static const double LARGE_TURN = 0.5;
// An upper bound on a speed is multiplied by this, so that rounding cannot make it too small [-].
static const double ABOVE_ROUNDING = 1.0001;

// Could a motion of this length [m] bring some geom of the world through another one?
static inline int any_could_pass(const hfiNear* near, double motion) {
  return motion > PASSING_SHARE * near->size.least_width;
}

// ---- one pair ---------------------------------------------------------------------------------------

// Two geoms, how they move, and when the trees that they belong to stop.
typedef struct Pair {
  hfiMover mover[2];
  int tree[2];           // -1: the world
  double stop_time[2];   // INFINITY: it moves over the whole step [s]
  double width;          // see hfi_pair_width [m]
  int start_is_known;    // 1: has_start and `start` are known
  int has_start;         // 1: geometry finds nearest points at the start of the step
  hfiContactPoint start; // these points
} Pair;

// Makes the pair that has the found point r.
static Pair make_pair(const hfiPaths* paths, const hfiRawContact* r) {
  const hfiNear* near = paths->near;
  Pair p = {.tree = {hfi_tree_of_geom(near->model, r->geom_a), hfi_tree_of_geom(near->model, r->geom_b)},
            .stop_time = {INFINITY, INFINITY},
            .width = hfi_pair_width(near->size.width[r->geom_a], near->size.width[r->geom_b])};

  hfi_movers_on_paths(paths, r->geom_a, r->geom_b, p.mover);
  return p;
}

// Upper bound on the speed at which the two come nearer along n from time t on, until one of them stops [m/s]. n points
// from the second geom (B) into the first (A), as all normals here. Geoms that have stopped add nothing.
static double closing_speed(const Pair* p, hfVec3 n, double t) {
  double along = 0;
  double turning = 0;

  for (int k = 0; k < 2; ++k) {
    if (!(t < p->stop_time[k])) continue;
    const hfiMover* m = &p->mover[k];
    along += (k ? 1 : -1) * v3_dot(n, m->v);
    turning += v3_norm(v3_cross(n, m->w)) * m->radius;
  }
  return max2(0, along) + turning;
}

// The first time after t at which one of the two stops; h if none does [s].
static double next_stop(const Pair* p, double t, double h) {
  double next = h;
  for (int k = 0; k < 2; ++k)
    if (p->stop_time[k] > t) next = min2(next, p->stop_time[k]);
  return next;
}

// The pose at time t of geom k of the pair, which keeps its pose after it has stopped.
static hfPose pose_of(const Pair* p, int k, double t) { return hfi_mover_pose(&p->mover[k], min2(t, p->stop_time[k])); }

// Writes the nearest points at the start of the step, which are found only once. Returns 0 if geometry finds none.
static int find_start(Pair* p, hfiContactPoint* start) {
  const hfiMover* a = &p->mover[0];
  const hfiMover* b = &p->mover[1];

  if (!p->start_is_known) {
    p->has_start = hfi_distance(a->shape, &a->X0, b->shape, &b->X0, INFINITY, &p->start);
    p->start_is_known = 1;
  }
  if (p->has_start) *start = p->start;
  return p->has_start;
}

// Finds the overlap at time t to OVERLAP_ACCURACY_SHARE of the width [m], and its direction n. Returns 0 if geometry
// finds none.
static int find_overlap(Pair* p, double t, double* overlap, hfVec3* n) {
  if (t > 0) {
    hfPose X_A = pose_of(p, 0, t);
    hfPose X_B = pose_of(p, 1, t);
    double accuracy = OVERLAP_ACCURACY_SHARE * p->width;
    return hfi_rough_overlap(p->mover[0].shape, &X_A, p->mover[1].shape, &X_B, accuracy, overlap, n);
  }

  hfiContactPoint start;
  if (!find_start(p, &start)) return 0;
  *overlap = start.depth;
  *n = start.n_W;
  return 1;
}

// The overlap at time t along the unit vector n [m]. The true overlap is no larger.
static double overlap_along(const Pair* p, hfVec3 n, double t) {
  hfPose X_A = pose_of(p, 0, t);
  hfPose X_B = pose_of(p, 1, t);
  return hfi_overlap_along(p->mover[0].shape, &X_A, p->mover[1].shape, &X_B, n);
}

// Returns the time at which the overlap begins to exceed the level; INFINITY: not within h. It advances along the paths
// (conservative advancement): the overlap is at most the overlap along any direction n, which must still grow by `room`
// to reach the level. At the closing speed c that takes room/c at least. Each advance goes SLACK_SHARE of the width
// further, so that few are needed. n is the direction to begin with. When the overlap along n reaches the level, a new
// direction is found, which is expensive.
static double find_overlap_time(Pair* p, double h, double level, hfVec3 n) {
  double t = 0;

  for (int k = 0; k < MOST_PATH_ADVANCES; ++k) {
    double room = level - overlap_along(p, n, t);
    if (!(room > 0)) {
      double overlap;
      if (!find_overlap(p, t, &overlap, &n)) return INFINITY;
      room = level - overlap;
      if (!(room > 0)) return t;
    }

    double c = closing_speed(p, n, t);
    double next = next_stop(p, t, h);
    if (c * (next - t) > room) next = min2(next, t + (room + SLACK_SHARE * p->width) / c);
    if (next >= h) return INFINITY;
    t = next;
  }
  return t;
}

// The time at which a pair that would overlap too deeply has to stop: when it begins to overlap, or to overlap more
// than at the start [s]. INFINITY: its overlap stays below STOPPING_SHARE of its width. n: the normal of a contact
// point of the pair at the start.
static double find_stop_time(Pair* p, double h, hfVec3 n) {
  hfiContactPoint start;
  double slack = SLACK_SHARE * p->width;

  // INFINITY is above h: it does not overlap too deeply
  if (find_overlap_time(p, h, STOPPING_SHARE * p->width, n) > h || !find_start(p, &start)) return INFINITY;
  return find_overlap_time(p, h, max2(start.depth + slack, -slack), start.n_W);
}

// May the two geoms pass each other within the step? They cannot if they come nearer by less than PASSING_SHARE of
// their width.
static int could_pass_each_other(const Pair* p, double h) {
  const hfiMover* a = &p->mover[0];
  const hfiMover* b = &p->mover[1];
  double speed = v3_norm(v3_sub(a->v, b->v)) + v3_norm(a->w) * a->radius + v3_norm(b->w) * b->radius;
  return h * speed > PASSING_SHARE * p->width;
}

// A height field has matter below it everywhere, so that nothing comes out on its other side.
static int has_height_field(const Pair* p) {
  return p->mover[0].shape->type == HF_GEOM_HFIELD || p->mover[1].shape->type == HF_GEOM_HFIELD;
}

// ---- pairs that are surely slow -----------------------------------------------------------------------

// Returns an upper bound on |v| + |w| radius of the mover of geom g [m/s].
//
// The geom's frame, at p, has the velocity v_p. The mover turns about an axis and slides along it: |v| is the part of
// v_p along w, and |w| times the distance of p from the axis is the part across w. The sum of both parts is at most
// sqrt(2) |v_p|.
//
// n is NULL, or the normal of a plane. What moves along the plane does not come nearer to it, so that the part of v_p
// along n counts alone. A turn by h |w| changes v_p by up to h |w| |v_p|.
static double bound_speed(const hfiPaths* paths, int g, const hfVec3* n) {
  const hfiNear* near = paths->near;
  const hfDynamics* d = near->dynamics;
  int body = hf_model_geom_body(near->model)[g];
  int link = d->body_link[body];
  int tree = hf_model_body_tree(near->model)[body];

  if (tree < 0) return 0;
  double spin = v3_norm(paths->V[link].w);
  double radius = hf_model_geom_rbound(near->model)[g];
  hfVec3 p = d->X_WG[g].p;

  const hfiTurningCentre* about = &near->passage.about[tree];
  if (about->known) {
    double speed = n ? fabs(v3_dot(*n, about->v)) : v3_norm(about->v);
    return speed + spin * (radius + v3_norm(v3_sub(p, about->p)));
  }

  hfVec3 v = hfi_frame_velocity(d, paths->V, link, p);
  double speed = n ? fabs(v3_dot(*n, v)) + paths->h * spin * v3_norm(v) : sqrt(2) * v3_norm(v);
  return spin * radius + speed;
}

// Is geom g a plane that no dof moves?
static int is_fixed_plane(const hfModel* m, int g) {
  return hf_model_geom_type(m)[g] == HF_GEOM_PLANE && hfi_tree_of_geom(m, g) < 0;
}

// Are the two geoms surely too slow to pass each other within the step? Upper bounds of their speeds decide. Most pairs
// are too slow, and their paths need not be computed.
static int is_slow_pair(const hfiPaths* paths, const hfiRawContact* r) {
  const hfiNear* near = paths->near;
  int plane = -1;
  hfVec3 normal = v3_zero();

  if (is_fixed_plane(near->model, r->geom_a)) plane = r->geom_a;
  else if (is_fixed_plane(near->model, r->geom_b)) plane = r->geom_b;
  if (plane >= 0) normal = m3_col(near->dynamics->X_WG[plane].R, 2);

  const hfVec3* n = plane >= 0 ? &normal : NULL;
  double speed = bound_speed(paths, r->geom_a, n) + bound_speed(paths, r->geom_b, n);
  double width = hfi_pair_width(near->size.width[r->geom_a], near->size.width[r->geom_b]);
  return paths->h * ABOVE_ROUNDING * speed <= PASSING_SHARE * width;
}

// Does point i of those found belong to the pair of the point before it?
static inline int is_of_pair_before(const hfiNear* near, int i) {
  return i > 0 && near->found[i - 1].candidate == near->found[i].candidate;
}

// Are all pairs of geoms that were found near each other too slow to pass each other?
static int are_all_pairs_slow(const hfiPaths* paths) {
  const hfiNear* near = paths->near;
  for (int i = 0; i < near->nfound; ++i)
    if (!is_of_pair_before(near, i) && !is_slow_pair(paths, &near->found[i])) return 0;
  return 1;
}

// ---- stops ------------------------------------------------------------------------------------------

// Stops the faster tree of a pair at time t, and the other one too if its own motion in the rest of the step is not
// small. stop_time (ntree): of all trees. Returns 1 where a tree stops earlier than it did.
static int stop_trees_of_pair(const Pair* p, double h, double t, double* stop_time) {
  // how far each tree would still move; 0 for the world and for a tree that has stopped [m]
  double rest[2] = {0, 0};
  for (int k = 0; k < 2; ++k)
    if (p->tree[k] >= 0 && p->stop_time[k] > t) rest[k] = (h - t) * hfi_mover_speed(&p->mover[k]);

  double least = min2(OWN_MOTION_SHARE * p->width, max2(rest[0], rest[1]));
  int any_stops_earlier = 0;
  for (int k = 0; k < 2; ++k) {
    int moves = rest[k] >= least && rest[k] > 0;
    if (!moves || !(t < stop_time[p->tree[k]])) continue;
    stop_time[p->tree[k]] = t;
    any_stops_earlier = 1;
  }
  return any_stops_earlier;
}

// Stops the trees of the pair that has the found point r before the two pass each other. Returns 1 if a tree stops
// earlier than it did.
static int stop_pair(const hfiPaths* paths, const hfiRawContact* r, double* stop_time) {
  const hfiNear* near = paths->near;
  double h = paths->h;
  if (is_slow_pair(paths, r)) return 0;

  Pair p = make_pair(paths, r);
  if (has_height_field(&p) || !could_pass_each_other(&p, h)) return 0;

  for (int k = 0; k < 2; ++k)
    if (p.tree[k] >= 0) p.stop_time[k] = stop_time[p.tree[k]];

  // the contact at the start of the step, if geometry remembers it; otherwise it is computed when it is needed
  p.has_start = hfi_scene_recent(&near->scene, near->dynamics->X_WG, r->candidate, &p.start);
  p.start_is_known = p.has_start;
  double t = find_stop_time(&p, h, r->point.n_W);

  // a stop time of h lets a tree move over the whole step, but exactly along the path that was tested; trees that turn
  // far get it
  for (int k = 0; k < 2; ++k) {
    int turns_far = p.tree[k] >= 0 && h * v3_norm(p.mover[k].w) > LARGE_TURN;
    if (turns_far) stop_time[p.tree[k]] = min2(stop_time[p.tree[k]], h);
  }

  return t < h && stop_trees_of_pair(&p, h, t, stop_time);
}

// Examines every pair with a marked tree once. The points of a pair follow each other. Returns 1 if some tree was
// stopped.
static int stop_pairs(const hfiPaths* paths, const int32_t* marked, double* stop_time) {
  const hfiNear* near = paths->near;
  int any = 0;

  for (int i = 0; i < near->nfound; ++i) {
    const hfiRawContact* r = &near->found[i];
    if (is_of_pair_before(near, i) || !hfi_point_is_marked(near->model, r, marked)) continue;
    any |= stop_pair(paths, r, stop_time);
  }
  return any;
}

// Gives trees that an equality or a tendon ties together the earliest stop time of all of them.
static void stop_tied(const hfiRows* rows, double* stop_time) {
  for (int b = 0; b < rows->nblock; ++b) {
    const hfStepBlock* block = hfi_rows_block(rows, b);
    const hfStepPiece* piece = rows->problem->piece + block->piece;
    double least = INFINITY;

    for (int k = 0; k < block->npiece; ++k) least = min2(least, stop_time[piece[k].tree]);
    for (int k = 0; k < block->npiece; ++k) stop_time[piece[k].tree] = least;
  }
}

// Computes passage.stop_time of all trees. A tree that has stopped is an obstacle for the trees behind it, so the pairs
// are examined again until no further tree stops. Returns 1 if some time is finite.
static int find_stop_times(hfiNear* near, const hfiPaths* paths) {
  double* stop_time = near->passage.stop_time;
  int any_stopped = 1;

  for (int t = 0; t < near->model->ntree; ++t) stop_time[t] = INFINITY;
  for (int round = 0; any_stopped && round < MOST_STOP_ROUNDS; ++round) {
    any_stopped = stop_pairs(paths, near->passage.could_pass, stop_time);
    stop_tied(near->rows, stop_time);
  }

  for (int t = 0; t < near->model->ntree; ++t)
    if (stop_time[t] <= paths->h) return 1;
  return 0;
}

// ---- which trees could pass ---------------------------------------------------------------------------

// Upper bound on how much v1 (nv) changes the speed of any point [m/s].
static double change_of_speed(const hfiNear* near, const double* v1) {
  const double* v0 = near->dynamics->v;
  const double* lever = near->size.lever;
  double sum = 0;
  for (int i = 0; i < near->model->nv; ++i) sum += fabs(v1[i] - v0[i]) * lever[i];
  return sum;
}

// Do all solid bodies move together at the velocities of the start, like a gripper and what it shakes? They do if no
// two of them come so far towards each other within h that they could pass through each other. excess: a further motion
// of any point [m].
//
// V_k - V_first, at the origin of body k and with a turn about it, is how body k moves as seen from the first solid
// body. With relative velocity a and turn b over the extent of the body no point of it moves faster than a + b <= 1.5
// sqrt(a^2 + b^2).
static int moves_as_one(const hfiNear* near, double h, double excess) {
  const hfDynamics* d = near->dynamics;
  const hfMotion* V = d->V;
  const hfiSizes* size = &near->size;
  int first = d->body_link[size->solid[0]];

  for (int k = 1; k < size->nsolid; ++k) {
    int b = size->solid[k];
    int link = d->body_link[b];
    hfVec3 p = d->X_WB[b].p;
    hfVec3 turn = v3_sub(V[link].w, V[first].w);
    hfVec3 move = v3_sub(hfi_frame_velocity(d, V, link, p), hfi_frame_velocity(d, V, first, p));
    double square = v3_norm2(move) + v3_norm2(turn) * sqr(size->body_extent[b]);

    // twice, because two bodies may move towards each other
    if (any_could_pass(near, 2 * (1.5 * h * sqrt(square) + excess))) return 0;
  }
  return 1;
}

// Marks in passage.could_pass the trees that could pass something: those with a geom that the velocities V of the links
// move far enough within h. Computes the second reach. Returns 1 if there are such trees.
static int mark_passing(hfiNear* near, const hfMotion* V, double h) {
  const hfModel* m = near->model;
  int32_t* marked = near->passage.could_pass;
  int any = 0;

  hfi_near_second_reach(near, V, h);
  for (int t = 0; t < m->ntree; ++t) marked[t] = 0;
  for (int g = 0; g < m->ngeom; ++g) {
    if (!any_could_pass(near, near->reach.second[g])) continue;
    marked[hfi_tree_of_geom(m, g)] = 1; // A geom of the world has reach 0 and no tree.
    any = 1;
  }
  return any;
}

// Finds for how long each tree may move at the velocities v1 so that no two bodies pass through each other within h.
// Returns the stop times (ntree) [s], or NULL if all trees move over the whole step. Writes near->passage. flight,
// gyroscopic: for the paths of free bodies (hfi_near_turning_centres).
const double* hfi_near_find_stops(hfiNear* near, const hfiFlight* flight, int gyroscopic, const double* v1, double h) {
  hfDynamics* d = near->dynamics;
  const hfiFarthest* farthest = &near->reach.farthest;
  double excess = near->foresight.excess; // how much further than foreseen the solution moves a point [m]
  int all_are_found = !(excess > HFI_FURTHER); // No geom moves much beyond its reach.

  // in an ordinary step nothing moves so far that it could pass through another body
  if (!any_could_pass(near, farthest->base + farthest->turn * near->size.largest_extent + excess)) return NULL;
  if (!near->nfound && all_are_found) return NULL;
  if (moves_as_one(near, h, h * change_of_speed(near, v1))) return NULL;

  // velocities of the links at rates v1, which are written to d->B
  hfi_accelerate(d, v1);
  hfi_near_turning_centres(near, flight, gyroscopic, v1);
  const hfiPaths paths = {.near = near, .V = d->B, .h = h};

  // if there are few pairs, it is faster to test the pairs than all geoms
  int has_few_pairs = near->nfound <= near->scene.nactive;
  if (all_are_found && has_few_pairs && are_all_pairs_slow(&paths)) return NULL;
  if (!mark_passing(near, d->B, h)) return NULL;
  if (!all_are_found) hfi_near_search_again(near, d->B, h, near->passage.could_pass);
  return find_stop_times(near, &paths) ? near->passage.stop_time : NULL;
}
