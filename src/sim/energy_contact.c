// C, the energy of the contacts' overlaps, which pushes bodies apart (energy.c).
//
//   discrete time          sum of f_n depth/2 over the overlaps at the end of the step
//   mlcp                   its rigid contacts hold no energy. They give what they may at the release speed u (step/discrete/release.c):
//                          m u^2/2 for each overlap, with the mass m of the world
//   continuous time        overlaps and limits are springs: C is what they hold less at the end of the step than at its start,
//                          min(U0, max(U0 - U1, h P)) + max(0, L0 - L1)
//   switching              max(0, L0 - L1): its limits are such springs, too. The energy of its layers is known at both ends of the step and
//                          part of E
//
//   U  sum of k depth^2/2 over the overlaps        P  sum of k depth vn over those overlaps that open
//   L  energy of the springs of limits             0, 1  start and end of the step
//
// P counts because points of a pair may come and go, so that U1 has overlaps that U0 has not.
#include "sim/energy.h"

#include "methods/switching/switching.h"

double hfi_energy_at_release_speed(const hfModel* m) { return 0.5 * hf_model_body_subtreemass(m)[0] * sqr(m->world.release_speed); }

double hfi_overlap_energy(const hfSim* s) {
  if (!s->method->discrete) return 0;
  double sum = 0, rigid = hfi_energy_at_release_speed(s->model);
  for (int i = 0, n = s->method->contact_count(s->run); i < n; ++i) {
    hfContact c = s->method->contact(s->run, i);
    if (c.depth > 0) sum += s->config.method == HF_METHOD_MLCP ? rigid : 0.5 * c.fn * c.depth;
  }
  return sum;
}

// Speed at which the two bodies of a contact part.
static double parting_speed(const hfDynamics* d, const hfiContact* c) {
  hfMotion a = hf_dynamics_point_velocity(d, c->body_a, c->p_W), b = hf_dynamics_point_velocity(d, c->body_b, c->p_W);
  return v3_dot(c->n, v3_sub(a.v, b.v));
}

// The forces of a method of continuous time or of switching, NULL for other methods.
static const hfAccel* find_accel(const hfSim* s) {
  if (hfi_is_continuous(s)) return ((const hfiContinuous*)s->run)->accel;
  return s->method == &hfi_method_switching ? hfi_switching_accel(s->run) : NULL;
}

hfiHeldEnergy hfi_held_energy(hfSim* s, const double* q) {
  hfiWorld* w = s->world;
  const hfAccel* accel = find_accel(s);
  hfiHeldEnergy at = {0, accel ? hfi_accel_limit_energy(accel, q) : 0, 0};
  if (!hfi_is_continuous(s)) return at;
  hfi_world_find_contacts(w, 0, 0, NULL);
  for (int i = 0; i < w->ncontact; ++i) {
    const hfiContact* c = &w->contact[i];
    double force = c->material.stiffness * max2(c->depth, 0);
    at.overlaps += 0.5 * force * max2(c->depth, 0);
    at.power += force * max2(parting_speed(&w->dynamics, c), 0);
  }
  return at;
}

double hfi_given_energy(hfiHeldEnergy start, hfiHeldEnergy end, double h) {
  double overlaps = max2(start.overlaps - end.overlaps, h * start.power);
  return min2(start.overlaps, overlaps) + max2(0, start.limits - end.limits);
}
