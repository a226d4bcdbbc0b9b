// A sim takes all its memory from the allocator of its configuration and gives all of it back.
#include "support/cmocka_all.h"

#include <holdfast/holdfast.h>
#include <stdlib.h>
#include <string.h>

static const char scene[] = "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 .1'><freejoint/>"
                            "<geom type='box' size='.1 .1 .1' mass='1'/></body></worldbody></mujoco>";

typedef struct counter {
  int live, taken;
  int allowed; // how many blocks there are; negative: any number
} counter;

static void* take(void* context, size_t size, size_t alignment) {
  counter* c = context;
  if (c->allowed >= 0 && c->taken >= c->allowed) return NULL;
  ++c->live, ++c->taken;
  void* memory = aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  memset(memory, 0xff, size); // what a new block holds does not count
  return memory;
}

static void give_back(void* context, void* memory) {
  --((counter*)context)->live;
  free(memory);
}

static hfModel* parse(void) {
  hfModel* m = NULL;
  assert_int_equal(hf_model_parse(&m, scene, strlen(scene), "scene", ".", NULL, NULL, NULL), HF_OK);
  return m;
}

// The bits of a run do not depend on where its memory is. As many blocks are given back as were taken.
static void test_every_method_uses_it(void** state) {
  (void)state;
  hfModel* m = parse();
  for (int method = HF_METHOD_TAMSI; method <= HF_METHOD_SWITCHING; ++method) {
    hfState* s[2];
    counter c = {.allowed = -1};
    for (int k = 0; k < 2; ++k) {
      hfSimConfig config = hf_sim_config_default();
      hfSim* sim = NULL;
      hfError error;
      config.method = method, config.step = 1e-4;
      if (k) config.allocator = (hfAllocator){&c, take, give_back};
      if (hf_sim_create(&sim, m, &config, &error) != HF_OK) fail_msg("%s", error.message);
      assert_true(k ? c.taken > 0 : c.taken == 0);
      int taken = c.taken;
      s[k] = hf_state_create(m);
      for (int i = 0; i < 20; ++i) assert_at_least(hf_sim_step(sim, s[k], NULL, NULL, &error), 0);
      assert_int_equal(c.taken, taken); // a step takes nothing
      hf_sim_free(sim);
      assert_int_equal(c.live, 0);
    }
    assert_memory_equal(s[0], s[1], s[0]->size);
    hf_state_free(s[0]), hf_state_free(s[1]);
  }
  hf_model_free(m);
}

// Whichever block cannot be had, the sim is refused and gives back the others.
static void test_an_allocator_that_runs_out(void** state) {
  (void)state;
  hfModel* m = parse();
  for (int method = HF_METHOD_TAMSI; method <= HF_METHOD_SWITCHING; ++method)
    for (int allowed = 0;; ++allowed) {
      counter c = {.allowed = allowed};
      hfSimConfig config = hf_sim_config_default();
      hfSim* sim = NULL;
      hfError error;
      config.method = method;
      config.allocator = (hfAllocator){&c, take, give_back};
      hfStatus status = hf_sim_create(&sim, m, &config, &error);
      if (status == HF_OK) assert_above(allowed, 2);
      else assert_int_equal(status, HF_ERROR_MEMORY);
      hf_sim_free(sim);
      assert_int_equal(c.live, 0);
      if (status == HF_OK) break;
      assert_null(sim);
    }
  hf_model_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_method_uses_it),
      cmocka_unit_test(test_an_allocator_that_runs_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
