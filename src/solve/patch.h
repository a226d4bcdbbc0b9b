// Products with the stacked Jacobian of a patch: the inner loops of the solvers.
//
// A patch holds J by rows (nrow x ld) and by columns (ncol x height), both padded with zeros to a
// multiple of four, so that every loop runs over contiguous, independent elements without
// remainder.
#ifndef HFI_SOLVE_PATCH_H
#define HFI_SOLVE_PATCH_H

#include "solve/island.h"

// s (height) = J x
void hfi_patch_multiply(const hfiPatch* patch, const double* x, double* s);
// y (ld) += J^T gamma over rows [first, first + count) of the patch
void hfi_patch_add_transposed(const hfiPatch* patch, int first, int count, const double* gamma,
                              double* y);
// Rows of G J of a contact: J (dim x ld), GJ (dim x ld)
void hfi_patch_weigh_contact(const hfiContactResponse* c, int dim, const double* J, double* GJ,
                             int ld);
// Rows of G J with a diagonal G
void hfi_patch_weigh_rows(const double* G, int dim, const double* J, double* GJ, int ld);

// C (ncol x ld) += A^T B, A and B (rows x ld). upper: what is left of the diagonal is not
// meaningful.
void hfi_patch_add_product(const hfiPatch* patch, int rows, const double* A, const double* B,
                           int upper, double* C);

#endif
