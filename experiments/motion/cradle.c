// Newton's cradle: five touching balls on threads of 0.5 m, the first lifted by 30 degrees.
//
// How far the last ball swings depends on what the balls are made of. Rigid balls that collide one after the other pass
// on all of the momentum. Balls with stiffness touch all at once and act together:
//
//   m x_i'' = k (x_(i-1) - x_i)+ - k (x_i - x_(i+1))+,   x_1'(0) = v,   all else zero
//
// With s = t sqrt(k/m) neither k nor m is left in it: the last ball leaves with a share of v that is a number of the
// linear law.
#include "motion/motion.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BALLS = 5 };
static const double DEGREE = 3.14159265358979323846 / 180, LIFTED = 30;

// ---- the equation -----------------------------------------------------------------------------------

static void accelerate(const double* x, double* a) {
  memset(a, 0, BALLS * sizeof *a);
  for (int i = 0; i + 1 < BALLS; ++i) {
    double force = fmax(0, x[i] - x[i + 1]);
    a[i] -= force, a[i + 1] += force;
  }
}

// Angle of the last ball by the equation above, with the method of Verlet in steps of 1e-4 of s: they leave an error of
// about 1e-8.
static double compliant_angle(void) {
  const double ds = 1e-4;
  double x[BALLS] = {0}, v[BALLS] = {1}, a[BALLS] = {0};
  for (int k = 0; k < 200000; ++k) {
    for (int i = 0; i < BALLS; ++i) v[i] += 0.5 * ds * a[i], x[i] += ds * v[i];
    accelerate(x, a);
    for (int i = 0; i < BALLS; ++i) v[i] += 0.5 * ds * a[i];
  }
  return 2 * asin(sin(0.5 * LIFTED * DEGREE) * v[BALLS - 1]) / DEGREE; // the height goes with the square of the speed
}

// ---- the simulation ---------------------------------------------------------------------------------

// restitution 1: rigid impacts; 0: stiffness alone, without dissipation. How far the last ball swings, and the others. r: where the run is
// recorded; NULL: nowhere.
static int swing(double restitution, int method, double h, result* r, double* last, double* others) {
  char xml[3000];
  snprintf(xml, sizeof xml, "<mujoco><custom><numeric name='hf.restitution' data='%g'/>%s</custom><worldbody>", restitution,
           restitution > 0 ? "" : "<numeric name='hf.dissipation' data='0'/>");
  for (int i = 0; i < BALLS; ++i)
    snprintf(xml + strlen(xml), sizeof xml - strlen(xml),
             "<body pos='%g 0 0'><joint axis='0 1 0'/><geom type='capsule' fromto='0 0 0 0 0 -.48' size='.001' density='1' "
             "contype='0' conaffinity='0'/><geom size='.02' pos='0 0 -.5' density='7800' friction='0'/></body>", 0.04 * i);
  strcat(xml, "</worldbody></mujoco>");
  world w;
  if (motion_open_by(&w, xml, method, h) != CLI_GOOD) return CLI_FAILED;
  int status = r ? world_record(&w, r, "cradle.hfrec", 0.005) : CLI_GOOD;
  hf_state_mutable_q(w.state)[0] = LIFTED * DEGREE;
  *last = *others = 0;
  while (status == CLI_GOOD && w.state->time < 0.9) {
    status = world_step(&w, 1, NULL);
    const double* q = hf_state_q(w.state);
    *last = fmax(*last, fabs(q[BALLS - 1]) / DEGREE);
    for (int i = 1; i < BALLS - 1; ++i) *others = fmax(*others, fabs(q[i]) / DEGREE);
  }
  world_close(&w);
  return status;
}

int motion_cradle(const experimentOptions* options, result* r) {
  double rigid, others, continuous, coarse, fine, unused, equation = compliant_angle();
  if (swing(1, HF_METHOD_TAMSI, 1e-3, r, &rigid, &others) != CLI_GOOD ||
      swing(0, HF_METHOD_RK3, 2e-5, NULL, &continuous, &unused) != CLI_GOOD)
    return CLI_FAILED;
  result_figure(r, "cradle_last", rigid, "deg");
  result_figure(r, "cradle_others", others, "deg");
  result_figure(r, "cradle_equation", equation, "deg");
  result_must(r, "cradle", "the last ball of a rigid cradle (e = 1, 1 ms) swings as far as the first, 30 degrees", rigid - LIFTED,
              "within 0.5 degrees, the others below 1", fabs(rigid - LIFTED) <= 0.5 && others < 1, 0);
  result_must(r, "cradle_compliant", "of a compliant one, in continuous time, as far as its equation says", continuous - equation,
              "within 0.05 degrees", fabs(continuous - equation) <= 0.05, 0);
  if (options->quick) return CLI_GOOD;
  if (swing(0, HF_METHOD_TAMSI, 1e-5, NULL, &coarse, &unused) != CLI_GOOD || swing(0, HF_METHOD_TAMSI, 5e-6, NULL, &fine, &unused) != CLI_GOOD)
    return CLI_FAILED;
  result_figure(r, "cradle_10us", coarse, "deg");
  result_figure(r, "cradle_5us", fine, "deg");
  double limit = 2 * fine - coarse; // of first order
  result_must(r, "cradle_limit", "and in discrete time in the limit of short steps (from 10 and 5 us)", limit - equation,
              "within 0.2 degrees", fabs(limit - equation) <= 0.2, 0);
  return CLI_GOOD;
}
