// Splits the nodes of a matrix into branches that are not coupled with each other, and a trunk that is coupled with all of them. Branches can be factored
// at the same time.
//
// In the elimination tree the parent of a node is the first of the later nodes that it is coupled to in the factors (Liu, SIAM J. Matrix Anal. Appl. 11,
// 1990). All later nodes that a node is coupled to are among its ancestors. So two subtrees, of which neither contains the other, are not coupled, and
// which of them is eliminated first does not matter.
//
//   1. Cut the tree: the trunk takes the root of the largest subtree until no subtree has more nodes than a branch shall have.
//   2. Deal the subtrees out to the branches, the largest first, each to the branch with the fewest nodes.
//   3. Eliminate branch by branch, and the trunk last, each in the order that was found before. The factors stay as sparse as they were.
//
// If the trunk would have too many of the nodes, the matrix stays whole. So does that of a tower, whose elimination tree has a single limb.
#include "linalg/block_sparse.h"

#include <string.h>

// Largest share of the nodes in the trunk [-]. Heaps of 300 to 1000 bodies have 0.05 to 0.2.
static const double MOST_TRUNK = 0.3;

enum { IN_SUBTREE = -1, IN_TRUNK = HFI_MAX_BRANCHES }; // `part` of a node before it has a branch

// Finds the parent of each node (-1: it is a root), and the number of nodes of its subtree. Rough factors and contacts take about the same work for each
// node, whatever the number of its couplings in complete factors.
static void find_tree(hfiBlockMatrix* B) {
  for (int32_t i = 0; i < B->nodes; ++i) B->nodes_below[i] = 1, B->part[i] = IN_SUBTREE;
  for (int32_t k = 0; k < B->nodes; ++k) {
    int32_t node = B->order[k], first = B->nodes;
    const uint64_t* row = B->graph + (size_t)node * (size_t)B->words;
    for (int32_t w = 0; w < B->words; ++w)
      for (uint64_t bits = row[w]; bits; bits &= bits - 1) {
        int32_t later = B->position[64 * w + __builtin_ctzll(bits)];
        first = later < first ? later : first;
      }
    B->parent[node] = first < B->nodes ? B->order[first] : -1;
    if (first < B->nodes) B->nodes_below[B->order[first]] += B->nodes_below[node];
  }
}

// Is the node the root of a subtree that has no branch yet?
static int is_root(const hfiBlockMatrix* B, int32_t i) { return B->part[i] == IN_SUBTREE && (B->parent[i] < 0 || B->part[B->parent[i]] == IN_TRUNK); }

// Returns the root of the largest subtree that has no branch yet, or -1 if there is none.
static int32_t find_largest(const hfiBlockMatrix* B) {
  int32_t largest = -1;
  for (int32_t i = 0; i < B->nodes; ++i)
    if (is_root(B, i) && (largest < 0 || B->nodes_below[i] > B->nodes_below[largest])) largest = i;
  return largest;
}

// Moves the roots of subtrees that are too large for a branch to the trunk. Returns 0 if the trunk becomes too large.
static int cut_trunk(hfiBlockMatrix* B) {
  int32_t rest = 0, trunk = 0; // nodes of all subtrees, of the trunk
  for (int32_t i = 0; i < B->nodes; ++i)
    if (B->parent[i] < 0) rest += B->nodes_below[i];
  for (int32_t root; (root = find_largest(B)) >= 0 && B->nodes_below[root] * B->max_branches > rest;) {
    if (++trunk > MOST_TRUNK * B->nodes) return 0;
    B->part[root] = IN_TRUNK;
    rest -= B->nodes_below[root];
    for (int32_t i = 0; i < B->nodes; ++i)
      if (B->parent[i] == root) rest += B->nodes_below[i];
  }
  return 1;
}

// Gives each subtree a branch.
static void deal_subtrees(hfiBlockMatrix* B) {
  int32_t nodes[HFI_MAX_BRANCHES] = {0};
  for (int32_t root; (root = find_largest(B)) >= 0;) {
    int32_t least = 0;
    for (int32_t b = 1; b < B->max_branches; ++b)
      if (nodes[b] < nodes[least]) least = b;
    B->part[root] = least;
    nodes[least] += B->nodes_below[root];
  }
  for (int32_t k = B->nodes - 1; k >= 0; --k) { // A parent comes after its children.
    int32_t node = B->order[k];
    if (B->part[node] == IN_SUBTREE) B->part[node] = B->part[B->parent[node]];
  }
}

// Sorts the positions by parts; within a part they keep their order.
static void sort_positions(hfiBlockMatrix* B) {
  int32_t *start = B->branch_start, next[HFI_MAX_BRANCHES + 1], *old = B->parent;
  B->branches = B->max_branches;
  memset(start, 0, sizeof B->branch_start);
  for (int32_t i = 0; i < B->nodes; ++i) B->part[i] = B->part[i] == IN_TRUNK ? B->branches : B->part[i], ++start[B->part[i] + 1];
  for (int32_t p = 0; p <= B->branches; ++p) next[p] = start[p], start[p + 1] += start[p];
  memcpy(old, B->order, sizeof *old * (size_t)B->nodes);
  for (int32_t k = 0; k < B->nodes; ++k) {
    int32_t node = old[k], position = next[B->part[node]]++;
    B->order[position] = node;
    B->position[node] = position;
  }
}

// Makes one branch of all nodes, and no trunk.
static void keep_whole(hfiBlockMatrix* B) {
  B->branches = 1;
  B->branch_start[0] = 0, B->branch_start[1] = B->branch_start[2] = B->nodes;
}

void hfi_block_split(hfiBlockMatrix* B) {
  if (B->max_branches > 1) find_tree(B);
  if (B->max_branches == 1 || !cut_trunk(B)) {
    keep_whole(B);
    return;
  }
  deal_subtrees(B);
  sort_positions(B);
}
