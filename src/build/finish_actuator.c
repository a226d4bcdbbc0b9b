// Actuators, and the numbers that follow from their moments and lengths at qpos0.
#include "build/finish.h"

#include "base/error.h"
#include "build/builder.h"
#include "model/derive.h"
#include "model/actuator.h"
#include "model/path.h"

#include <stdlib.h>
#include <string.h>

// ---- moments at qpos0 ----------------------------------------------------------------------------

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

// The last dof that moves both bodies, or -1.
static int last_shared_dof(const hfModel* m, int body1, int body2) {
  int i = hf_model_body_lastdof(m)[body1], j = hf_model_body_lastdof(m)[body2];
  while (i != j) {
    if (i > j) i = hf_model_dof_parent(m)[i];
    else j = hf_model_dof_parent(m)[j];
  }
  return i;
}

static void add_site_moment(const hfModel* m, int i, const hfPose* X_WB, double* row) {
  const int32_t* id = hf_model_actuator_trnid(m) + 2 * i;
  const double* gear = hf_model_actuator_gear(m) + 6 * i;
  hfPose site = site_pose(m, id[0], X_WB), base = id[1] < 0 ? site : site_pose(m, id[1], X_WB);
  hfMat3 R = hfi_is_orientation(m, i) ? site.R : base.R;
  hfForce F = {m3_mulv(R, v3_load(gear + 3)), m3_mulv(R, v3_load(gear))};
  hfForce back = {v3_neg(F.n), v3_neg(F.f)};
  add_wrench(m, hf_model_site_body(m)[id[0]], X_WB, site.p, F, row);
  if (id[1] < 0) return;
  add_wrench(m, hf_model_site_body(m)[id[1]], X_WB, base.p, back, row);
  // Dofs that move both sites do not count.
  for (int k = last_shared_dof(m, hf_model_site_body(m)[id[0]], hf_model_site_body(m)[id[1]]); k >= 0; k = hf_model_dof_parent(m)[k]) row[k] = 0;
}

static hfiSliderCrank reference_crank(const hfModel* m, int i, const hfPose* X_WB) {
  const int32_t* id = hf_model_actuator_trnid(m) + 2 * i;
  hfPose slider = site_pose(m, id[1], X_WB);
  return hfi_slider_crank(site_pose(m, id[0], X_WB).p, slider.p, m3_col(slider.R, 2), hf_model_actuator_cranklength(m)[i]);
}

static void add_crank_moment(const hfModel* m, int i, const hfPose* X_WB, double* row) {
  const int32_t* id = hf_model_actuator_trnid(m) + 2 * i;
  double gear = hf_model_actuator_gear(m)[6 * i];
  hfiSliderCrank x = reference_crank(m, i, X_WB);
  hfForce pull = {v3_zero(), v3_scale(gear, x.pull)}, hold = {v3_scale(-gear, x.turn), v3_scale(-gear, x.pull)};
  add_wrench(m, hf_model_site_body(m)[id[0]], X_WB, site_pose(m, id[0], X_WB).p, pull, row);
  add_wrench(m, hf_model_site_body(m)[id[1]], X_WB, site_pose(m, id[1], X_WB).p, hold, row);
}

// Fills the row d velocity/d v of an actuator at qpos0, where the bodies are at X_WB. An actuator on a body has no such row.
static void fill_moment(const hfModel* m, int i, const hfPose* X_WB, double* row) {
  int id = hf_model_actuator_trnid(m)[2 * i], type = hf_model_actuator_trntype(m)[i];
  const double* gear = hf_model_actuator_gear(m) + 6 * i;
  for (int k = 0; k < m->nv; ++k) row[k] = 0;
  if (type == HF_TRANSMISSION_TENDON) hfi_add_tendon_moment(m, id, X_WB, gear[0], row);
  else if (type < HF_TRANSMISSION_SITE) {
    double* to = row + hf_model_jnt_dofadr(m)[id];
    int turned = hf_joint_info(hf_model_jnt_type(m)[id]).quat, n = hfi_joint_nv(hf_model_jnt_type(m)[id]);
    for (int k = 0; k < n; ++k) to[k] = gear[k];
    if (type != HF_TRANSMISSION_JOINT_IN_PARENT || turned < 0) return;
    hfQuat q = q_load(hf_model_qpos0(m) + hf_model_jnt_qposadr(m)[id] + turned);
    v3_store(to + turned, q_rotate(q_conj(q), v3_load(gear + turned)));
  } else if (type == HF_TRANSMISSION_SITE) add_site_moment(m, i, X_WB, row);
  else if (type == HF_TRANSMISSION_SLIDER_CRANK) add_crank_moment(m, i, X_WB, row);
}

