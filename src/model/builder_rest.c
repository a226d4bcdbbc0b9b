// Adding what acts on the tree and measures it: tendons, equalities, pairs, actuators, sensors.
#include "model/builder_add.h"
#include "model/feedback.h"
#include "model/motor.h"
#include "model/orientation.h"
#include "model/samples.h"
#include "model/servo.h"

#include "base/error.h"
#include <math.h>

static hfStatus check_tendon_joints(const hfBuilder* b, const hfTendonDef* d, hfError* error) {
  const hfObjectKind kind = HF_OBJECT_TENDON;
  if (d->count < 1) return hfi_refuse_def(error, d->where, kind, d->name, "has no joints and no path");
  for (int i = 0; i < d->count; ++i) {
    int j = d->joint[i];
    if (j < 0 || j >= b->joint.count || !hfi_joint_is_scalar(b->joint.data[j].type))
      return hfi_refuse_def(error, d->where, kind, d->name, "joint %d is not a hinge or slide joint", j);
    if (!isfinite(d->coef[i]))
      return hfi_refuse_def(error, d->where, kind, d->name, "a coefficient is not finite");
  }
  return HF_OK;
}

static int is_site_of_path(const hfTendonDef* d, int i) {
  return i >= 0 && i < d->path_count && d->path[i].type == HF_WRAP_SITE;
}

// A geom lies between two sites; a site has a neighbour other than a pulley; a pulley is followed by a site.
static hfStatus check_place(const hfBuilder* b, const hfTendonDef* d, int i, hfError* error) {
  const hfObjectKind kind = HF_OBJECT_TENDON;
  const hfWrapDef* w = &d->path[i];
  int site_after = is_site_of_path(d, i + 1), site_before = is_site_of_path(d, i - 1);
  int geom_after = i + 1 < d->path_count && d->path[i + 1].type == HF_WRAP_GEOM;
  int geom_before = i > 0 && d->path[i - 1].type == HF_WRAP_GEOM;
  switch (w->type) {
  case HF_WRAP_SITE:
    if (!hfi_object_exists(b, HF_OBJECT_SITE, w->obj))
      return hfi_refuse_def(error, d->where, kind, d->name, "site %d does not exist", w->obj);
    if (!site_after && !site_before && !geom_after && !geom_before)
      return hfi_refuse_def(error, d->where, kind, d->name, "place %d: the path has no other site to go to", i);
    return HF_OK;
  case HF_WRAP_GEOM:
    if (!hfi_object_exists(b, HF_OBJECT_GEOM, w->obj) || (w->side >= 0 && !hfi_object_exists(b, HF_OBJECT_SITE, w->side)))
      return hfi_refuse_def(error, d->where, kind, d->name, "geom %d or side site %d does not exist", w->obj, w->side);
    if (b->geom.data[w->obj].type != HF_GEOM_SPHERE && b->geom.data[w->obj].type != HF_GEOM_CYLINDER)
      return hfi_refuse_def(error, d->where, kind, d->name, "can wrap around a sphere or cylinder, not around a %s",
                            hf_geom_type_name(b->geom.data[w->obj].type));
    if (!site_before || !site_after)
      return hfi_refuse_def(error, d->where, kind, d->name, "place %d: a geom must be between two sites", i);
    if (d->armature != 0)
      return hfi_refuse_def(error, d->where, kind, d->name, "a tendon with armature cannot wrap around geoms");
    return HF_OK;
  case HF_WRAP_PULLEY:
    if (!(w->divisor > 0) || !isfinite(w->divisor))
      return hfi_refuse_def(error, d->where, kind, d->name, "the divisor %g of a pulley must be positive", w->divisor);
    return site_after ? HF_OK : hfi_refuse_def(error, d->where, kind, d->name, "place %d: a site must follow a pulley", i);
  default: return hfi_refuse_def(error, d->where, kind, d->name, "place %d: unknown type %d", i, w->type);
  }
}

static hfStatus check_path(const hfBuilder* b, const hfTendonDef* d, hfError* error) {
  if (d->count > 0)
    return hfi_refuse_def(error, d->where, HF_OBJECT_TENDON, d->name, "has both joints and a path");
  hfStatus status = HF_OK;
  for (int i = 0; i < d->path_count && status == HF_OK; ++i) status = check_place(b, d, i, error);
  return status;
}

