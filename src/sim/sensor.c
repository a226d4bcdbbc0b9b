// Sensors: one function per family, values clamped by their cutoff.
#include "sim/sensor.h"

#include "model/actuator.h"
#include "model/object.h"

#include <string.h>

// ---- joint limits -----------------------------------------------------------------------------------

// Finds the distance phi of joint j to the nearer end of its range, less its margin, and the rate of phi. A joint with
// several limits has the phi that is least [m, rad; m/s, rad/s].
static void find_limit_state(const hfiSensorInput* in, int j, double* phi, double* rate) {
  const hfModel* m = in->dynamics->model;
  const double* v = in->dynamics->v + hf_model_jnt_dofadr(m)[j];
  hfiJointLimit limit[HFI_MAX_JOINT_LIMITS];
  int count = hfi_joint_limits(m, j, in->q + hf_model_jnt_qposadr(m)[j], limit);
  *phi = 0;
  *rate = 0;

  for (int i = 0; i < count; ++i) {
    if (i > 0 && *phi < limit[i].phi) continue; // of equal ones the last counts
    *phi = limit[i].phi;
    *rate = 0;
    for (int k = 0; k < hfi_joint_nv(hf_model_jnt_type(m)[j]); ++k) *rate += limit[i].J[k] * v[k];
  }
}

// Returns the value of a sensor of the limit of joint j. It is zero while the limit is not reached.
static double sense_limit(const hfiSensorInput* in, int type, int j) {
  const hfModel* m = in->dynamics->model;
  if (!hf_model_jnt_limited(m)[j] || m->world.disable_limit) return 0;
  if (type == HF_SENSOR_JOINT_LIMIT_FORCE) return in->constraint ? in->constraint->joint_limit[j] : 0;

  double phi, rate;
  find_limit_state(in, j, &phi, &rate);
  if (phi >= 0) return 0;
  return type == HF_SENSOR_JOINT_LIMIT_POS ? phi : rate;
}

// Returns the value of a sensor of the limit of tendon t, like sense_limit, along its length.
static double sense_tendon_limit(const hfiSensorInput* in, int type, int t) {
  const hfModel* m = in->dynamics->model;
  const double* range = hf_model_tendon_range(m) + 2 * t;
  if (!hf_model_tendon_limited(m)[t] || m->world.disable_limit) return 0;
  if (type == HF_SENSOR_TENDON_LIMIT_FORCE) return in->constraint ? in->constraint->tendon_limit[t] : 0;

  double length = in->actuation->tendons.length[t];
  double below = length - range[0];
  double above = range[1] - length;
  double phi = min2(below, above) - hf_model_tendon_margin(m)[t];
  if (phi >= 0) return 0;
  if (type == HF_SENSOR_TENDON_LIMIT_POS) return phi;

  double rate = in->actuation->tendons.velocity[t];
  return below < above ? rate : -rate;
}

// Returns the sum of the forces of the actuators on a tendon [N].
static double add_tendon_actuators(const hfActuation* a, int t) {
  const hfModel* m = a->model;
  double sum = 0;

  for (int i = 0; i < m->nu; ++i) {
    if (hf_model_actuator_trntype(m)[i] != HF_TRANSMISSION_TENDON) continue;
    if (hf_model_actuator_trnid(m)[2 * i] == t) sum += a->force[i];
  }
  return sum;
}

// ---- subtrees ---------------------------------------------------------------------------------------

// Velocity of the centre of mass of a body [m/s].
static hfVec3 com_velocity(const hfDynamics* d, int b) {
  return hf_dynamics_point_velocity(d, b, hfi_body_com(d, b)).v;
}

// Returns the velocity of the centre of mass of a body and all that it carries [m/s].
static hfVec3 subtree_velocity(const hfDynamics* d, int body) {
  const double* mass = hf_model_body_mass(d->model);
  double total = 0; // mass [kg]
  hfVec3 momentum = v3_zero();

  for (int b = body; b < hf_model_body_subtreeend(d->model)[body]; ++b) {
    total += mass[b];
    momentum = v3_axpy(mass[b], com_velocity(d, b), momentum);
  }

  return total > 0 ? v3_scale(1 / total, momentum) : v3_zero();
}

