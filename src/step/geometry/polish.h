// Sharpening of a contact normal found by GJK or EPA.
#ifndef HFI_GEOMETRY_POLISH_H
#define HFI_GEOMETRY_POLISH_H

#include "step/geometry/gjk.h"

// The separation of two cores along their best direction and the points where they come nearest, in
// A's frame; pa - pb = gap n.
typedef struct hfiClosest {
  hfVec3 n, pa, pb;
  double gap;
} hfiClosest;

// Improves the direction n with the witness points of `simplex` until the separation along it is
// stationary to rounding. Never returns a direction worse than n.
hfiClosest hfi_polish(hfiCores* cores, const hfiSimplex* simplex, hfVec3 n);

#endif
