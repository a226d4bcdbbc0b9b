// The contacts of a sim, summed for each pair of bodies.
#ifndef CLI_BODY_PAIRS_H
#define CLI_BODY_PAIRS_H

#include <holdfast/holdfast.h>

// The contacts between two bodies, with the forces of body_b on body_a.
typedef struct bodyPair {
  int body_a, body_b;
  int first;    // number of its first contact
  int contacts; // number of contacts
  int stick;    // number of contacts that stick
  hfVec3 normal, friction; // sums of the forces [N]
} bodyPair;

// Finds all pairs of bodies that touch, in the order of their first contacts. The caller frees them. Returns NULL if
// there are none, or no memory.
bodyPair* find_body_pairs(const hfSim* sim, int* count);

#endif
