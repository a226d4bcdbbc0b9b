// What the files of this folder share: exponentials and logarithms with twice the digits, of which powers are made.
#ifndef HFI_MATH_INSIDE_H
#define HFI_MATH_INSIDE_H

#include "math/pair.h"

// log 2 as a sum. The first part has 32 bits, so that its products with numbers of 20 bits are exact.
static const hfiPair HFI_LOG_2_SHORT = {0x1.62e42ff000000p-1, -0x1.718432a1b0e26p-35};

// A number of this size has no digits behind the point: adding it rounds to an integer, which its last bits then hold.
static const double HFI_INTEGER = 0x1.8p52;

// e^(x.high + x.low) for |x.high| <= 750. Results that are too large are infinite; those that are too small are
// subnormal or 0.
double hfi_exp_pair(hfiPair x);

// log x within 2^-65 of itself, for 0 < x < infinity.
hfiPair hfi_log_pair(double x);

#endif
