// Reading DAE and glTF with assimp. The coordinates of Collada are taken as they stand in the file, whatever its up axis
// is, as ROS tools do. glTF is y-up by its specification and is turned to z-up: (x, y, z) -> (x, -z, y).
#include "import/mesh.h"

#include "base/error.h"
#include "import/reader.h"

#include <strings.h>

#ifdef HF_WITH_ASSIMP
#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>

static int copy_part(hfiTriMeshBuilder* b, const struct aiMesh* part, int y_up) {
  int32_t base = b->mesh.nvert;
  for (unsigned i = 0; i < part->mNumVertices; ++i) {
    struct aiVector3D p = part->mVertices[i];
    double v[3] = {p.x, y_up ? -p.z : p.y, y_up ? p.y : p.z};
    if (hfi_trimesh_add_vertex(b, v) != 0) return -1;
  }
  for (unsigned i = 0; i < part->mNumFaces; ++i) {
    const struct aiFace* f = &part->mFaces[i];
    if (f->mNumIndices != 3) continue; // points and lines
    if (hfi_trimesh_add_triangle(b, base + (int32_t)f->mIndices[0], base + (int32_t)f->mIndices[1],
                                 base + (int32_t)f->mIndices[2]) != 0)
      return -1;
  }
  return 0;
}

static const struct aiScene* import_scene(const char* path) {
  struct aiPropertyStore* properties = aiCreatePropertyStore();
  if (!properties) return NULL;
  aiSetImportPropertyInteger(properties, AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, 1);
  unsigned flags =
      aiProcess_Triangulate | aiProcess_PreTransformVertices | aiProcess_JoinIdenticalVertices;
  const struct aiScene* scene = aiImportFileExWithProperties(path, flags, NULL, properties);
  aiReleasePropertyStore(properties);
  return scene;
}

hfStatus hfi_trimesh_read_assimp(hfiTriMesh* mesh, const char* path, hfError* error) {
  const struct aiScene* scene = import_scene(path);
  if (!scene) return hfi_refuse(error, HF_ERROR_PARSE, "%s: %.200s", path, aiGetErrorString());
  int y_up = strcasecmp(hfi_extension(path), "dae") != 0;
  hfiTriMeshBuilder b = {0};
  hfStatus status = HF_OK;
  for (unsigned i = 0; i < scene->mNumMeshes && !status; ++i)
    if (copy_part(&b, scene->mMeshes[i], y_up) != 0)
      status = hfi_refuse(error, HF_ERROR_MEMORY, "%s: out of memory, or too large", path);
  aiReleaseImport(scene);
  if (!status && b.mesh.ntri == 0)
    status = hfi_refuse(error, HF_ERROR_PARSE, "%s: no triangles", path);
  if (!status)
    *mesh = b.mesh;
  else
    hfi_trimesh_builder_release(&b);
  return status;
}

#else

hfStatus hfi_trimesh_read_assimp(hfiTriMesh* mesh, const char* path, hfError* error) {
  (void)mesh;
  return hfi_refuse(error, HF_ERROR_UNSUPPORTED,
                    "%s: this build reads STL and OBJ only (HF_WITH_ASSIMP is off)", path);
}

#endif
