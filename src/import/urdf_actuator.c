// Actuators of a URDF robot: from <ros2_control>, from <transmission>, or by option one for every joint.
//
// ROS commands joints, so an actuator is called like its joint and its control is in the joint's units:
//   position   force = kp (control - q) - kv v       range of the control: that of the joint
//   velocity   force = kv (control - v)              range: +- velocity of <limit>
//   effort     force = control                       range: +- effort of <limit>
// URDF has no gains. Unless the options give them, kp reaches the joint's effort at an error of FULL_EFFORT_ERROR, and kv damps the
// joint critically; a velocity servo reaches the effort at FULL_EFFORT_SPEED.
#include "import/urdf_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Error of the position at which a servo without given gains uses all of its joint's effort [rad, m].
static const double FULL_EFFORT_ERROR[2] = {0.02, 0.002};
// Error of the speed, likewise [rad/s, m/s].
static const double FULL_EFFORT_SPEED[2] = {0.1, 0.01};
// The effort [N m, N] that is assumed for the gains where <limit> gives none.
static const double ASSUMED_EFFORT = 50;

static hfiUrdfJoint* find_joint(const hfiUrdf* u, const char* name) {
  for (hfiUrdfJoint* j = u->joints; j; j = j->next)
    if (strcmp(j->name, name) == 0) return j;
  return NULL;
}

static int has_one_coordinate(const hfiUrdfJoint* j) {
  return j->type == HFI_URDF_REVOLUTE || j->type == HFI_URDF_CONTINUOUS || j->type == HFI_URDF_PRISMATIC;
}

// A number of <limit>, or 0.
static double limit_of(hfiUrdf* u, const hfiUrdfJoint* j, const char* attribute) {
  hfiElem* limit = hfi_child(j->elem, "limit");
  double x = 0;
  if (limit) hfi_read_real(u->r, limit, attribute, &x);
  return fabs(x);
}

static void set_range(hfActuatorDef* d, double low, double high) {
  d->ctrllimited = low < high;
  d->ctrlrange[0] = d->ctrllimited ? low : 0;
  d->ctrlrange[1] = d->ctrllimited ? high : 0;
}

static void make_position(hfiUrdf* u, const hfiUrdfJoint* j, double effort, hfActuatorDef* d) {
  const hfImportConfig* c = &u->r->config;
  double range[2] = {0, 0};
  double kp = c->servo_kp > 0 ? c->servo_kp : effort / FULL_EFFORT_ERROR[j->type == HFI_URDF_PRISMATIC];
  d->gaintype = HF_GAIN_FIXED, d->biastype = HF_BIAS_AFFINE;
  d->gainprm[0] = kp, d->biasprm[1] = -kp, d->biasprm[2] = -c->servo_kv;
  if (!(c->servo_kv > 0)) d->dampratio = 1;
  if (j->type != HFI_URDF_CONTINUOUS && hf_builder_range(u->r->builder, HF_OBJECT_JOINT, d->trnid[0], range))
    set_range(d, range[0], range[1]);
}

static void make_velocity(hfiUrdf* u, const hfiUrdfJoint* j, double effort, hfActuatorDef* d) {
  const hfImportConfig* c = &u->r->config;
  double kv = c->servo_kv > 0 ? c->servo_kv : effort / FULL_EFFORT_SPEED[j->type == HFI_URDF_PRISMATIC];
  double speed = limit_of(u, j, "velocity");
  d->gaintype = HF_GAIN_FIXED, d->biastype = HF_BIAS_AFFINE;
  d->gainprm[0] = kv, d->biasprm[2] = -kv;
  set_range(d, -speed, speed);
}

static void make_motor(double effort, hfActuatorDef* d) {
  d->gaintype = HF_GAIN_FIXED, d->biastype = HF_BIAS_NONE;
  d->gainprm[0] = 1;
  set_range(d, -effort, effort);
}

// ---- what the file asks for ----------------------------------------------------------------------

typedef struct Wish {
  hfUrdfActuators kind;
  const hfiElem* elem;
  double range[2]; // of the control; empty: by the joint
} Wish;

static void add_actuator(hfiUrdf* u, const hfiUrdfJoint* j, const Wish* wish) {
  hfiReader* r = u->r;
  if (hf_builder_find(r->builder, HF_OBJECT_ACTUATOR, j->name) >= 0) return; // an earlier element says what moves it
  hfActuatorDef d = hf_actuator_def_default();
  d.name = j->name;
  d.where = hfi_where(r, wish->elem);
  d.trntype = HF_TRANSMISSION_JOINT;
  d.trnid[0] = hf_builder_find(r->builder, HF_OBJECT_JOINT, j->name);
  double effort = limit_of(u, j, "effort");
  if (wish->kind == HF_URDF_MOTORS)
    make_motor(effort, &d);
  else
    (wish->kind == HF_URDF_POSITION_SERVOS ? make_position : make_velocity)(u, j, effort > 0 ? effort : ASSUMED_EFFORT, &d);
  if (wish->range[0] < wish->range[1]) set_range(&d, wish->range[0], wish->range[1]);
  if (!r->status) hfi_keep(r, wish->elem, hf_builder_add_actuator(r->builder, &d, &r->scratch));
}

// The joint that a <transmission> or <ros2_control> names, or NULL after a note that says why nothing moves it.
static hfiUrdfJoint* find_driven(hfiUrdf* u, const hfiElem* elem) {
  const char* name = hfi_require(u->r, elem, "name");
  hfiUrdfJoint* j = u->r->status ? NULL : find_joint(u, name);
  if (u->r->status) return NULL;
  if (!j)
    hfi_note(u->r, elem, HF_WARNING, "there is no joint \"%s\": no actuator", name);
  else if (!has_one_coordinate(j))
    hfi_note(u->r, elem, HF_NOTE, "joint \"%s\" is not revolute, continuous or prismatic: no actuator", name);
  else if (hfi_urdf_mimics(u, j))
    hfi_note(u->r, elem, HF_NOTE, "joint \"%s\" follows another joint: no actuator", name);
  else
    return j;
  return NULL;
}

