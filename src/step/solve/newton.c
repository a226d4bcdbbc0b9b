// Newton's method for the velocities v of an island at the end of the step (docs/theory/tamsi.md):
//
//   r(v) = A v - p* - J^T gamma(s) = 0,   s = J v + drift                     (TAMSI section V-C)
//
//   A      mass matrix plus implicit damping    p*     free momentum
//   s      row velocities                       gamma  impulses of the rows, a function of s
//   K      dr/dv = A + J^T G J, G = -dgamma/ds  dv     Newton step, K dv = -r
//   alpha  share of the step that is taken      g      dv'r, the residual along the step
//   v1, s1 end of the full step; after a move, the point before the move
//
// One iteration (iterate):
//   1. Form and factor K at v, or use the factors of the last iteration again.
//   2. Solve for dv. If dv does not point downhill (dv'r < 0), replace it (compute_new_step).
//   3. Choose alpha by the line search of the rung:
//        TAMSI   the smallest alpha that any row demands (search.c); in a heap alpha = 1
//        merit   the same, then halved until |r| decreases
//        convex  alpha = 1, because r is the gradient of a convex function
//      If drives demand a tiny alpha, release them from their bounds and compute the step again (release_rows).
//   4. Move to v + alpha dv. g is negative at the start of the step. If it is too large at the end, the step went too
//      far: cut it back to a point with a small |g| (search.c).
//   5. Stop when both the residual and the next step are small compared with the scale.
//
// All norms are mass-scaled: |r|^2 = sum r_i^2/A_ii for momenta and |dv|^2 = sum A_ii dv_i^2 for velocities. Both have
// the unit sqrt(kg) m/s. So residuals and steps can be compared with the same scale, max(|p*|, |J^T gamma|), in normal
// and tangential directions, for light and heavy bodies.
//
// In a large heap K is computed with more inertia than the bodies have while the steps are too long (adapt_inertia). r
// is computed with the true inertia, so that the answer does not change.
//
// In a heap the friction duals (dual.c) replace the search over rows, and a step that points uphill is replaced in
// another way (docs/theory/heaps.md, "What else differs from TAMSI").

#include "step/solve/inside.h"

#include "base/compile.h"
#include "base/finite.h"
#include "linalg/dense.h"
#include "math/vec3.h"

#include <string.h>

// What one call of hfi_newton_solve knows beside the island: how it is to solve, and what the iterations found so far.
typedef struct Iteration {
  hfiIsland* I;
  const hfSolverConfig* config;
  int coupling;           // how friction depends on the normal force (hfCoupling)
  int rung;               // hfRung, selects the line search
  int32_t max_iterations; // largest number of iterations on this rung
  hfiDuals duals;         // whether the friction duals are unknowns, too

  hfiSine turn;       // sine and cosine of theta_max; zero until a contact slips
  double r_norm;      // |r| at v [sqrt(kg) m/s]
  double scale;       // |r| and |dv| are compared with this [sqrt(kg) m/s]
  double dv_norm;     // |dv| of the last step [sqrt(kg) m/s]
  double g_start;     // g at the start of the last step [J]
  double halved_norm; // |r| when it was last halved [sqrt(kg) m/s]
  int stalled;        // number of iterations since |r| was last halved
  int releases;       // number of factorisations with released rows
  int idle_steps;     // number of last steps (take_last_step) that were not short and did not halve |r|
  int reuses;         // number of steps that use the present factors again, with the next one; 0: it forms new factors
} Iteration;

static int uses_duals(const Iteration* it) { return it->duals != HFI_NO_DUALS; }

// Evaluates all laws at I->dofs.v and I->rows.s: sets gamma, G and the responses, tau, Av, r, and in *it |r| and its
// scale.
static void evaluate(Iteration* it) { it->r_norm = hfi_system_evaluate(it->I, it->coupling, &it->scale); }

// ---- tests of convergence ----------------------------------------------------------------------------

// Large impulses that cancel leave a rounding error of this share of the largest impulse of a row [-].
static const double CANCELLATION = 2e-15;
// The rounding of row velocities is computed only if the residual is below this many tolerances. It cannot explain a
// larger residual [-].
static const double ROUNDING_RANGE = 1e4;
// The first step that uses the factors of a Newton step again is expected to multiply the residual by this [-].
static const double REUSE_CONTRACTION = 3e-3;
enum {
  MAX_REUSES = 20,  // K is formed again after this many steps with the same factors.
  MAX_STALLED = 12, // With kept duals the method gives up after more iterations than this that do not halve |r|.
};

