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

// `part` of a node that has no branch yet, and of a node in the trunk.
enum { IN_SUBTREE = -1, IN_TRUNK = HFI_MAX_BRANCHES };

// Finds the parent (-1: none) and the children of each node, and the number of nodes of its subtree. The parent of a
// node is the first of the later nodes that it is coupled to.
static void find_tree(hfiBlockMatrix* B) {
  hfiEliminationTree* tree = &B->tree;
  for (int32_t i = 0; i < B->nodes; ++i) {
    tree->nodes_below[i] = 1;
    tree->child[i] = -1;
  }

  // children are eliminated before their parents, so that nodes_below of a node is complete at its turn
  for (int32_t k = 0; k < B->nodes; ++k) {
    int32_t node = B->ordering.order[k];
    // after the ordering a row has the bits of later nodes only
    const uint64_t* row = B->graph.bits + (size_t)node * (size_t)B->graph.words;

    int32_t first = B->nodes; // the first of its later positions
    for (int32_t w = 0; w < B->graph.words; ++w)
      for (uint64_t bits = row[w]; bits; bits &= bits - 1) {
        int32_t later = B->ordering.position[64 * w + __builtin_ctzll(bits)];
        if (later < first) first = later;
      }

    int32_t parent = first < B->nodes ? B->ordering.order[first] : -1;
    tree->parent[node] = parent;
    if (parent < 0) continue;

    tree->nodes_below[parent] += tree->nodes_below[node];
    tree->sibling[node] = tree->child[parent];
    tree->child[parent] = node;
  }
}

// ---- the list of subtrees ------------------------------------------------------------------------------
//
// tree->root lists the roots of the subtrees that are not in the trunk. The largest subtree comes first; among equals
// the root of lowest index.

// Inserts a root into the list of `count` roots. Returns their new number.
static int32_t insert_root(hfiEliminationTree* tree, int32_t count, int32_t root) {
  int32_t size = tree->nodes_below[root];
  int32_t i = count;
  for (; i > 0; --i) {
    int32_t before = tree->root[i - 1];
    int32_t size_before = tree->nodes_below[before];
    if (size_before > size || (size_before == size && before <= root)) break;
    tree->root[i] = before;
  }
  tree->root[i] = root;
  return count + 1;
}

// Lists the roots of a tree without trunk. Returns their number.
static int32_t list_roots(hfiBlockMatrix* B) {
  int32_t count = 0;
  for (int32_t i = 0; i < B->nodes; ++i)
    if (B->tree.parent[i] < 0) count = insert_root(&B->tree, count, i);
  return count;
}

// Removes the root of the largest subtree, which becomes a node of the trunk; the subtrees of its children take its
// place. Returns how many subtrees there are now.
static int32_t cut_largest(hfiEliminationTree* tree, int32_t count) {
  int32_t root = tree->root[0];
  count -= 1;
  memmove(tree->root, tree->root + 1, sizeof *tree->root * (size_t)count);
  for (int32_t child = tree->child[root]; child >= 0; child = tree->sibling[child])
    count = insert_root(tree, count, child);
  return count;
}

// Deals the `count` subtrees of tree->root out to the branches, each to the branch with the fewest nodes: sets `part`
// of their roots. Returns the number of nodes of the largest branch.
static int32_t deal_subtrees(hfiBlockMatrix* B, int32_t count) {
  hfiEliminationTree* tree = &B->tree;
  int32_t nodes[HFI_MAX_BRANCHES] = {0};

  for (int32_t i = 0; i < count; ++i) {
    int32_t smallest = 0;
    for (int32_t b = 1; b < B->branches.max; ++b)
      if (nodes[b] < nodes[smallest]) smallest = b;
    tree->part[tree->root[i]] = smallest;
    nodes[smallest] += tree->nodes_below[tree->root[i]];
  }

  int32_t largest = 0;
  for (int32_t b = 0; b < B->branches.max; ++b) largest = nodes[b] > largest ? nodes[b] : largest;
  return largest;
}

