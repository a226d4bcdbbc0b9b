// The rigid problem: the published planar grasp, and its certificate along the plan.
#include "planar.h"
#include "support/sim_world.h"
#include <holdfast/accel_problem.h>
#include <holdfast/rigid.h>

typedef struct Bench {
  hfModel* model;
  hfRigid* rigid;
} Bench;

static Bench bench(const char* xml, const hfRigidConfig* config) {
  Bench b = {.model = parse_model(xml)};
  hfError error = {HF_OK, ""};
  hfRigidConfig standard = hf_rigid_config_default();
  if (hf_rigid_create(&b.rigid, b.model, config ? config : &standard, &error) != HF_OK)
    fail_msg("%s", error.message);
  return b;
}

static void bench_free(Bench* b) {
  hf_rigid_free(b->rigid);
  hf_model_free(b->model);
}

static const hfRigidProblem* planar_problem(const Bench* b, double y, double ydot) {
  double q[7], v[7];
  const hfRigidProblem* p = NULL;
  hfError error = {HF_OK, ""};
  planar_configuration(y, q);
  planar_velocity(y, v);
  for (int i = 0; i < 7; ++i) v[i] *= ydot;
  hfStatus status = hf_rigid_evaluate(b->rigid, 0, q, v, NULL, NULL, NULL, 0, &p, &error);
  if (status != HF_OK) fail_msg("%d %s", status, error.message);
  return p;
}

// facts of the published mechanism at y = 0.15 m, moving up: six printed digits
static const double REFERENCE_A[16] = {
    0.959193,  1.11683,   -0.385403, -0.714668, 0.772148,  1.503563,  -0.754238, -0.287727,
    -0.385403, -0.714668, 0.959193,  1.11683,   -0.754238, -0.287727, 0.772148,  1.503563};
static const double REFERENCE_WN[28] = {
    -0.764988, 0.644044,  0.037996,  -0.120542, 0,         0,        0,
    -0.732066, -0.681234, -0.039014, -0.104858, -0.080602, 0,        0,
    0.764988,  0.644044,  -0.037996, 0,         0,         0.120542, 0,
    0.732066,  -0.681234, 0.039014,  0,         0,         0.104858, 0.080602};

static void test_planar_reference(void** state) {
  (void)state;
  Bench b = bench(PLANAR_GRASP, NULL);
  const hfRigidProblem* p = planar_problem(&b, 0.15, 0.09);
  assert_int_equal(p->ncontact, 4);
  assert_int_equal(p->nS, 4);
  assert_int_equal(p->nR, 0);
  double worst = 0, worst_W = 0;
  for (int i = 0; i < 16; ++i) worst = fmax(worst, fabs(p->A[i] - REFERENCE_A[i]));
  for (int i = 0; i < 28; ++i)
    worst_W = fmax(worst_W, fabs(fabs(p->W_N[i]) - fabs(REFERENCE_WN[i])));
  print_message("A differs by %.2g, W_N by %.2g\n", worst, worst_W);
  assert_below(worst, 1e-6); // printed digits
  assert_below(worst_W, 1e-6);
  assert_false(p->certificate.p_matrix);
  assert_true(p->certificate.full_rank);
  bench_free(&b);
}

// P fails exactly for y in [0.142829, 0.162540] on the way up
static void test_planar_interval(void** state) {
  (void)state;
  Bench b = bench(PLANAR_GRASP, NULL);
  double first = 0, last = 0;
  for (int i = 0; i <= 600; ++i) {
    double y = 0.12 + 1e-4 * i;
    if (planar_problem(&b, y, 0.09)->certificate.p_matrix) continue;
    if (first == 0) first = y;
    last = y;
  }
  print_message("no P-matrix from %.4f to %.4f m\n", first, last);
  assert_at_most(fabs(first - 0.142829), 1e-4); // the grid
  assert_at_most(fabs(last - 0.162540), 1e-4);
  bench_free(&b);
}

// ---- every split into rolling and sliding contacts ---------------------------------------------------

