// The response of one contact: impulse gamma and derivative G = -dgamma/ds at row velocities s. All functions are
// inline, because the solver evaluates thousands of contacts in every iteration.
//
//   h    step                          b    bound mu pi of the friction group
//   pi   normal force                  db   db/dvn, the derivative of the bound by the normal velocity
//   s    slip of the group (2 rows)    xi0  its deformation at the start of the step
//   w    unclamped friction force:
//          w = k_t xi0 + kappa s, kappa = h k_t + c_t           anchored friction
//          w = (b/v_s) s                                        regularised (TAMSI Eq. 6, 7)
//
//   stick, |w| <= b:   gamma = -h w
//   slip, otherwise:   gamma = -h b w/|w|
//   smooth friction:   gamma = -h b s/sqrt(v_s^2 + |s|^2), always
//
// With w as the variable nothing is divided by kappa, and nothing is divided by a norm at zero slip. With the distance
// from the centre of the stick region as the variable, s - s0 = w/kappa, both divisions would be needed.
#ifndef HFI_LAW_CONTACT_RESPONSE_H
#define HFI_LAW_CONTACT_RESPONSE_H

#include "base/compile.h"
#include "step/law/law.h"

#include <math.h>

// Response of a friction group of two rows: impulse, gtn = -dgamma/dvn, gtt = -dgamma/ds (11, 12, 22). Functions return
// it by value, so that it stays in registers.
typedef struct hfiGroupResponse {
  double gamma0, gamma1, gtn0, gtn1, gtt11, gtt12, gtt22;
  int flags;
} hfiGroupResponse;

// Bits of hfiGroupResponse.flags: the group slips; its impulse depends on the normal velocity.
enum { HFI_SLIPS = 1, HFI_COUPLES = 2 };

// Returns the response of a group in slip: gamma = -h b t with t = w/|w|. For a given b the impulse depends only on the
// direction of w, so that gtt = h (b slope/|w|)(I - t t^T), slope = dw/ds. norm = |w|.
static inline hfiGroupResponse hfi_slip_group(double h, double b, double db, double norm,
                                              double slope, double w0, double w1) {
  double inverse = 1 / norm;
  double t0 = w0 * inverse;
  double t1 = w1 * inverse;
  double across = h * b * slope * inverse;
  hfiGroupResponse r = {-h * b * t0,        -h * b * t1,       h * db * t0,
                        h * db * t1,        across * t1 * t1,  -across * t0 * t1,
                        across * t0 * t0,   HFI_SLIPS | HFI_COUPLES};
  return r;
}

// Returns the response of a group of smooth friction: gamma = -h b s/R, R = sqrt(v_s^2 + |s|^2), vs = v_s.
static inline hfiGroupResponse hfi_smooth_group(double h, double b, double db, double vs, double s0,
                                                double s1) {
  double R = sqrt(vs * vs + s0 * s0 + s1 * s1);
  double g = h * b / R;
  double u0 = s0 / R;
  double u1 = s1 / R;
  int slips = s0 * s0 + s1 * s1 > vs * vs ? HFI_SLIPS : 0;
  hfiGroupResponse r = {-h * b * u0,        -h * b * u1,   h * db * u0,
                        h * db * u1,        g * (1 - u0 * u0), -g * u0 * u1,
                        g * (1 - u1 * u1),  slips | HFI_COUPLES};
  return r;
}

// Returns the response of friction group g with bound b > 0, db = db/dvn, row velocities s and deformation xi at the
// start of the step.
HFI_FORCE_INLINE hfiGroupResponse hfi_group_respond(const hfContactLaw* law, double h, int g, double b,
                                                 double db, double s0, double s1, double xi0,
                                                 double xi1) {
  double slope;   // dw/ds
  double w0;      // w
  double w1;
  double dw0 = 0; // dw/dvn
  double dw1 = 0;
  int couples = 0;

  if (law->friction == HF_FRICTION_ANCHORED) {
    slope = h * law->k_t[g] + law->c_t[g];
    w0 = law->k_t[g] * xi0 + slope * s0;
    w1 = law->k_t[g] * xi1 + slope * s1;
  } else {
    double vs = law->stiction_speed[g];
    if (law->friction == HF_FRICTION_SMOOTH) return hfi_smooth_group(h, b, db, vs, s0, s1);

    double inverse = 1 / vs;
    slope = b * inverse;
    w0 = slope * s0;
    w1 = slope * s1;
    dw0 = db * inverse * s0;
    dw1 = db * inverse * s1;
    couples = HFI_COUPLES;
  }

  double norm2 = w0 * w0 + w1 * w1;
  if (norm2 > b * b) return hfi_slip_group(h, b, db, sqrt(norm2), slope, w0, w1);
  hfiGroupResponse r = {-h * w0,   -h * w1, h * dw0,   h * dw1, // stick: gamma = -h w
                        h * slope, 0,       h * slope, couples};
  return r;
}

