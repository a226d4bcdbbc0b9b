// A convex shape A against a height field B.
//
// The surface of a field is not convex, but its parts are: faces, ridges (convex edges) and peaks (vertices). Each part is a shape
// of the table: a plane, a capsule and a sphere of radius zero. A touches a part where the contact of A with that shape belongs to
// the part and its normal n to the part's cone:
//
//   face    n is that of the triangle, in which the point of its plane lies (face_holds has the exceptions)
//   ridge   n = a n1 + b n2 with a, b >= 0, of the two faces; the point lies between the ends
//   peak    n.e <= 0 for all edges e that leave it
//
// so that no edge inside of a flat region is ever met. Triangles that lie in one plane form a region, and a point of A keeps its
// feature, region and its own number, as it slides from triangle to triangle: on a flat field the contacts are those with a plane.
// A point inside of the matter counts for the nearest of the faces that make a ridge; those that make a valley all hold it.
// All in the frame of B. Theory: docs/theory/collision.md.
#include "geometry/hfield.h"
#include "geometry/manifold.h"
#include "geometry/shape_table.h"
#include "geometry/touch.h"

static const double INSIDE = 1e-7;   // A point beyond an edge by less than this share of a cell is in the triangle [-].
static const double FLAT = 1e-10;    // A patch whose vertices are within this share of a cell of a plane is that plane [-].
static const double STRICT = 1e-9;   // Normals of round shapes are in a cone up to this sine,
static const double LOOSE = 0.02;    // those of shapes with faces, which tilt a little while they lie, up to this one.
static const double PROBE = 1e-3;    // Share of an edge at which it is asked whether A continues along it [-].
static const double SAME_PLACE = 1e-5, SAME_NORMAL = 1e-6; // Contacts nearer than this share of a cell, with 1 - cosine below this, are one.

enum { BELOW = 64 };     // A cell is below all of A (find_sides).
enum { MOST_LOW = 128 }; // Most vertices of a mesh that are listed.

typedef enum PartKind { FACE, RIDGE, PEAK } PartKind;

typedef struct FieldQuery {
  const hfiShape* A;
  hfPose X_BA;
  const hfiHeightField* f;
  double margin, cell; // cell: the smaller side of a cell
  double cone;         // STRICT or LOOSE
  double core;         // how far the core of a round shape is below its surface; 0: the shape has corners
  hfiAabb box;         // of A, grown by the margin
  hfiAabb own;         // of A in its own frame, likewise
  double spread[3];    // half the extent of a flat cell along the axes of A
  int c0, c1, r0, r1;  // the cells that it is over
  int32_t nlow, low[MOST_LOW]; // vertices of a mesh that may touch faces; nlow -1: all may
  int count;
  hfiContactPoint* points; // (HFI_MAX_POINTS) n from B into A
  struct Origin {
    PartKind kind;
    uint32_t id, own; // number of the part, of A's point
    hfVec3 middle;    // of a face
  } origin[HFI_MAX_POINTS];
} FieldQuery;

// ---- keeping contacts ------------------------------------------------------------------------------

static uint32_t mix_feature(const struct Origin* o) {
  uint32_t x = o->id * 0x9e3779b1u + o->own * 0x85ebca77u + (uint32_t)o->kind * 0xc2b2ae3du;
  return x ^ x >> 15;
}

// Whether two faces make a ridge: each is below the plane of the other.
static int make_ridge(hfVec3 n1, hfVec3 middle1, hfVec3 n2, hfVec3 middle2) {
  hfVec3 d = v3_sub(middle2, middle1);
  return v3_dot(d, n1) < 0 && v3_dot(d, n2) > 0;
}

// What becomes of a new contact beside the old one number i: -1 it is left out, 1 it takes the place of the old one, 0 both stay.
static int compare_contacts(const FieldQuery* q, int i, const hfiContactPoint* point, const struct Origin* origin) {
  const hfiContactPoint* old = &q->points[i];
  const struct Origin* was = &q->origin[i];
  if (origin->kind == FACE && was->kind == FACE && origin->own == was->own) {
    if (origin->id == was->id) return -1;
    if (make_ridge(old->n_W, was->middle, point->n_W, origin->middle)) return point->depth < old->depth ? 1 : -1;
  }
  int near = v3_norm2(v3_sub(old->p_WCb, point->p_WCb)) <= sqr(SAME_PLACE * q->cell);
  return near && v3_dot(old->n_W, point->n_W) > 1 - SAME_NORMAL ? -1 : 0;
}

