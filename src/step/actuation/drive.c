// Actuators as rows of a step (docs/theory/actuation.md, docs/theory/one-law.md).
//
// The force of an actuator is affine in its length l and velocity s. Over a step l = l0 + h s, so
//
//   F(s) = f0 - kappa s,   f0 = c + F_l l0,   kappa = -(h F_l + F_v)
//
// and with its limits F = clamp(-kappa (s - s0), lo, hi), s0 = f0/kappa: exactly a saturated row, and unconditionally
// stable however stiff. Two kinds act by their force at the start of the step instead: MJCF's <motor>, whose force does
// not depend on l and s (kappa = 0), and destabilising gains (kappa < 0).
//
// A DC motor (is_motor, motor.c) has two drives: drives.drive is the force of its current, drives.drag that of its
// cogging and friction, which forcerange does not bound. A direct drive (hfiServo.direct) is the usual servo on one
// hinge or slide; it takes a shorter way through the same steps.
//
// A joint or tendon whose total actuator force has a range gets one row for all its actuators, a drive sum: forces and
// slopes add up, and the range bounds the sum.
#include "step/actuation/inside.h"

#include "base/compile.h"

#include <string.h>

// If h kappa w is below this, the drive acts by its force at the start of the step: a row would change the velocity by
// less than solvers resolve [-].
static const double NEGLIGIBLE_SLOPE = 1e-9;

typedef struct Bounds { double lo, hi; } Bounds;

// Returns bounds r with clamp(x, r) = clamp(clamp(x, inner), outer).
static Bounds compose_bounds(Bounds inner, Bounds outer) {
  return (Bounds){clamp(inner.lo, outer.lo, outer.hi), clamp(inner.hi, outer.lo, outer.hi)};
}

// Returns the range (2) as bounds; infinite bounds if nothing is limited.
static Bounds make_bounds(int is_limited, const double* range) {
  if (!is_limited) return (Bounds){-INFINITY, INFINITY};
  return (Bounds){range[0], range[1]};
}

// Returns the bounds of x for which x times factor lies in b; factor is not 0.
static Bounds divide_bounds(Bounds b, double factor) {
  if (factor < 0) return (Bounds){b.hi / factor, b.lo / factor};
  return (Bounds){b.lo / factor, b.hi / factor};
}

// ---- parameters -------------------------------------------------------------------------------------

// Returns the change of length after which a servo is at the same place again: a whole turn of a position servo on a
// ball joint, or of the rotation of a site in its reference, 2 pi |gear| [the unit of the length]. 0 for other
// actuators.
static double find_period(const hfModel* m, int i) {
  const double* gear = hf_model_actuator_gear(m) + 6 * i;
  const double* gain = hf_model_actuator_gainprm(m) + 3 * i;
  const double* bias = hf_model_actuator_biasprm(m) + 3 * i;
  const int32_t* id = hf_model_actuator_trnid(m) + 2 * i;
  int type = hf_model_actuator_trntype(m)[i];

  // only position servos, whose force is kp (u - l) less damping, and without muscle dynamics
  if (hf_model_actuator_gaintype(m)[i] != HF_GAIN_FIXED || hf_model_actuator_biastype(m)[i] != HF_BIAS_AFFINE) return 0;
  if (gain[0] != -bias[1]) return 0;
  if (hf_model_actuator_dyntype(m)[i] == HF_ACTIVATION_MUSCLE) return 0;

  // the rotation of a site in its reference
  int only_turns = type == HF_TRANSMISSION_SITE && id[1] >= 0 && v3_norm(v3_load(gear)) == 0;
  if (only_turns) return 2 * HFI_PI * v3_norm(v3_load(gear + 3));

  // a ball joint; a hinge counts its turns
  int is_on_joint = type == HF_TRANSMISSION_JOINT || type == HF_TRANSMISSION_JOINT_IN_PARENT;
  int is_on_ball = is_on_joint && hf_model_jnt_type(m)[id[0]] == HF_JOINT_BALL;
  return is_on_ball ? 2 * HFI_PI * v3_norm(v3_load(gear)) : 0;
}

