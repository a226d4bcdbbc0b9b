// Minimum degree ordering of a block-sparse matrix, and the pattern of its factors (George and Liu,
// Computer Solution of Large Sparse Positive Definite Systems, chapter 5).
//
// Eliminating a node couples all its remaining neighbours with each other. Each time the node is
// taken whose remaining neighbours have the fewest unknowns, the lowest index among equals. The
// elimination graph is explicit, one bit for each pair of nodes. What is left in the row of a node
// when it is eliminated are the later nodes of its column of the factor.
#include "linalg/block_sparse.h"

#include <assert.h>
#include <string.h>

// So many nodes are planned for even if each of them is coupled with each other one. Larger graphs are sparse, and mostly have fewer couplings.
static const size_t PLANNED_NODES = 2000;

void hfi_block_plan(hfiBlockMatrix* B, hfiArena* arena, int32_t max_nodes, int32_t max_n) {
  size_t nodes = (size_t)max_nodes, n = (size_t)max_n, dense = nodes < PLANNED_NODES ? nodes : PLANNED_NODES;
  memset(B, 0, sizeof *B);
  B->max_nodes = max_nodes;
  B->max_n = max_n;
  B->graph = HFI_TAKE(arena, uint64_t, nodes * ((nodes + 63) / 64));
  B->ordered = HFI_TAKE(arena, uint64_t, nodes * ((nodes + 63) / 64));
  HFI_TAKE_EACH(arena, int32_t, nodes, &B->weight, &B->ordered_weight, &B->degree, &B->order, &B->position, &B->size, &B->width, &B->coupled);
  B->first = HFI_TAKE(arena, int32_t, nodes + 1);
  B->start = HFI_TAKE(arena, int32_t, nodes + 1);
  B->room = dense * (dense - 1) / 2;
  B->later = HFI_TAKE(arena, int32_t, B->room);
  B->offset = HFI_TAKE(arena, int32_t, B->room);
  B->at = HFI_TAKE(arena, size_t, nodes + 1);
  B->pivot = HFI_TAKE(arena, int32_t, n);
  B->work = HFI_TAKE(arena, double, n);
}

void hfi_block_release(hfiBlockMatrix* B) { hfi_release(B->grown); }

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

// Removes the lowest of the bits of word w of a row and returns its index in the row.
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

// Counts the unknowns of the remaining neighbours of a node.
static void count_degree(hfiBlockMatrix* B, int32_t node) {
  const uint64_t* row = row_of(B, node);
  int32_t degree = 0;
  for (int32_t w = 0; w < B->words; ++w)
    for (uint64_t bits = row[w]; bits;) degree += B->weight[take_lowest(&bits, w)];
  B->degree[node] = degree;
}

// What is known of the degrees of nodes that have no position yet: none is below `least`, and no node before `from` has that one.
typedef struct leastDegree {
  int32_t least, from;
} leastDegree;

// Returns the node of least degree that has no position yet, the first one of several. Nodes that have one are of the largest degree.
static int32_t find_next(const hfiBlockMatrix* B, leastDegree* known) {
  const int32_t* degree = B->degree;
  for (int32_t i = known->from; i < B->nodes; ++i)
    if (degree[i] == known->least) return known->from = i;
  *known = (leastDegree){degree[0], 0};
  for (int32_t i = 1; i < B->nodes; ++i)
    if (degree[i] < known->least) *known = (leastDegree){degree[i], i};
  return known->from;
}

// Takes the new degree of node i into account.
static void note_degree(const hfiBlockMatrix* B, int32_t i, leastDegree* known) {
  if (B->degree[i] < known->least || (B->degree[i] == known->least && i < known->from)) *known = (leastDegree){B->degree[i], i};
}

// Couples neighbour i of `node` with the others and removes the node from its row.
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
      note_degree(B, i, known);
    }
}

// Counts the couplings of the factors: what is left of all rows.
static size_t count_couplings(const hfiBlockMatrix* B) {
  size_t count = 0, words = (size_t)B->nodes * (size_t)B->words;
  for (size_t w = 0; w < words; ++w)
    for (uint64_t bits = B->graph[w]; bits; bits &= bits - 1) ++count;
  return count;
}

// Makes room for `count` couplings, and for a fourth more where that has to be allocated. Returns 0 where there is no memory.
static int make_room(hfiBlockMatrix* B, size_t count, const hfAllocator* allocator) {
  if (count <= B->room) return 1;
  size_t more = count + count / 4;
  int32_t* grown = more <= INT32_MAX ? hfi_allocate(allocator, sizeof *grown * 2 * more) : NULL;
  if (!grown) return 0;
  hfi_release(B->grown);
  B->grown = B->later = grown;
  B->offset = grown + more;
  B->room = more;
  return 1;
}

