// The times that the steps of a run took. Bin i counts times from 2^(i/8) to 2^((i+1)/8) ns.
#include "step_times.h"

#include <math.h>

static const double SHORTEST = 1e-9; // Lower end of the first bin [s].
enum { BINS_PER_OCTAVE = 8 };

// Counts a step that took `seconds`, at this simulated time [s].
void step_times_add(stepTimes* t, double seconds, double simulated) {
  double octave = seconds > SHORTEST ? log2(seconds / SHORTEST) : 0;
  int bin = (int)fmin(BINS_PER_OCTAVE * octave, STEP_TIME_BINS - 1);
  ++t->count[bin];
  ++t->steps;

  if (seconds > t->longest) {
    t->longest = seconds;
    t->at = simulated;
  }
}

// The median time of a step [s]: the middle of the bin in which it is.
double step_times_median(const stepTimes* t) {
  long below = 0;
  int bin = 0;

  while (bin < STEP_TIME_BINS - 1 && 2 * (below + t->count[bin]) <= t->steps) below += t->count[bin++];

  return SHORTEST * exp2((bin + 0.5) / BINS_PER_OCTAVE);
}
