// Friction problems: closed forms, and random problems whose answers are checked against Coulomb's law term by term and
// against M v = H r + G lambda + f by dense arithmetic.
#include "friction/dense.h"
#include "support/alloc.h"
#include "support/near.h"

// ---- closed forms --------------------------------------------------------------------------------

static hfFrictionReport solve(const hfFrictionProblem* p, double* r, double* u) {
  hfFrictionConfig config = hf_friction_config_default();
  hfFrictionSolution s = {.r = r, .u = u};
  hfFrictionReport report;
  hfError error;
  config.tolerance = 1e-12;
  if (hf_friction_solve(p, &config, &s, &report, &error) < 0) fail_msg("%s", error.message);
  assert_int_equal(report.status, HF_OK);
  return report;
}

// One contact with W = c I: it sticks with r = -q/c where that lies in the cone, slides with r_n = -q_n/c otherwise, and is
// open where q_n >= 0. In two dimensions the last component is missing.
static void test_one_contact(void** state) {
  (void)state;
  testRandom random = {1};
  for (int trial = 0; trial < 300; ++trial) {
    int dim = 2 + random_int(&random, 2);
    double c = random_log(&random, 1e-4, 1e4), mu = random_chance(&random, 0.1) ? 0 : random_uniform(&random, 0, 2);
    double q[3] = {random_normal(&random), random_normal(&random), random_normal(&random)}, r[3], u[3], want[3] = {0, 0, 0};
    denseMatrix W = new_dense(dim, dim);
    for (int i = 0; i < dim; ++i) *dense_at(&W, i, i) = c;
    compress(&W);
    hfFrictionProblem p = {.dim = dim, .ncontact = 1, .mu = &mu, .W = W.sparse, .q = q};
    hfFrictionReport report = solve(&p, r, u);
    double slip = dim == 3 ? sqrt(q[1] * q[1] + q[2] * q[2]) : fabs(q[1]);
    if (q[0] < 0) {
      double share = slip <= mu * -q[0] ? 1 : mu * -q[0] / slip;
      want[0] = -q[0] / c;
      for (int k = 1; k < dim; ++k) want[k] = -share * q[k] / c;
    }
    // The tolerance 1e-12 is relative to |q|, which is near 1.
    for (int k = 0; k < dim; ++k) assert_near(c * r[k], c * want[k], 1e-10);
    for (int k = 0; k < dim; ++k) assert_near(u[k], q[k] + c * want[k], 1e-10);
    assert_at_most(report.residual, 1e-12);
    assert_at_most(report.scaled_residual, 1e-12);
    free_dense(&W);
  }
}

// A block of mass m on a plane that is tilted by an angle, pulled by gravity for one second: two contacts under it share the
// weight, so that reactions are not unique, but their sum and the velocity are. It slides where tan(angle) > mu.
static void test_block_on_slope(void** state) {
  (void)state;
  for (int k = 0; k < 2; ++k) {
    double m = 2, mu = 0.5, angle = k ? 0.6 : 0.4, r[6], v[3];
    denseMatrix M = new_dense(3, 3), H = new_dense(3, 6);
    double f[3] = {-m * 9.81 * cos(angle), m * 9.81 * sin(angle), 0}, w[6] = {0}, mus[2] = {mu, mu};
    for (int i = 0; i < 3; ++i) *dense_at(&M, i, i) = m, *dense_at(&H, i, i) = *dense_at(&H, i, i + 3) = 1;
    compress(&M), compress(&H);
    hfFrictionProblem p = {.form = HF_FORM_GLOBAL, .dim = 3, .ncontact = 2, .nv = 3, .mu = mus, .M = M.sparse, .H = H.sparse, .f = f, .w = w};
    hfFrictionConfig config = hf_friction_config_default();
    hfFrictionSolution s = {.r = r, .v = v};
    hfFrictionReport report;
    assert_int_equal(hf_friction_solve(&p, &config, &s, &report, NULL), HF_OK);
    double slide = tan(angle) > mu ? 9.81 * (sin(angle) - mu * cos(angle)) : 0;
    assert_near(r[0] + r[3], m * 9.81 * cos(angle), 1e-6); // tolerance 1e-8 of |q| near 10, over two contacts
    assert_near(v[0], 0, 1e-7);
    assert_near(v[1], slide, 1e-6);
    free_dense(&M), free_dense(&H);
  }
}

// ---- random problems -----------------------------------------------------------------------------

// Bodies of six velocities with contacts between each other and the ground, and some equalities.
typedef struct scene {
  denseMatrix M, H, G;
  double *f, *w, *b, *mu;
  hfFrictionProblem p;
} scene;

static double* random_vector(testRandom* random, int n, double size) {
  double* x = new_array((size_t)n, sizeof *x);
  for (int i = 0; i < n; ++i) x[i] = size * random_normal(random);
  return x;
}

