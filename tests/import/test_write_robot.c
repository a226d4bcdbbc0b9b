// Models written as SDFormat and URDF.
#include "import/support.h"
#include "support/robot_trip.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

static void test_sdf_round_trips(void** state) {
  (void)state;
  assert_above(check_robots(HF_SOURCE_DIR "/models/*.xml", hf_model_write_sdf), 20);
  assert_above(check_robots(HF_SOURCE_DIR "/tests/scenes/*.xml", hf_model_write_sdf), 10);
  assert_above(check_robots(DATA "/*.xml", hf_model_write_sdf), 10);
  assert_above(check_robots(DATA "/*.urdf", hf_model_write_sdf), 1);
}

static void test_urdf_round_trips(void** state) {
  (void)state;
  assert_above(check_robots(HF_SOURCE_DIR "/models/*.xml", hf_model_write_urdf), 20);
  assert_above(check_robots(HF_SOURCE_DIR "/tests/scenes/*.xml", hf_model_write_urdf), 3);
  assert_above(check_robots(DATA "/*.urdf", hf_model_write_urdf), 0);
}

// Writes a model that stands in a text, compares what is read of the file, and returns that.
static hfModel* write_text(const char* text, robotWriter write, hfDiagnostics* diagnostics) {
  hfModel *m = parse(text), *again = NULL;
  hfError error;
  if (write(m, trip_file(write), diagnostics, &error) != HF_OK) fail_msg("%s", error.message);
  if (hf_model_load(&again, trip_file(write), NULL, NULL, &error) != HF_OK) fail_msg("%s", error.message);
  compare_robots(m, again, write, "text");
  hf_model_free(m);
  return again;
}

static const robotWriter writers[2] = {hf_model_write_sdf, hf_model_write_urdf};

// Several joints on one body, anchors beside the origin, references that are not zero, turned frames, springs, armatures and couplings.
static void test_joints(void** state) {
  (void)state;
  static const char text[] =
      "<mujoco><compiler angle='radian'/><option gravity='1 2 -3' timestep='0.003'/><worldbody><body name='a' pos='.1 .2 .3' euler='.3 1.5707963267948966 .7'>"
      "<joint name='x' type='slide' axis='1 1 0' ref='.3' range='-1 2' pos='.1 .1 .1'/><joint name='y' axis='0 1 1' pos='.1 0 .2' ref='-.4' stiffness='3' springref='.2' damping='.5'/>"
      "<joint name='z' axis='1 2 3' pos='0 .3 0' frictionloss='.25' armature='.125'/><geom type='box' size='.1 .2 .3' pos='.1 0 0' euler='.1 .2 .3'/>"
      "<body name='b' pos='0 0 .5'><joint name='k' range='-1 1' ref='.5' pos='.05 0 0'/><geom type='capsule' size='.05 .2'/><site name='tip' pos='0 0 .2' euler='0 .5 0'/></body>"
      "<body pos='0 0 -.5'><geom type='sphere' size='.1' friction='.25'/></body></body></worldbody>"
      "<equality><joint joint1='k' joint2='y' polycoef='.1 2 0 0 0'/></equality>"
      "<actuator><motor joint='x' ctrlrange='-3 3' gear='2'/><position joint='z' kp='10' forcerange='-7 7'/></actuator></mujoco>";
  for (int i = 0; i < 2; ++i) {
    hfModel* m = write_text(text, writers[i], NULL);
    assert_int_equal(m->neq, 1);
    int k = find(m, HF_OBJECT_JOINT, i ? "k" : "a::k"), y = find(m, HF_OBJECT_JOINT, i ? "y" : "a::y"); // gravity makes a world of it
    assert_int_equal(hf_model_eq_obj1(m)[0], k);
    assert_int_equal(hf_model_eq_obj2(m)[0], y);
    ASSERT_NUMBERS(hf_model_eq_data(m), .5 + .1 + 2 * .4, 2, 0); // k - .5 = .1 + 2 (y + .4)
    ASSERT_NUMBERS(m->world.gravity, 1, 2, -3);
    assert_true(m->world.timestep == 0.003);
    assert_int_equal(m->nsite, 1);
    assert_int_equal(m->nu, 2);
    ASSERT_NUMBERS(hf_model_actuator_ctrlrange(m), -6, 6);
    ASSERT_NUMBERS(hf_model_jnt_actfrcrange(m) + 2 * find(m, HF_OBJECT_JOINT, i ? "z" : "a::z"), -7, 7);
    hf_model_free(m);
  }
}