// Angular momentum of the subtree of a body about the subtree's centre of mass c [kg m^2/s]:
//
//   L = sum_b I_b w_b + m_b (c_b - c) x v_b
static hfVec3 subtree_angular_momentum(const hfDynamics* d, int body) {
  const hfModel* m = d->model;
  hfVec3 c = hf_dynamics_com(d, body);
  hfVec3 L = v3_zero();

  for (int b = body; b < hf_model_body_subtreeend(m)[body]; ++b) {
    const hfMat3* R = &d->X_WB[b].R;
    hfVec3 w_B = m3_tmulv(*R, d->V[d->body_link[b]].w);
    hfVec3 arm = v3_sub(hfi_body_com(d, b), c);
    L = v3_add(L, m3_mulv(*R, sym3_mulv(hf_model_body_inertia(m) + 6 * b, w_B)));
    L = v3_axpy(hf_model_body_mass(m)[b], v3_cross(arm, com_velocity(d, b)), L);
  }
  return L;
}

// The value of a sensor of the subtree of a body.
static hfVec3 sense_subtree(const hfDynamics* d, int type, int body) {
  if (type == HF_SENSOR_SUBTREE_COM) return hf_dynamics_com(d, body);
  if (type == HF_SENSOR_SUBTREE_LINVEL) return subtree_velocity(d, body);
  return subtree_angular_momentum(d, body);
}

// ---- one sensor -------------------------------------------------------------------------------------

// Returns the value of sensor s, which has one number. id: the object that it measures.
static double sense_scalar(const hfiSensorInput* in, int s, int type, int id) {
  const hfModel* m = in->dynamics->model;
  const hfActuation* a = in->actuation;

  switch (type) {
  case HF_SENSOR_TOUCH:
    return hfi_touch_force(in, id);
  case HF_SENSOR_JOINT_POS:
    return in->q[hf_model_jnt_qposadr(m)[id]];
  case HF_SENSOR_JOINT_VEL:
    return in->dynamics->v[hf_model_jnt_dofadr(m)[id]];
  case HF_SENSOR_TENDON_POS:
    return a->tendons.length[id];
  case HF_SENSOR_TENDON_VEL:
    return a->tendons.velocity[id];
  case HF_SENSOR_JOINT_ACTUATOR_FORCE:
    return a->joint_force[hf_model_jnt_dofadr(m)[id]];
  case HF_SENSOR_JOINT_LIMIT_POS:
  case HF_SENSOR_JOINT_LIMIT_VEL:
  case HF_SENSOR_JOINT_LIMIT_FORCE:
    return sense_limit(in, type, id);
  case HF_SENSOR_TENDON_ACTUATOR_FORCE:
    return add_tendon_actuators(a, id);
  case HF_SENSOR_TENDON_LIMIT_POS:
  case HF_SENSOR_TENDON_LIMIT_VEL:
  case HF_SENSOR_TENDON_LIMIT_FORCE:
    return sense_tendon_limit(in, type, id);
  case HF_SENSOR_INSIDE_SITE:
    return hfi_sense_inside(in, s);
  case HF_SENSOR_CLOCK:
    return in->time;
  case HF_SENSOR_ENERGY_POTENTIAL:
    return hf_dynamics_potential_energy(in->dynamics, in->q);
  default:
    return hf_dynamics_kinetic_energy(in->dynamics); // HF_SENSOR_ENERGY_KINETIC
  }
}

// Length, velocity or force of an actuator: one number, or one for each axis of an orientation servo.
static void sense_actuator(const hfActuation* a, int type, int id, int count, double* out) {
  const double* from = a->force;
  if (type == HF_SENSOR_ACTUATOR_POS) from = a->length;
  else if (type == HF_SENSOR_ACTUATOR_VEL) from = a->velocity;
  int first = count == 1 ? id : hfi_orientation_first_axis(a->model, id);
  memcpy(out, from + first, sizeof *out * (size_t)count);
}