// Is a norm of momenta or velocities within the tolerance?
static int is_small(const Iteration* it, double norm) { return norm <= it->config->tolerance * it->scale; }

// Upper bound on the length of the last step without added inertia [sqrt(kg) m/s]. A motion that only inertia resists
// has that length.
static double bound_step_without_inertia(const Iteration* it) { return it->dv_norm * (1 + it->I->matrix.inertia); }

// Is the residual well below the tolerance, and will the next step be below it, too? before: |r| at the start of the
// last step. The method expects that the next step is shorter than the last one by the same factor as the residual.
static int is_settled(const Iteration* it, double before) {
  double next_step = bound_step_without_inertia(it) * (it->r_norm / before);
  return is_small(it, it->r_norm / HFI_SETTLED) && is_small(it, next_step);
}

// Returns the largest residual that rounding alone can leave [sqrt(kg) m/s]. There are two causes:
//   - Two large impulses cancel, for example if a drive presses a dof against a contact. Their rounding errors do not
//     cancel, and may be large compared with p* and J^T gamma.
//   - The law of a stiff row turns an error in the last digit of the row velocity into an impulse. If a light body
//     moves far before it touches, this impulse exceeds the tolerance.
static double bound_rounding(const Iteration* it) {
  double cancelled = CANCELLATION * hfi_system_largest_impulse(it->I);
  if (it->r_norm <= cancelled || !is_small(it, it->r_norm / ROUNDING_RANGE)) return cancelled;
  return hfi_rounding_of_rows(it->I);
}

// Accepts a residual that is only rounding: raises the scale so that the residual is within the tolerance. Returns
// whether it did. before: |r| at the start of the last step. A residual that this step halved is not only rounding.
static int accept_rounding(Iteration* it, double before) {
  if (it->r_norm < 0.5 * before) return 0;

  double rounding = bound_rounding(it);
  if (!(it->r_norm <= rounding)) return 0; // also if the norm is not a number

  it->scale = max2(it->scale, rounding / it->config->tolerance);
  return 1;
}

// Is one more step with the present factors expected to reach the tolerance? After a step with reused factors, the
// residual is expected to fall by the same factor again; after a Newton step, by REUSE_CONTRACTION.
static int can_reuse_factors(const Iteration* it, double before) {
  double contraction = it->reuses > 0 ? it->r_norm / before : REUSE_CONTRACTION;
  return it->reuses < MAX_REUSES && is_small(it, it->r_norm * contraction);
}

// Counts this iteration as stalled if it did not halve the residual. Returns 1 if too many such iterations followed
// each other.
static int count_stalled_iteration(Iteration* it) {
  it->stalled += 1;
  if (it->r_norm < 0.5 * it->halved_norm) {
    it->halved_norm = it->r_norm;
    it->stalled = 0;
  }
  return it->stalled > MAX_STALLED;
}

// ---- the Newton step ---------------------------------------------------------------------------------

// With rough factors the error |r + K dv| of a Newton step may be this share of |r| [-]. With 1e-3 heaps take as many
// Newton steps.
static const double LINEAR_TOLERANCE = 1e-2;
// A step points downhill if the cosine of the angle between dv and -r is at least this [-].
static const double DOWNHILL_COSINE = 1e-3;
// A step of a heap that points uphill is taken if it multiplies the residual by less than this [-].
static const double UPHILL_DECREASE = 0.5;

// Computes s1 = J v1 + drift at the end of a step; for a short step s1 = s + J dv. The rounding error of J v1,
// multiplied by the slope of a stiff row, would otherwise be larger than the residual that the short step is to reach.
static void compute_end_rows(Iteration* it) {
  hfiIsland* I = it->I;
  if (it->dv_norm > HFI_SHORT_STEP * it->scale) {
    hfi_system_rows(I, I->dofs.v1, I->rows.s1);
    return;
  }
  hfi_system_row_changes(I, I->dofs.dv, I->rows.ds);
  hfi_move(I->rows.s1, I->rows.s, 1.0, I->rows.ds, I->nrow);
}

