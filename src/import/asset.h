// Meshes on their way into the builder.
#ifndef HFI_IMPORT_ASSET_H
#define HFI_IMPORT_ASSET_H

#include "import/mesh.h"
#include "import/reader.h"

// What a model says about a mesh: a file, or points and faces in the model itself.
typedef struct hfiMeshSpec {
  const char *name, *where;
  const char* path;            // NULL: vertex and face below
  const double *vertex, *face; // face: indices as numbers, may be NULL
  int nvertex, nface;          // numbers in them, multiples of 3
  double scale[3], refpos[3], refquat[4];
  int inertia;       // hfMeshInertia
  int max_hull_vert; // > 3, else unlimited
} hfiMeshSpec;

hfiMeshSpec hfi_mesh_spec_default(void);

// Reads, transforms, hulls and adds it. The mesh id, or a status < 0 with a message in *error.
int hfi_mesh_add(hfiReader* reader, const hfiMeshSpec* spec, hfError* error);

// What to do when reader->scratch says why a geom has no mesh. A geom that is only drawn, or a
// missing file under config.skip_meshes, is left out with a warning (returns 1); anything else is
// refused (0).
int hfi_mesh_do_without(hfiReader* reader, const hfiElem* geom, int only_drawn);

#endif
