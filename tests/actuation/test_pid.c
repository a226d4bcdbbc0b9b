// The element <pid> against MuJoCo: forces on joints and activations a step later, for every choice of inputs. 1e-12: the same
// few products and sums.
#include "support/peer.h"

#include <holdfast/actuation.h>
#include <holdfast/import.h>

static void test_pid(void** state) {
  (void)state;
  char folder[] = "/tmp/holdfast_pid_XXXXXX", path[256];
  enum { STATES = 50 };
  snprintf(path, sizeof path, "%d 20260701", STATES);
  if (peer_run(folder, "actuation/mujoco_pid.py", path) != 0) skip();
  hfModel* m = NULL;
  hfDynamics* d = NULL;
  hfActuation* a = NULL;
  hfError error;
  snprintf(path, sizeof path, "%s/scene.xml", folder);
  if (hf_model_load(&m, path, NULL, NULL, &error) != HF_OK) fail_msg("%s", error.message);
  assert_int_equal(hf_dynamics_create(&d, m, NULL), HF_OK);
  assert_int_equal(hf_actuation_create(&a, m, NULL), HF_OK);
  snprintf(path, sizeof path, "%s/states.txt", folder);
  FILE* in = fopen(path, "r");
  assert_non_null(in);
  for (int i = 0; i < STATES; ++i) {
    double *q = peer_row(in, "qpos", m->nq), *v = peer_row(in, "qvel", m->nv), *ctrl = peer_row(in, "ctrl", m->nu);
    double *act = peer_row(in, "act", m->na), *force = peer_row(in, "jointforce", m->nv), *next = peer_row(in, "actnext", m->na);
    hf_dynamics_position(d, q, NULL);
    hf_dynamics_velocity(d, v);
    hf_actuation_update(a, d, q);
    hf_actuation_forces(a, act, ctrl, m->world.timestep);
    hf_actuation_advance(a, act, m->world.timestep);
    peer_compare("activation a step later", act, next, m->na, 1e-12);
    // Our integral of the error is that of the end of the step: the force has ki h (u - l) more, which is known.
    double* extra = calloc((size_t)m->nv, sizeof *extra);
    for (int k = 0; k < m->nu; ++k)
      if (hf_model_actuator_dyntype(m)[k] == HF_ACTIVATION_ERROR)
        extra[hf_model_actuator_trnid(m)[2 * k]] = hf_model_actuator_dynprm(m)[3 * k] * m->world.timestep * hf_actuation_rate(a)[hf_model_actuator_actadr(m)[k]];
    for (int k = 0; k < m->nv; ++k) force[k] += extra[k];
    peer_compare("joint force", hf_actuation_joint_force(a), force, m->nv, 1e-12);
    free(q), free(v), free(ctrl), free(act), free(force), free(next), free(extra);
  }
  fclose(in);
  peer_remove(folder);
  hf_actuation_free(a), hf_dynamics_free(d), hf_model_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_pid)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
