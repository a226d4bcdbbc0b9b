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

// The lists of couplings are planned for the case that all nodes are coupled with each other, but for no more than
// PLANNED_NODES nodes. Larger graphs are sparse: for each further node PLANNED_COUPLINGS couplings are more than heaps
// of 20,000 bodies have.
enum { PLANNED_NODES = 2000, PLANNED_COUPLINGS = 100 };

// How many couplings of `nodes` nodes are planned.
static size_t count_planned_couplings(size_t nodes) {
  if (nodes <= PLANNED_NODES) return nodes * (nodes - (nodes > 0)) / 2;
  return (size_t)PLANNED_NODES * (PLANNED_NODES - 1) / 2 + PLANNED_COUPLINGS * (nodes - PLANNED_NODES);
}

// Takes the storage (block_sparse.h).
void hfi_block_plan(hfiBlockMatrix* B, hfiArena* arena, int32_t max_nodes, int32_t max_n) {
  size_t nodes = (size_t)max_nodes;
  size_t n = (size_t)max_n;
  size_t words = nodes * ((nodes + 63) / 64);
  memset(B, 0, sizeof *B);
  B->max_nodes = max_nodes;
  B->max_n = max_n;
  B->max_branches = 1;

  // by node
  HFI_TAKE_EACH(arena, uint64_t, words, &B->graph, &B->ordered);
  HFI_TAKE_EACH(arena, int32_t, nodes, &B->weight, &B->ordered_weight, &B->degree, &B->order, &B->position, &B->size,
                &B->width, &B->coupled, &B->parent, &B->child, &B->sibling, &B->nodes_below, &B->root, &B->part);
  B->first = HFI_TAKE(arena, int32_t, nodes + 1);
  B->start = HFI_TAKE(arena, int32_t, nodes + 1);
  B->at = HFI_TAKE(arena, size_t, nodes + 1);

  // couplings
  B->room = count_planned_couplings(nodes);
  HFI_TAKE_EACH(arena, int32_t, B->room, &B->later, &B->offset);

  // by unknown
  B->pivot = HFI_TAKE(arena, int32_t, n);
  B->work = HFI_TAKE(arena, double, n);
}

void hfi_block_begin(hfiBlockMatrix* B, int32_t nodes) {
  assert(nodes <= B->max_nodes);
  B->nodes = nodes;
  B->words = (nodes + 63) / 64;
  memset(B->graph, 0, sizeof(uint64_t) * (size_t)nodes * (size_t)B->words);
}

static uint64_t* row_of(const hfiBlockMatrix* B, int32_t node) {
  return B->graph + (size_t)node * (size_t)B->words;
}

static void set_bit(uint64_t* row, int32_t i) { row[i >> 6] |= (uint64_t)1 << (i & 63); }
static void clear_bit(uint64_t* row, int32_t i) { row[i >> 6] &= ~((uint64_t)1 << (i & 63)); }

// Clears the lowest bit that is set in *bits, word w of a row, and returns its index in the row.
static int32_t take_lowest(uint64_t* bits, int32_t w) {
  int32_t i = 64 * w + __builtin_ctzll(*bits);
  *bits &= *bits - 1;
  return i;
}

void hfi_block_couple(hfiBlockMatrix* B, int32_t node_a, int32_t node_b) {
  if (node_a == node_b) return;
  set_bit(row_of(B, node_a), node_b);
  set_bit(row_of(B, node_b), node_a);
}

int32_t hfi_block_weigh(const hfiBlockMatrix* B, const uint64_t* row) {
  int32_t sum = 0;
  if (B->all_weights)
    for (int32_t w = 0; w < B->words; ++w) sum += B->all_weights * hfi_count_bits(row[w]);
  else
    for (int32_t w = 0; w < B->words; ++w)
      for (uint64_t bits = row[w]; bits;) sum += B->weight[take_lowest(&bits, w)];
  return sum;
}

