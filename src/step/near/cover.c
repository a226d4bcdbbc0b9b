// Contacts with covered faces (docs/theory/rolling.md).
//
//          A ->
//   ______________
//  |              |          A lies on C, whose contact has the normal m, and is pressed into it by a depth d.
//  |              |          B lies beside C, as high as C along m.
//  |______________|____
//   C          |  B         The front of A and the side of B face each other on a strip of the height d, and would
//                            stop A.
//
// B is no wall for A: wherever A moves across m, it overlaps B along m by no more than the bound
//
//   max_B m.x - min_A m.x <= 2 d + 10 um
//
// where d counts twice because A may tilt. So a contact of A and B whose normal n is across m does not act: the contact
// of A and C covers it. Nothing is lost by that: as soon as A and B overlap across m by more than along m, they touch
// along m.
//
// A ramp B that begins at C rises above the bound further away. It is no wall either if A, pushed into B against n,
// gets no deeper in B than the bound: A leaves the ramp another way, which is the normal of their next contact. B and C
// must be of one body, or both be fixed. Any other round body B beside an edge of A is left another way, too, but holds
// A until then; it was covered in every second step, and A turned to and fro for ever.
//
// The code lists points by groups. A group has two sides, one for each of its geoms: side 2 i + k is geom k of group i,
// and the side's geom is A (group_of, is_second).
#include "step/near/inside.h"

#include "base/compile.h"
#include "step/geometry/support.h"

// Two normals count as across each other if the cosine of the angle between them is below this: if the angle is more
// than 8 degrees [-].
static const double ACROSS_NORMAL_COSINE = 0.99;
// If the cosine of the angle between m and the normal of a contact of A and B is above this, the contact also holds A
// and B apart along m [-]. Such a contact is covered only if B and C are one body, because another body B may be
// pressed against A along m, and nothing else would hold it.
static const double HOLDING_NORMAL_COSINE = 0.1;
// The cosine of 3.6 degrees, which is less than half of the angle of ACROSS_NORMAL_COSINE. Two normals that are both
// this near to a third one are not across each other [-].
static const double PARALLEL_NORMAL_COSINE = 0.998;
// The cosine of the angle within which two normals count as one, 4.5 mrad [-].
static const double SAME_NORMAL_COSINE = 1 - 1e-5;
// B may stand above C by the first number [m] plus the second one times the depth of A in C [-].
static const double LEAST_STEP_UP = 1e-5;
static const double STEP_UP_OF_DEPTH = 1;
// A is pushed until it overlaps B by this multiple of the bound [-]. With a larger number fewer slopes would count as
// ramps; with this one slopes up to 30 degrees do.
static const double PUSH_OF_BOUND = 1.25;
// A contact deeper than this share of the smaller bounding radius of A and B is not a support [-].
static const double DEEPEST_SUPPORT_SHARE = 0.01;

// ---- groups and sides -------------------------------------------------------------------------------

// Whether a group is covered.
typedef enum CoverState {
  UNKNOWN,
  ASKED, // is_covered is at work on this group
  COVERED,
  FREE
} CoverState;

static inline const hfiPointGroup* group_of(const hfiNear* near, int side) { return &near->cover.group[side / 2]; }

// The first point of the group of a side.
static inline const hfiRawContact* point_of(const hfiNear* near, int side) {
  return &near->found[group_of(near, side)->first];
}

// Is A, the geom of the side, the second one of the pair?
static inline int is_second(int side) { return side % 2; }

// Are two normals the same up to the angle within which faces lie on each other? The deepest point of a pair has the
// normal of the overlap, and the points beside it have the normal of a face.
static int are_same_normals(hfVec3 a, hfVec3 b) { return v3_dot(a, b) > SAME_NORMAL_COSINE; }

