// The response of one contact: impulse gamma and derivative G = -dgamma/ds at row velocities s. All functions are
// inline, because the solver evaluates thousands of contacts in every iteration.
//
// Rows of a contact: 0 the normal n, 1 and 2 sliding along t1 and t2, 3 torsion about n, 4 and 5 rolling about t1 and
// t2. Arrays s and gamma have all rows; xi0, gtn and gtt begin at t1, so that their entry i belongs to row 1 + i.
//
//   h       step [s]                                vn      normal velocity s[0], positive: the surfaces part [m/s]
//   pi      normal force of the contact [N]         dpi     dpi/dvn
//   pi_mu   normal force that bounds friction [N]   dpi_mu  dpi_mu/dvn; hfi_contact_respond says when it is not pi
//   b       bound mu pi_mu of a friction group      db      db/dvn = mu dpi_mu
//   s0, s1  slip of a group of two rows             xi0     deformation of the rows at the start of the step
//   w       unclamped friction force of a group, from its slip s:
//             w = k_t xi0 + kappa s, kappa = h k_t + c_t      anchored friction
//             w = (b/v_s) s                                   regularised (TAMSI Eq. 6, 7)
//
//   normal:            gamma = h pi, on body A along n, which points from B into A
//   stick, |w| <= b:   gamma = -h w                          the sign: friction acts on A against its slip
//   slip, otherwise:   gamma = -h b w/|w|
//   smooth friction:   gamma = -h b s/sqrt(v_s^2 + |s|^2), always
//
// The caller divides by h for newtons (discrete/outcome.c). Body B gets the opposite, by its signs in J
// (contact/jacobian.c).
//
// With w as the variable nothing is divided by kappa, and nothing is divided by a norm at zero slip. With the distance
// from the centre of the stick region as the variable, s - s_c = w/kappa, both divisions would be needed.
#ifndef HFI_LAW_CONTACT_RESPONSE_H
#define HFI_LAW_CONTACT_RESPONSE_H

#include "base/compile.h"
#include "step/law/law.h"

#include <math.h>

// Response of a friction group of two rows. Functions return it by value, so that it stays in registers.
typedef struct hfiGroupResponse {
  double gamma0, gamma1;      // impulse
  double gtn0, gtn1;          // -dgamma/dvn
  double gtt11, gtt12, gtt22; // -dgamma/ds, symmetric
  int flags;                  // HFI_SLIPS, HFI_COUPLES
} hfiGroupResponse;

// Bits of hfiGroupResponse.flags.
enum {
  HFI_SLIPS = 1,  // the group is outside its stick region
  HFI_COUPLES = 2 // its impulse depends on the bound b, and so on the normal velocity if b does
};

// Returns the response of a group in slip: gamma = -h b t with t = w/|w|, norm = |w|. For a given b the impulse depends
// only on the direction of w, so that gtn = h db t and gtt = h (b slope/|w|)(I - t t^T), slope = dw/ds.
static inline hfiGroupResponse hfi_slip_group(double h, double b, double db, double norm,
                                              double slope, double w0, double w1) {
  double inverse = 1 / norm;
  double t0 = w0 * inverse;
  double t1 = w1 * inverse;
  double across = h * b * slope * inverse;

  hfiGroupResponse r;
  r.gamma0 = -h * b * t0;
  r.gamma1 = -h * b * t1;
  r.gtn0 = h * db * t0;
  r.gtn1 = h * db * t1;
  r.gtt11 = across * t1 * t1; // I - t t^T = (t1, -t0)(t1, -t0)^T in the plane
  r.gtt12 = -across * t0 * t1;
  r.gtt22 = across * t0 * t0;
  r.flags = HFI_SLIPS | HFI_COUPLES;
  return r;
}

// Returns the response of a group of smooth friction: gamma = -h b u, u = s/R, R = sqrt(v_s^2 + |s|^2), vs = v_s. So
// gtn = h db u and gtt = (h b/R)(I - u u^T). It counts as slipping above the stiction speed v_s.
static inline hfiGroupResponse hfi_smooth_group(double h, double b, double db, double vs, double s0, double s1) {
  double R = sqrt(vs * vs + s0 * s0 + s1 * s1);
  double g = h * b / R;
  double u0 = s0 / R;
  double u1 = s1 / R;
  int slips = s0 * s0 + s1 * s1 > vs * vs ? HFI_SLIPS : 0;

  hfiGroupResponse r;
  r.gamma0 = -h * b * u0;
  r.gamma1 = -h * b * u1;
  r.gtn0 = h * db * u0;
  r.gtn1 = h * db * u1;
  r.gtt11 = g * (1 - u0 * u0);
  r.gtt12 = -g * u0 * u1;
  r.gtt22 = g * (1 - u1 * u1);
  r.flags = slips | HFI_COUPLES;
  return r;
}

