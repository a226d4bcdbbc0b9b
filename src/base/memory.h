// Memory of objects, from the C library or from a user's allocator.
#ifndef HFI_BASE_MEMORY_H
#define HFI_BASE_MEMORY_H

#include <holdfast/allocator.h>

// Zeroed memory aligned to HFI_ALIGN. It remembers its allocator (NULL or all zero: the C library's), so that
// hfi_release needs none. NULL: out of memory.
void* hfi_allocate(const hfAllocator* allocator, size_t size);
void hfi_release(void* memory); // NULL is allowed

// Memory of the machine [bytes], or the largest number if that is unknown.
size_t hfi_machine_memory(void);

#endif
