// Random scenes in MuJoCo: every sensor that does not need contacts, at MuJoCo's accelerations and at our
// own. 1e-9: accelerations, which MuJoCo wrote with 17 digits, come back through sums over whole
// subtrees; 1e-8 with our own, from another factorisation of M.
#include "support/mujoco_scene.h"

#include "sim/sensor.h"

static void compare_sensors(const hfModel* m, const double* got, const double* want, double tolerance) {
  for (int i = 0; i < m->nsensor; ++i) {
    char what[64];
    int adr = hf_model_sensor_adr(m)[i];
    snprintf(what, sizeof what, "sensor %d (type %d)", i, hf_model_sensor_type(m)[i]);
    peer_compare(what, got + adr, want + adr, hf_model_sensor_dim(m)[i], tolerance);
  }
}

static void compare_given(mujocoScene* w, const mujocoState* s) {
  hfiSensorInput in = {.dynamics = w->dynamics, .actuation = w->actuation, .time = s->time[0], .q = s->qpos, .vdot = s->qacc, .wrench = (hfForce*)s->wrench};
  double* out = malloc(sizeof *out * (size_t)w->model->nsensordata);
  hfi_sensors(&in, out);
  compare_sensors(w->model, out, s->sensor, 1e-9);
  free(out);
}

static void compare_evaluated(mujocoScene* w, const mujocoState* s) {
  const hfModel* m = w->model;
  hfSim* sim = NULL;
  hfError error;
  hfState* state = hf_state_create(m);
  hfInput in = {.ctrl = s->ctrl, .wrench = (hfForce*)s->wrench};
  state->time = s->time[0];
  memcpy(hf_state_mutable_q(state), s->qpos, sizeof *s->qpos * (size_t)m->nq);
  memcpy(hf_state_mutable_v(state), s->qvel, sizeof *s->qvel * (size_t)m->nv);
  memcpy(hf_state_mutable_act(state), s->act, sizeof *s->act * (size_t)m->na);
  if (hf_sim_create(&sim, m, NULL, &error) != HF_OK) fail_msg("%s", error.message);
  if (hf_sim_evaluate(sim, state, &in, &error) != HF_OK) fail_msg("%s", error.message);
  compare_sensors(m, hf_sim_sensors(sim), s->sensor, 1e-8);
  hf_sim_free(sim);
  hf_state_free(state);
}

static void compare_state(mujocoScene* w, const mujocoState* s) {
  w->model->world.disable_limit = 1; // as in the reference
  compare_given(w, s);
  compare_evaluated(w, s);
}

static void test_scenes(void** state) {
  (void)state;
  mujoco_scenes_compare(20260401, compare_state);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_scenes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
