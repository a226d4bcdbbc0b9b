// Adding actuators: their transmission, force law, activation, signal and delay are checked one after the other.
#include "build/inside.h"

#include "base/error.h"

static const hfObjectKind KIND = HF_OBJECT_ACTUATOR;

// Refuses a transmission that does not exist or lacks what it needs.
static hfStatus check_transmission(const hfActuatorDef* d, hfError* error) {
  if (d->trntype < HF_TRANSMISSION_JOINT || d->trntype > HF_TRANSMISSION_SLIDER_CRANK)
    return HFI_REFUSE(d, KIND, "transmission %d does not exist", d->trntype);
  if (d->trntype != HF_TRANSMISSION_SLIDER_CRANK) return HF_OK;

  if (d->trnid[1] < 0 || !(d->cranklength > 0 && isfinite(d->cranklength)))
    return HFI_REFUSE(d, KIND, "a slider-crank needs the site of its slider and a positive cranklength");
  return HF_OK;
}

// Refuses numbers that are not finite, and ranges that are empty.
static hfStatus check_numbers(const hfActuatorDef* d, hfError* error) {
  const hfiNumbers numbers[] = {
      HFI_NUMBERS(d, dynprm),  HFI_NUMBERS(d, gainprm),     HFI_NUMBERS(d, biasprm),  HFI_NUMBERS(d, muscle),
      HFI_NUMBERS(d, passive), HFI_NUMBERS(d, lengthrange), HFI_NUMBERS(d, motor),    HFI_NUMBERS(d, gear),
      HFI_NUMBERS(d, dampratio), HFI_NUMBERS(d, cranklength), HFI_RANGE(d, ctrlrange), HFI_RANGE(d, forcerange),
      HFI_RANGE(d, actrange)};
  return HFI_CHECK_NUMBERS(numbers, d, KIND, error);
}

// ---- force laws ------------------------------------------------------------------------------------

// Refuses laws that do not exist, and inputs of an actuator that can have none.
static hfStatus check_laws(const hfActuatorDef* d, hfError* error) {
  if (d->gaintype < HF_GAIN_FIXED || d->gaintype > HF_GAIN_ORIENTATION || d->biastype < HF_BIAS_NONE ||
      d->biastype > HF_BIAS_MUSCLE)
    return HFI_REFUSE(d, KIND, "gain %d or bias %d does not exist", d->gaintype, d->biastype);
  if (d->dyntype < HF_ACTIVATION_NONE || d->dyntype > HF_ACTIVATION_MOTOR)
    return HFI_REFUSE(d, KIND, "activation %d does not exist", d->dyntype);
  if (d->inputs != 0 && d->gaintype != HF_GAIN_MOTOR && d->gaintype != HF_GAIN_ORIENTATION)
    return HFI_REFUSE(d, KIND, "inputs %d: only a DC motor or an orientation servo has inputs", d->inputs);

  return HF_OK;
}

// Refuses a drive law that does not exist, or that this actuator cannot have.
static hfStatus check_drive(const hfBuilder* b, const hfActuatorDef* d, hfError* error) {
  if (d->drive < HF_DRIVE_SERVO || d->drive > HF_DRIVE_COMPUTED_TORQUE)
    return HFI_REFUSE(d, KIND, "drive law %d does not exist", d->drive);
  if (d->drive == HF_DRIVE_SERVO) return HF_OK;

  if (!hfi_is_servo(d->gaintype, d->biastype, d->biasprm))
    return HFI_REFUSE(d, KIND, "only position and velocity servos can be driven by inverse dynamics");

  int on_scalar_joint = d->trntype == HF_TRANSMISSION_JOINT && hfi_joint_is_scalar(b->joint.data[d->trnid[0]].type);
  if (d->drive == HF_DRIVE_COMPUTED_TORQUE && !(on_scalar_joint && d->gear[0] != 0))
    return HFI_REFUSE(d, KIND, "computed torque needs a hinge or slide joint");
  if (d->delay > 0) return HFI_REFUSE(d, KIND, "a drive law has no delay");

  return HF_OK;
}

const double* hfi_passive_muscle(const hfActuatorDef* d) {
  return hfi_any_nonzero(d->passive, 9) ? d->passive : d->muscle;
}

// Refuses curves of a muscle that cannot be computed. p: the nine numbers of hfActuatorDef.muscle.
// is_active: 1 for its active force, which also needs vmax > 0 and fvmax >= 1.
static hfStatus check_curves(const hfActuatorDef* d, const double p[9], int is_active, hfError* error) {
  const double* length = d->lengthrange;
  double lmin = p[4];
  double lmax = p[5];
  double vmax = p[6];
  double fvmax = p[8];

  if (!(p[0] < p[1]) || !(length[0] < length[1]))
    return HFI_REFUSE(d, KIND, "a muscle needs a range and a lengthrange that are not empty: [%g, %g] and [%g, %g]",
                      p[0], p[1], length[0], length[1]);
  if (p[2] < 0 && d->trntype == HF_TRANSMISSION_BODY)
    return HFI_REFUSE(d, KIND, "a muscle on a body needs its peak force");
  if (!(lmin < 1 && lmax > 1) || (is_active && !(vmax > 0 && fvmax >= 1)))
    return HFI_REFUSE(d, KIND, "a muscle needs lmin < 1 < lmax, vmax > 0 and fvmax >= 1: they are %g, %g, %g, %g", lmin,
                      lmax, vmax, fvmax);

  return HF_OK;
}

