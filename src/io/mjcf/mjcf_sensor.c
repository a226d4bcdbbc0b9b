// <sensor> and <keyframe>.
//
// m: the document, r: its reader, d: the definition that is filled, k: the keyframe that is being read.
#include "io/mjcf/mjcf.h"
#include "build/key.h"
#include "model/actuator.h"

#include <string.h>

// The sensors, and the name of the attribute that says what each measures. Frame sensors use objtype and objname
// instead.
typedef struct SensorKind {
  const char* word;
  int type;
  const char* attr; // NULL for a frame sensor, "" for a sensor without an object
  hfObjectKind kind;
} SensorKind;

static const SensorKind sensor_kinds[] = {
    {"touch", HF_SENSOR_TOUCH, "site", HF_OBJECT_SITE},
    {"accelerometer", HF_SENSOR_ACCELEROMETER, "site", HF_OBJECT_SITE},
    {"velocimeter", HF_SENSOR_VELOCIMETER, "site", HF_OBJECT_SITE},
    {"gyro", HF_SENSOR_GYRO, "site", HF_OBJECT_SITE},
    {"force", HF_SENSOR_FORCE, "site", HF_OBJECT_SITE},
    {"torque", HF_SENSOR_TORQUE, "site", HF_OBJECT_SITE},
    {"magnetometer", HF_SENSOR_MAGNETOMETER, "site", HF_OBJECT_SITE},
    {"jointpos", HF_SENSOR_JOINT_POS, "joint", HF_OBJECT_JOINT},
    {"jointvel", HF_SENSOR_JOINT_VEL, "joint", HF_OBJECT_JOINT},
    {"tendonpos", HF_SENSOR_TENDON_POS, "tendon", HF_OBJECT_TENDON},
    {"tendonvel", HF_SENSOR_TENDON_VEL, "tendon", HF_OBJECT_TENDON},
    {"actuatorpos", HF_SENSOR_ACTUATOR_POS, "actuator", HF_OBJECT_ACTUATOR},
    {"actuatorvel", HF_SENSOR_ACTUATOR_VEL, "actuator", HF_OBJECT_ACTUATOR},
    {"actuatorfrc", HF_SENSOR_ACTUATOR_FORCE, "actuator", HF_OBJECT_ACTUATOR},
    {"jointactuatorfrc", HF_SENSOR_JOINT_ACTUATOR_FORCE, "joint", HF_OBJECT_JOINT},
    {"ballquat", HF_SENSOR_BALL_QUAT, "joint", HF_OBJECT_JOINT},
    {"ballangvel", HF_SENSOR_BALL_ANGVEL, "joint", HF_OBJECT_JOINT},
    {"jointlimitpos", HF_SENSOR_JOINT_LIMIT_POS, "joint", HF_OBJECT_JOINT},
    {"jointlimitvel", HF_SENSOR_JOINT_LIMIT_VEL, "joint", HF_OBJECT_JOINT},
    {"jointlimitfrc", HF_SENSOR_JOINT_LIMIT_FORCE, "joint", HF_OBJECT_JOINT},
    {"tendonactuatorfrc", HF_SENSOR_TENDON_ACTUATOR_FORCE, "tendon", HF_OBJECT_TENDON},
    {"tendonlimitpos", HF_SENSOR_TENDON_LIMIT_POS, "tendon", HF_OBJECT_TENDON},
    {"tendonlimitvel", HF_SENSOR_TENDON_LIMIT_VEL, "tendon", HF_OBJECT_TENDON},
    {"tendonlimitfrc", HF_SENSOR_TENDON_LIMIT_FORCE, "tendon", HF_OBJECT_TENDON},
    {"framepos", HF_SENSOR_FRAME_POS, NULL, HF_OBJECT_NONE},
    {"framequat", HF_SENSOR_FRAME_QUAT, NULL, HF_OBJECT_NONE},
    {"framexaxis", HF_SENSOR_FRAME_XAXIS, NULL, HF_OBJECT_NONE},
    {"frameyaxis", HF_SENSOR_FRAME_YAXIS, NULL, HF_OBJECT_NONE},
    {"framezaxis", HF_SENSOR_FRAME_ZAXIS, NULL, HF_OBJECT_NONE},
    {"framelinvel", HF_SENSOR_FRAME_LINVEL, NULL, HF_OBJECT_NONE},
    {"frameangvel", HF_SENSOR_FRAME_ANGVEL, NULL, HF_OBJECT_NONE},
    {"framelinacc", HF_SENSOR_FRAME_LINACC, NULL, HF_OBJECT_NONE},
    {"frameangacc", HF_SENSOR_FRAME_ANGACC, NULL, HF_OBJECT_NONE},
    {"subtreecom", HF_SENSOR_SUBTREE_COM, "body", HF_OBJECT_BODY},
    {"subtreelinvel", HF_SENSOR_SUBTREE_LINVEL, "body", HF_OBJECT_BODY},
    {"subtreeangmom", HF_SENSOR_SUBTREE_ANGMOM, "body", HF_OBJECT_BODY},
    {"clock", HF_SENSOR_CLOCK, "", HF_OBJECT_NONE},
    {"e_potential", HF_SENSOR_ENERGY_POTENTIAL, "", HF_OBJECT_NONE},
    {"e_kinetic", HF_SENSOR_ENERGY_KINETIC, "", HF_OBJECT_NONE},
};