// Computes dv = -K^-1 r with the present factors, and v1 = v + dv. n: number of dofs of the island. Returns g = dv'r.
HFI_FORCE_INLINE double solve_for_step(hfiIsland* I, int32_t n) {
  hfi_scale(I->dofs.dv, -1.0, I->dofs.r, n);
  hfi_system_solve(I, LINEAR_TOLERANCE, I->dofs.dv);
  hfi_move(I->dofs.v1, I->dofs.v, 1.0, I->dofs.dv, n);
  return hfi_dot(I->dofs.dv, I->dofs.r, n);
}

// Computes the step with the present factors: dv, its end (v1, s1), |dv| and g at its start. Returns 0 if dv is not
// finite.
static int compute_step(Iteration* it) {
  hfiIsland* I = it->I;
  it->g_start = HFI_BY_SIZE(I->n, solve_for_step, I);
  it->dv_norm = hfi_system_velocity_norm(I, I->dofs.dv);
  compute_end_rows(it);
  return isfinite(it->dv_norm);
}

// Evaluates the end of the step. Returns whether the residual there is below UPHILL_DECREASE times the residual at v.
// v, s, |r| and the scale are those of the start again afterwards; impulses, responses and r are those of the end.
static int try_full_step(Iteration* it) {
  double norm = it->r_norm;
  double scale = it->scale;

  hfi_system_exchange_points(it->I);
  evaluate(it);
  int lower = it->r_norm / it->scale < UPHILL_DECREASE * (norm / scale);

  hfi_system_exchange_points(it->I);
  it->r_norm = norm;
  it->scale = scale;
  return lower;
}

// Replaces dv by -dv, with its end (v1, s1) and g_start.
static void reverse_step(Iteration* it) {
  hfiDofVectors* x = &it->I->dofs;
  for (int32_t i = 0; i < it->I->n; ++i) {
    x->dv[i] = -x->dv[i];
    x->v1[i] = x->v[i] + x->dv[i];
  }
  compute_end_rows(it);
  it->g_start = -it->g_start;
}

// Forms and factors K at v and computes the step. Returns 0 if there is no finite step. If K is unsymmetric, two kinds
// of steps are replaced (docs/theory/tamsi.md, "Two safeguards"):
//   - In a heap, a step that points uphill is reversed, unless it lowers the residual. dv'K dv is negative for such a
//     step: it leads to a saddle of the energy, and -dv leads away from the saddle. But the coupling of friction to the
//     normal force has no energy: if r is small at the end of the step, an answer is near, and the step is kept.
//   - Any other step that does not point downhill is computed again without the unsymmetric terms of K. The same is
//     done if K cannot be factored.
static int compute_new_step(Iteration* it) {
  hfiIsland* I = it->I;
  if (uses_duals(it)) hfi_dual_set_responses(I);

  if (hfi_system_factor(I) == 0) {
    int finite = compute_step(it);
    double least = DOWNHILL_COSINE * it->dv_norm * it->r_norm; // |g| of a step that points clearly downhill or uphill
    if (it->g_start <= -least || !hfi_system_is_coupled(I)) return finite;

    // uphill in a heap: reverse the step, unless it lowers the residual
    if (uses_duals(it) && it->g_start >= least) {
      if (!try_full_step(it)) reverse_step(it);
      return 1;
    }
  }

  // no factors, or not downhill: K without its unsymmetric terms
  hfi_system_decouple(I);
  return hfi_system_factor(I) == 0 && compute_step(it);
}

// Computes the step with the factors of the last step. hfi_dual_update needs the friction groups at v.
static int compute_step_again(Iteration* it) {
  if (uses_duals(it)) hfi_dual_evaluate(it->I);
  return compute_step(it);
}

// ---- how much of the step is taken -------------------------------------------------------------------

// The values of HFI_OVERSHOOT for heaps and for the convex problem [-].
static const double OVERSHOOT_HEAP = 0.1;
static const double OVERSHOOT_CONVEX = 0.05;
// A halved step is accepted if |r| falls by at least this times alpha |r| (Armijo's condition) [-].
static const double ARMIJO = 1e-4;
// Drives are released if the line search would leave less than this of a step: such a step is too short for all other
// rows, too [-].
static const double LOST_ALPHA = 0.03;
// A residual below this share of the scale counts as rounding if steps no longer lower it [-].
static const double ROUNDING_RESIDUAL = 1e-13;
enum {
  MAX_HALVINGS = 40,  // 2^-40 of a step changes no digit that matters.
  MAX_RELEASES = 4,   // Rows are released at most this many times in a solution; later the line search stops at each.
  MAX_IDLE_STEPS = 3, // A tiny residual is accepted after this many idle last steps (take_last_step).
};

