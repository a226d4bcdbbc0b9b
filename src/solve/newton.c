// Newton's method for the velocities v of an island at the end of the step (docs/theory/tamsi.md):
//
//   r(v) = A v - p* - J^T gamma(s) = 0,   s = J v + drift                     (TAMSI section V-C)
//
//   A      mass matrix plus implicit damping    p*     free momentum
//   s      row velocities                       gamma  impulses of the rows, a function of s
//   K      dr/dv = A + J^T G J, G = -dgamma/ds  dv     Newton step, K dv = -r
//   alpha  share of the step that is taken      g      dv'r, the residual along the step
//   v1, s1 the end of the full step; after a move, the point where it began
//
// One iteration (iterate):
//   1. Form and factor K at v, or use the factors of the iteration before again.
//   2. Solve for dv. A dv that does not point downhill (dv'r < 0) is replaced (compute_new_step).
//   3. Choose alpha by the line search of the rung:
//        TAMSI   the smallest alpha that any row asks for (search.c); in a heap alpha = 1
//        merit   the same, then halved until |r| decreases
//        convex  alpha = 1: r is the gradient of a convex function
//      Drives that would leave next to nothing of a step are released from their bounds first, and
//      the step is computed again (release_rows).
//   4. Move to v + alpha dv. Where g, which is negative at the start, becomes too large on the way,
//      the step went too far and is cut back to where |g| is small (line.c).
//   5. Stop when both the residual and the next step are small against the scale.
//
// All norms are mass-scaled: |r|^2 = sum r_i^2/A_ii for momenta and |dv|^2 = sum A_ii dv_i^2 for
// velocities. Both are in sqrt(kg) m/s, so that one scale, max(|p*|, |J^T gamma|), serves residual
// and step, normal and tangential directions, light and heavy bodies.
//
// In a large heap K has more inertia than the bodies while steps are too long (adapt_inertia); r, and with it the answer, does not.
//
// In a heap the friction duals (dual.c) take the place of the search over rows, and a step that
// points uphill is treated in another way (docs/theory/heaps.md, "What else differs from TAMSI").
#include "solve/newton.h"

#include "base/compile.h"
#include "base/finite.h"
#include "linalg/dense.h"
#include "math/vec3.h"
#include "solve/damp.h"
#include "solve/dual.h"
#include "solve/line.h"
#include "solve/predict.h"
#include "solve/rounding.h"
#include "solve/search.h"
#include "solve/system.h"

#include <string.h>

// A step points downhill if the cosine of the angle between dv and -r is at least this [-].
static const double DOWNHILL_COSINE = 1e-3;
// A step is cut back where g at its end exceeds this share of -g at its start. These two are smaller than HFI_OVERSHOOT: of heaps, and of
// the convex problem [-].
static const double OVERSHOOT_HEAP = 0.1;
static const double OVERSHOOT_CONVEX = 0.05;
// What rough factors may leave of the right-hand side of a Newton step [-].
static const double LINEAR_TOLERANCE = 1e-3;
// The residual is assumed to fall to this share in the first step that uses the factors of a Newton step again [-].
static const double REUSE_CONTRACTION = 3e-3;
// A residual below this share of the largest impulse of a row may be the rounding of impulses that cancel [-].
static const double CANCELLATION = 2e-15;
// The rounding of row velocities is looked at only where the residual is below this many tolerances: it explains no larger one [-].
static const double COARSE = 1e4;
// A residual below this share of the scale that steps no longer lower is rounding [-].
static const double ROUNDING = 1e-13;
// A step of a heap that points uphill is taken where it brings the residual below this share of what it is [-].
static const double UPHILL = 0.5;
// A halved step is accepted if |r| falls by at least this share of alpha (Armijo's condition) [-].
static const double ARMIJO = 1e-4;
// A predicted first step is kept where it brings the residual below this share of what it is [-].
static const double PREDICTED = 0.1;
// A step that drives shorten to less than this brings nothing else forward either: rows are released instead [-].
static const double LOST_STEP = 0.03;
// Inertia that K of a large heap has beside that of the bodies, over theirs: in the first iteration and after a short step at least, and at
// most. It grows after a step of which less than SHORTENED was taken, shrinks after a whole step, and is left out below NEGLIGIBLE [-].
static const double LEAST_INERTIA = 0.1, MOST_INERTIA = 10, INERTIA_GROWTH = 4, INERTIA_SHRINK = 0.25, NEGLIGIBLE = 1e-3, SHORTENED = 0.5;
enum {
  MAX_CONVEX_ITERATIONS = 500, // The convex problem always converges, if need be slowly.
  MAX_HALVINGS = 40,           // 2^-40 of a step changes no digit that matters.
  MAX_STALL = 12,              // A start that is thought to be close failed if so many iterations do not halve the residual.
  MAX_IDLE = 3,                // A residual of rounding is accepted after so many last steps that did not halve it.
  MAX_RELEASES = 4,            // After so many releases in a solution the line search stops at rows that cross their interval.
  MAX_REUSES = 20,             // K is formed again after this many steps with the same factors.
};

