// Contact manifold from a contact normal n.
//
// A face whose normal is within HFI_FACET_ANGLE of n is the reference (of two such faces A's, unless B's
// is nearer to n by more than PREFER_A), and the other shape's facet is clipped against it. Two
// straight edges across n give the ends of their overlap, and so do round sides along each other or along an edge. Elsewhere the contact is one point, feature 0. Where parallel
// edges meet, n is not the normal of a face but that of rounded edges (rounded.c).
#include "geometry/touch.h"

#include "geometry/clip.h"
#include "geometry/pairs.h"
#include "geometry/rounded.h"
#include "geometry/rod_axis.h"

static const double PREFER_A = 1e-5; // [rad]
// Round sides are along each other, and a side along an edge, where the sines of the angles between them, and between them and the plane across n, are up to this [-].
static const double SIDE_ALONG_SIDE = 0.5, SIDE_ALONG_EDGE = 0.1;

static int is_face(const hfiFacet* f) { return f->kind == HFI_FACET_POLYGON || f->kind == HFI_FACET_DISC; }

// Sine of the angle between the face's normal and d; 2 where there is no face on d's side.
static double misalignment(const hfiFacet* f, hfVec3 d) {
  return is_face(f) && v3_dot(f->normal, d) > 0 ? v3_norm(v3_cross(f->normal, d)) : 2;
}

static int touch_faces(const hfiFacet* a, const hfiFacet* b, hfVec3 n, hfiContactPoint* points) {
  double off_a = misalignment(a, v3_neg(n)), off_b = misalignment(b, n);
  if (!(min2(off_a, off_b) <= HFI_FACET_ANGLE) || a->kind == HFI_FACET_NONE || b->kind == HFI_FACET_NONE) return 0;
  return hfi_clip_facets(a, b, off_a <= off_b + PREFER_A, points);
}

// What touches along a line: the axis of a round side and its radius, or an edge with the radius 0.
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

// Two rods along each other touch at both ends of their overlap as long as both are near, each with its own depth, whatever their tilt. If only the deeper end pushed, they would turn on it until the
// other one is deeper, to and fro for ever. Returns 0 where they are not along each other.
static int touch_rods(const Rod* a, const Rod* b, double most, const hfiContactPoint* single, hfiContactPoint* points) {
  hfVec3 u = a->axis.u, v = b->axis.u, n = single->n_W;
  hfiApproach end[2];
  if (!(fabs(v3_dot(u, n)) <= most && fabs(v3_dot(v, n)) <= most && v3_norm(v3_cross(u, v)) <= most)) return 0;
  hfi_axis_ends(&a->axis, &b->axis, end);
  if (!(v3_dot(u, v3_sub(end[1].a, end[0].a)) > 0)) return 0; // They do not overlap.
  for (int k = 0; k < 2; ++k) hfi_put_approach(points + k, end[k], a->radius, b->radius, 0, n, feature_id(HFI_EDGE_BIT | k, HFI_EDGE_BIT | k));
  hfi_limit_depth(points, 2, single->depth); // The rim of a tilted cylinder is a little higher than its axis says.
  return 2;
}

static int touch_sides(const hfiShape* A, const hfPose* X_A, const hfiShape* B, const hfPose* X_B, const hfiContactPoint* single, hfiContactPoint* points) {
  Rod a = side_of(A, X_A), b = side_of(B, X_B);
  return touch_rods(&a, &b, SIDE_ALONG_SIDE, single, points);
}

// The side of the shape S, which is A or B, and an edge of the other one, whose facet f is reduced to it.
static int touch_side_and_edge(const hfiShape* S, const hfPose* X_S, hfiFacet* f, int side_is_A, const hfiContactPoint* single, hfiContactPoint* points) {
  hfi_facet_edge(side_is_A ? single->n_W : v3_neg(single->n_W), SIDE_ALONG_EDGE, f);
  if (f->kind != HFI_FACET_SEGMENT) return 0;
  Rod side = side_of(S, X_S), edge = edge_of(f);
  return touch_rods(side_is_A ? &side : &edge, side_is_A ? &edge : &side, SIDE_ALONG_EDGE, single, points);
}

