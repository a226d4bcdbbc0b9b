// Load, change, write: every field of a model that was written as MJCF and read again is that of the first model.
#include "import/support.h"

#include <glob.h>
#include <stdlib.h>
#include <unistd.h>

static char written[] = "/tmp/holdfast_write_XXXXXX";

static int make_file(void** state) {
  (void)state;
  int fd = mkstemp(written);
  return fd < 0 ? -1 : close(fd);
}
static int remove_file(void** state) { return (void)state, unlink(written); }

static const void* field_data(const hfModel* m, int f) {
  return (const char*)m + m->offset[f];
}

// Quaternions are normalised again by reading, and -0 becomes 0: that is rounding of a few operations on numbers of order one. Names are
// compared by name, because what has none gets one where something refers to it.
static void assert_same_fields(const hfModel* a, const hfModel* b, const char* path) {
  for (int f = 0; f < HF_MODEL_FIELD_COUNT; ++f) {
    hfFieldInfo x = hf_model_field_info(a, (hfModelField)f), y = hf_model_field_info(b, (hfModelField)f);
    size_t length = strlen(x.name);
    if (strcmp(x.name, "names") == 0 || (length > 5 && strcmp(x.name + length - 5, "_name") == 0)) continue;
    if (x.rows != y.rows || x.columns != y.columns)
      fail_msg("%s: %s has %d x %d entries, not %d x %d", path, x.name, y.rows, y.columns, x.rows, x.columns);
    const void *p = field_data(a, f), *q = field_data(b, f);
    for (int i = 0; i < x.rows * x.columns; ++i) {
      double u = x.type == 'd' ? ((const double*)p)[i] : x.type == 'f' ? (double)((const float*)p)[i] : ((const int32_t*)p)[i];
      double v = x.type == 'd' ? ((const double*)q)[i] : x.type == 'f' ? (double)((const float*)q)[i] : ((const int32_t*)q)[i];
      if (!(fabs(u - v) <= 1e-14 * (1 + fabs(u)))) fail_msg("%s: %s[%d] is %.17g, not %.17g", path, x.name, i, v, u);
    }
  }
  if (memcmp(&a->world, &b->world, sizeof a->world) != 0) fail_msg("%s: the world differs", path);
  for (int k = HF_OBJECT_BODY; k < HF_OBJECT_KINDS; ++k)
    for (int i = 0; i < hf_model_object_count(a, (hfObjectKind)k); ++i) {
      const char* name = hf_model_name(a, (hfObjectKind)k, i);
      if (*name) assert_string_equal(hf_model_name(b, (hfObjectKind)k, i), name);
    }
}

static void check_round_trip(const char* path) {
  hfBuilder* builder = NULL;
  hfModel *first = NULL, *again = NULL;
  hfError error;
  if (hf_builder_load(&builder, path, NULL, NULL, &error) != HF_OK) fail_msg("%s", error.message);
  if (hf_builder_finish(builder, &first, &error) != HF_OK) fail_msg("%s", error.message);
  if (hf_builder_write_mjcf(builder, written, &error) != HF_OK) fail_msg("%s", error.message);
  if (hf_model_load(&again, written, NULL, NULL, &error) != HF_OK) fail_msg("%s: %s", path, error.message);
  assert_same_fields(first, again, path);
  hf_model_free(first);
  hf_model_free(again);
  hf_builder_free(builder);
}

static int check_all(const char* pattern) {
  glob_t found;
  assert_int_equal(glob(pattern, 0, NULL, &found), 0);
  for (size_t i = 0; i < found.gl_pathc; ++i) check_round_trip(found.gl_pathv[i]);
  int count = (int)found.gl_pathc;
  globfree(&found);
  return count;
}

static void test_round_trips(void** state) {
  (void)state;
  assert_true(check_all(HF_SOURCE_DIR "/models/*.xml") > 20);
  assert_true(check_all(DATA "/*.xml") > 10);
  assert_true(check_all(DATA "/*.urdf") > 1);
  assert_true(check_all(HF_SOURCE_DIR "/examples/ros/*.xml") > 0);
}

// Signals, drive laws, parameters of unnamed geoms, names with characters that XML reserves.
static void test_what_mjcf_lacks(void** state) {
  (void)state;
  static const char text[] =
      "<mujoco><custom><text name='hf.signal.m&lt;1&quot;' data='table 0 1 2.5 3 4 -1'/><text name='hf.drive.p' data='constraint'/>"
      "<numeric name='hf.g.restitution' data='0.5'/><text name='hf.friction_rule' data='harmonic'/>"
      "<numeric name='hf.g.friction_dynamic' data='0.25'/></custom><worldbody><body><joint name='j'/><geom name='g' size='0.1'/></body>"
      "</worldbody><actuator><motor name='m&lt;1&quot;' joint='j'/><position name='p' joint='j' kp='10' dampratio='0.7'/></actuator>"
      "</mujoco>";
  char path[] = "/tmp/holdfast_write_custom_XXXXXX";
  int fd = mkstemp(path);
  assert_true(fd >= 0 && write(fd, text, sizeof text - 1) == (ssize_t)sizeof text - 1 && close(fd) == 0);
  check_round_trip(path);
  hfModel* m = NULL;
  assert_int_equal(hf_model_load(&m, written, NULL, NULL, NULL), HF_OK);
  assert_int_equal(m->world.friction_rule, HF_COMBINE_HARMONIC);
  ASSERT_NUMBERS(hf_model_signal_data(m), 0, 1, 2.5, 3, 4, -1);
  ASSERT_NUMBERS(hf_model_geom_friction_dynamic(m), 0.25);
  hf_model_free(m);
  unlink(path);
}

