// Did a step give its world energy that no work explains? Then it was too long for the scene, a solver failed, or the scene contradicts
// itself: the step reports a gain, and HF_GAINED_ENERGY where the gain is notable.
//
// One step, from (q0, v0) to (q1, v1) in the time h. With the energy E = T + V, T kinetic, V the potential of gravity and springs:
//
//   gain = E(q1, v1) - E(q0, v0) - W - C - R
//
//   W   work of actuators, input forces and gravity compensation: at most h times their power, the larger one of both ends. In continuous time a
//       stiff servo may push and brake within a step, so that power tells little: a plain one does at most the integral of its force at rest over its length.
//       Where there are equalities, which may pull against servos, the larger one of both counts
//   C   energy of the contacts' overlaps, which pushes bodies apart: sum of f_n depth/2. The rigid contacts of mlcp give m u^2/2 each instead,
//       with the mass m of the world and the release speed u. In continuous time overlaps and limits are springs, and C is what they hold less
//       at the end, with U the sum of k depth^2/2 and L that of the limits: (U0 - U1) + (L0 - L1)+. Points of a pair may come and go: the
//       first is at least h times the power of overlaps that open, and at most U0. The layers of the method "switching" hold a known energy
//       at both ends, which is part of E; it has no other C
//   R   energy with which violated limits and equalities may close, at the release speed u: M_ii u^2/2 for a joint beyond its limit; m u^2/2 with
//       the mass m of the trees for points that are held together and apart by more than WIDE (their laws see to that); u^2/(2 w) with
//       the mean inverse mass w for other groups of rows, which is at most 3 u^2 sum M_ii/2. A soft equality is a spring whose energy is not
//       known here: it counts as SPRINGS such groups. A step of discrete time knows the work that they did (discrete/results.c): where that is
//       less, it is R. Methods of continuous time bound what rigid equalities that are open may give (continuous/accel_equality.c)
//
// W, C and R are bounds from above, and all that is left out takes energy: what remains was gained.
//
// Many steps. A gain that is small in each step shows in the balance of steps that followed each other,
//
//   B = sum of E(q1, v1) - E(q0, v0) - W - C,   kept at or above -T_m,   T_m the largest T of these steps
//
// Springs of limits and contacts that swing take and give back T_m at most, and R is given once, not in every step. So B > T_m/4 + R is a
// gain, after which the balance begins anew. In discrete time R is here at most the sum of the R of all these steps.
//
// When a step is judged. The check needs the kinematics of both ends of the step, of which the start is mostly known from the step before. It
// is made where some dof is FAST, or goes FAR in the step, or becomes faster by a LEAP, or where layers begin with more than m u^2/2. It is not made with bodies that are
// moved by hand, surfaces that move or materials that pull, whose work no step knows, nor under error control, which bounds a gain by itself.
#include "sim/sim.h"

#include "continuous/continuous.h"
#include "linalg/dense.h"
#include "switching/switching.h"

#include <string.h>

static const double FAST = 20;     // A step is checked where a dof has this speed [m/s or rad/s],
static const double FAR = 0.1;     // or goes this far in it: a turn by 0.1 rad gives an error of a percent [m or rad],
static const double LEAP = 5;      // or becomes faster by this much [m/s or rad/s].
static const double CLOSED = 1e-3; // Error up to which an equality counts as closed [m or rad].
static const double WIDE = 0.02;   // Error from which the release of points that are apart is bounded by the mass of their trees [m].
enum { SPRINGS = 12 };             // So many groups of three rows a soft equality counts as.
static const double NOTABLE = 0.1; // A gain becomes a status above this share of the energy that the step had or was given [-],
static const double NOTABLE_BALANCE = 0.25; // and a balance above this share of T_m [-].

// Whether some dof is fast at the end of a step from velocities v0 to v1, or became much faster in it.
static int any_is_fast(const double* v0, const double* v1, int n, double h) {
  double fast = h * FAST > FAR ? FAR / h : FAST, least = min2(fast, LEAP);
  if (hfi_dot(v1, v1, n) <= least * least) return 0;
  for (int i = 0; i < n; ++i)
    if (!(fabs(v1[i]) <= fast && fabs(v1[i]) <= fabs(v0[i]) + LEAP)) return 1;
  return 0;
}

// Methods of continuous time. They have copies of the contacts of the end of the step, so that the world may look for others.
static int is_continuous(const hfSim* s) { return s->method == &hfi_method_continuous; }

