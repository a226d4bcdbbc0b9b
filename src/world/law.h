// From a contact with its material to the law of a problem's rows, in discrete and in continuous time.
#ifndef HFI_WORLD_LAW_H
#define HFI_WORLD_LAW_H

#include "contact/contact.h"

// Inverse effective masses J M^-1 J^T of a contact's rows. Of a group of two rows it is the mean.
typedef struct hfiInverseMasses {
  double normal;   // counts only where the stiffness comes from MuJoCo's solref [1/kg]
  double group[3]; // sliding, torsion, rolling: count only for anchored friction [1/kg, 1/(kg m^2)]
} hfiInverseMasses;

// The law with the static coefficients and without deformation. h is 0 in continuous time; h (h k_t + c_t) w is at
// most `steepest`. Returns the number of friction groups that were capped there.
int hfi_contact_law(const hfiContact* contact, int friction, const hfiInverseMasses* w, double h, double steepest,
                    hfContactLaw* law);

// xi0 of the contact's friction rows from a sliding deformation [m] and a torsional and rolling one [rad].
void hfi_contact_set_deformation(const hfiContact* contact, hfVec3 xi_W, hfVec3 twist_W, double* xi0);

#endif
