// Joints of URDF with their gears, equalities of mimic joints, and inertias of links.
//
// A rotor of inertia J behind a gear of ratio n of a <transmission> has the inertia n^2 J at its joint.
//
// u: the robot that is read, r: its reader, j: a joint of URDF, d: the definition of a joint of the builder.
#include "io/robots/urdf_model.h"

#include "math/eigen3.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- gears ---------------------------------------------------------------------------------------

// The number of a child element: its text, or its attribute `value`. A text that is no number, as templates leave it
// behind, is reported.
static int read_number(hfiUrdf* u, const hfiElem* parent, const char* name, double* x) {
  hfiElem* e = hfi_child(parent, name);
  if (!e || hfi_read_real(u->r, e, "value", x)) return e != NULL;

  char* end = NULL;
  if (e->text) (void)strtod(e->text, &end);
  if (e->text && end == e->text) {
    hfi_note(u->r, e, HF_WARNING, "\"%.60s\" is not a number: not used", e->text);
    return 0;
  }
  return hfi_text_reals(u->r, e, 1, 1, x);
}

// Whether a <transmission> names this joint.
static int names_joint(const hfiElem* transmission, const char* joint) {
  for (const hfiElem* e = hfi_child(transmission, "joint"); e; e = hfi_next(e, "joint")) {
    const char* name = hfi_attr(e, "name");
    if (name && strcmp(name, joint) == 0) return 1;
  }
  return 0;
}

// The inertia of all rotors on a joint, seen through their gears: sum of n^2 J [kg m^2 or kg].
double hfi_urdf_rotor_inertia(hfiUrdf* u, const char* joint) {
  double armature = 0;
  for (hfiElem* t = u->root->child; t && !u->r->status; t = t->next) {
    if (!hfi_is(t, "transmission") || !names_joint(t, joint)) continue;
    for (hfiElem* a = hfi_child(t, "actuator"); a; a = hfi_next(a, "actuator")) {
      double ratio = 1;
      double inertia = 0;

      if (!read_number(u, a, "drake:gear_ratio", &ratio)) read_number(u, a, "mechanicalReduction", &ratio);
      if (!read_number(u, a, "drake:rotor_inertia", &inertia)) read_number(u, a, "motorInertia", &inertia);
      armature += ratio * ratio * inertia;
    }
  }

  return armature > 0 ? armature : 0;
}

// ---- joints -------------------------------------------------------------------------------------

// A limit of a revolute joint from this angle on, seven turns, is probably written in degrees [rad].
static const double SUSPICIOUS_LIMIT = 44;

// Reads <limit> into range, limited, actfrcrange and actfrclimited of a joint.
static void read_limit(hfiUrdf* u, const hfiUrdfJoint* j, hfJointDef* d) {
  hfiReader* r = u->r;
  hfiElem* limit = hfi_child(j->elem, "limit");
  int is_ranged = j->type == HFI_URDF_REVOLUTE || j->type == HFI_URDF_PRISMATIC;
  if (!limit) {
    if (is_ranged) hfi_note(r, j->elem, HF_WARNING, "a revolute or prismatic joint without <limit>: it is not limited");
    return;
  }

  // range
  int has_lower = hfi_read_bound(r, limit, "lower", &d->range[0]);
  int has_upper = hfi_read_bound(r, limit, "upper", &d->range[1]);
  if (is_ranged) {
    d->limited = hfi_is_range(d->range);
    int open_below = d->range[0] <= -HFI_NO_END;
    int open_above = d->range[1] >= HFI_NO_END;
    int is_suspicious = (d->range[0] <= -SUSPICIOUS_LIMIT && !open_below) ||
                        (d->range[1] >= SUSPICIOUS_LIMIT && !open_above);
    if (d->limited && j->type == HFI_URDF_REVOLUTE && is_suspicious)
      hfi_note(r, limit, HF_WARNING,
               "lower or upper is seven turns or more: URDF counts in radians; are these degrees?");
    if (!d->limited && (has_lower || has_upper) && !(open_below && open_above))
      hfi_note(r, limit, HF_WARNING, "lower %g and upper %g make no range: the joint is not limited", d->range[0],
               d->range[1]);
  } else if (has_lower || has_upper) {
    hfi_note(r, limit, HF_WARNING, "lower and upper are for revolute and prismatic joints: not used");
  }
  if (!d->limited) {
    d->range[0] = 0;
    d->range[1] = 0;
  }

  // `effort` limits the sum of all actuators on the joint
  double effort = 0;
  hfi_read_bound(r, limit, "effort", &effort);
  if (fabs(effort) >= HFI_UNLIMITED) effort = 0;
  if (effort < 0)
    hfi_note(r, limit, HF_WARNING, "effort %g is negative: it counts as %g, as in MuJoCo; Gazebo takes it for no limit",
             effort, -effort);
  d->actfrclimited = effort != 0;
  d->actfrcrange[0] = -fabs(effort);
  d->actfrcrange[1] = fabs(effort);
}

