// Storage that grows, see room.h.
#include "step/solve/room.h"

void hfi_room_plan(hfiRoom* room, hfiArena* arena, size_t count) { *room = (hfiRoom){HFI_TAKE(arena, double, count), count, NULL}; }

int hfi_room_make(hfiRoom* room, size_t count, const hfAllocator* allocator) {
  if (count <= room->count) return 1;
  size_t more = count + count / 4;
  double* grown = hfi_allocate(allocator, sizeof *grown * more);
  if (!grown) return 0;
  hfi_release(room->grown);
  *room = (hfiRoom){grown, more, grown};
  return 1;
}

void hfi_room_release(hfiRoom* room) { hfi_release(room->grown); }
