// <geom> and <site>.
//
//   fromto a b means: centre (a + b)/2, half length |a - b|/2, z axis along a - b
//
// m: the document, r: its reader, s: the spec of a geom or site, d: the definition in it.
#include "io/mjcf/mjcf.h"
#include "model/shape.h"

#include <string.h>

// Shapes that MJCF has and Holdfast does not support.
static const char* const UNSUPPORTED_TYPES[] = {"sdf"};
enum { UNSUPPORTED_COUNT = sizeof UNSUPPORTED_TYPES / sizeof *UNSUPPORTED_TYPES };

// Two points of fromto that are closer than this are one [m].
static const double LEAST_FROMTO_LENGTH = 1e-10;

// Reads the type of a shape: hfGeomType, or HFI_SHAPES and more for those that are not supported.
static void read_type(hfiMjcf* m, const hfiElem* elem, int* type) {
  hfiKeyword words[HFI_SHAPES + UNSUPPORTED_COUNT + 1] = {{NULL, 0}};
  for (int i = 0; i < HFI_SHAPES; ++i) words[i] = (hfiKeyword){hfi_shape_kinds[i].name, i};
  for (int i = 0; i < UNSUPPORTED_COUNT; ++i)
    words[HFI_SHAPES + i] = (hfiKeyword){UNSUPPORTED_TYPES[i], HFI_SHAPES + i};
  hfi_read_keyword(m->r, elem, "type", words, type);
}

// A geom before it is complete.
typedef struct GeomSpec {
  hfGeomDef def;
  hfiPoseSpec pose;
  int pose_given; // bits of hfiPoseGiven
  double fromto[6];
  int has_fromto;
  const char *mesh, *hfield, *material;
  double rgba[4];
  int has_rgba;
} GeomSpec;

static const hfiKeyword FLUID_SHAPES[] = {{"none", 0}, {"ellipsoid", 1}, {NULL, 0}};

static GeomSpec default_geom(void) {
  GeomSpec s = {.def = hf_geom_def_default(), .pose = {{0, 0, 0}, {1, 0, 0, 0}}};
  return s;
}

// Reads colour, material and group.
static void apply_looks(hfiMjcf* m, const hfiElem* elem, GeomSpec* s) {
  if (hfi_read_reals(m->r, elem, "rgba", 4, 4, s->rgba)) s->has_rgba = 1;
  const char* material = hfi_attr(elem, "material");
  if (material) s->material = material;
  hfi_read_int(m->r, elem, "group", &s->def.group);
}

// Reads the parameters of contact.
static void apply_contact(hfiMjcf* m, const hfiElem* elem, GeomSpec* s) {
  hfiReader* r = m->r;
  hfi_read_int(r, elem, "contype", &s->def.contype);
  hfi_read_int(r, elem, "conaffinity", &s->def.conaffinity);
  hfi_read_int(r, elem, "condim", &s->def.condim);
  hfi_read_int(r, elem, "priority", &s->def.priority);

  hfi_read_reals(r, elem, "friction", 1, 3, s->def.friction);
  hfi_read_real(r, elem, "margin", &s->def.margin);
  hfi_read_real(r, elem, "gap", &s->def.gap);
  hfi_read_real(r, elem, "solmix", &s->def.solmix);
  hfi_mjcf_read_solver(m, elem, "solref", "solimp", s->def.solref, s->def.solimp);
  hfi_read_reals(r, elem, "surfacevel", 1, 6, s->def.surface_velocity);
  hfi_read_real(r, elem, "adhesion", &s->def.adhesion);
}

