// Newton's method for the velocities v of an island at the end of the step:
//
//   r(v) = A v - p* - J^T gamma(s) = 0                                       (TAMSI section V-C)
//
//   A      mass matrix plus implicit damping    p*     free momentum
//   s      row velocities J v + drift           gamma  impulses of the rows, a function of s
//   K      dr/dv = A + J^T G J, G = -dgamma/ds  dv     Newton step, K dv = -r
//   alpha  share of the step that is taken      g      dv'r, the residual along the step
//
// One iteration:
//   1. Form and factor K at v, or use the factors of the iteration before again.
//   2. Solve for dv. Where dv does not point downhill (dv'r < 0), change it (find_direction).
//   3. Choose alpha by the line search of the rung:
//        TAMSI   the smallest alpha that the transition-aware line search gives for any row;
//                in a heap alpha = 1
//        merit   the same, then halved until |r| decreases
//        convex  alpha = 1: r is the gradient of a convex function
//   4. Move to v + alpha dv. Where g, which is negative at the start, is positive there and larger
//      than a share HFI_OVERSHOOT of its size at the start, the step went too far and is cut back to
//      where g is small (line.c).
//   5. Stop when both the residual and the next step are small against the scale.
//
// All norms are mass-scaled: |r|^2 = sum r_i^2/A_ii for momenta and |dv|^2 = sum A_ii dv_i^2 for
// velocities. Both are in sqrt(kg) m/s, so that one scale, max(|p*|, |J^T gamma|), serves residual
// and step, normal and tangential directions, light and heavy bodies.
//
// The test of convergence. Once the residual is small, the factors at hand give one more step
// almost for free (finish). Its length is the test of the step, and taking it brings the answer
// close to rounding. Where the residual fell so fast that this step would be short anyway, it is
// left out.
//
// Factors are used a second time when the residual after such a step is expected to be within the
// tolerance (keeps_factors).
//
// The first step of a body that turns about its only contact is another one (predict.c): K and r belong to row velocities
// that are predicted for the end of the step.
//
// Three rules make the iteration reliable with many contacts and strong coupling
// (docs/theory/tamsi.md):
//   - A row shortens a step only if the force that it would miss matters against the residual.
//   - Where the unsymmetric terms of K turn the step uphill, K is formed again without them.
//   - A step that went too far (item 4) is cut back.
//
// In a heap some row is always about to cross its stick region, so that the smallest alpha of all
// rows would be tiny (docs/theory/heaps.md). There the friction duals take the place of the search
// over rows (dual.c), a soft start gives the first guess (soft.c), and a step that points uphill is
// reversed unless it halves the residual. K has a negative eigenvalue along such a step: it leads to a
// saddle of the energy, and the opposite direction leads away from it. But the coupling of friction
// to the normal force has no energy. Where r becomes small at the end of the step, an answer is near.
#include "solve/newton.h"

#include "base/compile.h"
#include "linalg/dense.h"
#include "math/vec3.h"
#include "solve/dual.h"
#include "solve/line.h"
#include "solve/predict.h"
#include "solve/rounding.h"
#include "solve/system.h"
#include "solve/tals.h"

#include <string.h>

// The line search ignores a row whose missed force is below this share of the residual [-].
static const double RELEVANT_FORCE = 0.1;
// A step points downhill if the cosine of the angle between dv and -r is at least this [-].
static const double DOWNHILL_COSINE = 1e-3;
// A step is cut back where g at its end exceeds this share of -g at its start: in heaps and in the convex problem less than HFI_OVERSHOOT [-].
static const double OVERSHOOT_HEAP = 0.1;
static const double OVERSHOOT_CONVEX = 0.05;
// Assumed contraction of the residual when the factors of a Newton step are used again [-].
static const double REUSE_CONTRACTION = 3e-3;
// A residual below this share of the largest impulse of a row may be nothing but rounding [-].
static const double CANCELLATION = 2e-15;
// So may one below this many tolerances that the rounding of row velocities explains [-].
static const double COARSE = 1e4;
// A residual below this share of the scale that steps no longer lower is rounding [-].
static const double ROUNDING = 1e-13;
// A step of a heap that points uphill is taken where it brings the residual below this share [-].
static const double UPHILL = 0.5;
// A halved step is accepted if |r| falls by at least this share of alpha (Armijo's condition) [-].
static const double ARMIJO = 1e-4;
// A prediction is a good start where the residual at the end of its step is below this share of that at the beginning [-].
static const double PREDICTED = 0.1;
enum {
  MAX_CONVEX_ITERATIONS = 500, // The convex problem always converges, if need be slowly.
  MAX_HALVINGS = 40,           // 2^-40 of a step changes no digit that matters.
  MAX_STALL = 12,              // A start that is thought to be close failed if so many iterations do not halve the residual.
  MAX_IDLE = 3,                // A residual of rounding is accepted after so many last steps that did not halve it.
  MAX_REUSES = 20,             // K is formed again after this many steps with the same factors.
};

