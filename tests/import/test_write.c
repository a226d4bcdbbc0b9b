// Load, change, write: every field of a model that was written as MJCF and read again is that of the first model.
#include "import/support.h"
#include "support/round_trip.h"

static void test_round_trips(void** state) {
  (void)state;
  assert_above(check_all(HF_SOURCE_DIR "/models/*.xml"), 20);
  assert_above(check_all(HF_SOURCE_DIR "/tests/scenes/*.xml"), 10);
  assert_above(check_all(DATA "/*.xml"), 10);
  assert_above(check_all(DATA "/*.urdf"), 1);
  // The moments of a robot that is attached askew have been turned twice, and no moments of a file need give the same bits.
  check_round_trip_within(HF_SOURCE_DIR "/examples/ros/table.xml", 1e-14);
}

// Screws, signals, drive laws, parameters of unnamed geoms, names with characters that XML reserves, and with line ends.
static void test_what_mjcf_lacks(void** state) {
  (void)state;
  static const char text[] =
      "<mujoco><custom><text name='hf.signal.m&lt;1&quot;' data='table 0 1 2.5 3 4 -1'/><text name='hf.drive.p' data='constraint'/>"
      "<numeric name='hf.g.restitution' data='0.5'/><text name='hf.friction_rule' data='harmonic'/>"
      "<numeric name='hf.g.friction_dynamic' data='0.25'/></custom><worldbody><body><joint name='j'/><geom name='g' size='0.1'/></body>"
      "<body name='two&#10;lines&#9;tab&#13;'><joint type='screw' pitch='-0.02' axis='1 2 0' pos='.1 .2 .3' range='-90 30'/><geom size='0.1'/></body></worldbody><actuator><motor name='m&lt;1&quot;' joint='j'/><position name='p' joint='j' kp='10' dampratio='0.7'/></actuator>"
      "</mujoco>";
  check_text_round_trip(text);
  hfModel* m = NULL;
  assert_int_equal(hf_model_load(&m, written, NULL, NULL, NULL), HF_OK);
  assert_int_equal(m->world.friction_rule, HF_COMBINE_HARMONIC);
  ASSERT_NUMBERS(hf_model_signal_data(m), 0, 1, 2.5, 3, 4, -1);
  ASSERT_NUMBERS(hf_model_geom_friction_dynamic(m), 0.25);
  assert_int_equal(hf_model_find(m, HF_OBJECT_BODY, "two\nlines\ttab\r"), 2);
  hf_model_free(m);
}

