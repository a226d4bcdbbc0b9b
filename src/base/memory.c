// See memory.h. The head of a block lies in the HFI_ALIGN bytes before it.
#include "base/memory.h"

#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct Head {
  hfAllocator allocator;
  void* start; // address that the allocator returned
} Head;

static_assert(sizeof(Head) <= HFI_ALIGN, "the head of a block fits before it");

static Head* head_of(void* memory) { return (Head*)(void*)((char*)memory - HFI_ALIGN); }

// Returns `size` bytes of zeros at a multiple of HFI_ALIGN, or NULL if there is no memory. They come from the allocator
// of the caller if there is one. The C library zeroes large blocks without touching them: pages that are never used
// cost nothing.
void* hfi_allocate(const hfAllocator* allocator, size_t size) {
  if (size > SIZE_MAX - 2 * HFI_ALIGN) return NULL;
  int is_from_caller = allocator && allocator->allocate;
  size_t all = size + 2 * HFI_ALIGN;

  // a block with room for the head and for alignment
  char* start = is_from_caller ? allocator->allocate(allocator->context, all, HFI_ALIGN) : calloc(1, all);
  if (!start) return NULL;
  if (is_from_caller) memset(start, 0, all);

  // the next multiple of HFI_ALIGN that leaves room for the head
  void* memory = start + HFI_ALIGN + (HFI_ALIGN - (uintptr_t)start % HFI_ALIGN) % HFI_ALIGN;
  Head* head = head_of(memory);
  if (is_from_caller) head->allocator = *allocator;
  head->start = start;
  return memory;
}

// Gives a block back to where it came from.
void hfi_release(void* memory) {
  if (!memory) return;
  Head head = *head_of(memory);
  if (head.allocator.allocate)
    head.allocator.release(head.allocator.context, head.start);
  else
    free(head.start);
}

// The memory of the machine [bytes], or SIZE_MAX if the system does not say.
size_t hfi_machine_memory(void) {
#ifdef _SC_PHYS_PAGES
  long pages = sysconf(_SC_PHYS_PAGES);
  long size = sysconf(_SC_PAGESIZE);
  if (pages > 0 && size > 0) return (size_t)pages * (size_t)size;
#endif
  return SIZE_MAX;
}
