// Reading URDF, and what its writer must know of that.
#ifndef HFI_IMPORT_URDF_H
#define HFI_IMPORT_URDF_H

#include "import/reader.h"

// A number of this size means that there is no limit [rad, m, N m, N, rad/s, m/s]: URDF wants one even then.
#define HFI_URDF_UNLIMITED 1e15

// Reads a document whose root is <robot> into reader->builder.
void hfi_urdf_read(hfiReader* reader, hfiElem* root);

#endif
