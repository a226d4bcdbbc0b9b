// Contracts of hf_lcp_solve and hf_lcp_enumerate: statuses, limits, refusals, scaling, options.
#include "support/cmocka_all.h"

#include "random_lcp.h"
#include "support/near.h"

#include <string.h>

enum { CANARY = 0x5A, GUARD = 256 };

// Runs one method in a workspace of exactly the size asked for, with guards behind it.
static hfStatus run(const hfLcp* p, hfLcpConfig config, double* z, double* w, hfLcpReport* report) {
  size_t size = hf_lcp_work_size((hfLcpMethod)config.method, p->n);
  unsigned char* work = malloc(size + GUARD);
  assert_non_null(work);
  memset(work, CANARY, size + GUARD); // a read before a write would also see it
  hfStatus status = hf_lcp_solve(p, &config, z, w, work, size, report, NULL);
  for (int i = 0; i < GUARD; ++i) assert_int_equal(work[size + i], CANARY);
  free(work);
  return status;
}

static hfLcpConfig with_method(hfLcpMethod method) {
  hfLcpConfig c = hf_lcp_config_default();
  c.method = method;
  return c;
}

static hfLcpSolutions* enumerate(const hfLcp* p, hfStatus want) {
  static double store[64 * HF_LCP_ENUMERATION_MAX];
  static hfLcpSolutions s;
  s = (hfLcpSolutions){.capacity = 64, .z = store};
  size_t size = hf_lcp_enumerate_work_size(p->n);
  void* work = malloc(size);
  assert_non_null(work);
  assert_int_equal(hf_lcp_enumerate(p, &s, work, size, NULL), want);
  free(work);
  return &s;
}

// w = z1 + 2 z2 - 1, 2 z1 + z2 - 1 (minors 1, 1, -3): (1/3, 1/3), (1, 0), (0, 1) by hand.
static void test_enumeration_finds_all_solutions(void** state) {
  (void)state;
  const double A[] = {1, 2, 2, 1}, b[] = {-1, -1};
  hfLcp p = {2, A, b, NULL, NULL};
  hfLcpSolutions* s = enumerate(&p, HF_OK);
  assert_int_equal(s->count, 3);
  assert_false(s->continuum);
  double first = 0; // sum of z1 + 10 z2 over the three
  for (int i = 0; i < 3; ++i) first += s->z[2 * i] + 10 * s->z[2 * i + 1];
  assert_near(first, 11 + 11.0 / 3, 1e-12);
  const double minus[] = {-1}, zero[] = {0}, b1[] = {1}, bm[] = {-1}, b0[] = {0};
  hfLcp two = {1, minus, b1, NULL, NULL}; // w = 1 - z: z = 0 and z = 1
  assert_int_equal(enumerate(&two, HF_OK)->count, 2);
  hfLcp none = {1, minus, bm, NULL, NULL};
  assert_int_equal(enumerate(&none, HF_NO_SOLUTION)->count, 0);
  hfLcp ray = {1, zero, b0, NULL, NULL}; // every z >= 0
  s = enumerate(&ray, HF_OK);
  assert_true(s->continuum);
  assert_int_equal(s->count, 1);
  const double ones[] = {1, 1, 1, 1}; // z1 + z2 = 1: a segment with two corners
  hfLcp segment = {2, ones, b, NULL, NULL};
  s = enumerate(&segment, HF_OK);
  assert_true(s->continuum);
  assert_int_equal(s->count, 2);
}

// Painleve's rod (p < 0) has no solution or two: sections of the same LCP of one row.
static void test_ray_is_no_solution(void** state) {
  (void)state;
  const double A[] = {-1}, b[] = {-1};
  hfLcp p = {1, A, b, NULL, NULL};
  double z[1] = {7}, w[1];
  hfLcpReport r;
  assert_int_equal(run(&p, with_method(HF_LCP_LEMKE), z, w, &r), HF_NO_SOLUTION);
  assert_int_equal(r.status, HF_NO_SOLUTION);
  assert_true(isfinite(z[0]));
  assert_at_least(z[0], 0);
  assert_above(r.residual, 0.1);
  assert_int_equal(run(&p, with_method(HF_LCP_DANTZIG), z, w, &r), HF_NO_SOLUTION);
  assert_int_equal(run(&p, with_method(HF_LCP_GAUSS_SEIDEL), z, w, &r), HF_SINGULAR);
  assert_true(isfinite(z[0]) && isfinite(r.residual));
}

