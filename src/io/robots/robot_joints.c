// Drives, couplings and loops of joints, as far as SDFormat and URDF can say them.
//
// w: the writer, m: its model, d: the drive of a joint; q, ref: coordinate and reference of a joint.
#include "io/robots/robot_write.h"

#include <math.h>

// ---- drives -------------------------------------------------------------------------------------

// Numbers whose difference is below this share of their size, or below this for small ones, are equal [-].
static const double EQUAL_NUMBERS = 1e-9;
// Poses of a weld whose quaternion differs by less from the identity have one orientation [-].
static const double EQUAL_ORIENTATIONS = 1e-9;

// Lowers a bound (-1: none yet) to the larger end of a range times `factor`, if the range limits.
static void lower_bound(double* bound, int is_limited, const double range[2], double factor) {
  double size = fabs(factor) * fmax(fabs(range[0]), fabs(range[1]));
  if (is_limited && (*bound < 0 || size < *bound)) *bound = size;
}

// Whether an actuator is a servo of the position or speed, or drives by force.
static hfiDriveKind kind_of(const hfModel* m, int actuator) {
  const double* bias = hf_model_actuator_biasprm(m) + 3 * actuator;
  if (hf_model_actuator_biastype(m)[actuator] != HF_BIAS_AFFINE) return HFI_DRIVEN_BY_FORCE;
  if (bias[1] != 0) return HFI_DRIVEN_TO_POSITION;
  if (bias[2] != 0) return HFI_DRIVEN_TO_VELOCITY;
  return HFI_DRIVEN_BY_FORCE;
}

static int is_near(double a, double b) { return fabs(a - b) <= EQUAL_NUMBERS * (1 + fabs(b)); }

// Whether the range of the control, in units of the joint, differs from the one that a reader of the file gives it. For
// a force it is enough if the range contains all forces up to the effort: larger ones are cut.
static int has_own_range(const hfModel* m, int joint, const hfiJointDrive* d) {
  const double* control = hf_model_actuator_ctrlrange(m) + 2 * d->actuator;
  const double* limit = hf_model_jnt_range(m) + 2 * joint;
  double gear = hf_model_actuator_gear(m)[6 * d->actuator];
  double gain = hf_model_actuator_gainprm(m)[3 * d->actuator];
  if (!hf_model_actuator_ctrllimited(m)[d->actuator]) return 0;
  if (gear == 0 || hf_model_actuator_gaintype(m)[d->actuator] != HF_GAIN_FIXED) return 1;

  double factor = d->kind == HFI_DRIVEN_BY_FORCE ? gain * gear : 1 / gear;
  double low = fmin(factor * control[0], factor * control[1]);
  double high = fmax(factor * control[0], factor * control[1]);
  if (d->kind == HFI_DRIVEN_TO_POSITION)
    return !hf_model_jnt_limited(m)[joint] || !is_near(low, limit[0]) || !is_near(high, limit[1]);
  if (d->kind == HFI_DRIVEN_TO_VELOCITY) return !is_near(low, -d->speed) || !is_near(high, d->speed);

  int has_all_below = low <= -d->effort || is_near(low, -d->effort);
  int has_all_above = high >= d->effort || is_near(high, d->effort);
  return !has_all_below || !has_all_above;
}

// What SDFormat and URDF can say of an actuator: its kind, effort and speed.
static hfiJointDrive make_drive(const hfModel* m, int joint, int actuator) {
  hfiJointDrive d = {.kind = kind_of(m, actuator), .actuator = actuator, .effort = -1, .speed = -1};
  const double* control = hf_model_actuator_ctrlrange(m) + 2 * actuator;
  const double* gain = hf_model_actuator_gainprm(m) + 3 * actuator;
  double gear = hf_model_actuator_gear(m)[6 * actuator];
  int is_limited = hf_model_actuator_ctrllimited(m)[actuator];
  int has_fixed_gain = hf_model_actuator_gaintype(m)[actuator] == HF_GAIN_FIXED;

  // effort: limits of the joint, of the actuator's force, and of the control of a motor
  lower_bound(&d.effort, hf_model_jnt_actfrclimited(m)[joint], hf_model_jnt_actfrcrange(m) + 2 * joint, 1);
  lower_bound(&d.effort, hf_model_actuator_forcelimited(m)[actuator], hf_model_actuator_forcerange(m) + 2 * actuator,
              gear);
  if (d.kind == HFI_DRIVEN_BY_FORCE) lower_bound(&d.effort, is_limited && has_fixed_gain, control, gain[0] * gear);

  if (d.kind == HFI_DRIVEN_TO_VELOCITY && gear != 0) lower_bound(&d.speed, is_limited, control, 1 / gear);
  d.has_own_range = has_own_range(m, joint, &d);
  return d;
}

