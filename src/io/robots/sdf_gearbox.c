// Gearboxes of SDFormat: theta_2 = -gearbox_ratio theta_1.
//
// theta_1 is the angle of the parent against the gearbox_reference_body about <axis>, theta_2 the angle of the child
// about <axis2>. Two other joints with one angle each connect these links with the reference body. With their
// coordinates theta_i = s_i q_i, where s_i = 1 or -1, a gearbox is the joint equality
//
//   q_2 = -gearbox_ratio s_1 s_2 q_1
//
// s in the code: the document that is read, j: a joint.
#include "io/robots/sdf.h"

// A joint whose coordinate is an angle of a gearbox.
typedef struct Shaft {
  const hfiSdfEntity* joint;
  double sign; // s_i: 1 or -1
} Shaft;

// Whether two links, or the world (NULL), do not move against each other.
static int move_as_one(const hfiSdf* s, const hfiSdfEntity* a, const hfiSdfEntity* b) {
  int a_stands = !a || hfi_sdf_stands(s, a->group);
  int b_stands = !b || hfi_sdf_stands(s, b->group);
  if (a_stands || b_stands) return a_stands && b_stands;
  return a->group == b->group;
}

// The joint with one angle between the reference body and a link, or NULL. *sign is -1 if the reference body is its
// child.
static hfiSdfEntity* find_shaft(hfiSdf* s, const hfiSdfEntity* body, const hfiSdfEntity* link, double* sign) {
  for (int i = 0; i < s->count; ++i) {
    hfiSdfEntity* j = s->entity[i];
    if (j->kind != HFI_SDF_JOINT || hfi_sdf_is_gearbox(j) || !hfi_sdf_has_angle(s, j)) continue;

    int is_forward = move_as_one(s, j->parent, body) && move_as_one(s, j->child, link);
    int is_backward = move_as_one(s, j->child, body) && move_as_one(s, j->parent, link);
    *sign = is_forward ? 1 : -1;
    if (is_forward || is_backward) return j;
  }
  return NULL;
}

// The direction of <axis> or <axis2> of a joint in the world.
static hfVec3 axis_in_world(hfiSdf* s, hfiSdfEntity* j, const char* axis) {
  return v3_unit(q_rotate(j->child->X_W.q, hfi_sdf_axis(s, j, hfi_child(j->elem, axis))));
}

// Finds the joint whose coordinate is the angle of a link about an axis of the gearbox, and the sign between the two.
// axis: "axis" or "axis2". Refuses a gearbox without such a joint.
static Shaft read_shaft(hfiSdf* s, hfiSdfEntity* gearbox, const hfiSdfEntity* body, const hfiSdfEntity* link,
                        const char* axis) {
  // Two axes are parallel if their cosine differs by less than this from 1 or -1 [-].
  static const double PARALLEL_COSINE_DIFFERENCE = 1e-6;
  const char* link_name = link ? link->name : "world";
  const char* body_name = body ? body->name : "world";
  Shaft shaft = {0};
  hfiSdfEntity* j = find_shaft(s, body, link, &shaft.sign);

  if (!hfi_child(gearbox->elem, axis))
    hfi_fail(s->r, gearbox->elem, HF_ERROR_PARSE, "<%s> is missing", axis);
  else if (!j)
    hfi_fail(s->r, gearbox->elem, HF_ERROR_UNSUPPORTED,
             "a gearbox couples two joints: no revolute joint connects link \"%.100s\" with its "
             "gearbox_reference_body \"%.100s\"; add one, or couple other joints with <mimic>",
             link_name, body_name);
  if (s->r->status) return shaft;

  shaft.joint = j;
  double cosine = v3_dot(axis_in_world(s, gearbox, axis), axis_in_world(s, j, "axis"));
  if (!s->r->status && !(cosine * cosine > 1 - 2 * PARALLEL_COSINE_DIFFERENCE))
    hfi_fail(s->r, gearbox->elem, HF_ERROR_UNSUPPORTED,
             "<%s> is not parallel to the axis of joint \"%.100s\", whose angle the gearbox couples", axis, j->name);
  if (cosine < 0) shaft.sign = -shaft.sign;
  return shaft;
}

