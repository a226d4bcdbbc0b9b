// A tree of boxes over points, see linear_tree.h.
//
// Over the box [lo, hi] of a node f is at most sum_i max(w_i lo_i, w_i hi_i). A node whose bound is below the largest f found so far cannot contain
// the answer. The bound is raised by the largest rounding error, so that the answer has the same bits as if every point were visited.
#include "step/geometry/linear_tree.h"

#include "base/lanes.h"

static const double ROUNDING = 16 * 2.3e-16;

// ---- construction --------------------------------------------------------------------------------

static double coordinate(const hfiLinearTree* t, int32_t i, int axis) { return t->point[(size_t)i * (size_t)t->stride + (size_t)axis]; }

static int comes_before(const hfiLinearTree* t, int32_t i, int32_t j, int axis) {
  double x = coordinate(t, i, axis), y = coordinate(t, j, axis);
  return x < y || (x == y && i < j);
}

// Moves the points that are smallest along an axis before `middle`, by quickselect.
static void divide(hfiLinearTree* t, int begin, int end, int middle, int axis) {
  int32_t* order = t->order;
  for (int lo = begin, hi = end - 1; lo < hi;) {
    int32_t pivot = order[(lo + hi) / 2];
    int i = lo, j = hi;
    while (i <= j) {
      while (comes_before(t, order[i], pivot, axis)) i++;
      while (comes_before(t, pivot, order[j], axis)) j--;
      if (i > j) break;
      int32_t swap = order[i];
      order[i++] = order[j];
      order[j--] = swap;
    }
    if (middle <= j) hi = j;
    else if (middle >= i) lo = i;
    else return;
  }
}

static hfiTreeBox bound_points(const hfiLinearTree* t, int begin, int end) {
  hfiTreeBox b = {{0}, {0}};
  for (int axis = 0; axis < t->stride; ++axis) {
    b.lo[axis] = INFINITY, b.hi[axis] = -INFINITY;
    for (int k = begin; k < end; ++k) {
      b.lo[axis] = min2(b.lo[axis], coordinate(t, t->order[k], axis));
      b.hi[axis] = max2(b.hi[axis], coordinate(t, t->order[k], axis));
    }
  }
  return b;
}

// The number of a leaf, in the order of the tree.
static inline int leaf_number(const hfiLinearTree* t, int node) { return node - ((1 << t->depth) - 1); }

static void fill_leaf(const hfiLinearTree* t, int begin, int end, hfiTreeLeaf* leaf) {
  for (int axis = 0; axis < 4; ++axis)
    for (int k = 0; k < HFI_LEAF_POINTS; ++k) leaf->x[axis][k] = axis < t->stride ? coordinate(t, t->order[imin2(begin + k, end - 1)], axis) : 0;
}

static void build(hfiLinearTree* t, int node, int level, int begin, int end) {
  hfiTreeBox b = t->box[node] = bound_points(t, begin, end);
  if (level == t->depth) {
    fill_leaf(t, begin, end, t->leaf + leaf_number(t, node));
    return;
  }
  int axis = 0, middle = (begin + end) / 2;
  for (int i = 1; i < t->stride; ++i)
    if (b.hi[i] - b.lo[i] > b.hi[axis] - b.lo[axis]) axis = i;
  divide(t, begin, end, middle, axis);
  build(t, 2 * node + 1, level + 1, begin, middle);
  build(t, 2 * node + 2, level + 1, middle, end);
}

void hfi_tree_init(hfiLinearTree* t, int count, int stride, const double* point, hfiArena* arena) {
  t->count = count;
  t->stride = stride;
  t->point = point;
  for (t->depth = 0; count > HFI_LEAF_POINTS << t->depth;) t->depth++;
  t->order = HFI_TAKE(arena, int32_t, count);
  t->box = HFI_TAKE(arena, hfiTreeBox, (2 << t->depth) - 1);
  t->leaf = HFI_TAKE(arena, hfiTreeLeaf, 1 << t->depth);
  if (!t->order) return;
  for (int32_t i = 0; i < count; ++i) t->order[i] = i;
  build(t, 0, 0, 0, count);
  t->scale[0] = t->scale[1] = 0;
  for (int i = 0; i < 4; ++i) t->scale[i == 3] = max2(t->scale[i == 3], max2(-t->box->lo[i], t->box->hi[i]));
}

// ---- search --------------------------------------------------------------------------------------

typedef struct Search {
  const hfiLinearTree* tree;
  hfiLinear f;
  double slack; // largest rounding error of a bound
} Search;

static Search start_search(const hfiLinearTree* t, const hfiLinear* f) {
  double size = (fabs(f->n.x) + fabs(f->n.y) + fabs(f->n.z)) * t->scale[0] + fabs(f->offset) * t->scale[1];
  Search s = {t, *f, ROUNDING * size};
  return s;
}

