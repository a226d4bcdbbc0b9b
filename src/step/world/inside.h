// What only the files of world/ call.
#ifndef HFI_WORLD_INSIDE_H
#define HFI_WORLD_INSIDE_H

#include "step/world/world.h"

// Computes the inverse weights of the bodies, and those of dofs for the actuation (weight.c). Weights that no parameter
// of MuJoCo needs are zero. Afterwards the poses of the dynamics are those of qpos0.
void hfi_world_weigh(hfiWorld* world);

// Whether an actuator pulls at contacts (adhesion.c).
int hfi_any_adhesion(const hfModel* model);

#endif
