// Queries of the geoms of a model: rays and distances, at the configuration of an hfDynamics.
#ifndef HOLDFAST_GEOMETRY_H
#define HOLDFAST_GEOMETRY_H

#include <holdfast/dynamics.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hfRayHit {
  int32_t geom;
  double distance;   // along the ray [m]
  hfVec3 point_W;    // [m]
  hfVec3 normal_W;   // unit, out of the geom
} hfRayHit;

// The nearest surface along the ray from `origin` in `direction` (of any length but zero), up to
// `max_distance` (which may be INFINITY). A ray that starts inside a geom hits its surface from inside; a
// plane fills the space below it. Geoms of `exclude_body` (-1: none) and geoms whose entry in
// `include` (ngeom; NULL: all) is 0 let it pass. Returns 1 and writes *hit, or 0.
// Needs hf_dynamics_position.
HF_API int hf_ray_cast(const hfDynamics* d, hfVec3 origin_W, hfVec3 direction_W, double max_distance,
                       int exclude_body, const uint8_t* include, hfRayHit* hit);

typedef struct hfGeomDistance {
  double distance;     // signed: negative where the geoms overlap [m]
  hfVec3 p_Wa, p_Wb;   // the nearest points, or the deepest ones [m]
  hfVec3 normal_W;     // unit, from b into a: p_Wa - p_Wb = distance normal
} hfGeomDistance;

// Signed distance of two geoms. Returns 0, and writes nothing, where it exceeds `max_distance` (which
// may be INFINITY) or both are planes. Needs hf_dynamics_position.
HF_API int hf_geom_distance(const hfDynamics* d, int geom_a, int geom_b, double max_distance, hfGeomDistance* result);

#ifdef __cplusplus
}
#endif
#endif
