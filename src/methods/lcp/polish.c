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

enum { CORRECTIONS = 3 }; // The first leaves the rounding of one solve, the others its square.
// Columns below this share of the largest are dependent: a correction along them amplifies rounding
// [-].
static const double RANK_TOLERANCE = 1e-13;

typedef struct Refinement {
  hfiQr qr;
  int32_t* basic; // (n) rows that are equations
  double *trial, *w, *rhs, *step;
} Refinement;

// Takes storage for n rows.
static Refinement take_refinement(hfiArena* arena, int32_t n) {
  Refinement k;
  k.qr = hfi_qr_take(arena, n, n);
  k.basic = HFI_TAKE(arena, int32_t, n);
  HFI_TAKE_EACH(arena, double, n, &k.trial, &k.w, &k.rhs, &k.step);
  return k;
}

// Returns the bytes of scratch that hfi_lcp_polish takes.
size_t hfi_lcp_polish_size(int32_t n) {
  hfiArena arena = hfi_arena(NULL, 0);
  take_refinement(&arena, n);
  return arena.used;
}

// Lists the rows that are equations and puts the other z at their bounds. Returns the number of rows.
static int32_t list_basic(const hfiLcp* p, const unsigned char* mode, double* z, int32_t* basic) {
  int32_t count = 0;
  for (int32_t i = 0; i < p->n; ++i) {
    if (mode[i] == HFI_BASIC)
      basic[count++] = i;
    else
      z[i] = mode[i] == HFI_AT_LO ? p->lo[i] : p->hi[i];
  }
  return count;
}

// Factors A_BB.
static void factor_basis(const hfiLcp* p, const int32_t* basic, int32_t count, hfiQr* qr) {
  qr->m = count;
  qr->n = count;
  for (int32_t i = 0; i < count; ++i)
    for (int32_t j = 0; j < count; ++j)
      qr->A[i * count + j] = p->A[(size_t)basic[i] * (size_t)p->n + (size_t)basic[j]];
  hfi_qr_factor(qr, RANK_TOLERANCE);
}

double hfi_lcp_polish(const hfiLcp* p, const unsigned char* mode, double* z, hfiArena scratch) {
  Refinement k = take_refinement(&scratch, p->n);
  size_t bytes = sizeof(double) * (size_t)p->n;
  double residual = hfi_lcp_residual(p, z);

  memcpy(k.trial, z, bytes);
  int32_t count = list_basic(p, mode, k.trial, k.basic);
  factor_basis(p, k.basic, count, &k.qr);

  for (int pass = 0; pass < CORRECTIONS; ++pass) {
    // A_BB dz = -w_B(z)
    hfi_lcp_slack(p, k.trial, k.w);
    for (int32_t i = 0; i < count; ++i) k.rhs[i] = -k.w[k.basic[i]];
    hfi_qr_solve(&k.qr, k.rhs, k.step);

    for (int32_t i = 0; i < count; ++i) {
      int32_t j = k.basic[i];
      k.trial[j] = hfi_clamp(k.trial[j] + k.step[i], p->lo[j], p->hi[j]);
    }

    double now = hfi_lcp_residual(p, k.trial);
    if (!(now < residual)) break;
    residual = now;
    memcpy(z, k.trial, bytes);
  }
  return residual;
}
