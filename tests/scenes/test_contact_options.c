// Everything that a scene can say about its contacts: condim, margin, explicit pairs, exclusions, contype and conaffinity;
// and mocap bodies.
#include "scenes/scene.h"

static const double g = 9.81;

// Coulomb's laws of torsion and rolling for a ball, I = 2/5 m r^2:
//   spin       stops at the rate mu_t m g/I
//   rolling    slows with mu_r g/(r (1 + 2/5))
static void check_condim(const char* friction, double tolerance) {
  char options[128];
  snprintf(options, sizeof options, "--keyframe go --time 1 --friction %s", friction);
  sceneRun run = run_scene("condim.xml", options);
  assert_all_by_tamsi();
  const double I = 0.4 * 0.1 * 0.1;
  int from = table_row_at(&run.log, 0.1), to = table_row_at(&run.log, 0.3);
  double time = table_at(&run.log, to, "time") - table_at(&run.log, from, "time");
  assert_near(velocity(&run, -1, 0), 1, 1e-12); // frictionless: nothing changes
  assert_near(velocity(&run, -1, 4), 0, 1e-12);
  assert_near((velocity(&run, to, 11) - velocity(&run, from, 11)) / time, -0.01 * g / I,
              tolerance * 0.01 * g / I);
  assert_near(velocity(&run, -1, 11), 0, 1e-6); // has stopped at 0.408 s
  assert_near((velocity(&run, to, 12) - velocity(&run, from, 12)) / time, -0.002 * g / (1.4 * 0.1),
              tolerance * 0.002 * g / 0.14);
  assert_near(velocity(&run, -1, 23), 10, 1e-9); // no torsion asked for
  free_run(&run);
}

// The lever is r less half the depth, 1e-5 of it; anchored rolling measures chords: (w h)^2/6 with
// w = 10 rad/s; the smooth law is (v_s/v)^2/2 below the bound.
static void test_condim(void** state) {
  (void)state;
  check_condim("regularised", 5e-5);
  check_condim("smooth", 5e-5);
  check_condim("anchored", 2e-4);
}

// Gravity is (3, 0, -9). Corners are equally deep to the moment of friction about them: 3/9 of it.
static void check_pairs(const char* friction, double v_s) {
  char options[128];
  snprintf(options, sizeof options, "--time 2 --friction %s", friction);
  sceneRun run = run_scene("pairs.xml", options);
  double solved = 1e-8 * 9 * 0.002; // to which a step's velocities are solved [m/s]
  assert_near(position(&run, -1, 2), 0.1 + 0.005 - 9 / (4 * 5e5), 1e-7);
  assert_near(velocity(&run, -1, 6), (3 - 1e-5 * 9) * 2, 1e-5); // the pair's friction, not its own
  assert_near(velocity(&run, -1, 12), v_s * 3 / (2 * 9.0),
              10 * solved); // the pair's, though its bits say no contact
  assert_near(position(&run, -1, 23), 0.1 - 9 / 5e5, 1e-7); // fell past the shelf to the floor
  assert_near(velocity(&run, -1, 26), -18, 1e-9);           // free fall through the floor
  for (int row = 0; row < run.contacts.rows; ++row) {
    assert_false(touches(&run, row, "shelf"));
    assert_false(touches(&run, row, "ghost"));
  }
  free_run(&run);
}

static void test_pairs(void** state) {
  (void)state;
  check_pairs("regularised", 1e-4);
  check_pairs("anchored", 0);
}

// Hands move mocap bodies: the plate goes 0.2 m/s along x for 1 s, the lift 0.1 m/s upwards. A step
// sees the plate at rest where it is, so that what it pushes lags by what the plate goes in a step
// and by the depth that pushes: k depth = mu m g + damping.
static void test_mocap_pushes(void** state) {
  (void)state;
  hfModel* model = NULL;
  hfSim* sim = NULL;
  hfError error = {HF_OK, ""};
  if (hf_model_load(&model, HF_SOURCE_DIR "/tests/scenes/mocap.xml", NULL, NULL, &error) < 0 ||
      hf_sim_create(&sim, model, NULL, &error) < 0)
    fail_msg("%s", error.message);
  hfState* s = hf_state_create(model);
  hfInput* in = hf_input_create(model);
  assert_true(s && in && model->nmocap == 2);
  double peak = 0;
  for (int i = 0; i < 500; ++i) {
    in->mocap_pos[0] += 0.2 * 0.002;
    in->mocap_pos[5] += 0.1 * 0.002;
    assert_at_least(hf_sim_step(sim, s, in, NULL, &error), 0);
    if (i > 100) peak = fmax(peak, fabs(hf_state_v(s)[0]));
  }
  // face of the plate 0.02, half of the box 0.1; started 1 cm away
  assert_near(hf_state_q(s)[0], in->mocap_pos[0] + 0.12, 0.5e-3);
  assert_near(hf_state_q(s)[9], in->mocap_pos[5] + 0.07, 0.5e-3);
  assert_below(peak, 0.4); // pushed, not thrown
  hf_input_free(in);
  hf_state_free(s);
  hf_sim_free(sim);
  hf_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_condim), cmocka_unit_test(test_pairs),
                                     cmocka_unit_test(test_mocap_pushes)};
  return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
