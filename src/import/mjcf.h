// Reading MJCF: a document, its compiler settings, default classes and assets.
//
// Each kind of element has a spec (its definition and what must be known before it is complete) and
// a function that applies one XML element to it. A spec starts from the format's defaults; then the
// default elements of its class chain are applied, from the outermost class inwards, then the
// element itself (hfi_mjcf_apply). That is the whole mechanism of default classes.
#ifndef HFI_IMPORT_MJCF_H
#define HFI_IMPORT_MJCF_H

#include "import/asset.h"
#include "import/reader.h"
#include "math/vec3.h"

typedef struct hfiMjcf hfiMjcf;

// ---- actuators: what a default class holds ------------------------------------------------------

// Which element wrote the gain, bias and dynamics parameters.
typedef enum hfiShortcut {
  HFI_GENERAL,
  HFI_MOTOR,
  HFI_POSITION,
  HFI_VELOCITY,
  HFI_INTVELOCITY,
  HFI_DAMPER,
  HFI_CYLINDER,
  HFI_PID, // <plugin plugin="mujoco.pid">
  HFI_SHORTCUTS
} hfiShortcut;

typedef struct hfiActuatorSpec {
  hfActuatorDef def;
  hfiShortcut shortcut;
  int ctrllimited, forcelimited, actlimited; // 0, 1, -1: by range
  double inheritrange, armature, damping;
  const struct hfiActuatorSpec* outer; // of the enclosing class
} hfiActuatorSpec;

// ---- default classes ----------------------------------------------------------------------------

typedef struct hfiClassItem {
  const hfiElem* elem;
  struct hfiClassItem* next;
} hfiClassItem;

typedef struct hfiClass {
  const char* name;
  struct hfiClass *parent, *next;
  hfiClassItem *item, **tail; // its default elements, in order
  int count, inherited;       // how many, and how many of the parent's there were when it was made
  hfiActuatorSpec actuator;
} hfiClass;

// ---- assets and parameters ----------------------------------------------------------------------

typedef struct hfiMeshAsset {
  const char* name;
  const hfiElem* elem;
  int id;     // in the builder, or -1
  int loaded; // 0: not tried yet
  struct hfiMeshAsset* next;
} hfiMeshAsset;

typedef struct hfiMaterial {
  const char* name;
  double rgba[4];
  struct hfiMaterial* next;
} hfiMaterial;

// Objects that were left out (unsupported kinds), so that what refers to them is left out too.
typedef struct hfiLeftOut {
  int kind; // hfObjectKind
  const char* name;
  struct hfiLeftOut* next;
} hfiLeftOut;

// A parameter of Holdfast's own: <numeric> or <text> whose name begins with "hf.".
typedef struct hfiCustom {
  const char *key, *text; // key without "hf."
  double value;           // of a numeric
  const hfiElem* elem;
  int used;
  struct hfiCustom* next;
} hfiCustom;

// One name defined inside a replicate; group: which replica of which outermost replicate, in the
// order of the tree; attachments are groups too.
typedef struct hfiReplica {
  const char *name, *suffix;
  int group;
  struct hfiReplica* next;
} hfiReplica;

typedef struct hfiReplicate {
  const hfiElem* elem;
  int first_group;
  struct hfiReplicate* next;
} hfiReplicate;

struct hfiMjcf {
  hfiReader* r;
  hfiElem* root;
  int degree, autolimits, strippath, fitaabb, inertiafromgeom, grouprange[2];
  char eulerseq[4];
  const char *meshdir, *assetdir;
  hfiClass *main, *classes;
  hfiMeshAsset* meshes;
  hfiMaterial* materials;
  hfiLeftOut* left_out;
  hfiCustom* custom;
  hfiReplica *replica, **replica_tail;
  hfiReplicate* replicates;
  int group, group_count;      // the current one, how many there are
  const char *prefix, *suffix; // of every name: attached models, replicas
  const char* folder;          // of this document's main file
  struct hfiModelAsset* models;
  struct hfiAttachment* attachments;
  int attached; // 1: a model inside another; references that are not there are dropped
  int reflects; // 1: some actuator gives its target armature or damping
  int actuators_left_out;
};

// A pose and where it is written.
typedef struct hfiFrame {
  hfVec3 p;
  hfQuat q;
} hfiFrame;
typedef struct hfiPoseSpec {
  double pos[3], quat[4];
} hfiPoseSpec;
// Inside a body: which one, the frame around the element, and the default class that is active.
typedef struct hfiScope {
  int body;
  hfiFrame frame; // X_BF
  const hfiClass* childclass;
  int has_inertial;
} hfiScope;

