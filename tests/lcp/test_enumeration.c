// Lemke, Dantzig and Gauss-Seidel against full enumeration on 100,000 random problems of up to six rows
// (a million with HF_FULL).
//
// Enumeration tries every complementary choice and shares nothing with the pivoting methods but the QR
// of the polish. What theory promises is asked of each method in each class; outside its class an answer
// called HF_OK must still be a solution, by a violation computed here from the definition.
#include "support/cmocka_all.h"

#include "random_lcp.h"

#include <stdio.h>

enum { ROWS = 6, CAPACITY = 256 };

typedef struct Solver {
  hfLcpConfig config;
  void* work;
  size_t size;
} Solver;

typedef struct Fixture {
  Problem p;
  Solver lemke, dantzig, sweeps;
  hfLcpSolutions truth;
  void* truth_work;
  size_t truth_size;
} Fixture;

static Solver make_solver(hfLcpMethod method) {
  Solver s = {hf_lcp_config_default(), NULL, hf_lcp_work_size(method, HF_LCP_ENUMERATION_MAX)};
  s.config.method = method;
  s.work = malloc(s.size);
  assert_non_null(s.work);
  return s;
}

static Fixture make_fixture(void) {
  Fixture f = {.p = make_problem(HF_LCP_ENUMERATION_MAX)};
  f.lemke = make_solver(HF_LCP_LEMKE);
  f.dantzig = make_solver(HF_LCP_DANTZIG);
  f.sweeps = make_solver(HF_LCP_GAUSS_SEIDEL);
  f.truth = (hfLcpSolutions){.capacity = CAPACITY, .z = malloc(sizeof(double) * CAPACITY * HF_LCP_ENUMERATION_MAX)};
  f.truth_size = hf_lcp_enumerate_work_size(HF_LCP_ENUMERATION_MAX);
  f.truth_work = malloc(f.truth_size);
  assert_non_null(f.truth.z);
  assert_non_null(f.truth_work);
  return f;
}

static void free_fixture(Fixture* f) {
  free_problem(&f->p);
  free(f->lemke.work), free(f->dantzig.work), free(f->sweeps.work);
  free(f->truth.z), free(f->truth_work);
}

static void print_problem(const Problem* p) {
  for (int32_t i = 0; i < p->n; ++i) {
    for (int32_t j = 0; j < p->n; ++j) print_message(" %.17g", p->A[i * p->n + j]);
    print_message(" | b %.17g in [%g, %g]\n", p->b[i], p->lo[i], p->hi[i]);
  }
}

static void enumerate(Fixture* f) {
  hfStatus s = hf_lcp_enumerate(&f->p.lcp, &f->truth, f->truth_work, f->truth_size, NULL);
  assert_true(s == HF_OK || s == HF_NO_SOLUTION || s == HF_OVERFLOW);
  assert_int_equal(s == HF_NO_SOLUTION, f->truth.count == 0);
}

typedef enum Promise {
  MAY_FAIL,  // outside the method's class: an answer must be right, none is owed
  MUST_SOLVE,// a solution exists and is found
  DECIDES,   // a solution is found iff enumeration has one
} Promise;

// Distance to the nearest enumerated solution, relative component by component.
static double distance_to_truth(const Fixture* f, const double* z) {
  double least = INFINITY;
  for (int32_t s = 0; s < f->truth.count; ++s) {
    double d = 0;
    for (int32_t i = 0; i < f->p.n; ++i) {
      double t = f->truth.z[s * f->p.n + i];
      d = fmax(d, fabs(z[i] - t) / fmax(1, fabs(t)));
    }
    least = fmin(least, d);
  }
  return least;
}

static const char* judge(Fixture* f, Solver* s, Promise promise, bool one_solution, double tolerance,
                         int32_t* solved) {
  double z[HF_LCP_ENUMERATION_MAX] = {0}, w[HF_LCP_ENUMERATION_MAX];
  hfLcpReport report;
  hfStatus status = hf_lcp_solve(&f->p.lcp, &s->config, z, w, s->work, s->size, &report, NULL);
  if (status != report.status) return "the report disagrees with the return";
  for (int32_t i = 0; i < f->p.n; ++i)
    if (!isfinite(z[i]) || !isfinite(w[i])) return "an output is not finite";
  if (promise == MUST_SOLVE && status != HF_OK) return "not solved";
  if (promise == DECIDES && (status == HF_OK) != (f->truth.count > 0)) return "enumeration disagrees on existence";
  if (status != HF_OK) return NULL;
  ++*solved;
  if (violation(&f->p, z, tolerance) > tolerance) return "the answer is no solution";
  if (one_solution && distance_to_truth(f, z) > 1e3 * tolerance) return "the answer is not the solution";
  return NULL;
}

