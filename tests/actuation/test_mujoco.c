// Random scenes in MuJoCo: transmissions, tendons, actuator forces, activations, passive forces,
// errors and Jacobians of equalities. 1e-10 leaves four digits for sums in another order.
#include "support/peer.h"

#include "actuation/actuation.h"
#include <holdfast/import.h>

enum { SEED = 20260301 };
static const double kTolerance = 1e-10;

typedef struct World {
  FILE* in;
  hfModel* model;
  hfDynamics* dynamics;
  hfActuation* actuation;
} World;

static void open_world(World* w, const char* folder, int index) {
  char path[256];
  hfError error;
  snprintf(path, sizeof path, "%s/%d.xml", folder, index);
  if (hf_model_load(&w->model, path, NULL, NULL, &error) != HF_OK) fail_msg("%s", error.message);
  snprintf(path, sizeof path, "%s/%d.txt", folder, index);
  w->in = fopen(path, "r");
  assert_non_null(w->in);
  double* sizes = peer_row(w->in, "sizes", 7);
  const int ours[] = {w->model->nq, w->model->nv, w->model->nu, w->model->na, w->model->ntendon, w->model->nsensordata, w->model->nbody};
  for (int i = 0; i < 7; ++i) assert_int_equal(ours[i], (int)sizes[i]);
  free(sizes);
  assert_int_equal(hf_dynamics_create(&w->dynamics, w->model, NULL), HF_OK);
  assert_int_equal(hf_actuation_create(&w->actuation, w->model, NULL), HF_OK);
}

static void close_world(World* w) {
  fclose(w->in);
  hf_actuation_free(w->actuation);
  hf_dynamics_free(w->dynamics);
  hf_model_free(w->model);
}

static void compare_moments(const World* w, const double* want) {
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
  for (int i = 0; i < 3; ++i) got[i] = scale * sin(angle / 2) * e[i] / angle;
  double sign = got[0] * want[0] + got[1] * want[1] + got[2] * want[2] < 0 ? -1 : 1; // of a quaternion
  for (int i = 0; i < 3; ++i) got[i] *= sign;
  peer_compare("rotation of a weld", got, want, 3, kTolerance);
}

static int is_noise(const double* x, int n) {
  for (int i = 0; i < n; ++i) if (fabs(x[i]) > 1e-12) return 0;
  return 1;
}

static void compare_equalities(World* w, const double* q, const double* pos, const double* J, int rows) {
  int nv = w->model->nv, at = 0;
  int32_t* cols = malloc(sizeof *cols * 2 * (size_t)nv);
  double *sparse = malloc(sizeof *sparse * 12 * (size_t)nv), *dense = malloc(sizeof *dense * (size_t)nv);
  for (int e = 0; e < w->model->neq; ++e) {
    hfiEquality x = hfi_equality_evaluate(w->actuation, w->dynamics, e, q);
    if (x.dim == 0) { // moves nothing: we leave it out, MuJoCo where its Jacobian is exactly zero
      while (at < rows && is_noise(J + at * nv, nv)) ++at;
      continue;
    }
    int n = hfi_equality_jacobian(w->actuation, w->dynamics, e, &x, cols, sparse);
    peer_compare("error of an equality", x.r, pos + at, x.dim < 3 ? x.dim : 3, kTolerance);
    if (x.dim == 6) compare_rotation(x.r + 3, pos + at + 3, hf_model_eq_data(w->model)[11 * e + 10]);
    for (int i = 0; i < x.dim && i < 3; ++i) { // the rotation's Jacobian is tested by differences
      memset(dense, 0, sizeof *dense * (size_t)nv);
      for (int k = 0; k < n; ++k) dense[cols[k]] = sparse[i * n + k];
      peer_compare("Jacobian of an equality", dense, J + (at + i) * nv, nv, kTolerance);
    }
    at += x.dim;
  }
  assert_int_equal(at, rows);
  free(cols), free(sparse), free(dense);
}

static void compare_state(World* w) {
  const hfModel* m = w->model;
  hfActuation* a = w->actuation;
  double* unused[] = {peer_row(w->in, "state", 0)};
  double *q = peer_row(w->in, "qpos", m->nq), *v = peer_row(w->in, "qvel", m->nv), *ctrl = peer_row(w->in, "ctrl", m->nu);
  double *act = peer_row(w->in, "act", m->na), *rest[3] = {peer_row(w->in, "time", 1), peer_row(w->in, "wrench", 6 * m->nbody), peer_row(w->in, "qacc", m->nv)};
  hf_dynamics_position(w->dynamics, q, NULL);
  hf_dynamics_velocity(w->dynamics, v);
  hf_actuation_update(a, w->dynamics, q);
  hf_actuation_forces(a, act, ctrl, m->world.timestep);
  double* passive = malloc(sizeof *passive * (size_t)m->nv);
  hf_actuation_passive(a, w->dynamics, q, passive);
  double* next = malloc(sizeof *next * ((size_t)m->na + 1));
  memcpy(next, act, sizeof *next * (size_t)m->na);
  hf_actuation_advance(a, next, m->world.timestep);
  const struct { const char* key; const double* got; int n; } simple[] = {
      {"length", hf_actuation_length(a), m->nu}, {"velocity", hf_actuation_velocity(a), m->nu}, {"moment", NULL, m->nu * m->nv},
      {"tendonlength", hf_actuation_tendon_length(a), m->ntendon}, {"tendonvelocity", hf_actuation_tendon_velocity(a), m->ntendon},
      {"force", hf_actuation_force(a), m->nu}, {"jointforce", hf_actuation_joint_force(a), m->nv},
      {"passive", passive, m->nv}, {"rate", hf_actuation_rate(a), m->na}, {"actnext", next, m->na}};
  for (size_t i = 0; i < sizeof simple / sizeof *simple; ++i) {
    double* want = peer_row(w->in, simple[i].key, simple[i].n);
    if (simple[i].got) peer_compare(simple[i].key, simple[i].got, want, simple[i].n, kTolerance);
    else compare_moments(w, want);
    free(want);
  }
  double* count = peer_row(w->in, "neq", 1);
  double *eqpos = peer_row(w->in, "eqpos", (int)count[0]), *eqJ = peer_row(w->in, "eqJ", (int)count[0] * m->nv);
  compare_equalities(w, q, eqpos, eqJ, (int)count[0]);
  free(peer_row(w->in, "sensor", m->nsensordata));
  double* rows[] = {unused[0], q, v, ctrl, act, rest[0], rest[1], rest[2], passive, next, count, eqpos, eqJ};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) free(rows[i]);
}

static void test_scenes(void** state) {
  (void)state;
  char folder[] = "/tmp/holdfast_actuation_XXXXXX", arguments[64];
  int scenes = getenv("HF_FULL") ? 200 : 20, states = 5;
  snprintf(arguments, sizeof arguments, "%d %d %d", scenes, states, SEED);
  if (peer_run(folder, "actuation/mujoco_scenes.py", arguments) != 0) skip();
  for (int i = 0; i < scenes; ++i) {
    World w = {0};
    print_message("scene %d (seed %d)\n", i, SEED + i);
    open_world(&w, folder, i);
    for (int k = 0; k < states; ++k) compare_state(&w);
    close_world(&w);
  }
  peer_remove(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_scenes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
