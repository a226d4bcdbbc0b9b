// Tendons, equalities, actuators, sensors and keyframes, with their values at qpos0.
#include "model/finish.h"

#include "base/error.h"
#include "model/derive.h"
#include "model/path.h"
#include "model/reference_mass.h"

#include <stdlib.h>
#include <string.h>

// ---- tendons -------------------------------------------------------------------------------------

// Poses of all bodies at qpos0 and where the springs rest.
typedef struct Reference { hfPose *at_qpos0, *at_rest; } Reference;

// Fills the wraps of a fixed tendon. Returns its length where the springs rest.
static double fill_tendon_joints(hfiFinish* f, const hfTendonDef* d, int at) {
  hfModel* m = f->m;
  double rest = 0;
  for (int k = 0; k < d->count; ++k) {
    int j = f->order.new_joint[d->joint[k]];
    hfi_set_wrap_type(m)[at + k] = HF_WRAP_JOINT;
    hfi_set_wrap_obj(m)[at + k] = j;
    hfi_set_wrap_side(m)[at + k] = -1;
    hfi_set_wrap_coef(m)[at + k] = d->coef[k];
    rest += d->coef[k] * hf_model_qpos_spring(m)[hf_model_jnt_qposadr(m)[j]];
  }
  return rest;
}

// Fills the wraps of a spatial tendon. Returns its length where the springs rest.
static double fill_path(hfiFinish* f, int i, int at, const Reference* reference) {
  hfModel* m = f->m;
  const hfTendonDef* d = &f->b->tendon.data[i];
  for (int k = 0; k < d->path_count; ++k) {
    const hfWrapDef* w = &d->path[k];
    int kind = w->type == HF_WRAP_SITE ? HF_OBJECT_SITE : HF_OBJECT_GEOM, pulley = w->type == HF_WRAP_PULLEY;
    hfi_set_wrap_type(m)[at + k] = w->type;
    hfi_set_wrap_obj(m)[at + k] = pulley ? -1 : hfi_order_map(&f->order, kind, w->obj);
    hfi_set_wrap_side(m)[at + k] = w->type == HF_WRAP_GEOM ? hfi_order_map(&f->order, HF_OBJECT_SITE, w->side) : -1;
    hfi_set_wrap_coef(m)[at + k] = pulley ? w->divisor : 0;
  }
  hfi_set_tendon_length0(m)[i] = hfi_path_length(m, reference->at_qpos0, i);
  return hfi_path_length(m, reference->at_rest, i);
}

static void fill_tendon(hfiFinish* f, int i, int at, const Reference* reference) {
  hfModel* m = f->m;
  const hfTendonDef* d = &f->b->tendon.data[i];
  hfi_set_tendon_adr(m)[i] = at;
  hfi_set_tendon_num(m)[i] = d->count + d->path_count;
  hfi_set_tendon_limited(m)[i] = d->limited != 0;
  hfi_set_tendon_actfrclimited(m)[i] = d->actfrclimited != 0;
  memcpy(hfi_set_tendon_range(m) + 2 * i, d->range, sizeof d->range);
  memcpy(hfi_set_tendon_actfrcrange(m) + 2 * i, d->actfrcrange, sizeof d->actfrcrange);
  hfi_set_tendon_margin(m)[i] = d->margin;
  memcpy(hfi_set_tendon_limit_solref(m) + 2 * i, d->limit_solref, sizeof d->limit_solref);
  memcpy(hfi_set_tendon_limit_solimp(m) + 5 * i, d->limit_solimp, sizeof d->limit_solimp);
  hfi_set_tendon_stiffness(m)[i] = d->stiffness;
  hfi_set_tendon_damping(m)[i] = d->damping;
  memcpy(hfi_set_tendon_stiffness_poly(m) + 2 * i, d->stiffness_poly, sizeof d->stiffness_poly);
  memcpy(hfi_set_tendon_damping_poly(m) + 2 * i, d->damping_poly, sizeof d->damping_poly);
  hfi_set_tendon_frictionloss(m)[i] = d->frictionloss;
  hfi_set_tendon_armature(m)[i] = d->armature;
  double rest = d->path_count > 0 ? fill_path(f, i, at, reference) : fill_tendon_joints(f, d, at);
  int rests = d->springlength[0] == -1 && d->springlength[1] == -1;
  hfi_set_tendon_springlength(m)[2 * i] = rests ? rest : d->springlength[0];
  hfi_set_tendon_springlength(m)[2 * i + 1] = rests ? rest : d->springlength[1];
}

