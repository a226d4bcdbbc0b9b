// A ray against a shape.
#ifndef HFI_GEOMETRY_RAY_H
#define HFI_GEOMETRY_RAY_H

#include "step/geometry/shape.h"
#include <holdfast/geometry.h>

// The part of a ray o + t d that is inside a convex shape.
typedef struct hfiSpan {
  double t[2]; // enter, leave; the span is empty where enter > leave
  hfVec3 n[2]; // outward normals there
} hfiSpan;

hfiSpan hfi_whole_span(void);
hfiSpan hfi_empty_span(void);
// The span of the ball |o + t d| <= radius.
hfiSpan hfi_ball_span(hfVec3 o, hfVec3 d, double radius);
// The span of a cylinder about z with the radius size[0] and the half length size[1].
hfiSpan hfi_cylinder_span(const double* size, hfVec3 o, hfVec3 d);
// Cuts a span by the half space n.x <= offset.
void hfi_span_cut(hfiSpan* span, hfVec3 o, hfVec3 d, hfVec3 n, double offset);
// Cuts a span by the slab |axis.x| <= half.
void hfi_span_cut_slab(hfiSpan* span, hfVec3 o, hfVec3 d, hfVec3 axis, double half);
// Extends a span to the union of both, which must touch or overlap.
void hfi_span_join(hfiSpan* span, hfiSpan other);

// First point t >= 0 of o + t d (d unit, all in the shape's frame) where the ray passes the surface, from
// outside or from inside. Writes t and the outward normal there; returns 0 if there is none.
int hfi_ray_shape(const hfiShape* shape, hfVec3 o, hfVec3 d, double* t, hfVec3* normal);

// hf_ray_cast. If sees_plane_backs is 0, rays from below pass through planes.
int hfi_ray_cast(const hfDynamics* d, hfVec3 origin_W, hfVec3 direction_W, double max_distance, int exclude_body,
                 const uint8_t* include, int sees_plane_backs, hfRayHit* hit);

#endif
