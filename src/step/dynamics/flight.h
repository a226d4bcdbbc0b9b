// Inertial motion over a step of length h (docs/theory/flight.md).
//
// Two kinds of trees. A *free body* is a tree of one link on a free joint: its spin has a closed form of
// every accuracy that a step needs, also in contact. Any other tree is *articulated*: while nothing but
// gravity acts on it, its velocity-dependent forces are taken half at the start and half at the end of the step.
#ifndef HFI_DYNAMICS_FLIGHT_H
#define HFI_DYNAMICS_FLIGHT_H

#include "step/dynamics/dynamics.h"

// One free body over a step.
typedef struct hfiFreeBody {
  int32_t link, tree;
  int32_t off_centre; // 1: the centre of mass is not at the body's origin
  int32_t rolls;      // 1: impulses act at both ends of the step, with a step of free spin between them
  hfVec3 spun_B;      // angular velocity after half a step of free spin, before any impulse, in the body [rad/s]
  hfQuat q_m;         // orientation at that time
  hfMat3 R_m;
} hfiFreeBody;

// What an articulated tree keeps in free flight, about its centre of mass.
typedef struct hfiInvariants {
  hfVec3 linear;  // momentum [kg m/s]
  hfVec3 angular; // momentum about the centre [kg m^2/s]
  double kinetic; // energy of the motion relative to the centre, armature included [J]
  int32_t known;  // 1: the tree has a free root and no armature there, and nothing but gravity acts
} hfiInvariants;

// How far a link of a tree turns within the step (fast.c): little; so far that its energy is bounded at the end; so
// far that its inertial forces are bounded, too.
typedef enum hfiSpeed { HFI_SLOW, HFI_MODERATE, HFI_FAST } hfiSpeed;

// Speeds of articulated trees and the bounds on those that turn far in a step (fast.c). The bound and the momentum are
// at first those of the start, then those that the end of the step may have. The kick is the change of v that inertial
// forces cause in the step.
typedef struct hfiFastTrees {
  int32_t* speed;        // (ntree) hfiSpeed
  int32_t count;         // number of trees that are not slow; the rest is valid for these
  double* slack;         // (ntree) the inertial energy may exceed its bound by this share of the bound [-]
  double* bound;         // (ntree) largest inertial energy [J]
  hfVec3* momentum;      // (ntree) momentum if the root is free [kg m/s]
  double* gain;          // (ntree) growth of a moderate tree's inertial energy at q0 by its kick [J]
  hfVec3* pull;          // (ntree) momentum that this kick adds [kg m/s]
} hfiFastTrees;

typedef struct hfiFlight {
  int32_t nbody;
  hfiFreeBody* body;     // (nbody)
  int32_t* first_link;   // (ntree + 1) first link of each tree: its root, whose parent is the world
  int32_t* articulated;  // (ntree) 1: not a free body
  // (ntree) 1: articulated, and all its joints are slides: neither M nor the bias depends on q or v
  int32_t* translates;
  int32_t nscalar, nturning; // number of joints of articulated trees with one coordinate; number of the others
  int32_t (*scalar)[2];  // (nscalar, room for njnt) index in q and dof of each joint with one coordinate
  int32_t* turning;      // (nturning, room for njnt) the other joints
  int32_t has_carried_slide; // 1: in some articulated tree a slide comes after a joint that is no slide
  // (nv) velocities from which the step problem starts: those after half a step of free spin for free bodies, v0 for
  // other trees
  double* start;
  double *middle, *base; // (nv) for articulated trees: velocities in the middle; momentum without inertial forces
  double* fall;          // (nv) M^-1 bias of flying trees that translate
  int32_t has_middle;    // 1: `middle` is valid for the trees that fly
  double* change;        // (ntree) by how much the last iteration changed the middle [-]
  hfiInvariants* kept;   // (ntree) invariants of articulated trees at the start
  hfiFastTrees fast;
} hfiFlight;

