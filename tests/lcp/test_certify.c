// Rank, boundary-layer stability and the certificate of the rigid model.
#include "support/cmocka_all.h"

#include "random_lcp.h"
#include "support/near.h"

#include <string.h>

enum { ROWS = 12 };

#include "certificate_work.h"

// G H, G (m x rank) and H (rank x n) random: rank min(m, n, rank), rows and columns in units that differ
// by six decades each.
static void test_rank_of_products(void** state) {
  Fixture* f = *state;
  testRandom r = {test_seed()};
  print_message("seed %llu (HF_SEED)\n", (unsigned long long)r.state);
  for (int trial = 0; trial < 2000; ++trial) {
    int32_t m = random_between(&r, 1, ROWS), n = random_between(&r, 1, ROWS), least = m < n ? m : n;
    int32_t rank = random_between(&r, 0, least);
    double A[ROWS * ROWS] = {0}, margin;
    for (int32_t k = 0; k < rank; ++k) {
      double g[ROWS], h[ROWS];
      for (int32_t i = 0; i < m; ++i) g[i] = random_normal(&r);
      for (int32_t j = 0; j < n; ++j) h[j] = random_normal(&r);
      for (int32_t i = 0; i < m; ++i)
        for (int32_t j = 0; j < n; ++j) A[i * n + j] += g[i] * h[j];
    }
    for (int32_t i = 0; i < m; ++i) {
      double e = random_log(&r, 1e-3, 1e3);
      for (int32_t j = 0; j < n; ++j) A[i * n + j] *= e;
    }
    for (int32_t j = 0; j < n; ++j) {
      double d = random_log(&r, 1e-3, 1e3);
      for (int32_t i = 0; i < m; ++i) A[i * n + j] *= d;
    }
    assert_int_equal(hf_matrix_rank(m, n, A, &margin, f->work, f->size), rank);
    if (rank == least) assert_above(margin, 1e-9); // a condition of 1e9 has a probability near 1e-8 (Edelman 1988)
    else assert_below(margin, 1e-13);
  }
}

static void test_determinants(void** state) {
  Fixture* f = *state;
  const double vandermonde[] = {1, 1, 1, 1, 1, 2, 4, 8, 1, 3, 9, 27, 1, 5, 25, 125}; // 1*2*4*1*3*2 = 48
  assert_near(hf_matrix_determinant(4, vandermonde, f->work, f->size), 48, 1e-11);
  const double exchange[] = {0, 1e150, 1e-150, 0};
  assert_near(hf_matrix_determinant(2, exchange, f->work, f->size), -1, 1e-15);
  const double huge[] = {1e200, 0, 0, 1e-200}; // intermediate squares overflow unless scaled
  assert_near(hf_matrix_determinant(2, huge, f->work, f->size), 1, 1e-15);
  const double singular[] = {1, 2, 2, 4};
  assert_near(hf_matrix_determinant(2, singular, f->work, f->size), 0, 1e-15);
}

// P and unstable: a = 0.1, b = 1 breaks a (a^2 + b^2) > b^2. Abscissa from numpy's companion roots.
static void test_p_does_not_imply_stable(void** state) {
  Fixture* f = *state;
  const double A[] = {.1, 1, -1, .1}, one[] = {1, 1};
  assert_true(hf_matrix_test_p(2, A, true, f->work, f->size).is_p);
  assert_false(hf_boundary_layer_mode_stable(.1, 1, 1, 1));
  hfStabilityReport s = hf_boundary_layer_test(2, A, one, one, f->work, f->size);
  assert_int_equal(s.status, HF_OK);
  assert_false(s.stable);
  assert_near(s.abscissa, 0.5262210050185616, 1e-13);
  hfRigidCertificate c = hf_rigid_certify(2, A, NULL, one, one, f->work, f->size);
  assert_true(c.full_rank && c.rolling && c.p_matrix);
  assert_false(c.stable || c.holds);
  const double more[] = {20, 20}; // c^2 a (a^2 + b^2) = 40 > k b^2 = 1
  assert_true(hf_boundary_layer_test(2, A, one, more, f->work, f->size).stable);
  assert_true(hf_rigid_certify(2, A, NULL, one, more, f->work, f->size).holds);
}

