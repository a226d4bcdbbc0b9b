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

// Returns the default options of both kinds of inverse kinematics.
hfIkConfig hf_ik_config_default(void) {
  hfIkConfig c = {
      .length = 0.3,
      .damping = 2e-3,
      .period = 2e-3,
      .posture_gain = 0.1,
      .tolerance = 0.02,

      // the search
      .position_tolerance = 1e-7,
      .rotation_tolerance = 1e-6,
      .iterations = 400,
      .restarts = 10,
      .seed = 1,
  };
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
static hfStatus check_config(const hfArm* arm, const hfIkConfig* config) {
  const double numbers[] = {config->length, config->damping, config->posture_gain};
  int is_valid = hfi_all_finite(numbers, 3) && config->length > 0 && config->damping >= 0 && config->posture_gain >= 0;
  if (!is_valid) return HF_ERROR_ARGUMENT;
  if (config->posture && !hfi_all_finite(config->posture, arm->n)) return HF_ERROR_NONFINITE;
  return is_finite_pose(hf_arm_pose(arm)) ? HF_OK : HF_ERROR_NONFINITE;
}

// The same for options of joint rates.
static hfStatus check_rate_config(const hfArm* arm, const hfIkConfig* config) {
  if (!isfinite(config->period) || config->period <= 0 || !(config->tolerance >= 0)) return HF_ERROR_ARGUMENT;
  for (int i = 0; config->speed && i < arm->n; ++i)
    if (!(config->speed[i] >= 0)) return HF_ERROR_ARGUMENT;
  return check_config(arm, config);
}

// The same for options of the search.
static hfStatus check_search_config(const hfArm* arm, const hfIkConfig* config) {
  int has_tolerances = config->position_tolerance >= 0 && config->rotation_tolerance >= 0;
  int has_counts = config->iterations >= 0 && config->restarts >= 0;
  return has_tolerances && has_counts ? check_config(arm, config) : HF_ERROR_ARGUMENT;
}

// row (6) <- a twist, whose angular part is multiplied by a length.
static void weigh_twist(hfMotion e, double length, double* row) {
  v3_store(row, v3_scale(length, e.w));
  v3_store(row + 3, e.v);
}

// Computes arm->Jw: the columns of the chain, angular rows multiplied by `length`.
void hfi_arm_weigh(hfArm* arm, double length) {
  hf_arm_jacobian(arm, arm->Jw);
  for (int i = 0; i < 3 * arm->n; ++i) arm->Jw[i] *= length;
}

// Minimises |Jw x - e|^2 + lambda2 |x - wish|^2 over lo <= x <= hi and leaves x in arm->x; lambda2 is lambda^2, and
// wish is w of the file's head.
// Reads Jw, wish, lo and hi of the arm; writes its H, g and x. Returns the number of joints at a bound.
static int minimise(hfArm* arm, const double* e, double lambda2) {
  int n = arm->n;

  // H = Jw^T Jw + lambda2, g = Jw^T e + lambda2 wish
  memset(arm->H, 0, sizeof *arm->H * (size_t)n * (size_t)n);
  hfi_add_atb(arm->H, n, arm->Jw, n, arm->Jw, n, 6, n, n);
  for (int i = 0; i < n; ++i) {
    arm->H[i * n + i] += lambda2;
    arm->g[i] = lambda2 * arm->wish[i];
    for (int r = 0; r < 6; ++r) arm->g[i] += arm->Jw[r * n + i] * e[r];
    arm->x[i] = 0;
  }

  hfiBoxProblem box = {n, arm->H, arm->g, arm->lo, arm->hi, arm->x, arm->held, arm->U, arm->y, arm->index};
  hfi_box_minimise(&box);

  // joints at a bound
  int held = 0;
  for (int i = 0; i < n; ++i) held += arm->held[i] != 0;
  return held;
}

// Sets arm->wish: gain times the way to the posture, or zero without a posture.
static void seek_posture(hfArm* arm, const hfIkConfig* config, double gain) {
  for (int i = 0; i < arm->n; ++i)
    arm->wish[i] = config->posture ? gain * (config->posture[i] - arm->q_world[arm->joint[i].qposadr]) : 0;
}

// ---- differential ---------------------------------------------------------------------------------

// Sets the bounds lo and hi of the joint rates [rad/s or m/s] from ranges and speeds.
static void bound_rates(hfArm* arm, const hfIkConfig* config) {
  for (int i = 0; i < arm->n; ++i) {
    const hfiArmJoint* joint = &arm->joint[i];
    double q = arm->q_world[joint->qposadr];
    double speed = config->speed ? config->speed[i] : INFINITY;
    arm->lo[i] = clamp((joint->lo - q) / config->period, -speed, speed);
    arm->hi[i] = clamp((joint->hi - q) / config->period, -speed, speed);
  }
}

// Returns the part of the weighted twist e that the rates arm->x do not produce, without the weight.
static hfMotion find_missing(const hfArm* arm, const double* e, double length) {
  double r[6];
  for (int k = 0; k < 6; ++k) r[k] = e[k] - hfi_dot(arm->Jw + k * arm->n, arm->x, arm->n);
  hfMotion m = {v3_scale(1 / length, v3_load(r)), v3_load(r + 3)};
  return m;
}

// Computes the joint rates [rad/s or m/s] (n) that bring the tip nearest to the twist V in world axes, by (1). Returns
// HF_NO_SOLUTION if the missing part, over V, is above the tolerance, and a status < 0 for a refusal. report may be
// NULL.
hfStatus hf_arm_rate(hfArm* arm, hfMotion V, const hfIkConfig* config, double* rate, hfIkReport* report) {
  hfStatus refused = check_rate_config(arm, config);
  if (refused < 0) return refused;
  if (!is_finite_twist(V)) return HF_ERROR_NONFINITE;

  // the box problem
  double e[6];
  hfi_arm_weigh(arm, config->length);
  weigh_twist(V, config->length, e);
  bound_rates(arm, config);
  seek_posture(arm, config, config->posture_gain);
  int limited = minimise(arm, e, sqr(config->damping));
  memcpy(rate, arm->x, sizeof *rate * (size_t)arm->n);

  // the part of V that the rates do not produce; r: this part with the weights of e
  double r[6];
  hfMotion missing = find_missing(arm, e, config->length);
  weigh_twist(missing, config->length, r);
  hfIkReport filled = {
      .position_error = v3_norm(missing.v),
      .rotation_error = v3_norm(missing.w),
      .iterations = 1,
      .limited = limited,
  };
  if (report) *report = filled;
  return sqrt(hfi_dot(r, r, 6)) <= config->tolerance * sqrt(hfi_dot(e, e, 6)) ? HF_OK : HF_NO_SOLUTION;
}

// Advances the reference (n: q, v, a of each joint) by a period and chooses its accelerations for the next period, so
// that the tip then reaches X_WT. Returns HF_OK, HF_NO_SOLUTION if the joints' limits let the tip come only nearer
// (hf_arm_rate), or a status < 0 for a refusal.
hfStatus hf_arm_track(hfArm* arm, hfPose X_WT, const hfIkConfig* config, hfSetpoint* reference, hfIkReport* report) {
  hfStatus refused = check_rate_config(arm, config);
  if (refused < 0) return refused;
  if (!is_finite_pose(X_WT)) return HF_ERROR_NONFINITE;
  for (int i = 0; i < arm->n; ++i)
    if (!hfi_all_finite(&reference[i].q, 3)) return HF_ERROR_NONFINITE;

  // as a step does: v1 = v0 + h a, q1 = q0 + h v1
  for (int i = 0; i < arm->n; ++i) {
    hfSetpoint* s = &reference[i];
    s->v += config->period * s->a;
    s->q += config->period * s->v;
    arm->trial[i] = s->q;
  }
  hf_arm_move(arm, arm->trial);

  // the twist that removes the error within the period
  hfMotion e = hf_pose_error(hf_arm_pose(arm), X_WT);
  hfMotion V = {v3_scale(1 / config->period, e.w), v3_scale(1 / config->period, e.v)};
  hfStatus status = hf_arm_rate(arm, V, config, arm->trial, report);

  for (int i = 0; i < arm->n; ++i) reference[i].a = (arm->trial[i] - reference[i].v) / config->period;
  return status;
}

// ---- iterating ------------------------------------------------------------------------------------

// A search for coordinates at which the tip has the pose `target`.
typedef struct hfiSearch {
  hfPose target;
  const hfIkConfig* config;
  double error[6]; // weighted
  double size;     // half the square of the weighted error
  double trust;    // damping over size [-]
  hfMotion plain;  // error without weights [rad, m]
} hfiSearch;

// Computes the error of the arm's present pose: search->plain, search->error and search->size.
static void measure(hfArm* arm, hfiSearch* search) {
  search->plain = hf_pose_error(hf_arm_pose(arm), search->target);
  weigh_twist(search->plain, search->config->length, search->error);
  search->size = 0.5 * hfi_dot(search->error, search->error, 6);
}

// Is the tip at the target, within the tolerances?
static int is_reached(const hfiSearch* search) {
  return v3_norm(search->plain.v) <= search->config->position_tolerance &&
         v3_norm(search->plain.w) <= search->config->rotation_tolerance;
}

// Joints move by at most this in a step, because the linearisation is not valid beyond [rad or m].
static const double LARGEST_JOINT_STEP = 1;

// Bounds a step by the ranges of the joints and by LARGEST_JOINT_STEP.
static void bound_step(hfArm* arm, const double* q) {
  for (int i = 0; i < arm->n; ++i) {
    arm->lo[i] = clamp(arm->joint[i].lo - q[i], -LARGEST_JOINT_STEP, LARGEST_JOINT_STEP);
    arm->hi[i] = clamp(arm->joint[i].hi - q[i], -LARGEST_JOINT_STEP, LARGEST_JOINT_STEP);
  }
}

// A descent ends if the linearised arm could remove at most this share of |e|^2/2 within the bounds of a step [-]:
// it is then in a local minimum of the distance, away from the target.
static const double STATIONARY_SHARE = 1e-3;
// The least damping lambda over the length [-]. It keeps the matrix of a step regular in a singular pose.
static const double LEAST_DAMPING = 1e-3;
// A step is accepted if it lowers |e|^2/2 by at least this share [-].
static const double LEAST_GAIN = 1e-6;
enum { MOST_DAMPINGS = 10 }; // A step is tried with at most this many dampings.
// The damping of a step that brings the tip no nearer grows by this factor [-].
static const double DAMPING_GROWTH = 10;

// Is the arm in a local minimum of the distance? Uses the bounds and Jw of the step; writes arm->wish and arm->x.
static int is_stationary(hfArm* arm, const hfiSearch* search) {
  seek_posture(arm, search->config, 0);
  minimise(arm, search->error, sqr(LEAST_DAMPING * search->config->length));

  // what the best step leaves of |e|^2/2
  double rest = 0;
  for (int k = 0; k < 6; ++k) rest += 0.5 * sqr(search->error[k] - hfi_dot(arm->Jw + k * arm->n, arm->x, arm->n));
  return rest > (1 - STATIONARY_SHARE) * search->size;
}

// Makes one step of (2) from q. Returns 1, with the new q and the number of joints at a bound. Returns 0, with q
// unchanged, in a local minimum and if no damping brings the tip nearer.
static int descend(hfArm* arm, hfiSearch* search, double* q, int* limited) {
  double before = search->size; // |ew|^2/2
  double lambda2 = sqr(LEAST_DAMPING * search->config->length) + search->trust * before;

  hfi_arm_weigh(arm, search->config->length);
  bound_step(arm, q);
  if (is_stationary(arm, search)) return 0;

  seek_posture(arm, search->config, search->config->posture_gain);
  double start[6];
  memcpy(start, search->error, sizeof start);

  // only the first trial seeks the posture; the damping grows
  for (int k = 0; k < MOST_DAMPINGS; ++k) {
    if (k > 0) seek_posture(arm, search->config, 0);

    *limited = minimise(arm, start, lambda2);
    for (int i = 0; i < arm->n; ++i) arm->trial[i] = q[i] + arm->x[i];
    hf_arm_move(arm, arm->trial);
    measure(arm, search);

    // it brings the tip nearer
    if (search->size < before * (1 - LEAST_GAIN)) {
      memcpy(q, arm->trial, sizeof *q * (size_t)arm->n);
      return 1;
    }

    hf_arm_move(arm, q);
    lambda2 *= DAMPING_GROWTH;
  }

  measure(arm, search);
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
static hfStatus seek(hfArm* arm, hfiSearch* search, double* q, hfIkReport* report) {
  for (int i = 0; i < arm->n; ++i) q[i] = clamp(q[i], arm->joint[i].lo, arm->joint[i].hi);
  hf_arm_move(arm, q);
  measure(arm, search);
  search->trust = 1;

  for (int k = 0; !is_reached(search); ++k) {
    if (report->iterations >= search->config->iterations) return HF_NOT_CONVERGED;
    if (k >= PATIENCE) search->trust *= 0.5;
    report->iterations++;
    if (!descend(arm, search, q, &report->limited)) return HF_NO_SOLUTION;
  }
  return HF_OK;
}

// Finds coordinates q that bring the tip to X_WT, from q and then from random starts; keeps the nearest. Returns HF_OK,
// HF_NO_SOLUTION if every descent ended elsewhere, HF_NOT_CONVERGED if the iterations are used up, or a status < 0 for
// a refusal.
hfStatus hf_arm_solve(hfArm* arm, hfPose X_WT, const hfIkConfig* config, double* q, hfIkReport* report) {
  hfStatus status = check_search_config(arm, config);
  if (status < 0) return status;
  if (!is_finite_pose(X_WT) || !hfi_all_finite(q, arm->n)) return HF_ERROR_NONFINITE;

  hfiSearch s = {.target = X_WT, .config = config};
  hfIkReport work = {0};
  hfIkReport* r = report ? report : &work;
  memset(r, 0, sizeof *r);

  size_t bytes = sizeof *q * (size_t)arm->n;
  uint64_t seed = config->seed;
  double nearest = INFINITY;
  int limited = 0;

  // descents from q, then from random starts
  while (1) {
    status = seek(arm, &s, q, r);
    if (s.size < nearest) {
      nearest = s.size;
      limited = r->limited;
      memcpy(arm->best, q, bytes);
    }
    if (status != HF_NO_SOLUTION || r->restarts >= config->restarts) break;

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
