// The planar grasp of models/planar_grasp.xml: its two plans, the region of friction coefficients, pictures.
#ifndef EXPERIMENTS_GRASP_PLANAR_H
#define EXPERIMENTS_GRASP_PLANAR_H

#include "common/figure.h"
#include "grasp/plan.h"

enum { PLANAR_CONTACTS = 4 };

// Opens the scene with friction mu[0] at the proximal links (contacts 1, 3) and mu[1] at the distal ones (2, 4).
int planar_open(graspScene* s, const double mu[2]);
// A plan that starts with the object at (0, y), turned by phi, and with the fingers closed around it.
int planar_plan(graspPlan* plan, graspScene* s, double y, double phi, graspProfile profile);

// The largest friction coefficient of the proximal links for which A is a P-matrix at the setpoint, for a given coefficient
// of the distal links; `most` if A is one for all coefficients up to `most`.
double planar_friction_limit(graspScene* s, const graspSetpoint* at, double distal, double most);

// A picture of the hand and the object at q: outlines appended to x, y (room for PLANAR_OUTLINE), separated by NAN.
enum { PLANAR_OUTLINE = 96 };
int planar_outline(const graspScene* s, const double* q, double* x, double* y);

#endif
