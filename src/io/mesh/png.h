// Reading and writing the grey values of PNG images.
#ifndef HFI_IMPORT_PNG_H
#define HFI_IMPORT_PNG_H

#include "base/output.h"

#include <holdfast/status.h>
#include <stddef.h>

enum { HFI_PNG_MOST_PIXELS = 1 << 26 };

// Decodes an image of any colour type and depth. As in MuJoCo, the grey value of a coloured pixel is its red part, and
// of 16 bits the upper 8 count. *grey (width x height, rows from the top) comes from malloc. `file` is for messages.
hfStatus hfi_png_read(const char* text, size_t size, const char* file, int* width, int* height, uint8_t** grey,
                      hfError* error);

// Adds a grey image, line by line from its top, to a file.
hfStatus hfi_png_write(hfiOutput* out, const uint8_t* grey, int width, int height, hfError* error);

#endif
