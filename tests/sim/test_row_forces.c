// Forces that sensors and the sim report of limits, equalities and drives that hold a weight of 9.81 N, by every method of discrete time. The
// method mlcp holds stiff rows rigidly: their velocities tell nothing of their forces.
#include "support/sim_world.h"

#include <math.h>

#define SLIDE(name, options, inside)                                                                                                       \
  "<body><joint name='" name "' type='slide' axis='0 0 1' " options "/><geom size='.1' mass='1' contype='0' conaffinity='0'/>" inside "</body>"

// At a step of 0.01 s kp = 1e7 N/m has h kappa w = 2000, beyond which mlcp takes a row as rigid.
static const char SCENE[] =
    "<mujoco><option timestep='0.01'/><worldbody>" SLIDE("limit", "range='0 1' limited='true'", "") SLIDE("servo", "", "")
    SLIDE("two", "actuatorfrcrange='-100 100'", "") "<body name='tied'><joint name='tied' type='slide' axis='0 0 1'/>"
    "<geom size='.1' mass='1' contype='0' conaffinity='0'/><site name='s'/></body>"
    "</worldbody><equality><connect body1='tied' body2='world' anchor='0 0 0'/></equality>"
    "<actuator><position joint='servo' kp='1e7' kv='1e5'/><position joint='two' kp='1e7' kv='1e5'/><position joint='two' gear='2' kp='1e7' kv='1e5'/></actuator>"
    "<sensor><jointlimitfrc joint='limit'/><force site='s'/><jointactuatorfrc joint='servo'/><jointactuatorfrc joint='two'/></sensor></mujoco>";

static void rows_report_the_weight_they_hold(void** state) {
  (void)state;
  static const int METHODS[] = {HF_METHOD_TAMSI, HF_METHOD_CONVEX, HF_METHOD_MLCP};
  for (size_t k = 0; k < sizeof METHODS / sizeof *METHODS; ++k) {
    simWorld w = sim_world_make_method(SCENE, METHODS[k], 0, 1e-8);
    hfError error;
    for (int i = 0; i < 100; ++i) assert_int_equal(hf_sim_step(w.sim, w.state, w.input, NULL, &error), HF_OK);
    const double *sensor = hf_sim_sensors(w.sim), *force = hf_sim_actuator_force(w.sim);
    print_message("%s: limit %.9g, parent %.2g, servo %.9g, two %.9g and %.9g\n", hf_method_name(METHODS[k]), sensor[0], sensor[3], force[0], force[1], force[2]);
    // 1e-6: after 1 s, the time constants being 0.02 s at most, the rest of the motion is rounding.
    assert_below(fabs(sensor[0] - 9.81), 1e-6);
    assert_below(fabs(sensor[3]), 1e-6); // the equality carries all, the joint's parent nothing
    assert_below(fabs(force[0] - 9.81), 1e-6);
    assert_below(fabs(sensor[4] - 9.81), 1e-6);
    assert_below(fabs(force[1] + 2 * force[2] - 9.81), 1e-6);
    assert_below(fabs(sensor[5] - 9.81), 1e-6);
    assert_below(fabs(force[2] - 2 * force[1]), 1e-6); // the same gains, at lengths of q and 2 q
    sim_world_free(&w);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(rows_report_the_weight_they_hold)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
