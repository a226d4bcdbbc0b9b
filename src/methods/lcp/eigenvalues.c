// Eigenvalues of a real matrix: balancing, Hessenberg form, Francis' implicit double-shift QR
// (Golub and Van Loan, Matrix Computations, section 7.5).
//
//   D^-1 A D        balanced by powers of two (Parlett and Reinsch 1969)
//   H = Q^T A Q     upper Hessenberg, by Householder reflections
//   M = (H - s1 I)(H - s2 I), s1, s2 the eigenvalues of the trailing 2 x 2 block; its first column
//   starts a bulge that reflections of three rows chase down the subdiagonal
//
// A subdiagonal entry below eps times its neighbours is zero and splits the matrix; 1 x 1 and 2 x 2 blocks give the
// eigenvalues. Only the active block is updated, as no vectors are wanted. The reflections have rounding errors of eps
// times the largest entries. Between equal eigenvalues that are far smaller, a subdiagonal entry can therefore stay
// above eps times its neighbours for ever. Where sweeps do not help, entries are compared with the norm of the matrix,
// and with a multiple of it that grows by one with each further sweep.
#include "math/elementary.h"
#include "methods/lcp/matrix.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
  MAX_SWEEPS = 60,        // Sweeps for one eigenvalue; two or three are usual.
  FINE_SWEEPS = 12,       // Sweeps for one eigenvalue after which entries are compared with multiples of the norm.
  SWEEPS_OF_A_SHIFT = 10, // After this many sweeps for one eigenvalue another shift is made.
  BALANCE_PASSES = 8,     // Each pass halves the logarithm of the imbalance at least.
};

// The sum of the two other shifts, over the size of the last subdiagonal entries (Francis) [-].
static const double OTHER_SHIFT_SUM = 1.5;

// The matrix while it is reduced, and its eigenvalues.
typedef struct Hessenberg {
  int32_t n;
  double* H; // (n x n)
  double* re; // (n) real parts of the eigenvalues
  double* im; // (n) their imaginary parts
  double norm; // Frobenius norm of H
} Hessenberg;

// Returns the bytes of workspace for a matrix (n x n).
size_t hfi_eigenvalues_size(int32_t n) {
  hfiArena arena = hfi_arena(NULL, 0);
  HFI_TAKE(&arena, double, (size_t)n * (size_t)n);
  return arena.used;
}

// Returns the place of entry (i, j) of H.
static double* entry(const Hessenberg* hessenberg, int32_t i, int32_t j) {
  return hessenberg->H + (size_t)i * (size_t)hessenberg->n + (size_t)j;
}

// Scales row and column i, without the diagonal, to nearly equal sums of their sizes. Returns whether anything changed.
static int balance_index(Hessenberg* hessenberg, int32_t i) {
  double row = 0;
  double col = 0;
  for (int32_t j = 0; j < hessenberg->n; ++j) {
    if (j == i) continue;
    row += fabs(*entry(hessenberg, i, j));
    col += fabs(*entry(hessenberg, j, i));
  }
  if (row == 0 || col == 0) return 0;

  // row/2^e and col 2^e differ by less than a factor of four
  int32_t e = (ilogb(row) - ilogb(col)) / 2;
  if (e == 0) return 0;

  for (int32_t j = 0; j < hessenberg->n; ++j) {
    if (j == i) continue;
    *entry(hessenberg, i, j) = ldexp(*entry(hessenberg, i, j), -e);
    *entry(hessenberg, j, i) = ldexp(*entry(hessenberg, j, i), e);
  }
  return 1;
}

// Balances H by powers of two until a pass changes nothing.
static void balance(Hessenberg* hessenberg) {
  int changed = 1;
  for (int pass = 0; pass < BALANCE_PASSES && changed; ++pass) {
    changed = 0;
    for (int32_t i = 0; i < hessenberg->n; ++i)
      if (balance_index(hessenberg, i)) changed = 1;
  }
}

// A reflection I - beta v v^T of `size` <= 3 rows with v_0 = 1.
typedef struct Reflection {
  double v[3];
  double beta;
  int32_t size;
} Reflection;

