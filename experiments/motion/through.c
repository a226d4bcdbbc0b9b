// Nothing passes through: fingers pushed by motors onto a part, bullets shot at a wall of 1 mm.
#include "motion/motion.h"

#include <math.h>
#include <stdio.h>

// ---- fingers ----------------------------------------------------------------------------------------

// A finger of 100 g on a slide, 1 mm in front of a fixed part, its motor with constant force.
static const char* const FINGER =
    "<mujoco><option gravity='0 0 0'/><worldbody><geom type='box' size='.005 .02 .02' pos='.016 0 0'/>"
    "<body><joint name='j' type='slide' axis='1 0 0'/><geom type='box' size='.01 .01 .01' mass='.1'/></body></worldbody>"
    "<actuator><motor joint='j'/></actuator></mujoco>";

static int push(double force, double h, double* deepest) {
  world w;
  if (motion_open(&w, FINGER, h) != CLI_GOOD) return CLI_FAILED;
  int status = CLI_GOOD;
  w.input->ctrl[0] = force;
  *deepest = 0;
  while (status == CLI_GOOD && w.state->time < 0.3) {
    status = world_step(&w, 1, NULL);
    *deepest = fmax(*deepest, hf_state_q(w.state)[0] - 1e-3);
  }
  world_close(&w);
  return status;
}

static int push_fingers(result* r) {
  static const double forces[3] = {12, 50, 140}, steps[4] = {1e-3, 2e-3, 5e-3, 1e-2};
  double worst = 0;
  for (int i = 0; i < 3; ++i) {
    double fine, deep;
    if (push(forces[i], 1e-4, &fine) != CLI_GOOD) return CLI_FAILED;
    for (int k = 0; k < 4; ++k) {
      if (push(forces[i], steps[k], &deep) != CLI_GOOD) return CLI_FAILED;
      worst = fmax(worst, deep / fine);
    }
  }
  result_must(r, "fingers", "motors of 12 to 140 N at 1 to 10 ms: overlap over that at 0.1 ms", worst, "at most 3",
              worst <= 3, 0);
  return CLI_GOOD;
}

// ---- bullets ----------------------------------------------------------------------------------------

static const char* const SHAPES[4] = {"size='.005'", "type='box' size='.005 .004 .003'",
                                      "type='capsule' size='.003 .005'", "type='cylinder' size='.004 .005'"};

// Does it come out behind the wall? Or, where it is aimed past a plate, is it deflected?
static int shoot(const char* shape, double speed, double angle, double h, int plate, int* wrong) {
  char xml[600];
  snprintf(xml, sizeof xml,
           "<mujoco><option gravity='0 0 0'/><worldbody><geom type='box' size='.0005 %s'/><body pos='-.317 .1 0'>"
           "<freejoint/><geom %s/></body></worldbody></mujoco>",
           plate ? ".05 .05" : "5 5", shape);
  world w;
  if (motion_open(&w, xml, h) != CLI_GOOD) return CLI_FAILED;
  double* v = hf_state_mutable_v(w.state);
  int status = CLI_GOOD;
  v[0] = speed * cos(angle), v[1] = speed * sin(angle);
  for (double end = fmax(0.7 / v[0], 5 * h); status == CLI_GOOD && w.state->time < end;) {
    status = world_step(&w, 1, NULL);
    const double* q = hf_state_q(w.state);
    if (!plate && fabs(q[1]) < 5 && q[0] > 0) {
      *wrong += 1;
      break;
    }
  }
  if (plate && fabs(hf_state_v(w.state)[0] - speed) > 1e-9 * speed) *wrong += 1;
  world_close(&w);
  return status;
}

static int shoot_bullets(const experimentOptions* options, result* r) {
  static const double speeds[4] = {1, 10, 100, 1000}, angles[3] = {0, 0.5, 1}, steps[3] = {1e-3, 2e-3, 1e-2};
  int through = 0, deflected = 0, shots = 0;
  for (int s = 0; s < 4; ++s)
    for (int i = 0; i < 4; ++i)
      for (int k = options->quick ? 1 : 0; k < 3; ++k) {
        for (int a = 0; a < 3; ++a, ++shots)
          if (shoot(SHAPES[s], speeds[i], angles[a], steps[k], 0, &through) != CLI_GOOD) return CLI_FAILED;
        if (shoot(SHAPES[s], speeds[i], 0, steps[k], 1, &deflected) != CLI_GOOD) return CLI_FAILED;
      }
  result_figure(r, "bullets_shot", shots, "");
  result_must(r, "bullets", "bullets of 1 to 1000 m/s that pass a wall of 1 mm", through, "none", through == 0, 0);
  result_must(r, "misses", "bullets aimed beside a plate that are deflected", deflected, "none", deflected == 0, 0);
  return CLI_GOOD;
}

// ---- a mesh that tips over --------------------------------------------------------------------------

// A wedge dropped on an edge at 10 ms: it tips from edge to face, with a new contact each time. Speed after 3 s.
static int tip(result* r) {
  static const char* const WEDGE =
      "<mujoco><asset><mesh name='wedge' vertex='0 0 0 .1 0 0 0 .08 0 .1 .08 0 0 0 .05 .02 .08 .06'/></asset><worldbody>"
      "<geom type='plane' size='9 9 1'/><body pos='0 0 .2' euler='50 35 0'><freejoint/><geom type='mesh' mesh='wedge'/></body>"
      "</worldbody></mujoco>";
  world w;
  if (motion_open(&w, WEDGE, 1e-2) != CLI_GOOD) return CLI_FAILED;
  int status = world_step(&w, 300, NULL);
  double speed = 0;
  for (int i = 0; i < 6; ++i) speed = fmax(speed, fabs(hf_state_v(w.state)[i]));
  world_close(&w);
  result_must(r, "tipping", "speed of a mesh 3 s after it was dropped on an edge, at 10 ms", speed, "below 1e-9",
              speed <= 1e-9, 0);
  return status;
}

int motion_through(const experimentOptions* options, result* r) {
  if (push_fingers(r) != CLI_GOOD || tip(r) != CLI_GOOD) return CLI_FAILED;
  return shoot_bullets(options, r);
}
