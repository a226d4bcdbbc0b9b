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

// Anchored friction at the end of the step: deformation xi (dim - 1) from impulse gamma, in stick
// and in slip alike; bit g of the result is set where group g slips.
int hfi_contact_deformation(const hfContactLaw* law, double h, int dim, const double* s,
                            const double* gamma, double* xi);

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
