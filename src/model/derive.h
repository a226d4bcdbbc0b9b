// Computes all fields of a model that follow from other fields. It runs when a model is finished and when a parameter overlay has changed.
#ifndef HFI_MODEL_DERIVE_H
#define HFI_MODEL_DERIVE_H

#include <holdfast/model.h>
#include "math/spatial.h"

// Poses of all bodies at qpos0, where no joint is displaced: a composition of the static offsets.
void hfi_reference_poses(const hfModel* model, hfPose* X_WB); // (nbody)
// Poses of all bodies with hinges and slides at the rests of their springs and all other joints at qpos0.
void hfi_rest_poses(const hfModel* model, hfPose* X_WB); // (nbody)
// Motion of dof i per unit velocity, at the world origin, with the bodies at X_WB.
hfMotion hfi_reference_axis(const hfModel* model, int dof, const hfPose* X_WB);
// Inertia of each body and all below it about the world origin, with the bodies at X_WB.
void hfi_reference_composites(const hfModel* model, const hfPose* X_WB, hfiInertia* composite); // (nbody)
// Subtree masses, principal axes, the diagonal of M at qpos0. Refuses non-physical inertias and
// motions without inertia, naming the body; *at_fault is then its id (at_fault may be NULL).
hfStatus hfi_derive(hfModel* model, int* at_fault, hfError* error);

#endif
