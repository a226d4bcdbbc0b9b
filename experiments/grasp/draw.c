// Figures of runs (draw.h).
#include "grasp/draw.h"

#include "grasp/planar.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_CURVES = 12, MOST_TIMES = 8 };

static double* scaled_column(const graspCurve* c) {
  double* y = grasp_column(c->run, c->member);
  for (int i = 0; y && i < c->run->count; ++i) y[i] *= c->scale;
  return y;
}

// The curves' points at the switches of a run.
static int mark_switches(const graspRun* run, int n, const graspCurve* curves, double* x,
                         double* y) {
  int count = 0, most = run->nswitch < GRASP_SWITCHES ? run->nswitch : GRASP_SWITCHES;
  for (int k = 0; k < n; ++k)
    for (int i = 0; i < most && curves[k].run == run; ++i, ++count) {
      x[count] = run->switches[i].time;
      y[count] = curves[k].scale * grasp_value_at(run, curves[k].member, x[count]);
    }
  return count;
}

void grasp_draw(result* r, const char* file, const char* title, const char* ylabel, int n,
                const graspCurve* curves, const graspRun* switches) {
  figure f = {.title = title, .xlabel = "time [s]", .ylabel = ylabel};
  double *x[MOST_CURVES] = {0}, *y[MOST_CURVES] = {0};
  double mark_x[MOST_CURVES * GRASP_SWITCHES], mark_y[MOST_CURVES * GRASP_SWITCHES];
  for (int k = 0; k < n && k < MOST_CURVES; ++k) {
    const graspRun* run = curves[k].run;
    x[k] = grasp_column(run, &run->sample[0].t);
    y[k] = scaled_column(&curves[k]);
    if (x[k] && y[k]) figure_add(&f, curves[k].name, run->count, x[k], y[k], curves[k].style);
  }
  if (switches && switches->nswitch > 0)
    figure_add(&f, "switch", mark_switches(switches, n, curves, mark_x, mark_y), mark_x, mark_y,
               FIGURE_MARKS);
  figure_write(&f, r, file);
  for (int k = 0; k < n && k < MOST_CURVES; ++k) free(x[k]), free(y[k]);
}

static const graspSample* nearest_sample(const graspRun* run, double t) {
  const graspSample* best = &run->sample[0];
  for (int i = 1; i < run->count; ++i)
    if (fabs(run->sample[i].t - t) < fabs(best->t - t)) best = &run->sample[i];
  return best;
}

void grasp_draw_hand(result* r, const char* file, const char* title, const graspScene* s,
                     const graspRun* run, int n, const double* times) {
  double x[MOST_TIMES][PLANAR_OUTLINE], y[MOST_TIMES][PLANAR_OUTLINE];
  char name[MOST_TIMES][16];
  figure f = {.title = title, .xlabel = "x [m]", .ylabel = "y [m]", .equal = 1};
  for (int k = 0; k < n && k < MOST_TIMES && run->count > 0; ++k) {
    const graspSample* at = nearest_sample(run, times[k]);
    snprintf(name[k], sizeof name[k], "t = %.2f s", at->t);
    figure_add(&f, name[k], planar_outline(s, at->q, x[k], y[k]), x[k], y[k], FIGURE_LINE);
  }
  figure_write(&f, r, file);
}