// Everything that acts and measures: spatial tendons, muscles, PIDs, polynomials, softness, sensors with all their words, a medium.
static void test_what_acts(void** state) {
  (void)state;
  static const char text[] =
      "<mujoco><option density='1.2' viscosity='2e-5' wind='1 2 3' magnetic='.1 .2 .3' actuatorgroupdisable='2 30'/><asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/></asset>"
      "<worldbody><site name='w' pos='0 0 2'/><geom name='post' type='cylinder' size='.1 .2' contype='0' conaffinity='0'/><geom type='box' mesh='m' fitscale='.5'/>"
      "<body name='a' pos='0 0 1'><joint name='j' axis='0 1 0' stiffness='1 2 3' damping='.1 .2 .3' range='-1 1' solreflimit='.03 1'/>"
      "<geom name='g' type='capsule' size='.05 .2' fluidshape='ellipsoid' fluidcoef='.1 .2 .3 .4 .5'/><site name='s' pos='.3 0 0'/><site pos='.1 0 0'/>"
      "<body name='b' pos='.5 0 0'><joint name='k' type='slide' axis='1 0 0' range='-1 1'/><geom name='h' size='.1'/><site name='t' size='.2'/></body></body></worldbody>"
      "<contact><pair geom1='g' geom2='post' friction='.5' solref='-100 -2'/></contact>"
      "<tendon><spatial name='rope' range='0 2' stiffness='5 1 2' damping='1 0 3' springlength='.1 .2' springyield='.3' solreflimit='.04 1' solimplimit='.5 .9 .1'><site site='w'/>"
      "<geom geom='post' sidesite='s'/><site site='t'/><pulley divisor='2'/><site site='s'/><site site='t'/></spatial>"
      "<fixed name='sum' armature='.1'><joint joint='j' coef='2'/><joint joint='k' coef='-1'/></fixed></tendon>"
      "<equality><tendon tendon1='sum' solref='.1 2' active='false'/><weld site1='s' site2='w' active='false' torquescale='3'/></equality>"
      "<actuator><muscle name='mu' tendon='rope' lengthrange='.5 2' timeconst='.02 .05' tausmooth='.1' force='50' range='.7 1.1'/>"
      "<general name='half' joint='j' gaintype='muscle' gainprm='.75 1.05 -1 200 .5 1.6 1.5 1.3 1.2' lengthrange='-1 1'/>"
      "<general name='both' joint='j' gaintype='muscle' biastype='muscle' gainprm='.75 1.05 -1 200 .5 1.6 1.5 1.3 1.2' biasprm='.8 1.1 7 9 .4 1.7 1.4 1.1 1.25' lengthrange='-1 1'/>"
      "<pid name='p' joint='j' kp='10' dampratio='.8' ki='3' imax='2'/><pid joint='k' kp='10' kv='2' slewmax='.5'/><pid joint='k' kp='5' dampratio='.7' slewmax='.1' input='pos'/>"
      "<plugin plugin='mujoco.pid' joint='k'><config key='kp' value='7'/><config key='ki' value='3'/><config key='imax' value='2'/></plugin>"
      "<cylinder joint='k' area='2' bias='1 2 3' timeconst='.3'/><damper joint='k' kv='3' ctrlrange='0 1'/><motor site='s' refsite='w' gear='1 2 3 4 5 6' delay='.01' nsample='6' interp='cubic'/>"
      "<position name='crank' cranksite='t' slidersite='s' cranklength='.75' group='2' gear='3' kp='4' dampratio='.5'/>"
      "<dcmotor name='dc' joint='j' nominal='12 .5 100' inductance='.01' thermal='5 0 30 .004 25 20' saturation='0 4 100' cogging='.1 6 .2' lugre='50 1 .1 .2 .3' "
      "input='pos ff voltage' controller='3 2 1 4 .5 10' ctrlrange='-1 1'/><dcmotor joint='k' motorconst='0' resistance='1' input='none' lugre='10 1 .1 .2 .1'/></actuator>"
      "<keyframe><key ctrl='1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16'/></keyframe>"
      "<sensor><contact geom1='g' body2='b' data='found force tangent' reduce='maxforce' num='3' noise='.1' delay='.01' nsample='6' interval='.003 -.001' interp='cubic'/><contact subtree1='a' data='dist' num='2'/>"
      "<contact site='t' subtree2='a' data='force torque' reduce='netforce'/><rangefinder site='s' data='dist point depth' cutoff='3'/><magnetometer site='s'/>"
      "<insidesite objtype='xbody' objname='a' site='t'/><distance geom1='g' body2='b' cutoff='2'/><normal body1='a' geom2='h'/><fromto geom1='g' geom2='h'/>"
      "<user dim='4'/><tendonlimitfrc tendon='rope'/><tendonactuatorfrc tendon='rope'/><framepos objtype='geom' objname='g' reftype='body' refname='b'/></sensor></mujoco>";
  check_text_round_trip(text);
}

// Cameras in all their forms, one that looks at a body behind it in the file, and sensors of cameras.
static void test_cameras(void** state) {
  (void)state;
  static const char text[] =
      "<mujoco><default><camera fovy='30' resolution='8 6'/></default><worldbody><camera name='w' mode='targetbody' target='b' pos='0 0 1'/><camera mode='targetbodycom' target='b'/>"
      "<camera projection='orthographic' fovy='2'/><body name='a'><joint name='j'/><geom size='.1'/><site name='s'/><camera name='c' mode='track' euler='10 20 30'/>"
      "<camera mode='trackcom'/><camera sensorsize='.0064 .0048' focal='.005 .006' principal='.001 .002'/><camera sensorsize='.0064 .0048' focalpixel='5 6' principalpixel='1 2'/></body>"
      "<body name='b' pos='1 0 0'><geom size='.1'/></body></worldbody><sensor><camprojection site='s' camera='w'/><rangefinder camera='c' data='dist depth'/>"
      "<framepos objtype='camera' objname='c' reftype='camera' refname='w'/><insidesite objtype='camera' objname='c' site='s'/></sensor></mujoco>";
  check_text_round_trip(text);
  for (double fovy = 0.5; fovy < 180; fovy += 0.37) { // the angle is in radians in a model, and in degrees in a file
    char camera[128];
    snprintf(camera, sizeof camera, "<mujoco><worldbody><camera fovy='%g'/></worldbody></mujoco>", fovy);
    check_text_round_trip(camera);
  }
}

