// Actuators, and the numbers that follow from their moments and lengths at qpos0.
#include "build/inside.h"

#include "base/error.h"
#include "model/derive.h"
#include "model/path.h"

#include <stdlib.h>
#include <string.h>

// ---- moments at qpos0 ------------------------------------------------------------------------------

static hfPose site_pose(const hfModel* m, int site, const hfPose* X_WB) {
  hfPose X_BS = {m3_from_quat(q_load(hf_model_site_quat(m) + 4 * site)), v3_load(hf_model_site_pos(m) + 3 * site)};
  return pose_mul(X_WB[hf_model_site_body(m)[site]], X_BS);
}

// row += F . velocity of the body at p_W, F at p_W.
static void add_wrench(const hfModel* m, int body, const hfPose* X_WB, hfVec3 p_W, hfForce F, double* row) {
  hfForce at_origin = {v3_add(F.n, v3_cross(p_W, F.f)), F.f};
  for (int k = hf_model_body_lastdof(m)[body]; k >= 0; k = hf_model_dof_parent(m)[k])
    row[k] += fo_dot(at_origin, hfi_reference_axis(m, k, X_WB));
}

// Returns the last dof that moves both bodies, or -1.
static int find_last_shared_dof(const hfModel* m, int body1, int body2) {
  int i = hf_model_body_lastdof(m)[body1];
  int j = hf_model_body_lastdof(m)[body2];
  while (i != j) {
    if (i > j) i = hf_model_dof_parent(m)[i];
    else j = hf_model_dof_parent(m)[j];
  }
  return i;
}

// Adds the wrench of actuator i on its site and, if there is one, the opposite wrench on its reference site.
static void add_site_moment(const hfModel* m, int i, const hfPose* X_WB, double* row) {
  const int32_t* id = hf_model_actuator_trnid(m) + 2 * i;
  const double* gear = hf_model_actuator_gear(m) + 6 * i;
  hfPose site = site_pose(m, id[0], X_WB);
  hfPose base = id[1] < 0 ? site : site_pose(m, id[1], X_WB);
  int body = hf_model_site_body(m)[id[0]];

  hfMat3 R = hfi_is_orientation(m, i) ? site.R : base.R;
  hfForce F = {m3_mulv(R, v3_load(gear + 3)), m3_mulv(R, v3_load(gear))};
  add_wrench(m, body, X_WB, site.p, F, row);
  if (id[1] < 0) return;

  // dofs that move both sites do not count
  int base_body = hf_model_site_body(m)[id[1]];
  hfForce back = {v3_neg(F.n), v3_neg(F.f)};
  add_wrench(m, base_body, X_WB, base.p, back, row);

  for (int k = find_last_shared_dof(m, body, base_body); k >= 0; k = hf_model_dof_parent(m)[k]) row[k] = 0;
}

static hfiSliderCrank reference_crank(const hfModel* m, int i, const hfPose* X_WB) {
  const int32_t* id = hf_model_actuator_trnid(m) + 2 * i;
  hfPose slider = site_pose(m, id[1], X_WB);
  hfVec3 pin = site_pose(m, id[0], X_WB).p;
  return hfi_slider_crank(pin, slider.p, m3_col(slider.R, 2), hf_model_actuator_cranklength(m)[i]);
}

// Adds the forces of the rod on the crank's pin and on the slider's body.
static void add_crank_moment(const hfModel* m, int i, const hfPose* X_WB, double* row) {
  const int32_t* id = hf_model_actuator_trnid(m) + 2 * i;
  double gear = hf_model_actuator_gear(m)[6 * i];
  hfiSliderCrank x = reference_crank(m, i, X_WB);
  hfForce pull = {v3_zero(), v3_scale(gear, x.pull)};
  hfForce hold = {v3_scale(-gear, x.turn), v3_scale(-gear, x.pull)};
  add_wrench(m, hf_model_site_body(m)[id[0]], X_WB, site_pose(m, id[0], X_WB).p, pull, row);
  add_wrench(m, hf_model_site_body(m)[id[1]], X_WB, site_pose(m, id[1], X_WB).p, hold, row);
}

