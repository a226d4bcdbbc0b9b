// The rows and columns of activations in the Jacobian J of xdot = (v, vdot, actdot), x = (q, v, act)
// (accel_jacobian.c).
//
//   rows     d actdot/dx: of filters, muscles and integrators, and of the states of DC motors
//   columns  d vdot/dact = (KKT)^-1 m^T gain: the accelerations for a force `gain` along the moment row m of the actuator
//
// An actuator that is at a limit of force has no column.
#include "methods/continuous/inside.h"

#include "model/actuator.h"

#include <string.h>

static const double LEAST_TIME_CONSTANT = 1e-15; // A filter counts as at least this slow [s].

// J (n x n), row by row.
typedef struct Matrix {
  hfAccel* a;
  double* J;
  int n;
} Matrix;

// Entry of J: how the rate of a coordinate changes with another coordinate.
static double* entry(const Matrix* M, int row, int column) { return M->J + row * M->n + column; }

int hfi_accel_actuator_is_free(const hfAccel* a, int i) {
  const hfModel* m = a->model;
  const hfActuation* u = a->actuation;
  if (!hfi_actuator_acts(m, i)) return 0;

  // its own limit; the bounds of an orientation servo follow from the bound on the size of its torque
  const double* range = hf_model_actuator_forcerange(m) + 2 * i;
  int turns = hfi_is_orientation(m, i);
  double hi = turns ? u->drives.servo[i].hi : range[1];
  double lo = turns ? -hi : range[0];
  double f = u->force[i];
  if (hf_model_actuator_forcelimited(m)[i] && !hfi_is_motor(m, i) && (f <= lo || f >= hi)) return 0;

  // the limits of its joints
  for (int k = u->moments.start[i]; k < u->moments.start[i + 1]; ++k) {
    int dof = u->moments.dof[k];
    int j = hf_model_dof_jnt(m)[dof];
    const double* total = hf_model_jnt_actfrcrange(m) + 2 * j;
    if (!hf_model_jnt_actfrclimited(m)[j]) continue;
    if (u->joint_force[dof] <= total[0] || u->joint_force[dof] >= total[1]) return 0;
  }
  return 1;
}

// Writes the accelerations for a force `gain` along actuator i into a column.
static void store_gain(const Matrix* M, int i, double gain, int column) {
  hfAccel* a = M->a;
  const hfActuation* u = a->actuation;
  int nv = a->model->nv;
  double* x = a->slopes.column;
  double* lambda = a->equalities.lambda;

  memset(x, 0, (size_t)nv * sizeof *x);
  for (int k = u->moments.start[i]; k < u->moments.start[i + 1]; ++k)
    x[u->moments.dof[k]] += gain * u->moments.entry[k];
  memset(lambda, 0, (size_t)a->equalities.count * sizeof *lambda);
  hfi_accel_solve(a, x, lambda);
  for (int r = 0; r < nv; ++r) *entry(M, nv + r, column) = x[r];
}

// Adds to a row the derivatives of the rate of a state with length and velocity of actuator i.
static void add_rate(const Matrix* M, int i, hfiAffine slope, int row) {
  const hfActuation* u = M->a->actuation;
  for (int k = u->moments.start[i]; k < u->moments.start[i + 1]; ++k) {
    *entry(M, row, u->moments.dof[k]) += slope.length * u->moments.entry[k];
    *entry(M, row, M->a->model->nv + u->moments.dof[k]) += slope.velocity * u->moments.entry[k];
  }
}

// ---- DC motors --------------------------------------------------------------------------------------

