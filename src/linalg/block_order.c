// Minimum degree ordering of a block-sparse matrix, and the pattern of its factors (George and Liu, Computer Solution
// of Large Sparse Positive Definite Systems, chapter 5).
//
// Eliminating a node couples all its remaining neighbours with each other. The degree of a node is the number of
// unknowns of its remaining neighbours. The node of least degree is eliminated next; among equals it is the one with
// the lowest index.
//
// The elimination graph is stored as a matrix with one bit for each pair of nodes. When a node is eliminated, it is
// removed from the rows of the others, but its own row stays. So at the end the row of each node has the later nodes
// that it is coupled to: the pattern of the factors.
#include "linalg/block_sparse.h"

#include "base/bits.h"

#include <assert.h>
#include <string.h>

enum { WORD_BITS = 64 }; // bits in a word of the graph

// ---- storage ------------------------------------------------------------------------------------------

// The lists of couplings are planned for the case that all nodes are coupled with each other, but for no more than
// PLANNED_NODES nodes. Larger graphs are sparse: for each further node PLANNED_COUPLINGS couplings are more than heaps
// of 20,000 bodies have.
enum { PLANNED_NODES = 2000, PLANNED_COUPLINGS = 100 };

// Number of pairs of n things.
static size_t count_pairs(size_t n) { return n > 0 ? n * (n - 1) / 2 : 0; }

// How many couplings of `nodes` nodes are planned.
static size_t count_planned_couplings(size_t nodes) {
  if (nodes <= PLANNED_NODES) return count_pairs(nodes);
  return count_pairs(PLANNED_NODES) + PLANNED_COUPLINGS * (nodes - PLANNED_NODES);
}

// Takes the storage of the pattern and the factors, for up to max_nodes nodes with max_n unknowns in all. The caller
// sets `value`, the panels.
void hfi_block_plan(hfiBlockMatrix* B, hfiArena* arena, int32_t max_nodes, int32_t max_n) {
  hfiBlockOrdering* ordering = &B->ordering;
  hfiEliminationTree* tree = &B->tree;
  size_t nodes = (size_t)max_nodes;
  size_t n = (size_t)max_n;
  size_t words = nodes * ((nodes + WORD_BITS - 1) / WORD_BITS);
  memset(B, 0, sizeof *B);
  B->capacity.nodes = max_nodes;
  B->capacity.unknowns = max_n;
  B->branches.max = 1;

  // graph and ordering, by node
  HFI_TAKE_EACH(arena, uint64_t, words, &B->graph.bits, &ordering->last_bits);
  HFI_TAKE_EACH(arena, int32_t, nodes, &B->weight, &ordering->last_weight);
  HFI_TAKE_EACH(arena, int32_t, nodes, &ordering->degree, &ordering->order, &ordering->position);
  HFI_TAKE_EACH(arena, int32_t, nodes, &tree->parent, &tree->child, &tree->sibling);
  HFI_TAKE_EACH(arena, int32_t, nodes, &tree->nodes_below, &tree->root, &tree->part);

  // panels, by position
  HFI_TAKE_EACH(arena, int32_t, nodes, &B->size, &B->width, &B->factors.coupled);
  B->first = HFI_TAKE(arena, int32_t, nodes + 1);
  B->start = HFI_TAKE(arena, int32_t, nodes + 1);
  B->panel_start = HFI_TAKE(arena, size_t, nodes + 1);

  // couplings
  B->capacity.couplings = count_planned_couplings(nodes);
  HFI_TAKE_EACH(arena, int32_t, B->capacity.couplings, &B->later, &B->offset);

  // by unknown
  B->factors.pivot = HFI_TAKE(arena, int32_t, n);
  B->factors.work = HFI_TAKE(arena, double, n);
}

// ---- the graph ----------------------------------------------------------------------------------------

// Begins a graph of `nodes` nodes without couplings.
void hfi_block_begin(hfiBlockMatrix* B, int32_t nodes) {
  assert(nodes <= B->capacity.nodes);
  B->nodes = nodes;
  B->graph.words = (nodes + WORD_BITS - 1) / WORD_BITS;
  memset(B->graph.bits, 0, sizeof(uint64_t) * (size_t)nodes * (size_t)B->graph.words);
}

static uint64_t* row_of(const hfiBlockMatrix* B, int32_t node) {
  return B->graph.bits + (size_t)node * (size_t)B->graph.words;
}

static void set_bit(uint64_t* row, int32_t i) { row[i / WORD_BITS] |= (uint64_t)1 << (i % WORD_BITS); }
static void clear_bit(uint64_t* row, int32_t i) { row[i / WORD_BITS] &= ~((uint64_t)1 << (i % WORD_BITS)); }

// Clears the lowest bit that is set in *bits, word w of a row, and returns its index in the row. With it the nodes of a
// row are visited in ascending order: for each word w, while some bit is left.
static int32_t take_lowest(uint64_t* bits, int32_t w) {
  int32_t i = WORD_BITS * w + __builtin_ctzll(*bits);
  *bits &= *bits - 1;
  return i;
}

