// What MJCF means: orientation forms, default classes, frames, joints, geoms. Oracles are closed forms
// and the format's documented defaults; the comparison of whole models is in tests/peers.
#include "import/support.h"

#include <locale.h>
#include <stdlib.h>

#define HALF 0.70710678118654752440 // sqrt(1/2)
#define PI 3.14159265358979323846

static void check_orientation(const char* settings, const char* attribute, const double quat[4]) {
  char text[512];
  snprintf(text, sizeof text, "<mujoco><compiler %s/><worldbody><body %s/></worldbody></mujoco>", settings, attribute);
  hfModel* m = parse(text);
  const double* q = hf_model_body_quat(m) + 4;
  double sign = q[0] * quat[0] + q[1] * quat[1] + q[2] * quat[2] + q[3] * quat[3] < 0 ? -1 : 1;
  double flipped[4] = {sign * q[0], sign * q[1], sign * q[2], sign * q[3]};
  assert_numbers(flipped, quat, 4);
  hf_model_free(m);
}
#define CHECK_ORIENTATION(settings, attribute, ...) check_orientation(settings, attribute, (const double[4]){__VA_ARGS__})

static void test_orientation_forms(void** state) {
  (void)state;
  CHECK_ORIENTATION("", "quat='2 0 0 2'", HALF, 0, 0, HALF);
  CHECK_ORIENTATION("", "axisangle='0 3 0 90'", HALF, 0, HALF, 0);
  CHECK_ORIENTATION("angle='radian'", "axisangle='0 3 0 1.5707963267948966'", HALF, 0, HALF, 0);
  CHECK_ORIENTATION("", "euler='90 0 0'", HALF, HALF, 0, 0);
  // turning axes, x then the new y: (1 + i)(1 + j)/2 = (1 + i + j + k)/2
  CHECK_ORIENTATION("", "euler='90 90 0'", 0.5, 0.5, 0.5, 0.5);
  // fixed axes, x then y: (1 + j)(1 + i)/2 = (1 + i + j - k)/2
  CHECK_ORIENTATION("eulerseq='XYZ'", "euler='90 90 0'", 0.5, 0.5, 0.5, -0.5);
  // z then x, turning: (1 + k)(1 + i)/2 = (1 + i + j + k)/2
  CHECK_ORIENTATION("eulerseq='zxy'", "euler='90 90 0'", 0.5, 0.5, 0.5, 0.5);
  CHECK_ORIENTATION("", "xyaxes='0 2 0 -3 1 0'", HALF, 0, 0, HALF);
  CHECK_ORIENTATION("", "zaxis='5 0 0'", HALF, 0, HALF, 0);
  CHECK_ORIENTATION("", "zaxis='0 0 7'", 1, 0, 0, 0);
  CHECK_ORIENTATION("", "zaxis='0 0 -7'", 0, 1, 0, 0);
}

// Two boxes whose axes are turned by 30 degrees, with moments that are all below the bound: the inertial frame is the one that they had, and not
// that of equal moments, which could be any.
static void test_frame_of_bounded_inertia(void** state) {
  (void)state;
  const char* body = "<mujoco><compiler boundinertia='%s'/><worldbody><body><frame euler='0 0 30'><geom type='box' size='.1 .2 .3' mass='1'/>"
                     "<geom type='box' size='.1 .2 .3' mass='1' pos='0 0 .1'/></frame></body></worldbody></mujoco>";
  char bounded[512], plain[512];
  snprintf(bounded, sizeof bounded, body, "5");
  snprintf(plain, sizeof plain, body, "0");
  hfModel *m = parse(bounded), *n = parse(plain);
  assert_numbers(hf_model_body_iquat(m) + 4, hf_model_body_iquat(n) + 4, 4);
  assert_below(fabs(hf_model_body_iquat(m)[4]), 0.99);
  ASSERT_NUMBERS(hf_model_body_inertia(m) + 6, 5, 5, 5, 0, 0, 0);
  hf_model_free(m);
  hf_model_free(n);
}

// A turn of -100 degrees about z. The signs of coordinates of a free joint are MuJoCo's: w = cos 50, z = -sin 50.
static void test_sign_of_xy_axes(void** state) {
  (void)state;
  hfModel* m = parse("<mujoco><worldbody><body xyaxes='-0.17364817766693033 -0.98480775301220802 0 0.98480775301220802 -0.17364817766693033 0'>"
                     "<freejoint/><geom size='1'/></body></worldbody></mujoco>");
  ASSERT_NUMBERS(hf_model_qpos0(m) + 3, 0.64278760968653936, 0, 0, -0.76604444311897801);
  hf_model_free(m);
}

static void test_default_classes(void** state) {
  (void)state;
  hfModel* m = parse("<mujoco>"
                     "<default><geom friction='0.5 0.1' rgba='1 0 0 1'/>"
                     "  <default class='inner'><geom friction='0.2' type='box' size='1 2 3'/><joint damping='4'/></default>"
                     "</default>"
                     "<default><geom margin='0.25'/></default>" // after inner was made: not inherited by it
                     "<worldbody>"
                     "  <geom name='outside' size='1'/>"
                     "  <body childclass='inner'><joint name='j'/><geom name='child'/>"
                     "    <body><geom name='grandchild' size='9'/><geom name='main' class='main' size='1'/></body></body>"
                     "</worldbody></mujoco>");
  const double* friction = hf_model_geom_friction(m);
  const double *margin = hf_model_geom_margin(m), *size = hf_model_geom_size(m);
  int outside = find(m, HF_OBJECT_GEOM, "outside"), child = find(m, HF_OBJECT_GEOM, "child");
  int grandchild = find(m, HF_OBJECT_GEOM, "grandchild"), main_geom = find(m, HF_OBJECT_GEOM, "main");
  ASSERT_NUMBERS(friction + 3 * outside, 0.5, 0.1, 0.0001);
  ASSERT_NUMBERS(friction + 3 * child, 0.2, 0.1, 0.0001); // the second number comes from the outer class
  ASSERT_NUMBERS(friction + 3 * main_geom, 0.5, 0.1, 0.0001);
  ASSERT_NUMBERS(size + 3 * child, 1, 2, 3);
  ASSERT_NUMBERS(size + 3 * grandchild, 9, 2, 3);
  assert_int_equal(hf_model_geom_type(m)[grandchild], HF_GEOM_BOX);
  assert_int_equal(hf_model_geom_type(m)[main_geom], HF_GEOM_SPHERE);
  ASSERT_NUMBERS(margin + outside, 0.25);
  ASSERT_NUMBERS(margin + child, 0);
  ASSERT_NUMBERS(hf_model_dof_damping(m), 4);
  hf_model_free(m);
}

