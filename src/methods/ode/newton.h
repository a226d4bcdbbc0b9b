// Newton's method for r(y) = 0, knowing nothing of where r comes from.
#ifndef HFI_ODE_NEWTON_H
#define HFI_ODE_NEWTON_H

#include <holdfast/integrate.h>

typedef struct hfiStageProblem {
  void* context;
  int n;
  // r (n) at y
  hfStatus (*residual)(void* context, const double* y, double* r);
  // Forms and factors the matrix dr/dy at y, where the residual was evaluated last.
  hfStatus (*refresh)(void* context, const double* y);
  // b <- (dr/dy)^-1 b
  void (*solve)(void* context, double* b);
  // Share of dy that is taken; NULL: all.
  double (*limit)(void* context, const double* y, const double* dy);
  // Is y in another region of r than the matrix? NULL: never.
  int (*moved)(void* context, const double* y);
  double (*norm)(void* context, const double* dy);
  // Notes an iteration; NULL: none.
  void (*trace)(void* context, double residual, double update, double alpha);
} hfiStageProblem;

typedef struct hfiStageOptions {
  int max_iterations;
  int full;          // 1: a new matrix in every iteration
  double tolerance;  // error left in y, in the norm
  double divergence; // ratio of successive updates that counts as divergence
} hfiStageOptions;

typedef struct hfiStageResult {
  int iterations; // number of iterations
  int limited;    // number of updates that were shortened
  double theta;   // slowest contraction met; 0: none was measured [-]
} hfiStageResult;

// Improves the guess y; update (n) is scratch. Returns HF_OK, HF_NOT_CONVERGED, or the status that a function returned.
hfStatus hfi_stage_newton(const hfiStageProblem* problem, const hfiStageOptions* options, double* y,
                          double* update, hfiStageResult* result);

#endif
