// Elementary functions by sums, products, quotients and square roots alone, which every processor and every compiler
// rounds alike. So a state, a model and a sensor have the same bits with every C library. Special values are as in
// Annex F of C17; no function sets errno.
//
// Each result is within 0.9 units of its last place (tests/math/test_elementary.c). tests/math/coefficients.py computes
// the constants.
#ifndef HFI_MATH_ELEMENTARY_H
#define HFI_MATH_ELEMENTARY_H

// exponential.c
double hfi_exp(double x);
double hfi_expm1(double x); // e^x - 1
double hfi_exp2(double x);  // 2^x

// logarithm.c
double hfi_log(double x);
double hfi_log2(double x);
double hfi_log10(double x);

// power.c
double hfi_pow(double x, double y); // x^y
double hfi_cbrt(double x);
double hfi_hypot(double x, double y); // (x^2 + y^2)^(1/2)

// sine.c: the sine and the cosine are in sine.h
double hfi_tan(double x); // x [rad]

// arc.c: angles [rad]
double hfi_acos(double x);
double hfi_asin(double x);
double hfi_atan(double x);
double hfi_atan2(double y, double x); // the angle from the x axis to (x, y), from -pi to pi

#endif