typedef struct iteration {
  hfiIsland* I;
  const hfSolverConfig* config;
  int coupling, rung;
  int dual;     // 1: friction duals are unknowns too (dual.c), and rows do not limit steps
  hfiTurn turn; // largest turn of a slip velocity in one step; zero until a contact slips
  double norm;  // |r| at v [sqrt(kg) m/s]
  double scale; // what |r| and |dv| are compared with [sqrt(kg) m/s]
  double step;  // |dv| of the last step [sqrt(kg) m/s]
  double along; // dv'r of the last step, at its start
  double halved; // |r| when it was last halved [sqrt(kg) m/s]
  int stalled;   // iterations since then
  int idle;      // last steps (finish) that were not short and did not halve |r|
} iteration;

// Computes impulses, responses, residual and its norm at I->v and I->s.
static void evaluate(iteration* it) { it->norm = hfi_system_evaluate(it->I, it->coupling, &it->scale); }

static int is_small(const iteration* it, double norm) {
  return norm <= it->config->tolerance * it->scale;
}

// Is the residual below the tolerance for certain, and would the next step be below it too? The
// next step is assumed to be shorter than the last by the same factor as the residual.
static int is_settled(const iteration* it, double before) {
  return is_small(it, it->norm / HFI_SETTLED) && is_small(it, it->step * (it->norm / before));
}

// Accepts a residual that is nothing but rounding, by raising the scale so that it counts as small.
// Returns whether it does. Two large impulses that cancel, such as a drive that presses a dof
// against a contact, leave rounding errors in r that are large against p* and J^T gamma. So does the velocity of a stiff row: where a light body
// goes far until it touches, the law of its contact may turn the last digit of the velocity into more than the tolerance. Only where
// the last step did not halve the residual can it be of that sort.
static int accept_rounding(iteration* it, double before) {
  if (it->norm < 0.5 * before) return 0;
  double rounding = CANCELLATION * hfi_system_largest_impulse(it->I);
  if (it->norm > rounding && is_small(it, it->norm / COARSE)) rounding = hfi_rounding_of_rows(it->I);
  if (it->norm > rounding) return 0;
  it->scale = max2(it->scale, rounding / it->config->tolerance);
  return 1;
}

static int is_balanced(const iteration* it) { return hfi_is_balanced(it->I, it->config->tolerance, it->norm, it->scale); }

static int any_moves(const hfiIsland* I) {
  for (int32_t i = 0; i < I->n; ++i)
    if (I->v[i] != 0) return 1;
  return 0;
}

// Looks whether the velocities of the start are the answer. Where they are and hardly anything moves, the island comes to rest: a
// velocity of 1e-13 that stayed as it is would unbalance it again some steps later.
static int starts_balanced(iteration* it) {
  hfiIsland* I = it->I;
  if (!is_balanced(it)) return 0;
  if (!any_moves(I) || !hfi_is_negligible(I, it->config->tolerance, I->Av)) return 1;
  memset(I->v, 0, sizeof(double) * (size_t)I->n);
  hfi_system_rows(I, I->v, I->s);
  evaluate(it);
  return is_balanced(it);
}

