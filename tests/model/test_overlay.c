// A parameter overlay is no block: what copies, saves or records it makes a block of its own out of it, with the
// overlay's values.
#include "support/cmocka_all.h"

#include <holdfast/holdfast.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char scene[] = "<mujoco><worldbody><geom name='floor' type='plane' size='1 1 1'/>"
                            "<body name='ball' pos='0 0 .1'><freejoint/><geom size='.1' mass='1'/></body>"
                            "</worldbody></mujoco>";

typedef struct fixture {
  hfModel* base;
  hfParams* params;
  char path[64];
} fixture;

static void open_fixture(fixture* f) {
  hfError error;
  f->base = NULL, f->params = NULL;
  assert_int_equal(hf_model_parse(&f->base, scene, strlen(scene), "scene", ".", NULL, NULL, &error), HF_OK);
  assert_int_equal(hf_params_create(&f->params, f->base, &error), HF_OK);
  hf_params_field(f->params, HF_FIELD_body_mass)[1] = 3;
  assert_int_equal(hf_params_update(f->params, &error), HF_OK);
  snprintf(f->path, sizeof f->path, "/tmp/hf-overlay-XXXXXX");
  int file = mkstemp(f->path);
  assert_at_least(file, 0);
}

static void close_fixture(fixture* f) {
  remove(f->path);
  hf_params_free(f->params);
  hf_model_free(f->base);
}

static void check_block(const hfModel* m) {
  assert_false(hf_model_is_overlay(m));
  assert_int_equal(hf_model_validate(m, (size_t)m->size, NULL), HF_OK);
  assert_true(hf_model_body_mass(m)[1] == 3);
  assert_string_equal(hf_model_name(m, HF_OBJECT_BODY, 1), "ball");
}

static void test_an_overlay_says_what_it_is(void** state) {
  (void)state;
  fixture f;
  open_fixture(&f);
  const hfModel* overlay = hf_params_model(f.params);
  hfError error;
  assert_false(hf_model_is_overlay(f.base));
  assert_true(hf_model_is_overlay(overlay));
  assert_int_equal(overlay->size, 0); // memcpy(size) copies nothing
  assert_int_equal(hf_model_validate(overlay, (size_t)f.base->size, &error), HF_ERROR_MODEL);
  assert_non_null(strstr(error.message, "overlay"));
  close_fixture(&f);
}

static void test_copy(void** state) {
  (void)state;
  fixture f;
  open_fixture(&f);
  hfModel *of_overlay = NULL, *of_block = NULL;
  assert_int_equal(hf_model_copy(&of_overlay, hf_params_model(f.params), NULL), HF_OK);
  assert_int_equal(hf_model_copy(&of_block, f.base, NULL), HF_OK);
  check_block(of_overlay);
  assert_int_equal(of_block->size, f.base->size);
  assert_memory_equal(of_block, f.base, f.base->size);
  hf_model_free(of_block);
  hf_model_free(of_overlay);
  close_fixture(&f);
}

static void test_save(void** state) {
  (void)state;
  fixture f;
  open_fixture(&f);
  hfModel* read = NULL;
  hfError error;
  assert_int_equal(hf_model_write(hf_params_model(f.params), f.path, &error), HF_OK);
  if (hf_model_read(&read, f.path, &error) != HF_OK) fail_msg("%s", error.message);
  check_block(read);
  hf_model_free(read);
  close_fixture(&f);
}

static void test_recording(void** state) {
  (void)state;
  fixture f;
  open_fixture(&f);
  const hfModel* overlay = hf_params_model(f.params);
  hfRecorder* recorder = NULL;
  hfRecording* recording = NULL;
  hfSim* sim = NULL;
  hfError error;
  hfState* s = hf_state_create(overlay);
  assert_int_equal(hf_sim_create(&sim, overlay, NULL, &error), HF_OK);
  assert_int_equal(hf_recorder_open(&recorder, f.path, overlay, scene, &error), HF_OK);
  assert_int_equal(hf_sim_step(sim, s, NULL, NULL, &error), HF_OK);
  assert_int_equal(hf_recorder_add_frame(recorder, sim, s, NULL, &error), HF_OK);
  assert_int_equal(hf_recorder_close(recorder, &error), HF_OK);
  if (hf_recording_read(&recording, f.path, &error) != HF_OK) fail_msg("%s", error.message);
  check_block(hf_recording_model(recording));
  assert_int_equal(hf_recording_frame_count(recording), 1);
  hf_recording_free(recording);
  hf_sim_free(sim);
  hf_state_free(s);
  close_fixture(&f);
}

