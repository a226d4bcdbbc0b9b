// Joints of a written SDFormat file. A joint's frame has the axes of its child, and its origin at the anchor.
//
// w: the writer, r: its part that both formats share, m: the model; depth: of an element, from which its indent
// follows.
#include "io/robots/sdf_write.h"

// The word of SDFormat for the type of a joint.
static const char* type_word(const hfModel* m, int joint) {
  switch (hf_model_jnt_type(m)[joint]) {
  case HF_JOINT_SLIDE: return "prismatic";
  case HF_JOINT_SCREW: return "screw";
  case HF_JOINT_BALL: return "ball";
  default: return hf_model_jnt_limited(m)[joint] ? "revolute" : "continuous";
  }
}

// Begins a joint with its two links; a parent of -1 is the world.
static void open_joint(hfiRobotWriter* r, const char* name, const char* type, int parent, int child, int depth) {
  hfi_xml_begin(&r->xml, depth, "joint");
  hfi_xml_put_text(&r->xml, "name", name);
  hfi_xml_put_text(&r->xml, "type", type);
  hfi_xml_print(&r->xml, ">\n");
  hfi_xml_text_element(&r->xml, depth + 1, "parent", parent >= 0 ? r->link[parent].name : "world");
  hfi_xml_text_element(&r->xml, depth + 1, "child", r->link[child].name);
}

static void close_joint(hfiRobotWriter* r, int depth) { hfi_xml_print(&r->xml, "%*s</joint>\n", 2 * depth, ""); }

// Writes the limits of a joint. The effort of a joint without an actuator is 0; an actuator whose force has no bound
// gives no effort.
static void write_limit(hfiRobotWriter* r, int joint, int depth) {
  const hfiJointDrive* drive = &r->drive[joint];
  const double* range = hf_model_jnt_range(r->m) + 2 * joint;
  double effort = drive->kind == HFI_UNDRIVEN ? 0 : drive->effort; // -1: no bound
  int is_limited = hf_model_jnt_limited(r->m)[joint];
  if (!is_limited && effort < 0 && drive->speed < 0) return;

  hfi_xml_print(&r->xml, "%*s<limit>\n", 2 * depth, "");
  if (is_limited && range[0] > -HFI_NO_END) hfi_xml_number_element(&r->xml, depth + 1, "lower", range, 1);
  if (is_limited && range[1] < HFI_NO_END) hfi_xml_number_element(&r->xml, depth + 1, "upper", range + 1, 1);
  if (effort >= 0) hfi_xml_number_element(&r->xml, depth + 1, "effort", &effort, 1);
  if (drive->speed >= 0) hfi_xml_number_element(&r->xml, depth + 1, "velocity", &drive->speed, 1);
  hfi_xml_print(&r->xml, "%*s</limit>\n", 2 * depth, "");
}

// Writes damping, friction and spring of a joint.
static void write_dynamics(hfiRobotWriter* r, int joint, int depth) {
  const hfModel* m = r->m;
  int dof = hf_model_jnt_dofadr(m)[joint];
  const double* damping = hf_model_dof_damping(m) + dof;
  const double* friction = hf_model_dof_frictionloss(m) + dof;
  const double* spring = hf_model_jnt_stiffness(m) + joint;
  const double* rest = hf_model_qpos_spring(m) + hf_model_jnt_qposadr(m)[joint];
  if (*damping == 0 && *friction == 0 && *spring == 0) return;

  hfi_xml_print(&r->xml, "%*s<dynamics>\n", 2 * depth, "");
  hfi_xml_number_element(&r->xml, depth + 1, "damping", damping, 1);
  hfi_xml_number_element(&r->xml, depth + 1, "friction", friction, 1);
  if (*spring != 0) hfi_xml_number_element(&r->xml, depth + 1, "spring_reference", rest, 1);
  if (*spring != 0) hfi_xml_number_element(&r->xml, depth + 1, "spring_stiffness", spring, 1);
  hfi_xml_print(&r->xml, "%*s</dynamics>\n", 2 * depth, "");
}

// Writes which joint this one follows, if any.
static void write_mimic(hfiRobotWriter* r, int joint, int depth) {
  const hfiMimic* mimic = &r->mimic[joint];
  const hfiWrittenLink* leader = r->link;
  const double none = 0;
  if (mimic->leader < 0) return;
  while (leader->joint != mimic->leader) ++leader;

  hfi_xml_begin(&r->xml, depth, "mimic");
  hfi_xml_put_text(&r->xml, "joint", leader->joint_name);
  hfi_xml_print(&r->xml, ">\n");
  hfi_xml_number_element(&r->xml, depth + 1, "multiplier", &mimic->multiplier, 1);
  hfi_xml_number_element(&r->xml, depth + 1, "offset", &mimic->offset, 1);
  hfi_xml_number_element(&r->xml, depth + 1, "reference", &none, 1);
  hfi_xml_print(&r->xml, "%*s</mimic>\n", 2 * depth, "");
}

