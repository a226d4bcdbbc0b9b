// Attaching models: URDF in MJCF scenes, and builders to builders. The oracle is the same robot written into one MJCF file.
#include "import/support.h"
#include "support/folder.h"
#include "support/near.h"

#include <holdfast/dynamics.h>

#include <stdlib.h>
#include <unistd.h>

#define INERTIAL "<inertial><origin xyz='0.1 0 0.2'/><mass value='2'/><inertia ixx='1' iyy='2' izz='2.5' ixy='0.1' ixz='0' iyz='0'/></inertial>"
static const char ARM[] =
    "<robot name='arm'><link name='base'><collision><geometry><box size='0.2 0.2 0.2'/></geometry></collision></link>"
    "<link name='one'>" INERTIAL "<collision name='rod'><origin xyz='0 0 0.3'/><geometry><cylinder radius='0.1' length='0.6'/>"
    "</geometry></collision></link><link name='two'>" INERTIAL "</link>"
    "<joint name='j' type='revolute'><parent link='base'/><child link='one'/><origin xyz='0 0 0.1'/><axis xyz='0 1 0'/>"
    "<limit lower='-1' upper='1' effort='10' velocity='1'/></joint>"
    "<joint name='k' type='revolute'><parent link='one'/><child link='two'/><origin xyz='0 0 0.6' rpy='0.3 0 0'/><axis xyz='1 0 0'/>"
    "<limit lower='-1' upper='1' effort='10' velocity='1'/><mimic joint='j' multiplier='0.5'/></joint>"
    "<transmission name='t'><joint name='j'/><actuator name='m'/></transmission>"
    "<frame name='tip' link='two' xyz='0 0 0.1' rpy='0 0 0'/></robot>";

// The same arm in MJCF, standing at 1 2 3 and turned a right angle about z.
#define MJ_INERTIAL "<inertial pos='0.1 0 0.2' mass='2' fullinertia='1 2 2.5 0.1 0 0'/>"
static const char WHOLE[] =
    "<mujoco><compiler angle='radian'/><worldbody><body name='l/base' pos='1 2 3' euler='0 0 1.5707963267948966'>"
    "<geom type='box' size='0.1 0.1 0.1'/><body name='l/one' pos='0 0 0.1'>" MJ_INERTIAL "<joint name='l/j' axis='0 1 0' range='-1 1'/>"
    "<geom name='l/rod' type='cylinder' size='0.1 0.3' pos='0 0 0.3'/><body name='l/two' pos='0 0 0.6' euler='0.3 0 0'>" MJ_INERTIAL
    "<joint name='l/k' axis='1 0 0' range='-1 1'/><site name='l/tip' pos='0 0 0.1'/></body></body></body></worldbody></mujoco>";

static const char SCENE[] =
    "<mujoco><compiler angle='radian'/><asset><model name='arm' file='arm.urdf'/></asset><worldbody>"
    "<geom type='plane' size='1 1 1'/><frame pos='1 2 3' euler='0 0 1.5707963267948966'><attach model='arm' prefix='l/'/></frame>"
    "<attach model='arm' prefix='r/'/><body name='ball'><freejoint/><geom size='0.1'/></body></worldbody>"
    "<contact><exclude body1='l/one' body2='r/one'/></contact>"
    "<actuator><motor name='own' joint='r/k'/></actuator>"
    "<sensor><framepos objtype='site' objname='l/tip'/></sensor></mujoco>";

static int enter(void** state) {
  if (enter_folder(state) != 0) return -1;
  write_file("arm.urdf", ARM);
  write_file("scene.xml", SCENE);
  write_file("whole.xml", WHOLE);
  return 0;
}

static hfModel* load(const char* path) {
  hfModel* m = NULL;
  hfError error = {HF_OK, ""};
  if (hf_model_load(&m, path, NULL, NULL, &error) != HF_OK) fail_msg("%s", error.message);
  return m;
}

// Mass matrix and bias of the first n dofs.
static void dynamics(const hfModel* m, const double* q, const double* v, int n, double* M, double* bias) {
  hfDynamics* d = NULL;
  double all[64 * 64];
  assert_in_range(m->nv, n, 64);
  assert_int_equal(hf_dynamics_create(&d, m, NULL), HF_OK);
  hf_dynamics_set_position(d, q, NULL);
  hf_dynamics_set_velocity(d, v);
  hf_dynamics_update_mass_matrix(d);
  hf_dynamics_dense_mass_matrix(d, all);
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k) M[i * n + k] = all[i * m->nv + k];
  hf_dynamics_update_bias(d);
  memcpy(bias, hf_dynamics_bias(d), (size_t)n * sizeof *bias);
  hf_dynamics_free(d);
}

