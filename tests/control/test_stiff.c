// Stiff servos together with contact, for ten seconds: neither speeds nor energies grow.
#include "support/sim_world.h"

#include <math.h>
#include <stdio.h>

// Steps and returns the largest speed of any dof over the last fifth of the run.
static double late_speed(simWorld* w, int steps) {
  double fastest = 0;
  for (int k = 0; k < steps; ++k) {
    sim_world_step(w, 1);
    for (int i = 0; i < w->model->nv; ++i) {
      assert_true(isfinite(sim_v(w)[i]));
      if (k >= steps - steps / 5) fastest = fmax(fastest, fabs(sim_v(w)[i]));
    }
  }
  return fastest;
}

// Servos on joints PREFIX1, PREFIX2, ...; critically damped for 1 kg m^2.
static void write_servos(char* text, size_t size, const char* prefix, int count, double kp) {
  size_t used = 0;
  for (int i = 1; i <= count; ++i) used += (size_t)snprintf(text + used, size - used, "<position joint='%s%d' kp='%g' kv='%g'/>", prefix, i, kp, 2 * sqrt(kp));
}

// A three-link arm of 4 kg whose servos want its tip 5 cm below the table's top.
static void write_arm(char* xml, size_t size, double kp) {
  char servos[512];
  write_servos(servos, sizeof servos, "j", 3, kp);
  snprintf(xml, size,
           "<mujoco><option timestep='0.005'/><default><default class='link'><geom type='capsule' contype='0' conaffinity='0'/></default></default>"
           "<worldbody><geom type='box' size='0.4 0.4 0.1' pos='0.5 0 0.1' friction='0.8'/>"
           "<body pos='0 0 0.5'><joint name='j1' axis='0 1 0'/><geom class='link' size='0.03' fromto='0 0 0 0.3 0 0' mass='2'/>"
           "<body pos='0.3 0 0'><joint name='j2' axis='0 1 0'/><geom class='link' size='0.03' fromto='0 0 0 0.25 0 0' mass='1.5'/>"
           "<body pos='0.25 0 0'><joint name='j3' axis='0 1 0'/><geom class='link' size='0.02' fromto='0 0 0 0.1 0 0' mass='0.4'/>"
           "<geom type='sphere' size='0.02' pos='0.1 0 0' mass='0.1' friction='0.8'/></body></body></body></worldbody>"
           "<actuator>%s</actuator></mujoco>",
           servos);
}

static void test_arm_presses_on_a_table(void** state) {
  (void)state;
  for (double kp = 1e2; kp < 2e7; kp *= 10) {
    char xml[4096];
    write_arm(xml, sizeof xml, kp);
    simWorld w = sim_world_make(xml, 0.005, 1e-8);
    const double q[3] = {0.3, 0.4, 0.3}, wanted[3] = {0.45, 0.5, 0.4};
    for (int i = 0; i < 3; ++i) sim_q(&w)[i] = q[i], w.input->ctrl[i] = wanted[i];
    double late = late_speed(&w, 2000);
    assert_above(hf_sim_contact_count(w.sim), 0);
    // at rest: what is left is the solver's tolerance of 1e-8
    if (!(late < 1e-6)) fail_msg("kp %g: %g rad/s", kp, late);
    sim_world_free(&w);
  }
}

// Five segments standing upright on a foot: free root, servos hold the joints.
static void write_chain(char* xml, size_t size, double kp) {
  char body[3072], servos[1024];
  size_t used = 0;
  for (int i = 1; i < 5; ++i)
    used += (size_t)snprintf(body + used, sizeof body - used, "<body pos='0 0 0.2'><joint name='j%d' axis='%s'/><geom type='capsule' size='0.04' fromto='0 0 0 0 0 0.2' mass='4' contype='0' conaffinity='0'/>", i, i % 2 ? "0 1 0" : "1 0 0");
  write_servos(servos, sizeof servos, "j", 4, kp);
  snprintf(xml, size,
           "<mujoco><option timestep='0.005'/><worldbody><geom type='plane' size='5 5 1' friction='0.8'/>"
           "<body pos='0 0 0.03'><freejoint/><geom type='box' size='0.15 0.1 0.03' mass='2' friction='0.8'/>"
           "<geom type='capsule' size='0.04' fromto='0 0 0.03 0 0 0.2' mass='2' contype='0' conaffinity='0'/>%s</body></body></body></body></body></worldbody>"
           "<actuator>%s</actuator><sensor><e_potential/><e_kinetic/></sensor></mujoco>",
           body, servos);
}

