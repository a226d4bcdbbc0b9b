// Builder: definitions by name, each filled from a dict over its defaults.
#include "core.h"

#include <stdlib.h>
#include <string.h>

typedef struct BuilderObject {
  PyObject_HEAD
  hfBuilder* builder;
} BuilderObject;

static const member body_members[] = {
    MEMBER(hfBodyDef, name), MEMBER(hfBodyDef, parent), MEMBER(hfBodyDef, pos), MEMBER(hfBodyDef, quat),
    MEMBER(hfBodyDef, has_inertial), MEMBER(hfBodyDef, mass), MEMBER(hfBodyDef, com),
    MEMBER(hfBodyDef, inertia), MEMBER(hfBodyDef, inertia_quat), MEMBER(hfBodyDef, gravcomp),
    MEMBER(hfBodyDef, mocap), MEMBER(hfBodyDef, sleep)};
static const member joint_members[] = {
    MEMBER(hfJointDef, name), MEMBER(hfJointDef, body), MEMBER(hfJointDef, type), MEMBER(hfJointDef, pos),
    MEMBER(hfJointDef, axis), MEMBER(hfJointDef, pitch), MEMBER(hfJointDef, limited),
    MEMBER(hfJointDef, range), MEMBER(hfJointDef, margin), MEMBER(hfJointDef, ref),
    MEMBER(hfJointDef, springref), MEMBER(hfJointDef, springyield), MEMBER(hfJointDef, stiffness),
    MEMBER(hfJointDef, damping), MEMBER(hfJointDef, armature), MEMBER(hfJointDef, frictionloss),
    MEMBER(hfJointDef, stiffness_poly), MEMBER(hfJointDef, damping_poly), MEMBER(hfJointDef, bend),
    MEMBER(hfJointDef, bend_rest), MEMBER(hfJointDef, springdamper), MEMBER(hfJointDef, limit_stiffness),
    MEMBER(hfJointDef, limit_damping), MEMBER(hfJointDef, limit_solref), MEMBER(hfJointDef, limit_solimp),
    MEMBER(hfJointDef, actfrclimited), MEMBER(hfJointDef, actfrcrange), MEMBER(hfJointDef, actgravcomp)};
static const member geom_members[] = {
    MEMBER(hfGeomDef, name), MEMBER(hfGeomDef, body), MEMBER(hfGeomDef, type), MEMBER(hfGeomDef, mesh),
    MEMBER(hfGeomDef, hfield), MEMBER(hfGeomDef, pos), MEMBER(hfGeomDef, quat), MEMBER(hfGeomDef, size),
    MEMBER(hfGeomDef, mass), MEMBER(hfGeomDef, density), MEMBER(hfGeomDef, shell_inertia),
    MEMBER(hfGeomDef, contype), MEMBER(hfGeomDef, conaffinity), MEMBER(hfGeomDef, condim),
    MEMBER(hfGeomDef, priority), MEMBER(hfGeomDef, group), MEMBER(hfGeomDef, friction),
    MEMBER(hfGeomDef, friction_dynamic), MEMBER(hfGeomDef, margin), MEMBER(hfGeomDef, gap),
    MEMBER(hfGeomDef, fitscale), MEMBER(hfGeomDef, fluid), MEMBER(hfGeomDef, fluidcoef),
    MEMBER(hfGeomDef, solmix), MEMBER(hfGeomDef, solref), MEMBER(hfGeomDef, solimp),
    MEMBER(hfGeomDef, stiffness), MEMBER(hfGeomDef, dissipation), MEMBER(hfGeomDef, stiction_speed),
    MEMBER(hfGeomDef, tangential_stiffness), MEMBER(hfGeomDef, tangential_damping),
    MEMBER(hfGeomDef, surface_velocity), MEMBER(hfGeomDef, restitution), MEMBER(hfGeomDef, adhesion),
    MEMBER(hfGeomDef, rgba)};
static const member height_field_members[] = {
    MEMBER(hfHeightFieldDef, name), MEMBER(hfHeightFieldDef, nrow), MEMBER(hfHeightFieldDef, ncol),
    MEMBER(hfHeightFieldDef, half_size), MEMBER(hfHeightFieldDef, base)};
