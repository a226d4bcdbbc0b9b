// Hulls, geoms, sites, contact pairs.
//
// A mesh's hull is stored about the mesh's centre of mass, and the geoms that use it are moved there:
// the frame of a mesh geom is at the centre of its matter, as in MuJoCo.
#include "build/inside.h"

#include "math/eigen3.h"
#include "math/inertia_box.h"
#include "model/height_field.h"
#include "model/shape.h"

#include <string.h>

// ---- meshes ----------------------------------------------------------------------------------------

// Where the arrays of the next mesh begin.
typedef struct MeshCursor {
  int vert, face, facevert, edge; // of hulls
  int surfvert, surftri;          // of surfaces
} MeshCursor;

// Copies the hull of mesh i, moved so that `centre` is at the origin, to where the mesh's addresses say.
static void store_hull(hfModel* m, int i, const hfiHullData* h, hfVec3 centre) {
  int vert = hf_model_mesh_vertadr(m)[i];
  int face = hf_model_mesh_faceadr(m)[i];
  for (int k = 0; k < h->nvert; ++k)
    v3_store(hfi_set_hull_vert(m) + 3 * (vert + k), v3_sub(v3_load(h->vert + 3 * k), centre));

  for (int k = 0; k < h->nface; ++k) {
    double* plane = hfi_set_hull_faceplane(m) + 4 * (face + k);
    memcpy(plane, h->face_plane + 4 * k, 4 * sizeof *plane);
    // a plane is (n, n.x of its points)
    plane[3] -= v3_dot(v3_load(plane), centre);
  }

  size_t width = sizeof *h->face_start;
  size_t facevert = (size_t)h->face_start[h->nface];
  size_t edgevert = (size_t)h->edge_start[h->nvert];
  // each mesh before has one start more than it has faces or vertices, so that i is added
  memcpy(hfi_set_hull_facestart(m) + face + i, h->face_start, width * (size_t)(h->nface + 1));
  memcpy(hfi_set_hull_edgestart(m) + vert + i, h->edge_start, width * (size_t)(h->nvert + 1));
  memcpy(hfi_set_hull_facevert(m) + hf_model_mesh_facevertadr(m)[i], h->face_vert, width * facevert);
  memcpy(hfi_set_hull_edgevert(m) + hf_model_mesh_edgeadr(m)[i], h->edge_vert, width * edgevert);
}

// Copies the surface of mesh i, for drawing, moved so that `centre` is at the origin.
static void store_surface(hfModel* m, int i, const hfMeshDef* d, hfVec3 centre) {
  float* to = hfi_set_surf_vert(m) + 3 * hf_model_mesh_surfvertadr(m)[i];
  for (int k = 0; k < d->nvert; ++k) {
    hfVec3 p = v3_sub(v3_load(d->vert + 3 * k), centre);
    to[3 * k] = (float)p.x;
    to[3 * k + 1] = (float)p.y;
    to[3 * k + 2] = (float)p.z;
  }
  if (d->ntri == 0) return;

  memcpy(hfi_set_surf_tri(m) + 3 * hf_model_mesh_surftriadr(m)[i], d->tri, sizeof *d->tri * 3 * (size_t)d->ntri);
}