static void test_frames(void** state) {
  (void)state;
  hfModel* m = parse("<mujoco><worldbody>"
                     "<frame pos='1 0 0' euler='0 0 90'><frame pos='1 0 0'>"
                     "  <body name='b' pos='0 1 0'><frame pos='0 0 2' euler='90 0 0'>"
                     "    <joint axis='0 0 1' pos='0 1 0'/><geom name='g' size='1' pos='0 0 1'/><site name='s'/></frame></body>"
                     "</frame></frame></worldbody></mujoco>");
  // the inner frame is at (1, 1, 0), its y axis along -x
  ASSERT_NUMBERS(hf_model_body_pos(m) + 3, 0, 1, 0);
  ASSERT_NUMBERS(hf_model_body_quat(m) + 4, HALF, 0, 0, HALF);
  // x' = x, y' = z, z' = -y in the body's frame
  ASSERT_NUMBERS(hf_model_geom_pos(m), 0, -1, 2);
  ASSERT_NUMBERS(hf_model_site_pos(m), 0, 0, 2);
  ASSERT_NUMBERS(hf_model_jnt_axis(m), 0, -1, 0);
  ASSERT_NUMBERS(hf_model_jnt_pos(m), 0, 0, 3);
  hf_model_free(m);
}

// Replica 2 is turned by 180 degrees about x and then about the new y, i j = k; two turns of replica 1 would be (-1 + i + j + k)/2.
static void test_angles_of_replicas_grow(void** state) {
  (void)state;
  hfModel* m = parse("<mujoco><worldbody><frame pos='0 0 5'><replicate count='3' offset='1 0 0' euler='90 90 0'><body name='b'/></replicate></frame>"
                     "</worldbody></mujoco>");
  int b1 = find(m, HF_OBJECT_BODY, "b1"), b2 = find(m, HF_OBJECT_BODY, "b2");
  ASSERT_NUMBERS(hf_model_body_quat(m) + 4 * b1, 0.5, 0.5, 0.5, 0.5);
  ASSERT_NUMBERS(hf_model_body_pos(m) + 3 * b1, 1, 0, 5);
  ASSERT_NUMBERS(hf_model_body_quat(m) + 4 * b2, 0, 0, 0, 1);
  ASSERT_NUMBERS(hf_model_body_pos(m) + 3 * b2, 1, 1, 5); // replica 1 turns x into y
  hf_model_free(m);
}

static void test_fromto(void** state) {
  (void)state;
  hfModel* m = parse("<mujoco><worldbody><geom type='capsule' size='0.1' fromto='0 0 0 2 0 0'/>"
                     "<geom type='box' size='0.1' fromto='0 1 0 0 4 0'/></worldbody></mujoco>");
  ASSERT_NUMBERS(hf_model_geom_size(m), 0.1, 1, 0, 0.1, 0.1, 1.5);
  ASSERT_NUMBERS(hf_model_geom_pos(m), 1, 0, 0, 0, 2.5, 0);
  hf_model_free(m);
}

static void test_joints(void** state) {
  (void)state;
  hfModel* m = parse("<mujoco><worldbody>"
                     "<body name='a'><joint name='h' range='-90 180' ref='90' springref='45' stiffness='2'/>"
                     "<joint name='s' type='slide' axis='0 2 0' range='-1 2' limited='false' ref='3'/><geom size='1'/>"
                     "<body name='c'><joint type='ball' range='0 60' armature='3' frictionloss='2'/><geom size='1'/></body></body>"
                     "<body name='b'><freejoint/><geom size='1'/></body>"
                     "</worldbody></mujoco>");
  assert_int_equal(m->nq, 1 + 1 + 4 + 7);
  assert_int_equal(m->nv, 1 + 1 + 3 + 6);
  ASSERT_NUMBERS(hf_model_jnt_range(m), -PI / 2, PI, -1, 2, 0, PI / 3);
  ASSERT_NUMBERS(hf_model_qpos0(m), PI / 2, 3, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0);
  ASSERT_NUMBERS(hf_model_qpos_spring(m), PI / 4, 0);
  ASSERT_NUMBERS(hf_model_jnt_axis(m) + 3, 0, 1, 0);
  ASSERT_NUMBERS(hf_model_dof_armature(m), 0, 0, 3, 3, 3, 0, 0, 0, 0, 0, 0);
  ASSERT_NUMBERS(hf_model_dof_frictionloss(m), 0, 0, 2, 2, 2, 0);
  const int32_t* limited = hf_model_jnt_limited(m);
  assert_int_equal(limited[0], 1);
  assert_int_equal(limited[1], 0);
  assert_int_equal(limited[2], 1);
  assert_int_equal(limited[3], 0);
  hf_model_free(m);
}

// XML forbids "--" in a comment; MuJoCo reads it. A comment ends at the first "-->", and CDATA holds none.
static void test_dashes_in_comments(void** state) {
  (void)state;
  hfModel* m = parse("<mujoco><!-- a -- b --- c --><worldbody><!-- -- <body name='no'/> ---><body name='x'/><!----></worldbody></mujoco>");
  assert_int_equal(m->nbody, 2);
  assert_int_equal(hf_model_find(m, HF_OBJECT_BODY, "x"), 1);
  hf_model_free(m);
}

// A declaration that does not begin the file, and text behind the end of the document, which is reported with its line.
static void test_xml_that_others_read(void** state) {
  (void)state;
  hfDiagnostics* d = hf_diagnostics_create();
  hfModel* m = parse_with("\n<!-- <?xml -->\n<?xml version='1.0'\n encoding='utf-8'?>\n<mujoco><worldbody><geom size='1'/></worldbody></mujoco>\n</mujoco>", NULL, d);
  assert_int_equal(m->ngeom, 1);
  assert_int_equal(hf_diagnostics_count(d), 1);
  hfDiagnostic said = find_diagnostic(d, "the file goes on behind the end of <mujoco>: not read");
  assert_int_equal(said.line, 6);
  assert_int_equal(said.severity, HF_WARNING);
  hf_diagnostics_free(d);
  hf_model_free(m);
  hfModel* none = NULL;
  const char late[] = "<mujoco><?xml version='1.0'?></mujoco>";
  assert_int_equal(hf_model_parse(&none, late, strlen(late), "test.xml", DATA, NULL, NULL, NULL), HF_ERROR_PARSE);
}