// Couples two nodes in the graph; a node is not coupled with itself.
void hfi_block_couple(hfiBlockMatrix* B, int32_t node_a, int32_t node_b) {
  if (node_a == node_b) return;
  set_bit(row_of(B, node_a), node_b);
  set_bit(row_of(B, node_b), node_a);
}

// Returns the sum of the weights of the nodes whose bits are set in a row of the graph.
int32_t hfi_block_weigh(const hfiBlockMatrix* B, const uint64_t* row) {
  int32_t sum = 0;

  // nodes of equal weight need only be counted
  if (B->ordering.common_weight) {
    for (int32_t w = 0; w < B->graph.words; ++w) sum += B->ordering.common_weight * hfi_count_bits(row[w]);
    return sum;
  }

  for (int32_t w = 0; w < B->graph.words; ++w)
    for (uint64_t bits = row[w]; bits;) sum += B->weight[take_lowest(&bits, w)];
  return sum;
}

// ---- the order of elimination -------------------------------------------------------------------------

// Sets the degree of a node to the weight of its neighbours.
static void update_degree(hfiBlockMatrix* B, int32_t node) {
  B->ordering.degree[node] = hfi_block_weigh(B, row_of(B, node));
}

// Returns the weight that all nodes have, as the bodies of a heap do, or 0 if weights differ.
static int32_t find_common_weight(const hfiBlockMatrix* B) {
  int32_t i = 1;
  while (i < B->nodes && B->weight[i] == B->weight[0]) ++i;
  return i < B->nodes ? 0 : B->weight[0];
}

// A bound for the search of the next node. No remaining node has a degree below `least`, and no node before `from` has
// the degree `least`.
typedef struct LeastDegree {
  int32_t least, from;
} LeastDegree;

// Returns the first remaining node of least degree, and sets the bound to it. Nodes that were eliminated have the
// degree INT32_MAX.
static int32_t find_next_node(const hfiBlockMatrix* B, LeastDegree* bound) {
  const int32_t* degree = B->ordering.degree;

  // a node whose degree equals the bound
  for (int32_t i = bound->from; i < B->nodes; ++i)
    if (degree[i] == bound->least) return bound->from = i;

  // no node has the degree `least` any more: compare all nodes
  *bound = (LeastDegree){degree[0], 0};
  for (int32_t i = 1; i < B->nodes; ++i)
    if (degree[i] < bound->least) *bound = (LeastDegree){degree[i], i};
  return bound->from;
}

// Makes the bound true again after the degree of node i has changed.
static void update_bound(const hfiBlockMatrix* B, int32_t i, LeastDegree* bound) {
  int32_t degree = B->ordering.degree[i];
  int is_earlier = degree == bound->least && i < bound->from;
  if (degree < bound->least || is_earlier) *bound = (LeastDegree){degree, i};
}

// Eliminates a node: couples its remaining neighbours (the bits of its row) with each other, and removes it from their
// rows. Updates their degrees, and the bound. Its own row stays: these neighbours are its later nodes.
static void eliminate(hfiBlockMatrix* B, int32_t node, LeastDegree* bound) {
  const uint64_t* row = row_of(B, node);

  for (int32_t w = 0; w < B->graph.words; ++w)
    for (uint64_t bits = row[w]; bits;) {
      // couple neighbour i with all other neighbours
      int32_t i = take_lowest(&bits, w);
      uint64_t* row_of_i = row_of(B, i);
      for (int32_t u = 0; u < B->graph.words; ++u) row_of_i[u] |= row[u];
      clear_bit(row_of_i, i);
      clear_bit(row_of_i, node);

      update_degree(B, i);
      update_bound(B, i, bound);
    }
}

// Counts the couplings of the factors: the bits that are left in all rows.
static size_t count_couplings(const hfiBlockMatrix* B) {
  size_t count = 0;
  size_t words = (size_t)B->nodes * (size_t)B->graph.words;
  for (size_t w = 0; w < words; ++w) count += (size_t)hfi_count_bits(B->graph.bits[w]);
  return count;
}

// Have the graph and the weights changed since the last ordering? Mostly they have not, because most steps have the
// contacts of the step before.
static int has_new_pattern(const hfiBlockMatrix* B) {
  const hfiBlockOrdering* last = &B->ordering;
  size_t graph_size = sizeof *B->graph.bits * (size_t)B->nodes * (size_t)B->graph.words;
  size_t weight_size = sizeof *B->weight * (size_t)B->nodes;
  if (last->last_nodes != B->nodes) return 1;
  return memcmp(last->last_bits, B->graph.bits, graph_size) || memcmp(last->last_weight, B->weight, weight_size);
}

// Stores the graph and the weights, which are now ordered.
static void store_pattern(hfiBlockMatrix* B) {
  size_t graph_size = sizeof *B->graph.bits * (size_t)B->nodes * (size_t)B->graph.words;
  size_t weight_size = sizeof *B->weight * (size_t)B->nodes;
  memcpy(B->ordering.last_bits, B->graph.bits, graph_size);
  memcpy(B->ordering.last_weight, B->weight, weight_size);
  B->ordering.last_nodes = B->nodes;
}

