// Small value types shared by the public headers. SI units throughout.
//
// Frames follow the monogram notation: X_WB is the pose of frame B in W, p_WB its origin, R_WB its
// rotation; a quaternion q_WB is (w, x, y, z) and turns B's axes into W's: v_W = q_WB v_B q_WB^-1.
#ifndef HOLDFAST_TYPES_H
#define HOLDFAST_TYPES_H

#include <stdint.h>

typedef struct hfVec3 { double x, y, z; } hfVec3;
typedef struct hfQuat { double w, x, y, z; } hfQuat; // unit
typedef struct hfMat3 { double m[9]; } hfMat3;       // row-major

// Pose of a frame: rotation matrix and origin.
typedef struct hfPose { hfMat3 R; hfVec3 p; } hfPose;

// Spatial motion (twist) and spatial force (wrench) about a point that each function names. Everywhere in the
// library the angular part stands first: in these structs, in the six rows of a Jacobian, in arrays of six. Only two
// things that a file orders itself keep its order, force before torque: the gear of a site's actuator, and the data of a
// sensor <contact data="force torque">.
typedef struct hfMotion { hfVec3 w, v; } hfMotion; // [rad/s], [m/s]
typedef struct hfForce { hfVec3 n, f; } hfForce;   // [N m], [N]

#endif
