// Inertia, collision and visual geometry of the links of SDFormat. A link and its body have one frame.
//
// s: the document that is read, r: its reader, d: the definition of a geom; W, B, I: the world, the body, its inertia.
#include "io/robots/sdf.h"

#include "io/mesh/asset.h"
#include "math/eigen3.h"
#include "model/shape.h"

#include <string.h>

// ---- inertia ------------------------------------------------------------------------------------

// Whether the inertia of a link is computed from its collisions.
static int is_auto(const hfiElem* inertial) { return inertial && hfi_sdf_is_true(hfi_attr(inertial, "auto")); }

// Warns of numbers in an <inertial> whose inertia is computed from the collisions, and marks them as used.
static void drop_written(hfiSdf* s, const hfiElem* inertial) {
  static const char* const written[] = {"mass", "inertia", "pose"};
  int found = 0;

  for (size_t i = 0; i < sizeof written / sizeof *written; ++i) {
    hfiElem* e = hfi_child(inertial, written[i]);
    if (!e) continue;
    hfi_xml_use_all(e);
    found = 1;
  }

  if (found)
    hfi_note(s->r, inertial, HF_WARNING,
             "with auto the inertia is that of the collisions: what is written here is not used");
}

// Reads mass, centre of mass and inertia of a link, and whether gravity acts on it.
void hfi_sdf_read_inertial(hfiSdf* s, const hfiSdfEntity* link, hfBodyDef* def) {
  static const char* const names[6] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
  double I[6] = {1, 1, 1, 0, 0, 0}; // the default of SDFormat, as is the mass
  def->mass = 1;

  const char* gravity = hfi_sdf_text(link->elem, "gravity");
  // a compensation of the whole weight
  if (gravity && !hfi_sdf_is_true(gravity)) def->gravcomp = 1;

  const hfiElem* inertial = hfi_child(link->elem, "inertial");
  def->has_inertial = !is_auto(inertial);

  if (!def->has_inertial && link->parts)
    hfi_fail(s->r, inertial, HF_ERROR_UNSUPPORTED, "auto is not supported for links that close a loop");
  if (!def->has_inertial) {
    drop_written(s, inertial);
    return;
  }

  hfiPlacement X_WI = inertial ? hfi_sdf_pose(s, link->scope, inertial, link->X_W) : link->X_W;
  hfiPlacement X_BI = hfi_placement_mul(hfi_placement_inverse(link->X_W), X_WI);
  if (inertial && hfi_sdf_number(s, inertial, "mass", &def->mass) && def->mass < 0)
    hfi_fail(s->r, inertial, HF_ERROR_MODEL, "mass %g is negative", def->mass);

  const hfiElem* inertia = inertial ? hfi_child(inertial, "inertia") : NULL;
  for (int i = 0; i < 6 && inertia; ++i) hfi_sdf_number(s, inertia, names[i], &I[i]);
  if (s->r->status) return;

  // I is in the axes of the inertial frame, def->inertia in those of the body
  hfi_repair_inertia(s->r, link->elem, link->name, I);
  sym3_rotate(m3_from_quat(X_BI.q), I, def->inertia);
  v3_store(def->com, X_BI.p);
}

// ---- shapes -------------------------------------------------------------------------------------

// The id of the mesh of a <mesh>, which is loaded once for each scale. A status < 0 after a refusal.
static int load_mesh(hfiSdf* s, const hfiSdfEntity* link, const hfiElem* elem) {
  hfiReader* r = s->r;
  hfiMeshSpec spec = hfi_mesh_spec_default();
  const hfiElem* uri = hfi_child(elem, "uri");
  const hfiElem* scale = hfi_child(elem, "scale");
  if (!uri || !uri->text) return hfi_fail(r, elem, HF_ERROR_PARSE, "<uri> is missing");
  if (scale) hfi_text_reals(r, scale, 3, 3, spec.scale);
  if (spec.scale[0] == 0 || spec.scale[1] == 0 || spec.scale[2] == 0)
    hfi_fail(r, elem, HF_ERROR_MODEL, "scale: a factor is zero");
  spec.path = hfi_sdf_file(s, link, uri->text);
  if (r->status) return r->status;

  for (const hfiSdfMesh* i = s->meshes; i; i = i->next)
    if (strcmp(i->path, spec.path) == 0 && memcmp(i->scale, spec.scale, sizeof spec.scale) == 0) return i->id;

  spec.where = hfi_where(r, elem);
  int id = hfi_mesh_add(r, &spec, &r->scratch);

  hfiSdfMesh* item = id >= 0 ? HFI_NEW(r, hfiSdfMesh, 1) : NULL;
  if (!item) return id;
  *item = (hfiSdfMesh){spec.path, {spec.scale[0], spec.scale[1], spec.scale[2]}, id, s->meshes};
  s->meshes = item;
  return id;
}

