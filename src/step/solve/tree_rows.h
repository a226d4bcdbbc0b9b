// A fast solution for an island of one tree, or of a few small trees, whose rows are all saturated, beside contacts
// that no dof moves: a robot that touches nothing, or a turning base that stands on the ground. It is one iteration of
// Newton's method directly on the step problem. There are several trees if, for example, the rotors of a geared robot
// are trees of their own.
#ifndef HFI_SOLVE_TREE_ROWS_H
#define HFI_SOLVE_TREE_ROWS_H

#include "base/finite.h"
#include "step/solve/newton.h"
#include "step/problem/partition.h"

// Is the block a contact of which some dof moves a row? None moves, for example, that of a link that turns about a
// vertical axis with the ground at this axis.
static inline int hfi_is_felt_contact(const hfStepProblem* P, const hfStepBlock* b) {
  if (b->law != HF_LAW_CONTACT) return 0;
  const hfStepPiece* piece = P->piece + b->piece;
  for (int32_t i = 0; i < b->npiece; ++i)
    if (hfi_any_nonzero(P->J + piece[i].jac, b->dim * piece[i].ncol)) return 1;
  return 0;
}

// The arrays to which the answer of an island is written: velocities (nv), impulses (nrow) and row velocities (nrow) of
// the whole problem.
typedef struct hfiAnswer { double *v, *impulse, *s; } hfiAnswer;

// Takes one full Newton step from the velocities of the start. If that solves the island of these members, writes the
// answer, fills *out and returns 1. Otherwise returns 0, and the caller has to use hfi_newton_solve: for example if a
// moving island starts at the answer, if a row limits the step, or if several trees have many dofs. For one tree both
// functions give the same bits; last bits may differ beside contacts that slip, for which hfi_newton_solve has an
// unsymmetric matrix.
int hfi_tree_rows_solve(hfiIsland* I, const hfSolverConfig* config, const hfStepProblem* problem,
                        const hfiMembers* members, const hfiAnswer* answer, hfiNewtonResult* out);

#endif
