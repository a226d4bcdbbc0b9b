// <attach>: adds a body, a frame or the whole tree of another document (<asset><model>), with a prefix before all
// names.
//
// The other document keeps its own compiler settings, default classes and assets. Elements that refer to the attached
// part (actuators, sensors, …) are added, too; elements that refer to other parts of that document are dropped.
//
// A document of another format is read into a builder of its own, which is then grafted into that of the outer
// document.
//
// m: the document that attaches, doc: the one that is attached, r: the reader of both.
#include "io/mjcf/mjcf.h"
#include "build/graft.h"

#include <string.h>

typedef struct hfiModelAsset {
  const char* name;
  const char* path; // path of its file
  hfiMjcf* doc;     // the document of an MJCF model; else NULL
  hfBuilder* guest; // the builder of a model in another format; else NULL
  int is_attached;  // 1: some element attaches it
  hfBuilder* skeleton; // for an MJCF model with keyframes: the whole model without meshes; made when it is first needed
  struct hfiModelAsset* next;
} hfiModelAsset;

// What an attachment added to the builder: objects from `first` up to `end`.
typedef struct Span {
  int first, end;
} Span;

// What one <attach> adds.
typedef struct hfiAttachment {
  hfiMjcf* doc;    // the document, or NULL for a model in another format
  hfiGraft* graft; // for a model in another format
  const char *prefix, *suffix;
  int group;            // its place among the replicas (hfiReplicas)
  hfiModelAsset* asset; // NULL: a part of the same model
  const hfiElem* elem;
  Span body, joint, actuator;
  struct hfiAttachment* next;
} hfiAttachment;

// Opens the file of a <model>: as a document if it is MJCF, or else read into a builder of its own.
// m: the document with this <model>. Adds it to the list of models of m.
void hfi_mjcf_read_model_asset(hfiMjcf* m, hfiElem* elem) {
  enum { MOST_NESTED = 8 };
  hfiReader* r = m->r;
  if (m->attached >= MOST_NESTED) {
    hfi_fail(r, elem, HF_ERROR_MODEL, "models are attached more than %d deep; does one contain itself?", MOST_NESTED);
    return;
  }

  const char* path = hfi_resolve(r, m->folder, hfi_require(r, elem, "file"));
  hfiElem* root = r->status ? NULL : hfi_xml_load(r, path, elem);
  if (!root) return;

  hfiModelAsset* asset = HFI_NEW(r, hfiModelAsset, 1);
  if (!asset) return;

  const char* name = hfi_attr(elem, "name");
  const char* srdf = hfi_attr(elem, "srdf");
  const char* name_in_file = hfi_attr(root, hfi_is(root, "mujoco") ? "model" : "name");
  if (!name) name = name_in_file;
  asset->name = name ? name : "MuJoCo Model"; // MuJoCo's name for a model without one
  asset->path = path;
  if (srdf && !hfi_is(root, "robot")) hfi_fail(r, elem, HF_ERROR_MODEL, "srdf: it is for a URDF, and %s is none", path);

  if (hfi_is(root, "mujoco"))
    // hfi_mjcf_open, by way of a table; m is the document that it is attached to
    asset->doc = m->table->open(r, root, hfi_folder_of(r, path), m);
  else
    asset->guest = r->read_guest(r, root, hfi_folder_of(r, path), srdf ? hfi_resolve(r, m->folder, srdf) : NULL);

  asset->next = m->assets.models;
  m->assets.models = asset;
}

// The <model> of this name. Refuses a name that is unknown.
static hfiModelAsset* find_model(hfiMjcf* m, const hfiElem* elem, const char* name) {
  for (hfiModelAsset* a = m->assets.models; a; a = a->next)
    if (strcmp(a->name, name) == 0) return a;
  hfi_fail(m->r, elem, HF_ERROR_MODEL, "model: there is no model \"%s\"", name);
  return NULL;
}

// The element of this kind and name below an element, or NULL.
static hfiElem* find_named(hfiElem* elem, const char* kind, const char* name) {
  for (hfiElem* e = elem->child; e; e = e->next) {
    const char* found = hfi_is(e, kind) ? hfi_attr(e, "name") : NULL;
    if (found && strcmp(found, name) == 0) return e;
    hfiElem* inside = find_named(e, kind, name);
    if (inside) return inside;
  }
  return NULL;
}

