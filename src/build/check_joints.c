// Joints of one body that move it in the same way, at any configuration: a hinge and a ball at one anchor, two hinges on one axis,
// a fourth slide. The mass matrix is then singular, because a motion of these joints against each other moves nothing.
//
// With the twists S_i of the dofs of one body, M has a zero direction z among them where sum z_i S_i = 0 and no armature acts on it, sum a_i z_i^2 =
// 0. That is linear dependence of the columns (S_i, e_i where a_i > 0). Axes may be dependent at a single configuration, as in a locked gimbal. So
// joints are refused only if they are dependent at several configurations.
#include "build/finish.h"

#include "model/joint.h"
#include "model/object.h"

#include <math.h>
#include <string.h>

enum { MAX_DOFS = 12, COLUMN = 6 + MAX_DOFS, CONFIGURATIONS = 3 };
static const double DEPENDENT = 1e-9; // Columns are dependent if less than this share of one is left after the parts along the others are taken away [-].

// Irregular coordinates of dofs at configuration c; zero at the first configuration [m or rad].
static double displacement(int c, int dof) { return c == 0 ? 0 : sin(37.1 * c + 11.3 * dof + 1); }

// The displacement of joint j at configuration c, in the frame of the body.
static hfPose displace(const hfModel* m, int j, int c) {
  hfVec3 axis = v3_load(hf_model_jnt_axis(m) + 3 * j), p = v3_load(hf_model_jnt_pos(m) + 3 * j);
  int type = hf_model_jnt_type(m)[j], dof = hf_model_jnt_dofadr(m)[j];
  hfPose X = pose_identity();
  if (type == HF_JOINT_BALL) axis = v3(displacement(c, dof), displacement(c, dof + 1), displacement(c, dof + 2));
  else axis = v3_scale(displacement(c, dof), axis);
  if (type == HF_JOINT_SLIDE) X.p = axis;
  if (type != HF_JOINT_BALL && type != HF_JOINT_HINGE && type != HF_JOINT_SCREW) return X;
  X.R = m3_from_quat(q_exp(axis));
  X.p = v3_sub(p, m3_mulv(X.R, p));
  if (type == HF_JOINT_SCREW) X.p = v3_axpy(hf_model_jnt_pitch(m)[j], axis, X.p);
  return X;
}

// Subtracts from column k its parts along the columns before. Returns the share of its length that is left.
static double orthogonalise(double (*S)[COLUMN], int k) {
  double before = 0, after = 0;
  for (int r = 0; r < COLUMN; ++r) before += S[k][r] * S[k][r];
  for (int twice = 0; twice < 2; ++twice)
    for (int i = 0; i < k; ++i) {
      double dot = 0;
      for (int r = 0; r < COLUMN; ++r) dot += S[i][r] * S[k][r];
      for (int r = 0; r < COLUMN; ++r) S[k][r] -= dot * S[i][r];
    }
  for (int r = 0; r < COLUMN; ++r) after += S[k][r] * S[k][r];
  for (int r = 0; after > 0 && r < COLUMN; ++r) S[k][r] /= sqrt(after);
  return before > 0 ? sqrt(after / before) : 0;
}

// The first joint of body b that moves it in the same way as joints before it, at configuration c; -1 if there is none.
static int find_dependent(const hfModel* m, int b, int c) {
  double S[MAX_DOFS][COLUMN];
  hfPose X = pose_identity();
  int first = hf_model_body_jntadr(m)[b], n = 0;
  memset(S, 0, sizeof S);
  for (int j = first; j < first + hf_model_body_jntnum(m)[b]; ++j) {
    const hfiJointKind* joint = &hfi_joint_kinds[hf_model_jnt_type(m)[j]];
    for (int k = 0; k < hfi_joint_nv(hf_model_jnt_type(m)[j]); ++k, ++n) {
      if (n == MAX_DOFS) return -1; // Nobody writes so many.
      hfMotion V = joint->reference_axis(&X, v3_load(hf_model_jnt_axis(m) + 3 * j), v3_load(hf_model_jnt_pos(m) + 3 * j),
                                         hf_model_jnt_pitch(m)[j], k);
      v3_store(S[n], V.w), v3_store(S[n] + 3, V.v);
      S[n][6 + n] = hf_model_dof_armature(m)[hf_model_jnt_dofadr(m)[j] + k] > 0;
      if (orthogonalise(S, n) < DEPENDENT) return j;
    }
    X = pose_mul(X, displace(m, j, c));
  }
  return -1;
}

hfStatus hfi_check_joints(const hfiFinish* f, hfError* error) {
  const hfModel* m = f->m;
  for (int b = 1; b < m->nbody; ++b) {
    int j = hf_model_body_jntnum(m)[b] > 1 ? find_dependent(m, b, 0) : -1;
    for (int c = 1; c < CONFIGURATIONS && j >= 0; ++c) j = find_dependent(m, b, c);
    if (j < 0) continue;
    const hfJointDef* def = &f->b->joint.data[f->order.joint_of[j]];
    return hfi_refuse_def(error, def->where, HF_OBJECT_JOINT, def->name,
                          "it moves %s as the joints before it there do (the first is %s), so that the mass matrix is singular; "
                          "take one of them away, or give them armature",
                          hfi_model_label(m, HF_OBJECT_BODY, b).text,
                          hfi_model_label(m, HF_OBJECT_JOINT, hf_model_body_jntadr(m)[b]).text);
  }
  return HF_OK;
}
