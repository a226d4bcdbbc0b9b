// The block-sparse factorisation against the dense one on the same matrix, and the order against
// graphs whose best order is known.
#include "linalg/block_memory.h"
#include "support/cmocka_all.h"
#include "support/alloc.h"
#include "support/near.h"
#include "support/random.h"

#include "linalg/block_sparse.h"
#include "linalg/dense.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_NODES = 40, MAX_N = 160 };

typedef struct fixture {
  void* memory;
  hfiBlockMatrix B;
  double value[MAX_N * MAX_N];
  double K[MAX_N * MAX_N]; // the same matrix, dense, in the order of elimination
  int n;
} fixture;

static void set_up(fixture* f) {
  f->memory = plan_block_matrix(&f->B, MAX_NODES, MAX_N);
  f->B.value = f->value;
}

// Half of the graphs have nodes of six unknowns, as heaps of free bodies do.
static void random_graph(fixture* f, testRandom* r) {
  int six = random_chance(r, 0.5), nodes = 1 + random_int(r, six ? MAX_N / 6 : MAX_NODES);
  hfi_block_begin(&f->B, nodes);
  for (int i = 0; i < nodes; ++i) f->B.weight[i] = six ? 6 : 1 + random_int(r, MAX_N / MAX_NODES);
  for (int e = 0; e < 2 * nodes; ++e)
    hfi_block_couple(&f->B, random_int(r, nodes), random_int(r, nodes));
  assert_true(hfi_block_order(&f->B));
  f->n = f->B.first[nodes];
}

// Random values on the pattern, dominated by the diagonal; written to both forms. One block of four stays zero.
static void random_values(fixture* f, testRandom* r, int symmetric) {
  hfiBlockMatrix* B = &f->B;
  int n = f->n;
  memset(f->K, 0, sizeof f->K);
  hfi_block_zero(B, 0, B->nodes, symmetric);
  for (int k = 0; k < B->nodes; ++k) {
    int a = B->first[k], m = B->size[k], w = B->width[k], ld = hfi_block_stride(B, k);
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < m; ++j) {
        double x = i == j               ? 3.0 * n
                   : symmetric && j < i ? f->K[(a + j) * n + a + i]
                                        : random_normal(r);
        f->K[(a + i) * n + a + j] = hfi_block_rows(B, k)[i * ld + j] = x;
      }
    for (int e = B->start[k]; e < B->start[k + 1]; ++e) {
      int b = B->first[B->later[e]];
      if (random_chance(r, 0.25)) continue;
      for (int i = 0; i < m; ++i)
        for (int j = 0; j < B->size[B->later[e]]; ++j) {
          double x = random_normal(r), y = symmetric ? x : random_normal(r);
          int at = B->offset[e] + j;
          f->K[(a + i) * n + b + j] = hfi_block_rows(B, k)[i * ld + m + at] = x;
          f->K[(b + j) * n + a + i] = hfi_block_lower(B, k)[i * w + at] = y;
        }
    }
  }
}

static void test_solution_equals_dense(void** state) {
  (void)state;
  static fixture f;
  set_up(&f);
  testRandom r = {21};
  for (int trial = 0; trial < 200; ++trial) {
    int symmetric = trial & 1;
    double b[MAX_N], x[MAX_N];
    int32_t pivot[MAX_N];
    random_graph(&f, &r);
    random_values(&f, &r, symmetric);
    for (int i = 0; i < f.n; ++i) x[i] = b[i] = random_uniform(&r, -1, 1);
    assert_int_equal(hfi_block_factor(&f.B, symmetric), 0);
    hfi_block_solve(&f.B, x);
    assert_int_equal(hfi_lu(f.K, f.n, f.n, pivot), 0);
    hfi_lu_solve(f.K, f.n, f.n, pivot, b);
    for (int i = 0; i < f.n; ++i) assert_near(x[i], b[i], 1e-13); // x is about 1/(3 n)
  }
  free(f.memory);
}

static void test_order_is_a_permutation_and_reach_is_later(void** state) {
  (void)state;
  static fixture f;
  set_up(&f);
  testRandom r = {22};
  for (int trial = 0; trial < 50; ++trial) {
    random_graph(&f, &r);
    for (int k = 0; k < f.B.nodes; ++k) {
      assert_int_equal(f.B.ordering.position[f.B.ordering.order[k]], k);
      for (int e = f.B.start[k]; e < f.B.start[k + 1]; ++e) {
        assert_above(f.B.later[e], (e > f.B.start[k] ? f.B.later[e - 1] : k));
        assert_int_equal(hfi_block_column(&f.B, k, f.B.later[e]), f.B.offset[e]);
      }
    }
  }
  free(f.memory);
}

