// hfi_collide: chooses the function that collides a pair.
#include "step/geometry/shape_table.h"

#include <assert.h>

// The functions of pairs of a lower and a higher type. Pairs without an entry have a general function.
static hfiPairFunction* const PAIR[HFI_SHAPES][HFI_SHAPES] = {
    [HF_GEOM_SPHERE][HF_GEOM_SPHERE] = hfi_sphere_sphere,   [HF_GEOM_CAPSULE][HF_GEOM_CAPSULE] = hfi_capsule_capsule,
    [HF_GEOM_CAPSULE][HF_GEOM_BOX] = hfi_capsule_box,       [HF_GEOM_ELLIPSOID][HF_GEOM_BOX] = hfi_ellipsoid_box,
    [HF_GEOM_CYLINDER][HF_GEOM_BOX] = hfi_cylinder_box,     [HF_GEOM_BOX][HF_GEOM_BOX] = hfi_box_box,
};

// Returns the function that collides shapes of the types a <= b; NULL if they cannot touch.
hfiPairFunction* hfi_pair_function(int a, int b) {
  if (b == HF_GEOM_HFIELD) {
    int can_touch = a != HF_GEOM_PLANE && a != HF_GEOM_HFIELD;
    return can_touch ? hfi_convex_hfield : NULL;
  }

  if (PAIR[a][b]) return PAIR[a][b];
  if (a == HF_GEOM_PLANE) return hfi_shape_functions[b]->plane;
  if (a == HF_GEOM_SPHERE) return hfi_sphere_convex;
  return hfi_convex_convex;
}

// Finds the contact points of any two shapes in the world. Returns their number.
int hfi_collide(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB, double margin,
                hfiContactPoint* points) {
  assert(A->type >= 0 && A->type < HFI_SHAPES);
  assert(B->type >= 0 && B->type < HFI_SHAPES);

  int swapped = A->type > B->type;
  hfiPairFunction* pair = swapped ? hfi_pair_function(B->type, A->type) : hfi_pair_function(A->type, B->type);
  return call_pair(pair, swapped, A, X_WA, B, X_WB, margin, points);
}

// Returns how deep two shapes overlap at the deepest of their contact points; 0 if they do not [m].
double hfi_overlap_depth(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB) {
  if (A->type == HF_GEOM_BOX && B->type == HF_GEOM_BOX) return hfi_box_box_depth(A, X_WA, B, X_WB);

  hfiContactPoint points[HFI_MAX_POINTS];
  int count = hfi_collide(A, X_WA, B, X_WB, 0, points);
  double depth = 0;
  for (int k = 0; k < count; ++k) depth = max2(depth, points[k].depth);
  return depth;
}
