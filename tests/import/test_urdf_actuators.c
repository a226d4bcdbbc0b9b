// Actuators of URDF robots: transmissions, ros2_control and options. Oracles are the formulas of docs/reference/urdf.md.
#include "import/support.h"

#include <stdlib.h>
#include <sys/stat.h>

#define BOX "<inertial><mass value='2'/><inertia ixx='1' iyy='2' izz='2.5' ixy='0' ixz='0' iyz='0'/></inertial>"
#define JOINT(name, type, parent, child, limit)                                                                        \
  "<joint name='" name "' type='" type "'><parent link='" parent "'/><child link='" child "'/><axis xyz='0 0 1'/>"      \
  "<limit lower='-1' upper='2' effort='" limit "' velocity='3'/></joint>"
#define ROBOT(more)                                                                                                     \
  "<robot name='r'><link name='a'/><link name='b'>" BOX "</link><link name='c'>" BOX "</link><link name='d'>" BOX       \
  "</link>" JOINT("turn", "revolute", "a", "b", "40") JOINT("push", "prismatic", "b", "c", "60")                        \
      JOINT("tail", "revolute", "c", "d", "5") more "</robot>"
#define TRANSMISSION(joint, interface, actuator)                                                                        \
  "<transmission name='" joint "_t'><type>transmission_interface/SimpleTransmission</type><joint name='" joint "'>"     \
  "<hardwareInterface>" interface "</hardwareInterface></joint><actuator name='m'>" actuator "</actuator></transmission>"

static int actuator(const hfModel* m, const char* joint) {
  int i = find(m, HF_OBJECT_ACTUATOR, joint);
  assert_int_equal(hf_model_actuator_trntype(m)[i], HF_TRANSMISSION_JOINT);
  assert_int_equal(hf_model_actuator_trnid(m)[2 * i], find(m, HF_OBJECT_JOINT, joint));
  return i;
}

// Gains: the whole effort at 0.02 rad or 0.002 m; the rotor has ratio^2 times its inertia at the joint.
static void test_transmissions(void** state) {
  (void)state;
  hfModel* m = parse(ROBOT(TRANSMISSION("turn", "hardware_interface/PositionJointInterface",
                                        "<mechanicalReduction>50</mechanicalReduction><motorInertia>0.002</motorInertia>")
                           TRANSMISSION("push", "PositionJointInterface", "")
                           TRANSMISSION("tail", "EffortJointInterface",
                                        "<drake:gear_ratio value='10'/><drake:rotor_inertia value='0.3'/>")));
  assert_int_equal(m->nu, 3);
  int turn = actuator(m, "turn"), push = actuator(m, "push"), tail = actuator(m, "tail");
  ASSERT_NUMBERS(hf_model_actuator_gainprm(m) + 3 * turn, 40 / 0.02);
  ASSERT_NUMBERS(hf_model_actuator_biasprm(m) + 3 * turn + 1, -40 / 0.02);
  ASSERT_NUMBERS(hf_model_actuator_ctrlrange(m) + 2 * turn, -1, 2);
  ASSERT_NUMBERS(hf_model_actuator_gainprm(m) + 3 * push, 60 / 0.002);
  ASSERT_NUMBERS(hf_model_actuator_gainprm(m) + 3 * tail, 1);
  assert_int_equal(hf_model_actuator_biastype(m)[tail], HF_BIAS_NONE);
  ASSERT_NUMBERS(hf_model_actuator_ctrlrange(m) + 2 * tail, -5, 5);
  ASSERT_NUMBERS(hf_model_dof_armature(m), 50 * 50 * 0.002, 0, 10 * 10 * 0.3);
  hf_model_free(m);
}

// The servo of a joint that carries nothing else is damped critically: kv = 2 sqrt(kp I) with I of the link about the axis. Only the
// last joint meets one link alone, where the others hold still; dampratio uses the inertia that a free chain has.
static void test_critical_damping(void** state) {
  (void)state;
  hfModel* m = parse("<robot name='r'><link name='a'/><link name='b'>" BOX "</link>" JOINT("turn", "revolute", "a", "b", "40")
                         TRANSMISSION("turn", "PositionJointInterface", "") "</robot>");
  assert_true(fabs(hf_model_actuator_biasprm(m)[2] + 2 * sqrt(40 / 0.02 * 2.5)) < 1e-10);
  hf_model_free(m);
}

// Position is preferred over velocity; min and max limit the control; a joint without command interface has no actuator; the older
// form of mimic is read; a <transmission> of the same joint does not add a second actuator.
static void test_ros2_control(void** state) {
  (void)state;
  hfModel* m = parse(ROBOT(
      "<ros2_control name='sys' type='system'><hardware><plugin>x/Y</plugin></hardware>"
      "<joint name='turn'><command_interface name='velocity'/><command_interface name='position'><param name='min'>-0.5</param>"
      "<param name='max'>0.25</param></command_interface><state_interface name='position'/></joint>"
      "<joint name='push'><command_interface name='velocity'/></joint>"
      "<joint name='tail'><param name='mimic'>turn</param><param name='multiplier'>-2</param><command_interface name='position'/></joint>"
      "</ros2_control>" TRANSMISSION("turn", "EffortJointInterface", "")));
  assert_int_equal(m->nu, 2);
  int turn = actuator(m, "turn"), push = actuator(m, "push");
  ASSERT_NUMBERS(hf_model_actuator_ctrlrange(m) + 2 * turn, -0.5, 0.25);
  ASSERT_NUMBERS(hf_model_actuator_gainprm(m) + 3 * push, 60 / 0.01);
  ASSERT_NUMBERS(hf_model_actuator_biasprm(m) + 3 * push, 0, 0, -60 / 0.01);
  ASSERT_NUMBERS(hf_model_actuator_ctrlrange(m) + 2 * push, -3, 3);
  assert_int_equal(m->neq, 1);
  ASSERT_NUMBERS(hf_model_eq_data(m), 0, -2, 0, 0, 0);
  hf_model_free(m);
}

