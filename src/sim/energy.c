// Did a step give its world energy that no work explains? Then it was too long for the scene, a solver failed, or the
// scene contradicts itself: the step reports a gain, and HF_GAINED_ENERGY where the gain is notable
// (docs/theory/energy.md, "Energy that no work explains").
//
// One step, from (q0, v0) to (q1, v1) in the time h, with the energy E = T + V:
//
//   gain = E(q1, v1) - E(q0, v0) - W - C - R
//
//   T   kinetic energy                                                          V   potential of gravity and springs
//   W   work of actuators, input forces and gravity compensation                (energy_work.c)
//   C   energy of the contacts' overlaps, which pushes bodies apart             (the method: hfiMethodEnergy)
//   R   energy with which violated limits and equalities close                  (energy_release.c)
//
// W, C and R are upper bounds, and everything that the equation leaves out takes energy. So a positive remainder was
// gained.
//
//   C in discrete time     sum of f_n depth/2 over the overlaps at the end of the step
//     mlcp                 its rigid contacts hold no energy. They give what they may at the release speed u
//                          (step/discrete/release.c): m u^2/2 for each overlap, with the mass m of the world
//     continuous time      overlaps and limits are springs: C is what they hold less at the end of the step than at
//                          its start, min(U0, max(U0 - U1, h P)) + max(0, L0 - L1)
//     switching            max(0, L0 - L1): its limits are such springs, too. The energy of its layers is known at both
//                          ends of the step and part of E
//
//   U  sum of k depth^2/2 over the overlaps        P  sum of k depth vn over those overlaps that open
//   L  energy of the springs of limits             0, 1  start and end of the step
//
// P counts because points of a pair may come and go, so that U1 has overlaps that U0 has not.
//
// Many steps. A gain that is small in each step shows in the balance of steps that followed each other,
//
//   B = sum of E(q1, v1) - E(q0, v0) - W,   kept at or above -T_m,   T_m the largest T of these steps
//
// Swinging springs of limits and contacts take and give back at most T_m, and R and C are given once, not in every
// step. So B > T_m/4 + R + C_m is a gain, with the largest C of these steps, and the balance then starts again from
// zero. In discrete time this R is at most the sum of R over all these steps. In continuous time C is what springs give
// in the step, so that each step may have its own: it is part of W.
#include "sim/energy.h"

#include "linalg/dense.h"

#include <string.h>

// A step is judged if one of these is true for some dof.
static const double JUDGED_SPEED = 20; // The dof has at least this speed at the end of the step [m/s or rad/s].
// At its speed it would go this far in a step [m or rad]. A turn by 0.1 rad gives an error of a percent.
static const double JUDGED_TRAVEL = 0.1;
static const double JUDGED_SPEED_UP = 5; // It becomes faster by this much [m/s or rad/s].
// A gain is notable above this share of the energy that the step had or was given [-].
static const double NOTABLE_GAIN = 0.1;
// A balance is a gain above this share of T_m [-].
static const double NOTABLE_BALANCE = 0.25;

// ---- the start of a step --------------------------------------------------------------------------

// Keeps q and v of a state as those of the start of the step.
static void copy_start(hfiEnergyJudge* judge, const hfState* state) {
  memcpy(judge->q, hf_state_q(state), sizeof *judge->q * (size_t)state->nq);
  memcpy(judge->v, hf_state_v(state), sizeof *judge->v * (size_t)state->nv);
}

// Keeps the state in which a step begins. The energy and the balance stay fresh if it is the end of the step before.
void hfi_sim_keep_start(hfSim* s, const hfState* state) {
  hfiEnergyJudge* judge = &s->judge;
  int starts_where_judged = judge->is_fresh && judge->revision == s->world->revision &&
                            memcmp(judge->v, hf_state_v(state), sizeof *judge->v * (size_t)s->model->nv) == 0 &&
                            memcmp(judge->q, hf_state_q(state), sizeof *judge->q * (size_t)s->model->nq) == 0;
  if (starts_where_judged) return;
  judge->is_fresh = 0;
  copy_start(judge, state);
}

