// A copy of each of the guest's objects is adapted to its new place (adapt.c), then all ids in it become those of the
// copies.
#include "build/inside.h"

#include "base/error.h"

#include <stdio.h>
#include <string.h>

// ---- opening ---------------------------------------------------------------------------------------

// Finds the body to which the world of the guest is attached, and its pose in this body.
static hfStatus find_place(hfiGraft* g, const hfAttachDef* def, hfError* error) {
  double quat[4];
  memcpy(quat, def->quat, sizeof quat);
  if (!hfi_object_exists(g->b, HF_OBJECT_BODY, def->parent))
    return hfi_refuse(error, HF_ERROR_MODEL, "attach: body %d does not exist", def->parent);
  if (!hfi_all_finite(def->pos, 3) || !hfi_normalise_quat(quat))
    return hfi_refuse(error, HF_ERROR_MODEL, "attach: pose is not finite or its quaternion is zero");

  g->parent = def->parent;
  g->p = v3_load(def->pos);
  g->q = q_load(quat);
  if (!def->site) return HF_OK;

  // the pose is one in the frame of a site
  const hfSiteDef* site = hf_builder_site(g->b, hf_builder_find(g->b, HF_OBJECT_SITE, def->site));
  if (!site) return hfi_refuse(error, HF_ERROR_MODEL, "attach: no site is named \"%s\"", def->site);
  if (def->parent != 0 && def->parent != site->body)
    return hfi_refuse(error, HF_ERROR_MODEL, "attach: site \"%s\" belongs to body %d, not to body %d", def->site,
                      site->body, def->parent);

  hfQuat q_PS = q_load(site->quat);
  g->parent = site->body;
  g->p = v3_add(v3_load(site->pos), q_rotate(q_PS, g->p));
  g->q = q_unit(q_mul(q_PS, g->q));

  return HF_OK;
}

// Begins a graft of `guest` into b: finds the place, the root of the subtree and the prefix, and makes lists of the new
// ids, which are -1 because nothing is copied yet.
hfStatus hfi_graft_open(hfiGraft* g, hfBuilder* b, const hfBuilder* guest, const hfAttachDef* def, hfError* error) {
  *g = (hfiGraft){.b = b, .guest = guest};
  hfStatus status = find_place(g, def, error);
  if (status != HF_OK) return status;

  g->root = def->body ? hf_builder_find(guest, HF_OBJECT_BODY, def->body) : 0;
  if (g->root < 0) return hfi_refuse(error, HF_ERROR_MODEL, "the attached model has no body \"%s\"", def->body);

  size_t total = 1;
  for (int k = 0; k < HF_OBJECT_KINDS; ++k) total += (size_t)hf_builder_count(guest, (hfObjectKind)k);

  int* ids = hfi_pool_copy(&b->pool, NULL, total * sizeof *ids);
  g->prefix = hfi_pool_string(&b->pool, def->prefix ? def->prefix : "");
  g->suffix = hfi_pool_string(&b->pool, def->suffix ? def->suffix : "");
  if (!ids || !g->prefix || !g->suffix) return hfi_refuse_memory(error);

  for (size_t i = 0; i < total; ++i) ids[i] = -1;
  for (int k = 0; k < HF_OBJECT_KINDS; ++k) {
    g->id[k] = ids;
    ids += hf_builder_count(guest, (hfObjectKind)k);
  }

  g->id[HF_OBJECT_INERTIAL] = g->id[HF_OBJECT_BODY]; // both are numbers of bodies
  return HF_OK;
}

// ---- names and ids ---------------------------------------------------------------------------------

// Returns a name with the prefix and suffix of the graft, in the pool. Without these it is the same name, not copied.
// NULL: no name, or out of memory.
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

