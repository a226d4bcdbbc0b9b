// The laws of the step problem: the impulse gamma of a block and its derivative, as functions of the row velocities s =
// J v. docs/theory/one-law.md derives them.
//
//   h   step [s]                       pi     normal force [N]
//   vn  normal velocity s[0] [m/s]     pi_mu  normal force that bounds friction; mostly pi (hfCoupling) [N]
//   xi  deformation [m or rad]         b      bound mu pi_mu of a friction group [N or N m]
//                                      kappa  slope of a row [N s/m or N m s/rad]
//
// Rows of a contact: 0 the normal n, 1 and 2 sliding along t1 and t2, 3 torsion about n, 4 and 5 rolling about t1 and
// t2. vn > 0 separates. gamma acts on body A; J has the signs by which B gets the opposite.
//
// The derivative of a contact is G = -dgamma/ds [kg]. With two-way coupling friction depends on the normal velocity, so
// that G is unsymmetric:
//
//   G = [ gnn  0   ]      gtn = h mu t dpi/dvn in slip, t = direction of the unclamped force
//       [ gtn  gtt ]      gtt block-diagonal: sliding (2 x 2), torsion (1 x 1), rolling (2 x 2)
//
// This header compiles as C and as C++.
#ifndef HFI_LAW_LAW_H
#define HFI_LAW_LAW_H

#include <holdfast/law.h>
#include <holdfast/methods.h>

// One more value of hfCoupling: the normal force that bounds friction is given (convex problem).
enum { HFI_COUPLING_LAGGED = 3 };

// Layout of the friction groups g = HF_SLIDING, HF_TORSION, HF_ROLLING of a contact.
// First row of group g, counted from t1: 0, 2, 3.
static inline int hfi_group_row(int g) { return g == 0 ? 0 : g + 1; }
// Number of rows of group g: 2, 1, 2.
static inline int hfi_group_dim(int g) { return g == 1 ? 1 : 2; }
// Number of groups of a contact with dim rows.
static inline int hfi_group_count(int dim) {
  if (dim < 3) return 0;
  if (dim < 4) return 1;
  return dim < 6 ? 2 : 3;
}
// Group of row i of a contact, i >= 1.
static inline int hfi_row_group(int i) {
  if (i < 3) return HF_SLIDING;
  return i < 4 ? HF_TORSION : HF_ROLLING;
}
// First entry of group g in gtt: 0, 3, 4.
static inline int hfi_group_gtt(int g) { return g == 0 ? 0 : g + 2; }

// The response of a contact at given row velocities, beside its impulse.
typedef struct hfiContactResponse {
  double pi_mu;     // normal force that bounds friction [N]; if it is zero, gtn and gtt are not set
  double gnn;       // normal entry of G [kg]
  double gtn[5];    // one entry for each friction row: t1, t2, torsion, roll1, roll2
  double gtt[7];    // sliding 11, 12, 22; torsion; rolling 11, 12, 22
  int32_t active;   // 1: the impulse or G is not zero
  int32_t coupled;  // 1: gtn is not zero, so that G is unsymmetric
  int32_t slipping; // bit g: friction group g is outside its stick region
} hfiContactResponse;

// Returns the normal force pi(vn) = k (1 - d vn)+ (depth - h vn)+ [N], and its derivative by vn (<= 0). depth: of the
// law, at the start of the step; it contains the margin at which the contact acts (contact/contact.h).
static inline double hfi_contact_normal_force(const hfContactLaw* law, double h, double vn,
                                              double* derivative) {
  double damping = 1 - law->dissipation * vn;
  double depth = law->depth - h * vn;
  if (damping <= 0 || depth <= 0) {
    *derivative = 0;
    return 0;
  }

  *derivative = -law->stiffness * (law->dissipation * depth + h * damping);
  return law->stiffness * damping * depth;
}