int hf_builder_add_tendon(hfBuilder* b, const hfTendonDef* source, hfError* error) {
  hfi_clear_error(error);
  hfTendonDef d = *source;
  const hfObjectKind kind = HF_OBJECT_TENDON;
  hfStatus status = d.path_count > 0 ? check_path(b, &d, error) : check_tendon_joints(b, &d, error);
  if (status != HF_OK) return status;
  if (!hfi_all_finite(d.stiffness_poly, 2) || !hfi_all_finite(d.damping_poly, 2) || !hfi_all_finite(d.limit_solref, 2) ||
      !hfi_all_finite(d.limit_solimp, 5))
    return hfi_refuse_def(error, d.where, kind, d.name, "a value is not finite");
  if (!(d.springyield >= 0 && isfinite(d.springyield)))
    return hfi_refuse_def(error, d.where, kind, d.name, "springyield %g must be finite and cannot be negative", d.springyield);
  if (d.stiffness < 0 || d.damping < 0 || d.frictionloss < 0 || d.armature < 0)
    return hfi_refuse_def(error, d.where, kind, d.name,
                          "stiffness, damping, armature and friction loss cannot be negative");
  if (d.limited && d.range[0] > d.range[1])
    return hfi_refuse_def(error, d.where, kind, d.name, "range [%g, %g] is empty", d.range[0],
                          d.range[1]);
  d.joint = hfi_pool_copy(&b->pool, d.joint, sizeof *d.joint * (size_t)d.count);
  d.coef = hfi_pool_copy(&b->pool, d.coef, sizeof *d.coef * (size_t)d.count);
  d.path = hfi_pool_copy(&b->pool, d.path, sizeof *d.path * (size_t)d.path_count);
  if (!d.joint || !d.coef || !d.path) return hfi_refuse_memory(error);
  HFI_ADD(b->tendon, kind, d);
  return HFI_APPEND(b->tendon, d);
}

hfStatus hfi_check_equality(const hfBuilder* b, const hfEqualityDef* d, hfError* error) {
  const hfObjectKind kind = HF_OBJECT_EQUALITY;
  if (!hfi_all_finite(d->data, 11))
    return hfi_refuse_def(error, d->where, kind, d->name, "a value is not finite");
  int expected = hfi_equality_target(d->type, d->objkind);
  if (expected != HF_OBJECT_JOINT && expected != HF_OBJECT_TENDON && expected != HF_OBJECT_BODY &&
      expected != HF_OBJECT_SITE)
    return hfi_refuse_def(error, d->where, kind, d->name, "connects bodies or sites");
  int optional = expected != HF_OBJECT_SITE;
  if (!hfi_object_exists(b, expected, d->obj1) ||
      (!(optional && d->obj2 < 0) && !hfi_object_exists(b, expected, d->obj2)))
    return hfi_refuse_def(error, d->where, kind, d->name, "names a %s that does not exist",
                          hf_object_kind_name((hfObjectKind)expected));
  if (d->type == HF_EQUALITY_JOINT)
    for (int i = 0; i < 2; ++i) {
      int j = i == 0 ? d->obj1 : d->obj2;
      if (j >= 0 && !hfi_joint_is_scalar(b->joint.data[j].type))
        return hfi_refuse_def(error, d->where, kind, d->name, "joints must be hinge or slide");
    }
  return HF_OK;
}

int hf_builder_add_equality(hfBuilder* b, const hfEqualityDef* source, hfError* error) {
  hfi_clear_error(error);
  hfEqualityDef d = *source;
  hfStatus status = hfi_check_equality(b, &d, error);
  if (status != HF_OK) return status;
  HFI_ADD(b->equality, HF_OBJECT_EQUALITY, d);
  return HFI_APPEND(b->equality, d);
}

