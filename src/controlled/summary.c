// What error control has to know of a step beside the state that it left.
#include "controlled/controlled.h"

// An impact is taken at the start of the step, though a gap is left. From then on until the bodies would have met, for the time
// gap/|vn|, they have the velocity (1 + e) |vn| too much: they are ahead by (1 + e) gap. Where both the full step and the first
// half contain the impact, their difference does not show it.
static double measure_early(const hfiDiscrete* d) {
  double early = 0;
  for (int i = 0; i < d->world->ncontact && d->nimpact > 0; ++i) {
    const hfiContact* c = &d->world->contact[i];
    if (c->depth < 0 && hfi_discrete_find_impact(d, c)) early = max2(early, -(1 + c->material.restitution) * c->depth);
  }
  return early;
}

void hfi_deed_take(hfiDeed* deed, const hfiDiscrete* d) {
  deed->bounced = d->nimpact > 0;
  deed->early = measure_early(d);
  for (int t = 0; t < d->world->model->ntree; ++t) deed->flies[t] = d->config.gyroscopic && d->flies[t];
}
