// <attach>: adds a body, a frame or the whole tree of another document (<asset><model>), with a prefix before all names.
//
// The other document keeps its own compiler settings, default classes and assets. What refers to
// the attached part (actuators, sensors, …) is added too; what refers to other parts of that document is dropped.
//
// A document of another format is read into a builder of its own, which is then grafted into that of the outer document.
#include "import/mjcf.h"
#include "model/graft.h"

#include <string.h>

typedef struct hfiModelAsset {
  const char* name;
  hfiMjcf* doc;     // of an MJCF model; else NULL
  hfBuilder* guest; // of a model in another format; else NULL
  struct hfiModelAsset* next;
} hfiModelAsset;

typedef struct hfiAttachment {
  hfiMjcf* doc;
  hfiGraft* graft; // of a model in another format
  const char *prefix, *suffix;
  int group;
  struct hfiAttachment* next;
} hfiAttachment;

void hfi_mjcf_read_model_asset(hfiMjcf* m, hfiElem* elem) {
  enum { MOST_NESTED = 8 };
  hfiReader* r = m->r;
  if (m->attached >= MOST_NESTED) {
    hfi_fail(r, elem, HF_ERROR_MODEL,
             "models are attached more than %d deep; does one contain itself?", MOST_NESTED);
    return;
  }
  const char* path = hfi_resolve(r, m->folder, hfi_require(r, elem, "file"));
  hfiElem* root = r->status ? NULL : hfi_xml_load(r, path, elem);
  if (!root) return;
  hfiModelAsset* asset = HFI_NEW(r, hfiModelAsset, 1);
  if (!asset) return;
  const char *name = hfi_attr(elem, "name"), *own = hfi_attr(root, hfi_is(root, "mujoco") ? "model" : "name");
  asset->name = name ? name : own ? own : "MuJoCo Model";
  if (hfi_is(root, "mujoco"))
    asset->doc = hfi_mjcf_open(r, root, hfi_folder_of(r, path), m);
  else
    asset->guest = r->read_guest(r, root, hfi_folder_of(r, path));
  asset->next = m->models;
  m->models = asset;
}

static hfiModelAsset* find_model(hfiMjcf* m, const hfiElem* elem, const char* name) {
  for (hfiModelAsset* a = m->models; a; a = a->next)
    if (strcmp(a->name, name) == 0) return a;
  hfi_fail(m->r, elem, HF_ERROR_MODEL, "model: there is no model \"%s\"", name);
  return NULL;
}

static hfiElem* find_named(hfiElem* elem, const char* kind, const char* name) {
  for (hfiElem* e = elem->child; e; e = e->next) {
    const char* own = hfi_is(e, kind) ? hfi_attr(e, "name") : NULL;
    if (own && strcmp(own, name) == 0) return e;
    hfiElem* inside = find_named(e, kind, name);
    if (inside) return inside;
  }
  return NULL;
}

// Reads one element of the other document's tree, or all of it.
static void read_part(hfiMjcf* doc, const hfiScope* scope, const hfiElem* elem) {
  hfiReader* r = doc->r;
  const char *body = hfi_attr(elem, "body"), *frame = hfi_attr(elem, "frame");
  if (body && frame) hfi_fail(r, elem, HF_ERROR_MODEL, "both body and frame are given");
  for (hfiElem* world = hfi_child(doc->root, "worldbody"); world && !r->status;
       world = hfi_next(world, "worldbody")) {
    if (!body && !frame) {
      hfi_mjcf_read_tree(doc, scope, world);
      continue;
    }
    hfiElem* part = find_named(world, body ? "body" : "frame", body ? body : frame);
    if (!part) continue;
    // The part gets a parent of which it is the only child, so that it is read like the children of any body.
    hfiElem only = *part, parent = {.name = "worldbody",
                                    .file = part->file,
                                    .line = part->line,
                                    .child = &only,
                                    .used = 1};
    only.next = NULL;
    only.parent = &parent;
    part->used = 1;
    hfi_mjcf_read_tree(doc, scope, &parent);
    return;
  }
  if (body || frame)
    hfi_fail(r, elem, HF_ERROR_MODEL, "the model has no %s \"%s\"", body ? "body" : "frame",
             body ? body : frame);
}

