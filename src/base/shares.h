// Several threads that fill one array in order. The work is divided into shares, one after the other, and each share
// writes into a segment of the array of its own. When all are done, the segments are moved together, so that the array
// is the same as if one thread had filled it.
#ifndef HFI_BASE_SHARES_H
#define HFI_BASE_SHARES_H

#include "base/workers.h"

#include <stddef.h>
#include <stdint.h>

enum { HFI_MAX_SHARES = 8 }; // Shares take different times. With eight, two threads end at about the same time.

typedef struct hfiShares {
  int number;                // of shares
  int work;                  // items of work
  int capacity;              // of the array
  int count[HFI_MAX_SHARES]; // elements that each share has written
  int lost[HFI_MAX_SHARES];  // elements for which its segment had no room
} hfiShares;

// The first item of work of a share, and the first element of its segment. The share ends where the next one begins.
static inline int hfi_first_work(const hfiShares* s, int share) { return (int)((int64_t)s->work * share / s->number); }
static inline int hfi_first_element(const hfiShares* s, int share) {
  return (int)((int64_t)s->capacity * share / s->number);
}

// Calls task(context, share) for each share. If some segment is too small, does all work once more in a single share,
// which has the whole array. Returns the number of elements; *lost is for how many of them the array had no room. The
// context has `shares` for the task to read, and for its counts.
int hfi_fill_by_shares(hfiWorkers* workers, hfiShares* shares, void (*task)(void* context, int share), void* context,
                       void* array, size_t element, int* lost);

#endif