// Reads the body or frame of the attached document that <attach> names, or all of its tree if it names none.
static void read_part(hfiMjcf* doc, const hfiScope* scope, const hfiElem* elem) {
  hfiReader* r = doc->r;
  const char* body = hfi_attr(elem, "body");
  const char* frame = hfi_attr(elem, "frame");
  const char* kind = body ? "body" : "frame";
  const char* name = body ? body : frame;
  if (body && frame) hfi_fail(r, elem, HF_ERROR_MODEL, "both body and frame are given");

  for (hfiElem* world = hfi_child(doc->root, "worldbody"); world && !r->status; world = hfi_next(world, "worldbody")) {
    if (!name) {
      hfi_mjcf_read_tree(doc, scope, world);
      continue;
    }
    hfiElem* part = find_named(world, kind, name);
    if (!part) continue;

    // The part gets a parent of which it is the only child, so that it is read like the children of any body.
    hfiElem only = *part;
    hfiElem parent = {.name = "worldbody", .file = part->file, .line = part->line, .child = &only, .used = 1};
    only.next = NULL;
    only.parent = &parent;
    part->used = 1;
    hfi_mjcf_read_tree(doc, scope, &parent);
    return;
  }

  if (name) hfi_fail(r, elem, HF_ERROR_MODEL, "the attached model has no %s \"%s\"", kind, name);
}

// Reads the part of a document that is attached, with its prefix and suffix.
static void read_doc(hfiMjcf* m, const hfiScope* outer, const hfiElem* elem, hfiAttachment* attachment) {
  hfiMjcf* doc = attachment->doc;
  hfBuilder* b = m->r->builder;
  // the bodies that are added now, and the rules of inertia of their own <compiler>
  hfiPart part = {.first = b->body.count, .config = doc->compiler.build};
  doc->prefix = attachment->prefix;
  doc->suffix = attachment->suffix;

  // Each prefix gets its own meshes, because their names begin with it; replicas share them. The meshes of the document
  // itself are there already.
  if (attachment->asset) {
    hfi_mjcf_recall_loaded(doc->assets.meshes, attachment->prefix);
    hfi_mjcf_recall_loaded(doc->assets.hfields, attachment->prefix);
  }

  hfiScope scope = *outer;
  scope.childclass = NULL;
  if (!m->r->status) read_part(doc, &scope, elem);
  hfi_mjcf_aim_cameras(doc);

  part.end = b->body.count;
  if (attachment->asset && !m->r->status) hfi_keep(m->r, elem, (int)hfi_builder_add_part(b, part, &m->r->scratch));
}

// Grafts the tree of a model in another format into the builder, and keeps the graft in the attachment. Joints between
// its bodies, actuators and so on follow when their sections are read.
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

// Whether an element is `part` or stands in it.
static int is_inside(const hfiElem* elem, const hfiElem* part) {
  for (; elem; elem = elem->parent)
    if (elem == part) return 1;
  return 0;
}

// Opens the document a second time, as a model of its own, because <attach> without a model attaches a part of the
// document to itself. Refuses a part that would contain itself.
static hfiMjcf* open_itself(hfiMjcf* m, const hfiElem* elem) {
  const char* body = hfi_attr(elem, "body");
  const char* frame = hfi_attr(elem, "frame");
  const char* kind = body ? "body" : "frame";
  const char* name = body ? body : frame;
  if (!name) {
    hfi_fail(m->r, elem, HF_ERROR_MODEL, "neither model nor body nor frame is given");
    return NULL;
  }

  for (hfiElem* world = hfi_child(m->root, "worldbody"); world; world = hfi_next(world, "worldbody"))
    if (is_inside(elem, find_named(world, kind, name)))
      hfi_fail(m->r, elem, HF_ERROR_MODEL, "\"%s\" would contain itself", name);

  // a copy shares everything with the document but what is attached to it
  hfiMjcf* doc = HFI_NEW(m->r, hfiMjcf, 1);
  if (!doc || m->r->status) return NULL;
  *doc = *m;
  doc->attachments = NULL;
  doc->aims = NULL;
  doc->attached = m->attached + 1;
  return doc;
}