// The acceleration problem of the same model, contacts within the same reach.
static hfAccel* make_accel(const Bench* b, double reach) {
  hfAccel* accel = NULL;
  hfAccelConfig config = hf_accel_config_default();
  config.reach = reach;
  assert_int_equal(hf_accel_create(&accel, b->model, &config, NULL), HF_OK);
  return accel;
}

// Dense symmetric solve in place by Gauss elimination with pivoting: an oracle of its own.
static void gauss(int n, double* A, double* b) {
  for (int k = 0; k < n; ++k) {
    int best = k;
    for (int i = k + 1; i < n; ++i)
      if (fabs(A[i * n + k]) > fabs(A[best * n + k])) best = i;
    for (int j = 0; j < n; ++j) {
      double t = A[k * n + j];
      A[k * n + j] = A[best * n + j];
      A[best * n + j] = t;
    }
    double t = b[k];
    b[k] = b[best];
    b[best] = t;
    for (int i = k + 1; i < n; ++i) {
      double f = A[i * n + k] / A[k * n + k];
      for (int j = k; j < n; ++j) A[i * n + j] -= f * A[k * n + j];
      b[i] -= f * b[k];
    }
  }
  for (int k = n - 1; k >= 0; --k) {
    for (int j = k + 1; j < n; ++j) b[k] -= A[k * n + j] * b[j];
    b[k] /= A[k * n + k];
  }
}

// The four contacts of the planar grasp, of which `mask` has those that roll; the others slide upwards.
static void choose_modes(const hfModel* m, int mask, hfRigidChoice choice[4]) {
  static const char* const links[4] = {"link1", "link2", "link3", "link4"};
  int ellipse = hf_model_find(m, HF_OBJECT_GEOM, "ellipse");
  for (int i = 0; i < 4; ++i)
    choice[i] = (hfRigidChoice){ellipse, hf_model_find(m, HF_OBJECT_GEOM, links[i]), mask >> i & 1 ? HF_MODE_ROLLING : HF_MODE_SLIDING, {0, 1, 0}};
}

// vdot of M vdot = tau + W f with the forces f of the problem, by dense elimination.
static void accelerate(const hfAccelProblem* a, const hfRigidProblem* p, double vdot[7]) {
  double M[49];
  memcpy(M, a->M, sizeof M);
  memcpy(vdot, a->tau, 7 * sizeof *vdot);
  for (int i = 0; i < 4; ++i)
    for (int k = 0; k < 7; ++k)
      for (int row = 0; row < 3; ++row) {
        const hfAccelContact* c = &a->contact[i];
        const hfRigidContact* r = &p->contact[i];
        hfVec3 axis = row == 0 ? c->n_W : row == 1 ? c->t1_W : c->t2_W;
        double along = row == 0 ? r->fn : r->ft_W.x * axis.x + r->ft_W.y * axis.y + r->ft_W.z * axis.z;
        vdot[k] += a->J[(c->row + row) * 7 + k] * along;
      }
  gauss(7, M, vdot);
}

// Rolling rows do not accelerate, pressed normals do not either, and friction of sliding contacts is at its bound.
static void check_contact(const hfRigidProblem* p, int i, const double vdot[7], double tolerance) {
  static const double mu[2] = {0.8, 0.6};
  const hfRigidContact* r = &p->contact[i];
  double normal = 0, tangent = 0, ft = sqrt(r->ft_W.x * r->ft_W.x + r->ft_W.y * r->ft_W.y);
  for (int k = 0; k < 7; ++k) normal += p->W_N[i * 7 + k] * vdot[k], tangent += p->W_T[2 * i * 7 + k] * vdot[k];
  assert_at_least(r->fn, 0);
  assert_at_least(normal, -tolerance);
  if (r->fn > 1e-6) assert_below(fabs(normal), tolerance);
  if (r->mode == HF_MODE_ROLLING)
    assert_below(fabs(tangent), tolerance);
  else
    assert_true(fabs(ft - r->mu * r->fn) < 1e-12 * (1 + r->fn) && (r->mu == mu[0] || r->mu == mu[1]));
}

