// Overlaps that rigid contacts remove (docs/theory/energy.md).
//
// A contact that overlaps is given a speed of separation s <= u, the release speed. Its impulse gamma gives the energy
// gamma s. This has no bound if contacts contradict each other, or if a body can hardly follow, as a link between two
// others or an arm that is stretched out. All overlaps together may give n m u^2/2, with their number n and the mass m
// of the world. If they give more, all their speeds are reduced, and the problem is solved again. The energy grows with
// the square of the speeds.
#include "step/discrete/inside.h"

// Speeds are reduced to this share of those at which the overlaps would give exactly the energy that they may, because
// the next solution has other impulses [-].
static const double BELOW_LIMIT = 0.9;

// Returns the speed of separation that removes the overlap of a contact [m/s].
static double find_wanted_speed(const hfiDiscrete* s, const hfContactLaw* law) {
  return law->depth > 0 ? s->solver.policy.recovery * law->depth / s->config.step : 0;
}

// Returns the energy that the overlaps give in the last solution [J]. *count: their number.
static double find_released_energy(const hfiDiscrete* s, int* count) {
  const hfStepProblem* p = &s->assembly.problem;
  double sum = 0;
  *count = 0;

  for (const hfStepBlock *b = p->block, *end = b + p->nblock; b < end; ++b) {
    if (b->law != HF_LAW_CONTACT || !(p->contact[b->param].depth > 0)) continue;
    sum += s->impulse[b->row] * find_wanted_speed(s, &p->contact[b->param]);
    ++*count;
  }
  return sum;
}

// Changes the depths of overlaps in the problem, and with them the speeds at which they are removed.
int hfi_discrete_limit_release(hfiDiscrete* s, int is_last) {
  const hfModel* m = s->world->model;
  hfStepProblem* p = &s->assembly.problem;
  int count;
  double given = find_released_energy(s, &count);
  double most = 0.5 * count * hf_model_body_subtreemass(m)[0] * sqr(m->world.release_speed);
  if (given <= most) return 0;

  double scale = is_last || !isfinite(given) ? 0 : BELOW_LIMIT * sqrt(most / given);
  for (int i = 0; i < p->ncontact; ++i)
    if (p->contact[i].depth > 0) p->contact[i].depth *= scale;
  return 1;
}
