// URDF: trees, joints, inertias, merging, contact properties, packages. Oracles are closed forms and the
// dynamics of the same robot written another way.
#include "import/support.h"

#include <holdfast/actuation.h>
#include <holdfast/dynamics.h>

#include <stdlib.h>
#include <sys/stat.h>

#define BOX "<inertial><mass value='2'/><inertia ixx='1' iyy='2' izz='2.5' ixy='0' ixz='0' iyz='0'/></inertial>"
#define ENDS(a, b) "<parent link='" a "'/><child link='" b "'/>"

static void test_tree_and_names(void** state) {
  (void)state;
  hfModel* m = parse("<robot name='r'><link name='leaf'>" BOX "</link><link name='root'>" BOX "</link><link name='mid'>" BOX "</link><link name='side'>" BOX "</link>"
                     "<joint name='k' type='revolute'>" ENDS("mid", "leaf") "<axis xyz='0 0 2'/><limit lower='-1' upper='2' effort='5' velocity='1'/><dynamics damping='3' friction='4'/></joint>"
                     "<joint name='j' type='prismatic'>" ENDS("root", "mid") "<origin xyz='1 2 3' rpy='0 0 1.5707963267948966'/></joint>"
                     "<joint name='l' type='fixed'>" ENDS("root", "side") "</joint></robot>");
  assert_int_equal(find(m, HF_OBJECT_BODY, "root"), 1);
  assert_int_equal(find(m, HF_OBJECT_BODY, "mid"), 2);
  assert_int_equal(find(m, HF_OBJECT_BODY, "leaf"), 3);
  assert_int_equal(find(m, HF_OBJECT_BODY, "side"), 4);
  assert_int_equal(m->nv, 2);
  assert_int_equal(hf_model_jnt_type(m)[0], HF_JOINT_SLIDE);
  ASSERT_NUMBERS(hf_model_jnt_axis(m), 1, 0, 0, 0, 0, 1); // without <axis>: x
  ASSERT_NUMBERS(hf_model_body_pos(m) + 6, 1, 2, 3);
  ASSERT_NUMBERS(hf_model_body_quat(m) + 8, sqrt(0.5), 0, 0, sqrt(0.5));
  assert_int_equal(hf_model_jnt_limited(m)[0], 0);
  assert_int_equal(hf_model_jnt_limited(m)[1], 1);
  ASSERT_NUMBERS(hf_model_jnt_range(m) + 2, -1, 2);
  ASSERT_NUMBERS(hf_model_jnt_actfrcrange(m) + 2, -5, 5);
  ASSERT_NUMBERS(hf_model_dof_damping(m), 0, 3);
  ASSERT_NUMBERS(hf_model_dof_frictionloss(m), 0, 4);
  assert_int_equal(m->world.friction_rule, HF_COMBINE_HARMONIC);
  hf_model_free(m);
}

// Inertia in axes turned by rpy: diag(1, 2, 2.5) turned 90 degrees about x exchanges y and z.
static void test_inertial_axes(void** state) {
  (void)state;
  hfModel* m = parse("<robot name='r'><link name='a'><inertial><origin xyz='1 0 0' rpy='1.5707963267948966 0 0'/><mass value='2'/>"
                     "<inertia ixx='1' iyy='2' izz='2.5' ixy='0' ixz='0' iyz='0'/></inertial></link></robot>");
  ASSERT_NUMBERS(hf_model_body_mass(m) + 1, 2);
  ASSERT_NUMBERS(hf_model_body_com(m) + 3, 1, 0, 0);
  ASSERT_NUMBERS(hf_model_body_inertia(m) + 6, 1, 2.5, 2, 0, 0, 0);
  hf_model_free(m);
}

static void dense_M(const hfModel* m, const double* q, double* M) {
  hfDynamics* d = NULL;
  assert_int_equal(hf_dynamics_create(&d, m, NULL), HF_OK);
  hf_dynamics_set_position(d, q, NULL);
  hf_dynamics_set_velocity(d, q); // any velocity will do; M does not depend on it
  hf_dynamics_update_mass_matrix(d);
  hf_dynamics_dense_mass_matrix(d, M);
  hf_dynamics_free(d);
}

