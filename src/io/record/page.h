// The page that replays recordings, built from viewer/ and stored in the library.
#ifndef HFI_RECORD_PAGE_H
#define HFI_RECORD_PAGE_H

#include "base/bytes.h"

#include <holdfast/status.h>
#include <stddef.h>

// The HTML text, not terminated. Size 0: this library was built without npm and has no page.
const char* hfi_page(size_t* size);

// Where in the page the data go: the page's text before and after this line.
#define HFI_PAGE_DATA_MARK "<!--HOLDFAST-DATA-->"

// Writes a report of the bytes of a recording.
hfStatus hfi_report_write(const char* path, const char* title, const void* recording, size_t size, hfError* error);

// Adds gzip(data) to out; 0 when out of memory.
int hfi_gzip(const void* data, size_t size, hfiBytes* out);
// Adds the base64 text of data to out.
void hfi_base64(const void* data, size_t size, hfiBytes* out);

#endif
