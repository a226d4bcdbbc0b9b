// Surfaces that move along themselves: belts, treadmills, turntables, rollers. The geom rests where it is, or moves with its body, and
// contacts see its surface move (docs/theory/belts.md).
//
//   u(p) = u0 + w x (p - o)   velocity of the surface at p over the geom, whose origin is o; u0 and w are constant in its frame
//
// Over a time h a point of the surface comes from p to E p, E = exp(h [w, u0]). Its displacement is
//
//   E p - p = h (u + c t x u + d t x (t x u)),   t = h w,  c = (1 - cos|t|)/|t|^2,  d = (|t| - sin|t|)/|t|^3
#ifndef HFI_CONTACT_SURFACE_H
#define HFI_CONTACT_SURFACE_H

#include "contact/contact.h"

// What the surfaces of A and B do at a contact, in the world. Of a time h: how far they come and turn [m, rad]. Of h = 0: velocities
// [m/s, rad/s].
typedef struct hfiSurfaceMotion {
  hfVec3 a, b;
  hfVec3 turn_a, turn_b;
} hfiSurfaceMotion;

// X_WB (nbody): poses of the bodies.
hfiSurfaceMotion hfi_surface_motion(const hfModel* model, const hfPose* X_WB, const hfiContact* contact, double h);

// Velocity that the surfaces add to row 1 to 5 of a contact: mean of a time h, or present where h is 0. Axes of rolling have none.
double hfi_surface_drift(const hfiSurfaceMotion* motion, const hfiContact* contact, int row, double h);

#endif
