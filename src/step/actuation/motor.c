// DC motors (docs/theory/motors.md). With the length l and velocity s of the actuator,
//
//   controller  tau = kp (u_pos - l) + kd (u_vel - s) + ki I + u_ff,   v = clamp(R0/K tau + K s, +-Vmax) + u_v,   Idot = u_pos - l
//   current     i = (v - K s)/R,  or with inductance  idot = clamp(((v - K s)/R - i)/t_e, +-rate)
//   heat        R = R0 (1 + alpha (T + T_ambient - T_ref)),   C Tdot = i^2 R - T/R_th
//   friction    zdot = s - a z,  a = sigma0 |s|/g,  g = F_C + (F_S - F_C) exp(-(s/v_S)^2)
//   force       clamp(K i, forcerange) + A sin(N l + phase) - sigma0 z - sigma1 zdot
//
// Over a step h all but the temperature is implicit in the velocity at its end: l = l0 + h s, the current follows its exponential, i1 = i + (1 -
// exp(-h/t_e)) ((v - K s)/R - i), and so do the bristles, at the rate a of the start of the step: z1 = e z + b s with e = exp(-a h), b = (1 - e)/a,
// within |sigma0 z1| <= g. At an instant, as in MuJoCo, the force of the current is that of the end of a step with these l and s, while the bristles
// are those of the start.
#include "step/actuation/inside.h"
#include "math/elementary.h"
#include "model/actuator.h"

// ---- controls that move at a bounded speed --------------------------------------------------------------

double hfi_slew_rate(const hfActuation* a, double difference, double fastest) {
  return clamp(difference / (a->h > 0 ? a->h : a->model->world.timestep), -fastest, fastest);
}

double hfi_slew_slope(const hfActuation* a, double rate, double fastest) {
  return fabs(rate) < fastest ? -1 / a->model->world.timestep : 0;
}

static const double LEAST = 1e-15; // Divisors are at least this, as in MuJoCo.

static const double* parameters(const hfActuation* a, int i) { return hf_model_actuator_motor(a->model) + HF_MOTOR_PARAMETERS * i; }

static double state_of(const hfActuation* a, int i, int state, const double* act) {
  int slot = hfi_motor_slot(hf_model_actuator_states(a->model)[i], state);
  return slot >= 0 && act ? act[hf_model_actuator_actadr(a->model)[i] + slot] : 0;
}

static int has_state(const hfActuation* a, int i, int state) { return (hf_model_actuator_states(a->model)[i] & state) != 0; }

static void set_rate(hfActuation* a, int i, int state, double rate) {
  int slot = hfi_motor_slot(hf_model_actuator_states(a->model)[i], state);
  if (slot >= 0) a->rate[hf_model_actuator_actadr(a->model)[i] + slot] = rate;
}

// ---- current ------------------------------------------------------------------------------------------

// The current (v - K s)/R that the voltage drives without inductance, linear about the present length and velocity. `bound` is the bound of the
// voltage if the voltage is within it, otherwise 0.
typedef struct Steady { hfiAffine i; double bound; } Steady;

static Steady steady_current(const hfActuation* a, int n, int implicit) {
  const double* p = parameters(a, n);
  const hfiMotor* m = &a->drives.motor[n];
  double R = m->resistance, K = p[HF_MOTOR_CONSTANT], h = implicit ? a->h : 0;
  Steady plain = {{m->voltage / R, 0, -K / R}, 0};
  if (!(hf_model_actuator_inputs(a->model)[n] & (HF_INPUT_POSITION | HF_INPUT_VELOCITY | HF_INPUT_TORQUE))) return plain;
  double ki = has_state(a, n, HF_MOTOR_STATE_INTEGRAL) ? p[HF_MOTOR_KI] : 0, Imax = p[HF_MOTOR_IMAX];
  double next = m->integral + h * (m->pos - a->length[n]);
  int held = implicit && Imax > 0 && fabs(next) >= Imax; // The integral is at its bound and no longer follows the length.
  double I = held ? clamp(next, -Imax, Imax) : m->integral + h * m->pos;
  double scale = p[HF_MOTOR_RESISTANCE] / max2(LEAST, K), kp = p[HF_MOTOR_KP] + (held ? 0 : h * ki), kd = p[HF_MOTOR_KD];
  hfiAffine tau = {p[HF_MOTOR_KP] * m->pos + kd * m->vel + ki * I + m->torque, -kp, -kd};
  double v = scale * (tau.constant + tau.length * a->length[n] + tau.velocity * a->velocity[n]) + K * a->velocity[n];
  if (p[HF_MOTOR_VMAX] > 0 && fabs(v) > p[HF_MOTOR_VMAX]) {
    plain.i.constant += copysign(p[HF_MOTOR_VMAX], v) / R;
    return plain;
  }
  Steady free = {{(scale * tau.constant + m->voltage) / R, scale * tau.length / R, scale * tau.velocity / R}, p[HF_MOTOR_VMAX]};
  return free;
}