// ---- equalities ----------------------------------------------------------------------------------

// World pose at qpos0 of a body or site.
static hfPose object_pose(const hfModel* m, const hfPose* X_WB, int kind, int id) {
  if (id < 0) return pose_identity();
  if (kind != HF_OBJECT_SITE) return X_WB[id];
  return pose_mul(
      X_WB[hf_model_site_body(m)[id]],
      pose_from(v3_load(hf_model_site_pos(m) + 3 * id), q_load(hf_model_site_quat(m) + 4 * id)));
}

// connect: the anchor given in object 1, then where object 2 has it at qpos0; on sites both are zero.
static void fill_connect(const hfEqualityDef* d, double* data, hfPose X_W1, hfPose X_W2) {
  if (d->objkind == HF_OBJECT_SITE) return;
  memcpy(data, d->data, 3 * sizeof *data);
  v3_store(data + 3, pose_inv_point(X_W2, pose_point(X_W1, v3_load(d->data))));
}

// weld: anchor in object 2, where object 1 has it, orientation of 2 in 1 (as at qpos0 unless a quaternion is
// given), torque scale; on sites the frames themselves.
static void fill_weld(const hfEqualityDef* d, double* data, hfPose X_W1, hfPose X_W2) {
  memcpy(data, d->data, 11 * sizeof *data);
  if (d->objkind == HF_OBJECT_SITE) {
    for (int i = 0; i < 6; ++i) data[i] = 0;
    q_store(data + 6, q_identity());
  } else if (q_norm(q_load(d->data + 6)) > 1e-10) {
    q_store(data + 6, q_unit(q_load(d->data + 6)));
  } else {
    v3_store(data + 3, pose_inv_point(X_W1, pose_point(X_W2, v3_load(d->data))));
    q_store(data + 6, q_from_m3(m3_tmul(X_W1.R, X_W2.R)));
  }
}

static void fill_equality(hfiFinish* f, int i, const hfPose* X_WB) {
  hfModel* m = f->m;
  const hfEqualityDef* d = &f->b->equality.data[i];
  int kind = hfi_equality_target(d->type, d->objkind);
  int obj1 = hfi_order_map(&f->order, kind, d->obj1),
      obj2 = hfi_order_map(&f->order, kind, d->obj2);
  // a connect or weld without a second body is to the world
  if (obj2 < 0 && kind == HF_OBJECT_BODY) obj2 = 0;
  hfi_set_eq_type(m)[i] = d->type;
  hfi_set_eq_objkind(m)[i] = kind;
  hfi_set_eq_obj1(m)[i] = obj1;
  hfi_set_eq_obj2(m)[i] = obj2;
  hfi_set_eq_active(m)[i] = d->active != 0;
  memcpy(hfi_set_eq_solref(m) + 2 * i, d->solref, sizeof d->solref);
  memcpy(hfi_set_eq_solimp(m) + 5 * i, d->solimp, sizeof d->solimp);
  double* data = hfi_set_eq_data(m) + 11 * i;
  if (d->type == HF_EQUALITY_CONNECT || d->type == HF_EQUALITY_WELD) {
    hfPose X_W1 = object_pose(m, X_WB, kind, obj1), X_W2 = object_pose(m, X_WB, kind, obj2);
    (d->type == HF_EQUALITY_CONNECT ? fill_connect : fill_weld)(d, data, X_W1, X_W2);
  } else
    memcpy(data, d->data, 5 * sizeof *data);
}

hfStatus hfi_finish_references(hfiFinish* f, hfError* error) {
  hfModel* m = f->m;
  hfPose* X_WB = malloc(sizeof *X_WB * 2 * (size_t)m->nbody);
  if (!X_WB) return hfi_refuse(error, HF_ERROR_MEMORY, "out of memory");
  Reference reference = {X_WB, X_WB + m->nbody};
  hfi_reference_poses(m, reference.at_qpos0);
  hfi_rest_poses(m, reference.at_rest);
  int at = 0;
  for (int i = 0; i < m->ntendon; at += hf_model_tendon_num(m)[i++]) fill_tendon(f, i, at, &reference);
  for (int i = 0; i < m->neq; ++i) fill_equality(f, i, X_WB);
  free(X_WB);
  return HF_OK;
}

