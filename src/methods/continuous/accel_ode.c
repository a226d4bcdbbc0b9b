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
// The integrator also asks how far a Newton update may go (limit), by the transition-aware line search over all friction
// groups and friction losses, and in which region of smoothness x lies (region).
#include "methods/continuous/accel.h"

#include "step/law/law.h"

#include <string.h>

// ---- state ------------------------------------------------------------------------------------------

// Whether the laws of discrete time have the same limit h -> 0 at this point, which is not so for limits and MuJoCo's contacts; and whether bodies
// are apart if they have to be.
static int is_allowed(const hfAccel* a) {
  for (int i = 0; i < a->nstop; ++i)
    if (a->stop[i].force != 0) return 0;
  for (int i = 0; i < a->ncontact; ++i)
    if (a->contact[i].f[0] > 0 && (a->apart || a->contact[i].at->material.from_solref)) return 0;
  return 1;
}

static hfStatus rate(void* context, double t, const double* x, double* xdot) {
  hfAccel* a = context;
  const hfModel* m = a->model;
  const double *v = x + m->nq, *act = m->na ? v + m->nv : NULL;
  memcpy(xdot, v, (size_t)m->nv * sizeof *v);
  a->tail = v + m->nv + m->na;
  hfStatus status = hf_accel_rate(a, t, x, v, act, xdot + m->nv, m->na ? xdot + 2 * m->nv : NULL);
  if (status == HF_OK && a->strict && !is_allowed(a)) return HF_NO_SOLUTION;
  if (status == HF_OK && a->deforms) hfi_accel_deformation_rates(a, xdot + 2 * m->nv + m->na);
  return status;
}

static hfStatus jacobian(void* context, double t, const double* x, double* J) { return hfi_accel_jacobian(context, t, x, J); }

