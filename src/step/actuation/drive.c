// Actuators as rows of a step (docs/theory/actuation.md, docs/theory/one-law.md).
//
// The force of an actuator is affine in its length l and velocity s. Over a step l = l0 + h s, so
//
//   F(s) = f0 - kappa s,   f0 = c + F_l l0,   kappa = -(h F_l + F_v)
//
// and with its limits F = clamp(-kappa (s - s0), lo, hi), s0 = f0/kappa: exactly a saturated row,
// and unconditionally stable however stiff. Motors (kappa = 0) and destabilising gains (kappa < 0)
// act by their force at the start of the step.
//
// A joint or tendon whose total actuator force has a range gets one row for all its actuators, a
// drive sum: forces and slopes add up, and the range bounds the sum.
#include "step/actuation/inside.h"
#include "base/compile.h"
#include <string.h>

// If h kappa w is below this, the drive acts by its force at the start of the step: a row would change the velocity by less than solvers resolve [-].
static const double NEGLIGIBLE_SLOPE = 1e-9;

typedef struct Bounds { double lo, hi; } Bounds;

// Bounds r with clamp(x, r) = clamp(clamp(x, inner), outer).
static Bounds compose_bounds(Bounds inner, Bounds outer) {
  Bounds r = {clamp(inner.lo, outer.lo, outer.hi), clamp(inner.hi, outer.lo, outer.hi)};
  return r;
}
static Bounds make_bounds(int limited, const double* range) {
  Bounds r = {limited ? range[0] : -INFINITY, limited ? range[1] : INFINITY};
  return r;
}
// Bounds of x for which x factor lies in b; factor is not 0.
static Bounds divide_bounds(Bounds b, double factor) {
  Bounds r = {b.lo / factor, b.hi / factor};
  if (factor < 0) { double lo = r.hi; r.hi = r.lo; r.lo = lo; }
  return r;
}

// A position servo on one axis of a ball joint, or of the rotation of a site in its reference, has a length that repeats after a whole turn.
static double find_period(const hfModel* m, int i) {
  const double *gear = hf_model_actuator_gear(m) + 6 * i, *gain = hf_model_actuator_gainprm(m) + 3 * i, *bias = hf_model_actuator_biasprm(m) + 3 * i;
  const int32_t* id = hf_model_actuator_trnid(m) + 2 * i;
  int type = hf_model_actuator_trntype(m)[i], dynamics = hf_model_actuator_dyntype(m)[i];
  int is_servo = hf_model_actuator_gaintype(m)[i] == HF_GAIN_FIXED && hf_model_actuator_biastype(m)[i] == HF_BIAS_AFFINE && gain[0] == -bias[1];
  if (!is_servo || dynamics == HF_ACTIVATION_MUSCLE) return 0;
  if (type == HF_TRANSMISSION_SITE && id[1] >= 0 && v3_norm(v3_load(gear)) == 0) return 2 * HFI_PI * v3_norm(v3_load(gear + 3));
  int on_joint = type == HF_TRANSMISSION_JOINT || type == HF_TRANSMISSION_JOINT_IN_PARENT;
  return on_joint && hf_model_jnt_type(m)[id[0]] == HF_JOINT_BALL ? 2 * HFI_PI * v3_norm(v3_load(gear)) : 0;
}

static hfiServo look_up_servo(const hfActuation* a, int i) {
  const hfModel* m = a->model;
  const double *g = hf_model_actuator_gainprm(m) + 3 * i, *b = hf_model_actuator_biasprm(m) + 3 * i;
  int gain = hf_model_actuator_gaintype(m)[i], bias = hf_model_actuator_biastype(m)[i];
  Bounds r = make_bounds(hf_model_actuator_forcelimited(m)[i], hf_model_actuator_forcerange(m) + 2 * i);
  Bounds ctrl = make_bounds(hf_model_actuator_ctrllimited(m)[i] && !m->world.disable_clamp_control, hf_model_actuator_ctrlrange(m) + 2 * i);
  hfiServo s = {.gain = {g[0]}, .lo = r.lo, .hi = r.hi, .ctrl_lo = ctrl.lo, .ctrl_hi = ctrl.hi, .transmission = hf_model_actuator_trntype(m)[i]};
  if (gain == HF_GAIN_AFFINE) s.gain[1] = g[1], s.gain[2] = g[2];
  for (int k = 0; k < 3 && bias == HF_BIAS_AFFINE; ++k) s.bias[k] = b[k];
  s.period = find_period(m, i);
  s.is_motor = hfi_is_motor(m, i);
  s.obeys = !s.is_motor && s.period == 0 && hf_model_actuator_actadr(m)[i] < 0;
  s.plain = gain != HF_GAIN_MUSCLE && bias != HF_BIAS_MUSCLE && hf_model_actuator_dyntype(m)[i] != HF_ACTIVATION_ERROR;
  s.direct = s.plain && !s.is_motor && a->drives.coordinate[i] >= 0 && a->drives.sum_of[i] < 0 && a->law[i] == HF_DRIVE_SERVO && hfi_actuator_acts(m, i);
  return s;
}

