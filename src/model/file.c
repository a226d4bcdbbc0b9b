// Models as files, which contain the block as it is. A block from outside is checked before it is used.
#include "base/error.h"
#include "base/output.h"
#include "model/joint.h"
#include "model/object.h"
#include "model/block.h"
#include "model/derive.h"
#include "model/actuator.h"
#include "model/shape.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// An index field and the half-open range in which its values must lie.
typedef struct IndexRule {
  hfModelField field;
  int32_t first; // -1: the index may be -1, for none; 0: it must be an object
  int64_t limit;
} IndexRule;

static hfStatus check_index(const hfModel* m, const IndexRule* rule, hfError* error) {
  const int32_t* x = (const int32_t*)((uintptr_t)m + (uintptr_t)m->offset[rule->field]);
  size_t n = hfi_field_bytes(m, rule->field) / sizeof *x;
  for (size_t i = 0; i < n; ++i)
    if (x[i] < rule->first || x[i] >= rule->limit)
      return hfi_refuse(error, HF_ERROR_MODEL, "model block: %s[%zu] = %d is out of range",
                        hf_model_field_info(m, rule->field).name, i, x[i]);
  return HF_OK;
}

static hfStatus check_names(const hfModel* m, hfError* error) {
  static const hfModelField fields[] = {
      HF_FIELD_body_name, HF_FIELD_jnt_name, HF_FIELD_geom_name, HF_FIELD_site_name, HF_FIELD_cam_name,
      HF_FIELD_mesh_name, HF_FIELD_hfield_name, HF_FIELD_tendon_name, HF_FIELD_eq_name, HF_FIELD_actuator_name,
      HF_FIELD_sensor_name, HF_FIELD_key_name, HF_FIELD_pair_name};
  for (size_t i = 0; i < sizeof fields / sizeof *fields; ++i) {
    IndexRule rule = {fields[i], -1, m->nnames};
    hfStatus status = check_index(m, &rule, error);
    if (status) return status;
  }
  if (m->nnames && hf_model_names(m)[m->nnames - 1] != 0)
    return hfi_refuse(error, HF_ERROR_MODEL, "model block: names are not terminated");
  return HF_OK;
}

static hfStatus check_indices(const hfModel* m, hfError* error) {
  const IndexRule rules[] = {{HF_FIELD_geom_mesh, -1, m->nmesh},
                             {HF_FIELD_geom_hfield, -1, m->nhfield},
                             {HF_FIELD_tree_sleep, 0, HF_SLEEP_INIT + 1},
                             {HF_FIELD_site_body, 0, m->nbody},
                             {HF_FIELD_cam_body, 0, m->nbody},
                             {HF_FIELD_cam_mode, 0, HF_CAMERA_TARGET_COM + 1},
                             {HF_FIELD_cam_target, -1, m->nbody},
                             {HF_FIELD_cam_resolution, 1, HFI_MOST_PIXELS_WIDE + 1},
                             {HF_FIELD_wrap_type, 0, HF_WRAP_PULLEY + 1},
                             {HF_FIELD_wrap_side, -1, m->nsite},
                             {HF_FIELD_pair_geom, 0, m->ngeom},
                             {HF_FIELD_exclude_body, 0, m->nbody},
                             {HF_FIELD_actuator_actadr, -1, m->na},
                             {HF_FIELD_actuator_dyntype, 0, HF_ACTIVATION_MOTOR + 1},
                             {HF_FIELD_actuator_gaintype, 0, HF_GAIN_ORIENTATION + 1},
                             {HF_FIELD_actuator_biastype, 0, HF_BIAS_MUSCLE + 1},
                             {HF_FIELD_actuator_interp, 0, HF_INTERPOLATE_CUBIC + 1},
                             {HF_FIELD_actuator_inputs, 0, 2 * HF_INPUT_Z},
                             {HF_FIELD_actuator_states, 0, 2 * HF_MOTOR_STATE_CURRENT},
                             {HF_FIELD_actuator_drive, 0, HF_DRIVE_COMPUTED_TORQUE + 1},
                             {HF_FIELD_actuator_signal, -1, m->nsignal},
                             {HF_FIELD_sensor_interp, 0, HF_INTERPOLATE_CUBIC + 1},
                             {HF_FIELD_sensor_data, 0, 2 * HF_CONTACT_DATA_ANGVEL},
                             {HF_FIELD_sensor_num, 0, HFI_MOST_SENSOR_PIXELS + 1},
                             {HF_FIELD_sensor_reduce, 0, HF_REDUCE_NETFORCE + 1},
                             {HF_FIELD_sensor_subtree, 0, 4},
                             {HF_FIELD_signal_type, 0, HF_SIGNAL_FEEDBACK + 1}};
  for (size_t r = 0; r < sizeof rules / sizeof *rules; ++r) {
    hfStatus status = check_index(m, &rules[r], error);
    if (status) return status;
  }
  return check_names(m, error);
}

