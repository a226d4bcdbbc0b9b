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

enum { PASSES = 20 }; // A problem of n variables may take this many passes times n + 1.

// Lists the free variables in p->index. Returns their number.
static int gather_free(const hfiBoxProblem* p) {
  int count = 0;
  for (int i = 0; i < p->n; ++i)
    if (p->at[i] == 0) p->index[count++] = i;
  return count;
}

// Computes the minimum p->y over the free variables. Returns nonzero where H_FF has no factor.
static int solve_free(const hfiBoxProblem* p, int nfree) {
  double *U = p->U, *y = p->y;
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

// Moves x towards y until the first bound. Returns its variable, or -1 if y was reached.
static int step_free(const hfiBoxProblem* p, int nfree) {
  const double *lo = p->lo, *hi = p->hi, *y = p->y;
  double share = 1, *x = p->x;
  int blocking = -1;
  for (int a = 0; a < nfree; ++a) {
    int i = p->index[a];
    double bound = y[a] < lo[i] ? lo[i] : hi[i];
    if (y[a] >= lo[i] && y[a] <= hi[i]) continue;
    double t = (bound - x[i]) / (y[a] - x[i]);
    if (t < share || blocking < 0) share = t, blocking = i;
  }
  for (int a = 0; a < nfree; ++a) {
    int i = p->index[a];
    x[i] = clamp(share < 1 ? x[i] + share * (y[a] - x[i]) : y[a], lo[i], hi[i]);
    if (i == blocking) p->at[i] = y[a] < lo[i] ? -1 : 1, x[i] = p->at[i] < 0 ? lo[i] : hi[i];
  }
  return blocking;
}

// Returns the bound variable that gains most by being freed, or -1.
static int find_release(const hfiBoxProblem* p) {
  int worst = -1;
  double most = 0;
  for (int i = 0; i < p->n; ++i) {
    if (p->at[i] == 0 || p->lo[i] == p->hi[i]) continue;
    double row = hfi_dot(p->H + p->n * i, p->x, p->n);
    double inward = p->at[i] * (row - p->g[i]); // If positive, the value falls towards the inside.
    if (inward > most + 1e-14 * (fabs(row) + fabs(p->g[i]))) most = inward, worst = i;
  }
  return worst;
}

int hfi_box_minimise(const hfiBoxProblem* p) {
  for (int i = 0; i < p->n; ++i) {
    p->x[i] = clamp(p->x[i], p->lo[i], p->hi[i]);
    p->at[i] = p->lo[i] == p->hi[i] ? -1 : 0;
  }
  for (int pass = 1; pass <= PASSES * (p->n + 1); ++pass) {
    int nfree = gather_free(p);
    if (solve_free(p, nfree) != 0) return -1;
    if (step_free(p, nfree) >= 0) continue;
    int release = find_release(p);
    if (release < 0) return pass;
    p->at[release] = 0;
  }
  return -1;
}