static void read_doc(hfiMjcf* m, const hfiScope* outer, const hfiElem* elem, hfiAttachment* attachment) {
  hfiMjcf* doc = attachment->doc;
  doc->prefix = attachment->prefix;
  doc->suffix = attachment->suffix;
  for (hfiMeshAsset* a = doc->meshes; a; a = a->next) a->loaded = 0; // each attachment adds the meshes again, because their names begin with its prefix
  hfiScope scope = *outer;
  scope.childclass = NULL;
  if (!m->r->status) read_part(doc, &scope, elem);
}

static void graft_guest(hfiReader* r, const hfiScope* outer, const hfiElem* elem, hfBuilder* guest,
                        hfiAttachment* attachment) {
  hfAttachDef def = hf_attach_def_default();
  def.prefix = attachment->prefix;
  def.suffix = attachment->suffix;
  def.parent = outer->body;
  def.body = hfi_attr(elem, "body");
  v3_store(def.pos, outer->frame.p);
  q_store(def.quat, outer->frame.q);
  if (hfi_attr(elem, "frame")) hfi_fail(r, elem, HF_ERROR_MODEL, "frame: only an MJCF model has frames; use body");
  hfiGraft* graft = HFI_NEW(r, hfiGraft, 1);
  if (!graft) return;
  attachment->graft = graft;
  hfStatus status = hfi_graft_open(graft, r->builder, guest, &def, &r->scratch);
  if (status == HF_OK) status = hfi_graft_tree(graft, &r->scratch);
  hfi_keep(r, elem, (int)status);
}

void hfi_mjcf_attach(hfiMjcf* m, const hfiScope* outer, hfiElem* elem) {
  hfiReader* r = m->r;
  const char *model = hfi_attr(elem, "model"), *prefix = hfi_attr(elem, "prefix");
  if (!model) {
    hfi_fail(r, elem, HF_ERROR_UNSUPPORTED,
             "attaching a part of the same model is not supported: model is missing");
    return;
  }
  const hfiModelAsset* asset = find_model(m, elem, model);
  hfiAttachment* attachment = asset ? HFI_NEW(r, hfiAttachment, 1) : NULL;
  if (!attachment) return;
  attachment->doc = asset->doc;
  attachment->prefix = hfi_format(r, "%s%s", m->prefix, prefix ? prefix : "");
  attachment->suffix = m->suffix;
  if (asset->guest)
    graft_guest(r, outer, elem, asset->guest, attachment);
  else
    read_doc(m, outer, elem, attachment);
  attachment->group = m->suffix[0] ? m->group : hfi_mjcf_first_group(m, elem, 1);
  hfiAttachment** tail = &m->attachments;
  while (*tail) tail = &(*tail)->next;
  *tail = attachment;
}

static void graft_section(hfiReader* r, hfiGraft* graft, const char* section) {
  static const struct {
    const char* section;
    hfObjectKind kind;
  } kinds[] = {{"contact", HF_OBJECT_PAIR},
               {"tendon", HF_OBJECT_TENDON},
               {"equality", HF_OBJECT_EQUALITY},
               {"actuator", HF_OBJECT_ACTUATOR},
               {"sensor", HF_OBJECT_SENSOR}};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i)
    if (strcmp(kinds[i].section, section) == 0)
      hfi_keep(r, NULL, (int)hfi_graft_kind(graft, kinds[i].kind, &r->scratch));
}

void hfi_mjcf_each_attached(hfiMjcf* m, int group, const char* section, hfiReadChild read) {
  for (hfiAttachment* a = m->attachments; a && !m->r->status; a = a->next) {
    if (a->group != group) continue;
    if (a->graft) {
      graft_section(m->r, a->graft, section);
      continue;
    }
    a->doc->prefix = a->prefix;
    a->doc->suffix = a->suffix;
    hfi_mjcf_each_reference(a->doc, section, read);
  }
}

void hfi_mjcf_report_models(hfiMjcf* m) {
  for (const hfiModelAsset* a = m->models; a && !m->r->status; a = a->next) {
    if (!a->doc) continue; // what is not used of another format was reported when it was read
    for (const hfiElem* e = a->doc->root->child; e; e = e->next)
      if (!hfi_is(e, "worldbody"))
        hfi_xml_report(m->r, e, hfi_mjcf_meanings); // the tree is not reported, because only a part of it is attached
    hfi_mjcf_report_custom(a->doc);
    hfi_mjcf_report_models(a->doc);
  }
}