void hfi_flight_init(hfiFlight* f, const hfDynamics* d, hfiArena* arena);
// Finds out which trees are free bodies and how joints move; once more when parameters changed, because a body with
// armature is no free body.
void hfi_flight_classify(hfiFlight* f, const hfDynamics* d);

// ---- free bodies ----------------------------------------------------------------------------------

// A free body spins fast if it turns by more than this in a step [rad].
static const double HFI_FAST_SPIN_TURN = 0.2;
// Turns every free body into the middle of the step: its dof axes S and inertia I turn by half a step of free spin,
// and f->start gets its velocities there. For other trees f->start is v0. It must be called after
// hf_dynamics_set_position at q0 and before the stages that read S, I or velocities. Returns the number of bodies that
// turned: if there are any, S and I are no longer those of q0.
int hfi_flight_begin(hfiFlight* f, hfDynamics* d, double h, const double* v0);
// Replaces hf_dynamics_update_bias: the bias of a free body is only its weight, because the spin is in f->start.
void hfi_flight_bias(const hfiFlight* f, hfDynamics* d);
// Moves the free bodies' coordinates q over the step and makes v, the solution of the step problem, their velocities
// at its end. flies (ntree): 1 if nothing except gravity acted on the tree. stop (ntree, or NULL): if the time is
// below h, a body that does not fly stops there, but keeps its velocity.
void hfi_flight_end(const hfiFlight* f, const hfDynamics* d, double h, const int32_t* flies, const double* stop,
                    double* q, double* v);
// Centre of mass of a free body at the start of the step; and its velocity in a solution v (nv) of the step problem,
// with which it moves if it does not fly.
hfVec3 hfi_free_body_centre(const hfDynamics* d, const hfiFreeBody* body);
hfVec3 hfi_free_body_velocity(const hfDynamics* d, const hfiFreeBody* body, const double* v);
// Mean angular velocity, in body axes, of a body that rolls, between the impulses at the ends of a step of length h.
hfVec3 hfi_free_body_mean_spin(const hfDynamics* d, const hfiFreeBody* body, double h, const double* v);
// The solution v of the step problem for which the step ends at velocities v1: the inverse of hfi_flight_end for free
// bodies. v may be the same array as v1.
void hfi_flight_solution(const hfiFlight* f, const hfDynamics* d, double h, const double* v1, double* v);

// ---- articulated trees ----------------------------------------------------------------------------

// The momentum p = M v0 - h bias of flying trees becomes M v_m of the velocities v_m in the middle,
//   M v_m = M v0 - (h/2) bias(q0, v_m),
// found by iteration. A tree that only translates needs no iteration; a tree whose iteration fails does not fly. For
// other trees that turn far in a step the inertial forces in p = M v0 + h (tau - bias) are bounded. It must be called
// after hf_dynamics_update_bias and needs hf_dynamics_factor.
void hfi_articulated_begin(hfiFlight* f, hfDynamics* d, double h, const double* v0, const double* tau,
                           int32_t* flies, double* p);
// Sets the velocities v at the end of the step for flying trees that only translate: v - (h/2) M^-1 bias. The dynamics
// may be at any position.
void hfi_translation_end(const hfiFlight* f, const hfDynamics* d, double h, const int32_t* flies, double* v);
// Whether hfi_articulated_end has anything to do, for which the dynamics must then be placed at q1.
int hfi_articulated_needs_end(const hfiFlight* f, const hfDynamics* d, const int32_t* flies);
// Moves the coordinates of all articulated trees over the step, by the solution v of the step problem. stop (ntree, or
// NULL): see hfi_flight_end.
void hfi_articulated_move(hfiFlight* f, hfDynamics* d, double h, const int32_t* flies, const double* stop,
                          const double* v, double* q);
// Sets the velocities at the end of the step for the other articulated trees: v - (h/2) M^-1 bias(q1, v) for flying
// trees, then corrected to the momentum and energy that free flight keeps; those of fast trees are bounded. It must be
// called after hf_dynamics_set_position at q1.
void hfi_articulated_end(hfiFlight* f, hfDynamics* d, double h, const int32_t* flies, double* v);

#endif