// Murty (1978): 2^n pivots for Lemke on the lower triangular matrix, 2^n - 1 for principal pivoting on
// the upper one. Both counts are reproduced, and the default limit ends them with a clear status.
static void fill_murty(Problem* p, int32_t n, bool upper) {
  set_size(p, n);
  for (int32_t i = 0; i < n; ++i) {
    p->b[i] = -1;
    for (int32_t j = 0; j < n; ++j) p->A[i * n + j] = i == j ? 1 : ((i > j) != upper ? 2 : 0);
  }
}

static void test_murty_is_exponential_and_bounded(void** state) {
  (void)state;
  Problem p = make_problem(40);
  double z[40], w[40];
  hfLcpReport r;
  for (int32_t n = 2; n <= 12; ++n) {
    hfLcpConfig lemke = with_method(HF_LCP_LEMKE), dantzig = with_method(HF_LCP_DANTZIG);
    lemke.max_pivots = dantzig.max_pivots = 1 << 13;
    fill_murty(&p, n, false);
    assert_int_equal(run(&p.lcp, lemke, z, w, &r), HF_OK);
    assert_int_equal(r.pivots, 1 << n);
    assert_near(z[0], 1, 0); // z = e_1: w_i = 2 - 1 below
    fill_murty(&p, n, true);
    assert_int_equal(run(&p.lcp, dantzig, z, w, &r), HF_OK);
    assert_int_equal(r.pivots, (1 << n) - 1);
    assert_near(z[n - 1], 1, 0);
  }
  fill_murty(&p, 40, false);
  assert_int_equal(run(&p.lcp, with_method(HF_LCP_LEMKE), z, w, &r), HF_NOT_CONVERGED);
  assert_int_equal(r.pivots, 100 + 20 * 40);
  assert_true(isfinite(r.residual));
  assert_above(r.residual, 1e-10);
  fill_murty(&p, 40, true);
  assert_int_equal(run(&p.lcp, with_method(HF_LCP_DANTZIG), z, w, &r), HF_NOT_CONVERGED);
  assert_int_equal(r.pivots, 100 + 20 * 40);
  for (int i = 0; i < 40; ++i) assert_true(isfinite(z[i]) && isfinite(w[i]));
  free_problem(&p);
}

// Murty's problems side by side, 1008 unknowns: the default limit bounds the work of all pivots, of n^2 multiplications each, to 4e9, because 100 + 20 n pivots would
// take minutes where rows are dense.
static void test_work_of_large_problems_is_bounded(void** state) {
  (void)state;
  enum { BLOCK = 12, N = 84 * BLOCK };
  Problem p = make_problem(N), block = make_problem(BLOCK);
  double *z = test_calloc(N, sizeof *z), *w = test_calloc(N, sizeof *w);
  set_size(&p, N);
  hfLcpReport r;
  fill_murty(&block, BLOCK, false);
  memset(p.A, 0, sizeof(double) * N * N);
  for (int i = 0; i < N; ++i) {
    p.b[i] = -1;
    for (int j = 0; j < BLOCK; ++j) p.A[i * N + i / BLOCK * BLOCK + j] = block.A[i % BLOCK * BLOCK + j];
  }
  assert_int_equal(run(&p.lcp, with_method(HF_LCP_LEMKE), z, w, &r), HF_NOT_CONVERGED);
  assert_int_equal(r.pivots, (int)(4e9 / N / N));
  for (int i = 0; i < N; ++i) assert_true(isfinite(z[i]));
  test_free(z), test_free(w);
  free_problem(&p), free_problem(&block);
}

