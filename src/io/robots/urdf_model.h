// Inside of the URDF reader: links and joints before they become bodies.
#ifndef HFI_IMPORT_URDF_MODEL_H
#define HFI_IMPORT_URDF_MODEL_H

#include "base/names.h"
#include "io/mesh/asset.h"
#include "io/mjcf/mjcf.h"
#include "io/xml/reader.h"
#include "build/key.h"

typedef struct hfiUrdfJoint hfiUrdfJoint;

typedef struct hfiUrdfLink {
  const char* name;
  hfiElem* elem;
  hfiUrdfJoint* joint;         // the joint that moves it; NULL for a root
  hfiUrdfJoint *first, **tail; // the joints to its children, in the order in which they are written
  struct hfiUrdfLink* next;
  int body;       // its id in the builder, or -1 while it has none
  hfiPlacement frame; // its pose in that body, which is not the identity if it was merged into another link
  hfBodyDef def;  // for a leader: includes the inertials of all links that are merged into it
  int visited;    // number of the last visit of the tree that came here
  int mass;       // for a leader: hfiUrdfMass of its body
  int weightless; // 1: gravity does not act on it
  // The first of the links that fixed joints connect with it: itself, if no fixed joint moves it.
  const struct hfiUrdfLink* group;
  struct hfiUrdfLink* leader; // the link to whose body it belongs: itself, or the link into which it is merged
} hfiUrdfLink;

struct hfiUrdfJoint {
  const char* name;
  hfiElem* elem;
  int type; // hfiUrdfJointType
  hfiUrdfLink *parent, *child;
  hfiPlacement origin; // X_PC at zero
  hfiUrdfJoint *sibling, *next;
  // The joint that it follows, set by hfi_urdf_read_mimic. NULL if it follows none, or one that is not there.
  const hfiUrdfJoint* leader;
};

// Where the mass of a body comes from. One body cannot have mass from both <inertial> and geometry.
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

typedef struct hfiUrdfMesh { // a mesh that was loaded already, with its file and scale
  const char* path;
  double scale[3];
  int id;
  struct hfiUrdfMesh* next;
} hfiUrdfMesh;

typedef struct hfiUrdf {
  hfiReader* r;
  hfiElem* root;
  hfiMjcf* settings; // settings of the <mujoco><compiler> extension
  int discard_visual;
  int has_weightless; // 1: gravity does not act on some link
  hfiUrdfLink *links, **link_tail, **link_of; // link_of: by number
  hfiNames names;                             // gives the number of a link by its name
  int link_count;
  hfiUrdfJoint *joints, **joint_tail;
  hfiMjcfMaterial* materials;
  hfiUrdfMesh* meshes;
} hfiUrdf;

// The pose <origin xyz rpy> of an element, or the identity. rpy are rotations about fixed axes: R = Rz Ry Rx.
hfiPlacement hfi_urdf_origin(hfiUrdf* u, const hfiElem* elem);
// The link or joint with this name, or NULL.
hfiUrdfLink* hfi_urdf_find_link(const hfiUrdf* u, const char* name);
hfiUrdfJoint* hfi_urdf_find_joint(const hfiUrdf* u, const char* name);
// Refuses a file that xacro has not expanded.
void hfi_urdf_refuse_macros(hfiReader* reader, const hfiElem* root);

// Adds the geoms of a link's collision and visual elements.
void hfi_urdf_read_materials(hfiUrdf* u);
void hfi_urdf_read_geoms(hfiUrdf* u, hfiUrdfLink* link);
// Adds the joints of a body: none, one, or three for a planar joint.
void hfi_urdf_add_joints(hfiUrdf* u, const hfiUrdfJoint* joint, int body);
// Finds which joints follow others, by <mimic> or the parameter of a <ros2_control>, and adds their equalities, after
// all joints were added.
void hfi_urdf_read_mimic(hfiUrdf* u);
// Reads the number of a <param> of <ros2_control>. If it is no finite number, returns 0 and leaves x untouched, with a
// warning.
int hfi_urdf_read_parameter(hfiUrdf* u, const hfiElem* param, double* x);
// Adds actuators, after all joints and their leaders are known.
void hfi_urdf_read_actuators(hfiUrdf* u);
// Adds the keyframe with the initial values of <ros2_control>, after all actuators were added.
void hfi_urdf_read_start(hfiUrdf* u);
// In a keyframe with coordinates, lets joints that follow others follow, and position servos hold.
void hfi_complete_start(const hfBuilder* b, const hfiKeyLayout* ids, const hfiKeyArrays* a);
// Inertia of the rotors on a joint, seen through their gears: sum of ratio^2 times inertia [kg m^2 or kg].
double hfi_urdf_rotor_inertia(hfiUrdf* u, const char* joint);
// Adds the link's <inertial>, if any, to its leader's definition.
void hfi_urdf_add_inertial(hfiUrdf* u, hfiUrdfLink* link);
// Reads of Gazebo's extensions which links have no weight, and reports those that would move the robot otherwise.
void hfi_urdf_read_gazebo(hfiUrdf* u);
// Takes the weight off the body of a leader if none of its links has one.
void hfi_urdf_set_weight(hfiUrdf* u, hfiUrdfLink* leader);
// Reads collision filter groups and frames, which are extensions of Drake.
void hfi_urdf_read_filters(hfiUrdf* u);
void hfi_urdf_read_frames(hfiUrdf* u);

// Reads a document whose root is <robot> into reader->builder.
void hfi_urdf_read(hfiReader* reader, hfiElem* root);

// ---- SRDF, MoveIt's file beside a URDF ------------------------------------------------------------

// Reads the file config.srdf of the reader, after the URDF: pairs of links that must not touch, and states of groups of
// joints.
void hfi_srdf_read(hfiUrdf* u);
// Adds each <group_state> as a keyframe.
void hfi_srdf_read_states(hfiUrdf* u, const hfiElem* root);

#endif
