// The compliant layer, Kelvin-Voigt in normal and tangential direction (grasp-switching Eq. 6, 7, 13).
//
//   normal      f_n = max(0, k delta - c v_n min(1, delta/delta_0)) while delta = rest - gap > 0
//   tangential  w = k_t xi + c_t s
//               |w| <= mu f_n:  f_t = -w,             xidot = s              the layer sticks
//               else            f_t = -mu f_n w/|w|,  xidot = (-f_t - k_t xi)/c_t   it slips
//   open        xidot = -k_t/c_t xi                                          it recovers
//
//   gap, v_n, s  of the rigid bodies at the contact;  rest  the gap at which the layer is relaxed
//   delta_0      depth (the configuration's touch) in which damping sets in, so that a contact that closes has no jump
//   xi           tangential deformation, in the frame of B
//
// The layer has no mass: slip is what the force limit leaves, s - xidot = (|w| - mu f_n)/c_t along w. Torsion and
// rolling friction are groups of the same kind, with the coefficient [m] as their lever.
#include "switching/layer.h"

#include <string.h>

static double lighter_body(const hfModel* m, const hfiContact* c) {
  const double* mass = hf_model_body_mass(m);
  int a = hf_model_body_lastdof(m)[c->body_a] >= 0, b = hf_model_body_lastdof(m)[c->body_b] >= 0;
  double least = min2(a ? mass[c->body_a] : INFINITY, b ? mass[c->body_b] : INFINITY);
  return isfinite(least) && least > 0 ? least : 1;
}

hfiLayer hfi_layer_of(const hfRigid* r, int i) {
  const hfLayerConfig* l = &r->config.layer;
  const hfiContact* c = r->accel->contact[i].at;
  double m0 = l->mass > 0 ? l->mass : lighter_body(r->model, c);
  if (l->eps > 0) {
    double k = l->stiffness * m0 / (l->eps * sqr(l->time)),
           damping = l->damping * m0 / (sqrt(l->eps) * l->time);
    return (hfiLayer){k, damping, k, damping};
  }
  double k = c->material.stiffness, kt = c->material.tangential_stiffness;
  return (hfiLayer){k, l->damping * sqrt(m0 * k / l->stiffness), kt,
                    l->damping * sqrt(m0 * kt / l->stiffness)};
}

// ---- groups -----------------------------------------------------------------------------------------

// Component of a deformation along row r of the contact.
static double deformation_of(const hfMat3* R_WB, const hfiContact* c, const hfiDeformation* at,
                             int r) {
  return v3_dot(m3_mulv(*R_WB, r < 3 ? at->xi_B : at->twist_B), hfi_contact_axis(c, r));
}

static void add_deformation(const hfMat3* R_WB, const hfiContact* c, int r, double x,
                            hfiDeformation* sum) {
  hfVec3* part = r < 3 ? &sum->xi_B : &sum->twist_B;
  *part = v3_axpy(x, m3_tmulv(*R_WB, hfi_contact_axis(c, r)), *part);
}

static void evaluate_group(const hfiContact* c, const hfMat3* R_WB, const hfiLayer* layer, int g,
                           const hfiDeformation* at, hfiLayerState* out) {
  const int first = hfi_group_first(g), dim = hfi_group_dim(g);
  double r2 = hfi_group_lever2(c, g), k = r2 * layer->kt, damping = r2 * layer->ct, fn = out->f[0],
         norm = 0, xi[2] = {0, 0};
  for (int j = 0; j < dim; ++j) {
    xi[j] = deformation_of(R_WB, c, at, first + j);
    out->w[g][j] = k * xi[j] + damping * out->s[first + j];
    norm += sqr(out->w[g][j]);
  }
  norm = sqrt(norm);
  double limit = c->material.mu[g] * fn;
  int slips = norm > limit;
  if (slips && g == HF_SLIDING) limit = c->material.mu_dynamic * fn;
  if (slips) out->slips |= 1 << g;
  for (int j = 0; j < dim; ++j) {
    double hold = slips ? limit * out->w[g][j] / norm : out->w[g][j];
    if (fn > 0) out->f[first + j] = -hold;
    add_deformation(R_WB, c, first + j, slips ? (hold - k * xi[j]) / damping : out->s[first + j],
                    &out->rate);
  }
}