// Are the normals of all acting points so near to the first one that no two are across each other? Then nothing is
// covered. So it is for bodies on one floor.
static int all_are_parallel(const hfiNear* near) {
  const hfiContactPoint* first = NULL;

  for (const hfiRawContact *r = near->found, *end = r + near->nfound; r < end; ++r) {
    if (!r->acts) continue;
    if (!first) first = &r->point;
    if (!(fabs(v3_dot(first->n_W, r->point.n_W)) > PARALLEL_NORMAL_COSINE)) return 0;
  }
  return 1;
}

// Divides the acting points into groups: consecutive points of one pair with the normal of the group's first point and
// the same `acts`, which says by which search of the step they were found. Also empties the lists of sides. Returns the
// number of groups.
static int find_groups(hfiNear* near) {
  hfiCover* cover = &near->cover;
  const hfiRawContact* first = NULL; // of the last group
  int n = 0;

  for (int i = 0; i < near->nfound; ++i) {
    const hfiRawContact* r = &near->found[i];
    if (!r->acts) continue;

    int continues = first && first->candidate == r->candidate && first->acts == r->acts;
    if (continues && are_same_normals(first->point.n_W, r->point.n_W)) {
      hfiPointGroup* group = &cover->group[n - 1];
      group->depth = max2(group->depth, r->point.depth);
      group->last = i;
    } else {
      cover->group[n++] = (hfiPointGroup){.first = i, .last = i, .state = UNKNOWN, .depth = r->point.depth};
      cover->first_side[r->geom_a] = -1;
      cover->first_side[r->geom_b] = -1;
      first = r;
    }
  }
  return n;
}

// Adds a side to the list of its geom.
static void list_side(hfiCover* cover, int side, int geom) {
  cover->next_side[side] = cover->first_side[geom];
  cover->first_side[geom] = side;
}

// ---- a point as geom A sees it ------------------------------------------------------------------------

// A contact point of A and B, seen from A.
typedef struct SeenPoint {
  int A, B;          // B: the other geom of the pair
  hfVec3 on_A, on_B; // the two points that meet
  hfVec3 n;          // normal, into A
} SeenPoint;

// Returns the point r as geom A sees it, the geom of the side.
static SeenPoint view_point(const hfiRawContact* r, int side) {
  const hfiContactPoint* p = &r->point;
  if (is_second(side)) return (SeenPoint){r->geom_b, r->geom_a, p->p_WCb, p->p_WCa, v3_neg(p->n_W)};
  return (SeenPoint){r->geom_a, r->geom_b, p->p_WCa, p->p_WCb, p->n_W};
}

// The point on A, and the point on B, of a found point.
static inline const hfVec3* point_on_A(const hfiRawContact* r, int side) {
  return is_second(side) ? &r->point.p_WCb : &r->point.p_WCa;
}
static inline const hfVec3* point_on_B(const hfiRawContact* r, int side) {
  return is_second(side) ? &r->point.p_WCa : &r->point.p_WCb;
}

// The link of the geom B of a side.
static int link_of_B(const hfiNear* near, int side) {
  const hfiRawContact* r = point_of(near, side);
  return near->dynamics->body_link[hf_model_geom_body(near->model)[is_second(side) ? r->geom_a : r->geom_b]];
}

// Are B, the other geom of the group of `side`, and C, the other geom of the support, of one body? Geoms that are fixed
// to the world all have link 0.
static int are_of_one_body(const hfiNear* near, int support_side, int side) {
  return link_of_B(near, support_side) == link_of_B(near, side);
}

// ---- motions and overlaps -----------------------------------------------------------------------------

// The largest d.x of all points x of geom g, with a unit vector d [m]. A height field is taken as its bounding box.
static double reach_along(const hfiNear* near, int g, hfVec3 d) {
  const hfiShape* shape = &near->scene.shape[g];
  const hfPose* X = &near->dynamics->X_WG[g];
  hfVec3 d_G = m3_tmulv(X->R, d);
  if (shape->type == HF_GEOM_PLANE) return INFINITY;

  // the corner of the bounding box
  if (shape->type == HF_GEOM_HFIELD) {
    const hfPose X_GG = pose_identity();
    hfiAabb box = hfi_shape_aabb(shape, &X_GG);
    double x = d_G.x < 0 ? box.lo.x : box.hi.x;
    double y = d_G.y < 0 ? box.lo.y : box.hi.y;
    double z = d_G.z < 0 ? box.lo.z : box.hi.z;
    return v3_dot(d, X->p) + v3_dot(d_G, v3(x, y, z));
  }

  int32_t hint = 0;
  return v3_dot(d, X->p) + v3_dot(d_G, hfi_support(shape, d_G, &hint)) + hfi_core_radius(shape);
}

