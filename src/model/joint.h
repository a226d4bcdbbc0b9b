// The table of joint types, by which all other code treats joints without knowing their types.
//
// The dofs of a joint are of three sorts and come in this order:
//   nworld   translations along the axes of the world; the joint then floats: it is the only joint of a
//            child of the world, and its reference coordinates are the pose of its body
//   nchain   dofs that act one after the other, each carried by those before it
//   nbody    rotations about the axes of the body behind the joint: 3 or none
// A dof of the first two sorts has one coordinate, its integral; nbody rotations have a unit quaternion.
//
// How a joint places its body, and the motions of its dofs, are in step/dynamics/fk.c.
#ifndef HFI_MODEL_JOINT_H
#define HFI_MODEL_JOINT_H

#include <holdfast/model.h>
#include "math/spatial.h"

enum { HFI_JOINT_TYPES = HF_JOINT_SCREW + 1 };

// One end of a joint's range.
typedef struct hfiJointLimit {
  double phi;  // distance to the end, negative beyond it [m or rad]
  double J[3]; // dphi/dt = J . v over the joint's dofs
} hfiJointLimit;

enum { HFI_MAX_JOINT_LIMITS = 2 };

typedef struct hfiJointKind {
  hfJointInfo info;
  int32_t nworld, nchain, nbody;
  int32_t ntranslation; // the first dofs, which translate; the others rotate
  int32_t uses_axis;    // 1: the joint has a direction, jnt_axis
  int32_t uses_anchor;  // 1: the joint has a point, jnt_pos
  // Motion of dof k per unit rate about the world's origin, at the reference configuration: the body at
  // X_WB, the joint's direction, point and pitch in the body.
  hfMotion (*reference_axis)(const hfPose* X_WB, hfVec3 axis_B, hfVec3 p_BA, double pitch, int k);
  // The ends of the range at the coordinates q, see hfi_joint_limits; NULL: the joint has no limits.
  int (*limits)(const double range[2], const double* q, hfiJointLimit* limit);
} hfiJointKind;

extern const hfiJointKind hfi_joint_kinds[HFI_JOINT_TYPES];

static inline int hfi_joint_nq(int type) { return hfi_joint_kinds[type].info.nq; }
static inline int hfi_joint_nv(int type) { return hfi_joint_kinds[type].info.nv; }
// Whether a joint has a single coordinate: tendons, couplings and servos with one number need it.
static inline int hfi_joint_is_scalar(int type) { return hfi_joint_kinds[type].info.nv == 1; }

// The ends of joint j's range, margin deducted, at its coordinates q (nq). Returns their number; an end
// whose distance has no derivative there is left out.
int hfi_joint_limits(const hfModel* model, int j, const double* q, hfiJointLimit* limit);

#endif
