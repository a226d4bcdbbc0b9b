// Checks of the ids, types and names of a model block, and of the block as a whole (block.h).
#include "model/block.h"

#include "base/error.h"
#include "model/actuator.h"
#include "model/derive.h"
#include "model/joint.h"
#include "model/object.h"
#include "model/shape.h"

#include <string.h>

// ---- ids and enumerations --------------------------------------------------------------------------

// A field of whole numbers and the half-open range in which they must lie.
typedef struct IndexRule {
  hfModelField field;
  int32_t first; // -1: an id may be -1, for none; 0: it must be an object
  int64_t limit;
} IndexRule;

// Refuses the first number of a field that is outside of its range.
static hfStatus check_index(const hfModel* m, const IndexRule* rule, hfError* error) {
  const int32_t* x = hfi_field_array(m, rule->field);
  size_t n = hfi_field_bytes(m, rule->field) / sizeof *x;
  for (size_t i = 0; i < n; ++i)
    if (x[i] < rule->first || x[i] >= rule->limit)
      return hfi_refuse(error, HF_ERROR_MODEL, "model block: %s[%zu] = %d is out of range",
                        hf_model_field_info(m, rule->field).name, i, x[i]);
  return HF_OK;
}

// Refuses numbers outside of the range of their field. Ids whose kind depends on another field: check_references. The
// end of a range of numbers is the last one plus 1; of a set of bits, twice the last bit.
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
    if (status != HF_OK) return status;
  }

  return HF_OK;
}

// Checks that names lie in the pool, end there, and can be shown. An inertial has the name of its body.
static hfStatus check_names(const hfModel* m, hfError* error) {
  if (m->nnames && hf_model_names(m)[m->nnames - 1] != 0)
    return hfi_refuse(error, HF_ERROR_MODEL, "model block: names are not terminated");

  for (int k = 0; k < HF_OBJECT_KINDS; ++k) {
    hfObjectKind kind = (hfObjectKind)k;
    if (!hfi_is_kind(kind) || kind == HF_OBJECT_INERTIAL) continue;
    IndexRule rule = {hfi_name_field(kind), -1, m->nnames};
    hfStatus status = check_index(m, &rule, error);
    if (status != HF_OK) return status;

    for (int i = 0; i < hf_model_object_count(m, kind); ++i)
      if (!hfi_name_is_sound(hf_model_name(m, kind, i)))
        return hfi_refuse(error, HF_ERROR_MODEL,
                          "model block: the name of %s %d has a control character or is not UTF-8",
                          hf_object_kind_name(kind), i);
  }

  return HF_OK;
}

// Checks the types of geoms and sites, which index the table of shapes.
static hfStatus check_types(const hfModel* m, hfError* error) {
  for (int i = 0; i < m->ngeom; ++i) {
    int type = hf_model_geom_type(m)[i];
    int is_sound = type >= 0 && type < HFI_SHAPES;
    if (is_sound && hfi_shape_kinds[type].uses_mesh) is_sound = hf_model_geom_mesh(m)[i] >= 0;
    if (is_sound && hfi_shape_kinds[type].uses_hfield) is_sound = hf_model_geom_hfield(m)[i] >= 0;
    if (!is_sound)
      return hfi_refuse(error, HF_ERROR_MODEL,
                        "model block: geom_type[%d] = %d is out of range or lacks its mesh or height field", i, type);
  }

  for (int i = 0; i < m->nsite; ++i) {
    int type = hf_model_site_type(m)[i];
    if (type < 0 || type >= HFI_SHAPES || !hfi_shape_kinds[type].solid)
      return hfi_refuse(error, HF_ERROR_MODEL, "model block: site_type[%d] = %d is no shape of a site", i, type);
  }

  return HF_OK;
}

// ---- references ------------------------------------------------------------------------------------

static int is_object(const hfModel* m, int kind, int id) {
  return id >= 0 && hfi_is_kind((hfObjectKind)kind) && id < hf_model_object_count(m, (hfObjectKind)kind);
}