static int has_one_axis(const hfModel* m, int joint) { return hf_joint_info(hf_model_jnt_type(m)[joint]).nv == 1; }

// Finds the actuator of each joint: the first one, if the joint has one axis and follows no other. Others are counted
// as lost.
static void make_drives(hfiRobotWriter* w) {
  const hfModel* m = w->m;
  for (int j = 0; j < m->njnt; ++j)
    w->drive[j] = (hfiJointDrive){.kind = HFI_UNDRIVEN, .actuator = -1, .effort = -1, .speed = -1};

  for (int i = 0; i < m->nu; ++i) {
    int type = hf_model_actuator_trntype(m)[i];
    int joint = hf_model_actuator_trnid(m)[2 * i];
    int on_joint = (type == HF_TRANSMISSION_JOINT || type == HF_TRANSMISSION_JOINT_IN_PARENT) &&
                   has_one_axis(m, joint);
    if (on_joint && w->drive[joint].kind == HFI_UNDRIVEN && w->mimic[joint].leader < 0)
      w->drive[joint] = make_drive(m, joint, i);
    else
      ++w->lost_drives;
  }
}

// ---- couplings ----------------------------------------------------------------------------------

enum { EQUALITY_DATA = 11 }; // how many numbers each equality has in hf_model_eq_data

// Finds which joint follows which. Couplings that are not linear are counted as lost:
//   q1 - ref1 = a0 + a1 (q2 - ref2),  written as q1 = offset + multiplier q2
static void make_mimics(hfiRobotWriter* w) {
  const hfModel* m = w->m;
  for (int j = 0; j < m->njnt; ++j) w->mimic[j].leader = -1;

  for (int i = 0; i < m->neq; ++i) {
    int type = hf_model_eq_type(m)[i];
    int joint = hf_model_eq_obj1(m)[i];
    int leader = hf_model_eq_obj2(m)[i];
    const double* a = hf_model_eq_data(m) + EQUALITY_DATA * i;
    int is_coupling = type == HF_EQUALITY_JOINT || type == HF_EQUALITY_TENDON;
    if (!is_coupling || !hf_model_eq_active(m)[i]) continue;

    // a[2] to a[4]: coefficients of higher powers
    int is_linear = type == HF_EQUALITY_JOINT && leader >= 0 && a[2] == 0 && a[3] == 0 && a[4] == 0;
    if (!is_linear || w->mimic[joint].leader >= 0) {
      ++w->lost_couplings;
      continue;
    }

    const double* ref = hf_model_qpos0(m);
    double ref1 = ref[hf_model_jnt_qposadr(m)[joint]];
    double ref2 = ref[hf_model_jnt_qposadr(m)[leader]];
    w->mimic[joint] = (hfiMimic){.leader = leader, .multiplier = a[1], .offset = ref1 + a[0] - a[1] * ref2};
  }
}

// ---- loops --------------------------------------------------------------------------------------

typedef struct LoopEnd {
  int link;         // -1: the world
  hfiPlacement X_W; // pose of the point that is held, with all joints at zero
} LoopEnd;

// The link of a body or site, -1 for the world, and the pose in the world of its frame, moved to the point p of this
// frame. kind: HF_OBJECT_BODY or HF_OBJECT_SITE.
static LoopEnd find_loop_end(const hfiRobotWriter* w, int kind, int id, const double p[3]) {
  const hfModel* m = w->m;
  hfiPlacement X = hfi_placement_identity();
  int body = kind == HF_OBJECT_SITE ? hf_model_site_body(m)[id] : id;
  if (kind == HF_OBJECT_SITE) X = hfi_placement_from(hf_model_site_pos(m) + 3 * id, hf_model_site_quat(m) + 4 * id);
  X.p = v3_add(X.p, q_rotate(X.q, v3_load(p)));

  LoopEnd end = {w->link_of[body], X};
  if (end.link < 0) return end;
  const hfiWrittenLink* link = &w->link[end.link];
  X.p = v3_sub(X.p, link->p_BL);
  end.X_W = hfi_placement_mul(link->X_WL, X);
  return end;
}

