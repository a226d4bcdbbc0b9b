// Hulls, geoms, sites, contact pairs and inferred inertias.
//
// A mesh's hull is stored about the mesh's centre of mass, and the geoms that use it are moved there:
// the frame of a mesh geom is at the centre of its matter, as in MuJoCo.
#include "build/finish.h"
#include "build/fluid.h"
#include "math/inertia_box.h"

#include "math/eigen3.h"
#include "model/height_field.h"
#include "model/shape.h"

#include <string.h>

// ---- meshes --------------------------------------------------------------------------------------

static void store_hull(hfModel* m, int i, const hfiHullData* h, hfVec3 centre) {
  int v = hf_model_mesh_vertadr(m)[i], fa = hf_model_mesh_faceadr(m)[i];
  for (int k = 0; k < h->nvert; ++k)
    v3_store(hfi_set_hull_vert(m) + 3 * (v + k), v3_sub(v3_load(h->vert + 3 * k), centre));
  for (int k = 0; k < h->nface; ++k) {
    double* plane = hfi_set_hull_faceplane(m) + 4 * (fa + k);
    memcpy(plane, h->face_plane + 4 * k, 4 * sizeof *plane);
    plane[3] -= v3_dot(v3_load(plane), centre);
  }
  memcpy(hfi_set_hull_facestart(m) + fa + i, h->face_start,
         sizeof *h->face_start * (size_t)(h->nface + 1));
  memcpy(hfi_set_hull_edgestart(m) + v + i, h->edge_start,
         sizeof *h->edge_start * (size_t)(h->nvert + 1));
  memcpy(hfi_set_hull_facevert(m) + hf_model_mesh_facevertadr(m)[i], h->face_vert,
         sizeof *h->face_vert * (size_t)h->face_start[h->nface]);
  memcpy(hfi_set_hull_edgevert(m) + hf_model_mesh_edgeadr(m)[i], h->edge_vert,
         sizeof *h->edge_vert * (size_t)h->edge_start[h->nvert]);
}

static void store_surface(hfModel* m, int i, const hfMeshDef* d, hfVec3 centre, int* vert,
                          int* tri) {
  hfi_set_mesh_surfvertadr(m)[i] = *vert, hfi_set_mesh_surfvertnum(m)[i] = d->nvert;
  hfi_set_mesh_surftriadr(m)[i] = *tri, hfi_set_mesh_surftrinum(m)[i] = d->ntri;
  float* v = hfi_set_surf_vert(m) + 3 * *vert;
  for (int k = 0; k < d->nvert; ++k, v += 3) {
    hfVec3 p = v3_sub(v3_load(d->vert + 3 * k), centre);
    v[0] = (float)p.x, v[1] = (float)p.y, v[2] = (float)p.z;
  }
  if (d->ntri) memcpy(hfi_set_surf_tri(m) + 3 * *tri, d->tri, sizeof *d->tri * 3 * (size_t)d->ntri);
  *vert += d->nvert, *tri += d->ntri;
}

hfStatus hfi_finish_meshes(hfiFinish* f, hfError* error) {
  hfModel* m = f->m;
  int vert = 0, face = 0, facevert = 0, edge = 0, surfvert = 0, surftri = 0;
  for (int i = 0; i < m->nmesh; ++i) {
    const hfiMesh* mesh = &f->b->mesh.data[i];
    hfStatus status = hfi_mesh_mass(&mesh->def, &f->mesh_mass[i], error);
    if (status != HF_OK) return status;
    const hfiHullData* h = &mesh->hull;
    hfi_set_mesh_vertadr(m)[i] = vert, hfi_set_mesh_vertnum(m)[i] = h->nvert;
    hfi_set_mesh_faceadr(m)[i] = face, hfi_set_mesh_facenum(m)[i] = h->nface;
    hfi_set_mesh_facevertadr(m)[i] = facevert, hfi_set_mesh_edgeadr(m)[i] = edge;
    store_hull(m, i, h, f->mesh_mass[i].com);
    store_surface(m, i, &mesh->def, f->mesh_mass[i].com, &surfvert, &surftri);
    vert += h->nvert, face += h->nface, facevert += h->face_start[h->nface],
        edge += h->edge_start[h->nvert];
  }
  return HF_OK;
}

// ---- height fields -------------------------------------------------------------------------------

