// The rigid step by maximal dissipation (Drumwright and Shell 2010), in two forms. The symbols are those of mlcp.c. The saturated rows J_s, with
// impulses x_s, are called targets. F are the tangent rows of a contact, with impulses f1 and f2.
//
// Two-stage form (the paper's experimental solver). It solves the frictionless problem first. Then it chooses the impulses that leave the least kinetic
// energy while targets and normal velocities are still met:
//
//   min 1/2 v^T A v over x,   v = v* + A^-1 J^T x
//   targets   J_s v + R x_s = s0 where x_s is inside its bounds       free multiplier
//   normals   N v >= b                                                multiplier >= 0
//   friction  |f1|, |f2| <= mu fN, with fN of the first stage
//
// The conditions of optimality are a mixed complementarity problem for x and the multipliers nu. C has the rows of G for targets and normals:
//
//   [ G + eps   -C^T ] [x  ]   [ g    ]       x between its bounds
//   [ C          eps ] [nu ] + [ d    ]       nu free or >= 0
//
// The energy includes the energy that the targets supply. So a foot need not rest at the least energy: the body of a walking robot would stand still
// while its feet slide.
//
// Dissipation form. Targets are met first. Contact forces then minimise the kinetic energy of the motion that the targets leave free, relative to the
// motion that they prescribe. The gradient of that energy is the velocity of the contact:
//
//   targets   J_s v + R x_s - s0 = 0 where x_s is inside its bounds
//   normals   fN >= 0  complementary to  N v - b - mu sum_k sigma_k
//   friction  F v = sum_k sigma_k d_k,  sigma_k >= 0  complementary to  mu fN - d_k^T f
//
//   d_k      sides (+-1, +-1) of the pyramid |f1| + |f2| <= mu fN, k = 1 ... 4
//   sigma_k  their multipliers [m/s]
//
// This is a convex problem. A contact that sticks has exactly no slip; a contact that slides also lifts a little (Anitescu). The pyramid is inside the
// round cone, so that a step with the round cone can have these forces, too.
//
// eps. G has at most nv independent rows. So a small share eps of its mean diagonal is added to the diagonal. Contacts of the dissipation form get a
// larger share, so that nearly the smallest of all forces with the same effect are chosen.
#include "methods/mlcp/mlcp.h"

#include "math/vec3.h"

#include <string.h>

// eps relative to the mean diagonal of G [-]. The second number is used for contacts of the dissipation form.
static const double REGULARISATION = 1e-8;
static const double CONTACT_REGULARISATION = 1e-4;

// A velocity is a sum of terms. If it is below this share of their absolute sum, it is set to zero [-]. At rest it would be only a rounding error; the
// bounds of the problem would be 1e15 times as large as such velocities, and the problem could not be solved.
static const double ROUNDING = 1e-14;

// Returns the velocity of row i for the impulses x.
static double row_velocity(const hfMlcp* m, int i, const double* x) {
  double v = m->g[i], terms = fabs(v);
  for (int j = 0; j < m->n; ++j) {
    double part = m->G[i * m->n + j] * x[j];
    v += part;
    terms += fabs(part);
  }
  return fabs(v) < ROUNDING * terms ? 0 : v;
}

// Writes the row of the multiplier of target or normal i in the two-stage form. v: velocity of row i at x0; n: number of unknowns x and nu.
static void write_multiplier(hfMlcp* m, int n, int i, double v, double x0) {
  int nx = m->n, row = nx + i;
  double* A = m->lcp_A;
  for (int j = 0; j < nx; ++j) A[row * n + j] = m->G[i * nx + j], A[j * n + row] = -m->G[i * nx + j];
  A[row * n + i] += m->soft[i];
  A[i * n + row] -= m->soft[i];
  m->lcp_b[row] = v + m->soft[i] * x0 - m->target[i];
  m->lcp_lo[row] = i < m->ns ? -INFINITY : 0;
  m->lcp_hi[row] = INFINITY;
}

