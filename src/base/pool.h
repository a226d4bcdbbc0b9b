// Copies that live until the pool is released: strings and arrays of definitions.
#ifndef HFI_BASE_POOL_H
#define HFI_BASE_POOL_H

#include <stddef.h>

typedef struct hfiPool { struct hfiPoolNode* head; } hfiPool;

// Returns a copy of `bytes` bytes, or NULL if out of memory. A NULL source gives zeros; zero bytes
// give one zero byte.
void* hfi_pool_copy(hfiPool* pool, const void* source, size_t bytes);
// Returns a copy of a string, or NULL if out of memory. NULL stays NULL, so that a caller who may
// pass NULL checks `copy == NULL && s != NULL`.
char* hfi_pool_string(hfiPool* pool, const char* s);
// Frees everything.
void hfi_pool_release(hfiPool* pool);

// Makes room for one more element of `width` bytes in an array of `count`. Returns the array, which
// may have moved, or NULL if out of memory; the old array is then still there.
void* hfi_grow(void* data, int* capacity, int count, size_t width);

#endif
