// Where cameras stand, and where they look (hfCameraMode).
#include "step/dynamics/inside.h"

#include <assert.h>

// Returns v as a unit vector. A vector without direction becomes the x axis.
static hfVec3 unit_or_x_axis(hfVec3 v) {
  double length = v3_norm(v);
  return length > 0 ? v3_scale(1 / length, v) : v3(1, 0, 0);
}

// Returns the axes of a camera at p that looks along its -z axis at the target; its x axis is horizontal.
static hfMat3 orient_towards(hfVec3 p, hfVec3 target) {
  hfVec3 z = unit_or_x_axis(v3_sub(p, target));
  hfVec3 x = unit_or_x_axis(v3_cross(v3(0, 0, 1), z));
  return m3_from_cols(x, v3_cross(z, x), z);
}

// Returns the pose of a camera in the world. It is fixed on its body, follows the body without turning, or turns
// towards the origin or the centre of mass of its target body.
hfPose hf_dynamics_camera_pose(const hfDynamics* d, int camera) {
  const hfModel* m = d->model;
  assert(camera >= 0 && camera < m->ncam);

  int body = hf_model_cam_body(m)[camera];
  int mode = hf_model_cam_mode(m)[camera];
  int target = hf_model_cam_target(m)[camera];

  // a camera that follows a body or its centre of mass, with axes of its own
  if (mode == HF_CAMERA_TRACK || mode == HF_CAMERA_TRACK_COM) {
    hfVec3 followed = mode == HF_CAMERA_TRACK ? d->X_WB[body].p : hf_dynamics_com(d, body);
    hfVec3 p = v3_add(followed, v3_load(hf_model_cam_offset(m) + 3 * camera));
    return pose_from(p, q_load(hf_model_cam_axes(m) + 4 * camera));
  }

  // a camera on a body, which may turn to a target
  hfPose X_BC = pose_from(v3_load(hf_model_cam_pos(m) + 3 * camera), q_load(hf_model_cam_quat(m) + 4 * camera));
  hfPose X_WC = pose_mul(d->X_WB[body], X_BC);

  if (mode == HF_CAMERA_FIXED || target < 0) return X_WC;
  X_WC.R = orient_towards(X_WC.p, mode == HF_CAMERA_TARGET ? d->X_WB[target].p : hf_dynamics_com(d, target));
  return X_WC;
}
