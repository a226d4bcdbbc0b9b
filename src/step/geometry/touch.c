// Contact manifold from a contact normal n. The facets of the two shapes at n decide which points it has:
//
//   two round sides along each other      the ends of their overlap
//   a round side along a straight edge    the ends of their overlap, unless the side lies on a face: n is within
//                                         HFI_FACET_ANGLE of its normal
//   a face, and any facet                 the facet, clipped against the face. The face is one whose normal is within
//                                         HFI_FACET_ANGLE of n, or within SIDE_OVER_FACE_SINE if the facet is a round
//                                         side; of two such faces A's, unless B's is nearer to n by more than
//                                         PREFER_A_ANGLE
//   two straight edges across n           the ends of their overlap
//   a facet on the outline of a face      the facet, clipped against the face, if n is within OUTLINE_SINE of its
//                                         normal; the farther, the shallower
//   anything else                         one point, feature 0
//
// Where parallel edges meet, n is not the normal of a face but the normal of rounded edges (rounded.c).
#include "step/geometry/touch.h"

#include "step/geometry/clip.h"
#include "step/geometry/manifold.h"
#include "step/geometry/pairs.h"
#include "step/geometry/rounded.h"
#include "step/geometry/rod_axis.h"

// B's face is the reference if its normal is nearer to n than that of A's face by more than this [rad].
static const double PREFER_A_ANGLE = 1e-5;
// Two round sides are along each other if the sine of the angle between them, and the sines of the angles between each
// of them and the plane across n, are at most this [-].
static const double SIDE_ALONG_SIDE_SINE = 0.5;
// A round side and an edge are along each other if these three sines are at most this [-].
static const double SIDE_ALONG_EDGE_SINE = 0.1;
// A round side that bears on the outline of a face has points at both ends of the part over the face if the sine of the
// angle between n and the normal of the face is at most this [-].
static const double SIDE_OVER_FACE_SINE = 0.1;
// A face or edge that bears on the outline of another face has only one point if the sine of the angle between n and
// the normal of that face exceeds this [-].
static const double OUTLINE_SINE = 0.03;
// The ends of the overlap of a side and a face are near each other if they are apart by less than this share of the
// smaller size [-].
static const double SHORT_OVERLAP_SHARE = 0.1;

// Two shapes that touch, and their facets on the touching sides.
typedef struct Meeting {
  const hfiShape* A;
  const hfiShape* B;
  const hfPose* X_A;
  const hfPose* X_B;
  const hfiContactPoint* single; // the deepest point; its normal is n
  hfiFacet a, b;
} Meeting;

// Writes the facet of a shape along d. last: the memory of a mesh, or NULL.
static void find_facet(const hfiShape* s, const hfPose* X, hfVec3 d, hfiFacing* last, hfiFacet* f) {
  if (last && s->type == HF_GEOM_MESH) {
    int32_t face = hfi_facing_face(s->hull, m3_tmulv(X->R, d), last);
    hfi_facet_of_face(s, X, face, f);
  } else {
    hfi_facet(s, X, d, f);
  }
}

// Writes the facets m->a and m->b along the normal of m->single.
static void find_facets(Meeting* m, hfiLastFacets* last) {
  find_facet(m->A, m->X_A, v3_neg(m->single->n_W), last ? &last->a : NULL, &m->a);
  find_facet(m->B, m->X_B, m->single->n_W, last ? &last->b : NULL, &m->b);
}

// ---- faces ------------------------------------------------------------------------------------------

static int is_face(const hfiFacet* f) { return f->kind == HFI_FACET_POLYGON || f->kind == HFI_FACET_DISC; }

// Sine of the angle between the face's normal and d; 2 if there is no face on d's side.
static double misalignment(const hfiFacet* f, hfVec3 d) {
  int looks_along_d = is_face(f) && v3_dot(f->normal, d) > 0;
  return looks_along_d ? v3_norm(v3_cross(f->normal, d)) : 2;
}

