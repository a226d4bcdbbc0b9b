// <asset>: meshes, which are loaded when the first geom asks for them, and the colours of materials. Height fields:
// mjcf_hfield.c.
//
// m: the document, r: its reader, s: the spec of a mesh.
#include "io/mjcf/mjcf.h"

#include <string.h>

// ---- lists of assets ----------------------------------------------------------------------------

// File name without folders and extension.
static const char* stem_of(hfiMjcf* m, const char* file) {
  const char* base = hfi_base_name(file);
  const char* dot = strrchr(base, '.');
  return dot ? hfi_format(m->r, "%.*s", (int)(dot - base), base) : base;
}

static hfiMjcfAsset* find_named(hfiMjcfAsset* list, const char* name) {
  while (list && strcmp(list->name, name) != 0) list = list->next;
  return list;
}

// Puts an asset at the front of a list, under its name or else the name of its file. Returns 0 after a refusal.
// kind: "mesh" or "height field".
int hfi_mjcf_list_asset(hfiMjcf* m, const hfiElem* elem, const char* kind, hfiMjcfAsset** list) {
  const char* name = hfi_attr(elem, "name");
  const char* file = hfi_attr(elem, "file");
  if (!name && file) name = stem_of(m, file);
  if (!name || !name[0]) {
    hfi_fail(m->r, elem, HF_ERROR_PARSE, "a %s needs a name or a file", kind);
    return 0;
  }
  if (find_named(*list, name)) {
    hfi_fail(m->r, elem, HF_ERROR_MODEL, "%s \"%s\" is defined twice", kind, name);
    return 0;
  }

  hfiMjcfAsset* asset = HFI_NEW(m->r, hfiMjcfAsset, 1);
  if (!asset) return 0;
  *asset = (hfiMjcfAsset){.name = name, .elem = elem, .id = -1, .next = *list};
  *list = asset;
  return 1;
}

hfiMjcfAsset* hfi_mjcf_find_asset(hfiMjcf* m, const hfiElem* geom, const char* attribute, const char* kind,
                                  hfiMjcfAsset* list, const char* name) {
  hfiMjcfAsset* asset = find_named(list, name);
  if (!asset) hfi_fail(m->r, geom, HF_ERROR_MODEL, "%s: there is no %s \"%s\"", attribute, kind, name);
  return asset;
}

// Notes that an asset was loaded with the present prefix, if asset->id is an id and not a status.
void hfi_mjcf_note_loaded(hfiMjcf* m, hfiMjcfAsset* asset) {
  asset->loaded = asset->id >= 0; // After a failure the next geom tries again, so that it gets the message, too.
  hfiLoadedAs* as = asset->loaded ? HFI_NEW(m->r, hfiLoadedAs, 1) : NULL;
  if (!as) return;
  *as = (hfiLoadedAs){m->prefix, asset->id, asset->loads};
  asset->loads = as;
}

// Sets id and loaded of each asset of a list to what was noted for this prefix.
void hfi_mjcf_recall_loaded(hfiMjcfAsset* list, const char* prefix) {
  for (hfiMjcfAsset* a = list; a; a = a->next) {
    a->loaded = 0;
    for (const hfiLoadedAs* as = a->loads; as && !a->loaded; as = as->next) {
      if (strcmp(as->prefix, prefix) != 0) continue;
      a->id = as->id;
      a->loaded = 1;
    }
  }
}

// ---- meshes -------------------------------------------------------------------------------------

// Reads the attributes of one element into an hfiMeshSpec.
static void apply_mesh(hfiMjcf* m, const hfiElem* elem, void* data) {
  static const hfiKeyword inertias[] = {{"convex", HF_MESH_INERTIA_CONVEX},
                                        {"exact", HF_MESH_INERTIA_EXACT},
                                        {"legacy", HF_MESH_INERTIA_LEGACY},
                                        {"shell", HF_MESH_INERTIA_SHELL},
                                        {NULL, 0}};
  hfiReader* r = m->r;
  hfiMeshSpec* s = data;

  hfi_read_reals(r, elem, "scale", 3, 3, s->scale);
  if (s->scale[0] == 0 || s->scale[1] == 0 || s->scale[2] == 0)
    hfi_fail(r, elem, HF_ERROR_MODEL, "scale: a factor is zero");
  hfi_read_keyword(r, elem, "inertia", inertias, &s->inertia);

  int has_limit = hfi_read_int(r, elem, "maxhullvert", &s->max_hull_vert);
  if (has_limit && s->max_hull_vert != -1 && s->max_hull_vert < 4)
    hfi_fail(r, elem, HF_ERROR_MODEL, "maxhullvert must be -1 or at least 4, is %d", s->max_hull_vert);

  hfi_read_reals(r, elem, "refpos", 3, 3, s->refpos);
  if (hfi_read_reals(r, elem, "refquat", 4, 4, s->refquat) && !(q_norm(q_load(s->refquat)) > HFI_SHORTEST_DIRECTION))
    hfi_fail(r, elem, HF_ERROR_MODEL, "refquat: a zero quaternion is no orientation");
}

void hfi_mjcf_check_mesh(hfiMjcf* m, hfiElem* elem) {
  hfiMeshSpec s = hfi_mesh_spec_default();
  apply_mesh(m, elem, &s);
}

