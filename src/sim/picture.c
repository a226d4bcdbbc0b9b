// Pictures by casting rays: no graphics driver is needed.
//
// A chip of sizes s with W x H pixels has f = (W focal_x/s_x, H focal_y/s_y). With fovy alone f_x = f_y =
// (H/2)/tan(fovy/2), and a picture of parallel rays with the height fovy has f_x = f_y = H/fovy. The middle of a chip
// may be beside the axis, by principal:
//
//   c = (W/2 - f_x principal_x/focal_x, H/2 + f_y principal_y/focal_y)
#include "sim/picture.h"

#include "math/elementary.h"
#include "step/dynamics/dynamics.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

enum { NOTHING = 235 }; // grey of a pixel in which there is nothing

hfLens hf_camera_lens(const hfModel* m, int camera, int width, int height) {
  assert(camera >= 0 && camera < m->ncam);
  const int32_t* own = hf_model_cam_resolution(m) + 2 * camera;
  const double *chip = hf_model_cam_sensorsize(m) + 2 * camera, *focal = hf_model_cam_focal(m) + 2 * camera,
               *principal = hf_model_cam_principal(m) + 2 * camera;
  double fovy = hf_model_cam_fovy(m)[camera];
  hfLens lens = {width > 0
      ? width : own[0], width > 0 ? height
      : own[1], hf_model_cam_orthographic(m)[camera], {0, 0}, {0, 0}};
  lens.f[0] = lens.f[1] = lens.orthographic ? lens.height / fovy : 0.5 * lens.height / hfi_tan(0.5 * fovy);
  lens.c[0] = 0.5 * lens.width, lens.c[1] = 0.5 * lens.height;
  if (!(chip[0] > 0)) return lens;
  lens.f[1] = lens.height * focal[1] / chip[1];
  lens.f[0] = lens.f[1] * (own[0] * focal[0] / chip[0]) / (own[1] * focal[1] / chip[1]);
  lens.c[0] -= lens.f[0] * principal[0] / focal[0], lens.c[1] += lens.f[1] * principal[1] / focal[1];
  return lens;
}

hfiRay hfi_pixel_ray(const hfLens* lens, hfPose X_WC, int row, int column) {
  double x = (column + 0.5 - lens->c[0]) / lens->f[0], y = (lens->c[1] - row - 0.5) / lens->f[1];
  hfVec3 axis = v3_neg(m3_col(X_WC.R, 2));
  if (lens->orthographic) return (hfiRay){pose_point(X_WC, v3(x, y, 0)), axis, axis};
  hfVec3 along = m3_mulv(X_WC.R, v3(x, y, -1));
  return (hfiRay){X_WC.p, v3_scale(1 / v3_norm(along), along), axis};
}

static void colour(const hfModel* m, const hfiRay* ray, const hfRayHit* hit, uint8_t rgb[3]) {
  const float* own = hf_model_geom_rgba(m) + 4 * hit->geom;
  double light = 0.35 + 0.4 * fabs(v3_dot(hit->n_W, ray->along)) + 0.25 * max2(hit->n_W.z, 0);
  for (int k = 0; k < 3; ++k) rgb[k] = (uint8_t)clamp(255 * own[k] * light, 0, 255);
}

// (ngeom) 1 for geoms that have a colour. NULL: no memory, all count.
static uint8_t* find_visible(const hfModel* m) {
  uint8_t* visible = malloc((size_t)m->ngeom + 1);
  for (int g = 0; visible && g < m->ngeom; ++g) visible[g] = hf_model_geom_rgba(m)[4 * g + 3] > 0;
  return visible;
}

void hf_picture(const hfDynamics* d, hfPose X_WC, const hfLens* lens, int exclude_body, uint8_t* rgb, double* depth,
                int32_t* geom) {
  const hfModel* m = d->model;
  uint8_t* visible = find_visible(m);
  for (size_t i = 0, width = (size_t)lens->width, end = width * (size_t)lens->height; i < end; ++i) {
    hfiRay ray = hfi_pixel_ray(lens, X_WC, (int)(i / width), (int)(i % width));
    hfRayHit hit;
    int found = hf_ray_cast(d, ray.origin, ray.along, INFINITY, exclude_body, visible, &hit);
    if (rgb && found) colour(m, &ray, &hit, rgb + 3 * i);
    if (rgb && !found) rgb[3 * i] = rgb[3 * i + 1] = rgb[3 * i + 2] = NOTHING;
    if (depth) depth[i] = found ? hit.distance * v3_dot(ray.along, ray.axis) : INFINITY;
    if (geom) geom[i] = found ? hit.geom : -1;
  }
  free(visible);
}
