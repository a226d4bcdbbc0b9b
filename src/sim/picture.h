// Rays of pictures.
#ifndef HFI_SIM_PICTURE_H
#define HFI_SIM_PICTURE_H

#include "math/spatial.h"
#include <holdfast/geometry.h>

// A ray, and the axis along which the depth of a picture is measured.
typedef struct hfiRay {
  hfVec3 origin, along, axis; // in the world; `along`, the direction of the ray, and `axis` are unit vectors
} hfiRay;

// The ray through the middle of a pixel of a lens at X_WC.
hfiRay hfi_pixel_ray(const hfLens* lens, hfPose X_WC, int row, int column);

#endif
