// The acceleration problem as a differential equation xdot = f(t, x), x = (q, v, act), for the integrators.
//
// The tangent space has the dimensions (nv, nv, na). Configurations move by q (+) u, velocities and activations by
// addition. In the chart around a quaternion q0, the coordinates u of q0 exp(u) and the angular velocity w in the body
// are related by
//
//   udot = T w,  T = 1 + [u]/2 + b [u]^2,  b = (1 - (a/2) cot(a/2))/a^2,  a = |u|,  [u] x = u x x
//   w = D udot,  D = T^-1 = 1 - c [u] + d [u]^2,  c = (1 - cos a)/a^2,  d = (a - sin a)/a^3
//
// A Jacobian in the tangent space at x becomes one in the chart in three steps (lift_joint): multiply its rows by T,
// multiply its columns by D, and add the derivative of T itself.
//
// The integrator also asks how far a Newton update may go. `limit` answers by the transition-aware line search over all
// friction groups and friction losses. `region` says in which region of smoothness x lies.
#include "methods/continuous/inside.h"

#include "step/law/law.h"

#include <string.h>

// A deformation is released within about a millisecond: an error of it becomes one of velocity at this rate [1/s].
static const double RELEASE_RATE = 1e3;

// ---- state ------------------------------------------------------------------------------------------

// Whether the equation may be followed at the point evaluated last. The laws must have the limit h -> 0 of discrete
// time, which limits and MuJoCo's contacts have not. In the domain "apart" no bodies may touch.
static int is_in_domain(const hfAccel* accel) {
  for (int i = 0; i < accel->stops.count; ++i)
    if (accel->stops.list[i].force != 0) return 0;

  int must_be_apart = accel->equation.domain == HFI_DOMAIN_APART;
  for (int i = 0; i < accel->ncontact; ++i) {
    const hfiAccelContact* contact = &accel->contact[i];
    if (contact->f[0] > 0 && (must_be_apart || contact->source->material.from_solref)) return 0;
  }
  return 1;
}

// xdot = f(t, x) for x = (q, v, act) and the deformations, if they are coordinates. HF_NO_SOLUTION: outside of the
// domain.
static hfStatus rate(void* context, double t, const double* x, double* xdot) {
  hfAccel* accel = context;
  const hfModel* model = accel->model;
  const double* v = x + model->nq;
  const double* act = model->na ? v + model->nv : NULL;

  memcpy(xdot, v, (size_t)model->nv * sizeof *v);
  accel->deformations.now = v + model->nv + model->na;
  hfStatus status = hf_accel_rate(accel, t, x, v, act, xdot + model->nv, model->na ? xdot + 2 * model->nv : NULL);

  if (status != HF_OK) return status;
  if (accel->equation.domain != HFI_DOMAIN_ALL && !is_in_domain(accel)) return HF_NO_SOLUTION;
  if (accel->deformations.is_active) hfi_accel_find_deformation_rates(accel, xdot + 2 * model->nv + model->na);
  return HF_OK;
}

static hfStatus jacobian(void* context, double t, const double* x, double* J) {
  return hfi_accel_fill_jacobian(context, t, x, J);
}

// x = x0 (+) u: configurations in the chart, everything else by addition.
static void plus(void* context, const double* x0, const double* u, double* x) {
  const hfAccel* accel = context;
  const hfModel* model = accel->model;

  int added = model->nv + model->na + (accel->deformations.is_active ? accel->deformations.count : 0);
  memcpy(x, x0, (size_t)model->nq * sizeof *x);
  hf_model_integrate(model, x, u, 1);
  for (int i = 0; i < added; ++i) x[model->nq + i] = x0[model->nq + i] + u[model->nv + i];
}

// ---- charts -----------------------------------------------------------------------------------------

// Returns the first of the three angular dofs of a joint with a quaternion, or -1.
static int angular_dofs(const hfModel* model, int j) {
  int quat = hfi_joint_kinds[hf_model_jnt_type(model)[j]].info.quat;
  return quat < 0 ? -1 : hf_model_jnt_dofadr(model)[j] + quat;
}

// T(u) w and D(u) w of the file's head. They are the means of the rotation over a turn -u, and their inverse.
static hfVec3 apply_T(hfVec3 u, hfVec3 w) { return v3_of_mean_turned(v3_neg(u), w); }
static hfVec3 apply_D(hfVec3 u, hfVec3 w) { return v3_mean_turned(v3_neg(u), w); }

