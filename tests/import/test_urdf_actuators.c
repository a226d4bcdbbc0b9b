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
  assert_below(fabs(hf_model_actuator_biasprm(m)[2] + 2 * sqrt(40 / 0.02 * 2.5)), 1e-10);
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

#define COMMANDED(joint, interface, params) "<joint name='" joint "'>\n<command_interface name='" interface "'>" params "</command_interface></joint>"
#define MIN(x)                              "<param name='min'>" x "</param>"
#define MAX(x)                              "<param name='max'>" x "</param>"
#define CONTROLS(more)                      "<ros2_control name='s' type='system'>" more "</ros2_control>"

static void assert_control_range(const hfModel* m, const char* joint, double low, double high) {
  int i = actuator(m, joint);
  assert_int_equal(hf_model_actuator_ctrllimited(m)[i], low < high);
  ASSERT_NUMBERS(hf_model_actuator_ctrlrange(m) + 2 * i, low, high);
}

// One given end leaves the other end to the limit of the joint: lower -1, upper 2, velocity 3, effort 5. A joint without limits leaves it open.
static void test_one_end_of_a_range(void** state) {
  (void)state;
  hfModel* m = parse(ROBOT("<link name='e'>" BOX "</link><joint name='spin' type='continuous'><parent link='d'/><child link='e'/></joint>" CONTROLS(
      COMMANDED("turn", "position", MIN("0.5")) COMMANDED("push", "velocity", MAX("1")) COMMANDED("tail", "effort", MIN("-4"))
          COMMANDED("spin", "position", MIN("1")))));
  assert_control_range(m, "turn", 0.5, 2);
  assert_control_range(m, "push", -3, 1);
  assert_control_range(m, "tail", -4, 5);
  assert_control_range(m, "spin", 1, 1e10);
  hf_model_free(m);
}

static void assert_warning(const hfDiagnostics* d, int line, const char* part) {
  hfDiagnostic said = find_diagnostic(d, part);
  assert_int_equal(said.severity, HF_WARNING);
  assert_int_equal(said.line, line);
}

// The positions at which ROS begins are a keyframe, in which joints that follow others follow and position servos hold. The value of the state interface
// counts before that of the command interface, those of unknown joints and what is no number do not count, and of zeros there is no keyframe. Oracle: the file.
static void test_initial_values(void** state) {
  (void)state;
#define VALUE(x) "<param name='initial_value'>" x "</param>"
#define INTERFACES(joint, command, state) "<joint name='" joint "'><command_interface name='position'>" command "</command_interface><state_interface name='velocity'>" VALUE("9") "</state_interface>\n<state_interface name='position'>" state "</state_interface></joint>"
  hfDiagnostics* d = hf_diagnostics_create();
  hfModel* m = parse_with(ROBOT(CONTROLS(INTERFACES("turn", "", VALUE("0.0")) INTERFACES("push", "", ""))), NULL, d);
  assert_int_equal(m->nkey, 0);
  for (int i = 0; i < hf_diagnostics_count(d); ++i) assert_null(strstr(hf_diagnostics_get(d, i).message, "initial_value"));
  hf_model_free(m);
#define BEGINNING ROBOT(CONTROLS(INTERFACES("turn", VALUE("1"), VALUE("-0.5")) INTERFACES("gone", "", VALUE("3"))) CONTROLS(INTERFACES("push", VALUE("1.5"), "") "<joint name='tail'><param name='mimic'>turn</param><param name='multiplier'>2</param>" "<param name='offset'>0.25</param><state_interface name='position'>" VALUE("7") "</state_interface></joint>"))
  m = parse_with(BEGINNING, NULL, d);
  assert_int_equal(m->nkey, 1);
  assert_int_equal(find(m, HF_OBJECT_KEY, "initial_value"), 0);
  ASSERT_NUMBERS(hf_model_key_qpos(m), -0.5, 1.5, -0.75);
  ASSERT_NUMBERS(hf_model_qpos0(m), 0, 0, 0);
  assert_int_equal(m->nu, 2);
  ASSERT_NUMBERS(hf_model_key_ctrl(m) + actuator(m, "turn"), -0.5);
  ASSERT_NUMBERS(hf_model_key_ctrl(m) + actuator(m, "push"), 1.5);
  hfDiagnostic said = find_diagnostic(d, "the keyframe \"initial_value\" begins there");
  assert_int_equal(said.severity, HF_NOTE);
  assert_int_equal(said.line, 2);
  hf_model_free(m);
  hfImportConfig config = hf_import_config_default();
  config.urdf_actuators = HF_URDF_NONE; // says nothing about where joints begin
  m = parse_with(BEGINNING, &config, NULL);
  ASSERT_NUMBERS(hf_model_key_qpos(m), -0.5, 1.5, -0.75);
  hf_model_free(m);
  m = parse_with(ROBOT(CONTROLS(INTERFACES("turn", "", VALUE("nan")) INTERFACES("push", "", VALUE("1")))), NULL, d);
  ASSERT_NUMBERS(hf_model_key_qpos(m), 0, 1, 0);
  assert_int_equal(find_diagnostic(d, "initial_value: \"nan\" is not a number").severity, HF_WARNING);
  hf_model_free(m);
  hf_diagnostics_free(d);
}

