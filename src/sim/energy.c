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
// scene, a solver that failed, a scene that contradicts itself. The check costs two kinematics, so that it is made only where
// something is FAST. Bodies that are moved by hand do work that no step knows: with them there is no check.
#include "sim/sim.h"

#include <string.h>

static const double FAST = 20;    // Speed of a dof from which a step is checked [m/s or rad/s].
static const double RELEASES = 6; // Several rows may pull at one dof [-].
static const double NOTABLE = 0.1; // Gain that becomes a status, over the energy that is explained [-].

static double fastest(const double* v, int n) {
  double speed = 0;
  for (int i = 0; i < n; ++i) speed = max2(speed, fabs(v[i]));
  return speed;
}

// |power| of everything that does work but gravity, springs and contacts, at the velocities in the dynamics.
static double power_bound(const hfSim* s, const hfInput* in) {
  const hfModel* m = s->model;
  const hfDynamics* d = &s->world->dynamics;
  const hfActuation* a = &s->world->actuation;
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

// T + V at a state; `power` grows to the power there.
static double energy_at(hfSim* s, const double* q, const double* v, const hfInput* in, double* kinetic, double* power) {
  hfDynamics* d = &s->world->dynamics;
  hfi_world_place(s->world, q, in);
  hf_dynamics_velocity(d, v);
  hf_actuation_update(&s->world->actuation, d, q);
  *kinetic = hf_dynamics_kinetic_energy(d);
  *power = max2(*power, power_bound(s, in));
  return *kinetic + hf_dynamics_potential_energy(d, q);
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

void hfi_sim_keep_start(hfSim* s, const hfState* state) {
  memcpy(s->q0, hf_state_q(state), sizeof *s->q0 * (size_t)s->model->nq);
  memcpy(s->v0, hf_state_v(state), sizeof *s->v0 * (size_t)s->model->nv);
}

void hfi_sim_judge_energy(hfSim* s, const hfState* state, const hfInput* in, double h, hfStepReport* report) {
  const hfModel* m = s->model;
  const double* v1 = hf_state_v(state);
  if (m->nmocap > 0 || fastest(v1, m->nv) <= FAST) return;
  double T0, T1, power = 0, start = energy_at(s, s->q0, s->v0, in, &T0, &power), end = energy_at(s, hf_state_q(state), v1, in, &T1, &power);
  double explained = h * power + contact_energy(s) + release_energy(s), gain = end - start - explained;
  report->energy_gain = max2(0, gain);
  if (!(gain <= NOTABLE * (T0 + explained)) && report->status == HF_OK) report->status = HF_GAINED_ENERGY;
}
