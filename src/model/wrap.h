// The shortest way of a thread past a sphere or a cylinder (docs/theory/actuation.md, "Spatial tendons").
#ifndef HFI_MODEL_WRAP_H
#define HFI_MODEL_WRAP_H

#include "math/vec3.h"

// What a thread wraps around. Its frame has its origin at the centre and, for a cylinder, z along the axis. The cylinder has
// no ends.
typedef struct hfiObstacle {
  int32_t is_cylinder;
  double radius;          // [m]
  int32_t has_side;       // 1: the thread passes on the side of the point `side`, or through the inside if that is inside
  hfVec3 side;            // [m]
} hfiObstacle;

// Where the thread touches the obstacle, in the obstacle's frame.
typedef struct hfiWrap {
  int32_t touches; // 0: the way is straight, and nothing else is set
  hfVec3 p[2];     // first and last point of touch [m]
  double curve;    // length of the way between them [m]
} hfiWrap;

// Finds the shortest way of a thread from p0 to p1 past the obstacle. Both points are in the obstacle's frame [m].
hfiWrap hfi_wrap(const hfiObstacle* obstacle, hfVec3 p0, hfVec3 p1);

#endif