// Checks the curves that the actuator uses.
static hfStatus check_muscle(const hfActuatorDef* d, hfError* error) {
  hfStatus status = HF_OK;
  if (d->gaintype == HF_GAIN_MUSCLE) status = check_curves(d, d->muscle, 1, error);
  if (status == HF_OK && d->biastype == HF_BIAS_MUSCLE) status = check_curves(d, hfi_passive_muscle(d), 0, error);
  return status;
}

// May a parameter of a DC motor (hfMotorParameter) be negative?
static int may_be_negative(int parameter) {
  switch (parameter) {
  case HF_MOTOR_TEMPCOEF:
  case HF_MOTOR_REFTEMP:
  case HF_MOTOR_AMBIENT:
  case HF_MOTOR_COGGING:
  case HF_MOTOR_PHASE:
  case HF_MOTOR_POLES:
    return 1;
  default:
    return 0;
  }
}

// Checks a DC motor: it has a resistance, a constant, and a controller only if its inputs use one. Refuses the states
// of a motor in other actuators.
static hfStatus check_motor(const hfActuatorDef* d, hfError* error) {
  const double* p = d->motor;
  if (d->gaintype != HF_GAIN_MOTOR) {
    if (d->dyntype == HF_ACTIVATION_MOTOR) return HFI_REFUSE(d, KIND, "only a DC motor has the states of one");
    return HF_OK;
  }

  for (int k = 0; k < HF_MOTOR_PARAMETERS; ++k)
    if (p[k] < 0 && !may_be_negative(k)) return HFI_REFUSE(d, KIND, "a parameter of the motor is negative: %g", p[k]);

  int states = hfi_motor_states(p);
  if (!(p[HF_MOTOR_RESISTANCE] > 0)) return HFI_REFUSE(d, KIND, "the resistance of a motor must be positive");
  if (!(p[HF_MOTOR_CONSTANT] > 0) && d->inputs)
    return HFI_REFUSE(d, KIND, "the constant of a motor with inputs must be positive");
  if (states & HF_MOTOR_STATE_TEMPERATURE && !(p[HF_MOTOR_THERMAL_CAPACITY] > 0))
    return HFI_REFUSE(d, KIND, "a motor that gets warm needs a positive thermal capacity");

  // inputs are bits; HF_INPUT_VOLTAGE is the last of a motor
  if (d->inputs < 0 || d->inputs >= 2 * HF_INPUT_VOLTAGE)
    return HFI_REFUSE(d, KIND, "inputs %d do not exist", d->inputs);

  int is_controlled = d->inputs & (HF_INPUT_POSITION | HF_INPUT_VELOCITY | HF_INPUT_TORQUE);
  int has_controller =
      p[HF_MOTOR_KP] > 0 || p[HF_MOTOR_KI] > 0 || p[HF_MOTOR_KD] > 0 || p[HF_MOTOR_SLEWMAX] > 0;
  if (has_controller && !is_controlled)
    return HFI_REFUSE(d, KIND, "the controller of a motor needs the input pos, vel or ff");
  if (p[HF_MOTOR_KI] > 0 && !(d->inputs & HF_INPUT_POSITION)) return HFI_REFUSE(d, KIND, "ki needs the input pos");

  hfActivation needed = states ? HF_ACTIVATION_MOTOR : HF_ACTIVATION_NONE;
  if (d->biastype != HF_BIAS_NONE || d->dyntype != (int32_t)needed)
    return HFI_REFUSE(d, KIND, "a motor must have no bias, and the dynamics HF_ACTIVATION_MOTOR if it has states, "
                               "otherwise no dynamics");

  return HF_OK;
}

