// SDFormat: poses and frames, joints, inertias, contact properties, nested and included models. The oracle is the same robot written in
// MJCF, whose frames are all local.
#include "import/support.h"
#include "support/sim_world.h"

#include <holdfast/dynamics.h>

#include <stdlib.h>
#include <unistd.h>

#define INERTIAL                                                                                                              \
  "<inertial><pose>0.1 0 0.2 0 0 0</pose><mass>2</mass><inertia><ixx>1</ixx><iyy>2</iyy><izz>2.5</izz><ixy>0.1</ixy><ixz>0</ixz>" \
  "<iyz>0</iyz></inertia></inertial>"
#define MJ_INERTIAL "<inertial pos='0.1 0 0.2' mass='2' fullinertia='1 2 2.5 0.1 0 0'/>"
#define HALF "1.5707963267948966"
#define PI 3.14159265358979323846

// Base at 1 2 3 turned about z; `one` 0.1 above it; `two` written relative to a frame on `one`, its joint in the middle of nowhere.
static const char ARM[] =
    "<sdf version='1.9'><model name='arm'><pose>1 2 3 0 0 " HALF "</pose>"
    "<link name='base'>" INERTIAL "</link>"
    "<link name='one'><pose>0 0 0.1 0 0 0</pose>" INERTIAL
    "<collision name='rod'><pose>0 0 0.3 0 0 0</pose><geometry><cylinder><radius>0.1</radius><length>0.6</length></cylinder></geometry>"
    "<surface><friction><ode><mu>0.4</mu></ode></friction></surface></collision></link>"
    "<frame name='top' attached_to='one'><pose>0 0 0.6 0 0 0</pose></frame>"
    "<link name='two'><pose relative_to='top'>0 0 0 0.3 0 0</pose>" INERTIAL "</link>"
    "<joint name='j' type='revolute'><parent>base</parent><child>one</child><axis><xyz>0 1 0</xyz><limit><lower>-1</lower><upper>1</upper>"
    "<effort>10</effort></limit><dynamics><damping>0.3</damping><friction>0.2</friction></dynamics></axis></joint>"
    "<joint name='k' type='revolute'><pose relative_to='two'>0 0.05 0 0 0 0</pose><parent>one</parent><child>two</child><axis>"
    "<xyz expressed_in='one'>1 0 0</xyz><limit><effort>0</effort></limit></axis></joint></model></sdf>";

static const char MJ_ARM[] =
    "<mujoco><compiler angle='radian' eulerseq='XYZ'/><worldbody><body name='base' pos='1 2 3' euler='0 0 " HALF "'><freejoint/>" MJ_INERTIAL
    "<body name='one' pos='0 0 0.1'>" MJ_INERTIAL "<joint name='j' axis='0 1 0' range='-1 1' damping='0.3' frictionloss='0.2'/>"
    "<body name='two' pos='0 0 0.6' euler='0.3 0 0'>" MJ_INERTIAL "<joint name='k' pos='0 0.05 0' axis='1 0 0'/></body></body></body>"
    "</worldbody></mujoco>";

static void dynamics(const hfModel* m, const double* q, const double* v, double* M, double* bias) {
  hfDynamics* d = NULL;
  assert_int_equal(hf_dynamics_create(&d, m, NULL), HF_OK);
  hf_dynamics_set_position(d, q, NULL);
  hf_dynamics_set_velocity(d, v);
  hf_dynamics_update_mass_matrix(d);
  hf_dynamics_dense_mass_matrix(d, M);
  hf_dynamics_update_bias(d);
  memcpy(bias, hf_dynamics_bias(d), (size_t)m->nv * sizeof *bias);
  hf_dynamics_free(d);
}

// Rounding of the poses through the world is some 1e-16 of a few metres, times the masses.
static void assert_same_dynamics(const hfModel* a, const hfModel* b) {
  double q[16] = {0.1, 0.2, 0.3, 0.8, 0, 0.6, 0, 0.3, -0.4}, v[16] = {0.1, -0.2, 0.3, 0.5, -0.7, 0.2, 1, -2}, M[2][64], c[2][8];
  assert_int_equal(a->nv, 8);
  assert_int_equal(b->nv, 8);
  dynamics(a, q, v, M[0], c[0]);
  dynamics(b, q, v, M[1], c[1]);
  for (int i = 0; i < 64; ++i) assert_below(fabs(M[0][i] - M[1][i]), 1e-12);
  for (int i = 0; i < 8; ++i) assert_below(fabs(c[0][i] - c[1][i]), 1e-11);
}

static void test_arm(void** state) {
  (void)state;
  hfModel *m = parse(ARM), *other = parse(MJ_ARM);
  assert_same_dynamics(m, other);
  for (int i = 0; i < m->nq; ++i) assert_below(fabs(hf_model_qpos0(m)[i] - hf_model_qpos0(other)[i]), 1e-14);
  int j = find(m, HF_OBJECT_JOINT, "j"), rod = find(m, HF_OBJECT_GEOM, "one::rod"), top = find(m, HF_OBJECT_SITE, "top");
  assert_int_equal(hf_model_jnt_limited(m)[j], 1);
  ASSERT_NUMBERS(hf_model_jnt_range(m) + 2 * j, -1, 1);
  ASSERT_NUMBERS(hf_model_jnt_actfrcrange(m) + 2 * j, -10, 10);
  ASSERT_NUMBERS(hf_model_geom_friction(m) + 3 * rod, 0.4);
  ASSERT_NUMBERS(hf_model_geom_size(m) + 3 * rod, 0.1, 0.3);
  ASSERT_NUMBERS(hf_model_site_pos(m) + 3 * top, 0, 0, 0.6);
  assert_int_equal(m->world.friction_rule, HF_COMBINE_HARMONIC);
  assert_int_equal(m->nu, 1); // k has no effort
  assert_int_equal(hf_model_actuator_trnid(m)[0], j);
  hf_model_free(m);
  hf_model_free(other);
}

