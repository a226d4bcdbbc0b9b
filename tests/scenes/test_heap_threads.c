// A heap whose steps threads share: the same bytes as from one thread. The thread sanitizer (./check --full) runs this program too.
#include "support/cmocka_all.h"

#include <holdfast/holdfast.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BODIES = 343, SIDE = 7 };

// Boxes, spheres and capsules in a dense lattice that fall onto each other, and a chain that lies among them and is one tree with many joints.
static hfModel* make_heap(void) {
  char* text = malloc(400 * BODIES + 4000);
  assert_non_null(text);
  char* end = text + sprintf(text, "<mujoco><option timestep='0.005'/><worldbody><geom type='plane' size='1 1 1'/>");
  const char* const shapes[] = {"type='box' size='.02 .03 .025'", "type='sphere' size='.028'", "type='capsule' size='.02 .015'"};
  for (int i = 0; i < BODIES; ++i) {
    double x = 0.062 * (i % SIDE) + 0.004 * (i % 5), y = 0.062 * (i / SIDE % SIDE) + 0.003 * (i % 7), z = 0.04 + 0.062 * (i / (SIDE * SIDE));
    end += sprintf(end, "<body pos='%.3f %.3f %.3f' euler='%d %d 0'><freejoint/><geom %s/></body>", x, y, z, i * 37 % 90, i * 53 % 90, shapes[i % 3]);
  }
  end += sprintf(end, "<body pos='-.1 .2 .05'><joint type='hinge' axis='0 1 0'/><geom type='capsule' fromto='0 0 0 .1 0 0' size='.01'/>"
                      "<body pos='.1 0 0'><joint type='hinge' axis='0 1 0'/><geom type='capsule' fromto='0 0 0 .1 0 0' size='.01'/></body></body>");
  sprintf(end, "</worldbody></mujoco>");
  hfModel* model = NULL;
  hfError error;
  if (hf_model_parse(&model, text, strlen(text), "heap", NULL, NULL, NULL, &error) != HF_OK) fail_msg("%s", error.message);
  free(text);
  return model;
}

typedef struct fall {
  hfState* state;
  int iterations; // in all steps
  int islands;    // fewest with contacts in a step that has some
} fall;

static fall run(const hfModel* model, int threads, int friction, int steps) {
  hfSimConfig config = hf_sim_config_default();
  hfError error;
  hfSim* sim;
  config.threads = threads, config.friction = friction;
  if (hf_sim_create(&sim, model, &config, &error) != HF_OK) fail_msg("%s", error.message);
  fall f = {hf_state_create(model), 0, BODIES};
  for (int i = 0; i < steps; ++i) {
    hfStepReport report;
    if (hf_sim_step(sim, f.state, NULL, &report, &error) < 0) fail_msg("%s", error.message);
    f.iterations += report.solve.iterations;
    if (report.solve.islands > 0 && report.solve.islands < f.islands) f.islands = report.solve.islands;
  }
  hf_sim_free(sim);
  return f;
}

static void test_bytes_do_not_depend_on_threads(void** state) {
  (void)state;
  hfModel* model = make_heap();
  const int frictions[] = {HF_FRICTION_ANCHORED, HF_FRICTION_REGULARISED}, all_steps[] = {40, 12}; // Regularised friction takes many iterations.
  for (int i = 0; i < 2; ++i) {
    int friction = frictions[i], steps = all_steps[i];
    fall alone = run(model, 1, friction, steps);
    assert_true(alone.iterations > 3 * steps);
    print_message("%d iterations, %d islands\n", alone.iterations, alone.islands);
    assert_true(BODIES / 2.0 / alone.islands > 0);
    for (int threads = 2; threads <= 3; ++threads) {
      fall shared = run(model, threads, friction, steps);
      assert_int_equal(shared.iterations, alone.iterations);
      assert_int_equal(shared.state->size, alone.state->size);
      assert_memory_equal(shared.state, alone.state, (size_t)alone.state->size);
      hf_state_free(shared.state);
    }
    hf_state_free(alone.state);
  }
  hf_model_free(model);
}

static void test_no_threads_are_refused(void** state) {
  (void)state;
  hfModel* model = make_heap();
  hfSimConfig config = hf_sim_config_default();
  hfSim* sim = NULL;
  hfError error;
  config.threads = 0;
  assert_int_equal(hf_sim_create(&sim, model, &config, &error), HF_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, "threads"));
  hf_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bytes_do_not_depend_on_threads),
      cmocka_unit_test(test_no_threads_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