// Checks an actuator of an orientation servo, which has one gain, aims at its controls or their integrals, and has a
// bound on the size of its torque. hf_builder_finish checks that it has all its actuators.
static hfStatus check_orientation(const hfActuatorDef* d, hfError* error) {
  if (d->gaintype != HF_GAIN_ORIENTATION) return HF_OK;

  int n = hfi_orientation_count(d->inputs); // actuators of the servo that begins here; 0: none begins
  int is_later = d->inputs == HF_INPUT_X || d->inputs == HF_INPUT_Y || d->inputs == HF_INPUT_Z;
  if (!n && !is_later) return HFI_REFUSE(d, KIND, "inputs %d of an orientation servo do not exist", d->inputs);

  if (d->biastype != HF_BIAS_AFFINE || d->biasprm[0] != 0 || d->biasprm[1] != -d->gainprm[0])
    return HFI_REFUSE(d, KIND,
                      "the bias of an orientation servo must be affine with the parameters 0, -kp, -kv, where kp is "
                      "its gain");

  // four actuators give a quaternion, which cannot be integrated number by number
  int integrates = d->dyntype == HF_ACTIVATION_INTEGRATOR && n != 4;
  if (d->dyntype != HF_ACTIVATION_NONE && !integrates)
    return HFI_REFUSE(d, KIND,
                      "an orientation servo can have an activation only as an integrator, and only if its inputs are a "
                      "rotation vector");
  if (d->forcelimited && d->forcerange[0] != 0)
    return HFI_REFUSE(d, KIND, "forcerange bounds the size of the torque: it begins at 0, not at %g", d->forcerange[0]);
  if (d->forcerange[1] < 0)
    return HFI_REFUSE(d, KIND, "forcerange bounds the size of the torque, so that it cannot end at %g",
                      d->forcerange[1]);

  return HF_OK;
}

// ---- signals ---------------------------------------------------------------------------------------

// Checks that feedback watches joints with one coordinate, and that its times increase.
static hfStatus check_feedback(const hfBuilder* b, const hfActuatorDef* d, hfError* error) {
  hfiFeedback f;
  if (!hfi_feedback_parts(d->signal_data, d->signal_count, &f))
    return HFI_REFUSE(d, KIND,
                      "feedback: its %d numbers do not divide into a list of joints and whole rows; a row has t, y, "
                      "and q_d, v_d, kp, kd of each joint", d->signal_count);

  for (int i = 0; i < f.njoint; ++i) {
    double id = f.joint[i];
    int exists = id >= 0 && id < b->joint.count && id == floor(id);
    if (!exists || !hfi_joint_is_scalar(b->joint.data[(int)id].type))
      return HFI_REFUSE(d, KIND, "feedback: joint %d of %d is no hinge or slide", i + 1, f.njoint);
  }

  for (int i = 1; i < f.nrow; ++i)
    if (f.rows[i * f.width] <= f.rows[(i - 1) * f.width]) return HFI_REFUSE(d, KIND, "feedback: times must increase");
  return HF_OK;
}

// Checks that a signal exists and has as many numbers as it needs, and that its times increase.
static hfStatus check_signal(const hfBuilder* b, const hfActuatorDef* d, hfError* error) {
  if (d->signal < HF_SIGNAL_NONE || d->signal > HF_SIGNAL_FEEDBACK)
    return HFI_REFUSE(d, KIND, "there is no signal %d", d->signal);
  if (d->signal_count < hfi_signal_size(d->signal))
    return HFI_REFUSE(d, KIND, "signal needs %d numbers, has %d", hfi_signal_size(d->signal), d->signal_count);
  if (d->signal_count > HFI_MOST_OBJECTS)
    return HFI_REFUSE(d, KIND, "signal has more than %d numbers", HFI_MOST_OBJECTS);
  if (d->signal_count > 0 && !d->signal_data) return HFI_REFUSE(d, KIND, "signal lacks its numbers");
  if (!hfi_all_finite(d->signal_data, d->signal_count))
    return HFI_REFUSE(d, KIND, "a number of its signal is not finite");

  int is_table = d->signal == HF_SIGNAL_TABLE || d->signal == HF_SIGNAL_CYCLE;
  for (int i = 2; is_table && i + 1 < d->signal_count; i += 2)
    if (d->signal_data[i] <= d->signal_data[i - 2]) return HFI_REFUSE(d, KIND, "signal table: times must increase");
  return d->signal == HF_SIGNAL_FEEDBACK ? check_feedback(b, d, error) : HF_OK;
}

// ---- actuators -------------------------------------------------------------------------------------

// Checks an actuator. Later checks rely on earlier ones.
hfStatus hfi_check_actuator(const hfBuilder* b, void* def, hfError* error) {
  const hfActuatorDef* d = def;
  hfStatus status = check_transmission(d, error);
  if (status == HF_OK) status = check_numbers(d, error);
  if (status == HF_OK) status = check_signal(b, d, error);
  if (status == HF_OK) status = hfi_check_samples(def, KIND, d->delay, d->nsample, d->interp, error);
  if (status == HF_OK) status = check_laws(d, error);
  if (status == HF_OK) status = check_muscle(d, error);
  if (status == HF_OK) status = check_motor(d, error);
  if (status == HF_OK) status = check_orientation(d, error);

  return status == HF_OK ? check_drive(b, d, error) : status;
}

hfStatus hfi_own_actuator(hfBuilder* b, void* def, hfError* error) {
  hfActuatorDef* d = def;
  d->signal_data = hfi_pool_copy(&b->pool, d->signal_data, sizeof *d->signal_data * (size_t)d->signal_count);
  return d->signal_data ? HF_OK : hfi_refuse_memory(error);
}