// Writes the conditions of optimality of the two-stage form. The unknowns are x - x0 and nu; n: their number.
static void write_optimality(hfMlcp* m, int n, const double* x0) {
  int nx = m->n, nk = m->ns + m->nc;
  double eps = REGULARISATION * hfi_mlcp_mean_diagonal(m), *A = m->lcp_A;
  memset(A, 0, sizeof *A * (size_t)n * (size_t)n);
  for (int i = 0; i < nx; ++i) {
    double v = row_velocity(m, i, x0);
    for (int j = 0; j < nx; ++j) A[i * n + j] = m->G[i * nx + j];
    m->lcp_b[i] = i < nk ? v : v - m->target[i];
    m->lcp_lo[i] = m->lo[i] - x0[i];
    m->lcp_hi[i] = m->hi[i] - x0[i];
    if (i < nk) write_multiplier(m, n, i, v, x0[i]);
  }
  for (int i = 0; i < n; ++i) A[i * n + i] += eps;
}

// Solves the problem of targets and normals, without friction.
static hfStatus solve_frictionless(hfMlcp* m, hfSolveReport* report, hfError* error) {
  int n = m->ns + m->nc;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) m->lcp_A[i * n + j] = m->G[i * m->n + j];
    m->lcp_A[i * n + i] += m->soft[i];
    m->lcp_b[i] = m->g[i] - m->target[i];
    m->lcp_lo[i] = m->lo[i], m->lcp_hi[i] = m->hi[i];
  }
  hfStatus status = hfi_mlcp_run(m, n, report, error);
  if (status < 0) return status;
  memset(m->x, 0, sizeof *m->x * (size_t)m->n);
  memcpy(m->x, m->z, sizeof *m->x * (size_t)n);
  return status;
}

hfStatus hfi_mlcp_two_stage(hfMlcp* m, hfSolveReport* report, hfError* error) {
  hfStatus status = solve_frictionless(m, report, error);
  if (status != HF_OK || m->nt == 0) return status;
  for (int c = 0; c < m->nc; ++c) {
    double bound = m->mu[c] * m->x[m->ns + c];
    for (int i = 0; m->tangent[c] >= 0 && i < 2; ++i) m->lo[m->tangent[c] + i] = -bound, m->hi[m->tangent[c] + i] = bound;
  }
  write_optimality(m, m->n + m->ns + m->nc, m->x);
  status = hfi_mlcp_run(m, m->n + m->ns + m->nc, report, error);
  if (status < 0) return status;
  for (int i = 0; i < m->n; ++i) m->x[i] += m->z[i];
  return status;
}

// Writes the rows of x of the dissipation form. n: number of unknowns x and sigma.
static void write_velocities(hfMlcp* m, int n) {
  double mean = hfi_mlcp_mean_diagonal(m);
  memset(m->lcp_A, 0, sizeof *m->lcp_A * (size_t)n * (size_t)n);
  for (int i = 0; i < m->n; ++i) {
    for (int j = 0; j < m->n; ++j) m->lcp_A[i * n + j] = m->G[i * m->n + j];
    m->lcp_A[i * n + i] += m->soft[i] + (i < m->ns ? REGULARISATION : CONTACT_REGULARISATION) * mean;
    m->lcp_b[i] = m->g[i] - m->target[i];
    m->lcp_lo[i] = m->lo[i], m->lcp_hi[i] = m->hi[i];
  }
}

hfStatus hfi_mlcp_dissipation(hfMlcp* m, hfSolveReport* report, hfError* error) {
  int side = m->n, n = side + 4 * m->nt;
  write_velocities(m, n);
  for (int c = 0; c < m->nc; ++c) {
    if (m->tangent[c] < 0) continue;
    for (int k = 0; k < 4; ++k, ++side) { // mu fN +- f1 +- f2 >= 0
      int normal = m->ns + c;
      m->lcp_A[side * n + normal] = m->mu[c], m->lcp_A[normal * n + side] = -m->mu[c];
      for (int i = 0; i < 2; ++i) {
        int f = m->tangent[c] + i;
        double sign = k >> i & 1 ? 1 : -1;
        m->lcp_A[side * n + f] = sign, m->lcp_A[f * n + side] = -sign;
      }
      m->lcp_b[side] = 0, m->lcp_lo[side] = 0, m->lcp_hi[side] = INFINITY;
    }
  }
  hfStatus status = hfi_mlcp_run(m, n, report, error);
  if (status >= 0) memcpy(m->x, m->z, sizeof *m->x * (size_t)m->n);
  return status;
}
