// The linear solver of implicit stages: A = I - gamma h J, dense, factored by LU.
#ifndef HFI_ODE_MATRIX_H
#define HFI_ODE_MATRIX_H

#include "base/arena.h"

#include <stdint.h>

typedef struct hfiStageMatrix {
  int n;
  double *J, *LU;        // (n x n)
  int32_t* pivot;        // (n)
  int known;             // 1: J holds a Jacobian
  double factored;       // gamma h of the factors; 0: there are none, as after J was written
  int64_t factorisations;
} hfiStageMatrix;

void hfi_stage_matrix_plan(hfiStageMatrix* matrix, int n, hfiArena* arena);
// Factors I - gamma_h J unless that was done already; 0, or non-zero where it is singular.
int hfi_stage_matrix_factor(hfiStageMatrix* matrix, double gamma_h);
void hfi_stage_matrix_solve(const hfiStageMatrix* matrix, double* b);

#endif