// Reads <dynamics>: viscous damping and friction loss.
static void read_dynamics(hfiUrdf* u, const hfiUrdfJoint* j, hfJointDef* d) {
  hfiElem* dynamics = hfi_child(j->elem, "dynamics");
  if (!dynamics) return;
  hfi_read_real(u->r, dynamics, "damping", &d->damping);
  hfi_read_real(u->r, dynamics, "friction", &d->frictionloss);
  hfi_drop_negative(u->r, dynamics, "damping", &d->damping);
  hfi_drop_negative(u->r, dynamics, "friction", &d->frictionloss);
}

// Adds one joint of the model for a joint of URDF. suffix: of its name, or NULL.
static void add_joint(hfiUrdf* u, const hfiUrdfJoint* j, hfJointDef d, const char* suffix, int type, hfVec3 axis) {
  hfiReader* r = u->r;
  d.name = suffix ? hfi_format(r, "%s%s", j->name, suffix) : j->name;
  d.type = type;
  v3_store(d.axis, axis);
  if (!r->status) hfi_keep(r, j->elem, hf_builder_add_joint(r->builder, &d, &r->scratch));
}

// Marks the children of a fixed joint as used: its axis and limit have no meaning, which is not worth a report.
static void mark_children_used(hfiElem* joint) {
  for (hfiElem* e = joint->child; e; e = e->next) {
    e->used = 1;
    for (hfiAttr* a = e->attr; a; a = a->next) a->used = 1;
  }
}

// The axis of a joint, which is x if none is given. Refuses an axis without a direction.
static hfVec3 read_axis(hfiReader* r, hfiElem* joint) {
  double axis[3] = {1, 0, 0};
  hfiElem* e = hfi_child(joint, "axis");
  if (e) {
    hfi_require(r, e, "xyz");
    hfi_read_reals(r, e, "xyz", 3, 3, axis);
  }

  hfVec3 a = v3_load(axis);
  if (!r->status && !(v3_norm(a) > HFI_SHORTEST_DIRECTION))
    hfi_fail(r, joint, HF_ERROR_MODEL, "the axis has no direction");
  return a;
}

// Adds the joints of the model for a joint of URDF to a body: none, one, or three for a planar joint.
void hfi_urdf_add_joints(hfiUrdf* u, const hfiUrdfJoint* j, int body) {
  if (j->type == HFI_URDF_FIXED) {
    mark_children_used(j->elem);
    return;
  }

  hfiReader* r = u->r;
  hfJointDef d = hf_joint_def_default();
  d.where = hfi_where(r, j->elem);
  d.body = body;
  read_limit(u, j, &d);
  read_dynamics(u, j, &d);
  d.armature = hfi_urdf_rotor_inertia(u, j->name);
  hfVec3 axis = read_axis(r, j->elem);
  if (r->status) return;

  switch (j->type) {
  case HFI_URDF_FLOATING:
    add_joint(u, j, d, NULL, HF_JOINT_FREE, v3_load(d.axis));
    break;
  case HFI_URDF_BALL:
    add_joint(u, j, d, NULL, HF_JOINT_BALL, v3_load(d.axis));
    break;
  case HFI_URDF_PRISMATIC:
    add_joint(u, j, d, NULL, HF_JOINT_SLIDE, axis);
    break;

  // two slides across the axis, then a hinge about it
  case HFI_URDF_PLANAR: {
    // R: its third column is the axis
    hfMat3 R = m3_from_quat(hfi_quat_from_z(axis));
    add_joint(u, j, d, "_TX", HF_JOINT_SLIDE, m3_col(R, 0));
    add_joint(u, j, d, "_TY", HF_JOINT_SLIDE, m3_col(R, 1));
    add_joint(u, j, d, "_RZ", HF_JOINT_HINGE, axis);
    break;
  }

  // revolute, continuous
  default:
    add_joint(u, j, d, NULL, HF_JOINT_HINGE, axis);
  }
}

