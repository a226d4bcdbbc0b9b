// The residual along a Newton step.
#ifndef HFI_SOLVE_LINE_H
#define HFI_SOLVE_LINE_H

#include "solve/island.h"

// Called after a step from v1, s1 to v = v1 + alpha dv along which g = dv'r changed from `start` < 0 to `end` > 0. Returns a smaller alpha at which |g|
// is small. Changes I->s and I->gamma; v1 and s1 are kept.
double hfi_line_cut(hfiIsland* I, int coupling, double alpha, double start, double end);

#endif