// Where the new contact goes: a free place, that of the shallowest one if it is deeper, or -1.
static int find_place(const FieldQuery* q, double depth) {
  int shallowest = 0;
  if (q->count < HFI_MAX_POINTS) return q->count;
  for (int i = 1; i < q->count; ++i)
    if (q->points[i].depth < q->points[shallowest].depth) shallowest = i;
  return depth > q->points[shallowest].depth ? shallowest : -1;
}

static void add_contact(FieldQuery* q, const hfiContactPoint* point, struct Origin origin) {
  int place = -1;
  for (int i = 0; i < q->count; ++i) {
    int verdict = compare_contacts(q, i, point, &origin);
    if (verdict < 0) return;
    if (verdict > 0) place = i;
  }
  if (place < 0) place = find_place(q, point->depth);
  if (place < 0) return;
  q->count = imax2(q->count, place + 1);
  q->points[place] = *point;
  q->points[place].feature = mix_feature(&origin);
  q->origin[place] = origin;
}

// ---- leaving out what is far -----------------------------------------------------------------------

// Bits of the sides of A's box, grown by the margin, beyond which a cell lies: 1 << i along axis i of A, 8 << i against it, or BELOW.
// Where there is one, no part of the surface of the cell is within the margin of A.
static int find_sides(const FieldQuery* q, int c, int r) {
  const hfiHeightField* f = q->f;
  double z[4] = {hfi_hfield_height(f, c, r), hfi_hfield_height(f, c + 1, r), hfi_hfield_height(f, c, r + 1), hfi_hfield_height(f, c + 1, r + 1)};
  double low = min2(min2(z[0], z[1]), min2(z[2], z[3])), high = max2(max2(z[0], z[1]), max2(z[2], z[3]));
  double middle[3], lo[3], hi[3];
  if (high < q->box.lo.z) return BELOW;
  v3_store(middle, pose_inv_point(q->X_BA, v3((c + 0.5) * f->dx - f->half[0], (r + 0.5) * f->dy - f->half[1], 0.5 * (low + high))));
  v3_store(lo, q->own.lo), v3_store(hi, q->own.hi);
  int sides = 0;
  for (int i = 0; i < 3; ++i) {
    double half = q->spread[i] + 0.5 * (high - low) * fabs(q->X_BA.R.m[6 + i]);
    if (middle[i] - half > hi[i]) sides |= 1 << i;
    if (middle[i] + half < lo[i]) sides |= 8 << i;
  }
  return sides;
}

// Whether a face of such a cell is out of reach: A may have been pressed through it, unless it lies against its normal g (of any
// length) from A.
static int face_is_beside(const FieldQuery* q, int sides, hfVec3 g) {
  double d[3];
  if (!sides || sides == BELOW) return sides;
  v3_store(d, m3_tmulv(q->X_BA.R, g));
  for (int i = 0; i < 3; ++i)
    if ((sides & 1 << i && d[i] <= 0) || (sides & 8 << i && d[i] >= 0)) return 1;
  return 0;
}

// Sides of the cell that vertex (c, r) and the edges from there belong to.
static int vertex_sides(const FieldQuery* q, int c, int r) { return find_sides(q, imin2(c, q->c1), imin2(r, q->r1)); }

// ---- faces -----------------------------------------------------------------------------------------

typedef struct FieldFace {
  int c, r, upper;
  hfVec3 n, middle;
} FieldFace;

static FieldFace face_of(const FieldQuery* q, int c, int r, int upper) {
  const hfiHeightField* f = q->f;
  hfVec3 a = hfi_hfield_vertex(f, c, r), b = hfi_hfield_vertex(f, c + 1, r + 1), k = upper ? hfi_hfield_vertex(f, c, r + 1) : hfi_hfield_vertex(f, c + 1, r);
  FieldFace face = {c, r, upper, hfi_hfield_normal(f, c, r, upper), v3_scale(1.0 / 3, v3_add(a, v3_add(b, k)))};
  return face;
}

