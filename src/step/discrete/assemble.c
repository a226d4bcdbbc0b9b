// The step problem from dynamics, contacts and other rows.
//
//   A v = p* + sum J^T gamma,   p* = M v0 + h tau
#include "step/discrete/assemble.h"

#include "step/actuation/rows.h"
#include "base/compile.h"
#include "linalg/dense.h"
#include "step/contact/contact_law.h"

#include <string.h>

// ---- memory --------------------------------------------------------------------------------------

static int find_largest_condim(const hfModel* m) {
  int dim = 1;
  for (int i = 0; i < m->ngeom; ++i) dim = imax2(dim, hf_model_geom_condim(m)[i]);
  for (int i = 0; i < m->npair; ++i) dim = imax2(dim, hf_model_pair_condim(m)[i]);
  return dim;
}

// A contact may come with a damper of two rows, over the same columns.
enum { DAMPER_ROWS = 2 };

int hfi_largest_contacts(const hfModel* m) {
  hfiRowSizes other = hfi_row_capacity(m);
  int64_t chain = imax2(hfi_longest_chain(m), 1);
  int64_t entries = 2 * (int64_t)(find_largest_condim(m) + DAMPER_ROWS) * chain;
  return (int)((INT32_MAX - other.njac) / entries);
}

// Returns the capacity for max_contacts contacts, each with a damper, and all other rows.
static hfStepCapacity plan_capacity(const hfModel* m, int max_contacts, const hfiRowSizes* other) {
  int rows = find_largest_condim(m) + DAMPER_ROWS;
  int cols = max_contacts * 2 * hfi_longest_chain(m);
  hfStepCapacity c = {.nv = m->nv, .ntree = m->ntree};

  c.nblock = 2 * max_contacts + other->nblock;
  c.nrow = rows * max_contacts + other->nrow;
  c.npiece = 4 * max_contacts + other->npiece;
  c.ncol = 2 * cols + other->ncol;
  c.njac = rows * cols + other->njac;
  for (int t = 0; t < m->ntree; ++t) c.max_tree_nv = imax2(c.max_tree_nv, hf_model_tree_dofnum(m)[t]);
  return c;
}

// Finds the places (i, j) and (j, i) of each entry k of the sparse M in the dense block of its tree. The n dofs of the
// tree begin with `first`, the entries of its block with `start`.
static void place_entries(hfiAssembly* a, const hfModel* m) {
  for (int i = 0; i < m->nv; ++i) {
    int t = hf_model_dof_tree(m)[i];
    int first = hf_model_tree_dofadr(m)[t];
    int n = hf_model_tree_dofnum(m)[t];
    int start = a->problem.M_start[t];
    int adr = hf_model_dof_Madr(m)[i];

    for (int k = adr; k <= adr + hf_model_dof_depth(m)[i]; ++k) {
      int j = hf_model_M_col(m)[k] - first;
      a->entry[k][0] = start + (i - first) * n + j;
      a->entry[k][1] = start + j * n + (i - first);
    }
  }
}

// Writes where the velocities and the mass matrix of each tree begin.
static void place_trees(hfStepProblem* p, const hfModel* m) {
  int start = 0;
  int entry = 0;
  for (int t = 0; t < m->ntree; ++t) {
    int n = hf_model_tree_dofnum(m)[t];
    p->tree_start[t] = start;
    p->M_start[t] = entry;
    start += n;
    entry += n * n;
  }
  p->tree_start[m->ntree] = start;
  p->M_start[m->ntree] = entry;
}

