// A figure of an experiment: curves over linear or logarithmic axes, as SVG and CSV.
#ifndef EXPERIMENTS_FIGURE_H
#define EXPERIMENTS_FIGURE_H

#include "experiment.h"

enum { FIGURE_CURVES = 16 };

typedef enum figureStyle { FIGURE_LINE, FIGURE_MARKS, FIGURE_BOTH, FIGURE_DASHED } figureStyle;

typedef struct figureCurve {
  const char* name;
  const double *x, *y; // (count) a point that is not finite, or not positive on a log axis, interrupts the curve
  int count;
  figureStyle style;
} figureCurve;

typedef struct figure {
  const char *title, *xlabel, *ylabel; // labels with units
  int xlog, ylog;
  int equal; // one scale for both axes
  figureCurve curve[FIGURE_CURVES];
  int count;
} figure;

void figure_add(figure* f, const char* name, int count, const double* x, const double* y, figureStyle style);
// Writes NAME.svg and NAME.csv (columns curve,x,y) into the folder of --out; nothing without one.
void figure_write(const figure* f, result* r, const char* name);

#endif
