// Error control for the methods of discrete time (docs/theory/accuracy.md).
#ifndef HFI_CONTROLLED_CONTROLLED_H
#define HFI_CONTROLLED_CONTROLLED_H

#include "discrete/discrete.h"

// What a step of discrete time did, as far as error control has to know it.
typedef struct hfiDeed {
  int bounced;    // 1: a contact bounced
  double early;   // how far contacts that bounced across a gap are ahead of their impact, at most [m]
  int32_t* flies; // (ntree) 1: nothing but inertia and gravity acted on the tree
} hfiDeed;

typedef struct hfiControlled {
  hfiWorld* world;
  hfiDiscrete* discrete;     // takes the steps
  double step;               // of the sim [s]
  double accuracy, smallest; // error that one step may have [m, rad]; shortest step [s]
  // Scratch states: of the start of the sim's step, of the start of the present step; after the full step, after the first half.
  hfState *origin, *start, *full, *middle;
  hfiDeed full_deed, middle_deed, last_deed; // of the full step and of both halves
  double* difference; // (nv) half (-) full of positions
  double* share;      // (nv) by how much of its difference a dof is extrapolated [-]
  double* change;     // (nv) share times difference
  void* memory;
} hfiControlled;

hfStatus hfi_controlled_create(hfiControlled** controlled, hfiWorld* world, const hfSimConfig* config, hfError* error);
void hfi_controlled_free(hfiControlled* controlled);
hfStatus hfi_controlled_step(hfiControlled* controlled, hfState* state, const hfInput* input, hfiStepOutput* out, hfError* error);

// Takes down what the last step of `discrete` did.
void hfi_deed_take(hfiDeed* deed, const hfiDiscrete* discrete);

// Computes `difference` and returns the estimated error of the step [m, rad].
double hfi_controlled_error(hfiControlled* controlled, const hfState* half, const hfState* full);
// half <- half (+) share difference for positions, and alike for velocities, activations and what contacts remember. Does
// nothing where a contact bounced or the change would press bodies into each other. The last step of `discrete` was the second
// half.
void hfi_controlled_extrapolate(hfiControlled* controlled, hfState* half, const hfState* full);

// The method for the table of methods.
extern const hfiMethod hfi_method_controlled;

#endif