// Is (x, y) in the triangle?
static int in_triangle(const hfiHeightField* f, int c, int r, int upper, hfVec3 p) {
  double u = (p.x + f->half[0]) / f->dx - c, v = (p.y + f->half[1]) / f->dy - r;
  if (!(u >= -INSIDE && u <= 1 + INSIDE && v >= -INSIDE && v <= 1 + INSIDE)) return 0;
  return upper ? v >= u - INSIDE : v <= u + INSIDE;
}

// Is (x, y) in a cell beside that of the triangle, or in the same?
static int near_triangle(const hfiHeightField* f, const FieldFace* t, hfVec3 p) {
  return fabs(p.x + f->half[0] - (t->c + 0.5) * f->dx) <= 1.6 * f->dx && fabs(p.y + f->half[1] - (t->r + 0.5) * f->dy) <= 1.6 * f->dy;
}

// The triangle behind edge k of a triangle: 0 the diagonal, 1 the one along x, 2 the one along y. Returns 0 at the border.
static int neighbour(const hfiHeightField* f, const FieldFace* t, int k, int* c, int* r) {
  *c = t->c + (k == 2 ? (t->upper ? -1 : 1) : 0);
  *r = t->r + (k == 1 ? (t->upper ? 1 : -1) : 0);
  return *c >= 0 && *r >= 0 && *c < f->ncol - 1 && *r < f->nrow - 1;
}

// How far p is below the surface, straight up [m]; negative: it is not in the matter. It may be beside the field by `beside` and no more
// than a cell.
static double sunk_depth(const FieldQuery* q, hfVec3 p, double beside) {
  const hfiHeightField* f = q->f;
  double slack = INSIDE * q->cell + min2(beside, q->cell);
  if (fabs(p.x) > f->half[0] + slack || fabs(p.y) > f->half[1] + slack || p.z < -f->base) return -INFINITY;
  return hfi_hfield_surface(f, p.x, p.y) + INSIDE * q->cell - p.z;
}

// Whether the point w of the plane of a face, nearest to A's point p, belongs to the face.
//
// A corner in the matter, or the core of a round shape there, comes out by a face that is nearer than the surface straight above:
// faces that make a valley over it are, and of those that make a ridge the one above it is. Its own triangle holds it, and so do those
// that make a valley with the triangle of w: at the bottom of a valley all its faces must.
static int face_holds(const FieldQuery* q, const FieldFace* t, hfVec3 w, hfVec3 p, double depth) {
  const hfiHeightField* f = q->f;
  int near = near_triangle(f, t, w), inside = near && in_triangle(f, t->c, t->r, t->upper, w);
  if (!(depth > 0)) return inside;
  if (q->core > 0 && near && sunk_depth(q, v3_axpy(q->core, t->n, p), 0) < 0) return inside && sunk_depth(q, p, depth) >= 0;
  int holds = inside || in_triangle(f, t->c, t->r, t->upper, p);
  for (int k = 0; k < 3 && near && !holds; ++k) {
    int c, r;
    if (!neighbour(f, t, k, &c, &r) || !in_triangle(f, c, r, !t->upper, w)) continue;
    FieldFace other = face_of(q, c, r, !t->upper);
    holds = v3_dot(v3_sub(other.middle, t->middle), t->n) > 0; // a hollow edge
  }
  return holds && sunk_depth(q, p, 0) >= depth;
}

// The plane through p with the normal n, and a contact with it as that of B with A.
static hfPose plane_pose(hfVec3 p, hfVec3 n) {
  hfPose X = {m3_identity(), p};
  hfVec3 t1, t2;
  v3_tangents(n, &t1, &t2);
  X.R = m3_from_cols(t1, t2, n);
  return X;
}

// Points of A below the plane, n from the plane into A, at most HFI_MAX_MANIFOLD.
static int below_plane(const FieldQuery* q, hfVec3 p, hfVec3 n, hfiContactPoint* points) {
  hfiShape plane = {HF_GEOM_PLANE, {0, 0, 0}, NULL, NULL};
  hfPose X = plane_pose(p, n);
  int count = hfi_functions(q->A)->plane(&plane, &X, q->A, &q->X_BA, q->margin, points);
  for (int i = 0; i < count; ++i) {
    uint32_t own = points[i].feature;
    swap_point(&points[i]);
    points[i].feature = own;
  }
  return count;
}