// The base is fixed by option, and by <static>, which also holds for what is nested.
static void test_fixed(void** state) {
  (void)state;
  hfImportConfig fixed = hf_import_config_default();
  fixed.fixed_base = 1;
  hfModel* m = parse_with(ARM, &fixed, NULL);
  assert_int_equal(m->nv, 2);
  assert_int_equal(m->nexclude, 1); // the fixed base and the link that its joint moves; `two` hangs on a link that moves
  hf_model_free(m);
  m = parse("<sdf version='1.9'><model name='m'><static>true</static><link name='a'/><model name='in'><link name='b'/></model></model></sdf>");
  assert_int_equal(m->nv, 0);
  find(m, HF_OBJECT_BODY, "in::b");
  hf_model_free(m);
}

// An arm put together from nested and included models: names have their scopes, and poses add up.
static void test_nested_and_included(void** state) {
  (void)state;
  char root[] = "/tmp/holdfast_sdf_XXXXXX", command[200], path[100];
  assert_non_null(mkdtemp(root));
  snprintf(command, sizeof command, "mkdir %s/tool", root);
  assert_int_equal(system(command), 0);
  snprintf(path, sizeof path, "%s/tool/model.sdf", root);
  FILE* out = fopen(path, "w");
  assert_non_null(out);
  fputs("<sdf version='1.9'><model name='tool'><link name='tip'><pose>0 0 0.6 0.3 0 0</pose>" INERTIAL "</link></model></sdf>", out);
  fclose(out);
  snprintf(path, sizeof path, "%s/world.sdf", root);
  out = fopen(path, "w");
  assert_non_null(out);
  fputs("<sdf version='1.9'><world name='w'><gravity>0 0 -3</gravity><model name='arm'><pose>1 2 3 0 0 " HALF "</pose><link name='base'>" INERTIAL
        "</link><model name='in'><pose>0 0 0.1 0 0 0</pose><link name='one'>" INERTIAL "</link></model>"
        "<include><uri>model://tool</uri><name>t</name><pose relative_to='in::one'>0 0 0 0 0 0</pose></include>"
        "<joint name='j' type='revolute'><parent>base</parent><child>in::one</child><axis><xyz>0 1 0</xyz><limit><lower>-1</lower>"
        "<upper>1</upper></limit><dynamics><damping>0.3</damping><friction>0.2</friction></dynamics></axis></joint>"
        "<joint name='k' type='continuous'><pose>0 0.05 0 0 0 0</pose><parent>in::one</parent><child>t::tip</child><axis><xyz>1 0 0</xyz></axis>"
        "</joint></model></world></sdf>", out);
  fclose(out);
  hfModel *m = NULL, *other = parse(MJ_ARM);
  hfError error;
  if (hf_model_load(&m, path, NULL, NULL, &error) != HF_OK) fail_msg("%s", error.message);
  find(m, HF_OBJECT_BODY, "arm::t::tip");
  find(m, HF_OBJECT_JOINT, "arm::k");
  ASSERT_NUMBERS(m->world.gravity, 0, 0, -3);
  other->world.gravity[2] = -3;
  assert_same_dynamics(m, other);
  hf_model_free(m);
  hf_model_free(other);
  snprintf(command, sizeof command, "rm -rf %s", root);
  assert_int_equal(system(command), 0);
}

// Springs, universal joints, mimic, planes, Drake's properties; an axis of an old version in the model's frame.
static void test_features(void** state) {
  (void)state;
  hfModel* m = parse(
      "<sdf version='1.6'><model name='m'><link name='a'><collision name='floor'><geometry><plane><normal>1 0 0</normal></plane>"
      "</geometry></collision></link><link name='b'><pose>0 0 1 0 0 " HALF "</pose><collision name='ball'><geometry><sphere><radius>0.1</radius>"
      "</sphere></geometry><drake:proximity_properties><drake:mu_static>0.7</drake:mu_static><drake:mu_dynamic>0.6</drake:mu_dynamic>"
      "<drake:point_contact_stiffness>1e4</drake:point_contact_stiffness></drake:proximity_properties></collision></link><link name='c'/>"
      "<link name='d'><gravity>0</gravity></link><joint name='j' type='prismatic'><parent>a</parent><child>b</child><axis><xyz>1 0 0</xyz><use_parent_model_frame>1"
      "</use_parent_model_frame><dynamics><spring_stiffness>5</spring_stiffness><spring_reference>0.1</spring_reference></dynamics></axis></joint>"
      "<joint name='u' type='universal'><parent>b</parent><child>c</child><axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz></axis2></joint>"
      "<joint name='f' type='revolute'><parent>world</parent><child>d</child><axis><xyz>0 0 1</xyz><mimic joint='j'><multiplier>2</multiplier>"
      "<offset>0.5</offset><reference>0.1</reference></mimic></axis></joint>"
      "<joint name='stand' type='fixed'><parent>world</parent><child>a</child></joint></model></sdf>");
  assert_int_equal(m->nv, 4);
  ASSERT_NUMBERS(hf_model_jnt_axis(m), 0, -1, 0); // x of the model in a link that is turned by a quarter
  ASSERT_NUMBERS(hf_model_jnt_stiffness(m), 5);
  ASSERT_NUMBERS(hf_model_jnt_axis(m) + 3, 1, 0, 0, 0, 1, 0);
  find(m, HF_OBJECT_JOINT, "u_2");
  ASSERT_NUMBERS(hf_model_body_gravcomp(m) + find(m, HF_OBJECT_BODY, "d"), 1);
  ASSERT_NUMBERS(hf_model_eq_data(m), 0.5 - 2 * 0.1, 2);
  int ball = find(m, HF_OBJECT_GEOM, "b::ball");
  ASSERT_NUMBERS(hf_model_geom_friction(m) + 3 * ball, 0.7);
  ASSERT_NUMBERS(hf_model_geom_friction_dynamic(m) + ball, 0.6);
  ASSERT_NUMBERS(hf_model_geom_stiffness(m) + ball, 1e4);
  assert_int_equal(hf_model_geom_type(m)[find(m, HF_OBJECT_GEOM, "a::floor")], HF_GEOM_PLANE);
  hf_model_free(m);
}

