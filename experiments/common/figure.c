// Figures as SVG: axes with round ticks (decades on logarithmic axes), a grid, curves and a legend.
#include "common/figure.h"
#include "common/svg.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

void figure_add(figure* f, const char* name, int count, const double* x, const double* y,
                figureStyle style) {
  assert(f->count < FIGURE_CURVES);
  figureCurve c = {name, x, y, count, style};
  f->curve[f->count++] = c;
}

typedef struct FigureAxis {
  double lo, hi;
  int log;
} FigureAxis; // in log10 where log

static int usable(double value, int log) { return isfinite(value) && (!log || value > 0); }
static double scaled(double value, int log) { return log ? log10(value) : value; }
static int point_usable(const figure* f, const figureCurve* c, int i) {
  return usable(c->x[i], f->xlog) && usable(c->y[i], f->ylog);
}

static FigureAxis range_of(const figure* f, int vertical) {
  FigureAxis a = {INFINITY, -INFINITY, vertical ? f->ylog : f->xlog};
  for (int k = 0; k < f->count; ++k)
    for (int i = 0; i < f->curve[k].count; ++i) {
      if (!point_usable(f, &f->curve[k], i)) continue;
      double v = scaled(vertical ? f->curve[k].y[i] : f->curve[k].x[i], a.log);
      a.lo = fmin(a.lo, v), a.hi = fmax(a.hi, v);
    }
  if (!(a.lo <= a.hi)) a.lo = 0, a.hi = 1;
  double pad = a.hi > a.lo ? 0.04 * (a.hi - a.lo) : 0.5;
  a.lo -= pad, a.hi += pad;
  return a;
}

static double x_at(const FigureAxis* a, double v) {
  return LEFT + (WIDTH - LEFT - RIGHT) * (v - a->lo) / (a->hi - a->lo);
}
static double y_at(const FigureAxis* a, double v) {
  return svg_y(v, a->lo, a->hi);
}

// 1, 2 or 5 times a power of ten, about a sixth of the range; whole decades on a log axis.
static double tick_step(const FigureAxis* a) {
  double raw = (a->hi - a->lo) / 6, base = pow(10, floor(log10(raw))), m = raw / base;
  double step = base * (m < 1.5 ? 1 : m < 3.5 ? 2 : m < 7.5 ? 5 : 10);
  return a->log ? fmax(1, floor(step + 0.5)) : step;
}

static void label_tick(FILE* out, const FigureAxis* a, double v) {
  if (a->log)
    fprintf(out, "10<tspan dy=\"-5\" font-size=\"10\">%.0f</tspan>", v);
  else
    fprintf(out, "%.6g", fabs(v) < 1e-12 * (a->hi - a->lo) ? 0 : v);
}

static void draw_axis(FILE* out, const FigureAxis* a, int vertical, const char* label) {
  double step = tick_step(a);
  for (double v = ceil(a->lo / step) * step; v <= a->hi + 1e-9 * step; v += step) {
    double p = vertical ? y_at(a, v) : x_at(a, v);
    if (vertical)
      fprintf(out,
              "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" class=\"grid\"/><text x=\"%d\" "
              "y=\"%.1f\" text-anchor=\"end\">",
              LEFT, p, WIDTH - RIGHT, p, LEFT - 8, p + 4);
    else
      fprintf(out,
              "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" class=\"grid\"/><text x=\"%.1f\" "
              "y=\"%d\" text-anchor=\"middle\">",
              p, TOP, p, HEIGHT - BOTTOM, p, HEIGHT - BOTTOM + 18);
    label_tick(out, a, v);
    fprintf(out, "</text>\n");
  }
  if (vertical)
    fprintf(out,
            "<text transform=\"translate(18 %d) rotate(-90)\" text-anchor=\"middle\">%s</text>\n",
            (TOP + HEIGHT - BOTTOM) / 2, label);
  else
    fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>\n",
            (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 14, label);
}

