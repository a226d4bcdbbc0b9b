// The hinges and slides that have a range, in arrays that are read several joints at a time.
#ifndef HFI_ACTUATION_RANGES_H
#define HFI_ACTUATION_RANGES_H

#include "base/arena.h"

#include <holdfast/model.h>
#include <stdint.h>

typedef struct hfiRanges {
  int32_t n;                         // number of these joints
  int32_t any_ball;                  // 1: balls have limits, too
  int32_t *joint, *qposadr, *dofadr; // (n) ascending, followed by repetitions of the last one up to a multiple of four
  double *low, *high, *margin;       // (n) [rad or m]
} hfiRanges;

// Does any joint have limits?
static inline int hfi_any_range(const hfiRanges* r) { return r->n > 0 || r->any_ball; }

void hfi_ranges_take(hfiRanges* r, const hfModel* m, hfiArena* arena);
// Finds the joints that have a range now: parameters may change.
void hfi_ranges_update(hfiRanges* r, const hfModel* m);

#endif
