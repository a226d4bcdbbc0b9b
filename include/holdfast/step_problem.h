// The step problem: everything a discrete-time solver may know, and nothing else.
//
//   r(v) = A v - p* - sum_b J_b^T gamma_b(s_b) = 0,    s_b = J_b v + drift_b,    A = M + diag
//
//   v      generalised velocities at the end of the step (nv)
//   M      mass matrix at the start of the step, block-diagonal by kinematic tree
//   diag   implicit joint damping and springs, h (c + h k) per dof
//   p*     free momentum M v0 + h tau [kg m/s, kg m^2/s]
//   drift  velocities that moving surfaces, belts, add to the rows of contacts, and what the normal row lacks of the mean velocity where
//          curved surfaces roll; mostly there are none
//   gamma  impulses [N s] of rows grouped in blocks, each with a sparse Jacobian and a tagged law
//
// Two laws serve everything (docs/theory/one-law.md):
//
//   saturated row   gamma/h = clamp(-kappa (s - s0), lo, hi)
//                   joint limit (lo = 0), joint friction, drive with effort limit, coupling, equality
//   contact         normal force and the friction it bounds, together (hfContactLaw)
//
// A problem can be written to a file and solved again alone (hf_step_problem_write, _read).
#ifndef HOLDFAST_STEP_PROBLEM_H
#define HOLDFAST_STEP_PROBLEM_H

#include <holdfast/law.h>
#include <holdfast/methods.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

// A part of a block's Jacobian on one kinematic tree.
typedef struct hfStepPiece {
  int32_t tree;
  int32_t ncol; // columns that may be non-zero
  int32_t col;  // their dofs, local to the tree, ascending: cols[col .. col + ncol)
  int32_t jac;  // values: J[jac .. jac + dim*ncol), row-major (dim x ncol)
} hfStepPiece;

typedef struct hfStepBlock {
  int32_t law;    // hfLawKind
  int32_t dim;    // rows, 1 to 6
  int32_t row;    // first row in the impulse vector; rows of block b follow those of b - 1
  int32_t param;  // first of `dim` saturated rows, or the contact
  int32_t piece;  // first piece
  int32_t npiece; // pieces on distinct trees, at least 1
} hfStepBlock;

typedef struct hfStepProblem {
  double h; // [s]
  int32_t nv, ntree, nblock, nrow, npiece, ncol, njac, nsaturated, ncontact;

  int32_t* tree_start;        // (ntree + 1) first dof of each tree; tree_start[ntree] = nv
  int32_t* M_start;           // (ntree + 1) offset of each tree's block in M
  double* M;                  // (M_start[ntree]) dense symmetric blocks, row-major
  double* diag;               // (nv)
  double* p;                  // (nv) p*
  double* v0;                 // (nv) velocity at the start of the step: the first guess
  hfStepBlock* block;         // (nblock)
  hfStepPiece* piece;         // (npiece)
  int32_t* cols;              // (ncol)
  double* J;                  // (njac)
  hfSaturatedRow* saturated;  // (nsaturated)
  hfContactLaw* contact;      // (ncontact)
  double* drift;              // (nrow), 0 for saturated rows; NULL: all are zero [m/s, rad/s]
} hfStepProblem;

// Refuses a problem whose indices, sizes or numbers are not what the comments above say.
HF_API hfStatus hf_step_problem_validate(const hfStepProblem* problem, hfError* error);

// Largest sizes a solver must be ready for; memory is planned from it once. Room for the factors is
// reserved for full fill (nv^2 numbers); pages that no problem needs are never touched.
typedef struct hfStepCapacity {
  int32_t nv, ntree, nblock, nrow, npiece, ncol, njac;
  int32_t max_tree_nv; // dofs of the largest tree
  hfAllocator allocator; // allocator of the solver's memory; all zero: the C library's
} hfStepCapacity;

// The capacity that a problem needs.
HF_API hfStepCapacity hf_step_problem_capacity(const hfStepProblem* problem);

// A text file with 17 significant digits: what is read is bitwise what was written.
HF_API hfStatus hf_step_problem_write(const hfStepProblem* problem, const char* path, hfError* error);
// Allocates; free with hf_step_problem_free. On refusal *problem is untouched.
HF_API hfStatus hf_step_problem_read(hfStepProblem** problem, const char* path, hfError* error);
HF_API void hf_step_problem_free(hfStepProblem* problem);

#ifdef __cplusplus
}
#endif
#endif