// A positive definite block; `skew` adds an antisymmetric part.
static void fill_mass(testRandom* random, denseMatrix* M, int first, int n, double mass, double skew) {
  double a[36];
  for (int i = 0; i < n * n; ++i) a[i] = random_normal(random);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = i == j ? 1 : 0;
      for (int k = 0; k < n; ++k) sum += 0.2 * a[i * n + k] * a[j * n + k];
      *dense_at(M, first + i, first + j) = mass * (sum + (i < j ? skew : i > j ? -skew : 0));
    }
}

static void fill_column(testRandom* random, denseMatrix* B, int body, int col, double sign) {
  for (int i = 0; i < 6; ++i) *dense_at(B, 6 * body + i, col) = sign * random_normal(random);
}

static scene random_scene(testRandom* random) {
  int bodies = 1 + random_int(random, 8), nc = 1 + random_int(random, 3 * bodies), dim = 2 + random_int(random, 2);
  int ne = random_chance(random, 0.4) ? 1 + random_int(random, bodies) : 0, nv = 6 * bodies;
  double skew = random_chance(random, 0.3) ? 0.2 : 0;
  scene s = {new_dense(nv, nv), new_dense(nv, dim * nc), new_dense(nv, ne), NULL, NULL, NULL, NULL, {0}};
  for (int i = 0; i < bodies; ++i) fill_mass(random, &s.M, 6 * i, 6, random_log(random, 0.1, 10), skew);
  for (int c = 0; c < nc; ++c) {
    int a = random_int(random, bodies), b = random_int(random, bodies + 1);
    for (int k = 0; k < dim; ++k) {
      fill_column(random, &s.H, a, dim * c + k, 1);
      if (b < bodies && b != a) fill_column(random, &s.H, b, dim * c + k, -1);
    }
  }
  for (int e = 0; e < ne; ++e) fill_column(random, &s.G, e % bodies, e, 1);
  compress(&s.M), compress(&s.H), compress(&s.G);
  s.f = random_vector(random, nv, 3), s.w = random_vector(random, dim * nc, 0.3);
  s.b = random_vector(random, ne, 0.3), s.mu = new_array((size_t)nc, sizeof(double));
  for (int c = 0; c < nc; ++c) s.mu[c] = random_chance(random, 0.1) ? 0 : random_uniform(random, 0.05, 0.6);
  s.p = (hfFrictionProblem){.form = HF_FORM_GLOBAL, .dim = dim, .ncontact = nc, .nequality = ne, .nv = nv, .mu = s.mu,
                            .M = s.M.sparse, .H = s.H.sparse, .G = s.G.sparse, .f = s.f, .w = s.w, .b = s.b};
  return s;
}
static void free_scene(scene* s) {
  free_dense(&s->M), free_dense(&s->H), free_dense(&s->G);
  free(s->f), free(s->w), free(s->b), free(s->mu);
}

// y = A' x
static double column_dot(const denseMatrix* A, int col, const double* x) {
  double sum = 0;
  for (int i = 0; i < A->rows; ++i) sum += *dense_at(A, i, col) * x[i];
  return sum;
}

static double largest_reaction(const scene* s, const double* r) {
  double largest = 0;
  for (int j = 0; j < s->H.cols; ++j) largest = fmax(largest, fabs(r[j]));
  return largest;
}

// The worst violation of the equations and of Coulomb's law, relative to the largest reaction and to speeds near 1.
static double worst_violation(const scene* s, const double* r, const double* lambda, const double* v) {
  double worst = 0, force = fmax(1, largest_reaction(s, r)), u[3];
  for (int j = 0; j < s->G.cols; ++j) force = fmax(force, fabs(lambda[j]));
  for (int i = 0; i < s->p.nv; ++i) {
    double sum = -s->f[i];
    for (int j = 0; j < s->p.nv; ++j) sum += *dense_at(&s->M, i, j) * v[j];
    for (int j = 0; j < s->H.cols; ++j) sum -= *dense_at(&s->H, i, j) * r[j];
    for (int j = 0; j < s->G.cols; ++j) sum -= *dense_at(&s->G, i, j) * lambda[j];
    worst = fmax(worst, fabs(sum) / force);
  }
  for (int e = 0; e < s->p.nequality; ++e) worst = fmax(worst, fabs(column_dot(&s->G, e, v) + s->b[e]));
  for (int c = 0; c < s->p.ncontact; ++c) {
    int dim = s->p.dim;
    for (int k = 0; k < dim; ++k) u[k] = column_dot(&s->H, dim * c + k, v) + s->w[dim * c + k];
    worst = fmax(worst, coulomb_violation(dim, s->mu[c], r + dim * c, u, force, 1));
  }
  return worst;
}

