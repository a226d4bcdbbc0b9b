// A line plot as SVG: a frame, a grid at round numbers, one polyline for each curve, and a legend.
//
// The distance of ticks is 1, 2 or 5 times a power of ten: the smallest one with at most `TICKS` ticks.
//
// A series keeps the extremes of a quantity over time in a bounded number of bins.
//
// s: a series, t, y: ranges of time and of values, v: a value at a line of the grid.
#include "io/record/plot.h"
#include "math/elementary.h"

#include <math.h>

// ---- series -------------------------------------------------------------------------------------

void hfi_series_init(hfiSeries* s) {
  s->count = 0;
  s->filled = 0;
  s->stride = 1;
}

// Makes one bin of each two, so that half of the bins are free.
static void merge_neighbours(hfiSeries* s) {
  for (int i = 0; 2 * i < s->count; ++i) {
    hfiBin a = s->bin[2 * i];
    hfiBin b = s->bin[2 * i + 1];
    s->bin[i] = (hfiBin){a.first, b.last, fmin(a.lo, b.lo), fmax(a.hi, b.hi)};
  }
  s->count /= 2;
  s->stride *= 2;
  s->filled = s->stride; // This marks the last bin as full, so that the next sample begins a new one.
}

// Adds a sample: to the last bin unless it is full, or else to a new one. A value that is not finite is left out.
void hfi_series_add(hfiSeries* s, double time, double value) {
  if (!isfinite(value)) return;
  if (s->count > 0 && s->filled < s->stride) {
    hfiBin* b = &s->bin[s->count - 1];
    b->last = time;
    b->lo = fmin(b->lo, value);
    b->hi = fmax(b->hi, value);
    ++s->filled;
    return;
  }

  if (s->count == HFI_SERIES_BINS) merge_neighbours(s);
  s->bin[s->count] = (hfiBin){time, time, value, value};
  ++s->count;
  s->filled = 1;
}

// ---- the plot -----------------------------------------------------------------------------------

enum { WIDTH = 860, HEIGHT = 260, LEFT = 90, RIGHT = 20, TOP = 34, BOTTOM = 44, LEGEND_WIDTH = 150, TICKS = 6 };

// Colours that colour-blind readers can tell apart.
static const char* const colours[HFI_PLOT_CURVES] = {"#0072b2", "#d55e00", "#009e73",
                                                     "#cc79a7", "#e69f00", "#56b4e9"};

// Two numbers whose difference is below this share of the distance of ticks are one on the grid [-].
static const double GRID_TOLERANCE = 1e-9;

typedef struct range {
  double lo, hi;
} range;

// The distance of ticks in a range.
static double tick_step(range r) {
  double raw = (r.hi - r.lo) / TICKS;
  double power = hfi_pow(10, floor(hfi_log10(raw)));
  double part = raw / power;

  if (part <= 1) return power;
  if (part <= 2) return power * 2;
  return power * (part <= 5 ? 5 : 10);
}

// The range; one around it if it is a single value; 0 to 1 if there are no values.
static range widen(range r) {
  static const double LEAST_PAD = 1e-12; // around a value of zero
  if (!(r.lo <= r.hi)) return (range){0, 1};
  double pad = r.hi > r.lo ? 0 : fmax(fabs(r.hi) * 0.1, LEAST_PAD);
  return (range){r.lo - pad, r.hi + pad};
}

// The ranges of time and of the values of all curves.
static void find_ranges(const hfiCurve* curve, int count, range* t, range* y) {
  *t = (range){INFINITY, -INFINITY};
  *y = *t;

  for (int c = 0; c < count; ++c) {
    const hfiSeries* s = curve[c].series;
    for (int i = 0; i < s->count; ++i) {
      t->lo = fmin(t->lo, s->bin[i].first);
      t->hi = fmax(t->hi, s->bin[i].last);
      y->lo = fmin(y->lo, s->bin[i].lo);
      y->hi = fmax(y->hi, s->bin[i].hi);
    }
  }

  *t = widen(*t);
  *y = widen(*y);
}

