// The guide docs/guide/ros.md: every command of the page runs as it is written there, and the arm of the page picks up the block.
#include "support/cmocka_all.h"

#include "cli/command.h"

#define GUIDE HF_SOURCE_DIR "/docs/guide/ros.md"

static int enter_example(void** state) {
  if (enter_folder(state) != 0) return -1;
  return system("cp -r " HF_SOURCE_DIR "/examples/ros/. .");
}

// Runs the indented lines of the page that call the command, in their order.
static void test_commands(void** state) {
  (void)state;
  static const char begin[] = "    holdfast ";
  FILE* page = fopen(GUIDE, "r");
  assert_non_null(page);
  char line[4096];
  int count = 0;
  while (fgets(line, sizeof line, page)) {
    if (strncmp(line, begin, sizeof begin - 1) != 0) continue;
    line[strcspn(line, "\n")] = 0;
    assert_works(line + sizeof begin - 1);
    ++count;
  }
  fclose(page);
  assert_at_least(count, 6);
}

// The last number but `from_end` of the last line of a file.
static double number_in_last_line(const char* file, int column) {
  static char text[TEXT_SIZE];
  read_file(file, text);
  char* end = text + strlen(text) - 1;
  *end = 0;
  const char* at = strrchr(text, '\n') + 1;
  for (int i = 0; i < column; ++i) at = strchr(at, ',') + 1;
  return strtod(at, NULL);
}

// The plan lifts the tool by 0.17 m and turns it from y = 0.1 m to y = -0.1 m. The block may sag in the fingers and the servos
// under its weight by a few millimetres; a block that was not held would lie on the table at 0.725 m.
static void test_block_is_picked(void** state) {
  (void)state;
  assert_works("run table.xml --keyframe home --controls pick.csv --time 6 --log motion.csv");
  assert_says(standard_output, "block on arm/finger_left");
  assert_says(standard_output, "block on arm/finger_right");
  enum { Q_BLOCK = 1 + 7 }; // after the time: seven joints of the arm
  assert_near(number_in_last_line("motion.csv", Q_BLOCK), 0.35, 5e-3);
  assert_near(number_in_last_line("motion.csv", Q_BLOCK + 1), -0.1, 5e-3);
  assert_near(number_in_last_line("motion.csv", Q_BLOCK + 2), 0.725 + 0.17, 5e-3);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_commands), cmocka_unit_test(test_block_is_picked)};
  return cmocka_run_group_tests(tests, enter_example, leave_folder);
}
