// An index that makes queries of a large hull fast. It is made once for each mesh that can touch something. It changes
// no answer: a hull without index gives the same bits by visiting all its vertices or faces.
#ifndef HFI_GEOMETRY_HULL_INDEX_H
#define HFI_GEOMETRY_HULL_INDEX_H

#include "step/geometry/linear_tree.h"
#include "model/hull.h"

enum { HFI_CELL_GRID = 8, HFI_CELLS = 6 * HFI_CELL_GRID * HFI_CELL_GRID, HFI_CELL_VERTICES = 15 };

// The farthest vertices along the directions of a cell.
typedef struct hfiDirectionCell {
  int32_t count; // 0: there are too many, and only the first one is listed
  // The first one is farthest along the middle of the cell. Some of the others may be farthest nowhere.
  int32_t vertex[HFI_CELL_VERTICES];
  int32_t face; // the face whose normal is nearest to the middle of the cell
} hfiDirectionCell;

typedef struct hfiHullIndex {
  hfiLinearTree vertex;
  hfiLinearTree face; // faces by normal and offset
  hfiDirectionCell cell[HFI_CELLS];
} hfiHullIndex;

// With an arena without memory it only plans the size.
void hfi_hull_index_init(hfiHullIndex* index, const hfiHull* hull, hfiArena* arena);

// The cell that the direction d belongs to.
const hfiDirectionCell* hfi_hull_cell(const hfiHullIndex* index, hfVec3 d);

// The face of a hull whose normal is nearest to d; the first one if several are equal.
int32_t hfi_nearest_normal(const hfiHull* hull, hfVec3 d);

// The face above whose plane the point x is highest, or below whose plane it is least deep; the first one if several
// are equal. guess: a face that may be the one, which makes the search faster and changes no answer; -1: none.
int32_t hfi_highest_face(const hfiHull* hull, hfVec3 x, int32_t guess);

// The face of a hull whose normal was nearest to the unit direction d. The normals of all others have a cosine of at
// most `second` with d. All zero: none is known.
typedef struct hfiFacing {
  hfVec3 d;
  double second;
  int32_t face;
} hfiFacing;

// hfi_nearest_normal of a unit direction, with a memory that saves work and changes no answer.
int32_t hfi_facing_face(const hfiHull* hull, hfVec3 d, hfiFacing* last);

#endif