// A link with moments and no mass, as the torso of an iCub has one.
static void test_inertia_without_mass(void** state) {
  (void)state;
  static const char text[] = "<mujoco><worldbody><body name='a'><joint name='x'/><geom size='.1'/><body name='rotor'><inertial pos='0 0 0' mass='0' diaginertia='.125 .25 .25'/>"
                             "<joint name='y' axis='1 0 0'/></body></body></worldbody></mujoco>";
  for (int i = 0; i < 2; ++i) {
    hfModel* m = write_text(text, writers[i], NULL);
    ASSERT_NUMBERS(hf_model_body_inertia(m) + 6 * find(m, HF_OBJECT_BODY, "rotor"), .125, .25, .25);
    hf_model_free(m);
  }
}

// What only SDFormat has: balls, screws, several trees, planes, and bodies that stand still.
static void test_what_urdf_lacks(void** state) {
  (void)state;
  static const char text[] =
      "<mujoco><worldbody><geom name='floor' type='plane' size='0 0 1' euler='10 0 0'/><site name='mark' pos='1 2 3'/><body name='post' pos='1 0 0'><geom type='cylinder' size='.1 .5'/>"
      "<body name='arm' pos='0 0 .5'><joint name='ball' type='ball' pos='0 0 .1' damping='.25'/><geom type='ellipsoid' size='.1 .2 .3'/></body></body>"
      "<body name='nut' pos='0 1 0'><joint name='thread' type='screw' pitch='.01' axis='0 0 1' ref='.5' pos='.1 0 0'/><geom size='.1'/></body>"
      "<body name='free' pos='0 0 3' euler='20 30 40' gravcomp='1'><freejoint/><geom type='box' size='.1 .1 .1' pos='.1 0 0'/></body>"
      "<body name='ball'><freejoint name='free'/><geom size='.1'/></body><body name='wall' pos='0 5 0'><geom type='box' size='1 .1 1'/></body></worldbody></mujoco>";
  hfDiagnostics* said = hf_diagnostics_create();
  hfModel* m = write_text(text, hf_model_write_sdf, said);
  find_diagnostic(said, "the one that carries them where that stands still (1)");
  hf_diagnostics_free(said);
  assert_int_equal(hf_model_body_weld(m)[find(m, HF_OBJECT_BODY, "wall::wall")], 0);
  assert_true(hf_model_body_gravcomp(m)[find(m, HF_OBJECT_BODY, "free::free")] == 1);
  ASSERT_NUMBERS(hf_model_site_pos(m) + 3 * find(m, HF_OBJECT_SITE, "mark"), 1, 2, 3);
  find(m, HF_OBJECT_GEOM, "environment::environment::floor");
  find(m, HF_OBJECT_JOINT, "nut::thread");
  assert_true(hf_model_dof_damping(m)[hf_model_jnt_dofadr(m)[find(m, HF_OBJECT_JOINT, "post::ball")]] == .25);
  // Read again, the names are the same and nothing is doubled.
  hfModel* twice = NULL;
  hfError error;
  assert_int_equal(hf_model_write_sdf(m, trip_file(hf_model_write_sdf), NULL, &error), HF_OK);
  assert_int_equal(hf_model_load(&twice, trip_file(hf_model_write_sdf), NULL, NULL, &error), HF_OK);
  assert_int_equal(twice->ngeom, m->ngeom);
  assert_int_equal(twice->nexclude, m->nexclude);
  for (int i = 0; i < m->nbody; ++i) assert_string_equal(hf_model_name(twice, HF_OBJECT_BODY, i), hf_model_name(m, HF_OBJECT_BODY, i));
  for (int i = 0; i < m->njnt; ++i) assert_string_equal(hf_model_name(twice, HF_OBJECT_JOINT, i), hf_model_name(m, HF_OBJECT_JOINT, i));
  hf_model_free(twice);
  hf_model_free(m);
}

