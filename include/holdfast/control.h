// Controllers, trajectories and gain tuning. Plain functions: state is the caller's.
//
// Implicit PD needs no function here: an actuator with gains is implicit in the step (hfSimConfig.explicit_drives),
// and inverse dynamics as a constraint is hfInput.velocity_target. Both, PID and computed torque can also be
// parts of a scene (hfDriveLaw). docs/theory/drives.md
#ifndef HOLDFAST_CONTROL_H
#define HOLDFAST_CONTROL_H

#include <holdfast/dynamics.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- trajectories --------------------------------------------------------------------------------

typedef struct hfSetpoint { double q, v, a; } hfSetpoint; // position, rate, second rate

// offset + amplitude sin(rate t + phase), rate in rad/s
HF_API hfSetpoint hf_sinusoid(double amplitude, double rate, double phase, double offset, double time);
// The quintic from one setpoint to another over `duration`; held before and after, where rates are zero.
HF_API hfSetpoint hf_quintic(hfSetpoint from, hfSetpoint to, double duration, double time);
// Through values at increasing times (n >= 1): quintics with central differences as rates, none at the
// ends, and no second rates at the keys. Twice differentiable.
HF_API hfSetpoint hf_keyframes(int n, const double* times, const double* values, double time);

// A trot: stance moves a foot back at constant speed, swing brings it forward along a quintic, lifted.
typedef struct hfTrot {
  double period; // [s]
  double duty;   // share of stance, 0 < duty < 1 [-]
  double speed;  // forward [m/s]
  double lift;   // height of a swing [m]
} hfTrot;

typedef struct hfFootPlan {
  int32_t stance;
  hfSetpoint x, z; // from the foot's place at mid-stance, in the body's axes [m]
} hfFootPlan;

// phase in [0, 1): where in its cycle the foot is at time 0; stance comes first.
HF_API hfFootPlan hf_trot(const hfTrot* trot, double phase, double time);

// ---- controllers ---------------------------------------------------------------------------------

typedef struct hfGains { double kp, ki, kd; } hfGains;

// Sampled PID: returns kp e + ki I + kd edot, and adds e h to *integral if that is not NULL.
HF_API double hf_pid(const hfGains* gains, hfSetpoint wanted, double q, double v, double h, double* integral);

// Inverse dynamics control of hinges and slides: tau = M (a + kp e + kd edot) + bias, by RNEA.
// wanted and gains (nv); q has one number a dof. Needs hf_dynamics_position at q. scratch (nv).
HF_API void hf_computed_torque(hfDynamics* d, const double* q, const double* v, const hfSetpoint* wanted,
                               const hfGains* gains, double* scratch, double* tau);

// Velocity target that ends the step at `wanted` (the setpoint of its end): deadbeat, for wide limits.
static inline double hf_deadbeat(hfSetpoint wanted, double q, double h) { return (wanted.q - q) / h; }
// For tight limits: the reference rate and the error over a time T, no faster than a_max can brake.
HF_API double hf_braking_target(hfSetpoint wanted, double q, double time_constant, double a_max);

// ---- tuning --------------------------------------------------------------------------------------

typedef struct hfTuning {
  uint64_t seed;       // seed of the first simplex: the same seed gives the same answer
  int32_t evaluations; // at most
  double spread;       // width of the first simplex, relative to |x| (absolute if x is 0)
  double tolerance;    // stops when the simplex's values agree to this, relatively
} hfTuning;

HF_API hfTuning hf_tuning_default(void);

// Minimises f over x (n <= 64) from the x given, by Nelder and Mead's method with restarts. A value that is
// not finite counts as infinite. Returns the smallest value and leaves its place in x; *used, if not
// NULL, counts evaluations.
enum { HF_TUNING_MAX = 64 };
HF_API double hf_minimise(double (*f)(const double* x, void* user), void* user, int n, double* x,
                          const hfTuning* tuning, int* used);

#ifdef __cplusplus
}
#endif
#endif