// MuJoCo reads whatever stands in a declaration. The encoding of one that is well formed counts: in Latin-1 the byte E9 is a letter.
static void test_declarations(void** state) {
  (void)state;
  static const char* const odd[] = {"<?xml vertsion=\"1.0\"?>", "<?xml?>", "<?xml ?>", "<?xml version=1.0?>", "<?xml version?>", "<?xml version=\"1.0?>", "<?xml version=''?>", "<?xml encoding='utf-8'?>",
                                    "<?xml version='1.0'encoding='utf-8'?>", "<?xml version='1.0' standalone='no' encoding='utf-8'?>", "<?xml version='1.0' x='y' ?>"};
  char text[200];
  for (size_t i = 0; i < sizeof odd / sizeof *odd; ++i) {
    snprintf(text, sizeof text, "%s\n<mujoco><worldbody><geom size='1'/></worldbody></mujoco>", odd[i]);
    hfModel* m = parse(text);
    assert_int_equal(m->ngeom, 1);
    hf_model_free(m);
  }
  hfModel* m = parse("<?xml  version = '1.0'\nencoding=\"iso-8859-1\"  standalone='yes' ?><mujoco><worldbody><geom size='1' name='\xe9'/></worldbody></mujoco>");
  assert_string_equal(hf_model_name(m, HF_OBJECT_GEOM, 0), "\xc3\xa9");
  hf_model_free(m);
}

// A ball joint that is limited without a range may not turn, as in MuJoCo. The number of activations follows from dyntype.
static void test_held_balls_and_actdim(void** state) {
  (void)state;
  hfDiagnostics* d = hf_diagnostics_create();
  hfModel* m = parse_with("<mujoco><worldbody><body><joint name='b' type='ball' limited='true'/><geom size='.1'/></body><body><joint name='h'/><geom size='.1'/></body></worldbody>"
                          "<actuator><general joint='h' actdim='0'/><general joint='h' dyntype='filter' actdim='1'/></actuator></mujoco>", NULL, d);
  assert_int_equal(hf_model_jnt_limited(m)[0], 1);
  ASSERT_NUMBERS(hf_model_jnt_range(m), 0, 0);
  assert_int_equal(m->na, 1);
  assert_int_equal(hf_diagnostics_count(d), 0);
  hf_diagnostics_free(d);
  hf_model_free(m);
}

// Attributes need no blank between them, and nothing else that looks like them gets one.
static void test_attributes_without_blanks(void** state) {
  (void)state;
  hfModel* m = parse("<?xml version='1.0'?><mujoco><!-- 'a'b \"c\"d --><worldbody><body name=\"x\"pos='1 2 3'><geom name='it\"is'size=\".1\"type='sphere'/></body>"
                     "<body name='a>\"b\"c'/></worldbody></mujoco>");
  ASSERT_NUMBERS(hf_model_body_pos(m) + 3, 1, 2, 3);
  ASSERT_NUMBERS(hf_model_geom_size(m), 0.1);
  assert_int_equal(find(m, HF_OBJECT_GEOM, "it\"is"), 0);
  assert_int_equal(find(m, HF_OBJECT_BODY, "a>\"b\"c"), 2);
  hf_model_free(m);
}

static void test_bodies_come_depth_first(void** state) {
  (void)state;
  hfModel* m = parse("<mujoco><worldbody>"
                     "<body name='1'><body name='2'><geom name='b' size='1'/></body><geom name='a' size='1'/><body name='3'/></body>"
                     "<frame><body name='4'/></frame><body name='5'/></worldbody></mujoco>");
  for (int i = 1; i <= 5; ++i) {
    char name[2] = {(char)('0' + i), 0};
    assert_int_equal(find(m, HF_OBJECT_BODY, name), i);
  }
  assert_int_equal(find(m, HF_OBJECT_GEOM, "a"), 0);
  assert_int_equal(find(m, HF_OBJECT_GEOM, "b"), 1);
  hf_model_free(m);
}

static void test_options(void** state) {
  (void)state;
  hfModel* m = parse("<mujoco><option timestep='0.005' gravity='1 2 3' impratio='10'>"
                     "<flag contact='disable' gravity='enable' filterparent='disable' clampctrl='disable'/></option></mujoco>");
  ASSERT_NUMBERS(&m->world.timestep, 0.005);
  ASSERT_NUMBERS(m->world.gravity, 1, 2, 3);
  ASSERT_NUMBERS(&m->world.impratio, 10);
  assert_int_equal(m->world.disable_contact, 1);
  assert_int_equal(m->world.disable_gravity, 0);
  assert_int_equal(m->world.filter_parent, 0);
  assert_int_equal(m->world.disable_clamp_control, 1);
  assert_int_equal(m->world.friction_rule, HF_COMBINE_MAX);
  hf_model_free(m);
}

static void test_contact_attributes(void** state) {
  (void)state;
  hfModel* m = parse("<mujoco><worldbody>"
                     "<geom name='a' size='1' solref='0.01' margin='0.01' gap='0.02' condim='6' priority='2'/>"
                     "<body name='B'><freejoint/><geom name='b' size='1'/></body><body name='C'><freejoint/><geom name='c' size='1'/></body>"
                     "</worldbody><contact><pair geom1='a' geom2='b' friction='0.3'/><exclude body1='B' body2='C'/></contact></mujoco>");
  ASSERT_NUMBERS(hf_model_geom_solref(m), 0.01, 1, 0, 0); // the second geom's is not set
  ASSERT_NUMBERS(hf_model_geom_solimp(m), 0.9, 0.95, 0.001, 0.5, 2, 0);
  ASSERT_NUMBERS(hf_model_geom_margin(m), 0.03); // found below margin + gap, acting below margin
  ASSERT_NUMBERS(hf_model_geom_gap(m), 0.02);
  assert_int_equal(m->npair, 1);
  assert_int_equal(hf_model_pair_condim(m)[0], 3); // a pair takes nothing from its geoms
  ASSERT_NUMBERS(hf_model_pair_friction(m), 0.3, 1, 0.005, 0.0001, 0.0001);
  assert_int_equal(m->nexclude, 1);
  hf_model_free(m);
}

