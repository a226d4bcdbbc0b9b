// The compliant layer in normal and tangential direction (grasp-switching Eq. 6, 7, 13).
//
//   normal      f_n = max(0, k E delta - c D v_n min(1, delta/delta_0)) while delta = rest - gap > 0
//   tangential  w = k_t E xi + c_t D s
//               |w| <= mu f_n:  f_t = -w,             xidot = s              the layer sticks
//               else            f_t = -mu f_n w/|w|,  xidot = (-f_t - k_t E xi)/(c_t D)   it slips
//   open        xidot = -k_t E/(c_t D) xi                                    it recovers
//
//   E, D         factors of the law at this deformation (layer_law.h); 1 for the linear law of Eq. (13)
//   gap, v_n, s  of the rigid bodies at the contact;  rest  the gap at which the layer is relaxed
//   delta_0      depth (the configuration's touch) in which damping sets in, so that a contact that closes has no jump
//   xi           tangential deformation, in the frame of B
//
// The layer has no mass: slip is what the force limit leaves, s - xidot = (|w| - mu f_n)/c_t along w. Torsion and
// rolling friction are groups of the same kind, with the coefficient [m] as their lever.
#include "methods/switching/layer.h"

#include "methods/switching/layer_law.h"

#include <string.h>

// The stability test linearises a nonlinear law at no less than this share of L: without deformation some laws have no
// stiffness [-].
static const double LEAST_DEFORMATION = 1e-3;
enum {
  START_DOUBLINGS = 60,  // Most doublings of the depth in which the start of a nonlinear layer is looked for.
  START_BISECTIONS = 80, // They determine that depth to the last digit.
  START_SWEEPS = 30,     // Sweeps that find the tangential deformation of a nonlinear layer at its start.
};

// ---- constants --------------------------------------------------------------------------------------

// The mass of the lighter body of a contact that can move; 1 if there is none [kg].
static double find_lighter_mass(const hfModel* model, const hfiContact* contact) {
  const double* mass = hf_model_body_mass(model);
  int a_moves = hf_model_body_lastdof(model)[contact->body_a] >= 0;
  int b_moves = hf_model_body_lastdof(model)[contact->body_b] >= 0;
  double mass_a = a_moves ? mass[contact->body_a] : INFINITY;
  double mass_b = b_moves ? mass[contact->body_b] : INFINITY;
  double least = min2(mass_a, mass_b);
  return isfinite(least) && least > 0 ? least : 1;
}

// Returns stiffness and damping of the layer of contact i, normal and tangential. With a mass m0, an eps and a time T
// of the configuration, whose numbers K and C have no unit:
//
//   k = K m0/(eps T^2),   c = C m0/(sqrt(eps) T),   both for each direction
//
// Without eps, k is that of the contact's material, and c = C sqrt(m0 k/K) gives the same damping ratio as with eps.
static hfiLayer find_layer(const hfRigid* rigid, int i) {
  const hfLayerConfig* config = &rigid->config.layer;
  const hfiContact* contact = hfi_point_contact(rigid, i);

  double m0 = config->mass > 0 ? config->mass : find_lighter_mass(rigid->model, contact);
  double K_T = config->tangential_stiffness > 0 ? config->tangential_stiffness : config->stiffness;
  double C_T = config->tangential_damping > 0 ? config->tangential_damping : config->damping;

  // K_T, C_T: numbers of the tangential direction; a layer is (k, c, k_t, c_t)
  if (config->eps > 0) {
    double stiffness = config->eps * sqr(config->time);
    double damping = sqrt(config->eps) * config->time;
    return (hfiLayer){config->stiffness * m0 / stiffness, config->damping * m0 / damping, K_T * m0 / stiffness,
                      C_T * m0 / damping};
  }

  // without eps
  double k = contact->material.stiffness;
  double kt = contact->material.tangential_stiffness;
  return (hfiLayer){k, config->damping * sqrt(m0 * k / config->stiffness), kt, C_T * sqrt(m0 * kt / K_T)};
}

