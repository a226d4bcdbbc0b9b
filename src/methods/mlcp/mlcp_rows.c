// The rows of a rigid step, and the elimination of the velocities.
//
//   x   impulses of the rows [N s]     v   velocities at the end of the step
//   J   rows: velocities of the rows are J v
//   A   mass matrix plus damping       p*  free momentum                         h   step
//   kappa, s0  slope and target of a saturated row                               R   1/(h kappa), its compliance
//
// The order of the rows is: saturated rows, normals, tangents. Without impulses the step ends with v*. Impulses change
// v linearly:
//
//   v = v* + A^-1 J^T x,   v* = A^-1 p*
//
// so that the velocities of the rows are J v = g + G x, with
//
//   g = J v*,   G = J A^-1 J^T
//
// So v is no longer an unknown. The law of each row gives its target, the wanted velocity J v, and the bounds lo and hi
// of its impulse:
//
//   row        target                                                               bounds of the impulse
//   saturated  s0, with the compliance R; R = 0 if the row is near-rigid            h lo ... h hi
//   normal     depth/h if there is a gap, recovery depth/h if there is an overlap   0 ... inf
//   tangent    -k_t xi0/(h k_t + c_t), at which the anchor has no force             -inf ... inf
//
// Friction bounds the impulses of tangents. Each form does that in its own way.
//
// The drift of a moving surface is subtracted from the targets of contacts.
#include "methods/mlcp/inside.h"

#include "base/finite.h"
#include "linalg/dense.h"
#include "math/vec3.h"

#include <string.h>

// A saturated row is treated as rigid if h kappa w exceeds this; w is its inverse mass [-]. Near-rigid rows have (2
// pi/beta)^2 = 3948 with the default beta = 0.1.
static const double RIGID_SLOPE = 1000;

static const hfStepBlock* member_block(const hfMlcp* mlcp, int k) {
  return &mlcp->problem->block[mlcp->members.blocks[k]];
}

static int has_friction(const hfMlcp* mlcp, const hfStepBlock* block) {
  return block->dim >= 3 && mlcp->problem->contact[block->param].mu[0] > 0;
}

static int tree_size(const hfStepProblem* problem, int tree) {
  return problem->tree_start[tree + 1] - problem->tree_start[tree];
}

// Numbers the velocities tree by tree and counts the rows of the members (trees and blocks of this problem): writes
// mlcp->nv, column (first velocity of each tree), and the numbers ns, nc, nt (contacts with friction) and n.
static void count_members(hfMlcp* mlcp) {
  hfiMlcpRows* rows = &mlcp->rows;

  mlcp->nv = 0;
  for (int k = 0; k < mlcp->members.ntree; ++k) {
    mlcp->column[mlcp->members.trees[k]] = mlcp->nv;
    mlcp->nv += tree_size(mlcp->problem, mlcp->members.trees[k]);
  }

  // saturated rows, contacts, contacts with friction
  rows->ns = 0;
  rows->nc = 0;
  rows->nt = 0;
  for (int k = 0; k < mlcp->members.nblock; ++k) {
    const hfStepBlock* block = member_block(mlcp, k);
    if (block->law == HF_LAW_SATURATED) rows->ns += block->dim;
    if (block->law != HF_LAW_CONTACT) continue;

    rows->nc += 1;
    rows->nt += has_friction(mlcp, block);
  }
  rows->n = rows->ns + rows->nc + 2 * rows->nt;
}

// ---- rows ----------------------------------------------------------------------------------------

// Copies row `row` of a block to row i of J.
static void copy_jacobian(hfMlcp* mlcp, const hfStepBlock* block, int row, int i) {
  const hfStepProblem* problem = mlcp->problem;
  double* J = mlcp->rows.J + (size_t)i * (size_t)mlcp->nv;
  memset(J, 0, sizeof *J * (size_t)mlcp->nv);
  mlcp->rows.source[i] = block->row + row;

  for (int k = block->piece; k < block->piece + block->npiece; ++k) {
    const hfStepPiece* piece = &problem->piece[k];
    const int32_t* cols = problem->cols + piece->col;
    const double* from = problem->J + piece->jac + row * piece->ncol;
    double* tree_J = J + mlcp->column[piece->tree];
    for (int c = 0; c < piece->ncol; ++c) tree_J[cols[c]] = from[c];
  }
}

// Copies all saturated rows of the members, with their laws.
static void copy_saturated(hfMlcp* mlcp) {
  const hfStepProblem* problem = mlcp->problem;
  hfiMlcpRows* rows = &mlcp->rows;
  int i = 0;

  for (int k = 0; k < mlcp->members.nblock; ++k) {
    const hfStepBlock* block = member_block(mlcp, k);
    if (block->law != HF_LAW_SATURATED) continue;

    for (int row = 0; row < block->dim; ++row, ++i) {
      const hfSaturatedRow* law = &problem->saturated[block->param + row];
      copy_jacobian(mlcp, block, row, i);
      rows->target[i] = law->s0;
      rows->soft[i] = 1 / (problem->h * law->kappa);
      rows->lo[i] = problem->h * law->lo;
      rows->hi[i] = problem->h * law->hi;
    }
  }
}

// Copies row `row` of a contact to row i. Rows of contacts have no compliance.
static void copy_contact_row(hfMlcp* mlcp, const hfStepBlock* block, int row, int i, double target, double lo) {
  hfiMlcpRows* rows = &mlcp->rows;
  copy_jacobian(mlcp, block, row, i);
  rows->target[i] = mlcp->problem->drift ? target - mlcp->problem->drift[block->row + row] : target;
  rows->soft[i] = 0;
  rows->lo[i] = lo;
  rows->hi[i] = INFINITY;
}