void hfi_update_servos(hfActuation* a) {
  for (int i = 0; i < a->model->nu; ++i) a->drives.servo[i] = look_up_servo(a, i);
}

// Like hfi_affine_force, for a plain actuator.
static inline hfiAffine plain_force(const hfiServo* s, double u) {
  hfiAffine f = {s->gain[0] * u + s->bias[0], s->gain[1] * u + s->bias[1], s->gain[2] * u + s->bias[2]};
  return f;
}

// The drive of a servo with the force f. It is implicit unless the step is explicit or kappa would not be positive.
static inline hfiDrive make_servo(const hfActuation* a, int i, hfiAffine f, const hfiActuationStep* step) {
  hfiDrive drive = {.f0 = f.constant + f.length * a->length[i], .kappa = -(step->h * f.length + f.velocity)};
  if (step->explicit_drives || !(drive.kappa > 0)) drive.f0 += f.velocity * a->velocity[i], drive.kappa = 0;
  return drive;
}

static inline hfiDrive make_drive(hfActuation* a, const hfDynamics* d, int i, const hfiActuationStep* step) {
  int servo = a->law[i] == HF_DRIVE_SERVO;
  if (!hfi_actuator_acts(a->model, i)) return (hfiDrive){0, 0, 0, 0};
  if (a->drives.servo[i].is_motor) {
    hfiMotorForce force = hfi_motor_force(a, i, !step->explicit_drives);
    a->drives.drag[i] = force.drag;
    return force.electric;
  }
  hfiDrive drive = servo ? make_servo(a, i, a->drives.servo[i].plain ? plain_force(&a->drives.servo[i], a->input[i]) : hfi_affine_force(a, i), step)
                         : hfi_inverse_drive(a, d, i, step);
  drive.lo = a->drives.servo[i].lo, drive.hi = a->drives.servo[i].hi;
  return drive;
}

// ---- one row ----------------------------------------------------------------------------------------

// The joint, tendon or site on which a drive acts, as a sparse row over n dofs.
typedef struct Target {
  int source, id, n; // source: hfiRowSource
  const int32_t* dof;
  const double* J;
} Target;

static Target actuator_target(const hfActuation* a, int source, int id, int i) {
  int start = a->moment_start[i];
  Target t = {source, id, a->moment_start[i + 1] - start, a->moment_dof + start, a->moment + start};
  return t;
}

static inline double velocity_along(Target t, const double* v) {
  double s = 0;
  for (int k = 0; k < t.n; ++k) s += t.J[k] * v[t.dof[k]];
  return s;
}

// Does dof k of a row alone give it an inverse mass for which the slope is not negligible? The row has w >= J_k^2/M_kk. The factor of 2 leaves room for rounding.
static inline int is_felt_by(const hfDynamics* d, double slope, Target t, int k) {
  return slope * t.J[k] * t.J[k] > 2 * NEGLIGIBLE_SLOPE * hfi_diagonal_mass(d, t.dof[k]);
}

// Is h kappa w of a drive on several dofs surely between the two bounds?
HFI_CALLED static int is_ordinary_row(const hfDynamics* d, double slope, Target t) {
  if (!(2 * slope * hfi_most_inverse_mass(d, t.n, t.dof, t.J) <= HFI_STIFFEST_DRIVE)) return 0;
  int k = 0;
  while (k < t.n && !is_felt_by(d, slope, t, k)) ++k;
  return k < t.n;
}

// Is h kappa w surely between the two bounds for any w that the row may have? It is for nearly all drives, and M need not be factored for these.
static inline int is_ordinary(const hfDynamics* d, double h, Target t, double kappa) {
  double slope = h * kappa;
  if (t.n != 1) return is_ordinary_row(d, slope, t);
  return is_felt_by(d, slope, t, 0) && 2 * slope * t.J[0] * t.J[0] * d->most_inverse_mass[t.dof[0]] <= HFI_STIFFEST_DRIVE;
}

