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

// Storage for a certificate, and the two kinds of rows.
typedef struct Certify {
  hfiQr qr;             // factors of A_RR
  int32_t* S;           // list of the sliding rows
  int32_t* R;           // list of the rolling rows
  int32_t nS;
  int32_t nR;
  double* schur;        // (nS x nS)
  double* rhs;          // (nR)
  double* x;            // (nR)
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
  Certify storage = {.nS = 0, .nR = 0};
  storage.qr = hfi_qr_take(arena, n, n);
  storage.S = HFI_TAKE(arena, int32_t, n);
  storage.R = HFI_TAKE(arena, int32_t, n);
  storage.schur = HFI_TAKE(arena, double, (size_t)n * (size_t)n);
  storage.rhs = HFI_TAKE(arena, double, n);
  storage.x = HFI_TAKE(arena, double, n);
  storage.work_size = tests_size(n);
  storage.work = HFI_TAKE(arena, char, storage.work_size);
  return storage;
}

// Returns the bytes of workspace that hf_rigid_certify needs for n rows.
size_t hf_certificate_work_size(int32_t n) {
  hfiArena arena = hfi_arena(NULL, 0);
  take_certify(&arena, n);
  return arena.used + HFI_ALIGN;
}

// Factors A_RR and writes the margin of its rank.
// Returns 0 if it is singular, judged by the rank of the equilibrated block.
static int factor_rolling(int32_t n, const double* A, Certify* storage, double* margin) {
  int32_t m = storage->nR;

  for (int32_t i = 0; i < m; ++i)
    for (int32_t j = 0; j < m; ++j) storage->qr.A[i * m + j] = A[storage->R[i] * n + storage->R[j]];

  // is it regular?
  int regular = hf_matrix_rank(m, m, storage->qr.A, margin, storage->work, storage->work_size) == m;

  // its factors
  storage->qr.m = m;
  storage->qr.n = m;
  hfi_qr_factor(&storage->qr, 0);
  return regular;
}

// Computes the Schur complement A_SS - A_SR A_RR^-1 A_RS, column by column.
static void form_schur(int32_t n, const double* A, Certify* storage) {
  for (int32_t j = 0; j < storage->nS; ++j) {
    for (int32_t i = 0; i < storage->nR; ++i) storage->rhs[i] = A[storage->R[i] * n + storage->S[j]];
    hfi_qr_solve(&storage->qr, storage->rhs, storage->x);

    for (int32_t i = 0; i < storage->nS; ++i) {
      double sum = A[storage->S[i] * n + storage->S[j]];
      for (int32_t l = 0; l < storage->nR; ++l) sum -= A[storage->S[i] * n + storage->R[l]] * storage->x[l];
      storage->schur[i * storage->nS + j] = sum;
    }
  }
}

// Returns the certificate of the n rows of A with stiffnesses k and dampings c. rolling (n) may be NULL: all rows
// slide.
hfRigidCertificate hf_rigid_certify(int32_t n, const double* A, const int32_t* rolling, const double* k,
                                    const double* c, void* work, size_t work_size) {
  assert(work_size >= hf_certificate_work_size(n));
  hfRigidCertificate certificate = {0};
  hfiArena arena = hfi_arena(work, work_size);
  Certify storage = take_certify(&arena, n);

  // the sliding and the rolling rows
  for (int32_t i = 0; i < n; ++i) {
    if (rolling && rolling[i]) storage.R[storage.nR++] = i;
    else storage.S[storage.nS++] = i;
  }

  // one solution for every b
  certificate.full_rank = hf_matrix_rank(n, n, A, &certificate.rank_margin, storage.work, storage.work_size) == n;
  certificate.rolling = factor_rolling(n, A, &storage, &certificate.rolling_margin);
  if (certificate.rolling) {
    form_schur(n, A, &storage);
    int exact_margin = storage.nS <= EXACT_MARGIN_MAX;
    hfPReport test =
        hf_matrix_test_p(storage.nS, storage.schur, exact_margin, storage.work, storage.work_size);
    certificate.p_matrix = test.decided && test.is_p;
    certificate.p_margin = test.margin;
  }

  // and a stable one
  hfStabilityReport stability = hf_boundary_layer_test(n, A, k, c, storage.work, storage.work_size);
  certificate.stable = stability.stable;
  certificate.abscissa = stability.abscissa;

  certificate.holds = certificate.full_rank && certificate.rolling && certificate.p_matrix && certificate.stable;
  return certificate;
}