// Returns the target of the normal row of a contact [m/s]: the velocity that closes the gap in this step, or that
// removes the share `recovery` of an overlap.
static double find_normal_target(const hfMlcp* mlcp, const hfContactLaw* law) {
  double share = law->depth > 0 ? mlcp->config.recovery : 1;
  return law->depth / mlcp->problem->h * share;
}

// Returns the target of tangent row `row` (1 or 2) of a contact [m/s]. For anchored friction it is the slip velocity at
// which the force of the anchor vanishes: a rigid contact that sticks moves with this velocity, whatever its force is.
// For friction laws without memory it is zero.
static double find_tangent_target(const hfContactLaw* law, double h, int row) {
  double slope = h * law->k_t[HF_SLIDING] + law->c_t[HF_SLIDING];
  if (law->friction != HF_FRICTION_ANCHORED || !(slope > 0)) return 0;
  return -law->k_t[HF_SLIDING] * law->xi0[row - 1] / slope;
}

// Copies the normal row of each contact, and two tangent rows if it has friction.
static void copy_contacts(hfMlcp* mlcp) {
  hfiMlcpRows* rows = &mlcp->rows;
  int c = 0;
  int tangent = rows->ns + rows->nc;

  for (int k = 0; k < mlcp->members.nblock; ++k) {
    const hfStepBlock* block = member_block(mlcp, k);
    if (block->law != HF_LAW_CONTACT) continue;

    const hfContactLaw* law = &mlcp->problem->contact[block->param];
    rows->contact[c] = mlcp->members.blocks[k];
    rows->mu[c] = law->mu[0];
    copy_contact_row(mlcp, block, 0, rows->ns + c, find_normal_target(mlcp, law), 0);

    rows->tangent[c] = has_friction(mlcp, block) ? tangent : -1;
    for (int row = 1; rows->tangent[c] >= 0 && row <= 2; ++row)
      copy_contact_row(mlcp, block, row, tangent++, find_tangent_target(law, mlcp->problem->h, row), -INFINITY);
    ++c;
  }
}

// ---- velocities ----------------------------------------------------------------------------------

// Computes W = J A^-1 and v* = A^-1 p*, tree by tree. Returns 0 if A of a tree is not positive definite.
static int eliminate_velocities(hfMlcp* mlcp) {
  const hfStepProblem* problem = mlcp->problem;
  hfiMlcpRows* rows = &mlcp->rows;

  memcpy(rows->W, rows->J, sizeof *rows->J * (size_t)rows->n * (size_t)mlcp->nv);
  for (int k = 0; k < mlcp->members.ntree; ++k) {
    int tree = mlcp->members.trees[k];
    int start = problem->tree_start[tree];
    int first = mlcp->column[tree];
    int n = tree_size(problem, tree);

    // A = M + diag
    memcpy(mlcp->A, problem->M + problem->M_start[tree], sizeof *mlcp->A * (size_t)n * (size_t)n);
    for (int i = 0; i < n; ++i) mlcp->A[i * n + i] += problem->diag[start + i];
    if (hfi_cholesky(mlcp->A, n, n)) return 0;

    // v* and W
    memcpy(mlcp->free_v + first, problem->p + start, sizeof *problem->p * (size_t)n);
    hfi_cholesky_solve(mlcp->A, n, n, mlcp->free_v + first);
    for (int i = 0; i < rows->n; ++i) hfi_cholesky_solve(mlcp->A, n, n, rows->W + (size_t)i * (size_t)mlcp->nv + first);
  }
  return 1;
}

// Computes G = J A^-1 J^T (W = J A^-1) and g = J v*, and makes near-rigid rows rigid. Returns 0 if a number of G, g or
// the targets is not finite.
static int form_matrix(hfMlcp* mlcp) {
  hfiMlcpRows* rows = &mlcp->rows;
  int n = rows->n;
  int nv = mlcp->nv;

  for (int i = 0; i < n; ++i) {
    const double* J = rows->J + (size_t)i * (size_t)nv;
    rows->g[i] = hfi_dot(J, mlcp->free_v, nv);
    for (int j = 0; j <= i; ++j) {
      double entry = hfi_dot(J, rows->W + (size_t)j * (size_t)nv, nv);
      rows->G[i * n + j] = entry;
      rows->G[j * n + i] = entry;
    }
  }

  // rows whose inverse mass is so much larger than their compliance R (soft) are rigid: without compliance
  for (int i = 0; i < rows->ns; ++i)
    if (rows->G[i * n + i] > RIGID_SLOPE * rows->soft[i]) rows->soft[i] = 0;
  return hfi_all_finite(rows->G, n * n) && hfi_all_finite(rows->g, n) && hfi_all_finite(rows->target, n);
}

// Forms the rows of the members and their matrix. Writes mlcp->members, nv, column, free_v and rows.
hfStatus hfi_mlcp_form_rows(hfMlcp* mlcp, hfiMembers members, hfError* error) {
  mlcp->members = members;
  count_members(mlcp);
  hfStatus status = hfi_mlcp_make_room(mlcp, error);
  if (status != HF_OK) return status;

  copy_saturated(mlcp);
  copy_contacts(mlcp);
  return eliminate_velocities(mlcp) && form_matrix(mlcp) ? HF_OK : HF_SINGULAR;
}
