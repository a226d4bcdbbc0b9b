// What names, poses and models of SDFormat mean where one stands inside of another: frames at the ends of joints, canonical links, merged and static
// models, placement frames; and inertias that follow from collisions. Expected numbers are computed by hand; Drake 1.51 has the same poses and mass
// matrices (but refuses joints in static models).
#include "import/support.h"

#include <stdlib.h>
#include <unistd.h>

#define INERTIAL         "<inertial><mass>2</mass><inertia><ixx>1</ixx><iyy>2</iyy><izz>2.5</izz></inertia></inertial>"
#define LINK(name, pose) "<link name='" name "'><pose>" pose "</pose>" INERTIAL "</link>"
#define JOINT(name, type, parent, child)                                                                                                             \
  "<joint name='" name "' type='" type "'><parent>" parent "</parent><child>" child "</child><axis><xyz>0 1 0</xyz></axis></joint>"
#define FIXED(name, parent, child) "<joint name='" name "' type='fixed'><parent>" parent "</parent><child>" child "</child></joint>"
#define MODEL(text)                "<sdf version='1.11'><model name='m'>" text "</model></sdf>"
#define WORLD(text)                "<sdf version='1.11'><world name='w'>" text "</world></sdf>"
#define QUARTER                    "1.5707963267948966"
#define ROOT_HALF                  0.70710678118654757

// A joint stands where the frame is that its <child> names, also if this is no link.
static void test_joint_at_a_frame(void** state) {
  (void)state;
  hfModel* m =
      parse(MODEL(LINK("a", "0 0 0 0 0 0") LINK("b", "0 0 1 0 0 0") "<frame name='f' attached_to='b'><pose>0.5 0 0 0 0 " QUARTER
                                                                    "</pose></frame>" FIXED("stand", "world", "a") JOINT("j", "revolute", "a", "f")));
  assert_int_equal(m->nv, 1);
  assert_string_equal(hf_model_name(m, HF_OBJECT_BODY, hf_model_jnt_body(m)[0]), "b");
  ASSERT_NUMBERS(hf_model_jnt_pos(m), 0.5, 0, 0);
  ASSERT_NUMBERS(hf_model_jnt_axis(m), -1, 0, 0);
  hf_model_free(m);
}

// The body that hangs on the world by the only fixed joint: the one of the two without a free joint.
static void assert_stands(const char* text, const char* standing, const char* floating) {
  hfModel* m = parse(text);
  assert_int_equal(hf_model_body_jntnum(m)[find(m, HF_OBJECT_BODY, standing)], 0);
  assert_int_equal(hf_model_body_parent(m)[find(m, HF_OBJECT_BODY, standing)], 0);
  assert_int_equal(hf_model_body_jntnum(m)[find(m, HF_OBJECT_BODY, floating)], 1);
  hf_model_free(m);
}

// A joint that names a model moves its canonical link: the first of its own links, or of its first model if it has none. A name that begins with that
// of the model belongs to another one.
static void test_canonical_links(void** state) {
  (void)state;
  assert_stands(WORLD("<model name='arm1'><link name='base'/></model><model name='arm'><link name='base'/></model>" FIXED("stand", "world", "arm")),
                "arm::base", "arm1::base");
  assert_stands(MODEL("<link name='armrest'/><model name='arm'><link name='base'/></model>" FIXED("stand", "world", "arm")), "arm::base", "armrest");
  assert_stands(WORLD("<model name='o'><model name='in'><link name='x'/></model><link name='own'/></model>" FIXED("stand", "world", "o")), "o::own",
                "o::in::x");
  assert_stands(WORLD("<model name='o'><model name='in'><link name='x'/><link name='y'/></model></model>" FIXED("stand", "world", "o")), "o::in::x",
                "o::in::y");
  assert_stands(WORLD("<model name='o' canonical_link='b'><link name='a'/><link name='b'/></model>" FIXED("stand", "world", "o")), "o::b", "o::a");
}

static void assert_pose(const hfModel* m, const char* body, double x, double y, double z, double w, double qx, double qy, double qz) {
  int b = find(m, HF_OBJECT_BODY, body);
  ASSERT_NUMBERS(hf_model_body_pos(m) + 3 * b, x, y, z);
  ASSERT_NUMBERS(hf_model_body_quat(m) + 4 * b, w, qx, qy, qz);
}