// Computes s1 = J v1 at the end of a step. After a short step s1 = s + J dv instead: rounding of v
// times the slope of a stiff row would otherwise keep the residual from becoming small.
static void compute_end_rows(iteration* it, double step) {
  hfiIsland* I = it->I;
  if (step > HFI_SHORT_STEP * it->scale) {
    hfi_system_rows(I, I->v1, I->s1);
    return;
  }
  hfi_system_row_changes(I, I->dv, I->ds);
  hfi_move(I->s1, I->s, 1.0, I->ds, I->nrow);
}

// Computes dv = -K^-1 r with the factors at hand, and v1 at the end of the full step. n: its dofs, a constant where many islands have that
// number. Returns dv'r.
HFI_COPIED double find_end(const hfiIsland* I, int32_t n) {
  hfi_scale(I->dv, -1.0, I->r, n);
  hfi_block_solve(&I->K, I->dv);
  hfi_move(I->v1, I->v, 1.0, I->dv, n);
  return hfi_dot(I->dv, I->r, n);
}

// Computes the step, its end (v1, s1), |dv| and dv'r. Returns 0 where dv is not finite.
static int solve_step(iteration* it) {
  hfiIsland* I = it->I;
  it->along = I->n == 3 ? find_end(I, 3) : find_end(I, I->n);
  it->step = hfi_system_velocity_norm(I, I->dv);
  compute_end_rows(it, it->step);
  return isfinite(it->step);
}

// Would a step with the factors at hand reach the tolerance? The contraction of the residual is
// that of the last step if that was such a step (reuses > 0), and assumed after a Newton step.
static int keeps_factors(const iteration* it, double before, int reuses) {
  double contraction = reuses > 0 ? it->norm / before : REUSE_CONTRACTION;
  return reuses < MAX_REUSES && is_small(it, it->norm * contraction);
}

static void swap(double** a, double** b) {
  double* t = *a;
  *a = *b;
  *b = t;
}

// Is the residual at the end of the step, v1 and s1, below the share UPHILL of that at v? Leaves impulses, responses and r of the end.
static int lowers_residual(iteration* it) {
  hfiIsland* I = it->I;
  double norm = it->norm, scale = it->scale;
  swap(&I->v, &I->v1), swap(&I->s, &I->s1);
  evaluate(it);
  int lower = it->norm / it->scale < UPHILL * (norm / scale);
  swap(&I->v, &I->v1), swap(&I->s, &I->s1);
  it->norm = norm, it->scale = scale;
  return lower;
}

// Takes -dv, which points downhill, instead of dv.
static void reverse_step(iteration* it) {
  hfiIsland* I = it->I;
  for (int32_t i = 0; i < I->n; ++i) I->dv[i] = -I->dv[i], I->v1[i] = I->v[i] + I->dv[i];
  compute_end_rows(it, it->step);
  it->along = -it->along;
}

// Forms and factors K at v, then computes the step. Where the step is not downhill and K is
// unsymmetric: in a heap takes a step that points uphill where it lowers the residual, and reverses it where it does not;
// otherwise leaves the unsymmetric terms out and solves again. Returns 0 when there is no finite step.
static int find_direction(iteration* it) {
  hfiIsland* I = it->I;
  if (it->dual) hfi_dual_set_responses(I);
  if (hfi_system_factor(I) == 0) {
    int finite = solve_step(it);
    double slight = DOWNHILL_COSINE * it->step * it->norm;
    if (it->along <= -slight || !hfi_system_is_coupled(I)) return finite;
    if (it->dual && it->along >= slight) {
      if (!lowers_residual(it)) reverse_step(it);
      return 1;
    }
  }
  hfi_system_decouple(I);
  return hfi_system_factor(I) == 0 && solve_step(it);
}

// Would the residual change noticeably if the force of this row were wrong by `force` [N or N m]?
static int matters(const iteration* it, const hfiIslandBlock* b, int row, double force) {
  const hfiIsland* I = it->I;
  return it->I->problem->h * force * hfi_system_row_weight(I, b, row) > RELEVANT_FORCE * it->norm;
}

