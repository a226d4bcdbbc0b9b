// A chain of single-degree joints from a base to a tip, with scratch for its kinematics and
// dynamics.
#ifndef HFI_MANIPULATION_ARM_H
#define HFI_MANIPULATION_ARM_H

#include "base/arena.h"
#include "math/spatial.h"
#include <holdfast/manipulation.h>

typedef struct hfiArmJoint {
  int32_t joint;   // its index in the model
  int32_t qposadr; // its coordinate
  int32_t dofadr;  // its dof
  int32_t motor;   // the actuator whose control is a force on this joint alone, or -1
  double gain;     // torque of the motor over its control [N m or N]
  double effort;   // largest torque [N m or N]
  double lo;       // range; infinite if there is none [rad or m]
  double hi;
} hfiArmJoint;

struct hfArm {
  const hfModel* model;
  hfDynamics* dynamics;
  int n;                  // number of joints
  int tip_site;           // -1: the tip is the body's frame
  int tip_body;
  hfiArmJoint* joint;     // (n)
  double* q_world;        // (nq) coordinates at which the kinematics were computed
  double* J;              // (6 x nv)
  double* vdot;           // (nv)
  double* tau;            // (nv)

  // Inverse kinematics (ik.c): x minimises |Jw x - e|^2 + lambda^2 |x - wish|^2 over lo <= x <= hi.
  double* Jw;             // (6 x n) J of the chain, angular rows times a length, so that all rows are lengths
  double* H;              // (n x n) the same as a box problem: least 1/2 x^T H x - g^T x
  double* g;              // (n)
  double* x;              // (n)
  double* lo;             // (n)
  double* hi;             // (n)
  double* wish;           // (n)
  double* best;           // (n) best coordinates so far
  double* trial;          // (n) coordinates, velocities or rates that are tried
  double* U;              // (n x n) scratch of hfi_box_minimise
  double* y;              // (n) scratch of hfi_box_minimise
  int32_t* held;          // (n) at which bound x_i ends: -1 the lower, 1 the upper, 0 none
  int32_t* index;         // (n) scratch of hfi_box_minimise
};

// Computes arm->Jw: the columns of the chain, angular rows multiplied by `length`.
void hfi_arm_weigh(hfArm* arm, double length);

// Minimise 1/2 x^T H x - g^T x over lo <= x <= hi.
typedef struct hfiBoxProblem {
  int n;
  const double* H;  // (n x n) positive definite, both triangles
  const double* g;  // (n)
  const double* lo; // (n)
  const double* hi; // (n)
  double* x;        // (n) any start, then the minimum
  int32_t* held;    // (n) -1 or 1 where the lower or upper bound holds x, else 0
  double* U;        // (n x n) scratch
  double* y;        // (n) scratch
  int32_t* index;   // (n) scratch
} hfiBoxProblem;

// Returns the number of passes, or -1 if there were too many or H has no factor.
int hfi_box_minimise(const hfiBoxProblem* problem);

#endif
