// Contact manifold from a contact normal n. The facets of the two shapes at n decide which points it has:
//
//   two round sides along each other      the ends of their overlap
//   a round side along a straight edge    the ends of their overlap, unless the side lies on a face: n is within
//                                         HFI_FACET_ANGLE of its normal
//   a face, and any facet                 the facet, clipped against the face. The face is one whose normal is within
//                                         HFI_FACET_ANGLE of n, or within SIDE_OVER_FACE if the facet is a round side;
//                                         of two such faces A's, unless B's is nearer to n by more than PREFER_A
//   two straight edges across n           the ends of their overlap
//   a facet on the outline of a face      the facet, clipped against the face, if n is within OUTLINE of its normal;
//                                         the farther, the shallower
//   anything else                         one point, feature 0
//
// Where parallel edges meet, n is not the normal of a face but that of rounded edges (rounded.c).
#include "step/geometry/touch.h"

#include "step/geometry/clip.h"
#include "step/geometry/manifold.h"
#include "step/geometry/pairs.h"
#include "step/geometry/rounded.h"
#include "step/geometry/rod_axis.h"

// B's face is the reference if its normal is nearer to n than that of A's face by more than this [rad].
static const double PREFER_A = 1e-5;
// Two round sides are along each other if the sines of the angle between them, and of the angles between each of them
// and the plane across n, are at most the first number [-]. For a side and an edge they are at most the second number
// [-].
static const double SIDE_ALONG_SIDE = 0.5;
static const double SIDE_ALONG_EDGE = 0.1;
// A round side that bears on the outline of a face has points at both ends of the part over the face if the sine of the
// angle between n and the normal of the face is at most this [-].
static const double SIDE_OVER_FACE = 0.1;
// A face or edge that bears on the outline of another face has only one point if the sine of the angle between n and
// the normal of that face exceeds this [-].
static const double OUTLINE = 0.03;
// The ends of the overlap of a side and a face are near each other if they are apart by less than this share of the
// smaller size [-].
static const double SHORT = 0.1;

// Two shapes that touch, and their facets on the touching sides.
typedef struct Meeting {
  const hfiShape *A, *B;
  const hfPose *X_A, *X_B;
  const hfiContactPoint* single; // the deepest point; its normal is n
  hfiFacet a, b;
} Meeting;

// The facet of a shape along d. last: the memory of a mesh, or NULL.
static void find_facet(const hfiShape* s, const hfPose* X, hfVec3 d, hfiFacing* last, hfiFacet* f) {
  if (last && s->type == HF_GEOM_MESH) {
    int32_t face = hfi_facing_face(s->hull, m3_tmulv(X->R, d), last);
    hfi_facet_of_face(s, X, face, f);
  } else {
    hfi_facet(s, X, d, f);
  }
}

static void find_facets(Meeting* m, hfiLastFacets* last) {
  find_facet(m->A, m->X_A, v3_neg(m->single->n_W), last ? &last->a : NULL, &m->a);
  find_facet(m->B, m->X_B, m->single->n_W, last ? &last->b : NULL, &m->b);
}

// ---- faces ------------------------------------------------------------------------------------------

static int is_face(const hfiFacet* f) { return f->kind == HFI_FACET_POLYGON || f->kind == HFI_FACET_DISC; }

// Sine of the angle between the face's normal and d; 2 if there is no face on d's side.
static double misalignment(const hfiFacet* f, hfVec3 d) {
  return is_face(f) && v3_dot(f->normal, d) > 0 ? v3_norm(v3_cross(f->normal, d)) : 2;
}

// Sine of the angle between n and the normal of the nearer face. If it is at most HFI_FACET_ANGLE, shapes lie on that
// face. Otherwise a shape that meets the face bears on its outline.
static double off_face(const Meeting* m) {
  hfVec3 n = m->single->n_W;
  return min2(misalignment(&m->a, v3_neg(n)), misalignment(&m->b, n));
}

// How far n is beyond the angle within which shapes lie on a face: 0 up to HFI_FACET_ANGLE, 1 from twice this angle on.
// off: sine of the angle
static double beyond_face(double off) { return clamp(off / HFI_FACET_ANGLE - 1, 0, 1); }

