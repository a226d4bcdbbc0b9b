// Joints of one body that move it in the same way, at any configuration: a hinge and a ball at one anchor, two hinges
// on one axis, a fourth slide. The mass matrix is then singular, because a motion of these joints against each other
// moves nothing.
//
// With the twists S_i of the dofs of one body, M has a zero direction z among them where sum z_i S_i = 0 and no
// armature acts on it, sum a_i z_i^2 = 0. That is linear dependence of the columns (S_i, e_i where a_i > 0). Axes may
// be dependent at a single configuration, as in a locked gimbal. So joints are refused only if they are dependent at
// several configurations.
#include "build/inside.h"

#include "base/error.h"
#include "math/sine.h"

#include <string.h>

// Bodies with more dofs are not checked.
enum { CHECKED_DOFS = 12 };
// Numbers of a column: a twist, and a row for the armature of each dof.
enum { COLUMN_NUMBERS = 6 + CHECKED_DOFS };
// Dependent joints must be so at each of so many configurations.
enum { TRIED_CONFIGURATIONS = 3 };
// Columns are dependent if less than this share of one is left after the parts along the others are taken away [-].
static const double DEPENDENT_SHARE = 1e-9;

// Irregular coordinates of dofs at configuration c; zero at the first configuration [m or rad].
static double displacement(int c, int dof) { return c == 0 ? 0 : hfi_sine(37.1 * c + 11.3 * dof + 1).sin; }

// Returns the displacement of joint j at configuration c, in the frame of the body.
static hfPose displace(const hfModel* m, int j, int c) {
  hfVec3 axis = v3_load(hf_model_jnt_axis(m) + 3 * j);
  hfVec3 anchor = v3_load(hf_model_jnt_pos(m) + 3 * j);
  int type = hf_model_jnt_type(m)[j];
  int dof = hf_model_jnt_dofadr(m)[j];

  // rotation vector, or for a slide the way
  hfVec3 x = v3_scale(displacement(c, dof), axis);
  if (type == HF_JOINT_BALL) x = v3(displacement(c, dof), displacement(c, dof + 1), displacement(c, dof + 2));

  hfPose X = pose_identity();
  if (type == HF_JOINT_SLIDE) X.p = x;
  if (type != HF_JOINT_BALL && type != HF_JOINT_HINGE && type != HF_JOINT_SCREW) return X;

  X.R = m3_from_quat(q_exp(x));
  X.p = v3_sub(anchor, m3_mulv(X.R, anchor));
  if (type == HF_JOINT_SCREW) X.p = v3_axpy(hf_model_jnt_pitch(m)[j], x, X.p);
  return X;
}

static double dot_columns(const double* a, const double* b) {
  double sum = 0;
  for (int r = 0; r < COLUMN_NUMBERS; ++r) sum += a[r] * b[r];
  return sum;
}

// Subtracts from column k its parts along the columns before, and gives it unit length. Returns the share of its length
// that was left.
static double orthogonalise(double (*S)[COLUMN_NUMBERS], int k) {
  double before = dot_columns(S[k], S[k]);
  for (int twice = 0; twice < 2; ++twice)
    for (int i = 0; i < k; ++i) {
      double dot = dot_columns(S[i], S[k]);
      for (int r = 0; r < COLUMN_NUMBERS; ++r) S[k][r] -= dot * S[i][r];
    }

  double after = dot_columns(S[k], S[k]);
  for (int r = 0; after > 0 && r < COLUMN_NUMBERS; ++r) S[k][r] /= sqrt(after);
  return before > 0 ? sqrt(after / before) : 0;
}

// Returns the first joint of body b that moves it in the same way as joints before it, at configuration c; -1 if there
// is none, or more dofs than are checked.
static int find_dependent(const hfModel* m, int b, int c) {
  double S[CHECKED_DOFS][COLUMN_NUMBERS];
  memset(S, 0, sizeof S);
  hfPose X = pose_identity();
  int first = hf_model_body_jntadr(m)[b];
  int n = 0;

  for (int j = first; j < first + hf_model_body_jntnum(m)[b]; ++j) {
    const hfiJointKind* joint = &hfi_joint_kinds[hf_model_jnt_type(m)[j]];
    hfVec3 axis = v3_load(hf_model_jnt_axis(m) + 3 * j);
    hfVec3 anchor = v3_load(hf_model_jnt_pos(m) + 3 * j);
    // a row (w, v of the dof, then e_n if armature acts) for each dof; what its part along the rows before leaves says
    // whether it is new
    for (int k = 0; k < joint->info.nv; ++k, ++n) {
      if (n == CHECKED_DOFS) return -1;
      hfMotion V = joint->reference_axis(&X, axis, anchor, hf_model_jnt_pitch(m)[j], k);
      v3_store(S[n], V.w);
      v3_store(S[n] + 3, V.v);
      S[n][6 + n] = hf_model_dof_armature(m)[hf_model_jnt_dofadr(m)[j] + k] > 0;
      if (orthogonalise(S, n) < DEPENDENT_SHARE) return j;
    }

    // the joints behind it move with it
    X = pose_mul(X, displace(m, j, c));
  }

  return -1;
}

// Refuses the first joint of a body that moves it as the joints before it do, by its name.
hfStatus hfi_check_joints(const hfiFinish* f, hfError* error) {
  const hfModel* m = f->m;
  for (int b = 1; b < m->nbody; ++b) {
    int j = hf_model_body_jntnum(m)[b] > 1 ? find_dependent(m, b, 0) : -1;
    for (int c = 1; c < TRIED_CONFIGURATIONS && j >= 0; ++c) j = find_dependent(m, b, c);
    if (j < 0) continue;

    const hfJointDef* d = hfi_finish_def(f, HF_OBJECT_JOINT, j);
    return HFI_REFUSE(d, HF_OBJECT_JOINT,
                      "it moves %s as the joints before it there do (the first is %s), so that the mass matrix is "
                      "singular; take one of them away, or give them armature",
                      hfi_model_label(m, HF_OBJECT_BODY, b).text,
                      hfi_model_label(m, HF_OBJECT_JOINT, hf_model_body_jntadr(m)[b]).text);
  }

  return HF_OK;
}