// Returns the parameters of actuator i in one struct (hfiServo says what each member means). A gain or bias that the
// type of the actuator does not use is zero.
static hfiServo look_up_servo(const hfActuation* a, int i) {
  const hfModel* m = a->model;
  const double* gain = hf_model_actuator_gainprm(m) + 3 * i;
  const double* bias = hf_model_actuator_biasprm(m) + 3 * i;
  int gain_type = hf_model_actuator_gaintype(m)[i];
  int bias_type = hf_model_actuator_biastype(m)[i];
  int is_clamped = hf_model_actuator_ctrllimited(m)[i] && !m->world.disable_clamp_control;
  Bounds force = make_bounds(hf_model_actuator_forcelimited(m)[i], hf_model_actuator_forcerange(m) + 2 * i);
  Bounds ctrl = make_bounds(is_clamped, hf_model_actuator_ctrlrange(m) + 2 * i);

  // gains, biases and bounds
  hfiServo s = {.lo = force.lo, .hi = force.hi, .ctrl_lo = ctrl.lo, .ctrl_hi = ctrl.hi};
  s.transmission = hf_model_actuator_trntype(m)[i];
  s.gain[0] = gain[0];
  for (int k = 1; k < 3 && gain_type == HF_GAIN_AFFINE; ++k) s.gain[k] = gain[k];
  for (int k = 0; k < 3 && bias_type == HF_BIAS_AFFINE; ++k) s.bias[k] = bias[k];
  s.period = find_period(m, i);

  // the short ways through a step that the actuator may take (hfiServo)
  s.is_motor = hfi_is_motor(m, i);
  s.obeys = !s.is_motor && s.period == 0 && hf_model_actuator_actadr(m)[i] < 0;
  s.plain = gain_type != HF_GAIN_MUSCLE && bias_type != HF_BIAS_MUSCLE;
  s.plain = s.plain && hf_model_actuator_dyntype(m)[i] != HF_ACTIVATION_ERROR;
  s.direct = s.plain && !s.is_motor && a->drives.coordinate[i] >= 0 && a->drives.sum_of[i] < 0;
  s.direct = s.direct && a->law[i] == HF_DRIVE_SERVO && hfi_actuator_acts(m, i);
  return s;
}

// Writes drives.servo of all actuators.
void hfi_update_servos(hfActuation* a) {
  for (int i = 0; i < a->model->nu; ++i) a->drives.servo[i] = look_up_servo(a, i);
}

// ---- the drive of one actuator ------------------------------------------------------------------------

// Returns the force of a plain actuator with the input u, (g0 + g1 l + g2 s) u + b0 + b1 l + b2 s, as hfi_affine_force
// does for all actuators.
static inline hfiAffine find_plain_force(const hfiServo* s, double u) {
  return (hfiAffine){s->gain[0] * u + s->bias[0], s->gain[1] * u + s->bias[1], s->gain[2] * u + s->bias[2]};
}

// Returns the drive of a servo with the force f, without bounds. It is implicit unless the step is explicit or kappa
// would not be positive.
static inline hfiDrive make_servo(const hfActuation* a, int i, hfiAffine f, const hfiActuationStep* step) {
  hfiDrive drive = {.f0 = f.constant + f.length * a->length[i], .kappa = -(step->h * f.length + f.velocity)};
  if (step->explicit_drives || !(drive.kappa > 0)) {
    drive.f0 += f.velocity * a->velocity[i];
    drive.kappa = 0;
  }
  return drive;
}

// Returns the drive of actuator i over the step, with its bounds: zero if it is switched off; for a DC motor the force
// of its current, while cogging and friction go to drives.drag. For drives by inverse dynamics drive_law.c has the law.
static inline hfiDrive make_drive(hfActuation* a, const hfDynamics* d, int i, const hfiActuationStep* step) {
  const hfiServo* servo = &a->drives.servo[i];
  if (!hfi_actuator_acts(a->model, i)) return (hfiDrive){0, 0, 0, 0};

  if (servo->is_motor) {
    hfiMotorForce force = hfi_motor_force(a, i, !step->explicit_drives);
    a->drives.drag[i] = force.drag;
    return force.electric;
  }

  hfiDrive drive;
  if (a->law[i] != HF_DRIVE_SERVO) {
    drive = hfi_inverse_drive(a, d, i, step);
  } else {
    hfiAffine force = servo->plain ? find_plain_force(servo, a->input[i]) : hfi_affine_force(a, i);
    drive = make_servo(a, i, force, step);
  }
  drive.lo = servo->lo;
  drive.hi = servo->hi;
  return drive;
}

