// A line plot as SVG.
#ifndef HFI_RECORD_PLOT_H
#define HFI_RECORD_PLOT_H

#include "base/output.h"
#include "io/record/series.h"

typedef struct hfiCurve {
  const char* name;
  const hfiSeries* series;
} hfiCurve;

enum { HFI_PLOT_CURVES = 6 };

// `unit` is the label of the vertical axis. The horizontal axis is time.
void hfi_plot_svg(hfiOutput* out, const char* title, const char* unit, const hfiCurve* curve,
                  int count);

#endif