const char* const hfi_mjcf_contact_data[] = {"found", "force", "torque", "dist", "pos", "normal", "tangent", "linvel",
                                             "angvel", NULL};
const char* const hfi_mjcf_ray_data[] = {"dist", "dir", "origin", "point", "normal", "depth", NULL};
const hfiKeyword hfi_mjcf_reductions[] = {{"none", HF_REDUCE_NONE},
                                          {"mindist", HF_REDUCE_MINDIST},
                                          {"maxforce", HF_REDUCE_MAXFORCE},
                                          {"netforce", HF_REDUCE_NETFORCE},
                                          {NULL, 0}};

static const hfiKeyword frame_kinds[] = {{"body", HF_OBJECT_INERTIAL}, {"xbody", HF_OBJECT_BODY},
                                         {"geom", HF_OBJECT_GEOM},     {"site", HF_OBJECT_SITE},
                                         {"camera", HF_OBJECT_CAMERA}, {NULL, 0}};

// The object of a frame sensor, or its reference. Sets *kind to its kind. Returns -1 if there is no attribute typeattr,
// HFI_LEFT_OUT if the object was left out.
static int find_frame(hfiMjcf* m, const hfiElem* elem, const char* typeattr, const char* nameattr, int* kind) {
  if (!hfi_read_keyword(m->r, elem, typeattr, frame_kinds, kind)) return -1;
  return hfi_mjcf_find_required(m, elem, nameattr, (hfObjectKind)*kind);
}

// An end of a sensor between two objects.
typedef struct SensorEnd {
  const char* attr; // the attribute that names it
  hfObjectKind kind;
  int is_second;
  int is_subtree; // 1: the body and all below it
} SensorEnd;

// Finds the objects of a sensor between two: obj and objkind of the first, ref and refkind of the second. Bit 0 or 1 of
// d->subtree says that one of them is a subtree.
static void find_ends(hfiMjcf* m, const hfiElem* elem, const SensorEnd* ends, size_t count, hfSensorDef* d) {
  for (size_t i = 0; i < count; ++i) {
    if (!hfi_attr(elem, ends[i].attr)) continue;

    int id = hfi_mjcf_find(m, elem, ends[i].attr, ends[i].kind);
    if (ends[i].is_second) {
      d->refkind = (int)ends[i].kind;
      d->ref = id;
    } else {
      d->objkind = (int)ends[i].kind;
      d->obj = id;
    }

    if (ends[i].is_subtree) d->subtree |= 1 << ends[i].is_second;
  }
}

// Reads a <contact> sensor: the two sides, and which numbers of which contacts.
static void find_contact(hfiMjcf* m, const hfiElem* elem, hfSensorDef* d) {
  static const SensorEnd ends[] = {{"geom1", HF_OBJECT_GEOM, 0, 0},    {"body1", HF_OBJECT_BODY, 0, 0},
                                   {"subtree1", HF_OBJECT_BODY, 0, 1}, {"site", HF_OBJECT_SITE, 0, 0},
                                   {"geom2", HF_OBJECT_GEOM, 1, 0},    {"body2", HF_OBJECT_BODY, 1, 0},
                                   {"subtree2", HF_OBJECT_BODY, 1, 1}};
  find_ends(m, elem, ends, sizeof ends / sizeof *ends, d);

  if (!hfi_mjcf_read_words(m, elem, "data", hfi_mjcf_contact_data, &d->data)) d->data = HF_CONTACT_DATA_FOUND;
  hfi_read_int(m->r, elem, "num", &d->num);
  hfi_read_keyword(m->r, elem, "reduce", hfi_mjcf_reductions, &d->reduce);

  if (d->reduce == HF_REDUCE_NETFORCE && d->data & (HF_CONTACT_DATA_LINVEL | HF_CONTACT_DATA_ANGVEL))
    hfi_fail(m->r, elem, HF_ERROR_MODEL, "linvel and angvel do not exist with reduce=\"netforce\"");
}

