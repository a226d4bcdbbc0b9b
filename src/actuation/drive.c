// Actuators as rows of a step (docs/theory/actuation.md, docs/theory/one-law.md).
//
// The force of an actuator is affine in its length l and velocity s. Over a step l = l0 + h s, so
//
//   F(s) = f0 - kappa s,   f0 = c + F_l l0,   kappa = -(h F_l + F_v)
//
// and with its limits F = clamp(-kappa (s - s0), lo, hi), s0 = f0/kappa: exactly a saturated row, and
// unconditionally stable however stiff. Motors (kappa = 0) and destabilising gains (kappa < 0) act by
// their force at the start of the step.
//
// A joint or tendon with a range for the total of its actuators (a port) gets one row for all of
// them: forces and slopes add up, and the range bounds the sum.
#include "actuation/actuation.h"
#include <string.h>

// Below this h kappa w the row would change the velocity by less than solvers resolve: explicit.
static const double kNegligible = 1e-9;

typedef struct Bounds { double lo, hi; } Bounds;

// clamp(clamp(x, inner), outer) as one clamp
static Bounds compose_bounds(Bounds inner, Bounds outer) {
  Bounds r = {clamp(inner.lo, outer.lo, outer.hi), clamp(inner.hi, outer.lo, outer.hi)};
  return r;
}
static Bounds make_bounds(int limited, const double* range) {
  Bounds r = {limited ? range[0] : -INFINITY, limited ? range[1] : INFINITY};
  return r;
}
// bounds of x where x factor is in b; factor != 0
static Bounds divide_bounds(Bounds b, double factor) {
  Bounds r = {b.lo / factor, b.hi / factor};
  if (factor < 0) { double lo = r.hi; r.hi = r.lo; r.lo = lo; }
  return r;
}

static hfiDrive make_servo(const hfActuation* a, int i, const hfiActuationStep* step) {
  hfiAffine f = hfi_affine_force(a, i);
  hfiDrive drive = {.f0 = f.constant + f.length * a->length[i], .kappa = -(step->h * f.length + f.velocity)};
  if (step->explicit_drives || !(drive.kappa > 0)) drive.f0 += f.velocity * a->velocity[i], drive.kappa = 0;
  return drive;
}

static hfiDrive make_drive(hfActuation* a, const hfDynamics* d, int i, const hfiActuationStep* step) {
  const hfModel* m = a->model;
  int servo = a->law[i] == HF_DRIVE_SERVO;
  Bounds b = make_bounds(hf_model_actuator_forcelimited(m)[i], hf_model_actuator_forcerange(m) + 2 * i);
  hfiDrive drive = servo ? make_servo(a, i, step) : hfi_inverse_drive(a, d, i, step);
  drive.lo = b.lo, drive.hi = b.hi;
  return drive;
}

// ---- one row ----------------------------------------------------------------------------------------