// How fast the velocities V of the links bring A towards B, against m, at the point on A [m/s].
static double closing_speed(const hfiNear* near, const hfMotion* V, const SeenPoint* point, hfVec3 m) {
  const int32_t* body = hf_model_geom_body(near->model);
  hfMotion A = hfi_contact_velocity(near->dynamics, V, body[point->A], point->on_A);
  hfMotion B = hfi_contact_velocity(near->dynamics, V, body[point->B], point->on_A);
  return v3_dot(m, v3_sub(B.v, A.v));
}

// How much faster the velocities V bring A towards B than towards the geom that holds it, against m [m/s]. `side` is A
// in the group of the support.
static double tipping_speed(const hfiNear* near, const hfMotion* V, const SeenPoint* point, int side, hfVec3 m) {
  const hfiPointGroup* support = group_of(near, side);
  double held = 0;

  for (int k = support->first; k <= support->last; ++k) {
    SeenPoint holder = view_point(&near->found[k], side);
    if (near->found[k].acts) held = max2(held, closing_speed(near, V, &holder, m));
  }
  return max2(0, closing_speed(near, V, point, m) - held);
}

// The largest depth at which a contact of one of the two geoms still counts as a support [m].
static double deepest_support(const hfiNear* near, const hfiRawContact* r) {
  const double* radius = hf_model_geom_rbound(near->model);
  return DEEPEST_SUPPORT_SHARE * min2(radius[r->geom_a], radius[r->geom_b]);
}

// How deep A is in B after it is pushed towards B by `way` against the normal of their point [m].
static double depth_after_push(const hfiNear* near, const SeenPoint* point, double way) {
  const hfiShape* shape = near->scene.shape;
  hfPose X_WA = near->dynamics->X_WG[point->A];

  X_WA.p = v3_sub(X_WA.p, v3_scale(way, point->n));
  return hfi_overlap_depth(&shape[point->A], &X_WA, &shape[point->B], &near->dynamics->X_WG[point->B]);
}

// ---- which groups cover which -------------------------------------------------------------------------

// A cheap test by the first points of both groups: may the group of support_side cover the group of `side`? Mostly the
// answer is no.
static inline int may_cover(const hfiNear* near, int support_side, int side, double bound) {
  const hfiPointGroup* support = group_of(near, support_side);
  const hfiPointGroup* group = group_of(near, side);
  const hfiRawContact* s = &near->found[support->first];
  const hfiRawContact* r = &near->found[group->first];

  if (s->candidate == r->candidate || group->depth > bound) return 0;
  double cosine = fabs(v3_dot(s->point.n_W, r->point.n_W));
  if (!(cosine < ACROSS_NORMAL_COSINE) || support->depth > deepest_support(near, r)) return 0;
  if (cosine > HOLDING_NORMAL_COSINE && !are_of_one_body(near, support_side, side)) return 0;

  // the overlap is at least the one of these two points
  double along = v3_dot(s->point.n_W, v3_sub(*point_on_B(r, side), *point_on_A(s, support_side)));
  return !((is_second(support_side) ? -along : along) > bound);
}

