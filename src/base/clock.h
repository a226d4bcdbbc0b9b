// Time that passes outside of a simulation.
#ifndef HFI_BASE_CLOCK_H
#define HFI_BASE_CLOCK_H

#include <time.h>

// Seconds since some fixed moment; nobody sets this clock.
static inline double hfi_clock(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
