// What only the files of this folder see: the table of object kinds, the checks of definitions, and the filling of a
// model.
#ifndef HFI_BUILD_INSIDE_H
#define HFI_BUILD_INSIDE_H

#include "base/finite.h"
#include "build/builder.h"
#include "build/graft.h"
#include "build/order.h"
#include "math/vec3.h"
#include "model/block.h"

#include <stddef.h>

// ---- kinds of objects (list.c, kind.c) ------------------------------------------------------------------

// Every definition begins with these.
typedef struct hfiDefinition {
  const char *name, *where;
} hfiDefinition;

// The largest number of ids that a definition has outside of its arrays.
enum { HFI_MOST_REFERENCES = 3 };

// An id in a definition.
typedef struct hfiReference {
  size_t offset;                              // where it lies in the definition
  const char* noun;                           // what a refusal calls it; NULL: the name of its kind
  hfObjectKind kind;                          // what it names, if find_kind is NULL
  hfObjectKind (*find_kind)(const void* def); // what it names; NONE: nothing, and the id is -1
  int is_optional;                            // 1: -1 stands for no object
} hfiReference;

// What becomes of a guest's object: it is not copied; it is copied, and its references get new ids; it has them
// already.
typedef enum hfiAdapted { HFI_LEFT_OUT, HFI_ADAPTED, HFI_ADAPTED_WITH_IDS, HFI_ADAPTED_NO_MEMORY } hfiAdapted;

// Any entry of a list. `def` is what all of them begin with.
typedef union hfiAnyEntry {
  hfiDefinition def;
  hfBodyDef body;
  hfJointDef joint;
  hfGeomDef geom;
  hfSiteDef site;
  hfCameraDef camera;
  hfiMesh mesh;
  hfHeightFieldDef hfield;
  hfTendonDef tendon;
  hfEqualityDef equality;
  hfPairDef pair;
  hfActuatorDef actuator;
  hfSensorDef sensor;
  hfiKey key;
} hfiAnyEntry;

// Where the objects of a kind lie, and what they refer to.
typedef struct hfiObjects {
  size_t list;                                 // where the list lies in hfBuilder
  size_t entry_size, def_size;                 // bytes of an entry of the list, and of the definition that begins it
  size_t body;                                 // where a definition has the body that groups the objects; 0: none
  int first;                                   // the first object that can be changed, and that attaching copies
  hfiReference reference[HFI_MOST_REFERENCES]; // up to the first one with offset 0
} hfiObjects;

// What can be done with the objects of a kind. A function that is NULL has nothing to do.
typedef struct hfiKind {
  // Refuses a definition that makes no sense, completes it, and gives quaternions and axes unit length.
  hfStatus (*check)(const hfBuilder* b, void* def, hfError* error);
  // Copies the arrays of a definition into the pool.
  hfStatus (*own)(hfBuilder* b, void* def, hfError* error);
  // Makes the rest of a new entry, or refuses it beside those that are there.
  hfStatus (*admit)(hfBuilder* b, void* entry, hfError* error);
  // Notes an entry that was added.
  void (*note)(hfBuilder* b, const void* entry);
  // Puts into a changed definition of object id what cannot be changed.
  hfStatus (*keep)(const hfBuilder* b, int id, void* def, hfError* error);
  // Frees what an entry has outside of the pool.
  void (*release)(void* entry);
  // Adapts a copy of the guest's object id, except its references.
  hfiAdapted (*adapt)(hfiGraft* graft, void* def, int id);
} hfiKind;

// One row for each kind. Those of NONE and INERTIAL are empty: their entry_size is 0.
extern const hfiObjects hfi_objects[HF_OBJECT_KINDS]; // list.c
extern const hfiKind hfi_kinds[HF_OBJECT_KINDS];      // kind.c