// Replaces the constants k and c of a law by its stiffness and damping at the deformation at which it exerts the force
// f.
static void linearise(int law, double depth, double f, double* k, double* c) {
  double u = max2(hfi_layer_inverse(law, f / (*k * depth)), LEAST_DEFORMATION);
  hfiLayerFactors factors = hfi_layer_factors(law, u);
  *k *= factors.slope;
  *c *= factors.damping;
}

// Stiffness and damping of the layer of contact i at the forces f (6) of its rows.
hfiLayer hfi_layer_linearised(const hfRigid* rigid, int i, const double* f) {
  const hfLayerConfig* config = &rigid->config.layer;
  hfiLayer layer = find_layer(rigid, i);
  linearise(config->law, config->depth, max2(f[0], 0), &layer.k, &layer.c);
  linearise(config->tangential_law, config->depth, sqrt(sqr(f[1]) + sqr(f[2])), &layer.kt, &layer.ct);
  return layer;
}

// ---- groups -----------------------------------------------------------------------------------------

// A friction group of a layer at a given deformation.
typedef struct LayerGroup {
  int first;         // first of its rows in the contact
  int dim;           // number of its rows
  double lever2;     // r^2, the lever of the group squared: 1 for sliding [-], else [m^2]
  double xi[2];      // deformation xi along its rows [m or rad]
  double length;     // |xi| [m or rad]
  double k;          // r^2 k_t E [N/m or N m/rad]
  double damping;    // r^2 c_t D [N s/m or N m s/rad]
} LayerGroup;

// Rotation of body B of a contact in the world.
static const hfMat3* rotation_of_b(const hfRigid* rigid, const hfiContact* contact) {
  return &rigid->accel->dynamics->X_WB[contact->body_b].R;
}

// Returns the component of a deformation along this row of the contact [m or rad].
static double find_component(const hfRigid* rigid, const hfiContact* contact, const hfiDeformation* deformation,
                                int row) {
  hfVec3 part_B = row < 3 ? deformation->xi_B : deformation->twist_B;
  return v3_dot(m3_mulv(*rotation_of_b(rigid, contact), part_B), hfi_contact_axis(contact, row));
}

// Adds a deformation x [m or rad] along this row of the contact to `sum`.
static void add_deformation(const hfRigid* rigid, const hfiContact* contact, int row, double x, hfiDeformation* sum) {
  hfVec3* part_B = row < 3 ? &sum->xi_B : &sum->twist_B;
  *part_B = v3_axpy(x, m3_tmulv(*rotation_of_b(rigid, contact), hfi_contact_axis(contact, row)), *part_B);
}

// Factors of the tangential law at the deformation of a group.
static hfiLayerFactors find_group_factors(const hfRigid* rigid, const LayerGroup* group) {
  const hfLayerConfig* config = &rigid->config.layer;
  return hfi_layer_factors(config->tangential_law, sqrt(group->lever2) * group->length / config->depth);
}

// Sets length, stiffness and damping of a group from its deformation xi.
static void measure_group(const hfRigid* rigid, const hfiLayer* layer, LayerGroup* group) {
  group->length = sqrt(sqr(group->xi[0]) + sqr(group->xi[1]));
  hfiLayerFactors factors = find_group_factors(rigid, group);
  group->k = group->lever2 * layer->kt * factors.elastic;
  group->damping = group->lever2 * layer->ct * factors.damping;
}

// Friction group g of a contact, without deformation and not measured.
static LayerGroup make_relaxed_group(const hfiContact* contact, int g) {
  return (LayerGroup){.first = hfi_group_first(g), .dim = hfi_group_dim(g), .lever2 = hfi_group_lever2(contact, g)};
}

// Friction group g of a contact at a deformation.
static LayerGroup make_deformed_group(const hfRigid* rigid, const hfiContact* contact, const hfiLayer* layer, int g,
                                 const hfiDeformation* deformation) {
  LayerGroup group = make_relaxed_group(contact, g);
  for (int j = 0; j < group.dim; ++j) group.xi[j] = find_component(rigid, contact, deformation, group.first + j);
  measure_group(rigid, layer, &group);
  return group;
}