static const member site_members[] = {
    MEMBER(hfSiteDef, name), MEMBER(hfSiteDef, body), MEMBER(hfSiteDef, type), MEMBER(hfSiteDef, pos),
    MEMBER(hfSiteDef, quat), MEMBER(hfSiteDef, size)};
static const member camera_members[] = {
    MEMBER(hfCameraDef, name), MEMBER(hfCameraDef, body), MEMBER(hfCameraDef, mode),
    MEMBER(hfCameraDef, target), MEMBER(hfCameraDef, orthographic), MEMBER(hfCameraDef, resolution),
    MEMBER(hfCameraDef, pos), MEMBER(hfCameraDef, quat), MEMBER(hfCameraDef, fovy),
    MEMBER(hfCameraDef, sensorsize), MEMBER(hfCameraDef, focal), MEMBER(hfCameraDef, principal)};
static const member tendon_members[] = {
    MEMBER(hfTendonDef, name), MEMBER(hfTendonDef, limited), MEMBER(hfTendonDef, range),
    MEMBER(hfTendonDef, margin), MEMBER(hfTendonDef, springyield), MEMBER(hfTendonDef, stiffness),
    MEMBER(hfTendonDef, damping), MEMBER(hfTendonDef, frictionloss), MEMBER(hfTendonDef, stiffness_poly),
    MEMBER(hfTendonDef, damping_poly), MEMBER(hfTendonDef, armature), MEMBER(hfTendonDef, springlength),
    MEMBER(hfTendonDef, limit_solref), MEMBER(hfTendonDef, limit_solimp), MEMBER(hfTendonDef, actfrclimited),
    MEMBER(hfTendonDef, actfrcrange)};
static const member equality_members[] = {
    MEMBER(hfEqualityDef, name), MEMBER(hfEqualityDef, type), MEMBER(hfEqualityDef, objkind),
    MEMBER(hfEqualityDef, obj1), MEMBER(hfEqualityDef, obj2), MEMBER(hfEqualityDef, active),
    MEMBER(hfEqualityDef, data), MEMBER(hfEqualityDef, solref), MEMBER(hfEqualityDef, solimp)};
static const member pair_members[] = {
    MEMBER(hfPairDef, name), MEMBER(hfPairDef, geom1), MEMBER(hfPairDef, geom2), MEMBER(hfPairDef, condim),
    MEMBER(hfPairDef, friction), MEMBER(hfPairDef, margin), MEMBER(hfPairDef, gap), MEMBER(hfPairDef, solref),
    MEMBER(hfPairDef, solimp), MEMBER(hfPairDef, adhesion)};
static const member actuator_members[] = {
    MEMBER(hfActuatorDef, name), MEMBER(hfActuatorDef, trntype), MEMBER(hfActuatorDef, trnid),
    MEMBER(hfActuatorDef, dyntype), MEMBER(hfActuatorDef, gaintype), MEMBER(hfActuatorDef, biastype),
    MEMBER(hfActuatorDef, drive), MEMBER(hfActuatorDef, dynprm), MEMBER(hfActuatorDef, gainprm),
    MEMBER(hfActuatorDef, biasprm), MEMBER(hfActuatorDef, dampratio), MEMBER(hfActuatorDef, muscle),
    MEMBER(hfActuatorDef, passive), MEMBER(hfActuatorDef, lengthrange), MEMBER(hfActuatorDef, ctrllimited),
    MEMBER(hfActuatorDef, forcelimited), MEMBER(hfActuatorDef, actlimited), MEMBER(hfActuatorDef, actearly),
    MEMBER(hfActuatorDef, ctrlrange), MEMBER(hfActuatorDef, forcerange), MEMBER(hfActuatorDef, actrange),
    MEMBER(hfActuatorDef, gear), MEMBER(hfActuatorDef, delay), MEMBER(hfActuatorDef, nsample),
    MEMBER(hfActuatorDef, interp), MEMBER(hfActuatorDef, motor), MEMBER(hfActuatorDef, inputs),
    MEMBER(hfActuatorDef, cranklength), MEMBER(hfActuatorDef, group)};
