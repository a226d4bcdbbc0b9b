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
// The integrator also asks how far a Newton update may go (limit), by the transition-aware line search over all
// friction groups and friction losses, and in which region of smoothness x lies (region).
#include "methods/continuous/inside.h"

#include "step/law/law.h"

#include <string.h>

// A deformation is released within about a millisecond: an error of it becomes one of velocity at this rate [1/s].
static const double RELEASE_RATE = 1e3;

// ---- state ------------------------------------------------------------------------------------------

// Whether the laws of discrete time have the same limit h -> 0 at this point, which is not so for limits and MuJoCo's
// contacts; and whether bodies are apart if they have to be.
static int is_in_domain(const hfAccel* a) {
  for (int i = 0; i < a->stops.count; ++i)
    if (a->stops.list[i].force != 0) return 0;
  for (int i = 0; i < a->ncontact; ++i) {
    const hfiAccelContact* c = &a->contact[i];
    if (c->f[0] > 0 && (a->equation.domain == HFI_DOMAIN_APART || c->contact->material.from_solref)) return 0;
  }
  return 1;
}

// xdot = f(t, x).
static hfStatus rate(void* context, double t, const double* x, double* xdot) {
  hfAccel* a = context;
  const hfModel* m = a->model;
  const double* v = x + m->nq;
  const double* act = m->na ? v + m->nv : NULL;

  memcpy(xdot, v, (size_t)m->nv * sizeof *v);
  a->deformations.now = v + m->nv + m->na;
  hfStatus status = hf_accel_rate(a, t, x, v, act, xdot + m->nv, m->na ? xdot + 2 * m->nv : NULL);
  if (status != HF_OK) return status;
  if (a->equation.domain != HFI_DOMAIN_ALL && !is_in_domain(a)) return HF_NO_SOLUTION;
  if (a->deformations.act) hfi_accel_deformation_rates(a, xdot + 2 * m->nv + m->na);
  return HF_OK;
}

static hfStatus jacobian(void* context, double t, const double* x, double* J) {
  return hfi_accel_jacobian(context, t, x, J);
}

// x = x0 (+) u.
static void plus(void* context, const double* x0, const double* u, double* x) {
  const hfAccel* a = context;
  const hfModel* m = a->model;
  int added = m->nv + m->na + (a->deformations.act ? a->deformations.count : 0);
  memcpy(x, x0, (size_t)m->nq * sizeof *x);
  hf_model_integrate(m, x, u, 1);
  for (int i = 0; i < added; ++i) x[m->nq + i] = x0[m->nq + i] + u[m->nv + i];
}

// ---- charts -----------------------------------------------------------------------------------------

// Returns the first of the three angular dofs of a joint with a quaternion, or -1.
static int angular_dofs(const hfModel* m, int j) {
  int quat = hfi_joint_kinds[hf_model_jnt_type(m)[j]].info.quat;
  return quat < 0 ? -1 : hf_model_jnt_dofadr(m)[j] + quat;
}

static hfVec3 apply_T(hfVec3 u, hfVec3 w) { return v3_of_mean_turned(v3_neg(u), w); }

static hfVec3 apply_D(hfVec3 u, hfVec3 w) { return v3_mean_turned(v3_neg(u), w); }

// xdot <- udot at the point u of the chart.
static void lift(void* context, const double* u, double* xdot) {
  const hfModel* m = ((hfAccel*)context)->model;
  for (int j = 0; j < m->njnt; ++j) {
    int dof = angular_dofs(m, j);
    if (dof >= 0) v3_store(xdot + dof, apply_T(v3_load(u + dof), v3_load(xdot + dof)));
  }
}

// The derivative of T(u) w along e. The derivative of b is left out; it is of third order in u.
static hfVec3 change_of_T(hfVec3 u, hfVec3 w, hfVec3 e) {
  hfVec3 turn = v3_add(v3_cross(e, v3_cross(u, w)), v3_cross(u, v3_cross(e, w)));
  return v3_axpy(v3_turn_coefficient(v3_norm(u)), turn, v3_scale(0.5, v3_cross(e, w)));
}

// Carries the rows and columns of three angular dofs from `dof` on into the chart. u: their coordinates, w: the angular
// velocity there.
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

void hfi_accel_lift_jacobian(const hfAccel* a, int n, const double* u, const double* udot, double* J) {
  const hfModel* m = a->model;
  for (int j = 0; j < m->njnt; ++j) {
    int dof = angular_dofs(m, j);
    if (dof < 0) continue;
    hfVec3 angles = v3_load(u + dof);
    lift_joint(angles, apply_D(angles, v3_load(udot + dof)), n, dof, J);
  }
}

