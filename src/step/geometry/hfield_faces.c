// Contacts of a convex shape with the faces of a height field: triangles, cells in one plane, sides and base
// (hfield_convex.c).
#include "step/geometry/hfield_query.h"
#include "step/geometry/manifold.h"

// Cells whose vertices are all nearer to a plane than this share of a cell count as flat [-].
static const double FLAT_SHARE = 1e-10;
// A point is near a triangle if it is at most this many cells from the middle of the triangle's cell along x and y [-].
static const double NEAR_CELLS = 1.6;

// ---- faces -----------------------------------------------------------------------------------------

// A triangle of the surface.
typedef struct FieldFace {
  int c, r;      // its cell
  int upper;     // 1: the upper triangle of the cell, 0: the lower one
  hfVec3 n;      // outward normal
  hfVec3 middle;
} FieldFace;

// Returns the lower or upper triangle of cell (c, r): its normal and its middle.
static FieldFace face_of(const hfiFieldQuery* q, int c, int r, int upper) {
  const hfiHeightField* f = q->f;
  hfVec3 a = hfi_hfield_vertex(f, c, r);
  hfVec3 b = hfi_hfield_vertex(f, c + 1, r + 1);
  hfVec3 third = upper ? hfi_hfield_vertex(f, c, r + 1) : hfi_hfield_vertex(f, c + 1, r);
  return (FieldFace){.c = c,
                     .r = r,
                     .upper = upper,
                     .n = hfi_hfield_normal(f, c, r, upper),
                     .middle = v3_scale(1.0 / 3, v3_add(a, v3_add(b, third)))};
}

// Is p, seen from above, in the upper or lower triangle of cell (c, r)?
static int is_in_triangle(const hfiHeightField* f, int c, int r, int upper, hfVec3 p) {
  // coordinates in the cell, 0 to 1
  double u = (p.x + f->half[0]) / f->dx - c;
  double v = (p.y + f->half[1]) / f->dy - r;
  if (!(u >= -HFI_INSIDE_SHARE && u <= 1 + HFI_INSIDE_SHARE)) return 0;
  if (!(v >= -HFI_INSIDE_SHARE && v <= 1 + HFI_INSIDE_SHARE)) return 0;

  // on its side of the diagonal
  return upper ? v >= u - HFI_INSIDE_SHARE : v <= u + HFI_INSIDE_SHARE;
}

// Is p, seen from above, in the cell of the triangle or in a cell beside it?
static int is_near_triangle(const hfiHeightField* f, const FieldFace* t, hfVec3 p) {
  return fabs(p.x + f->half[0] - (t->c + 0.5) * f->dx) <= NEAR_CELLS * f->dx &&
         fabs(p.y + f->half[1] - (t->r + 0.5) * f->dy) <= NEAR_CELLS * f->dy;
}

// Finds the cell of the triangle across edge k of a triangle: 0 is the diagonal, 1 the edge along x, 2 the edge along
// y. Returns 0 at the border.
static int find_neighbour(const hfiHeightField* f, const FieldFace* t, int k, int* c, int* r) {
  *c = t->c;
  *r = t->r;
  if (k == 1) *r += t->upper ? 1 : -1;
  if (k == 2) *c += t->upper ? -1 : 1;
  return *c >= 0 && *r >= 0 && *c < f->ncol - 1 && *r < f->nrow - 1;
}

// Does a face hold A's point p, which is `depth` below the plane of the face? w is the point of that plane nearest to
// p.
//
//   1. p is above the plane: the face holds it if w is in the triangle.
//   2. p is below the plane, and A is round with its core outside of the matter: if w is in the triangle and the core
//      is above the plane. Then w is inside of A. (The core may be beside the field or behind a ridge, and so may p.)
//   3. p is below the plane, and A is any other shape or deeper: if w or p is in the triangle, or if w is in a
//      neighbour with which the face makes a valley, because all faces of a valley hold a point at its bottom. But not
//      if p is nearer to the surface straight above it than to the plane: then another face of a ridge is nearer.
static int face_holds(const hfiFieldQuery* q, const FieldFace* t, hfVec3 w, hfVec3 p, double depth) {
  const hfiHeightField* f = q->f;
  int is_near = is_near_triangle(f, t, w);
  int is_inside = is_near && is_in_triangle(f, t->c, t->r, t->upper, w);

  // 1.
  if (!(depth > 0)) return is_inside;

  // 2.
  if (q->core > 0 && is_near) {
    int core_is_outside = hfi_field_sunk_depth(q, v3_axpy(q->core, t->n, p)) < 0;
    if (core_is_outside) return is_inside && depth <= q->core;
  }

  // 3.
  int holds = is_inside || is_in_triangle(f, t->c, t->r, t->upper, p);
  for (int k = 0; k < 3 && is_near && !holds; ++k) {
    int c;
    int r;
    if (!find_neighbour(f, t, k, &c, &r) || !is_in_triangle(f, c, r, !t->upper, w)) continue;

    FieldFace neighbour = face_of(q, c, r, !t->upper);
    int make_valley = v3_dot(v3_sub(neighbour.middle, t->middle), t->n) > 0;
    holds = make_valley;
  }
  return holds && hfi_field_sunk_depth(q, p) >= depth;
}

