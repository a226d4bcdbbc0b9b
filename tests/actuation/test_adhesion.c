// Adhesion: actuators that pull at the contacts of a body, against MuJoCo and against balances of force.
#include "support/near.h"
#include "support/peer_world.h"

// A hung box, one too heavy for its actuator, one that friction holds at a wall, and a cup that pulls across a gap. Both engines integrate
// to first order in 2 ms; a body in free fall for 0.4 s differs by g h t/2 = 4e-3 at most, and bodies at rest by their depths.
static void test_moves_as_in_mujoco(void** state) {
  (void)state;
  char folder[] = "/tmp/holdfast_adhesion_XXXXXX";
  if (peer_run(folder, "actuation/mujoco_adhesion.py", "0.4") != 0) skip();
  FILE* in;
  simWorld w = peer_world_load(folder, &in);
  const hfModel* m = w.model;
  double *rest = peer_row(in, "rest", m->nq), *force = peer_row(in, "force", m->nu);
  fclose(in);
  hfError error;
  assert_int_equal(hf_state_set_key(w.state, w.input, m, 0, &error), HF_OK);
  sim_world_step(&w, 200);
  for (int i = 0; i < m->nq; ++i) assert_near(sim_q(&w)[i], rest[i], i == 9 ? 4e-3 : 2e-4);
  for (int i = 0; i < m->nu; ++i) assert_near(hf_sim_actuator_force(w.sim)[i], force[i], 1e-9);
  free(rest), free(force);
  sim_world_free(&w);
  peer_remove(folder);
}

static const char kHung[] = "<mujoco><worldbody><geom name='ceiling' type='box' size='1 1 .1' pos='0 0 1.1'/>"
                            "<body name='body' pos='0 0 .90001'><freejoint/><geom type='box' size='.1 .1 .1' mass='2'/></body></worldbody>"
                            "<actuator><adhesion body='body' ctrlrange='0 1' gain='40'/></actuator></mujoco>";

// The ceiling presses with what the actuator pulls more than the weight; without control the box falls.
static void check_method(int method) {
  simWorld w = sim_world_make_method(kHung, method, 0.001, 1e-10);
  w.input->ctrl[0] = 1;
  sim_world_step(&w, 500);
  hfContact contact[16];
  double total = 0;
  for (int i = 0, n = hf_sim_contacts(w.sim, contact, 16); i < n; ++i) total += contact[i].fn;
  assert_near(total, 40 - 2 * 9.81, 1e-3);
  assert_near(sim_q(&w)[2], 0.9, 1e-4);
  w.input->ctrl[0] = 0;
  sim_world_step(&w, 100);
  assert_near(sim_q(&w)[2], 0.9 - 9.81 * 0.01 / 2, 2e-3);
  sim_world_free(&w);
}

static void test_every_method(void** state) {
  (void)state;
  check_method(HF_METHOD_TAMSI);
  check_method(HF_METHOD_CONVEX);
  check_method(HF_METHOD_MLCP);
  check_method(HF_METHOD_RK3);
}

static const char kCup[] = "<mujoco><worldbody><geom type='plane' size='1 1 .1'/>"
                           "<body name='plate' pos='0 0 .01'><freejoint/><geom type='box' size='.1 .1 .01' mass='1'/></body>"
                           "<body name='cup' pos='0 0 .0301'><joint name='z' type='slide' axis='0 0 1'/><geom type='cylinder' size='.02 .01' mass='.1'/></body></worldbody>"
                           "<actuator><position joint='z' kp='3000' kv='200'/><adhesion body='cup' gain='30' ctrlrange='0 1'/></actuator></mujoco>";

// A cup comes down on a plate of 9.81 N, sucks with 30 N and rises by 0.1 m. Also rigid contacts (mlcp) touch, though their gap is rounding.
static void test_cup_lifts_plate(void** state) {
  (void)state;
  static const int methods[] = {HF_METHOD_TAMSI, HF_METHOD_CONVEX, HF_METHOD_MLCP, HF_METHOD_IMPLICIT_EULER};
  for (int k = 0; k < 4; ++k) {
    simWorld w = sim_world_make_method(kCup, methods[k], 0.002, 1e-10);
    w.input->ctrl[0] = -0.002, w.input->ctrl[1] = 0;
    sim_world_step(&w, 250);
    w.input->ctrl[1] = 1;
    sim_world_step(&w, 100);
    for (int i = 0; i < 500; ++i) {
      w.input->ctrl[0] = 0.1 * i / 500;
      sim_world_step(&w, 1);
    }
    sim_world_step(&w, 250);
    double sag = (1.1 * 9.81) / 3000; // of the servo
    assert_near(sim_q(&w)[2], 0.01 + 0.0999 - sag, 2e-5); // contacts give way by some 1e-5 m
    sim_world_free(&w);
  }
}

