// Figures of runs: columns over time with the switches as circles, and pictures of the hand.
#ifndef EXPERIMENTS_GRASP_DRAW_H
#define EXPERIMENTS_GRASP_DRAW_H

#include "grasp/run.h"

typedef struct graspCurve {
  const char* name;
  const graspRun* run;
  const double* member; // of run->sample[0]
  double scale;         // units of the figure
  figureStyle style;
  double offset;        // added after the scale
} graspCurve;

// Curves over time; where `switches` is not NULL, its switches are marked on the curves of that run.
void grasp_draw(result* r, const char* file, const char* title, const char* ylabel, int n,
                const graspCurve* curves, const graspRun* switches);
// The plan as two figures, FILE + "a" + SUFFIX and FILE + "b" + SUFFIX: coordinate `k` of the object times scale plus
// offset, and the joint torques. *least_minor, if not NULL: the smallest principal minor of A on the way.
typedef struct graspPlanFigure {
  const char *file, *suffix, *title, *ylabel, *name;
  int k;
  double scale, offset;
} graspPlanFigure;
int grasp_draw_plan(result* r, const graspPlan* plan, const graspPlanFigure* figure, double* least_minor);
// The planar hand at a few times of a run, one colour each.
void grasp_draw_hand(result* r, const char* file, const char* title, const graspScene* s, const graspRun* run,
                     int n, const double* times);

#endif
