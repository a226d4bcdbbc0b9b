// Heavy bodies in scenes that give no stiffness. All moving bodies together have the mass M, geoms the stiffness
// k = M g/(1 mm), and a face on four points in series, 4 k/2, under the load m g gives way by m/M 0.5 mm.
#include "scenes/scene.h"

static char scene[8192];

static void begin_scene(const char* custom) {
  snprintf(scene, sizeof scene,
           "<mujoco><option timestep=\"0.002\"/>%s<worldbody><geom type=\"plane\" size=\"5 5 1\"/>", custom);
}
static void add_box(double z, double half, double mass) {
  size_t used = strlen(scene);
  snprintf(scene + used, sizeof scene - used,
           "<body pos=\"0 0 %g\"><freejoint/><geom type=\"box\" size=\"%g %g %g\" mass=\"%g\"/></body>", z, half, half, half, mass);
}
static sceneRun run_boxes(const char* options) {
  char call[256];
  strcat(scene, "</worldbody></mujoco>");
  write_file("heavy.xml", scene);
  snprintf(call, sizeof call, "run heavy.xml --time 2 --json --log log.csv %s", options);
  assert_works(call);
  return (sceneRun){.log = table_read("log.csv")};
}

// Box number i, which started at height z, ended `sunk` [m] below it, and is at rest: nothing swings after 2 s. A step is solved to 1e-8 of
// its momentum, which is h g for a velocity and the same share of the depth.
static void check_sunk(const sceneRun* run, int i, double z, double sunk) {
  assert_near(z - position(run, -1, 7 * i + 2), sunk, 1e-7 * sunk);
  for (int k = 0; k < 6; ++k) assert_near(velocity(run, -1, 6 * i + k), 0, 1e-8 * 9.81 * 0.002);
}

static void check_heavy_on_light(const char* options) {
  begin_scene("");
  add_box(0.1, 0.1, 1);
  add_box(0.7, 0.5, 1e4);
  sceneRun run = run_boxes(options);
  double M = 10001, lower = 0.5e-3, upper = 0.5e-3 * 1e4 / M;
  check_sunk(&run, 0, 0.1, lower);
  check_sunk(&run, 1, 0.7, lower + upper);
  table_free(&run.log);
}
static void test_heavy_on_light(void** state) {
  (void)state;
  check_heavy_on_light("");
  check_heavy_on_light("--step 0.01");
  check_heavy_on_light("--method convex");
}

static void test_light_on_heavy(void** state) {
  (void)state;
  double M = 1e4 + 1e-3, lower = 0.5e-3;
  begin_scene("");
  add_box(0.5, 0.5, 1e4);
  add_box(1.1, 0.1, 1e-3);
  sceneRun run = run_boxes("");
  check_sunk(&run, 0, 0.5, lower);
  check_sunk(&run, 1, 1.1, lower * (1 + 1e-3 / M));
  table_free(&run.log);
}

static void test_stack(void** state) {
  (void)state;
  enum { BOXES = 10 };
  double sunk = 0;
  begin_scene("");
  for (int i = 0; i < BOXES; ++i) add_box(0.5 + i, 0.5, 1000);
  sceneRun run = run_boxes("");
  for (int i = 0; i < BOXES; ++i) check_sunk(&run, i, 0.5 + i, sunk += 0.5e-3 * (BOXES - i) / BOXES);
  table_free(&run.log);
}

// A scene of 100 kg keeps 1e6 N/m, and one that gives a stiffness keeps that: m g/(4 k/2).
static void test_others_keep_theirs(void** state) {
  (void)state;
  begin_scene("");
  add_box(0.5, 0.5, 100);
  sceneRun run = run_boxes("");
  check_sunk(&run, 0, 0.5, 100 * 9.81 / 2e6);
  table_free(&run.log);
  begin_scene("<custom><numeric name=\"hf.stiffness\" data=\"4e7\"/></custom>");
  add_box(0.5, 0.5, 1e4);
  run = run_boxes("");
  check_sunk(&run, 0, 0.5, 1e4 * 9.81 / 8e7);
  table_free(&run.log);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_heavy_on_light), cmocka_unit_test(test_light_on_heavy),
                                     cmocka_unit_test(test_stack), cmocka_unit_test(test_others_keep_theirs)};
  return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
