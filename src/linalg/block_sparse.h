// Block-sparse matrices with a symmetric pattern, and their factorisation.
//
// Nodes (kinematic trees, or whole small islands) are coupled pairwise; each coupling is a dense
// block. The order of elimination is a minimum degree one, found together with the fill it causes
// (block_order.c); the factorisation works on dense panels (block_factor.c).
//
// Storage of position k of the order, with n = size[k] and w = width[k] columns of later nodes:
//   rows   (n x (n + w))   K_kk and beside it K_kj for the coupled j > k; then K_kk = L U, Y = L^-1 K_kj
//   lower  (n x w)         K_jk^T for the same j; then Z = U^-T K_jk^T
#ifndef HFI_LINALG_BLOCK_SPARSE_H
#define HFI_LINALG_BLOCK_SPARSE_H

#include "base/arena.h"

#include <stdint.h>

typedef struct hfiBlockMatrix {
  int32_t max_nodes, max_n;
  int32_t nodes;     // nodes in use
  int32_t words;     // 64-bit words of a row of `graph`
  uint64_t* graph;   // (nodes x words) adjacency; after ordering, what each node couples to later
  int32_t* weight;   // (nodes) dofs of a node
  int32_t* degree;   // (nodes) dofs of its neighbours
  int32_t* order;    // (nodes) node eliminated k-th
  int32_t* position; // (nodes) its inverse
  // by position
  int32_t* size;     // (nodes) dofs
  int32_t* first;    // (nodes + 1) first dof, in the order of elimination
  int32_t* width;    // (nodes) columns of later nodes
  int32_t* start;    // (nodes + 1) first coupling
  int32_t* reach;    // (start[nodes]) position of the coupled node, ascending, > k
  int32_t* offset;   // (start[nodes]) its first column in `lower` of k
  size_t* at;        // (nodes + 1) first value of position k
  double* value;     // (at[nodes])
  int32_t* pivot;    // (n) of the diagonal blocks
  double* work;      // (n)
  int32_t symmetric; // what the last factorisation assumed
} hfiBlockMatrix;

// Takes memory for up to max_nodes nodes with max_n dofs in all. Plans when the arena has no
// memory.
void hfi_block_plan(hfiBlockMatrix* B, hfiArena* arena, int32_t max_nodes, int32_t max_n);

// A graph of `nodes` nodes without couplings; weight[i] is set by the caller.
void hfi_block_begin(hfiBlockMatrix* B, int32_t nodes);
void hfi_block_couple(hfiBlockMatrix* B, int32_t node_a, int32_t node_b);
// Finds order, fill and storage.
void hfi_block_order(hfiBlockMatrix* B);

void hfi_block_zero(hfiBlockMatrix* B);

static inline double* hfi_block_rows(const hfiBlockMatrix* B, int32_t k) {
  return B->value + B->at[k];
}
// From one of the rows of position k to the next.
static inline int32_t hfi_block_stride(const hfiBlockMatrix* B, int32_t k) {
  return B->size[k] + B->width[k];
}
static inline double* hfi_block_lower(const hfiBlockMatrix* B, int32_t k) {
  return hfi_block_rows(B, k) + B->size[k] * hfi_block_stride(B, k);
}
// First column of position j > k in `lower` of position k, size[k] less than that in its rows; the
// two must be coupled.
int32_t hfi_block_column(const hfiBlockMatrix* B, int32_t k, int32_t j);

// Factors in place. Symmetric: reads the upper triangle only and needs a positive definite matrix.
// Returns 0, or the position of the failed pivot + 1.
int hfi_block_factor(hfiBlockMatrix* B, int symmetric);
// K x = b in place, dofs in the order of elimination.
void hfi_block_solve(const hfiBlockMatrix* B, double* b);

#endif