// Computes the degree of a node.
static void count_degree(hfiBlockMatrix* B, int32_t node) { B->degree[node] = hfi_block_weigh(B, row_of(B, node)); }

// Returns the weight that all nodes have, as the bodies of a heap do, or 0 if weights differ.
static int32_t find_all_weights(const hfiBlockMatrix* B) {
  int32_t i = 1;
  while (i < B->nodes && B->weight[i] == B->weight[0]) ++i;
  return i < B->nodes ? 0 : B->weight[0];
}

// A bound for the search of the next node. No remaining node has a degree below `least`, and no node before `from` has
// the degree `least`.
typedef struct leastDegree {
  int32_t least, from;
} leastDegree;

// Returns the first remaining node of least degree. Nodes that were eliminated have the degree INT32_MAX.
static int32_t find_next(const hfiBlockMatrix* B, leastDegree* known) {
  const int32_t* degree = B->degree;
  for (int32_t i = known->from; i < B->nodes; ++i)
    if (degree[i] == known->least) return known->from = i;
  *known = (leastDegree){degree[0], 0};
  for (int32_t i = 1; i < B->nodes; ++i)
    if (degree[i] < known->least) *known = (leastDegree){degree[i], i};
  return known->from;
}

// Makes the bound true again after the degree of node i has changed.
static void update_bound(const hfiBlockMatrix* B, int32_t i, leastDegree* known) {
  if (B->degree[i] < known->least || (B->degree[i] == known->least && i < known->from)) *known = (leastDegree){B->degree[i], i};
}

// Couples i, a neighbour of `node`, with the other neighbours of `node`, and removes `node` from the row of i.
static void join_neighbours(hfiBlockMatrix* B, int32_t node, int32_t i) {
  const uint64_t* row = row_of(B, node);
  uint64_t* other = row_of(B, i);
  for (int32_t w = 0; w < B->words; ++w) other[w] |= row[w];
  clear_bit(other, i);
  clear_bit(other, node);
  count_degree(B, i);
}

// Couples the remaining neighbours of `node` with each other and removes it from their rows.
static void eliminate(hfiBlockMatrix* B, int32_t node, leastDegree* known) {
  const uint64_t* row = row_of(B, node);
  for (int32_t w = 0; w < B->words; ++w)
    for (uint64_t bits = row[w]; bits;) {
      int32_t i = take_lowest(&bits, w);
      join_neighbours(B, node, i);
      update_bound(B, i, known);
    }
}

// Counts the couplings of the factors: the bits that are left in all rows.
static size_t count_couplings(const hfiBlockMatrix* B) {
  size_t count = 0, words = (size_t)B->nodes * (size_t)B->words;
  for (size_t w = 0; w < words; ++w) count += (size_t)hfi_count_bits(B->graph[w]);
  return count;
}

// Inserts a value into a sorted list of `count` values.
static void insert_ascending(int32_t* list, int32_t count, int32_t value) {
  int32_t i = count;
  for (; i > 0 && list[i - 1] > value; --i) list[i] = list[i - 1];
  list[i] = value;
}

// Lists the later positions of position k, ascending, from entry B->start[k] on, and places their columns. Returns the
// number of entries.
static int32_t list_later(hfiBlockMatrix* B, int32_t k) {
  const uint64_t* row = row_of(B, B->order[k]);
  int32_t *later = B->later + B->start[k], *offset = B->offset + B->start[k], count = 0, columns = 0;
  for (int32_t w = 0; w < B->words; ++w)
    for (uint64_t bits = row[w]; bits;) insert_ascending(later, count++, B->position[take_lowest(&bits, w)]);
  for (int32_t e = 0; e < count; ++e) {
    offset[e] = columns;
    columns += B->weight[B->order[later[e]]];
  }
  B->width[k] = columns;
  return count;
}

