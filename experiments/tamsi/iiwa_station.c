// The station: a world of models/iiwa_pick.xml with a trial's bottle, the arm's and the gripper's control.
//
// The arm follows a motion of its tip: keyframes, and a shake on top of them. Joint references by differential inverse
// kinematics, torques by inverse dynamics with feedback, on the nominal model without the bottle; its weight and
// inertia are fed forward once the fingers have weighed it. The gripper works by the measured squeeze.
#include "tamsi/iiwa.h"

#include "data.h"

#include <string.h>

const double IIWA_SHAKE_TIME = 3, IIWA_SHAKE_ACCELERATION = 1.58 * 9.81;
static const double SHAKE_RATE = 2 * 3.14159265358979323846 * 3.5; // 3.5 Hz [rad/s]
static const double GRAVITY = 9.81, HALT_TIME = 0.05;
static const double FORCE_NOISE = 0.3; // of a finger's sensor, either way [N]
// Published limits of the iiwa 14 [rad/s], [rad/s^2].
static const double kSpeed[IIWA_JOINTS] = {1.4835, 1.4835, 1.7453, 1.309, 2.2689, 2.3562, 2.3562};
static const double kAcceleration[IIWA_JOINTS] = {8.57, 8.57, 8.74, 11.36, 12.23, 15.72, 15.72};

