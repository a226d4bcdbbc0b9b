// The soft laws of the contacts of a heap, and the forces that are known of them (soft.c has the equations and their symbols).
#ifndef HFI_SOLVE_SOFT_LAW_H
#define HFI_SOLVE_SOFT_LAW_H

#include "solve/island.h"

static inline int hfi_is_contact(const hfiIsland* I, int32_t k) { return I->block[k].law == HF_LAW_CONTACT; }
// Returns the normal force of the soft law of contact k at the normal velocity vn. It is negative where the law would pull.
static inline double hfi_soft_normal_force(const hfiIsland* I, int32_t k, double vn) {
  return I->soft[k].stiffness * (I->soft[k].depth - I->problem->h * vn);
}

// Sets pi0 and f0 of all contacts to their first values at I->s. Returns whether some contact was in no earlier solution of this step.
int hfi_soft_start_contacts(hfiIsland* I);
// Gives the block of contact k its soft law, made for the forces known so far.
void hfi_soft_take_law(hfiIsland* I, int32_t k, double cap);
// Sets pi0, f0 and the friction duals of contact k to what the soft law has at I->s1, for which the duals were updated, and gives the block its true law back.
void hfi_soft_give_back_law(hfiIsland* I, int32_t k);

// Bounds the friction forces of contact k and sets its duals to them. Either law of the contact will do.
void hfi_soft_bound_friction(hfiIsland* I, int32_t k);
// Sets the friction duals of contact k to the forces f0 over their bounds.
void hfi_soft_set_duals(hfiIsland* I, int32_t k);
// Scales the forces f of friction group g down to its bound where they exceed it.
void hfi_clamp_group(double* f, int g, double bound);

#endif
