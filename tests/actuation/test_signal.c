// Signals are compared with their formulas; tables of controls are read, held between rows, and refused when wrong.
#include "support/near.h"
#include "support/sim_world.h"

#include <holdfast/actuation.h>

#include <math.h>
#include <stdio.h>

// ---- signals ----------------------------------------------------------------------------------------

static hfModel* make_model(int signal, const double* data, int count) {
  hfBuilder* b = hf_builder_create();
  hfBodyDef body = hf_body_def_default();
  body.has_inertial = 1, body.mass = 1;
  for (int i = 0; i < 3; ++i) body.inertia[i] = 1;
  hfJointDef joint = hf_joint_def_default();
  joint.body = hf_builder_add_body(b, &body, NULL);
  int j = hf_builder_add_joint(b, &joint, NULL);
  const char* names[] = {"left", "right"};
  for (int i = 0; i < 2; ++i) {
    hfActuatorDef a = hf_actuator_def_default();
    a.name = names[i], a.trnid[0] = j;
    if (i == 1) a.signal = signal, a.signal_data = data, a.signal_count = count;
    assert_int_equal(hf_builder_add_actuator(b, &a, NULL), i);
  }
  hfModel* m = NULL;
  hfError error;
  if (hf_builder_finish(b, &m, &error) != HF_OK) fail_msg("%s", error.message);
  hf_builder_free(b);
  return m;
}

static void check_value(const hfModel* m, double time, double value) { assert_near(hf_signal_value(m, 0, time), value, 1e-14); }

static void test_constant_and_controls(void** s) {
  (void)s;
  const double value = 2.5;
  hfModel* m = make_model(HF_SIGNAL_CONSTANT, &value, 1);
  double ctrl[2] = {7, 7};
  hf_signal_controls(m, 3, ctrl);
  assert_near(ctrl[0], 7, 0); // has no signal
  assert_near(ctrl[1], 2.5, 0);
  hf_model_free(m);
}

static void test_sine(void** s) {
  (void)s;
  const double data[] = {2, 0.5, 0.3, -1};
  hfModel* m = make_model(HF_SIGNAL_SINE, data, 4);
  for (int i = 0; i < 10; ++i) check_value(m, 0.37 * i, -1 + 2 * sin(3.14159265358979323846 * 0.37 * i + 0.3));
  hf_model_free(m);
}

static void test_ramp(void** s) {
  (void)s;
  const double data[] = {1, -2, 3, 4};
  hfModel* m = make_model(HF_SIGNAL_RAMP, data, 4);
  const double want[][2] = {{0, -2}, {1, -2}, {1.5, -0.5}, {2, 1}, {3, 4}, {9, 4}};
  for (int i = 0; i < 6; ++i) check_value(m, want[i][0], want[i][1]);
  hf_model_free(m);
}

// Two rows, 2 s apart, of t, y, q_d, v_d, kp, kd: between and outside of them against the formula.
static void test_feedback(void** s) {
  (void)s;
  const double data[] = {1, 0, 1, 5, 0.1, 0.2, 10, 1, 3, 7, 0.3, 0.4, 30, 3};
  hfModel* m = make_model(HF_SIGNAL_FEEDBACK, data, 14);
  const double q = 0.25, v = -0.5;
  const struct { double time, y, q, v, kp, kd; } want[] = {{0, 5, 0.1, 0.2, 10, 1}, {1.5, 5.5, 0.15, 0.25, 15, 1.5}, {3, 7, 0.3, 0.4, 30, 3}, {9, 7, 0.3, 0.4, 30, 3}};
  for (int i = 0; i < 4; ++i) {
    double ctrl[2] = {7, 7};
    check_value(m, want[i].time, want[i].y);
    hf_signal_controls(m, want[i].time, ctrl);
    assert_near(ctrl[1], 7, 0); // it is no function of time alone
    hf_signal_feedback(m, want[i].time, &q, &v, ctrl);
    assert_near(ctrl[0], 7, 0);
    assert_near(ctrl[1], want[i].y + want[i].kp * (want[i].q - q) + want[i].kd * (want[i].v - v), 1e-14);
  }
  hf_model_free(m);
}

