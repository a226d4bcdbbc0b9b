// Factors of a star against A x = b for a chosen x, with limbs and waists of all lengths that a star may have.
#include "support/cmocka_all.h"
#include "support/near.h"
#include "support/random.h"

#include "linalg/block_sparse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NMAX = 96 };
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

// Fills A with random numbers where part[i] is coupled to part[j], and large ones on the diagonal. Part 0 is coupled to all, part 1 to those from `arm` to
// `arm_end`, and each other part to itself.
static void fill_parts(double* A, testRandom* r, const int* part, int n, int arm, int arm_end, int symmetric) {
  for (int i = 0; i < n; ++i)
    for (int j = i; j < n; ++j) {
      int coupled = part[i] == 0 || part[i] == part[j] || (part[i] == 1 && part[j] >= arm && part[j] < arm_end);
      double a = coupled ? random_uniform(r, -1, 1) : 0, b = coupled ? random_uniform(r, -1, 1) : 0;
      A[i * n + j] = i == j ? 2.0 * n + a : a;
      A[j * n + i] = i == j ? A[i * n + j] : symmetric ? a : b;
    }
}

// Makes one node of A, which is a star.
static void make_star(fixture* f, int n) {
  hfi_star_begin(&f->star, n);
  hfi_block_make_one(&f->K, n);
  assert_true(hfi_star_find_limbs(&f->star, f->K.value, n));
  f->K.star = &f->star;
}

// Fills a star of limbs with m1, m2 and m3 unknowns and returns the number of all. The numbers of two limbs beside each other are zero.
static int fill(fixture* f, testRandom* r, const int m[3], int symmetric) {
  int n = HFI_TRUNK + m[0] + m[1] + m[2], part[NMAX];
  for (int i = 0; i < n; ++i) {
    int at = i - HFI_TRUNK;
    part[i] = at < 0 ? 0 : at < m[0] ? 2 : at < m[0] + m[1] ? 3 : 4;
  }
  fill_parts(f->K.value, r, part, n, 0, 0, symmetric);
  make_star(f, n);
  return n;
}

