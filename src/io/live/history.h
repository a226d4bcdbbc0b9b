// The last frames of a session, with the states that belong to them, in bounded memory.
#ifndef HFI_LIVE_HISTORY_H
#define HFI_LIVE_HISTORY_H

#include <stddef.h>

// One moment: the chunks since the moment before (frame and events), and the payload of the state chunk after them.
typedef struct hfiMoment {
  double time;
  char* state; // start of the one block of memory in which both lie
  size_t state_size, chunks_size;
} hfiMoment;

typedef struct hfiHistory {
  hfiMoment* moment; // ring
  int first, count, capacity;
  double span;  // moments older than this are dropped [s]
  size_t bytes; // bytes of all moments, states and chunks
} hfiHistory;

// Largest number of moments for each second of the span, and largest number of bytes in all.
enum { HFI_HISTORY_RATE = 60, HFI_HISTORY_BYTES = 256 << 20 };

// With span 0 nothing is kept. The whole array of moments is written now, so that later the memory of a program grows
// only with the moments. Returns 0 if there is no memory.
int hfi_history_open(hfiHistory* history, double span);
void hfi_history_close(hfiHistory* history);
void hfi_history_add(hfiHistory* history, double time, const void* chunks, size_t size,
                     const void* state, size_t state_size);
// The last moment at or before a time, NULL when there is none.
const hfiMoment* hfi_history_find(const hfiHistory* history, double time);
// Forgets every moment after a time.
void hfi_history_cut(hfiHistory* history, double time);
const hfiMoment* hfi_history_at(const hfiHistory* history, int i); // 0: the oldest
static inline const char* hfi_moment_chunks(const hfiMoment* m) { return m->state + m->state_size; }

#endif