// Lists the vertices of a mesh that are not above all cells under it by more than the margin.
static void list_low_vertices(FieldQuery* q) {
  const hfiHull* hull = q->A->hull;
  double highest = -INFINITY;
  for (int r = q->r0; r <= q->r1 + 1; ++r)
    for (int c = q->c0; c <= q->c1 + 1; ++c) highest = max2(highest, hfi_hfield_height(q->f, c, r));
  hfVec3 up = v3(q->X_BA.R.m[6], q->X_BA.R.m[7], q->X_BA.R.m[8]);
  double limit = highest + q->margin + HFI_FLAT_TILT * hfi_functions(q->A)->core_size(q->A) - q->X_BA.p.z;
  q->nlow = 0;
  for (int32_t i = 0; i < hull->nvert; ++i) {
    if (v3_dot(up, v3_load(hull->vert + 3 * i)) > limit) continue;
    if (q->nlow == MOST_LOW) {
      q->nlow = -1; // too many: all are tried
      return;
    }
    q->low[q->nlow++] = i;
  }
}

// The vertices of a mesh that the face holds, thinned. The plane's own function thins before it knows the face.
static int vertices_at_face(const FieldQuery* q, const FieldFace* t, hfiContactPoint* points) {
  const hfiHull* hull = q->A->hull;
  hfVec3 n_A = m3_tmulv(q->X_BA.R, t->n);
  double height = v3_dot(t->n, v3_sub(q->X_BA.p, t->middle)), slack = HFI_FLAT_TILT * hfi_functions(q->A)->core_size(q->A);
  hfiThinning thin;
  hfi_thinning_start(&thin, n_A, slack);
  int listed = q->nlow >= 0, count = listed ? q->nlow : hull->nvert;
  for (int k = 0; k < count; ++k) {
    int32_t i = listed ? q->low[k] : k;
    hfVec3 x = v3_load(hull->vert + 3 * i);
    double depth = -height - v3_dot(n_A, x);
    if (!(depth >= -q->margin - slack)) continue;
    hfVec3 p = pose_point(q->X_BA, x);
    if (face_holds(q, t, v3_axpy(depth, t->n, p), p, depth)) hfi_thinning_add(&thin, x, depth, (uint32_t)i);
  }
  hfiOverlapPoint kept[HFI_MAX_MANIFOLD];
  count = hfi_thinning_finish(&thin, kept);
  for (int k = 0; k < count; ++k) {
    hfVec3 p = pose_point(q->X_BA, kept[k].p);
    put_point(&points[k], v3_axpy(kept[k].depth, t->n, p), t->n, kept[k].depth, kept[k].feature);
  }
  return count;
}

static void touch_face(FieldQuery* q, int c, int r, int upper) {
  FieldFace t = face_of(q, c, r, upper);
  hfiContactPoint points[HFI_MAX_MANIFOLD];
  int count = q->A->hull ? vertices_at_face(q, &t, points) : below_plane(q, t.middle, t.n, points);
  uint32_t region = (uint32_t)q->f->region[hfi_hfield_triangle(q->f, c, r, upper)];
  for (int i = 0; i < count; ++i) {
    hfiContactPoint* p = &points[i];
    if (face_holds(q, &t, p->p_WCb, p->p_WCa, p->depth)) add_contact(q, p, (struct Origin){FACE, region, p->feature, t.middle});
  }
}

static void touch_faces(FieldQuery* q) {
  if (q->A->hull) list_low_vertices(q);
  for (int r = q->r0; r <= q->r1; ++r)
    for (int c = q->c0; c <= q->c1; ++c) {
      int sides = find_sides(q, c, r);
      for (int upper = 0; upper < 2; ++upper) {
        double slope[2];
        hfi_hfield_slopes(q->f, c, r, upper, slope);
        if (!face_is_beside(q, sides, v3(-slope[0], -slope[1], 1))) touch_face(q, c, r, upper);
      }
    }
}

// ---- flat patches ----------------------------------------------------------------------------------

// Whether all cells under A are one plane.
static int is_flat_patch(const FieldQuery* q) {
  const hfiHeightField* f = q->f;
  hfVec3 corner = hfi_hfield_vertex(f, q->c0, q->r0);
  double s[2];
  hfi_hfield_slopes(f, q->c0, q->r0, 0, s);
  for (int r = q->r0; r <= q->r1 + 1; ++r)
    for (int c = q->c0; c <= q->c1 + 1; ++c) {
      hfVec3 d = v3_sub(hfi_hfield_vertex(f, c, r), corner);
      if (!(fabs(d.z - s[0] * d.x - s[1] * d.y) <= FLAT * q->cell)) return 0;
    }
  return 1;
}

