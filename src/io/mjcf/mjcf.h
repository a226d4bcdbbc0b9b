// Reading MJCF: a document, its compiler settings, default classes and assets.
//
// Each kind of element has a spec (its definition and what must be known before it is complete) and
// a function that applies one XML element to it. A spec starts from the format's defaults; then the
// default elements of its class chain are applied, from the outermost class inwards, then the
// element itself (hfi_mjcf_apply). That is the whole mechanism of default classes.
//
// In the files mjcf*.c that read, `m` is the document, `r` its reader, `e` an element, and `d` a definition that is
// filled for the builder. A spec is called `s`.
#ifndef HFI_IMPORT_MJCF_H
#define HFI_IMPORT_MJCF_H

#include "build/builder.h"
#include "io/mesh/asset.h"
#include "io/xml/placement.h"
#include "io/xml/reader.h"
#include "math/vec3.h"
#include "robot/control/muscle_length.h"

typedef struct hfiMjcf hfiMjcf;
typedef struct hfiMjcfTable hfiMjcfTable;

// ---- actuators -----------------------------------------------------------------------------------

// The element as which an actuator is written: it decides the meaning of gain, bias and dynamics.
typedef enum hfiShortcut {
  HFI_GENERAL,
  HFI_MOTOR,
  HFI_POSITION,
  HFI_VELOCITY,
  HFI_INTVELOCITY,
  HFI_DAMPER,
  HFI_CYLINDER,
  HFI_MUSCLE,
  HFI_SETPOINT_PID, // <pid>
  HFI_ADHESION,
  HFI_PID, // <plugin plugin="mujoco.pid">
  HFI_DCMOTOR,
  HFI_ORIENTATION,
  HFI_SHORTCUTS
} hfiShortcut;

// The attributes of <dcmotor>, as they are written.
typedef struct hfiMotorSpec {
  double resistance;
  double motorconst[2]; // Kt, Ke
  double nominal[3];    // voltage, stall torque, no-load speed
  double inductance[2]; // L, electrical time constant
  double thermal[6];    // resistance, capacity, time constant, coefficient, reference and ambient temperature
  double saturation[3]; // largest torque, current, rate of the current
  double cogging[3];
  double lugre[5];
  double controller[6];
  int inputs; // bits of hfMotorInput
} hfiMotorSpec;

// An actuator before it is complete: its definition, and attributes that MJCF has and the definition lacks.
typedef struct hfiActuatorSpec {
  hfActuatorDef def;
  hfiShortcut shortcut;
  int ctrllimited, forcelimited, actlimited; // 0, 1, or -1: the range decides
  int inputs;                                // inputs of <pid> as bits: position 1, velocity 2, feedforward 4
  double velrange[2], ffrange[2], slewmax, imax, ki; // attributes of <pid>
  hfiMotorSpec motor;                                // attributes of <dcmotor>
  double inheritrange; // the range of the control is this share of the target's range; 0: it is not
  double armature, damping, damping_poly[2]; // what the actuator adds to its target
  const struct hfiActuatorSpec* outer;       // the spec of the enclosing class
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
  int count;                  // number of items
  int inherited;              // number of items that its parent had when this class was made
  hfiActuatorSpec actuator;
} hfiClass;

// The default classes of a document.
typedef struct hfiClasses {
  hfiClass* main;   // the outermost class
  hfiClass* newest; // all classes, as a list
} hfiClasses;

// ---- assets and parameters ----------------------------------------------------------------------

// A mesh or height field that the builder has under the name with this prefix.
typedef struct hfiLoadedAs {
  const char* prefix;
  int id;
  struct hfiLoadedAs* next;
} hfiLoadedAs;

typedef struct hfiMjcfAsset {
  const char* name;
  const hfiElem* elem;
  int id;     // id in the builder, or -1
  int loaded; // 0: nobody has asked for it yet
  hfiLoadedAs* loads;
  struct hfiMjcfAsset* next;
} hfiMjcfAsset;

typedef struct hfiMjcfMaterial {
  const char* name;
  double rgba[4];
  struct hfiMjcfMaterial* next;
} hfiMjcfMaterial;

// What <asset> lists. Meshes and height fields are loaded when they are first used.
typedef struct hfiMjcfAssets {
  hfiMjcfAsset *meshes, *hfields;
  hfiMjcfMaterial* materials;
  struct hfiModelAsset* models; // documents that can be attached (mjcf_attach.c)
} hfiMjcfAssets;

