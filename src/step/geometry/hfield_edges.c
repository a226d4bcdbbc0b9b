// Contacts of a convex shape with the ridges and peaks of a height field, and with the edges of its sides and base
// (hfield_convex.c).
#include "step/geometry/hfield_query.h"

// A contact at an end of an edge belongs to the edge if the cosine of the angle between its normal and the edge is
// below this [-].
static const double UPRIGHT_COSINE = 1e-9;
// To find whether A continues along an edge, a point at this share of the edge's length from the vertex is tested [-].
static const double PROBE_SHARE = 1e-3;
// A continues there if the point is less deep than the vertex by at most this share of the way to it [-].
static const double PROBE_RISE = 0.1;

// ---- ridges ----------------------------------------------------------------------------------------

// Does a box meet the box about two points?
static int boxes_meet(const hfiAabb* box, hfVec3 a, hfVec3 b) {
  return max2(a.x, b.x) >= box->lo.x && min2(a.x, b.x) <= box->hi.x &&
         max2(a.y, b.y) >= box->lo.y && min2(a.y, b.y) <= box->hi.y &&
         max2(a.z, b.z) >= box->lo.z && min2(a.z, b.z) <= box->hi.z;
}

// Is n a combination of n1 and n2 with positive factors, up to the slack of the cone?
static int is_between_normals(const hfiFieldQuery* q, hfVec3 n, hfVec3 n1, hfVec3 n2) {
  double cosine = v3_dot(n1, n2);
  double sine = sqrt(max2(1 - cosine * cosine, 0));
  double a = v3_dot(n, n1);
  double b = v3_dot(n, n2);
  return a - cosine * b >= -q->cone_sine * sine && b - cosine * a >= -q->cone_sine * sine && a + b > 0;
}

// Finds the contacts of A with the segment of half length `half` along z of X, n from the segment into A. Returns their
// number. It calls the functions that collide.c chooses for a capsule. It cannot ask collide.c for them, because
// collide.c needs this file.
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
static int is_on_edge(const hfiContactPoint* point, hfVec3 a, hfVec3 d) {
  double along = v3_dot(v3_sub(point->p_WCb, a), d) / v3_norm2(d); // 0 to 1
  if (along > HFI_INSIDE_SHARE && along < 1 - HFI_INSIDE_SHARE) return 1;

  // at an end
  if (!(along >= -HFI_INSIDE_SHARE && along <= 1 + HFI_INSIDE_SHARE)) return 0;
  return fabs(v3_dot(point->n_W, d)) <= UPRIGHT_COSINE * v3_norm(d);
}

// Adds the contacts with the edge from a to b, between faces with normals n1 and n2. id: number of the edge.
static void touch_ridge(hfiFieldQuery* q, hfVec3 a, hfVec3 b, hfVec3 n1, hfVec3 n2, uint32_t id) {
  hfVec3 d = v3_sub(b, a);
  double length = v3_norm(d);
  hfPose X = hfi_plane_pose(v3_scale(0.5, v3_add(a, b)), v3_scale(1 / length, d));
  hfiContactPoint points[HFI_MAX_MANIFOLD];
  int count = touch_segment(q, &X, 0.5 * length, points);

  for (int i = 0; i < count; ++i) {
    if (!is_on_edge(&points[i], a, d) || !is_between_normals(q, points[i].n_W, n1, n2)) continue;
    hfi_field_add(q, &points[i], (hfiFieldOrigin){.kind = HFI_RIDGE, .id = id, .point_A = points[i].feature});
  }
}

// Does a sphere surely not touch the edge from a to b between its ends? The point of the line nearest to the centre is
// a + t/|d|^2 d.
static int ball_misses_edge(const hfiFieldQuery* q, hfVec3 a, hfVec3 b) {
  hfVec3 d = v3_sub(b, a);
  hfVec3 centre = v3_sub(q->X_BA.p, a); // from a
  double dd = v3_norm2(d);
  double t = v3_dot(centre, d);
  if (t < -HFI_MISS_SHARE * dd || t > (1 + HFI_MISS_SHARE) * dd) return 1;
  return hfi_field_is_beyond(q, v3_norm2(centre) * dd - sqr(t), dd);
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
  return v3_norm2(v3_axpy(t, d, from)) > sqr(reach) * (1 + HFI_MISS_SHARE);
}

// Is the edge from a to b, or a vertex with a = b, surely farther from A than the margin?
static int misses(const hfiFieldQuery* q, hfVec3 a, hfVec3 b) {
  if (!boxes_meet(&q->box, a, b)) return 1;
  return q->A->type == HF_GEOM_ELLIPSOID && ellipsoid_misses(q, a, b);
}

// A face beside an edge: the upper (upper 1) or lower triangle of cell (c, r).
typedef struct EdgeFace {
  int c, r, upper;
} EdgeFace;

// The region of a face; -1 beyond the border of the field, where there is a wall.
static int region_of(const hfiHeightField* f, EdgeFace t) {
  int exists = t.c >= 0 && t.r >= 0 && t.c < f->ncol - 1 && t.r < f->nrow - 1;
  return exists ? f->region[hfi_hfield_triangle(f, t.c, t.r, t.upper)] : -1;
}

