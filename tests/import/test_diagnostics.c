// Notes and warnings about accepted files: each is reported once, at its first place, with a count and what it means for the
// motion.
#include "import/support.h"

#include <stdlib.h>
#include <unistd.h>

static hfDiagnostics* diagnose(const char* text, const hfImportConfig* config) {
  hfDiagnostics* d = hf_diagnostics_create();
  hf_model_free(parse_with(text, config, d));
  return d;
}

static void test_unknown_and_unused(void** state) {
  (void)state;
  hfDiagnostics* d = diagnose("<mujoco>\n<nonsense/>\n<worldbody>\n<geom size='1' colour='red'/>\n<geom size='1' colour='blue'/>\n"
                              "<light/>\n</worldbody>\n<visual><global fovy='3'/></visual>\n<custom><text name='a' data='x'/>\n<text name='b' data='y'/>\n<text name='c' data='z'/></custom></mujoco>", NULL);
  hfDiagnostic x = find_diagnostic(d, "<nonsense>: unknown element, not used");
  assert_int_equal(x.severity, HF_WARNING);
  assert_int_equal(x.line, 2);
  assert_string_equal(x.file, "test.xml");
  x = find_diagnostic(d, "<geom colour=");
  assert_int_equal(x.line, 4);
  assert_int_equal(x.count, 2);
  x = find_diagnostic(d, "<text>");
  assert_int_equal(x.severity, HF_NOTE);
  assert_int_equal(x.count, 3);
  assert_int_equal(hf_diagnostics_count(d), 3); // nothing is said about what is only drawn
  hf_diagnostics_free(d);
}

// A slip in the name of a setting is a warning, because gravity or the time step is not what the file means; a setting of MuJoCo's solver is a note.
static void test_settings(void** state) {
  (void)state;
  static const char* const files[] = {
      "<mujoco><option timestp='1' gravity='0 0 0' iterations='9'><flag gravty='disable' warmstart='disable'/></option></mujoco>",
      "<robot name='r'><mujoco><option timestp='1' gravity='0 0 0' iterations='9'><flag gravty='disable' warmstart='disable'/></option></mujoco>"
      "<link name='a'/></robot>"};
  for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
    hfDiagnostics* d = diagnose(files[i], NULL);
    assert_int_equal(find_diagnostic(d, "<option timestp=…>: unknown attribute").severity, HF_WARNING);
    assert_int_equal(find_diagnostic(d, "<flag gravty=…>: unknown attribute").severity, HF_WARNING);
    assert_int_equal(find_diagnostic(d, "<option iterations=").severity, HF_NOTE);
    assert_int_equal(find_diagnostic(d, "<flag warmstart=").severity, HF_NOTE);
    assert_int_equal(hf_diagnostics_count(d), 4);
    hf_diagnostics_free(d);
  }
}

static void test_silence(void** state) {
  (void)state;
  hfDiagnostics* d = diagnose("<mujoco model='m'><compiler angle='radian'/><default><geom density='2'/><default class='unused'>"
                              "<joint damping='1'/><motor gear='2'/></default></default>"
                              "<worldbody><geom name='g' size='1' rgba='1 1 1 1' group='2'/></worldbody></mujoco>", NULL);
  assert_int_equal(hf_diagnostics_count(d), 0);
  hf_diagnostics_free(d);
}

// Nothing is said about cameras and their sensors, but for a target at which the camera does not look, or that it lacks.
static void test_cameras(void** state) {
  (void)state;
  hfDiagnostics* d = diagnose("<mujoco><worldbody><camera name='c' ipd='.1' output='rgb' user='1'/><camera target='b'/><camera mode='targetbody'/><body name='b'><geom size='1'/></body></worldbody><sensor>"
                              "<framequat objtype='camera' objname='c'/><framepos objtype='body' objname='b' reftype='camera' refname='c'/></sensor></mujoco>", NULL);
  assert_int_equal(find_diagnostic(d, "look at it").severity, HF_NOTE);
  find_diagnostic(d, "user");
  assert_int_equal(find_diagnostic(d, "does not turn").severity, HF_WARNING);
  assert_int_equal(hf_diagnostics_count(d), 3);
  hf_diagnostics_free(d);
}

