// Branches and trunk of block-sparse matrices: springs between the nodes of grids of several shapes.
#include "linalg/block_memory.h"
#include "support/cmocka_all.h"

#include "linalg/block_sparse.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_NODES = 400 };

typedef struct fixture {
  void* memory;
  hfiBlockMatrix B;
} fixture;

static void set_up(fixture* f) {
  f->memory = plan_block_matrix(&f->B, MAX_NODES, MAX_NODES);
}

// Orders a grid of x times y times z nodes.
static void order_grid(hfiBlockMatrix* B, int x, int y, int z, int branches) {
  hfi_block_begin(B, x * y * z);
  B->branches.max = branches, B->ordering.last_nodes = 0;
  for (int i = 0; i < x * y * z; ++i) {
    B->weight[i] = 1;
    if (i % x) hfi_block_couple(B, i - 1, i);
    if (i / x % y) hfi_block_couple(B, i - x, i);
    if (i / (x * y)) hfi_block_couple(B, i - x * y, i);
  }
  assert_true(hfi_block_order(B));
}

static int part_of(const hfiBlockMatrix* B, int k) {
  int p = 0;
  while (k >= B->branches.start[p + 1]) ++p;
  return p;
}

static const int GRIDS[][3] = {{20, 20, 1}, {7, 7, 8}, {40, 3, 3}, {15, 5, 5}};
enum { GRID_COUNT = sizeof GRIDS / sizeof *GRIDS };

// A position is coupled only with later positions of its own branch and of the trunk.
static void test_branches_are_not_coupled(void** state) {
  (void)state;
  fixture f;
  set_up(&f);
  hfiBlockMatrix* B = &f.B;
  for (int g = 0; g < GRID_COUNT; ++g) {
    order_grid(B, GRIDS[g][0], GRIDS[g][1], GRIDS[g][2], 2);
    assert_int_equal(B->branches.count, 2);
    assert_int_equal(B->branches.start[0], 0);
    assert_int_equal(B->branches.start[3], B->nodes);
    for (int k = 0; k < B->nodes; ++k)
      for (int e = B->start[k]; e < B->start[k + 1]; ++e) {
        int own = part_of(B, k), other = part_of(B, B->later[e]);
        assert_above(B->later[e], k);
        assert_true(other == own || other == 2);
      }
  }
  free(f.memory);
}

// Branches are eliminated one after the other, but the factors have as many couplings as without branches.
static void test_factors_stay_as_sparse(void** state) {
  (void)state;
  fixture f;
  set_up(&f);
  for (int g = 0; g < GRID_COUNT; ++g) {
    order_grid(&f.B, GRIDS[g][0], GRIDS[g][1], GRIDS[g][2], 1);
    int couplings = f.B.start[f.B.nodes];
    assert_int_equal(f.B.branches.start[1], f.B.nodes);
    order_grid(&f.B, GRIDS[g][0], GRIDS[g][1], GRIDS[g][2], 2);
    assert_int_equal(f.B.start[f.B.nodes], couplings);
  }
  free(f.memory);
}

// Each branch has about half of the nodes. The trunk is the order of a cut through the grid.
static void test_branches_are_balanced(void** state) {
  (void)state;
  fixture f;
  set_up(&f);
  for (int g = 0; g < GRID_COUNT; ++g) {
    order_grid(&f.B, GRIDS[g][0], GRIDS[g][1], GRIDS[g][2], 2);
    int first = f.B.branches.start[1], second = f.B.branches.start[2] - first, trunk = f.B.nodes - first - second;
    print_message("%d nodes: %d, %d and a trunk of %d\n", f.B.nodes, first, second, trunk);
    assert_above(first, 0.25 * f.B.nodes);
    assert_above(second, 0.25 * f.B.nodes);
    assert_below(trunk, 0.3 * f.B.nodes);
  }
  free(f.memory);
}

// Three equal subtrees cannot be dealt out evenly. The trunk takes the root of one of them as well, and its halves fill the gap.
static void test_third_subtree_is_divided(void** state) {
  (void)state;
  enum { LIMB = 63, NODES = 3 * LIMB + 1 };
  fixture f;
  set_up(&f);
  hfi_block_begin(&f.B, NODES);
  f.B.branches.max = 2;
  for (int i = 0; i < NODES; ++i) f.B.weight[i] = 1;
  for (int limb = 0; limb < 3; ++limb) {
    hfi_block_couple(&f.B, NODES - 1, LIMB * limb);
    for (int i = 1; i < LIMB; ++i) hfi_block_couple(&f.B, LIMB * limb + i, LIMB * limb + (i - 1) / 2);
  }
  assert_true(hfi_block_order(&f.B));
  int first = f.B.branches.start[1], second = f.B.branches.start[2] - first;
  print_message("%d nodes: %d and %d\n", NODES, first, second);
  assert_at_most(abs(first - second), 2);
  assert_at_most(NODES - first - second, 3);
  free(f.memory);
}

// The elimination tree of a tower is a chain. There is nothing to deal out, and the matrix stays whole.
static void test_tower_stays_whole(void** state) {
  (void)state;
  fixture f;
  set_up(&f);
  order_grid(&f.B, 300, 1, 1, 2);
  assert_int_equal(f.B.branches.count, 1);
  assert_int_equal(f.B.branches.start[1], 300);
  assert_int_equal(f.B.branches.start[2], 300);
  free(f.memory);
}

// Nodes that are coupled with none are all roots. A matrix of one node stays whole.
static void test_nodes_without_couplings(void** state) {
  (void)state;
  fixture f;
  set_up(&f);
  hfi_block_begin(&f.B, 10);
  f.B.branches.max = 2;
  for (int i = 0; i < 10; ++i) f.B.weight[i] = 1;
  assert_true(hfi_block_order(&f.B));
  assert_int_equal(f.B.branches.start[1], 5);
  assert_int_equal(f.B.branches.start[2], 10);
  order_grid(&f.B, 1, 1, 1, 2);
  assert_int_equal(f.B.branches.count, 1);
  free(f.memory);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_branches_are_not_coupled), cmocka_unit_test(test_factors_stay_as_sparse),
      cmocka_unit_test(test_branches_are_balanced),    cmocka_unit_test(test_tower_stays_whole),
      cmocka_unit_test(test_nodes_without_couplings),  cmocka_unit_test(test_third_subtree_is_divided),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