#define FOLLOWING(joint, leader, multiplier, offset)                                                                                                 \
  "<joint name='" joint "'>\n<param name='mimic'>" leader "</param><param name='multiplier'>" multiplier "</param><param name='offset'>" offset      \
  "</param></joint>"

// What is no finite number counts as not given: the multiplier is 1 and the offset 0. It is said once, with the line.
static void test_bad_numbers_of_mimic(void** state) {
  (void)state;
  static const char* const bad[] = {"abc", "2 3", "nan", "inf", ""};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
    char text[4096], said[64];
    snprintf(text, sizeof text, ROBOT(CONTROLS(FOLLOWING("tail", "turn", "%s", "0.5") FOLLOWING("push", "turn", "-2", "%s"))), bad[i], bad[i]);
    hfDiagnostics* d = hf_diagnostics_create();
    hfModel* m = parse_with(text, NULL, d);
    ASSERT_NUMBERS(hf_model_eq_data(m), 0, -2, 0, 0, 0);
    ASSERT_NUMBERS(hf_model_eq_data(m) + 11, 0.5, 1, 0, 0, 0);
    snprintf(said, sizeof said, "multiplier: \"%s\" is not a number: not used", bad[i]);
    assert_warning(d, 2, said);
    assert_int_equal(find_diagnostic(d, said).count, 1);
    snprintf(said, sizeof said, "offset: \"%s\" is not a number: not used", bad[i]);
    assert_warning(d, 3, said);
    hf_model_free(m);
    hf_diagnostics_free(d);
  }
}

// An unknown interface gives no actuator, with a warning. Beside a known one it is only noted. A joint that is only measured is not reported.
static void test_unknown_interfaces(void** state) {
  (void)state;
  hfDiagnostics* d = hf_diagnostics_create();
  hfModel* m =
      parse_with(ROBOT(CONTROLS(COMMANDED("turn", "stiffness",
                                          "") "<joint name='push'><command_interface name='velocity'/>\n"
                                              "<command_interface name='kp'/></joint><joint name='tail'><state_interface name='odd'/></joint>")),
                 NULL, d);
  assert_int_equal(m->nu, 1);
  actuator(m, "push");
  assert_warning(d, 2, "joint \"turn\": the command interface \"stiffness\" is unknown: no actuator; known are position, velocity and effort");
  hfDiagnostic said = find_diagnostic(d, "joint \"push\": the command interface \"kp\" is unknown: not used");
  assert_int_equal(said.severity, HF_NOTE);
  assert_int_equal(said.line, 3);
  for (int i = 0; i < hf_diagnostics_count(d); ++i) assert_null(strstr(hf_diagnostics_get(d, i).message, "odd"));
  hf_model_free(m);
  hf_diagnostics_free(d);
}

