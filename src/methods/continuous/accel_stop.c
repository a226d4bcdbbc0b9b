// Limits of joints and tendons, and friction losses, in continuous time.
//
//   limit at distance phi < 0:  f = (-k phi - c s min(1, -phi/delta))+,  s = dphi/dt
//   friction loss b:            f = -b clamp(s/v_s, -1, 1)
//
// k and c are the joint's, or those of a critically damped stop with the time constant T = STOP_TIME and the inertia m
// at the reference: k = m/T^2, c = 2 m/T. Damping sets in over the depth delta = ONSET_DEPTH, so that f does not jump
// when the limit is touched.
#include "methods/continuous/inside.h"

#include "step/actuation/actuation.h"

static const double ONSET_DEPTH = 1e-4; // Depth over which the damping of a stop sets in [m or rad].
static const double STOP_TIME = 0.005;  // Time constant of a stop without stiffness and damping of its own [s].

int hfi_accel_max_stops(const hfModel* m) { return 2 * m->njnt + m->nv + 3 * m->ntendon; }

// J v of a stop.
static double row_velocity(const hfiStop* stop, const double* v) {
  const double* J = hfi_stop_row(stop);
  double s = 0;
  for (int k = 0; k < stop->n; ++k) s += J[k] * v[stop->dof[k]];
  return s;
}

// Adds the force of a stop along sign J to tau, and the stop to a->stops, unless it does nothing.
static void add_stop(hfAccel* a, const hfiStop* stop, double sign, double* tau) {
  const double* J = hfi_stop_row(stop);
  if (stop->force == 0 && stop->df_ds == 0 && stop->df_dx == 0) return;
  for (int k = 0; k < stop->n; ++k) tau[stop->dof[k]] += sign * J[k] * stop->force;

  hfiStop* kept = &a->stops.list[a->stops.count++];
  *kept = *stop;
  kept->force *= sign;
}

// Adds the force of a limit at distance phi. `sign`: s = sign J v, and the force acts along sign J.
static void add_limit(hfAccel* a, hfiStop stop, double sign, double phi, hfiCompliance law, const double* v,
                      double* tau) {
  if (phi >= 0) return;
  double ramp = min2(1, -phi / ONSET_DEPTH);
  double s = sign * row_velocity(&stop, v);
  stop.is_limit = 1;
  stop.force = -law.k * phi - law.c * s * ramp;
  if (stop.force <= 0) return;

  stop.df_ds = -law.c * ramp;
  stop.df_dx = -law.k + (ramp < 1 ? law.c * s / ONSET_DEPTH : 0);
  add_stop(a, &stop, sign, tau);
}

// Adds a friction loss [N or N m].
static void add_friction(hfAccel* a, hfiStop stop, double loss, const double* v, double* tau) {
  double vs = a->model->world.stiction_speed;
  double x = row_velocity(&stop, v) / vs;
  stop.force = -loss * clamp(x, -1, 1);
  stop.df_ds = fabs(x) < 1 ? -loss / vs : 0;
  add_stop(a, &stop, 1, tau);
}

// ---- joints -----------------------------------------------------------------------------------------

// Stiffness and damping of a limit that has none of its own, for this inertia [kg or kg m^2].
static hfiCompliance critical_stop(double mass) { return (hfiCompliance){mass / sqr(STOP_TIME), 2 * mass / STOP_TIME}; }

// Stiffness and damping of the limits of joint j.
static hfiCompliance find_joint_stop(const hfModel* m, int j) {
  hfiCompliance given = hfi_joint_limit_given(m, j);
  return hfi_is_given(given) ? given : critical_stop(hf_model_dof_M0(m)[hf_model_jnt_dofadr(m)[j]]);
}

// Adds the limits of joint j that are passed.
static void limit_joint(hfAccel* a, int j, const double* q, const double* v, double* tau) {
  const hfModel* m = a->model;
  hfiJointLimit limit[HFI_MAX_JOINT_LIMITS];
  int count = hfi_joint_limits(m, j, q + hf_model_jnt_qposadr(m)[j], limit);
  hfiCompliance law = find_joint_stop(m, j);

  for (int i = 0; i < count; ++i) {
    hfiStop stop = {.joint = j,
                    .tendon = -1,
                    .n = hfi_joint_nv(hf_model_jnt_type(m)[j]),
                    .dof = a->stops.dof_index + hf_model_jnt_dofadr(m)[j]};
    v3_store(stop.J, v3_load(limit[i].J));
    add_limit(a, stop, 1, limit[i].phi, law, v, tau);
  }
}

