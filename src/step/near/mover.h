// A geom that moves over a step: a centre moves along a line, and the geom turns about it at a constant rate.
//
// Two movers at a gap d (negative: an overlap) along the normal n, from B into A, come nearer along n by at most
//
//   c = (-n.(v_A - v_B))+ + |n x w_A| r_A + |n x w_B| r_B
//
// in a second, as long as both move: d(t) >= d - c t, since no overlap is larger than the one along n.
#ifndef HFI_WORLD_MOVER_H
#define HFI_WORLD_MOVER_H

#include "step/geometry/distance.h"
#include "step/world/world.h"

typedef struct hfiMover {
  const hfiShape* shape;
  hfPose X0;      // pose of the geom at the start
  hfVec3 centre;  // centre at the start, in the world [m]
  hfVec3 v, w;    // velocity of the centre, and angular velocity, in the world [m/s, rad/s]
  double radius;  // radius of a ball about the centre that contains the geom [m]
} hfiMover;

static inline hfPose hfi_mover_pose(const hfiMover* m, double t) {
  if (!(t > 0) || !(v3_norm2(m->w) > 0)) return (hfPose){m->X0.R, v3_axpy(t, m->v, m->X0.p)};
  hfMat3 turn = m3_from_quat(q_exp(v3_scale(t, m->w)));
  hfVec3 arm = m3_mulv(turn, v3_sub(m->X0.p, m->centre));
  hfPose X = {m3_mul(turn, m->X0.R), v3_add(v3_axpy(t, m->v, m->centre), arm)};
  return X;
}

// Upper bound on the speed of all points of a mover [m/s].
static inline double hfi_mover_speed(const hfiMover* m) { return v3_norm(m->v) + v3_norm(m->w) * m->radius; }

// Makes movers of two geoms along their paths (path.c). If one body carries both, they are seen from a frame that moves with its origin.
void hfi_movers_on_paths(const hfiPaths* paths, int geom_a, int geom_b, hfiMover mover[2]);

#endif
