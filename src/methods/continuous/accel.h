// Inside of an hfAccel: kinematics, contacts and forces at one point (t, q, v).
#ifndef HFI_CONTINUOUS_ACCEL_H
#define HFI_CONTINUOUS_ACCEL_H

#include "step/contact/memory.h"
#include "step/law/tals.h"
#include "step/world/world.h"
#include <holdfast/accel_problem.h>

// A contact at a configuration, with its forces at a velocity.
typedef struct hfiAccelContact {
  const hfiContact* at;   // the contact, in the world's list
  hfContactLaw law;       // law with the depth and the deformation xi0 at this configuration
  int32_t dim;
  int32_t n;              // number of dofs that move it
  const int32_t* cols;    // (n) these dofs
  const double* J;        // (dim x n)
  double drift[6];        // velocities that moving surfaces add to its rows [m/s, rad/s]
  double s[6];            // row velocities J v + drift [m/s, rad/s]
  double f[6];            // forces [N, N m]
  double dn_dv, dn_dx;    // derivatives of the normal force with vn and with depth [N s/m, N/m]
  double dt_dn[5];        // derivatives of friction with the normal force
  int32_t stick;          // bit g: friction group g sticks
  double gtt[7];          // minus the derivatives of friction with slip: sliding 11, 12, 22; torsion; rolling
} hfiAccelContact;

// A contact at the start of the step, to be followed through it.
typedef struct hfiAnchor {
  hfVec3 p_AC;            // material point of A that was at the contact at the start [m]
  hfVec3 xi_B, twist_B;   // its deformation in the frame of B [m], [rad]
  hfQuat q_BA;            // rotation of A in B at the start
} hfiAnchor;

// A contact that keeps its material points and the directions of its rows (accel_hold.c).
typedef struct hfiHeldContact {
  hfiContact at;            // the contact at the time when it was held
  hfVec3 p_AC, p_BC;        // its material points of A and B [m]
  hfVec3 n_B, t1_B, t2_B;   // its axes in the frame of B
} hfiHeldContact;

// A friction group for which the line search shortened a Newton update, so that it lands in the group's stick region.
typedef struct hfiLanding { hfiContactKey key; int32_t group; } hfiLanding;

// A one-sided stop or a friction loss: a force along one sparse row.
typedef struct hfiStop {
  int32_t joint;          // joint whose limit it is, or -1
  int32_t tendon;         // tendon on which it acts, or -1
  int32_t is_limit;       // 0: a friction loss
  int32_t n;
  const int32_t* dof;
  double J[3];
  const double* J_long;   // Jacobian row of a tendon; NULL: J is used
  double force;
  double df_ds, df_dx;    // derivatives with the row's velocity and coordinate
} hfiStop;
static inline const double* hfi_stop_row(const hfiStop* stop) { return stop->J_long ? stop->J_long : stop->J; }

// Row velocities of a contact a little before or after the configuration, from which the rates of its rows follow.
typedef struct hfiMoved {
  hfiContactKey key;
  double s[6]; // row velocities
} hfiMoved;

struct hfAccel {
  const hfModel* model;
  hfAccelConfig config;
  const hfInput* input;
  hfAccelStatistics statistics;

  hfiWorld* world;
  int32_t owns_world;       // 1: the world is freed with the accel
  hfDynamics* dynamics;     // the world's dynamics
  hfActuation* actuation;   // the world's actuation
  int32_t known;            // 1: everything below belongs to the present configuration of the world
  int32_t visited;          // 1: forces are those at that configuration and (v, act), time t
  double t, *v, *act;       // (nv), (na)

  // contacts
  int32_t ncontact;
  hfiAccelContact* contact; // (max_contacts) those contacts of the world that can move something
  int32_t* cols;
  double* J;
  double span; // length of a step, over which contacts remember their deformation; 0: unknown [s]
  int32_t nanchor;
  hfiContact* start;        // (max_contacts) contacts at the start of the step, sorted by pair
  hfiAnchor* anchor;        // (max_contacts) anchors of these contacts
  hfiContactOutcome* outcome; // (max_contacts)
  int32_t holds;            // 1: the contacts are held ones
  int32_t nheld;
  hfiHeldContact* held;     // (max_contacts)
  int32_t deforms;          // 1: deformations are coordinates of the equation (accel_deform.c)
  hfState* keeper;          // state whose contact memory is renewed after every step of the integrator
  int32_t nforgotten;       // number of contacts for which that memory has no room
  double began;             // time at which the anchors were set [s]
  double now;               // time of the point that is evaluated [s]
  int32_t ntail;            // number of these coordinates
  int32_t* place;           // (max_contacts) index of an anchor's deformation among these coordinates
  const double* tail;       // (ntail) their values at the point that is evaluated
  double* weight;           // (2 nv + na + 6 max_contacts) weight of the error of a coordinate, if hfi_accel_weigh set it
  int32_t strict;           // 1: the rate is refused where a law would act that differs from that of discrete time
  int32_t apart;            // used with `strict`. 1: the rate is refused where bodies touch, and a renewal stops where they nearly touch; 0: a renewal stops where no bodies touch

