// An hfAccel: kinematics, contacts and forces at one point (t, q, v). What the methods that follow an equation of
// motion share.
#ifndef HFI_CONTINUOUS_ACCEL_H
#define HFI_CONTINUOUS_ACCEL_H

#include "step/contact/memory.h"
#include "step/law/tals.h"
#include "step/world/world.h"
#include <holdfast/accel_problem.h>

// ---- parts, each with its owner -----------------------------------------------------------------------

// How much of an hfAccel is fresh. Every stage includes the ones before it.
typedef enum hfiAccelStage {
  HFI_ACCEL_NOWHERE,       // nothing
  HFI_ACCEL_AT_POSITIONS,  // kinematics, inertia, contacts with their laws, and equalities belong to the q of the world
  HFI_ACCEL_AT_POINT,      // forces belong to that q and to `point`
} hfiAccelStage;

// The point that was evaluated last (accel.c).
typedef struct hfiAccelPoint {
  double t;    // time; from the start of an evaluation on it is the time of the new point [s]
  double* v;   // (nv)
  double* act; // (na)
} hfiAccelPoint;

// A contact at a configuration, with its forces at a velocity (accel_contact.c).
typedef struct hfiAccelContact {
  const hfiContact* source; // the same contact in the world's list
  hfContactLaw law;         // law with the depth and the deformation xi0 at this configuration
  int32_t dim;              // number of its rows
  int32_t n;                // number of dofs that move it
  const int32_t* cols;      // (n) these dofs
  const double* J;          // (dim x n)
  double drift[6];          // velocities that moving surfaces add to its rows [m/s, rad/s]
  double s[6];              // row velocities J v + drift [m/s, rad/s]
  double f[6];              // forces [N, N m]
  double dn_dv;             // derivative of the normal force with vn [N s/m]
  double dn_dx;             // derivative of the normal force with the depth [N/m]
  double dt_dn[5];          // derivatives of friction with the normal force
  int32_t stick;            // bit g: friction group g sticks
  double gtt[7];            // minus the derivatives of friction with slip: sliding 11, 12, 22; torsion; rolling
} hfiAccelContact;

// Memory of the rows of all contacts (accel_contact.c).
typedef struct hfiAccelRows {
  int32_t* cols;    // (max_contacts x max_cols)
  double* J;        // (6 x max_contacts x max_cols)
  int32_t max_cols; // largest number of columns of one contact
  double* block;    // (7 x max_cols) scratch
} hfiAccelRows;

// A contact at the start of the integrator's step, to be followed through it.
typedef struct hfiAnchor {
  hfVec3 p_AC;    // material point of A that was at the contact at the start [m]
  hfVec3 xi_B;    // its deformation of sliding in the frame of B [m]
  hfVec3 twist_B; // its deformation of torsion and rolling in the frame of B [rad]
  hfQuat q_BA;    // rotation of A in B at the start
} hfiAnchor;

// Anchors of all contacts at the start of the integrator's step (accel_anchor.c), and what becomes of them
// (accel_memory.c).
typedef struct hfiAnchors {
  int32_t count;
  hfiContact* contact;        // (max_contacts) contacts at the start of the step, sorted by pair
  hfiAnchor* anchor;          // (max_contacts) anchors of these contacts
  hfiContactOutcome* outcome; // (max_contacts) scratch
  double began;               // time at which they were set [s]
  double span;                // length of a step, over which contacts remember their deformation; 0: unknown [s]
} hfiAnchors;

// The contact memory that is renewed after every step of the integrator (accel_ode.c).
typedef struct hfiKeeper {
  hfState* state;    // NULL: none
  int32_t forgotten; // number of contacts for which its memory has no room
} hfiKeeper;

// A contact that keeps its material points and the directions of its rows.
typedef struct hfiHeldContact {
  hfiContact contact;  // the contact at the time when it was held
  hfVec3 p_AC;         // its material point of A [m]
  hfVec3 p_BC;         // its material point of B [m]
  hfVec3 n_B;          // its axes in the frame of B
  hfVec3 t1_B;
  hfVec3 t2_B;
} hfiHeldContact;

// Contacts that are held (accel_hold.c).
typedef struct hfiHold {
  int32_t is_active;    // 1: the contacts are the held ones, whatever collision would find
  int32_t count;
  hfiHeldContact* list; // (max_contacts)
} hfiHold;

// Deformations of anchors as coordinates of the equation (accel_deform.c).
typedef struct hfiDeformationCoordinates {
  int32_t is_active; // 1: deformations are coordinates
  int32_t count;     // number of these coordinates
  int32_t* place;    // (max_contacts) index of an anchor's deformation among them
  const double* now; // (count) their values at the point that is evaluated
} hfiDeformationCoordinates;