// Beale's cycling example as the LCP of a linear program; the lexicographic rule must end it.
//   min -3/4 x1 + 150 x2 - 1/50 x3 + 6 x4  s.t. three rows; optimum -1/20 at x = (1/25, 0, 1, 0)
static void test_cycling_example(void** state) {
  (void)state;
  const double G[3][4] = {{.25, -60, -1. / 25, 9}, {.5, -90, -1. / 50, 3}, {0, 0, 1, 0}};
  const double h[3] = {0, 0, 1}, cost[4] = {-.75, 150, -1. / 50, 6};
  Problem p = make_problem(7);
  set_size(&p, 7);
  memset(p.A, 0, sizeof(double) * 49); // [0 G^T; -G 0], PSD
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 4; ++j) p.A[j * 7 + 4 + i] = G[i][j], p.A[(4 + i) * 7 + j] = -G[i][j];
  for (int j = 0; j < 4; ++j) p.b[j] = cost[j];
  for (int i = 0; i < 3; ++i) p.b[4 + i] = h[i];
  for (int method = HF_LCP_LEMKE; method <= HF_LCP_DANTZIG; ++method) {
    double z[7], w[7], value = 0;
    hfLcpReport r;
    assert_int_equal(run(&p.lcp, with_method((hfLcpMethod)method), z, w, &r), HF_OK);
    for (int j = 0; j < 4; ++j) value += cost[j] * z[j];
    assert_near(value, -0.05, 1e-14);
  }
  free_problem(&p);
}

// Pairs (x, y) of w = A z + b with A = [1 1; 1 1], b = -1: rank deficient, solvable, and not solvable
// with b = (-1, ..) once a row contradicts.
static void test_equality_rows(void** state) {
  (void)state;
  const double A[] = {1, 1, 1, 1}, b[] = {-1, -1}, bad[] = {-1, -2};
  const double lo[] = {-INFINITY, -INFINITY}, hi[] = {INFINITY, INFINITY};
  for (int method = HF_LCP_LEMKE; method <= HF_LCP_DANTZIG; ++method) {
    hfLcp p = {2, A, b, lo, hi};
    double z[2], w[2];
    hfLcpReport r;
    assert_int_equal(run(&p, with_method((hfLcpMethod)method), z, w, &r), HF_OK); // dependent, consistent
    assert_near(z[0] + z[1], 1, 1e-14);
    p.b = bad;
    assert_int_equal(run(&p, with_method((hfLcpMethod)method), z, w, &r), HF_NO_SOLUTION);
  }
  const double M[] = {2, -1, 1, 0}, q[] = {-4, -1}; // [M -P^T; P 0]: v = 1, tau = 2 v - 4 = -2
  hfLcp p = {2, M, q, lo, hi};
  for (int method = HF_LCP_LEMKE; method <= HF_LCP_DANTZIG; ++method) {
    double z[2], w[2];
    assert_int_equal(run(&p, with_method((hfLcpMethod)method), z, w, NULL), HF_OK);
    assert_near(z[0], 1, 1e-15);
    assert_near(z[1], -2, 1e-15);
    const double lo_limit[] = {-INFINITY, -0.5}, hi_limit[] = {INFINITY, 0.5}; // effort limit reached:
    hfLcp limited = {2, M, q, lo_limit, hi_limit};                            // v = (4 - 0.5)/2 > 1
    assert_int_equal(run(&limited, with_method((hfLcpMethod)method), z, w, NULL), HF_OK);
    assert_near(z[1], -0.5, 0);
    assert_near(z[0], 1.75, 1e-15);
    assert_near(w[1], 0.75, 1e-15);
  }
}

static void test_tikhonov_term(void** state) {
  (void)state;
  const double A[] = {0, 0, 0, 0}, b[] = {-1, 2}; // no solution without the term
  hfLcp p = {2, A, b, NULL, NULL};
  double z[2], w[2];
  hfLcpReport r;
  assert_int_equal(run(&p, with_method(HF_LCP_LEMKE), z, w, &r), HF_NO_SOLUTION);
  for (int method = HF_LCP_LEMKE; method <= HF_LCP_GAUSS_SEIDEL; ++method) {
    hfLcpConfig c = with_method((hfLcpMethod)method);
    c.tikhonov = 0.5;
    assert_int_equal(run(&p, c, z, w, &r), HF_OK);
    assert_near(z[0], 2, 1e-12);
    assert_near(w[1], 2, 1e-12);
    assert_at_most(r.residual, 1e-10);
    assert_above(r.caller_residual, 0.1); // the problem as given is not solved, and the report says so
  }
}

