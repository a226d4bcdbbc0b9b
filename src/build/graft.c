// The tree of a guest is copied. Bodies, geoms, sites and cameras in the guest's world W' get the pose X_PB = X_PW' X_W'B in the parent P.
#include "build/graft.h"

#include "base/error.h"
#include "build/builder_add.h"

#include <stdio.h>
#include <string.h>

static hfStatus find_root(hfiGraft* g, const hfAttachDef* def, hfError* error) {
  g->root = def->body ? hf_builder_find(g->guest, HF_OBJECT_BODY, def->body) : 0;
  if (g->root < 0) return hfi_refuse(error, HF_ERROR_MODEL, "the attached model has no body \"%s\"", def->body);
  return HF_OK;
}

static int* take_ids(int** at, int count) {
  int* ids = *at;
  for (int i = 0; i < count; ++i) ids[i] = -1;
  *at += count;
  return ids;
}

// Finds the body to which the world of the guest is attached, and its pose in this body.
static hfStatus find_place(hfiGraft* g, const hfAttachDef* def, hfError* error) {
  double quat[4];
  memcpy(quat, def->quat, sizeof quat);
  if (!hfi_object_exists(g->b, HF_OBJECT_BODY, def->parent))
    return hfi_refuse(error, HF_ERROR_MODEL, "attach: body %d does not exist", def->parent);
  if (!hfi_all_finite(def->pos, 3) || !hfi_normalise_quat(quat))
    return hfi_refuse(error, HF_ERROR_MODEL, "attach: pose is not finite or its quaternion is zero");
  g->parent = def->parent, g->p = v3_load(def->pos), g->q = q_load(quat);
  if (!def->site) return HF_OK;
  const hfSiteDef* site = hf_builder_site(g->b, hf_builder_find(g->b, HF_OBJECT_SITE, def->site));
  if (!site) return hfi_refuse(error, HF_ERROR_MODEL, "attach: no site is named \"%s\"", def->site);
  if (def->parent != 0 && def->parent != site->body)
    return hfi_refuse(error, HF_ERROR_MODEL, "attach: site \"%s\" belongs to body %d, not to body %d", def->site, site->body, def->parent);
  hfQuat q_PS = q_load(site->quat);
  g->parent = site->body;
  g->p = v3_add(v3_load(site->pos), q_rotate(q_PS, g->p));
  g->q = q_unit(q_mul(q_PS, g->q));
  return HF_OK;
}

hfStatus hfi_graft_open(hfiGraft* g, hfBuilder* b, const hfBuilder* guest, const hfAttachDef* def, hfError* error) {
  *g = (hfiGraft){.b = b, .guest = guest};
  hfStatus status = find_place(g, def, error);
  if (status == HF_OK) status = find_root(g, def, error);
  if (status != HF_OK) return status;
  g->prefix = hfi_pool_string(&b->pool, def->prefix ? def->prefix : "");
  g->suffix = hfi_pool_string(&b->pool, def->suffix ? def->suffix : "");
  size_t total = 1;
  for (int k = 0; k < HF_OBJECT_KINDS; ++k) total += (size_t)hf_builder_count(guest, (hfObjectKind)k);
  int* at = hfi_pool_copy(&b->pool, NULL, total * sizeof *at);
  if (!at || !g->prefix || !g->suffix) return hfi_refuse_memory(error);
  for (int k = 0; k < HF_OBJECT_KINDS; ++k)
    if (k != HF_OBJECT_INERTIAL) g->id[k] = take_ids(&at, hf_builder_count(guest, (hfObjectKind)k));
  g->id[HF_OBJECT_INERTIAL] = g->id[HF_OBJECT_BODY]; // Both are numbers of bodies.
  return HF_OK;
}

// ---- names and ids -------------------------------------------------------------------------------

const char* hfi_graft_name(hfiGraft* g, const char* name) {
  if (!name || (!*g->prefix && !*g->suffix)) return name;
  size_t size = strlen(g->prefix) + strlen(name) + strlen(g->suffix) + 1;
  char* full = hfi_pool_copy(&g->b->pool, NULL, size);
  if (full) snprintf(full, size, "%s%s%s", g->prefix, name, g->suffix);
  return full;
}