// Merging fixed links changes the bodies, not the mass matrix.
static void test_merging(void** state) {
  (void)state;
  hfImportConfig merge = hf_import_config_default();
  merge.merge_fixed_links = 1;
  hfModel *kept = NULL, *merged = NULL;
  assert_int_equal(hf_model_load(&kept, DATA "/features.urdf", NULL, NULL, NULL), HF_OK);
  assert_int_equal(hf_model_load(&merged, DATA "/features.urdf", &merge, NULL, NULL), HF_OK);
  // the ring goes into the nail; the nail stays apart from the thumb, whose mass its geometry gives
  assert_int_equal(merged->nbody, kept->nbody - 1);
  assert_int_equal(hf_model_find(merged, HF_OBJECT_BODY, "ring"), -1);
  assert_int_equal(merged->ngeom, kept->ngeom);
  find(merged, HF_OBJECT_BODY, "nail");
  assert_int_equal(merged->nv, kept->nv);
  int n = kept->nv;
  double q[32] = {0.3, -0.2, 0.5, 0.7, 0.1, -0.1, 1, 0, 0, 0}, M1[400], M2[400];
  assert_in_range(n, 1, 20);
  dense_M(kept, q, M1);
  dense_M(merged, q, M2);
  assert_numbers(M1, M2, n * n);
  hf_model_free(kept);
  hf_model_free(merged);
}

static void test_floating_base(void** state) {
  (void)state;
  hfImportConfig floating = hf_import_config_default();
  floating.floating_base = 1;
  hfModel* m = parse_with("<robot name='r'><link name='a'>" BOX "</link></robot>", &floating, NULL);
  assert_int_equal(m->nq, 7);
  find(m, HF_OBJECT_JOINT, "a_free_joint");
  hf_model_free(m);
}

// x and y of the plane, then the turn about its normal.
static void test_planar_joint(void** state) {
  (void)state;
  hfModel* m = parse("<robot name='r'><link name='a'/><link name='b'>" BOX "</link><joint name='j' type='planar'>" ENDS("a", "b") "<axis xyz='0 0 1'/></joint></robot>");
  assert_int_equal(m->nv, 3);
  ASSERT_NUMBERS(hf_model_jnt_axis(m), 1, 0, 0, 0, 1, 0, 0, 0, 1);
  assert_int_equal(find(m, HF_OBJECT_JOINT, "j_RZ"), 2);
  hf_model_free(m);
}

static void test_mimic(void** state) {
  (void)state;
  hfModel* m = parse("<robot name='r'><link name='a'/><link name='b'>" BOX "</link><link name='c'>" BOX "</link>"
                     "<joint name='j' type='continuous'>" ENDS("a", "b") "<mimic joint='k' multiplier='-2' offset='0.5'/></joint>"
                     "<joint name='k' type='continuous'>" ENDS("a", "c") "</joint></robot>");
  assert_int_equal(m->neq, 1);
  assert_int_equal(hf_model_eq_obj1(m)[0], 0);
  assert_int_equal(hf_model_eq_obj2(m)[0], 1);
  ASSERT_NUMBERS(hf_model_eq_data(m), 0.5, -2, 0, 0, 0); // q_j = 0.5 - 2 q_k
  hf_model_free(m);
}

// A fixed joint stands at zero and follows nothing.
static void test_mimic_of_fixed_joints(void** state) {
  (void)state;
  hfModel* m = parse("<robot name='r'><link name='a'/><link name='b'>" BOX "</link><link name='c'>" BOX "</link>"
                     "<joint name='j' type='continuous'>" ENDS("a", "b") "<mimic joint='k' multiplier='-2' offset='0.5'/></joint>"
                     "<joint name='k' type='fixed'>" ENDS("a", "c") "<mimic joint='j'/></joint></robot>");
  assert_int_equal(m->neq, 1);
  assert_int_equal(hf_model_eq_obj2(m)[0], -1);
  ASSERT_NUMBERS(hf_model_eq_data(m), 0.5, 0, 0, 0, 0);
  hf_model_free(m);
}

