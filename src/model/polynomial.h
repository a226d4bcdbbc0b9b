// Springs and dampers whose force is a polynomial of third degree.
//
//   spring of stretch x:  f(x) = a x + b x^2 + c x^3       secant f/x = a + b x + c x^2
//   damper of speed v:    f(v) = a v + b v |v| + c v^3     secant at |v|
//
// A joint with three coordinates of a kind has x = |rotation vector| or |displacement| and its force along that vector.
#ifndef HFI_MODEL_POLYNOMIAL_H
#define HFI_MODEL_POLYNOMIAL_H

// poly holds b and c.
static inline double hfi_secant(double a, const double poly[2], double x) { return a + poly[0] * x + poly[1] * x * x; }
// Derivative of f.
static inline double hfi_polynomial_slope(double a, const double poly[2], double x) { return a + 2 * poly[0] * x + 3 * poly[1] * x * x; }
// Integral of f from 0.
static inline double hfi_polynomial_energy(double a, const double poly[2], double x) {
  return x * x * (a / 2 + x * (poly[0] / 3 + x * poly[1] / 4));
}

#endif