static void test_holdfast_parameters(void** state) {
  (void)state;
  hfDiagnostics* d = hf_diagnostics_create();
  hfModel* m = parse_with("<mujoco><custom>"
                          "<numeric name='hf.stiffness' data='2e5'/><numeric name='hf.dissipation' data='3'/>"
                          "<numeric name='hf.pad.left.stiffness' data='7e3'/><numeric name='hf.tangential_damping' data='11'/>"
                          "<text name='hf.method' data='convex'/><text name='hf.friction' data='regularised'/>"
                          "<text name='hf.signal.m' data='sine 1 2 3 4'/><text name='hf.signal.n' data='chirp 1 2 3 4'/>\n"
                          "<numeric name='hf.stifness' data='1'/></custom>"
                          "<worldbody><geom name='pad.left' size='1'/><geom size='1'/><body><joint name='j'/><geom size='1'/></body></worldbody>"
                          "<actuator><motor name='m' joint='j'/><motor name='n' joint='j'/><motor joint='j'/></actuator></mujoco>", NULL, d);
  ASSERT_NUMBERS(&m->world.stiffness, 2e5);
  ASSERT_NUMBERS(&m->world.dissipation, 3);
  assert_int_equal(m->world.method, HF_METHOD_CONVEX);
  ASSERT_NUMBERS(hf_model_geom_stiffness(m), 7e3);
  ASSERT_NUMBERS(hf_model_geom_tangential_damping(m), 11, 11, 11);
  assert_int_equal(m->nsignal, 2);
  ASSERT_NUMBERS(hf_model_signal_data(m), 1, 2, 3, 4, 1, 2, 3, 4, 0);
  assert_int_equal(hf_model_actuator_signal(m)[2], -1);
  hfDiagnostic misspelt = find_diagnostic(d, "hf.stifness");
  assert_int_equal(misspelt.severity, HF_WARNING);
  assert_int_equal(misspelt.line, 2);
  hf_diagnostics_free(d);
  hf_model_free(m);
}

// A file's parameters name its own geoms, whatever prefix it is attached under.
static void test_attached_parameters(void** state) {
  (void)state;
  hfModel* m = NULL;
  hfError error;
  if (hf_model_load(&m, HF_SOURCE_DIR "/tests/data/import/attach.xml", NULL, NULL, &error) != HF_OK) fail_msg("%s", error.message);
  int left = hf_model_find(m, HF_OBJECT_GEOM, "left_pad"), right = hf_model_find(m, HF_OBJECT_GEOM, "right_pad");
  assert_at_least(left, 0);
  assert_at_least(right, 0);
  ASSERT_NUMBERS(hf_model_geom_stiffness(m) + left, 5e4);
  ASSERT_NUMBERS(hf_model_geom_stiffness(m) + right, 5e4);
  hf_model_free(m);
}

// MuJoCo 4.0.0 makes three keyframes of this file, with these positions.
static void test_number_of_keys(void** state) {
  (void)state;
  hfModel* m = parse("<mujoco><size nkey='3'/><worldbody><body><joint type='slide' ref='.5'/><geom size='1'/></body></worldbody>"
                     "<keyframe><key name='a' qpos='2'/></keyframe></mujoco>");
  assert_int_equal(m->nkey, 3);
  ASSERT_NUMBERS(hf_model_key_qpos(m), 2, 0.5, 0.5);
  hf_model_free(m);
}

// The number of keyframes is the only size that acts.
static void test_sizes_of_memory(void** state) {
  (void)state;
  hfDiagnostics* d = hf_diagnostics_create();
  hf_model_free(parse_with("<mujoco><size nkey='1' njmax='500' nuser_body='2' memory='10M'/></mujoco>", NULL, d));
  assert_int_equal(hf_diagnostics_count(d), 3);
  for (int i = 0; i < 3; ++i) assert_int_equal(hf_diagnostics_get(d, i).severity, HF_NOTE);
  find_diagnostic(d, "<size njmax=…>: memory sizes");
  hf_diagnostics_free(d);
}

static void test_constraints_and_keys(void** state) {
  (void)state;
  hfModel* m = parse("<mujoco><default><equality solref='0.1 2'/></default><worldbody>"
                     "<body name='A'><joint name='a'/><geom size='1'/><site name='s'/></body>"
                     "<body name='B' pos='1 0 0'><joint name='b'/><geom size='1'/><site name='t' pos='0 0 1'/></body>"
                     "<body name='M' mocap='true' pos='0 0 5'/></worldbody>"
                     "<equality><connect body1='A' body2='B' anchor='1 2 3' active='false'/><weld site1='s' site2='t' torquescale='2'/>"
                     "<joint joint1='a' joint2='b' polycoef='1 2 3'/></equality>"
                     "<tendon><fixed name='t' range='-1 1' stiffness='3'><joint joint='a' coef='2'/><joint joint='b' coef='-1'/></fixed></tendon>"
                     "<keyframe><key name='home' time='2' qpos='0.5 0.25' qvel='1 2' mpos='7 8 9'/><key name='rest'/></keyframe></mujoco>");
  assert_int_equal(m->neq, 3);
  assert_int_equal(hf_model_eq_active(m)[0], 0);
  ASSERT_NUMBERS(hf_model_eq_data(m), 1, 2, 3, 0, 2, 3); // the same point in B, one metre along x
  assert_int_equal(hf_model_eq_objkind(m)[1], HF_OBJECT_SITE);
  ASSERT_NUMBERS(hf_model_eq_data(m) + 2 * 11, 1, 2, 3, 0, 0);
  ASSERT_NUMBERS(hf_model_eq_solref(m), 0.1, 2, 0.1, 2, 0.1, 2);
  ASSERT_NUMBERS(hf_model_wrap_coef(m), 2, -1);
  assert_int_equal(hf_model_tendon_limited(m)[0], 1);
  assert_int_equal(m->nkey, 2);
  ASSERT_NUMBERS(hf_model_key_qpos(m), 0.5, 0.25, 0, 0);
  ASSERT_NUMBERS(hf_model_key_qvel(m), 1, 2, 0, 0);
  ASSERT_NUMBERS(hf_model_key_mpos(m), 7, 8, 9, 0, 0, 5);
  ASSERT_NUMBERS(hf_model_key_time(m), 2, 0);
  hf_model_free(m);
}