// Types index the table of shapes.
static hfStatus check_types(const hfModel* m, hfError* error) {
  const int32_t *geom = hf_model_geom_type(m), *site = hf_model_site_type(m);
  for (int i = 0; i < m->ngeom; ++i)
    if (geom[i] < 0 || geom[i] >= HFI_SHAPES || (hfi_shape_kinds[geom[i]].uses_mesh && hf_model_geom_mesh(m)[i] < 0) ||
        (hfi_shape_kinds[geom[i]].uses_hfield && hf_model_geom_hfield(m)[i] < 0))
      return hfi_refuse(error, HF_ERROR_MODEL, "model block: geom_type[%d] = %d is out of range or lacks its mesh or height field", i, geom[i]);
  for (int i = 0; i < m->nsite; ++i)
    if (site[i] < 0 || site[i] >= HFI_SHAPES || !hfi_shape_kinds[site[i]].solid)
      return hfi_refuse(error, HF_ERROR_MODEL, "model block: site_type[%d] = %d is no shape of a site", i, site[i]);
  return HF_OK;
}

static int is_object(const hfModel* m, int kind, int id) {
  return kind > HF_OBJECT_NONE && kind < HF_OBJECT_KINDS && id >= 0 &&
         id < hf_model_object_count(m, (hfObjectKind)kind);
}

static int sensor_is_sound(const hfModel* m, int i) {
  int type = hf_model_sensor_type(m)[i], kind = hf_model_sensor_objkind(m)[i],
      ref = hf_model_sensor_refkind(m)[i], id = hf_model_sensor_obj(m)[i];
  if (type < 0 || type >= HF_SENSOR_TYPES || !hfi_sensor_accepts(type, kind)) return 0;
  if (kind != HF_OBJECT_NONE && !is_object(m, kind, id)) return 0;
  if (kind == HF_OBJECT_JOINT && !hfi_sensor_accepts_joint(type, hf_model_jnt_type(m)[id]))
    return 0;
  if (ref != HF_OBJECT_NONE &&
      (!hfi_sensor_accepts(type, ref) || !is_object(m, ref, hf_model_sensor_ref(m)[i])))
    return 0;
  int pixels = kind == HF_OBJECT_CAMERA && type == HF_SENSOR_RANGEFINDER;
  if (pixels && hf_model_sensor_num(m)[i] != (int64_t)hf_model_cam_resolution(m)[2 * id] * hf_model_cam_resolution(m)[2 * id + 1]) return 0;
  if (type == HF_SENSOR_CAMERA_PROJECTION && (kind != HF_OBJECT_SITE || ref != HF_OBJECT_CAMERA)) return 0;
  int axes = kind == HF_OBJECT_ACTUATOR && hfi_is_orientation(m, id) && hfi_orientation_count(hf_model_actuator_inputs(m)[id]) ? 3 : 1;
  if (kind == HF_OBJECT_ACTUATOR && hf_model_sensor_num(m)[i] != axes) return 0;
  int dim = hf_model_sensor_dim(m)[i], adr = hf_model_sensor_adr(m)[i];
  return dim == hfi_sensor_dim(type, hf_model_sensor_data(m)[i], hf_model_sensor_num(m)[i]) && adr >= 0 && adr <= m->nsensordata - dim;
}