static double at_present(const hfActuation* a, int n, hfiAffine f) { return f.constant + f.length * a->length[n] + f.velocity * a->velocity[n]; }

// The share of the difference from its steady value by which the current changes in a step: 1 without inductance.
static double current_share(const hfActuation* a, int n) {
  return has_state(a, n, HF_MOTOR_STATE_CURRENT) ? -hfi_expm1(-a->h / parameters(a, n)[HF_MOTOR_TIME_CONSTANT]) : 1;
}

// Bounds of a torque, each narrowed by the next.
static void narrow_bounds(hfiDrive* d, double lo, double hi) {
  d->lo = clamp(d->lo, lo, hi);
  d->hi = clamp(d->hi, lo, hi);
}

static void bound_torque(const hfActuation* a, int n, double share, double bound, hfiDrive* d) {
  const double *p = parameters(a, n), *range = hf_model_actuator_forcerange(a->model) + 2 * n;
  const hfiMotor* m = &a->drives.motor[n];
  double K = p[HF_MOTOR_CONSTANT], kept = K * (1 - share) * m->current, R = m->resistance;
  d->lo = -INFINITY, d->hi = INFINITY;
  if (bound > 0) { // The voltage stays within its bounds, at the speed of the start.
    double drop = m->voltage - K * a->velocity[n];
    narrow_bounds(d, kept + K * share * (drop - bound) / R, kept + K * share * (drop + bound) / R);
  }
  if (has_state(a, n, HF_MOTOR_STATE_CURRENT) && p[HF_MOTOR_CURRENT_RATE] > 0) {
    double way = p[HF_MOTOR_CURRENT_RATE] * p[HF_MOTOR_TIME_CONSTANT] * share;
    narrow_bounds(d, K * (m->current - way), K * (m->current + way));
  }
  if (hf_model_actuator_forcelimited(a->model)[n]) narrow_bounds(d, range[0], range[1]);
}

// The drive of a force that is linear in length and velocity. It is explicit at an instant, and if its slope would drive away from the target.
static hfiDrive make_drive(const hfActuation* a, int n, hfiAffine f, int implicit) {
  hfiDrive d = {f.constant + f.length * a->length[n], -(a->h * f.length + f.velocity), -INFINITY, INFINITY};
  if (!implicit || !(d.kappa > 0)) d.f0 += f.velocity * a->velocity[n], d.kappa = 0;
  return d;
}

static hfiDrive electric_drive(const hfActuation* a, int n, int implicit) {
  Steady steady = steady_current(a, n, implicit);
  double K = parameters(a, n)[HF_MOTOR_CONSTANT], share = current_share(a, n);
  hfiAffine torque = {K * ((1 - share) * a->drives.motor[n].current + share * steady.i.constant), K * share * steady.i.length, K * share * steady.i.velocity};
  hfiDrive d = make_drive(a, n, torque, implicit);
  bound_torque(a, n, share, steady.bound, &d);
  return d;
}

// ---- cogging and friction -----------------------------------------------------------------------------

