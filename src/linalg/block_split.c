// Splits the nodes of a matrix into branches that are not coupled with each other, and a trunk that is coupled with all
// of them. Branches can be factored at the same time.
//
// In the elimination tree the parent of a node is the first of the later nodes that it is coupled to in the factors
// (Liu, SIAM J. Matrix Anal. Appl. 11, 1990). All later nodes that a node is coupled to are among its ancestors. So two
// subtrees, of which neither contains the other, are not coupled, and which of them is eliminated first does not
// matter.
//
//   1. Cut the tree: the trunk takes the root of the largest subtree, again and again, until the estimated time of a
//      factorisation is least.
//   2. Deal the subtrees out to the branches, the largest first, each to the branch with the fewest nodes.
//   3. Eliminate branch by branch, and the trunk last, each in the order that was found before. The factors stay as
//      sparse as they were.
//
// Rough factors and contacts take about the same time for each node of a branch, whatever the number of its couplings
// in complete factors. A node of the trunk takes longer, because the trunk is dense and has a single thread. So the
// estimate, in units of a node of a branch, is
//
//   nodes of the largest branch + TRUNK_NODE * nodes of the trunk
//
// If little would be gained, the matrix stays whole. So does that of a tower, whose elimination tree has a single limb.
#include "linalg/block_sparse.h"

#include <string.h>

// Time of a node of the trunk over that of a node of a branch [-], in heaps of 1000 bodies.
static const double TRUNK_NODE = 2;
// The matrix stays whole if branches would take more than this share of the time [-]. Heaps of 300 to 1000 bodies take
// 0.55 to 0.7.
static const double MOST_TIME = 0.9;

enum { IN_SUBTREE = -1, IN_TRUNK = HFI_MAX_BRANCHES }; // `part` of a node before it has a branch

// Finds the parent (-1: none) and the children of each node, and the number of nodes of its subtree. The parent of a
// node is the first of the later nodes that it is coupled to.
static void find_tree(hfiBlockMatrix* B) {
  for (int32_t i = 0; i < B->nodes; ++i) {
    B->nodes_below[i] = 1;
    B->child[i] = -1;
  }

  for (int32_t k = 0; k < B->nodes; ++k) {
    int32_t node = B->order[k];
    int32_t first = B->nodes;
    const uint64_t* row = B->graph + (size_t)node * (size_t)B->words;
    for (int32_t w = 0; w < B->words; ++w)
      for (uint64_t bits = row[w]; bits; bits &= bits - 1) {
        int32_t later = B->position[64 * w + __builtin_ctzll(bits)];
        if (later < first) first = later;
      }

    int32_t parent = first < B->nodes ? B->order[first] : -1;
    B->parent[node] = parent;
    if (parent < 0) continue;
    B->nodes_below[parent] += B->nodes_below[node];
    B->sibling[node] = B->child[parent];
    B->child[parent] = node;
  }
}

// Does subtree a come before subtree b? The largest comes first.
static int is_before(const hfiBlockMatrix* B, int32_t a, int32_t b) {
  return B->nodes_below[a] > B->nodes_below[b] || (B->nodes_below[a] == B->nodes_below[b] && a < b);
}

// Adds a subtree to the sorted list of `count` subtrees.
static int32_t insert_root(hfiBlockMatrix* B, int32_t count, int32_t root) {
  int32_t i = count;
  for (; i > 0 && is_before(B, root, B->root[i - 1]); --i) B->root[i] = B->root[i - 1];
  B->root[i] = root;
  return count + 1;
}

// Lists the subtrees of a tree without trunk. Returns their number.
static int32_t list_roots(hfiBlockMatrix* B) {
  int32_t count = 0;
  for (int32_t i = 0; i < B->nodes; ++i)
    if (B->parent[i] < 0) count = insert_root(B, count, i);
  return count;
}