// Reads the attributes of one element into a GeomSpec.
static void apply_geom(hfiMjcf* m, const hfiElem* elem, void* data) {
  hfiReader* r = m->r;
  GeomSpec* s = data;

  // shape and place
  read_type(m, elem, &s->def.type);
  hfi_read_reals(r, elem, "size", 1, 3, s->def.size);
  s->pose_given |= hfi_mjcf_read_pose(m, elem, &s->pose);
  if (hfi_read_reals(r, elem, "fromto", 6, 6, s->fromto)) s->has_fromto = 1;
  const char* mesh = hfi_attr(elem, "mesh");
  if (mesh) s->mesh = mesh;
  const char* hfield = hfi_attr(elem, "hfield");
  if (hfield) s->hfield = hfield;

  // mass
  hfi_read_real(r, elem, "fitscale", &s->def.fitscale);
  if (hfi_read_real(r, elem, "mass", &s->def.mass) && s->def.mass < 0)
    hfi_fail(r, elem, HF_ERROR_MODEL, "mass %g is negative", s->def.mass);
  hfi_read_real(r, elem, "density", &s->def.density);
  hfi_read_bool(r, elem, "shellinertia", &s->def.shell_inertia);

  // the medium around it, contact, looks
  hfi_read_keyword(r, elem, "fluidshape", FLUID_SHAPES, &s->def.fluid);
  hfi_read_reals(r, elem, "fluidcoef", 1, 5, s->def.fluidcoef);
  apply_contact(m, elem, s);
  apply_looks(m, elem, s);
}

void hfi_mjcf_check_geom(hfiMjcf* m, hfiElem* elem) {
  GeomSpec s = default_geom();
  apply_geom(m, elem, &s);
}

// ---- fromto -------------------------------------------------------------------------------------

// Computes pose and half length from the two points, which may not be one.
static void place_between(hfiMjcf* m, const hfiElem* elem, const double* fromto, hfiPoseSpec* pose, double* half) {
  hfVec3 a = v3_load(fromto);
  hfVec3 b = v3_load(fromto + 3);
  hfVec3 d = v3_sub(a, b);
  if (!(v3_norm(d) > LEAST_FROMTO_LENGTH))
    hfi_fail(m->r, elem, HF_ERROR_MODEL, "fromto: the two points are one");
  v3_store(pose->pos, v3_scale(0.5, v3_add(a, b)));
  q_store(pose->quat, hfi_quat_from_z(d));
  *half = 0.5 * v3_norm(d);
}

// Replaces fromto by a pose and a size. pose_given: bits of hfiPoseGiven.
static void resolve_fromto(hfiMjcf* m, const hfiElem* elem, int type, int pose_given, const double* fromto,
                           hfiPoseSpec* pose, double size[3]) {
  // As in MuJoCo, a pos of zeros is ignored.
  int is_elsewhere = pose->pos[0] != 0 || pose->pos[1] != 0 || pose->pos[2] != 0;
  if (pose_given & HFI_GIVES_POSITION && is_elsewhere)
    hfi_fail(m->r, elem, HF_ERROR_MODEL, "both pos and fromto are given");

  int last = type < HFI_SHAPES ? hfi_shape_kinds[type].fromto_size : -1;
  if (last < 0) {
    hfi_fail(m->r, elem, HF_ERROR_MODEL, "fromto is for capsules, cylinders, boxes and ellipsoids");
    return;
  }

  // the first size is also the size across the other axis
  for (int i = 1; i < last; ++i) size[i] = size[0];
  place_between(m, elem, fromto, pose, &size[last]);
}

// ---- geom ---------------------------------------------------------------------------------------

// Whether a <pair> of the document names a geom.
static int is_named_in_pair(const hfiMjcf* m, const char* name) {
  if (!name) return 0;
  for (const hfiElem* section = m->root->child; section; section = section->next) {
    if (!hfi_is(section, "contact")) continue;
    for (const hfiElem* pair = section->child; pair; pair = pair->next)
      for (const hfiAttr* a = pair->attr; a; a = a->next)
        if (strncmp(a->name, "geom", 4) == 0 && strcmp(a->value, name) == 0) return 1;
  }
  return 0;
}

// Whether the geom neither collides nor gives mass.
static int is_only_drawn(const hfiMjcf* m, const hfiScope* scope, const GeomSpec* s, const hfiElem* elem) {
  const hfGeomDef* d = &s->def;
  int from_geom = m->compiler.build.inertia_from_geom;
  int gives_inertia = scope->body != 0 && (from_geom == 1 || (from_geom == -1 && !scope->has_inertial));
  int has_mass = d->mass >= 0 ? d->mass > 0 : d->density > 0;
  int in_group = d->group >= m->compiler.build.inertia_group_min && d->group <= m->compiler.build.inertia_group_max;

  if (gives_inertia && has_mass && in_group) return 0;
  return d->contype == 0 && d->conaffinity == 0 && !is_named_in_pair(m, hfi_attr(elem, "name"));
}

