// Meshes that collide as something else than what is drawn are reported, and so are sizes in millimetres.
//
// The mesh is a cube of 2 m with a pit of 1 m x 1 m x 1 m in its top: volume 7 m^3, and its hull has 8 m^3.
#include "import/support.h"

#include <holdfast/builder.h>

#define PIT_VERTICES                                                                                                    \
  "-1 -1 -1  1 -1 -1  1 1 -1  -1 1 -1  -1 -1 1  1 -1 1  1 1 1  -1 1 1  "                                                \
  "-.5 -.5 0  .5 -.5 0  .5 .5 0  -.5 .5 0  -.5 -.5 1  .5 -.5 1  .5 .5 1  -.5 .5 1"
#define FLOOR_AND_SIDES "0 2 1 0 3 2  0 1 5 0 5 4  1 2 6 1 6 5  2 3 7 2 7 6  3 0 4 3 4 7 "
#define RIM "4 5 13 4 13 12  5 6 14 5 14 13  6 7 15 6 15 14  7 4 12 7 12 15 "
#define PIT "8 9 10 8 10 11  8 13 9 8 12 13  9 14 10 9 13 14  10 15 11 10 14 15  11 12 8 11 15 12"
#define MESH(name, scale, faces)                                                                                        \
  "<mesh name='" name "' inertia='legacy' scale='" scale " " scale " " scale "' vertex='" PIT_VERTICES "' face='" faces "'/>"
#define SCENE(assets, world) "<mujoco><asset>" assets "</asset><worldbody>" world "</worldbody></mujoco>"
#define SOLID FLOOR_AND_SIDES RIM PIT
#define CUP SCENE(MESH("pit", ".1", SOLID), "<body name='cup'><freejoint/><geom type='mesh' mesh='pit'/></body>")

static hfModel* read_model(const char* text, hfDiagnostics** said) {
  *said = hf_diagnostics_create();
  return parse_with(text, NULL, *said);
}

static void test_volumes(void** state) {
  (void)state;
  hfModel* m = parse(SCENE(MESH("pit", "1", SOLID), "<geom type='mesh' mesh='pit'/>"));
  hfMeshShape shape = hf_model_mesh_shape(m, 0);

  // the surface is kept in single precision
  assert_below(fabs(shape.volume - 7), 1e-5);
  assert_below(fabs(shape.hull_volume - 8), 1e-13);
  assert_below(fabs(shape.volume_ratio - 8. / 7), 1e-6);
  assert_below(fabs(shape.longest_side - 2), 1e-14);
  assert_below(shape.opening, 1e-6);
  assert_false(shape.has_opening);
  assert_true(shape.differs);
  hf_model_free(m);
}

// Without rim and pit a square of 4 m^2 is open.
static void test_opening(void** state) {
  (void)state;
  hfDiagnostics* said = NULL;
  hfModel* m = read_model(SCENE(MESH("box", ".1", FLOOR_AND_SIDES), "<body name='cup'><freejoint/><geom type='mesh' mesh='box'/></body>"), &said);

  hfMeshShape shape = hf_model_mesh_shape(m, 0);
  assert_below(fabs(shape.opening - 0.04), 1e-8);
  assert_true(shape.has_opening);
  assert_int_equal(find_diagnostic(said, "its surface is open (400 cm^2)").severity, HF_WARNING);
  hf_diagnostics_free(said);
  hf_model_free(m);
}

static void test_free_object_is_warned_of(void** state) {
  (void)state;
  hfDiagnostics* said = NULL;
  hf_model_free(read_model(CUP, &said));

  hfDiagnostic d = find_diagnostic(said, "mesh \"pit\" of body \"cup\" collides as its convex hull, which has 1.14 times its volume");
  assert_int_equal(d.severity, HF_WARNING);
  assert_string_equal(d.file, "test.xml");
  assert_int_equal(hf_diagnostics_count(said), 1);
  hf_diagnostics_free(said);
}

static void test_fixture_is_warned_of_and_base_of_robot_is_not(void** state) {
  (void)state;
  hfDiagnostics* said = NULL;
  hf_model_free(read_model(SCENE(MESH("pit", ".1", SOLID), "<body name='hole'><geom type='mesh' mesh='pit'/></body>"), &said));
  assert_int_equal(find_diagnostic(said, "of body \"hole\" collides").severity, HF_WARNING);
  hf_diagnostics_free(said);

  hf_model_free(read_model(SCENE(MESH("pit", ".1", SOLID), "<body name='base'><geom type='mesh' mesh='pit'/><body pos='1 0 0'>"
                                                           "<joint/><geom size='.1'/></body></body>"), &said));
  assert_int_equal(find_diagnostic(said, "1 mesh of links collides as convex hull").severity, HF_NOTE);
  assert_int_equal(hf_diagnostics_count(said), 1);
  hf_diagnostics_free(said);
}

