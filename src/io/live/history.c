// The past of a session in a ring of moments: see history.h.
//
// h: the history. Moment 0 is the oldest one.
#include "io/live/history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Moment i, or the place for it.
static hfiMoment* get_moment(const hfiHistory* h, int i) {
  return &h->moment[(h->first + i) % h->capacity];
}

const hfiMoment* hfi_history_at(const hfiHistory* h, int i) { return get_moment(h, i); }

// Makes a history that reaches `span` back [s]; none if that is 0. Returns 0 if there is no memory.
int hfi_history_open(hfiHistory* h, double span) {
  *h = (hfiHistory){.span = span};
  if (span <= 0) return 1;
  int capacity = (int)ceil(HFI_HISTORY_RATE * span);
  h->moment = malloc((size_t)capacity * sizeof *h->moment);
  if (!h->moment) return 0;
  h->capacity = capacity;
  for (int i = 0; i < capacity; ++i) h->moment[i] = (hfiMoment){0};
  return 1;
}

// Frees what a moment holds.
static void release_moment(hfiHistory* h, hfiMoment* m) {
  h->bytes -= m->chunks_size + m->state_size;
  free(m->state);
  *m = (hfiMoment){0};
}

void hfi_history_close(hfiHistory* h) {
  for (int i = 0; i < h->count; ++i) release_moment(h, get_moment(h, i));
  free(h->moment);
  *h = (hfiHistory){0};
}

// Forgets the oldest moment.
static void drop_oldest(hfiHistory* h) {
  release_moment(h, get_moment(h, 0));
  h->first = (h->first + 1) % h->capacity;
  --h->count;
}

// Adds a moment, and forgets old ones that are before the span or for which there is no room.
void hfi_history_add(hfiHistory* h, double time, const void* chunks, size_t size, const void* state,
                     size_t state_size) {
  if (h->capacity == 0) return;

  while (h->count > 0) {
    int is_full = h->count == h->capacity || h->bytes + size + state_size > HFI_HISTORY_BYTES;
    if (!is_full && get_moment(h, 0)->time >= time - h->span) break;
    drop_oldest(h);
  }

  hfiMoment m = {.time = time, .state = malloc(state_size + size), .state_size = state_size, .chunks_size = size};
  if (!m.state) return; // If there is no memory, the past has a gap.

  memcpy(m.state, state, state_size);
  memcpy(m.state + state_size, chunks, size);
  h->bytes += size + state_size;
  *get_moment(h, h->count) = m;
  ++h->count;
}

const hfiMoment* hfi_history_find(const hfiHistory* h, double time) {
  for (int i = h->count - 1; i >= 0; --i)
    if (get_moment(h, i)->time <= time) return get_moment(h, i);
  return NULL;
}

void hfi_history_cut(hfiHistory* h, double time) {
  while (h->count > 0 && get_moment(h, h->count - 1)->time > time) {
    release_moment(h, get_moment(h, h->count - 1));
    --h->count;
  }
}