static void plus(void* context, const double* x0, const double* u, double* x) {
  const hfAccel* a = context;
  const hfModel* m = a->model;
  int added = m->nv + m->na + (a->deforms ? a->ntail : 0);
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

static void lift_joint(hfVec3 u, hfVec3 w, int n, int dof, double* J) {
  for (int c = 0; c < n; ++c) { // T times the rows, column by column
    double* at = J + dof * n + c;
    hfVec3 x = apply_T(u, v3(at[0], at[n], at[2 * n]));
    at[0] = x.x, at[n] = x.y, at[2 * n] = x.z;
  }
  for (int r = 0; r < n; ++r) { // The columns times D, row by row: row D = D^T row^T, and D^T(u) = D(-u).
    double* at = J + r * n + dof;
    v3_store(at, apply_D(v3_neg(u), v3_load(at)));
  }
  for (int k = 0; k < 3; ++k) {
    hfVec3 e = {k == 0, k == 1, k == 2}, x = change_of_T(u, w, e);
    double* at = J + dof * n + dof + k;
    at[0] += x.x, at[n] += x.y, at[2 * n] += x.z;
  }
}

void hfi_accel_lift_jacobian(const hfAccel* a, int n, const double* u, const double* udot, double* J) {
  const hfModel* m = a->model;
  for (int j = 0; j < m->njnt; ++j) {
    int dof = angular_dofs(m, j);
    if (dof < 0) continue;
    hfVec3 at = v3_load(u + dof), w = apply_D(at, v3_load(udot + dof));
    lift_joint(at, w, n, dof, J);
  }
}

static void lift_jacobian(void* context, const double* u, const double* udot, double* J) {
  const hfAccel* a = context;
  hfi_accel_lift_jacobian(a, 2 * a->model->nv + a->model->na, u, udot, J);
}

// ---- transitions ------------------------------------------------------------------------------------

// Share of a Newton update that the friction loss of a stop allows.
static double stop_alpha(const hfAccel* a, const hfiStop* stop, const double* v, const double* dv) {
  double vs = a->model->world.stiction_speed, s = 0, ds = 0;
  const double* J = stop->J_long ? stop->J_long : stop->J;
  for (int k = 0; k < stop->n; ++k) s += J[k] * v[stop->dof[k]], ds += J[k] * dv[stop->dof[k]];
  return hfi_tals_interval(s, ds, -vs, vs);
}

// Counts the landings that failed: friction groups that still slip although the last update should have brought them into their stick region.
static void count_escapes(hfAccel* a) {
  for (int l = 0; l < a->nlanding; ++l)
    for (int i = 0; i < a->ncontact; ++i) {
      const hfiAccelContact* c = &a->contact[i];
      if (!hfi_same_contact(hfi_contact_key(c->at), a->landing[l].key)) continue;
      if (c->f[0] > 0 && !(c->stick >> a->landing[l].group & 1)) ++a->statistics.escaped;
    }
  a->nlanding = 0;
}

// Notes the friction groups of a contact that slip and that the shortened update brings into their stick region.
static void note_landings(hfAccel* a, const hfiAccelContact* c, const double* s1, double alpha) {
  double s[6];
  for (int i = 0; i < c->dim; ++i) s[i] = c->s[i] + alpha * (s1[i] - c->s[i]);
  for (int g = 0; g < hfi_group_count(c->dim); ++g) {
    int lands = c->law.mu[g] > 0 && !(c->stick >> g & 1) && hfi_accel_sticks(c, g, s);
    if (!lands || a->nlanding == a->config.max_contacts) continue;
    hfiLanding landing = {hfi_contact_key(c->at), g};
    a->landing[a->nlanding++] = landing;
    ++a->statistics.limited;
  }
}

// The smallest share of the update from v to v1 = v + dv that any contact or stop allows.
static double least_alpha(hfAccel* a, const double* v, const double* dv, const double* v1) {
  hfiSine turn = hfi_sine(a->config.theta_max);
  double alpha = 1, s1[6];
  for (int i = 0; i < a->ncontact; ++i) {
    const hfiAccelContact* c = &a->contact[i];
    if (!(c->f[0] > 0)) continue;
    hfi_accel_row_velocities(c, v1, s1);
    for (int g = 0; g < hfi_group_count(c->dim); ++g)
      if (c->law.mu[g] > 0) alpha = min2(alpha, hfi_accel_alpha(c, g, s1, turn));
  }
  for (int i = 0; i < a->nstop; ++i)
    if (a->stop[i].df_dx == 0) alpha = min2(alpha, stop_alpha(a, &a->stop[i], v, dv));
  return alpha;
}

static double limit(void* context, double t, const double* x, const double* du) {
  hfAccel* a = context;
  const hfModel* m = a->model;
  const double *v = x + m->nq, *dv = du + m->nv;
  double s1[6];
  if (hfi_accel_visit(a, t, x)) return 1;
  count_escapes(a);
  for (int i = 0; i < m->nv; ++i) a->column[i] = v[i] + dv[i];
  double alpha = least_alpha(a, v, dv, a->column);
  for (int i = 0; alpha < 1 && i < a->ncontact; ++i) {
    hfiAccelContact* c = &a->contact[i];
    if (!(c->f[0] > 0)) continue;
    hfi_accel_row_velocities(c, a->column, s1);
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
    hash = mix(mix(mix(hash, hfi_contact_key(c->at).pair), c->at->feature), (uint64_t)c->stick);
  }
  for (int i = 0; i < a->nstop; ++i) hash = mix(mix(hash, (uint64_t)(a->stop[i].dof[0] + 1)), (uint64_t)((a->stop[i].df_ds != 0) + 2 * (a->stop[i].df_dx != 0)));
  return hash;
}

// ---- contact memory -----------------------------------------------------------------------------------

// Whether the contacts of the point are those that the anchors were set for.
static int has_same_contacts(const hfAccel* a) {
  const hfiWorld* w = a->world;
  if (w->ncontact != a->nanchor) return 0;
  for (int i = 0; i < a->nanchor; ++i)
    if (!hfi_same_contact(hfi_contact_key(&w->contact[i]), hfi_contact_key(&a->start[i]))) return 0;
  return 1;
}

// Renews the contact memory at x, and the coordinates of the deformations. Returns whether the contacts are still the same.
static int renew_memory(hfAccel* a, double t, const double* v, double* tail) {
  int same = has_same_contacts(a);
  if (a->deforms) a->nforgotten = hfi_accel_store_deformations(a, tail, a->keeper);
  else a->nforgotten = hfi_accel_settle(a, a->keeper, t - a->began);
  hfi_accel_anchor(a, a->keeper, v, 0);
  a->began = t;
  if (a->deforms) hfi_accel_read_deformations(a, tail);
  return same || !a->deforms;
}

// Contact memory belongs to the state as positions do, so it is renewed after every step of the integrator.
static hfRenewal renew(void* context, double t, double* x, int32_t* grown) {
  hfAccel* a = context;
  const hfModel* m = a->model;
  double *v = x + m->nq, *tail = v + m->nv + m->na;
  int before = a->ntail, same = 1;
  a->tail = tail;
  if (hfi_accel_visit(a, t, x)) return HF_RENEWAL_STOP;
  if (a->config.friction == HF_FRICTION_ANCHORED) same = renew_memory(a, t, v, tail);
  *grown = a->ntail - before;
  if (a->strict && a->apart != (a->world->ncontact == 0)) return HF_RENEWAL_STOP;
  return same ? HF_RENEWAL_NONE : HF_RENEWAL_CHANGED;
}

static void hold(void* context, double t, const double* x) {
  hfAccel* a = context;
  (void)t; // Contacts depend on the configuration alone.
  hfi_accel_let_go(a);
  if (x && !hfi_accel_configure(a, x)) hfi_accel_hold(a);
}

// A deformation is released within about a millisecond: an error of it becomes one of velocity at this rate [1/s].
static const double RELEASE = 1e3;

void hfi_accel_weigh(hfAccel* a, double time) {
  const hfModel* m = a->model;
  int n = 2 * m->nv + m->na + 6 * a->config.max_contacts;
  for (int i = 0; i < n; ++i) a->weight[i] = i >= m->nv && i < 2 * m->nv ? time : i < 2 * m->nv + m->na ? 1 : RELEASE * time;
}

hfOde hfi_accel_ode_with_memory(hfAccel* a) {
  hfOde ode = hf_accel_ode(a);
  if (a->weight[0] > 0) ode.weight = a->weight;
  ode.renew = renew;
  ode.hold = hold;
  if (a->deforms) ode.nx += 6 * a->config.max_contacts, ode.n += 6 * a->config.max_contacts;
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
