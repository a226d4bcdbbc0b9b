// dof_parent is the previous dof on the way to the root; row i of M has the entries {ancestors of i, i}, ascending, so
// its length is dof_depth + 1.
#include "model/derive.h"

#include "model/joint.h"

const hfModelField hfi_topology_fields[HFI_TOPOLOGY_FIELDS] = {
    HF_FIELD_body_jntadr, HF_FIELD_body_jntnum,     HF_FIELD_body_dofadr, HF_FIELD_body_dofnum,
    HF_FIELD_body_geomadr, HF_FIELD_body_geomnum,   HF_FIELD_body_tree,   HF_FIELD_body_root,
    HF_FIELD_body_weld,   HF_FIELD_body_lastdof,    HF_FIELD_body_mocap,  HF_FIELD_body_subtreeend,
    HF_FIELD_tree_body,   HF_FIELD_tree_dofadr,     HF_FIELD_tree_dofnum, HF_FIELD_jnt_qposadr,
    HF_FIELD_jnt_dofadr,  HF_FIELD_dof_body,        HF_FIELD_dof_jnt,     HF_FIELD_dof_parent,
    HF_FIELD_dof_depth,   HF_FIELD_dof_Madr,        HF_FIELD_M_col,       HF_FIELD_dof_tree,
    HF_FIELD_mocap_body};

// Numbers coordinates and dofs joint by joint, and counts the joints and dofs of each body, which are zero before.
static void number_joints(hfModel* m) {
  int qadr = 0;
  int vadr = 0;

  for (int j = 0; j < m->njnt; ++j) {
    int body = hf_model_jnt_body(m)[j];
    int type = hf_model_jnt_type(m)[j];
    int nv = hfi_joint_nv(type);
    if (hf_model_body_jntnum(m)[body] == 0) {
      hfi_set_body_jntadr(m)[body] = j;
      hfi_set_body_dofadr(m)[body] = vadr;
    }
    hfi_set_body_jntnum(m)[body]++;
    hfi_set_body_dofnum(m)[body] += nv;
    hfi_set_jnt_qposadr(m)[j] = qadr;
    hfi_set_jnt_dofadr(m)[j] = vadr;
    for (int i = vadr; i < vadr + nv; ++i) {
      hfi_set_dof_body(m)[i] = body;
      hfi_set_dof_jnt(m)[i] = j;
    }
    qadr += hfi_joint_nq(type);
    vadr += nv;
  }
}

// Counts the geoms of each body and notes its first one.
static void number_geoms(hfModel* m) {
  for (int i = 0; i < m->ngeom; ++i) {
    int body = hf_model_geom_body(m)[i];
    if (hf_model_body_geomnum(m)[body] == 0) hfi_set_body_geomadr(m)[body] = i;
    hfi_set_body_geomnum(m)[body]++;
  }
}

// Hangs the dofs of body b on the last dof of its parent.
static void chain_dofs(hfModel* m, int b, int tree) {
  int last = b ? hf_model_body_lastdof(m)[hf_model_body_parent(m)[b]] : -1;
  for (int k = 0; k < hf_model_body_dofnum(m)[b]; ++k) {
    int i = hf_model_body_dofadr(m)[b] + k;
    hfi_set_dof_parent(m)[i] = last;
    hfi_set_dof_tree(m)[i] = tree;
    hfi_set_dof_depth(m)[i] = last < 0 ? 0 : hf_model_dof_depth(m)[last] + 1;
    last = i;
  }

  hfi_set_body_lastdof(m)[b] = last;
}

// Fills the fields of body b, whose parent is filled already. *nmocap, *ntree: how many there are before it.
static void link_body(hfModel* m, int b, int* nmocap, int* ntree) {
  int parent = hf_model_body_parent(m)[b];
  int is_mocap = hf_model_body_mocap(m)[b] >= 0;
  int ndof = hf_model_body_dofnum(m)[b];

  // so far body_mocap only says whether it is one
  if (is_mocap) {
    hfi_set_body_mocap(m)[b] = *nmocap;
    hfi_set_mocap_body(m)[(*nmocap)++] = b;
  }

  // root: the child of the world above it; weld: the next body above it, or itself, that moves against its parent
  int is_own_root = b == 0 || parent == 0;
  int is_own_weld = b == 0 || ndof > 0 || is_mocap;
  hfi_set_body_root(m)[b] = is_own_root ? b : hf_model_body_root(m)[parent];
  hfi_set_body_weld(m)[b] = is_own_weld ? b : hf_model_body_weld(m)[parent];

  // the first body with dofs begins a tree
  int tree = b ? hf_model_body_tree(m)[parent] : -1;
  if (ndof > 0 && tree < 0) {
    tree = (*ntree)++;
    hfi_set_tree_body(m)[tree] = b;
    hfi_set_tree_dofadr(m)[tree] = hf_model_body_dofadr(m)[b];
    hfi_set_tree_dofnum(m)[tree] = 0;
  }

  if (ndof > 0) hfi_set_tree_dofnum(m)[tree] += ndof;
  hfi_set_body_tree(m)[b] = tree;
  chain_dofs(m, b, tree);
}

// Fills body_subtreeend: the first body behind each body's subtree. A subtree ends where its last child's ends.
static void close_subtrees(hfModel* m) {
  int32_t* end = hfi_set_body_subtreeend(m);
  for (int b = 0; b < m->nbody; ++b) end[b] = b + 1;
  for (int b = m->nbody - 1; b > 0; --b) {
    int parent = hf_model_body_parent(m)[b];
    if (end[b] > end[parent]) end[parent] = end[b];
  }
}

// Lists the columns of each row of M.
static void fill_sparsity(hfModel* m) {
  int adr = 0;
  for (int i = 0; i < m->nv; ++i) {
    int depth = hf_model_dof_depth(m)[i];
    hfi_set_dof_Madr(m)[i] = adr;

    // the dof and its ancestors, in ascending order
    int dof = i;
    for (int k = depth; k >= 0; --k) {
      hfi_set_M_col(m)[adr + k] = dof;
      dof = hf_model_dof_parent(m)[dof];
    }
    adr += depth + 1;
  }
}

// Joints and geoms first, because bodies hang on their dofs.
void hfi_fill_topology(hfModel* m) {
  int nmocap = 0;
  int ntree = 0;

  for (int b = 0; b < m->nbody; ++b) {
    hfi_set_body_jntadr(m)[b] = hfi_set_body_dofadr(m)[b] = hfi_set_body_geomadr(m)[b] = -1;
    hfi_set_body_jntnum(m)[b] = hfi_set_body_dofnum(m)[b] = hfi_set_body_geomnum(m)[b] = 0;
  }

  number_joints(m);
  number_geoms(m);
  for (int b = 0; b < m->nbody; ++b) link_body(m, b, &nmocap, &ntree);
  close_subtrees(m);
  fill_sparsity(m);
}
