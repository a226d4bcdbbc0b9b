// The path of a spatial tendon through its sites and around its geoms.
#ifndef HFI_MODEL_PATH_H
#define HFI_MODEL_PATH_H

#include "math/vec3.h"
#include <holdfast/model.h>

// A straight part of a path, between points that are fixed in two bodies (a point of touch is fixed in the geom's body:
// where it moves along the surface, the length does not change to first order).
typedef struct hfiPathSegment {
  int32_t body[2];
  hfVec3 p_W[2]; // [m]
} hfiPathSegment;

// The path from one site to the next, perhaps around one geom.
typedef struct hfiPathSpan {
  int32_t nsegment; // 1, or 2 with a curve between them
  hfiPathSegment segment[2];
  double length;    // of segments and curve [m]
  double scale;     // 1 over the divisor of the pulley in force [-]
} hfiPathSpan;

typedef struct hfiPathWalk {
  const hfModel* m;
  const hfPose* X_WB; // (nbody)
  int32_t at, end;    // wraps
  double scale;
} hfiPathWalk;

int hfi_tendon_is_spatial(const hfModel* model, int tendon);
// Starts at the beginning of a spatial tendon.
hfiPathWalk hfi_path_begin(const hfModel* model, const hfPose* X_WB, int tendon);
// Computes the next span. Returns 0 at the end.
int hfi_path_next(hfiPathWalk* walk, hfiPathSpan* span);
double hfi_path_length(const hfModel* model, const hfPose* X_WB, int tendon);

// The dofs that can change the length of any tendon, ascending; returns their number. `dof` may be NULL, then the number
// is only an upper bound.
int hfi_tendon_dofs(const hfModel* model, int tendon, int32_t* dof);

#endif