// Reads the sizes of a shape from child elements, which have the names and meanings of URDF's attributes.
static void read_sizes(hfiSdf* s, const hfiElem* shape, const hfiUrdfSize* item, double* size) {
  for (int k = 0; k < 3 && item[k].attribute; ++k) {
    const hfiElem* e = hfi_child(shape, item[k].attribute);
    if (!e) hfi_fail(s->r, shape, HF_ERROR_PARSE, "<%s> is missing", item[k].attribute);
    if (!e || !hfi_text_reals(s->r, e, item[k].count, item[k].count, size)) return;

    for (int i = 0; i < item[k].count; ++i) size[i] *= item[k].factor;
    size += item[k].count;
  }
}

// The type of geom (hfGeomType) with this name in SDFormat, or -1.
static int find_type(const char* name) {
  if (strcmp(name, "heightmap") == 0) return HF_GEOM_HFIELD;
  for (int i = 0; i < HFI_SHAPES; ++i)
    if (strcmp(name, hfi_shape_kinds[i].name) == 0 && !hfi_shape_kinds[i].uses_hfield) return i;
  return -1;
}

// Turns the pose of a plane to its normal, which is z if none is given.
static void read_plane(hfiSdf* s, const hfiElem* shape, hfiPlacement* X) {
  double normal[3] = {0, 0, 1};
  const hfiElem* e = hfi_child(shape, "normal");
  hfi_child(shape, "size");
  if (e) hfi_text_reals(s->r, e, 3, 3, normal);
  hfi_turn_plane(s->r, shape, normal, &X->q);
}

// Reads the shape of a <collision> or <visual> into type, size, mesh or hfield of d. Turns the pose *X of a plane, and
// shifts a heightmap. Returns 0 if the geom is refused or left out.
static int read_shape(hfiSdf* s, const hfiSdfEntity* link, hfiElem* elem, hfGeomDef* d, hfiPlacement* X) {
  hfiReader* r = s->r;
  hfiElem* geometry = hfi_child(elem, "geometry");
  hfiElem* shape = geometry ? hfi_child(geometry, NULL) : NULL;
  if (!shape) {
    hfi_fail(r, elem, HF_ERROR_PARSE, "<geometry> with a shape is missing");
    return 0;
  }

  if (hfi_is(shape, "empty")) return 0;
  int is_drakes = strncmp(shape->name, "drake:", 6) == 0;
  d->type = find_type(is_drakes ? shape->name + 6 : shape->name);
  if (d->type < 0) {
    hfi_note(r, shape, HF_WARNING, "<%.40s> is no shape that is read: the geom is left out", shape->name);
    return 0;
  }

  const hfiShapeKind* kind = &hfi_shape_kinds[d->type];
  if (kind->uses_mesh || kind->uses_hfield) {
    if (kind->uses_mesh)
      d->mesh = load_mesh(s, link, shape);
    else
      d->hfield = hfi_sdf_load_heightmap(s, link, shape, X);
    int id = kind->uses_mesh ? d->mesh : d->hfield;
    // a file that cannot be read: the geom is left out, or the model is refused
    if (id < 0 && !r->status) hfi_mesh_do_without(r, elem, !d->contype);
    return id >= 0 && !r->status;
  }

  const hfiElem* radii = hfi_child(shape, "radii"); // for an ellipsoid; Drake's has a, b and c
  if (d->type == HF_GEOM_PLANE)
    read_plane(s, shape, X);
  else if (radii)
    hfi_text_reals(r, radii, 3, 3, d->size);
  else
    read_sizes(s, shape, kind->urdf, d->size);
  return !r->status;
}

// ---- surfaces -----------------------------------------------------------------------------------

// The element at the end of a path of names below an element, or NULL.
static const hfiElem* find_below(const hfiElem* e, const char* const* path) {
  for (; e && *path; ++path) e = hfi_child(e, *path);
  return e;
}

