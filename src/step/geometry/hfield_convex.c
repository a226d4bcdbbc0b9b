// A convex shape A against a height field B.
//
// The surface of a field is not convex, but its parts are: faces, ridges (convex edges) and peaks (vertices). Each part
// is a shape of the table: a plane, a capsule and a sphere of radius zero. A touches a part where the contact of A with
// that shape belongs to the part and its normal n to the part's cone:
//
//   face    n is that of the triangle, in which the point of its plane lies (face_holds has the exceptions)
//   ridge   n = a n1 + b n2 with a, b >= 0, of the two faces; the point lies between the ends
//   peak    n.e <= 0 for all edges e that leave it
//
// So A never meets an edge inside of a flat region. Triangles that lie in one plane form a region. The feature of a
// contact is the number of the region and that of A's own point, and stays the same while the point slides from
// triangle to triangle: on a flat field the contacts are those with a plane. A point inside of the matter belongs to
// the nearest of the faces that make a ridge, but to all faces that make a valley. All in the frame of B. Theory:
// docs/theory/collision.md.
#include "step/geometry/hfield_query.h"

// The normal of a round shape may be outside of a cone by an angle of this sine [-].
static const double ROUND_CONE_SINE = 1e-9;
// The normal of a shape with faces, which tilts a little while it lies, may be outside by an angle of this sine [-].
static const double FLAT_CONE_SINE = 0.02;
// Spheres whose reach is longer than this many cells are treated like other shapes [-].
static const double LARGE_REACH = 100;

static int is_round(int type) {
  return type == HF_GEOM_SPHERE || type == HF_GEOM_CAPSULE || type == HF_GEOM_ELLIPSOID;
}

// Returns how far the core of a round shape is below its surface; 0 for other shapes [m].
static double find_core(const hfiShape* A) {
  if (A->type == HF_GEOM_ELLIPSOID) return min2(A->size[0], min2(A->size[1], A->size[2]));
  return is_round(A->type) ? A->size[0] : 0;
}

// Is A a sphere that is not much larger than a cell and whose centre is surely outside of the matter?
static int is_ball_outside(const hfiFieldQuery* q) {
  if (q->A->type != HF_GEOM_SPHERE) return 0;
  if (!(q->core + q->margin <= LARGE_REACH * q->cell_size)) return 0;
  return hfi_field_sunk_depth(q, q->X_BA.p) < -HFI_MISS_SHARE * q->cell_size;
}

// Starts a query, of which A, X_BA, f and margin are set. Returns 0 if A is not near the field. The lists of a query
// are not cleared, because they are long.
static int start_query(hfiFieldQuery* q) {
  q->cell_size = min2(q->f->dx, q->f->dy);
  q->cone_sine = is_round(q->A->type) ? ROUND_CONE_SINE : FLAT_CONE_SINE;
  q->core = find_core(q->A);
  q->kept.count = 0;
  q->low.count = 0;
  q->cells.keeps_sides = 0;
  q->ball = 0;
  if (!hfi_field_find_cells(q)) return 0;
  if (is_ball_outside(q)) q->ball = q->core + q->margin;
  return 1;
}

// Finds the contact points of a convex shape and a height field in the world. Returns their number.
int hfi_convex_hfield(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB, double margin,
                      hfiContactPoint* points) {
  const hfiHeightField* f = B->field;
  hfiFieldQuery q;
  q.A = A;
  q.X_BA = pose_inv_mul(*X_WB, *X_WA);
  q.f = f;
  q.margin = margin;
  q.kept.points = points;
  if (!start_query(&q)) return 0;

  // the faces under A
  const hfiFieldCells* cells = &q.cells;
  int at_border = cells->c0 == 0 || cells->r0 == 0 || cells->c1 == f->ncol - 2 || cells->r1 == f->nrow - 2;
  int is_flat = hfi_field_is_flat(&q);
  if (is_flat) hfi_field_touch_flat(&q);
  else hfi_field_touch_faces(&q);

  // Their edges and vertices. A flat patch has none inside of the field. If all cells are on some side of A, none is
  // near.
  int may_touch_edges = (!is_flat || at_border) && (!cells->keeps_sides || cells->any_is_near);
  if (may_touch_edges) {
    hfi_field_touch_ridges(&q);
    hfi_field_touch_peaks(&q);
  }

  // walls and base
  if (at_border || q.box.lo.z <= -f->base) {
    hfi_field_touch_sides(&q);
    hfi_field_touch_frame(&q);
  }

  hfi_points_to_world(X_WB, points, q.kept.count);
  return q.kept.count;
}

// The search for the nearest point begins within this share of the shape's size [-].
static const double FIRST_REACH_SHARE = 1.0 / 64;
// The distance of the search grows by this factor up to the shape's size, and is doubled beyond it [-].
static const double REACH_GROWTH = 8;

// Finds the nearest or deepest point of A and a height field B. Returns 0 if they are more than `far` apart. Searches
// within a distance that grows until something is found, so that mostly few cells are tried, and few ridges of them:
// mostly the shape touches the field or nearly does.
int hfi_hfield_distance(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB, double far,
                        hfiContactPoint* point) {
  const hfiHeightField* f = B->field;
  hfVec3 size_B = v3(f->half[0], f->half[1], f->base + f->highest);
  hfiAabb box = hfi_shape_aabb(A, X_WA);
  double size_A = v3_norm(v3_sub(box.hi, box.lo));

  // nothing is farther away than `largest`
  double largest = min2(far, v3_norm(size_B) + v3_norm(v3_sub(X_WA->p, X_WB->p)) + size_A);
  double wide = max2(size_A, min2(f->dx, f->dy));
  double within = min2(FIRST_REACH_SHARE * wide, largest);
  hfiContactPoint points[HFI_MAX_POINTS];
  int count = hfi_convex_hfield(A, X_WA, B, X_WB, within, points);
  while (count == 0 && within < largest) {
    within = min2(within < wide ? REACH_GROWTH * within : 2 * within, largest);
    count = hfi_convex_hfield(A, X_WA, B, X_WB, within, points);
  }
  if (count == 0) return 0;

  int deepest = 0;
  for (int i = 1; i < count; ++i)
    if (points[i].depth > points[deepest].depth) deepest = i;
  if (!(-points[deepest].depth <= far)) return 0;
  *point = points[deepest];
  return 1;
}