// Fills the row of an actuator on a joint. A gear in the parent's axes is turned into those of the body.
static void fill_joint_moment(const hfModel* m, int i, double* row) {
  int j = hf_model_actuator_trnid(m)[2 * i];
  const double* gear = hf_model_actuator_gear(m) + 6 * i;
  hfJointInfo joint = hf_joint_info(hf_model_jnt_type(m)[j]);
  double* to = row + hf_model_jnt_dofadr(m)[j];

  for (int k = 0; k < joint.nv; ++k) to[k] = gear[k];

  if (hf_model_actuator_trntype(m)[i] != HF_TRANSMISSION_JOINT_IN_PARENT || joint.quat < 0) return;
  hfQuat q = q_load(hf_model_qpos0(m) + hf_model_jnt_qposadr(m)[j] + joint.quat);
  v3_store(to + joint.quat, q_rotate(q_conj(q), v3_load(gear + joint.quat)));
}

// Fills the row d velocity/d v of an actuator at qpos0, where the bodies are at X_WB. One on a body has zeros.
static void fill_moment(const hfModel* m, int i, const hfPose* X_WB, double* row) {
  memset(row, 0, sizeof *row * (size_t)m->nv);

  switch (hf_model_actuator_trntype(m)[i]) {
  case HF_TRANSMISSION_JOINT:
  case HF_TRANSMISSION_JOINT_IN_PARENT:
    fill_joint_moment(m, i, row);
    break;
  case HF_TRANSMISSION_TENDON:
    hfi_add_tendon_moment(m, hf_model_actuator_trnid(m)[2 * i], X_WB, hf_model_actuator_gear(m)[6 * i], row);
    break;
  case HF_TRANSMISSION_SITE:
    add_site_moment(m, i, X_WB, row);
    break;
  case HF_TRANSMISSION_SLIDER_CRANK:
    add_crank_moment(m, i, X_WB, row);
    break;
  default:
    break;
  }
}

// Computes the response to a unit force of an actuator at qpos0: the compliance, and the size of the acceleration.
static hfStatus meet_inertia(const hfModel* m, int i, const hfPose* X_WB, double* compliance, double* acceleration,
                             hfError* error) {
  double* row = malloc(sizeof *row * ((size_t)m->nv + 1));
  if (!row) return hfi_refuse_memory(error);
  fill_moment(m, i, X_WB, row);
  hfStatus status = hfi_reference_acceleration(m, row, compliance, acceleration, error);
  free(row);
  return status;
}

// ---- parameters ------------------------------------------------------------------------------------

// Fits the active and the passive force of a muscle: its scaled lengths L from RANGE_BEGIN to RANGE_END become the
// lengths l of its lengthrange, l = L_T + L_0 L (tendon length, resting length). If the peak force is negative, it
// becomes `scale` over the size of the acceleration that a unit force causes at qpos0.
static hfStatus fit_muscle(hfModel* m, int i, const hfActuatorDef* d, const hfPose* X_WB, hfError* error) {
  if (d->gaintype != HF_GAIN_MUSCLE && d->biastype != HF_BIAS_MUSCLE) return HF_OK;

  // the numbers of a definition; those of the model begin with L_T, L_0 and the peak force
  enum { RANGE_BEGIN, RANGE_END, PEAK_FORCE, SCALE, LMIN, LMAX, VMAX, FPMAX, FVMAX };
  enum { TENDON_LENGTH, RESTING_LENGTH, FITTED_FORCE, FITTED_NUMBERS };
  static const double LEAST_ACCELERATION = 1e-15; // a smaller one counts as this [1/kg]

  // active and passive
  const double* given[] = {d->muscle, hfi_passive_muscle(d)};
  double* fitted[] = {hfi_set_actuator_muscle(m) + 8 * i, hfi_set_actuator_passive(m) + 5 * i};
  double compliance = 0;
  double acceleration = 0;
  hfStatus status = HF_OK;
  if (given[0][PEAK_FORCE] < 0 || given[1][PEAK_FORCE] < 0)
    status = meet_inertia(m, i, X_WB, &compliance, &acceleration, error);

  for (int k = 0; k < 2; ++k) {
    const double* p = given[k];
    double* to = fitted[k];

    // an unused set may have no range
    double range = p[RANGE_END] - p[RANGE_BEGIN];
    int has_range = p[RANGE_END] > p[RANGE_BEGIN];
    to[RESTING_LENGTH] = has_range ? (d->lengthrange[1] - d->lengthrange[0]) / range : 0;
    to[TENDON_LENGTH] = d->lengthrange[0] - p[RANGE_BEGIN] * to[RESTING_LENGTH];

    int is_inferred = p[PEAK_FORCE] < 0;
    to[FITTED_FORCE] = is_inferred ? p[SCALE] / max2(LEAST_ACCELERATION, acceleration) : p[PEAK_FORCE];
  }

  // active: lmin, lmax, vmax, fpmax, fvmax; passive: lmax, fpmax
  for (int k = LMIN; k <= FVMAX; ++k) fitted[0][FITTED_NUMBERS + k - LMIN] = given[0][k];
  fitted[1][FITTED_NUMBERS] = given[1][LMAX];
  fitted[1][FITTED_NUMBERS + 1] = given[1][FPMAX];

  return status;
}

