// Pick, shake, place: the states of the task and what is measured on the way.
//
// Perception gives the bottle's place and direction once, at the start, with an error; its height, radius and the
// table's height are known, its mass and friction are not. Everything after is felt: contact and squeeze at the fingers,
// the bottle's weight as friction at the fingers, the table as that friction goes.
#include "tamsi/iiwa.h"

#include "common/world.h"

#include <string.h>

static const double PI = 3.14159265358979323846, GRAVITY = 9.81;
static const double GRASP_HEIGHT = 0.08; // above the bottle's bottom [m]
static const double TILT =
    20 * 3.14159265358979323846 / 180; // of the hand below the horizontal [rad]
static const double BACK = 0.12, LIFT = 0.03, ABOVE = 0.05, TOO_FAR = 0.008;  // [m]
static const double OPEN_WIDTH = 0.1;                                         // [m]
static const double FIRST_SQUEEZE = 20, LEAST_SQUEEZE = 15, LAST_SQUEEZE = 2; // [N]
static const double SAFETY = 1.6,
                    LEAST_FRICTION = 0.4; // grip for this friction, and so much more [-]
static const double GOAL_X = 0.7, GOAL_Y = 0.42, GOAL_YAW = 0.5; // of the bottle [m], [rad]
static const double SHAKE_X = 0.78, SHAKE_Y = 0, SHAKE_Z = 0.4;  // of the tip [m]

typedef struct task {
  iiwaStation s;
  const iiwaTrial* trial;
  iiwaOutcome* out;
  iiwaSlip slip;
  hfPose before, grasp, lifted, shake, above, place, retreat; // of the tip
  double duration;                                            // of the present motion [s]
} task;

// ---- planning -------------------------------------------------------------------------------------

// The hand's pose at a point: fingers along the direction yaw, tilted down; closing horizontally. Of the two poses that a
// parallel gripper has, the one nearer to the present.
static hfPose hand_pose(const hfPose* now, hfVec3 p, double yaw) {
  hfVec3 y = vec(cos(yaw) * cos(TILT), sin(yaw) * cos(TILT), -sin(TILT)),
         x = vec(-sin(yaw), cos(yaw), 0);
  hfPose a = pose_of(p, x, y, vec_cross(x, y));
  x = vec(-x.x, -x.y, -x.z);
  hfPose b = pose_of(p, x, y, vec_cross(x, y));
  return vec_norm(hf_pose_error(*now, a).w) <= vec_norm(hf_pose_error(*now, b).w) ? a : b;
}

static hfPose shifted(const hfPose* X, hfVec3 by) {
  hfPose r = *X;
  r.p = vec_axpy(1, by, r.p);
  return r;
}

static void plan(task* t) {
  const iiwaTrial* r = t->trial;
  hfPose now = iiwa_station_tip(&t->s);
  hfPose seen = pose_upright(r->x + r->error_x, r->y + r->error_y, 0, r->yaw + r->error_yaw);
  hfPose goal = pose_upright(GOAL_X, GOAL_Y, 0, GOAL_YAW);
  t->grasp = hand_pose(&now, vec(seen.p.x, seen.p.y, GRASP_HEIGHT), r->yaw + r->error_yaw);
  t->before = shifted(&t->grasp, vec_axpy(-BACK, pose_axis(&t->grasp, 1), vec(0, 0, 0)));
  t->lifted = shifted(&t->grasp, vec(0, 0, LIFT));
  t->shake = hand_pose(&t->grasp, vec(SHAKE_X, SHAKE_Y, SHAKE_Z), 0);
  hfPose in_bottle = pose_inverse(&seen);
  in_bottle = pose_times(&in_bottle, &t->grasp); // where the hand is on the bottle
  t->place = pose_times(&goal, &in_bottle);
  t->above = shifted(&t->place, vec(0, 0, ABOVE));
  t->retreat = shifted(&t->place, vec_axpy(-BACK, pose_axis(&t->place, 1), vec(0, 0, 0)));
}

// ---- states ---------------------------------------------------------------------------------------

