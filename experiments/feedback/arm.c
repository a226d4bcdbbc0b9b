// The UR10 of Table II: 8 joints follow sinusoids for 5 s from their start, without contact.
//
//   q_i = A_i sin(k_i P t),  P = 5 rad/s,  A = 0.5 rad (shoulder lift 0.05), fingers at rest
#include "feedback/feedback.h"
#include "data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const hfGains arm_pd_gains[ARM_JOINTS] = {{4400, 0, 10}, {9050, 0, 400}, {500, 0, 90}, {65, 0, 7.5}, {45, 0, 7.5}, {40, 0, 1.5}, {2, 0, 0.3}, {2, 0, 0.3}};
const hfGains arm_id_gains[ARM_JOINTS] = {{400, 0, 4}, {1150, 0, 10}, {500, 0, 20}, {300, 0, 10}, {300, 0, 10}, {400, 0, 10}, {200, 0, 30}, {10, 0, 1}};
// The arm without gears, tuned for steps of 10 ms: seed 1, 400 evaluations, from a tenth of the published gains
// (kp of the first three joints: three tenths).
const hfGains arm_retuned_gains[ARM_JOINTS] = {{386658.6019, 0, 1.546156668}, {25633.44472, 0, 75.58327515}, {6571.749805, 0, 6.293458899}, {261.37019, 0, 0.2577213956}, {331.1425109, 0, 0.3517410286}, {7.699198958, 0, 0.0504645804}, {2, 0, 0.3}, {2, 0, 0.3}};
// A quarter of the published gains of the geared robot for 50 ms steps: where tuning starts.
const hfGains arm_geared_start[ARM_JOINTS] = {{263.75, 0, 51.375}, {816.25, 0, 94.375}, {153.75, 0, 37.5}, {113.125, 0, 45.625}, {25, 0, 26.25}, {37.5, 0, 13.75}, {2, 0, 0.3}, {2, 0, 0.3}};
// arm_tune with seed 1, 400 evaluations, 5 s in steps of 50 ms.
const hfGains arm_armature_gains[ARM_JOINTS] = {{12655.47036, 0, 248.5397219}, {8362.323288, 0, 9.388051624}, {2483.876442, 0, 18.08576111}, {1305.329572, 0, 54.17102543}, {1524.89638, 0, 5.832487599}, {226.5302792, 0, 22.82492244}, {2, 0, 0.3}, {2, 0, 0.3}};
const hfGains arm_rotor_gains[ARM_JOINTS] = {{12245.70898, 0, 356.2279994}, {4211.550905, 0, 9.068268594}, {730.4362801, 0, 26.57285984}, {326.077257, 0, 53.41255542}, {15.15392176, 0, 117.1356325}, {74.58940082, 0, 37.62509583}, {2, 0, 0.3}, {2, 0, 0.3}};

hfSetpoint arm_reference(int joint, double time) {
  static const double amplitude[ARM_JOINTS] = {0.5, 0.05, 0.5, 0.5, 0.5, 0.5, 0, 0};
  static const double factor[ARM_JOINTS] = {1, 2, 2.0 / 3, 1.0 / 7, 2.0 / 11, 3.0 / 13, 0, 0};
  return hf_sinusoid(amplitude[joint], 5 * factor[joint], 0, 0, time);
}

typedef struct arm {
  const armMethod* method;
  hfModel* model;
  hfParams* params;
  hfSim* sim;
  hfState* state;
  hfInput* input;
  hfDynamics* dynamics;
  hfRecorder* recorder; // NULL: none
  int dof[ARM_JOINTS];
  double ratio[ARM_JOINTS]; // of each actuator's own coordinate over the joint
} arm;

static void arm_close(arm* a) {
  hf_sim_free(a->sim);
  hf_state_free(a->state);
  hf_input_free(a->input);
  hf_dynamics_free(a->dynamics);
  hf_params_free(a->params);
  hf_model_free(a->model);
}

static int is_pd(const armMethod* m) { return m->control == ARM_PD_EXPLICIT || m->control == ARM_PD_IMPLICIT; }

// Sets the gains of the drives and the armature. Only PD has gains; on a rotor they are those of the joint over ratio^2.
static hfStatus set_drives(arm* a, hfError* error) {
  double* gain = hf_params_field(a->params, HF_FIELD_actuator_gainprm);
  double* bias = hf_params_field(a->params, HF_FIELD_actuator_biasprm);
  double* armature = hf_params_field(a->params, HF_FIELD_dof_armature);
  for (int i = 0; i < ARM_JOINTS; ++i) {
    double scale = is_pd(a->method) ? 1 / (a->ratio[i] * a->ratio[i]) : 0;
    hfGains k = is_pd(a->method) ? a->method->gains[i] : (hfGains){0, 0, 0};
    gain[3 * i] = scale * k.kp;
    bias[3 * i] = 0, bias[3 * i + 1] = -scale * k.kp, bias[3 * i + 2] = -scale * k.kd;
    if (i < 6) armature[a->dof[i]] += a->method->armature;
  }
  return hf_params_update(a->params, error);
}

