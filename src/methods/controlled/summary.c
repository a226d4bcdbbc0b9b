// What error control needs of a step beside the state at its end.
#include "methods/controlled/controlled.h"

// An impact is taken at the start of its step, though a gap is left. Until the bodies would have met, for the time
// gap/|vn|, their velocity is too large by (1 + e) |vn|, so that they are ahead by (1 + e) gap. If both the full step
// and the first half contain the impact, their difference does not show this.
static double measure_early(const hfiDiscrete* d, const hfiNear* near) {
  double early = 0;
  for (int i = 0; i < near->ncontact && hfi_discrete_has_impacts(d); ++i) {
    const hfiContact* c = &near->contact[i];
    if (c->depth < 0 && hfi_discrete_has_bounced(d, i)) early = max2(early, -(1 + c->material.restitution) * c->depth);
  }
  return early;
}

void hfi_summarise_step(hfiStepSummary* summary, const hfiControlled* c) {
  summary->bounced = hfi_discrete_has_impacts(c->discrete);
  summary->early = measure_early(c->discrete, &c->world->near);
  for (int t = 0; t < c->world->model->ntree; ++t) summary->flies[t] = hfi_discrete_tree_flew(c->discrete, t);
}