// What a drive acts on: a sparse row over dofs.
typedef struct Target {
  int source, id, n; // hfiRowSource
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

static inline void emit(hfActuation* a, const hfDynamics* d, double h, Target t, hfiDrive drive, double* tau) {
  double w = drive.kappa > 0 ? hfi_inverse_mass(d, a->dense, t.n, t.dof, t.J) : 0, slope = h * drive.kappa * w;
  if (!(slope > kNegligible)) {
    double force = clamp(drive.f0 - drive.kappa * velocity_along(t, d->v), drive.lo, drive.hi);
    for (int k = 0; k < t.n; ++k) tau[t.dof[k]] += t.J[k] * force;
    return;
  }
  hfSaturatedRow row = {drive.f0 / drive.kappa, drive.kappa, drive.lo, drive.hi};
  if (slope > HFI_STIFFEST_DRIVE) row.kappa = hfi_cap_slope(&a->rows, drive.kappa, HFI_STIFFEST_DRIVE / (h * w));
  hfi_rows_add_row(&a->rows, (hfiRowSource)t.source, t.id, row, t.n, t.dof, t.J);
}

// Bounds that keep every limited joint in the row within its range.
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

// One on a limited joint has a port, so that only tendons and sites meet limits of joints here.
static inline void emit_actuator(hfActuation* a, const hfDynamics* d, double h, int i, hfiDrive drive, double* tau) {
  Target t = actuator_target(a, HFI_ROW_ACTUATOR, i, i);
  if (hf_model_actuator_trntype(a->model)[i] >= HF_TRANSMISSION_TENDON) drive = respect_joints(a->model, t, drive);
  emit(a, d, h, t, drive, tau);
}

// ---- ports ------------------------------------------------------------------------------------------

// Adds `gear` times a drive. A force known beforehand (kappa = 0) shifts the bounds too.
static void add_drive(hfiDrive* sum, hfiDrive drive, double gear) {
  if (gear == 0) return;
  double lo = drive.lo, hi = drive.hi;
  if (drive.kappa == 0) lo = hi = drive.f0 = clamp(drive.f0, lo, hi);
  sum->f0 += gear * drive.f0;
  sum->kappa += gear * gear * drive.kappa;
  sum->lo += gear > 0 ? gear * lo : gear * hi;
  sum->hi += gear > 0 ? gear * hi : gear * lo;
}

// On a joint, forces times gears add up to the total. On a tendon the forces do, as they are, and all
// of them pull with the gear of the first.
static void gather_ports(hfActuation* a) {
  const hfModel* m = a->model;
  for (int p = 0; p < a->nport; ++p) memset(&a->port[p].sum, 0, sizeof a->port[p].sum);
  for (int i = 0; i < m->nu; ++i) {
    if (a->actuator_port[i] < 0) continue;
    hfiPort* port = &a->port[a->actuator_port[i]];
    add_drive(&port->sum, a->drive[i], port->source == HFI_ROW_JOINT_DRIVE ? hf_model_actuator_gear(m)[6 * i] : 1);
  }
}

// clamp(total + g, range) = clamp(total, range - g) + g, g the gravity compensation of the joint
static void emit_joint_port(hfActuation* a, const hfDynamics* d, double h, const hfiPort* port, double* tau) {
  const hfModel* m = a->model;
  int32_t dof = hf_model_jnt_dofadr(m)[port->id];
  const double* range = hf_model_jnt_actfrcrange(m) + 2 * port->id;
  double lift = a->lifts && hf_model_jnt_actgravcomp(m)[port->id] ? a->gravcomp[dof] : 0, one = 1;
  Bounds own = {port->sum.lo, port->sum.hi}, total = {range[0] - lift, range[1] - lift};
  own = compose_bounds(own, total);
  hfiDrive drive = {port->sum.f0, port->sum.kappa, own.lo, own.hi};
  Target t = {port->source, port->id, 1, &dof, &one};
  emit(a, d, h, t, drive, tau);
}

static void emit_tendon_port(hfActuation* a, const hfDynamics* d, double h, const hfiPort* port, double* tau) {
  Target t = actuator_target(a, port->source, port->id, port->first);
  Bounds own = {port->sum.lo, port->sum.hi};
  own = compose_bounds(own, make_bounds(1, hf_model_tendon_actfrcrange(a->model) + 2 * port->id));
  hfiDrive drive = {port->sum.f0, port->sum.kappa, own.lo, own.hi};
  emit(a, d, h, t, respect_joints(a->model, t, drive), tau);
}

// ---- interface --------------------------------------------------------------------------------------

static int has_port(const hfActuation* a, int joint) {
  for (int p = 0; p < a->nport; ++p)
    if (a->port[p].source == HFI_ROW_JOINT_DRIVE && a->port[p].id == joint) return 1;
  return 0;
}

// Gravity compensation by actuators. On a limited joint a port has made room for it; without one it
// is all there is to clamp.
static void add_lift(const hfActuation* a, double* tau) {
  const hfModel* m = a->model;
  if (!a->lifts) return;
  for (int i = 0; i < m->nv; ++i) {
    int j = hf_model_dof_jnt(m)[i];
    const double* range = hf_model_jnt_actfrcrange(m) + 2 * j;
    if (!hf_model_jnt_actgravcomp(m)[j]) continue;
    int alone = hf_model_jnt_actfrclimited(m)[j] && hfi_joint_is_scalar(hf_model_jnt_type(m)[j]) && !has_port(a, j);
    tau[i] += alone ? clamp(a->gravcomp[i], range[0], range[1]) : a->gravcomp[i];
  }
}

void hfi_drive_rows(hfActuation* a, const hfDynamics* d, const hfiActuationStep* step, double* tau) {
  const hfModel* m = a->model;
  hfi_update_inputs(a, step->act, step->ctrl, step->h);
  a->explicit_drives = step->explicit_drives;
  if (m->nu == 0 || m->world.disable_actuation) return;
  hfi_compute_torques(a, d, step);
  for (int i = 0; i < m->nu; ++i) {
    hfiDrive drive = make_drive(a, d, i, step);
    a->drive[i] = drive;
    if (a->actuator_port[i] < 0) emit_actuator(a, d, step->h, i, drive, tau);
  }
  gather_ports(a);
  for (int p = 0; p < a->nport; ++p)
    (a->port[p].source == HFI_ROW_JOINT_DRIVE ? emit_joint_port : emit_tendon_port)(a, d, step->h, &a->port[p], tau);
  add_lift(a, tau);
}

// The error at the end of the step, which its integral grew by.
static void take_error_rate(hfActuation* a, int i, double velocity) {
  if (a->explicit_drives || hf_model_actuator_dyntype(a->model)[i] != HF_ACTIVATION_ERROR) return;
  a->rate[hf_model_actuator_actadr(a->model)[i]] = a->input[i] - (a->length[i] + a->h * velocity);
}

void hfi_actuation_collect(hfActuation* a, const double* v1) {
  for (int i = 0; i < a->model->nu; ++i) {
    double velocity = velocity_along(actuator_target(a, HFI_ROW_ACTUATOR, i, i), v1);
    a->force[i] = a->drive[i].f0 - a->drive[i].kappa * velocity;
    take_error_rate(a, i, velocity);
  }
  hfi_transmit_forces(a);
  hfi_target_collect(a, v1);
}
