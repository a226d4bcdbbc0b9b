// One material from the materials of two geoms a and b in contact: hfi_material_combine. A value that a geom does not
// give (it is negative) is the world's.
//
//   k   = k_a k_b/(k_a + k_b)                    springs in series carry the same force
//   d   = (k_b d_a + k_a d_b)/(k_a + k_b)        each damps its share of the deformation
//   k_t = in series likewise; k_t of a geom that gives none is tangential_ratio times its k
//   c_t = in series likewise; negative: critical damping (contact_law.h)
//   mu  = elementwise maximum (MJCF), or the harmonic mean 2 mu_a mu_b/(mu_a + mu_b) (URDF);
//         if one geom has a higher priority, its mu alone
//   v_s = the smaller one
//
// The friction, condim and MuJoCo softness of an explicit pair replace these values (apply_pair). MuJoCo's solref and
// solimp replace k and d where a scene gives them (set_law_of_solref).
#include "step/contact/material.h"

#include "base/finite.h"
#include "math/vec3.h"
#include <holdfast/step_problem.h>

#include <string.h>

// Returns a value of a geom, or the default if it is negative.
static double find_given_or_default(double value, double fallback) { return value < 0 ? fallback : value; }

// Returns the stiffness or damping of two in series.
static double combine_in_series(double a, double b) { return a + b > 0 ? a * b / (a + b) : 0; }

// Returns 2 a b/(a + b).
static double find_harmonic_mean(double a, double b) { return 2 * combine_in_series(a, b); }

static double find_larger(double a, double b) { return max2(a, b); }

// Returns the coefficient of sliding friction of a geom above the stiction speed [-].
static double find_dynamic_friction(const hfModel* m, int g) {
  return find_given_or_default(hf_model_geom_friction_dynamic(m)[g], hf_model_geom_friction(m)[3 * g]);
}

// Returns the geom whose values count alone because its priority is higher, or -1.
static int find_dominant_geom(const hfModel* m, int a, int b) {
  int priority_a = hf_model_geom_priority(m)[a];
  int priority_b = hf_model_geom_priority(m)[b];

  if (priority_a == priority_b) return -1;
  return priority_a > priority_b ? a : b;
}

// Sets mu and mu_dynamic. alone: the dominant geom, or -1.
static void combine_friction(const hfModel* m, int a, int b, int alone, hfiMaterial* out) {
  const double* mu = hf_model_geom_friction(m);

  if (alone >= 0) {
    memcpy(out->mu, mu + 3 * alone, sizeof out->mu);
    out->mu_dynamic = find_dynamic_friction(m, alone);
    return;
  }

  double (*combine)(double, double) = m->world.friction_rule == HF_COMBINE_HARMONIC ? find_harmonic_mean : find_larger;
  for (int i = 0; i < 3; ++i) out->mu[i] = combine(mu[3 * a + i], mu[3 * b + i]);
  out->mu_dynamic = combine(find_dynamic_friction(m, a), find_dynamic_friction(m, b));
}

// Sets weight_a, stiffness and dissipation along and across the normal, restitution and stiction speed.
static void combine_compliance(const hfModel* m, int a, int b, hfiMaterial* out) {
  const hfWorld* w = &m->world;

  // along the normal
  double ka = find_given_or_default(hf_model_geom_stiffness(m)[a], w->stiffness);
  double kb = find_given_or_default(hf_model_geom_stiffness(m)[b], w->stiffness);
  double da = find_given_or_default(hf_model_geom_dissipation(m)[a], w->dissipation);
  double db = find_given_or_default(hf_model_geom_dissipation(m)[b], w->dissipation);
  out->weight_a = ka / (ka + kb);
  out->stiffness = combine_in_series(ka, kb);
  out->dissipation = (kb * da + ka * db) / (ka + kb);
  out->restitution = max2(hf_model_geom_restitution(m)[a], hf_model_geom_restitution(m)[b]);

  // along the surface; where one geom gives no damping (negative), that of the other counts alone
  double ta = find_given_or_default(hf_model_geom_tangential_stiffness(m)[a], w->tangential_ratio * ka);
  double tb = find_given_or_default(hf_model_geom_tangential_stiffness(m)[b], w->tangential_ratio * kb);
  double ca = hf_model_geom_tangential_damping(m)[a];
  double cb = hf_model_geom_tangential_damping(m)[b];
  out->tangential_stiffness = combine_in_series(ta, tb);
  if (ca < 0) out->tangential_damping = cb;
  else if (cb < 0) out->tangential_damping = ca;
  else out->tangential_damping = combine_in_series(ca, cb);

  out->stiction_speed = min2(find_given_or_default(hf_model_geom_stiction_speed(m)[a], w->stiction_speed),
                             find_given_or_default(hf_model_geom_stiction_speed(m)[b], w->stiction_speed));
}

// Returns x if any of its n numbers is set, otherwise the default.
static const double* find_set_or_default(const double* x, int n, const double* fallback) {
  return hfi_any_nonzero(x, n) ? x : fallback;
}

