// What only the files of contact/ call.
#ifndef HFI_CONTACT_INSIDE_H
#define HFI_CONTACT_INSIDE_H

#include "step/contact/contact.h"

// A contact does not roll if its bodies turn relative to each other by less than this in a step [rad].
static const double HFI_LEAST_ROLLING_TURN = 1e-6;

// Whether a contact rolls. theta: how far its bodies turn relative to each other in a step [rad].
static inline int hfi_contact_rolls(hfVec3 theta) {
  return v3_norm2(theta) >= HFI_LEAST_ROLLING_TURN * HFI_LEAST_ROLLING_TURN;
}

// Corrects xi_W of a contact that has stuck and rolls. theta: how far A turned relative to B over the step [rad];
// before: what is remembered of the contact at the start of that step.
void hfi_correct_rolling(const hfDynamics* dynamics, const hfVec3* theta, const hfContactMemory* before,
                         hfiContact* contact);

#endif