// ---- springs by time constant -------------------------------------------------------------------

// A joint spring of time constant T and damping ratio zeta for the inertia I its dofs meet at qpos0 (one
// over the mean compliance): k = I/(T zeta)^2, d = 2 I/T.
static hfStatus fit_spring(hfModel* m, int j, double T, double zeta, double* row, hfError* error) {
  int first = hf_model_jnt_dofadr(m)[j], n = hfi_joint_nv(hf_model_jnt_type(m)[j]);
  double mean = 0;
  for (int i = 0; i < n; ++i) {
    double compliance = 0;
    row[first + i] = 1;
    hfStatus status = hfi_reference_compliance(m, row, &compliance, error);
    row[first + i] = 0;
    if (status != HF_OK) return status;
    mean += compliance / n;
  }
  hfi_set_jnt_stiffness(m)[j] = 1 / (mean * sqr(T * zeta));
  for (int i = 0; i < n; ++i) hfi_set_dof_damping(m)[first + i] = 2 / (mean * T);
  return HF_OK;
}

hfStatus hfi_finish_springs(hfiFinish* f, hfError* error) {
  hfModel* m = f->m;
  double* row = calloc((size_t)m->nv + 1, sizeof *row);
  hfStatus status = row ? HF_OK : hfi_refuse(error, HF_ERROR_MEMORY, "out of memory");
  for (int j = 0; j < m->njnt && status == HF_OK; ++j) {
    const double* spec = f->b->joint.data[f->order.joint_of[j]].springdamper;
    if (spec[0] > 0 && spec[1] > 0) status = fit_spring(m, j, spec[0], spec[1], row, error);
  }
  free(row);
  return status;
}

// ---- actuators -----------------------------------------------------------------------------------

// row += factor times the gradient of a spatial tendon's length at qpos0.
static void add_path_moment(const hfModel* m, int tendon, const hfPose* X_WB, double factor, double* row) {
  hfiPathWalk walk = hfi_path_begin(m, X_WB, tendon);
  hfiPathSpan span;
  while (hfi_path_next(&walk, &span))
    for (int s = 0; s < 2 * span.nsegment; ++s) {
      const hfiPathSegment* part = &span.segment[s / 2];
      hfVec3 u = v3_unit(v3_sub(part->p_W[1], part->p_W[0])), p = part->p_W[s % 2];
      hfForce pull = {v3_cross(p, u), u};
      for (int k = hf_model_body_lastdof(m)[part->body[s % 2]]; k >= 0; k = hf_model_dof_parent(m)[k])
        row[k] += (s % 2 ? factor : -factor) * span.scale * fo_dot(pull, hfi_reference_axis(m, k, X_WB));
    }
}

// Row d velocity/d v of an actuator at qpos0, where the bodies are at X_WB. Sites and bodies have none here.
static void fill_moment(const hfModel* m, int i, const hfPose* X_WB, double* row) {
  int id = hf_model_actuator_trnid(m)[2 * i], type = hf_model_actuator_trntype(m)[i];
  const double* gear = hf_model_actuator_gear(m) + 6 * i;
  for (int k = 0; k < m->nv; ++k) row[k] = 0;
  if (type == HF_TRANSMISSION_TENDON && hfi_tendon_is_spatial(m, id)) add_path_moment(m, id, X_WB, gear[0], row);
  else if (type == HF_TRANSMISSION_TENDON)
    for (int k = 0; k < hf_model_tendon_num(m)[id]; ++k) {
      int w = hf_model_tendon_adr(m)[id] + k;
      row[hf_model_jnt_dofadr(m)[hf_model_wrap_obj(m)[w]]] += gear[0] * hf_model_wrap_coef(m)[w];
    }
  else if (type < HF_TRANSMISSION_SITE) {
    double* to = row + hf_model_jnt_dofadr(m)[id];
    int turned = hf_joint_info(hf_model_jnt_type(m)[id]).quat, n = hfi_joint_nv(hf_model_jnt_type(m)[id]);
    for (int k = 0; k < n; ++k) to[k] = gear[k];
    if (type != HF_TRANSMISSION_JOINT_IN_PARENT || turned < 0) return;
    hfQuat q = q_load(hf_model_qpos0(m) + hf_model_jnt_qposadr(m)[id] + turned);
    v3_store(to + turned, q_rotate(q_conj(q), v3_load(gear + turned)));
  }
}

