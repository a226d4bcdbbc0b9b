// Impulses of an instant: the least change of motion with which bounded rows reach the velocities that they aim at.
#ifndef HFI_DISCRETE_IMPULSES_H
#define HFI_DISCRETE_IMPULSES_H

#include "step/dynamics/dynamics.h"
#include <holdfast/step_problem.h>

// Which impulses a contact may have.
typedef enum hfiImpulseKind {
  HFI_IMPULSE_NORMAL,  // one row, gamma >= 0
  HFI_IMPULSE_FRICTION // two rows, |gamma| <= bound
} hfiImpulseKind;

// The contacts of one island, in which all trees are connected, and their impulses. Row k of contact i is row first + k
// of its block in the step problem, where first is 0 for normal impulses and 1 for friction.
typedef struct hfiImpulses {
  // the problem
  hfiImpulseKind kind;
  int32_t count;        // number of contacts
  int32_t ntree;        // number of trees
  const int32_t* block; // (count) blocks of the contacts in the step problem
  const int32_t* tree;  // (ntree) trees on which they act
  const int32_t* load;  // (all trees) how many of these contacts act on each of these trees
  double* change;       // (rows of count) change of row velocities that is aimed at [m/s]
  double* bound;        // (count) largest |gamma| of friction [N s]

  // the solution
  double* gamma; // (rows of count) impulses [N s]
  double* dv;    // (nv) change of velocities, M^-1 J^T gamma; only the entries of these trees are written

  // scratch
  double* scale;     // (count) S [1/sqrt(kg)]
  double* gradient;  // (rows of count)
  double* direction; // (rows of count)
  double* product;   // (rows of count) H times a vector
} hfiImpulses;

// Takes storage for problems of up to max_contacts contacts.
void hfi_impulses_init(hfiImpulses* f, const hfModel* model, int max_contacts, hfiArena* arena);
// Computes gamma and dv.
void hfi_impulses_solve(hfiImpulses* f, const hfDynamics* dynamics, const hfStepProblem* problem);
// Computes dv for given gamma.
void hfi_impulses_find_change(hfiImpulses* f, const hfDynamics* dynamics, const hfStepProblem* problem);

#endif