void hfi_finish_height_fields(hfiFinish* f) {
  hfModel* m = f->m;
  int height = 0, tri = 0;
  for (int i = 0; i < m->nhfield; ++i) {
    const hfHeightFieldDef* d = &f->b->hfield.data[i];
    double* range = hfi_set_hfield_range(m) + 2 * i;
    int count = d->nrow * d->ncol;
    hfi_set_hfield_nrow(m)[i] = d->nrow, hfi_set_hfield_ncol(m)[i] = d->ncol;
    hfi_set_hfield_adr(m)[i] = height, hfi_set_hfield_regionadr(m)[i] = tri;
    v3_store(hfi_set_hfield_size(m) + 3 * i, v3(d->half_size[0], d->half_size[1], d->base));
    memcpy(hfi_set_hfield_height(m) + height, d->height, sizeof *d->height * (size_t)count);
    hfi_hfield_range(d->height, count, range);
    hfiHeightField view = hfi_model_height_field(m, i);
    hfi_hfield_regions(&view, hfi_set_hfield_region(m) + tri);
    height += count, tri += hfi_hfield_triangles(d->nrow, d->ncol);
  }
}

// ---- geoms ---------------------------------------------------------------------------------------

// Writes the velocity field of a surface, which was given in the frame of `from`, in the frame that the geom has now.
static void move_surface_velocity(const hfGeomDef* from, hfGeomDef* d) {
  hfQuat q = q_load(from->quat), back = q_conj(q_load(d->quat));
  hfVec3 w = q_rotate(q, v3_load(from->surface_velocity + 3)), shift = v3_sub(v3_load(d->pos), v3_load(from->pos));
  hfVec3 u = v3_add(q_rotate(q, v3_load(from->surface_velocity)), v3_cross(w, shift));
  v3_store(d->surface_velocity, q_rotate(back, u));
  v3_store(d->surface_velocity + 3, q_rotate(back, w));
}

// The definition with mesh geoms moved to the mesh's centre and fitted primitives given a size.
static hfGeomDef fit_geom(const hfiFinish* f, int id) {
  hfGeomDef d = f->b->geom.data[id];
  if (d.mesh < 0) return d;
  const hfiMass* mass = &f->mesh_mass[d.mesh];
  hfQuat q = q_load(d.quat);
  v3_store(d.pos, v3_add(v3_load(d.pos), q_rotate(q, mass->com)));
  const hfiShapeKind* shape = &hfi_shape_kinds[d.type];
  if (shape->uses_mesh) return d;
  double moment[3];
  hfMat3 R;
  eigen3(mass->I, moment, &R); // The moments descend, so the last axis is the longest.
  hfQuat axes = principal_axes(mass->I); // the same axes, with MuJoCo's signs
  R = m3_from_quat(axes);
  q_store(d.quat, q_mul(q, axes));
  if (d.mesh_fit == 2) { // the box around the vertices, along the principal axes
    const hfiHullData* h = &f->b->mesh.data[d.mesh].hull;
    hfVec3 lo = m3_tmulv(R, v3_load(h->vert)), hi = lo;
    for (int k = 1; k < h->nvert; ++k) {
      hfVec3 p = m3_tmulv(R, v3_load(h->vert + 3 * k));
      lo = v3(min2(lo.x, p.x), min2(lo.y, p.y), min2(lo.z, p.z));
      hi = v3(max2(hi.x, p.x), max2(hi.y, p.y), max2(hi.z, p.z));
    }
    hfVec3 centre = m3_mulv(R, v3_scale(0.5, v3_add(lo, hi)));
    v3_store(d.pos, v3_add(v3_load(f->b->geom.data[id].pos), q_rotate(q, centre)));
    shape->fit(d.size, v3_scale(0.5, v3_sub(hi, lo)), 1);
  } else
    shape->fit(d.size, hfi_inertia_box(mass->mass, moment), 0);
  for (int k = 0; k < 3; ++k) d.size[k] *= d.fitscale;
  return d;
}

static hfGeomDef placed_geom(const hfiFinish* f, int id) {
  hfGeomDef d = fit_geom(f, id);
  if (d.mesh >= 0) move_surface_velocity(&f->b->geom.data[id], &d);
  return d;
}