static hfTaskResult move_through(task* t, int entered, double since, int count, const hfPose* poses,
                                 double speed) {
  if (entered) t->duration = iiwa_station_move(&t->s, count, poses, speed);
  return since > t->duration + 0.1 ? HF_TASK_DONE : HF_TASK_RUNNING;
}
static double width(const task* t) {
  const double* q = hf_state_q(t->s.state);
  return q[t->s.right_q] - q[t->s.left_q];
}

// Is everything within reach? The answers are not used further: the motion is followed by differential kinematics.
static hfTaskResult look(void* user, double since, int entered) {
  task* t = user;
  (void)since, (void)entered;
  plan(t);
  const hfPose* all[] = {&t->before, &t->grasp, &t->shake, &t->above, &t->place, &t->retreat};
  for (int i = 0; i < 6; ++i) {
    double q[IIWA_JOINTS];
    memcpy(q, t->s.posture, sizeof q);
    if (hf_arm_solve(t->s.arm, *all[i], &t->s.ik, q, NULL) != HF_OK) return HF_TASK_FAILED;
  }
  return HF_TASK_DONE;
}
static hfTaskResult approach(void* user, double since, int entered) {
  task* t = user;
  return move_through(t, entered, since, 1, &t->before, 0.3);
}
static hfTaskResult reach(void* user, double since, int entered) {
  task* t = user;
  return t->s.felt.squeeze > 5 ? HF_TASK_FAILED
                               : move_through(t, entered, since, 1, &t->grasp, 0.15);
}
static hfTaskResult grasp(void* user, double since, int entered) {
  task* t = user;
  (void)since;
  if (entered) hf_grip_close(&t->s.grip, width(t), FIRST_SQUEEZE);
  return hf_grip_settled(&t->s.grip_config, &t->s.grip) ? HF_TASK_DONE : HF_TASK_RUNNING;
}
static hfTaskResult lift(void* user, double since, int entered) {
  task* t = user;
  return move_through(t, entered, since, 1, &t->lifted, 0.05);
}

// What hangs on the fingers is their friction; the squeeze follows from it, for the worst friction and the shake to come.
static hfTaskResult weigh(void* user, double since, int entered) {
  task* t = user;
  (void)entered;
  if (since < 0.3) return HF_TASK_RUNNING;
  t->out->felt_mass = t->s.load / GRAVITY;
  t->out->wrist_mass = -t->s.wrist / GRAVITY;
  if (t->out->felt_mass < 0.1) return HF_TASK_FAILED; // nothing in the hand
  t->s.payload = t->out->felt_mass;
  t->out->command =
      fmax(LEAST_SQUEEZE,
           SAFETY * t->out->felt_mass * (GRAVITY + IIWA_SHAKE_ACCELERATION) / (2 * LEAST_FRICTION));
  return HF_TASK_DONE;
}
static hfTaskResult firm(void* user, double since, int entered) {
  task* t = user;
  (void)since;
  if (entered) hf_grip_close(&t->s.grip, width(t), t->out->command);
  return hf_grip_settled(&t->s.grip_config, &t->s.grip) ? HF_TASK_DONE : HF_TASK_RUNNING;
}
static hfTaskResult carry(void* user, double since, int entered) {
  task* t = user;
  hfTaskResult r = move_through(t, entered, since, 1, &t->shake, 0.3);
  return t->s.load < 0.5 * t->out->felt_mass * GRAVITY ? HF_TASK_FAILED
         : since < t->duration + 0.5                   ? HF_TASK_RUNNING
                                                       : r;
}

