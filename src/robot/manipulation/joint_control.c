// Control of a chain by inverse dynamics, and external forces from joint torque sensors.
//
//   tau = M(q) (a + kp e + ki I + kd edot) + c(q, v) + D v                            control
//   J^T w = M(q) vdot + c(q, v) + D v' - tau                                          sensing
//
//   c   weight and velocity terms      D   the model's joint damping, implicit in a step: v' = v + h vdot there
//   w   wrench on the tip. Least squares: w = (J J^T + lambda^2)^-1 J tau_ext, rows in metres as in ik.c
#include "robot/manipulation/arm.h"

#include "linalg/dense.h"
#include <string.h>

// Computes arm->tau = M vdot + c at (q, v) for the accelerations arm->vdot.
static void invert(hfArm* arm, const double* q_world, const double* v_world) {
  hf_arm_set(arm, q_world);
  hf_dynamics_inverse(arm->dynamics, v_world, arm->vdot, NULL, arm->tau);
}

// Computes the control tau [N m or N] of every joint, within its effort. Advances `integral`, if there is one, by h e.
// Returns the number of joints at their limit of effort.
int hf_arm_torque(hfArm* arm, const double* q_world, const double* v_world,
                  const hfSetpoint* wanted, const hfGains* gains, double h, double* integral,
                  double* tau) {
  const double* damping = hf_model_dof_damping(arm->model);

  // the wanted acceleration with the feedback
  memset(arm->vdot, 0, sizeof *arm->vdot * (size_t)arm->model->nv);
  for (int i = 0; i < arm->n; ++i) {
    const hfiArmJoint* joint = &arm->joint[i];
    double sum = integral ? integral[i] : 0;
    arm->vdot[joint->dofadr] = wanted[i].a + hf_pid(&gains[i], wanted[i], q_world[joint->qposadr],
                                                v_world[joint->dofadr], h, &sum);
  }
  invert(arm, q_world, v_world);

  // within the efforts
  int limited = 0;
  for (int i = 0; i < arm->n; ++i) {
    const hfiArmJoint* joint = &arm->joint[i];
    double asked = arm->tau[joint->dofadr] + damping[joint->dofadr] * v_world[joint->dofadr];
    tau[i] = clamp(asked, -joint->effort, joint->effort);
    limited += tau[i] != asked;

    // the integral does not grow at the limit
    double e = wanted[i].q - q_world[joint->qposadr];
    if (integral && (tau[i] == asked || e * asked < 0)) integral[i] += h * e;
  }
  return limited;
}

// Writes the torques tau to the input: to a joint's motor if it has one, else as a force on its dof.
void hf_arm_apply(const hfArm* arm, const double* tau, hfInput* input) {
  for (int i = 0; i < arm->n; ++i) {
    const hfiArmJoint* joint = &arm->joint[i];
    if (joint->motor >= 0) input->ctrl[joint->motor] = tau[i] / joint->gain;
    else input->force[joint->dofadr] = tau[i];
  }
}

// Computes the torque tau [N m or N] of the actuators on each joint, as a sensor at the joint measures it.
void hf_arm_sensed_torque(const hfArm* arm, const hfSim* sim, double* tau) {
  const hfModel* model = arm->model;
  const double* force = hf_sim_actuator_force(sim);

  for (int i = 0; i < arm->n; ++i) {
    tau[i] = 0;
    for (int k = 0; k < model->nu; ++k) {
      int trn = hf_model_actuator_trntype(model)[k];
      int on_joint = trn == HF_TRANSMISSION_JOINT || trn == HF_TRANSMISSION_JOINT_IN_PARENT;
      if (on_joint && hf_model_actuator_trnid(model)[2 * k] == arm->joint[i].joint)
        tau[i] += hf_model_actuator_gear(model)[6 * k] * force[k];
    }
  }
}

// Computes the external torques [N m or N] on the joints.
// Reads the sensed torques tau and the accelerations vdot of a step of h [s].
void hf_arm_external(hfArm* arm, const double* q_world, const double* v_world, const double* vdot,
                     const double* tau, double h, double* external) {
  const hfModel* model = arm->model;
  memcpy(arm->vdot, vdot, sizeof *vdot * (size_t)model->nv);
  invert(arm, q_world, v_world);

  for (int i = 0; i < arm->n; ++i) {
    int k = arm->joint[i].dofadr;
    external[i] = arm->tau[k] + hf_model_dof_damping(model)[k] * (v_world[k] + h * vdot[k]) - tau[i];
  }
}

// Returns the wrench on the tip, in world axes, whose joint torques are nearest to `external` (n), or zero if A has no
// factor. length [m] and damping (lambda) as in ik.c.
hfForce hf_arm_wrench(hfArm* arm, const double* external, double length, double damping) {
  double A[36];
  double b[6];
  int n = arm->n;
  hfi_arm_weigh(arm, length);

  // A = J J^T + lambda^2, b = J tau_ext
  for (int r = 0; r < 6; ++r) {
    b[r] = hfi_dot(arm->Jw + r * n, external, n);
    for (int k = 0; k < 6; ++k)
      A[6 * r + k] = hfi_dot(arm->Jw + r * n, arm->Jw + k * n, n) + (r == k ? sqr(damping) : 0);
  }

  hfForce w = fo_zero();
  if (hfi_cholesky(A, 6, 6) != 0) return w;
  hfi_cholesky_solve(A, 6, 6, b);

  // the rows of rotation were multiplied by the length, so the torques are the solution times it
  w.n = v3_scale(length, v3_load(b));
  w.f = v3_load(b + 3);
  return w;
}