// ---- forces -----------------------------------------------------------------------------------------

// Computes the friction of group g and the rate of its deformation, by the law of the file's head. Reads the normal
// force and the row velocities of `out`. Writes the rows of the group in out->f, its w, its bit in slips, and adds to
// out->rate.
static void evaluate_group(const hfRigid* rigid, const hfiContact* contact, const hfiLayer* layer, int g,
                           const hfiDeformation* deformation, hfiLayerState* out) {
  LayerGroup group = make_deformed_group(rigid, contact, layer, g, deformation);
  const double* s = out->s + group.first;
  const double fn = out->f[0];

  // the force that would hold it without slip
  double* w = out->w[g];
  double norm2 = 0;
  for (int j = 0; j < group.dim; ++j) {
    w[j] = group.k * group.xi[j] + group.damping * s[j];
    norm2 += sqr(w[j]);
  }

  // static friction decides whether it slips; then dynamic friction limits the force
  double norm = sqrt(norm2);
  double limit = contact->material.mu[g] * fn;
  int slips = norm > limit;
  if (slips && g == HF_SLIDING) limit = contact->material.mu_dynamic * fn;
  if (slips) out->slips |= 1 << g;

  // force and rate
  for (int j = 0; j < group.dim; ++j) {
    int row = group.first + j;
    double hold = slips ? limit * w[j] / norm : w[j];

    double rate = slips ? (hold - group.k * group.xi[j]) / group.damping : s[j];
    if (fn > 0) out->f[row] = -hold;
    add_deformation(rigid, contact, row, rate, &out->rate);
  }
}

// k E delta - c D v_n min(1, delta/delta_0), for delta > 0 [N].
static double normal_force(const hfRigid* rigid, const hfiLayer* layer, double delta, double vn) {
  const hfLayerConfig* config = &rigid->config.layer;
  hfiLayerFactors factors = hfi_layer_factors(config->law, delta / config->depth);
  return layer->k * factors.elastic * delta - layer->c * factors.damping * vn * min2(1, delta / rigid->config.touch);
}

// Evaluates the layer of contact i, whose rest gap is `rest` [m], at a deformation and the velocities v (nv).
hfiLayerState hfi_layer_evaluate(const hfRigid* rigid, int i, double rest, const hfiDeformation* deformation,
                                 const double* v) {
  const hfiAccelContact* contact = &rigid->accel->contact[i];
  hfiLayer layer = find_layer(rigid, i);
  hfiLayerState out = {.delta = rest + contact->source->depth};
  hfi_accel_row_velocities(contact, v, out.s);
  if (out.delta > 0) out.f[0] = max2(0, normal_force(rigid, &layer, out.delta, out.s[0]));
  for (int g = 0; g < hfi_group_count(contact->dim); ++g)
    evaluate_group(rigid, contact->source, &layer, g, deformation, &out);

  return out;
}

// ---- slopes -----------------------------------------------------------------------------------------

// Derivatives of the normal force of a layer that presses: f_s by v_n, and f_x by a displacement along the normal,
// which opens the layer.
static void find_normal_slopes(const hfRigid* rigid, const hfiLayer* layer, const hfiLayerState* state,
                               hfiLayerSlopes* out) {
  const hfLayerConfig* config = &rigid->config.layer;
  hfiLayerFactors factors = hfi_layer_factors(config->law, state->delta / config->depth);

  // D v_n min(1, delta/delta_0): the derivative of the product by delta/L
  double touch = rigid->config.touch;
  double onset = min2(1, state->delta / touch);
  double onset_slope = state->delta < touch ? 1 / touch : 0;
  double damping_slope = factors.damping_slope / config->depth * onset + factors.damping * onset_slope;

  out->f_s[0][0] = -layer->c * factors.damping * onset;
  out->f_x[0][0] = -layer->k * factors.slope + layer->c * state->s[0] * damping_slope;
}