// The kind of actuator that a word like "hardware_interface/PositionJointInterface" or "effort" means; -1: none.
static int interface_kind(const char* text) {
  static const struct {
    const char *ros1, *ros2;
    hfUrdfActuators kind;
  } kinds[] = {{"PositionJointInterface", "position", HF_URDF_POSITION_SERVOS},
               {"VelocityJointInterface", "velocity", HF_URDF_VELOCITY_SERVOS},
               {"EffortJointInterface", "effort", HF_URDF_MOTORS}};
  for (size_t i = 0; text && i < sizeof kinds / sizeof *kinds; ++i)
    if (strstr(text, kinds[i].ros1) || strcmp(text, kinds[i].ros2) == 0) return (int)kinds[i].kind;
  return -1;
}

static void mark_used(hfiElem* elem) {
  elem->used = 1;
  for (hfiAttr* a = elem->attr; a; a = a->next) a->used = 1;
  for (hfiElem* e = elem->child; e; e = e->next) mark_used(e);
}

// Of several interfaces the first that is known counts. Without one the actuator is a motor, as in Drake.
static void read_transmission(hfiUrdf* u, hfiElem* elem) {
  mark_used(elem);
  if (!hfi_child(elem, "joint")) hfi_note(u->r, elem, HF_WARNING, "<transmission> names no joint: no actuator");
  for (hfiElem* e = hfi_child(elem, "joint"); e && !u->r->status; e = hfi_next(e, "joint")) {
    hfiUrdfJoint* j = find_driven(u, e);
    Wish wish = {.kind = HF_URDF_MOTORS, .elem = elem};
    int kind = -1;
    for (hfiElem* i = hfi_child(e, "hardwareInterface"); i && kind < 0; i = hfi_next(i, "hardwareInterface"))
      kind = interface_kind(i->text);
    hfiElem* actuator = hfi_child(elem, "actuator");
    hfiElem* old = actuator ? hfi_child(actuator, "hardwareInterface") : NULL; // ROS before Indigo
    if (kind < 0 && old) kind = interface_kind(old->text);
    if (kind >= 0) wish.kind = (hfUrdfActuators)kind;
    if (j) add_actuator(u, j, &wish);
  }
}

static void read_command_range(hfiUrdf* u, const hfiElem* interface, double range[2]) {
  for (hfiElem* p = hfi_child(interface, "param"); p; p = hfi_next(p, "param")) {
    const char* name = hfi_attr(p, "name");
    if (!name || (strcmp(name, "min") != 0 && strcmp(name, "max") != 0)) continue;
    char* end = NULL;
    double x = p->text ? strtod(p->text, &end) : 0;
    if (p->text && *p->text && !*end && isfinite(x))
      range[name[1] == 'a'] = x;
    else
      hfi_note(u->r, p, HF_WARNING, "%s: \"%.40s\" is not a number: not used", name, p->text ? p->text : "");
  }
}

// Of several command interfaces position is preferred, then velocity: a controller would choose.
static void read_commanded_joint(hfiUrdf* u, hfiElem* elem) {
  Wish wish = {.elem = elem};
  int chosen = -1;
  for (hfiElem* i = hfi_child(elem, "command_interface"); i; i = hfi_next(i, "command_interface")) {
    int kind = interface_kind(hfi_attr(i, "name"));
    if (kind < 0 || (chosen >= 0 && kind >= chosen)) continue;
    chosen = kind;
    wish.range[0] = wish.range[1] = 0;
    read_command_range(u, i, wish.range);
  }
  if (chosen < 0) return; // its state is measured only
  wish.kind = (hfUrdfActuators)chosen;
  hfiUrdfJoint* j = find_driven(u, elem);
  if (j) add_actuator(u, j, &wish);
}

static void read_ros2_control(hfiUrdf* u, hfiElem* elem) {
  mark_used(elem);
  for (hfiElem* e = hfi_child(elem, "joint"); e && !u->r->status; e = hfi_next(e, "joint")) read_commanded_joint(u, e);
}

// ---- by option -----------------------------------------------------------------------------------

static void drive_every_joint(hfiUrdf* u, hfUrdfActuators kind) {
  for (const hfiUrdfJoint* j = u->joints; j && !u->r->status; j = j->next) {
    Wish wish = {.kind = kind, .elem = j->elem};
    if (has_one_coordinate(j) && !hfi_urdf_mimics(u, j)) add_actuator(u, j, &wish);
  }
}

void hfi_urdf_read_actuators(hfiUrdf* u) {
  hfUrdfActuators kind = (hfUrdfActuators)u->r->config.urdf_actuators;
  for (hfiElem* e = u->root->child; e && !u->r->status; e = e->next) {
    if (kind != HF_URDF_FROM_FILE && (hfi_is(e, "ros2_control") || hfi_is(e, "transmission"))) mark_used(e);
    if (kind == HF_URDF_FROM_FILE && hfi_is(e, "ros2_control")) read_ros2_control(u, e);
  }
  for (hfiElem* e = u->root->child; e && !u->r->status && kind == HF_URDF_FROM_FILE; e = e->next)
    if (hfi_is(e, "transmission")) read_transmission(u, e);
  if (kind != HF_URDF_FROM_FILE && kind != HF_URDF_NONE) drive_every_joint(u, kind);
}
