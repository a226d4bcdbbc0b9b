// The joint types, see joint.h.
#include "model/joint.h"

// ---- motions at the reference ------------------------------------------------------------------------

// Translations along the axes of the world, then rotations about those of the body.
static hfMotion free_axis(const hfPose* X, hfVec3 axis, hfVec3 p_BA, double pitch, int k) {
  (void)axis;
  (void)p_BA;
  (void)pitch;
  if (k < 3) return mo_translation(v3(k == 0, k == 1, k == 2));
  return mo_rotation(m3_col(X->R, k - 3), X->p);
}

static hfMotion ball_axis(const hfPose* X, hfVec3 axis, hfVec3 p_BA, double pitch, int k) {
  (void)axis;
  (void)pitch;
  return mo_rotation(m3_col(X->R, k), pose_point(*X, p_BA));
}

static hfMotion slide_axis(const hfPose* X, hfVec3 axis, hfVec3 p_BA, double pitch, int k) {
  (void)p_BA;
  (void)pitch;
  (void)k;
  return mo_translation(m3_mulv(X->R, axis));
}

static hfMotion hinge_axis(const hfPose* X, hfVec3 axis, hfVec3 p_BA, double pitch, int k) {
  (void)pitch;
  (void)k;
  return mo_rotation(m3_mulv(X->R, axis), pose_point(*X, p_BA));
}

static hfMotion screw_axis(const hfPose* X, hfVec3 axis, hfVec3 p_BA, double pitch, int k) {
  (void)k;
  return mo_screw(m3_mulv(X->R, axis), pose_point(*X, p_BA), pitch);
}

// ---- limits ----------------------------------------------------------------------------------------

// Both ends of an interval of the single coordinate.
static int limit_interval(const double range[2], const double* q, hfiJointLimit* limit) {
  limit[0] = (hfiJointLimit){*q - range[0], {1, 0, 0}};
  limit[1] = (hfiJointLimit){range[1] - *q, {-1, 0, 0}};
  return 2;
}

// The angle of a rotation stays below the larger number of the range.
static int limit_angle(const double range[2], const double* q, hfiJointLimit* limit) {
  hfVec3 turn = q_log(q_unit(q_load(q)));
  limit->phi = max2(range[0], range[1]) - v3_norm(turn);
  v3_store(limit->J, v3_neg(v3_unit(turn)));
  return v3_norm2(turn) > 0;
}

// ---- the table -------------------------------------------------------------------------------------

const hfiJointKind hfi_joint_kinds[HFI_JOINT_TYPES] = {
    [HF_JOINT_FREE] = {.info = {.name = "free", .units = "m, quat; m/s, rad/s", .nq = 7, .nv = 6, .quat = 3},
                       .nworld = 3,
                       .nbody = 3,
                       .ntranslation = 3,
                       .reference_axis = free_axis},
    [HF_JOINT_BALL] = {.info = {.name = "ball", .units = "quat; rad/s", .nq = 4, .nv = 3, .quat = 0, .is_angle = 1},
                       .nbody = 3,
                       .uses_anchor = 1,
                       .reference_axis = ball_axis,
                       .limits = limit_angle},
    [HF_JOINT_SLIDE] = {.info = {.name = "slide", .units = "m; m/s", .nq = 1, .nv = 1, .quat = -1, .is_angle = 0},
                        .nchain = 1,
                        .ntranslation = 1,
                        .uses_axis = 1,
                        .uses_anchor = 1,
                        .reference_axis = slide_axis,
                        .limits = limit_interval},
    [HF_JOINT_HINGE] = {.info = {.name = "hinge", .units = "rad; rad/s", .nq = 1, .nv = 1, .quat = -1, .is_angle = 1},
                        .nchain = 1,
                        .uses_axis = 1,
                        .uses_anchor = 1,
                        .reference_axis = hinge_axis,
                        .limits = limit_interval},
    [HF_JOINT_SCREW] = {.info = {.name = "screw", .units = "rad; rad/s", .nq = 1, .nv = 1, .quat = -1, .is_angle = 1},
                        .nchain = 1,
                        .uses_axis = 1,
                        .uses_anchor = 1,
                        .reference_axis = screw_axis,
                        .limits = limit_interval},
};

hfJointInfo hf_joint_info(int type) {
  hfJointInfo none = {.name = "", .units = "", .quat = -1};
  return type >= 0 && type < HFI_JOINT_TYPES ? hfi_joint_kinds[type].info : none;
}

int hfi_joint_limits(const hfModel* m, int j, const double* q, hfiJointLimit* limit) {
  const hfiJointKind* kind = &hfi_joint_kinds[hf_model_jnt_type(m)[j]];
  int count = kind->limits ? kind->limits(hf_model_jnt_range(m) + 2 * j, q, limit) : 0;
  for (int i = 0; i < count; ++i) limit[i].phi -= hf_model_jnt_margin(m)[j];
  return count;
}
