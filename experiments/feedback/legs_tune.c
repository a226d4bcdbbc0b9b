// PD gains of the quadruped as the paper found them: by hand, then by a nonlinear optimiser of the summed squared joint error.
//
//   minimise sum_i e_i^2 over log kp, log kd of hip x, hip y and knee,   e_i mean absolute error of joint i
//
// The sum has many minima: of six searches from the gains by hand, each with its own first simplices, two end within 1 % of each other, and the
// others at 1.4 to 9 times as much. So the best of six counts.
//
// A run that falls, tilts by more than 0.5 rad or takes more than 20 W (legs.c) counts as infinite: without these bounds the
// optimiser finds gains that track a robot which drums on the ground.
#include "feedback/legs.h"

#include <math.h>
#include <string.h>

typedef struct legTuning {
  double seconds, h;
  hfGains gains[3];
} legTuning;

static void read_gains(const double* x, hfGains* gains) {
  for (int i = 0; i < 3; ++i) gains[i] = (hfGains){exp(x[2 * i]), 0, exp(x[2 * i + 1])};
}

static double squared_error(const double* x, void* user) {
  legTuning* t = user;
  legRun out;
  read_gains(x, t->gains);
  legMethod method = {.name = "pd", .control = LEGS_PD_EXPLICIT, .method = HF_METHOD_CONVEX, .gains = t->gains};
  if (legs_run(&method, t->seconds, t->h, &out) != CLI_GOOD || !out.run.stable) return INFINITY;
  return out.squared_error;
}

static double search(legTuning* t, uint64_t seed, int evaluations, hfGains gains[3]) {
  hfTuning config = hf_tuning_default();
  double x[6];
  for (int i = 0; i < 3; ++i) x[2 * i] = log(gains[i].kp), x[2 * i + 1] = log(gains[i].kd);
  config.seed = seed;
  config.evaluations = evaluations;
  double value = hf_minimise(squared_error, t, 6, x, &config, NULL);
  read_gains(x, gains);
  return value;
}

int legs_tune(double seconds, double h, int searches, int evaluations, hfGains gains[3], double* value) {
  legTuning t = {.seconds = seconds, .h = h};
  hfGains start[3];
  memcpy(start, gains, sizeof start);
  *value = INFINITY;
  for (int k = 1; k <= searches; ++k) {
    hfGains found[3];
    memcpy(found, start, sizeof found);
    double least = search(&t, (uint64_t)k, evaluations, found);
    if (least < *value) *value = least, memcpy(gains, found, sizeof found);
  }
  return isfinite(*value) ? CLI_GOOD : CLI_FAILED;
}
