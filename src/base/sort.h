// In-place sort that never allocates (the C library's qsort may). The order of equal elements is not kept, so the
// comparison should have no ties.
#ifndef HFI_BASE_SORT_H
#define HFI_BASE_SORT_H

#include <stddef.h>

void hfi_sort(void* data, size_t count, size_t width, int (*compare)(const void*, const void*));

#endif
