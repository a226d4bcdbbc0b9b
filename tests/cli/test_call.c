// The command without regard to a verb: help, unknown verbs, wrong calls, and a standard output that cannot be written.
#include "cli/command.h"
#include "cli/scenes.h"

static void test_help_and_version(void** state) {
  (void)state;
  assert_works("--help");
  assert_says(standard_output, "Usage: holdfast VERB");
  assert_works("--version");
  assert_says(standard_output, "holdfast 0.");
  const char* verbs[] = {"run", "check", "info", "dynamics", "experiment", "bench"};
  for (int i = 0; i < 6; ++i) {
    char call[64], usage[64];
    snprintf(call, sizeof call, "%s --help", verbs[i]);
    snprintf(usage, sizeof usage, "Usage: holdfast %s [OPTION...]", verbs[i]);
    assert_works(call);
    assert_says(standard_output, usage);
  }
}

static void test_wrong_calls_exit_with_2(void** state) {
  (void)state;
  assert_refused("", 2, "Usage: holdfast VERB");
  assert_refused("fly", 2, "there is no verb \"fly\"");
  assert_refused("run", 2, "which model?");
  assert_refused("run a.xml b.xml", 2, "one model only");
  assert_refused("run --frobnicate a.xml", 2, "unrecognized option '--frobnicate'");
  assert_refused("info --json=yes a.xml", 2, "doesn't allow an argument");
  assert_refused("experiment no-such", 2, "there is no \"no-such\"");
  assert_refused("bench no-such", 2, "there is no \"no-such\"");
}

static void test_missing_model_exits_with_1(void** state) {
  (void)state;
  const char* verbs[] = {"run", "check", "info", "dynamics"};
  for (int i = 0; i < 4; ++i) {
    char call[64];
    snprintf(call, sizeof call, "%s not-there.xml", verbs[i]);
    assert_refused(call, 1, "not-there.xml");
  }
}

static void test_full_standard_output_is_noticed(void** state) {
  (void)state;
  write_file("ball.xml", falling_ball);
  const char* calls[] = {"info ball.xml", "info --json ball.xml", "dynamics --json ball.xml",
                         "run --time 0.1 ball.xml"};
  for (int i = 0; i < 4; ++i) {
    char command[512];
    snprintf(command, sizeof command, HOLDFAST " %s >/dev/full 2>stderr.txt", calls[i]);
    assert_int_equal(WEXITSTATUS(system(command)), 1);
    assert_says(read_file("stderr.txt", standard_error), "cannot write to standard output");
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_help_and_version),
      cmocka_unit_test(test_wrong_calls_exit_with_2),
      cmocka_unit_test(test_missing_model_exits_with_1),
      cmocka_unit_test(test_full_standard_output_is_noticed),
  };
  return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
