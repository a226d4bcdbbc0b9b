// The last rung of the ladder: friction is bounded by given normal forces, which are not unknowns.
//
//   lag_k  normal force that bounds the friction of contact k [N]
//   pi_k   normal force of contact k at the answer, a function of its normal velocity [N]
//
// With lag fixed, r(v) is the gradient of the strictly convex function
//
//   f(v) = 1/2 v'Av - p*'v + sum_b l_b(J_b v)
//
//   l_b    potential of block b: the integral of the normal impulse (a cubic), and Huber's function
//          for friction and saturated rows (law.h)
//
// so that Newton's method with a line search on the slope of f converges from any start (newton.c, search.c). The steps
// are:
//
//   1. Set lag to the normal force at the start of the step. For a contact that had no force, set it to the normal
//      force of the frictionless answer: with a bound of zero a new contact would have no friction in its first step.
//   2. Minimise f. This answer always exists.
//   3. Repeat passes that move lag towards pi of the last answer and minimise f again. A pass is kept only if it lowers
//      the residual of the coupled problem, in which lag = pi; otherwise the next pass moves lag by half as much. If
//      the coupling is weak, the passes find the coupled answer. If it is strong, they cycle and stop.
//   4. If other rungs were tried before, try Newton's method on the coupled problem once more from there. In a heap it
//      is tried during the passes, too, each time that the coupled residual has become small enough, with the friction
//      duals of the convex answer.

#include "step/solve/inside.h"

#include "math/vec3.h"

#include <string.h>

enum {
  MAX_PASSES = 40, // number of passes of one solution
  // No pass begins after this many Newton iterations; otherwise a step could take a thousand times the usual time.
  MAX_PASS_ITERATIONS = 1500,
};
// In a heap Newton's method is tried on the coupled problem as soon as its residual is below this share of its scale
// [-].
static const double FIRST_TRY_RESIDUAL = 0.3;
// It is tried again each time that the residual is below this share of the residual at the last try [-].
static const double NEXT_TRY_DECREASE = 0.3;
// Passes stop when lag would move by less than this share of the way to pi [-].
static const double LEAST_MOVE = 1e-2;

// Returns the relative residual [-] of the coupled problem at I->dofs.v and I->rows.s. gamma, the responses and r are
// those of the coupled problem afterwards.
static double compute_coupled_residual(hfiIsland* I) {
  double scale;
  double norm = hfi_system_evaluate(I, HF_COUPLING_TWO_WAY, &scale);
  return scale > 0 ? norm / scale : norm;
}

// Returns pi of contact block k at I->rows.s [N].
static double compute_normal_force(const hfiIsland* I, int32_t k) {
  double derivative; // not used
  return hfi_contact_normal_force(I->block[k].contact, I->problem->h, I->rows.s[I->block[k].row], &derivative);
}

// Minimises f from I->dofs.v for the given coupling, lagged or frictionless.
static hfiNewtonResult minimise(hfiIsland* I, const hfSolverConfig* config, int coupling) {
  hfiDuals duals = hfi_use_friction_duals(I) ? HFI_NEW_DUALS : HFI_NO_DUALS;
  return hfi_newton_solve(I, config, coupling, HF_RUNG_CONVEX, duals);
}

// Sets lag for the first pass. Returns the number of iterations that it needed.
static int32_t choose_first_lag(hfiIsland* I, const hfSolverConfig* config) {
  double* lag = I->forces.lag;
  int unknown = 0; // 1: some contact carried no force at the start of the step
  for (int32_t k = 0; k < I->nblock; ++k) {
    lag[k] = hfi_is_contact(I, k) ? I->block[k].contact->normal_force0 : 0;
    if (hfi_is_contact(I, k) && !(lag[k] > 0)) unknown = 1;
  }
  if (!unknown) return 0;

  // the normal forces of the frictionless answer
  hfiNewtonResult out = minimise(I, config, HF_COUPLING_FRICTIONLESS);
  for (int32_t k = 0; k < I->nblock; ++k)
    if (hfi_is_contact(I, k) && !(lag[k] > 0)) lag[k] = compute_normal_force(I, k);
  return out.iterations;
}

// Saves the answer of a pass.
static void save_pass(hfiIsland* I) {
  memcpy(I->kept.v, I->dofs.v, sizeof(double) * (size_t)I->n);
  memcpy(I->kept.s, I->rows.s, sizeof(double) * (size_t)I->nrow);
  memcpy(I->kept.lag, I->forces.lag, sizeof(double) * (size_t)I->nblock);
}

