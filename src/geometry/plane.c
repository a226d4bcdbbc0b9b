// Plane (A) against every bounded shape (B). The normal from B into A is -m, m the plane's normal.
//
// A shape touches with its points lowest along m. A flat cylinder touches with four rim points; their
// pattern is fixed to the cylinder while the tilt is below kDiscTilt and turns towards the lowest point
// beyond: four equally spaced points of a linear law give the same force and moment in
// any turn of the pattern, so that the switch is not felt.
#include "geometry/manifold.h"
#include "geometry/pairs.h"

typedef struct Plane { hfVec3 m, p; } Plane; // in the world

static Plane plane_of(const hfPose* X_WA) {
  Plane plane = {m3_col(X_WA->R, 2), X_WA->p};
  return plane;
}

static void put_plane_point(hfiContactPoint* point, Plane plane, hfVec3 p_WCb, double radius, uint32_t feature) {
  double depth = radius - v3_dot(plane.m, v3_sub(p_WCb, plane.p));
  put_point(point, v3_axpy(-radius, plane.m, p_WCb), v3_neg(plane.m), depth, feature);
}

int hfi_plane_sphere(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB, double margin,
                     hfiContactPoint* points) {
  (void)A;
  put_plane_point(points, plane_of(X_WA), X_WB->p, B->size[0], 0);
  return points[0].depth >= -margin;
}

// Both ends, features 0 (+z) and 1 (-z).
int hfi_plane_capsule(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB, double margin,
                      hfiContactPoint* points) {
  (void)A;
  hfVec3 axis = m3_col(X_WB->R, 2);
  for (int k = 0; k < 2; ++k)
    put_plane_point(points + k, plane_of(X_WA), v3_axpy(k ? -B->size[1] : B->size[1], axis, X_WB->p), B->size[0], (uint32_t)k);
  return keep_touching(points, 2, margin, kFlatTilt * B->size[1]);
}

// The lowest point x = -E^2 m/|E m| with E = diag(size).
int hfi_plane_ellipsoid(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB, double margin,
                        hfiContactPoint* points) {
  (void)A;
  Plane plane = plane_of(X_WA);
  hfVec3 e = v3_load(B->size), Em = v3_mul(e, m3_tmulv(X_WB->R, plane.m));
  hfVec3 x = v3_scale(-1 / v3_norm(Em), v3_mul(e, Em));
  put_plane_point(points, plane, pose_point(*X_WB, x), 0, 0);
  return points[0].depth >= -margin;
}

// Features: 0-3 rim of the +z cap fixed to the cylinder, 4-7 turned to the lowest point; +8 for -z.
int hfi_plane_cylinder(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB, double margin,
                       hfiContactPoint* points) {
  (void)A;
  Plane plane = plane_of(X_WA);
  double radius = B->size[0], half = B->size[1];
  hfVec3 x = m3_col(X_WB->R, 0), y = m3_col(X_WB->R, 1), z = m3_col(X_WB->R, 2);
  double mx = v3_dot(plane.m, x), my = v3_dot(plane.m, y), tilt = sqrt(mx * mx + my * my);
  double lower = v3_dot(plane.m, z) > 0 ? -half : half;
  int turned = tilt > kDiscTilt, base = turned ? 4 : 0, below = lower < 0 ? 8 : 0;
  // u points down along the cap, v across
  hfVec3 u = x, v = y;
  if (turned) {
    u = v3_scale(-1 / tilt, v3_add(v3_scale(mx, x), v3_scale(my, y)));
    v = v3_cross(z, u);
  }
  hfVec3 cap = v3_axpy(lower, z, X_WB->p), rim[4] = {u, v, v3_neg(u), v3_neg(v)};
  hfVec3 other = v3_axpy(radius, u, v3_axpy(-2 * lower, z, cap)); // where a lying cylinder's other cap touches
  // Features ascend: which end of a lying cylinder is lower by rounding does not change the order.
  int count = 0;
  if (turned && below) put_plane_point(points + count++, plane, other, 0, 4);
  for (int k = 0; k < 4; ++k)
    put_plane_point(points + count++, plane, v3_axpy(radius, rim[k], cap), 0, (uint32_t)(below + base + k));
  if (turned && !below) put_plane_point(points + count++, plane, other, 0, 12);
  return keep_touching(points, count, margin, kFlatTilt * max2(radius, half));
}

// Corners of the face that looks most at the plane; feature = corner, bit i set where x_i > 0.
int hfi_plane_box(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB, double margin,
                  hfiContactPoint* points) {
  (void)A;
  Plane plane = plane_of(X_WA);
  hfVec3 m_B = m3_tmulv(X_WB->R, plane.m);
  double steep[3] = {fabs(m_B.x), fabs(m_B.y), fabs(m_B.z)};
  int axis = steep[2] >= steep[0] && steep[2] >= steep[1] ? 2 : steep[1] >= steep[0] ? 1 : 0;
  int face_bit = v3_get(m_B, axis) > 0 ? 0 : 1 << axis, count = 0;
  for (int corner = 0; corner < 8; ++corner) {
    if ((corner & 1 << axis) != face_bit) continue;
    hfVec3 x = v3(corner & 1 ? B->size[0] : -B->size[0], corner & 2 ? B->size[1] : -B->size[1], corner & 4 ? B->size[2] : -B->size[2]);
    put_plane_point(points + count++, plane, pose_point(*X_WB, x), 0, (uint32_t)corner);
  }
  return keep_touching(points, count, margin, kFlatTilt * max2(B->size[0], max2(B->size[1], B->size[2])));
}

// Vertices below the margin, thinned to the outermost ones; feature = vertex.
int hfi_plane_mesh(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB, double margin,
                   hfiContactPoint* points) {
  (void)A;
  Plane plane = plane_of(X_WA);
  const hfiHull* hull = B->hull;
  hfVec3 m_B = m3_tmulv(X_WB->R, plane.m), lo = v3_load(hull->vert), hi = lo;
  double height = v3_dot(plane.m, v3_sub(X_WB->p, plane.p)), lowest = INFINITY; // of the mesh's origin
  for (int32_t i = 0; i < hull->nvert; ++i) {
    hfVec3 x = v3_load(hull->vert + 3 * i);
    lowest = min2(lowest, height + v3_dot(m_B, x));
    lo = v3(min2(lo.x, x.x), min2(lo.y, x.y), min2(lo.z, x.z));
    hi = v3(max2(hi.x, x.x), max2(hi.y, x.y), max2(hi.z, x.z));
  }
  if (!(lowest <= margin)) return 0;
  double limit = margin + kFlatTilt * v3_norm(v3_sub(hi, lo));
  hfiThinning thin;
  hfi_thinning_start(&thin, v3_neg(m_B), kFlatTilt * v3_norm(v3_sub(hi, lo)));
  for (int32_t i = 0; i < hull->nvert; ++i) {
    hfVec3 x = v3_load(hull->vert + 3 * i);
    double gap = height + v3_dot(m_B, x);
    if (gap <= limit) hfi_thinning_add(&thin, x, -gap, (uint32_t)i);
  }
  hfiOverlapPoint kept[HFI_MAX_MANIFOLD];
  int count = hfi_thinning_finish(&thin, kept);
  for (int k = 0; k < count; ++k) put_plane_point(points + k, plane, pose_point(*X_WB, kept[k].p), 0, kept[k].feature);
  return count;
}
