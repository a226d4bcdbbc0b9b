// MSH, MuJoCo's own old format, little-endian:
//
//   int32 nvertex, nnormal, ntexcoord, nface; float32 vertex[3 nvertex], normal[3 nnormal], texcoord[2 ntexcoord]; int32 face[3 nface]
//
// Normals and texture coordinates are not used.
#include "io/mesh/mesh.h"

#include "base/error.h"
#include "io/mesh/little_endian.h"

#include <math.h>

enum { HEADER = 16 };

typedef struct MshCounts {
  int64_t vertex, normal, texcoord, face;
} MshCounts;

static int64_t get_count(const char* p) { return (int32_t)hfi_get_u32(p); }

// Reads the counts. Refuses counts that do not fit the size of the file.
static hfStatus read_counts(const char* text, size_t size, const char* file, MshCounts* n, hfError* error) {
  if (size < HEADER) return hfi_refuse(error, HF_ERROR_PARSE, "%s: %zu bytes are too few for an MSH file", file, size);
  *n = (MshCounts){get_count(text), get_count(text + 4), get_count(text + 8), get_count(text + 12)};

  int is_negative = n->vertex < 0 || n->normal < 0 || n->texcoord < 0 || n->face < 0;
  if (is_negative || (int64_t)size != HEADER + 4 * (3 * n->vertex + 3 * n->normal + 2 * n->texcoord + 3 * n->face))
    return hfi_refuse(error, HF_ERROR_PARSE,
                      "%s: its size does not fit %lld vertices, %lld normals, %lld texture coordinates and %lld faces", file,
                      (long long)n->vertex, (long long)n->normal, (long long)n->texcoord, (long long)n->face);
  if (n->vertex > HFI_TRIMESH_MAX_VERTICES || n->face > HFI_TRIMESH_MAX_TRIANGLES)
    return hfi_refuse(error, HF_ERROR_PARSE, "%s: more than %d vertices or %d triangles", file, HFI_TRIMESH_MAX_VERTICES,
                      HFI_TRIMESH_MAX_TRIANGLES);
  return HF_OK;
}

// Reads the vertices, which begin at `at`.
static hfStatus read_vertices(hfiTriMeshBuilder* b, const char* at, const MshCounts* n, const char* file,
                              hfError* error) {
  for (int64_t i = 0; i < n->vertex; ++i, at += 12) {
    const double v[3] = {hfi_get_float(at), hfi_get_float(at + 4), hfi_get_float(at + 8)};
    if (!isfinite(v[0]) || !isfinite(v[1]) || !isfinite(v[2]))
      return hfi_refuse(error, HF_ERROR_NONFINITE, "%s: vertex %lld: a coordinate is not finite", file, (long long)i);
    if (hfi_trimesh_add_vertex(b, v) != 0) return hfi_refuse(error, HF_ERROR_MEMORY, "%s: out of memory", file);
  }
  return HF_OK;
}

// Reads the faces, which begin at `at`.
static hfStatus read_faces(hfiTriMeshBuilder* b, const char* at, const MshCounts* n, const char* file, hfError* error) {
  for (int64_t i = 0; i < n->face; ++i, at += 12) {
    int64_t v[3] = {get_count(at), get_count(at + 4), get_count(at + 8)};
    for (int k = 0; k < 3; ++k)
      if (v[k] < 0 || v[k] >= n->vertex)
        return hfi_refuse(error, HF_ERROR_PARSE, "%s: face %lld names vertex %lld of %lld", file, (long long)i, (long long)v[k],
                          (long long)n->vertex);

    if (hfi_trimesh_add_triangle(b, (int32_t)v[0], (int32_t)v[1], (int32_t)v[2]) != 0)
      return hfi_refuse(error, HF_ERROR_MEMORY, "%s: out of memory", file);
  }
  return HF_OK;
}

hfStatus hfi_trimesh_read_msh(hfiTriMesh* mesh, const char* text, size_t size, const char* file, hfError* error) {
  hfiTriMeshBuilder b = {0};
  MshCounts n = {0};
  hfStatus status = read_counts(text, size, file, &n, error);
  if (status == HF_OK) status = read_vertices(&b, text + HEADER, &n, file, error);
  if (status == HF_OK)
    status = read_faces(&b, text + HEADER + 4 * (3 * n.vertex + 3 * n.normal + 2 * n.texcoord), &n, file, error);
  return hfi_trimesh_finish(&b, mesh, status);
}
