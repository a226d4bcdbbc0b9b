// testRandom linear complementarity problems of known classes, and a residual independent of the library.
#ifndef HF_TESTS_LCP_RANDOM_LCP_H
#define HF_TESTS_LCP_RANDOM_LCP_H

#include "support/random.h"
#include <holdfast/lcp.h>
#include <stdbool.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

enum { MAX_ROWS = 256 };

static inline int32_t random_between(testRandom* r, int32_t lo, int32_t hi) { // both ends included
  return lo + random_int(r, hi - lo + 1);
}
static inline uint64_t test_seed(void) {
  const char* s = getenv("HF_SEED");
  return s ? strtoull(s, NULL, 0) : 20250711u;
}

// A problem with its storage.
typedef struct Problem {
  int32_t n;
  double *A, *b, *lo, *hi;
  double *w_unit, *z_unit; // (n) sizes that w_i and z_i have, to an order of magnitude
  hfLcp lcp;
} Problem;

static inline Problem make_problem(int32_t capacity) {
  Problem p = {0};
  size_t n = (size_t)capacity;
  p.A = malloc(sizeof(double) * n * n);
  p.b = malloc(sizeof(double) * n);
  p.lo = malloc(sizeof(double) * n);
  p.hi = malloc(sizeof(double) * n);
  p.w_unit = malloc(sizeof(double) * n);
  p.z_unit = malloc(sizeof(double) * n);
  if (!p.A || !p.b || !p.lo || !p.hi || !p.w_unit || !p.z_unit) abort();
  return p;
}
static inline void free_problem(Problem* p) {
  free(p->A), free(p->b), free(p->lo), free(p->hi), free(p->w_unit), free(p->z_unit);
}

// Sets the size and the standard bounds 0, inf.
static inline void set_size(Problem* p, int32_t n) {
  p->n = n;
  for (int32_t i = 0; i < n; ++i) p->lo[i] = 0, p->hi[i] = INFINITY, p->w_unit[i] = p->z_unit[i] = 1;
  p->lcp = (hfLcp){n, p->A, p->b, p->lo, p->hi};
}

static inline void fill_gram(testRandom* r, Problem* p, int32_t rank) { // A = G G^T, G (n x rank)
  double G[MAX_ROWS];
  int32_t n = p->n;
  for (int32_t i = 0; i < n * n; ++i) p->A[i] = 0;
  for (int32_t k = 0; k < rank; ++k) {
    for (int32_t i = 0; i < n; ++i) G[i] = random_uniform(r, -1, 1);
    for (int32_t i = 0; i < n; ++i)
      for (int32_t j = 0; j < n; ++j) p->A[i * n + j] += G[i] * G[j];
  }
}
static inline void add_skew(testRandom* r, Problem* p, double size) {
  for (int32_t i = 0; i < p->n; ++i)
    for (int32_t j = 0; j < i; ++j) {
      double k = random_uniform(r, -size, size);
      p->A[i * p->n + j] += k, p->A[j * p->n + i] -= k;
    }
}
static inline void add_diagonal(Problem* p, double size) {
  for (int32_t i = 0; i < p->n; ++i) p->A[i * p->n + i] += size;
}
static inline void fill_b(testRandom* r, Problem* p) {
  for (int32_t i = 0; i < p->n; ++i) p->b[i] = random_uniform(r, -1, 1);
}
// b for which a random complementary pair (z, w) is a solution; `degenerate`: some pairs are (0, 0).
static inline void fill_solvable_b(testRandom* r, Problem* p, bool degenerate) {
  double z[MAX_ROWS];
  for (int32_t i = 0; i < p->n; ++i) {
    int32_t kind = random_between(r, 0, degenerate ? 2 : 1);
    z[i] = kind == 0 ? random_uniform(r, 0, 1) : 0;
    p->b[i] = kind == 1 ? random_uniform(r, 0, 1) : 0;
  }
  for (int32_t i = 0; i < p->n; ++i)
    for (int32_t j = 0; j < p->n; ++j) p->b[i] -= p->A[i * p->n + j] * z[j];
}
// Row and column scales of 10^-decades ... 10^decades; solutions scale along.
static inline void scale_badly(testRandom* r, Problem* p, double decades) {
  for (int32_t i = 0; i < p->n; ++i) {
    double e = pow(10, random_uniform(r, -decades, decades)), d = pow(10, random_uniform(r, -decades, decades));
    for (int32_t j = 0; j < p->n; ++j) p->A[i * p->n + j] *= e, p->A[j * p->n + i] *= d;
    p->b[i] *= e, p->w_unit[i] *= e;
    p->lo[i] /= d, p->hi[i] /= d, p->z_unit[i] /= d;
  }
}

// Largest violation of w = A z + b and complementarity over the largest term of w, each row in its own
// unit, counted up to 1e6. Written from the definition, not from the natural map: z must be inside its
// bounds, and within `near` of one (relative) counts as at it.
static inline double violation(const Problem* p, const double* z, double near) {
  double worst = 0, largest = 1;
  for (int32_t i = 0; i < p->n; ++i) {
    double w = p->b[i], lo = p->lo[i], hi = p->hi[i], bad, close = near * fmax(p->z_unit[i], fabs(z[i]));
    for (int32_t j = 0; j < p->n; ++j) {
      w += p->A[i * p->n + j] * z[j];
      largest = fmax(largest, fabs(p->A[i * p->n + j] * z[j]) / p->w_unit[i]);
    }
    if (!isfinite(z[i]) || z[i] < lo || z[i] > hi) return INFINITY;
    bad = fabs(w);
    if (z[i] - lo <= close && w > 0) bad = 0;
    if (hi - z[i] <= close && w < 0) bad = 0;
    worst = fmax(worst, bad / p->w_unit[i]);
  }
  return worst / fmin(largest, 1e6);
}

#endif
