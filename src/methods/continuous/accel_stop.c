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

// Largest number of stops of a model.
int hfi_accel_max_stops(const hfModel* model) { return 2 * model->njnt + model->nv + 3 * model->ntendon; }

// J v of a stop.
static double row_velocity(const hfiStop* stop, const double* v) {
  const double* J = hfi_stop_row(stop);
  double s = 0;
  for (int k = 0; k < stop->n; ++k) s += J[k] * v[stop->dof[k]];
  return s;
}

// Adds the force of a stop along sign J to tau, and the stop to accel->stops, unless it does nothing. sign is 1 or -1:
// the direction of J in which the force is positive.
static void add_stop(hfAccel* accel, const hfiStop* stop, double sign, double* tau) {
  const double* J = hfi_stop_row(stop);
  if (stop->force == 0 && stop->df_ds == 0 && stop->df_dx == 0) return;

  for (int k = 0; k < stop->n; ++k) tau[stop->dof[k]] += sign * J[k] * stop->force;

  hfiStop* kept = &accel->stops.list[accel->stops.count++];
  *kept = *stop;
  kept->force *= sign;
}

// Adds the force of a limit at distance phi [m or rad], if that is negative. Its velocity is s = sign J v, and its
// force acts along sign J.
static void add_limit(hfAccel* accel, hfiStop stop, double sign, double phi, hfiCompliance law, const double* v,
                      double* tau) {
  if (phi >= 0) return;

  double ramp = min2(1, -phi / ONSET_DEPTH);
  double s = sign * row_velocity(&stop, v);
  stop.is_limit = 1;
  stop.force = -law.k * phi - law.c * s * ramp;
  if (stop.force <= 0) return;

  stop.df_ds = -law.c * ramp;
  stop.df_dx = -law.k + (ramp < 1 ? law.c * s / ONSET_DEPTH : 0);
  add_stop(accel, &stop, sign, tau);
}

// Adds a friction loss [N or N m].
static void add_friction(hfAccel* accel, hfiStop stop, double loss, const double* v, double* tau) {
  double vs = accel->model->world.stiction_speed;
  double x = row_velocity(&stop, v) / vs;
  stop.force = -loss * clamp(x, -1, 1);
  stop.df_ds = fabs(x) < 1 ? -loss / vs : 0;
  add_stop(accel, &stop, 1, tau);
}

// ---- joints -----------------------------------------------------------------------------------------

// Stiffness and damping of a limit that has none of its own, for this inertia [kg or kg m^2].
static hfiCompliance critical_stop(double mass) { return (hfiCompliance){mass / sqr(STOP_TIME), 2 * mass / STOP_TIME}; }

// Stiffness and damping of the limits of joint j.
static hfiCompliance find_joint_stop(const hfModel* model, int j) {
  hfiCompliance given = hfi_joint_limit_given(model, j);
  return hfi_is_given(given) ? given : critical_stop(hf_model_dof_M0(model)[hf_model_jnt_dofadr(model)[j]]);
}

// Adds the limits of joint j that are passed.
static void limit_joint(hfAccel* accel, int j, const double* q, const double* v, double* tau) {
  const hfModel* model = accel->model;
  hfiJointLimit limit[HFI_MAX_JOINT_LIMITS];
  int count = hfi_joint_limits(model, j, q + hf_model_jnt_qposadr(model)[j], limit);
  hfiCompliance law = find_joint_stop(model, j);

  for (int i = 0; i < count; ++i) {
    hfiStop stop = {
        .joint = j,
        .tendon = -1,
        .n = hfi_joint_nv(hf_model_jnt_type(model)[j]),
        .dof = accel->stops.dof_index + hf_model_jnt_dofadr(model)[j],
    };
    v3_store(stop.J, v3_load(limit[i].J));
    add_limit(accel, stop, 1, limit[i].phi, law, v, tau);
  }
}

// ---- tendons ----------------------------------------------------------------------------------------

// A stop along the length of tendon t, without a force.
static hfiStop tendon_row(const hfAccel* accel, int t) {
  const hfActuation* actuation = accel->actuation;
  int start = actuation->tendons.start[t];
  return (hfiStop){
      .joint = -1,
      .tendon = t,
      .n = actuation->tendons.start[t + 1] - start,
      .dof = actuation->tendons.dof + start,
      .J_long = actuation->tendons.J + start,
  };
}