static void test_warm_start_and_relaxation(void** state) {
  (void)state;
  const double A[] = {4, 1, 1, 3}, b[] = {-1, -2}; // z = (1/11, 7/11)
  hfLcp p = {2, A, b, NULL, NULL};
  hfLcpConfig c = with_method(HF_LCP_GAUSS_SEIDEL);
  double z[2] = {99, 99}, w[2];
  hfLcpReport cold, warm;
  assert_int_equal(run(&p, c, z, w, &cold), HF_OK);
  assert_near(z[0], 1.0 / 11, 1e-9);
  assert_near(z[1], 7.0 / 11, 1e-9);
  c.warm_start = true;
  assert_int_equal(run(&p, c, z, w, &warm), HF_OK);
  assert_int_equal(warm.pivots, 0);
  z[0] = NAN; // a useless guess is no guess
  assert_int_equal(run(&p, c, z, w, &warm), HF_OK);
  c.max_pivots = 1;
  c.warm_start = false;
  assert_int_equal(run(&p, c, z, w, &cold), HF_NOT_CONVERGED);
  assert_int_equal(cold.pivots, 1);
  const double a = 2, c0 = -1; // One sweep from z = 0 goes the share `relaxation` of the way to z = 1/2.
  hfLcp one = {1, &a, &c0, NULL, NULL};
  c.relaxation = 0.5;
  assert_int_equal(run(&one, c, z, w, &cold), HF_NOT_CONVERGED);
  assert_near(z[0], 0.25, 1e-15);
}

// Units that differ by 1e24 between rows and columns: powers of two give the same bits, scaled.
static void test_units_do_not_matter(void** state) {
  (void)state;
  testRandom r = {test_seed()};
  print_message("seed %llu (HF_SEED)\n", (unsigned long long)r.state);
  Problem p = make_problem(6);
  for (int trial = 0; trial < 200; ++trial) {
    int e[6], d[6];
    double z[6], scaled[6], w[6];
    set_size(&p, 6);
    fill_gram(&r, &p, 6);
    add_diagonal(&p, 0.05);
    fill_b(&r, &p);
    hfLcpReport report;
    assert_int_equal(run(&p.lcp, with_method(HF_LCP_LEMKE), z, w, &report), HF_OK);
    for (int i = 0; i < 6; ++i) e[i] = random_between(&r, -40, 40), d[i] = random_between(&r, -40, 40);
    for (int i = 0; i < 6; ++i) {
      p.b[i] = ldexp(p.b[i], e[i]);
      for (int j = 0; j < 6; ++j) p.A[i * 6 + j] = ldexp(p.A[i * 6 + j], e[i] + d[j]);
    }
    assert_int_equal(run(&p.lcp, with_method(HF_LCP_LEMKE), scaled, w, &report), HF_OK);
    for (int i = 0; i < 6; ++i) assert_near(ldexp(scaled[i], d[i]), z[i], 1e-9);
  }
  free_problem(&p);
}

static void test_extreme_numbers_stay_finite(void** state) {
  (void)state;
  const double sizes[] = {1e-300, 1e-150, 1, 1e150, 1e300};
  for (int method = HF_LCP_LEMKE; method <= HF_LCP_GAUSS_SEIDEL; ++method)
    for (int a = 0; a < 5; ++a)
      for (int c = 0; c < 5; ++c) {
        const double A[] = {sizes[a], -sizes[a] / 3, -sizes[a] / 3, sizes[a]}, b[] = {-sizes[c], sizes[c] / 2};
        hfLcp p = {2, A, b, NULL, NULL};
        double z[2], w[2];
        hfLcpReport r;
        hfStatus s = run(&p, with_method((hfLcpMethod)method), z, w, &r);
        assert_at_least(s, 0);
        assert_true(isfinite(z[0]));
        assert_true(isfinite(z[1]));
        assert_true(!isnan(r.residual));
        double exact = sizes[c] / sizes[a]; // z = (b/a, 0): w_2 = 1/2 - 1/3 > 0
        if (isfinite(exact) && exact > 1e-290) {
          assert_int_equal(s, HF_OK);
          assert_near(z[0] / exact, 1, 1e-9);
        }
      }
}

