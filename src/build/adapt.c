// Adapts copies of a guest's objects to their new place.
// Bodies, geoms, sites and cameras in the guest's world W' get the pose X_PB = X_PW' X_W'B in the parent P.
#include "build/inside.h"

int hfi_graft_rename(const hfiGraft* g, hfObjectKind kind, int32_t* id) {
  if (*id < 0 || kind == HF_OBJECT_NONE) return 1;
  *id = g->id[kind][*id];
  return *id >= 0;
}

// Moves a pose in the guest's world to the parent.
static void place_pose(const hfiGraft* g, double pos[3], double quat[4]) {
  v3_store(pos, v3_add(g->p, q_rotate(g->q, v3_load(pos))));
  q_store(quat, q_unit_once(q_mul(g->q, q_load(quat))));
}

// ---- the tree --------------------------------------------------------------------------------------

// Makes a child of the guest's world, or the root of the subtree that is attached, a child of the parent.
hfiAdapted hfi_adapt_body(hfiGraft* g, void* def, int id) {
  hfBodyDef* d = def;
  int is_top = g->root ? id == g->root : d->parent == 0;
  if (!is_top) return HFI_ADAPTED;

  d->parent = g->parent;
  place_pose(g, d->pos, d->quat);
  return HFI_ADAPTED_WITH_IDS;
}

hfiAdapted hfi_adapt_geom(hfiGraft* g, void* def, int id) {
  (void)id;
  hfGeomDef* d = def;
  if (d->body == 0) place_pose(g, d->pos, d->quat);
  return HFI_ADAPTED;
}

hfiAdapted hfi_adapt_site(hfiGraft* g, void* def, int id) {
  (void)id;
  hfSiteDef* d = def;
  if (d->body == 0) place_pose(g, d->pos, d->quat);
  return HFI_ADAPTED;
}

// Moves a camera of the guest's world to the parent. A camera whose target is not copied becomes a fixed one.
hfiAdapted hfi_adapt_camera(hfiGraft* g, void* def, int id) {
  (void)id;
  hfCameraDef* d = def;
  if (d->body == 0) place_pose(g, d->pos, d->quat);

  if (d->target >= 0 && g->id[HF_OBJECT_BODY][d->target] < 0) {
    d->mode = HF_CAMERA_FIXED;
    d->target = -1;
  }

  return HFI_ADAPTED;
}

// Decides whether a mesh is copied: if a copied geom uses it.
hfiAdapted hfi_adapt_mesh(hfiGraft* g, void* def, int id) {
  (void)def;
  if (g->replaces) return HFI_ADAPTED;
  for (int i = 0; i < g->guest->geom.count; ++i) {
    const hfGeomDef* geom = &g->guest->geom.data[i];
    if (geom->mesh == id && g->id[HF_OBJECT_BODY][geom->body] >= 0) return HFI_ADAPTED;
  }
  return HFI_LEFT_OUT;
}

// Decides whether a height field is copied: if a copied geom uses it.
hfiAdapted hfi_adapt_height_field(hfiGraft* g, void* def, int id) {
  (void)def;
  if (g->replaces) return HFI_ADAPTED;
  for (int i = 0; i < g->guest->geom.count; ++i) {
    const hfGeomDef* geom = &g->guest->geom.data[i];
    if (geom->hfield == id && g->id[HF_OBJECT_BODY][geom->body] >= 0) return HFI_ADAPTED;
  }
  return HFI_LEFT_OUT;
}

// ---- what refers to the tree -----------------------------------------------------------------------

// Copies the arrays of a tendon, with the ids of the copies of its joints, sites and geoms. A tendon of which one is
// not copied is left out.
hfiAdapted hfi_adapt_tendon(hfiGraft* g, void* def, int id) {
  (void)id;
  hfTendonDef* d = def;
  int32_t* joint = hfi_pool_copy(&g->b->pool, d->joint, sizeof *joint * (size_t)d->count);
  hfWrapDef* path = hfi_pool_copy(&g->b->pool, d->path, sizeof *path * (size_t)d->path_count);
  if (!joint || !path) return HFI_ADAPTED_NO_MEMORY;

  d->joint = joint;
  d->path = path;

  for (int i = 0; i < d->count; ++i)
    if (!hfi_graft_rename(g, HF_OBJECT_JOINT, &joint[i])) return HFI_LEFT_OUT;

  for (int i = 0; i < d->path_count; ++i) {
    hfObjectKind kind = path[i].type == HF_WRAP_SITE ? HF_OBJECT_SITE : HF_OBJECT_GEOM;
    if (path[i].type != HF_WRAP_PULLEY && !hfi_graft_rename(g, kind, &path[i].obj)) return HFI_LEFT_OUT;
    if (!hfi_graft_rename(g, HF_OBJECT_SITE, &path[i].side)) return HFI_LEFT_OUT;
  }

  return HFI_ADAPTED;
}

// Moves the data of a weld, which are written for frames 1 and 2: the anchor in 2, and the pose X_12. Where 1 or 2 was
// the guest's world W', it is now the parent P: X_P2 = X_PW' X_W'2 and X_1P = X_1W' X_W'P.
static void move_weld(const hfiGraft* g, hfEqualityDef* d, int first_is_world, int second_is_world) {
  double* anchor = d->data;
  double* pos = d->data + 3;
  double* quat = d->data + 6;
  if (second_is_world) v3_store(anchor, v3_add(g->p, q_rotate(g->q, v3_load(anchor))));

  // zeros stand for the pose at qpos0
  if (!hfi_any_nonzero(quat, 4)) return;
  if (first_is_world) place_pose(g, pos, quat);

  if (second_is_world) {
    hfQuat turned = q_unit(q_mul(q_load(quat), q_conj(g->q)));
    v3_store(pos, v3_sub(v3_load(pos), q_rotate(turned, g->p)));
    q_store(quat, turned);
  }
}

// Moves the anchors of an equality that is fixed to the guest's world.
hfiAdapted hfi_adapt_equality(hfiGraft* g, void* def, int id) {
  (void)id;
  hfEqualityDef* d = def;
  if (hfi_equality_target(d->type, d->objkind) != HF_OBJECT_BODY) return HFI_ADAPTED;

  if (d->obj2 < 0) d->obj2 = 0; // without a second body it is the world
  int first_is_world = d->obj1 == 0;
  int second_is_world = d->obj2 == 0;
  if (d->type == HF_EQUALITY_WELD) move_weld(g, d, first_is_world, second_is_world);
  else if (first_is_world) v3_store(d->data, v3_add(g->p, q_rotate(g->q, v3_load(d->data))));

  return HFI_ADAPTED;
}

// Copies the numbers of a feedback signal, in which the joints that it watches get the ids of their copies.
hfiAdapted hfi_adapt_actuator(hfiGraft* g, void* def, int id) {
  (void)id;
  hfActuatorDef* d = def;
  if (d->signal != HF_SIGNAL_FEEDBACK) return HFI_ADAPTED;

  double* numbers = hfi_pool_copy(&g->b->pool, d->signal_data, sizeof *numbers * (size_t)d->signal_count);
  if (!numbers) return HFI_ADAPTED_NO_MEMORY;

  d->signal_data = numbers;
  for (int i = 1; i <= (int)numbers[0]; ++i) {
    int32_t joint = (int32_t)numbers[i];
    if (!hfi_graft_rename(g, HF_OBJECT_JOINT, &joint)) return HFI_LEFT_OUT;
    numbers[i] = joint;
  }

  return HFI_ADAPTED;
}
