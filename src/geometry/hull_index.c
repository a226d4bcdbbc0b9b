// Index of a hull, see hull_index.h. Directions are divided as the six sides of a cube, each into a grid of squares.
#include "geometry/hull_index.h"

// Direction through the middle of cell (i, j) of side `side`: axis side / 2, negative where side is odd.
static hfVec3 middle_of_cell(int side, int i, int j) {
  double x[3], step = 2.0 / HFI_SEED_GRID;
  x[side / 2] = side % 2 ? -1 : 1;
  x[(side / 2 + 1) % 3] = (i + 0.5) * step - 1;
  x[(side / 2 + 2) % 3] = (j + 0.5) * step - 1;
  return v3_load(x);
}

static int square_of(double x, double length) { return imin2((int)((x / length + 1) * (0.5 * HFI_SEED_GRID)), HFI_SEED_GRID - 1); }

int32_t hfi_hull_seed(const hfiHullIndex* index, hfVec3 d) {
  const double x[3] = {d.x, d.y, d.z}, size[3] = {fabs(d.x), fabs(d.y), fabs(d.z)};
  int axis = size[2] >= size[0] && size[2] >= size[1] ? 2 : size[1] >= size[0] ? 1 : 0;
  if (!(size[axis] > 0) || !v3_finite(d)) return index->seed[0];
  int i = square_of(x[(axis + 1) % 3], size[axis]), j = square_of(x[(axis + 2) % 3], size[axis]), side = 2 * axis + (x[axis] < 0);
  return index->seed[(side * HFI_SEED_GRID + i) * HFI_SEED_GRID + j];
}

void hfi_hull_index_init(hfiHullIndex* index, const hfiHull* hull, hfiArena* arena) {
  hfi_tree_init(&index->vertex, hull->nvert, 3, hull->vert, arena);
  hfi_tree_init(&index->face, hull->nface, 4, hull->face_plane, arena);
  for (int k = 0; index->vertex.order && k < HFI_SEEDS; ++k) {
    hfiLinear along = {middle_of_cell(k / (HFI_SEED_GRID * HFI_SEED_GRID), k / HFI_SEED_GRID % HFI_SEED_GRID, k % HFI_SEED_GRID), 0};
    index->seed[k] = hfi_tree_largest(&index->vertex, &along);
  }
}
