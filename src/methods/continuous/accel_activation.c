// The rows and columns of activations in the Jacobian J of xdot = (v, vdot, actdot), x = (q, v, act) (accel_jacobian.c).
//
//   rows     d actdot/dx: of filters, muscles and integrators, and of the states of DC motors
//   columns  d vdot/dact = (KKT)^-1 m^T gain: the accelerations for a force `gain` along the moment row m of the actuator
//
// An actuator that is at a limit of force has no column.
#include "methods/continuous/accel.h"

#include "model/actuator.h"

#include <string.h>

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
  const double *range = hf_model_actuator_forcerange(m) + 2 * i, f = a->actuation->force[i];
  int turns = hfi_is_orientation(m, i); // The bounds of an orientation servo follow from the bound on the size of its torque.
  double hi = turns ? a->actuation->servo[i].hi : range[1], lo = turns ? -hi : range[0];
  if (!hfi_actuator_acts(m, i) || (hf_model_actuator_forcelimited(m)[i] && !hfi_is_motor(m, i) && (f <= lo || f >= hi))) return 0;
  for (int k = a->actuation->moment_start[i]; k < a->actuation->moment_start[i + 1]; ++k) {
    int dof = a->actuation->moment_dof[k], j = hf_model_dof_jnt(m)[dof];
    const double* total = hf_model_jnt_actfrcrange(m) + 2 * j;
    if (!hf_model_jnt_actfrclimited(m)[j]) continue;
    if (a->actuation->joint_force[dof] <= total[0] || a->actuation->joint_force[dof] >= total[1]) return 0;
  }
  return 1;
}

// Writes the accelerations for a force `gain` along actuator i into a column.
static void store_gain(const Matrix* M, int i, double gain, int column) {
  hfAccel* a = M->a;
  const hfActuation* u = a->actuation;
  int nv = a->model->nv;
  memset(a->column, 0, (size_t)nv * sizeof *a->column);
  for (int k = u->moment_start[i]; k < u->moment_start[i + 1]; ++k) a->column[u->moment_dof[k]] += gain * u->moment[k];
  memset(a->lambda, 0, (size_t)a->nequality * sizeof *a->lambda);
  hfi_accel_solve(a, a->column, a->lambda);
  for (int r = 0; r < nv; ++r) *entry(M, nv + r, column) = a->column[r];
}

// Adds to a row the derivatives of the rate of a state with length and velocity of actuator i.
static void add_rate(const Matrix* M, int i, hfiAffine slope, int row) {
  const hfActuation* u = M->a->actuation;
  for (int k = u->moment_start[i]; k < u->moment_start[i + 1]; ++k) {
    *entry(M, row, u->moment_dof[k]) += slope.length * u->moment[k];
    *entry(M, row, M->a->model->nv + u->moment_dof[k]) += slope.velocity * u->moment[k];
  }
}

// ---- DC motors --------------------------------------------------------------------------------------

