// Projected Gauss-Seidel with relaxation omega:
//
//   z_i <- clamp(z_i - omega w_i / a_ii, lo_i, hi_i),   w = A z + b,   i = 1 ... n, again and again
//
// Converges for symmetric positive definite A and 0 < omega < 2 (Cryer 1971) and for strictly
// diagonally dominant A with omega <= 1. The best iterate is kept, so that a diverging run returns
// it.
#include "methods/lcp/problem.h"

#include <math.h>
#include <string.h>

// A diagonal entry below this is rounding; rows are equilibrated to one [-].
static const double SMALLEST_DIAGONAL = 1e-14;

// Updates all z_i once.
static void sweep(const hfiLcp* problem, double omega, double* z) {
  for (int32_t i = 0; i < problem->n; ++i) {
    const double* row = problem->A + (size_t)i * (size_t)problem->n;
    double w = problem->b[i];
    for (int32_t j = 0; j < problem->n; ++j) w += row[j] * z[j];
    z[i] = hfi_clamp(z[i] - omega * w / row[i], problem->lo[i], problem->hi[i]);
  }
}

// Is every entry of the diagonal positive, beyond rounding?
static int has_positive_diagonal(const hfiLcp* problem) {
  for (int32_t i = 0; i < problem->n; ++i)
    if (!(problem->A[(size_t)i * (size_t)problem->n + (size_t)i] > SMALLEST_DIAGONAL)) return 0;
  return 1;
}

// Sweeps from the start z until the residual is below the tolerance, and writes the best z. HF_SINGULAR: an entry of
// the diagonal is not positive.
hfStatus hfi_gauss_seidel_solve(const hfiLcp* problem, const hfLcpConfig* config, int32_t max_sweeps,
                                double* z, int32_t* sweeps, hfiArena* scratch) {
  double* iterate = HFI_TAKE(scratch, double, problem->n);
  if (!scratch->base) return HF_OK; // The call only planned the scratch.

  *sweeps = 0;
  if (!has_positive_diagonal(problem)) return HF_SINGULAR;

  memcpy(iterate, z, sizeof(double) * (size_t)problem->n);
  double best = hfi_lcp_residual(problem, z);
  while (best > config->tolerance && *sweeps < max_sweeps) {
    sweep(problem, config->relaxation, iterate);
    ++*sweeps;

    double residual = hfi_lcp_residual(problem, iterate);
    if (!isfinite(residual)) break;
    if (residual < best) {
      best = residual;
      memcpy(z, iterate, sizeof(double) * (size_t)problem->n);
    }
  }
  return best <= config->tolerance ? HF_OK : HF_NOT_CONVERGED;
}