static int actuator_is_sound(const hfModel* m, int i) {
  int type = hf_model_actuator_trntype(m)[i], ref = hf_model_actuator_trnid(m)[2 * i + 1];
  if (type < 0 || type > HF_TRANSMISSION_SLIDER_CRANK ||
      !is_object(m, hfi_transmission_target(type), hf_model_actuator_trnid(m)[2 * i]))
    return 0;
  int motor = hf_model_actuator_gaintype(m)[i] == HF_GAIN_MOTOR, adr = hf_model_actuator_actadr(m)[i];
  int count = hf_model_actuator_dyntype(m)[i] == HF_ACTIVATION_MOTOR ? hfi_count_bits(hf_model_actuator_states(m)[i]) : 1;
  if (adr > m->na - count || (adr < 0 && hf_model_actuator_dyntype(m)[i] != HF_ACTIVATION_NONE && count)) return 0;
  if (motor && (hf_model_actuator_inputs(m)[i] >= 2 * HF_INPUT_VOLTAGE || i + hfi_count_bits(hf_model_actuator_inputs(m)[i]) > m->nu)) return 0;
  return is_object(m, HF_OBJECT_SITE, ref) || (ref < 0 && type != HF_TRANSMISSION_SLIDER_CRANK);
}

static int equality_is_sound(const hfModel* m, int i) {
  int type = hf_model_eq_type(m)[i], kind = hf_model_eq_objkind(m)[i], two = hf_model_eq_obj2(m)[i];
  int attaches = type == HF_EQUALITY_CONNECT || type == HF_EQUALITY_WELD;
  if (type < 0 || type > HF_EQUALITY_TENDON || !is_object(m, kind, hf_model_eq_obj1(m)[i]))
    return 0;
  if (attaches)
    return (kind == HF_OBJECT_BODY || kind == HF_OBJECT_SITE) && is_object(m, kind, two);
  return kind == (type == HF_EQUALITY_JOINT ? HF_OBJECT_JOINT : HF_OBJECT_TENDON) &&
         (two < 0 || is_object(m, kind, two));
}

// Are the num[i] numbers from adr[i] on inside of an array of `total` numbers?
static int is_span_inside(const int32_t* adr, const int32_t* num, int i, int total) {
  return num[i] >= 0 && adr[i] >= 0 && adr[i] <= total - num[i];
}

// A signal has the numbers of its type, and one of feedback watches joints that exist and have one coordinate.
static int signal_is_sound(const hfModel* m, int i) {
  int type = hf_model_signal_type(m)[i], count = hf_model_signal_num(m)[i];
  if (!is_span_inside(hf_model_signal_adr(m), hf_model_signal_num(m), i, m->nsignaldata) || count < hfi_signal_size(type)) return 0;
  hfiFeedback f;
  if (type != HF_SIGNAL_FEEDBACK) return 1;
  if (!hfi_feedback_parts(hf_model_signal_data(m) + hf_model_signal_adr(m)[i], count, &f)) return 0;
  for (int k = 0; k < f.njoint; ++k)
    if (!(f.joint[k] >= 0 && f.joint[k] < m->njnt) || !hfi_joint_is_scalar(hf_model_jnt_type(m)[(int)f.joint[k]])) return 0;
  return 1;
}

// Checks that a tendon has wraps, and that either all or none of them are joints.
static int tendon_is_sound(const hfModel* m, int i) {
  if (hf_model_tendon_num(m)[i] < 1 || !is_span_inside(hf_model_tendon_adr(m), hf_model_tendon_num(m), i, m->nwrap)) return 0;
  int first = hf_model_tendon_adr(m)[i], fixed = hf_model_wrap_type(m)[first] == HF_WRAP_JOINT;
  for (int w = first; w < first + hf_model_tendon_num(m)[i]; ++w) {
    static const int kinds[] = {HF_OBJECT_JOINT, HF_OBJECT_SITE, HF_OBJECT_GEOM};
    int type = hf_model_wrap_type(m)[w], obj = hf_model_wrap_obj(m)[w];
    if (type < 0 || (type == HF_WRAP_JOINT) != fixed) return 0;
    if (type != HF_WRAP_PULLEY && !is_object(m, kinds[type], obj)) return 0;
    if (type == HF_WRAP_JOINT && !hfi_joint_is_scalar(hf_model_jnt_type(m)[obj])) return 0;
  }
  return 1;
}

