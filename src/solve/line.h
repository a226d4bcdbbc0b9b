// The residual along a Newton step.
#ifndef HFI_SOLVE_LINE_H
#define HFI_SOLVE_LINE_H

#include "solve/island.h"

// From a step that went from v1, s1 to v = v1 + alpha dv and left the residual g(alpha) = dv'r there,
// g(0) = start < 0 < g(alpha): the largest known point with start/2 <= g <= 0.
double hfi_line_cut(hfiIsland* I, int coupling, double alpha, double start, double end);

#endif