int hfi_graft_leaves_out(const hfiGraft* g, int kind, int id) {
  return g->without_kind == kind && kind != HF_OBJECT_NONE && id >= g->without[0] && id < g->without[1];
}

// Replaces a guest's id by that in b. 0: the object was not copied.
static int rename_id(const hfiGraft* g, int kind, int32_t* id) {
  if (*id < 0) return 1; // It names no object.
  *id = g->id[kind][*id];
  return *id >= 0;
}

static void place(const hfiGraft* g, double pos[3], double quat[4]) {
  v3_store(pos, v3_add(g->p, q_rotate(g->q, v3_load(pos))));
  q_store(quat, q_unit_once(q_mul(g->q, q_load(quat))));
}

// ---- the tree ------------------------------------------------------------------------------------

static int adapt_body(hfiGraft* g, hfBodyDef* d, int id) {
  if (id == 0) return 0; // the guest's world becomes the parent
  int top = g->root ? id == g->root : d->parent == 0;
  if (!top) return rename_id(g, HF_OBJECT_BODY, &d->parent);
  d->parent = g->parent;
  place(g, d->pos, d->quat);
  return g->root == 0 || id == g->root;
}

static int adapt_joint(hfiGraft* g, hfJointDef* d, int id) {
  (void)id;
  return rename_id(g, HF_OBJECT_BODY, &d->body);
}

static int adapt_geom(hfiGraft* g, hfGeomDef* d, int id) {
  (void)id;
  if (d->body == 0) place(g, d->pos, d->quat);
  return rename_id(g, HF_OBJECT_BODY, &d->body) && rename_id(g, HF_OBJECT_MESH, &d->mesh) &&
         rename_id(g, HF_OBJECT_HFIELD, &d->hfield);
}

static int adapt_site(hfiGraft* g, hfSiteDef* d, int id) {
  (void)id;
  if (d->body == 0) place(g, d->pos, d->quat);
  return rename_id(g, HF_OBJECT_BODY, &d->body);
}

// A camera whose target was not copied becomes a fixed one.
static int adapt_camera(hfiGraft* g, hfCameraDef* d, int id) {
  (void)id;
  if (d->body == 0) place(g, d->pos, d->quat);
  if (!rename_id(g, HF_OBJECT_BODY, &d->target)) d->mode = HF_CAMERA_FIXED, d->target = -1;
  return rename_id(g, HF_OBJECT_BODY, &d->body);
}

// Copies every object of a list that `adapt` accepts.
#define COPY_LIST(Def, list, member, kind, adapt, add)                                             \
  for (int i = 0; i < g->guest->list.count; ++i) {                                                 \
    Def d = g->guest->list.data[i] member;                                                         \
    if (hfi_graft_leaves_out(g, kind, i) || !adapt(g, &d, i)) continue;                            \
    const char* name = hfi_graft_name(g, d.name);                                                        \
    if (d.name && !name) return hfi_refuse_memory(error);                                          \
    d.name = name;                                                                                 \
    int id = add(g->b, &d, error);                                                                 \
    if (id < 0) return (hfStatus)id;                                                               \
    g->id[kind][i] = id;                                                                           \
  }

// Whether a copied geom uses the mesh, or the height field, with that number; the other one is -1.
static int is_used(const hfiGraft* g, int mesh, int hfield) {
  if (g->replaces) return 1;
  for (int i = 0; i < g->guest->geom.count; ++i) {
    const hfGeomDef* geom = &g->guest->geom.data[i];
    int uses = (mesh >= 0 && geom->mesh == mesh) || (hfield >= 0 && geom->hfield == hfield);
    if (uses && g->id[HF_OBJECT_BODY][geom->body] >= 0) return 1;
  }
  return 0;
}
static int adapt_mesh(const hfiGraft* g, const hfMeshDef* d, int id) { return (void)d, is_used(g, id, -1); }
static int adapt_height_field(const hfiGraft* g, const hfHeightFieldDef* d, int id) { return (void)d, is_used(g, -1, id); }