typedef struct Class {
  const char* name;
  int32_t share; // of 100,000 problems
  void (*fill)(testRandom* r, Problem* p);
  Promise lemke, dantzig, sweeps;
  bool one_solution; // for every b
  double tolerance;  // of the violation
} Class;

// ---- classes -------------------------------------------------------------------------------------

static void fill_p_definite(testRandom* r, Problem* p) { // symmetric part positive definite
  set_size(p, random_between(r, 1, ROWS));
  fill_gram(r, p, p->n);
  add_skew(r, p, 1);
  add_diagonal(p, 0.05);
  fill_b(r, p);
}

static void fill_p_triangular(testRandom* r, Problem* p) { // P, but far from definite
  set_size(p, random_between(r, 1, ROWS));
  for (int32_t i = 0; i < p->n; ++i)
    for (int32_t j = 0; j < p->n; ++j)
      p->A[i * p->n + j] = i == j ? random_uniform(r, 0.2, 1) : (i > j ? random_uniform(r, -2, 2) : 0);
  fill_b(r, p);
}

static void fill_p_scaled(testRandom* r, Problem* p) { // eight decades between rows and between columns
  fill_p_definite(r, p);
  scale_badly(r, p, 4);
}

static void fill_symmetric(testRandom* r, Problem* p) {
  set_size(p, random_between(r, 1, ROWS));
  fill_gram(r, p, p->n);
  add_diagonal(p, 0.3);
  fill_b(r, p);
}

static void fill_psd(testRandom* r, Problem* p) { // rank deficient, symmetric or not, solvable or not
  set_size(p, random_between(r, 1, ROWS));
  fill_gram(r, p, random_between(r, 0, p->n - 1));
  if (random_between(r, 0, 1)) add_skew(r, p, 1);
  if (random_between(r, 0, 1)) fill_solvable_b(r, p, random_between(r, 0, 1));
  else fill_b(r, p);
}

static void fill_copositive(testRandom* r, Problem* p) { // strictly: nonnegative plus definite
  set_size(p, random_between(r, 1, ROWS));
  fill_gram(r, p, random_between(r, 0, p->n));
  for (int32_t i = 0; i < p->n; ++i)
    for (int32_t j = 0; j < p->n; ++j)
      p->A[i * p->n + j] += i == j ? random_uniform(r, 0.05, 1) : (random_between(r, 0, 1) ? random_uniform(r, 0, 2) : 0);
  fill_b(r, p);
}

// One frictional contact in the form of Stewart and Trinkle: rows normal, 2 or 4 cone edges, slip
// multiplier; copositive, and Lemke solves it for every velocity.
static void fill_friction(testRandom* r, Problem* p) {
  int32_t edges = random_between(r, 0, 1) ? 2 : 4, n = edges + 2, dim = edges / 2 + 1, last = n - 1;
  double W[9], J[3 * 5], mu = random_uniform(r, 0, 1.5);
  set_size(p, n);
  Problem g = {.n = dim, .A = W};
  fill_gram(r, &g, dim);
  add_diagonal(&g, 0.1);
  for (int32_t k = 0; k <= edges; ++k)
    for (int32_t d = 0; d < dim; ++d) {
      int32_t axis = k == 0 ? 0 : 1 + (k - 1) % (edges / 2);
      J[k * dim + d] = d == axis ? (k > edges / 2 ? -1 : 1) : 0;
    }
  for (int32_t i = 0; i < n * n; ++i) p->A[i] = 0;
  for (int32_t i = 0; i <= edges; ++i)
    for (int32_t j = 0; j <= edges; ++j)
      for (int32_t a = 0; a < dim; ++a)
        for (int32_t b = 0; b < dim; ++b) p->A[i * n + j] += J[i * dim + a] * W[a * dim + b] * J[j * dim + b];
  for (int32_t k = 1; k <= edges; ++k) p->A[k * n + last] = 1, p->A[last * n + k] = -1;
  p->A[last * n] = mu;
  double v[3] = {random_uniform(r, -1, 0.2), random_uniform(r, -1, 1), random_uniform(r, -1, 1)};
  if (random_between(r, 0, 3) == 0) v[1] = v[2] = 0; // no slip: degenerate
  for (int32_t k = 0; k <= edges; ++k) {
    p->b[k] = 0;
    for (int32_t d = 0; d < dim; ++d) p->b[k] += J[k * dim + d] * v[d];
  }
  p->b[last] = 0;
}