// Objects that were left out because their kind is not supported. Elements that refer to them are left out, too.
typedef struct hfiLeftOut {
  int kind; // hfObjectKind
  const char* name;
  struct hfiLeftOut* next;
} hfiLeftOut;

// A parameter of Holdfast's own: <numeric> or <text> whose name begins with "hf.".
typedef struct hfiCustom {
  const char *key, *text; // key without "hf."
  double value;           // number of a <numeric>
  const hfiElem* elem;
  int used;
  struct hfiCustom* next;
} hfiCustom;

// A name that is defined inside a replicate. Its group is the number of the replica, counted over all replicas of
// outermost replicates in the order of the tree; an attached model counts as one group.
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

// The replicas of a document, and their groups.
typedef struct hfiReplicas {
  hfiReplica *first, **tail;
  hfiReplicate* replicates; // the outermost replicates and the attached models, with their first groups
  int group;                // the group that is being read
  int group_count;
} hfiReplicas;

// A camera that looks at a body. The body may come later in the file.
typedef struct hfiAim {
  int camera, mode; // id in the builder, hfCameraMode
  const hfiElem* elem;
  const char* suffix;
  struct hfiAim* next;
} hfiAim;

// A body of an elastic cable.
typedef struct hfiCableBody {
  int body;              // id in the builder
  const hfiElem* config; // the element with the parameters of its cable, which all bodies of the cable have in common
  struct hfiCableBody* next;
} hfiCableBody;

// The bodies of all cables, in the order of the tree.
typedef struct hfiCableBodies {
  hfiCableBody *first, **tail;
} hfiCableBodies;

// Parameters that replace those of all contacts: the attributes o_... of <option> with the flag override.
typedef struct hfiOverride {
  int active;
  double margin, solref[2], solimp[5], friction[5];
} hfiOverride;

// What happens if the options of an attached model differ from those of the file (conflict of <compiler>).
typedef enum hfiConflict { HFI_CONFLICT_WARNING, HFI_CONFLICT_ERROR, HFI_CONFLICT_MERGE } hfiConflict;

// What <compiler> says about how the file is to be read.
typedef struct hfiCompiler {
  int degree;                    // 1: angles of the file are in degrees, 0: in radians
  int autolimits;                // 1: a range without a word about limits is a limit
  int strippath;                 // 1: folders in the names of asset files are dropped
  int fitaabb;                   // 1: geoms are fitted to the bounding box of a mesh, 0: to its inertia box
  int conflict;                  // hfiConflict
  char eulerseq[4];              // axes of Euler angles: capital letters for fixed axes
  const char *meshdir, *assetdir; // folders of asset files; meshdir is NULL if the file gives none
  hfBuildConfig build;           // rules about inertia
  hfiLengthSearch lengths;       // how lengths of muscles are found that no file gives
} hfiCompiler;

// A document of MJCF that is being read.
struct hfiMjcf {
  const hfiMjcfTable* table; // what to do with each kind of element
  hfiReader* r;
  hfiElem* root;
  const char* folder; // folder of this document's main file

  hfiCompiler compiler;
  hfWorld default_options; // the options of a file without <option>
  hfiOverride override;
  hfiClasses classes;
  hfiMjcfAssets assets;
  hfiCustom* custom;

  const char *prefix, *suffix; // added to every name inside an attached model or a replica
  hfiReplicas replicas;
  // How many documents are around this one: 0 for the main file. If it is attached, elements that refer to parts which
  // are not attached are dropped.
  int attached;
  struct hfiAttachment* attachments; // what is attached to this document, in the order of the tree

  hfiAim* aims;
  hfiCableBodies cable_bodies;
  hfiLeftOut* left_out;
  int actuators_left_out; // a count
  int reflects;           // 1: some actuator adds armature or damping to its target
};

typedef struct hfiPoseSpec {
  double pos[3], quat[4];
} hfiPoseSpec;

// The place of an element: its body, the frame around it, and the default class that is active there.
typedef struct hfiScope {
  int body;
  hfiPlacement frame; // X_BF
  const hfiClass* childclass;
  int has_inertial;
} hfiScope;

// ---- the table of elements ------------------------------------------------------------------------

