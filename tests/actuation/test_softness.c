// Equalities and limits of tendons with MuJoCo's solref and solimp must yield under a load as they do in MuJoCo.
#include "support/near.h"
#include "support/peer_world.h"

// At rest the laws are the same. The rotation vector of a weld, and MuJoCo's twice the sine of half its angle, differ by a relative
// 1/24 of its square, 2e-4 here, which the lever of the load makes larger; iterations end at 1e-6.
static const double SHARE = 2e-3, ROUNDING = 1e-6;

static void test_rests_as_in_mujoco(void** state) {
  (void)state;
  char folder[] = "/tmp/holdfast_softness_XXXXXX";
  if (peer_run(folder, "actuation/mujoco_softness.py", "20") != 0) skip();
  FILE* in;
  simWorld w = peer_world_load(folder, &in);
  const hfModel* m = w.model;
  double *rest = peer_row(in, "rest", m->nq), *speed = peer_row(in, "speed", m->nv);
  fclose(in);
  sim_world_step(&w, 10000);
  for (int i = 0; i < m->nv; ++i) assert_near(speed[i], 0, 1e-3);
  for (int i = 0; i < m->nq; ++i)
    assert_near(sim_q(&w)[i], rest[i], SHARE * fabs(rest[i] - hf_model_qpos0(m)[i]) + ROUNDING);
  free(rest), free(speed);
  sim_world_free(&w);
  peer_remove(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_rests_as_in_mujoco)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