static void fill_degenerate_p(testRandom* r, Problem* p) { // small integers: ties everywhere
  set_size(p, random_between(r, 1, ROWS));
  for (int32_t i = 0; i < p->n; ++i)
    for (int32_t j = 0; j < p->n; ++j)
      p->A[i * p->n + j] = i == j ? random_between(r, 1, 2) : (i > j ? random_between(r, -2, 2) : 0);
  for (int32_t i = 0; i < p->n; ++i) p->b[i] = random_between(r, -1, 1);
}

static void fill_degenerate_psd(testRandom* r, Problem* p) { // integer Gram matrix and skew part, rank <= 3
  set_size(p, random_between(r, 1, ROWS));
  int32_t n = p->n, rank = random_between(r, 0, 3);
  for (int32_t i = 0; i < n * n; ++i) p->A[i] = 0;
  for (int32_t k = 0; k < rank; ++k) {
    int32_t g[ROWS];
    for (int32_t i = 0; i < n; ++i) g[i] = random_between(r, -1, 1);
    for (int32_t i = 0; i < n; ++i)
      for (int32_t j = 0; j < n; ++j) p->A[i * n + j] += g[i] * g[j];
  }
  for (int32_t i = 0; i < n; ++i)
    for (int32_t j = 0; j < i; ++j) {
      int32_t k = random_between(r, -1, 1);
      p->A[i * n + j] += k, p->A[j * n + i] -= k;
    }
  for (int32_t i = 0; i < n; ++i) p->b[i] = random_between(r, -2, 1);
}

static void fill_any(testRandom* r, Problem* p) {
  set_size(p, random_between(r, 1, ROWS));
  bool whole = random_between(r, 0, 1);
  for (int32_t i = 0; i < p->n * p->n; ++i) p->A[i] = whole ? random_between(r, -2, 2) : random_uniform(r, -1, 1);
  for (int32_t i = 0; i < p->n; ++i) p->b[i] = whole ? random_between(r, -2, 2) : random_uniform(r, -1, 1);
}

static void set_mixed_bounds(testRandom* r, Problem* p, bool finite) {
  for (int32_t i = 0; i < p->n; ++i) {
    double a = random_uniform(r, -1, 1), b = random_uniform(r, -1, 1);
    switch (finite ? 3 : random_between(r, 0, 5)) {
    case 0: break;                                          // 0, inf
    case 1: p->lo[i] = -INFINITY; break;                    // free
    case 2: p->lo[i] = -INFINITY, p->hi[i] = a; break;      // above only
    case 3: p->lo[i] = fmin(a, b), p->hi[i] = fmax(a, b); break;
    case 4: p->lo[i] = p->hi[i] = a; break;                 // fixed
    case 5: p->lo[i] = -fabs(a), p->hi[i] = fabs(a); break; // a drive with effort limits
    }
  }
}

static void fill_bounded_p(testRandom* r, Problem* p) {
  if (random_between(r, 0, 1)) fill_p_definite(r, p);
  else fill_p_triangular(r, p);
  set_mixed_bounds(r, p, false);
  if (random_between(r, 0, 1)) scale_badly(r, p, 2);
}

static void fill_bounded_psd(testRandom* r, Problem* p) {
  fill_degenerate_psd(r, p);
  for (int32_t i = 0; i < p->n; ++i) {
    switch (random_between(r, 0, 3)) {
    case 0: break;
    case 1: p->lo[i] = -INFINITY; break;
    case 2: p->lo[i] = -random_between(r, 0, 2), p->hi[i] = random_between(r, 0, 2); break;
    case 3: p->lo[i] = -INFINITY, p->hi[i] = random_between(r, -1, 1); break;
    }
  }
}