hfiLayerState hfi_layer_evaluate(const hfRigid* r, int i, double rest, const hfiDeformation* at,
                                 const double* v) {
  const hfAccel* a = r->accel;
  const hfiAccelContact* c = &a->contact[i];
  hfiLayer layer = hfi_layer_of(r, i);
  hfiLayerState out = {.delta = rest + c->at->depth};
  hfi_accel_row_velocities(c, v, out.s);
  if (out.delta > 0)
    out.f[0] =
        max2(0, layer.k * out.delta - layer.c * out.s[0] * min2(1, out.delta / r->config.touch));
  for (int g = 0; g < hfi_group_count(c->dim); ++g)
    evaluate_group(c->at, &a->dynamics->X_WB[c->at->body_b].R, &layer, g, at, &out);
  return out;
}

// ---- start ------------------------------------------------------------------------------------------

// Solves k delta - c v_n min(1, delta/delta_0) = f_n for delta, and returns the rest gap that gives it at the present gap.
double hfi_layer_start_normal(const hfRigid* r, int i, const hfiTrack* track, const double* s) {
  hfiLayer layer = hfi_layer_of(r, i);
  double f = max2(track->f[0], 0), onset = r->config.touch, delta = (f + layer.c * s[0]) / layer.k;
  double shallow = layer.k - layer.c * s[0] / onset;
  if (delta < onset) delta = shallow > 0 ? min2(f / shallow, onset) : onset;
  return delta - r->accel->contact[i].at->depth;
}

// rate = -ftdot/k, shortened to half the slip speed where it is faster.
static void follow_force(const double* force_rate, const double* slip, int dim, double k,
                         double* rate) {
  double speed = 0, limit = 0;
  for (int j = 0; j < dim; ++j) speed += sqr(force_rate[j] / k), limit += sqr(0.5 * slip[j]);
  double scale = speed > limit ? sqrt(limit / speed) : 1;
  for (int j = 0; j < dim; ++j) rate[j] = -scale * force_rate[j] / k;
}

// k_t xi + c_t xidot = -f_t. Rolling: xidot = s. Sliding: xidot = 0 in the paper; in equilibrium with the slow motion
// the deformation follows the force, xidot = -ftdot/k_t, as far as the slip leaves room: a layer that slips deforms
// more slowly than the bodies move.
hfiDeformation hfi_layer_start(const hfRigid* r, int i, const hfiTrack* track, const double* s,
                               int start) {
  const hfAccel* a = r->accel;
  const hfiContact* c = a->contact[i].at;
  const hfMat3* R_WB = &a->dynamics->X_WB[c->body_b].R;
  hfiLayer layer = hfi_layer_of(r, i);
  hfiDeformation out = {v3_zero(), v3_zero()};
  for (int g = 0; g < hfi_group_count(a->contact[i].dim); ++g) {
    const int first = hfi_group_first(g), dim = hfi_group_dim(g);
    double r2 = hfi_group_lever2(c, g), k = r2 * layer.kt, damping = r2 * layer.ct, rate[2] = {0, 0};
    if (track->mode[g] == HF_MODE_ROLLING)
      memcpy(rate, s + first, (size_t)dim * sizeof *rate);
    else if (start == HF_START_EQUILIBRIUM)
      follow_force(track->rate + first, s + first, dim, k, rate);
    for (int j = 0; j < dim; ++j)
      add_deformation(R_WB, c, first + j, (-track->f[first + j] - damping * rate[j]) / k, &out);
  }
  return out;
}
