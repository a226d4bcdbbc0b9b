// Sensors of frames F, seen from the world or from a reference frame R:
//
//   position         R_WR^T (p_F - p_R)                 orientation  q_WR^-1 q_WF
//   linear velocity  R_WR^T (v_F - v_R - w_R x (p_F - p_R))          angular  R_WR^T (w_F - w_R)
//   accelerations    in the world, gravity included as upward acceleration, as an accelerometer has it
//   sites            accelerometer, velocimeter, gyro, force, torque: in the site's own axes
#include "sim/sensor.h"

// Returns the frame of an object of this kind, or the frame of the world for HF_OBJECT_NONE.
hfiFrame hfi_frame_of(const hfDynamics* d, int kind, int id) {
  const hfModel* m = d->model;

  switch (kind) {
  case HF_OBJECT_GEOM: return (hfiFrame){hf_model_geom_body(m)[id], hf_dynamics_geom_pose(d, id)};
  case HF_OBJECT_SITE: return (hfiFrame){hf_model_site_body(m)[id], hf_dynamics_site_pose(d, id)};
  case HF_OBJECT_CAMERA: return (hfiFrame){hf_model_cam_body(m)[id], hf_dynamics_camera_pose(d, id)};
  case HF_OBJECT_INERTIAL: {
    hfMat3 R_BI = m3_from_quat(q_load(hf_model_body_iquat(m) + 4 * id));
    return (hfiFrame){id, {m3_mul(d->X_WB[id].R, R_BI), hfi_body_com(d, id)}};
  }
  case HF_OBJECT_BODY: return (hfiFrame){id, d->X_WB[id]};
  default: return (hfiFrame){0, pose_identity()};
  }
}

// Returns the orientation of a camera. If it is fixed in its body, its sign follows the sign of the body's quaternion,
// as for all other frames: it does not jump while the body turns.
static hfQuat camera_quat(const hfDynamics* d, int id) {
  const hfModel* m = d->model;
  if (hf_model_cam_mode(m)[id] != HF_CAMERA_FIXED) return q_from_m3(hf_dynamics_camera_pose(d, id).R);
  return q_mul(d->q_WB[hf_model_cam_body(m)[id]], q_load(hf_model_cam_quat(m) + 4 * id));
}

// Returns the orientation of the frame of an object of this kind.
static hfQuat frame_quat(const hfDynamics* d, int kind, int id) {
  const hfModel* m = d->model;

  switch (kind) {
  case HF_OBJECT_GEOM: return q_mul(d->q_WB[hf_model_geom_body(m)[id]], q_load(hf_model_geom_quat(m) + 4 * id));
  case HF_OBJECT_SITE: return q_mul(d->q_WB[hf_model_site_body(m)[id]], q_load(hf_model_site_quat(m) + 4 * id));
  case HF_OBJECT_CAMERA: return camera_quat(d, id);
  case HF_OBJECT_INERTIAL: return q_mul(d->q_WB[id], q_load(hf_model_body_iquat(m) + 4 * id));
  case HF_OBJECT_BODY: return d->q_WB[id];
  default: return q_identity();
  }
}

// ---- frames and references --------------------------------------------------------------------------

// Returns the linear (angular = 0) or angular velocity of a frame as seen from another one, in world axes.
static hfVec3 relative_velocity(const hfDynamics* d, const hfiFrame* f, const hfiFrame* ref, int angular) {
  hfMotion V = hf_dynamics_point_velocity(d, f->body, f->X_WF.p);
  hfMotion V_R = hf_dynamics_point_velocity(d, ref->body, ref->X_WF.p);

  if (angular) return v3_sub(V.w, V_R.w);
  return v3_sub(v3_sub(V.v, V_R.v), v3_cross(V_R.w, v3_sub(f->X_WF.p, ref->X_WF.p)));
}

// Writes position, axis, orientation or velocity of a frame, seen from the sensor's reference.
static void sense_relative(const hfDynamics* d, int s, int type, const hfiFrame* f, double* out) {
  const hfModel* m = d->model;
  int kind = hf_model_sensor_refkind(m)[s];
  int id = hf_model_sensor_ref(m)[s];
  if (type == HF_SENSOR_FRAME_QUAT) {
    hfQuat q_WF = frame_quat(d, hf_model_sensor_objkind(m)[s], hf_model_sensor_obj(m)[s]);
    q_store(out, q_mul(q_conj(frame_quat(d, kind, id)), q_WF));
    return;
  }

  hfiFrame ref = hfi_frame_of(d, kind, id);
  hfVec3 x;
  switch (type) {
  case HF_SENSOR_FRAME_POS:
    x = v3_sub(f->X_WF.p, ref.X_WF.p);
    break;
  case HF_SENSOR_FRAME_XAXIS:
  case HF_SENSOR_FRAME_YAXIS:
  case HF_SENSOR_FRAME_ZAXIS:
    x = m3_col(f->X_WF.R, type - HF_SENSOR_FRAME_XAXIS);
    break;
  default:
    x = relative_velocity(d, f, &ref, type == HF_SENSOR_FRAME_ANGVEL);
  }
  v3_store(out, m3_tmulv(ref.X_WF.R, x));
}

// ---- sites ------------------------------------------------------------------------------------------

// Returns what a sensor of a site measures, in world axes. f: the frame of the site.
static hfVec3 sense_site(const hfiSensorInput* in, int type, const hfiFrame* f) {
  const hfDynamics* d = in->dynamics;

  switch (type) {
  case HF_SENSOR_ACCELEROMETER:
    return hfi_proper_acceleration(d, f->body, f->X_WF.p).v;
  case HF_SENSOR_VELOCIMETER:
    return hf_dynamics_point_velocity(d, f->body, f->X_WF.p).v;
  case HF_SENSOR_GYRO:
    return hf_dynamics_point_velocity(d, f->body, f->X_WF.p).w;
  case HF_SENSOR_FORCE:
    return hfi_interaction_force(in, f->body, f->X_WF.p).f;
  default:
    return hfi_interaction_force(in, f->body, f->X_WF.p).n; // HF_SENSOR_TORQUE
  }
}

// Writes the value of sensor s of a frame or of the motion of a site.
void hfi_sense_frame(const hfiSensorInput* in, int s, double* out) {
  const hfModel* m = in->dynamics->model;
  int type = hf_model_sensor_type(m)[s];
  hfiFrame f = hfi_frame_of(in->dynamics, hf_model_sensor_objkind(m)[s], hf_model_sensor_obj(m)[s]);

  if (type == HF_SENSOR_FRAME_LINACC) {
    v3_store(out, hfi_proper_acceleration(in->dynamics, f.body, f.X_WF.p).v);
  } else if (type == HF_SENSOR_FRAME_ANGACC) {
    v3_store(out, hfi_proper_acceleration(in->dynamics, f.body, f.X_WF.p).w);
  } else if (type >= HF_SENSOR_FRAME_POS && type <= HF_SENSOR_FRAME_ANGVEL) {
    sense_relative(in->dynamics, s, type, &f, out);
  } else {
    v3_store(out, m3_tmulv(f.X_WF.R, sense_site(in, type, &f)));
  }
}