// A step takes the feedback of its start: x'' = -kp x - kd v with held force is v1 = v - h (kp x + kd v)/m, x1 = x + h v1.
static void test_feedback_is_held_over_a_step(void** s) {
  (void)s;
  simWorld w = sim_world_of(parse_model("<mujoco><option timestep='0.01' gravity='0 0 0'/><worldbody><body><joint name='x' type='slide' axis='1 0 0'/><geom size='.1' mass='2'/></body>"
                         "<body pos='0 1 0'><joint name='other' type='slide' axis='1 0 0'/><geom size='.1' mass='1'/></body></worldbody>"
                         "<actuator><motor name='m' joint='x'/></actuator><custom><text name='hf.signal.m' data='feedback x other  0 3 0 0 0 0 40 5 6 0'/></custom></mujoco>"),
                            HF_METHOD_TAMSI, 0, 1e-12);
  double *q = hf_state_mutable_q(w.state), *v = hf_state_mutable_v(w.state), x = 0.2, u = 0.1;
  q[0] = x, v[0] = u, q[1] = 0.3;
  for (int i = 0; i < 50; ++i) {
    hfError error;
    assert_int_equal(hf_sim_step(w.sim, w.state, NULL, NULL, &error), HF_OK);
    u += 0.01 * (3 - 40 * x - 5 * 0.3 - 6 * u) / 2, x += 0.01 * u;
    assert_near(hf_state_q(w.state)[0], x, 1e-12); // rounding of 50 steps
    assert_near(hf_state_v(w.state)[0], u, 1e-12);
  }
  sim_world_free(&w);
}

static void test_bad_feedback_is_refused(void** s) {
  (void)s;
  static const struct { const char *data, *message; } bad[] = {{"feedback y 0 1 0 0 1 1", "there is no joint \"y\""},
                                                              {"feedback x 0 1 0 0 1", "5 numbers are not rows of 6"},
                                                              {"feedback 0 1 0 0 1 1", "feedback of 0 joints"},
                                                              {"feedback x 0 1 0 0 1 1 0 1 0 0 1 1", "times must increase"},
                                                              {"feedback b 0 1 0 0 1 1", "joint 1 of 1 is no hinge or slide"}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
    char xml[1024];
    hfModel* m = NULL;
    hfError error;
    snprintf(xml, sizeof xml, "<mujoco><worldbody><body><joint name='x' type='slide'/><geom size='.1'/></body><body><joint name='b' type='ball'/><geom size='.1'/></body></worldbody>"
                              "<actuator><motor name='m' joint='x'/></actuator><custom><text name='hf.signal.m' data='%s'/></custom></mujoco>", bad[i].data);
    assert_below(hf_model_parse(&m, xml, strlen(xml), "scene.xml", NULL, NULL, NULL, &error), 0);
    if (!strstr(error.message, bad[i].message)) fail_msg("%s: %s", bad[i].data, error.message);
    assert_non_null(strstr(error.message, "scene.xml:1"));
  }
}

// Rates against central differences, away from corners.
static void test_rates(void** s) {
  (void)s;
  static const struct { int type, count; double data[8]; } signals[] = {{HF_SIGNAL_CONSTANT, 1, {2}},
                                                                       {HF_SIGNAL_SINE, 4, {2, 0.5, 0.3, -1}},
                                                                       {HF_SIGNAL_RAMP, 4, {1, -2, 3, 4}},
                                                                       {HF_SIGNAL_CHIRP, 5, {1.5, 1, 5, 2, 0.2}},
                                                                       {HF_SIGNAL_TABLE, 8, {0, 1, 0.5, 3, 1.5, -1, 2, 0}},
                                                                       {HF_SIGNAL_CYCLE, 8, {0, 1, 0.5, 3, 1.5, -1, 1.7, 1}}};
  for (size_t k = 0; k < sizeof signals / sizeof *signals; ++k) {
    hfModel* m = make_model(signals[k].type, signals[k].data, signals[k].count);
    for (double t = -0.41; t < 3.7; t += 0.173) {
      double e = 1e-4, rate[2], y0 = hf_signal_value(m, 0, t - e), y1 = hf_signal_value(m, 0, t), y2 = hf_signal_value(m, 0, t + e);
      hf_signal_rates(m, 0, t, rate);
      // third and fourth derivatives of the chirp are (2 pi 5)^3 and ^4 times 1.5, times e^2/6 and e^2/12
      assert_near(rate[0], (y2 - y0) / (2 * e), 1e-4);
      assert_near(rate[1], (y2 - 2 * y1 + y0) / (e * e), 2e-3);
    }
    hf_model_free(m);
  }
}

