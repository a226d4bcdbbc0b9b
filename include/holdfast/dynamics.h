// Exact multibody dynamics of a model, usable without a sim.
//
// An hfDynamics is scratch and results for one thread: call the stages in order, read the arrays.
// Spatial quantities are about each tree's reference point (the origin of the tree's first moving
// body) in world axes, so that no stage transforms between frames.
//
//   hf_dynamics_set_position(d, q)      poses, joint axes, inertias in the world
//   hf_dynamics_set_velocity(d, v)      spatial velocities, velocity-dependent accelerations
//   hf_dynamics_update_mass_matrix(d)      M by composite bodies, tree-sparse
//   hf_dynamics_factor(d)           M = L^T D L
//   hf_dynamics_update_bias(d)             M vdot + bias = tau
#ifndef HOLDFAST_DYNAMICS_H
#define HOLDFAST_DYNAMICS_H

#include <holdfast/state.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hfDynamics hfDynamics;

// The model (or an overlay's model) must outlive the dynamics. Refuses only for lack of memory; *dynamics is untouched then.
HF_API hfStatus hf_dynamics_create(hfDynamics** dynamics, const hfModel* model, hfError* error);
HF_API void hf_dynamics_free(hfDynamics* dynamics); // NULL is allowed
// Reads masses, inertias, gravity and armature of the model again; call it after hf_params_update.
HF_API void hf_dynamics_refresh(hfDynamics* d);

// Stages. Each needs the ones above it. q (nq), v (nv); of the input only the mocap poses are read, and it may be NULL.
HF_API void hf_dynamics_set_position(hfDynamics* d, const double* q, const hfInput* input);
HF_API void hf_dynamics_set_velocity(hfDynamics* d, const double* v);
HF_API void hf_dynamics_update_mass_matrix(hfDynamics* d);
HF_API void hf_dynamics_factor(hfDynamics* d);
HF_API void hf_dynamics_update_bias(hfDynamics* d);

// Results. Valid until the stage that made them runs again. An index that does not exist is a broken contract: it asserts.
HF_API hfPose hf_dynamics_body_pose(const hfDynamics* d, int body);   // X_WB
HF_API hfQuat hf_dynamics_body_quat(const hfDynamics* d, int body);   // q_WB
HF_API hfPose hf_dynamics_geom_pose(const hfDynamics* d, int geom);   // X_WG
HF_API hfPose hf_dynamics_site_pose(const hfDynamics* d, int site);   // X_WS
HF_API hfPose hf_dynamics_camera_pose(const hfDynamics* d, int camera); // X_WC
// Velocity of the point of body B that is at p_W, in world axes.
HF_API hfMotion hf_dynamics_point_velocity(const hfDynamics* d, int body, hfVec3 p_W);
HF_API HF_RESULT const double* hf_dynamics_mass_matrix(const hfDynamics* d);    // (nM) sparse, see dof_Madr [kg, kg m, kg m^2]
HF_API HF_RESULT const double* hf_dynamics_bias(const hfDynamics* d);    // (nv) bias [N or N m]
HF_API void hf_dynamics_dense_mass_matrix(const hfDynamics* d, double* M); // (nv x nv) row-major

// x <- M^-1 x, after hf_dynamics_factor.
HF_API void hf_dynamics_solve(const hfDynamics* d, double* x);
// y = M x, after hf_dynamics_update_mass_matrix; x and y are different arrays.
HF_API void hf_dynamics_multiply(const hfDynamics* d, const double* x, double* y);

// Inverse dynamics by RNEA: tau = M(q) vdot + bias(q, v) - J^T wrenches; wrench (nbody), or NULL: none. A wrench
// acts at the centre of mass of its body, in world axes.
HF_API void hf_dynamics_inverse(hfDynamics* d, const double* v, const double* vdot, const hfForce* wrench, double* tau);
// Forward dynamics by ABA: vdot from tau (armature included), without forming M (with it, in models with
// tendon armature).
HF_API void hf_dynamics_forward(hfDynamics* d, const double* v, const double* tau, const hfForce* wrench, double* vdot);

// Derivatives (nv x nv, row-major) of tau = M(q) vdot + bias(q, v) at (q, v), the first along the manifold: tau(q (+) e x) = tau + e dtau_dq x. By
// differences: dtau_dq to about 1e-9, dtau_dv exact up to rounding.
HF_API void hf_dynamics_inverse_derivatives(hfDynamics* d, const double* q, const double* v, const double* vdot,
                                            const hfInput* input, double* dtau_dq, double* dtau_dv);

// Jacobian (6 x nv, row-major: angular then linear) of body B at world point p, and its rate times v.
HF_API void hf_dynamics_jacobian(const hfDynamics* d, int body, hfVec3 p_W, double* J);
HF_API hfMotion hf_dynamics_jacobian_rate(const hfDynamics* d, int body, hfVec3 p_W); // Jdot v, after _velocity

HF_API hfVec3 hf_dynamics_com(const hfDynamics* d, int body);        // centre of mass of the subtree [m]
HF_API double hf_dynamics_kinetic_energy(const hfDynamics* d);       // armature included [J]
HF_API double hf_dynamics_potential_energy(const hfDynamics* d, const double* q); // gravity and springs [J]
HF_API void hf_dynamics_momentum(const hfDynamics* d, hfVec3 about_W, hfVec3* linear, hfVec3* angular);

// Generalised force (nv) that carries the share body_gravcomp of each body's weight. It is no part of the
// bias: it counts as actuator force on joints with jnt_actgravcomp, elsewhere as a passive force.
HF_API void hf_dynamics_gravity_compensation(const hfDynamics* d, double* tau);

// Moves q for the time h with velocities v: q <- q (+) h v. Quaternions stay unit quaternions.
HF_API void hf_model_integrate(const hfModel* model, double* q, const double* v, double h);
// Computes the velocities v that lead from q0 to q1 in the time h: q1 = q0 (+) h v. Of several, these are the smallest.
HF_API void hf_model_difference(const hfModel* model, const double* q0, const double* q1, double h, double* v);

#ifdef __cplusplus
}
#endif
#endif
