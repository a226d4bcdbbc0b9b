// The minimum of a strictly convex quadratic in a box, by a primal active set.
//
//   min 1/2 x^T H x - g^T x,  lo <= x <= hi
//
// B is the set of variables that are held at a bound, F that of the free ones.
//   1. Compute the minimum y over the free variables: H_FF y = g_F - H_FB x_B.
//   2. Move x towards y. If a bound is met on the way, its variable joins B; go to 1.
//   3. Otherwise free the variable of B whose multiplier m = H x - g pulls inward the most (m < 0 at lo, m > 0 at hi),
//      and go to 1. If none pulls inward, x is the minimum (Karush, Kuhn, Tucker).
// The value falls with every full step, so that no set B occurs twice (Nocedal, Wright, Numerical
// Optimization, 2006, section 16.5).
#include "robot/manipulation/arm.h"

#include "linalg/dense.h"

// A multiplier pulls inward only if it is above this share of its terms [-]: less is rounding.
static const double ROUNDING_SHARE = 1e-14;
enum { PASSES = 20 }; // A problem of n variables may take this many passes times n + 1.

// Computes the minimum p->y over the free variables, which p->index lists. U is scratch.
// Returns nonzero where H_FF has no factor.
static int solve_free(const hfiBoxProblem* p, int nfree) {
  double *U = p->U, *y = p->y;

  // U = H_FF, y = g_F - H_FB x_B
  for (int a = 0; a < nfree; ++a) {
    const double* row = p->H + p->n * p->index[a];
    y[a] = p->g[p->index[a]];
    for (int k = 0; k < p->n; ++k)
      if (p->at[k] != 0) y[a] -= row[k] * p->x[k];
    for (int b = a; b < nfree; ++b) U[a * nfree + b] = row[p->index[b]];
  }

  if (hfi_cholesky(U, nfree, nfree) != 0) return 1;
  hfi_cholesky_solve(U, nfree, nfree, y);
  return 0;
}

// Moves x towards y until the first bound, and writes there p->at of the variable that is held.
// Returns this variable, or -1 if y was reached.
static int step_free(const hfiBoxProblem* p, int nfree) {
  const double *lo = p->lo, *hi = p->hi, *y = p->y;
  double* x = p->x;

  // the share of the way at which the first bound is met
  double share = 1;
  int blocking = -1;
  for (int a = 0; a < nfree; ++a) {
    int i = p->index[a];
    if (y[a] >= lo[i] && y[a] <= hi[i]) continue;
    double bound = y[a] < lo[i] ? lo[i] : hi[i];
    double t = (bound - x[i]) / (y[a] - x[i]);
    if (t < share || blocking < 0) {
      share = t;
      blocking = i;
    }
  }

  for (int a = 0; a < nfree; ++a) {
    int i = p->index[a];
    double end = share < 1 ? x[i] + share * (y[a] - x[i]) : y[a];
    x[i] = clamp(end, lo[i], hi[i]);
    if (i == blocking) {
      p->at[i] = y[a] < lo[i] ? -1 : 1;
      x[i] = p->at[i] < 0 ? lo[i] : hi[i];
    }
  }
  return blocking;
}

// Returns the bound variable that gains most by being freed, or -1 if none does.
static int find_release(const hfiBoxProblem* p) {
  int release = -1;
  double steepest = 0;

  for (int i = 0; i < p->n; ++i) {
    if (p->at[i] == 0 || p->lo[i] == p->hi[i]) continue;

    // If `inward` is positive, the value falls towards the inside.
    double row = hfi_dot(p->H + p->n * i, p->x, p->n);
    double inward = p->at[i] * (row - p->g[i]);
    if (inward > steepest + ROUNDING_SHARE * (fabs(row) + fabs(p->g[i]))) {
      steepest = inward;
      release = i;
    }
  }
  return release;
}

int hfi_box_minimise(const hfiBoxProblem* p) {
  for (int i = 0; i < p->n; ++i) {
    p->x[i] = clamp(p->x[i], p->lo[i], p->hi[i]);
    p->at[i] = p->lo[i] == p->hi[i] ? -1 : 0;
  }

  for (int pass = 1; pass <= PASSES * (p->n + 1); ++pass) {
    // the set F of free variables
    int nfree = 0;
    for (int i = 0; i < p->n; ++i)
      if (p->at[i] == 0) p->index[nfree++] = i;

    if (solve_free(p, nfree) != 0) return -1;
    if (step_free(p, nfree) >= 0) continue;

    int release = find_release(p);
    if (release < 0) return pass;
    p->at[release] = 0;
  }
  return -1;
}
