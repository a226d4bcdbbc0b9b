// The linear solver of implicit stages: A = I - gamma h J, dense, factored by LU in parts that do not depend on each
// other.
#ifndef HFI_ODE_MATRIX_H
#define HFI_ODE_MATRIX_H

#include "base/arena.h"

#include <stdint.h>

typedef struct hfiStageMatrix {
  int n;
  double* J;             // (n x n)
  double* LU;            // (n x n) at most: the factors of all parts, one behind the other
  int32_t* pivot;        // (n)
  int32_t parts;         // how many parts there are
  int32_t* part;         // (n) the part of each coordinate
  int32_t* order;        // (n) the coordinates part by part
  int32_t* start;        // (n + 1) where each part starts in `order`
  int32_t* parent;       // (n) scratch
  double* b;             // (n) scratch
  int known;             // 1: J holds a Jacobian
  double factored;       // gamma h of the factors; 0: there are none, as after J was written
  int64_t factorisations;
} hfiStageMatrix;

void hfi_stage_matrix_plan(hfiStageMatrix* matrix, int n, hfiArena* arena);
// Factors I - gamma_h J unless that was done already; 0, or non-zero where it is singular.
int hfi_stage_matrix_factor(hfiStageMatrix* matrix, double gamma_h);
void hfi_stage_matrix_solve(const hfiStageMatrix* matrix, double* b);

#endif
