// Restitution: rebound of a ball, elastic balls in a box and on a floor, and a stack that rests.
#include "motion/motion.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- one ball ---------------------------------------------------------------------------------------

// Height of the first rebound from a drop of 1 m [m].
static int rebound(double e, double h, double* height) {
  char xml[500];
  snprintf(xml, sizeof xml,
           "<mujoco><custom><numeric name='hf.ball.restitution' data='%g'/></custom><worldbody><geom type='plane' size='9 9 1'/>"
           "<body pos='0 0 1.05'><freejoint/><geom name='ball' size='.05'/></body></worldbody></mujoco>", e);
  world w;
  if (motion_open(&w, xml, h) != CLI_GOOD) return CLI_FAILED;
  int status = CLI_GOOD, bounced = 0;
  double last = 0;
  *height = 0;
  while (status == CLI_GOOD && w.state->time < 1.6) {
    status = world_step(&w, 1, NULL);
    double v = hf_state_v(w.state)[2];
    bounced |= v > last + 0.5;
    last = v;
    if (bounced) *height = fmax(*height, hf_state_q(w.state)[2] - 0.05);
  }
  world_close(&w);
  return status;
}

static int rebound_all(result* r) {
  static const double e[4] = {0, 0.3, 0.8, 1}, steps[3] = {1e-4, 1e-3, 2e-3};
  double worst = 0;
  for (int i = 0; i < 4; ++i)
    for (int k = 0; k < 3; ++k) {
      double height;
      if (rebound(e[i], steps[k], &height) != CLI_GOOD) return CLI_FAILED;
      worst = fmax(worst, fabs(height - e[i] * e[i]));
    }
  result_must(r, "rebound", "rebound of e^2 for e = 0 to 1 at 0.1 to 2 ms, over the height of the drop", worst,
              "within 2 %", worst <= 0.02, 0);
  return CLI_GOOD;
}

// ---- many balls -------------------------------------------------------------------------------------

// 6 x 6 x 6 elastic balls without gravity or friction in a closed box, each with a velocity of its own. Relative
// change of the kinetic energy.
static int mix(int n, double h, double time, double* change) {
  size_t size = 400 * (size_t)(n * n * n) + 2000;
  char* xml = malloc(size);
  if (!xml) return CLI_FAILED;
  snprintf(xml, size, "<mujoco><option gravity='0 0 0'/><custom><numeric name='hf.restitution' data='1'/></custom><worldbody>"
           "<geom type='plane' size='1 1 1' pos='0 0 -.5' friction='0'/><geom type='plane' size='1 1 1' pos='0 0 .5' zaxis='0 0 -1' friction='0'/>"
           "<geom type='plane' size='1 1 1' pos='-.5 0 0' zaxis='1 0 0' friction='0'/><geom type='plane' size='1 1 1' pos='.5 0 0' zaxis='-1 0 0' friction='0'/>"
           "<geom type='plane' size='1 1 1' pos='0 -.5 0' zaxis='0 1 0' friction='0'/><geom type='plane' size='1 1 1' pos='0 .5 0' zaxis='0 -1 0' friction='0'/>");
  char* at = xml + strlen(xml);
  for (int i = 0; i < n * n * n; ++i)
    at += sprintf(at, "<body pos='%g %g %g'><freejoint/><geom size='.03' friction='0'/></body>",
                  0.14 * (i % n - 0.5 * (n - 1)), 0.14 * (i / n % n - 0.5 * (n - 1)), 0.14 * (i / n / n - 0.5 * (n - 1)));
  strcpy(at, "</worldbody></mujoco>");
  world w;
  motionBalance b = {0};
  int status = motion_open(&w, xml, h);
  free(xml);
  if (status != CLI_GOOD) return status;
  for (int i = 0; i < n * n * n; ++i)
    for (int k = 0; k < 3; ++k) hf_state_mutable_v(w.state)[6 * i + k] = 2 * sin(12.9898 * i + 78.233 * k);
  status = motion_weigh(&b, &w);
  double E0 = b.energy;
  while (status == CLI_GOOD && w.state->time < time) status = world_step(&w, 1, NULL);
  if (status == CLI_GOOD) status = motion_weigh(&b, &w);
  *change = b.energy / E0 - 1;
  motion_balance_free(&b);
  world_close(&w);
  return status;
}

