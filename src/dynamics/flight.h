// Inertial motion over a step of length h (docs/theory/motion.md).
//
// Two kinds of trees. A *free body* is a tree of one link on a free joint: its spin has a closed form of
// every accuracy that a step needs, also in contact. Any other tree is *articulated*: while nothing but
// gravity acts on it, its velocity-dependent forces are taken half at the start and half at the end of the step.
#ifndef HFI_DYNAMICS_FLIGHT_H
#define HFI_DYNAMICS_FLIGHT_H

#include "dynamics/dynamics.h"

// One free body over a step.
typedef struct hfiFreeBody {
  int32_t link, tree;
  int32_t off_centre; // 1: the centre of mass is not at the body's origin
  hfVec3 spun_B;      // angular velocity after half a step of free spin, before any impulse, in the body [rad/s]
  hfQuat q_m;         // orientation then
  hfMat3 R_m;
} hfiFreeBody;

// What an articulated tree keeps in free flight, about its centre of mass.
typedef struct hfiInvariants {
  hfVec3 linear;  // momentum [kg m/s]
  hfVec3 angular; // momentum about the centre [kg m^2/s]
  double kinetic; // energy of the motion relative to the centre, armature included [J]
  int32_t known;  // 1: the tree has a free root and no armature there, and nothing but gravity acts
} hfiInvariants;

// How far a link of a tree turns within the step (fast.c): little; so far that its energy is bounded at the end; or so far
// that its inertial forces are bounded too.
typedef enum hfiSpeed { HFI_SLOW, HFI_BRISK, HFI_FAST } hfiSpeed;

typedef struct hfiFlight {
  int32_t nbody;
  hfiFreeBody* body;  // (nbody)
  int32_t* first_link;   // (ntree + 1) of each tree; its root, whose parent is the world, is the first
  int32_t* articulated;  // (ntree) 1: not a free body
  int32_t* translates;   // (ntree) 1: articulated, and all its joints are slides: neither M nor the bias depends on q or v
  int32_t nscalar, nturning; // joints of articulated trees with one coordinate, and the others
  int32_t (*scalar)[2];  // (nscalar of njnt) place of the coordinate in q, dof
  int32_t* turning;      // (nturning of njnt) joints
  int32_t has_carried_slide; // 1: some slide of an articulated tree has a dof before it that is not a slide's
  double* start;         // (nv) velocities at the start as the step problem sees them
  double *middle, *base; // (nv) articulated trees: velocities in the middle, momentum without inertial forces
  double* fall;          // (nv) M^-1 bias of flying trees that translate
  int32_t has_middle;    // 1: middle holds them for the trees that fly
  double* change;        // (ntree) by how much the last iteration changed the middle [-]
  hfiInvariants* kept;   // (ntree) of articulated trees at the start
  int32_t* fast;         // (ntree) hfiSpeed of articulated trees
  int32_t nfast;         // trees that are not slow
  double* slack;         // (ntree) share of its energy by which such a tree may exceed its bound [-]
  double* bound;         // (ntree) inertial energy that such a tree may end with [J]
  hfVec3* momentum;      // (ntree) and the momentum, where its root is free [kg m/s]
  double* gain;          // (ntree) inertial energy that the kick of inertial forces gives a brisk tree at q0 [J]
  hfVec3* pull;          // (ntree) and momentum [kg m/s]
} hfiFlight;

void hfi_flight_init(hfiFlight* f, const hfDynamics* d, hfiArena* arena);
// Finds out which trees are free bodies and how joints move; once more when parameters changed, because a body with armature is no free body.
void hfi_flight_sort(hfiFlight* f, const hfDynamics* d);

// ---- free bodies ----------------------------------------------------------------------------------

// A free body *whirls* that turns by more than this in a step [rad].
static const double HFI_WHIRL = 0.2;
// Puts every free body into the middle of the step: its dof axes S and inertia I turn by half a step of free
// spin, and f->start gets the velocities there; elsewhere f->start is v0. After hf_dynamics_position at q0,
// before the stages that read S, I or velocities. Returns how many bodies turned: with any, S and I belong to q0
// no longer.
int hfi_flight_begin(hfiFlight* f, hfDynamics* d, double h, const double* v0);
// In the place of hf_dynamics_bias: the bias of free bodies is their weight alone, because the spin is in f->start.
void hfi_flight_bias(const hfiFlight* f, hfDynamics* d);
// Moves the free bodies' coordinates q over the step and makes v, the solution of the step problem, their
// velocities at its end. flies (ntree): 1 where nothing but gravity acted. stop (ntree, or NULL): times at which bodies that
// do not fly stop, though they keep their velocities, where these are below h.
void hfi_flight_end(const hfiFlight* f, const hfDynamics* d, double h, const int32_t* flies, const double* stop, double* q, double* v);
// Centre of mass of a free body at the start of the step; and its velocity in a solution v (nv) of the step problem, by which
// it moves where it does not fly.
hfVec3 hfi_free_body_centre(const hfDynamics* d, const hfiFreeBody* body);
hfVec3 hfi_free_body_velocity(const hfDynamics* d, const hfiFreeBody* body, const double* v);
// What v must be in the step problem for the step to end at velocities v1: the inverse of hfi_flight_end for
// free bodies. v may be v1.
void hfi_flight_solution(const hfiFlight* f, const hfDynamics* d, double h, const double* v1, double* v);

// ---- articulated trees ----------------------------------------------------------------------------

// The momentum p = M v0 - h bias of flying trees becomes M v_m of the velocities v_m in the middle,
//   M v_m = M v0 - (h/2) bias(q0, v_m),
// found by iteration; a tree that translates needs none, and one whose iteration fails flies no longer. Of other trees that turn far in a step the
// inertial forces in p = M v0 + h (tau - bias) are bounded. After hf_dynamics_bias; needs hf_dynamics_factor.
void hfi_articulated_begin(hfiFlight* f, hfDynamics* d, double h, const double* v0, const double* tau,
                           int32_t* flies, double* p);
// The velocities v at the end of flying trees that translate: v - (h/2) M^-1 bias, wherever the dynamics is placed.
void hfi_translation_end(const hfiFlight* f, const hfDynamics* d, double h, const int32_t* flies, double* v);
// Whether hfi_articulated_end has anything to do, for which the dynamics must then be placed at q1.
int hfi_articulated_needs_end(const hfiFlight* f, const hfDynamics* d, const int32_t* flies);
// Coordinates of all articulated trees over the step, by the solution v of the step problem. stop (ntree, or NULL): as of
// hfi_flight_end.
void hfi_articulated_move(hfiFlight* f, hfDynamics* d, double h, const int32_t* flies, const double* stop, const double* v, double* q);
// Velocities at the end of the others: v - (h/2) M^-1 bias(q1, v) of flying trees, then corrected to the momentum and energy
// that free flight keeps; fast trees bounded. After hf_dynamics_position at q1.
void hfi_articulated_end(hfiFlight* f, hfDynamics* d, double h, const int32_t* flies, double* v);

#endif