// Are the num[i] numbers from adr[i] on inside of an array of `total` numbers?
static int is_span_inside(const int32_t* adr, const int32_t* num, int i, int total) {
  return num[i] >= 0 && adr[i] >= 0 && adr[i] <= total - num[i];
}

// Returns the number sensor_num that a sensor must have, from what it measures, or -1 if it may have any.
static int needed_sensor_num(const hfModel* m, int type, int kind, int id) {
  if (kind == HF_OBJECT_CAMERA && type == HF_SENSOR_RANGEFINDER) {
    const int32_t* resolution = hf_model_cam_resolution(m) + 2 * id;
    int64_t pixels = (int64_t)resolution[0] * resolution[1];
    return pixels <= HFI_MOST_SENSOR_PIXELS ? (int)pixels : 0;
  }
  if (kind != HF_OBJECT_ACTUATOR) return -1;
  return hfi_is_orientation(m, id) && hfi_orientation_count(hf_model_actuator_inputs(m)[id]) ? 3 : 1;
}

// Does a sensor measure something that it can measure, and does it have room for its numbers?
static int sensor_is_sound(const hfModel* m, int i) {
  int type = hf_model_sensor_type(m)[i];
  int kind = hf_model_sensor_objkind(m)[i];
  int id = hf_model_sensor_obj(m)[i];
  int refkind = hf_model_sensor_refkind(m)[i];

  if (type < 0 || type >= HF_SENSOR_TYPES || !hfi_sensor_accepts(type, kind)) return 0;
  if (kind != HF_OBJECT_NONE && !is_object(m, kind, id)) return 0;
  if (kind == HF_OBJECT_JOINT && !hfi_sensor_accepts_joint(type, hf_model_jnt_type(m)[id])) return 0;
  if (refkind != HF_OBJECT_NONE &&
      (!hfi_sensor_accepts(type, refkind) || !is_object(m, refkind, hf_model_sensor_ref(m)[i])))
    return 0;
  if (type == HF_SENSOR_CAMERA_PROJECTION && (kind != HF_OBJECT_SITE || refkind != HF_OBJECT_CAMERA)) return 0;

  int num = hf_model_sensor_num(m)[i];
  int needed = needed_sensor_num(m, type, kind, id);
  int dim = hf_model_sensor_dim(m)[i];
  if (needed >= 0 && num != needed) return 0;

  return dim == hfi_sensor_dim(type, hf_model_sensor_data(m)[i], num) &&
         is_span_inside(hf_model_sensor_adr(m), hf_model_sensor_dim(m), i, m->nsensordata);
}

// Does an actuator act on something, and have its states and inputs?
static int actuator_is_sound(const hfModel* m, int i) {
  const int32_t* id = hf_model_actuator_trnid(m) + 2 * i;
  int type = hf_model_actuator_trntype(m)[i];
  if (type < 0 || type > HF_TRANSMISSION_SLIDER_CRANK) return 0;
  if (!is_object(m, (int)hfi_transmission_target(type), id[0])) return 0;
  if (!is_object(m, HF_OBJECT_SITE, id[1]) && (id[1] >= 0 || type == HF_TRANSMISSION_SLIDER_CRANK)) return 0;

  int adr = hf_model_actuator_actadr(m)[i];
  int dyntype = hf_model_actuator_dyntype(m)[i];
  int count = dyntype == HF_ACTIVATION_MOTOR ? hfi_count_bits(hf_model_actuator_states(m)[i]) : 1;
  if (adr > m->na - count) return 0;
  if (adr < 0 && dyntype != HF_ACTIVATION_NONE && count) return 0;

  int inputs = hf_model_actuator_inputs(m)[i];
  if (hf_model_actuator_gaintype(m)[i] != HF_GAIN_MOTOR) return 1;
  return inputs < 2 * HF_INPUT_VOLTAGE && i + hfi_count_bits(inputs) <= m->nu;
}

