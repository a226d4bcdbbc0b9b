// The times that the steps of a run took: the longest, and the median from a table of counts.
#ifndef CLI_STEP_TIMES_H
#define CLI_STEP_TIMES_H

enum { STEP_TIME_BINS = 320 }; // Eight for each factor of two, from 1 ns on.

typedef struct stepTimes {
  long count[STEP_TIME_BINS];
  long steps;
  double longest; // [s]
  double at;      // simulated time at the start of the longest step [s]
} stepTimes;

void step_times_add(stepTimes* times, double seconds, double simulated);
// Half of the steps took longer; right within 5 % [s].
double step_times_median(const stepTimes* times);

#endif