// The list of a kind, NULL for numbers that are not a kind with objects. An inertial frame is one of a body.
hfiList* hfi_list_of(const hfBuilder* b, hfObjectKind kind);
// The definition of an object that exists.
const hfiDefinition* hfi_definition(const hfBuilder* b, hfObjectKind kind, int id);
// Where a definition has an id, and what kind of object it names.
int32_t* hfi_reference_id(const hfiReference* reference, void* def);
hfObjectKind hfi_reference_kind(const hfiReference* reference, const void* def);
// Adds an object. Returns its id, or a status < 0 with nothing changed.
int hfi_builder_add(hfBuilder* b, hfObjectKind kind, const void* def, hfError* error);
// Adds a complete entry under its name, as the last part of an addition.
int hfi_builder_enter(hfBuilder* b, hfObjectKind kind, void* entry, hfError* error);
// Refuses names that models do not have (hfi_name_is_sound).
hfStatus hfi_check_names(const hfBuilder* b, hfError* error);
// Makes room for one more entry. Returns 0 if there is no memory.
int hfi_list_reserve(hfiList* list, size_t entry_size);
// Appends to a list that has room. Evaluates to the id.
#define HFI_APPEND(list, value) (list.data[list.count] = (value), list.count++)

// Refuses a definition d.
#define HFI_REFUSE(d, kind, ...) hfi_refuse_def(error, (d)->where, kind, (d)->name, __VA_ARGS__)

// ---- checks of definitions (add_*.c) ------------------------------------------------------------------

// The numbers of one field of a definition, with its name for messages. The ends of a range may be infinite, but must
// be in order.
typedef struct hfiNumbers {
  const char* field;
  const double* x;
  int count, is_range;
} hfiNumbers;
#define HFI_NUMBERS(def, field) {#field, (const double*)&(def)->field, (int)(sizeof(def)->field / sizeof(double)), 0}
#define HFI_RANGE(def, field) {#field, (def)->field, 2, 1}

// Refuses a number that is not finite, and in a range ends that are not numbers or not in order, by the name of its
// field.
hfStatus hfi_check_numbers(const hfiNumbers* fields, int count, const hfiDefinition* def, hfObjectKind kind,
                           hfError* error);
// The same for an array of the fields of a definition.
#define HFI_CHECK_NUMBERS(fields, def, kind, error)                                                                    \
  hfi_check_numbers(fields, (int)(sizeof(fields) / sizeof *(fields)), (const hfiDefinition*)(def), kind, error)

// Refuses a negative delay, and a history of a sensor or actuator with a size or interpolation that does not exist.
// How far a history must reach back depends on the step (finish_history.c).
hfStatus hfi_check_samples(const hfiDefinition* def, hfObjectKind kind, double delay, int nsample, int interp,
                           hfError* error);
int hfi_body_has_joints(const hfBuilder* b, int body);
// The number sensor_num that the model gets for a sensor: of an orientation servo its axes, of a rangefinder its rays.
int hfi_sensor_num(const hfBuilder* b, const hfSensorDef* def);
// Refuses more numbers than sensors may have.
hfStatus hfi_check_sensor_numbers(const hfBuilder* b, hfError* error);

// Replaces a guest's id by the copy's id in b; an id below 0 stays. Returns 0 if the object was not copied.
int hfi_graft_rename(const hfiGraft* graft, hfObjectKind kind, int32_t* id);

// The functions of the table of kinds.
hfStatus hfi_check_body(const hfBuilder* b, void* def, hfError* error);
hfStatus hfi_check_joint(const hfBuilder* b, void* def, hfError* error);
hfStatus hfi_check_geom(const hfBuilder* b, void* def, hfError* error);
hfStatus hfi_check_site(const hfBuilder* b, void* def, hfError* error);
hfStatus hfi_check_camera(const hfBuilder* b, void* def, hfError* error);
hfStatus hfi_check_mesh(const hfBuilder* b, void* def, hfError* error);
hfStatus hfi_check_height_field(const hfBuilder* b, void* def, hfError* error);
hfStatus hfi_check_tendon(const hfBuilder* b, void* def, hfError* error);
hfStatus hfi_check_equality(const hfBuilder* b, void* def, hfError* error);
hfStatus hfi_check_pair(const hfBuilder* b, void* def, hfError* error);
hfStatus hfi_check_actuator(const hfBuilder* b, void* def, hfError* error);
hfStatus hfi_check_sensor(const hfBuilder* b, void* def, hfError* error);
hfStatus hfi_own_mesh(hfBuilder* b, void* def, hfError* error);
hfStatus hfi_own_height_field(hfBuilder* b, void* def, hfError* error);
hfStatus hfi_own_tendon(hfBuilder* b, void* def, hfError* error);
hfStatus hfi_own_actuator(hfBuilder* b, void* def, hfError* error);
hfStatus hfi_admit_joint(hfBuilder* b, void* entry, hfError* error);
hfStatus hfi_admit_mesh(hfBuilder* b, void* entry, hfError* error);
void hfi_note_joint(hfBuilder* b, const void* entry);
hfStatus hfi_keep_body(const hfBuilder* b, int id, void* def, hfError* error);
hfStatus hfi_keep_joint(const hfBuilder* b, int id, void* def, hfError* error);
void hfi_release_mesh(void* entry);
hfiAdapted hfi_adapt_body(hfiGraft* graft, void* def, int id);
hfiAdapted hfi_adapt_geom(hfiGraft* graft, void* def, int id);
hfiAdapted hfi_adapt_site(hfiGraft* graft, void* def, int id);
hfiAdapted hfi_adapt_camera(hfiGraft* graft, void* def, int id);
hfiAdapted hfi_adapt_mesh(hfiGraft* graft, void* def, int id);
hfiAdapted hfi_adapt_height_field(hfiGraft* graft, void* def, int id);
hfiAdapted hfi_adapt_tendon(hfiGraft* graft, void* def, int id);
hfiAdapted hfi_adapt_equality(hfiGraft* graft, void* def, int id);
hfiAdapted hfi_adapt_actuator(hfiGraft* graft, void* def, int id);

