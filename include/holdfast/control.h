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

typedef struct hfSetpoint { double q, v, a; } hfSetpoint; // position, velocity and acceleration of a coordinate

// Returns offset + amplitude sin(rate t + phase) and its derivatives. rate [rad/s], phase [rad], t = time [s].
HF_API hfSetpoint hf_sinusoid(double amplitude, double rate, double phase, double offset, double time);
// Follows the quintic from one setpoint to another over `duration` [s]. Returns `from` before it and `to` after it; these
// hold a position only if their velocity and acceleration are zero.
HF_API hfSetpoint hf_quintic(hfSetpoint from, hfSetpoint to, double duration, double time);
// Follows quintics through n >= 1 values at increasing times [s]. The velocity at a key is a central difference, and zero at the first and the last key;
// the acceleration at a key is zero. The result is twice differentiable.
HF_API hfSetpoint hf_keyframes(int n, const double* times, const double* values, double time);

// A trot. In stance a foot moves back at constant speed; in swing it is lifted and moves forward along a quintic.
typedef struct hfTrot {
  double period; // time of one stance and one swing [s]
  double duty;   // share of the period that is stance, 0 < duty < 1 [-]
  double speed;  // forward speed of the body [m/s]
  double lift;   // height of a swing [m]
} hfTrot;

typedef struct hfFootPlan {
  int32_t stance;  // 1: the foot is in stance, 0: in swing
  hfSetpoint x, z; // motion of the foot from its place at mid-stance, forward and up, in the body's axes [m]
} hfFootPlan;

// Plans one foot of a trot at a time [s]. phase in [0, 1): share of its cycle that the foot has behind it at time 0; stance comes first.
HF_API hfFootPlan hf_trot(const hfTrot* trot, double phase, double time);

// ---- controllers ---------------------------------------------------------------------------------

typedef struct hfGains { double kp, ki, kd; } hfGains;

// Sampled PID: returns kp e + ki I + kd edot, and adds e h to *integral if that is not NULL.
HF_API double hf_pid(const hfGains* gains, hfSetpoint wanted, double q, double v, double h, double* integral);

// Inverse dynamics control of hinges and slides: tau = M (a + kp e + kd edot) + bias, by RNEA.
// wanted and gains (nv); q has one number a dof. Needs hf_dynamics_set_position at q. scratch (nv).
HF_API void hf_computed_torque(hfDynamics* d, const double* q, const double* v, const hfSetpoint* wanted,
                               const hfGains* gains, double* scratch, double* tau);

// Returns the velocity target with which a step of length h ends at `wanted`, the setpoint at its end (deadbeat control). For drives with wide force limits.
static inline double hf_deadbeat(hfSetpoint wanted, double q, double h) { return (wanted.q - q) / h; }
// Returns a velocity target for drives with tight force limits: the wanted velocity, plus the error divided by the time constant [s], which
// counts only as far as the acceleration a_max can brake it.
HF_API double hf_braking_target(hfSetpoint wanted, double q, double time_constant, double a_max);

// ---- tuning --------------------------------------------------------------------------------------

typedef struct hfTuning {
  uint64_t seed;       // seed of the first simplex: the same seed gives the same answer
  int32_t evaluations; // largest number of evaluations
  double spread;       // width of the first simplex, relative to |x| (absolute if x is 0)
  double tolerance;    // the search stops when the values at the corners of the simplex differ by less than this share [-]
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
