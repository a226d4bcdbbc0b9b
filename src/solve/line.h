// The residual along a Newton step.
#ifndef HFI_SOLVE_LINE_H
#define HFI_SOLVE_LINE_H

#include "solve/island.h"

// After a step from v1, s1 to v = v1 + alpha dv, along which g(alpha) = dv'r went from start < 0 to
// end > 0: the part of alpha after which g is small.
double hfi_line_cut(hfiIsland* I, int coupling, double alpha, double start, double end);

#endif
