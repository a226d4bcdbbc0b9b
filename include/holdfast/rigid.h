// Rigid contact at acceleration level, its certificate, and switching between rigid and compliant contact.
//
//   y = A x + b,   x = (fNR, fTR, fNS),   y = (aNR, aTR, aNS)                      grasp-switching, Eq. (12)
//
//   fNR, fNS  normal forces of rolling and sliding contacts: 0 <= f, 0 <= a, f a = 0
//   fTR       friction of rolling contacts, one row for each direction in which they can move: a = 0
//   a         accelerations along the rows, stabilisation included: a_N + 2/T v_N + (gap - held gap)/T^2
//   A         rows W^T S (W_N - mu W_T d), S the inverse of M with the equalities eliminated
//
// Contacts are points; friction groups beyond sliding (torsion, rolling friction) have rows of their own in
// the same way. Theory: docs/theory/rigid.md, docs/theory/switching.md.
#ifndef HOLDFAST_RIGID_H
#define HOLDFAST_RIGID_H

#include <holdfast/lcp.h>
#include <holdfast/methods.h>
#include <holdfast/state.h>
#include <holdfast/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum hfContactMode { HF_MODE_SEPARATED = 0, HF_MODE_SLIDING = 1, HF_MODE_ROLLING = 2 } hfContactMode;

typedef struct hfRigidContact {
  int32_t geom_a, geom_b, body_a, body_b;
  uint32_t feature;
  int32_t mode;          // hfContactMode of sliding friction
  int32_t row_n;         // its normal row in A; -1 when separated
  int32_t row_t, nt;     // rolling: first and number (0, 1 or 2) of its tangential rows in A; else -1, 0
  hfVec3 p_W, n_W;       // point; normal from B into A
  hfVec3 t_W[2];         // sliding: t_W[0] = direction of A's slip over B. Rolling: directions of its rows
  double gap;            // gap between the two surfaces [m]
  double vn;             // separation speed [m/s]
  hfVec3 vt_W;           // slip of A over B [m/s]
  double mu;             // coefficient of friction of the mode [-]
  double k, c;           // stiffness and damping of the layer along n [N/m], [N s/m]
  double kt, ct;         // the same across n
  double fn;             // normal force on A along n [N]
  hfVec3 ft_W;           // friction on A [N]
} hfRigidContact;

typedef struct hfRigidProblem {
  int32_t nv, ncontact;
  int32_t n;              // number of rows
  int32_t nR, nS;         // numbers of rolling and of sliding contacts
  hfRigidContact* contact; // (ncontact) sorted by geoms and feature; separated ones included
  double* W_N;            // (ncontact x nv) Jacobian of the normals
  double* W_T;            // (2 ncontact x nv) Jacobian along t_W[0], t_W[1]; zero where there is no such direction
  double *A, *b;          // (n x n), (n)
  int32_t* rolling;       // (n) 1: a tangential row, which is an equality
  double *k, *c;          // (n) stiffness and damping of the layer along each row
  double *x, *y;          // (n) forces, accelerations of the rows
  double* vdot;           // (nv) accelerations with these forces
  hfRigidCertificate certificate;
  hfLcpReport lcp;        // report on x; HF_NO_SOLUTION if the rigid model has none
} hfRigidProblem;

// The mode of all contacts between two geoms; it replaces the mode that follows from the velocities.
typedef struct hfRigidChoice {
  int32_t geom_a, geom_b; // the two geoms, in any order
  int32_t mode;           // hfContactMode
  hfVec3 slip_W;          // sliding: direction of geom_a's slip over geom_b; zero: that of the velocities
} hfRigidChoice;

typedef struct hfRigid hfRigid;

// The model (or an overlay's model) must outlive it.
HF_API hfStatus hf_rigid_create(hfRigid** rigid, const hfModel* model, const hfRigidConfig* config, hfError* error);
HF_API void hf_rigid_free(hfRigid* rigid);

// Computes the rigid problem at a point, with forces and certificate. *problem is valid until the next call. input and act may be
// NULL. Contacts that no choice names (choice may be NULL) are
//   separated   gap > touch, or vn > stick_speed
//   sliding     slip > stick_speed, in the direction of the slip
//   rolling     else
// A choice closes contacts at any gap up to reach. Returns HF_OK also if the certificate does not hold; HF_SINGULAR if M or the equalities have no
// solution; HF_OVERFLOW if contacts were dropped.
HF_API hfStatus hf_rigid_evaluate(hfRigid* rigid, double t, const double* q, const double* v, const double* act,
                                  const hfInput* input, const hfRigidChoice* choice, int nchoice,
                                  const hfRigidProblem** problem, hfError* error);

// ---- switches of a sim with method "switching"; its options and report are in methods.h ------------

typedef enum hfSwitchReason {
  HF_SWITCH_CERTIFIED = 0,   // to rigid: the certificates hold
  HF_SWITCH_NOT_P = 1,       // to compliant: A is no P-matrix (or too large to tell)
  HF_SWITCH_RANK = 2,        //   rows are dependent
  HF_SWITCH_UNSTABLE = 3,    //   the boundary layer is not stable
  HF_SWITCH_NO_SOLUTION = 4, //   the LCP or the impact has no solution
  HF_SWITCH_EVENTS = 5,      //   too many transitions in one step
} hfSwitchReason;

HF_API const char* hf_switch_reason_name(int reason);

// A switch changes forces; coordinates and velocities stay.
typedef struct hfSwitch {
  double time;               // [s]
  int32_t rigid;             // 1: to rigid, 0: to compliant
  int32_t reason;            // hfSwitchReason
  double df;                 // largest jump of a contact force [N]
  double df_equilibrium, df_paper; // to compliant: the jump with each hfLayerStart [N]
  hfRigidCertificate certificate; // certificate at the switch
} hfSwitch;

#ifdef __cplusplus
}
#endif
#endif
