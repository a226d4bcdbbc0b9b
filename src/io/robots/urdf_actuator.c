// Actuators of a URDF robot: from <ros2_control>, from <transmission>, or by option one for every joint.
//
// ROS commands joints, so an actuator is called like its joint and its control is in the joint's units (drive.h).
//
// u: the robot that is read, j: a joint.
#include "io/robots/drive.h"
#include "io/robots/urdf_model.h"

#include <math.h>
#include <string.h>


static int has_one_coordinate(const hfiUrdfJoint* j) {
  return j->type == HFI_URDF_REVOLUTE || j->type == HFI_URDF_CONTINUOUS || j->type == HFI_URDF_PRISMATIC;
}

// The size of a number of <limit>; 0 if there is none or if it stands for no limit.
static double read_limit_size(hfiUrdf* u, const hfiUrdfJoint* j, const char* attribute) {
  hfiElem* limit = hfi_child(j->elem, "limit");
  double x = 0;
  if (limit) hfi_read_bound(u->r, limit, attribute, &x);
  return fabs(x) < HFI_UNLIMITED ? fabs(x) : 0;
}

// ---- what the file asks for ----------------------------------------------------------------------

// An actuator that the file or the option asks for.
typedef struct DriveRequest {
  hfUrdfActuators kind;
  const hfiElem* elem;
  const hfiElem* interface; // the <command_interface> with the range of the control; NULL: the joint has the range
} DriveRequest;

// Reads the ends of the control's range from the parameters of a <command_interface>.
static void read_command_range(hfiUrdf* u, const hfiElem* interface, hfiDrivenJoint* driven) {
  driven->range_elem = interface;
  for (hfiElem* p = hfi_child(interface, "param"); p; p = hfi_next(p, "param")) {
    const char* name = hfi_attr(p, "name");
    if (!name) continue;
    int is_max = strcmp(name, "max") == 0;
    if (!is_max && strcmp(name, "min") != 0) continue;
    if (hfi_urdf_read_parameter(u, p, &driven->range[is_max])) driven->has_end[is_max] = 1;
  }
}

// Adds the actuator of a joint that the file or the option asks for.
static void add_actuator(hfiUrdf* u, const hfiUrdfJoint* j, const DriveRequest* request) {
  hfiDrivenJoint driven = {.name = j->name,
                           .elem = request->elem,
                           .is_slide = j->type == HFI_URDF_PRISMATIC,
                           .is_endless = j->type == HFI_URDF_CONTINUOUS,
                           .effort = read_limit_size(u, j, "effort"),
                           .speed = read_limit_size(u, j, "velocity")};

  if (request->interface) read_command_range(u, request->interface, &driven);
  hfi_add_drive(u->r, &driven, request->kind);
}

// The joint that a <transmission> or <ros2_control> names, or NULL after a note that says why nothing moves it.
static hfiUrdfJoint* find_driven(hfiUrdf* u, const hfiElem* elem) {
  const char* name = hfi_require(u->r, elem, "name");
  hfiUrdfJoint* j = u->r->status ? NULL : hfi_urdf_find_joint(u, name);
  if (u->r->status) return NULL;

  if (!j)
    hfi_note(u->r, elem, HF_WARNING, "there is no joint \"%s\": no actuator", name);
  else if (!has_one_coordinate(j))
    hfi_note(u->r, elem, HF_NOTE, "joint \"%s\" is not revolute, continuous or prismatic: no actuator", name);
  else if (j->leader)
    hfi_note(u->r, elem, HF_NOTE, "joint \"%s\" follows another joint: no actuator", name);
  else
    return j;
  return NULL;
}

// The kind of actuator that a word like "hardware_interface/PositionJointInterface" or "effort" means; -1 if it means
// none.
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

// Whether only the state of a joint is measured. Then only the gear of its transmission counts.
static int is_only_measured(const hfiElem* joint) {
  const hfiElem* interface = hfi_child(joint, "hardwareInterface");
  return interface && interface->text && strstr(interface->text, "JointStateInterface");
}

