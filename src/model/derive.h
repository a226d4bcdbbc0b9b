// What follows from other fields of a model: the topology of its tree, masses and axes, and inertias at the reference.
#ifndef HFI_MODEL_DERIVE_H
#define HFI_MODEL_DERIVE_H

#include <holdfast/model.h>
#include "math/spatial.h"
#include "model/block.h"

// ---- topology (topology.c) ---------------------------------------------------------------------------
//
// What follows from the tree of bodies: which joints, dofs, geoms and trees a body has, and the pattern of M.

// Fills all fields that follow from body_parent, body_mocap (>= 0: the body is one), jnt_body, jnt_type and geom_body.
// They are hfi_topology_fields. Bodies must be depth-first, joints and geoms grouped by body, and the counts right.
void hfi_fill_topology(hfModel* m);

enum { HFI_TOPOLOGY_FIELDS = 25 };
extern const hfModelField hfi_topology_fields[HFI_TOPOLOGY_FIELDS];

// ---- derived fields (derive.c) -----------------------------------------------------------------------

// Poses of all bodies (nbody) at qpos0, where no joint is displaced: a composition of the static offsets.
void hfi_reference_poses(const hfModel* model, hfPose* X_WB);
// Poses of all bodies (nbody) with hinges and slides at the rests of their springs and all other joints at qpos0.
void hfi_rest_poses(const hfModel* model, hfPose* X_WB);
// Motion of dof i per unit velocity, at the world origin, with the bodies at X_WB.
hfMotion hfi_reference_axis(const hfModel* model, int dof, const hfPose* X_WB);
// Inertia of each body (nbody) and all below it about the world origin, with the bodies at X_WB.
void hfi_reference_composites(const hfModel* model, const hfPose* X_WB, hfiInertia* composite);
// Computes subtree masses, principal axes, bounds of geoms, and the diagonal of M at qpos0, when a model is finished
// and when a parameter overlay has changed. Refuses non-physical inertias and motions without inertia, naming the body;
// *at_fault is then its id (at_fault may be NULL).
hfStatus hfi_derive(hfModel* model, int* at_fault, hfError* error);

// ---- inertia at the reference (reference_mass.c) -------------------------------------------------------

// Computes j M^-1 j^T at qpos0 for a row j (nv); its inverse is the inertia against a force along j. Refuses when out
// of memory, or where M is not positive definite.
hfStatus hfi_reference_compliance(const hfModel* model, const double* row, double* compliance, hfError* error);
// The same, and |M^-1 j^T|, the size of the acceleration that a unit force along j causes.
hfStatus hfi_reference_acceleration(const hfModel* model, const double* row, double* compliance, double* acceleration,
                                    hfError* error);
// row += factor times the gradient of a tendon's length at qpos0, where the bodies are at X_WB.
void hfi_add_tendon_moment(const hfModel* model, int tendon, const hfPose* X_WB, double factor, double* row);

#endif