// ---- tendons ----------------------------------------------------------------------------------------

// A stop along the length of tendon t, without a force.
static hfiStop tendon_row(const hfAccel* a, int t) {
  const hfActuation* u = a->actuation;
  int start = u->tendons.start[t];
  return (hfiStop){.joint = -1,
                   .tendon = t,
                   .n = u->tendons.start[t + 1] - start,
                   .dof = u->tendons.dof + start,
                   .J_long = u->tendons.J + start};
}

// Stiffness and damping of the limits of a tendon with this row; zero if the tendon can move nothing.
static hfiCompliance find_tendon_stop(const hfModel* m, const hfiStop* row) {
  double w = 0;
  for (int i = 0; i < row->n; ++i) w += sqr(row->J_long[i]) / hf_model_dof_M0(m)[row->dof[i]];
  return w > 0 ? critical_stop(1 / w) : (hfiCompliance){0, 0};
}

// Distances of tendon t from its two limits, less its margin [m].
static void find_tendon_gaps(const hfAccel* a, int t, double phi[2]) {
  const double* range = hf_model_tendon_range(a->model) + 2 * t;
  double length = a->actuation->tendons.length[t];
  double margin = hf_model_tendon_margin(a->model)[t];
  phi[0] = length - range[0] - margin;
  phi[1] = range[1] - length - margin;
}

// Adds the limits of tendon t that are passed.
static void limit_tendon(hfAccel* a, int t, const double* v, double* tau) {
  double phi[2];
  hfiStop stop = tendon_row(a, t);
  hfiCompliance law = find_tendon_stop(a->model, &stop);
  if (!(law.k > 0)) return;
  find_tendon_gaps(a, t, phi);
  add_limit(a, stop, 1, phi[0], law, v, tau);
  add_limit(a, stop, -1, phi[1], law, v, tau);
}

// ---- energy -----------------------------------------------------------------------------------------

static double joint_limit_energy(const hfModel* m, int j, const double* q) {
  hfiJointLimit limit[HFI_MAX_JOINT_LIMITS];
  int count = hfi_joint_limits(m, j, q + hf_model_jnt_qposadr(m)[j], limit);
  double k = find_joint_stop(m, j).k;
  double sum = 0;
  for (int i = count - 1; i >= 0; --i) sum += 0.5 * k * sqr(min2(limit[i].phi, 0));
  return sum;
}

static double tendon_limit_energy(const hfAccel* a, int t) {
  double phi[2];
  hfiStop row = tendon_row(a, t);
  double k = find_tendon_stop(a->model, &row).k;
  find_tendon_gaps(a, t, phi);
  return 0.5 * k * (sqr(min2(phi[0], 0)) + sqr(min2(phi[1], 0)));
}

double hfi_accel_limit_energy(const hfAccel* a, const double* q) {
  const hfModel* m = a->model;
  double sum = 0;
  if (m->world.disable_limit) return 0;
  for (int j = 0; j < m->njnt; ++j)
    if (hf_model_jnt_limited(m)[j]) sum += joint_limit_energy(m, j, q);
  for (int t = 0; t < m->ntendon; ++t)
    if (hf_model_tendon_limited(m)[t]) sum += tendon_limit_energy(a, t);
  return sum;
}

// ---- all --------------------------------------------------------------------------------------------

void hfi_accel_stops(hfAccel* a, const double* q, const double* v, double* tau) {
  const hfModel* m = a->model;
  a->stops.count = 0;

  if (!m->world.disable_limit) {
    for (int j = 0; j < m->njnt; ++j)
      if (hf_model_jnt_limited(m)[j]) limit_joint(a, j, q, v, tau);
    for (int t = 0; t < m->ntendon; ++t)
      if (hf_model_tendon_limited(m)[t]) limit_tendon(a, t, v, tau);
  }

  if (m->world.disable_frictionloss) return;
  for (int i = 0; i < m->nv; ++i) {
    hfiStop stop = {.joint = -1, .tendon = -1, .n = 1, .dof = a->stops.dof_index + i, .J = {1}};
    if (hf_model_dof_frictionloss(m)[i] > 0) add_friction(a, stop, hf_model_dof_frictionloss(m)[i], v, tau);
  }
  for (int t = 0; t < m->ntendon; ++t)
    if (hf_model_tendon_frictionloss(m)[t] > 0)
      add_friction(a, tendon_row(a, t), hf_model_tendon_frictionloss(m)[t], v, tau);
}