// Lists a mesh. Attributes that are read when it is loaded count as used.
void hfi_mjcf_read_mesh(hfiMjcf* m, hfiElem* elem) {
  if (!hfi_mjcf_list_asset(m, elem, "mesh", &m->assets.meshes)) return;
  hfi_mjcf_check_mesh(m, elem);
  hfi_mjcf_find_class(m, elem, "class");
  hfi_attr(elem, "vertex");
  hfi_attr(elem, "face");
  hfi_attr(elem, "builtin");
  hfi_attr(elem, "params");
}

// The folder of an included file, relative to the folder of the main file; "" if both are the same.
static const char* included_folder(hfiMjcf* m, const hfiElem* elem) {
  const char* folder = hfi_folder_of(m->r, elem->file);
  size_t length = strlen(m->folder);
  if (strncmp(folder, m->folder, length) != 0) return "";
  folder += length;
  return folder[0] == '/' ? folder + 1 : folder;
}

// The path of an asset file: in meshdir or assetdir, or on the search path. If it is not there and an included file
// names it, two more places are tried. MuJoCo puts the folder of the included file behind meshdir. We also look beside
// the included file.
const char* hfi_mjcf_asset_path(hfiMjcf* m, const hfiElem* elem, const char* file) {
  hfiReader* r = m->r;
  if (m->compiler.strippath) file = hfi_base_name(file);
  const char* folder = hfi_join(r, m->folder, m->compiler.meshdir ? m->compiler.meshdir : m->compiler.assetdir);
  const char* path = hfi_resolve(r, folder, file);
  const char* inner = included_folder(m, elem);
  if (hfi_file_exists(path) || !inner[0]) return path;

  const char* behind_meshdir = hfi_resolve(r, folder, hfi_join(r, inner, file));
  if (hfi_file_exists(behind_meshdir)) return behind_meshdir;

  const char* beside = hfi_join(r, hfi_folder_of(r, elem->file), file);
  return hfi_file_exists(beside) ? beside : path;
}

// Reads a mesh and adds it to the builder, under the prefix of its document. Returns its id or a status < 0.
static int add_mesh(hfiMjcf* m, hfiMjcfAsset* asset) {
  hfiReader* r = m->r;
  const hfiElem* elem = asset->elem;
  hfiMeshSpec s = hfi_mesh_spec_default();
  s.name = m->prefix[0] ? hfi_format(r, "%s%s", m->prefix, asset->name) : asset->name;
  s.where = hfi_where(r, elem);
  s.first_object = 1; // as in MuJoCo, of an OBJ file only the first object
  hfi_mjcf_apply(m, hfi_mjcf_class(m, elem, NULL), "mesh", elem, apply_mesh, &s);

  // where its points come from: a file, a list of vertices, or a built-in shape
  const char* file = hfi_attr(elem, "file");
  s.vertex = hfi_read_list(r, elem, "vertex", &s.nvertex);
  s.face = hfi_read_list(r, elem, "face", &s.nface);
  int is_builtin = !file && !s.vertex && hfi_mjcf_make_builtin(m, elem, &s);

  if (r->status) return r->status;
  if (file && s.vertex) return hfi_fail(r, elem, HF_ERROR_MODEL, "both file and vertex are given");
  if (!file && !s.vertex && !is_builtin)
    return hfi_fail(r, elem, HF_ERROR_UNSUPPORTED,
                    "neither file nor vertex nor builtin is given (plugin meshes are not supported)");

  if (file) s.path = hfi_mjcf_asset_path(m, elem, file);
  if (r->status) return r->status;
  return hfi_mesh_add(r, &s, &r->scratch);
}

// Loads a mesh if nobody has asked for it yet. Returns its id in the builder, or a status < 0.
int hfi_mjcf_load_mesh(hfiMjcf* m, hfiMjcfAsset* asset) {
  if (!asset->loaded) {
    asset->id = add_mesh(m, asset);
    hfi_mjcf_note_loaded(m, asset);
  }
  return asset->id;
}

// ---- materials ----------------------------------------------------------------------------------

// Reads the attributes of one element into an hfiMjcfMaterial.
static void apply_material(hfiMjcf* m, const hfiElem* elem, void* data) {
  hfiMjcfMaterial* material = data;
  hfi_read_reals(m->r, elem, "rgba", 4, 4, material->rgba);
}

void hfi_mjcf_check_material(hfiMjcf* m, hfiElem* elem) {
  hfiMjcfMaterial material = {0};
  apply_material(m, elem, &material);
}

// Lists a material with its colour, white if the file gives none.
void hfi_mjcf_read_material(hfiMjcf* m, hfiElem* elem) {
  hfiMjcfMaterial* material = HFI_NEW(m->r, hfiMjcfMaterial, 1);
  if (!material) return;
  for (int i = 0; i < 4; ++i) material->rgba[i] = 1;
  material->name = hfi_require(m->r, elem, "name");
  hfi_mjcf_apply(m, hfi_mjcf_class(m, elem, NULL), "material", elem, apply_material, material);

  material->next = m->assets.materials;
  m->assets.materials = material;
}

const hfiMjcfMaterial* hfi_mjcf_find_material(hfiMjcf* m, const char* name) {
  for (const hfiMjcfMaterial* i = m->assets.materials; i; i = i->next)
    if (strcmp(i->name, name) == 0) return i;
  return NULL;
}