static int are_one_point(hfVec3 a, hfVec3 b) { return v3_norm(v3_sub(a, b)) <= EQUAL_NUMBERS * (1 + v3_norm(a)); }

// Whether a link, or the world (-1), stands still in the world.
static int stands_still(const hfiRobotWriter* w, int link) {
  return link < 0 || hf_model_body_lastdof(w->m)[w->link[link].body] < 0;
}

// Whether two links, or the world (-1), cannot move against each other.
static int move_as_one(const hfiRobotWriter* w, int a, int b) {
  const int32_t* weld = hf_model_body_weld(w->m);
  if (stands_still(w, a) || stands_still(w, b)) return stands_still(w, a) && stands_still(w, b);
  return weld[w->link[a].body] == weld[w->link[b].body];
}

// Chooses which of two links is the child of the joint that closes their loop. Preferred is a link that another joint
// moves, else one that floats, of which this joint becomes the joint; b before a.
static int choose_child(const hfiRobotWriter* w, int a, int b) {
  int a_moves = !stands_still(w, a);
  int b_moves = !stands_still(w, b);
  if (b_moves && !w->link[b].floats) return b;
  if (a_moves && !w->link[a].floats) return a;
  return b_moves ? b : a;
}

// Lists a connect or weld as a joint that closes a loop. One that is open with all joints at zero is counted. Data of
// the equality: 0 to 5 the points in both frames (of a weld the second comes first), 6 to 9 the relative orientation,
// 10 the scale of the torque.
static void add_loop(hfiRobotWriter* w, int i) {
  const hfModel* m = w->m;
  const double* data = hf_model_eq_data(m) + EQUALITY_DATA * i;
  int kind = hf_model_eq_objkind(m)[i];
  int is_weld = hf_model_eq_type(m)[i] == HF_EQUALITY_WELD;
  const double* point1 = is_weld ? data + 3 : data;
  const double* point2 = is_weld ? data : data + 3;
  LoopEnd a = find_loop_end(w, kind, hf_model_eq_obj1(m)[i], point1);
  LoopEnd b = find_loop_end(w, kind, hf_model_eq_obj2(m)[i], point2);

  // Do both ends fit together? A weld without a torque holds the point only.
  int holds_orientation = is_weld && data[10] != 0;
  // turn: the rotation that is missing between the two ends, in the axes of b
  hfQuat turn = q_identity();
  if (holds_orientation) turn = q_mul(q_conj(b.X_W.q), q_mul(a.X_W.q, q_load(data + 6)));
  int is_aligned = v3_norm(v3(turn.x, turn.y, turn.z)) <= EQUAL_ORIENTATIONS;
  int is_closed = are_one_point(a.X_W.p, b.X_W.p) && is_aligned;
  if (move_as_one(w, a.link, b.link)) return;
  if (!is_closed) {
    ++w->open_loops;
    return;
  }

  int child = choose_child(w, a.link, b.link);
  int parent = child == b.link ? a.link : b.link;
  w->loop[w->nloop] = (hfiLoop){
      .equality = i, .parent = parent, .child = child, .is_fixed = holds_orientation, .p_W = a.X_W.p};
  ++w->nloop;
  // a child that floated gets this joint as its own
  if (w->link[child].floats) {
    w->link[child].floats = 0;
    w->link[child].hangs = 1;
  }
}

// Lists all connects and welds that act.
static void make_loops(hfiRobotWriter* w) {
  const hfModel* m = w->m;
  for (int i = 0; i < m->neq; ++i) {
    int type = hf_model_eq_type(m)[i];
    if (hf_model_eq_active(m)[i] && (type == HF_EQUALITY_CONNECT || type == HF_EQUALITY_WELD)) add_loop(w, i);
  }
}

// Fills drives, couplings and loops. Couplings come first, because a joint that follows another one has no drive.
void hfi_robot_make_joints(hfiRobotWriter* w) {
  size_t njnt = (size_t)w->m->njnt;
  w->drive = hfi_robot_take(w, njnt, sizeof *w->drive);
  w->mimic = hfi_robot_take(w, njnt, sizeof *w->mimic);
  w->loop = hfi_robot_take(w, (size_t)w->m->neq, sizeof *w->loop);
  if (w->xml.status) return;
  make_mimics(w);
  make_drives(w);
  make_loops(w);
}
