// The soft law of a contact, which goes through its estimated forces pi0 and f0, and how these forces start and change.
// The equations and their symbols are at the head of soft.c.

#include "step/solve/inside.h"

#include "base/compile.h"
#include "math/vec3.h"

#include <string.h>

// The impulse of a contact is not balanced if the residual of its bodies is at least this share of it [-]. With 0.2 and
// 1 heaps take as many iterations.
static const double UNBALANCED = 0.5;

// Returns vn(pi) of a contact and sets *slope = -dpi/dvn there, which is k times the root of the quadratic equation's
// discriminant. The equation is h d vn^2 - b vn + c = 0 (soft.c); vn is its smaller root, in the form that loses no
// digits. b here is no bound.
static double find_normal_velocity(const hfContactLaw* law, double h, double pi, double* slope) {
  double d = law->dissipation;
  double b = d * law->depth + h;
  double c = law->depth - pi / law->stiffness;
  double root = sqrt(max2(0, b * b - 4 * h * d * c));
  *slope = law->stiffness * root;
  return b > 0 ? 2 * c / (b + root) : (b - root) / (2 * h * d);
}

// Writes the soft law of friction group g to *out. It is anchored friction with the stiffness rho/h and without
// damping. law: the true law. f: f0 of all friction rows of the contact. rho is at most `most`. Callers pass a constant
// for g.
HFI_FORCE_INLINE void soften_group(const hfContactLaw* law, double h, int g, double most, const double* f,
                                   hfContactLaw* out) {
  double kappa = h * law->k_t[g] + law->c_t[g];
  double rho = min2(kappa, most);
  int row = hfi_group_row(g);
  out->k_t[g] = rho / h;
  if (!(kappa > 0)) return;

  // y at s = 0 is f0 - rho s(f0)
  for (int i = row; i < row + hfi_group_dim(g); ++i)
    out->xi0[i] = (f[i] - rho * (f[i] - law->k_t[g] * law->xi0[i]) / kappa) * h / rho;
}

// Sets the terms of the soft law of contact k that do not change between iterations.
static void copy_constant_terms(hfiIsland* I, int32_t k) {
  hfContactLaw* out = I->forces.law + k;
  *out = *I->block[k].contact;
  out->dissipation = 0;
  for (int g = 0; g < 3; ++g) out->c_t[g] = 0;
}

// Computes the soft law of contact k, which must act, from its true law, which must be in its block. I->forces.friction
// has f0. cap: largest slope, relative to 1/(h W) [-].
static void compute_soft_law(hfiIsland* I, int32_t k, double cap) {
  const hfiIslandBlock* b = I->block + k;
  const hfContactLaw* law = b->contact;
  hfContactLaw* out = I->forces.law + k;
  const double* W = I->forces.inverse_mass + b->row;
  const double* f = I->forces.friction + b->row + 1;
  double h = I->problem->h;
  double pi = I->forces.pi0[k];

  double slope;
  double vn = find_normal_velocity(law, h, pi, &slope);
  out->stiffness = min2(slope, cap / (h * W[0])) / h;
  out->depth = h * vn + pi / out->stiffness;

  if (b->dim >= 3) soften_group(law, h, HF_SLIDING, cap / (h * W[1]), f, out);
  if (b->dim >= 4) soften_group(law, h, HF_TORSION, cap / (h * W[3]), f, out);
  if (b->dim >= 6) soften_group(law, h, HF_ROLLING, cap / (h * W[4]), f, out);
}

// Returns the normal force [N] that stops the two bodies of contact k if nothing else acts on them, or 0 if the row
// velocities s (of the island) do not close the contact. law: its true law.
static double find_stopping_force(const hfiIsland* I, int32_t k, const hfContactLaw* law, const double* s) {
  double h = I->problem->h;
  double slope;
  double opening_speed = find_normal_velocity(law, h, 0, &slope); // vn at which the contact has no force
  int32_t row = I->block[k].row;
  return max2(0, opening_speed - s[row]) / (h * I->forces.inverse_mass[row]);
}