// Computes the mass of each mesh, and stores hulls and surfaces one after the other.
hfStatus hfi_finish_meshes(hfiFinish* f, hfError* error) {
  hfModel* m = f->m;
  MeshCursor next = {0};

  for (int i = 0; i < m->nmesh; ++i) {
    const hfMeshDef* d = &f->b->mesh.data[i].def;
    const hfiHullData* hull = &f->b->mesh.data[i].hull;
    hfStatus status = hfi_mesh_mass(d, &f->mesh_mass[i], error);
    if (status != HF_OK) return status;

    hfi_set_mesh_vertadr(m)[i] = next.vert;
    hfi_set_mesh_vertnum(m)[i] = hull->nvert;
    hfi_set_mesh_faceadr(m)[i] = next.face;
    hfi_set_mesh_facenum(m)[i] = hull->nface;
    hfi_set_mesh_facevertadr(m)[i] = next.facevert;
    hfi_set_mesh_edgeadr(m)[i] = next.edge;
    hfi_set_mesh_surfvertadr(m)[i] = next.surfvert;
    hfi_set_mesh_surfvertnum(m)[i] = d->nvert;
    hfi_set_mesh_surftriadr(m)[i] = next.surftri;
    hfi_set_mesh_surftrinum(m)[i] = d->ntri;
    store_hull(m, i, hull, f->mesh_mass[i].com);
    store_surface(m, i, d, f->mesh_mass[i].com);

    next.vert += hull->nvert;
    next.face += hull->nface;
    next.facevert += hull->face_start[hull->nface];
    next.edge += hull->edge_start[hull->nvert];
    next.surfvert += d->nvert;
    next.surftri += d->ntri;
  }

  return HF_OK;
}

// ---- height fields ---------------------------------------------------------------------------------

// Stores height fields one after the other, with their ranges and regions.
void hfi_finish_height_fields(hfiFinish* f) {
  hfModel* m = f->m;
  int height = 0;
  int tri = 0;

  for (int i = 0; i < m->nhfield; ++i) {
    const hfHeightFieldDef* d = &f->b->hfield.data[i];
    int count = d->nrow * d->ncol;
    hfi_set_hfield_nrow(m)[i] = d->nrow;
    hfi_set_hfield_ncol(m)[i] = d->ncol;
    hfi_set_hfield_adr(m)[i] = height;
    hfi_set_hfield_regionadr(m)[i] = tri;
    v3_store(hfi_set_hfield_size(m) + 3 * i, v3(d->half_size[0], d->half_size[1], d->base));
    memcpy(hfi_set_hfield_height(m) + height, d->height, sizeof *d->height * (size_t)count);

    hfi_hfield_range(d->height, count, hfi_set_hfield_range(m) + 2 * i);
    hfiHeightField view = hfi_model_height_field(m, i);
    hfi_hfield_regions(&view, hfi_set_hfield_region(m) + tri);
    height += count;
    tri += hfi_hfield_triangles(d->nrow, d->ncol);
  }
}

// ---- places of geoms ---------------------------------------------------------------------------------

// Fits a primitive to its mesh: its axes become the principal axes, and its sizes those of the inertia box (mesh_fit 1)
// or of the box around the vertices (mesh_fit 2). d: the geom, whose frame is at the centre of the mesh. written: as it
// was given.
static void fit_primitive(const hfiFinish* f, const hfGeomDef* written, hfGeomDef* d) {
  enum { FIT_BOUNDING_BOX = 2 };
  const hfiShapeKind* shape = &hfi_shape_kinds[d->type];
  const hfiMass* mass = &f->mesh_mass[d->mesh];
  hfQuat q = q_load(written->quat);
  double moment[3];
  hfMat3 unsigned_axes;
  eigen3(mass->I, moment, &unsigned_axes); // The moments descend, so the last axis is the longest.
  hfQuat axes = principal_axes(mass->I);   // the same axes, with MuJoCo's signs
  hfMat3 R = m3_from_quat(axes);
  q_store(d->quat, q_mul(q, axes));

  if (d->mesh_fit == FIT_BOUNDING_BOX) {
    const hfiHullData* h = &f->b->mesh.data[d->mesh].hull;
    hfVec3 low = m3_tmulv(R, v3_load(h->vert));
    hfVec3 high = low;
    for (int k = 1; k < h->nvert; ++k) {
      hfVec3 p = m3_tmulv(R, v3_load(h->vert + 3 * k));
      low = v3(min2(low.x, p.x), min2(low.y, p.y), min2(low.z, p.z));
      high = v3(max2(high.x, p.x), max2(high.y, p.y), max2(high.z, p.z));
    }
    hfVec3 centre = m3_mulv(R, v3_scale(0.5, v3_add(low, high)));
    v3_store(d->pos, v3_add(v3_load(written->pos), q_rotate(q, centre)));
    shape->fit(d->size, v3_scale(0.5, v3_sub(high, low)), 1);
  } else {
    shape->fit(d->size, hfi_inertia_box(mass->mass, moment), 0);
  }

  for (int k = 0; k < 3; ++k) d->size[k] *= d->fitscale;
}

