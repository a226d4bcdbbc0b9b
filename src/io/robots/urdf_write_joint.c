// Joints and transmissions of a written URDF file. The origin of a link lies on the axis of its joint.
//
// w: the writer, m: its model.
#include "io/robots/urdf_write.h"

// The word of URDF for the type of the joint that moves a link.
static const char* type_word(const hfModel* m, const hfiWrittenLink* link) {
  if (link->floats) return "floating";
  if (link->joint < 0) return "fixed";
  if (hf_model_jnt_type(m)[link->joint] == HF_JOINT_SLIDE) return "prismatic";
  return hf_model_jnt_limited(m)[link->joint] ? "revolute" : "continuous";
}

// Writes <limit>. URDF requires one of prismatic joints, and numbers even where there is no limit.
static void put_limit(hfiRobotWriter* w, int joint) {
  const hfiJointDrive* drive = &w->drive[joint];
  const hfModel* m = w->m;
  int is_limited = hf_model_jnt_limited(m)[joint];
  int is_slide = hf_model_jnt_type(m)[joint] == HF_JOINT_SLIDE;
  double effort = drive->effort >= 0 ? drive->effort : HFI_UNLIMITED;
  double speed = drive->speed >= 0 ? drive->speed : HFI_UNLIMITED;
  if (!is_limited && !is_slide && effort >= HFI_UNLIMITED && speed >= HFI_UNLIMITED) return;

  double range[2] = {-HFI_UNLIMITED, HFI_UNLIMITED};
  const double* ends = hf_model_jnt_range(m) + 2 * joint;
  if (is_limited && ends[0] > -HFI_NO_END) range[0] = ends[0];
  if (is_limited && ends[1] < HFI_NO_END) range[1] = ends[1];

  hfi_xml_begin(&w->xml, 2, "limit");
  if (is_limited || is_slide) {
    hfi_xml_put_reals(&w->xml, "lower", &range[0], 1);
    hfi_xml_put_reals(&w->xml, "upper", &range[1], 1);
  }
  hfi_xml_put_reals(&w->xml, "effort", &effort, 1);
  hfi_xml_put_reals(&w->xml, "velocity", &speed, 1);
  hfi_xml_print(&w->xml, "/>\n");
}

// Writes damping and friction of a joint.
static void put_dynamics(hfiRobotWriter* w, int joint) {
  int dof = hf_model_jnt_dofadr(w->m)[joint];
  const double* damping = hf_model_dof_damping(w->m) + dof;
  const double* friction = hf_model_dof_frictionloss(w->m) + dof;
  if (*damping == 0 && *friction == 0) return;

  hfi_xml_begin(&w->xml, 2, "dynamics");
  hfi_xml_put_reals(&w->xml, "damping", damping, 1);
  hfi_xml_put_reals(&w->xml, "friction", friction, 1);
  hfi_xml_print(&w->xml, "/>\n");
}

// Writes which joint this one follows, if any.
static void put_mimic(hfiRobotWriter* w, int joint) {
  const hfiMimic* mimic = &w->mimic[joint];
  const hfiWrittenLink* leader = w->link;
  if (mimic->leader < 0) return;
  while (leader->joint != mimic->leader) ++leader;

  hfi_xml_begin(&w->xml, 2, "mimic");
  hfi_xml_put_text(&w->xml, "joint", leader->joint_name);
  hfi_xml_put_reals(&w->xml, "multiplier", &mimic->multiplier, 1);
  hfi_xml_put_reals(&w->xml, "offset", &mimic->offset, 1);
  hfi_xml_print(&w->xml, "/>\n");
}

// Writes <parent> or <child>.
static void put_end(hfiXmlWriter* xml, const char* element, const char* link) {
  hfi_xml_begin(xml, 2, element);
  hfi_xml_put_text(xml, "link", link);
  hfi_xml_print(xml, "/>\n");
}

// Writes the joint of a link, whose parent is another link or the link "world".
void hfi_urdf_write_joint(hfiRobotWriter* w, const hfiWrittenLink* link) {
  int joint = link->joint;
  hfi_xml_begin(&w->xml, 1, "joint");
  hfi_xml_put_text(&w->xml, "name", link->joint_name);
  hfi_xml_put_text(&w->xml, "type", type_word(w->m, link));
  hfi_xml_print(&w->xml, ">\n");

  hfi_urdf_write_origin(&w->xml, 2, link->X_PL);
  put_end(&w->xml, "parent", link->parent >= 0 ? w->link[link->parent].name : "world");
  put_end(&w->xml, "child", link->name);

  if (joint >= 0) {
    hfi_xml_begin(&w->xml, 2, "axis");
    hfi_xml_put_reals(&w->xml, "xyz", hf_model_jnt_axis(w->m) + 3 * joint, 3);
    hfi_xml_print(&w->xml, "/>\n");
    put_limit(w, joint);
    put_dynamics(w, joint);
    put_mimic(w, joint);
  }

  hfi_xml_print(&w->xml, "  </joint>\n");
}

// Writes the <transmission> of a joint that has an actuator or an armature. Without an actuator it has a state
// interface only.
void hfi_urdf_write_transmission(hfiRobotWriter* w, const hfiWrittenLink* link) {
  static const char* const interfaces[] = {[HFI_UNDRIVEN] = "JointStateInterface",
                                           [HFI_DRIVEN_BY_FORCE] = "EffortJointInterface",
                                           [HFI_DRIVEN_TO_POSITION] = "PositionJointInterface",
                                           [HFI_DRIVEN_TO_VELOCITY] = "VelocityJointInterface"};
  int joint = link->joint;
  if (joint < 0) return;
  const hfiJointDrive* drive = &w->drive[joint];
  double armature = hf_model_dof_armature(w->m)[hf_model_jnt_dofadr(w->m)[joint]];
  if (drive->kind == HFI_UNDRIVEN && armature == 0) return;

  const char* name = "";
  if (drive->kind != HFI_UNDRIVEN) name = hf_model_name(w->m, HF_OBJECT_ACTUATOR, drive->actuator);
  if (!*name) name = hfi_robot_format(w, "%s_motor", link->joint_name);

  hfi_xml_begin(&w->xml, 1, "transmission");
  hfi_xml_put_text(&w->xml, "name", hfi_robot_format(w, "%s_transmission", link->joint_name));
  hfi_xml_print(&w->xml, ">\n    <type>transmission_interface/SimpleTransmission</type>\n    <joint");
  hfi_xml_put_text(&w->xml, "name", link->joint_name);
  hfi_xml_print(&w->xml, ">\n      <hardwareInterface>hardware_interface/%s</hardwareInterface>\n    </joint>\n",
                interfaces[drive->kind]);
  hfi_xml_print(&w->xml, "    <actuator");
  hfi_xml_put_text(&w->xml, "name", name);
  hfi_xml_print(&w->xml, ">\n      <mechanicalReduction>1</mechanicalReduction>\n");

  if (armature != 0) {
    hfi_xml_print(&w->xml, "      <drake:gear_ratio value=\"1\"/>\n      <drake:rotor_inertia");
    hfi_xml_put_reals(&w->xml, "value", &armature, 1);
    hfi_xml_print(&w->xml, "/>\n");
  }

  hfi_xml_print(&w->xml, "    </actuator>\n  </transmission>\n");
}
