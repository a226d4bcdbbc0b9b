// Chooses the reader of a mesh file by its extension.
#include "io/mesh/mesh.h"

#include "base/error.h"
#include "io/xml/reader.h"

#include <stdlib.h>
#include <strings.h>

enum { MAX_MESH_BYTES = 1 << 30 };

typedef hfStatus meshReader(hfiTriMesh* mesh, const char* text, size_t size, const char* file, hfError* error);

// The reader of files with this extension, or NULL.
static meshReader* find_reader(const char* extension) {
  static const struct {
    const char* extension;
    meshReader* read;
  } readers[] = {{"stl", hfi_trimesh_read_stl},
                 {"obj", hfi_trimesh_read_obj},
                 {"msh", hfi_trimesh_read_msh},
                 {"ply", hfi_trimesh_read_ply},
                 {"dae", hfi_trimesh_read_dae},
                 {"gltf", hfi_trimesh_read_gltf},
                 {"glb", hfi_trimesh_read_gltf}};

  for (size_t i = 0; i < sizeof readers / sizeof *readers; ++i)
    if (strcasecmp(extension, readers[i].extension) == 0) return readers[i].read;
  return NULL;
}

// Reads a mesh file of any of these formats.
hfStatus hfi_trimesh_load(hfiTriMesh* mesh, const char* path, hfError* error) {
  if (!hfi_file_exists(path))
    return hfi_refuse(error, HF_ERROR_FILE,
                      "cannot read %s: there is no such file (--search FOLDER, search_path: look in more folders; "
                      "--skip-meshes, skip_meshes: leave such geoms out)",
                      path);

  const char* extension = hfi_extension(path);
  meshReader* read = find_reader(extension);
  if (!read)
    return hfi_refuse(error, HF_ERROR_UNSUPPORTED,
                      "%s: meshes are read from STL, OBJ, MSH, PLY, DAE and glTF, not from \"%s\"", path, extension);

  size_t size = 0;
  char* text = hfi_slurp(path, MAX_MESH_BYTES, &size, error);
  if (!text) return error ? error->status : HF_ERROR_FILE;
  hfStatus status = read(mesh, text, size, path, error);
  free(text);
  return status;
}
