// Bytes inside an HTML page: compressed, then as text.
#ifndef HFI_RECORD_EMBED_H
#define HFI_RECORD_EMBED_H

#include "base/bytes.h"

// Adds gzip(data) to out; 0 when out of memory.
int hfi_gzip(const void* data, size_t size, hfiBytes* out);
// Adds the base64 text of data to out.
void hfi_base64(const void* data, size_t size, hfiBytes* out);

#endif