// Sine of the angle between n and the normal of the nearer face. If it is at most HFI_FACET_ANGLE, shapes lie on that
// face. Otherwise a shape that meets the face bears on its outline.
static double sine_off_face(const Meeting* m) {
  hfVec3 n = m->single->n_W;
  return min2(misalignment(&m->a, v3_neg(n)), misalignment(&m->b, n));
}

// How far n is beyond the angle within which shapes lie on a face, as a share from 0 to 1: 0 up to HFI_FACET_ANGLE, 1
// from twice this angle on. off: sine of the angle between n and the normal of the face.
static double share_beyond_face(double off) { return clamp(off / HFI_FACET_ANGLE - 1, 0, 1); }

// Finishes the contact of a side over a face, whose points are those of the clipped side. off: sine of the angle
// between n and the normal of the face. Returns the number of points.
//
// On the face itself all stays as it is. If the side bears on the outline of the face, n is across the side and not the
// normal of the face. The end that does not touch has a point, too: without it the side would fall on that end unseen,
// by g h^2 in a step, be pushed out, fall on the other end, and so on for ever.
static int finish_side_over_face(const Meeting* m, double off, hfiContactPoint* points, int count) {
  if (!(off > HFI_FACET_ANGLE)) return count;

  // Two ends of a short overlap would be twice as stiff as the one point that they nearly are, and a body that rests
  // where one of them comes and goes would be pushed up and fall in turn. So the shallower end loses depth in
  // proportion as they are near each other. On the face itself, if one of two equal ends lost depth, a rod between thin
  // jaws would turn to and fro.
  double size = min2(m->a.size, m->b.size);
  hfi_join_near(points, count, SHORT_OVERLAP_SHARE * size, share_beyond_face(off));

  // all points get the normal of the contact
  for (int i = 0; i < count; ++i)
    put_point(points + i, points[i].p_WCb, m->single->n_W, points[i].depth, points[i].feature);
  hfi_limit_depth(points, count, m->single->depth);
  return count;
}

// Finds the contact points of a face and any facet: the facet, clipped against the face. Returns the number of points,
// 0 if n is too far from the normals of both facets.
static int touch_faces(const Meeting* m, hfiContactPoint* points) {
  const hfiFacet* a = &m->a;
  const hfiFacet* b = &m->b;
  hfVec3 n = m->single->n_W;
  int has_side = a->kind == HFI_FACET_SEGMENT || b->kind == HFI_FACET_SEGMENT;

  double off_a = misalignment(a, v3_neg(n));
  double off_b = misalignment(b, n);
  double off = min2(off_a, off_b);
  if (!(off <= (has_side ? SIDE_OVER_FACE_SINE : HFI_FACET_ANGLE))) return 0;
  if (a->kind == HFI_FACET_NONE || b->kind == HFI_FACET_NONE) return 0;

  int count = hfi_clip_facets(a, b, off_a <= off_b + PREFER_A_ANGLE, points);
  return has_side ? finish_side_over_face(m, off, points, count) : count;
}

// ---- round sides and edges --------------------------------------------------------------------------

// A part of a shape that touches along a line: the axis of a round side with its radius, or an edge with the radius 0.
typedef struct Rod {
  hfiRodAxis axis;
  double radius;
} Rod;

static Rod side_of(const hfiShape* s, const hfPose* X) {
  return (Rod){.axis = hfi_axis_of(s, X), .radius = s->size[0]};
}

// The rod of a facet that is an edge.
static Rod edge_of(const hfiFacet* f) {
  hfVec3 along = v3_sub(f->vertex[1], f->vertex[0]);
  double length = v3_norm(along);
  hfVec3 middle = v3_axpy(0.5, along, f->vertex[0]);
  return (Rod){.axis = {.p = middle, .u = v3_scale(1 / length, along), .half = 0.5 * length}, .radius = 0};
}