double iiwa_draw(uint64_t* seed) {
  uint64_t z = (*seed += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (double)((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1;
}

// ---- opening --------------------------------------------------------------------------------------

static int find(const iiwaStation* s, hfObjectKind kind, const char* name) {
  int id = hf_model_find(s->model, kind, name);
  if (id < 0) say_error("iiwa_pick.xml: there is no %s \"%s\"", hf_object_kind_name(kind), name);
  return id;
}

static int find_parts(iiwaStation* s) {
  const int32_t *qpos = hf_model_jnt_qposadr(s->model), *dof = hf_model_jnt_dofadr(s->model);
  int left = find(s, HF_OBJECT_JOINT, "iiwa_wsg_left_finger"),
      right = find(s, HF_OBJECT_JOINT, "iiwa_wsg_right_finger");
  int bottle = find(s, HF_OBJECT_JOINT, "water_bottle");
  s->left = find(s, HF_OBJECT_BODY, "iiwa_wsg_left_finger");
  s->right = find(s, HF_OBJECT_BODY, "iiwa_wsg_right_finger");
  s->palm = find(s, HF_OBJECT_BODY, "iiwa_wsg_palm");
  s->bottle = find(s, HF_OBJECT_BODY, "water_bottle");
  s->table = find(s, HF_OBJECT_BODY, "work_table");
  s->grip_actuator = find(s, HF_OBJECT_ACTUATOR, "iiwa_wsg_grip");
  if (left < 0 || right < 0 || bottle < 0 || s->left < 0 || s->right < 0 || s->palm < 0 ||
      s->bottle < 0 || s->table < 0 || s->grip_actuator < 0)
    return -1;
  s->left_q = qpos[left], s->right_q = qpos[right], s->bottle_q = qpos[bottle],
  s->bottle_v = dof[bottle];
  return 0;
}

// Mass and inertia of the bottle scaled together; friction of its geoms, which have priority.
static int vary(iiwaStation* s, const iiwaTrial* t, hfError* error) {
  if (hf_params_create(&s->params, s->model, error) < 0) return -1;
  double* mass = hf_params_field(s->params, HF_FIELD_body_mass);
  double scale = t->mass / mass[s->bottle];
  mass[s->bottle] = t->mass;
  for (int i = 0; i < 6; ++i)
    hf_params_field(s->params, HF_FIELD_body_inertia)[6 * s->bottle + i] *= scale;
  for (int g = 0; g < s->model->ngeom; ++g)
    if (hf_model_geom_body(s->model)[g] == s->bottle)
      hf_params_field(s->params, HF_FIELD_geom_friction)[3 * g] = t->mu;
  return hf_params_update(s->params, error) < 0 ? -1 : 0;
}

static int create(iiwaStation* s, const iiwaTrial* t, hfError* error) {
  hfSimConfig config = hf_sim_config_default();
  char path[DATA_PATH];
  config.friction = t->friction;
  if (hf_model_load(&s->model, data_path(path, "models/iiwa_pick.xml"), NULL, NULL, error) < 0)
    return -1;
  if (s->model->nq > IIWA_NQ) {
    snprintf(error->message, sizeof error->message, "more than %d coordinates", IIWA_NQ);
    return -1;
  }
  if (find_parts(s) != 0 || vary(s, t, error) != 0) return -1;
  if (hf_sim_create(&s->sim, hf_params_model(s->params), &config, error) < 0) return -1;
  if (hf_arm_create(&s->arm, s->model, "iiwa_wsg_grasp", NULL, error) < 0) return -1;
  s->state = hf_state_create(s->model);
  s->input = hf_input_create(s->model);
  if (!s->state || !s->input) {
    snprintf(error->message, sizeof error->message, "out of memory");
    return -1;
  }
  return hf_state_set_key(s->state, s->input, s->model, find(s, HF_OBJECT_KEY, "home"), error) < 0
             ? -1
             : 0;
}

static void prepare(iiwaStation* s, const iiwaTrial* t) {
  double* q = hf_state_mutable_q(s->state) + s->bottle_q;
  q[0] = t->x, q[1] = t->y, q[2] = 0;
  q[3] = cos(t->yaw / 2), q[4] = q[5] = 0, q[6] = sin(t->yaw / 2);
  s->h = hf_sim_step_size(s->sim);
  hf_arm_positions(s->arm, hf_state_q(s->state), s->posture);
  memcpy(s->speed, kSpeed, sizeof kSpeed);
  s->ik = hf_ik_config_default();
  s->ik.period = s->h, s->ik.posture = s->posture, s->ik.speed = s->speed, s->ik.posture_gain = 0.2;
  for (int i = 0; i < IIWA_JOINTS; ++i) {
    s->gains[i] = (hfGains){400, 100, 40};
    s->reference[i] = (hfSetpoint){s->posture[i], 0, 0};
  }
  s->grip_config = hf_grip_config_default();
  s->shake_since = NAN;
  s->noise = t->noise;
  hf_arm_set(s->arm, hf_state_q(s->state));
  s->key[0] = hf_pose_key(0, hf_arm_pose(s->arm)), s->keys = 1, s->pace = 1;
  double width = hf_state_q(s->state)[s->right_q] - hf_state_q(s->state)[s->left_q];
  hf_grip_open(&s->grip, width, width);
}

int iiwa_station_open(iiwaStation* s, const iiwaTrial* trial) {
  hfError error = {HF_OK, ""};
  memset(s, 0, sizeof *s);
  if (create(s, trial, &error) != 0) {
    if (error.message[0]) say_error("iiwa_pick.xml: %s", error.message);
    iiwa_station_close(s);
    return CLI_FAILED;
  }
  prepare(s, trial);
  return CLI_GOOD;
}

void iiwa_station_close(iiwaStation* s) {
  hf_input_free(s->input);
  hf_state_free(s->state);
  hf_arm_free(s->arm);
  hf_sim_free(s->sim);
  hf_params_free(s->params);
  hf_model_free(s->model);
}

// ---- motion ---------------------------------------------------------------------------------------

// From 0 to 1 and back, over a fifth of the shake each.
static double envelope(double t) {
  double ramp = IIWA_SHAKE_TIME / 5;
  hfSetpoint zero = {0, 0, 0}, one = {1, 0, 0};
  return hf_quintic(zero, one, ramp, t).q -
         hf_quintic(zero, one, ramp, t - (IIWA_SHAKE_TIME - ramp)).q;
}

// Where the tip should be some time from now. Moves the arm's kinematics while it shakes.
static hfPose tip_in(const iiwaStation* s, double ahead) {
  if (isnan(s->shake_since))
    return hf_pose_keyframes(s->keys, s->key, s->clock + ahead * s->pace).X;
  double q[IIWA_JOINTS], t = s->state->time + ahead - s->shake_since,
                         swing = envelope(t) * sin(SHAKE_RATE * t);
  for (int i = 0; i < IIWA_JOINTS; ++i) q[i] = s->shake_from[i] + swing * s->shake_by[i];
  hf_arm_move(s->arm, q);
  return hf_arm_pose(s->arm);
}

// Along d = W^2 J_z^T: the least sum of (acceleration/limit)^2 for a vertical acceleration of the tip.
void iiwa_station_shake(iiwaStation* s) {
  double J[6 * IIWA_JOINTS], gain = 0;
  for (int i = 0; i < IIWA_JOINTS; ++i) s->shake_from[i] = s->reference[i].q;
  hf_arm_move(s->arm, s->shake_from);
  hf_arm_jacobian(s->arm, J);
  for (int i = 0; i < IIWA_JOINTS; ++i) {
    s->shake_by[i] = kAcceleration[i] * kAcceleration[i] * J[5 * IIWA_JOINTS + i];
    gain += J[5 * IIWA_JOINTS + i] * s->shake_by[i];
  }
  for (int i = 0; i < IIWA_JOINTS; ++i)
    s->shake_by[i] *= IIWA_SHAKE_ACCELERATION / (SHAKE_RATE * SHAKE_RATE * gain);
  s->shake_since = s->state->time;
}

hfPose iiwa_station_tip(const iiwaStation* s) { return tip_in(s, 0); }
hfPose iiwa_station_bottle(const iiwaStation* s) {
  return hf_dynamics_body_pose(hf_sim_dynamics(s->sim), s->bottle);
}

// Quintics peak at 1.875 times their mean rate; a turn at twice as many rad/s as the speed in m/s.
static double duration(const hfPose* a, const hfPose* b, double speed) {
  hfMotion e = hf_pose_error(*a, *b);
  return fmax(0.3, 1.875 * fmax(vec_norm(e.v), vec_norm(e.w) / 2) / speed);
}

double iiwa_station_move(iiwaStation* s, int count, const hfPose* through, double speed) {
  hfPose from = iiwa_station_tip(s);
  double time = 0;
  s->clock = 0, s->pace = 1, s->halting = 0;
  s->key[0] = hf_pose_key(time, from);
  for (int i = 0; i < count; ++i) {
    time += duration(i == 0 ? &from : &through[i - 1], &through[i], speed);
    s->key[i + 1] = hf_pose_key(time, through[i]);
  }
  s->keys = count + 1;
  return time;
}

void iiwa_station_halt(iiwaStation* s) { s->halting = 1; }
static void run_clock(iiwaStation* s) {
  s->clock += s->pace * s->h;
  if (s->halting) s->pace = fmax(0, s->pace - s->h / HALT_TIME);
}

// ---- control --------------------------------------------------------------------------------------

// The load's weight and inertia at the tip: tau += J^T m (a - g), a of the reference by differences.
static void add_payload(iiwaStation* s, double* tau) {
  double J[6 * IIWA_JOINTS];
  double a = (tip_in(s, s->h).p.z - 2 * tip_in(s, 0).p.z + tip_in(s, -s->h).p.z) / (s->h * s->h);
  hf_arm_set(s->arm, hf_state_q(s->state));
  hf_arm_jacobian(s->arm, J);
  for (int i = 0; i < IIWA_JOINTS; ++i)
    tau[i] += J[5 * IIWA_JOINTS + i] * s->payload * (a + GRAVITY);
}

static void control_arm(iiwaStation* s) {
  double tau[IIWA_JOINTS];
  const double *q = hf_state_q(s->state), *v = hf_state_v(s->state);
  hf_arm_track(s->arm, tip_in(s, s->h), &s->ik, s->reference, NULL);
  hfVec3 wanted = hf_arm_pose(s->arm).p;
  hf_arm_torque(s->arm, q, v, s->reference, s->gains, s->h, s->integral, tau);
  s->tracking = fmax(s->tracking, vec_norm(vec_axpy(-1, hf_arm_pose(s->arm).p, wanted)));
  if (s->payload > 0) add_payload(s, tau);
  hf_arm_apply(s->arm, tau, s->input);
  for (int i = 0; i < IIWA_JOINTS; ++i) {
    int dof = hf_model_jnt_dofadr(s->model)[hf_arm_joint(s->arm, i)];
    s->speed_share = fmax(s->speed_share, fabs(v[dof]) / kSpeed[i]);
    s->acceleration_share =
        fmax(s->acceleration_share, fabs(hf_sim_acceleration(s->sim)[dof]) / kAcceleration[i]);
    s->torque_share = fmax(s->torque_share, fabs(tau[i]) / hf_arm_effort(s->arm, i));
  }
}

static void control_gripper(iiwaStation* s) {
  const double *q = hf_state_q(s->state), *v = hf_state_v(s->state);
  const int32_t *dof = hf_model_jnt_dofadr(s->model), *of = hf_model_body_jntadr(s->model);
  double width = q[s->right_q] - q[s->left_q], rate = v[dof[of[s->right]]] - v[dof[of[s->left]]];
  s->input->ctrl[s->grip_actuator] =
      hf_grip_control(&s->grip_config, &s->grip, width, rate, s->felt.squeeze, s->h);
}

// What the joints' torques say about the tip, from the state before the step.
static void sense_wrist(iiwaStation* s, const double* q, const double* v) {
  double tau[IIWA_JOINTS], external[IIWA_JOINTS];
  hf_arm_sensed_torque(s->arm, s->sim, tau);
  hf_arm_external(s->arm, q, v, hf_sim_acceleration(s->sim), tau, s->h, external);
  hf_low_pass(&s->wrist, hf_arm_wrench(s->arm, external, s->ik.length, s->ik.damping).f.z, s->h,
              0.05);
}

int iiwa_station_step(iiwaStation* s) {
  hfError error = {HF_OK, ""};
  hfStepReport report;
  double q[IIWA_NQ], v[IIWA_NQ];
  control_arm(s);
  control_gripper(s);
  memcpy(q, hf_state_q(s->state), sizeof *q * (size_t)s->model->nq);
  memcpy(v, hf_state_v(s->state), sizeof *v * (size_t)s->model->nv);
  if (hf_sim_step(s->sim, s->state, s->input, &report, &error) < 0) {
    say_error("at %g s: %s", s->state->time, error.message);
    return CLI_FAILED;
  }
  run_clock(s);
  sense_wrist(s, q, v);
  s->felt = hf_sense_grip(s->sim, s->left, s->right, HF_ANY_BODY);
  if (s->felt.contacts > 0) s->felt.squeeze += FORCE_NOISE * iiwa_draw(&s->noise);
  hf_low_pass(&s->load, s->felt.load.z, s->h, 0.02);
  return CLI_GOOD;
}
