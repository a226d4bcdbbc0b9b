// The response of one contact, inline: the solvers evaluate thousands of them.
//
//   w      = k_t xi0 + kappa s,  kappa = h k_t + c_t            anchored friction, unclamped
//          = (b/v_s) s                                          regularised (TAMSI Eq. 6, 7)
//   gamma_t = -h w            |w| <= b = mu pi                  stick
//           = -h b w/|w|      otherwise                         slip
//   smooth:  gamma_t = -h b s/sqrt(v_s^2 + |s|^2)
//
//   pi normal force, xi0 tangential deformation at the start of the step, b bound of friction.
// Written with w instead of the distance from the disc's centre s0 = -k_t xi0/kappa, nothing is
// ever divided by kappa, and at zero slip nothing by a norm.
#ifndef HFI_SOLVE_CONTACT_H
#define HFI_SOLVE_CONTACT_H

#include "solve/law.h"

#include <math.h>

// Impulse of a friction group of two rows, gtt = -dgamma/ds (11, 12, 22) and gtn = -dgamma/dvn.
typedef struct hfiGroupResponse {
  double *gamma, *gtn, *gtt;
} hfiGroupResponse;

// gamma = -h b t with t = w/|w|, moving with the direction only: gtt = h (b slope/|w|)(I - t t^T)
static inline void hfi_slip_group(double h, double b, double db, double norm, double slope,
                                  double w0, double w1, hfiGroupResponse r) {
  double t0 = w0 / norm, t1 = w1 / norm, across = h * b * slope / norm;
  r.gamma[0] = -h * b * t0;
  r.gamma[1] = -h * b * t1;
  r.gtt[0] = across * t1 * t1;
  r.gtt[1] = -across * t0 * t1;
  r.gtt[2] = across * t0 * t0;
  r.gtn[0] = h * db * t0;
  r.gtn[1] = h * db * t1;
}

// gamma = -h b s/R, R = sqrt(v_s^2 + |s|^2)
static inline void hfi_smooth_group(double h, double b, double db, double vs, double s0, double s1,
                                    hfiGroupResponse r) {
  double R = sqrt(vs * vs + s0 * s0 + s1 * s1), g = h * b / R, u0 = s0 / R, u1 = s1 / R;
  r.gamma[0] = -h * b * u0;
  r.gamma[1] = -h * b * u1;
  r.gtt[0] = g * (1 - u0 * u0);
  r.gtt[1] = -g * u0 * u1;
  r.gtt[2] = g * (1 - u1 * u1);
  r.gtn[0] = h * db * u0;
  r.gtn[1] = h * db * u1;
}

enum { HFI_SLIPS = 1, HFI_COUPLES = 2 }; // what a group reports

// Friction group g with bound b = mu pi > 0, db = db/dvn, row velocities s and deformation xi.
static inline int hfi_group_respond(const hfContactLaw* law, double h, int g, double b, double db,
                                    double s0, double s1, double xi0, double xi1,
                                    hfiGroupResponse r) {
  double slope, w0, w1, dw0 = 0, dw1 = 0;
  int couples = 0;
  if (law->friction == HF_FRICTION_ANCHORED) {
    slope = h * law->k_t[g] + law->c_t[g];
    w0 = law->k_t[g] * xi0 + slope * s0;
    w1 = law->k_t[g] * xi1 + slope * s1;
  } else {
    double vs = law->stiction_speed[g];
    if (law->friction == HF_FRICTION_SMOOTH) {
      hfi_smooth_group(h, b, db, vs, s0, s1, r);
      return (s0 * s0 + s1 * s1 > vs * vs ? HFI_SLIPS : 0) | HFI_COUPLES;
    }
    double inverse = 1 / vs;
    slope = b * inverse;
    w0 = slope * s0, w1 = slope * s1;
    dw0 = db * inverse * s0, dw1 = db * inverse * s1;
    couples = HFI_COUPLES;
  }
  double norm2 = w0 * w0 + w1 * w1;
  if (norm2 > b * b) {
    hfi_slip_group(h, b, db, sqrt(norm2), slope, w0, w1, r);
    return HFI_SLIPS | HFI_COUPLES;
  }
  r.gamma[0] = -h * w0; // stick: gamma = -h w, w = w0 + slope s
  r.gamma[1] = -h * w1;
  r.gtt[0] = r.gtt[2] = h * slope;
  r.gtt[1] = 0;
  r.gtn[0] = h * dw0;
  r.gtn[1] = h * dw1;
  return couples;
}