// A meets the patch as it meets a plane.
static void touch_patch(FieldQuery* q) {
  const hfiHeightField* f = q->f;
  FieldFace t = face_of(q, q->c0, q->r0, 0);
  hfiContactPoint points[HFI_MAX_MANIFOLD];
  int count = below_plane(q, t.middle, t.n, points);
  uint32_t region = (uint32_t)f->region[hfi_hfield_triangle(f, q->c0, q->r0, 0)];
  for (int i = 0; i < count; ++i) {
    hfVec3 w = points[i].p_WCb;
    if (fabs(w.x) > f->half[0] + INSIDE * f->dx || fabs(w.y) > f->half[1] + INSIDE * f->dy) continue;
    add_contact(q, &points[i], (struct Origin){FACE, region, points[i].feature, t.middle});
  }
}

// ---- ridges ----------------------------------------------------------------------------------------

static int boxes_meet(const hfiAabb* box, hfVec3 a, hfVec3 b) {
  return max2(a.x, b.x) >= box->lo.x && min2(a.x, b.x) <= box->hi.x && max2(a.y, b.y) >= box->lo.y && min2(a.y, b.y) <= box->hi.y &&
         max2(a.z, b.z) >= box->lo.z && min2(a.z, b.z) <= box->hi.z;
}

// Is n a combination of n1 and n2 with positive factors, up to the slack of the cone?
static int between_normals(const FieldQuery* q, hfVec3 n, hfVec3 n1, hfVec3 n2) {
  double cosine = v3_dot(n1, n2), a = v3_dot(n, n1), b = v3_dot(n, n2), sine = sqrt(max2(1 - cosine * cosine, 0));
  return a - cosine * b >= -q->cone * sine && b - cosine * a >= -q->cone * sine && a + b > 0;
}

// Contacts of A with the segment of half length `half` along z of X, n from the segment into A.
static int touch_segment(const FieldQuery* q, const hfPose* X, double half, hfiContactPoint* points) {
  hfiShape segment = {HF_GEOM_CAPSULE, {0, half, 0}, NULL, NULL};
  int type = q->A->type, swapped = type > HF_GEOM_CAPSULE;
  hfiPairFunction* pair = type == HF_GEOM_SPHERE ? hfi_sphere_convex : type == HF_GEOM_CAPSULE ? hfi_capsule_capsule : type == HF_GEOM_BOX ? hfi_capsule_box : hfi_convex_convex;
  return call_pair(pair, swapped, q->A, &q->X_BA, &segment, X, q->margin, points);
}

// The edge from a to b, between faces with normals n1 and n2.
static void touch_ridge(FieldQuery* q, hfVec3 a, hfVec3 b, hfVec3 n1, hfVec3 n2, uint32_t id) {
  hfVec3 d = v3_sub(b, a);
  double length = v3_norm(d);
  hfPose X = plane_pose(v3_scale(0.5, v3_add(a, b)), v3_scale(1 / length, d));
  hfiContactPoint points[HFI_MAX_MANIFOLD];
  int count = touch_segment(q, &X, 0.5 * length, points);
  for (int i = 0; i < count; ++i) {
    double along = v3_dot(v3_sub(points[i].p_WCb, a), d) / (length * length);
    if (!(along > INSIDE && along < 1 - INSIDE) || !between_normals(q, points[i].n_W, n1, n2)) continue;
    add_contact(q, &points[i], (struct Origin){RIDGE, id, points[i].feature, v3_zero()});
  }
}