static void add_row(hfActuation* a, Target t, hfiDrive drive, double kappa) {
  hfSaturatedRow row = {drive.f0 / drive.kappa, kappa, drive.lo, drive.hi};
  hfi_rows_append_row(&a->rows, (hfiRowOrigin){(hfiRowSource)t.source, t.id}, row, t.n, t.dof, t.J);
}

static inline void add_force(Target t, double force, double* tau) {
  for (int k = 0; k < t.n; ++k) tau[t.dof[k]] += t.J[k] * force;
}

// Adds a drive whose slope may be very small or very large: as a row, or as a force if the slope is negligible.
HFI_RARE static void add_unusual_drive(hfActuation* a, const hfDynamics* d, double h, Target t, hfiDrive drive, double* tau) {
  double w = drive.kappa > 0 ? hfi_inverse_mass(d, a->dense, t.n, t.dof, t.J) : 0, slope = h * drive.kappa * w;
  if (!(slope > NEGLIGIBLE_SLOPE)) {
    add_force(t, hfi_drive_force(drive, velocity_along(t, d->v)), tau);
    return;
  }
  int stiff = slope > HFI_STIFFEST_DRIVE;
  add_row(a, t, drive, stiff ? hfi_cap_slope(&a->rows, drive.kappa, HFI_STIFFEST_DRIVE / (h * w)) : drive.kappa);
}

// Adds a drive to the step: as a row, or as a force in tau.
static inline void add_drive_row(hfActuation* a, const hfDynamics* d, double h, Target t, hfiDrive drive, double* tau) {
  if (drive.kappa == 0) add_force(t, clamp(drive.f0, drive.lo, drive.hi), tau);
  else if (is_ordinary(d, h, t, drive.kappa)) add_row(a, t, drive, drive.kappa);
  else add_unusual_drive(a, d, h, t, drive, tau);
}

// Narrows the bounds of a drive so that the force on every limited joint in its row stays in range.
static hfiDrive respect_joints(const hfModel* m, Target t, hfiDrive drive) {
  for (int k = 0; k < t.n; ++k) {
    int j = hf_model_dof_jnt(m)[t.dof[k]];
    if (!hf_model_jnt_actfrclimited(m)[j] || !hfi_joint_is_scalar(hf_model_jnt_type(m)[j]) || t.J[k] == 0) continue;
    Bounds own = {drive.lo, drive.hi};
    own = compose_bounds(own, divide_bounds(make_bounds(1, hf_model_jnt_actfrcrange(m) + 2 * j), t.J[k]));
    drive.lo = own.lo, drive.hi = own.hi;
  }
  return drive;
}

// Adds an actuator that belongs to no drive sum. An actuator on a limited joint belongs to one, so
// that only tendons and sites meet limits of joints here.
static inline void add_actuator_row(hfActuation* a, const hfDynamics* d, double h, int i, hfiDrive drive, double* tau) {
  Target t = actuator_target(a, HFI_ROW_ACTUATOR, i, i);
  if (a->drives.servo[i].transmission >= HF_TRANSMISSION_TENDON) drive = respect_joints(a->model, t, drive);
  add_drive_row(a, d, h, t, drive, tau);
}

// Like add_actuator_row, for an actuator that acts directly (hfiServo.direct).
static inline void add_direct_drive(hfActuation* a, const hfDynamics* d, const hfiActuationStep* step, int i, double* tau) {
  const hfiServo* servo = &a->drives.servo[i];
  int start = a->moment_start[i];
  Target t = {HFI_ROW_ACTUATOR, i, 1, a->moment_dof + start, a->moment + start};
  hfiDrive drive = make_servo(a, i, plain_force(servo, a->input[i]), step);
  drive.lo = servo->lo, drive.hi = servo->hi;
  a->drives.drive[i] = drive;
  add_drive_row(a, d, step->h, t, drive, tau);
}

// ---- drive sums----------------------------------------------------------------------------------------

