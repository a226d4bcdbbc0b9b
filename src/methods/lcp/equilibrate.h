// Row and column equilibration by powers of two.
#ifndef HFI_LCP_EQUILIBRATE_H
#define HFI_LCP_EQUILIBRATE_H

#include <stdint.h>

// A(i, j) <- A(i, j) 2^(row_i + col_j) with the largest entry of every row and column near one.
// A (m x n) row-major; row (m), col (n) are outputs; factor (m + n) is scratch.
void hfi_equilibrate(int32_t m, int32_t n, double* A, int32_t* row, int32_t* col, double* factor);

#endif