// Reads the tree of an attachment, and notes which bodies and joints it adds.
static void read_attachment(hfiMjcf* m, const hfiScope* outer, const hfiElem* elem, hfiAttachment* a) {
  const hfBuilder* b = m->r->builder;
  a->body.first = hf_builder_count(b, HF_OBJECT_BODY);
  a->joint.first = hf_builder_count(b, HF_OBJECT_JOINT);

  if (a->asset && a->asset->guest)
    graft_guest(m->r, outer, elem, a->asset->guest, a);
  else
    read_doc(m, outer, elem, a);

  a->body.end = hf_builder_count(b, HF_OBJECT_BODY);
  a->joint.end = hf_builder_count(b, HF_OBJECT_JOINT);
}

// Reads an <attach>: adds the tree of another document, or a part of it, to the body of `outer`. Lists the attachment,
// so that the sections that refer to this tree are read later.
void hfi_mjcf_attach(hfiMjcf* m, const hfiScope* outer, hfiElem* elem) {
  hfiReader* r = m->r;
  const char* model = hfi_attr(elem, "model");
  const char* prefix = hfi_attr(elem, "prefix");
  hfiModelAsset* asset = model ? find_model(m, elem, model) : NULL;
  hfiMjcf* doc = asset ? asset->doc : NULL;
  if (!model) doc = open_itself(m, elem);
  hfiAttachment* attachment = (asset || doc) ? HFI_NEW(r, hfiAttachment, 1) : NULL;
  if (!attachment) return;

  if (asset) asset->is_attached = 1;
  if (asset && doc) hfi_mjcf_merge_options(m, doc, elem);
  attachment->asset = asset;
  attachment->doc = doc;
  attachment->elem = elem;
  attachment->prefix = hfi_format(r, "%s%s", m->prefix, prefix ? prefix : "");
  attachment->suffix = m->suffix;

  read_attachment(m, outer, elem, attachment);
  // its place in the order of the tree among replicas and attached models
  attachment->group = m->suffix[0] ? m->replicas.group : hfi_mjcf_first_group(m, elem, 1);

  // append it to the list of the document
  hfiAttachment** tail = &m->attachments;
  while (*tail) tail = &(*tail)->next;
  *tail = attachment;
}

// Grafts the objects of a model in another format that belong to a section of MJCF.
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

// ---- sections that refer to the tree --------------------------------------------------------------

// Calls `read` for every child of every <section> of the document.
void hfi_mjcf_each(hfiMjcf* m, const char* section, hfiReadChild read) {
  for (hfiElem* s = hfi_child(m->root, section); s; s = hfi_next(s, section))
    for (hfiElem* e = s->child; e && !m->r->status; e = e->next) read(m, e);
}

// Whether the list that begins at `first` has the name and suffix of replica i before i. That happens if a body and its
// joint have the same name: they belong to one replica.
static int is_repeated(const hfiReplica* first, const hfiReplica* i) {
  while (first != i && (strcmp(first->name, i->name) != 0 || strcmp(first->suffix, i->suffix) != 0))
    first = first->next;
  return first != i;
}

// Reads an element once for every replica of this group that it refers to, with the suffix of the replica in m.
static void read_in_group(hfiMjcf* m, hfiElem* elem, const hfiReplica* group, hfiReadChild read) {
  const hfiReplica* first = hfi_mjcf_find_replica(group, elem);
  for (const hfiReplica* i = first; i && !m->r->status; i = i->next) {
    if (strcmp(i->name, first->name) != 0 || is_repeated(first, i)) continue;
    m->suffix = i->suffix;
    m->replicas.group = i->group;
    read(m, elem);
  }
  m->suffix = "";
}

// Makes a list of replicas for each group, (group_count) of them. The lists hold copies, because reading elements adds
// their names to the original list. NULL if there is no memory.
static hfiReplica** sort_groups(hfiMjcf* m) {
  hfiReplica** groups = HFI_NEW(m->r, hfiReplica*, m->replicas.group_count + 1);
  hfiReplica*** tails = HFI_NEW(m->r, hfiReplica**, m->replicas.group_count + 1);
  for (int g = 0; tails && g < m->replicas.group_count; ++g) tails[g] = &groups[g];

  for (const hfiReplica* i = m->replicas.first; i && !m->r->status; i = i->next) {
    hfiReplica* copy = HFI_NEW(m->r, hfiReplica, 1);
    if (!copy) break;
    *copy = *i;
    copy->next = NULL;
    *tails[i->group] = copy;
    tails[i->group] = &copy->next;
  }
  return m->r->status ? NULL : groups;
}

