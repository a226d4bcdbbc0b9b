// Kinetic and potential energy.
//
//   T = sum_l V_l . I_l V_l/2 + v^T armature v/2
//   U = -sum_b m_b g . c_b + sum of springs
//
// A joint spring of stiffness k rests at qpos_spring: k x^2/2 with x the distance along the manifold
// (angle for ball; distance and angle, both with k, for free). A tendon spring rests on the interval
// tendon_springlength: k x^2/2 with x the length outside it.
#include "dynamics/dynamics.h"
#include "model/path.h"

double hf_dynamics_kinetic_energy(const hfDynamics* d) {
  const double* armature = hf_model_dof_armature(d->model);
  const double* v = d->v;
  double twice = 0;
  for (int l = 1; l < d->nlink; ++l) twice += fo_dot(inertia_mul(&d->I[l], d->V[l]), d->V[l]);
  for (int i = 0; i < d->model->nv; ++i) twice += armature[i] * v[i] * v[i];
  for (int k = 0; k < d->narmature; ++k) {
    const hfiArmature* a = &d->armature[k];
    twice += (a->row == a->col ? 1 : 2) * a->value * v[a->row] * v[a->col];
  }
  return 0.5 * twice;
}

static double gravity_energy(const hfDynamics* d) {
  double sum = 0;
  for (int b = 1; b < d->model->nbody; ++b)
    sum -= hf_model_body_mass(d->model)[b] * v3_dot(d->gravity, hfi_body_com(d, b));
  return sum;
}

// Squared distance of a joint's coordinates from rest.
static double joint_stretch2(int type, const double* q, const double* rest) {
  double x[6] = {0};
  hfi_joint_difference(type, rest, q, 1, x);
  return v3_norm2(v3_load(x)) + v3_norm2(v3_load(x + 3));
}

static double joint_spring_energy(const hfModel* m, const double* q) {
  double sum = 0;
  for (int j = 0; j < m->njnt; ++j) {
    double k = hf_model_jnt_stiffness(m)[j];
    int adr = hf_model_jnt_qposadr(m)[j];
    if (k != 0) sum += 0.5 * k * joint_stretch2(hf_model_jnt_type(m)[j], q + adr, hf_model_qpos_spring(m) + adr);
  }
  return sum;
}

static double tendon_length(const hfDynamics* d, int tendon, const double* q) {
  const hfModel* m = d->model;
  if (hfi_tendon_is_spatial(m, tendon)) return hfi_path_length(m, d->X_WB, tendon);
  int start = hf_model_tendon_adr(m)[tendon], end = start + hf_model_tendon_num(m)[tendon];
  double length = 0;
  for (int w = start; w < end; ++w)
    length += hf_model_wrap_coef(m)[w] * q[hf_model_jnt_qposadr(m)[hf_model_wrap_obj(m)[w]]];
  return length;
}

static double tendon_spring_energy(const hfDynamics* d, const double* q) {
  const hfModel* m = d->model;
  double sum = 0;
  for (int t = 0; t < m->ntendon; ++t) {
    if (hf_model_tendon_stiffness(m)[t] == 0) continue;
    double length = tendon_length(d, t, q);
    const double* rest = hf_model_tendon_springlength(m) + 2 * t;
    double stretch = length - clamp(length, rest[0], rest[1]);
    sum += 0.5 * hf_model_tendon_stiffness(m)[t] * stretch * stretch;
  }
  return sum;
}

double hf_dynamics_potential_energy(const hfDynamics* d, const double* q) {
  double sum = gravity_energy(d);
  if (!d->model->world.disable_spring) sum += joint_spring_energy(d->model, q) + tendon_spring_energy(d, q);
  return sum;
}