static int surface_is_sound(const hfModel* m, int i) {
  int nvert = hf_model_mesh_surfvertnum(m)[i];
  if (!is_span_inside(hf_model_mesh_surfvertadr(m), hf_model_mesh_surfvertnum(m), i, m->nsurfvert) ||
      !is_span_inside(hf_model_mesh_surftriadr(m), hf_model_mesh_surftrinum(m), i, m->nsurftri))
    return 0;
  const int32_t* tri = hf_model_surf_tri(m) + 3 * hf_model_mesh_surftriadr(m)[i];
  for (int k = 0; k < 3 * hf_model_mesh_surftrinum(m)[i]; ++k)
    if (tri[k] < 0 || tri[k] >= nvert) return 0;
  return 1;
}

// Refuses a block in which an id names an object that does not exist or cannot be meant, or a list goes beyond its array.
static hfStatus check_references(const hfModel* m, hfError* error) {
  for (int i = 0; i < m->nsensor; ++i)
    if (!sensor_is_sound(m, i))
      return hfi_refuse(error, HF_ERROR_MODEL,
                        "model block: sensor %d names nothing it can measure", i);
  for (int i = 0; i < m->nu; ++i)
    if (!actuator_is_sound(m, i))
      return hfi_refuse(error, HF_ERROR_MODEL, "model block: actuator %d acts on nothing", i);
  if (hfi_broken_orientation(m) >= 0)
    return hfi_refuse(error, HF_ERROR_MODEL, "model block: actuator %d is no part of an orientation servo", hfi_broken_orientation(m));
  for (int i = 0; i < m->neq; ++i)
    if (!equality_is_sound(m, i))
      return hfi_refuse(error, HF_ERROR_MODEL, "model block: equality %d connects nothing", i);
  for (int i = 0; i < m->ntendon; ++i)
    if (!tendon_is_sound(m, i))
      return hfi_refuse(error, HF_ERROR_MODEL, "model block: tendon %d is out of range", i);
  for (int i = 0; i < m->nmesh; ++i)
    if (!surface_is_sound(m, i))
      return hfi_refuse(error, HF_ERROR_MODEL, "model block: the surface of mesh %d is out of range",
                        i);
  for (int i = 0; i < m->nsignal; ++i)
    if (!signal_is_sound(m, i))
      return hfi_refuse(error, HF_ERROR_MODEL, "model block: signal %d is out of range", i);
  return HF_OK;
}

// Checks everything after the header. `copy` is a copy of the model, in which derived fields are computed again.
static hfStatus check_fields(const hfModel* m, hfModel* copy, hfError* error) {
  hfStatus status = hfi_check_topology(m, copy, error);
  if (status == HF_OK) status = check_indices(m, error);
  if (status == HF_OK) status = check_types(m, error);
  if (status == HF_OK) status = hfi_check_hulls(m, error);
  if (status == HF_OK) status = hfi_check_height_fields(m, copy, error);
  if (status == HF_OK) status = check_references(m, error);
  if (status == HF_OK) status = hfi_check_values(m, error);
  return status == HF_OK ? hfi_derive(copy, NULL, error) : status; // It refuses masses and inertias that are not physical.
}

