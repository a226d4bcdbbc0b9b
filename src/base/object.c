// See object.h.
#include "base/object.h"

#include <string.h>

// Creates an object in one block with its arrays: plans their size with the seed, then copies the seed and takes them.
void* hfi_object_create(void* seed, size_t size, hfiTakeArrays* take, const hfAllocator* allocator, const char* name,
                        hfError* error) {
  // how much memory it needs
  hfiArena plan = hfi_arena(NULL, 0);
  hfi_arena_take(&plan, 1, size);
  take(seed, &plan);

  hfiArena arena = hfi_arena_allocate(&plan, allocator);
  if (!arena.base) {
    hfi_refuse(error, HF_ERROR_MEMORY, "out of memory: %s of %zu bytes", name, plan.used);
    return NULL;
  }

  void* object = hfi_arena_take(&arena, 1, size);
  memcpy(object, seed, size);
  take(object, &arena);
  return object;
}
