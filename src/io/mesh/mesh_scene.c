// See mesh_scene.h.
#include "io/mesh/mesh_scene.h"

hfiNodeFrame hfi_node_frame_from_rows(const double m[16]) {
  return (hfiNodeFrame){{{m[0], m[1], m[2], m[4], m[5], m[6], m[8], m[9], m[10]}}, {m[3], m[7], m[11]}};
}

hfiNodeFrame hfi_node_frame_scale(hfVec3 s) {
  const double m[16] = {s.x, 0, 0, 0, 0, s.y, 0, 0, 0, 0, s.z, 0, 0, 0, 0, 1};
  return hfi_node_frame_from_rows(m);
}

hfiNodeFrame hfi_node_frame_identity(void) {
  return hfi_node_frame_scale((hfVec3){1, 1, 1});
}

hfiNodeFrame hfi_node_frame_chain(hfiNodeFrame outer, hfiNodeFrame inner) {
  return (hfiNodeFrame){m3_mul(outer.A, inner.A), v3_add(m3_mulv(outer.A, inner.b), outer.b)};
}

static int mirrors(hfMat3 A) {
  return v3_dot(m3_row(A, 0), v3_cross(m3_row(A, 1), m3_row(A, 2))) < 0;
}

// Returns the vertex of the mesh for point i of a primitive, which is added to the mesh at its first use. Returns -1 if
// there is no room.
static int32_t place_point(hfiTriMeshBuilder* b, hfiNodeFrame placement, const double* point, int32_t* index,
                           int32_t i) {
  if (index[i] >= 0) return index[i];
  double v[3];
  v3_store(v, v3_add(m3_mulv(placement.A, v3_load(point + 3 * (size_t)i)), placement.b));
  return index[i] = hfi_trimesh_join_vertex(b, v);
}

// The three corners of triangle t. Every second triangle of a strip turns the other way round.
static void choose_corners(hfiPrimitive kind, const int32_t* corner, int32_t t, int32_t out[3]) {
  int32_t first = 0;
  if (kind == HFI_TRIANGLES) first = 3 * t;
  if (kind == HFI_STRIP) first = t;
  int32_t next = kind == HFI_FAN ? t + 1 : first + 1;
  int turned = kind == HFI_STRIP && t % 2;
  out[0] = corner[first];
  out[1] = corner[turned ? next + 1 : next];
  out[2] = corner[turned ? next : next + 1];
}

int hfi_add_primitive(hfiTriMeshBuilder* b, hfiNodeFrame placement, hfiPrimitive kind, const double* point, int32_t* index,
                      const int32_t* corner, int32_t count) {
  int mirrored = mirrors(placement.A);
  int32_t triangles = kind == HFI_TRIANGLES ? count / 3 : count - 2;
  for (int32_t t = 0; t < triangles; ++t) {
    int32_t c[3];
    int32_t v[3];
    choose_corners(kind, corner, t, c);
    for (int k = 0; k < 3; ++k) {
      v[k] = place_point(b, placement, point, index, c[k]);
      if (v[k] < 0) return -1;
    }
    if (hfi_trimesh_add_triangle(b, v[0], v[mirrored ? 2 : 1], v[mirrored ? 1 : 2]) != 0) return -1;
  }
  return 0;
}
