// Plan and control of a grasp that slides: computed torque with a chosen distribution of contact forces.
//
// The object goes from one pose to another along x(s), s = cubic or quintic in t/T. Joint angles, rates and
// accelerations follow from closed contacts. Then
//
//   W_sigma,o f = (M a + h)_o          the object moves as wanted; sliding friction counts, along the planned slip
//   min |f|^2,  f >= f_min             of many solutions the smallest in which every contact presses
//   tau = (M a + h)_f - W_sigma,f f    fingers
//
// For the plan itself a is the planned acceleration; for control it is, at the actual state,
//
//   a_o = a_d + w^2 e + 2 w edot       e: error of the object's pose
//
// the fingers' part follows from g'' + 2 w g' = 0 for the gaps g (closed contacts, damped where they are compliant), and
// f is the one nearest to the plan's, f >= 0. Where no f satisfies f >= f_min, f_min is halved and finally set to zero: no squeeze
// exists there, and only the braking of the object loads the contacts. Theory: docs/theory/grasp-control.md.
#ifndef EXPERIMENTS_GRASP_PLAN_H
#define EXPERIMENTS_GRASP_PLAN_H

#include "grasp/scene.h"
#include <holdfast/control.h>

typedef enum graspProfile { GRASP_CUBIC, GRASP_QUINTIC } graspProfile;

typedef struct graspPlan {
  graspScene* scene;
  double from[GRASP_COORDINATES]; // configuration at the start; fingers closed
  double path[GRASP_DOFS];        // displacement of the object as a tangent vector: pose = from (+) s path
  double duration;                // T [s]
  graspProfile profile;
  double least_force;             // f_min [N]
  double frequency;               // w of the control loop; 0: no feedback of errors [rad/s]
} graspPlan;

typedef struct graspEffort {
  double force[GRASP_CONTACTS]; // f [N]
  double least;                 // the f_min that was possible [N]
  double torque[GRASP_DOFS];    // (nf) tau [N m]
} graspEffort;

typedef struct graspSetpoint {
  double t;
  double q[GRASP_COORDINATES], v[GRASP_DOFS], a[GRASP_DOFS];
  double slip[GRASP_CONTACTS][2];
  graspEffort effort;
} graspSetpoint;

// s, ds/dt, d2s/dt2; at rest before and after.
hfSetpoint grasp_profile(graspProfile profile, double duration, double t);
// Computes the setpoint at time t. The search for the fingers' angles starts at the configuration `near` (NULL: from).
// CLI_FAILED where the fingers cannot reach the object or W_N is singular.
int grasp_plan(const graspPlan* plan, double t, const double* near, graspSetpoint* out);
// Computes the torques tau (nf) of the control at the state. CLI_FAILED where W_N is singular.
int grasp_control(const graspPlan* plan, const graspSetpoint* wanted, const double* q, const double* v, double* tau);
// The matrix A of Eq. (12) at a setpoint, where all contacts slide as planned.
typedef struct graspJudgement {
  int is_p;
  double determinant, least_minor; // of all principal minors
  double A[GRASP_CONTACTS * GRASP_CONTACTS];
} graspJudgement;
graspJudgement grasp_judge(graspScene* scene, const double* mu, const graspSetpoint* at);
// Number of rigid solutions under the planned torques (b = -A f, so that the plan is one of them); 0 if the
// problem is too large to enumerate. z (room x nc) gets their normal forces, in no particular order.
int grasp_count_solutions(const graspScene* scene, const graspJudgement* judgement, const graspSetpoint* at, int room,
                          double* z);
// The largest real part of the roots of the boundary layer at a setpoint, with the constants of Eq. (13), where m0 is the
// object's mass [1/s].
double grasp_layer_rate(graspScene* scene, const graspSetpoint* at, double eps);
// Finds the times at which A becomes or ceases to be a P-matrix along the plan: between samples that are `step` apart, then
// by bisection; at most `room` times. Returns their number, or -1 after a message.
int grasp_find_changes(const graspPlan* plan, double step, double* times, int room);

#endif
