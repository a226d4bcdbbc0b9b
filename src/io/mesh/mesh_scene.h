// What the readers of COLLADA and glTF share: both formats are scenes of nodes that place meshes.
#ifndef HFI_IMPORT_MESH_SCENE_H
#define HFI_IMPORT_MESH_SCENE_H

#include "io/mesh/mesh.h"
#include "math/vec3.h"

// The place of a node in its scene: x -> A x + b, where A may scale, shear and mirror.
typedef struct hfiNodeFrame {
  hfMat3 A;
  hfVec3 b;
} hfiNodeFrame;

hfiNodeFrame hfi_node_frame_identity(void);
hfiNodeFrame hfi_node_frame_scale(hfVec3 factors);
// The frame that applies `inner` first, then `outer`.
hfiNodeFrame hfi_node_frame_chain(hfiNodeFrame outer, hfiNodeFrame inner);
// The frame of the rows of a 4 x 4 matrix, whose last row is ignored.
hfiNodeFrame hfi_node_frame_from_rows(const double m[16]);

// How corners become triangles.
typedef enum hfiPrimitive { HFI_TRIANGLES, HFI_STRIP, HFI_FAN } hfiPrimitive;

// Adds a primitive: `corner` are indices of `point` (npoint x 3), which the placement puts in the scene. After a
// mirroring placement the corners are reversed. `index` (npoint) is scratch: the index of a point in the mesh, or -1 if
// it is not there yet. Returns 0, or -1 if there is no memory or a limit is exceeded. Corners must be in range.
int hfi_add_primitive(hfiTriMeshBuilder* b, hfiNodeFrame placement, hfiPrimitive kind, const double* point,
                      int32_t* index, const int32_t* corner, int32_t count);

enum { HFI_SCENE_MAX_NODES = 100000, HFI_SCENE_MAX_DEPTH = 500 };

#endif
