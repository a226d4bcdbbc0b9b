// Parts of experiment motion: each measures one claim and writes its lines into the result.
#ifndef EXPERIMENTS_MOTION_H
#define EXPERIMENTS_MOTION_H

#include "common/world.h"

int motion_flight(const experimentOptions* options, result* r);  // bodies that turn freely, legs in flight
int motion_top(const experimentOptions* options, result* r);     // a spinning top
int motion_through(const experimentOptions* options, result* r); // fingers and bullets
int motion_spin(const experimentOptions* options, result* r);    // long and flat shapes that spin
int motion_bounce(const experimentOptions* options, result* r);  // rebound, balls, stack
int motion_cradle(const experimentOptions* options, result* r);  // Newton's cradle, rigid and compliant
int motion_roll(const experimentOptions* options, result* r);    // rolling with spin, turntable

// A world from MJCF text, whose files are those of models/, stepped by h. Returns CLI_GOOD, or CLI_FAILED after
// saying why.
int motion_open(world* w, const char* xml, double h);
// The same with a method (hfMethod) of its own, whose step has a fixed length.
int motion_open_by(world* w, const char* xml, int method, double h);

// Energy, and momentum about the centre of mass, of the present state.
typedef struct motionBalance {
  hfDynamics* dynamics;
  double kinetic, energy;
  hfVec3 angular;
} motionBalance;

int motion_weigh(motionBalance* b, const world* w);
void motion_balance_free(motionBalance* b);

#endif