static void test_option_for_every_joint(void** state) {
  (void)state;
  static const char robot[] = ROBOT(TRANSMISSION("turn", "EffortJointInterface", ""));
  hfImportConfig config = hf_import_config_default();
  config.urdf_actuators = HF_URDF_POSITION_SERVOS;
  config.servo_kp = 700;
  config.servo_kv = 8;
  hfModel* m = parse_with(robot, &config, NULL);
  assert_int_equal(m->nu, 3);
  for (int i = 0; i < 3; ++i) {
    ASSERT_NUMBERS(hf_model_actuator_gainprm(m) + 3 * i, 700);
    ASSERT_NUMBERS(hf_model_actuator_biasprm(m) + 3 * i, 0, -700, -8);
  }
  hf_model_free(m);
  config.urdf_actuators = HF_URDF_NONE;
  m = parse_with(robot, &config, NULL);
  assert_int_equal(m->nu, 0);
  hf_model_free(m);
}

static void test_what_cannot_be_driven(void** state) {
  (void)state;
  hfDiagnostics* d = hf_diagnostics_create();
  hfModel* m = parse_with(ROBOT(TRANSMISSION("nowhere", "EffortJointInterface", "")), NULL, d);
  assert_int_equal(m->nu, 0);
  assert_int_equal(find_diagnostic(d, "there is no joint \"nowhere\"").severity, HF_WARNING);
  hf_model_free(m);
  hf_diagnostics_free(d);
}

static void test_link_without_inertia_is_reported(void** state) {
  (void)state;
  hfDiagnostics* d = hf_diagnostics_create();
  hfModel* m = parse_with("<robot name='r'><link name='a'/><link name='b'><collision><geometry><sphere radius='0.1'/></geometry>"
                          "</collision></link>" JOINT("turn", "revolute", "a", "b", "1") "</robot>", NULL, d);
  hfDiagnostic said = find_diagnostic(d, "link \"b\" has no <inertial>");
  assert_int_equal(said.severity, HF_WARNING);
  assert_int_equal(said.line, 1);
  assert_int_equal(hf_diagnostics_count(d), 2); // this and the speed limit: the root, which does not move, is no matter
  hf_model_free(m);
  hf_diagnostics_free(d);
}

// ---- packages of ROS -----------------------------------------------------------------------------

static const char ROBOT_WITH_MESH[] = "<robot name='r'><link name='a'><collision><geometry>"
                                      "<mesh filename='package://my_arm/meshes/ell.stl'/></geometry></collision></link></robot>";

static hfStatus parse_far_from_package(hfError* error) {
  hfModel* m = NULL;
  hfStatus status = hf_model_parse(&m, ROBOT_WITH_MESH, strlen(ROBOT_WITH_MESH), "robot.urdf", "/", NULL, NULL, error);
  hf_model_free(m);
  return status;
}

static void make_package(const char* folder) {
  char command[2048];
  snprintf(command, sizeof command, "mkdir -p '%s/my_arm/meshes' && cp " DATA "/ell.stl '%s/my_arm/meshes'", folder, folder);
  assert_int_equal(system(command), 0);
}

static void test_ros_paths(void** state) {
  (void)state;
  char root[] = "/tmp/holdfast_ros_XXXXXX", path[600], command[700];
  assert_non_null(mkdtemp(root));
  hfError error = {HF_OK, ""};
  assert_int_equal(parse_far_from_package(&error), HF_ERROR_FILE);
  assert_non_null(strstr(error.message, "--search"));
  assert_non_null(strstr(error.message, "--skip-meshes"));
  snprintf(path, sizeof path, "%s/ws/src/robots", root);
  make_package(path);
  snprintf(path, sizeof path, "/nowhere:%s/ws/src", root);
  setenv("ROS_PACKAGE_PATH", path, 1);
  assert_int_equal(parse_far_from_package(&error), HF_OK);
  unsetenv("ROS_PACKAGE_PATH");
  snprintf(path, sizeof path, "%s/install/my_arm/share", root);
  make_package(path);
  snprintf(path, sizeof path, "/nowhere:%s/install/my_arm", root);
  setenv("AMENT_PREFIX_PATH", path, 1);
  assert_int_equal(parse_far_from_package(&error), HF_OK);
  unsetenv("AMENT_PREFIX_PATH");
  assert_int_equal(parse_far_from_package(&error), HF_ERROR_FILE);
  snprintf(command, sizeof command, "rm -rf '%s'", root);
  assert_int_equal(system(command), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_transmissions),          cmocka_unit_test(test_critical_damping),
      cmocka_unit_test(test_ros2_control),           cmocka_unit_test(test_option_for_every_joint),
      cmocka_unit_test(test_what_cannot_be_driven),  cmocka_unit_test(test_link_without_inertia_is_reported),
      cmocka_unit_test(test_ros_paths),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
