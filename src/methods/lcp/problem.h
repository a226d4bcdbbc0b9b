// What the LCP solvers share: the equilibrated problem, its residual, and the solvers' signatures.
#ifndef HFI_LCP_PROBLEM_H
#define HFI_LCP_PROBLEM_H

#include "base/arena.h"
#include <holdfast/lcp.h>

// w = A z + b, lo <= z <= hi, after equilibration: entries of A and b of order one.
typedef struct hfiLcp {
  int32_t n;
  double* A; // (n x n)
  double* b; // (n)
  double* lo;
  double* hi;
} hfiLcp;

// Exponents of two that lead back to the caller's units: z_caller = z 2^col, w_caller = w 2^-row.
typedef struct hfiLcpScale {
  int32_t* row;   // (n)
  int32_t* col;   // (n)
  double* factor; // (2 n) scratch
} hfiLcpScale;

// Where z_i is in a solution. Rows with HFI_BASIC are equations w_i = 0.
typedef enum hfiLcpMode { HFI_AT_LO = 0, HFI_AT_HI = 1, HFI_BASIC = 2 } hfiLcpMode;

hfiLcp hfi_lcp_take(hfiArena* arena, int32_t n);
hfiLcpScale hfi_lcp_scale_take(hfiArena* arena, int32_t n);

// Refuses what hf_lcp_solve and hf_lcp_enumerate do not accept.
hfStatus hfi_lcp_check(const hfLcp* problem, hfError* error);

// Makes a scaled copy of the problem with `tikhonov` added to the diagonal.
void hfi_lcp_scale(const hfLcp* problem, double tikhonov, hfiLcp* scaled, hfiLcpScale* scale);

// w = A z + b.
void hfi_lcp_slack(const hfiLcp* problem, const double* z, double* w);
// Residual of the natural map, see problem.c [-].
double hfi_lcp_residual(const hfiLcp* problem, const double* z);

// The value at which a variable starts: the finite bound nearest to zero, or 0 for a free variable.
double hfi_lcp_rest(const hfiLcp* problem, int32_t i);

static inline double hfi_clamp(double x, double lo, double hi) {
  if (x < lo) return lo;
  return x > hi ? hi : x;
}

// Corrects z by Newton steps on the rows that are equations (polish.c), as long as that lowers the
// residual. Returns the residual.
double hfi_lcp_polish(const hfiLcp* problem, const unsigned char* mode, double* z, hfiArena scratch);
size_t hfi_lcp_polish_size(int32_t n);

// The solvers. They write z (n), mode (n) and the number of pivots, and take scratch from the
// arena. Over an arena without memory they solve nothing, and arena.used is the size they need.
hfStatus hfi_lemke_solve(const hfiLcp* problem, const double* cover, int32_t max_pivots, double* z,
                         unsigned char* mode, int32_t* pivots, hfiArena* scratch);
hfStatus hfi_dantzig_solve(const hfiLcp* problem, int32_t max_pivots, double* z, unsigned char* mode,
                           int32_t* pivots, hfiArena* scratch);
hfStatus hfi_gauss_seidel_solve(const hfiLcp* problem, const hfLcpConfig* config, int32_t max_sweeps,
                                double* z, int32_t* sweeps, hfiArena* scratch);

#endif
