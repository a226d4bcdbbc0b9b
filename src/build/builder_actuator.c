// Adding actuators: their transmission, force law, activation, signal and delay are checked one after the other.
#include "build/builder_add.h"
#include "model/actuator.h"
#include "model/history.h"

#include "base/error.h"
#include <math.h>

// Refuses an actuator whose target does not exist.
static hfStatus check_transmission(const hfBuilder* b, const hfActuatorDef* d, hfError* error) {
  const hfObjectKind kind = HF_OBJECT_ACTUATOR;
  if (d->trntype < HF_TRANSMISSION_JOINT || d->trntype > HF_TRANSMISSION_SLIDER_CRANK)
    return hfi_refuse_def(error, d->where, kind, d->name, "transmission %d does not exist", d->trntype);
  int target = hfi_transmission_target(d->trntype);
  if (!hfi_object_exists(b, target, d->trnid[0]))
    return hfi_refuse_def(error, d->where, kind, d->name, "acts on a %s that does not exist", hf_object_kind_name((hfObjectKind)target));
  if (d->trnid[1] >= 0 && !hfi_object_exists(b, HF_OBJECT_SITE, d->trnid[1]))
    return hfi_refuse_def(error, d->where, kind, d->name, "reference site does not exist");
  if (d->trntype == HF_TRANSMISSION_SLIDER_CRANK && !(d->trnid[1] >= 0 && d->cranklength > 0 && isfinite(d->cranklength)))
    return hfi_refuse_def(error, d->where, kind, d->name, "a slider-crank needs the site of its slider and a positive cranklength");
  return HF_OK;
}

// Refuses numbers that are not finite, and ranges that act but are empty.
static hfStatus check_numbers(const hfActuatorDef* d, hfError* error) {
  const hfObjectKind kind = HF_OBJECT_ACTUATOR;
  const hfiNumbers numbers[] = {HFI_NUMBERS(d, dynprm), HFI_NUMBERS(d, gainprm), HFI_NUMBERS(d, biasprm), HFI_NUMBERS(d, muscle), HFI_NUMBERS(d, passive), HFI_NUMBERS(d, lengthrange),
                                HFI_NUMBERS(d, motor), HFI_NUMBERS(d, gear), HFI_NUMBERS(d, dampratio), HFI_NUMBERS(d, cranklength),
                                HFI_RANGE(d, ctrlrange), HFI_RANGE(d, forcerange), HFI_RANGE(d, actrange)};
  const double* ranges[] = {d->ctrlrange, d->forcerange, d->actrange};
  const int limited[] = {d->ctrllimited, d->forcelimited, d->actlimited};
  const char* const names[] = {"ctrlrange", "forcerange", "actrange"};
  hfStatus status = HFI_CHECK_NUMBERS(numbers, d, kind, error);
  if (status != HF_OK) return status;
  for (int i = 0; i < 3; ++i)
    if (limited[i] && !(ranges[i][0] <= ranges[i][1]))
      return hfi_refuse_def(error, d->where, kind, d->name, "%s [%g, %g] is empty", names[i], ranges[i][0], ranges[i][1]);
  return HF_OK;
}

// ---- force laws -------------------------------------------------------------------------------------

// Refuses a drive law for an actuator that is no servo.
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

const double* hfi_passive_muscle(const hfActuatorDef* d) {
  for (int k = 0; k < 9; ++k)
    if (d->passive[k] != 0) return d->passive;
  return d->muscle;
}

// The curves of a muscle need lmin < 1 < lmax, and ranges that are not empty; those of its active force also vmax > 0 and fvmax >= 1.
static hfStatus check_curves(const hfActuatorDef* d, const double* p, int active, hfError* error) {
  const double* l = d->lengthrange;
  if (!(p[0] < p[1]) || !(l[0] < l[1]))
    return hfi_refuse_def(error, d->where, HF_OBJECT_ACTUATOR, d->name,
                          "a muscle needs a range and a lengthrange that are not empty: [%g, %g] and [%g, %g]", p[0], p[1], l[0], l[1]);
  if (p[2] < 0 && d->trntype == HF_TRANSMISSION_BODY)
    return hfi_refuse_def(error, d->where, HF_OBJECT_ACTUATOR, d->name, "a muscle on a body needs its peak force");
  if (!(p[4] < 1 && p[5] > 1) || (active && !(p[6] > 0 && p[8] >= 1)))
    return hfi_refuse_def(error, d->where, HF_OBJECT_ACTUATOR, d->name,
                          "a muscle needs lmin < 1 < lmax, vmax > 0 and fvmax >= 1: they are %g, %g, %g, %g", p[4], p[5], p[6], p[8]);
  return HF_OK;
}

