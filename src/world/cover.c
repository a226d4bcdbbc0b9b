// Contacts with covered faces (docs/theory/motion.md).
//
//          A ->
//   ______________
//  |              |          A lies on C, whose contact has the normal m, and is pressed into it by a depth d.
//  |              |          B lies beside C, as high as C along m.
//  |______________|____
//   C          |  B         The front of A and the side of B face each other on a strip of the height d, and would stop A.
//
// Nothing of B is there for A to meet: along m the two overlap by no more than A and C do, wherever A moves across m,
//
//   max_B m.x - min_A m.x <= d + slack
//
// so that a contact of A and B whose normal n is across m does not act. Nothing is lost by that: as soon as the overlap across m is the
// larger one, A and B touch along m.
//
// Where B rises further away, as a ramp does, that is not so, but there is nothing to meet either if A, pushed further into B against n, is no deeper in B
// than the bound: it leaves B another way, which is the normal of their next contact.
#include "world/world.h"

#include "geometry/support.h"

// Normals are across each other where the cosine between them is below this [-].
static const double ACROSS = 0.99;
// B may stand above C by this [m], and by this share of the depth of A in C [-], because A may tilt.
static const double SLACK = 1e-5, TILT = 1;
// A is pushed into B by this multiple of what B may stand above C: more than one, and so little more that slopes up to 30 degrees and more count [-].
static const double PUSH = 1.25;

// A body that is pressed in deeper than this share of the smaller bounding radius of A and B does not lie on anything [-].
static const double DEEP = 0.01;

enum { UNKNOWN, ASKED, COVERED, FREE };