// K, the derivative of k E xi by xi (dim x dim): r^2 k_t (E + (d(u E)/du - E) e e^T), e along xi.
static void find_group_stiffness(const hfRigid* rigid, const hfiLayer* layer, const LayerGroup* group, double K[2][2]) {
  hfiLayerFactors factors = find_group_factors(rigid, group);
  for (int i = 0; i < group->dim; ++i)
    for (int k = 0; k < group->dim; ++k) {
      double along = group->length > 0 ? group->xi[i] * group->xi[k] / sqr(group->length) : 0;
      K[i][k] = group->lever2 * layer->kt * (factors.elastic * (i == k) + (factors.slope - factors.elastic) * along);
    }
}

// Derivatives of the friction force of a group, df = -T dw + pull dfn, by its w and by the normal force. slips says on
// which piece of the law the group is.
static void find_friction_slopes(const hfiContact* contact, int g, int dim, int slips, const hfiLayerState* state,
                            double T[2][2], double pull[2]) {
  const double* w = state->w[g];
  const double fn = state->f[0];
  double norm = dim > 1 ? sqrt(sqr(w[0]) + sqr(w[1])) : fabs(w[0]);

  double mu = g == HF_SLIDING ? contact->material.mu_dynamic : contact->material.mu[g];
  for (int i = 0; i < dim; ++i) {
    pull[i] = slips ? -mu * w[i] / norm : 0;
    for (int k = 0; k < dim; ++k) {
      double identity = i == k;
      T[i][k] = slips ? mu * fn * (identity - w[i] * w[k] / sqr(norm)) / norm : identity;
    }
  }
}

// Adds the derivatives of the forces of a group whose layer presses, df = -T dw + pull dfn with dw = K dxi + c ds.
static void add_force_slopes(const LayerGroup* group, double K[2][2], double T[2][2], const double* pull,
                               hfiLayerSlopes* out) {
  const int first = group->first;
  for (int a = 0; a < group->dim; ++a) {
    out->f_s[first + a][0] = pull[a] * out->f_s[0][0];
    out->f_x[first + a][0] = pull[a] * out->f_x[0][0];

    for (int b = 0; b < group->dim; ++b) {
      out->f_s[first + a][first + b] -= T[a][b] * group->damping;
      for (int m = 0; m < group->dim; ++m) out->f_xi[first + a][first + b] -= T[a][m] * K[m][b];
    }
  }
}

// Writes the derivatives of the rate of a group that slips, or is open, from the derivatives of its forces.
static void set_rate_slopes(const LayerGroup* group, hfiLayerSlopes* out) {
  const int first = group->first;
  for (int row = first; row < first + group->dim; ++row) {
    out->rate_s[row][0] = -out->f_s[row][0] / group->damping;
    out->rate_x[row][0] = -out->f_x[row][0] / group->damping;

    for (int k = first; k < first + group->dim; ++k) {
      out->rate_s[row][k] = -out->f_s[row][k] / group->damping;
      out->rate_xi[row][k] = -(out->f_xi[row][k] + (row == k) * group->k) / group->damping;
    }
  }
}

// Derivatives of friction group g, with w = k E xi + c D s and u = w/|w|:
//
//   sticks  df = -dw,                                          dxidot = ds
//   slips   df = -mu u dfn - mu f_n (1 - u u^T)/|w| dw,        dxidot = (-df - k E dxi)/c
//   open    df = 0,                                            the same: it recovers
//
// with dw = K dxi + c ds. c is short for c_t D, whose change with xi is left out; in dxidot it cancels the change of E,
// because both laws of friction have E = D.
static void find_group_slopes(const hfRigid* rigid, int i, const hfiLayer* layer, int g,
                              const hfiDeformation* deformation, const hfiLayerState* state, hfiLayerSlopes* out) {
  const hfiContact* contact = hfi_point_contact(rigid, i);
  LayerGroup group = make_deformed_group(rigid, contact, layer, g, deformation);
  const int presses = state->f[0] > 0;
  const int slips = state->slips >> g & 1;

  if (presses) {
    double K[2][2];
    double T[2][2];
    double pull[2];
    find_group_stiffness(rigid, layer, &group, K);
    find_friction_slopes(contact, g, group.dim, slips, state, T, pull);
    add_force_slopes(&group, K, T, pull, out);
  }

  if (slips || !presses) {
    set_rate_slopes(&group, out);
    return;
  }

  for (int row = group.first; row < group.first + group.dim; ++row) out->rate_s[row][row] = 1;
}

