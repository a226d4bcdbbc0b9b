// The arrays of a friction problem by name, for code that treats all of them alike: checks and files.
#ifndef HFI_FRICTION_PROBLEM_H
#define HFI_FRICTION_PROBLEM_H

#include <holdfast/friction.h>

typedef struct hfiFrictionMatrix {
  const char* name;
  hfSparseMatrix* matrix;
  int32_t rows, cols; // numbers of rows and columns that it must have
} hfiFrictionMatrix;
typedef struct hfiFrictionVector {
  const char* name;
  double** vector;
  int32_t size;
} hfiFrictionVector;

enum { HFI_FRICTION_MATRICES = 3, HFI_FRICTION_VECTORS = 4 };

// Lists the matrices and vectors of the problem's form, and returns how many there are of each.
int hfi_friction_matrices(hfFrictionProblem* P, hfiFrictionMatrix list[HFI_FRICTION_MATRICES]);
int hfi_friction_vectors(hfFrictionProblem* P, hfiFrictionVector list[HFI_FRICTION_VECTORS]);

// Checks form, dim and counts.
hfStatus hfi_friction_check_counts(const hfFrictionProblem* problem, hfError* error);

#endif