// The elastic "666" test of SimBenchmark (leggedrobotics.github.io/SimBenchmark): n^3 balls of 10 kg and radius 0.1 m in a
// cube with gaps of 1 cm, 1.101 m above a floor, displaced by up to 1 mm, fall for a time without friction. The mean over
// all steps of the squared error of the energy [J^2].
static int fall(int n, double h, double time, double* error) {
  size_t size = 200 * (size_t)(n * n * n) + 400;
  char* xml = malloc(size);
  if (!xml) return CLI_FAILED;
  char* at = xml + snprintf(xml, size, "<mujoco><custom><numeric name='hf.restitution' data='1'/></custom><worldbody>"
                                       "<geom type='plane' size='9 9 1' friction='0'/>");
  for (int i = 0; i < n * n * n; ++i)
    at += sprintf(at, "<body pos='%.6f %.6f %.6f'><freejoint/><geom size='.1' mass='10' friction='0'/></body>",
                  0.21 * (i % n) + 1e-3 * sin(12.9898 * i), 0.21 * (i / n % n) + 1e-3 * sin(78.233 * i),
                  1.101 + 0.21 * (i / n / n) + 1e-3 * sin(37.719 * i));
  strcpy(at, "</worldbody></mujoco>");
  world w;
  motionBalance b = {0};
  int status = motion_open(&w, xml, h);
  free(xml);
  if (status != CLI_GOOD) return status;
  status = motion_weigh(&b, &w);
  double E0 = b.energy, sum = 0;
  long steps = lround(time / h);
  for (long k = 0; status == CLI_GOOD && k < steps; ++k) {
    status = world_step(&w, 1, NULL);
    if (status == CLI_GOOD) status = motion_weigh(&b, &w);
    sum += (b.energy - E0) * (b.energy - E0);
  }
  *error = sum / (double)steps;
  motion_balance_free(&b);
  world_close(&w);
  return status;
}

// ---- a stack ----------------------------------------------------------------------------------------

// Largest velocity of five boxes with restitution 0.5, stacked, after 3 s.
static int stack(double* speed) {
  char xml[2000] = "<mujoco><custom><numeric name='hf.restitution' data='.5'/></custom><worldbody><geom type='plane' size='1 1 1'/>";
  for (int i = 0; i < 5; ++i)
    snprintf(xml + strlen(xml), sizeof xml - strlen(xml),
             "<body pos='0 0 %g'><freejoint/><geom type='box' size='.05 .05 .05'/></body>", 0.05 + 0.1 * i);
  strcat(xml, "</worldbody></mujoco>");
  world w;
  if (motion_open(&w, xml, 2e-3) != CLI_GOOD) return CLI_FAILED;
  int status = world_step(&w, 1500, NULL);
  *speed = 0;
  for (int i = 0; i < w.model->nv; ++i) *speed = fmax(*speed, fabs(hf_state_v(w.state)[i]));
  world_close(&w);
  return status;
}

int motion_bounce(const experimentOptions* options, result* r) {
  double change, speed, error;
  int quick = options->quick;
  if (rebound_all(r) != CLI_GOOD || mix(quick ? 3 : 6, 1e-3, quick ? 0.5 : 2, &change) != CLI_GOOD ||
      fall(quick ? 3 : 6, 1e-3, quick ? 1 : 10, &error) != CLI_GOOD || stack(&speed) != CLI_GOOD)
    return CLI_FAILED;
  result_must(r, "balls", "elastic balls in a box keep their energy", change, "within 1 %", fabs(change) <= 0.01, 0);
  result_figure(r, "balls_666_bullet", 41498.1, "J^2, published for 1 ms");
  result_figure(r, "balls_666_ode", 112.326, "J^2, published for 1 ms");
  result_figure(r, "balls_666_raisim", 8.36835, "J^2, published for 1 ms");
  result_must(r, "balls_666", "SimBenchmark's elastic 666 at 1 ms: mean squared error of the energy", error,
              "below the best published, 8.4 J^2", error < 8.36835, 0);
  result_must(r, "stack", "a stack of boxes with restitution 0.5 rests after 3 s", speed, "below 1e-12 m/s", speed <= 1e-12, 0);
  return CLI_GOOD;
}
