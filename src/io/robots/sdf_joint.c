// Joints of SDFormat. The axis is written in the joint's frame unless expressed_in names another one; before version
// 1.7, use_parent_model_frame means the frame of the model.
//
// s: the document that is read, r: its reader, j: a joint, d: the definition of a joint of the builder.
#include "io/robots/sdf.h"

#include "io/robots/drive.h"

#include <math.h>
#include <string.h>

typedef struct SdfJointType {
  const char* word;
  int type; // hfJointType, or -1: fixed
  int axes; // number of axes
  int is_endless;
} SdfJointType;

static const SdfJointType types[] = {{"revolute", HF_JOINT_HINGE, 1, 0},  {"continuous", HF_JOINT_HINGE, 1, 1},
                                     {"prismatic", HF_JOINT_SLIDE, 1, 0}, {"universal", HF_JOINT_HINGE, 2, 0},
                                     {"revolute2", HF_JOINT_HINGE, 2, 0}, {"ball", HF_JOINT_BALL, 0, 0},
                                     {"screw", HF_JOINT_SCREW, 1, 0},     {"fixed", -1, 0, 0}};

// The type with this name, or NULL.
static const SdfJointType* find_word(const char* word) {
  for (size_t i = 0; word && i < sizeof types / sizeof *types; ++i)
    if (strcmp(types[i].word, word) == 0) return &types[i];
  return NULL;
}

// The type of a joint, or NULL after a refusal.
static const SdfJointType* find_type(hfiSdf* s, const hfiSdfEntity* j) {
  const char* word = hfi_require(s->r, j->elem, "type");
  const SdfJointType* type = s->r->status ? NULL : find_word(word);
  if (type) return type;

  hfi_fail(s->r, j->elem, HF_ERROR_UNSUPPORTED,
           "joints of type \"%.40s\" are not supported; revolute, continuous, prismatic, screw, universal, revolute2, "
           "ball, gearbox and fixed are",
           word);
  return NULL;
}

int hfi_sdf_has_angle(hfiSdf* s, const hfiSdfEntity* j) {
  const SdfJointType* type = hfi_sdf_is_fixed(j) ? NULL : find_type(s, j);
  return type && type->axes == 1 && type->type != HF_JOINT_SLIDE;
}

// The axis of a joint in the frame of its child link. Refuses one without a direction.
hfVec3 hfi_sdf_axis(hfiSdf* s, hfiSdfEntity* j, const hfiElem* axis) {
  double xyz[3] = {0, 0, 1};
  const hfiElem* e = axis ? hfi_child(axis, "xyz") : NULL;
  const char* old = axis ? hfi_sdf_text(axis, "use_parent_model_frame") : NULL;

  hfiPlacement frame = hfi_sdf_place(s, j);
  if (hfi_sdf_is_true(old)) frame = j->scope ? hfi_sdf_place(s, j->scope) : hfi_placement_identity();
  if (e) {
    hfi_text_reals(s->r, e, 3, 3, xyz);
    frame = hfi_sdf_named_frame(s, j->scope, e, "expressed_in", frame);
  }

  hfVec3 in_world = q_rotate(frame.q, v3_load(xyz));
  if (!(v3_norm(in_world) > HFI_SHORTEST_DIRECTION))
    hfi_fail(s->r, axis ? axis : j->elem, HF_ERROR_MODEL, "the axis has no direction");
  return q_rotate(q_conj(j->child->X_W.q), in_world);
}

// Reads <limit>: range, unless the joint is endless, and effort.
static void read_limit(hfiSdf* s, const hfiElem* axis, int is_endless, hfJointDef* d) {
  const hfiElem* limit = hfi_child(axis, "limit");
  double range[2] = {-HFI_UNLIMITED, HFI_UNLIMITED};
  double effort = -1; // not given, or not positive: no limit
  if (!limit) return;

  hfi_sdf_bound(s, limit, "lower", &range[0]);
  hfi_sdf_bound(s, limit, "upper", &range[1]);
  hfi_sdf_bound(s, limit, "effort", &effort);
  hfi_child(limit, "velocity"); // It matters only to controllers.

  int is_limited = hfi_is_range(range);
  if (!is_endless && is_limited) {
    d->limited = 1;
    d->range[0] = range[0];
    d->range[1] = range[1];
  } else if (!is_endless && range[0] >= range[1]) {
    hfi_note(s->r, limit, HF_WARNING, "lower %g and upper %g make no range: the joint is not limited", range[0],
             range[1]);
  }

  if (!(effort > 0) || effort >= HFI_UNLIMITED) return;
  d->actfrclimited = 1;
  d->actfrcrange[0] = -effort;
  d->actfrcrange[1] = effort;
}