// Finds A's contacts with the plane through p with normal n: at most HFI_MAX_MANIFOLD. Their feature is the number of
// A's point. Returns their count.
static int touch_plane(const hfiFieldQuery* q, hfVec3 p, hfVec3 n, hfiContactPoint* points) {
  hfiShape plane = {HF_GEOM_PLANE, {0, 0, 0}, NULL, NULL};
  hfPose X = hfi_plane_pose(p, n);
  int count = hfi_functions(q->A)->plane(&plane, &X, q->A, &q->X_BA, q->margin, points);
  for (int i = 0; i < count; ++i) {
    uint32_t point_A = points[i].feature;
    swap_point(&points[i]);
    points[i].feature = point_A;
  }
  return count;
}

// Lists the vertices of a mesh that are not above all cells under it by more than the margin. Writes q->low.
static void list_low_vertices(hfiFieldQuery* q) {
  const hfiHull* hull = q->A->hull;
  hfiLowVertices* low = &q->low;

  // the height of the highest cell
  double highest = -INFINITY;
  for (int r = q->cells.r0; r <= q->cells.r1 + 1; ++r)
    for (int c = q->cells.c0; c <= q->cells.c1 + 1; ++c) highest = max2(highest, hfi_hfield_height(q->f, c, r));

  // heights along the field's z above A's origin
  hfVec3 up = v3(q->X_BA.R.m[6], q->X_BA.R.m[7], q->X_BA.R.m[8]);
  double limit = highest + q->margin + HFI_FLAT_TILT * hfi_functions(q->A)->core_size(q->A) - q->X_BA.p.z;

  low->count = 0;
  for (int32_t i = 0; i < hull->nvert; ++i) {
    if (v3_dot(up, hfi_hull_vertex(hull, i)) > limit) continue;
    if (low->count == HFI_MOST_LOW) {
      low->count = -1; // There are too many: all vertices are tried.
      return;
    }
    low->vertex[low->count++] = i;
  }
}

// Finds the contact points of those vertices of a mesh that the face holds, thinned to HFI_MAX_MANIFOLD. Returns their
// number. (The function for a mesh and a plane is of no use here: it would thin before it is known which vertices the
// face holds.)
static int vertices_at_face(const hfiFieldQuery* q, const FieldFace* t, hfiContactPoint* points) {
  const hfiHull* hull = q->A->hull;
  hfVec3 n_A = m3_tmulv(q->X_BA.R, t->n);
  double height = v3_dot(t->n, v3_sub(q->X_BA.p, t->middle)); // of A's origin above the face [m]
  double slack = HFI_FLAT_TILT * hfi_functions(q->A)->core_size(q->A);

  // the vertices within the margin
  hfiThinning thin;
  hfi_thinning_start(&thin, n_A, slack);
  int are_listed = q->low.count >= 0;
  int ntried = are_listed ? q->low.count : hull->nvert;
  for (int k = 0; k < ntried; ++k) {
    int32_t i = are_listed ? q->low.vertex[k] : k;
    hfVec3 x = hfi_hull_vertex(hull, i);
    double depth = -height - v3_dot(n_A, x);
    if (!(depth >= -q->margin - slack)) continue;

    hfVec3 p = pose_point(q->X_BA, x);
    if (face_holds(q, t, v3_axpy(depth, t->n, p), p, depth)) hfi_thinning_add(&thin, x, depth, (uint32_t)i);
  }

  // those that are kept, in the field's frame
  hfiOverlapPoint kept[HFI_MAX_MANIFOLD];
  int count = hfi_thinning_finish(&thin, kept);
  for (int k = 0; k < count; ++k) {
    hfVec3 p = pose_point(q->X_BA, kept[k].p);
    put_point(&points[k], v3_axpy(kept[k].depth, t->n, p), t->n, kept[k].depth, kept[k].feature);
  }
  return count;
}

