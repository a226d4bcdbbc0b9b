// Is A a P-matrix: are all principal minors positive?
//
// Exact test (Tsatsomeros and Li 2000): A is P if and only if a_11 > 0, A without row and column 1 is
// P, and the Schur complement A/a_11 = A_22 - A_21 A_12 / a_11 is P. Each pivot of this recursion is
// minor(S + {k}) / minor(S), where k is the last row. There are 2^n - 1 pivots, which take about
// 6 * 2^n multiplications; no determinant is computed.
//
// Cheap tests come first. Necessary are a positive diagonal, positive 2 x 2 minors, and det A > 0.
// Sufficient is that A + A^T is positive definite.
//
// A positive diagonal scaling D A D keeps the sign of every minor. So A is scaled to a unit diagonal
// (up to a factor of two, because D has powers of two). Then pivots can be compared, and `margin`
// has a meaning.
#include "methods/lcp/matrix.h"
#include "methods/lcp/qr.h"

#include <float.h>
#include <math.h>
#include <string.h>

// The sign of a pivot says nothing if the pivot is below this share of the terms whose difference
// it is [-].
static const double PIVOT_TOLERANCE = 1e-13;

// A test and its storage.
typedef struct PTest {
  int32_t n;
  double* A;     // (n x n) unit diagonal
  double* level; // storage of one Schur complement for each size below n
  hfiQr qr;
  hfPReport report;
} PTest;

// Numbers in the storage of all Schur complements; they are needed only where the exact test runs.
static size_t level_count(int32_t n) {
  size_t sum = 0;
  for (int32_t m = 1; m < n && n <= HF_P_EXACT_MAX; ++m) sum += (size_t)m * (size_t)m;
  return sum;
}

// Takes storage for n rows.
static PTest take_test(hfiArena* arena, int32_t n) {
  PTest test = {.n = n};
  test.A = HFI_TAKE(arena, double, (size_t)n * (size_t)n);
  test.level = HFI_TAKE(arena, double, level_count(n));
  test.qr = hfi_qr_take(arena, n, n);
  return test;
}

// Returns the bytes of workspace of the test.
size_t hfi_p_matrix_size(int32_t n) {
  hfiArena arena = hfi_arena(NULL, 0);
  take_test(&arena, n);
  return arena.used;
}

// Returns the set of row i; rows beyond the 64 bits are not recorded.
static uint64_t bit(int32_t i) { return i < 64 ? (uint64_t)1 << i : 0; }

// Checks that a pivot made of terms up to `size` is positive. If not, returns 0 and keeps its
// rows as the witness.
static int require_positive(PTest* test, double value, double size, uint64_t rows) {
  if (value < test->report.margin) test->report.margin = value;
  if (value > PIVOT_TOLERANCE * size) return 1;

  test->report.witness = rows;
  return 0;
}

// Computes D A D with the diagonal matrix d_i = 2^-e_i, where 4^e_i is near a_ii, so that its diagonal is near one.
// Powers of two make no rounding errors. Returns 0 if an entry of the diagonal is not positive: then A is not P.
static int scale_to_unit_diagonal(PTest* test, const double* A) {
  // signs
  for (int32_t i = 0; i < test->n; ++i) {
    double a = A[(size_t)i * (size_t)(test->n + 1)];
    if (!(a > 0)) {
      test->report.witness = bit(i);
      test->report.margin = a;
      return 0;
    }
  }

  // scaling
  for (int32_t i = 0; i < test->n; ++i)
    for (int32_t j = 0; j < test->n; ++j) {
      int32_t e = ilogb(A[(size_t)i * (size_t)(test->n + 1)]) / 2 + ilogb(A[(size_t)j * (size_t)(test->n + 1)]) / 2;
      size_t k = (size_t)i * (size_t)test->n + (size_t)j;
      test->A[k] = ldexp(A[k], -e);
    }
  return 1;
}

// Tests all 2 x 2 minors.
static int test_pairs(PTest* test) {
  const double* A = test->A;
  for (int32_t i = 0; i < test->n; ++i)
    for (int32_t j = i + 1; j < test->n; ++j) {
      double aii = A[i * test->n + i];
      double ajj = A[j * test->n + j];
      double update = A[j * test->n + i] * A[i * test->n + j] / aii;
      if (!require_positive(test, ajj - update, fmax(1, fabs(update)), bit(i) | bit(j))) return 0;
    }
  return 1;
}

