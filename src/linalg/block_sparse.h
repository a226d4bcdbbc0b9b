// Block-sparse matrices with a symmetric pattern, and their factorisation.
//
//   node        a group of unknowns that is eliminated at once: a kinematic tree, or a whole small island
//   coupling    two nodes with numbers between them that need not be zero; these numbers form a dense block
//   position k  the k-th node in the order of elimination
//   K_kj        block with the rows of position k and the columns of position j
//
// block_order.c finds an order of elimination that keeps the factors sparse, and the pattern of the factors.
// block_factor.c computes the factors.
//
// The panel of position k is the memory of its blocks and, after the factorisation, of its factors. It has n = size[k]
// rows. The later positions j > k that k is coupled to have w = width[k] columns together:
//
//   rows   (n x (n + w))   K_kk and beside it all K_kj;    afterwards L and U of K_kk, and beside them all Y_j = L^-1 K_kj
//   lower  (n x w)         all K_jk^T;                     afterwards all Z_j = U^-T K_jk^T
#ifndef HFI_LINALG_BLOCK_SPARSE_H
#define HFI_LINALG_BLOCK_SPARSE_H

#include "base/arena.h"
#include "linalg/star.h"

#include <stdint.h>

enum { HFI_MAX_BRANCHES = 2 };

typedef struct hfiBlockMatrix {
  int32_t max_nodes, max_n; // capacity: nodes, unknowns
  int32_t nodes;     // number of nodes in use
  int32_t words;     // number of 64-bit words in a row of `graph`
  uint64_t* graph;   // (nodes x words) bit j of row i: nodes i and j are coupled. The ordering leaves in row i the later nodes that node i is coupled to
  int32_t* weight;   // (nodes) number of unknowns of a node
  int32_t all_weights;     // that of all nodes, or 0 if they differ; set by hfi_block_order
  int32_t ordered_nodes;   // number of nodes of the last ordering; 0: there is none
  uint64_t* ordered;       // (nodes x words) the graph that was ordered
  int32_t* ordered_weight; // (nodes) the weights that were ordered
  int32_t* degree;   // (nodes) number of unknowns of the node's neighbours; INT32_MAX: the node has a position
  int32_t* order;    // (nodes) the node at position k
  int32_t* position; // (nodes) the position of a node
  // branches (block_split.c): groups of consecutive positions. Positions of different branches are not coupled. The
  // positions after them are the trunk.
  int32_t max_branches;                       // 1: the ordering makes one branch of all nodes; more: it makes as many branches and a trunk
  int32_t branches;                           // number of branches
  int32_t branch_start[HFI_MAX_BRANCHES + 2]; // first position of each branch, of the trunk, and `nodes`
  int32_t *parent, *child, *sibling, *nodes_below, *root, *part; // (nodes) scratch of the splitting
  // by position k
  int32_t* size;     // (nodes) number of unknowns
  int32_t* first;    // (nodes + 1) first unknown, in the order of elimination
  int32_t* width;    // (nodes) number of columns of the later positions that it is coupled to
  int32_t* start;    // (nodes + 1) its first entry in `later` and `offset`. An entry is a coupling with a later position
  int32_t* later;    // (start[nodes]) the later position, ascending for each k
  int32_t* offset;   // (start[nodes]) first column of that position in `lower` of k
  size_t room;       // entries for which `later` and `offset` have room
  size_t* at;        // (nodes + 1) where its panel begins in `value`
  double* value;     // (at[nodes]) all panels
  int32_t* coupled;  // (nodes) scratch of factoring: 1 for each entry of position k whose blocks are not zero
  int32_t* pivot;    // (n) row exchanges inside the diagonal blocks
  double* work;      // (n) scratch of solving
  struct hfiBlockRough* rough; // NULL: factors are complete. Otherwise the panels and their pattern are those of K alone (block_rough.h)
  int32_t all_six;   // 1: all nodes have six unknowns
  int32_t symmetric; // 1: the last factorisation assumed a symmetric matrix
  hfiStar* star;     // the pattern of a single node that is factored as a star; NULL: it is factored as a dense matrix
} hfiBlockMatrix;

// Takes storage for the pattern of up to max_nodes nodes with max_n unknowns in all. The caller sets `value` after each
// ordering: at[nodes] numbers, at most max_n^2.
void hfi_block_plan(hfiBlockMatrix* B, hfiArena* arena, int32_t max_nodes, int32_t max_n);

// Begins with `nodes` nodes without couplings. The caller sets weight[i].
void hfi_block_begin(hfiBlockMatrix* B, int32_t nodes);
// Couples two nodes.
void hfi_block_couple(hfiBlockMatrix* B, int32_t node_a, int32_t node_b);
// Finds the order of elimination, the pattern of the factors, and the place of every panel. Returns 0 if the factors
// have more couplings than were planned for.
int hfi_block_order(hfiBlockMatrix* B);

// Sum of the weights of the nodes whose bits are set in a row (words) of a graph that was ordered.
int32_t hfi_block_weigh(const hfiBlockMatrix* B, const uint64_t* row);

// A part of hfi_block_order: changes the order of elimination so that the matrix has branches and a trunk. Row i of
// `graph` must have the later nodes of node i, and keeps them.
void hfi_block_split(hfiBlockMatrix* B);
// The last part of hfi_block_order: makes the lists of later positions and places the panels. Row i of `graph` must
// have the later nodes of node i.
void hfi_block_place_panels(hfiBlockMatrix* B);

// Makes a matrix of one node with n unknowns. No call of hfi_block_begin, hfi_block_couple and hfi_block_order is
// needed.
void hfi_block_make_one(hfiBlockMatrix* B, int32_t n);

// Sets all numbers of the panels from position `first` on to before `end` to zero; if the matrix is symmetric, only
// those of `rows`.
void hfi_block_zero(hfiBlockMatrix* B, int32_t first, int32_t end, int symmetric);

// The two parts of the panel of position k, and the number of columns of the first part.
static inline double* hfi_block_rows(const hfiBlockMatrix* B, int32_t k) {
  return B->value + B->at[k];
}
static inline int32_t hfi_block_stride(const hfiBlockMatrix* B, int32_t k) {
  return B->size[k] + B->width[k];
}
static inline double* hfi_block_lower(const hfiBlockMatrix* B, int32_t k) {
  return hfi_block_rows(B, k) + B->size[k] * hfi_block_stride(B, k);
}
// First column of position j > k in `lower` of position k; in `rows` it is size[k] more. The two positions must be
// coupled.
int32_t hfi_block_column(const hfiBlockMatrix* B, int32_t k, int32_t j);

// Factors the matrix in place. With `symmetric` it reads only the upper triangle, and the matrix must be positive
// definite. Returns 0, or k + 1 if a pivot of position k failed.
int hfi_block_factor(hfiBlockMatrix* B, int symmetric);
// Solves K x = b in place. Unknowns are in the order of elimination.
void hfi_block_solve(const hfiBlockMatrix* B, double* b);

#endif
