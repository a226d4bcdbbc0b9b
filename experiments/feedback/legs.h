// The quadruped of Table I and its trot.
#ifndef EXPERIMENTS_FEEDBACK_LEGS_H
#define EXPERIMENTS_FEEDBACK_LEGS_H

#include "feedback/feedback.h"

enum { LEGS = 4, LEG_JOINTS = 12, FIRST_DOF = 6, FIRST_Q = 7 }; // legs lf, rf, lh, rh: hip x, hip y, knee

typedef enum legControl {
  LEGS_PD_EXPLICIT,
  LEGS_PD_IMPLICIT,
  LEGS_ID_CONTROL,  // torques by maximal dissipation, held
  LEGS_TARGETS,     // velocity targets: joints end the step at their references
  LEGS_STANCE,      // velocity targets about planned loads: feet that stand stick (stance.c)
} legControl;

// The paper's own motion: hip y and knee of each leg against each other, diagonal pairs in turn. Amplitude and
// frequency are not published.
typedef struct legSway {
  double amplitude; // [rad]
  double rate;      // [rad/s]
} legSway;

typedef struct legMethod {
  const char* name;
  legControl control;
  int method;        // hfMethod
  int form, lcp;     // of method mlcp
  double tikhonov;
  double limit;      // of each joint's torque, 0: none [N m]
  int weightless;    // 1: no gravity, nothing to stand on
  double near_rigid; // of the targets' rows, 0: the default
  const hfGains* gains; // (3) of PD: hip x, hip y, knee; NULL: those found by hand
  legSway sway;      // the motion; rate 0: the trot
} legMethod;

typedef struct legRun {
  feedbackRun run;
  double slip;         // largest speed of a foot that stands [m/s]
  double mean_slip;    // mean speed of feet that stand [m/s]
  double landing_slip; // longest way that a foot slides in the first 5 ms after it touches [m]
  double displacement; // mean way of a foot over a stance [m]
  double squared_error; // sum over joints of their squared mean absolute errors [rad^2]
  double violation;    // largest torque beyond 4 N m [N m]
  double work;         // sum of |torque rate| h [J]
  double tilt;         // largest of the body [rad]
  int unsolved;        // steps without a solution
  double joint_error[LEG_JOINTS]; // mean absolute, of each joint [rad]
  long steps;          // taken; errors are means over them
} legRun;

// PD gains of hip x, hip y and knee: by hand, and tuned at 1 ms from these (legs_tune with six searches of 150 evaluations of 2.5 s).
extern const hfGains legs_hand_gains[3], legs_tuned_gains[3];

// Writes the trot as quadruped_trot.xml, a scene over models/quadruped.xml, into the folder of --out (scene_file.c).
void legs_write_scene(result* r);

int legs_run(const legMethod* method, double seconds, double h, legRun* out);
// Runs it once more for a replay, into FILE of the folder of --out; nothing without one.
int legs_record(const legMethod* method, double seconds, double h, result* r, const char* file);
// Tunes PD gains at step h from those given, by Nelder and Mead's method: the sum of squared joint errors becomes small among
// runs that keep the bounds of energy and tilt. Several searches of so many evaluations begin at the same gains with other simplices; the best one
// counts. *value: its sum, infinite where no run is stable.
int legs_tune(double seconds, double h, int searches, int evaluations, hfGains gains[3], double* value);

#endif
