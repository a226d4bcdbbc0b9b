// A refusal has a status and a message, and works for a caller who passes NULL.
#include "support/cmocka_all.h"

#include "base/error.h"
#include <holdfast/holdfast.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static void test_refusal_is_formatted(void** state) {
  (void)state;
  hfError error = {HF_OK, ""};
  assert_int_equal(hfi_refuse(&error, HF_ERROR_MODEL, "body \"%s\": mass %g", "cup", -1.0), HF_ERROR_MODEL);
  assert_int_equal(error.status, HF_ERROR_MODEL);
  assert_string_equal(error.message, "body \"cup\": mass -1");
  assert_int_equal(hfi_refuse(NULL, HF_ERROR_MEMORY, "x"), HF_ERROR_MEMORY);
}

static void test_every_status_has_a_name(void** state) {
  (void)state;
  for (int s = HF_ERROR_VERSION; s <= HF_STEP_TOO_SMALL; ++s)
    assert_string_not_equal(hf_status_name((hfStatus)s), "unknown status");
}

// What a call left in an error does not outlive the next call that is given the same error.
static void test_success_clears_an_old_message(void** state) {
  (void)state;
  const char good[] = "<mujoco><worldbody><body name='a'><freejoint/><geom size='1'/></body></worldbody></mujoco>";
  hfModel* m = NULL;
  hfError error;
  assert_below(hf_model_parse(&m, "<mujoco", 7, "bad", ".", NULL, NULL, &error), 0);
  assert_string_not_equal(error.message, "");
  assert_int_equal(hf_model_parse(&m, good, strlen(good), "good", ".", NULL, NULL, &error), HF_OK);
  assert_int_equal(error.status, HF_OK);
  assert_string_equal(error.message, "");
  hfSimConfig config = hf_sim_config_default();
  assert_below(hf_sim_config_set(&config, "colour", "red", &error), 0);
  assert_int_equal(hf_sim_config_set(&config, "step", "0.01", &error), HF_OK);
  assert_string_equal(error.message, "");
  hfState* s = hf_state_create(m);
  hfSim* sim = NULL;
  assert_int_equal(hf_sim_create(&sim, m, &config, &error), HF_OK);
  hf_state_mutable_q(s)[0] = NAN;
  assert_int_equal(hf_sim_step(sim, s, NULL, NULL, &error), HF_ERROR_NONFINITE);
  hf_state_reset(s, m);
  assert_int_equal(hf_sim_step(sim, s, NULL, NULL, &error), HF_OK);
  assert_string_equal(error.message, "");
  hf_sim_free(sim);
  hf_state_free(s);
  hf_model_free(m);
}

// Every public function that takes an hfError begins by clearing it: the sources say so.
static void test_every_entry_clears_its_error(void** state) {
  (void)state;
  FILE* found = popen("cd " HF_SOURCE_DIR "/src && awk '"
                      "/^[a-zA-Z].* \\**hf_[a-z0-9_]+\\(/ { head = $0; entry = 1 }"
                      "entry && /hfError\\* error\\) \\{$/ { getline next_line; if (next_line !~ /hfi_clear_error/) print FILENAME \": \" head }"
                      "/[{};]$/ { entry = 0 }' $(find . -name '*.c')",
                      "r");
  assert_non_null(found);
  char line[512];
  int missing = 0;
  while (fgets(line, sizeof line, found)) print_error("%s", line), ++missing;
  assert_int_equal(pclose(found), 0);
  assert_int_equal(missing, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_refusal_is_formatted),
      cmocka_unit_test(test_every_status_has_a_name),
      cmocka_unit_test(test_success_clears_an_old_message),
      cmocka_unit_test(test_every_entry_clears_its_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
