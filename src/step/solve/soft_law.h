// The soft laws of the contacts of a heap and their estimated forces pi0 and f0. soft.c has the equations and their symbols.
#ifndef HFI_SOLVE_SOFT_LAW_H
#define HFI_SOLVE_SOFT_LAW_H

#include "step/solve/island.h"

static inline int hfi_is_contact(const hfiIsland* I, int32_t k) { return I->block[k].law == HF_LAW_CONTACT; }
// Returns the normal force of the soft law of contact k at the normal velocity vn. It is negative if the law would pull.
static inline double hfi_soft_normal_force(const hfiIsland* I, int32_t k, double vn) {
  return I->soft[k].stiffness * (I->soft[k].depth - I->problem->h * vn);
}

// Sets pi0 and f0 of all contacts to their first values at I->s. I->r must be the residual of the true laws there. Returns whether some contact was not in an earlier solution of this step.
int hfi_soft_start_forces(hfiIsland* I);
// Computes the soft law of contact k for the present pi0 and f0, and replaces the true law in its block by it.
void hfi_soft_begin_iteration(hfiIsland* I, int32_t k, double cap);
// Sets pi0, f0 and the friction duals of contact k to those of the soft law at I->s1, and puts the true law back into the block. The duals must have
// been updated for I->s1.
void hfi_soft_end_iteration(hfiIsland* I, int32_t k);

// Clamps the friction forces of contact k to their bounds and sets its duals to match. The block may have its soft or its true law.
void hfi_soft_bound_friction(hfiIsland* I, int32_t k);
// Sets the friction duals of contact k to f0 divided by the bounds of friction.
void hfi_soft_set_duals(hfiIsland* I, int32_t k);
// Scales the forces f of friction group g down to the bound if they exceed it.
void hfi_clamp_group(double* f, int g, double bound);

#endif