// A joint that should follow one that is not there moves freely, as in MuJoCo 4 and MoveIt, and can be driven. A warning names both joints and the line.
static void test_mimic_of_missing_joints(void** state) {
  (void)state;
  static const char* const follow[] = {"\n<mimic joint='gone' multiplier='-2' offset='0.5'/></joint></robot>",
                                       "</joint><ros2_control><joint name='j'>\n<param name='mimic'>gone</param></joint></ros2_control></robot>"};
  for (int i = 0; i < 2; ++i) {
    char text[1024];
    snprintf(text, sizeof text,
             "<robot name='r'><link name='a'/><link name='b'>" BOX "</link><joint name='j' type='continuous'>" ENDS("a", "b") "%s", follow[i]);
    hfImportConfig config = hf_import_config_default();
    config.urdf_actuators = HF_URDF_MOTORS;
    hfDiagnostics* d = hf_diagnostics_create();
    hfModel* m = parse_with(text, &config, d);
    hfDiagnostic said = find_diagnostic(d, "joint \"j\" should mimic \"gone\", but there is no such joint: it moves freely");
    assert_int_equal(said.severity, HF_WARNING);
    assert_int_equal(said.line, 2);
    assert_int_equal(m->neq, 0);
    assert_int_equal(m->nv, 1);
    assert_int_equal(m->nu, 1);
    hf_model_free(m);
    hf_diagnostics_free(d);
  }
}

// A joint may hang on the world without a link of that name.
static void test_implied_world(void** state) {
  (void)state;
  hfModel* m = parse("<robot name='r'><link name='b'>" BOX "</link><link name='c'>" BOX "</link><joint name='j' type='continuous'>" ENDS("world", "b")
                     "</joint><joint name='k' type='fixed'>" ENDS("world", "c") "</joint></robot>");
  assert_int_equal(m->nbody, 3);
  ASSERT_NUMBERS(hf_model_body_pos(m) + 3, 0, 0, 0);
  assert_int_equal(hf_model_body_parent(m)[1], 0);
  hf_model_free(m);
}

// Moments that rounding made negative are zero, without a word; others that no matter has are reported. The body keeps its mass.
static void test_moments_of_rounding(void** state) {
  (void)state;
  static const char* const moments[] = {"-5e-20", "-5e-3"};
  for (int i = 0; i < 2; ++i) {
    char text[600];
    snprintf(text, sizeof text, "<robot name='r'><link name='b'><inertial><mass value='0.5'/><origin xyz='0 0 1'/><inertia ixx='%s' iyy='0' izz='0' ixy='0' ixz='0' iyz='0'/>"
                                "</inertial></link><joint name='j' type='continuous'>" ENDS("world", "b") "</joint></robot>", moments[i]);
    hfDiagnostics* d = hf_diagnostics_create();
    hfModel* m = parse_with(text, NULL, d);
    ASSERT_NUMBERS(hf_model_body_inertia(m) + 6, 0, 0, 0, 0, 0, 0);
    ASSERT_NUMBERS(hf_model_body_mass(m) + 1, 0.5);
    assert_int_equal(hf_diagnostics_count(d), i);
    if (i) find_diagnostic(d, "or zero if that is negative");
    hf_diagnostics_free(d);
    hf_model_free(m);
  }
}

#define SPHERE(more) "<collision><geometry><sphere radius='1'/></geometry>" more "</collision>"
#define DRAKE(more) "<drake:proximity_properties>" more "</drake:proximity_properties>"

// A thin rod that stands askew: the least of its moments is zero, which rounding makes -1e-19. It keeps its inertia, without a word.
static void test_inertia_of_a_rod(void** state) {
  (void)state;
  hfDiagnostics* d = hf_diagnostics_create();
  hfModel* m = parse_with("<robot name='r'><link name='b'><inertial><mass value='1'/><inertia ixx='0.0416' ixy='-0.01' ixz='-0.002' iyy='0.0041' iyz='-0.008' izz='0.0425'/>"
                          "</inertial></link><joint name='j' type='continuous'>" ENDS("world", "b") "</joint></robot>", NULL, d);
  ASSERT_NUMBERS(hf_model_body_inertia(m) + 6, 0.0416, 0.0041, 0.0425, -0.01, -0.002, -0.008);
  assert_int_equal(hf_diagnostics_count(d), 0);
  hf_diagnostics_free(d);
  hf_model_free(m);
}

// Bullet's contact parameters: lateral friction and restitution count, settings of its solver are only noted. Gazebo's friction is the second choice.
static void test_contacts_of_bullet(void** state) {
  (void)state;
  hfDiagnostics* d = hf_diagnostics_create();
  hfModel* m = parse_with("<robot name='r'><link name='a'><contact><lateral_friction value='0.25'/><restitution value='0.5'/><spinning_friction value='0.1'/><contact_erp value='1'/>"
                          "</contact>" SPHERE("") "</link><gazebo reference='a'><mu1>0.2</mu1></gazebo></robot>", NULL, d);
  ASSERT_NUMBERS(hf_model_geom_friction(m), 0.25);
  ASSERT_NUMBERS(hf_model_geom_restitution(m), 0.5);
  assert_int_equal(find_diagnostic(d, "only lateral friction and restitution are used").severity, HF_WARNING);
  assert_int_equal(find_diagnostic(d, "a setting of Bullet's solver").severity, HF_NOTE);
  hf_diagnostics_free(d);
  hf_model_free(m);
}

