// The laws of the step problem: impulse, derivative and potential of a block at row velocities s =
// J v.
//
// Plain functions on plain structs, in the common subset of C and C++. docs/theory/one-law.md
// derives them. The derivative is G = -dgamma/ds; two-way coupling makes its column of the normal
// unsymmetric:
//
//   G = [ gnn  0   ]      gtn = h mu t dpi/dvn in slip
//       [ gtn  gtt ]      gtt block-diagonal: sliding (2 x 2), torsion (1), rolling (2 x 2)
#ifndef HFI_SOLVE_LAW_H
#define HFI_SOLVE_LAW_H

#include <holdfast/solver.h>

// What bounds friction: hfCoupling, or a given normal force (the convex problem).
enum { HFI_COUPLING_LAGGED = 3 };

// Where friction group g = HF_SLIDING, HF_TORSION, HF_ROLLING has its rows, counted from t1.
static inline int hfi_group_row(int g) { return g == 0 ? 0 : g + 1; } // 0, 2, 3
static inline int hfi_group_dim(int g) { return g == 1 ? 1 : 2; }     // 2, 1, 2
static inline int hfi_group_count(int dim) { return dim < 3 ? 0 : dim < 4 ? 1 : dim < 6 ? 2 : 3; }

typedef struct hfiContactResponse {
  double pi;        // normal force that bounds friction; zero: gtn and gtt are not set [N]
  double gnn;       // [kg]
  double gtn[5];    // by friction row
  double gtt[7];    // sliding 11, 12, 22; torsion; rolling 11, 12, 22
  int32_t active;   // impulse or G is not zero
  int32_t coupled;  // gtn is not zero: G is unsymmetric
  int32_t slipping; // bit g: friction group g is outside its stick region
} hfiContactResponse;

// Normal force pi(vn) = k (1 - d vn)+ (depth - h vn)+ and its derivative (<= 0).
static inline double hfi_contact_normal_force(const hfContactLaw* law, double h, double vn,
                                              double* derivative) {
  double damping = 1 - law->dissipation * vn, depth = law->depth - h * vn;
  if (damping <= 0 || depth <= 0) {
    *derivative = 0;
    return 0;
  }
  *derivative = -law->stiffness * (law->dissipation * depth + h * damping);
  return law->stiffness * damping * depth;
}

// Potential of a contact whose friction is bounded by `lag`: gamma = -grad. Convex.
double hfi_contact_potential(const hfContactLaw* law, double h, int dim, double lag,
                             const double* s);

// Group g sticks where |w| <= the radius returned: the unclamped force against mu pi for the
// anchored law, the slip velocity against v_s for the others. A group of one row has w[1] = 0.
static inline double hfi_contact_stick(const hfContactLaw* law, double h, int g, double pi,
                                       const double* s, double w[2]) {
  int row = hfi_group_row(g), n = hfi_group_dim(g);
  w[0] = s[1 + row];
  w[1] = n == 2 ? s[2 + row] : 0;
  if (law->friction != HF_FRICTION_ANCHORED) return law->stiction_speed[g];
  double slope = h * law->k_t[g] + law->c_t[g];
  w[0] = law->k_t[g] * law->xi0[row] + slope * w[0];
  if (n == 2) w[1] = law->k_t[g] * law->xi0[row + 1] + slope * w[1];
  return law->mu[g] * pi;
}

// Anchored friction at the end of the step: bit g is set where group g slips. There the force fell
// short of the unclamped one by more than rounding, which is that of s times a large slope: a stick
// taken for a slip would jump by the truncation of h s.
static inline int hfi_group_slips(const hfContactLaw* law, double h, int g, const double* s,
                                  const double* gamma) {
  const double* f = gamma + 1 + hfi_group_row(g);
  double w[2], second = hfi_group_dim(g) == 2 ? f[1] : 0;
  hfi_contact_stick(law, h, g, 0, s, w);
  double free2 = h * h * (w[0] * w[0] + w[1] * w[1]), got2 = f[0] * f[0] + second * second;
  return got2 < free2 * (1 - 1e-6) ? 1 << g : 0;
}
static inline int hfi_contact_slips(const hfContactLaw* law, double h, int dim, const double* s,
                                    const double* gamma) {
  int slips = dim >= 3 ? hfi_group_slips(law, h, HF_SLIDING, s, gamma) : 0;
  if (dim >= 4) slips |= hfi_group_slips(law, h, HF_TORSION, s, gamma);
  if (dim >= 6) slips |= hfi_group_slips(law, h, HF_ROLLING, s, gamma);
  return slips;
}
// Its deformation xi (dim - 1) from impulse gamma: gamma = -h (k_t xi + c_t (xi - xi0)/h) gives
// xi = (c_t xi0 - gamma)/(h k_t + c_t), in stick xi0 + h s, in slip what carries the bounded force.
static inline void hfi_group_deformation(const hfContactLaw* law, double h, int g,
                                         const double* gamma, double* xi) {
  double slope = h * law->k_t[g] + law->c_t[g];
  for (int i = hfi_group_row(g); i < hfi_group_row(g) + hfi_group_dim(g); ++i)
    xi[i] = slope > 0 ? (law->c_t[g] * law->xi0[i] - gamma[1 + i]) / slope : 0;
}
static inline void hfi_contact_deformation(const hfContactLaw* law, double h, int dim,
                                           const double* gamma, double* xi) {
  if (dim >= 3) hfi_group_deformation(law, h, HF_SLIDING, gamma, xi);
  if (dim >= 4) hfi_group_deformation(law, h, HF_TORSION, gamma, xi);
  if (dim >= 6) hfi_group_deformation(law, h, HF_ROLLING, gamma, xi);
}

// Force of a saturated row before the clamp.
static inline double hfi_saturated_free(const hfSaturatedRow* row, double s) {
  return -row->kappa * (s - row->s0);
}
// Impulse, and *G = -dgamma/ds.
static inline double hfi_saturated_respond(const hfSaturatedRow* row, double h, double s,
                                           double* G) {
  double f = hfi_saturated_free(row, s);
  *G = f > row->lo && f < row->hi ? h * row->kappa : 0;
  return h * (f < row->lo ? row->lo : f > row->hi ? row->hi : f);
}
double hfi_saturated_potential(const hfSaturatedRow* row, double h, double s);

#endif
