// Newton's method for r(v) = A v - p* - J^T gamma(J v) = 0 (TAMSI section V-C): one core, three
// line searches.
//
//   TAMSI   v += alpha dv,  alpha = min over the rows of the transition-aware line search;
//           in heaps alpha = 1
//   merit   the same, halved until |r| decreases
//   convex  alpha = 1, for problems whose r is a gradient
//
// Norms are mass-scaled: |r|^2 = sum r_i^2/A_ii, |dv|^2 = sum A_ii dv_i^2, both in sqrt(kg) m/s, so
// that one scale max(|p*|, |J^T gamma|) serves residual and step, normal and tangential directions,
// light and heavy bodies alike. Convergence asks for both: once the residual is small, the last
// factors give one more (simplified Newton) step almost for free; its length is the step test, and
// taking it brings the answer close to rounding. Where the residual fell so fast that the next step
// would be short too, the answer stands as it is.
// Factors are also kept for a second step where that is expected to reach the tolerance.
//
// Three rules make the iteration reliable with many contacts and strong coupling
// (docs/theory/tamsi.md):
//   a row stops a step only if the force it would miss matters against the residual;
//   where the unsymmetric term turns the step uphill, dv'r >= 0, it is left out of that step;
//   a step at whose end the residual along it has changed sign and grown is cut back (line.c).
//
// In an island of many trees some row is always about to cross its stick region, and the least alpha
// over all rows is small (docs/theory/heaps.md). There friction forces are kept beside the
// velocities (dual.c), the third rule alone shortens steps, and one that points uphill is reversed:
// along negative curvature Newton's step heads for the saddle, and the way down leads off it.
#include "solve/newton.h"

#include "linalg/dense.h"
#include "math/vec3.h"
#include "solve/dual.h"
#include "solve/line.h"
#include "solve/system.h"
#include "solve/tals.h"

#define RELEVANT         0.1  // force a row may miss, over the residual
#define DOWNHILL         1e-3 // least -dv'r/(|dv| |r|)
#define OVERSHOOT        0.5  // largest g(alpha)/-g(0) at the end of a step; in heaps:
#define OVERSHOOT_DUAL   0.1  // convex problems:
#define OVERSHOOT_CONVEX 0.05
#define SHORT            1e-6  // |dv| over the scale
#define KEPT             3e-3  // |r| after a step with old factors, over that before
#define SETTLED          0.5   // |r| over the tolerance that needs no last correction: half for rounding
#define CANCELLED        2e-15 // |r| over the largest impulse of a row that may be rounding
enum { MAX_CONVEX = 500, MAX_HALVINGS = 40 };

typedef struct iteration {
  hfiIsland* I;
  const hfSolverConfig* config;
  int coupling, rung;
  int dual; // friction forces are kept beside the velocities (dual.c), no row limits a step
  hfiTurn turn;
  double norm, scale; // of the residual
  double step;        // |dv| of the last step
} iteration;

static void evaluate(iteration* it) {
  hfi_system_respond(it->I, it->coupling);
  hfi_system_residual(it->I);
  it->norm = hfi_system_momentum_norm(it->I, it->I->r);
  it->scale = hfi_system_scale(it->I);
}

static int is_small(const iteration* it, double norm) {
  return norm <= it->config->tolerance * it->scale;
}

// Is the residual surely below the tolerance, and the next step, shorter than the last by what the
// residual gained, below it too?
static int is_settled(const iteration* it, double before) {
  return is_small(it, it->norm / SETTLED) && is_small(it, it->step * (it->norm / before));
}

// Impulses that cancel, a drive against a contact on one dof, leave rounding of their own size
// where neither p* nor their sum says so. Where a step gained nothing, that is what may be left.
static int is_rounding(iteration* it, double before) {
  if (it->norm < 0.5 * before) return 0;
  double rounding = CANCELLED * hfi_system_largest_impulse(it->I);
  if (it->norm > rounding) return 0;
  it->scale = max2(it->scale, rounding / it->config->tolerance);
  return 1;
}

