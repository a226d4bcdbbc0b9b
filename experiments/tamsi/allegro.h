// The Allegro hand that turns a mug (TAMSI paper, section VI-B): gaits, runs, and what the mug does.
#ifndef EXPERIMENTS_TAMSI_ALLEGRO_H
#define EXPERIMENTS_TAMSI_ALLEGRO_H

#include "common/world.h"

enum {
  ALLEGRO_JOINTS = 16,
  ALLEGRO_NQ = 23,
  ALLEGRO_NV = 22,
  ALLEGRO_MUG = 16,
  ALLEGRO_SAMPLES = 1664
};

// ---- gaits (allegro_gait.c, allegro_script.c) -------------------------------------------------------

// Joint targets over time alone: open hand, grasp, then grasp + sway sin(2 pi (t - start)/period).
typedef struct allegroGait {
  double close, start, period;  // the hand closes, the gait begins [s]
  double grasp[ALLEGRO_JOINTS]; // in the order of the joints' numbers [rad]
  double sway[ALLEGRO_JOINTS];  // [rad]
} allegroGait;

extern const allegroGait allegro_soft;  // for the paper's servos
extern const allegroGait allegro_stiff; // for servos that carry the mug's weight or turn rotors

void allegro_targets(const allegroGait* gait, double time, double* target);
// Cycles begun by that time; -1 before the first.
int allegro_cycle(const allegroGait* gait, double time);

// The published script of targets, whose phases end when the fingers are stuck.
typedef struct allegroScript {
  int phase;                     // 0 open, 1 thumb in, 2 grasp, then index and ring in turns
  double since;                  // time at which the phase began [s]
  int cycle;                     // index and ring moved once each; -1 before
  double closed[ALLEGRO_JOINTS]; // joint angles of the grasp, recorded when it is closed
  double target[ALLEGRO_JOINTS];
} allegroScript;

void allegro_script_start(allegroScript* script);
// Advances the script by angles, rates and servo torques of the hand's joints and writes the targets.
void allegro_script_targets(allegroScript* script, double time, const double* q, const double* v,
                            const double* torque, double* target);

// ---- what the mug does (allegro_motion.c) -----------------------------------------------------------

typedef struct allegroMotion {
  int samples, first, cycle;    // every 10 ms; first sample of the present cycle, and its number
  int cycles;                   // completed
  double time[ALLEGRO_SAMPLES]; // [s]
  double
      angle[ALLEGRO_SAMPLES]; // turn about the palm's normal (x of the hand) since the start [deg]
  double quat[ALLEGRO_SAMPLES][4];
  double place[ALLEGRO_SAMPLES][3]; // of the mug [m]
  double opening, least, mean,
      last;    // turn in the first cycle; least, mean and last of the others [deg]
  double away; // farthest from its place at the start [m]
} allegroMotion;

void allegro_motion_start(allegroMotion* motion);
// The mug's pose (7) at that time, in that cycle of the gait. Call after each step.
void allegro_motion_follow(allegroMotion* motion, double time, int cycle, const double* pose);
// In the hand throughout: never farther than 5 cm from where it started.
int allegro_motion_held(const allegroMotion* motion);

// ---- runs (allegro_run.c, allegro_peers.c) ----------------------------------------------------------

typedef struct allegroCase {
  const char *name, *scene, *keyframe; // keyframe: NULL for qpos0
  const allegroGait* gait;             // NULL: the published script
  double step, seconds;                // [s]
  double kp, kd;                       // of the servos; kp 0: the scene's [N m/rad, N m s/rad]
  double rotor;                        // inertia that the gears reflect to a joint [kg m^2]
} allegroCase;

typedef struct allegroResult {
  double elapsed, simulated; // processor time of the steps [s]
  long steps, iterations, contacts;
  long evaluations; // implicit Euler: of the equations of motion, those of Jacobians by differences included
  allegroMotion motion;
} allegroResult;

// By TAMSI; record: file for the poses of all bodies, or NULL.
int allegro_run(const allegroCase* c, const char* record, allegroResult* out);
// A set-up of implicit Euler. All zero is the paper's fastest: quasi-Newton, error control at a = 0.01, Jacobians by differences.
typedef struct allegroEuler {
  int analytic; // 1: analytic Jacobians
  int tals;
  int full;     // 1: full Newton
  int fixed;    // 1: fixed steps of 3 ms
} allegroEuler;
// Implicit Euler with steps up to 3 ms. Steps and iterations are its own.
int allegro_run_euler(const allegroCase* c, const allegroEuler* how, allegroResult* out);
// MuJoCo on the same file. Returns -1 where there is none.
int allegro_run_mujoco(const allegroCase* c, allegroResult* out);

#endif
