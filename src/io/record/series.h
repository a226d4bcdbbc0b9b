// A quantity over time in bounded memory. Each bin keeps the smallest and the largest of `stride` samples. When all bins
// are used, each two neighbours become one bin and the stride doubles.
#ifndef HFI_RECORD_SERIES_H
#define HFI_RECORD_SERIES_H

enum { HFI_SERIES_BINS = 1024 };

typedef struct hfiBin {
  double first, last; // times [s]
  double lo, hi;
} hfiBin;

typedef struct hfiSeries {
  hfiBin bin[HFI_SERIES_BINS];
  int count;   // how many bins are used; the last may not be full
  long filled; // samples in the last bin
  long stride; // samples in a full bin
} hfiSeries;

void hfi_series_init(hfiSeries* s);
// Adds a sample. A value that is not finite is left out.
void hfi_series_add(hfiSeries* s, double time, double value);

#endif