  // forces
  double* tau;              // (nv)
  int32_t nstop;
  hfiStop* stop;            // limits of joints and tendons, friction losses
  int32_t* dof_index;       // (nv) 0, 1, 2 …

  // equalities
  int32_t nequality;        // rows
  hfiEquality* equality;    // (neq) equalities at the configuration
  double* Je;               // (nequality x nv)
  double* JeM;              // (nequality x nv) Je M^-1
  double* Ae;               // (nequality^2) factors of Je M^-1 Je^T
  double* softened;         // (nequality^2) factors of Je M^-1 Je^T + diag(softness); valid if a rigid equality is open
  double* softness;         // (nequality)
  double open;              // the largest openness of a rigid equality, 0 to 1
  double *error, *damping, *stiffness, *Jedot_v, *target, *lambda; // (nequality)
  int32_t* eq_cols;         // (nv) scratch
  double* eq_J;             // (6 x nv) scratch

  // number of landings
  int32_t nlanding;
  hfiLanding* landing;      // (max_contacts)

  // the Jacobian, and the dense problem
  double *dtau_dq, *dtau_dv; // (nv x nv), column by column
  double *column, *vdot;     // (nv)
  int32_t max_cols;          // largest number of columns of one contact
  double* block;             // (7 x max_cols) scratch
  double *q_moved;           // (nq)
  int32_t rated;             // 1: `moved` belongs to q_rated and v_rated
  int32_t nmoved[2];         // numbers of contacts a little before and a little after that point on the motion
  double *q_rated, *v_rated; // (nq), (nv)
  hfiMoved* moved[2];        // (max_contacts)
  hfAccelProblem problem;
};

// Creates a world for an accel that shares it with nothing else.
hfStatus hfi_accel_create_world(hfiWorld** world, const hfModel* model, int32_t max_contacts, int32_t scene_signals,
                                const hfAllocator* allocator, hfError* error);
// Creates an accel over a world that belongs to the caller. config.max_contacts and config.scene_signals must be those of the world.
hfStatus hfi_accel_create(hfAccel** accel, hfiWorld* world, const hfAccelConfig* config, hfError* error);

// ---- parts ----------------------------------------------------------------------------------------

// Computes kinematics, inertia, contacts and stops at q, unless they are known already.
hfStatus hfi_accel_configure(hfAccel* a, const double* q);

// Computes everything at a point except the forces of contacts: configuration, a->tau, rates of activations, equalities.
hfStatus hfi_accel_gather(hfAccel* a, double t, const double* q, const double* v, const double* act, double* actdot);
// Rates (na) of activations at the point gathered last.
void hfi_accel_activation_rates(const hfAccel* a, const double* act, double* actdot);
// x <- vdot under the forces x (nv) with the equalities of that point.
void hfi_accel_finish(hfAccel* a, double* x);

// Finds the contacts of the configuration, with Jacobians and laws.
void hfi_accel_collide(hfAccel* a);
// Holds the contacts of the present configuration, whatever is found at other ones, until they are let go.
void hfi_accel_hold(hfAccel* a);
void hfi_accel_let_go(hfAccel* a);
// Moves the held contacts to the present configuration, where they become the world's contacts.
void hfi_accel_move_held(hfAccel* a);
// Computes the forces of the contacts at velocity v, and adds J^T f to tau.
void hfi_accel_contact_forces(hfAccel* a, const double* v, double* tau);
// Row velocities J v + drift of a contact at v.
void hfi_accel_row_velocities(const hfiAccelContact* c, const double* v, double* s);
// tau += J^T f of a contact.
void hfi_accel_add_force(const hfiAccelContact* c, const double* f, double* tau);
// Whether friction group g of a contact would stick at row velocities s.
int hfi_accel_sticks(const hfiAccelContact* c, int g, const double* s);
// Whether friction holds a contact against sliding. Reports, logs and memory show this.
static inline int hfi_accel_contact_sticks(const hfiAccelContact* c) {
  return c->dim >= 3 && c->law.mu[HF_SLIDING] > 0 && c->stick >> HF_SLIDING & 1;
}
// The share of the way from c->s to s1 that friction group g of a contact allows a Newton update.
double hfi_accel_alpha(const hfiAccelContact* c, int g, const double* s1, hfiSine turn);
// Rotation of body A of a contact in body B.
static inline hfQuat hfi_accel_relative_rotation(const hfAccel* a, const hfiContact* c) {
  return q_mul(q_conj(a->dynamics->q_WB[c->body_b]), a->dynamics->q_WB[c->body_a]);
}
// Sets the deformation of an anchored contact at this configuration. A contact that did not exist at the start of the step has no deformation until
// the next step.
void hfi_accel_follow(const hfAccel* a, hfiAccelContact* c);
// The anchor of a contact, or -1.
int hfi_accel_find_anchor(const hfAccel* a, const hfiContact* c);
// Makes anchors of the present contacts, with what the state remembers of them. v (nv): velocities; span: length of the step after which they were
// remembered, or 0 [s].
void hfi_accel_anchor(hfAccel* a, const hfState* state, const double* v, double span);
// Writes the contact memory after a step h, evaluated at its end. Returns for how many contacts there was no room.
int hfi_accel_settle(hfAccel* a, hfState* state, double h);

