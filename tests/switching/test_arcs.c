// Rigid phases against closed forms: incline, slip to roll, stick-slip, impacts.
#include "runs.h"

// A point that slides along x and z on a plane, tilted by its gravity: g = 10, tan = 0.75 (sin 0.6, cos 0.8).
#define INCLINE(mu, v)                                                                             \
  "<mujoco><option gravity='6 0 -8'/><worldbody><geom type='plane' size='0 0 1' friction='" mu     \
  "'/>"                                                                                            \
  "<body pos='0 0 0.1'><joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 0 1'/>"       \
  "<geom type='sphere' size='0.1' mass='2' friction='0'/></body></worldbody></mujoco>"

// sticks iff tan th <= mu, else a = g (sin th - mu cos th)
static void test_incline(void** state) {
  (void)state;
  hfSimConfig config = switching_config(HF_CONTACT_MODEL_RIGID, 0.01);
  simWorld w = switching_world(INCLINE("0.5", 0), &config);
  runSum sum = switching_run(&w, 1);
  assert_int_equal(sum.status, HF_OK);
  assert_below(fabs(sim_v(&w)[0] - 2), 1e-9); // rounding: the arc is exact for a parabola
  assert_below(fabs(sim_q(&w)[0] - 1), 1e-9);
  assert_below(fabs(sim_q(&w)[1]), 1e-12);
  assert_below(fabs(hf_sim_contact(w.sim, 0).fn - 16), 1e-9);
  sim_world_free(&w);
  w = switching_world(INCLINE("0.8", 0), &config);
  switching_run(&w, 1);
  assert_below(fabs(sim_q(&w)[0]), 1e-12);
  assert_int_equal(hf_sim_contact(w.sim, 0).stick, 1);
  assert_below(fabs(fabs(hf_sim_contact(w.sim, 0).ft.x) - 12), 1e-9);
  // sliding up at 3 m/s stops at t = 3/(6 + 0.8 8) and stays
  hf_state_reset(w.state, w.model);
  sim_v(&w)[0] = -3;
  sum = switching_run(&w, 1);
  double a = 6 + 0.8 * 8;
  print_message("stops after %.12g m, theory %.12g; sticks %d times\n", sim_q(&w)[0], -4.5 / a,
                sum.nstick);
  assert_true(fabs(sim_q(&w)[0] + 4.5 / a) <
              1e-8); // accuracy 1e-6 of a step, exact parabola; the event to 1e-11 of a step
  assert_int_equal(sum.nstick, 1);
  sim_world_free(&w);
}

// v = 5/7 v0 at t = 2 v0/(7 mu g); oblique, so that the direction is one of three dimensions
static void test_slip_to_roll(void** state) {
  (void)state;
  static const char ball[] = "<mujoco><option gravity='0 0 -10'/><worldbody><geom type='plane' "
                             "size='0 0 1' friction='0.3'/>"
                             "<body pos='0 0 0.1'><freejoint/><geom type='sphere' size='0.1' "
                             "mass='1' friction='0'/></body></worldbody></mujoco>";
  hfSimConfig config = switching_config(HF_CONTACT_MODEL_RIGID, 0.01);
  simWorld w = switching_world(ball, &config);
  sim_v(&w)[0] = 1.2, sim_v(&w)[1] = 1.6;
  double stop = 2 * 2 / (7 * 0.3 * 10);
  runSum sum = switching_run(&w, 1);
  double x = 2 * stop - 0.5 * 3 * stop * stop + 10. / 7 * (1 - stop);
  print_message("v %.12g %.12g, theory %.12g %.12g; x %.10g, theory %.10g\n", sim_v(&w)[0],
                sim_v(&w)[1], 1.2 * 5 / 7, 1.6 * 5 / 7, sim_q(&w)[0], 0.6 * x);
  assert_int_equal(sum.status, HF_OK);
  assert_int_equal(sum.nstick, 1);
  assert_true(fabs(sim_v(&w)[0] - 1.2 * 5 / 7) < 1e-6 &&
              fabs(sim_v(&w)[1] - 1.6 * 5 / 7) < 1e-6); // accuracy of a step
  assert_below(fabs(sim_q(&w)[0] - 0.6 * x), 1e-5);
  assert_below(fabs(sim_q(&w)[2] - 0.1), 1e-7);
  sim_world_free(&w);
}

