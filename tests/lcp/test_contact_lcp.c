// Problems as contact makes them: aligned box stacks (rank deficient, degenerate), and the mixed problem
// of drives with effort limits and friction cones of the error-feedback paper, Eq. (2)-(7).
#include "support/cmocka_all.h"

#include "random_lcp.h"
#include "support/near.h"

#include <string.h>

static const double gravity = 9.81; // [m/s^2]

static hfStatus run(const Problem* p, hfLcpMethod method, double* z, hfLcpReport* report) {
  hfLcpConfig c = hf_lcp_config_default();
  c.method = method;
  size_t size = hf_lcp_work_size(method, p->n);
  void* work = malloc(size);
  assert_non_null(work);
  double w[MAX_ROWS];
  hfStatus status = hf_lcp_solve(&p->lcp, &c, z, w, work, size, report, NULL);
  for (int32_t i = 0; i < p->n; ++i) assert_true(isfinite(z[i]) && isfinite(w[i]));
  assert_true(isfinite(report->residual));
  free(work);
  return status;
}

// ---- box stacks ----------------------------------------------------------------------------------

enum { DOF = 6, CORNERS = 4 };

typedef struct Stack {
  int32_t boxes, rows_per_corner; // 1: frictionless, 3: with two tangents
  double mass, half;              // [kg], [m] cubes
  double push;                    // horizontal force on the top box at its centre [N]
} Stack;

// Row of the relative velocity at corner k of interface i along axis a (0, 1 tangents, 2 normal), upper
// box minus lower box; dofs of a box: v (3), omega (3).
static void fill_jacobian_row(const Stack* s, int32_t i, int32_t k, int32_t a, double* J) {
  double x = k & 1 ? s->half : -s->half, y = k & 2 ? s->half : -s->half;
  memset(J, 0, sizeof(double) * DOF * (size_t)s->boxes);
  for (int32_t side = 0; side < 2; ++side) { // 0: upper box i, 1: lower box i - 1
    int32_t box = i - side;
    if (box < 0) continue; // the ground
    double sign = side == 0 ? 1 : -1, r[3] = {x, y, side == 0 ? -s->half : s->half};
    double* d = J + box * DOF;
    d[a] += sign;
    int32_t b = (a + 1) % 3, c = (a + 2) % 3; // (omega x r)_a = omega_b r_c - omega_c r_b
    d[3 + b] += sign * r[c];
    d[3 + c] -= sign * r[b];
  }
}

// A = J M^-1 J^T, b = J M^-1 f [m/s^2]: unknowns are contact forces [N]. Friction forces of a corner are
// bounded by `limit`.
static void fill_stack(Problem* p, const Stack* s, double limit) {
  int32_t n = s->boxes * CORNERS * s->rows_per_corner, nv = s->boxes * DOF;
  double* J = calloc((size_t)(n * nv), sizeof(double));
  assert_non_null(J);
  set_size(p, n);
  for (int32_t row = 0; row < n; ++row) {
    int32_t corner = row / s->rows_per_corner, a = s->rows_per_corner == 1 ? 2 : row % 3;
    fill_jacobian_row(s, corner / CORNERS, corner % CORNERS, a, J + row * nv);
    if (a != 2) p->lo[row] = -limit, p->hi[row] = limit;
  }
  double inertia = s->mass * 2 / 3 * s->half * s->half; // of a cube of side 2 half
  for (int32_t i = 0; i < n; ++i) {
    p->b[i] = 0;
    for (int32_t d = 0; d < nv; ++d) {
      double f = d % DOF == 2 ? -s->mass * gravity : (d == nv - DOF ? s->push : 0);
      p->b[i] += J[i * nv + d] * f / (d % DOF < 3 ? s->mass : inertia);
    }
    for (int32_t j = 0; j < n; ++j) {
      double sum = 0;
      for (int32_t d = 0; d < nv; ++d) sum += J[i * nv + d] * J[j * nv + d] / (d % DOF < 3 ? s->mass : inertia);
      p->A[i * n + j] = sum;
    }
  }
  free(J);
}

