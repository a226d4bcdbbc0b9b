// Rank, determinant and principal minors by column-pivoted QR.
#include "methods/lcp/matrix.h"
#include "methods/lcp/equilibrate.h"
#include "methods/lcp/qr.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

// Storage for the factors of a scaled matrix.
// Columns that are smaller than this many rounding errors are dependent [-].
static const double RANK_ROUNDING = 10;

typedef struct MatrixWork {
  hfiQr qr;
  int32_t* row;   // (m) exponents of the rows
  int32_t* col;   // (n) exponents of the columns
  double* factor; // (m + n) scratch
} MatrixWork;

// Takes storage for a matrix (m x n).
static MatrixWork take_work(hfiArena* arena, int32_t m, int32_t n) {
  MatrixWork storage;
  storage.qr = hfi_qr_take(arena, m, n);
  storage.row = HFI_TAKE(arena, int32_t, m);
  storage.col = HFI_TAKE(arena, int32_t, n);
  storage.factor = HFI_TAKE(arena, double, m + n);
  return storage;
}

// Returns the bytes of workspace of rank, determinant and minors.
size_t hfi_matrix_size(int32_t n) {
  hfiArena arena = hfi_arena(NULL, 0);
  take_work(&arena, n, n);
  HFI_TAKE(&arena, double, (size_t)n * (size_t)n);
  HFI_TAKE(&arena, int32_t, n);
  return arena.used;
}

// Returns the rank of A (m x n), and the margin of the last pivot [-]; margin may be NULL.
//
// A is scaled before its rank is decided: rows and columns of different units (forces and moments, metres and radians)
// would otherwise decide it. Rounding in the factorisation is below max(m, n) eps |R_11|; ten times that counts as
// zero.
int32_t hf_matrix_rank(int32_t m, int32_t n, const double* A, double* margin, void* work, size_t work_size) {
  hfiArena arena = hfi_arena(work, work_size);
  MatrixWork storage = take_work(&arena, m, n);

  memcpy(storage.qr.A, A, sizeof(double) * (size_t)m * (size_t)n);
  hfi_equilibrate(m, n, storage.qr.A, storage.row, storage.col, storage.factor);
  hfi_qr_factor(&storage.qr, RANK_ROUNDING * DBL_EPSILON * (m > n ? m : n));

  if (margin) *margin = hfi_qr_margin(&storage.qr);
  return storage.qr.rank;
}

// Returns the determinant of the rows and columns `rows` of A' = E A D, undone by the exponents of E and D.
static double minor_of(MatrixWork* storage, const double* scaled, int32_t n, const int32_t* rows, int32_t count) {
  int32_t exponent = 0;
  for (int32_t i = 0; i < count; ++i) {
    exponent += storage->row[rows[i]] + storage->col[rows[i]];
    for (int32_t j = 0; j < count; ++j)
      storage->qr.A[i * count + j] = scaled[(size_t)rows[i] * (size_t)n + (size_t)rows[j]];
  }

  storage->qr.m = count;
  storage->qr.n = count;
  hfi_qr_factor(&storage->qr, 0);
  return ldexp(hfi_qr_determinant(&storage->qr), -exponent);
}

// Takes a copy of A and equilibrates it; writes the exponents to *k.
static double* take_scaled(hfiArena* arena, MatrixWork* storage, int32_t n, const double* A) {
  double* scaled = HFI_TAKE(arena, double, (size_t)n * (size_t)n);
  memcpy(scaled, A, sizeof(double) * (size_t)n * (size_t)n);
  hfi_equilibrate(n, n, scaled, storage->row, storage->col, storage->factor);
  return scaled;
}

// Returns the determinant of A.
double hf_matrix_determinant(int32_t n, const double* A, void* work, size_t work_size) {
  hfiArena arena = hfi_arena(work, work_size);
  MatrixWork storage = take_work(&arena, n, n);
  double* scaled = take_scaled(&arena, &storage, n, A);

  int32_t* all = HFI_TAKE(&arena, int32_t, n);
  for (int32_t i = 0; i < n; ++i) all[i] = i;
  return minor_of(&storage, scaled, n, all, n);
}

// Writes all principal minors of A (2^n): bit i of the index says that row i belongs to the minor.
void hf_matrix_minors(int32_t n, const double* A, double* minors, void* work, size_t work_size) {
  assert(n <= HF_MINORS_MAX);
  hfiArena arena = hfi_arena(work, work_size);
  MatrixWork storage = take_work(&arena, n, n);
  double* scaled = take_scaled(&arena, &storage, n, A);

  minors[0] = 1;
  for (uint32_t mask = 1; mask < 1u << n; ++mask) {
    int32_t rows[HF_MINORS_MAX];
    int32_t count = 0;
    for (int32_t i = 0; i < n; ++i)
      if (mask >> i & 1) rows[count++] = i;
    minors[mask] = minor_of(&storage, scaled, n, rows, count);
  }
}