static void measure_shake(task* t) {
  const double* a = hf_sim_acceleration(t->s.sim) + t->s.bottle_v;
  iiwaOutcome* o = t->out;
  iiwa_slip_measure(&t->slip, &t->s);
  o->slip = fmax(o->slip, t->slip.slip);
  o->elastic = fmax(o->elastic, t->slip.moved);
  o->grip_error = fmax(o->grip_error, fabs(t->s.felt.squeeze - o->command) / o->command);
  o->acceleration = fmax(o->acceleration, vec_norm(vec(a[0], a[1], a[2])));
}
static hfTaskResult shake(void* user, double since, int entered) {
  task* t = user;
  if (entered) {
    iiwa_station_shake(&t->s);
    if (iiwa_slip_start(&t->slip, &t->s) < 2) return HF_TASK_FAILED;
  }
  measure_shake(t);
  return since < IIWA_SHAKE_TIME ? HF_TASK_RUNNING : HF_TASK_DONE;
}
// At rest again, under the same load: what is left is drift.
static hfTaskResult pause_after(void* user, double since, int entered) {
  task* t = user;
  if (entered) t->s.shake_since = NAN;
  measure_shake(t);
  t->out->drift = t->slip.drift;
  if (since < 0.5) return HF_TASK_RUNNING;
  return t->s.load > 0.5 * t->out->felt_mass * GRAVITY ? HF_TASK_DONE : HF_TASK_FAILED;
}
static hfTaskResult bring(void* user, double since, int entered) {
  task* t = user;
  t->slip.count = 0; // measured
  return move_through(t, entered, since, 1, &t->above, 0.3);
}
// Down until the table takes half the weight; further than it can be is a failure.
static hfTaskResult lower(void* user, double since, int entered) {
  task* t = user;
  hfPose down = shifted(&t->place, vec(0, 0, -TOO_FAR));
  hfTaskResult r = move_through(t, entered, since, 1, &down, 0.05);
  if (since > 0.1 && t->s.load < 0.5 * t->out->felt_mass * GRAVITY) iiwa_station_halt(&t->s);
  if (t->s.pace == 0) return HF_TASK_DONE;
  return r == HF_TASK_DONE ? HF_TASK_FAILED : r;
}
static hfTaskResult ease(void* user, double since, int entered) {
  task* t = user;
  (void)since;
  if (entered) {
    t->s.payload = 0;
    hf_grip_close(&t->s.grip, width(t), LAST_SQUEEZE);
  }
  return t->s.felt.squeeze < 1.5 * LAST_SQUEEZE ? HF_TASK_DONE : HF_TASK_RUNNING;
}
static hfTaskResult let_go(void* user, double since, int entered) {
  task* t = user;
  (void)since;
  if (entered) hf_grip_open(&t->s.grip, width(t), OPEN_WIDTH);
  return hf_grip_settled(&t->s.grip_config, &t->s.grip) ? HF_TASK_DONE : HF_TASK_RUNNING;
}
static hfTaskResult retreat(void* user, double since, int entered) {
  task* t = user;
  return move_through(t, entered, since, 1, &t->retreat, 0.15);
}
// The table took the weight (lower), and nothing touches the fingers or hangs on the arm any more.
static hfTaskResult judge(void* user, double since, int entered) {
  task* t = user;
  (void)entered;
  if (since < 0.5) return HF_TASK_RUNNING;
  return t->s.felt.contacts == 0 && fabs(t->s.wrist) < 1 ? HF_TASK_DONE : HF_TASK_FAILED;
}

enum {
  LOOK,
  APPROACH,
  REACH,
  GRASP,
  LIFT_UP,
  WEIGH,
  FIRM,
  CARRY,
  SHAKE,
  PAUSE,
  BRING,
  LOWER,
  EASE,
  LET_GO,
  RETREAT,
  JUDGE,
  STATES
};
static const hfTaskState kStates[STATES] = {{"look", look, 1, APPROACH, HF_TASK_FAILURE},
                                            {"approach", approach, 10, REACH, HF_TASK_FAILURE},
                                            {"reach", reach, 5, GRASP, HF_TASK_FAILURE},
                                            {"grasp", grasp, 3, LIFT_UP, HF_TASK_FAILURE},
                                            {"lift", lift, 5, WEIGH, HF_TASK_FAILURE},
                                            {"weigh", weigh, 1, FIRM, HF_TASK_FAILURE},
                                            {"firm", firm, 3, CARRY, HF_TASK_FAILURE},
                                            {"carry", carry, 10, SHAKE, HF_TASK_FAILURE},
                                            {"shake", shake, 10, PAUSE, HF_TASK_FAILURE},
                                            {"pause", pause_after, 2, BRING, HF_TASK_FAILURE},
                                            {"bring", bring, 10, LOWER, HF_TASK_FAILURE},
                                            {"lower", lower, 10, EASE, HF_TASK_FAILURE},
                                            {"ease", ease, 3, LET_GO, HF_TASK_FAILURE},
                                            {"let go", let_go, 5, RETREAT, HF_TASK_FAILURE},
                                            {"retreat", retreat, 5, JUDGE, HF_TASK_FAILURE},
                                            {"judge", judge, 2, HF_TASK_SUCCESS, HF_TASK_FAILURE}};