typedef struct iteration {
  hfiIsland* I;
  const hfSolverConfig* config;
  int coupling, rung;
  int32_t most_iterations; // that the rung may take
  hfiDuals duals;
  hfiTurn turn;       // of theta_max; zero until a contact slips
  double norm;        // |r| at v [sqrt(kg) m/s]
  double scale;       // what |r| and |dv| are compared with [sqrt(kg) m/s]
  double step;        // |dv| of the last step [sqrt(kg) m/s]
  double g_start;     // g at the start of the last step [J]
  double halved_norm; // |r| when it was last halved [sqrt(kg) m/s]
  int stalled;        // iterations since then
  int releases;       // factorisations with rows that were released
  int idle;           // last steps (take_last_step) that were not short and did not halve |r|
  int reuses;         // steps that use the factors at hand again, counted with the next one; 0: the next step forms new ones
} iteration;

// Computes impulses, responses, residual and its norm at I->v and I->s.
static void evaluate(iteration* it) { it->norm = hfi_system_evaluate(it->I, it->coupling, &it->scale); }

// ---- tests of convergence ----------------------------------------------------------------------------

static int is_small(const iteration* it, double norm) { return norm <= it->config->tolerance * it->scale; }

// How long the last step would have been without added inertia, for motions on which nothing but the mass of the bodies acts [sqrt(kg) m/s].
static double full_step(const iteration* it) { return it->step * (1 + it->I->inertia); }

// Is the residual, which was `before` at the start of the step, below the tolerance for certain, and would the next step be below it, too?
// The next step is assumed to be shorter than the last by the same factor as the residual.
static int is_settled(const iteration* it, double before) {
  return is_small(it, it->norm / HFI_SETTLED) && is_small(it, full_step(it) * (it->norm / before));
}

// Returns how large a residual rounding alone may leave [sqrt(kg) m/s]. There are two causes. Two large impulses that cancel, such as
// those of a drive that presses a dof against a contact, leave errors that are large against p* and J^T gamma. And the law of a stiff
// row turns the last digit of its velocity into an impulse: where a light body goes far until it touches, into more than the tolerance.
static double bound_rounding(const iteration* it) {
  double cancelled = CANCELLATION * hfi_system_largest_impulse(it->I);
  if (it->norm <= cancelled || !is_small(it, it->norm / COARSE)) return cancelled;
  return hfi_rounding_of_rows(it->I);
}

// Accepts a residual that is nothing but rounding, by raising the scale so that it counts as small. Returns whether it does. A residual
// that the last step halved is not of that sort.
static int accept_rounding(iteration* it, double before) {
  if (it->norm < 0.5 * before) return 0;
  double rounding = bound_rounding(it);
  if (!(it->norm <= rounding)) return 0; // also where it is not a number
  it->scale = max2(it->scale, rounding / it->config->tolerance);
  return 1;
}

// Would one more step with the factors at hand reach the tolerance? If the last step was such a step, the residual is expected to fall
// again as it fell then; after a Newton step, by REUSE_CONTRACTION.
static int can_reuse_factors(const iteration* it, double before) {
  double contraction = it->reuses > 0 ? it->norm / before : REUSE_CONTRACTION;
  return it->reuses < MAX_REUSES && is_small(it, it->norm * contraction);
}

// Counts the iterations that did not halve the residual. Returns 1 when there were too many in a row.
static int stalls(iteration* it) {
  it->stalled += 1;
  if (it->norm < 0.5 * it->halved_norm) it->halved_norm = it->norm, it->stalled = 0;
  return it->stalled > MAX_STALL;
}

// ---- the Newton step ---------------------------------------------------------------------------------

