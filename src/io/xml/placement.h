// Poses of elements in the frames around them, for the readers and writers of all formats.
#ifndef HFI_IO_XML_PLACEMENT_H
#define HFI_IO_XML_PLACEMENT_H

#include "io/xml/reader.h"
#include "math/vec3.h"

// A vector or quaternion shorter than this has no direction [-].
#define HFI_SHORTEST_DIRECTION 1e-10

// The pose X_AB of a frame B in a frame A.
typedef struct hfiPlacement {
  hfVec3 p; // position of B [m]
  hfQuat q; // rotation from B to A
} hfiPlacement;

hfiPlacement hfi_placement_identity(void);
hfiPlacement hfi_placement_mul(hfiPlacement X_AB, hfiPlacement X_BC);
hfiPlacement hfi_placement_inverse(hfiPlacement X_AB); // X_BA
hfiPlacement hfi_placement_from(const double pos[3], const double quat[4]);

// The smallest rotation that turns +z into the direction of `axis`.
hfQuat hfi_quat_from_z(hfVec3 axis);
// Turns q so that the z axis of a plane is its normal. Refuses the element if the normal has no direction.
void hfi_turn_plane(hfiReader* reader, const hfiElem* elem, const double normal[3], hfQuat* q);

#endif