static const member sensor_members[] = {
    MEMBER(hfSensorDef, name), MEMBER(hfSensorDef, type), MEMBER(hfSensorDef, objkind),
    MEMBER(hfSensorDef, obj), MEMBER(hfSensorDef, refkind), MEMBER(hfSensorDef, ref),
    MEMBER(hfSensorDef, cutoff), MEMBER(hfSensorDef, noise), MEMBER(hfSensorDef, data),
    MEMBER(hfSensorDef, num), MEMBER(hfSensorDef, reduce), MEMBER(hfSensorDef, subtree),
    MEMBER(hfSensorDef, delay), MEMBER(hfSensorDef, interval), MEMBER(hfSensorDef, nsample),
    MEMBER(hfSensorDef, interp)};
static const member world_members[] = {
    MEMBER(hfWorld, timestep), MEMBER(hfWorld, gravity), MEMBER(hfWorld, magnetic), MEMBER(hfWorld, density),
    MEMBER(hfWorld, viscosity), MEMBER(hfWorld, wind), MEMBER(hfWorld, stiffness),
    MEMBER(hfWorld, dissipation), MEMBER(hfWorld, stiction_speed), MEMBER(hfWorld, tangential_ratio),
    MEMBER(hfWorld, release_speed), MEMBER(hfWorld, sleep), MEMBER(hfWorld, sleep_speed),
    MEMBER(hfWorld, method), MEMBER(hfWorld, friction), MEMBER(hfWorld, friction_rule),
    MEMBER(hfWorld, filter_parent), MEMBER(hfWorld, disable_contact), MEMBER(hfWorld, disable_limit),
    MEMBER(hfWorld, disable_frictionloss), MEMBER(hfWorld, disable_spring), MEMBER(hfWorld, disable_damper),
    MEMBER(hfWorld, disable_gravity), MEMBER(hfWorld, disable_equality), MEMBER(hfWorld, disable_actuation),
    MEMBER(hfWorld, disable_clamp_control), MEMBER(hfWorld, disabled_groups)};

static const member attach_members[] = {
    MEMBER(hfAttachDef, prefix), MEMBER(hfAttachDef, suffix), MEMBER(hfAttachDef, parent),
    MEMBER(hfAttachDef, pos), MEMBER(hfAttachDef, quat), MEMBER(hfAttachDef, body),
    MEMBER(hfAttachDef, site)};

static hfBuilder* builder_of(PyObject* self) { return ((BuilderObject*)self)->builder; }

// Builder(): an empty one.
static PyObject* builder_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  (void)args;
  (void)kwargs;
  BuilderObject* self = object_alloc(type);
  if (!self) return NULL;

  self->builder = hf_builder_create();
  if (!self->builder) {
    Py_DECREF(self);
    return PyErr_NoMemory();
  }

  return (PyObject*)self;
}

static void builder_dealloc(PyObject* self) {
  hf_builder_free(builder_of(self));
  object_free(self);
}

// ---- adding objects ----------------------------------------------------------------------------------

// The id that an add function of the library returned; an id < 0 raises its error.
static PyObject* id_or_error(int id, const hfError* error) {
  return id < 0 ? raise_error(error) : PyLong_FromLong(id);
}