// Where an element stands. Those of HFI_IN_DEFAULT have readers of their whole section, and are listed for their
// default elements.
typedef enum hfiMjcfSection { HFI_IN_BODY, HFI_IN_TREE, HFI_IN_ASSET, HFI_IN_DEFAULT } hfiMjcfSection;

// What the readers do with one kind of element.
typedef struct hfiMjcfElement {
  const char* name;
  hfiMjcfSection section;
  void (*place)(hfiMjcf* m, const hfiScope* scope, hfiElem* elem); // reads an element of a body or of the tree
  void (*read)(hfiMjcf* m, hfiElem* elem);                         // reads an element of <asset>
  // Reads a default element into a spec that nobody uses. So its numbers are checked even if no element has this class.
  // NULL: it has no defaults.
  void (*check)(hfiMjcf* m, hfiElem* elem);
} hfiMjcfElement;

// mjcf.c owns the table and puts it into every document. So a file that meets elements of all kinds, as bodies and
// default classes do, names no reader, and the readers do not need each other in circles.
struct hfiMjcfTable {
  const hfiMjcfElement* element;
  int count;
  // Reads a default element of an actuator into the spec of its class. Returns 0 if the element is not an actuator.
  int (*read_default_actuator)(hfiMjcf* m, hfiElem* elem, hfiActuatorSpec* spec);
  // hfi_mjcf_open, for models that are attached
  hfiMjcf* (*open)(hfiReader* reader, hfiElem* root, const char* folder, const hfiMjcf* outer);
};

// The row of an element; NULL if there is none for it in this section.
const hfiMjcfElement* hfi_mjcf_find_row(const hfiMjcf* m, const hfiElem* elem, hfiMjcfSection section);

// ---- mjcf.c -------------------------------------------------------------------------------------

// Reads a document whose root is <mujoco> into reader->builder.
void hfi_mjcf_read(hfiReader* reader, hfiElem* root);
// Expands includes and reads compiler, options, defaults, custom and assets; the tree is not read.
hfiMjcf* hfi_mjcf_open(hfiReader* reader, hfiElem* root, const char* folder, const hfiMjcf* outer);
// Puts the bodies of every <composite type="cable"> below an element behind it, and their excludes into the document
// (mjcf_composite.c).
void hfi_mjcf_unfold_composites(hfiMjcf* m, hfiElem* elem);

// ---- names (mjcf_names.c) -----------------------------------------------------------------------

// The name of the element with prefix and suffix, or NULL if it has none.
const char* hfi_mjcf_name(hfiMjcf* m, const hfiElem* elem);
// The id of the object that an attribute names; -1 when there is no such attribute; HFI_LEFT_OUT when that object was
// left out. Refuses unknown names.
enum { HFI_LEFT_OUT = -2 };
int hfi_mjcf_find(hfiMjcf* m, const hfiElem* elem, const char* attr, hfObjectKind kind);
int hfi_mjcf_find_required(hfiMjcf* m, const hfiElem* elem, const char* attr, hfObjectKind kind);
void hfi_mjcf_leave_out(hfiMjcf* m, hfObjectKind kind, const hfiElem* elem);
// Numbers the groups below an element, in the order of the tree.
enum { HFI_MOST_REPLICAS = 100000 };
void hfi_mjcf_number_groups(hfiMjcf* m, const hfiElem* elem);
// The first group of an outermost replicate with `count` replicas, or of an attached model (count 1).
int hfi_mjcf_first_group(hfiMjcf* m, const hfiElem* elem, int count);
// The first replica, from number `i` on, that the element refers to, or NULL.
const hfiReplica* hfi_mjcf_find_replica(const hfiReplica* i, const hfiElem* elem);

// ---- mjcf_attach.c ------------------------------------------------------------------------------

// Calls `read` for every child of every <section> of the document.
typedef void (*hfiReadChild)(hfiMjcf* m, hfiElem* elem);
void hfi_mjcf_each(hfiMjcf* m, const char* section, hfiReadChild read);
// Like hfi_mjcf_each, for a section whose elements refer to the tree. An element that refers to something replicated is
// read once for each replica, and the elements of attached models are read too. Both come after all other elements, in
// the order of the tree.
void hfi_mjcf_each_reference(hfiMjcf* m, const char* section, hfiReadChild read);
void hfi_mjcf_attach(hfiMjcf* m, const hfiScope* scope, hfiElem* elem);
void hfi_mjcf_read_model_asset(hfiMjcf* m, hfiElem* elem);
// Adds the keyframes of attached models after the document's own.
void hfi_mjcf_read_attached_keys(hfiMjcf* m);
void hfi_mjcf_report_models(hfiMjcf* m); // reports what attached models have that was not used