static void assert_same_arm(const hfModel* scene) {
  hfModel* whole = load("whole.xml");
  double q[16] = {0.3, -0.2, 0.1, 0.4, 0, 0, 1, 1, 0, 0, 0}, v[16] = {0.5, -1, 0.2};
  double M1[4], M2[4], b1[2], b2[2];
  dynamics(whole, q, v, 2, M1, b1);
  dynamics(scene, q, v, 2, M2, b2);
  assert_numbers(M1, M2, 4);
  for (int i = 0; i < 2; ++i) assert_below(fabs(b1[i] - b2[i]), 1e-12);
  assert_numbers(hf_model_site_pos(whole), hf_model_site_pos(scene), 3);
  hf_model_free(whole);
}

// Names get their prefixes, the outer file can refer to them, and the robot has the dynamics of the one written in MJCF.
static void test_urdf_in_mjcf(void** state) {
  (void)state;
  hfModel* m = load("scene.xml");
  assert_int_equal(m->njnt, 5);
  assert_int_equal(find(m, HF_OBJECT_JOINT, "l/j"), 0);
  assert_int_equal(find(m, HF_OBJECT_JOINT, "r/k"), 3);
  assert_int_equal(m->neq, 2);
  assert_int_equal(m->nexclude, 3); // its own, and the fixed base with the first link of both arms
  assert_int_equal(m->nu, 3);
  assert_int_equal(find(m, HF_OBJECT_ACTUATOR, "own"), 0); // the outer file's own come first
  assert_int_equal(find(m, HF_OBJECT_ACTUATOR, "l/j"), 1);
  assert_int_equal(hf_model_actuator_trnid(m)[2 * find(m, HF_OBJECT_ACTUATOR, "r/j")], 2);
  assert_int_equal(m->world.friction_rule, HF_COMBINE_MAX); // that of the scene
  find(m, HF_OBJECT_GEOM, "r/rod");
  assert_same_arm(m);
  hf_model_free(m);
}

// Only a part of the robot: the joint that carries it comes along, what refers to the rest does not.
static void test_part_of_urdf(void** state) {
  (void)state;
  write_file("part.xml", "<mujoco><asset><model name='arm' file='arm.urdf'/></asset><worldbody><body name='post' pos='0 0 1'>"
                         "<attach model='arm' body='two' prefix='p/'/></body></worldbody></mujoco>");
  hfModel* m = load("part.xml");
  assert_int_equal(m->njnt, 1);
  assert_int_equal(m->neq, 0);
  assert_int_equal(m->nu, 0);
  assert_int_equal(hf_model_body_parent(m)[find(m, HF_OBJECT_BODY, "p/two")], find(m, HF_OBJECT_BODY, "post"));
  hf_model_free(m);
}

static void assert_load_refused(const char* path, const char* message) {
  hfModel* m = NULL;
  hfError error;
  assert_below(hf_model_load(&m, path, NULL, NULL, &error), 0);
  if (!strstr(error.message, message)) fail_msg("\"%s\" does not contain \"%s\"", error.message, message);
}

static void test_refusals(void** state) {
  (void)state;
  write_file("twice.xml", "<mujoco><asset><model name='arm' file='arm.urdf'/></asset><worldbody>\n<attach model='arm'/>\n"
                          "<attach model='arm'/></worldbody></mujoco>");
  assert_load_refused("twice.xml", "body \"base\": name is used already");
  write_file("nobody.xml", "<mujoco><asset><model name='arm' file='arm.urdf'/></asset><worldbody>\n"
                           "<attach model='arm' body='nose' prefix='p/'/></worldbody></mujoco>");
  assert_load_refused("nobody.xml", "nobody.xml:2: <attach>: the attached model has no body \"nose\"");
}

// ---- builders ------------------------------------------------------------------------------------

static hfBuilder* open_builder(const char* path) {
  hfBuilder* b = NULL;
  hfError error;
  if (hf_builder_load(&b, path, NULL, NULL, &error) != HF_OK) fail_msg("%s", error.message);
  return b;
}