// ---- one row ----------------------------------------------------------------------------------------

// The joint, tendon or site on which a drive acts, as a sparse row over n dofs.
typedef struct Target {
  hfiRowOrigin origin;
  int n;
  const int32_t* dof;
  const double* J;
} Target;

// Returns the target of actuator i, for a row of this origin.
static Target actuator_target(const hfActuation* a, hfiRowOrigin origin, int i) {
  int start = a->moments.start[i];
  return (Target){origin, a->moments.start[i + 1] - start, a->moments.dof + start, a->moments.entry + start};
}

// Returns J v, the velocity along the target.
static inline double velocity_along(Target t, const double* v) {
  double speed = 0;
  for (int k = 0; k < t.n; ++k) speed += t.J[k] * v[t.dof[k]];
  return speed;
}

// Whether dof k of a row alone gives it an inverse mass for which slope, h kappa, is not negligible. The row has w >=
// J_k^2/M_kk. The factor of 2 leaves room for rounding.
static inline int is_felt_by_dof(const hfDynamics* d, double slope, Target t, int k) {
  return slope * t.J[k] * t.J[k] > 2 * NEGLIGIBLE_SLOPE * hfi_diagonal_mass(d, t.dof[k]);
}

// Whether h kappa w of a drive on several dofs is surely between the two bounds.
HFI_NOINLINE static int has_ordinary_row(const hfDynamics* d, double slope, Target t) {
  if (!(2 * slope * hfi_largest_inverse_mass(d, t.n, t.dof, t.J) <= HFI_STIFFEST_DRIVE)) return 0;

  int k = 0;
  while (k < t.n && !is_felt_by_dof(d, slope, t, k)) ++k;
  return k < t.n;
}

// Whether h kappa w is surely between the two bounds for any w that the row may have. It is for nearly all drives, and
// M need not be factored for these.
static inline int has_ordinary_slope(const hfDynamics* d, double h, Target t, double kappa) {
  double slope = h * kappa;
  if (t.n != 1) return has_ordinary_row(d, slope, t);
  if (!is_felt_by_dof(d, slope, t, 0)) return 0;
  return 2 * slope * t.J[0] * t.J[0] * d->mass.largest_inverse[t.dof[0]] <= HFI_STIFFEST_DRIVE;
}

// Appends the row of a drive, with the slope kappa, which may be less than the slope of the drive.
static void add_row(hfActuation* a, Target t, hfiDrive drive, double kappa) {
  hfSaturatedRow row = {drive.f0 / drive.kappa, kappa, drive.lo, drive.hi};
  hfi_rows_append_row(&a->rows, t.origin, row, t.n, t.dof, t.J);
}

// tau += J^T force
static inline void add_force(Target t, double force, double* tau) {
  for (int k = 0; k < t.n; ++k) tau[t.dof[k]] += t.J[k] * force;
}

// Adds a drive whose slope may be very small or very large: as a row, or as a force if the slope is negligible.
HFI_COLD static void add_drive_of_unusual_slope(hfActuation* a, const hfDynamics* d, double h, Target t, hfiDrive drive,
                                       double* tau) {
  double w = drive.kappa > 0 ? hfi_inverse_mass(d, a->dense, t.n, t.dof, t.J) : 0;
  double slope = h * drive.kappa * w;
  if (!(slope > NEGLIGIBLE_SLOPE)) {
    add_force(t, hfi_drive_force(drive, velocity_along(t, d->v)), tau);
    return;
  }

  double kappa = drive.kappa;
  if (slope > HFI_STIFFEST_DRIVE) kappa = hfi_cap_slope(&a->rows, drive.kappa, HFI_STIFFEST_DRIVE / (h * w));
  add_row(a, t, drive, kappa);
}

// Adds a drive to the step: as a row, or as a force in tau (nv) if its force is known.
static inline void add_drive_row(hfActuation* a, const hfDynamics* d, double h, Target t, hfiDrive drive, double* tau) {
  if (drive.kappa == 0) add_force(t, clamp(drive.f0, drive.lo, drive.hi), tau);
  else if (has_ordinary_slope(d, h, t, drive.kappa)) add_row(a, t, drive, drive.kappa);
  else add_drive_of_unusual_slope(a, d, h, t, drive, tau);
}