// The bodies of the guest, and those of the parts that were attached to it before, keep their rules about inertia. `first` is the first body that was copied.
static hfStatus keep_rules(hfiGraft* g, int first, hfError* error) {
  for (int i = 0; i < g->guest->part.count; ++i) {
    const hfiPart* inner = &g->guest->part.data[i];
    hfiPart copy = {g->b->body.count, 0, inner->config};
    for (int k = inner->first; k < inner->end; ++k) {
      int id = g->id[HF_OBJECT_BODY][k];
      if (id >= first && id < copy.first) copy.first = id;
      if (id >= copy.end) copy.end = id + 1;
    }
    if (hfi_builder_add_part(g->b, copy, error) != HF_OK) return HF_ERROR_MEMORY;
  }
  return g->replaces ? HF_OK : hfi_builder_add_part(g->b, (hfiPart){first, g->b->body.count, g->guest->config}, error);
}

hfStatus hfi_graft_tree(hfiGraft* g, hfError* error) {
  int first = g->b->body.count;
  if (g->root == 0) g->id[HF_OBJECT_BODY][0] = g->parent;
  COPY_LIST(hfBodyDef, body, , HF_OBJECT_BODY, adapt_body, hf_builder_add_body);
  COPY_LIST(hfJointDef, joint, , HF_OBJECT_JOINT, adapt_joint, hf_builder_add_joint);
  COPY_LIST(hfMeshDef, mesh, .def, HF_OBJECT_MESH, adapt_mesh, hf_builder_add_mesh);
  COPY_LIST(hfHeightFieldDef, hfield, , HF_OBJECT_HFIELD, adapt_height_field, hf_builder_add_height_field);
  COPY_LIST(hfGeomDef, geom, , HF_OBJECT_GEOM, adapt_geom, hf_builder_add_geom);
  COPY_LIST(hfSiteDef, site, , HF_OBJECT_SITE, adapt_site, hf_builder_add_site);
  COPY_LIST(hfCameraDef, camera, , HF_OBJECT_CAMERA, adapt_camera, hf_builder_add_camera);
  return keep_rules(g, first, error);
}

// ---- what refers to the tree ---------------------------------------------------------------------

static int adapt_pair(hfiGraft* g, hfPairDef* d, int id) {
  (void)id;
  return rename_id(g, HF_OBJECT_GEOM, &d->geom1) && rename_id(g, HF_OBJECT_GEOM, &d->geom2);
}

static int adapt_tendon(hfiGraft* g, hfTendonDef* d, int id) {
  (void)id;
  int32_t* joint = hfi_pool_copy(&g->b->pool, d->joint, sizeof *joint * (size_t)d->count);
  d->joint = joint;
  for (int i = 0; joint && i < d->count; ++i)
    if (!rename_id(g, HF_OBJECT_JOINT, &joint[i])) return 0;
  hfWrapDef* path = hfi_pool_copy(&g->b->pool, d->path, sizeof *path * (size_t)d->path_count);
  d->path = path;
  for (int i = 0; path && i < d->path_count; ++i) {
    int kind = path[i].type == HF_WRAP_SITE ? HF_OBJECT_SITE : HF_OBJECT_GEOM;
    if (path[i].type != HF_WRAP_PULLEY && !rename_id(g, kind, &path[i].obj)) return 0;
    if (path[i].side >= 0 && !rename_id(g, HF_OBJECT_SITE, &path[i].side)) return 0;
  }
  return joint && path;
}

// The data of a weld are written for frames 1 and 2: the anchor in 2, and the pose X_12. Where 1 or 2 was the guest's world W', it
// is now the parent P: X_P2 = X_PW' X_W'2 and X_1P = X_1W' X_W'P.
static void move_weld(const hfiGraft* g, hfEqualityDef* d, int first_is_world, int second_is_world) {
  double *anchor = d->data, *pos = d->data + 3, *quat = d->data + 6;
  int given = quat[0] != 0 || quat[1] != 0 || quat[2] != 0 || quat[3] != 0;
  if (second_is_world) v3_store(anchor, v3_add(g->p, q_rotate(g->q, v3_load(anchor))));
  if (!given) return;
  if (first_is_world) place(g, pos, quat);
  if (second_is_world) {
    hfQuat back = q_conj(g->q), turned = q_unit(q_mul(q_load(quat), back));
    v3_store(pos, v3_sub(v3_load(pos), q_rotate(turned, g->p)));
    q_store(quat, turned);
  }
}

