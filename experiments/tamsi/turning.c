// tamsi-gripper, section IV-B: the transition-aware line search (TALS) inside implicit Euler helps less as the
// configuration changes.
//
// A block lies on a table that is shaken so hard that it slips and sticks in every half period: once along a
// line, once about an axis 10 cm away, with the same acceleration W r w cos(w t) under the block. Along the
// line the Jacobian of the slip does not depend on the configuration. On the turning table a Newton update
// dv moves the block by h dv, and its slip by W h dv: beyond the stiction speed of 0.1 mm/s for W = 1 rad/s,
// h = 3 ms and dv of 30 mm/s. Counted are the contacts that TALS stopped in their stick region, and those of
// them that the next iterate finds outside; the friction keeps W r w mu/g at one half.
#include "common/figure.h"
#include "tamsi/gripper.h"

#include <math.h>
#include <string.h>

enum { SPEEDS = 4 };
static const double RADIUS = 0.1, OMEGA = 12.566370614359172, SPAN = 2; // [m], [rad/s], [s]

static const char SCENE[] =
    "<mujoco><option gravity='0 0 -9.81'/>"
    "<custom><numeric name='hf.stiffness' data='2e4'/><numeric name='hf.dissipation' data='5'/>"
    "<numeric name='hf.stiction_speed' data='1e-4'/><text name='hf.signal.shake' data='sine %.17g 2 0 0'/></custom>"
    "<worldbody><body name='table'><joint name='table' type='%s' axis='%s'/>"
    "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>"
    "<geom type='box' size='0.5 0.5 0.05' pos='0 0 -0.05' friction='%.17g 0 0' condim='3'/></body>"
    "<body name='block' pos='%g 0 0.0199'><freejoint/>"
    "<geom type='box' size='0.03 0.02 0.02' mass='0.1' friction='0 0 0' condim='3'/></body></worldbody>"
    "<actuator><motor name='shake' joint='table'/></actuator></mujoco>";

typedef struct shaken { gripperCounts with, without; } shaken; // TALS

static int load_scene(int turns, double speed, hfModel** model, hfError* error) {
  char text[2048];
  double mu = 0.5 * speed * RADIUS * OMEGA / 9.81, drive = speed * OMEGA * (turns ? 1 : RADIUS); // 1 kg m^2, 1 kg
  snprintf(text, sizeof text, SCENE, drive, turns ? "hinge" : "slide", turns ? "0 0 1" : "0 1 0", mu, RADIUS);
  return hf_model_parse(model, text, strlen(text), "shaken table", ".", NULL, NULL, error) < 0 ? CLI_FAILED : CLI_GOOD;
}

// Table and block start together at the speed where the shaking reverses.
static int shake(int turns, double speed, shaken* out, hfError* error) {
  hfModel* m = NULL;
  double x[GRIPPER_NX] = {0};
  if (load_scene(turns, speed, &m, error) != CLI_GOOD) return CLI_FAILED;
  memcpy(x, hf_model_qpos0(m), sizeof *x * (size_t)m->nq);
  double* v = x + m->nq;
  v[0] = -speed * (turns ? 1 : RADIUS);
  v[2] = -speed * RADIUS;
  v[6] = turns ? -speed : 0;
  int status = gripper_euler(m, x, &(gripperEuler){.tals = 1}, SPAN, &out->with, error);
  if (status == CLI_GOOD) status = gripper_euler(m, x, &(gripperEuler){0}, SPAN, &out->without, error);
  hf_model_free(m);
  return status;
}

int gripper_turning(result* r) {
  static const double speeds[SPEEDS] = {0.1, 0.32, 1, 3.2};
  double fraction[2][SPEEDS], saved[2][SPEEDS];
  hfError error = {HF_OK, ""};
  shaken s;
  for (int turns = 0; turns < 2; ++turns)
    for (int k = 0; k < SPEEDS; ++k) {
      if (shake(turns, speeds[k], &s, &error) != CLI_GOOD) {
        say_error("shaken table: %s", error.message);
        return CLI_FAILED;
      }
      fraction[turns][k] = (double)s.with.accel.escaped / fmax(1, (double)s.with.accel.limited);
      saved[turns][k] = (double)s.without.integrator.evaluations / (double)s.with.integrator.evaluations;
      result_note(r, "table %s, W = %4.2f rad/s: %4ld landings, %4ld left the disc; %6ld evaluations with TALS, %4.2f times that without",
                  turns ? "turning" : "sliding", speeds[k], (long)s.with.accel.limited, (long)s.with.accel.escaped, (long)s.with.integrator.evaluations, saved[turns][k]);
    }
  figure f = {.title = "TALS in implicit Euler on a shaken table, h = 3 ms", .xlabel = "W [rad/s]", .ylabel = "landings that left the disc [-]", .xlog = 1};
  figure_add(&f, "sliding table", SPEEDS, speeds, fraction[0], FIGURE_BOTH);
  figure_add(&f, "turning table", SPEEDS, speeds, fraction[1], FIGURE_BOTH);
  figure_write(&f, r, "section4b");
  double least = INFINITY;
  for (int k = 0; k < SPEEDS; ++k) least = fmin(least, saved[0][k]);
  result_figure(r, "left_the_disc_sliding", fraction[0][SPEEDS - 1], "");
  result_figure(r, "left_the_disc_turning", fraction[1][SPEEDS - 1], "");
  result_figure(r, "work_without_over_with_tals_sliding", saved[0][SPEEDS - 1], "");
  result_figure(r, "work_without_over_with_tals_turning", saved[1][SPEEDS - 1], "");
  result_must(r, "iv-b-fixed", "configuration without effect: landings that left the disc", fraction[0][SPEEDS - 1], "0, and TALS saves work", fraction[0][SPEEDS - 1] == 0 && least > 1, 0);
  result_must(r, "iv-b-turning", "turning at 3.2 rad/s: landings that left the disc", fraction[1][SPEEDS - 1], "more than half, and TALS saves less work",
              fraction[1][SPEEDS - 1] > 0.5 && saved[1][SPEEDS - 1] < saved[0][SPEEDS - 1], 0);
  return CLI_GOOD;
}
