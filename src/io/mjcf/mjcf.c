// Reads an MJCF document: first its includes, then its sections in the order in which they depend on each other.
//
// m: the document, r: its reader.
#include "io/mjcf/mjcf.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

// ---- the table of elements ------------------------------------------------------------------------

static const hfiMjcfElement elements[] = {
    {"joint", HFI_IN_BODY, .place = hfi_mjcf_read_joint, .check = hfi_mjcf_check_joint},
    {"freejoint", HFI_IN_BODY, .place = hfi_mjcf_read_joint},
    {"geom", HFI_IN_BODY, .place = hfi_mjcf_read_geom, .check = hfi_mjcf_check_geom},
    {"site", HFI_IN_BODY, .place = hfi_mjcf_read_site, .check = hfi_mjcf_check_site},
    {"camera", HFI_IN_BODY, .place = hfi_mjcf_read_camera, .check = hfi_mjcf_check_camera},
    {"attach", HFI_IN_TREE, .place = hfi_mjcf_attach},
    {"mesh", HFI_IN_ASSET, .read = hfi_mjcf_read_mesh, .check = hfi_mjcf_check_mesh},
    {"hfield", HFI_IN_ASSET, .read = hfi_mjcf_read_hfield},
    {"material", HFI_IN_ASSET, .read = hfi_mjcf_read_material, .check = hfi_mjcf_check_material},
    {"model", HFI_IN_ASSET, .read = hfi_mjcf_read_model_asset},
    {"pair", HFI_IN_DEFAULT, .check = hfi_mjcf_check_pair},
    {"equality", HFI_IN_DEFAULT, .check = hfi_mjcf_check_equality},
    {"tendon", HFI_IN_DEFAULT, .check = hfi_mjcf_check_tendon}};

static const hfiMjcfTable table = {elements, sizeof elements / sizeof *elements, hfi_mjcf_read_default_actuator,
                                   hfi_mjcf_open};

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

static void expand_includes(hfiMjcf* m, hfiElem* elem, Included** seen);

// Replaces an <include> by the children of the root of its file. *seen lists the files so far: each may be included
// once.
static void include_file(hfiMjcf* m, hfiElem* elem, Included** seen) {
  hfiReader* r = m->r;
  const char* path = find_included(m, elem);
  const char* real = real_path(r, path);
  for (const Included* i = *seen; i; i = i->next)
    if (strcmp(i->path, real) == 0) hfi_fail(r, elem, HF_ERROR_MODEL, "%s is included already", path);

  Included* item = HFI_NEW(r, Included, 1);
  hfiElem* root = item ? hfi_xml_load(r, path, elem) : NULL;
  if (!root) return;
  item->path = real;
  item->next = *seen;
  *seen = item;

  if (!root->child) hfi_fail(r, elem, HF_ERROR_MODEL, "%s: nothing to include", path);
  expand_includes(m, root, seen);
  if (!r->status) hfi_xml_splice(elem, root);
}

// Replaces every <include> below an element, also those in included files.
static void expand_includes(hfiMjcf* m, hfiElem* elem, Included** seen) {
  hfiElem* next = NULL;
  for (hfiElem* e = elem->child; e && !m->r->status; e = next) {
    next = e->next;
    if (hfi_is(e, "include"))
      include_file(m, e, seen);
    else
      expand_includes(m, e, seen);
  }
}

// ---- sections -----------------------------------------------------------------------------------

// Calls `read` for every <section> of the document.
static void read_section(hfiMjcf* m, const char* section, hfiReadChild read) {
  for (hfiElem* s = hfi_child(m->root, section); s && !m->r->status; s = hfi_next(s, section)) read(m, s);
}

// Whether an element or one below it is an actuator that adds armature or damping to its target.
static int mentions_reflection(const hfiElem* elem) {
  if (hfi_mjcf_is_actuator(elem))
    for (const hfiAttr* a = elem->attr; a; a = a->next)
      if (strcmp(a->name, "armature") == 0 || strcmp(a->name, "damping") == 0) return 1;

  for (const hfiElem* e = elem->child; e; e = e->next)
    if (mentions_reflection(e)) return 1;
  return 0;
}

