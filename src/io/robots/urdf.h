// Reading URDF, and the constant that reader and writer share.
#ifndef HFI_IMPORT_URDF_H
#define HFI_IMPORT_URDF_H

#include "io/xml/reader.h"

// This number stands for no limit [rad, m, N m, N, rad/s, m/s]: URDF requires a number even then.

// Reads a document whose root is <robot> into reader->builder.
void hfi_urdf_read(hfiReader* reader, hfiElem* root);

#endif
