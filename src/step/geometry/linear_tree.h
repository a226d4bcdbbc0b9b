// Points in a balanced tree of boxes. Finds the point at which a linear function is largest without visiting all
// points.
#ifndef HFI_GEOMETRY_LINEAR_TREE_H
#define HFI_GEOMETRY_LINEAR_TREE_H

#include "base/arena.h"
#include "math/vec3.h"

// f(x) = n.x - offset x_3, for points of `stride` 4 (the planes of a hull); those of stride 3 have no x_3.
typedef struct hfiLinear {
  hfVec3 n;
  double offset;
} hfiLinear;

typedef struct hfiTreeBox {
  double lo[4], hi[4];
} hfiTreeBox;

enum { HFI_LEAF_POINTS = 32 };

// Coordinates of the points of a leaf, side by side for vectors. A leaf with fewer points repeats its last one; x_3 of
// points of stride 3 is zero.
typedef struct hfiTreeLeaf {
  double x[4][HFI_LEAF_POINTS];
} hfiTreeLeaf;

typedef struct hfiLinearTree {
  int32_t count, stride, depth;
  const double* point; // (count x stride)
  int32_t* order;      // (count) point numbers; a node has a range of them, its two children the halves
  hfiTreeBox* box;     // (2^(depth + 1) - 1) boxes of the nodes; the children of node k are 2 k + 1 and 2 k + 2
  hfiTreeLeaf* leaf;   // (2^depth) the points of the nodes that are not divided
  double scale[2];     // largest of |x_0| to |x_2|, and largest |x_3|: rounding errors are relative to these
} hfiLinearTree;

// With an arena without memory it only plans the size.
void hfi_tree_init(hfiLinearTree* tree, int count, int stride, const double* point, hfiArena* arena);

// f of point i. It has the same bits wherever it is computed.
static inline double hfi_linear(const hfiLinear* f, const hfiLinearTree* tree, int32_t i) {
  const double* x = tree->point + (size_t)i * (size_t)tree->stride;
  double value = v3_dot(f->n, v3_load(x));
  return tree->stride == 4 ? value - f->offset * x[3] : value;
}

// The point with the largest f; the first one if several are equal. guess: any point; the larger its f, the faster the
// search.
int32_t hfi_tree_largest(const hfiLinearTree* tree, const hfiLinear* f, int32_t guess);
// Like hfi_tree_largest. *second: the largest f of all other points.
int32_t hfi_tree_two_largest(const hfiLinearTree* tree, const hfiLinear* f, int32_t guess, double* second);
// Finds the points with f >= least, ascending, perhaps with some whose f is below it by rounding. Returns their number,
// or -1 if there are more than `capacity`.
int hfi_tree_above(const hfiLinearTree* tree, const hfiLinear* f, double least, int32_t* found, int capacity);

#endif