// A smaller inverse weight is rounding [1/kg]. Where nothing moves the centre of a body, rounding of the arms of its
// joints, 1e-16 m, gives 1e-32 m^2 over its inertia. MuJoCo has the same bound, at bodies of 1e15 kg.
static const double LEAST_WEIGHT = 1e-15;

// MuJoCo's pyramids have at least this coefficient of friction [-].
static const double LEAST_PYRAMID_FRICTION = 1e-5;
// Gravity that stands for none, where a law needs a weight [m/s^2].
static const double EARTH_GRAVITY = 9.81;

// Returns the factor by which the pyramids of MuJoCo's solver, with two edges for each row of friction, make a contact
// stiffer than its cones do.
static double find_pyramid_factor(const hfWorld* w, const hfiMaterial* m) {
  if (!w->pyramidal_cone || m->condim < 3) return 1;
  double mu2 = sqr(max2(m->mu[0], LEAST_PYRAMID_FRICTION));
  return (m->condim - 1) * w->impratio / (mu2 * (1 + mu2));
}

// Returns the depth [m] at which a law carries a weight in gravity g [m/s^2], remembered or computed. It does not
// depend on the inverse weight.
static double find_resting_depth(hfiSoftness* soft, const hfiSoftLaw* law, double g) {
  for (uint32_t i = 0; i < soft->nrest && i < HFI_RESTS; ++i) {
    const hfiRest* rest = &soft->rest[i];
    int is_same_law = rest->k == law->k && memcmp(rest->solimp, law->solimp, sizeof rest->solimp) == 0;
    if (is_same_law && rest->g == g) return rest->depth;
  }

  // a new one takes the place of the oldest
  hfiRest* rest = &soft->rest[soft->nrest++ % HFI_RESTS];
  memcpy(rest->solimp, law->solimp, sizeof rest->solimp);
  rest->k = law->k;
  rest->g = g;
  rest->depth = hfi_soft_resting_depth(law, g);
  return rest->depth;
}

// Sets MuJoCo's law for the inverse weight `weight` [1/kg]. Methods of continuous time, and friction, need a stiffness
// and a dissipation instead: those with which a body of this weight rests as deep and is damped as much. If the scene
// has no gravity, earth's gravity is taken. If nothing moves the centres of both bodies, there is no weight, and the
// contact keeps the stiffness of its geoms.
static void set_law_of_solref(const hfModel* m, hfiSoftness* soft, double weight, const double* solref,
                              const double* solimp, hfiMaterial* out) {
  if (!(weight > LEAST_WEIGHT)) return;

  // the law, and the depth r at which it carries the body
  double gravity = v3_norm(v3_load(m->world.gravity));
  double w = weight / find_pyramid_factor(&m->world, out);
  hfiSoftLaw law = hfi_soft_law(solref, solimp, w, m->world.timestep);
  double r = find_resting_depth(soft, &law, gravity > 0 ? gravity : EARTH_GRAVITY);
  double d = hfi_solimp_impedance(solimp, r, NULL);

  // stiffness and dissipation with the same depth and damping
  out->from_solref = 1;
  out->soft = law;
  out->stiffness = law.k * d * d / ((1 - d) * w);
  out->dissipation = law.b / (law.k * d * r);

  // MuJoCo's softness is for the normal direction only: friction must not be softer than with our own materials
  out->tangential_stiffness = max2(out->tangential_stiffness, m->world.tangential_ratio * out->stiffness);
}

// Returns the share of geom a in a mean of the parameters of two geoms [-]. alone: the dominant geom, or -1.
static double find_share_of_first(const hfModel* m, int a, int b, int alone) {
  const double* mix = hf_model_geom_solmix(m);
  if (alone >= 0) return alone == a;
  return mix[a] + mix[b] > 0 ? mix[a] / (mix[a] + mix[b]) : 0.5;
}

// Sets MuJoCo's law of a pair if the model sets MuJoCo's parameters, or has them as defaults, and gives no stiffness of
// ours. weight: inverse weight of the pair [1/kg].
static void combine_solver_parameters(const hfModel* m, hfiSoftness* soft, double weight, int a, int b, int alone,
                                      hfiMaterial* out) {
  const double* geom_solref = hf_model_geom_solref(m);
  const double* geom_solimp = hf_model_geom_solimp(m);
  const double* stiffness = hf_model_geom_stiffness(m);
  const double* ra = find_set_or_default(geom_solref + 2 * a, 2, HFI_DEFAULT_SOLREF);
  const double* rb = find_set_or_default(geom_solref + 2 * b, 2, HFI_DEFAULT_SOLREF);
  const double* ia = find_set_or_default(geom_solimp + 5 * a, 5, HFI_DEFAULT_SOLIMP);
  const double* ib = find_set_or_default(geom_solimp + 5 * b, 5, HFI_DEFAULT_SOLIMP);

  // whether MuJoCo's parameters count
  int has_solref = ra != HFI_DEFAULT_SOLREF || rb != HFI_DEFAULT_SOLREF;
  int has_solimp = ia != HFI_DEFAULT_SOLIMP || ib != HFI_DEFAULT_SOLIMP;
  if (!(has_solref || has_solimp || soft->defaults) || stiffness[a] >= 0 || stiffness[b] >= 0) return;

  // the mean of both, or the smaller solref: stiffness and damping cannot be mixed with time constants
  double solref[2];
  double solimp[5];
  double share = find_share_of_first(m, a, b, alone);
  int is_direct = ra[0] <= 0 || rb[0] <= 0;
  for (int i = 0; i < 2; ++i) solref[i] = is_direct ? min2(ra[i], rb[i]) : share * ra[i] + (1 - share) * rb[i];
  for (int i = 0; i < 5; ++i) solimp[i] = share * ia[i] + (1 - share) * ib[i];
  set_law_of_solref(m, soft, weight, solref, solimp, out);
}

