// Mass matrix by composite rigid bodies (Featherstone, Rigid Body Dynamics Algorithms, 6.2).
//
//   Ic_l = I_l + sum of Ic over the links that l carries
//   M_ij = (Ic_l S_i) . S_j,  i a dof of link l, j = i or a dof on the way to the root
//
// M is tree-sparse: row i holds its ancestors ascending and the diagonal last (dof_Madr, M_col).
// Rotor inertia (armature) adds to the diagonal, tendon armature to the entries listed at creation.
//
// Slides before which nothing turns have S = (0, u) with u fixed, so that their rows, m u_i . u_j, stay as they are.
//
// A free body at the root of its tree moves by S = (0, e_j) along the world's axes and S = (u_k, 0) about
// its own, so that with Ic = (m, h, Ibar) its rows are m 1 and, for k,
//   M_kj = (u_k x h)_j,  M_kl = (Ibar u_k) . u_l
// and with (n, f) = Ic S_i the first six entries of rows i behind it are f and, for k, n . u_k.
#include "step/dynamics/inside.h"

#include "linalg/dense.h"
#include "math/spatial_lanes.h"
#include <string.h>

// ---- rows -------------------------------------------------------------------------------------------

// Finds the steady trees, and marks that nothing of them is computed yet: writes mass.steady and mass.postponed.
void hfi_find_steady_trees(hfDynamics* d) {
  for (int t = 0; t < d->model->ntree; ++t) {
    d->mass.steady[t] = d->mass.narmature == 0;
    d->mass.postponed[t] = 1;
  }
  for (int l = 1; l < d->nlink; ++l) d->mass.steady[d->link[l].tree] &= d->link[l].only_slides;
  d->fresh &= ~(uint32_t)(HFI_FRESH_STEADY_MASS | HFI_FRESH_STEADY_BIAS);
}

// Whether the row of a dof of this link stays: the dof is one of the link's first slides, or its tree is steady.
static int is_constant_row(const hfDynamics* d, const hfiLink* link, int dof) {
  return d->mass.narmature == 0 && (d->mass.steady[link->tree] || dof < link->dof + link->nslide);
}

// Appends to mass.row the rows of all links that stay (constant 1), or those that do not (0). The rows of free roots
// are not listed.
static void append_rows(hfDynamics* d, int constant) {
  const hfModel* m = d->model;
  for (int l = 1; l < d->nlink; ++l) {
    const hfiLink* link = &d->link[l];
    if (hfi_is_free_root(link)) continue;

    for (int i = link->dof; i < link->dof + link->ndof; ++i) {
      hfiMassRow row = {.dof = i,
                        .link = l,
                        .adr = hf_model_dof_Madr(m)[i],
                        .n = hf_model_dof_depth(m)[i] + 1,
                        .has_free_root = link->has_free_root};
      if (is_constant_row(d, link, i) == constant) d->mass.row[d->mass.nrow++] = row;
    }
  }
}

// Lists the rows of M: first the nvarying rows that depend on poses, then those that stay.
void hfi_list_mass_rows(hfDynamics* d) {
  d->mass.nrow = 0;
  append_rows(d, 0);
  d->mass.nvarying = d->mass.nrow;
  append_rows(d, 1);
}

// ---- the mass matrix --------------------------------------------------------------------------------

// Fills the rows of a free root, which have 1 to 6 entries. adr: their addresses in M; armature: of its dofs; Ic:
// inertia of the whole tree; S: motions of the six dofs.
static void fill_free_rows(const hfDynamics* d, const hfiInertia* Ic, const hfMotion* S, const int32_t* adr,
                           const double* armature) {
  // translation: m 1
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j <= i; ++j) d->M[adr[i] + j] = i == j ? Ic->m : 0;

  // rotation
  for (int k = 3; k < 6; ++k) {
    hfVec3 n = sym3_mulv(Ic->I, S[k].w);
    double* row = d->M + adr[k];
    v3_store(row, v3_cross(S[k].w, Ic->h));
    for (int l = 3; l <= k; ++l) row[l] = v3_dot(n, S[l].w);
  }

  for (int k = 0; k < 6; ++k) d->M[adr[k] + k] += armature[k];
}

