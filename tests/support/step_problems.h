// Step problems for tests and benchmarks: a builder, and random ones that are physical but harsh.
#ifndef HF_TESTS_STEP_PROBLEMS_H
#define HF_TESTS_STEP_PROBLEMS_H

#include "support/random.h"

#include <holdfast/solver.h>

// Grows as needed and keeps its memory when reset.
typedef struct problemBuilder {
  hfStepProblem P;
  size_t capacity[12];
} problemBuilder;

void problem_reset(problemBuilder* b, double h);
void problem_release(problemBuilder* b);
// M (nv x nv); diag, p, v0 may be NULL for zero.
int problem_add_tree(problemBuilder* b, int nv, const double* M, const double* diag,
                     const double* p, const double* v0);
void problem_add_contact(problemBuilder* b, int dim, const hfContactLaw* law);
void problem_add_saturated(problemBuilder* b, int dim, const hfSaturatedRow* rows);
// Adds to the last block. cols may be NULL for all columns of the tree; J (dim x ncol).
void problem_add_piece(problemBuilder* b, int tree, int ncol, const int32_t* cols, const double* J);

// The largest of each number.
hfStepCapacity capacity_union(hfStepCapacity a, hfStepCapacity b);

// Stiffness 1e2-1e7 N/m, mu 0-2, masses 1e-3-1e3 kg, 1 to max_contacts contacts, redundant and
// duplicated ones, steps 1e-4-3e-2 s, every friction law, saturated rows mixed in.
void problem_random(problemBuilder* b, testRandom* r, int max_contacts);

// r(v) = A v - p* - J^T gamma of a given answer, straight from the definition; returns |r| over
// max(|p*|, |J^T gamma|), with 1/A_ii as weight.
double problem_residual(const hfStepProblem* P, const double* v, const double* impulse);
// What rounding leaves of J^T gamma where impulses cancel: eps |sum |J| |gamma||, over the same
// scale.
double problem_rounding(const hfStepProblem* P, const double* impulse);

#endif