// Replaces all ids outside of arrays. Returns 0 if an object was not copied.
static int rename_references(const hfiGraft* g, hfObjectKind kind, void* def) {
  const hfiReference* reference = hfi_objects[kind].reference;
  for (int k = 0; k < HFI_MOST_REFERENCES && reference[k].offset > 0; ++k)
    if (!hfi_graft_rename(g, hfi_reference_kind(&reference[k], def), hfi_reference_id(&reference[k], def))) return 0;
  return 1;
}

// ---- copies ----------------------------------------------------------------------------------------

// Copies the guest's objects of one kind, except those that refer to what was not copied.
static hfStatus copy_objects(hfiGraft* g, hfObjectKind kind, hfError* error) {
  const hfiObjects* objects = &hfi_objects[kind];
  // body 0, the world, is not copied
  for (int i = objects->first; i < hf_builder_count(g->guest, kind); ++i) {
    hfiAnyEntry copy;
    memcpy(&copy, hfi_definition(g->guest, kind, i), objects->def_size);
    if (hfi_graft_leaves_out(g, kind, i)) continue;

    hfiAdapted adapted = hfi_kinds[kind].adapt ? hfi_kinds[kind].adapt(g, &copy, i) : HFI_ADAPTED;
    if (adapted == HFI_ADAPTED_NO_MEMORY) return hfi_refuse_memory(error);
    if (adapted == HFI_LEFT_OUT) continue;
    // what adapt has not renamed itself
    if (adapted == HFI_ADAPTED && !rename_references(g, kind, &copy)) continue;

    const char* name = hfi_graft_name(g, copy.def.name);
    if (copy.def.name && !name) return hfi_refuse_memory(error);
    copy.def.name = name;
    int id = hfi_builder_add(g->b, kind, &copy, error);
    if (id < 0) return (hfStatus)id;
    g->id[kind][i] = id;
  }

  return HF_OK;
}

// Copies the pairs of bodies that do not touch, as far as both are copied.
static hfStatus copy_excludes(hfiGraft* g, hfError* error) {
  for (int i = 0; i < g->guest->exclude.count; ++i) {
    int32_t body[2] = {g->guest->exclude.data[i].body[0], g->guest->exclude.data[i].body[1]};
    if (!hfi_graft_rename(g, HF_OBJECT_BODY, &body[0]) || !hfi_graft_rename(g, HF_OBJECT_BODY, &body[1])) continue;
    int id = hf_builder_add_exclude(g->b, body[0], body[1], error);
    if (id < 0) return (hfStatus)id;
  }
  return HF_OK;
}

// Gives the copied bodies, from `first` on, the guest's rules about inertia, and those of models that the guest has
// attached.
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

  hfiPart whole = {first, g->b->body.count, g->guest->config};
  return g->replaces ? HF_OK : hfi_builder_add_part(g->b, whole, error);
}

// Copies the guest's bodies and what they carry. Bodies come first, because the others name them; meshes come before
// their geoms.
hfStatus hfi_graft_tree(hfiGraft* g, hfError* error) {
  static const hfObjectKind kinds[] = {HF_OBJECT_BODY, HF_OBJECT_JOINT, HF_OBJECT_MESH, HF_OBJECT_HFIELD,
                                       HF_OBJECT_GEOM, HF_OBJECT_SITE,  HF_OBJECT_CAMERA};
  int first = g->b->body.count;
  if (g->root == 0) g->id[HF_OBJECT_BODY][0] = g->parent; // the guest's world becomes the parent

  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
    hfStatus status = copy_objects(g, kinds[i], error);
    if (status != HF_OK) return status;
  }

  return keep_rules(g, first, error);
}

// Copies the guest's objects of one kind, once. Excluded pairs go with the pairs.
hfStatus hfi_graft_kind(hfiGraft* g, hfObjectKind kind, hfError* error) {
  if (g->copied[kind]) return HF_OK;
  g->copied[kind] = 1;

  hfStatus status = copy_objects(g, kind, error);
  if (status == HF_OK && kind == HF_OBJECT_PAIR) status = copy_excludes(g, error);
  return status;
}