// Loads the mesh or height field that the geom names. Returns 1 if the geom can be made with it, 0 if the geom was
// refused or left out.
static int load_named(hfiMjcf* m, const hfiScope* scope, GeomSpec* s, hfiElem* elem, const hfiShapeKind* shape) {
  hfiMjcfAsset* asset = NULL;
  if (shape->uses_hfield) {
    asset = hfi_mjcf_find_asset(m, elem, "hfield", "height field", m->assets.hfields, s->hfield);
    if (asset) s->def.hfield = hfi_mjcf_load_hfield(m, asset);
  } else {
    asset = hfi_mjcf_find_asset(m, elem, "mesh", "mesh", m->assets.meshes, s->mesh);
    if (asset) s->def.mesh = hfi_mjcf_load_mesh(m, asset);
    if (!shape->uses_mesh) s->def.mesh_fit = m->compiler.fitaabb ? 2 : 1;
  }

  if (!asset || m->r->status) return 0;

  int is_loaded = (shape->uses_hfield ? s->def.hfield : s->def.mesh) >= 0;
  if (!is_loaded && hfi_mesh_do_without(m->r, asset->elem, is_only_drawn(m, scope, s, elem)))
    hfi_mjcf_leave_out(m, HF_OBJECT_GEOM, elem);
  return is_loaded;
}

// Finds the mesh or height field of a geom. Returns 1 if the geom can be made, 0 if it was refused or left out.
static int find_shape(hfiMjcf* m, const hfiScope* scope, GeomSpec* s, hfiElem* elem) {
  if (s->def.type >= HFI_SHAPES) {
    hfi_note(m->r, elem, HF_WARNING, "geom of type %s is left out: nothing can touch it",
             UNSUPPORTED_TYPES[s->def.type - HFI_SHAPES]);
    hfi_mjcf_leave_out(m, HF_OBJECT_GEOM, elem);
    return 0;
  }

  const hfiShapeKind* shape = &hfi_shape_kinds[s->def.type];

  // only keyframes are needed: any shape will do
  if (m->r->skeleton && (s->mesh || shape->uses_hfield)) {
    s->def.type = HF_GEOM_SPHERE;
    s->def.size[0] = 1;
    return 1;
  }

  if (shape->uses_hfield && !s->hfield)
    hfi_fail(m->r, elem, HF_ERROR_MODEL, "a geom of type hfield must name a height field");
  if (shape->uses_mesh && !s->mesh) hfi_fail(m->r, elem, HF_ERROR_MODEL, "a geom of type mesh must name a mesh");
  if (m->r->status) return 0;

  // a mesh is the shape itself, or what a box, sphere and so on is fitted to
  int needs_mesh = s->mesh && (shape->uses_mesh || shape->fit);
  if (!shape->uses_hfield && !needs_mesh) return 1;
  return load_named(m, scope, s, elem, shape);
}

// Sets the colour of a geom: its own, or else that of its material.
static void set_colour(hfiMjcf* m, const hfiElem* elem, GeomSpec* s) {
  const hfiMjcfMaterial* material = s->material ? hfi_mjcf_find_material(m, s->material) : NULL;
  if (s->material && !material) hfi_note(m->r, elem, HF_NOTE, "material: there is no material \"%.100s\"", s->material);

  const double* rgba = material ? material->rgba : NULL;
  if (s->has_rgba) rgba = s->rgba;
  for (int i = 0; rgba && i < 4; ++i) s->def.rgba[i] = (float)rgba[i];
}

// Replaces the contact parameters of a geom by those of the override, if it is active. A geom has one coefficient of
// sliding and one of rolling; an override has two of each, one for each direction. Their mean counts, as in a pair.
static void override_contact(const hfiOverride* o, hfGeomDef* d) {
  if (!o->active) return;
  d->margin = 0.5 * o->margin; // The margins of two geoms add up.
  memcpy(d->solref, o->solref, sizeof d->solref);
  memcpy(d->solimp, o->solimp, sizeof d->solimp);
  d->friction[0] = 0.5 * (o->friction[0] + o->friction[1]);
  d->friction[1] = o->friction[2];
  d->friction[2] = 0.5 * (o->friction[3] + o->friction[4]);
}