// A body without weight has none in the file either, also where several joints make a chain of links of it; a part of a weight is left out.
static void test_weights(void** state) {
  (void)state;
  static const char text[] = "<mujoco><worldbody><body name='a' gravcomp='1'><joint/><joint axis='1 0 0'/><geom size='.1'/><body name='b' gravcomp='.5'><joint/><geom size='.1'/></body>"
                             "<body name='c'><joint/><geom size='.1'/></body></body></worldbody></mujoco>";
  for (int i = 0; i < 2; ++i) {
    hfDiagnostics* said = hf_diagnostics_create();
    hfModel* m = write_text(text, writers[i], said);
    find_diagnostic(said, "compensation of a part of a weight (1)");
    assert_true(hf_model_body_gravcomp(m)[find(m, HF_OBJECT_BODY, "a")] == 1);
    assert_true(hf_model_body_gravcomp(m)[find(m, HF_OBJECT_BODY, "b")] == 0);
    assert_true(hf_model_body_gravcomp(m)[find(m, HF_OBJECT_BODY, "c")] == 0);
    hf_model_free(m), hf_diagnostics_free(said);
  }
}

// In SDFormat links, joints and frames of a model share their names, and some are reserved.
static void test_names(void** state) {
  (void)state;
  static const char text[] = "<mujoco><worldbody><body name='arm'><joint name='arm'/><geom size='.1'/><site name='arm'/><body name='a::b &lt;&amp;\"'><joint name='__x__'/><geom size='.1'/></body>"
                             "<body><joint/><geom size='.1'/></body></body></worldbody></mujoco>";
  hfModel* m = write_text(text, hf_model_write_sdf, NULL);
  find(m, HF_OBJECT_BODY, "arm"), find(m, HF_OBJECT_JOINT, "arm_joint"), find(m, HF_OBJECT_SITE, "arm_frame");
  find(m, HF_OBJECT_BODY, "a__b <&\""), find(m, HF_OBJECT_JOINT, "__x___"), find(m, HF_OBJECT_BODY, "body_3");
  hf_model_free(m);
  m = write_text(text, hf_model_write_urdf, NULL);
  find(m, HF_OBJECT_BODY, "arm"), find(m, HF_OBJECT_JOINT, "arm"), find(m, HF_OBJECT_BODY, "a::b <&\"");
  hf_model_free(m);
}

// Contact properties, and geoms that are only drawn.
static void test_surfaces(void** state) {
  (void)state;
  static const char text[] =
      "<mujoco><custom><numeric name='hf.g.stiffness' data='12345'/><numeric name='hf.g.dissipation' data='7'/><numeric name='hf.g.friction_dynamic' data='.25'/>"
      "<numeric name='hf.g.restitution' data='.5'/></custom><worldbody><body name='b'><freejoint/><geom name='g' size='.1' friction='.5' rgba='.1 .2 .3 1'/></body></worldbody></mujoco>";
  for (int i = 0; i < 2; ++i) {
    hfModel* m = write_text(text, writers[i], NULL);
    assert_int_equal(m->ngeom, 2); // that which collides, and one that is drawn
    ASSERT_NUMBERS(hf_model_geom_stiffness(m), 12345);
    ASSERT_NUMBERS(hf_model_geom_dissipation(m), 7);
    ASSERT_NUMBERS(hf_model_geom_friction_dynamic(m), .25);
    ASSERT_NUMBERS(hf_model_geom_restitution(m), .5);
    assert_int_equal(hf_model_geom_contype(m)[1], 0);
    assert_true(hf_model_geom_rgba(m)[4] == .1f && hf_model_geom_rgba(m)[6] == .3f);
    hf_model_free(m);
  }
}

// Bodies that do not touch are collision filter groups of Drake; those that a joint connects need none.
static void test_exclusions(void** state) {
  (void)state;
  static const char text[] =
      "<mujoco><worldbody><body name='a'><joint/><geom size='.1'/><body name='b' pos='1 0 0'><joint/><geom size='.1'/><body name='c' pos='1 0 0'><joint/><geom size='.1'/><body name='d' pos='1 0 0'><joint/><joint axis='0 1 0'/><geom size='.1'/></body></body></body></body></worldbody>"
      "<contact><exclude body1='a' body2='c'/><exclude body1='a' body2='b'/></contact></mujoco>";
  for (int i = 0; i < 2; ++i) {
    hfModel* m = write_text(text, writers[i], NULL);
    assert_int_equal(m->nexclude, 2);
    assert_int_equal(hf_model_exclude_body(m)[0], find(m, HF_OBJECT_BODY, "a"));
    assert_int_equal(hf_model_exclude_body(m)[1], find(m, HF_OBJECT_BODY, "c"));
    assert_int_equal(hf_model_exclude_body(m)[2], find(m, HF_OBJECT_BODY, "c")); // there is a link between the two
    assert_int_equal(hf_model_exclude_body(m)[3], find(m, HF_OBJECT_BODY, "d"));
    hf_model_free(m);
  }
}

