// Forward dynamics by articulated bodies (Featherstone, Rigid Body Dynamics Algorithms, 7.3).
//
// Measured from the acceleration A at vdot = 0, a link accelerates by B_l = B_p + sum_k S_k vdot_k and
// carries the known force p_l = I A + V x* I V - wrenches, so no velocity terms are left in the
// recursion. The dofs of a link act one after the other between massless frames; per dof, inward:
//
//   U = Ia S,  D = S . U + armature,  u = tau - S . p,   Ia <- Ia - U U^T/D,  p <- p + U u/D
//
// and outward vdot = (u - U . B)/D, B <- B + S vdot. Inward, Ia and p of a link add to its parent's.
// Tendon armature couples dofs that no link connects: such models are solved with M = L^T D L.
#include "step/dynamics/inside.h"
#include <string.h>

// Returns the articulated inertia of a link alone.
static hfiArticulated articulate(const hfiInertia* I) {
  hfVec3 h = I->h;
  hfiArticulated r = {.H = {0, -h.z, h.y, h.z, 0, -h.x, -h.y, h.x, 0}, .N = {I->m, I->m, I->m, 0, 0, 0}};
  memcpy(r.J, I->I, sizeof r.J);
  return r;
}

// a += b
static void add_articulated(hfiArticulated* a, const hfiArticulated* b) {
  for (int i = 0; i < 6; ++i) a->J[i] += b->J[i];
  for (int i = 0; i < 9; ++i) a->H[i] += b->H[i];
  for (int i = 0; i < 6; ++i) a->N[i] += b->N[i];
}

// Returns the force Ia S.
static hfForce articulated_mul(const hfiArticulated* a, hfMotion S) {
  hfMat3 H;
  memcpy(H.m, a->H, sizeof H.m);
  hfForce r = {v3_add(sym3_mulv(a->J, S.w), m3_mulv(H, S.v)), v3_add(m3_tmulv(H, S.w), sym3_mulv(a->N, S.v))};
  return r;
}

// a -= x x^T/D, symmetric (xx yy zz xy xz yz)
static void subtract_square(double* a, hfVec3 x, double Dinv) {
  hfVec3 y = v3_scale(Dinv, x);
  a[0] -= y.x * x.x;
  a[1] -= y.y * x.y;
  a[2] -= y.z * x.z;
  a[3] -= y.x * x.y;
  a[4] -= y.x * x.z;
  a[5] -= y.y * x.z;
}

// Ia -= U U^T/D
static void subtract_dyad(hfiArticulated* Ia, hfForce U, double Dinv) {
  subtract_square(Ia->J, U.n, Dinv);
  subtract_square(Ia->N, U.f, Dinv);
  for (int i = 0; i < 3; ++i) {
    double s = Dinv * v3_get(U.n, i);
    Ia->H[3 * i] -= s * U.f.x;
    Ia->H[3 * i + 1] -= s * U.f.y;
    Ia->H[3 * i + 2] -= s * U.f.z;
  }
}

// Passes link l inward: adds its Ia and p, reduced by its dofs, to scratch.Ia and scratch.F (the p of the head) of its
// parent. Writes scratch.u = u/D and scratch.U = U/D of its dofs. tau (nv).
static void pass_inward(hfDynamics* d, int l, const double* tau) {
  const hfiLink* link = &d->link[l];
  hfiDynamicsScratch* scratch = &d->scratch;
  const double* armature = hf_model_dof_armature(d->model);
  hfiArticulated Ia = scratch->Ia[l];
  hfForce p = scratch->F[l];

  for (int i = link->dof + link->ndof - 1; i >= link->dof; --i) {
    hfForce U = articulated_mul(&Ia, d->S[i]);
    double Dinv = 1 / (fo_dot(U, d->S[i]) + armature[i]);
    double u_by_D = Dinv * (tau[i] - fo_dot(p, d->S[i]));

    // Ia and p of everything outward from here, seen from in front of the dof
    subtract_dyad(&Ia, U, Dinv);
    p.n = v3_axpy(u_by_D, U.n, p.n);
    p.f = v3_axpy(u_by_D, U.f, p.f);

    scratch->u[i] = u_by_D;
    scratch->U[i].n = v3_scale(Dinv, U.n);
    scratch->U[i].f = v3_scale(Dinv, U.f);
  }
  if (!link->parent) return; // on the world

  add_articulated(&scratch->Ia[link->parent], &Ia);
  scratch->F[link->parent] = fo_add(scratch->F[link->parent], p);
}

// Passes link l outward: writes vdot of its dofs and d->B[l].
static void pass_outward(hfDynamics* d, int l, double* vdot) {
  const hfiLink* link = &d->link[l];

  hfMotion B = d->B[link->parent];
  for (int i = link->dof; i < link->dof + link->ndof; ++i) {
    vdot[i] = d->scratch.u[i] - fo_dot(d->scratch.U[i], B);
    B = mo_axpy(vdot[i], d->S[i], B);
  }

  d->B[l] = B;
}

// Writes vdot = M^-1 (tau - bias) by the factors of M. The forces of the links, scratch.F, must be those at vdot =
// 0.
static void solve_by_mass_matrix(hfDynamics* d, const double* tau, double* vdot) {
  double* bias = d->scratch.u;
  hfi_joint_forces(d, bias);
  hfi_add_tendon_bias(d, bias);

  hfi_dynamics_need(d, HFI_FRESH_MASS | HFI_FRESH_FACTORS);
  for (int i = 0; i < d->model->nv; ++i) vdot[i] = tau[i] - bias[i];
  hf_dynamics_solve(d, vdot);
}

// Computes vdot (nv) for the forces tau (nv) at velocities v (nv). wrench (nbody, or NULL): forces at the centres of
// mass. With armature of tendons M is solved with instead.
void hf_dynamics_forward(hfDynamics* d, const double* v, const double* tau, const hfForce* wrench, double* vdot) {
  hf_dynamics_set_velocity(d, v);
  hfi_link_forces(d, NULL, wrench);
  if (d->mass.narmature) {
    solve_by_mass_matrix(d, tau, vdot);
    return;
  }

  // the recursion, inward and outward
  for (int l = 1; l < d->nlink; ++l) d->scratch.Ia[l] = articulate(&d->mass.I[l]);
  for (int l = d->nlink - 1; l > 0; --l) pass_inward(d, l, tau);
  d->B[0] = mo_zero();
  for (int l = 1; l < d->nlink; ++l) pass_outward(d, l, vdot);
}