// No point of the node has a larger f.
static double bound(const Search* s, int node) {
  const hfiTreeBox* b = &s->tree->box[node];
  hfVec3 n = s->f.n;
  double top = n.x * (n.x > 0 ? b->hi[0] : b->lo[0]) + n.y * (n.y > 0 ? b->hi[1] : b->lo[1]) + n.z * (n.z > 0 ? b->hi[2] : b->lo[2]);
  return top - s->f.offset * (s->f.offset > 0 ? b->lo[3] : b->hi[3]) + s->slack;
}

// f of four points of a leaf, from number `first` on, with the bits of hfi_linear.
static inline hfiFour four_values(const Search* s, const hfiTreeLeaf* leaf, int first) {
  const hfiFour *x = (const hfiFour*)(leaf->x[0] + first), *y = (const hfiFour*)(leaf->x[1] + first), *z = (const hfiFour*)(leaf->x[2] + first);
  return s->f.n.x * *x + s->f.n.y * *y + s->f.n.z * *z - s->f.offset * *(const hfiFour*)(leaf->x[3] + first);
}

static inline int any_above(hfiFour value, double least) {
  hfiFourBits above = value >= least;
  return (above[0] | above[1] | above[2] | above[3]) != 0;
}

typedef struct Largest {
  int32_t point;
  double value, second; // f of the point, and the largest f of the other points visited
  int wants_second;     // 1: nodes that may contain the second largest are visited too
} Largest;

static void offer_point(Largest* best, int32_t i, double value) {
  if (i == best->point) return;
  if (value > best->value || (value == best->value && i < best->point)) {
    best->second = best->value;
    best->value = value, best->point = i;
  } else {
    best->second = max2(best->second, value);
  }
}

// Points with f below this are of no interest.
static inline double least_wanted(const Largest* best) { return best->wants_second ? best->second : best->value; }

static void offer_leaf(const Search* s, int node, int begin, int end, Largest* best) {
  const hfiTreeLeaf* leaf = s->tree->leaf + leaf_number(s->tree, node);
  for (int first = 0; first < end - begin; first += 4) {
    hfiFour value = four_values(s, leaf, first);
    for (int k = 0; k < imin2(4, end - begin - first) && any_above(value, least_wanted(best)); ++k)
      offer_point(best, s->tree->order[begin + first + k], value[k]);
  }
}

static void find_largest(const Search* s, int node, int level, int begin, int end, Largest* best) {
  if (level == s->tree->depth) {
    offer_leaf(s, node, begin, end, best);
    return;
  }
  int left = 2 * node + 1, middle = (begin + end) / 2;
  double at[2] = {bound(s, left), bound(s, left + 1)};
  for (int k = 0, child = at[1] > at[0]; k < 2; ++k, child = !child)
    if (at[child] >= least_wanted(best)) find_largest(s, left + child, level + 1, child ? middle : begin, child ? end : middle, best);
}

int32_t hfi_tree_largest(const hfiLinearTree* t, const hfiLinear* f, int32_t guess) {
  Search s = start_search(t, f);
  Largest best = {guess, hfi_linear(f, t, guess), -INFINITY, 0};
  find_largest(&s, 0, 0, 0, t->count, &best);
  return best.point;
}

int32_t hfi_tree_two_largest(const hfiLinearTree* t, const hfiLinear* f, int32_t guess, double* second) {
  Search s = start_search(t, f);
  Largest best = {guess, hfi_linear(f, t, guess), -INFINITY, 1};
  find_largest(&s, 0, 0, 0, t->count, &best);
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
  int at = found->count++;
  for (; at > 0 && found->point[at - 1] > point; --at) found->point[at] = found->point[at - 1];
  found->point[at] = point;
  return 1;
}

// Adds the points of a node, [begin, end) in the order of the tree, with f >= least. Returns 0 if there is no room.
static int gather_above(const Search* s, double least, int node, int level, int begin, int end, Found* found) {
  if (!(bound(s, node) >= least)) return 1;
  if (level < s->tree->depth) {
    int middle = (begin + end) / 2;
    return gather_above(s, least, 2 * node + 1, level + 1, begin, middle, found) && gather_above(s, least, 2 * node + 2, level + 1, middle, end, found);
  }
  const hfiTreeLeaf* leaf = s->tree->leaf + leaf_number(s->tree, node);
  for (int first = 0; first < end - begin; first += 4) {
    hfiFour value = four_values(s, leaf, first) + s->slack;
    for (int k = 0; k < imin2(4, end - begin - first) && any_above(value, least); ++k)
      if (value[k] >= least && !insert_point(found, s->tree->order[begin + first + k])) return 0;
  }
  return 1;
}

int hfi_tree_above(const hfiLinearTree* t, const hfiLinear* f, double least, int32_t* found, int capacity) {
  Search s = start_search(t, f);
  Found all = {found, 0, capacity};
  return gather_above(&s, least, 0, 0, 0, t->count, &all) ? all.count : -1;
}