// Reads a geom and adds it to the builder. Leaves it out if its shape is not supported or cannot be loaded.
void hfi_mjcf_read_geom(hfiMjcf* m, const hfiScope* scope, hfiElem* elem) {
  hfiReader* r = m->r;
  GeomSpec s = default_geom();
  hfi_mjcf_apply(m, hfi_mjcf_class(m, elem, scope->childclass), "geom", elem, apply_geom, &s);
  if (r->status || !find_shape(m, scope, &s, elem)) return;

  if (s.has_fromto) resolve_fromto(m, elem, s.def.type, s.pose_given, s.fromto, &s.pose, s.def.size);
  set_colour(m, elem, &s);
  if (s.def.solref[0] != 0)
    hfi_note(r, elem, HF_NOTE,
             "solref, solimp: the contact has MuJoCo's law in the normal direction; its friction sticks");
  override_contact(&m->override, &s.def);
  s.def.margin += s.def.gap; // In MJCF contacts act below margin; in Holdfast they are found below it.

  s.def.name = hfi_mjcf_name(m, elem);
  s.def.where = hfi_where(r, elem);
  s.def.body = scope->body;
  hfi_mjcf_place(scope, &s.pose, s.def.pos, s.def.quat);
  hfi_mjcf_contact_parameters(m, s.def.name, &s.def);

  if (!r->status) hfi_keep(r, elem, hf_builder_add_geom(r->builder, &s.def, &r->scratch));
}

// ---- site ---------------------------------------------------------------------------------------

typedef struct SiteSpec {
  hfSiteDef def;
  hfiPoseSpec pose;
  int pose_given;
  double fromto[6];
  int has_fromto;
} SiteSpec;

static SiteSpec default_site(void) {
  SiteSpec s = {.def = hf_site_def_default(), .pose = {{0, 0, 0}, {1, 0, 0, 0}}};
  return s;
}

// Reads the attributes of one element into a SiteSpec.
static void apply_site(hfiMjcf* m, const hfiElem* elem, void* data) {
  SiteSpec* s = data;
  read_type(m, elem, &s->def.type);
  hfi_read_reals(m->r, elem, "size", 1, 3, s->def.size);
  s->pose_given |= hfi_mjcf_read_pose(m, elem, &s->pose);
  if (hfi_read_reals(m->r, elem, "fromto", 6, 6, s->fromto)) s->has_fromto = 1;
}

void hfi_mjcf_check_site(hfiMjcf* m, hfiElem* elem) {
  SiteSpec s = default_site();
  apply_site(m, elem, &s);
}

// Reads a site and adds it to the builder.
void hfi_mjcf_read_site(hfiMjcf* m, const hfiScope* scope, hfiElem* elem) {
  hfiReader* r = m->r;
  SiteSpec s = default_site();
  hfi_mjcf_apply(m, hfi_mjcf_class(m, elem, scope->childclass), "site", elem, apply_site, &s);
  if (s.has_fromto) resolve_fromto(m, elem, s.def.type, s.pose_given, s.fromto, &s.pose, s.def.size);
  if (r->status) return;

  const hfiShapeKind* shape = s.def.type < HFI_SHAPES ? &hfi_shape_kinds[s.def.type] : NULL;
  if (!shape || !(shape->uses_mesh || shape->solid)) {
    hfi_fail(r, elem, HF_ERROR_MODEL, "type: a site is a sphere, capsule, ellipsoid, cylinder, box or mesh");
  } else if (shape->uses_mesh) {
    hfi_note(r, elem, HF_WARNING, "site of type mesh: a touch sensor there sees a sphere of its first size");
    s.def.type = HF_GEOM_SPHERE;
  }
  if (r->status) return;

  s.def.name = hfi_mjcf_name(m, elem);
  s.def.where = hfi_where(r, elem);
  s.def.body = scope->body;
  hfi_mjcf_place(scope, &s.pose, s.def.pos, s.def.quat);
  hfi_keep(r, elem, hf_builder_add_site(r->builder, &s.def, &r->scratch));
}
