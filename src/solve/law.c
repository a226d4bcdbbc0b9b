// Contact and saturated rows as functions of their row velocities.
//
//   pi(vn) = k (1 - d vn)+ (delta - h vn)+                      normal force (TAMSI Eq. 5, 19)
//   w      = k_t xi0 + kappa s,  kappa = h k_t + c_t            anchored friction, unclamped
//          = (b/v_s) s                                          regularised (TAMSI Eq. 6, 7)
//   gamma_t = -h w            |w| <= b = mu pi                  stick
//           = -h b w/|w|      otherwise                         slip
//   smooth:  gamma_t = -h b s/sqrt(v_s^2 + |s|^2)
//
//   delta depth at the start of the step, xi0 tangential deformation there, b bound of friction.
// Written with w instead of the distance from the disc's centre s0 = -k_t xi0/kappa, nothing is ever
// divided by kappa, and at zero slip nothing by a norm.
#include "solve/law.h"

#include "math/vec3.h"

double hfi_contact_normal_force(const hfContactLaw* law, double h, double vn, double* derivative) {
  double damping = 1 - law->dissipation * vn, depth = law->depth - h * vn;
  if (damping <= 0 || depth <= 0) {
    *derivative = 0;
    return 0;
  }
  *derivative = -law->stiffness * (law->dissipation * depth + h * damping);
  return law->stiffness * damping * depth;
}

// What a friction group adds: impulse, -dgamma/ds (11, 12, 22) and -dgamma/dvn.
typedef struct groupResponse { double gamma[2], gtt[3], gtn[2]; } groupResponse;

// gamma = -h b t, moving with the direction only: gtt = h (b slope/|w|)(I - t t^T)
static void slip_group(double h, double b, double db, double norm, double slope, const double w[2],
                       groupResponse* r) {
  double t0 = w[0] / norm, t1 = w[1] / norm, across = h * b * slope / norm;
  r->gamma[0] = -h * b * t0;
  r->gamma[1] = -h * b * t1;
  r->gtt[0] = across * t1 * t1;
  r->gtt[1] = -across * t0 * t1;
  r->gtt[2] = across * t0 * t0;
  r->gtn[0] = h * db * t0;
  r->gtn[1] = h * db * t1;
}

// gamma = -h w with w = w0 + slope s, and dw/dvn = (dslope) s for the regularised law
static void stick_group(double h, double slope, const double w[2], const double dw[2],
                        groupResponse* r) {
  for (int i = 0; i < 2; ++i) {
    r->gamma[i] = -h * w[i];
    r->gtn[i] = h * dw[i];
  }
  r->gtt[0] = r->gtt[2] = h * slope;
  r->gtt[1] = 0;
}

// gamma = -h b s/R, R = sqrt(v_s^2 + |s|^2)
static void smooth_group(double h, double b, double db, double vs, const double s[2],
                         groupResponse* r) {
  double R = sqrt(vs * vs + s[0] * s[0] + s[1] * s[1]), g = h * b / R;
  double u0 = s[0] / R, u1 = s[1] / R;
  r->gamma[0] = -h * b * u0;
  r->gamma[1] = -h * b * u1;
  r->gtt[0] = g * (1 - u0 * u0);
  r->gtt[1] = -g * u0 * u1;
  r->gtt[2] = g * (1 - u1 * u1);
  r->gtn[0] = h * db * u0;
  r->gtn[1] = h * db * u1;
}

// One friction group with bound b > 0 and db = db/dvn; a group of one row has s[1] = xi0[1] = 0.
static void respond_group(const hfContactLaw* law, double h, int g, double b, double db,
                          const double s[2], const double xi0[2], groupResponse* r) {
  double w[2], dw[2] = {0, 0}, slope, vs = law->stiction_speed[g];
  if (law->friction == HF_FRICTION_SMOOTH) {
    smooth_group(h, b, db, vs, s, r);
    return;
  }
  if (law->friction == HF_FRICTION_ANCHORED) {
    slope = h * law->k_t[g] + law->c_t[g];
    for (int i = 0; i < 2; ++i) w[i] = law->k_t[g] * xi0[i] + slope * s[i];
  } else {
    slope = b / vs;
    for (int i = 0; i < 2; ++i) {
      w[i] = slope * s[i];
      dw[i] = db / vs * s[i];
    }
  }
  double norm2 = w[0] * w[0] + w[1] * w[1];
  if (norm2 <= b * b) stick_group(h, slope, w, dw, r);
  else slip_group(h, b, db, sqrt(norm2), slope, w, r);
}

static void load_pair(const double* from, int row, int n, double to[2]) {
  to[0] = from[row];
  to[1] = n == 2 ? from[row + 1] : 0;
}

static void respond_friction(const hfContactLaw* law, double h, int dim, double pi, double dpi,
                             const double* s, hfiContactResponse* out) {
  for (int g = 0; g < hfi_group_count(dim); ++g) {
    int row = hfi_group_row(g), n = hfi_group_dim(g), at = g == 0 ? 0 : g + 2; // 0, 3, 4
    double st[2], xi0[2];
    groupResponse r = {{0, 0}, {0, 0, 0}, {0, 0}};
    load_pair(s + 1, row, n, st);
    load_pair(law->xi0, row, n, xi0);
    if (law->mu[g] > 0) respond_group(law, h, g, law->mu[g] * pi, law->mu[g] * dpi, st, xi0, &r);
    for (int i = 0; i < n; ++i) {
      out->gamma[1 + row + i] = r.gamma[i];
      out->gtn[row + i] = r.gtn[i];
      if (r.gtn[i] != 0) out->coupled = 1;
    }
    out->gtt[at] = r.gtt[0];
    if (n == 2) { out->gtt[at + 1] = r.gtt[1]; out->gtt[at + 2] = r.gtt[2]; }
  }
}

