// Copies that live until the pool is released: strings and arrays of definitions.
#ifndef HFI_BASE_POOL_H
#define HFI_BASE_POOL_H

#include <stddef.h>

typedef struct hfiPool { struct hfiPoolNode* head; } hfiPool;

// A copy of `bytes` bytes; NULL: out of memory. A NULL source or zero bytes gives a zeroed byte.
void* hfi_pool_copy(hfiPool* pool, const void* source, size_t bytes);
// A copy of a string; NULL stays NULL, so check with hfi_pool_string(..) == NULL && s != NULL.
char* hfi_pool_string(hfiPool* pool, const char* s);
void hfi_pool_release(hfiPool* pool);

// Room for one more element of `width` bytes: the array, moved if need be, or NULL: out of memory
// (then the old array is still there).
void* hfi_grow(void* data, int* capacity, int count, size_t width);

#endif