// The exact test: is the overlap of A with B, the other geom of the group of `side`, along m within the bound? With
// h > 0 the overlap includes what A adds within h seconds by tipping towards B.
HFI_NOINLINE static int overlaps_little(const hfiNear* near, const hfMotion* V, double h, int support_side, int side,
                                      double bound) {
  SeenPoint holder = view_point(point_of(near, support_side), support_side);
  SeenPoint point = view_point(point_of(near, side), side);
  hfVec3 m = holder.n;
  double overlap = reach_along(near, point.B, m) + reach_along(near, point.A, v3_neg(m));

  // a ramp
  if (overlap > bound && are_of_one_body(near, support_side, side)) {
    double way = PUSH_OF_BOUND * bound - group_of(near, side)->depth;
    overlap = depth_after_push(near, &point, way);
  }
  if (!(overlap <= bound)) return 0;
  return !(h > 0) || overlap + h * tipping_speed(near, V, &point, support_side, m) <= bound;
}

// Does the group of support_side hold A so that B, the other geom of the group of `side`, is no wall for A? Both sides
// are A.
static inline int covers(const hfiNear* near, const hfMotion* V, double h, int support_side, int side) {
  double depth = group_of(near, support_side)->depth;
  double bound = depth + LEAST_STEP_UP + STEP_UP_OF_DEPTH * max2(0, depth);
  return may_cover(near, support_side, side, bound) && overlaps_little(near, V, h, support_side, side, bound);
}

// Like `covers`, but if two groups cover each other, only the deeper one counts as covering, and the first one if both
// are equally deep.
static int covers_alone(const hfiNear* near, const hfMotion* V, double h, int support_side, int side) {
  int support = support_side / 2;
  int group = side / 2;
  double deeper = near->cover.group[support].depth - near->cover.group[group].depth;
  int wins = deeper > 0 || (deeper == 0 && support < group);

  return covers(near, V, h, support_side, side) && (wins || !covers(near, V, h, side, support_side));
}

// Finds out whether group i is covered, and keeps the answer in its state. Returns 1 if it is covered or ASKED, else 0.
//
// A group that is covered itself covers nothing. A group that is ASKED, because its answer is still being looked for,
// covers nothing either: three groups that cover each other in a ring would never get an answer.
static int find_covered(hfiNear* near, const hfMotion* V, double h, int i) {
  const hfiCover* cover = &near->cover;
  hfiPointGroup* group = &cover->group[i];
  const hfiRawContact* r = &near->found[group->first];

  if (group->state != UNKNOWN) return group->state != FREE;

  // a contact deeper than all that may cover it is not an effect of tilt: it acts
  if (group->depth > deepest_support(near, r)) {
    group->state = FREE;
    return 0;
  }

  // another group that has one of the two geoms may cover it
  group->state = ASKED;
  for (int side = 2 * i; side < 2 * i + 2; ++side) {
    int geom = is_second(side) ? r->geom_b : r->geom_a;
    for (int support = cover->first_side[geom]; support >= 0; support = cover->next_side[support]) {
      if (!covers_alone(near, V, h, support, side) || find_covered(near, V, h, support / 2)) continue;
      group->state = COVERED;
      return 1;
    }
  }
  group->state = FREE;
  return 0;
}

// Drops points that meet a covered face: they no longer act. Writes near->found and uses near->cover as scratch.
//   V     velocities of the links
//   h     time in which a body may tip towards another [s]; 0: tipping does not count
//   acts  HFI_ACTS or HFI_ACTS_NEWLY: only points that act in this way are dropped, but all others cover
void hfi_near_drop_covered(hfiNear* near, const hfMotion* V, double h, int acts) {
  hfiCover* cover = &near->cover;
  if (all_are_parallel(near)) return;

  // the groups, and the sides of each geom
  int n = find_groups(near);
  for (int i = 0; i < n; ++i) {
    const hfiRawContact* r = &near->found[cover->group[i].first];
    list_side(cover, 2 * i, r->geom_a);
    list_side(cover, 2 * i + 1, r->geom_b);
  }

  // points of covered groups
  for (int i = 0; i < n; ++i) {
    const hfiPointGroup* group = &cover->group[i];
    if (near->found[group->first].acts != acts || !find_covered(near, V, h, i)) continue;
    for (int k = group->first; k <= group->last; ++k) {
      if (!near->found[k].acts) continue;
      near->found[k].acts = 0;
      near->found[k].depth = -INFINITY; // It never acts.
    }
  }
}