static void lift_jacobian(void* context, const double* u, const double* udot, double* J) {
  const hfAccel* a = context;
  hfi_accel_lift_jacobian(a, 2 * a->model->nv + a->model->na, u, udot, J);
}

// ---- transitions ------------------------------------------------------------------------------------

// Share of a Newton update that the friction loss of a stop allows.
static double stop_alpha(const hfAccel* a, const hfiStop* stop, const double* v, const double* dv) {
  const double* J = hfi_stop_row(stop);
  double vs = a->model->world.stiction_speed;
  double s = 0;
  double ds = 0;
  for (int k = 0; k < stop->n; ++k) {
    s += J[k] * v[stop->dof[k]];
    ds += J[k] * dv[stop->dof[k]];
  }
  return hfi_tals_interval(s, ds, -vs, vs);
}

// Counts the landings that failed: friction groups that still slip although the last update should have brought them
// into their stick region.
static void count_escapes(hfAccel* a) {
  hfiAccelEquation* e = &a->equation;
  for (int l = 0; l < e->nlanding; ++l)
    for (int i = 0; i < a->ncontact; ++i) {
      const hfiAccelContact* c = &a->contact[i];
      if (!hfi_same_contact(hfi_contact_key(c->contact), e->landing[l].key)) continue;
      if (c->f[0] > 0 && !(c->stick >> e->landing[l].group & 1)) ++a->statistics.escaped;
    }
  e->nlanding = 0;
}

// Notes the friction groups of a contact that slip and that the shortened update brings into their stick region.
static void note_landings(hfAccel* a, const hfiAccelContact* c, const double* s1, double alpha) {
  hfiAccelEquation* e = &a->equation;
  double s[6];
  for (int i = 0; i < c->dim; ++i) s[i] = c->s[i] + alpha * (s1[i] - c->s[i]);

  for (int g = 0; g < hfi_group_count(c->dim); ++g) {
    int lands = c->law.mu[g] > 0 && !(c->stick >> g & 1) && hfi_accel_sticks(c, g, s);
    if (!lands || e->nlanding == a->config.max_contacts) continue;
    e->landing[e->nlanding++] = (hfiLanding){hfi_contact_key(c->contact), g};
    ++a->statistics.limited;
  }
}

// The smallest share of the update from v to v1 = v + dv that any contact or stop allows.
static double least_alpha(const hfAccel* a, const double* v, const double* dv, const double* v1) {
  hfiSine turn = hfi_sine(a->config.theta_max);
  double alpha = 1;
  for (int i = 0; i < a->ncontact; ++i) {
    const hfiAccelContact* c = &a->contact[i];
    double s1[6];
    if (!(c->f[0] > 0)) continue;
    hfi_accel_row_velocities(c, v1, s1);
    for (int g = 0; g < hfi_group_count(c->dim); ++g)
      if (c->law.mu[g] > 0) alpha = min2(alpha, hfi_accel_alpha(c, g, s1, turn));
  }

  for (int i = 0; i < a->stops.count; ++i)
    if (a->stops.list[i].df_dx == 0) alpha = min2(alpha, stop_alpha(a, &a->stops.list[i], v, dv));
  return alpha;
}

// The share of the Newton update du at x that may be taken.
static double limit(void* context, double t, const double* x, const double* du) {
  hfAccel* a = context;
  const hfModel* m = a->model;
  const double* v = x + m->nq;
  const double* dv = du + m->nv;
  double* v1 = a->slopes.column;
  if (hfi_accel_visit(a, t, x)) return 1;
  count_escapes(a);

  for (int i = 0; i < m->nv; ++i) v1[i] = v[i] + dv[i];
  double alpha = least_alpha(a, v, dv, v1);
  for (int i = 0; alpha < 1 && i < a->ncontact; ++i) {
    hfiAccelContact* c = &a->contact[i];
    double s1[6];
    if (!(c->f[0] > 0)) continue;
    hfi_accel_row_velocities(c, v1, s1);
    note_landings(a, c, s1, alpha);
  }
  return alpha;
}

// One step of the hash FNV-1a.
static uint64_t mix(uint64_t hash, uint64_t x) { return (hash ^ x) * UINT64_C(0x100000001b3); }