static void insert_ascending(int32_t* list, int32_t count, int32_t value) {
  int32_t i = count;
  for (; i > 0 && list[i - 1] > value; --i) list[i] = list[i - 1];
  list[i] = value;
}

void hfi_block_place_panels(hfiBlockMatrix* B) {
  int32_t couplings = 0, dofs = 0;
  size_t values = 0;
  B->all_six = 1;
  for (int32_t k = 0; k < B->nodes; ++k) {
    int32_t node = B->order[k], columns = 0, *later = B->later + couplings, count = 0;
    const uint64_t* row = row_of(B, node);
    for (int32_t w = 0; w < B->words; ++w)
      for (uint64_t bits = row[w]; bits;) insert_ascending(later, count++, B->position[take_lowest(&bits, w)]);
    for (int32_t e = 0; e < count; ++e) {
      B->offset[couplings + e] = columns;
      columns += B->weight[B->order[later[e]]];
    }
    B->start[k] = couplings;
    B->first[k] = dofs;
    B->at[k] = values;
    B->size[k] = B->weight[node];
    B->width[k] = columns;
    B->all_six &= B->size[k] == 6;
    couplings += count;
    dofs += B->size[k];
    values += (size_t)B->size[k] * (size_t)(B->size[k] + 2 * columns);
  }
  B->start[B->nodes] = couplings;
  B->first[B->nodes] = dofs;
  B->at[B->nodes] = values;
  assert(dofs <= B->max_n);
}

// Is the matrix one that has the pattern of the last ordering? Most steps have the contacts of the step before. Remembers the
// pattern where it is another.
static int is_ordered(hfiBlockMatrix* B) {
  size_t graph = sizeof *B->graph * (size_t)B->nodes * (size_t)B->words, weight = sizeof *B->weight * (size_t)B->nodes;
  if (B->ordered_nodes == B->nodes && !memcmp(B->ordered, B->graph, graph) && !memcmp(B->ordered_weight, B->weight, weight))
    return 1;
  memcpy(B->ordered, B->graph, graph);
  memcpy(B->ordered_weight, B->weight, weight);
  B->ordered_nodes = B->nodes;
  return 0;
}

int hfi_block_order(hfiBlockMatrix* B, const hfAllocator* allocator) {
  if (is_ordered(B)) return 1;
  leastDegree known = {INT32_MAX, 0};
  for (int32_t i = 0; i < B->nodes; ++i) {
    count_degree(B, i);
    note_degree(B, i, &known);
  }
  for (int32_t k = 0; k < B->nodes; ++k) {
    int32_t node = find_next(B, &known);
    B->order[k] = node;
    B->position[node] = k;
    B->degree[node] = INT32_MAX;
    eliminate(B, node, &known);
  }
  if (!make_room(B, count_couplings(B), allocator)) {
    B->ordered_nodes = 0; // No pattern is known.
    return 0;
  }
  hfi_block_place_panels(B);
  return 1;
}

void hfi_block_make_one(hfiBlockMatrix* B, int32_t n) {
  assert(B->max_nodes >= 1 && n <= B->max_n);
  B->nodes = 1, B->ordered_nodes = 0; // No pattern of several nodes is known any more.
  B->weight[0] = B->size[0] = n, B->width[0] = 0, B->all_six = n == 6;
  B->order[0] = B->position[0] = 0;
  B->start[0] = B->start[1] = 0;
  B->first[0] = 0, B->first[1] = n;
  B->at[0] = 0, B->at[1] = (size_t)n * (size_t)n;
  B->star = NULL;
}

void hfi_block_zero(hfiBlockMatrix* B, int symmetric) {
  if (!symmetric) {
    memset(B->value, 0, sizeof(double) * B->at[B->nodes]);
    return;
  }
  for (int32_t k = 0; k < B->nodes; ++k)
    memset(hfi_block_rows(B, k), 0, sizeof(double) * (size_t)(B->size[k] * hfi_block_stride(B, k)));
}

int32_t hfi_block_column(const hfiBlockMatrix* B, int32_t k, int32_t j) {
  for (int32_t e = B->start[k]; e < B->start[k + 1]; ++e)
    if (B->later[e] == j) return B->offset[e];
  assert(0 && "positions are not coupled");
  return -1;
}
