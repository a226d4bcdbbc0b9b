// Whatever locale a program has set, the library writes the same bytes, reads the same numbers and says the same words.
// Oracle: the same calls in the locale "C".
#include "support/cmocka_all.h"

#include <holdfast/actuation.h>
#include <holdfast/import.h>
#include <holdfast/record.h>
#include <holdfast/step_problem.h>

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char scene[] =
    "<mujoco><option timestep='0.002'/><worldbody><geom name='floor' type='plane' size='1 1 1'/>"
    "<body name='ball' pos='0 0 0.0999'><freejoint/><geom name='skin' type='sphere' size='0.1' mass='1.5'/></body>"
    "<body name='cart' pos='1 0 1'><joint name='rail' type='slide' axis='1 0 0'/><geom type='box' size='.1 .1 .1'/></body>"
    "</worldbody><actuator><motor name='push' joint='rail'/></actuator></mujoco>";

enum { FILES = 4, SIZE = 1 << 18, STEPS = 5 };
static const char* const names[FILES] = {"state.csv", "contacts.csv", "problem.txt", "words.txt"};
static char folder[] = "/tmp/holdfast-locale-XXXXXX";

// Steps with logs of the states and of the contacts; then writes the problem of the next step.
static void write_run(const hfModel* m, hfSim* sim, hfState* s) {
  hfStateLog* log;
  hfContactLog* contacts;
  const hfStepProblem* problem;
  const double controls[1] = {0.5};
  assert_int_equal(hf_state_log_open(&log, names[0], m, NULL), HF_OK);
  assert_int_equal(hf_contact_log_open(&contacts, names[1], m, NULL), HF_OK);
  for (int i = 0; i < STEPS; ++i) {
    assert_int_equal(hf_sim_step(sim, s, NULL, NULL, NULL), HF_OK);
    assert_int_equal(hf_state_log_add(log, s, controls, NULL), HF_OK);
    assert_int_equal(hf_contact_log_add(contacts, sim, s->time, NULL), HF_OK);
  }
  assert_int_equal(hf_state_log_close(log, NULL), HF_OK);
  assert_int_equal(hf_contact_log_close(contacts, NULL), HF_OK);
  assert_int_equal(hf_sim_problem(sim, s, NULL, &problem, NULL), HF_OK);
  assert_int_equal(hf_step_problem_write(problem, names[2], NULL), HF_OK);
}

// Numbers in options, in tables of controls and in problems are read with a decimal point; refusals print one.
static void read_numbers(const hfModel* m) {
  hfSimConfig config = hf_sim_config_default();
  hfControlTable* table;
  hfStepProblem* problem;
  double ctrl[1];
  hfError error;
  assert_int_equal(hf_sim_config_set(&config, "near_rigid", "0.25", &error), HF_OK);
  assert_true(config.near_rigid == 0.25);
  assert_int_equal(hf_control_table_parse(&table, m, "time,push\n0.25,1.5\n", "table", &error), HF_OK);
  hf_control_table_controls(table, 0.5, ctrl);
  assert_true(ctrl[0] == 1.5);
  hf_control_table_free(table);
  assert_int_equal(hf_step_problem_read(&problem, names[2], &error), HF_OK);
  assert_true(problem->h == 0.002);
  hf_step_problem_free(problem);
  assert_below(hf_sim_config_set(&config, "near_rigid", "-0.5", &error), 0);
  FILE* words = fopen(names[3], "w");
  fputs(error.message, words);
  fclose(words);
}

static void read_all(char text[FILES][SIZE]) {
  for (int i = 0; i < FILES; ++i) {
    FILE* file = fopen(names[i], "r");
    assert_non_null(file);
    text[i][fread(text[i], 1, SIZE - 1, file)] = '\0';
    fclose(file);
    remove(names[i]);
  }
}

static void do_everything(char text[FILES][SIZE]) {
  hfModel* m;
  hfSim* sim;
  assert_int_equal(hf_model_parse(&m, scene, strlen(scene), "scene", NULL, NULL, NULL, NULL), HF_OK);
  assert_int_equal(hf_sim_create(&sim, m, NULL, NULL), HF_OK);
  hfState* s = hf_state_create(m);
  write_run(m, sim, s);
  read_numbers(m);
  read_all(text);
  hf_state_free(s);
  hf_sim_free(sim);
  hf_model_free(m);
}

static void test_the_locale_changes_nothing(void** state) {
  (void)state;
  static char expected[FILES][SIZE], found[FILES][SIZE];
  do_everything(expected);
  assert_non_null(strstr(expected[3], "-0.5"));
  assert_int_equal(setenv("LOCPATH", HF_BINARY_DIR "/locale", 1), 0);
  if (!setlocale(LC_ALL, "de_DE.UTF-8")) skip(); // made by tests/CMakeLists.txt with the Debian package locales
  assert_string_equal(localeconv()->decimal_point, ",");
  do_everything(found);
  assert_string_equal(localeconv()->decimal_point, ","); // the program keeps its locale
  setlocale(LC_ALL, "C");
  for (int i = 0; i < FILES; ++i) assert_string_equal(found[i], expected[i]);
}

static int enter_folder(void** state) { return (void)state, mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1; }
static int leave_folder(void** state) { return (void)state, chdir("/") == 0 ? rmdir(folder) : -1; }

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_the_locale_changes_nothing)};
  return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
