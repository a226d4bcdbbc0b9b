// Inside of the URDF reader: links and joints before they become bodies.
#ifndef HFI_IMPORT_URDF_MODEL_H
#define HFI_IMPORT_URDF_MODEL_H

#include "base/names.h"
#include "import/asset.h"
#include "import/mjcf.h"
#include "import/reader.h"

typedef struct hfiUrdfJoint hfiUrdfJoint;

typedef struct hfiUrdfLink {
  const char* name;
  hfiElem* elem;
  hfiUrdfJoint* joint;         // that moves it, NULL: a root
  hfiUrdfJoint *first, **tail; // joints to its children, in the order written
  struct hfiUrdfLink* next;
  int body;       // in the builder, -1: not yet
  hfiFrame frame; // in that body: not the identity where it was merged into it
  hfBodyDef def;  // of a leader: inertials of all that is merged into it
  int visited;    // the last walk that came here
  int mass;       // hfiUrdfMass of the body it belongs to, at its leader
  struct hfiUrdfLink*
      leader; // the link whose body it belongs to: itself, or what it is merged into
} hfiUrdfLink;

struct hfiUrdfJoint {
  const char* name;
  hfiElem* elem;
  int type; // hfiUrdfJointType
  hfiUrdfLink *parent, *child;
  hfiFrame origin; // X_PC at zero
  hfiUrdfJoint *sibling, *next;
};

// Where a body's mass comes from. The first two do not mix in one body.
typedef enum hfiUrdfMass { HFI_URDF_MASSLESS, HFI_URDF_EXPLICIT, HFI_URDF_INFERRED } hfiUrdfMass;

typedef enum hfiUrdfJointType {
  HFI_URDF_REVOLUTE,
  HFI_URDF_CONTINUOUS,
  HFI_URDF_PRISMATIC,
  HFI_URDF_FIXED,
  HFI_URDF_FLOATING,
  HFI_URDF_PLANAR,
  HFI_URDF_BALL
} hfiUrdfJointType;

typedef struct hfiUrdfMesh { // a file and scale that was loaded already
  const char* path;
  double scale[3];
  int id;
  struct hfiUrdfMesh* next;
} hfiUrdfMesh;

typedef struct hfiUrdf {
  hfiReader* r;
  hfiElem* root;
  hfiMjcf* settings; // of the <mujoco><compiler> extension
  int discard_visual;
  hfiUrdfLink *links, **link_tail, **link_of; // link_of: by number
  hfiNames names;                             // of links, to their number
  int link_count;
  hfiUrdfJoint *joints, **joint_tail;
  hfiMaterial* materials;
  hfiUrdfMesh* meshes;
} hfiUrdf;

// <origin xyz rpy> of an element, or the identity. rpy turns about fixed axes: R = Rz Ry Rx.
hfiFrame hfi_urdf_origin(hfiUrdf* u, const hfiElem* elem);
hfiUrdfLink* hfi_urdf_find_link(const hfiUrdf* u, const char* name);

// Geoms of a link's collision and visual elements.
void hfi_urdf_read_materials(hfiUrdf* u);
void hfi_urdf_read_geoms(hfiUrdf* u, hfiUrdfLink* link);
// Joint of a body: none, one, or three for a planar joint.
void hfi_urdf_add_joints(hfiUrdf* u, const hfiUrdfJoint* joint, int body);
// mimic, once all joints are there.
void hfi_urdf_read_mimic(hfiUrdf* u);
// Adds the link's <inertial>, if any, to its leader's definition.
void hfi_urdf_add_inertial(hfiUrdf* u, hfiUrdfLink* link);
// Collision filter groups and frames (Drake).
void hfi_urdf_read_filters(hfiUrdf* u);
void hfi_urdf_read_frames(hfiUrdf* u);

#endif
