// How the time of a step grows with the number of bodies that fall.
#ifndef CLI_CLUTTER_GROWTH_H
#define CLI_CLUTTER_GROWTH_H

#include "common/world.h"

// Loads a scene of clutter and makes its sim and state. Returns 0, or -1 with a message.
int clutter_open(world* w, const char* path, const hfSimConfig* config, hfError* error);

// The time of one thread on its processor [s], or the time that passes if several threads work at once.
double clutter_clock(int threads);

typedef struct clutterGrowth {
  int small; // number of bodies of a small heap
  int large; // number of bodies of the large heap
  int falls; // falls of the large heap
  int threads; // that share the steps of the large heap. With more than one, the time that passes counts
  double small_time; // the answer: mean time of a step of a small heap [s]
  double large_time; // the same of the large heap [s]
} clutterGrowth;

// Measures the falls of small heaps and of large ones in turns. folder: for the scenes. Returns 0, or -1 with a
// message.
int clutter_measure_growth(clutterGrowth* g, const char* folder, hfError* error);

#endif
