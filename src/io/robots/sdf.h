// Reading SDFormat, the format of Gazebo and Drake.
//
// Everything that has a pose is an entity: models, links, joints and frames. Their full names are unique: "model::link"
// inside a nested model. Poses are resolved on demand, because an entity may be placed relative to another one that is
// written later.
#ifndef HFI_IMPORT_SDF_H
#define HFI_IMPORT_SDF_H

#include "base/names.h"
#include "io/mjcf/mjcf.h"
#include "io/xml/reader.h"

typedef enum hfiSdfKind { HFI_SDF_MODEL, HFI_SDF_LINK, HFI_SDF_JOINT, HFI_SDF_FRAME } hfiSdfKind;

// What is known of the pose of an entity.
typedef enum hfiSdfPoseState { HFI_SDF_POSE_UNKNOWN, HFI_SDF_POSE_BEING_RESOLVED, HFI_SDF_POSE_KNOWN } hfiSdfPoseState;

typedef struct hfiSdfEntity {
  hfiSdfKind kind;
  const char* name; // full; "" for the only model of a file
  hfiElem* elem;
  struct hfiSdfEntity* scope; // the model that contains it; NULL: the world
  hfiSdfPoseState state;      // of X_W
  hfiPlacement X_W;           // pose in the world, all joints at zero

  // if it is a model
  int is_static;         // 1: the file says <static>true</static>
  int merged;            // 1: of <include merge="true">: names in it are as if they stood in the model around it
  hfiElem* placed;       // the element whose <pose> places it, <include> or <model>
  const char* placement; // what inside of it has this pose; NULL: the model itself
  const char* folder;    // the folder of its file
  hfiElem* included;     // the root of its file, if it was included

  // if it is a link
  int body;                         // id in the builder, or -1
  struct hfiSdfEntity* moved_by;    // the joint whose child it is, or NULL
  const struct hfiSdfEntity* group; // the first of the links that fixed joints connect with it
  struct hfiSdfEntity *first, *last; // joints whose parent it is, in the order of the file
  int parts; // how many bodies it has beside its own: one for each joint that closes a loop and needs one
  const hfBodyDef* part; // definition of each of these bodies, and of its own

  // if it is a joint
  struct hfiSdfEntity *parent, *child; // links; a parent of NULL is the world
  struct hfiSdfEntity* child_frame;    // what <child> names: the child itself, or a frame or model that moves with it
  struct hfiSdfEntity* sibling;        // the next joint of the same parent
  int closes;                          // 1: another joint moves its child already: it closes a loop
} hfiSdfEntity;

typedef struct hfiSdfMesh { // a mesh that was loaded already
  const char* path;
  double scale[3];
  int id;
  struct hfiSdfMesh* next;
} hfiSdfMesh;

typedef struct hfiSdfHeightmap { // a heightmap that was loaded already
  const char* path;
  double size[3];
  int sampling;
  int id;
  struct hfiSdfHeightmap* next;
} hfiSdfHeightmap;

typedef struct hfiSdf {
  hfiReader* r;
  hfiElem* root;
  hfiSdfEntity** entity; // in the order of the file, models before what they contain
  int count, capacity;
  hfiNames names;
  hfiSdfMesh* meshes;
  hfiSdfHeightmap* heightmaps;
  int depth; // number of nested includes
} hfiSdf;

// Reads a document whose root is <sdf> into reader->builder.
void hfi_sdf_read(hfiReader* reader, hfiElem* root);

// ---- sdf_frames.c -------------------------------------------------------------------------------

// The entity of that name as seen from inside `scope`, or NULL. *world is set if the name is "world".
hfiSdfEntity* hfi_sdf_find(hfiSdf* s, const hfiSdfEntity* scope, const char* name, int* world);
// The pose in the world of an entity that has one of its own.
hfiPlacement hfi_sdf_place(hfiSdf* s, hfiSdfEntity* entity);
// The <pose> of an element in the world. Without relative_to it is written in `frame`.
hfiPlacement hfi_sdf_pose(hfiSdf* s, const hfiSdfEntity* scope, const hfiElem* elem, hfiPlacement frame);
// The frame that an attribute of an element names, in the world; `frame` if it names none.
hfiPlacement hfi_sdf_named_frame(hfiSdf* s, const hfiSdfEntity* scope, const hfiElem* elem, const char* attribute,
                                 hfiPlacement frame);