// All 16 splits into rolling and sliding contacts; nR = 4 has 8 rows in 7 dofs.
static void test_splits(void** state) {
  (void)state;
  hfRigidConfig config = hf_rigid_config_default();
  config.stabilisation = 0;
  Bench b = bench(PLANAR_GRASP, &config);
  hfAccel* accel = make_accel(&b, config.reach);
  hfError error = {HF_OK, ""};
  double q[7], v[7] = {0}, force[7] = {0, 0, 0, 0.1, 0.05, -0.1, -0.05};
  hfInput input = {.force = force};
  int solved = 0;
  planar_configuration(0.13, q);
  for (int mask = 0; mask < 16; ++mask) {
    int nR = (mask & 1) + (mask >> 1 & 1) + (mask >> 2 & 1) + (mask >> 3 & 1);
    hfRigidChoice choice[4];
    choose_modes(b.model, mask, choice);
    const hfRigidProblem* p = NULL;
    assert_int_equal(hf_rigid_evaluate(b.rigid, 0, q, v, NULL, &input, choice, 4, &p, &error), HF_OK);
    assert_int_equal(p->nR, nR);
    assert_int_equal(p->nS, 4 - nR);
    assert_int_equal(p->n, 4 + nR); // one tangential row each: the other is out of the plane
    assert_int_equal(p->certificate.full_rank, nR < 4);
    if (p->lcp.status != HF_OK) continue;
    ++solved;
    hf_accel_begin(accel, NULL, &input);
    double vdot[7], tolerance = nR < 4 ? 1e-8 : 1e-3; // rounding; with dependent rows 1e-6 of the diagonal is added to A
    accelerate(hf_accel_problem(accel, 0, q, v, NULL), p, vdot);
    for (int k = 0; k < 7; ++k) assert_below(fabs(vdot[k] - p->vdot[k]), tolerance);
    for (int i = 0; i < 4; ++i) check_contact(p, i, vdot, tolerance);
  }
  print_message("%d of 16 splits have a solution\n", solved);
  assert_at_least(solved, 12);
  hf_accel_free(accel);
  bench_free(&b);
}

// Against enumeration: where the certificate holds there is one solution, and it is this one.
static void test_enumeration(void** state) {
  (void)state;
  hfRigidConfig config = hf_rigid_config_default();
  Bench b = bench(PLANAR_GRASP, &config);
  int certified = 0;
  for (int i = 0; i < 60; ++i) {
    double q[7], v[7], force[7], y = 0.12 + 1e-3 * i, work[4096], z[40];
    hfInput input = {.force = force};
    hfError error = {HF_OK, ""};
    const hfRigidProblem* p = NULL;
    planar_configuration(y, q);
    planar_velocity(y, v);
    for (int k = 0; k < 7; ++k) v[k] *= 0.09, force[k] = 0.3 * sin(3.7 * i + 1.3 * k);
    assert_int_equal(hf_rigid_evaluate(b.rigid, 0, q, v, NULL, &input, NULL, 0, &p, &error), HF_OK);
    hfLcp lcp = {p->n, p->A, p->b, NULL, NULL};
    hfLcpSolutions found = {.capacity = 10, .z = z};
    assert_at_most(hf_lcp_enumerate_work_size(p->n), sizeof work);
    hfStatus status = hf_lcp_enumerate(&lcp, &found, work, sizeof work, &error);
    if (!p->certificate.p_matrix) continue;
    ++certified;
    assert_int_equal(status, HF_OK);
    assert_int_equal(found.count, 1);
    for (int k = 0; k < p->n; ++k) assert_below(fabs(p->x[k] - z[k]), 1e-9 * (1 + fabs(z[k])));
  }
  assert_above(certified, 30);
  bench_free(&b);
}

