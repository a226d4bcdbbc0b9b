// Contacts of a convex shape with the ridges and peaks of a height field, and with the edges of its sides and base
// (hfield_convex.c).
#include "step/geometry/hfield_query.h"

// A contact at an end of an edge belongs to the edge if the cosine of the angle between its normal and the edge is
// below this [-].
static const double UPRIGHT = 1e-9;
// To find whether A continues along an edge, a point at this share of the edge's length from the vertex is tested [-].
static const double PROBE = 1e-3;

// ---- ridges ----------------------------------------------------------------------------------------

// Does a box meet the box about two points?
static int boxes_meet(const hfiAabb* box, hfVec3 a, hfVec3 b) {
  return max2(a.x, b.x) >= box->lo.x && min2(a.x, b.x) <= box->hi.x &&
         max2(a.y, b.y) >= box->lo.y && min2(a.y, b.y) <= box->hi.y &&
         max2(a.z, b.z) >= box->lo.z && min2(a.z, b.z) <= box->hi.z;
}

// Is n a combination of n1 and n2 with positive factors, up to the slack of the cone?
static int between_normals(const hfiFieldQuery* q, hfVec3 n, hfVec3 n1, hfVec3 n2) {
  double cosine = v3_dot(n1, n2);
  double sine = sqrt(max2(1 - cosine * cosine, 0));
  double a = v3_dot(n, n1);
  double b = v3_dot(n, n2);
  return a - cosine * b >= -q->cone * sine && b - cosine * a >= -q->cone * sine && a + b > 0;
}

// Contacts of A with the segment of half length `half` along z of X, n from the segment into A. It calls the functions
// that collide.c chooses for a capsule. It cannot ask collide.c for them, because collide.c needs this file.
static int touch_segment(const hfiFieldQuery* q, const hfPose* X, double half, hfiContactPoint* points) {
  hfiShape segment = {HF_GEOM_CAPSULE, {0, half, 0}, NULL, NULL};
  int type = q->A->type;
  int swapped = type > HF_GEOM_CAPSULE;

  hfiPairFunction* pair = hfi_convex_convex;
  if (type == HF_GEOM_SPHERE) pair = hfi_sphere_convex;
  else if (type == HF_GEOM_CAPSULE) pair = hfi_capsule_capsule;
  else if (type == HF_GEOM_BOX) pair = hfi_capsule_box;
  return call_pair(pair, swapped, q->A, &q->X_BA, &segment, X, q->margin, points);
}

// Does the contact belong to the edge from a along d (which may have any length), not to a part beyond its ends?
static int on_edge(const hfiContactPoint* point, hfVec3 a, hfVec3 d) {
  double along = v3_dot(v3_sub(point->p_WCb, a), d) / v3_norm2(d);
  if (along > HFI_INSIDE && along < 1 - HFI_INSIDE) return 1;
  return along >= -HFI_INSIDE && along <= 1 + HFI_INSIDE && fabs(v3_dot(point->n_W, d)) <= UPRIGHT * v3_norm(d);
}

// Contacts with the edge from a to b, between faces with normals n1 and n2.
static void touch_ridge(hfiFieldQuery* q, hfVec3 a, hfVec3 b, hfVec3 n1, hfVec3 n2, uint32_t id) {
  hfVec3 d = v3_sub(b, a);
  double length = v3_norm(d);
  hfPose X = hfi_plane_pose(v3_scale(0.5, v3_add(a, b)), v3_scale(1 / length, d));
  hfiContactPoint points[HFI_MAX_MANIFOLD];
  int count = touch_segment(q, &X, 0.5 * length, points);

  for (int i = 0; i < count; ++i) {
    if (on_edge(&points[i], a, d) && between_normals(q, points[i].n_W, n1, n2))
      hfi_field_add(q, &points[i], (hfiFieldOrigin){HFI_RIDGE, id, points[i].feature, v3_zero()});
  }
}

// Does a sphere surely not touch the edge from a to b between its ends? The point of the line nearest to the centre is
// a + t/|d|^2 d.
static int ball_misses_edge(const hfiFieldQuery* q, hfVec3 a, hfVec3 b) {
  hfVec3 d = v3_sub(b, a);
  hfVec3 rel = v3_sub(q->X_BA.p, a);
  double dd = v3_norm2(d);
  double t = v3_dot(rel, d);
  return t < -HFI_SURELY * dd || t > (1 + HFI_SURELY) * dd || hfi_field_is_beyond(q, v3_norm2(rel) * dd - sqr(t), dd);
}

// A point of the field in axes in which the surface of an ellipsoid is a sphere of radius 1 about the origin.
static hfVec3 to_unit_sphere(const hfiFieldQuery* q, hfVec3 p) {
  hfVec3 p_A = pose_inv_point(q->X_BA, p);
  return v3(p_A.x / q->A->size[0], p_A.y / q->A->size[1], p_A.z / q->A->size[2]);
}