// sum += gear times a drive. A drive with a known force (kappa = 0) shifts the bounds of the sum as
// well.
static void add_drive(hfiDrive* sum, hfiDrive drive, double gear) {
  if (gear == 0) return;
  double lo = drive.lo, hi = drive.hi;
  if (drive.kappa == 0) lo = hi = drive.f0 = clamp(drive.f0, lo, hi);
  sum->f0 += gear * drive.f0;
  sum->kappa += gear * gear * drive.kappa;
  sum->lo += gear > 0 ? gear * lo : gear * hi;
  sum->hi += gear > 0 ? gear * hi : gear * lo;
}

// Sums up the drives of all drive sums. On a joint forces times gears add up; on a tendon the
// forces themselves do, and all of them pull with the gear of the first actuator.
static void sum_drives(hfActuation* a) {
  const hfModel* m = a->model;
  if (!a->drives.nsum) return;
  for (int p = 0; p < a->drives.nsum; ++p) memset(&a->drives.sum[p].total, 0, sizeof a->drives.sum[p].total);
  for (int i = 0; i < m->nu; ++i) {
    if (a->drives.sum_of[i] < 0) continue;
    hfiDriveSum* sum = &a->drives.sum[a->drives.sum_of[i]];
    double gear = sum->source == HFI_ROW_JOINT_DRIVE ? hf_model_actuator_gear(m)[6 * i] : 1;
    add_drive(&sum->total, a->drives.drive[i], gear);
    if (hfi_is_motor(m, i)) add_drive(&sum->total, a->drives.drag[i], gear);
  }
}

// Adds the drive sum of a joint. With gravity compensation g of the joint,
// clamp(total + g, range) = clamp(total, range - g) + g.
static void add_joint_sum(hfActuation* a, const hfDynamics* d, double h, const hfiDriveSum* sum, double* tau) {
  const hfModel* m = a->model;
  int32_t dof = hf_model_jnt_dofadr(m)[sum->id];
  const double* range = hf_model_jnt_actfrcrange(m) + 2 * sum->id;
  double gravcomp = a->passive.gravcomp && hf_model_jnt_actgravcomp(m)[sum->id] ? a->gravcomp[dof] : 0, one = 1;
  Bounds own = {sum->total.lo, sum->total.hi}, total = {range[0] - gravcomp, range[1] - gravcomp};
  own = compose_bounds(own, total);
  hfiDrive drive = {sum->total.f0, sum->total.kappa, own.lo, own.hi};
  Target t = {sum->source, sum->id, 1, &dof, &one};
  add_drive_row(a, d, h, t, drive, tau);
}

// Adds the drive sum of a tendon.
static void add_tendon_sum(hfActuation* a, const hfDynamics* d, double h, const hfiDriveSum* sum, double* tau) {
  Target t = actuator_target(a, sum->source, sum->id, sum->first);
  Bounds own = {sum->total.lo, sum->total.hi};
  own = compose_bounds(own, make_bounds(1, hf_model_tendon_actfrcrange(a->model) + 2 * sum->id));
  hfiDrive drive = {sum->total.f0, sum->total.kappa, own.lo, own.hi};
  add_drive_row(a, d, h, t, respect_joints(a->model, t, drive), tau);
}

// ---- interface --------------------------------------------------------------------------------------

// Is there a drive sum for the joint?
static int has_drive_sum(const hfActuation* a, int joint) {
  for (int p = 0; p < a->drives.nsum; ++p)
    if (a->drives.sum[p].source == HFI_ROW_JOINT_DRIVE && a->drives.sum[p].id == joint) return 1;
  return 0;
}

// Adds gravity compensation by actuators. On a limited joint the drive sum has made room for it;
// without a drive sum it is clamped alone.
static void add_gravity_compensation_by_actuators(const hfActuation* a, double* tau) {
  const hfModel* m = a->model;
  if (!a->passive.gravcomp) return;
  for (int i = 0; i < m->nv; ++i) {
    int j = hf_model_dof_jnt(m)[i];
    const double* range = hf_model_jnt_actfrcrange(m) + 2 * j;
    if (!hf_model_jnt_actgravcomp(m)[j]) continue;
    int alone = hf_model_jnt_actfrclimited(m)[j] && hfi_joint_is_scalar(hf_model_jnt_type(m)[j]) && !has_drive_sum(a, j);
    tau[i] += alone ? clamp(a->gravcomp[i], range[0], range[1]) : a->gravcomp[i];
  }
}

