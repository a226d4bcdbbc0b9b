// Contacts of a convex shape with the ridges and peaks of a height field, and with the edges of its sides and base (hfield_convex.c).
#include "geometry/hfield_query.h"

static const double PROBE = 1e-3;    // Share of an edge at which it is asked whether A continues along it [-].

// ---- ridges ----------------------------------------------------------------------------------------

static int boxes_meet(const hfiAabb* box, hfVec3 a, hfVec3 b) {
  return max2(a.x, b.x) >= box->lo.x && min2(a.x, b.x) <= box->hi.x && max2(a.y, b.y) >= box->lo.y && min2(a.y, b.y) <= box->hi.y &&
         max2(a.z, b.z) >= box->lo.z && min2(a.z, b.z) <= box->hi.z;
}

// Is n a combination of n1 and n2 with positive factors, up to the slack of the cone?
static int between_normals(const hfiFieldQuery* q, hfVec3 n, hfVec3 n1, hfVec3 n2) {
  double cosine = v3_dot(n1, n2), a = v3_dot(n, n1), b = v3_dot(n, n2), sine = sqrt(max2(1 - cosine * cosine, 0));
  return a - cosine * b >= -q->cone * sine && b - cosine * a >= -q->cone * sine && a + b > 0;
}

// Contacts of A with the segment of half length `half` along z of X, n from the segment into A. The functions are those that
// collide.c has for a capsule; it needs this file, so that this file cannot ask it.
static int touch_segment(const hfiFieldQuery* q, const hfPose* X, double half, hfiContactPoint* points) {
  hfiShape segment = {HF_GEOM_CAPSULE, {0, half, 0}, NULL, NULL};
  int type = q->A->type, swapped = type > HF_GEOM_CAPSULE;
  hfiPairFunction* pair = type == HF_GEOM_SPHERE ? hfi_sphere_convex : type == HF_GEOM_CAPSULE ? hfi_capsule_capsule : type == HF_GEOM_BOX ? hfi_capsule_box : hfi_convex_convex;
  return call_pair(pair, swapped, q->A, &q->X_BA, &segment, X, q->margin, points);
}

// The edge from a to b, between faces with normals n1 and n2.
static void touch_ridge(hfiFieldQuery* q, hfVec3 a, hfVec3 b, hfVec3 n1, hfVec3 n2, uint32_t id) {
  hfVec3 d = v3_sub(b, a);
  double length = v3_norm(d);
  hfPose X = hfi_plane_pose(v3_scale(0.5, v3_add(a, b)), v3_scale(1 / length, d));
  hfiContactPoint points[HFI_MAX_MANIFOLD];
  int count = touch_segment(q, &X, 0.5 * length, points);
  for (int i = 0; i < count; ++i) {
    double along = v3_dot(v3_sub(points[i].p_WCb, a), d) / (length * length);
    if (!(along > HFI_INSIDE && along < 1 - HFI_INSIDE) || !between_normals(q, points[i].n_W, n1, n2)) continue;
    hfi_field_add(q, &points[i], (hfiFieldOrigin){HFI_RIDGE, id, points[i].feature, v3_zero()});
  }
}

// The edge from vertex (c, r) along x (kind 0), along y (1) or along the diagonal (2). Faces before and behind it as seen across:
// below and above, left and right, or the two triangles of the cell.
static void touch_edge(hfiFieldQuery* q, int c, int r, int kind) {
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

void hfi_field_touch_ridges(hfiFieldQuery* q) {
  for (int r = q->r0; r <= q->r1 + 1; ++r)
    for (int c = q->c0; c <= q->c1 + 1; ++c)
      for (int kind = 0, sides = hfi_field_vertex_sides(q, c, r); kind < 3 && !sides; ++kind) touch_edge(q, c, r, kind);
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
static int point_contact(const hfiFieldQuery* q, hfVec3 p, double margin, hfiContactPoint* point) {
  hfiNearest near = hfi_nearest(q->A, pose_inv_point(q->X_BA, p));
  if (!(near.distance <= margin)) return 0;
  put_point(point, p, v3_neg(m3_mulv(q->X_BA.R, near.normal)), -near.distance, 0);
  return 1;
}

// Does A go on beyond the vertex along e, as deep as there?
static int continues_along(const hfiFieldQuery* q, hfVec3 p, hfVec3 e, double depth) {
  hfiContactPoint beyond;
  double step = PROBE * v3_norm(e);
  return point_contact(q, v3_axpy(PROBE, e, p), q->margin + step, &beyond) && beyond.depth >= depth - 0.1 * step;
}

// Whether n is in the cone of the vertex, and the vertex no point in the middle of a straight edge under A.
static int peak_holds(const hfiFieldQuery* q, const Star* s, const hfiContactPoint* point) {
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

void hfi_field_touch_peaks(hfiFieldQuery* q) {
  const hfiHeightField* f = q->f;
  for (int r = q->r0; r <= q->r1 + 1; ++r)
    for (int c = q->c0; c <= q->c1 + 1; ++c) {
      hfVec3 p = hfi_hfield_vertex(f, c, r);
      hfiContactPoint point;
      if (!boxes_meet(&q->box, p, p) || hfi_field_vertex_sides(q, c, r) || is_flat_vertex(f, c, r) || !point_contact(q, p, q->margin, &point)) continue;
      Star s = star_of(f, c, r);
      if (peak_holds(q, &s, &point)) hfi_field_add(q, &point, (hfiFieldOrigin){HFI_PEAK, (uint32_t)(r * f->ncol + c), 0, v3_zero()});
    }
}

// ---- sides and base --------------------------------------------------------------------------------

// Upright edges at the corners and edges of the base.
void hfi_field_touch_frame(hfiFieldQuery* q) {
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
      hfi_field_add(q, &point, (hfiFieldOrigin){HFI_PEAK, id + (uint32_t)k, 0, v3_zero()});
  }
}