// ---- mjcf_default.c -----------------------------------------------------------------------------

typedef void (*hfiApply)(hfiMjcf* m, const hfiElem* elem, void* spec);
void hfi_mjcf_read_defaults(hfiMjcf* m);
// The class that is active for an element: that of its attribute `class`, else childclass, else the main class.
const hfiClass* hfi_mjcf_class(hfiMjcf* m, const hfiElem* elem, const hfiClass* childclass);
const hfiClass* hfi_mjcf_find_class(hfiMjcf* m, const hfiElem* elem, const char* attr);
// Applies the default elements called `kind` of the class and its ancestors, then the element itself.
void hfi_mjcf_apply(hfiMjcf* m, const hfiClass* active, const char* kind, const hfiElem* elem,
                    hfiApply apply, void* spec);

// ---- mjcf_pose.c --------------------------------------------------------------------------------

// Reads pos and one of quat, axisangle, euler, xyaxes, zaxis. Returns which of both was given, as bits of hfiPoseGiven.
typedef enum hfiPoseGiven { HFI_GIVES_POSITION = 1, HFI_GIVES_ORIENTATION = 2 } hfiPoseGiven;
int hfi_mjcf_read_pose(hfiMjcf* m, const hfiElem* elem, hfiPoseSpec* pose);
double hfi_mjcf_angle(const hfiMjcf* m, double angle); // to radians
hfQuat hfi_mjcf_euler(const hfiMjcf* m, const double angle[3]);
// Writes the pose X_BF X_FE of an element in the body of its scope to pos and quat.
void hfi_mjcf_place(const hfiScope* scope, const hfiPoseSpec* pose, double pos[3], double quat[4]);

// ---- sections -----------------------------------------------------------------------------------

void hfi_mjcf_read_compiler(hfiMjcf* m, hfiElem* elem);
void hfi_mjcf_read_option(hfiMjcf* m, hfiElem* elem);
// Compares the options of a model that is attached with those of the file, and takes them over where <compiler
// conflict="merge"> wants it.
void hfi_mjcf_merge_options(hfiMjcf* m, hfiMjcf* attached, const hfiElem* elem);
void hfi_mjcf_read_custom(hfiMjcf* m, hfiElem* elem);
void hfi_mjcf_set_world(hfiMjcf* m);     // world-wide hf.* parameters
void hfi_mjcf_report_custom(hfiMjcf* m); // reports hf.* parameters that nothing asked for
void hfi_mjcf_contact_parameters(hfiMjcf* m, const char* geom, hfGeomDef* def);
void hfi_mjcf_read_signal(hfiMjcf* m, const char* actuator, hfActuatorDef* def);
void hfi_mjcf_read_drive(hfiMjcf* m, const char* actuator, hfActuatorDef* def);

void hfi_mjcf_read_mesh(hfiMjcf* m, hfiElem* elem);
void hfi_mjcf_read_material(hfiMjcf* m, hfiElem* elem);
// Puts an asset at the front of the list, under its name or that of its file. Returns 0 after a refusal. kind: "mesh"
// or "height field".
int hfi_mjcf_list_asset(hfiMjcf* m, const hfiElem* elem, const char* kind, hfiMjcfAsset** list);
// The asset that the attribute of a geom names. NULL after a refusal.
hfiMjcfAsset* hfi_mjcf_find_asset(hfiMjcf* m, const hfiElem* geom, const char* attribute, const char* kind,
                                  hfiMjcfAsset* list, const char* name);
