// Inverse kinematics under limits.
//
//   differential   min |Jw x - Vw|^2 + lambda^2 |x - w|^2,  lo <= x <= hi                                   (1)
//   iterating      min |Jw x - ew|^2 + (lambda^2 + |ew|^2/2) |x - w|^2,  range - q <= x <= range - q        (2)
//
//   Jw, Vw, ew   Jacobian, twist and pose error, angular rows times a length, so that all are metres
//   w            rate or step towards the posture, gain (posture - q); zero without a posture
//   x            joint rates, or a step of the joints
//
// Without limits (1) is x = w + Jw^T (Jw Jw^T + lambda^2)^-1 (Vw - Jw w): damped least squares in which w acts along
// motions of the joints that do not move the tip (Wampler 1986; Nakamura, Hanafusa 1986). The bounds of a rate keep the
// joint within its range until the end of the period and within its speed; a joint outside of its range returns as fast
// as its speed allows. (2) is a step of Levenberg and Marquardt with a damping that vanishes with the error (Sugihara
// 2011). The damping grows tenfold as long as a step does not bring the tip nearer. docs/theory/manipulation.md
#include "robot/manipulation/arm.h"

#include "base/finite.h"
#include "linalg/dense.h"
#include <string.h>

hfIkConfig hf_ik_config_default(void) {
  hfIkConfig c = {.length = 0.3,
                  .damping = 2e-3,
                  .period = 2e-3,
                  .posture_gain = 0.1,
                  .tolerance = 0.02,
                  .position_tolerance = 1e-7,
                  .rotation_tolerance = 1e-6,
                  .iterations = 400,
                  .restarts = 10,
                  .seed = 1};
  return c;
}

// Returns the turn [rad] and the shift [m] from pose A to pose B, both in the world frame.
hfMotion hf_pose_error(hfPose A, hfPose B) {
  hfMotion e = {q_log(q_from_m3(m3_mul(B.R, m3_transpose(A.R)))), v3_sub(B.p, A.p)};
  return e;
}

static int is_finite_twist(hfMotion V) { return v3_finite(V.w) && v3_finite(V.v); }
static int is_finite_pose(hfPose X) {
  return v3_finite(X.p) && v3_finite(m3_row(X.R, 0)) && v3_finite(m3_row(X.R, 1)) && v3_finite(m3_row(X.R, 2));
}

// Refuses a configuration with numbers out of their ranges, and an arm whose pose is not finite.
static hfStatus check_config(const hfArm* arm, const hfIkConfig* c) {
  const double numbers[] = {c->length, c->damping, c->posture_gain};
  if (!hfi_all_finite(numbers, 3) || c->length <= 0 || c->damping < 0 || c->posture_gain < 0) return HF_ERROR_ARGUMENT;
  if (c->posture && !hfi_all_finite(c->posture, arm->n)) return HF_ERROR_NONFINITE;
  return is_finite_pose(hf_arm_pose(arm)) ? HF_OK : HF_ERROR_NONFINITE;
}

static hfStatus check_rate_config(const hfArm* arm, const hfIkConfig* c) {
  if (!isfinite(c->period) || c->period <= 0 || !(c->tolerance >= 0)) return HF_ERROR_ARGUMENT;
  for (int i = 0; c->speed && i < arm->n; ++i)
    if (!(c->speed[i] >= 0)) return HF_ERROR_ARGUMENT;
  return check_config(arm, c);
}

static hfStatus check_search_config(const hfArm* arm, const hfIkConfig* c) {
  int in_range = c->position_tolerance >= 0 && c->rotation_tolerance >= 0 && c->iterations >= 0 && c->restarts >= 0;
  return in_range ? check_config(arm, c) : HF_ERROR_ARGUMENT;
}

static void weigh_twist(hfMotion e, double length, double* row) {
  v3_store(row, v3_scale(length, e.w));
  v3_store(row + 3, e.v);
}

void hfi_arm_weigh(hfArm* arm, double length) {
  hf_arm_jacobian(arm, arm->Jw);
  for (int i = 0; i < 3 * arm->n; ++i) arm->Jw[i] *= length;
}