// xdot <- udot at the point u of the chart.
static void lift(void* context, const double* u, double* xdot) {
  const hfModel* model = ((hfAccel*)context)->model;
  for (int j = 0; j < model->njnt; ++j) {
    int dof = angular_dofs(model, j);
    if (dof >= 0) v3_store(xdot + dof, apply_T(v3_load(u + dof), v3_load(xdot + dof)));
  }
}

// The derivative of T(u) w along e. The derivative of b is left out; it is of third order in u.
static hfVec3 change_of_T(hfVec3 u, hfVec3 w, hfVec3 e) {
  hfVec3 turn = v3_add(v3_cross(e, v3_cross(u, w)), v3_cross(u, v3_cross(e, w)));
  return v3_axpy(v3_turn_coefficient(v3_norm(u)), turn, v3_scale(0.5, v3_cross(e, w)));
}

// Carries the rows and columns of the three angular dofs from `dof` on of J (n x n) into the chart. u are their
// coordinates there, and w is the angular velocity.
static void lift_joint(hfVec3 u, hfVec3 w, int n, int dof, double* J) {
  // T times the rows, column by column
  for (int c = 0; c < n; ++c) {
    double* first = J + dof * n + c;
    hfVec3 x = apply_T(u, v3(first[0], first[n], first[2 * n]));
    first[0] = x.x;
    first[n] = x.y;
    first[2 * n] = x.z;
  }

  // the columns times D, row by row: row D = D^T row^T, and D^T(u) = D(-u)
  for (int r = 0; r < n; ++r) {
    double* row = J + r * n + dof;
    v3_store(row, apply_D(v3_neg(u), v3_load(row)));
  }

  // the derivative of T
  for (int k = 0; k < 3; ++k) {
    hfVec3 e = {k == 0, k == 1, k == 2};
    hfVec3 x = change_of_T(u, w, e);
    double* first = J + dof * n + dof + k;
    first[0] += x.x;
    first[n] += x.y;
    first[2 * n] += x.z;
  }
}

// Carries J (n x n) from the tangent space at a point into the chart, where the point is u and its rate udot.
void hfi_accel_lift_jacobian(const hfAccel* accel, int n, const double* u, const double* udot, double* J) {
  const hfModel* model = accel->model;
  for (int j = 0; j < model->njnt; ++j) {
    int dof = angular_dofs(model, j);

    if (dof < 0) continue;
    hfVec3 angles = v3_load(u + dof);
    lift_joint(angles, apply_D(angles, v3_load(udot + dof)), n, dof, J);
  }
}

static void lift_jacobian(void* context, const double* u, const double* udot, double* J) {
  const hfAccel* accel = context;
  hfi_accel_lift_jacobian(accel, 2 * accel->model->nv + accel->model->na, u, udot, J);
}

// ---- transitions ------------------------------------------------------------------------------------

// Share [-] of a Newton update dv that the friction loss of a stop allows.
static double stop_alpha(const hfAccel* accel, const hfiStop* stop, const double* v, const double* dv) {
  const double* J = hfi_stop_row(stop);
  double vs = accel->model->world.stiction_speed;
  double s = 0;
  double ds = 0;
  // the row's velocity and its change
  for (int k = 0; k < stop->n; ++k) {
    s += J[k] * v[stop->dof[k]];
    ds += J[k] * dv[stop->dof[k]];
  }

  return hfi_tals_interval(s, ds, -vs, vs);
}

// Counts the landings that failed: friction groups that still slip although the last update should have brought them
// into their stick region.
static void count_escapes(hfAccel* accel) {
  hfiAccelEquation* equation = &accel->equation;
  for (int l = 0; l < equation->nlanding; ++l)
    for (int i = 0; i < accel->ncontact; ++i) {
      const hfiAccelContact* contact = &accel->contact[i];
      if (!hfi_same_contact(hfi_contact_key(contact->source), equation->landing[l].key)) continue;

      if (contact->f[0] > 0 && !(contact->stick >> equation->landing[l].group & 1)) ++accel->statistics.escaped;
    }

  equation->nlanding = 0;
}

