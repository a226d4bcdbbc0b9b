// Methods of discrete time: a world becomes a step problem, and its solution the next state.
#ifndef HFI_DISCRETE_DISCRETE_H
#define HFI_DISCRETE_DISCRETE_H

#include "step/discrete/problem_solver.h"
#include "step/world/method.h"

typedef struct hfiDiscrete hfiDiscrete;

// ---- creation -----------------------------------------------------------------------------------------

// solver: the operations of a solver that takes the place of the ladder, or NULL.
hfStatus hfi_discrete_create(hfiDiscrete** discrete, hfiWorld* world, const hfSimConfig* config,
                             const hfiProblemSolver* solver, hfError* error);
void hfi_discrete_free(hfiDiscrete* discrete);
// Reads parameters anew, after those of the world. resized: 1 if sizes of geoms changed.
void hfi_discrete_refresh(hfiDiscrete* discrete, int resized);
// How many threads of this many can share a step. A model with too few trees for a divided heap needs only one.
int hfi_discrete_useful_threads(const hfModel* model, int threads);
// The configuration; what the caller left open was filled in from the scene.
const hfSimConfig* hfi_discrete_config(const hfiDiscrete* discrete);
// Changes the length of the steps [s].
void hfi_discrete_set_step(hfiDiscrete* discrete, double h);
hfStepCapacity hfi_discrete_capacity(const hfiDiscrete* discrete);

// ---- a step -------------------------------------------------------------------------------------------

// Takes a step. If it is refused, or the solver has no answer, the state stays and out->taken is 0. A refusal of the
// step itself stands in out->trouble; only a solver that was handed in writes `error`.
hfStatus hfi_discrete_step(hfiDiscrete* discrete, hfState* state, const hfInput* input, hfiStepOutput* out,
                           hfError* error);

// After a step: its problem, solution v1 (nv), and contact i with the forces and velocities at its end.
const hfStepProblem* hfi_discrete_read_problem(const hfiDiscrete* discrete);
const double* hfi_discrete_read_solution(const hfiDiscrete* discrete);
hfContact hfi_discrete_contact(const hfiDiscrete* discrete, int i);
// Whether only inertia and gravity acted on a tree in the last step.
int hfi_discrete_tree_flew(const hfiDiscrete* discrete, int tree);
// Whether contacts bounced at the start of the last step, and whether contact i of the world did.
int hfi_discrete_has_impacts(const hfiDiscrete* discrete);
int hfi_discrete_has_bounced(const hfiDiscrete* discrete, int i);

// ---- problems that nobody solves ----------------------------------------------------------------------

// Makes the step problem at a state. Contacts are also predicted with the solution without contacts, where strong
// drives act. The state stays.
const hfStepProblem* hfi_discrete_problem(hfiDiscrete* discrete, const hfState* state, const hfInput* input);
// Makes a step problem of the contacts alone at the world's present point, where mass matrix and bias are known. No
// step is taken from it.
void hfi_discrete_evaluate_contacts(hfiDiscrete* discrete, const hfState* state);
// Contact i of the problem assembled last, which was not solved: the normal force is that of the law at the present
// depth and speed, and there is no friction.
hfContact hfi_discrete_evaluated_contact(const hfiDiscrete* discrete, int i);
// The force (nv) that, added to the input, makes a step from this state end with the velocities v1 (nv) [N, N m]. force
// may be v1.
void hfi_discrete_inverse(hfiDiscrete* discrete, const hfState* state, const hfInput* input, const double* v1,
                          double* force);

// ---- for tables of methods ----------------------------------------------------------------------------

// The operations of an hfiMethod of discrete time (step/world/method.h). Such methods differ in their solver.
hfStatus hfi_discrete_create_method(void** method, hfiWorld* world, const hfSimConfig* config,
                                    const hfiProblemSolver* solver, hfError* error);
void hfi_discrete_free_method(void* method);
hfStatus hfi_discrete_step_method(void* method, hfState* state, const hfInput* input, hfiStepOutput* out,
                                  hfError* error);
int hfi_discrete_count_contacts(const void* method);
hfContact hfi_discrete_read_contact(const void* method, int i);
hfiDiscrete* hfi_discrete_find_maker(void* method);
// Sum of f_n depth/2 over the overlaps at the end of the last step. Rigid overlaps hold nothing, and give what the
// release speed lets them [J].
double hfi_discrete_overlap_energy(const void* method);
// An upper bound on the energy that limits and equalities gave in the last step: the work of those that pulled in the
// direction in which they moved [J].
double hfi_discrete_row_work(const void* method);

// The methods "tamsi" and "convex", for the table of methods.
extern const hfiMethod hfi_method_discrete;

#endif