// Adds the contacts with the lower or upper triangle of cell (c, r).
static void touch_face(hfiFieldQuery* q, int c, int r, int upper) {
  FieldFace t = face_of(q, c, r, upper);
  hfiContactPoint points[HFI_MAX_MANIFOLD];
  int count = q->A->hull ? vertices_at_face(q, &t, points) : touch_plane(q, t.middle, t.n, points);
  uint32_t region = (uint32_t)q->f->region[hfi_hfield_triangle(q->f, c, r, upper)];

  for (int i = 0; i < count; ++i) {
    hfiContactPoint* p = &points[i];
    hfiFieldOrigin origin = {.kind = HFI_FACE, .id = region, .point_A = p->feature, .middle = t.middle};
    if (face_holds(q, &t, p->p_WCb, p->p_WCa, p->depth)) hfi_field_add(q, p, origin);
  }
}

// Is a face with normal g (of any length), of a cell that lies on these sides of A, surely out of A's reach? It is if
// it looks towards A. If it looks away, A is behind it and may have been pressed through it, however far.
static int face_is_out_of_reach(const hfiFieldQuery* q, int sides, hfVec3 g) {
  if (!sides) return 0;

  double g_A[3];
  v3_store(g_A, m3_tmulv(q->X_BA.R, g));
  for (int i = 0; i < 3; ++i) {
    int looks_back = (sides & 1 << i && g_A[i] <= 0) || (sides & 8 << i && g_A[i] >= 0);
    if (looks_back) return 1;
  }
  return 0;
}

// Does the face of a cell with these slopes surely not hold a sphere whose centre is outside of the matter? The plane
// of the face is g.x = g.corner with g = (-slope, 1). There are two such cases:
//   - The plane is beyond the sphere's reach.
//   - The centre is above the plane, and w, the point of the plane nearest to the centre, is not in the triangle
//     (face_holds).
// A sphere that is large on a steep face is left to face_holds: its nearest point may be in a triangle from which w is
// far.
static int ball_misses_face(const hfiFieldQuery* q, int c, int r, int upper, const double slope[2]) {
  const hfiHeightField* f = q->f;
  hfVec3 centre = v3_sub(q->X_BA.p, hfi_hfield_vertex(f, c, r)); // from the corner of the cell
  double steep = sqr(slope[0]) + sqr(slope[1]);
  double gg = 1 + steep;
  double above = centre.z - slope[0] * centre.x - slope[1] * centre.y; // distance from the plane, times |g|
  if (!(above > 0) || sqr(q->core) * steep > sqr(q->cell_size) * gg) return 0;
  if (hfi_field_is_beyond(q, sqr(above), gg)) return 1;

  // w = (x, y) in the cell, and how far it is beyond the diagonal, out of the triangle, times the length of the
  // diagonal
  double x = centre.x + above / gg * slope[0];
  double y = centre.y + above / gg * slope[1];
  double beyond = (x * f->dy - y * f->dx) * (upper ? 1 : -1);
  double slack_x = HFI_MISS_SHARE * f->dx;
  double slack_y = HFI_MISS_SHARE * f->dy;
  int is_beside_cell = x < -slack_x || x > f->dx + slack_x || y < -slack_y || y > f->dy + slack_y;
  return is_beside_cell || beyond > slack_x * f->dy;
}

// Adds the contacts with the faces of the surface under A. Keeps the sides of few cells for ridges and peaks.
void hfi_field_touch_faces(hfiFieldQuery* q) {
  hfiFieldCells* cells = &q->cells;
  if (q->A->hull) list_low_vertices(q);
  cells->keeps_sides = (cells->r1 - cells->r0 + 1) * (cells->c1 - cells->c0 + 1) <= HFI_FEW_CELLS;
  cells->any_is_near = 0;

  for (int r = cells->r0; r <= cells->r1; ++r)
    for (int c = cells->c0; c <= cells->c1; ++c) {
      int sides = hfi_field_sides(q, c, r);
      if (cells->keeps_sides) cells->sides[hfi_field_place(q, c, r)] = sides;
      cells->any_is_near |= !sides;
      if (sides == HFI_BELOW) continue;

      for (int upper = 0; upper < 2; ++upper) {
        double slope[2];
        hfi_hfield_slopes(q->f, c, r, upper, slope);
        if (q->ball > 0 && ball_misses_face(q, c, r, upper, slope)) continue;
        if (!face_is_out_of_reach(q, sides, v3(-slope[0], -slope[1], 1))) touch_face(q, c, r, upper);
      }
    }
}