// A sensor that is a plugin shifts the numbers of those after it, too.
static void test_plugin_sensor(void** state) {
  (void)state;
  hfDiagnostics* d = diagnose("<mujoco><worldbody><body><joint name='j'/><geom size='1'/><site name='s'/></body></worldbody><sensor>"
                              "<plugin plugin='mujoco.sensor.touch_grid' objtype='site' objname='s'/><jointpos joint='j'/></sensor></mujoco>", NULL);
  find_diagnostic(d, "come earlier than in MuJoCo");
  find_diagnostic(d, "<plugin>: plugins are not supported");
  assert_int_equal(hf_diagnostics_count(d), 2);
  hf_diagnostics_free(d);
}

// What refers to something unsupported is left out with it; the rest loads.
static void test_left_out_together(void** state) {
  (void)state;
  hfDiagnostics* d = hf_diagnostics_create();
  hfModel* m = parse_with("<mujoco><worldbody><geom type='sdf' name='hill'/><body><joint name='j'/><geom size='1'/><site name='s'/><site name='t'/></body></worldbody>"
                          "<tendon><spatial name='cable'><site site='s'/><geom geom='hill'/><site site='t'/></spatial></tendon>"
                          "<actuator><motor name='winch' tendon='cable'/><motor name='kept' joint='j'/><muscle joint='j'/></actuator>"
                          "<sensor><tendonpos tendon='cable'/><actuatorfrc actuator='winch'/><jointpos joint='j'/><tactile/></sensor>"
                          "<equality><tendon tendon1='cable'/></equality><contact><pair geom1='hill' geom2='hill'/></contact>"
                          "<keyframe><key qpos='1' ctrl='1 2 3'/></keyframe></mujoco>", NULL, d);
  assert_int_equal(m->nu, 1);
  assert_int_equal(m->nsensor, 1);
  assert_int_equal(m->neq, 0);
  assert_int_equal(m->ngeom, 1);
  assert_int_equal(m->nkey, 1);
  assert_int_equal(find_diagnostic(d, "tendon left out").severity, HF_WARNING);
  find_diagnostic(d, "actuator left out: what it acts on was left out");
  find_diagnostic(d, "a muscle needs lengthrange");
  assert_int_equal(find_diagnostic(d, "sensor left out: what it measures").count, 2);
  assert_int_equal(find_diagnostic(d, "come earlier than in MuJoCo").severity, HF_WARNING);
  find_diagnostic(d, "equality left out");
  find_diagnostic(d, "ctrl of a keyframe is not used");
  find_diagnostic(d, "geom of type sdf is left out");
  hf_diagnostics_free(d);
  hf_model_free(m);
}

#define MESH_WORLD(attributes, inertial)                                                               \
  "<mujoco><asset>\n<mesh name='m' file='not_there.stl'/></asset><worldbody><body>" inertial           \
  "<geom type='mesh' mesh='m' " attributes "/></body></worldbody></mujoco>"
#define INERTIAL "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>"

static void test_missing_meshes(void** state) {
  (void)state;
  hfImportConfig skip = hf_import_config_default();
  skip.skip_meshes = 1;
  hfModel* m = NULL;
  hfError error;
  static const char* const needed[] = {MESH_WORLD("", INERTIAL), MESH_WORLD("contype='0' conaffinity='0'", "")};
  for (int i = 0; i < 2; ++i) { // collides, or gives mass
    assert_int_equal(hf_model_parse(&m, needed[i], strlen(needed[i]), "test.xml", "", NULL, NULL, &error), HF_ERROR_FILE);
    hfDiagnostics* d = diagnose(needed[i], &skip);
    hfDiagnostic x = find_diagnostic(d, "not_there.stl");
    assert_int_equal(x.severity, HF_WARNING);
    assert_int_equal(x.line, 2);
    hf_diagnostics_free(d);
  }
  static const char flat[] = "<mujoco><asset><mesh name='m' vertex='0 0 0  1 0 0  0 1 0  1 1 0'/></asset><worldbody><geom type='mesh' mesh='m'/></worldbody></mujoco>";
  assert_below(hf_model_parse(&m, flat, strlen(flat), "test.xml", "", NULL, NULL, &error), 0);
  assert_non_null(strstr(error.message, "--skip-meshes"));
  hfDiagnostics* skipped = diagnose(flat, &skip);
  assert_int_equal(find_diagnostic(skipped, "the points are flat").severity, HF_WARNING);
  hf_diagnostics_free(skipped);
  // only drawn
  hfDiagnostics* d = diagnose(MESH_WORLD("contype='0' conaffinity='0'", INERTIAL), NULL);
  assert_int_equal(find_diagnostic(d, "geom left out, it is only drawn").severity, HF_NOTE);
  hf_diagnostics_free(d);
}