// s1 = J v1 after a step. A short one is added to s: the rounding of v, times a stiff slope, would
// otherwise be the floor of the residual.
static void place_rows(iteration* it, double step) {
  hfiIsland* I = it->I;
  if (step > SHORT * it->scale) {
    hfi_system_rows(I, I->v1, I->s1);
    return;
  }
  hfi_system_rows(I, I->dv, I->ds);
  for (int32_t i = 0; i < I->nrow; ++i) I->s1[i] = I->s[i] + I->ds[i];
}

// dv = -K^-1 r with the factors at hand, v1 and s1 its end. Returns |dv|.
static double find_step(iteration* it) {
  hfiIsland* I = it->I;
  for (int32_t i = 0; i < I->n; ++i) I->dv[i] = -I->r[i];
  hfi_block_solve(&I->K, I->dv);
  for (int32_t i = 0; i < I->n; ++i) I->v1[i] = I->v[i] + I->dv[i];
  it->step = hfi_system_velocity_norm(I, I->dv);
  place_rows(it, it->step);
  return it->step;
}

// Would a step with the factors at hand reach the tolerance? What it leaves of the residual is known
// from the last one with them, and guessed after a Newton step.
static int keeps_factors(const iteration* it, double before, int kept) {
  return is_small(it, it->norm * (kept ? it->norm / before : KEPT));
}

// The step with the factors of the iterate before.
static int repeat_direction(iteration* it, double* along) {
  double step = find_step(it);
  *along = hfi_dot(it->I->dv, it->I->r, it->I->n);
  return isfinite(step);
}

// Takes -dv, downhill, instead of dv.
static int reverse_step(iteration* it, double* along) {
  hfiIsland* I = it->I;
  for (int32_t i = 0; i < I->n; ++i) I->dv[i] = -I->dv[i], I->v1[i] = I->v[i] + I->dv[i];
  place_rows(it, it->step);
  *along = -*along;
  return 1;
}

// The Newton step at v, *along = dv'r. Returns 0 when there is none.
static int find_direction(iteration* it, double* along) {
  hfiIsland* I = it->I;
  double step = 0;
  if (it->dual) hfi_dual_weigh(I);
  if (hfi_system_factor(I) == 0) {
    step = find_step(it);
    *along = hfi_dot(I->dv, I->r, I->n);
    if (*along <= -DOWNHILL * step * it->norm || !hfi_system_is_coupled(I)) return isfinite(step);
    if (it->dual && *along >= DOWNHILL * step * it->norm) return reverse_step(it, along);
  }
  hfi_system_decouple(I);
  if (hfi_system_factor(I)) return 0;
  step = find_step(it);
  *along = hfi_dot(I->dv, I->r, I->n);
  return isfinite(step);
}

// Would missing the transition of these rows change the residual noticeably? force: what may be
// missed.
static int matters(const iteration* it, const hfiIslandBlock* b, int row, double force) {
  const hfiIsland* I = it->I;
  return it->I->problem->h * force * hfi_system_row_weight(I, b, row) > RELEVANT * it->norm;
}

static inline double limit_group(const iteration* it, int32_t k, int g, double alpha) {
  const hfiIslandBlock* b = it->I->block + k;
  const double *s = it->I->s + b->row, *s1 = it->I->s1 + b->row, pi = it->I->response[k].pi;
  if (!(it->I->response[k].slipping >> g & 1)) return alpha; // steps from inside are not limited
  double a = hfi_tals_contact(b->contact, it->I->problem->h, g, pi, s, s1, it->turn);
  return a < alpha && matters(it, b, 1 + hfi_group_row(g), 2 * b->contact->mu[g] * pi) ? a : alpha;
}

static double limit_contact(const iteration* it, int32_t k, double alpha) {
  alpha = limit_group(it, k, HF_SLIDING, alpha);
  alpha = limit_group(it, k, HF_TORSION, alpha);
  return limit_group(it, k, HF_ROLLING, alpha);
}

static double limit_saturated(const iteration* it, const hfiIslandBlock* b, double alpha) {
  for (int32_t i = 0; i < b->dim; ++i) {
    const hfSaturatedRow* row = b->saturated + i;
    if (it->I->G[b->row + i] != 0) continue; // steps from inside are not limited
    double a = hfi_tals_saturated(row, it->I->s[b->row + i], it->I->s1[b->row + i]);
    if (a < alpha && matters(it, b, i, row->hi - row->lo)) alpha = a;
  }
  return alpha;
}