static double interface_force(const Stack* s, const double* z, int32_t interface, int32_t axis) {
  double sum = 0;
  for (int32_t k = 0; k < CORNERS; ++k)
    sum += z[(interface * CORNERS + k) * s->rows_per_corner + (s->rows_per_corner == 1 ? 0 : axis)];
  return sum;
}

// Every interface carries the weight above it; four corners give rank three, and all b but those at the
// ground are zero.
static void test_frictionless_stacks(void** state) {
  (void)state;
  Problem p = make_problem(MAX_ROWS);
  double z[MAX_ROWS];
  for (int32_t boxes = 1; boxes <= 10; ++boxes) {
    Stack s = {boxes, 1, 0.7, 0.05, 0};
    fill_stack(&p, &s, 0);
    void* work = malloc(hf_certificate_work_size(p.n));
    assert_non_null(work);
    assert_int_equal(hf_matrix_rank(p.n, p.n, p.A, NULL, work, hf_certificate_work_size(p.n)), 3 * boxes);
    free(work);
    for (int method = HF_LCP_LEMKE; method <= HF_LCP_DANTZIG; ++method) {
      hfLcpReport r;
      assert_int_equal(run(&p, (hfLcpMethod)method, z, &r), HF_OK);
      assert_below(violation(&p, z, 1e-9), 1e-9);
      for (int32_t i = 0; i < boxes; ++i)
        assert_near(interface_force(&s, z, i, 2), s.mass * gravity * (boxes - i), 1e-9 * boxes * s.mass * gravity);
    }
    hfLcpReport r;
    assert_at_least(run(&p, HF_LCP_GAUSS_SEIDEL, z, &r), HF_OK); // slow on tall stacks, but finite
  }
  free_problem(&p);
}

// Friction boxes, a push on the top box: sticks where the corners can carry it (no tangential
// acceleration, each interface transmits the push), slides with a = (push - 4 limit)/m where they cannot.
static void test_frictional_stacks(void** state) {
  (void)state;
  Problem p = make_problem(MAX_ROWS);
  double z[MAX_ROWS];
  int32_t most = 0;
  for (int32_t boxes = 1; boxes <= 5; ++boxes)
    for (int slides = 0; slides < 2; ++slides)
      for (int method = HF_LCP_LEMKE; method <= HF_LCP_DANTZIG; ++method) {
        Stack s = {boxes, 3, 0.7, 0.05, slides ? 1.0 : 0.4};
        hfLcpReport r;
        fill_stack(&p, &s, 0.15); // 0.6 N an interface
        assert_int_equal(run(&p, (hfLcpMethod)method, z, &r), HF_OK);
        assert_below(violation(&p, z, 1e-9), 1e-9);
        most = r.pivots > most ? r.pivots : most;
        for (int32_t i = 0; i < boxes; ++i) {
          double carried = !slides ? -s.push : -0.6;
          if (slides && i < boxes - 1) carried = -0.6; // the layer below the top transmits what it gets
          assert_near(interface_force(&s, z, i, 0), carried, 1e-9);
          assert_near(interface_force(&s, z, i, 2), s.mass * gravity * (boxes - i), 1e-8);
        }
      }
  print_message("at most %d pivots for 60 rows\n", most);
  free_problem(&p);
}

// ---- drives, contacts and cones ------------------------------------------------------------------

enum { NV = 6, DRIVES = 3, CONTACTS = 2, EDGES = 4, MIXED = NV + DRIVES + CONTACTS * (2 + EDGES) };

typedef struct Mixed {
  double J[DRIVES + CONTACTS * (1 + EDGES)][NV]; // rows P, N, F
  double desired[DRIVES];
} Mixed;

