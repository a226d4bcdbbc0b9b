// The planar grasp of models/planar_grasp.xml: geometry, Jacobians, inertia and the matrix A of Eq. (12)
// of the switching paper, and where along the plan of example 2 A is a P-matrix.
//
//   right finger   object on the left of the link, n = (-sin t, cos t) for the link's angle t
//   left finger    mirrored, n = (sin t, -cos t)
//   tangency       n . (c - p) = h(n),  h(n)^2 = a^2 (n . e1)^2 + b^2 (n . e2)^2    (support function)
//   contact        c - (a^2 (n . e1) e1 + b^2 (n . e2) e2)/h
//
// The closed form above is the oracle of the engine's contacts; the numbers of the tables were computed
// independently of this project, from the paper's data, and checked there by differences to 1e-10.
#include "support/near.h"

#include <holdfast/holdfast.h>
#include <holdfast/accel_problem.h>
#include <holdfast/lcp.h>
#include <math.h>
#include <string.h>

enum { NV = 7, CONTACTS = 4 };
static const double MAJOR = 0.15, MINOR = 0.11, LINK = 0.2, BASE = 0.05; // semi-axes, lengths [m]
static const double PRESS =
    1e-12; // overlap in which contacts are looked at: without one there are none [m]
static const double PI = 3.14159265358979323846;

// ---- oracle -----------------------------------------------------------------------------------------

typedef struct touch {
  double angle;      // of the link [rad]
  double p[2], n[2]; // contact point and normal into the object
} touch;

static double support(const double c[2], double phi, const double p[2], double side, double angle,
                      touch* t) {
  const double n[2] = {-side * sin(angle), side * cos(angle)}, e1[2] = {cos(phi), sin(phi)},
               e2[2] = {-sin(phi), cos(phi)};
  double u = MAJOR * (n[0] * e1[0] + n[1] * e1[1]), w = MINOR * (n[0] * e2[0] + n[1] * e2[1]);
  double h = sqrt(u * u + w * w);
  if (t) {
    t->angle = angle;
    for (int i = 0; i < 2; ++i) {
      t->n[i] = n[i];
      t->p[i] = c[i] - (MAJOR * u * e1[i] + MINOR * w * e2[i]) / h;
    }
  }
  return n[0] * (c[0] - p[0]) + n[1] * (c[1] - p[1]) - h + PRESS;
}

// Tangent from p that has the object on its side, near `angle`: Newton with differences.
static touch find_tangent(const double c[2], double phi, const double p[2], double side,
                          double angle) {
  touch t;
  for (int i = 0; i < 40; ++i) {
    double slope = (support(c, phi, p, side, angle + 1e-6, NULL) -
                    support(c, phi, p, side, angle - 1e-6, NULL)) /
                   2e-6;
    angle -= support(c, phi, p, side, angle, NULL) / slope;
  }
  assert_near(support(c, phi, p, side, angle, &t), 0, 1e-15);
  return t;
}

// Configuration (7) in which all four links touch the object at (0, y), turned by phi; they overlap by PRESS.
static void hold(double y, double phi, double* q, touch* t) {
  const double c[2] = {0, y};
  q[0] = 0, q[1] = y, q[2] = phi;
  for (int f = 0; f < 2; ++f) {
    double side = f ? -1 : 1, base[2] = {side * BASE, 0};
    t[2 * f] = find_tangent(c, phi, base, side, f ? PI - 0.7 : 0.7);
    double joint[2] = {base[0] + LINK * cos(t[2 * f].angle), LINK * sin(t[2 * f].angle)};
    t[2 * f + 1] = find_tangent(c, phi, joint, side, t[2 * f].angle + side * 1.4);
    q[3 + 2 * f] = t[2 * f].angle;
    q[4 + 2 * f] = t[2 * f + 1].angle - t[2 * f].angle;
  }
}

// ---- the engine at a configuration ------------------------------------------------------------------

typedef struct grasp {
  hfModel* model;
  hfAccel* accel;
  double WN[CONTACTS][NV], WT[CONTACTS][NV], M[NV * NV]; // rows of W_N^T, W_T^T
  double p[CONTACTS][3], n[CONTACTS][3], depth[CONTACTS];
} grasp;

static int open_grasp(void** state) {
  static grasp g;
  hfError error = {HF_OK, ""};
  hfAccelConfig config = hf_accel_config_default();
  config.max_contacts = 8;
  if (hf_model_load(&g.model, HF_SOURCE_DIR "/models/planar_grasp.xml", NULL, NULL, &error) < 0 ||
      hf_accel_create(&g.accel, g.model, &config, &error) < 0)
    fail_msg("%s", error.message);
  *state = &g;
  return 0;
}

static int close_grasp(void** state) {
  grasp* g = *state;
  hf_accel_free(g->accel);
  hf_model_free(g->model);
  return 0;
}