static int is_same(hfVec3 a, hfVec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

// Puts side k of group i in front of the list of its geom.
static void list_side(hfiWorld* w, int i, int k, int geom) {
  w->next_side[2 * i + k] = w->first_side[geom];
  w->first_side[geom] = 2 * i + k;
}

// Finds the groups of points that act, of one pair, with one normal and by one look each. Returns how many there are.
static int find_groups(hfiWorld* w) {
  int n = 0;
  const hfiRawContact* before = NULL;
  for (int i = 0; i < w->nfound; ++i) {
    const hfiRawContact* r = &w->found[i];
    if (!r->acts) continue;
    if (before && before->candidate == r->candidate && before->acts == r->acts && is_same(before->point.n_W, r->point.n_W)) {
      w->group[n - 1].depth = max2(w->group[n - 1].depth, r->point.depth);
    } else {
      w->group[n++] = (hfiPointGroup){i, i, UNKNOWN, r->point.depth};
      w->first_side[r->geom_a] = w->first_side[r->geom_b] = -1;
    }
    w->group[n - 1].last = i, before = r;
  }
  return n;
}

// Lists the sides of n groups by their geoms.
static void list_sides(hfiWorld* w, int n) {
  for (int i = 0; i < n; ++i) {
    const hfiRawContact* r = &w->found[w->group[i].first];
    list_side(w, i, 0, r->geom_a), list_side(w, i, 1, r->geom_b);
  }
}

// How far geom g reaches along the unit vector d [m]. Of a height field its box counts.
static double reach_along(const hfiWorld* w, int g, hfVec3 d) {
  const hfiShape* shape = &w->scene.shape[g];
  const hfPose own = pose_identity(), *X = &w->dynamics.X_WG[g];
  hfVec3 d_G = m3_tmulv(X->R, d);
  if (shape->type == HF_GEOM_PLANE) return INFINITY;
  if (shape->type == HF_GEOM_HFIELD) {
    hfiAabb box = hfi_shape_aabb(shape, &own);
    hfVec3 far = v3(d_G.x < 0 ? box.lo.x : box.hi.x, d_G.y < 0 ? box.lo.y : box.hi.y, d_G.z < 0 ? box.lo.z : box.hi.z);
    return v3_dot(d, X->p) + v3_dot(d_G, far);
  }
  int32_t hint = 0;
  return v3_dot(d, X->p) + v3_dot(d_G, hfi_support(shape, d_G, &hint)) + hfi_core_radius(shape);
}

// A found point as geom A sees it, which is the first or the second geom of the pair: the other geom B, the points on both, the normal into A.
typedef struct SeenPoint { int A, B; hfVec3 on_A, on_B, n; } SeenPoint;

static SeenPoint view_point(const hfiRawContact* r, int second) {
  const hfiContactPoint* p = &r->point;
  if (second) return (SeenPoint){r->geom_b, r->geom_a, p->p_WCb, p->p_WCa, v3_neg(p->n_W)};
  return (SeenPoint){r->geom_a, r->geom_b, p->p_WCa, p->p_WCb, p->n_W};
}

// How fast velocities V of the links bring A towards B against m [m/s].
static double closing_speed(const hfiWorld* w, const hfMotion* V, const SeenPoint* at, hfVec3 m) {
  const int32_t* body = hf_model_geom_body(w->model);
  hfMotion A = hfi_contact_velocity(&w->dynamics, V, body[at->A], at->on_A), B = hfi_contact_velocity(&w->dynamics, V, body[at->B], at->on_A);
  return v3_dot(m, v3_sub(B.v, A.v));
}

// How much nearer velocities V bring A to B in a unit of time than to what holds A, the geoms of a group of which A is the first or the second [m/s].
static double tipping_speed(const hfiWorld* w, const hfMotion* V, const SeenPoint* at, const hfiPointGroup* support, int second, hfVec3 m) {
  double held = 0;
  for (int k = support->first; k <= support->last; ++k) {
    SeenPoint holder = view_point(&w->found[k], second);
    if (w->found[k].acts) held = max2(held, closing_speed(w, V, &holder, m));
  }
  return max2(0, closing_speed(w, V, at, m) - held);
}

// How deep what holds one geom of a point may be pressed in [m].
static double deepest_support(const hfiWorld* w, const hfiRawContact* r) {
  const double* radius = hf_model_geom_rbound(w->model);
  return DEEP * min2(radius[r->geom_a], radius[r->geom_b]);
}

// How deep A is in B if it is pushed towards B by `way` against the normal of their point [m].
static double depth_after(const hfiWorld* w, const SeenPoint* at, double way) {
  hfiContactPoint point[HFI_MAX_POINTS];
  hfPose X_WA = w->dynamics.X_WG[at->A];
  X_WA.p = v3_sub(X_WA.p, v3_scale(way, at->n));
  int n = hfi_collide(&w->scene.shape[at->A], &X_WA, &w->scene.shape[at->B], &w->dynamics.X_WG[at->B], 0, point);
  double depth = 0;
  for (int k = 0; k < n; ++k) depth = max2(depth, point[k].depth);
  return depth;
}

// Whether group k, of which A is the first or the second geom, holds A so that nothing of the other geom of group i is there for A to meet. A is
// the first or the second geom of that.
static int covers(const hfiWorld* w, const hfMotion* V, double h, int k, int second_of_k, int i, int second_of_i) {
  const hfiPointGroup *support = &w->group[k], *group = &w->group[i];
  const hfiRawContact *s = &w->found[support->first], *r = &w->found[group->first];
  double most = support->depth + SLACK + TILT * max2(0, support->depth);
  if (s->candidate == r->candidate || group->depth > most) return 0;
  if (!(fabs(v3_dot(s->point.n_W, r->point.n_W)) < ACROSS)) return 0;
  if (support->depth > deepest_support(w, r)) return 0;
  SeenPoint holder = view_point(s, second_of_k), at = view_point(r, second_of_i);
  hfVec3 m = holder.n;
  if (v3_dot(m, v3_sub(at.on_B, holder.on_A)) > most) return 0; // no overlap is smaller than that of two points
  double overlap = reach_along(w, at.B, m) + reach_along(w, at.A, v3_neg(m));
  if (overlap > most) overlap = depth_after(w, &at, PUSH * most - group->depth);
  return overlap <= most && (!(h > 0) || overlap + h * tipping_speed(w, V, &at, support, second_of_k, m) <= most);
}

// The same where the two do not cover each other, or group k is the deeper one.
static int covers_alone(const hfiWorld* w, const hfMotion* V, double h, int k, int second_of_k, int i, int second_of_i) {
  double order = w->group[k].depth - w->group[i].depth;
  return covers(w, V, h, k, second_of_k, i, second_of_i) && (order > 0 || (order == 0 && k < i) || !covers(w, V, h, i, second_of_i, k, second_of_k));
}

// A covered contact holds nothing itself, and neither does one about which the question is still open: three could cover each other in a ring.
static int is_covered(hfiWorld* w, const hfMotion* V, double h, int i) {
  hfiPointGroup* group = &w->group[i];
  const hfiRawContact* r = &w->found[group->first];
  if (group->state != UNKNOWN) return group->state != FREE;
  group->state = group->depth > deepest_support(w, r) ? FREE : ASKED; // What is pressed in deeper meets something.
  if (group->state == FREE) return 0;
  for (int second = 0; second < 2; ++second)
    for (int side = w->first_side[second ? r->geom_b : r->geom_a]; side >= 0; side = w->next_side[side])
      if (covers_alone(w, V, h, side / 2, side % 2, i, second) && !is_covered(w, V, h, side / 2)) {
        group->state = COVERED;
        return 1;
      }
  group->state = FREE;
  return 0;
}

void hfi_world_uncover(hfiWorld* w, const hfMotion* V, double h, int acts) {
  int n = find_groups(w);
  if (n < 2) return;
  list_sides(w, n);
  for (int i = 0; i < n; ++i) {
    const hfiPointGroup* group = &w->group[i];
    if (w->found[group->first].acts != acts || !is_covered(w, V, h, i)) continue;
    for (int k = group->first; k <= group->last; ++k)
      if (w->found[k].acts) w->found[k].acts = 0, w->found[k].depth = -INFINITY; // It never acts.
  }
}
