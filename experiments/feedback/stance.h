// A trot under torque limits whose feet do not slip. stance.c says how.
#ifndef EXPERIMENTS_FEEDBACK_STANCE_H
#define EXPERIMENTS_FEEDBACK_STANCE_H

#include "feedback/gait.h"

typedef struct stanceSense {
  const double* q;    // (19) base, then joints
  const double* v;    // (18) base: linear in the world, angular in the body; then joints
  const double* bias; // (12) joint torques that hold the legs where they are [N m]
  const double* pressed; // (4) normal force of each foot in the last step [N]
  hfVec3 up;          // the world's z axis in the body's frame
  double weight;      // of the robot [N]
  double limit;       // of each joint's torque [N m]
} stanceSense;

// Of each joint (12): torque fed forward, velocity asked for, limit of the torque that may be added for it.
void stance_control(const stanceSense* s, double time, double h, double* torque, double* velocity, double* limit);

// The same torques and limits for a motion of which every foot that presses stands; velocities are the motion's own.
void sway_control(const stanceSense* s, double h, double* torque, double* limit);

#endif
