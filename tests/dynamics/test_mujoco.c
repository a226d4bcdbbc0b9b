// Conventions of coordinates, joints and bodies against MuJoCo on random MJCF trees with every kind of
// joint, alone and several on a body: poses, Jacobians, M, bias, steps on the manifold.
#include "dynamics/world.h"

#include "peer_mujoco.h"
#include <holdfast/import.h>
#include <stdio.h>
#include <unistd.h>

enum { MODELS = 60, MAX_BODIES = 10, TEXT_SIZE = 1 << 16 };
static const uint64_t SEED = 4100;
// Two double-precision codes over chains of up to 5 bodies; a pose is a sum of lengths of order one.
static const double ROUNDING = 1e-12;

// ---- random MJCF ----------------------------------------------------------------------------------------

typedef struct Writer {
  char* text;
  int used, bodies;
  testRandom* r;
} Writer;

#define WRITE(w, ...) ((w)->used += snprintf((w)->text + (w)->used, (size_t)(TEXT_SIZE - (w)->used), __VA_ARGS__))

static void write_vector(Writer* w, const char* name, int n, double scale) {
  WRITE(w, " %s=\"", name);
  for (int i = 0; i < n; ++i) WRITE(w, "%.6f ", random_uniform(w->r, -scale, scale));
  WRITE(w, "\"");
}

static void write_joint(Writer* w, char type) {
  static const char* const names[] = {"hinge", "slide", "ball"};
  int k = type == 'h' ? 0 : type == 's' ? 1 : 2;
  WRITE(w, "<joint type=\"%s\"", names[k]);
  write_vector(w, "pos", 3, 0.3);
  if (k < 2) {
    write_vector(w, "axis", 3, 1);
    WRITE(w, " ref=\"%.4f\" armature=\"%.4f\"", random_uniform(w->r, -0.5, 0.5), random_chance(w->r, 0.5) ? 0.1 : 0);
  }
  WRITE(w, "/>");
}

static void write_body(Writer* w, int depth) {
  static const char* const joints[] = {"h", "s", "b", "hhh", "shs", "sb", "bs", "ssshhh", ""};
  const char* set = joints[random_int(w->r, depth ? 9 : 8)]; // a root moves
  int children = depth < 4 ? random_int(w->r, 3) : 0;
  if (++w->bodies > MAX_BODIES) return;
  WRITE(w, "<body");
  write_vector(w, "pos", 3, 0.5);
  write_vector(w, "quat", 4, 1);
  WRITE(w, ">");
  if (depth == 0 && random_chance(w->r, 0.3)) WRITE(w, "<freejoint/>");
  else for (; *set; ++set) write_joint(w, *set);
  WRITE(w, "<geom type=\"box\" size=\"0.1 0.2 0.3\"");
  write_vector(w, "pos", 3, 0.2);
  write_vector(w, "quat", 4, 1);
  WRITE(w, "/>");
  for (int i = 0; i < children; ++i) write_body(w, depth + 1);
  WRITE(w, "</body>");
}

static void write_model(Writer* w) {
  WRITE(w, "<mujoco><compiler angle=\"radian\"/><option gravity=\"1 -2 -9\"/><worldbody>");
  write_body(w, 0);
  write_body(w, 0);
  WRITE(w, "</worldbody></mujoco>");
  assert_below(w->used, TEXT_SIZE);
}

// ---- both engines ---------------------------------------------------------------------------------------

typedef struct Pair {
  PeerMujoco* mj;
  mjModel* m;
  mjData* d;
  World w;
} Pair;

static mjModel* load_peer(const PeerMujoco* mj, const Writer* text) {
  char path[] = "/tmp/holdfast-mjcf-XXXXXX", message[1000];
  int file = mkstemp(path);
  assert_at_least(file, 0);
  assert_int_equal(write(file, text->text, (size_t)text->used), text->used);
  close(file);
  mjModel* m = mj->mj_loadXML(path, NULL, message, sizeof message);
  remove(path);
  if (!m) fail_msg("%s", message);
  return m;
}

static void compute_both(Pair* p) {
  double state[2 * MAX_DOF + 16], *c = state;
  memcpy(c, p->w.q, (size_t)p->w.model->nq * sizeof *c);
  memcpy(c + p->w.model->nq, p->w.v, (size_t)p->w.model->nv * sizeof *c);
  p->mj->mj_setState(p->m, p->d, state, MUJOCO_STATE_QPOS | MUJOCO_STATE_QVEL);
  p->mj->mj_kinematics(p->m, p->d);
  p->mj->mj_comPos(p->m, p->d);
  p->mj->mj_crb(p->m, p->d);
  p->mj->mj_comVel(p->m, p->d);
  hf_dynamics_set_position(p->w.d, p->w.q, NULL);
  hf_dynamics_set_velocity(p->w.d, p->w.v);
  hf_dynamics_update_mass_matrix(p->w.d);
  hf_dynamics_update_bias(p->w.d);
}

