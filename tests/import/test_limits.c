// Limits of joints in URDF and SDFormat: ends that are infinite, as Gazebo writes them, or not given. URDF's default of an end is 0 (urdfdom), that of
// SDFormat is infinite. The same limits are there after the robot was written and read again.
#include "import/support.h"

#include <unistd.h>

// What stands for an infinite end of a range.
#define OPEN    1e10
#define INERTIA "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"
#define URDF(limit)                                                                                                                                  \
  "<robot name='r'><link name='a'/><link name='b'>" INERTIA                                                                                          \
  "</link><joint name='j' type='revolute'><parent link='a'/><child link='b'/><limit " limit "/></joint></robot>"
#define SDF(limit)                                                                                                                                   \
  "<sdf version='1.9'><model name='m'><static>false</static><link name='b'/><joint name='j' "                                                        \
  "type='revolute'><parent>world</parent><child>b</child><axis>"                                                                                     \
  "<xyz>0 0 1</xyz><limit>" limit "</limit></axis></joint></model></sdf>"

typedef struct Limits {
  int limited;
  double low, high, effort;
} Limits;

static void assert_limits(const hfModel* m, const Limits* want, const char* what) {
  const double *range = hf_model_jnt_range(m), *force = hf_model_jnt_actfrcrange(m);
  int same = hf_model_jnt_limited(m)[0] == want->limited && hf_model_jnt_actfrclimited(m)[0] == (want->effort > 0) && force[1] == want->effort;
  if (!same || (want->limited && (range[0] != want->low || range[1] != want->high)))
    fail_msg("%s: limited %d, range %g %g, effort %g", what, hf_model_jnt_limited(m)[0], range[0], range[1], force[1]);
}

static const struct {
  const char* text;
  Limits want;
  int warnings;
} cases[] = {
    {SDF("<lower>-inf</lower><upper>inf</upper><effort>inf</effort><velocity>inf</velocity>"), {0}, 0},
    {SDF("<lower>-1e16</lower><upper>1e16</upper><effort>-1</effort><velocity>-1</velocity>"), {0}, 0},
    {SDF("<lower>0</lower><upper>inf</upper>"), {1, 0, OPEN, 0}, 0},
    {SDF("<upper>1</upper><effort>5</effort>"), {1, -OPEN, 1, 5}, 0},
    {SDF("<lower>-1e16</lower><upper>1</upper><effort>INF</effort>"), {1, -OPEN, 1, 0}, 0},
    {SDF("<lower>1</lower><upper>0</upper>"), {0}, 1},
    {SDF("<lower>inf</lower>"), {0}, 1},
    {URDF("lower='-inf' upper='inf' effort='inf'"), {0}, 0},
    {URDF("lower='-1' upper='inf' effort='3'"), {1, -1, OPEN, 3}, 0},
    {URDF("lower='-1e16' upper='1' effort='3'"), {1, -OPEN, 1, 3}, 0},
    {URDF("upper='1' effort='3'"), {1, 0, 1, 3}, 0},
    {URDF("lower='-1' effort='3'"), {1, -1, 0, 3}, 0},
    {URDF("effort='3'"), {0, 0, 0, 3}, 0},
    {URDF("lower='2' upper='1' effort='3'"), {0, 0, 0, 3}, 1},
    {URDF("lower='-90' upper='inf' effort='3'"), {1, -90, OPEN, 3}, 1}, // degrees?
};

static void test_ends(void** state) {
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    hfDiagnostics* said = hf_diagnostics_create();
    hfModel* m = NULL;
    hfError error;
    if (hf_model_parse(&m, cases[i].text, strlen(cases[i].text), "r.xml", DATA, NULL, said, &error) != HF_OK) fail_msg("%s", error.message);
    assert_limits(m, &cases[i].want, cases[i].text);
    int warnings = 0;
    for (int k = 0; k < hf_diagnostics_count(said); ++k)
      if (strstr(hf_diagnostics_get(said, k).message, "the joint is not limited") || strstr(hf_diagnostics_get(said, k).message, "are these degrees"))
        ++warnings;
    assert_int_equal(warnings, cases[i].warnings);
    hf_diagnostics_free(said);
    hf_model_free(m);
  }
}

static void test_refused(void** state) {
  (void)state;
  static const struct {
    const char *text, *message;
  } refused[] = {{SDF("<lower>nan</lower>"), "\"nan\" is not a finite number"},
                 {SDF("<lower>infx</lower>"), "\"infx\" is not a number"},
                 {URDF("lower='-inf inf' upper='1'"), "lower: \"-inf\" is not a finite number"},
                 {URDF("lower='0' upper='one'"), "upper: \"one\" is not a number"}};
  for (size_t i = 0; i < sizeof refused / sizeof *refused; ++i) {
    hfModel* m = NULL;
    hfError error;
    assert_below(hf_model_parse(&m, refused[i].text, strlen(refused[i].text), "r.xml", DATA, NULL, NULL, &error), 0);
    if (!strstr(error.message, refused[i].message)) fail_msg("%s", error.message);
  }
}

static void test_written(void** state) {
  (void)state;
  char name[2][60];
  snprintf(name[0], sizeof name[0], "/tmp/holdfast_limits_%ld.urdf", (long)getpid());
  snprintf(name[1], sizeof name[1], "/tmp/holdfast_limits_%ld.sdf", (long)getpid());
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    hfModel* m = parse(cases[i].text);
    for (int k = 0; k < 2; ++k) {
      hfModel* again = NULL;
      hfError error;
      hfStatus status = k ? hf_model_write_sdf(m, name[1], NULL, &error) : hf_model_write_urdf(m, name[0], NULL, &error);
      if (status != HF_OK || hf_model_load(&again, name[k], NULL, NULL, &error) != HF_OK) fail_msg("%s", error.message);
      Limits want = cases[i].want;
      want.effort = hf_model_jnt_actfrcrange(again)[1]; // only that of a joint with an actuator is written
      assert_limits(again, &want, name[k]);
      hf_model_free(again);
    }
    hf_model_free(m);
  }
  assert_int_equal(unlink(name[0]) + unlink(name[1]), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_ends), cmocka_unit_test(test_refused), cmocka_unit_test(test_written)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
