// Adds a mesh to the builder: reads it, transforms it by v <- scale R^T (v - p), and computes its hull.
//
// r: the reader of the model, s: what the model says about the mesh, b: the mesh that is built.
#include "io/mesh/asset.h"

#include "base/error.h"

#include "model/shape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A mesh without points, with the defaults of MJCF.
hfiMeshSpec hfi_mesh_spec_default(void) {
  hfiMeshSpec s = {.scale = {1, 1, 1},
                   .refquat = {1, 0, 0, 0},
                   .inertia = HF_MESH_INERTIA_LEGACY,
                   .max_hull_vert = -1};
  return s;
}

// Makes a mesh of the points and faces that stand in the model itself.
static hfStatus copy_inline(hfiTriMesh* mesh, const hfiMeshSpec* s, hfError* error) {
  enum { LEAST_NUMBERS = 3 * 4 }; // of four points
  if (s->nvertex % 3 || s->nvertex < LEAST_NUMBERS)
    return hfi_refuse(error, HF_ERROR_PARSE, "vertex: %d numbers do not make at least 4 points", s->nvertex);
  if (s->nface % 3) return hfi_refuse(error, HF_ERROR_PARSE, "face: %d indices do not make triangles", s->nface);

  hfiTriMeshBuilder b = {0};
  hfStatus status = HF_OK;
  int failed = 0;
  for (int i = 0; i < s->nvertex && !failed; i += 3) failed = hfi_trimesh_add_vertex(&b, s->vertex + i);

  // triangles, whose corners are whole numbers of vertices
  for (int i = 0; i < s->nface && !failed && !status; i += 3) {
    const double* corner = s->face + i;
    for (int k = 0; k < 3; ++k)
      if (corner[k] != floor(corner[k]) || corner[k] < 0 || corner[k] >= b.mesh.nvert)
        status = hfi_refuse(error, HF_ERROR_PARSE, "face %d: %g is not one of %d vertices", i / 3, corner[k],
                            (int)b.mesh.nvert);
    if (!status) failed = hfi_trimesh_add_triangle(&b, (int32_t)corner[0], (int32_t)corner[1], (int32_t)corner[2]);
  }

  if (failed) status = hfi_refuse(error, HF_ERROR_MEMORY, "out of memory, or too large");
  if (status)
    hfi_trimesh_builder_release(&b);
  else
    *mesh = b.mesh;
  return status;
}

// Adds a mesh to the builder. Returns its id or a status < 0.
static int add_to_builder(hfiReader* r, const hfiTriMesh* mesh, const hfiMeshSpec* s, hfError* error) {
  hfMeshDef def = {.name = s->name,
                   .where = s->where,
                   .nvert = mesh->nvert,
                   .ntri = mesh->ntri,
                   .vert = mesh->vert,
                   .tri = mesh->tri,
                   .nhulltri = mesh->nhulltri,
                   .hulltri = mesh->hulltri,
                   .inertia = s->inertia,
                   .max_hull_vert = s->max_hull_vert > 3 ? s->max_hull_vert : 0};
  return hf_builder_add_mesh(r->builder, &def, error);
}

// Reads the mesh, transforms it, computes its hull and adds it. Returns its id, or a status < 0 with a message in
// *error.
int hfi_mesh_add(hfiReader* r, const hfiMeshSpec* s, hfError* error) {
  hfiTriMesh mesh = {0};
  const char* what = s->name ? s->name : "mesh";
  if (s->path) what = s->path;

  hfStatus status = s->path ? hfi_trimesh_load(&mesh, s->path, error) : copy_inline(&mesh, s, error);
  if (!status && s->first_object && mesh.nfirst > 0) mesh.ntri = mesh.nfirst;
  if (!status) status = hfi_trimesh_transform(&mesh, s->scale, s->refpos, s->refquat, what, error);
  if (!status) status = hfi_trimesh_hull(&mesh, s->max_hull_vert, what, error);
  int id = status ? (int)status : add_to_builder(r, &mesh, s, error);
  hfi_trimesh_release(&mesh);
  return id;
}

// Whether a geom d of URDF or SDFormat is left out, with a note, because it has no size: if one size of a geom that is
// only drawn is zero, or all sizes of one that collides.
int hfi_leave_out_point(hfiReader* r, const hfiElem* elem, const hfGeomDef* d) {
  const hfiUrdfSize* item = hfi_shape_kinds[d->type].urdf;
  int collides = d->contype != 0;
  int sizes = 0;
  int zeros = 0;
  for (int k = 0; k < 3 && item[k].attribute; ++k) sizes += item[k].count;
  for (int k = 0; k < sizes; ++k) zeros += d->size[k] == 0;

  int has_no_size = zeros > 0 && (!collides || zeros == sizes);
  if (r->status || !has_no_size) return 0;

  if (collides)
    hfi_note(r, elem, HF_WARNING, "geom left out, it has the size zero");
  else
    hfi_note(r, elem, HF_NOTE, "geom left out, it is only drawn and has the size zero");
  return 1;
}

// Decides about a geom whose mesh cannot be loaded, as r->scratch says: returns 1 if it is left out, with a note, or 0
// if the model is refused.
int hfi_mesh_do_without(hfiReader* r, const hfiElem* geom, int only_drawn) {
  hfStatus why = r->scratch.status;
  int leave_out = why != HF_ERROR_MEMORY && (only_drawn || r->config.skip_meshes);
  if (!leave_out) {
    hfi_keep(r, geom, why);
    return 0;
  }

  if (only_drawn)
    hfi_note_first(r, geom, HF_NOTE, "geom left out, it is only drawn", r->scratch.message);
  else
    hfi_note(r, geom, HF_WARNING, "geom left out, it neither collides nor has mass now: %s", r->scratch.message);
  return 1;
}