// Finds the contact points of two rods along each other: both ends of their overlap, each with its own depth, whatever
// their tilt. If only the deeper end pushed, they would rock for ever: they would turn about it until the other end is
// deeper, and back. Returns 2, or 0 if they are not along each other, that is, if a sine exceeds `limit`.
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

// Finds the contact points of two round sides along each other. Returns their number.
static int touch_sides(const Meeting* m, hfiContactPoint* points) {
  Rod a = side_of(m->A, m->X_A);
  Rod b = side_of(m->B, m->X_B);
  return touch_rods(&a, &b, SIDE_ALONG_SIDE_SINE, m->single, points);
}

// Finds the contact points of a round side and the edge of the other shape's facet that is farthest along n. side_is_A:
// 1 if the side belongs to A and the edge to B, 0 if it is the other way round. Returns their number.
static int touch_side_and_edge(const Meeting* m, int side_is_A, hfiContactPoint* points) {
  hfVec3 n = m->single->n_W;
  hfiFacet f = side_is_A ? m->b : m->a;
  hfi_facet_edge(side_is_A ? n : v3_neg(n), SIDE_ALONG_EDGE_SINE, &f);
  if (f.kind != HFI_FACET_SEGMENT) return 0;

  Rod edge = edge_of(&f);
  if (side_is_A) {
    Rod side = side_of(m->A, m->X_A);
    return touch_rods(&side, &edge, SIDE_ALONG_EDGE_SINE, m->single, points);
  }
  Rod side = side_of(m->B, m->X_B);
  return touch_rods(&edge, &side, SIDE_ALONG_EDGE_SINE, m->single, points);
}

