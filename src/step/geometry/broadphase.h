// Finds the pairs of axis-aligned boxes that overlap. The time is about linear in the number of boxes if they are
// spread out.
#ifndef HFI_GEOMETRY_BROADPHASE_H
#define HFI_GEOMETRY_BROADPHASE_H

#include "base/arena.h"
#include "base/lanes.h"
#include "base/workers.h"
#include "step/geometry/filter.h"
#include "step/geometry/shape.h"

// A pair of geoms that may touch.
typedef struct hfiCandidate {
  int32_t a, b; // a < b
  int32_t pair; // number of the explicit pair, or -1
} hfiCandidate;

// Four boxes side by side: of direction x, y or z the lower sides of all four, and the upper sides.
typedef struct hfiFourBoxes {
  hfiFour lo[3], hi[3];
} hfiFourBoxes;

typedef struct hfiGrid {
  int32_t nbox, nslot; // nslot a power of two
  const int32_t* geom; // (nbox) which geoms the boxes belong to, ascending; NULL: all
  int32_t* slot;       // (nslot) first box of the cell that hashes there, -1: none
  int32_t* next;       // (nbox) next box in the same slot
  uint64_t* cell;      // (nbox) the cell of its centre; a box wider than a cell has none
  double* extent;      // (nbox) width of each box [m]
  hfiFourBoxes* four;  // few boxes, four by four
  int64_t tests;       // box-box tests of the last run, for checking the cost
} hfiGrid;

// With an arena without memory it only plans the size.
void hfi_grid_init(hfiGrid* grid, int nbox, hfiArena* arena);

// Writes the overlapping pairs that the filter allows, sorted by (a, b), and returns their number, at most `capacity`.
// *found: how many there are in truth. Threads of `workers` (or NULL) share the work on many boxes.
int hfi_grid_pairs(hfiGrid* grid, const hfiAabb* box, const hfiFilter* filter, hfiWorkers* workers, hfiCandidate* out,
                   int capacity, int* found);

#endif
