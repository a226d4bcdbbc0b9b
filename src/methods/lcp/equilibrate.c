// Row and column equilibration by powers of two (Ruiz 2001).
//
// Each pass divides row i by sqrt(max_j |a_ij|) and column j by sqrt(max_i |a_ij|), rounded to
// powers of two: all maxima tend to one, a symmetric matrix stays symmetric, and nothing is
// rounded.
#include "methods/lcp/equilibrate.h"

#include <math.h>
#include <stddef.h>

// Each pass halves the logarithm of the imbalance, so that six leave a factor of 2 of 1e18.
enum { PASSES = 6 };

// Half the binary exponent of x, rounded towards zero; 0 for x = 0.
static int32_t half_exponent(double x) { return x > 0 ? ilogb(x) / 2 : 0; }

// Writes the largest |a_ij| of each row and column to largest (m + n). All entries are read in the order of memory.
static void find_largest(int32_t m, int32_t n, const double* A, double* largest) {
  for (int32_t i = 0; i < m + n; ++i) largest[i] = 0;
  for (int32_t i = 0; i < m; ++i)
    for (int32_t j = 0; j < n; ++j) {
      double x = fabs(A[(size_t)i * (size_t)n + (size_t)j]);
      if (x > largest[i]) largest[i] = x;
      if (x > largest[m + j]) largest[m + j] = x;
    }
}

// Adds the steps for n maxima to the exponents, and replaces each maximum by the power of two of its step.
// Returns whether some step is not zero.
static int add_steps(int32_t n, double* largest, int32_t* exponent) {
  int changed = 0;
  for (int32_t i = 0; i < n; ++i) {
    int32_t step = -half_exponent(largest[i]);
    changed = changed || step != 0;
    exponent[i] += step;
    largest[i] = ldexp(1, step);
  }
  return changed;
}

// Scales A (m x n) in place by powers of two, and writes the exponents of the rows and columns.
void hfi_equilibrate(int32_t m, int32_t n, double* A, int32_t* row, int32_t* col, double* factor) {
  for (int32_t i = 0; i < m; ++i) row[i] = 0;
  for (int32_t j = 0; j < n; ++j) col[j] = 0;

  for (int pass = 0; pass < PASSES; ++pass) {
    find_largest(m, n, A, factor);
    int rows_changed = add_steps(m, factor, row);
    int cols_changed = add_steps(n, factor + m, col);
    if (!rows_changed && !cols_changed) return;

    // apply the steps
    for (int32_t i = 0; i < m; ++i)
      for (int32_t j = 0; j < n; ++j) {
        double* a = A + (size_t)i * (size_t)n + (size_t)j;
        *a = *a * factor[i] * factor[m + j];
      }
  }
}
