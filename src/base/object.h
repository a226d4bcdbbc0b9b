// Objects that lie in one block of memory with their arrays.
#ifndef HFI_BASE_OBJECT_H
#define HFI_BASE_OBJECT_H

#include "base/arena.h"
#include "base/error.h"

// Takes the arrays of an object from an arena, or plans their size over an empty one.
typedef void hfiTakeArrays(void* object, hfiArena* arena);

// Creates an object of `size` bytes: a copy of `seed`, which has everything that the sizes of the arrays depend on, with its arrays. The
// memory of the arrays is zero. hfi_release gives everything back. Returns NULL
// and refuses by HF_ERROR_MEMORY where there is no memory; `name` says in the message what the object is.
void* hfi_object_create(void* seed, size_t size, hfiTakeArrays* take, const hfAllocator* allocator, const char* name, hfError* error);

#endif