// The problem in the local form, by dense elimination: W = H'M^-1 H, V = H'M^-1 G, R = G'M^-1 G.
typedef struct localScene {
  denseMatrix W, V, R;
  double *q, *s;
  hfFrictionProblem p;
} localScene;

static void eliminate(const scene* s, const double* column, double* x) {
  int n = s->p.nv;
  double* A = new_array((size_t)(n * n), sizeof *A);
  memcpy(A, s->M.a, sizeof *A * (size_t)(n * n));
  memcpy(x, column, sizeof *x * (size_t)n);
  solve_dense(A, x, n);
  free(A);
}

static localScene make_local(const scene* s) {
  int m = s->H.cols, ne = s->G.cols, nv = s->p.nv;
  localScene l = {new_dense(m, m), new_dense(m, ne), new_dense(ne, ne), new_array((size_t)m, 8), new_array((size_t)ne, 8), {0}};
  double *x = new_array((size_t)nv, 8), *column = new_array((size_t)nv, 8);
  for (int j = 0; j < m + ne; ++j) {
    const denseMatrix* B = j < m ? &s->H : &s->G;
    for (int i = 0; i < nv; ++i) column[i] = *dense_at(B, i, j < m ? j : j - m);
    eliminate(s, column, x);
    for (int i = 0; i < m; ++i) *dense_at(j < m ? &l.W : &l.V, i, j < m ? j : j - m) = column_dot(&s->H, i, x);
    for (int i = 0; i < ne && j >= m; ++i) *dense_at(&l.R, i, j - m) = column_dot(&s->G, i, x);
  }
  eliminate(s, s->f, x);
  for (int i = 0; i < m; ++i) l.q[i] = column_dot(&s->H, i, x) + s->w[i];
  for (int i = 0; i < ne; ++i) l.s[i] = column_dot(&s->G, i, x) + s->b[i];
  compress(&l.W), compress(&l.V), compress(&l.R);
  l.p = (hfFrictionProblem){.dim = s->p.dim, .ncontact = s->p.ncontact, .nequality = ne, .mu = s->mu, .W = l.W.sparse,
                            .V = l.V.sparse, .R = l.R.sparse, .q = l.q, .s = l.s};
  free(x), free(column);
  return l;
}
static void free_local(localScene* l) {
  free_dense(&l->W), free_dense(&l->V), free_dense(&l->R);
  free(l->q), free(l->s);
}

// Every random problem must be solved in the global form. The local form, which the test makes by dense elimination, is
// evaluated with the same reactions: its residual must be as small, so that both forms mean the same problem.
static void test_random_scenes(void** state) {
  (void)state;
  int trials = is_full() ? 20000 : 1000;
  int impossible = 0;
  double worst = 0;
  for (int trial = 0; trial < trials; ++trial) {
    testRandom random = {(uint64_t)(1000 + trial)};
    scene s = random_scene(&random);
    size_t m = (size_t)s.H.cols, ne = (size_t)s.G.cols;
    double *r = new_array(m, 8), *lambda = new_array(ne, 8), *v = new_array((size_t)s.p.nv, 8);
    hfFrictionConfig config = hf_friction_config_default();
    hfFrictionSolution solution = {.r = r, .lambda = lambda, .v = v};
    hfFrictionReport report, local;
    config.tolerance = 1e-10;
    hfStatus status = hf_friction_solve(&s.p, &config, &solution, &report, NULL);
    if (status != HF_OK) {
      // Contacts and equalities of an overdetermined body may leave no answer: reactions then grow without bound.
      if (largest_reaction(&s, r) < 1e3) fail_msg("seed %d: residual %g", 1000 + trial, report.scaled_residual);
      ++impossible;
    } else {
      worst = fmax(worst, worst_violation(&s, r, lambda, v));
    }
    // The local form uses V and V', which an unsymmetric M does not give.
    if (status == HF_OK && (ne == 0 || *dense_at(&s.M, 0, 1) == *dense_at(&s.M, 1, 0))) {
      localScene l = make_local(&s);
      assert_int_equal(hf_friction_evaluate(&l.p, &solution, &local, NULL), HF_OK);
      assert_at_most(local.scaled_residual, 1e-9); // the tolerance, and the rounding of the elimination
      free_local(&l);
    }
    free(r), free(lambda), free(v);
    free_scene(&s);
  }
  print_message("worst violation %.2g in %d problems, %d without an answer\n", worst, trials, impossible);
  assert_at_most(impossible, trials / 1000);
  // 1e-10 of |q|, which is below 1,000 here: masses from 0.1 on, impulses near 3, up to 72 rows.
  assert_below(worst, 1e-7);
}

