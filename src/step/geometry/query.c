// Public queries: rays against all geoms, culled by their bounding spheres; distance of two geoms.
#include <holdfast/geometry.h>

#include "step/dynamics/dynamics.h"
#include "step/geometry/distance.h"
#include "step/geometry/ray.h"

#include <assert.h>

// Storage that the shape of a geom points to.
typedef struct ShapeData {
  hfiHull hull;
  hfiHeightField field;
} ShapeData;

static hfiShape shape_of(const hfModel* m, int geom, ShapeData* data) {
  int mesh = hf_model_geom_mesh(m)[geom], hfield = hf_model_geom_hfield(m)[geom];
  if (mesh >= 0) data->hull = hfi_model_hull(m, mesh);
  if (hfield >= 0) data->field = hfi_model_height_field(m, hfield);
  return hfi_model_shape(m, geom, mesh >= 0 ? &data->hull : NULL, hfield >= 0 ? &data->field : NULL);
}

// Does the ray o + t d, 0 <= t <= far, pass through the ball of radius r about c? r = 0 means an unbounded geom.
static int may_hit(hfVec3 o, hfVec3 d, double far, hfVec3 c, double r) {
  if (!(r > 0)) return 1;
  hfVec3 to = v3_sub(c, o);
  double t = clamp(v3_dot(to, d), 0, far);
  return v3_norm2(v3_axpy(-t, d, to)) <= sqr(r * (1 + 1e-9));
}

// v/|v|, also if |v|^2 is too small or too large for a number.
static hfVec3 unit_of_any_size(hfVec3 v) {
  double n = v3_norm2(v), largest = max2(fabs(v.x), max2(fabs(v.y), fabs(v.z)));
  return n > 1e-290 && n < 1e290 ? v3_unit(v) : v3_unit(v3(v.x / largest, v.y / largest, v.z / largest));
}

int hfi_ray_cast(const hfDynamics* d, hfVec3 origin, hfVec3 direction, double max_distance, int exclude_body, const uint8_t* include,
                 int sees_plane_backs, hfRayHit* hit) {
  const hfModel* m = d->model;
  hfVec3 unit = unit_of_any_size(direction);
  assert(v3_norm2(unit) > 0);
  assert(exclude_body >= -1 && exclude_body < d->model->nbody);
  double nearest = max_distance;
  int found = 0;
  for (int g = 0; g < m->ngeom; ++g) {
    if (hf_model_geom_body(m)[g] == exclude_body || (include && !include[g])) continue;
    hfPose X = hf_dynamics_geom_pose(d, g);
    if (!may_hit(origin, unit, nearest, X.p, hf_model_geom_rbound(m)[g])) continue;
    ShapeData data;
    hfiShape shape = shape_of(m, g, &data);
    double t;
    hfVec3 n;
    if (!hfi_ray_shape(&shape, pose_inv_point(X, origin), m3_tmulv(X.R, unit), &t, &n)) continue;
    if (!sees_plane_backs && shape.type == HF_GEOM_PLANE && n.z * m3_tmulv(X.R, unit).z > 0) continue;
    if (!(t <= nearest) || (found && t == nearest)) continue; // If several are equal, the first one counts.
    hfRayHit made = {g, t, v3_axpy(t, unit, origin), m3_mulv(X.R, n)};
    *hit = made;
    nearest = t;
    found = 1;
  }
  return found;
}

int hf_ray_cast(const hfDynamics* d, hfVec3 origin, hfVec3 direction, double max_distance, int exclude_body, const uint8_t* include, hfRayHit* hit) {
  return hfi_ray_cast(d, origin, direction, max_distance, exclude_body, include, 1, hit);
}

int hf_geom_distance(const hfDynamics* d, int geom_a, int geom_b, double max_distance, hfGeomDistance* result) {
  const hfModel* m = d->model;
  assert(geom_a >= 0 && geom_a < m->ngeom && geom_b >= 0 && geom_b < m->ngeom);
  ShapeData data_a, data_b;
  hfiShape A = shape_of(m, geom_a, &data_a), B = shape_of(m, geom_b, &data_b);
  hfPose X_WA = hf_dynamics_geom_pose(d, geom_a), X_WB = hf_dynamics_geom_pose(d, geom_b);
  hfiContactPoint c;
  if (!hfi_distance(&A, &X_WA, &B, &X_WB, max_distance, &c)) return 0;
  hfGeomDistance made = {-c.depth, c.p_WCa, c.p_WCb, c.n_W};
  *result = made;
  return 1;
}