// A joint with two axes becomes two hinges, each with the limits and dynamics of its axis. Another joint may follow the second.
static void test_second_axes(void** state) {
  (void)state;
  static const char* const kinds[] = {"universal", "revolute2"};
  for (int i = 0; i < 2; ++i) {
    char text[2048];
    snprintf(text, sizeof text,
             "<sdf version='1.11'><model name='m'><link name='a'/><link name='b'/><joint name='u' type='%s'><parent>world</parent><child>a</child>"
             "<axis><xyz>1 0 0</xyz><limit><lower>-1</lower><upper>2</upper><effort>3</effort></limit><dynamics><damping>0.1</damping><friction>0.2</friction>"
             "<spring_stiffness>4</spring_stiffness><spring_reference>0.3</spring_reference></dynamics></axis>"
             "<axis2><xyz>0 1 0</xyz><limit><lower>-5</lower><upper>6</upper><effort>7</effort></limit><dynamics><damping>0.5</damping><friction>0.6</friction>"
             "<spring_stiffness>8</spring_stiffness><spring_reference>0.7</spring_reference></dynamics></axis2></joint>"
             "<joint name='f' type='revolute'><parent>world</parent><child>b</child><axis><xyz>0 0 1</xyz><mimic joint='u' axis='axis2'><multiplier>2</multiplier>"
             "</mimic></axis></joint></model></sdf>",
             kinds[i]);
    hfDiagnostics* said = hf_diagnostics_create();
    hfModel* m = parse_with(text, NULL, said);
    assert_int_equal(find(m, HF_OBJECT_JOINT, "u"), 0);
    assert_int_equal(find(m, HF_OBJECT_JOINT, "u_2"), 1);
    ASSERT_NUMBERS(hf_model_jnt_axis(m), 1, 0, 0, 0, 1, 0);
    ASSERT_NUMBERS(hf_model_jnt_range(m), -1, 2, -5, 6);
    ASSERT_NUMBERS(hf_model_jnt_actfrcrange(m), -3, 3, -7, 7);
    ASSERT_NUMBERS(hf_model_dof_damping(m), 0.1, 0.5);
    ASSERT_NUMBERS(hf_model_dof_frictionloss(m), 0.2, 0.6);
    ASSERT_NUMBERS(hf_model_jnt_stiffness(m), 4, 8);
    ASSERT_NUMBERS(hf_model_qpos_spring(m), 0.3, 0.7);
    assert_int_equal(hf_model_eq_obj2(m)[0], 1);
    for (int k = 0; k < hf_diagnostics_count(said); ++k) assert_null(strstr(hf_diagnostics_get(said, k).message, "axis"));
    hf_diagnostics_free(said);
    hf_model_free(m);
  }
}

// A joint with one axis does not use a second one, and says so.
static void test_second_axes_of_joints_with_one(void** state) {
  (void)state;
  static const char* const kinds[] = {"revolute", "continuous", "prismatic", "screw"};
  for (int i = 0; i < 4; ++i) {
    char text[512];
    snprintf(text, sizeof text,
             "<sdf version='1.11'><model name='m'><link name='a'/><joint name='j' type='%s'><parent>world</parent><child>a</child><axis/>\n"
             "<axis2><limit><lower>-1</lower></limit></axis2></joint></model></sdf>",
             kinds[i]);
    hfDiagnostics* said = hf_diagnostics_create();
    hfModel* m = parse_with(text, NULL, said);
    hfDiagnostic axis2 = find_diagnostic(said, "<axis2>");
    assert_int_equal(axis2.severity, HF_WARNING);
    assert_int_equal(axis2.line, 2);
    assert_int_equal(m->nv, 1);
    hf_diagnostics_free(said);
    hf_model_free(m);
  }
}

// Drake's servos and couplings. A servo has the force p (control - q) - d v; options count before the file's gains.
static void test_servos_of_drake(void** state) {
  (void)state;
#define FINGER(name, more) "<link name='" name "'/><joint name='j" name "' type='prismatic'><parent>world</parent><child>" name "</child><axis><xyz>1 0 0</xyz></axis>" more "</joint>"
#define SERVO(p, d) "<sdf version='1.9'><model name='m'>" FINGER("a", "<drake:controller_gains p='" p "' d='" d "'/>") FINGER("b", "<drake:mimic joint='ja' multiplier='-2' offset='0.5'/>") \
  FINGER("c", "") "</model></sdf>"
  hfDiagnostics* d = hf_diagnostics_create();
  hfModel* m = parse_with(SERVO("300", "20"), NULL, d);
  for (int k = 0; k < hf_diagnostics_count(d); ++k) assert_null(strstr(hf_diagnostics_get(d, k).message, "drake:"));
  hf_diagnostics_free(d);
  assert_int_equal(m->nu, 2);
  int servo = find(m, HF_OBJECT_ACTUATOR, "ja"), motor = find(m, HF_OBJECT_ACTUATOR, "jc");
  ASSERT_NUMBERS(hf_model_actuator_gainprm(m) + 3 * servo, 300);
  ASSERT_NUMBERS(hf_model_actuator_biasprm(m) + 3 * servo, 0, -300, -20);
  ASSERT_NUMBERS(hf_model_actuator_gainprm(m) + 3 * motor, 1);
  assert_int_equal(m->neq, 1);
  ASSERT_NUMBERS(hf_model_eq_data(m), 0.5, -2);
  assert_int_equal(hf_model_eq_obj1(m)[0], find(m, HF_OBJECT_JOINT, "jb"));
  hf_model_free(m);
  hfImportConfig config = hf_import_config_default();
  config.servo_kp = 7;
  m = parse_with(SERVO("300", "20"), &config, NULL);
  ASSERT_NUMBERS(hf_model_actuator_biasprm(m), 0, -7, -20);
  hf_model_free(m);
}

// 0.5 m a turn, right-handed: 0.5/(2 pi) m/rad. -12.5 rad/m of the older element is the same hand: 1/12.5 m/rad. Without either a turn is 1 m.
static void test_screws(void** state) {
  (void)state;
#define SCREW(name, more) "<link name='" name "'/><joint name='j" name "' type='screw'><parent>world</parent><child>" name "</child><axis><xyz>0 1 0</xyz></axis>" more "</joint>"
  hfModel* m = parse("<sdf version='1.10'><model name='m'>" SCREW("a", "<screw_thread_pitch>0.5</screw_thread_pitch><thread_pitch>3</thread_pitch>")
                     SCREW("b", "<thread_pitch>-12.5</thread_pitch>") SCREW("c", "") "</model></sdf>");
  for (int j = 0; j < 3; ++j) assert_int_equal(hf_model_jnt_type(m)[j], HF_JOINT_SCREW);
  ASSERT_NUMBERS(hf_model_jnt_pitch(m), 0.5 / (2 * PI), 1 / 12.5, 1 / (2 * PI));
  ASSERT_NUMBERS(hf_model_jnt_axis(m), 0, 1, 0);
  hf_model_free(m);
}