// Notes which friction groups of a contact slip now and stick after the share alpha of an update, which would bring the
// row velocities to s1. They are landings.
static void note_landings(hfAccel* accel, const hfiAccelContact* contact, const double* s1, double alpha) {
  hfiAccelEquation* equation = &accel->equation;
  double s[6];
  for (int i = 0; i < contact->dim; ++i) s[i] = contact->s[i] + alpha * (s1[i] - contact->s[i]);

  for (int g = 0; g < hfi_group_count(contact->dim); ++g) {
    int lands = contact->law.mu[g] > 0 && !(contact->stick >> g & 1) && hfi_accel_would_stick(contact, g, s);
    if (!lands || equation->nlanding == accel->config.max_contacts) continue;

    equation->landing[equation->nlanding++] = (hfiLanding){hfi_contact_key(contact->source), g};
    ++accel->statistics.limited;
  }
}

// The smallest share of the update from v to v1 = v + dv that any contact or stop allows.
static double least_alpha(const hfAccel* accel, const double* v, const double* dv, const double* v1) {
  hfiSine turn = hfi_sine(accel->config.theta_max);
  double alpha = 1;
  for (int i = 0; i < accel->ncontact; ++i) {
    const hfiAccelContact* contact = &accel->contact[i];
    double s1[6];
    if (!(contact->f[0] > 0)) continue;

    hfi_accel_row_velocities(contact, v1, s1);
    for (int g = 0; g < hfi_group_count(contact->dim); ++g)
      if (contact->law.mu[g] > 0) alpha = min2(alpha, hfi_accel_find_alpha(contact, g, s1, turn));
  }

  for (int i = 0; i < accel->stops.count; ++i)
    if (accel->stops.list[i].df_dx == 0) alpha = min2(alpha, stop_alpha(accel, &accel->stops.list[i], v, dv));
  return alpha;
}

// The share [-] of the Newton update du at x that may be taken. Notes as landings the groups that slip and that a
// shortened update brings into their stick region. First counts the landings of the last update that failed.
static double limit(void* context, double t, const double* x, const double* du) {
  hfAccel* accel = context;
  const hfModel* model = accel->model;
  const double* v = x + model->nq;
  const double* dv = du + model->nv;
  double* v1 = accel->slopes.column;
  if (hfi_accel_update_forces(accel, t, x)) return 1;

  count_escapes(accel);

  // the share, over all contacts and stops; v1: velocities after the whole update
  for (int i = 0; i < model->nv; ++i) v1[i] = v[i] + dv[i];
  double alpha = least_alpha(accel, v, dv, v1);

  for (int i = 0; alpha < 1 && i < accel->ncontact; ++i) {
    hfiAccelContact* contact = &accel->contact[i];
    double s1[6];
    if (!(contact->f[0] > 0)) continue;

    hfi_accel_row_velocities(contact, v1, s1);
    note_landings(accel, contact, s1, alpha);
  }
  return alpha;
}

// The hash FNV-1a of 64 bits.
static const uint64_t HASH_START = UINT64_C(0xcbf29ce484222325);
static const uint64_t HASH_FACTOR = UINT64_C(0x100000001b3);
static uint64_t mix_hash(uint64_t hash, uint64_t x) { return (hash ^ x) * HASH_FACTOR; }

// The region of x: a hash of which contacts press, which friction groups stick, and which stops act. 0: no forces exist
// at x.
static uint64_t region(void* context, double t, const double* x) {
  hfAccel* accel = context;
  uint64_t hash = HASH_START;
  if (hfi_accel_update_forces(accel, t, x)) return 0;

  // contacts
  for (int i = 0; i < accel->ncontact; ++i) {
    const hfiAccelContact* contact = &accel->contact[i];
    if (!(contact->f[0] > 0)) continue;

    hash = mix_hash(hash, hfi_contact_key(contact->source).pair);
    hash = mix_hash(hash, contact->source->feature);
    hash = mix_hash(hash, (uint64_t)contact->stick);
  }

  // stops
  for (int i = 0; i < accel->stops.count; ++i) {
    const hfiStop* stop = &accel->stops.list[i];
    int slopes = (stop->df_ds != 0) + 2 * (stop->df_dx != 0); // which piece of its law a stop is on
    hash = mix_hash(hash, (uint64_t)(stop->dof[0] + 1));
    hash = mix_hash(hash, (uint64_t)slopes);
  }
  return hash;
}

// ---- contact memory -----------------------------------------------------------------------------------

