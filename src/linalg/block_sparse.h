// Block-sparse matrices with a symmetric pattern, and their factorisation.
//
// Nodes (kinematic trees, or whole small islands) are coupled pairwise; each coupling is a dense
// block. The order of elimination is a minimum degree one, found together with the fill it causes
// (block_order.c); the factorisation K = (I + L) D (I + W) works on dense panels (block_factor.c).
//
// Storage of position k of the order, with n = size[k] and w = width[k] columns of later nodes:
//   diagonal  (n x n)   K_kk, then its LDL^T or LU factors
//   upper     (n x w)   K_kj for the coupled j > k side by side, then W = K_kk^-1 K_kj
//   lower     (n x w)   K_jk^T for the same j, then L^T K_kk
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
  int32_t* width;    // (nodes) columns of the panels
  int32_t* start;    // (nodes + 1) first coupling
  int32_t* reach;    // (start[nodes]) position of the coupled node, ascending, > k
  int32_t* offset;   // (start[nodes]) its first column in the panels of k
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

static inline double* hfi_block_diagonal(const hfiBlockMatrix* B, int32_t k) {
  return B->value + B->at[k];
}
static inline double* hfi_block_upper(const hfiBlockMatrix* B, int32_t k) {
  return hfi_block_diagonal(B, k) + B->size[k] * B->size[k];
}
static inline double* hfi_block_lower(const hfiBlockMatrix* B, int32_t k) {
  return hfi_block_upper(B, k) + B->size[k] * B->width[k];
}
// First column of position j in the panels of position k < j; the two must be coupled.
int32_t hfi_block_column(const hfiBlockMatrix* B, int32_t k, int32_t j);

// Factors in place. Symmetric: reads the upper triangle only and needs a positive definite matrix.
// Returns 0, or the position of the failed pivot + 1.
int hfi_block_factor(hfiBlockMatrix* B, int symmetric);
// K x = b in place, dofs in the order of elimination.
void hfi_block_solve(const hfiBlockMatrix* B, double* b);

#endif