// heights.png has the grey values 0 100 200 above 50 25 250: black is zero, the brightest 0.5 m. Sampling puts means between them.
static void test_heightmap(void** state) {
  (void)state;
#define MAP(more)                                                                                                                    \
  "<sdf version='1.9'><model name='m'><static>true</static><link name='a'><collision name='c'><pose>1 0 0 0 0 " HALF "</pose><geometry><heightmap>"          \
  "<uri>heights.png</uri><size>4 2 0.5</size><pos>0.5 0 0.25</pos>" more "</heightmap></geometry></collision><visual name='v'><geometry><heightmap>" \
  "<uri>heights.png</uri><size>4 2 0.5</size>" more "<texture><size>1</size></texture></heightmap></geometry></visual></link></model></sdf>"
  hfModel* m = parse(MAP(""));
  assert_int_equal(m->nhfield, 1); // collision and visual share it
  assert_int_equal(m->ngeom, 2);
  int geom = find(m, HF_OBJECT_GEOM, "a::c");
  assert_int_equal(hf_model_geom_type(m)[geom], HF_GEOM_HFIELD);
  assert_int_equal(hf_model_hfield_nrow(m)[0], 2);
  assert_int_equal(hf_model_hfield_ncol(m)[0], 3);
  ASSERT_NUMBERS(hf_model_hfield_size(m), 2, 1, 2);
  ASSERT_NUMBERS(hf_model_hfield_height(m), 0.1, 0.05, 0.5, 0, 0.2, 0.4);
  ASSERT_NUMBERS(hf_model_geom_pos(m) + 3 * geom, 1, 0.5, 0.25);
  hf_model_free(m);
  m = parse(MAP("<sampling>2</sampling>"));
  assert_int_equal(hf_model_hfield_nrow(m)[0], 3);
  ASSERT_NUMBERS(hf_model_hfield_height(m), 0.1, 0.075, 0.05, 0.275, 0.5, 0.05, 0.0875, 0.125, 0.2875, 0.45, 0, 0.1, 0.2, 0.3, 0.4);
  hf_model_free(m);
}

