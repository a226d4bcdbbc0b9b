// The normal where two parallel edges meet (docs/theory/convex.md).
//
// Such edges have no single common perpendicular. The direction of least penetration is then the normal of a face,
// although neither shape lies on a face of the other: two cards that lean against each other would push each other up
// or down.
//
// Real edges are a little round, and any direction between the faces beside them can be the normal. To choose one, the
// shapes are pulled apart by a radius r along the line of their centres, and the direction in which they are nearest to
// each other then is the normal. Symmetric shapes in symmetric places get the normal of the symmetry. The depth stays
// the depth of the least penetration, so that it vanishes where the shapes come apart.
#include "step/geometry/rounded.h"

#include "step/geometry/gjk.h"
#include "step/geometry/pairs.h"
#include "step/geometry/polish.h"

// The radius r over the smaller width of the two faces beside the edges [-].
static const double ROUNDING_RADIUS_SHARE = 0.02;
// Faces with a smaller angle than this between them lie on each other, and their edges do not matter [rad].
static const double LEAST_TILT_OF_FACES = 0.05;
// The rounded normal is used only if its cosine with the old one is at least this [-]. A normal that is turned further
// belongs to another face: a box on the first millimetre of a ramp is not in front of the ramp.
static const double LEAST_NORMAL_COSINE = 0.5;
// Relative accuracy of the distance of the shapes that are pulled apart [-].
static const double DISTANCE_ACCURACY = 1e-15;

static hfVec3 edge_vector(const hfiFacet* facet, int k) {
  return v3_sub(hfi_facet_edge_end(facet, k), facet->vertex[k]);
}

static double sine_between(hfVec3 u, hfVec3 v) { return v3_norm(v3_cross(u, v)) / (v3_norm(u) * v3_norm(v)); }

// Returns the width of a polygon in its plane, across the direction e [m].
static double width_across(const hfiFacet* polygon, hfVec3 e) {
  hfVec3 across = v3_unit(v3_cross(polygon->normal, e));
  double lo = INFINITY;
  double hi = -INFINITY;

  for (int k = 0; k < polygon->count; ++k) {
    double x = v3_dot(across, polygon->vertex[k]);
    lo = min2(lo, x);
    hi = max2(hi, x);
  }
  return hi - lo;
}

// Does a polygon have an edge parallel to the line through p along e, such that this line, seen along the normal of the
// polygon, is outside of the edge or less than r inside of it?
static int has_parallel_edge(const hfiFacet* polygon, hfVec3 p, hfVec3 e, double r) {
  for (int k = 0; k < polygon->count; ++k) {
    hfVec3 edge = edge_vector(polygon, k);
    hfVec3 outward = v3_unit(v3_cross(edge, polygon->normal));
    int is_parallel = sine_between(edge, e) <= HFI_FACET_ANGLE;
    if (is_parallel && v3_dot(outward, v3_sub(p, polygon->vertex[k])) > -r) return 1;
  }
  return 0;
}

// Is the normal of `face` along d within HFI_FACET_ANGLE, and does an edge of the polygon `other` meet a parallel edge
// of it? Then writes the radius r [m]. d: the normal of the contact, pointed out of the shape that has `face`.
static int find_edge_on_edge(const hfiFacet* face, const hfiFacet* other, hfVec3 d, double* r) {
  if (face->kind != HFI_FACET_POLYGON || other->kind != HFI_FACET_POLYGON) return 0;

  int is_along_d = v3_dot(face->normal, d) > 0 && v3_norm(v3_cross(face->normal, d)) <= HFI_FACET_ANGLE;
  if (!is_along_d) return 0;
  if (v3_norm(v3_cross(face->normal, other->normal)) < LEAST_TILT_OF_FACES) return 0;

  // the edge of `other` across d
  hfiFacet edge = *other;
  hfi_facet_edge(v3_neg(d), HFI_FACET_ANGLE, &edge);
  if (edge.kind != HFI_FACET_SEGMENT) return 0;

  hfVec3 e = v3_sub(edge.vertex[1], edge.vertex[0]);
  *r = ROUNDING_RADIUS_SHARE * min2(width_across(face, e), width_across(other, e));
  return has_parallel_edge(face, edge.vertex[0], e, *r);
}

// Turns single->n_W where parallel edges of A and B meet. a, b: the facets of A and B at that normal. Returns 1 if it
// has turned the normal.
int hfi_round_edges(const hfiShape* A, const hfPose* X_A, const hfiFacet* a, const hfiShape* B, const hfPose* X_B,
                    const hfiFacet* b, hfiContactPoint* single) {
  hfVec3 n = single->n_W;
  hfVec3 centres = v3_sub(X_B->p, X_A->p);
  double distance = v3_norm(centres);
  double r;
  if (!(single->depth > 0 && distance > 0)) return 0;
  if (!find_edge_on_edge(a, b, v3_neg(n), &r) && !find_edge_on_edge(b, a, n, &r)) return 0;

  // the nearest direction of the shapes, pulled apart by r; none if they still overlap
  hfPose X_away = {X_B->R, v3_axpy(r / distance, centres, X_B->p)};
  hfiCores cores = hfi_cores(A, X_A, B, &X_away);
  hfiSimplex simplex;
  hfVec3 n_A;
  if (hfi_gjk(&cores, INFINITY, DISTANCE_ACCURACY, &simplex, &n_A) != HFI_GJK_APART) return 0;

  hfVec3 rounded = m3_mulv(X_A->R, hfi_polish(&cores, &simplex, n_A).n);
  int is_turned = v3_norm(v3_cross(rounded, n)) > HFI_FACET_ANGLE;
  if (!is_turned || v3_dot(rounded, n) < LEAST_NORMAL_COSINE) return 0;
  single->n_W = rounded;
  return 1;
}

// Reduces the depths of the points by one amount, such that the deepest one gets this depth [m].
void hfi_limit_depth(hfiContactPoint* points, int count, double depth) {
  double deepest = depth;
  for (int i = 0; i < count; ++i) deepest = max2(deepest, points[i].depth);

  for (int i = 0; i < count; ++i) {
    hfiContactPoint* point = &points[i];
    put_point(point, point->p_WCb, point->n_W, point->depth - (deepest - depth), point->feature);
  }
}