static double place_x(double t, range r) {
  return LEFT + (t - r.lo) / (r.hi - r.lo) * (WIDTH - LEFT - RIGHT);
}
static double place_y(double y, range r) {
  return HEIGHT - BOTTOM - (y - r.lo) / (r.hi - r.lo) * (HEIGHT - TOP - BOTTOM);
}

// Draws lines of the grid and their numbers: upright ones for the times, then level ones.
static void put_grid(hfiOutput* out, range t, range y) {
  double step = tick_step(t);
  for (double v = ceil(t.lo / step) * step; v <= t.hi + GRID_TOLERANCE * step; v += step) {
    double x = place_x(v, t);
    double shown = fabs(v) < GRID_TOLERANCE * step ? 0 : v;
    hfi_output_print(out, "<path class=\"grid\" d=\"M%.1f %dV%d\"/>", x, TOP, HEIGHT - BOTTOM);
    hfi_output_print(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.6g</text>\n", x, HEIGHT - BOTTOM + 16,
                     shown);
  }

  step = tick_step(y);
  for (double v = ceil(y.lo / step) * step; v <= y.hi + GRID_TOLERANCE * step; v += step) {
    double height = place_y(v, y);
    double shown = fabs(v) < GRID_TOLERANCE * step ? 0 : v;
    hfi_output_print(out, "<path class=\"grid\" d=\"M%d %.1fH%d\"/>", LEFT, height, WIDTH - RIGHT);
    hfi_output_print(out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.6g</text>\n", LEFT - 6, height + 4, shown);
  }
}

// Draws a curve through the least and the greatest value of each bin.
static void put_curve(hfiOutput* out, const hfiSeries* s, range t, range y, const char* colour) {
  hfi_output_print(out, "<polyline class=\"curve\" stroke=\"%s\" points=\"", colour);
  for (int i = 0; i < s->count; ++i) {
    hfiBin b = s->bin[i];
    double x = place_x(0.5 * (b.first + b.last), t);
    hfi_output_print(out, "%.1f,%.1f ", x, place_y(b.lo, y));
    if (b.hi > b.lo) hfi_output_print(out, "%.1f,%.1f ", x, place_y(b.hi, y));
  }
  hfi_output_print(out, "\"/>\n");
}

// Draws a plot of curves over time. unit: the label of the vertical axis.
void hfi_plot_svg(hfiOutput* out, const char* title, const char* unit, const hfiCurve* curve, int count) {
  range t;
  range y;
  find_ranges(curve, count, &t, &y);
  hfi_output_print(out, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">\n", WIDTH, HEIGHT, title);
  hfi_output_print(out, "<text class=\"title\" x=\"%d\" y=\"16\">%s</text>\n", LEFT, title);
  put_grid(out, t, y);

  // frame and names of the axes
  hfi_output_print(out, "<rect class=\"frame\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n", LEFT, TOP,
                   WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM);
  hfi_output_print(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">time [s]</text>\n", (LEFT + WIDTH - RIGHT) / 2,
                   HEIGHT - 8);
  hfi_output_print(out, "<text transform=\"translate(16 %d) rotate(-90)\" text-anchor=\"middle\">%s</text>\n",
                   (TOP + HEIGHT - BOTTOM) / 2, unit);

  // curves, and their legend in one line above the frame
  for (int c = 0; c < count; ++c) {
    put_curve(out, curve[c].series, t, y, colours[c % HFI_PLOT_CURVES]);
    int x = WIDTH - RIGHT - LEGEND_WIDTH * (count - c);
    hfi_output_print(out, "<path class=\"curve\" stroke=\"%s\" d=\"M%d 12h22\"/>", colours[c % HFI_PLOT_CURVES], x);
    hfi_output_print(out, "<text x=\"%d\" y=\"16\">%s</text>\n", x + 28, curve[c].name);
  }
  hfi_output_print(out, "</svg>\n");
}