// Minimises |Jw x - e|^2 + lambda^2 |x - wish|^2 over lo <= x <= hi and leaves x in arm->x.
// Reads Jw, wish, lo and hi of the arm; writes its H, g and x. Returns the number of joints at a bound.
static int minimise(hfArm* arm, const double* e, double lambda2) {
  int n = arm->n;

  // H = Jw^T Jw + lambda^2, g = Jw^T e + lambda^2 wish
  memset(arm->H, 0, sizeof *arm->H * (size_t)n * (size_t)n);
  hfi_add_atb(arm->H, n, arm->Jw, n, arm->Jw, n, 6, n, n);
  for (int i = 0; i < n; ++i) {
    arm->H[i * n + i] += lambda2;
    arm->g[i] = lambda2 * arm->wish[i];
    for (int r = 0; r < 6; ++r) arm->g[i] += arm->Jw[r * n + i] * e[r];
    arm->x[i] = 0;
  }

  hfiBoxProblem box = {n, arm->H, arm->g, arm->lo, arm->hi, arm->x, arm->at, arm->U, arm->y, arm->index};
  hfi_box_minimise(&box);

  int held = 0;
  for (int i = 0; i < n; ++i) held += arm->at[i] != 0;
  return held;
}

// Sets arm->wish: gain times the way to the posture, or zero without a posture.
static void seek_posture(hfArm* arm, const hfIkConfig* c, double gain) {
  for (int i = 0; i < arm->n; ++i)
    arm->wish[i] = c->posture ? gain * (c->posture[i] - arm->q_world[arm->joint[i].qposadr]) : 0;
}

// ---- differential ---------------------------------------------------------------------------------

// Sets the bounds lo and hi of the joint rates [rad/s or m/s] from ranges and speeds.
static void bound_rates(hfArm* arm, const hfIkConfig* c) {
  for (int i = 0; i < arm->n; ++i) {
    const hfiArmJoint* a = &arm->joint[i];
    double q = arm->q_world[a->qposadr];
    double speed = c->speed ? c->speed[i] : INFINITY;
    arm->lo[i] = clamp((a->lo - q) / c->period, -speed, speed);
    arm->hi[i] = clamp((a->hi - q) / c->period, -speed, speed);
  }
}

// Returns the part of the weighted twist e that the rates arm->x do not produce, without the weight.
static hfMotion find_missing(const hfArm* arm, const double* e, double length) {
  double r[6];
  for (int k = 0; k < 6; ++k) r[k] = e[k] - hfi_dot(arm->Jw + k * arm->n, arm->x, arm->n);
  hfMotion m = {v3_scale(1 / length, v3_load(r)), v3_load(r + 3)};
  return m;
}

// Computes the joint rates [rad/s or m/s] that bring the tip nearest to the twist V, by (1).
// Returns HF_NO_SOLUTION if the missing part is above the tolerance, and a status < 0 for a refusal.
hfStatus hf_arm_rate(hfArm* arm, hfMotion V, const hfIkConfig* c, double* rate, hfIkReport* report) {
  hfStatus refused = check_rate_config(arm, c);
  if (refused < 0) return refused;
  if (!is_finite_twist(V)) return HF_ERROR_NONFINITE;

  double e[6];
  hfi_arm_weigh(arm, c->length);
  weigh_twist(V, c->length, e);
  bound_rates(arm, c);
  seek_posture(arm, c, c->posture_gain);
  int limited = minimise(arm, e, sqr(c->damping));
  memcpy(rate, arm->x, sizeof *rate * (size_t)arm->n);

  double r[6];
  hfMotion missing = find_missing(arm, e, c->length);
  weigh_twist(missing, c->length, r);
  hfIkReport filled = {.position_error = v3_norm(missing.v),
                       .rotation_error = v3_norm(missing.w),
                       .iterations = 1,
                       .limited = limited};
  if (report) *report = filled;
  return sqrt(hfi_dot(r, r, 6)) <= c->tolerance * sqrt(hfi_dot(e, e, 6)) ? HF_OK : HF_NO_SOLUTION;
}