// Whether the contacts of the point are those that the anchors were set for.
static int has_same_contacts(const hfAccel* accel) {
  const hfiWorld* world = accel->world;
  if (world->near.ncontact != accel->anchors.count) return 0;

  for (int i = 0; i < world->near.ncontact; ++i) {
    hfiContactKey key = hfi_contact_key(&world->near.contact[i]);
    if (!hfi_same_contact(key, hfi_contact_key(&accel->anchors.contact[i]))) return 0;
  }
  return 1;
}

// Renews the contact memory and the anchors at the time t and velocities v, and the coordinates x of the deformations.
// Returns 0 if deformations are coordinates and belong to other contacts now.
static int renew_memory(hfAccel* accel, double t, const double* v, double* x) {
  hfiKeeper* keeper = &accel->equation.keeper;

  int same = has_same_contacts(accel);
  if (accel->deformations.is_active) keeper->forgotten = hfi_accel_store_deformations(accel, x, keeper->state);
  else keeper->forgotten = hfi_accel_write_memory(accel, keeper->state, t - accel->anchors.began);

  // new anchors
  hfi_accel_set_anchors(accel, keeper->state, v, 0);
  accel->anchors.began = t;
  if (accel->deformations.is_active) hfi_accel_read_deformations(accel, x);

  return same || !accel->deformations.is_active;
}

// Renews the contact memory after a step of the integrator, because it belongs to the state as positions do. *grown is
// by how many coordinates x has grown. Stops the integration where another method follows the motion.
static hfRenewal renew(void* context, double t, double* x, int32_t* grown) {
  hfAccel* accel = context;
  const hfModel* model = accel->model;
  double* v = x + model->nq;
  double* deformations = v + model->nv + model->na;
  int before = accel->deformations.count;
  int same = 1;

  accel->deformations.now = deformations;
  if (hfi_accel_update_forces(accel, t, x)) return HF_RENEWAL_STOP;

  if (accel->config.friction == HF_FRICTION_ANCHORED) same = renew_memory(accel, t, v, deformations);
  *grown = accel->deformations.count - before;

  // another method follows bodies that touch, or that are apart
  hfiAccelDomain now = accel->world->near.ncontact ? HFI_DOMAIN_TOUCHING : HFI_DOMAIN_APART;
  if (accel->equation.domain != HFI_DOMAIN_ALL && accel->equation.domain != now) return HF_RENEWAL_STOP;
  return same ? HF_RENEWAL_NONE : HF_RENEWAL_CHANGED;
}

// Holds the contacts at x, or lets them go if x is NULL. They depend on the configuration alone, not on the time.
static void hold(void* context, double t, const double* x) {
  hfAccel* accel = context;
  (void)t;

  hfi_accel_release_contacts(accel);
  if (x && !hfi_accel_configure(accel, x)) hfi_accel_hold_contacts(accel);
}

// ---- the equation -------------------------------------------------------------------------------------

// Sets the weights of errors: 1 for positions and activations, `time` [s] for velocities, RELEASE_RATE time for
// deformations.
void hfi_accel_set_weights(hfAccel* accel, double time) {
  const hfModel* model = accel->model;
  int n = 2 * model->nv + model->na;
  double* weight = accel->equation.weight;

  for (int i = 0; i < n; ++i) {
    int is_velocity = i >= model->nv && i < 2 * model->nv;
    weight[i] = is_velocity ? time : 1;
  }
  for (int i = 0; i < 6 * accel->config.max_contacts; ++i) weight[n + i] = RELEASE_RATE * time;
}

// The equation whose integration renews the contact memory of accel->equation.keeper after every step.
hfOde hfi_accel_ode_with_memory(hfAccel* accel) {
  hfOde ode = hf_accel_ode(accel);
  if (accel->equation.weight[0] > 0) ode.weight = accel->equation.weight;

  ode.renew = renew;
  ode.hold = hold;

  if (accel->deformations.is_active) {
    ode.nx += 6 * accel->config.max_contacts;
    ode.n += 6 * accel->config.max_contacts;
  }
  return ode;
}

// The equation for integrators, x = (q, v, act).
hfOde hf_accel_ode(hfAccel* accel) {
  const hfModel* model = accel->model;
  hfOde ode = {
      .context = accel,
      .nx = model->nq + model->nv + model->na,
      .n = 2 * model->nv + model->na,
      .rhs = rate,
      .jacobian = jacobian,
      .plus = plus,
      .lift = lift,
      .lift_jacobian = lift_jacobian,
      .limit = limit,
      .region = region,
  };

  return ode;
}
