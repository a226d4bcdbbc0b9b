// The linear solver of implicit stages: A = I - gamma h J, dense, factored by LU.
#ifndef HFI_INTEGRATE_MATRIX_H
#define HFI_INTEGRATE_MATRIX_H

#include "base/arena.h"

#include <stdint.h>

typedef struct hfiMatrix {
  int n;
  double *J, *LU;        // (n x n)
  int32_t* pivot;        // (n)
  int known;             // J holds a Jacobian
  double factored;       // gamma h of the factors; 0: none
  int64_t factorisations;
} hfiMatrix;

void hfi_matrix_plan(hfiMatrix* matrix, int n, hfiArena* arena);
// Call after J was written.
void hfi_matrix_renew(hfiMatrix* matrix);
void hfi_matrix_forget(hfiMatrix* matrix);
// Factors I - gamma_h J unless that was done already; 0, or non-zero where it is singular.
int hfi_matrix_factor(hfiMatrix* matrix, double gamma_h);
void hfi_matrix_solve(const hfiMatrix* matrix, double* b);

#endif
