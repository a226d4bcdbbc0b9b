// The kernels of a stack (hfiStackKernels; stack.h has the symbols). This file is compiled once for each vector unit,
// by stack.c and stack_avx.c. All versions do the same operations in the same order on each element, so that they give
// the same bits.
//
// The number of columns is a multiple of four. The inner loop of all products computes a tile: four or eight
// neighbouring elements of a row of the result, in up to four rows. Each element adds its products a_k x_k in the order
// of k. The elements of a tile are named one by one, so that they stay in registers and compilers put them into
// vectors.
#include "step/solve/inside.h"

#include "base/compile.h"
#include "linalg/dense.h"
#include "base/lanes.h"

#include <string.h>

enum { LANES = 4 }; // elements of Four

// Four or eight neighbouring elements of a row.
typedef struct Four {
  double e0, e1, e2, e3;
} Four;
typedef struct Eight {
  Four lo, hi;
} Eight;

static inline Four load4(const double* x) {
  Four s = {x[0], x[1], x[2], x[3]};
  return s;
}
static inline Eight load8(const double* x) {
  Eight s = {load4(x), load4(x + 4)};
  return s;
}
// y (4) = s
static inline void store4(double* y, Four s) {
  y[0] = s.e0;
  y[1] = s.e1;
  y[2] = s.e2;
  y[3] = s.e3;
}
static inline void store8(double* y, Eight s) {
  store4(y, s.lo);
  store4(y + 4, s.hi);
}

// s + a x
static inline Four add4(Four s, double a, const double* x) {
  Four r = {s.e0 + a * x[0], s.e1 + a * x[1], s.e2 + a * x[2], s.e3 + a * x[3]};
  return r;
}
static inline Eight add8(Eight s, double a, const double* x) {
  Eight r = {add4(s.lo, a, x), add4(s.hi, a, x + 4)};
  return r;
}

// s (height) = J x, from JT: in strips of eight rows, then the four rows that may be left.
static void multiply(const hfiStack* stack, const double* x, double* s) {
  int height = stack->height;
  int ncol = stack->ncol;
  int r = 0;
  for (; r + 8 <= height; r += 8) {
    const double* column = stack->JT + r;
    Eight sum = {{0, 0, 0, 0}, {0, 0, 0, 0}};
    for (int c = 0; c < ncol; ++c, column += height) sum = add8(sum, x[c], column);
    store8(s + r, sum);
  }
  if (r == height) return;

  const double* column = stack->JT + r;
  Four sum = {0, 0, 0, 0};
  for (int c = 0; c < ncol; ++c, column += height) sum = add4(sum, x[c], column);
  store4(s + r, sum);
}

// y += J^T gamma over `count` rows from `first` on.
static void add_transposed(const hfiStack* stack, int first, int count, const double* gamma, double* y) {
  hfi_add_rows(y, 1.0, gamma, 1, stack->J + first * stack->ld, stack->ld, count, stack->ld);
}

// C += A^T B for a tile of C, over k rows of A and B. All three have rows of ld numbers. add_tile48 has four rows and
// eight columns, and so on.
static inline void add_tile48(double* restrict C, const double* restrict A, const double* restrict B, int ld, int k) {
  Eight s = load8(C);
  Eight t = load8(C + ld);
  Eight u = load8(C + 2 * ld);
  Eight v = load8(C + 3 * ld);

  for (; k > 0; --k, A += ld, B += ld) {
    s = add8(s, A[0], B);
    t = add8(t, A[1], B);
    u = add8(u, A[2], B);
    v = add8(v, A[3], B);
  }

  store8(C, s);
  store8(C + ld, t);
  store8(C + 2 * ld, u);
  store8(C + 3 * ld, v);
}

// The same with two rows, eight columns.
static inline void add_tile28(double* restrict C, const double* restrict A, const double* restrict B, int ld, int k) {
  Eight s = load8(C);
  Eight t = load8(C + ld);

  for (; k > 0; --k, A += ld, B += ld) {
    s = add8(s, A[0], B);
    t = add8(t, A[1], B);
  }

  store8(C, s);
  store8(C + ld, t);
}

