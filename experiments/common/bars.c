// Bars as SVG (bars.h). The axis has whole decades, and bars start at its lower end.
#include "common/bars.h"
#include "common/svg.h"

#include <math.h>
#include <stdio.h>

_Static_assert((int)BARS_SERIES <= (int)SVG_COLOURS, "every series has a colour");

typedef struct decades {
  double lo, hi; // powers of ten
} decades;

static decades range_of(const bars* b) {
  decades d = {INFINITY, -INFINITY};
  for (int s = 0; s < b->nseries; ++s)
    for (int g = 0; g < b->ngroup; ++g)
      if (b->value[s][g] > 0) d.lo = fmin(d.lo, floor(log10(b->value[s][g]))), d.hi = fmax(d.hi, ceil(log10(b->value[s][g])));
  return d.lo < d.hi ? d : (decades){0, 1};
}

static double y_at(const decades* d, double power) { return svg_y(power, d->lo, d->hi); }

static void draw_frame(FILE* out, const bars* b, const decades* d) {
  svg_begin(out, b->title);
  for (double p = d->lo; p <= d->hi; p += fmax(1, floor((d->hi - d->lo) / 8)))
    fprintf(out, "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" class=\"grid\"/><text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">10<tspan dy=\"-5\" font-size=\"10\">%.0f</tspan></text>\n",
            LEFT, y_at(d, p), WIDTH - RIGHT, y_at(d, p), LEFT - 8, y_at(d, p) + 4, p);
  svg_box(out);
  fprintf(out, "<text transform=\"translate(18 %d) rotate(-90)\" text-anchor=\"middle\">%s</text><text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>\n",
          (TOP + HEIGHT - BOTTOM) / 2, b->ylabel, (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 14, b->xlabel);
}

static void draw_group(FILE* out, const bars* b, const decades* d, int g) {
  double slot = (double)(WIDTH - LEFT - RIGHT) / b->ngroup, width = 0.8 * slot / b->nseries, x = LEFT + slot * (g + 0.1);
  for (int s = 0; s < b->nseries; ++s) {
    if (!(b->value[s][g] > 0)) continue;
    double y = y_at(d, log10(b->value[s][g]));
    fprintf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\" stroke=\"%s\"%s/>\n", x + width * s, y, 0.92 * width,
            HEIGHT - BOTTOM - y, svg_colours[s], svg_colours[s], b->transparent[s][g] ? " fill-opacity=\"0.15\" stroke-dasharray=\"3 2\"" : "");
  }
  fprintf(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", LEFT + slot * (g + 0.5), HEIGHT - BOTTOM + 18, b->group[g]);
}

static void draw_legend(FILE* out, const bars* b) {
  int x = WIDTH - RIGHT + 14, y = TOP + 8;
  for (int s = 0; s < b->nseries; ++s, y += 20)
    fprintf(out, "<rect x=\"%d\" y=\"%d\" width=\"22\" height=\"10\" fill=\"%s\"/><text x=\"%d\" y=\"%d\">%s</text>\n", x, y - 5, svg_colours[s], x + 28, y + 4, b->series[s]);
  fprintf(out, "<rect x=\"%d\" y=\"%d\" width=\"22\" height=\"10\" fill=\"#777\" fill-opacity=\"0.15\" stroke=\"#777\" stroke-dasharray=\"3 2\"/><text x=\"%d\" y=\"%d\">%s</text>\n",
          x, y - 5, x + 28, y + 4, b->transparent_means);
}

static void write_svg(FILE* out, const bars* b) {
  decades d = range_of(b);
  draw_frame(out, b, &d);
  for (int g = 0; g < b->ngroup; ++g) draw_group(out, b, &d, g);
  draw_legend(out, b);
  fprintf(out, "</svg>\n");
}

void bars_write(const bars* b, result* r, const char* name) {
  char file[256];
  snprintf(file, sizeof file, "%s.svg", name);
  FILE* out = result_open(r, file);
  if (!out) return;
  write_svg(out, b);
  result_close(r, out);
  snprintf(file, sizeof file, "%s.csv", name);
  if (!(out = result_open(r, file))) return;
  fprintf(out, "series,group,value,transparent\n");
  for (int s = 0; s < b->nseries; ++s)
    for (int g = 0; g < b->ngroup; ++g) csv_text(out, b->series[s]), fprintf(out, ",%s,%.17g,%d\n", b->group[g], b->value[s][g], b->transparent[s][g]);
  result_close(r, out);
}