// Bullet's planes: with their normal in the frame of the collision, and only where nothing moves.
static void test_planes_of_bullet(void** state) {
  (void)state;
  hfModel* m = parse("<robot name='r'><link name='a'><collision><origin xyz='0 0 2' rpy='0 0 1.5707963267948966'/><geometry><plane normal='2 0 0'/></geometry></collision>"
                     "<collision><geometry><plane/></geometry></collision></link></robot>");
  assert_int_equal(hf_model_geom_type(m)[0], HF_GEOM_PLANE);
  ASSERT_NUMBERS(hf_model_geom_quat(m), 0.5, -0.5, 0.5, 0.5); // z becomes y
  ASSERT_NUMBERS(hf_model_geom_pos(m), 0, 0, 2);
  ASSERT_NUMBERS(hf_model_geom_quat(m) + 4, 1, 0, 0, 0);
  hf_model_free(m);
}

// A floating joint below links that are fixed in the world makes its link free there, and it may touch them.
static void test_floating_joints(void** state) {
  (void)state;
  hfModel* m = parse("<robot name='r'><link name='a'>" SPHERE("") "</link><link name='b'/><link name='c'>" BOX "</link>"
                     "<joint name='j' type='fixed'>" ENDS("a", "b") "<origin xyz='1 0 0' rpy='0 0 1.5707963267948966'/></joint>"
                     "<joint name='k' type='floating'>" ENDS("b", "c") "<origin xyz='0 2 3'/></joint></robot>");
  int c = find(m, HF_OBJECT_BODY, "c");
  assert_int_equal(m->nq, 7);
  assert_int_equal(hf_model_body_parent(m)[c], 0);
  ASSERT_NUMBERS(hf_model_body_pos(m) + 3 * c, -1, 0, 3);
  assert_int_equal(m->nexclude, 0);
  hf_model_free(m);
}

// Extensions of Gazebo that change the motion are warnings, unless they say what holds anyway; the others are one note.
static void test_gazebo_extensions(void** state) {
  (void)state;
#define EXTENDED(text) "<robot name='r'><link name='a'>" BOX "</link><gazebo reference='a'>" text "</gazebo><gazebo><plugin name='p'/></gazebo></robot>"
  static const struct { const char *text, *message; } cases[] = {{EXTENDED("<turnGravityOff>true</turnGravityOff>"), NULL}, {EXTENDED("<gravity>0</gravity><kp>1</kp>"), NULL},
                                                                 {EXTENDED("<dampingFactor>0.01</dampingFactor>"), "velocities do not decay"},
                                                                 {EXTENDED("<springStiffness>5</springStiffness>"), "the joint has no spring"},
                                                                 {EXTENDED("<turnGravityOff>false</turnGravityOff><gravity>1</gravity><dampingFactor>0.0</dampingFactor><kp>1e6</kp>"), NULL}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    hfDiagnostics* said = hf_diagnostics_create();
    hf_model_free(parse_with(cases[i].text, NULL, said));
    find_diagnostic(said, "of Gazebo's extensions only mu1, mu2, turnGravityOff and gravity are used");
    assert_int_equal(hf_diagnostics_count(said), cases[i].message ? 2 : 1);
    if (cases[i].message) assert_int_equal(find_diagnostic(said, cases[i].message).severity, HF_WARNING);
    hf_diagnostics_free(said);
  }
}