// The three edges that leave a vertex towards larger c and r.
typedef enum EdgeKind { ALONG_X, ALONG_Y, DIAGONAL, EDGE_KINDS } EdgeKind;

// Adds the contacts with an edge from vertex (c, r), which is at a, if the edge is a ridge. The faces before and after
// it are those below and above an edge along x, left and right of one along y, and of the diagonal the lower and the
// upper one of the cell.
static void touch_edge(hfiFieldQuery* q, hfVec3 a, int c, int r, EdgeKind kind) {
  const hfiHeightField* f = q->f;

  // the other end
  int end_c = kind == ALONG_Y ? c : c + 1;
  int end_r = kind == ALONG_X ? r : r + 1;
  if (end_c > f->ncol - 1 || end_r > f->nrow - 1) return;
  hfVec3 b = hfi_hfield_vertex(f, end_c, end_r);
  int is_far = q->ball > 0 ? ball_misses_edge(q, a, b) : misses(q, a, b);
  if (is_far) return;

  // two faces of one region lie in one plane
  EdgeFace before = {.c = c, .r = r, .upper = 0};
  EdgeFace after = {.c = c, .r = r, .upper = 1};
  if (kind == ALONG_X) {
    before = (EdgeFace){.c = c, .r = r - 1, .upper = 1};
    after.upper = 0;
  } else if (kind == ALONG_Y) {
    before.c = c - 1;
  }
  int before_region = region_of(f, before);
  int after_region = region_of(f, after);
  if (before_region >= 0 && before_region == after_region) return;

  // their normals; beyond the border there is a wall
  hfVec3 out = kind == ALONG_X ? v3(0, 1, 0) : v3(1, 0, 0); // normal of the wall behind the last row or column
  hfVec3 n1 = before_region < 0 ? v3_neg(out) : hfi_hfield_normal(f, before.c, before.r, before.upper);
  hfVec3 n2 = after_region < 0 ? out : hfi_hfield_normal(f, after.c, after.r, after.upper);

  // a ridge and not a valley
  hfVec3 across = kind == DIAGONAL ? v3(-f->dy, f->dx, 0) : out;
  int is_ridge = v3_dot(v3_sub(n2, n1), across) > 0;
  uint32_t id = EDGE_KINDS * (uint32_t)(r * f->ncol + c) + (uint32_t)kind;
  if (is_ridge) touch_ridge(q, a, b, n1, n2, id);
}

// Adds the contacts with the edges of the surface under A.
void hfi_field_touch_ridges(hfiFieldQuery* q) {
  for (int r = q->cells.r0; r <= q->cells.r1 + 1; ++r)
    for (int c = q->cells.c0; c <= q->cells.c1 + 1; ++c) {
      if (hfi_field_vertex_sides(q, c, r)) continue;
      hfVec3 a = hfi_hfield_vertex(q->f, c, r);
      for (int kind = 0; kind < EDGE_KINDS; ++kind) touch_edge(q, a, c, r, (EdgeKind)kind);
    }
}

// ---- peaks -----------------------------------------------------------------------------------------

// Steps from a vertex to the other ends of its edges. Opposite edges follow each other.
enum { SURFACE_EDGES = 6, DOWN_EDGE = 6, VERTEX_EDGES = 7 };
static const int STEP[SURFACE_EDGES][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {-1, -1}};

// A vertex at p and the edges that leave it; an edge is zero where the field ends.
typedef struct VertexEdges {
  hfVec3 p;
  hfVec3 edge[VERTEX_EDGES]; // the last one runs down a wall
} VertexEdges;

// Returns the edges that leave the vertex (c, r).
static VertexEdges edges_of_vertex(const hfiHeightField* f, int c, int r) {
  VertexEdges vertex = {.p = hfi_hfield_vertex(f, c, r)};
  for (int k = 0; k < SURFACE_EDGES; ++k) {
    int end_c = c + STEP[k][0];
    int end_r = r + STEP[k][1];
    int is_outside = end_c < 0 || end_r < 0 || end_c >= f->ncol || end_r >= f->nrow;
    if (is_outside) vertex.edge[DOWN_EDGE] = v3(0, 0, -1);
    else vertex.edge[k] = v3_sub(hfi_hfield_vertex(f, end_c, end_r), vertex.p);
  }
  return vertex;
}

// Finds the contact of A with the point p. Returns 0 if they are farther apart than the margin.
static int find_point_contact(const hfiFieldQuery* q, hfVec3 p, double margin, hfiContactPoint* point) {
  hfiNearest near = hfi_nearest(q->A, pose_inv_point(q->X_BA, p));
  if (!(near.distance <= margin)) return 0;
  put_point(point, p, v3_neg(m3_mulv(q->X_BA.R, near.normal)), -near.distance, 0);
  return 1;
}

