// I - gamma h J and its factors. A new step size needs new factors but no new Jacobian; for the sizes
// of mechanisms an LU costs less than one evaluation of f, so factors are never used for another h.
#include "ode/matrix.h"

#include "linalg/dense.h"

void hfi_stage_matrix_plan(hfiStageMatrix* matrix, int n, hfiArena* arena) {
  matrix->n = n;
  matrix->J = HFI_TAKE(arena, double, (size_t)n * (size_t)n);
  matrix->LU = HFI_TAKE(arena, double, (size_t)n * (size_t)n);
  matrix->pivot = HFI_TAKE(arena, int32_t, n);
}

int hfi_stage_matrix_factor(hfiStageMatrix* matrix, double gamma_h) {
  const int n = matrix->n;
  if (matrix->factored == gamma_h) return 0;
  for (int i = 0; i < n * n; ++i) matrix->LU[i] = -gamma_h * matrix->J[i];
  for (int i = 0; i < n; ++i) matrix->LU[i * n + i] += 1;
  ++matrix->factorisations;
  int failed = hfi_lu(matrix->LU, n, n, matrix->pivot);
  matrix->factored = failed ? 0 : gamma_h;
  return failed;
}

void hfi_stage_matrix_solve(const hfiStageMatrix* matrix, double* b) {
  hfi_lu_solve(matrix->LU, matrix->n, matrix->n, matrix->pivot, b);
}