// Computes s1 = J v1 + drift at the end of a step. After a short step s1 = s + J dv instead: rounding of v times the slope of a stiff row
// would otherwise keep the residual from becoming small.
static void compute_end_rows(iteration* it) {
  hfiIsland* I = it->I;
  if (it->step > HFI_SHORT_STEP * it->scale) {
    hfi_system_rows(I, I->v1, I->s1);
    return;
  }
  hfi_system_row_changes(I, I->dv, I->ds);
  hfi_move(I->s1, I->s, 1.0, I->ds, I->nrow);
}

// Computes dv = -K^-1 r with the factors at hand, and v1 = v + dv. n: the dofs of the island, a constant where many islands have that
// number. Returns g = dv'r.
HFI_COPIED double solve_for_step(hfiIsland* I, int32_t n) {
  hfi_scale(I->dv, -1.0, I->r, n);
  hfi_system_solve(I, LINEAR_TOLERANCE, I->dv);
  hfi_move(I->v1, I->v, 1.0, I->dv, n);
  return hfi_dot(I->dv, I->r, n);
}

// Computes the step with the factors at hand: dv, its end (v1, s1), |dv| and g at its start. Returns 0 where dv is not finite.
static int compute_step(iteration* it) {
  hfiIsland* I = it->I;
  it->g_start = I->n == 3 ? solve_for_step(I, 3) : solve_for_step(I, I->n);
  it->step = hfi_system_velocity_norm(I, I->dv);
  compute_end_rows(it);
  return isfinite(it->step);
}

// Is the residual at the end of the step below the share UPHILL of that at v? Leaves impulses, responses and r of the end.
static int full_step_lowers_residual(iteration* it) {
  double norm = it->norm, scale = it->scale;
  hfi_system_exchange_points(it->I);
  evaluate(it);
  int lower = it->norm / it->scale < UPHILL * (norm / scale);
  hfi_system_exchange_points(it->I);
  it->norm = norm, it->scale = scale;
  return lower;
}

// Takes -dv in the place of dv.
static void reverse_step(iteration* it) {
  hfiIsland* I = it->I;
  for (int32_t i = 0; i < I->n; ++i) I->dv[i] = -I->dv[i], I->v1[i] = I->v[i] + I->dv[i];
  compute_end_rows(it);
  it->g_start = -it->g_start;
}

// Forms and factors K at v and computes the step. Returns 0 when there is no finite step. Two kinds of steps are replaced where K is
// unsymmetric (docs/theory/tamsi.md, "Two safeguards"):
//   - In a heap, a step that points uphill is reversed unless it lowers the residual. K has a negative eigenvalue along it: it leads to a
//     saddle of the energy, and the opposite direction leads away from it. But the coupling of friction to the normal force has no
//     energy, and where r is small at the end of the step, an answer is near.
//   - Any other step that does not point downhill is computed again without the unsymmetric terms of K, and so is one whose K cannot be
//     factored.
static int compute_new_step(iteration* it) {
  hfiIsland* I = it->I;
  if (it->duals) hfi_dual_set_responses(I);
  if (hfi_system_factor(I) == 0) {
    int finite = compute_step(it);
    double slight = DOWNHILL_COSINE * it->step * it->norm;
    if (it->g_start <= -slight || !hfi_system_is_coupled(I)) return finite;
    if (it->duals && it->g_start >= slight) {
      if (!full_step_lowers_residual(it)) reverse_step(it);
      return 1;
    }
  }
  hfi_system_decouple(I);
  return hfi_system_factor(I) == 0 && compute_step(it);
}

// Computes the step with the factors of the step before. The update of friction duals needs the groups at v.
static int compute_step_again(iteration* it) {
  if (it->duals) hfi_dual_evaluate(it->I);
  return compute_step(it);
}

// ---- how much of the step is taken -------------------------------------------------------------------

// Moves v and s to v + alpha dv and evaluates there. Afterwards v1 and s1 hold the point before.
static inline void move(iteration* it, double alpha) {
  hfiIsland* I = it->I;
  if (alpha < 1) {
    hfi_move(I->v1, I->v, alpha, I->dv, I->n);
    hfi_system_rows(I, I->v1, I->s1);
  }
  hfi_system_exchange_points(I);
  evaluate(it);
}

// Replaces the last move by one with another alpha: v = v1 + alpha dv, where v1 is the point before.
static void move_again(iteration* it, double alpha) {
  hfiIsland* I = it->I;
  hfi_move(I->v, I->v1, alpha, I->dv, I->n);
  hfi_system_rows(I, I->v, I->s);
  evaluate(it);
}