// The phase is the integral of the frequency: checked by Simpson's rule, exact for its quadratic.
static void test_chirp(void** s) {
  (void)s;
  const double data[] = {1.5, 1, 5, 2, 0.2};
  hfModel* m = make_model(HF_SIGNAL_CHIRP, data, 5);
  for (double t = 0; t < 3; t += 0.17) {
    double end = fmin(t, 2), mid = 1 + 4 * (end / 2) / 2, last = 1 + 4 * end / 2;
    double turns = end / 6 * (1 + 4 * mid + last) + 5 * (t - end);
    assert_near(hf_signal_value(m, 0, t), 0.2 + 1.5 * sin(2 * 3.14159265358979323846 * turns), 1e-12);
  }
  hf_model_free(m);
}

static void test_table(void** s) {
  (void)s;
  const double data[] = {0, 1, 1, 3, 4, 0};
  hfModel* m = make_model(HF_SIGNAL_TABLE, data, 6);
  const double want[][2] = {{-1, 1}, {0, 1}, {0.25, 1.5}, {1, 3}, {2, 2}, {4, 0}, {5, 0}};
  for (int i = 0; i < 7; ++i) check_value(m, want[i][0], want[i][1]);
  hf_model_free(m);
}

// A cycle is its table at times less whole periods, before the first row too.
static void test_cycle(void** s) {
  (void)s;
  const double data[] = {0.5, 1, 1.5, 3, 4.5, 1};
  hfModel* m = make_model(HF_SIGNAL_CYCLE, data, 6);
  hfModel* once = make_model(HF_SIGNAL_TABLE, data, 6);
  for (double t = 0.5; t < 4.5; t += 0.13)
    for (int turn = -2; turn < 4; ++turn)
      assert_near(hf_signal_value(m, 0, t + 4 * turn), hf_signal_value(once, 0, t), 1e-13); // times are rounded to 1e-15, slopes are 2
  hf_model_free(m);
  hf_model_free(once);
}

// ---- tables of controls -----------------------------------------------------------------------------

// The two actuators of the tables, of which one has a signal that is zero.
static hfModel* make_actuators(void) {
  const double zero = 0;
  return make_model(HF_SIGNAL_CONSTANT, &zero, 1);
}

static hfControlTable* parse_table(const hfModel* m, const char* text) {
  hfControlTable* table = NULL;
  hfError error = {HF_OK, ""};
  if (hf_control_table_parse(&table, m, text, "c.csv", &error) != HF_OK) fail_msg("%s", error.message);
  return table;
}

// A table that names only the second actuator gives it the value want[i][1] at the time want[i][0].
static void check_second_control(const hfControlTable* table, const double want[][2], int count) {
  for (int i = 0; i < count; ++i) {
    double ctrl[2] = {8, 9};
    hf_control_table_controls(table, want[i][0], ctrl);
    assert_near(ctrl[0], 8, 0);
    assert_near(ctrl[1], want[i][1], 0);
  }
}

// A table of three actuators gives them the controls 1, 2 and 3.
static void check_three_controls(const hfControlTable* table) {
  double ctrl[3] = {0};
  hf_control_table_controls(table, 0, ctrl);
  for (int i = 0; i < 3; ++i) assert_near(ctrl[i], i + 1, 0);
}

typedef struct BadTable { const char *text, *message; } BadTable;

static void check_refusals(const hfModel* m, const BadTable* bad, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    hfControlTable* table = NULL;
    hfError error;
    assert_int_equal(hf_control_table_parse(&table, m, bad[i].text, "c.csv", &error), HF_ERROR_PARSE);
    assert_string_equal(error.message, bad[i].message);
    assert_null(table);
  }
}

