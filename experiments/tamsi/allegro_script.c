// The published script (Drake's examples/allegro_hand/joint_control, early 2020), of which the paper's
// figure 9 is a moment: targets in the order thumb (12-15), index (0-3), middle (4-7), ring (8-11).
//
//   open    all 0
//   thumb   thumb (1.396, 0.3, 0, 0)
//   grasp   thumb (1.396, 0.85, 0, 1.3), others (0.08 0.1 0.12, 0.9, 0.75, 1.5); angles recorded when stuck
//   then in turns, from the recorded angles: middle += 0.1 (1, 1, 0.5), thumb as in the grasp, and
//   index (or ring) += 0.6 (1, 0.3, 0.5)
//
// A phase ends when every joint is stuck: |v| < 0.07 rad/s, or moving against its torque (v tau < -0.001),
// after at least 0.18 s.
#include "tamsi/allegro.h"

#include <math.h>
#include <string.h>

static const double LEAST_TIME = 0.18, STUCK_SPEED = 0.07,
                    STUCK_POWER = -0.001; // [s], [rad/s], [W]

static const double kThumb[4] = {1.396, 0.85, 0, 1.3};
static const double kGrasp[ALLEGRO_JOINTS] = {0.08, 0.9, 0.75, 1.5, 0.1,   0.9,  0.75, 1.5,
                                              0.12, 0.9, 0.75, 1.5, 1.396, 0.85, 0,    1.3};

static int all_stuck(const double* v, const double* torque) {
  for (int i = 0; i < ALLEGRO_JOINTS; ++i)
    if (fabs(v[i]) >= STUCK_SPEED && v[i] * torque[i] >= STUCK_POWER) return 0;
  return 1;
}

static void add(double* target, int finger, double scale, double a, double b, double c) {
  target[4 * finger + 1] += scale * a, target[4 * finger + 2] += scale * b,
      target[4 * finger + 3] += scale * c;
}

static void set_targets(allegroScript* g) {
  double* t = g->target;
  if (g->phase == 0)
    memset(t, 0, sizeof g->target);
  else if (g->phase == 1)
    t[12] = 1.396, t[13] = 0.3, t[14] = t[15] = 0;
  else if (g->phase == 2)
    memcpy(t, kGrasp, sizeof kGrasp);
  else {
    memcpy(t, g->closed, sizeof g->closed);
    memcpy(t + 12, kThumb, sizeof kThumb);
    add(t, 1, 0.1, 1, 1, 0.5);
    add(t, g->phase == 3 ? 0 : 2, 0.6, 1, 0.3, 0.5);
  }
}

void allegro_script_start(allegroScript* g) {
  memset(g, 0, sizeof *g);
  g->cycle = -1;
  set_targets(g);
}

void allegro_script_targets(allegroScript* g, double time, const double* q, const double* v,
                            const double* torque, double* target) {
  if (time - g->since >= LEAST_TIME && all_stuck(v, torque)) {
    if (g->phase == 2) memcpy(g->closed, q, sizeof g->closed);
    g->phase = g->phase < 4 ? g->phase + 1 : 3;
    if (g->phase == 3) g->cycle++;
    g->since = time;
    set_targets(g);
  }
  memcpy(target, g->target, sizeof g->target);
}