// Computes the response to a unit force of an actuator at qpos0: the compliance, and the size of the acceleration.
static hfStatus meet_inertia(const hfModel* m, int i, const hfPose* X_WB, double* compliance, double* acceleration, hfError* error) {
  double *row = malloc(sizeof *row * ((size_t)m->nv + 1));
  hfStatus status = row ? HF_OK : hfi_refuse(error, HF_ERROR_MEMORY, "out of memory");
  if (status == HF_OK) {
    fill_moment(m, i, X_WB, row);
    status = hfi_reference_acceleration(m, row, compliance, acceleration, error);
  }
  free(row);
  return status;
}

// ---- parameters ----------------------------------------------------------------------------------

// Fits a muscle: its scaled lengths range[0] to range[1] become the lengths of its lengthrange, l = L_T + L_0 L. If no peak force is given, it is
// `scale` over the acceleration that a unit force causes.
static hfStatus fit_muscle(hfModel* m, int i, const hfActuatorDef* d, const hfPose* X_WB, hfError* error) {
  double *active = hfi_set_actuator_muscle(m) + 8 * i, *passive = hfi_set_actuator_passive(m) + 5 * i, compliance = 0, acceleration = 0;
  const double* sets[] = {d->muscle, hfi_passive_muscle(d)};
  hfStatus status = HF_OK;
  if (d->gaintype != HF_GAIN_MUSCLE && d->biastype != HF_BIAS_MUSCLE) return HF_OK;
  if (sets[0][2] < 0 || sets[1][2] < 0) status = meet_inertia(m, i, X_WB, &compliance, &acceleration, error);
  for (int k = 0; k < 2; ++k) {
    const double* p = sets[k];
    double* to = k ? passive : active;
    to[1] = p[1] > p[0] ? (d->lengthrange[1] - d->lengthrange[0]) / (p[1] - p[0]) : 0; // An unused set may have no range.
    to[0] = d->lengthrange[0] - p[0] * to[1];
    to[2] = p[2] < 0 ? p[3] / max2(1e-15, acceleration) : p[2];
  }
  memcpy(active + 3, sets[0] + 4, 5 * sizeof *active);
  passive[3] = sets[1][5], passive[4] = sets[1][7];
  return status;
}

// kv = 2 zeta sqrt(kp I), I the inertia that n actuators of one servo meet at qpos0: 1 over the mean of their compliances.
static hfStatus fit_servo_damping(hfModel* m, int i, int n, double zeta, const hfPose* X_WB, hfError* error) {
  double compliance = 0;
  for (int k = 0; k < n; ++k) {
    double own = 0, acceleration = 0;
    hfStatus status = meet_inertia(m, i + k, X_WB, &own, &acceleration, error);
    if (status != HF_OK) return status;
    compliance += own / n;
  }
  double kp = hf_model_actuator_gainprm(m)[3 * i], kv = compliance > 0 ? 2 * zeta * sqrt(max2(0, kp / compliance)) : 0;
  for (int k = 0; k < n; ++k) hfi_set_actuator_biasprm(m)[3 * (i + k) + 2] = -kv;
  return HF_OK;
}

// An actuator of an orientation servo turns about its axis, and forcerange bounds the torque in both directions.
static void set_orientation(hfModel* m, int i, const hfActuatorDef* d) {
  double* gear = hfi_set_actuator_gear(m) + 6 * i;
  int axis = hfi_orientation_axis(d->inputs);
  for (int k = 0; k < 6; ++k) gear[k] = 0;
  if (axis >= 0) gear[(d->trntype == HF_TRANSMISSION_SITE ? 3 : 0) + axis] = 1;
  hfi_set_actuator_inputs(m)[i] = d->inputs;
  hfi_set_actuator_forcerange(m)[2 * i] = -d->forcerange[1];
}