// Stiffness and damping of the limits of a tendon with this row; zero if the tendon can move nothing.
static hfiCompliance find_tendon_stop(const hfModel* model, const hfiStop* row) {
  double w = 0;
  for (int i = 0; i < row->n; ++i) w += sqr(row->J_long[i]) / hf_model_dof_M0(model)[row->dof[i]];
  return w > 0 ? critical_stop(1 / w) : (hfiCompliance){0, 0};
}

// Distances of tendon t from its two limits, less its margin [m].
static void find_tendon_gaps(const hfAccel* accel, int t, double phi[2]) {
  const double* range = hf_model_tendon_range(accel->model) + 2 * t;
  double length = accel->actuation->tendons.length[t];
  double margin = hf_model_tendon_margin(accel->model)[t];
  phi[0] = length - range[0] - margin;
  phi[1] = range[1] - length - margin;
}

// Adds the limits of tendon t that are passed.
static void limit_tendon(hfAccel* accel, int t, const double* v, double* tau) {
  double phi[2];
  hfiStop stop = tendon_row(accel, t);
  hfiCompliance law = find_tendon_stop(accel->model, &stop);
  if (!(law.k > 0)) return;

  find_tendon_gaps(accel, t, phi);
  add_limit(accel, stop, 1, phi[0], law, v, tau);
  add_limit(accel, stop, -1, phi[1], law, v, tau);
}

// ---- energy -----------------------------------------------------------------------------------------

// Energy in the springs of joint j's limits at q [J].
static double joint_limit_energy(const hfModel* model, int j, const double* q) {
  hfiJointLimit limit[HFI_MAX_JOINT_LIMITS];
  int count = hfi_joint_limits(model, j, q + hf_model_jnt_qposadr(model)[j], limit);
  double k = find_joint_stop(model, j).k;

  double sum = 0;
  // the order of the sum is part of the result
  for (int i = count - 1; i >= 0; --i) sum += 0.5 * k * sqr(min2(limit[i].phi, 0));
  return sum;
}

// Energy in the springs of tendon t's limits [J].
static double tendon_limit_energy(const hfAccel* accel, int t) {
  double phi[2];
  hfiStop row = tendon_row(accel, t);
  double k = find_tendon_stop(accel->model, &row).k;
  find_tendon_gaps(accel, t, phi);
  return 0.5 * k * (sqr(min2(phi[0], 0)) + sqr(min2(phi[1], 0)));
}

// Energy in the springs of all limits at q [J]: k phi^2/2 of each that is passed.
double hfi_accel_limit_energy(const hfAccel* accel, const double* q) {
  const hfModel* model = accel->model;
  double sum = 0;
  if (model->world.disable_limit) return 0;

  for (int j = 0; j < model->njnt; ++j)
    if (hf_model_jnt_limited(model)[j]) sum += joint_limit_energy(model, j, q);
  for (int t = 0; t < model->ntendon; ++t)
    if (hf_model_tendon_limited(model)[t]) sum += tendon_limit_energy(accel, t);
  return sum;
}

// ---- all --------------------------------------------------------------------------------------------

// Computes limits and friction losses: adds their forces to tau and lists them in accel->stops.
void hfi_accel_add_stops(hfAccel* accel, const double* q, const double* v, double* tau) {
  const hfModel* model = accel->model;
  accel->stops.count = 0;

  // limits
  if (!model->world.disable_limit) {
    for (int j = 0; j < model->njnt; ++j)
      if (hf_model_jnt_limited(model)[j]) limit_joint(accel, j, q, v, tau);
    for (int t = 0; t < model->ntendon; ++t)
      if (hf_model_tendon_limited(model)[t]) limit_tendon(accel, t, v, tau);
  }

  // friction losses
  if (model->world.disable_frictionloss) return;
  for (int i = 0; i < model->nv; ++i) {
    double loss = hf_model_dof_frictionloss(model)[i];
    // the friction of one dof
    hfiStop stop = {.joint = -1, .tendon = -1, .n = 1, .dof = accel->stops.dof_index + i, .J = {1}};
    if (loss > 0) add_friction(accel, stop, loss, v, tau);
  }
  for (int t = 0; t < model->ntendon; ++t) {
    double loss = hf_model_tendon_frictionloss(model)[t];
    if (loss > 0) add_friction(accel, tendon_row(accel, t), loss, v, tau);
  }
}
