// Work and precision of integrators on the stick-slip box (TAMSI paper, figure 5), and the parts of experiment
// tamsi-box that have files of their own.
#ifndef HF_EXPERIMENTS_TAMSI_BOX_WORK_H
#define HF_EXPERIMENTS_TAMSI_BOX_WORK_H

#include "common/figure.h"
#include "tamsi/box_model.h"

enum { BOX_POINTS = 11 };

typedef struct workCurve {
  int count;
  double error[BOX_POINTS], work[BOX_POINTS]; // e_v [m/s]; evaluations of f
  double smallest[BOX_POINTS];                // shortest step that was accepted after the first window of 25 ms [s]
  int64_t failed[BOX_POINTS];                 // steps in which Newton's method failed
} workCurve;

// Implicit Euler with fixed steps as in the paper: no local extrapolation, and Newton's method stops at a twentieth of the
// paper's accuracy. newton: hfNewton.
hfIntegratorConfig box_euler(int newton, int tals);

// Measures one curve: fixed steps from 25 ms down, or accuracies from 0.1 down. regions = 0: Newton is not told where a stick region is
// entered or left, so that it forms no new matrix there. CLI_FAILED with an error.
int box_measure_curve(hfIntegratorConfig config, int error_control, int quick, int regions, workCurve* curve, hfError* error);

// Work of a curve at the error e, by lines in logarithms; NAN outside.
double box_work_at(const workCurve* curve, double e);

// Figure 5's conclusion that error control beats fixed steps, with what decides it switched on and off (box_control.c).
int box_error_control(result* r, int quick);
// Figures 2 and 3: where Newton's iterates go (box_newton.c).
int box_newton_pictures(result* r);
// The box as a scene beside its exact flow, recorded for the replay (box_scene.c).
int box_replay(result* r);

#endif
