// Adding the meshes of a model file to the builder.
#ifndef HFI_IMPORT_ASSET_H
#define HFI_IMPORT_ASSET_H

#include "io/mesh/mesh.h"
#include "io/xml/reader.h"

// What a model says about a mesh: a file, or points and faces in the model itself.
typedef struct hfiMeshSpec {
  const char *name, *where;
  const char* path;            // path of the mesh file; NULL: the points are in vertex and face
  const double *vertex, *face; // coordinates of points; indices of the triangles' corners, or NULL
  int nvertex, nface;          // how many numbers the two have, multiples of 3
  double scale[3], refpos[3], refquat[4];
  int inertia;       // hfMeshInertia
  int max_hull_vert; // largest number of vertices of the hull if above 3; otherwise there is no limit
  // 1: of an OBJ file with several objects only the triangles of the first count, but the points of all, as in MuJoCo.
  int first_object;
} hfiMeshSpec;

hfiMeshSpec hfi_mesh_spec_default(void);

// Reads the mesh, transforms it, computes its hull and adds it. Returns the mesh id, or a status < 0 with a message in
// *error.
int hfi_mesh_add(hfiReader* reader, const hfiMeshSpec* spec, hfError* error);

// Decides what happens to a geom whose mesh cannot be loaded; reader->scratch says why. A geom that is only drawn is
// left out with a note, and with config.skip_meshes a geom whose file is missing is left out with a warning: returns 1.
// Otherwise the model is refused: returns 0.
int hfi_mesh_do_without(hfiReader* reader, const hfiElem* geom, int only_drawn);

// Whether a geom of URDF or SDFormat is left out because it has no size: if it is only drawn, one size of zero is
// enough, with a note; if it collides (contype), all have to be, with a warning. Robots have such points in links
// without meaning.
int hfi_leave_out_point(hfiReader* reader, const hfiElem* elem, const hfGeomDef* geom);

#endif
