// A contact of a step, as sims, batches and recordings report it.
#ifndef HOLDFAST_CONTACT_H
#define HOLDFAST_CONTACT_H

#include <holdfast/types.h>

// All vectors are in the world frame. The normal points from B into A, and forces are those on A.
typedef struct hfContact {
  int32_t geom_a, geom_b, body_a, body_b;
  uint32_t feature; // tells apart the points at which the same two geoms touch
  int32_t stick;    // 1: the friction is below its bound
  hfVec3 p_W;       // contact point [m]
  hfVec3 n_W;       // unit normal
  double depth;     // overlap at the start of the step; negative: a gap [m]
  double fn;        // normal force [N]
  hfVec3 ft;        // friction force [N]
  hfVec3 torque;    // torsional and rolling friction [N m]
  hfVec3 vt;        // slip of A relative to B at the end of the step [m/s]
  double vn;        // separation speed at the end of the step [m/s]
  double mu;        // the coefficient that acted: |ft| <= mu fn; 0: frictionless [-]
} hfContact;

#endif
