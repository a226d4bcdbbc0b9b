// A line plot as SVG: a frame, a grid at round numbers, one polyline for each curve, and a legend.
//
// The distance of ticks is 1, 2 or 5 times a power of ten: the smallest one with at most `TICKS` ticks.
#include "io/record/plot.h"
#include "math/elementary.h"

#include <math.h>

enum { WIDTH = 860, HEIGHT = 260, LEFT = 90, RIGHT = 20, TOP = 34, BOTTOM = 44, TICKS = 6 };

// Colours that colour-blind readers can tell apart.
static const char* const colours[HFI_PLOT_CURVES] = {"#0072b2", "#d55e00", "#009e73",
                                                     "#cc79a7", "#e69f00", "#56b4e9"};

typedef struct range {
  double lo, hi;
} range;

static double tick_step(range r) {
  double raw = (r.hi - r.lo) / TICKS, power = hfi_pow(10, floor(hfi_log10(raw)));
  double part = raw / power;
  return power * (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10);
}

static range widen(range r) { // never empty
  if (!(r.lo <= r.hi)) return (range){0, 1};
  double pad = r.hi > r.lo ? 0 : fmax(fabs(r.hi) * 0.1, 1e-12);
  return (range){r.lo - pad, r.hi + pad};
}

static void find_ranges(const hfiCurve* curve, int count, range* t, range* y) {
  *t = *y = (range){INFINITY, -INFINITY};
  for (int c = 0; c < count; ++c) {
    const hfiSeries* s = curve[c].series;
    for (int i = 0; i < s->count; ++i) {
      t->lo = fmin(t->lo, s->bin[i].first), t->hi = fmax(t->hi, s->bin[i].last);
      y->lo = fmin(y->lo, s->bin[i].lo), y->hi = fmax(y->hi, s->bin[i].hi);
    }
  }
  *t = widen(*t), *y = widen(*y);
}

static double place_x(double t, range r) {
  return LEFT + (t - r.lo) / (r.hi - r.lo) * (WIDTH - LEFT - RIGHT);
}
static double place_y(double y, range r) {
  return HEIGHT - BOTTOM - (y - r.lo) / (r.hi - r.lo) * (HEIGHT - TOP - BOTTOM);
}

static void put_grid(hfiOutput* out, range t, range y) {
  double step = tick_step(t);
  for (double v = ceil(t.lo / step) * step; v <= t.hi + 1e-9 * step; v += step)
    hfi_output_print(out,
                     "<path class=\"grid\" d=\"M%.1f %dV%d\"/><text x=\"%.1f\" y=\"%d\" "
                     "text-anchor=\"middle\">%.6g</text>\n",
                     place_x(v, t), TOP, HEIGHT - BOTTOM, place_x(v, t), HEIGHT - BOTTOM + 16,
                     fabs(v) < 1e-9 * step ? 0 : v);
  step = tick_step(y);
  for (double v = ceil(y.lo / step) * step; v <= y.hi + 1e-9 * step; v += step)
    hfi_output_print(out,
                     "<path class=\"grid\" d=\"M%d %.1fH%d\"/><text x=\"%d\" y=\"%.1f\" "
                     "text-anchor=\"end\">%.6g</text>\n",
                     LEFT, place_y(v, y), WIDTH - RIGHT, LEFT - 6, place_y(v, y) + 4,
                     fabs(v) < 1e-9 * step ? 0 : v);
}

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

void hfi_plot_svg(hfiOutput* out, const char* title, const char* unit, const hfiCurve* curve,
                  int count) {
  range t, y;
  find_ranges(curve, count, &t, &y);
  hfi_output_print(out, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">\n", WIDTH,
                   HEIGHT, title);
  hfi_output_print(out, "<text class=\"title\" x=\"%d\" y=\"16\">%s</text>\n", LEFT, title);
  put_grid(out, t, y);
  hfi_output_print(out, "<rect class=\"frame\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n",
                   LEFT, TOP, WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM);
  hfi_output_print(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">time [s]</text>\n",
                   (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8);
  hfi_output_print(
      out, "<text transform=\"translate(16 %d) rotate(-90)\" text-anchor=\"middle\">%s</text>\n",
      (TOP + HEIGHT - BOTTOM) / 2, unit);
  for (int c = 0; c < count; ++c) {
    put_curve(out, curve[c].series, t, y, colours[c % HFI_PLOT_CURVES]);
    int x = WIDTH - RIGHT - 150 * (count - c);
    hfi_output_print(
        out,
        "<path class=\"curve\" stroke=\"%s\" d=\"M%d 12h22\"/><text x=\"%d\" y=\"16\">%s</text>\n",
        colours[c % HFI_PLOT_CURVES], x, x + 28, curve[c].name);
  }
  hfi_output_print(out, "</svg>\n");
}