// Reduces the facets to edges.
static int touch_edges(hfiFacet* a, hfiFacet* b, hfVec3 n, hfiContactPoint* points) {
  hfi_facet_edge(v3_neg(n), HFI_FACET_ANGLE, a);
  if (a->kind != HFI_FACET_SEGMENT) return 0;
  hfi_facet_edge(n, HFI_FACET_ANGLE, b);
  return b->kind == HFI_FACET_SEGMENT ? hfi_clip_segments(a, b, n, points) : 0;
}

static void find_facets(const hfiShape* A, const hfPose* X_A, const hfiShape* B, const hfPose* X_B, hfVec3 n, hfiFacet* a, hfiFacet* b) {
  hfi_facet(A, X_A, v3_neg(n), a);
  hfi_facet(B, X_B, n, b);
}

// Contact in which parallel edges meet: `rounded` is the deepest point with the normal of rounded edges.
static int touch_rounded(const hfiShape* A, const hfPose* X_A, const hfiShape* B, const hfPose* X_B, const hfiContactPoint* rounded,
                         hfiContactPoint* points) {
  hfiFacet a, b;
  find_facets(A, X_A, B, X_B, rounded->n_W, &a, &b);
  int count = touch_edges(&a, &b, rounded->n_W, points);
  if (count == 0) points[count++] = *rounded;
  hfi_limit_depth(points, count, rounded->depth);
  return count;
}

// Reduces the depth of the deepest point, of a disc that lies or of sides along each other, to what it is deeper than the other points, of which the deepest has the depth `others`. They
// carry the shape, and the force of this point begins with zero where it joins them.
static void share_depth(hfiContactPoint* point, double others, double slack) {
  double shared = max2(0, min2(others + slack, 2 * others)); // nothing where the others do not touch
  point->depth -= shared;
  point->p_WCa = v3_axpy(shared, point->n_W, point->p_WCa);
}

int hfi_touch(const hfiShape* A, const hfPose* X_A, const hfiShape* B, const hfPose* X_B, const hfiContactPoint* single,
              double margin, hfiContactPoint* points) {
  hfiFacet a, b;
  hfiContactPoint rounded = *single;
  find_facets(A, X_A, B, X_B, single->n_W, &a, &b);
  if (hfi_round_edges(A, X_A, &a, B, X_B, &b, &rounded)) return touch_rounded(A, X_A, B, X_B, &rounded, points);
  int side_a = a.kind == HFI_FACET_SEGMENT, side_b = b.kind == HFI_FACET_SEGMENT;
  int along = side_a && side_b ? touch_sides(A, X_A, B, X_B, single, points) : 0, count = along;
  double deepest = -INFINITY, slack = HFI_FLAT_TILT * min2(a.size, b.size);
  if (count == 0) count = touch_faces(&a, &b, single->n_W, points);
  if (count == 0 && side_a != side_b) count = along = side_a ? touch_side_and_edge(A, X_A, &b, 1, single, points) : touch_side_and_edge(B, X_B, &a, 0, single, points);
  if (count == 0) count = touch_edges(&a, &b, single->n_W, points);
  for (int i = 0; i < count; ++i) deepest = max2(deepest, points[i].depth);
  // facets that do not hold the deepest point (a rounded corner between faces): it joins them
  if (deepest < single->depth - slack) {
    if (count == HFI_MAX_MANIFOLD) count--;
    points[count] = *single;
    if (along || hfi_disc_lies(&a, &b) || hfi_disc_lies(&b, &a)) share_depth(points + count, deepest, slack);
    ++count;
  }
  return keep_touching(points, count, margin, slack);
}

void hfi_points_to_world(const hfPose* X_WF, hfiContactPoint* points, int count) {
  for (int i = 0; i < count; ++i) {
    points[i].p_WCa = pose_point(*X_WF, points[i].p_WCa);
    points[i].p_WCb = pose_point(*X_WF, points[i].p_WCb);
    points[i].n_W = m3_mulv(X_WF->R, points[i].n_W);
  }
}
