// One run of the quadruped: a trot on flat ground from its stance.
#include "feedback/stance.h"
#include "data.h"
#include <holdfast/mlcp.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct legs {
  const legMethod* method;
  hfModel* model;
  hfParams* params;
  hfSim* sim;
  hfMlcp* mlcp;         // of inverse dynamics control
  hfDynamics* dynamics; // of the stance controller
  hfState* state;
  hfInput* input;
  hfRecorder* recorder; // NULL: none
  double* impulse;
  double h;
  int foot[LEGS];         // geoms
  double pressed[LEGS];   // normal force of a foot in the last step [N]
  double loaded[LEGS];    // time for which the foot has stood by plan and carried load without a break [s]
  double landing[LEGS];   // its way on the ground during its landing [m]
  int standing[LEGS];     // foot stands since p0
  hfVec3 p0[LEGS];
  double way; long stances;
  long samples; // of slip
} legs;

static const double LIMIT = 4; // [N m]
// A foot lands for this long: an impact on these contacts takes 1 ms, and short steps resolve how it slides then [s].
static const double LANDING_TIME = 0.005;
static const double MOST_TILT = 0.5;  // of a body that has not fallen over: the trot tilts it by less than 0.08 [rad]
// Mean power, over the run and this much longer, of drives that are in control: the trot takes 2 to 10 W [W], [s].
static const double MOST_POWER = 20, POWER_TIME = 0.1;
static const double SWAY_TIME = 0.1; // in which joints of feet that stand return to the sinusoids [s]
static const double UNLIMITED = 1e9; // torque of a drive without a limit [N m]
const hfGains legs_hand_gains[3] = {{20, 0, 0.1}, {20, 0, 0.1}, {20, 0, 0.1}};
const hfGains legs_tuned_gains[3] = {{503.1696499, 0, 0.5835443471}, {218.7504804, 0, 0.3685368582}, {481.3765634, 0, 0.01568672623}};

static void legs_close(legs* a) {
  hf_mlcp_free(a->mlcp);
  hf_dynamics_free(a->dynamics);
  hf_sim_free(a->sim);
  hf_state_free(a->state);
  hf_input_free(a->input);
  hf_params_free(a->params);
  hf_model_free(a->model);
  free(a->impulse);
}

static hfGains gains_of(const legs* a, int joint) { return (a->method->gains ? a->method->gains : legs_hand_gains)[joint % 3]; }

static int is_pd(const legs* a) { return a->method->control == LEGS_PD_EXPLICIT || a->method->control == LEGS_PD_IMPLICIT; }

// Drives with the method's gains, or none.
static hfStatus set_drives(legs* a, hfError* error) {
  double* gain = hf_params_field(a->params, HF_FIELD_actuator_gainprm);
  double* bias = hf_params_field(a->params, HF_FIELD_actuator_biasprm);
  double* range = hf_params_field(a->params, HF_FIELD_actuator_forcerange);
  double share = is_pd(a) ? 1 : 0, limit = a->method->limit > 0 ? a->method->limit : UNLIMITED;
  for (int i = 0; i < LEG_JOINTS; ++i) {
    hfGains k = gains_of(a, i);
    gain[3 * i] = share * k.kp, bias[3 * i + 1] = -share * k.kp, bias[3 * i + 2] = -share * k.kd;
    range[2 * i] = -limit, range[2 * i + 1] = limit;
  }
  return hf_params_update(a->params, error);
}

static hfSimConfig configure(const legs* a) {
  hfSimConfig config = hf_sim_config_default();
  config.step = a->h;
  config.method = a->method->method;
  config.explicit_drives = a->method->control == LEGS_PD_EXPLICIT;
  if (a->method->near_rigid > 0) config.near_rigid = a->method->near_rigid;
  if (config.method != HF_METHOD_MLCP) {
    config.friction = HF_FRICTION_REGULARISED;
    return config;
  }
  config.mlcp.form = a->method->form;
  config.mlcp.method = a->method->lcp;
  config.mlcp.tikhonov = a->method->tikhonov;
  return config;
}

