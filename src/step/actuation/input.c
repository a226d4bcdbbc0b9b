// Controls that move at a bounded speed.
#include "step/actuation/actuation.h"

double hfi_slew_rate(const hfActuation* a, double difference, double fastest) {
  return clamp(difference / (a->h > 0 ? a->h : a->model->world.timestep), -fastest, fastest);
}

double hfi_slew_slope(const hfActuation* a, double rate, double fastest) {
  return fabs(rate) < fastest ? -1 / a->model->world.timestep : 0;
}