// Does A continue beyond the vertex along e, as deep as at the vertex?
static int continues_along(const hfiFieldQuery* q, hfVec3 p, hfVec3 e, double depth) {
  double step = PROBE_SHARE * v3_norm(e);
  hfiContactPoint beyond;
  if (!find_point_contact(q, v3_axpy(PROBE_SHARE, e, p), q->margin + step, &beyond)) return 0;
  return beyond.depth >= depth - PROBE_RISE * step;
}

// Does the contact at a vertex belong to the vertex: is n in its cone, and is it not in the middle of a straight edge
// under A? (A round shape touches such an edge in one point only: at the vertex if n is in its cone.)
static int peak_holds(const hfiFieldQuery* q, const VertexEdges* vertex, const hfiContactPoint* point) {
  // sine of the angle by which each edge rises along n; an edge that does not exist falls
  double slope[VERTEX_EDGES];
  for (int k = 0; k < VERTEX_EDGES; ++k) {
    double length = v3_norm(vertex->edge[k]);
    slope[k] = length > 0 ? v3_dot(point->n_W, vertex->edge[k]) / length : -1;
    if (slope[k] > q->cone_sine) return 0;
  }
  if (q->core > 0) return 1;

  // pairs of opposite edges
  for (int k = 0; k < SURFACE_EDGES; k += 2) {
    int is_straight = slope[k] >= -HFI_FACET_ANGLE && slope[k + 1] >= -HFI_FACET_ANGLE;
    if (!is_straight || !continues_along(q, vertex->p, vertex->edge[k], point->depth)) continue;
    if (continues_along(q, vertex->p, vertex->edge[k + 1], point->depth)) return 0;
  }
  return 1;
}

// Do all triangles around a vertex lie in one plane?
static int is_flat_vertex(const hfiHeightField* f, int c, int r) {
  if (c < 1 || r < 1 || c > f->ncol - 2 || r > f->nrow - 2) return 0;

  // the regions of the triangles of two cells below the vertex and of two cells above it, lower and upper ones in turn;
  // triangle 2 of the first row and triangle 1 of the second do not touch the vertex
  const int32_t* below = &f->region[hfi_hfield_triangle(f, c - 1, r - 1, 0)];
  const int32_t* above = &f->region[hfi_hfield_triangle(f, c - 1, r, 0)];
  int32_t region = below[0];
  return below[1] == region && below[3] == region && above[0] == region && above[2] == region && above[3] == region;
}

// Adds the contacts with the vertices of the surface under A.
void hfi_field_touch_peaks(hfiFieldQuery* q) {
  const hfiHeightField* f = q->f;
  for (int r = q->cells.r0; r <= q->cells.r1 + 1; ++r)
    for (int c = q->cells.c0; c <= q->cells.c1 + 1; ++c) {
      if (hfi_field_vertex_sides(q, c, r)) continue;

      hfVec3 p = hfi_hfield_vertex(f, c, r);
      int is_far;
      if (q->ball > 0) is_far = hfi_field_is_beyond(q, v3_norm2(v3_sub(p, q->X_BA.p)), 1);
      else is_far = misses(q, p, p);
      if (is_far) continue;

      hfiContactPoint point;
      if (is_flat_vertex(f, c, r) || !find_point_contact(q, p, q->margin, &point)) continue;

      VertexEdges vertex = edges_of_vertex(f, c, r);
      hfiFieldOrigin origin = {.kind = HFI_PEAK, .id = (uint32_t)(r * f->ncol + c)};
      if (peak_holds(q, &vertex, &point)) hfi_field_add(q, &point, origin);
    }
}

// ---- walls and base --------------------------------------------------------------------------------

// Corner k of the base, around the field; 4 is 0 again.
static hfVec3 base_corner(const hfiHeightField* f, int k) {
  static const double X[4] = {-1, 1, 1, -1};
  static const double Y[4] = {-1, -1, 1, 1};
  return v3(X[k % 4] * f->half[0], Y[k % 4] * f->half[1], -f->base);
}

// Adds the contact with corner k of the base: three edges leave it.
static void touch_base_corner(hfiFieldQuery* q, int k, uint32_t id) {
  const hfiHeightField* f = q->f;
  hfVec3 p = base_corner(f, k);
  hfVec3 next = base_corner(f, k + 1);
  hfVec3 last = base_corner(f, k + 3);
  // no two of them are opposite, so that each has the place of a pair of its own
  VertexEdges corner = {.p = p, .edge = {[0] = v3_sub(next, p), [2] = v3(0, 0, 1), [4] = v3_sub(last, p)}};
  if (!boxes_meet(&q->box, p, p)) return;

  hfiContactPoint point;
  if (!find_point_contact(q, p, q->margin, &point) || !peak_holds(q, &corner, &point)) return;
  hfi_field_add(q, &point, (hfiFieldOrigin){.kind = HFI_PEAK, .id = id});
}

// Does the box of A reach two of these three: a wall along y, a wall along x, the base? All edges and corners of the
// frame lie between two of them.
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

  uint32_t id = EDGE_KINDS * (uint32_t)(f->nrow * f->ncol);
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
    touch_base_corner(q, k, id + (uint32_t)k); // Corners count as peaks, whose numbers are their own.
  }
}
