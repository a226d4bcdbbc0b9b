// A planned grasp as a scene of its own, with its controller as drives of the scene (run.h): `holdfast run` needs nothing else.
//
//   servos    f = kp (u - theta) - kv thetadot,   u = theta_d + (tau_d + kv thetadot_d)/kp
//   motors    f = tau(q_d, v_d) + K_q (q - q_d) + K_v (v - v_d)             where kp is 0
//
// With this control u a servo exerts the planned torque tau_d where the joint moves as planned, and pulls it back where it does not. The
// motors exert the torque of grasp_control, linear about the plan, with its derivatives K_q and K_v by all coordinates: signals of
// feedback of the scene with kp = -K_q, kd = -K_v. The time of the tables is that of the plan less the beginning.
#include "grasp/run.h"

#include <math.h>
#include <string.h>

static const double ROW = 0.005;         // Time between two rows of a table [s].
static const double FEEDBACK_ROW = 0.01; // The same of feedback, whose rows are long [s].
static const double ANGLE_STEP = 1e-7;   // Step of coordinates in differences of the control law [m or rad].
static const double SPEED_STEP = 1e-5;   // Step of velocities in differences of the control law [m/s or rad/s].

// What a motor does at one time of the plan: torque = y + sum_k kp[k] (q_d - q) + kd[k] (v_d - v).
typedef struct feedbackRow { double y, kp[GRASP_DOFS], kd[GRASP_DOFS]; } feedbackRow;

static int linearise_control(const graspPlan* plan, const graspSetpoint* at, int joint, feedbackRow* row) {
  double torque[GRASP_DOFS], moved[GRASP_DOFS];
  if (grasp_control(plan, at, at->q, at->v, torque) != CLI_GOOD) return CLI_FAILED;
  row->y = torque[joint];
  for (int k = 0; k < plan->scene->nv; ++k) {
    double q[GRASP_COORDINATES], v[GRASP_DOFS];
    memcpy(q, at->q, sizeof q);
    memcpy(v, at->v, sizeof v);
    q[k] += ANGLE_STEP, v[k] += SPEED_STEP;
    if (grasp_control(plan, at, q, at->v, moved) != CLI_GOOD) return CLI_FAILED;
    row->kp[k] = (torque[joint] - moved[joint]) / ANGLE_STEP;
    if (grasp_control(plan, at, at->q, v, moved) != CLI_GOOD) return CLI_FAILED;
    row->kd[k] = (torque[joint] - moved[joint]) / SPEED_STEP;
  }
  return CLI_GOOD;
}

static void print_row(FILE* out, int count, const char* format, const double* x) {
  for (int i = 0; i < count; ++i) fprintf(out, format, x[i]);
  fputc(' ', out);
}

static int write_feedback(FILE* out, const graspPlan* plan, const graspSceneFile* f, int joint) {
  const graspScene* s = plan->scene;
  graspSetpoint at;
  int rows = (int)lround((f->end - f->begin) / FEEDBACK_ROW);
  if (grasp_plan(plan, f->begin, NULL, &at) != CLI_GOOD) return CLI_FAILED;
  fprintf(out, "    <text name=\"hf.signal.tau%d\" data=\"feedback", joint + 1);
  for (int k = 0; k < s->nv; ++k) fprintf(out, " %s", hf_model_name(s->model, HF_OBJECT_JOINT, k));
  for (int i = 0; i <= rows; ++i) {
    graspSetpoint next;
    feedbackRow row;
    if (grasp_plan(plan, f->begin + FEEDBACK_ROW * i, at.q, &next) != CLI_GOOD || linearise_control(plan, &next, joint, &row) != CLI_GOOD) return CLI_FAILED;
    at = next;
    fprintf(out, "\n      %.4g %.10g ", FEEDBACK_ROW * i, row.y);
    print_row(out, s->nv, " %.11g", at.q);
    print_row(out, s->nv, " %.8g", at.v);
    print_row(out, s->nv, " %.4g", row.kp);
    print_row(out, s->nv, " %.4g", row.kd);
  }
  fprintf(out, "\"/>\n");
  return CLI_GOOD;
}

static double control_at(const graspScene* s, const graspSetpoint* at, hfGains gains, int joint) {
  return at->q[s->nq - s->nf + joint] + (at->effort.torque[joint] + gains.kd * at->v[s->no + joint]) / gains.kp;
}

static int write_table(FILE* out, const graspPlan* plan, const graspSceneFile* f, int joint) {
  graspSetpoint at;
  int rows = (int)lround((f->end - f->begin) / ROW);
  if (grasp_plan(plan, f->begin, NULL, &at) != CLI_GOOD) return CLI_FAILED;
  fprintf(out, "    <text name=\"hf.signal.servo%d\" data=\"table", joint + 1);
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
  for (int j = 0; j < s->nf && status == CLI_GOOD; ++j) status = f->gains.kp > 0 ? write_table(out, plan, f, j) : write_feedback(out, plan, f, j);
  fprintf(out, "  </custom>\n");
  write_key(out, s, &at);
  fprintf(out, "</mujoco>\n");
  result_close(r, out);
  return status;
}
