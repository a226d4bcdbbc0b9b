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
//   rows   (n x (n + w))   K_kk and beside it all K_kj;   afterwards L and U of K_kk, then all Y_j = L^-1 K_kj
//   lower  (n x w)         all K_jk^T;                    afterwards all Z_j = U^-T K_jk^T
#ifndef HFI_LINALG_BLOCK_SPARSE_H
#define HFI_LINALG_BLOCK_SPARSE_H

#include "base/arena.h"
#include "linalg/star.h"

#include <stdint.h>

enum { HFI_MAX_BRANCHES = 2 };

// ---- the parts of hfiBlockMatrix, each with the file that owns it -------------------------------------

// What there is storage for.
typedef struct hfiBlockCapacity {
  int32_t nodes, unknowns;
  size_t couplings; // entries of `later` and `offset`
} hfiBlockCapacity;

// Which nodes are coupled (block_order.c). Row i has one bit for each node: bit j says that nodes i and j are coupled.
// The ordering changes the graph: afterwards row i has only the later nodes that node i is coupled to in the factors.
typedef struct hfiBlockGraph {
  int32_t words;  // number of 64-bit words in a row
  uint64_t* bits; // (nodes x words)
} hfiBlockGraph;

// The order of elimination (block_order.c), and what it was computed from. If nothing of that changed, the next call
// needs no ordering.
typedef struct hfiBlockOrdering {
  int32_t* order;    // (nodes) the node at position k
  int32_t* position; // (nodes) the position of a node
  int32_t* degree;   // (nodes) number of unknowns of the node's neighbours; INT32_MAX: the node has a position

  int32_t last_nodes;    // number of nodes of the last ordering; 0: there is none
  uint64_t* last_bits;   // (nodes x words) the graph that was ordered
  int32_t* last_weight;  // (nodes) the weights that were ordered
  int32_t common_weight; // the weight of all nodes, or 0 if they differ
} hfiBlockOrdering;

// Scratch of the splitting into branches (block_split.c): the elimination tree, by nodes.
typedef struct hfiEliminationTree {
  int32_t* parent;      // (nodes) -1: none
  int32_t* child;       // (nodes) first child; -1: none
  int32_t* sibling;     // (nodes) next child of the same parent; -1: none
  int32_t* nodes_below; // (nodes) number of nodes of the subtree, with its root
  int32_t* root;        // (nodes) roots of the subtrees that are left, the largest first
  int32_t* part;        // (nodes) branch of the node, or IN_SUBTREE or IN_TRUNK
} hfiEliminationTree;

// Branches: groups of consecutive positions. Positions of different branches are not coupled. The positions after the
// branches are the trunk, which may be coupled with all of them.
typedef struct hfiBlockBranches {
  int32_t max;                         // 1: the ordering makes one branch of all nodes; more: so many and a trunk
  int32_t count;                       // number of branches
  int32_t start[HFI_MAX_BRANCHES + 2]; // first position of each branch, first position of the trunk, number of nodes
} hfiBlockBranches;

// How the matrix is factored and solved (block_factor.c).
typedef struct hfiBlockFactors {
  int32_t symmetric; // 1: the last factorisation assumed a symmetric matrix
  int32_t* pivot;    // (unknowns) row exchanges inside the diagonal blocks
  int32_t* coupled;  // (nodes) scratch of factoring: 1 for each entry of position k whose blocks are not zero
  double* work;      // (unknowns) scratch of solving
} hfiBlockFactors;

typedef struct hfiBlockMatrix {
  hfiBlockCapacity capacity;
  int32_t nodes;   // number of nodes in use
  int32_t* weight; // (nodes) number of unknowns of a node
  hfiBlockGraph graph;
  hfiBlockOrdering ordering;
  hfiEliminationTree tree;
  hfiBlockBranches branches;

  // The panels, by position k (hfi_block_place_panels). An "entry" is a coupling of position k with a later position.
  int32_t* size;       // (nodes) number of unknowns
  int32_t all_six;     // 1: all nodes have six unknowns
  int32_t* first;      // (nodes + 1) first unknown, in the order of elimination
  int32_t* width;      // (nodes) number of columns of the later positions that it is coupled to
  int32_t* start;      // (nodes + 1) its first entry in `later` and `offset`
  int32_t* later;      // (start[nodes]) the later position, ascending for each k
  int32_t* offset;     // (start[nodes]) first column of that position in `lower` of k
  size_t* panel_start; // (nodes + 1) where its panel begins in `value`
  double* value;       // (panel_start[nodes]) all panels

  hfiBlockFactors factors;
  // Two other ways to factor the matrix, NULL if it is not factored so.
  struct hfiBlockRough* rough; // rough factors; the panels and their pattern are those of K alone (block_rough.h)
  hfiStar* star;               // pattern of a matrix of one node, which is factored as a star (star.h)
} hfiBlockMatrix;

// Takes storage for the pattern of up to max_nodes nodes with max_n unknowns in all. The caller sets `value` after each
// ordering: panel_start[nodes] numbers, at most max_n^2.
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

// First position of the trunk.
static inline int32_t hfi_block_trunk(const hfiBlockMatrix* B) { return B->branches.start[B->branches.count]; }

// Returns `rows` of the panel of position k.
static inline double* hfi_block_rows(const hfiBlockMatrix* B, int32_t k) { return B->value + B->panel_start[k]; }

// Number of columns of `rows`.
static inline int32_t hfi_block_stride(const hfiBlockMatrix* B, int32_t k) { return B->size[k] + B->width[k]; }

// Returns `lower` of the panel of position k, which has width[k] columns.
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