static void draw_curve(FILE* out, const figure* f, int k, const FigureAxis* ax, const FigureAxis* ay) {
  const figureCurve* c = &f->curve[k];
  const char* colour = svg_colours[k % SVG_COLOURS];
  if (c->style != FIGURE_MARKS) {
    int drawing = 0;
    fprintf(out, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\"%s d=\"", colour,
            c->style == FIGURE_DASHED ? " stroke-dasharray=\"6 4\"" : "");
    for (int i = 0; i < c->count; ++i) {
      int usable_point = point_usable(f, c, i);
      if (usable_point)
        fprintf(out, "%s%.2f %.2f ", drawing ? "L" : "M", x_at(ax, scaled(c->x[i], ax->log)),
                y_at(ay, scaled(c->y[i], ay->log)));
      drawing = usable_point;
    }
    fprintf(out, "\"/>\n");
  }
  if (c->style == FIGURE_MARKS || c->style == FIGURE_BOTH)
    for (int i = 0; i < c->count; ++i)
      if (point_usable(f, c, i))
        fprintf(out, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"3.2\" fill=\"%s\"/>\n",
                x_at(ax, scaled(c->x[i], ax->log)), y_at(ay, scaled(c->y[i], ay->log)), colour);
  int y = TOP + 8 + 20 * k, x = WIDTH - RIGHT + 14;
  if (c->style == FIGURE_MARKS) {
    fprintf(
        out,
        "<circle cx=\"%d\" cy=\"%d\" r=\"3.2\" fill=\"%s\"/><text x=\"%d\" y=\"%d\">%s</text>\n",
        x + 11, y, colour, x + 28, y + 4, c->name);
    return;
  }
  fprintf(out,
          "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"%s\" "
          "stroke-width=\"2.4\"%s/><text x=\"%d\" y=\"%d\">%s</text>\n",
          x, y, x + 22, y, colour, c->style == FIGURE_DASHED ? " stroke-dasharray=\"6 4\"" : "",
          x + 28, y + 4, c->name);
}

// Widens one of the axes about its middle until both have one scale.
static void equalise(FigureAxis* ax, FigureAxis* ay) {
  double sx = (ax->hi - ax->lo) / (WIDTH - LEFT - RIGHT),
         sy = (ay->hi - ay->lo) / (HEIGHT - TOP - BOTTOM);
  FigureAxis* narrow = sx < sy ? ax : ay;
  double grow = 0.5 * (narrow->hi - narrow->lo) * (fmax(sx, sy) / fmin(sx, sy) - 1);
  narrow->lo -= grow, narrow->hi += grow;
}

static void write_svg(const figure* f, FILE* out) {
  FigureAxis ax = range_of(f, 0), ay = range_of(f, 1);
  if (f->equal) equalise(&ax, &ay);
  svg_begin(out, f->title);
  draw_axis(out, &ax, 0, f->xlabel);
  draw_axis(out, &ay, 1, f->ylabel);
  svg_box(out);
  for (int k = 0; k < f->count; ++k) draw_curve(out, f, k, &ax, &ay);
  fprintf(out, "</svg>\n");
}

static void write_csv(const figure* f, FILE* out) {
  fprintf(out, "curve,x,y\n");
  for (int k = 0; k < f->count; ++k)
    for (int i = 0; i < f->curve[k].count; ++i)
      csv_text(out, f->curve[k].name), fprintf(out, ",%.17g,%.17g\n", f->curve[k].x[i], f->curve[k].y[i]);
}

void figure_write(const figure* f, result* r, const char* name) {
  char file[256];
  snprintf(file, sizeof file, "%s.svg", name);
  FILE* out = result_open(r, file);
  if (!out) return;
  write_svg(f, out);
  result_close(r, out);
  snprintf(file, sizeof file, "%s.csv", name);
  if ((out = result_open(r, file))) {
    write_csv(f, out);
    result_close(r, out);
  }
}