static hfStatus find_joints(arm* a) {
  static const char* const names[ARM_JOINTS] = {"shoulder_pan", "shoulder_lift", "elbow", "wrist_1", "wrist_2", "wrist_3", "left_finger", "right_finger"};
  for (int i = 0; i < ARM_JOINTS; ++i) {
    int joint = hf_model_find(a->model, HF_OBJECT_JOINT, names[i]);
    if (joint < 0) return HF_ERROR_MODEL;
    a->dof[i] = hf_model_jnt_dofadr(a->model)[joint];
    a->ratio[i] = hf_model_actuator_trnid(a->model)[2 * i] == joint ? 1 : 1.5; // a rotor
  }
  return HF_OK;
}

static hfStatus arm_open(arm* a, const armMethod* method, double h, hfError* error) {
  char file[128], path[DATA_PATH];
  memset(a, 0, sizeof *a);
  a->method = method;
  snprintf(file, sizeof file, "models/%s", method->model);
  hfStatus status = hf_model_load(&a->model, data_path(path, file), NULL, NULL, error);
  if (status == HF_OK) status = find_joints(a);
  if (status == HF_OK) status = hf_params_create(&a->params, a->model, error);
  if (status == HF_OK) status = set_drives(a, error);
  if (status != HF_OK) return status;
  hfSimConfig config = hf_sim_config_default();
  config.step = h;
  config.method = method->method;
  config.explicit_drives = method->control == ARM_PD_EXPLICIT;
  if (config.method == HF_METHOD_MLCP) config.mlcp.method = method->lcp, config.mlcp.tikhonov = method->tikhonov, config.mlcp.form = method->form;
  status = hf_sim_create(&a->sim, hf_params_model(a->params), &config, error);
  if (status == HF_OK) status = hf_dynamics_create(&a->dynamics, hf_params_model(a->params), error);
  a->state = hf_state_create(a->model);
  a->input = hf_input_create(a->model);
  return status == HF_OK && !(a->state && a->input) ? HF_ERROR_MEMORY : status;
}

// Sets all joints to the positions and velocities of the reference; rotors turn with their joints.
static void arm_start(arm* a) {
  for (int i = 0; i < ARM_JOINTS; ++i) {
    double v = a->method->control == ARM_FALL ? 0 : arm_reference(i, 0).v;
    hf_state_mutable_v(a->state)[a->dof[i]] = v;
    if (a->ratio[i] != 1) hf_state_mutable_v(a->state)[a->dof[i] - 1] = a->ratio[i] * v; // a rotor precedes its joint
  }
}

// ---- controllers ---------------------------------------------------------------------------------

static void control_pd(arm* a, double time) {
  for (int i = 0; i < ARM_JOINTS; ++i) {
    hfSetpoint p = arm_reference(i, time);
    hfGains k = a->method->gains[i];
    a->input->ctrl[i] = a->ratio[i] * (p.q + k.kd / k.kp * p.v);
  }
}

static void control_torque(arm* a, double time) {
  double scratch[ARM_JOINTS];
  hfSetpoint wanted[ARM_JOINTS];
  for (int i = 0; i < ARM_JOINTS; ++i) wanted[i] = arm_reference(i, time);
  hf_dynamics_set_position(a->dynamics, hf_state_q(a->state), NULL);
  hf_computed_torque(a->dynamics, hf_state_q(a->state), hf_state_v(a->state), wanted, a->method->gains, scratch, a->input->force);
}

static void control_targets(arm* a, double time, double h, int deadbeat) {
  for (int i = 0; i < ARM_JOINTS; ++i) {
    hfSetpoint end = arm_reference(i, time + h);
    a->input->velocity_target[a->dof[i]] = deadbeat ? hf_deadbeat(end, hf_state_q(a->state)[a->dof[i]], h) : end.v;
  }
}

static void arm_control(arm* a, double time, double h) {
  time -= a->method->late * h;
  switch (a->method->control) {
  case ARM_FALL: break;
  case ARM_PD_EXPLICIT: control_pd(a, time); break;
  case ARM_PD_IMPLICIT: control_pd(a, time + h); break;
  case ARM_ID_CONTROL: control_torque(a, time); break;
  case ARM_ID_TARGETS: control_targets(a, time, h, 1); break;
  case ARM_ID_RATES: control_targets(a, time, h, 0); break;
  }
}