// Two ends of a short overlap would be twice as stiff as the one point that they nearly are, and a body that rests
// where one of them comes and goes would be pushed up and fall in turn. So the shallower end loses depth in proportion
// as they are near each other, and only if the side bears on the outline of the face: on the face itself, if one of two
// equal ends lost depth, a rod between thin jaws would turn to and fro.
static void join_near_ends(double size, double off, hfiContactPoint* points, int count) {
  hfi_join_near(points, count, SHORT * size, beyond_face(off));
}

// A side over a face. If it bears on the outline of the face, n is across the side and not the normal of the face. The
// end that does not touch has a point, too: without it the side would fall on that end unseen, by g h^2 in a step, be
// pushed out, fall on the other end, and so on for ever.
static int touch_side_over_face(const Meeting* m, double off, hfiContactPoint* points, int count) {
  if (!(off > HFI_FACET_ANGLE)) return count;

  join_near_ends(min2(m->a.size, m->b.size), off, points, count);
  for (int i = 0; i < count; ++i)
    put_point(points + i, points[i].p_WCb, m->single->n_W, points[i].depth, points[i].feature);
  hfi_limit_depth(points, count, m->single->depth);
  return count;
}

// Contact of a face and any facet: the facet, clipped against the face. Returns the number of points, 0 if n is too far
// from the normals of both facets.
static int touch_faces(const Meeting* m, hfiContactPoint* points) {
  const hfiFacet* a = &m->a;
  const hfiFacet* b = &m->b;
  hfVec3 n = m->single->n_W;
  int has_side = a->kind == HFI_FACET_SEGMENT || b->kind == HFI_FACET_SEGMENT;

  double off_a = misalignment(a, v3_neg(n));
  double off_b = misalignment(b, n);
  double off = min2(off_a, off_b);
  if (!(off <= (has_side ? SIDE_OVER_FACE : HFI_FACET_ANGLE))) return 0;
  if (a->kind == HFI_FACET_NONE || b->kind == HFI_FACET_NONE) return 0;

  int count = hfi_clip_facets(a, b, off_a <= off_b + PREFER_A, points);
  return has_side ? touch_side_over_face(m, off, points, count) : count;
}

// ---- round sides and edges --------------------------------------------------------------------------

// A part of a shape that touches along a line: the axis of a round side with its radius, or an edge with the radius 0.
typedef struct Rod {
  hfiRodAxis axis;
  double radius;
} Rod;

static Rod side_of(const hfiShape* s, const hfPose* X) { return (Rod){hfi_axis_of(s, X), s->size[0]}; }

static Rod edge_of(const hfiFacet* f) {
  hfVec3 along = v3_sub(f->vertex[1], f->vertex[0]);
  double length = v3_norm(along);
  return (Rod){{v3_axpy(0.5, along, f->vertex[0]), v3_scale(1 / length, along), 0.5 * length}, 0};
}

// Two rods along each other touch at both ends of their overlap as long as both are near, each with its own depth,
// whatever their tilt. If only the deeper end pushed, they would rock for ever: they would turn about it until the
// other end is deeper, and back. Returns 0 if they are not along each other, that is, if a sine exceeds `limit`.
static int touch_rods(const Rod* a, const Rod* b, double limit, const hfiContactPoint* single,
                      hfiContactPoint* points) {
  hfVec3 u = a->axis.u;
  hfVec3 v = b->axis.u;
  hfVec3 n = single->n_W;
  if (!(fabs(v3_dot(u, n)) <= limit && fabs(v3_dot(v, n)) <= limit && v3_norm(v3_cross(u, v)) <= limit)) return 0;

  hfiApproach end[2];
  hfi_axis_ends(&a->axis, &b->axis, end);
  if (!(v3_dot(u, v3_sub(end[1].a, end[0].a)) > 0)) return 0; // They do not overlap.

  for (int k = 0; k < 2; ++k) {
    hfi_put_approach(points + k, end[k], a->radius, b->radius, 0, n, feature_id(HFI_EDGE_BIT | k, HFI_EDGE_BIT | k));
    if (!(v3_dot(points[k].n_W, n) > 0)) return 0; // The axes cross, so that the two ends are on opposite sides.
  }

  // The axis of a tilted cylinder overestimates the depth of its rim a little.
  hfi_limit_depth(points, 2, single->depth);
  return 2;
}