// Gravity does not act on links whose <gazebo> says so: the bias at rest is the weight of the others. The last word about a link counts. Of links in one body
// all must be without weight; those on fixed joints may differ, with a warning, because Gazebo makes them one.
static void test_links_without_weight(void** state) {
  (void)state;
#define SLIDE(name, type, parent, child) "<joint name='" name "' type='" type "'><parent link='" parent "'/><child link='" child "'/><axis xyz='0 0 1'/><limit lower='-9' upper='9' effort='1' velocity='1'/></joint>"
#define LIGHT(link, text) "<gazebo reference='" link "'>" text "</gazebo>"
#define LIFTED(more) "<robot name='r'><link name='w'/><link name='a'>" BOX "</link><link name='b'>" BOX "</link><link name='c'>" BOX "</link>"                    \
                     SLIDE("j", "prismatic", "w", "a") SLIDE("k", "prismatic", "a", "b") SLIDE("f", "fixed", "b", "c") more "</robot>"
  static const struct { const char *text; int merged, lifted[3], warned; } cases[] = {
      {LIFTED(LIGHT("a", "<turnGravityOff>true</turnGravityOff>") LIGHT("gone", "<turnGravityOff>true</turnGravityOff>")), 0, {1, 0, 0}, 0},
      {LIFTED(LIGHT("a", "<turnGravityOff>true</turnGravityOff>") LIGHT("a", "<turnGravityOff> false </turnGravityOff>")), 0, {0, 0, 0}, 0},
      {LIFTED(LIGHT("a", "<gravity>1</gravity>") LIGHT("b", "<gravity>false</gravity>") LIGHT("c", "<turnGravityOff>1</turnGravityOff>")), 0, {0, 1, 1}, 0},
      {LIFTED(LIGHT("b", "<turnGravityOff> True </turnGravityOff>")), 0, {0, 1, 0}, 1},
      {LIFTED(LIGHT("b", "<turnGravityOff>true</turnGravityOff>")), 1, {0, 0, 0}, 1},
      {LIFTED(LIGHT("b", "<turnGravityOff>true</turnGravityOff>") LIGHT("c", "<turnGravityOff>true</turnGravityOff>")), 1, {0, 1, 1}, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    hfImportConfig config = hf_import_config_default();
    config.merge_fixed_links = cases[i].merged;
    hfDiagnostics* said = hf_diagnostics_create();
    hfModel* m = parse_with(cases[i].text, &config, said);
    hfDynamics* d = NULL;
    hfActuation* a = NULL;
    double zero[2] = {0}, tau[2] = {0}, weight[3];
    assert_int_equal(hf_dynamics_create(&d, m, NULL), HF_OK);
    assert_int_equal(hf_actuation_create(&a, m, NULL), HF_OK);
    hf_dynamics_set_position(d, zero, NULL);
    hf_dynamics_set_velocity(d, zero);
    hf_actuation_update(a, d, zero);
    hf_actuation_passive(a, d, zero, tau);
    hf_dynamics_update_bias(d);
    const double* bias = hf_dynamics_bias(d);
    for (int k = 0; k < 3; ++k) weight[k] = cases[i].lifted[k] ? 0 : 2 * 9.81;
    assert_below(fabs(bias[0] - tau[0] - weight[0] - weight[1] - weight[2]), 1e-12); // rounding of 60 N
    assert_below(fabs(bias[1] - tau[1] - weight[1] - weight[2]), 1e-12);
    int warned = 0;
    for (int k = 0; k < hf_diagnostics_count(said); ++k) warned += hf_diagnostics_get(said, k).severity == HF_WARNING;
    assert_int_equal(warned, cases[i].warned);
    hf_actuation_free(a), hf_dynamics_free(d), hf_model_free(m), hf_diagnostics_free(said);
  }
}

// Of what collides, only a point is left out, with a warning: a flat box or a line may be meant to collide, and is refused. Of what is drawn, a flat box is left out, too.
static void test_shapes_without_size(void** state) {
  (void)state;
#define SHAPE(kind, shape) "<robot name='r'><link name='a'><" kind "><geometry>" shape "</geometry></" kind "></link></robot>"
#define SHAPE_SDF(kind, shape) "<sdf version='1.9'><model name='r'><static>1</static><link name='a'><" kind " name='c'><geometry>" shape "</geometry></" kind "></link></model></sdf>"
  static const struct { const char* text; int severity; } cases[] = {
      {SHAPE("collision", "<box size='0 0 0'/>"), HF_WARNING},
      {SHAPE("collision", "<sphere radius='0.0'/>"), HF_WARNING},
      {SHAPE("collision", "<cylinder radius='0' length='0'/>"), HF_WARNING},
      {SHAPE("visual", "<box size='1 1 0'/>"), HF_NOTE},
      {SHAPE_SDF("collision", "<box><size>0 0 0</size></box>"), HF_WARNING},
      {SHAPE_SDF("visual", "<sphere><radius>0</radius></sphere>"), HF_NOTE},
      {SHAPE("collision", "<box size='1 1 0'/>"), -1},
      {SHAPE("collision", "<cylinder radius='0' length='1'/>"), -1},
      {SHAPE("visual", "<box size='-1 1 1'/>"), -1}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    hfDiagnostics* said = hf_diagnostics_create();
    hfModel* m = NULL;
    hfError error;
    hfStatus status = hf_model_parse(&m, cases[i].text, strlen(cases[i].text), "r.xml", DATA, NULL, said, &error);
    if (cases[i].severity < 0) {
      assert_below(status, 0);
      assert_non_null(strstr(error.message, "must be positive"));
    } else {
      assert_int_equal(status, HF_OK);
      assert_int_equal(m->ngeom, 0);
      assert_int_equal(find_diagnostic(said, "the size zero").severity, cases[i].severity);
      assert_int_equal(hf_diagnostics_count(said), 1);
      hf_model_free(m);
    }
    hf_diagnostics_free(said);
  }
}

// A gear whose ratio is no number, as a template left it behind, and shapes without size that are only drawn.
static void test_what_templates_leave_behind(void** state) {
  (void)state;
  hfDiagnostics* d = hf_diagnostics_create();
  hfModel* m = parse_with("<robot name='r'><link name='a'><visual><geometry><sphere radius='0.0'/></geometry></visual><visual><geometry><cylinder radius='1' length='0'/></geometry></visual></link>"
                          "<link name='b'>" BOX "</link><joint name='j' type='continuous'>" ENDS("a", "b") "</joint><transmission name='t'><type>t</type><joint name='j'/>"
                          "<actuator name='m'><mechanicalReduction>reduction</mechanicalReduction></actuator></transmission></robot>", NULL, d);
  assert_int_equal(m->ngeom, 0);
  find_diagnostic(d, "it is only drawn and has the size zero");
  assert_int_equal(find_diagnostic(d, "\"reduction\" is not a number: not used").severity, HF_WARNING);
  hf_diagnostics_free(d);
  hf_model_free(m);
}

static void test_contact_properties(void** state) {
  (void)state;
  hfDiagnostics* d = hf_diagnostics_create();
  hfModel* m = parse_with("<robot name='r'><link name='a'>" SPHERE("")
                          SPHERE(DRAKE("<drake:mu_static value='0.7'/><drake:mu_dynamic value='0.6'/>"
                                       "<drake:point_contact_stiffness value='1e4'/><drake:hunt_crossley_dissipation value='2'/>"))
                          SPHERE(DRAKE("<drake:mu_dynamic value='0.4'/><drake:hydroelastic_modulus value='1e7'/>")) "</link>"
                          "<gazebo reference='a'><mu1>0.2</mu1><mu2>0.3</mu2></gazebo></robot>", NULL, d);
  const double *mu = hf_model_geom_friction(m), *dynamic = hf_model_geom_friction_dynamic(m);
  ASSERT_NUMBERS(mu, 0.2);
  ASSERT_NUMBERS(mu + 3, 0.7);
  ASSERT_NUMBERS(mu + 6, 0.4);
  assert_below(dynamic[0], 0); // the same as static
  assert_below(dynamic[2], 0);
  ASSERT_NUMBERS(dynamic + 1, 0.6);
  ASSERT_NUMBERS(hf_model_geom_stiffness(m) + 1, 1e4);
  ASSERT_NUMBERS(hf_model_geom_dissipation(m) + 1, 2);
  find_diagnostic(d, "mu2 differs from mu1");
  find_diagnostic(d, "drake:hydroelastic_modulus");
  hf_diagnostics_free(d);
  hf_model_free(m);
}

static void test_filters_and_frames(void** state) {
  (void)state;
  hfModel* m = parse("<robot name='r'><link name='a'/><link name='b'/><link name='c'/>"
                     "<joint name='j' type='fixed'>" ENDS("a", "b") "</joint><joint name='k' type='fixed'>" ENDS("b", "c") "</joint>"
                     "<drake:collision_filter_group name='g'><drake:member link='a'/><drake:member link='b'/><drake:member link='c'/>"
                     "<drake:ignored_collision_filter_group name='g'/></drake:collision_filter_group>"
                     "<frame name='tip' link='c' xyz='1 2 3' rpy='0 0 0'/></robot>");
  assert_int_equal(m->nexclude, 3);
  int site = find(m, HF_OBJECT_SITE, "tip");
  assert_int_equal(hf_model_site_body(m)[site], find(m, HF_OBJECT_BODY, "c"));
  ASSERT_NUMBERS(hf_model_site_pos(m), 1, 2, 3);
  hf_model_free(m);
}

// ---- packages -----------------------------------------------------------------------------------

static void copy_mesh(const char* to) {
  char command[1024];
  snprintf(command, sizeof command, "cp '%s/ell.stl' '%s'", DATA, to);
  assert_int_equal(system(command), 0);
}

static void write_text(const char* path, const char* text) {
  FILE* out = fopen(path, "w");
  assert_non_null(out);
  fputs(text, out);
  fclose(out);
}

#define ROBOT_OF(uri) "<robot name='r'><link name='a'><collision><geometry><mesh filename='" uri "'/></geometry></collision></link></robot>"

static int loads(const char* folder, const char* text, const hfImportConfig* config) {
  char path[512];
  hfModel* m = NULL;
  snprintf(path, sizeof path, "%s/robot.urdf", folder);
  write_text(path, text);
  int loaded = hf_model_load(&m, path, config, NULL, NULL) == HF_OK && m->nmesh == 1;
  hf_model_free(m);
  return loaded;
}

static void test_packages(void** state) {
  (void)state;
  char root[] = "/tmp/holdfast_urdf_XXXXXX", folder[300], path[400];
  assert_non_null(mkdtemp(root));
  snprintf(folder, sizeof folder, "%s/my_robot", root);
  mkdir(folder, 0755);
  snprintf(path, sizeof path, "%s/meshes", folder);
  mkdir(path, 0755);
  snprintf(path, sizeof path, "%s/meshes/ell.STL", folder);
  copy_mesh(path);
  snprintf(path, sizeof path, "%s/package.xml", folder);
  write_text(path, "<package><name> my_description </name></package>");
  snprintf(path, sizeof path, "%s/urdf", folder);
  mkdir(path, 0755);
  const char* search[] = {root};
  hfImportConfig config = hf_import_config_default();
  config.search_path = search;
  config.search_count = 1;
  assert_true(loads(path, ROBOT_OF("package://my_robot/meshes/ell.STL"), NULL));       // an enclosing folder's name
  assert_true(loads(path, ROBOT_OF("package://my-robot/meshes/ell.STL"), NULL));       // ROS writes '-' for '_'
  assert_true(loads(path, ROBOT_OF("package://my_description/meshes/ell.STL"), NULL)); // package.xml's name
  assert_true(loads(path, ROBOT_OF("../meshes/ell.STL"), NULL));
  assert_true(loads(path, ROBOT_OF("package:///my_robot/meshes/ell.STL"), NULL)); // TALOS of example-robot-data
  char beside[400];
  snprintf(beside, sizeof beside, "%s/meshes", folder);
  assert_true(loads(beside, ROBOT_OF("package://ell.STL"), NULL)); // no package: beside the file
  assert_false(loads(path, ROBOT_OF("package://other/meshes/ell.STL"), NULL));
  assert_false(loads("/tmp", ROBOT_OF("package://my_robot/meshes/ell.STL"), NULL));
  assert_true(loads("/tmp", ROBOT_OF("package://my_robot/meshes/ell.STL"), &config)); // the search path
  remove("/tmp/robot.urdf");
  char command[300];
  snprintf(command, sizeof command, "rm -r '%s'", root);
  assert_int_equal(system(command), 0);
}

// A path behind file:// may be relative to the file, wherever the program runs, or be in a folder that is searched.
static void test_relative_file_uris(void** state) {
  (void)state;
  static const char text[] = "<robot name='r'><link name='a'><collision><geometry><mesh filename='file://ell.stl'/></geometry></collision></link></robot>";
  static const char* const folder[] = {DATA};
  hfImportConfig searching = hf_import_config_default();
  searching.search_path = folder, searching.search_count = 1;
  for (int i = 0; i < 2; ++i) {
    hfModel* m = NULL;
    hfError error;
    if (hf_model_parse(&m, text, strlen(text), i ? "robot.urdf" : DATA "/robot.urdf", i ? "." : DATA, i ? &searching : NULL, NULL, &error) != HF_OK)
      fail_msg("%s", error.message);
    assert_int_equal(m->ngeom, 1);
    hf_model_free(m);
  }
}

// Degrees and millimetres, which other programs write, are pointed out; a joint of three turns and a mesh of a few metres are not.
static void test_units(void** state) {
  (void)state;
  char text[1200];
  for (int wrong = 0; wrong < 2; ++wrong) {
    hfDiagnostics* d = hf_diagnostics_create();
    hfModel* m = NULL;
    hfError error;
    int scale = wrong ? 1000 : 1;
    snprintf(text, sizeof text,
             "<robot name='r'><link name='a'/><link name='b'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"
             "<collision><geometry><mesh filename='file://%s/ell.stl' scale='%d %d %d'/></geometry></collision></link>"
             "<joint name='j' type='revolute'><parent link='a'/><child link='b'/><limit lower='-%d' upper='20' effort='1'/></joint></robot>",
             DATA, scale, scale, scale, wrong ? 90 : 20);
    if (hf_model_parse(&m, text, strlen(text), "robot.urdf", ".", NULL, d, &error) != HF_OK) fail_msg("%s", error.message);
    assert_int_equal(hf_diagnostics_count(d), wrong ? 3 : 1);
    assert_int_equal(find_diagnostic(d, "1 mesh of links collides as convex hull").severity, HF_NOTE);
    if (wrong) {
      assert_int_equal(find_diagnostic(d, "URDF counts in radians; are these degrees?").severity, HF_WARNING);
      assert_int_equal(find_diagnostic(d, "if its file is in millimetres, it needs the scale").severity, HF_NOTE);
    }
    hf_diagnostics_free(d);
    hf_model_free(m);
  }
}

// A negative effort is that of MuJoCo 4, whose jnt_actfrcrange of such a file is -3 to 3; a warning says so. One without end is no mistake.
static void test_negative_effort(void** state) {
  (void)state;
  static const char* const efforts[] = {"-3", "-1e15", "3"};
  for (int i = 0; i < 3; ++i) {
    char text[1024];
    snprintf(text, sizeof text,
             "<robot name='r'><link name='a'/><link name='b'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' "
             "iyz='0'/></inertial></link><joint name='j' type='revolute'>" ENDS("a", "b") "<limit lower='-1' upper='1' effort='%s'/></joint></robot>",
             efforts[i]);
    hfDiagnostics* d = hf_diagnostics_create();
    hfModel* m = parse_with(text, NULL, d);
    assert_int_equal(hf_diagnostics_count(d), i == 0);
    if (i == 0) assert_int_equal(find_diagnostic(d, "effort -3 is negative: it counts as 3, as in MuJoCo").severity, HF_WARNING);
    assert_int_equal(hf_model_jnt_actfrclimited(m)[0], i != 1);
    assert_true(i == 1 || hf_model_jnt_actfrcrange(m)[1] == 3);
    hf_model_free(m);
    hf_diagnostics_free(d);
  }
}

// The first element of a link is reported as any other one.
static void test_unknown_elements(void** state) {
  (void)state;
  hfDiagnostics* d = hf_diagnostics_create();
  hf_model_free(parse_with("<robot name='r'><link name='a'><origin xyz='0 0 1'/><collision><geometry><sphere radius='1'/></geometry></collision></link>"
                           "<link name='b'><strange/></link><joint name='j' type='fixed'>" ENDS("a", "b") "</joint></robot>", NULL, d));
  assert_int_equal(find_diagnostic(d, "<origin>: not used here").severity, HF_WARNING);
  assert_int_equal(find_diagnostic(d, "<strange>: unknown element").severity, HF_WARNING);
  assert_int_equal(hf_diagnostics_count(d), 2);
  hf_diagnostics_free(d);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_tree_and_names), cmocka_unit_test(test_inertial_axes), cmocka_unit_test(test_unknown_elements),
      cmocka_unit_test(test_merging),        cmocka_unit_test(test_floating_base),
      cmocka_unit_test(test_planar_joint),   cmocka_unit_test(test_mimic), cmocka_unit_test(test_mimic_of_fixed_joints), cmocka_unit_test(test_mimic_of_missing_joints),
      cmocka_unit_test(test_implied_world), cmocka_unit_test(test_moments_of_rounding),
      cmocka_unit_test(test_inertia_of_a_rod), cmocka_unit_test(test_contacts_of_bullet),
      cmocka_unit_test(test_planes_of_bullet), cmocka_unit_test(test_floating_joints),
      cmocka_unit_test(test_what_templates_leave_behind), cmocka_unit_test(test_shapes_without_size), cmocka_unit_test(test_gazebo_extensions), cmocka_unit_test(test_links_without_weight), cmocka_unit_test(test_contact_properties), cmocka_unit_test(test_filters_and_frames),
      cmocka_unit_test(test_packages), cmocka_unit_test(test_relative_file_uris), cmocka_unit_test(test_units),
      cmocka_unit_test(test_negative_effort),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
