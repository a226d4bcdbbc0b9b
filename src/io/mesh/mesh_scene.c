// The frames of nodes in a scene, and the triangles of their primitives: see mesh_scene.h.
//
// b: the mesh that is built, point: positions of a primitive, index: their indices in the mesh.
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

// Whether x -> A x mirrors: whether its determinant is negative.
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
  index[i] = hfi_trimesh_join_vertex(b, v);
  return index[i];
}

// Finds the three corners of triangle t: of a list 3t, 3t + 1, 3t + 2, of a strip t, t + 1, t + 2, of a fan 0, t + 1,
// t + 2. Every second triangle of a strip turns the other way round, so its last two corners are exchanged.
static void choose_corners(hfiPrimitive kind, const int32_t* corner, int32_t t, int32_t out[3]) {
  int32_t first = kind == HFI_TRIANGLES ? 3 * t : t;
  out[0] = kind == HFI_FAN ? corner[0] : corner[first];
  out[1] = corner[first + 1];
  out[2] = corner[first + 2];

  if (kind == HFI_STRIP && t % 2) {
    int32_t second = out[1];
    out[1] = out[2];
    out[2] = second;
  }
}

// Adds the triangles of a primitive of `count` corners, placed in the scene. Returns -1 if there is no room.
int hfi_add_primitive(hfiTriMeshBuilder* b, hfiNodeFrame placement, hfiPrimitive kind, const double* point,
                      int32_t* index, const int32_t* corner, int32_t count) {
  int is_mirrored = mirrors(placement.A);
  int32_t triangles = kind == HFI_TRIANGLES ? count / 3 : count - 2;
  for (int32_t t = 0; t < triangles; ++t) {
    int32_t c[3];
    int32_t v[3];
    choose_corners(kind, corner, t, c);
    for (int k = 0; k < 3; ++k) {
      v[k] = place_point(b, placement, point, index, c[k]);
      if (v[k] < 0) return -1;
    }

    int failed = is_mirrored ? hfi_trimesh_add_triangle(b, v[0], v[2], v[1])
                             : hfi_trimesh_add_triangle(b, v[0], v[1], v[2]);
    if (failed) return -1;
  }
  return 0;
}
