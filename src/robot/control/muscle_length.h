// The range of lengths of a muscle, found by pulling it in a copy of the world.
#ifndef HFI_ROBOT_CONTROL_MUSCLE_LENGTH_H
#define HFI_ROBOT_CONTROL_MUSCLE_LENGTH_H

#include <holdfast/builder.h>

// How lengths of muscles are found that no file gives: <compiler><lengthrange> of MJCF.
typedef struct hfiLengthSearch {
  int none;        // 1: not at all
  int useexisting; // 1: lengths that are given are kept
  int uselimit;    // 1: limits of joints and tendons come first
  double accel;    // acceleration of the pull [rad/s^2 or m/s^2]
  double maxforce; // largest norm of its forces, 0: any [N or N m]
  double timeconst; // of the damping [s]
  double timestep;  // of the search [s]
  double inttotal;  // how long the muscle is pulled [s]
  double interval;  // in the last part of that the length must be at rest [s]
  double tolrange;  // share of the range by which a length may still move at the end [-]
} hfiLengthSearch;

hfiLengthSearch hfi_length_search_default(void);

// A world in which muscles on hinges, slides and tendons are pulled. It is made when the first of them needs it.
typedef struct hfiPuller hfiPuller;
void hfi_puller_free(hfiPuller* puller); // NULL is allowed

// Finds def->lengthrange of a muscle on what the builder has so far. *puller is NULL or what an earlier call made; the
// caller frees it. Returns 0 where pulling finds no bounds.
int hfi_find_muscle_length(hfBuilder* builder, hfActuatorDef* def, const hfiLengthSearch* search, hfiPuller** puller);

#endif
