// Keeps the extremes of a quantity over time in a bounded number of bins (io/record/series.h).
#include "io/record/series.h"

#include <math.h>

void hfi_series_init(hfiSeries* s) { s->count = 0, s->filled = 0, s->stride = 1; }

static void merge_neighbours(hfiSeries* s) {
  for (int i = 0; 2 * i < s->count; ++i) {
    hfiBin a = s->bin[2 * i], b = s->bin[2 * i + 1];
    s->bin[i] = (hfiBin){a.first, b.last, fmin(a.lo, b.lo), fmax(a.hi, b.hi)};
  }
  s->count /= 2;
  s->stride *= 2;
  s->filled = s->stride; // This marks the last bin as full, so that the next sample begins a new one.
}

void hfi_series_add(hfiSeries* s, double time, double value) {
  if (!isfinite(value)) return;
  if (s->count > 0 && s->filled < s->stride) {
    hfiBin* b = &s->bin[s->count - 1];
    b->last = time, b->lo = fmin(b->lo, value), b->hi = fmax(b->hi, value);
    ++s->filled;
    return;
  }
  if (s->count == HFI_SERIES_BINS) merge_neighbours(s);
  s->bin[s->count++] = (hfiBin){time, time, value, value};
  s->filled = 1;
}
