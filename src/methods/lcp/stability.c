// Boundary-layer stability of the rigid solution (Song, Kumar and co-authors 2000: the contact
// layer of Eq. 6, 7, 13 on the rigid dynamics of Eq. 12).
//
// A contact with stiffness and damping, forces lambda = K delta + C deltad, rides on w = A lambda +
// b:
//
//   deltadd = -A (K delta + C deltad) - b,    roots of det(s^2 I + s A C + A K) = 0
//
// and the rigid solution is its limit for stiff contacts only where all roots have negative real
// parts. Companion form:  d/dt [delta; deltad] = [0 I; -A K  -A C] [delta; deltad].
//
// Equal rows: with an eigenvalue alpha = a + ib of A,  s^2 + alpha c s + alpha k = 0. Let p + iq = c alpha and
// u + iv = k alpha. The quadratic s^2 + (p + iq) s + (u + iv) has both roots in the left half plane iff p > 0 and
// p^2 u + p q v - v^2 > 0 (Hurwitz for complex coefficients). That means:
//
//   a > 0   and   c^2 a (a^2 + b^2) > k b^2
#include "methods/lcp/matrix.h"

#include <math.h>

// A root must lie left of the imaginary axis by this share of the largest root [-]. Rounding of the
// eigenvalues is a hundred times smaller. A singular A has double roots at zero, one of which
// rounding leaves to the right of this line.
static const double AXIS_TOLERANCE = 1e-12;

// Storage for the test.
typedef struct LayerWork {
  double* F;         // (2n x 2n) companion matrix
  double* re;        // (2n) real parts of its eigenvalues
  double* im;        // (2n) imaginary parts
  void* eigen_work;
  size_t eigen_size;
} LayerWork;

// Takes storage for n rows.
static LayerWork take_layer(hfiArena* arena, int32_t n) {
  LayerWork storage;
  storage.F = HFI_TAKE(arena, double, 4 * (size_t)n * (size_t)n);
  storage.re = HFI_TAKE(arena, double, 2 * n);
  storage.im = HFI_TAKE(arena, double, 2 * n);
  storage.eigen_size = hfi_eigenvalues_size(2 * n) + HFI_ALIGN;
  storage.eigen_work = HFI_TAKE(arena, char, storage.eigen_size);
  return storage;
}

// Returns the bytes of workspace of the test.
size_t hfi_stability_size(int32_t n) {
  hfiArena arena = hfi_arena(NULL, 0);
  take_layer(&arena, n);
  return arena.used;
}

// Writes F = [0 I; -A K  -A C].
static void fill_companion(int32_t n, const double* A, const double* k, const double* c, double* F) {
  for (int32_t i = 0; i < n; ++i)
    for (int32_t j = 0; j < n; ++j) {
      double a = A[i * n + j];
      F[i * 2 * n + j] = 0;
      F[i * 2 * n + n + j] = i == j ? 1 : 0;
      F[(n + i) * 2 * n + j] = -a * k[j];
      F[(n + i) * 2 * n + n + j] = -a * c[j];
    }
}

// Tests whether all roots of the contact layer lie left of the imaginary axis.
hfStabilityReport hf_boundary_layer_test(int32_t n, const double* A, const double* k, const double* c,
                                         void* work, size_t work_size) {
  hfStabilityReport report = {n == 0, HF_OK, n == 0 ? -INFINITY : 0};
  if (n == 0) return report;

  hfiArena arena = hfi_arena(work, work_size);
  LayerWork storage = take_layer(&arena, n);
  fill_companion(n, A, k, c, storage.F);
  report.status = hf_matrix_eigenvalues(2 * n, storage.F, storage.re, storage.im, storage.eigen_work,
                                        storage.eigen_size);

  // all roots on the left?
  double radius = 0;
  report.abscissa = -INFINITY;
  for (int32_t i = 0; i < 2 * n; ++i) {
    report.abscissa = fmax(report.abscissa, storage.re[i]);
    radius = fmax(radius, fabs(storage.re[i]) + fabs(storage.im[i]));
  }

  report.stable = report.status == HF_OK && report.abscissa < -AXIS_TOLERANCE * radius;
  return report;
}

// Are both roots of s^2 + alpha c s + alpha k, alpha = a + ib, left of the imaginary axis?
int hf_boundary_layer_mode_stable(double a, double b, double k, double c) {
  return a > 0 && c * c * a * (a * a + b * b) > k * b * b;
}