// Must be called after an asset was loaded, or could not be: asset->id is its id, or a status < 0.
void hfi_mjcf_note_loaded(hfiMjcf* m, hfiMjcfAsset* asset);
// Makes those assets of the list loaded that were loaded with this prefix, and no others.
void hfi_mjcf_recall_loaded(hfiMjcfAsset* list, const char* prefix);
// The mesh id of the asset, which is loaded when it is first used. A status < 0 after a refusal, with the message in
// reader->scratch.
int hfi_mjcf_load_mesh(hfiMjcf* m, hfiMjcfAsset* asset);
// Fills the points of a built-in mesh. Returns 0 if the element asks for none.
int hfi_mjcf_make_builtin(hfiMjcf* m, const hfiElem* elem, hfiMeshSpec* spec);
// The path of a file that <asset> names.
const char* hfi_mjcf_asset_path(hfiMjcf* m, const hfiElem* elem, const char* file);
void hfi_mjcf_read_hfield(hfiMjcf* m, hfiElem* elem);
// Like hfi_mjcf_load_mesh, for a height field.
int hfi_mjcf_load_hfield(hfiMjcf* m, hfiMjcfAsset* asset);
const hfiMjcfMaterial* hfi_mjcf_find_material(hfiMjcf* m, const char* name);

void hfi_mjcf_read_tree(hfiMjcf* m, const hfiScope* scope, hfiElem* body); // children of a body or worldbody
void hfi_mjcf_read_joint(hfiMjcf* m, const hfiScope* scope, hfiElem* elem);
void hfi_mjcf_read_geom(hfiMjcf* m, const hfiScope* scope, hfiElem* elem);
void hfi_mjcf_read_site(hfiMjcf* m, const hfiScope* scope, hfiElem* elem);
void hfi_mjcf_read_camera(hfiMjcf* m, const hfiScope* scope, hfiElem* elem);
void hfi_mjcf_aim_cameras(hfiMjcf* m); // gives cameras their targets, once the tree of the document is read

void hfi_mjcf_read_contact(hfiMjcf* m, hfiElem* elem);
void hfi_mjcf_read_equality(hfiMjcf* m, hfiElem* elem);
void hfi_mjcf_read_tendon(hfiMjcf* m, hfiElem* elem);
void hfi_mjcf_read_actuator(hfiMjcf* m, hfiElem* elem);
void hfi_mjcf_read_sensor(hfiMjcf* m, hfiElem* elem);
void hfi_mjcf_read_key(hfiMjcf* m, hfiElem* elem);
void hfi_mjcf_fill_keys(hfiMjcf* m);

// Default elements: see hfiMjcfElement.check.
void hfi_mjcf_check_joint(hfiMjcf* m, hfiElem* elem);
void hfi_mjcf_check_geom(hfiMjcf* m, hfiElem* elem);
void hfi_mjcf_check_site(hfiMjcf* m, hfiElem* elem);
void hfi_mjcf_check_mesh(hfiMjcf* m, hfiElem* elem);
void hfi_mjcf_check_material(hfiMjcf* m, hfiElem* elem);
void hfi_mjcf_check_pair(hfiMjcf* m, hfiElem* elem);
void hfi_mjcf_check_equality(hfiMjcf* m, hfiElem* elem);
void hfi_mjcf_check_tendon(hfiMjcf* m, hfiElem* elem);
void hfi_mjcf_check_camera(hfiMjcf* m, hfiElem* elem);

// Whether this element is an actuator, and the effect of the element on a spec.
int hfi_mjcf_is_actuator(const hfiElem* elem);
int hfi_mjcf_read_default_actuator(hfiMjcf* m, hfiElem* elem, hfiActuatorSpec* spec); // see hfiMjcfTable
void hfi_mjcf_apply_actuator(hfiMjcf* m, const hfiElem* elem, hfiActuatorSpec* spec);
// Like hfi_mjcf_apply_actuator, but only for the attributes that define the force (mjcf_force_law.c).
void hfi_mjcf_apply_force_law(hfiMjcf* m, const hfiElem* elem, hfiActuatorSpec* spec);
// The element <pid>: reads it, and adds the actuators of its second and third input.
void hfi_mjcf_apply_setpoint_pid(hfiMjcf* m, const hfiElem* elem, hfiActuatorSpec* spec);
// Must be called after the ranges that all actuators have were read.
void hfi_mjcf_apply_setpoint_ranges(hfiMjcf* m, const hfiElem* elem, hfiActuatorSpec* spec);
void hfi_mjcf_add_inputs(hfiMjcf* m, const hfiElem* elem, const hfiActuatorSpec* spec);
// The element <dcmotor>: reads it, and adds an actuator for each input except the first.
void hfi_mjcf_apply_motor(hfiMjcf* m, const hfiElem* elem, hfiActuatorSpec* spec);
void hfi_mjcf_add_motor_inputs(hfiMjcf* m, const hfiElem* elem, const hfiActuatorSpec* spec);
// The element <orientation>: reads it, finds which controls it has (also for <general gaintype="so3">), and adds an
// actuator for each control except the first.
void hfi_mjcf_apply_orientation(hfiMjcf* m, const hfiElem* elem, hfActuatorDef* d);
void hfi_mjcf_read_chart(hfiMjcf* m, const hfiElem* elem, hfActuatorDef* d);
void hfi_mjcf_add_axes(hfiMjcf* m, const hfiElem* elem, const hfActuatorDef* first);
#define HFI_CABLE_PLUGIN "mujoco.elasticity.cable"
// Notes that a body is part of a cable, if it has the plugin of cables (mjcf_cable.c).
void hfi_mjcf_note_cable(hfiMjcf* m, hfiElem* body, int id);
// Gives the joints of all cables their stiffness. The tree must have been read.
void hfi_mjcf_stiffen_cables(hfiMjcf* m);
// Is the element the plugin mujoco.pid?
int hfi_mjcf_is_pid(const hfiElem* elem);
// Reads the gains of this plugin.
void hfi_mjcf_apply_pid(hfiMjcf* m, const hfiElem* elem, hfiActuatorSpec* spec);
// Finds what actuators add to the joint or tendon of this name: their armature and damping times the square of their
// gear.
void hfi_mjcf_reflected(hfiMjcf* m, const char* attr, const char* name, double* armature,
                        double* damping, double poly[2]);