// A star, eliminated from its tips, and a chain, from its ends, have no fill at all; naturally
// ordered with the hub first a star would be full.
static void test_star_and_chain_have_no_fill(void** state) {
  (void)state;
  static fixture f;
  set_up(&f);
  for (int chain = 0; chain < 2; ++chain) {
    hfi_block_begin(&f.B, 30);
    for (int i = 0; i < 30; ++i) f.B.weight[i] = 2;
    for (int i = 1; i < 30; ++i) hfi_block_couple(&f.B, chain ? i - 1 : 0, i);
    assert_true(hfi_block_order(&f.B));
    assert_int_equal(f.B.start[30], 29);
  }
  free(f.memory);
}

static void test_heavy_nodes_are_avoided(void** state) {
  (void)state;
  static fixture f;
  set_up(&f);
  // A square 0-1-2-3: neighbours of 0 and 2 are 1 and 3 (4 + 4 dofs), of 1 and 3 are 0 and 2 (1 +
  // 1).
  hfi_block_begin(&f.B, 4);
  int weights[4] = {1, 4, 1, 4};
  for (int i = 0; i < 4; ++i) {
    f.B.weight[i] = weights[i];
    hfi_block_couple(&f.B, i, (i + 1) % 4);
  }
  assert_true(hfi_block_order(&f.B));
  assert_int_equal(f.B.ordering.order[0], 1);
  free(f.memory);
}

static void test_failed_pivot_names_its_position(void** state) {
  (void)state;
  static fixture f;
  set_up(&f);
  hfi_block_begin(&f.B, 2);
  f.B.weight[0] = f.B.weight[1] = 1;
  hfi_block_couple(&f.B, 0, 1);
  assert_true(hfi_block_order(&f.B));
  double values[6] = {1, 2, 2, 4}; // singular
  for (int symmetric = 0; symmetric < 2; ++symmetric) {
    hfi_block_rows(&f.B, 0)[0] = values[0];
    hfi_block_rows(&f.B, 0)[1] = values[1];
    hfi_block_lower(&f.B, 0)[0] = values[2];
    hfi_block_rows(&f.B, 1)[0] = values[3];
    assert_int_equal(hfi_block_factor(&f.B, symmetric), 2);
  }
  free(f.memory);
}

// The pattern of 20,000 nodes is planned in less memory than their couplings would need if each of them were coupled with each other one.
static void test_plan_of_many_nodes(void** state) {
  (void)state;
  enum { NODES = 20000 };
  hfiBlockMatrix B;
  hfiArena plan = hfi_arena(NULL, 0);
  hfi_block_plan(&B, &plan, NODES, 6 * NODES);
  print_message("%.0f MB\n", 1e-6 * (double)plan.used);
  assert_below(plan.used, (size_t)NODES * NODES); // Two int32 for each pair would be four times that.
}

// A pattern with more couplings than were planned is refused, and the next ordering works again.
static void test_pattern_beyond_the_plan_is_refused(void** state) {
  (void)state;
  static fixture f, g;
  set_up(&f), set_up(&g);
  testRandom r = {23};

  for (int trial = 0; trial < 50; ++trial) {
    testRandom again = r;
    random_graph(&f, &r);
    size_t planned = g.B.capacity.couplings;

    g.B.capacity.couplings = 0; // as if nothing had been planned
    hfi_block_begin(&g.B, MAX_NODES);
    for (int i = 0; i < MAX_NODES; ++i) g.B.weight[i] = 1;
    for (int i = 0; i < MAX_NODES; ++i)
      for (int j = 0; j < i; ++j) hfi_block_couple(&g.B, i, j);
    assert_false(hfi_block_order(&g.B));

    g.B.capacity.couplings = planned;
    random_graph(&g, &again);
    int nodes = f.B.nodes;
    size_t couplings = (size_t)f.B.start[nodes];
    assert_memory_equal(f.B.ordering.order, g.B.ordering.order, sizeof *f.B.ordering.order * (size_t)nodes);
    assert_memory_equal(f.B.later, g.B.later, sizeof *f.B.later * couplings);
    assert_memory_equal(f.B.offset, g.B.offset, sizeof *f.B.offset * couplings);
  }
  free(f.memory);
  free(g.memory);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_solution_equals_dense),
      cmocka_unit_test(test_order_is_a_permutation_and_reach_is_later),
      cmocka_unit_test(test_star_and_chain_have_no_fill),
      cmocka_unit_test(test_heavy_nodes_are_avoided),
      cmocka_unit_test(test_failed_pivot_names_its_position),
      cmocka_unit_test(test_plan_of_many_nodes),
      cmocka_unit_test(test_pattern_beyond_the_plan_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
