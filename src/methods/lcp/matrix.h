// How many bytes of workspace the matrix functions of <holdfast/lcp.h> need, for matrices of n rows and columns.
#ifndef HFI_LCP_MATRIX_H
#define HFI_LCP_MATRIX_H

#include "base/arena.h"
#include <holdfast/lcp.h>

size_t hfi_matrix_size(int32_t n);      // rank, determinant, minors
size_t hfi_p_matrix_size(int32_t n);    // test for a P-matrix
size_t hfi_eigenvalues_size(int32_t n); // eigenvalues
size_t hfi_stability_size(int32_t n);   // boundary layer

#endif