// Radius of a ball about the geom's frame that contains a mesh or a height field; 0 for planes, which have no bounds, and for shapes of which hfi_derive
// computes it.
static double bounding_radius(const hfModel* m, const hfGeomDef* d) {
  const hfiShapeKind* shape = &hfi_shape_kinds[d->type];
  if (shape->uses_hfield) {
    hfiHeightField f = hfi_model_height_field(m, d->hfield);
    return v3_norm(v3(f.half[0], f.half[1], max2(f.base, f.highest)));
  }
  if (!shape->uses_mesh) return 0;
  const double* v = hf_model_hull_vert(m) + 3 * hf_model_mesh_vertadr(m)[d->mesh];
  double r = 0;
  for (int k = 0; k < hf_model_mesh_vertnum(m)[d->mesh]; ++k)
    r = max2(r, v3_norm(v3_load(v + 3 * k)));
  return r;
}

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
  memcpy(hfi_set_geom_friction(m) + 3 * i, d->friction, sizeof d->friction);
  memcpy(hfi_set_geom_surface_velocity(m) + 6 * i, d->surface_velocity, sizeof d->surface_velocity);
  memcpy(hfi_set_geom_solref(m) + 2 * i, d->solref, sizeof d->solref);
  memcpy(hfi_set_geom_solimp(m) + 5 * i, d->solimp, sizeof d->solimp);
  memcpy(hfi_set_geom_rgba(m) + 4 * i, d->rgba, sizeof d->rgba);
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
  hfi_set_geom_rbound(m)[i] = bounding_radius(m, d);
}

static void fill_pair(hfiFinish* f, int i) {
  hfModel* m = f->m;
  const hfPairDef d = hfi_complete_pair(f->b, i);
  hfi_set_pair_geom(m)[2 * i] = f->order.new_geom[d.geom1], hfi_set_pair_geom(m)[2 * i + 1] = f->order.new_geom[d.geom2];
  hfi_set_pair_condim(m)[i] = d.condim;
  memcpy(hfi_set_pair_friction(m) + 5 * i, d.friction, sizeof d.friction);
  hfi_set_pair_margin(m)[i] = d.margin;
  hfi_set_pair_gap(m)[i] = d.gap;
  hfi_set_pair_adhesion(m)[i] = d.adhesion;
  memcpy(hfi_set_pair_solref(m) + 2 * i, d.solref, sizeof d.solref);
  memcpy(hfi_set_pair_solimp(m) + 5 * i, d.solimp, sizeof d.solimp);
}

void hfi_finish_geoms(hfiFinish* f) {
  hfModel* m = f->m;
  for (int i = 0; i < m->ngeom; ++i) {
    hfGeomDef d = placed_geom(f, f->order.geom_of[i]);
    fill_geom(m, i, &d);
    hfi_finish_fluid(f, i, &d);
  }
  for (int i = 0; i < m->nsite; ++i) {
    const hfSiteDef* d = &f->b->site.data[f->order.site_of[i]];
    hfi_set_site_body(m)[i] = f->order.new_body[d->body];
    hfi_set_site_type(m)[i] = d->type;
    memcpy(hfi_set_site_pos(m) + 3 * i, d->pos, sizeof d->pos);
    memcpy(hfi_set_site_quat(m) + 4 * i, d->quat, sizeof d->quat);
    memcpy(hfi_set_site_size(m) + 3 * i, d->size, sizeof d->size);
  }
  for (int i = 0; i < m->npair; ++i) fill_pair(f, i);
  for (int i = 0; i < m->nexclude; ++i)
    for (int k = 0; k < 2; ++k)
      hfi_set_exclude_body(m)[2 * i + k] = f->order.new_body[f->b->exclude.data[i].body[k]];
}

// ---- inertias ------------------------------------------------------------------------------------

// The mass of a geom if its group counts, otherwise zero. *d: the geom at its final place.
static hfiMass inferred_geom_mass(const hfiFinish* f, int id, hfGeomDef* d) {
  const hfGeomDef* written = &f->b->geom.data[id];
  const hfiShapeKind* shape = &hfi_shape_kinds[written->type];
  const hfBuildConfig* rules = hfi_builder_rules(f->b, written->body);
  if (!(shape->uses_mesh || shape->solid) || written->group < rules->inertia_group_min || written->group > rules->inertia_group_max)
    return (hfiMass){0};
  *d = shape->uses_mesh ? *written : placed_geom(f, id);
  return hfi_geom_mass(d, shape->uses_mesh ? &f->mesh_mass[d->mesh] : NULL);
}

