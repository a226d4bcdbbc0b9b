// Sums over all bodies: centre of mass, momentum, energy, gravity compensation.
//
//   c    = sum m_b c_b/sum m_b over a subtree; a subtree without mass has its body's origin for a centre
//   p    = sum m v_c
//   L_P  = sum_l n_l + (O - P) x f_l,   (n_l, f_l) = I_l V_l about O; armature has no direction and does not count
//   T    = sum_l V_l . I_l V_l/2 + v^T armature v/2
//   U    = -sum_b m_b g . c_b + sum of springs
//   tau  = -sum_b gravcomp_b m_b J_cb^T g, which carries the share body_gravcomp of each weight
//
// A joint spring of stiffness k rests at qpos_spring, or where it has yielded to: k x^2/2, and terms of third and
// fourth degree where its polynomial has them, with x the distance along the manifold (angle for ball; distance and
// angle, both with k, for free). A tendon spring rests on the interval tendon_springlength: k x^2/2 with x the length
// outside it.
#include "step/dynamics/inside.h"

#include "model/spring.h"
#include "model/path.h"

#include <assert.h>
#include <string.h>

// ---- centre of mass and momentum ------------------------------------------------------------------------

// Returns the centre of mass of a body and everything that it carries, in the world [m].
hfVec3 hf_dynamics_com(const hfDynamics* d, int body) {
  assert(body >= 0 && body < d->model->nbody);
  const double* mass = hf_model_body_mass(d->model);
  int end = hf_model_body_subtreeend(d->model)[body];

  double total = 0;
  hfVec3 moment = v3_zero();

  for (int b = body; b < end; ++b) {
    total += mass[b];
    moment = v3_axpy(mass[b], hfi_body_com(d, b), moment);
  }

  return total > 0 ? v3_scale(1 / total, moment) : d->X_WB[body].p;
}

// Writes the linear momentum of all bodies and the angular momentum about a point of the world.
void hf_dynamics_momentum(const hfDynamics* d, hfVec3 about_W, hfVec3* linear, hfVec3* angular) {
  hfForce sum = fo_zero();
  for (int l = 1; l < d->nlink; ++l) {
    hfForce p = inertia_mul(&d->mass.I[l], d->V[l]);
    p.n = v3_add(p.n, v3_cross(v3_sub(hfi_link_reference(d, l), about_W), p.f));
    sum = fo_add(sum, p);
  }

  *linear = sum.f;
  *angular = sum.n;
}

// ---- energy ---------------------------------------------------------------------------------------------

// Returns the kinetic energy of all links and of armature at the velocities in d [J].
double hf_dynamics_kinetic_energy(const hfDynamics* d) {
  const double* armature = hf_model_dof_armature(d->model);
  const double* v = d->v;
  double twice_energy = 0;

  for (int l = 1; l < d->nlink; ++l) twice_energy += fo_dot(inertia_mul(&d->mass.I[l], d->V[l]), d->V[l]);
  for (int i = 0; i < d->model->nv; ++i) twice_energy += armature[i] * v[i] * v[i];

  for (int k = 0; k < d->mass.narmature; ++k) {
    const hfiArmature* a = &d->mass.armature[k];
    twice_energy += (a->row == a->col ? 1 : 2) * a->value * v[a->row] * v[a->col];
  }

  return 0.5 * twice_energy;
}

static double gravity_energy(const hfDynamics* d) {
  double sum = 0;
  for (int b = 1; b < d->model->nbody; ++b)
    sum -= hf_model_body_mass(d->model)[b] * v3_dot(d->gravity, hfi_body_com(d, b));
  return sum;
}