hfPairDef hfi_complete_pair(const hfBuilder* b, int pair) {
  static const int group[5] = {0, 0, 1, 2, 2}; // of the coefficients of sliding, torsion and rolling
  hfPairDef d = b->pair.data[pair];
  const hfGeomDef *g1 = &b->geom.data[d.geom1], *g2 = &b->geom.data[d.geom2];
  if (d.condim <= 0) d.condim = imax2(g1->condim, g2->condim);
  for (int k = 0; k < 5; ++k)
    if (!(d.friction[k] >= 0)) d.friction[k] = max2(g1->friction[group[k]], g2->friction[group[k]]);
  if (!(d.margin >= 0)) d.margin = g1->margin + g2->margin;
  if (!(d.gap >= 0)) d.gap = g1->gap + g2->gap;
  return d;
}

int hf_builder_add_pair(hfBuilder* b, const hfPairDef* source, hfError* error) {
  hfi_clear_error(error);
  hfPairDef d = *source;
  const hfObjectKind kind = HF_OBJECT_PAIR;
  if (!hfi_object_exists(b, HF_OBJECT_GEOM, d.geom1) || !hfi_object_exists(b, HF_OBJECT_GEOM, d.geom2) ||
      d.geom1 == d.geom2)
    return hfi_refuse_def(error, d.where, kind, d.name, "needs two different geoms that exist");
  if (!isfinite(d.adhesion)) return hfi_refuse_def(error, d.where, kind, d.name, "adhesion is not finite");
  HFI_ADD(b->pair, kind, d);
  return HFI_APPEND(b->pair, d);
}

int hf_builder_add_exclude(hfBuilder* b, int body1, int body2, hfError* error) {
  hfi_clear_error(error);
  if (!hfi_object_exists(b, HF_OBJECT_BODY, body1) || !hfi_object_exists(b, HF_OBJECT_BODY, body2))
    return hfi_refuse(error, HF_ERROR_MODEL, "exclude: body %d or %d does not exist", body1, body2);
  void* grown =
      hfi_grow(b->exclude.data, &b->exclude.capacity, b->exclude.count, sizeof *b->exclude.data);
  if (!grown) return hfi_refuse_memory(error);
  b->exclude.data = grown;
  hfiExclude e = {{body1, body2}};
  return HFI_APPEND(b->exclude, e);
}

// Drives other than servos follow what a servo would.
static hfStatus check_drive(const hfBuilder* b, const hfActuatorDef* d, hfError* error) {
  const hfObjectKind kind = HF_OBJECT_ACTUATOR;
  if (d->drive < HF_DRIVE_SERVO || d->drive > HF_DRIVE_COMPUTED_TORQUE)
    return hfi_refuse_def(error, d->where, kind, d->name, "drive law %d does not exist", d->drive);
  if (d->drive == HF_DRIVE_SERVO) return HF_OK;
  if (!hfi_is_servo(d->gaintype, d->biastype, d->biasprm))
    return hfi_refuse_def(error, d->where, kind, d->name,
                          "only position and velocity servos can be driven by inverse dynamics");
  int joint = d->trntype == HF_TRANSMISSION_JOINT &&
              hfi_joint_is_scalar(b->joint.data[d->trnid[0]].type) && d->gear[0] != 0;
  if (d->drive == HF_DRIVE_COMPUTED_TORQUE && !joint)
    return hfi_refuse_def(error, d->where, kind, d->name,
                          "computed torque needs a hinge or slide joint");
  return HF_OK;
}

int hfi_signal_size(int type) {
  static const int size[] = {0, 1, 4, 4, 5, 2, 4, 8};
  return size[type];
}