// Replaces the parameters of the geoms by those that an explicit pair gives.
static void apply_pair(const hfModel* m, hfiSoftness* soft, double weight, int pair, hfiMaterial* out) {
  const double* mu = hf_model_pair_friction(m) + 5 * pair; // two for sliding, one for torsion, two for rolling
  const double* solref = find_set_or_default(hf_model_pair_solref(m) + 2 * pair, 2, HFI_DEFAULT_SOLREF);
  const double* solimp = find_set_or_default(hf_model_pair_solimp(m) + 5 * pair, 5, HFI_DEFAULT_SOLIMP);

  out->mu[HF_SLIDING] = 0.5 * (mu[0] + mu[1]);
  out->mu[HF_TORSION] = mu[2];
  out->mu[HF_ROLLING] = 0.5 * (mu[3] + mu[4]);
  out->mu_dynamic = out->mu[HF_SLIDING];
  out->condim = hf_model_pair_condim(m)[pair];

  int is_set = solref != HFI_DEFAULT_SOLREF || solimp != HFI_DEFAULT_SOLIMP;
  if (is_set || soft->defaults) set_law_of_solref(m, soft, weight, solref, solimp, out);
}

// Whether the body of a geom is a mocap body, or fixed to one. Such a body has poses, but no velocity that a step
// knows.
static int is_moved_by_hand(const hfModel* m, int geom) {
  return hf_model_body_mocap(m)[hf_model_body_weld(m)[hf_model_geom_body(m)[geom]]] >= 0;
}

// Returns the force with which a contact point of the pair pulls [N].
double hfi_material_adhesion(const hfModel* m, int a, int b, int pair) {
  if (pair >= 0) return hf_model_pair_adhesion(m)[pair];
  const double* adhesion = hf_model_geom_adhesion(m);
  int alone = find_dominant_geom(m, a, b);
  return alone >= 0 ? adhesion[alone] : adhesion[a] + adhesion[b];
}

// Returns how far beyond the margin a contact of the pair is found, though it does not act [m].
double hfi_material_gap(const hfModel* m, int a, int b, int pair) {
  const double* gap = hf_model_geom_gap(m);
  return pair >= 0 ? hf_model_pair_gap(m)[pair] : gap[a] + gap[b];
}

// Returns the gap below which contacts of the pair act [m].
double hfi_material_margin(const hfModel* m, int a, int b, int pair) {
  if (pair >= 0) return hf_model_pair_margin(m)[pair] - hf_model_pair_gap(m)[pair];
  const double* margin = hf_model_geom_margin(m);
  return margin[a] + margin[b] - hfi_material_gap(m, a, b, pair);
}

// Returns the material of two touching geoms a and b. pair: explicit contact pair, or -1. Keeps resting depths that it
// computes in `soft`.
hfiMaterial hfi_material_combine(const hfModel* m, hfiSoftness* soft, int a, int b, int pair) {
  const int32_t* body = hf_model_geom_body(m);
  const int32_t* condim = hf_model_geom_condim(m);
  double weight = soft->weight[body[a]] + soft->weight[body[b]]; // inverse weight of the pair [1/kg]
  int alone = find_dominant_geom(m, a, b); // the geom of higher priority, whose mu and condim count alone, or -1
  hfiMaterial out = {0};

  // of the geoms, then of MuJoCo's parameters, then of an explicit pair: the later replaces the earlier
  out.condim = alone >= 0 ? condim[alone] : imax2(condim[a], condim[b]);
  out.include_margin = hfi_material_margin(m, a, b, pair);
  out.adhesion = hfi_material_adhesion(m, a, b, pair);
  combine_compliance(m, a, b, &out);
  combine_friction(m, a, b, alone, &out);
  combine_solver_parameters(m, soft, weight, a, b, alone, &out);
  if (pair >= 0) apply_pair(m, soft, weight, pair, &out);

  // A mocap body has no velocity, so that a body which it pushes seems to fly away from it. With dissipation, contact
  // forces would be zero above the speed 1/d, and the mocap body would go through the pushed body.
  if (is_moved_by_hand(m, a) || is_moved_by_hand(m, b)) {
    out.dissipation = 0;
    out.soft.b = 0;
  }
  return out;
}