static void test_refused_heightmaps(void** state) {
  (void)state;
#define FIELD(uri, more) "<sdf version='1.9'><model name='m'><link name='a'>\n<%s name='c'><geometry><heightmap><uri>" uri "</uri>" more "</heightmap></geometry></%s></link></model></sdf>"
  static const struct { const char *text, *message; } cases[] = {
      {FIELD("hill.tif", ""), "test.xml:2: <collision name=\"c\">: "}, {FIELD("hill.dem", ""), "are read from PNG images, not from elevation models (.dem, .tif)"},
      {FIELD("none.png", ""), "none.png: there is no such file"}, {FIELD("heights.png", "<size>1 0 1</size>"), "size: number 2 must be positive, is 0"},
      {FIELD("heights.png", "<sampling>0.5</sampling>"), "sampling must be a whole number from 1 to 64, is 0.5"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    char text[500];
    hfModel* m = NULL;
    hfError error;
    snprintf(text, sizeof text, cases[i].text, "collision", "collision");
    hfStatus status = hf_model_parse(&m, text, strlen(text), "test.xml", DATA, NULL, NULL, &error);
    if (status >= 0 || !strstr(error.message, cases[i].message)) fail_msg("case %d: %s", (int)i, error.message);
  }
  char text[500];
  snprintf(text, sizeof text, FIELD("hill.tif", ""), "visual", "visual");
  hfDiagnostics* said = hf_diagnostics_create();
  hfModel* m = parse_with(text, NULL, said);
  assert_int_equal(m->ngeom, 0);
  find_diagnostic(said, "geom left out, it is only drawn");
  hf_diagnostics_free(said);
  hf_model_free(m);
}

static int count_warnings(const char* text) {
  hfDiagnostics* said = hf_diagnostics_create();
  hfModel* m = parse_with(text, NULL, said);
  int warnings = 0;
  for (int k = 0; k < hf_diagnostics_count(said); ++k)
    if (hf_diagnostics_get(said, k).severity == HF_WARNING) warnings += hf_diagnostics_get(said, k).count;
  hf_diagnostics_free(said);
  hf_model_free(m);
  return warnings;
}

// What Gazebo writes out for every link, all of it drawn or without effect, gets no warning; what would act gets one.
static void test_exported_defaults(void** state) {
  (void)state;
#define EXPORTED(kinematic, slip) "<sdf version='1.6'><model name='m'><link name='a'><inertial><mass>1</mass></inertial><kinematic>" kinematic "</kinematic><enable_wind>0</enable_wind>" \
  "<visual name='v'><cast_shadows>1</cast_shadows><drake:accepting_renderer>a</drake:accepting_renderer><transparency>0</transparency><geometry><sphere><radius>1</radius></sphere></geometry><material>" \
  "<lighting>1</lighting><script><uri>a</uri></script><shader type='pixel'/></material></visual>" \
  "<collision name='c'><laser_retro>0</laser_retro><max_contacts>10</max_contacts><geometry><sphere><radius>1</radius></sphere></geometry>" \
  "<surface><friction><ode><mu>1</mu><slip1>" slip "</slip1></ode></friction></surface></collision></link></model></sdf>"
  static const struct { const char* text; int warnings; } cases[] = {
      {EXPORTED("0", "0"), 0}, {EXPORTED("false", "0.0"), 0}, {EXPORTED("1", "0"), 1}, {EXPORTED("true", "0.3"), 2}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) assert_int_equal(count_warnings(cases[i].text), cases[i].warnings);
}

// The mass of a link that stands still in the world does not matter, and one that is missing there is not worth a warning.
static void test_missing_inertia(void** state) {
  (void)state;
#define PAIR(text, joint) "<sdf version='1.9'><model name='m'>" text "<link name='a'/><link name='b'/><joint name='j' type=" joint "<parent>a</parent><child>b</child></joint></model></sdf>"
#define TURNS "'continuous'><axis><xyz>1 0 0</xyz></axis>"
#define BOLTED "<joint name='w' type='fixed'><parent>world</parent><child>a</child></joint>"
  static const struct { const char* text; int warnings; } cases[] = {
      {PAIR("", "'fixed'>"), 2}, {PAIR("<static>true</static>", "'fixed'>"), 0}, {PAIR(BOLTED, "'fixed'>"), 0}, {PAIR(BOLTED, TURNS), 1}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) assert_int_equal(count_warnings(cases[i].text), cases[i].warnings);
}

// Two gears on a base, and what stands in the gearbox that couples them.
#define REFERENCE "<gearbox_reference_body>base</gearbox_reference_body>"
#define GEARED(type, gearbox)                                                                                                                       \
  "<link name='base'/><link name='a'/><link name='b'/><joint name='ja' type='revolute'><parent>base</parent><child>a</child><axis/></joint>"         \
  "<joint name='jb' type='" type "'><parent>base</parent><child>b</child><axis/></joint>\n<joint name='gear' type='gearbox'><parent>a</parent>"      \
  "<child>b</child>" gearbox "</joint>"

// The angles about the axes of the gearbox are in the ratio -2.5, however the axes of the joints point and whichever of their ends is the base. What is fixed to the base may be the
// reference body.
static void test_gearbox(void** state) {
  (void)state;
  static const struct {
    const char *base, *a, *b, *axis, *axis2, *parent; // reference body, axes of joints and gearbox, and the parent of the first gear's joint
    double factor;                                    // q_b = factor q_a
  } cases[] = {
      {"base", "0 0 1", "0 0 1", "0 0 1", "0 0 1", "base", -2.5},  {"base", "0 0 1", "0 0 -1", "0 0 1", "0 0 1", "base", 2.5},
      {"base", "0 0 -1", "0 0 1", "0 0 1", "0 0 2", "base", 2.5},  {"base", "0 0 -1", "0 0 1", "0 0 -1", "0 0 1", "base", -2.5},
      {"base", "0 0 1", "0 0 1", "0 0 1", "0 0 -1", "base", 2.5},  {"base", "0 0 1", "0 0 1", "0 0 1", "0 0 1", "a", 2.5},
      {"plate", "0 0 1", "0 0 1", "0 0 1", "0 0 1", "base", -2.5}, {"plate", "0 0 1", "0 0 1", "0 0 1", "0 0 1", "a", 2.5},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    char text[2048];
    const char* child = strcmp(cases[i].parent, "a") == 0 ? "base" : "a";
    snprintf(text, sizeof text,
             "<sdf version='1.9'><model name='m'><link name='base'>" INERTIAL "</link><link name='plate'>" INERTIAL "</link><link name='a'>" INERTIAL
             "</link><link name='b'><pose>1 0 0 0 0 0</pose>" INERTIAL "</link><joint name='weld' type='fixed'><parent>base</parent><child>plate</child></joint>"
             "<joint name='ja' type='revolute'><parent>%s</parent><child>%s</child><axis><xyz>%s</xyz></axis></joint>"
             "<joint name='jb' type='revolute'><parent>base</parent><child>b</child><axis><xyz>%s</xyz></axis></joint>\n"
             "<joint name='gear' type='gearbox'><parent>a</parent><child>b</child><gearbox_ratio>2.5</gearbox_ratio>"
             "<gearbox_reference_body>%s</gearbox_reference_body><axis><xyz>%s</xyz></axis><axis2><xyz>%s</xyz><limit><lower>-1</lower>"
             "<upper>1</upper></limit></axis2></joint></model></sdf>",
             cases[i].parent, child, cases[i].a, cases[i].b, cases[i].base, cases[i].axis, cases[i].axis2);
    hfDiagnostics* d = hf_diagnostics_create();
    hfModel* m = parse_with(text, NULL, d);
    assert_int_equal(m->neq, 1);
    assert_int_equal(hf_model_eq_obj1(m)[0], find(m, HF_OBJECT_JOINT, "jb"));
    assert_int_equal(hf_model_eq_obj2(m)[0], find(m, HF_OBJECT_JOINT, "ja"));
    ASSERT_NUMBERS(hf_model_eq_data(m), 0, cases[i].factor, 0, 0, 0);
    hfDiagnostic said = find_diagnostic(d, "limits, damping and friction of a gearbox are not used");
    assert_int_equal(said.severity, HF_WARNING);
    assert_int_equal(said.line, 2);
    assert_int_equal(m->nexclude, 1); // the gears, which mesh, do not collide
    hf_model_free(m);
    hf_diagnostics_free(d);
  }
}

static void test_refusals(void** state) {
  (void)state;
#define JOINED(type, axes) "<joint name='j' type='" type "'><parent>world</parent><child>a</child>" axes "</joint>"
#define MODEL(text) "<sdf version='1.9'><model name='m'>\n" text "</model></sdf>"
  static const struct {
    const char *text, *message;
  } cases[] = {
      {"<sdf version='1.9'/>", "neither a <model> nor a <world>"},
      {MODEL("<link name='a'/>\n<link name='a'/>"), "test.xml:3: <link name=\"a\">: the name \"a\" is used already"},
      {MODEL("<link name='a'><pose relative_to='b'/></link>"), "test.xml:2: <pose>: there is no link, joint, frame or model \"b\" here"},
      {MODEL("<link name='a'><pose relative_to='f'>0 0 0 0 0 0</pose></link><frame name='f'><pose relative_to='a'>0 0 0 0 0 0</pose></frame>"),
       "its pose depends on itself"},
      {MODEL("<link name='a'><pose>1 2 3</pose></link>"), "3 numbers where 6 are needed"},
      {MODEL("<link name='a'/><joint name='j' type='revolute'><parent>world</parent><child>x</child></joint>"), "there is no link \"x\""},
      {MODEL("<link name='a'/><link name='b'/><joint name='j' type='spring'><parent>a</parent><child>b</child></joint>"),
       "joints of type \"spring\" are not supported"},
      {MODEL("<link name='a'/><link name='b'/><joint name='j' type='screw'><parent>a</parent><child>b</child><thread_pitch>0</thread_pitch></joint>"),
       "thread_pitch is zero"},
      {MODEL("<link name='a'/><link name='b'/><joint name='j' type='fixed'><parent>a</parent><child>b</child></joint>"
             "<joint name='k' type='fixed'><parent>b</parent><child>a</child></joint>"), "part of a loop of joints"},
      {MODEL("<link name='a'/><joint name='j' type='fixed'><parent>world</parent><child>a</child></joint>"
             "<joint name='k' type='spring'><parent>world</parent><child>a</child></joint>"), "joints of type \"spring\" are not supported"},
      {MODEL("<link name='a'/>" JOINED("universal", "<axis><xyz>1 0 0</xyz></axis>")), "test.xml:2: <joint name=\"j\">: <axis2> is missing: a joint of type universal has two axes"},
      {MODEL("<link name='a'/>" JOINED("revolute2", "<axis2><xyz>1 0 0</xyz></axis2>")), "<axis> is missing: a joint of type revolute2 has two axes"},
      {MODEL("<link name='a'/><link name='b'/>" JOINED("revolute", "<axis><mimic joint='j' axis='axis2'/></axis>") "<joint name='j_2' type='revolute'><parent>world</parent><child>b</child></joint>"),
       "<mimic>: there is no joint \"j\" with two axes to mimic"},
      {MODEL("<link name='a'/>" JOINED("revolute", "<axis><mimic joint='j' axis='axis3'/></axis>")), "<mimic>: axis: \"axis3\" is none of: axis, axis2"},
      {MODEL(GEARED("fixed", "<axis/><axis2/>")), "<joint name=\"gear\">: <gearbox_reference_body> is missing"},
      {MODEL(GEARED("fixed", "<axis/><axis2/><gearbox_reference_body>c</gearbox_reference_body>")), "there is no gearbox_reference_body \"c\""},
      {MODEL(GEARED("fixed", "<axis/><axis2/>" REFERENCE)), "no revolute joint connects link \"b\" with its gearbox_reference_body \"base\"; add one, or couple other joints with <mimic>"},
      {MODEL(GEARED("prismatic", "<axis/><axis2/>" REFERENCE)), "no revolute joint connects link \"b\""},
      {MODEL(GEARED("revolute", "<axis/>" REFERENCE)), "<axis2> is missing"},
      {MODEL(GEARED("revolute", "<axis/><axis2><xyz>0 1 1</xyz></axis2>" REFERENCE)), "<axis2> is not parallel to the axis of joint \"jb\""},
      {MODEL("<include><uri>nowhere.sdf</uri></include>"), "nowhere.sdf: there is no such file (--search FOLDER, search_path: look in more folders)"},
      {MODEL("<link name='a'><inertial><mass>-1</mass></inertial></link>"), "mass -1 is negative"},
      {SERVO("0", "1"), "<drake:controller_gains>: p must be positive and d not negative, they are 0 and 1"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    hfModel* m = NULL;
    hfError error;
    hfStatus status = hf_model_parse(&m, cases[i].text, strlen(cases[i].text), "test.xml", DATA, NULL, NULL, &error);
    if (status >= 0 || !strstr(error.message, cases[i].message)) fail_msg("case %d: %s", (int)i, error.message);
  }
}

// ---- loops --------------------------------------------------------------------------------------

#define ROD "<inertial><pose>0 0 -0.25 0 0 0</pose><mass>1</mass><inertia><ixx>0.0208333333333333333</ixx><iyy>0.0208333333333333333</iyy><izz>0.001</izz></inertia></inertial>"
#define BAR "<inertial><pose>0.2 0 0 0 0 0</pose><mass>2</mass><inertia><ixx>0.01</ixx><iyy>0.1</iyy><izz>0.1</izz></inertia></inertial>"
#define SIN "0.28232123669751769" // 0.5 sin 0.6, 0.5 cos 0.6
#define COS "0.41266780745483913"
#define HINGE(name, parent, child, rest) "<joint name='" name "' type='revolute'><parent>" parent "</parent><child>" child "</child><axis><xyz>0 1 0</xyz></axis>" rest "</joint>"

// Two rods of 0.5 m and 1 kg that hang 0.4 m apart, 0.6 rad from the vertical, and a bar of 2 kg between their ends. KIND: the joint that closes the loop.
#define FOUR_BAR(kind)                                                                                                                                   \
  "<sdf version='1.9'><model name='four_bar'><link name='left'><pose>0 0 0 0 -0.6 0</pose>" ROD "</link><link name='right'><pose>0.4 0 0 0 -0.6 0</pose>" ROD \
  "</link><link name='bar'><pose>" SIN " 0 -" COS " 0 0 0</pose>" BAR "</link>" HINGE("a", "world", "left", "") HINGE("b", "left", "bar", "")                \
  HINGE("d", "world", "right", "") "<joint name='c' type='" kind "'><pose>0.4 0 0 0 0 0</pose><parent>right</parent><child>bar</child><axis><xyz>0 1 0</xyz></axis></joint></model></sdf>"

static const char MJ_FOUR_BAR[] =
    "<mujoco><compiler angle='radian' eulerseq='XYZ'/><worldbody><body name='left' euler='0 -0.6 0'><joint name='a' axis='0 1 0'/>"
    "<inertial pos='0 0 -0.25' mass='1' diaginertia='0.0208333333333333333 0.0208333333333333333 0.001'/>"
    "<body name='bar' pos='0 0 -0.5' euler='0 0.6 0'><joint name='b' axis='0 1 0'/><inertial pos='0.2 0 0' mass='2' diaginertia='0.01 0.1 0.1'/></body></body>"
    "<body name='right' pos='0.4 0 0' euler='0 -0.6 0'><joint name='d' axis='0 1 0'/>"
    "<inertial pos='0 0 -0.25' mass='1' diaginertia='0.0208333333333333333 0.0208333333333333333 0.001'/></body></worldbody>"
    "<equality><connect body1='right' body2='bar' anchor='0 0 -0.5'/></equality></mujoco>";

// The bar does not turn, so that the linkage is a pendulum: (2 I + M a^2) thetadd = -(m + M) a g sin theta, I = m a^2/3. Runge-Kutta in 1000 steps.
static double pendulum(double theta, double g, double t) {
  double w = 0, h = t / 1000, c = (1 + 2) * 0.5 * g / (2 * 0.25 / 3 + 2 * 0.25);
  for (int i = 0; i < 1000; ++i) {
    double k[4][2], x = theta, y = w;
    for (int s = 0; s < 4; ++s) {
      k[s][0] = y, k[s][1] = -c * sin(x);
      double step = s < 2 ? h / 2 : h;
      x = theta + step * k[s][0], y = w + step * k[s][1];
    }
    theta += h / 6 * (k[0][0] + 2 * k[1][0] + 2 * k[2][0] + k[3][0]), w += h / 6 * (k[0][1] + 2 * k[1][1] + 2 * k[2][1] + k[3][1]);
  }
  return theta;
}

static double coordinate(const simWorld* w, const char* joint) {
  return hf_state_q(w->state)[hf_model_jnt_qposadr(w->model)[hf_model_find(w->model, HF_OBJECT_JOINT, joint)]];
}

// What a joint of this type has no use for is not reported: the pose and axis of a fixed joint, the direction and limits of a ball. The damping of a ball that
// closes a loop is not used, with a warning.
static void test_what_joints_do_not_have(void** state) {
  (void)state;
#define EXTRA(damping) "<axis><xyz>0 -1 0</xyz><dynamics><damping>" damping "</damping></dynamics><limit><effort>0</effort></limit><use_parent_model_frame>1</use_parent_model_frame></axis>"
#define TREE(damping)                                                                                                                                       \
  "<sdf version='1.9'><model name='m'><link name='a'>" ROD "</link><link name='b'>" ROD "</link><link name='c'>" ROD "</link>"                             \
  "<joint name='j' type='ball'><parent>world</parent><child>a</child>" EXTRA("0.5") "</joint>"                                                             \
  "<joint name='f' type='fixed'><pose>1 0 0 0 0 0</pose><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz></axis></joint>"                           \
  "<joint name='k' type='ball'><parent>world</parent><child>c</child></joint>"                                                                             \
  "<joint name='l' type='ball'><pose>1 0 0 0 0 0</pose><parent>b</parent><child>c</child>\n" EXTRA(damping) "</joint></model></sdf>"
  hfDiagnostics *said = hf_diagnostics_create(), *nothing = hf_diagnostics_create();
  hf_model_free(parse_with(TREE("0"), NULL, nothing));
  assert_int_equal(hf_diagnostics_count(nothing), 0);
  hfModel* m = parse_with(TREE("0.1"), NULL, said);
  assert_int_equal(hf_diagnostics_count(said), 1);
  assert_int_equal(find_diagnostic(said, "the damping of a ball joint that closes a loop is not used").line, 2);
  assert_true(hf_model_dof_damping(m)[hf_model_jnt_dofadr(m)[find(m, HF_OBJECT_JOINT, "j")]] == 0.5);
  assert_int_equal(m->neq, 1);
  hf_model_free(m), hf_diagnostics_free(said), hf_diagnostics_free(nothing);
}

// Closed by a hinge, a ball, and in MJCF by a connect, in discrete and in continuous time. The errors: a step of first order of 0.5 ms; loops that are
// near-rigid, which differ in how the mass is shared.
static void test_four_bar(void** state) {
  (void)state;
  static const struct { const char* text; int nv; } files[] = {{FOUR_BAR("revolute"), 4}, {FOUR_BAR("ball"), 3}, {MJ_FOUR_BAR, 3}};
  static const struct { int method; double tolerance; } methods[] = {{HF_METHOD_TAMSI, 2e-3}, {HF_METHOD_RK3, 1e-4}, {HF_METHOD_SDIRK, 1e-4}};
  for (size_t k = 0; k < sizeof methods / sizeof *methods; ++k)
    for (int i = 0; i < 3; ++i) {
      simWorld w = sim_world_make_method(files[i].text, methods[k].method, 5e-4, 1e-10);
      assert_int_equal(w.model->nv, files[i].nv);
      assert_int_equal(w.model->neq, 1);
      double mass = 0;
      for (int b = 0; b < w.model->nbody; ++b) mass += hf_model_body_mass(w.model)[b];
      assert_below(fabs(mass - 4), 1e-12);
      sim_world_step(&w, 2000);
      double theta = 0.6 - coordinate(&w, "a"), wanted = pendulum(0.6, -w.model->world.gravity[2], 1);
      if (!(fabs(theta - wanted) < methods[k].tolerance)) fail_msg("file %d, method %d: %.9g is not %.9g", i, methods[k].method, theta, wanted);
      assert_below(fabs(coordinate(&w, "a") - coordinate(&w, "d")), 1e-4);
      assert_below(fabs(coordinate(&w, "a") + coordinate(&w, "b")), 1e-4);
      if (i == 0) assert_below(fabs(coordinate(&w, "d") + coordinate(&w, "c")), 1e-4);
      sim_world_free(&w);
    }
}

// A crank of 0.1 m, a rod of 0.3 m and a block that a slide to the world closes: the slide has x = r cos q + sqrt(l^2 - r^2 sin^2 q), its damper and its motor act.
static void test_slider_crank(void** state) {
  (void)state;
  static const char text[] =
      "<sdf version='1.9'><model name='engine'><link name='crank'>" BAR "</link><link name='rod'><pose>0.1 0 0 0 0 0</pose>" BAR "</link><link name='block'><pose>0.4 0 0 0 0 0</pose>" BAR
      "</link>" HINGE("a", "world", "crank", "") HINGE("b", "crank", "rod", "") HINGE("c", "rod", "block", "")
      "<joint name='slide' type='prismatic'><parent>world</parent><child>block</child><axis><xyz>1 0 0</xyz><limit><effort>100</effort></limit>"
      "<dynamics><damping>3</damping></dynamics></axis></joint></model></sdf>";
  simWorld w = sim_world_make(text, 1e-3, 1e-10);
  int slide = hf_model_find(w.model, HF_OBJECT_JOINT, "slide"), motor = hf_model_find(w.model, HF_OBJECT_ACTUATOR, "slide");
  assert_int_equal(w.model->nv, 4);
  assert_at_least(motor, 0);
  assert_true(hf_model_dof_damping(w.model)[hf_model_jnt_dofadr(w.model)[slide]] == 3);
  assert_string_equal(hf_model_name(w.model, HF_OBJECT_BODY, hf_model_jnt_body(w.model)[slide]), "block_at_slide");
  w.input->ctrl[motor] = -40;
  sim_v(&w)[0] = 2;
  double least = 1;
  for (int n = 0; n < 500; ++n) {
    sim_world_step(&w, 1);
    double q = coordinate(&w, "a"), x = 0.1 * cos(q) + sqrt(0.09 - 0.01 * sin(q) * sin(q));
    assert_below(fabs(coordinate(&w, "slide") - (x - 0.4)), 1e-5);
    least = fmin(least, x);
  }
  assert_below(least, 0.25); // The motor drew it in.
  sim_world_free(&w);
}

// What is fixed already needs no equality, with a note; links that a joint closes a loop between do not collide.
static void test_closing_joints(void** state) {
  (void)state;
  static const char text[] =
      "<sdf version='1.9'><model name='m'><link name='a'>" BAR "<collision name='c'><geometry><box><size>1 1 1</size></box></geometry></collision></link>"
      "<link name='b'>" BAR "<collision name='c'><geometry><box><size>1 1 1</size></box></geometry></collision></link>"
      "<link name='e'>" BAR "</link>" HINGE("j", "a", "e", "") HINGE("k", "e", "b", "")
      "<joint name='l' type='fixed'><parent>a</parent><child>b</child></joint><joint name='n' type='fixed'><parent>a</parent><child>b</child></joint></model></sdf>";
  hfModel* m = parse_model(text);
  assert_int_equal(m->nv, 8);
  assert_int_equal(m->neq, 2);
  assert_int_equal(hf_model_eq_type(m)[0], HF_EQUALITY_WELD);
  assert_int_equal(m->nexclude, 2);
  hf_model_free(m);
  m = parse_model("<sdf version='1.9'><model name='m'><link name='a'>" BAR "</link><joint name='j' type='fixed'><parent>world</parent><child>a</child></joint>"
                  "<joint name='k' type='ball'><parent>world</parent><child>a</child></joint></model></sdf>");
  assert_int_equal(m->neq, 0);
  hf_model_free(m);
}

// Collision filter groups of Drake: members of `fingers` touch neither each other nor the palm; a group that is not there is warned of.
static void test_filters(void** state) {
  (void)state;
  static const char text[] =
      "<sdf version='1.9'><model name='m'><link name='palm'>" BAR "</link><link name='a'>" BAR "</link><link name='b'>" BAR "</link><link name='c'>" BAR "</link>"
      "<joint name='ball' type='ball'><parent>palm</parent><child>c</child><axis><dynamics><damping>0.5</damping></dynamics></axis></joint>"
      "<drake:collision_filter_group name='fingers'><drake:member>a</drake:member><drake:member>b</drake:member>"
      "<drake:ignored_collision_filter_group>fingers</drake:ignored_collision_filter_group><drake:ignored_collision_filter_group>hand</drake:ignored_collision_filter_group>"
      "<drake:ignored_collision_filter_group>nothing</drake:ignored_collision_filter_group></drake:collision_filter_group>"
      "<drake:collision_filter_group name='hand'><drake:member>palm</drake:member></drake:collision_filter_group></model></sdf>";
  hfDiagnostics* said = hf_diagnostics_create();
  hfModel* m = parse_with(text, NULL, said);
  int palm = find(m, HF_OBJECT_BODY, "palm"), a = find(m, HF_OBJECT_BODY, "a"), b = find(m, HF_OBJECT_BODY, "b");
  const int32_t* pair = hf_model_exclude_body(m);
  assert_int_equal(m->nexclude, 3);
  for (int i = 0; i < 3; ++i) {
    int low = pair[2 * i] < pair[2 * i + 1] ? pair[2 * i] : pair[2 * i + 1], high = pair[2 * i] + pair[2 * i + 1] - low;
    assert_true((low == a && high == b) || (low == palm && high == a) || (low == palm && high == b));
  }
  assert_true(hf_model_dof_damping(m)[hf_model_jnt_dofadr(m)[find(m, HF_OBJECT_JOINT, "ball")]] == 0.5);
  find_diagnostic(said, "no collision filter group \"nothing\"");
  hf_diagnostics_free(said);
  hf_model_free(m);
}

// Attributes that declare prefixes of names are worth no note, wherever they stand: "<drake:rotor_inertia xmlns:drake=…>: not used" was said of
// an element that is used.
static void test_declared_prefixes(void** state) {
  (void)state;
  static const char* const texts[] = {
      ("<sdf version='1.9' xmlns:drake='http://drake.mit.edu'><model name='m'><link name='a'/><joint name='j' type='revolute'><parent>world</parent><child>a</child>"
       "<axis><xyz>0 0 1</xyz></axis><drake:rotor_inertia xmlns:drake='d'>2</drake:rotor_inertia><drake:gear_ratio xmlns:drake='d'>3</drake:gear_ratio></joint></model></sdf>"),
      "<robot name='m' xmlns='here' xmlns:xacro='http://www.ros.org/wiki/xacro'><link name='a'/></robot>",
      "<mujoco xmlns:x='y'><worldbody/></mujoco>"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
    hfDiagnostics* said = hf_diagnostics_create();
    hfModel* m = parse_with(texts[i], NULL, said);
    for (int k = 0; k < hf_diagnostics_count(said); ++k)
      if (strstr(hf_diagnostics_get(said, k).message, "xmlns")) fail_msg("%s", hf_diagnostics_get(said, k).message);
    if (i == 0) ASSERT_NUMBERS(hf_model_dof_armature(m), 18); // 3^2 2 kg m^2
    hf_diagnostics_free(said);
    hf_model_free(m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_arm),      cmocka_unit_test(test_fixed),    cmocka_unit_test(test_nested_and_included),
      cmocka_unit_test(test_second_axes), cmocka_unit_test(test_second_axes_of_joints_with_one),
      cmocka_unit_test(test_features), cmocka_unit_test(test_screws), cmocka_unit_test(test_heightmap), cmocka_unit_test(test_refused_heightmaps),
      cmocka_unit_test(test_exported_defaults),
      cmocka_unit_test(test_missing_inertia), cmocka_unit_test(test_servos_of_drake), cmocka_unit_test(test_gearbox), cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_four_bar), cmocka_unit_test(test_what_joints_do_not_have), cmocka_unit_test(test_slider_crank), cmocka_unit_test(test_closing_joints),
      cmocka_unit_test(test_filters), cmocka_unit_test(test_declared_prefixes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
