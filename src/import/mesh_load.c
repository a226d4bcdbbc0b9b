// Chooses the reader of a mesh file by its extension.
#include "import/mesh.h"

#include "base/error.h"
#include "import/reader.h"

#include <stdlib.h>
#include <strings.h>

enum { MAX_MESH_BYTES = 1 << 30 };

hfStatus hfi_trimesh_load(hfiTriMesh* mesh, const char* path, hfError* error) {
  const char* extension = hfi_extension(path);
  if (!hfi_file_exists(path))
    return hfi_refuse(error, HF_ERROR_FILE, "cannot read %s: there is no such file (--search FOLDER, search_path: look in more folders; --skip-meshes, "
                      "skip_meshes: leave such geoms out)",
                      path);
  int stl = strcasecmp(extension, "stl") == 0, obj = strcasecmp(extension, "obj") == 0;
  if (!stl && !obj) {
    if (strcasecmp(extension, "dae") == 0 || strcasecmp(extension, "gltf") == 0 ||
        strcasecmp(extension, "glb") == 0)
      return hfi_trimesh_read_assimp(mesh, path, error);
    return hfi_refuse(error, HF_ERROR_UNSUPPORTED,
                      "%s: meshes are read from STL, OBJ, DAE and glTF, not from \"%s\"", path,
                      extension);
  }
  size_t size = 0;
  char* text = hfi_slurp(path, MAX_MESH_BYTES, &size, error);
  if (!text) return error ? error->status : HF_ERROR_FILE;
  hfStatus status =
      (stl ? hfi_trimesh_read_stl : hfi_trimesh_read_obj)(mesh, text, size, path, error);
  free(text);
  return status;
}