// The same with four rows, four columns.
static inline void add_tile44(double* restrict C, const double* restrict A, const double* restrict B, int ld, int k) {
  Four s = load4(C);
  Four t = load4(C + ld);
  Four u = load4(C + 2 * ld);
  Four v = load4(C + 3 * ld);

  for (; k > 0; --k, A += ld, B += ld) {
    s = add4(s, A[0], B);
    t = add4(t, A[1], B);
    u = add4(u, A[2], B);
    v = add4(v, A[3], B);
  }

  store4(C, s);
  store4(C + ld, t);
  store4(C + 2 * ld, u);
  store4(C + 3 * ld, v);
}

// The same with two rows, four columns.
static inline void add_tile24(double* restrict C, const double* restrict A, const double* restrict B, int ld, int k) {
  Four s = load4(C);
  Four t = load4(C + ld);

  for (; k > 0; --k, A += ld, B += ld) {
    s = add4(s, A[0], B);
    t = add4(t, A[1], B);
  }

  store4(C, s);
  store4(C + ld, t);
}

// C += A^T B in tiles of eight columns, then four, and of four rows, then two. With `upper` tiles that lie below the
// diagonal are left out.
HFI_FORCE_INLINE void add_tiles(int ncol, int ld, const double* restrict A, const double* restrict B, int upper,
                                double* restrict C, int rows) {
  int i;
  int j = 0;
  for (; j + 8 <= ld; j += 8) {
    int end = upper && j + 8 < ncol ? j + 8 : ncol; // rows below this one are below the diagonal
    for (i = 0; i + 4 <= end; i += 4) add_tile48(C + i * ld + j, A + i, B + j, ld, rows);
    for (; i < end; i += 2) add_tile28(C + i * ld + j, A + i, B + j, ld, rows);
  }
  if (j == ld) return;

  // the last four columns
  for (i = 0; i + 4 <= ncol; i += 4) add_tile44(C + i * ld + j, A + i, B + j, ld, rows);
  for (; i < ncol; i += 2) add_tile24(C + i * ld + j, A + i, B + j, ld, rows);
}

// C += A^T B
static void add_product(const hfiStack* stack, int rows, const double* A, const double* B, int upper, double* C) {
  HFI_BY_SIZE(rows, add_tiles, stack->ncol, stack->ld, A, B, upper, C);
}

// a x
static inline Four scale(double a, const double* x) {
  Four r = {a * x[0], a * x[1], a * x[2], a * x[3]};
  return r;
}

// Four columns of the friction rows of G J. J is the normal row, J1 to J5 are the friction rows. G has a block for each
// friction group:
//
//   sliding   GJ1 = gtn_0 J + gtt_0 J1 + gtt_1 J2,   GJ2 = gtn_1 J + gtt_1 J1 + gtt_2 J2
//   torsion   GJ3 = gtn_2 J + gtt_3 J3
//   rolling   GJ4 = gtn_3 J + gtt_4 J4 + gtt_5 J5,   GJ5 = gtn_4 J + gtt_5 J4 + gtt_6 J5
//
// coupled, a constant: 0 means that gtn is zero.
HFI_FORCE_INLINE void multiply_friction(const hfiContactResponse* c, int dim, int coupled, const double* restrict J,
                                        double* restrict GJ, int ld) {
  const double* gtn = c->gtn;
  const double* gtt = c->gtt;
  const double* J1 = J + ld;
  const double* J2 = J1 + ld;

  // sliding
  Four a = coupled ? add4(scale(gtn[0], J), gtt[0], J1) : scale(gtt[0], J1);
  Four b = coupled ? add4(scale(gtn[1], J), gtt[1], J1) : scale(gtt[1], J1);
  store4(GJ + ld, add4(a, gtt[1], J2));
  store4(GJ + 2 * ld, add4(b, gtt[2], J2));
  if (dim < 4) return;

  // torsion
  const double* J3 = J2 + ld;
  store4(GJ + 3 * ld, coupled ? add4(scale(gtn[2], J), gtt[3], J3) : scale(gtt[3], J3));
  if (dim < 6) return;

  // rolling
  const double* J4 = J3 + ld;
  const double* J5 = J4 + ld;
  a = coupled ? add4(scale(gtn[3], J), gtt[4], J4) : scale(gtt[4], J4);
  b = coupled ? add4(scale(gtn[4], J), gtt[5], J4) : scale(gtt[5], J4);
  store4(GJ + 4 * ld, add4(a, gtt[5], J5));
  store4(GJ + 5 * ld, add4(b, gtt[6], J5));
}

