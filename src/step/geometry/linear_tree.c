// A tree of boxes over points, see linear_tree.h.
//
// Over the box [lo, hi] of a node f is at most sum_i max(w_i lo_i, w_i hi_i), with the coefficients w_i of f. A node
// whose bound is below the largest f found so far cannot contain the answer. The bound is raised by the largest
// rounding error, so that the answer has the same bits as if every point were visited.
#include "step/geometry/linear_tree.h"

#include "base/lanes.h"

// Largest rounding error of f, as a share of the sum of its terms [-].
static const double ROUNDING_SHARE = 16 * 2.3e-16;

// A node of the tree on the way of a search or of the construction: its number, its level below the root, and its range
// of points in the order of the tree.
typedef struct Node {
  int number, level, begin, end;
} Node;

static Node root_of(const hfiLinearTree* tree) { return (Node){.end = tree->count}; }

// Child 0 of a node has the first half of its points, child 1 the second half.
static inline Node child_of(Node node, int which) {
  int middle = (node.begin + node.end) / 2;
  return (Node){.number = 2 * node.number + 1 + which,
                .level = node.level + 1,
                .begin = which ? middle : node.begin,
                .end = which ? node.end : middle};
}

// The place in tree->leaf of a node of the lowest level.
static inline hfiTreeLeaf* leaf_of(const hfiLinearTree* tree, int node) {
  return tree->leaf + (node - ((1 << tree->depth) - 1));
}

// ---- construction --------------------------------------------------------------------------------

static double coordinate(const hfiLinearTree* tree, int32_t i, int axis) {
  return tree->point[(size_t)i * (size_t)tree->stride + (size_t)axis];
}

// Does point i come before point j along an axis? Of equal ones, the lower number comes first.
static int comes_before(const hfiLinearTree* tree, int32_t i, int32_t j, int axis) {
  double x = coordinate(tree, i, axis);
  double y = coordinate(tree, j, axis);
  return x < y || (x == y && i < j);
}

// Moves the points that are smallest along an axis before `middle`, by quickselect in the range [begin, end) of the
// order.
static void divide_range(hfiLinearTree* tree, int begin, int end, int middle, int axis) {
  int32_t* order = tree->order;
  int lo = begin;
  int hi = end - 1;

  while (lo < hi) {
    // points before the pivot go to the left of it, the others to the right
    int32_t pivot = order[(lo + hi) / 2];
    int i = lo;
    int j = hi;
    while (i <= j) {
      while (comes_before(tree, order[i], pivot, axis)) i++;
      while (comes_before(tree, pivot, order[j], axis)) j--;
      if (i > j) break;

      int32_t swap = order[i];
      order[i] = order[j];
      order[j] = swap;
      i++;
      j--;
    }

    // goes on in the part that contains the middle
    if (middle <= j) hi = j;
    else if (middle >= i) lo = i;
    else return;
  }
}

// Returns the box of the points in a range of the order.
static hfiTreeBox bound_points(const hfiLinearTree* tree, int begin, int end) {
  hfiTreeBox box = {{0}, {0}};
  for (int axis = 0; axis < tree->stride; ++axis) {
    double lo = INFINITY;
    double hi = -INFINITY;

    for (int k = begin; k < end; ++k) {
      double x = coordinate(tree, tree->order[k], axis);
      lo = min2(lo, x);
      hi = max2(hi, x);
    }
    box.lo[axis] = lo;
    box.hi[axis] = hi;
  }
  return box;
}

// Copies the coordinates of the points in a range of the order.
static void fill_leaf(const hfiLinearTree* tree, int begin, int end, hfiTreeLeaf* leaf) {
  for (int axis = 0; axis < 4; ++axis)
    for (int k = 0; k < HFI_LEAF_POINTS; ++k) {
      int32_t i = tree->order[imin2(begin + k, end - 1)];
      leaf->x[axis][k] = axis < tree->stride ? coordinate(tree, i, axis) : 0;
    }
}