// In continuous time the work of a plain servo on a hinge or slide follows from its lengths at both ends of a step: its force is clip(c + b l + d s), and a damper,
// d <= 0, takes energy. What drives do that have activations or follow signals does not.
static int has_known_work(const hfSim* s, int i) {
  const hfActuation* a = &s->world->actuation;
  const hfiServo* servo = &a->servo[i];
  if (!is_continuous(s) || !servo->direct || hf_model_actuator_actadr(s->model)[i] >= 0) return 0;
  if (s->config.scene_signals && hf_model_actuator_signal(s->model)[i] >= 0) return 0;
  return servo->gain[2] * a->input[i] + servo->bias[2] <= 0;
}

// Integral of clip(y) from 0.
static double integrate_clipped(double y, double lo, double hi) {
  double kept = clamp(y, lo, hi);
  return kept * y - 0.5 * kept * kept;
}

// The most work of such servos from the start of the step, where the actuation is, to the lengths of its end: the integral of clip(c + b l). An equality that
// closes against a servo does the work that the servo takes: where there are equalities, what servos take counts, too.
static double known_work(const hfSim* s) {
  const hfActuation* a = &s->world->actuation;
  double sum = 0;
  for (int i = 0; i < s->model->nu; ++i) {
    const hfiServo* servo = &a->servo[i];
    double u = a->input[i], c = servo->gain[0] * u + servo->bias[0], b = servo->gain[1] * u + servo->bias[1], from = a->length[i], to = s->end_length[i];
    if (!has_known_work(s, i)) continue;
    double work = b == 0 ? clamp(c, servo->lo, servo->hi) * (to - from)
                         : (integrate_clipped(c + b * to, servo->lo, servo->hi) - integrate_clipped(c + b * from, servo->lo, servo->hi)) / b;
    sum += s->model->neq ? fabs(work) : work;
  }
  return sum;
}

// |power| of everything else that does work but gravity, springs and contacts, at q, where the dynamics is, and its velocities; with equalities that of all
// servos, too.
static double power_bound(hfSim* s, const double* q, const hfInput* in) {
  const hfModel* m = s->model;
  const hfDynamics* d = &s->world->dynamics;
  hfActuation* a = &s->world->actuation;
  hf_actuation_update(a, d, q);
  double power = 0;
  for (int i = 0; i < m->nu; ++i)
    if (m->neq || !has_known_work(s, i)) power += fabs(a->force[i] * a->velocity[i]);
  for (int i = 0; i < m->nv; ++i) power += fabs((fabs(a->gravcomp[i]) + fabs(a->target_force[i])) * d->v[i]);
  for (int i = 0; in && in->force && i < m->nv; ++i) power += fabs(in->force[i] * d->v[i]);
  for (int b = 1; in && in->wrench && b < m->nbody; ++b) {
    hfMotion V = hf_dynamics_point_velocity(d, b, d->X_WB[b].p);
    power += v3_norm(in->wrench[b].n) * v3_norm(V.w) + v3_norm(in->wrench[b].f) * v3_norm(V.v);
  }
  return power;
}

// Kinetic energy, and T + V, at a state, which the dynamics is taken to.
static hfiEnergy energy_at(hfSim* s, const double* q, const double* v, const hfInput* in) {
  hfDynamics* d = &s->world->dynamics;
  hfi_world_place(s->world, q, in);
  hf_dynamics_velocity(d, v);
  double kinetic = hf_dynamics_kinetic_energy(d);
  return (hfiEnergy){kinetic, kinetic + hf_dynamics_potential_energy(d, q)};
}

// m u^2/2 with the mass m of the world and the release speed u.
static double kinetic_of_release(const hfModel* m) { return 0.5 * hf_model_body_subtreemass(m)[0] * sqr(m->world.release_speed); }

// The rigid contacts of mlcp hold no energy: they give what they may at the release speed (discrete/release.c).
static double contact_energy(const hfSim* s) {
  if (!s->method->discrete) return 0;
  double sum = 0, rigid = kinetic_of_release(s->model);
  for (int i = 0, n = s->method->contact_count(s->run); i < n; ++i) {
    hfContact c = s->method->contact(s->run, i);
    if (c.depth > 0) sum += s->config.method == HF_METHOD_MLCP ? rigid : 0.5 * c.fn * c.depth;
  }
  return sum;
}

// What the springs of contacts and limits hold at a state, and the power with which overlaps open.
typedef struct Springs {
  double overlaps, limits; // [J]
  double power;            // [W]
} Springs;

// Speed at which the two bodies of a contact part.
static double parting_speed(const hfDynamics* d, const hfiContact* c) {
  hfMotion a = hf_dynamics_point_velocity(d, c->body_a, c->p_W), b = hf_dynamics_point_velocity(d, c->body_b, c->p_W);
  return v3_dot(c->n, v3_sub(a.v, b.v));
}