// Finds the order of elimination and the pattern of the factors. Returns 1, or 0 if they have more couplings than
// planned.
int hfi_block_order(hfiBlockMatrix* B) {
  hfiBlockOrdering* ordering = &B->ordering;
  if (!has_new_pattern(B)) return 1;
  store_pattern(B);

  // degrees
  LeastDegree bound = {INT32_MAX, 0};
  ordering->common_weight = find_common_weight(B);
  for (int32_t i = 0; i < B->nodes; ++i) {
    update_degree(B, i);
    update_bound(B, i, &bound);
  }

  // eliminate the node of least degree, again and again
  for (int32_t k = 0; k < B->nodes; ++k) {
    int32_t node = find_next_node(B, &bound);
    ordering->order[k] = node;
    ordering->position[node] = k;
    ordering->degree[node] = INT32_MAX;
    eliminate(B, node, &bound);
  }

  if (count_couplings(B) > B->capacity.couplings) {
    ordering->last_nodes = 0; // The next call must order again.
    return 0;
  }
  hfi_block_split(B);
  hfi_block_place_panels(B);
  return 1;
}

// ---- the panels ---------------------------------------------------------------------------------------

// Inserts a value into a sorted list of `count` values.
static void insert_ascending(int32_t* list, int32_t count, int32_t value) {
  int32_t i = count;
  for (; i > 0 && list[i - 1] > value; --i) list[i] = list[i - 1];
  list[i] = value;
}

// Lists the later positions of position k, ascending, from entry B->start[k] on, and places their columns. Returns the
// number of entries.
static int32_t list_later(hfiBlockMatrix* B, int32_t k) {
  const uint64_t* row = row_of(B, B->ordering.order[k]);
  int32_t* later = B->later + B->start[k];
  int32_t* offset = B->offset + B->start[k];

  // the positions of the nodes in the row
  int32_t count = 0;
  for (int32_t w = 0; w < B->graph.words; ++w)
    for (uint64_t bits = row[w]; bits;) insert_ascending(later, count++, B->ordering.position[take_lowest(&bits, w)]);

  // their columns, side by side
  int32_t columns = 0;
  for (int32_t e = 0; e < count; ++e) {
    offset[e] = columns;
    columns += B->weight[B->ordering.order[later[e]]];
  }
  B->width[k] = columns;
  return count;
}

// Makes the lists of later positions and places the panels, position by position.
void hfi_block_place_panels(hfiBlockMatrix* B) {
  B->start[0] = 0;
  B->first[0] = 0;
  B->panel_start[0] = 0;
  B->all_six = 1;

  for (int32_t k = 0; k < B->nodes; ++k) {
    int32_t size = B->weight[B->ordering.order[k]];
    B->size[k] = size;
    B->all_six &= size == 6;
    B->start[k + 1] = B->start[k] + list_later(B, k);
    B->first[k + 1] = B->first[k] + size;
    B->panel_start[k + 1] = B->panel_start[k] + (size_t)size * (size_t)(size + 2 * B->width[k]);
  }
  assert(B->first[B->nodes] <= B->capacity.unknowns);
}

// Makes a matrix of one node. The next call of hfi_block_order must order again.
void hfi_block_make_one(hfiBlockMatrix* B, int32_t n) {
  assert(B->capacity.nodes >= 1 && n <= B->capacity.unknowns);
  B->nodes = 1;
  B->ordering.last_nodes = 0;
  B->weight[0] = n;
  B->all_six = n == 6;
  B->ordering.order[0] = 0;
  B->ordering.position[0] = 0;

  // one panel without later positions
  B->size[0] = n;
  B->width[0] = 0;
  B->start[0] = 0;
  B->start[1] = 0;
  B->first[0] = 0;
  B->first[1] = n;
  B->panel_start[0] = 0;
  B->panel_start[1] = (size_t)n * (size_t)n;

  // one branch and an empty trunk
  B->branches.count = 1;
  B->branches.start[0] = 0;
  B->branches.start[1] = 1;
  B->branches.start[2] = 1;
  B->star = NULL;
}

// Sets the panels from position `first` on to before `end` to zero; of a symmetric matrix only their rows.
void hfi_block_zero(hfiBlockMatrix* B, int32_t first, int32_t end, int symmetric) {
  if (!symmetric) {
    memset(B->value + B->panel_start[first], 0, sizeof(double) * (B->panel_start[end] - B->panel_start[first]));
    return;
  }

  for (int32_t k = first; k < end; ++k) {
    size_t count = (size_t)(B->size[k] * hfi_block_stride(B, k));
    memset(hfi_block_rows(B, k), 0, sizeof(double) * count);
  }
}

// Returns the first column of position j, which is coupled to k, in `lower` of position k.
int32_t hfi_block_column(const hfiBlockMatrix* B, int32_t k, int32_t j) {
  for (int32_t e = B->start[k]; e < B->start[k + 1]; ++e)
    if (B->later[e] == j) return B->offset[e];
  assert(0 && "positions are not coupled");
  return -1;
}
