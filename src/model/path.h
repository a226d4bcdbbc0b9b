// Spatial tendons: the shortest way of a thread past a geom, and the path through sites and around geoms.
#ifndef HFI_MODEL_PATH_H
#define HFI_MODEL_PATH_H

#include <holdfast/model.h>
#include "base/arena.h"
#include "math/vec3.h"

// ---- wraps (wrap.c) ----------------------------------------------------------------------------------
//
// The shortest way of a thread past a sphere or a cylinder (docs/theory/tendons.md, "Spatial tendons").

// What a thread wraps around. Its frame has its origin at the centre and, for a cylinder, z along the axis. The
// cylinder has no ends.
typedef struct hfiObstacle {
  int32_t is_cylinder;
  double radius;    // [m]
  int32_t has_side; // 1: the thread passes on the side of the point `side`, or through the inside if that is inside
  hfVec3 side;      // [m]
} hfiObstacle;

// Where the thread touches the obstacle, in the obstacle's frame.
typedef struct hfiWrap {
  int32_t touches; // 0: the way is straight, and nothing else is set
  hfVec3 p[2];     // first and last point of touch [m]
  double curve;    // length of the way between them [m]
} hfiWrap;

// Finds the shortest way of a thread from p0 to p1 past the obstacle. Both points are in the obstacle's frame [m].
hfiWrap hfi_wrap(const hfiObstacle* obstacle, hfVec3 p0, hfVec3 p1);

// ---- paths (path.c) ----------------------------------------------------------------------------------

// A straight part of a path, between points that are fixed in two bodies. A point where it touches a geom counts as
// fixed in the geom's body, because its motion along the surface does not change the length to first order.
typedef struct hfiPathSegment {
  int32_t body[2];
  hfVec3 p_W[2]; // [m]
} hfiPathSegment;

// Data of the paths of a model that hold at all poses.
typedef struct hfiPathConstants {
  hfPose* X_BG;   // (nwrap) poses of geoms in their bodies
  double* length; // (nwrap) length of the span from this site on, if its sites and geom are on one body; else -1 [m]
} hfiPathConstants;

// The path from one site to the next, perhaps around one geom.
typedef struct hfiPathSpan {
  int32_t first;    // the wrap of its first site
  int32_t nsegment; // 1, or 2 with a curve between them; 0 if the length is constant
  hfiPathSegment segment[2];
  double length;    // length of segments and curve [m]
  double scale;     // 1 over the divisor of the last pulley [-]
} hfiPathSpan;

// A walk along the path of one tendon, span by span.
typedef struct hfiPathWalk {
  const hfModel* m;
  const hfPose* X_WB;            // (nbody), or NULL: all points are in the frames of their own bodies
  const hfiPathConstants* known; // NULL: no constants are known
  int32_t next, end;             // wraps
  double scale;                  // of the next span
} hfiPathWalk;

int hfi_tendon_is_spatial(const hfModel* model, int tendon);
// Plans the constants of all tendons in an arena, and computes them once it has memory.
void hfi_path_constants_init(hfiPathConstants* constants, const hfModel* model, hfiArena* arena);
// Starts at the beginning of a spatial tendon. With constants, which may be NULL, spans of a constant length have no
// segments.
hfiPathWalk hfi_path_begin(const hfModel* model, const hfPose* X_WB, const hfiPathConstants* constants, int tendon);
// Computes the next span. Returns 0 at the end.
int hfi_path_next(hfiPathWalk* walk, hfiPathSpan* span);
// The length of a spatial tendon with the bodies at X_WB (nbody) [m].
double hfi_path_length(const hfModel* model, const hfPose* X_WB, int tendon);

// The dofs that can change the length of any tendon, ascending; returns their number. `dof` may be NULL, then the
// number is only an upper bound.
int hfi_tendon_dofs(const hfModel* model, int tendon, int32_t* dof);

#endif
