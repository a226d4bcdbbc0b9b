// One Newton step for a tree with one dof (step/solve/dof_rows.h). With the rows i, whose entry of the Jacobian is J_i,
//
//   r(v) = A v - p* - tau,   tau = sum J_i gamma_i(s_i),   s_i = J_i v,   K = A + sum J_i^2 G_i,   dv = -r/K
//
// |x| of a momentum is sqrt(x^2/A), |x| of a velocity sqrt(x^2 A). Sums have the order of tree_rows.c and system.c, so that the bits are the same.
#include "step/solve/dof_rows.h"

#include "math/vec3.h"
#include "step/solve/rounding.h"
#include "step/law/tals.h"

// The dof at the start of the step.
typedef struct Dof {
  double M, diag; // A = M + diag
  double p, v0;   // momentum p* and velocity
  double p_norm;  // |p*|
} Dof;

// What the rows give at a velocity: the residual, its norm, and the scale with which that is compared.
typedef struct Imbalance {
  double r, norm, scale;
} Imbalance;

static double momentum_norm(const hfiIsland* I, double x) { return sqrt(x * x * I->inverse_diag[0]); }

static Dof start(hfiIsland* I) {
  const hfStepProblem* P = I->problem;
  int32_t tree = I->tree[0], i = P->tree_start[tree];
  Dof d = {.M = P->M[P->M_start[tree]], .diag = P->diag[i], .p = P->p[i], .v0 = P->v0[i]};
  I->diag[0] = d.M + d.diag;
  I->inverse_diag[0] = 1 / I->diag[0];
  d.p_norm = momentum_norm(I, d.p);
  return d;
}

// Computes impulses and slopes of the rows at s, and the residual at v.
static Imbalance evaluate(hfiIsland* I, const Dof* d, double v, const double* s) {
  double tau = 0;
  for (int32_t i = 0; i < I->nscalar; ++i) {
    I->gamma[i] = hfi_saturated_respond(I->block[i].saturated, I->problem->h, s[i], I->G + i);
    tau += I->scalar[i].J * I->gamma[i];
  }
  I->tau[0] = tau;
  double r = d->diag * v + d->M * v - d->p - tau;
  return (Imbalance){r, momentum_norm(I, r), max2(d->p_norm, momentum_norm(I, tau))};
}

static int is_small(double norm, double tolerance, double scale) { return norm <= tolerance * scale; }

// K, from the slopes of the last evaluation.
static double find_slope(const hfiIsland* I) {
  double K = I->diag[0];
  for (int32_t i = 0; i < I->nscalar; ++i) K += sqr(I->scalar[i].J) * I->G[i];
  return K;
}

// Computes s1; after a short step dv as s + J dv. Returns 0 if a row that is at a bound would shorten the step.
static int find_end_rows(hfiIsland* I, double dv, int is_short) {
  int any_shortens = 0;
  for (int32_t i = 0; i < I->nscalar; ++i) {
    I->s1[i] = is_short ? I->s[i] + I->scalar[i].J * dv : I->scalar[i].J * I->v1[0];
    any_shortens |= I->G[i] == 0 && hfi_tals_saturated(I->block[i].saturated, I->s[i], I->s1[i]) < 1;
  }
  return !any_shortens;
}

// Takes the full step from the start, where the residual is *at. Returns 1 if the end of the step is the answer; *at is then the residual there.
static int take_step(hfiIsland* I, const Dof* d, double tolerance, Imbalance* at) {
  double K = find_slope(I), before = at->norm;
  if (!(K > 0 && K <= 1e308)) return 0;
  double dv = -at->r * (1 / K), step = sqrt(dv * dv * I->diag[0]), g_start = dv * at->r;
  I->v1[0] = d->v0 + dv;
  if (!isfinite(step) || !find_end_rows(I, dv, !(step > HFI_SHORT_STEP * at->scale))) return 0;
  *at = evaluate(I, d, I->v1[0], I->s1);
  if (g_start < 0 && dv * at->r > -HFI_OVERSHOOT * g_start) return 0;
  return is_small(at->norm / HFI_SETTLED, tolerance, at->scale) && is_small(step * (at->norm / before), tolerance, at->scale);
}

// Whether a dof that rests stays at rest. If it does, sets v1 to zero and s1 to s.
static int stays_at_rest(hfiIsland* I, double v0, double tolerance, const Imbalance* at) {
  if (!is_small(at->norm / HFI_BALANCED, tolerance, at->scale) || v0 != 0) return 0;
  I->work[0] = 0;
  if (!hfi_is_negligible(I, tolerance, &at->r)) return 0;
  I->v1[0] = 0;
  for (int32_t i = 0; i < I->nscalar; ++i) I->s1[i] = I->s[i];
  return 1;
}

int hfi_dof_rows_solve(hfiIsland* I, double tolerance, hfiNewtonResult* out) {
  Dof d = start(I);
  for (int32_t i = 0; i < I->nscalar; ++i) I->s[i] = I->scalar[i].J * d.v0;
  Imbalance at = evaluate(I, &d, d.v0, I->s);
  int moves = at.norm / HFI_BALANCED_ROUNDING > tolerance * at.scale;
  if (!(moves ? take_step(I, &d, tolerance, &at) : stays_at_rest(I, d.v0, tolerance, &at))) return 0;
  *out = (hfiNewtonResult){.converged = 1, .iterations = moves, .residual = at.scale > 0 ? at.norm / at.scale : at.norm};
  return 1;
}