// ---- mjcf.c -------------------------------------------------------------------------------------

// Reads a document whose root is <mujoco> into reader->builder.
void hfi_mjcf_read(hfiReader* reader, hfiElem* root);
// Expands includes and reads compiler, options, defaults, custom and assets; the tree is not read.
hfiMjcf* hfi_mjcf_open(hfiReader* reader, hfiElem* root, const char* folder, const hfiMjcf* outer);
// Calls `read` for every child of every <section> of the document.
typedef void (*hfiReadChild)(hfiMjcf* m, hfiElem* elem);
void hfi_mjcf_each(hfiMjcf* m, const char* section, hfiReadChild read);

// ---- names (mjcf_names.c) -----------------------------------------------------------------------

// The element's own name with prefix and suffix, or NULL.
const char* hfi_mjcf_name(hfiMjcf* m, const hfiElem* elem);
// Id of the object named by an attribute; -1 when the attribute is absent. Refuses unknown names; a
// name that was left out gives HFI_LEFT_OUT.
enum { HFI_LEFT_OUT = -2 };
int hfi_mjcf_find(hfiMjcf* m, const hfiElem* elem, const char* attr, hfObjectKind kind);
int hfi_mjcf_find_required(hfiMjcf* m, const hfiElem* elem, const char* attr, hfObjectKind kind);
void hfi_mjcf_leave_out(hfiMjcf* m, hfObjectKind kind, const hfiElem* elem);
// Numbers the outermost replicates and attachments below an element in the order of the tree.
enum { HFI_MOST_REPLICAS = 100000 };
void hfi_mjcf_number_groups(hfiMjcf* m, const hfiElem* elem);
// First group of an outermost replicate of `count` replicas, or of an attachment (one).
int hfi_mjcf_first_group(hfiMjcf* m, const hfiElem* elem, int count);
// As hfi_mjcf_each for a section that refers to the tree: what refers to something replicated is
// read once a replica, and attached models bring theirs. That comes after the rest, in the order of
// the tree.
void hfi_mjcf_each_reference(hfiMjcf* m, const char* section, hfiReadChild read);

// ---- mjcf_default.c -----------------------------------------------------------------------------

typedef void (*hfiApply)(hfiMjcf* m, const hfiElem* elem, void* spec);
void hfi_mjcf_read_defaults(hfiMjcf* m);
// The class that is active for an element: its own `class`, else childclass, else the main class.
const hfiClass* hfi_mjcf_class(hfiMjcf* m, const hfiElem* elem, const hfiClass* childclass);
const hfiClass* hfi_mjcf_find_class(hfiMjcf* m, const hfiElem* elem, const char* attr);
// Applies the default elements called `kind` of the class chain, then the element.
void hfi_mjcf_apply(hfiMjcf* m, const hfiClass* active, const char* kind, const hfiElem* elem,
                    hfiApply apply, void* spec);

// ---- mjcf_pose.c --------------------------------------------------------------------------------

// Reads pos and one of quat, axisangle, euler, xyaxes, zaxis. Returns bits: 1 pos, 2 orientation.
int hfi_mjcf_read_pose(hfiMjcf* m, const hfiElem* elem, hfiPoseSpec* pose);
// The orientation alone; 1 if one was given.
int hfi_mjcf_read_orientation(hfiMjcf* m, const hfiElem* elem, double quat[4]);
double hfi_mjcf_angle(const hfiMjcf* m, double angle); // to radians
hfQuat hfi_mjcf_euler(const hfiMjcf* m, const double angle[3]);
hfiFrame hfi_frame_identity(void);
hfiFrame hfi_frame_mul(hfiFrame a, hfiFrame b);
hfiFrame hfi_frame_from(const double pos[3], const double quat[4]);
// X_BF X_FE into pos and quat.
void hfi_frame_place(const hfiFrame* frame, double pos[3], double quat[4]);
// Smallest rotation that takes +z to the direction of `axis`.
hfQuat hfi_quat_from_z(hfVec3 axis);

// ---- sections -----------------------------------------------------------------------------------

void hfi_mjcf_read_compiler(hfiMjcf* m, hfiElem* elem);
void hfi_mjcf_set_build_config(hfiMjcf* m);
void hfi_mjcf_read_option(hfiMjcf* m, hfiElem* elem);
void hfi_mjcf_read_custom(hfiMjcf* m, hfiElem* elem);
void hfi_mjcf_set_world(hfiMjcf* m);     // world-wide hf.* parameters
void hfi_mjcf_report_custom(hfiMjcf* m); // hf.* parameters that nothing asked for
void hfi_mjcf_contact_parameters(hfiMjcf* m, const char* geom, hfGeomDef* def);
void hfi_mjcf_read_signal(hfiMjcf* m, const char* actuator, hfActuatorDef* def);
void hfi_mjcf_read_drive(hfiMjcf* m, const char* actuator, hfActuatorDef* def);

