// Products with J, the stacked Jacobian of a stack (island.h): the innermost loops of the solver.
//
//   J      (nrow x ld) rows of all blocks of the stack; also stored as its transpose JT (ld x height). Rows of both
//          are padded with zeros to a multiple of four, so that every loop runs over contiguous, independent elements
//          without a remainder.
//   gamma  impulses of the rows       s  row velocities, s = J x
//   G      -d gamma/d s, which couples only rows of one block
//
// Compact rows: a heap has many contacts of free bodies, and their J would be most of its memory. Let a block have
// `dim` rows. The first three are forces (one if dim is 1), the others are torques. A force acts on both bodies with
// opposite signs; a torque moves no body along. So J of the block is
//
//   [ F  A_1  -F  A_2 ]   rows of forces        F    (3 x 3, or 1 x 3) axes of the contact
//   [ 0  A_1   0  A_2 ]   rows of torques       A_i  (dim x 3) columns of the rotation of body i
//
// Compact rows store F once: first the rows of F, each with a fourth number that is zero, then the `dim` rows of [A_1
// A_2]. If there is one body, A_2 is zero.
#ifndef HFI_SOLVE_PATCH_H
#define HFI_SOLVE_PATCH_H

#include "step/solve/island.h"

// Number of rows of forces in a block of `dim` rows, and how many numbers its compact rows have.
static inline int hfi_force_rows(int dim) { return dim < 3 ? dim : 3; }
static inline int hfi_compact_size(int dim) { return 4 * hfi_force_rows(dim) + 6 * dim; }

// Returns row i of a stack, a number for each of its columns. A compact row is written out to room (12).
const double* hfi_stack_row(const hfiStack* stack, int i, double* room);
// Returns all rows of a stack, (nrow x ld). Compact rows are written out to room (nrow x ld).
const double* hfi_stack_rows(const hfiStack* stack, double* room);

// The four blocks of J^T B, each (6 x 6), of a stack of two free bodies, as places in a larger matrix K. If there is
// one body, only `first` exists.
//
//   [ first   beside ]
//   [ below^T second ]
typedef struct hfiFreeBlocks {
  double *first, *second; // diagonal blocks of the two bodies; second = NULL: there is one body
  double* beside;         // It has the same rows of K as `first`.
  double* below;          // It is stored as its transpose; NULL: it is not computed, because K is symmetric.
  int ld_first, ld_second, ld_below; // numbers from one row of K to the next
} hfiFreeBlocks;

struct hfiStackKernels {
  // s (height) = J x
  void (*multiply)(const hfiStack* stack, const double* x, double* s);
  // y (ld) += J^T gamma over rows [first, first + count) of the stack
  void (*add_transposed)(const hfiStack* stack, int first, int count, const double* gamma, double* y);
  // GJ = G J for the rows J (dim x ld) of a contact, whose G is that of its response c
  void (*multiply_contact)(const hfiContactResponse* c, int dim, const double* J, double* GJ, int ld);
  // GJ = G J for saturated rows J (dim x ld), whose G (dim) is diagonal
  void (*scale_rows)(const double* G, int dim, const double* J, double* GJ, int ld);
  // C += A^T B for A and B (rows x ld). C has ld columns and ncol rows, rounded up to an even number. With `upper` only
  // the upper triangle of C is right.
  void (*add_product)(const hfiStack* stack, int rows, const double* A, const double* B, int upper, double* C);

  // Stacks of free bodies, with compact rows (hfiStack.nfree). a and b point to the six numbers of each body; b = NULL:
  // there is one body. All rows take part. Rows that do not act have gamma = 0 and G = 0.

  // s (height) = J [a b]
  void (*multiply_free)(const hfiStack* stack, const double* a, const double* b, double* s);
  // [a b] += J^T gamma
  void (*add_transposed_free)(const hfiStack* stack, const double* gamma, double* a, double* b);
  // K += J^T B, J and B (nrow x ld) written out
  void (*add_product_free)(const hfiStack* stack, const double* J, const double* B, const hfiFreeBlocks* K);
};

extern const hfiStackKernels hfi_stack_kernels;     // for every machine
extern const hfiStackKernels hfi_stack_kernels_avx; // for machines with AVX

// Returns the fastest kernels that this machine can run.
const hfiStackKernels* hfi_stack_choose(void);

#endif