// Load, attach, finish: the arm of the file stands where the definition says.
static void test_attach_builders(void** state) {
  (void)state;
  write_file("empty.xml", "<mujoco><worldbody><geom type='plane' size='1 1 1'/></worldbody></mujoco>");
  hfBuilder *b = open_builder("empty.xml"), *arm = open_builder("arm.urdf");
  hfAttachDef def = hf_attach_def_default();
  hfError error;
  def.prefix = "l/";
  def.pos[0] = 1, def.pos[1] = 2, def.pos[2] = 3;
  def.quat[0] = def.quat[3] = sqrt(0.5);
  assert_int_equal(hf_builder_attach(b, arm, &def, &error), HF_OK);
  hf_builder_free(arm);
  hfModel* m = NULL;
  assert_int_equal(hf_builder_finish(b, &m, &error), HF_OK);
  assert_same_arm(m);
  hf_model_free(m);
  hf_builder_free(b);
}

// A refusal leaves the builder as it was, so that the same file can be attached under another name.
static void test_refusal_changes_nothing(void** state) {
  (void)state;
  hfBuilder *b = open_builder("arm.urdf"), *arm = open_builder("arm.urdf");
  hfAttachDef def = hf_attach_def_default();
  hfError error;
  assert_int_equal(hf_builder_attach(b, arm, &def, &error), HF_ERROR_MODEL);
  assert_int_equal(hf_builder_count(b, HF_OBJECT_BODY), 4);
  assert_int_equal(hf_builder_count(b, HF_OBJECT_JOINT), 2);
  assert_int_equal(hf_builder_find(b, HF_OBJECT_JOINT, "k"), 1);
  def.prefix = "second/";
  assert_int_equal(hf_builder_attach(b, arm, &def, &error), HF_OK);
  assert_int_equal(hf_builder_find(b, HF_OBJECT_JOINT, "second/k"), 3);
  hf_builder_free(arm);
  hf_builder_free(b);
}

// Keyframes of both keep their numbers: attached below the first body, the new joints come before those of later bodies. A free body
// of the guest moves with the pose of the attachment.
static void test_keyframes(void** state) {
  (void)state;
  write_file("outer.xml", "<mujoco><worldbody><body name='a'><joint name='ja' axis='0 0 1'/><geom size='0.1'/></body><body name='b'>"
                          "<joint name='jb' axis='0 0 1'/><geom size='0.1'/></body></worldbody><actuator><motor name='ma' joint='jb'/>"
                          "</actuator><keyframe><key name='k' qpos='0.1 0.2' ctrl='5'/></keyframe></mujoco>");
  write_file("inner.xml", "<mujoco><worldbody><body name='c'><joint name='jc' axis='0 0 1' ref='30'/><geom size='0.1'/></body></worldbody>"
                          "<actuator><motor name='mc' joint='jc'/></actuator><keyframe><key name='k' qpos='0.7' ctrl='6'/></keyframe></mujoco>");
  hfBuilder *b = open_builder("outer.xml"), *guest = open_builder("inner.xml");
  hfAttachDef def = hf_attach_def_default();
  hfError error;
  hfModel* m = NULL;
  def.prefix = "in/";
  def.parent = hf_builder_find(b, HF_OBJECT_BODY, "a");
  assert_int_equal(hf_builder_attach(b, guest, &def, &error), HF_OK);
  assert_int_equal(hf_builder_finish(b, &m, &error), HF_OK);
  assert_int_equal(m->nkey, 2);
  ASSERT_NUMBERS(hf_model_key_qpos(m), 0.1, acos(-1) / 6, 0.2);  // ja, jc at its reference of 30 degrees, jb
  ASSERT_NUMBERS(hf_model_key_ctrl(m), 5, 0);
  assert_int_equal(find(m, HF_OBJECT_KEY, "in/k"), 1);
  ASSERT_NUMBERS(hf_model_key_qpos(m) + 3, 0, 0.7, 0);
  ASSERT_NUMBERS(hf_model_key_ctrl(m) + 2, 0, 6);
  hf_model_free(m);
  hf_builder_free(guest);
  hf_builder_free(b);
}

