// Factors of a star against A x = b for a chosen x, with limbs of one to eight unknowns.
#include "support/cmocka_all.h"
#include "support/near.h"
#include "support/random.h"

#include "linalg/block_sparse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NMAX = 48 };
static const double tolerance = 1e-11; // condition below 1e3, times eps and n, with room

// A matrix of one node with a star.
typedef struct fixture {
  hfiBlockMatrix K;
  hfiStar star;
  void* memory;
} fixture;

static void plan(fixture* f, hfiArena* arena) {
  hfi_block_plan(&f->K, arena, 1, NMAX);
  hfi_star_plan(&f->star, arena, NMAX);
  f->K.value = HFI_TAKE(arena, double, NMAX * NMAX);
}

static int set_up(void** state) {
  fixture* f = calloc(1, sizeof *f);
  hfiArena planned = hfi_arena(NULL, 0);
  plan(f, &planned);
  f->memory = aligned_alloc(HFI_ALIGN, (planned.used + HFI_ALIGN - 1) / HFI_ALIGN * HFI_ALIGN);
  hfiArena arena = hfi_arena(f->memory, planned.used);
  plan(f, &arena);
  *state = f;
  return 0;
}

static int tear_down(void** state) {
  fixture* f = *state;
  free(f->memory);
  free(f);
  return 0;
}

// Fills a star of limbs with m1, m2 and m3 unknowns and returns the number of all. The numbers of two limbs beside each other are zero.
static int fill(fixture* f, testRandom* r, const int m[3], int symmetric) {
  int n = HFI_HUB + m[0] + m[1] + m[2], limb[NMAX];
  double* A = f->K.value;
  for (int i = 0; i < n; ++i) {
    int at = i - HFI_HUB;
    limb[i] = at < 0 ? -1 : at < m[0] ? 0 : at < m[0] + m[1] ? 1 : 2;
    f->star.reach[i] = i;
  }
  for (int i = 0; i < n; ++i)
    for (int j = i; j < n; ++j) {
      int coupled = limb[i] < 0 || limb[i] == limb[j];
      double a = coupled ? random_uniform(r, -1, 1) : 0, b = coupled ? random_uniform(r, -1, 1) : 0;
      A[i * n + j] = i == j ? 2.0 * n + a : a;
      A[j * n + i] = i == j ? A[i * n + j] : symmetric ? a : b;
    }
  hfi_block_make_one(&f->K, n);
  assert_true(hfi_star_find_limbs(&f->star, A, n));
  f->K.star = &f->star;
  return n;
}

// b = A x for a random x.
static void make_right_side(testRandom* r, const double* A, int n, double* x, double* b) {
  for (int i = 0; i < n; ++i) x[i] = random_uniform(r, -1, 1);
  for (int i = 0; i < n; ++i) {
    b[i] = 0;
    for (int j = 0; j < n; ++j) b[i] += A[i * n + j] * x[j];
  }
}

static void test_solves_with_limbs_of_all_lengths(void** state) {
  fixture* f = *state;
  testRandom r = {31};
  double x[NMAX], b[NMAX];
  for (int m = 1; m <= HFI_LONGEST_LIMB; ++m)
    for (int symmetric = 0; symmetric < 2; ++symmetric) {
      int lengths[3] = {m, 3, 1 + m % 4}, n = fill(f, &r, lengths, symmetric);
      make_right_side(&r, f->K.value, n, x, b);
      for (int i = 0; symmetric && i < n; ++i)
        for (int j = 0; j < i; ++j) f->K.value[i * n + j] = NAN; // Nothing below the diagonal is read.
      assert_int_equal(hfi_block_factor(&f->K, symmetric), 0);
      assert_true(f->star.factored);
      assert_int_equal(f->star.limbs, 3);
      hfi_block_solve(&f->K, b);
      assert_true(largest_difference(b, x, n) < tolerance);
    }
}

// The first pivot of a leg is zero, and the next row has to take its place: the star gives up, and the dense factors exchange rows.
static void test_bad_pivot_of_a_limb_is_left_to_dense_factors(void** state) {
  fixture* f = *state;
  testRandom r = {32};
  int lengths[3] = {3, 3, 3}, n = fill(f, &r, lengths, 0);
  double x[NMAX], b[NMAX];
  f->K.value[9 * (n + 1)] = 0, f->K.value[9 * n + 10] = f->K.value[10 * n + 9] = 2.0 * n;
  make_right_side(&r, f->K.value, n, x, b);
  assert_int_equal(hfi_block_factor(&f->K, 0), 0);
  assert_false(f->star.factored);
  hfi_block_solve(&f->K, b);
  assert_true(largest_difference(b, x, n) < tolerance);
}

static void test_indefinite_matrix_fails(void** state) {
  fixture* f = *state;
  testRandom r = {33};
  int lengths[3] = {3, 3, 3}, n = fill(f, &r, lengths, 1);
  f->K.value[7 * (n + 1)] = -1;
  assert_int_not_equal(hfi_block_factor(&f->K, 1), 0);
}

// Unknowns 6 and 8 are coupled, 7 and 10 too, one pair by the matrix and one by what else is known: they are one limb. 12 and 13 are another one.
static void test_limbs_that_overlap_are_one(void** state) {
  hfiStar* star = &((fixture*)*state)->star;
  double A[14 * 14] = {0};
  for (int32_t i = 0; i < 14; ++i) star->reach[i] = i, A[i * 15] = 1;
  A[6 * 14 + 8] = -1, A[12 * 14 + 13] = 5e-324;
  star->reach[7] = 10;
  assert_true(hfi_star_find_limbs(star, A, 14));
  assert_int_equal(star->limbs, 3);
  assert_int_equal(star->limb[1], 11);
  assert_int_equal(star->limb[2], 12);
  assert_int_equal(star->limb[3], 14);
}

static void test_long_limb_and_single_limb_make_no_star(void** state) {
  hfiStar* star = &((fixture*)*state)->star;
  double A[20 * 20] = {0};
  for (int32_t i = 0; i < 20; ++i) star->reach[i] = i;
  A[6 * 20 + 14] = 1; // nine unknowns
  assert_false(hfi_star_find_limbs(star, A, 20));
  star->reach[6] = 8;
  memset(A, 0, sizeof A);
  assert_false(hfi_star_find_limbs(star, A, 9));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_solves_with_limbs_of_all_lengths, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_bad_pivot_of_a_limb_is_left_to_dense_factors, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_indefinite_matrix_fails, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_limbs_that_overlap_are_one, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_long_limb_and_single_limb_make_no_star, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
