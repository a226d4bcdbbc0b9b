// Objects that lie in one block of memory with their arrays.
#ifndef HFI_BASE_OBJECT_H
#define HFI_BASE_OBJECT_H

#include "base/arena.h"
#include "base/error.h"

// Takes the arrays of an object from an arena, or plans their size over an empty one.
typedef void hfiTakeArrays(void* object, hfiArena* arena);

// Creates an object of `size` bytes with its arrays. The object is a copy of `seed`, which has everything on which the
// sizes of the arrays depend; the arrays are zero. hfi_release frees everything. If there is no memory, it refuses with
// HF_ERROR_MEMORY, with a message that contains the `name` of the object, and returns NULL.
void* hfi_object_create(void* seed, size_t size, hfiTakeArrays* take, const hfAllocator* allocator, const char* name,
                        hfError* error);

#endif
