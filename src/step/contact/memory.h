// Contact memory: the deformation and slip that the state keeps of contacts from one step to the next.
#ifndef HFI_CONTACT_MEMORY_H
#define HFI_CONTACT_MEMORY_H

#include "step/contact/contact.h"

// What a step made of a contact.
typedef struct hfiContactOutcome {
  int32_t sticks; // 1: friction holds it against sliding; reports, logs and memory show this
  int32_t slips;  // bit g: friction group g slides
  double xi[5];   // deformation, at the end of the step, of the groups that slide: t1, t2, torsion, rolling [m, rad]
  double slip_speed; // slip speed at the end of the step [m/s]
} hfiContactOutcome;

// Fills known, slip_speed, p_BC, xi_W, twist_W of the contacts from the state's memory, at the poses and velocities of
// the start of a step of length h. surfaces, here and below: the model if the surface of some geom moves (surface.h),
// otherwise NULL.
void hfi_memory_recall(const hfState* state, const hfDynamics* dynamics, const hfModel* surfaces, double h,
                       hfiContact* contacts, int n);

// Turns a remembered vector into the tangent plane of normal n, keeping its length.
static inline hfVec3 hfi_turn_into_plane(hfVec3 xi, hfVec3 n) {
  double along = v3_dot(n, xi);
  double length2 = v3_norm2(xi);
  double kept2 = length2 - along * along;
  hfVec3 t = v3_axpy(-along, n, xi);

  // a normal that has turned by more than 84 degrees belongs to another contact
  return kept2 > 0.01 * length2 ? v3_scale(sqrt(length2 / kept2), t) : t;
}

// Ends the memory after n contacts, and clears the rest, because states are compared byte by byte.
void hfi_memory_end(hfState* state, int n);

// A step of length h from poses X0_WB to X1_WB, with its contacts.
typedef struct hfiContactStep {
  const hfModel* surfaces;
  double h;
  const hfPose *X0_WB, *X1_WB;
  const hfiContact* contact;        // (n)
  const hfiContactOutcome* outcome; // (n)
  int32_t n;
} hfiContactStep;
// Replaces the memory by that of the contacts after the step. If there is no room for all of them, those that are open
// are not remembered. Returns the number of contacts that touch and for which there was no room.
int hfi_memory_store(hfState* state, const hfiContactStep* step);
// Like hfi_memory_store, but contacts of two geoms that `still` (ngeom) marks stay remembered. No such contact is in
// the step. fresh (n) is scratch.
int hfi_memory_store_beside(hfState* state, const int32_t* still, hfContactMemory* fresh, const hfiContactStep* step);

#endif
