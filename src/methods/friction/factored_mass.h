// A sparse matrix M that is factored component by component: a kinematic tree, a body of finite elements.
#ifndef HFI_FRICTION_FACTORED_MASS_H
#define HFI_FRICTION_FACTORED_MASS_H

#include "methods/friction/sparse.h"
#include "linalg/block_sparse.h"

typedef struct hfiFactoredMass {
  const hfSparseMatrix* M;
  const hfAllocator* allocator;
  hfiComponents components;
  hfiBlockMatrix K; // the factors of the component that was factored last; one node a dof
  size_t capacity;  // numbers for which K.value has room
  double* x;        // (largest component) scratch of hfi_mass_solve
  void* memory;
} hfiFactoredMass;

// Opens M for factorisation. Returns 0 if there is no memory. hfi_mass_close must be called in any case.
int hfi_mass_open(hfiFactoredMass* mass, const hfSparseMatrix* M, const hfAllocator* allocator);
void hfi_mass_close(hfiFactoredMass* mass);
// Factors component c: HF_OK, HF_SINGULAR or HF_ERROR_MEMORY.
hfStatus hfi_mass_factor(hfiFactoredMass* mass, int32_t c);
// b <- M^-1 b for the component that was factored last. b is in the order of the component's items.
void hfi_mass_solve(hfiFactoredMass* mass, double* b);

#endif
