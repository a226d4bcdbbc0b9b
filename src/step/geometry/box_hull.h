// A box as a hull, beside a mesh. Two boxes need none: box_box.c knows the faces of their difference.
#ifndef HFI_GEOMETRY_BOX_HULL_H
#define HFI_GEOMETRY_BOX_HULL_H

#include "step/geometry/shape.h"

// A box that has a hull, and the memory of the hull. Corner numbers have bit i set where x_i > 0.
typedef struct hfiBoxHull {
  hfiShape shape;
  hfiHull hull;
  double vert[24], plane[24];
} hfiBoxHull;

// Are two shapes meshes, or a mesh and a box?
static inline int hfi_are_hulls(const hfiShape* A, const hfiShape* B) {
  int A_is_mesh = A->type == HF_GEOM_MESH;
  int B_is_mesh = B->type == HF_GEOM_MESH;
  if (A_is_mesh && B_is_mesh) return 1;
  return (A_is_mesh && B->type == HF_GEOM_BOX) || (A->type == HF_GEOM_BOX && B_is_mesh);
}

// A shape with its hull: a box whose hull is in `room`, or a mesh as it is.
const hfiShape* hfi_with_hull(const hfiShape* shape, hfiBoxHull* room);

#endif