static void test_table_holds(void** s) {
  (void)s;
  hfModel* m = make_actuators();
  hfControlTable* table = parse_table(m, "# a comment\n time , right\r\n0.5, 1\n\n 1.0 ,-2e0\n2,3");
  check_second_control(table, (const double[][2]){{0, 9}, {0.499, 9}, {0.5, 1}, {0.99, 1}, {1, -2}, {1.5, -2}, {2, 3}, {50, 3}}, 8);
  hf_control_table_free(table);
  hf_model_free(m);
}

static void test_table_from_file(void** s) {
  (void)s;
  hfModel* m = make_actuators();
  const char* path = HF_BINARY_DIR "/test_signal.csv";
  FILE* out = fopen(path, "w");
  assert_non_null(out);
  fputs("time,left,right\n", out);
  for (int i = 0; i < 20000; ++i) fprintf(out, "%d,%d,%d\n", i, 2 * i, 3 * i); // beyond one buffer
  fclose(out);
  hfControlTable* table = NULL;
  hfError error;
  if (hf_control_table_read(&table, m, path, &error) != HF_OK) fail_msg("%s", error.message);
  double ctrl[2];
  hf_control_table_controls(table, 12345.6, ctrl);
  assert_near(ctrl[0], 24690, 0);
  assert_near(ctrl[1], 37035, 0);
  hf_control_table_free(table);
  remove(path);
  table = NULL;
  assert_int_equal(hf_control_table_read(&table, m, path, &error), HF_ERROR_FILE);
  assert_non_null(strstr(error.message, path));
  assert_null(table);
  hf_model_free(m);
}

static void test_table_refusals(void** s) {
  (void)s;
  static const BadTable bad[] = {
      {"", "c.csv:1: the first column must be `time`"},
      {"t,left\n0,1\n", "c.csv:1: the first column must be `time`"},
      {"time,middle\n0,1\n", "c.csv:1: there is no actuator `middle`"},
      {"time,left,left\n0,1,1\n", "c.csv:1: actuator `left` has two columns"},
      {"time,left\n0,1\n1\n", "c.csv:3: 1 numbers where the first line has 2 columns"},
      {"time,left\n0,1,2\n", "c.csv:2: 3 numbers where the first line has 2 columns"},
      {"time,left\n0,abc\n", "c.csv:2: `abc` is not a finite number"},
      {"time,left\n0,nan\n", "c.csv:2: `nan` is not a finite number"},
      {"time,left\n0,\n", "c.csv:2: 1 numbers where the first line has 2 columns"},
      {"time,left\n\n1,1\n1,2\n", "c.csv:4: times must increase"},
  };
  hfModel* m = make_actuators();
  check_refusals(m, bad, sizeof bad / sizeof *bad);
  hf_model_free(m);
}

// Names as a log writes them: in quotes where they have commas or quotes, whose quotes are doubled.
static void test_table_with_quoted_names(void** s) {
  (void)s;
  hfModel* m = parse_model("<mujoco><worldbody><body><joint name='x' type='slide'/><geom size='.1'/></body></worldbody>"
                           "<actuator><motor name='a,1' joint='x'/><motor name='b \"2\"' joint='x'/><motor name='c' joint='x'/></actuator></mujoco>");
  hfControlTable* table = parse_table(m, "\"time\" , \"b \"\"2\"\"\" ,\"a,1\", c\n0,2,\"1\",3\n");
  check_three_controls(table);
  hf_control_table_free(table);
  hf_control_table_free(parse_table(m, "time,\"a,1\n0,1\n")); // The end of the line ends a quote.
  check_refusals(m, &(BadTable){"time,\"a\n0,1\n", "c.csv:1: there is no actuator `a`"}, 1);
  hf_model_free(m);
}