// Computes the box of a node and divides its points along the longest side of the box, down to the leaves.
static void build_node(hfiLinearTree* tree, Node node) {
  hfiTreeBox box = bound_points(tree, node.begin, node.end);
  tree->box[node.number] = box;
  if (node.level == tree->depth) {
    fill_leaf(tree, node.begin, node.end, leaf_of(tree, node.number));
    return;
  }

  int longest = 0;
  for (int i = 1; i < tree->stride; ++i)
    if (box.hi[i] - box.lo[i] > box.hi[longest] - box.lo[longest]) longest = i;

  divide_range(tree, node.begin, node.end, (node.begin + node.end) / 2, longest);
  build_node(tree, child_of(node, 0));
  build_node(tree, child_of(node, 1));
}

// Takes the memory of a tree from the arena and builds the tree. Without memory it only plans the size.
void hfi_tree_init(hfiLinearTree* tree, int count, int stride, const double* point, hfiArena* arena) {
  tree->count = count;
  tree->stride = stride;
  tree->point = point;
  tree->depth = 0;
  while (count > HFI_LEAF_POINTS << tree->depth) tree->depth++;

  // a full binary tree has 2^(depth + 1) - 1 nodes and 2^depth leaves
  tree->order = HFI_TAKE(arena, int32_t, count);
  tree->box = HFI_TAKE(arena, hfiTreeBox, (2 << tree->depth) - 1);
  tree->leaf = HFI_TAKE(arena, hfiTreeLeaf, 1 << tree->depth);
  if (!tree->order) return;

  for (int32_t i = 0; i < count; ++i) tree->order[i] = i;
  build_node(tree, root_of(tree));

  // scale: the largest |x_0| to |x_2|, and the largest |x_3|
  const hfiTreeBox* all = tree->box;
  tree->scale[0] = 0;
  tree->scale[1] = 0;
  for (int i = 0; i < 3; ++i) tree->scale[0] = max2(tree->scale[0], max2(-all->lo[i], all->hi[i]));
  tree->scale[1] = max2(tree->scale[1], max2(-all->lo[3], all->hi[3]));
}

// ---- search --------------------------------------------------------------------------------------

typedef struct Search {
  const hfiLinearTree* tree;
  hfiLinear f;
  double slack; // largest rounding error of a bound
} Search;

static Search start_search(const hfiLinearTree* tree, const hfiLinear* f) {
  double size = (fabs(f->n.x) + fabs(f->n.y) + fabs(f->n.z)) * tree->scale[0] + fabs(f->offset) * tree->scale[1];
  return (Search){tree, *f, ROUNDING_SHARE * size};
}

// Returns an upper bound of f over all points of a node.
static double upper_bound(const Search* search, int node) {
  const hfiTreeBox* box = &search->tree->box[node];
  hfVec3 n = search->f.n;
  double offset = search->f.offset;

  // the corner of the box where f is largest
  double x = n.x > 0 ? box->hi[0] : box->lo[0];
  double y = n.y > 0 ? box->hi[1] : box->lo[1];
  double z = n.z > 0 ? box->hi[2] : box->lo[2];
  double x_3 = offset > 0 ? box->lo[3] : box->hi[3];
  return n.x * x + n.y * y + n.z * z - offset * x_3 + search->slack;
}

// f of four points of a leaf, from number `first` on, with the bits of hfi_linear.
static inline hfiFour four_values(const Search* search, const hfiTreeLeaf* leaf, int first) {
  const hfiFour* x = (const hfiFour*)(leaf->x[0] + first);
  const hfiFour* y = (const hfiFour*)(leaf->x[1] + first);
  const hfiFour* z = (const hfiFour*)(leaf->x[2] + first);
  const hfiFour* x_3 = (const hfiFour*)(leaf->x[3] + first);
  hfVec3 n = search->f.n;
  return n.x * *x + n.y * *y + n.z * *z - search->f.offset * *x_3;
}

static inline int any_above(hfiFour value, double least) {
  hfiFourBits above = value >= least;
  return (above[0] | above[1] | above[2] | above[3]) != 0;
}

// The point with the largest f so far.
typedef struct Largest {
  int32_t point;
  double value;     // its f
  double second;    // the largest f of the other points visited
  int wants_second; // 1: nodes that may contain the second largest are visited too
} Largest;