// numpy's roots of the companion matrix, rows of unequal stiffness and damping.
static void test_unequal_rows_against_numpy(void** state) {
  Fixture* f = *state;
  const double A[] = {2, -.5, .3, .7, 1.5, -1.1, -.2, .9, 1.0}, k[] = {1e4, 3e3, 8e3}, c[] = {50, 120, 20};
  hfStabilityReport s = hf_boundary_layer_test(3, A, k, c, f->work, f->size);
  assert_true(s.stable);
  assert_near(s.abscissa, -5.445194613383373, 1e-10);
  const double B[] = {1, 3, 0, -3, 1, 0, .5, .2, 2}, weak[] = {50, 2, 20};
  s = hf_boundary_layer_test(3, B, k, weak, f->work, f->size);
  assert_false(s.stable);
  assert_near(s.abscissa, 60.701695278377926, 1e-10);
}

// Equal rows: the roots obey the inequality for every eigenvalue, and the other way round.
static void test_roots_against_inequality(void** state) {
  Fixture* f = *state;
  testRandom r = {test_seed()};
  print_message("seed %llu (HF_SEED)\n", (unsigned long long)r.state);
  int32_t stable = 0, total = 2000;
  for (int32_t trial = 0; trial < total; ++trial) {
    int32_t n = random_between(&r, 1, 5);
    double A[25], re[5], im[5], k[5], c[5], k0 = random_log(&r, 1, 1e4), c0 = sqrt(k0) * random_log(&r, 0.2, 20);
    for (int32_t i = 0; i < n * n; ++i) A[i] = random_uniform(&r, -1, 1);
    for (int32_t i = 0; i < n; ++i) A[i * n + i] += 1, k[i] = k0, c[i] = c0;
    assert_int_equal(hf_matrix_eigenvalues(n, A, re, im, f->work, f->size), HF_OK);
    bool want = true;
    for (int32_t i = 0; i < n; ++i) want = want && hf_boundary_layer_mode_stable(re[i], im[i], k0, c0);
    assert_int_equal(hf_boundary_layer_test(n, A, k, c, f->work, f->size).stable, want);
    stable += want;
  }
  print_message("%d of %d stable\n", stable, total);
  assert_in_range(stable, total / 10, total * 9 / 10);
}

// The grasp at y = 0.15 m: not P, and its negative eigenvalue -0.118905 (numpy) makes the layer unstable
// (abscissa from numpy with k = 1690 N/m, c = 53.4 N s/m).
static void test_grasp_certificate(void** state) {
  Fixture* f = *state;
  const double A[] = {0.959193,  1.11683,   -0.385403, -0.714668, 0.772148,  1.503563,  -0.754238, -0.287727,
                      -0.385403, -0.714668, 0.959193,  1.11683,   -0.754238, -0.287727, 0.772148,  1.503563};
  const double k[] = {1690, 1690, 1690, 1690}, c[] = {53.4, 53.4, 53.4, 53.4};
  hfRigidCertificate r = hf_rigid_certify(4, A, NULL, k, c, f->work, f->size);
  assert_true(r.full_rank && r.rolling);
  assert_false(r.p_matrix || r.stable || r.holds);
  assert_near(r.abscissa, 17.701602541049468, 1e-10);
}

static void test_singular_matrix_is_refused(void** state) {
  Fixture* f = *state;
  const double A[] = {1, 1, 1, 1}, one[] = {1, 1};
  hfRigidCertificate r = hf_rigid_certify(2, A, NULL, one, one, f->work, f->size);
  assert_false(r.full_rank || r.p_matrix || r.stable || r.holds);
  assert_near(r.rank_margin, 0, 1e-15);
}