// A spreadsheet writes a byte order mark before the header, and what has no name is called #ID, as in a log.
static void test_table_of_a_spreadsheet_without_names(void** s) {
  (void)s;
  hfModel* m = parse_model("<mujoco><worldbody><body><joint name='x' type='slide'/><geom size='.1'/></body></worldbody>"
                           "<actuator><motor name='a' joint='x'/><motor joint='x'/><motor joint='x'/></actuator></mujoco>");
  hfControlTable* table = parse_table(m, "\xef\xbb\xbftime,#2,#1,a\r\n0,3,2,1\r\n");
  check_three_controls(table);
  hf_control_table_free(table);
  static const char* const unknown[] = {"#0", "#3", "#", "#-1", "#01"}; // Actuator 0 has a name.
  for (int i = 0; i < 5; ++i) {
    char text[32], message[64];
    snprintf(text, sizeof text, "time,%s\n0,1\n", unknown[i]);
    snprintf(message, sizeof message, "c.csv:1: there is no actuator `%s`", unknown[i]);
    check_refusals(m, &(BadTable){text, message}, 1);
  }
  hf_model_free(m);
}

// A row of a log has the time at which its step ended: its controls acted before.
static void test_table_of_a_log(void** s) {
  (void)s;
  static const char text[] = "time,q[left],v[left],u[right],f[right],s[touch.0],\"p[a,b.x]\"\n0.5,0,0,1,0,0,0\n1,0,0,-2,0,0,0\n2,0,0,3,0,0,0\n";
  hfModel* m = make_actuators();
  hfControlTable* table = parse_table(m, text);
  check_second_control(table, (const double[][2]){{0, 1}, {0.499, 1}, {0.5, -2}, {0.99, -2}, {1, 3}, {1.5, 3}, {2, 3}, {50, 3}}, 8);
  hf_control_table_free(table);
  static const BadTable bad[] = {
      {"time,q[left]\n0,1\n", "c.csv:1: there is no actuator `q[left]`"},
      {"time,u[middle]\n0,1\n", "c.csv:1: there is no actuator `middle`"},
      {"time,u[left],u[left]\n0,1,1\n", "c.csv:1: actuator `left` has two columns"},
      {"time,u[left],right\n0,1,1\n", "c.csv:1: a log has columns `u[NAME]`, `q[NAME]` and the like, and no column `right`"},
  };
  check_refusals(m, bad, sizeof bad / sizeof *bad);
  hf_model_free(m);
}

// An actuator that is called as a column of a log keeps its name.
static void test_table_of_an_actuator_called_as_in_a_log(void** s) {
  (void)s;
  hfModel* m = parse_model("<mujoco><worldbody><body><joint name='x' type='slide'/><geom size='.1'/></body></worldbody>"
                           "<actuator><motor name='a' joint='x'/><motor name='u[a]' joint='x'/></actuator></mujoco>");
  hfControlTable* table = NULL;
  hfError error;
  const struct { const char* text; double a, ua; } cases[] = {{"time,u[a],a\n1,2,3\n", 0, 0}, {"time,u[a],u[u[a]]\n1,2,3\n", 2, 3}};
  for (int i = 0; i < 2; ++i) {
    double ctrl[2] = {0, 0};
    if (hf_control_table_parse(&table, m, cases[i].text, "c.csv", &error) != HF_OK) fail_msg("%s", error.message);
    hf_control_table_controls(table, 0.5, ctrl); // before the row: only a log acts there
    assert_near(ctrl[0], cases[i].a, 0);
    assert_near(ctrl[1], cases[i].ua, 0);
    hf_control_table_free(table);
  }
  hf_model_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_constant_and_controls), cmocka_unit_test(test_sine),        cmocka_unit_test(test_ramp), cmocka_unit_test(test_feedback),
      cmocka_unit_test(test_feedback_is_held_over_a_step), cmocka_unit_test(test_bad_feedback_is_refused),
      cmocka_unit_test(test_rates), cmocka_unit_test(test_chirp),                 cmocka_unit_test(test_table), cmocka_unit_test(test_cycle), cmocka_unit_test(test_table_holds),
      cmocka_unit_test(test_table_from_file),       cmocka_unit_test(test_table_refusals), cmocka_unit_test(test_table_with_quoted_names),
      cmocka_unit_test(test_table_of_a_spreadsheet_without_names), cmocka_unit_test(test_table_of_a_log),
      cmocka_unit_test(test_table_of_an_actuator_called_as_in_a_log),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
