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
static const double GRADIENT_ROUNDING_SHARE = 1e-14;
enum { PASSES_A_VARIABLE = 20 }; // A problem of n variables may take this many passes times n + 1.

// Computes the minimum box->y over the free variables, which box->index lists. U is scratch. Returns 0, or another
// number where H_FF has no factor.
static int solve_free(const hfiBoxProblem* box, int nfree) {
  double* U = box->U;
  double* y = box->y;

  // U = H_FF, y = g_F - H_FB x_B
  for (int a = 0; a < nfree; ++a) {
    const double* row = box->H + box->n * box->index[a];
    y[a] = box->g[box->index[a]];
    for (int k = 0; k < box->n; ++k)
      if (box->held[k] != 0) y[a] -= row[k] * box->x[k];
    for (int b = a; b < nfree; ++b) U[a * nfree + b] = row[box->index[b]];
  }

  if (hfi_cholesky(U, nfree, nfree) != 0) return 1;
  hfi_cholesky_solve(U, nfree, nfree, y);
  return 0;
}

// Moves x towards y until the first bound. y[a] belongs to the free variable box->index[a], a < nfree. Returns the
// variable that meets a bound, or -1 if y was reached. box->held of this variable becomes -1 at lo and 1 at hi.
static int step_free(const hfiBoxProblem* box, int nfree) {
  const double* lo = box->lo;
  const double* hi = box->hi;
  const double* y = box->y;
  double* x = box->x;

  // the share of the way at which the first bound is met
  double share = 1;
  int blocking = -1;
  for (int a = 0; a < nfree; ++a) {
    int i = box->index[a];
    if (y[a] >= lo[i] && y[a] <= hi[i]) continue;

    double bound = y[a] < lo[i] ? lo[i] : hi[i];
    double t = (bound - x[i]) / (y[a] - x[i]);
    if (t < share || blocking < 0) {
      share = t;
      blocking = i;
    }
  }

  // the step
  for (int a = 0; a < nfree; ++a) {
    int i = box->index[a];
    double end = share < 1 ? x[i] + share * (y[a] - x[i]) : y[a];
    x[i] = clamp(end, lo[i], hi[i]);
    if (i == blocking) {
      box->held[i] = y[a] < lo[i] ? -1 : 1;
      x[i] = box->held[i] < 0 ? lo[i] : hi[i];
    }
  }
  return blocking;
}

// Returns the bound variable that gains most by being freed, or -1 if none does.
static int find_release(const hfiBoxProblem* box) {
  int release = -1;
  double steepest = 0;

  for (int i = 0; i < box->n; ++i) {
    if (box->held[i] == 0 || box->lo[i] == box->hi[i]) continue;

    // if `inward` is positive, the value falls towards the inside
    double row = hfi_dot(box->H + box->n * i, box->x, box->n);
    double inward = box->held[i] * (row - box->g[i]);
    if (inward > steepest + GRADIENT_ROUNDING_SHARE * (fabs(row) + fabs(box->g[i]))) {
      steepest = inward;
      release = i;
    }
  }
  return release;
}

// Writes the minimum to box->x, from any start there. Returns the number of passes, or -1 if there were too many or H
// has no factor.
int hfi_box_minimise(const hfiBoxProblem* box) {
  for (int i = 0; i < box->n; ++i) {
    box->x[i] = clamp(box->x[i], box->lo[i], box->hi[i]);
    box->held[i] = box->lo[i] == box->hi[i] ? -1 : 0; // 0: it is free
  }

  for (int pass = 1; pass <= PASSES_A_VARIABLE * (box->n + 1); ++pass) {
    // the set F of free variables
    int nfree = 0;
    for (int i = 0; i < box->n; ++i)
      if (box->held[i] == 0) box->index[nfree++] = i;

    // steps 1 and 2; where a bound was met, again; otherwise step 3
    if (solve_free(box, nfree) != 0) return -1;
    if (step_free(box, nfree) >= 0) continue;

    int release = find_release(box);
    if (release < 0) return pass;
    box->held[release] = 0;
  }
  return -1;
}