// Restores the answer that save_pass saved. s is copied and not computed from J v again, because stiff rows turn a
// change in the last digits of s into a change of impulses.
static void restore_pass(hfiIsland* I) {
  memcpy(I->dofs.v, I->kept.v, sizeof(double) * (size_t)I->n);
  memcpy(I->rows.s, I->kept.s, sizeof(double) * (size_t)I->nrow);
  memcpy(I->forces.lag, I->kept.lag, sizeof(double) * (size_t)I->nblock);
}

// Makes one pass: changes lag by `share` of the way to pi and minimises f. Keeps the answer and returns 1 if it lowers
// the coupled residual; otherwise restores the answer before. *out and *coupled belong to the answer that is kept; *out
// also counts the iterations of this pass. The caller must evaluate gamma and the responses again.
static int try_pass(hfiIsland* I, const hfSolverConfig* config, double share, hfiNewtonResult* out, double* coupled) {
  double* lag = I->forces.lag;
  save_pass(I);
  for (int32_t k = 0; k < I->nblock; ++k)
    if (hfi_is_contact(I, k)) lag[k] += share * (compute_normal_force(I, k) - lag[k]);

  hfiNewtonResult next = minimise(I, config, HFI_COUPLING_LAGGED);
  double residual = compute_coupled_residual(I);
  out->iterations += next.iterations;
  out->limited += next.limited;
  if (!next.converged || !(residual < *coupled)) {
    restore_pass(I);
    return 0;
  }

  out->converged = 1;
  out->residual = next.residual;
  *coupled = residual;
  return 1;
}

// Tries Newton's method on the coupled problem from the convex answer, with its friction duals or without. If that
// fails, the convex answer is restored, with the impulses of its lag. *out and *coupled (relative residual of the
// coupled problem) belong to the answer that is left; *out also counts these iterations.
static void try_coupled(hfiIsland* I, const hfSolverConfig* config, hfiDuals duals, hfiNewtonResult* out,
                        double* coupled) {
  save_pass(I);
  hfiNewtonResult last = hfi_newton_solve(I, config, HF_COUPLING_TWO_WAY, HF_RUNG_TAMSI, duals);
  out->iterations += last.iterations;
  if (last.converged) {
    out->converged = 1;
    out->residual = last.residual;
    *coupled = last.residual;
    return;
  }

  restore_pass(I);
  hfi_system_respond(I, HFI_COUPLING_LAGGED);
}

// Solves the convex problem and improves its bounds of friction (newton.h). Leaves v, s, gamma and the responses of the
// answer. *coupled: relative residual of the coupled problem there [-]. The result is converged if v solves the convex
// problem, even if *coupled is large.
hfiNewtonResult hfi_convex_solve(hfiIsland* I, const hfSolverConfig* config, double* coupled) {
  double tolerance = config->tolerance;
  int has_earlier_rungs = config->first_rung < HF_RUNG_CONVEX; // 1: other rungs were tried before

  // the first answer
  int32_t lag_iterations = choose_first_lag(I, config);
  hfiNewtonResult out = minimise(I, config, HFI_COUPLING_LAGGED);
  out.iterations += lag_iterations;
  *coupled = compute_coupled_residual(I);

  // passes; `share` grows while they succeed
  double share = 1; // of the way from lag to pi
  double try_below = has_earlier_rungs && hfi_use_friction_duals(I) ? FIRST_TRY_RESIDUAL : 0;
  for (int pass = 0; pass < MAX_PASSES; ++pass) {
    if (out.iterations >= MAX_PASS_ITERATIONS || !(*coupled > tolerance) || !(share > LEAST_MOVE)) break;

    // a heap: is the residual small enough for Newton's method on the coupled problem?
    if (*coupled < try_below) {
      try_below = NEXT_TRY_DECREASE * *coupled;
      try_coupled(I, config, HFI_KEPT_DUALS, &out, coupled);
      if (*coupled <= tolerance) return out;
    }

    int kept = try_pass(I, config, share, &out, coupled);
    share = kept ? min2(1, 1.5 * share) : 0.5 * share;
  }

  // the coupled problem once more
  hfi_system_respond(I, HFI_COUPLING_LAGGED);
  if (*coupled > tolerance && has_earlier_rungs) try_coupled(I, config, HFI_NO_DUALS, &out, coupled);
  return out;
}
