// Reading URDF.
#ifndef HFI_IMPORT_URDF_H
#define HFI_IMPORT_URDF_H

#include "import/reader.h"

// Reads a document whose root is <robot> into reader->builder.
void hfi_urdf_read(hfiReader* reader, hfiElem* root);

#endif
