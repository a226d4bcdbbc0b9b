// The table of shapes: the functions that geometry calls without knowing which shape it has. Each shape has a file of
// its own name. Sizes, masses and the names of shapes in files are in the table of model/shape.h.
#ifndef HFI_GEOMETRY_SHAPE_TABLE_H
#define HFI_GEOMETRY_SHAPE_TABLE_H

#include "step/geometry/edges.h"
#include "step/geometry/facet.h"
#include "step/geometry/nearest.h"
#include "step/geometry/pairs.h"
#include "step/geometry/ray.h"

typedef struct hfiShapeFunctions {
  int32_t max_points;  // largest number of points in which it touches another shape
  int32_t is_round;    // 1: size[0] is a radius about the core (support.h), 0: the shape is its own core
  int32_t is_quick;    // 1: its pairs cost less than a comparison of bounding boxes
  hfiAabb (*bounds)(const hfiShape* shape, const hfPose* X_WG);
  // Contact with a plane A; NULL: none.
  hfiPairFunction* plane;
  // Support point and size of the core (support.h). Only bounded shapes have them.
  hfVec3 (*support)(const hfiShape* shape, hfVec3 d, int32_t* hint);
  double (*core_size)(const hfiShape* shape);
  // u^T H v, H the second derivative of the core's support function at the unit direction d; NULL: zero.
  double (*curvature)(const hfiShape* shape, hfVec3 d, hfVec3 u, hfVec3 v);
  // Straight edges at a contact (edges.h); NULL: none.
  void (*edges)(const hfiEdgeQuery* query, hfiEdges* edges);
  // Flat part that looks along d (facet.h); NULL: none.
  void (*facet)(const hfiShape* shape, const hfPose* X, hfVec3 d, hfiFacet* facet);
  hfiNearest (*nearest)(const hfiShape* shape, hfVec3 p);
  // The part of the ray o + t d inside of a convex shape (ray.h); for other shapes, the first point where the ray
  // passes the surface.
  hfiSpan (*span)(const hfiShape* shape, hfVec3 o, hfVec3 d);
  int (*ray)(const hfiShape* shape, hfVec3 o, hfVec3 d, double* t, hfVec3* normal);
} hfiShapeFunctions;

extern const hfiShapeFunctions hfi_plane, hfi_sphere, hfi_capsule, hfi_ellipsoid;
extern const hfiShapeFunctions hfi_cylinder, hfi_box, hfi_mesh, hfi_hfield;

// The functions of each shape, indexed by hfGeomType.
extern const hfiShapeFunctions* const hfi_shape_functions[HFI_SHAPES];

static inline const hfiShapeFunctions* hfi_functions(const hfiShape* s) { return hfi_shape_functions[s->type]; }
static inline int hfi_is_curved(const hfiShape* s) { return hfi_functions(s)->curvature != NULL; }

#endif