static hfStatus finish_orientations(const hfiFinish* f, const hfPose* X_WB, hfError* error) {
  hfModel* m = f->m;
  int broken = hfi_broken_orientation(m);
  if (broken >= 0)
    return hfi_refuse_def(error, f->b->actuator.data[broken].where, HF_OBJECT_ACTUATOR, f->b->actuator.data[broken].name,
                          "an orientation servo is three or four actuators in a row, on a ball joint or on a site with a reference");
  hfStatus status = HF_OK;
  for (int i = 0; i < m->nu && status == HF_OK; ++i) {
    const hfActuatorDef* d = &f->b->actuator.data[i];
    if (!hfi_is_orientation(m, i) || hfi_is_later_axis(d) || !(d->dampratio > 0)) continue;
    status = fit_servo_damping(m, hfi_orientation_first_axis(m, i), 3, d->dampratio, X_WB, error);
  }
  return status;
}

// gear . (position and rotation vector of the site in its reference), or 0 without a reference.
static double site_length(const hfModel* m, int i, const hfPose* X_WB) {
  const int32_t* id = hf_model_actuator_trnid(m) + 2 * i;
  const double* gear = hf_model_actuator_gear(m) + 6 * i;
  if (id[1] < 0) return 0;
  hfPose site = site_pose(m, id[0], X_WB), base = site_pose(m, id[1], X_WB);
  hfVec3 turn = q_log(q_mul(q_conj(q_from_m3(base.R)), q_from_m3(site.R)));
  return v3_dot(pose_inv_point(base, site.p), v3_load(gear)) + v3_dot(turn, v3_load(gear + 3));
}

static double length_at_reference(const hfModel* m, int i, const hfPose* X_WB) {
  int id = hf_model_actuator_trnid(m)[2 * i], type = hf_model_actuator_trntype(m)[i];
  double gear = hf_model_actuator_gear(m)[6 * i], length = 0;
  if (type == HF_TRANSMISSION_SITE) return site_length(m, i, X_WB);
  if (type == HF_TRANSMISSION_SLIDER_CRANK) length = reference_crank(m, i, X_WB).length;
  else if (type == HF_TRANSMISSION_TENDON && hfi_tendon_is_spatial(m, id)) length = hf_model_tendon_length0(m)[id];
  else if (type == HF_TRANSMISSION_TENDON) {
    for (int k = 0; k < hf_model_tendon_num(m)[id]; ++k) {
      int w = hf_model_tendon_adr(m)[id] + k;
      length += hf_model_wrap_coef(m)[w] *
                hf_model_qpos0(m)[hf_model_jnt_qposadr(m)[hf_model_wrap_obj(m)[w]]];
    }
  } else if (type < HF_TRANSMISSION_SITE && hfi_joint_is_scalar(hf_model_jnt_type(m)[id]))
    length = hf_model_qpos0(m)[hf_model_jnt_qposadr(m)[id]];
  return gear * length;
}

