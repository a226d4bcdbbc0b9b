// The report of a contact: forces and velocities of its rows as vectors in the world.
//
//   ft = f1 t1 + f2 t2,   torque = f3 n + f4 t1 + f5 t2,   vt = s1 t1 + s2 t2
#ifndef HFI_CONTACT_RESULT_H
#define HFI_CONTACT_RESULT_H

#include "step/contact/contact.h"
#include <holdfast/contact.h>

// x0 t1 + x1 t2
static inline hfVec3 hfi_in_plane(const hfiContact* c, double x0, double x1) {
  return v3_add(v3_scale(x0, c->t1), v3_scale(x1, c->t2));
}

// Reports which geoms touch and where, without force and motion.
hfContact hfi_contact_result(const hfiContact* contact);
// Adds the forces f and velocities s of its `dim` rows to the report. The normal force includes the pull of adhesion.
void hfi_contact_result_force(hfContact* result, const hfiContact* contact, int dim, const double* f);
void hfi_contact_result_velocity(hfContact* result, const hfiContact* contact, int dim, const double* s);

#endif
