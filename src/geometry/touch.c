// Contact manifold from a contact normal n.
//
// A face whose normal is within HFI_FACET_ANGLE of n is the reference (of two such faces A's, unless B's
// is nearer to n by more than PREFER_A), and the other shape's facet is clipped against it. Two
// straight edges across n give the ends of their overlap. Elsewhere the contact is one point, feature 0. Where parallel
// edges meet, n is not the normal of a face but that of rounded edges (rounded.c).
#include "geometry/touch.h"

#include "geometry/clip.h"
#include "geometry/pairs.h"
#include "geometry/rounded.h"

static const double PREFER_A = 1e-5; // [rad]

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

// Reduces the facets to edges.
static int touch_edges(hfiFacet* a, hfiFacet* b, hfVec3 n, hfiContactPoint* points) {
  hfi_facet_edge(v3_neg(n), a);
  if (a->kind != HFI_FACET_SEGMENT) return 0;
  hfi_facet_edge(n, b);
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

// Reduces the depth of the deepest point of a disc that lies to what it is deeper than the other points, of which the deepest has the depth `others`. They
// carry the disc, and the force of this point begins with zero where it joins them.
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
  int count = touch_faces(&a, &b, single->n_W, points);
  double deepest = -INFINITY, slack = HFI_FLAT_TILT * min2(a.size, b.size);
  if (count == 0) count = touch_edges(&a, &b, single->n_W, points);
  for (int i = 0; i < count; ++i) deepest = max2(deepest, points[i].depth);
  // facets that do not hold the deepest point (a rounded corner between faces): it joins them
  if (deepest < single->depth - slack) {
    if (count == HFI_MAX_MANIFOLD) count--;
    points[count] = *single;
    if (hfi_disc_lies(&a, &b) || hfi_disc_lies(&b, &a)) share_depth(points + count, deepest, slack);
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