static inline void hfi_group_clear(hfiGroupResponse r) {
  r.gamma[0] = r.gamma[1] = r.gtn[0] = r.gtn[1] = r.gtt[0] = r.gtt[1] = r.gtt[2] = 0;
}

static inline void hfi_group_flags(hfiContactResponse* out, int g, int flags, double dpi) {
  if (flags & HFI_SLIPS) out->slipping |= 1 << g;
  if (flags & HFI_COUPLES && dpi != 0) out->coupled = 1;
}

// A group of two rows: row and xi count from t1.
static inline void hfi_pair_respond(const hfContactLaw* law, double h, int g, int row, double pi,
                                    double dpi, const double* s, double* gamma,
                                    hfiContactResponse* out) {
  hfiGroupResponse r = {gamma + 1 + row, out->gtn + row, out->gtt + (g == HF_SLIDING ? 0 : 4)};
  double mu = law->mu[g];
  const double *st = s + 1 + row, *xi0 = law->xi0 + row;
  if (mu > 0)
    hfi_group_flags(
        out, g, hfi_group_respond(law, h, g, mu * pi, mu * dpi, st[0], st[1], xi0[0], xi0[1], r),
        dpi);
  else
    hfi_group_clear(r);
}

// One row is a group of two whose second row rests.
static inline void hfi_torsion_respond(const hfContactLaw* law, double h, double pi, double dpi,
                                       const double* s, double* gamma, hfiContactResponse* out) {
  double mu = law->mu[HF_TORSION], impulse[2], gtn[2], gtt[3];
  hfiGroupResponse r = {impulse, gtn, gtt};
  if (mu > 0)
    hfi_group_flags(
        out, HF_TORSION,
        hfi_group_respond(law, h, HF_TORSION, mu * pi, mu * dpi, s[3], 0, law->xi0[2], 0, r), dpi);
  else
    hfi_group_clear(r);
  gamma[3] = impulse[0];
  out->gtn[2] = gtn[0];
  out->gtt[3] = gtt[0];
}

// Impulse gamma (dim) and G. `lag` bounds friction when coupling is HFI_COUPLING_LAGGED [N].
static inline void hfi_contact_respond(const hfContactLaw* law, double h, int dim, int coupling,
                                       double lag, const double* s, double* gamma,
                                       hfiContactResponse* out) {
  double pi, dpi = 0, bound, dbound = 0;
  if (coupling == HF_COUPLING_ONE_WAY)
    pi = law->normal_force0;
  else
    pi = hfi_contact_normal_force(law, h, s[0], &dpi);
  if (coupling == HFI_COUPLING_LAGGED)
    bound = lag;
  else
    bound = coupling == HF_COUPLING_FRICTIONLESS ? 0 : pi;
  if (coupling == HF_COUPLING_TWO_WAY) dbound = dpi;
  gamma[0] = h * pi;
  out->pi = bound;
  out->gnn = -h * dpi;
  out->active = pi > 0 || bound > 0;
  out->coupled = out->slipping = 0;
  if (bound > 0) {
    if (dim >= 3) hfi_pair_respond(law, h, HF_SLIDING, 0, bound, dbound, s, gamma, out);
    if (dim >= 4) hfi_torsion_respond(law, h, bound, dbound, s, gamma, out);
    if (dim >= 6) hfi_pair_respond(law, h, HF_ROLLING, 3, bound, dbound, s, gamma, out);
  } else {
    for (int i = 1; i < dim; ++i) gamma[i] = 0;
  }
}

#endif