// Makes the reflection that turns x into *image e_0.
static Reflection make_reflection(const double* x, int32_t size, double* image) {
  Reflection r = {{1, 0, 0}, 0, size};
  double scale = 0;
  double tail = 0;
  for (int32_t i = 0; i < size; ++i) scale = fmax(scale, fabs(x[i]));
  for (int32_t i = 1; i < size; ++i) tail = fmax(tail, fabs(x[i]));

  *image = x[0];
  if (tail == 0) return r;

  // the sign without cancellation
  double norm = 0;
  for (int32_t i = 0; i < size; ++i) norm += (x[i] / scale) * (x[i] / scale);
  norm = x[0] > 0 ? -scale * sqrt(norm) : scale * sqrt(norm);

  for (int32_t i = 1; i < size; ++i) r.v[i] = x[i] / (x[0] - norm);
  r.beta = (norm - x[0]) / norm;
  *image = norm;
  return r;
}

// Applies a reflection from the left to rows k, k + 1, ... in the columns [first, last].
static void reflect_rows(Hessenberg* hessenberg, const Reflection* r, int32_t k, int32_t first, int32_t last) {
  for (int32_t j = first; j <= last; ++j) {
    double dot = 0;
    for (int32_t i = 0; i < r->size; ++i) dot += r->v[i] * *entry(hessenberg, k + i, j);
    for (int32_t i = 0; i < r->size; ++i) *entry(hessenberg, k + i, j) -= r->beta * dot * r->v[i];
  }
}

// Applies a reflection from the right to columns k, k + 1, ... in the rows [first, last].
static void reflect_columns(Hessenberg* hessenberg, const Reflection* r, int32_t k, int32_t first, int32_t last) {
  for (int32_t i = first; i <= last; ++i) {
    double dot = 0;
    for (int32_t j = 0; j < r->size; ++j) dot += r->v[j] * *entry(hessenberg, i, k + j);
    for (int32_t j = 0; j < r->size; ++j) *entry(hessenberg, i, k + j) -= r->beta * dot * r->v[j];
  }
}

// Makes H upper Hessenberg. Column by column, from the bottom up, a reflection of two rows makes the lower entry zero.
static void reduce_to_hessenberg(Hessenberg* hessenberg) {
  for (int32_t c = 0; c + 2 < hessenberg->n; ++c)
    for (int32_t i = hessenberg->n - 1; i > c + 1; --i) {
      const double x[2] = {*entry(hessenberg, i - 1, c), *entry(hessenberg, i, c)};
      double image;
      Reflection r = make_reflection(x, 2, &image);
      if (r.beta == 0) continue;

      reflect_rows(hessenberg, &r, i - 1, c, hessenberg->n - 1);
      reflect_columns(hessenberg, &r, i - 1, 0, hessenberg->n - 1);
      *entry(hessenberg, i, c) = 0;
    }
}

// Returns the first row of the unreduced block that ends in row `last`, and sets the subdiagonal
// entry before it to zero. least: entries are compared with this number at least.
static int32_t find_split(Hessenberg* hessenberg, int32_t last, double least) {
  int32_t l = last;
  for (; l > 0; --l) {
    double size = fabs(*entry(hessenberg, l - 1, l - 1)) + fabs(*entry(hessenberg, l, l));
    if (size == 0) size = fabs(*entry(hessenberg, l - 1, l)) + fabs(*entry(hessenberg, l, l - 1));
    if (fabs(*entry(hessenberg, l, l - 1)) <= DBL_EPSILON * fmax(size, least)) {
      *entry(hessenberg, l, l - 1) = 0;
      break;
    }
  }
  return l;
}

// Writes the eigenvalues d + x of the block [a b; c d] at rows l, l + 1:  x^2 - (a - d) x - b c = 0.
// Of two real x the one without cancellation comes first and gives the other by their product -b c.
static void solve_pair(Hessenberg* hessenberg, int32_t l) {
  double b = *entry(hessenberg, l, l + 1);
  double c = *entry(hessenberg, l + 1, l);
  double d = *entry(hessenberg, l + 1, l + 1);
  double half = 0.5 * (*entry(hessenberg, l, l) - d);
  double q = half * half + b * c;

  if (q >= 0) {
    // two real ones
    double x = half + (half >= 0 ? sqrt(q) : -sqrt(q));
    hessenberg->re[l] = d + x;
    hessenberg->re[l + 1] = x != 0 ? d - b * c / x : d;
    hessenberg->im[l] = 0;
    hessenberg->im[l + 1] = 0;
  } else {
    // a conjugate pair
    hessenberg->re[l] = d + half;
    hessenberg->re[l + 1] = d + half;
    hessenberg->im[l] = sqrt(-q);
    hessenberg->im[l + 1] = -hessenberg->im[l];
  }
}