// Advances the reference by a period and chooses its accelerations, so that the tip reaches X_WT in the next period.
// Returns the status of hf_arm_rate.
hfStatus hf_arm_track(hfArm* arm, hfPose X_WT, const hfIkConfig* c, hfSetpoint* reference, hfIkReport* report) {
  hfStatus refused = check_rate_config(arm, c);
  if (refused < 0) return refused;
  if (!is_finite_pose(X_WT)) return HF_ERROR_NONFINITE;
  for (int i = 0; i < arm->n; ++i)
    if (!hfi_all_finite(&reference[i].q, 3)) return HF_ERROR_NONFINITE;

  // as a step does: v1 = v0 + h a, q1 = q0 + h v1
  for (int i = 0; i < arm->n; ++i) {
    hfSetpoint* s = &reference[i];
    s->v += c->period * s->a;
    s->q += c->period * s->v;
    arm->trial[i] = s->q;
  }
  hf_arm_move(arm, arm->trial);

  // the twist that removes the error within the period
  hfMotion e = hf_pose_error(hf_arm_pose(arm), X_WT);
  hfMotion V = {v3_scale(1 / c->period, e.w), v3_scale(1 / c->period, e.v)};
  hfStatus status = hf_arm_rate(arm, V, c, arm->trial, report);
  for (int i = 0; i < arm->n; ++i) reference[i].a = (arm->trial[i] - reference[i].v) / c->period;
  return status;
}

// ---- iterating ------------------------------------------------------------------------------------

typedef struct hfiSearch {
  hfPose target;
  const hfIkConfig* config;
  double error[6];       // weighted
  double size;           // half the square of the weighted error
  double trust;          // damping over size [-]
  hfMotion plain;        // error without weights [rad, m]
} hfiSearch;

// Computes the error of the arm's present pose: s->plain, s->error and s->size.
static void measure(hfArm* arm, hfiSearch* s) {
  s->plain = hf_pose_error(hf_arm_pose(arm), s->target);
  weigh_twist(s->plain, s->config->length, s->error);
  s->size = 0.5 * hfi_dot(s->error, s->error, 6);
}

static int is_reached(const hfiSearch* s) {
  return v3_norm(s->plain.v) <= s->config->position_tolerance &&
         v3_norm(s->plain.w) <= s->config->rotation_tolerance;
}

// Bounds a step: a joint moves by at most one radian or metre, because the linearisation is not valid beyond.
static void bound_step(hfArm* arm, const double* q) {
  for (int i = 0; i < arm->n; ++i) {
    arm->lo[i] = clamp(arm->joint[i].lo - q[i], -1, 1);
    arm->hi[i] = clamp(arm->joint[i].hi - q[i], -1, 1);
  }
}

// A descent ends if the linearised arm could remove at most this share of |e|^2/2 within the bounds of a step [-]:
// it is then in a local minimum of the distance, away from the target.
static const double STATIONARY_SHARE = 1e-3;
// The least damping lambda over the length [-]. It keeps the matrix of a step regular in a singular pose.
static const double LEAST_DAMPING = 1e-3;
// A step is accepted if it lowers |e|^2/2 by at least this share [-].
static const double LEAST_GAIN = 1e-6;
enum { MAX_TRIALS = 10 }; // A step is tried with at most this many dampings.

// Is the arm in a local minimum of the distance? Uses the bounds and Jw of the step; writes arm->wish and arm->x.
static int is_stationary(hfArm* arm, const hfiSearch* s) {
  seek_posture(arm, s->config, 0);
  minimise(arm, s->error, sqr(LEAST_DAMPING * s->config->length));

  // what the best step leaves of |e|^2/2
  double rest = 0;
  for (int k = 0; k < 6; ++k) rest += 0.5 * sqr(s->error[k] - hfi_dot(arm->Jw + k * arm->n, arm->x, arm->n));
  return rest > (1 - STATIONARY_SHARE) * s->size;
}