// kv = 2 zeta sqrt(kp I), I the inertia that n actuators of one servo from i on meet at qpos0: 1 over the mean of their
// compliances.
static hfStatus fit_servo_damping(hfModel* m, int i, int n, double zeta, const hfPose* X_WB, hfError* error) {
  double mean = 0;
  for (int k = 0; k < n; ++k) {
    double compliance = 0;
    double acceleration = 0;
    hfStatus status = meet_inertia(m, i + k, X_WB, &compliance, &acceleration, error);
    if (status != HF_OK) return status;
    mean += compliance / n;
  }

  double kp = hf_model_actuator_gainprm(m)[3 * i];
  double kv = mean > 0 ? 2 * zeta * sqrt(max2(0, kp / mean)) : 0;
  for (int k = 0; k < n; ++k) hfi_set_actuator_biasprm(m)[3 * (i + k) + 2] = -kv;
  return HF_OK;
}

// Sets gear and range of an actuator of an orientation servo: it turns about its axis, and forcerange bounds the torque
// in both directions.
static void set_orientation(hfModel* m, int i, const hfActuatorDef* d) {
  double* gear = hfi_set_actuator_gear(m) + 6 * i;
  int axis = hfi_orientation_axis(d->inputs);
  int first = d->trntype == HF_TRANSMISSION_SITE ? 3 : 0;
  for (int k = 0; k < 6; ++k) gear[k] = 0;
  if (axis >= 0) gear[first + axis] = 1;
  hfi_set_actuator_inputs(m)[i] = d->inputs;
  hfi_set_actuator_forcerange(m)[2 * i] = -d->forcerange[1];
}

// Refuses orientation servos that are not complete, and fits the damping of the others.
static hfStatus finish_orientations(const hfiFinish* f, const hfPose* X_WB, hfError* error) {
  hfModel* m = f->m;
  int broken = hfi_broken_orientation(m);
  if (broken >= 0)
    return HFI_REFUSE(&f->b->actuator.data[broken], HF_OBJECT_ACTUATOR,
                      "an orientation servo is three or four actuators in a row, on a ball joint or on a site with a "
                      "reference");

  hfStatus status = HF_OK;
  for (int i = 0; i < m->nu && status == HF_OK; ++i) {
    const hfActuatorDef* d = &f->b->actuator.data[i];
    if (!hfi_is_orientation(m, i) || hfi_is_later_axis(d) || !(d->dampratio > 0)) continue;
    status = fit_servo_damping(m, hfi_orientation_first_axis(m, i), 3, d->dampratio, X_WB, error);
  }

  return status;
}

// ---- lengths ---------------------------------------------------------------------------------------