// Fills a humanoid: a leg, a waist of `waist` unknowns with two arms, and another leg that follows them.
static int fill_humanoid(fixture* f, testRandom* r, int leg, int waist, int arm, int symmetric) {
  int size[] = {HFI_TRUNK, leg, waist, arm, arm, leg}, kind[] = {0, 2, 1, 3, 4, 5}, part[NMAX], n = 0;
  for (int p = 0; p < 6; ++p)
    for (int k = 0; k < size[p]; ++k) part[n++] = kind[p];
  fill_parts(f->K.value, r, part, n, 3, 5, symmetric);
  make_star(f, n);
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

static void check_solution(fixture* f, testRandom* r, int n, int symmetric) {
  double x[NMAX], b[NMAX];
  make_right_side(r, f->K.value, n, x, b);
  for (int i = 0; symmetric && i < n; ++i)
    for (int j = 0; j < i; ++j) f->K.value[i * n + j] = NAN; // Nothing below the diagonal is read.
  assert_int_equal(hfi_block_factor(&f->K, symmetric), 0);
  assert_true(f->star.factored);
  hfi_block_solve(&f->K, b);
  assert_below(largest_difference(b, x, n), tolerance);
}

static void test_solves_with_limbs_of_all_lengths(void** state) {
  fixture* f = *state;
  testRandom r = {31};
  for (int m = 1; m <= HFI_LONGEST_LIMB; ++m)
    for (int symmetric = 0; symmetric < 2; ++symmetric) {
      int lengths[3] = {m, 3, 1 + m % 4}, n = fill(f, &r, lengths, symmetric);
      assert_int_equal(f->star.nlimb, 3);
      check_solution(f, &r, n, symmetric);
    }
}

static void test_solves_with_waists_of_all_lengths(void** state) {
  fixture* f = *state;
  testRandom r = {34};
  for (int waist = 1; waist <= HFI_LONGEST_WAIST; ++waist)
    for (int arm = 6; arm <= HFI_LONGEST_LIMB; ++arm)
      for (int symmetric = 0; symmetric < 2; ++symmetric) {
        int leg = 3 + arm % 4, n = fill_humanoid(f, &r, leg, waist, arm, symmetric);
        assert_int_equal(f->star.nlimb, 4);
        assert_int_equal(f->star.waist[0], HFI_TRUNK + leg);
        assert_int_equal(f->star.nwaist, waist);
        for (int l = 0; l < 4; ++l) assert_int_equal(f->star.limb[l].nwaist, l == 1 || l == 2 ? waist : 0);
        check_solution(f, &r, n, symmetric);
      }
}

// A hand that touches the other one couples the arms, also where the first unknown of that coupling belongs to the waist. The waist would need 15 unknowns.
static void test_long_arms_that_touch_make_no_star(void** state) {
  fixture* f = *state;
  testRandom r = {35};
  int n = fill_humanoid(f, &r, 6, 3, 18, 1);
  for (int i = 12; i < 51; ++i) hfi_star_couple(&f->star, i, 50);
  assert_false(hfi_star_find_limbs(&f->star, f->K.value, n));
}

static void test_legs_that_touch_are_one_limb(void** state) {
  fixture* f = *state;
  testRandom r = {36};
  int lengths[3] = {7, 7, 3}, n = fill(f, &r, lengths, 0);
  for (int i = 6; i < 13; ++i) f->K.value[i * n + 19] = f->K.value[19 * n + i] = 0.5, hfi_star_couple(&f->star, i, 19);
  assert_true(hfi_star_find_limbs(&f->star, f->K.value, n));
  assert_int_equal(f->star.nlimb, 2);
  assert_int_equal(f->star.limb[0].size, 14);
  assert_int_equal(f->star.nwaist, 0);
  check_solution(f, &r, n, 0);
}

// The first pivot of a leg is zero, then a later one of an arm is small, and other rows of the limb take their places.
static void test_rows_of_a_limb_are_exchanged(void** state) {
  fixture* f = *state;
  testRandom r = {32};
  int n = fill_humanoid(f, &r, 5, 7, 9, 0), leg = 6, wrist = 25;
  f->K.value[leg * (n + 1)] = 0, f->K.value[leg * n + leg + 3] = f->K.value[(leg + 3) * n + leg] = 2.0 * n;
  f->K.value[wrist * (n + 1)] = 1, f->K.value[wrist * n + wrist + 1] = f->K.value[(wrist + 1) * n + wrist] = 2.0 * n;
  check_solution(f, &r, n, 0);
}

// All numbers in a column of a leg are zero but those of the hub: the star gives up, and the dense factors exchange rows.
static void test_limb_without_a_pivot_is_left_to_dense_factors(void** state) {
  fixture* f = *state;
  testRandom r = {37};
  int lengths[3] = {3, 3, 3}, n = fill(f, &r, lengths, 0);
  double x[NMAX], b[NMAX];
  for (int i = 9; i < 12; ++i) f->K.value[i * n + 9] = 0;
  make_right_side(&r, f->K.value, n, x, b);
  assert_int_equal(hfi_block_factor(&f->K, 0), 0);
  assert_false(f->star.factored);
  hfi_block_solve(&f->K, b);
  assert_below(largest_difference(b, x, n), 100 * tolerance); // one pivot is 100 times smaller than the others
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
  hfi_star_begin(star, 14);
  for (int i = 0; i < 14; ++i) A[i * 15] = 1;
  A[6 * 14 + 8] = -1, A[12 * 14 + 13] = 5e-324;
  hfi_star_couple(star, 7, 10);
  assert_true(hfi_star_find_limbs(star, A, 14));
  assert_int_equal(star->nlimb, 3);
  assert_int_equal(star->limb[1].first, 11);
  assert_int_equal(star->limb[2].first, 12);
  assert_int_equal(star->limb[2].size, 2);
}

// Says that the unknowns from `first` to `last` are coupled to all that follow among them.
static void couple_chain(hfiStar* star, int first, int last) {
  for (int i = first; i < last; ++i) hfi_star_couple(star, i, last);
}

// 25 unknowns in a row are a waist of one and a limb of 24, which with a second limb make a star. One limb makes none, nor does a longer waist.
static void test_long_limb_gives_its_first_unknowns_to_the_waist(void** state) {
  hfiStar* star = &((fixture*)*state)->star;
  double A[50 * 50] = {0};
  hfi_star_begin(star, 50);
  couple_chain(star, 6, 30);
  assert_true(hfi_star_find_limbs(star, A, 32));
  assert_int_equal(star->nwaist, 1);
  assert_int_equal(star->limb[0].size, 24);
  assert_int_equal(star->limb[0].nwaist, 1);
  assert_int_equal(star->limb[1].nwaist, 0);
  assert_false(hfi_star_find_limbs(star, A, 31));
  couple_chain(star, 6, 44);
  assert_false(hfi_star_find_limbs(star, A, 50));
}

// Three unknowns and three limbs of two that share them are a waist with limbs; where each is coupled to all that follow, they are one limb. No star has fewer
// unknowns in limbs than in the hub.
static void test_unknowns_that_limbs_share_are_a_waist(void** state) {
  hfiStar* star = &((fixture*)*state)->star;
  double A[40 * 40] = {0};
  hfi_star_begin(star, 40);
  couple_chain(star, 6, 14);
  assert_true(hfi_star_find_limbs(star, A, 18));
  assert_int_equal(star->nwaist, 0);
  assert_int_equal(star->limb[0].size, 9);
  hfi_star_begin(star, 40);
  for (int i = 6; i < 9; ++i) hfi_star_couple(star, i, 14);
  for (int i = 9; i < 15; i += 2) hfi_star_couple(star, i, i + 1);
  assert_true(hfi_star_find_limbs(star, A, 18));
  assert_int_equal(star->nwaist, 3);
  assert_int_equal(star->limb[2].size, 2);
  assert_int_equal(star->limb[2].nwaist, 3);
  assert_false(hfi_star_find_limbs(star, A, 15));
}

// The left leg of a humanoid comes first and touches the right one, which comes last, behind a waist and two arms: the left leg joins the waist.
static void test_leg_that_touches_another_joins_the_waist(void** state) {
  fixture* f = *state;
  testRandom r = {38};
  for (int symmetric = 0; symmetric < 2; ++symmetric) {
    int n = fill_humanoid(f, &r, 5, 3, 9, symmetric), right = n - 5, waist[8] = {6, 7, 8, 9, 10, 11, 12, 13};
    for (int i = 6; i < 11; ++i) f->K.value[i * n + right] = f->K.value[right * n + i] = 0.5, hfi_star_couple(&f->star, i, right);
    assert_true(hfi_star_find_limbs(&f->star, f->K.value, n));
    assert_int_equal(f->star.nwaist, 8);
    assert_memory_equal(f->star.waist, waist, sizeof waist);
    check_solution(f, &r, n, symmetric);
  }
}

// There are limbs between two parts of the waist. What A has below its diagonal for the second part and a limb before it is not read.
static void test_two_waists(void** state) {
  fixture* f = *state;
  testRandom r = {39};
  for (int symmetric = 0; symmetric < 2; ++symmetric) {
    int n = 40, part[NMAX], waist[5] = {6, 7, 19, 20, 21};
    for (int i = 0; i < n; ++i) part[i] = i < 6 ? 0 : i < 8 ? 1 : i < 13 ? 2 : i < 18 ? 3 : i < 19 ? 4 : 5 + (i - 19) / 7;
    fill_parts(f->K.value, &r, part, n, 2, 4, symmetric);
    for (int i = 19; i < 22; ++i) f->K.value[i * n + 39] = f->K.value[39 * n + i] = 0.5;
    make_star(f, n);
    assert_int_equal(f->star.nwaist, 5);
    assert_memory_equal(f->star.waist, waist, sizeof waist);
    assert_int_equal(f->star.limb[0].nwaist, 2);
    assert_int_equal(f->star.limb[f->star.nlimb - 1].nwaist, 5);
    check_solution(f, &r, n, symmetric);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_solves_with_limbs_of_all_lengths, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_rows_of_a_limb_are_exchanged, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_limb_without_a_pivot_is_left_to_dense_factors, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_indefinite_matrix_fails, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_limbs_that_overlap_are_one, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_solves_with_waists_of_all_lengths, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_long_arms_that_touch_make_no_star, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_legs_that_touch_are_one_limb, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_long_limb_gives_its_first_unknowns_to_the_waist, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_unknowns_that_limbs_share_are_a_waist, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_leg_that_touches_another_joins_the_waist, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_two_waists, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
