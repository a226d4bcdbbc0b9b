// Potentials of the laws, gamma = -grad, written out from their definitions: the convex rung minimises their
// sum without ever computing them, so that they are an oracle for its impulses.
//
//   h  step, k stiffness, d dissipation, vn normal velocity    b  bound mu pi of a friction group
//   kappa  slope of friction in stick                          v_s  stiction speed
//
// docs/theory/one-law.md derives them. The responses themselves are in contact.h.
#ifndef HF_TESTS_POTENTIAL_H
#define HF_TESTS_POTENTIAL_H

#include "step/law/law.h"

#include "math/vec3.h"

// Copies the one or two entries of a friction group; the second of a single row is zero.
static inline void load_pair(const double* from, int row, int n, double to[2]) {
  to[0] = from[row];
  to[1] = n == 2 ? from[row + 1] : 0;
}

// The integral of h pi from vn to the velocity `end` at which pi becomes zero. It is written as a
// polynomial in x = end - vn, in which nothing cancels.
static inline double normal_potential(const hfContactLaw* law, double h, double vn) {
  double k = law->stiffness, d = law->dissipation, end = law->depth / h;
  if (d * end <= 1) { // The surfaces separate first: pi = k h x (1 - d end + d x).
    double x = end - vn;
    return x > 0 ? h * k * h * x * x * ((1 - d * end) / 2 + d * x / 3) : 0;
  }
  double x = 1 / d - vn; // The damping factor vanishes first: pi = k d x (depth - h/d + h x).
  return x > 0 ? h * k * d * x * x * ((law->depth - h / d) / 2 + h * x / 3) : 0;
}

// Huber's function of the slip: kappa |u|^2/2 in stick, b |u| - b^2/(2 kappa) in slip, u = s - s0.
static inline double group_potential(const hfContactLaw* law, double h, int g, double b, const double s[2],
                              const double xi0[2]) {
  double vs = law->stiction_speed[g], norm = sqrt(s[0] * s[0] + s[1] * s[1]), slope = b / vs;
  if (law->friction == HF_FRICTION_SMOOTH) // h b (sqrt(v_s^2 + |s|^2) - v_s), without cancellation
    return h * b * (norm / (sqrt(vs * vs + norm * norm) + vs)) * norm;
  if (law->friction == HF_FRICTION_ANCHORED) {
    slope = h * law->k_t[g] + law->c_t[g];
    if (slope <= 0) return 0;
    double w0 = law->k_t[g] * xi0[0] / slope + s[0], w1 = law->k_t[g] * xi0[1] / slope + s[1];
    norm = sqrt(w0 * w0 + w1 * w1);
  }
  return slope * norm <= b ? h * slope * norm * norm / 2 : h * b * (norm - b / slope / 2);
}

static inline double contact_potential(const hfContactLaw* law, double h, int dim, double lag,
                             const double* s) {
  double sum = normal_potential(law, h, s[0]);
  for (int g = 0; g < hfi_group_count(dim); ++g) {
    double st[2], xi0[2], b = law->mu[g] * lag;
    if (!(b > 0)) continue;
    load_pair(s + 1, hfi_group_row(g), hfi_group_dim(g), st);
    load_pair(law->xi0, hfi_group_row(g), hfi_group_dim(g), xi0);
    sum += group_potential(law, h, g, b, st, xi0);
  }
  return sum;
}

// Huber's function: quadratic between the bounds, linear beyond them, with a continuous derivative.
static inline double saturated_potential(const hfSaturatedRow* row, double h, double s) {
  double f = hfi_saturated_unclamped(row, s), g = clamp(f, row->lo, row->hi);
  return h * (g * f - g * g / 2) / row->kappa;
}

#endif