static void evaluate(grasp* g, const double* q) {
  static const char* const links[CONTACTS] = {"link1", "link2", "link3", "link4"};
  const double rest[NV] = {0};
  hf_accel_begin(g->accel, NULL, NULL);
  const hfAccelProblem* a = hf_accel_problem(g->accel, 0, q, rest, NULL);
  assert_non_null(a);
  assert_int_equal(a->ncontact, CONTACTS);
  memcpy(g->M, a->M, sizeof g->M);
  for (int i = 0; i < CONTACTS; ++i) {
    const hfAccelContact* c = &a->contact[i];
    const double* J = a->J + (size_t)(c->row * NV);
    assert_int_equal(c->geom_a, hf_model_find(g->model, HF_OBJECT_GEOM, "object"));
    assert_int_equal(c->geom_b, hf_model_find(g->model, HF_OBJECT_GEOM, links[i]));
    const double T[3] = {c->n_W.y, -c->n_W.x, 0}; // the tables' tangent
    double t1 = c->t1_W.x * T[0] + c->t1_W.y * T[1], t2 = c->t2_W.x * T[0] + c->t2_W.y * T[1];
    for (int k = 0; k < NV; ++k) {
      g->WN[i][k] = J[k];
      g->WT[i][k] = t1 * J[NV + k] + t2 * J[2 * NV + k];
    }
    g->depth[i] = c->law.depth;
    g->p[i][0] = c->p_W.x, g->p[i][1] = c->p_W.y, g->p[i][2] = c->p_W.z;
    g->n[i][0] = c->n_W.x, g->n[i][1] = c->n_W.y, g->n[i][2] = c->n_W.z;
  }
}

// Slip speeds for ydot = 1 with all contacts kept: fingers follow from W_N^T v = 0, which is triangular
// within a finger.
static void slip_speeds(const grasp* g, double* vT) {
  double v[NV] = {0, 1, 0};
  for (int i = 0; i < CONTACTS; ++i) {
    double sum = 0;
    for (int k = 0; k < NV; ++k)
      if (k != 3 + i) sum += g->WN[i][k] * v[k];
    v[3 + i] = -sum / g->WN[i][3 + i];
  }
  for (int i = 0; i < CONTACTS; ++i) {
    vT[i] = 0;
    for (int k = 0; k < NV; ++k) vT[i] += g->WT[i][k] * v[k];
  }
}

// x <- M^-1 x: the object's part is diagonal, a finger's 2 x 2.
static void solve_mass(const double* M, double* x) {
  for (int k = 0; k < 3; ++k) x[k] /= M[k * NV + k];
  for (int k = 3; k < NV; k += 2) {
    double a = M[k * NV + k], b = M[k * NV + k + 1], d = M[(k + 1) * NV + k + 1],
           det = a * d - b * b;
    double x0 = (d * x[k] - b * x[k + 1]) / det, x1 = (a * x[k + 1] - b * x[k]) / det;
    x[k] = x0, x[k + 1] = x1;
  }
}

// A = W_N^T M^-1 (W_N - W_T mu sign(v_T))
static void contact_matrix(const grasp* g, const double* mu, const double* vT, double* A) {
  for (int j = 0; j < CONTACTS; ++j) {
    double w[NV];
    for (int k = 0; k < NV; ++k) w[k] = g->WN[j][k] - mu[j] * copysign(1, vT[j]) * g->WT[j][k];
    solve_mass(g->M, w);
    for (int i = 0; i < CONTACTS; ++i) {
      A[i * CONTACTS + j] = 0;
      for (int k = 0; k < NV; ++k) A[i * CONTACTS + j] += g->WN[i][k] * w[k];
    }
  }
}

static const double FRICTION[CONTACTS] = {0.8, 0.6, 0.8, 0.6};

static int is_p_at(grasp* g, double y) {
  double q[NV], A[CONTACTS * CONTACTS], vT[CONTACTS];
  char work[4096];
  touch t[CONTACTS];
  hold(y, 0, q, t);
  evaluate(g, q);
  slip_speeds(g, vT);
  contact_matrix(g, FRICTION, vT, A);
  assert_at_most(hf_certificate_work_size(CONTACTS), sizeof work);
  return hf_matrix_test_p(CONTACTS, A, 1, work, sizeof work).is_p;
}

// ---- tests ------------------------------------------------------------------------------------------

static void assert_touches(grasp* g, double y, double phi) {
  double q[NV];
  touch t[CONTACTS];
  hold(y, phi, q, t);
  evaluate(g, q);
  for (int i = 0; i < CONTACTS; ++i) { // rounding of the pair function and of the tangent's angle
    assert_near(g->depth[i], PRESS, 1e-15);
    for (int k = 0; k < 2; ++k) {
      assert_near(g->p[i][k], t[i].p[k], 1e-12);
      assert_near(g->n[i][k], t[i].n[k], 1e-12);
    }
    assert_near(g->p[i][2], 0, 1e-15);
    assert_near(g->n[i][2], 0, 1e-15);
  }
}

static void test_links_touch_the_ellipse_where_tangents_do(void** state) {
  for (int i = 0; i <= 12; ++i) assert_touches(*state, 0.12 + 0.005 * i, 0);
  for (int i = 0; i <= 8; ++i) assert_touches(*state, 0.12, (-20 + 5 * i) * PI / 180);
}

