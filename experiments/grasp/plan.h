// Plan and control of a grasp that slides: computed torque with a chosen distribution of contact forces.
//
// The object goes from one pose to another along x(s), s = cubic or quintic in t/T. Joint angles, rates and
// accelerations follow from closed contacts. Then
//
//   W_sigma,o f = (M a + h)_o          the object moves as planned; sliding friction counts, along the planned slip
//   min |f|^2,  f >= f_min             one solution of many: the smallest, with every contact pressed
//   tau_d = (M a + h)_f - W_sigma,f f  fingers
//   tau = tau_d + M_ff (kp e + kd edot) + [h_f(q, v) - h_f(q_d, v_d)]
//
// f_min is halved where no f satisfies it (no squeeze exists there: the object is only braked), and is zero in
// the end. e, edot are errors of the joints: nothing senses the object.
#ifndef EXPERIMENTS_GRASP_PLAN_H
#define EXPERIMENTS_GRASP_PLAN_H

#include "grasp/scene.h"

typedef enum graspProfile { GRASP_CUBIC, GRASP_QUINTIC } graspProfile;

typedef struct graspPlan {
  graspScene* scene;
  double from[GRASP_COORDINATES]; // configuration at the start; fingers closed
  double path[GRASP_DOFS];        // object's way, as a tangent vector: pose = from (+) s path
  double duration;                // T [s]
  graspProfile profile;
  double least_force;             // f_min [N]
  double frequency;               // of the control loop: kp = w^2, kd = 2 w [rad/s]
} graspPlan;

typedef struct graspSetpoint {
  double t;
  double q[GRASP_COORDINATES], v[GRASP_DOFS], a[GRASP_DOFS];
  double slip[GRASP_CONTACTS][2];
  double force[GRASP_CONTACTS]; // f [N]
  double least;                 // f_min that could be had [N]
  double torque[GRASP_DOFS];    // (nf) tau_d [N m]
  double bias[GRASP_DOFS];      // (nv) h(q_d, v_d)
} graspSetpoint;

// s, ds/dt, d2s/dt2; at rest before and after.
hfSetpoint grasp_profile(graspProfile profile, double duration, double t);
// The setpoint at t; near is a configuration close by for the fingers to start from (NULL: from). CLI_FAILED where
// the fingers cannot reach or W_N is singular.
int grasp_plan(const graspPlan* plan, double t, const double* near, graspSetpoint* out);
// tau (nf) at the state.
void grasp_control(const graspPlan* plan, const graspSetpoint* wanted, const double* q, const double* v,
                   double* tau);
// A of Eq. (12) at a setpoint, its certificate being a P-matrix, and its determinant.
typedef struct graspJudgement {
  int is_p;
  double determinant, A[GRASP_CONTACTS * GRASP_CONTACTS];
} graspJudgement;
graspJudgement grasp_judge(graspScene* scene, const double* mu, const graspSetpoint* at);
// Times at which A along the plan becomes or ceases to be a P-matrix, found between samples `step` apart and
// bisected; at most `room`. Returns their number, or -1 after saying why.
int grasp_find_changes(const graspPlan* plan, double step, double* times, int room);

#endif