// Tests the sign of the determinant.
static int test_determinant(PTest* test) {
  memcpy(test->qr.A, test->A, sizeof(double) * (size_t)test->n * (size_t)test->n);
  hfi_qr_factor(&test->qr, DBL_EPSILON * test->n);
  if (hfi_qr_determinant(&test->qr) > 0) return 1;

  test->report.witness = test->n >= 64 ? 0 : bit(test->n) - 1;
  test->report.margin = fmin(test->report.margin, -hfi_qr_margin(&test->qr));
  return 0;
}

// Are all Cholesky pivots of (A + A^T)/2 positive? Works in the storage of the QR. Sets the margin if they are.
static int is_definite(PTest* test) {
  double* S = test->qr.A;
  int32_t n = test->n;
  for (int32_t i = 0; i < n; ++i)
    for (int32_t j = 0; j < n; ++j) S[i * n + j] = 0.5 * (test->A[i * n + j] + test->A[j * n + i]);

  double least = INFINITY;
  for (int32_t k = 0; k < n; ++k) {
    double pivot = S[k * n + k];
    if (!(pivot > PIVOT_TOLERANCE)) return 0;
    least = fmin(least, pivot);

    for (int32_t i = k + 1; i < n; ++i)
      for (int32_t j = k + 1; j < n; ++j) S[i * n + j] -= S[i * n + k] * S[k * n + j] / pivot;
  }

  test->report.margin = least;
  return 1;
}

// Tests all minors that contain the rows `chosen` and any of the rows k ... n-1, k = n - m. A (m x
// m, in rows of `stride`) is the matrix of these rows after those of `chosen` were eliminated and
// the other rows before k deleted. `size` bounds the terms that its entries were made of.
static int test_pivots(PTest* test, const double* A, int32_t m, int32_t stride, double* level, double size,
                       uint64_t chosen) {
  if (m == 0) return 1;

  int32_t k = test->n - m;
  int32_t s = m - 1;
  if (!require_positive(test, A[0], size, chosen | bit(k))) return 0;

  // the minors without row k
  if (!test_pivots(test, A + stride + 1, s, stride, level, size, chosen)) return 0;

  // those with it: row k is eliminated
  double* schur = level;
  for (int32_t i = 0; i < s; ++i) {
    double factor = A[(i + 1) * stride] / A[0];
    for (int32_t j = 0; j < s; ++j) {
      double update = factor * A[j + 1];
      schur[i * s + j] = A[(i + 1) * stride + j + 1] - update;
      size = fmax(size, fabs(update));
    }
  }
  return test_pivots(test, schur, s, s, level + (size_t)s * (size_t)s, size, chosen | bit(k));
}

// Writes the decision, and which test has made it, to the report.
static void decide(PTest* test, int is_p, hfPTest by) {
  test->report.is_p = is_p;
  test->report.decided = 1;
  test->report.by = by;
}

// Tests whether A is a P-matrix: the cheap tests first, unless exact_only asks for the margin of all minors. Returns
// HF_P_BY_NONE and decided = 0 if no cheap test decides and A is too large for the exact one.
hfPReport hf_matrix_test_p(int32_t n, const double* A, int32_t exact_only, void* work, size_t work_size) {
  hfiArena arena = hfi_arena(work, work_size);
  PTest test = take_test(&arena, n);
  test.report = (hfPReport){.by = HF_P_BY_NONE, .margin = INFINITY};
  int can_be_exact = n <= HF_P_EXACT_MAX;

  if (!scale_to_unit_diagonal(&test, A)) {
    decide(&test, 0, HF_P_BY_DIAGONAL);
  } else if (exact_only && can_be_exact) {
    decide(&test, test_pivots(&test, test.A, n, n, test.level, 1, 0), HF_P_BY_PIVOTS);
  } else if (!test_pairs(&test)) {
    decide(&test, 0, HF_P_BY_PAIRS);
  } else if (is_definite(&test)) {
    decide(&test, 1, HF_P_BY_DEFINITE);
  } else if (!test_determinant(&test)) {
    decide(&test, 0, HF_P_BY_DETERMINANT);
  } else if (can_be_exact) {
    decide(&test, test_pivots(&test, test.A, n, n, test.level, 1, 0), HF_P_BY_PIVOTS);
  }
  return test.report;
}