// ---- mass (mass.c) ----------------------------------------------------------------------------------

// Mass properties about a point O: I is the inertia about the centre of mass, in the axes of O's frame.
typedef struct hfiMass {
  double mass;  // [kg]; for unit density the volume or area
  hfVec3 com;   // [m]
  double I[6];  // xx yy zz xy xz yz [kg m^2]
} hfiMass;

// Unit-density properties of a mesh in its own frame: mass is the volume (or the area of a shell).
hfStatus hfi_mesh_mass(const hfMeshDef* mesh, hfiMass* out, hfError* error);
// Properties of a bounded geom in its body's frame. `mesh`: unit-density properties of its mesh in the geom's frame,
// for shapes that use one.
hfiMass hfi_geom_mass(const hfGeomDef* geom, const hfiMass* mesh);
// Sum of two, about the common centre of mass.
hfiMass hfi_mass_add(const hfiMass* a, const hfiMass* b);

// ---- filling a model (finish*.c) ----------------------------------------------------------------------

typedef struct hfiFinish {
  const hfBuilder* b;
  hfModel* m;
  hfiOrder order;
  hfiMass* mesh_mass; // (nmesh) unit-density properties in the mesh file's frame
} hfiFinish;

// The definition of an object of the model.
static inline const void* hfi_finish_def(const hfiFinish* f, hfObjectKind kind, int id) {
  return hfi_definition(f->b, kind, hfi_order_old(&f->order, kind, id));
}

void hfi_finish_tree(hfiFinish* f);                            // bodies, joints, dofs, trees, sparsity of M
hfStatus hfi_check_joints(const hfiFinish* f, hfError* error); // refuses joints of a body that move it alike
hfStatus hfi_finish_meshes(hfiFinish* f, hfError* error);      // hulls, recentred at their centre of mass
void hfi_finish_height_fields(hfiFinish* f);
void hfi_finish_geoms(hfiFinish* f); // geoms, sites, pairs, excludes
// A geom of the builder at its final place: mesh geoms at the mesh's centre of mass, fitted primitives with their size.
hfGeomDef hfi_finish_place(const hfiFinish* f, int id);
// Fills geom_fluid, geom_fluid_axes and geom_fluid_quat of geom i from its definition, placed in its body.
void hfi_finish_fluid(hfiFinish* f, int i, const hfGeomDef* placed);
hfStatus hfi_finish_inertias(hfiFinish* f, hfError* error);
hfStatus hfi_finish_cameras(hfiFinish* f, hfError* error);     // cameras, and their poses at qpos0
hfStatus hfi_finish_constraints(hfiFinish* f, hfError* error); // tendons and equalities at qpos0
hfStatus hfi_finish_springs(hfiFinish* f, hfError* error);     // springs given by time constant and damping ratio
hfStatus hfi_finish_actuators(hfiFinish* f, hfError* error);
void hfi_finish_sensors(hfiFinish* f);
hfStatus hfi_finish_histories(hfiFinish* f, hfError* error); // histories of delays, in states
hfStatus hfi_finish_keys(hfiFinish* f, hfError* error);

#endif