// Derivatives of the forces and rates of the layer of contact i at a point where hfi_layer_evaluate gave `state`.
hfiLayerSlopes hfi_layer_slopes(const hfRigid* rigid, int i, const hfiDeformation* deformation,
                                const hfiLayerState* state) {
  hfiLayerSlopes out = {0};

  hfiLayer layer = find_layer(rigid, i);
  if (state->f[0] > 0) find_normal_slopes(rigid, &layer, state, &out);
  for (int g = 0; g < hfi_group_count(rigid->accel->contact[i].dim); ++g)
    find_group_slopes(rigid, i, &layer, g, deformation, state, &out);
  return out;
}

// ---- energy -----------------------------------------------------------------------------------------

// Energy of the springs of contact i at its gap and a deformation [J].
double hfi_layer_energy(const hfRigid* rigid, int i, double rest, const hfiDeformation* deformation) {
  const hfLayerConfig* config = &rigid->config.layer;
  const hfiContact* contact = hfi_point_contact(rigid, i);
  hfiLayer layer = find_layer(rigid, i);

  double delta = max2(0, rest + contact->depth);
  double sum = layer.k * sqr(delta) * hfi_layer_factors(config->law, delta / config->depth).energy;

  for (int g = 0; g < hfi_group_count(rigid->accel->contact[i].dim); ++g) {
    double lever2 = hfi_group_lever2(contact, g);
    double stretch2 = 0; // the deformation at the lever, squared
    for (int j = 0; j < hfi_group_dim(g); ++j)

      stretch2 += lever2 * sqr(find_component(rigid, contact, deformation, hfi_group_first(g) + j));
    sum += layer.kt * stretch2 * hfi_layer_factors(config->tangential_law, sqrt(stretch2) / config->depth).energy;
  }
  return sum;
}

// ---- start ------------------------------------------------------------------------------------------

// Solves k delta - c v_n min(1, delta/delta_0) = f for delta [m].
static double solve_linear_depth(const hfRigid* rigid, const hfiLayer* layer, double f, double vn) {
  double onset = rigid->config.touch;
  double delta = (f + layer->c * vn) / layer->k;

  if (delta >= onset) return delta;
  // less deep than delta_0: (k - c v_n/delta_0) delta = f
  double shallow = layer->k - layer->c * vn / onset;
  return shallow > 0 ? min2(f / shallow, onset) : onset;
}

// Solves k E delta - c D v_n min(1, delta/delta_0) = f for delta [m], by bisection. Damping alone may pull more than
// any depth presses, as with Hunt and Crossley's law in fast separation. Then delta is the depth at rest.
static double solve_nonlinear_depth(const hfRigid* rigid, const hfiLayer* layer, double f, double vn) {
  const hfLayerConfig* config = &rigid->config.layer;
  double depth_at_rest = config->depth * hfi_layer_inverse(config->law, f / (layer->k * config->depth));

  // hi: a depth that presses with f or more; lo: one that presses less
  double lo = 0;
  double hi = max2(depth_at_rest, max2(0, layer->c * vn / layer->k)) + rigid->config.touch;
  for (int i = 0; i < START_DOUBLINGS && normal_force(rigid, layer, hi, vn) < f; ++i) {
    lo = hi;
    hi *= 2;
  }
  if (normal_force(rigid, layer, hi, vn) < f) return depth_at_rest;

  // the interval halves until it has the last digits
  for (int i = 0; i < START_BISECTIONS; ++i) {
    double mid = 0.5 * (lo + hi);
    if (normal_force(rigid, layer, mid, vn) < f) lo = mid;
    else hi = mid;
  }
  return hi;
}