// ---- trunk and branches --------------------------------------------------------------------------------

// Returns how many nodes the trunk should have. 0: a trunk gains nothing. *time becomes the estimated time with
// that trunk [nodes of a branch]
static int32_t choose_trunk(hfiBlockMatrix* B, double* time) {
  int32_t best = 0;
  int32_t count = list_roots(B);
  *time = deal_subtrees(B, count);

  for (int32_t trunk = 1; trunk < B->nodes; ++trunk) {
    // stop if even branches of equal size would take longer; larger trunks would, too
    double trunk_time = TRUNK_NODE * trunk;
    if (trunk_time + (double)(B->nodes - trunk) / B->branches.max >= *time) break;

    count = cut_largest(&B->tree, count);
    double branch_time = deal_subtrees(B, count);
    if (branch_time + trunk_time < *time) {
      *time = branch_time + trunk_time;
      best = trunk;
    }
  }
  return best;
}

// Sets `part` of each node. The trunk takes `trunk` nodes.
static void set_parts(hfiBlockMatrix* B, int32_t trunk) {
  hfiEliminationTree* tree = &B->tree;
  int32_t count = list_roots(B);
  for (int32_t i = 0; i < B->nodes; ++i) tree->part[i] = IN_SUBTREE;

  // the trunk, and the roots of the branches
  for (int32_t i = 0; i < trunk; ++i) {
    tree->part[tree->root[0]] = IN_TRUNK;
    count = cut_largest(tree, count);
  }
  deal_subtrees(B, count);

  // the nodes below them; a parent is eliminated after its children, so that it is visited before them
  for (int32_t k = B->nodes - 1; k >= 0; --k) {
    int32_t node = B->ordering.order[k];
    if (tree->part[node] == IN_SUBTREE) tree->part[node] = tree->part[tree->parent[node]];
  }
}

// Sorts the positions by parts (counting sort); within a part they keep their order. Sets the branches, and renames
// IN_TRUNK to the number of branches, which is the part of the trunk.
static void sort_positions(hfiBlockMatrix* B) {
  int32_t* part = B->tree.part;
  int32_t* start = B->branches.start;
  int32_t* old_order = B->tree.root; // no longer used as the list of roots
  int32_t next[HFI_MAX_BRANCHES + 1];
  B->branches.count = B->branches.max;

  // how many nodes each part has, then where it starts
  memset(start, 0, sizeof B->branches.start);
  for (int32_t i = 0; i < B->nodes; ++i) {
    if (part[i] == IN_TRUNK) part[i] = B->branches.count;
    ++start[part[i] + 1];
  }
  for (int32_t p = 0; p <= B->branches.count; ++p) {
    next[p] = start[p];
    start[p + 1] += start[p];
  }

  memcpy(old_order, B->ordering.order, sizeof *old_order * (size_t)B->nodes);
  for (int32_t k = 0; k < B->nodes; ++k) {
    int32_t node = old_order[k];
    int32_t position = next[part[node]]++;
    B->ordering.order[position] = node;
    B->ordering.position[node] = position;
  }
}

// Changes the order of elimination to branches and a trunk, or makes one branch of all nodes if little would be gained.
// branches.max = 1 says that no branches are wanted.
void hfi_block_split(hfiBlockMatrix* B) {
  double time = B->nodes;
  int32_t trunk = 0;
  if (B->branches.max > 1) {
    find_tree(B);
    trunk = choose_trunk(B, &time);
  }

  // one branch and an empty trunk
  if (time > MOST_TIME * B->nodes) {
    B->branches.count = 1;
    B->branches.start[0] = 0;
    B->branches.start[1] = B->nodes;
    B->branches.start[2] = B->nodes;
    return;
  }

  set_parts(B, trunk);
  sort_positions(B);
}