// "in::__model__" is the model called "in". Truth may be written in several ways.
static void test_names_and_flags(void** state) {
  (void)state;
  hfModel* m = parse(MODEL("<model name='in'><pose>1 0 0 0 0 " QUARTER "</pose>" LINK(
      "x",
      "0 0 7 0 0 0") "</model>"
                     "<link name='y'><pose relative_to='in::__model__'>1 0 0 0 0 0</pose></link>"
                     "<link name='z'><pose degrees='1'>0 0 1 90 0 0</pose></link><link name='w'><pose degrees=' True '>0 0 1 90 0 0</pose></link>"));
  assert_pose(m, "y", 1, 1, 0, ROOT_HALF, 0, 0, ROOT_HALF);
  assert_pose(m, "z", 0, 0, 1, ROOT_HALF, ROOT_HALF, 0, 0);
  assert_pose(m, "w", 0, 0, 1, ROOT_HALF, ROOT_HALF, 0, 0);
  hf_model_free(m);
  m = parse(MODEL("<static> TRUE </static><link name='a'/>"));
  assert_int_equal(m->nv, 0);
  hf_model_free(m);
}

// Nothing in a static model moves, and no joint in it has a coordinate, an actuator or a coupling.
static void test_static_models(void** state) {
  (void)state;
#define ARM                                                                                                                                          \
  LINK("a", "0 0 0 0 0 0")                                                                                                                           \
  LINK("b", "0 0 1 0 0 0") LINK("c", "0 0 2 0 0 0")                                                                                                  \
      JOINT("j", "revolute", "a", "b") "<joint name='k' type='prismatic'><parent>b</parent><child>c</child><axis><xyz>0 0 1</xyz><mimic "            \
                                       "joint='j'><multiplier>2</multiplier></mimic></axis></joint>"
  hfDiagnostics* said = hf_diagnostics_create();
  hfModel* m = parse_with(MODEL("<static>true</static>" ARM), NULL, said);
  assert_int_equal(m->nv + m->nu + m->neq, 0);
  assert_int_equal(find_diagnostic(said, "its model is static: the joint does not move").severity, HF_NOTE);
  assert_int_equal(hf_diagnostics_count(said), 1);
  hf_diagnostics_free(said);
  hf_model_free(m);
  m = parse(MODEL(ARM)); // the same model, not static: it floats
  assert_int_equal(m->nv, 8);
  assert_int_equal(m->neq, 1);
  hf_model_free(m);
}

// ---- included models ----------------------------------------------------------------------------

// The folders in which included models are, while a test runs.
static char folder[100];

static void write_model(const char* name, const char* text) {
  char path[200];
  snprintf(path, sizeof path, "%s/%s.sdf", folder, name);
  FILE* out = fopen(path, "w");
  assert_non_null(out);
  fputs(text, out);
  fclose(out);
}

static hfStatus load(hfModel** m, const char* text, hfDiagnostics* said, hfError* error) {
  char path[200];
  write_model("scene", text);
  snprintf(path, sizeof path, "%s/scene.sdf", folder);
  return hf_model_load(m, path, NULL, said, error);
}

static hfModel* load_or_fail(const char* text, hfDiagnostics* said) {
  hfModel* m = NULL;
  hfError error;
  if (load(&m, text, said, &error) != HF_OK) fail_msg("%s", error.message);
  return m;
}

static int begin(void** state) {
  (void)state;
  snprintf(folder, sizeof folder, "/tmp/holdfast_sdf_XXXXXX");
  if (!mkdtemp(folder)) return -1;
  write_model("still", MODEL("<static>true</static>" LINK("a", "0 0 0 0 0 0")));
  write_model("nest", MODEL("<link name='a'/><model name='in'><link name='b'/></model>"));
  write_model("tool",
              MODEL("<pose>5 5 5 0 0 0</pose>" LINK("palm", "0 0 0.1 0 0 0") LINK(
                  "finger", "0 0 0.3 0 0 0") "<frame name='tip'><pose>0 0 0.5 0 0 0</pose></frame>"
                                             "<model name='cap'><pose relative_to='__model__'>0 0 0.7 0 0 0</pose><link name='top'/></model>" JOINT(
                                                 "slide", "prismatic", "palm", "finger") FIXED("lid", "palm", "cap::top")));
  write_model("held", "<sdf version='1.11'><model name='held' placement_frame='grip'>" LINK(
                          "rod", "0 0 1 0 0 0") "<frame name='grip' attached_to='rod'><pose>0 0 0.5 0 0 " QUARTER "</pose></frame></model></sdf>");
  write_model("strange", MODEL(LINK("a", "0 0 0 0 0 0") "<gripper name='g'/>"));
  return 0;
}

static int end(void** state) {
  (void)state;
  char command[200];
  snprintf(command, sizeof command, "rm -rf %s", folder);
  return system(command);
}

#define INCLUDE(uri, rest) "<include><uri>" uri ".sdf</uri>" rest "</include>"