// gear . (position and rotation vector of the site in its reference), or 0 without a reference.
static double site_length(const hfModel* m, int i, const hfPose* X_WB) {
  const int32_t* id = hf_model_actuator_trnid(m) + 2 * i;
  const double* gear = hf_model_actuator_gear(m) + 6 * i;
  if (id[1] < 0) return 0;

  hfPose site = site_pose(m, id[0], X_WB);
  hfPose base = site_pose(m, id[1], X_WB);
  hfVec3 turn = q_log(q_mul(q_conj(q_from_m3(base.R)), q_from_m3(site.R)));
  return v3_dot(pose_inv_point(base, site.p), v3_load(gear)) + v3_dot(turn, v3_load(gear + 3));
}

// Returns the length of a tendon at qpos0.
static double tendon_length(const hfModel* m, int tendon) {
  if (hfi_tendon_is_spatial(m, tendon)) return hf_model_tendon_length0(m)[tendon];

  double length = 0;
  for (int k = 0; k < hf_model_tendon_num(m)[tendon]; ++k) {
    int w = hf_model_tendon_adr(m)[tendon] + k;
    int joint = hf_model_wrap_obj(m)[w];
    length += hf_model_wrap_coef(m)[w] * hf_model_qpos0(m)[hf_model_jnt_qposadr(m)[joint]];
  }

  return length;
}

// Returns the length of an actuator at qpos0, gear included; 0 for those that have none.
static double length_at_reference(const hfModel* m, int i, const hfPose* X_WB) {
  int id = hf_model_actuator_trnid(m)[2 * i];
  double gear = hf_model_actuator_gear(m)[6 * i];

  switch (hf_model_actuator_trntype(m)[i]) {
  case HF_TRANSMISSION_SITE:
    return site_length(m, i, X_WB);
  case HF_TRANSMISSION_SLIDER_CRANK:
    return gear * reference_crank(m, i, X_WB).length;
  case HF_TRANSMISSION_TENDON:
    return gear * tendon_length(m, id);
  case HF_TRANSMISSION_JOINT:
  case HF_TRANSMISSION_JOINT_IN_PARENT:
    if (!hfi_joint_is_scalar(hf_model_jnt_type(m)[id])) return 0;
    return gear * hf_model_qpos0(m)[hf_model_jnt_qposadr(m)[id]];
  default:
    return 0;
  }
}

// ---- actuators -------------------------------------------------------------------------------------

// Fills the states of actuator i, which begin at number *nact of the activations, and for a DC motor its inputs and
// parameters.
static hfStatus fill_states(hfiFinish* f, int i, int* nact, hfError* error) {
  hfModel* m = f->m;
  const hfActuatorDef* d = &f->b->actuator.data[i];
  int count = hfi_activation_count(d->dyntype, d->motor);
  hfi_set_actuator_actadr(m)[i] = count ? *nact : -1;
  *nact += count;
  if (d->gaintype != HF_GAIN_MOTOR) return HF_OK;

  int ninput = hfi_count_bits(d->inputs);
  if (i + ninput > m->nu)
    return HFI_REFUSE(d, HF_OBJECT_ACTUATOR, "has %d inputs, so that %d more actuators must follow it", ninput,
                      ninput - 1);

  hfi_set_actuator_inputs(m)[i] = d->inputs;
  hfi_set_actuator_states(m)[i] = hfi_motor_states(d->motor);
  memcpy(hfi_set_actuator_motor(m) + HF_MOTOR_PARAMETERS * i, d->motor, sizeof d->motor);
  return HF_OK;
}