// Reads friction, restitution, stiffness and dissipation of a collision. Drake's friction has priority over Gazebo's.
static void read_surface(hfiSdf* s, const hfiElem* collision, hfGeomDef* d) {
  static const char* const ode[] = {"surface", "friction", "ode", NULL};
  static const char* const bounce[] = {"surface", "bounce", NULL};
  const hfiElem* drake = hfi_child(collision, "drake:proximity_properties");
  const hfiElem* friction = find_below(collision, ode);
  const hfiElem* elastic = find_below(collision, bounce);
  double mu_static = -1;
  double mu_dynamic = -1;

  if (friction) hfi_sdf_number(s, friction, "mu", &d->friction[0]);
  if (elastic) hfi_sdf_number(s, elastic, "restitution_coefficient", &d->restitution);
  if (drake) {
    hfi_sdf_number(s, drake, "drake:mu_static", &mu_static);
    hfi_sdf_number(s, drake, "drake:mu_dynamic", &mu_dynamic);
    hfi_sdf_number(s, drake, "drake:point_contact_stiffness", &d->stiffness);
    hfi_sdf_number(s, drake, "drake:hunt_crossley_dissipation", &d->dissipation);
  }

  // one coefficient alone counts for both
  if (mu_dynamic >= 0) d->friction[0] = mu_dynamic;
  if (mu_static >= 0) d->friction[0] = mu_static;
  if (mu_static >= 0 && mu_dynamic >= 0) d->friction_dynamic = mu_dynamic;
}

// Reads the diffuse colour of a visual, which is grey if none is given.
static void read_colour(hfiSdf* s, const hfiElem* visual, hfGeomDef* d) {
  static const char* const path[] = {"material", "diffuse", NULL};
  const hfiElem* diffuse = find_below(visual, path);
  double rgba[4] = {0.5, 0.5, 0.5, 1};
  if (diffuse) hfi_text_reals(s->r, diffuse, 3, 4, rgba);
  for (int i = 0; i < 4; ++i) d->rgba[i] = (float)rgba[i];
}

// Reads the density of a collision, from which an auto <inertial> is computed: its own, or else the one of the
// <inertial>, or 1000 kg/m^3.
static void read_density(hfiSdf* s, const hfiSdfEntity* link, const hfiElem* collision, hfGeomDef* d) {
  const hfiElem* inertial = hfi_child(link->elem, "inertial");
  if (!is_auto(inertial)) return;
  if (!hfi_sdf_number(s, collision, "density", &d->density)) hfi_sdf_number(s, inertial, "density", &d->density);
  if (!s->r->status && !(d->density > 0))
    hfi_fail(s->r, collision, HF_ERROR_MODEL, "density must be positive, is %g", d->density);
}

// Adds the geom of a <collision> or <visual> to a body, which is 0 for a link that stands in the world.
static void add_geom(hfiSdf* s, const hfiSdfEntity* link, hfiElem* elem, int body, int collides) {
  hfiReader* r = s->r;
  hfGeomDef d = hf_geom_def_default();
  d.body = body;
  d.where = hfi_where(r, elem);

  if (collides) {
    read_surface(s, elem, &d);
    read_density(s, link, elem, &d);
  } else {
    d.contype = 0;
    d.conaffinity = 0;
    d.density = 0;
    d.group = 1;
    read_colour(s, elem, &d);
  }

  hfiPlacement base = body ? hfi_placement_inverse(link->X_W) : hfi_placement_identity();
  hfiPlacement X = hfi_placement_mul(base, hfi_sdf_pose(s, link->scope, elem, link->X_W));
  if (!read_shape(s, link, elem, &d, &X)) return;
  v3_store(d.pos, X.p);
  q_store(d.quat, X.q);

  // a collision is called LINK::NAME, if no other one is
  const char* name = hfi_attr(elem, "name");
  const char* full = name && *name && collides ? hfi_format(r, "%s::%s", link->name, name) : NULL;
  if (full && hf_builder_find(r->builder, HF_OBJECT_GEOM, full) < 0) d.name = full;

  // hfi_leave_out_point: a shape of size zero is left out
  if (!r->status && !hfi_leave_out_point(r, elem, &d))
    hfi_keep(r, elem, hf_builder_add_geom(r->builder, &d, &r->scratch));
}

// Adds the collisions and visuals of a link to a body.
void hfi_sdf_read_geoms(hfiSdf* s, const hfiSdfEntity* link, int body) {
  for (hfiElem* e = link->elem->child; e && !s->r->status; e = e->next) {
    int collides = hfi_is(e, "collision");
    if (!collides && !hfi_is(e, "visual")) continue;
    e->used = 1;
    add_geom(s, link, e, body, collides);
  }
}