// Torques of inverse dynamics control come from the step problem with targets, contact by dissipation.
static hfStatus open_controller(legs* a, hfError* error) {
  hfStepCapacity c = hf_sim_capacity(a->sim);
  hfMlcpConfig config = hf_mlcp_config_default();
  config.form = HF_MLCP_DISSIPATION;
  a->impulse = malloc(sizeof *a->impulse * (size_t)c.nrow);
  hfStatus status = hf_mlcp_create(&a->mlcp, &c, &config, error);
  return status == HF_OK && !a->impulse ? HF_ERROR_MEMORY : status;
}

static hfStatus legs_open(legs* a, const legMethod* method, double h, hfError* error) {
  static const char* const feet[LEGS] = {"lf_foot", "rf_foot", "lh_foot", "rh_foot"};
  char path[DATA_PATH];
  memset(a, 0, sizeof *a);
  a->method = method;
  a->h = h;
  hfStatus status = hf_model_load(&a->model, data_path(path, "models/quadruped.xml"), NULL, NULL, error);
  if (status != HF_OK) return status;
  if (method->weightless) a->model->world.disable_gravity = a->model->world.disable_contact = 1;
  for (int i = 0; i < LEGS; ++i) a->foot[i] = hf_model_find(a->model, HF_OBJECT_GEOM, feet[i]);
  status = hf_params_create(&a->params, a->model, error);
  if (status == HF_OK) status = set_drives(a, error);
  hfSimConfig config = configure(a);
  if (status == HF_OK) status = hf_sim_create(&a->sim, hf_params_model(a->params), &config, error);
  if (status == HF_OK) status = hf_dynamics_create(&a->dynamics, hf_params_model(a->params), error);
  a->state = hf_state_create(a->model);
  a->input = hf_input_create(a->model);
  if (status == HF_OK && !(a->state && a->input)) status = HF_ERROR_MEMORY;
  if (status == HF_OK) status = hf_state_set_key(a->state, NULL, a->model, 0, error);
  if (status == HF_OK && method->control == LEGS_ID_CONTROL) status = open_controller(a, error);
  return status;
}

// The trot starts as it goes on: joints at their references, moving with them, the body at the gait's speed.
static void legs_start(legs* a) {
  double *q = hf_state_mutable_q(a->state), *v = hf_state_mutable_v(a->state), e = 1e-6;
  if (!a->method->weightless && !(a->method->sway.rate > 0)) v[0] = gait.speed;
  for (int leg = 0; leg < LEGS; ++leg) a->pressed[leg] = 1000;
  for (int leg = 0; leg < LEGS; ++leg) {
    legPlan now = plan_motion(&a->method->sway, leg, 0), soon = plan_motion(&a->method->sway, leg, e);
    for (int i = 0; i < 3; ++i) {
      q[FIRST_Q + 3 * leg + i] = now.q[i];
      v[FIRST_DOF + 3 * leg + i] = (soon.q[i] - now.q[i]) / e;
    }
  }
}

// ---- controllers ---------------------------------------------------------------------------------

// Where a joint shall be at a time [rad].
static double reference(const legs* a, int joint, double time) { return plan_motion(&a->method->sway, joint / 3, time).q[joint % 3]; }

static void control_pd(legs* a, double time) {
  const double e = 1e-6;
  for (int i = 0; i < LEG_JOINTS; ++i) {
    double q = reference(a, i, time), rate = (reference(a, i, time + e) - q) / e;
    a->input->ctrl[i] = q + gains_of(a, i).kd / gains_of(a, i).kp * rate;
  }
}

// Velocities that follow the reference and remove the joints' errors over `duration`: over the step, or longer.
static void control_velocities(legs* a, double time, double duration) {
  const double* q = hf_state_q(a->state) + FIRST_Q;
  for (int i = 0; i < LEG_JOINTS; ++i) {
    double now = reference(a, i, time);
    a->input->velocity_target[FIRST_DOF + i] = (reference(a, i, time + a->h) - now) / a->h + (now - q[i]) / fmax(a->h, duration);
  }
}

static void control_deadbeat(legs* a, double time) { control_velocities(a, time, 0); }

// The world's z axis in the body's frame.
static hfVec3 body_up(const legs* a) {
  const double* q = hf_state_q(a->state) + 3;
  hfVec3 up = {2 * (q[1] * q[3] - q[0] * q[2]), 2 * (q[2] * q[3] + q[0] * q[1]), 1 - 2 * (q[1] * q[1] + q[2] * q[2])};
  return up;
}