// Moves v and s to v + alpha dv and evaluates there. Afterwards v1 and s1 are the point before the step.
static inline void step_to(Iteration* it, double alpha) {
  hfiIsland* I = it->I;
  if (alpha < 1) {
    hfi_move(I->dofs.v1, I->dofs.v, alpha, I->dofs.dv, I->n);
    hfi_system_rows(I, I->dofs.v1, I->rows.s1);
  }
  // at alpha = 1 v1 and s1 are the end of the full step already
  hfi_system_exchange_points(I);
  evaluate(it);
}

// Replaces the last step_to by one with another alpha: v = v1 + alpha dv, where v1 is the point before the step. Sets
// s, and evaluates there.
static void step_again_to(Iteration* it, double alpha) {
  hfiIsland* I = it->I;
  hfi_move(I->dofs.v, I->dofs.v1, alpha, I->dofs.dv, I->n);
  hfi_system_rows(I, I->dofs.v, I->rows.s);
  evaluate(it);
}

// The largest allowed g at the end of a step, relative to |g| at its start [-].
static double allowed_overshoot(const Iteration* it) {
  if (it->rung == HF_RUNG_CONVEX) return OVERSHOOT_CONVEX;
  return uses_duals(it) ? OVERSHOOT_HEAP : HFI_OVERSHOOT;
}

// Steps to alpha, or to less if that goes too far: if g, negative at the start, is clearly positive at the end. Returns
// the alpha that was taken.
static double step_and_cut(Iteration* it, double alpha) {
  hfiIsland* I = it->I;
  step_to(it, alpha);

  double g_end = hfi_dot(I->dofs.dv, I->dofs.r, I->n);
  if (!(it->g_start < 0 && g_end > -allowed_overshoot(it) * it->g_start)) return alpha;

  alpha = hfi_line_cut(I, it->coupling, alpha, it->g_start, g_end);
  step_again_to(it, alpha);
  return alpha;
}

// Steps to the first of alpha, alpha/2, alpha/4, ... that lowers the residual, and returns it. Returns 0 if none does;
// v is then at the last one.
static double step_and_halve(Iteration* it, double alpha) {
  double norm = it->r_norm;
  step_to(it, alpha);

  for (int halving = 0; halving < MAX_HALVINGS; ++halving) {
    if (it->r_norm <= (1 - ARMIJO * alpha) * norm) return alpha;
    alpha *= 0.5;
    step_again_to(it, alpha);
  }
  return 0;
}

// Returns the alpha that the rows demand for the step to v1.
static double search_rows(Iteration* it) {
  return hfi_search_rows(it->I, it->r_norm, it->config->theta_max, &it->turn);
}

// Called if the line search shortens a step to alpha < LOST_ALPHA. Releases the drives that cross their interval and
// computes the step from the same v again, until drives no longer shorten it so much. Returns the new alpha and counts
// the factorisations in *out.
//
// If the targets of a robot jump, many drives leave their bounds together; the line search alone would stop at each of
// them and take one iteration for each. g_start is computed with the residual of the true laws at v, not with that of
// released rows. Only the factors of a star leave K unchanged. Other factors overwrite K, and forming it again costs as
// much as is gained.
HFI_NOINLINE static double release_rows(Iteration* it, hfiNewtonResult* out, double alpha) {
  hfiIsland* I = it->I;
  hfiBlockMatrix* K = &I->matrix.K;
  double* true_r = I->dofs.work;
  if (it->rung != HF_RUNG_TAMSI) return alpha;
  memcpy(true_r, I->dofs.r, sizeof *true_r * (size_t)I->n);

  while (alpha < LOST_ALPHA && K->star->factored) {
    if (it->releases >= MAX_RELEASES || out->iterations >= it->max_iterations) break;
    if (hfi_release_crossing_rows(I, it->r_norm) == 0) break;
    out->iterations += 1;
    it->releases += 1;

    // the step from the same v, now without the bounds of the released drives
    if (hfi_block_factor(K, K->factors.symmetric) != 0 || !compute_step(it)) return alpha;
    it->g_start = hfi_dot(I->dofs.dv, true_r, I->n);
    alpha = search_rows(it);
  }
  return alpha;
}