// Writes the velocity field of a surface, which was given in the frame of `from`, in the frame that the geom has now.
static void move_surface_velocity(const hfGeomDef* from, hfGeomDef* d) {
  hfQuat q = q_load(from->quat);
  hfQuat back = q_conj(q_load(d->quat));
  hfVec3 w = q_rotate(q, v3_load(from->surface_velocity + 3));
  hfVec3 shift = v3_sub(v3_load(d->pos), v3_load(from->pos));
  hfVec3 u = v3_add(q_rotate(q, v3_load(from->surface_velocity)), v3_cross(w, shift));
  v3_store(d->surface_velocity, q_rotate(back, u));
  v3_store(d->surface_velocity + 3, q_rotate(back, w));
}

// Returns the definition of a geom at its final place: the centre of its mesh becomes its origin, and its surface
// velocity follows.
hfGeomDef hfi_finish_place(const hfiFinish* f, int id) {
  const hfGeomDef* written = &f->b->geom.data[id];
  hfGeomDef d = *written;
  if (d.mesh < 0) return d;

  hfVec3 shift = q_rotate(q_load(d.quat), f->mesh_mass[d.mesh].com);
  v3_store(d.pos, v3_add(v3_load(d.pos), shift));
  if (!hfi_shape_kinds[d.type].uses_mesh) fit_primitive(f, written, &d);
  move_surface_velocity(written, &d);

  return d;
}

// ---- geoms -----------------------------------------------------------------------------------------

// Radius of a ball about the geom's frame that contains a mesh or a height field; 0 for planes, which have no bounds,
// and for shapes of which hfi_derive computes it [m].
static double bounding_radius(const hfModel* m, const hfGeomDef* d) {
  const hfiShapeKind* shape = &hfi_shape_kinds[d->type];
  if (shape->uses_hfield) {
    hfiHeightField f = hfi_model_height_field(m, d->hfield);
    return v3_norm(v3(f.half[0], f.half[1], max2(f.base, f.highest)));
  }
  if (!shape->uses_mesh) return 0;

  const double* vert = hf_model_hull_vert(m) + 3 * hf_model_mesh_vertadr(m)[d->mesh];
  double radius = 0;
  for (int k = 0; k < hf_model_mesh_vertnum(m)[d->mesh]; ++k) radius = max2(radius, v3_norm(v3_load(vert + 3 * k)));
  return radius;
}

