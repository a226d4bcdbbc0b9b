// holdfast bench clutter: what it prints of a small heap, and numbers of bodies that it refuses.
#include "cli/command.h"

// Eight bodies have all figures but growth, for which the larger of two heaps of 100 bodies and more would take a minute in a debug build.
static void test_times_both_engines(void** state) {
  (void)state;
  assert_int_equal(holdfast("bench clutter --quick --bodies 8 --threads 2 --json"), 0);
  assert_int_equal(holdfast("bench clutter --quick --bodies 8 --json"), 0);
  write_file("judge.py", "import json\n"
                         "r = json.load(open('stdout.txt'))\n"
                         "assert set(r['figures']) == {'falling_8', 'settled_8', 'sleeping_8'}, r\n"
                         "assert all(us > 0 for us in r['figures'].values()), r\n"
                         "assert all(m['value'] > 0 for m in r['must']), r\n");
  assert_int_equal(system("python3 judge.py"), 0);
}

static void test_refusals(void** state) {
  (void)state;
  static const char want[] = "want up to 16 ascending numbers from 1 to 5000 with commas between them";
  assert_refused("bench clutter --bodies 0", 2, want);
  assert_refused("bench clutter --bodies 5,3", 2, want);
  assert_refused("bench clutter --bodies 5,", 2, want);
  assert_refused("bench clutter --bodies 5x", 2, want);
  assert_refused("bench clutter --bodies 5001", 2, want);
  assert_refused("bench gripper --bodies 5", 2, "gripper takes no --bodies");
  assert_refused("bench clutter --threads 0", 2, "--threads 0: want a number from 1 to 1024");
  assert_refused("bench clutter --threads two", 2, "--threads two: want a number from 1 to 1024");
  assert_refused("bench gripper --threads 2", 2, "gripper takes no --threads");
  assert_refused("bench clutter folder", 2, "clutter takes no folder: \"folder\"");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_times_both_engines), cmocka_unit_test(test_refusals)};
  return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