// GJ = G J for the rows of a contact.
static void multiply_contact(const hfiContactResponse* c, int dim, const double* J, double* GJ, int ld) {
  // normal row
  for (int j = 0; j < ld; j += LANES) store4(GJ + j, scale(c->gnn, J + j));

  // friction rows
  int has_friction = dim > 1 && c->pi_mu > 0;
  if (!has_friction)
    memset(GJ + ld, 0, sizeof(double) * (size_t)((dim - 1) * ld));
  else if (c->coupled)
    for (int j = 0; j < ld; j += LANES) multiply_friction(c, dim, 1, J + j, GJ + j, ld);
  else
    for (int j = 0; j < ld; j += LANES) multiply_friction(c, dim, 0, J + j, GJ + j, ld);
}

// GJ = G J for saturated rows.
static void scale_rows(const double* G, int dim, const double* J, double* GJ, int ld) {
  for (int i = 0; i < dim; ++i)
    for (int j = i * ld; j < (i + 1) * ld; j += LANES) store4(GJ + j, scale(G[i], J + j));
}

// ---- one or two free bodies: compact rows ---------------------------------------------------------------
//
// A row of [A_1 A_2] has six numbers: the loops hold four of them in a quad and two in a pair.

// y (4) += s
static inline void add_quad(double* y, hfiQuad s) { hfi_quad_store(y, hfi_quad_add(hfi_quad_load(y), s)); }

// Adds twelve numbers y = [y0 y1 y2], six to a and six to b.
static inline void add_halves(double* a, double* b, hfiQuad y0, hfiQuad y1, hfiQuad y2) {
  add_quad(a, y0);
  *(hfiTwo*)(a + 4) += hfi_quad_low(y1);
  *(hfiTwo*)b += hfi_quad_high(y1);
  add_quad(b + 2, y2);
}

// Velocities of one or two bodies as compact rows need them. A row of forces has the velocity F (v_1 - v_2) + A_1 w_1 +
// A_2 w_2, a row of torques A_1 w_1 + A_2 w_2.
typedef struct FreeVelocity {
  hfiQuad linear;   // v_1 - v_2 and a zero
  hfiQuad angular4; // the first four numbers of [w_1 w_2]
  hfiTwo angular2;  // the other two
} FreeVelocity;

// Returns these velocities from the six numbers of each body; b = NULL: there is one body.
static inline FreeVelocity get_velocity(const double* a, const double* b) {
  static const double at_rest[6] = {0};
  if (!b) b = at_rest;

  hfiQuad linear = hfi_quad_of(a[0] - b[0], a[1] - b[1], a[2] - b[2], 0);
  hfiQuad angular4 = hfi_quad_of(a[3], a[4], a[5], b[3]);
  return (FreeVelocity){linear, angular4, *(const hfiTwo*)(b + 4)};
}

// The velocity of row r of a block with compact rows F and A = [A_1 A_2], in two partial sums.
HFI_FORCE_INLINE hfiTwo multiply_row(const double* F, const double* A, int r, const FreeVelocity* v) {
  hfiQuad sum = hfi_quad_multiply(hfi_quad_load(A + 6 * r), v->angular4);
  if (r < 3) sum = hfi_quad_add(sum, hfi_quad_multiply(hfi_quad_load(F + 4 * r), v->linear));
  return (hfi_quad_low(sum) + hfi_quad_high(sum)) + *(const hfiTwo*)(A + 6 * r + 4) * v->angular2;
}