// ---- flat patches ----------------------------------------------------------------------------------

// Do all cells under A lie in one plane, the plane of the first triangle?
int hfi_field_is_flat(const hfiFieldQuery* q) {
  const hfiHeightField* f = q->f;
  const hfiFieldCells* cells = &q->cells;
  hfVec3 corner = hfi_hfield_vertex(f, cells->c0, cells->r0);
  double slope[2];
  hfi_hfield_slopes(f, cells->c0, cells->r0, 0, slope);

  for (int r = cells->r0; r <= cells->r1 + 1; ++r)
    for (int c = cells->c0; c <= cells->c1 + 1; ++c) {
      hfVec3 d = v3_sub(hfi_hfield_vertex(f, c, r), corner);
      double height = d.z - slope[0] * d.x - slope[1] * d.y; // above the plane
      if (!(fabs(height) <= FLAT_SHARE * q->cell_size)) return 0;
    }
  return 1;
}

// Adds the contacts with cells that all lie in one plane, as far as they are on the field.
void hfi_field_touch_flat(hfiFieldQuery* q) {
  const hfiHeightField* f = q->f;
  int c = q->cells.c0;
  int r = q->cells.r0;
  FieldFace t = face_of(q, c, r, 0);
  hfiContactPoint points[HFI_MAX_MANIFOLD];
  int count = touch_plane(q, t.middle, t.n, points);
  uint32_t region = (uint32_t)f->region[hfi_hfield_triangle(f, c, r, 0)];

  for (int i = 0; i < count; ++i) {
    hfVec3 w = points[i].p_WCb;
    if (fabs(w.x) > f->half[0] + HFI_INSIDE_SHARE * f->dx) continue;
    if (fabs(w.y) > f->half[1] + HFI_INSIDE_SHARE * f->dy) continue;

    hfiFieldOrigin origin = {.kind = HFI_FACE, .id = region, .point_A = points[i].feature, .middle = t.middle};
    hfi_field_add(q, &points[i], origin);
  }
}

// ---- walls and base --------------------------------------------------------------------------------

// Adds the contacts with a wall or the base, the plane through `on` with normal `out`. Only a shape whose origin is
// outside of the plane touches it. A point of a shape with corners counts only if it is nearer to the plane than to the
// surface, and, if it is behind the plane, in the matter: behind a wall the surface may fall. Numbers of walls and base
// follow those of the regions.
static void touch_side(hfiFieldQuery* q, hfVec3 on, hfVec3 out, int side) {
  const hfiHeightField* f = q->f;
  if (!(v3_dot(v3_sub(q->X_BA.p, on), out) > 0)) return;

  hfiContactPoint points[HFI_MAX_MANIFOLD];
  int count = touch_plane(q, on, out, points);
  uint32_t id = (uint32_t)(hfi_hfield_triangles(f->nrow, f->ncol) + side);
  for (int i = 0; i < count; ++i) {
    hfVec3 w = points[i].p_WCb;
    double depth = points[i].depth;
    double below = hfi_hfield_surface(f, w.x, w.y) - w.z; // how far w is below the surface [m]

    // the side ends at the borders of the field
    const double grown = 1 + HFI_INSIDE_SHARE;
    if (!(fabs(w.x) <= f->half[0] * grown && fabs(w.y) <= f->half[1] * grown)) continue;
    if (!(w.z >= -f->base * grown && below >= 0)) continue;

    // a point of a shape with corners
    if (!(q->core > 0)) {
      if (!(below >= depth)) continue;
      if (depth > 0 && !(hfi_field_sunk_depth(q, points[i].p_WCa) >= 0)) continue;
    }

    hfiFieldOrigin origin = {.kind = HFI_FACE, .id = id, .point_A = points[i].feature, .middle = on};
    hfi_field_add(q, &points[i], origin);
  }
}

// Adds the contacts with the four walls and the base.
void hfi_field_touch_sides(hfiFieldQuery* q) {
  const hfiHeightField* f = q->f;
  touch_side(q, v3(-f->half[0], 0, 0), v3(-1, 0, 0), 0);
  touch_side(q, v3(f->half[0], 0, 0), v3(1, 0, 0), 1);
  touch_side(q, v3(0, -f->half[1], 0), v3(0, -1, 0), 2);
  touch_side(q, v3(0, f->half[1], 0), v3(0, 1, 0), 3);
  touch_side(q, v3(0, 0, -f->base), v3(0, 0, -1), 4);
}
