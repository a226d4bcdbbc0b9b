// The table of shapes: what the builder and the readers know of a shape. How shapes touch is in the
// table of step/geometry/shape.h.
//
// Sizes are MJCF's: plane (none; the half space below z = 0 of its frame), sphere (radius), capsule and
// cylinder (radius, half length along z), ellipsoid and box (half sizes), mesh (none; the convex hull of
// its mesh), hfield (none; those of its height field).
#ifndef HFI_MODEL_SHAPE_H
#define HFI_MODEL_SHAPE_H

#include <holdfast/model.h>
#include "math/vec3.h"

enum { HFI_SHAPES = HF_GEOM_HFIELD + 1, HFI_CONVEX_SHAPES = HF_GEOM_MESH + 1 };

// An attribute of a URDF shape: `count` numbers that are the next sizes after multiplication by `factor`.
typedef struct hfiUrdfSize {
  const char* attribute;
  int count;
  double factor;
} hfiUrdfSize;

// The surface of a shape at a contact: flat or with corners, at which a contact point stays; round about a centre or an
// axis; or curved.
enum { HFI_FLAT, HFI_ROUND, HFI_CURVED };

typedef struct hfiShapeKind {
  const char* name;    // name in MJCF, and in URDF if the shape has sizes there
  int32_t nsize;       // how many of size[] the shape reads; each must be positive
  int32_t uses_mesh;   // 1: it has a mesh, which gives sizes, radius and mass
  int32_t uses_hfield; // 1: it is made of a height field
  int32_t curvature;   // HFI_FLAT, ...
  int32_t fromto_size; // the size that is half the distance of MJCF's fromto, those between it and the
                       // first being equal to the first; -1: the shape has no fromto
  hfiUrdfSize urdf[3]; // up to the first without a name
  // Radius of the smallest ball about the frame's origin that holds the shape; NULL: unbounded, or a mesh.
  double (*radius)(const double* size);
  // Unit-mass inertia (xx yy zz) of the solid, and of its surface alone; they return volume and area.
  double (*solid)(const double* size, double I[3]);
  double (*shell)(const double* size, double I[3]);
  // Fits the sizes to a box of half sizes s: a shape of similar size, or, if `contain` is 1, the smallest shape whose
  // own box contains it. The z axis is the long one.
  void (*fit)(double* size, hfVec3 s, int contain);
} hfiShapeKind;

extern const hfiShapeKind hfi_shape_kinds[HFI_SHAPES];

// Whether a geom may touch another, by its masks or in an explicit pair. Others are only drawn.
int hfi_geom_may_touch(const hfModel* model, int geom);

#endif
