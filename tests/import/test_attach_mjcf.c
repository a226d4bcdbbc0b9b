// MJCF models in MJCF models: their keyframes, and parts that are attached to their own model. The numbers are those of MuJoCo 4.0.0.
#include "import/support.h"
#include "support/folder.h"
#include "support/sim_world.h"

static const char CHILD[] =
    "<mujoco model='child'><compiler angle='radian'/><worldbody><body name='base' pos='0 0 1'><joint name='c1' ref='.3'/><geom size='.1'/>"
    "<body name='tip' pos='0 0 .2'><joint name='c2' type='slide'/><geom size='.05'/></body></body>"
    "<body name='ball' pos='1 0 0'><freejoint/><geom size='.1'/></body><body name='mo' mocap='true' pos='0 1 0'/></worldbody>"
    "<actuator><motor name='m2' joint='c2'/><intvelocity name='m1' joint='c1' actrange='-1 1'/></actuator>"
    "<keyframe><key name='k' time='2' qpos='.5 .6 1 2 3 1 0 0 0' qvel='1 2 3 4 5 6 7 8' ctrl='7 8' act='.9' mpos='4 5 6'/>"
    "<key qpos='.1 .2 0 0 0 1 0 0 0'/></keyframe></mujoco>";

static int enter(void** state) {
  if (enter_folder(state) != 0) return -1;
  write_file("child.xml", CHILD);
  return 0;
}

static hfModel* parse_here(const char* text) { return parse_model_in(text, test_folder); }

#define SCENE(tree, rest)                                                                                                    \
  "<mujoco><compiler angle='radian'/><asset><model name='child' file='child.xml'/></asset><worldbody>" tree "</worldbody>" rest "</mujoco>"
#define OWN "<body name='own'><joint name='j' ref='.1'/><geom size='.1'/></body>"

static void test_keys_of_a_part(void** state) {
  (void)state;
  hfModel* m = parse_here(SCENE("<body name='own'><joint name='j' ref='.1'/><geom size='.1'/><attach model='child' body='base' prefix='p_'/></body>",
                           "<actuator><motor name='o' joint='j'/></actuator><keyframe><key name='mine' qpos='1 2 3' ctrl='3 4 5'/></keyframe>"));
  assert_int_equal(m->nkey, 3);
  assert_string_equal(hf_model_name(m, HF_OBJECT_KEY, 0), "mine");
  assert_string_equal(hf_model_name(m, HF_OBJECT_KEY, 1), "p_k");
  ASSERT_NUMBERS(hf_model_key_time(m), 0, 2, 0);
  ASSERT_NUMBERS(hf_model_key_qpos(m), 1, 2, 3, .1, .5, .6, .1, .1, .2);
  ASSERT_NUMBERS(hf_model_key_qvel(m), 0, 0, 0, 0, 1, 2, 0, 0, 0);
  ASSERT_NUMBERS(hf_model_key_ctrl(m), 3, 4, 5, 0, 7, 8, 0, 0, 0);
  ASSERT_NUMBERS(hf_model_key_act(m), 0, .9, 0);
  hf_model_free(m);
}

static void test_keys_of_all(void** state) {
  (void)state;
  hfModel* m = parse_here(SCENE(OWN "<frame pos='10 0 0' euler='0 0 1.5707963267948966'><attach model='child' prefix='p_'/></frame>",
                           "<actuator><motor name='o' joint='j'/></actuator>"));
  assert_int_equal(m->nkey, 2);
  ASSERT_NUMBERS(hf_model_key_qpos(m), .1, .5, .6, 1, 2, 3, 1, 0, 0, 0, .1, .1, .2, 0, 0, 0, 1, 0, 0, 0);
  ASSERT_NUMBERS(hf_model_key_ctrl(m), 0, 7, 8, 0, 0, 0);
  ASSERT_NUMBERS(hf_model_key_mpos(m), 4, 5, 6, 9, 0, 0);
  hf_model_free(m);
  m = parse_here(SCENE("<attach model='child' body='base' prefix='p_'/><attach model='child' body='base' prefix='q_'/>", ""));
  assert_int_equal(m->nkey, 4);
  ASSERT_NUMBERS(hf_model_key_qpos(m), .5, .6, .3, 0, .1, .2, .3, 0, .3, 0, .5, .6, .3, 0, .1, .2);
  hf_model_free(m);
  m = parse_here(SCENE(OWN "<attach model='child' body='ball' prefix='p_'/>", ""));
  ASSERT_NUMBERS(hf_model_key_qpos(m), .1, 1, 2, 3, 1, 0, 0, 0);
  ASSERT_NUMBERS(hf_model_key_qvel(m), 0, 3, 4, 5, 6, 7, 8);
  hf_model_free(m);
}