// ---- when a step is judged ------------------------------------------------------------------------

// Whether some dof is fast at the end of a step of length h from velocities v0 to v1 (n), or became much faster in it.
static int any_is_fast(const double* v0, const double* v1, int n, double h) {
  double fast = h * JUDGED_SPEED > JUDGED_TRAVEL ? JUDGED_TRAVEL / h : JUDGED_SPEED;
  double least = min2(fast, JUDGED_SPEED_UP);
  if (hfi_dot(v1, v1, n) <= least * least) return 0;

  for (int i = 0; i < n; ++i)
    if (!(fabs(v1[i]) <= fast && fabs(v1[i]) <= fabs(v0[i]) + JUDGED_SPEED_UP)) return 1;
  return 0;
}

// Is all work in this scene known? The work of mocap bodies, of moving surfaces and of materials that pull is not. Nor
// is the work of joints that bend: their force has only nearly an energy. Under error control no step is judged: the
// error bounds its gain.
static int can_be_judged(const hfSim* s) {
  const hfiWorld* w = s->world;
  return s->model->nmocap == 0 && !w->surfaces && !w->near.is_sticky && !w->actuation.passive.bends &&
         !(s->config.accuracy > 0);
}

// ---- what the method knows --------------------------------------------------------------------------

// What the springs of contacts and limits hold at positions q, where the world must be.
static hfiHeldEnergy find_held(const hfSim* s, const double* q) {
  return s->method->energy.held ? s->method->energy.held(s->run, q) : (hfiHeldEnergy){0, 0, 0};
}

// The largest energy that springs of contacts and limits can have given in a step of length h [J].
static double given_energy(hfiHeldEnergy start, hfiHeldEnergy end, double h) {
  double overlaps = max2(start.overlaps - end.overlaps, h * start.power);
  return min2(start.overlaps, overlaps) + max2(0, start.limits - end.limits);
}

// ---- the judgement --------------------------------------------------------------------------------

// Brings the world to a state. Returns its energies T and T + V.
static hfiEnergy energy_at(hfSim* s, const double* q, const double* v, const hfInput* in) {
  hfDynamics* d = &s->world->dynamics;
  hfi_world_place(s->world, q, in);
  hf_dynamics_set_velocity(d, v);
  double kinetic = hf_dynamics_kinetic_energy(d);
  return (hfiEnergy){kinetic, kinetic + hf_dynamics_potential_energy(d, q)};
}

// Upper bounds on the energy that a step may have been given.
typedef struct Explanation {
  double work;     // W + C [J]
  double overlaps; // C of a method of discrete time, which is part of `work` [J]
  double released; // R [J]
} Explanation;

// W + C of a step of length h [J], whose start is where the world is.
// power1: the power at its end [W]; overlaps: the energy that its overlaps held [J]; end: what springs hold at its end.
static double bound_work(hfSim* s, const hfInput* in, double h, double power1, double overlaps, hfiHeldEnergy end) {
  double work = h * max2(power1, hfi_power_bound(s, s->judge.q, in));
  double given = given_energy(find_held(s, s->judge.q), end, h);
  if (!hfi_method_is(s->method, HFI_CONTINUOUS_TIME)) return max2(0, overlaps + given + work);

  // With equalities, `work` includes the plain servos already.
  double servos = hfi_servo_work(s);
  return max2(0, given + (s->model->neq ? max2(work, servos) : work + servos));
}