// s = J [a b], two rows at a time.
HFI_FORCE_INLINE void multiply_blocks(const hfiStack* stack, const double* a, const double* b, double* restrict s,
                                      int dim) {
  FreeVelocity v = get_velocity(a, b);
  const double* F = stack->J;

  for (int32_t k = 0; k < stack->nblock; ++k, F += hfi_compact_size(dim), s += dim) {
    const double* A = F + 4 * hfi_force_rows(dim);
    int r = 0;
    for (; r + 2 <= dim; r += 2) {
      hfiTwo x = multiply_row(F, A, r, &v);
      hfiTwo y = multiply_row(F, A, r + 1, &v);
      *(hfiTwo*)(s + r) = (hfiTwo){x[0], y[0]} + (hfiTwo){x[1], y[1]};
    }

    if (r == dim) continue;
    hfiTwo x = multiply_row(F, A, r, &v);
    s[r] = x[0] + x[1];
  }
}

// [a b] += J^T gamma. The force F^T gamma is summed once for both bodies.
HFI_FORCE_INLINE void add_transposed_blocks(const hfiStack* stack, const double* restrict gamma, double* restrict a,
                                            double* restrict b, int dim) {
  const double* F = stack->J;
  hfiQuad force = hfi_quad_zero();   // F^T gamma and a zero
  hfiQuad torque4 = hfi_quad_zero(); // the first four numbers of [A_1 A_2]^T gamma
  hfiTwo torque2 = {0, 0};           // the other two

  for (int32_t k = 0; k < stack->nblock; ++k, F += hfi_compact_size(dim), gamma += dim) {
    const double* A = F + 4 * hfi_force_rows(dim);
    for (int r = 0; r < dim; ++r) {
      if (r < 3) HFI_QUAD_PLUS(force, gamma[r], hfi_quad_load(F + 4 * r));
      HFI_QUAD_PLUS(torque4, gamma[r], hfi_quad_load(A + 6 * r));
      torque2 += gamma[r] * *(const hfiTwo*)(A + 6 * r + 4);
    }
  }

  // the first body
  *(hfiTwo*)a += hfi_quad_low(force);
  a[2] += hfi_quad_high(force)[0];
  *(hfiTwo*)(a + 3) += hfi_quad_low(torque4);
  a[5] += hfi_quad_high(torque4)[0];
  if (!b) return;

  // the second body
  *(hfiTwo*)b -= hfi_quad_low(force);
  b[2] -= hfi_quad_high(force)[0];
  b[3] += hfi_quad_high(torque4)[1];
  *(hfiTwo*)(b + 4) += torque2;
}

static void multiply_free(const hfiStack* stack, const double* a, const double* b, double* s) {
  HFI_BY_SIZE(stack->dim, multiply_blocks, stack, a, b, s);
}

static void add_transposed_free(const hfiStack* stack, const double* gamma, double* a, double* b) {
  HFI_BY_SIZE(stack->dim, add_transposed_blocks, stack, gamma, a, b);
}

// Three rows of C += A^T B for the first three columns of A and all twelve columns of B. The first six numbers of the
// rows of C begin at `left`, the others at `right`.
static inline void add_three_by_twelve(double* left, double* right, int ldc, const double* A, const double* B,
                                       int rows) {
  // the rows of the result: s, t and u, twelve numbers each
  hfiQuad s0 = hfi_quad_zero();
  hfiQuad s1 = s0;
  hfiQuad s2 = s0;
  hfiQuad t0 = s0;
  hfiQuad t1 = s0;
  hfiQuad t2 = s0;
  hfiQuad u0 = s0;
  hfiQuad u1 = s0;
  hfiQuad u2 = s0;

  for (; rows > 0; --rows, A += 12, B += 12) {
    hfiQuad x = hfi_quad_load(B);
    hfiQuad y = hfi_quad_load(B + 4);
    hfiQuad z = hfi_quad_load(B + 8);
    HFI_QUAD_PLUS(s0, A[0], x);
    HFI_QUAD_PLUS(s1, A[0], y);
    HFI_QUAD_PLUS(s2, A[0], z);
    HFI_QUAD_PLUS(t0, A[1], x);
    HFI_QUAD_PLUS(t1, A[1], y);
    HFI_QUAD_PLUS(t2, A[1], z);
    HFI_QUAD_PLUS(u0, A[2], x);
    HFI_QUAD_PLUS(u1, A[2], y);
    HFI_QUAD_PLUS(u2, A[2], z);
  }

  add_halves(left, right, s0, s1, s2);
  add_halves(left + ldc, right + ldc, t0, t1, t2);
  add_halves(left + 2 * ldc, right + 2 * ldc, u0, u1, u2);
}

