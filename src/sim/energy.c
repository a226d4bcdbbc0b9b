// Did a step give its world energy that no work explains? Then it was too long for the scene, a solver failed, or the scene contradicts
// itself: the step reports a gain, and HF_GAINED_ENERGY where the gain is notable (docs/theory/motion.md, "Energy that no work explains").
//
// One step, from (q0, v0) to (q1, v1) in the time h, with the energy E = T + V:
//
//   gain = E(q1, v1) - E(q0, v0) - W - C - R
//
//   T   kinetic energy                                                          V   potential of gravity and springs
//   W   work of actuators, input forces and gravity compensation                (energy_work.c)
//   C   energy of the contacts' overlaps, which pushes bodies apart             (energy_contact.c)
//   R   energy with which violated limits and equalities close                  (energy_release.c)
//
// W, C and R are upper bounds, and everything that the equation leaves out takes energy. So a positive remainder was gained.
//
// Many steps. A gain that is small in each step shows in the balance of steps that followed each other,
//
//   B = sum of E(q1, v1) - E(q0, v0) - W,   kept at or above -T_m,   T_m the largest T of these steps
//
// Swinging springs of limits and contacts take and give back at most T_m, and R and C are given once, not in every step. So B > T_m/4 + R + C_m is a gain, with
// the largest C of these steps, and the balance then starts again from zero. In discrete time this R is at most the sum of R over all these steps. In
// continuous time C is what springs give in the step, so that each step may have its own: it is part of W.
#include "sim/energy.h"

#include "linalg/dense.h"
#include "methods/switching/switching.h"

#include <string.h>

// A step is judged if one of these is true for some dof.
static const double FAST = 20; // The dof has at least this speed at the end of the step [m/s or rad/s].
static const double FAR = 0.1; // At that speed it would go this far in a step [m or rad]. A turn by 0.1 rad gives an error of a percent.
static const double LEAP = 5;  // It becomes faster by this much [m/s or rad/s].
// A gain is notable above this share of the energy that the step had or was given [-].
static const double NOTABLE = 0.1;
// A balance is a gain above this share of T_m [-].
static const double NOTABLE_BALANCE = 0.25;

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

// Keeps the energy at the end of this step, where the next one will most likely start.
static void keep_end(hfSim* s, const hfState* state, hfiEnergy end) {
  copy_start(s, state);
  s->start_energy = end, s->start_revision = s->world->revision, s->start_is_judged = 1;
}

// ---- when a step is judged ------------------------------------------------------------------------

// Whether some dof is fast at the end of a step from velocities v0 to v1, or became much faster in it.
static int any_is_fast(const double* v0, const double* v1, int n, double h) {
  double fast = h * FAST > FAR ? FAR / h : FAST, least = min2(fast, LEAP);
  if (hfi_dot(v1, v1, n) <= least * least) return 0;
  for (int i = 0; i < n; ++i)
    if (!(fabs(v1[i]) <= fast && fabs(v1[i]) <= fabs(v0[i]) + LEAP)) return 1;
  return 0;
}

// Is all work in this scene known? The work of mocap bodies, of moving surfaces and of materials that pull is not. Nor is that of joints that bend:
// their force has only nearly an energy. Under error control no step is judged: the error bounds its gain.
static int can_be_judged(const hfSim* s) {
  return s->model->nmocap == 0 && !s->world->surfaces && !s->world->is_sticky && !s->world->actuation.passive.bends && !(s->config.accuracy > 0);
}

// The energy that the layers of the method "switching" held at the start and at the end of the step.
static hfiLayerEnergy layer_energy(const hfSim* s) {
  return s->method == &hfi_method_switching ? hfi_switching_energy(s->run) : (hfiLayerEnergy){0, 0, 0};
}

// ---- the judgement --------------------------------------------------------------------------------

// Brings the world to a state. Returns its energies T and T + V.
static hfiEnergy energy_at(hfSim* s, const double* q, const double* v, const hfInput* in) {
  hfDynamics* d = &s->world->dynamics;
  hfi_world_place(s->world, q, in);
  hf_dynamics_velocity(d, v);
  double kinetic = hf_dynamics_kinetic_energy(d);
  return (hfiEnergy){kinetic, kinetic + hf_dynamics_potential_energy(d, q)};
}