// Takes the share alpha of the step that the line search of the rung allows: moves v and s there and evaluates. Returns
// alpha; 0: no part of the step lowers the residual (merit only). Counts in *out the factorisations with released rows.
static double take_step(Iteration* it, hfiNewtonResult* out) {
  // what the rows demand; with friction duals they demand nothing, and the duals follow the full step
  double alpha = 1;
  if (uses_duals(it))
    hfi_dual_update(it->I);
  else if (it->rung != HF_RUNG_CONVEX)
    alpha = search_rows(it);
  if (alpha < LOST_ALPHA && it->I->matrix.K.star) alpha = release_rows(it, out, alpha);

  // what the residual demands
  return it->rung == HF_RUNG_MERIT ? step_and_halve(it, alpha) : step_and_cut(it, alpha);
}

// Called when the residual is small. Takes one more step with the present factors, which costs little and reduces the
// error to about rounding. Returns 1, converged, if that step was short and the residual is still small after it.
// If light parts are coupled to heavy ones, a residual that is only rounding may give steps that are never short. Such
// a residual is accepted, too.
static int take_last_step(Iteration* it) {
  double before = it->r_norm;
  compute_step(it);
  int is_short = is_small(it, bound_step_without_inertia(it));
  step_to(it, 1);
  if ((is_short && is_small(it, it->r_norm)) || accept_rounding(it, before)) return 1;

  // steps that neither are short nor halve |r|
  if (!(it->r_norm < 0.5 * before)) it->idle_steps += 1;
  return it->idle_steps >= MAX_IDLE_STEPS && is_small(it, it->r_norm) && it->r_norm <= ROUNDING_RESIDUAL * it->scale;
}

// ---- added inertia -----------------------------------------------------------------------------------

// The added inertia of a large heap, relative to the inertia of the bodies [-]. It is LEAST_INERTIA in the first
// iteration. After a step with alpha < SHORT_ALPHA it is multiplied by INERTIA_GROWTH and clamped to [LEAST_INERTIA,
// MOST_INERTIA]. After a whole step it is multiplied by INERTIA_SHRINK. Below NEGLIGIBLE_INERTIA it becomes zero.
static const double LEAST_INERTIA = 0.1;
static const double MOST_INERTIA = 10;
static const double INERTIA_GROWTH = 4;
static const double INERTIA_SHRINK = 0.25;
static const double NEGLIGIBLE_INERTIA = 1e-3;
static const double SHORT_ALPHA = 0.5;

// Does the method add inertia to K of this island? In a large heap K with the coupling of friction is often nearly
// singular. A single mode then makes the step a hundred times too long, and the line search, which shortens it,
// shortens the progress of all other modes as much.
static int adds_inertia(const Iteration* it) {
  return uses_duals(it) && it->rung == HF_RUNG_TAMSI && it->I->ntree > HFI_MANY_TREES;
}

// Chooses the added inertia of the next iteration. alpha: share of the last step that was taken.
static void adapt_inertia(Iteration* it, double alpha) {
  double* inertia = &it->I->matrix.inertia;
  if (!adds_inertia(it)) return;

  if (alpha < SHORT_ALPHA)
    *inertia = clamp(INERTIA_GROWTH * *inertia, LEAST_INERTIA, MOST_INERTIA);
  else if (alpha == 1)
    *inertia *= INERTIA_SHRINK;
  if (*inertia < NEGLIGIBLE_INERTIA) *inertia = 0;
}

// ---- the start ---------------------------------------------------------------------------------------

// A predicted first step is kept if it multiplies the residual by less than this [-]. A step that gains less would
// mostly gain no more from the start.
static const double PREDICTED_DECREASE = 0.8;
// If contacts have dissipation, a step with a larger residual than this share of the scale is not predicted: something
// hits or jumps [-].
static const double LARGEST_PREDICTED = 0.8;

// Are the velocities v the answer, except for rounding?
static int is_balanced(const Iteration* it) {
  return hfi_is_balanced(it->I, it->config->tolerance, it->r_norm, it->scale);
}

// Evaluates the velocities of the start; out->converged is 1 if they are the answer. If they are, and all momenta are
// negligible, the velocities are set to zero: a velocity of 1e-13 that stays in the state would unbalance the island
// again some steps later.
static void begin_with_start_velocities(Iteration* it, hfiNewtonResult* out) {
  hfiIsland* I = it->I;
  evaluate(it);
  if (it->duals == HFI_NEW_DUALS) hfi_dual_reset(I);
  it->halved_norm = it->r_norm;

  out->converged = is_balanced(it);
  if (!out->converged || !hfi_any_nonzero(I->dofs.v, I->n)) return;
  if (!hfi_is_negligible(I, it->config->tolerance, I->dofs.Av)) return;

  // the answer is rest
  memset(I->dofs.v, 0, sizeof(double) * (size_t)I->n);
  hfi_system_rows(I, I->dofs.v, I->rows.s);
  evaluate(it);
  out->converged = is_balanced(it);
}

