// How far trees move in a step: those that would pass through something stop (step/near/stops.c).
#include "step/discrete/discrete.h"

const double* hfi_discrete_find_stops(hfiDiscrete* s, hfStepReport* report) {
  if (!s->config.anticipate || !s->world->config.max_contacts) return NULL;

  const double* stop_time = hfi_near_find_stops(&s->world->near, &s->flight, s->config.gyroscopic, s->v1, s->config.step);
  for (int t = 0; stop_time && t < s->world->model->ntree; ++t) report->nstopped += stop_time[t] < s->config.step;
  return stop_time;
}

void hfi_discrete_move_plainly(const hfiDiscrete* s, const double* stop_time, double* q) {
  const hfModel* m = s->world->model;
  for (int j = 0; j < m->njnt; ++j) {
    int dof = hf_model_jnt_dofadr(m)[j];
    double time = stop_time ? min2(s->config.step, stop_time[hf_model_dof_tree(m)[dof]]) : s->config.step;
    hfi_joint_integrate(hf_model_jnt_type(m)[j], q + hf_model_jnt_qposadr(m)[j], s->v1 + dof, time);
  }
}