// Scales the forces f of friction group g down to the bound if they exceed it.
void hfi_clamp_group(double* f, int g, double bound) {
  double norm = hfi_group_dim(g) == 2 ? sqrt(sqr(f[0]) + sqr(f[1])) : fabs(f[0]);
  if (!(norm > bound)) return;
  for (int i = 0; i < hfi_group_dim(g); ++i) f[i] *= bound / norm;
}

// Returns the norm of the residual of the bodies that contact k acts on [sqrt(kg) m/s].
static double find_residual_of_bodies(const hfiIsland* I, int32_t k) {
  const hfiStack* stack = I->stacks.list + I->block[k].stack;
  double sum = 0;
  for (int32_t c = 0; c < stack->ncol; ++c) sum += sqr(I->dofs.r[stack->dof[c]]) * I->dofs.inverse_diag[stack->dof[c]];
  return sqrt(sum);
}

// Can the normal force pi at the start of the step be near the force of the answer? For a deep contact of a fast body
// the law of Hunt and Crossley gives a force that is far too large for any answer. Its impulse would change the momenta
// by more than the momentum of the whole island, and nothing balances it, so that the residual of the bodies has its
// size. A contact at the bottom of a large heap may have such an impulse, too, but that one is balanced by the other
// contacts of its bodies.
static int is_plausible(const hfiIsland* I, int32_t k, double pi) {
  double inverse_mass = I->forces.inverse_mass[I->block[k].row];
  double impulse = I->problem->h * pi * sqrt(inverse_mass); // as a change of momenta [sqrt(kg) m/s]
  return impulse <= I->dofs.p_norm || find_residual_of_bodies(I, k) < UNBALANCED * impulse;
}

// Returns the normal force with which contact k starts: the force at the start of the step if it is plausible, or else
// the force that alone stops its bodies.
static double find_first_normal_force(const hfiIsland* I, int32_t k) {
  const hfContactLaw* law = I->block[k].contact;
  double pi = law->normal_force0;
  return pi > 0 && is_plausible(I, k, pi) ? pi : find_stopping_force(I, k, law, I->rows.s);
}

// Sets the friction duals of contact k to f0 divided by the bounds of friction.
void hfi_soft_set_duals(hfiIsland* I, int32_t k) {
  const hfiIslandBlock* b = I->block + k;
  const double* f = I->forces.friction + b->row + 1;
  double* w = I->duals.w + b->row + 1;
  for (int i = 0; i + 1 < b->dim; ++i) {
    double bound = b->contact->mu[hfi_row_group(i + 1)] * I->forces.lag[k];
    w[i] = bound > 0 ? f[i] / bound : 0;
  }
}

// Was contact k in an earlier solution of this step? I->dofs.v0 has the velocities of that solution.
static int was_solved_before(const hfiIsland* I, int32_t k) { return I->block[k].source < I->known.rows; }

// Sets the first values of lag (from which pi0 is copied) and f0 of contact k: the forces of an earlier solution, or
// else the forces at the start of the step. Sets the friction duals to match the forces of an earlier solution; the
// duals of other contacts stay zero, because nothing is known about their slip.
static void start_forces(hfiIsland* I, int32_t k) {
  const hfiIslandBlock* b = I->block + k;
  const hfContactLaw* law = b->contact;
  hfiForceEstimates* forces = &I->forces;
  double* f = forces->friction + b->row + 1;

  // what does not change between iterations
  const double* weight = hfi_system_row_weights(I) + b->row;
  for (int i = 0; i < b->dim; ++i) forces->inverse_mass[b->row + i] = sqr(weight[i]);
  forces->other_law[k] = forces->law + k;
  copy_constant_terms(I, k);

  // the forces of an earlier solution
  if (was_solved_before(I, k)) {
    const double* gamma = I->known.impulse + b->source;
    double h = I->problem->h;
    forces->lag[k] = gamma[0] / h;
    for (int i = 0; i + 1 < b->dim; ++i) f[i] = -gamma[i + 1] / h;
    hfi_soft_set_duals(I, k);
    return;
  }

  // the forces at the start of the step; a contact that did not touch then starts without friction
  int touched = law->normal_force0 > 0;
  forces->lag[k] = find_first_normal_force(I, k);
  for (int i = 0; i + 1 < b->dim; ++i) f[i] = law->k_t[hfi_row_group(i + 1)] * law->xi0[i];
  for (int g = 0; g < hfi_group_count(b->dim); ++g)
    hfi_clamp_group(f + hfi_group_row(g), g, touched ? law->mu[g] * forces->lag[k] : 0);
}