// Fills actuator i, with the bodies at X_WB, their poses at qpos0. *nact: activations of those before it.
static hfStatus fill_actuator(hfiFinish* f, int i, const hfPose* X_WB, int* nact, hfError* error) {
  hfModel* m = f->m;
  const hfActuatorDef* d = &f->b->actuator.data[i];
  hfi_set_actuator_trntype(m)[i] = d->trntype;
  hfi_set_actuator_trnid(m)[2 * i] = hfi_order_new(&f->order, hfi_transmission_target(d->trntype), d->trnid[0]);
  hfi_set_actuator_trnid(m)[2 * i + 1] = hfi_order_new(&f->order, HF_OBJECT_SITE, d->trnid[1]);
  hfi_set_actuator_cranklength(m)[i] = d->trntype == HF_TRANSMISSION_SLIDER_CRANK ? d->cranklength : 0;
  hfi_set_actuator_dyntype(m)[i] = d->dyntype;
  hfi_set_actuator_gaintype(m)[i] = d->gaintype;
  hfi_set_actuator_biastype(m)[i] = d->biastype;
  hfi_set_actuator_drive(m)[i] = d->drive;
  hfi_set_actuator_ctrllimited(m)[i] = d->ctrllimited != 0;
  hfi_set_actuator_forcelimited(m)[i] = d->forcelimited != 0;
  hfi_set_actuator_actlimited(m)[i] = d->actlimited != 0;
  hfi_set_actuator_actearly(m)[i] = d->actearly != 0;
  hfi_set_actuator_group(m)[i] = d->group;

  memcpy(hfi_set_actuator_dynprm(m) + 3 * i, d->dynprm, sizeof d->dynprm);
  memcpy(hfi_set_actuator_gainprm(m) + 3 * i, d->gainprm, sizeof d->gainprm);
  memcpy(hfi_set_actuator_biasprm(m) + 3 * i, d->biasprm, sizeof d->biasprm);
  memcpy(hfi_set_actuator_ctrlrange(m) + 2 * i, d->ctrlrange, sizeof d->ctrlrange);
  memcpy(hfi_set_actuator_forcerange(m) + 2 * i, d->forcerange, sizeof d->forcerange);
  memcpy(hfi_set_actuator_actrange(m) + 2 * i, d->actrange, sizeof d->actrange);
  memcpy(hfi_set_actuator_gear(m) + 6 * i, d->gear, sizeof d->gear);

  // what follows from these
  int turns = d->gaintype == HF_GAIN_ORIENTATION;
  if (turns) set_orientation(m, i, d);
  hfi_set_actuator_length0(m)[i] = length_at_reference(m, i, X_WB);
  hfStatus status = fill_states(f, i, nact, error);
  if (status == HF_OK) status = fit_muscle(m, i, d, X_WB, error);

  // the damping of an orientation servo needs all its actuators
  if (status == HF_OK && d->dampratio > 0 && !turns) status = fit_servo_damping(m, i, 1, d->dampratio, X_WB, error);
  return status;
}

// Fills the signals, one for each actuator that has one. The joints of feedback get their ids in the model.
static void fill_signals(hfiFinish* f) {
  hfModel* m = f->m;
  int nsignal = 0;
  int adr = 0;

  for (int i = 0; i < m->nu; ++i) {
    const hfActuatorDef* d = &f->b->actuator.data[i];
    hfi_set_actuator_signal(m)[i] = -1;
    if (d->signal == HF_SIGNAL_NONE) continue;

    hfi_set_actuator_signal(m)[i] = nsignal;
    hfi_set_signal_type(m)[nsignal] = d->signal;
    hfi_set_signal_adr(m)[nsignal] = adr;
    hfi_set_signal_num(m)[nsignal] = d->signal_count;
    double* numbers = hfi_set_signal_data(m) + adr;
    memcpy(numbers, d->signal_data, sizeof *numbers * (size_t)d->signal_count);
    // feedback begins with the number of its joints and their ids
    for (int k = 1; d->signal == HF_SIGNAL_FEEDBACK && k <= (int)d->signal_data[0]; ++k)
      numbers[k] = hfi_order_new(&f->order, HF_OBJECT_JOINT, (int)d->signal_data[k]);
    adr += d->signal_count;
    ++nsignal;
  }
}

// Fills actuators and their signals.
hfStatus hfi_finish_actuators(hfiFinish* f, hfError* error) {
  hfModel* m = f->m;
  hfPose* X_WB = malloc(sizeof *X_WB * (size_t)m->nbody);
  if (!X_WB) return hfi_refuse_memory(error);

  hfi_reference_poses(m, X_WB);

  hfStatus status = HF_OK;
  int nact = 0;
  for (int i = 0; i < m->nu && status == HF_OK; ++i) status = fill_actuator(f, i, X_WB, &nact, error);
  if (status == HF_OK) status = finish_orientations(f, X_WB, error);
  if (status == HF_OK) fill_signals(f);
  free(X_WB);

  return status;
}
