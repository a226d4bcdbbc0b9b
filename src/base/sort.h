// In-place sort that never allocates (the C library's qsort may). Equal elements keep no order:
// give a comparison without ties.
#ifndef HFI_BASE_SORT_H
#define HFI_BASE_SORT_H

#include <stddef.h>

void hfi_sort(void* data, size_t count, size_t width, int (*compare)(const void*, const void*));

#endif
