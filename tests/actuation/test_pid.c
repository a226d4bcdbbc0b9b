// The element <pid> against MuJoCo: forces on joints and activations a step later, for every choice of inputs. 1e-12: the same
// few products and sums.
#include "support/mujoco_scene.h"

static void test_pid(void** state) {
  (void)state;
  char folder[] = "/tmp/holdfast_pid_XXXXXX", arguments[32];
  enum { STATES = 50 };
  snprintf(arguments, sizeof arguments, "%d 20260701", STATES);
  if (peer_run(folder, "actuation/mujoco_pid.py", arguments) != 0) skip();
  mujocoScene w;
  mujoco_scene_load(&w, folder, "scene", "states");
  const hfModel* m = w.model;
  hfDynamics* d = w.dynamics;
  hfActuation* a = w.actuation;
  FILE* in = w.in;
  for (int i = 0; i < STATES; ++i) {
    double *q = peer_row(in, "qpos", m->nq), *v = peer_row(in, "qvel", m->nv), *ctrl = peer_row(in, "ctrl", m->nu);
    double *act = peer_row(in, "act", m->na), *force = peer_row(in, "jointforce", m->nv), *next = peer_row(in, "actnext", m->na);
    hf_dynamics_set_position(d, q, NULL);
    hf_dynamics_set_velocity(d, v);
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
  peer_remove(folder);
  mujoco_scene_close(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_pid)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