// Returns the energy of joint j's spring at q (nq) [J]. Translation and rotation of a free joint are separate springs.
static double spring_energy(const hfDynamics* d, int j, const double* q) {
  const hfModel* m = d->model;
  int type = hf_model_jnt_type(m)[j];
  int adr = hf_model_jnt_qposadr(m)[j];
  double k = hf_model_jnt_stiffness(m)[j];
  const double* poly = hf_model_jnt_stiffness_poly(m) + 2 * j;
  double x[6] = {0};

  hfi_joint_difference(type, hfi_rest_positions(d) + adr, q + adr, 1, x);
  if (hfi_joint_is_scalar(type)) return hfi_polynomial_energy(k, poly, x[0]);
  return hfi_polynomial_energy(k, poly, v3_norm(v3_load(x))) + hfi_polynomial_energy(k, poly, v3_norm(v3_load(x + 3)));
}

// Returns the energy of joint j, which bends; q (4): its quaternion [J].
static double bend_energy(const hfModel* m, int j, const double* q) {
  hfQuat turn;
  hfVec3 x = hfi_bend_of(m, j, q, &turn);
  return 0.5 * v3_dot(x, v3_mul(v3_load(hf_model_jnt_bend(m) + 3 * j), x));
}

// Returns the energy of the springs of all joints at q (nq) [J].
static double joint_spring_energy(const hfDynamics* d, const double* q) {
  const hfModel* m = d->model;
  double sum = 0;

  for (int j = 0; j < m->njnt; ++j) {
    const double* poly = hf_model_jnt_stiffness_poly(m) + 2 * j;
    if (hf_model_jnt_stiffness(m)[j] != 0 || poly[0] != 0 || poly[1] != 0) sum += spring_energy(d, j, q);
    if (hfi_joint_bends(m, j)) sum += bend_energy(m, j, q + hf_model_jnt_qposadr(m)[j]);
  }

  return sum;
}

// Returns the length of a tendon at q (nq) [m or rad]. The bodies must be placed at q if its path is spatial.
double hfi_tendon_length(const hfDynamics* d, int tendon, const double* q) {
  const hfModel* m = d->model;
  if (hfi_tendon_is_spatial(m, tendon)) return hfi_path_length(m, d->X_WB, tendon);

  int start = hf_model_tendon_adr(m)[tendon];
  int end = start + hf_model_tendon_num(m)[tendon];
  double length = 0;
  for (int w = start; w < end; ++w)
    length += hf_model_wrap_coef(m)[w] * q[hf_model_jnt_qposadr(m)[hf_model_wrap_obj(m)[w]]];
  return length;
}

// Returns the energy of the springs of all tendons at q (nq) [J].
static double tendon_spring_energy(const hfDynamics* d, const double* q) {
  const hfModel* m = d->model;
  double sum = 0;

  for (int t = 0; t < m->ntendon; ++t) {
    const double* poly = hf_model_tendon_stiffness_poly(m) + 2 * t;
    if (hf_model_tendon_stiffness(m)[t] == 0 && poly[0] == 0 && poly[1] == 0) continue;

    double length = hfi_tendon_length(d, t, q);
    const double* rest = hfi_rest_lengths(d, t);
    double stretch = length - clamp(length, rest[0], rest[1]);
    sum += hfi_polynomial_energy(hf_model_tendon_stiffness(m)[t], poly, stretch);
  }

  return sum;
}

// Returns the energy of gravity and of the springs that the world does not disable, at q (nq) [J].
double hf_dynamics_potential_energy(const hfDynamics* d, const double* q) {
  double sum = gravity_energy(d);
  if (!d->model->world.disable_spring) sum += joint_spring_energy(d, q) + tendon_spring_energy(d, q);
  return sum;
}

// ---- gravity compensation -------------------------------------------------------------------------------

// Writes the forces tau (nv) that carry the compensated share of each weight.
void hf_dynamics_gravity_compensation(const hfDynamics* d, double* tau) {
  const hfModel* m = d->model;
  memset(tau, 0, (size_t)m->nv * sizeof *tau);

  for (int b = 1; b < m->nbody; ++b) {
    double share = hf_model_body_gravcomp(m)[b];
    hfForce lift = {v3_zero(), v3_scale(-share * hf_model_body_mass(m)[b], d->gravity)};
    if (share != 0) hfi_jacobian_transpose_add(d, b, hfi_body_com(d, b), lift, tau);
  }
}