// The sum over the body's geoms. *axes: if only one geom has mass, the inertial frame is that of this geom; otherwise zero.
static hfiMass infer_mass(const hfiFinish* f, int body, hfQuat* axes) {
  static const double NO_MASS = 1e-14; // A geom with less mass does not count for the inertial frame, as in MuJoCo [kg].
  const hfModel* m = f->m;
  hfiMass total = {0};
  int heavy = 0;
  for (int k = 0; k < hf_model_body_geomnum(m)[body]; ++k) {
    hfGeomDef d;
    hfiMass one = inferred_geom_mass(f, f->order.geom_of[hf_model_body_geomadr(m)[body] + k], &d);
    if (one.mass == 0) continue;
    total = hfi_mass_add(&total, &one);
    if (one.mass <= NO_MASS) continue;
    *axes = q_load(d.quat);
    if (hfi_shape_kinds[d.type].uses_mesh) *axes = q_mul(*axes, principal_axes(f->mesh_mass[d.mesh].I));
    ++heavy;
  }
  if (heavy != 1) *axes = (hfQuat){0};
  return total;
}

// Applies lower bounds and the triangle inequality A + B >= C of principal moments. If the moments change, the principal axes stay the same, also
// between moments that become equal.
static hfStatus repair_mass(const hfBuildConfig* c, const hfBodyDef* d, hfiMass* mass, hfQuat* axes, hfError* error) {
  if (c->bound_mass > 0) mass->mass = max2(mass->mass, c->bound_mass);
  double moment[3];
  hfMat3 R;
  eigen3(mass->I, moment, &R);
  int changed = 0;
  for (int i = 0; i < 3; ++i)
    if (c->bound_inertia > 0 && moment[i] < c->bound_inertia)
      moment[i] = c->bound_inertia, changed = 1;
  // slack for rounding in files that are written with few digits
  if (moment[1] + moment[2] < moment[0] * (1 - 1e-6)) {
    if (!c->balance_inertia)
      return hfi_refuse_def(error, d->where, HF_OBJECT_BODY, d->name,
                            "principal moments %g %g %g violate A + B >= C", moment[0], moment[1],
                            moment[2]);
    moment[0] = moment[1] = moment[2] = (moment[0] + moment[1] + moment[2]) / 3;
    changed = 1;
  }
  if (changed) {
    double diagonal[6] = {moment[0], moment[1], moment[2], 0, 0, 0};
    if (!is_principal(*axes, mass->I)) *axes = principal_axes(mass->I);
    sym3_rotate(R, diagonal, mass->I);
  }
  return HF_OK;
}

static void scale_total_mass(hfModel* m, double total) {
  double sum = 0;
  for (int b = 0; b < m->nbody; ++b) sum += hf_model_body_mass(m)[b];
  if (!(sum > 0)) return;
  for (int b = 0; b < m->nbody; ++b) {
    hfi_set_body_mass(m)[b] *= total / sum;
    for (int i = 0; i < 6; ++i) hfi_set_body_inertia(m)[6 * b + i] *= total / sum;
  }
}

hfStatus hfi_finish_inertias(hfiFinish* f, hfError* error) {
  hfModel* m = f->m;
  for (int b = 0; b < m->nbody; ++b) {
    const hfBodyDef* d = &f->b->body.data[f->order.body_of[b]];
    hfiMass mass = {d->mass, v3_load(d->com), {0}};
    hfQuat axes = q_load(d->inertia_quat);
    memcpy(mass.I, d->inertia, sizeof mass.I);
    const hfBuildConfig* rules = hfi_builder_rules(f->b, f->order.body_of[b]);
    int from_geom = rules->inertia_from_geom;
    if (b && (from_geom == 1 || (from_geom < 0 && !d->has_inertial))) {
      hfQuat geom_axes = {0};
      hfiMass of_geoms = infer_mass(f, b, &geom_axes);
      if (of_geoms.mass > 0 || !d->has_inertial) mass = of_geoms, axes = geom_axes; // A body whose geoms have no mass keeps the inertia that it was given.
    }
    // The inertial frame of a body without mass matters only to sensors and to the inverse masses of soft contacts and equalities. As in MuJoCo it is
    // the pose of the body in its parent.
    if (b && mass.mass == 0 && !d->has_inertial) mass.com = v3_load(d->pos), axes = q_load(d->quat);
    if (b) {
      hfStatus status = repair_mass(rules, d, &mass, &axes, error);
      if (status != HF_OK) return status;
    }
    hfi_set_body_mass(m)[b] = mass.mass;
    v3_store(hfi_set_body_com(m) + 3 * b, mass.com);
    memcpy(hfi_set_body_inertia(m) + 6 * b, mass.I, sizeof mass.I);
    q_store(hfi_set_body_iquat(m) + 4 * b, axes);
  }
  if (f->b->config.total_mass > 0) scale_total_mass(m, f->b->config.total_mass);
  return HF_OK;
}
