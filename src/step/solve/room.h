// Storage whose planned size is enough for almost every island. The worst case would need memory that grows with the square of all dofs. If an island
// needs more than was planned, more is allocated.
#ifndef HFI_SOLVE_ROOM_H
#define HFI_SOLVE_ROOM_H

#include "base/arena.h"

typedef struct hfiRoom {
  double* at;
  size_t count;  // number of doubles at `at`
  double* grown; // equal to `at` if that memory was allocated later; NULL if it is the planned memory
} hfiRoom;

// Takes storage for `count` numbers from the arena.
void hfi_room_plan(hfiRoom* room, hfiArena* arena, size_t count);
// Makes sure that there is storage for `count` numbers. If it has to allocate, it allocates a fourth more, and the old contents are lost. Returns 0 if
// there is no memory.
int hfi_room_make(hfiRoom* room, size_t count, const hfAllocator* allocator);
// Frees the allocated memory.
void hfi_room_release(hfiRoom* room);

#endif