// Orientation servos in all their forms, with sensors of three numbers, beside other actuators.
static void test_orientation_servos(void** state) {
  (void)state;
  static const char text[] =
      "<mujoco><worldbody><site name='w'/><body><joint name='b' type='ball'/><geom size='.1'/><site name='s' euler='10 20 30'/></body></worldbody><actuator>"
      "<orientation name='o' joint='b' kp='3' kv='.2' forcerange='0 2' delay='.01' nsample='6' group='2'/><motor joint='b' gear='1 2 3'/>"
      "<orientation name='q' site='s' refsite='w' kp='3' dampratio='.7' input='quat' ctrlrange='-1 1'/>"
      "<general name='i' joint='b' gaintype='so3' biastype='so3' dyntype='integrator' gainprm='4' biasprm='0 -4 -1' actrange='-1 1' actearly='true'/></actuator>"
      "<sensor><actuatorpos actuator='o'/><actuatorfrc actuator='q' cutoff='3'/><actuatorvel actuator='i'/></sensor>"
      "<keyframe><key ctrl='1 2 3 4 5 6 7 8 9 10 11' act='.1 .2 .3'/></keyframe></mujoco>";
  check_text_round_trip(text);
  hfModel* m = NULL;
  assert_int_equal(hf_model_load(&m, written, NULL, NULL, NULL), HF_OK);
  assert_int_equal(m->nsensordata, 9);
  assert_int_equal(hf_model_find(m, HF_OBJECT_ACTUATOR, "o.z"), 2);
  assert_int_equal(hf_model_find(m, HF_OBJECT_ACTUATOR, "q.x"), 5);
  hf_model_free(m);
}

// Change a mass, a friction coefficient, a range and a gain of a file; the numbers are in what is written.
static void test_change_and_write(void** state) {
  (void)state;
  hfBuilder* b = NULL;
  hfModel* m = NULL;
  hfError error;
  assert_int_equal(hf_builder_load(&b, HF_SOURCE_DIR "/models/wsg50.xml", NULL, NULL, &error), HF_OK);
  hfGeomDef geom = *hf_builder_geom(b, 0);
  hfJointDef joint = *hf_builder_joint(b, 0);
  hfActuatorDef actuator = *hf_builder_actuator(b, 0);
  geom.friction[0] = 0.123;
  joint.damping = 77;
  actuator.forcelimited = 1, actuator.forcerange[0] = -5, actuator.forcerange[1] = 5;
  assert_int_equal(hf_builder_set_geom(b, 0, &geom, &error), HF_OK);
  assert_int_equal(hf_builder_set_joint(b, 0, &joint, &error), HF_OK);
  assert_int_equal(hf_builder_set_actuator(b, 0, &actuator, &error), HF_OK);
  joint.range[0] = 1, joint.range[1] = -1, joint.limited = 1;
  assert_int_equal(hf_builder_set_joint(b, 0, &joint, &error), HF_ERROR_MODEL);
  assert_int_equal(hf_builder_set_geom(b, 10000, &geom, &error), HF_ERROR_ARGUMENT);
  assert_int_equal(hf_builder_write_mjcf(b, written, &error), HF_OK);
  assert_int_equal(hf_model_load(&m, written, NULL, NULL, &error), HF_OK);
  ASSERT_NUMBERS(hf_model_geom_friction(m), 0.123);
  ASSERT_NUMBERS(hf_model_dof_damping(m), 77);
  ASSERT_NUMBERS(hf_model_actuator_forcerange(m), -5, 5);
  hf_model_free(m);
  hf_builder_free(b);
}

// Names that no XML file can hold are refused, and the older file stays: a file with them could not be read again.
static void test_names_that_xml_cannot_hold(void** state) {
  (void)state;
  static const char* const names[] = {"bell\x07", "half \xc3", "latin \xe9 1", "long \xc0\xaf", "surrogate \xed\xa0\x80", "last \xef\xbf\xbf", "\xf5\x80\x80\x80", "tail \x80"};
  static const char* const good[] = {"\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\xa4\x96", "\xef\xbf\xbd", "\x7f"};
  check_text_round_trip("<mujoco model='older'/>");
  for (size_t i = 0; i < sizeof names / sizeof *names + sizeof good / sizeof *good; ++i) {
    int bad = i < sizeof names / sizeof *names;
    hfBuilder* b = hf_builder_create();
    hfModel* m = NULL;
    hfError error;
    assert_non_null(b);
    hfBodyDef body = hf_body_def_default();
    body.name = bad ? names[i] : good[i - sizeof names / sizeof *names];
    assert_int_equal(hf_builder_add_body(b, &body, &error), 1);
    assert_int_equal(hf_builder_write_mjcf(b, written, &error), bad ? HF_ERROR_UNSUPPORTED : HF_OK);
    if (bad) assert_non_null(strstr(error.message, ", which XML cannot hold there"));
    assert_int_equal(hf_model_load(&m, written, NULL, NULL, &error), HF_OK);
    assert_int_equal(m->nbody, bad ? 1 : 2);
    if (!bad) assert_int_equal(hf_model_find(m, HF_OBJECT_BODY, body.name), 1);
    hf_model_free(m);
    hf_builder_free(b);
  }
}

