// Limits of joints and tendons, and friction losses, in continuous time.
//
//   limit at distance phi < 0:  f = (-k phi - c s min(1, -phi/delta))+,  s = dphi/dt
//   friction loss b:            f = -b clamp(s/v_s, -1, 1)
//
// k and c are the joint's, or those of a critically damped stop with the time constant T = LIMIT_TIME and the inertia m at the reference: k = m/T^2,
// c = 2 m/T. Damping sets in over the depth delta, so that f does not jump when the limit is touched.
#include "methods/continuous/accel.h"

#include "step/actuation/compliance.h"

static const double DELTA = 1e-4; // Depth over which the damping of a stop sets in [m or rad].
static const double LIMIT_TIME = 0.005; // Time constant of a stop without stiffness and damping of its own [s].

int hfi_accel_max_stops(const hfModel* m) { return 2 * m->njnt + m->nv + 3 * m->ntendon; }

static double row_velocity(const hfiStop* stop, const double* v) {
  const double* J = hfi_stop_row(stop);
  double s = 0;
  for (int k = 0; k < stop->n; ++k) s += J[k] * v[stop->dof[k]];
  return s;
}

static void finish_stop(hfAccel* a, const hfiStop* stop, double sign, double* tau) {
  const double* J = hfi_stop_row(stop);
  if (stop->force == 0 && stop->df_ds == 0 && stop->df_dx == 0) return;
  for (int k = 0; k < stop->n; ++k) tau[stop->dof[k]] += sign * J[k] * stop->force;
  a->stop[a->nstop] = *stop;
  a->stop[a->nstop++].force *= sign;
}

// Adds the force of a limit at distance phi. `sign`: s = sign J v, and the force acts along sign J.
static void add_limit(hfAccel* a, hfiStop stop, double sign, double phi, hfiCompliance law, const double* v, double* tau) {
  if (phi >= 0) return;
  stop.is_limit = 1;
  double ramp = min2(1, -phi / DELTA), s = sign * row_velocity(&stop, v);
  stop.force = -law.k * phi - law.c * s * ramp;
  if (stop.force <= 0) return;
  stop.df_ds = -law.c * ramp;
  stop.df_dx = -law.k + (ramp < 1 ? law.c * s / DELTA : 0);
  finish_stop(a, &stop, sign, tau);
}

static void add_friction(hfAccel* a, hfiStop stop, double loss, const double* v, double* tau) {
  double vs = a->model->world.stiction_speed, x = row_velocity(&stop, v) / vs;
  stop.force = -loss * clamp(x, -1, 1);
  stop.df_ds = fabs(x) < 1 ? -loss / vs : 0;
  finish_stop(a, &stop, 1, tau);
}

// ---- joints -----------------------------------------------------------------------------------------

// Stiffness and damping of a limit that has none of its own.
static hfiCompliance critical_stop(double mass) { return (hfiCompliance){mass / sqr(LIMIT_TIME), 2 * mass / LIMIT_TIME}; }

// Stiffness and damping of the limits of joint j.
static hfiCompliance find_joint_stop(const hfModel* m, int j) {
  hfiCompliance own = {hf_model_jnt_limit_stiffness(m)[j], hf_model_jnt_limit_damping(m)[j]};
  return own.k > 0 || own.c > 0 ? own : critical_stop(hf_model_dof_M0(m)[hf_model_jnt_dofadr(m)[j]]);
}

static void limit_joint(hfAccel* a, int j, const double* q, const double* v, double* tau) {
  const hfModel* m = a->model;
  int dof = hf_model_jnt_dofadr(m)[j];
  hfiJointLimit limit[HFI_MAX_JOINT_LIMITS];
  int count = hfi_joint_limits(m, j, q + hf_model_jnt_qposadr(m)[j], limit);
  hfiCompliance law = find_joint_stop(m, j);
  for (int i = 0; i < count; ++i) {
    hfiStop stop = {.joint = j, .tendon = -1, .n = hfi_joint_nv(hf_model_jnt_type(m)[j]), .dof = a->dof_index + dof};
    v3_store(stop.J, v3_load(limit[i].J));
    add_limit(a, stop, 1, limit[i].phi, law, v, tau);
  }
}

// ---- tendons ----------------------------------------------------------------------------------------

static hfiStop tendon_row(const hfAccel* a, int t) {
  int start = a->actuation->tendon_start[t];
  hfiStop stop = {.joint = -1, .tendon = t, .n = a->actuation->tendon_start[t + 1] - start, .dof = a->actuation->tendon_dof + start, .J_long = a->actuation->tendon_J + start};
  return stop;
}

// Stiffness and damping of the limits of a tendon with this row; zero if the tendon can move nothing.
static hfiCompliance find_tendon_stop(const hfModel* m, const hfiStop* row) {
  double w = 0;
  for (int i = 0; i < row->n; ++i) w += sqr(row->J_long[i]) / hf_model_dof_M0(m)[row->dof[i]];
  return w > 0 ? critical_stop(1 / w) : (hfiCompliance){0, 0};
}

// Distances of tendon t from its two limits, less its margin.
static void find_tendon_gaps(const hfAccel* a, int t, double phi[2]) {
  const double* range = hf_model_tendon_range(a->model) + 2 * t;
  double length = a->actuation->tendon_length[t], margin = hf_model_tendon_margin(a->model)[t];
  phi[0] = length - range[0] - margin, phi[1] = range[1] - length - margin;
}

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
  double k = find_joint_stop(m, j).k, sum = 0;
  hfiJointLimit limit[HFI_MAX_JOINT_LIMITS];
  for (int i = hfi_joint_limits(m, j, q + hf_model_jnt_qposadr(m)[j], limit) - 1; i >= 0; --i) sum += 0.5 * k * sqr(min2(limit[i].phi, 0));
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
  a->nstop = 0;
  if (!m->world.disable_limit) {
    for (int j = 0; j < m->njnt; ++j)
      if (hf_model_jnt_limited(m)[j]) limit_joint(a, j, q, v, tau);
    for (int t = 0; t < m->ntendon; ++t)
      if (hf_model_tendon_limited(m)[t]) limit_tendon(a, t, v, tau);
  }
  if (m->world.disable_frictionloss) return;
  for (int i = 0; i < m->nv; ++i) {
    hfiStop stop = {.joint = -1, .tendon = -1, .n = 1, .dof = a->dof_index + i, .J = {1}};
    if (hf_model_dof_frictionloss(m)[i] > 0) add_friction(a, stop, hf_model_dof_frictionloss(m)[i], v, tau);
  }
  for (int t = 0; t < m->ntendon; ++t)
    if (hf_model_tendon_frictionloss(m)[t] > 0) add_friction(a, tendon_row(a, t), hf_model_tendon_frictionloss(m)[t], v, tau);
}
