// A solver of step problems that takes the place of the ladder (step/solve) in a method of discrete time. Who creates
// the method hands it in.
#ifndef HFI_DISCRETE_PROBLEM_SOLVER_H
#define HFI_DISCRETE_PROBLEM_SOLVER_H

#include <holdfast/methods.h>
#include <holdfast/step_problem.h>

// What a step does in another way because of its solver.
typedef struct hfiStepPolicy {
  // 1: a contact is not a spring: overlaps are removed, and friction is bounded by another force than the contact's.
  int32_t has_rigid_contacts;
  // 1: a stiff row is not a spring: its force follows from its impulse, because velocities do not determine it.
  int32_t has_rigid_rows;
  int32_t has_row_velocities; // 1: the solver keeps the velocities of all rows at its answer
  int32_t falls_back;         // 1: a problem without an answer is solved by the convex rung of the ladder
  double recovery;            // share of an overlap that a step removes, if contacts are rigid [-]
  double limit_speed;         // a limit has a row if a joint at this speed reaches it within the step [m/s or rad/s]
} hfiStepPolicy;

typedef struct hfiProblemSolver {
  // Creates a solver for problems of this capacity, and says what a step has to do because of it.
  hfStatus (*create)(void** solver, const hfStepCapacity* capacity, const hfSimConfig* config, hfiStepPolicy* policy,
                     hfError* error);
  void (*free)(void* solver);
  // Solves for the velocities v (nv) and impulses (nrow). Status > 0: there is no answer; v and impulse are what came
  // out.
  hfStatus (*solve)(void* solver, const hfStepProblem* problem, double* v, double* impulse, hfSolveReport* report,
                    hfError* error);
} hfiProblemSolver;

#endif