static hfStatus check_muscle(const hfActuatorDef* d, hfError* error) {
  if (d->gaintype < HF_GAIN_FIXED || d->gaintype > HF_GAIN_ORIENTATION || d->biastype < HF_BIAS_NONE || d->biastype > HF_BIAS_MUSCLE)
    return hfi_refuse_def(error, d->where, HF_OBJECT_ACTUATOR, d->name, "gain %d or bias %d does not exist", d->gaintype, d->biastype);
  hfStatus status = d->gaintype == HF_GAIN_MUSCLE ? check_curves(d, d->muscle, 1, error) : HF_OK;
  if (status == HF_OK && d->biastype == HF_BIAS_MUSCLE) status = check_curves(d, hfi_passive_muscle(d), 0, error);
  return status;
}

// A DC motor has a resistance and a constant, and a controller only if an input needs one. May parameter k of a motor be negative?
static int may_be_negative(int k) {
  return k == HF_MOTOR_TEMPCOEF || k == HF_MOTOR_REFTEMP || k == HF_MOTOR_AMBIENT || k == HF_MOTOR_COGGING || k == HF_MOTOR_PHASE || k == HF_MOTOR_POLES;
}

static hfStatus check_motor(const hfActuatorDef* d, hfError* error) {
  const double* p = d->motor;
  const hfObjectKind kind = HF_OBJECT_ACTUATOR;
  if (d->gaintype != HF_GAIN_MOTOR)
    return d->dyntype == HF_ACTIVATION_MOTOR ? hfi_refuse_def(error, d->where, kind, d->name, "only a DC motor has the states of one") : HF_OK;
  int states = hfi_motor_states(p), controlled = d->inputs & (HF_INPUT_POSITION | HF_INPUT_VELOCITY | HF_INPUT_TORQUE);
  for (int k = 0; k < HF_MOTOR_PARAMETERS; ++k)
    if (p[k] < 0 && !may_be_negative(k))
      return hfi_refuse_def(error, d->where, kind, d->name, "a parameter of the motor is negative: %g", p[k]);
  if (!(p[HF_MOTOR_RESISTANCE] > 0)) return hfi_refuse_def(error, d->where, kind, d->name, "the resistance of a motor must be positive");
  if (!(p[HF_MOTOR_CONSTANT] > 0) && d->inputs) return hfi_refuse_def(error, d->where, kind, d->name, "the constant of a motor with inputs must be positive");
  if (states & HF_MOTOR_STATE_TEMPERATURE && !(p[HF_MOTOR_THERMAL_CAPACITY] > 0))
    return hfi_refuse_def(error, d->where, kind, d->name, "a motor that gets warm needs a positive thermal capacity");
  if (d->inputs < 0 || d->inputs >= 2 * HF_INPUT_VOLTAGE) return hfi_refuse_def(error, d->where, kind, d->name, "inputs %d do not exist", d->inputs);
  if (!controlled && (p[HF_MOTOR_KP] > 0 || p[HF_MOTOR_KI] > 0 || p[HF_MOTOR_KD] > 0 || p[HF_MOTOR_SLEWMAX] > 0))
    return hfi_refuse_def(error, d->where, kind, d->name, "the controller of a motor needs the input pos, vel or ff");
  if (p[HF_MOTOR_KI] > 0 && !(d->inputs & HF_INPUT_POSITION)) return hfi_refuse_def(error, d->where, kind, d->name, "ki needs the input pos");
  if (d->biastype != HF_BIAS_NONE || d->dyntype != (states ? HF_ACTIVATION_MOTOR : HF_ACTIVATION_NONE))
    return hfi_refuse_def(error, d->where, kind, d->name, "a motor must have no bias, and the dynamics HF_ACTIVATION_MOTOR if it has states, otherwise no dynamics");
  return HF_OK;
}