// The curves of a muscle need lmin < 1 < lmax, fvmax >= 1, and ranges that are not empty.
static hfStatus check_muscle(const hfActuatorDef* d, hfError* error) {
  const double *p = d->muscle, *l = d->lengthrange;
  if (d->gaintype < HF_GAIN_FIXED || d->gaintype > HF_GAIN_ORIENTATION || d->biastype < HF_BIAS_NONE || d->biastype > HF_BIAS_MUSCLE)
    return hfi_refuse_def(error, d->where, HF_OBJECT_ACTUATOR, d->name, "gain %d or bias %d does not exist", d->gaintype, d->biastype);
  if (d->gaintype != HF_GAIN_MUSCLE && d->biastype != HF_BIAS_MUSCLE) return HF_OK;
  if (!hfi_all_finite(p, 9) || !hfi_all_finite(l, 2) || !(p[0] < p[1]) || !(l[0] < l[1]))
    return hfi_refuse_def(error, d->where, HF_OBJECT_ACTUATOR, d->name,
                          "a muscle needs a range and a lengthrange that are not empty: [%g, %g] and [%g, %g]", p[0], p[1], l[0], l[1]);
  if (p[2] < 0 && d->trntype == HF_TRANSMISSION_BODY)
    return hfi_refuse_def(error, d->where, HF_OBJECT_ACTUATOR, d->name, "a muscle on a body needs its peak force");
  if (!(p[4] < 1 && p[5] > 1 && p[6] > 0 && p[8] >= 1))
    return hfi_refuse_def(error, d->where, HF_OBJECT_ACTUATOR, d->name,
                          "a muscle needs lmin < 1 < lmax, vmax > 0 and fvmax >= 1: they are %g, %g, %g, %g", p[4], p[5], p[6], p[8]);
  return HF_OK;
}

// A DC motor has a resistance, a constant, and a controller only where an input asks for one.
static hfStatus check_motor(const hfActuatorDef* d, hfError* error) {
  const double* p = d->motor;
  const hfObjectKind kind = HF_OBJECT_ACTUATOR;
  if (d->gaintype != HF_GAIN_MOTOR)
    return d->dyntype == HF_ACTIVATION_MOTOR ? hfi_refuse_def(error, d->where, kind, d->name, "only a DC motor has the states of one") : HF_OK;
  int states = hfi_motor_states(p), controlled = d->inputs & (HF_INPUT_POSITION | HF_INPUT_VELOCITY | HF_INPUT_TORQUE);
  if (!hfi_all_finite(p, HF_MOTOR_PARAMETERS)) return hfi_refuse_def(error, d->where, kind, d->name, "a parameter of the motor is not finite");
  for (int k = 0; k < HF_MOTOR_PARAMETERS; ++k)
    if (p[k] < 0 && k != HF_MOTOR_TEMPCOEF && k != HF_MOTOR_REFTEMP && k != HF_MOTOR_AMBIENT && k != HF_MOTOR_COGGING && k != HF_MOTOR_PHASE && k != HF_MOTOR_POLES)
      return hfi_refuse_def(error, d->where, kind, d->name, "a parameter of the motor is negative: %g", p[k]);
  if (!(p[HF_MOTOR_RESISTANCE] > 0)) return hfi_refuse_def(error, d->where, kind, d->name, "the resistance of a motor must be positive");
  if (!(p[HF_MOTOR_CONSTANT] > 0) && d->inputs) return hfi_refuse_def(error, d->where, kind, d->name, "the constant of a motor with inputs must be positive");
  if (states & HF_MOTOR_TEMPERATURE && !(p[HF_MOTOR_THERMAL_CAPACITY] > 0))
    return hfi_refuse_def(error, d->where, kind, d->name, "a motor that gets warm needs a positive thermal capacity");
  if (d->inputs < 0 || d->inputs >= 2 * HF_INPUT_VOLTAGE) return hfi_refuse_def(error, d->where, kind, d->name, "inputs %d do not exist", d->inputs);
  if (!controlled && (p[HF_MOTOR_KP] > 0 || p[HF_MOTOR_KI] > 0 || p[HF_MOTOR_KD] > 0 || p[HF_MOTOR_SLEWMAX] > 0))
    return hfi_refuse_def(error, d->where, kind, d->name, "the controller of a motor needs the input pos, vel or ff");
  if (p[HF_MOTOR_KI] > 0 && !(d->inputs & HF_INPUT_POSITION)) return hfi_refuse_def(error, d->where, kind, d->name, "ki needs the input pos");
  if (d->biastype != HF_BIAS_NONE || d->dyntype != (states ? HF_ACTIVATION_MOTOR : HF_ACTIVATION_NONE))
    return hfi_refuse_def(error, d->where, kind, d->name, "a motor has no bias, and the dynamics HF_ACTIVATION_MOTOR where it has states, else none");
  return HF_OK;
}