static int adapt_equality(hfiGraft* g, hfEqualityDef* d, int id) {
  (void)id;
  int kind = hfi_equality_target(d->type, d->objkind);
  if (kind == HF_OBJECT_BODY) {
    if (d->obj2 < 0) d->obj2 = 0; // Without a second body it is the world.
    int first_is_world = d->obj1 == 0, second_is_world = d->obj2 == 0;
    if (d->type == HF_EQUALITY_WELD)
      move_weld(g, d, first_is_world, second_is_world);
    else if (first_is_world)
      v3_store(d->data, v3_add(g->p, q_rotate(g->q, v3_load(d->data))));
  }
  return rename_id(g, kind, &d->obj1) && rename_id(g, kind, &d->obj2);
}

// The joints that a signal of feedback watches get the ids of their copies.
static int adapt_feedback(hfiGraft* g, hfActuatorDef* d) {
  double* numbers = hfi_pool_copy(&g->b->pool, d->signal_data, sizeof *numbers * (size_t)d->signal_count);
  d->signal_data = numbers;
  for (int i = 1; numbers && i <= (int)numbers[0]; ++i) {
    int32_t joint = (int32_t)numbers[i];
    if (!rename_id(g, HF_OBJECT_JOINT, &joint)) return 0;
    numbers[i] = joint;
  }
  return numbers != NULL;
}

static int adapt_actuator(hfiGraft* g, hfActuatorDef* d, int id) {
  (void)id;
  if (d->signal == HF_SIGNAL_FEEDBACK && !adapt_feedback(g, d)) return 0;
  return rename_id(g, hfi_transmission_target(d->trntype), &d->trnid[0]) &&
         rename_id(g, HF_OBJECT_SITE, &d->trnid[1]);
}

static int adapt_sensor(hfiGraft* g, hfSensorDef* d, int id) {
  (void)id;
  return (d->objkind == HF_OBJECT_NONE || rename_id(g, d->objkind, &d->obj)) &&
         (d->refkind == HF_OBJECT_NONE || rename_id(g, d->refkind, &d->ref));
}

static hfStatus copy_contacts(hfiGraft* g, hfError* error) {
  COPY_LIST(hfPairDef, pair, , HF_OBJECT_PAIR, adapt_pair, hf_builder_add_pair);
  for (int i = 0; i < g->guest->exclude.count; ++i) {
    int32_t body[2] = {g->guest->exclude.data[i].body[0], g->guest->exclude.data[i].body[1]};
    if (!rename_id(g, HF_OBJECT_BODY, &body[0]) || !rename_id(g, HF_OBJECT_BODY, &body[1])) continue;
    int id = hf_builder_add_exclude(g->b, body[0], body[1], error);
    if (id < 0) return (hfStatus)id;
  }
  return HF_OK;
}

hfStatus hfi_graft_kind(hfiGraft* g, hfObjectKind kind, hfError* error) {
  if (g->copied[kind]) return HF_OK;
  g->copied[kind] = 1;
  switch (kind) {
  case HF_OBJECT_PAIR:
    return copy_contacts(g, error);
  case HF_OBJECT_TENDON:
    COPY_LIST(hfTendonDef, tendon, , HF_OBJECT_TENDON, adapt_tendon, hf_builder_add_tendon);
    return HF_OK;
  case HF_OBJECT_EQUALITY:
    COPY_LIST(hfEqualityDef, equality, , HF_OBJECT_EQUALITY, adapt_equality, hf_builder_add_equality);
    return HF_OK;
  case HF_OBJECT_ACTUATOR:
    COPY_LIST(hfActuatorDef, actuator, , HF_OBJECT_ACTUATOR, adapt_actuator, hf_builder_add_actuator);
    return HF_OK;
  case HF_OBJECT_SENSOR:
    COPY_LIST(hfSensorDef, sensor, , HF_OBJECT_SENSOR, adapt_sensor, hf_builder_add_sensor);
    return HF_OK;
  default:
    return HF_OK;
  }
}
