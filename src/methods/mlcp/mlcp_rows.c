// The rows of a rigid step, and the elimination of the velocities.
//
//   x   impulses of the rows [N s]     v   velocities at the end of the step     J   rows: velocities of the rows are J v
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
//   tangent    -k_t xi0/(h k_t + c_t), at which the anchor has no force             -inf ... inf: the form bounds it by friction
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

static const hfStepBlock* member_block(const hfMlcp* m, int k) { return &m->problem->block[m->members.blocks[k]]; }

static int has_friction(const hfMlcp* m, const hfStepBlock* b) { return b->dim >= 3 && m->problem->contact[b->param].mu[0] > 0; }

static int tree_size(const hfStepProblem* p, int tree) { return p->tree_start[tree + 1] - p->tree_start[tree]; }

// Numbers the velocities and counts the rows of the members.
static void count_members(hfMlcp* m) {
  hfiMlcpRows* r = &m->rows;

  m->nv = 0;
  for (int k = 0; k < m->members.ntree; ++k) {
    m->column[m->members.trees[k]] = m->nv;
    m->nv += tree_size(m->problem, m->members.trees[k]);
  }

  r->ns = 0;
  r->nc = 0;
  r->nt = 0;
  for (int k = 0; k < m->members.nblock; ++k) {
    const hfStepBlock* b = member_block(m, k);
    if (b->law == HF_LAW_SATURATED) r->ns += b->dim;
    if (b->law != HF_LAW_CONTACT) continue;
    r->nc += 1;
    r->nt += has_friction(m, b);
  }
  r->n = r->ns + r->nc + 2 * r->nt;
}

// ---- rows ----------------------------------------------------------------------------------------

// Copies row `row` of a block to row i of J.
static void copy_jacobian(hfMlcp* m, const hfStepBlock* b, int row, int i) {
  const hfStepProblem* p = m->problem;
  double* J = m->rows.J + (size_t)i * (size_t)m->nv;
  memset(J, 0, sizeof *J * (size_t)m->nv);
  m->rows.source[i] = b->row + row;

  for (int k = b->piece; k < b->piece + b->npiece; ++k) {
    const hfStepPiece* piece = &p->piece[k];
    const int32_t* cols = p->cols + piece->col;
    const double* from = p->J + piece->jac + row * piece->ncol;
    double* tree_J = J + m->column[piece->tree];
    for (int c = 0; c < piece->ncol; ++c) tree_J[cols[c]] = from[c];
  }
}

// Copies all saturated rows of the members, with their laws.
static void copy_saturated(hfMlcp* m) {
  const hfStepProblem* p = m->problem;
  hfiMlcpRows* r = &m->rows;
  int i = 0;

  for (int k = 0; k < m->members.nblock; ++k) {
    const hfStepBlock* b = member_block(m, k);
    if (b->law != HF_LAW_SATURATED) continue;
    for (int row = 0; row < b->dim; ++row, ++i) {
      const hfSaturatedRow* law = &p->saturated[b->param + row];
      copy_jacobian(m, b, row, i);
      r->target[i] = law->s0;
      r->soft[i] = 1 / (p->h * law->kappa);
      r->lo[i] = p->h * law->lo;
      r->hi[i] = p->h * law->hi;
    }
  }
}

// Copies row `row` of a contact to row i. Rows of contacts have no compliance.
static void copy_contact_row(hfMlcp* m, const hfStepBlock* b, int row, int i, double target, double lo) {
  hfiMlcpRows* r = &m->rows;
  copy_jacobian(m, b, row, i);
  r->target[i] = m->problem->drift ? target - m->problem->drift[b->row + row] : target;
  r->soft[i] = 0;
  r->lo[i] = lo;
  r->hi[i] = INFINITY;
}

