// Newton correction of a complementary basis.
//
// A pivoting method ends with a partition: rows B are equations w_B = 0, the others sit at a bound.
// Its tableau has been updated many times, the problem has not:
//
//   A_BB dz = -w_B(z),   z_B <- clamp(z_B + dz)
//
// repeated while the residual falls. A singular A_BB (a degenerate basis) corrects only its
// independent columns.
#include "methods/lcp/problem.h"
#include "methods/lcp/qr.h"

#include <string.h>

enum { MOST_CORRECTIONS = 3 }; // The first leaves the rounding of one solve, the others its square.
// Columns below this share of the largest are dependent: a correction along them amplifies rounding
// [-].
static const double CORRECTION_RANK_TOLERANCE = 1e-13;

// Storage for corrections.
typedef struct Refinement {
  hfiQr qr;
  int32_t* basic; // (n) rows that are equations
  double* trial;  // (n) corrected z
  double* w;      // (n)
  double* rhs;    // (n)
  double* step;   // (n)
} Refinement;

// Takes storage for n rows.
static Refinement take_refinement(hfiArena* arena, int32_t n) {
  Refinement refinement;
  refinement.qr = hfi_qr_take(arena, n, n);
  refinement.basic = HFI_TAKE(arena, int32_t, n);
  HFI_TAKE_EACH(arena, double, n, &refinement.trial, &refinement.w, &refinement.rhs, &refinement.step);
  return refinement;
}

// Returns the bytes of scratch that hfi_lcp_polish takes.
size_t hfi_lcp_polish_size(int32_t n) {
  hfiArena arena = hfi_arena(NULL, 0);
  take_refinement(&arena, n);
  return arena.used;
}

// Lists the rows that are equations and puts the other z at their bounds. Returns the number of rows.
static int32_t list_basic(const hfiLcp* problem, const unsigned char* mode, double* z, int32_t* basic) {
  int32_t count = 0;
  for (int32_t i = 0; i < problem->n; ++i) {
    if (mode[i] == HFI_BASIC) basic[count++] = i;
    else z[i] = mode[i] == HFI_AT_LO ? problem->lo[i] : problem->hi[i];
  }
  return count;
}

// Factors A_BB.
static void factor_basis(const hfiLcp* problem, const int32_t* basic, int32_t count, hfiQr* qr) {
  qr->m = count;
  qr->n = count;
  for (int32_t i = 0; i < count; ++i)
    for (int32_t j = 0; j < count; ++j)
      qr->A[i * count + j] = problem->A[(size_t)basic[i] * (size_t)problem->n + (size_t)basic[j]];

  hfi_qr_factor(qr, CORRECTION_RANK_TOLERANCE);
}

// Corrects z as long as that lowers the residual, which is returned [-]. mode (n): which rows are equations, and at
// which bound the other z are.
double hfi_lcp_polish(const hfiLcp* problem, const unsigned char* mode, double* z, hfiArena scratch) {
  Refinement refinement = take_refinement(&scratch, problem->n);
  size_t bytes = sizeof(double) * (size_t)problem->n;
  double residual = hfi_lcp_residual(problem, z);

  memcpy(refinement.trial, z, bytes);
  int32_t count = list_basic(problem, mode, refinement.trial, refinement.basic);
  factor_basis(problem, refinement.basic, count, &refinement.qr);

  for (int pass = 0; pass < MOST_CORRECTIONS; ++pass) {
    // A_BB dz = -w_B(z)
    hfi_lcp_slack(problem, refinement.trial, refinement.w);
    for (int32_t i = 0; i < count; ++i) refinement.rhs[i] = -refinement.w[refinement.basic[i]];
    hfi_qr_solve(&refinement.qr, refinement.rhs, refinement.step);

    // within the bounds
    for (int32_t i = 0; i < count; ++i) {
      int32_t j = refinement.basic[i];
      refinement.trial[j] = hfi_clamp(refinement.trial[j] + refinement.step[i], problem->lo[j], problem->hi[j]);
    }

    // keep it if it is better
    double now = hfi_lcp_residual(problem, refinement.trial);
    if (!(now < residual)) break;
    residual = now;
    memcpy(z, refinement.trial, bytes);
  }
  return residual;
}