// Torques fed forward, targets and limits that keep feet from slipping.
static void control_stance(legs* a, double time) {
  const double *q = hf_state_q(a->state), *v = hf_state_v(a->state), rest[FIRST_DOF + LEG_JOINTS] = {0};
  double bias[FIRST_DOF + LEG_JOINTS], weight = 0;
  for (int i = 0; i < a->model->nbody; ++i) weight += 9.81 * hf_model_body_mass(a->model)[i];
  hf_dynamics_set_position(a->dynamics, q, NULL);
  hf_dynamics_inverse(a->dynamics, v, rest, NULL, bias);
  stanceSense sense = {q, v, bias + FIRST_DOF, a->pressed, body_up(a), weight, a->method->limit};
  if (a->method->sway.rate > 0) {
    control_velocities(a, time, SWAY_TIME);
    sway_control(&sense, a->h, a->input->force + FIRST_DOF, a->input->force_limit + FIRST_DOF);
  } else
    stance_control(&sense, time, a->h, a->input->force + FIRST_DOF, a->input->velocity_target + FIRST_DOF, a->input->force_limit + FIRST_DOF);
}

// Torques for the joints' references, with the contact forces that would dissipate most; held.
static int control_torque(legs* a, double time) {
  const hfStepProblem* p;
  hfSolveReport report;
  hfError error = {HF_OK, ""};
  double v[FIRST_DOF + LEG_JOINTS], force[FIRST_DOF + LEG_JOINTS];
  memset(a->input->force, 0, sizeof force);
  control_deadbeat(a, time);
  if (hf_sim_problem(a->sim, a->state, a->input, &p, &error) != HF_OK) return 0;
  hfStatus status = hf_mlcp_solve(a->mlcp, p, v, a->impulse, &report, &error);
  hf_step_problem_row_force(p, a->impulse, force);
  memcpy(a->input->force, force, sizeof force);
  for (int i = 0; i < LEG_JOINTS; ++i) a->input->velocity_target[FIRST_DOF + i] = NAN;
  return status == HF_OK;
}

static int legs_control(legs* a, double time) {
  for (int i = 0; i < LEG_JOINTS; ++i) a->input->force_limit[FIRST_DOF + i] = a->method->limit > 0 ? a->method->limit : INFINITY;
  switch (a->method->control) {
  case LEGS_PD_EXPLICIT: control_pd(a, time); break;
  case LEGS_PD_IMPLICIT: control_pd(a, time + a->h); break;
  case LEGS_ID_CONTROL: return control_torque(a, time);
  case LEGS_TARGETS: control_deadbeat(a, time); break;
  case LEGS_STANCE: control_stance(a, time); break;
  }
  return 1;
}

// ---- what is measured ----------------------------------------------------------------------------

static int take_errors(const legs* a, double time, legRun* out) {
  const double *q = hf_state_q(a->state) + FIRST_Q, *v = hf_state_v(a->state);
  double sum = 0;
  for (int i = 0; i < FIRST_DOF + LEG_JOINTS; ++i) if (!isfinite(v[i]) || fabs(v[i]) > 1e6) return 0;
  for (int i = 0; i < LEG_JOINTS; ++i) {
    double e = fabs(reference(a, i, time) - q[i]);
    if (!(e <= 1)) return 0;
    sum += e / LEG_JOINTS;
    out->joint_error[i] += e;
  }
  out->tilt = fmax(out->tilt, acos(fmin(1, body_up(a).z)));
  out->run.error += sum;
  out->steps++;
  int stands = a->method->weightless || out->tilt < MOST_TILT; // what floats may turn
  return stands && out->work < MOST_POWER * (time + POWER_TIME);
}

static void take_torques(const legs* a, legRun* out) {
  for (int i = 0; i < LEG_JOINTS; ++i) {
    double tau = is_pd(a) ? hf_sim_actuator_force(a->sim)[i] : a->input->force[FIRST_DOF + i] + hf_sim_target_force(a->sim)[FIRST_DOF + i];
    out->violation = fmax(out->violation, fabs(tau) - LIMIT);
    out->work += fabs(tau * hf_state_v(a->state)[FIRST_DOF + i]) * a->h;
  }
}

// Slip of a foot that stands; while it lands, the way it slides.
static void take_slip(legs* a, int leg, double speed, legRun* out) {
  if (a->loaded[leg] == 0) a->landing[leg] = 0;
  if (a->loaded[leg] >= LANDING_TIME || a->h >= LANDING_TIME) {
    out->slip = fmax(out->slip, speed);
    out->mean_slip += speed;
    a->samples++;
  }
  else out->landing_slip = fmax(out->landing_slip, a->landing[leg] += a->h * speed);
}

