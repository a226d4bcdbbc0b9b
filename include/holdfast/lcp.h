// Linear complementarity problems with bounds, and the certificates of the rigid contact model.
//
//   w = A z + b,   lo <= z <= hi,   and for each i one of
//     z_i = lo_i, w_i >= 0      z_i = hi_i, w_i <= 0      lo_i < z_i < hi_i, w_i = 0
//
// lo = 0, hi = inf is the LCP; lo = -inf, hi = inf an equality row; lo = hi fixes z_i and leaves w_i
// free. Nothing here allocates: the caller asks for the size of the workspace once and hands it in
// (aligned as malloc aligns). Theory: docs/theory/lcp.md.
#ifndef HOLDFAST_LCP_H
#define HOLDFAST_LCP_H

#include <holdfast/status.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hfLcp {
  int32_t n;
  const double* A;  // (n x n) row-major
  const double* b;  // (n)
  const double* lo; // (n), may be -inf; NULL: 0
  const double* hi; // (n), may be +inf; NULL: +inf
} hfLcp;

typedef enum hfLcpMethod {
  HF_LCP_LEMKE = 0,        // complementary pivoting: P, PSD, copositive; any A when every bound is finite
  HF_LCP_DANTZIG = 1,      // principal pivoting (Dantzig, Cottle, Keller), bounds native: P, PSD
  HF_LCP_GAUSS_SEIDEL = 2, // projected sweeps: symmetric PD, diagonally dominant; never exact
} hfLcpMethod;

typedef struct hfLcpConfig {
  int32_t method;      // hfLcpMethod
  int32_t max_pivots;  // largest number of pivots, or of sweeps of Gauss-Seidel; 0: 100 + 20 n pivots, less where n > 600 (docs/theory/lcp.md), 1000 sweeps
  double tolerance;    // largest hfLcpReport.residual called HF_OK [-]
  double tikhonov;     // added to every diagonal entry of A, in the units of A; >= 0
  double relaxation;   // relaxation factor of a Gauss-Seidel sweep, in (0, 2) [-]
  const double* cover; // Lemke's covering vector (n), > 0, in the units of w; NULL: a scaled one
  int32_t warm_start;  // 1: Gauss-Seidel starts from the z handed in
} hfLcpConfig;

HF_API hfLcpConfig hf_lcp_config_default(void);

typedef struct hfLcpReport {
  hfStatus status;        // the status that the solver returned
  int32_t pivots;         // number of pivots, or of sweeps
  double residual;        // residual of the problem that was solved, with A + tikhonov I (see hf_lcp_residual) [-]
  double caller_residual; // residual of the problem that the caller gave, with A alone [-]
} hfLcpReport;

// Workspace of hf_lcp_solve for problems of up to n rows [bytes].
HF_API size_t hf_lcp_work_size(hfLcpMethod method, int32_t n);

// Outputs z (n), w = (A + tikhonov I) z + b (n) or NULL, report or NULL.
//   HF_OK             residual <= tolerance
//   HF_NO_SOLUTION    a secondary ray: for P, PSD and copositive-plus A this proves there is none
//   HF_NOT_CONVERGED  the pivot limit, or a residual above the tolerance
//   HF_SINGULAR       Gauss-Seidel: a diagonal entry is not positive; Dantzig: dependent equality rows
//                     and A not positive semidefinite
// In the last three z is the last iterate, inside its bounds and finite.
//   HF_ERROR_NONFINITE, HF_ERROR_ARGUMENT   refused, outputs untouched
HF_API hfStatus hf_lcp_solve(const hfLcp* problem, const hfLcpConfig* config, double* z, double* w,
                             void* work, size_t work_size, hfLcpReport* report, hfError* error);

// Natural-map residual max_i |z_i - clamp(z_i - w_i, lo_i, hi_i)| over max_i (|A||z| + |b|)_i, counted up
// to 1e6, all in the equilibrated problem with b of order one: a small multiple of 1e-16 is rounding.
// A workspace of any method's hf_lcp_work_size is enough.
HF_API double hf_lcp_residual(const hfLcp* problem, const double* z, void* work, size_t work_size);

enum { HF_LCP_ENUMERATION_MAX = 8 };

typedef struct hfLcpSolutions {
  int32_t capacity; // rows of z
  int32_t count;    // distinct solutions found, at most capacity
  int32_t continuum; // 1: solutions may not be isolated: z then holds the corners of their faces
  double* z;        // (capacity x n)
} hfLcpSolutions;

HF_API size_t hf_lcp_enumerate_work_size(int32_t n);

// Every solution, by trying every complementary choice (3^n at most); n <= HF_LCP_ENUMERATION_MAX.
// HF_OK, HF_NO_SOLUTION (count 0), HF_OVERFLOW (capacity full), or a refusal.
HF_API hfStatus hf_lcp_enumerate(const hfLcp* problem, hfLcpSolutions* solutions, void* work,
                                 size_t work_size, hfError* error);