// Makes one step of (2) from q, and writes the new q and the number of joints at a bound.
// Returns 0 in a local minimum, and if no damping brings the tip nearer.
static int descend(hfArm* arm, hfiSearch* s, double* q, int* limited) {
  double before = s->size;
  double lambda2 = sqr(LEAST_DAMPING * s->config->length) + s->trust * before;

  hfi_arm_weigh(arm, s->config->length);
  bound_step(arm, q);
  if (is_stationary(arm, s)) return 0;

  seek_posture(arm, s->config, s->config->posture_gain);
  double start[6];
  memcpy(start, s->error, sizeof start);

  // Only the first trial seeks the posture; the damping grows tenfold.
  for (int k = 0; k < MAX_TRIALS; ++k) {
    if (k > 0) seek_posture(arm, s->config, 0);
    *limited = minimise(arm, start, lambda2);
    for (int i = 0; i < arm->n; ++i) arm->trial[i] = q[i] + arm->x[i];
    hf_arm_move(arm, arm->trial);
    measure(arm, s);

    if (s->size < before * (1 - LEAST_GAIN)) {
      memcpy(q, arm->trial, sizeof *q * (size_t)arm->n);
      return 1;
    }
    hf_arm_move(arm, q);
    lambda2 *= 10;
  }

  measure(arm, s);
  return 0;
}

// Returns a random number in [0, 1) by splitmix64 (Steele, Lea, Flood 2014), and advances its state.
static double draw(uint64_t* state) {
  *state += 0x9e3779b97f4a7c15u;
  uint64_t z = *state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

// Draws q at random within the joints' ranges, or within half a turn where the range is wider.
static void scatter(hfArm* arm, uint64_t* seed, double* q) {
  for (int i = 0; i < arm->n; ++i) {
    double lo = max2(arm->joint[i].lo, -HFI_PI);
    double hi = min2(arm->joint[i].hi, HFI_PI);
    q[i] = lo + (hi - lo) * draw(seed);
  }
}

// A target within reach is reached in about this many steps. If it is not, the error stays large and so would the
// damping; so the damping is halved in every further step, so that the descent ends.
enum { PATIENCE = 12 };

// Descends until the tip is at the target, no step brings it nearer, or the iterations are used up.
// Counts in the report. Returns HF_OK, HF_NO_SOLUTION or HF_NOT_CONVERGED in this order of reasons.
static hfStatus seek(hfArm* arm, hfiSearch* s, double* q, hfIkReport* report) {
  for (int i = 0; i < arm->n; ++i) q[i] = clamp(q[i], arm->joint[i].lo, arm->joint[i].hi);
  hf_arm_move(arm, q);
  measure(arm, s);
  s->trust = 1;

  for (int k = 0; !is_reached(s); ++k) {
    if (report->iterations >= s->config->iterations) return HF_NOT_CONVERGED;
    if (k >= PATIENCE) s->trust *= 0.5;
    report->iterations++;
    if (!descend(arm, s, q, &report->limited)) return HF_NO_SOLUTION;
  }
  return HF_OK;
}

// Finds coordinates q that bring the tip to X_WT, from q and then from random starts; keeps the nearest.
// Returns HF_OK, HF_NO_SOLUTION, HF_NOT_CONVERGED, or a status < 0 for a refusal.
hfStatus hf_arm_solve(hfArm* arm, hfPose X_WT, const hfIkConfig* c, double* q, hfIkReport* report) {
  hfStatus status = check_search_config(arm, c);
  if (status < 0) return status;
  if (!is_finite_pose(X_WT) || !hfi_all_finite(q, arm->n)) return HF_ERROR_NONFINITE;

  hfiSearch s = {.target = X_WT, .config = c};
  hfIkReport work = {0};
  hfIkReport* r = report ? report : &work;
  memset(r, 0, sizeof *r);

  size_t bytes = sizeof *q * (size_t)arm->n;
  uint64_t seed = c->seed;
  double nearest = INFINITY;
  int limited = 0;

  while (1) {
    status = seek(arm, &s, q, r);
    if (s.size < nearest) {
      nearest = s.size;
      limited = r->limited;
      memcpy(arm->best, q, bytes);
    }
    if (status != HF_NO_SOLUTION || r->restarts >= c->restarts) break;

    r->restarts++;
    scatter(arm, &seed, q);
  }

  // the nearest coordinates, and their error
  memcpy(q, arm->best, bytes);
  hf_arm_move(arm, q);
  measure(arm, &s);
  r->limited = limited;
  r->position_error = v3_norm(s.plain.v);
  r->rotation_error = v3_norm(s.plain.w);
  return status;
}