// The springs of continuous time at positions q, where the dynamics is.
static Springs springs_at(hfSim* s, const double* q) {
  hfiWorld* w = s->world;
  Springs at = {0, hfi_accel_limit_energy(((const hfiContinuous*)s->run)->accel, q), 0};
  hfi_world_find_contacts(w, 0, 0, NULL);
  for (int i = 0; i < w->ncontact; ++i) {
    const hfiContact* c = &w->contact[i];
    double force = c->material.stiffness * max2(c->depth, 0);
    at.overlaps += 0.5 * force * max2(c->depth, 0);
    at.power += force * max2(parting_speed(&w->dynamics, c), 0);
  }
  return at;
}

// The most that the springs of continuous time gave in a step of length h: what they hold less. Points of a pair may come and go, so that overlaps count
// that open, too, but they give no more than they held.
static double given_by_springs(Springs start, Springs end, double h) {
  return min2(start.overlaps, max2(start.overlaps - end.overlaps, h * start.power)) + max2(0, start.limits - end.limits);
}

// Sum of M_ii over the dofs of joints that are beyond a limit.
static double mass_beyond_limits(const hfDynamics* d, const double* q) {
  const hfModel* m = d->model;
  double sum = 0;
  for (int j = 0; j < m->njnt; ++j) {
    if (!hf_model_jnt_limited(m)[j]) continue;
    hfiJointLimit limit[HFI_MAX_JOINT_LIMITS];
    int beyond = 0, first = hf_model_jnt_dofadr(m)[j], n = hfi_joint_nv(hf_model_jnt_type(m)[j]);
    for (int k = hfi_joint_limits(m, j, q + hf_model_jnt_qposadr(m)[j], limit) - 1; k >= 0; --k) beyond |= limit[k].phi < 0;
    for (int i = first; beyond && i < first + n; ++i) sum += hfi_diagonal_mass(d, i);
  }
  return sum;
}

static int tendon_is_beyond(const hfSim* s, int t) {
  const double length = s->world->actuation.tendon_length[t], *range = hf_model_tendon_range(s->model) + 2 * t;
  return hf_model_tendon_limited(s->model)[t] && (length < range[0] || length > range[1]);
}

// Groups of rows that equalities and limits of tendons pull with.
typedef struct OpenGroups {
  int points;  // points that are apart by more than WIDE
  int others;  // of rigid equalities
  int springs; // of soft equalities, and of tendons
} OpenGroups;

static void add_open_groups(const hfSim* s, int i, const double* q, OpenGroups* open) {
  int makes_rigid = s->config.rigid_equalities && s->method->discrete; // an option of discrete time
  int soft = (hf_model_eq_solref(s->model)[2 * i] != 0 || s->config.mujoco_softness) && !makes_rigid;
  hfiEquality e = hfi_equality_evaluate(&s->world->actuation, &s->world->dynamics, i, q);
  double error = 0;
  for (int k = 0; k < e.dim; ++k) error = max2(error, fabs(e.r[k]));
  if (!(error > CLOSED)) return;
  int points = e.dim > 1 && !soft && v3_norm(v3_load(e.r)) > WIDE, groups = e.dim == 6 ? 2 : 1;
  open->points += points;
  if (soft) open->springs += SPRINGS * groups;
  else open->others += groups - points;
}

// The most that limits and equalities may give at positions q, where the dynamics are.
static double release_energy(hfSim* s, const double* q) {
  const hfDynamics* d = &s->world->dynamics;
  OpenGroups open = {0, 0, 0};
  for (int i = 0; i < s->model->neq; ++i) add_open_groups(s, i, q, &open);
  for (int t = 0; t < s->model->ntendon; ++t) open.springs += tendon_is_beyond(s, t);
  double mass = hf_model_body_subtreemass(s->model)[0], all = mass;
  hf_dynamics_mass_matrix(&s->world->dynamics);
  for (int i = 0; open.others + open.springs && i < s->model->nv; ++i) all += 3 * hfi_diagonal_mass(d, i);
  double half_u2 = 0.5 * sqr(s->model->world.release_speed), rigid = half_u2 * (open.points * mass + open.others * all);
  if (is_continuous(s)) rigid = min2(rigid, hfi_accel_release_energy(((const hfiContinuous*)s->run)->accel));
  return rigid + half_u2 * (mass_beyond_limits(d, q) + open.springs * all);
}

// What the layers of the method "switching" held at the start and the end of the step.
static hfiLayerEnergy layer_energy(const hfSim* s) {
  return s->method == &hfi_method_switching ? hfi_switching_energy(s->run) : (hfiLayerEnergy){0, 0, 0};
}

// ---- the start of a step --------------------------------------------------------------------------