// [M -P^T -N^T -F^T 0; P 0; N 0; F 0 0 0 E; 0 0 mu -E^T 0] and -(kappa, qd_des, 0, 0, 0).
static void fill_mixed(testRandom* r, Problem* p, Mixed* m, double limit) {
  enum { ROWS_J = DRIVES + CONTACTS * (1 + EDGES), LAMBDA = NV + ROWS_J };
  double G[NV * NV];
  Problem mass = {.n = NV, .A = G};
  set_size(p, MIXED);
  memset(p->A, 0, sizeof(double) * MIXED * MIXED);
  memset(p->b, 0, sizeof(double) * MIXED);
  fill_gram(r, &mass, NV);
  add_diagonal(&mass, 0.2);
  memset(m, 0, sizeof *m);
  for (int d = 0; d < DRIVES; ++d) m->J[d][d] = 1, m->desired[d] = random_uniform(r, -1, 1);
  for (int c = 0; c < CONTACTS; ++c)
    for (int d = 0; d < NV; ++d) {
      m->J[DRIVES + c][d] = random_uniform(r, -1, 1);
      for (int e = 0; e < EDGES / 2; ++e) {
        int row = DRIVES + CONTACTS + c * EDGES + e;
        m->J[row][d] = random_uniform(r, -1, 1);
        m->J[row + EDGES / 2][d] = -m->J[row][d];
      }
    }
  for (int i = 0; i < NV; ++i) {
    p->lo[i] = -INFINITY;
    p->b[i] = random_uniform(r, -1, 1);
    for (int j = 0; j < NV; ++j) p->A[i * MIXED + j] = G[i * NV + j];
  }
  for (int k = 0; k < ROWS_J; ++k)
    for (int d = 0; d < NV; ++d) {
      p->A[(NV + k) * MIXED + d] = m->J[k][d];
      p->A[d * MIXED + NV + k] = -m->J[k][d];
    }
  for (int d = 0; d < DRIVES; ++d) {
    p->b[NV + d] = -m->desired[d];
    p->lo[NV + d] = -limit, p->hi[NV + d] = limit;
  }
  for (int c = 0; c < CONTACTS; ++c) {
    p->A[(LAMBDA + c) * MIXED + NV + DRIVES + c] = random_uniform(r, 0.1, 1);
    for (int e = 0; e < EDGES; ++e) {
      int row = NV + DRIVES + CONTACTS + c * EDGES + e;
      p->A[row * MIXED + LAMBDA + c] = 1;
      p->A[(LAMBDA + c) * MIXED + row] = -1;
    }
  }
}

// With finite effort limits and independent rows Lemke solves all of them; every drive is at its speed or
// at the limit that pushes towards it. Without limits a speed may contradict the contacts: then a status.
static void test_drives_with_effort_limits(void** state) {
  (void)state;
  testRandom r = {test_seed()};
  print_message("seed %llu (HF_SEED)\n", (unsigned long long)r.state);
  Problem p = make_problem(MIXED);
  Mixed m;
  int32_t total = 500, solved[3][2] = {{0}}, at_limit = 0;
  const double limits[3] = {0.3, 3, INFINITY};
  for (int l = 0; l < 3; ++l)
    for (int32_t trial = 0; trial < total; ++trial) {
      fill_mixed(&r, &p, &m, limits[l]);
      for (int method = HF_LCP_LEMKE; method <= HF_LCP_DANTZIG; ++method) {
        double z[MIXED];
        hfLcpReport report;
        hfStatus status = run(&p, (hfLcpMethod)method, z, &report);
        assert_in_range(status, HF_OK, HF_NO_SOLUTION);
        if (status != HF_OK) continue;
        ++solved[l][method];
        assert_below(violation(&p, z, 1e-9), 1e-9);
        for (int d = 0; d < DRIVES; ++d) {
          double miss = z[d] - m.desired[d], tau = z[NV + d];
          if (fabs(miss) < 1e-8) continue;
          assert_near(tau, miss > 0 ? -limits[l] : limits[l], 1e-12); // too fast: brakes with all it has
          ++at_limit;
        }
      }
    }
  for (int l = 0; l < 3; ++l)
    print_message("limit %g: Lemke solves %d, Dantzig %d of %d\n", limits[l], solved[l][0], solved[l][1], total);
  assert_int_equal(solved[0][HF_LCP_LEMKE], total);
  assert_int_equal(solved[1][HF_LCP_LEMKE], total);
  assert_above(at_limit, 100);
  free_problem(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_frictionless_stacks),
      cmocka_unit_test(test_frictional_stacks),
      cmocka_unit_test(test_drives_with_effort_limits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
