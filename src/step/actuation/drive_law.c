// Drives by inverse dynamics (Shepherd, Zapolsky, Drumwright 2016; docs/theory/drives.md), for servos whose gain and
// bias define an aim: F = c + F_l l + F_v s, kp = -F_l, kd = -F_v.
//
//   constraint       the servo with infinite gain: at the end of the step l is at its rest c/kp, or, where kp = 0,
//                    s = c/kd
//                      F = clamp(-kappa (s - s0)),  s0 = (c/kp - l0)/h or c/kd,  h kappa = (2 pi/beta)^2/w
//   computed torque  gain and bias read as accelerations, with the rates u', u'' of the control:
//                      a = F(l0, s0) + kd u' + u''  (a = F + u' where kp = 0),  F = (M a + bias)/gear, held
//
//   beta hfSimConfig.near_rigid    w inverse inertia along l    joints without such a drive: a = 0
//   l0, s0 in computed torque: length and velocity at the start of the step; u control
//
// Velocity targets of the input (hfInput.velocity_target; Shepherd, Zapolsky, Drumwright Eq. 2-4) are rows of the same
// form without an actuator:
//
//   tau_i = clamp(-kappa_i (v_i - v_des,i), -b_i, b_i),   h kappa_i = (2 pi/beta)^2/w_i
//
//   v_des  velocity asked for at the end of the step     b  force limit
//   w      (M^-1)_ii                                     beta  hfSimConfig.near_rigid
//
// If the limits allow it, the target is met up to 1/(1 + h kappa w) of the difference that there would be without the
// row. If not, the force is exactly the limit, whatever contact does. The rows minimise sum_i h b_i |v_i - v_des,i|
// (Huber, rounded below b/kappa) on top of Gauss's principle: an exact penalty, so desired velocities that conflict
// with contact leave a solvable problem. docs/theory/drives.md
#include "step/actuation/inside.h"
#include "model/actuator.h"

#include <string.h>

// Whether actuator i acts by computed torque.
static int computes_torque(const hfActuation* a, int i) {
  return a->law[i] == HF_DRIVE_COMPUTED_TORQUE && hfi_actuator_acts(a->model, i);
}

// Whether actuator i acts on a hinge or slide.
static int acts_on_one_dof(const hfModel* m, int i) {
  if (hf_model_actuator_trntype(m)[i] != HF_TRANSMISSION_JOINT || hf_model_actuator_gear(m)[6 * i] == 0) return 0;
  return hfi_joint_is_scalar(hf_model_jnt_type(m)[hf_model_actuator_trnid(m)[2 * i]]);
}

// Gives all servos the law, except that computed torque needs a hinge or slide. Parameters are no longer fresh, because
// hfiServo depends on the law.
void hfi_actuation_drive_by(hfActuation* a, hfDriveLaw law) {
  const hfModel* m = a->model;
  for (int i = 0; i < m->nu; ++i) {
    int gain = hf_model_actuator_gaintype(m)[i];
    int bias = hf_model_actuator_biastype(m)[i];
    if (!hfi_is_servo(gain, bias, hf_model_actuator_biasprm(m) + 3 * i)) continue;
    if (law != HF_DRIVE_COMPUTED_TORQUE || acts_on_one_dof(m, i)) a->law[i] = law;
  }
  *a->fresh &= ~(uint32_t)HFI_FRESH_PARAMETERS;
}

// Returns the acceleration along actuator i that its gain and bias define. rate: first and second rate of its control,
// or NULL.
static double find_wanted_acceleration(const hfActuation* a, int i, const double* rate) {
  hfiAffine f = hfi_affine_force(a, i);
  double wanted = f.constant + f.length * a->length[i] + f.velocity * a->velocity[i];
  if (!rate) return wanted;

  if (f.length < 0) return wanted + (rate[1] - f.velocity * rate[0]); // a position servo
  return wanted + rate[0];
}

