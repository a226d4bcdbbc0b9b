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

static int is_any_lost(const hfiShares* s) {
  int lost = 0;
  for (int i = 0; i < s->number; ++i) lost += s->lost[i];
  return lost;
}

// Moves the segments of all shares together in the array. Returns the number of all elements.
static int join_segments(const hfiShares* s, char* array, size_t element) {
  int count = s->count[0];
  for (int i = 1; i < s->number; count += s->count[i++])
    memmove(array + element * (size_t)count, array + element * (size_t)hfi_first_element(s, i), element * (size_t)s->count[i]);
  return count;
}

int hfi_fill_by_shares(hfiWorkers* workers, hfiShares* s, void (*task)(void*, int), void* context, void* array, size_t element, int* lost) {
  int pays = workers && s->work >= LEAST_WORK * HFI_MAX_SHARES;
  run_shares(workers, s, pays ? HFI_MAX_SHARES : 1, task, context);
  if (pays && is_any_lost(s)) run_shares(workers, s, 1, task, context);
  *lost = s->lost[0];
  return join_segments(s, array, element);
}