void hfi_mjcf_read_asset(hfiMjcf* m, hfiElem* elem);
hfiMeshAsset* hfi_mjcf_find_mesh(hfiMjcf* m, const hfiElem* elem, const char* name);
// The asset's mesh id, loading it on first use; < 0: a status, the message in reader->scratch.
int hfi_mjcf_load_mesh(hfiMjcf* m, hfiMeshAsset* asset);
const hfiMaterial* hfi_mjcf_find_material(hfiMjcf* m, const char* name);

void hfi_mjcf_read_tree(hfiMjcf* m, const hfiScope* scope,
                        hfiElem* body); // children of a body or worldbody
void hfi_mjcf_read_joint(hfiMjcf* m, const hfiScope* scope, hfiElem* elem);
void hfi_mjcf_read_geom(hfiMjcf* m, const hfiScope* scope, hfiElem* elem);
void hfi_mjcf_read_site(hfiMjcf* m, const hfiScope* scope, hfiElem* elem);
void hfi_mjcf_attach(hfiMjcf* m, const hfiScope* scope, hfiElem* elem);
void hfi_mjcf_read_model_asset(hfiMjcf* m, hfiElem* elem);
void hfi_mjcf_report_models(hfiMjcf* m); // what attached models have that was not used
void hfi_mjcf_each_attached(hfiMjcf* m, int group, const char* section, hfiReadChild read);

void hfi_mjcf_read_contact(hfiMjcf* m, hfiElem* elem);
void hfi_mjcf_read_equality(hfiMjcf* m, hfiElem* elem);
void hfi_mjcf_read_tendon(hfiMjcf* m, hfiElem* elem);
void hfi_mjcf_read_actuator(hfiMjcf* m, hfiElem* elem);
void hfi_mjcf_read_sensor(hfiMjcf* m, hfiElem* elem);
void hfi_mjcf_read_key(hfiMjcf* m, hfiElem* elem);

// Read one default element into a spec that is thrown away: numbers are checked even if nothing
// uses them.
void hfi_mjcf_check_joint(hfiMjcf* m, hfiElem* elem);
void hfi_mjcf_check_geom(hfiMjcf* m, hfiElem* elem);
void hfi_mjcf_check_site(hfiMjcf* m, hfiElem* elem);
void hfi_mjcf_check_mesh(hfiMjcf* m, hfiElem* elem);
void hfi_mjcf_check_material(hfiMjcf* m, hfiElem* elem);
void hfi_mjcf_check_pair(hfiMjcf* m, hfiElem* elem);
void hfi_mjcf_check_equality(hfiMjcf* m, hfiElem* elem);
void hfi_mjcf_check_tendon(hfiMjcf* m, hfiElem* elem);

// The actuator kinds: is this element one, and its effect on a spec.
int hfi_mjcf_is_actuator(const hfiElem* elem);
hfiActuatorSpec hfi_mjcf_actuator_default(void);
void hfi_mjcf_apply_actuator(hfiMjcf* m, const hfiElem* elem, hfiActuatorSpec* spec);
// mujoco.pid: is this element one, and its gains.
int hfi_mjcf_is_pid(const hfiElem* elem);
void hfi_mjcf_apply_pid(hfiMjcf* m, const hfiElem* elem, hfiActuatorSpec* spec);
// Armature and damping that actuators reflect to a joint or tendon of that name, times gear
// squared.
void hfi_mjcf_reflected(hfiMjcf* m, const char* attr, const char* name, double* armature,
                        double* damping);

// solref and solimp together: when one is given the other takes the format's default.
void hfi_mjcf_read_solver(hfiMjcf* m, const hfiElem* elem, double solref[2], double solimp[5]);
// One to three coefficients of a polynomial, of which Holdfast has the linear one.
void hfi_mjcf_read_linear(hfiMjcf* m, const hfiElem* elem, const char* attr, double* linear);
// 0, 1 or "by its range" (-1).
void hfi_mjcf_read_limited(hfiMjcf* m, const hfiElem* elem, const char* attr, int* limited);
// Resolves it: by range where autolimits allows that. Refuses a limit without a range.
int hfi_mjcf_limited(hfiMjcf* m, const hfiElem* elem, const char* attr, int limited,
                     const double range[2]);

extern const hfiMeaning hfi_mjcf_meanings[];

#endif
