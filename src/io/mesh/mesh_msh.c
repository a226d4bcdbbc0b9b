// MSH, MuJoCo's own old format, little-endian:
//
//   int32 nvertex, nnormal, ntexcoord, nface;
//   float32 vertex[3 nvertex], normal[3 nnormal], texcoord[2 ntexcoord];
//   int32 face[3 nface]
//
// Normals and texture coordinates are not used. b: the mesh that is built, n: the four counts.
#include "io/mesh/mesh.h"

#include "base/error.h"
#include "io/mesh/little_endian.h"

#include <math.h>

enum { HEADER_BYTES = 16, TRIPLE_BYTES = 12 }; // a triple: three numbers of 4 bytes

typedef struct MshCounts {
  int64_t vertex, normal, texcoord, face;
} MshCounts;

static int64_t get_count(const char* p) { return (int32_t)hfi_get_u32(p); }

// Reads the counts. Refuses counts that do not fit the size of the file.
static hfStatus read_counts(const char* text, size_t size, const char* file, MshCounts* n, hfError* error) {
  if (size < HEADER_BYTES)
    return hfi_refuse(error, HF_ERROR_PARSE, "%s: %zu bytes are too few for an MSH file", file, size);
  *n = (MshCounts){get_count(text), get_count(text + 4), get_count(text + 8), get_count(text + 12)};

  int is_negative = n->vertex < 0 || n->normal < 0 || n->texcoord < 0 || n->face < 0;
  int64_t wanted = HEADER_BYTES + 4 * (3 * n->vertex + 3 * n->normal + 2 * n->texcoord + 3 * n->face);
  if (is_negative || (int64_t)size != wanted)
    return hfi_refuse(error, HF_ERROR_PARSE,
                      "%s: its size does not fit %lld vertices, %lld normals, %lld texture coordinates and %lld faces",
                      file, (long long)n->vertex, (long long)n->normal, (long long)n->texcoord, (long long)n->face);
  if (n->vertex > HFI_TRIMESH_MAX_VERTICES || n->face > HFI_TRIMESH_MAX_TRIANGLES)
    return hfi_refuse(error, HF_ERROR_PARSE, "%s: more than %d vertices or %d triangles", file,
                      HFI_TRIMESH_MAX_VERTICES, HFI_TRIMESH_MAX_TRIANGLES);
  return HF_OK;
}

// Reads the vertices from the bytes where they begin.
static hfStatus read_vertices(hfiTriMeshBuilder* b, const char* bytes, const MshCounts* n, const char* file,
                              hfError* error) {
  for (int64_t i = 0; i < n->vertex; ++i, bytes += TRIPLE_BYTES) {
    const double v[3] = {hfi_get_float(bytes), hfi_get_float(bytes + 4), hfi_get_float(bytes + 8)};
    if (!isfinite(v[0]) || !isfinite(v[1]) || !isfinite(v[2]))
      return hfi_refuse(error, HF_ERROR_NONFINITE, "%s: vertex %lld: a coordinate is not finite", file, (long long)i);
    if (hfi_trimesh_add_vertex(b, v) != 0) return hfi_refuse(error, HF_ERROR_MEMORY, "%s: out of memory", file);
  }
  return HF_OK;
}

// Reads the faces from the bytes where they begin.
static hfStatus read_faces(hfiTriMeshBuilder* b, const char* bytes, const MshCounts* n, const char* file,
                           hfError* error) {
  for (int64_t i = 0; i < n->face; ++i, bytes += TRIPLE_BYTES) {
    int64_t v[3] = {get_count(bytes), get_count(bytes + 4), get_count(bytes + 8)};
    for (int k = 0; k < 3; ++k)
      if (v[k] < 0 || v[k] >= n->vertex)
        return hfi_refuse(error, HF_ERROR_PARSE, "%s: face %lld names vertex %lld of %lld", file, (long long)i,
                          (long long)v[k], (long long)n->vertex);

    if (hfi_trimesh_add_triangle(b, (int32_t)v[0], (int32_t)v[1], (int32_t)v[2]) != 0)
      return hfi_refuse(error, HF_ERROR_MEMORY, "%s: out of memory", file);
  }
  return HF_OK;
}

// Reads an MSH file.
hfStatus hfi_trimesh_read_msh(hfiTriMesh* mesh, const char* text, size_t size, const char* file, hfError* error) {
  hfiTriMeshBuilder b = {0};
  MshCounts n = {0};
  hfStatus status = read_counts(text, size, file, &n, error);
  int64_t faces = HEADER_BYTES + 4 * (3 * n.vertex + 3 * n.normal + 2 * n.texcoord);
  if (status == HF_OK) status = read_vertices(&b, text + HEADER_BYTES, &n, file, error);
  if (status == HF_OK) status = read_faces(&b, text + faces, &n, file, error);
  return hfi_trimesh_finish(&b, mesh, status);
}
