// Runs a random world and judges it: finite numbers, bounded times, no energy from nowhere.
#ifndef HF_TESTS_STRESS_JUDGE_H
#define HF_TESTS_STRESS_JUDGE_H

#include <holdfast/holdfast.h>
#include <stdint.h>

typedef struct verdict {
  int refused;      // 1: the method refused the world for its size when the sim was created; `error` says so, and nothing was run
  int steps;        // that were taken
  int finite;       // 1: all numbers of all outputs were
  int stopped;      // 1: a step was refused, or did not advance
  int grew;         // 1: energy grew by more than work explains, see GROWTH
  int flagged;      // 1: a step had a status > 0
  int status;       // the first status other than HF_OK
  double growth;    // the largest unexplained growth, over the energy that work explains [-]
  double released;  // energy that the start may release, E of judge.c [J]
  double worst;     // longest step of all [s of the processor]
  int contacts;     // of that step
  double median;    // median of all steps at most; INFINITY where fewer than half were taken [s of the processor]
  hfError error;    // of a refusal
} verdict;

// Runs the world for at most `steps` steps by a method (hfMethod), and no longer than about `seconds` of the processor.
verdict judge_world(uint64_t seed, int method, int steps, double seconds);
// The same from the keyframe of the model, whose quaternions have length 1; those of the file are rounded.
verdict judge_keyframe(uint64_t seed, int method, int steps, double seconds);
// The same where every step multiplies the velocities by 1 + gain: a faulty step, by which the judge itself is tested.
verdict judge_faulty_world(uint64_t seed, int method, int steps, double seconds, double gain);

#endif
