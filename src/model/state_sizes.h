// Whether two states are of one model, by the sizes of what a model decides, and whether they are the same. Their room for remembered contacts may differ.
#ifndef HFI_MODEL_STATE_SIZES_H
#define HFI_MODEL_STATE_SIZES_H

#include <holdfast/state.h>

static inline int hfi_state_same_sizes(const hfState* a, const hfState* b) {
  return a->nq == b->nq && a->nv == b->nv && a->na == b->na && a->ndiscrete == b->ndiscrete && a->nfriction == b->nfriction &&
         a->nhistory == b->nhistory && a->nrest == b->nrest;
}

// Are all bits the same that influence the future, but for the time?
int hfi_state_same_but_time(const hfState* a, const hfState* b);

#endif
