// The share alpha of a Newton step that the rows of an island allow. tals.h has the search for a single row.
//
//   s, s1  row velocities at the start and at the end of the full step
//   r      residual at the start       pi  normal force of a contact at the start
//   b      bound of a row's force      D   1/sqrt(A_ii), the scale of momenta
//
// A jump across the stick region of a row changes its impulse by at most 2 h b. The row may shorten the step only if
// that change matters:
//
//   2 h b |D J_row^T| > RELEVANT_FORCE |D r|                                  (docs/theory/tals.md)
//
// Otherwise, with many contacts, some row with a negligible force would always demand a tiny alpha.

#include "step/solve/bracket.h"
#include "step/solve/inside.h"

#include "linalg/dense.h"
#include "math/vec3.h"
#include "step/law/law.h"

// ---- the rows ----------------------------------------------------------------------------------------

// The search ignores a row if its change of impulse is below this share of the residual [-].
static const double RELEVANT_FORCE = 0.1;

// The numbers that the search needs for every row.
typedef struct RowSearch {
  const hfiIsland* I;
  double norm;  // |D r| [sqrt(kg) m/s]
  hfiSine turn; // largest turn of a slip velocity
} RowSearch;

// Would the residual change noticeably if the force of row i of block b were wrong by `force` [N or N m]?
static int force_matters(const RowSearch* search, const hfiIslandBlock* b, int i, double force) {
  return search->I->problem->h * force * hfi_system_row_weight(search->I, b, i) > RELEVANT_FORCE * search->norm;
}

// Returns alpha, the share that the rows before allow, or less if friction group g of contact k demands less. Only a
// group that slips demands less: inside the stick region the law is linear. A jump across the stick region reverses the
// force, which changes it by twice its bound mu pi.
static inline double limit_group(const RowSearch* search, int32_t k, int g, double alpha) {
  const hfiIsland* I = search->I;
  const hfiIslandBlock* b = I->block + k;
  const double* s = I->rows.s + b->row;
  const double* s1 = I->rows.s1 + b->row;
  double pi = I->rows.response[k].pi_mu;
  if (!(I->rows.response[k].slipping >> g & 1)) return alpha;

  double demanded = hfi_tals_contact(b->contact, I->problem->h, g, pi, s, s1, search->turn);
  if (!(demanded < alpha)) return alpha;
  return force_matters(search, b, 1 + hfi_group_row(g), 2 * b->contact->mu[g] * pi) ? demanded : alpha;
}

// Returns alpha, or less if any friction group of contact k demands less.
static double limit_contact(const RowSearch* search, int32_t k, double alpha) {
  alpha = limit_group(search, k, HF_SLIDING, alpha);
  alpha = limit_group(search, k, HF_TORSION, alpha);
  return limit_group(search, k, HF_ROLLING, alpha);
}

// Returns alpha, or less if a row of a saturated block that is at a bound (its slope G is zero) demands less. A jump
// goes from one bound to the other.
static double limit_saturated(const RowSearch* search, const hfiIslandBlock* b, double alpha) {
  const hfiIsland* I = search->I;
  for (int32_t i = 0; i < b->dim; ++i) {
    const hfSaturatedRow* law = b->saturated + i;
    int32_t row = b->row + i;
    if (I->rows.G[row] != 0) continue;
    double demanded = hfi_tals_saturated(law, I->rows.s[row], I->rows.s1[row]);
    if (demanded < alpha && force_matters(search, b, i, law->hi - law->lo)) alpha = demanded;
  }
  return alpha;
}

// Returns the smallest alpha that a row demands (newton.h).
double hfi_search_rows(const hfiIsland* I, double norm, double theta_max, hfiSine* turn) {
  RowSearch search = {I, norm, *turn};
  double alpha = 1;

  // scalars at a bound
  for (int32_t k = 0; k < I->nscalar; ++k)
    if (I->rows.G[k] == 0) alpha = limit_saturated(&search, I->block + k, alpha);

  // other saturated blocks, and contacts that slip
  for (int32_t k = I->nscalar; k < I->nblock; ++k) {
    if (I->block[k].law == HF_LAW_SATURATED)
      alpha = limit_saturated(&search, I->block + k, alpha);
    else if (I->rows.response[k].slipping) {
      if (search.turn.sin == 0) search.turn = hfi_sine(theta_max);
      *turn = search.turn;
      alpha = limit_contact(&search, k, alpha);
    }
  }
  return alpha;
}

