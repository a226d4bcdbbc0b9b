// A heap whose steps threads share: the same bytes as from one thread. The thread sanitizer (./check --full) runs this program too.
#include "support/cmocka_all.h"

#include "base/disjoint_sets.h"
#include "math/vec3.h"
#include "step/solve/solver.h"

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
  int largest;    // bodies of the largest island in all steps
} fall;

// Bodies of the largest island of the last step: those that are connected by contacts. Body 0 is the world, which connects nothing.
static int count_largest_island(const hfSim* sim) {
  enum { MOST = BODIES + 3 }; // with the world and the two links of the chain
  int32_t parent[MOST], size[MOST] = {0}, largest = 0;
  for (int32_t i = 0; i < MOST; ++i) parent[i] = i;
  for (int i = 0; i < hf_sim_contact_count(sim); ++i) {
    hfContact c = hf_sim_contact(sim, i);
    if (c.body_a > 0 && c.body_b > 0) hfi_join_sets(parent, c.body_a, c.body_b);
  }
  for (int32_t i = 1; i < MOST; ++i) largest = imax2(largest, ++size[hfi_find_set(parent, i)]);
  return largest;
}

static fall run(const hfModel* model, int threads, int friction, int steps) {
  hfSimConfig config = hf_sim_config_default();
  hfError error;
  hfSim* sim;
  config.threads = threads, config.friction = friction;
  if (hf_sim_create(&sim, model, &config, &error) != HF_OK) fail_msg("%s", error.message);
  fall f = {hf_state_create(model), 0, 0};
  for (int i = 0; i < steps; ++i) {
    hfStepReport report;
    if (hf_sim_step(sim, f.state, NULL, &report, &error) < 0) fail_msg("%s", error.message);
    f.iterations += report.solve.iterations;
    f.largest = imax2(f.largest, count_largest_island(sim));
  }
  hf_sim_free(sim);
  return f;
}

static void test_bytes_do_not_depend_on_threads(void** state) {
  (void)state;
  hfModel* model = make_heap();
  const int frictions[] = {HF_FRICTION_ANCHORED, HF_FRICTION_REGULARISED}, all_steps[] = {40, 18}; // Regularised friction takes many iterations.
  for (int i = 0; i < 2; ++i) {
    int friction = frictions[i], steps = all_steps[i];
    fall alone = run(model, 1, friction, steps);
    assert_above(alone.iterations, 3 * steps);
    print_message("%d iterations, %d bodies in the largest island\n", alone.iterations, alone.largest);
    assert_above(alone.largest, HFI_ROUGH_TREES); // Smaller islands have no parts that threads could share.
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