// Writes rows and columns of the states of a DC motor.
static void store_motor(const Matrix* M, int i) {
  const hfModel* m = M->a->model;
  const hfActuation* u = M->a->actuation;
  hfiMotorSlopes x = hfi_motor_slopes(u, i);
  int at[HFI_MOTOR_STATES], states = hf_model_actuator_states(m)[i], acts = hfi_accel_actuator_is_free(M->a, i);
  for (int k = 0; k < HFI_MOTOR_STATES; ++k) at[k] = 2 * m->nv + hf_model_actuator_actadr(m)[i] + hfi_motor_slot(states, 1 << k);
  int setpoint = at[0], integral = at[1], temperature = at[2], bristle = at[3], current = at[4];
  if (states & HF_MOTOR_STATE_SETPOINT) {
    *entry(M, setpoint, setpoint) = hfi_slew_slope(u, u->motor[i].first_rate, hf_model_actuator_motor(m)[HF_MOTOR_PARAMETERS * i + HF_MOTOR_SLEWMAX]);
    if (states & HF_MOTOR_STATE_INTEGRAL) *entry(M, integral, setpoint) = 1; // It needs the position as the first input.
    if (states & HF_MOTOR_STATE_CURRENT) *entry(M, current, setpoint) = x.current_setpoint;
    if (acts && x.force_setpoint != 0) store_gain(M, i, x.force_setpoint, setpoint);
  }
  if (states & HF_MOTOR_STATE_INTEGRAL) {
    add_rate(M, i, (hfiAffine){0, -1, 0}, integral);
    if (acts && x.force_integral != 0) store_gain(M, i, x.force_integral, integral);
  }
  if (states & HF_MOTOR_STATE_TEMPERATURE) *entry(M, temperature, temperature) = x.temperature_temperature;
  if (states & HF_MOTOR_STATE_BRISTLE) {
    add_rate(M, i, (hfiAffine){0, 0, x.bristle_velocity}, bristle);
    *entry(M, bristle, bristle) = x.bristle_bristle;
    if (acts) store_gain(M, i, x.force_bristle, bristle);
  }
  if (states & HF_MOTOR_STATE_CURRENT) {
    add_rate(M, i, x.current, current);
    *entry(M, current, current) = x.current_current;
    if (states & HF_MOTOR_STATE_INTEGRAL) *entry(M, current, integral) = x.current_integral;
    if (acts) store_gain(M, i, x.force_current, current);
  }
}

// ---- other activations ------------------------------------------------------------------------------

// The time constant of a filter. For a muscle it is the present one; its change with the activation is left out.
static double time_constant(const hfAccel* a, int i, int adr) {
  const double* dynprm = hf_model_actuator_dynprm(a->model) + 3 * i;
  if (hf_model_actuator_dyntype(a->model)[i] != HF_ACTIVATION_MUSCLE) return dynprm[0];
  double act = a->actuation->input[i], target = act + a->actuation->rate[adr]; // a target on the side of the control
  return hfi_muscle_time(dynprm, target, act);
}

// Writes the derivative of the rate of actuator i's activation with the activation itself, or, for an integral of the error, with the length.
static void store_own_rate(const Matrix* M, int i, int adr, int row) {
  const hfActuation* u = M->a->actuation;
  switch (hf_model_actuator_dyntype(M->a->model)[i]) {
  case HF_ACTIVATION_INTEGRATOR: break;
  case HF_ACTIVATION_ERROR: add_rate(M, i, (hfiAffine){0, -1, 0}, row); break;
  case HF_ACTIVATION_SLEW: *entry(M, row, row) = hfi_slew_slope(u, u->rate[adr], hf_model_actuator_dynprm(M->a->model)[3 * i]); break;
  default: *entry(M, row, row) = -1 / max2(1e-15, time_constant(M->a, i, adr));
  }
}

// The slope of the force of actuator i with its activation.
static double activation_gain(const hfAccel* a, int i) {
  const hfModel* m = a->model;
  const double* g = hf_model_actuator_gainprm(m) + 3 * i;
  if (hf_model_actuator_dyntype(m)[i] == HF_ACTIVATION_ERROR) return hf_model_actuator_dynprm(m)[3 * i];
  switch (hf_model_actuator_gaintype(m)[i]) {
  case HF_GAIN_MUSCLE: return hfi_muscle_gain(a->actuation, i);
  case HF_GAIN_AFFINE: return g[0] + (g[1] * a->actuation->length[i] + g[2] * a->actuation->velocity[i]);
  default: return g[0];
  }
}

void hfi_accel_activation_jacobian(hfAccel* a, int n, double* J) {
  const hfModel* m = a->model;
  Matrix M = {a, J, n};
  for (int i = 0; i < m->nu; ++i) {
    int adr = hf_model_actuator_actadr(m)[i], at = 2 * m->nv + adr;
    if (adr < 0 || !hfi_actuator_acts(m, i)) continue;
    if (hfi_is_motor(m, i)) {
      store_motor(&M, i);
      continue;
    }
    store_own_rate(&M, i, adr, at);
    if (hfi_accel_actuator_is_free(a, i)) store_gain(&M, i, activation_gain(a, i), at);
  }
}