// A one-sided stop or a friction loss: a force along one sparse row.
typedef struct hfiStop {
  int32_t joint;          // joint whose limit it is, or -1
  int32_t tendon;         // tendon on which it acts, or -1
  int32_t is_limit;       // 0: a friction loss
  int32_t n;              // number of dofs of its row
  const int32_t* dof;     // (n) these dofs
  double J[3];            // Jacobian row [-, or m of a tendon]
  const double* J_long;   // Jacobian row of a tendon; NULL: J is used
  double force;           // force along the row [N, N m]
  double df_ds;           // derivative of the force with the row's velocity [N s/m, N m s]
  double df_dx;           // derivative of the force with the row's coordinate [N/m, N m]
} hfiStop;
static inline const double* hfi_stop_row(const hfiStop* stop) { return stop->J_long ? stop->J_long : stop->J; }

// Stops that act at the point (accel_stop.c).
typedef struct hfiStops {
  int32_t count;
  hfiStop* list;      // limits of joints and tendons, friction losses
  int32_t* dof_index; // (nv) 0, 1, 2 …
} hfiStops;

// Rows of the equalities at the point (accel_equality.c).
typedef struct hfiEqualityRows {
  int32_t count;       // rows
  hfiEquality* object; // (neq) equalities at the configuration
  double* J;           // (count x nv)
  double* JM;          // (count x nv) J M^-1
  double* A;           // (count^2) factors of J M^-1 J^T
  double* softened;    // (count^2) factors of J M^-1 J^T + diag(softness); valid if a rigid equality is open
  double* softness;    // (count)
  double open;         // the largest openness of a rigid equality, 0 to 1 [-]
  double* error;       // (count) r [m or rad]
  double* damping;     // (count) b [1/s]
  double* stiffness;   // (count) k [1/s^2]
  double* Jdot_v;      // (count) [m/s^2 or rad/s^2]
  double* target;      // (count) accelerations along the rows that are aimed at
  double* lambda;      // (count) forces; also scratch
  int32_t* cols;       // (nv) scratch
  double* block;       // (6 x nv) scratch
} hfiEqualityRows;

// A friction group for which the line search shortened a Newton update, so that it lands in the group's stick region.
typedef struct hfiLanding {
  hfiContactKey key; // its contact
  int32_t group;     // HF_SLIDING, HF_TORSION, HF_ROLLING
} hfiLanding;

// Where a rate is refused because a law would act that differs from the law of discrete time, or that another method
// should follow (accel_ode.c).
typedef enum hfiAccelDomain {
  HFI_DOMAIN_ALL,      // nowhere
  HFI_DOMAIN_TOUCHING, // where the laws differ; a renewal stops where no bodies touch
  HFI_DOMAIN_APART,    // the same, and where bodies touch; a renewal stops where they nearly touch
} hfiAccelDomain;

// What the equation for an integrator needs (accel_ode.c).
typedef struct hfiAccelEquation {
  hfiAccelDomain domain;
  hfiKeeper keeper;
  double* weight;      // (2 nv + na + 6 max_contacts) weight of a coordinate's error, if hfi_accel_set_weights set it
  int32_t nlanding;    // number of landings
  hfiLanding* landing; // (max_contacts)
} hfiAccelEquation;

// The Jacobian of the equation (accel_jacobian.c).
typedef struct hfiAccelSlopes {
  double* dtau_dq; // (nv x nv) column by column
  double* dtau_dv; // (nv x nv) column by column
  double* column;  // (nv) scratch
} hfiAccelSlopes;

// Row velocities of a contact a little before or after the configuration, from which the rates of its rows follow.
typedef struct hfiMovedRows {
  hfiContactKey key;
  double s[6]; // row velocities [m/s, rad/s]
} hfiMovedRows;

// Row velocities a little before and a little after a point on its motion (accel_problem.c).
typedef struct hfiRowMotion {
  int32_t is_fresh;      // 1: they belong to q and v
  double* q;             // (nq) the point
  double* v;             // (nv)
  int32_t count[2];      // numbers of contacts before and after
  hfiMovedRows* rows[2]; // (max_contacts)
  double* q_moved;       // (nq) scratch
} hfiRowMotion;

// The acceleration problem in dense form (accel_problem.c).
typedef struct hfiDenseProblem {
  hfiRowMotion motion;
  hfAccelProblem problem;
} hfiDenseProblem;

// The files of this folder call it accel.
struct hfAccel {
  const hfModel* model;
  hfAccelConfig config;
  const hfInput* input;
  hfAccelStatistics statistics;

  hfiWorld* world;
  int32_t owns_world;       // 1: the world is freed with the accel
  hfDynamics* dynamics;     // the world's dynamics
  hfActuation* actuation;   // the world's actuation

  hfiAccelStage stage;
  hfiAccelPoint point;
  int32_t ncontact;
  hfiAccelContact* contact; // (max_contacts) those contacts of the world that can move something
  double* tau;              // (nv) all forces but those of contacts and equalities, less the bias [N, N m]
  double* vdot;             // (nv) scratch: accelerations that nobody asked for