// A contact that slips or parts more slowly than stick_speed rolls; one that parts faster is separated.
static void test_stick_speed(void** state) {
  (void)state;
  static const char ball[] =
      "<mujoco><worldbody><geom type='plane' size='0 0 1'/><body pos='0 0 0.1'><joint type='slide' axis='1 0 0'/>"
      "<joint type='slide' axis='0 0 1'/><geom type='sphere' size='0.1' mass='1'/></body></worldbody></mujoco>";
  static const struct {
    double slip, vn;
    int mode;
  } cases[] = {{0.09, 0, HF_MODE_ROLLING}, {0.11, 0, HF_MODE_SLIDING}, {0, 0.09, HF_MODE_ROLLING},
               {0, 0.11, HF_MODE_SEPARATED}};
  hfRigidConfig config = hf_rigid_config_default();
  config.stick_speed = 0.1;
  Bench b = bench(ball, &config);
  for (int i = 0; i < 4; ++i) {
    double q[2] = {0, 0}, v[2] = {cases[i].slip, cases[i].vn};
    const hfRigidProblem* p = NULL;
    assert_int_equal(hf_rigid_evaluate(b.rigid, 0, q, v, NULL, NULL, NULL, 0, &p, NULL), HF_OK);
    assert_int_equal(p->ncontact, 1);
    assert_int_equal(p->contact[0].mode, cases[i].mode);
  }
  bench_free(&b);
}

// An equality in the way: A of a block that a connect holds, against the KKT matrix solved densely.
static void test_equality(void** state) {
  (void)state;
  static const char tied[] =
      "<mujoco><option gravity='0 0 -10'/><worldbody><geom type='plane' size='0 0 1' "
      "friction='0.5'/>"
      "<body name='bar' pos='0 0 0.1'><freejoint/><geom type='sphere' size='0.1' mass='1'/><geom "
      "type='sphere' pos='0.5 0 0' size='0.05' mass='1'/></body>"
      "<body name='post' pos='0.5 0 0.1'><joint axis='0 1 0'/><geom type='sphere' size='0.02' "
      "mass='0.3' contype='0' conaffinity='0'/></body></worldbody>"
      "<equality><connect body1='bar' body2='post' anchor='0.5 0 0'/></equality></mujoco>";
  hfRigidConfig config = hf_rigid_config_default();
  Bench b = bench(tied, &config);
  hfAccel* accel = make_accel(&b, config.reach);
  hfError error = {HF_OK, ""};
  const double *q = hf_model_qpos0(b.model), v[7] = {0.3, 0.1, 0, 0, 0, 0, 0};
  const hfRigidProblem* p = NULL;
  assert_int_equal(hf_rigid_evaluate(b.rigid, 0, q, v, NULL, NULL, NULL, 0, &p, &error), HF_OK);
  assert_int_equal(p->n, 1);
  hf_accel_begin(accel, NULL, NULL);
  const hfAccelProblem* a = hf_accel_problem(accel, 0, q, v, NULL);
  int n = a->nv + a->nequality;
  double K[100] = {0}, x[10] = {0}, A = 0;
  assert_int_equal(n, 10);
  for (int i = 0; i < 7; ++i) {
    for (int j = 0; j < 7; ++j) K[i * n + j] = a->M[i * 7 + j];
    for (int e = 0; e < 3; ++e)
      K[i * n + 7 + e] = -a->Je[e * 7 + i], K[(7 + e) * n + i] = a->Je[e * 7 + i];
    x[i] = p->W_N[i] - p->contact[0].mu * p->W_T[i];
  }
  gauss(n, K, x);
  for (int i = 0; i < 7; ++i) A += p->W_N[i] * x[i];
  print_message("A = %.12g, dense KKT %.12g\n", p->A[0], A);
  assert_below(fabs(A - p->A[0]), 1e-9); // equalities are solved with 1e-12 of their diagonal
  hf_accel_free(accel);
  bench_free(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_planar_reference), cmocka_unit_test(test_planar_interval),
      cmocka_unit_test(test_splits), cmocka_unit_test(test_enumeration),
      cmocka_unit_test(test_equality), cmocka_unit_test(test_stick_speed)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
