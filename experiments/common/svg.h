// The frame of a figure: sizes, colours, title and the box that curves or bars are drawn in.
#ifndef EXPERIMENTS_SVG_H
#define EXPERIMENTS_SVG_H

#include <stdio.h>

enum { WIDTH = 720, HEIGHT = 480, LEFT = 82, RIGHT = 200, TOP = 44, BOTTOM = 58 }; // of the picture and of the margins around the box [px]

enum { SVG_COLOURS = 12 };
extern const char* const svg_colours[SVG_COLOURS];

// Begins a picture with a title. Lines of the class "grid" are thin and grey.
void svg_begin(FILE* out, const char* title);
// Draws the box.
void svg_box(FILE* out);
// Height in the picture of a value on an axis from lo to hi along the box [px].
double svg_y(double value, double lo, double hi);

// Writes a text as a field of CSV: in quotes where it has a comma, a quote or a line end.
void csv_text(FILE* out, const char* text);

#endif
