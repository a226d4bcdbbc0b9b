// The rigid step by maximal dissipation (Drumwright and Shell 2010), in two forms. The symbols are those of mlcp.c. The
// saturated rows J_s, with impulses x_s, are called targets. F are the tangent rows of a contact, with impulses f1 and
// f2.
//
// Two-stage form (the paper's experimental solver). It solves the frictionless problem first. Then it chooses the
// impulses that leave the least kinetic energy while targets and normal velocities are still met:
//
//   min 1/2 v^T A v over x,   v = v* + A^-1 J^T x
//   targets   J_s v + R x_s = s0 where x_s is inside its bounds       free multiplier
//   normals   N v >= b                                                multiplier >= 0
//   friction  |f1|, |f2| <= mu fN, with fN of the first stage
//
// The conditions of optimality are a mixed complementarity problem for x and the multipliers nu. C has the rows of G
// for targets and normals:
//
//   [ G + eps   -C^T ] [x  ]   [ g    ]       x between its bounds
//   [ C          eps ] [nu ] + [ d    ]       nu free or >= 0
//
// The energy includes the energy that the targets supply. So a foot need not rest at the least energy: the body of a
// walking robot would stand still while its feet slide.
//
// Dissipation form. Targets are met first. Contact forces then minimise the kinetic energy of the motion that the
// targets leave free, relative to the motion that they prescribe. The gradient of that energy is the velocity of the
// contact:
//
//   targets   J_s v + R x_s - s0 = 0 where x_s is inside its bounds
//   normals   fN >= 0  complementary to  N v - b - mu sum_k sigma_k
//   friction  F v = sum_k sigma_k d_k,  sigma_k >= 0  complementary to  mu fN - d_k^T f
//
//   d_k      sides (+-1, +-1) of the pyramid |f1| + |f2| <= mu fN, k = 1 ... 4
//   sigma_k  their multipliers [m/s]
//
// This is a convex problem. A contact that sticks has exactly no slip; a contact that slides also lifts a little
// (Anitescu). The pyramid is inside the round cone, so that a step with the round cone can have these forces, too.
//
// eps. G has at most nv independent rows. So a small share eps of its mean diagonal is added to the diagonal. Contacts
// of the dissipation form get a larger share, so that nearly the smallest of all forces with the same effect are
// chosen.
#include "methods/mlcp/inside.h"

#include "math/vec3.h"

#include <string.h>

// eps relative to the mean diagonal of G [-]. The second number is used for contacts of the dissipation form.
static const double REGULARISATION = 1e-8;
static const double CONTACT_REGULARISATION = 1e-4;

// A velocity is a sum of terms. If it is below this share of their absolute sum, it is set to zero [-]. At rest it
// would be only a rounding error; the bounds of the problem would be 1e15 times as large as such velocities, and the
// problem could not be solved.
static const double VELOCITY_ROUNDING_SHARE = 1e-14;

// Returns the velocity of row i for the impulses x (n).
static double find_row_velocity(const hfiMlcpRows* rows, int i, const double* x) {
  double v = rows->g[i];
  double terms = fabs(v);
  for (int j = 0; j < rows->n; ++j) {
    double part = rows->G[i * rows->n + j] * x[j];
    v += part;
    terms += fabs(part);
  }
  return fabs(v) < VELOCITY_ROUNDING_SHARE * terms ? 0 : v;
}

// ---- two stages ---------------------------------------------------------------------------------------

// Writes the row of the multiplier of target or normal i. v: velocity of row i at x0; n: number of unknowns x and nu.
static void write_multiplier(hfMlcp* mlcp, int n, int i, double v, double x0) {
  const hfiMlcpRows* rows = &mlcp->rows;
  double* A = mlcp->lcp.A;
  int row = rows->n + i;

  for (int j = 0; j < rows->n; ++j) {
    A[row * n + j] = rows->G[i * rows->n + j];
    A[j * n + row] = -rows->G[i * rows->n + j];
  }
  A[row * n + i] += rows->soft[i];
  A[i * n + row] -= rows->soft[i];

  mlcp->lcp.b[row] = v + rows->soft[i] * x0 - rows->target[i];
  mlcp->lcp.lo[row] = i < rows->ns ? -INFINITY : 0;
  mlcp->lcp.hi[row] = INFINITY;
}

// Writes the conditions of optimality. The unknowns are x - x0 and nu; n: their number.
static void write_optimality(hfMlcp* mlcp, int n, const double* x0) {
  const hfiMlcpRows* rows = &mlcp->rows;
  hfiMlcpUnknowns* lcp = &mlcp->lcp;
  int held = rows->ns + rows->nc; // targets and normals, which have multipliers
  double eps = REGULARISATION * hfi_mlcp_mean_diagonal(rows);

  memset(lcp->A, 0, sizeof *lcp->A * (size_t)n * (size_t)n);
  for (int i = 0; i < rows->n; ++i) {
    double v = find_row_velocity(rows, i, x0);
    for (int j = 0; j < rows->n; ++j) lcp->A[i * n + j] = rows->G[i * rows->n + j];
    lcp->b[i] = i < held ? v : v - rows->target[i];
    lcp->lo[i] = rows->lo[i] - x0[i];
    lcp->hi[i] = rows->hi[i] - x0[i];
    if (i < held) write_multiplier(mlcp, n, i, v, x0[i]);
  }
  for (int i = 0; i < n; ++i) lcp->A[i * n + i] += eps;
}

