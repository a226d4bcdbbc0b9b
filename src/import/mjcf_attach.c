// <attach>: adds a body, a frame or the whole tree of another document (<asset><model>), with a prefix before all names.
//
// The other document keeps its own compiler settings, default classes and assets. What refers to
// the attached part (actuators, sensors, …) is added too; what refers to other parts of that document is dropped.
#include "import/mjcf.h"

#include <string.h>

typedef struct hfiModelAsset {
  const char* name;
  hfiMjcf* doc;
  struct hfiModelAsset* next;
} hfiModelAsset;

typedef struct hfiAttachment {
  hfiMjcf* doc;
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
  if (!hfi_is(root, "mujoco")) {
    hfi_fail(r, root, HF_ERROR_UNSUPPORTED, "only MJCF models can be attached");
    return;
  }
  hfiModelAsset* asset = HFI_NEW(r, hfiModelAsset, 1);
  if (!asset) return;
  const char *name = hfi_attr(elem, "name"), *own = hfi_attr(root, "model");
  asset->name = name ? name : own ? own : "MuJoCo Model";
  asset->doc = hfi_mjcf_open(r, root, hfi_folder_of(r, path), m);
  asset->next = m->models;
  m->models = asset;
}

static hfiMjcf* find_model(hfiMjcf* m, const hfiElem* elem, const char* name) {
  for (hfiModelAsset* a = m->models; a; a = a->next)
    if (strcmp(a->name, name) == 0) return a->doc;
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

void hfi_mjcf_attach(hfiMjcf* m, const hfiScope* outer, hfiElem* elem) {
  hfiReader* r = m->r;
  const char *model = hfi_attr(elem, "model"), *prefix = hfi_attr(elem, "prefix");
  if (!model) {
    hfi_fail(r, elem, HF_ERROR_UNSUPPORTED,
             "attaching a part of the same model is not supported: model is missing");
    return;
  }
  hfiMjcf* doc = find_model(m, elem, model);
  hfiAttachment* attachment = doc ? HFI_NEW(r, hfiAttachment, 1) : NULL;
  if (!attachment) return;
  doc->prefix = hfi_format(r, "%s%s", m->prefix, prefix ? prefix : "");
  doc->suffix = m->suffix;
  for (hfiMeshAsset* a = doc->meshes; a; a = a->next) a->loaded = 0; // each attachment adds the meshes again, because their names begin with its prefix
  hfiScope scope = *outer;
  scope.childclass = NULL;
  read_part(doc, &scope, elem);
  attachment->doc = doc;
  attachment->prefix = doc->prefix;
  attachment->suffix = doc->suffix;
  attachment->group = m->suffix[0] ? m->group : hfi_mjcf_first_group(m, elem, 1);
  hfiAttachment** tail = &m->attachments;
  while (*tail) tail = &(*tail)->next;
  *tail = attachment;
}

void hfi_mjcf_each_attached(hfiMjcf* m, int group, const char* section, hfiReadChild read) {
  for (hfiAttachment* a = m->attachments; a && !m->r->status; a = a->next) {
    if (a->group != group) continue;
    a->doc->prefix = a->prefix;
    a->doc->suffix = a->suffix;
    hfi_mjcf_each_reference(a->doc, section, read);
  }
}

void hfi_mjcf_report_models(hfiMjcf* m) {
  for (const hfiModelAsset* a = m->models; a && !m->r->status; a = a->next) {
    for (const hfiElem* e = a->doc->root->child; e; e = e->next)
      if (!hfi_is(e, "worldbody"))
        hfi_xml_report(m->r, e, hfi_mjcf_meanings); // the tree is not reported, because only a part of it is attached
    hfi_mjcf_report_custom(a->doc);
    hfi_mjcf_report_models(a->doc);
  }
}