// Returns the drive with bounds narrowed so that the force on every limited joint in its row stays in range.
static hfiDrive narrow_to_joint_ranges(const hfModel* m, Target t, hfiDrive drive) {
  for (int k = 0; k < t.n; ++k) {
    int j = hf_model_dof_jnt(m)[t.dof[k]];
    int is_limited = hf_model_jnt_actfrclimited(m)[j] && hfi_joint_is_scalar(hf_model_jnt_type(m)[j]);
    if (!is_limited || t.J[k] == 0) continue;

    Bounds joint = divide_bounds(make_bounds(1, hf_model_jnt_actfrcrange(m) + 2 * j), t.J[k]);
    Bounds both = compose_bounds((Bounds){drive.lo, drive.hi}, joint);
    drive.lo = both.lo;
    drive.hi = both.hi;
  }
  return drive;
}

// Adds an actuator that belongs to no drive sum. An actuator on a limited joint belongs to one, so that only tendons
// and sites meet limits of joints here.
static inline void add_actuator_row(hfActuation* a, const hfDynamics* d, double h, int i, hfiDrive drive, double* tau) {
  Target t = actuator_target(a, (hfiRowOrigin){HFI_ROW_ACTUATOR, i}, i);

  if (a->drives.servo[i].transmission >= HF_TRANSMISSION_TENDON) drive = narrow_to_joint_ranges(a->model, t, drive);

  add_drive_row(a, d, h, t, drive, tau);
}

// Like add_actuator_row, for an actuator that acts directly (hfiServo.direct). Also writes its drive.
static inline void add_direct_drive(hfActuation* a, const hfDynamics* d, const hfiActuationStep* step, int i,
                                    double* tau) {
  const hfiServo* servo = &a->drives.servo[i];
  int start = a->moments.start[i];
  Target t = {{HFI_ROW_ACTUATOR, i}, 1, a->moments.dof + start, a->moments.entry + start};

  hfiDrive drive = make_servo(a, i, find_plain_force(servo, a->input[i]), step);
  drive.lo = servo->lo;
  drive.hi = servo->hi;
  a->drives.drive[i] = drive;
  add_drive_row(a, d, step->h, t, drive, tau);
}

// ---- drive sums ---------------------------------------------------------------------------------------

// sum += gear times a drive. A drive with a known force (kappa = 0) shifts the bounds of the sum as well.
static void add_drive_to_sum(hfiDrive* sum, hfiDrive drive, double gear) {
  if (gear == 0) return;
  if (drive.kappa == 0) {
    drive.f0 = clamp(drive.f0, drive.lo, drive.hi);
    drive.lo = drive.f0;
    drive.hi = drive.f0;
  }

  sum->f0 += gear * drive.f0;
  sum->kappa += gear * gear * drive.kappa;
  sum->lo += gear > 0 ? gear * drive.lo : gear * drive.hi;
  sum->hi += gear > 0 ? gear * drive.hi : gear * drive.lo;
}

// Computes the total of all drive sums. On a joint forces times gears add up; on a tendon the forces themselves do,
// and all of them pull with the gear of the first actuator.
static void sum_drives(hfActuation* a) {
  const hfModel* m = a->model;
  hfiDrives* s = &a->drives;
  if (!s->nsum) return;

  for (int p = 0; p < s->nsum; ++p) memset(&s->sum[p].total, 0, sizeof s->sum[p].total);

  for (int i = 0; i < m->nu; ++i) {
    if (s->sum_of[i] < 0) continue;
    hfiDriveSum* sum = &s->sum[s->sum_of[i]];

    double gear = sum->origin.source == HFI_ROW_JOINT_DRIVE ? hf_model_actuator_gear(m)[6 * i] : 1;
    add_drive_to_sum(&sum->total, s->drive[i], gear);
    if (hfi_is_motor(m, i)) add_drive_to_sum(&sum->total, s->drag[i], gear);
  }
}