// Takes all arrays. The trees and the places of the entries of M are found once, when there is memory: without memory
// (arena->base is NULL) the call only counts what it needs.
void hfi_assembly_init(hfiAssembly* a, const hfModel* m, int max_contacts, hfiArena* arena) {
  memset(a, 0, sizeof *a);
  hfiRowSizes other = hfi_row_capacity(m);
  a->capacity = plan_capacity(m, max_contacts, &other);
  a->max_contact = max_contacts;

  // the problem
  hfStepProblem* p = &a->problem;
  const hfStepCapacity* c = &a->capacity;
  size_t entries = 0;
  for (int t = 0; t < m->ntree; ++t) entries += (size_t)hf_model_tree_dofnum(m)[t] * (size_t)hf_model_tree_dofnum(m)[t];
  p->nv = m->nv;
  p->ntree = m->ntree;
  p->tree_start = HFI_TAKE(arena, int32_t, m->ntree + 1);
  p->M_start = HFI_TAKE(arena, int32_t, m->ntree + 1);
  p->M = HFI_TAKE(arena, double, entries);
  HFI_TAKE_EACH(arena, double, m->nv, &p->diag, &p->p, &p->v0);
  p->block = HFI_TAKE(arena, hfStepBlock, c->nblock);
  p->piece = HFI_TAKE(arena, hfStepPiece, c->npiece);
  p->cols = HFI_TAKE(arena, int32_t, c->ncol);
  p->J = HFI_TAKE(arena, double, c->njac);
  p->saturated = HFI_TAKE(arena, hfSaturatedRow, other.nrow + DAMPER_ROWS * max_contacts);
  p->contact = HFI_TAKE(arena, hfContactLaw, max_contacts);

  // what it is made from
  int chain = hfi_longest_chain(m);
  a->entry = hfi_arena_take(arena, (size_t)m->nM, sizeof *a->entry);
  a->inverse_mass = HFI_TAKE(arena, double, m->nv);
  a->start = HFI_TAKE(arena, double, m->nv);
  HFI_TAKE_EACH(arena, double, 2 * chain, &a->pair.v0, &a->pair.start, &a->pair.inverse_mass);
  a->drift = HFI_TAKE(arena, double, c->nrow);
  a->turns = HFI_TAKE(arena, double, 12 * chain);
  if (!arena->base) return;

  place_trees(p, m);
  memset(p->M, 0, sizeof *p->M * entries); // Entries outside of the tree's sparsity pattern stay zero.
  place_entries(a, m);
}

// ---- begin ---------------------------------------------------------------------------------------

// Fills row i and column i, up to the diagonal, of the dense M of a chain of n dofs. The rows of a chain follow each
// other in the sparse M.
HFI_FORCE_INLINE void spread_row(const double* restrict M, int n, int i, double* restrict dense) {
  if (i >= n) return;
  M += i * (i + 1) / 2;
  for (int j = 0; j <= i; ++j) {
    dense[i * n + j] = M[j];
    dense[j * n + i] = M[j];
  }
}

// Fills the dense M of a chain of n <= 7 dofs.
HFI_FORCE_INLINE void spread_chain(const double* M, int n, double* dense) {
  spread_row(M, n, 0, dense);
  spread_row(M, n, 1, dense);
  spread_row(M, n, 2, dense);
  spread_row(M, n, 3, dense);
  spread_row(M, n, 4, dense);
  spread_row(M, n, 5, dense);
  spread_row(M, n, 6, dense);
}

// Copies M of a tree to its dense block by unrolled code, if the tree is a chain with a usual number of dofs. Returns 0
// if it is not.
static int spread_few(const double* M, int n, double* dense) {
  switch (n) {
  case 1: *dense = *M; return 1;
  case 3: spread_chain(M, 3, dense); return 1;
  case 6: spread_chain(M, 6, dense); return 1;
  case 7: spread_chain(M, 7, dense); return 1;
  default: return 0;
  }
}

// Copies M to the dense blocks of the trees: by unrolled code where there is some, otherwise entry by entry. k: the
// next entry of the sparse M, in which the trees follow each other.
static void spread_mass(hfiAssembly* a, const hfDynamics* d) {
  const hfStepProblem* p = &a->problem;
  const int32_t* adr = hf_model_dof_Madr(d->model);
  const int32_t* depth = hf_model_dof_depth(d->model);

  int k = 0;
  for (int t = 0; t < p->ntree; ++t) {
    int last = p->tree_start[t + 1] - 1;
    int n = last + 1 - p->tree_start[t];
    int end = adr[last] + depth[last] + 1;
    int is_chain = depth[last] == n - 1;
    if (!is_chain || !spread_few(d->M + k, n, p->M + p->M_start[t]))
      for (; k < end; ++k) {
        p->M[a->entry[k][0]] = d->M[k];
        p->M[a->entry[k][1]] = d->M[k];
      }
    k = end;
  }
}

