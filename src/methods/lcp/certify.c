// The certificate of the rigid model: one solution for every b, and a stable one.
//
// Sliding rows S are complementarity rows, rolling rows R are equalities w_R = 0, z_R free:
//
//   w_S = A_SS z_S + A_SR z_R + b_S,   0 = A_RS z_S + A_RR z_R + b_R
//
// With A_RR nonsingular z_R is eliminated, and the rest has one solution for every b iff the Schur
// complement  A_SS - A_SR A_RR^-1 A_RS  is a P-matrix. Stability (stability.c) is of all rows,
// since a rolling contact has a tangential layer too.
#include "methods/lcp/matrix.h"
#include "methods/lcp/qr.h"

#include <assert.h>

enum { EXACT_MARGIN_MAX = 12 }; // With at most this many rows the margin is always that of all minors.

typedef struct Certify {
  hfiQr qr;             // factors of A_RR
  int32_t *S, *R;       // lists of the sliding and of the rolling rows
  int32_t nS, nR;
  double* schur;        // (nS x nS)
  double *rhs, *x;      // (nR)
  void* work;           // workspace of the tests
  size_t work_size;
} Certify;

static size_t max_size(size_t a, size_t b) { return a > b ? a : b; }

// Returns the bytes of workspace that the largest of the four tests needs.
static size_t tests_size(int32_t n) {
  size_t size = max_size(hfi_matrix_size(n), hfi_p_matrix_size(n));
  return max_size(max_size(size, hfi_eigenvalues_size(n)), hfi_stability_size(n)) + HFI_ALIGN;
}

// Takes storage for n rows.
static Certify take_certify(hfiArena* arena, int32_t n) {
  Certify k = {.nS = 0, .nR = 0};
  k.qr = hfi_qr_take(arena, n, n);
  k.S = HFI_TAKE(arena, int32_t, n);
  k.R = HFI_TAKE(arena, int32_t, n);
  k.schur = HFI_TAKE(arena, double, (size_t)n * (size_t)n);
  k.rhs = HFI_TAKE(arena, double, n);
  k.x = HFI_TAKE(arena, double, n);
  k.work_size = tests_size(n);
  k.work = HFI_TAKE(arena, char, k.work_size);
  return k;
}

// Returns the bytes of workspace that hf_rigid_certify needs for n rows.
size_t hf_certificate_work_size(int32_t n) {
  hfiArena arena = hfi_arena(NULL, 0);
  take_certify(&arena, n);
  return arena.used + HFI_ALIGN;
}

// Factors A_RR and writes the margin of its rank.
// Returns 0 if it is singular, judged by the rank of the equilibrated block.
static int factor_rolling(int32_t n, const double* A, Certify* k, double* margin) {
  int32_t m = k->nR;
  for (int32_t i = 0; i < m; ++i)
    for (int32_t j = 0; j < m; ++j) k->qr.A[i * m + j] = A[k->R[i] * n + k->R[j]];
  int regular = hf_matrix_rank(m, m, k->qr.A, margin, k->work, k->work_size) == m;

  k->qr.m = m;
  k->qr.n = m;
  hfi_qr_factor(&k->qr, 0);
  return regular;
}

// Computes the Schur complement A_SS - A_SR A_RR^-1 A_RS, column by column.
static void form_schur(int32_t n, const double* A, Certify* k) {
  for (int32_t j = 0; j < k->nS; ++j) {
    for (int32_t i = 0; i < k->nR; ++i) k->rhs[i] = A[k->R[i] * n + k->S[j]];
    hfi_qr_solve(&k->qr, k->rhs, k->x);

    for (int32_t i = 0; i < k->nS; ++i) {
      double sum = A[k->S[i] * n + k->S[j]];
      for (int32_t l = 0; l < k->nR; ++l) sum -= A[k->S[i] * n + k->R[l]] * k->x[l];
      k->schur[i * k->nS + j] = sum;
    }
  }
}

// Returns the certificate of the n rows of A with stiffnesses k and dampings c. rolling (n) may be NULL: all rows
// slide.
hfRigidCertificate hf_rigid_certify(int32_t n, const double* A, const int32_t* rolling, const double* k,
                                    const double* c, void* work, size_t work_size) {
  assert(work_size >= hf_certificate_work_size(n));
  hfRigidCertificate r = {0};
  hfiArena arena = hfi_arena(work, work_size);
  Certify s = take_certify(&arena, n);

  // the sliding and the rolling rows
  for (int32_t i = 0; i < n; ++i) {
    if (rolling && rolling[i])
      s.R[s.nR++] = i;
    else
      s.S[s.nS++] = i;
  }

  // one solution for every b
  r.full_rank = hf_matrix_rank(n, n, A, &r.rank_margin, s.work, s.work_size) == n;
  r.rolling = factor_rolling(n, A, &s, &r.rolling_margin);
  if (r.rolling) {
    form_schur(n, A, &s);
    hfPReport p = hf_matrix_test_p(s.nS, s.schur, s.nS <= EXACT_MARGIN_MAX, s.work, s.work_size);
    r.p_matrix = p.decided && p.is_p;
    r.p_margin = p.margin;
  }

  // and a stable one
  hfStabilityReport stability = hf_boundary_layer_test(n, A, k, c, s.work, s.work_size);
  r.stable = stability.stable;
  r.abscissa = stability.abscissa;
  r.holds = r.full_rank && r.rolling && r.p_matrix && r.stable;
  return r;
}
