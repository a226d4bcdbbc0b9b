// Collision and visual geometry of links, contact properties, filters and frames.
//
// Friction of a collision geom: drake:proximity_properties, else <gazebo reference="link"> mu1,
// else the default. If only one of mu_static and mu_dynamic is given, it counts for both.
//
// u: the robot that is read, r: its reader, d: the definition of a geom or site.
#include "io/robots/filter_group.h"
#include "io/robots/urdf_model.h"
#include "model/shape.h"

#include <stdlib.h>
#include <string.h>

// ---- shapes -------------------------------------------------------------------------------------

// The path of a mesh file. A URI is resolved by its scheme, another name by the folder of meshes.
static const char* mesh_file(hfiUrdf* u, const char* uri) {
  hfiReader* r = u->r;
  const hfiCompiler* compiler = &u->settings->compiler;
  if (compiler->strippath) uri = hfi_base_name(uri);
  if (strstr(uri, "://")) return hfi_resolve_uri(r, uri);

  const char* folder = compiler->meshdir ? hfi_join(r, r->folder, compiler->meshdir) : r->folder;
  return hfi_resolve(r, folder, uri);
}

// The id of the mesh of an element, which is loaded once for each scale. A status < 0 after a refusal.
static int load_mesh(hfiUrdf* u, const hfiElem* elem) {
  hfiReader* r = u->r;
  hfiMeshSpec s = hfi_mesh_spec_default();
  s.path = mesh_file(u, hfi_require(r, elem, "filename"));
  hfi_read_reals(r, elem, "scale", 1, 3, s.scale);
  if (s.scale[0] == 0 || s.scale[1] == 0 || s.scale[2] == 0)
    hfi_fail(r, elem, HF_ERROR_MODEL, "scale: a factor is zero");
  if (r->status) return r->status;

  for (const hfiUrdfMesh* i = u->meshes; i; i = i->next)
    if (strcmp(i->path, s.path) == 0 && memcmp(i->scale, s.scale, sizeof s.scale) == 0) return i->id;

  s.where = hfi_where(r, elem);
  int id = hfi_mesh_add(r, &s, &r->scratch);

  hfiUrdfMesh* item = id >= 0 ? HFI_NEW(r, hfiUrdfMesh, 1) : NULL;
  if (!item) return id;
  item->path = s.path;
  memcpy(item->scale, s.scale, sizeof s.scale);
  item->id = id;
  item->next = u->meshes;
  u->meshes = item;
  return id;
}

// Reads the sizes of a shape, which the table of shapes lists, in the order and units of hfGeomDef.size.
static void read_sizes(hfiUrdf* u, const hfiElem* shape, const hfiUrdfSize* item, double* size) {
  for (int k = 0; k < 3 && item[k].attribute; ++k) {
    hfi_require(u->r, shape, item[k].attribute);
    hfi_read_reals(u->r, shape, item[k].attribute, item[k].count, item[k].count, size);
    for (int i = 0; i < item[k].count; ++i) size[i] *= item[k].factor;
    size += item[k].count;
  }
}

// Reads Bullet's plane. Its normal is z if none is given.
static void read_plane(hfiUrdf* u, const hfiElem* shape, hfGeomDef* d) {
  double normal[3] = {0, 0, 1};
  hfQuat q = q_load(d->quat);
  hfi_read_reals(u->r, shape, "normal", 3, 3, normal);
  hfi_turn_plane(u->r, shape, normal, &q);
  q_store(d->quat, q);
}

// The type of geom (hfGeomType) with this name in URDF, or -1.
static int find_type(const char* name) {
  for (int i = 0; i < HFI_SHAPES; ++i) {
    const hfiShapeKind* kind = &hfi_shape_kinds[i];
    int is_read = i == HF_GEOM_PLANE || kind->uses_mesh || kind->urdf->attribute;
    if (is_read && strcmp(name, kind->name) == 0) return i;
  }
  return -1;
}

