// A bump allocator over memory that is planned once.
//
// Passed by value, its bump pointer restores itself on return: what a callee takes is scratch.
// Passed by pointer, what a callee takes stays taken. A planning pass runs the same code over an
// arena without memory (base == NULL) and reads `used` for the size to allocate.
#ifndef HFI_BASE_ARENA_H
#define HFI_BASE_ARENA_H

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { HFI_ALIGN = 64 }; // a cache line

typedef struct hfiArena {
  char* base; // NULL while planning
  size_t size, used;
} hfiArena;

static inline hfiArena hfi_arena(void* memory, size_t size) {
  hfiArena a = {(char*)memory, size, 0};
  return a;
}

// `count` elements of `width` bytes; NULL while planning. Overrun is a broken contract.
static inline void* hfi_arena_take(hfiArena* a, size_t count, size_t width) {
  size_t start = (a->used + HFI_ALIGN - 1) / HFI_ALIGN * HFI_ALIGN;
  a->used = start + count * width;
  if (!a->base) return NULL;
  assert(a->used <= a->size);
  return a->base + start;
}

// An arena over zeroed memory of the planned size. The caller frees its base, which is NULL where
// memory ran out.
static inline hfiArena hfi_arena_allocate(const hfiArena* plan) {
  size_t size = (plan->used / HFI_ALIGN + 1) * HFI_ALIGN;
  void* memory = aligned_alloc(HFI_ALIGN, size);
  if (memory) memset(memory, 0, size);
  return hfi_arena(memory, size);
}

#define HFI_TAKE(arena, type, count) ((type*)hfi_arena_take((arena), (size_t)(count), sizeof(type)))

#endif