// Warns of limits, damping and friction in an axis of a gearbox. They belong to the joints that are coupled; in Gazebo
// they do not act either.
static void report_axis(hfiSdf* s, hfiElem* axis) {
  const hfiElem* limit = hfi_child(axis, "limit");
  const hfiElem* dynamics = hfi_child(axis, "dynamics");
  double range[2] = {-HFI_UNLIMITED, HFI_UNLIMITED};
  double damping = 0;
  double friction = 0;

  if (limit) {
    hfi_sdf_bound(s, limit, "lower", &range[0]);
    hfi_sdf_bound(s, limit, "upper", &range[1]);
  }
  if (dynamics) {
    hfi_sdf_number(s, dynamics, "damping", &damping);
    hfi_sdf_number(s, dynamics, "friction", &friction);
  }
  if (hfi_is_range(range) || damping > 0 || friction > 0)
    hfi_note(s->r, axis, HF_WARNING,
             "limits, damping and friction of a gearbox are not used: give them to the joints that it couples");
  hfi_xml_use_all(axis);
}

// The link, or NULL for the world, in whose frame both angles are measured.
static const hfiSdfEntity* find_reference_body(hfiSdf* s, const hfiSdfEntity* gearbox) {
  const char* name = hfi_sdf_text(gearbox->elem, "gearbox_reference_body");
  int world = 0;
  hfiSdfEntity* found = name ? hfi_sdf_find(s, gearbox->scope, name, &world) : NULL;

  if (!name)
    hfi_fail(s->r, gearbox->elem, HF_ERROR_PARSE, "<gearbox_reference_body> is missing");
  else if (!found && !world)
    hfi_fail(s->r, gearbox->elem, HF_ERROR_MODEL, "there is no gearbox_reference_body \"%.100s\"", name);
  return found && !s->r->status ? hfi_sdf_link_of(s, found, &world) : NULL;
}

// Adds the equality of a gearbox.
static void read_gearbox(hfiSdf* s, hfiSdfEntity* gearbox) {
  hfiReader* r = s->r;
  double ratio = 1;
  const hfiSdfEntity* body = find_reference_body(s, gearbox);
  hfi_sdf_number(s, gearbox->elem, "gearbox_ratio", &ratio);

  Shaft first = r->status ? (Shaft){0} : read_shaft(s, gearbox, body, gearbox->parent, "axis");
  Shaft second = r->status ? (Shaft){0} : read_shaft(s, gearbox, body, gearbox->child, "axis2");
  if (!r->status && first.joint == second.joint)
    hfi_fail(r, gearbox->elem, HF_ERROR_MODEL, "a gearbox couples two joints, both are \"%.100s\"", first.joint->name);
  if (r->status) return;

  report_axis(s, hfi_child(gearbox->elem, "axis"));
  report_axis(s, hfi_child(gearbox->elem, "axis2"));

  hfEqualityDef d = hf_equality_def_default();
  d.type = HF_EQUALITY_JOINT;
  d.objkind = HF_OBJECT_JOINT;
  d.name = gearbox->name;
  d.where = hfi_where(r, gearbox->elem);
  // q_2 of the head of this file follows q_1
  d.obj1 = hf_builder_find(r->builder, HF_OBJECT_JOINT, second.joint->name);
  d.obj2 = hf_builder_find(r->builder, HF_OBJECT_JOINT, first.joint->name);
  d.data[1] = -ratio * first.sign * second.sign;
  if (!r->status) hfi_keep(r, gearbox->elem, hf_builder_add_equality(r->builder, &d, &r->scratch));
}

void hfi_sdf_read_gearboxes(hfiSdf* s) {
  for (int i = 0; i < s->count && !s->r->status; ++i) {
    hfiSdfEntity* j = s->entity[i];
    if (j->kind == HFI_SDF_JOINT && hfi_sdf_is_gearbox(j) && !hfi_sdf_is_fixed(j)) read_gearbox(s, j);
  }
}
