// What the LCP solvers share: the equilibrated problem, its residual, and the solvers' signatures.
#ifndef HFI_LCP_PROBLEM_H
#define HFI_LCP_PROBLEM_H

#include "base/arena.h"
#include <holdfast/lcp.h>
#include <stdbool.h>

// w = A z + b, lo <= z <= hi, after equilibration: entries of A and b of order one.
typedef struct hfiLcp {
  int32_t n;
  double* A; // (n x n)
  double* b; // (n)
  double* lo;
  double* hi;
} hfiLcp;

// Powers of two that lead back: z_caller = z 2^col, w_caller = w 2^-row (magnitude included).
typedef struct hfiLcpScale {
  int32_t* row;  // (n)
  int32_t* col;  // (n)
  int32_t* step; // (2 n) scratch
} hfiLcpScale;

// Where a solution has z_i: decides which rows are equations.
typedef enum hfiLcpMode { HFI_AT_LO = 0, HFI_AT_HI = 1, HFI_BASIC = 2 } hfiLcpMode;

hfiLcp hfi_lcp_take(hfiArena* arena, int32_t n);
hfiLcpScale hfi_lcp_scale_take(hfiArena* arena, int32_t n);

// Refuses what hf_lcp_solve and hf_lcp_enumerate do not accept.
hfStatus hfi_lcp_check(const hfLcp* problem, hfError* error);

// Scaled copy of problem with tikhonov added to the diagonal.
void hfi_lcp_scale(const hfLcp* problem, double tikhonov, hfiLcp* scaled, hfiLcpScale* scale);

// w = A z + b.
void hfi_lcp_slack(const hfiLcp* p, const double* z, double* w);
double hfi_lcp_residual(const hfiLcp* p, const double* z);

// The finite bound nearest to zero, or 0 for a free variable: where a variable starts.
double hfi_lcp_rest(const hfiLcp* p, int32_t i);

static inline double hfi_clamp(double x, double lo, double hi) {
  return x < lo ? lo : (x > hi ? hi : x);
}

// Newton corrections of the rows mode says are equations; keeps what lowers the residual. polish.c
double hfi_lcp_polish(const hfiLcp* p, const unsigned char* mode, double* z, hfiArena scratch);
size_t hfi_lcp_polish_size(int32_t n);

// The solvers. Outputs z (n) and mode (n); *pivots counts. Scratch is taken from the arena; with an
// arena without memory nothing is solved and arena.used is the size needed.
hfStatus hfi_lemke_solve(const hfiLcp* p, const double* cover, int32_t max_pivots, double* z,
                         unsigned char* mode, int32_t* pivots, hfiArena* scratch);
hfStatus hfi_dantzig_solve(const hfiLcp* p, int32_t max_pivots, double* z, unsigned char* mode,
                           int32_t* pivots, hfiArena* scratch);
hfStatus hfi_gauss_seidel_solve(const hfiLcp* p, const hfLcpConfig* config, int32_t max_sweeps,
                                double* z, int32_t* sweeps, hfiArena* scratch);

#endif