// Computes Ic of all links whose rows are wanted, and the rows of free roots, which need nothing else.
static void add_composites(hfDynamics* d) {
  const hfModel* m = d->model;
  hfiInertia* Ic = d->mass.Ic;
  int keeps_steady = hfi_dynamics_is_fresh(d, HFI_FRESH_STEADY_MASS);
  memcpy(Ic, d->mass.I, (size_t)d->nlink * sizeof *Ic);

  for (int l = d->nlink - 1; l > 0; --l) {
    const hfiLink* link = &d->link[l];
    int i = link->dof;
    if (d->mass.steady[link->tree] & keeps_steady) continue;

    if (hfi_is_free_root(link))
      fill_free_rows(d, &Ic[l], d->S + i, hf_model_dof_Madr(m) + i, hf_model_dof_armature(m) + i);
    if (link->parent) inertia_add(&Ic[link->parent], &Ic[l]);
  }
}

// U_i = Ic S_i for the dofs of HFI_LANES rows at once: gathers the numbers into lanes, multiplies, and scatters them.
static inline void find_lane_forces(hfDynamics* d, const int* rows) {
  const double* I_numbers[HFI_LANES];
  const double* S_numbers[HFI_LANES];
  double* U_numbers[HFI_LANES];
  for (int k = 0; k < HFI_LANES; ++k) {
    const hfiMassRow* r = &d->mass.row[rows[k]];
    I_numbers[k] = (const double*)&d->mass.Ic[r->link];
    S_numbers[k] = (const double*)&d->S[r->dof];
    U_numbers[k] = (double*)&d->scratch.U[r->dof];
  }

  hfiInertias I;
  hfiMotions S;
  hfi_gather(I_numbers, 10, (hfiLanes*)&I);
  hfi_gather(S_numbers, 6, (hfiLanes*)&S);
  hfiForces U = inertias_mul(&I, S);
  hfi_scatter((const hfiLanes*)&U, 6, U_numbers);
}

// U_i = Ic S_i for the dofs of the first n rows. If a single one is left over, it is computed alone, which takes less
// time.
static void find_forces(hfDynamics* d, int n) {
  int rows[HFI_LANES];
  int k = 0;
  for (; k < n - 1; k += HFI_LANES) find_lane_forces(d, hfi_fill_lanes(k, n, rows));
  if (k != n - 1) return;

  const hfiMassRow* r = &d->mass.row[k];
  d->scratch.U[r->dof] = inertia_mul(&d->mass.Ic[r->link], d->S[r->dof]);
}

// Fills the row of M of a dof i, without armature, from scratch.U = Ic S_i: M_ij = U . S_j. col: the dofs j of its
// entries. The first six of a tree with a free root are simpler (the head of this file).
static inline void fill_row(const hfDynamics* d, const hfiMassRow* r, const int32_t* col, double* row) {
  const hfForce F = d->scratch.U[r->dof];
  int k = 0;

  if (r->has_free_root) {
    v3_store(row, F.f);
    for (k = 3; k < 6; ++k) row[k] = v3_dot(F.n, d->S[col[k]].w);
  }

  // the dofs behind the root
  for (; k < r->n; ++k) row[k] = fo_dot(F, d->S[col[k]]);
}

// Computes M unless it is fresh; the rows that stay only for the first time. Its factors are then no longer fresh. The
// list mass->row begins with the rows that vary, and has none of free roots, which add_composites fills.
void hf_dynamics_update_mass_matrix(hfDynamics* d) {
  const hfiMassMatrix* mass = &d->mass;
  const int32_t* col = hf_model_M_col(d->model);
  const double* armature = hf_model_dof_armature(d->model);
  if (hfi_dynamics_is_fresh(d, HFI_FRESH_MASS)) return;

  // which rows, and the composite inertias that they need
  int n = hfi_dynamics_is_fresh(d, HFI_FRESH_STEADY_MASS) ? mass->nvarying : mass->nrow;
  add_composites(d);
  find_forces(d, n);

  // the rows, then armature of tendons
  for (int k = 0; k < n; ++k) {
    const hfiMassRow* r = &mass->row[k];
    double* row = d->M + r->adr;
    fill_row(d, r, col + r->adr, row);
    row[r->n - 1] += armature[r->dof]; // the diagonal is the last entry
  }
  for (int k = 0; k < mass->narmature; ++k) d->M[mass->armature[k].entry] += mass->armature[k].value;

  d->fresh |= HFI_FRESH_MASS | HFI_FRESH_STEADY_MASS;
  d->fresh &= ~(uint32_t)HFI_FRESH_FACTORS;
}

const double* hf_dynamics_mass_matrix(const hfDynamics* d) { return d->M; }
const double* hf_dynamics_bias(const hfDynamics* d) { return d->c; }

// Whether a dof is the first of a free joint at the root of its tree.
static int starts_free_root(const hfModel* m, int dof) {
  return hf_model_dof_depth(m)[dof] == 0 && hf_model_jnt_type(m)[hf_model_dof_jnt(m)[dof]] == HF_JOINT_FREE;
}