static void test_actuator_shortcuts(void** state) {
  (void)state;
  hfModel* m = parse("<mujoco><default><default class='servo'><position kp='100' kv='3'/></default></default>"
                     "<worldbody><body><joint name='j' range='-90 90'/><geom size='1'/></body></worldbody><actuator>"
                     "<motor joint='j' class='servo'/><position joint='j' class='servo'/><position joint='j' kp='5' timeconst='0.1'/>"
                     "<velocity joint='j' kv='4' class='servo'/><damper joint='j' kv='2' ctrlrange='0 1'/>"
                     "<cylinder joint='j' diameter='2'/><intvelocity joint='j' kp='6' inheritrange='1'/>"
                     "<general joint='j' class='servo'/><damper joint='j' ctrlrange='0 1'/></actuator></mujoco>");
  const double *gain = hf_model_actuator_gainprm(m), *bias = hf_model_actuator_biasprm(m);
  ASSERT_NUMBERS(gain, 1, 0, 0, 100, 0, 0, 5, 0, 0, 4, 0, 0, 0, 0, -2, PI, 0, 0, 6, 0, 0, 100, 0, 0, 0, 0, 0); // as in MuJoCo 4.0.0, also for a damper without kv
  ASSERT_NUMBERS(bias, 0, 0, 0, 0, -100, -3, 0, -5, 0, 0, 0, -4, 0, 0, 0, 0, 0, 0, 0, -6, 0, 0, -100, -3);
  const int32_t* dynamics = hf_model_actuator_dyntype(m);
  assert_int_equal(dynamics[2], HF_ACTIVATION_FILTER_EXACT);
  assert_int_equal(dynamics[5], HF_ACTIVATION_FILTER);
  assert_int_equal(dynamics[6], HF_ACTIVATION_INTEGRATOR);
  assert_int_equal(m->na, 3);
  ASSERT_NUMBERS(hf_model_actuator_actrange(m) + 2 * 6, -PI / 2, PI / 2);
  assert_int_equal(hf_model_actuator_actlimited(m)[6], 1);
  hf_model_free(m);
}

// With inertiafromgeom a body keeps its <inertial> if no geom of it has mass, or is in the groups that count.
static void test_inertial_without_geoms(void** state) {
  (void)state;
  hfModel* m = parse("<mujoco><compiler inertiafromgeom='true' inertiagrouprange='0 1'/><default><joint axis='0 1 0'/></default><worldbody>"
                     "<body><joint/><inertial pos='.1 .2 .3' mass='2' diaginertia='.1 .2 .25'/></body>"
                     "<body><joint/><inertial pos='.1 .2 .3' mass='3' diaginertia='.1 .2 .25'/><geom size='.1' group='2'/><geom size='.1' mass='0'/></body>"
                     "<body><joint/><inertial pos='.1 .2 .3' mass='3' diaginertia='.1 .2 .25'/><geom size='.1' mass='5' pos='1 2 3'/></body></worldbody></mujoco>");
  ASSERT_NUMBERS(hf_model_body_mass(m) + 1, 2, 3, 5);
  ASSERT_NUMBERS(hf_model_body_com(m) + 3, .1, .2, .3, .1, .2, .3, 1, 2, 3);
  ASSERT_NUMBERS(hf_model_body_inertia(m) + 6, .1, .2, .25);
  hf_model_free(m);
}

// An actuator of a class in a class, and the range that MuJoCo 4.0.0 gives it. The joint has the range -1 to 2.
typedef struct RangeCase {
  const char *outer, *inner, *actuator;
  int limited;
  double range[2];
} RangeCase;

static void check_ranges(const RangeCase* cases, size_t count, int activations) {
  for (size_t i = 0; i < count; ++i) {
    char text[600];
    snprintf(text, sizeof text,
             "<mujoco><compiler angle='radian'/><default>%s<default class='c'>%s</default></default><worldbody><body><joint name='j' range='-1 2'/><geom size='1'/>"
             "</body></worldbody><actuator><%s joint='j' class='c'/></actuator></mujoco>",
             cases[i].outer, cases[i].inner, cases[i].actuator);
    hfModel* m = parse(text);
    assert_int_equal(*(activations ? hf_model_actuator_actlimited(m) : hf_model_actuator_ctrllimited(m)), cases[i].limited);
    if (cases[i].limited) assert_numbers(activations ? hf_model_actuator_actrange(m) : hf_model_actuator_ctrlrange(m), cases[i].range, 2);
    if (strncmp(cases[i].actuator, "general", 7) != 0) assert_int_equal(*hf_model_actuator_actearly(m), 0);
    hf_model_free(m);
  }
}

// The later one of a range and an inheritrange holds. What <general> says of activations does not reach shortcuts.
static void test_ranges_of_classes(void** state) {
  (void)state;
  static const RangeCase controls[] = {
      {"", "<position inheritrange='1'/>", "position ctrlrange='-3 3'", 1, {-3, 3}},
      {"<position ctrlrange='-3 3'/>", "<position inheritrange='1'/>", "position", 1, {-1, 2}},
      {"<position inheritrange='1'/>", "<position ctrlrange='0 0'/>", "position", 0, {0, 0}},
      {"<position ctrlrange='-3 3'/>", "", "position inheritrange='0'", 1, {-3, 3}},
      {"<motor ctrlrange='-3 3'/>", "", "position inheritrange='2'", 1, {-2.5, 3.5}},
      {"<motor ctrlrange='-3 3'/>", "<position inheritrange='1'/>", "motor", 0, {0, 0}},
      {"<general inheritrange='1'/>", "", "position", 1, {-1, 2}},
      {"<position inheritrange='1'/>", "", "intvelocity", 0, {0, 0}},
      {"", "", "general biastype='affine' biasprm='0 -1' inheritrange='1' ctrlrange='-3 3'", 1, {-1, 2}},
      {"<pid ctrlrange='-1 1'/>", "", "pid input='pos' posrange='-3 3'", 1, {-3, 3}},
      {"<general actlimited='true' actearly='true'/>", "", "motor", 0, {0, 0}},
  };
  static const RangeCase activations[] = {
      {"<intvelocity actrange='-3 3'/>", "", "intvelocity inheritrange='1'", 1, {-1, 2}},
      {"<intvelocity inheritrange='1'/>", "", "intvelocity actrange='-3 3'", 1, {-3, 3}},
      {"<general actlimited='false' actearly='true' actrange='-3 3'/>", "", "cylinder", 1, {-3, 3}},
      {"<general actlimited='true' actearly='true'/>", "<velocity/>", "general dyntype='filter'", 0, {0, 0}},
      {"", "", "intvelocity actlimited='false' actrange='-3 3'", 1, {-3, 3}},
      {"", "", "intvelocity actlimited='true'", 0, {0, 0}},
  };
  check_ranges(controls, sizeof controls / sizeof *controls, 0);
  check_ranges(activations, sizeof activations / sizeof *activations, 1);
}