// _add_KIND(fields): adds an object with the default definition and the fields of a dict. Returns its id.
#define ADD(kind, Def, what)                                                                                           \
  static PyObject* add_##kind(PyObject* self, PyObject* args) {                                                        \
    PyObject* values;                                                                                                  \
    Def def = hf_##kind##_def_default();                                                                               \
    hfError error;                                                                                                     \
    if (!PyArg_ParseTuple(args, "O!", &PyDict_Type, &values)) return NULL;                                             \
    if (fill_struct(&def, MEMBERS(kind##_members), values, what) < 0) return NULL;                                     \
    return id_or_error(hf_builder_add_##kind(builder_of(self), &def, &error), &error);                                 \
  }
ADD(body, hfBodyDef, "a body")
ADD(joint, hfJointDef, "a joint")
ADD(geom, hfGeomDef, "a geom")
ADD(site, hfSiteDef, "a site")
ADD(camera, hfCameraDef, "a camera")
ADD(equality, hfEqualityDef, "an equality")
ADD(pair, hfPairDef, "a pair")
ADD(actuator, hfActuatorDef, "an actuator")
ADD(sensor, hfSensorDef, "a sensor")

// The ints of a list, in new memory, to be freed; NULL with an exception.
static int* new_ids(PyObject* list) {
  int n = (int)PyList_Size(list);
  int* ids = malloc(sizeof *ids * (size_t)(n + 1));
  if (!ids) {
    PyErr_NoMemory();
    return NULL;
  }

  for (int i = 0; i < n; ++i) ids[i] = (int)PyLong_AsLong(PyList_GetItem(list, i));
  if (PyErr_Occurred()) {
    free(ids);
    return NULL;
  }
  return ids;
}

// _add_tendon(fields, [joint, ...], coefficients): adds a tendon whose length is a sum of joint positions.
static PyObject* add_tendon(PyObject* self, PyObject* args) {
  PyObject* values;
  PyObject* joints;
  PyObject* coefs;
  hfTendonDef def = hf_tendon_def_default();
  if (!PyArg_ParseTuple(args, "O!O!O", &PyDict_Type, &values, &PyList_Type, &joints, &coefs)) return NULL;
  if (fill_struct(&def, MEMBERS(tendon_members), values, "a tendon") < 0) return NULL;

  Py_buffer coef;
  if (get_doubles(coefs, "coef", PyList_Size(joints), 0, &coef) < 0) return NULL;

  int* ids = new_ids(joints);
  PyObject* result = NULL;
  if (ids) {
    hfError error;
    def.count = (int)PyList_Size(joints);
    def.joint = ids;
    def.coef = coef.buf;
    result = id_or_error(hf_builder_add_tendon(builder_of(self), &def, &error), &error);
  }

  free(ids);
  PyBuffer_Release(&coef);
  return result;
}

// The path of a spatial tendon, from a list of (type, object, side, divisor), in new memory, to be freed.
static hfWrapDef* new_path(PyObject* list, int count) {
  hfWrapDef* path = calloc((size_t)count + 1, sizeof *path);
  if (!path) {
    PyErr_NoMemory();
    return NULL;
  }

  for (int i = 0; i < count; ++i) {
    hfWrapDef* w = &path[i];
    if (!PyArg_ParseTuple(PyList_GetItem(list, i), "iiid", &w->type, &w->obj, &w->side, &w->divisor)) {
      free(path);
      return NULL;
    }
  }
  return path;
}

// _add_spatial_tendon(fields, path): adds a tendon along a path, see new_path.
static PyObject* add_spatial_tendon(PyObject* self, PyObject* args) {
  PyObject* values;
  PyObject* list;
  hfTendonDef def = hf_tendon_def_default();
  if (!PyArg_ParseTuple(args, "O!O!", &PyDict_Type, &values, &PyList_Type, &list)) return NULL;
  if (fill_struct(&def, MEMBERS(tendon_members), values, "a tendon") < 0) return NULL;

  def.path_count = (int)PyList_Size(list);
  hfWrapDef* path = new_path(list, def.path_count);
  if (!path) return NULL;
  def.path = path;

  hfError error;
  PyObject* result = id_or_error(hf_builder_add_tendon(builder_of(self), &def, &error), &error);
  free(path);
  return result;
}

// _add_height_field(fields with nrow and ncol, heights (nrow x ncol))
static PyObject* add_height_field(PyObject* self, PyObject* args) {
  PyObject* values;
  PyObject* heights;
  hfHeightFieldDef def = hf_height_field_def_default();
  if (!PyArg_ParseTuple(args, "O!O", &PyDict_Type, &values, &heights)) return NULL;
  if (fill_struct(&def, MEMBERS(height_field_members), values, "a height field") < 0) return NULL;

  Py_buffer height;
  if (get_doubles(heights, "heights", (int64_t)def.nrow * def.ncol, 0, &height) < 0) return NULL;
  def.height = height.buf;

  hfError error;
  PyObject* result = id_or_error(hf_builder_add_height_field(builder_of(self), &def, &error), &error);
  PyBuffer_Release(&height);
  return result;
}

// The number of triples of int32 in a buffer; -1: not whole triples.
static int count_triples(const Py_buffer* x) {
  Py_ssize_t triple = 3 * (Py_ssize_t)sizeof(int32_t);
  return x->len % triple == 0 ? (int)(x->len / triple) : -1;
}

// Adds a mesh: its own triangles, or without them (an empty view) those of its convex hull, which is computed in
// either case for contacts. def: name, vertices and largest number of vertices of the hull are set.
static PyObject* add_mesh_with_hull(hfBuilder* b, hfMeshDef* def, const Py_buffer* triangles) {
  int32_t* hull = NULL;
  hfError error;
  if (hf_hull_compute(def->vert, def->nvert, def->max_hull_vert, &hull, &def->nhulltri, &error) < 0)
    return raise_error(&error);

  def->hulltri = hull;

  if (triangles->obj) {
    def->tri = triangles->buf;
    def->ntri = count_triples(triangles);
    def->inertia = HF_MESH_INERTIA_EXACT;
  } else {
    def->tri = hull;
    def->ntri = def->nhulltri;
    def->inertia = HF_MESH_INERTIA_CONVEX;
  }

  PyObject* result = id_or_error(hf_builder_add_mesh(b, def, &error), &error);
  hf_hull_free(hull);
  return result;
}

// _add_mesh(name, vertices (n x 3), triangles (int32) or None, most vertices of the hull)
static PyObject* add_mesh(PyObject* self, PyObject* args) {
  PyObject* vertices;
  PyObject* faces;
  hfMeshDef def = hf_mesh_def_default();
  if (!PyArg_ParseTuple(args, "zOOi", &def.name, &vertices, &faces, &def.max_hull_vert)) return NULL;

  Py_buffer x;
  Py_buffer triangles = {0};
  PyObject* result = NULL;
  if (get_doubles(vertices, "vertices", -1, 0, &x) < 0) return NULL;
  def.vert = x.buf;
  def.nvert = (int32_t)(count_doubles(&x) / 3);

  if (faces == Py_None || PyObject_GetBuffer(faces, &triangles, PyBUF_SIMPLE) == 0)
    result = add_mesh_with_hull(builder_of(self), &def, &triangles);

  PyBuffer_Release(&triangles);
  PyBuffer_Release(&x);
  return result;
}

// _add_exclude(body a, body b): two bodies that do not touch each other.
static PyObject* add_exclude(PyObject* self, PyObject* args) {
  int a;
  int b;
  hfError error;
  if (!PyArg_ParseTuple(args, "ii", &a, &b)) return NULL;

  return id_or_error(hf_builder_add_exclude(builder_of(self), a, b, &error), &error);
}

// _add_key(name, time [s], qpos, qvel, act, ctrl, mpos, mquat): adds a keyframe; arrays of the model's sizes or None.
static PyObject* add_key(PyObject* self, PyObject* args) {
  enum { ARRAYS = 6 };
  hfBuilder* b = builder_of(self);
  PyObject* o[ARRAYS];
  hfKeyDef def = {0};
  if (!PyArg_ParseTuple(args, "zdOOOOOO", &def.name, &def.time, &o[0], &o[1], &o[2], &o[3], &o[4], &o[5])) return NULL;

  int nq;
  int nv;
  int na;
  int nu;
  int nmocap;
  hf_builder_sizes(b, &nq, &nv, &na, &nu, &nmocap);
  const struct {
    const char* name;
    int64_t size;
    const double** data;
  } arrays[ARRAYS] = {{"qpos", nq, &def.qpos},         {"qvel", nv, &def.qvel},
                      {"act", na, &def.act},           {"ctrl", nu, &def.ctrl},
                      {"mpos", 3 * nmocap, &def.mpos}, {"mquat", 4 * nmocap, &def.mquat}};

  Py_buffer view[ARRAYS] = {{0}};
  int status = 0;
  for (int i = 0; status == 0 && i < ARRAYS; ++i) {
    status = get_optional_doubles(o[i], arrays[i].name, arrays[i].size, &view[i]);
    *arrays[i].data = view[i].buf;
  }

  hfError error;
  PyObject* result = NULL;
  if (status == 0) result = id_or_error(hf_builder_add_key(b, &def, &error), &error);

  for (int i = 0; i < ARRAYS; ++i) PyBuffer_Release(&view[i]);
  return result;
}

// ---- the scene and what there is -----------------------------------------------------------------------

// _set_world(fields): changes constants of the scene.
static PyObject* set_world(PyObject* self, PyObject* args) {
  PyObject* values;
  if (!PyArg_ParseTuple(args, "O!", &PyDict_Type, &values)) return NULL;

  hfWorld world = *hf_builder_world(builder_of(self));
  hfError error;

  if (fill_struct(&world, MEMBERS(world_members), values, "the world") < 0) return NULL;
  if (hf_builder_set_world(builder_of(self), &world, &error) < 0) return raise_error(&error);
  Py_RETURN_NONE;
}

static PyObject* get_world(PyObject* self, PyObject* args) {
  (void)args;
  return dump_struct(hf_builder_world(builder_of(self)), MEMBERS(world_members));
}

// _count(kind): the number of objects of a kind.
static PyObject* builder_count(PyObject* self, PyObject* args) {
  int kind;
  if (!PyArg_ParseTuple(args, "i", &kind)) return NULL;
  return PyLong_FromLong(hf_builder_count(builder_of(self), (hfObjectKind)kind));
}

// _names(kind): names in the order of ids.
static PyObject* builder_names(PyObject* self, PyObject* args) {
  int kind;
  if (!PyArg_ParseTuple(args, "i", &kind)) return NULL;

  const hfBuilder* b = builder_of(self);
  int count = hf_builder_count(b, (hfObjectKind)kind);
  PyObject* list = PyList_New(count);
  for (int i = 0; list && i < count; ++i) {
    PyObject* name = PyUnicode_FromString(hf_builder_name(b, (hfObjectKind)kind, i));
    if (!name || PyList_SetItem(list, i, name) < 0) Py_CLEAR(list);
  }
  return list;
}

// _find(kind, name): the id of an object, or -1.
static PyObject* builder_find(PyObject* self, PyObject* args) {
  int kind;
  const char* name;
  if (!PyArg_ParseTuple(args, "is", &kind, &name)) return NULL;
  return PyLong_FromLong(hf_builder_find(builder_of(self), (hfObjectKind)kind, name));
}

// ---- files -------------------------------------------------------------------------------------------

// Reads a file or a text into a new builder, without the interpreter's lock. Returns (builder, what the reader said).
static PyObject* import_builder(PyTypeObject* type, const import* in) {
  hfDiagnostics* diagnostics = hf_diagnostics_create();
  if (!diagnostics) return PyErr_NoMemory();

  hfBuilder* builder = NULL;
  hfError error;
  hfStatus status;
  Py_BEGIN_ALLOW_THREADS
  if (in->text)
    status = hf_builder_parse(&builder, in->text, (size_t)in->length, in->name, in->folder, &in->config, diagnostics,
                              &error);
  else
    status = hf_builder_load(&builder, in->name, &in->config, diagnostics, &error);
  Py_END_ALLOW_THREADS

  BuilderObject* self = status < 0 ? (void*)raise_import_error(&error, diagnostics) : object_alloc(type);
  PyObject* said = self ? list_diagnostics(diagnostics) : NULL;
  hf_diagnostics_free(diagnostics);
  if (!self) {
    hf_builder_free(builder);
    return NULL;
  }

  self->builder = builder;
  if (!said) {
    Py_DECREF(self);
    return NULL;
  }
  return Py_BuildValue("(NN)", self, said);
}

// _load(path, search, options): (builder, what the reader said)
static PyObject* builder_load(PyObject* type, PyObject* args) {
  import in;
  if (read_load_arguments(&in, args) < 0) return NULL;
  return import_builder((PyTypeObject*)type, &in);
}

// _parse(text, name, folder, search, options): (builder, what the reader said)
static PyObject* builder_parse(PyObject* type, PyObject* args) {
  import in;
  if (read_parse_arguments(&in, args) < 0) return NULL;
  return import_builder((PyTypeObject*)type, &in);
}

// _write(path): writes MJCF.
static PyObject* builder_write(PyObject* self, PyObject* args) {
  const char* path;
  hfError error;
  if (!PyArg_ParseTuple(args, "s", &path)) return NULL;
  if (hf_builder_write_mjcf(builder_of(self), path, &error) < 0) return raise_error(&error);
  Py_RETURN_NONE;
}

// _attach(builder, fields of hfAttachDef): adds what another builder holds.
static PyObject* builder_attach(PyObject* self, PyObject* args) {
  PyObject* guest;
  PyObject* values;
  hfAttachDef def = hf_attach_def_default();
  hfError error;
  if (!PyArg_ParseTuple(args, "O!O!", Py_TYPE(self), &guest, &PyDict_Type, &values)) return NULL;

  if (fill_struct(&def, MEMBERS(attach_members), values, "an attachment") < 0) return NULL;
  if (hf_builder_attach(builder_of(self), builder_of(guest), &def, &error) < 0) return raise_error(&error);
  Py_RETURN_NONE;
}

// _copy_to(empty): puts everything into a builder that holds nothing.
static PyObject* builder_copy_to(PyObject* self, PyObject* args) {
  PyObject* empty;
  hfError error;
  if (!PyArg_ParseTuple(args, "O!", Py_TYPE(self), &empty)) return NULL;

  hfBuilder* from = builder_of(self);
  hfBuilder* to = builder_of(empty);
  const hfAttachDef everything = hf_attach_def_default();
  *hf_builder_world(to) = *hf_builder_world(from);
  *hf_builder_config(to) = *hf_builder_config(from);
  if (hf_builder_attach(to, from, &everything, &error) < 0) return raise_error(&error);
  Py_RETURN_NONE;
}

// ---- changes -----------------------------------------------------------------------------------------

// _get_KIND(id): the fields of a definition
#define GET(kind)                                                                                                      \
  static PyObject* get_##kind(PyObject* self, PyObject* args) {                                                        \
    int id;                                                                                                            \
    if (!PyArg_ParseTuple(args, "i", &id)) return NULL;                                                                \
    const void* now = hf_builder_##kind(builder_of(self), id);                                                         \
    if (!now) return PyErr_Format(PyExc_IndexError, "there is no " #kind " %d", id);                                   \
    return dump_struct(now, MEMBERS(kind##_members));                                                                  \
  }
GET(body)
GET(joint)
GET(geom)
GET(site)
GET(camera)
GET(tendon)
GET(equality)
GET(pair)
GET(actuator)
GET(sensor)

// _set_KIND(id, fields): changes the fields of a definition that a dict has.
#define SET(kind, Def, what)                                                                                           \
  static PyObject* set_##kind(PyObject* self, PyObject* args) {                                                        \
    PyObject* values;                                                                                                  \
    int id;                                                                                                            \
    hfError error;                                                                                                     \
    if (!PyArg_ParseTuple(args, "iO!", &id, &PyDict_Type, &values)) return NULL;                                       \
    const Def* now = hf_builder_##kind(builder_of(self), id);                                                          \
    if (!now) return PyErr_Format(PyExc_IndexError, "there is no " #kind " %d", id);                                   \
    Def def = *now;                                                                                                    \
    if (fill_struct(&def, MEMBERS(kind##_members), values, what) < 0) return NULL;                                     \
    if (hf_builder_set_##kind(builder_of(self), id, &def, &error) < 0) return raise_error(&error);                     \
    Py_RETURN_NONE;                                                                                                    \
  }
SET(body, hfBodyDef, "a body")
SET(joint, hfJointDef, "a joint")
SET(geom, hfGeomDef, "a geom")
SET(site, hfSiteDef, "a site")
SET(camera, hfCameraDef, "a camera")
SET(tendon, hfTendonDef, "a tendon")
SET(equality, hfEqualityDef, "an equality")
SET(pair, hfPairDef, "a pair")
SET(actuator, hfActuatorDef, "an actuator")
SET(sensor, hfSensorDef, "a sensor")

// _remove(kind, id): removes an object with all that is in it and all that refers to it.
static PyObject* builder_remove(PyObject* self, PyObject* args) {
  int kind;
  int id;
  hfError error;
  if (!PyArg_ParseTuple(args, "ii", &kind, &id)) return NULL;

  if (hf_builder_remove(builder_of(self), (hfObjectKind)kind, id, &error) < 0) return raise_error(&error);
  Py_RETURN_NONE;
}

// _finish(type): a model of that type, with what surprises in its shapes.
static PyObject* builder_finish(PyObject* self, PyObject* args) {
  PyObject* type;
  hfModel* model = NULL;
  hfError error;
  if (!PyArg_ParseTuple(args, "O!", &PyType_Type, &type)) return NULL;
  if (!PyType_IsSubtype((PyTypeObject*)type, ModelType))
    return PyErr_Format(PyExc_TypeError, "a type of models is needed");
  if (hf_builder_finish(builder_of(self), &model, &error) < 0) return raise_error(&error);

  hfDiagnostics* said = hf_diagnostics_create();
  if (!said) {
    hf_model_free(model);
    return PyErr_NoMemory();
  }

  hf_model_diagnose(model, "", said);
  PyObject* result = wrap_model((PyTypeObject*)type, model, said);
  hf_diagnostics_free(said);

  return result;
}

static PyMethodDef builder_methods[] = {{"_add_body", add_body, METH_VARARGS, NULL},
                                        {"_add_joint", add_joint, METH_VARARGS, NULL},
                                        {"_add_geom", add_geom, METH_VARARGS, NULL},
                                        {"_add_site", add_site, METH_VARARGS, NULL},
                                        {"_add_camera", add_camera, METH_VARARGS, NULL},
                                        {"_add_tendon", add_tendon, METH_VARARGS, NULL},
                                        {"_add_spatial_tendon", add_spatial_tendon, METH_VARARGS, NULL},
                                        {"_add_equality", add_equality, METH_VARARGS, NULL},
                                        {"_add_pair", add_pair, METH_VARARGS, NULL},
                                        {"_add_height_field", add_height_field, METH_VARARGS, NULL},
                                        {"_add_mesh", add_mesh, METH_VARARGS, NULL},
                                        {"_add_exclude", add_exclude, METH_VARARGS, NULL},
                                        {"_add_actuator", add_actuator, METH_VARARGS, NULL},
                                        {"_add_sensor", add_sensor, METH_VARARGS, NULL},
                                        {"_add_key", add_key, METH_VARARGS, NULL},
                                        {"_set_world", set_world, METH_VARARGS, NULL},
                                        {"_get_world", get_world, METH_NOARGS, NULL},
                                        {"_count", builder_count, METH_VARARGS, NULL},
                                        {"_names", builder_names, METH_VARARGS, NULL},
                                        {"_find", builder_find, METH_VARARGS, NULL},
                                        {"_parse", builder_parse, METH_VARARGS | METH_CLASS, NULL},
                                        {"_copy_to", builder_copy_to, METH_VARARGS, NULL},
                                        {"_load", builder_load, METH_VARARGS | METH_CLASS, NULL},
                                        {"_write", builder_write, METH_VARARGS, NULL},
                                        {"_attach", builder_attach, METH_VARARGS, NULL},
                                        {"_get_body", get_body, METH_VARARGS, NULL},
                                        {"_get_joint", get_joint, METH_VARARGS, NULL},
                                        {"_get_geom", get_geom, METH_VARARGS, NULL},
                                        {"_get_site", get_site, METH_VARARGS, NULL},
                                        {"_get_camera", get_camera, METH_VARARGS, NULL},
                                        {"_get_equality", get_equality, METH_VARARGS, NULL},
                                        {"_get_actuator", get_actuator, METH_VARARGS, NULL},
                                        {"_set_body", set_body, METH_VARARGS, NULL},
                                        {"_set_joint", set_joint, METH_VARARGS, NULL},
                                        {"_set_geom", set_geom, METH_VARARGS, NULL},
                                        {"_set_site", set_site, METH_VARARGS, NULL},
                                        {"_set_camera", set_camera, METH_VARARGS, NULL},
                                        {"_set_equality", set_equality, METH_VARARGS, NULL},
                                        {"_set_actuator", set_actuator, METH_VARARGS, NULL},
                                        {"_set_tendon", set_tendon, METH_VARARGS, NULL},
                                        {"_set_pair", set_pair, METH_VARARGS, NULL},
                                        {"_set_sensor", set_sensor, METH_VARARGS, NULL},
                                        {"_get_tendon", get_tendon, METH_VARARGS, NULL},
                                        {"_get_pair", get_pair, METH_VARARGS, NULL},
                                        {"_get_sensor", get_sensor, METH_VARARGS, NULL},
                                        {"_remove", builder_remove, METH_VARARGS, NULL},
                                        {"_finish", builder_finish, METH_VARARGS, NULL},
                                        {0}};
static PyType_Slot builder_slots[] = {
    {Py_tp_new, builder_new}, {Py_tp_dealloc, builder_dealloc}, {Py_tp_methods, builder_methods}, {0}};
static PyType_Spec builder_spec = {.name = "holdfast._core.Builder",
                                   .basicsize = sizeof(BuilderObject),
                                   .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                                   .slots = builder_slots};

// Adds the type Builder to the module.
int add_builder(PyObject* module) { return add_type(module, &builder_spec) ? 0 : -1; }
