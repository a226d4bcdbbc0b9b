// Controls within their range, and those that move at a bounded speed.
#include "actuation/actuation.h"

double hfi_clamped_control(const hfModel* m, int i, const double* ctrl) {
  const double* range = hf_model_actuator_ctrlrange(m) + 2 * i;
  if (!ctrl) return 0;
  if (!hf_model_actuator_ctrllimited(m)[i] || m->world.disable_clamp_control) return ctrl[i];
  return clamp(ctrl[i], range[0], range[1]);
}

double hfi_slew_rate(const hfActuation* a, double difference, double fastest) {
  return clamp(difference / (a->h > 0 ? a->h : a->model->world.timestep), -fastest, fastest);
}

double hfi_slew_slope(const hfActuation* a, double rate, double fastest) {
  return fabs(rate) < fastest ? -1 / a->model->world.timestep : 0;
}
