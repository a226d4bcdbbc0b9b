// Triangle surfaces from files, and their convex hulls.
#ifndef HFI_IMPORT_MESH_H
#define HFI_IMPORT_MESH_H

#include <holdfast/status.h>
#include <stddef.h>
#include <stdint.h>

enum { HFI_TRIMESH_MAX_VERTICES = 10000000, HFI_TRIMESH_MAX_TRIANGLES = 20000000 };

// Arrays on the heap; zero-initialise, fill with a reader, free with hfi_trimesh_release.
typedef struct hfiTriMesh {
  int32_t nvert, ntri, nhulltri;
  double* vert;     // (nvert x 3) [m]
  int32_t* tri;     // (ntri x 3) surface, counter-clockwise seen from outside
  int32_t* hulltri; // (nhulltri x 3) convex hull, outward
} hfiTriMesh;

void hfi_trimesh_release(hfiTriMesh* mesh);

// Readers of text in memory; text[size] is zero. `file` names it in messages. On refusal the mesh
// holds nothing. STL: binary or ASCII, repeated vertices joined. OBJ: v and f lines, polygons
// fanned.
hfStatus hfi_trimesh_read_stl(hfiTriMesh* mesh, const char* text, size_t size, const char* file,
                              hfError* error);
hfStatus hfi_trimesh_read_obj(hfiTriMesh* mesh, const char* text, size_t size, const char* file,
                              hfError* error);
// DAE and glTF through assimp, all nodes of the scene joined; refused where it was left out of the
// build.
hfStatus hfi_trimesh_read_assimp(hfiTriMesh* mesh, const char* path, hfError* error);
// Any of these by the file's extension.
hfStatus hfi_trimesh_load(hfiTriMesh* mesh, const char* path, hfError* error);

// v <- scale (refquat^-1 (v - refpos)); an odd number of negative factors turns the triangles
// round.
hfStatus hfi_trimesh_transform(hfiTriMesh* mesh, const double scale[3], const double refpos[3],
                               const double refquat[4], const char* what, hfError* error);
// Fills hulltri. max_vertices > 3 stops there, else unlimited. Surfaces without triangles get the
// hull's. Refuses points that span no volume.
hfStatus hfi_trimesh_hull(hfiTriMesh* mesh, int max_vertices, const char* what, hfError* error);

// Growing arrays of a mesh under construction.
typedef struct hfiTriMeshBuilder {
  hfiTriMesh mesh;
  int32_t vert_capacity, tri_capacity;
  int32_t *slot, slot_count; // hash of vertices, for joining repeated ones
} hfiTriMeshBuilder;
// Each returns 0, or -1 when out of memory or above the limits.
int hfi_trimesh_add_vertex(hfiTriMeshBuilder* b, const double v[3]);
int hfi_trimesh_add_triangle(hfiTriMeshBuilder* b, int32_t i, int32_t j, int32_t k);
// Index of the vertex, added when it is new; -1 as above.
int32_t hfi_trimesh_join_vertex(hfiTriMeshBuilder* b, const double v[3]);
void hfi_trimesh_builder_release(hfiTriMeshBuilder* b);

#endif