// Kinetic and potential energy, and that of the servos' springs (controls are zero).
static double chain_energy(simWorld* w, double kp) {
  double sum = hf_sim_sensors(w->sim)[0] + hf_sim_sensors(w->sim)[1];
  for (int i = 7; i < w->model->nq; ++i) sum += kp * sim_q(w)[i] * sim_q(w)[i] / 2;
  return sum;
}

// A servo of 100 N m/rad does not carry 16 kg at 0.6 m (m g l = 59 N m/rad and more through five joints): that chain
// falls. It must not gain energy by it, nor must any other, standing or pushed at 0.5 m/s.
static void test_chain_gains_nothing(void** state) {
  (void)state;
  for (double kp = 1e2; kp < 2e7; kp *= 10) {
    char xml[8192];
    write_chain(xml, sizeof xml, kp);
    simWorld w = sim_world_make(xml, 0.005, 1e-8);
    for (int i = 6; i < w.model->nv; ++i) sim_v(&w)[i] = 0.5;
    sim_world_step(&w, 1);
    double first = chain_energy(&w, kp), most = first;
    for (int k = 1; k < 2000; ++k) {
      sim_world_step(&w, 1);
      most = fmax(most, chain_energy(&w, kp));
    }
    if (!(most - first <= 1e-9 * first)) fail_msg("kp %g: %g J more than %g J", kp, most - first, first); // rounding
    sim_world_free(&w);
  }
}

static void test_chain_stands(void** state) {
  (void)state;
  for (double kp = 1e3; kp < 2e7; kp *= 10) {
    char xml[8192];
    write_chain(xml, sizeof xml, kp);
    simWorld w = sim_world_make(xml, 0.005, 1e-8);
    double late = late_speed(&w, 2000);
    if (!(late < 1e-6)) fail_msg("kp %g: %g", kp, late);
    assert_above(sim_q(&w)[2], 0.029);
    assert_above(fabs(sim_q(&w)[3]), 0.99);
    sim_world_free(&w);
  }
}

// Fingers of 10 g on a cylinder: they close, and hold.
static void test_light_fingers(void** state) {
  (void)state;
  const double steps[] = {0.001, 0.002, 0.005, 0.01};
  for (double kp = 1e3; kp < 2e5; kp *= 10)
    for (int k = 0; k < 4; ++k) {
      char xml[2048];
      snprintf(xml, sizeof xml,
               "<mujoco><worldbody><geom type='plane' size='1 1 1'/>"
               "<body pos='-0.06 0 0.05'><joint name='l' type='slide' axis='1 0 0'/><geom type='box' size='0.01 0.02 0.02' mass='0.01'/></body>"
               "<body pos='0.06 0 0.05'><joint name='r' type='slide' axis='-1 0 0'/><geom type='box' size='0.01 0.02 0.02' mass='0.01'/></body>"
               "<body pos='0 0 0.05'><freejoint/><geom type='cylinder' size='0.03 0.05' mass='0.2'/></body></worldbody>"
               "<actuator><position joint='l' kp='%g' kv='%g'/><position joint='r' kp='%g' kv='%g'/></actuator></mujoco>",
               kp, 0.2 * sqrt(kp), kp, 0.2 * sqrt(kp));
      simWorld w = sim_world_make(xml, steps[k], 1e-8);
      w.input->ctrl[0] = w.input->ctrl[1] = 0.025; // 5 mm into the cylinder
      double late = late_speed(&w, (int)(10 / steps[k]));
      if (!(late < 1e-6)) fail_msg("kp %g h %g: %g m/s", kp, steps[k], late);
      sim_world_free(&w);
    }
}