// The inertial frame is that of the base where it is a principal one, and does not depend on what the parameters were before.
static void test_inertial_frame(void** state) {
  (void)state;
  static const char text[] = "<mujoco><worldbody><body><joint/><inertial pos='0 0 0' mass='1' diaginertia='.1 .2 .25'/></body></worldbody></mujoco>";
  hfModel* base = NULL;
  hfParams* params = NULL;
  hfError error;
  assert_int_equal(hf_model_parse(&base, text, strlen(text), "scene", ".", NULL, NULL, &error), HF_OK);
  assert_int_equal(hf_params_create(&params, base, &error), HF_OK);
  const double* axes = hf_model_body_iquat(hf_params_model(params)) + 4;
  double* inertia = hf_params_field(params, HF_FIELD_body_inertia) + 6;
  assert_true(axes[0] == 1);
  for (int i = 0; i < 2; ++i) {
    inertia[3] = i == 0 ? 0.05 : 0;
    assert_int_equal(hf_params_update(params, &error), HF_OK);
    assert_true((axes[0] == 1) == i);
  }
  hf_params_free(params);
  hf_model_free(base);
}

static int is_range(const char* name) { return strstr(name, "range") != NULL; }

// Infinite numbers are refused by the name of their field, and the old ones stay in force; they were taken, and the next step was refused without naming
// them. A range may be open.
static void test_infinite_values(void** state) {
  (void)state;
  static const char arm[] = "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body><joint name='a' range='-1 1' axis='0 1 0'/><geom size='.1' mass='1'/></body></worldbody>"
                            "<tendon><fixed name='t' range='-1 1'><joint joint='a' coef='2'/></fixed></tendon><equality><joint joint1='a'/></equality>"
                            "<actuator><position joint='a' kp='1' ctrlrange='-1 1' forcerange='-1 1'/></actuator></mujoco>";
  hfModel* m = NULL;
  hfParams* p = NULL;
  hfError error;
  int refused = 0, open = 0;
  assert_int_equal(hf_model_parse(&m, arm, strlen(arm), "arm", ".", NULL, NULL, &error), HF_OK);
  assert_int_equal(hf_params_create(&p, m, &error), HF_OK);
  for (int f = 0; f < HF_MODEL_FIELD_COUNT; ++f) {
    hfFieldInfo info = hf_model_field_info(m, (hfModelField)f);
    double* x = hf_params_field(p, (hfModelField)f);
    if (!x || !info.rows) continue;
    for (int up = 0; up < 2; ++up) { // the last entry, the upper end of a range
      double old = x[info.rows * info.columns - 1];
      x[info.rows * info.columns - 1] = up ? INFINITY : -INFINITY;
      hfStatus status = hf_params_update(p, &error);
      x[info.rows * info.columns - 1] = old;
      if (is_range(info.name) && up) {
        assert_int_equal(status, HF_OK);
        ++open;
        continue;
      }
      assert_int_equal(status, HF_ERROR_NONFINITE);
      assert_non_null(strstr(error.message, info.name));
      const double* in_force = (const double*)((uintptr_t)hf_params_model(p) + (uintptr_t)hf_params_model(p)->offset[f]);
      assert_true(isfinite(in_force[info.rows * info.columns - 1]) || is_range(info.name));
      ++refused;
    }
  }
  print_message("%d refused, %d open ranges\n", refused, open);
  assert_above(refused, 60);
  assert_true(open == 7);
  hf_params_free(p);
  hf_model_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_an_overlay_says_what_it_is),
      cmocka_unit_test(test_copy),
      cmocka_unit_test(test_save),
      cmocka_unit_test(test_recording),
      cmocka_unit_test(test_inertial_frame), cmocka_unit_test(test_infinite_values),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
