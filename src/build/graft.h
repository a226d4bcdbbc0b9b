// Copies the definitions of one builder, the guest, into another one, under one of its bodies.
//
// The steps are separate functions because a reader that attaches a model adds each kind of object in its turn: first
// the tree, later the contacts, tendons, equalities, actuators and sensors.
#ifndef HFI_BUILD_GRAFT_H
#define HFI_BUILD_GRAFT_H

#include "math/vec3.h"
#include "build/builder.h"

typedef struct hfiGraft {
  hfBuilder* b;                // the builder into which the guest is copied
  const hfBuilder* guest;
  const char *prefix, *suffix; // added to the names of all copies
  int root;                    // the guest's body whose subtree is copied; 0: everything
  int replaces;                // 1: b takes the place of the guest: meshes and height fields that no geom uses stay,
                               // and the rules about inertia are those of b
  int without_kind;            // hfObjectKind of objects of the guest that are left out; NONE: none are
  int without[2];              // their ids [first, end)
  int parent;                  // body of b under which the guest is copied
  hfVec3 p;                    // position of the guest's world in the frame of the parent [m]
  hfQuat q;                    // its orientation
  int* id[HF_OBJECT_KINDS];    // (guest's objects of the kind) their ids in b, -1: not copied; in the pool of b
  int copied[HF_OBJECT_KINDS]; // 1: hfi_graft_kind has copied this kind
} hfiGraft;

// Refuses a parent or a body that does not exist, and a pose without direction.
hfStatus hfi_graft_open(hfiGraft* graft, hfBuilder* b, const hfBuilder* guest, const hfAttachDef* def, hfError* error);
// Copies meshes, height fields, bodies, joints, geoms, sites and cameras.
hfStatus hfi_graft_tree(hfiGraft* graft, hfError* error);
// Copies one kind of objects that refer to the tree: HF_OBJECT_PAIR (with excluded bodies), TENDON, EQUALITY, ACTUATOR,
// SENSOR. Objects that refer to parts which were not copied are left out. A kind is copied once, however often this is
// called.
hfStatus hfi_graft_kind(hfiGraft* graft, hfObjectKind kind, hfError* error);
// Whether an object of the guest is one of those that are left out by their ids.
int hfi_graft_leaves_out(const hfiGraft* graft, int kind, int id);
// The name with prefix and suffix, in the pool of b. NULL stays NULL; NULL is also returned if there is no memory.
const char* hfi_graft_name(hfiGraft* graft, const char* name);
// Copies the guest's keyframes. In them everything outside of the graft is at its reference.
hfStatus hfi_graft_keys(hfiGraft* graft, hfError* error);

#endif