// Three rows of C += A^T B for the first three columns of A and the first six of B. A and B have rows of ld numbers.
static inline void add_three_by_six(double* C, int ldc, const double* A, const double* B, int ld, int rows) {
  hfiQuad r0 = hfi_quad_zero();
  hfiQuad r1 = r0;
  hfiQuad r2 = r0;
  hfiTwo s0 = {0, 0};
  hfiTwo s1 = s0;
  hfiTwo s2 = s0;

  for (; rows > 0; --rows, A += ld, B += ld) {
    hfiQuad x = hfi_quad_load(B);
    hfiTwo y = *(const hfiTwo*)(B + 4);
    HFI_QUAD_PLUS(r0, A[0], x);
    HFI_QUAD_PLUS(r1, A[1], x);
    HFI_QUAD_PLUS(r2, A[2], x);
    s0 += A[0] * y;
    s1 += A[1] * y;
    s2 += A[2] * y;
  }

  add_quad(C, r0);
  *(hfiTwo*)(C + 4) += s0;
  C += ldc;
  add_quad(C, r1);
  *(hfiTwo*)(C + 4) += s1;
  C += ldc;
  add_quad(C, r2);
  *(hfiTwo*)(C + 4) += s2;
}

// K += J^T B, three rows of K at a time: the translation of a body, then its rotation. The rows of J from `forces` on
// are torques and zero in the columns of translation, so these columns leave them out. Constants for `rows` and
// `forces` let the compiler write out the loops over rows.
HFI_FORCE_INLINE void add_blocks(const double* J, const double* B, int rows, int forces, const hfiFreeBlocks* K) {
  int ld = K->ld_first;
  if (!K->second) {
    add_three_by_six(K->first, ld, J, B, 8, forces);
    add_three_by_six(K->first + 3 * ld, ld, J + 3, B, 8, rows);
    return;
  }

  // rows of the first body
  add_three_by_twelve(K->first, K->beside, ld, J, B, forces);
  add_three_by_twelve(K->first + 3 * ld, K->beside + 3 * ld, ld, J + 3, B, rows);

  // rows of the second body
  add_three_by_six(K->second, K->ld_second, J + 6, B + 6, 12, forces);
  add_three_by_six(K->second + 3 * K->ld_second, K->ld_second, J + 9, B + 6, 12, rows);
  if (!K->below) return;

  // the block of the second body's rows and the first body's columns, transposed
  add_three_by_six(K->below, K->ld_below, B, J + 6, 12, rows);
  add_three_by_six(K->below + 3 * K->ld_below, K->ld_below, B + 3, J + 6, 12, rows);
}

// K += J^T B of free bodies. Only the last block's torques can be left out, because they are the last rows.
static void add_product_free(const hfiStack* stack, const double* J, const double* B, const hfiFreeBlocks* K) {
  int torques = stack->dim - hfi_force_rows(stack->dim); // the last rows of the last block
  if (stack->nrow == 6 && stack->dim == 6)                 // one contact
    add_blocks(J, B, 6, 3, K);
  else
    add_blocks(J, B, stack->nrow, stack->nrow - torques, K);
}

#define KERNELS                                 \
  {.multiply = multiply,                        \
   .add_transposed = add_transposed,            \
   .multiply_contact = multiply_contact,        \
   .scale_rows = scale_rows,                    \
   .add_product = add_product,                  \
   .multiply_free = multiply_free,              \
   .add_transposed_free = add_transposed_free,  \
   .add_product_free = add_product_free}