// Fills type and size, and turns planes. Returns 0 after a refusal or if the mesh cannot be loaded, with the reason in
// reader->scratch; otherwise 1.
static int read_shape(hfiUrdf* u, hfiElem* elem, hfGeomDef* d) {
  hfiReader* r = u->r;
  hfiElem* geometry = hfi_child(elem, "geometry");
  hfiElem* shape = geometry ? hfi_child(geometry, NULL) : NULL;
  if (!shape) {
    hfi_fail(r, elem, HF_ERROR_PARSE, "<geometry> with a shape is missing");
    return 0;
  }

  const char* name = strncmp(shape->name, "drake:", 6) == 0 ? shape->name + 6 : shape->name;
  d->type = find_type(name);
  if (d->type < 0) {
    hfi_fail(r, shape, HF_ERROR_UNSUPPORTED, "not a shape: box, sphere, cylinder, capsule, ellipsoid, plane or mesh");
    return 0;
  }

  const hfiShapeKind* kind = &hfi_shape_kinds[d->type];
  if (kind->uses_mesh)
    d->mesh = load_mesh(u, shape);
  else if (d->type == HF_GEOM_PLANE)
    read_plane(u, shape, d);
  else
    read_sizes(u, shape, kind->urdf, d->size);
  return !r->status && (!kind->uses_mesh || d->mesh >= 0);
}

// ---- materials ----------------------------------------------------------------------------------

// Lists a <material> that has a name and a colour.
static void register_material(hfiUrdf* u, hfiElem* elem) {
  hfiElem* colour = hfi_child(elem, "color");
  const char* name = hfi_attr(elem, "name");
  hfiMjcfMaterial* m = colour && name ? HFI_NEW(u->r, hfiMjcfMaterial, 1) : NULL;
  if (!m) return;

  m->name = name;
  hfi_require(u->r, colour, "rgba");
  hfi_read_reals(u->r, colour, "rgba", 4, 4, m->rgba);
  m->next = u->materials;
  u->materials = m;
}

// Lists the materials of the robot and of all visuals.
void hfi_urdf_read_materials(hfiUrdf* u) {
  for (hfiElem* e = hfi_child(u->root, "material"); e && !u->r->status; e = hfi_next(e, "material"))
    register_material(u, e);

  for (const hfiUrdfLink* l = u->links; l; l = l->next)
    for (hfiElem* v = hfi_child(l->elem, "visual"); v && !u->r->status; v = hfi_next(v, "visual")) {
      hfiElem* e = hfi_child(v, "material");
      if (e) register_material(u, e);
    }
}

// Gives a visual the colour of the material that it names.
static void set_colour(const hfiUrdf* u, const hfiElem* visual, hfGeomDef* d) {
  const hfiElem* e = hfi_child(visual, "material");
  const char* name = e ? hfi_attr(e, "name") : NULL;
  for (const hfiMjcfMaterial* m = u->materials; m && name; m = m->next)
    if (strcmp(m->name, name) == 0) {
      for (int i = 0; i < 4; ++i) d->rgba[i] = (float)m->rgba[i];
      return;
    }
}

// ---- contact ------------------------------------------------------------------------------------

// Reads the number of a child element, which may not be negative. Returns 0 if there is none.
static int read_value(hfiUrdf* u, const hfiElem* parent, const char* name, double* x) {
  hfiElem* e = hfi_child(parent, name);
  if (!e) return 0;

  hfi_require(u->r, e, "value");
  int given = hfi_read_real(u->r, e, "value", x);
  if (given && *x < 0) hfi_fail(u->r, e, HF_ERROR_MODEL, "%s: %g is negative", name, *x);
  return given;
}