// What a unit force of an actuator meets at qpos0: its compliance, and the size of the acceleration that it causes.
static hfStatus meet_inertia(const hfModel* m, int i, double* compliance, double* acceleration, hfError* error) {
  double *row = malloc(sizeof *row * ((size_t)m->nv + 1));
  hfPose* X_WB = malloc(sizeof *X_WB * (size_t)m->nbody);
  hfStatus status = row && X_WB ? HF_OK : hfi_refuse(error, HF_ERROR_MEMORY, "out of memory");
  if (status == HF_OK) {
    hfi_reference_poses(m, X_WB);
    fill_moment(m, i, X_WB, row);
    status = hfi_reference_acceleration(m, row, compliance, acceleration, error);
  }
  free(row);
  free(X_WB);
  return status;
}

// A muscle whose scaled lengths range[0] to range[1] are the lengths of its lengthrange: l = L_T + L_0 L. A peak force that is
// not given is scale over the acceleration that a unit force causes.
static hfStatus fit_muscle(hfModel* m, int i, const hfActuatorDef* d, hfError* error) {
  double *to = hfi_set_actuator_muscle(m) + 8 * i, compliance = 0, acceleration = 0;
  const double* p = d->muscle;
  if (d->gaintype != HF_GAIN_MUSCLE && d->biastype != HF_BIAS_MUSCLE) return HF_OK;
  hfStatus status = p[2] < 0 ? meet_inertia(m, i, &compliance, &acceleration, error) : HF_OK;
  to[1] = (d->lengthrange[1] - d->lengthrange[0]) / (p[1] - p[0]);
  to[0] = d->lengthrange[0] - p[0] * to[1];
  to[2] = p[2] < 0 ? p[3] / max2(1e-15, acceleration) : p[2];
  memcpy(to + 3, p + 4, 5 * sizeof *to);
  return status;
}

// kv = 2 zeta sqrt(kp I), I the inertia that the actuator meets at qpos0.
static hfStatus fit_servo_damping(hfModel* m, int i, double zeta, hfError* error) {
  double compliance = 0, acceleration = 0;
  hfStatus status = meet_inertia(m, i, &compliance, &acceleration, error);
  if (status != HF_OK) return status;
  double kp = hf_model_actuator_gainprm(m)[3 * i];
  hfi_set_actuator_biasprm(m)[3 * i + 2] =
      compliance > 0 ? -2 * zeta * sqrt(max2(0, kp / compliance)) : 0;
  return status;
}

