// The trot as a scene of its own, with its controller as drives of the scene: `holdfast run` needs nothing else.
//
// Every servo of models/quadruped.xml follows its joint angle of the gait, a cycle of one period, by inverse dynamics as a constraint of the
// step within 4 N m. The keyframe starts as the gait goes on.
#include "feedback/gait.h"

#include <holdfast/model.h>

enum { ROWS = 50 }; // of a period

static void write_cycle(FILE* out, int leg, int joint) {
  static const char *const legs[LEGS] = {"lf", "rf", "lh", "rh"}, *const joints[3] = {"hip_x", "hip_y", "knee"};
  fprintf(out, "    <text name=\"hf.signal.%s_%s\" data=\"cycle", legs[leg], joints[joint]);
  for (int i = 0; i <= ROWS; ++i) {
    double time = gait.period * i / ROWS, angle = plan_leg(leg, i < ROWS ? time : 0).q[joint]; // ends as it began
    fprintf(out, "%s%.4g %.9g", i % 8 ? "  " : "\n      ", time, angle);
  }
  fprintf(out, "\"/>\n");
}

static void write_key(FILE* out) {
  const double e = 1e-6;
  fprintf(out, "  <keyframe>\n    <key name=\"trot\" qpos=\"0 0 0.14 1 0 0 0");
  for (int i = 0; i < LEG_JOINTS; ++i) fprintf(out, " %.9g", plan_leg(i / 3, 0).q[i % 3]);
  fprintf(out, "\" qvel=\"%g 0 0 0 0 0", gait.speed);
  for (int i = 0; i < LEG_JOINTS; ++i) fprintf(out, " %.6g", (plan_leg(i / 3, e).q[i % 3] - plan_leg(i / 3, 0).q[i % 3]) / e);
  fprintf(out, "\"/>\n  </keyframe>\n");
}

void legs_write_scene(result* r) {
  FILE* out = result_open(r, "quadruped_trot.xml");
  if (!out) return;
  fprintf(out, "<!-- The quadruped trots at %g m/s: each servo follows its angle of the gait by inverse dynamics as a constraint of the step, within 4 N m\n"
               "     (experiment feedback-quadruped, which writes this file). Start: keyframe trot. -->\n"
               "<mujoco model=\"quadruped_trot\">\n  <include file=\"quadruped.xml\"/>\n  <custom>\n    <text name=\"hf.drive\" data=\"constraint\"/>\n", gait.speed);
  for (int i = 0; i < LEG_JOINTS; ++i) write_cycle(out, i / 3, i % 3);
  fprintf(out, "  </custom>\n");
  write_key(out);
  fprintf(out, "</mujoco>\n");
  result_close(r, out);
}