// Reads an element of <asset>. Unknown elements are left, and reported at the end.
static void read_asset(hfiMjcf* m, hfiElem* elem) {
  const hfiMjcfElement* row = hfi_mjcf_find_row(m, elem, HFI_IN_ASSET);
  if (!row) return;
  elem->used = 1;
  row->read(m, elem);
}

// Sets what holds for a document until its <compiler> says something else. outer: the document that attaches it, or
// NULL.
static void set_defaults(hfiMjcf* m, hfiReader* r, hfiElem* root, const char* folder, const hfiMjcf* outer) {
  static const hfiOverride no_override = {
      .solref = {0.02, 1}, .solimp = {0.9, 0.95, 0.001, 0.5, 2}, .friction = {1, 1, 0.005, 0.0001, 0.0001}};

  m->table = &table;
  m->r = r;
  m->root = root;
  m->folder = folder;
  // how deep it is attached; 0 for the document that the user named
  m->attached = outer ? outer->attached + 1 : 0;
  m->compiler.degree = 1;
  m->compiler.autolimits = 1;
  m->compiler.lengths = hfi_length_search_default();
  m->compiler.build = hfi_build_config_default();
  memcpy(m->compiler.eulerseq, "xyz", 4);
  m->compiler.assetdir = "";
  m->prefix = "";
  m->suffix = "";
  m->replicas.tail = &m->replicas.first;
  m->cable_bodies.tail = &m->cable_bodies.first;
  m->override = outer ? outer->override : no_override;
}

// Opens a document: reads all of it but the tree and the sections that refer to the tree. `outer` is the document that
// attaches it, or NULL. Returns NULL if there is no memory; other refusals stand in r->status.
hfiMjcf* hfi_mjcf_open(hfiReader* r, hfiElem* root, const char* folder, const hfiMjcf* outer) {
  hfiMjcf* m = HFI_NEW(r, hfiMjcf, 1);
  Included* seen = HFI_NEW(r, Included, 1);
  if (r->status) return NULL;

  // complete the tree of XML: includes, then cables
  set_defaults(m, r, root, folder, outer);
  root->used = 1;
  hfi_attr(root, "model");
  seen->path = real_path(r, root->file);
  expand_includes(m, root, &seen);
  for (hfiElem* e = hfi_child(root, "worldbody"); e; e = hfi_next(e, "worldbody")) hfi_mjcf_unfold_composites(m, e);
  // whether an actuator adds armature or damping to its target; then joints and tendons look for it
  m->reflects = mentions_reflection(root);

  // compiler and options; an attached document has the options of the outer one
  read_section(m, "compiler", hfi_mjcf_read_compiler);
  if (!m->attached) *hf_builder_config(r->builder) = m->compiler.build;
  m->default_options = outer ? outer->default_options : *hf_builder_world(r->builder);
  if (!m->attached) read_section(m, "option", hfi_mjcf_read_option);

  // what the tree will refer to
  if (!r->status) hfi_mjcf_read_defaults(m);
  hfi_mjcf_each(m, "custom", hfi_mjcf_read_custom);
  if (!m->attached && !r->status) hfi_mjcf_set_world(m);
  hfi_mjcf_each(m, "asset", read_asset);
  for (hfiElem* e = hfi_child(root, "worldbody"); e; e = hfi_next(e, "worldbody")) hfi_mjcf_number_groups(m, e);
  return m;
}

// Reads the sections whose elements refer to the tree, in the order in which they refer to each other.
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

// Reads a whole document into r->builder: the tree, what refers to it, the keyframes. Then reports what was not used.
void hfi_mjcf_read(hfiReader* r, hfiElem* root) {
  hfiMjcf* m = hfi_mjcf_open(r, root, r->folder, NULL);
  if (r->status) return;

  hfiScope world = {.frame = hfi_placement_identity(), .has_inertial = 1};
  for (hfiElem* e = hfi_child(root, "worldbody"); e && !r->status; e = hfi_next(e, "worldbody")) {
    world.childclass = hfi_mjcf_find_class(m, e, "childclass");
    hfi_attr(e, "name");
    hfi_mjcf_read_tree(m, &world, e);
  }

  // what needs the finished tree
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