static int touch_sides(const Meeting* m, hfiContactPoint* points) {
  Rod a = side_of(m->A, m->X_A);
  Rod b = side_of(m->B, m->X_B);
  return touch_rods(&a, &b, SIDE_ALONG_SIDE, m->single, points);
}

// Contact of a round side and the edge of the other shape's facet that is farthest along n. side_is_A: 1 if the side
// belongs to A and the edge to B, 0 if it is the other way round.
static int touch_side_and_edge(const Meeting* m, int side_is_A, hfiContactPoint* points) {
  hfVec3 n = m->single->n_W;
  hfiFacet f = side_is_A ? m->b : m->a;
  hfi_facet_edge(side_is_A ? n : v3_neg(n), SIDE_ALONG_EDGE, &f);
  if (f.kind != HFI_FACET_SEGMENT) return 0;

  Rod edge = edge_of(&f);
  if (side_is_A) {
    Rod side = side_of(m->A, m->X_A);
    return touch_rods(&side, &edge, SIDE_ALONG_EDGE, m->single, points);
  }
  Rod side = side_of(m->B, m->X_B);
  return touch_rods(&edge, &side, SIDE_ALONG_EDGE, m->single, points);
}

// Contact of two edges, to which both facets are reduced.
static int touch_edges(Meeting* m, hfiContactPoint* points) {
  hfVec3 n = m->single->n_W;
  hfi_facet_edge(v3_neg(n), HFI_FACET_ANGLE, &m->a);
  if (m->a.kind != HFI_FACET_SEGMENT) return 0;
  hfi_facet_edge(n, HFI_FACET_ANGLE, &m->b);
  return m->b.kind == HFI_FACET_SEGMENT ? hfi_clip_segments(&m->a, &m->b, n, points) : 0;
}

// Finds the points where parallel edges meet. rounded: the deepest point, with the normal that the edges would have if
// they were rounded.
static int touch_rounded(Meeting* m, const hfiContactPoint* rounded, hfiContactPoint* points) {
  m->single = rounded;
  find_facets(m, NULL);
  int count = touch_edges(m, points);
  if (count == 0) points[count++] = *rounded;
  hfi_limit_depth(points, count, rounded->depth);
  return count;
}

// ---- the manifold -----------------------------------------------------------------------------------

// A shape that bears on the outline of a face, as an edge that crosses an edge of the face, with n near the normal of
// the face. If it had one point here, and all that are over the face where n is the normal, a body whose n changes
// between both would turn to and fro for ever. So all points but the deepest lose depth in proportion as n is off the
// normal.
static int touch_outline(const Meeting* m, double off, hfiContactPoint* points) {
  hfVec3 n = m->single->n_W;
  if (m->a.kind == HFI_FACET_NONE || m->b.kind == HFI_FACET_NONE) return 0;

  int a_is_face = misalignment(&m->a, v3_neg(n)) <= misalignment(&m->b, n) + PREFER_A;
  int count = hfi_clip_facets(&m->a, &m->b, a_is_face, points);
  int deepest = 0;
  for (int i = 1; i < count; ++i)
    if (points[i].depth > points[deepest].depth) deepest = i;

  for (int i = 0; i < count; ++i) {
    put_point(points + i, points[i].p_WCb, n, points[i].depth, points[i].feature);
    if (i != deepest) lose_depth(points + i, (off - HFI_FACET_ANGLE) / (OUTLINE - HFI_FACET_ANGLE));
  }
  hfi_limit_depth(points, count, m->single->depth);
  return count;
}

// Contact of two edges, or else of a shape and the outline of a face.
static int touch_edges_or_outline(Meeting* m, hfiContactPoint* points) {
  double off = off_face(m);
  if (!(off > HFI_FACET_ANGLE && off < OUTLINE)) return touch_edges(m, points);

  Meeting whole = *m; // touch_edges reduces the facets
  int count = touch_edges(m, points);
  if (count) return count;
  *m = whole;
  return touch_outline(m, off, points);
}

// What the points that two facets have in common say about other points.
typedef struct MeetingKind {
  // not zero if a round side touches along another one, along an edge or on the rim of a disc: points near each other
  // keep their depth
  int along;
  // not zero if the deepest point has only the depth by which it is deeper than the others
  int shares;
} MeetingKind;

static int has_disc(const Meeting* m) { return m->a.kind == HFI_FACET_DISC || m->b.kind == HFI_FACET_DISC; }