// A jaw closing on a fixed cylinder with force F embeds by F/k in the end, and never by more than its momentum
// and force explain: half k depth^2 <= half m v^2 + F depth.
static void test_jaw_embeds_as_its_compliance_says(void** state) {
  (void)state;
  const char* xml = "<mujoco><option gravity='0 0 0'/><worldbody><geom type='cylinder' size='0.03 0.05'/>"
                    "<body pos='-0.06 0 0'><joint name='l' type='slide' axis='1 0 0'/><geom name='jaw' type='box' size='0.01 0.0002 0.0002' mass='0.05'/></body></worldbody>"
                    "<actuator><position joint='l' kp='1e5' kv='20' forcerange='-40 40'/></actuator></mujoco>";
  for (double h = 0.001; h < 0.012; h *= 2) {
    simWorld w = sim_world_make(xml, h, 1e-8);
    double deepest = 0, fastest = 0, k = 2 * 5e5, F = 40; // geoms of 1e6 N/m in series, at two points
    w.input->ctrl[0] = 0.04;
    for (int i = 0; i < (int)(1 / h); ++i) {
      fastest = fmax(fastest, fabs(sim_v(&w)[0]));
      sim_world_step(&w, 1);
      deepest = fmax(deepest, sim_q(&w)[0] - 0.02);
    }
    assert_int_equal(hf_sim_contact_count(w.sim), 2);
    // k d^2/2 = m v^2/2 + F d
    double bound = (F + sqrt(F * F + k * 0.05 * fastest * fastest)) / k;
    if (!(deepest <= bound && fabs(sim_q(&w)[0] - 0.02 - F / k) < 1e-6 * F / k)) fail_msg("h %g: %g m deep, bound %g; %g at rest, %g", h, deepest, bound, sim_q(&w)[0] - 0.02, F / k);
    sim_world_free(&w);
  }
}

// A rod between jaws of 0.2 to 2 mm rests. The two ends of its overlap with a jaw are near each other and equally deep, and both must carry it: with one of
// them lessened, whichever was the shallower, the rod turned to and fro at 4 mrad/s.
static void test_rod_rests_between_thin_jaws(void** state) {
  (void)state;
  const double thickness[] = {0.0001, 0.0003, 0.001};
  for (int k = 0; k < 3; ++k) {
    char xml[2048];
    snprintf(xml, sizeof xml,
             "<mujoco><worldbody><body pos='-0.03 0 0'><joint name='l' type='slide' axis='1 0 0'/><geom type='box' size='0.01 0.01 %g' mass='0.05'/></body>"
             "<body pos='0.03 0 0'><joint name='r' type='slide' axis='-1 0 0'/><geom type='box' size='0.01 0.01 %g' mass='0.05'/></body>"
             "<body pos='0 0 0.001'><freejoint/><geom type='cylinder' size='0.015 0.05' mass='0.1'/></body></worldbody>"
             "<actuator><position joint='l' kp='1e4' kv='50' forcerange='-20 20'/><position joint='r' kp='1e4' kv='50' forcerange='-20 20'/></actuator></mujoco>",
             thickness[k], thickness[k]);
    simWorld w = sim_world_make(xml, 0.002, 1e-8);
    w.input->ctrl[0] = w.input->ctrl[1] = 0.02;
    double late = late_speed(&w, 2000);
    if (!(late < 1e-6)) fail_msg("jaws of %g m: %g", 2 * thickness[k], late);
    assert_below(fabs(sim_q(&w)[4]), 0.002); // It is held, and has not fallen.
    sim_world_free(&w);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_arm_presses_on_a_table), cmocka_unit_test(test_chain_gains_nothing), cmocka_unit_test(test_chain_stands), cmocka_unit_test(test_light_fingers),
                                     cmocka_unit_test(test_jaw_embeds_as_its_compliance_says),
                                     cmocka_unit_test(test_rod_rests_between_thin_jaws)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
