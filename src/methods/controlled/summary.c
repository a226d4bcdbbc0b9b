// What error control needs of a step beside the state at its end.
#include "methods/controlled/controlled.h"

// Returns how far bodies that bounced across a gap are ahead of their impact [m], an upper bound.
//
// An impact is taken at the start of its step, though a gap is left. Until the bodies would have met, for the time
// gap/|vn|, their velocity is too large by (1 + e) |vn|, so that they are ahead by (1 + e) gap. If both the full step
// and the first half contain the impact, their difference does not show this.
static double measure_early(const hfiDiscrete* discrete, const hfiNear* near) {
  double early = 0;
  for (int i = 0; i < near->ncontact && hfi_discrete_has_impacts(discrete); ++i) {
    const hfiContact* contact = &near->contact[i];
    int is_across_gap = contact->depth < 0 && hfi_discrete_has_bounced(discrete, i);
    if (is_across_gap) early = max2(early, -(1 + contact->material.restitution) * contact->depth);
  }
  return early;
}

// Summarises the last step of controlled->discrete: impacts, and which trees flew.
void hfi_summarise_step(hfiStepSummary* summary, const hfiControlled* controlled) {
  summary->bounced = hfi_discrete_has_impacts(controlled->discrete);
  summary->early = measure_early(controlled->discrete, &controlled->world->near);
  for (int t = 0; t < controlled->world->model->ntree; ++t)
    summary->flies[t] = hfi_discrete_tree_flew(controlled->discrete, t);
}
