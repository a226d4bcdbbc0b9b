// What makes questions to a large hull fast: made once for each mesh that can touch something, and never needed
// for an answer. A hull without index gives the same bits by visiting all its vertices or faces.
#ifndef HFI_GEOMETRY_HULL_INDEX_H
#define HFI_GEOMETRY_HULL_INDEX_H

#include "geometry/linear_tree.h"
#include "model/hull.h"

enum { HFI_SEED_GRID = 8, HFI_SEEDS = 6 * HFI_SEED_GRID * HFI_SEED_GRID };

typedef struct hfiHullIndex {
  hfiLinearTree vertex, face; // faces by normal and offset
  int32_t seed[HFI_SEEDS];    // by cell of directions: the farthest vertex along its middle
} hfiHullIndex;

// Over an arena without memory this only plans.
void hfi_hull_index_init(hfiHullIndex* index, const hfiHull* hull, hfiArena* arena);

// Where a climb along d starts best.
int32_t hfi_hull_seed(const hfiHullIndex* index, hfVec3 d);

#endif
