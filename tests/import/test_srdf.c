// SRDF beside a URDF. The oracle is the file itself: pairs of links and coordinates of joints, written out by hand.
#include "import/support.h"

#include <holdfast/dynamics.h>

#include <stdlib.h>
#include <unistd.h>

#define LINK(name) "<link name='" name "'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial><collision><geometry><sphere radius='0.1'/></geometry></collision></link>"
#define BARE(name) "<link name='" name "'/>"
#define JOINT(name, type, a, b, more) "<joint name='" name "' type='" type "'><parent link='" a "'/><child link='" b "'/><axis xyz='0 0 1'/><limit lower='-2' upper='2' effort='9' velocity='1'/>" more "</joint>"
// A chain base, a, b, c with a plate that is fixed to b, and a frame without geometry.
#define ROBOT                                                                                                                                       \
  "<robot name='arm'>" LINK("base") LINK("a") LINK("b") LINK("plate") LINK("c") BARE("tip") JOINT("j1", "revolute", "base", "a", "")                  \
      JOINT("j2", "prismatic", "a", "b", "") JOINT("weld", "fixed", "b", "plate", "") JOINT("j3", "revolute", "b", "c", "<mimic joint='j1' multiplier='-2' offset='0.5'/>") \
          JOINT("end", "fixed", "c", "tip", "") "</robot>"

static char path[] = "/tmp/holdfast-srdf-XXXXXX";

