// Queries of the geoms of a model: rays, distances and pictures, at the configuration of an hfDynamics.
#ifndef HOLDFAST_GEOMETRY_H
#define HOLDFAST_GEOMETRY_H

#include <holdfast/dynamics.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hfRayHit {
  int32_t geom;
  double distance;   // along the ray [m]
  hfVec3 p_W;        // [m]
  hfVec3 n_W;        // unit, out of the geom
} hfRayHit;

// The nearest surface along the ray from `origin` in `direction` (of any length but zero), up to
// `max_distance` (which may be INFINITY). A ray that starts inside a geom hits its surface from inside; a
// plane fills the space below it. Geoms of `exclude_body` (-1: none) and geoms whose entry in
// `include` (ngeom; NULL: all) is 0 let it pass. Returns 1 and writes *hit, or 0.
// Needs hf_dynamics_set_position.
HF_API int hf_ray_cast(const hfDynamics* d, hfVec3 origin_W, hfVec3 direction_W, double max_distance,
                       int exclude_body, const uint8_t* include, hfRayHit* hit);

typedef struct hfGeomDistance {
  double distance;     // signed: negative where the geoms overlap [m]
  hfVec3 p_Wa, p_Wb;   // the nearest points, or the deepest ones [m]
  hfVec3 n_W;          // unit, from b into a: p_Wa - p_Wb = distance normal
} hfGeomDistance;

// Signed distance of two geoms. Returns 0, and writes nothing, where it exceeds `max_distance` (which
// may be INFINITY) or both are planes. Needs hf_dynamics_set_position.
HF_API int hf_geom_distance(const hfDynamics* d, int geom_a, int geom_b, double max_distance, hfGeomDistance* result);

// What a camera sees. A point at (x, y, -z) in its frame, z > 0, is in the picture at
//   u = c_x + f_x x/z,   v = c_y - f_y y/z   [pixels] from the left and from the top
// and with parallel rays at the same u and v with z = 1.
typedef struct hfLens {
  int32_t width, height; // [pixels]
  int32_t orthographic;  // 1: rays are parallel
  double f[2], c[2];     // f [pixels, orthographic pixels/m], c [pixels]
} hfLens;

// The lens of a camera for a picture of this size; width = 0: that of its cam_resolution. A picture of another shape than the
// camera's shows more or less at its sides.
HF_API hfLens hf_camera_lens(const hfModel* model, int camera, int width, int height);

// Draws what a lens at X_WC sees, one ray for each pixel, through its middle. Arrays are by rows from the top; NULL: not wanted.
//   rgb (height x width x 3)  colours of the geoms, lit from the eye and from above; light grey where there is nothing
//   depth (height x width)    along the optical axis [m]; infinite where there is nothing
//   geom (height x width)     id, or -1
// Geoms of `exclude_body` (-1: none), and those without colour (alpha 0), are not seen. Needs hf_dynamics_set_position.
HF_API void hf_picture(const hfDynamics* d, hfPose X_WC, const hfLens* lens, int exclude_body, uint8_t* rgb, double* depth, int32_t* geom);

#ifdef __cplusplus
}
#endif
#endif
