// A leg's kinematics in the body's frame and the trot's plan.
#ifndef EXPERIMENTS_FEEDBACK_GAIT_H
#define EXPERIMENTS_FEEDBACK_GAIT_H

#include "feedback/legs.h"

extern const hfTrot gait;

typedef struct legPlan { int stance; hfVec3 p; double q[3]; } legPlan; // foot in the body's frame, its joints

legPlan plan_leg(int leg, double time);
hfVec3 leg_foot(int leg, const double q[3]);
// Joint rates (3) that move the shank's point at p with v, both in the body's frame.
void leg_rates(int leg, const double q[3], hfVec3 p, hfVec3 v, double rates[3]);

#endif