// A start from the answer takes no step; a wrong reaction is reported as such.
static void test_warm_start(void** state) {
  (void)state;
  testRandom random = {77};
  scene s = random_scene(&random);
  size_t m = (size_t)s.H.cols;
  double *r = new_array(m, 8), *lambda = new_array((size_t)s.G.cols, 8);
  hfFrictionConfig config = hf_friction_config_default();
  hfFrictionSolution solution = {.r = r, .lambda = lambda};
  hfFrictionReport report;
  assert_int_equal(hf_friction_solve(&s.p, &config, &solution, &report, NULL), HF_OK);
  assert_above(report.steps, 0);
  config.warm_start = 1;
  assert_int_equal(hf_friction_solve(&s.p, &config, &solution, &report, NULL), HF_OK);
  assert_int_equal(report.steps, 0);
  for (size_t i = 0; i < m; ++i) r[i] = -1;
  assert_int_equal(hf_friction_evaluate(&s.p, &solution, &report, NULL), HF_OK);
  assert_above(report.natural_map, 0.1);
  assert_above(report.scaled_residual, 0.1);
  free(r), free(lambda);
  free_scene(&s);
}

// ---- refusals, memory ----------------------------------------------------------------------------

#define REFUSED(problem, text)                                                                                         \
  do {                                                                                                                 \
    hfError error;                                                                                                     \
    double r[6] = {7, 7, 7, 7, 7, 7};                                                                                  \
    hfFrictionConfig config = hf_friction_config_default();                                                            \
    hfFrictionSolution solution = {.r = r};                                                                            \
    hfFrictionReport report;                                                                                           \
    assert_true(hf_friction_solve((problem), &config, &solution, &report, &error) < 0);                                \
    if (!strstr(error.message, text)) fail_msg("\"%s\" does not contain \"%s\"", error.message, text);                 \
    assert_true(r[0] == 7);                                                                                            \
  } while (0)

static void test_refusals(void** state) {
  (void)state;
  denseMatrix W = new_dense(3, 3), H = new_dense(3, 3);
  for (int i = 0; i < 3; ++i) *dense_at(&W, i, i) = *dense_at(&H, i, i) = 1;
  compress(&W), compress(&H);
  double mu = 0.5, q[3] = {-1, 0, 0}, f[3] = {0, 0, 0};
  hfFrictionProblem good = {.dim = 3, .ncontact = 1, .mu = &mu, .W = W.sparse, .q = q}, p = good;
  p.dim = 4;
  REFUSED(&p, "dim = 4");
  p = good, p.ncontact = 2;
  REFUSED(&p, "W is (3 x 3), not (6 x 6)");
  p = good, p.q = NULL;
  REFUSED(&p, "there is no q");
  p = good, p.W.col[1] = 3;
  REFUSED(&p, "row 1, column 3");
  p.W.col[1] = 1, mu = -1;
  REFUSED(&p, "mu[0] = -1");
  mu = 0.5, q[1] = NAN;
  REFUSED(&p, "q[1] is not finite");
  q[1] = 0;
  // Row 1 of M is empty: singular.
  W.sparse.value[1] = 0;
  hfFrictionProblem global = {.form = HF_FORM_GLOBAL, .dim = 3, .ncontact = 1, .nv = 3, .mu = &mu, .M = W.sparse, .H = H.sparse, .f = f, .w = q};
  REFUSED(&global, "M is singular");
  free_dense(&W), free_dense(&H);
}

// Each allocation fails in turn: the call is refused for want of memory, and nothing stays allocated.
static void test_memory(void** state) {
  (void)state;
  if (!alloc_supported()) skip();
  testRandom random = {5};
  scene s = random_scene(&random);
  double *r = new_array((size_t)s.H.cols, 8), *lambda = new_array((size_t)s.G.cols, 8), *v = new_array((size_t)s.p.nv, 8);
  hfFrictionConfig config = hf_friction_config_default();
  hfFrictionSolution solution = {.r = r, .lambda = lambda, .v = v};
  hfFrictionReport report;
  hfError error;
  hfStatus status = HF_ERROR_MEMORY;
  long n = 0;
  while (status < 0) {
    long live = alloc_live();
    alloc_fail_at(++n);
    status = hf_friction_solve(&s.p, &config, &solution, &report, &error);
    alloc_fail_at(0);
    assert_int_equal(alloc_live(), live);
    if (status < 0) assert_int_equal(error.status, HF_ERROR_MEMORY);
  }
  assert_int_equal(status, HF_OK);
  assert_above(n, 8);
  free(r), free(lambda), free(v);
  free_scene(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_contact), cmocka_unit_test(test_block_on_slope),
                                     cmocka_unit_test(test_random_scenes), cmocka_unit_test(test_warm_start),
                                     cmocka_unit_test(test_refusals), cmocka_unit_test(test_memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
