// DC motors (docs/theory/motors.md). With the length l and velocity s of the actuator,
//
//   controller  tau = kp (u_pos - l) + kd (u_vel - s) + ki I + u_ff,   Idot = u_pos - l
//   voltage     v = clamp(R0/K tau + K s, +-Vmax) + u_v
//   current     i = (v - K s)/R,  or with inductance  idot = clamp(((v - K s)/R - i)/t_e, +-rate)
//   heat        R = R0 (1 + alpha (T + T_ambient - T_ref)),   C Tdot = i^2 R - T/R_th
//   friction    zdot = s - a z,  a = sigma0 |s|/g,  g = F_C + (F_S - F_C) exp(-(s/v_S)^2)
//   force       clamp(K i, forcerange) + A sin(N l + phase) - sigma0 z - sigma1 zdot
//
// Over a step h all but the temperature is implicit in the velocity at its end: l = l0 + h s, the current follows its
// exponential, i1 = i + (1 - exp(-h/t_e)) ((v - K s)/R - i), and so do the bristles, at the rate a of the start of the
// step: z1 = e z + b s with e = exp(-a h), b = (1 - e)/a, within |sigma0 z1| <= g. At an instant, as in MuJoCo, the
// force of the current is that of the end of a step with these l and s, while the bristles are those of the start.
#include "step/actuation/inside.h"

#include "math/elementary.h"
#include "model/actuator.h"

// Divisors are at least this, as in MuJoCo [in the unit of the divisor].
static const double LEAST_MOTOR_DIVISOR = 1e-15;

// ---- controls that move at a bounded speed --------------------------------------------------------------

// Returns the rate that removes a difference within the step, or at an instant within a step of the scene, at most
// `fastest`.
double hfi_slew_rate(const hfActuation* a, double difference, double fastest) {
  return clamp(difference / (a->h > 0 ? a->h : a->model->world.timestep), -fastest, fastest);
}

// Returns d rate/d state of hfi_slew_rate at an instant [1/s].
double hfi_slew_slope(const hfActuation* a, double rate, double fastest) {
  return fabs(rate) < fastest ? -1 / a->model->world.timestep : 0;
}

// ---- parameters and states ------------------------------------------------------------------------------

// The parameters of motor n, by HF_MOTOR_... indices.
static const double* parameters(const hfActuation* a, int n) {
  return hf_model_actuator_motor(a->model) + HF_MOTOR_PARAMETERS * n;
}

// Whether motor n has this state (hfMotorState).
static int has_state(const hfActuation* a, int n, int state) {
  return (hf_model_actuator_states(a->model)[n] & state) != 0;
}

// Returns the value of a state among the activations act (na or NULL); 0 if the motor has no such state.
static double find_state(const hfActuation* a, int n, int state, const double* act) {
  int slot = hfi_motor_slot(hf_model_actuator_states(a->model)[n], state);
  return slot >= 0 && act ? act[hf_model_actuator_actadr(a->model)[n] + slot] : 0;
}

// Sets the rate of a state, if the motor has it.
static void set_rate(hfActuation* a, int n, int state, double rate) {
  int slot = hfi_motor_slot(hf_model_actuator_states(a->model)[n], state);
  if (slot >= 0) a->rate[hf_model_actuator_actadr(a->model)[n] + slot] = rate;
}

// ---- current ------------------------------------------------------------------------------------------

// The current (v - K s)/R that the voltage drives without inductance, linear about the present length and velocity.
typedef struct Steady {
  hfiAffine i;
  double bound; // bound of the voltage if the voltage is within it, else 0 [V]
} Steady;