// <static> of an <include> counts instead of that of the model, and holds for what is nested in it, with a <pose> or without.
static void test_included_static(void** state) {
  (void)state;
  static const struct {
    const char* text;
    int nv;
  } cases[] = {{INCLUDE("still", ""), 0},
               {INCLUDE("still", "<static>false</static>"), 6},
               {INCLUDE("nest", ""), 12},
               {INCLUDE("nest", "<static>true</static>"), 0},
               {INCLUDE("nest", "<static>1</static><pose>1 0 0 0 0 0</pose>"), 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    char text[500];
    snprintf(text, sizeof text, WORLD("%s"), cases[i].text);
    hfModel* m = load_or_fail(text, NULL);
    assert_int_equal(m->nv, cases[i].nv);
    hf_model_free(m);
  }
}

#define MERGE(rest) "<include merge='true'><uri>tool.sdf</uri>" rest "</include>"

// The members of a merged model have names of the model around it, and stand in a frame that the pose of the <include> places.
static void test_merged(void** state) {
  (void)state;
  hfModel* m = load_or_fail(MODEL(LINK("arm", "1 0 0 0 0 " QUARTER) MERGE("<pose relative_to='arm'>1 0 0 0 0 0</pose>")
                                      FIXED("mount", "arm", "palm") "<link name='pen'><pose relative_to='tip'>0 0 1 0 0 0</pose></link>" FIXED(
                                          "clip", "_merged__m__model_frame__", "pen")),
                            NULL);
  assert_int_equal(m->nv, 7);
  assert_int_equal(m->nbody, 6);
  assert_pose(m, "palm", 1, 0, 0.1, 1, 0, 0, 0); // in the arm
  assert_pose(m, "finger", 0, 0, 0.2, 1, 0, 0, 0);
  assert_pose(m, "cap::top", 0, 0, 0.6, 1, 0, 0, 0);
  assert_pose(m, "pen", 0, 0, 1.4, 1, 0, 0, 0); // in the palm, the canonical link of the merged model
  find(m, HF_OBJECT_JOINT, "slide");
  find(m, HF_OBJECT_SITE, "tip");
  hf_model_free(m);
  m = load_or_fail(MODEL(LINK("arm", "0 0 0 0 0 0") MERGE("")), NULL); // the model's own pose
  assert_pose(m, "palm", 5, 5, 5.1, 1, 0, 0, 0);
  hf_model_free(m);
  static const struct {
    const char *text, *message;
  } refused[] = {{WORLD(MERGE("")), "a model can be merged into a model only, not into a world"},
                 {MODEL(LINK("palm", "0 0 0 0 0 0") MERGE("")), "the name \"palm\" is used already"}};
  for (size_t i = 0; i < sizeof refused / sizeof *refused; ++i) {
    hfError error;
    assert_below(load(&m, refused[i].text, NULL, &error), 0);
    if (!strstr(error.message, refused[i].message)) fail_msg("%s", error.message);
  }
}

// A pose with a placement frame is that of the frame. The frame `grip` is 1.5 above the model and turned about z: the rod is 0.5 below it and turned back.
static void test_placement_frames(void** state) {
  (void)state;
  hfModel* m = load_or_fail(
      WORLD(INCLUDE("held", "<name>own</name><pose>1 2 3 0 0 0</pose>")
                INCLUDE("tool", "<name>tip</name><placement_frame>tip</placement_frame><pose>1 2 3 0 0 0</pose>")
                    INCLUDE("tool", "<name>on</name><placement_frame>palm</placement_frame><pose relative_to='own::rod'>0 0 1 0 0 0</pose>")),
      NULL);
  assert_pose(m, "own::rod", 1, 2, 2.5, ROOT_HALF, 0, 0, -ROOT_HALF);
  assert_pose(m, "tip::palm", 1, 2, 2.6, 1, 0, 0, 0);
  assert_pose(m, "on::palm", 1, 2, 3.5, ROOT_HALF, 0, 0, -ROOT_HALF);
  hf_model_free(m);
  hfError error;
  assert_true(load(&m, WORLD(INCLUDE("tool", "<placement_frame>nothing</placement_frame><pose>0 0 0 0 0 0</pose>")), NULL, &error) < 0);
  assert_non_null(strstr(error.message, "there is no link, joint, frame or model \"nothing\" here"));
  assert_below(load(&m, WORLD("<model name='a' placement_frame='__model__'><link name='l'/></model>"), NULL, &error), 0);
  assert_non_null(strstr(error.message, "placement_frame \"__model__\" is not in the model"));
}

// What is not used in an included file is reported as that of the file itself.
static void test_reports_of_included_files(void** state) {
  (void)state;
  hfDiagnostics* said = hf_diagnostics_create();
  hf_model_free(load_or_fail(WORLD(INCLUDE("strange", "")), said));
  hfDiagnostic gripper = find_diagnostic(said, "<gripper>: grippers of Gazebo");
  assert_int_equal(gripper.severity, HF_WARNING);
  assert_non_null(strstr(gripper.file, "strange.sdf"));
  assert_int_equal(hf_diagnostics_count(said), 1);
  hf_diagnostics_free(said);
}

// ---- inertia and settings -----------------------------------------------------------------------

// With auto the inertia of a link is that of its collisions, a box of 1 x 2 x 3 and a sphere: m (b^2 + c^2)/12, 2/5 m r^2.
static void test_auto_inertia(void** state) {
  (void)state;
#define BOX "<collision name='box'><pose>1 0 0 0 0 0</pose><geometry><box><size>1 2 3</size></box></geometry></collision>"
#define BALL                                                                                                                                         \
  "<collision name='ball'><density>2000</density><pose>1 0 0 0 0 0</pose><geometry><sphere><radius>0.5</radius></sphere></geometry></collision>"
  static const struct {
    const char* text;
    double box, ball;
  } cases[] = {{"<inertial auto='true'/>" BOX, 6000, 0},
               {"<inertial auto='true'><density>500</density></inertial>" BOX, 3000, 0},
               {"<inertial auto='true'><density>500</density></inertial>" BOX BALL, 3000, 1000 * 3.14159265358979323846 / 3}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    char text[1000];
    snprintf(text, sizeof text, MODEL("<link name='a'>%s</link>"), cases[i].text);
    hfModel* m = parse(text);
    double box = cases[i].box, ball = cases[i].ball, round = 0.4 * 0.25 * ball;
    double want[3] = {box * 13 / 12 + round, box * 10 / 12 + round, box * 5 / 12 + round};
    assert_below(fabs(hf_model_body_mass(m)[1] - (box + ball)), 1e-11 * box);
    ASSERT_NUMBERS(hf_model_body_com(m) + 3, 1, 0, 0);
    for (int k = 0; k < 3; ++k) assert_below(fabs(hf_model_body_inertia(m)[6 + k] - want[k]), 1e-11 * box);
    hf_model_free(m);
  }
  hfDiagnostics* said = hf_diagnostics_create();
  hf_model_free(
      parse_with(MODEL("<link name='a'><inertial auto='true'><mass>1</mass><inertia><ixx>1</ixx></inertia></inertial>" BOX "</link>"), NULL, said));
  assert_int_equal(find_diagnostic(said, "with auto the inertia is that of the collisions").severity, HF_WARNING);
  assert_int_equal(hf_diagnostics_count(said), 1);
  hf_diagnostics_free(said);
}

// Settings of Gazebo that have no effect on the motion are notes. One that has an effect is a warning, unless it says zero.
static void test_settings(void** state) {
  (void)state;
  hfDiagnostics* said = hf_diagnostics_create();
  hf_model_free(parse_with(
      WORLD(
          "<physics><max_step_size>0.001</max_step_size><real_time_factor>1</real_time_factor><ode><solver><iters>50</iters></solver></ode></physics>"
          "<wind><linear_velocity>0 0 0</linear_velocity></wind><magnetic_field>0 1 0</magnetic_field><model name='m'><link name='a'>"
          "<velocity_decay><linear>0</linear><angular>0.0</angular></velocity_decay>" INERTIAL "</link></model>"),
      NULL, said));
  for (int i = 0; i < hf_diagnostics_count(said); ++i) assert_int_equal(hf_diagnostics_get(said, i).severity, HF_NOTE);
  assert_int_equal(hf_diagnostics_count(said), 3);
  hf_diagnostics_free(said);
  said = hf_diagnostics_create();
  hf_model_free(parse_with(WORLD("<wind><linear_velocity>1 0 0</linear_velocity></wind><model name='m'><link "
                                 "name='a'><velocity_decay><linear>0.1</linear></velocity_decay>" INERTIAL "</link></model>"),
                           NULL, said));
  assert_int_equal(find_diagnostic(said, "wind does not act").severity, HF_WARNING);
  assert_int_equal(find_diagnostic(said, "velocities do not decay").severity, HF_WARNING);
  hf_diagnostics_free(said);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_joint_at_a_frame), cmocka_unit_test(test_canonical_links),           cmocka_unit_test(test_names_and_flags),
      cmocka_unit_test(test_static_models),    cmocka_unit_test(test_included_static),           cmocka_unit_test(test_merged),
      cmocka_unit_test(test_placement_frames), cmocka_unit_test(test_reports_of_included_files), cmocka_unit_test(test_auto_inertia),
      cmocka_unit_test(test_settings),
  };
  return cmocka_run_group_tests(tests, begin, end);
}
