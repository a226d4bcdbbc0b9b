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
#include <string.h>

// Grey value of a pixel in which there is nothing [-], of 255.
enum { BACKGROUND_GREY = 235 };

// Returns the lens of a camera (f, c of the head) for a picture of width x height pixels; width 0 means its own
// resolution.
hfLens hf_camera_lens(const hfModel* m, int camera, int width, int height) {
  assert(camera >= 0 && camera < m->ncam);
  const int32_t* resolution = hf_model_cam_resolution(m) + 2 * camera;
  const double* chip = hf_model_cam_sensorsize(m) + 2 * camera;
  const double* focal = hf_model_cam_focal(m) + 2 * camera;
  const double* principal = hf_model_cam_principal(m) + 2 * camera;
  double fovy = hf_model_cam_fovy(m)[camera];

  hfLens lens = {.orthographic = hf_model_cam_orthographic(m)[camera]};
  lens.width = width > 0 ? width : resolution[0];
  lens.height = width > 0 ? height : resolution[1];
  lens.f[1] = lens.orthographic ? lens.height / fovy : 0.5 * lens.height / hfi_tan(0.5 * fovy);
  lens.f[0] = lens.f[1];
  lens.c[0] = 0.5 * lens.width;
  lens.c[1] = 0.5 * lens.height;
  if (!(chip[0] > 0)) return lens;

  // a chip: its height fills the picture, and the ratio f_x/f_y is that at the camera's own resolution
  lens.f[1] = lens.height * focal[1] / chip[1];
  lens.f[0] = lens.f[1] * (resolution[0] * focal[0] / chip[0]) / (resolution[1] * focal[1] / chip[1]);
  lens.c[0] -= lens.f[0] * principal[0] / focal[0];
  lens.c[1] += lens.f[1] * principal[1] / focal[1];
  return lens;
}

// Returns the ray through the middle of a pixel of a lens whose camera is at X_WC. The camera looks along -z.
hfiRay hfi_pixel_ray(const hfLens* lens, hfPose X_WC, int row, int column) {
  double x = (column + 0.5 - lens->c[0]) / lens->f[0];
  double y = (lens->c[1] - row - 0.5) / lens->f[1];
  hfVec3 axis = v3_neg(m3_col(X_WC.R, 2));
  if (lens->orthographic) return (hfiRay){pose_point(X_WC, v3(x, y, 0)), axis, axis};

  hfVec3 along = m3_mulv(X_WC.R, v3(x, y, -1));
  return (hfiRay){X_WC.p, v3_scale(1 / v3_norm(along), along), axis};
}

// Light on a surface: a share that is everywhere, and shares that grow to these where it faces the camera or the sky
// [-].
static const double AMBIENT_LIGHT = 0.35;
static const double CAMERA_LIGHT = 0.4;
static const double SKY_LIGHT = 0.25;

// Writes the colour of the geom that a ray hit, in the light that falls on its surface there.
static void shade_pixel(const hfModel* m, const hfiRay* ray, const hfRayHit* hit, uint8_t rgb[3]) {
  const float* rgba = hf_model_geom_rgba(m) + 4 * hit->geom;
  double light = AMBIENT_LIGHT + CAMERA_LIGHT * fabs(v3_dot(hit->n_W, ray->along)) + SKY_LIGHT * max2(hit->n_W.z, 0);
  for (int k = 0; k < 3; ++k) rgb[k] = (uint8_t)clamp(255 * rgba[k] * light, 0, 255);
}

// Returns an array (ngeom), which the caller frees: 1 for geoms that are not transparent. NULL: there is no memory, and
// all geoms count.
static uint8_t* list_visible_geoms(const hfModel* m) {
  uint8_t* visible = malloc((size_t)m->ngeom + 1);
  for (int g = 0; visible && g < m->ngeom; ++g) visible[g] = hf_model_geom_rgba(m)[4 * g + 3] > 0;
  return visible;
}

// Renders a picture: colours (3 bytes a pixel), depths along the axis [m] and geoms (-1: none), each of them if its
// array is not NULL. Geoms of exclude_body are left out.
void hf_picture(const hfDynamics* d, hfPose X_WC, const hfLens* lens, int exclude_body, uint8_t* rgb, double* depth,
                int32_t* geom) {
  const hfModel* m = d->model;
  const size_t width = (size_t)lens->width;
  const size_t count = width * (size_t)lens->height;
  uint8_t* visible = list_visible_geoms(m);

  for (size_t i = 0; i < count; ++i) {
    hfiRay ray = hfi_pixel_ray(lens, X_WC, (int)(i / width), (int)(i % width));
    hfRayHit hit;
    int found = hf_ray_cast(d, ray.origin, ray.along, INFINITY, exclude_body, visible, &hit);

    if (rgb && found) shade_pixel(m, &ray, &hit, rgb + 3 * i);
    if (rgb && !found) memset(rgb + 3 * i, BACKGROUND_GREY, 3);
    if (depth) depth[i] = found ? hit.distance * v3_dot(ray.along, ray.axis) : INFINITY;
    if (geom) geom[i] = found ? hit.geom : -1;
  }
  free(visible);
}
