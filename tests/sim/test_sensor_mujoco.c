// Random scenes in MuJoCo: every sensor that does not need contacts. 1e-9: accelerations, which MuJoCo
// wrote with 17 digits, come back through sums over whole subtrees.
#include "support/mujoco_scene.h"

#include "sim/sensor.h"

static void compare_state(mujocoScene* w, const mujocoState* s) {
  hfModel* m = w->model;
  hfiSensorInput in = {.dynamics = w->dynamics, .actuation = w->actuation, .time = s->time[0], .q = s->qpos, .vdot = s->qacc, .wrench = s->wrench};
  double* out = malloc(sizeof *out * (size_t)m->nsensordata);
  m->world.disable_limit = 1; // as in the reference
  hfi_sensors(&in, out);
  for (int i = 0; i < m->nsensor; ++i) {
    char what[64];
    int adr = hf_model_sensor_adr(m)[i];
    snprintf(what, sizeof what, "sensor %d (type %d)", i, hf_model_sensor_type(m)[i]);
    peer_compare(what, out + adr, s->sensor + adr, hf_model_sensor_dim(m)[i], 1e-9);
  }
  free(out);
}

static void test_scenes(void** state) {
  (void)state;
  mujoco_scenes_compare(20260401, compare_state);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_scenes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
