// Whether a step gave its world energy that no work explains.
//
//   gain = (T + V)(q1, v1) - (T + V)(q0, v0) - W - E_c - E_r
//
//   T, V  kinetic energy; potential of gravity and springs
//   W     at most the work of actuators, of input forces and of gravity compensation: h sum |f| max(|s0|, |s1|)
//   E_c   what the overlaps of the contacts held, sum f_n depth/2
//   E_r   what violated equalities and limits may give: every dof at RELEASES times the release speed
//
// All that is left out takes energy only. The bounds are generous, so that a gain is a fault of the step: too long for the
// scene, a solver that failed, a scene that contradicts itself. The check costs the kinematics of both ends of the step, of
// which the start is mostly known from the step before, so that it is made only where something is FAST. Bodies that are moved by hand do work that no step knows: with them there is no check.
#include "sim/sim.h"

#include "linalg/dense.h"

#include <string.h>

static const double FAST = 20;    // Speed of a dof from which a step is checked [m/s or rad/s].
static const double RELEASES = 6; // Several rows may pull at one dof [-].
static const double NOTABLE = 0.1; // Gain that becomes a status, over the energy that is explained [-].

static int any_is_fast(const double* v, int n) {
  if (hfi_dot(v, v, n) <= FAST * FAST) return 0;
  for (int i = 0; i < n; ++i)
    if (fabs(v[i]) > FAST) return 1;
  return 0;
}

// |power| of everything that does work but gravity, springs and contacts, at q, where the dynamics is, and its velocities.
static double power_bound(hfSim* s, const double* q, const hfInput* in) {
  const hfModel* m = s->model;
  const hfDynamics* d = &s->world->dynamics;
  hfActuation* a = &s->world->actuation;
  hf_actuation_update(a, d, q);
  double power = 0;
  for (int i = 0; i < m->nu; ++i) power += fabs(a->force[i] * a->velocity[i]);
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

static double contact_energy(const hfSim* s) {
  double sum = 0;
  for (int i = 0, n = s->method->contact_count(s->run); i < n; ++i) {
    hfContact c = s->method->contact(s->run, i);
    if (c.depth > 0) sum += 0.5 * c.fn * c.depth;
  }
  return sum;
}

static int has_something_to_release(const hfModel* m) {
  int limits = 0;
  for (int j = 0; j < m->njnt; ++j) limits |= hf_model_jnt_limited(m)[j];
  for (int t = 0; t < m->ntendon; ++t) limits |= hf_model_tendon_limited(m)[t];
  return limits || m->neq > 0;
}

static double release_energy(hfSim* s) {
  const hfModel* m = s->model;
  double sum = 0, u = RELEASES * m->world.release_speed;
  if (!has_something_to_release(m)) return 0;
  hf_dynamics_mass_matrix(&s->world->dynamics);
  for (int i = 0; i < m->nv; ++i) sum += 0.5 * s->world->dynamics.M[hf_model_dof_Madr(m)[i] + hf_model_dof_depth(m)[i]] * u * u;
  return sum;
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

// Bounds are taken one after the other, the cheap ones first, until the gain is explained. q0, v0 are needed to the last.
static double find_gain(hfSim* s, const hfState* state, const hfInput* in, double h, hfiEnergy start, hfiEnergy end,
                        double* explained) {
  double power = power_bound(s, hf_state_q(state), in), released = contact_energy(s) + release_energy(s);
  *explained = h * power + released;
  if (end.total - start.total - *explained <= 0) return 0;
  energy_at(s, s->q0, s->v0, in);
  *explained = h * max2(power, power_bound(s, s->q0, in)) + released;
  hfi_world_place(s->world, hf_state_q(state), in);
  return max2(0, end.total - start.total - *explained);
}

void hfi_sim_judge_energy(hfSim* s, const hfState* state, const hfInput* in, double h, hfStepReport* report) {
  const hfModel* m = s->model;
  if (m->nmocap > 0 || !any_is_fast(hf_state_v(state), m->nv)) return;
  hfiEnergy start = s->start_is_judged ? s->start_energy : energy_at(s, s->q0, s->v0, in);
  hfiEnergy end = energy_at(s, hf_state_q(state), hf_state_v(state), in);
  if (!(end.total <= start.total)) {
    double explained = 0, gain = find_gain(s, state, in, h, start, end, &explained);
    report->energy_gain = gain;
    if (!(gain <= NOTABLE * (start.kinetic + explained)) && report->status == HF_OK) report->status = HF_GAINED_ENERGY;
  }
  keep_end(s, state, end);
}
