#include "base/shares.h"

#include <string.h>

// With less work than this for each share, threads would wait longer for each other than they work.
enum { LEAST_WORK = 64 };

// Clears the results of the shares and runs the task of each.
static void run_shares(hfiWorkers* workers, hfiShares* s, int number, void (*task)(void*, int), void* context) {
  s->number = number;
  memset(s->count, 0, sizeof s->count);
  memset(s->lost, 0, sizeof s->lost);
  hfi_workers_run(workers, number, task, context);
}

// Has some share lost an element for which its segment had no room?
static int is_any_lost(const hfiShares* s) {
  for (int i = 0; i < s->number; ++i)
    if (s->lost[i] != 0) return 1;
  return 0;
}

// Moves the segments of all shares together in the array. Returns the number of all elements.
static int join_segments(const hfiShares* s, char* array, size_t element) {
  int count = s->count[0];
  for (int i = 1; i < s->number; ++i) {
    const char* from = array + element * (size_t)hfi_first_element(s, i);
    memmove(array + element * (size_t)count, from, element * (size_t)s->count[i]);
    count += s->count[i];
  }
  return count;
}

// Fills the array by shares, or by one share if there is little work, or if a segment was too short. Returns the number
// of its elements; *lost is the number of those for which the whole array has no room.
int hfi_fill_by_shares(hfiWorkers* workers, hfiShares* s, void (*task)(void*, int), void* context, void* array,
                       size_t element, int* lost) {
  int is_divided = workers && s->work >= LEAST_WORK * HFI_MAX_SHARES;
  run_shares(workers, s, is_divided ? HFI_MAX_SHARES : 1, task, context);
  if (is_divided && is_any_lost(s)) run_shares(workers, s, 1, task, context);

  *lost = s->lost[0];
  return join_segments(s, array, element);
}
