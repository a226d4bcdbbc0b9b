// An iiwa with a WSG 50 picks a bottle, shakes it and places it (TAMSI paper, section VI-C).
#ifndef EXPERIMENTS_TAMSI_IIWA_H
#define EXPERIMENTS_TAMSI_IIWA_H

#include "common/pose.h"
#include "experiment.h"

#include <holdfast/holdfast.h>
#include <holdfast/manipulation.h>

enum { IIWA_JOINTS = 7, IIWA_KEYS = 4, IIWA_TOUCHES = 16, IIWA_NQ = 32 };

// What varies from seed to seed.
typedef struct iiwaTrial {
  double x, y, yaw;          // of the bottle at the start [m], [rad]
  double error_x, error_y, error_yaw; // of what perception says about it
  double mass, mu;           // of the bottle [kg], [-]
  uint64_t noise;            // seed of the force sensors' noise
  int friction;              // hfFrictionLaw
} iiwaTrial;

// ---- the station: world, sensors and controllers ---------------------------------------------------

typedef struct iiwaStation {
  hfModel* model;            // nominal: what the controller knows
  hfParams* params;          // the trial's masses and friction
  hfSim* sim;
  hfState* state;
  hfInput* input;
  hfArm* arm;                // of the nominal model
  int left, right, palm, bottle, table; // bodies
  int grip_actuator, left_q, right_q, bottle_q, bottle_v;
  double h;                  // period of control and step [s]
  // control
  hfIkConfig ik;
  double posture[IIWA_JOINTS], speed[IIWA_JOINTS];
  hfGains gains[IIWA_JOINTS];
  hfSetpoint reference[IIWA_JOINTS];
  double integral[IIWA_JOINTS];
  hfGripConfig grip_config;
  hfGrip grip;
  hfPoseKey key[IIWA_KEYS];  // the present motion of the tip
  int keys;
  double clock, pace;        // time along the motion [s], and how fast it goes: 1, falling to 0 while it halts [-]
  int halting;
  double shake_since;        // when a shake began; NAN: none [s]
  double shake_from[IIWA_JOINTS], shake_by[IIWA_JOINTS]; // joints at its middle, and its amplitude [rad]
  double payload;            // mass at the tip that the controller has found [kg]
  // sensing, of the last step
  hfGripSense felt;
  double load;               // vertical friction at the fingers, low-passed [N]
  double wrist;              // vertical force on the tip by the joints' torque sensors, low-passed [N]
  uint64_t noise;            // seed of the force sensors' noise
  double speed_share, acceleration_share, torque_share; // largest so far, of the data sheet's limits [-]
  double tracking;           // largest error of the tip so far [m]
} iiwaStation;

// Uniform in [-1, 1), by splitmix64 (Steele, Lea, Flood 2014).
double iiwa_draw(uint64_t* seed);

// Returns CLI_GOOD, or CLI_FAILED after saying why.
int iiwa_station_open(iiwaStation* s, const iiwaTrial* trial);
void iiwa_station_close(iiwaStation* s);
// Controls and one step.
int iiwa_station_step(iiwaStation* s);
hfPose iiwa_station_tip(const iiwaStation* s);    // where the tip should be now
hfPose iiwa_station_bottle(const iiwaStation* s); // truth, of the simulation
// Begins a motion of the tip from where the reference is through poses, at most this fast; returns its duration [s].
double iiwa_station_move(iiwaStation* s, int count, const hfPose* through, double speed);

// Comes to a stop on the way, within 50 ms.
void iiwa_station_halt(iiwaStation* s);
// Begins to shake: along the direction of the joints that gives most vertical acceleration for their limits.
void iiwa_station_shake(iiwaStation* s);
extern const double IIWA_SHAKE_TIME;         // [s], of which a fifth to begin and a fifth to end
extern const double IIWA_SHAKE_ACCELERATION; // largest, planned [m/s^2]

// ---- slip in the hand -------------------------------------------------------------------------------

// Points of contact that are followed as points of the finger and of the bottle.
typedef struct iiwaTouch {
  int finger;       // body
  int geom_a, geom_b;
  uint32_t feature;
  hfVec3 p_F, p_B;  // in the finger's and the bottle's frame [m]
  hfVec3 force;     // friction on the bottle at the start, in the finger's frame [N]
} iiwaTouch;

typedef struct iiwaSlip {
  iiwaTouch touch[IIWA_TOUCHES];
  int count;
  hfVec3 axis[3];   // the bottle's bottom, gripped point and top in the hand at the start [m]
  double stiffness; // tangential, of one point [N/m]
  double slip;      // largest displacement in the finger's plane beyond force/stiffness, now [m]
  double moved;     // largest displacement in the finger's plane, now [m]
  double drift;     // largest displacement of bottom, gripped point and top in the hand, now [m]
} iiwaSlip;

// Remembers the contacts of the last step; returns how many.
int iiwa_slip_start(iiwaSlip* slip, const iiwaStation* s);
void iiwa_slip_measure(iiwaSlip* slip, const iiwaStation* s);

// ---- the task --------------------------------------------------------------------------------------

typedef struct iiwaOutcome {
  int success;         // as the controller judges from forces
  int truth;           // as the simulation shows
  const char* failed;  // state in which it failed, or ""
  double felt_mass, wrist_mass; // as weighed by the fingers' friction, and by the joints' torques [kg]
  double command;      // squeeze commanded while shaking [N]
  double grip_error;   // largest deviation of the measured squeeze from it [-]
  double acceleration; // largest of the bottle while shaking [m/s^2]
  double slip, elastic, drift; // while shaking: beyond the elastic deflection, and that; left at rest after it [m]
  double place_error, tilt;    // of the placed bottle [m], [rad]
  double table_share;  // force of the table on it over its weight [-]
  double speed_share, acceleration_share, torque_share, tracking;
  double time, wall;   // simulated, stepping and control [s]
} iiwaOutcome;

typedef enum iiwaSeries {
  IIWA_TIME, IIWA_HEIGHT, IIWA_TARGET, IIWA_SQUEEZE, IIWA_COMMAND, IIWA_LOAD, IIWA_SLIP, IIWA_MOVED,
  IIWA_ACCELERATION, IIWA_SERIES
} iiwaSeries;
typedef struct iiwaTrace {
  double* row[IIWA_SERIES]; // (most)
  int count, most;
} iiwaTrace;

// Runs a trial. record: file for the poses of all bodies, or NULL; trace may be NULL.
int iiwa_run(const iiwaTrial* trial, const char* record, iiwaTrace* trace, iiwaOutcome* out);

#endif