// Is there a contact whose law has dissipation?
static int any_dissipates(const hfiIsland* I) {
  for (int32_t k = I->nscalar; k < I->nblock; ++k)
    if (I->block[k].contact && I->block[k].contact->dissipation > 0) return 1;
  return 0;
}

// For a body that turns about its contacts: takes the first Newton step with laws that are linearised at the predicted
// end of the time step (predict.c). Returns 1 if it took this step; out->converged then says whether v is the answer.
// Returns 0, with v unchanged, if there is no prediction or the residual does not fall enough.
static int begin_with_predicted_step(Iteration* it, hfiNewtonResult* out) {
  hfiIsland* I = it->I;
  if (it->rung != HF_RUNG_TAMSI || uses_duals(it) || !hfi_predict(I, it->coupling)) return 0;

  // |r| of the linearised laws
  double before = hfi_system_measure(I, &it->scale);
  if (before > LARGEST_PREDICTED * it->scale && any_dissipates(I)) return 0;

  // the whole step, if it lowers the residual enough
  out->iterations = 1;
  if (hfi_system_factor(I) != 0 || !compute_step(it)) return 0;
  step_to(it, 1);
  if (!(it->r_norm < PREDICTED_DECREASE * before)) {
    hfi_system_exchange_points(I);
    return 0;
  }

  out->converged = is_settled(it, before) || (is_small(it, it->r_norm) && take_last_step(it));
  it->reuses = can_reuse_factors(it, before);
  return 1;
}

// ---- the iteration -----------------------------------------------------------------------------------

enum { MAX_CONVEX_ITERATIONS = 500 }; // The convex problem always converges, but sometimes slowly.

// Makes one iteration, which is counted only if it forms K. Sets out->converged. Returns 0 if the method gives up:
// there is no finite step, no part of it lowers the residual, or kept duals have stalled too long.
static int iterate(Iteration* it, hfiNewtonResult* out) {
  double before = it->r_norm;

  // the step, with the present factors or with new ones
  int finite;
  if (it->reuses > 0) {
    finite = compute_step_again(it);
  } else {
    out->iterations += 1;
    finite = compute_new_step(it);
  }
  if (!finite) return 0;

  // the share alpha of it
  double alpha = take_step(it, out);
  if (alpha < 1) out->limited += 1;

  // the end?
  if ((alpha == 1 && is_settled(it, before)) || accept_rounding(it, before))
    out->converged = 1;
  else if (is_small(it, it->r_norm))
    out->converged = take_last_step(it);
  else if (alpha == 0 || (it->duals == HFI_KEPT_DUALS && count_stalled_iteration(it)))
    return 0;

  // factors and inertia of the next iteration
  it->reuses = alpha == 1 && can_reuse_factors(it, before) ? it->reuses + 1 : 0;
  adapt_inertia(it, alpha);
  return 1;
}

// Solves the problem of the island from I->dofs.v (newton.h). Reads what was gathered; leaves v, s, gamma and the
// responses of the answer.
hfiNewtonResult hfi_newton_solve(hfiIsland* I, const hfSolverConfig* config, int coupling, int rung, hfiDuals duals) {
  Iteration it = {.I = I, .config = config, .coupling = coupling, .rung = rung, .duals = duals};
  hfiNewtonResult out = {0, 0, 0, 0};
  it.max_iterations = config->max_iterations;
  if (rung == HF_RUNG_CONVEX) it.max_iterations = imax2(it.max_iterations, MAX_CONVEX_ITERATIONS);

  // the start
  hfi_system_rows(I, I->dofs.v, I->rows.s);
  if (!begin_with_predicted_step(&it, &out)) begin_with_start_velocities(&it, &out);

  I->matrix.inertia = adds_inertia(&it) ? LEAST_INERTIA : 0;
  while (!out.converged && out.iterations < it.max_iterations && iterate(&it, &out)) continue;
  I->matrix.inertia = 0;

  out.residual = it.scale > 0 ? it.r_norm / it.scale : it.r_norm;
  return out;
}