typedef struct pose {
  double y, phi, theta[4]; // [m], [deg]: angle of the major axis, joint angles
} pose;

static void test_joint_angles_of_the_tables(void** state) {
  (void)state;
  static const pose table[] = {
      {0.120, 0, {36.9713, 106.260, 143.029, -106.260}},
      {0.150, 0, {49.906, 83.034, 130.094, -83.034}},
      {0.180, 0, {57.229, 51.066, 122.771, -51.066}},
      {0.120, -20, {22.7933, 118.066, 133.611, -92.8605}},
      {0.150, -20, {43.6741, 96.6018, 123.975, -62.9991}},
      {0.150, 20, {56.025, 62.999, 136.326, -96.602}},
  };
  for (size_t k = 0; k < sizeof table / sizeof *table; ++k) {
    double q[NV];
    touch t[CONTACTS];
    hold(table[k].y, table[k].phi * PI / 180, q, t);
    for (int i = 0; i < 4; ++i) // as printed: three decimals
      assert_near(q[3 + i] * 180 / PI, table[k].theta[i], 6e-4);
  }
}

static const double REFERENCE_WN[CONTACTS][NV] = {
    {-0.764988, 0.644044, 0.037996, -0.120542, 0, 0, 0},
    {-0.732066, -0.681234, -0.039014, -0.104858, -0.080602, 0, 0},
    {0.764988, 0.644044, -0.037996, 0, 0, 0.120542, 0},
    {0.732066, -0.681234, 0.039014, 0, 0, 0.104858, 0.080602}};
static const double REFERENCE_WT[CONTACTS][NV] = {
    {0.644044, 0.764988, 0.134856, 0, 0, 0, 0},
    {-0.681234, 0.732066, 0.132942, -0.198524, 0, 0, 0},
    {0.644044, -0.764988, 0.134856, 0, 0, 0, 0},
    {-0.681234, -0.732066, 0.132942, 0, 0, -0.198524, 0}};
static const double REFERENCE_A[CONTACTS * CONTACTS] = {
    0.959193,  1.11683,   -0.385403, -0.714668, 0.772148,  1.503563,  -0.754238, -0.287727,
    -0.385403, -0.714668, 0.959193,  1.11683,   -0.754238, -0.287727, 0.772148,  1.503563};

static void test_matrices_at_the_middle(void** state) {
  grasp* g = *state;
  double q[NV], A[CONTACTS * CONTACTS], vT[CONTACTS];
  char work[4096];
  touch t[CONTACTS];
  hold(0.15, 0, q, t);
  evaluate(g, q);
  for (int i = 0; i < CONTACTS; ++i)
    for (int k = 0; k < NV; ++k) {
      assert_near(g->WN[i][k], REFERENCE_WN[i][k], 1e-6);
      assert_near(g->WT[i][k], REFERENCE_WT[i][k], 1e-6);
    }
  const double object[3] = {1.69, 1.69, 0.0146};
  for (int k = 0; k < 3; ++k) assert_near(g->M[k * NV + k], object[k], 1e-12);
  for (int k = 3; k < NV; k += 2) {
    assert_near(g->M[k * NV + k], 0.035766, 1e-6);
    assert_near(g->M[k * NV + k + 1], 0.007883, 1e-6);
    assert_near(g->M[(k + 1) * NV + k + 1], 0.00667, 1e-6);
  }
  slip_speeds(g, vT);
  contact_matrix(g, FRICTION, vT, A);
  for (int i = 0; i < CONTACTS * CONTACTS; ++i) assert_near(A[i], REFERENCE_A[i], 1e-6);
  assert_near(hf_matrix_determinant(CONTACTS, A, work, sizeof work), -0.26720403888650235, 1e-8);
}

// Bisects for the height at which the P property changes between lo and hi.
static double find_change(grasp* g, double lo, double hi) {
  int at_lo = is_p_at(g, lo);
  assert_int_not_equal(at_lo, is_p_at(g, hi));
  while (hi - lo > 1e-9) {
    double y = 0.5 * (lo + hi);
    if (is_p_at(g, y) == at_lo)
      lo = y;
    else
      hi = y;
  }
  return 0.5 * (lo + hi);
}

static void test_p_fails_on_one_interval(void** state) {
  grasp* g = *state;
  const double from = 0.142829, to = 0.162540; // to the printed digits
  assert_near(find_change(g, 0.13, 0.15), from, 6e-7);
  assert_near(find_change(g, 0.15, 0.17), to, 6e-7);
  for (int i = 0; i <= 600; ++i) { // and nowhere else
    double y = 0.12 + 1e-4 * i;
    assert_int_equal(is_p_at(g, y), y < from || y > to);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_links_touch_the_ellipse_where_tangents_do),
      cmocka_unit_test(test_joint_angles_of_the_tables),
      cmocka_unit_test(test_matrices_at_the_middle),
      cmocka_unit_test(test_p_fails_on_one_interval),
  };
  return cmocka_run_group_tests(tests, open_grasp, close_grasp);
}