static double stribeck(const double* p, double s) {
  double x = s / max2(LEAST, p[HF_MOTOR_STRIBECK]);
  return p[HF_MOTOR_COULOMB] + (p[HF_MOTOR_STATIC] - p[HF_MOTOR_COULOMB]) * hfi_exp(-x * x);
}

static hfiAffine cogging_force(const hfActuation* a, int n) {
  const double* p = parameters(a, n);
  double l = a->length[n], angle = p[HF_MOTOR_POLES] * l + p[HF_MOTOR_PHASE];
  hfiSine at = hfi_sine(angle);
  double slope = p[HF_MOTOR_COGGING] * p[HF_MOTOR_POLES] * at.cos;
  hfiAffine f = {p[HF_MOTOR_COGGING] * at.sin - slope * l, slope, 0};
  return p[HF_MOTOR_COGGING] == 0 ? (hfiAffine){0, 0, 0} : f;
}

// (1 - exp(-a h))/a
static double decay_time(double a, double h) { return a * h > LEAST ? -hfi_expm1(-a * h) / a : h; }

// The force -sigma0 z - sigma1 (s - a z) with the present bristles z, or over a step with z1 = e z + b s.
static hfiAffine bristle_force(const hfActuation* a, int n, int implicit) {
  const double* p = parameters(a, n);
  const hfiMotor* m = &a->drives.motor[n];
  double sigma0 = p[HF_MOTOR_BRISTLE_STIFFNESS], sigma1 = p[HF_MOTOR_BRISTLE_DAMPING], h = implicit ? a->h : 0;
  double e = hfi_exp(-m->decay * h), b = decay_time(m->decay, h);
  hfiAffine f = {-(sigma0 - sigma1 * m->decay) * e * m->bristle, 0, -sigma0 * b - sigma1 * e};
  return has_state(a, n, HF_MOTOR_STATE_BRISTLE) ? f : (hfiAffine){0, 0, 0};
}

// Over a step the friction of the bristles is bounded by g. Without the bound, bristles that start at rest would never let go, because their rate at
// the start is zero.
hfiMotorForce hfi_motor_force(const hfActuation* a, int n, int implicit) {
  const double* p = parameters(a, n);
  hfiAffine cog = cogging_force(a, n), drag = bristle_force(a, n, implicit);
  double middle = at_present(a, n, cog);
  drag.constant += cog.constant, drag.length += cog.length;
  hfiMotorForce f = {electric_drive(a, n, implicit), make_drive(a, n, drag, implicit)};
  if (!implicit || !has_state(a, n, HF_MOTOR_STATE_BRISTLE)) return f;
  double most = stribeck(p, a->velocity[n]) + p[HF_MOTOR_BRISTLE_DAMPING] * hfi_exp(-a->drives.motor[n].decay * a->h) * fabs(a->velocity[n]);
  f.drag.lo = middle - most, f.drag.hi = middle + most;
  return f;
}

// ---- states -------------------------------------------------------------------------------------------

// Reads the controls that are the inputs of motor n: its own and those of the next actuators.
static void read_inputs(hfActuation* a, int n, const double* act, const double* ctrl) {
  const double* p = parameters(a, n);
  hfiMotor* m = &a->drives.motor[n];
  double* to[] = {&m->pos, &m->vel, &m->torque, &m->voltage};
  int inputs = hf_model_actuator_inputs(a->model)[n], at = n;
  for (int k = 0; k < 4; ++k) {
    if (!(inputs >> k & 1)) continue;
    *to[k] = hfi_clamped_control(a->model, at, ctrl);
    if (at++ > n || !has_state(a, n, HF_MOTOR_STATE_SETPOINT)) continue;
    double now = state_of(a, n, HF_MOTOR_STATE_SETPOINT, act);
    m->first_rate = hfi_slew_rate(a, *to[k] - now, p[HF_MOTOR_SLEWMAX]);
    *to[k] = now + a->h * m->first_rate;
  }
}