static void clear_friction(hfiContactResponse* out) {
  for (int i = 0; i < 5; ++i) out->gamma[1 + i] = out->gtn[i] = 0;
  for (int i = 0; i < 7; ++i) out->gtt[i] = 0;
}

void hfi_contact_respond(const hfContactLaw* law, double h, int dim, int coupling, double lag,
                         const double* s, hfiContactResponse* out) {
  double pi, dpi = 0, bound, dbound = 0;
  if (coupling == HF_COUPLING_ONE_WAY) pi = law->normal_force0;
  else pi = hfi_contact_normal_force(law, h, s[0], &dpi);
  if (coupling == HFI_COUPLING_LAGGED) bound = lag;
  else bound = coupling == HF_COUPLING_FRICTIONLESS ? 0 : pi;
  if (coupling == HF_COUPLING_TWO_WAY) dbound = dpi;
  out->pi = bound;
  out->gamma[0] = h * pi;
  out->gnn = -h * dpi;
  out->active = pi > 0 || bound > 0;
  out->coupled = 0;
  if (bound > 0) respond_friction(law, h, dim, bound, dbound, s, out);
  else clear_friction(out);
}

// The integral of h pi from vn up to where pi ends, written from that end: no cancellation.
static double normal_potential(const hfContactLaw* law, double h, double vn) {
  double k = law->stiffness, d = law->dissipation, end = law->depth / h;
  if (d * end <= 1) { // ends by separation: pi = k h x (1 - d end + d x)
    double x = end - vn;
    return x > 0 ? h * k * h * x * x * ((1 - d * end) / 2 + d * x / 3) : 0;
  }
  double x = 1 / d - vn; // ends by dissipation: pi = k d x (depth - h/d + h x)
  return x > 0 ? h * k * d * x * x * ((law->depth - h / d) / 2 + h * x / 3) : 0;
}

static double group_potential(const hfContactLaw* law, double h, int g, double b, const double s[2],
                              const double xi0[2]) {
  double vs = law->stiction_speed[g], norm = sqrt(s[0] * s[0] + s[1] * s[1]), slope = b / vs;
  if (law->friction == HF_FRICTION_SMOOTH) // sqrt(v_s^2 + |s|^2) - v_s
    return h * b * (norm / (sqrt(vs * vs + norm * norm) + vs)) * norm;
  if (law->friction == HF_FRICTION_ANCHORED) {
    slope = h * law->k_t[g] + law->c_t[g];
    if (slope <= 0) return 0;
    double w0 = law->k_t[g] * xi0[0] / slope + s[0], w1 = law->k_t[g] * xi0[1] / slope + s[1];
    norm = sqrt(w0 * w0 + w1 * w1);
  }
  return slope * norm <= b ? h * slope * norm * norm / 2 : h * b * (norm - b / slope / 2);
}

double hfi_contact_potential(const hfContactLaw* law, double h, int dim, double lag, const double* s) {
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

double hfi_contact_stick(const hfContactLaw* law, double h, int g, double pi, const double* s,
                         double w[2]) {
  int row = hfi_group_row(g), n = hfi_group_dim(g);
  load_pair(s + 1, row, n, w);
  if (law->friction != HF_FRICTION_ANCHORED) return law->stiction_speed[g];
  double slope = h * law->k_t[g] + law->c_t[g], xi0[2];
  load_pair(law->xi0, row, n, xi0);
  for (int i = 0; i < 2; ++i) w[i] = law->k_t[g] * xi0[i] + slope * w[i];
  return law->mu[g] * pi;
}

// gamma = -h (k_t xi + c_t (xi - xi0)/h) gives xi = (c_t xi0 - gamma)/(h k_t + c_t): in stick this is
// xi0 + h s, in slip the deformation that carries the bounded force.
int hfi_contact_deformation(const hfContactLaw* law, double h, int dim, const double* s,
                            const double* gamma, double* xi) {
  int slipping = 0;
  for (int g = 0; g < hfi_group_count(dim); ++g) {
    int row = hfi_group_row(g), n = hfi_group_dim(g);
    double slope = h * law->k_t[g] + law->c_t[g], w[2], f[2];
    hfi_contact_stick(law, h, g, 0, s, w);
    load_pair(gamma + 1, row, n, f);
    // The force fell short of the unclamped one by more than rounding, which is that of s times a large
    // slope: a stick taken for a slip would jump by the truncation of h s.
    double free2 = h * h * (w[0] * w[0] + w[1] * w[1]), got2 = f[0] * f[0] + f[1] * f[1];
    if (got2 < free2 * (1 - 1e-6)) slipping |= 1 << g;
    for (int i = 0; i < n; ++i)
      xi[row + i] = slope > 0 ? (law->c_t[g] * law->xi0[row + i] - f[i]) / slope : 0;
  }
  return slipping;
}

double hfi_saturated_respond(const hfSaturatedRow* row, double h, double s, double* G) {
  double f = hfi_saturated_free(row, s);
  *G = f > row->lo && f < row->hi ? h * row->kappa : 0;
  return h * clamp(f, row->lo, row->hi);
}

// Huber: quadratic between the bounds, linear beyond, joined smoothly.
double hfi_saturated_potential(const hfSaturatedRow* row, double h, double s) {
  double f = hfi_saturated_free(row, s), g = clamp(f, row->lo, row->hi);
  return h * (g * f - g * g / 2) / row->kappa;
}
