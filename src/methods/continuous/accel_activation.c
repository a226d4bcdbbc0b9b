// The rows and columns of activations in the Jacobian J of xdot = (v, vdot, actdot), x = (q, v, act)
// (accel_jacobian.c).
//
//   rows     d actdot/dx: of filters, muscles and integrators, and of the states of DC motors
//   columns  d vdot/dact = (KKT)^-1 m^T gain: the accelerations for a force `gain` along the actuator's moment row m
//
// An actuator that is at a limit of force has no column.
#include "methods/continuous/inside.h"

#include "model/actuator.h"

#include <string.h>

static const double LEAST_FILTER_TIME = 1e-15; // A filter counts as at least this slow [s].

// J (n x n), row by row.
typedef struct Matrix {
  hfAccel* accel;
  double* J;
  int n;
} Matrix;

// Entry of J: how the rate of a coordinate changes with another coordinate.
static double* entry(const Matrix* jacobian, int row, int column) { return jacobian->J + row * jacobian->n + column; }

// Whether actuator i acts, and neither it nor a joint that it drives is at a limit of force. Otherwise a change of its
// activation has no effect on the motion.
int hfi_accel_actuator_is_free(const hfAccel* accel, int i) {
  const hfModel* model = accel->model;
  const hfActuation* actuation = accel->actuation;
  if (!hfi_actuator_acts(model, i)) return 0;

  // its own limit; the bounds of an orientation servo follow from the bound on the size of its torque
  const double* range = hf_model_actuator_forcerange(model) + 2 * i;
  int turns = hfi_is_orientation(model, i);
  double hi = turns ? actuation->drives.servo[i].hi : range[1];
  double lo = turns ? -hi : range[0];
  double f = actuation->force[i];
  if (hf_model_actuator_forcelimited(model)[i] && !hfi_is_motor(model, i) && (f <= lo || f >= hi)) return 0;

  // the limits of its joints
  for (int k = actuation->moments.start[i]; k < actuation->moments.start[i + 1]; ++k) {
    int dof = actuation->moments.dof[k];
    int j = hf_model_dof_jnt(model)[dof];
    const double* total = hf_model_jnt_actfrcrange(model) + 2 * j; // bounds the sum of all actuators
    if (!hf_model_jnt_actfrclimited(model)[j]) continue;
    if (actuation->joint_force[dof] <= total[0] || actuation->joint_force[dof] >= total[1]) return 0;
  }
  return 1;
}

// Writes the accelerations for a force `gain` along actuator i into a column.
static void store_gain(const Matrix* jacobian, int i, double gain, int column) {
  hfAccel* accel = jacobian->accel;
  const hfActuation* actuation = accel->actuation;
  int nv = accel->model->nv;
  double* x = accel->slopes.column;
  double* lambda = accel->equalities.lambda;

  // the generalised force gain m^T
  memset(x, 0, (size_t)nv * sizeof *x);
  for (int k = actuation->moments.start[i]; k < actuation->moments.start[i + 1]; ++k)
    x[actuation->moments.dof[k]] += gain * actuation->moments.entry[k];

  // its accelerations
  memset(lambda, 0, (size_t)accel->equalities.count * sizeof *lambda);
  hfi_accel_solve(accel, x, lambda);
  for (int r = 0; r < nv; ++r) *entry(jacobian, nv + r, column) = x[r];
}

// Adds to a row the derivatives of the rate of a state with length and velocity of actuator i.
static void add_rate(const Matrix* jacobian, int i, hfiAffine slope, int row) {
  const hfActuation* actuation = jacobian->accel->actuation;
  int nv = jacobian->accel->model->nv;
  for (int k = actuation->moments.start[i]; k < actuation->moments.start[i + 1]; ++k) {
    int dof = actuation->moments.dof[k];
    *entry(jacobian, row, dof) += slope.length * actuation->moments.entry[k];
    *entry(jacobian, row, nv + dof) += slope.velocity * actuation->moments.entry[k];
  }
}

// ---- DC motors --------------------------------------------------------------------------------------

