// The inside of the solver, which only the files of this folder and their tests see. Others use solver.h.
#ifndef HFI_SOLVE_INSIDE_H
#define HFI_SOLVE_INSIDE_H

#include "step/solve/island.h"    // an island: a copy of part of the step problem
#include "step/solve/stack.h"     // products with the stacked Jacobians
#include "step/solve/system.h"    // the equations of an island: impulses, residual, Newton matrix, norms
#include "step/solve/newton.h"    // Newton's method and its line searches
#include "step/solve/heap.h"      // what heaps need beyond it
#include "step/solve/tree_rows.h" // one step on the problem itself, for rows of few trees
#include "step/solve/solver.h"    // the interface

#endif