// Reads mu1, or else mu2, of <gazebo reference="link">. Returns 0 if no element gives them.
static int read_gazebo_friction(hfiUrdf* u, const char* link, double* mu) {
  hfiReader* r = u->r;
  int given = 0;
  for (hfiElem* e = u->root->child; e && !r->status; e = e->next) {
    const char* reference = hfi_is(e, "gazebo") ? hfi_attr(e, "reference") : NULL;
    if (!reference || strcmp(reference, link) != 0) continue;

    double mu2 = 0;
    hfiElem* first = hfi_child(e, "mu1");
    hfiElem* second = hfi_child(e, "mu2");
    if (first && hfi_text_reals(r, first, 1, 1, mu)) given = 1;
    if (second && hfi_text_reals(r, second, 1, 1, &mu2) && !given) {
      *mu = mu2;
      given = 1;
    }

    if (given && *mu < 0) hfi_fail(r, e, HF_ERROR_MODEL, "friction %g is negative", *mu);
    if (first && second && mu2 != *mu)
      hfi_note(r, second, HF_WARNING, "mu2 differs from mu1: friction is the same in all directions, mu1");
  }
  return given;
}

// Reads friction, stiffness, dissipation and restitution of a collision: of Drake, of Bullet, then of Gazebo.
static void read_contact(hfiUrdf* u, const hfiUrdfLink* link, const hfiElem* collision, hfGeomDef* d) {
  double mu_static = 0;
  double mu_dynamic = 0;
  int has_static = 0;
  int has_dynamic = 0;

  // Drake
  hfiElem* p = hfi_child(collision, "drake:proximity_properties");
  if (p) {
    has_static = read_value(u, p, "drake:mu_static", &mu_static);
    has_dynamic = read_value(u, p, "drake:mu_dynamic", &mu_dynamic);
    read_value(u, p, "drake:point_contact_stiffness", &d->stiffness);
    read_value(u, p, "drake:hunt_crossley_dissipation", &d->dissipation);
    if (has_static && has_dynamic && mu_dynamic > mu_static)
      hfi_fail(u->r, p, HF_ERROR_MODEL, "mu_dynamic %g is above mu_static %g", mu_dynamic, mu_static);
  }

  // Bullet
  hfiElem* bullet = hfi_child(link->elem, "contact");
  int has_lateral = bullet && read_value(u, bullet, "lateral_friction", &d->friction[0]);
  if (bullet) read_value(u, bullet, "restitution", &d->restitution);

  // Drake's friction replaces Bullet's; Gazebo's is for links without either
  if (has_static || has_dynamic) {
    d->friction[0] = has_static ? mu_static : mu_dynamic;
    if (has_static && has_dynamic) d->friction_dynamic = mu_dynamic;
  } else if (!has_lateral) {
    read_gazebo_friction(u, link->name, &d->friction[0]);
  }
}

// ---- geoms --------------------------------------------------------------------------------------

// Adds the geom of a <collision> or <visual> to the body of its link. collides: 1 for a <collision>, 0 for a <visual>.
// Adds none for a shape of size zero, nor for a mesh that may be left out because its file cannot be read.
static void add_geom(hfiUrdf* u, hfiUrdfLink* link, hfiElem* elem, int collides) {
  hfiReader* r = u->r;
  hfGeomDef d = hf_geom_def_default();
  d.body = link->body;
  d.where = hfi_where(r, elem);

  if (!collides) {
    d.contype = 0;
    d.conaffinity = 0;
    d.density = 0;
    d.group = 1;
    set_colour(u, elem, &d);
  } else {
    read_contact(u, link, elem, &d);
  }

  // link->frame: pose of the link in its body
  hfiPlacement X_BG = hfi_placement_mul(link->frame, hfi_urdf_origin(u, elem));
  v3_store(d.pos, X_BG.p);
  q_store(d.quat, X_BG.q);

  const char* name = hfi_attr(elem, "name");
  if (name && hf_builder_find(r->builder, HF_OBJECT_GEOM, name) < 0)
    d.name = name;
  else if (name && collides)
    hfi_note(r, elem, HF_NOTE, "the name of a collision element occurs twice: the second is unnamed");

  // a mesh that cannot be read: hfi_mesh_do_without leaves the geom out, or refuses the model
  if (!read_shape(u, elem, &d)) {
    if (!r->status) hfi_mesh_do_without(r, elem, !collides);
    return;
  }

  // hfi_leave_out_point: a shape of size zero, as robots have in links without meaning, is left out
  if (!r->status && !hfi_leave_out_point(r, elem, &d))
    hfi_keep(r, elem, hf_builder_add_geom(r->builder, &d, &r->scratch));
}