// A keyframe keeps its numbers whatever is added to the builder after it, in front of its joints too, and whichever actuator gets an
// activation later; the file that the builder writes has the same.
static void test_additions_after_a_keyframe(void** state) {
  (void)state;
  write_file("keyed.xml", "<mujoco><worldbody><body name='a'><joint name='ja' axis='0 0 1'/><geom size='0.1'/></body><body name='b'>"
                          "<joint name='jb' axis='0 0 1'/><geom size='0.1'/></body><body name='hand' mocap='true' pos='1 0 0'/></worldbody>"
                          "<actuator><motor name='ma' joint='jb'/></actuator>"
                          "<keyframe><key name='k' qpos='0.1 0.2' qvel='3 4' ctrl='5' mpos='6 7 8'/></keyframe></mujoco>");
  hfBuilder* b = open_builder("keyed.xml");
  hfError error;
  hfBodyDef child = hf_body_def_default(), ball = hf_body_def_default(), second = hf_body_def_default();
  hfJointDef hinge = hf_joint_def_default(), floating = hf_joint_def_default();
  hfGeomDef geom = hf_geom_def_default();
  hfActuatorDef motor = *hf_builder_actuator(b, 0);
  child.parent = hf_builder_find(b, HF_OBJECT_BODY, "a");
  ball.pos[0] = 9, second.mocap = 1, second.pos[2] = 2, geom.size[0] = 0.1;
  hinge.type = HF_JOINT_HINGE, hinge.ref = 0.5, floating.type = HF_JOINT_FREE;
  assert_above((geom.body = hinge.body = hf_builder_add_body(b, &child, &error)), 0);
  assert_at_least(hf_builder_add_joint(b, &hinge, &error), 0);
  assert_at_least(hf_builder_add_geom(b, &geom, &error), 0);
  assert_above((geom.body = floating.body = hf_builder_add_body(b, &ball, &error)), 0);
  assert_at_least(hf_builder_add_joint(b, &floating, &error), 0);
  assert_at_least(hf_builder_add_geom(b, &geom, &error), 0);
  assert_above(hf_builder_add_body(b, &second, &error), 0);
  motor.dyntype = HF_ACTIVATION_INTEGRATOR;
  assert_int_equal(hf_builder_set_actuator(b, 0, &motor, &error), HF_OK);
  motor.name = "second";
  assert_int_equal(hf_builder_add_actuator(b, &motor, &error), 1);
  assert_int_equal(hf_builder_write_mjcf(b, "whole.xml", &error), HF_OK);
  hfModel* m[2] = {NULL, load("whole.xml")};
  assert_int_equal(hf_builder_finish(b, &m[0], &error), HF_OK);
  for (int i = 0; i < 2; ++i) {
    ASSERT_NUMBERS(hf_model_key_qpos(m[i]), 0.1, 0.5, 0.2, 9, 0, 0, 1, 0, 0, 0);
    ASSERT_NUMBERS(hf_model_key_qvel(m[i]), 3, 0, 4, 0, 0, 0, 0, 0, 0);
    ASSERT_NUMBERS(hf_model_key_act(m[i]), 0, 0);
    ASSERT_NUMBERS(hf_model_key_ctrl(m[i]), 5, 0);
    ASSERT_NUMBERS(hf_model_key_mpos(m[i]), 6, 7, 8, 0, 0, 2);
    ASSERT_NUMBERS(hf_model_key_mquat(m[i]), 1, 0, 0, 0, 1, 0, 0, 0);
    hf_model_free(m[i]);
  }
  hf_builder_free(b);
}

// ---- rules about inertia --------------------------------------------------------------------------

// A body of 1 kg in group 3 and of 5 kg in group 0, and one of 2 kg in group 0. The masses are what MuJoCo 4 makes of these files, attached by <attach> and by a program.
static const struct {
  const char *inner, *outer;     // attributes of the two compilers
  double outer_mass, inner_mass; // [kg]
} RULES[] = {{"inertiagrouprange='3 3'", "", 2, 1},
             {"inertiagrouprange='3 3' boundmass='9'", "", 2, 9},
             {"inertiagrouprange='3 3' settotalmass='7'", "", 2, 1},
             {"", "inertiagrouprange='0 2'", 2, 6},
             {"", "boundmass='4'", 4, 6},
             {"inertiagrouprange='3 3'", "boundmass='4'", 4, 1},
             {"inertiagrouprange='3 3'", "settotalmass='30'", 20, 10},
             {"inertiagrouprange='0 0'", "inertiafromgeom='true' boundinertia='3'", 2, 5}};