// The edge from vertex (c, r) along x (kind 0), along y (1) or along the diagonal (2). Faces before and behind it as seen across:
// below and above, left and right, or the two triangles of the cell.
static void touch_edge(FieldQuery* q, int c, int r, int kind) {
  const hfiHeightField* f = q->f;
  int c2 = c + (kind != 1), r2 = r + (kind != 0);
  if (c2 > f->ncol - 1 || r2 > f->nrow - 1) return;
  hfVec3 a = hfi_hfield_vertex(f, c, r), b = hfi_hfield_vertex(f, c2, r2);
  if (!boxes_meet(&q->box, a, b)) return;
  int before_c = kind == 1 ? c - 1 : c, before_r = kind == 0 ? r - 1 : r, before_upper = kind == 0, after_upper = kind != 0;
  int has_before = before_c >= 0 && before_r >= 0, has_after = c < f->ncol - 1 && r < f->nrow - 1;
  if (has_before && has_after &&
      f->region[hfi_hfield_triangle(f, before_c, before_r, before_upper)] == f->region[hfi_hfield_triangle(f, c, r, after_upper)])
    return;
  hfVec3 out = kind == 0 ? v3(0, 1, 0) : v3(1, 0, 0); // of the walls
  hfVec3 n1 = has_before ? hfi_hfield_normal(f, before_c, before_r, before_upper) : v3_neg(out);
  hfVec3 n2 = has_after ? hfi_hfield_normal(f, c, r, after_upper) : out;
  hfVec3 across = kind == 2 ? v3(-f->dy, f->dx, 0) : out;
  if (!(v3_dot(v3_sub(n2, n1), across) > 0)) return; // a valley
  touch_ridge(q, a, b, n1, n2, 3 * (uint32_t)(r * f->ncol + c) + (uint32_t)kind);
}

static void touch_ridges(FieldQuery* q) {
  for (int r = q->r0; r <= q->r1 + 1; ++r)
    for (int c = q->c0; c <= q->c1 + 1; ++c)
      for (int kind = 0, sides = vertex_sides(q, c, r); kind < 3 && !sides; ++kind) touch_edge(q, c, r, kind);
}

// ---- peaks -----------------------------------------------------------------------------------------

// Where edges lead from a vertex; opposite ones stand side by side.
static const int STEP[6][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {-1, -1}};

// Edges that leave a vertex, zero where the field ends.
typedef struct Star {
  hfVec3 p, edge[7]; // the last one runs down a wall
  int at_border;
} Star;

static Star star_of(const hfiHeightField* f, int c, int r) {
  Star s = {.p = hfi_hfield_vertex(f, c, r)};
  for (int k = 0; k < 6; ++k) {
    int c2 = c + STEP[k][0], r2 = r + STEP[k][1];
    if (c2 < 0 || r2 < 0 || c2 >= f->ncol || r2 >= f->nrow) s.at_border = 1;
    else s.edge[k] = v3_sub(hfi_hfield_vertex(f, c2, r2), s.p);
  }
  if (s.at_border) s.edge[6] = v3(0, 0, -1);
  return s;
}

// The contact of A with the point p; 0 where they are farther apart than the margin.
static int point_contact(const FieldQuery* q, hfVec3 p, double margin, hfiContactPoint* point) {
  hfiNearest near = hfi_nearest(q->A, pose_inv_point(q->X_BA, p));
  if (!(near.distance <= margin)) return 0;
  put_point(point, p, v3_neg(m3_mulv(q->X_BA.R, near.normal)), -near.distance, 0);
  return 1;
}

// Does A go on beyond the vertex along e, as deep as there?
static int continues_along(const FieldQuery* q, hfVec3 p, hfVec3 e, double depth) {
  hfiContactPoint beyond;
  double step = PROBE * v3_norm(e);
  return point_contact(q, v3_axpy(PROBE, e, p), q->margin + step, &beyond) && beyond.depth >= depth - 0.1 * step;
}

// Whether n is in the cone of the vertex, and the vertex no point in the middle of a straight edge under A.
static int peak_holds(const FieldQuery* q, const Star* s, const hfiContactPoint* point) {
  double slope[7];
  for (int k = 0; k < 7; ++k) {
    double length = v3_norm(s->edge[k]);
    slope[k] = length > 0 ? v3_dot(point->n_W, s->edge[k]) / length : -1;
    if (slope[k] > q->cone) return 0;
  }
  for (int k = 0; k < 6; k += 2) {
    int straight = slope[k] >= -HFI_FACET_ANGLE && slope[k + 1] >= -HFI_FACET_ANGLE;
    if (straight && continues_along(q, s->p, s->edge[k], point->depth) && continues_along(q, s->p, s->edge[k + 1], point->depth)) return 0;
  }
  return 1;
}