// Many meshes that are only drawn and missing are one note with their count, which names the first.
static void test_many_missing_meshes(void** state) {
  (void)state;
  hfDiagnostics* d = diagnose("<mujoco><asset>\n<mesh name='a' file='a.stl'/>\n<mesh name='b' file='b.stl'/>\n<mesh name='c' file='c.stl'/></asset>"
                              "<default><geom type='mesh' contype='0' conaffinity='0' mass='0'/></default><worldbody><body>" INERTIAL
                              "<geom mesh='b'/><geom mesh='a'/><geom mesh='c'/></body></worldbody></mujoco>", NULL);
  hfDiagnostic x = find_diagnostic(d, "geom left out, it is only drawn; the first: ");
  assert_int_equal(x.count, 3);
  assert_int_equal(x.line, 3);
  assert_non_null(strstr(x.message, "b.stl"));
  assert_int_equal(hf_diagnostics_count(d), 1);
  hf_diagnostics_free(d);
}

// A folder that is not there was searched without a word.
static void test_missing_search_folders(void** state) {
  (void)state;
  const char* folders[] = {DATA, "/no/such/folder"};
  hfImportConfig config = hf_import_config_default();
  config.search_path = folders, config.search_count = 2;
  hfDiagnostics* d = hf_diagnostics_create();
  hf_model_free(parse_with("<mujoco/>", &config, d));
  assert_int_equal(hf_diagnostics_count(d), 1);
  assert_int_equal(find_diagnostic(d, "search_path (--search): there is no folder \"/no/such/folder\"").severity, HF_WARNING);
  hf_diagnostics_free(d);
}

static void test_attached_models(void** state) {
  (void)state;
  char path[] = "/tmp/holdfast_child_XXXXXX.xml", text[512];
  int file = mkstemps(path, 4);
  assert_at_least(file, 0);
  FILE* out = fdopen(file, "w");
  fputs("<mujoco model='child'><option timestep='1'/><oddity/><worldbody><geom size='1'/><body name='b' colour='x'><geom size='1'/></body></worldbody></mujoco>", out);
  fclose(out);
  snprintf(text, sizeof text, "<mujoco><asset><model file='%s'/></asset><worldbody><attach model='child' body='b' prefix='p'/></worldbody></mujoco>", path);
  hfDiagnostics* d = hf_diagnostics_create();
  hfModel* m = parse_with(text, NULL, d);
  remove(path);
  find(m, HF_OBJECT_BODY, "pb");
  assert_int_equal(m->ngeom, 1);
  ASSERT_NUMBERS(&m->world.timestep, 0.002);
  find_diagnostic(d, "<option>: of an attached model");
  assert_string_equal(find_diagnostic(d, "<oddity>: unknown element").file, path);
  assert_int_equal(hf_diagnostics_count(d), 2);
  hf_diagnostics_free(d);
  hf_model_free(m);
}

static void test_non_physical_links(void** state) {
  (void)state;
  hfDiagnostics* d = diagnose("<robot name='r'>\n<link name='a'>\n<inertial><mass value='1'/><inertia ixx='1' iyy='0.1' izz='0.1' ixy='0' ixz='0' iyz='0'/></inertial></link>"
                              "<transmission name='t'/>\n<transmission name='u'/></robot>", NULL);
  hfDiagnostic x = find_diagnostic(d, "link \"a\": no matter has the principal moments 1 0.1 0.1");
  assert_int_equal(x.severity, HF_WARNING);
  assert_int_equal(x.line, 2);
  assert_int_equal(find_diagnostic(d, "<transmission> names no joint: no actuator").count, 2);
  hf_diagnostics_free(d);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_unknown_and_unused), cmocka_unit_test(test_settings), cmocka_unit_test(test_silence),
      cmocka_unit_test(test_cameras), cmocka_unit_test(test_plugin_sensor), cmocka_unit_test(test_left_out_together),  cmocka_unit_test(test_missing_meshes), cmocka_unit_test(test_many_missing_meshes),
      cmocka_unit_test(test_non_physical_links), cmocka_unit_test(test_missing_search_folders), cmocka_unit_test(test_attached_models),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