// Feet that stand by plan at both ends of the step and carry load.
static void take_feet(legs* a, double time, legRun* out) {
  for (int leg = 0; leg < LEGS; ++leg) {
    int still = a->method->sway.rate > 0 || plan_stands(leg, time, time + a->h);
    double pressed = 0, speed = 0;
    hfVec3 p = {0, 0, 0};
    for (int i = 0; i < hf_sim_contact_count(a->sim); ++i) {
      hfContact c = hf_sim_contact(a->sim, i);
      if ((c.geom_a != a->foot[leg] && c.geom_b != a->foot[leg]) || !(c.fn > 0)) continue;
      pressed += c.fn, p = c.p_W;
      speed = fmax(speed, sqrt(c.vt.x * c.vt.x + c.vt.y * c.vt.y + c.vt.z * c.vt.z));
    }
    if (still && pressed > 0) take_slip(a, leg, speed, out);
    a->loaded[leg] = still && pressed > 0 ? a->loaded[leg] + a->h : 0;
    if (a->standing[leg] && !(still && pressed > 0)) a->stances++;
    if (still && pressed > 0 && a->standing[leg]) a->way += hypot(p.x - a->p0[leg].x, p.y - a->p0[leg].y);
    a->p0[leg] = p;
    a->pressed[leg] = pressed;
    a->standing[leg] = still && pressed > 0;
  }
}

// Trots or sways until the end, or until the robot is lost.
static void step_legs(legs* a, double seconds, legRun* out) {
  hfError error = {HF_OK, ""};
  hfStepReport report;
  double spent = 0, h = a->h;
  long steps = lround(seconds / h);
  int rigid = a->method->method == HF_METHOD_MLCP;
  out->run.stable = 1;
  for (long k = 0; k < steps && out->run.stable; ++k) {
    double begin = processor_clock(), time = (double)k * h;
    out->unsolved += !legs_control(a, time);
    hfStatus step = hf_sim_step(a->sim, a->state, a->input, &report, &error);
    spent += processor_clock() - begin;
    if (a->recorder && step >= 0 && hf_recorder_add(a->recorder, a->sim, a->state, a->input, &report, NULL) < 0) break; // closing it says why
    out->unsolved += step != HF_OK && rigid;
    take_torques(a, out);
    out->run.stable = step >= 0 && !(step > 0 && rigid) && take_errors(a, time + h, out);
    if (!out->run.stable) break;
    take_feet(a, time, out);
  }
  out->run.time = spent;
}

int legs_run(const legMethod* method, double seconds, double h, legRun* out) {
  legs a;
  hfError error = {HF_OK, ""};
  memset(out, 0, sizeof *out);
  hfStatus status = legs_open(&a, method, h, &error);
  if (status == HF_OK) {
    legs_start(&a);
    step_legs(&a, seconds, out);
    out->run.error /= fmax(1, (double)out->steps);
    for (int i = 0; i < LEG_JOINTS; ++i) out->joint_error[i] /= fmax(1, (double)out->steps), out->squared_error += out->joint_error[i] * out->joint_error[i];
    out->mean_slip /= fmax(1, (double)a.samples);
    out->displacement = a.stances ? a.way / (double)a.stances : 0;
  } else say_error("quadruped.xml: %s", error.message);
  legs_close(&a);
  return status == HF_OK ? CLI_GOOD : CLI_FAILED;
}

int legs_record(const legMethod* method, double seconds, double h, result* r, const char* file) {
  legs a;
  legRun out = {0};
  hfError error = {HF_OK, ""};
  hfStatus opened = legs_open(&a, method, h, &error);
  if (opened != HF_OK) say_error("quadruped.xml: %s", error.message);
  int status = opened == HF_OK ? result_record(r, file, hf_sim_model(a.sim), 1.0 / 60, &a.recorder) : CLI_FAILED;
  if (status == CLI_GOOD && a.recorder) {
    legs_start(&a);
    step_legs(&a, seconds, &out);
    status = result_end_record(r, a.recorder, a.sim, a.state, a.input);
  }
  legs_close(&a);
  return status;
}