// ---- attributes that several elements have (mjcf_attributes.c) ----------------------------------

// Reads solref and solimp from the attributes of these names. When only one is given, the other has the format's
// default. Returns 1 if one of them is given.
int hfi_mjcf_read_solver(hfiMjcf* m, const hfiElem* elem, const char* ref_name, const char* imp_name, double solref[2],
                         double solimp[5]);
// Reads one to three coefficients of a polynomial. Those that are not given stay.
void hfi_mjcf_read_polynomial(hfiMjcf* m, const hfiElem* elem, const char* attr, double* linear, double poly[2]);
// Reads a list of words, which must keep the order of `words` (NULL ends them), and sets the bit of each. Returns 0 if
// there is no such attribute.
int hfi_mjcf_read_words(hfiMjcf* m, const hfiElem* elem, const char* attr, const char* const* words, int* bits);
// Reads 0, 1 or -1: the range decides.
void hfi_mjcf_read_limited(hfiMjcf* m, const hfiElem* elem, const char* attr, int* limited);
// Replaces -1 by 0 or 1, as the range says, if autolimits allows that. Refuses a limit without a range.
int hfi_mjcf_limited(hfiMjcf* m, const hfiElem* elem, const char* attr, int limited,
                     const double range[2]);
// Reads kv or dampratio of a servo. If neither is given, the value of the class stays.
void hfi_mjcf_read_servo_damping(hfiMjcf* m, const hfiElem* elem, hfActuatorDef* d);
// Is the element a plugin of this kind?
int hfi_mjcf_is_plugin(const hfiElem* elem, const char* plugin);
// Finds the instance `name` of a plugin in <extension>. Returns NULL if there is none, or if the name is "". Marks the
// plugin as used; plugins that are not marked are reported.
hfiElem* hfi_mjcf_find_instance(hfiMjcf* m, const char* plugin, const char* name);

extern const hfiMeaning hfi_mjcf_meanings[];

// Words of the bits of hfContactData and of hfRayData.
extern const char* const hfi_mjcf_contact_data[], *const hfi_mjcf_ray_data[];
// Words of hfContactReduce, hfSleepPolicy and hfCameraMode.
extern const hfiKeyword hfi_mjcf_reductions[], hfi_mjcf_sleep_policies[], hfi_mjcf_camera_modes[];
// Words of the parameters in <custom>, with the values of hfMethod, hfFrictionLaw, hfFrictionRule, hfDriveLaw and
// hfSignalType.
extern const hfiKeyword hfi_mjcf_methods[], hfi_mjcf_friction_laws[], hfi_mjcf_friction_rules[], hfi_mjcf_drives[],
    hfi_mjcf_signals[];
extern const hfiKeyword hfi_mjcf_interpolations[]; // words of hfInterpolation
// The element of a sensor of this type (hfSensorType), and the attribute that names its object: NULL for a frame
// sensor, "" for a sensor without an object.
const char* hfi_mjcf_sensor_word(int type, const char** attribute);

#endif