// Reads <dynamics>: damping, friction loss and spring.
static void read_dynamics(hfiSdf* s, const hfiElem* axis, hfJointDef* d) {
  const hfiElem* dynamics = hfi_child(axis, "dynamics");
  if (!dynamics) return;
  hfi_sdf_number(s, dynamics, "damping", &d->damping);
  hfi_sdf_number(s, dynamics, "friction", &d->frictionloss);
  hfi_drop_negative(s->r, dynamics, "damping", &d->damping);
  hfi_drop_negative(s->r, dynamics, "friction", &d->frictionloss);
  hfi_sdf_number(s, dynamics, "spring_stiffness", &d->stiffness);
  hfi_sdf_number(s, dynamics, "spring_reference", &d->springref);
}

// The pitch of a screw. screw_thread_pitch is the travel of one turn, right-handed [m]; the older thread_pitch is the
// turn per travel, left-handed [rad/m].
static double read_pitch(hfiSdf* s, const hfiSdfEntity* j) {
  double travel = 1;
  double old = 0;
  if (!hfi_sdf_number(s, j->elem, "screw_thread_pitch", &travel) && hfi_sdf_number(s, j->elem, "thread_pitch", &old)) {
    if (old == 0) hfi_fail(s->r, j->elem, HF_ERROR_MODEL, "thread_pitch is zero");
    return -1 / old;
  }
  return travel / (2 * HFI_PI);
}

// The inertia of a rotor behind its gear, at the joint [kg m^2].
static double rotor_inertia(hfiSdf* s, const hfiSdfEntity* j) {
  double ratio = 1;
  double inertia = 0;
  hfi_sdf_number(s, j->elem, "drake:gear_ratio", &ratio);
  hfi_sdf_number(s, j->elem, "drake:rotor_inertia", &inertia);
  return inertia > 0 ? ratio * ratio * inertia : 0;
}

// Marks what has no meaning for the type of a joint, so that it is not reported: the place and axes of a fixed joint,
// all but the damping in the axis of a ball.
static void mark_meaningless(const hfiSdfEntity* j, const SdfJointType* type) {
  int is_fixed = hfi_sdf_is_fixed(j);
  for (hfiElem* e = j->elem->child; e; e = e->next) {
    int is_axis = hfi_is(e, "axis") || hfi_is(e, "axis2");
    if (is_fixed) {
      if (is_axis || hfi_is(e, "pose")) hfi_xml_use_all(e);
    } else if (is_axis && type->axes == 0) {
      for (hfiElem* c = e->child; c; c = c->next)
        if (!hfi_is(c, "dynamics")) hfi_xml_use_all(c);
    }
  }
}

// Marks or reports what a ball or fixed joint that closes a loop says about the motion and that is not used.
void hfi_sdf_report_held(hfiSdf* s, const hfiSdfEntity* j) {
  const SdfJointType* type = find_type(s, j);
  if (!type) return;
  mark_meaningless(j, type);
  if (hfi_sdf_is_fixed(j)) return;

  const hfiElem* axis = hfi_child(j->elem, "axis");
  const hfiElem* dynamics = axis ? hfi_child(axis, "dynamics") : NULL;
  double damping = 0;
  if (dynamics && hfi_sdf_number(s, dynamics, "damping", &damping) && damping > 0)
    hfi_note(s->r, dynamics, HF_WARNING, "the damping of a ball joint that closes a loop is not used");
}