// Is the edge from a to b, or a vertex with a = b, surely farther from an ellipsoid than the margin? What is nearer
// lies in the ellipsoid that is as much larger as the margin is of the smallest half axis.
static int ellipsoid_misses(const hfiFieldQuery* q, hfVec3 a, hfVec3 b) {
  hfVec3 from = to_unit_sphere(q, a);
  hfVec3 d = v3_sub(to_unit_sphere(q, b), from);
  double dd = v3_norm2(d);
  double t = dd > 0 ? clamp(-v3_dot(from, d) / dd, 0, 1) : 0;
  double reach = 1 + q->margin / min2(q->A->size[0], min2(q->A->size[1], q->A->size[2]));
  return v3_norm2(v3_axpy(t, d, from)) > sqr(reach) * (1 + HFI_SURELY);
}

// Is the edge from a to b, or a vertex with a = b, surely farther from A than the margin?
static int misses(const hfiFieldQuery* q, hfVec3 a, hfVec3 b) {
  return !boxes_meet(&q->box, a, b) || (q->A->type == HF_GEOM_ELLIPSOID && ellipsoid_misses(q, a, b));
}

// A face beside an edge.
typedef struct EdgeFace { int c, r, upper; } EdgeFace;

// The region of a face; -1 beyond the border of the field, where there is a wall.
static int region_of(const hfiHeightField* f, EdgeFace t) {
  int exists = t.c >= 0 && t.r >= 0 && t.c < f->ncol - 1 && t.r < f->nrow - 1;
  return exists ? f->region[hfi_hfield_triangle(f, t.c, t.r, t.upper)] : -1;
}

// Contacts with the edge from vertex (c, r), which is at a, along x (kind 0), along y (1) or along the diagonal (2), if
// it is a ridge. The faces before and after it are those below and above an edge along x, left and right of one along
// y, the lower and the upper one of the cell.
static void touch_edge(hfiFieldQuery* q, hfVec3 a, int c, int r, int kind) {
  const hfiHeightField* f = q->f;
  int c2 = c + (kind != 1);
  int r2 = r + (kind != 0);
  if (c2 > f->ncol - 1 || r2 > f->nrow - 1) return;

  hfVec3 b = hfi_hfield_vertex(f, c2, r2);
  int is_far = q->ball > 0 ? ball_misses_edge(q, a, b) : misses(q, a, b);
  if (is_far) return;

  // two faces of one region lie in one plane
  EdgeFace before = {.c = kind == 1 ? c - 1 : c, .r = kind == 0 ? r - 1 : r, .upper = kind == 0};
  EdgeFace after = {.c = c, .r = r, .upper = kind != 0};
  int before_region = region_of(f, before);
  int after_region = region_of(f, after);
  if (before_region >= 0 && before_region == after_region) return;

  // their normals; beyond the border there is a wall
  hfVec3 out = kind == 0 ? v3(0, 1, 0) : v3(1, 0, 0); // normal of the wall behind the last row or column
  hfVec3 n1 = before_region < 0 ? v3_neg(out) : hfi_hfield_normal(f, before.c, before.r, before.upper);
  hfVec3 n2 = after_region < 0 ? out : hfi_hfield_normal(f, after.c, after.r, after.upper);

  hfVec3 across = kind == 2 ? v3(-f->dy, f->dx, 0) : out;
  int is_ridge = v3_dot(v3_sub(n2, n1), across) > 0; // else a valley
  if (is_ridge) touch_ridge(q, a, b, n1, n2, 3 * (uint32_t)(r * f->ncol + c) + (uint32_t)kind);
}

// Adds the contacts with the edges of the surface under A.
void hfi_field_touch_ridges(hfiFieldQuery* q) {
  for (int r = q->r0; r <= q->r1 + 1; ++r)
    for (int c = q->c0; c <= q->c1 + 1; ++c) {
      if (hfi_field_vertex_sides(q, c, r)) continue;
      hfVec3 a = hfi_hfield_vertex(q->f, c, r);
      for (int kind = 0; kind < 3; ++kind) touch_edge(q, a, c, r, kind);
    }
}

// ---- peaks -----------------------------------------------------------------------------------------

// Steps from a vertex to the other ends of its edges. Opposite edges follow each other.
static const int STEP[6][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {-1, -1}};

// Edges that leave a vertex, zero where the field ends.
typedef struct Star {
  hfVec3 p, edge[7]; // the last one runs down a wall
  int at_border;
} Star;

// Returns the edges that leave the vertex (c, r).
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

// The contact of A with the point p; 0 if they are farther apart than the margin.
static int point_contact(const hfiFieldQuery* q, hfVec3 p, double margin, hfiContactPoint* point) {
  hfiNearest near = hfi_nearest(q->A, pose_inv_point(q->X_BA, p));
  if (!(near.distance <= margin)) return 0;
  put_point(point, p, v3_neg(m3_mulv(q->X_BA.R, near.normal)), -near.distance, 0);
  return 1;
}

// Does A continue beyond the vertex along e, as deep as at the vertex?
static int continues_along(const hfiFieldQuery* q, hfVec3 p, hfVec3 e, double depth) {
  hfiContactPoint beyond;
  double step = PROBE * v3_norm(e);
  return point_contact(q, v3_axpy(PROBE, e, p), q->margin + step, &beyond) && beyond.depth >= depth - 0.1 * step;
}