// Finds the points that the facets have in common and returns their number. Writes what they say about other points.
static int touch_facets(Meeting* m, MeetingKind* kind, hfiContactPoint* points) {
  int side_a = m->a.kind == HFI_FACET_SEGMENT;
  int side_b = m->b.kind == HFI_FACET_SEGMENT;
  int one_side = side_a != side_b;

  // Does a round side bear on the outline of a face? Its deepest point, the corner of a polygon or a point of a rim, is
  // not exactly where the side crosses the outline. Beside the end of a side over a corner it would push with twice the
  // force, the body would move out, the point would be gone, and so on for ever.
  int on_outline = one_side && off_face(m) > HFI_FACET_ANGLE;
  int on_face = one_side && !on_outline;

  // two rods along each other
  int count = 0;
  if (side_a && side_b) count = touch_sides(m, points);
  else if (on_outline) count = touch_side_and_edge(m, side_a, points);
  kind->along = count;
  kind->shares = count;

  // a face
  if (count == 0) {
    count = touch_faces(m, points);
    kind->shares = count > 0 && on_outline;
    kind->along = kind->shares && has_disc(m);
  }

  // a side over a face of which no point is near: perhaps along one of its edges
  if (count == 0 && on_face) {
    count = touch_side_and_edge(m, side_a, points);
    kind->along = count;
    kind->shares = count;
  }
  return count == 0 ? touch_edges_or_outline(m, points) : count;
}

// Removes the shallowest of `count` points. Returns the new count.
static int drop_shallowest(hfiContactPoint* points, int count) {
  int shallowest = 0;
  for (int i = 1; i < count; ++i)
    if (points[i].depth < points[shallowest].depth) shallowest = i;

  for (int i = shallowest; i + 1 < count; ++i) points[i] = points[i + 1];
  return count - 1;
}

// Adds the deepest point to `count` points if none of them is as deep, as at a rounded corner between faces. Returns
// the new count.
static int add_deepest(const Meeting* m, int shares, double slack, hfiContactPoint* points, int count) {
  double deepest = -INFINITY;
  for (int i = 0; i < count; ++i) deepest = max2(deepest, points[i].depth);
  if (!(deepest < m->single->depth - slack)) return count;

  if (count == HFI_MAX_MANIFOLD) count = drop_shallowest(points, count);
  points[count] = *m->single;
  if (count == 0) return 1;

  int disc_lies = hfi_disc_lies(&m->a, &m->b) || hfi_disc_lies(&m->b, &m->a);
  if (shares || disc_lies) hfi_share_depth(points + count, deepest, slack);
  return count + 1;
}

// Finds the points of the contact whose deepest point is `single`. Returns their number. last: the memory of the facets
// of meshes, or NULL.
int hfi_touch(const hfiShape* A, const hfPose* X_A, const hfiShape* B, const hfPose* X_B, const hfiContactPoint* single,
              double margin, hfiLastFacets* last, hfiContactPoint* points) {
  // member by member: an initialiser would also clear the facets, which are large
  Meeting m;
  m.A = A;
  m.B = B;
  m.X_A = X_A;
  m.X_B = X_B;
  m.single = single;
  find_facets(&m, last);

  hfiContactPoint rounded = *single;
  if (hfi_round_edges(A, X_A, &m.a, B, X_B, &m.b, &rounded)) return touch_rounded(&m, &rounded, points);

  MeetingKind kind;
  double size = min2(m.a.size, m.b.size);
  double slack = HFI_FLAT_TILT * size;
  int count = touch_facets(&m, &kind, points);

  // points near each other push as one
  if (!kind.along) {
    double reach = is_face(&m.a) && is_face(&m.b) ? HFI_BESIDE : HFI_ENDS_BESIDE; // share of the smaller size [-]
    hfi_join_near(points, count, reach * size, 1);
  }
  count = add_deepest(&m, kind.shares, slack, points, count);
  return keep_touching(points, count, margin, slack);
}

void hfi_points_to_world(const hfPose* X_WF, hfiContactPoint* points, int count) {
  for (int i = 0; i < count; ++i) {
    points[i].p_WCa = pose_point(*X_WF, points[i].p_WCa);
    points[i].p_WCb = pose_point(*X_WF, points[i].p_WCb);
    points[i].n_W = m3_mulv(X_WF->R, points[i].n_W);
  }
}