// Computes x (3), the first column of (H - s1 I)(H - s2 I) of the block of rows l to last, from s1 + s2 and s1 s2.
// sweeps: how many sweeps this block has had.
static void start_bulge(Hessenberg* hessenberg, int32_t l, int32_t last, int sweeps, double* x) {
  double a = *entry(hessenberg, last - 1, last - 1);
  double d = *entry(hessenberg, last, last);
  double sum = a + d;
  double product = a * d - *entry(hessenberg, last - 1, last) * *entry(hessenberg, last, last - 1);

  // another shift now and then ends cycles that symmetry causes
  if (sweeps % SWEEPS_OF_A_SHIFT == SWEEPS_OF_A_SHIFT - 1) {
    double jump = fabs(*entry(hessenberg, last, last - 1)) + fabs(*entry(hessenberg, last - 1, last - 2));
    sum = OTHER_SHIFT_SUM * jump;
    product = jump * jump;
  }

  // the first column
  double h00 = *entry(hessenberg, l, l);
  double h10 = *entry(hessenberg, l + 1, l);
  double h11 = *entry(hessenberg, l + 1, l + 1);
  x[0] = h00 * h00 + *entry(hessenberg, l, l + 1) * h10 - sum * h00 + product;
  x[1] = h10 * (h00 + h11 - sum);
  x[2] = h10 * *entry(hessenberg, l + 2, l + 1);
}

// Makes one double-shift sweep over the block of rows l ... last (at least three).
static void chase_bulge(Hessenberg* hessenberg, int32_t l, int32_t last, int sweeps) {
  double x[3];
  double image;
  start_bulge(hessenberg, l, last, sweeps, x);

  for (int32_t k = l; k < last; ++k) {
    // the bulge in column k - 1
    int32_t size = k + 2 <= last ? 3 : 2;
    if (k > l)
      for (int32_t i = 0; i < size; ++i) x[i] = *entry(hessenberg, k + i, k - 1);

    Reflection r = make_reflection(x, size, &image);
    reflect_rows(hessenberg, &r, k, k > l ? k - 1 : l, last);
    reflect_columns(hessenberg, &r, k, l, k + 3 < last ? k + 3 : last);
    if (k > l)
      for (int32_t i = 1; i < size; ++i) *entry(hessenberg, k + i, k - 1) = 0;
  }
}

// Sweeps until all blocks are 1 x 1 or 2 x 2, and reads the eigenvalues.
// Returns HF_NOT_CONVERGED if an eigenvalue takes too many sweeps.
static hfStatus iterate(Hessenberg* hessenberg) {
  int sweeps = 0;
  int32_t last = hessenberg->n - 1; // rows behind it have their eigenvalues
  while (last >= 0) {
    // a subdiagonal entry counts as zero below eps times its neighbours, or below eps times `least`
    double least = sweeps > FINE_SWEEPS ? (sweeps - FINE_SWEEPS) * hessenberg->norm : 0;
    int32_t l = find_split(hessenberg, last, least);

    if (l == last) {
      // the last row is a block of its own
      hessenberg->re[l] = *entry(hessenberg, l, l);
      hessenberg->im[l] = 0;
      last -= 1;
      sweeps = 0;
    } else if (l == last - 1) {
      // the last two rows are
      solve_pair(hessenberg, l);
      last -= 2;
      sweeps = 0;
    } else if (sweeps == MAX_SWEEPS) {
      return HF_NOT_CONVERGED;
    } else {
      // a larger block, rows l to last: another sweep
      chase_bulge(hessenberg, l, last, sweeps);
      ++sweeps;
    }
  }
  return HF_OK;
}

// Writes the eigenvalues re + i im of A. Returns HF_NOT_CONVERGED if they were not found; the missing ones are zero.
hfStatus hf_matrix_eigenvalues(int32_t n, const double* A, double* re, double* im, void* work, size_t work_size) {
  hfiArena arena = hfi_arena(work, work_size);
  Hessenberg h = {n, HFI_TAKE(&arena, double, (size_t)n * (size_t)n), re, im, 0};
  memcpy(h.H, A, sizeof(double) * (size_t)n * (size_t)n);
  for (int32_t i = 0; i < n; ++i) {
    re[i] = 0;
    im[i] = 0;
  }

  balance(&h);
  reduce_to_hessenberg(&h);
  for (int32_t i = 0; i < n * n; ++i) h.norm = hfi_hypot(h.norm, h.H[i]);
  return iterate(&h);
}