// Returns the steady current of motor n as constant + by length l + by velocity s, over a step (implicit) or at an
// instant. Over a step l in the controller is l0 + h s, and its integral I + h (u_pos - l) changes with s, too.
//
//   m->pos, vel, torque, voltage   the inputs u_pos, u_vel, u_ff and u_v     scale   R0/K, volts for a torque
static Steady find_steady_current(const hfActuation* a, int n, int implicit) {
  const double* p = parameters(a, n);
  const hfiMotor* m = &a->drives.motor[n];
  const double R = m->resistance;
  const double K = p[HF_MOTOR_CONSTANT];
  const double h = implicit ? a->h : 0;

  // without a controller the voltage is the input alone
  Steady plain = {{m->voltage / R, 0, -K / R}, 0};
  int controls = HF_INPUT_POSITION | HF_INPUT_VELOCITY | HF_INPUT_TORQUE;
  if (!(hf_model_actuator_inputs(a->model)[n] & controls)) return plain;

  // the integral of the controller: at its bound it no longer follows the length
  double ki = has_state(a, n, HF_MOTOR_STATE_INTEGRAL) ? p[HF_MOTOR_KI] : 0;
  double Imax = p[HF_MOTOR_IMAX];
  // I: the integral without its part -h l, which stands in kp below
  double next = m->integral + h * (m->pos - a->length[n]);
  int is_held = implicit && Imax > 0 && fabs(next) >= Imax;
  double I = is_held ? clamp(next, -Imax, Imax) : m->integral + h * m->pos;

  // the torque tau that the controller asks for, and the voltage v for this torque
  double scale = p[HF_MOTOR_RESISTANCE] / max2(LEAST_MOTOR_DIVISOR, K);
  double kp = p[HF_MOTOR_KP] + (is_held ? 0 : h * ki);
  double kd = p[HF_MOTOR_KD];
  hfiAffine tau = {p[HF_MOTOR_KP] * m->pos + kd * m->vel + ki * I + m->torque, -kp, -kd};
  double v = scale * (tau.constant + tau.length * a->length[n] + tau.velocity * a->velocity[n]) + K * a->velocity[n];

  // at the bound of the voltage the current no longer depends on the controller
  if (p[HF_MOTOR_VMAX] > 0 && fabs(v) > p[HF_MOTOR_VMAX]) {
    plain.i.constant += copysign(p[HF_MOTOR_VMAX], v) / R;
    return plain;
  }

  // (v - K s)/R: the term K s of v cancels
  hfiAffine i = {(scale * tau.constant + m->voltage) / R, scale * tau.length / R, scale * tau.velocity / R};
  return (Steady){i, p[HF_MOTOR_VMAX]};
}

// Returns the value of f at the present length and velocity of motor n.
static double evaluate_affine(const hfActuation* a, int n, hfiAffine f) {
  return f.constant + f.length * a->length[n] + f.velocity * a->velocity[n];
}

// Returns the share of the difference from its steady value by which the current of motor n changes in a step: 1
// without inductance.
static double find_current_share(const hfActuation* a, int n) {
  return has_state(a, n, HF_MOTOR_STATE_CURRENT) ? -hfi_expm1(-a->h / parameters(a, n)[HF_MOTOR_TIME_CONSTANT]) : 1;
}

// Narrows the bounds of a drive by [lo, hi].
static void narrow_bounds(hfiDrive* d, double lo, double hi) {
  d->lo = clamp(d->lo, lo, hi);
  d->hi = clamp(d->hi, lo, hi);
}

// Sets the bounds of the torque of the current of motor n in *d. share: by which the current approaches its steady
// value (find_current_share). voltage: Vmax if the controller's voltage is within it, else 0: no bound [V].
static void set_torque_bounds(const hfActuation* a, int n, double share, double voltage, hfiDrive* d) {
  const double* p = parameters(a, n);
  const double* range = hf_model_actuator_forcerange(a->model) + 2 * n;
  const hfiMotor* m = &a->drives.motor[n];
  double K = p[HF_MOTOR_CONSTANT];
  double kept = K * (1 - share) * m->current; // torque of the present current that is left at the end
  double R = m->resistance;
  d->lo = -INFINITY;
  d->hi = INFINITY;

  // the voltage stays within its bounds, at the speed of the start
  if (voltage > 0) {
    double drop = m->voltage - K * a->velocity[n]; // u_v - K s, which the controller's voltage adds to
    narrow_bounds(d, kept + K * share * (drop - voltage) / R, kept + K * share * (drop + voltage) / R);
  }

  // the current changes at a bounded rate
  if (has_state(a, n, HF_MOTOR_STATE_CURRENT) && p[HF_MOTOR_CURRENT_RATE] > 0) {
    double way = p[HF_MOTOR_CURRENT_RATE] * p[HF_MOTOR_TIME_CONSTANT] * share;
    narrow_bounds(d, K * (m->current - way), K * (m->current + way));
  }

  if (hf_model_actuator_forcelimited(a->model)[n]) narrow_bounds(d, range[0], range[1]);
}

