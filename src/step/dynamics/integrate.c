// Steps and differences on the configuration manifold.
//
//   q (+) h v:  coordinates move by h v; a unit quaternion becomes q exp(h w), w in the body
//   q1 (-) q0:  the same inverted, with the shortest rotation w h = log(q0^-1 q1), |w h| <= pi
#include "step/dynamics/inside.h"

// Turns the quaternion q (4) by h w, w in the body.
static void turn_quaternion(double* q, const double* w, double h) {
  q_store(q, q_unit(q_mul(q_load(q), q_exp(v3_scale(h, v3_load(w))))));
}

// Writes the rate w in the body that turns the quaternion q0 into q1 in time h.
static void find_rotation_rate(const double* q0, const double* q1, double h, double* w) {
  hfQuat relative = q_mul(q_conj(q_unit(q_load(q0))), q_unit(q_load(q1)));
  v3_store(w, v3_scale(1 / h, q_log(relative)));
}

// q <- q (+) h v for the coordinates q and rates v of one joint of this type.
void hfi_joint_integrate(int type, double* q, const double* v, double h) {
  const hfiJointKind* joint = &hfi_joint_kinds[type];
  int nplain = joint->nworld + joint->nchain;

  if (joint->info.nv == 1) { // most joints
    *q += h * *v;
    return;
  }

  for (int i = 0; i < nplain; ++i) q[i] += h * v[i];
  if (joint->nbody) turn_quaternion(q + nplain, v + nplain, h);
}

// q <- q (+) h v for all joints.
void hf_model_integrate(const hfModel* m, double* q, const double* v, double h) {
  for (int j = 0; j < m->njnt; ++j)
    hfi_joint_integrate(hf_model_jnt_type(m)[j], q + hf_model_jnt_qposadr(m)[j], v + hf_model_jnt_dofadr(m)[j], h);
}

// Writes the rates v with q1 = q0 (+) h v, for the coordinates of one joint of this type.
void hfi_joint_difference(int type, const double* q0, const double* q1, double h, double* v) {
  const hfiJointKind* joint = &hfi_joint_kinds[type];
  int nworld = joint->nworld;
  int nchain = joint->nchain;
  int quat = joint->info.quat;

  for (int i = 0; i < nworld; ++i) v[i] = 1 / h * (q1[i] - q0[i]);
  for (int i = nworld; i < nworld + nchain; ++i) v[i] = (q1[i] - q0[i]) / h;
  if (joint->nbody) find_rotation_rate(q0 + quat, q1 + quat, h, v + quat);
}

// Writes the rates v (nv) with q1 = q0 (+) h v, for all joints.
void hf_model_difference(const hfModel* m, const double* q0, const double* q1, double h, double* v) {
  for (int j = 0; j < m->njnt; ++j) {
    int adr = hf_model_jnt_qposadr(m)[j];
    hfi_joint_difference(hf_model_jnt_type(m)[j], q0 + adr, q1 + adr, h, v + hf_model_jnt_dofadr(m)[j]);
  }
}