static void write_rules(size_t i) {
  char text[1024];
  snprintf(text, sizeof text, "<mujoco><compiler %s/><worldbody><body name='b'><joint type='slide'/><geom group='3' size='.1' mass='1'/><geom size='.2' mass='5'/></body></worldbody></mujoco>", RULES[i].inner);
  write_file("inner.xml", text);
  for (int attaches = 0; attaches < 2; ++attaches) {
    snprintf(text, sizeof text, "<mujoco><compiler %s/>%s<worldbody><body name='h' pos='1 0 0'><joint type='slide'/><geom size='.1' mass='2'/></body>%s</worldbody></mujoco>",
             RULES[i].outer, attaches ? "<asset><model name='g' file='inner.xml'/></asset>" : "", attaches ? "<attach model='g' prefix='x/'/>" : "");
    write_file(attaches ? "attaches.xml" : "outer.xml", text);
  }
}

static void assert_masses(const hfModel* m, size_t i) {
  assert_near(hf_model_body_mass(m)[1], RULES[i].outer_mass, 1e-14);
  assert_near(hf_model_body_mass(m)[2], RULES[i].inner_mass, 1e-14);
}

static hfModel* finish(hfBuilder* b) {
  hfModel* m = NULL;
  hfError error;
  if (hf_builder_finish(b, &m, &error) != HF_OK) fail_msg("%s", error.message);
  return m;
}

// An attached model keeps its own rules about inertia, and a file that is written has the same masses.
static void test_rules_about_inertia(void** state) {
  (void)state;
  hfError error;
  hfAttachDef def = hf_attach_def_default();
  def.prefix = "x/";
  for (size_t i = 0; i < sizeof RULES / sizeof *RULES; ++i) {
    write_rules(i);
    hfModel* m = load("attaches.xml");
    assert_masses(m, i);
    hf_model_free(m);
    hfBuilder *b = open_builder("outer.xml"), *inner = open_builder("inner.xml");
    assert_int_equal(hf_builder_attach(b, inner, &def, &error), HF_OK);
    assert_int_equal(hf_builder_attach(b, inner, &def, &error), HF_ERROR_MODEL); // The names are used already.
    m = finish(b);
    assert_masses(m, i);
    assert_int_equal(hf_builder_write_mjcf(b, "written.xml", &error), HF_OK);
    hfModel* again = load("written.xml");
    assert_masses(again, i);
    for (int k = 0; k < 6 * m->nbody; ++k) assert_near(hf_model_body_inertia(again)[k], hf_model_body_inertia(m)[k], 1e-14);
    hf_model_free(again), hf_model_free(m);
    hf_builder_free(b), hf_builder_free(inner);
  }
}

// So does a model that was attached to an attached one; what is added to the result follows the rules of the outermost.
static void test_rules_of_nested_models(void** state) {
  (void)state;
  write_rules(0);
  hfBuilder *b = hf_builder_create(), *outer = open_builder("outer.xml"), *inner = open_builder("inner.xml");
  hfError error;
  hfAttachDef def = hf_attach_def_default();
  hf_builder_config(outer)->bound_mass = 3;
  hf_builder_config(b)->bound_mass = 0.5;
  def.prefix = "x/";
  assert_int_equal(hf_builder_attach(outer, inner, &def, &error), HF_OK);
  def.prefix = "y/";
  assert_int_equal(hf_builder_attach(outer, inner, &def, &error), HF_OK);
  def.prefix = "z/";
  assert_int_equal(hf_builder_attach(b, outer, &def, &error), HF_OK);
  hfBodyDef body = hf_body_def_default();
  hfGeomDef ball = hf_geom_def_default();
  ball.body = hf_builder_add_body(b, &body, &error);
  ball.size[0] = 0.1, ball.mass = 0.25;
  assert_at_least(hf_builder_add_geom(b, &ball, &error), 0);
  hfModel* m = finish(b);
  const double mass[] = {0, 3, 1, 1, 0.5};
  assert_int_equal(m->nbody, 5);
  for (int i = 0; i < 5; ++i) assert_near(hf_model_body_mass(m)[i], mass[i], 0);
  hf_model_free(m);
  hf_builder_free(b), hf_builder_free(outer), hf_builder_free(inner);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_urdf_in_mjcf),    cmocka_unit_test(test_part_of_urdf),
      cmocka_unit_test(test_refusals),        cmocka_unit_test(test_attach_builders),
      cmocka_unit_test(test_refusal_changes_nothing), cmocka_unit_test(test_keyframes),
      cmocka_unit_test(test_additions_after_a_keyframe),
      cmocka_unit_test(test_rules_about_inertia), cmocka_unit_test(test_rules_of_nested_models),
  };
  return cmocka_run_group_tests(tests, enter, leave_folder);
}
