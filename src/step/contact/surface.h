// Surfaces that move along themselves: belts, treadmills, turntables, rollers. The geom rests where it is, or moves
// with its body, and contacts see its surface move (docs/theory/belts.md).
//
//   u(p) = u0 + w x (p - o)   velocity of the surface at p over the geom, whose origin is o; u0 and w are constant in
//                             its frame
//
// Over a time h a point of the surface comes from p to E p, E = exp(h [w, u0]). Its displacement is
//
//   E p - p = h (u + c t x u + d t x (t x u)),   t = h w,  c = (1 - cos|t|)/|t|^2,  d = (|t| - sin|t|)/|t|^3
#ifndef HFI_CONTACT_SURFACE_H
#define HFI_CONTACT_SURFACE_H

#include "step/contact/contact.h"

// The motion of the surfaces of A and B at a contact, in the world: over a time h, how far they move and turn [m, rad];
// for h = 0, their velocities [m/s, rad/s].
typedef struct hfiSurfaceMotion {
  hfVec3 a, b;
  hfVec3 turn_a, turn_b;
} hfiSurfaceMotion;

// X_WB (nbody): poses of the bodies.
hfiSurfaceMotion hfi_surface_motion(const hfModel* model, const hfPose* X_WB, const hfiContact* contact, double h);

// The velocity that the surfaces add to rows 1 to 5 of a contact: the mean over a time h, or the present one if h is 0.
// It is zero for rolling.
double hfi_surface_drift(const hfiSurfaceMotion* motion, const hfiContact* contact, int row, double h);

#endif
