// Least width of a shape.
#ifndef HFI_GEOMETRY_WIDTH_H
#define HFI_GEOMETRY_WIDTH_H

#include "step/geometry/shape.h"

double hfi_least_width(const hfiShape* shape); // [m]; INFINITY for a plane and a height field, which are solid below

#endif
