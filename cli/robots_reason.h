// How far our run of a scene is from MuJoCo's, and why.
#ifndef HF_CLI_ROBOTS_REASON_H
#define HF_CLI_ROBOTS_REASON_H

#include "robots_trial.h"

// One of our runs beside MuJoCo's.
typedef struct comparison {
  outcomeDistance apart, recipe;             // distances from MuJoCo's run, and from MuJoCo's run with its recipe
  int resting; // 1: our run and MuJoCo's are at rest
  int recipe_resting; // 1: our run and MuJoCo's with its recipe are at rest
  outcomeContacts contacts; // beside the contacts of MuJoCo's run
  outcomeContacts recipe_contacts; // beside the contacts of its run with the recipe
} comparison;

typedef struct verdict {
  char reason[320]; // why the two runs differ; "" if they are alike
  int compared;     // 0: one of the engines cannot run the scene
  int differs;      // 1: no reason was found, and `reason` has numbers only
  comparison ours;
} verdict;

// Compares the run that the trial has just made with MuJoCo's and, where they are not alike, makes runs that tell why.
verdict verdict_find(trial* t);

#endif