// Adds to the problem the row of the drive sum of a joint. Gravity compensation g of the joint shares its range:
// clamp(total + g, range) = clamp(total, range - g) + g.
static void add_joint_sum(hfActuation* a, const hfDynamics* d, double h, const hfiDriveSum* sum, double* tau) {
  const hfModel* m = a->model;
  int joint = sum->origin.id;
  int32_t dof = hf_model_jnt_dofadr(m)[joint];
  const double* range = hf_model_jnt_actfrcrange(m) + 2 * joint;
  const double J = 1;
  int has_gravcomp = a->passive.gravcomp && hf_model_jnt_actgravcomp(m)[joint];
  double gravcomp = has_gravcomp ? a->gravcomp[dof] : 0;

  // the total, within what g leaves of the range
  Bounds shifted_range = {range[0] - gravcomp, range[1] - gravcomp};
  Bounds both = compose_bounds((Bounds){sum->total.lo, sum->total.hi}, shifted_range);
  hfiDrive drive = {sum->total.f0, sum->total.kappa, both.lo, both.hi};
  add_drive_row(a, d, h, (Target){sum->origin, 1, &dof, &J}, drive, tau);
}

// Adds to the problem the row of the drive sum of a tendon.
static void add_tendon_sum(hfActuation* a, const hfDynamics* d, double h, const hfiDriveSum* sum, double* tau) {
  Target t = actuator_target(a, sum->origin, sum->first);
  Bounds range = make_bounds(1, hf_model_tendon_actfrcrange(a->model) + 2 * sum->origin.id);
  Bounds both = compose_bounds((Bounds){sum->total.lo, sum->total.hi}, range);
  hfiDrive drive = {sum->total.f0, sum->total.kappa, both.lo, both.hi};
  add_drive_row(a, d, h, t, narrow_to_joint_ranges(a->model, t, drive), tau);
}

// Whether the joint has a drive sum.
static int has_drive_sum(const hfActuation* a, int joint) {
  for (int p = 0; p < a->drives.nsum; ++p)
    if (a->drives.sum[p].origin.source == HFI_ROW_JOINT_DRIVE && a->drives.sum[p].origin.id == joint) return 1;
  return 0;
}

// ---- a step -------------------------------------------------------------------------------------------

// Adds gravity compensation by actuators to tau (nv). On a limited joint the drive sum has made room for it; without a
// drive sum it is clamped alone.
static void add_gravity_compensation_by_actuators(const hfActuation* a, double* tau) {
  const hfModel* m = a->model;
  if (!a->passive.gravcomp) return;

  for (int i = 0; i < m->nv; ++i) {
    int j = hf_model_dof_jnt(m)[i];
    const double* range = hf_model_jnt_actfrcrange(m) + 2 * j;
    if (!hf_model_jnt_actgravcomp(m)[j]) continue;

    int is_limited = hf_model_jnt_actfrclimited(m)[j] && hfi_joint_is_scalar(hf_model_jnt_type(m)[j]);
    int is_clamped = is_limited && !has_drive_sum(a, j);
    tau[i] += is_clamped ? clamp(a->gravcomp[i], range[0], range[1]) : a->gravcomp[i];
  }
}

// Writes drives.drive of actuator i, and drives.drag if it is a DC motor. Then adds them to the step, as rows or as a
// force in tau (nv). Two kinds are not added: an actuator on a body, whose a->force is written instead, and one of a
// drive sum, whose row is added later.
static inline void add_actuator(hfActuation* a, const hfDynamics* d, const hfiActuationStep* step, int i, double* tau) {
  const hfiServo* servo = &a->drives.servo[i];
  if (servo->direct) {
    add_direct_drive(a, d, step, i, tau);
    return;
  }

  // a motor that is switched off has no drag; otherwise make_drive writes it
  if (servo->is_motor) a->drives.drag[i] = (hfiDrive){0, 0, 0, 0};
  hfiDrive drive = make_drive(a, d, i, step);
  a->drives.drive[i] = drive;

  // an actuator on a body has no row: its force acts at contacts (step/world/adhesion.c)
  if (servo->transmission == HF_TRANSMISSION_BODY) {
    a->force[i] = clamp(drive.f0, drive.lo, drive.hi) + (servo->is_motor ? a->drives.drag[i].f0 : 0);
    return;
  }

  if (a->drives.sum_of[i] >= 0) return;
  add_actuator_row(a, d, step->h, i, drive, tau);
  if (servo->is_motor) add_actuator_row(a, d, step->h, i, a->drives.drag[i], tau);
}

