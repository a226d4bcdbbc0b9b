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

// Returns the shape of a geom. What it points to is written to *data.
static hfiShape view_shape(const hfModel* m, int geom, ShapeData* data) {
  int mesh = hf_model_geom_mesh(m)[geom];
  int hfield = hf_model_geom_hfield(m)[geom];
  const hfiHull* hull = NULL;
  const hfiHeightField* field = NULL;

  if (mesh >= 0) {
    data->hull = hfi_model_hull(m, mesh);
    hull = &data->hull;
  }
  if (hfield >= 0) {
    data->field = hfi_model_height_field(m, hfield);
    field = &data->field;
  }
  return hfi_model_shape(m, geom, hull, field);
}

// A ray may hit a geom whose bounding sphere it misses by this share of the radius, because of rounding [-].
static const double SPHERE_SLACK = 1e-9;

// Does the ray o + t d, 0 <= t <= far, pass through the ball of radius r about c? r = 0 means an unbounded geom.
static int may_hit(hfVec3 o, hfVec3 d, double far, hfVec3 c, double r) {
  if (!(r > 0)) return 1;

  hfVec3 to_centre = v3_sub(c, o);
  double t = clamp(v3_dot(to_centre, d), 0, far);
  return v3_norm2(v3_axpy(-t, d, to_centre)) <= sqr(r * (1 + SPHERE_SLACK));
}

// Between these, the squared length of a vector neither underflows nor overflows.
static const double LEAST_SQUARE = 1e-290;
static const double LARGEST_SQUARE = 1e290;

// v/|v|, also if |v|^2 is too small or too large for a number.
static hfVec3 unit_of_any_size(hfVec3 v) {
  double square = v3_norm2(v);
  if (square > LEAST_SQUARE && square < LARGEST_SQUARE) return v3_unit(v);

  double largest = max2(fabs(v.x), max2(fabs(v.y), fabs(v.z)));
  return v3_unit(v3(v.x / largest, v.y / largest, v.z / largest));
}

// Finds the first geom that a ray hits within max_distance. Returns 0 if there is none. sees_plane_backs: 0 if rays
// from below pass through planes.
int hfi_ray_cast(const hfDynamics* d, hfVec3 origin, hfVec3 direction, double max_distance, int exclude_body,
                 const uint8_t* include, int sees_plane_backs, hfRayHit* hit) {
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
    hfiShape shape = view_shape(m, g, &data);
    hfVec3 unit_G = m3_tmulv(X.R, unit);
    double t;
    hfVec3 n_G;
    if (!hfi_ray_shape(&shape, pose_inv_point(X, origin), unit_G, &t, &n_G)) continue;

    int hits_back = shape.type == HF_GEOM_PLANE && n_G.z * unit_G.z > 0;
    if (hits_back && !sees_plane_backs) continue;
    if (!(t <= nearest) || (found && t == nearest)) continue; // If several are equal, the first one counts.

    *hit = (hfRayHit){g, t, v3_axpy(t, unit, origin), m3_mulv(X.R, n_G)};
    nearest = t;
    found = 1;
  }
  return found;
}

int hf_ray_cast(const hfDynamics* d, hfVec3 origin, hfVec3 direction, double max_distance, int exclude_body,
                const uint8_t* include, hfRayHit* hit) {
  return hfi_ray_cast(d, origin, direction, max_distance, exclude_body, include, 1, hit);
}

// Finds the signed distance of two geoms and their nearest points. Returns 0 if they are farther apart than
// max_distance.
int hf_geom_distance(const hfDynamics* d, int geom_a, int geom_b, double max_distance, hfGeomDistance* result) {
  const hfModel* m = d->model;
  assert(geom_a >= 0 && geom_a < m->ngeom && geom_b >= 0 && geom_b < m->ngeom);

  ShapeData data_a;
  ShapeData data_b;
  hfiShape A = view_shape(m, geom_a, &data_a);
  hfiShape B = view_shape(m, geom_b, &data_b);
  hfPose X_WA = hf_dynamics_geom_pose(d, geom_a);
  hfPose X_WB = hf_dynamics_geom_pose(d, geom_b);

  hfiContactPoint nearest;
  if (!hfi_distance(&A, &X_WA, &B, &X_WB, max_distance, &nearest)) return 0;
  *result = (hfGeomDistance){-nearest.depth, nearest.p_WCa, nearest.p_WCb, nearest.n_W};
  return 1;
}
