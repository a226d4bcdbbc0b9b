// Block-sparse matrices with a symmetric pattern, and their factorisation.
//
// A node is a group of unknowns that is eliminated at once: a kinematic tree, or a whole small
// island. Two nodes that share an entry are coupled, and the entries between them form a dense
// block. block_order.c finds an order of elimination that keeps the factors sparse, and their
// pattern; block_factor.c works on dense panels.
//
// "Position k" is the k-th node in the order of elimination. Its panel has n = size[k] rows and w =
// width[k] columns of later nodes:
//   rows   (n x (n + w))   K_kk and beside it K_kj of the coupled j > k; after factoring L, U and
//                          Y = L^-1 K_kj
//   lower  (n x w)         K_jk^T of the same j; after factoring Z = U^-T K_jk^T
#ifndef HFI_LINALG_BLOCK_SPARSE_H
#define HFI_LINALG_BLOCK_SPARSE_H

#include "base/arena.h"
#include "linalg/star.h"

#include <stdint.h>

typedef struct hfiBlockMatrix {
  int32_t max_nodes, max_n; // capacity: nodes, unknowns
  int32_t nodes;     // number of nodes in use
  int32_t words;     // number of 64-bit words in a row of `graph`
  uint64_t* graph;   // (nodes x words) bit j of row i: nodes i and j are coupled; scratch of ordering
  int32_t* weight;   // (nodes) number of unknowns of a node
  int32_t ordered_nodes;                      // of the last ordering: nodes,
  uint64_t* ordered; int32_t* ordered_weight; // (nodes x words) graph, (nodes) weight
  int32_t* degree;   // (nodes) number of unknowns of its neighbours
  int32_t* order;    // (nodes) the node at position k
  int32_t* position; // (nodes) the position of a node
  // by position k
  int32_t* size;     // (nodes) number of unknowns
  int32_t* first;    // (nodes + 1) first unknown, in the order of elimination
  int32_t* width;    // (nodes) columns of later nodes
  int32_t* start;    // (nodes + 1) its first entry in `later` and `offset`
  int32_t* later;    // (start[nodes]) positions > k of the nodes coupled to it, ascending
  int32_t* offset;   // (start[nodes]) first column of that node in `lower` of k
  size_t room;       // entries for which `later` and `offset` have room
  int32_t* grown;    // their memory where it was allocated; NULL: they are where they were planned
  size_t* at;        // (nodes + 1) where its panel begins in `value`
  double* value;     // (at[nodes]) all panels
  int32_t* coupled;  // (nodes) scratch of factoring: which of the blocks beside a position are not zero
  int32_t* pivot;    // (n) row exchanges inside the diagonal blocks
  double* work;      // (n) scratch of solving
  struct hfiBlockRough* rough; // NULL: factors are complete. Otherwise `value` and its pattern are those of the matrix alone (block_rough.h)
  int32_t all_six;   // 1: all nodes have six unknowns
  int32_t symmetric; // 1: the last factorisation assumed a symmetric matrix
  hfiStar* star;     // NULL: a single node is factored as a dense matrix. Otherwise it is this star
} hfiBlockMatrix;

// Takes storage for the pattern of up to max_nodes nodes with max_n unknowns in all. The caller provides `value`, at[nodes] numbers after each
// ordering, at most max_n^2.
void hfi_block_plan(hfiBlockMatrix* B, hfiArena* arena, int32_t max_nodes, int32_t max_n);
// Releases what orderings allocated.
void hfi_block_release(hfiBlockMatrix* B);

// Begins with `nodes` nodes without couplings. The caller sets weight[i].
void hfi_block_begin(hfiBlockMatrix* B, int32_t nodes);
// Couples two nodes.
void hfi_block_couple(hfiBlockMatrix* B, int32_t node_a, int32_t node_b);
// Finds the order of elimination, the pattern of the factors, and the place of every panel. A pattern with more couplings than were planned is allocated.
// Returns 0 where there is no memory for it.
int hfi_block_order(hfiBlockMatrix* B, const hfAllocator* allocator);

// The last part of that: the lists of later positions and the places of panels, from what `graph` has of each node's later ones.
void hfi_block_place_panels(hfiBlockMatrix* B);

// In the place of these three: one node of n unknowns.
void hfi_block_make_one(hfiBlockMatrix* B, int32_t n);

// Sets all entries to zero, of a symmetric matrix those of the upper triangle.
void hfi_block_zero(hfiBlockMatrix* B, int symmetric);

// The two parts of the panel of position k, and the distance from one row of the first part to the
// next.
static inline double* hfi_block_rows(const hfiBlockMatrix* B, int32_t k) {
  return B->value + B->at[k];
}
static inline int32_t hfi_block_stride(const hfiBlockMatrix* B, int32_t k) {
  return B->size[k] + B->width[k];
}
static inline double* hfi_block_lower(const hfiBlockMatrix* B, int32_t k) {
  return hfi_block_rows(B, k) + B->size[k] * hfi_block_stride(B, k);
}
// First column of position j > k in `lower` of position k. In its rows it is larger by size[k]. The
// two must be coupled.
int32_t hfi_block_column(const hfiBlockMatrix* B, int32_t k, int32_t j);

// Factors in place. With `symmetric` it reads the upper triangle only and needs a positive definite
// matrix. Returns 0, or k + 1 if a pivot of position k failed.
int hfi_block_factor(hfiBlockMatrix* B, int symmetric);
// Solves K x = b in place. Unknowns are in the order of elimination.
void hfi_block_solve(const hfiBlockMatrix* B, double* b);

#endif