// Change a mass, a friction coefficient, a range and a gain of a file; the numbers are in what is written.
static void test_change_and_write(void** state) {
  (void)state;
  hfBuilder* b = NULL;
  hfModel* m = NULL;
  hfError error;
  assert_int_equal(hf_builder_load(&b, HF_SOURCE_DIR "/models/wsg50.xml", NULL, NULL, &error), HF_OK);
  hfGeomDef geom = *hf_builder_geom(b, 0);
  hfJointDef joint = *hf_builder_joint(b, 0);
  hfActuatorDef actuator = *hf_builder_actuator(b, 0);
  geom.friction[0] = 0.123;
  joint.damping = 77;
  actuator.forcelimited = 1, actuator.forcerange[0] = -5, actuator.forcerange[1] = 5;
  assert_int_equal(hf_builder_set_geom(b, 0, &geom, &error), HF_OK);
  assert_int_equal(hf_builder_set_joint(b, 0, &joint, &error), HF_OK);
  assert_int_equal(hf_builder_set_actuator(b, 0, &actuator, &error), HF_OK);
  joint.range[0] = 1, joint.range[1] = -1, joint.limited = 1;
  assert_int_equal(hf_builder_set_joint(b, 0, &joint, &error), HF_ERROR_MODEL);
  assert_int_equal(hf_builder_set_geom(b, 10000, &geom, &error), HF_ERROR_ARGUMENT);
  assert_int_equal(hf_builder_write_mjcf(b, written, &error), HF_OK);
  assert_int_equal(hf_model_load(&m, written, NULL, NULL, &error), HF_OK);
  ASSERT_NUMBERS(hf_model_geom_friction(m), 0.123);
  ASSERT_NUMBERS(hf_model_dof_damping(m), 77);
  ASSERT_NUMBERS(hf_model_actuator_forcerange(m), -5, 5);
  hf_model_free(m);
  hf_builder_free(b);
}

// A model that was saved as a block is read like any other file.
static void test_saved_model(void** state) {
  (void)state;
  hfModel *m = NULL, *again = NULL;
  hfBuilder* b = NULL;
  hfError error;
  assert_int_equal(hf_model_load(&m, HF_SOURCE_DIR "/models/wsg50.xml", NULL, NULL, &error), HF_OK);
  assert_int_equal(hf_model_save(m, written, &error), HF_OK);
  assert_int_equal(hf_model_load(&again, written, NULL, NULL, &error), HF_OK);
  assert_int_equal(m->size, again->size);
  assert_memory_equal(m, again, m->size);
  assert_int_equal(hf_builder_load(&b, written, NULL, NULL, &error), HF_ERROR_UNSUPPORTED);
  hf_model_free(m);
  hf_model_free(again);
}

// The hull of a cube with a point in its middle: 12 triangles of outward normals over the 8 corners.
static void test_hull(void** state) {
  (void)state;
  double vert[27] = {0};
  for (int i = 0; i < 8; ++i)
    for (int k = 0; k < 3; ++k) vert[3 * i + k] = i >> k & 1 ? 1 : -1;
  int32_t* tri = NULL;
  int32_t ntri = 0;
  assert_int_equal(hf_hull_compute(vert, 9, 0, &tri, &ntri, NULL), HF_OK);
  assert_int_equal(ntri, 12);
  double volume = 0;
  for (int i = 0; i < ntri; ++i) {
    const double *a = vert + 3 * tri[3 * i], *b = vert + 3 * tri[3 * i + 1], *c = vert + 3 * tri[3 * i + 2];
    volume += (a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0])) / 6;
    for (int k = 0; k < 3; ++k) assert_in_range(tri[3 * i + k], 0, 7);
  }
  ASSERT_NUMBERS(&volume, 8);
  hf_hull_free(tri);
  hfError error;
  double flat[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};
  assert_int_equal(hf_hull_compute(flat, 4, 0, &tri, &ntri, &error), HF_ERROR_MODEL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_round_trips),      cmocka_unit_test(test_what_mjcf_lacks),
      cmocka_unit_test(test_change_and_write), cmocka_unit_test(test_saved_model),
      cmocka_unit_test(test_hull),
  };
  return cmocka_run_group_tests(tests, make_file, remove_file);
}
