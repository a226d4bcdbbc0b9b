// Storage with room for what almost every island needs. Its worst case grows with the square of all dofs: where an island needs more than was
// planned, more is allocated.
#ifndef HFI_SOLVE_ROOM_H
#define HFI_SOLVE_ROOM_H

#include "base/arena.h"

typedef struct hfiRoom {
  double* at;
  size_t count;  // numbers at `at`
  double* grown; // the same memory where it was allocated later, or NULL
} hfiRoom;

// Takes storage for `count` numbers.
void hfi_room_plan(hfiRoom* room, hfiArena* arena, size_t count);
// Makes room for `count` numbers, and for a fourth more where that has to be allocated. What was there is lost. Returns 0 where there is no memory.
int hfi_room_make(hfiRoom* room, size_t count, const hfAllocator* allocator);
// Gives back what was allocated.
void hfi_room_release(hfiRoom* room);

#endif
