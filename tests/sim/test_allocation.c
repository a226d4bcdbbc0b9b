// A step allocates nothing: every method, friction law, coupling and rung, with few pairs (listed)
// and with many (found by the grid), meshes, loops, drives, sensors and mocap bodies.
#include "support/alloc.h"
#include "support/cmocka_all.h"

#include <holdfast/holdfast.h>
#include <string.h>

// A ball with rolling friction, a gem and a box fall on an arm that is driven, limited and closed
// to a loop.
static const char arm[] =
    "<mujoco><option timestep='0.002'/><asset><mesh name='gem' vertex='.05 0 0 -.05 0 0 0 .05 0 0 "
    "-.05 0 0 0 .05 "
    "0 0 -.05'/></asset>"
    "<worldbody><geom name='floor' type='plane' size='2 2 1'/>"
    "<body name='ball' pos='0.1 0 0.12'><freejoint/><geom name='ball' type='sphere' size='0.05' "
    "condim='6' "
    "friction='0.8 0.01 0.001'/></body>"
    "<body name='gem' pos='0.2 0 0.2'><freejoint/><geom name='gem' type='mesh' mesh='gem' "
    "condim='4'/></body>"
    "<body name='box' pos='0.3 0 0.12'><freejoint/><geom name='box' type='box' size='0.04 0.04 "
    "0.04'/></body>"
    "<body name='pusher' mocap='true' pos='0.35 0 0.03'><geom type='capsule' size='0.02 "
    "0.05'/></body>"
    "<body name='upper' pos='0 0 0.04'><joint name='a' axis='0 1 0' damping='0.1' limited='true' "
    "range='-60 5'/>"
    "<geom type='capsule' fromto='0 0 0 0.2 0 0' size='0.03' mass='0.5'/>"
    "<body name='lower' pos='0.2 0 0'><joint name='b' axis='0 1 0' frictionloss='0.05' "
    "stiffness='1'/>"
    "<geom type='cylinder' fromto='0 0 0 0.2 0 0' size='0.03' mass='0.3'/></body></body>"
    "<body name='post' pos='0.5 0.3 0.3'><joint name='c' axis='0 1 0'/><geom type='ellipsoid' "
    "size='0.05 0.06 0.07'/></body>"
    "</worldbody>"
    "<equality><connect body1='post' body2='world' anchor='0.05 0 0'/><joint joint1='a' joint2='b' "
    "polycoef='0 1 0 0 0'/></equality>"
    "<tendon><fixed name='t'><joint joint='a' coef='1'/><joint joint='b' "
    "coef='-1'/></fixed></tendon>"
    "<actuator><position name='hold' joint='b' kp='20' kv='1' forcerange='-5 5'/><motor "
    "tendon='t'/></actuator>"
    "<sensor><jointpos joint='a'/><framepos objtype='body' objname='box'/></sensor></mujoco>";

// 128 boxes and cylinders on a floor: 8256 pairs, more than are listed.
static const char field[] =
    "<mujoco><option timestep='0.002'/><worldbody><geom type='plane' size='2 2 1'/>"
    "<replicate count='8' offset='0.2 0 0'><replicate count='8' offset='0 0.4 0'>"
    "<body pos='0 0 0.049'><freejoint/><geom type='box' size='0.05 0.05 0.05' mass='1'/></body>"
    "<body pos='0 0.09 0.049'><freejoint/><geom type='cylinder' size='0.05 0.05' mass='1'/></body>"
    "</replicate></replicate></worldbody></mujoco>";

