// Whether two states belong to one model, by the sizes that a model determines; and whether two states are the same. Their room for remembered
// contacts may differ.
#ifndef HFI_MODEL_STATE_SIZES_H
#define HFI_MODEL_STATE_SIZES_H

#include <holdfast/state.h>

static inline int hfi_state_same_sizes(const hfState* a, const hfState* b) {
  return a->nq == b->nq && a->nv == b->nv && a->na == b->na && a->ndiscrete == b->ndiscrete && a->nfriction == b->nfriction &&
         a->nhistory == b->nhistory && a->nrest == b->nrest;
}

// Are all bits that influence the future, except the time, the same?
int hfi_state_same_but_time(const hfState* a, const hfState* b);

#endif