  hfiAccelRows rows;
  hfiAnchors anchors;
  hfiHold hold;
  hfiDeformationCoordinates deformations;
  hfiStops stops;
  hfiEqualityRows equalities;
  hfiAccelEquation equation;
  hfiAccelSlopes slopes;
  hfiDenseProblem dense;
};

// ---- creation (accel.c) -------------------------------------------------------------------------------

// Creates a world for an accel that shares it with nothing else.
hfStatus hfi_accel_create_world(hfiWorld** world, const hfModel* model, int32_t max_contacts, int32_t scene_signals,
                                const hfAllocator* allocator, hfError* error);
// Creates an accel over a world that belongs to the caller. config.max_contacts and config.scene_signals must be those
// of the world.
hfStatus hfi_accel_create(hfAccel** accel, hfiWorld* world, const hfAccelConfig* config, hfError* error);

// ---- evaluation (accel.c) -----------------------------------------------------------------------------

// Computes kinematics, inertia, contacts and equalities at q, unless they are fresh.
hfStatus hfi_accel_configure(hfAccel* accel, const double* q);
// Computes everything at a point except the forces of contacts: configuration, accel->tau, rates of activations (may be
// NULL), equalities.
hfStatus hfi_accel_gather_forces(hfAccel* accel, double t, const double* q, const double* v, const double* act,
                          double* actdot);
// Rates (na) of activations at the point gathered last.
void hfi_accel_copy_activation_rates(const hfAccel* accel, const double* act, double* actdot);
// x <- vdot under the forces x (nv) with the equalities of that point.
void hfi_accel_find_vdot(hfAccel* accel, double* x);
// Lowers the stage to this one, if it is above.
static inline void hfi_accel_lower_stage(hfAccel* accel, hfiAccelStage stage) {
  if (accel->stage > stage) accel->stage = stage;
}

// ---- contacts (accel_contact.c, accel_hold.c) ----------------------------------------------------------

// Row velocities J v + drift of a contact at v.
void hfi_accel_row_velocities(const hfiAccelContact* contact, const double* v, double* s);
// tau += J^T f of a contact.
void hfi_accel_add_force(const hfiAccelContact* contact, const double* f, double* tau);
// Whether friction holds a contact against sliding. Reports, logs and memory show this.
static inline int hfi_accel_contact_sticks(const hfiAccelContact* contact) {
  return contact->dim >= 3 && contact->law.mu[HF_SLIDING] > 0 && contact->stick >> HF_SLIDING & 1;
}
// Holds the contacts of the present configuration, whatever is found at other ones, until they are let go.
void hfi_accel_hold_contacts(hfAccel* accel);
void hfi_accel_release_contacts(hfAccel* accel);

// ---- limits and equalities (accel_stop.c, accel_equality.c) --------------------------------------------

// Energy in the springs of limits at positions q, where the actuation must be: sum of k phi^2/2 [J].
double hfi_accel_limit_energy(const hfAccel* accel, const double* q);
// Upper bound on the energy [J] that rigid equalities add to the motion while they close: s^T D^-1 s/8. s are the
// speeds of closing that they aimed at in the last evaluation, and D is the softness of these aims. Infinite if no
// equality is open.
double hfi_accel_release_energy(const hfAccel* accel);
int hfi_accel_max_equality(const hfModel* model);
// x <- vdot of M vdot = x + J^T lambda, J vdot = target (equality rows). target may be accel->equalities.lambda.
void hfi_accel_solve(hfAccel* accel, double* x, const double* target);

// ---- the equation (accel_ode.c, accel_jacobian.c) -------------------------------------------------------

// Sets the weights of errors: 1 for positions, `time` [s] for velocities; an error of a deformation counts as the
// velocity that it causes.
void hfi_accel_set_weights(hfAccel* accel, double time);
// The equation for integrators. Its integration renews the contact memory of accel->equation.keeper after every step.
hfOde hfi_accel_ode_with_memory(hfAccel* accel);

// The parts of J (n x n) at the point gathered last: begin, which clears J and collects all forces but those of
// contacts; add the contacts one by one, with the derivatives of their forces by row velocities, Dv, and by
// displacements along their rows, Dx; finish. The equation may have further coordinates behind (q, v, act), up to n.
// Their rows and columns are the caller's, between begin and finish or after that.
void hfi_accel_begin_jacobian(hfAccel* accel, int n, double* J);
void hfi_accel_add_slopes(hfAccel* accel, const hfiAccelContact* contact, double Dv[6][6], double Dx[6][6]);
void hfi_accel_finish_jacobian(hfAccel* accel, int n, double* J);
// Carries a Jacobian J (n x n) in the tangent space at a point into the chart, in which the point is u and its rate
// udot.
void hfi_accel_lift_jacobian(const hfAccel* accel, int n, const double* u, const double* udot, double* J);

#endif