// A floor, a box of 1 kg with four contact points and adhesion a of each; a force pushes it sideways.
#define STICKY(floor, box) "<mujoco><option timestep='0.001'/><worldbody><geom type='plane' size='1 1 1' friction='.5' gap='.002' " floor "/>"                          \
                           "<body pos='0 0 .1'><freejoint/><geom type='box' size='.1 .1 .1' mass='1' friction='.5' " box "/></body></worldbody></mujoco>"

// The gap keeps the points at the back stuck, which the push lifts a little. The depth stays that of a box that does not stick, the reported force is the weight, and friction holds up to mu (W + 4 a).
static void check_sticky_floor(int method) {
  simWorld plain = sim_world_make_method(STICKY("", ""), method, 0.001, 1e-12);
  sim_world_step(&plain, 1000);
  static const char* const scenes[] = {STICKY("adhesion='5'", ""), STICKY("adhesion='3'", "adhesion='2'"), STICKY("adhesion='5' priority='1'", "adhesion='9'")};
  for (int k = 0; k < 3; ++k) {
    simWorld w = sim_world_make_method(scenes[k], method, 0.001, 1e-12);
    hfContact contact[16];
    double total = 0, bound = 0.5 * (9.81 + 20);
    sim_world_step(&w, 1000);
    for (int i = 0, n = hf_sim_contacts(w.sim, contact, 16); i < n; ++i) total += contact[i].fn;
    assert_near(sim_q(&w)[2], sim_q(&plain)[2], method == HF_METHOD_MLCP ? 1e-6 : 1e-9);
    assert_near(total, 9.81, 1e-6);
    w.input->wrench[1].f.x = 0.99 * bound;
    sim_world_step(&w, 300);
    assert_near(sim_v(&w)[0], 0, 1e-4);
    w.input->wrench[1].f.x = 1.1 * bound;
    sim_world_step(&w, 100);
    assert_near(sim_v(&w)[0], 0.1 * bound * 0.1, 0.05 * 0.1 * bound * 0.1 + 2e-3); // it slides with what is more than the bound
    sim_world_free(&w);
  }
  sim_world_free(&plain);
}

static void test_sticky_materials(void** state) {
  (void)state;
  check_sticky_floor(HF_METHOD_TAMSI);
  check_sticky_floor(HF_METHOD_CONVEX);
  check_sticky_floor(HF_METHOD_MLCP);
}

// A box hangs at a ceiling that pulls across a gap: four points of 3 N hold 9.81 N, four of 2 N do not.
static void test_sticky_ceiling(void** state) {
  (void)state;
  static const int methods[] = {HF_METHOD_TAMSI, HF_METHOD_CONVEX, HF_METHOD_RK3};
  for (int k = 0; k < 3; ++k)
    for (int a = methods[k] == HF_METHOD_RK3 ? 3 : 2; a <= 3; ++a) { // where it lets go the force jumps, which a controlled step reports
      char xml[600];
      snprintf(xml, sizeof xml, "<mujoco><option timestep='0.001'/><worldbody><geom type='box' size='1 1 .1' pos='0 0 1.1' adhesion='%d' gap='.002'/>"
               "<body pos='0 0 .9'><freejoint/><geom type='box' size='.1 .1 .1' mass='1'/></body></worldbody></mujoco>", a);
      simWorld w = sim_world_make_method(xml, methods[k], 0.001, 1e-10);
      sim_world_step(&w, 300);
      if (a == 3) assert_near(sim_q(&w)[2], 0.9, 1e-4);
      else assert_below(sim_q(&w)[2], 0.8);
      sim_world_free(&w);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_moves_as_in_mujoco), cmocka_unit_test(test_every_method), cmocka_unit_test(test_cup_lifts_plate), cmocka_unit_test(test_sticky_materials),
                                     cmocka_unit_test(test_sticky_ceiling)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