// Reads a <rangefinder>: the site or camera from which its ray goes.
static void find_ray(hfiMjcf* m, const hfiElem* elem, hfSensorDef* d) {
  int is_camera = hfi_attr(elem, "camera") != NULL;
  if (is_camera && hfi_attr(elem, "site")) hfi_fail(m->r, elem, HF_ERROR_MODEL, "both site and camera are given");
  d->objkind = is_camera ? HF_OBJECT_CAMERA : HF_OBJECT_SITE;
  d->obj = hfi_mjcf_find_required(m, elem, is_camera ? "camera" : "site", (hfObjectKind)d->objkind);
  hfi_mjcf_read_words(m, elem, "data", hfi_mjcf_ray_data, &d->data);
}

// Reads a <camprojection>: where a site is seen in a camera.
static void find_projection(hfiMjcf* m, const hfiElem* elem, hfSensorDef* d) {
  d->objkind = HF_OBJECT_SITE;
  d->refkind = HF_OBJECT_CAMERA;
  d->obj = hfi_mjcf_find_required(m, elem, "site", HF_OBJECT_SITE);
  d->ref = hfi_mjcf_find_required(m, elem, "camera", HF_OBJECT_CAMERA);
}

// Reads a sensor between two geoms or bodies.
static void find_pair(hfiMjcf* m, const hfiElem* elem, hfSensorDef* d) {
  static const SensorEnd ends[] = {{"geom1", HF_OBJECT_GEOM, 0, 0},
                                   {"body1", HF_OBJECT_BODY, 0, 0},
                                   {"geom2", HF_OBJECT_GEOM, 1, 0},
                                   {"body2", HF_OBJECT_BODY, 1, 0}};
  find_ends(m, elem, ends, sizeof ends / sizeof *ends, d);
}

// Reads an <insidesite>: whether an object is inside a site. One that asks for the whole object is left out.
static void find_inside(hfiMjcf* m, const hfiElem* elem, hfSensorDef* d) {
  int enclosed = 0;
  hfi_require(m->r, elem, "objtype");
  d->obj = find_frame(m, elem, "objtype", "objname", &d->objkind);
  d->refkind = HF_OBJECT_SITE;
  d->ref = hfi_mjcf_find_required(m, elem, "site", HF_OBJECT_SITE);
  if (hfi_read_bool(m->r, elem, "enclosed", &enclosed) && enclosed) d->obj = HFI_LEFT_OUT;
}

// Reads a <user> sensor, of which only the number of its values is known.
static void find_user(hfiMjcf* m, const hfiElem* elem, hfSensorDef* d) {
  hfi_require(m->r, elem, "dim");
  hfi_read_int(m->r, elem, "dim", &d->num);
  hfi_attr(elem, "datatype");
  hfi_attr(elem, "needstage");
  hfi_attr(elem, "objtype");
  hfi_attr(elem, "objname");
  hfi_note(m->r, elem, HF_NOTE, "a user's own sensor: it reads 0");
}

// Sensors with attributes of their own.
static const struct {
  const char* word;
  int type;
  void (*find)(hfiMjcf*, const hfiElem*, hfSensorDef*);
} special_kinds[] = {{"contact", HF_SENSOR_CONTACT, find_contact},
                     {"rangefinder", HF_SENSOR_RANGEFINDER, find_ray},
                     {"distance", HF_SENSOR_DISTANCE, find_pair},
                     {"normal", HF_SENSOR_NORMAL, find_pair},
                     {"fromto", HF_SENSOR_FROM_TO, find_pair},
                     {"insidesite", HF_SENSOR_INSIDE_SITE, find_inside},
                     {"user", HF_SENSOR_USER, find_user},
                     {"camprojection", HF_SENSOR_CAMERA_PROJECTION, find_projection}};

// The element of a sensor of this type (hfSensorType). *attribute: the one that names its object; NULL for a frame
// sensor and for those with attributes of their own, "" for a sensor without an object.
const char* hfi_mjcf_sensor_word(int type, const char** attribute) {
  for (size_t i = 0; i < sizeof sensor_kinds / sizeof *sensor_kinds; ++i)
    if (sensor_kinds[i].type == type) {
      *attribute = sensor_kinds[i].attr;
      return sensor_kinds[i].word;
    }

  *attribute = NULL;
  for (size_t i = 0; i < sizeof special_kinds / sizeof *special_kinds; ++i)
    if (special_kinds[i].type == type) return special_kinds[i].word;
  return "";
}

