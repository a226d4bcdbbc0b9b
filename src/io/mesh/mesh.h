// Triangle meshes from files, and their convex hulls.
#ifndef HFI_IMPORT_MESH_H
#define HFI_IMPORT_MESH_H

#include <holdfast/status.h>
#include <stddef.h>
#include <stdint.h>

enum { HFI_TRIMESH_MAX_VERTICES = 10000000, HFI_TRIMESH_MAX_TRIANGLES = 20000000 };

// The arrays come from malloc. Initialise with zeros, fill with a reader, free with hfi_trimesh_release.
typedef struct hfiTriMesh {
  int32_t nvert, ntri, nhulltri;
  int32_t nfirst;   // for an OBJ file: number of triangles of its first object, which come first; 0 for other formats
  double* vert;     // (nvert x 3) [m]
  int32_t* tri;     // (ntri x 3) surface, counter-clockwise seen from outside
  int32_t* hulltri; // (nhulltri x 3) convex hull, outward
} hfiTriMesh;

void hfi_trimesh_release(hfiTriMesh* mesh);

// These readers take the contents of a file in memory; text[size] is zero, and messages name `file`. After a refusal
// the mesh is empty. STL may be binary or ASCII; equal vertices are joined. OBJ: the lines v, f, o and g are read; o
// and g begin an object; faces with two corners are left out; polygons are divided into triangles. PLY may be text or
// binary.
hfStatus hfi_trimesh_read_stl(hfiTriMesh* mesh, const char* text, size_t size, const char* file,
                              hfError* error);
hfStatus hfi_trimesh_read_obj(hfiTriMesh* mesh, const char* text, size_t size, const char* file,
                              hfError* error);
hfStatus hfi_trimesh_read_ply(hfiTriMesh* mesh, const char* text, size_t size, const char* file,
                              hfError* error);
hfStatus hfi_trimesh_read_msh(hfiTriMesh* mesh, const char* text, size_t size, const char* file,
                              hfError* error);
// These two join all nodes of a scene. COLLADA is scaled by its unit; glTF, as text or binary, may name further files,
// which lie beside `file`, and is turned from y-up to z-up.
hfStatus hfi_trimesh_read_dae(hfiTriMesh* mesh, const char* text, size_t size, const char* file,
                              hfError* error);
hfStatus hfi_trimesh_read_gltf(hfiTriMesh* mesh, const char* text, size_t size, const char* file,
                               hfError* error);
// Reads any of these formats; the file's extension decides.
hfStatus hfi_trimesh_load(hfiTriMesh* mesh, const char* path, hfError* error);

// v <- scale (refquat^-1 (v - refpos)); after an odd number of negative factors the corners of the triangles are
// reversed, so that they stay counter-clockwise seen from outside.
hfStatus hfi_trimesh_transform(hfiTriMesh* mesh, const double scale[3], const double refpos[3],
                               const double refquat[4], const char* what, hfError* error);
// Fills hulltri. max_vertices, if above 3, limits the vertices of the hull. A mesh without triangles gets those of its
// hull. Refuses points that lie in a plane.
hfStatus hfi_trimesh_hull(hfiTriMesh* mesh, int max_vertices, const char* what, hfError* error);

// A mesh under construction, with arrays that grow.
typedef struct hfiTriMeshBuilder {
  hfiTriMesh mesh;
  int32_t vert_capacity, tri_capacity;
  int32_t *slot, slot_count; // hash table of vertices, which finds equal ones
} hfiTriMeshBuilder;
// Return 0, or -1 if there is no memory or a limit is exceeded.
int hfi_trimesh_add_vertex(hfiTriMeshBuilder* b, const double v[3]);
int hfi_trimesh_add_triangle(hfiTriMeshBuilder* b, int32_t i, int32_t j, int32_t k);
// Adds the triangles of a polygon of n >= 3 corners, at most HFI_POLYGON_MAX_CORNERS, whose order it changes.
enum { HFI_POLYGON_MAX_CORNERS = 4096 };
int hfi_trimesh_add_polygon(hfiTriMeshBuilder* b, int32_t* corner, int n);
// Adds the vertex unless it is there already. Returns its index, or -1 if there is no memory or a limit is exceeded.
int32_t hfi_trimesh_join_vertex(hfiTriMeshBuilder* b, const double v[3]);
void hfi_trimesh_builder_release(hfiTriMeshBuilder* b);
// Hands the mesh over if `status` is HF_OK, and releases everything else. Returns the status.
hfStatus hfi_trimesh_finish(hfiTriMeshBuilder* b, hfiTriMesh* mesh, hfStatus status);

#endif
