// Joints and bodies of a state by their names in the model.
#include <holdfast/state.h>

#include "base/error.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

// Id of the object, or a refusal that names it.
static int find_object(const hfModel* m, hfObjectKind kind, const char* name, hfError* error) {
  int id = name ? hf_model_find(m, kind, name) : -1;
  if (id >= 0) return id;
  return (int)hfi_refuse(error, HF_ERROR_ARGUMENT, "the model has no %s \"%s\"", hf_object_kind_name(kind),
                         name ? name : "");
}

static hfStatus check_sizes(const hfState* s, const hfModel* m, hfError* error) {
  if (s->nq == m->nq && s->nv == m->nv && s->na == m->na) return HF_OK;
  return hfi_refuse(error, HF_ERROR_ARGUMENT, "the state belongs to another model (nq %d nv %d, the model's are %d %d)",
                    s->nq, s->nv, m->nq, m->nv);
}

// Id of a joint of the state's model, or a refusal.
static int find_joint(const hfState* s, const hfModel* m, const char* joint, hfError* error) {
  hfStatus status = check_sizes(s, m, error);
  return status == HF_OK ? find_object(m, HF_OBJECT_JOINT, joint, error) : (int)status;
}

// q and v may be NULL.
hfStatus hf_state_get_joint(const hfState* s, const hfModel* m, const char* joint, double* q, double* v,
                            hfError* error) {
  hfi_clear_error(error);
  int j = find_joint(s, m, joint, error);
  if (j < 0) return (hfStatus)j;
  hfJointInfo info = hf_joint_info(hf_model_jnt_type(m)[j]);
  if (q) memcpy(q, hf_state_q(s) + hf_model_jnt_qposadr(m)[j], sizeof *q * (size_t)info.nq);
  if (v) memcpy(v, hf_state_v(s) + hf_model_jnt_dofadr(m)[j], sizeof *v * (size_t)info.nv);
  return HF_OK;
}

// Refuses numbers that are not finite. x may be NULL. `what` is what the message calls them.
static hfStatus check_finite(const double* x, int n, const char* what, const char* joint, hfError* error) {
  for (int i = 0; x && i < n; ++i)
    if (!isfinite(x[i]))
      return hfi_refuse(error, HF_ERROR_NONFINITE, "joint \"%s\": %s[%d] is not finite", joint, what, i);
  return HF_OK;
}

// Sets q and v (either may be NULL: it stays) of the joint with this name. Refuses numbers that are not finite.
hfStatus hf_state_set_joint(hfState* s, const hfModel* m, const char* joint, const double* q, const double* v,
                            hfError* error) {
  hfi_clear_error(error);
  int j = find_joint(s, m, joint, error);
  if (j < 0) return (hfStatus)j;

  hfJointInfo info = hf_joint_info(hf_model_jnt_type(m)[j]);
  int has_turn = q && info.quat >= 0; // info.quat: where the quaternion begins in the joint's q, or -1
  hfQuat turn = has_turn ? q_load(q + info.quat) : q_identity();
  hfStatus status = check_finite(q, info.nq, "q", joint, error);
  if (status == HF_OK) status = check_finite(v, info.nv, "v", joint, error);
  if (status != HF_OK) return status;
  if (!(turn.w * turn.w + turn.x * turn.x + turn.y * turn.y + turn.z * turn.z > 0))
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "joint \"%s\": the quaternion is zero", joint);

  double* coordinates = hf_state_mutable_q(s) + hf_model_jnt_qposadr(m)[j];
  if (q) memcpy(coordinates, q, sizeof *q * (size_t)info.nq);
  if (has_turn) q_store(coordinates + info.quat, q_unit(turn));
  if (v) memcpy(hf_state_mutable_v(s) + hf_model_jnt_dofadr(m)[j], v, sizeof *v * (size_t)info.nv);

  return HF_OK;
}

// Returns the free joint of a body, or refuses with the reason why it has none.
static int find_free_joint(const hfModel* m, const char* body, hfError* error) {
  int b = find_object(m, HF_OBJECT_BODY, body, error);
  if (b < 0) return b;

  int j = hf_model_body_jntadr(m)[b];
  if (j >= 0 && hf_model_jnt_type(m)[j] == HF_JOINT_FREE) return j;
  return (int)hfi_refuse(error, HF_ERROR_ARGUMENT,
                         hf_model_body_mocap(m)[b] >= 0 ? "body \"%s\" is a mocap body: its pose is in hfInput"
                                                        : "body \"%s\" has no free joint: set its joints instead",
                         body);
}

// By this much the products of the columns of a rotation may differ from 0 and 1: numbers of single precision, or with
// four digits, pass [-].
static const double ROTATION_TOLERANCE = 1e-3;

// Are its columns of unit length, perpendicular and right-handed?
static int is_rotation(hfMat3 R) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j <= i; ++j) {
      double product = v3_dot(m3_col(R, i), m3_col(R, j));
      if (!(fabs(product - (i == j)) <= ROTATION_TOLERANCE)) return 0;
    }
  return v3_dot(v3_cross(m3_col(R, 0), m3_col(R, 1)), m3_col(R, 2)) > 0;
}

static int is_pose_finite(const hfPose* X) {
  for (int i = 0; i < 9; ++i)
    if (!isfinite(X->R.m[i])) return 0;
  return v3_finite(X->p);
}

// Sets pose and velocity (either may be NULL: it stays) of the body with this name, which must have a free joint.
hfStatus hf_state_set_body(hfState* s, const hfModel* m, const char* body, const hfPose* X_WB, const hfMotion* V_WB,
                           hfError* error) {
  hfi_clear_error(error);
  hfStatus status = check_sizes(s, m, error);
  if (status != HF_OK) return status;

  int j = find_free_joint(m, body, error);
  if (j < 0) return (hfStatus)j;

  // a free joint has its angular velocity in the axes of the body
  double* q = hf_state_mutable_q(s) + hf_model_jnt_qposadr(m)[j];
  double* v = hf_state_mutable_v(s) + hf_model_jnt_dofadr(m)[j];
  hfQuat turn = X_WB ? q_from_m3(X_WB->R) : q_load(q + 3);
  hfVec3 w_B = V_WB ? m3_tmulv(m3_from_quat(turn), V_WB->w) : v3_zero();
  if ((X_WB && !is_pose_finite(X_WB)) || (V_WB && !(v3_finite(w_B) && v3_finite(V_WB->v))))
    return hfi_refuse(error, HF_ERROR_NONFINITE, "body \"%s\": its pose or velocity is not finite", body);
  if (X_WB && !is_rotation(X_WB->R))
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "body \"%s\": the matrix of its pose is no rotation", body);

  if (X_WB) {
    v3_store(q, X_WB->p);
    q_store(q + 3, turn);
  }

  if (V_WB) {
    v3_store(v, V_WB->v);
    v3_store(v + 3, w_B);
  }

  return HF_OK;
}