// A joint with two axes becomes two hinges. The first is called like the joint.
static const char* name_of_second(hfiReader* r, const hfiSdfEntity* j) { return hfi_format(r, "%s_2", j->name); }

// Adds the joints of the model for one of SDFormat: a hinge for each axis, one joint for a ball. A fixed one adds none.
void hfi_sdf_add_joints(hfiSdf* s, hfiSdfEntity* j, int body) {
  static const char* const elements[2] = {"axis", "axis2"};
  hfiReader* r = s->r;
  const SdfJointType* type = find_type(s, j);
  if (type) mark_meaningless(j, type);
  if (!type || hfi_sdf_is_fixed(j)) return;

  hfJointDef d = hf_joint_def_default();
  d.body = body;
  d.type = type->type;
  d.where = hfi_where(r, j->elem);
  if (d.type == HF_JOINT_SCREW) d.pitch = read_pitch(s, j);
  hfiPlacement X_CJ = hfi_placement_mul(hfi_placement_inverse(j->child->X_W), hfi_sdf_place(s, j));
  v3_store(d.pos, X_CJ.p);

  // a ball has no axes and is one joint; J: the frame of the joint, C: the child
  int count = type->axes ? type->axes : 1;
  for (int k = 0; k < count && !r->status; ++k) {
    hfJointDef each = d;
    const hfiElem* axis = hfi_child(j->elem, elements[k]);
    each.name = k ? name_of_second(r, j) : j->name;

    if (type->axes == 2 && !axis)
      hfi_fail(r, j->elem, HF_ERROR_PARSE, "<%s> is missing: a joint of type %s has two axes", elements[k], type->word);
    if (type->axes) v3_store(each.axis, hfi_sdf_axis(s, j, axis));
    if (type->axes && axis) {
      read_limit(s, axis, type->is_endless, &each);
      read_dynamics(s, axis, &each);
    }

    // as in Drake, the damping of a ball is in its <axis>
    const hfiElem* ball_dynamics = !type->axes && axis ? hfi_child(axis, "dynamics") : NULL;
    if (ball_dynamics) {
      hfi_sdf_number(s, ball_dynamics, "damping", &each.damping);
      hfi_drop_negative(r, ball_dynamics, "damping", &each.damping);
    }

    if (k == 0) each.armature = rotor_inertia(s, j);
    if (!r->status) hfi_keep(r, j->elem, hf_builder_add_joint(r->builder, &each, &r->scratch));
  }
}

// ---- couplings and actuators --------------------------------------------------------------------

// The id of the joint that a <mimic> follows: the one that it names, or the hinge of its second axis. Drake's element
// names no axis. Refuses an unknown joint.
static int find_leader(hfiSdf* s, const hfiSdfEntity* j, const hfiElem* mimic) {
  static const hfiKeyword axes[] = {{"axis", 0}, {"axis2", 1}, {NULL, 0}};
  hfiReader* r = s->r;
  int world = 0;
  int is_second = 0;
  const char* name = hfi_require(r, mimic, "joint");
  if (hfi_is(mimic, "mimic")) hfi_read_keyword(r, mimic, "axis", axes, &is_second);

  const hfiSdfEntity* leader = hfi_sdf_find(s, j->scope, name, &world);
  const char* word = leader && leader->kind == HFI_SDF_JOINT ? hfi_attr(leader->elem, "type") : NULL;
  const SdfJointType* type = find_word(word);
  int id = -1;
  if (type && (!is_second || type->axes == 2))
    id = hf_builder_find(r->builder, HF_OBJECT_JOINT, is_second ? name_of_second(r, leader) : leader->name);
  if (!r->status && id < 0)
    hfi_fail(r, mimic, HF_ERROR_MODEL, "there is no joint \"%s\"%s to mimic", name, is_second ? " with two axes" : "");
  return id;
}

