// The largest violations of equalities and limits at a configuration, and those that let go.
//
//   connect, weld   |p_W1 - p_W2| [m], and |e| of the turn e of a weld [rad] (equality.c)
//   joint, tendon   |r| of the coupling, in the unit of its first joint or tendon
//   limit           range0 - x or x - range1, of a ball its angle less the largest: the range itself, without margin
#include "step/actuation/inside.h"

#include "base/gather.h"
#include "step/law/solref.h"
#include "model/joint.h"
#include "model/path.h"

// Equalities and limits let go if their error grows faster than this share of the release speed, at which it should
// fall [-].
static const double LET_GO_SPEED_SHARE = 0.1;

// An equality also lets go, although its rows close, if its error grows by this share within a step [-]. An equality
// that starts far open and fast, and is being braked, does not.
static const double LEAP_SHARE = 0.1;

// Whether equality i is a connect or weld.
static int is_attachment(const hfModel* m, int i) {
  return hf_model_eq_type(m)[i] == HF_EQUALITY_CONNECT || hf_model_eq_type(m)[i] == HF_EQUALITY_WELD;
}

// Whether the model has anything that can be violated.
int hfi_has_violations(const hfActuation* a) {
  int any = a->model->neq > 0 || hfi_any_range(&a->passive.ranges);
  for (int t = 0; t < a->model->ntendon; ++t) any |= hf_model_tendon_limited(a->model)[t];
  return any;
}

// Whether violations depend on poses: those of attachments and of spatial tendons do.
int hfi_violations_need_poses(const hfModel* m) {
  for (int i = 0; i < m->neq; ++i)
    if (is_attachment(m, i)) return 1;
  for (int t = 0; t < m->ntendon; ++t)
    if (hfi_tendon_is_spatial(m, t)) return 1;
  return 0;
}

// Replaces *worst by this violation if it is larger.
static void keep_larger(hfViolation* worst, double amount, int kind, int id) {
  if (amount > worst->amount) *worst = (hfViolation){amount, kind, id};
}

// Whether the length of a tendon is an angle: the tendon is fixed and has only joints whose coordinate is an angle.
static int is_tendon_angle(const hfModel* m, int t) {
  if (hfi_tendon_is_spatial(m, t)) return 0;

  int first = hf_model_tendon_adr(m)[t];
  for (int w = first; w < first + hf_model_tendon_num(m)[t]; ++w) {
    int joint = hf_model_wrap_obj(m)[w];
    if (!hfi_joint_kinds[hf_model_jnt_type(m)[joint]].info.is_angle) return 0;
  }
  return 1;
}

// Whether the coordinate of a joint or the length of a tendon is an angle.
static int is_angle(const hfModel* m, int kind, int id) {
  return kind == HF_OBJECT_TENDON ? is_tendon_angle(m, id) : hfi_joint_kinds[hf_model_jnt_type(m)[id]].info.is_angle;
}

// ---- equalities -------------------------------------------------------------------------------------

// Keeps the error of coupling i in *v if it is the largest so far.
static void keep_coupling_error(const hfActuation* a, const hfDynamics* d, int i, const double* q, hfViolations* v) {
  const hfModel* m = a->model;
  int angle = is_angle(m, hf_model_eq_objkind(m)[i], hf_model_eq_obj1(m)[i]);
  hfViolation* worst = angle ? &v->equality_angle : &v->equality_distance;
  keep_larger(worst, fabs(hfi_coupling_error(a, d, i, q)), HF_OBJECT_EQUALITY, i);
}

// Keeps the errors of a connect or weld in *v where they are the largest so far.
static void keep_attachment_errors(const hfActuation* a, const hfDynamics* d, int i, const double* q, hfViolations* v) {
  hfiEquality e = hfi_equality_evaluate(a, d, i, q);
  if (e.dim) keep_larger(&v->equality_distance, v3_norm(v3_load(e.r)), HF_OBJECT_EQUALITY, i);
  if (e.dim == 6) keep_larger(&v->equality_angle, v3_norm(v3_load(e.r + 3)), HF_OBJECT_EQUALITY, i);
}