static double length_at_reference(const hfModel* m, int i) {
  int id = hf_model_actuator_trnid(m)[2 * i], type = hf_model_actuator_trntype(m)[i];
  double gear = hf_model_actuator_gear(m)[6 * i], length = 0;
  if (type == HF_TRANSMISSION_TENDON && hfi_tendon_is_spatial(m, id)) length = hf_model_tendon_length0(m)[id];
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

static hfStatus fill_actuator(hfiFinish* f, int i, int* nact, hfError* error) {
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
  hfi_set_actuator_actadr(m)[i] = d->dyntype != HF_ACTIVATION_NONE ? (*nact)++ : -1;
  memcpy(hfi_set_actuator_dynprm(m) + 3 * i, d->dynprm, sizeof d->dynprm);
  memcpy(hfi_set_actuator_gainprm(m) + 3 * i, d->gainprm, sizeof d->gainprm);
  memcpy(hfi_set_actuator_biasprm(m) + 3 * i, d->biasprm, sizeof d->biasprm);
  memcpy(hfi_set_actuator_ctrlrange(m) + 2 * i, d->ctrlrange, sizeof d->ctrlrange);
  memcpy(hfi_set_actuator_forcerange(m) + 2 * i, d->forcerange, sizeof d->forcerange);
  memcpy(hfi_set_actuator_actrange(m) + 2 * i, d->actrange, sizeof d->actrange);
  memcpy(hfi_set_actuator_gear(m) + 6 * i, d->gear, sizeof d->gear);
  hfi_set_actuator_length0(m)[i] = length_at_reference(m, i);
  hfStatus status = fit_muscle(m, i, d, error);
  return status == HF_OK && d->dampratio > 0 ? fit_servo_damping(m, i, d->dampratio, error) : status;
}

hfStatus hfi_finish_actuators(hfiFinish* f, hfError* error) {
  hfModel* m = f->m;
  int nact = 0, nsignal = 0, data = 0;
  for (int i = 0; i < m->nu; ++i) {
    hfStatus status = fill_actuator(f, i, &nact, error);
    if (status != HF_OK) return status;
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
  return HF_OK;
}

// ---- sensors and keyframes -----------------------------------------------------------------------

// Values that are never negative are clamped to [0, cutoff].
static int sensor_is_positive(int type) {
  return type == HF_SENSOR_TOUCH || type == HF_SENSOR_ENERGY_KINETIC || type == HF_SENSOR_CLOCK;
}

static void copy_or_zero(double* to, const double* from, int n) {
  if (from)
    memcpy(to, from, sizeof *to * (size_t)n);
  else
    memset(to, 0, sizeof *to * (size_t)n);
}

// A quaternion of zeros in a keyframe is no rotation, as in MuJoCo.
static void mend_zero_quat(double* quat) {
  if (quat[0] == 0 && quat[1] == 0 && quat[2] == 0 && quat[3] == 0) quat[0] = 1;
}

static void fill_key(hfModel* m, int i, const hfKeyDef* d) {
  hfi_set_key_time(m)[i] = d->time;
  copy_or_zero(hfi_set_key_qpos(m) + (size_t)i * (size_t)m->nq,
               d->qpos ? d->qpos : hf_model_qpos0(m), m->nq);
  copy_or_zero(hfi_set_key_qvel(m) + (size_t)i * (size_t)m->nv, d->qvel, m->nv);
  copy_or_zero(hfi_set_key_act(m) + (size_t)i * (size_t)m->na, d->act, m->na);
  copy_or_zero(hfi_set_key_ctrl(m) + (size_t)i * (size_t)m->nu, d->ctrl, m->nu);
  for (int k = 0; k < m->nmocap; ++k) {
    int b = hf_model_mocap_body(m)[k];
    memcpy(hfi_set_key_mpos(m) + 3 * (i * m->nmocap + k),
           d->mpos ? d->mpos + 3 * k : hf_model_body_pos(m) + 3 * b, 3 * sizeof(double));
    memcpy(hfi_set_key_mquat(m) + 4 * (i * m->nmocap + k),
           d->mquat ? d->mquat + 4 * k : hf_model_body_quat(m) + 4 * b, 4 * sizeof(double));
    mend_zero_quat(hfi_set_key_mquat(m) + 4 * (i * m->nmocap + k));
  }
  for (int j = 0; j < m->njnt; ++j) {
    int quat = hf_joint_info(hf_model_jnt_type(m)[j]).quat;
    if (quat >= 0) mend_zero_quat(hfi_set_key_qpos(m) + (size_t)i * (size_t)m->nq + hf_model_jnt_qposadr(m)[j] + quat);
  }
}

void hfi_finish_sensors_keys(hfiFinish* f) {
  hfModel* m = f->m;
  int adr = 0;
  for (int i = 0; i < m->nsensor; ++i) {
    const hfSensorDef* d = &f->b->sensor.data[i];
    hfi_set_sensor_type(m)[i] = d->type;
    hfi_set_sensor_objkind(m)[i] = d->objkind;
    hfi_set_sensor_obj(m)[i] = hfi_order_map(&f->order, d->objkind, d->obj);
    hfi_set_sensor_refkind(m)[i] = d->refkind;
    hfi_set_sensor_ref(m)[i] = hfi_order_map(&f->order, d->refkind, d->ref);
    hfi_set_sensor_dim(m)[i] = hfi_sensor_dim(d->type, d->data, d->num);
    hfi_set_sensor_data(m)[i] = d->data;
    hfi_set_sensor_num(m)[i] = d->num;
    hfi_set_sensor_reduce(m)[i] = d->reduce;
    hfi_set_sensor_subtree(m)[i] = d->subtree;
    hfi_set_sensor_adr(m)[i] = adr;
    hfi_set_sensor_positive(m)[i] = sensor_is_positive(d->type);
    hfi_set_sensor_cutoff(m)[i] = d->cutoff;
    hfi_set_sensor_noise(m)[i] = d->noise;
    adr += hf_model_sensor_dim(m)[i];
  }
  for (int i = 0; i < m->nkey; ++i) fill_key(m, i, &f->b->key.data[i]);
}