// Finds the object that a sensor of the table measures, and the reference of a frame sensor.
static void find_target(hfiMjcf* m, const hfiElem* elem, const SensorKind* kind, hfSensorDef* d) {
  int has_no_object = kind->attr && !kind->attr[0];
  if (has_no_object) return;

  if (kind->attr) {
    d->objkind = (int)kind->kind;
    d->obj = hfi_mjcf_find_required(m, elem, kind->attr, kind->kind);
    return;
  }

  hfi_require(m->r, elem, "objtype");
  d->obj = find_frame(m, elem, "objtype", "objname", &d->objkind);
  d->ref = find_frame(m, elem, "reftype", "refname", &d->refkind);
}

// Reads what a sensor measures. Returns 0 if the element is no known sensor.
static int read_target(hfiMjcf* m, const hfiElem* elem, hfSensorDef* d) {
  for (size_t i = 0; i < sizeof sensor_kinds / sizeof *sensor_kinds; ++i) {
    if (!hfi_is(elem, sensor_kinds[i].word)) continue;
    d->type = sensor_kinds[i].type;
    find_target(m, elem, &sensor_kinds[i], d);
    return 1;
  }

  for (size_t i = 0; i < sizeof special_kinds / sizeof *special_kinds; ++i) {
    if (!hfi_is(elem, special_kinds[i].word)) continue;
    d->type = special_kinds[i].type;
    special_kinds[i].find(m, elem, d);
    return 1;
  }
  return 0;
}

// Warns that a sensor of the main file is left out.
static void note_left_out(const hfiMjcf* m, const hfiElem* elem) {
  if (m->attached) return;
  hfi_note(m->r, elem, HF_WARNING,
           "sensor left out: what it measures was left out or is not supported; "
           "the numbers of the sensors after it come earlier than in MuJoCo");
}

// Reads a sensor and adds it to the builder. Leaves it out if it refers to something that was left out.
void hfi_mjcf_read_sensor(hfiMjcf* m, hfiElem* elem) {
  hfiReader* r = m->r;
  hfSensorDef d = hf_sensor_def_default();
  if (hfi_is(elem, "plugin")) note_left_out(m, elem);
  if (!read_target(m, elem, &d)) return;
  elem->used = 1;
  hfi_attr(elem, "name"); // The name of a sensor that is left out counts as used, too.

  // how it measures
  hfi_read_real(r, elem, "cutoff", &d.cutoff);
  hfi_read_real(r, elem, "noise", &d.noise);
  hfi_read_real(r, elem, "delay", &d.delay);
  hfi_read_reals(r, elem, "interval", 1, 2, d.interval);
  hfi_read_int(r, elem, "nsample", &d.nsample);
  hfi_read_keyword(r, elem, "interp", hfi_mjcf_interpolations, &d.interp);

  if (d.noise < 0) hfi_fail(r, elem, HF_ERROR_MODEL, "noise cannot be negative");
  if (d.cutoff < 0) hfi_fail(r, elem, HF_ERROR_MODEL, "cutoff cannot be negative");
  if (r->status) return;

  if (d.obj == HFI_LEFT_OUT || d.ref == HFI_LEFT_OUT) {
    note_left_out(m, elem);
    return;
  }

  d.name = hfi_mjcf_name(m, elem);
  d.where = hfi_where(r, elem);
  if (d.interval[0] > 0 && d.nsample == 0)
    hfi_note(r, elem, HF_WARNING,
             "interval without nsample has no effect, as in MuJoCo: the sensor measures at each step");
  hfi_keep(r, elem, hf_builder_add_sensor(r->builder, &d, &r->scratch));
}

// ---- keyframes ----------------------------------------------------------------------------------

// A keyframe that is being read.
typedef struct KeyReading {
  hfiMjcf* m;
  const hfiElem* elem;
  int nq, nv, na, nu, nmocap;
  int has_reference;      // 1: `reference` is filled
  hfiKeyArrays reference; // the model at its reference, which only a vector that is too short needs
} KeyReading;

// Fills k->reference, once for all vectors.
static void read_reference(KeyReading* k) {
  hfiReader* r = k->m->r;
  if (k->has_reference) return;
  k->has_reference = 1;
  k->reference = (hfiKeyArrays){.qpos = HFI_NEW(r, double, k->nq),
                                .qvel = HFI_NEW(r, double, k->nv),
                                .act = HFI_NEW(r, double, k->na),
                                .ctrl = HFI_NEW(r, double, k->nu),
                                .mpos = HFI_NEW(r, double, 3 * k->nmocap),
                                .mquat = HFI_NEW(r, double, 4 * k->nmocap)};
  if (!r->status) hfi_keep(r, k->elem, hfi_key_reference(r->builder, &k->reference, &r->scratch));
}

