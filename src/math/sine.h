// Sine and cosine by sums and products alone, which every processor and every compiler rounds alike: the same bits
// everywhere (sine_lanes.h).
#ifndef HFI_MATH_SINE_H
#define HFI_MATH_SINE_H

typedef struct hfiSine { double sin, cos; } hfiSine;

// Sine and cosine of any angle [rad].
hfiSine hfi_sine(double x);

#endif
