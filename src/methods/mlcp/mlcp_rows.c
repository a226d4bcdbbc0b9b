// The rows of a rigid step, and the elimination of the velocities.
//
//   x   impulses of the rows [N s]     v   velocities at the end of the step     J   rows: velocities of the rows are J v
//   A   mass matrix plus damping       p*  free momentum                         h   step
//   kappa, s0  slope and target of a saturated row                               R   1/(h kappa), its compliance
//
// The order of the rows is: saturated rows, normals, tangents. Without impulses the step ends with v*. Impulses change v linearly:
//
//   v = v* + A^-1 J^T x,   v* = A^-1 p*
//
// so that the velocities of the rows are J v = g + G x, with
//
//   g = J v*,   G = J A^-1 J^T
//
// So v is no longer an unknown. The law of each row gives its target, the wanted velocity J v, and the bounds lo and hi of its impulse:
//
//   row        target                                                               bounds of the impulse
//   saturated  s0, with the compliance R; R = 0 if the row is near-rigid            h lo ... h hi
//   normal     depth/h if there is a gap, recovery depth/h if there is an overlap   0 ... inf
//   tangent    -k_t xi0/(h k_t + c_t), at which the anchor has no force             -inf ... inf: the form bounds it by friction
//
// The drift of a moving surface is subtracted from the targets of contacts.
#include "methods/mlcp/mlcp.h"

#include "base/finite.h"
#include "linalg/dense.h"
#include "math/vec3.h"

#include <string.h>

// A saturated row is treated as rigid if h kappa w exceeds this; w is its inverse mass [-]. Near-rigid rows have (2 pi/beta)^2 = 3948 with the default
// beta = 0.1.
static const double RIGID_SLOPE = 1000;

static const hfStepBlock* block_of(const hfMlcp* m, int k) { return &m->problem->block[m->members.blocks[k]]; }

static int has_friction(const hfMlcp* m, const hfStepBlock* b) { return b->dim >= 3 && m->problem->contact[b->param].mu[0] > 0; }

static int tree_size(const hfStepProblem* p, int tree) { return p->tree_start[tree + 1] - p->tree_start[tree]; }

// Numbers the velocities and counts the rows of the members.
static void count_members(hfMlcp* m) {
  m->nv = m->ns = m->nc = m->nt = 0;
  for (int k = 0; k < m->members.ntree; ++k) {
    m->column[m->members.trees[k]] = m->nv;
    m->nv += tree_size(m->problem, m->members.trees[k]);
  }
  for (int k = 0; k < m->members.nblock; ++k) {
    const hfStepBlock* b = block_of(m, k);
    if (b->law == HF_LAW_SATURATED) m->ns += b->dim;
    if (b->law == HF_LAW_CONTACT) ++m->nc, m->nt += has_friction(m, b);
  }
  m->n = m->ns + m->nc + 2 * m->nt;
}

// ---- rows ----------------------------------------------------------------------------------------

// Copies row r of a block to row i of J.
static void copy_row(hfMlcp* m, const hfStepBlock* b, int r, int i) {
  const hfStepProblem* p = m->problem;
  double* J = m->J + (size_t)i * (size_t)m->nv;
  memset(J, 0, sizeof *J * (size_t)m->nv);
  m->source[i] = b->row + r;
  for (int k = b->piece; k < b->piece + b->npiece; ++k) {
    const hfStepPiece* piece = &p->piece[k];
    const double* from = p->J + piece->jac + r * piece->ncol;
    for (int c = 0; c < piece->ncol; ++c) J[m->column[piece->tree] + p->cols[piece->col + c]] = from[c];
  }
}

static void copy_saturated(hfMlcp* m) {
  const hfStepProblem* p = m->problem;
  for (int k = 0, i = 0; k < m->members.nblock; ++k) {
    const hfStepBlock* b = block_of(m, k);
    for (int r = 0; b->law == HF_LAW_SATURATED && r < b->dim; ++r, ++i) {
      const hfSaturatedRow* row = &p->saturated[b->param + r];
      copy_row(m, b, r, i);
      m->target[i] = row->s0;
      m->soft[i] = 1 / (p->h * row->kappa);
      m->lo[i] = p->h * row->lo;
      m->hi[i] = p->h * row->hi;
    }
  }
}

// Copies row r of a contact to row i. Rows of contacts have no compliance.
static void copy_contact_row(hfMlcp* m, const hfStepBlock* b, int r, int i, double target, double lo) {
  copy_row(m, b, r, i);
  m->target[i] = m->problem->drift ? target - m->problem->drift[b->row + r] : target;
  m->soft[i] = 0, m->lo[i] = lo, m->hi[i] = INFINITY;
}

