// Figures of runs (draw.h).
#include "grasp/draw.h"

#include "grasp/planar.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CURVES = 12, MOST_TIMES = 8 };

static double* scaled_column(const graspCurve* c) {
  double* y = grasp_column(c->run, c->member);
  for (int i = 0; y && i < c->run->count; ++i) y[i] = c->scale * y[i] + c->offset;
  return y;
}

// The curves' points at the switches of a run.
static int mark_switches(const graspRun* run, int n, const graspCurve* curves, double* x,
                         double* y) {
  int count = 0, most = run->nswitch < GRASP_SWITCHES ? run->nswitch : GRASP_SWITCHES;
  for (int k = 0; k < n; ++k)
    for (int i = 0; i < most && curves[k].run == run; ++i, ++count) {
      x[count] = run->switches[i].time;
      y[count] = curves[k].scale * grasp_value_at(run, curves[k].member, x[count]) + curves[k].offset;
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

int grasp_draw_plan(result* r, const graspPlan* plan, const graspPlanFigure* f,
                    double* least_minor) {
  enum { POINTS = 201, JOINTS = 4 };
  static const char* const names[JOINTS] = {"joint 1", "joint 2", "joint 3", "joint 4"};
  double t[POINTS], x[POINTS], torque[JOINTS][POINTS], least = INFINITY;
  char file[64];
  graspSetpoint at = {0};
  memcpy(at.q, plan->from, sizeof at.q);
  for (int i = 0; i < POINTS; ++i) {
    graspSetpoint here;
    t[i] = plan->duration * i / (POINTS - 1);
    if (grasp_plan(plan, t[i], at.q, &here) != CLI_GOOD) return CLI_FAILED;
    at = here;
    x[i] = f->offset + f->scale * at.q[f->k];
    for (int k = 0; k < JOINTS; ++k) torque[k][i] = at.effort.torque[k];
    least = fmin(least, grasp_judge(plan->scene, plan->scene->mu, &at).least_minor);
  }
  figure way = {.title = f->title, .xlabel = "time [s]", .ylabel = f->ylabel};
  figure_add(&way, f->name, POINTS, t, x, FIGURE_LINE);
  snprintf(file, sizeof file, "%sa%s", f->file, f->suffix);
  figure_write(&way, r, file);
  figure torques = {
      .title = "Planned joint torques", .xlabel = "time [s]", .ylabel = "torque [N m]"};
  for (int k = 0; k < JOINTS; ++k)
    figure_add(&torques, names[k], POINTS, t, torque[k], k % 2 ? FIGURE_DASHED : FIGURE_LINE);
  snprintf(file, sizeof file, "%sb%s", f->file, f->suffix);
  figure_write(&torques, r, file);
  if (least_minor) *least_minor = least;
  return CLI_GOOD;
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