// Upper bounds on the energy that a step may have been given [J].
typedef struct Explanation {
  double work;     // W + C
  double overlaps; // C of a method of discrete time, which is part of `work`
  double released; // R
} Explanation;

// W + C of a step. power1: the power at its end [W]; overlaps: the energy that its overlaps held [J]; end: what springs hold at its end. The world is
// at the start of the step.
static double bound_work(hfSim* s, const hfInput* in, double h, double power1, double overlaps, hfiHeldEnergy end) {
  double work = h * max2(power1, hfi_power_bound(s, s->q0, in));
  double given = hfi_given_energy(hfi_held_energy(s, s->q0), end, h);
  if (!hfi_is_continuous(s)) return max2(0, overlaps + given + work);
  double servos = hfi_servo_work(s);
  // With equalities, `work` includes the plain servos already.
  return max2(0, given + (s->model->neq ? max2(work, servos) : work + servos));
}

// Explains a change of energy [J]. Cheap bounds come first: the world goes to the start of the step only if the bounds at its end do not explain
// enough. The world is at the end of the step, before and after.
static Explanation explain(hfSim* s, const hfState* state, const hfInput* in, double h, double change) {
  if (change <= 0) return (Explanation){0, 0, 0};
  const double* q1 = hf_state_q(state);
  double power1 = hfi_power_bound(s, q1, in), overlaps = hfi_overlap_energy(s);
  Explanation e = {h * power1 + overlaps, overlaps, 0};
  if (change <= e.work) return e;
  hfiHeldEnergy end = hfi_held_energy(s, q1);
  if (s->model->nu) memcpy(s->end_length, s->world->actuation.length, sizeof *s->end_length * (size_t)s->model->nu);
  energy_at(s, s->q0, s->v0, in);
  e.work = bound_work(s, in, h, power1, overlaps, end);
  e.released = hfi_release_energy(s, s->q0);
  if (s->method->discrete) e.released = min2(e.released, hfi_discrete_row_work(s->discrete));
  hfi_world_place(s->world, q1, in);
  return e;
}

static void begin_balance(hfSim* s, double kinetic) { s->balance = (hfiEnergyBalance){0, 0, 0, kinetic}; }

// Adds a step to the balance. Returns the balance where it is a gain, 0 otherwise. The world is at the end of the step.
static double balance_step(hfSim* s, const hfState* state, double change, Explanation e, double kinetic) {
  hfiEnergyBalance* b = &s->balance;
  b->largest = max2(b->largest, kinetic);
  b->released += e.released;
  b->overlaps = max2(b->overlaps, e.overlaps);
  b->gained = max2(b->gained + change - (e.work - e.overlaps), -b->largest);
  double notable = NOTABLE_BALANCE * b->largest + b->overlaps;
  if (b->gained <= notable) return 0;
  double released = hfi_release_energy(s, hf_state_q(state));
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
  if (!can_be_judged(s)) return;
  hfiLayerEnergy layers = layer_energy(s);
  if (!any_is_fast(s->v0, hf_state_v(state), m->nv, h) && layers.made <= hfi_energy_at_release_speed(m)) return;
  hfiEnergy start = s->start_is_judged ? s->start_energy : energy_at(s, s->q0, s->v0, in);
  hfiEnergy end = energy_at(s, hf_state_q(state), hf_state_v(state), in);
  if (!s->start_is_judged) begin_balance(s, start.kinetic);
  double change = end.total - start.total + layers.end - layers.start;
  Explanation e = explain(s, state, in, h, change);
  double gain = change <= e.work ? 0 : max2(0, change - e.work - e.released);
  double balance = balance_step(s, state, change, e, end.kinetic);
  report->energy_gain = gain;
  if (!(gain <= NOTABLE * (start.kinetic + e.work + e.released))) report_gain(s, gain, end.kinetic, report);
  else if (balance > 0) report_gain(s, balance, end.kinetic, report);
  keep_end(s, state, end);
}