static void test_refusals_leave_outputs(void** state) {
  (void)state;
  double A[] = {1, 0, 0, 1}, b[] = {-1, -1}, lo[] = {0, 0}, hi[] = {1, 1}, z[] = {3, 4}, w[] = {5, 6}, cover[] = {1, 0};
  hfLcp p = {2, A, b, lo, hi};
  hfLcpConfig c = hf_lcp_config_default();
  size_t size = hf_lcp_work_size(HF_LCP_LEMKE, 2);
  void* work = malloc(size);
  assert_non_null(work);
  hfError error;
  A[1] = NAN;
  assert_int_equal(hf_lcp_solve(&p, &c, z, w, work, size, NULL, &error), HF_ERROR_NONFINITE);
  assert_string_equal(error.message, "lcp: A(0, 1) is not finite");
  A[1] = 0, b[1] = INFINITY;
  assert_int_equal(hf_lcp_solve(&p, &c, z, w, work, size, NULL, &error), HF_ERROR_NONFINITE);
  b[1] = -1, lo[0] = 2;
  assert_int_equal(hf_lcp_solve(&p, &c, z, w, work, size, NULL, &error), HF_ERROR_ARGUMENT);
  lo[0] = NAN;
  assert_int_equal(hf_lcp_solve(&p, &c, z, w, work, size, NULL, &error), HF_ERROR_ARGUMENT);
  lo[0] = 0, c.cover = cover;
  assert_int_equal(hf_lcp_solve(&p, &c, z, w, work, size, NULL, &error), HF_ERROR_ARGUMENT);
  c.cover = NULL, c.method = 9;
  assert_int_equal(hf_lcp_solve(&p, &c, z, w, work, size, NULL, &error), HF_ERROR_ARGUMENT);
  c.method = HF_LCP_LEMKE, c.tikhonov = -1;
  assert_int_equal(hf_lcp_solve(&p, &c, z, w, work, size, NULL, &error), HF_ERROR_ARGUMENT);
  assert_true(z[0] == 3 && z[1] == 4 && w[0] == 5 && w[1] == 6);
  hfLcp large = {HF_LCP_ENUMERATION_MAX + 1, A, b, NULL, NULL};
  hfLcpSolutions s = {0};
  assert_int_equal(hf_lcp_enumerate(&large, &s, work, size, &error), HF_ERROR_ARGUMENT);
  hfLcp empty = {0, NULL, NULL, NULL, NULL};
  c = hf_lcp_config_default();
  hfLcpReport r;
  assert_int_equal(hf_lcp_solve(&empty, &c, NULL, NULL, NULL, 0, &r, NULL), HF_OK);
  free(work);
}

// A covering vector of the caller's changes the path, not the solution of a P problem.
static void test_covering_vector(void** state) {
  (void)state;
  const double A[] = {2, 1, 0, 1, 2, 1, 0, 1, 2}, b[] = {-3, -1, -2}, cover[] = {5, 0.1, 2};
  hfLcp p = {3, A, b, NULL, NULL};
  hfLcpConfig c = hf_lcp_config_default();
  double z[3], other[3], w[3];
  assert_int_equal(run(&p, c, z, w, NULL), HF_OK);
  c.cover = cover;
  assert_int_equal(run(&p, c, other, w, NULL), HF_OK);
  for (int i = 0; i < 3; ++i) assert_near(z[i], other[i], 1e-15);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_enumeration_finds_all_solutions),
      cmocka_unit_test(test_ray_is_no_solution),
      cmocka_unit_test(test_murty_is_exponential_and_bounded),
      cmocka_unit_test(test_work_of_large_problems_is_bounded),
      cmocka_unit_test(test_cycling_example),
      cmocka_unit_test(test_equality_rows),
      cmocka_unit_test(test_tikhonov_term),
      cmocka_unit_test(test_warm_start_and_relaxation),
      cmocka_unit_test(test_units_do_not_matter),
      cmocka_unit_test(test_extreme_numbers_stay_finite),
      cmocka_unit_test(test_refusals_leave_outputs),
      cmocka_unit_test(test_covering_vector),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
