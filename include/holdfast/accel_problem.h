// The acceleration problem: what continuous time may know about a state, and nothing else.
//
//   M vdot = tau + J^T f + Je^T lambda,    Je vdot + Jedot v = -b Je v - k r
//
//   tau     applied, actuator, passive, limit and joint friction forces, less the bias (nv)
//   J       contact rows n, t1, t2 [, torsion [, roll1, roll2]]; vn > 0 separates
//   f       contact forces: a function of depth and J v for compliant contact, unknowns of the rigid LCP
//   Je, r   equalities and their errors; stabilised with b and k (docs/theory/integrators.md)
//
// Contacts are exact in the configuration: depth and frames are those of q, nothing is linearised.
// hf_accel_rate solves it for compliant contact: that is the right-hand side of the integrators.
#ifndef HOLDFAST_ACCEL_PROBLEM_H
#define HOLDFAST_ACCEL_PROBLEM_H

#include <holdfast/integrate.h>
#include <holdfast/state.h>
#include <holdfast/step_problem.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hfAccelConfig {
  int32_t friction;       // hfFrictionLaw
  int32_t max_contacts;   // capacity
  int32_t scene_signals;  // 1: the scene's signals drive controls that no input gives
  double static_speed;    // slip above which the dynamic coefficient acts, in stiction speeds [-]
  double reach;           // contacts that do not touch are listed up to this gap; 0: none are [m]
  double theta_max;       // transition-aware line search: largest turn of a slip velocity [rad]
  hfAllocator allocator;  // allocator of the memory; all zero: the C library's
} hfAccelConfig;

HF_API hfAccelConfig hf_accel_config_default(void);

typedef struct hfAccelContact {
  int32_t geom_a, geom_b, body_a, body_b;
  uint32_t feature;
  int32_t dim, row;               // its number of rows, and the first of them in J
  hfVec3 p_W, n_W, t1_W, t2_W;    // normal from B into A
  hfContactLaw law;               // law, with the depth at this configuration
} hfAccelContact;

typedef struct hfAccelProblem {
  int32_t nv, ncontact, nrow, nequality;
  double* M;               // (nv x nv)
  double* tau;             // (nv)
  double* v;               // (nv)
  hfAccelContact* contact; // (ncontact)
  double* J;               // (nrow x nv)
  double* Jdot_v;          // (nrow) found by differences along the motion, so that it includes the curvature of surfaces. NAN if the contact is gone both shortly before and shortly after.
  double* Je;              // (nequality x nv)
  double* Jedot_v;         // (nequality)
  double* error;           // (nequality) r [m or rad]
  double* reference;       // (nequality) -b Je v - k r [m/s^2 or rad/s^2]
} hfAccelProblem;

// Counts since creation.
typedef struct hfAccelStatistics {
  int64_t evaluations; // number of evaluations by hf_accel_rate
  int64_t collisions;  // number of these at a new configuration, with new kinematics, inertia and geometry
  int64_t limited;     // number of contacts that limited a Newton update so that it lands in their stick region
  int64_t escaped;     // number of these that were still outside of it at the next iterate (TAMSI section IV-B)
  int64_t dropped;     // number of contacts beyond the capacity
} hfAccelStatistics;

typedef struct hfAccel hfAccel;

// The model (or an overlay's model) must outlive it.
HF_API hfStatus hf_accel_create(hfAccel** accel, const hfModel* model, const hfAccelConfig* config, hfError* error);
HF_API void hf_accel_free(hfAccel* accel);

// Sets the inputs and the contact memory for the calls that follow. input and state may be NULL; they must outlive these calls.
HF_API void hf_accel_begin(hfAccel* accel, const hfState* state, const hfInput* input);

// vdot (nv) and the rates of activations (na, may be NULL) at time t. act may be NULL: zero. Returns HF_SINGULAR if M or the equalities have no
// solution.
HF_API hfStatus hf_accel_rate(hfAccel* accel, double t, const double* q, const double* v, const double* act,
                              double* vdot, double* actdot);
// The problem at that point; valid until the accel's next call.
HF_API const hfAccelProblem* hf_accel_problem(hfAccel* accel, double t, const double* q, const double* v, const double* act);

// xdot = f(t, x) for the integrators, x = (q, v, act), with its analytic Jacobian and the
// transition-aware line search. The accel must outlive it.
HF_API hfOde hf_accel_ode(hfAccel* accel);
HF_API hfAccelStatistics hf_accel_statistics(const hfAccel* accel);

#ifdef __cplusplus
}
#endif
#endif
