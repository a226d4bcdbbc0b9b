// A bump allocator over memory that is planned once.
//
// If the arena is passed by value, its bump pointer restores itself on return, so that what a callee takes is scratch.
// If it is passed by pointer, what a callee takes stays taken. A planning pass runs the same code over an arena without
// memory (base == NULL) and reads `used` for the size to allocate.
#ifndef HFI_BASE_ARENA_H
#define HFI_BASE_ARENA_H

#include "base/memory.h"

#include <assert.h>
#include <stddef.h>

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

// Returns an arena over zeroed memory of the planned size. The caller frees its base with hfi_release. The base is NULL
// if there is no memory.
static inline hfiArena hfi_arena_allocate(const hfiArena* plan, const hfAllocator* allocator) {
  return hfi_arena(hfi_allocate(allocator, plan->used), plan->used);
}

#define HFI_TAKE(arena, type, count) ((type*)hfi_arena_take((arena), (size_t)(count), sizeof(type)))
// Takes several arrays of one length: HFI_TAKE_EACH(arena, double, n, &a, &b, &c).
#define HFI_TAKE_EACH(arena, type, count, ...)                                                                    \
  do {                                                                                                            \
    type** const each_[] = {__VA_ARGS__};                                                                         \
    for (size_t i_ = 0; i_ < sizeof each_ / sizeof *each_; ++i_) *each_[i_] = HFI_TAKE((arena), type, (count));   \
  } while (0)

#endif
