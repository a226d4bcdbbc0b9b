// Screws in every method. The oracles are closed forms for a body of mass m and moment I on a vertical screw with the pitch p [m/rad]:
//
//   fall    I qdd + p (m g + m p qdd) = 0:   qdd = -m g p/(I + m p^2)
//   press   a motor with the torque T: no work is done by a small turn dq, T dq - m g p dq + f p dq = 0, so f = m g - T/p
#include "support/near.h"
#include "support/sim_world.h"

#include <math.h>

enum { METHODS = 7 };
static const int methods[METHODS] = {HF_METHOD_TAMSI,          HF_METHOD_CONVEX, HF_METHOD_MLCP,     HF_METHOD_RK3,
                                     HF_METHOD_IMPLICIT_EULER, HF_METHOD_SDIRK,  HF_METHOD_SWITCHING};
static const double M = 2, I = 0.01, P = -0.05, G = 9.81, T = 0.6; // a left-handed screw

// Beside the axis the body touches nothing. The floor has no friction, which would hold the body against turning.
#define SCENE(height)                                                                                                           \
  "<mujoco><option timestep='0.001'/><worldbody><geom type='plane' size='1 1 1' condim='1'/><body name='nut' pos='0 0 " height "'>"  \
  "<joint name='screw' type='screw' pitch='-0.05'/><inertial pos='0 0 0' mass='2' diaginertia='0.01 0.01 0.01'/>"               \
  "<geom size='0.1' condim='1'/></body></worldbody><actuator><motor joint='screw'/></actuator></mujoco>"

// The acceleration is constant: every method has its velocity exactly, but for the rounding of 300 steps.
static void test_fall(void** state) {
  (void)state;
  for (int m = 0; m < METHODS; ++m) {
    simWorld w = sim_world_make_method(SCENE("5"), methods[m], 1e-3, 1e-10);
    sim_world_step(&w, 300);
    assert_near(hf_state_v(w.state)[0], -0.3 * M * G * P / (I + M * P * P), 1e-11);
    hfPose X;
    hfMotion V;
    hfError error;
    assert_int_equal(hf_sim_get_body(w.sim, w.state, "nut", &X, &V, &error), HF_OK);
    assert_near(X.p.z, 5 + P * hf_state_q(w.state)[0], 1e-14);
    assert_near(V.v.z, P * V.w.z, 1e-14);
    sim_world_free(&w);
  }
}

// After a second what is left of the motion is below 1e-6 of the force.
static void test_press(void** state) {
  (void)state;
  for (int m = 0; m < METHODS; ++m) {
    simWorld w = sim_world_make_method(SCENE("0.1"), methods[m], 1e-3, 1e-10);
    w.input->ctrl[0] = T;
    sim_world_step(&w, 1000);
    hfVec3 normal, friction;
    assert_int_equal(hf_sim_pair_force(w.sim, 1, 0, &normal, &friction), 1);
    print_message("method %s: f = %.9g N of %.9g\n", hf_method_name(methods[m]), normal.z, M * G - T / P);
    assert_near(normal.z, M * G - T / P, 1e-6 * (M * G - T / P));
    sim_world_free(&w);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_fall), cmocka_unit_test(test_press)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
