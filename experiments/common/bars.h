// A figure of an experiment: groups of bars over a logarithmic axis, as SVG and CSV.
#ifndef EXPERIMENTS_BARS_H
#define EXPERIMENTS_BARS_H

#include "experiment.h"

enum { BARS_SERIES = 8, BARS_GROUPS = 12 };

typedef struct bars {
  const char *title, *xlabel, *ylabel;
  int ngroup, nseries;
  char group[BARS_GROUPS][24];               // label under each group
  const char* series[BARS_SERIES];           // names for the legend
  double value[BARS_SERIES][BARS_GROUPS];    // > 0; anything else draws no bar
  int transparent[BARS_SERIES][BARS_GROUPS]; // 1: drawn transparent
  const char* transparent_means;             // for the legend
} bars;

// Writes NAME.svg and NAME.csv (columns series,group,value,transparent) into the folder of --out; nothing without one.
void bars_write(const bars* b, result* r, const char* name);

#endif
