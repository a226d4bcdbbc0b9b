// A planned grasp as a scene of its own, with its controller as drives of the scene (run.h): `holdfast run` needs nothing else.
//
//   servos    f = kp (u - theta) - kv thetadot,   u = theta_d + (tau_d + kv thetadot_d)/kp
//   motors    f = tau_d                                                     where kp is 0
//
// With this control u a servo exerts the planned torque tau_d where the joint moves as planned, and pulls it back where it does not. The
// controls are tables of the scene, whose time is that of the plan less the beginning.
#include "grasp/run.h"

#include <math.h>

static const double ROW = 0.005; // Time between two rows of a table [s].

static double control_at(const graspScene* s, const graspSetpoint* at, hfGains gains, int joint) {
  double torque = at->effort.torque[joint];
  return gains.kp > 0 ? at->q[s->nq - s->nf + joint] + (torque + gains.kd * at->v[s->no + joint]) / gains.kp : torque;
}

static int write_table(FILE* out, const graspPlan* plan, const graspSceneFile* f, int joint) {
  graspSetpoint at;
  int rows = (int)lround((f->end - f->begin) / ROW);
  if (grasp_plan(plan, f->begin, NULL, &at) != CLI_GOOD) return CLI_FAILED;
  fprintf(out, "    <text name=\"hf.signal.%s%d\" data=\"table", f->gains.kp > 0 ? "servo" : "tau", joint + 1);
  for (int i = 0; i <= rows; ++i) {
    graspSetpoint next;
    if (grasp_plan(plan, f->begin + ROW * i, at.q, &next) != CLI_GOOD) return CLI_FAILED;
    at = next;
    fprintf(out, "%s%.4g %.8g", i % 8 ? "  " : "\n      ", ROW * i, control_at(plan->scene, &at, f->gains, joint));
  }
  fprintf(out, "\"/>\n");
  return CLI_GOOD;
}

static void write_servos(FILE* out, int count, hfGains gains) {
  fprintf(out, "  <actuator>\n");
  for (int j = 1; j <= count; ++j) fprintf(out, "    <position name=\"servo%d\" joint=\"theta%d\" kp=\"%g\" kv=\"%g\"/>\n", j, j, gains.kp, gains.kd);
  fprintf(out, "  </actuator>\n");
}

static void write_key(FILE* out, const graspScene* s, const graspSetpoint* at) {
  fprintf(out, "  <keyframe>\n    <key name=\"start\" qpos=\"");
  for (int i = 0; i < s->nq; ++i) fprintf(out, "%s%.15g", i ? " " : "", at->q[i]);
  fprintf(out, "\" qvel=\"");
  for (int i = 0; i < s->nv; ++i) fprintf(out, "%s%.15g", i ? " " : "", at->v[i]);
  fprintf(out, "\"/>\n  </keyframe>\n");
}

int grasp_write_scene(const graspPlan* plan, const graspSceneFile* f, result* r) {
  const graspScene* s = plan->scene;
  graspSetpoint at;
  char file[96];
  snprintf(file, sizeof file, "%s.xml", f->name);
  FILE* out = result_open(r, file);
  if (!out) return CLI_GOOD;
  int status = grasp_plan(plan, f->begin, NULL, &at);
  fprintf(out, "<!-- %s -->\n<mujoco model=\"%s\">\n  <include file=\"planar_grasp.xml\"/>\n  <contact>\n", f->about, f->name);
  for (int i = 0; i < s->nc; ++i)
    fprintf(out, "    <pair geom1=\"object\" geom2=\"link%d\" condim=\"3\" friction=\"%g %g 0 0 0\"/>\n", i + 1, s->mu[i], s->mu[i]);
  fprintf(out, "  </contact>\n");
  if (f->gains.kp > 0) write_servos(out, s->nf, f->gains);
  fprintf(out, "  <custom>\n    <text name=\"hf.method\" data=\"switching\"/>\n");
  for (int j = 0; j < s->nf && status == CLI_GOOD; ++j) status = write_table(out, plan, f, j);
  fprintf(out, "  </custom>\n");
  write_key(out, s, &at);
  fprintf(out, "</mujoco>\n");
  result_close(r, out);
  return status;
}
