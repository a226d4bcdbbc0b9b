// Arms: finds the chain of joints that moves the tip, and computes its forward kinematics.
//
//   X_WT = X_W,link(q) X_link,T        by the model's own recursion (step/dynamics/fk.c)
//   V_WT = J(q) qdot                    J: the chain's columns of the tip's Jacobian
#include "robot/manipulation/arm.h"

#include "base/object.h"
#include "model/joint.h"
#include "model/object.h"
#include <assert.h>
#include <string.h>

// Returns the last body above the chain: the parent of `base`, or the world if base < 0.
// Returns -1 if the tip is not on the base.
static int find_root(const hfModel* model, int tip_body, int base) {
  if (base < 0) return 0;
  for (int b = tip_body; b > 0; b = hf_model_body_parent(model)[b])
    if (b == base) return hf_model_body_parent(model)[b];
  return -1;
}

// Is the actuator a motor of joint j: is its force its control times a constant that is not zero?
static int is_motor(const hfModel* model, int actuator, int j) {
  int trn = hf_model_actuator_trntype(model)[actuator];
  int is_on_joint = trn == HF_TRANSMISSION_JOINT || trn == HF_TRANSMISSION_JOINT_IN_PARENT;
  if (!is_on_joint || hf_model_actuator_trnid(model)[2 * actuator] != j) return 0;

  int has_constant_gain = hf_model_actuator_dyntype(model)[actuator] == HF_ACTIVATION_NONE &&
                          hf_model_actuator_gaintype(model)[actuator] == HF_GAIN_FIXED &&
                          hf_model_actuator_biastype(model)[actuator] == HF_BIAS_NONE;
  double gain = hf_model_actuator_gear(model)[6 * actuator] * hf_model_actuator_gainprm(model)[3 * actuator];
  return has_constant_gain && gain != 0;
}

// Returns the effort that a range allows in both directions, multiplied by |scale|.
static double smaller_side(const double* range, double scale) {
  return fabs(scale) * max2(0, min2(-range[0], range[1]));
}

// Sets motor, gain and effort of a joint. Its effort is the least of the limits of joint, control and force.
static void find_motor(const hfModel* model, hfiArmJoint* joint) {
  joint->motor = -1;
  joint->effort = INFINITY;
  for (int i = 0; i < model->nu && joint->motor < 0; ++i)
    if (is_motor(model, i, joint->joint)) joint->motor = i;

  if (hf_model_jnt_actfrclimited(model)[joint->joint])
    joint->effort = smaller_side(hf_model_jnt_actfrcrange(model) + 2 * joint->joint, 1);
  if (joint->motor < 0) return;

  // limits of control and force
  double gear = hf_model_actuator_gear(model)[6 * joint->motor];
  joint->gain = gear * hf_model_actuator_gainprm(model)[3 * joint->motor];
  if (hf_model_actuator_ctrllimited(model)[joint->motor] && !model->world.disable_clamp_control)
    joint->effort =
        min2(joint->effort, smaller_side(hf_model_actuator_ctrlrange(model) + 2 * joint->motor, joint->gain));
  if (hf_model_actuator_forcelimited(model)[joint->motor])
    joint->effort = min2(joint->effort, smaller_side(hf_model_actuator_forcerange(model) + 2 * joint->motor, gear));
}

// Describes joint j of the model in *a.
static void describe_joint(const hfModel* model, int j, hfiArmJoint* joint) {
  int limited = hf_model_jnt_limited(model)[j];
  joint->joint = j;
  joint->qposadr = hf_model_jnt_qposadr(model)[j];
  joint->dofadr = hf_model_jnt_dofadr(model)[j];
  joint->lo = limited ? hf_model_jnt_range(model)[2 * j] : -INFINITY;
  joint->hi = limited ? hf_model_jnt_range(model)[2 * j + 1] : INFINITY;
  find_motor(model, joint);
}

// Describes the joints of the arm, from the tip inwards, so that the last place is filled first.
// Refuses a joint of several dofs.
static hfStatus describe_chain(hfArm* arm, int root, hfError* error) {
  const hfModel* model = arm->model;
  int i = arm->n;

  for (int b = arm->tip_body; b != root; b = hf_model_body_parent(model)[b])
    for (int k = hf_model_body_jntnum(model)[b] - 1; k >= 0; --k) {
      int j = hf_model_body_jntadr(model)[b] + k;
      if (!hfi_joint_is_scalar(hf_model_jnt_type(model)[j]))
        return hfi_refuse(error, HF_ERROR_UNSUPPORTED,
                          "%s of %s: an arm can have only hinges and slides; name a base between it and the tip",
                          hfi_model_label(model, HF_OBJECT_JOINT, j).text,
                          hfi_model_label(model, HF_OBJECT_BODY, b).text);
      describe_joint(model, j, &arm->joint[--i]);
    }
  return HF_OK;
}