// Adds the flags of group g to those of the contact. dpi = dpi/dvn; if it is zero, friction does not depend on the
// normal velocity.
static inline void hfi_group_flags(hfiContactResponse* out, int g, int flags, double dpi) {
  out->slipping |= (flags & HFI_SLIPS) << g;
  if (flags & HFI_COUPLES && dpi != 0) out->coupled = 1;
}

// Evaluates the group g of two rows whose first row, counted from t1, is `row`.
HFI_FORCE_INLINE void hfi_pair_respond(const hfContactLaw* law, double h, int g, int row, double pi,
                                    double dpi, const double* s, double* gamma,
                                    hfiContactResponse* out) {
  double mu = law->mu[g];
  double* gtn = out->gtn + row;
  double* gtt = out->gtt + hfi_group_gtt(g);

  hfiGroupResponse r = {0, 0, 0, 0, 0, 0, 0, 0};
  if (mu > 0)
    r = hfi_group_respond(law, h, g, mu * pi, mu * dpi, s[1 + row], s[2 + row], law->xi0[row],
                          law->xi0[row + 1]);

  gamma[1 + row] = r.gamma0;
  gamma[2 + row] = r.gamma1;
  gtn[0] = r.gtn0;
  gtn[1] = r.gtn1;
  gtt[0] = r.gtt11;
  gtt[1] = r.gtt12;
  gtt[2] = r.gtt22;
  hfi_group_flags(out, g, r.flags, dpi);
}

// Evaluates torsion. It is computed as a group of two rows whose second row has zero velocity and deformation.
HFI_FORCE_INLINE void hfi_torsion_respond(const hfContactLaw* law, double h, double pi, double dpi,
                                       const double* s, double* gamma, hfiContactResponse* out) {
  double mu = law->mu[HF_TORSION];
  hfiGroupResponse r = {0, 0, 0, 0, 0, 0, 0, 0};
  if (mu > 0)
    r = hfi_group_respond(law, h, HF_TORSION, mu * pi, mu * dpi, s[3], 0, law->xi0[2], 0);

  gamma[3] = r.gamma0;
  out->gtn[2] = r.gtn0;
  out->gtt[3] = r.gtt11;
  hfi_group_flags(out, HF_TORSION, r.flags, dpi);
}

// Computes impulse gamma (dim) and response of a contact at row velocities s.
//   normal force                        one-way: the force at the start of the step; otherwise pi(vn)
//   normal force that bounds friction   lagged: `lag` [N]; frictionless: 0; otherwise the normal force
// Only with two-way coupling does the bound depend on the normal velocity.
HFI_FORCE_INLINE void hfi_contact_respond(const hfContactLaw* law, double h, int dim, int coupling,
                                       double lag, const double* s, double* gamma,
                                       hfiContactResponse* out) {
  // the normal force, and the one that bounds friction, with their derivatives by vn
  double pi;
  double dpi = 0;
  if (coupling == HF_COUPLING_ONE_WAY) {
    pi = law->normal_force0;
  } else {
    pi = hfi_contact_normal_force(law, h, s[0], &dpi);
  }

  double bound = coupling == HF_COUPLING_FRICTIONLESS ? 0 : pi;
  if (coupling == HFI_COUPLING_LAGGED) bound = lag;
  double dbound = coupling == HF_COUPLING_TWO_WAY ? dpi : 0;

  gamma[0] = h * pi;
  out->pi = bound;
  out->gnn = -h * dpi;
  out->active = pi > 0 || bound > 0;
  out->coupled = 0;
  out->slipping = 0;

  // friction
  if (bound > 0) {
    if (dim >= 3) hfi_pair_respond(law, h, HF_SLIDING, 0, bound, dbound, s, gamma, out);
    if (dim >= 4) hfi_torsion_respond(law, h, bound, dbound, s, gamma, out);
    if (dim >= 6) hfi_pair_respond(law, h, HF_ROLLING, 3, bound, dbound, s, gamma, out);
  } else {
    for (int i = 1; i < dim; ++i) gamma[i] = 0;
  }
}

#endif
