// Code that the builder's additions share. Each definition is checked, copied and named, or refused with nothing changed.
#ifndef HFI_BUILD_BUILDER_ADD_H
#define HFI_BUILD_BUILDER_ADD_H

#include "base/finite.h"
#include "build/builder.h"

int hfi_refuse_memory(hfError* error);
// Returns 0 if the quaternion is zero or not finite.
int hfi_normalise_quat(double* quat);
int hfi_object_exists(const hfBuilder* b, int kind, int id);

// The numbers of one field of a definition, with its name for messages. The ends of a range may be infinite.
typedef struct hfiNumbers {
  const char* field;
  const double* x;
  int count, is_range;
} hfiNumbers;
#define HFI_NUMBERS(def, field) {#field, (const double*)&(def)->field, (int)(sizeof(def)->field / sizeof(double)), 0}
#define HFI_RANGE(def, field) {#field, (def)->field, 2, 1}
// Refuses a number that is not finite, and in a range one that is no number, by the name of its field.
hfStatus hfi_check_numbers(const hfiNumbers* fields, int count, const char* where, hfObjectKind kind, const char* name, hfError* error);
// The same for an array of the fields of a definition.
#define HFI_CHECK_NUMBERS(fields, def, kind, error)                                                                    \
  hfi_check_numbers(fields, (int)(sizeof(fields) / sizeof *(fields)), (def)->where, kind, (def)->name, error)
// Copies name and where into the pool; 0 on success.
int hfi_own_strings(hfBuilder* b, const char** name, const char** where);

// Check a definition before it is added or replaces another one. Quaternions and axes get unit length.
hfStatus hfi_check_body(const hfBuilder* b, hfBodyDef* d, hfError* error);
hfStatus hfi_check_joint(const hfBuilder* b, hfJointDef* d, hfError* error);
int hfi_body_has_joints(const hfBuilder* b, int body);
hfStatus hfi_check_geom(const hfBuilder* b, hfGeomDef* d, hfError* error);
hfStatus hfi_check_site(const hfBuilder* b, hfSiteDef* d, hfError* error);
hfStatus hfi_check_camera(const hfBuilder* b, hfCameraDef* d, hfError* error);
hfStatus hfi_check_equality(const hfBuilder* b, const hfEqualityDef* d, hfError* error);
hfStatus hfi_check_tendon(const hfBuilder* b, const hfTendonDef* d, hfError* error);
hfStatus hfi_check_pair(const hfBuilder* b, const hfPairDef* d, hfError* error);
hfStatus hfi_check_actuator(const hfBuilder* b, const hfActuatorDef* d, hfError* error);
// Completes the definition, too.
hfStatus hfi_check_sensor(const hfBuilder* b, hfSensorDef* d, hfError* error);
// Copies the arrays of a tendon into the pool.
hfStatus hfi_own_tendon(hfBuilder* b, hfTendonDef* d, hfError* error);
// Refuses a negative delay, and a history of a sensor or actuator with a size or interpolation that does not exist.
hfStatus hfi_check_samples(const char* where, hfObjectKind kind, const char* name, double delay, int nsample, int interp, hfError* error);

// Grows the list, owns the strings and registers the name, or returns a refusal from the caller, whose
// builder is b and whose error is error.
#define HFI_ADD(list, kind, def)                                                                   \
  do {                                                                                             \
    if (def.name && *def.name && hfi_names_find(&b->names, kind, def.name) >= 0)                   \
      return hfi_refuse_def(error, def.where, kind, def.name, "name is used already");             \
    void* grown = hfi_grow(list.data, &list.capacity, list.count, sizeof *list.data);              \
    if (!grown) return hfi_refuse_memory(error);                                                   \
    list.data = grown;                                                                             \
    if (hfi_own_strings(b, &def.name, &def.where) != 0) return hfi_refuse_memory(error);           \
    if (def.name && hfi_names_add(&b->names, kind, def.name, list.count) != 0)                     \
      return hfi_refuse_memory(error);                                                             \
  } while (0)

// Evaluates to the id.
#define HFI_APPEND(list, value) (list.data[list.count] = (value), list.count++)

#endif