// ---- a run ---------------------------------------------------------------------------------------

// Adds the errors of this instant to the sums. Returns 0 if a joint is so far off that the run counts as unstable.
static int take_errors(const arm* a, double time, feedbackRun* out) {
  const double *q = hf_state_q(a->state), *v = hf_state_v(a->state);
  for (int i = 0; i < ARM_JOINTS; ++i) {
    double e = fabs(arm_reference(i, time).q - q[a->dof[i]]);
    if (!isfinite(e) || !isfinite(v[a->dof[i]]) || fabs(v[a->dof[i]]) > 1e6) return 0;
    if (a->method->control != ARM_FALL && e > 1) return 0;
    out->joint_error[i] += e;
  }
  return 1;
}

static void step_arm(arm* a, long steps, double h, feedbackRun* out) {
  hfError error = {HF_OK, ""};
  hfStepReport report;
  double begin = processor_clock();
  long taken = 0;
  out->stable = 1;
  for (long k = 0; k < steps && out->stable; ++k, ++taken) {
    arm_control(a, (double)k * h, h);
    out->stable = hf_sim_step(a->sim, a->state, a->input, &report, &error) == HF_OK && take_errors(a, (double)(k + 1) * h, out);
    if (a->recorder && hf_recorder_add(a->recorder, a->sim, a->state, a->input, &report, NULL) < 0) break; // closing it says why
  }
  out->time = processor_clock() - begin;
  for (int i = 0; i < ARM_JOINTS; ++i) out->joint_error[i] /= fmax(1, (double)taken), out->error += out->joint_error[i] / ARM_JOINTS;
}

int arm_run(const armMethod* method, double seconds, double h, feedbackRun* out) {
  arm a;
  hfError error = {HF_OK, ""};
  memset(out, 0, sizeof *out);
  hfStatus status = arm_open(&a, method, h, &error);
  if (status == HF_OK) {
    arm_start(&a);
    step_arm(&a, lround(seconds / h), h, out);
  } else say_error("%s: %s", method->model, error.message);
  arm_close(&a);
  return status == HF_OK ? CLI_GOOD : CLI_FAILED;
}

int arm_record(const armMethod* method, double seconds, double h, result* r, const char* file) {
  arm a;
  feedbackRun out = {0};
  hfError error = {HF_OK, ""};
  hfStatus opened = arm_open(&a, method, h, &error);
  if (opened != HF_OK) say_error("%s: %s", method->model, error.message);
  int status = opened == HF_OK ? result_record(r, file, hf_sim_model(a.sim), 1.0 / 60, &a.recorder) : CLI_FAILED;
  if (status == CLI_GOOD && a.recorder) {
    arm_start(&a);
    step_arm(&a, lround(seconds / h), h, &out);
    status = result_end_record(r, a.recorder, a.sim, a.state, a.input);
  }
  arm_close(&a);
  return status;
}

// ---- tuning --------------------------------------------------------------------------------------

typedef struct armTuning { armMethod method; double seconds, h; hfGains gains[ARM_JOINTS]; } armTuning;

static void read_gains(const double* x, hfGains* gains) {
  for (int i = 0; i < 6; ++i) gains[i].kp = exp(x[2 * i]), gains[i].kd = exp(x[2 * i + 1]);
}

static double squared_error(const double* x, void* user) {
  armTuning* t = user;
  feedbackRun out;
  read_gains(x, t->gains);
  if (arm_run(&t->method, t->seconds, t->h, &out) != CLI_GOOD || !out.stable) return INFINITY;
  double sum = 0;
  for (int i = 0; i < ARM_JOINTS; ++i) sum += out.joint_error[i] * out.joint_error[i];
  return sum;
}

int arm_tune(const armMethod* method, double seconds, double h, uint64_t seed, int evaluations, hfGains gains[ARM_JOINTS], double* value) {
  armTuning t = {.method = *method, .seconds = seconds, .h = h};
  double x[12];
  t.method.gains = t.gains;
  memcpy(t.gains, gains, sizeof t.gains);
  for (int i = 0; i < 6; ++i) x[2 * i] = log(gains[i].kp), x[2 * i + 1] = log(gains[i].kd);
  hfTuning config = hf_tuning_default();
  config.seed = seed;
  config.evaluations = evaluations;
  *value = hf_minimise(squared_error, &t, 12, x, &config, NULL);
  read_gains(x, gains);
  return isfinite(*value) ? CLI_GOOD : CLI_FAILED;
}
