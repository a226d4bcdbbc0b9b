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
    0.9, 3, 2,
    {0.133, 0.884, 0.783, 1.221,
    0.136, 0.194, 0.397, 1.391,
    0.053, 1.113, 0.780, 2.065,
    1.165, 1.058, 0.012, 1.919},
    {0, -0.087, 0.033, 0.041, 0, 0, 0, 0, 0, -0.530, -0.174, -0.380, 0, 0, 0, 0}};
const allegroGait allegro_stiff = {
    0.9, 3, 2,
    {0.106, 0.830, 0.832, 1.302,
    0.129, 0.357, 0.509, 1.645,
    0.083, 1.113, 0.887, 1.512,
    1.312, 0.984, -0.156, 1.488},
    {0, 0.126, 0.208, 0.008, 0, 0, 0, 0, 0, -0.131, -0.354, -0.381, 0, 0, 0, 0}};

static const double kThumbIn[4] = {1.396, 0.3, 0, 0};

void allegro_targets(const allegroGait* g, double time, double* target) {
  memcpy(target, g->grasp, sizeof g->grasp);
  if (time < g->close) {
    memset(target, 0, sizeof *target * 12);
    memcpy(target + 12, kThumbIn, sizeof kThumbIn);
  }
  if (time < g->start) return;
  double s = sin(2 * 3.14159265358979323846 * (time - g->start) / g->period);
  for (int i = 0; i < ALLEGRO_JOINTS; ++i) target[i] += s * g->sway[i];
}

int allegro_cycle(const allegroGait* g, double time) {
  return time < g->start ? -1 : (int)((time - g->start) / g->period + 1e-9);
}