// ---- limits -----------------------------------------------------------------------------------------

// Returns how far x is beyond the nearer end of a range; negative if it is inside.
static inline double beyond_range(const double* range, double x) { return max2(range[0] - x, x - range[1]); }

// Keeps the angle by which ball joint j is beyond its range in *v if it is the largest so far. q (4): its coordinates.
static void keep_ball_violation(const hfModel* m, int j, const double* q, hfViolations* v) {
  hfiJointLimit limit[HFI_MAX_JOINT_LIMITS];
  int count = hfi_joint_limits(m, j, q, limit);
  for (int k = 0; k < count; ++k) {
    double way_left = limit[k].phi + hf_model_jnt_margin(m)[j]; // phi is this way less the margin (model/joint.h)
    keep_larger(&v->limit_angle, -way_left, HF_OBJECT_JOINT, j);
  }
}

// Keeps in *v by how much a hinge or slide is beyond its range, if this is the largest so far.
static void keep_range_violation(const hfModel* m, int j, double beyond, hfViolations* v) {
  hfViolation* worst = is_angle(m, HF_OBJECT_JOINT, j) ? &v->limit_angle : &v->limit_distance;
  if (beyond > 0) keep_larger(worst, beyond, HF_OBJECT_JOINT, j);
}

// Keeps in *v the largest violations of the ranges of hinges and slides, in a model in which no ball has a limit. Few
// are beyond their ranges, so that several are examined at a time.
static void keep_range_violations(const hfActuation* a, const double* q, hfViolations* v) {
  const hfiRanges* r = &a->passive.ranges;

  for (int k = 0; k < r->n; k += HFI_LANES) {
    hfiLanes x = hfi_gather_numbers(q, r->qposadr + k);
    hfiLanes beyond = hfi_lanes_max(hfi_lanes_load(r->low + k) - x, x - hfi_lanes_load(r->high + k));
    if (hfi_lanes_at_most(beyond, hfi_lanes_of(0)) == HFI_ALL_LANES) continue;

    for (int i = 0; i < HFI_LANES && k + i < r->n; ++i) keep_range_violation(a->model, r->joint[k + i], beyond[i], v);
  }
}

// Keeps in *v the largest violations of the limits of all joints. Among equal ones the first joint counts.
static void keep_joint_violations(const hfModel* m, const double* q, hfViolations* v) {
  const double* range = hf_model_jnt_range(m);

  for (int j = 0, n = m->njnt; j < n; ++j) {
    int adr = hf_model_jnt_qposadr(m)[j];
    if (!hf_model_jnt_limited(m)[j]) continue;
    if (hf_model_jnt_type(m)[j] == HF_JOINT_BALL) keep_ball_violation(m, j, q + adr, v);
    else keep_range_violation(m, j, beyond_range(range + 2 * j, q[adr]), v);
  }
}

// Keeps in *v the largest violations of the ranges of tendons.
static void keep_tendon_violations(const hfDynamics* d, const double* q, hfViolations* v) {
  const hfModel* m = d->model;
  for (int t = 0; t < m->ntendon; ++t) {
    if (!hf_model_tendon_limited(m)[t]) continue;

    double beyond = beyond_range(hf_model_tendon_range(m) + 2 * t, hfi_tendon_length(d, t, q));
    hfViolation* worst = is_angle(m, HF_OBJECT_TENDON, t) ? &v->limit_angle : &v->limit_distance;
    if (beyond > 0) keep_larger(worst, beyond, HF_OBJECT_TENDON, t);
  }
}

// Keeps the errors of equality i in *v where they are the largest so far.
static void keep_equality_errors(const hfActuation* a, const hfDynamics* d, int i, const double* q, hfViolations* v) {
  if (is_attachment(a->model, i)) keep_attachment_errors(a, d, i, q, v);
  else keep_coupling_error(a, d, i, q, v);
}

