// Where the memory of an object comes from.
#ifndef HOLDFAST_ALLOCATOR_H
#define HOLDFAST_ALLOCATOR_H

#include <stddef.h>

// Two functions of yours. Configurations with a field `allocator` copy it, and the object takes all its memory with it when it is created and gives
// it back when it is freed. A step allocates nothing, with two exceptions: a heap of thousands of bodies may need larger factors than were planned,
// and by the method "mlcp" an island may have more contacts than any before it. If there is no memory for that, the step is refused with
// HF_ERROR_MEMORY. All zero: the C library's.
//
// States need none: hf_state_init lays a state out in memory of yours. Neither do models: a block may be copied into memory of
// yours that is aligned to 64 bytes.
typedef struct hfAllocator {
  void* context; // passed to both functions
  // Memory of `size` bytes at a multiple of `alignment`, a power of two. NULL: there is none, and the creation is refused with
  // HF_ERROR_MEMORY.
  void* (*allocate)(void* context, size_t size, size_t alignment);
  // Frees memory that allocate returned.
  void (*release)(void* context, void* memory);
} hfAllocator;

#endif
