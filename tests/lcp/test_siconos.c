// Larger problems against siconos' lexicographic Lemke (Debian libsiconos-numerics-dev), n = 20 to 200.
#include "support/cmocka_all.h"

#include "random_lcp.h"

#ifndef HF_WITH_SICONOS

#include "support/needs_siconos.h"

#else

#include <siconos/numerics/LCP_Solvers.h>
#include <siconos/numerics/LinearComplementarityProblem.h>
#include <siconos/numerics/NonSmoothDrivers.h>
#include <siconos/numerics/NumericsMatrix.h>
#include <siconos/numerics/SolverOptions.h>
#include <siconos/numerics/lcp_cst.h>
#include <time.h>

// Returns siconos' info (0: solved); z (n) is the output.
static int solve_with_siconos(const Problem* p, double* z) {
  size_t n = (size_t)p->n;
  double *M = malloc(sizeof(double) * n * n), *q = malloc(sizeof(double) * n), *w = calloc(n, sizeof(double));
  assert_true(M && q && w);
  for (size_t i = 0; i < n; ++i) { // column-major there
    q[i] = p->b[i];
    z[i] = 0;
    for (size_t j = 0; j < n; ++j) M[i + j * n] = p->A[i * n + j];
  }
  LinearComplementarityProblem lcp = {p->n, NM_create_from_data(NM_DENSE, p->n, p->n, M), q};
  SolverOptions* options = solver_options_create(SICONOS_LCP_LEMKE);
  options->iparam[SICONOS_IPARAM_MAX_ITER] = 10 * p->n;
  int info = linearComplementarity_driver(&lcp, z, w, options);
  solver_options_delete(options); // frees what it holds, not itself
  free(options);
  NM_clear(lcp.M); // frees M too
  free(lcp.M);
  free(q);
  free(w);
  return info;
}

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct Class {
  const char* name;
  void (*fill)(testRandom* r, Problem* p);
  bool one_solution;
} Class;

static void fill_definite(testRandom* r, Problem* p) {
  fill_gram(r, p, p->n);
  add_skew(r, p, 0.5);
  add_diagonal(p, 0.5);
  fill_b(r, p);
}

static void fill_symmetric(testRandom* r, Problem* p) {
  fill_gram(r, p, p->n);
  add_diagonal(p, 0.5);
  fill_b(r, p);
}

static void fill_rank_deficient(testRandom* r, Problem* p) { // forces of redundant contacts
  fill_gram(r, p, p->n / 2);
  fill_solvable_b(r, p, false);
}

static void fill_copositive(testRandom* r, Problem* p) {
  fill_gram(r, p, p->n / 2);
  for (int32_t i = 0; i < p->n; ++i)
    for (int32_t j = 0; j < p->n; ++j) p->A[i * p->n + j] += i == j ? 1 : random_uniform(r, 0, 0.5);
  fill_b(r, p);
}

static const Class classes[] = {
    {"definite", fill_definite, true},
    {"symmetric", fill_symmetric, true},
    {"rank deficient", fill_rank_deficient, false},
    {"copositive", fill_copositive, false},
};

// Solves with one method and returns the status; counts pivots and time.
static hfStatus solve_here(const Problem* p, hfLcpMethod method, double* z, int32_t* pivots, double* time) {
  hfLcpConfig c = hf_lcp_config_default();
  c.method = method;
  size_t size = hf_lcp_work_size(method, p->n);
  void* work = malloc(size);
  assert_non_null(work);
  hfLcpReport report;
  double start = seconds();
  hfStatus status = hf_lcp_solve(&p->lcp, &c, z, NULL, work, size, &report, NULL);
  *time += seconds() - start;
  *pivots += report.pivots;
  free(work);
  return status;
}

static double largest_difference(const double* a, const double* b, int32_t n) {
  double d = 0;
  for (int32_t i = 0; i < n; ++i) d = fmax(d, fabs(a[i] - b[i]));
  return d;
}

static void test_against_siconos(void** state) {
  (void)state;
  testRandom r = {test_seed()};
  print_message("seed %llu (HF_SEED)\n", (unsigned long long)r.state);
  Problem p = make_problem(200);
  int32_t repeats = is_full() ? 20 : 3;
  for (size_t k = 0; k < sizeof classes / sizeof classes[0]; ++k)
    for (int32_t n = 20; n <= 200; n = n < 50 ? 50 : n * 2) {
      int32_t pivots[2] = {0}, peer_solved = 0;
      double time[3] = {0};
      for (int32_t trial = 0; trial < repeats; ++trial) {
        double z[2][MAX_ROWS], peer[MAX_ROWS];
        set_size(&p, n);
        classes[k].fill(&r, &p);
        bool dantzig_applies = classes[k].fill != fill_copositive;
        assert_int_equal(solve_here(&p, HF_LCP_LEMKE, z[0], &pivots[0], &time[0]), HF_OK);
        assert_below(violation(&p, z[0], 1e-9), 1e-9);
        if (dantzig_applies) {
          assert_int_equal(solve_here(&p, HF_LCP_DANTZIG, z[1], &pivots[1], &time[1]), HF_OK);
          assert_below(violation(&p, z[1], 1e-9), 1e-9);
        }
        double start = seconds();
        bool peer_ok = solve_with_siconos(&p, peer) == 0;
        time[2] += seconds() - start;
        if (!peer_ok) continue;
        ++peer_solved;
        if (!classes[k].one_solution) continue;
        // Smallest eigenvalue of the symmetric part >= 0.5: errors in w of 1e-10 (both) give 4e-10 in z.
        assert_below(largest_difference(z[0], peer, n), 1e-8);
        assert_below(largest_difference(z[1], peer, n), 1e-8);
      }
      print_message("%-15s n %3d: Lemke %4d pivots %7.2f ms, Dantzig %4d pivots %7.2f ms, siconos %d of %d solved %7.2f ms\n",
                    classes[k].name, n, pivots[0] / repeats, 1e3 * time[0] / repeats, pivots[1] / repeats,
                    1e3 * time[1] / repeats, peer_solved, repeats, 1e3 * time[2] / repeats);
      if (classes[k].one_solution) assert_int_equal(peer_solved, repeats); // else the test compares nothing
    }
  free_problem(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_siconos)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
