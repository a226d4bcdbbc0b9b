// Kernels on the stacked Jacobian of a patch. Widths are multiples of four; sums run in a fixed
// order.
#include "solve/patch.h"

#include "linalg/dense.h"

#include <string.h>

enum { LANES = 4 };

// y += a0 x0 + a1 x1 + a2 x2 + a3 x3, the x being rows of width `stride`; n a multiple of LANES
static inline void add4(double* restrict y, double a0, double a1, double a2, double a3,
                        const double* restrict x, int stride, int n) {
  const double* restrict x1 = x + stride, * restrict x2 = x + 2 * stride, * restrict x3 = x + 3 * stride;
  for (int i = 0; i < n; i += LANES)
    for (int l = i; l < i + LANES; ++l)
      y[l] += (a0 * x[l] + a1 * x1[l]) + (a2 * x2[l] + a3 * x3[l]);
}
static inline void add3(double* restrict y, double a0, double a1, double a2,
                        const double* restrict x, int stride, int n) {
  const double* restrict x1 = x + stride, * restrict x2 = x + 2 * stride;
  for (int i = 0; i < n; i += LANES)
    for (int l = i; l < i + LANES; ++l) y[l] += (a0 * x[l] + a1 * x1[l]) + a2 * x2[l];
}
static inline void add1(double* restrict y, double a, const double* restrict x, int n) {
  for (int i = 0; i < n; i += LANES)
    for (int l = i; l < i + LANES; ++l) y[l] += a * x[l];
}

// y += sum_r a_r x_r over k rows; a has stride `step`
static inline void add_rows(double* restrict y, const double* a, int step, const double* restrict x,
                            int stride, int k, int n) {
  for (; k >= 4; k -= 4, a += 4 * step, x += 4 * stride)
    add4(y, a[0], a[step], a[2 * step], a[3 * step], x, stride, n);
  if (k == 3)
    add3(y, a[0], a[step], a[2 * step], x, stride, n);
  else
    for (; k > 0; --k, a += step, x += stride) add1(y, a[0], x, n);
}

// The same, unrolled for the usual widths.
static inline void add_all_rows(double* restrict y, const double* a, int step,
                                const double* restrict x, int stride, int k, int n) {
  switch (n) {
  case 4:
    add_rows(y, a, step, x, stride, k, 4);
    break;
  case 8:
    add_rows(y, a, step, x, stride, k, 8);
    break;
  case 12:
    add_rows(y, a, step, x, stride, k, 12);
    break;
  default:
    add_rows(y, a, step, x, stride, k, n);
    break;
  }
}

void hfi_patch_multiply(const hfiPatch* patch, const double* x, double* restrict s) {
  int height = patch->height;
  for (int i = 0; i < height; ++i) s[i] = 0;
  add_rows(s, x, 1, patch->JT, height, patch->ncol, height);
}

void hfi_patch_add_transposed(const hfiPatch* patch, int first, int count, const double* gamma,
                              double* restrict y) {
  add_all_rows(y, gamma, 1, patch->J + first * patch->ld, patch->ld, count, patch->ld);
}

void hfi_patch_add_product(const hfiPatch* patch, int rows, const double* A, const double* B,
                           int upper, double* restrict C) {
  int ld = patch->ld;
  for (int i = 0; i < patch->ncol; ++i) {
    int j = upper ? i & ~(LANES - 1) : 0;
    add_all_rows(C + i * ld + j, A + i, ld, B + j, ld, rows, ld - j);
  }
}

static inline void combine3(double* restrict y, double a0, const double* restrict x0, double a1,
                            const double* restrict x1, double a2, const double* restrict x2,
                            int ld) {
  for (int i = 0; i < ld; i += LANES)
    for (int l = i; l < i + LANES; ++l) y[l] = (a0 * x0[l] + a1 * x1[l]) + a2 * x2[l];
}
static inline void combine2(double* restrict y, double a0, const double* restrict x0, double a1,
                            const double* restrict x1, int ld) {
  for (int i = 0; i < ld; i += LANES)
    for (int l = i; l < i + LANES; ++l) y[l] = a0 * x0[l] + a1 * x1[l];
}
static inline void scale(double* restrict y, double a, const double* restrict x, int ld) {
  for (int i = 0; i < ld; i += LANES)
    for (int l = i; l < i + LANES; ++l) y[l] = a * x[l];
}

void hfi_patch_weigh_contact(const hfiContactResponse* c, int dim, const double* restrict J,
                             double* restrict GJ, int ld) {
  const double *J1 = J + ld, *J2 = J + 2 * ld, *J3 = J + 3 * ld, *J4 = J + 4 * ld, *J5 = J + 5 * ld;
  scale(GJ, c->gnn, J, ld);
  if (!(c->pi > 0)) {
    memset(GJ + ld, 0, sizeof(double) * (size_t)((dim - 1) * ld));
    return;
  }
  if (dim >= 3) {
    combine3(GJ + ld, c->gtn[0], J, c->gtt[0], J1, c->gtt[1], J2, ld);
    combine3(GJ + 2 * ld, c->gtn[1], J, c->gtt[1], J1, c->gtt[2], J2, ld);
  }
  if (dim >= 4) combine2(GJ + 3 * ld, c->gtn[2], J, c->gtt[3], J3, ld);
  if (dim >= 6) {
    combine3(GJ + 4 * ld, c->gtn[3], J, c->gtt[4], J4, c->gtt[5], J5, ld);
    combine3(GJ + 5 * ld, c->gtn[4], J, c->gtt[5], J4, c->gtt[6], J5, ld);
  }
}

void hfi_patch_weigh_rows(const double* G, int dim, const double* restrict J, double* restrict GJ,
                          int ld) {
  for (int i = 0; i < dim; ++i) scale(GJ + i * ld, G[i], J + i * ld, ld);
}