hfStatus hf_model_validate(const hfModel* m, size_t size, hfError* error) {
  hfi_clear_error(error);
  if (size < sizeof *m || !hfi_begins_model(m, size))
    return hfi_refuse(error, HF_ERROR_MODEL, "not a model block");
  if (hf_model_is_overlay(m))
    return hfi_refuse(error, HF_ERROR_MODEL, "the overlay of an hfParams is not a block: hf_model_copy makes one of it");
  if (m->version != HFI_MODEL_VERSION)
    return hfi_refuse(error, HF_ERROR_MODEL, "model block of version %u, this library reads %d",
                      m->version, HFI_MODEL_VERSION);
  hfModel expected = *m;
#define X(name)                                                                                    \
  if (m->name < 0 || m->name > (1 << 28))                                                          \
    return hfi_refuse(error, HF_ERROR_MODEL, "model block: " #name " = %d is out of range", m->name);
  HF_MODEL_COUNTS(X)
#undef X
  hfi_layout(&expected);
  if (expected.size != m->size || m->size > size ||
      memcmp(expected.offset, m->offset, sizeof m->offset) != 0)
    return hfi_refuse(error, HF_ERROR_MODEL, "model block: sizes or offsets do not fit its counts");
  hfModel* copy = NULL;
  hfStatus status = hf_model_copy(&copy, m, error);
  if (status == HF_OK) status = check_fields(m, copy, error);
  hf_model_free(copy);
  return status;
}

hfStatus hf_model_write(const hfModel* m, const char* path, hfError* error) {
  hfi_clear_error(error);
  if (!hf_model_is_overlay(m)) return hfi_write_file(path, m, (size_t)m->size, error);
  hfModel* block = NULL;
  hfStatus status = hf_model_copy(&block, m, error);
  if (status == HF_OK) status = hfi_write_file(path, block, (size_t)block->size, error);
  hf_model_free(block);
  return status;
}

// The number of bytes between the present place in a file and its end; 0 if the file has no end, as a pipe. The size that a header claims is compared
// with it before memory is allocated.
static uint64_t bytes_left(FILE* file) {
  long here = ftell(file), end = -1;
  if (here >= 0 && fseek(file, 0, SEEK_END) == 0) end = ftell(file);
  if (end < here || fseek(file, here, SEEK_SET) != 0) return 0;
  return (uint64_t)(end - here);
}

hfStatus hfi_validate_block(const hfModel* block, size_t size, const char* name, hfError* error) {
  hfError refusal;
  hfStatus status = hf_model_validate(block, size, &refusal);
  return status < 0 ? hfi_refuse(error, status, "%s: %s", name, refusal.message) : status;
}

// Allocates a block of this size with the alignment of a model.
static hfModel* allocate_block(size_t size) { return aligned_alloc(64, (size + 63) / 64 * 64); }

// Gives a block, as long as its header says, to the caller if it is a sound model, else frees it.
static hfStatus deliver_if_sound(hfModel** model, hfModel* block, const char* name, hfError* error) {
  hfStatus status = hfi_validate_block(block, (size_t)block->size, name, error);
  if (status == HF_OK)
    *model = block;
  else
    free(block);
  return status;
}

hfStatus hfi_model_from_block(hfModel** model, const void* bytes, size_t size, const char* name, hfError* error) {
  hfModel header;
  if (size >= sizeof header) memcpy(&header, bytes, sizeof header);
  if (size < sizeof header || header.size < sizeof header || header.size > size) return hfi_refuse(error, HF_ERROR_PARSE, "%s: cut short", name);
  hfModel* block = allocate_block((size_t)header.size);
  if (!block) return hfi_refuse(error, HF_ERROR_MEMORY, "out of memory");
  memcpy(block, bytes, (size_t)header.size);
  return deliver_if_sound(model, block, name, error);
}

// Reads the block that a file begins with. On refusal *block is untouched.
static hfStatus read_block(hfModel** block, FILE* file, const char* path, hfError* error) {
  hfModel header;
  size_t got = fread(&header, 1, sizeof header, file);
  if (!hfi_begins_model(&header, got)) return hfi_refuse(error, HF_ERROR_PARSE, "%s: not a model file", path);
  if (got < sizeof header || header.size < sizeof header || header.size - sizeof header > bytes_left(file))
    return hfi_refuse(error, HF_ERROR_PARSE, "%s: cut short", path);
  hfModel* m = allocate_block((size_t)header.size);
  if (!m) return hfi_refuse(error, HF_ERROR_MEMORY, "out of memory");
  *m = header;
  if (fread((char*)m + sizeof header, (size_t)header.size - sizeof header, 1, file) != 1) {
    free(m);
    return hfi_refuse(error, HF_ERROR_PARSE, "%s: cut short", path);
  }
  *block = m;
  return HF_OK;
}

hfStatus hf_model_read(hfModel** model, const char* path, hfError* error) {
  hfi_clear_error(error);
  FILE* file = fopen(path, "rb");
  if (!file) return hfi_refuse(error, HF_ERROR_FILE, "%s: cannot be opened", path);
  hfModel* block = NULL;
  hfStatus status = read_block(&block, file, path, error);
  fclose(file);
  return status == HF_OK ? deliver_if_sound(model, block, path, error) : status;
}