// Is scalar k at a bound, and would the step carry it across its whole interval to the other bound? Rows with s0 = 0,
// such as some joint friction, do not count: they only resist motion, and a joint mostly reverses its motion without
// the other joints.
static int crosses_interval(const RowSearch* search, int32_t k) {
  const hfiIsland* I = search->I;
  const hfSaturatedRow* law = I->block[k].saturated;
  if (I->rows.G[k] != 0 || law->s0 == 0) return 0;
  if (!(hfi_tals_saturated(law, I->rows.s[k], I->rows.s1[k]) < 1)) return 0;
  return force_matters(search, I->block + k, 0, law->hi - law->lo);
}

// Gives the scalars that cross their interval a linear law without bounds: changes gamma, G, r and K to match. Returns
// how many these are.
int32_t hfi_release_crossing_rows(hfiIsland* I, double norm) {
  RowSearch search = {.I = I, .norm = norm};
  double h = I->problem->h;
  int32_t count = 0;

  for (int32_t k = 0; k < I->nscalar; ++k) {
    if (!crosses_interval(&search, k)) continue;
    const hfiScalar* scalar = I->scalar + k;
    const hfSaturatedRow* law = I->block[k].saturated;

    // the impulse of the law without its bounds
    double impulse = h * hfi_saturated_unclamped(law, I->rows.s[k]);
    I->dofs.r[scalar->dof] -= scalar->J * (impulse - I->rows.gamma[k]);
    I->rows.gamma[k] = impulse;
    I->rows.G[k] = h * law->kappa;
    I->matrix.K.value[scalar->diagonal] += sqr(scalar->J) * I->rows.G[k];
    ++count;
  }
  return count;
}

// ---- the residual along a step -----------------------------------------------------------------------
//
//   g(alpha) = dv'r(v + alpha dv) = dv'(A v - p*) + alpha dv'A dv - ds'gamma(s + alpha ds)
//
//   v, s  velocities and row velocities J v at the start     dv  Newton step, ds = J dv
//   r     residual, A mass matrix, p* free momentum          gamma  impulses of the rows
//
// The island has the start of the step in v1 and s1, and its end in v, s and Av.
//
// g is negative at the start. If it is positive at the end, the step went too far. For a convex problem g is the slope
// of the function that is minimised, and grows with alpha. In general it need not grow, but any point at which it
// changes its sign can be used.
//
// By the formula above, a trial point costs only one evaluation of the laws. The change of sign is bracketed
// (bracket.h). If a stiff row makes g jump, the upper end of the bracket, beyond the jump, is returned, so that the
// next Newton matrix contains that row.

// A trial point is accepted if |g| is below this share of |g(0)| [-].
static const double SMALL_RESIDUAL = 0.3;
// Every third trial is a bisection, and twenty bisections shrink the bracket to 1e-6 of its length.
enum { MAX_TRIALS = 60 };

// Returns g(alpha) = base + alpha rate - ds'gamma(s1 + alpha ds). Sets I->rows.s and I->rows.gamma to those of that
// point.
static double evaluate_along(hfiIsland* I, int coupling, double base, double rate, double alpha) {
  hfi_move(I->rows.s, I->rows.s1, alpha, I->rows.ds, I->nrow);
  hfi_system_impulses(I, coupling);
  return base + alpha * rate - hfi_dot(I->rows.ds, I->rows.gamma, I->nrow);
}

// Returns an alpha at which |g| is small, or the upper end of a bracket at which g jumps (newton.h).
//   alpha       share of dv that was taken
//   start, end  g before (< 0) and after (> 0) that move
double hfi_line_cut(hfiIsland* I, int coupling, double alpha, double start, double end) {
  hfiDofVectors* x = &I->dofs;
  hfiBracket bracket = hfi_bracket((hfiTrial){0, start}, (hfiTrial){alpha, end});
  hfi_system_row_changes(I, x->dv, I->rows.ds);

  // the terms of g without the impulses: base + alpha rate
  hfi_system_multiply(I, x->dv, x->work);
  double rate = hfi_dot(x->dv, x->work, I->n);
  double base = 0;
  for (int32_t i = 0; i < I->n; ++i) base += x->dv[i] * (x->Av[i] - x->p[i]);
  base -= alpha * rate; // Av belongs to the end of the step.

  while (bracket.trials < MAX_TRIALS) {
    hfiTrial trial;
    trial.alpha = hfi_bracket_choose(&bracket);
    if (!hfi_bracket_holds(&bracket, trial.alpha)) break;

    trial.g = evaluate_along(I, coupling, base, rate, trial.alpha);
    if (fabs(trial.g) <= SMALL_RESIDUAL * -start) return trial.alpha;
    hfi_bracket_add(&bracket, trial);
  }
  return bracket.hi.alpha;
}