// Returns the rest gap [m] with which the layer of contact i takes over the normal force of its track.
double hfi_layer_start_normal(const hfRigid* rigid, int i, const hfiTrack* track, const double* s) {
  hfiLayer layer = find_layer(rigid, i);
  double f = max2(track->f[0], 0);
  int is_linear = rigid->config.layer.law == HF_LAYER_LINEAR;
  double delta = is_linear ? solve_linear_depth(rigid, &layer, f, s[0]) : solve_nonlinear_depth(rigid, &layer, f, s[0]);
  return delta - hfi_point_contact(rigid, i)->depth;
}

// Sets rate (dim) = -ftdot/k, the rate of a deformation whose force changes by ftdot (force_rate). It is shortened to
// half the speed of the slip if it is faster.
static void find_following_rate(const double* force_rate, const double* slip, int dim, double k, double* rate) {
  double speed2 = 0;
  double limit2 = 0;
  for (int j = 0; j < dim; ++j) {
    speed2 += sqr(force_rate[j] / k);
    limit2 += sqr(0.5 * slip[j]);
  }

  double scale = speed2 > limit2 ? sqrt(limit2 / speed2) : 1;
  for (int j = 0; j < dim; ++j) rate[j] = -scale * force_rate[j] / k;
}

// Solves k_t E xi + c_t D rate = -f for the deformation xi of a group. E and D depend on the length of xi alone: the
// sweeps take D from the sweep before and solve for the length exactly. With a linear law the first sweep is the
// answer.
static void solve_group_deformation(const hfRigid* rigid, const hfiLayer* layer, const double* f, const double* rate,
                        LayerGroup* group) {
  const hfLayerConfig* config = &rigid->config.layer;
  const double lever = sqrt(group->lever2);
  const int is_linear = config->tangential_law == HF_LAYER_LINEAR;

  for (int sweep = 0; sweep < (is_linear ? 1 : START_SWEEPS); ++sweep) {
    double pull[2] = {0, 0};

    measure_group(rigid, layer, group);
    for (int j = 0; j < group->dim; ++j) pull[j] = -f[j] - group->damping * rate[j];

    // a linear law
    if (is_linear) {
      for (int j = 0; j < group->dim; ++j) group->xi[j] = pull[j] / group->k;
      continue;
    }

    // the force k_t L u E(u) at the lever, the length L u
    double force = sqrt(sqr(pull[0]) + sqr(pull[1])) / lever;
    double u = hfi_layer_inverse(config->tangential_law, force / (layer->kt * config->depth));
    double length = config->depth * u / lever;
    for (int j = 0; j < group->dim; ++j) group->xi[j] = force > 0 ? length * pull[j] / (force * lever) : 0;
  }
}

// Returns the deformation with which the layer of contact i takes over the friction forces of its track:
// k_t E xi + c_t D xidot = -f_t. Rolling: xidot = s. Sliding: xidot = 0 in the paper. In equilibrium with the slow
// motion (start) the deformation follows the force, xidot = -ftdot/k_t, as far as the slip leaves room: a layer that
// slips deforms more slowly than the bodies move.
hfiDeformation hfi_layer_start_tangential(const hfRigid* rigid, int i, const hfiTrack* track, const double* s,
                                          int start) {
  const hfiContact* contact = hfi_point_contact(rigid, i);
  hfiLayer layer = find_layer(rigid, i);
  hfiDeformation out = {v3_zero(), v3_zero()};

  for (int g = 0; g < hfi_group_count(rigid->accel->contact[i].dim); ++g) {
    LayerGroup group = make_relaxed_group(contact, g);
    double rate[2] = {0, 0};

    // the rate of the deformation
    if (track->mode[g] == HF_MODE_ROLLING) {
      memcpy(rate, s + group.first, (size_t)group.dim * sizeof *rate);
    } else if (start == HF_START_EQUILIBRIUM) {
      find_following_rate(track->rate + group.first, s + group.first, group.dim, group.lever2 * layer.kt, rate);
    }

    solve_group_deformation(rigid, &layer, track->f + group.first, rate, &group);
    for (int j = 0; j < group.dim; ++j) add_deformation(rigid, contact, group.first + j, group.xi[j], &out);
  }
  return out;
}