// Shortens alpha for friction group g of block k, whose force may be wrong by up to twice its
// bound. Only a group that slips limits a step: inside the stick region the law is linear.
static inline double limit_group(const iteration* it, int32_t k, int g, double alpha) {
  const hfiIslandBlock* b = it->I->block + k;
  const double *s = it->I->s + b->row, *s1 = it->I->s1 + b->row, pi = it->I->response[k].pi;
  if (!(it->I->response[k].slipping >> g & 1)) return alpha;
  double a = hfi_tals_contact(b->contact, it->I->problem->h, g, pi, s, s1, it->turn);
  return a < alpha && matters(it, b, 1 + hfi_group_row(g), 2 * b->contact->mu[g] * pi) ? a : alpha;
}

static double limit_contact(const iteration* it, int32_t k, double alpha) {
  alpha = limit_group(it, k, HF_SLIDING, alpha);
  alpha = limit_group(it, k, HF_TORSION, alpha);
  return limit_group(it, k, HF_ROLLING, alpha);
}

// Shortens alpha for the saturated rows of a block that are at a bound (G = 0).
static double limit_saturated(const iteration* it, const hfiIslandBlock* b, double alpha) {
  for (int32_t i = 0; i < b->dim; ++i) {
    const hfSaturatedRow* row = b->saturated + i;
    if (it->I->G[b->row + i] != 0) continue;
    double a = hfi_tals_saturated(row, it->I->s[b->row + i], it->I->s1[b->row + i]);
    if (a < alpha && matters(it, b, i, row->hi - row->lo)) alpha = a;
  }
  return alpha;
}

// Transition-aware line search: the smallest alpha that any row of the island asks for.
static double limit_step(iteration* it) {
  const hfiIsland* I = it->I;
  double alpha = 1;
  for (int32_t k = 0; k < I->nscalar; ++k)
    if (I->G[k] == 0) alpha = limit_saturated(it, I->block + k, alpha);
  for (int32_t k = I->nscalar; k < I->nblock; ++k) {
    if (I->block[k].law == HF_LAW_SATURATED)
      alpha = limit_saturated(it, I->block + k, alpha);
    else if (I->response[k].slipping) {
      if (it->turn.sin == 0) it->turn = (hfiTurn){sin(it->config->theta_max), cos(it->config->theta_max)};
      alpha = limit_contact(it, k, alpha);
    }
  }
  return alpha;
}

// Moves v and s to v + alpha dv and evaluates there. Afterwards v1 and s1 hold the point before.
static void move(iteration* it, double alpha) {
  hfiIsland* I = it->I;
  if (alpha < 1) {
    hfi_move(I->v1, I->v, alpha, I->dv, I->n);
    hfi_system_rows(I, I->v1, I->s1);
  }
  swap(&I->v, &I->v1);
  swap(&I->s, &I->s1);
  evaluate(it);
}

// Replaces the last move by one with another alpha: v = v1 + alpha dv, where v1 is the point
// before.
static void move_again(iteration* it, double alpha) {
  hfiIsland* I = it->I;
  hfi_move(I->v, I->v1, alpha, I->dv, I->n);
  hfi_system_rows(I, I->v, I->s);
  evaluate(it);
}

// Moves by alpha, or by less where that goes too far. Returns the alpha taken.
static double advance(iteration* it, double alpha) {
  double overshoot = it->dual ? OVERSHOOT_HEAP : HFI_OVERSHOOT;
  if (it->rung == HF_RUNG_CONVEX) overshoot = OVERSHOOT_CONVEX;
  move(it, alpha);
  double end = hfi_dot(it->I->dv, it->I->r, it->I->n);
  if (!(it->along < 0 && end > -overshoot * it->along)) return alpha;
  alpha = hfi_line_cut(it->I, it->coupling, alpha, it->along, end);
  move_again(it, alpha);
  return alpha;
}

// Moves by the first of alpha, alpha/2, alpha/4, ... that lowers the residual, and returns it.
// Returns 0 when none does.
static double descend(iteration* it, double alpha) {
  double norm = it->norm;
  move(it, alpha);
  for (int halving = 0; halving < MAX_HALVINGS; ++halving) {
    if (it->norm <= (1 - ARMIJO * alpha) * norm) return alpha;
    alpha *= 0.5;
    move_again(it, alpha);
  }
  return 0;
}

