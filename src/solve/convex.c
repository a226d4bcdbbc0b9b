// The last rung: with the bound of friction fixed, r(v) is the gradient of the strictly convex
// function
//
//   f(v) = 1/2 v'Av - p*'v + sum_b l_b(J_b v),
//
//   l  normal: integral of the Hunt-Crossley impulse (cubic); friction and saturated rows: Huber
//
// and Newton's method with a line search on its slope converges from anywhere (newton.c, line.c).
//
// The bound pi is that of the start of the step; where a contact had none yet, that of the
// frictionless problem (a bound of zero would make the first step of a touch frictionless). Passes
// then move the bounds towards pi(vn) of the answer, damped, kept only if they lower the residual
// of the coupled problem: where the coupling is weak they find its answer, where it is strong they
// cycle and stop. As the last rung of the ladder, Newton then tries the coupled problem once more
// from there.
#include "solve/convex.h"

#include "math/vec3.h"
#include "solve/dual.h"
#include "solve/system.h"

#include <string.h>

enum { MAX_PASSES = 40 };

static double coupled_residual(hfiIsland* I) {
  hfi_system_respond(I, HF_COUPLING_TWO_WAY);
  hfi_system_residual(I);
  double norm = hfi_system_momentum_norm(I, I->r), scale = hfi_system_scale(I);
  return scale > 0 ? norm / scale : norm;
}

static int is_contact(const hfiIsland* I, int32_t k) { return I->block[k].law == HF_LAW_CONTACT; }

static double normal_force(const hfiIsland* I, int32_t k) {
  double derivative;
  return hfi_contact_normal_force(I->block[k].contact, I->problem->h, I->s[I->block[k].row],
                                  &derivative);
}

static hfiOutcome minimise(hfiIsland* I, const hfSolverConfig* config, int coupling) {
  return hfi_newton_solve(I, config, coupling, HF_RUNG_CONVEX, hfi_dual_serves(I));
}

// Bounds of the first pass. Returns the iterations that took.
static int32_t predict_bounds(hfiIsland* I, const hfSolverConfig* config) {
  int touching = 0;
  for (int32_t k = 0; k < I->nblock; ++k) {
    I->lag[k] = is_contact(I, k) ? I->block[k].contact->normal_force0 : 0;
    if (is_contact(I, k) && !(I->lag[k] > 0)) touching = 1;
  }
  if (!touching) return 0;
  hfiOutcome out = minimise(I, config, HF_COUPLING_FRICTIONLESS);
  for (int32_t k = 0; k < I->nblock; ++k)
    if (is_contact(I, k) && !(I->lag[k] > 0)) I->lag[k] = normal_force(I, k);
  return out.iterations;
}

static void keep_pass(hfiIsland* I) {
  memcpy(I->v_kept, I->v, sizeof(double) * (size_t)I->n);
  memcpy(I->s_kept, I->s, sizeof(double) * (size_t)I->nrow);
  memcpy(I->lag_kept, I->lag, sizeof(double) * (size_t)I->nblock);
}

// s as it was, not J v again: its last digits are what the impulses answer to.
static void restore_pass(hfiIsland* I) {
  memcpy(I->v, I->v_kept, sizeof(double) * (size_t)I->n);
  memcpy(I->s, I->s_kept, sizeof(double) * (size_t)I->nrow);
  memcpy(I->lag, I->lag_kept, sizeof(double) * (size_t)I->nblock);
}

// One pass with bounds moved by `damping` towards pi(vn). Keeps it and returns 1 if the coupled
// residual is lower.
static int try_pass(hfiIsland* I, const hfSolverConfig* config, double damping, hfiOutcome* out,
                    double* coupled) {
  keep_pass(I);
  for (int32_t k = 0; k < I->nblock; ++k)
    if (is_contact(I, k)) I->lag[k] += damping * (normal_force(I, k) - I->lag[k]);
  hfiOutcome next = minimise(I, config, HFI_COUPLING_LAGGED);
  double residual = coupled_residual(I);
  next.iterations += out->iterations;
  next.limited += out->limited;
  if (next.converged && residual < *coupled) {
    *out = next;
    *coupled = residual;
    return 1;
  }
  out->iterations = next.iterations;
  out->limited = next.limited;
  restore_pass(I);
  return 0;
}

// Newton on the coupled problem from the convex answer, which stays where that fails.
static void try_coupled(hfiIsland* I, const hfSolverConfig* config, hfiOutcome* out,
                        double* coupled) {
  keep_pass(I);
  hfiOutcome last = hfi_newton_solve(I, config, HF_COUPLING_TWO_WAY, HF_RUNG_TAMSI, 0);
  out->iterations += last.iterations;
  if (last.converged) {
    out->converged = 1;
    out->residual = *coupled = last.residual;
    return;
  }
  restore_pass(I);
  hfi_system_respond(I, HFI_COUPLING_LAGGED);
}

hfiOutcome hfi_convex_solve(hfiIsland* I, const hfSolverConfig* config, double* coupled) {
  int32_t before = predict_bounds(I, config);
  hfiOutcome out = minimise(I, config, HFI_COUPLING_LAGGED);
  out.iterations += before;
  *coupled = coupled_residual(I);
  double damping = 1;
  for (int pass = 0; pass<MAX_PASSES&& * coupled> config->tolerance && damping > 1e-2; ++pass)
    damping = try_pass(I, config, damping, &out, coupled) ? min2(1, 1.5 * damping) : 0.5 * damping;
  hfi_system_respond(I, HFI_COUPLING_LAGGED);
  if (*coupled > config->tolerance && config->first_rung < HF_RUNG_CONVEX)
    try_coupled(I, config, &out, coupled);
  return out;
}