// The link that an entity moves with: a link itself, the child of a joint, the link that a frame is attached to, the
// canonical link of a model: by default its first own link, or that of its first model. NULL after a refusal, and for
// the world, for which *world is set.
hfiSdfEntity* hfi_sdf_link_of(hfiSdf* s, hfiSdfEntity* entity, int* world);

// The name of the model in which names of this scope are unique: that around merged models. "" is the outermost.
const char* hfi_sdf_prefix(const hfiSdfEntity* scope);
// Whether a text says true: "true" in small or large letters, or "1".
int hfi_sdf_is_true(const char* text);

// The text of a child element, or NULL; the number in it, if there is one.
const char* hfi_sdf_text(const hfiElem* elem, const char* child);
int hfi_sdf_number(hfiSdf* s, const hfiElem* elem, const char* child, double* x);
int hfi_sdf_bound(hfiSdf* s, const hfiElem* elem, const char* child, double* x); // a number that may be infinite
// Whether the model of a link is static.
int hfi_sdf_is_static(const hfiSdfEntity* link);
// Whether a joint that closes a loop needs a body of its own at its child.
int hfi_sdf_splits(const hfiSdfEntity* joint);
// Whether a joint does not move: it is of type fixed, or its child is static.
int hfi_sdf_is_fixed(const hfiSdfEntity* joint);
// Whether a joint couples two others and moves no link itself.
int hfi_sdf_is_gearbox(const hfiSdfEntity* joint);
// Whether nothing holds a link: it has a free joint.
int hfi_sdf_floats(const hfiSdf* s, const hfiSdfEntity* link);
// Whether a group of links stands still in the world.
int hfi_sdf_stands(const hfiSdf* s, const hfiSdfEntity* group);
// The path of a file that a URI inside of a link names.
const char* hfi_sdf_file(hfiSdf* s, const hfiSdfEntity* link, const char* uri);

// ---- sdf_link.c, sdf_joint.c --------------------------------------------------------------------

void hfi_sdf_read_inertial(hfiSdf* s, const hfiSdfEntity* link, hfBodyDef* def);
void hfi_sdf_read_geoms(hfiSdf* s, const hfiSdfEntity* link, int body);
// Loads the height field of a <heightmap> and adds its <pos> to X. Returns its id, or a status < 0 with the message in
// reader->scratch.
int hfi_sdf_load_heightmap(hfiSdf* s, const hfiSdfEntity* link, const hfiElem* elem, hfiPlacement* X);
// Adds the joints of a link's body: none, one or two.
void hfi_sdf_add_joints(hfiSdf* s, hfiSdfEntity* joint, int body);
// The axis of a joint in the child's frame, from its <axis> or <axis2>, which may be NULL.
hfVec3 hfi_sdf_axis(hfiSdf* s, hfiSdfEntity* joint, const hfiElem* axis);
// Whether a joint has one coordinate, which is an angle.
int hfi_sdf_has_angle(hfiSdf* s, const hfiSdfEntity* joint);
// Closes the loop of a joint whose child is moved by another joint. All bodies must have been added (sdf_loop.c).
void hfi_sdf_close_loop(hfiSdf* s, hfiSdfEntity* joint);
// Warns if a ball or fixed joint that closes a loop says something about the motion that is not used.
void hfi_sdf_report_held(hfiSdf* s, const hfiSdfEntity* joint);
// Excludes contacts by Drake's collision filter groups, after all bodies were added (sdf_filter.c).
void hfi_sdf_read_filters(hfiSdf* s);
// Adds equalities of mimic joints and actuators, after all joints were added.
void hfi_sdf_read_couplings(hfiSdf* s);
// Adds the equality of two joints that each gearbox means. All joints must have been added (sdf_gearbox.c).
void hfi_sdf_read_gearboxes(hfiSdf* s);

#endif