// Reads the number of a <param>. Returns 0, with a warning, if its text is not a finite number.
int hfi_urdf_read_parameter(hfiUrdf* u, const hfiElem* param, double* x) {
  const char* text = param->text ? param->text : "";
  char* end = NULL;
  double value = strtod(text, &end);
  if (*text && !*end && isfinite(value)) {
    *x = value;
    return 1;
  }

  const char* name = hfi_attr(param, "name");
  hfi_note(u->r, param, HF_WARNING, "%s: \"%.40s\" is not a number: not used", name ? name : "", text);
  return 0;
}

// ---- joints that follow others -------------------------------------------------------------------

// A joint that follows another: q = multiplier q_other + offset.
typedef struct Mimic {
  const hfiElem* elem;
  const char* other;
  double multiplier, offset;
  const hfiElem *multiplier_param, *offset_param; // parameters of <ros2_control> with these numbers, or NULL
} Mimic;

// Reads what a joint follows from its element in <ros2_control>. Older descriptions have <param name="mimic"> and
// <param name="multiplier"> there.
static void find_mimic_parameters(const hfiElem* joint, Mimic* m) {
  for (hfiElem* p = hfi_child(joint, "param"); p; p = hfi_next(p, "param")) {
    const char* name = hfi_attr(p, "name");
    if (!name) continue;

    if (strcmp(name, "mimic") == 0 && p->text) {
      m->other = p->text;
      m->elem = p;
    }

    if (strcmp(name, "multiplier") == 0) m->multiplier_param = p;
    if (strcmp(name, "offset") == 0) m->offset_param = p;
  }
}

// What a joint follows: by its <mimic>, or else by its element in a <ros2_control>. elem is NULL if it follows nothing.
static Mimic find_mimic(const hfiUrdf* u, const hfiUrdfJoint* j) {
  Mimic m = {.elem = hfi_child(j->elem, "mimic"), .multiplier = 1};
  if (m.elem) return m;

  for (hfiElem* c = u->root->child; c; c = c->next) {
    if (!hfi_is(c, "ros2_control")) continue;
    for (hfiElem* e = c->child; e; e = e->next) {
      const char* name = hfi_is(e, "joint") ? hfi_attr(e, "name") : NULL;
      if (name && strcmp(name, j->name) == 0) find_mimic_parameters(e, &m);
    }
  }
  return m;
}

// Refuses a joint that follows itself, at once or by way of others. Without this joint the leaders make no circle, so
// the loop ends.
static void refuse_circle(hfiReader* r, const hfiUrdfJoint* j, const hfiElem* mimic) {
  char others[HF_MESSAGE_SIZE] = "";
  size_t length = 0;

  const hfiUrdfJoint* leader = j->leader;
  for (; leader && leader != j; leader = leader->leader) {
    if (length >= sizeof others) continue;
    const char* gap = length ? ", " : " by way of ";
    length += (size_t)snprintf(others + length, sizeof others - length, "%s\"%.100s\"", gap, leader->name);
  }
  if (leader) hfi_fail(r, mimic, HF_ERROR_MODEL, "joint \"%.100s\" cannot mimic itself%s", j->name, others);
}

