// What only the files of contact/ call.
#ifndef HFI_CONTACT_INSIDE_H
#define HFI_CONTACT_INSIDE_H

#include "step/contact/contact.h"

// Whether a contact rolls. theta is how far its bodies turn relative to each other in a step [rad]; below 1e-6 the
// contact does not roll.
static inline int hfi_contact_rolls(hfVec3 theta) { return v3_norm2(theta) >= 1e-6 * 1e-6; }

// Corrects xi_W of a contact that has stuck and rolls. theta: how far A turned relative to B over the step [rad];
// before: what is remembered of the contact at the start of that step.
void hfi_correct_rolling(const hfDynamics* dynamics, const hfVec3* theta, const hfContactMemory* before,
                         hfiContact* contact);

#endif
