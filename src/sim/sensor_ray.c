// What rays meet, from a site or from all pixels of a camera, and where a site is in a picture (hfLens).
#include "sim/sensor.h"

#include "sim/picture.h"
#include "step/geometry/ray.h"

// Casts a ray that passes through the geoms of `body`, writes the chosen data of it, and returns the address after
// them.
static double* sense_ray(const hfiSensorInput* in, const hfiRay* ray, int body, int data, double* out) {
  hfVec3 zero = v3_zero();
  hfRayHit hit;
  int found = hfi_ray_cast(in->dynamics, ray->origin, ray->along, INFINITY, body, in->visible, 0, &hit);

  if (data & HF_RAY_DIST) *out++ = found ? hit.distance : -1;
  if (data & HF_RAY_DIR) out = hfi_store_vector(out, found ? ray->along : zero);
  if (data & HF_RAY_ORIGIN) out = hfi_store_vector(out, ray->origin);
  if (data & HF_RAY_POINT) out = hfi_store_vector(out, found ? hit.p_W : zero);
  if (data & HF_RAY_NORMAL) out = hfi_store_vector(out, found ? hit.n_W : zero);
  if (data & HF_RAY_DEPTH) *out++ = found ? hit.distance * v3_dot(ray->along, ray->axis) : -1;
  return out;
}

// Writes the data of the rays through all pixels of a camera, row by row.
static void sense_picture(const hfiSensorInput* in, int camera, int data, double* out) {
  hfLens lens = hf_camera_lens(in->dynamics->model, camera, 0, 0);
  hfPose X_WC = hf_dynamics_camera_pose(in->dynamics, camera);
  int body = hf_model_cam_body(in->dynamics->model)[camera];

  for (int row = 0; row < lens.height; ++row)
    for (int column = 0; column < lens.width; ++column) {
      hfiRay ray = hfi_pixel_ray(&lens, X_WC, row, column);
      out = sense_ray(in, &ray, body, data, out);
    }
}

// Writes the data of rangefinder s: one ray along the z axis of a site, or the rays of all pixels of a camera.
void hfi_sense_rays(const hfiSensorInput* in, int s, double* out) {
  const hfModel* m = in->dynamics->model;
  int id = hf_model_sensor_obj(m)[s];
  int data = hf_model_sensor_data(m)[s];
  if (hf_model_sensor_objkind(m)[s] == HF_OBJECT_CAMERA) {
    sense_picture(in, id, data, out);
    return;
  }

  hfPose X = hf_dynamics_site_pose(in->dynamics, id);
  hfiRay ray = {X.p, m3_col(X.R, 2), m3_col(X.R, 2)};
  sense_ray(in, &ray, hf_model_site_body(m)[id], data, out);
}

// Least distance of a point from the plane of the camera [m]. A point in that plane has no place in the picture, and is
// taken to be so far in front of it.
static const double LEAST_CAMERA_DISTANCE = 1e-15;

// Writes where the site of sensor s is in the picture of its camera, from the left and from the top [pixels].
void hfi_sense_projection(const hfiSensorInput* in, int s, double* out) {
  const hfModel* m = in->dynamics->model;
  int camera = hf_model_sensor_ref(m)[s];
  hfLens lens = hf_camera_lens(m, camera, 0, 0);
  hfVec3 p_W = hf_dynamics_site_pose(in->dynamics, hf_model_sensor_obj(m)[s]).p;
  hfVec3 p = pose_inv_point(hf_dynamics_camera_pose(in->dynamics, camera), p_W);

  double z = fabs(p.z) < LEAST_CAMERA_DISTANCE ? LEAST_CAMERA_DISTANCE : -p.z;
  if (lens.orthographic) z = 1;
  out[0] = lens.c[0] + lens.f[0] * p.x / z;
  out[1] = lens.c[1] - lens.f[1] * p.y / z;
}