// A height field that a program built, with heights below zero, on a turned geom.
static void test_height_field(void** state) {
  (void)state;
  static const double height[12] = {-.3, .1, .2, .15, 0, .25, -.1, .5, .3, .2, .1, -.2};
  hfBuilder* b = hf_builder_create();
  hfError error;
  hfHeightFieldDef field = hf_height_field_def_default();
  field.nrow = 3, field.ncol = 4, field.half_size[0] = 2, field.half_size[1] = 1, field.base = 1, field.height = height;
  hfGeomDef geom = hf_geom_def_default();
  geom.type = HF_GEOM_HFIELD;
  geom.hfield = hf_builder_add_height_field(b, &field, &error);
  geom.pos[2] = .7, geom.quat[0] = .8, geom.quat[1] = .6;
  assert_at_least(geom.hfield, 0);
  assert_at_least(hf_builder_add_geom(b, &geom, &error), 0);
  hfModel* m = NULL;
  assert_int_equal(hf_builder_finish(b, &m, &error), HF_OK);
  hfDiagnostics* said = hf_diagnostics_create();
  assert_true(check_robot(m, hf_model_write_sdf, "a built field"));
  assert_int_equal(hf_model_write_sdf(m, trip_file(hf_model_write_sdf), said, &error), HF_OK);
  find_diagnostic(said, "255 steps");
  hf_diagnostics_free(said);
  hf_model_free(m);
  hf_builder_free(b);
}

// A four-bar linkage, and a body that floats and is held at a point of another.
static void test_loops(void** state) {
  (void)state;
  static const char text[] =
      "<mujoco><worldbody><body name='a'><joint name='j' axis='0 1 0'/><geom type='capsule' fromto='0 0 0 1 0 0' size='.02'/></body>"
      "<body name='b' pos='1 0 1'><joint name='k' axis='0 1 0'/><geom type='capsule' fromto='0 0 0 0 0 -1' size='.02'/></body></worldbody>"
      "<equality><connect name='pin' body1='a' body2='b' anchor='1 0 0'/></equality></mujoco>";
  hfModel* m = write_text(text, hf_model_write_sdf, NULL);
  assert_int_equal(m->neq, 1);
  assert_int_equal(hf_model_eq_type(m)[0], HF_EQUALITY_CONNECT);
  hf_model_free(m);
  static const char held[] = "<mujoco><worldbody><body name='a'><freejoint/><geom size='.1'/></body><body name='b' pos='1 0 0'><freejoint/><geom size='.1'/></body></worldbody>"
                             "<equality><connect body1='a' body2='b' anchor='.5 0 0'/><weld body1='a'/></equality></mujoco>";
  hfError error;
  hfModel *first = parse(held), *again = NULL;
  assert_int_equal(hf_model_write_sdf(first, trip_file(hf_model_write_sdf), NULL, &error), HF_OK);
  assert_int_equal(hf_model_load(&again, trip_file(hf_model_write_sdf), NULL, NULL, &error), HF_OK);
  assert_int_equal(again->nv, 3); // b hangs on a ball, and a is fixed in the world
  hf_model_free(first);
  hf_model_free(again);
}

static void refuse(const char* text, robotWriter write, const char* part) {
  hfModel* m = parse(text);
  hfError error;
  assert_int_equal(write(m, trip_file(write), NULL, &error), HF_ERROR_UNSUPPORTED);
  if (!strstr(error.message, part)) fail_msg("\"%s\" is not in \"%s\"", part, error.message);
  hf_model_free(m);
}