static void fill_boxed_any(testRandom* r, Problem* p) { // compact box: a solution exists for every A
  fill_any(r, p);
  set_mixed_bounds(r, p, true);
}

// The violation is ten times the residual 1e-10 the methods are asked for (theirs is measured in the
// equilibrated problem).
// Gauss-Seidel stops at 1e-10 of the largest row of the equilibrated problem; where z spreads over eight
// decades another row may be 1e5 times smaller.
static const double sweep_tolerance = 1e-5;

static const Class classes[] = {
    {"P, definite", 15000, fill_p_definite, MUST_SOLVE, MUST_SOLVE, MAY_FAIL, true, 1e-9},
    {"P, triangular", 10000, fill_p_triangular, MUST_SOLVE, MUST_SOLVE, MAY_FAIL, true, 1e-9},
    {"P, badly scaled", 10000, fill_p_scaled, MUST_SOLVE, MUST_SOLVE, MAY_FAIL, true, 1e-9},
    {"symmetric definite", 5000, fill_symmetric, MUST_SOLVE, MUST_SOLVE, MUST_SOLVE, true, 1e-9},
    {"PSD", 10000, fill_psd, DECIDES, DECIDES, MAY_FAIL, false, 1e-9},
    {"copositive", 10000, fill_copositive, MUST_SOLVE, MAY_FAIL, MAY_FAIL, false, 1e-9},
    {"frictional contact", 8000, fill_friction, MUST_SOLVE, MAY_FAIL, MAY_FAIL, false, 1e-9},
    {"degenerate P", 8000, fill_degenerate_p, MUST_SOLVE, MUST_SOLVE, MAY_FAIL, true, 1e-9},
    {"degenerate PSD", 8000, fill_degenerate_psd, DECIDES, DECIDES, MAY_FAIL, false, 1e-9},
    {"any", 5000, fill_any, MAY_FAIL, MAY_FAIL, MAY_FAIL, false, 1e-9},
    {"bounded P", 5000, fill_bounded_p, MUST_SOLVE, MUST_SOLVE, MAY_FAIL, true, 1e-9},
    {"bounded PSD", 3000, fill_bounded_psd, DECIDES, DECIDES, MAY_FAIL, false, 1e-9},
    {"boxed, any", 3000, fill_boxed_any, MUST_SOLVE, MAY_FAIL, MAY_FAIL, false, 1e-9},
};

static void test_solvers_against_enumeration(void** state) {
  (void)state;
  testRandom r = {test_seed()};
  Fixture f = make_fixture();
  int32_t total = 0, failures = 0, rounds = is_full() ? 10 : 1;
  print_message("seed %llu (HF_SEED)\n", (unsigned long long)r.state);
  for (size_t c = 0; c < sizeof classes / sizeof classes[0]; ++c) {
    const Class* k = &classes[c];
    int32_t solvable = 0, solved[3] = {0};
    for (int32_t trial = 0; trial < rounds * k->share; ++trial, ++total) {
      k->fill(&r, &f.p);
      enumerate(&f);
      if (f.truth.count > 0) ++solvable;
      const char* wrong[4] = {judge(&f, &f.lemke, k->lemke, k->one_solution, k->tolerance, &solved[0]),
                              judge(&f, &f.dantzig, k->dantzig, k->one_solution, k->tolerance, &solved[1]),
                              judge(&f, &f.sweeps, k->sweeps, k->one_solution, sweep_tolerance, &solved[2]), NULL};
      if (k->one_solution && f.truth.count != 1) wrong[3] = "not exactly one solution";
      static const char* who[4] = {"Lemke", "Dantzig", "Gauss-Seidel", "enumeration"};
      for (int i = 0; i < 4; ++i)
        if (wrong[i] && ++failures <= 5) {
          print_message("%s, problem %d, %s: %s (%d solutions)\n", k->name, trial, who[i], wrong[i], f.truth.count);
          print_problem(&f.p);
        }
    }
    print_message("%-20s %6d problems, solvable %6d: Lemke %6d, Dantzig %6d, Gauss-Seidel %6d\n", k->name,
                  rounds * k->share, solvable, solved[0], solved[1], solved[2]);
  }
  free_fixture(&f);
  assert_int_equal(failures, 0);
  assert_int_equal(total, 100000 * rounds);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_solvers_against_enumeration)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