// A hash of which contacts press, which friction groups stick, and which stops act.
static uint64_t region(void* context, double t, const double* x) {
  hfAccel* a = context;
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  if (hfi_accel_visit(a, t, x)) return 0;

  for (int i = 0; i < a->ncontact; ++i) {
    const hfiAccelContact* c = &a->contact[i];
    if (!(c->f[0] > 0)) continue;
    hash = mix(mix(mix(hash, hfi_contact_key(c->contact).pair), c->contact->feature), (uint64_t)c->stick);
  }
  for (int i = 0; i < a->stops.count; ++i) {
    const hfiStop* stop = &a->stops.list[i];
    int slopes = (stop->df_ds != 0) + 2 * (stop->df_dx != 0);
    hash = mix(mix(hash, (uint64_t)(stop->dof[0] + 1)), (uint64_t)slopes);
  }
  return hash;
}

// ---- contact memory -----------------------------------------------------------------------------------

// Whether the contacts of the point are those that the anchors were set for.
static int has_same_contacts(const hfAccel* a) {
  const hfiWorld* w = a->world;
  if (w->near.ncontact != a->anchors.count) return 0;
  for (int i = 0; i < w->near.ncontact; ++i)
    if (!hfi_same_contact(hfi_contact_key(&w->near.contact[i]), hfi_contact_key(&a->anchors.contact[i]))) return 0;
  return 1;
}

// Renews the contact memory at the time t and velocities v, and the coordinates x of the deformations. Returns whether
// the contacts are still the same.
static int renew_memory(hfAccel* a, double t, const double* v, double* x) {
  hfiKeeper* keeper = &a->keeper;
  int same = has_same_contacts(a);
  if (a->deformations.act) keeper->forgotten = hfi_accel_store_deformations(a, x, keeper->state);
  else keeper->forgotten = hfi_accel_settle(a, keeper->state, t - a->anchors.began);

  hfi_accel_anchor(a, keeper->state, v, 0);
  a->anchors.began = t;
  if (a->deformations.act) hfi_accel_read_deformations(a, x);
  return same || !a->deformations.act;
}

// Contact memory belongs to the state as positions do, so it is renewed after every step of the integrator.
static hfRenewal renew(void* context, double t, double* x, int32_t* grown) {
  hfAccel* a = context;
  const hfModel* m = a->model;
  double* v = x + m->nq;
  double* deformations = v + m->nv + m->na;
  int before = a->deformations.count;
  int same = 1;

  a->deformations.now = deformations;
  if (hfi_accel_visit(a, t, x)) return HF_RENEWAL_STOP;
  if (a->config.friction == HF_FRICTION_ANCHORED) same = renew_memory(a, t, v, deformations);
  *grown = a->deformations.count - before;

  // another method follows bodies that touch, or that are apart
  hfiAccelDomain now = a->world->near.ncontact ? HFI_DOMAIN_TOUCHING : HFI_DOMAIN_APART;
  if (a->equation.domain != HFI_DOMAIN_ALL && a->equation.domain != now) return HF_RENEWAL_STOP;
  return same ? HF_RENEWAL_NONE : HF_RENEWAL_CHANGED;
}

// Holds the contacts at x, or lets them go if x is NULL. Contacts depend on the configuration alone, not on the time.
static void hold(void* context, double t, const double* x) {
  hfAccel* a = context;
  (void)t;
  hfi_accel_let_go(a);
  if (x && !hfi_accel_configure(a, x)) hfi_accel_hold(a);
}

// ---- the equation -------------------------------------------------------------------------------------

void hfi_accel_weigh(hfAccel* a, double time) {
  const hfModel* m = a->model;
  int n = 2 * m->nv + m->na;
  double* weight = a->equation.weight;
  for (int i = 0; i < n; ++i) weight[i] = i >= m->nv && i < 2 * m->nv ? time : 1;
  for (int i = 0; i < 6 * a->config.max_contacts; ++i) weight[n + i] = RELEASE_RATE * time;
}

hfOde hfi_accel_ode_with_memory(hfAccel* a) {
  hfOde ode = hf_accel_ode(a);
  if (a->equation.weight[0] > 0) ode.weight = a->equation.weight;
  ode.renew = renew;
  ode.hold = hold;
  if (a->deformations.act) {
    ode.nx += 6 * a->config.max_contacts;
    ode.n += 6 * a->config.max_contacts;
  }
  return ode;
}

hfOde hf_accel_ode(hfAccel* a) {
  const hfModel* m = a->model;
  hfOde ode = {.context = a,
               .nx = m->nq + m->nv + m->na,
               .n = 2 * m->nv + m->na,
               .rhs = rate,
               .jacobian = jacobian,
               .plus = plus,
               .lift = lift,
               .lift_jacobian = lift_jacobian,
               .limit = limit,
               .region = region};
  return ode;
}
