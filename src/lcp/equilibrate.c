// Row and column equilibration by powers of two (Ruiz 2001).
//
// Each pass divides row i by sqrt(max_j |a_ij|) and column j by sqrt(max_i |a_ij|), rounded to
// powers of two: all maxima tend to one, a symmetric matrix stays symmetric, and nothing is
// rounded.
#include "lcp/equilibrate.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

// Each pass halves the logarithm of the imbalance, so that six leave a factor of 2 of 1e18.
enum { PASSES = 6 };

// Half the binary exponent of x, rounded towards zero; 0 for x = 0.
static int32_t half_exponent(double x) { return x > 0 ? ilogb(x) / 2 : 0; }

static double largest(const double* a, int32_t count, int32_t stride) {
  double most = 0;
  for (int32_t i = 0; i < count; ++i) {
    double x = fabs(a[(size_t)i * (size_t)stride]);
    if (x > most) most = x;
  }
  return most;
}

void hfi_equilibrate(int32_t m, int32_t n, double* A, int32_t* row, int32_t* col, int32_t* step) {
  for (int32_t i = 0; i < m; ++i) row[i] = 0;
  for (int32_t j = 0; j < n; ++j) col[j] = 0;
  for (int pass = 0; pass < PASSES; ++pass) {
    bool changed = false;
    for (int32_t i = 0; i < m; ++i) step[i] = -half_exponent(largest(A + (size_t)i * (size_t)n, n, 1));
    for (int32_t j = 0; j < n; ++j) step[m + j] = -half_exponent(largest(A + j, m, n));
    for (int32_t i = 0; i < m + n; ++i) changed = changed || step[i] != 0;
    if (!changed) return;
    for (int32_t i = 0; i < m; ++i)
      for (int32_t j = 0; j < n; ++j) {
        double* a = A + (size_t)i * (size_t)n + (size_t)j;
        *a = ldexp(*a, step[i] + step[m + j]);
      }
    for (int32_t i = 0; i < m; ++i) row[i] += step[i];
    for (int32_t j = 0; j < n; ++j) col[j] += step[m + j];
  }
}
