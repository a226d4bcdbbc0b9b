// The path of a spatial tendon through its sites and around its geoms.
#ifndef HFI_MODEL_PATH_H
#define HFI_MODEL_PATH_H

#include "base/arena.h"
#include "math/vec3.h"
#include <holdfast/model.h>

// A straight part of a path, between points that are fixed in two bodies. A point where it touches a geom counts as fixed in the geom's body, because
// its motion along the surface does not change the length to first order.
typedef struct hfiPathSegment {
  int32_t body[2];
  hfVec3 p_W[2]; // [m]
} hfiPathSegment;

// Data of the paths of a model that hold at all poses.
typedef struct hfiPathConstants {
  hfPose* X_BG;   // (nwrap) poses of geoms in their bodies
  double* length; // (nwrap) length of the span that begins with this site, if its sites and geom are on one body; else -1 [m]
} hfiPathConstants;

// The path from one site to the next, perhaps around one geom.
typedef struct hfiPathSpan {
  int32_t first;    // the wrap of its first site
  int32_t nsegment; // 1, or 2 with a curve between them; 0 if the length is constant
  hfiPathSegment segment[2];
  double length;    // length of segments and curve [m]
  double scale;     // 1 over the divisor of the last pulley [-]
} hfiPathSpan;

typedef struct hfiPathWalk {
  const hfModel* m;
  const hfPose* X_WB; // (nbody), or NULL: all points are in the frames of their own bodies
  const hfiPathConstants* known; // NULL: no constants are known
  int32_t at, end;    // wraps
  double scale;
} hfiPathWalk;

int hfi_tendon_is_spatial(const hfModel* model, int tendon);
void hfi_path_constants_init(hfiPathConstants* constants, const hfModel* model, hfiArena* arena);
// Starts at the beginning of a spatial tendon. With constants, which may be NULL, spans of a constant length have no segments.
hfiPathWalk hfi_path_begin(const hfModel* model, const hfPose* X_WB, const hfiPathConstants* constants, int tendon);
// Computes the next span. Returns 0 at the end.
int hfi_path_next(hfiPathWalk* walk, hfiPathSpan* span);
double hfi_path_length(const hfModel* model, const hfPose* X_WB, int tendon);

// The dofs that can change the length of any tendon, ascending; returns their number. `dof` may be NULL, then the number
// is only an upper bound.
int hfi_tendon_dofs(const hfModel* model, int tendon, int32_t* dof);

#endif