// Returns the largest violations at q (nq) of equalities, limits of joints and limits of tendons. Only if one of them
// is large, hfi_find_let_go asks which let go.
hfViolations hfi_find_violations(const hfActuation* a, const hfDynamics* d, const double* q) {
  const hfModel* m = a->model;
  hfViolations v = {0};
  for (int i = 0; i < m->neq && !m->world.disable_equality; ++i)
    if (hf_model_eq_active(m)[i]) keep_equality_errors(a, d, i, q, &v);

  if (m->world.disable_limit) return v;
  if (a->passive.ranges.any_ball) keep_joint_violations(m, q, &v);
  else keep_range_violations(a, q, &v);
  if (m->ntendon) keep_tendon_violations(d, q, &v);
  return v;
}

// ---- equalities that let go -------------------------------------------------------------------------

// Counts one that lets go, and keeps the first.
static void count_let_go(hfiLetGo* go, int kind, int id) {
  if (go->count++ > 0) return;
  go->kind = kind;
  go->id = id;
}

// Returns the error of equality i, or of the rotation of a weld, at q (nq) [m or rad].
static double find_error(const hfActuation* a, const hfDynamics* d, int i, int is_rotation, const double* q) {
  hfViolations v = {0};
  keep_equality_errors(a, d, i, q, &v);

  // a coupling has either a distance or an angle
  if (!is_attachment(a->model, i)) return max2(v.equality_distance.amount, v.equality_angle.amount);
  return is_rotation ? v.equality_angle.amount : v.equality_distance.amount;
}

// Returns the speed at which the error of rows grows at the velocities of the end of the step [m/s or rad/s]. It is
// measured against s0, at which the error falls.
static double find_row_opening_speed(const hfActuation* a, const hfiOverload* o) {
  const hfSaturatedRow* row = hfi_rows_laws(&a->rows, o->block);
  double speed[6];
  hfi_rows_velocity(&a->rows, o->block, a->notes.v1, speed);

  int first = 3 * o->is_rotation;
  double along = 0;
  double aim2 = 0;
  for (int i = first; i < first + o->n; ++i) {
    along -= speed[i] * row[i].s0;
    aim2 += sqr(row[i].s0);
  }
  return aim2 > 0 ? along / sqrt(aim2) : 0;
}

// Whether an overloaded equality opens, in a step that ends at q (nq). Rows know only the directions of the start of
// the step: if bodies turn fast, an equality may open although its rows close. So the errors at both ends of the step
// are compared, too.
static int is_opening(const hfActuation* a, const hfDynamics* d, const hfiOverload* o, const double* q) {
  double least_speed = LET_GO_SPEED_SHARE * a->model->world.release_speed;
  if (find_row_opening_speed(a, o) > least_speed) return 1;

  double growth = find_error(a, d, o->equality, o->is_rotation, q) - o->error;
  return growth > max2(least_speed * a->h, LEAP_SHARE * o->error);
}

// Counts the overloaded equalities that open.
static void count_overloaded_equalities(const hfActuation* a, const hfDynamics* d, const double* q, hfiLetGo* go) {
  int last = -1;
  for (const hfiOverload *o = a->notes.overload, *end = o + a->notes.noverload; o < end; ++o) {
    if (o->equality == last || !is_opening(a, d, o, q)) continue;
    count_let_go(go, HF_OBJECT_EQUALITY, o->equality);
    last = o->equality; // The two halves of a weld are one equality.
  }
}

// ---- limits that let go -----------------------------------------------------------------------------

// A near-rigid limit lets go only if it is passed by more than this angle, or by more than this length or the width of
// its range, whichever is less [m or rad]. The range then no longer means anything.
static const double LARGEST_PASSED = 0.1;
// A limit that is passed by less than this does not let go [m or rad]: the joint returns within RELEASE_TIME (limit.c).
static const double LEAST_PASSED = 0.01;
// A limit with MuJoCo's law, or in continuous time, is a spring that an impact compresses. It lets go only if it is
// passed by more than this [m or rad].
static const double SOFT_PASSED = 1;