// Solves the problem of targets and normals, without friction, for rows.x.
static hfStatus solve_frictionless(hfMlcp* mlcp, hfSolveReport* report, hfError* error) {
  hfiMlcpRows* rows = &mlcp->rows;
  hfiMlcpUnknowns* lcp = &mlcp->lcp;
  int n = rows->ns + rows->nc;

  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) lcp->A[i * n + j] = rows->G[i * rows->n + j];
    lcp->A[i * n + i] += rows->soft[i];
    lcp->b[i] = rows->g[i] - rows->target[i];
    lcp->lo[i] = rows->lo[i];
    lcp->hi[i] = rows->hi[i];
  }

  hfStatus status = hfi_mlcp_run(mlcp, n, report, error);
  if (status < 0) return status;
  memset(rows->x, 0, sizeof *rows->x * (size_t)rows->n);
  memcpy(rows->x, lcp->z, sizeof *rows->x * (size_t)n);
  return status;
}

// Solves the rows in two stages. Writes rows.x, and the bounds of tangents.
hfStatus hfi_mlcp_two_stage(hfMlcp* mlcp, hfSolveReport* report, hfError* error) {
  hfiMlcpRows* rows = &mlcp->rows;
  hfStatus status = solve_frictionless(mlcp, report, error);
  if (status != HF_OK || rows->nt == 0) return status;

  // friction is bounded by the normal impulses of the first stage
  for (int c = 0; c < rows->nc; ++c) {
    int tangent = rows->tangent[c];
    if (tangent < 0) continue;

    double bound = rows->mu[c] * rows->x[rows->ns + c];
    for (int i = tangent; i < tangent + 2; ++i) {
      rows->lo[i] = -bound;
      rows->hi[i] = bound;
    }
  }

  // the least energy: its unknowns are the changes of x from the first stage (rows->n), then nu of targets and normals
  int n = rows->n + rows->ns + rows->nc;
  write_optimality(mlcp, n, rows->x);
  status = hfi_mlcp_run(mlcp, n, report, error);
  if (status < 0) return status;
  for (int i = 0; i < rows->n; ++i) rows->x[i] += mlcp->lcp.z[i];
  return status;
}

// ---- dissipation --------------------------------------------------------------------------------------

// Writes the rows of x. n: number of unknowns x and sigma.
static void write_velocities(hfMlcp* mlcp, int n) {
  const hfiMlcpRows* rows = &mlcp->rows;
  hfiMlcpUnknowns* lcp = &mlcp->lcp;
  double mean = hfi_mlcp_mean_diagonal(rows);

  memset(lcp->A, 0, sizeof *lcp->A * (size_t)n * (size_t)n);
  for (int i = 0; i < rows->n; ++i) {
    for (int j = 0; j < rows->n; ++j) lcp->A[i * n + j] = rows->G[i * rows->n + j];
    lcp->A[i * n + i] += rows->soft[i] + (i < rows->ns ? REGULARISATION : CONTACT_REGULARISATION) * mean;
    lcp->b[i] = rows->g[i] - rows->target[i];
    lcp->lo[i] = rows->lo[i];
    lcp->hi[i] = rows->hi[i];
  }
}

// Writes side k of the friction pyramid of contact c, mu fN +- f1 +- f2 >= 0, as unknown `side` of n.
static void write_side(hfMlcp* mlcp, int n, int side, int c, int k) {
  const hfiMlcpRows* rows = &mlcp->rows;
  double* A = mlcp->lcp.A;
  int normal = rows->ns + c;
  A[side * n + normal] = rows->mu[c];
  A[normal * n + side] = -rows->mu[c];

  for (int i = 0; i < 2; ++i) {
    int tangent = rows->tangent[c] + i;
    double sign = k >> i & 1 ? 1 : -1;
    A[side * n + tangent] = sign;
    A[tangent * n + side] = -sign;
  }
  mlcp->lcp.b[side] = 0;
  mlcp->lcp.lo[side] = 0;
  mlcp->lcp.hi[side] = INFINITY;
}

// Solves the rows for the contact forces that dissipate most. Writes rows.x.
hfStatus hfi_mlcp_dissipation(hfMlcp* mlcp, hfSolveReport* report, hfError* error) {
  hfiMlcpRows* rows = &mlcp->rows;
  int side = rows->n;
  int n = side + HFI_MLCP_SIDES * rows->nt;

  write_velocities(mlcp, n);
  for (int c = 0; c < rows->nc; ++c)
    for (int k = 0; rows->tangent[c] >= 0 && k < HFI_MLCP_SIDES; ++k) write_side(mlcp, n, side++, c, k);

  hfStatus status = hfi_mlcp_run(mlcp, n, report, error);
  if (status >= 0) memcpy(rows->x, mlcp->lcp.z, sizeof *rows->x * (size_t)rows->n);
  return status;
}