// Writes drives.torque = M a + bias, with the accelerations a that the drives want and zero for other dofs.
void hfi_compute_torques(hfActuation* a, const hfDynamics* d, const hfiActuationStep* step) {
  const hfModel* m = a->model;
  double* wanted = a->drives.wanted;
  double* torque = a->drives.torque;

  // mostly there is none
  int first = 0;
  while (first < m->nu && !computes_torque(a, first)) first++;
  if (first == m->nu) return;

  // the accelerations of the dofs: those along the actuators over their gears. Such an actuator acts on one dof, and
  // its only moment entry is its gear.
  memset(wanted, 0, sizeof *wanted * (size_t)m->nv);
  for (int i = first; i < m->nu; ++i) {
    if (!computes_torque(a, i)) continue;
    const double* rate = step->ctrl_rate ? step->ctrl_rate + 2 * i : NULL;
    int start = a->moments.start[i];
    wanted[a->moments.dof[start]] += find_wanted_acceleration(a, i, rate) / a->moments.entry[start];
  }

  hf_dynamics_multiply(d, wanted, torque);
  for (int i = 0; i < m->nv; ++i) torque[i] += d->c[i];
}

// Returns the drive of actuator i by the law of its computed torque or constraint, without bounds; zero if a constraint
// moves nothing or its gains are zero.
hfiDrive hfi_inverse_drive(hfActuation* a, const hfDynamics* d, int i, const hfiActuationStep* step) {
  int start = a->moments.start[i]; // first of the n moment entries of the actuator
  int n = a->moments.start[i + 1] - start;
  hfiDrive drive = {0, 0, 0, 0}; // f0, kappa, and bounds that the caller writes

  // computed torque
  if (computes_torque(a, i)) {
    drive.f0 = a->drives.torque[a->moments.dof[start]] / a->moments.entry[start];
    return drive;
  }

  // constraint
  hfiAffine f = hfi_affine_force(a, i);
  double w = hfi_inverse_mass(d, a->dense, n, a->moments.dof + start, a->moments.entry + start);
  if (!(w > 0) || !(f.length < 0 || f.velocity < 0)) return drive;

  // a position servo aims at its rest within the step, a velocity servo at its speed
  double s0 = f.length < 0 ? (f.constant / -f.length - a->length[i]) / step->h : f.constant / -f.velocity;
  drive.kappa = hfi_stiffest(step, w);
  drive.f0 = drive.kappa * s0;
  return drive;
}

// ---- velocity targets ---------------------------------------------------------------------------------

// Appends the row of the velocity target of a dof.
static void add_target(hfActuation* a, const hfDynamics* d, const hfiActuationStep* step, int32_t dof) {
  double limit = step->force_limit ? step->force_limit[dof] : INFINITY;
  double stiffest = hfi_stiffest(step, hfi_dof_inverse_mass(d, dof));
  hfSaturatedRow row = {step->velocity_target[dof], stiffest, -limit, limit};
  hfi_rows_append_scalar(&a->rows, (hfiRowOrigin){HFI_ROW_TARGET, dof}, row, dof, 1);
}

// Appends a row for each dof that has a target, and notes how many there are.
void hfi_target_rows(hfActuation* a, const hfDynamics* d, const hfiActuationStep* step) {
  int before = a->rows.nblock;
  for (int32_t i = 0, n = a->model->nv; i < n; ++i)
    if (!isnan(step->velocity_target[i])) add_target(a, d, step, i);
  a->notes.ntarget = a->rows.nblock - before;
}

// Computes target_force (nv) at the velocities v1 (nv) of the end of the step. Forces of dofs without a target are
// zero.
void hfi_target_collect(const hfActuation* a, const double* v1) {
  const hfiRows* rows = &a->rows;
  memset(a->target_force, 0, sizeof *a->target_force * (size_t)a->model->nv);
  for (int b = 0; a->notes.ntarget && b < rows->nblock; ++b)
    if (rows->origin[b].source == HFI_ROW_TARGET) hfi_rows_force(rows, b, v1, &a->target_force[rows->origin[b].id]);
}