// k = I/(T zeta)^2, d = 2 I/T; kv = 2 zeta sqrt(kp I), seen through a gear g: I/g^2.
static void test_springs_and_servos_by_ratio(void** state) {
  (void)state;
  hfModel* m = parse("<mujoco><default><default class='c'><position kp='12' dampratio='0.5'/></default></default><worldbody><body><joint name='j' axis='0 0 1' "
                     "springdamper='0.5 2'/><inertial pos='0 0 0' mass='2' diaginertia='2 2 3'/></body></worldbody><actuator>"
                     "<position joint='j' kp='12' dampratio='0.5'/><position joint='j' kp='12' dampratio='0.5' gear='2'/>"
                     "<general joint='j' gainprm='12' biastype='affine' biasprm='1 -12 0.5'/><general joint='j' gainprm='12' biastype='affine' biasprm='1 -11 0.5'/>"
                     "<position joint='j' class='c'/><general joint='j' class='c' biasprm='1 -11 -4'/>"
                     "</actuator></mujoco>");
  ASSERT_NUMBERS(hf_model_jnt_stiffness(m), 3);
  ASSERT_NUMBERS(hf_model_dof_damping(m), 12);
  ASSERT_NUMBERS(hf_model_actuator_biasprm(m), 0, -12, -6, 0, -12, -3, 1, -12, -6, 1, -11, 0.5, 0, -12, -6, 1, -11, -4); // of the fourth gain and slope differ: no servo
  hf_model_free(m);
}

// tests/CMakeLists.txt makes this locale in the build folder, which needs the Debian package locales.
// The armature of a tendon with the coefficient 2 adds 4 times itself to the inertia of its joint: 3 = 1 + 4 0.5.
static void test_ratios_with_tendon_armature(void** state) {
  (void)state;
  hfModel* m = parse("<mujoco><worldbody><body><joint name='j' axis='0 0 1' springdamper='0.5 2'/>"
                     "<inertial pos='0 0 0' mass='2' diaginertia='1 1 1'/></body></worldbody><tendon><fixed armature='0.5'><joint joint='j' coef='2'/></fixed></tendon>"
                     "<actuator><position joint='j' kp='12' dampratio='0.5'/></actuator></mujoco>");
  ASSERT_NUMBERS(hf_model_jnt_stiffness(m), 3);
  ASSERT_NUMBERS(hf_model_dof_damping(m), 12);
  ASSERT_NUMBERS(hf_model_actuator_biasprm(m), 0, -12, -6);
  hf_model_free(m);
}

static void test_a_locale_with_a_decimal_comma(void** state) {
  (void)state;
  assert_int_equal(setenv("LOCPATH", HF_BINARY_DIR "/locale", 1), 0);
  if (!setlocale(LC_ALL, "de_DE.UTF-8")) skip();
  hfModel* m = parse("<mujoco><option timestep='0.125'/></mujoco>");
  ASSERT_NUMBERS(&m->world.timestep, 0.125);
  assert_string_equal(localeconv()->decimal_point, ",");
  hf_model_free(m);
  setlocale(LC_ALL, "C");
}

// MuJoCo makes rotations of zero and of unnormalised quaternions; an empty attribute is one that is not there.
static void test_what_mujoco_forgives(void** state) {
  (void)state;
  hfDiagnostics* d = hf_diagnostics_create();
  hfModel* m = parse_with("<mujoco><worldbody><body><freejoint/><geom name='g' size='0.1' rgba='' pos='' friction=' '/></body>"
                          "<body mocap='true' name='h'/></worldbody><keyframe><key qpos='1 2 3 0 0 0 0' mquat='0 0 0 0'/>"
                          "<key qpos='1 2 3 0 3 0 4' mquat='0 -2 0 0'/></keyframe><sensor><contact name='c' geom1='g' data='found' reduce='none'/></sensor></mujoco>", NULL, d);
  ASSERT_NUMBERS(hf_model_key_qpos(m), 1, 2, 3, 1, 0, 0, 0, 1, 2, 3, 0, 0.6, 0, 0.8);
  ASSERT_NUMBERS(hf_model_key_mquat(m), 1, 0, 0, 0, 0, -1, 0, 0);
  ASSERT_NUMBERS(hf_model_geom_friction(m), 1, 0.005, 0.0001);
  for (int i = 0; i < hf_diagnostics_count(d); ++i) assert_null(strstr(hf_diagnostics_get(d, i).message, "name="));
  hf_diagnostics_free(d);
  hf_model_free(m);
}

// A file that an included file names is found beside the main file, behind meshdir and the folder of the included file, or beside the
// included file.
// What MuJoCo 4.0.0 makes of these: a pos of zeros beside fromto, paths with backslashes, and contacts whose parameters are overridden.
static void test_more_that_mujoco_reads(void** state) {
  (void)state;
  hfModel* m = parse("<mujoco><asset><hfield name='f' file='..\\import\\heights.png' size='1 1 1 1'/></asset><worldbody><geom type='hfield' hfield='f'/>"
                     "<body><geom type='capsule' size='.1' pos='0 0 0' quat='1 1 0 0' fromto='0 0 0 0 0 1'/></body></worldbody></mujoco>");
  assert_int_equal(m->nhfield, 1);
  ASSERT_NUMBERS(hf_model_geom_pos(m) + 3, 0, 0, 0.5);
  hf_model_free(m);
  const char* xml = "<mujoco><option o_margin='.02' o_solref='.1 2' o_friction='.5 .7 .01'><flag override='%s'/></option><worldbody>"
                    "<geom name='a' size='1' friction='3' margin='1'/><body><geom name='b' size='1' solref='.5 .5'/></body></worldbody>"
                    "<contact><pair geom1='a' geom2='b' friction='9'/></contact></mujoco>";
  for (int on = 0; on < 2; ++on) {
    char text[800];
    snprintf(text, sizeof text, xml, on ? "enable" : "disable");
    m = parse(text);
    if (on) {
      ASSERT_NUMBERS(hf_model_geom_friction(m), 0.6, 0.01, 0.0001, 0.6, 0.01, 0.0001);
      ASSERT_NUMBERS(hf_model_geom_solref(m), 0.1, 2, 0.1, 2);
      ASSERT_NUMBERS(hf_model_geom_margin(m), 0.01, 0.01); // 0.02 for a pair
      ASSERT_NUMBERS(hf_model_pair_friction(m), 0.5, 0.7, 0.01, 0.0001, 0.0001);
      ASSERT_NUMBERS(hf_model_pair_solimp(m), 0.9, 0.95, 0.001, 0.5, 2);
    } else {
      ASSERT_NUMBERS(hf_model_geom_friction(m), 3);
      ASSERT_NUMBERS(hf_model_geom_margin(m), 1, 0);
      ASSERT_NUMBERS(hf_model_pair_friction(m), 9);
    }
    hf_model_free(m);
  }
}

