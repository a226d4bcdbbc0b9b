// Axis-aligned bounds of a shape in the world: half widths sum_j |R_ij| h_j for a box, |row_i E| for an
// ellipsoid, r sqrt(1 - R_iz^2) + half |R_iz| for a cylinder.
#include "geometry/shape.h"

static hfiAabb bounds_about(hfVec3 c, hfVec3 h) {
  hfiAabb r = {v3_sub(c, h), v3_add(c, h)};
  return r;
}

static hfVec3 half_widths(const hfiShape* s, const hfMat3* R) {
  double h[3];
  for (int i = 0; i < 3; ++i) {
    const double *row = R->m + 3 * i, *a = s->size;
    switch (s->type) {
      case HF_GEOM_SPHERE: h[i] = a[0]; break;
      case HF_GEOM_CAPSULE: h[i] = a[0] + a[1] * fabs(row[2]); break;
      case HF_GEOM_CYLINDER: h[i] = a[0] * sqrt(row[0] * row[0] + row[1] * row[1]) + a[1] * fabs(row[2]); break;
      case HF_GEOM_ELLIPSOID: h[i] = sqrt(sqr(row[0] * a[0]) + sqr(row[1] * a[1]) + sqr(row[2] * a[2])); break;
      default: h[i] = a[0] * fabs(row[0]) + a[1] * fabs(row[1]) + a[2] * fabs(row[2]); break;
    }
  }
  return v3_load(h);
}

static hfiAabb mesh_bounds(const hfiHull* hull, const hfPose* X) {
  hfVec3 lo = v3(INFINITY, INFINITY, INFINITY), hi = v3_neg(lo);
  for (int32_t k = 0; k < hull->nvert; ++k) {
    hfVec3 x = m3_mulv(X->R, v3_load(hull->vert + 3 * k));
    lo = v3(min2(lo.x, x.x), min2(lo.y, x.y), min2(lo.z, x.z));
    hi = v3(max2(hi.x, x.x), max2(hi.y, x.y), max2(hi.z, x.z));
  }
  hfiAabb r = {v3_add(X->p, lo), v3_add(X->p, hi)};
  return r;
}

// A plane is the half space below it: bounded above where its normal is an axis.
static hfiAabb plane_bounds(const hfPose* X) {
  double lo[3], hi[3], n[3], p[3];
  v3_store(n, m3_col(X->R, 2));
  v3_store(p, X->p);
  for (int i = 0; i < 3; ++i) {
    int alone = n[(i + 1) % 3] == 0 && n[(i + 2) % 3] == 0;
    lo[i] = alone && n[i] < 0 ? p[i] : -INFINITY;
    hi[i] = alone && n[i] > 0 ? p[i] : INFINITY;
  }
  hfiAabb r = {v3_load(lo), v3_load(hi)};
  return r;
}

hfiAabb hfi_shape_aabb(const hfiShape* shape, const hfPose* X_WG) {
  if (shape->type == HF_GEOM_PLANE) return plane_bounds(X_WG);
  if (shape->type == HF_GEOM_MESH) return mesh_bounds(shape->hull, X_WG);
  return bounds_about(X_WG->p, half_widths(shape, &X_WG->R));
}