// Rates of integral, bristles and current with this length and velocity.
static void set_rates(hfActuation* a, int n, double length, double velocity, int implicit) {
  const double* p = parameters(a, n);
  const hfiMotor* m = &a->drives.motor[n];
  double error = m->pos - length, Imax = p[HF_MOTOR_IMAX];
  int held = Imax > 0 && fabs(m->integral) >= Imax && error * m->integral > 0;
  set_rate(a, n, HF_MOTOR_STATE_INTEGRAL, held ? 0 : error);
  set_rate(a, n, HF_MOTOR_STATE_BRISTLE, velocity - m->decay * m->bristle);
  if (!has_state(a, n, HF_MOTOR_STATE_CURRENT)) return;
  hfiAffine i = steady_current(a, n, implicit).i;
  double rate = (i.constant + i.length * length + i.velocity * velocity - m->current) / p[HF_MOTOR_TIME_CONSTANT], most = p[HF_MOTOR_CURRENT_RATE];
  set_rate(a, n, HF_MOTOR_STATE_CURRENT, most > 0 ? clamp(rate, -most, most) : rate);
}

void hfi_update_motor(hfActuation* a, int n, const double* act, const double* ctrl) {
  const double* p = parameters(a, n);
  hfiMotor* m = &a->drives.motor[n];
  double T = state_of(a, n, HF_MOTOR_STATE_TEMPERATURE, act), s = a->velocity[n];
  *m = (hfiMotor){.integral = state_of(a, n, HF_MOTOR_STATE_INTEGRAL, act), .current = state_of(a, n, HF_MOTOR_STATE_CURRENT, act),
                  .bristle = state_of(a, n, HF_MOTOR_STATE_BRISTLE, act), .resistance = p[HF_MOTOR_RESISTANCE]};
  if (has_state(a, n, HF_MOTOR_STATE_TEMPERATURE)) m->resistance *= 1 + p[HF_MOTOR_TEMPCOEF] * (T + p[HF_MOTOR_AMBIENT] - p[HF_MOTOR_REFTEMP]);
  m->resistance = max2(LEAST, m->resistance);
  if (has_state(a, n, HF_MOTOR_STATE_BRISTLE)) m->decay = p[HF_MOTOR_BRISTLE_STIFFNESS] * fabs(s) / max2(LEAST, stribeck(p, s));
  read_inputs(a, n, act, ctrl);
  if (!hfi_actuator_acts(a->model, n)) {
    for (int k = 0; k < HFI_MOTOR_STATES; ++k) set_rate(a, n, 1 << k, 0);
    return;
  }
  set_rate(a, n, HF_MOTOR_STATE_SETPOINT, m->first_rate);
  double i = has_state(a, n, HF_MOTOR_STATE_CURRENT) ? m->current : at_present(a, n, steady_current(a, n, 0).i);
  if (has_state(a, n, HF_MOTOR_STATE_TEMPERATURE))
    set_rate(a, n, HF_MOTOR_STATE_TEMPERATURE, (i * i * m->resistance - T / p[HF_MOTOR_THERMAL_RESISTANCE]) / max2(LEAST, p[HF_MOTOR_THERMAL_CAPACITY]));
  set_rates(a, n, a->length[n], s, 0);
}

// The rate of the bristles, bounded so that they do not bend further than they can.
static double bounded_bristle_rate(const hfActuation* a, int n, double rate) {
  const double* p = parameters(a, n);
  double z = a->drives.motor[n].bristle, span = decay_time(a->drives.motor[n].decay, a->h), most = max2(fabs(z), stribeck(p, a->velocity[n]) / p[HF_MOTOR_BRISTLE_STIFFNESS]);
  return span > 0 ? (clamp(z + span * rate, -most, most) - z) / span : rate;
}

void hfi_motor_end(hfActuation* a, int n, double velocity) {
  set_rates(a, n, a->length[n] + a->h * velocity, velocity, 1);
  if (has_state(a, n, HF_MOTOR_STATE_BRISTLE)) set_rate(a, n, HF_MOTOR_STATE_BRISTLE, bounded_bristle_rate(a, n, velocity - a->drives.motor[n].decay * a->drives.motor[n].bristle));
}