// Writes M, v0, p* = 0 and diag = 0 for a step of length h, without rows. Also finds the inverse masses 1/M_ii. v0
// (nv): velocities of the start, for the problem's first guess p->v0 and for a->start.
void hfi_assembly_begin(hfiAssembly* a, const hfDynamics* d, double h, const double* v0) {
  hfStepProblem* p = &a->problem;
  const size_t size = sizeof *v0 * (size_t)p->nv;

  // no rows
  p->h = h;
  p->nblock = 0;
  p->nrow = 0;
  p->npiece = 0;
  p->ncol = 0;
  p->njac = 0;
  p->nsaturated = 0;
  p->ncontact = 0;
  p->drift = NULL;
  a->ncapped = 0;
  a->pair.body_a = -1;
  a->pair.body_b = -1;

  spread_mass(a, d);
  for (int i = 0; i < p->nv; ++i) a->inverse_mass[i] = 1 / hfi_diagonal_mass(d, i);
  memcpy(p->v0, v0, size);
  memcpy(a->start, v0, size);
  memset(p->p, 0, size);
  memset(p->diag, 0, size);
}

void hfi_assembly_begin_drift(hfiAssembly* a) {
  a->problem.drift = a->drift;
  memset(a->drift, 0, sizeof *a->drift * (size_t)a->problem.nrow);
}

// ---- contacts ------------------------------------------------------------------------------------

// Opens the pair of bodies of a contact: appends the columns that move them to the problem, and gathers numbers of
// these columns. A column is a dof, counted from the first dof of its tree. Contacts of one pair follow each other and
// share the columns.
//
//   pair->v0      the problem's first guess p->v0: velocities of the start, after impacts, or an earlier solution
//   pair->start   velocities of the start of the step
static void open_pair(hfiAssembly* a, const hfDynamics* d, const hfiContact* c) {
  hfStepProblem* p = &a->problem;
  hfiOpenPair* pair = &a->pair;
  int32_t* cols = p->cols + p->ncol;
  pair->body_a = c->body_a;
  pair->body_b = c->body_b;
  pair->col = p->ncol;
  hfi_contact_columns(d, c->body_a, c->body_b, cols, &pair->columns);

  int i = 0; // column of the pair, over all pieces; a piece has the columns of one tree
  for (int k = 0; k < pair->columns.npiece; ++k) {
    const int first = p->tree_start[pair->columns.tree[k]];
    const int end = i + pair->columns.ncol[k];
    for (; i < end; ++i) {
      int dof = cols[i];
      pair->v0[i] = p->v0[dof];
      pair->start[i] = a->start[dof];
      pair->inverse_mass[i] = a->inverse_mass[dof];
      cols[i] = dof - first;
    }
  }
  p->ncol += i;
}

static int is_of_pair(const hfiOpenPair* pair, const hfiContact* c) {
  return c->body_a == pair->body_a && c->body_b == pair->body_b;
}

// Appends a block of dim rows of the open pair, with its pieces; their J stands at p->J + p->njac already. law:
// HF_LAW_...; param: number of its law in p->contact, or of its first row in p->saturated. Counters are read and
// written once, because compilers do not know that no array of the problem overlaps them.
static void append_block(hfiAssembly* a, int law, int dim, int param) {
  hfStepProblem* p = &a->problem;
  const hfiContactColumns* columns = &a->pair.columns;
  const int npiece = columns->npiece;
  const int first = p->npiece;
  const int row = p->nrow;

  hfStepPiece* piece = p->piece + first;
  int col = a->pair.col;
  int jac = p->njac;
  for (int k = 0; k < npiece; ++k) {
    int ncol = columns->ncol[k];
    piece[k] = (hfStepPiece){.tree = columns->tree[k], .ncol = ncol, .col = col, .jac = jac};
    col += ncol;
    jac += dim * ncol;
  }

  p->block[p->nblock++] =
      (hfStepBlock){.law = law, .dim = dim, .row = row, .param = param, .piece = first, .npiece = npiece};
  for (int r = 0; p->drift && r < dim; ++r) p->drift[row + r] = 0;
  p->npiece = first + npiece;
  p->njac = jac;
  p->nrow = row + dim;
}