// Reads a section of the models that are attached in this group, and notes which actuators they add. Of a model in
// another format, the objects of the section are grafted.
static void read_attached(hfiMjcf* m, int group, const char* section, hfiReadChild read) {
  for (hfiAttachment* a = m->attachments; a && !m->r->status; a = a->next) {
    if (a->group != group) continue;
    if (a->graft) {
      graft_section(m->r, a->graft, section);
      continue;
    }

    a->doc->prefix = a->prefix;
    a->doc->suffix = a->suffix;
    int is_actuator = strcmp(section, "actuator") == 0;
    if (is_actuator) a->actuator.first = hf_builder_count(m->r->builder, HF_OBJECT_ACTUATOR);
    hfi_mjcf_each_reference(a->doc, section, read);
    if (is_actuator) a->actuator.end = hf_builder_count(m->r->builder, HF_OBJECT_ACTUATOR);
  }
}

// Calls `read` for the elements of a section whose elements refer to the tree: first for those that refer to nothing
// replicated, then group by group for replicas and attached models, in the order of the tree.
void hfi_mjcf_each_reference(hfiMjcf* m, const char* section, hfiReadChild read) {
  // inside a replica of the outer document every element belongs to that replica
  if (m->suffix[0]) {
    hfi_mjcf_each(m, section, read);
    return;
  }

  // what refers to nothing replicated
  for (hfiElem* s = hfi_child(m->root, section); s; s = hfi_next(s, section))
    for (hfiElem* e = s->child; e && !m->r->status; e = e->next)
      if (!hfi_mjcf_find_replica(m->replicas.first, e)) read(m, e);

  // replicas and attached models, in the order of the tree
  hfiReplica** groups = m->replicas.group_count && !m->r->status ? sort_groups(m) : NULL;
  for (int g = 0; groups && g < m->replicas.group_count && !m->r->status; ++g) {
    for (hfiElem* s = hfi_child(m->root, section); s; s = hfi_next(s, section))
      for (hfiElem* e = s->child; e && !m->r->status; e = e->next) read_in_group(m, e, groups[g], read);
    read_attached(m, g, section, read);
  }
}

// ---- keyframes ----------------------------------------------------------------------------------

// Reads the whole model of an asset, because its keyframes are written for the whole model. Meshes are not read:
// keyframes do not need them.
static hfBuilder* read_skeleton(hfiReader* r, hfiModelAsset* asset, const hfiElem* elem) {
  hfDiagnostics* diagnostics = r->diagnostics;
  int outer = r->skeleton;

  r->diagnostics = NULL; // All messages were given when the model was read.
  r->skeleton = 1;
  hfiElem* root = hfi_xml_load(r, asset->path, elem);
  hfBuilder* skeleton = root ? r->read_guest(r, root, hfi_folder_of(r, asset->path), NULL) : NULL;

  r->diagnostics = diagnostics;
  r->skeleton = outer;
  return skeleton;
}

// Fills ids for a graft: objects of the skeleton from `first` on, of `total`, are the objects of the span, in the same
// order.
static void map_span(int* ids, int total, int first, Span span) {
  for (int k = 0; k < span.end - span.first && first + k < total; ++k) ids[first + k] = span.first + k;
}

// The first joint of the subtree of a body. All joints of a subtree follow each other in the order of reading.
static int first_joint_below(const hfBuilder* b, int root) {
  for (int j = 0; j < b->joint.count; ++j)
    for (int body = b->joint.data[j].body; body > 0; body = b->body.data[body].parent)
      if (body == root) return j;
  return 0;
}

// Whether the actuator has no name and stands at this place of a file.
static int stands_at(const hfActuatorDef* d, const char* where) {
  return !d->name && d->where && strcmp(d->where, where) == 0;
}

// Counts the actuators of a span that have no name and stand at this place of a file.
static int count_at(const hfBuilder* b, Span span, const char* where) {
  int count = 0;
  for (int k = span.first; k < span.end; ++k) count += stands_at(&b->actuator.data[k], where);
  return count;
}

// Finds the attached actuator that belongs to actuator k of the skeleton, which has no name. Replicas make several
// actuators at one place in the file; those of skeleton and attachment have the same order. Returns -1 if there is
// none, or if not all actuators at this place were attached.
static int find_nameless(const hfiGraft* g, const hfiAttachment* a, int k) {
  const char* where = g->guest->actuator.data[k].where;
  Span all = {0, g->guest->actuator.count};
  Span before = {0, k};
  if (!where || count_at(g->b, a->actuator, where) != count_at(g->guest, all, where)) return -1;

  int skipped = count_at(g->guest, before, where);
  for (int id = a->actuator.first; id < a->actuator.end; ++id) {
    if (!stands_at(&g->b->actuator.data[id], where)) continue;
    if (skipped == 0) return id;
    --skipped;
  }
  return -1;
}