// Adds the collisions and visuals of a link to its body.
void hfi_urdf_read_geoms(hfiUrdf* u, hfiUrdfLink* link) {
  for (hfiElem* e = link->elem->child; e && !u->r->status; e = e->next) {
    int collides = hfi_is(e, "collision");
    if (!collides && (!hfi_is(e, "visual") || u->discard_visual)) continue;
    e->used = 1;
    add_geom(u, link, e, collides);
  }
}

// ---- Drake's filters and frames -----------------------------------------------------------------

// The body of the link that a member of a filter group names. Refuses an unknown link.
static int member_body(void* context, const hfiElem* member) {
  hfiUrdf* u = context;
  const char* name = hfi_require(u->r, member, "link");
  const hfiUrdfLink* link = hfi_urdf_find_link(u, name);
  if (!link) hfi_fail(u->r, member, HF_ERROR_MODEL, "there is no link \"%s\"", name);
  return link ? link->body : -1;
}

// Excludes contacts by Drake's collision filter groups.
void hfi_urdf_read_filters(hfiUrdf* u) {
  hfiReader* r = u->r;
  for (hfiElem* e = hfi_child(u->root, HFI_FILTER_GROUP); e && !r->status; e = hfi_next(e, HFI_FILTER_GROUP)) {
    for (hfiElem* i = hfi_child(e, HFI_FILTER_IGNORED); i && !r->status; i = hfi_next(i, HFI_FILTER_IGNORED)) {
      const char* name = hfi_require(r, i, "name");
      const hfiElem* other = hfi_filter_group_find(u->root, name);
      if (other)
        hfi_filter_groups_exclude(r, e, other, member_body, u);
      else
        hfi_fail(r, i, HF_ERROR_MODEL, "there is no collision filter group \"%s\"", name);
    }
  }
}

// Adds each <frame name link xyz rpy> as a site.
void hfi_urdf_read_frames(hfiUrdf* u) {
  hfiReader* r = u->r;
  for (hfiElem* e = hfi_child(u->root, "frame"); e && !r->status; e = hfi_next(e, "frame")) {
    hfSiteDef d = hf_site_def_default();
    double xyz[3] = {0, 0, 0};
    double rpy[3] = {0, 0, 0};
    const char* name = hfi_require(r, e, "link");
    const hfiUrdfLink* link = hfi_urdf_find_link(u, name);
    if (!link) hfi_fail(r, e, HF_ERROR_MODEL, "there is no link \"%s\"", name);
    hfi_read_reals(r, e, "xyz", 3, 3, xyz);
    hfi_read_reals(r, e, "rpy", 3, 3, rpy);
    d.name = hfi_require(r, e, "name");
    d.where = hfi_where(r, e);
    if (r->status) return;

    // L: the link, F: the frame, B: the body of the link
    hfiPlacement X_LF = {v3_load(xyz), hfi_mjcf_euler(u->settings, rpy)};
    hfiPlacement X_BF = hfi_placement_mul(link->frame, X_LF);
    d.body = link->body;
    v3_store(d.pos, X_BF.p);
    q_store(d.quat, X_BF.q);
    hfi_keep(r, e, hf_builder_add_site(r->builder, &d, &r->scratch));
  }
}