// The transition-aware line search over the island.
static double limit_step(const iteration* it) {
  double alpha = 1;
  for (int32_t k = 0; k < it->I->nblock; ++k) {
    const hfiIslandBlock* b = it->I->block + k;
    if (b->law == HF_LAW_SATURATED)
      alpha = limit_saturated(it, b, alpha);
    else if (it->I->response[k].slipping)
      alpha = limit_contact(it, k, alpha);
  }
  return alpha;
}

static void swap(double** a, double** b) {
  double* t = *a;
  *a = *b;
  *b = t;
}

// To v + alpha dv; what was left stays in v1, s1.
static void move(iteration* it, double alpha) {
  hfiIsland* I = it->I;
  if (alpha < 1) {
    for (int32_t i = 0; i < I->n; ++i) I->v1[i] = I->v[i] + alpha * I->dv[i];
    hfi_system_rows(I, I->v1, I->s1);
  }
  swap(&I->v, &I->v1);
  swap(&I->s, &I->s1);
  evaluate(it);
}

// From v1 (where the last move started) to v1 + alpha dv instead.
static void move_again(iteration* it, double alpha) {
  hfiIsland* I = it->I;
  for (int32_t i = 0; i < I->n; ++i) I->v[i] = I->v1[i] + alpha * I->dv[i];
  hfi_system_rows(I, I->v, I->s);
  evaluate(it);
}

// Moves by alpha, or less where that goes too far. Returns the step taken.
static double advance(iteration* it, double alpha, double along) {
  double overshoot = it->dual ? OVERSHOOT_DUAL : OVERSHOOT;
  if (it->rung == HF_RUNG_CONVEX) overshoot = OVERSHOOT_CONVEX;
  move(it, alpha);
  double end = hfi_dot(it->I->dv, it->I->r, it->I->n);
  if (!(along < 0 && end > -overshoot * along)) return alpha;
  alpha = hfi_line_cut(it->I, it->coupling, alpha, along, end);
  move_again(it, alpha);
  return alpha;
}

// Moves by the first of alpha, alpha/2, ... that lowers the residual (Armijo); 0 when none does.
static double descend(iteration* it, double alpha) {
  double norm = it->norm;
  move(it, alpha);
  for (int halving = 0; halving < MAX_HALVINGS; ++halving) {
    if (it->norm <= (1 - 1e-4 * alpha) * norm) return alpha;
    alpha *= 0.5;
    move_again(it, alpha);
  }
  return 0;
}

// With a small residual: the step test, and the last correction. 1 when converged.
static int finish(iteration* it) {
  int small = is_small(it, find_step(it));
  move(it, 1);
  return small && is_small(it, it->norm);
}

hfiOutcome hfi_newton_solve(hfiIsland* I, const hfSolverConfig* config, int coupling, int rung,
                            int dual) {
  iteration it = {.I = I,
                  .config = config,
                  .coupling = coupling,
                  .rung = rung,
                  .dual = dual,
                  .turn = {sin(config->theta_max), cos(config->theta_max)}};
  hfiOutcome out = {0, 0, 0, 0};
  int32_t most =
      rung == HF_RUNG_CONVEX ? imax2(config->max_iterations, MAX_CONVEX) : config->max_iterations;
  hfi_system_rows(I, I->v, I->s);
  evaluate(&it);
  if (it.dual) hfi_dual_begin(I);
  for (int kept = 0; out.iterations < most && !out.converged;) {
    double along = 0, alpha = 1, before = it.norm;
    out.iterations += !kept;
    if (!(kept ? repeat_direction : find_direction)(&it, &along)) break;
    if (it.dual)
      hfi_dual_advance(I);
    else if (rung != HF_RUNG_CONVEX)
      alpha = limit_step(&it);
    alpha = rung == HF_RUNG_MERIT ? descend(&it, alpha) : advance(&it, alpha, along);
    if (alpha < 1) ++out.limited;
    if ((alpha == 1 && is_settled(&it, before)) || is_rounding(&it, before))
      out.converged = 1;
    else if (is_small(&it, it.norm))
      out.converged = finish(&it);
    else if (alpha == 0)
      break;
    kept = alpha == 1 && keeps_factors(&it, before, kept);
  }
  out.residual = it.scale > 0 ? it.norm / it.scale : it.norm;
  return out;
}
