// Column-pivoted Householder QR: A P = Q R, for ranks, determinants and (least-squares) solves.
#ifndef HFI_LCP_QR_H
#define HFI_LCP_QR_H

#include "base/arena.h"
#include <stdint.h>

typedef struct hfiQr {
  int32_t m; // number of rows
  int32_t n; // number of columns
  int32_t rank;
  double* A;      // (m x n) row-major: R above the diagonal, Householder vectors on and below
  double* R_diag; // (min(m, n))
  int32_t* perm;  // (n) column of A at each column of R
  double* row;    // (n) scratch
} hfiQr;

// Storage for matrices of up to m x n; the caller fills qr.A (row-major, m x n) and sets m, n.
hfiQr hfi_qr_take(hfiArena* arena, int32_t m, int32_t n);

// Factors in place. Columns whose remaining norm is at most tolerance * |R_11| end the rank.
void hfi_qr_factor(hfiQr* qr, double tolerance);

// x (n) = the basic least-squares solution of A x = b: zero at columns beyond the rank. b (m) is
// overwritten.
void hfi_qr_solve(const hfiQr* qr, double* b, double* x);

// Signed determinant of a square factored matrix, zero when the rank is not full.
double hfi_qr_determinant(const hfiQr* qr);

// |R_kk| / |R_11| at k = min(m, n); 1 for an empty matrix.
double hfi_qr_margin(const hfiQr* qr);

#endif
