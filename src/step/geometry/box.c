// Box with the half sizes `size`. Corner numbers have bit i set where x_i > 0.
#include "step/geometry/shape_table.h"

// The box around the shape, along the axes of the world.
static hfiAabb box_bounds(const hfiShape* s, const hfPose* X) {
  const double* a = s->size;
  double h[3];

  for (int i = 0; i < 3; ++i) {
    const double* row = X->R.m + 3 * i;
    h[i] = a[0] * fabs(row[0]) + a[1] * fabs(row[1]) + a[2] * fabs(row[2]);
  }
  return hfi_aabb_about(X->p, v3_load(h));
}

// Returns a corner by its number, in the frame of the box [m].
static hfVec3 corner_point(const double* half, int corner) {
  double x = corner & 1 ? half[0] : -half[0];
  double y = corner & 2 ? half[1] : -half[1];
  double z = corner & 4 ? half[2] : -half[2];
  return v3(x, y, z);
}

// Returns the axis along which a direction is largest: that of the face which the direction leaves. Of equal ones, z
// comes before y, and y before x.
static int find_largest_axis(hfVec3 d) {
  double x = fabs(d.x);
  double y = fabs(d.y);
  double z = fabs(d.z);

  if (z >= x && z >= y) return 2;
  return y >= x ? 1 : 0;
}

// Finds the contact points with a plane: corners of the face whose normal is most directed towards the plane. The
// feature is the number of the corner. Returns their number.
static int plane_box(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB, double margin,
                     hfiContactPoint* points) {
  (void)A;
  hfiPlane plane = plane_of(X_WA);

  // The corners of the touching face have one bit in common. The face is below the centre, so that the bit is not set
  // if the plane's normal m points along the axis.
  hfVec3 m_B = m3_tmulv(X_WB->R, plane.m);
  int axis = find_largest_axis(m_B);
  int face_bit = v3_get(m_B, axis) > 0 ? 0 : 1 << axis;

  int count = 0;
  for (int corner = 0; corner < 8; ++corner) {
    if ((corner & 1 << axis) != face_bit) continue;

    hfVec3 x = corner_point(B->size, corner);
    put_plane_point(points + count, plane, pose_point(*X_WB, x), 0, (uint32_t)corner);
    count++;
  }

  double size = max2(B->size[0], max2(B->size[1], B->size[2]));
  return keep_touching(points, count, margin, HFI_FLAT_TILT * size);
}

// Returns the corner that is farthest along d. *hint becomes its number.
static hfVec3 box_support(const hfiShape* s, hfVec3 d, int32_t* hint) {
  *hint = 7 - (d.x < 0) - 2 * (d.y < 0) - 4 * (d.z < 0);
  return hfi_box_corner(s->size, d);
}

static double box_core_size(const hfiShape* s) { return max2(s->size[0], max2(s->size[1], s->size[2])); }

static void box_edges(const hfiEdgeQuery* q, hfiEdges* e) {
  for (int i = 0; i < 3; ++i) hfi_edges_add_column(q, i, q->shape->size[i], e);
}

// Corners of the faces -x, x, -y, y, -z and z of a box, counter-clockwise seen from outside.
static const int FACE_CORNER[6][4] = {{4, 6, 2, 0}, {1, 3, 7, 5}, {1, 5, 4, 0},
                                      {2, 6, 7, 3}, {2, 3, 1, 0}, {4, 5, 7, 6}};

// Writes the face whose normal is nearest to d.
static void box_facet(const hfiShape* s, const hfPose* X, hfVec3 d, hfiFacet* f) {
  hfVec3 local = m3_tmulv(X->R, d);
  int axis = find_largest_axis(local);
  int up = v3_get(local, axis) > 0;

  f->kind = HFI_FACET_POLYGON;
  f->count = 4;
  f->normal = v3_scale(up ? 1 : -1, m3_col(X->R, axis));
  f->size = max2(s->size[0], max2(s->size[1], s->size[2]));

  for (int k = 0; k < 4; ++k) {
    int corner = FACE_CORNER[2 * axis + up][k];
    f->vertex[k] = pose_point(*X, corner_point(s->size, corner));
    f->id[k] = corner;
  }
}

// Returns the outward normal of the face that is nearest to a point inside, whose gaps to the faces are gx, gy and gz.
static hfVec3 nearest_face_normal(hfVec3 p, double gx, double gy, double gz) {
  if (gx >= gy && gx >= gz) return v3(sign_of(p.x), 0, 0);
  if (gy >= gz) return v3(0, sign_of(p.y), 0);
  return v3(0, 0, sign_of(p.z));
}

// Returns the point of the surface that is nearest to p, in the frame of the box.
static hfiNearest box_nearest(const hfiShape* s, hfVec3 p) {
  const double* h = s->size;

  // outside: the nearest point is p clamped to the box
  hfVec3 c = v3(clamp(p.x, -h[0], h[0]), clamp(p.y, -h[1], h[1]), clamp(p.z, -h[2], h[2]));
  hfVec3 q = v3_sub(p, c);
  double d = v3_norm(q);
  if (d > 0) {
    hfiNearest r = {d, c, v3_scale(1 / d, q)};
    return r;
  }

  // inside: it is on the face with the largest (least negative) gap
  double gx = fabs(p.x) - h[0];
  double gy = fabs(p.y) - h[1];
  double gz = fabs(p.z) - h[2];
  hfVec3 n = nearest_face_normal(p, gx, gy, gz);
  double gap = max2(gx, max2(gy, gz));
  hfiNearest r = {gap, v3_axpy(-gap, n, p), n};
  return r;
}

static hfiSpan box_span(const hfiShape* shape, hfVec3 o, hfVec3 d) {
  hfiSpan s = hfi_whole_span();
  for (int i = 0; i < 3; ++i) hfi_span_cut_slab(&s, o, d, v3(i == 0, i == 1, i == 2), shape->size[i]);
  return s;
}

const hfiShapeFunctions hfi_box = {.max_points = HFI_MAX_MANIFOLD,
                                   .bounds = box_bounds,
                                   .plane = plane_box,
                                   .support = box_support,
                                   .core_size = box_core_size,
                                   .edges = box_edges,
                                   .facet = box_facet,
                                   .nearest = box_nearest,
                                   .span = box_span};