// Ranges without an end, and coefficients of robots whose identification made a joint drive what it has to brake.
static void test_ranges_without_ends_and_negative_damping(void** state) {
  (void)state;
  hfDiagnostics* d = hf_diagnostics_create();
  hfModel* m = parse_with("<mujoco><worldbody><body><joint name='a' range='-inf inf'/><joint axis='0 1 0' range=' -inf 90 '/>"
                          "<joint type='slide' axis='1 0 0' range='-0.5 inf' damping='-0.01' frictionloss='-1' actuatorfrcrange='-inf inf'/><geom size='.1'/></body></worldbody>"
                          "<actuator><motor joint='a' ctrlrange='-inf inf' forcerange='-INFINITY 2'/></actuator></mujoco>", NULL, d);
  const int32_t limited[] = {0, 1, 1};
  assert_memory_equal(hf_model_jnt_limited(m), limited, sizeof limited);
  ASSERT_NUMBERS(hf_model_jnt_range(m) + 3, acos(0), -0.5, 1e10);
  assert_below(hf_model_jnt_range(m)[2], -1e8);
  ASSERT_NUMBERS(hf_model_dof_damping(m), 0, 0, 0);
  ASSERT_NUMBERS(hf_model_dof_frictionloss(m), 0, 0, 0);
  assert_int_equal(hf_model_jnt_actfrclimited(m)[2], 0);
  assert_int_equal(hf_model_actuator_ctrllimited(m)[0], 0);
  assert_int_equal(hf_model_actuator_forcelimited(m)[0], 1);
  ASSERT_NUMBERS(hf_model_actuator_forcerange(m), -1e10, 2);
  assert_int_equal(find_diagnostic(d, "damping -0.01 is negative: 0 is used").severity, HF_WARNING);
  find_diagnostic(d, "frictionloss -1 is negative");
  hf_diagnostics_free(d);
  hf_model_free(m);
}

static void test_meshes_of_included_files(void** state) {
  (void)state;
  static const char* const places[] = {"m/ell.obj", "m/parts/ell.obj", "parts/ell.obj"};
  for (size_t i = 0; i < sizeof places / sizeof *places; ++i) {
    char root[] = "/tmp/holdfast_include_XXXXXX", command[600], path[100];
    assert_non_null(mkdtemp(root));
    snprintf(command, sizeof command,
             "cd %s && mkdir -p m/parts parts && cp " DATA "/ell.obj %s && "
             "echo \"<mujoco><asset><mesh name='e' file='ell.obj'/></asset></mujoco>\" >parts/inc.xml && "
             "echo \"<mujoco><compiler meshdir='m'/><include file='parts/inc.xml'/><worldbody><geom type='mesh' mesh='e'/></worldbody>"
             "</mujoco>\" >main.xml", root, places[i]);
    assert_int_equal(system(command), 0);
    snprintf(path, sizeof path, "%s/main.xml", root);
    hfModel* m = NULL;
    hfError error;
    if (hf_model_load(&m, path, NULL, NULL, &error) != HF_OK) fail_msg("%s: %s", places[i], error.message);
    hf_model_free(m);
    snprintf(command, sizeof command, "rm -rf %s", root);
    assert_int_equal(system(command), 0);
  }
}

// What a keyframe does not give stands at its reference; of mocap poses only whole ones count (both as MuJoCo 4.0.0 has them).
static void test_short_keyframes(void** state) {
  (void)state;
  hfModel* m = parse("<mujoco><worldbody><body><joint name='a' type='slide' ref='.5'/><geom size='.1'/></body><body pos='1 2 3'><freejoint/><geom size='.1'/></body>"
                           "<body mocap='true' pos='4 5 6'/><body mocap='true' pos='7 8 9'/></worldbody><actuator><motor joint='a'/><general joint='a' dyntype='integrator'/></actuator>"
                           "<keyframe><key qpos='7 8' mpos='1 2 3 4' mquat='0 1 0 0 1'/><key qvel='1' ctrl='3' act=''/><key qpos='' mpos='1 2'/></keyframe></mujoco>");
  ASSERT_NUMBERS(hf_model_key_qpos(m), 7, 8, 2, 3, 1, 0, 0, 0, .5, 1, 2, 3, 1, 0, 0, 0, .5, 1, 2, 3, 1, 0, 0, 0);
  ASSERT_NUMBERS(hf_model_key_qvel(m) + m->nv, 1, 0, 0, 0, 0, 0, 0);
  ASSERT_NUMBERS(hf_model_key_ctrl(m), 0, 0, 3, 0, 0, 0);
  ASSERT_NUMBERS(hf_model_key_mpos(m), 1, 2, 3, 7, 8, 9, 4, 5, 6, 7, 8, 9, 4, 5, 6, 7, 8, 9);
  ASSERT_NUMBERS(hf_model_key_mquat(m), 0, 1, 0, 0, 1, 0, 0, 0);
  hf_model_free(m);
}

// A muscle on a tendon with the length .5 j - .3 k, whose joints have limits. Writes the lengths at the ends of its scaled range, .75 and 1.05.
static void find_lengths(const char* compiler, double length[2]) {
  char text[1024];
  snprintf(text, sizeof text,
           "<mujoco><compiler>%s</compiler><default><joint type='slide' axis='1 0 0' damping='3' frictionloss='2' stiffness='50'/></default><worldbody>"
           "<body><joint name='j' range='-1 .5'/><geom size='.1' mass='2'/></body><body pos='0 1 0'><joint name='k' range='0 2'/><geom size='.1' mass='1'/></body>"
           "</worldbody><tendon><fixed name='t' range='-3 4'><joint joint='j' coef='.5'/><joint joint='k' coef='-.3'/></fixed></tendon>"
           "<actuator><motor joint='j'/><muscle tendon='t'/></actuator></mujoco>",
           compiler);
  hfModel* m = parse(text);
  const double* muscle = hf_model_actuator_muscle(m) + 8;
  for (int k = 0; k < 2; ++k) length[k] = muscle[0] + (k ? 1.05 : 0.75) * muscle[1];
  hf_model_free(m);
}