// The share of -g at the start of a step that g may have at its end.
static double allowed_overshoot(const iteration* it) {
  if (it->rung == HF_RUNG_CONVEX) return OVERSHOOT_CONVEX;
  return it->duals ? OVERSHOOT_HEAP : HFI_OVERSHOOT;
}

// Moves by alpha, or by less where that goes too far. Returns the alpha taken.
static double move_and_cut(iteration* it, double alpha) {
  hfiIsland* I = it->I;
  move(it, alpha);
  double g_end = hfi_dot(I->dv, I->r, I->n);
  if (!(it->g_start < 0 && g_end > -allowed_overshoot(it) * it->g_start)) return alpha;
  alpha = hfi_line_cut(I, it->coupling, alpha, it->g_start, g_end);
  move_again(it, alpha);
  return alpha;
}

// Moves by the first of alpha, alpha/2, alpha/4, ... that lowers the residual, and returns it. Returns 0 when none does.
static double move_and_halve(iteration* it, double alpha) {
  double norm = it->norm;
  move(it, alpha);
  for (int halving = 0; halving < MAX_HALVINGS; ++halving) {
    if (it->norm <= (1 - ARMIJO * alpha) * norm) return alpha;
    alpha *= 0.5;
    move_again(it, alpha);
  }
  return 0;
}

static double search_rows(iteration* it) { return hfi_search_rows(it->I, it->norm, it->config->theta_max, &it->turn); }

// Replaces a step that the line search shortens to alpha by others from the same v, until drives no longer shorten it much. Returns their
// alpha. Drives of a robot whose targets jump leave their bounds together; the line search alone would stop at one after the other, an
// iteration for each. g at the start stays that of the laws as they are at v. Only the factors of a star leave K as it is: others would
// have to form it again, which costs what is gained.
HFI_CALLED static double release_rows(iteration* it, hfiNewtonResult* out, double alpha) {
  hfiIsland* I = it->I;
  if (it->rung != HF_RUNG_TAMSI) return alpha;
  memcpy(I->work, I->r, sizeof(double) * (size_t)I->n);
  while (alpha < LOST_STEP && I->K.star->factored && it->releases < MAX_RELEASES && out->iterations < it->most_iterations) {
    if (hfi_release_crossing_rows(I, it->norm) == 0) break;
    ++out->iterations, ++it->releases;
    if (hfi_block_factor(&I->K, I->K.symmetric) != 0 || !compute_step(it)) return alpha;
    it->g_start = hfi_dot(I->dv, I->work, I->n);
    alpha = search_rows(it);
  }
  return alpha;
}

// Takes the step, or that part of it which the line search of the rung allows. Returns alpha; 0: no part of it lowers the residual.
static double take_step(iteration* it, hfiNewtonResult* out) {
  double alpha = 1;
  if (it->duals)
    hfi_dual_update(it->I);
  else if (it->rung != HF_RUNG_CONVEX)
    alpha = search_rows(it);
  if (alpha < LOST_STEP && it->I->K.star) alpha = release_rows(it, out, alpha);
  return it->rung == HF_RUNG_MERIT ? move_and_halve(it, alpha) : move_and_cut(it, alpha);
}

// Called when the residual is small: takes one more step with the factors at hand, which costs little and brings the answer close to
// rounding. Returns 1, converged, when that step was short and the residual is still small after it. Where light parts are coupled to
// heavy ones, a residual of nothing but rounding may give steps that are never short: such a residual is accepted, too.
static int take_last_step(iteration* it) {
  double before = it->norm;
  compute_step(it);
  int is_short = is_small(it, full_step(it));
  move(it, 1);
  if ((is_short && is_small(it, it->norm)) || accept_rounding(it, before)) return 1;
  it->idle += !(it->norm < 0.5 * before);
  return it->idle >= MAX_IDLE && is_small(it, it->norm) && it->norm <= ROUNDING * it->scale;
}

// ---- added inertia -----------------------------------------------------------------------------------

// Has the island added inertia? In a large heap K with the coupling of friction is often nearly singular: a single mode makes steps a hundred times too
// long, and the search then leaves next to nothing of what all others would have gained.
static int may_add_inertia(const iteration* it) { return it->duals && it->rung == HF_RUNG_TAMSI && it->I->ntree > HFI_MANY_TREES; }