// m = 0.33, W = 3.234 N, mu = 1, f = 4 cos(2 pi t); slide -> stick at 0.175898 s
static const char BOX[] =
    "<mujoco><option gravity='0 0 -9.8'/><custom><text name='hf.signal.push' data='sine 4 1 "
    "1.57079632679489662 0'/></custom><worldbody>"
    "<geom type='plane' size='0 0 1' friction='1'/><body pos='0 0 0.1'><joint name='x' "
    "type='slide' axis='1 0 0'/><joint type='slide' axis='0 0 1'/>"
    "<geom type='sphere' size='0.1' mass='0.33' friction='0'/></body></worldbody>"
    "<actuator><motor name='push' joint='x'/></actuator></mujoco>";

static void test_stick_slip(void** state) {
  (void)state;
  hfSimConfig config = switching_config(HF_CONTACT_MODEL_RIGID, 0.001);
  simWorld w = switching_world(BOX, &config);
  double stopped = 0, peak = 0;
  hfError error = {HF_OK, ""};
  while (w.state->time < 0.3) {
    hfStepReport r;
    assert_int_equal(hf_sim_step(w.sim, w.state, w.input, &r, &error), HF_OK);
    if (r.switching.nstick && stopped == 0) stopped = w.state->time;
    peak = fmax(peak, sim_v(&w)[0]);
  }
  print_message("stuck in the step that ends at %.4f s (theory 0.175898), peak %.8f (0.153927)\n",
                stopped, peak);
  assert_below(fabs(stopped - 0.176), 1e-9);
  assert_below(fabs(peak - 0.153927), 1e-6); // printed digits
  sim_world_free(&w);
}

// Ball dropped 1 m: plastic stays, elastic returns; times of flight
static void test_impact(void** state) {
  (void)state;
  static const char ball[] =
      "<mujoco><option gravity='0 0 -10'/><worldbody><geom type='plane' size='0 0 1'/>"
      "<body pos='0 0 1.1'><freejoint/><geom type='sphere' size='0.1' "
      "mass='1'/></body></worldbody></mujoco>";
  hfSimConfig config = switching_config(HF_CONTACT_MODEL_SWITCHING, 0.01);
  simWorld w = switching_world(ball, &config);
  runSum sum = switching_run(&w, 1);
  assert_int_equal(sum.nimpact, 1);
  assert_true(fabs(sim_q(&w)[2] - 0.1) <
              1e-6); // found below the surface by at most the tolerance of meeting
  assert_below(fabs(hf_sim_contact(w.sim, 0).fn - 10), 1e-6);
  assert_int_equal(sum.nswitch, 0);
  sim_world_free(&w);
  config.switching.restitution = 0.5;
  w = switching_world(ball, &config);
  double fall = sqrt(0.2), t = 0.8, after = t - fall, v = 0.5 * sqrt(20);
  sum = switching_run(&w, t);
  print_message("height %.12g, theory %.12g\n", sim_q(&w)[2], 0.1 + v * after - 5 * after * after);
  assert_below(fabs(sim_q(&w)[2] - (0.1 + v * after - 5 * after * after)), 1e-7);
  sim_world_free(&w);
  config.switching.rest_speed = 1.01 * sqrt(20); // it meets the floor more slowly: plastic in spite of the restitution
  w = switching_world(ball, &config);
  sum = switching_run(&w, t);
  assert_int_equal(sum.nimpact, 1);
  assert_below(fabs(sim_q(&w)[2] - 0.1), 1e-6);
  sim_world_free(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_incline), cmocka_unit_test(test_slip_to_roll),
      cmocka_unit_test(test_stick_slip), cmocka_unit_test(test_impact)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
