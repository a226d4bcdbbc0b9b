// Gaits that turn the mug to and fro: index and ring finger press its two ends down in turns while the
// thumb holds against them from below. Targets are those of the servos, beyond the mug's surface.
//
//   0 .. close      fingers stretched, thumb under the mug
//   close .. start  grasp
//   start ..        target_i = grasp_i + sway_i sin(2 pi (t - start)/period)
#include "tamsi/allegro.h"

#include <math.h>
#include <string.h>

const allegroGait allegro_soft = {
    0.9,
    3,
    2,
    {0.13, 0.88, 0.78, 1.22, 0.14, 0.19, 0.40, 1.39, 0.05, 1.11, 0.78, 2.06, 1.17, 1.06, 0.01,
     1.92},
    {0, -0.09, 0.03, 0.04, 0, 0, 0, 0, 0, -0.53, -0.17, -0.38, 0, 0, 0, 0}};
const allegroGait allegro_stiff = {
    0.9,
    3,
    2,
    {0.11, 0.83, 0.83, 1.30, 0.13, 0.36, 0.51, 1.64, 0.08, 1.11, 0.89, 1.51, 1.31, 0.98, -0.16,
     1.49},
    {0, 0.13, 0.21, 0.01, 0, 0, 0, 0, 0, -0.13, -0.35, -0.38, 0, 0, 0, 0}};

static const double kThumbIn[3] = {0.3, 0, 0}; // its joints after the first [rad]

void allegro_targets(const allegroGait* g, double time, double* target) {
  memcpy(target, g->grasp, sizeof g->grasp);
  if (time < g->close) {
    memset(target, 0, sizeof *target * 12);
    memcpy(target + 13, kThumbIn, sizeof kThumbIn);
  }
  if (time < g->start) return;
  double s = sin(2 * 3.14159265358979323846 * (time - g->start) / g->period);
  for (int i = 0; i < ALLEGRO_JOINTS; ++i) target[i] += s * g->sway[i];
}

int allegro_cycle(const allegroGait* g, double time) {
  return time < g->start ? -1 : (int)((time - g->start) / g->period + 1e-9);
}
