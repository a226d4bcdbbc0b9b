// Checks of the tree of bodies, joints, dofs and geoms of a model block (block.h).
#include "model/block.h"

#include "base/error.h"
#include "model/derive.h"
#include "model/joint.h"

#include <stdlib.h>
#include <string.h>

// Bodies are depth-first: the parent of a body is the body before it or one of that body's ancestors. The walk leaves
// every body once, so that it costs O(nbody) in all. Returns the first body whose parent is wrong, or nbody.
static int find_wrong_parent(const hfModel* m) {
  const int32_t* parent = hf_model_body_parent(m);
  if (parent[0] != 0) return 0;

  for (int b = 1; b < m->nbody; ++b) {
    if (parent[b] < 0 || parent[b] >= b) return b;
    int ancestor = b - 1;
    while (ancestor > parent[b]) ancestor = parent[ancestor];
    if (ancestor != parent[b]) return b;
  }

  return m->nbody;
}

// Are these elements (joints, geoms) grouped by body? Their `count` body ids must ascend, from `first` on, and be below
// nbody.
static int groups_are_sound(const int32_t* body, int count, int first, int nbody) {
  for (int i = 0; i < count; ++i)
    if (body[i] < first || body[i] >= nbody || (i > 0 && body[i] < body[i - 1])) return 0;
  return 1;
}

// May its body have joint j? A mocap body has no joints. A free joint must be the only joint of a child of the world.
static int joint_is_sound(const hfModel* m, int j) {
  const int32_t* body = hf_model_jnt_body(m);
  int b = body[j];
  if (hf_model_body_mocap(m)[b] >= 0) return 0;
  if (!hfi_joint_kinds[hf_model_jnt_type(m)[j]].nworld) return 1;

  int is_only = (j == 0 || body[j - 1] != b) && (j + 1 == m->njnt || body[j + 1] != b);
  return is_only && hf_model_body_parent(m)[b] == 0;
}

// Types index the table of joints.
static hfStatus check_joint_types(const hfModel* m, hfError* error) {
  const int32_t* type = hf_model_jnt_type(m);
  for (int j = 0; j < m->njnt; ++j)
    if (type[j] < 0 || type[j] >= HFI_JOINT_TYPES)
      return hfi_refuse(error, HF_ERROR_MODEL, "model block: jnt_type[%d] = %d is out of range", j, type[j]);
  return HF_OK;
}

static int joints_are_sound(const hfModel* m) {
  if (!groups_are_sound(hf_model_jnt_body(m), m->njnt, 1, m->nbody)) return 0;
  for (int j = 0; j < m->njnt; ++j)
    if (!joint_is_sound(m, j)) return 0;
  return 1;
}

// Are nq, nv, nM, ntree and nmocap those that follow from the bodies and joints?
// depth (nbody): scratch, the number of dofs that move each body.
static int counts_are_sound(const hfModel* m, int64_t* depth) {
  int64_t nq = 0;
  int64_t nv = 0;
  int64_t nM = 0; // entries of M: a dof has a row with as many as there are dofs from the root to it
  int ntree = 0;
  int nmocap = 0;
  int j = 0; // joints are grouped by body

  for (int b = 0; b < m->nbody; ++b) {
    int parent = hf_model_body_parent(m)[b];
    int is_mocap = hf_model_body_mocap(m)[b] >= 0;
    if (is_mocap && (b == 0 || parent != 0)) return 0;
    nmocap += is_mocap;

    // above: the dofs that move the parent. The dofs of this body come after them; the first one on the way begins a
    // tree
    int64_t above = b ? depth[parent] : 0;
    depth[b] = above;
    for (; j < m->njnt && hf_model_jnt_body(m)[j] == b; ++j) {
      int type = hf_model_jnt_type(m)[j];
      for (int i = 0; i < hfi_joint_nv(type); ++i) nM += ++depth[b];
      nq += hfi_joint_nq(type);
      nv += hfi_joint_nv(type);
    }
    ntree += above == 0 && depth[b] > 0;
  }

  return nq == m->nq && nv == m->nv && nM == m->nM && ntree == m->ntree && nmocap == m->nmocap;
}

// Computes the fields that follow from the tree again, in `copy`, and compares them.
static hfStatus compare_topology(const hfModel* m, hfModel* copy, hfError* error) {
  hfi_fill_topology(copy);
  for (int k = 0; k < HFI_TOPOLOGY_FIELDS; ++k) {
    hfModelField f = hfi_topology_fields[k];
    if (memcmp(hfi_field_array(m, f), hfi_field_array(copy, f), hfi_field_bytes(m, f)) != 0)
      return hfi_refuse(error, HF_ERROR_MODEL, "model block: %s does not follow from the tree of bodies",
                        hf_model_field_info(m, f).name);
  }

  return HF_OK;
}

// Refuses a block whose tree is not in order: parents, types of joints, groups of joints and geoms by body, counts, and
// all fields that follow from these. They are computed again in `copy`. Each check relies on those before it.
hfStatus hfi_check_topology(const hfModel* m, hfModel* copy, hfError* error) {
  if (m->nbody < 1) return hfi_refuse(error, HF_ERROR_MODEL, "model block: there is no world");
  int wrong = find_wrong_parent(m);
  if (wrong < m->nbody)
    return hfi_refuse(error, HF_ERROR_MODEL, "model block: body_parent[%d] = %d makes no tree in depth-first order",
                      wrong, hf_model_body_parent(m)[wrong]);

  hfStatus status = check_joint_types(m, error);
  if (status != HF_OK) return status;
  if (!joints_are_sound(m))
    return hfi_refuse(error, HF_ERROR_MODEL, "model block: a joint is on a body that cannot have it");
  if (!groups_are_sound(hf_model_geom_body(m), m->ngeom, 0, m->nbody))
    return hfi_refuse(error, HF_ERROR_MODEL, "model block: geoms are not grouped by body");

  // the counts must be right before the topology is computed again
  int64_t* depth = malloc((size_t)m->nbody * sizeof *depth);
  if (!depth) return hfi_refuse(error, HF_ERROR_MEMORY, "out of memory");

  int is_sound = counts_are_sound(m, depth);
  free(depth);
  if (!is_sound)
    return hfi_refuse(error, HF_ERROR_MODEL, "model block: nq, nv, nM, ntree or nmocap is not that of its joints");

  return compare_topology(m, copy, error);
}