// ---- running --------------------------------------------------------------------------------------

static void trace_row(iiwaTrace* trace, const task* t) {
  if (!trace || trace->count == trace->most) return;
  const iiwaStation* s = &t->s;
  const double* a = hf_sim_acceleration(s->sim) + s->bottle_v;
  const double row[IIWA_SERIES] = {s->state->time,
                                   iiwa_station_bottle(s).p.z,
                                   iiwa_station_tip(s).p.z - GRASP_HEIGHT,
                                   s->felt.squeeze,
                                   s->grip.mode == HF_GRIP_FORCE ? s->grip.reference : NAN,
                                   s->load,
                                   t->slip.count ? t->slip.slip : NAN,
                                   t->slip.count ? t->slip.moved : NAN,
                                   a[2]};
  for (int i = 0; i < IIWA_SERIES; ++i) trace->row[i][trace->count] = row[i];
  trace->count++;
}

// What the simulation knows: the bottle stands at the goal, and the table alone carries it.
static void find_truth(task* t) {
  iiwaOutcome* o = t->out;
  hfPose bottle = iiwa_station_bottle(&t->s);
  hfVec3 normal, friction;
  hf_sim_pair_force(t->s.sim, t->s.bottle, t->s.table, &normal, &friction);
  o->tilt = hypot(bottle.R.m[2], bottle.R.m[5]);
  o->place_error = hypot(bottle.p.x - GOAL_X, bottle.p.y - GOAL_Y);
  o->table_share = (normal.z + friction.z) / (t->trial->mass * GRAVITY);
  o->truth = o->tilt < PI / 180 && o->place_error < 0.01 && fabs(o->table_share - 1) < 0.01;
}

static int record_frame(hfRecorder* recorder, const iiwaStation* s, double* next) {
  hfError error;
  if (!recorder || s->state->time < *next) return CLI_GOOD;
  *next += 0.01;
  if (hf_recorder_add_frame(recorder, s->sim, s->state, s->input, &error) >= 0) return CLI_GOOD;
  say_error("%s", error.message);
  return CLI_FAILED;
}

static int perform(task* t, hfRecorder* recorder, iiwaTrace* trace, hfTask* machine) {
  int status = CLI_GOOD;
  double next = 0, begin = wall_clock();
  hf_task_start(machine, LOOK, 0);
  while (status == CLI_GOOD && machine->state >= 0) {
    hf_task_step(machine, kStates, STATES, t->s.state->time, t);
    status = iiwa_station_step(&t->s);
    trace_row(trace, t);
    if (status == CLI_GOOD) status = record_frame(recorder, &t->s, &next);
  }
  t->out->wall = wall_clock() - begin;
  return status;
}

static int run_with(task* t, const char* record, iiwaTrace* trace) {
  hfRecorder* recorder = NULL;
  hfError error = {HF_OK, ""};
  hfTask machine;
  if (record && hf_recorder_open(&recorder, record, t->s.model, "iiwa_pick.xml", &error) < 0) {
    say_error("%s", error.message);
    return CLI_FAILED;
  }
  int status = perform(t, recorder, trace, &machine);
  if (recorder && hf_recorder_close(recorder, &error) < 0 && status == CLI_GOOD) {
    say_error("%s", error.message);
    status = CLI_FAILED;
  }
  iiwaOutcome* o = t->out;
  o->success = machine.state == HF_TASK_SUCCESS;
  o->failed = machine.failed_in >= 0 ? kStates[machine.failed_in].name : "";
  o->time = t->s.state->time;
  o->speed_share = t->s.speed_share, o->acceleration_share = t->s.acceleration_share;
  o->torque_share = t->s.torque_share, o->tracking = t->s.tracking;
  find_truth(t);
  return status;
}

int iiwa_run(const iiwaTrial* trial, const char* record, iiwaTrace* trace, iiwaOutcome* out) {
  task t = {.trial = trial, .out = out};
  memset(out, 0, sizeof *out);
  if (iiwa_station_open(&t.s, trial) != CLI_GOOD) return CLI_FAILED;
  int status = run_with(&t, record, trace);
  iiwa_station_close(&t.s);
  return status;
}