void hfi_motor_advance(const hfActuation* a, int n, double* act, double h) {
  const double* p = parameters(a, n);
  int states = hf_model_actuator_states(a->model)[n], adr = hf_model_actuator_actadr(a->model)[n];
  for (int k = 0; k < HFI_MOTOR_STATES; ++k) {
    int slot = hfi_motor_slot(states, 1 << k);
    if (slot < 0) continue;
    double* x = act + adr + slot;
    double span = 1 << k == HF_MOTOR_STATE_CURRENT   ? -p[HF_MOTOR_TIME_CONSTANT] * hfi_expm1(-h / p[HF_MOTOR_TIME_CONSTANT])
                  : 1 << k == HF_MOTOR_STATE_BRISTLE ? decay_time(a->drives.motor[n].decay, h)
                                               : h;
    *x += span * a->rate[adr + slot];
    if (1 << k == HF_MOTOR_STATE_INTEGRAL && p[HF_MOTOR_IMAX] > 0) *x = clamp(*x, -p[HF_MOTOR_IMAX], p[HF_MOTOR_IMAX]);
  }
}

// ---- derivatives --------------------------------------------------------------------------------------

hfiMotorSlopes hfi_motor_slopes(const hfActuation* a, int n) {
  const double* p = parameters(a, n);
  const hfiMotor* m = &a->drives.motor[n];
  hfiMotorSlopes x = {.force = cogging_force(a, n)};
  Steady steady = steady_current(a, n, 0);
  double K = p[HF_MOTOR_CONSTANT], te = p[HF_MOTOR_TIME_CONSTANT], s = a->velocity[n];
  int coil = has_state(a, n, HF_MOTOR_STATE_CURRENT), controlled = steady.i.velocity != -K / m->resistance || steady.i.length != 0;
  hfiDrive d = electric_drive(a, n, 0);
  int free = d.f0 > d.lo && d.f0 < d.hi;
  int inputs = hf_model_actuator_inputs(a->model)[n];
  double by_torque = controlled ? p[HF_MOTOR_RESISTANCE] / (max2(LEAST, K) * m->resistance) : 0; // slopes of the steady current
  double by_integral = has_state(a, n, HF_MOTOR_STATE_INTEGRAL) ? by_torque * p[HF_MOTOR_KI] : 0;
  double by_setpoint = by_torque * (inputs & HF_INPUT_POSITION ? p[HF_MOTOR_KP] : inputs & HF_INPUT_VELOCITY ? p[HF_MOTOR_KD] : 1);
  if (!coil && free) {
    x.force.length += K * steady.i.length, x.force.velocity += K * steady.i.velocity;
    x.force_integral = K * by_integral, x.force_setpoint = K * by_setpoint;
  }
  if (coil) {
    double rate = (at_present(a, n, steady.i) - m->current) / te, most = p[HF_MOTOR_CURRENT_RATE];
    int moves = !(most > 0) || fabs(rate) < most;
    x.force_current = free ? K : 0;
    if (moves) x.current = (hfiAffine){0, steady.i.length / te, steady.i.velocity / te}, x.current_current = -1 / te, x.current_integral = by_integral / te, x.current_setpoint = by_setpoint / te;
  }
  if (has_state(a, n, HF_MOTOR_STATE_BRISTLE)) { // The change of g with the speed is left out.
    double sigma0 = p[HF_MOTOR_BRISTLE_STIFFNESS], sigma1 = p[HF_MOTOR_BRISTLE_DAMPING];
    x.bristle_velocity = 1 - (s == 0 ? 0 : copysign(sigma0 / max2(LEAST, stribeck(p, s)), s)) * m->bristle;
    x.bristle_bristle = -m->decay;
    x.force.velocity -= sigma1 * x.bristle_velocity;
    x.force_bristle = -(sigma0 - sigma1 * m->decay);
  }
  if (has_state(a, n, HF_MOTOR_STATE_TEMPERATURE)) x.temperature_temperature = -1 / (p[HF_MOTOR_THERMAL_RESISTANCE] * max2(LEAST, p[HF_MOTOR_THERMAL_CAPACITY]));
  x.integrates = has_state(a, n, HF_MOTOR_STATE_INTEGRAL);
  return x;
}
