// The builder as the readers and writers of files see it: lists of definitions whose strings and arrays the pool owns.
// What only the files of this folder see is in inside.h.
#ifndef HFI_BUILD_BUILDER_H
#define HFI_BUILD_BUILDER_H

#include <holdfast/builder.h>
#include "base/names.h"
#include "base/pool.h"
#include "model/actuator.h"
#include "build/hull.h"
#include "model/joint.h"
#include "model/object.h"

// A list of entries of one type. `any` is the same list for code that treats all types alike.
typedef struct hfiList {
  void* data;
  int count, capacity;
} hfiList;
#define HFI_LIST(type)                                                                                 \
  union {                                                                                              \
    hfiList any;                                                                                       \
    struct {                                                                                           \
      type* data;                                                                                      \
      int count, capacity;                                                                             \
    };                                                                                                 \
  }

// A mesh, with the data that hf_builder_finish needs.
typedef struct hfiMesh {
  hfMeshDef def;
  hfiHullData hull;
} hfiMesh;

typedef struct hfiExclude {
  int body[2];
} hfiExclude;

// A keyframe whose arrays are in the order of the builder's ids (key.h).
typedef struct hfiKey {
  hfKeyDef def;
  int njoint, nactuator, nbody; // numbers of objects that the builder had when the keyframe was added
} hfiKey;

// The bodies [first, end) of a model that was attached, and its own rules about inertia.
typedef struct hfiPart {
  int first, end;
  hfBuildConfig config;
} hfiPart;

struct hfBuilder {
  hfWorld world;
  hfBuildConfig config;
  hfiPool pool;
  hfiNames names;

  // one list for each kind of object (kind.c)
  HFI_LIST(hfBodyDef) body; // [0] is the world
  HFI_LIST(hfJointDef) joint;
  HFI_LIST(hfGeomDef) geom;
  HFI_LIST(hfiMesh) mesh;
  HFI_LIST(hfHeightFieldDef) hfield;
  HFI_LIST(hfSiteDef) site;
  HFI_LIST(hfCameraDef) camera;
  HFI_LIST(hfTendonDef) tendon;
  HFI_LIST(hfEqualityDef) equality;
  HFI_LIST(hfPairDef) pair;
  HFI_LIST(hfActuatorDef) actuator;
  HFI_LIST(hfSensorDef) sensor;
  HFI_LIST(hfiKey) key;

  HFI_LIST(hfiExclude) exclude;
  HFI_LIST(unsigned char) companions; // which joints a body has (add_tree.c), up to the last body with joints
  HFI_LIST(hfiPart) part;             // a part inside of another part comes before it
};

// Refuses a definition with HF_ERROR_MODEL and the message "where: label: what" (hfi_label).
hfStatus hfi_refuse_def(hfError* error, const char* where, hfObjectKind kind, const char* name, const char* format, ...)
    HF_PRINTF(5, 6);
// Refuses with the message "where: what"; without a place, "what".
hfStatus hfi_refuse_at(hfError* error, hfStatus status, const char* where, const char* format, ...) HF_PRINTF(4, 5);
hfStatus hfi_refuse_memory(hfError* error);

// Gives a quaternion unit length. Returns 0, and changes nothing, if it is zero or not finite.
int hfi_normalise_quat(double* quat);
int hfi_object_exists(const hfBuilder* b, int kind, int id);

// Checks what can be written into a builder past its additions (hf_builder_world, hf_builder_config), and all
// definitions again, because later changes may have taken from them what they need.
hfStatus hfi_check_builder(const hfBuilder* b, hfError* error);

// The rules about inertia of MJCF.
hfBuildConfig hfi_build_config_default(void);
// Gives bodies their own rules about inertia, except those that have their own already.
hfStatus hfi_builder_add_part(hfBuilder* b, hfiPart part, hfError* error);
// The rules that hold for a body; its total_mass does not count.
const hfBuildConfig* hfi_builder_rules(const hfBuilder* b, int body);
// Does a body follow other rules than those of the builder?
int hfi_builder_has_own_rules(const hfBuilder* b, int body);

// The nine numbers of a muscle's passive force.
const double* hfi_passive_muscle(const hfActuatorDef* d);
// A contact pair with the values that it takes from its geoms.
hfPairDef hfi_complete_pair(const hfBuilder* b, int pair);

// Is this a motor without inputs, which in MJCF has no control?
static inline int hfi_lacks_control(const hfActuatorDef* d) { return d->gaintype == HF_GAIN_MOTOR && d->inputs == 0; }

// Is this an actuator of an orientation servo other than its first?
static inline int hfi_is_later_axis(const hfActuatorDef* d) {
  return d->gaintype == HF_GAIN_ORIENTATION && !hfi_orientation_count(d->inputs);
}

#endif
