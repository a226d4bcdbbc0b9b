// The mug's turn. In a cycle: the greatest angle between two of its orientations,
//
//   max_ij 2 acos |q_i . q_j|
//
// over samples of 10 ms. The angle drawn over time is the part about the palm's normal of the rotation
// vector since the start.
#include "tamsi/allegro.h"

#include <math.h>
#include <string.h>

static const double SAMPLE = 0.01, LOST = 0.05; // [s], [m]
static const double DEGREES = 57.29577951308232;

void allegro_motion_start(allegroMotion* m) {
  memset(m, 0, sizeof *m);
  m->cycle = -1;
  m->least = INFINITY;
}

static double turn_between(const double* p, const double* q) {
  double w = fabs(p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3]);
  return 2 * DEGREES * acos(fmin(1, w));
}

// x of the rotation vector of q p^-1.
static double turn_about_x(const double* p, const double* q) {
  double w = q[0] * p[0] + q[1] * p[1] + q[2] * p[2] + q[3] * p[3],
         x = q[1] * p[0] - q[0] * p[1] - q[2] * p[3] + q[3] * p[2],
         y = q[2] * p[0] - q[0] * p[2] - q[3] * p[1] + q[1] * p[3],
         z = q[3] * p[0] - q[0] * p[3] - q[1] * p[2] + q[2] * p[1], s = sqrt(x * x + y * y + z * z);
  return s > 0 ? 2 * DEGREES * atan2(s, w) * x / s : 0;
}

// The first cycle starts from the grasp: it is no measure of the others.
static void end_cycle(allegroMotion* m) {
  double turn = 0;
  for (int i = m->first; i < m->samples; ++i)
    for (int j = m->first; j < i; ++j) turn = fmax(turn, turn_between(m->quat[i], m->quat[j]));
  if (m->cycles == 0)
    m->opening = turn;
  else {
    m->least = fmin(m->least, turn);
    m->mean += (turn - m->mean) / m->cycles;
    m->last = turn;
  }
  m->cycles++;
}

void allegro_motion_follow(allegroMotion* m, double time, int cycle, const double* pose) {
  if (m->samples == ALLEGRO_SAMPLES ||
      (m->samples && time < m->time[m->samples - 1] + SAMPLE - 1e-9))
    return;
  if (cycle > m->cycle) {
    if (m->cycle >= 0) end_cycle(m);
    m->cycle = cycle, m->first = m->samples;
  }
  int k = m->samples++;
  memcpy(m->place[k], pose, sizeof m->place[k]);
  memcpy(m->quat[k], pose + 3, sizeof m->quat[k]);
  m->time[k] = time;
  m->angle[k] = turn_about_x(m->quat[0], m->quat[k]);
  const double *p = m->place[k], *p0 = m->place[0];
  m->away = fmax(m->away, hypot(hypot(p[0] - p0[0], p[1] - p0[1]), p[2] - p0[2]));
}

int allegro_motion_held(const allegroMotion* m) { return m->away < LOST; }