// Returns the drive of a force that is linear in length and velocity, without bounds. It is explicit at an instant, and
// if its slope would drive away from the target.
static hfiDrive make_drive(const hfActuation* a, int n, hfiAffine f, int implicit) {
  hfiDrive d = {f.constant + f.length * a->length[n], -(a->h * f.length + f.velocity), -INFINITY, INFINITY};
  if (!implicit || !(d.kappa > 0)) {
    d.f0 += f.velocity * a->velocity[n];
    d.kappa = 0;
  }
  return d;
}

// Returns the drive of the current of motor n.
static hfiDrive make_electric_drive(const hfActuation* a, int n, int implicit) {
  Steady steady = find_steady_current(a, n, implicit);
  double K = parameters(a, n)[HF_MOTOR_CONSTANT];
  double share = find_current_share(a, n);

  hfiAffine torque = {.length = K * share * steady.i.length, .velocity = K * share * steady.i.velocity};
  torque.constant = K * ((1 - share) * a->drives.motor[n].current + share * steady.i.constant);
  hfiDrive d = make_drive(a, n, torque, implicit);
  set_torque_bounds(a, n, share, steady.bound, &d);
  return d;
}

// ---- cogging and friction -----------------------------------------------------------------------------

// Returns the friction g at speed s [N or N m]. p: parameters of the motor.
static double find_stribeck_friction(const double* p, double s) {
  double x = s / max2(LEAST_MOTOR_DIVISOR, p[HF_MOTOR_STRIBECK]);
  return p[HF_MOTOR_COULOMB] + (p[HF_MOTOR_STATIC] - p[HF_MOTOR_COULOMB]) * hfi_exp(-x * x);
}

// Returns the cogging of motor n, linear about the present length.
static hfiAffine find_cogging_force(const hfActuation* a, int n) {
  const double* p = parameters(a, n);
  double l = a->length[n];
  if (p[HF_MOTOR_COGGING] == 0) return (hfiAffine){0, 0, 0};

  hfiSine angle = hfi_sine(p[HF_MOTOR_POLES] * l + p[HF_MOTOR_PHASE]);
  double slope = p[HF_MOTOR_COGGING] * p[HF_MOTOR_POLES] * angle.cos;
  return (hfiAffine){p[HF_MOTOR_COGGING] * angle.sin - slope * l, slope, 0};
}

// Returns (1 - exp(-a h))/a, or h without decay [s].
static double find_decay_time(double a, double h) { return a * h > LEAST_MOTOR_DIVISOR ? -hfi_expm1(-a * h) / a : h; }

// Returns the force -sigma0 z - sigma1 (s - a z) with the present bristles z, or over a step with z1 = e z + b s.
static hfiAffine find_bristle_force(const hfActuation* a, int n, int implicit) {
  const double* p = parameters(a, n);
  const hfiMotor* m = &a->drives.motor[n];
  double sigma0 = p[HF_MOTOR_BRISTLE_STIFFNESS];
  double sigma1 = p[HF_MOTOR_BRISTLE_DAMPING];
  double h = implicit ? a->h : 0;
  if (!has_state(a, n, HF_MOTOR_STATE_BRISTLE)) return (hfiAffine){0, 0, 0};

  double e = hfi_exp(-m->decay * h);
  double b = find_decay_time(m->decay, h);
  return (hfiAffine){-(sigma0 - sigma1 * m->decay) * e * m->bristle, 0, -sigma0 * b - sigma1 * e};
}