static void write_srdf(const char* text) {
  FILE* file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

static hfImportConfig beside(const char* srdf) {
  hfImportConfig config = hf_import_config_default();
  write_srdf(srdf);
  config.srdf = path;
  return config;
}

static int is_excluded(const hfModel* m, const char* a, const char* b) {
  int i = find(m, HF_OBJECT_BODY, a), k = find(m, HF_OBJECT_BODY, b);
  for (int e = 0; e < m->nexclude; ++e) {
    const int32_t* body = hf_model_exclude_body(m) + 2 * e;
    if ((body[0] == i && body[1] == k) || (body[0] == k && body[1] == i)) return 1;
  }
  return 0;
}

static void test_pairs(void** state) {
  (void)state;
  hfImportConfig config = beside("<robot name='arm'>\n<group name='g'><chain base_link='base' tip_link='c'/></group>\n<disable_collisions link1='c' link2='base' reason='Never'/>\n"
                                 "<disable_collisions link1='a' link2='gone' reason='Never'/>\n<disable_collisions link1='lost' link2='a'/>\n<disable_collisions link1='tip' link2='a'/></robot>");
  hfDiagnostics* d = hf_diagnostics_create();
  hfModel* without = parse(ROBOT);
  hfModel* m = parse_with(ROBOT, &config, d);
  assert_false(is_excluded(without, "base", "c"));
  assert_true(is_excluded(m, "base", "c"));
  assert_false(is_excluded(m, "a", "c"));
  assert_int_equal(m->nexclude, without->nexclude + 1); // a frame without geometry touches nothing
  hfDiagnostic unknown = find_diagnostic(d, "names a link that the URDF does not have");
  assert_int_equal(unknown.severity, HF_WARNING);
  assert_int_equal(unknown.line, 4);
  assert_int_equal(unknown.count, 2);
  assert_string_equal(unknown.file, path);
  assert_non_null(strstr(unknown.message, "\"gone\""));
  int said = 0;
  for (int i = 0; i < hf_diagnostics_count(d); ++i) said += strcmp(hf_diagnostics_get(d, i).file, path) == 0;
  assert_int_equal(said, 1); // what only planners need is no news
  hf_diagnostics_free(d);
  hf_model_free(m), hf_model_free(without);
}

// All pairs of a link are off, except one; what the file switches off by name stays off.
static void test_all_pairs_of_a_link(void** state) {
  (void)state;
  hfImportConfig config = beside("<robot name='arm'><disable_default_collisions link='plate'/><enable_collisions link1='plate' link2='c'/>"
                                 "<enable_collisions link1='a' link2='c'/><disable_collisions link1='a' link2='c'/></robot>");
  hfModel* m = parse_with(ROBOT, &config, NULL);
  assert_true(is_excluded(m, "plate", "base") && is_excluded(m, "plate", "a") && is_excluded(m, "plate", "b"));
  assert_false(is_excluded(m, "plate", "c"));
  assert_true(is_excluded(m, "a", "c"));
  hf_model_free(m);
}

// The plate is part of b: the pair a and plate alone must not switch contacts of b itself off.
static void test_pairs_of_merged_links(void** state) {
  (void)state;
  for (int both = 0; both < 2; ++both) {
    hfImportConfig config = beside(both ? "<robot name='arm'><disable_collisions link1='base' link2='plate'/><disable_collisions link1='base' link2='b'/></robot>"
                                        : "<robot name='arm'><disable_collisions link1='base' link2='plate'/></robot>");
    config.merge_fixed_links = 1;
    hfDiagnostics* d = hf_diagnostics_create();
    hfModel* m = parse_with(ROBOT, &config, d);
    assert_int_equal(hf_model_find(m, HF_OBJECT_BODY, "plate"), -1);
    assert_int_equal(is_excluded(m, "base", "b"), both);
    if (!both) find_diagnostic(d, "bodies of merged links touch");
    hf_diagnostics_free(d);
    hf_model_free(m);
  }
}

static const double* key_qpos(const hfModel* m, const char* name) { return hf_model_key_qpos(m) + (size_t)find(m, HF_OBJECT_KEY, name) * (size_t)m->nq; }

static void test_states(void** state) {
  (void)state;
  hfImportConfig config = beside("<robot name='arm'>\n<group_state name='ready' group='arm'><joint name='j1' value='0.25'/><joint name='j2' value=' -1.5 '/></group_state>\n"
                                 "<group_state name='home' group='arm'><joint name='j1' value='0.1'/></group_state>\n"
                                 "<group_state name='home' group='hand'><joint name='j2' value='3'/><joint name='weld' value='0'/></group_state></robot>");
  config.urdf_actuators = HF_URDF_POSITION_SERVOS;
  hfDiagnostics* d = hf_diagnostics_create();
  hfModel* m = parse_with(ROBOT, &config, d);
  assert_int_equal(m->nkey, 3);
  ASSERT_NUMBERS(key_qpos(m, "ready"), 0.25, -1.5, 0.5 - 2 * 0.25); // j3 follows j1
  ASSERT_NUMBERS(key_qpos(m, "arm/home"), 0.1, 0, 0.3);
  ASSERT_NUMBERS(key_qpos(m, "hand/home"), 0, 3, 0.5);
  assert_int_equal(m->nu, 2); // a joint that follows has no servo
  ASSERT_NUMBERS(hf_model_key_ctrl(m) + 2 * find(m, HF_OBJECT_KEY, "ready"), 0.25, -1.5);
  ASSERT_NUMBERS(hf_model_key_ctrl(m) + 2 * find(m, HF_OBJECT_KEY, "hand/home"), 0, 2); // the end of the range
  assert_int_equal(find_diagnostic(d, "names a joint that the model does not have, or that is fixed").line, 4);
  hf_diagnostics_free(d);
  hf_model_free(m);
}

// A state may be called like the keyframe of the initial values of <ros2_control>, which stays.
static void test_state_beside_initial_values(void** state) {
  (void)state;
  hfImportConfig config = beside("<robot name='arm'><group_state name='initial_value' group='arm'><joint name='j1' value='0.25'/></group_state></robot>");
  hfModel* m = parse_with("<robot name='arm'>" LINK("base") LINK("a") JOINT("j1", "revolute", "base", "a", "")
                          "<ros2_control name='c'><joint name='j1'><state_interface name='position'><param name='initial_value'>1.5</param></state_interface></joint></ros2_control></robot>",
                          &config, NULL);
  assert_int_equal(m->nkey, 2);
  ASSERT_NUMBERS(key_qpos(m, "initial_value"), 1.5);
  ASSERT_NUMBERS(key_qpos(m, "arm/initial_value"), 0.25);
  hf_model_free(m);
}

// The pose of a free root, by MoveIt's virtual joint and by Pinocchio's name; and a planar joint. A quaternion is x y z w there.
static void test_states_of_many_numbers(void** state) {
  (void)state;
  static const char text[] = "<robot name='r'>" LINK("base") LINK("table") JOINT("slide", "planar", "base", "table", "") "</robot>";
  for (int pinocchio = 0; pinocchio < 2; ++pinocchio) {
    hfImportConfig config = beside(pinocchio ? "<robot name='r'><group_state name='s' group='all'><joint name='root_joint' value='1 2 3 0 0 2 0'/><joint name='slide' value='4 5 6'/></group_state></robot>"
                                             : "<robot name='r'><virtual_joint name='v' type='floating' parent_frame='world' child_link='base'/>"
                                               "<group_state name='s' group='all'><joint name='v' value='1 2 3 0 0 2 0'/><joint name='slide' value='4 5 6'/></group_state></robot>");
    config.floating_base = 1;
    hfModel* m = parse_with(text, &config, NULL);
    ASSERT_NUMBERS(key_qpos(m, "s"), 1, 2, 3, 0, 0, 0, 1, 4, 5, 6);
    hf_model_free(m);
  }
}

static void refuse(const char* srdf, const char* part) {
  hfImportConfig config = beside(srdf);
  hfModel* m = NULL;
  hfError error = {HF_OK, ""};
  assert_below(hf_model_parse(&m, ROBOT, strlen(ROBOT), "test.urdf", NULL, &config, NULL, &error), 0);
  assert_null(m);
  if (!strstr(error.message, part)) fail_msg("\"%s\" says nothing of \"%s\"", error.message, part);
}

static void test_refusals(void** state) {
  (void)state;
  refuse("<robot name='arm'>\n<group_state name='s' group='g'><joint name='j1' value='1 2'/></group_state></robot>", ":2: <joint name=\"j1\">: value: want 1 number, found 2");
  refuse("<robot name='arm'>\n<group_state name='s' group='g'><joint name='j1' value='nan'/></group_state></robot>", "\"nan\" is not a finite number");
  refuse("<robot name='arm'>\n<disable_collisions link1='a'/></robot>", ":2: <disable_collisions>: attribute link2 is missing");
  refuse("<robot name='arm'><group_state name='s' group='g'/><group_state name='s' group='g'/></robot>", "name is used already");
  refuse("<mujoco/>", "this is no SRDF");
  refuse(ROBOT, "this is no SRDF");
  refuse("<robot name='arm' xmlns:xacro='x'><xacro:macro name='m'/></robot>", "a xacro macro");
  hfModel* m = NULL;
  hfError error;
  assert_int_equal(hf_model_load(&m, path, NULL, NULL, &error), HF_ERROR_UNSUPPORTED); // the last file
  write_srdf("<robot name='arm'><disable_collisions link1='a' link2='b'/></robot>");
  assert_int_equal(hf_model_load(&m, path, NULL, NULL, &error), HF_ERROR_MODEL);
  assert_non_null(strstr(error.message, "this is an SRDF"));
}

// For other formats the option is idle, and says so.
static void test_other_formats(void** state) {
  (void)state;
  hfImportConfig config = beside("<robot name='arm'/>");
  hfDiagnostics* d = hf_diagnostics_create();
  hf_model_free(parse_with("<mujoco><worldbody><geom size='1'/></worldbody></mujoco>", &config, d));
  find_diagnostic(d, "option srdf (--srdf) cannot act: it is for URDF");
  hf_diagnostics_free(d);
}

static int make_file(void** state) {
  (void)state;
  int fd = mkstemp(path);
  return fd < 0 ? -1 : close(fd);
}
static int remove_file(void** state) { return (void)state, unlink(path); }

// An MJCF scene names the SRDF beside the URDF that it attaches: each robot has the pairs, and keyframes with its prefix, in which the other one is at zero.
static void test_attached_robots(void** state) {
  (void)state;
  char urdf[] = "/tmp/holdfast-urdf-XXXXXX", scene[512];
  int descriptor = mkstemp(urdf);
  assert_at_least(descriptor, 0);
  assert_true(write(descriptor, ROBOT, strlen(ROBOT)) == (ssize_t)strlen(ROBOT));
  close(descriptor);
  write_srdf("<robot name='arm'><disable_collisions link1='c' link2='base'/><group_state name='ready' group='arm'><joint name='j1' value='0.25'/></group_state></robot>");
  static const char format[] = "<mujoco><asset><model name='arm' file='%s' srdf='%s'/></asset><worldbody><attach model='arm' prefix='l_'/>"
                               "<frame pos='3 0 0'><attach model='arm' prefix='r_'/></frame></worldbody></mujoco>";
  snprintf(scene, sizeof scene, format, urdf, path);
  hfModel* m = parse(scene);
  assert_true(is_excluded(m, "l_base", "l_c") && is_excluded(m, "r_base", "r_c"));
  assert_false(is_excluded(m, "l_base", "r_c"));
  assert_int_equal(m->nkey, 2);
  ASSERT_NUMBERS(key_qpos(m, "l_ready"), 0.25, 0, 0, 0, 0, 0);
  hf_model_free(m);
  snprintf(scene, sizeof scene, format, urdf, "/nonexistent.srdf");
  hfError error;
  assert_int_equal(hf_model_parse(&m, scene, strlen(scene), "scene.xml", ".", NULL, NULL, &error), HF_ERROR_FILE);
  assert_non_null(strstr(error.message, "/nonexistent.srdf"));
  write_srdf("<mujoco/>");
  snprintf(scene, sizeof scene, "<mujoco><asset><model file='%s' srdf='%s'/></asset></mujoco>", path, path);
  assert_int_equal(hf_model_parse(&m, scene, strlen(scene), "scene.xml", ".", NULL, NULL, &error), HF_ERROR_MODEL);
  assert_non_null(strstr(error.message, "scene.xml:1"));
  assert_non_null(strstr(error.message, "it is for a URDF"));
  unlink(urdf);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pairs),          cmocka_unit_test(test_all_pairs_of_a_link), cmocka_unit_test(test_pairs_of_merged_links), cmocka_unit_test(test_states), cmocka_unit_test(test_state_beside_initial_values),
      cmocka_unit_test(test_states_of_many_numbers), cmocka_unit_test(test_refusals),    cmocka_unit_test(test_other_formats),
      cmocka_unit_test(test_attached_robots),
  };
  return cmocka_run_group_tests(tests, make_file, remove_file);
}