// Whether all triangles around a vertex lie in one plane.
static int is_flat_vertex(const hfiHeightField* f, int c, int r) {
  if (c < 1 || r < 1 || c > f->ncol - 2 || r > f->nrow - 2) return 0;
  const int32_t* left = &f->region[hfi_hfield_triangle(f, c - 1, r - 1, 0)];
  const int32_t* above = &f->region[hfi_hfield_triangle(f, c - 1, r, 0)];
  return left[0] == left[1] && left[0] == left[3] && above[0] == left[0] && above[2] == left[0] && above[3] == left[0];
}

static void touch_peaks(FieldQuery* q) {
  const hfiHeightField* f = q->f;
  for (int r = q->r0; r <= q->r1 + 1; ++r)
    for (int c = q->c0; c <= q->c1 + 1; ++c) {
      hfVec3 p = hfi_hfield_vertex(f, c, r);
      hfiContactPoint point;
      if (!boxes_meet(&q->box, p, p) || vertex_sides(q, c, r) || is_flat_vertex(f, c, r) || !point_contact(q, p, q->margin, &point)) continue;
      Star s = star_of(f, c, r);
      if (peak_holds(q, &s, &point)) add_contact(q, &point, (struct Origin){PEAK, (uint32_t)(r * f->ncol + c), 0, v3_zero()});
    }
}

// ---- walls and base --------------------------------------------------------------------------------

// Faces of the field's sides and base, for a shape whose origin is beyond them; they are numbered behind the regions.
static void touch_side(FieldQuery* q, hfVec3 on, hfVec3 out, int side) {
  const hfiHeightField* f = q->f;
  if (!(v3_dot(v3_sub(q->X_BA.p, on), out) > 0)) return;
  hfiContactPoint points[HFI_MAX_MANIFOLD];
  int count = below_plane(q, on, out, points);
  uint32_t id = (uint32_t)(hfi_hfield_triangles(f->nrow, f->ncol) + side);
  for (int i = 0; i < count; ++i) {
    hfVec3 w = points[i].p_WCb;
    int holds = fabs(w.x) <= f->half[0] * (1 + INSIDE) && fabs(w.y) <= f->half[1] * (1 + INSIDE) && w.z >= -f->base * (1 + INSIDE) &&
                w.z <= hfi_hfield_surface(f, w.x, w.y);
    if (holds) add_contact(q, &points[i], (struct Origin){FACE, id, points[i].feature, on});
  }
}

// Upright edges at the corners and edges of the base.
static void touch_frame(FieldQuery* q) {
  const hfiHeightField* f = q->f;
  uint32_t id = 3 * (uint32_t)(f->nrow * f->ncol);
  static const double X[5] = {-1, 1, 1, -1, -1}, Y[5] = {-1, -1, 1, 1, -1};
  for (int k = 0; k < 4; ++k) {
    hfVec3 low = v3(X[k] * f->half[0], Y[k] * f->half[1], -f->base), next = v3(X[k + 1] * f->half[0], Y[k + 1] * f->half[1], -f->base);
    hfVec3 top = v3(low.x, low.y, hfi_hfield_surface(f, low.x, low.y)), out = v3(0.5 * (Y[k + 1] - Y[k]), 0.5 * (X[k] - X[k + 1]), 0);
    if (boxes_meet(&q->box, low, top)) touch_ridge(q, low, top, v3(X[k], 0, 0), v3(0, Y[k], 0), id + 2 * (uint32_t)k);
    if (boxes_meet(&q->box, low, next)) touch_ridge(q, low, next, out, v3(0, 0, -1), id + 2 * (uint32_t)k + 1);
    Star corner = {.p = low, .edge = {v3_sub(next, low), {0, 0, 0}, v3(0, 0, 1)}};
    hfVec3 last = v3(X[(k + 3) % 4] * f->half[0], Y[(k + 3) % 4] * f->half[1], -f->base);
    corner.edge[4] = v3_sub(last, low);
    hfiContactPoint point;
    if (boxes_meet(&q->box, low, low) && point_contact(q, low, q->margin, &point) && peak_holds(q, &corner, &point))
      add_contact(q, &point, (struct Origin){PEAK, id + (uint32_t)k, 0, v3_zero()});
  }
}

