// The same bits from every build: final states of fixed runs, hashed, against
// tests/scenes/bits.txt.
//
// gcc and clang, -O1 and -O3, with and without sanitizers must all give these hashes on x86-64: no
// flag of ours changes values, sums have one order, and sin, cos, exp and pow come from the one C
// library. glibc chooses among versions of these functions by what the processor has (FMA), and
// another version of glibc may round differently: there, and on other architectures, the last place
// may differ. The hashes are of processors with FMA; without it, or on another architecture, the
// test prints its hashes and skips.
//
// A change that changes numbers on purpose renews the file: HF_RENEW_BITS=1
// build/dev/tests/test_scenes_bits. The other builds must then pass.
#include "support/cmocka_all.h"

#include <holdfast/holdfast.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct fixedRun {
  const char *scene, *keyframe, *method, *friction;
  int steps;
} fixedRun;

static const fixedRun runs[] = {
    {"tests/scenes/incline.xml", NULL, "tamsi", "regularised", 200},
    {"tests/scenes/incline.xml", NULL, "tamsi", "smooth", 200},
    {"tests/scenes/incline.xml", NULL, "convex", "anchored", 200},
    {"tests/scenes/rolling_slope.xml", NULL, "tamsi", "anchored", 400},
    {"tests/scenes/restitution.xml", "hit", "tamsi", "anchored", 2000},
    {"tests/scenes/painleve.xml", "drag", "tamsi", "regularised", 100},
    {"tests/scenes/squeeze.xml", NULL, "tamsi", "anchored", 400},
    {"tests/scenes/shake.xml", "swing", "convex", "regularised", 600},
    {"tests/scenes/rest.xml", NULL, "tamsi", "anchored", 60},
    {"tests/scenes/bin.xml", NULL, "tamsi", "anchored", 90},
    {"models/gripper_mug.xml", "rim", "tamsi", "regularised", 600},
    {"models/gripper_mug.xml", "middle", "tamsi", "anchored", 600},
};
enum { RUNS = sizeof runs / sizeof *runs };

// FNV-1a
static uint64_t hash_bytes(uint64_t hash, const void* data, size_t size) {
  const unsigned char* byte = data;
  for (size_t i = 0; i < size; ++i) hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
  return hash;
}

static uint64_t hash_state(const hfState* s) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  hash = hash_bytes(hash, &s->time, sizeof s->time);
  hash = hash_bytes(hash, hf_state_q(s), sizeof(double) * (size_t)s->nq);
  hash = hash_bytes(hash, hf_state_v(s), sizeof(double) * (size_t)s->nv);
  hash = hash_bytes(hash, hf_state_act(s), sizeof(double) * (size_t)s->na);
  return hash_bytes(hash, hf_state_memory(s), sizeof(hfContactMemory) * (size_t)s->nmemory);
}

static uint64_t run_and_hash(const fixedRun* run) {
  hfModel* model = NULL;
  hfSim* sim = NULL;
  hfError error = {HF_OK, ""};
  hfSimConfig config = hf_sim_config_default();
  char path[512];
  snprintf(path, sizeof path, "%s/%s", HF_SOURCE_DIR, run->scene);
  if (hf_sim_config_set(&config, "method", run->method, &error) < 0 ||
      hf_sim_config_set(&config, "friction", run->friction, &error) < 0 ||
      hf_model_load(&model, path, NULL, NULL, &error) < 0 ||
      hf_sim_create(&sim, model, &config, &error) < 0)
    fail_msg("%s: %s", path, error.message);
  hfState* state = hf_state_create(model);
  hfInput* input = hf_input_create(model);
  assert_true(state && input);
  if (run->keyframe)
    assert_int_equal(hf_state_set_key(state, input, model,
                                      hf_model_find(model, HF_OBJECT_KEY, run->keyframe), &error),
                     HF_OK);
  for (int i = 0; i < run->steps; ++i)
    if (hf_sim_step(sim, state, input, NULL, &error) < 0) fail_msg("%s: %s", path, error.message);
  uint64_t hash = hash_state(state);
  hf_input_free(input);
  hf_state_free(state);
  hf_sim_free(sim);
  hf_model_free(model);
  return hash;
}

static const char golden_path[] = HF_SOURCE_DIR "/tests/scenes/bits.txt";

static int comparable(void) {
#if defined(__x86_64__)
  return __builtin_cpu_supports("fma");
#else
  return 0;
#endif
}

static void renew(const uint64_t* hash) {
  FILE* out = fopen(golden_path, "w");
  assert_non_null(out);
  for (int i = 0; i < RUNS; ++i)
    fprintf(out, "%s %s %s %d %016llx\n", runs[i].scene, runs[i].method, runs[i].friction,
            runs[i].steps, (unsigned long long)hash[i]);
  assert_int_equal(fclose(out), 0);
  print_message("%s is new\n", golden_path);
}

static void test_golden_hashes(void** state) {
  (void)state;
  uint64_t hash[RUNS];
  for (int i = 0; i < RUNS; ++i) hash[i] = run_and_hash(&runs[i]);
  if (getenv("HF_RENEW_BITS")) {
    renew(hash);
    return;
  }
  FILE* in = fopen(golden_path, "r");
  assert_non_null(in);
  int differ = 0;
  for (int i = 0; i < RUNS; ++i) {
    char scene[128], method[16], friction[16];
    int steps;
    unsigned long long want;
    assert_int_equal(fscanf(in, "%127s %15s %15s %d %llx", scene, method, friction, &steps, &want),
                     5);
    assert_string_equal(scene, runs[i].scene);
    if (hash[i] == want) continue;
    print_message("%s, %s, %s: %016llx, not %016llx\n", scene, method, friction,
                  (unsigned long long)hash[i], want);
    differ++;
  }
  fclose(in);
  if (!comparable()) skip();
  if (differ)
    fail_msg("%d of %d states differ. If numbers were meant to change, renew them: see the top of "
             "this test",
             differ, RUNS);
}

// What the comparison rests on: the hash sees the last bit.
static void test_hash_sees_one_bit(void** state) {
  (void)state;
  double a[2] = {1.5, 2.5}, b[2] = {1.5, 2.5000000000000004};
  assert_true(hash_bytes(1, a, sizeof a) != hash_bytes(1, b, sizeof b));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_golden_hashes),
                                     cmocka_unit_test(test_hash_sees_one_bit)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
