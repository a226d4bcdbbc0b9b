// Products with the stacked Jacobian J of a patch: the innermost loops of the solver.
//
// A patch stores J by rows (nrow x ld) and by columns (ncol x height). Both are padded with zeros
// to a multiple of four, so that every loop runs over contiguous, independent elements without
// remainder.
//
// Contacts of free bodies are many, and their J would be most of the memory of a heap. Such a contact moves both bodies alike, and rows of torques push none of
// them, so that J of its dim rows is
//
//   [ F  A_1  -F  A_2 ]   the first three rows     F    (3 x 3, or fewer rows) axes of the contact
//   [ 0  A_1   0  A_2 ]   the other rows           A_i  (dim x 3) of the rotation of body i
//
// Compact rows have these numbers once: F in rows of four, the last of which is zero, and behind it [A_1 A_2]. With one body A_2 is zero.
#ifndef HFI_SOLVE_PATCH_H
#define HFI_SOLVE_PATCH_H

#include "solve/island.h"

// How many of the `dim` rows of a block push, and how many numbers its compact rows have.
static inline int hfi_pushing_rows(int dim) { return dim < 3 ? dim : 3; }
static inline int hfi_compact_size(int dim) { return 4 * hfi_pushing_rows(dim) + 6 * dim; }

// Row i of a patch as the numbers of its columns; `room` (12) has those of a compact one.
const double* hfi_patch_row(const hfiPatch* patch, int i, double* room);
// All rows of a patch, (nrow x ld); `room` has compact ones.
const double* hfi_patch_rows(const hfiPatch* patch, double* room);

// Where the product J^T B of a patch of free bodies goes: blocks of six rows and columns, and the distance from row to row.
typedef struct hfiFreeBlocks {
  double *first, *second; // of the one body, of the other; second = NULL: there is one body
  double* beside;         // first six rows, last six columns; in the rows of `first`
  double* below;          // last six rows, first six columns, transposed; NULL: not asked for
  int ld_first, ld_second, ld_below;
} hfiFreeBlocks;

struct hfiPatchKernels {
  // s (height) = J x
  void (*multiply)(const hfiPatch* patch, const double* x, double* s);
  // y (ld) += J^T gamma over rows [first, first + count) of the patch
  void (*add_transposed)(const hfiPatch* patch, int first, int count, const double* gamma,
                         double* y);
  // GJ (dim x ld) = G J for the rows J (dim x ld) of a contact with response c
  void (*multiply_contact)(const hfiContactResponse* c, int dim, const double* J, double* GJ, int ld);
  // GJ (dim x ld) = G J for saturated rows, whose G is diagonal
  void (*scale_rows)(const double* G, int dim, const double* J, double* GJ, int ld);
  // C += A^T B, A and B (rows x ld), C (ncol rounded up to an even number x ld). With `upper` only
  // the upper triangle of C is right.
  void (*add_product)(const hfiPatch* patch, int rows, const double* A, const double* B, int upper,
                      double* C);
  // C (4 x 4) = J^T G J for the rows J (dim x 4) of a contact with response c
  void (*narrow_product)(const hfiContactResponse* c, int dim, const double* J, double* C);
  // Patches of free bodies (hfiPatch.nfree), whose dofs begin at a and b; b = NULL: there is one body. All rows take part; those that do not act
  // have gamma = 0 and G = 0.
  void (*multiply_free)(const hfiPatch* patch, const double* a, const double* b, double* s);     // s (height) = J [a b]
  void (*add_transposed_free)(const hfiPatch* patch, const double* gamma, double* a, double* b); // [a b] += J^T gamma
  void (*add_product_free)(const hfiPatch* patch, const double* J, const double* B, const hfiFreeBlocks* K); // K += J^T B, all rows of J (nrow x ld)
};

extern const hfiPatchKernels hfi_patch_kernels;     // for every machine
extern const hfiPatchKernels hfi_patch_kernels_avx; // for machines with AVX

// The fastest kernels that this machine can run.
const hfiPatchKernels* hfi_patch_choose(void);

#endif
