// Method switching through the command: all contact modes, what is printed, refusals.
#include "cli/command.h"

// A block thrown over a floor stops after v^2/(2 mu g) = 0.1019 m; one contact, so that it is certified throughout.
static const char SLIDE[] =
    "<mujoco><option timestep='0.002'/><worldbody><geom type='plane' size='0 0 1' friction='0.5 0 "
    "0'/><body pos='0 0 0.05'>"
    "<joint name='x' type='slide' axis='1 0 0'/><joint name='z' type='slide' axis='0 0 1'/>"
    "<geom type='sphere' size='0.05' mass='0.5' friction='0 0 0'/></body></worldbody></mujoco>";

static void test_contact_modes(void** state) {
  (void)state;
  write_file("slide.xml", SLIDE);
  const char* options[] = {"", "--contact-mode switching", "--contact-mode rigid",
                           "--contact-mode compliant",
                           "--contact-mode compliant --set switching.rigid.layer.eps=1e-5 --set switching.integrator=rk3"};
  for (int i = 0; i < 5; ++i) {
    char arguments[256];
    snprintf(arguments, sizeof arguments,
             "run slide.xml --qvel '1 0' --time 0.4 --json --method switching %s", options[i]);
    assert_works(arguments);
    assert_json();
    double x = json_value(standard_output, "qpos", 0),
           fraction = json_value(standard_output, "rigid_fraction", 0);
    print_message("%-30s stops at %.9f m, rigid %.3f\n", options[i], x, fraction);
    // rigid: exact. A layer swings back by at most mu N/k_t = 2.45 N/5e4 N/m, the softest of these
    assert_near(x, 1 / (2 * 0.5 * 9.81), i < 3 ? 1e-8 : 6e-5);
    assert_near(fraction, i < 3 ? 1 : 0, 1e-9);
    assert_says(standard_output, "\"friction\": \"coulomb\"");
  }
}

static void test_switches_are_listed(void** state) {
  (void)state;
  write_file("box.xml",
             "<mujoco><worldbody><geom type='plane' size='0 0 1'/><body pos='0 0 0.05'><freejoint/>"
             "<geom type='box' size='0.1 0.1 0.05' mass='0.5'/></body></worldbody></mujoco>");
  assert_works("run box.xml --time 0.1 --method switching");
  assert_says(standard_output, "0.000000 s to compliant: dependent rows");
  assert_says(standard_output, "1 switches");
}

static void test_bad_options_are_refused(void** state) {
  (void)state;
  write_file("slide.xml", SLIDE);
  assert_refused("run slide.xml --method switching --contact-mode soft", 2,
                 "known: switching, rigid, compliant");
  assert_refused("run slide.xml --method switching --set switching.restitution=2", 2,
                 "switching.restitution");
  assert_refused("run slide.xml --method switching --set switching.rigid.touch=0.1", 2, "reach");
}

// Rigid arcs that chatter: the compliant phase takes over in the middle of such a step. It came too late, and the runs stopped with "not converged":
// the gripper at 0.06 s, what is thrown at 1.44 s.
static void test_chatter_does_not_stop_a_run(void** state) {
  (void)state;
  assert_works("run " HF_SOURCE_DIR "/models/gripper_mug.xml --keyframe rim --method switching --step 0.0037 --time 0.1");
  assert_says(standard_output, "too many transitions");
  write_file("throw.xml",
             "<mujoco><worldbody><geom type='plane' size='3 3 .1' friction='.6'/><body pos='0 0 1'><freejoint/><geom type='box' size='.05 .08 .03' mass='.4'/></body>"
             "<body pos='.3 0 1'><freejoint/><geom type='cylinder' size='.04 .06' mass='.4'/></body><body pos='.15 0 1.3'><freejoint/>"
             "<geom type='ellipsoid' size='.04 .06 .03' mass='.4'/></body><body pos='1 0 .2'><geom type='box' size='.05 .5 .2'/></body></worldbody></mujoco>");
  assert_works("run throw.xml --qvel '2 0 1 3 2 1 1 .3 0 0 5 0 1 0 -2 0 0 9' --method switching --step 0.0037 --time 1.6");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_contact_modes),
                                     cmocka_unit_test(test_switches_are_listed),
                                     cmocka_unit_test(test_chatter_does_not_stop_a_run),
                                     cmocka_unit_test(test_bad_options_are_refused)};
  return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