static void test_refusals(void** state) {
  (void)state;
  refuse("<mujoco><worldbody><body name='a'><joint type='ball' name='hip'/><geom size='.1'/></body></worldbody></mujoco>", hf_model_write_urdf,
         "joint \"hip\": URDF has no ball joints");
  refuse("<mujoco><worldbody><body><freejoint/><geom size='.1'/></body><body name='two'><freejoint/><geom size='.1'/></body></worldbody></mujoco>", hf_model_write_urdf,
         "body \"two\" is not the only one that floats");
  refuse("<mujoco><worldbody><body name='a'><joint/><geom size='.1'/></body></worldbody><equality><connect body1='a' anchor='1 0 0'/></equality></mujoco>", hf_model_write_urdf,
         "URDF has no loops");
  refuse("<mujoco><worldbody><geom size='.1'/></worldbody></mujoco>", hf_model_write_urdf, "there is no body");
  hfModel* m = parse("<mujoco><worldbody><body><joint/><geom size='.1'/></body></worldbody></mujoco>");
  hfError error;
  for (int i = 0; i < 2; ++i) {
    assert_int_equal(writers[i](m, "/nonexistent/robot.sdf", NULL, &error), HF_ERROR_FILE);
    assert_non_null(strstr(error.message, "/nonexistent/robot.sdf"));
  }
  hf_model_free(m);
}

static char* path_in_trip(char path[128], const char* name) { return snprintf(path, 128, "%s/%s", trip_folder, name), path; }

// The older file of the first mesh stays where that of the second cannot be written, and a folder that was made for them goes.
static void test_refused_meshes(void** state) {
  (void)state;
  hfModel* m = parse("<mujoco><asset><mesh name='a' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/><mesh name='b' vertex='0 0 0 2 0 0 0 1 0 0 0 1'/></asset><worldbody>"
                     "<body><joint/><geom type='mesh' mesh='a'/></body><body pos='5 0 0'><joint/><geom type='mesh' mesh='b'/></body></worldbody></mujoco>");
  char file[128], first[128], second[128], old[8] = "";
  hfError error;
  path_in_trip(file, "two.sdf"), path_in_trip(first, "two.sdf.meshes/a_hull.obj"), path_in_trip(second, "two.sdf.meshes/b_hull.obj");
  assert_int_equal(hf_model_write_sdf(m, file, NULL, &error), HF_OK);
  FILE* older = fopen(first, "w");
  assert_non_null(older);
  fputs("old", older);
  fclose(older);
  assert_true(unlink(second) == 0 && mkdir(second, 0777) == 0);
  assert_int_equal(hf_model_write_sdf(m, file, NULL, &error), HF_ERROR_FILE);
  assert_non_null(strstr(error.message, second));
  older = fopen(first, "r");
  assert_true(older && fgets(old, sizeof old, older));
  fclose(older);
  assert_string_equal(old, "old");
  char command[160];
  snprintf(command, sizeof command, "rm -r %s", path_in_trip(first, "two.sdf.meshes"));
  assert_int_equal(system(command), 0);
  struct rlimit before, tiny;
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  tiny = before, tiny.rlim_cur = 8;
  signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &tiny); // as on a full disk
  hfStatus status = hf_model_write_sdf(m, file, NULL, &error);
  setrlimit(RLIMIT_FSIZE, &before);
  assert_int_equal(status, HF_ERROR_FILE);
  assert_int_not_equal(access(first, F_OK), 0);
  hf_model_free(m);
}

// Everything that is left out is said once.
static void test_warnings(void** state) {
  (void)state;
  static const char text[] =
      "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body name='a'><joint name='j' stiffness='2' margin='.1' ref='10'/><geom name='g' size='.1' solref='.01 1' condim='4' contype='3'/><geom size='.05' adhesion='1'/><site name='s'/>"
      "<body name='b'><joint name='k'/><geom name='h' size='.1' friction='.3'/><body name='c'><joint/><geom size='.1'/></body></body></body><body name='d' mocap='true'/></worldbody>"
      "<contact><pair geom1='g' geom2='h'/><exclude body1='a' body2='d'/></contact><tendon><fixed name='t'><joint joint='j' coef='1'/></fixed></tendon>"
      "<equality><joint joint1='k' joint2='j' polycoef='0 1 2 0 0'/></equality><actuator><motor tendon='t'/><position joint='j' kp='1'/></actuator>"
      "<sensor><jointpos joint='j'/></sensor><keyframe><key/></keyframe></mujoco>";
  static const char* const parts[] = {"tendons (1)", "sensors (1)", "keyframes (1)", "contact pairs", "softness of contacts", "masks", "condim", "adhesion", "references of joints (ref)", "soft limits", "the larger friction",
                                      "mocap", "actuators that act on no joint", "not linear", "gains of actuators"};
  for (int i = 0; i < 2; ++i) {
    hfDiagnostics* said = hf_diagnostics_create();
    hf_model_free(write_text(text, writers[i], said));
    for (size_t k = 0; k < sizeof parts / sizeof *parts; ++k) assert_int_equal(find_diagnostic(said, parts[k]).severity, HF_WARNING);
    if (i) find_diagnostic(said, "springs of joints"), find_diagnostic(said, "planes (1)");
    else find_diagnostic(said, "of two models that do not touch (1)");
    hf_diagnostics_free(said);
  }
}

