// The Allegro hand's finger gait that turns a mug (TAMSI paper, section VI-B).
#ifndef EXPERIMENTS_TAMSI_ALLEGRO_H
#define EXPERIMENTS_TAMSI_ALLEGRO_H

#include "common/world.h"

enum { ALLEGRO_JOINTS = 16 };

// An open-loop script of joint targets: a step of it ends when the fingers are stuck.
typedef struct allegroGait {
  int phase;           // 0 open, 1 thumb in, 2 grasp, then index and ring in turns
  double since;        // time at which the phase began [s]
  int cycles;          // index and ring moved once each
  double closed[ALLEGRO_JOINTS]; // joint angles of the grasp, recorded when it is closed
  double target[ALLEGRO_JOINTS];
} allegroGait;

void allegro_gait_start(allegroGait* gait);
// Advances the script by the state and the actuator forces (16) and writes the controls (16). q and v are
// those of the hand's joints.
void allegro_gait_control(allegroGait* gait, double time, const double* q, const double* v, const double* force, double* ctrl);

#endif