// An orientation servo has one gain, goes to where its controls or their integrals say, and is bounded by the size of its torque. That it is whole
// is checked where the model is finished.
static hfStatus check_orientation(const hfActuatorDef* d, hfError* error) {
  const hfObjectKind kind = HF_OBJECT_ACTUATOR;
  if (d->gaintype != HF_GAIN_ORIENTATION) return HF_OK;
  int n = hfi_orientation_count(d->inputs), single = d->inputs == HF_INPUT_X || d->inputs == HF_INPUT_Y || d->inputs == HF_INPUT_Z;
  if (!n && !single) return hfi_refuse_def(error, d->where, kind, d->name, "inputs %d of an orientation servo do not exist", d->inputs);
  if (d->biastype != HF_BIAS_AFFINE || d->biasprm[0] != 0 || d->biasprm[1] != -d->gainprm[0])
    return hfi_refuse_def(error, d->where, kind, d->name, "an orientation servo has the gain kp and an affine bias 0, -kp, -kv");
  if (d->dyntype != HF_ACTIVATION_NONE && (d->dyntype != HF_ACTIVATION_INTEGRATOR || n == 4))
    return hfi_refuse_def(error, d->where, kind, d->name, "only the rotation vector of an orientation servo can be an activation, an integral");
  if (d->forcelimited && d->forcerange[0] != 0)
    return hfi_refuse_def(error, d->where, kind, d->name, "forcerange bounds the size of the torque: it begins at 0, not at %g", d->forcerange[0]);
  return HF_OK;
}

// Feedback watches joints that have one coordinate, and its times increase.
static hfStatus check_feedback(const hfBuilder* b, const hfActuatorDef* d, hfError* error) {
  hfiFeedback f;
  if (d->signal != HF_SIGNAL_FEEDBACK) return HF_OK;
  if (!hfi_feedback_parts(d->signal_data, d->signal_count, &f))
    return hfi_refuse_def(error, d->where, HF_OBJECT_ACTUATOR, d->name, "feedback: %d numbers are not joints and rows of t, y, and q_d, v_d, kp, kd of each joint", d->signal_count);
  for (int i = 0; i < f.njoint; ++i) {
    int exists = f.joint[i] >= 0 && f.joint[i] < b->joint.count && f.joint[i] == floor(f.joint[i]);
    if (!exists || !hfi_joint_is_scalar(b->joint.data[(int)f.joint[i]].type))
      return hfi_refuse_def(error, d->where, HF_OBJECT_ACTUATOR, d->name, "feedback: joint %d of %d is no hinge or slide", i + 1, f.njoint);
  }
  for (int i = 1; i < f.nrow; ++i)
    if (f.rows[i * f.width] <= f.rows[(i - 1) * f.width])
      return hfi_refuse_def(error, d->where, HF_OBJECT_ACTUATOR, d->name, "feedback: times must increase");
  return HF_OK;
}

// How far a history must reach back depends on the step, see finish_history.c.
static hfStatus check_samples(const char* where, hfObjectKind kind, const char* name, double delay, int nsample, int interp, hfError* error) {
  if (!(delay >= 0 && isfinite(delay)))
    return hfi_refuse_def(error, where, kind, name, "delay %g must be finite and cannot be negative", delay);
  if (nsample < 0 || nsample > HFI_MOST_SAMPLES)
    return hfi_refuse_def(error, where, kind, name, "nsample %d must be between 0 and %d", nsample, HFI_MOST_SAMPLES);
  if (interp < HF_INTERPOLATE_HOLD || interp > HF_INTERPOLATE_CUBIC)
    return hfi_refuse_def(error, where, kind, name, "interpolation %d does not exist", interp);
  return HF_OK;
}