// A keyframe without a name is called by the prefix alone, as in MuJoCo 4.0. MuJoCo refuses two of them; here the second has no name.
static void test_names_of_keys(void** state) {
  (void)state;
  hfModel* m = parse_here(SCENE("<attach model='child' prefix='p_'/>", ""));
  assert_string_equal(hf_model_name(m, HF_OBJECT_KEY, 1), "p_");
  hf_model_free(m);
  m = parse_here(SCENE("<attach model='child'/>", ""));
  assert_string_equal(hf_model_name(m, HF_OBJECT_KEY, 1), "");
  hf_model_free(m);
  write_file("child.xml", "<mujoco model='child'><worldbody><body name='base'><joint/><geom size='1'/></body></worldbody><keyframe><key qpos='1'/><key qpos='2'/></keyframe></mujoco>");
  m = parse_here(SCENE("<attach model='child' prefix='p_'/>", ""));
  assert_string_equal(hf_model_name(m, HF_OBJECT_KEY, 0), "p_");
  assert_string_equal(hf_model_name(m, HF_OBJECT_KEY, 1), "");
  ASSERT_NUMBERS(hf_model_key_qpos(m), 1, 2);
  hf_model_free(m);
  write_file("child.xml", CHILD);
}

// A body is copied with what refers to it alone.
static void test_attach_to_itself(void** state) {
  (void)state;
  hfModel* m = parse_here("<mujoco><worldbody><body name='own' pos='1 0 0'><joint name='j'/><geom name='g' size='.1'/><site name='s'/></body>"
                     "<body name='other'><joint name='k'/><geom size='.1'/></body>"
                     "<frame pos='0 3 0'><attach body='own' prefix='p_'/></frame></worldbody><tendon><fixed name='both'><joint joint='j' coef='1'/>"
                     "<joint joint='k' coef='1'/></fixed></tendon><actuator><motor name='o' joint='j'/></actuator>"
                     "<sensor><jointpos name='sj' joint='j'/><clock name='c'/></sensor></mujoco>");
  assert_int_equal(m->nbody, 4);
  ASSERT_NUMBERS(hf_model_body_pos(m) + 9, 1, 3, 0);
  assert_string_equal(hf_model_name(m, HF_OBJECT_BODY, 3), "p_own");
  assert_string_equal(hf_model_name(m, HF_OBJECT_JOINT, 2), "p_j");
  assert_int_equal(m->nu, 2);
  assert_string_equal(hf_model_name(m, HF_OBJECT_ACTUATOR, 1), "p_o");
  assert_int_equal(hf_model_find(m, HF_OBJECT_SENSOR, "p_sj") >= 0, 1);
  assert_int_equal(m->ntendon, 1);
  hf_model_free(m);
  m = parse_here("<mujoco><worldbody><frame name='f' pos='1 0 0'><body name='own'><joint name='j'/><geom size='.1'/></body></frame>"
            "<frame pos='0 3 0'><attach frame='f' prefix='p_'/></frame></worldbody></mujoco>");
  ASSERT_NUMBERS(hf_model_body_pos(m) + 6, 1, 3, 0);
  hf_model_free(m);
}

static const char ARM[] =
    "<mujoco model='arm'><asset><mesh name='m' vertex='0 0 0 .1 0 0 0 .1 0 0 0 .1'/><hfield name='h' nrow='2' ncol='2' elevation='0 1 1 0' size='1 1 1 1'/></asset>\n"
    "<worldbody><body name='a'><joint name='ja'/><geom type='mesh' mesh='m'/><geom type='hfield' hfield='h'/><site name='sa'/><body name='b' pos='1 0 0'>\n"
    "<joint name='jb'/><geom size='.1'/></body></body><body name='c' pos='0 2 0'><joint name='jc'/><geom size='.1'/><site name='sc'/></body></worldbody>\n"
    "<tendon><fixed name='t'><joint joint='jc' coef='1'/><joint joint='ja' coef='2'/></fixed><spatial name='u'><site site='sc'/><site site='sa'/></spatial></tendon>\n"
    "<equality><connect name='e' body1='c' body2='a' anchor='0 0 0'/></equality><contact><exclude name='x' body1='c' body2='a'/></contact><actuator>\n"
    "<motor joint='jc'/>\n"
    "<motor joint='jb'/>\n"
    "<motor name='m' joint='ja'/><motor joint='ja' gear='2'/><motor joint='jb' gear='2'/>\n"
    "<motor joint='ja' gear='3'/><motor joint='jc' gear='3'/></actuator><keyframe><key name='k' ctrl='1 2 3 4 5 6 7'/></keyframe></mujoco>";

// Reads a scene that has the model ARM. The reader must have this many things to say.
static hfModel* parse_with_arm(const char* tree, int said) {
  char text[600];
  hfModel* m = NULL;
  hfError error = {HF_OK, ""};
  hfDiagnostics* d = hf_diagnostics_create();
  write_file("arm.xml", ARM);
  snprintf(text, sizeof text, "<mujoco><asset><model name='arm' file='arm.xml'/></asset><worldbody>%s</worldbody></mujoco>", tree);
  if (hf_model_parse(&m, text, strlen(text), "test.xml", test_folder, NULL, d, &error) != HF_OK) fail_msg("%s", error.message);
  for (int i = 0; i < hf_diagnostics_count(d); ++i) print_message("said: %s\n", hf_diagnostics_get(d, i).message);
  assert_int_equal(hf_diagnostics_count(d), said);
  hf_diagnostics_free(d);
  return m;
}