// Chooses the added inertia of the next iteration after a step of which the share alpha was taken.
static void adapt_inertia(iteration* it, double alpha) {
  double* inertia = &it->I->inertia;
  if (!may_add_inertia(it)) return;
  if (alpha < SHORTENED)
    *inertia = clamp(INERTIA_GROWTH * *inertia, LEAST_INERTIA, MOST_INERTIA);
  else if (alpha == 1)
    *inertia *= INERTIA_SHRINK;
  if (*inertia < NEGLIGIBLE) *inertia = 0;
}

// ---- the start ---------------------------------------------------------------------------------------

static int is_balanced(const iteration* it) { return hfi_is_balanced(it->I, it->config->tolerance, it->norm, it->scale); }

// Are the velocities of the start the answer? Where they are and hardly anything moves, the island comes to rest: a velocity of 1e-13
// that stayed as it is would unbalance it again some steps later.
static int start_is_answer(iteration* it) {
  hfiIsland* I = it->I;
  if (!is_balanced(it)) return 0;
  if (!hfi_any_nonzero(I->v, I->n) || !hfi_is_negligible(I, it->config->tolerance, I->Av)) return 1;
  memset(I->v, 0, sizeof(double) * (size_t)I->n);
  hfi_system_rows(I, I->v, I->s);
  evaluate(it);
  return is_balanced(it);
}

// Begins at the velocities of the start.
static void begin_at_start(iteration* it, hfiNewtonResult* out) {
  evaluate(it);
  if (it->duals == HFI_NEW_DUALS) hfi_dual_reset(it->I);
  it->halved_norm = it->norm;
  out->converged = start_is_answer(it);
}

// Takes the first step by laws that are linearised at the end of the step as it is predicted (predict.h), for a body that turns about its
// contacts. Returns 0, with the velocities of before, where nothing is predicted or the residual does not fall enough.
static int begin_by_prediction(iteration* it, hfiNewtonResult* out) {
  hfiIsland* I = it->I;
  if (it->rung != HF_RUNG_TAMSI || it->duals || !hfi_predict(I, it->coupling)) return 0;
  double before = hfi_system_measure(I, &it->scale);
  out->iterations = 1;
  if (hfi_system_factor(I) != 0 || !compute_step(it)) return 0;
  move(it, 1);
  if (!(it->norm < PREDICTED * before)) {
    hfi_system_exchange_points(I);
    return 0;
  }
  out->converged = is_settled(it, before) || (is_small(it, it->norm) && take_last_step(it));
  it->reuses = can_reuse_factors(it, before);
  return 1;
}

// ---- the iteration -----------------------------------------------------------------------------------

// Makes one iteration, which counts if it forms K. Returns 0 where the method gives up.
static int iterate(iteration* it, hfiNewtonResult* out) {
  double before = it->norm;
  out->iterations += it->reuses == 0;
  if (!(it->reuses > 0 ? compute_step_again(it) : compute_new_step(it))) return 0;
  double alpha = take_step(it, out);
  out->limited += alpha < 1;
  if ((alpha == 1 && is_settled(it, before)) || accept_rounding(it, before))
    out->converged = 1;
  else if (is_small(it, it->norm))
    out->converged = take_last_step(it);
  else if (alpha == 0 || (it->duals == HFI_KEPT_DUALS && stalls(it)))
    return 0;
  it->reuses = alpha == 1 && can_reuse_factors(it, before) ? it->reuses + 1 : 0;
  adapt_inertia(it, alpha);
  return 1;
}

hfiNewtonResult hfi_newton_solve(hfiIsland* I, const hfSolverConfig* config, int coupling, int rung, hfiDuals duals) {
  int32_t most = imax2(config->max_iterations, rung == HF_RUNG_CONVEX ? MAX_CONVEX_ITERATIONS : 0);
  iteration it = {.I = I, .config = config, .coupling = coupling, .rung = rung, .most_iterations = most, .duals = duals};
  hfiNewtonResult out = {0, 0, 0, 0};
  hfi_system_rows(I, I->v, I->s);
  if (!begin_by_prediction(&it, &out)) begin_at_start(&it, &out);
  I->inertia = may_add_inertia(&it) ? LEAST_INERTIA : 0;
  while (!out.converged && out.iterations < most && iterate(&it, &out)) continue;
  I->inertia = 0;
  out.residual = it.scale > 0 ? it.norm / it.scale : it.norm;
  return out;
}