// Reads <mimic> and adds its equality, q = multiplier (q_other - reference) + offset. Drake's element is inside of the
// joint, has attributes, and has no reference. Returns 0 if the joint follows none.
static int read_mimic(hfiSdf* s, const hfiSdfEntity* j, const hfiElem* axis) {
  hfiReader* r = s->r;
  const hfiElem* mimic = axis ? hfi_child(axis, "mimic") : NULL;
  const hfiElem* drake = hfi_child(j->elem, "drake:mimic");
  double multiplier = 1;
  double offset = 0;
  double reference = 0;
  if (!mimic) mimic = drake;
  if (!mimic) return 0;

  if (mimic == drake) {
    hfi_read_real(r, drake, "multiplier", &multiplier);
    hfi_read_real(r, drake, "offset", &offset);
  } else {
    hfi_sdf_number(s, mimic, "multiplier", &multiplier);
    hfi_sdf_number(s, mimic, "offset", &offset);
    hfi_sdf_number(s, mimic, "reference", &reference);
  }

  hfEqualityDef d = hf_equality_def_default();
  d.type = HF_EQUALITY_JOINT;
  d.objkind = HF_OBJECT_JOINT;
  d.where = hfi_where(r, mimic);
  d.obj1 = hf_builder_find(r->builder, HF_OBJECT_JOINT, j->name);
  d.obj2 = find_leader(s, j, mimic);
  d.data[0] = offset - multiplier * reference;
  d.data[1] = multiplier;
  if (!r->status) hfi_keep(r, mimic, hf_builder_add_equality(r->builder, &d, &r->scratch));
  return 1;
}

// Reads the gains of Drake's servo of a joint. Returns 0 if it has none.
static int read_gains(hfiSdf* s, const hfiSdfEntity* j, hfiDrivenJoint* driven) {
  const hfiElem* gains = hfi_child(j->elem, "drake:controller_gains");
  if (!gains) return 0;
  hfi_read_real(s->r, gains, "p", &driven->kp);
  hfi_read_real(s->r, gains, "d", &driven->kv);
  if (!(driven->kp > 0 && driven->kv >= 0))
    hfi_fail(s->r, gains, HF_ERROR_MODEL, "p must be positive and d not negative, they are %g and %g", driven->kp,
             driven->kv);
  return 1;
}

// Adds the actuator of a joint with one axis: the kind that the option asks for or, as in Drake, a motor (a servo if it
// has gains), unless its effort is 0.
static void read_actuator(hfiSdf* s, const hfiSdfEntity* j, const SdfJointType* type, const hfiElem* axis) {
  const hfiElem* limit = axis ? hfi_child(axis, "limit") : NULL;
  hfiDrivenJoint driven = {
      .name = j->name, .elem = j->elem, .is_slide = type->type == HF_JOINT_SLIDE, .is_endless = type->is_endless};
  double effort = HFI_UNLIMITED;
  int kind = s->r->config.urdf_actuators;

  if (limit) hfi_sdf_bound(s, limit, "effort", &effort);
  if (limit && kind == HF_URDF_VELOCITY_SERVOS) hfi_sdf_bound(s, limit, "velocity", &driven.speed);
  driven.effort = effort > 0 && effort < HFI_UNLIMITED ? effort : 0;
  if (!(driven.speed > 0 && driven.speed < HFI_UNLIMITED)) driven.speed = 0;

  int is_servo = read_gains(s, j, &driven);
  if (kind == HF_URDF_NONE || (kind == HF_URDF_FROM_FILE && effort == 0)) return;
  if (kind == HF_URDF_FROM_FILE) kind = is_servo ? HF_URDF_POSITION_SERVOS : HF_URDF_MOTORS;
  hfi_add_drive(s->r, &driven, (hfUrdfActuators)kind);
}

// Adds the equality of each joint that follows another one, and the actuators of all other joints with one axis.
void hfi_sdf_read_couplings(hfiSdf* s) {
  for (int i = 0; i < s->count && !s->r->status; ++i) {
    hfiSdfEntity* j = s->entity[i];
    if (j->kind != HFI_SDF_JOINT || hfi_sdf_is_fixed(j) || hfi_sdf_is_gearbox(j)) continue;
    const SdfJointType* type = find_type(s, j);
    if (!type || type->axes != 1) continue;
    const hfiElem* axis = hfi_child(j->elem, "axis");
    if (!read_mimic(s, j, axis)) read_actuator(s, j, type, axis);
  }
}