// Makes the lists of later positions and places the panels, position by position.
void hfi_block_place_panels(hfiBlockMatrix* B) {
  B->start[0] = 0;
  B->first[0] = 0;
  B->at[0] = 0;
  B->all_six = 1;

  for (int32_t k = 0; k < B->nodes; ++k) {
    int32_t size = B->weight[B->order[k]];
    B->size[k] = size;
    B->all_six &= size == 6;
    B->start[k + 1] = B->start[k] + list_later(B, k);
    B->first[k + 1] = B->first[k] + size;
    B->at[k + 1] = B->at[k] + (size_t)size * (size_t)(size + 2 * B->width[k]);
  }
  assert(B->first[B->nodes] <= B->max_n);
}

// Has the matrix the graph and the weights of the last ordering? That is frequent, because most steps have the contacts
// of the step before. If not, stores its graph and weights as those of the last ordering, and returns 0.
static int has_ordered_pattern(hfiBlockMatrix* B) {
  size_t graph = sizeof *B->graph * (size_t)B->nodes * (size_t)B->words, weight = sizeof *B->weight * (size_t)B->nodes;
  if (B->ordered_nodes == B->nodes && !memcmp(B->ordered, B->graph, graph) && !memcmp(B->ordered_weight, B->weight, weight))
    return 1;
  memcpy(B->ordered, B->graph, graph);
  memcpy(B->ordered_weight, B->weight, weight);
  B->ordered_nodes = B->nodes;
  return 0;
}

// Finds the order of elimination and the pattern of the factors. Returns 0 if they have more couplings than planned.
int hfi_block_order(hfiBlockMatrix* B) {
  if (has_ordered_pattern(B)) return 1;

  // degrees
  leastDegree known = {INT32_MAX, 0};
  B->all_weights = find_all_weights(B);
  for (int32_t i = 0; i < B->nodes; ++i) {
    count_degree(B, i);
    update_bound(B, i, &known);
  }

  // eliminate the node of least degree, again and again
  for (int32_t k = 0; k < B->nodes; ++k) {
    int32_t node = find_next(B, &known);
    B->order[k] = node;
    B->position[node] = k;
    B->degree[node] = INT32_MAX;
    eliminate(B, node, &known);
  }

  if (count_couplings(B) > B->room) {
    B->ordered_nodes = 0; // The next call must order again.
    return 0;
  }
  hfi_block_split(B);
  hfi_block_place_panels(B);
  return 1;
}

// Makes a matrix of one node. The next call of hfi_block_order must order again.
void hfi_block_make_one(hfiBlockMatrix* B, int32_t n) {
  assert(B->max_nodes >= 1 && n <= B->max_n);
  B->nodes = 1;
  B->ordered_nodes = 0;
  B->weight[0] = n;
  B->all_six = n == 6;
  B->order[0] = 0;
  B->position[0] = 0;

  // one panel without later positions
  B->size[0] = n;
  B->width[0] = 0;
  B->start[0] = 0;
  B->start[1] = 0;
  B->first[0] = 0;
  B->first[1] = n;
  B->at[0] = 0;
  B->at[1] = (size_t)n * (size_t)n;

  // one branch and an empty trunk
  B->branches = 1;
  B->branch_start[0] = 0;
  B->branch_start[1] = 1;
  B->branch_start[2] = 1;
  B->star = NULL;
}

void hfi_block_zero(hfiBlockMatrix* B, int32_t first, int32_t end, int symmetric) {
  if (!symmetric) {
    memset(B->value + B->at[first], 0, sizeof(double) * (B->at[end] - B->at[first]));
    return;
  }
  for (int32_t k = first; k < end; ++k) memset(hfi_block_rows(B, k), 0, sizeof(double) * (size_t)(B->size[k] * hfi_block_stride(B, k)));
}

int32_t hfi_block_column(const hfiBlockMatrix* B, int32_t k, int32_t j) {
  for (int32_t e = B->start[k]; e < B->start[k + 1]; ++e)
    if (B->later[e] == j) return B->offset[e];
  assert(0 && "positions are not coupled");
  return -1;
}