// Appends n rows; their Jacobian is a part of the rows of a contact with the tangents u.
void hfi_assembly_add_damper(hfiAssembly* a, const hfDynamics* d, const hfiContact* c, int n, const hfVec3* u,
                             const double* kappa) {
  hfStepProblem* p = &a->problem;
  const hfiContactColumns* columns = &a->pair.columns;
  if (!is_of_pair(&a->pair, c)) open_pair(a, d, c);

  // of the six rows of a contact with the tangents u, the last two are relative angular velocities about u
  hfiContact turned = *c;
  turned.t1 = u[0];
  turned.t2 = u[n - 1];
  hfi_contact_rows(d, columns, &turned, 6, a->turns);
  const double* from = a->turns;
  double* to = p->J + p->njac;
  for (int k = 0; k < columns->npiece; ++k) {
    int ncol = columns->ncol[k];
    memcpy(to, from + 4 * ncol, sizeof *to * (size_t)(n * ncol));
    from += 6 * ncol;
    to += n * ncol;
  }

  append_block(a, HF_LAW_SATURATED, n, p->nsaturated);
  for (int r = 0; r < n; ++r) p->saturated[p->nsaturated++] = (hfSaturatedRow){0, kappa[r], -INFINITY, INFINITY};
}

// Returns J v of the normal row of a contact of the open pair, from the velocities v of its columns [m/s].
static double find_normal_velocity(const hfiContactColumns* columns, const double* J, int dim, const double* v) {
  double sum = 0;
  for (int k = 0; k < columns->npiece; ++k) {
    int n = columns->ncol[k];
    sum += HFI_BY_SIZE(n, hfi_dot, J, v);
    J += dim * n;
    v += n;
  }
  return sum;
}

// Appends the block of a contact: its rows, its law with the normal force at the start of the step, and what the state
// remembers. Returns the number of the block, or -1 if no dof moves one of its bodies relative to the other.
int hfi_assembly_add_contact(hfiAssembly* a, const hfDynamics* d, const hfiContact* c, int friction, double steepest,
                             double static_speed) {
  hfStepProblem* p = &a->problem;
  const hfiOpenPair* pair = &a->pair;
  assert(p->ncontact < a->max_contact);
  if (!is_of_pair(pair, c)) open_pair(a, d, c);
  if (!pair->columns.npiece) return -1;

  // rows
  const int dim = c->material.condim;
  double* J = p->J + p->njac;
  hfiInverseMasses w;
  if (friction == HF_FRICTION_ANCHORED) hfi_contact_weighed_rows(d, &pair->columns, c, dim, pair->inverse_mass, &w, J);
  else hfi_contact_rows(d, &pair->columns, c, dim, J);
  append_block(a, HF_LAW_CONTACT, dim, p->ncontact);

  // law, and the normal force at the start of the step
  hfContactLaw* law = &p->contact[p->ncontact++];
  a->ncapped += hfi_contact_law(c, friction, &w, p->h, steepest, law);
  double vn = find_normal_velocity(&pair->columns, J, dim, c->material.from_solref ? pair->start : pair->v0);
  if (c->material.from_solref) hfi_contact_set_soft(c, p->h, vn, law);
  else law->normal_force0 = law->stiffness * max2(0, 1 - law->dissipation * vn) * max2(0, c->depth);

  // what the state remembers: the dynamic mu if the contact slid in the last step, and the deformation
  if (!c->known) return p->nblock - 1;
  if (c->slip_speed > static_speed * c->material.stiction_speed) law->mu[HF_SLIDING] = c->material.mu_dynamic;
  if (friction == HF_FRICTION_ANCHORED) hfi_contact_set_deformation(c, c->xi_W, c->twist_W, law->xi0);
  return p->nblock - 1;
}
