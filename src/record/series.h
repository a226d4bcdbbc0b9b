// A quantity over time in bounded memory: each bin keeps the extremes of `stride` samples; when the
// bins are full, neighbours merge and the stride doubles.
#ifndef HFI_RECORD_SERIES_H
#define HFI_RECORD_SERIES_H

enum { HFI_SERIES_BINS = 1024 };

typedef struct hfiBin {
  double first, last; // times [s]
  double lo, hi;
} hfiBin;

typedef struct hfiSeries {
  hfiBin bin[HFI_SERIES_BINS];
  int count;   // bins in use; the last may be partly filled
  long filled; // samples in the last bin
  long stride; // samples a bin
} hfiSeries;

void hfi_series_init(hfiSeries* s);
// Values that are not finite are left out.
void hfi_series_add(hfiSeries* s, double time, double value);

#endif