// Does an equality connect objects of the kind that its type connects?
static int equality_is_sound(const hfModel* m, int i) {
  int type = hf_model_eq_type(m)[i];
  int kind = hf_model_eq_objkind(m)[i];
  int second = hf_model_eq_obj2(m)[i];
  if (type < 0 || type > HF_EQUALITY_TENDON || !is_object(m, kind, hf_model_eq_obj1(m)[i])) return 0;

  if (type == HF_EQUALITY_CONNECT || type == HF_EQUALITY_WELD)
    return (kind == HF_OBJECT_BODY || kind == HF_OBJECT_SITE) && is_object(m, kind, second);
  if (kind != (type == HF_EQUALITY_JOINT ? HF_OBJECT_JOINT : HF_OBJECT_TENDON)) return 0;
  return second < 0 || is_object(m, kind, second);
}

// Does a signal have the numbers of its type, and does one of feedback watch joints that have one coordinate?
static int signal_is_sound(const hfModel* m, int i) {
  int type = hf_model_signal_type(m)[i];
  int count = hf_model_signal_num(m)[i];
  if (!is_span_inside(hf_model_signal_adr(m), hf_model_signal_num(m), i, m->nsignaldata)) return 0;
  if (count < hfi_signal_size(type)) return 0;
  if (type != HF_SIGNAL_FEEDBACK) return 1;

  hfiFeedback f;
  if (!hfi_feedback_parts(hf_model_signal_data(m) + hf_model_signal_adr(m)[i], count, &f)) return 0;

  for (int k = 0; k < f.njoint; ++k) {
    if (!(f.joint[k] >= 0 && f.joint[k] < m->njnt)) return 0;
    if (!hfi_joint_is_scalar(hf_model_jnt_type(m)[(int)f.joint[k]])) return 0;
  }

  return 1;
}

// Does a tendon have wraps around objects that exist, and are either all or none of them joints?
static int tendon_is_sound(const hfModel* m, int i) {
  static const hfObjectKind kinds[] = {
      [HF_WRAP_JOINT] = HF_OBJECT_JOINT, [HF_WRAP_SITE] = HF_OBJECT_SITE, [HF_WRAP_GEOM] = HF_OBJECT_GEOM};
  int num = hf_model_tendon_num(m)[i];
  if (num < 1 || !is_span_inside(hf_model_tendon_adr(m), hf_model_tendon_num(m), i, m->nwrap)) return 0;

  int first = hf_model_tendon_adr(m)[i];
  int is_fixed = hf_model_wrap_type(m)[first] == HF_WRAP_JOINT;

  for (int w = first; w < first + num; ++w) {
    int type = hf_model_wrap_type(m)[w];
    int obj = hf_model_wrap_obj(m)[w];
    if (type < 0 || (type == HF_WRAP_JOINT) != is_fixed) return 0;
    if (type != HF_WRAP_PULLEY && !is_object(m, (int)kinds[type], obj)) return 0;
    if (type == HF_WRAP_JOINT && !hfi_joint_is_scalar(hf_model_jnt_type(m)[obj])) return 0;
  }

  return 1;
}

// Do the triangles of the surface of a mesh name vertices that it has?
static int surface_is_sound(const hfModel* m, int i) {
  int nvert = hf_model_mesh_surfvertnum(m)[i];
  int ntri = hf_model_mesh_surftrinum(m)[i];
  if (!is_span_inside(hf_model_mesh_surfvertadr(m), hf_model_mesh_surfvertnum(m), i, m->nsurfvert)) return 0;
  if (!is_span_inside(hf_model_mesh_surftriadr(m), hf_model_mesh_surftrinum(m), i, m->nsurftri)) return 0;

  const int32_t* tri = hf_model_surf_tri(m) + 3 * hf_model_mesh_surftriadr(m)[i];
  for (int k = 0; k < 3 * ntri; ++k)
    if (tri[k] < 0 || tri[k] >= nvert) return 0;
  return 1;
}