static hfStatus fill_actuator(hfiFinish* f, int i, const hfPose* X_WB, int* nact, hfError* error) {
  hfModel* m = f->m;
  const hfActuatorDef* d = &f->b->actuator.data[i];
  int kind = hfi_transmission_target(d->trntype);
  hfi_set_actuator_trntype(m)[i] = d->trntype;
  hfi_set_actuator_trnid(m)[2 * i] = hfi_order_map(&f->order, kind, d->trnid[0]);
  hfi_set_actuator_trnid(m)[2 * i + 1] = hfi_order_map(&f->order, HF_OBJECT_SITE, d->trnid[1]);
  hfi_set_actuator_dyntype(m)[i] = d->dyntype;
  hfi_set_actuator_gaintype(m)[i] = d->gaintype;
  hfi_set_actuator_drive(m)[i] = d->drive;
  hfi_set_actuator_biastype(m)[i] = d->biastype;
  hfi_set_actuator_ctrllimited(m)[i] = d->ctrllimited != 0;
  hfi_set_actuator_forcelimited(m)[i] = d->forcelimited != 0;
  hfi_set_actuator_actlimited(m)[i] = d->actlimited != 0;
  hfi_set_actuator_actearly(m)[i] = d->actearly != 0;
  hfi_set_actuator_group(m)[i] = d->group;
  hfi_set_actuator_cranklength(m)[i] = d->trntype == HF_TRANSMISSION_SLIDER_CRANK ? d->cranklength : 0;
  if (d->gaintype == HF_GAIN_MOTOR && i + hfi_count_bits(d->inputs) > m->nu)
    return hfi_refuse_def(error, d->where, HF_OBJECT_ACTUATOR, d->name, "has %d inputs, so that %d more actuators must follow it", hfi_count_bits(d->inputs), hfi_count_bits(d->inputs) - 1);
  int count = hfi_activation_count(d->dyntype, d->motor);
  hfi_set_actuator_actadr(m)[i] = count ? *nact : -1;
  *nact += count;
  if (d->gaintype == HF_GAIN_MOTOR) {
    hfi_set_actuator_inputs(m)[i] = d->inputs;
    hfi_set_actuator_states(m)[i] = hfi_motor_states(d->motor);
    memcpy(hfi_set_actuator_motor(m) + HF_MOTOR_PARAMETERS * i, d->motor, sizeof d->motor);
  }
  memcpy(hfi_set_actuator_dynprm(m) + 3 * i, d->dynprm, sizeof d->dynprm);
  memcpy(hfi_set_actuator_gainprm(m) + 3 * i, d->gainprm, sizeof d->gainprm);
  memcpy(hfi_set_actuator_biasprm(m) + 3 * i, d->biasprm, sizeof d->biasprm);
  memcpy(hfi_set_actuator_ctrlrange(m) + 2 * i, d->ctrlrange, sizeof d->ctrlrange);
  memcpy(hfi_set_actuator_forcerange(m) + 2 * i, d->forcerange, sizeof d->forcerange);
  memcpy(hfi_set_actuator_actrange(m) + 2 * i, d->actrange, sizeof d->actrange);
  memcpy(hfi_set_actuator_gear(m) + 6 * i, d->gear, sizeof d->gear);
  int turns = d->gaintype == HF_GAIN_ORIENTATION;
  if (turns) set_orientation(m, i, d);
  hfi_set_actuator_length0(m)[i] = length_at_reference(m, i, X_WB);
  hfStatus status = fit_muscle(m, i, d, X_WB, error);
  return status == HF_OK && d->dampratio > 0 && !turns ? fit_servo_damping(m, i, 1, d->dampratio, X_WB, error) : status;
}

static void fill_signals(hfiFinish* f) {
  hfModel* m = f->m;
  int nsignal = 0, data = 0;
  for (int i = 0; i < m->nu; ++i) {
    const hfActuatorDef* d = &f->b->actuator.data[i];
    hfi_set_actuator_signal(m)[i] = -1;
    if (d->signal == HF_SIGNAL_NONE) continue;
    hfi_set_actuator_signal(m)[i] = nsignal;
    hfi_set_signal_type(m)[nsignal] = d->signal;
    hfi_set_signal_adr(m)[nsignal] = data;
    hfi_set_signal_num(m)[nsignal++] = d->signal_count;
    double* numbers = hfi_set_signal_data(m) + data;
    memcpy(numbers, d->signal_data, sizeof *d->signal_data * (size_t)d->signal_count);
    for (int k = 1; d->signal == HF_SIGNAL_FEEDBACK && k <= (int)d->signal_data[0]; ++k)
      numbers[k] = hfi_order_map(&f->order, HF_OBJECT_JOINT, (int)d->signal_data[k]);
    data += d->signal_count;
  }
}

hfStatus hfi_finish_actuators(hfiFinish* f, hfError* error) {
  hfModel* m = f->m;
  hfPose* X_WB = malloc(sizeof *X_WB * (size_t)m->nbody);
  hfStatus status = X_WB ? HF_OK : hfi_refuse(error, HF_ERROR_MEMORY, "out of memory");
  int nact = 0;
  if (X_WB) hfi_reference_poses(m, X_WB);
  for (int i = 0; i < m->nu && status == HF_OK; ++i) status = fill_actuator(f, i, X_WB, &nact, error);
  if (status == HF_OK) status = finish_orientations(f, X_WB, error);
  if (status == HF_OK) fill_signals(f);
  free(X_WB);
  return status;
}