// Reads a vector of a keyframe, which has `size` numbers in groups of `unit`. Groups that a shorter one lacks are those
// of *reference, a member of k->reference. may_differ: 1 if actuators were left out, so that another size is a warning.
// Returns NULL if there is no such vector, or if its size does not fit.
static const double* read_vector(KeyReading* k, const char* attr, int size, int unit, double* const* reference,
                                 int may_differ) {
  hfiReader* r = k->m->r;
  int count = 0;
  const double* x = hfi_read_list(r, k->elem, attr, &count);
  if (!x || r->status) return NULL;

  if (count == size) return x;
  if (may_differ) {
    hfi_note(r, k->elem, HF_WARNING, "%s of a keyframe is not used: some actuators were left out", attr);
    return NULL;
  }
  if (count > size) {
    hfi_fail(r, k->elem, HF_ERROR_MODEL, "%s: %d numbers where the model has %d", attr, count, size);
    return NULL;
  }

  read_reference(k);
  int in_whole_groups = count - count % unit;
  for (int i = 0; !r->status && i < in_whole_groups; ++i) (*reference)[i] = x[i];
  return *reference;
}

// Reads the controls of a keyframe. A motor without inputs has no control in the file, but one in the model: it is
// zero.
static const double* read_controls(KeyReading* k, int may_differ) {
  hfiReader* r = k->m->r;
  int lacking = 0; // how many actuators have no control in the file
  for (int i = 0; i < k->nu; ++i) lacking += hfi_lacks_control(hf_builder_actuator(r->builder, i));
  const double* given = read_vector(k, "ctrl", k->nu - lacking, 1, &k->reference.ctrl, may_differ);
  if (!given || lacking == 0) return given;

  double* all = HFI_NEW(r, double, k->nu);
  if (!all) return given;
  for (int i = 0; i < k->nu; ++i) {
    if (hfi_lacks_control(hf_builder_actuator(r->builder, i))) continue; // it stays zero
    all[i] = *given;
    ++given;
  }
  return all;
}

// Reads a <key> and adds it to the builder. Vectors that the file does not give are left to the builder.
void hfi_mjcf_read_key(hfiMjcf* m, hfiElem* elem) {
  hfiReader* r = m->r;
  if (!hfi_is(elem, "key")) return;
  elem->used = 1;

  KeyReading k = {.m = m, .elem = elem};
  hf_builder_sizes(r->builder, &k.nq, &k.nv, &k.na, &k.nu, &k.nmocap);
  hfKeyDef d = {0};
  int fewer = m->actuators_left_out > 0; // 1: act and ctrl of the file may have other sizes

  hfi_read_real(r, elem, "time", &d.time);
  d.qpos = read_vector(&k, "qpos", k.nq, 1, &k.reference.qpos, 0);
  d.qvel = read_vector(&k, "qvel", k.nv, 1, &k.reference.qvel, 0);
  d.act = read_vector(&k, "act", k.na, 1, &k.reference.act, fewer);
  d.ctrl = read_controls(&k, fewer);
  d.mpos = read_vector(&k, "mpos", 3 * k.nmocap, 3, &k.reference.mpos, 0);
  d.mquat = read_vector(&k, "mquat", 4 * k.nmocap, 4, &k.reference.mquat, 0);

  d.name = hfi_mjcf_name(m, elem);
  d.where = hfi_where(r, elem);
  if (!r->status) hfi_keep(r, elem, hf_builder_add_key(r->builder, &d, &r->scratch));
}

// Adds keyframes at the reference until there are as many as <size nkey=...> says.
void hfi_mjcf_fill_keys(hfiMjcf* m) {
  enum { MOST_KEYS = 100000 }; // A file that asks for more keyframes than this is damaged; they would fill the memory.
  hfiReader* r = m->r;
  for (hfiElem* e = hfi_child(m->root, "size"); e && !r->status; e = hfi_next(e, "size")) {
    int wanted = 0;
    hfi_read_int(r, e, "nkey", &wanted);
    if (!r->status && wanted > MOST_KEYS)
      hfi_fail(r, e, HF_ERROR_MODEL, "nkey: %d keyframes are too many; at most %d are allowed", wanted, MOST_KEYS);

    hfKeyDef d = {.where = hfi_where(r, e)};
    while (!r->status && hf_builder_count(r->builder, HF_OBJECT_KEY) < wanted)
      hfi_keep(r, e, hf_builder_add_key(r->builder, &d, &r->scratch));
  }
}
