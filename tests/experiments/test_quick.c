// Runs every experiment of the command with --quick. Each line that it has to show must hold, except those that are marked
// full_only. With HF_FULL=1 the whole experiments run and every line must hold.
#include "cli/command.h"

enum { MOST = 64, NAME_SIZE = 64 };
static char names[MOST][NAME_SIZE];

static const char judge[] =
    "import json, sys\n"
    "result = json.load(open('stdout.txt'))\n"
    "full = sys.argv[1] == 'full'\n"
    "broken = [m for m in result['must'] if not m['holds'] and (full or not m['full_only'])]\n"
    "for m in result['must']:\n"
    "    print('%s: %s (want %s)%s' % (m['id'], m['value'], m['want'], ', does not hold' if m in "
    "broken else ''))\n"
    "sys.exit(1 if broken or not result['must'] else 0)\n";

static void test_experiment(void** state) {
  char call[256];
  snprintf(call, sizeof call, "experiment %s --json%s", (const char*)*state,
           is_full() ? "" : " --quick");
  int said = holdfast(call);
  if (said != 0) print_error("holdfast %s: exit status %d: %s\n", call, said, standard_error);
  write_file("judge.py", judge);
  int status = system(is_full() ? "python3 judge.py full >verdict.txt"
                                : "python3 judge.py quick >verdict.txt");
  char verdict[TEXT_SIZE];
  print_message("%s", read_file("verdict.txt", verdict));
  assert_int_equal(status, 0);
  assert_int_equal(said, 0);
}

// The names are the first words of the lines that `holdfast experiment` prints.
static int list_names(void) {
  FILE* list = popen(HOLDFAST " experiment", "r");
  char line[512];
  int count = 0;
  while (list && count < MOST && fgets(line, sizeof line, list))
    if (sscanf(line, "%63s", names[count]) == 1) count++;
  return list && pclose(list) == 0 ? count : 0;
}

int main(void) {
  struct CMUnitTest tests[MOST];
  int count = list_names();
  if (count == 0) {
    fprintf(stderr, "holdfast experiment lists nothing\n");
    return 1;
  }
  memset(tests, 0, sizeof tests);
  for (int i = 0; i < count; ++i) {
    tests[i].name = names[i];
    tests[i].test_func = test_experiment;
    tests[i].initial_state = names[i];
  }
  return _cmocka_run_group_tests("experiments", tests, (size_t)count, enter_folder, leave_folder);
}
