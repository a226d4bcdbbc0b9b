// Which pairs of geoms may touch: a symmetric bit matrix, made once from the model.
#ifndef HFI_GEOMETRY_FILTER_H
#define HFI_GEOMETRY_FILTER_H

#include "base/arena.h"
#include <holdfast/model.h>

typedef struct hfiFilter {
  int32_t ngeom;
  int32_t npair;   // pairs a < b that may touch
  uint64_t* bits;  // (ngeom x words) row a: bit b set for b > a
  int32_t words;
} hfiFilter;

void hfi_filter_init(hfiFilter* filter, const hfModel* model, hfiArena* arena);

// May geoms a < b touch?
static inline int hfi_filter_test(const hfiFilter* f, int a, int b) {
  return (int)(f->bits[(size_t)a * (size_t)f->words + (size_t)(b >> 6)] >> (b & 63) & 1);
}

#endif
