// Products with the stacked Jacobian of a patch: the inner loops of the solvers.
//
// A patch holds J by rows (nrow x ld) and by columns (ncol x height), both padded with zeros to a
// multiple of four, so that every loop runs over contiguous, independent elements without
// remainder.
#ifndef HFI_SOLVE_PATCH_H
#define HFI_SOLVE_PATCH_H

#include "solve/island.h"

struct hfiPatchKernels {
  // s (height) = J x
  void (*multiply)(const hfiPatch* patch, const double* x, double* s);
  // y (ld) += J^T gamma over rows [first, first + count) of the patch
  void (*add_transposed)(const hfiPatch* patch, int first, int count, const double* gamma,
                         double* y);
  // Rows of G J of a contact: J (dim x ld), GJ (dim x ld)
  void (*weigh_contact)(const hfiContactResponse* c, int dim, const double* J, double* GJ, int ld);
  // Rows of G J with a diagonal G
  void (*weigh_rows)(const double* G, int dim, const double* J, double* GJ, int ld);
  // C (ncol rounded up to two x ld) += A^T B, A and B (rows x ld). upper: what is left of the
  // diagonal is not meaningful.
  void (*add_product)(const hfiPatch* patch, int rows, const double* A, const double* B, int upper,
                      double* C);
};

extern const hfiPatchKernels hfi_patch_kernels;     // for any machine
extern const hfiPatchKernels hfi_patch_kernels_avx; // where there is AVX

// Those of this machine.
const hfiPatchKernels* hfi_patch_choose(void);

#endif
