// Forces of a medium.
#ifndef HFI_ACTUATION_FLUID_H
#define HFI_ACTUATION_FLUID_H

#include "step/actuation/actuation.h"

// Force and torque at the centre of an ellipsoid with half axes r (3), in its axes, for its velocities v and w relative to the medium; fluid (12) as
// hf_model_geom_fluid. Over a step h, drag is implicit for a body of this mass and moment; h = 0 gives the force at an instant.
hfForce hfi_ellipsoid_force(const hfWorld* world, const double* fluid, const double* r, hfVec3 v, hfVec3 w, double h, double mass, double moment);

#endif