// Explains a change of energy [J]. Cheap bounds come first: the world goes to the start of the step only if the bounds
// at its end do not explain enough. The world is at the end of the step, before and after.
static Explanation explain(hfSim* s, const hfState* state, const hfInput* in, double h, double change) {
  const hfiMethodEnergy* known = &s->method->energy;
  const double* q1 = hf_state_q(state);
  if (change <= 0) return (Explanation){0, 0, 0};

  // at the end
  double power1 = hfi_power_bound(s, q1, in);
  double overlaps = known->overlaps ? known->overlaps(s->run) : 0;
  Explanation e = {h * power1 + overlaps, overlaps, 0};
  if (change <= e.work) return e;
  hfiHeldEnergy end = find_held(s, q1);
  if (s->model->nu) memcpy(s->judge.end_length, s->world->actuation.length, sizeof(double) * (size_t)s->model->nu);

  // at the start
  energy_at(s, s->judge.q, s->judge.v, in);
  e.work = bound_work(s, in, h, power1, overlaps, end);
  e.released = hfi_release_energy(s, s->judge.q);
  if (known->row_work) e.released = min2(e.released, known->row_work(s->run));

  hfi_world_place(s->world, q1, in);
  return e;
}

// Begins a new balance: nothing gained, held or released yet. The largest kinetic energy so far is `kinetic` [J].
static void begin_balance(hfiEnergyJudge* judge, double kinetic) {
  judge->balance = (hfiEnergyBalance){0, 0, 0, kinetic};
}

// Adds a step to the balance B of the file's head. Returns B [J] where it is a gain, 0 otherwise. change: of the energy
// in this step [J]; e: its bounds; kinetic: T at its end [J]. The world is at the end of the step.
static double balance_step(hfSim* s, const hfState* state, double change, Explanation e, double kinetic) {
  hfiEnergyBalance* b = &s->judge.balance;
  b->largest = max2(b->largest, kinetic);
  b->released += e.released;
  b->overlaps = max2(b->overlaps, e.overlaps);
  // e.work - e.overlaps is W alone: in discrete time C counts once, below
  b->gained = max2(b->gained + change - (e.work - e.overlaps), -b->largest);

  double notable = NOTABLE_BALANCE * b->largest + b->overlaps;
  if (b->gained <= notable) return 0;
  double released = hfi_release_energy(s, hf_state_q(state));
  if (s->method->energy.row_work) released = min2(released, b->released);
  return b->gained > notable + released ? b->gained : 0;
}

// Compares the energies of a step of length h that ends in this state; judge->q and v are its start. Writes
// report->energy_gain and, where the gain is notable, the status; updates the balance of the sim. A step in which no
// dof is fast and layers made little energy is not judged.
void hfi_sim_judge_energy(hfSim* s, const hfState* state, const hfInput* in, double h, hfStepReport* report) {
  hfiEnergyJudge* judge = &s->judge;
  if (!can_be_judged(s)) return;
  hfiLayerEnergy layers = s->method->energy.layers ? s->method->energy.layers(s->run) : (hfiLayerEnergy){0, 0, 0};
  if (!any_is_fast(judge->v, hf_state_v(state), s->model->nv, h) &&
      layers.made <= hfi_energy_at_release_speed(s->model)) return;

  // is_fresh: the start is the end of the step before, whose energy and balance are known
  hfiEnergy start = judge->is_fresh ? judge->energy : energy_at(s, judge->q, judge->v, in);
  hfiEnergy end = energy_at(s, hf_state_q(state), hf_state_v(state), in);
  if (!judge->is_fresh) begin_balance(judge, start.kinetic);
  double change = end.total - start.total + layers.end - layers.start;

  // the gain of this step; if that is not notable, the gain of the balance
  Explanation e = explain(s, state, in, h, change);
  double gain = change <= e.work ? 0 : max2(0, change - e.work - e.released);
  double balance = balance_step(s, state, change, e, end.kinetic);
  int is_notable = !(gain <= NOTABLE_GAIN * (start.kinetic + e.work + e.released));
  report->energy_gain = !is_notable && balance > 0 ? balance : gain;
  if (is_notable || balance > 0) {
    if (report->status == HF_OK) report->status = HF_GAINED_ENERGY;
    begin_balance(judge, end.kinetic);
  }

  // the next step will most likely start here
  copy_start(judge, state);
  judge->energy = end;
  judge->revision = s->world->revision;
  judge->is_fresh = 1;
}