// Writes the values of sensor s, which may have several. id: the object that it measures.
static void sense_vector(const hfiSensorInput* in, int s, int type, int id, double* out) {
  const hfModel* m = in->dynamics->model;

  switch (type) {
  case HF_SENSOR_BALL_QUAT:
    q_store(out, q_unit(q_load(in->q + hf_model_jnt_qposadr(m)[id])));
    break;
  case HF_SENSOR_BALL_ANGVEL:
    memcpy(out, in->dynamics->v + hf_model_jnt_dofadr(m)[id], 3 * sizeof *out);
    break;
  case HF_SENSOR_SUBTREE_COM:
  case HF_SENSOR_SUBTREE_LINVEL:
  case HF_SENSOR_SUBTREE_ANGMOM:
    v3_store(out, sense_subtree(in->dynamics, type, id));
    break;
  case HF_SENSOR_CONTACT:
    hfi_sense_contacts(in, s, out);
    break;
  case HF_SENSOR_MAGNETOMETER:
    v3_store(out, m3_tmulv(hf_dynamics_site_pose(in->dynamics, id).R, v3_load(m->world.magnetic)));
    break;
  case HF_SENSOR_RANGEFINDER:
    hfi_sense_rays(in, s, out);
    break;
  case HF_SENSOR_CAMERA_PROJECTION:
    hfi_sense_projection(in, s, out);
    break;
  case HF_SENSOR_DISTANCE:
  case HF_SENSOR_NORMAL:
  case HF_SENSOR_FROM_TO:
    hfi_sense_distance(in, s, out);
    break;
  case HF_SENSOR_ACTUATOR_POS:
  case HF_SENSOR_ACTUATOR_VEL:
  case HF_SENSOR_ACTUATOR_FORCE:
    sense_actuator(in->actuation, type, id, hf_model_sensor_num(m)[s], out);
    break;
  case HF_SENSOR_USER:
    memset(out, 0, sizeof *out * (size_t)hf_model_sensor_num(m)[s]);
    break;
  default:
    hfi_sense_frame(in, s, out);
  }
}

// Whether the cutoff clamps the values of this type. It does not clamp directions, orientations and data of contacts.
// For distances the cutoff is also how far they look.
static int is_clamped(int type) {
  if (type == HF_SENSOR_BALL_QUAT || type == HF_SENSOR_CONTACT) return 0;
  if (type == HF_SENSOR_NORMAL || type == HF_SENSOR_FROM_TO) return 0;
  return type < HF_SENSOR_FRAME_QUAT || type > HF_SENSOR_FRAME_ZAXIS;
}

// Whether each sensor of this type has one number.
static int is_scalar(int type) {
  return hfi_sensor_dim(type, 0, 0) == 1 && type != HF_SENSOR_DISTANCE;
}

// Measures all sensors of the model, without noise and delay, and clamps the values by their cutoffs. Writes
// accelerations of links into in->dynamics.
void hfi_sensors(const hfiSensorInput* in, double* out) {
  const hfModel* m = in->dynamics->model;
  if (m->nsensor) hfi_accelerate(in->dynamics, in->vdot);

  for (int s = 0; s < m->nsensor; ++s) {
    int type = hf_model_sensor_type(m)[s];
    int id = hf_model_sensor_obj(m)[s];
    double* value = out + hf_model_sensor_adr(m)[s];
    if (is_scalar(type)) value[0] = sense_scalar(in, s, type, id);
    else sense_vector(in, s, type, id, value);

    double cutoff = hf_model_sensor_cutoff(m)[s];
    if (!(cutoff > 0) || !is_clamped(type)) continue;
    double least = hf_model_sensor_positive(m)[s] ? 0 : -cutoff;
    for (int i = 0; i < hf_model_sensor_dim(m)[s]; ++i) value[i] = clamp(value[i], least, cutoff);
  }
}