// Whether n is in the cone of the vertex, and the vertex is not in the middle of a straight edge under A. (A round
// shape touches such an edge in one point only: at the vertex if n is in its cone.)
static int peak_holds(const hfiFieldQuery* q, const Star* s, const hfiContactPoint* point) {
  double slope[7];
  for (int k = 0; k < 7; ++k) {
    double length = v3_norm(s->edge[k]);
    slope[k] = length > 0 ? v3_dot(point->n_W, s->edge[k]) / length : -1;
    if (slope[k] > q->cone) return 0;
  }
  if (q->core > 0) return 1;

  // pairs of opposite edges
  for (int k = 0; k < 6; k += 2) {
    int is_straight = slope[k] >= -HFI_FACET_ANGLE && slope[k + 1] >= -HFI_FACET_ANGLE;
    if (!is_straight || !continues_along(q, s->p, s->edge[k], point->depth)) continue;
    if (continues_along(q, s->p, s->edge[k + 1], point->depth)) return 0;
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

// Adds the contacts with the vertices of the surface under A.
void hfi_field_touch_peaks(hfiFieldQuery* q) {
  const hfiHeightField* f = q->f;
  for (int r = q->r0; r <= q->r1 + 1; ++r)
    for (int c = q->c0; c <= q->c1 + 1; ++c) {
      if (hfi_field_vertex_sides(q, c, r)) continue;

      hfVec3 p = hfi_hfield_vertex(f, c, r);
      int is_far;
      if (q->ball > 0) is_far = hfi_field_is_beyond(q, v3_norm2(v3_sub(p, q->X_BA.p)), 1);
      else is_far = misses(q, p, p);
      if (is_far) continue;

      hfiContactPoint point;
      if (is_flat_vertex(f, c, r) || !point_contact(q, p, q->margin, &point)) continue;

      Star s = star_of(f, c, r);
      hfiFieldOrigin origin = {.kind = HFI_PEAK, .id = (uint32_t)(r * f->ncol + c)};
      if (peak_holds(q, &s, &point)) hfi_field_add(q, &point, origin);
    }
}

// ---- walls and base --------------------------------------------------------------------------------

// Corner k of the base, around the field; 4 is 0 again.
static hfVec3 base_corner(const hfiHeightField* f, int k) {
  static const double X[4] = {-1, 1, 1, -1}, Y[4] = {-1, -1, 1, 1};
  return v3(X[k % 4] * f->half[0], Y[k % 4] * f->half[1], -f->base);
}

// The contact with corner k of the base: three edges leave it.
static void touch_base_corner(hfiFieldQuery* q, int k, uint32_t id) {
  const hfiHeightField* f = q->f;
  hfVec3 p = base_corner(f, k);
  hfVec3 next = base_corner(f, k + 1);
  hfVec3 last = base_corner(f, k + 3);
  Star star = {.p = p, .edge = {[0] = v3_sub(next, p), [2] = v3(0, 0, 1), [4] = v3_sub(last, p)}};
  hfiContactPoint point;
  if (boxes_meet(&q->box, p, p) && point_contact(q, p, q->margin, &point) && peak_holds(q, &star, &point))
    hfi_field_add(q, &point, (hfiFieldOrigin){HFI_PEAK, id, 0, v3_zero()});
}

// Whether the box of A reaches two of these three: a wall along y, a wall along x, the base. All edges and corners of
// the frame lie between two of them.
static int reaches_frame(const hfiFieldQuery* q) {
  const hfiHeightField* f = q->f;
  const hfiAabb* b = &q->box;
  int x = b->lo.x <= -f->half[0] || b->hi.x >= f->half[0];
  int y = b->lo.y <= -f->half[1] || b->hi.y >= f->half[1];
  int base = b->lo.z <= -f->base;
  return x + y + base >= 2;
}

// Adds the contacts with the edges and corners of the base, and with the upright edges between the walls. Their numbers
// follow those of the ridges.
void hfi_field_touch_frame(hfiFieldQuery* q) {
  const hfiHeightField* f = q->f;
  if (!reaches_frame(q)) return;

  uint32_t id = 3 * (uint32_t)(f->nrow * f->ncol);
  for (int k = 0; k < 4; ++k) {
    hfVec3 low = base_corner(f, k);
    hfVec3 next = base_corner(f, k + 1);
    hfVec3 top = v3(low.x, low.y, hfi_hfield_surface(f, low.x, low.y));

    // outward normals of the two walls at this corner, and of the wall from it to the next one
    hfVec3 wall_x = v3(low.x > 0 ? 1 : -1, 0, 0);
    hfVec3 wall_y = v3(0, low.y > 0 ? 1 : -1, 0);
    hfVec3 wall = k % 2 ? wall_x : wall_y;

    if (boxes_meet(&q->box, low, top)) touch_ridge(q, low, top, wall_x, wall_y, id + 2 * (uint32_t)k);
    if (boxes_meet(&q->box, low, next)) touch_ridge(q, low, next, wall, v3(0, 0, -1), id + 2 * (uint32_t)k + 1);
    touch_base_corner(q, k, id + (uint32_t)k);
  }
}
