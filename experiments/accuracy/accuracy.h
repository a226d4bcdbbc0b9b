// Scenes and runs of experiment accuracy.
#ifndef EXPERIMENTS_ACCURACY_H
#define EXPERIMENTS_ACCURACY_H

#include "common/world.h"

typedef struct accuracyScene {
  const char* name;
  const char* file;     // of models/, or NULL
  const char* keyframe; // NULL: qpos0
  const char* xml;      // the scene itself where there is no file
  void (*start)(world* w);              // sets the state of the start; NULL: the model's
  void (*control)(world* w);            // sets controls before every sample; NULL: none
  double time;                          // [s]
  double finest;                        // accuracy down to which the error has to be within it [m, rad]
  int limits;                           // 1: joints are at their limits, which have other laws in continuous time
  int bounces;                          // 1: has restitution, which methods of continuous time do not know
} accuracyScene;

enum { ACCURACY_SCENES = 5, ACCURACY_TOSSES = 5, ACCURACY_PAIRS = 25 };
extern const accuracyScene accuracy_scenes[ACCURACY_SCENES], accuracy_tosses[ACCURACY_TOSSES];

// Positions at samples of 10 ms, and what they cost.
typedef struct accuracyRun {
  int samples, nq;
  double* q;      // (samples x nq)
  double seconds; // processor time, the least of the repetitions
  long solves;    // step problems or evaluations
  long steps, rejected;
  double smallest; // step [s]
} accuracyRun;

// Runs a scene. A method of discrete time without an accuracy takes the step of the configuration, which divides 10 ms; others
// take their own within 10 ms. Returns CLI_GOOD, or CLI_FAILED after a message.
int accuracy_run(const accuracyScene* scene, hfSimConfig config, int repetitions, accuracyRun* run);
// The same with `steps` steps of the sim between samples, whatever the accuracy.
int accuracy_run_fixed(const accuracyScene* scene, hfSimConfig config, int steps, accuracyRun* run);
// Runs a scene with A and with B by turns and gives the median of the ratios of their processor times, A over B. What slows the machine
// for longer than two runs slows both alike, and shorter bursts spoil few of the pairs. PAIRS is odd and at most ACCURACY_PAIRS.
int accuracy_compare(const accuracyScene* scene, hfSimConfig a, hfSimConfig b, int pairs, double* ratio);
// Runs a scene for a replay, into FILE of the folder of --out; nothing without one.
int accuracy_record(const accuracyScene* scene, hfSimConfig config, result* r, const char* file);
void accuracy_free(accuracyRun* run);
// The largest difference of a coordinate at any sample [m or rad].
double accuracy_error(const accuracyScene* scene, const accuracyRun* a, const accuracyRun* b);
// MuJoCo with Runge-Kutta 4 and a fixed step. Returns 0 where MuJoCo is missing or cannot read the scene.
int accuracy_run_mujoco(const accuracyScene* scene, double step, accuracyRun* run);

#endif