// Writes rows and columns of the states of a DC motor. The slopes are those of hfiMotorSlopes; length and velocity are
// the actuator's.
//
//   d setpoint'    = slew slope dsetpoint
//   d integral'    = dsetpoint - dlength
//   d temperature' = temperature_temperature dtemperature
//   d bristle'     = bristle_velocity dvelocity + bristle_bristle dbristle
//   d current'     = current.length dlength + current.velocity dvelocity
//                    + current_setpoint dsetpoint + current_integral dintegral + current_current dcurrent
//   d force        = force_setpoint dsetpoint + force_integral dintegral + force_bristle dbristle
//                    + force_current dcurrent, unless the actuator is at a limit of force
//
// A motor has only some of the states. The columns of the force are accelerations (store_gain).
static void store_motor(const Matrix* jacobian, int i) {
  const hfModel* model = jacobian->accel->model;
  const hfActuation* actuation = jacobian->accel->actuation;
  hfiMotorSlopes slope = hfi_motor_slopes(actuation, i);
  int states = hf_model_actuator_states(model)[i];
  int is_free = hfi_accel_actuator_is_free(jacobian->accel, i);

  // coordinates of the states in x, in the order of their bits; one that the motor lacks is not used
  int coordinate[HFI_MOTOR_STATES];
  for (int k = 0; k < HFI_MOTOR_STATES; ++k)
    coordinate[k] = 2 * model->nv + hf_model_actuator_actadr(model)[i] + hfi_motor_slot(states, 1 << k);
  int setpoint = coordinate[0];
  int integral = coordinate[1];
  int temperature = coordinate[2];
  int bristle = coordinate[3];
  int current = coordinate[4];

  if (states & HF_MOTOR_STATE_SETPOINT) {
    double slewmax = hf_model_actuator_motor(model)[HF_MOTOR_PARAMETERS * i + HF_MOTOR_SLEWMAX];
    *entry(jacobian, setpoint, setpoint) = hfi_slew_slope(actuation, actuation->drives.motor[i].first_rate, slewmax);
    if (states & HF_MOTOR_STATE_INTEGRAL) *entry(jacobian, integral, setpoint) = 1;
    if (states & HF_MOTOR_STATE_CURRENT) *entry(jacobian, current, setpoint) = slope.current_setpoint;
    if (is_free && slope.force_setpoint != 0) store_gain(jacobian, i, slope.force_setpoint, setpoint);
  }

  if (states & HF_MOTOR_STATE_INTEGRAL) {
    add_rate(jacobian, i, (hfiAffine){0, -1, 0}, integral);
    if (is_free && slope.force_integral != 0) store_gain(jacobian, i, slope.force_integral, integral);
  }

  if (states & HF_MOTOR_STATE_TEMPERATURE)
    *entry(jacobian, temperature, temperature) = slope.temperature_temperature;

  if (states & HF_MOTOR_STATE_BRISTLE) {
    add_rate(jacobian, i, (hfiAffine){0, 0, slope.bristle_velocity}, bristle);
    *entry(jacobian, bristle, bristle) = slope.bristle_bristle;
    if (is_free) store_gain(jacobian, i, slope.force_bristle, bristle);
  }

  if (states & HF_MOTOR_STATE_CURRENT) {
    add_rate(jacobian, i, slope.current, current);
    *entry(jacobian, current, current) = slope.current_current;
    if (states & HF_MOTOR_STATE_INTEGRAL) *entry(jacobian, current, integral) = slope.current_integral;
    if (is_free) store_gain(jacobian, i, slope.force_current, current);
  }
}

// ---- other activations ------------------------------------------------------------------------------

// The time constant of a filter [s]. For a muscle it is the present one; its change with the activation is left out.
static double find_time_constant(const hfAccel* accel, int i, int adr) {
  const double* dynprm = hf_model_actuator_dynprm(accel->model) + 3 * i;
  if (hf_model_actuator_dyntype(accel->model)[i] != HF_ACTIVATION_MUSCLE) return dynprm[0];

  double act = accel->actuation->input[i];
  double target = act + accel->actuation->rate[adr]; // a target on the side of the control
  return hfi_muscle_time(dynprm, target, act);
}

// Writes the derivative of the rate of actuator i's activation with the activation itself, or, for an integral of the
// error, with the length.
static void store_self_rate(const Matrix* jacobian, int i, int adr, int row) {
  const hfActuation* actuation = jacobian->accel->actuation;

  switch (hf_model_actuator_dyntype(jacobian->accel->model)[i]) {
  case HF_ACTIVATION_INTEGRATOR:
    break;
  case HF_ACTIVATION_ERROR:
    add_rate(jacobian, i, (hfiAffine){0, -1, 0}, row);
    break;
  case HF_ACTIVATION_SLEW: {
    double largest_rate = hf_model_actuator_dynprm(jacobian->accel->model)[3 * i];
    *entry(jacobian, row, row) = hfi_slew_slope(actuation, actuation->rate[adr], largest_rate);
    break;
  }
  default:
    *entry(jacobian, row, row) = -1 / max2(LEAST_FILTER_TIME, find_time_constant(jacobian->accel, i, adr));
  }
}

// The slope of the force of actuator i with its activation.
static double find_activation_gain(const hfAccel* accel, int i) {
  const hfModel* model = accel->model;
  const double* gain = hf_model_actuator_gainprm(model) + 3 * i;
  if (hf_model_actuator_dyntype(model)[i] == HF_ACTIVATION_ERROR) return hf_model_actuator_dynprm(model)[3 * i];

  switch (hf_model_actuator_gaintype(model)[i]) {
  case HF_GAIN_MUSCLE:
    return hfi_muscle_gain(accel->actuation, i);
  case HF_GAIN_AFFINE:
    return gain[0] + (gain[1] * accel->actuation->length[i] + gain[2] * accel->actuation->velocity[i]);
  default:
    return gain[0];
  }
}

// Writes the rows and columns of all activations to J (n x n), which are zero before.
void hfi_accel_fill_activations(hfAccel* accel, int n, double* J) {
  const hfModel* model = accel->model;
  Matrix jacobian = {accel, J, n};
  for (int i = 0; i < model->nu; ++i) {
    int adr = hf_model_actuator_actadr(model)[i];
    int coordinate = 2 * model->nv + adr;
    if (adr < 0 || !hfi_actuator_acts(model, i)) continue;

    if (hfi_is_motor(model, i)) {
      store_motor(&jacobian, i);
      continue;
    }

    store_self_rate(&jacobian, i, adr, coordinate);
    if (hfi_accel_actuator_is_free(accel, i)) store_gain(&jacobian, i, find_activation_gain(accel, i), coordinate);
  }
}
