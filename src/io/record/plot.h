// Quantities over time, and line plots of them as SVG.
#ifndef HFI_RECORD_PLOT_H
#define HFI_RECORD_PLOT_H

#include "base/output.h"

// A quantity over time in bounded memory. Each bin keeps the smallest and the largest of `stride` samples. When all
// bins are used, each two neighbours become one bin and the stride doubles.
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

typedef struct hfiCurve {
  const char* name;
  const hfiSeries* series;
} hfiCurve;

enum { HFI_PLOT_CURVES = 6 };

// `unit` is the label of the vertical axis. The horizontal axis is time.
void hfi_plot_svg(hfiOutput* out, const char* title, const char* unit, const hfiCurve* curve, int count);

#endif
