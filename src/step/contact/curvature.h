// Curvature of the surfaces that touch at a contact.
#ifndef HFI_CONTACT_CURVATURE_H
#define HFI_CONTACT_CURVATURE_H

#include "step/contact/contact.h"

// Curvature of a surface in the tangent plane of a contact, a symmetric matrix in the axes t1 and t2. Positive where
// the surface is convex [1/m].
typedef struct hfiCurvature { double c11, c12, c22; } hfiCurvature;

// The curvature along the unit tangent x t1 + y t2.
static inline double hfi_curvature_along(const hfiCurvature* c, double x, double y) {
  return c->c11 * x * x + 2 * c->c12 * x * y + c->c22 * y * y;
}

// What kind of surface a geom has where a contact touches it.
typedef enum hfiTouched {
  HFI_TOUCHED_EDGE,   // an edge or a corner
  HFI_TOUCHED_SMOOTH, // a surface with a curvature
  HFI_TOUCHED_RIM     // the rim of a cylinder, which has a curvature along itself, and none across
} hfiTouched;

// Finds the curvature of a geom where contact c touches it; for a rim, the curvature along the rim. For an edge *out is
// not set.
hfiTouched hfi_contact_curvature(const hfDynamics* d, const hfiContact* c, int geom, hfiCurvature* out);

// The radius R/sin(tilt) if the geom is a cylinder that rolls on its rim at contact c; otherwise 0 [m].
double hfi_rim_radius(const hfDynamics* d, const hfiContact* c, int geom);

// The largest radius of curvature of a geom, where it is not straight; 0 if it is nowhere round [m].
double hfi_largest_radius(const hfModel* m, int geom);

#endif