static int starts_where_judged(const hfSim* s, const hfState* state) {
  return s->start_revision == s->world->revision &&
         memcmp(s->v0, hf_state_v(state), sizeof *s->v0 * (size_t)s->model->nv) == 0 &&
         memcmp(s->q0, hf_state_q(state), sizeof *s->q0 * (size_t)s->model->nq) == 0;
}

static void copy_start(hfSim* s, const hfState* state) {
  memcpy(s->q0, hf_state_q(state), sizeof *s->q0 * (size_t)s->model->nq);
  memcpy(s->v0, hf_state_v(state), sizeof *s->v0 * (size_t)s->model->nv);
}

void hfi_sim_keep_start(hfSim* s, const hfState* state) {
  if (s->start_is_judged && starts_where_judged(s, state)) return;
  s->start_is_judged = 0;
  copy_start(s, state);
}

// The end of this step is where the next one will most likely start.
static void keep_end(hfSim* s, const hfState* state, hfiEnergy end) {
  copy_start(s, state);
  s->start_energy = end, s->start_revision = s->world->revision, s->start_is_judged = 1;
}

// ---- the judgement --------------------------------------------------------------------------------

// What may have given a step energy [J].
typedef struct Explanation {
  double work;     // W + C
  double released; // R
} Explanation;

// Explains a change of energy [J], the cheap bounds first: the start of the step is looked at only where its end does not explain enough.
static Explanation explain(hfSim* s, const hfState* state, const hfInput* in, double h, double change) {
  if (change <= 0) return (Explanation){0, 0};
  double power = power_bound(s, hf_state_q(state), in), held = contact_energy(s), servos = 0;
  Explanation e = {h * power + held, 0};
  if (change <= e.work) return e;
  Springs end = is_continuous(s) ? springs_at(s, hf_state_q(state)) : (Springs){0, 0, 0};
  if (s->model->nu) memcpy(s->end_length, s->world->actuation.length, sizeof *s->end_length * (size_t)s->model->nu);
  energy_at(s, s->q0, s->v0, in);
  power = max2(power, power_bound(s, s->q0, in));
  if (is_continuous(s)) held = given_by_springs(springs_at(s, s->q0), end, h), servos = known_work(s);
  e.work = max2(0, held + (s->model->neq ? max2(h * power, servos) : h * power + servos));
  e.released = release_energy(s, s->q0);
  if (s->method->discrete) e.released = min2(e.released, hfi_discrete_row_work(s->discrete));
  hfi_world_place(s->world, hf_state_q(state), in);
  return e;
}

static void begin_balance(hfSim* s, double kinetic) { s->balance = (hfiEnergyBalance){0, 0, kinetic}; }

// Adds a step to the balance. Returns the balance where it is a gain, 0 otherwise. The dynamics is at the end of the step.
static double balance_step(hfSim* s, const hfState* state, double change, Explanation e, double kinetic) {
  hfiEnergyBalance* b = &s->balance;
  b->largest = max2(b->largest, kinetic);
  b->released += e.released;
  b->gained = max2(b->gained + change - e.work, -b->largest);
  double notable = NOTABLE_BALANCE * b->largest;
  if (b->gained <= notable) return 0;
  double released = release_energy(s, hf_state_q(state));
  if (s->method->discrete) released = min2(released, b->released);
  return b->gained > notable + released ? b->gained : 0;
}

static void report_gain(hfSim* s, double gain, double kinetic, hfStepReport* report) {
  report->energy_gain = gain;
  if (report->status == HF_OK) report->status = HF_GAINED_ENERGY;
  begin_balance(s, kinetic);
}

void hfi_sim_judge_energy(hfSim* s, const hfState* state, const hfInput* in, double h, hfStepReport* report) {
  const hfModel* m = s->model;
  if (m->nmocap > 0 || s->world->surfaces || s->world->is_sticky || s->config.accuracy > 0) return;
  hfiLayerEnergy layers = layer_energy(s);
  if (!any_is_fast(s->v0, hf_state_v(state), m->nv, h) && layers.made <= kinetic_of_release(m)) return;
  hfiEnergy start = s->start_is_judged ? s->start_energy : energy_at(s, s->q0, s->v0, in);
  hfiEnergy end = energy_at(s, hf_state_q(state), hf_state_v(state), in);
  if (!s->start_is_judged) begin_balance(s, start.kinetic);
  double change = end.total - start.total + layers.end - layers.start;
  Explanation e = explain(s, state, in, h, change);
  double gain = change <= e.work ? 0 : max2(0, change - e.work - e.released), total = balance_step(s, state, change, e, end.kinetic);
  report->energy_gain = gain;
  if (!(gain <= NOTABLE * (start.kinetic + e.work + e.released))) report_gain(s, gain, end.kinetic, report);
  else if (total > 0) report_gain(s, total, end.kinetic, report);
  keep_end(s, state, end);
}