// Computes w and returns a radius: friction group g sticks if |w| <= radius. For anchored friction w is the unclamped
// force and the radius is the bound mu pi_mu. For the other laws w is the slip velocity and the radius is v_s. A group
// of one row has w[1] = 0. s: velocities of all rows of the contact.
static inline double hfi_contact_stick(const hfContactLaw* law, double h, int g, double pi_mu,
                                       const double* s, double w[2]) {
  int row = hfi_group_row(g);
  int n = hfi_group_dim(g);
  w[0] = s[1 + row];
  w[1] = n == 2 ? s[2 + row] : 0;
  if (law->friction != HF_FRICTION_ANCHORED) return law->stiction_speed[g];

  double slope = h * law->k_t[g] + law->c_t[g];
  w[0] = law->k_t[g] * law->xi0[row] + slope * w[0];
  if (n == 2) w[1] = law->k_t[g] * law->xi0[row + 1] + slope * w[1];
  return law->mu[g] * pi_mu;
}

// A group of anchored friction slips if the square of its force is smaller than the square of its unclamped force by
// more than this share [-]. A smaller difference may be the rounding of s multiplied by a large slope. If a group that
// sticks were taken to slip, its deformation would miss the truncation error of h s.
static const double HFI_CLAMPED_SHARE = 1e-6;

// Returns 1 << g if group g of anchored friction slips at the end of the step, else 0.
static inline int hfi_group_slips(const hfContactLaw* law, double h, int g, const double* s,
                                  const double* gamma) {
  const double* f = gamma + 1 + hfi_group_row(g);
  double second = hfi_group_dim(g) == 2 ? f[1] : 0;
  double w[2];
  hfi_contact_stick(law, h, g, 0, s, w);

  double unclamped2 = h * h * (w[0] * w[0] + w[1] * w[1]);
  double impulse2 = f[0] * f[0] + second * second;
  return impulse2 < unclamped2 * (1 - HFI_CLAMPED_SHARE) ? 1 << g : 0;
}
// The same for all groups of a contact: bit g is set if group g slips.
static inline int hfi_contact_slips(const hfContactLaw* law, double h, int dim, const double* s,
                                    const double* gamma) {
  int slips = dim >= 3 ? hfi_group_slips(law, h, HF_SLIDING, s, gamma) : 0;
  if (dim >= 4) slips |= hfi_group_slips(law, h, HF_TORSION, s, gamma);
  if (dim >= 6) slips |= hfi_group_slips(law, h, HF_ROLLING, s, gamma);
  return slips;
}
// Computes the deformation xi (dim - 1) of group g of anchored friction at the end of the step. From gamma = -h (k_t xi
// + c_t (xi - xi0)/h) follows xi = (c_t xi0 - gamma)/(h k_t + c_t). In stick this is xi0 + h s; in slip it is the
// deformation whose force is at the bound.
static inline void hfi_group_deformation(const hfContactLaw* law, double h, int g,
                                         const double* gamma, double* xi) {
  double slope = h * law->k_t[g] + law->c_t[g];
  double inverse = slope > 0 ? 1 / slope : 0;
  for (int i = hfi_group_row(g); i < hfi_group_row(g) + hfi_group_dim(g); ++i)
    xi[i] = (law->c_t[g] * law->xi0[i] - gamma[1 + i]) * inverse;
}
// The same for all groups of a contact.
static inline void hfi_contact_deformation(const hfContactLaw* law, double h, int dim,
                                           const double* gamma, double* xi) {
  if (dim >= 3) hfi_group_deformation(law, h, HF_SLIDING, gamma, xi);
  if (dim >= 4) hfi_group_deformation(law, h, HF_TORSION, gamma, xi);
  if (dim >= 6) hfi_group_deformation(law, h, HF_ROLLING, gamma, xi);
}

// Returns the unclamped force of a saturated row.
static inline double hfi_saturated_unclamped(const hfSaturatedRow* row, double s) {
  return -row->kappa * (s - row->s0);
}
// Returns the impulse of a saturated row and sets *G = -dgamma/ds.
static inline double hfi_saturated_respond(const hfSaturatedRow* row, double h, double s,
                                           double* G) {
  double f = hfi_saturated_unclamped(row, s);
  *G = f > row->lo && f < row->hi ? h * row->kappa : 0;
  if (f < row->lo) f = row->lo;
  else if (f > row->hi) f = row->hi;
  return h * f;
}

#endif
