// See history.h.
#include "live/history.h"

#include <stdlib.h>
#include <string.h>

static hfiMoment* slot(const hfiHistory* h, int i) {
  return &h->moment[(h->first + i) % h->capacity];
}

const hfiMoment* hfi_history_at(const hfiHistory* h, int i) { return slot(h, i); }

int hfi_history_open(hfiHistory* h, double span) {
  *h = (hfiHistory){.span = span};
  if (span <= 0) return 1;
  h->moment = calloc(HFI_HISTORY_MOMENTS, sizeof *h->moment);
  if (h->moment) h->capacity = HFI_HISTORY_MOMENTS;
  return h->moment != NULL;
}

static void release(hfiHistory* h, hfiMoment* m) {
  h->bytes -= m->chunks.size + m->state_size;
  hfi_bytes_release(&m->chunks);
  free(m->state);
  *m = (hfiMoment){0};
}

void hfi_history_close(hfiHistory* h) {
  for (int i = 0; i < h->count; ++i) release(h, slot(h, i));
  free(h->moment);
  *h = (hfiHistory){0};
}

static void drop_oldest(hfiHistory* h) {
  release(h, slot(h, 0));
  h->first = (h->first + 1) % h->capacity;
  --h->count;
}

void hfi_history_add(hfiHistory* h, double time, const void* chunks, size_t size, const void* state,
                     size_t state_size) {
  if (h->capacity == 0) return;
  while (h->count > 0 && (h->count == h->capacity || slot(h, 0)->time < time - h->span ||
                          h->bytes + size + state_size > HFI_HISTORY_BYTES))
    drop_oldest(h);
  hfiMoment m = {.time = time, .state_size = state_size, .state = malloc(state_size)};
  hfi_bytes_put(&m.chunks, chunks, size);
  if (!m.state || m.chunks.failed) { // without memory the past has a gap
    free(m.state);
    hfi_bytes_release(&m.chunks);
    return;
  }
  memcpy(m.state, state, state_size);
  h->bytes += size + state_size;
  *slot(h, h->count++) = m;
}

const hfiMoment* hfi_history_find(const hfiHistory* h, double time) {
  for (int i = h->count - 1; i >= 0; --i)
    if (slot(h, i)->time <= time) return slot(h, i);
  return NULL;
}

void hfi_history_cut(hfiHistory* h, double time) {
  while (h->count > 0 && slot(h, h->count - 1)->time > time) {
    release(h, slot(h, h->count - 1));
    --h->count;
  }
}
