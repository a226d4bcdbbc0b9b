// Continuous time through the command: experiment tamsi-box holds what it has to show, `run` with every
// method and option, refusals, and a stiff scene with an explicit method.
#include "cli/command.h"

static void test_box_shows_what_it_must(void** state) {
  (void)state;
  assert_works("experiment tamsi-box --quick --json --out figures");
  assert_json();
  assert_null(strstr(standard_output, "\"holds\": false"));
  const char* lines[] = {"fig4-cycle", "fig4-linear", "fig4-smooth", "fig5-ratio-full", "fig5-ratio-quasi", "fig5-slope", "fig5-range"};
  for (int i = 0; i < 7; ++i) assert_says(standard_output, lines[i]);
  char text[TEXT_SIZE];
  const char* files[] = {"figures/figure4.svg", "figures/figure5.svg"};
  for (int i = 0; i < 2; ++i) assert_says(read_file(files[i], text), "</svg>");
  assert_says(read_file("figures/figure5.csv", text), "QN EC TALS,");
}

// A block thrown over a floor stops after v^2/(2 mu g) = 0.1019 m, whatever integrates it.
static const char SLIDE[] =
    "<mujoco><option timestep='0.002'/><custom><numeric name='hf.stiffness' data='1e5'/>"
    "<numeric name='hf.stiction_speed' data='1e-3'/></custom>"
    "<worldbody><geom type='plane' size='0 0 1' friction='0.5 0 0'/><body pos='0 0 0.0499755'>"
    "<joint name='x' type='slide' axis='1 0 0'/><joint name='z' type='slide' axis='0 0 1'/>"
    "<geom type='box' size='0.1 0.1 0.05' mass='0.5' friction='0.5 0 0'/></body></worldbody></mujoco>";

static void test_methods_and_options(void** state) {
  (void)state;
  write_file("slide.xml", SLIDE);
  const char* options[] = {"rk3", "rk3 --accuracy 1e-4", "implicit-euler", "implicit-euler --newton quasi --jacobian fd --tals off",
                           "implicit-euler --accuracy 1e-4 --newton quasi", "sdirk", "sdirk --accuracy 1e-5 --jacobian fd",
                           "sdirk --accuracy 1e-5 --friction regularised", "implicit-euler --friction smooth"};
  for (int i = 0; i < 9; ++i) {
    char arguments[256];
    snprintf(arguments, sizeof arguments, "run slide.xml --qvel '1 0' --time 0.4 --json --method %s", options[i]);
    assert_works(arguments);
    double x = json_value(standard_output, "qpos", 0);
    print_message("%-60s stops at %.5f m\n", options[i], x);
    // first order at 2 ms: v h/2 = 1 mm, and the smooth law keeps its tail of 1 mm/s for 0.2 s
    assert_near(x, 1 / (2 * 0.5 * 9.81), 2e-3);
  }
}

// A pendulum falls onto the limit of its joint, which stops it at once: no step of discrete time meets the accuracy then, and the run goes
// on to its end, where the pendulum rests at 30 degrees, to the accuracy.
static void test_run_goes_on_where_a_joint_meets_its_limit(void** state) {
  (void)state;
  write_file("limit.xml", "<mujoco><worldbody><body pos='0 0 1'><joint axis='0 1 0' limited='true' range='-30 30'/>"
                          "<geom type='capsule' fromto='0 0 0 .3 0 0' size='.02'/></body></worldbody></mujoco>");
  assert_works("run limit.xml --time 1 --accuracy 1e-4 --json");
  assert_near(json_value(standard_output, "time", 0), 1, 1e-9);
  assert_above(json_value(standard_output, "missed", 0), 0);
  assert_near(json_value(standard_output, "qpos", 0), 3.14159265358979 / 6, 1e-4);
}

// Accuracy 0 means fixed steps: the same as no accuracy, to the last digit.
static void test_accuracy_zero_is_fixed_steps(void** state) {
  (void)state;
  write_file("slide.xml", SLIDE);
  double end[2];
  const char* options[] = {"", "--accuracy 0"};
  for (int i = 0; i < 2; ++i) {
    char arguments[128];
    snprintf(arguments, sizeof arguments, "run slide.xml --qvel '1 0' --time 0.1 --json --method rk3 %s", options[i]);
    assert_works(arguments);
    end[i] = json_value(standard_output, "qpos", 0);
  }
  assert_true(end[0] == end[1]);
}

static void test_bad_options_are_refused(void** state) {
  (void)state;
  write_file("slide.xml", SLIDE);
  assert_refused("run slide.xml --method rk3 --accuracy -1e-3", 2, "accuracy");
  assert_refused("run slide.xml --method sdirk --step -0.001", 2, "step = -0.001");
  assert_refused("run slide.xml --method implicit-euler --newton half", 2, "known: full, quasi");
  assert_refused("run slide.xml --method rk3 --friction coulomb", 2, "coulomb");
}

// 10 g on 1e18 N/m: the explicit method stops at the touch, at sqrt(2 0.01/9.81) s, and says so.
// A ball of 1 g is jammed between a floor and a ceiling of 1e12 N/m, by 10 and 7 mm: too stiff for rk3, and no scene for another method of continuous time.
static void test_deep_overlap_with_an_explicit_method(void** state) {
  (void)state;
  write_file("deep.xml", "<mujoco><option timestep='0.01'/><custom><numeric name='hf.stiffness' data='1e12'/></custom>"
                         "<worldbody><geom type='plane' size='0 0 1'/><geom type='box' pos='0 0 0.183' size='0.1 0.1 0.1'/>"
                         "<body pos='0 0 0.04'><freejoint/><geom type='sphere' size='0.05' mass='0.001'/></body></worldbody></mujoco>");
  assert_int_equal(holdfast("run deep.xml --method rk3 --time 0.1"), 1);
  assert_says(standard_error, "bodies overlap deeply, take tamsi or convex");
}

static void test_stiff_scene_with_an_explicit_method(void** state) {
  (void)state;
  write_file("stiff.xml", "<mujoco><option timestep='0.01'/><custom><numeric name='hf.stiffness' data='1e18'/></custom>"
                          "<worldbody><geom type='plane' size='0 0 1'/><body pos='0 0 0.06'><freejoint/>"
                          "<geom type='sphere' size='0.05' mass='0.01'/></body></worldbody></mujoco>");
  const char* options[] = {"", "--accuracy 1e-4"};
  for (int i = 0; i < 2; ++i) {
    char arguments[128];
    snprintf(arguments, sizeof arguments, "run stiff.xml --method rk3 --time 0.2 --json %s", options[i]);
    assert_int_equal(holdfast(arguments), 1);
    assert_says(standard_error, "stopped at 0.045");
    assert_says(standard_error, "step too small");
    assert_says(standard_error, "too stiff for rk3");
    double t = json_value(standard_output, "time", 0), z = json_value(standard_output, "qpos", 2);
    assert_near(z, 0.06 - 0.5 * 9.81 * t * t, 1e-12); // the state of the last accepted step
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_box_shows_what_it_must),
      cmocka_unit_test(test_methods_and_options),
      cmocka_unit_test(test_accuracy_zero_is_fixed_steps),
      cmocka_unit_test(test_run_goes_on_where_a_joint_meets_its_limit),
      cmocka_unit_test(test_bad_options_are_refused),
      cmocka_unit_test(test_deep_overlap_with_an_explicit_method),
      cmocka_unit_test(test_stiff_scene_with_an_explicit_method),
  };
  return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