// Clamps the friction forces of contact k to their bounds and sets its duals to match.
void hfi_soft_bound_friction(hfiIsland* I, int32_t k) {
  const hfiIslandBlock* b = I->block + k;
  double* f = I->forces.friction + b->row + 1;
  for (int g = 0; g < hfi_group_count(b->dim); ++g)
    hfi_clamp_group(f + hfi_group_row(g), g, b->contact->mu[g] * I->forces.lag[k]);
  hfi_soft_set_duals(I, k);
}

// Exchanges the law in the block of contact k with the other of its two laws, true and soft.
static void exchange_law(hfiIsland* I, int32_t k) {
  const hfContactLaw* law = I->block[k].contact;
  I->block[k].contact = I->forces.other_law[k];
  I->forces.other_law[k] = law;
}

// Puts the soft law of contact k into its block. Of an open contact only the friction coefficients of the soft law are
// read.
void hfi_soft_begin_iteration(hfiIsland* I, int32_t k, double cap) {
  if (I->forces.pi0[k] > 0) compute_soft_law(I, k, cap);
  exchange_law(I, k);
}

// Sets pi0 and f0 of contact k, and lag, to the forces of its soft law at I->rows.s1; in a damped heap, moves them
// towards these forces. The block must have its soft law, so that other_law is the true one. The friction duals are
// relative to the old bound of friction. They are replaced by f0 divided by the new bound.
static void update_forces(hfiIsland* I, int32_t k) {
  const hfiIslandBlock* b = I->block + k;
  const hfContactLaw* law = b->contact;
  hfiForceEstimates* forces = &I->forces;
  const double* w = I->duals.w + b->row + 1;
  double bound = forces->lag[k]; // normal force that bounded friction in this iteration

  // normal force: that of the soft law, or the one that stops the bodies of an open contact
  double next;
  if (forces->pi0[k] > 0) {
    next = hfi_soft_normal_force(I, k, I->rows.s1[b->row]);
    next = forces->is_damped ? hfi_damp_normal_force(I, k, next) : max2(0, next);
  } else
    next = find_stopping_force(I, k, forces->other_law[k], I->rows.s1);

  // friction forces at the end of the iteration, before damping
  double f1[5];
  for (int i = 0; i + 1 < b->dim; ++i) f1[i] = law->mu[hfi_row_group(i + 1)] * bound * w[i];
  if (forces->is_damped)
    hfi_damp_friction(I, k, next, f1);
  else {
    memcpy(forces->friction + b->row + 1, f1, sizeof *f1 * (size_t)(b->dim - 1));
    forces->lag[k] = next;
  }

  forces->pi0[k] = next;
  hfi_soft_bound_friction(I, k);
}

// Takes the forces of the soft law of contact k at the end of an iteration, and puts its true law back.
void hfi_soft_end_iteration(hfiIsland* I, int32_t k) {
  update_forces(I, k);
  exchange_law(I, k);
}

// ---- all contacts -----------------------------------------------------------------------------------

// Sets pi0 and f0 of all contacts to their first values. Returns whether some contact was in no earlier solution.
int hfi_soft_start_forces(hfiIsland* I) {
  int unknown = 0;
  for (int32_t k = I->nscalar; k < I->nblock; ++k) {
    if (!hfi_is_contact(I, k)) continue;
    start_forces(I, k);
    I->forces.pi0[k] = I->forces.lag[k];
    unknown |= !was_solved_before(I, k);
  }
  return unknown;
}

