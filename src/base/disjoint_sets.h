// Disjoint sets of the numbers 0 to n - 1: parent[i] = i at first. The least number of a set is its root.
#ifndef HFI_BASE_DISJOINT_SETS_H
#define HFI_BASE_DISJOINT_SETS_H

#include <stdint.h>

// The root of the set of i. Halves the paths that it follows.
static inline int32_t hfi_find_set(int32_t* parent, int32_t i) {
  while (parent[i] != i) {
    parent[i] = parent[parent[i]];
    i = parent[i];
  }
  return i;
}

// Joins the sets of a and b.
static inline void hfi_join_sets(int32_t* parent, int32_t a, int32_t b) {
  a = hfi_find_set(parent, a);
  b = hfi_find_set(parent, b);
  if (a < b)
    parent[b] = a;
  else
    parent[a] = b;
}

#endif