static void test_empty_ranges(void** state) {
  (void)state;
  hfDiagnostics* d = hf_diagnostics_create();
  hfModel* m =
      parse_with(ROBOT("<link name='e'>" BOX "</link><joint name='spin' type='continuous'><parent link='d'/><child link='e'/></joint>" CONTROLS(
                     COMMANDED("turn", "position", MIN("1") MAX("-1")) COMMANDED("push", "velocity", MIN("4"))
                         COMMANDED("tail", "effort", MIN("x") MAX("-7")) COMMANDED("spin", "position", MIN("2") MAX("1")))),
                 NULL, d);
  assert_control_range(m, "turn", -1, 2);
  assert_control_range(m, "push", -3, 3);
  assert_control_range(m, "tail", -5, 5);
  assert_control_range(m, "spin", 0, 0);
  assert_warning(d, 2, "joint \"turn\": the range [1, -1] of the control is empty: [-1, 2], from the limits of the joint, is used instead");
  assert_warning(d, 3, "joint \"push\": the range [4, 3] of the control is empty: [-3, 3], from the limits of the joint, is used instead");
  assert_warning(d, 4, "min: \"x\" is not a number");
  assert_warning(d, 4, "joint \"tail\": the range [-5, -7] of the control is empty: [-5, 5], from the limits of the joint, is used instead");
  assert_warning(d, 5, "joint \"spin\": the range [2, 1] of the control is empty: the control has no range");
  hf_model_free(m);
  hf_diagnostics_free(d);
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

static hfStatus parse_with_search(const char* root, const char* folder, hfDiagnostics* said) {
  char path[600];
  const char* search[] = {"/nowhere", path};
  hfImportConfig config = hf_import_config_default();
  hfModel* m = NULL;
  snprintf(path, sizeof path, "%s/%s", root, folder);
  config.search_path = search, config.search_count = 2;
  hfStatus status = hf_model_parse(&m, ROBOT_WITH_MESH, strlen(ROBOT_WITH_MESH), "robot.urdf", "/", &config, said, NULL);
  hf_model_free(m);
  return status;
}

static void in_shell(const char* root, const char* script) {
  char command[2048];
  snprintf(command, sizeof command, "cd '%s' && %s", root, script);
  assert_int_equal(system(command), 0);
}

// A folder of the search path may be a workspace: a package is found up to four folders below it, by its name or by its package.xml, beside folders of
// the same name that do not have the file. A folder inside of another package is none.
static void test_search_path(void** state) {
  (void)state;
  char root[] = "/tmp/holdfast_ros_XXXXXX", path[600];
  assert_non_null(mkdtemp(root));
  snprintf(path, sizeof path, "%s/ws/src/robots", root);
  make_package(path);
  assert_int_equal(parse_with_search(root, "ws", NULL), HF_OK);
  assert_int_equal(parse_with_search(root, "ws/src/robots", NULL), HF_OK);
  assert_int_equal(parse_with_search(root, "ws/src/robots/my_arm", NULL), HF_OK);
  in_shell(root, "mkdir -p ws/build/my_arm ws/install/my_arm");
  assert_int_equal(parse_with_search(root, "ws", NULL), HF_OK);
  in_shell(root, "mv ws/src/robots/my_arm ws/src/robots/v2 && mkdir ws/src/my_arm");
  assert_int_equal(parse_with_search(root, "ws", NULL), HF_ERROR_FILE);
  in_shell(root, "echo '<package> <name> my_arm </name></package>' > ws/src/robots/v2/package.xml");
  assert_int_equal(parse_with_search(root, "ws", NULL), HF_OK);
  in_shell(root, "mkdir -p ws/1/2/3 && mv ws/src/robots/v2 ws/1/2/3/4");
  assert_int_equal(parse_with_search(root, "ws", NULL), HF_OK);
  in_shell(root, "mkdir ws/1/2/3/x && mv ws/1/2/3/4 ws/1/2/3/x");
  assert_int_equal(parse_with_search(root, "ws", NULL), HF_ERROR_FILE);
  in_shell(root, "mv ws/1/2/3/x/4 ws/1/2/4 && echo '<package><name>other</name></package>' > ws/1/package.xml");
  assert_int_equal(parse_with_search(root, "ws", NULL), HF_ERROR_FILE);
  snprintf(path, sizeof path, "rm -rf '%s'", root);
  assert_int_equal(system(path), 0);
}

// A search ends in a folder with very many files, and says so.
static void test_search_is_bounded(void** state) {
  (void)state;
  char root[] = "/tmp/holdfast_ros_XXXXXX", path[600];
  assert_non_null(mkdtemp(root));
  hfDiagnostics* said = hf_diagnostics_create();
  in_shell(root, "mkdir many && cd many && seq 100001 | xargs touch");
  assert_int_equal(parse_with_search(root, "many", said), HF_ERROR_FILE);
  assert_int_equal(find_diagnostic(said, "the search for packages ended after 100000 files and folders").severity, HF_NOTE);
  hf_diagnostics_free(said);
  snprintf(path, sizeof path, "rm -rf '%s'", root);
  assert_int_equal(system(path), 0);
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
      cmocka_unit_test(test_transmissions),
      cmocka_unit_test(test_critical_damping),
      cmocka_unit_test(test_ros2_control),
      cmocka_unit_test(test_one_end_of_a_range), cmocka_unit_test(test_initial_values),
      cmocka_unit_test(test_empty_ranges),
      cmocka_unit_test(test_unknown_interfaces),
      cmocka_unit_test(test_bad_numbers_of_mimic),
      cmocka_unit_test(test_option_for_every_joint),
      cmocka_unit_test(test_what_cannot_be_driven),
      cmocka_unit_test(test_link_without_inertia_is_reported),
      cmocka_unit_test(test_ros_paths),
      cmocka_unit_test(test_search_path),
      cmocka_unit_test(test_search_is_bounded),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