// ---- Certificates --------------------------------------------------------------------------------

enum {
  HF_P_EXACT_MAX = 20, // rows up to which the P property is decided by 2^n pivots
  HF_MINORS_MAX = 20,  // rows up to which all minors are computed
};

// Workspace enough for every function below with matrices of up to n rows and columns [bytes].
HF_API size_t hf_certificate_work_size(int32_t n);

// Numerical rank of A (m x n) by column-pivoted QR of the equilibrated matrix. margin, if not NULL,
// is |R_kk|/|R_11| at k = min(m, n): zero to rounding when the rank is not full [-].
HF_API int32_t hf_matrix_rank(int32_t m, int32_t n, const double* A, double* margin, void* work,
                              size_t work_size);

HF_API double hf_matrix_determinant(int32_t n, const double* A, void* work, size_t work_size);

// All 2^n - 1 principal minors, n <= HF_MINORS_MAX: minors[mask], bit i of mask = row i, minors[0] = 1.
HF_API void hf_matrix_minors(int32_t n, const double* A, double* minors, void* work, size_t work_size);

// Eigenvalues re + i im (n each) of a real matrix. HF_OK or HF_NOT_CONVERGED.
HF_API hfStatus hf_matrix_eigenvalues(int32_t n, const double* A, double* re, double* im, void* work,
                                      size_t work_size);

typedef enum hfPTest {
  HF_P_BY_NONE = 0,        // undecided: n > HF_P_EXACT_MAX and no cheap test speaks
  HF_P_BY_DIAGONAL = 1,    // necessary
  HF_P_BY_PAIRS = 2,       // necessary: a 2 x 2 minor
  HF_P_BY_DETERMINANT = 3, // necessary
  HF_P_BY_DEFINITE = 4,    // sufficient: symmetric part positive definite
  HF_P_BY_PIVOTS = 5,      // exact: recursive Schur complements
} hfPTest;

typedef struct hfPReport {
  int32_t is_p;     // 1: every principal minor is positive
  int32_t decided;  // 1: a test decided
  int32_t by;       // hfPTest that decided
  double margin;    // smallest pivot that the deciding test met, with A scaled to a unit diagonal [-]
  uint64_t witness; // rows of a principal minor that is not positive (bit i = row i, rows < 64)
} hfPReport;

// Is every principal minor positive? exact_only = 1 skips the cheap tests, so that margin is always the
// smallest of all 2^n - 1 pivots (a minor over the minor without its last row).
HF_API hfPReport hf_matrix_test_p(int32_t n, const double* A, int32_t exact_only, void* work,
                                  size_t work_size);

typedef struct hfStabilityReport {
  int32_t stable;  // 1: all roots are in the open left half plane
  hfStatus status; // HF_NOT_CONVERGED when the eigenvalues were not found; then stable is false
  double abscissa; // largest real part of the roots [1/s]
} hfStabilityReport;

// Is the boundary layer stable? Its deformations delta obey deltadd = -A (K delta + C deltad), with K = diag(k) [N/m] and C = diag(c) [N s/m] of n
// numbers each. It is stable if all roots of det(s^2 I + s A C + A K) = 0 are in the open left half plane.
HF_API hfStabilityReport hf_boundary_layer_test(int32_t n, const double* A, const double* k,
                                                const double* c, void* work, size_t work_size);

// Is the boundary layer stable for one eigenvalue a + ib of A, if all rows have the same k and c? It is if a > 0 and c^2 a (a^2 + b^2) > k b^2.
HF_API int hf_boundary_layer_mode_stable(double a, double b, double k, double c);

typedef struct hfRigidCertificate {
  int32_t full_rank; // 1: A is numerically nonsingular
  int32_t rolling;   // 1: the block of rolling rows is nonsingular, or there are none
  int32_t p_matrix;  // 1: what remains after the elimination of rolling rows is a P-matrix
  int32_t stable;    // 1: the boundary layer is stable
  int32_t holds;     // 1: all of them hold: the rigid model has one stable solution for every b
  double rank_margin, rolling_margin; // |R_nn|/|R_11| of the QR factors of A and of the block of rolling rows [-]
  double p_margin;                    // smallest pivot of the test for P, as hfPReport.margin [-]
  double abscissa;                    // largest real part of the roots of the boundary layer [1/s]
} hfRigidCertificate;

// Tests whether the rigid model w = A z + b has one stable solution for every b. R are the rows with rolling[i] = 1, which are equalities (w_i = 0);
// S are the others. There is one solution if A_RR is nonsingular and A_SS - A_SR A_RR^-1 A_RS is a P-matrix. It is stable if the boundary layer with
// stiffness k and damping c (n) is, see hf_boundary_layer_test.
HF_API hfRigidCertificate hf_rigid_certify(int32_t n, const double* A, const int32_t* rolling,
                                           const double* k, const double* c, void* work,
                                           size_t work_size);

#ifdef __cplusplus
}
#endif
#endif
