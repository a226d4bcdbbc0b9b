// Newton's method for r(y) = 0, knowing nothing of where r comes from.
#ifndef HFI_INTEGRATE_NEWTON_H
#define HFI_INTEGRATE_NEWTON_H

#include <holdfast/integrate.h>

typedef struct hfiNewtonProblem {
  void* context;
  int n;
  hfStatus (*residual)(void* context, const double* y, double* r);
  // Forms and factors the matrix dr/dy at y, where the residual was evaluated last.
  hfStatus (*refresh)(void* context, const double* y);
  void (*solve)(void* context, double* b);                             // b <- (dr/dy)^-1 b
  // How much of dy to take, and whether that changes the matrix (hfOde.limit). NULL: 1, no.
  double (*limit)(void* context, const double* y, const double* dy, int* transition);
  double (*norm)(void* context, const double* dy);
  void (*trace)(void* context, double residual, double update, double alpha); // NULL: none
} hfiNewtonProblem;

typedef struct hfiNewtonOptions {
  int max_iterations;
  int full;          // 1: a new matrix in every iteration
  double tolerance;  // error left in y, in the norm
  double divergence; // ratio of successive updates that counts as divergence
} hfiNewtonOptions;

typedef struct hfiNewtonResult {
  int iterations, limited;
  double theta; // slowest contraction met; 0: none was measured
} hfiNewtonResult;

// Improves the guess y; update (n) is scratch. HF_OK, HF_NOT_CONVERGED, or what a function returned.
hfStatus hfi_newton_solve(const hfiNewtonProblem* problem, const hfiNewtonOptions* options, double* y,
                          double* update, hfiNewtonResult* result);

#endif
