// The last frames of a session with the states behind them, in bounded memory.
#ifndef HFI_LIVE_HISTORY_H
#define HFI_LIVE_HISTORY_H

#include "base/bytes.h"

// One moment: the chunks since the moment before, then a state chunk.
typedef struct hfiMoment {
  double time;
  hfiBytes chunks;   // frame and events
  size_t state_size; // of the state behind them
  char* state;
} hfiMoment;

typedef struct hfiHistory {
  hfiMoment* moment; // ring
  int first, count, capacity;
  double span;  // moments older than this are dropped [s]
  size_t bytes; // held by all of them
} hfiHistory;

enum { HFI_HISTORY_MOMENTS = 60 * 60, HFI_HISTORY_BYTES = 256 << 20 };

// span 0: nothing is kept.
int hfi_history_open(hfiHistory* history, double span); // 0: out of memory
void hfi_history_close(hfiHistory* history);
void hfi_history_add(hfiHistory* history, double time, const void* chunks, size_t size,
                     const void* state, size_t state_size);
// The last moment at or before a time, NULL when there is none.
const hfiMoment* hfi_history_find(const hfiHistory* history, double time);
// Forgets every moment after a time.
void hfi_history_cut(hfiHistory* history, double time);
const hfiMoment* hfi_history_at(const hfiHistory* history, int i); // 0: the oldest

#endif