// ---- deformations as coordinates of the equation --------------------------------------------------------

// Writes the deformations of the anchors to tail (ntail).
void hfi_accel_read_deformations(hfAccel* a, double* tail);
// Sets the deformation of a contact from the coordinates of the point.
void hfi_accel_deform(const hfAccel* a, hfiAccelContact* c);
// Rates (ntail) of the deformations at the point evaluated last.
void hfi_accel_deformation_rates(const hfAccel* a, double* rate);
// Writes the contacts of the point evaluated last to the memory of a state, with the deformations of tail. Returns for how many there was no room.
int hfi_accel_store_deformations(hfAccel* a, const double* tail, hfState* state);

// Computes the forces of limits and friction losses, and adds them to tau.
void hfi_accel_stops(hfAccel* a, const double* q, const double* v, double* tau);
// Energy in the springs of limits at positions q, where the actuation must be: sum of k phi^2/2 [J].
double hfi_accel_limit_energy(const hfAccel* a, const double* q);
int hfi_accel_max_stops(const hfModel* m);

// Computes Jacobian and factors of the equalities at q; and Jedot v and their reference accelerations at v.
hfStatus hfi_accel_equalities(hfAccel* a, const double* q);
void hfi_accel_equality_rates(hfAccel* a, const double* v);
// Upper bound on the energy [J] that rigid equalities add to the motion while they close: s^T D^-1 s/8. s are the speeds of closing that they aimed at in the
// last evaluation, and D is the softness of these aims. Infinite if no equality is open.
double hfi_accel_release_energy(const hfAccel* a);
int hfi_accel_max_equality(const hfModel* m);
// x <- vdot of M vdot = x + Je^T lambda, Je vdot = target (nequality). target may be a->lambda.
void hfi_accel_solve(hfAccel* a, double* x, const double* target);

// Sets the weights of errors: 1 for positions, `time` [s] for velocities; an error of a deformation counts as the velocity that it causes.
void hfi_accel_weigh(hfAccel* a, double time);
// The equation for integrators. Its integration renews the contact memory of a->keeper after every step.
hfOde hfi_accel_ode_with_memory(hfAccel* a);

// J (n x n) of hf_accel_ode.
hfStatus hfi_accel_jacobian(hfAccel* a, double t, const double* x, double* J);
// The parts of J (n x n) at the point gathered last: begin, which clears J and collects all forces but those of contacts; add the contacts one by one, with
// the derivatives of their forces by row velocities, Dv, and by displacements along their rows, Dx; finish. The equation may have further coordinates behind
// (q, v, act), up to n. Their rows and columns are the caller's, between begin and finish or after that.
void hfi_accel_begin_jacobian(hfAccel* a, int n, double* J);
void hfi_accel_add_slopes(hfAccel* a, const hfiAccelContact* c, double Dv[6][6], double Dx[6][6]);
void hfi_accel_finish_jacobian(hfAccel* a, int n, double* J);
// Carries a Jacobian J (n x n) in the tangent space at a point into the chart, in which the point is u and its rate udot.
void hfi_accel_lift_jacobian(const hfAccel* a, int n, const double* u, const double* udot, double* J);
// Writes the rows and columns of activations to J (n x n), which are zero before.
void hfi_accel_activation_jacobian(hfAccel* a, int n, double* J);
// Is neither actuator i nor a joint that it drives at a limit of force?
int hfi_accel_actuator_is_free(const hfAccel* a, int i);

// Computes the forces at x = (q, v, act), unless that was the last point.
hfStatus hfi_accel_visit(hfAccel* a, double t, const double* x);

#endif
