// A round shape above or in a hull, where a face of the hull decides their contact.
#ifndef HFI_GEOMETRY_OVER_FACE_H
#define HFI_GEOMETRY_OVER_FACE_H

#include "step/geometry/polish.h"

// Is a point above a face of a hull, within its outline? The point may also be in the plane of the face or below it.
int hfi_is_over_face(const hfiHull* hull, int32_t face, hfVec3 x);

// B is a hull, A any bounded shape. Returns 1 and the closest or deepest points if a face of B surely decides them, 0
// if an edge or a corner may decide; *closest then means nothing.
int hfi_closest_over_face(const hfiCores* cores, hfiClosest* closest);

#endif
