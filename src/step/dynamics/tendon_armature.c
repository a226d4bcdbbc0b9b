// The entries of M to which the armature of tendons adds. A tendon with armature a and the gradient J of its length adds a J^T J to M. J of a fixed tendon has
// the coefficients of its joints; J of a spatial tendon depends on the configuration (tendon.c). M is stored with the entries of one branch of a tree only.
// What the armature adds between dofs of different branches is left out.
#include "step/dynamics/dynamics.h"
#include "model/path.h"

// The entry of M at (row, col), or -1 if M has none there, because dof col does not move the link of dof row.
static int find_entry(const hfModel* m, int row, int col) {
  int start = hf_model_dof_Madr(m)[row], depth = hf_model_dof_depth(m)[col];
  if (depth > hf_model_dof_depth(m)[row] || hf_model_M_col(m)[start + depth] != col) return -1;
  return start + depth;
}

// Lists the entries of M to which the armature of a fixed tendon adds, with what it adds.
static void add_fixed_armature(hfDynamics* d, int tendon) {
  const hfModel* m = d->model;
  const int32_t* jnt = hf_model_wrap_obj(m) + hf_model_tendon_adr(m)[tendon];
  const double* coef = hf_model_wrap_coef(m) + hf_model_tendon_adr(m)[tendon];
  for (int a = 0; a < hf_model_tendon_num(m)[tendon]; ++a) {
    for (int b = 0; b <= a; ++b) {
      int i = hf_model_jnt_dofadr(m)[jnt[a]], j = hf_model_jnt_dofadr(m)[jnt[b]];
      int row = imax2(i, j), col = imin2(i, j), entry = find_entry(m, row, col);
      // If a tendon names a joint twice, both cross terms belong to one diagonal entry.
      double twice = a != b && i == j ? 2 : 1;
      double value = twice * hf_model_tendon_armature(m)[tendon] * coef[a] * coef[b];
      hfiArmature r = {entry, row, col, tendon, value};
      if (entry >= 0 && value != 0) d->armature[d->narmature++] = r;
    }
  }
}

// Lists the entries of M to which a spatial tendon's armature adds. Their values depend on the configuration.
static void list_spatial_armature(hfDynamics* d, int tendon) {
  const hfModel* m = d->model;
  if (hf_model_tendon_armature(m)[tendon] == 0) return;
  int n = hfi_tendon_dofs(m, tendon, d->tendon_dof);
  for (int a = 0; a < n; ++a)
    for (int b = 0; b <= a; ++b) {
      hfiArmature r = {find_entry(m, d->tendon_dof[a], d->tendon_dof[b]), d->tendon_dof[a], d->tendon_dof[b], tendon, 0};
      if (r.entry >= 0) d->armature[d->narmature++] = r;
    }
}

void hfi_list_tendon_armature(hfDynamics* d) {
  const hfModel* m = d->model;
  d->narmature = 0;
  for (int t = 0; t < m->ntendon; ++t)
    if (!hfi_tendon_is_spatial(m, t)) add_fixed_armature(d, t);
  d->nfixed_armature = d->narmature;
  for (int t = 0; t < m->ntendon; ++t)
    if (hfi_tendon_is_spatial(m, t)) list_spatial_armature(d, t);
}