hfStatus hfi_check_actuator(const hfBuilder* b, const hfActuatorDef* d, hfError* error) {
  const hfObjectKind kind = HF_OBJECT_ACTUATOR;
  if (d->trntype < HF_TRANSMISSION_JOINT || d->trntype > HF_TRANSMISSION_SLIDER_CRANK)
    return hfi_refuse_def(error, d->where, kind, d->name, "transmission %d does not exist", d->trntype);
  int target = hfi_transmission_target(d->trntype);
  if (!hfi_object_exists(b, target, d->trnid[0]))
    return hfi_refuse_def(error, d->where, kind, d->name, "acts on a %s that does not exist",
                          hf_object_kind_name((hfObjectKind)target));
  if (d->trnid[1] >= 0 && !hfi_object_exists(b, HF_OBJECT_SITE, d->trnid[1]))
    return hfi_refuse_def(error, d->where, kind, d->name, "reference site does not exist");
  if (d->trntype == HF_TRANSMISSION_SLIDER_CRANK && !(d->trnid[1] >= 0 && d->cranklength > 0 && isfinite(d->cranklength)))
    return hfi_refuse_def(error, d->where, kind, d->name, "a slider-crank needs the site of its slider and a positive cranklength");
  const double* arrays[] = {d->dynprm, d->gainprm, d->biasprm};
  for (int i = 0; i < 3; ++i)
    if (!hfi_all_finite(arrays[i], 3))
      return hfi_refuse_def(error, d->where, kind, d->name, "a gain or bias is not finite");
  if (!hfi_all_finite(d->gear, 6) || !isfinite(d->dampratio))
    return hfi_refuse_def(error, d->where, kind, d->name, "gear or damping ratio is not finite");
  const double* ranges[] = {d->ctrlrange, d->forcerange, d->actrange};
  const int limited[] = {d->ctrllimited, d->forcelimited, d->actlimited};
  const char* const names[] = {"ctrlrange", "forcerange", "actrange"};
  for (int i = 0; i < 3; ++i)
    if (limited[i] && !(ranges[i][0] <= ranges[i][1]))
      return hfi_refuse_def(error, d->where, kind, d->name, "%s [%g, %g] is empty", names[i],
                            ranges[i][0], ranges[i][1]);
  if (d->signal < HF_SIGNAL_NONE || d->signal > HF_SIGNAL_FEEDBACK)
    return hfi_refuse_def(error, d->where, kind, d->name, "there is no signal %d", d->signal);
  if (d->signal_count < hfi_signal_size(d->signal))
    return hfi_refuse_def(error, d->where, kind, d->name, "signal needs %d numbers, has %d",
                          hfi_signal_size(d->signal), d->signal_count);
  if (!hfi_all_finite(d->signal_data, d->signal_count))
    return hfi_refuse_def(error, d->where, kind, d->name, "a signal value is not finite");
  if (d->signal == HF_SIGNAL_TABLE || d->signal == HF_SIGNAL_CYCLE)
    for (int i = 2; i + 1 < d->signal_count; i += 2)
      if (d->signal_data[i] <= d->signal_data[i - 2])
        return hfi_refuse_def(error, d->where, kind, d->name, "signal table: times must increase");
  hfStatus status = check_feedback(b, d, error);
  if (status == HF_OK) status = check_samples(d->where, kind, d->name, d->delay, d->nsample, d->interp, error);
  if (status == HF_OK && d->delay > 0 && d->drive != HF_DRIVE_SERVO) status = hfi_refuse_def(error, d->where, kind, d->name, "a drive law has no delay");
  if (status == HF_OK) status = check_muscle(d, error);
  if (status == HF_OK) status = check_motor(d, error);
  if (status == HF_OK) status = check_orientation(d, error);
  return status == HF_OK ? check_drive(b, d, error) : status;
}

int hf_builder_add_actuator(hfBuilder* b, const hfActuatorDef* source, hfError* error) {
  hfi_clear_error(error);
  hfActuatorDef d = *source;
  hfStatus status = hfi_check_actuator(b, &d, error);
  if (status != HF_OK) return status;
  d.signal_data =
      hfi_pool_copy(&b->pool, d.signal_data, sizeof *d.signal_data * (size_t)d.signal_count);
  if (!d.signal_data) return hfi_refuse_memory(error);
  HFI_ADD(b->actuator, HF_OBJECT_ACTUATOR, d);
  return HFI_APPEND(b->actuator, d);
}

static hfStatus check_interval(const hfSensorDef* d, hfError* error) {
  double interval = d->interval[0], phase = d->interval[1];
  if (!(interval >= 0 && isfinite(interval)))
    return hfi_refuse_def(error, d->where, HF_OBJECT_SENSOR, d->name, "interval %g must be finite and cannot be negative", interval);
  if (!hfi_interval_is_sound(interval, phase))
    return hfi_refuse_def(error, d->where, HF_OBJECT_SENSOR, d->name, "measurements must begin between -%g and 0, not at %g", interval, phase);
  return HF_OK;
}