// Writes the axis of a hinge, slide or screw, and the inertia of its rotor.
static void write_axis(hfiRobotWriter* r, int joint, int depth) {
  const double one = 1;
  const double* armature = hf_model_dof_armature(r->m) + hf_model_jnt_dofadr(r->m)[joint];

  hfi_xml_print(&r->xml, "%*s<axis>\n", 2 * depth, "");
  hfi_xml_number_element(&r->xml, depth + 1, "xyz", hf_model_jnt_axis(r->m) + 3 * joint, 3);
  write_limit(r, joint, depth + 1);
  write_dynamics(r, joint, depth + 1);
  write_mimic(r, joint, depth + 1);
  hfi_xml_print(&r->xml, "%*s</axis>\n", 2 * depth, "");

  if (hf_model_jnt_type(r->m)[joint] == HF_JOINT_SCREW) {
    double travel = 2 * HFI_PI * hf_model_jnt_pitch(r->m)[joint]; // [m] a turn
    hfi_xml_number_element(&r->xml, depth, "screw_thread_pitch", &travel, 1);
  }

  if (*armature == 0) return;
  hfi_xml_number_element(&r->xml, depth, "drake:rotor_inertia", armature, 1);
  hfi_xml_number_element(&r->xml, depth, "drake:gear_ratio", &one, 1);
}

// Writes the damping of a ball. As in Drake it is in an <axis>, which has no other meaning.
static void write_ball(hfiRobotWriter* r, int joint, int depth) {
  const double* damping = hf_model_dof_damping(r->m) + hf_model_jnt_dofadr(r->m)[joint];
  if (*damping == 0) return;
  hfi_xml_print(&r->xml, "%*s<axis>\n%*s<dynamics>\n", 2 * depth, "", 2 * depth + 2, "");
  hfi_xml_number_element(&r->xml, depth + 2, "damping", damping, 1);
  hfi_xml_print(&r->xml, "%*s</dynamics>\n%*s</axis>\n", 2 * depth + 2, "", 2 * depth, "");
}

// Writes the joint that moves a link in its parent, or a fixed one. Writes nothing if the link floats, if a loop's
// joint moves it, or if its model is static.
void hfi_sdf_write_joint(hfiSdfWriter* w, const hfiWrittenLink* link, int depth) {
  hfiRobotWriter* r = &w->robot;
  int child = (int)(link - r->link);
  int joint = link->joint;
  int is_static_root = link->parent < 0 && joint < 0 && w->group[link->group].is_static;
  if (link->floats || link->hangs || is_static_root) return;

  open_joint(r, link->joint_name, joint < 0 ? "fixed" : type_word(r->m, joint), link->parent, child, depth);
  if (joint >= 0) {
    hfiPlacement X = {v3_sub(v3_load(hf_model_jnt_pos(r->m) + 3 * joint), link->p_BL), q_identity()};
    hfi_sdf_write_pose(&r->xml, depth + 1, X, NULL);
    if (hf_model_jnt_type(r->m)[joint] == HF_JOINT_BALL)
      write_ball(r, joint, depth + 1);
    else
      write_axis(r, joint, depth + 1);
  }
  close_joint(r, depth);
}

// Writes the joint that closes a loop: a ball joint for a connect, a fixed one for a weld.
void hfi_sdf_write_loop(hfiSdfWriter* w, const hfiLoop* loop, int depth) {
  hfiRobotWriter* r = &w->robot;
  const hfiWrittenLink* child = &r->link[loop->child];
  const char* name = hfi_robot_name_of(r, HF_OBJECT_EQUALITY, loop->equality);
  name = hfi_robot_unique(r, child->group + 1, hfi_sdf_clean_name(r, name, 0), "_joint");

  open_joint(r, name, loop->is_fixed ? "fixed" : "ball", loop->parent, loop->child, depth);
  hfiPlacement X = {q_rotate(q_conj(child->X_WL.q), v3_sub(loop->p_W, child->X_WL.p)), q_identity()};
  hfi_sdf_write_pose(&r->xml, depth + 1, X, NULL);
  close_joint(r, depth);
}
