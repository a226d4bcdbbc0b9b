// Inside of the builder: lists of definitions whose strings and arrays the pool owns.
#ifndef HFI_MODEL_BUILDER_H
#define HFI_MODEL_BUILDER_H

#include <holdfast/builder.h>
#include "base/names.h"
#include "base/pool.h"
#include "model/hull.h"
#include "model/joint.h"

#define HFI_LIST(type) struct { type* data; int count, capacity; }

// A mesh, with the data that hf_builder_finish needs.
typedef struct hfiMesh {
  hfMeshDef def;
  hfiHullData hull;
} hfiMesh;

typedef struct hfiExclude { int body[2]; } hfiExclude;

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
  HFI_LIST(hfBodyDef) body; // [0] is the world
  HFI_LIST(hfJointDef) joint;
  HFI_LIST(unsigned char) companions; // which joints a body has (builder_tree.c), for the bodies up to the last one with joints
  HFI_LIST(hfGeomDef) geom;
  HFI_LIST(hfiMesh) mesh;
  HFI_LIST(hfHeightFieldDef) hfield;
  HFI_LIST(hfSiteDef) site;
  HFI_LIST(hfCameraDef) camera;
  HFI_LIST(hfTendonDef) tendon;
  HFI_LIST(hfEqualityDef) equality;
  HFI_LIST(hfPairDef) pair;
  HFI_LIST(hfiExclude) exclude;
  HFI_LIST(hfActuatorDef) actuator;
  HFI_LIST(hfSensorDef) sensor;
  HFI_LIST(hfiKey) key;
  HFI_LIST(hfiPart) part; // A part inside of another part comes before it.
};

// "where: label: what", as a refusal with HF_ERROR_MODEL (model/label.h).
hfStatus hfi_refuse_def(hfError* error, const char* where, hfObjectKind kind, const char* name,
                        const char* format, ...) HF_PRINTF(5, 6);

hfBuildConfig hfi_build_config_default(void);
// Gives bodies their own rules about inertia, except those that have their own already.
hfStatus hfi_builder_add_part(hfBuilder* b, hfiPart part, hfError* error);
// The rules that hold for a body; its total_mass does not count.
const hfBuildConfig* hfi_builder_rules(const hfBuilder* b, int body);
// Does a body follow other rules than those of the builder?
int hfi_builder_has_own_rules(const hfBuilder* b, int body);

// The kind of object that an actuator of this transmission acts on; and the kind that an equality of this type names.
hfObjectKind hfi_transmission_target(int trntype);
// The nine numbers of a muscle's passive force.
const double* hfi_passive_muscle(const hfActuatorDef* d);
hfObjectKind hfi_equality_target(int type, int objkind);

// A contact pair with the values that it takes from its geoms.
hfPairDef hfi_complete_pair(const hfBuilder* b, int pair);

// Dimension of a sensor's data, and the data that `data` = 0 stands for.
int hfi_sensor_dim(int type, int data, int num);
// The number sensor_num that the model gets for a sensor: for a sensor of an orientation servo the number of axes, for a rangefinder the number of rays.
int hfi_sensor_num(const hfBuilder* b, const hfSensorDef* def);
enum { HFI_MOST_SENSOR_SLOTS = 1 << 16, HFI_MOST_SENSOR_PIXELS = 1 << 20, HFI_MOST_SENSOR_NUMBERS = 1 << 28 };
enum { HFI_MOST_PIXELS_WIDE = 1 << 15 }; // largest width, and height, of a camera's picture
// Refuses more numbers than sensors may have.
hfStatus hfi_check_sensors(const hfBuilder* b, hfError* error);
// Sets data and reduce if they are not given.
void hfi_sensor_complete(hfSensorDef* def);
// The least number of numbers that a signal of this type has (hfSignalType).
int hfi_signal_size(int type);
// Whether a sensor may measure an object of this kind, or a joint of this type.
int hfi_sensor_accepts(int type, int kind);
int hfi_sensor_accepts_joint(int type, int joint_type);

#endif