// Returns the force of motor n: of its current, and of cogging and friction together. Over a step (implicit) the
// friction of the bristles is bounded by g. Without the bound, bristles that start at rest would not let go, because
// their rate at the start is zero.
hfiMotorForce hfi_motor_force(const hfActuation* a, int n, int implicit) {
  const double* p = parameters(a, n);
  hfiAffine cog = find_cogging_force(a, n);
  hfiAffine drag = find_bristle_force(a, n, implicit);
  double centre = evaluate_affine(a, n, cog);
  drag.constant += cog.constant;
  drag.length += cog.length;

  hfiMotorForce f = {make_electric_drive(a, n, implicit), make_drive(a, n, drag, implicit)};
  if (!implicit || !has_state(a, n, HF_MOTOR_STATE_BRISTLE)) return f;

  // friction of the bristles stays within [-largest, largest] around the cogging force `centre`
  double kept = hfi_exp(-a->drives.motor[n].decay * a->h);
  double speed = a->velocity[n];
  double largest = find_stribeck_friction(p, speed) + p[HF_MOTOR_BRISTLE_DAMPING] * kept * fabs(speed);
  f.drag.lo = centre - largest;
  f.drag.hi = centre + largest;
  return f;
}

// ---- states -------------------------------------------------------------------------------------------

// Writes the inputs of motor n, pos to voltage, and first_rate. Bit k of `inputs` says whether it has input k. The
// first one that it has is its own control; the next actuators carry the others.
static void read_inputs(hfActuation* a, int n, const double* act, const double* ctrl) {
  hfiMotor* m = &a->drives.motor[n];
  double* input[] = {&m->pos, &m->vel, &m->torque, &m->voltage};
  int inputs = hf_model_actuator_inputs(a->model)[n];
  int actuator = n;

  for (int k = 0; k < 4; ++k) {
    if (!(inputs >> k & 1)) continue;
    *input[k] = hfi_clamped_control(a->model, actuator, ctrl);
    int is_first = actuator++ == n;
    if (!is_first || !has_state(a, n, HF_MOTOR_STATE_SETPOINT)) continue;

    // the first input moves at a bounded speed
    double now = find_state(a, n, HF_MOTOR_STATE_SETPOINT, act);
    m->first_rate = hfi_slew_rate(a, *input[k] - now, parameters(a, n)[HF_MOTOR_SLEWMAX]);
    *input[k] = now + a->h * m->first_rate;
  }
}

// Sets the rates of integral, bristles and current of motor n for this length and velocity. implicit: 1 over a step, 0
// at an instant.
static void set_rates(hfActuation* a, int n, double length, double velocity, int implicit) {
  const double* p = parameters(a, n);
  const hfiMotor* m = &a->drives.motor[n];

  // the integral stops at its bound
  double error = m->pos - length;
  double Imax = p[HF_MOTOR_IMAX];
  int is_held = Imax > 0 && fabs(m->integral) >= Imax && error * m->integral > 0;

  set_rate(a, n, HF_MOTOR_STATE_INTEGRAL, is_held ? 0 : error);
  set_rate(a, n, HF_MOTOR_STATE_BRISTLE, velocity - m->decay * m->bristle);
  if (!has_state(a, n, HF_MOTOR_STATE_CURRENT)) return;

  // the current follows its steady value, at a bounded rate
  hfiAffine i = find_steady_current(a, n, implicit).i;
  double rate = (i.constant + i.length * length + i.velocity * velocity - m->current) / p[HF_MOTOR_TIME_CONSTANT];
  double fastest = p[HF_MOTOR_CURRENT_RATE];
  set_rate(a, n, HF_MOTOR_STATE_CURRENT, fastest > 0 ? clamp(rate, -fastest, fastest) : rate);
}

