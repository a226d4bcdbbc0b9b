// A trot under torque limits whose feet do not slip. stance.c says how.
#ifndef EXPERIMENTS_FEEDBACK_STANCE_H
#define EXPERIMENTS_FEEDBACK_STANCE_H

#include "feedback/gait.h"

typedef struct stanceSense {
  const double* q;    // (19) base, then joints
  double height_rate; // of the body [m/s]
  const double* bias; // (12) joint torques that hold the legs where they are [N m]
  const int* touches; // (4) feet that carried force in the last step
  hfVec3 up;          // the world's z axis in the body's frame
  double weight;      // of the robot [N]
  double limit;       // of each joint's torque [N m]
} stanceSense;

// Of each joint (12): torque fed forward, velocity asked for, limit of the torque that may be added for it.
void stance_control(const stanceSense* s, double time, double h, double* torque, double* velocity, double* limit);

#endif
