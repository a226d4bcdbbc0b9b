// The examples of two papers as scenes with their controllers as drives: they do what their plans say.
#include "support/sim_world.h"

#include <holdfast/rigid.h>
#include <math.h>
#include <string.h>

static simWorld open_scene(const char* file, const char* keyframe, const hfSimConfig* config) {
  simWorld w = sim_world_with(load_model(file), config);
  hfError error = {HF_OK, ""};
  w.input->ctrl = NULL; // the scene's signals
  int key = hf_model_find(w.model, HF_OBJECT_KEY, keyframe);
  assert_at_least(key, 0);
  assert_int_equal(hf_state_set_key(w.state, w.input, w.model, key, &error), HF_OK);
  return w;
}

// Runs for `seconds`; returns the number of switches, whose times and directions are stored (at most `room`).
static int run_scene(simWorld* w, double seconds, hfSwitch* switches, int room) {
  hfError error = {HF_OK, ""};
  int count = 0;
  for (long left = lround(seconds / hf_sim_step_size(w->sim)); left > 0; --left) {
    hfStepReport r;
    if (hf_sim_step(w->sim, w->state, w->input, &r, &error) != HF_OK) fail_msg("at %g s: %s", w->state->time, error.message);
    for (int i = 0; i < r.switching.nswitch; ++i, ++count)
      if (count < room) switches[count] = hf_sim_switch(w->sim, i);
  }
  return count;
}

// The plan turns the object from -20 to 20 degrees by the quintic 10 u^3 - 15 u^4 + 6 u^5, about a centre at rest.
static void test_rotate(void** state) {
  (void)state;
  hfSimConfig config = hf_sim_config_default();
  simWorld w = open_scene(HF_SOURCE_DIR "/models/grasp_rotate.xml", "start", &config);
  assert_int_equal(run_scene(&w, 0.48, NULL, 0), 0);
  const double* q = hf_state_q(w.state);
  print_message("half-way: angle %.3g rad, centre %.2g m off\n", q[2], hypot(q[0], q[1] - 0.13));
  assert_below(fabs(q[2]), 1e-4); // rows of the table are 5 ms apart: off by h^2/8 of the angular acceleration at most, 1e-5 rad, and what the servo makes of it
  assert_below(hypot(q[0], q[1] - 0.13), 1e-6);
  assert_int_equal(run_scene(&w, 0.48, NULL, 0), 0);
  double u = 0.98, turned = u * u * u * (10 - 15 * u + 6 * u * u), end = (40 * turned - 20) * 3.14159265358979323846 / 180;
  print_message("end: angle %.6f rad, plan %.6f\n", q[2], end);
  assert_below(fabs(q[2] - end), 1e-4);
  sim_world_free(&w);
}

// Leaves rigid contact at 0.42 s of the plan, of which 0.01 s are over at the start, returns to it, and arrives at the planned height.
static void test_translate(void** state) {
  (void)state;
  hfSwitch switches[8];
  hfSimConfig config = hf_sim_config_default();
  config.switching.rigid.layer.eps = 5e-4;
  config.switching.rank_margin = 1e-4;
  config.switching.return_modes = HF_RETURN_GROSS;
  config.switching.settle = 0;
  simWorld w = open_scene(HF_SOURCE_DIR "/models/grasp_translate.xml", "start", &config);
  int count = run_scene(&w, 0.98, switches, 8);
  const double* q = hf_state_q(w.state);
  print_message("%d switches, the first at %.4f s, height %.4f m, %.2g m to the side\n", count, switches[0].time, q[1], q[0]);
  assert_int_equal(count, 2);
  assert_true(!switches[0].rigid && switches[1].rigid);
  double u = 0.99, planned = 0.12 + 0.06 * u * u * (3 - 2 * u);
  assert_below(fabs(switches[0].time + 0.01 - 0.4195), 0.001); // where the P property is lost
  assert_below(fabs(q[1] - planned), 3e-5); // the error of the experiment's run is at most 31 um; rows of 10 ms add h^2/8 of the acceleration, 5 um
  assert_below(fabs(q[0]), 1e-6);                              // a symmetric scene
  sim_world_free(&w);
}

// Ten periods at 0.08 m/s, upright.
static void test_trot(void** state) {
  (void)state;
  hfSimConfig config = hf_sim_config_default();
  simWorld w = open_scene(HF_SOURCE_DIR "/models/quadruped_trot.xml", "trot", &config);
  run_scene(&w, 5, NULL, 0);
  const double* q = hf_state_q(w.state);
  double up = 1 - 2 * (q[4] * q[4] + q[5] * q[5]);
  print_message("trot: %.3f m ahead, %.3f m aside, tilt %.3f rad\n", q[0], q[1], acos(fmin(1, up)));
  assert_below(fabs(q[0] - 0.4), 0.06); // round feet roll, and feet that land slide a little
  assert_below(fabs(q[1]), 0.05);
  assert_above(up, 0.99);
  sim_world_free(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_rotate), cmocka_unit_test(test_translate), cmocka_unit_test(test_trot)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