// An orientation servo has one gain, aims at its controls or their integrals, and has a bound on the size of its torque. hf_builder_finish checks
// that it has all its actuators.
static hfStatus check_orientation(const hfActuatorDef* d, hfError* error) {
  const hfObjectKind kind = HF_OBJECT_ACTUATOR;
  if (d->gaintype != HF_GAIN_ORIENTATION) return HF_OK;
  int n = hfi_orientation_count(d->inputs), single = d->inputs == HF_INPUT_X || d->inputs == HF_INPUT_Y || d->inputs == HF_INPUT_Z;
  if (!n && !single) return hfi_refuse_def(error, d->where, kind, d->name, "inputs %d of an orientation servo do not exist", d->inputs);
  if (d->biastype != HF_BIAS_AFFINE || d->biasprm[0] != 0 || d->biasprm[1] != -d->gainprm[0])
    return hfi_refuse_def(error, d->where, kind, d->name, "the bias of an orientation servo must be affine with the parameters 0, -kp, -kv, where kp is its gain");
  if (d->dyntype != HF_ACTIVATION_NONE && (d->dyntype != HF_ACTIVATION_INTEGRATOR || n == 4))
    return hfi_refuse_def(error, d->where, kind, d->name, "an orientation servo can have an activation only as an integrator, and only if its inputs are a rotation vector");
  if (d->forcelimited && d->forcerange[0] != 0)
    return hfi_refuse_def(error, d->where, kind, d->name, "forcerange bounds the size of the torque: it begins at 0, not at %g", d->forcerange[0]);
  return HF_OK;
}

// ---- signals ----------------------------------------------------------------------------------------

// Feedback watches joints that have one coordinate, and its times increase.
static hfStatus check_feedback(const hfBuilder* b, const hfActuatorDef* d, hfError* error) {
  hfiFeedback f;
  if (d->signal != HF_SIGNAL_FEEDBACK) return HF_OK;
  if (!hfi_feedback_parts(d->signal_data, d->signal_count, &f))
    return hfi_refuse_def(error, d->where, HF_OBJECT_ACTUATOR, d->name, "feedback: its %d numbers do not divide into a list of joints and whole rows; a row has t, y, and q_d, v_d, kp, kd of each joint", d->signal_count);
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

// A signal has as many numbers as it needs, and its times increase.
static hfStatus check_signal(const hfBuilder* b, const hfActuatorDef* d, hfError* error) {
  const hfObjectKind kind = HF_OBJECT_ACTUATOR;
  if (d->signal < HF_SIGNAL_NONE || d->signal > HF_SIGNAL_FEEDBACK)
    return hfi_refuse_def(error, d->where, kind, d->name, "there is no signal %d", d->signal);
  if (d->signal_count < hfi_signal_size(d->signal))
    return hfi_refuse_def(error, d->where, kind, d->name, "signal needs %d numbers, has %d", hfi_signal_size(d->signal), d->signal_count);
  if (!hfi_all_finite(d->signal_data, d->signal_count))
    return hfi_refuse_def(error, d->where, kind, d->name, "a number of its signal is not finite");
  if (d->signal == HF_SIGNAL_TABLE || d->signal == HF_SIGNAL_CYCLE)
    for (int i = 2; i + 1 < d->signal_count; i += 2)
      if (d->signal_data[i] <= d->signal_data[i - 2])
        return hfi_refuse_def(error, d->where, kind, d->name, "signal table: times must increase");
  return check_feedback(b, d, error);
}

// ---- actuators --------------------------------------------------------------------------------------

static hfStatus check_delay(const hfActuatorDef* d, hfError* error) {
  const hfObjectKind kind = HF_OBJECT_ACTUATOR;
  hfStatus status = hfi_check_samples(d->where, kind, d->name, d->delay, d->nsample, d->interp, error);
  if (status == HF_OK && d->delay > 0 && d->drive != HF_DRIVE_SERVO) status = hfi_refuse_def(error, d->where, kind, d->name, "a drive law has no delay");
  return status;
}

hfStatus hfi_check_actuator(const hfBuilder* b, const hfActuatorDef* d, hfError* error) {
  hfStatus status = check_transmission(b, d, error);
  if (status == HF_OK) status = check_numbers(d, error);
  if (status == HF_OK) status = check_signal(b, d, error);
  if (status == HF_OK) status = check_delay(d, error);
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
