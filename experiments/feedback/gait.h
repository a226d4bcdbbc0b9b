// A leg's kinematics in the body's frame and the trot's plan.
#ifndef EXPERIMENTS_FEEDBACK_GAIT_H
#define EXPERIMENTS_FEEDBACK_GAIT_H

#include "feedback/legs.h"
#include <holdfast/control.h>

extern const hfTrot gait;

typedef struct legPlan { int stance; hfVec3 p; double q[3]; } legPlan; // foot in the body's frame, its joints

legPlan plan_leg(int leg, double time);
// The same for the sinusoids of `sway`, in which every foot may stand at any time; of the trot where its rate is 0.
legPlan plan_motion(const legSway* sway, int leg, double time);
double plan_cycle(int leg, double time); // since the foot's last planned touch-down [s]
// Whether a foot stands by plan from one time to another, less than a swing later.
int plan_stands(int leg, double from, double to);

hfVec3 leg_foot(int leg, const double q[3]);
// Velocity of the shank's point p is sum_i J_i rate_i, rates are K_i . velocity; all in the body's frame.
void leg_jacobian(int leg, const double q[3], hfVec3 p, hfVec3 J[3]);
void leg_inverse_jacobian(const hfVec3 J[3], hfVec3 K[3]);
double leg_dot(hfVec3 a, hfVec3 b);

#endif