// Other programs that read the file step implicitly, as Holdfast does.
static void test_integrator(void** state) {
  (void)state;
  char text[400] = "";
  check_text_round_trip("<mujoco><worldbody/></mujoco>");
  FILE* in = fopen(written, "r");
  assert_non_null(in);
  assert_above(fread(text, 1, sizeof text - 1, in), 0);
  assert_int_equal(fclose(in), 0);
  assert_non_null(strstr(text, "integrator=\"implicitfast\""));
}

static int count_written(const char* word) {
  char text[4000] = "";
  int count = 0;
  FILE* in = fopen(written, "r");
  assert_non_null(in);
  assert_above(fread(text, 1, sizeof text - 1, in), 0);
  assert_int_equal(fclose(in), 0);
  for (const char* s = text; (s = strstr(s, word)); ++s) ++count;
  return count;
}

// Point masses and thin rods: MuJoCo refuses them as fullinertia, and takes them as diaginertia. The axes of a rod that stands askew are known but for
// turns about it, so that only its inertia is compared.
static void test_inertias_with_zeros(void** state) {
  (void)state;
#define LINK(inertia) "<body><inertial pos='.1 .2 .3' mass='1' " inertia "/></body>"
  check_text_round_trip("<mujoco><worldbody><body><joint/><geom size='.1'/>" LINK("fullinertia='0 0 0 0 0 0'") LINK("diaginertia='.2 0 .2'")
                        LINK("fullinertia='3 2 1.5 .1 0 0'") "</body></worldbody></mujoco>");
  assert_int_equal(count_written("fullinertia"), 1);
  assert_int_equal(count_written("diaginertia"), 2);
  hfBuilder* b = hf_builder_create();
  hfModel* m = NULL;
  hfError error;
  hfBodyDef rod = hf_body_def_default();
  const double askew[6] = {0.0416, 0.0041, 0.0425, -0.01, -0.002, -0.008};
  rod.has_inertial = 1, rod.mass = 1;
  memcpy(rod.inertia, askew, sizeof askew);
  assert_above(hf_builder_add_body(b, &rod, &error), 0);
  assert_int_equal(hf_builder_write_mjcf(b, written, &error), HF_OK);
  assert_int_equal(count_written("diaginertia"), 1);
  assert_int_equal(hf_model_load(&m, written, NULL, NULL, &error), HF_OK);
  assert_numbers(hf_model_body_inertia(m) + 6, askew, 6);
  hf_model_free(m);
  hf_builder_free(b);
}

// A model that was saved as a block is read like any other file, and its bytes like any other text, wherever they stand in memory.
static void test_saved_model(void** state) {
  (void)state;
  hfModel *m = NULL, *again = NULL;
  hfBuilder* b = NULL;
  hfError error;
  assert_int_equal(hf_model_load(&m, HF_SOURCE_DIR "/models/wsg50.xml", NULL, NULL, &error), HF_OK);
  assert_int_equal(hf_model_write(m, written, &error), HF_OK);
  assert_int_equal(hf_model_load(&again, written, NULL, NULL, &error), HF_OK);
  assert_int_equal(m->size, again->size);
  assert_memory_equal(m, again, m->size);
  assert_int_equal(hf_builder_load(&b, written, NULL, NULL, &error), HF_ERROR_UNSUPPORTED);
  hf_model_free(again);
  char* bytes = malloc(m->size + 1);
  memcpy(bytes + 1, m, m->size);
  assert_int_equal(hf_model_parse(&again, bytes + 1, m->size, "block", NULL, NULL, NULL, &error), HF_OK);
  assert_memory_equal(m, again, m->size);
  assert_int_equal(hf_builder_parse(&b, bytes + 1, m->size, "block", NULL, NULL, NULL, &error), HF_ERROR_UNSUPPORTED);
  hfModel* none = NULL;
  for (size_t size = 8; size < m->size; size += size / 2) {
    assert_int_equal(hf_model_parse(&none, bytes + 1, size, "block", NULL, NULL, NULL, &error), HF_ERROR_PARSE);
    assert_string_equal(error.message, "block: cut short");
  }
  assert_null(none);
  free(bytes);
  hf_model_free(m);
  hf_model_free(again);
}

