// Friction problems of the tests as dense matrices, and what a test knows of them without the library.
#ifndef HF_TESTS_FRICTION_DENSE_H
#define HF_TESTS_FRICTION_DENSE_H

#include "support/cmocka_all.h"
#include "support/random.h"

#include <holdfast/friction.h>
#include <stdlib.h>
#include <string.h>

// A dense matrix by rows, and its compressed rows.
typedef struct denseMatrix {
  int rows, cols;
  double* a;
  hfSparseMatrix sparse;
} denseMatrix;

static inline void* new_array(size_t count, size_t size) {
  void* p = calloc(count ? count : 1, size);
  assert_non_null(p);
  return p;
}

static inline denseMatrix new_dense(int rows, int cols) {
  denseMatrix d = {rows, cols, new_array((size_t)rows * (size_t)cols, sizeof(double)), {rows, cols, NULL, NULL, NULL}};
  return d;
}
static inline double* dense_at(const denseMatrix* d, int i, int j) { return d->a + (size_t)i * (size_t)d->cols + j; }

// Fills `sparse` with the entries that are not zero.
static inline void compress(denseMatrix* d) {
  size_t n = (size_t)d->rows * (size_t)d->cols;
  hfSparseMatrix* s = &d->sparse;
  s->start = new_array((size_t)d->rows + 1, sizeof *s->start);
  s->col = new_array(n, sizeof *s->col);
  s->value = new_array(n, sizeof *s->value);
  for (int i = 0; i < d->rows; ++i) {
    s->start[i + 1] = s->start[i];
    for (int j = 0; j < d->cols; ++j) {
      if (*dense_at(d, i, j) == 0) continue;
      s->col[s->start[i + 1]] = j;
      s->value[s->start[i + 1]++] = *dense_at(d, i, j);
    }
  }
}
static inline void free_dense(denseMatrix* d) {
  free(d->a), free(d->sparse.start), free(d->sparse.col), free(d->sparse.value);
}

// Solves A x = b by Gaussian elimination with partial pivoting; A and b are overwritten.
static inline void solve_dense(double* A, double* b, int n) {
  for (int k = 0; k < n; ++k) {
    int p = k;
    for (int i = k + 1; i < n; ++i)
      if (fabs(A[i * n + k]) > fabs(A[p * n + k])) p = i;
    for (int j = 0; j < n; ++j) {
      double t = A[k * n + j];
      A[k * n + j] = A[p * n + j], A[p * n + j] = t;
    }
    double t = b[k];
    b[k] = b[p], b[p] = t;
    for (int i = k + 1; i < n; ++i) {
      double f = A[i * n + k] / A[k * n + k];
      for (int j = k; j < n; ++j) A[i * n + j] -= f * A[k * n + j];
      b[i] -= f * b[k];
    }
  }
  for (int i = n - 1; i >= 0; --i) {
    for (int j = i + 1; j < n; ++j) b[i] -= A[i * n + j] * b[j];
    b[i] /= A[i * n + i];
  }
}

// Coulomb's law of one contact, term by term, with reactions in units of `force` and velocities in units of `speed`: the
// largest of what is violated. It does not use the natural map.
static inline double coulomb_violation(int dim, double mu, const double* r, const double* u, double force, double speed) {
  double rt = 0, ut = 0, work = 0;
  for (int k = 1; k < dim; ++k) rt += r[k] * r[k], ut += u[k] * u[k], work += r[k] * u[k];
  rt = sqrt(rt), ut = sqrt(ut);
  double worst = fmax(-r[0] / force, -u[0] / speed);
  worst = fmax(worst, fabs(r[0] * u[0]) / (force * speed));
  worst = fmax(worst, (rt - mu * r[0]) / force);
  return fmax(worst, fabs(work + mu * r[0] * ut) / (force * speed)); // friction opposes slip with its full bound
}

#endif
