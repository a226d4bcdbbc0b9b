// The page that replays recordings, built from viewer/ and stored in the library.
#ifndef HFI_RECORD_PAGE_H
#define HFI_RECORD_PAGE_H

#include <stddef.h>

// The HTML text, not terminated. Size 0: this library was built without npm and has no page.
const char* hfi_page(size_t* size);

// Where in the page the data go: the page's text before and after this line.
#define HFI_PAGE_DATA_MARK "<!--HOLDFAST-DATA-->"

#endif