// Returns the target of the normal row of a contact: the velocity that closes the gap in this step, or that removes the share `recovery` of an overlap.
static double normal_target(const hfMlcp* m, const hfContactLaw* law) {
  return law->depth / m->problem->h * (law->depth > 0 ? m->config.recovery : 1);
}

// Returns the target of tangent row r (1 or 2) of a contact. For anchored friction it is the slip velocity at which the force of the anchor vanishes: a
// rigid contact that sticks moves with this velocity, whatever its force is. For friction laws without memory it is zero.
static double tangent_target(const hfContactLaw* law, double h, int r) {
  double slope = h * law->k_t[HF_SLIDING] + law->c_t[HF_SLIDING];
  if (law->friction != HF_FRICTION_ANCHORED || !(slope > 0)) return 0;
  return -law->k_t[HF_SLIDING] * law->xi0[r - 1] / slope;
}

// Copies the normal row of each contact, and two tangent rows if it has friction.
static void copy_contacts(hfMlcp* m) {
  int c = 0, tangent = m->ns + m->nc;
  for (int k = 0; k < m->members.nblock; ++k) {
    const hfStepBlock* b = block_of(m, k);
    if (b->law != HF_LAW_CONTACT) continue;
    const hfContactLaw* law = &m->problem->contact[b->param];
    m->contact[c] = m->members.blocks[k];
    m->mu[c] = law->mu[0];
    m->tangent[c] = has_friction(m, b) ? tangent : -1;
    copy_contact_row(m, b, 0, m->ns + c, normal_target(m, law), 0);
    for (int r = 1; m->tangent[c] >= 0 && r <= 2; ++r) copy_contact_row(m, b, r, tangent++, tangent_target(law, m->problem->h, r), -INFINITY);
    ++c;
  }
}

// ---- velocities ----------------------------------------------------------------------------------

// Computes W = J A^-1 and v* = A^-1 p*, tree by tree. Returns 0 if A of a tree is not positive definite.
static int eliminate_velocities(hfMlcp* m) {
  const hfStepProblem* p = m->problem;
  memcpy(m->W, m->J, sizeof *m->J * (size_t)m->n * (size_t)m->nv);
  for (int k = 0; k < m->members.ntree; ++k) {
    int t = m->members.trees[k], start = p->tree_start[t], first = m->column[t], n = tree_size(p, t);
    memcpy(m->free_v + first, p->p + start, sizeof *p->p * (size_t)n);
    memcpy(m->A, p->M + p->M_start[t], sizeof *m->A * (size_t)n * (size_t)n);
    for (int i = 0; i < n; ++i) m->A[i * n + i] += p->diag[start + i];
    if (hfi_cholesky(m->A, n, n)) return 0;
    hfi_cholesky_solve(m->A, n, n, m->free_v + first);
    for (int i = 0; i < m->n; ++i) hfi_cholesky_solve(m->A, n, n, m->W + (size_t)i * (size_t)m->nv + first);
  }
  return 1;
}

// Computes G and g, and makes near-rigid rows rigid. Returns 0 if numbers overflow.
static int form_matrix(hfMlcp* m) {
  int nv = m->nv;
  for (int i = 0; i < m->n; ++i) {
    const double* J = m->J + (size_t)i * (size_t)nv;
    m->g[i] = hfi_dot(J, m->free_v, nv);
    for (int j = 0; j <= i; ++j) m->G[i * m->n + j] = m->G[j * m->n + i] = hfi_dot(J, m->W + (size_t)j * (size_t)nv, nv);
  }
  for (int i = 0; i < m->ns; ++i)
    if (m->G[i * m->n + i] > RIGID_SLOPE * m->soft[i]) m->soft[i] = 0;
  return hfi_all_finite(m->G, m->n * m->n) && hfi_all_finite(m->g, m->n) && hfi_all_finite(m->target, m->n);
}

hfStatus hfi_mlcp_form_rows(hfMlcp* m, hfiMembers members, hfError* error) {
  m->members = members;
  count_members(m);
  hfStatus status = hfi_mlcp_make_room(m, error);
  if (status != HF_OK) return status;
  copy_saturated(m);
  copy_contacts(m);
  return eliminate_velocities(m) && form_matrix(m) ? HF_OK : HF_SINGULAR;
}
