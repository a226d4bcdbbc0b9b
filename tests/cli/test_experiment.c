// The verbs experiment and bench: their lists, their JSON, lines that fail, and files that cannot be written.
#include "cli/command.h"

static void test_json_has_figures_paper_and_must(void** state) {
  (void)state;
  assert_works("experiment tamsi-gripper --quick --json --out figures");
  write_file("judge.py",
             "import json\n"
             "r = json.load(open('stdout.txt'))\n"
             "assert r['name'] == 'tamsi-gripper' and r['quick'] is True\n"
             "assert all(isinstance(v, float) for v in r['figures'].values())\n"
             "assert r['paper'] and set(r['paper']) <= set(r['figures'])\n"
             "assert r['must']\n"
             "for line in r['must']:\n"
             "    assert set(line) == {'id', 'what', 'value', 'want', 'holds', 'full_only'}, line\n"
             "    assert line['holds'] is True or line['full_only'] is True, line\n"
             "page = open('figures/tamsi-gripper.html').read() # every line, number and drawing is in the page\n"
             "assert page.count('<svg') == len(__import__('glob').glob('figures/*.svg')) > 0\n"
             "assert all(name in page for name in r['figures']) and page.count('class=\"holds\"') + page.count('(full)') >= len(r['must'])\n");
  assert_int_equal(system("python3 judge.py"), 0);
  assert_int_equal(system("test -n \"$(ls figures)\""), 0);
  assert_int_equal(system("test -s figures/rim.hfrec && test -s figures/middle.hfrec"), 0); // what the page replays
  assert_string_equal(standard_error, "");
}

// The same experiment with models in which the mug is held with a hundredth of its friction: lines do not hold, with and without
// JSON, and the page says so too.
static void test_lines_that_fail(void** state) {
  (void)state;
  assert_int_equal(system("mkdir slippery && cp -r " HF_SOURCE_DIR "/models slippery"), 0);
  assert_int_equal(system("sed -i 's/friction=\"0.0947/friction=\"0.0009/' slippery/models/gripper_mug.xml"), 0);
  assert_int_equal(setenv("HOLDFAST_DATA", "slippery", 1), 0);
  int plain = holdfast("experiment tamsi-gripper --quick --out slips");
  assert_says(standard_output, "  FAILS ");
  assert_says(standard_error, "tamsi-gripper: ");
  assert_says(standard_error, " lines that it has to show do not hold: ");
  int json = holdfast("experiment tamsi-gripper --quick --json");
  assert_says(standard_error, " do not hold: ");
  assert_says(standard_output, "\"complete\": true");
  unsetenv("HOLDFAST_DATA");
  assert_json();
  assert_int_equal(plain, 1);
  assert_int_equal(json, 1);
  assert_int_equal(system("grep -q 'class=\"fails\"' slips/tamsi-gripper.html"), 0);
}

static void test_folder_that_cannot_be_made(void** state) {
  (void)state;
  assert_refused("experiment tamsi-gripper --quick --out no/such/folder", 1,
                 "no/such/folder: cannot make the folder: No such file or directory");
  write_file("file", "");
  assert_refused("experiment tamsi-gripper --quick --out file", 1,
                 "file: cannot make the folder: File exists");
}

static void test_list(void** state) {
  (void)state;
  assert_works("experiment");
  assert_says(standard_output, "  tamsi-gripper ");
  assert_works("bench");
  assert_says(standard_output, "  dynamics ");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_json_has_figures_paper_and_must),
      cmocka_unit_test(test_lines_that_fail),
      cmocka_unit_test(test_folder_that_cannot_be_made),
      cmocka_unit_test(test_list),
  };
  return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
