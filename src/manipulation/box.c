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
#include "manipulation/arm.h"

#include "linalg/dense.h"

static int gather_free(int n, const int32_t* at, int32_t* index) {
  int count = 0;
  for (int i = 0; i < n; ++i)
    if (at[i] == 0) index[count++] = i;
  return count;
}

// Computes the minimum y over the free variables. Returns nonzero where H_FF has no factor.
static int solve_free(int n, const double* H, const double* g, const double* x, const int32_t* at,
                      int nfree, const int32_t* index, double* U, double* y) {
  for (int a = 0; a < nfree; ++a) {
    const double* row = H + n * index[a];
    y[a] = g[index[a]];
    for (int k = 0; k < n; ++k)
      if (at[k] != 0) y[a] -= row[k] * x[k];
    for (int b = a; b < nfree; ++b) U[a * nfree + b] = row[index[b]];
  }
  if (hfi_cholesky(U, nfree, nfree) != 0) return 1;
  hfi_cholesky_solve(U, nfree, nfree, y);
  return 0;
}

// Moves x towards y until the first bound. Returns its variable, or -1 if y was reached.
static int step_free(int nfree, const int32_t* index, const double* lo, const double* hi,
                     const double* y, double* x, int32_t* at) {
  double share = 1;
  int blocking = -1;
  for (int a = 0; a < nfree; ++a) {
    int i = index[a];
    double bound = y[a] < lo[i] ? lo[i] : hi[i];
    if (y[a] >= lo[i] && y[a] <= hi[i]) continue;
    double t = (bound - x[i]) / (y[a] - x[i]);
    if (t < share || blocking < 0) share = t, blocking = i;
  }
  for (int a = 0; a < nfree; ++a) {
    int i = index[a];
    x[i] = clamp(share < 1 ? x[i] + share * (y[a] - x[i]) : y[a], lo[i], hi[i]);
    if (i == blocking) at[i] = y[a] < lo[i] ? -1 : 1, x[i] = at[i] < 0 ? lo[i] : hi[i];
  }
  return blocking;
}

// Returns the bound variable that gains most by being freed, or -1.
static int find_release(int n, const double* H, const double* g, const double* lo, const double* hi,
                        const double* x, const int32_t* at) {
  int worst = -1;
  double most = 0;
  for (int i = 0; i < n; ++i) {
    if (at[i] == 0 || lo[i] == hi[i]) continue;
    double row = hfi_dot(H + n * i, x, n),
           inward = at[i] * (row - g[i]); // If positive, the value falls towards the inside.
    if (inward > most + 1e-14 * (fabs(row) + fabs(g[i]))) most = inward, worst = i;
  }
  return worst;
}

int hfi_box_minimise(int n, const double* H, const double* g, const double* lo, const double* hi,
                     double* x, int32_t* at, double* U, double* y, int32_t* index) {
  for (int i = 0; i < n; ++i) {
    x[i] = clamp(x[i], lo[i], hi[i]);
    at[i] = lo[i] == hi[i] ? -1 : 0;
  }
  for (int pass = 1, most = 20 * (n + 1); pass <= most; ++pass) {
    int nfree = gather_free(n, at, index);
    if (solve_free(n, H, g, x, at, nfree, index, U, y) != 0) return -1;
    if (step_free(nfree, index, lo, hi, y, x, at) >= 0) continue;
    int release = find_release(n, H, g, lo, hi, x, at);
    if (release < 0) return pass;
    at[release] = 0;
  }
  return -1;
}
