// Building a mesh vertex by vertex, joining equal vertices, and transforming a mesh as its asset asks.
//
// b: the mesh that is built.
#include "io/mesh/mesh.h"

#include "base/error.h"
#include "io/xml/reader.h"
#include "math/vec3.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

// Larger coordinates [m] are surely a mistake of units, and their fifth powers, which inertias need, would overflow.
static const double MAX_COORDINATE = 1e9;

void hfi_trimesh_release(hfiTriMesh* mesh) {
  free(mesh->vert);
  free(mesh->tri);
  free(mesh->hulltri);
  memset(mesh, 0, sizeof *mesh);
}

void hfi_trimesh_builder_release(hfiTriMeshBuilder* b) {
  hfi_trimesh_release(&b->mesh);
  free(b->slot);
  memset(b, 0, sizeof *b);
}

// Hands the mesh over if `status` is HF_OK, and releases everything else. Returns the status.
hfStatus hfi_trimesh_finish(hfiTriMeshBuilder* b, hfiTriMesh* mesh, hfStatus status) {
  if (status == HF_OK) {
    *mesh = b->mesh;
    memset(&b->mesh, 0, sizeof b->mesh);
  }
  hfi_trimesh_builder_release(b);
  return status;
}

// ---- construction -------------------------------------------------------------------------------

// Makes room for one more item of `width` bytes. Returns -1 if there is no memory or the limit is reached.
static int grow(void** array, int32_t* capacity, int32_t count, int32_t limit, size_t width) {
  if (count < *capacity) return 0;
  if (count >= limit) return -1;
  int32_t wanted = *capacity ? 2 * *capacity : 256;
  void* bigger = realloc(*array, (size_t)wanted * width);
  if (!bigger) return -1;
  *array = bigger;
  *capacity = wanted;
  return 0;
}

// Appends a vertex. Returns -1 if there is no room.
int hfi_trimesh_add_vertex(hfiTriMeshBuilder* b, const double v[3]) {
  void* array = b->mesh.vert;
  int failed = grow(&array, &b->vert_capacity, b->mesh.nvert, HFI_TRIMESH_MAX_VERTICES, 3 * sizeof(double));
  b->mesh.vert = array;
  if (failed) return -1;
  memcpy(b->mesh.vert + 3 * (size_t)b->mesh.nvert, v, 3 * sizeof(double));
  ++b->mesh.nvert;
  return 0;
}

// Appends a triangle of three vertices. Returns -1 if there is no room.
int hfi_trimesh_add_triangle(hfiTriMeshBuilder* b, int32_t i, int32_t j, int32_t k) {
  void* array = b->mesh.tri;
  int failed = grow(&array, &b->tri_capacity, b->mesh.ntri, HFI_TRIMESH_MAX_TRIANGLES, 3 * sizeof(int32_t));
  b->mesh.tri = array;
  if (failed) return -1;

  int32_t* tri = b->mesh.tri + 3 * (size_t)b->mesh.ntri;
  ++b->mesh.ntri;
  tri[0] = i;
  tri[1] = j;
  tri[2] = k;
  return 0;
}

// FNV-1a hash of the bits. The caller has turned -0 into 0, so that equal numbers have equal bits.
static uint32_t hash_vertex(const double v[3]) {
  static const uint32_t FNV_OFFSET = 2166136261u;
  static const uint32_t FNV_PRIME = 16777619u;
  unsigned char bytes[3 * sizeof(double)];
  memcpy(bytes, v, sizeof bytes);

  uint32_t hash = FNV_OFFSET;
  for (size_t i = 0; i < sizeof bytes; ++i) hash = (hash ^ bytes[i]) * FNV_PRIME;
  return hash;
}

// The slot of the table that has this vertex, or the empty one where it belongs.
static int32_t* find_slot(const hfiTriMeshBuilder* b, const double v[3]) {
  uint32_t mask = (uint32_t)b->slot_count - 1;
  for (uint32_t i = hash_vertex(v) & mask;; i = (i + 1) & mask) {
    int32_t* slot = &b->slot[i];
    if (*slot < 0 || memcmp(b->mesh.vert + 3 * (size_t)*slot, v, 3 * sizeof(double)) == 0) return slot;
  }
}

// Doubles the table and enters all vertices again. Returns -1 if there is no memory.
static int double_table(hfiTriMeshBuilder* b) {
  int32_t count = b->slot_count ? 2 * b->slot_count : 1024;
  int32_t* slot = malloc((size_t)count * sizeof *slot);
  if (!slot) return -1;
  free(b->slot);
  b->slot = slot;
  b->slot_count = count;

  for (int32_t i = 0; i < count; ++i) slot[i] = -1;
  for (int32_t i = 0; i < b->mesh.nvert; ++i) *find_slot(b, b->mesh.vert + 3 * (size_t)i) = i;
  return 0;
}

// The index of a vertex, which is added unless it is there already. Returns -1 if there is no room.
int32_t hfi_trimesh_join_vertex(hfiTriMeshBuilder* b, const double v[3]) {
  double key[3] = {v[0] + 0.0, v[1] + 0.0, v[2] + 0.0}; // -0 + 0 = 0
  int is_half_full = 2 * b->mesh.nvert >= b->slot_count;
  if (is_half_full && double_table(b) != 0) return -1;
  int32_t* slot = find_slot(b, key);
  if (*slot >= 0) return *slot;
  if (hfi_trimesh_add_vertex(b, key) != 0) return -1;
  *slot = b->mesh.nvert - 1;
  return *slot;
}

// ---- transformation -----------------------------------------------------------------------------

// Transforms the vertices: v <- scale R^T (v - refpos), with the rotation R of refquat. A mirrored surface is turned
// back, so that its corners stay counter-clockwise. what: name of the mesh, for messages.
hfStatus hfi_trimesh_transform(hfiTriMesh* mesh, const double scale[3], const double refpos[3],
                               const double refquat[4], const char* what, hfError* error) {
  hfMat3 R = m3_from_quat(q_unit(q_load(refquat)));

  for (int32_t i = 0; i < mesh->nvert; ++i) {
    double* v = mesh->vert + 3 * (size_t)i;
    hfVec3 p = m3_tmulv(R, v3_sub(v3_load(v), v3_load(refpos)));
    p = v3_mul(v3_load(scale), p);
    if (!(fabs(p.x) <= MAX_COORDINATE && fabs(p.y) <= MAX_COORDINATE && fabs(p.z) <= MAX_COORDINATE))
      return hfi_refuse(error, HF_ERROR_MODEL, "%s: vertex %d is not within %g m of the origin", what, (int)i,
                        MAX_COORDINATE);
    v3_store(v, p);
  }

  // a mirrored surface is inside out
  int is_mirrored = scale[0] * scale[1] * scale[2] < 0;
  for (int32_t i = 0; i < mesh->ntri && is_mirrored; ++i) {
    int32_t* corner = mesh->tri + 3 * (size_t)i;
    int32_t second = corner[1];
    corner[1] = corner[2];
    corner[2] = second;
  }
  return HF_OK;
}