// Writes rows and columns of the states of a DC motor. Their rates:
//
//   setpoint     follows the input, at most as fast as slewmax         integral     setpoint - length
//   temperature  by its own losses                                     bristle      by the velocity and itself
//   current      by length, velocity, setpoint, integral and itself
//
// The force depends on the setpoint and the integral (without a current), on the bristle and on the current.
static void store_motor(const Matrix* M, int i) {
  const hfModel* m = M->a->model;
  const hfActuation* u = M->a->actuation;
  hfiMotorSlopes slope = hfi_motor_slopes(u, i);
  int states = hf_model_actuator_states(m)[i];
  int acts = hfi_accel_actuator_is_free(M->a, i);

  // coordinates of the states, in the order of their bits
  int coordinate[HFI_MOTOR_STATES];
  for (int k = 0; k < HFI_MOTOR_STATES; ++k)
    coordinate[k] = 2 * m->nv + hf_model_actuator_actadr(m)[i] + hfi_motor_slot(states, 1 << k);
  int setpoint = coordinate[0];
  int integral = coordinate[1];
  int temperature = coordinate[2];
  int bristle = coordinate[3];
  int current = coordinate[4];

  if (states & HF_MOTOR_STATE_SETPOINT) {
    double slewmax = hf_model_actuator_motor(m)[HF_MOTOR_PARAMETERS * i + HF_MOTOR_SLEWMAX];
    *entry(M, setpoint, setpoint) = hfi_slew_slope(u, u->drives.motor[i].first_rate, slewmax);
    // It needs the position as the first input.
    if (states & HF_MOTOR_STATE_INTEGRAL) *entry(M, integral, setpoint) = 1;
    if (states & HF_MOTOR_STATE_CURRENT) *entry(M, current, setpoint) = slope.current_setpoint;
    if (acts && slope.force_setpoint != 0) store_gain(M, i, slope.force_setpoint, setpoint);
  }

  if (states & HF_MOTOR_STATE_INTEGRAL) {
    add_rate(M, i, (hfiAffine){0, -1, 0}, integral);
    if (acts && slope.force_integral != 0) store_gain(M, i, slope.force_integral, integral);
  }

  if (states & HF_MOTOR_STATE_TEMPERATURE) *entry(M, temperature, temperature) = slope.temperature_temperature;

  if (states & HF_MOTOR_STATE_BRISTLE) {
    add_rate(M, i, (hfiAffine){0, 0, slope.bristle_velocity}, bristle);
    *entry(M, bristle, bristle) = slope.bristle_bristle;
    if (acts) store_gain(M, i, slope.force_bristle, bristle);
  }

  if (states & HF_MOTOR_STATE_CURRENT) {
    add_rate(M, i, slope.current, current);
    *entry(M, current, current) = slope.current_current;
    if (states & HF_MOTOR_STATE_INTEGRAL) *entry(M, current, integral) = slope.current_integral;
    if (acts) store_gain(M, i, slope.force_current, current);
  }
}

// ---- other activations ------------------------------------------------------------------------------

// The time constant of a filter [s]. For a muscle it is the present one; its change with the activation is left out.
static double time_constant(const hfAccel* a, int i, int adr) {
  const double* dynprm = hf_model_actuator_dynprm(a->model) + 3 * i;
  if (hf_model_actuator_dyntype(a->model)[i] != HF_ACTIVATION_MUSCLE) return dynprm[0];
  double act = a->actuation->input[i];
  double target = act + a->actuation->rate[adr]; // a target on the side of the control
  return hfi_muscle_time(dynprm, target, act);
}

// Writes the derivative of the rate of actuator i's activation with the activation itself, or, for an integral of the
// error, with the length.
static void store_self_rate(const Matrix* M, int i, int adr, int row) {
  const hfActuation* u = M->a->actuation;
  switch (hf_model_actuator_dyntype(M->a->model)[i]) {
  case HF_ACTIVATION_INTEGRATOR:
    break;
  case HF_ACTIVATION_ERROR:
    add_rate(M, i, (hfiAffine){0, -1, 0}, row);
    break;
  case HF_ACTIVATION_SLEW:
    *entry(M, row, row) = hfi_slew_slope(u, u->rate[adr], hf_model_actuator_dynprm(M->a->model)[3 * i]);
    break;
  default:
    *entry(M, row, row) = -1 / max2(LEAST_TIME_CONSTANT, time_constant(M->a, i, adr));
  }
}

// The slope of the force of actuator i with its activation.
static double activation_gain(const hfAccel* a, int i) {
  const hfModel* m = a->model;
  const double* g = hf_model_actuator_gainprm(m) + 3 * i;
  if (hf_model_actuator_dyntype(m)[i] == HF_ACTIVATION_ERROR) return hf_model_actuator_dynprm(m)[3 * i];

  switch (hf_model_actuator_gaintype(m)[i]) {
  case HF_GAIN_MUSCLE:
    return hfi_muscle_gain(a->actuation, i);
  case HF_GAIN_AFFINE:
    return g[0] + (g[1] * a->actuation->length[i] + g[2] * a->actuation->velocity[i]);
  default:
    return g[0];
  }
}

void hfi_accel_activation_jacobian(hfAccel* a, int n, double* J) {
  const hfModel* m = a->model;
  Matrix M = {a, J, n};
  for (int i = 0; i < m->nu; ++i) {
    int adr = hf_model_actuator_actadr(m)[i];
    int coordinate = 2 * m->nv + adr;
    if (adr < 0 || !hfi_actuator_acts(m, i)) continue;
    if (hfi_is_motor(m, i)) {
      store_motor(&M, i);
      continue;
    }
    store_self_rate(&M, i, adr, coordinate);
    if (hfi_accel_actuator_is_free(a, i)) store_gain(&M, i, activation_gain(a, i), coordinate);
  }
}