// Computes inputs and drives of all actuators, appends their rows and adds to tau (nv) what is explicit.
void hfi_drive_rows(hfActuation* a, const hfDynamics* d, const hfiActuationStep* step, double* tau) {
  const hfModel* m = a->model;
  hfi_update_inputs(a, step->act, step->ctrl, step->h);
  a->drives.explicit_drives = step->explicit_drives;
  if (m->world.disable_actuation) return;

  hfi_compute_torques(a, d, step);
  for (int i = 0; i < m->nu; ++i) add_actuator(a, d, step, i, tau);

  sum_drives(a);
  for (int p = 0; p < a->drives.nsum; ++p) {
    const hfiDriveSum* sum = &a->drives.sum[p];
    if (sum->origin.source == HFI_ROW_JOINT_DRIVE) add_joint_sum(a, d, step->h, sum, tau);
    else add_tendon_sum(a, d, step->h, sum, tau);
  }
  add_gravity_compensation_by_actuators(a, tau);
}

// ---- the end of a step --------------------------------------------------------------------------------

// Returns the velocity along actuator i at the end of the step [m/s or rad/s].
static double find_end_velocity(const hfActuation* a, int i) {
  return velocity_along(actuator_target(a, (hfiRowOrigin){HFI_ROW_ACTUATOR, i}, i), a->notes.v1);
}

// Sets the rate of an integral to the error at the end of the step, and the rates of a motor's states to those at the
// end of the step.
static void set_end_rates(hfActuation* a, int i, double velocity) {
  if (!hfi_actuator_acts(a->model, i) || a->drives.explicit_drives) return;
  if (hfi_is_motor(a->model, i)) hfi_motor_end(a, i, velocity);
  if (hf_model_actuator_dyntype(a->model)[i] == HF_ACTIVATION_ERROR)
    a->rate[hf_model_actuator_actadr(a->model)[i]] = a->input[i] - (a->length[i] + a->h * velocity);
}

// Keeps v1, computes forces of targets and rates of activations at the end of the step, and leaves other forces to
// hfi_need_forces.
void hfi_actuation_end(hfActuation* a, const double* v1) {
  memcpy(a->notes.v1, v1, (size_t)a->model->nv * sizeof *v1);
  *a->fresh &= ~(uint32_t)HFI_FRESH_FORCES;

  hfi_target_collect(a, v1);
  for (int i = 0; a->model->na && i < a->model->nu; ++i) set_end_rates(a, i, find_end_velocity(a, i));
}

// Says that nobody needs the forces of the last step any more.
void hfi_actuation_drop_forces(hfActuation* a) { *a->fresh |= HFI_FRESH_FORCES; }

// Computes force and joint_force from the drives at the velocities v1 of the end of the step.
void hfi_actuation_collect(const hfActuation* a) {
  const hfiDrives* s = &a->drives;
  *a->fresh |= HFI_FRESH_FORCES;

  for (int i = 0; i < a->model->nu; ++i) {
    double speed = find_end_velocity(a, i);
    if (hfi_is_motor(a->model, i)) {
      a->force[i] = hfi_drive_force(s->drive[i], speed) + hfi_drive_force(s->drag[i], speed);
      continue;
    }
    a->force[i] = s->drive[i].f0 - s->drive[i].kappa * speed; // hfi_transmit_forces clamps it
  }
  hfi_transmit_forces(a);
}

// Divides the force of the row of drive sum p among its drives: they get the forces of their laws at the velocity at
// which these add up to the force of the row.
static void share_row_force(const hfActuation* a, int p, double force) {
  const hfiDrives* s = &a->drives;
  const hfiDriveSum* sum = &s->sum[p];
  double speed = (sum->total.f0 - force) / sum->total.kappa;

  for (int i = 0; i < a->model->nu; ++i) {
    if (s->sum_of[i] != p) continue;
    double gear = sum->origin.source == HFI_ROW_JOINT_DRIVE ? hf_model_actuator_gear(a->model)[6 * i] : 1;
    a->force[i] = s->drive[i].f0 - s->drive[i].kappa * gear * speed;
  }
}

// Sets force or target_force of what the row of this origin stands for to the force of the row.
void hfi_actuation_take_force(hfActuation* a, hfiRowOrigin origin, double force) {
  if (origin.source == HFI_ROW_ACTUATOR) a->force[origin.id] = force;
  if (origin.source == HFI_ROW_TARGET) a->target_force[origin.id] = force;

  for (int p = 0; p < a->drives.nsum; ++p) {
    hfiRowOrigin sum = a->drives.sum[p].origin;
    if (sum.source == origin.source && sum.id == origin.id) share_row_force(a, p, force);
  }
}
