// Random scenes compared with MuJoCo: transmissions, tendons, actuator forces, activations, passive forces, errors and
// Jacobians of equalities. The tolerance 1e-10 allows for the rounding of sums in another order.
#include "support/mujoco_scene.h"

#include "step/actuation/actuation.h"

static const double kTolerance = 1e-10;

static void compare_tendon_moments(const mujocoScene* w, const double* want) {
  int nv = w->model->nv;
  double* row = malloc(sizeof *row * (size_t)nv);
  for (int t = 0; t < w->model->ntendon; ++t) {
    hf_actuation_tendon_moment(w->actuation, t, row);
    peer_compare("tendon moment", row, want + t * nv, nv, kTolerance);
  }
  free(row);
}

static void compare_moments(const mujocoScene* w, const double* want) {
  int nv = w->model->nv;
  double* row = malloc(sizeof *row * (size_t)nv);
  for (int i = 0; i < w->model->nu; ++i) {
    hf_actuation_moment(w->actuation, i, row);
    peer_compare("moment", row, want + i * nv, nv, kTolerance);
  }
  free(row);
}

// MuJoCo's rotation error of a weld is torquescale sin(angle/2) axis.
static void compare_rotation(const double* e, const double* want, double scale) {
  double angle = sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]), got[3];
  for (int i = 0; i < 3; ++i) got[i] = angle > 0 ? scale * sin(angle / 2) * e[i] / angle : 0;
  double sign = got[0] * want[0] + got[1] * want[1] + got[2] * want[2] < 0 ? -1 : 1; // of a quaternion
  for (int i = 0; i < 3; ++i) got[i] *= sign;
  peer_compare("rotation of a weld", got, want, 3, kTolerance);
}

static int is_noise(const double* x, int n) {
  for (int i = 0; i < n; ++i) if (fabs(x[i]) > 1e-12) return 0;
  return 1;
}

static void compare_equalities(mujocoScene* w, const mujocoState* s) {
  int nv = w->model->nv, at = 0, rows = (int)s->neq[0];
  int32_t* cols = malloc(sizeof *cols * 2 * (size_t)nv);
  double *sparse = malloc(sizeof *sparse * 12 * (size_t)nv), *dense = malloc(sizeof *dense * (size_t)nv);
  for (int e = 0; e < w->model->neq; ++e) {
    hfiEquality x = hfi_equality_evaluate(w->actuation, w->dynamics, e, s->qpos);
    if (x.dim == 0) { // moves nothing: we leave it out, MuJoCo where its Jacobian is exactly zero
      while (at < rows && is_noise(s->eqJ + at * nv, nv)) ++at;
      continue;
    }
    int n = hfi_equality_jacobian(w->actuation, w->dynamics, e, &x, cols, sparse);
    peer_compare("error of an equality", x.r, s->eqpos + at, x.dim < 3 ? x.dim : 3, kTolerance);
    if (x.dim == 6) compare_rotation(x.r + 3, s->eqpos + at + 3, hf_model_eq_data(w->model)[11 * e + 10]);
    for (int i = 0; i < x.dim && i < 3; ++i) { // the rotation's Jacobian is tested by differences
      memset(dense, 0, sizeof *dense * (size_t)nv);
      for (int k = 0; k < n; ++k) dense[cols[k]] = sparse[i * n + k];
      peer_compare("Jacobian of an equality", dense, s->eqJ + (at + i) * nv, nv, kTolerance);
    }
    at += x.dim;
  }
  assert_int_equal(at, rows);
  free(cols), free(sparse), free(dense);
}

static void compare_state(mujocoScene* w, const mujocoState* s) {
  const hfModel* m = w->model;
  const hfActuation* a = w->actuation;
  double *passive = malloc(sizeof *passive * (size_t)m->nv), *act = malloc(sizeof *act * ((size_t)m->na + 1));
  hf_actuation_passive(a, w->dynamics, s->qpos, passive);
  memcpy(act, s->act, sizeof *act * (size_t)m->na);
  hf_actuation_advance(a, act, m->world.timestep);
  peer_compare("length", hf_actuation_length(a), s->length, m->nu, kTolerance);
  peer_compare("velocity", hf_actuation_velocity(a), s->velocity, m->nu, kTolerance);
  compare_moments(w, s->moment);
  peer_compare("tendon length", hf_actuation_tendon_length(a), s->tendonlength, m->ntendon, kTolerance);
  compare_tendon_moments(w, s->tendonJ);
  hf_dynamics_update_bias(w->dynamics); // includes the armature of spatial tendons
  peer_compare("bias", hf_dynamics_bias(w->dynamics), s->bias, m->nv, kTolerance);
  peer_compare("tendon velocity", hf_actuation_tendon_velocity(a), s->tendonvelocity, m->ntendon, kTolerance);
  peer_compare("force", hf_actuation_force(a), s->force, m->nu, kTolerance);
  peer_compare("joint force", hf_actuation_joint_force(a), s->jointforce, m->nv, kTolerance);
  peer_compare("passive force", passive, s->passive, m->nv, kTolerance);
  peer_compare("activation rate", hf_actuation_rate(a), s->rate, m->na, kTolerance);
  peer_compare("next activation", act, s->actnext, m->na, kTolerance);
  compare_equalities(w, s);
  free(passive), free(act);
}

static void test_scenes(void** state) {
  (void)state;
  mujoco_scenes_compare(20260301, compare_state);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_scenes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