// Reduces both facets m->a and m->b to edges, and finds the contact points of these. Returns their number.
static int touch_edges(Meeting* m, hfiContactPoint* points) {
  hfVec3 n = m->single->n_W;
  hfi_facet_edge(v3_neg(n), HFI_FACET_ANGLE, &m->a);
  if (m->a.kind != HFI_FACET_SEGMENT) return 0;

  hfi_facet_edge(n, HFI_FACET_ANGLE, &m->b);
  if (m->b.kind != HFI_FACET_SEGMENT) return 0;
  return hfi_clip_segments(&m->a, &m->b, n, points);
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

// Finds the contact points of a shape that bears on the outline of a face, as an edge that crosses an edge of the face,
// with n near the normal of the face. off: sine of the angle between the two. Returns the number of points.
//
// If the shape had one point here, and all that are over the face where n is the normal, a body whose n changes between
// both would turn to and fro for ever. So all points but the deepest lose depth in proportion as n is off the normal.
static int touch_outline(const Meeting* m, double off, hfiContactPoint* points) {
  hfVec3 n = m->single->n_W;
  if (m->a.kind == HFI_FACET_NONE || m->b.kind == HFI_FACET_NONE) return 0;

  int a_is_face = misalignment(&m->a, v3_neg(n)) <= misalignment(&m->b, n) + PREFER_A_ANGLE;
  int count = hfi_clip_facets(&m->a, &m->b, a_is_face, points);
  int deepest = 0;
  for (int i = 1; i < count; ++i)
    if (points[i].depth > points[deepest].depth) deepest = i;

  // all points get the normal of the contact, and all but the deepest lose depth
  double lost_share = (off - HFI_FACET_ANGLE) / (OUTLINE_SINE - HFI_FACET_ANGLE);
  for (int i = 0; i < count; ++i) {
    put_point(points + i, points[i].p_WCb, n, points[i].depth, points[i].feature);
    if (i != deepest) lose_depth(points + i, lost_share);
  }
  hfi_limit_depth(points, count, m->single->depth);
  return count;
}

// Finds the contact points of two edges, or else of a shape and the outline of a face. Returns their number. The facets
// of *m may be reduced to edges.
static int touch_edges_or_outline(Meeting* m, hfiContactPoint* points) {
  double off = sine_off_face(m);
  if (!(off > HFI_FACET_ANGLE && off < OUTLINE_SINE)) return touch_edges(m, points);

  // touch_edges reduces the facets, which the outline needs
  Meeting whole = *m;
  int count = touch_edges(m, points);
  if (count) return count;

  *m = whole;
  return touch_outline(m, off, points);
}

// What follows from the way in which two shapes touch.
typedef struct MeetingKind {
  int near_points_keep_depth; // 1: a round side touches along another one, along an edge or on the rim of a disc
  int deepest_shares_depth;   // 1: a deepest point that joins the others has only the depth by which it is deeper
} MeetingKind;

static int has_disc(const Meeting* m) { return m->a.kind == HFI_FACET_DISC || m->b.kind == HFI_FACET_DISC; }

// Finds the points that the facets have in common. Returns their number, and writes what follows for them. A facet that
// is a segment is the side of a round shape (side_a, side_b).
static int touch_facets(Meeting* m, MeetingKind* kind, hfiContactPoint* points) {
  int side_a = m->a.kind == HFI_FACET_SEGMENT;
  int side_b = m->b.kind == HFI_FACET_SEGMENT;
  int has_one_side = side_a != side_b;

  // Does a round side bear on the outline of a face? Its deepest point, the corner of a polygon or a point of a rim, is
  // not exactly where the side crosses the outline. Beside the end of a side over a corner it would push with twice the
  // force, the body would move out, the point would be gone, and so on for ever.
  int on_outline = has_one_side && sine_off_face(m) > HFI_FACET_ANGLE;
  int on_face = has_one_side && !on_outline;

  // two rods along each other
  int count = 0;
  if (side_a && side_b) count = touch_sides(m, points);
  else if (on_outline) count = touch_side_and_edge(m, side_a, points);
  kind->near_points_keep_depth = count > 0;
  kind->deepest_shares_depth = count > 0;

  // a face
  if (count == 0) {
    count = touch_faces(m, points);
    kind->deepest_shares_depth = count > 0 && on_outline;
    kind->near_points_keep_depth = kind->deepest_shares_depth && has_disc(m);
  }

  // a side over a face of which no point is near: perhaps along one of its edges
  if (count == 0 && on_face) {
    count = touch_side_and_edge(m, side_a, points);
    kind->near_points_keep_depth = count > 0;
    kind->deepest_shares_depth = count > 0;
  }

  if (count == 0) count = touch_edges_or_outline(m, points);
  return count;
}

// Removes the shallowest of `count` points. Returns the new count.
static int drop_shallowest(hfiContactPoint* points, int count) {
  int shallowest = 0;
  for (int i = 1; i < count; ++i)
    if (points[i].depth < points[shallowest].depth) shallowest = i;

  for (int i = shallowest; i + 1 < count; ++i) points[i] = points[i + 1];
  return count - 1;
}

// Adds the deepest point to `count` points if none of them is as deep, as at a rounded corner between faces. shares: 1
// if it gets only the depth by which it is deeper. Returns the new count.
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
  if (!kind.near_points_keep_depth) {
    int are_faces = is_face(&m.a) && is_face(&m.b);
    double beside_share = are_faces ? HFI_BESIDE : HFI_ENDS_BESIDE;
    hfi_join_near(points, count, beside_share * size, 1);
  }
  count = add_deepest(&m, kind.deepest_shares_depth, slack, points, count);
  return keep_touching(points, count, margin, slack);
}

// Moves points from a frame F to the world.
void hfi_points_to_world(const hfPose* X_WF, hfiContactPoint* points, int count) {
  for (int i = 0; i < count; ++i) {
    points[i].p_WCa = pose_point(*X_WF, points[i].p_WCa);
    points[i].p_WCb = pose_point(*X_WF, points[i].p_WCb);
    points[i].n_W = m3_mulv(X_WF->R, points[i].n_W);
  }
}