// Copies the definition d, which is placed, to geom i of the model.
static void fill_geom(hfModel* m, int i, const hfGeomDef* d) {
  hfi_set_geom_type(m)[i] = d->type;
  hfi_set_geom_mesh(m)[i] = hfi_shape_kinds[d->type].uses_mesh ? d->mesh : -1;
  hfi_set_geom_hfield(m)[i] = d->hfield;
  hfi_set_geom_contype(m)[i] = d->contype;
  hfi_set_geom_conaffinity(m)[i] = d->conaffinity;
  hfi_set_geom_condim(m)[i] = d->condim;
  hfi_set_geom_priority(m)[i] = d->priority;
  hfi_set_geom_group(m)[i] = d->group;

  memcpy(hfi_set_geom_pos(m) + 3 * i, d->pos, sizeof d->pos);
  memcpy(hfi_set_geom_quat(m) + 4 * i, d->quat, sizeof d->quat);
  memcpy(hfi_set_geom_size(m) + 3 * i, d->size, sizeof d->size);
  memcpy(hfi_set_geom_rgba(m) + 4 * i, d->rgba, sizeof d->rgba);
  hfi_set_geom_rbound(m)[i] = bounding_radius(m, d);

  // contact
  memcpy(hfi_set_geom_friction(m) + 3 * i, d->friction, sizeof d->friction);
  memcpy(hfi_set_geom_surface_velocity(m) + 6 * i, d->surface_velocity, sizeof d->surface_velocity);
  memcpy(hfi_set_geom_solref(m) + 2 * i, d->solref, sizeof d->solref);
  memcpy(hfi_set_geom_solimp(m) + 5 * i, d->solimp, sizeof d->solimp);
  hfi_set_geom_friction_dynamic(m)[i] = d->friction_dynamic;
  hfi_set_geom_margin(m)[i] = d->margin;
  hfi_set_geom_gap(m)[i] = d->gap;
  hfi_set_geom_solmix(m)[i] = d->solmix;
  hfi_set_geom_stiffness(m)[i] = d->stiffness;
  hfi_set_geom_dissipation(m)[i] = d->dissipation;
  hfi_set_geom_stiction_speed(m)[i] = d->stiction_speed;
  hfi_set_geom_tangential_stiffness(m)[i] = d->tangential_stiffness;
  hfi_set_geom_tangential_damping(m)[i] = d->tangential_damping;
  hfi_set_geom_restitution(m)[i] = d->restitution;
  hfi_set_geom_adhesion(m)[i] = d->adhesion;
}

// Copies the definition of site i of the model.
static void fill_site(hfiFinish* f, int i) {
  hfModel* m = f->m;
  const hfSiteDef* d = hfi_finish_def(f, HF_OBJECT_SITE, i);
  hfi_set_site_body(m)[i] = hfi_order_new(&f->order, HF_OBJECT_BODY, d->body);
  hfi_set_site_type(m)[i] = d->type;
  memcpy(hfi_set_site_pos(m) + 3 * i, d->pos, sizeof d->pos);
  memcpy(hfi_set_site_quat(m) + 4 * i, d->quat, sizeof d->quat);
  memcpy(hfi_set_site_size(m) + 3 * i, d->size, sizeof d->size);
}

// Copies pair i, with the values that it takes from its geoms.
static void fill_pair(hfiFinish* f, int i) {
  hfModel* m = f->m;
  const hfPairDef d = hfi_complete_pair(f->b, i);

  hfi_set_pair_geom(m)[2 * i] = hfi_order_new(&f->order, HF_OBJECT_GEOM, d.geom1);
  hfi_set_pair_geom(m)[2 * i + 1] = hfi_order_new(&f->order, HF_OBJECT_GEOM, d.geom2);

  hfi_set_pair_condim(m)[i] = d.condim;
  memcpy(hfi_set_pair_friction(m) + 5 * i, d.friction, sizeof d.friction);
  hfi_set_pair_margin(m)[i] = d.margin;
  hfi_set_pair_gap(m)[i] = d.gap;
  hfi_set_pair_adhesion(m)[i] = d.adhesion;
  memcpy(hfi_set_pair_solref(m) + 2 * i, d.solref, sizeof d.solref);
  memcpy(hfi_set_pair_solimp(m) + 5 * i, d.solimp, sizeof d.solimp);
}

// Fills geoms, sites, pairs and excluded pairs.
void hfi_finish_geoms(hfiFinish* f) {
  hfModel* m = f->m;
  for (int i = 0; i < m->ngeom; ++i) {
    hfGeomDef d = hfi_finish_place(f, hfi_order_old(&f->order, HF_OBJECT_GEOM, i));
    fill_geom(m, i, &d);
    hfi_finish_fluid(f, i, &d);
  }

  for (int i = 0; i < m->nsite; ++i) fill_site(f, i);
  for (int i = 0; i < m->npair; ++i) fill_pair(f, i);

  for (int i = 0; i < 2 * m->nexclude; ++i) {
    int body = f->b->exclude.data[i / 2].body[i % 2];
    hfi_set_exclude_body(m)[i] = hfi_order_new(&f->order, HF_OBJECT_BODY, body);
  }
}