// Writes M as a full matrix (nv x nv) from the sparse one.
void hf_dynamics_dense_mass_matrix(const hfDynamics* d, double* M) {
  const hfModel* m = d->model;
  size_t nv = (size_t)m->nv;
  memset(M, 0, nv * nv * sizeof *M);

  for (size_t i = 0; i < nv; ++i) {
    int start = hf_model_dof_Madr(m)[i];
    int n = hf_model_dof_depth(m)[i] + 1;
    for (int k = start; k < start + n; ++k) {
      size_t j = (size_t)hf_model_M_col(m)[k];
      M[i * nv + j] = d->M[k];
      M[j * nv + i] = d->M[k];
    }
  }
}

// Adds both products with entry j < k of row k of a free root: M_kj x_j to *sum, which becomes y_k, and M_jk x_k to
// y_j.
static inline void multiply_pair(const double* row, int k, int j, const double* x, double* y, double* sum) {
  *sum += row[j] * x[j];
  y[j] += row[j] * x[k];
}

// y = M x for a free root's own six rows (see fill_free_rows). They are the lower triangle of a 6 x 6 matrix: row k has
// k + 1 entries and begins at row + k (k + 1)/2. Entries that are zero are left out: rows 0 to 2 are diagonal.
static void multiply_free(const double* row, const double* restrict x, double* restrict y) {
  const double* r3 = row + 6;
  const double* r4 = row + 10;
  const double* r5 = row + 15;

  // the diagonal
  y[0] = row[0] * x[0];
  y[1] = row[2] * x[1];
  y[2] = row[5] * x[2];
  double y3 = r3[3] * x[3];
  double y4 = r4[4] * x[4];
  double y5 = r5[5] * x[5];

  // below it: row 3, row 4, row 5
  for (int j = 0; j < 3; ++j) multiply_pair(r3, 3, j, x, y, &y3);
  for (int j = 0; j < 3; ++j) multiply_pair(r4, 4, j, x, y, &y4);
  y4 += r4[3] * x[3];
  y3 += r4[3] * x[4];
  for (int j = 0; j < 3; ++j) multiply_pair(r5, 5, j, x, y, &y5);
  y5 += r5[3] * x[3];
  y3 += r5[3] * x[5];
  y5 += r5[4] * x[4];
  y4 += r5[4] * x[5];

  y[3] = y3;
  y[4] = y4;
  y[5] = y5;
}

// y = M x (nv) for the dofs i to end - 1 of a tree: writes their y, and adds their part to y of their ancestors, whose
// own rows are done. A row has its ancestors and the diagonal; by symmetry it is also a column.
static inline void multiply_rows(const hfDynamics* d, int i, int end, const double* x, double* y) {
  const hfModel* m = d->model;
  const int32_t* adr = hf_model_dof_Madr(m);
  const int32_t* depths = hf_model_dof_depth(m);
  const int32_t* cols = hf_model_M_col(m);

  for (; i < end; ++i) {
    const double* row = d->M + adr[i];
    const int32_t* col = cols + adr[i];
    int depth = depths[i];
    double sum = row[depth] * x[i];

    // the columns of most rows are the `depth` dofs before i
    if (col[0] == i - depth) {
      const double* before = x + i - depth;
      for (int k = 0; k < depth; ++k) sum += row[k] * before[k];
      hfi_axpy(y + i - depth, x[i], row, depth);
      y[i] = sum;
      continue;
    }

    // the others have columns here and there
    for (int k = 0; k < depth; ++k) {
      sum += row[k] * x[col[k]];
      y[col[k]] += row[k] * x[i];
    }
    y[i] = sum;
  }
}

// y = M x for the dofs of tree t, in the arrays x and y (nv) of all trees.
void hfi_multiply_tree(const hfDynamics* d, int t, const double* x, double* y) {
  const hfModel* m = d->model;
  int begin = hf_model_tree_dofadr(m)[t];
  int end = begin + hf_model_tree_dofnum(m)[t];

  // the rows of a free root have zeros, unless armature of tendons couples their dofs
  int has_free_root = !d->mass.narmature && starts_free_root(m, begin);

  if (has_free_root) multiply_free(d->M + hf_model_dof_Madr(m)[begin], x + begin, y + begin);
  multiply_rows(d, has_free_root ? begin + 6 : begin, end, x, y);
}

// y = M x of all trees.
void hf_dynamics_multiply(const hfDynamics* d, const double* x, double* y) {
  for (int t = 0; t < d->model->ntree; ++t) hfi_multiply_tree(d, t, x, y);
}
