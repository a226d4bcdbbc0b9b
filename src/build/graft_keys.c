// Keyframes when one builder is attached to another.
#include "build/inside.h"

#include "build/key.h"

// Moves the pose of a floating or mocap body from the guest's world to the world of b. Arrays that a keyframe lacks are
// NULL.
static void move_pose(const hfiGraft* g, double* pos, double* quat) {
  if (pos) v3_store(pos, v3_add(g->p, q_rotate(g->q, v3_load(pos))));
  if (quat) q_store(quat, q_unit_once(q_mul(g->q, q_load(quat))));
}

// Copies a keyframe of the guest, as far as it reaches, into arrays of b; both are laid out by ids.
static void fill_from_guest(const hfiGraft* g, const hfiKey* key, const hfiKeyLayout* from, const hfiKeyLayout* to,
                            const hfiKeyArrays* a) {
  for (int k = 0; k < key->njoint; ++k) {
    int j = g->id[HF_OBJECT_JOINT][k];
    int type = g->guest->joint.data[k].type;
    if (j < 0) continue;
    hfi_key_copy_joint(a, to, j, &key->def, from, k, type);

    // a floating joint has a pose and a velocity in the world
    if (!hfi_joint_kinds[type].nworld) continue;
    double* q = a->qpos ? a->qpos + to->qpos[j] : NULL;
    double* v = a->qvel ? a->qvel + to->qvel[j] : NULL;
    if (q) move_pose(g, q, q + hfi_joint_kinds[type].info.quat);
    if (v) v3_store(v, q_rotate(g->q, v3_load(v)));
  }

  for (int k = 0; k < key->nactuator; ++k) {
    int actuator = g->id[HF_OBJECT_ACTUATOR][k];
    if (actuator >= 0) hfi_key_copy_actuator(a, to, actuator, &key->def, from, k);
  }

  for (int k = 0; k < key->nbody; ++k) {
    int body = g->id[HF_OBJECT_BODY][k];
    if (!g->guest->body.data[k].mocap || body < 0) continue;
    hfi_key_copy_mocap(a, to, body, &key->def, from, k);
    double* pos = a->mpos ? a->mpos + 3 * to->mocap[body] : NULL;
    double* quat = a->mquat ? a->mquat + 4 * to->mocap[body] : NULL;
    move_pose(g, pos, quat);
  }
}

// Names the copy of a keyframe. As in MuJoCo, one without a name is called by the prefix and suffix alone; it stays
// without if that name is taken.
static hfStatus name_key(hfiGraft* g, const char* source, hfiKey* key) {
  int is_wrapped = *g->prefix || *g->suffix;
  key->def.name = NULL;
  if (!source && !is_wrapped) return HF_OK;

  key->def.name = hfi_graft_name(g, source ? source : "");
  if (!key->def.name) return HF_ERROR_MEMORY;
  if (!source && hf_builder_find(g->b, HF_OBJECT_KEY, key->def.name) >= 0) key->def.name = NULL;
  return HF_OK;
}

// Adds a copy of a keyframe of the guest, whose numbers lie as in `from`, to the builder, where they lie as in `to`.
static hfStatus copy_key(hfiGraft* g, const hfiKey* source, const hfiKeyLayout* from, const hfiKeyLayout* to,
                         hfError* error) {
  hfiKey key;
  hfiKeyArrays a;
  hfStatus status = hfi_key_create(g->b, to, &source->def, &key, &a, error);
  if (status != HF_OK) return status;

  fill_from_guest(g, source, from, to, &a);
  if (name_key(g, source->def.name, &key) != HF_OK) return hfi_refuse_memory(error);

  int id = hfi_key_add(g->b, &key, error);
  return id < 0 ? (hfStatus)id : HF_OK;
}

// Copies all keyframes of the guest. Both builders lay them out by ids, so that each object finds its numbers.
hfStatus hfi_graft_keys(hfiGraft* g, hfError* error) {
  if (g->guest->key.count == 0) return HF_OK;

  hfiKeyLayout from = {0};
  hfiKeyLayout to = {0};
  hfStatus status = hfi_key_layout_create(&from, g->guest, NULL, error);
  if (status == HF_OK) status = hfi_key_layout_create(&to, g->b, NULL, error);
  for (int i = 0; i < g->guest->key.count && status == HF_OK; ++i)
    if (!hfi_graft_leaves_out(g, HF_OBJECT_KEY, i)) status = copy_key(g, &g->guest->key.data[i], &from, &to, error);
  hfi_key_layout_release(&from);
  hfi_key_layout_release(&to);

  return status;
}