// Called when the residual is small: takes one more step with the factors at hand. Returns 1,
// converged, when that step was short and the residual is still small after it. Where light parts
// are coupled to heavy ones, a residual of nothing but rounding may give steps that are never short: such a residual is accepted, too.
static int finish(iteration* it) {
  double before = it->norm;
  solve_step(it);
  int small = is_small(it, it->step);
  move(it, 1);
  if ((small && is_small(it, it->norm)) || accept_rounding(it, before)) return 1;
  it->idle += !(it->norm < 0.5 * before);
  return it->idle >= MAX_IDLE && is_small(it, it->norm) && it->norm <= ROUNDING * it->scale;
}

// Counts the iterations that did not halve the residual. Returns 1 when there were too many in a row.
static int stalls(iteration* it) {
  it->stalled += 1;
  if (it->norm < 0.5 * it->halved) it->halved = it->norm, it->stalled = 0;
  return it->stalled > MAX_STALL;
}

// Takes the first step by laws that are linearised at the end of the step as it is predicted (predict.h). Returns 0, with the velocities of before, where
// nothing is predicted or the residual does not fall enough. *reuses: whether the factors of the step are used again.
static int step_to_prediction(iteration* it, hfiNewtonResult* out, int* reuses) {
  hfiIsland* I = it->I;
  if (!hfi_predict(I, it->coupling)) return 0;
  double before = hfi_system_measure(I, &it->scale);
  out->iterations = 1;
  if (hfi_system_factor(I) != 0 || !solve_step(it)) return 0;
  move(it, 1);
  if (it->norm < PREDICTED * before) {
    out->converged = is_settled(it, before) || (is_small(it, it->norm) && finish(it));
    *reuses = keeps_factors(it, before, 0);
    return 1;
  }
  swap(&I->v, &I->v1), swap(&I->s, &I->s1);
  return 0;
}

hfiNewtonResult hfi_newton_solve(hfiIsland* I, const hfSolverConfig* config, int coupling, int rung,
                            hfiDuals duals) {
  iteration it = {.I = I,
                  .config = config,
                  .coupling = coupling,
                  .rung = rung,
                  .dual = duals != HFI_NO_DUALS};
  hfiNewtonResult out = {0, 0, 0, 0};
  int32_t most = imax2(config->max_iterations, rung == HF_RUNG_CONVEX ? MAX_CONVEX_ITERATIONS : 0);
  int reuses = 0;
  hfi_system_rows(I, I->v, I->s);
  if (rung != HF_RUNG_TAMSI || it.dual || !step_to_prediction(&it, &out, &reuses)) {
    evaluate(&it);
    if (duals == HFI_NEW_DUALS) hfi_dual_reset(I);
    it.halved = it.norm;
    out.converged = starts_balanced(&it);
  }
  while (out.iterations < most && !out.converged) {
    double alpha = 1, before = it.norm;
    out.iterations += reuses == 0; // An iteration is a factorisation.
    if (it.dual && reuses > 0) hfi_dual_evaluate(I); // find_direction does it too
    if (!(reuses > 0 ? solve_step(&it) : find_direction(&it))) break;
    if (it.dual)
      hfi_dual_update(I);
    else if (rung != HF_RUNG_CONVEX)
      alpha = limit_step(&it);
    alpha = rung == HF_RUNG_MERIT ? descend(&it, alpha) : advance(&it, alpha);
    if (alpha < 1) ++out.limited;
    if ((alpha == 1 && is_settled(&it, before)) || accept_rounding(&it, before))
      out.converged = 1;
    else if (is_small(&it, it.norm))
      out.converged = finish(&it);
    else if (alpha == 0 || (duals == HFI_KEPT_DUALS && stalls(&it)))
      break;
    reuses = alpha == 1 && keeps_factors(&it, before, reuses) ? reuses + 1 : 0;
  }
  out.residual = it.scale > 0 ? it.norm / it.scale : it.norm;
  return out;
}
