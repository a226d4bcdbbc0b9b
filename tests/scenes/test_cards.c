// Two cards that lean against each other, each tilted by th from the vertical, with half thickness t and half height H.
// They touch with parallel edges at the top. By symmetry the force there is horizontal, N, and moments about the foot of
// a card give N 2 H cos th = m g (H sin th - t cos th): they stand where the friction of the floor holds N against m g,
//
//   mu >= (tan th - t/H)/2.
#include "scenes/scene.h"

static const double H = 0.1; // [m]

// The cards meet at x = 0 with the upper edges of their inner sides; they stand on the lower ones.
static void write_cards(const char* shape, double th, double t, double mu) {
  double x = t * cos(th) + H * sin(th), z = t * sin(th) + H * cos(th), w = 0.03, degrees = th * 180 / M_PI;
  FILE* f = fopen("cards.xml", "w");
  assert_non_null(f);
  fprintf(f, "<mujoco><option timestep=\"0.002\"/><asset><mesh name=\"card\" vertex=\"");
  for (int i = 0; i < 8; ++i) fprintf(f, "%.17g %.17g %.17g ", i & 1 ? t : -t, i & 2 ? w : -w, i & 4 ? H : -H);
  fprintf(f, "\"/></asset><default><geom friction=\"%.17g\" mass=\"0.05\"/></default><worldbody>", mu);
  fprintf(f, "<geom type=\"plane\" size=\"2 2 1\" mass=\"0\"/>");
  for (int side = -1; side <= 1; side += 2) {
    fprintf(f, "<body pos=\"%.17g 0 %.17g\" euler=\"0 %.17g 0\"><freejoint/>", side * x, z, -side * degrees);
    if (strcmp(shape, "box") == 0) fprintf(f, "<geom type=\"box\" size=\"%.17g %.17g %.17g\"/></body>", t, w, H);
    else fprintf(f, "<geom type=\"mesh\" mesh=\"card\"/></body>");
  }
  fprintf(f, "</worldbody></mujoco>");
  assert_int_equal(fclose(f), 0);
}

// Whether the first card is still up after 2 s, in which cards that slip are down: at a tenth of the friction missing they
// begin with a tenth of g.
static int cards_stand(const char* shape, double th, double t, double mu) {
  write_cards(shape, th, t, mu);
  assert_works("run cards.xml --time 2 --json --log log.csv");
  table log = table_read("log.csv");
  sceneRun run = {.log = log};
  int up = position(&run, -1, 2) > 0.98 * position(&run, 0, 2);
  table_free(&log);
  return up;
}

// Bisection to 0.002. The tolerance is that, and twice as much for cards that slip so slowly that they are still up after 2 s.
static void check_critical_friction(const char* shape, double th, double t) {
  double low = 0, high = 1, theory = 0.5 * (tan(th) - t / H);
  while (high - low > 0.002) {
    double mu = 0.5 * (low + high);
    if (cards_stand(shape, th, t, mu)) high = mu;
    else low = mu;
  }
  assert_near(high, theory, 0.006);
}

static void test_boxes(void** state) {
  (void)state;
  check_critical_friction("box", 15 * M_PI / 180, 0.0005);
  check_critical_friction("box", 30 * M_PI / 180, 0.002);
}
static void test_meshes(void** state) {
  (void)state;
  check_critical_friction("mesh", 15 * M_PI / 180, 0.004);
  check_critical_friction("mesh", 50 * M_PI / 180, 0.004);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_boxes), cmocka_unit_test(test_meshes)};
  return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