// Without a lengthrange the muscle is pulled until limits hold it: -.5 - .6 and .25. A limit yields to 20 m/s^2 by less than 2 mm. With uselimit the
// limits of the tendon count.
static void test_lengths_of_a_muscle(void** state) {
  (void)state;
  static const char* const pulled[] = {"", "<lengthrange accel='5' maxforce='10' timeconst='.5' timestep='.02' inttotal='20' interval='1'/>"};
  double length[2];
  for (int i = 0; i < 2; ++i) {
    find_lengths(pulled[i], length);
    assert_float_equal(length[0], -1.1, 2e-3);
    assert_float_equal(length[1], 0.25, 2e-3);
  }
  find_lengths("<lengthrange uselimit='true'/>", length);
  ASSERT_NUMBERS(length, -3, 4);
  find_lengths("<lengthrange mode='none'/>", length);
  ASSERT_NUMBERS(length, -3, 4);
}

// Gain and bias of a muscle have numbers of their own, which a class and an element may give in part. Those of the first are MuJoCo 4.0's numbers for the same
// file; <muscle> gives the bias those of the gain.
static void test_two_sets_of_a_muscle(void** state) {
  (void)state;
  hfModel* m = parse("<mujoco><default><general gaintype='muscle' biastype='muscle' lengthrange='0 1' gainprm='.7 1.1 5 100 .4 1.7 1.4 1.1 1.25' "
                           "biasprm='.6 1.2 6 90 .3 1.8 1.6 1.5 1.3'/></default><worldbody><body><joint name='j'/><geom size='.1'/></body></worldbody><actuator>"
                           "<general joint='j' biasprm='.5 1.5 3'/><general joint='j' gaintype='fixed' gainprm='2'/><muscle joint='j' force='7'/></actuator></mujoco>");
  ASSERT_NUMBERS(hf_model_actuator_muscle(m), -1.75, 2.5, 5, .4, 1.7, 1.4, 1.1, 1.25);
  ASSERT_NUMBERS(hf_model_actuator_passive(m), -.5, 1, 3, 1.8, 1.5, -1, 5. / 3, 6, 1.8, 1.5, -1.75, 2.5, 7, 1.7, 1.1);
  ASSERT_NUMBERS(hf_model_actuator_muscle(m) + 16, -1.75, 2.5, 7, .4, 1.7, 1.4, 1.1, 1.25);
  hf_model_free(m);
}

// What a muscle without lengthrange may pull: a hinge with the range [-1, .5], or the ball joint behind it with the range [0, .4], whose length is that of
// the rotation about the gear. The numbers are those of MuJoCo 4.0, which pulls with soft limits, too. With uselimit the limits count without the gear.
static void test_lengths_of_other_transmissions(void** state) {
  (void)state;
  static const struct {
    const char *compiler, *actuator;
    double low, high, tolerance;
  } cases[] = {
      {"", "joint='b' gear='1 0 0'", -.4008, .4008, 2e-3},
      {"", "joint='b' gear='0 2 0'", -.8137, .8186, 2e-2},
      {"", "jointinparent='b' gear='0 1 0'", -.4069, .4093, 1e-2},
      {"", "jointinparent='j' gear='-2'", -1.0007, 2.0008, 2e-3},
      {"", "site='s' refsite='w' gear='1 0 0'", -.5063, -.1408, 2e-3},
      {"", "site='s' refsite='w' gear='0 0 0 0 1 0'", -1.0004, .5004, 2e-3},
      {"", "cranksite='s' slidersite='slider' cranklength='1'", -.6557, -.3180, 2e-3},
      {"<lengthrange uselimit='true'/>", "joint='j' gear='-2'", -1, .5, 1e-14},
      {"<lengthrange uselimit='true'/>", "jointinparent='b' gear='0 1 0'", 0, .4, 1e-14},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    char text[1500];
    snprintf(text, sizeof text,
             "<mujoco><compiler angle='radian'>%s</compiler><worldbody><site name='w' pos='.5 0 0'/><site name='slider' pos='.2 0 -.3'/><body><joint name='j' axis='0 1 0' "
             "range='-1 .5'/><geom size='.1' pos='0 0 1'/><site name='s' pos='.3 0 .2'/><body pos='0 0 1'><joint name='b' type='ball' range='0 .4'/><geom size='.1' pos='.2 0 1'/>"
             "<site name='crank' pos='.1 0 .2'/></body></body></worldbody><actuator><general gaintype='muscle' gainprm='.75 1.05 5 100 .4 1.7 1.4 1.1 1.25' %s/></actuator></mujoco>",
             cases[i].compiler, cases[i].actuator);
    hfModel* m = parse(text);
    assert_int_equal(m->nu, 1);
    const double* muscle = hf_model_actuator_muscle(m);
    assert_float_equal(muscle[0] + .75 * muscle[1], cases[i].low, cases[i].tolerance);
    assert_float_equal(muscle[0] + 1.05 * muscle[1], cases[i].high, cases[i].tolerance);
    hf_model_free(m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_two_sets_of_a_muscle), cmocka_unit_test(test_declarations), cmocka_unit_test(test_lengths_of_other_transmissions),
      cmocka_unit_test(test_short_keyframes), cmocka_unit_test(test_what_mujoco_forgives), cmocka_unit_test(test_more_that_mujoco_reads), cmocka_unit_test(test_meshes_of_included_files),
      cmocka_unit_test(test_ranges_without_ends_and_negative_damping),
      cmocka_unit_test(test_orientation_forms), cmocka_unit_test(test_sign_of_xy_axes), cmocka_unit_test(test_frame_of_bounded_inertia), cmocka_unit_test(test_default_classes),
      cmocka_unit_test(test_frames),            cmocka_unit_test(test_fromto), cmocka_unit_test(test_angles_of_replicas_grow),
      cmocka_unit_test(test_joints),            cmocka_unit_test(test_bodies_come_depth_first),
      cmocka_unit_test(test_dashes_in_comments), cmocka_unit_test(test_attributes_without_blanks),
      cmocka_unit_test(test_xml_that_others_read), cmocka_unit_test(test_held_balls_and_actdim),
      cmocka_unit_test(test_options),           cmocka_unit_test(test_contact_attributes),
      cmocka_unit_test(test_holdfast_parameters), cmocka_unit_test(test_attached_parameters), cmocka_unit_test(test_number_of_keys), cmocka_unit_test(test_sizes_of_memory), cmocka_unit_test(test_constraints_and_keys),
      cmocka_unit_test(test_actuator_shortcuts), cmocka_unit_test(test_inertial_without_geoms), cmocka_unit_test(test_ranges_of_classes), cmocka_unit_test(test_springs_and_servos_by_ratio), cmocka_unit_test(test_ratios_with_tendon_armature),
      cmocka_unit_test(test_lengths_of_a_muscle),
      cmocka_unit_test(test_a_locale_with_a_decimal_comma),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