// Replaces the largest subtree by those of its children. Returns how many there are now.
static int32_t cut_largest(hfiBlockMatrix* B, int32_t count) {
  int32_t root = B->root[0];
  memmove(B->root, B->root + 1, sizeof *B->root * (size_t)--count);
  for (int32_t child = B->child[root]; child >= 0; child = B->sibling[child]) count = insert_root(B, count, child);
  return count;
}

// Deals subtrees out to the branches. Returns the number of nodes of the largest branch.
static int32_t deal_subtrees(hfiBlockMatrix* B, int32_t count) {
  int32_t nodes[HFI_MAX_BRANCHES] = {0}, largest = 0;
  for (int32_t i = 0; i < count; ++i) {
    int32_t least = 0;
    for (int32_t b = 1; b < B->max_branches; ++b)
      if (nodes[b] < nodes[least]) least = b;
    B->part[B->root[i]] = least;
    nodes[least] += B->nodes_below[B->root[i]];
  }
  for (int32_t b = 0; b < B->max_branches; ++b) largest = nodes[b] > largest ? nodes[b] : largest;
  return largest;
}

// Returns how many nodes the trunk should have. 0: the matrix should stay whole, or needs no trunk. *time: the
// estimated time [nodes of a branch]
static int32_t choose_trunk(hfiBlockMatrix* B, double* time) {
  int32_t best = 0;
  int32_t count = list_roots(B);
  *time = deal_subtrees(B, count);

  for (int32_t trunk = 1; trunk < B->nodes; ++trunk) {
    // Branches of the same size would not be better.
    double trunk_time = TRUNK_NODE * trunk;
    if (trunk_time + (double)(B->nodes - trunk) / B->max_branches >= *time) break;

    count = cut_largest(B, count);
    double branch_time = deal_subtrees(B, count);
    if (branch_time + trunk_time < *time) {
      *time = branch_time + trunk_time;
      best = trunk;
    }
  }
  return best;
}

// Gives each node its part. The trunk takes `trunk` nodes.
static void set_parts(hfiBlockMatrix* B, int32_t trunk) {
  int32_t count = list_roots(B);
  for (int32_t i = 0; i < B->nodes; ++i) B->part[i] = IN_SUBTREE;
  for (int32_t i = 0; i < trunk; ++i) {
    B->part[B->root[0]] = IN_TRUNK;
    count = cut_largest(B, count);
  }
  deal_subtrees(B, count);
  for (int32_t k = B->nodes - 1; k >= 0; --k) { // A parent comes after its children.
    int32_t node = B->order[k];
    if (B->part[node] == IN_SUBTREE) B->part[node] = B->part[B->parent[node]];
  }
}

// Sorts the positions by parts (counting sort); within a part they keep their order.
static void sort_positions(hfiBlockMatrix* B) {
  int32_t* start = B->branch_start;
  int32_t* old = B->root;
  int32_t next[HFI_MAX_BRANCHES + 1];
  B->branches = B->max_branches;

  memset(start, 0, sizeof B->branch_start);
  for (int32_t i = 0; i < B->nodes; ++i) {
    if (B->part[i] == IN_TRUNK) B->part[i] = B->branches;
    ++start[B->part[i] + 1];
  }
  for (int32_t p = 0; p <= B->branches; ++p) {
    next[p] = start[p];
    start[p + 1] += start[p];
  }

  memcpy(old, B->order, sizeof *old * (size_t)B->nodes);
  for (int32_t k = 0; k < B->nodes; ++k) {
    int32_t node = old[k];
    int32_t position = next[B->part[node]]++;
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
  double time = B->nodes;
  int32_t trunk = 0;
  if (B->max_branches > 1) {
    find_tree(B);
    trunk = choose_trunk(B, &time);
  }
  if (time > MOST_TIME * B->nodes) {
    keep_whole(B);
    return;
  }
  set_parts(B, trunk);
  sort_positions(B);
}
