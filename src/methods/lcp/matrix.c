// Rank, determinant and principal minors by column-pivoted QR.
#include "methods/lcp/matrix.h"
#include "methods/lcp/equilibrate.h"
#include "methods/lcp/qr.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

typedef struct MatrixWork {
  hfiQr qr;
  int32_t *row, *col;
  double* factor;
} MatrixWork;

// Takes storage for a matrix (m x n).
static MatrixWork take_work(hfiArena* arena, int32_t m, int32_t n) {
  MatrixWork k;
  k.qr = hfi_qr_take(arena, m, n);
  k.row = HFI_TAKE(arena, int32_t, m);
  k.col = HFI_TAKE(arena, int32_t, n);
  k.factor = HFI_TAKE(arena, double, m + n);
  return k;
}

// Returns the bytes of workspace of rank, determinant and minors.
size_t hfi_matrix_size(int32_t n) {
  hfiArena arena = hfi_arena(NULL, 0);
  take_work(&arena, n, n);
  HFI_TAKE(&arena, double, (size_t)n * (size_t)n);
  HFI_TAKE(&arena, int32_t, n);
  return arena.used;
}

// A is scaled before the rank is judged: rows and columns of different units (forces and moments,
// metres and radians) would otherwise decide it. Rounding in the factorisation is below
// max(m, n) eps |R_11|; ten times that is called zero.
int32_t hf_matrix_rank(int32_t m, int32_t n, const double* A, double* margin, void* work, size_t work_size) {
  hfiArena arena = hfi_arena(work, work_size);
  MatrixWork k = take_work(&arena, m, n);
  memcpy(k.qr.A, A, sizeof(double) * (size_t)m * (size_t)n);
  hfi_equilibrate(m, n, k.qr.A, k.row, k.col, k.factor);
  hfi_qr_factor(&k.qr, 10 * DBL_EPSILON * (m > n ? m : n));
  if (margin) *margin = hfi_qr_margin(&k.qr);
  return k.qr.rank;
}

// Returns the determinant of the rows and columns `rows` of A' = E A D, undone by the exponents of E and D.
static double minor_of(MatrixWork* k, const double* scaled, int32_t n, const int32_t* rows, int32_t count) {
  int32_t exponent = 0;
  for (int32_t i = 0; i < count; ++i) {
    exponent += k->row[rows[i]] + k->col[rows[i]];
    for (int32_t j = 0; j < count; ++j)
      k->qr.A[i * count + j] = scaled[(size_t)rows[i] * (size_t)n + (size_t)rows[j]];
  }

  k->qr.m = count;
  k->qr.n = count;
  hfi_qr_factor(&k->qr, 0);
  return ldexp(hfi_qr_determinant(&k->qr), -exponent);
}

// Takes a copy of A and equilibrates it; writes the exponents to *k.
static double* take_scaled(hfiArena* arena, MatrixWork* k, int32_t n, const double* A) {
  double* scaled = HFI_TAKE(arena, double, (size_t)n * (size_t)n);
  memcpy(scaled, A, sizeof(double) * (size_t)n * (size_t)n);
  hfi_equilibrate(n, n, scaled, k->row, k->col, k->factor);
  return scaled;
}

// Returns the determinant of A.
double hf_matrix_determinant(int32_t n, const double* A, void* work, size_t work_size) {
  hfiArena arena = hfi_arena(work, work_size);
  MatrixWork k = take_work(&arena, n, n);
  double* scaled = take_scaled(&arena, &k, n, A);
  int32_t* all = HFI_TAKE(&arena, int32_t, n);
  for (int32_t i = 0; i < n; ++i) all[i] = i;
  return minor_of(&k, scaled, n, all, n);
}

// Writes all principal minors of A (2^n): bit i of the index says that row i belongs to the minor.
void hf_matrix_minors(int32_t n, const double* A, double* minors, void* work, size_t work_size) {
  assert(n <= HF_MINORS_MAX);
  hfiArena arena = hfi_arena(work, work_size);
  MatrixWork k = take_work(&arena, n, n);
  double* scaled = take_scaled(&arena, &k, n, A);

  minors[0] = 1;
  for (uint32_t mask = 1; mask < 1u << n; ++mask) {
    int32_t rows[HF_MINORS_MAX];
    int32_t count = 0;
    for (int32_t i = 0; i < n; ++i)
      if (mask >> i & 1) rows[count++] = i;
    minors[mask] = minor_of(&k, scaled, n, rows, count);
  }
}