// What is only drawn does not collide, and a convex mesh is its hull.
static void test_silence(void** state) {
  (void)state;
  hfDiagnostics* said = NULL;
  hf_model_free(read_model(SCENE(MESH("pit", ".1", SOLID) "<mesh name='cube' vertex='0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1'/>",
                                 "<body><freejoint/><geom type='mesh' mesh='pit' contype='0' conaffinity='0'/><geom type='mesh' mesh='cube'/></body>"),
                           &said));
  assert_int_equal(hf_diagnostics_count(said), 0);
  hf_diagnostics_free(said);
}

static void test_links_share_one_note(void** state) {
  (void)state;
  hfDiagnostics* said = NULL;
  hf_model_free(read_model(SCENE(MESH("a", ".1", SOLID) MESH("b", ".2", FLOOR_AND_SIDES),
                                 "<body name='one'><joint/><geom type='mesh' mesh='a'/><body name='two'><joint/><geom type='mesh' mesh='b'/></body></body>"),
                           &said));
  find_diagnostic(said, "2 meshes of links collide as convex hulls; the hull differs most for mesh \"b\" of body \"two\"");
  assert_int_equal(hf_diagnostics_count(said), 1);
  hf_diagnostics_free(said);
}

static void test_many_objects_are_counted(void** state) {
  (void)state;
  hfDiagnostics* said = NULL;
#define OBJECT(x) "<body pos='" x " 0 0'><freejoint/><geom type='mesh' mesh='" x "'/></body>"
  hf_model_free(read_model(SCENE(MESH("1", ".1", SOLID) MESH("2", ".1", SOLID) MESH("3", ".1", SOLID) MESH("4", ".1", SOLID) MESH("5", ".1", SOLID),
                                 OBJECT("1") OBJECT("2") OBJECT("3") OBJECT("4") OBJECT("5")), &said));
  find_diagnostic(said, "2 more meshes of objects");
  assert_int_equal(hf_diagnostics_count(said), 4);
  hf_diagnostics_free(said);
}

static void test_millimetres(void** state) {
  (void)state;
  hfDiagnostics* said = NULL;
  hf_model_free(read_model(SCENE(MESH("pit", "50", SOLID), "<body name='mug'><freejoint/><geom type='mesh' mesh='pit'/></body>"
                                                           "<body name='block' pos='500 0 0'><freejoint/><geom type='box' size='40 40 40' mass='1'/></body>"), &said));
  assert_int_equal(find_diagnostic(said, "the scale 0.001 0.001 0.001; the first: 100 m of body \"mug\"").severity, HF_NOTE);
  find_diagnostic(said, "lengths are in metres; the first: 80 m of body \"block\"");
  assert_int_equal(hf_diagnostics_count(said), 3);
  hf_diagnostics_free(said);
}

// A saved model says the same, and so does a builder's.
static void test_saved_and_built(void** state) {
  (void)state;
  hfError error;
  hfDiagnostics* said = hf_diagnostics_create();
  hfModel* saved = NULL;
  hfModel* m = parse(CUP);
  assert_int_equal(hf_model_parse(&saved, (const char*)m, (size_t)m->size, "cup.hfm", "", NULL, said, &error), HF_OK);
  assert_string_equal(find_diagnostic(said, "collides as its convex hull").file, "cup.hfm");
  hf_diagnostics_free(said);
  hf_model_free(saved);
  hf_model_free(m);

  hfBuilder* b = NULL;
  said = hf_diagnostics_create();
  assert_int_equal(hf_builder_parse(&b, CUP, strlen(CUP), "test.xml", "", NULL, said, &error), HF_OK);
  assert_int_equal(hf_diagnostics_count(said), 0);
  assert_int_equal(hf_builder_finish(b, &m, &error), HF_OK);
  hf_model_diagnose(m, "", said);
  find_diagnostic(said, "collides as its convex hull");
  hf_diagnostics_free(said);
  hf_builder_free(b);
  hf_model_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_volumes),
                                     cmocka_unit_test(test_opening),
                                     cmocka_unit_test(test_free_object_is_warned_of),
                                     cmocka_unit_test(test_fixture_is_warned_of_and_base_of_robot_is_not),
                                     cmocka_unit_test(test_silence),
                                     cmocka_unit_test(test_links_share_one_note),
                                     cmocka_unit_test(test_many_objects_are_counted),
                                     cmocka_unit_test(test_millimetres),
                                     cmocka_unit_test(test_saved_and_built)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