// Takes the arrays of an arm, whose n and model are set.
static void take_arrays(void* object, hfiArena* arena) {
  hfArm* arm = object;
  size_t n = (size_t)arm->n;
  size_t nv = (size_t)arm->model->nv;

  // the chain and its dynamics
  arm->joint = HFI_TAKE(arena, hfiArmJoint, n);
  arm->q_world = HFI_TAKE(arena, double, arm->model->nq);
  arm->J = HFI_TAKE(arena, double, 6 * nv);
  arm->vdot = HFI_TAKE(arena, double, nv);
  arm->tau = HFI_TAKE(arena, double, nv);

  // inverse kinematics
  arm->Jw = HFI_TAKE(arena, double, 6 * n);
  arm->H = HFI_TAKE(arena, double, n * n);
  arm->U = HFI_TAKE(arena, double, n * n);
  HFI_TAKE_EACH(arena, double, n, &arm->g, &arm->x, &arm->y, &arm->lo, &arm->hi, &arm->wish, &arm->best, &arm->trial);
  arm->held = HFI_TAKE(arena, int32_t, n);
  arm->index = HFI_TAKE(arena, int32_t, n);
}

// Finds the tip, the body *root above the base, and the number of joints between them. Refuses names that are unknown.
static hfStatus find_ends(hfArm* plan, const char* tip, const char* base, int* root, hfError* error) {
  const hfModel* model = plan->model;

  // the tip is a site or a body
  plan->tip_site = hf_model_find(model, HF_OBJECT_SITE, tip);
  if (plan->tip_site >= 0) plan->tip_body = hf_model_site_body(model)[plan->tip_site];
  else plan->tip_body = hf_model_find(model, HF_OBJECT_BODY, tip);
  if (plan->tip_body < 0)
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "tip \"%s\": no site or body has this name", tip);

  // the bodies between tip and base
  int body = base ? hf_model_find(model, HF_OBJECT_BODY, base) : -1;
  if (base && body < 0) return hfi_refuse(error, HF_ERROR_ARGUMENT, "base \"%s\": no body has this name", base);
  *root = find_root(model, plan->tip_body, body);
  if (*root < 0) return hfi_refuse(error, HF_ERROR_ARGUMENT, "base \"%s\": the tip \"%s\" is not on it", base, tip);

  plan->n = 0;
  for (int b = plan->tip_body; b != *root; b = hf_model_body_parent(model)[b])
    plan->n += hf_model_body_jntnum(model)[b];
  if (plan->n == 0) return hfi_refuse(error, HF_ERROR_ARGUMENT, "tip \"%s\": no joint moves it", tip);
  return HF_OK;
}

// Creates the arm from `base` (NULL: the world) to `tip` at the model's reference position.
// *out is written on success only.
hfStatus hf_arm_create(hfArm** out, const hfModel* model, const char* tip, const char* base, hfError* error) {
  hfi_clear_error(error);
  hfArm plan = {.model = model};
  int root = 0;
  hfStatus status = find_ends(&plan, tip, base, &root, error);
  if (status < 0) return status;

  hfArm* arm = hfi_object_create(&plan, sizeof plan, take_arrays, NULL, "an arm", error);
  if (!arm) return HF_ERROR_MEMORY;

  status = describe_chain(arm, root, error);
  if (status >= 0) status = hf_dynamics_create(&arm->dynamics, model, error);
  if (status < 0) {
    hf_arm_free(arm);
    return status;
  }

  hf_arm_set(arm, hf_model_qpos0(model));
  *out = arm;
  return HF_OK;
}

void hf_arm_free(hfArm* arm) {
  if (!arm) return;
  hf_dynamics_free(arm->dynamics);
  hfi_release(arm);
}

int hf_arm_size(const hfArm* arm) { return arm->n; }
int hf_arm_joint(const hfArm* arm, int i) {
  assert(i >= 0 && i < arm->n);
  return arm->joint[i].joint;
}
double hf_arm_effort(const hfArm* arm, int i) {
  assert(i >= 0 && i < arm->n);
  return arm->joint[i].effort;
}

// Copies the chain's coordinates from the coordinates of the world.
void hf_arm_positions(const hfArm* arm, const double* q_world, double* q) {
  for (int i = 0; i < arm->n; ++i) q[i] = q_world[arm->joint[i].qposadr];
}
void hf_arm_velocities(const hfArm* arm, const double* v_world, double* v) {
  for (int i = 0; i < arm->n; ++i) v[i] = v_world[arm->joint[i].dofadr];
}

// Computes the kinematics at coordinates of the whole world.
void hf_arm_set(hfArm* arm, const double* q_world) {
  memcpy(arm->q_world, q_world, sizeof *q_world * (size_t)arm->model->nq);
  hf_dynamics_set_position(arm->dynamics, arm->q_world, NULL);
}
// Computes the kinematics where only the chain has moved, to q.
void hf_arm_move(hfArm* arm, const double* q) {
  for (int i = 0; i < arm->n; ++i) arm->q_world[arm->joint[i].qposadr] = q[i];
  hf_dynamics_set_position(arm->dynamics, arm->q_world, NULL);
}

// Returns the pose of the tip in the world.
hfPose hf_arm_pose(const hfArm* arm) {
  return arm->tip_site >= 0 ? hf_dynamics_site_pose(arm->dynamics, arm->tip_site)
                            : hf_dynamics_body_pose(arm->dynamics, arm->tip_body);
}

// Computes J (6 x n), the chain's columns of the tip's Jacobian.
void hf_arm_jacobian(const hfArm* arm, double* J) {
  int nv = arm->model->nv;
  hf_dynamics_jacobian(arm->dynamics, arm->tip_body, hf_arm_pose(arm).p, arm->J);

  for (int r = 0; r < 6; ++r)
    for (int i = 0; i < arm->n; ++i) J[r * arm->n + i] = arm->J[r * nv + arm->joint[i].dofadr];
}