void hfi_drive_rows(hfActuation* a, const hfDynamics* d, const hfiActuationStep* step, double* tau) {
  const hfModel* m = a->model;
  hfi_update_inputs(a, step->act, step->ctrl, step->h);
  a->drives.explicit_drives = step->explicit_drives;
  if (m->world.disable_actuation) return;
  hfi_compute_torques(a, d, step);
  for (int i = 0; i < m->nu; ++i) {
    const hfiServo* servo = &a->drives.servo[i];
    if (servo->direct) {
      add_direct_drive(a, d, step, i, tau);
      continue;
    }
    if (servo->is_motor) a->drives.drag[i] = (hfiDrive){0, 0, 0, 0};
    hfiDrive drive = make_drive(a, d, i, step);
    a->drives.drive[i] = drive;
    if (servo->transmission == HF_TRANSMISSION_BODY) {
      a->force[i] = clamp(drive.f0, drive.lo, drive.hi) + (servo->is_motor ? a->drives.drag[i].f0 : 0);
      continue;
    }
    if (a->drives.sum_of[i] >= 0) continue;
    add_actuator_row(a, d, step->h, i, drive, tau);
    if (servo->is_motor) add_actuator_row(a, d, step->h, i, a->drives.drag[i], tau);
  }
  sum_drives(a);
  for (int p = 0; p < a->drives.nsum; ++p)
    (a->drives.sum[p].source == HFI_ROW_JOINT_DRIVE ? add_joint_sum : add_tendon_sum)(a, d, step->h, &a->drives.sum[p], tau);
  add_gravity_compensation_by_actuators(a, tau);
}

// Sets the rate of an integral to the error at the end of the step, and the rates of a motor's states to those at the end of the step.
static void set_end_rates(hfActuation* a, int i, double velocity) {
  if (!hfi_actuator_acts(a->model, i) || a->drives.explicit_drives) return;
  if (hfi_is_motor(a->model, i)) hfi_motor_end(a, i, velocity);
  if (hf_model_actuator_dyntype(a->model)[i] != HF_ACTIVATION_ERROR) return;
  a->rate[hf_model_actuator_actadr(a->model)[i]] = a->input[i] - (a->length[i] + a->h * velocity);
}

static double end_velocity(const hfActuation* a, int i) { return velocity_along(actuator_target(a, HFI_ROW_ACTUATOR, i, i), a->notes.v1); }

void hfi_actuation_end(hfActuation* a, const double* v1) {
  memcpy(a->notes.v1, v1, (size_t)a->model->nv * sizeof *v1);
  *a->fresh &= ~(uint32_t)HFI_FRESH_FORCES;
  hfi_target_collect(a, v1);
  for (int i = 0; a->model->na && i < a->model->nu; ++i) set_end_rates(a, i, end_velocity(a, i));
}

void hfi_actuation_drop_forces(hfActuation* a) { *a->fresh |= HFI_FRESH_FORCES; }

void hfi_actuation_collect(const hfActuation* a) {
  *a->fresh |= HFI_FRESH_FORCES;
  for (int i = 0; i < a->model->nu; ++i) {
    double s = end_velocity(a, i);
    if (hfi_is_motor(a->model, i)) a->force[i] = hfi_drive_force(a->drives.drive[i], s) + hfi_drive_force(a->drives.drag[i], s);
    else a->force[i] = a->drives.drive[i].f0 - a->drives.drive[i].kappa * s;
  }
  hfi_transmit_forces(a);
}

// Divides the force of a row among the drives that share it: they get the forces of their laws at that velocity at which these add up to the force of
// the row.
static void share_row_force(const hfActuation* a, int p, double force) {
  const hfiDriveSum* sum = &a->drives.sum[p];
  double speed = (sum->total.f0 - force) / sum->total.kappa;
  for (int i = 0; i < a->model->nu; ++i) {
    double gear = sum->source == HFI_ROW_JOINT_DRIVE ? hf_model_actuator_gear(a->model)[6 * i] : 1;
    if (a->drives.sum_of[i] == p) a->force[i] = a->drives.drive[i].f0 - a->drives.drive[i].kappa * gear * speed;
  }
}

void hfi_actuation_take_force(hfActuation* a, hfiRowOrigin origin, double force) {
  if (origin.source == HFI_ROW_ACTUATOR) a->force[origin.id] = force;
  if (origin.source == HFI_ROW_TARGET) a->target_force[origin.id] = force;
  for (int p = 0; p < a->drives.nsum; ++p)
    if (a->drives.sum[p].source == (int32_t)origin.source && a->drives.sum[p].id == origin.id) share_row_force(a, p, force);
}