// Returns the target of the normal row of a contact [m/s]: the velocity that closes the gap in this step, or that
// removes the share `recovery` of an overlap.
static double find_normal_target(const hfMlcp* m, const hfContactLaw* law) {
  return law->depth / m->problem->h * (law->depth > 0 ? m->config.recovery : 1);
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
static void copy_contacts(hfMlcp* m) {
  hfiMlcpRows* r = &m->rows;
  int c = 0;
  int tangent = r->ns + r->nc;

  for (int k = 0; k < m->members.nblock; ++k) {
    const hfStepBlock* b = member_block(m, k);
    if (b->law != HF_LAW_CONTACT) continue;

    const hfContactLaw* law = &m->problem->contact[b->param];
    r->contact[c] = m->members.blocks[k];
    r->mu[c] = law->mu[0];
    copy_contact_row(m, b, 0, r->ns + c, find_normal_target(m, law), 0);

    r->tangent[c] = has_friction(m, b) ? tangent : -1;
    for (int row = 1; r->tangent[c] >= 0 && row <= 2; ++row)
      copy_contact_row(m, b, row, tangent++, find_tangent_target(law, m->problem->h, row), -INFINITY);
    ++c;
  }
}

// ---- velocities ----------------------------------------------------------------------------------

// Computes W = J A^-1 and v* = A^-1 p*, tree by tree. Returns 0 if A of a tree is not positive definite.
static int eliminate_velocities(hfMlcp* m) {
  const hfStepProblem* p = m->problem;
  hfiMlcpRows* r = &m->rows;

  memcpy(r->W, r->J, sizeof *r->J * (size_t)r->n * (size_t)m->nv);
  for (int k = 0; k < m->members.ntree; ++k) {
    int tree = m->members.trees[k];
    int start = p->tree_start[tree];
    int first = m->column[tree];
    int n = tree_size(p, tree);

    // A = M + diag
    memcpy(m->A, p->M + p->M_start[tree], sizeof *m->A * (size_t)n * (size_t)n);
    for (int i = 0; i < n; ++i) m->A[i * n + i] += p->diag[start + i];
    if (hfi_cholesky(m->A, n, n)) return 0;

    memcpy(m->free_v + first, p->p + start, sizeof *p->p * (size_t)n);
    hfi_cholesky_solve(m->A, n, n, m->free_v + first);
    for (int i = 0; i < r->n; ++i) hfi_cholesky_solve(m->A, n, n, r->W + (size_t)i * (size_t)m->nv + first);
  }
  return 1;
}

// Computes G and g, and makes near-rigid rows rigid. Returns 0 if numbers overflow.
static int form_matrix(hfMlcp* m) {
  hfiMlcpRows* r = &m->rows;
  int n = r->n;
  int nv = m->nv;

  for (int i = 0; i < n; ++i) {
    const double* J = r->J + (size_t)i * (size_t)nv;
    r->g[i] = hfi_dot(J, m->free_v, nv);
    for (int j = 0; j <= i; ++j) {
      double entry = hfi_dot(J, r->W + (size_t)j * (size_t)nv, nv);
      r->G[i * n + j] = entry;
      r->G[j * n + i] = entry;
    }
  }

  for (int i = 0; i < r->ns; ++i)
    if (r->G[i * n + i] > RIGID_SLOPE * r->soft[i]) r->soft[i] = 0;
  return hfi_all_finite(r->G, n * n) && hfi_all_finite(r->g, n) && hfi_all_finite(r->target, n);
}

// Forms the rows of the members and their matrix. Writes m->members, nv, column, free_v and rows.
hfStatus hfi_mlcp_form_rows(hfMlcp* m, hfiMembers members, hfError* error) {
  m->members = members;
  count_members(m);
  hfStatus status = hfi_mlcp_make_room(m, error);
  if (status != HF_OK) return status;

  copy_saturated(m);
  copy_contacts(m);
  return eliminate_velocities(m) && form_matrix(m) ? HF_OK : HF_SINGULAR;
}