// Adds the equality of a joint that follows another one. A fixed joint is at zero, so a joint that follows it is held
// at the offset. A joint that follows one that is not there moves freely, as in MuJoCo and MoveIt.
static void add_mimic(hfiUrdf* u, hfiUrdfJoint* j, const Mimic* m) {
  hfiReader* r = u->r;
  const hfiUrdfJoint* other = hfi_urdf_find_joint(u, m->other);
  if (!other) {
    hfi_note(r, m->elem, HF_WARNING,
             "joint \"%.100s\" should mimic \"%.100s\", but there is no such joint: it moves freely", j->name,
             m->other);
    return;
  }

  int is_held = other->type == HFI_URDF_FIXED;
  hfEqualityDef d = hf_equality_def_default();
  d.type = HF_EQUALITY_JOINT;
  d.objkind = HF_OBJECT_JOINT;
  d.where = hfi_where(r, m->elem);
  d.obj1 = hf_builder_find(r->builder, HF_OBJECT_JOINT, j->name);
  d.obj2 = is_held ? -1 : hf_builder_find(r->builder, HF_OBJECT_JOINT, m->other);
  d.data[0] = m->offset;
  d.data[1] = is_held ? 0 : m->multiplier;

  if (d.obj1 < 0 || (d.obj2 < 0 && !is_held))
    hfi_fail(r, m->elem, HF_ERROR_MODEL, "joint \"%s\" cannot mimic \"%s\": one of them has no single coordinate",
             j->name, m->other);

  j->leader = other;
  if (!r->status) refuse_circle(r, j, m->elem);
  if (!r->status) hfi_keep(r, m->elem, hf_builder_add_equality(r->builder, &d, &r->scratch));
}

// Adds the equality of each joint that follows another one. All joints must have been added.
void hfi_urdf_read_mimic(hfiUrdf* u) {
  hfiReader* r = u->r;
  for (hfiUrdfJoint* j = u->joints; j && !r->status; j = j->next) {
    Mimic m = find_mimic(u, j);
    if (!m.elem || j->type == HFI_URDF_FIXED) continue;

    if (!m.other) {
      m.other = hfi_require(r, m.elem, "joint");
      hfi_read_real(r, m.elem, "offset", &m.offset);
      hfi_read_real(r, m.elem, "multiplier", &m.multiplier);
    }

    if (m.multiplier_param) hfi_urdf_read_parameter(u, m.multiplier_param, &m.multiplier);
    if (m.offset_param) hfi_urdf_read_parameter(u, m.offset_param, &m.offset);
    if (!r->status) add_mimic(u, j, &m);
  }
}

// ---- inertia ------------------------------------------------------------------------------------

// Adds a body of mass m [kg] with the inertia I about its centre of mass c to a body: mass, com and inertia of *def.
// The inertia stays about the common centre of mass.
static void add_mass(hfBodyDef* def, double m, hfVec3 c, const double I[6]) {
  double total = def->mass + m;
  hfVec3 c0 = v3_load(def->com);
  hfVec3 com = total > 0 ? v3_scale(1 / total, v3_add(v3_scale(def->mass, c0), v3_scale(m, c))) : c;

  sym3_add_point(def->inertia, def->mass, v3_sub(c0, com));
  for (int i = 0; i < 6; ++i) def->inertia[i] += I[i];
  sym3_add_point(def->inertia, m, v3_sub(c, com));

  def->mass = total;
  v3_store(def->com, com);
}

// Reads <inertial> of a link and adds it to the body of the link's leader.
void hfi_urdf_add_inertial(hfiUrdf* u, hfiUrdfLink* link) {
  static const char* const names[6] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
  hfiReader* r = u->r;
  hfiElem* inertial = hfi_child(link->elem, "inertial");
  if (!inertial) return;

  hfiElem* mass = hfi_child(inertial, "mass");
  hfiElem* inertia = hfi_child(inertial, "inertia");
  if (!mass || !inertia) {
    hfi_fail(r, inertial, HF_ERROR_PARSE,
             "<%s> of link \"%.100s\" is missing; "
             "a link without <inertial> gets mass and inertia from its collision geometry",
             mass ? "inertia" : "mass", link->name);
    return;
  }

  double m = 0;
  double I[6] = {0};
  hfi_require(r, mass, "value");
  hfi_read_real(r, mass, "value", &m);
  for (int i = 0; i < 6; ++i) {
    hfi_require(r, inertia, names[i]);
    hfi_read_real(r, inertia, names[i], &I[i]);
  }
  if (!r->status && m < 0) hfi_fail(r, mass, HF_ERROR_MODEL, "mass %g is negative", m);

  hfiPlacement X_BI = hfi_placement_mul(link->frame, hfi_urdf_origin(u, inertial));
  if (r->status) return;

  // in the frame of the body
  double I_B[6];
  hfi_repair_inertia(r, link->elem, link->name, I);
  sym3_rotate(m3_from_quat(X_BI.q), I, I_B);
  // leader: the link into whose body this one is merged, or the link itself
  add_mass(&link->leader->def, m, X_BI.p, I_B);
  link->leader->def.has_inertial = 1;
}