static void touch_outside(FieldQuery* q) {
  const hfiHeightField* f = q->f;
  touch_side(q, v3(-f->half[0], 0, 0), v3(-1, 0, 0), 0);
  touch_side(q, v3(f->half[0], 0, 0), v3(1, 0, 0), 1);
  touch_side(q, v3(0, -f->half[1], 0), v3(0, -1, 0), 2);
  touch_side(q, v3(0, f->half[1], 0), v3(0, 1, 0), 3);
  touch_side(q, v3(0, 0, -f->base), v3(0, 0, -1), 4);
  touch_frame(q);
}

// ---- the whole -------------------------------------------------------------------------------------

// The cells under A, and whether it comes near the field at all.
static int find_cells(FieldQuery* q) {
  const hfiHeightField* f = q->f;
  hfiAabb box = hfi_shape_aabb(q->A, &q->X_BA);
  hfVec3 grow = v3(q->margin, q->margin, q->margin);
  q->box.lo = v3_sub(box.lo, grow), q->box.hi = v3_add(box.hi, grow);
  hfPose here = pose_identity();
  q->own = hfi_shape_aabb(q->A, &here);
  q->own.lo = v3_sub(q->own.lo, grow), q->own.hi = v3_add(q->own.hi, grow);
  for (int i = 0; i < 3; ++i) q->spread[i] = 0.5 * (f->dx * fabs(q->X_BA.R.m[i]) + f->dy * fabs(q->X_BA.R.m[3 + i]));
  if (q->box.lo.z > f->highest || q->box.hi.z < -f->base || q->box.lo.x > f->half[0] || q->box.hi.x < -f->half[0] ||
      q->box.lo.y > f->half[1] || q->box.hi.y < -f->half[1])
    return 0;
  hfi_hfield_cell(f, q->box.lo.x, q->box.lo.y, &q->c0, &q->r0);
  hfi_hfield_cell(f, q->box.hi.x, q->box.hi.y, &q->c1, &q->r1);
  return 1;
}

static int is_round(int type) { return type == HF_GEOM_SPHERE || type == HF_GEOM_CAPSULE || type == HF_GEOM_ELLIPSOID; }

int hfi_convex_hfield(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB, double margin, hfiContactPoint* points) {
  const hfiHeightField* f = B->field;
  FieldQuery q = {.A = A, .X_BA = pose_inv_mul(*X_WB, *X_WA), .f = f, .margin = margin, .cell = min2(f->dx, f->dy), .points = points};
  int round = is_round(A->type);
  q.cone = round ? STRICT : LOOSE;
  q.core = A->type == HF_GEOM_ELLIPSOID ? min2(A->size[0], min2(A->size[1], A->size[2])) : round ? A->size[0] : 0;
  if (!find_cells(&q)) return 0;
  int at_border = q.c0 == 0 || q.r0 == 0 || q.c1 == f->ncol - 2 || q.r1 == f->nrow - 2, flat = is_flat_patch(&q);
  if (flat) touch_patch(&q);
  else touch_faces(&q);
  if (!flat || at_border) touch_ridges(&q), touch_peaks(&q);
  if (at_border || q.box.lo.z <= -f->base) touch_outside(&q);
  hfi_points_to_world(X_WB, points, q.count);
  return q.count;
}

int hfi_hfield_distance(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB, double far, hfiContactPoint* point) {
  hfiContactPoint points[HFI_MAX_POINTS];
  const hfiHeightField* f = B->field;
  hfVec3 size = v3(f->half[0], f->half[1], f->base + f->highest);
  hfiAabb box = hfi_shape_aabb(A, X_WA);
  double most = min2(far, v3_norm(size) + v3_norm(v3_sub(X_WA->p, X_WB->p)) + v3_norm(v3_sub(box.hi, box.lo)));
  double near = min2(max2(v3_norm(v3_sub(box.hi, box.lo)), min2(f->dx, f->dy)), most);
  int count = 0;
  for (; (count = hfi_convex_hfield(A, X_WA, B, X_WB, near, points)) == 0 && near < most; near = min2(2 * near, most)) continue;
  if (count == 0) return 0;
  int deepest = 0;
  for (int i = 1; i < count; ++i)
    if (points[i].depth > points[deepest].depth) deepest = i;
  if (!(-points[deepest].depth <= far)) return 0;
  *point = points[deepest];
  return 1;
}