// Adds an actuator for each joint of a <transmission>, except for joints whose state alone is measured. If there are
// several interfaces, the first known one counts. If there is none, the actuator is a motor, as in Drake.
static void read_transmission(hfiUrdf* u, hfiElem* elem) {
  hfi_xml_use_all(elem);
  if (!hfi_child(elem, "joint")) hfi_note(u->r, elem, HF_WARNING, "<transmission> names no joint: no actuator");

  for (hfiElem* e = hfi_child(elem, "joint"); e && !u->r->status; e = hfi_next(e, "joint")) {
    hfiUrdfJoint* j = find_driven(u, e);
    DriveRequest request = {.kind = HF_URDF_MOTORS, .elem = elem};

    int kind = -1; // none is known
    for (hfiElem* i = hfi_child(e, "hardwareInterface"); i && kind < 0; i = hfi_next(i, "hardwareInterface"))
      kind = interface_kind(i->text);

    hfiElem* actuator = hfi_child(elem, "actuator");
    hfiElem* old = actuator ? hfi_child(actuator, "hardwareInterface") : NULL; // ROS before Indigo
    if (kind < 0 && old) kind = interface_kind(old->text);

    if (kind >= 0) request.kind = (hfUrdfActuators)kind;
    if (j && !(kind < 0 && is_only_measured(e))) add_actuator(u, j, &request);
  }
}

// Reports the command interfaces of a joint that are not known. has_known: it has a known one, too.
static void report_unknown_interfaces(hfiUrdf* u, const hfiElem* joint, int has_known) {
  const char* joint_name = hfi_attr(joint, "name");
  const char* consequence = has_known ? "not used" : "no actuator";

  for (hfiElem* i = hfi_child(joint, "command_interface"); i; i = hfi_next(i, "command_interface")) {
    const char* name = hfi_attr(i, "name");
    if (interface_kind(name) >= 0) continue;
    hfi_note(u->r, i, has_known ? HF_NOTE : HF_WARNING,
             "joint \"%s\": the command interface \"%s\" is unknown: %s; known are position, velocity and effort",
             joint_name ? joint_name : "", name ? name : "", consequence);
  }
}

// Adds the actuator of a <joint> of <ros2_control>. If it has several command interfaces, position is preferred, then
// velocity. In ROS a controller would choose.
static void read_commanded_joint(hfiUrdf* u, hfiElem* elem) {
  DriveRequest request = {.elem = elem};
  int chosen = -1;
  for (hfiElem* i = hfi_child(elem, "command_interface"); i; i = hfi_next(i, "command_interface")) {
    int kind = interface_kind(hfi_attr(i, "name"));
    if (kind < 0 || (chosen >= 0 && kind >= chosen)) continue;
    chosen = kind;
    request.interface = i;
  }

  report_unknown_interfaces(u, elem, chosen >= 0);
  if (chosen < 0) return; // If there is no command interface, only the state is measured.

  request.kind = (hfUrdfActuators)chosen;
  hfiUrdfJoint* j = find_driven(u, elem);
  if (j) add_actuator(u, j, &request);
}

static void read_ros2_control(hfiUrdf* u, hfiElem* elem) {
  hfi_xml_use_all(elem);
  for (hfiElem* e = hfi_child(elem, "joint"); e && !u->r->status; e = hfi_next(e, "joint")) read_commanded_joint(u, e);
}

// ---- by option -----------------------------------------------------------------------------------

// Adds an actuator of this kind for each joint with one coordinate that follows no other.
static void drive_every_joint(hfiUrdf* u, hfUrdfActuators kind) {
  for (const hfiUrdfJoint* j = u->joints; j && !u->r->status; j = j->next) {
    DriveRequest request = {.kind = kind, .elem = j->elem};
    if (has_one_coordinate(j) && !j->leader) add_actuator(u, j, &request);
  }
}

// Adds the actuators that the file or, if it is set, the option asks for. All joints and their leaders must be known.
void hfi_urdf_read_actuators(hfiUrdf* u) {
  hfUrdfActuators kind = (hfUrdfActuators)u->r->config.urdf_actuators;

  // the option replaces what the file says
  if (kind != HF_URDF_FROM_FILE) {
    for (hfiElem* e = u->root->child; e; e = e->next)
      if (hfi_is(e, "ros2_control") || hfi_is(e, "transmission")) hfi_xml_use_all(e);
    if (kind != HF_URDF_NONE) drive_every_joint(u, kind);
    return;
  }

  // the actuator that is added first counts: <ros2_control> has priority
  for (hfiElem* e = u->root->child; e && !u->r->status; e = e->next)
    if (hfi_is(e, "ros2_control")) read_ros2_control(u, e);
  for (hfiElem* e = u->root->child; e && !u->r->status; e = e->next)
    if (hfi_is(e, "transmission")) read_transmission(u, e);
}