// Writes drives.motor[n], the inputs and states of motor n at the start of the step, and the rates of its states at the
// present length and velocity. T: temperature above ambient [K]; s: velocity. act (na) and ctrl (nu) may be NULL: zero.
void hfi_update_motor(hfActuation* a, int n, const double* act, const double* ctrl) {
  const double* p = parameters(a, n);
  hfiMotor* m = &a->drives.motor[n];
  double T = find_state(a, n, HF_MOTOR_STATE_TEMPERATURE, act);
  double s = a->velocity[n];

  *m = (hfiMotor){.resistance = p[HF_MOTOR_RESISTANCE]};
  m->integral = find_state(a, n, HF_MOTOR_STATE_INTEGRAL, act);
  m->current = find_state(a, n, HF_MOTOR_STATE_CURRENT, act);
  m->bristle = find_state(a, n, HF_MOTOR_STATE_BRISTLE, act);

  // resistance at the temperature, and decay of the bristles
  if (has_state(a, n, HF_MOTOR_STATE_TEMPERATURE))
    m->resistance *= 1 + p[HF_MOTOR_TEMPCOEF] * (T + p[HF_MOTOR_AMBIENT] - p[HF_MOTOR_REFTEMP]);
  m->resistance = max2(LEAST_MOTOR_DIVISOR, m->resistance);
  if (has_state(a, n, HF_MOTOR_STATE_BRISTLE))
    m->decay = p[HF_MOTOR_BRISTLE_STIFFNESS] * fabs(s) / max2(LEAST_MOTOR_DIVISOR, find_stribeck_friction(p, s));

  read_inputs(a, n, act, ctrl);

  // rates; none if the actuator is switched off
  if (!hfi_actuator_acts(a->model, n)) {
    for (int k = 0; k < HFI_MOTOR_STATES; ++k) set_rate(a, n, 1 << k, 0);
    return;
  }
  // the current i heats; without inductance it is the steady one
  set_rate(a, n, HF_MOTOR_STATE_SETPOINT, m->first_rate);
  if (has_state(a, n, HF_MOTOR_STATE_TEMPERATURE)) {
    double i = m->current;
    if (!has_state(a, n, HF_MOTOR_STATE_CURRENT)) i = evaluate_affine(a, n, find_steady_current(a, n, 0).i);
    double heat = i * i * m->resistance - T / p[HF_MOTOR_THERMAL_RESISTANCE];
    set_rate(a, n, HF_MOTOR_STATE_TEMPERATURE, heat / max2(LEAST_MOTOR_DIVISOR, p[HF_MOTOR_THERMAL_CAPACITY]));
  }

  set_rates(a, n, a->length[n], s, 0);
}

// Returns the rate of the bristles, bounded so that they do not bend further than they can over the step.
static double bound_bristle_rate(const hfActuation* a, int n, double rate) {
  const double* p = parameters(a, n);
  double z = a->drives.motor[n].bristle;
  double span = find_decay_time(a->drives.motor[n].decay, a->h);
  double largest = max2(fabs(z), find_stribeck_friction(p, a->velocity[n]) / p[HF_MOTOR_BRISTLE_STIFFNESS]);

  return span > 0 ? (clamp(z + span * rate, -largest, largest) - z) / span : rate;
}

// Sets the rates of the states of motor n for a step that ends with this velocity along the actuator.
void hfi_motor_end(hfActuation* a, int n, double velocity) {
  const hfiMotor* m = &a->drives.motor[n];
  set_rates(a, n, a->length[n] + a->h * velocity, velocity, 1);
  if (has_state(a, n, HF_MOTOR_STATE_BRISTLE))
    set_rate(a, n, HF_MOTOR_STATE_BRISTLE, bound_bristle_rate(a, n, velocity - m->decay * m->bristle));
}

// Returns the time for which a state changes at its rate to end where its exponential is after h [s].
static double find_span(const hfActuation* a, int n, int state, double h) {
  double te = parameters(a, n)[HF_MOTOR_TIME_CONSTANT];
  if (state == HF_MOTOR_STATE_CURRENT) return -te * hfi_expm1(-h / te);
  if (state == HF_MOTOR_STATE_BRISTLE) return find_decay_time(a->drives.motor[n].decay, h);
  return h;
}

// Moves the states of motor n among the activations act (na) over a step h.
void hfi_motor_advance(const hfActuation* a, int n, double* act, double h) {
  double Imax = parameters(a, n)[HF_MOTOR_IMAX];
  int states = hf_model_actuator_states(a->model)[n];
  int adr = hf_model_actuator_actadr(a->model)[n];

  for (int k = 0; k < HFI_MOTOR_STATES; ++k) {
    int slot = hfi_motor_slot(states, 1 << k);
    if (slot < 0) continue;

    double* x = act + adr + slot;
    *x += find_span(a, n, 1 << k, h) * a->rate[adr + slot];
    if (1 << k == HF_MOTOR_STATE_INTEGRAL && Imax > 0) *x = clamp(*x, -Imax, Imax);
  }
}

// ---- derivatives --------------------------------------------------------------------------------------