// A control that the file gives another range than its own is reported: a, d and f in URDF. SDFormat has motors only, and of these f. Gears turn
// controls into units of the joint: b has the range of its joint and c loses nothing. Ranges are compared with those that are read again.
static void test_control_ranges(void** state) {
  (void)state;
  static const char text[] = "<mujoco><compiler angle='radian'/><worldbody><body><joint name='a' range='-1 2'/><geom size='.1'/><body><joint "
                             "name='b' range='-1 2'/><geom size='.1'/>"
                             "<body><joint name='c'/><geom size='.1'/><body><joint name='d'/><geom size='.1'/><body><joint name='e'/><geom "
                             "size='.1'/><body><joint name='f'/><geom size='.1'/>"
                             "</body></body></body></body></body></body></worldbody><actuator><position joint='a' kp='9' ctrlrange='-.5 "
                             "1'/><position joint='b' kp='9' gear='-2' ctrlrange='-4 2'/>"
                             "<velocity joint='c' kv='2' gear='2' ctrlrange='-3 3'/><velocity joint='d' kv='2' ctrlrange='-1 3'/><motor joint='e' "
                             "ctrlrange='-9 7' forcerange='-5 5'/>"
                             "<motor joint='f' ctrlrange='0 3'/></actuator></mujoco>";
  hfDiagnostics *urdf = hf_diagnostics_create(), *sdf = hf_diagnostics_create();
  hfModel* m = write_text(text, hf_model_write_urdf, urdf);
  static const double again[6][2] = {{-1, 2}, {-1, 2}, {-1.5, 1.5}, {-3, 3}, {-5, 5}, {-3, 3}};
  for (int i = 0; i < 6; ++i) ASSERT_NUMBERS(hf_model_actuator_ctrlrange(m) + 2 * i, again[i][0], again[i][1]);
  assert_int_equal(find_diagnostic(urdf, "ranges of controls other than the limits of the joint; a reader takes these (3)").severity, HF_WARNING);
  hf_model_free(m);
  hf_model_free(write_text(text, hf_model_write_sdf, sdf));
  assert_int_equal(find_diagnostic(sdf, "ranges of controls other than the effort to both sides; a reader takes this (1)").severity, HF_WARNING);
  hf_diagnostics_free(urdf), hf_diagnostics_free(sdf);
}

// A robot whose controls have the limits of their joints loses no range.
static void test_control_ranges_of_joints(void** state) {
  (void)state;
  static const char text[] =
      "<mujoco><worldbody><body><joint name='a' range='-60 90'/><geom size='.1'/><body><joint name='b'/><geom size='.1'/></body></body></worldbody>"
      "<actuator><position joint='a' kp='9' inheritrange='1'/><motor joint='b' ctrlrange='-2 2'/></actuator></mujoco>";
  for (int i = 0; i < 2; ++i) {
    hfDiagnostics* said = hf_diagnostics_create();
    hf_model_free(write_text(text, writers[i], said));
    for (int k = 0; k < hf_diagnostics_count(said); ++k) assert_null(strstr(hf_diagnostics_get(said, k).message, "ranges of controls"));
    hf_diagnostics_free(said);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_sdf_round_trips),
                                     cmocka_unit_test(test_urdf_round_trips),
                                     cmocka_unit_test(test_joints),
                                     cmocka_unit_test(test_inertia_without_mass),
                                     cmocka_unit_test(test_what_urdf_lacks), cmocka_unit_test(test_weights),
                                     cmocka_unit_test(test_names),
                                     cmocka_unit_test(test_surfaces),
                                     cmocka_unit_test(test_loops),
                                     cmocka_unit_test(test_exclusions),
                                     cmocka_unit_test(test_height_field),
                                     cmocka_unit_test(test_refusals),
                                     cmocka_unit_test(test_refused_meshes),
                                     cmocka_unit_test(test_warnings),
                                     cmocka_unit_test(test_control_ranges),
                                     cmocka_unit_test(test_control_ranges_of_joints)};
  return cmocka_run_group_tests(tests, make_trip_folder, remove_trip_folder);
}