int hf_builder_add_sensor(hfBuilder* b, const hfSensorDef* source, hfError* error) {
  hfi_clear_error(error);
  hfSensorDef d = *source;
  const hfObjectKind kind = HF_OBJECT_SENSOR;
  if (d.type < 0 || d.type >= HF_SENSOR_TYPES)
    return hfi_refuse_def(error, d.where, kind, d.name, "unknown type %d", d.type);
  int free_standing = d.objkind == HF_OBJECT_NONE;
  if (!free_standing && !hfi_object_exists(b, d.objkind, d.obj))
    return hfi_refuse_def(error, d.where, kind, d.name, "names a %s that does not exist",
                          hf_object_kind_name((hfObjectKind)d.objkind));
  if (!hfi_sensor_accepts(d.type, d.objkind) ||
      (d.objkind == HF_OBJECT_JOINT &&
       !hfi_sensor_accepts_joint(d.type, b->joint.data[d.obj].type)))
    return hfi_refuse_def(error, d.where, kind, d.name,
                          free_standing ? "needs an object" : "cannot measure a %s",
                          hf_object_kind_name((hfObjectKind)d.objkind));
  if (d.objkind == HF_OBJECT_ACTUATOR && hfi_is_later_axis(&b->actuator.data[d.obj]))
    return hfi_refuse_def(error, d.where, kind, d.name, "measures all axes of an orientation servo: it names the first of its actuators");
  if (d.refkind != HF_OBJECT_NONE && !hfi_object_exists(b, d.refkind, d.ref))
    return hfi_refuse_def(error, d.where, kind, d.name, "reference %s does not exist",
                          hf_object_kind_name((hfObjectKind)d.refkind));
  if (d.refkind != HF_OBJECT_NONE && !hfi_sensor_accepts(d.type, d.refkind))
    return hfi_refuse_def(error, d.where, kind, d.name, "cannot refer to a %s",
                          hf_object_kind_name((hfObjectKind)d.refkind));
  hfi_sensor_complete(&d);
  if (d.num < 1 || d.num > HFI_MOST_SENSOR_SLOTS || d.data < 0 || d.data >= 2 * HF_CONTACT_ANGVEL || d.reduce < HF_REDUCE_NONE ||
      d.reduce > HF_REDUCE_NETFORCE || d.subtree < 0 || d.subtree > 3)
    return hfi_refuse_def(error, d.where, kind, d.name, "data %d, num %d, reduce %d or subtree %d does not exist", d.data, d.num,
                          d.reduce, d.subtree);
  if (d.type == HF_SENSOR_INSIDE_SITE && d.refkind != HF_OBJECT_SITE)
    return hfi_refuse_def(error, d.where, kind, d.name, "needs a site");
  if (d.type == HF_SENSOR_CAMERA_PROJECTION && (d.objkind != HF_OBJECT_SITE || d.refkind != HF_OBJECT_CAMERA))
    return hfi_refuse_def(error, d.where, kind, d.name, "needs a site and a camera");
  if (d.type >= HF_SENSOR_DISTANCE && d.type <= HF_SENSOR_FROM_TO && d.refkind == HF_OBJECT_NONE)
    return hfi_refuse_def(error, d.where, kind, d.name, "needs two geoms or bodies");
  if (!isfinite(d.noise) || d.noise < 0)
    return hfi_refuse_def(error, d.where, kind, d.name, "noise %g is negative", d.noise);
  if (!isfinite(d.cutoff) || d.cutoff < 0)
    return hfi_refuse_def(error, d.where, kind, d.name, "cutoff %g is negative", d.cutoff);
  hfStatus status = check_samples(d.where, kind, d.name, d.delay, d.nsample, d.interp, error);
  if (status == HF_OK) status = check_interval(&d, error);
  if (status != HF_OK) return status;
  HFI_ADD(b->sensor, kind, d);
  return HFI_APPEND(b->sensor, d);
}