// Returns the slope of the torque that the controller asks for with the first of its inputs.
static double find_setpoint_gain(const double* p, int inputs) {
  if (inputs & HF_INPUT_POSITION) return p[HF_MOTOR_KP];
  if (inputs & HF_INPUT_VELOCITY) return p[HF_MOTOR_KD];
  return 1;
}

// Returns the derivatives of the force of motor n and of the rates of its states at an instant, from the equations at
// the head of this file. Member x_y is the derivative of the force, or of the rate of state x, by state or input y.
// Those of states that the motor does not have are zero.
hfiMotorSlopes hfi_motor_slopes(const hfActuation* a, int n) {
  const double* p = parameters(a, n);
  const hfiMotor* m = &a->drives.motor[n];
  hfiMotorSlopes x = {.force = find_cogging_force(a, n)};
  Steady steady = find_steady_current(a, n, 0);
  hfiDrive d = make_electric_drive(a, n, 0);
  double K = p[HF_MOTOR_CONSTANT];
  double s = a->velocity[n];
  int has_coil = has_state(a, n, HF_MOTOR_STATE_CURRENT);
  int is_free = d.f0 > d.lo && d.f0 < d.hi; // the torque of the current is at no bound

  // slopes of the steady current with the torque that the controller asks for; zero without a controller, and at the
  // bound of the voltage, where the current depends on length and velocity as without a controller
  int is_controlled = steady.i.velocity != -K / m->resistance || steady.i.length != 0;
  double by_torque = is_controlled ? p[HF_MOTOR_RESISTANCE] / (max2(LEAST_MOTOR_DIVISOR, K) * m->resistance) : 0;
  double by_integral = has_state(a, n, HF_MOTOR_STATE_INTEGRAL) ? by_torque * p[HF_MOTOR_KI] : 0;
  double by_setpoint = by_torque * find_setpoint_gain(p, hf_model_actuator_inputs(a->model)[n]);

  // without inductance the force follows the steady current
  if (!has_coil && is_free) {
    x.force.length += K * steady.i.length;
    x.force.velocity += K * steady.i.velocity;
    x.force_integral = K * by_integral;
    x.force_setpoint = K * by_setpoint;
  }

  // with it the force follows the current, whose rate is (steady - i)/t_e unless the bound of the rate holds it
  if (has_coil) {
    double te = p[HF_MOTOR_TIME_CONSTANT];
    double rate = (evaluate_affine(a, n, steady.i) - m->current) / te;
    double fastest = p[HF_MOTOR_CURRENT_RATE];
    x.force_current = is_free ? K : 0;
    if (!(fastest > 0) || fabs(rate) < fastest) {
      x.current = (hfiAffine){0, steady.i.length / te, steady.i.velocity / te};
      x.current_current = -1 / te;
      x.current_integral = by_integral / te;
      x.current_setpoint = by_setpoint / te;
    }
  }

  // friction -sigma0 z - sigma1 zdot with zdot = s - a z; the change of g with the speed is left out
  if (has_state(a, n, HF_MOTOR_STATE_BRISTLE)) {
    double sigma0 = p[HF_MOTOR_BRISTLE_STIFFNESS];
    double sigma1 = p[HF_MOTOR_BRISTLE_DAMPING];
    double decay_slope = s == 0 ? 0 : copysign(sigma0 / max2(LEAST_MOTOR_DIVISOR, find_stribeck_friction(p, s)), s);
    x.bristle_velocity = 1 - decay_slope * m->bristle;
    x.bristle_bristle = -m->decay;
    x.force.velocity -= sigma1 * x.bristle_velocity;
    x.force_bristle = -(sigma0 - sigma1 * m->decay);
  }

  // temperature and integral
  if (has_state(a, n, HF_MOTOR_STATE_TEMPERATURE)) {
    double capacity = max2(LEAST_MOTOR_DIVISOR, p[HF_MOTOR_THERMAL_CAPACITY]);
    x.temperature_temperature = -1 / (p[HF_MOTOR_THERMAL_RESISTANCE] * capacity);
  }
  x.integrates = has_state(a, n, HF_MOTOR_STATE_INTEGRAL);
  return x;
}