// Compares a point with the best one and keeps the better. Of equal ones, the lower number is better.
static void offer_point(Largest* best, int32_t i, double value) {
  if (i == best->point) return;

  int is_better = value > best->value || (value == best->value && i < best->point);
  if (!is_better) {
    best->second = max2(best->second, value);
    return;
  }
  best->second = best->value;
  best->value = value;
  best->point = i;
}

// Points with f below this are of no interest.
static inline double least_wanted(const Largest* best) { return best->wants_second ? best->second : best->value; }

// Offers the points of a leaf, four at a time.
static void offer_leaf(const Search* search, Node node, Largest* best) {
  const hfiTreeLeaf* leaf = leaf_of(search->tree, node.number);
  const int32_t* order = search->tree->order + node.begin;
  int count = node.end - node.begin;

  for (int first = 0; first < count; first += 4) {
    hfiFour value = four_values(search, leaf, first);
    for (int k = 0; k < imin2(4, count - first) && any_above(value, least_wanted(best)); ++k)
      offer_point(best, order[first + k], value[k]);
  }
}

// Finds the largest f below a node. The child with the larger bound is visited first, so that the other one can mostly
// be left out.
static void find_largest(const Search* search, Node node, Largest* best) {
  if (node.level == search->tree->depth) {
    offer_leaf(search, node, best);
    return;
  }

  Node child[2] = {child_of(node, 0), child_of(node, 1)};
  double bound[2] = {upper_bound(search, child[0].number), upper_bound(search, child[1].number)};
  int first = bound[1] > bound[0];
  int second = !first;
  if (bound[first] >= least_wanted(best)) find_largest(search, child[first], best);
  if (bound[second] >= least_wanted(best)) find_largest(search, child[second], best);
}

// Returns the number of the point with the largest f; the first one if several are equal.
int32_t hfi_tree_largest(const hfiLinearTree* tree, const hfiLinear* f, int32_t guess) {
  Search search = start_search(tree, f);
  Largest best = {.point = guess, .value = hfi_linear(f, tree, guess), .second = -INFINITY, .wants_second = 0};
  find_largest(&search, root_of(tree), &best);
  return best.point;
}

// The same; also writes the largest f of all other points.
int32_t hfi_tree_two_largest(const hfiLinearTree* tree, const hfiLinear* f, int32_t guess, double* second) {
  Search search = start_search(tree, f);
  Largest best = {.point = guess, .value = hfi_linear(f, tree, guess), .second = -INFINITY, .wants_second = 1};
  find_largest(&search, root_of(tree), &best);
  *second = best.second;
  return best.point;
}

// The points found so far, ascending.
typedef struct Found {
  int32_t* point;
  int count, capacity;
} Found;

// Inserts a point in its place. Returns 0 if there is no room.
static int insert_point(Found* found, int32_t point) {
  if (found->count == found->capacity) return 0;

  int place = found->count;
  for (; place > 0 && found->point[place - 1] > point; --place) found->point[place] = found->point[place - 1];
  found->point[place] = point;
  found->count++;
  return 1;
}

// Adds the points of a node with f >= least, and those that are below it by rounding only. Returns 0 if there is no
// room.
static int gather_above(const Search* search, double least, Node node, Found* found) {
  if (!(upper_bound(search, node.number) >= least)) return 1;
  if (node.level < search->tree->depth) {
    return gather_above(search, least, child_of(node, 0), found) &&
           gather_above(search, least, child_of(node, 1), found);
  }

  // a leaf
  const hfiTreeLeaf* leaf = leaf_of(search->tree, node.number);
  const int32_t* order = search->tree->order + node.begin;
  int count = node.end - node.begin;
  for (int first = 0; first < count; first += 4) {
    hfiFour value = four_values(search, leaf, first) + search->slack;
    for (int k = 0; k < imin2(4, count - first) && any_above(value, least); ++k)
      if (value[k] >= least && !insert_point(found, order[first + k])) return 0;
  }
  return 1;
}

// Finds the points with f >= least, up to rounding, ascending. Returns their number, or -1 if there are more than
// `capacity`.
int hfi_tree_above(const hfiLinearTree* tree, const hfiLinear* f, double least, int32_t* found, int capacity) {
  Search search = start_search(tree, f);
  Found all = {.point = found, .count = 0, .capacity = capacity};
  return gather_above(&search, least, root_of(tree), &all) ? all.count : -1;
}