// Replicas of a model share its meshes and height fields; another prefix has its own.
static void test_replicas_with_meshes(void** state) {
  (void)state;
  hfModel* m = parse_with_arm("<replicate count='2' offset='0 0 1'><attach model='arm' body='a' prefix='p_'/><attach model='arm' body='a' prefix='q_'/></replicate>", 0);
  assert_int_equal(m->nbody, 9);
  assert_int_equal(m->nmesh, 2);
  assert_int_equal(m->nhfield, 2);
  for (int i = 0; i < 4; ++i) {
    char body[16];
    snprintf(body, sizeof body, "%c_a%d", "pq"[i % 2], i / 2);
    int geom = hf_model_body_geomadr(m)[find(m, HF_OBJECT_BODY, body)];
    assert_string_equal(hf_model_name(m, HF_OBJECT_MESH, hf_model_geom_mesh(m)[geom]), i % 2 ? "q_m" : "p_m");
  }
  hf_model_free(m);
}

// What refers to the rest of an attached model is dropped without a word, and so is a model that nobody attaches. Controls of actuators without a name
// are found by their lines in the file, unless only some of those on a line are attached: the last line.
static void test_rest_of_a_model(void** state) {
  (void)state;
  hfModel* m = parse_with_arm("<body name='own'><joint/><geom size='.1'/><attach model='arm' body='a' prefix='p_'/></body>", 0);
  assert_int_equal(m->ntendon + m->neq, 0);
  assert_int_equal(m->nu, 5);
  ASSERT_NUMBERS(hf_model_key_ctrl(m), 2, 3, 4, 5, 0);
  hf_model_free(m);
  hf_model_free(parse_with_arm("<body name='own'><joint/><geom size='.1'/></body>", 0));
}

// The options of an attached model, by the rule of MuJoCo 4.0.0. NULL: the file is refused.
static const hfWorld* read_merged(hfModel** m, const char* conflict, const char* option) {
  char text[500];
  hfError error = {HF_OK, ""};
  snprintf(text, sizeof text, "<mujoco><compiler conflict='%s'/>%s<asset><model name='k' file='kid.xml'/></asset><worldbody><attach model='k' body='b' prefix='p_'/></worldbody></mujoco>",
           conflict, option);
  write_file("kid.xml", "<mujoco model='k'><option timestep='.01' gravity='0 0 -1' wind='1 0 0' cone='elliptic'><flag contact='disable'/></option>"
                        "<worldbody><body name='b'><joint/><geom size='.1'/></body></worldbody></mujoco>");
  *m = NULL;
  if (hf_model_parse(m, text, strlen(text), "test.xml", test_folder, NULL, NULL, &error) == HF_OK) return &(*m)->world;
  assert_non_null(strstr(error.message, "of the attached model differs"));
  return NULL;
}

static void test_options_of_a_model(void** state) {
  (void)state;
  static const struct {
    const char *conflict, *option;
    double timestep, gravity, wind;
    int contact_is_off;
  } cases[] = {{"warning", "", .002, -9.81, 0, 0},
               {"warning", "<option gravity='0 0 -3'/>", .002, -3, 0, 0},
               {"error", "", .002, -9.81, 0, 0},
               {"error", "<option gravity='0 0 -1'/>", .002, -1, 0, 0},
               {"merge", "", .01, -1, 1, 1},
               {"merge", "<option timestep='.002'/>", .002, -1, 1, 1},
               {"merge", "<option><flag contact='enable'/></option>", .01, -1, 1, 1}};
  static const char* const refused[][2] = {{"error", "<option gravity='0 0 -3'/>"}, {"error", "<option timestep='.002'/>"},
                                           {"error", "<option><flag contact='enable'/></option>"}, {"merge", "<option gravity='0 0 -3'/>"}};
  hfModel* m = NULL;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    const hfWorld* w = read_merged(&m, cases[i].conflict, cases[i].option);
    assert_non_null(w);
    assert_true(w->timestep == cases[i].timestep && w->gravity[2] == cases[i].gravity && w->wind[0] == cases[i].wind);
    assert_int_equal(w->disable_contact, cases[i].contact_is_off);
    hf_model_free(m);
  }
  for (size_t i = 0; i < sizeof refused / sizeof *refused; ++i) assert_null(read_merged(&m, refused[i][0], refused[i][1]));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_keys_of_a_part),   cmocka_unit_test(test_keys_of_all), cmocka_unit_test(test_names_of_keys),   cmocka_unit_test(test_attach_to_itself),
                                     cmocka_unit_test(test_replicas_with_meshes), cmocka_unit_test(test_rest_of_a_model), cmocka_unit_test(test_options_of_a_model)};
  return cmocka_run_group_tests(tests, enter, leave_folder);
}