// Returns how far the limit of a joint or tendon with a range of this width may be passed before it lets go [m or rad].
// A limit with a stiffness of its own does not let go.
static double find_passable_distance(const hfModel* m, const hfiLimitLaws* laws, int kind, int id, double width) {
  int is_tendon = kind == HF_OBJECT_TENDON;
  const double* solref = (is_tendon ? hf_model_tendon_limit_solref(m) : hf_model_jnt_limit_solref(m)) + 2 * id;
  if (kind == HF_OBJECT_JOINT && hfi_is_given(hfi_joint_limit_given(m, id))) return INFINITY;
  int is_soft = laws->continuous || hfi_limit_is_soft(solref, laws->rigid, laws->soft_defaults);
  return is_soft ? SOFT_PASSED : clamp(width, LEAST_PASSED, LARGEST_PASSED);
}

// One limit at the end of a step.
typedef struct Passed {
  double beyond; // distance beyond the range [m or rad]
  // width of a range of lengths, or of the angles that a ball cannot reach; INFINITY for other angles, which may have
  // narrow ranges
  double width;
  double speed;  // rate of `beyond` [m/s or rad/s]
} Passed;

// Whether the limit of a joint or tendon, passed like this, lets go.
static int lets_go(const hfModel* m, const hfiLimitLaws* laws, int kind, int id, Passed p) {
  if (!(p.beyond > LEAST_PASSED && p.speed > LET_GO_SPEED_SHARE * m->world.release_speed)) return 0;
  return p.beyond > find_passable_distance(m, laws, kind, id, p.width);
}

// Returns how ball j passes its limit; q (4), v (3): of the ball. A ball that turns further in a step than it is beyond
// its limit may have passed through the forbidden angles. Then its whole speed counts as going beyond the limit.
static Passed find_passed_ball(const hfModel* m, const hfiLimitLaws* laws, int j, const double* q, const double* v) {
  hfiJointLimit limit[HFI_MAX_JOINT_LIMITS];
  if (!hfi_joint_limits(m, j, q, limit)) return (Passed){0};

  double beyond = -limit->phi - hf_model_jnt_margin(m)[j];
  double turning = v3_norm(v3_load(v));
  double speed = -v3_dot(v3_load(limit->J), v3_load(v));
  if (laws->h * turning > beyond) speed = turning;
  return (Passed){beyond, HFI_PI - hf_model_jnt_range(m)[2 * j + 1], speed};
}

// Returns how joint j passes its limit at q (nq), v (nv).
static Passed find_passed_joint(const hfModel* m, const hfiLimitLaws* laws, int j, const double* q, const double* v) {
  const double* range = hf_model_jnt_range(m) + 2 * j;
  q += hf_model_jnt_qposadr(m)[j];
  v += hf_model_jnt_dofadr(m)[j];
  if (hf_model_jnt_type(m)[j] == HF_JOINT_BALL) return find_passed_ball(m, laws, j, q, v);

  double width = is_angle(m, HF_OBJECT_JOINT, j) ? INFINITY : range[1] - range[0];
  return (Passed){beyond_range(range, *q), width, *q > range[1] ? *v : -*v};
}

// Returns how tendon t passes its limit at q (nq), v (nv). Its path turns within a step, so in discrete time its speed
// is found from its lengths at both ends of the step.
static Passed find_passed_tendon(const hfActuation* a, const hfDynamics* d, const hfiLimitLaws* laws, int t,
                            const double* q, const double* v) {
  const double* range = hf_model_tendon_range(a->model) + 2 * t;
  double length = hfi_tendon_length(d, t, q);
  double speed = 0;
  for (int k = a->tendons.start[t]; k < a->tendons.start[t + 1]; ++k)
    speed += a->tendons.J[k] * v[a->tendons.dof[k]];
  if (!laws->continuous) speed = (length - a->notes.start_length[t]) / a->h;

  double width = is_tendon_angle(a->model, t) ? INFINITY : range[1] - range[0];
  return (Passed){beyond_range(range, length), width, length > range[1] ? speed : -speed};
}

