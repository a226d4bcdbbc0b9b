// How far our run of a scene is from MuJoCo's, and why.
#ifndef HF_CLI_ROBOTS_REASON_H
#define HF_CLI_ROBOTS_REASON_H

#include "robots_trial.h"

// One of our runs beside MuJoCo's.
typedef struct comparison {
  outcomeDistance apart, recipe;             // from MuJoCo's run, and from that with its recipe
  int resting, recipe_resting;               // 1: both are at rest; our run and that with the recipe are
  outcomeContacts contacts, recipe_contacts; // beside MuJoCo's run, and beside that with its recipe
} comparison;

typedef struct verdict {
  char reason[320]; // "" where the scene behaves alike
  int compared;     // 0: one of the engines does not run it
  int differs;      // 1: no reason was found; the text has numbers only
  comparison ours;
} verdict;

// Compares the run that the trial has just made with MuJoCo's and, where they are not alike, makes runs that tell why.
verdict verdict_find(trial* t);

#endif
