// Where a URDF robot begins: the keyframe "initial_value", from the parameters of that name of the position interfaces
// of <ros2_control>.
//
// ROS begins there with servos that hold. The reference of a joint has no control, so that servos would pull a robot
// whose reference were moved back to zero; a keyframe has both.
//
// u: the robot that is read, b: its builder, ids: the layout of a keyframe, a: the arrays of the keyframe.
#include "io/robots/urdf_model.h"

#include "math/vec3.h"
#include "build/key.h"
#include "model/actuator.h"

#include <string.h>

// ---- completing a keyframe ----------------------------------------------------------------------

// Moves joints that follow others to where these put them. A leader may follow another joint itself, so this is
// repeated until nothing moves.
static void move_followers(const hfBuilder* b, const hfiKeyLayout* ids, const hfiKeyArrays* a) {
  int has_moved = 1;
  for (int pass = 0; has_moved && pass < b->equality.count; ++pass) {
    has_moved = 0;
    for (int i = 0; i < b->equality.count; ++i) {
      const hfEqualityDef* d = &b->equality.data[i];
      if (d->type != HF_EQUALITY_JOINT) continue;

      double* q = a->qpos + ids->qpos[d->obj1];
      double share = d->obj2 >= 0 ? d->data[1] * a->qpos[ids->qpos[d->obj2]] : 0;
      double wanted = d->data[0] + share;
      has_moved |= *q != wanted;
      *q = wanted;
    }
  }
}

// Sets the controls of position servos so that they hold the state, as far as their range allows.
static void set_controls(const hfBuilder* b, const hfiKeyLayout* ids, const hfiKeyArrays* a) {
  for (int i = 0; i < b->actuator.count; ++i) {
    const hfActuatorDef* d = &b->actuator.data[i];
    int on_joint = d->trntype == HF_TRANSMISSION_JOINT && hfi_joint_is_scalar(b->joint.data[d->trnid[0]].type);
    int is_position_servo = hfi_is_servo(d->gaintype, d->biastype, d->biasprm) && d->biasprm[1] != 0;
    if (!on_joint || !is_position_servo) continue;

    double length = d->gear[0] * a->qpos[ids->qpos[d->trnid[0]]];
    double control = -d->biasprm[1] * length / d->gainprm[0];
    if (d->ctrllimited) control = fmin(fmax(control, d->ctrlrange[0]), d->ctrlrange[1]);
    a->ctrl[i] = control;
  }
}

void hfi_complete_start(const hfBuilder* b, const hfiKeyLayout* ids, const hfiKeyArrays* a) {
  move_followers(b, ids, a);
  set_controls(b, ids, a);
}

// ---- initial values -----------------------------------------------------------------------------

// The name of the parameter, and of the keyframe.
static const char INITIAL_VALUE[] = "initial_value";

// Finds the initial value of a joint's position. The state interface counts before the command interface. NULL: there
// is none.
static const hfiElem* find_initial_value(const hfiElem* joint) {
  static const char* const interfaces[] = {"state_interface", "command_interface"};

  for (int k = 0; k < 2; ++k)
    for (const hfiElem* i = hfi_child(joint, interfaces[k]); i; i = hfi_next(i, interfaces[k])) {
      const char* interface = hfi_attr(i, "name");
      if (!interface || strcmp(interface, "position") != 0) continue;

      for (const hfiElem* p = hfi_child(i, "param"); p; p = hfi_next(p, "param")) {
        const char* name = hfi_attr(p, "name");
        if (name && strcmp(name, INITIAL_VALUE) == 0) return p;
      }
    }
  return NULL;
}

// Puts the joints of <ros2_control> that have one coordinate here at their initial values. Returns the first element
// with another value than zero.
static const hfiElem* read_values(hfiUrdf* u, const hfiKeyLayout* ids, const hfiKeyArrays* a) {
  const hfiElem* first = NULL;
  const hfBuilder* b = u->r->builder;

  for (hfiElem* c = hfi_child(u->root, "ros2_control"); c; c = hfi_next(c, "ros2_control"))
    for (hfiElem* e = hfi_child(c, "joint"); e; e = hfi_next(e, "joint")) {
      const char* name = hfi_attr(e, "name");
      const hfiElem* param = find_initial_value(e);
      int joint = name && param ? hf_builder_find(b, HF_OBJECT_JOINT, name) : -1;
      double value = 0;
      if (joint < 0 || !hfi_joint_is_scalar(b->joint.data[joint].type) || !hfi_urdf_read_parameter(u, param, &value))
        continue;

      a->qpos[ids->qpos[joint]] = value;
      if (!first && value != 0) first = param;
    }
  return first;
}

// Adds the keyframe of the initial values in <ros2_control>, if one of them is not zero. All actuators must have been
// added.
void hfi_urdf_read_start(hfiUrdf* u) {
  hfiReader* r = u->r;
  const hfiElem* control = hfi_child(u->root, "ros2_control");
  if (!control) return;

  // a keyframe at the reference, with the arrays whose pointers are not NULL here: qpos and ctrl
  static const double is_given = 0;
  hfKeyDef like = hf_key_def_default();
  like.name = INITIAL_VALUE;
  like.qpos = &is_given;
  like.ctrl = &is_given;
  hfiKeyLayout ids = {0};
  hfiKey key;
  hfiKeyArrays a;
  const hfiElem* elem = NULL;
  hfi_keep(r, control, (int)hfi_key_layout_create(&ids, r->builder, NULL, &r->scratch));
  if (!r->status) hfi_keep(r, control, (int)hfi_key_create(r->builder, &ids, &like, &key, &a, &r->scratch));
  if (!r->status) elem = read_values(u, &ids, &a);

  if (elem && !r->status) {
    hfi_complete_start(r->builder, &ids, &a);
    key.def.where = hfi_where(r, elem);
    hfi_keep(r, elem, hfi_key_add(r->builder, &key, &r->scratch));
    hfi_note(r, elem, HF_NOTE, "initial_value: the keyframe \"%s\" begins there; without it joints begin at zero",
             INITIAL_VALUE);
  }

  hfi_key_layout_release(&ids);
}