// Counts the limits of joints and tendons that let go at q (nq), v (nv).
static void count_limits(const hfActuation* a, const hfDynamics* d, const hfiLimitLaws* laws, const double* q,
                          const double* v, hfiLetGo* go) {
  const hfModel* m = a->model;
  for (int j = 0; j < m->njnt; ++j) {
    if (!hf_model_jnt_limited(m)[j]) continue;
    Passed passed = find_passed_joint(m, laws, j, q, v);
    if (lets_go(m, laws, HF_OBJECT_JOINT, j, passed)) count_let_go(go, HF_OBJECT_JOINT, j);
  }

  for (int t = 0; t < m->ntendon; ++t) {
    if (!hf_model_tendon_limited(m)[t]) continue;
    Passed passed = find_passed_tendon(a, d, laws, t, q, v);
    if (lets_go(m, laws, HF_OBJECT_TENDON, t, passed)) count_let_go(go, HF_OBJECT_TENDON, t);
  }
}

// ---- soft equalities that let go --------------------------------------------------------------------

// A soft equality with a time constant up to this is meant to hold, others may be springs that somebody wants to swing
// [s].
static const double QUICK_TIME_CONSTANT = 0.1;

// Whether equality i has MuJoCo's law with a short time constant.
static int is_quick_equality(const hfModel* m, const hfiLimitLaws* laws, int i) {
  double time = hf_model_eq_solref(m)[2 * i];
  if (time == 0 && laws->soft_defaults) time = HFI_DEFAULT_SOLREF[0];
  return !laws->rigid_equalities && time > 0 && time <= QUICK_TIME_CONSTANT;
}

// Whether a soft equality, or the rotation of a weld, is far open at q (nq) and opens further at v (nv).
static int is_far_open(hfActuation* a, const hfDynamics* d, int i, const double* q, const double* v) {
  hfiEquality e = hfi_equality_evaluate(a, d, i, q);
  double least_speed = LET_GO_SPEED_SHARE * a->model->world.release_speed;
  if (!e.dim) return 0;

  int nparts = e.dim == 6 ? 2 : 1; // the second is the rotation of a weld
  for (int part = 0; part < nparts; ++part) {
    if (!(find_error(a, d, i, part, q) > SOFT_PASSED)) continue;
    if (hfi_equality_opening_speed(a, d, i, &e, part, v) > least_speed) return 1;
  }
  return 0;
}

// Counts the quick soft equalities that are far open and open further.
static void count_soft_equalities(hfActuation* a, const hfDynamics* d, const hfiLimitLaws* laws, const double* q,
                                   const double* v, hfiLetGo* go) {
  for (int i = 0; i < a->model->neq; ++i)
    if (is_quick_equality(a->model, laws, i) && is_far_open(a, d, i, q, v)) count_let_go(go, HF_OBJECT_EQUALITY, i);
}

// ---- all that lets go -------------------------------------------------------------------------------

// Finds what lets go in a step that ends at q (nq), v (nv) with these violations. Asks only the kinds whose largest
// violation is beyond the least at which one lets go.
hfiLetGo hfi_find_let_go(hfActuation* a, const hfDynamics* d, const hfViolations* violations,
                         const hfiLimitLaws* laws, const double* q, const double* v) {
  double of_equalities = max2(violations->equality_distance.amount, violations->equality_angle.amount);
  double of_limits = max2(violations->limit_distance.amount, violations->limit_angle.amount);
  hfiLetGo go = {0};

  if (!laws->continuous) {
    count_overloaded_equalities(a, d, q, &go);
    if (of_equalities > SOFT_PASSED) count_soft_equalities(a, d, laws, q, v, &go);
  }
  if (of_limits > LEAST_PASSED) count_limits(a, d, laws, q, v, &go);
  return go;
}