// The hull of a cube with a point in its middle: 12 triangles of outward normals over the 8 corners.
static void test_hull(void** state) {
  (void)state;
  double vert[27] = {0};
  for (int i = 0; i < 8; ++i)
    for (int k = 0; k < 3; ++k) vert[3 * i + k] = i >> k & 1 ? 1 : -1;
  int32_t* tri = NULL;
  int32_t ntri = 0;
  assert_int_equal(hf_hull_compute(vert, 9, 0, &tri, &ntri, NULL), HF_OK);
  assert_int_equal(ntri, 12);
  double volume = 0;
  for (int i = 0; i < ntri; ++i) {
    const double *a = vert + 3 * tri[3 * i], *b = vert + 3 * tri[3 * i + 1], *c = vert + 3 * tri[3 * i + 2];
    volume += (a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0])) / 6;
    for (int k = 0; k < 3; ++k) assert_in_range(tri[3 * i + k], 0, 7);
  }
  ASSERT_NUMBERS(&volume, 8);
  hf_hull_free(tri);
  hfError error;
  double flat[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};
  assert_int_equal(hf_hull_compute(flat, 4, 0, &tri, &ntri, &error), HF_ERROR_MODEL);
}

// Drake refuses a file without one.
static void test_model_name(void** state) {
  (void)state;
  check_text_round_trip("<mujoco><worldbody><geom size='.1'/></worldbody></mujoco>");
  assert_int_equal(count_written("<mujoco model=\"holdfast\">"), 1);
}

// Inertial frames, whose axes sensors of "body" show. Numbers of MuJoCo 4.0.0, whose principal axes are exact to 1e-8.
static void test_inertial_frames(void** state) {
  (void)state;
#define BOX "<geom type='box' size='.02 .03 .01'"
  static const char text[] = "<mujoco><worldbody><body>" BOX "/></body><body>" BOX " euler='10 20 30'/></body><body><inertial pos='0 0 0' mass='1' diaginertia='.2 .1 .25' euler='10 20 30'/></body>"
                             "<body><inertial pos='0 0 0' mass='1' fullinertia='.2 .1 .25 .01 .02 .03'/></body><body><inertial pos='0 0 0' mass='1' fullinertia='.2 .1 .25 0 0 0'/></body>"
                             "<body>" BOX "/><geom size='.02' pos='.1 0 0'/></body><body>" BOX "/><geom size='.02' pos='.1 .05 .02'/></body><body>" BOX "/><geom size='.02' mass='0'/></body>"
                             "<body euler='5 10 20'/></worldbody></mujoco>";
  static const double expected[9][4] = {{1, 0, 0, 0},
                                        {.943714364147489, .127679440695781, .144878125417369, .268535822751569},
                                        {.943714364147489, .127679440695781, .144878125417369, .268535822751569},
                                        {.614288635697054, .533382813558054, -.353445163678815, .461767000257061},
                                        {.5, .5, -.5, .5},
                                        {0, .707106781186549, 0, .707106781186549},
                                        {-.161167567896337, .62113406367954, .168117812207636, .748300668991979},
                                        {1, 0, 0, 0},
                                        {.979466355383821, .0579132788770984, .0782043543193087, .176566672297856}};
  hfModel* m = parse(text);
  assert_int_equal(m->nbody, 10);
  for (int i = 0; i < 36; ++i) assert_below(fabs(hf_model_body_iquat(m)[4 + i] - expected[i / 4][i % 4]), 1e-7);
  hf_model_free(m);
  check_text_round_trip(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_round_trips),      cmocka_unit_test(test_what_mjcf_lacks), cmocka_unit_test(test_what_acts), cmocka_unit_test(test_cameras), cmocka_unit_test(test_orientation_servos),
      cmocka_unit_test(test_change_and_write), cmocka_unit_test(test_names_that_xml_cannot_hold), cmocka_unit_test(test_integrator), cmocka_unit_test(test_inertias_with_zeros), cmocka_unit_test(test_inertial_frames), cmocka_unit_test(test_model_name),
      cmocka_unit_test(test_saved_model),
      cmocka_unit_test(test_hull),
  };
  return cmocka_run_group_tests(tests, make_file, remove_file);
}
