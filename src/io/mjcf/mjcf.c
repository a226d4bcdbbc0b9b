// Reads an MJCF document: first its includes, then its sections in the order in which they depend on each other.
#include "io/mjcf/mjcf.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

// ---- includes -----------------------------------------------------------------------------------

typedef struct Included {
  const char* path;
  struct Included* next;
} Included;

// The real path of a file, so that a file is recognised however its path is written.
static const char* real_path(hfiReader* r, const char* path) {
  char real[PATH_MAX];
  return hfi_format(r, "%s", realpath(path, real) ? real : path);
}

// Looks for an included file in the main file's folder, then in the folder of the file that includes it.
static const char* find_included(hfiMjcf* m, const hfiElem* elem) {
  const char* file = hfi_require(m->r, elem, "file");
  const char* path = hfi_resolve(m->r, m->folder, file);
  return hfi_file_exists(path) ? path : hfi_join(m->r, hfi_folder_of(m->r, elem->file), file);
}

static void expand(hfiMjcf* m, hfiElem* elem, Included** seen);

static void include(hfiMjcf* m, hfiElem* elem, Included** seen) {
  hfiReader* r = m->r;
  const char* path = find_included(m, elem);
  const char* real = real_path(r, path);
  for (const Included* i = *seen; i; i = i->next)
    if (strcmp(i->path, real) == 0)
      hfi_fail(r, elem, HF_ERROR_MODEL, "%s is included already", path);
  Included* item = HFI_NEW(r, Included, 1);
  hfiElem* root = item ? hfi_xml_load(r, path, elem) : NULL;
  if (!root) return;
  item->path = real;
  item->next = *seen;
  *seen = item;
  if (!root->child) hfi_fail(r, elem, HF_ERROR_MODEL, "%s: nothing to include", path);
  expand(m, root, seen);
  if (!r->status) hfi_xml_splice(elem, root);
}

static void expand(hfiMjcf* m, hfiElem* elem, Included** seen) {
  for (hfiElem *e = elem->child, *next; e && !m->r->status; e = next) {
    next = e->next;
    if (hfi_is(e, "include"))
      include(m, e, seen);
    else
      expand(m, e, seen);
  }
}

// ---- sections -----------------------------------------------------------------------------------

void hfi_mjcf_each(hfiMjcf* m, const char* section, hfiReadChild read) {
  for (hfiElem* s = hfi_child(m->root, section); s; s = hfi_next(s, section))
    for (hfiElem* e = s->child; e && !m->r->status; e = e->next) read(m, e);
}

static void read_section(hfiMjcf* m, const char* section, hfiReadChild read) {
  for (hfiElem* s = hfi_child(m->root, section); s && !m->r->status; s = hfi_next(s, section))
    read(m, s);
}

static int mentions_reflection(const hfiElem* elem) {
  if (hfi_mjcf_is_actuator(elem))
    for (const hfiAttr* a = elem->attr; a; a = a->next)
      if (strcmp(a->name, "armature") == 0 || strcmp(a->name, "damping") == 0) return 1;
  for (const hfiElem* e = elem->child; e; e = e->next)
    if (mentions_reflection(e)) return 1;
  return 0;
}

static void set_defaults(hfiMjcf* m, hfiReader* r, hfiElem* root, const char* folder,
                         const hfiMjcf* outer) {
  m->r = r;
  m->root = root;
  m->folder = folder;
  m->attached = outer ? outer->attached + 1 : 0;
  m->degree = m->autolimits = 1;
  m->lengths = hfi_length_search_default();
  m->build = hfi_build_config_default();
  memcpy(m->eulerseq, "xyz", 4);
  m->assetdir = m->prefix = m->suffix = "";
  m->replica_tail = &m->replica;
  m->cable_tail = &m->cable;
  m->override = outer ? outer->override : (hfiOverride){0, 0, {0.02, 1}, {0.9, 0.95, 0.001, 0.5, 2}, {1, 1, 0.005, 0.0001, 0.0001}};
}

hfiMjcf* hfi_mjcf_open(hfiReader* r, hfiElem* root, const char* folder, const hfiMjcf* outer) {
  hfiMjcf* m = HFI_NEW(r, hfiMjcf, 1);
  Included* seen = HFI_NEW(r, Included, 1);
  if (r->status) return NULL;
  set_defaults(m, r, root, folder, outer);
  root->used = 1;
  hfi_attr(root, "model");
  seen->path = real_path(r, root->file);
  expand(m, root, &seen);
  for (hfiElem* e = hfi_child(root, "worldbody"); e; e = hfi_next(e, "worldbody")) hfi_mjcf_unfold_composites(m, e);
  m->reflects = mentions_reflection(root);
  read_section(m, "compiler", hfi_mjcf_read_compiler);
  if (!m->attached) *hf_builder_config(r->builder) = m->build;
  m->fresh = outer ? outer->fresh : *hf_builder_world(r->builder);
  if (!m->attached) read_section(m, "option", hfi_mjcf_read_option);
  if (!r->status) hfi_mjcf_read_defaults(m);
  hfi_mjcf_each(m, "custom", hfi_mjcf_read_custom);
  if (!m->attached && !r->status) hfi_mjcf_set_world(m);
  hfi_mjcf_each(m, "asset", hfi_mjcf_read_asset);
  for (hfiElem* e = hfi_child(root, "worldbody"); e; e = hfi_next(e, "worldbody"))
    hfi_mjcf_number_groups(m, e);
  return m;
}

static void read_references(hfiMjcf* m) {
  static const struct {
    const char* section;
    hfiReadChild read;
  } sections[] = {{"contact", hfi_mjcf_read_contact},
                  {"tendon", hfi_mjcf_read_tendon},
                  {"equality", hfi_mjcf_read_equality},
                  {"actuator", hfi_mjcf_read_actuator},
                  {"sensor", hfi_mjcf_read_sensor}};
  for (size_t i = 0; i < sizeof sections / sizeof *sections; ++i)
    hfi_mjcf_each_reference(m, sections[i].section, sections[i].read);
}

void hfi_mjcf_read(hfiReader* r, hfiElem* root) {
  hfiMjcf* m = hfi_mjcf_open(r, root, r->folder, NULL);
  if (r->status) return;
  hfiScope world = {.frame = hfi_placement_identity(), .has_inertial = 1};
  for (hfiElem* e = hfi_child(root, "worldbody"); e && !r->status; e = hfi_next(e, "worldbody")) {
    const hfiClass* childclass = hfi_mjcf_find_class(m, e, "childclass");
    world.childclass = childclass;
    hfi_attr(e, "name");
    hfi_mjcf_read_tree(m, &world, e);
  }
  hfi_mjcf_aim_cameras(m);
  hfi_mjcf_stiffen_cables(m);
  read_references(m);
  hfi_mjcf_each(m, "keyframe", hfi_mjcf_read_key);
  hfi_mjcf_read_attached_keys(m);
  hfi_mjcf_fill_keys(m);
  if (r->status) return;
  hfi_mjcf_report_custom(m);
  hfi_xml_report(r, root, hfi_mjcf_meanings);
  hfi_mjcf_report_models(m);
}