// Returns the response of friction group g with bound b > 0, slip (s0, s1) and deformation (xi0, xi1) at the start of
// the step.
HFI_FORCE_INLINE hfiGroupResponse hfi_group_respond(const hfContactLaw* law, double h, int g, double b, double db,
                                                    double s0, double s1, double xi0, double xi1) {
  // w, its slope dw/ds (kappa of the head), and dw/dvn
  double slope;
  double w0;
  double w1;
  double dw0 = 0;
  double dw1 = 0;
  int couples = 0;

  if (law->friction == HF_FRICTION_ANCHORED) {
    // spring and damper: w does not depend on the bound
    slope = h * law->k_t[g] + law->c_t[g];
    w0 = law->k_t[g] * xi0 + slope * s0;
    w1 = law->k_t[g] * xi1 + slope * s1;
  } else {
    double vs = law->stiction_speed[g];
    if (law->friction == HF_FRICTION_SMOOTH) return hfi_smooth_group(h, b, db, vs, s0, s1);

    // regularised: w grows with the bound, even in stick
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

  // stick: gamma = -h w
  hfiGroupResponse r;
  r.gamma0 = -h * w0;
  r.gamma1 = -h * w1;
  r.gtn0 = h * dw0;
  r.gtn1 = h * dw1;
  r.gtt11 = h * slope;
  r.gtt12 = 0;
  r.gtt22 = h * slope;
  r.flags = couples;
  return r;
}

// Adds the flags of group g to those of the contact. If dpi_mu is zero, friction does not depend on vn.
static inline void hfi_group_flags(hfiContactResponse* out, int g, int flags, double dpi_mu) {
  out->slipping |= (flags & HFI_SLIPS) << g;
  if (flags & HFI_COUPLES && dpi_mu != 0) out->coupled = 1;
}

// Evaluates group g of two rows, sliding or rolling: writes its entries of gamma and of G, and adds its flags. first:
// its first row, counted from t1, as in xi0; in s and gamma this is row 1 + first.
HFI_FORCE_INLINE void hfi_pair_respond(const hfContactLaw* law, double h, int g, int first, double pi_mu,
                                       double dpi_mu, const double* s, double* gamma, hfiContactResponse* out) {
  double mu = law->mu[g];
  double* gtn = out->gtn + first;
  double* gtt = out->gtt + hfi_group_gtt(g);

  hfiGroupResponse r = {0, 0, 0, 0, 0, 0, 0, 0};
  if (mu > 0)
    r = hfi_group_respond(law, h, g, mu * pi_mu, mu * dpi_mu, s[1 + first], s[2 + first], law->xi0[first],
                          law->xi0[first + 1]);

  gamma[1 + first] = r.gamma0;
  gamma[2 + first] = r.gamma1;
  gtn[0] = r.gtn0;
  gtn[1] = r.gtn1;
  gtt[0] = r.gtt11;
  gtt[1] = r.gtt12;
  gtt[2] = r.gtt22;
  hfi_group_flags(out, g, r.flags, dpi_mu);
}

// Evaluates torsion, row 3: writes its entries of gamma and of G, and adds its flags. It is computed as a group of two
// rows whose second row has zero velocity and deformation.
HFI_FORCE_INLINE void hfi_torsion_respond(const hfContactLaw* law, double h, double pi_mu, double dpi_mu,
                                          const double* s, double* gamma, hfiContactResponse* out) {
  double mu = law->mu[HF_TORSION];
  hfiGroupResponse r = {0, 0, 0, 0, 0, 0, 0, 0};
  if (mu > 0)
    r = hfi_group_respond(law, h, HF_TORSION, mu * pi_mu, mu * dpi_mu, s[3], 0, law->xi0[2], 0);

  gamma[3] = r.gamma0;
  out->gtn[2] = r.gtn0;
  out->gtt[3] = r.gtt11;
  hfi_group_flags(out, HF_TORSION, r.flags, dpi_mu);
}

// Computes impulse gamma (dim) and response of a contact at row velocities s (dim).
//
//   pi      one-way coupling: the force at the start of the step, normal_force0; otherwise pi(vn)
//   pi_mu   frictionless: 0; lagged: `lag` [N], which the caller gives; otherwise pi
//
// Only with two-way coupling does pi_mu, and with it friction, depend on vn.
HFI_FORCE_INLINE void hfi_contact_respond(const hfContactLaw* law, double h, int dim, int coupling, double lag,
                                          const double* s, double* gamma, hfiContactResponse* out) {
  // the normal force
  double pi;
  double dpi = 0;
  if (coupling == HF_COUPLING_ONE_WAY) {
    pi = law->normal_force0;
  } else {
    pi = hfi_contact_normal_force(law, h, s[0], &dpi);
  }

  // the normal force that bounds friction
  double pi_mu = coupling == HF_COUPLING_FRICTIONLESS ? 0 : pi;
  if (coupling == HFI_COUPLING_LAGGED) pi_mu = lag;
  double dpi_mu = coupling == HF_COUPLING_TWO_WAY ? dpi : 0;

  gamma[0] = h * pi;
  out->pi_mu = pi_mu;
  out->gnn = -h * dpi;
  out->active = pi > 0 || pi_mu > 0;
  out->coupled = 0;
  out->slipping = 0;

  // friction
  if (pi_mu > 0) {
    if (dim >= 3) hfi_pair_respond(law, h, HF_SLIDING, 0, pi_mu, dpi_mu, s, gamma, out);
    if (dim >= 4) hfi_torsion_respond(law, h, pi_mu, dpi_mu, s, gamma, out);
    if (dim >= 6) hfi_pair_respond(law, h, HF_ROLLING, 3, pi_mu, dpi_mu, s, gamma, out);
  } else {
    for (int i = 1; i < dim; ++i) gamma[i] = 0;
  }
}

#endif
