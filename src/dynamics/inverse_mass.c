// Upper bounds of (M^-1)_ii that hold at every configuration.
//
//   1/(M^-1)_ii = min v . M v  over v with v_i = 1
//
// so that every lower bound of v . M v, twice the kinetic energy, gives one:
//
//   armature       v . M v >= a_i
//   hinge          the only joint between links l and p, with smallest moments of inertia I_l and I_p about their centres of
//                  mass: the axis u = w_l - w_p of length 1, and v . M v >= I_l |w_l|^2 + I_p |w_p|^2 >= 1/(1/I_l + 1/I_p)
//   slide          the only joint between the world and link l: v . M v >= m_l
#include "dynamics/dynamics.h"
#include "math/eigen3.h"

// Inverse of the smallest moment of inertia of a link about its centre of mass; 0 for the world. The share of the largest
// covers rounding.
static double largest_inverse_inertia(const hfDynamics* d, int link) {
  double values[3];
  hfMat3 axes;
  if (link == 0) return 0;
  eigen3(d->link[link].inertia_B, values, &axes);
  double least = values[2] - 1e-12 * values[0];
  return least > 0 ? 1 / least : INFINITY;
}

static double bound_by_link(const hfDynamics* d, int l) {
  const hfiLink* link = &d->link[l];
  int type = d->step[link->joint].type;
  if (link->njoint > 1) return INFINITY;
  if (type == HF_JOINT_HINGE) return largest_inverse_inertia(d, l) + largest_inverse_inertia(d, link->parent);
  return type == HF_JOINT_SLIDE && !link->parent && link->mass > 0 ? 1 / link->mass : INFINITY;
}

// The armature of tendons is kept on the sparsity of M, which may leave it indefinite: with it nothing is known.
void hfi_bound_inverse_masses(hfDynamics* d) {
  for (int l = 1; l < d->nlink; ++l) {
    double bound = bound_by_link(d, l);
    for (int i = d->link[l].dof; i < d->link[l].dof + d->link[l].ndof; ++i) {
      double armature = hf_model_dof_armature(d->model)[i];
      d->most_inverse_mass[i] = d->narmature ? INFINITY : min2(bound, armature > 0 ? 1 / armature : INFINITY);
    }
  }
}
