// Columns beside a factored block of six rows, those of a free body: B <- T^-1 B with T lower triangular.
//
//   b_i <- (b_i - sum_(k < i) T_ik b_k)/T_ii,   i = 0, 1, ..., 5
//
// Four columns of B at a time stay in registers. An element is summed in the order of k.
#include "base/compile.h"
#include "linalg/dense.h"
#include "linalg/lanes.h"

// Four columns. T_ik is T[i * row + k * column]; callers pass constants for the 1 among these and for `divides`.
HFI_COPIED void solve_four(const double* restrict T, int row, int column, int divides, double* restrict B, int ldb) {
  hfiFour *c0 = (hfiFour*)B, *c1 = (hfiFour*)(B + ldb), *c2 = (hfiFour*)(B + 2 * ldb), *c3 = (hfiFour*)(B + 3 * ldb),
          *c4 = (hfiFour*)(B + 4 * ldb), *c5 = (hfiFour*)(B + 5 * ldb);
  hfiFour b0 = *c0, b1 = *c1, b2 = *c2, b3 = *c3, b4 = *c4, b5 = *c5;
  if (divides) b0 *= T[0];
  T += row;
  b1 -= T[0] * b0;
  if (divides) b1 *= T[column];
  T += row;
  b2 -= T[0] * b0, b2 -= T[column] * b1;
  if (divides) b2 *= T[2 * column];
  T += row;
  b3 -= T[0] * b0, b3 -= T[column] * b1, b3 -= T[2 * column] * b2;
  if (divides) b3 *= T[3 * column];
  T += row;
  b4 -= T[0] * b0, b4 -= T[column] * b1, b4 -= T[2 * column] * b2, b4 -= T[3 * column] * b3;
  if (divides) b4 *= T[4 * column];
  T += row;
  b5 -= T[0] * b0, b5 -= T[column] * b1, b5 -= T[2 * column] * b2, b5 -= T[3 * column] * b3, b5 -= T[4 * column] * b4;
  if (divides) b5 *= T[5 * column];
  *c0 = b0, *c1 = b1, *c2 = b2, *c3 = b3, *c4 = b4, *c5 = b5;
}

HFI_COPIED void solve_all(const double* T, int row, int column, int divides, double* B, int ldb, int m) {
  for (; m >= 4; m -= 4, B += 4) solve_four(T, row, column, divides, B, ldb);
  if (m == 0) return;
  double last[24] = {0}; // The columns that are left, beside columns of zeros.
  hfi_copy_block(last, 4, B, ldb, 6, m);
  solve_four(T, row, column, divides, last, 4);
  hfi_copy_block(B, ldb, last, 4, 6, m);
}

void hfi_six_forward(const double* L, int ld, double* B, int ldb, int m) { solve_all(L, ld, 1, 0, B, ldb, m); }
void hfi_six_forward_transposed(const double* U, int ld, double* B, int ldb, int m) { solve_all(U, 1, ld, 0, B, ldb, m); }
void hfi_six_divide(const double* U, int ld, double* B, int ldb, int m) { solve_all(U, 1, ld, 1, B, ldb, m); }
