// What makes questions to a large hull fast: made once for each mesh that can touch something, and never needed
// for an answer. A hull without index gives the same bits by visiting all its vertices or faces.
#ifndef HFI_GEOMETRY_HULL_INDEX_H
#define HFI_GEOMETRY_HULL_INDEX_H

#include "geometry/linear_tree.h"
#include "model/hull.h"

enum { HFI_CELL_GRID = 8, HFI_CELLS = 6 * HFI_CELL_GRID * HFI_CELL_GRID, HFI_CELL_VERTICES = 15 };

// The farthest vertices along the directions of a cell.
typedef struct hfiDirectionCell {
  int32_t count;                     // 0: they are too many, and only the first is listed
  int32_t vertex[HFI_CELL_VERTICES]; // the first: along the middle of the cell. Beside the farthest ones others may be listed.
} hfiDirectionCell;

typedef struct hfiHullIndex {
  hfiLinearTree vertex, face; // faces by normal and offset
  hfiDirectionCell cell[HFI_CELLS];
} hfiHullIndex;

// Over an arena without memory this only plans.
void hfi_hull_index_init(hfiHullIndex* index, const hfiHull* hull, hfiArena* arena);

// The cell that the direction d belongs to.
const hfiDirectionCell* hfi_hull_cell(const hfiHullIndex* index, hfVec3 d);

#endif
