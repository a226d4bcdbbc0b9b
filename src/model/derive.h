// Everything in a model that follows from other fields of it; run when a model is finished and when a
// parameter overlay has changed.
#ifndef HFI_MODEL_DERIVE_H
#define HFI_MODEL_DERIVE_H

#include <holdfast/model.h>
#include "math/vec3.h"

// Poses of all bodies at qpos0, where no joint is displaced: a composition of the static offsets.
void hfi_reference_poses(const hfModel* model, hfPose* X_WB); // (nbody)
// Subtree masses, principal axes, the diagonal of M at qpos0. Refuses non-physical inertias and
// motions without inertia, naming the body.
hfStatus hfi_derive(hfModel* model, hfError* error);

#endif