// Allocations of the steps; 0 with no contact where the method is not available. The report is that of the last step, but for ncontact:
// the most contacts of any step, because one-way coupling throws the bodies of `arm` apart.
static long count_of_steps(const char* xml, const hfSimConfig* config, int steps,
                           hfStepReport* report) {
  int most_contacts = 0;
  hfModel* model = NULL;
  hfSim* sim = NULL;
  hfError error = {HF_OK, ""};
  if (hf_model_parse(&model, xml, strlen(xml), "test.xml", ".", NULL, NULL, &error) < 0)
    fail_msg("%s", error.message);
  hfStatus status = hf_sim_create(&sim, model, config, &error);
  if (status == HF_ERROR_UNSUPPORTED) {
    print_message("%s\n", error.message);
    hf_model_free(model);
    return 0;
  }
  if (status < 0) fail_msg("%s", error.message);
  hfState* state = hf_state_create(model);
  hfInput* input = hf_input_create(model);
  assert_true(state && input);
  long before = alloc_count();
  for (int i = 0; i < steps; ++i) {
    if (hf_sim_step(sim, state, input, report, &error) < 0)
      fail_msg("step %d: %s", i, error.message);
    if (report->ncontact > most_contacts) most_contacts = report->ncontact;
  }
  report->ncontact = most_contacts;
  long made = alloc_count() - before;
  hf_input_free(input);
  hf_state_free(state);
  hf_sim_free(sim);
  hf_model_free(model);
  return made;
}

static void assert_none(const char* xml, const hfSimConfig* config, int steps, int least_contacts) {
  hfStepReport report = {0};
  long made = count_of_steps(xml, config, steps, &report);
  if (made)
    fail_msg("%ld allocations: method %s, friction %s, coupling %d, rung %d", made,
             hf_method_name(config->method), hf_friction_name(config->friction),
             config->solver.coupling, config->solver.first_rung);
  assert_at_least(report.ncontact, least_contacts);
}

static void test_counting_works(void** state) {
  (void)state;
  if (!alloc_supported()) skip();
  long before = alloc_count();
  hfState* copies = NULL;
  hfModel* model = NULL;
  assert_int_equal(hf_model_parse(&model, arm, strlen(arm), "test.xml", ".", NULL, NULL, NULL),
                   HF_OK);
  copies = hf_state_create(model);
  assert_above(alloc_count(), before);
  hf_state_free(copies);
  hf_model_free(model);
}

static void test_laws_couplings_rungs(void** state) {
  (void)state;
  if (!alloc_supported()) skip();
  for (int friction = HF_FRICTION_REGULARISED; friction <= HF_FRICTION_ANCHORED; ++friction)
    for (int coupling = HF_COUPLING_TWO_WAY; coupling <= HF_COUPLING_FRICTIONLESS; ++coupling)
      for (int rung = HF_RUNG_TAMSI; rung <= HF_RUNG_CONVEX; ++rung) {
        hfSimConfig config = hf_sim_config_default();
        config.method = HF_METHOD_TAMSI;
        config.friction = friction;
        config.solver.coupling = coupling;
        config.solver.first_rung = rung;
        assert_none(arm, &config, 150, 1);
      }
}

static void test_methods(void** state) {
  (void)state;
  if (!alloc_supported()) skip();
  for (int method = HF_METHOD_TAMSI; method <= HF_METHOD_SWITCHING; ++method) {
    hfSimConfig config = hf_sim_config_default();
    config.method = method;
    if (method != HF_METHOD_MLCP && method != HF_METHOD_SWITCHING) config.friction = HF_FRICTION_REGULARISED; // those have Coulomb's
    assert_none(arm, &config, 100, 0);
  }
}

static void test_many_pairs(void** state) {
  (void)state;
  if (!alloc_supported()) skip();
  for (int friction = HF_FRICTION_REGULARISED; friction <= HF_FRICTION_ANCHORED; ++friction) {
    hfSimConfig config = hf_sim_config_default();
    config.method = HF_METHOD_TAMSI;
    config.friction = friction;
    assert_none(field, &config, 30, 64 * 4);
  }
}

// Bodies that fall asleep after 20 ms of rest, with every friction law: those that remember contacts and those that would not.
static void test_sleep(void** state) {
  (void)state;
  if (!alloc_supported()) skip();
  for (int friction = HF_FRICTION_REGULARISED; friction <= HF_FRICTION_ANCHORED; ++friction) {
    hfSimConfig config = hf_sim_config_default();
    hfStepReport report = {0};
    config.friction = friction;
    config.sleep = 1;
    config.sleep_time = 0.02;
    assert_int_equal(count_of_steps(field, &config, 250, &report), 0);
    assert_int_equal(report.nsleep, 128);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_counting_works), cmocka_unit_test(test_laws_couplings_rungs),
      cmocka_unit_test(test_methods), cmocka_unit_test(test_many_pairs), cmocka_unit_test(test_sleep)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
