// Sensors of shapes: how far two objects are apart, whether something is inside of a site.
#include "sim/sensor.h"

#include "step/geometry/ray.h"
#include <holdfast/geometry.h>

#include <string.h>

// ---- distances --------------------------------------------------------------------------------------

// Finds the geoms of a geom or body: those from *first on, as many as it returns.
static int list_geoms(const hfModel* m, int kind, int id, int* first) {
  *first = kind == HF_OBJECT_GEOM ? id : hf_model_body_geomadr(m)[id];
  return kind == HF_OBJECT_GEOM ? 1 : hf_model_body_geomnum(m)[id];
}

// Finds the nearest points of the two objects of sensor s. Returns 0 if they are farther apart than `reach` [m].
static int find_nearest(const hfDynamics* d, int s, double reach, hfGeomDistance* nearest) {
  const hfModel* m = d->model;
  int a, b; // the first geoms of both objects
  int na = list_geoms(m, hf_model_sensor_objkind(m)[s], hf_model_sensor_obj(m)[s], &a);
  int nb = list_geoms(m, hf_model_sensor_refkind(m)[s], hf_model_sensor_ref(m)[s], &b);

  int found = 0;
  for (int i = a; i < a + na; ++i)
    for (int j = b; j < b + nb; ++j) {
      if (i == j) continue;
      hfGeomDistance x;
      double limit = found ? nearest->distance : reach; // what is farther does not count
      if (!hf_geom_distance(d, i, j, limit, &x)) continue;
      *nearest = x;
      found = 1;
    }
  return found;
}

// Writes the distance, normal or nearest points of the two objects of sensor s. Objects farther apart than the cutoff
// have this distance and zeros.
void hfi_sense_distance(const hfiSensorInput* in, int s, double* out) {
  const hfModel* m = in->dynamics->model;
  int type = hf_model_sensor_type(m)[s];
  double reach = hf_model_sensor_cutoff(m)[s];
  memset(out, 0, sizeof *out * (size_t)hf_model_sensor_dim(m)[s]);

  hfGeomDistance x = {0};
  int found = find_nearest(in->dynamics, s, reach, &x);
  if (type == HF_SENSOR_DISTANCE) out[0] = found ? x.distance : reach;
  if (type == HF_SENSOR_NORMAL && found) v3_store(out, v3_scale(x.distance > 0 ? -1 : 1, x.n_W));
  if (type == HF_SENSOR_FROM_TO && found) {
    v3_store(out, x.p_Wa);
    v3_store(out + 3, x.p_Wb);
  }
}

// ---- volumes ----------------------------------------------------------------------------------------

// Whether the point p_W is inside of the volume of a site.
int hfi_site_contains(const hfDynamics* d, int site, hfVec3 p_W) {
  const double* size = hf_model_site_size(d->model) + 3 * site;
  hfiShape volume = {hf_model_site_type(d->model)[site], {size[0], size[1], size[2]}, NULL, NULL};
  hfVec3 p = pose_inv_point(hf_dynamics_site_pose(d, site), p_W);
  hfVec3 along = v3(0, 0, 1);
  hfVec3 normal;
  double distance;

  // from inside of a convex shape a ray leaves it, and the surface normal there points along the ray
  return hfi_ray_shape(&volume, p, along, &distance, &normal) && v3_dot(normal, along) > 0;
}

// Returns 1 if the object of sensor s is inside of its site, otherwise 0.
double hfi_sense_inside(const hfiSensorInput* in, int s) {
  const hfModel* m = in->dynamics->model;
  hfiFrame f = hfi_frame_of(in->dynamics, hf_model_sensor_objkind(m)[s], hf_model_sensor_obj(m)[s]);
  return hfi_site_contains(in->dynamics, hf_model_sensor_ref(m)[s], f.X_WF.p);
}
