// Larger problems with mixed bounds, built around a known solution: Lemke and Dantzig must find one, and
// the same one where it is unique.
#include "support/cmocka_all.h"

#include "random_lcp.h"

// Bounds of every kind, a random z inside them and a w that fits; b = w - A z makes them a solution.
static void set_bounds_and_b(testRandom* r, Problem* p, double* z) {
  for (int32_t i = 0; i < p->n; ++i) {
    double a = random_uniform(r, -1, 1), width = random_uniform(r, 0.1, 2);
    int32_t kind = random_int(r, 5), place = random_int(r, 4);
    p->lo[i] = kind == 0 || kind == 1 ? -INFINITY : (kind == 2 ? 0 : a);
    p->hi[i] = kind == 0 || kind == 2 ? INFINITY : (kind == 1 ? a : (kind == 3 ? a + width : a));
    bool at_lo = isfinite(p->lo[i]) && place == 0, at_hi = isfinite(p->hi[i]) && place == 1;
    double low = isfinite(p->lo[i]) ? p->lo[i] : fmin(p->hi[i], 1) - 1;
    double high = isfinite(p->hi[i]) ? p->hi[i] : fmax(p->lo[i], 0) + 1;
    z[i] = at_lo ? p->lo[i] : (at_hi ? p->hi[i] : random_uniform(r, low, high));
    p->b[i] = at_lo ? random_uniform(r, 0, 1) : (at_hi ? -random_uniform(r, 0, 1) : 0);
    if (p->lo[i] == p->hi[i]) z[i] = p->lo[i], p->b[i] = random_uniform(r, -1, 1);
  }
  for (int32_t i = 0; i < p->n; ++i)
    for (int32_t j = 0; j < p->n; ++j) p->b[i] -= p->A[i * p->n + j] * z[j];
}

static hfStatus solve(const Problem* p, hfLcpMethod method, double tolerance, double* z, hfLcpReport* report) {
  hfLcpConfig c = hf_lcp_config_default();
  c.method = method;
  c.tolerance = tolerance;
  size_t size = hf_lcp_work_size(method, p->n);
  void* work = malloc(size);
  assert_non_null(work);
  hfStatus status = hf_lcp_solve(&p->lcp, &c, z, NULL, work, size, report, NULL);
  free(work);
  return status;
}

// Both methods solve p to `tolerance`; known (n) or NULL is its only solution, met to `distance`. Returns
// the larger pivot count.
static int32_t check_both(const Problem* p, double tolerance, const double* known, double distance) {
  int32_t pivots = 0;
  for (int method = HF_LCP_LEMKE; method <= HF_LCP_DANTZIG; ++method) {
    double z[MAX_ROWS];
    hfLcpReport report;
    hfStatus status = solve(p, (hfLcpMethod)method, tolerance, z, &report);
    double off = violation(p, z, 1e-9);
    if (status != HF_OK || off > 10 * tolerance)
      print_message("method %d, n %d: %s, %d pivots, residual %g, violation %g\n", method, p->n,
                    hf_status_name(status), report.pivots, report.residual, off);
    assert_int_equal(status, HF_OK);
    assert_at_most(off, 10 * tolerance); // measured in other units than the residual
    for (int32_t i = 0; known && i < p->n; ++i) assert_at_most(fabs(z[i] - known[i]), distance);
    pivots = report.pivots > pivots ? report.pivots : pivots;
  }
  return pivots;
}

static void test_definite(void** state) {
  (void)state;
  testRandom r = {test_seed()};
  print_message("seed %llu (HF_SEED)\n", (unsigned long long)r.state);
  Problem p = make_problem(60);
  int32_t trials = is_full() ? 2000 : 150, most = 0;
  for (int32_t trial = 0; trial < trials; ++trial) {
    double z[60];
    set_size(&p, random_between(&r, 10, 60));
    fill_gram(&r, &p, p.n);
    add_skew(&r, &p, 1);
    add_diagonal(&p, 0.1);
    set_bounds_and_b(&r, &p, z);
    int32_t pivots = check_both(&p, 1e-10, z, 1e-8); // smallest eigenvalue 0.1, residual 1e-10
    most = pivots > most ? pivots : most;
  }
  print_message("at most %d pivots\n", most);
  free_problem(&p);
}

// Redundant contacts, dependent equality rows: a continuum of solutions, and every basis degenerate. Some
// equality blocks have a condition of 1e8 by chance: what eps leaves of w is 1e-8.
static void test_semidefinite(void** state) {
  (void)state;
  testRandom r = {test_seed()};
  print_message("seed %llu (HF_SEED)\n", (unsigned long long)r.state);
  Problem p = make_problem(60);
  int32_t trials = is_full() ? 2000 : 150, most = 0;
  for (int32_t trial = 0; trial < trials; ++trial) {
    double z[60];
    set_size(&p, random_between(&r, 10, 60));
    fill_gram(&r, &p, random_between(&r, 1, p.n - 1));
    set_bounds_and_b(&r, &p, z);
    int32_t pivots = check_both(&p, 1e-8, NULL, 0);
    most = pivots > most ? pivots : most;
  }
  print_message("at most %d pivots\n", most);
  free_problem(&p);
}

// Contacts between bodies whose masses span eight decades: A = J M^-1 J^T with two bodies a row.
static void test_mass_ratios(void** state) {
  (void)state;
  testRandom r = {test_seed()};
  print_message("seed %llu (HF_SEED)\n", (unsigned long long)r.state);
  Problem p = make_problem(40);
  int32_t trials = is_full() ? 2000 : 150;
  for (int32_t trial = 0; trial < trials; ++trial) {
    int32_t n = random_between(&r, 5, 40), bodies = n; // on average one body for each contact, so that rows are independent
    double inverse_mass[40], J[40][40] = {{0}}, z[40];
    set_size(&p, n);
    for (int32_t k = 0; k < bodies; ++k) inverse_mass[k] = random_log(&r, 1e-4, 1e4);
    for (int32_t i = 0; i < n; ++i) J[i][i] = 1, J[i][random_int(&r, bodies)] -= random_uniform(&r, 0, 1);
    for (int32_t i = 0; i < n; ++i) {
      p.w_unit[i] = 0;
      for (int32_t j = 0; j < n; ++j) {
        p.A[i * n + j] = 0;
        for (int32_t k = 0; k < bodies; ++k) p.A[i * n + j] += J[i][k] * inverse_mass[k] * J[j][k];
      }
      p.w_unit[i] = p.A[i * n + i];
    }
    for (int32_t i = 0; i < n; ++i) {
      bool rests = random_chance(&r, 0.6);
      z[i] = rests ? random_uniform(&r, 0, 1) : 0;
      p.b[i] = rests ? 0 : p.w_unit[i] * random_uniform(&r, 0, 1);
    }
    for (int32_t i = 0; i < n; ++i)
      for (int32_t j = 0; j < n; ++j) p.b[i] -= p.A[i * n + j] * z[j];
    check_both(&p, 1e-10, NULL, 0);
  }
  free_problem(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_definite),
      cmocka_unit_test(test_semidefinite),
      cmocka_unit_test(test_mass_ratios),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