// Refuses a block in which an id names an object that does not exist or cannot be meant, or a list goes beyond its
// array.
static hfStatus check_references(const hfModel* m, hfError* error) {
  const struct {
    int count;
    int (*is_sound)(const hfModel* m, int i);
    const char *noun, *fault;
  } rules[] = {{m->nsensor, sensor_is_sound, "sensor", "names nothing it can measure"},
               {m->nu, actuator_is_sound, "actuator", "acts on nothing"},
               {m->neq, equality_is_sound, "equality", "connects nothing"},
               {m->ntendon, tendon_is_sound, "tendon", "is out of range"},
               {m->nmesh, surface_is_sound, "the surface of mesh", "is out of range"},
               {m->nsignal, signal_is_sound, "signal", "is out of range"}};

  for (size_t r = 0; r < sizeof rules / sizeof *rules; ++r)
    for (int i = 0; i < rules[r].count; ++i)
      if (!rules[r].is_sound(m, i))
        return hfi_refuse(error, HF_ERROR_MODEL, "model block: %s %d %s", rules[r].noun, i, rules[r].fault);

  int broken = hfi_broken_orientation(m);
  if (broken >= 0)
    return hfi_refuse(error, HF_ERROR_MODEL, "model block: actuator %d is no part of an orientation servo", broken);
  return HF_OK;
}

// ---- the whole -------------------------------------------------------------------------------------

// Refuses counts that are negative or above a limit, which keeps sums and products of counts within 64 bits.
hfStatus hfi_check_counts(const hfModel* m, hfError* error) {
#define X(name)                                                                                        \
  if (m->name < 0 || m->name > HFI_MOST_OBJECTS)                                                       \
    return hfi_refuse(error, HF_ERROR_MODEL, "model block: " #name " = %d is out of range", m->name);
  HF_MODEL_COUNTS(X)
#undef X
  return HF_OK;
}

// References come after indices and types, by which they look things up.
hfStatus hfi_check_given_fields(const hfModel* m, hfError* error) {
  hfStatus status = check_indices(m, error);
  if (status == HF_OK) status = check_names(m, error);
  if (status == HF_OK) status = check_types(m, error);
  if (status == HF_OK) status = hfi_check_hulls(m, error);
  if (status == HF_OK) status = check_references(m, error);
  return status == HF_OK ? hfi_check_values(m, error) : status;
}

// Checks everything after the header. `copy` is a copy of the model, in which derived fields are computed again.
static hfStatus check_fields(const hfModel* m, hfModel* copy, hfError* error) {
  hfStatus status = hfi_check_topology(m, copy, error);
  if (status == HF_OK) status = hfi_check_height_fields(m, copy, error);
  if (status == HF_OK) status = hfi_check_given_fields(m, error);
  // it refuses masses and inertias that are not physical
  return status == HF_OK ? hfi_derive(copy, NULL, error) : status;
}

// Refuses a block that is not a sound model of this version: checks the header, then the fields behind it. size: bytes
// that may be read from m on.
hfStatus hf_model_validate(const hfModel* m, size_t size, hfError* error) {
  hfi_clear_error(error);
  if (size < sizeof *m || !hfi_begins_model(m, size)) return hfi_refuse(error, HF_ERROR_MODEL, "not a model block");
  if (hf_model_is_overlay(m))
    return hfi_refuse(error, HF_ERROR_MODEL,
                      "the overlay of an hfParams is not a block: hf_model_copy makes one of it");
  if (m->version != HFI_MODEL_VERSION)
    return hfi_refuse(error, HF_ERROR_MODEL, "model block of version %u, this library reads %d", m->version,
                      HFI_MODEL_VERSION);

  // the counts determine where the fields lie
  hfStatus status = hfi_check_counts(m, error);
  if (status != HF_OK) return status;

  hfModel expected = *m;
  // sizes and offsets as they follow from the counts
  hfi_layout(&expected);
  if (expected.size != m->size || m->size > size || memcmp(expected.offset, m->offset, sizeof m->offset) != 0)
    return hfi_refuse(error, HF_ERROR_MODEL, "model block: sizes or offsets do not fit its counts");

  hfModel* copy = NULL;
  status = hf_model_copy(&copy, m, error);
  if (status == HF_OK) status = check_fields(m, copy, error);
  hf_model_free(copy);

  return status;
}