// Fills the actuators' ids of a graft, which its keyframes need to find their controls and activations. g->guest is the
// skeleton of the attached document; id[k] becomes the id of its actuator k in the builder g->b that attaches, or -1.
// An actuator with a name is found by it, any other one by its place in the file.
static void map_actuators(hfiGraft* g, const hfiAttachment* a) {
  for (int k = 0; k < g->guest->actuator.count; ++k) {
    const char* name = g->guest->actuator.data[k].name;
    const char* full = name ? hfi_graft_name(g, name) : NULL;
    g->id[HF_OBJECT_ACTUATOR][k] = full ? hf_builder_find(g->b, HF_OBJECT_ACTUATOR, full) : find_nameless(g, a, k);
  }
}

// Adds the keyframes of an attached document, mapped from the whole model to the part of it that is attached.
static void read_keys_of(hfiReader* r, const hfiAttachment* a) {
  hfiModelAsset* asset = a->asset;
  const char* body = hfi_attr(a->elem, "body");
  if (hfi_attr(a->elem, "frame")) {
    hfi_note(r, a->elem, HF_WARNING, "keyframes of a model of which a frame is attached are not used");
    return;
  }
  if (!asset->skeleton) asset->skeleton = read_skeleton(r, asset, a->elem);
  if (!asset->skeleton || r->status) return;

  // a graft of the skeleton whose objects are the ones that were attached
  hfAttachDef def = hf_attach_def_default();
  def.prefix = a->prefix;
  def.suffix = a->suffix;
  hfiGraft graft;
  if (hfi_keep(r, a->elem, hfi_graft_open(&graft, r->builder, asset->skeleton, &def, &r->scratch)) < 0) return;

  // the ids that its bodies and joints have in r->builder; without `body` all of the tree was attached, body 1 first
  int root = body ? hf_builder_find(asset->skeleton, HF_OBJECT_BODY, body) : 1;
  int first_joint = body ? first_joint_below(asset->skeleton, root) : 0;
  map_span(graft.id[HF_OBJECT_BODY], asset->skeleton->body.count, root, a->body);
  map_span(graft.id[HF_OBJECT_JOINT], asset->skeleton->joint.count, first_joint, a->joint);
  map_actuators(&graft, a);
  hfi_keep(r, a->elem, hfi_graft_keys(&graft, &r->scratch));
}

// Whether the document, or one that it attaches, has a keyframe.
static int has_keys(const hfiMjcf* m) {
  for (hfiElem* s = hfi_child(m->root, "keyframe"); s; s = hfi_next(s, "keyframe"))
    if (hfi_child(s, "key")) return 1;
  for (const hfiModelAsset* a = m->assets.models; a; a = a->next)
    if (a->doc ? has_keys(a->doc) : a->guest && a->guest->key.count > 0) return 1;
  return 0;
}

// Adds the keyframes of all attached models after the document's own.
void hfi_mjcf_read_attached_keys(hfiMjcf* m) {
  for (const hfiAttachment* a = m->attachments; a && !m->r->status; a = a->next) {
    if (a->graft) hfi_keep(m->r, a->elem, (int)hfi_graft_keys(a->graft, &m->r->scratch));
    if (a->asset && a->doc && has_keys(a->doc)) read_keys_of(m->r, a);
  }
}

// Reports what attached models have that was not used.
void hfi_mjcf_report_models(hfiMjcf* m) {
  for (const hfiModelAsset* a = m->assets.models; a && !m->r->status; a = a->next) {
    // Unused parts of a model in another format were reported when it was read; of a model that nobody attaches nothing
    // was read.
    if (!a->doc || !a->is_attached) continue;

    // not the tree, of which only a part is attached, nor keyframes, which were read from another copy
    for (const hfiElem* e = a->doc->root->child; e; e = e->next)
      if (!hfi_is(e, "worldbody") && !hfi_is(e, "keyframe")) hfi_xml_report(m->r, e, hfi_mjcf_meanings);

    hfi_mjcf_report_custom(a->doc);
    hfi_mjcf_report_models(a->doc);
  }
}