// Rolling rows are equalities: their block may be indefinite, and only the Schur complement must be P.
static void test_rolling_rows(void** state) {
  Fixture* f = *state;
  const int32_t second[] = {0, 1}, both[] = {1, 1};
  const double k[] = {1, 1}, c[] = {1, 1};
  const double A[] = {1, 2, 2, -1}; // not P; Schur complement of row 2: 1 + 4 = 5
  hfRigidCertificate r = hf_rigid_certify(2, A, second, k, c, f->work, f->size);
  assert_true(r.rolling && r.p_matrix);
  assert_near(r.p_margin, 5.0 / 4, 1e-14); // scaled by a power of four to [1, 4)
  r = hf_rigid_certify(2, A, both, k, c, f->work, f->size);
  assert_true(r.rolling && r.p_matrix); // nothing left that could fail
  const double B[] = {1, 1, 1, 0}; // the rolling block is singular
  r = hf_rigid_certify(2, B, second, k, c, f->work, f->size);
  assert_true(r.full_rank);
  assert_false(r.rolling || r.p_matrix || r.holds);
}

// For random A: p_matrix iff the LCP with the rolling rows free has one solution for many random b.
static void test_rolling_certificate_against_enumeration(void** state) {
  Fixture* f = *state;
  testRandom r = {test_seed()};
  print_message("seed %llu (HF_SEED)\n", (unsigned long long)r.state);
  size_t size = hf_lcp_enumerate_work_size(HF_LCP_ENUMERATION_MAX);
  void* work = malloc(size);
  double store[256 * 4];
  hfLcpSolutions s = {.capacity = 256, .z = store};
  assert_non_null(work);
  int32_t certified = 0, refuted = 0;
  for (int32_t trial = 0; trial < 400; ++trial) {
    Problem p = make_problem(4);
    double ones[] = {1, 1, 1, 1};
    int32_t rolling[4];
    set_size(&p, 4);
    for (int32_t i = 0; i < 16; ++i) p.A[i] = random_uniform(&r, -1, 1);
    for (int32_t i = 0; i < 4; ++i) {
      p.A[i * 5] += 0.7;
      rolling[i] = i > 0 && random_chance(&r, 0.4);
      if (rolling[i]) p.lo[i] = -INFINITY;
    }
    hfRigidCertificate c = hf_rigid_certify(4, p.A, rolling, ones, ones, f->work, f->size);
    bool always_one = true;
    for (int32_t k = 0; k < 60; ++k) {
      fill_b(&r, &p);
      hf_lcp_enumerate(&p.lcp, &s, work, size, NULL);
      always_one = always_one && s.count == 1;
    }
    if (c.p_matrix) assert_true(always_one);
    certified += c.p_matrix;
    refuted += !always_one;
    free_problem(&p);
  }
  print_message("%d certified, %d refuted by 60 right-hand sides, of 400\n", certified, refuted);
  // The cone of b without exactly one solution is small when P is lost narrowly: few go unseen.
  assert_above(certified, 50);
  assert_above(refuted, 50);
  assert_below(400 - certified - refuted, 20);
  free(work);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_rank_of_products, setup, teardown),
      cmocka_unit_test_setup_teardown(test_determinants, setup, teardown),
      cmocka_unit_test_setup_teardown(test_p_does_not_imply_stable, setup, teardown),
      cmocka_unit_test_setup_teardown(test_unequal_rows_against_numpy, setup, teardown),
      cmocka_unit_test_setup_teardown(test_roots_against_inequality, setup, teardown),
      cmocka_unit_test_setup_teardown(test_grasp_certificate, setup, teardown),
      cmocka_unit_test_setup_teardown(test_singular_matrix_is_refused, setup, teardown),
      cmocka_unit_test_setup_teardown(test_rolling_rows, setup, teardown),
      cmocka_unit_test_setup_teardown(test_rolling_certificate_against_enumeration, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
