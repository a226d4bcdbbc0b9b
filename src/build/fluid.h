// The ellipsoid of a geom in a medium.
#ifndef HFI_BUILD_FLUID_H
#define HFI_BUILD_FLUID_H

#include "build/finish.h"

// Fills geom_fluid, geom_fluid_axes and geom_fluid_quat of geom i from its definition, placed in its body.
void hfi_finish_fluid(hfiFinish* finish, int i, const hfGeomDef* placed);

#endif
