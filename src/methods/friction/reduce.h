// The reduced problem: every friction problem as u = W r + q with three rows for each contact.
//
// Rows 3 i to 3 i + 2 are n, t1, t2 of contact i; a problem in two dimensions has empty rows t2. Row 3 ncontact + e is
// equality e, whose reaction is its multiplier and whose velocity must be zero. A *node* is a contact or an equality.
#ifndef HFI_FRICTION_REDUCE_H
#define HFI_FRICTION_REDUCE_H

#include "methods/friction/sparse.h"

typedef struct hfiReduced {
  int32_t ncontact;  // number of contacts
  int32_t nequality; // number of equalities
  int32_t n;         // rows: 3 ncontact + nequality
  const double* mu;  // (ncontact)
  hfSparseMatrix W;  // (n x n)
  double* q;         // (n)
} hfiReduced;

static inline int32_t hfi_reduced_nodes(const hfiReduced* reduced) { return reduced->ncontact + reduced->nequality; }
// First row of a node, and its number of rows. Node hfi_reduced_nodes(reduced) begins after the last row.
static inline int32_t hfi_node_row(const hfiReduced* reduced, int32_t node) {
  return node < reduced->ncontact ? 3 * node : 2 * reduced->ncontact + node;
}
static inline int32_t hfi_node_size(const hfiReduced* reduced, int32_t node) {
  return node < reduced->ncontact ? 3 : 1;
}
static inline int32_t hfi_row_node(const hfiReduced* reduced, int32_t row) {
  return row < 3 * reduced->ncontact ? row / 3 : row - 2 * reduced->ncontact;
}
// The row of the reduced problem that is row i of the contacts of a problem with `dim` rows a contact.
static inline int32_t hfi_reduced_row(int32_t dim, int32_t i) { return dim == 3 ? i : 3 * (i / 2) + i % 2; }

// Makes the reduced problem; hfi_reduced_free gives its memory back. Refuses where memory runs out or M is singular.
hfStatus hfi_friction_reduce(const hfFrictionProblem* problem, const hfAllocator* allocator, hfiReduced* reduced,
                             hfError* error);
void hfi_reduced_free(hfiReduced* reduced);

// Solves M v = H r + G lambda + f for the velocities v of the global form.
hfStatus hfi_recover_velocity(const hfFrictionProblem* problem, const hfAllocator* allocator, const double* r,
                              const double* lambda, double* v, hfError* error);

#endif
