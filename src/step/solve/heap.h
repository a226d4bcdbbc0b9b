// What the solution of a heap, an island of many trees, has beyond Newton's method (docs/theory/heaps.md): friction
// forces as unknowns (dual.c), and first iterations on soft laws (soft.c, soft_contact.c), which may be damped
// (damp.c).
#ifndef HFI_SOLVE_HEAP_H
#define HFI_SOLVE_HEAP_H

#include "step/solve/newton.h"

// ---- dual.c: friction duals, friction forces as unknowns of Newton's method ---------------------------

// In an island of up to this many trees, the search over rows takes as few iterations as friction duals
// (docs/theory/heaps.md).
enum { HFI_FEW_TREES = 8 };

// Is the island a heap? There the search over rows would take tiny steps, and friction duals are used.
static inline int hfi_use_friction_duals(const hfiIsland* I) { return I->ntree > HFI_FEW_TREES; }

// Sets all friction duals to zero, their value while nothing is known about the friction forces.
void hfi_dual_reset(hfiIsland* I);
// Evaluates the friction groups of all contacts at I->rows.s with the normal forces of I->rows.response.
// hfi_dual_update needs them.
void hfi_dual_evaluate(hfiIsland* I);
// Evaluates the friction groups like hfi_dual_evaluate, and replaces gtt in the responses by the matrix G of dual.c.
void hfi_dual_set_responses(hfiIsland* I);
// Does the same as hfi_dual_set_responses for contact k, and sets its friction impulses. The caller has set `pi` of its
// response, the normal force that bounds friction.
void hfi_dual_respond_contact(hfiIsland* I, int32_t k);
// Updates the friction duals of all contacts, or of contact k, for a full Newton step to I->rows.s1 from I->rows.s, at
// which the groups were evaluated.
void hfi_dual_update(hfiIsland* I);
void hfi_dual_update_contact(hfiIsland* I, int32_t k);

// ---- soft_contact.c: the soft laws of the contacts and their estimated forces pi0 and f0 --------------

static inline int hfi_is_contact(const hfiIsland* I, int32_t k) { return I->block[k].law == HF_LAW_CONTACT; }
// Returns the normal force of the soft law of contact k at the normal velocity vn. It is negative if the law would
// pull.
static inline double hfi_soft_normal_force(const hfiIsland* I, int32_t k, double vn) {
  return I->forces.law[k].stiffness * (I->forces.law[k].depth - I->problem->h * vn);
}

// Sets pi0 and f0 of all contacts to their first values at I->rows.s. I->dofs.r must be the residual of the true laws
// there. Returns whether some contact was not in an earlier solution of this step.
int hfi_soft_start_forces(hfiIsland* I);
// Computes the soft law of contact k for the present pi0 and f0, and replaces the true law in its block by it.
void hfi_soft_begin_iteration(hfiIsland* I, int32_t k, double cap);
// Sets pi0, f0 and the friction duals of contact k to those of the soft law at I->rows.s1, and puts the true law back
// into the block. The duals must have been updated for I->rows.s1.
void hfi_soft_end_iteration(hfiIsland* I, int32_t k);

// Clamps the friction forces of contact k to their bounds and sets its duals to match. The block may have its soft or
// its true law.
void hfi_soft_bound_friction(hfiIsland* I, int32_t k);
// Sets the friction duals of contact k to f0 divided by the bounds of friction.
void hfi_soft_set_duals(hfiIsland* I, int32_t k);
// Scales the forces f of friction group g down to the bound if they exceed it.
void hfi_clamp_group(double* f, int g, double bound);

// ---- damp.c: damping of the soft iterations of a large heap, and of one in which Newton's method stalled --

// A heap of more trees than this is large: its iterations are damped from the start. In a smaller heap damping costs as
// many iterations as it saves, unless Newton's method stalls.
enum { HFI_MANY_TREES = 500 };

// Resets the damping of contact k: its first changes are taken whole.
void hfi_damp_begin(hfiIsland* I, int32_t k);
// Returns the damped normal force of contact k after an iteration that ends with the force `next` of its soft law; 0 if
// the contact opens.
double hfi_damp_normal_force(const hfiIsland* I, int32_t k, double next);
// Moves the friction forces of contact k towards f (dim - 1), and the normal force that bounds friction,
// I->forces.lag[k], towards `next`.
void hfi_damp_friction(hfiIsland* I, int32_t k, double next, const double* f);
// Adds `extra` times their last changes to pi0, I->forces.lag and the friction forces of contact k, if the contact
// acted before and after these changes. The friction forces may exceed their bounds afterwards. Returns whether it
// changed the forces.
int hfi_damp_extrapolate(hfiIsland* I, int32_t k, double extra);

// ---- soft.c: solution of a heap, first by iterations on soft laws, then by Newton's method on the true laws --

// State of the iterations on soft laws of one island. hfi_soft_begin sets it.
typedef struct hfiSoft {
  double cap;         // largest slope of a soft law, relative to 1/(h W) of its row (soft.c) [-]
  double close;       // Newton's method takes over below this residual of the true laws, relative to its scale [-]
  int32_t iterations; // number of factorisations so far
} hfiSoft;

// Chooses the first forces at I->dofs.v. A contact that an earlier solution of the step had (I->known.rows) starts with
// the forces and friction duals of that solution. The duals of other contacts start with zero. All contacts must have
// anchored friction. Returns 0 if no soft iterations are needed before Newton's method: the residual of the true laws
// at I->dofs.v is small. In a large heap all of whose contacts have forces of the earlier solution it must be smaller.
int hfi_soft_begin(hfiIsland* I, hfiSoft* soft);
// Iterates until the residual of the true laws is below soft->close, at most `most` times. Newton's method can continue
// from I->dofs.v, I->rows.s and the friction duals. Returns 0 if an iteration had no finite step.
int hfi_soft_approach(hfiIsland* I, hfiSoft* soft, int32_t most);

// Iterates on soft laws from I->dofs.v = I->dofs.v0 and sets the impulses to the forces of the last iteration. This is
// an estimate, from which hfi_soft_solve can continue. The result is converged if there is an estimate. It is not
// converged if no soft iterations are needed (hfi_soft_begin).
hfiNewtonResult hfi_soft_estimate(hfiIsland* I, const hfSolverConfig* config);

// Solves the problem with two-way coupling from I->dofs.v = I->dofs.v0 by soft iterations and Newton's method. If that
// fails, or if some contact has no anchored friction, the result is not converged and I->dofs.v is I->dofs.v0.
hfiNewtonResult hfi_soft_solve(hfiIsland* I, const hfSolverConfig* config);

#endif