static void compare_poses(Pair* p) {
  const double zero[3] = {0, 0, 0}, identity[4] = {1, 0, 0, 0};
  for (int b = 0; b < p->w.model->nbody; ++b) {
    double pos[3], mat[9];
    p->mj->mj_local2Global(p->d, pos, mat, zero, identity, b, 0);
    hfPose X = hf_dynamics_body_pose(p->w.d, b);
    assert_vec_near(X.p, v3_load(pos), ROUNDING);
    for (int i = 0; i < 9; ++i) assert_near(X.R.m[i], mat[i], ROUNDING);
  }
}

static void compare_jacobian(Pair* p, testRandom* r) {
  int nv = p->w.model->nv, body = random_int(r, p->w.model->nbody);
  double J[6 * MAX_DOF], linear[3 * MAX_DOF], angular[3 * MAX_DOF], point[3];
  for (int i = 0; i < 3; ++i) point[i] = random_uniform(r, -1, 1);
  hf_dynamics_jacobian(p->w.d, body, v3_load(point), J);
  p->mj->mj_jac(p->m, p->d, linear, angular, point, body);
  for (int i = 0; i < 3 * nv; ++i) assert_near(J[i], angular[i], ROUNDING);
  for (int i = 0; i < 3 * nv; ++i) assert_near(J[3 * nv + i], linear[i], ROUNDING);
}

static void compare_M_and_bias(Pair* p) {
  int nv = p->w.model->nv;
  double unit[MAX_DOF] = {0}, want[MAX_DOF], got[MAX_DOF], bias[MAX_DOF];
  double scale = largest(hf_dynamics_mass_matrix(p->w.d), p->w.model->nM);
  for (int j = 0; j < nv; ++j) {
    unit[j] = 1;
    p->mj->mj_mulM(p->m, p->d, want, unit);
    hf_dynamics_multiply(p->w.d, unit, got);
    for (int i = 0; i < nv; ++i) assert_near(got[i], want[i], ROUNDING * scale);
    unit[j] = 0;
  }
  p->mj->mj_rne(p->m, p->d, 0, bias);
  for (int i = 0; i < nv; ++i) assert_near(hf_dynamics_bias(p->w.d)[i], bias[i], ROUNDING * largest(bias, nv));
}

static void compare_steps(Pair* p) {
  double ours[MAX_DOF + 16], theirs[MAX_DOF + 16], v[MAX_DOF], want[MAX_DOF];
  const double h = 0.3;
  memcpy(ours, p->w.q, sizeof ours);
  memcpy(theirs, p->w.q, sizeof theirs);
  hf_model_integrate(p->w.model, ours, p->w.v, h);
  p->mj->mj_integratePos(p->m, theirs, p->w.v, h);
  for (int i = 0; i < p->w.model->nq; ++i) assert_near(ours[i], theirs[i], ROUNDING);
  hf_model_difference(p->w.model, p->w.q, ours, h, v);
  p->mj->mj_differentiatePos(p->m, want, h, p->w.q, theirs);
  for (int i = 0; i < p->w.model->nv; ++i) assert_near(v[i], want[i], 10 * ROUNDING); // divided by h
}

static void compare_model(PeerMujoco* mj, testRandom* r) {
  Writer text = {.text = malloc(TEXT_SIZE), .r = r};
  hfModel* model = NULL;
  hfError error;
  write_model(&text);
  if (hf_model_parse(&model, text.text, (size_t)text.used, "random", ".", NULL, NULL, &error) != HF_OK) fail_msg("%s", error.message);
  Pair p = {.mj = mj, .m = load_peer(mj, &text), .w = world_make(model)};
  p.d = mj->mj_makeData(p.m);
  assert_int_equal(mj->mj_stateSize(p.m, MUJOCO_STATE_QPOS), model->nq);
  for (int k = 0; k < 5; ++k) {
    random_tree_state(r, model, p.w.q, p.w.v);
    compute_both(&p);
    compare_poses(&p);
    compare_jacobian(&p, r);
    compare_M_and_bias(&p);
    compare_steps(&p);
  }
  mj->mj_deleteData(p.d);
  mj->mj_deleteModel(p.m);
  world_free(&p.w);
  free(text.text);
}

static void test_random_trees(void** state) {
  (void)state;
  PeerMujoco mj;
  if (peer_mujoco_open(&mj) != 0) skip();
  for (int i = 0; i < MODELS; ++i) {
    testRandom r = {SEED + (uint64_t)i};
    print_message("seed %llu\n", (unsigned long long)r.state);
    compare_model(&mj, &r);
  }
  peer_mujoco_close(&mj);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_trees)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
