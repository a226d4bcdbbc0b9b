// The frame of a figure (svg.h).
#include "common/svg.h"

#include <string.h>

const char* const svg_colours[SVG_COLOURS] = {"#1b6ca8", "#d1495b", "#2e8b57", "#8a5fbf", "#e08e1b", "#3aa6a6",
                                              "#7a7a7a", "#a8471b", "#111111", "#c2185b", "#5d8a00", "#0047ab"};

void svg_begin(FILE* out, const char* title) {
  fprintf(out,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
          "height=\"%d\" font-family=\"sans-serif\" font-size=\"12\">\n",
          WIDTH, HEIGHT, WIDTH, HEIGHT);
  fprintf(out, "<style>.grid{stroke:#ddd;stroke-width:1}</style><rect width=\"100%%\" "
               "height=\"100%%\" fill=\"white\"/>\n");
  fprintf(out, "<text x=\"%d\" y=\"24\" text-anchor=\"middle\" font-size=\"14\">%s</text>\n",
          (LEFT + WIDTH - RIGHT) / 2, title);
}

void svg_box(FILE* out) {
  fprintf(out,
          "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#333\"/>\n",
          LEFT, TOP, WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM);
}

double svg_y(double value, double lo, double hi) { return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (value - lo) / (hi - lo); }

void csv_text(FILE* out, const char* text) {
  if (!strpbrk(text, ",\"\n")) {
    fputs(text, out);
    return;
  }
  fputc('"', out);
  for (; *text; ++text) fprintf(out, *text == '"' ? "\"\"" : "%c", *text);
  fputc('"', out);
}
