// Model and Params.
#include "core.h"

#include <stdlib.h>
#include <string.h>

PyTypeObject* ModelType;
PyTypeObject* ParamsType;

static const member world_members[] = {
    MEMBER(hfWorld, timestep), MEMBER(hfWorld, gravity), MEMBER(hfWorld, stiffness),
    MEMBER(hfWorld, dissipation), MEMBER(hfWorld, stiction_speed), MEMBER(hfWorld, tangential_ratio),
    MEMBER(hfWorld, release_speed), MEMBER(hfWorld, sleep), MEMBER(hfWorld, sleep_speed),
    MEMBER(hfWorld, impratio), MEMBER(hfWorld, method), MEMBER(hfWorld, friction),
    MEMBER(hfWorld, friction_rule), MEMBER(hfWorld, filter_parent), MEMBER(hfWorld, disable_contact),
    MEMBER(hfWorld, disable_limit), MEMBER(hfWorld, disable_frictionloss), MEMBER(hfWorld, disable_spring),
    MEMBER(hfWorld, disable_damper), MEMBER(hfWorld, disable_gravity), MEMBER(hfWorld, disable_equality),
    MEMBER(hfWorld, disable_actuation), MEMBER(hfWorld, disable_clamp_control),
    MEMBER(hfWorld, disabled_groups), MEMBER(hfWorld, magnetic), MEMBER(hfWorld, density),
    MEMBER(hfWorld, viscosity), MEMBER(hfWorld, wind), MEMBER(hfWorld, pyramidal_cone)};

// The model of a Model or Params; NULL with a TypeError for anything else.
const hfModel* model_of(PyObject* object) {
  if (PyObject_TypeCheck(object, ModelType)) return ((ModelObject*)object)->model;
  if (PyObject_TypeCheck(object, ParamsType)) return hf_params_model(((ParamsObject*)object)->params);

  PyErr_Format(PyExc_TypeError, "a Model or Params is needed, not %R", Py_TYPE(object));
  return NULL;
}

// ---- making models -----------------------------------------------------------------------------------

// What a reader said: a list of (severity, file, line, message, count). NULL: an empty list.
PyObject* list_diagnostics(const hfDiagnostics* d) {
  int n = d ? hf_diagnostics_count(d) : 0;
  PyObject* list = PyList_New(n);

  for (int i = 0; list && i < n; ++i) {
    hfDiagnostic g = hf_diagnostics_get(d, i);
    const char* severity = g.severity == HF_WARNING ? "warning" : "note";
    const char* file = g.file ? g.file : "";
    PyList_SetItem(list, i, Py_BuildValue("(ssisi)", severity, file, g.line, g.message, g.count));
  }
  return list;
}

static void release_model(void* model) { hf_model_free(model); }

// A Model that owns `model`, also after a failure, when it frees it.
PyObject* wrap_model(PyTypeObject* type, hfModel* model, const hfDiagnostics* diagnostics) {
  PyObject* owner = own(model, release_model, NULL);
  ModelObject* self = owner ? object_alloc(type) : NULL;
  if (!self) {
    Py_XDECREF(owner);
    return NULL;
  }

  self->owner = owner;
  self->model = model;
  self->diagnostics = list_diagnostics(diagnostics);

  if (!self->diagnostics) Py_CLEAR(self);
  return (PyObject*)self;
}

static const member import_members[] = {
    MEMBER(hfImportConfig, merge_fixed_links), MEMBER(hfImportConfig, floating_base),
    MEMBER(hfImportConfig, fixed_base), MEMBER(hfImportConfig, skip_meshes),
    MEMBER(hfImportConfig, urdf_actuators), MEMBER(hfImportConfig, servo_kp),
    MEMBER(hfImportConfig, servo_kv), MEMBER(hfImportConfig, srdf)};

// Sets the configuration of an import: the folders of `search`, a list of str or None, and the fields of a dict.
static int fill_import(import* in, PyObject* search, PyObject* options) {
  in->config = hf_import_config_default();
  if (fill_struct(&in->config, MEMBERS(import_members), options, "how to read a file") < 0) return -1;

  Py_ssize_t n = search != Py_None ? PyList_Size(search) : 0;
  if (n < 0) return -1;
  if (n > MAX_SEARCH_FOLDERS) return refuse(PyExc_ValueError, "search: at most %d folders", MAX_SEARCH_FOLDERS);
  for (Py_ssize_t i = 0; i < n; ++i) {
    in->path[i] = text_of(PyList_GetItem(search, i));
    if (!in->path[i]) return -1;
  }

  in->config.search_path = in->path;
  in->config.search_count = (int)n;
  return 0;
}

// Reads the arguments (path, search, options).
int read_load_arguments(import* in, PyObject* args) {
  PyObject* search;
  PyObject* options;
  in->text = NULL;
  in->folder = NULL;
  in->length = 0;

  if (!PyArg_ParseTuple(args, "sOO!", &in->name, &search, &PyDict_Type, &options)) return -1;
  return fill_import(in, search, options);
}

// Reads the arguments (text, name, folder, search, options).
int read_parse_arguments(import* in, PyObject* args) {
  PyObject* search;
  PyObject* options;
  if (!PyArg_ParseTuple(args, "s#ssOO!", &in->text, &in->length, &in->name, &in->folder, &search, &PyDict_Type,
                        &options))
    return -1;

  return fill_import(in, search, options);
}

// Reads a model from a file or a text without the interpreter's lock. Returns a Model with what the reader said.
static PyObject* import_model(PyTypeObject* type, const import* in) {
  hfDiagnostics* diagnostics = hf_diagnostics_create();
  if (!diagnostics) return PyErr_NoMemory();

  hfModel* model = NULL;
  hfError error;
  hfStatus status;
  Py_BEGIN_ALLOW_THREADS
  if (in->text)
    status = hf_model_parse(&model, in->text, (size_t)in->length, in->name, in->folder, &in->config, diagnostics,
                            &error);
  else
    status = hf_model_load(&model, in->name, &in->config, diagnostics, &error);
  Py_END_ALLOW_THREADS

  PyObject* result = status < 0 ? raise_import_error(&error, diagnostics) : wrap_model(type, model, diagnostics);
  hf_diagnostics_free(diagnostics);
  return result;
}

// _load(path, search, options)
static PyObject* model_load(PyObject* type, PyObject* args) {
  import in;
  if (read_load_arguments(&in, args) < 0) return NULL;
  return import_model((PyTypeObject*)type, &in);
}

// _parse(text, name, folder, search, options)
static PyObject* model_parse(PyObject* type, PyObject* args) {
  import in;
  if (read_parse_arguments(&in, args) < 0) return NULL;
  return import_model((PyTypeObject*)type, &in);
}

// _from_bytes(bytes): a Model of what _to_bytes gave. The bytes are checked.
static PyObject* model_from_bytes(PyObject* type, PyObject* args) {
  const char* bytes;
  Py_ssize_t n;
  hfError error;
  if (!PyArg_ParseTuple(args, "y#", &bytes, &n)) return NULL;

  // whole pieces of 64 bytes, as aligned_alloc wants; hf_model_free frees with free()
  size_t room = ((size_t)n + 63) / 64 * 64;
  hfModel* model = aligned_alloc(64, room ? room : 64);
  if (!model) return PyErr_NoMemory();

  memcpy(model, bytes, (size_t)n);
  if (hf_model_validate(model, (size_t)n, &error) < 0) {
    free(model);
    return raise_error(&error);
  }
  return wrap_model((PyTypeObject*)type, model, NULL);
}

static void model_dealloc(PyObject* self) {
  Py_CLEAR(((ModelObject*)self)->owner);
  Py_CLEAR(((ModelObject*)self)->diagnostics);
  object_free(self);
}

// ---- looking into a model ------------------------------------------------------------------------------

static const hfModel* model_in(PyObject* self) { return ((ModelObject*)self)->model; }

// _diagnose(): what surprises in the shapes of the model, as list_diagnostics gives it.
static PyObject* model_diagnose(PyObject* self, PyObject* none) {
  (void)none;
  hfDiagnostics* said = hf_diagnostics_create();
  if (!said) return PyErr_NoMemory();

  hf_model_diagnose(model_in(self), "", said);
  PyObject* list = list_diagnostics(said);
  hf_diagnostics_free(said);
  return list;
}

// _counts(): a dict of the model's sizes.
static PyObject* model_counts(PyObject* self, PyObject* none) {
  (void)none;
  const hfModel* m = model_in(self);
  const struct {
    const char* name;
    int32_t value;
  } counts[] = {
#define X(name) {#name, m->name},
      HF_MODEL_COUNTS(X)
#undef X
  };

  PyObject* dict = PyDict_New();
  for (size_t i = 0; dict && i < sizeof counts / sizeof *counts; ++i) {
    PyObject* value = PyLong_FromLong(counts[i].value);
    if (!value || PyDict_SetItemString(dict, counts[i].name, value) < 0) Py_CLEAR(dict);
    Py_XDECREF(value);
  }
  return dict;
}

// _world(): a dict of the constants of the scene.
static PyObject* model_world(PyObject* self, PyObject* none) {
  (void)none;
  return dump_struct(&model_in(self)->world, MEMBERS(world_members));
}

// _fields(): a list of (name, type, rows, columns, 1 if each world may have its own values).
static PyObject* model_fields(PyObject* self, PyObject* none) {
  (void)none;
  PyObject* list = PyList_New(HF_MODEL_FIELD_COUNT);

  for (int f = 0; list && f < HF_MODEL_FIELD_COUNT; ++f) {
    hfFieldInfo i = hf_model_field_info(model_in(self), (hfModelField)f);
    PyList_SetItem(list, f, Py_BuildValue("(sCiii)", i.name, i.type, i.rows, i.columns, i.overlay));
  }
  return list;
}

// 1 if every model has one column of the field. Fields of keyframes have as many as the model has positions, controls
// and so on: they keep two dimensions in a model that has one.
static int is_column(hfModelField f) {
  static const char* const columns_of[] = {
#define X(type, name, rows, columns, overlay) #columns,
      HF_MODEL_FIELDS(X)
#undef X
  };
  return strcmp(columns_of[f], "1") == 0;
}

// A view of a field: of the model's values, read-only; or of the values at `overlay`, if that is not NULL.
static PyObject* view_field(PyObject* owner, const hfModel* m, const char* name, double* overlay) {
  int f = hf_model_field_find(name);
  if (f < 0) return PyErr_Format(PyExc_AttributeError, "a model has no field \"%s\"", name);

  hfFieldInfo info = hf_model_field_info(m, (hfModelField)f);
  const int64_t shape[2] = {info.rows, info.columns};
  int ndim = is_column((hfModelField)f) ? 1 : 2;
  char kind = info.type == 'c' ? 'B' : info.type; // characters are shown as bytes
  void* data = overlay ? (void*)overlay : (void*)((uintptr_t)m + (uintptr_t)m->offset[f]);
  return view_new(owner, data, kind, ndim, shape, NULL, !overlay);
}

// _field(name): a read-only view of a field.
static PyObject* model_field(PyObject* self, PyObject* args) {
  const char* name;
  if (!PyArg_ParseTuple(args, "s", &name)) return NULL;
  return view_field(((ModelObject*)self)->owner, model_in(self), name, NULL);
}

// _find(kind, name): the id of an object, or -1.
static PyObject* model_find(PyObject* self, PyObject* args) {
  int kind;
  const char* name;
  if (!PyArg_ParseTuple(args, "is", &kind, &name)) return NULL;
  return PyLong_FromLong(hf_model_find(model_in(self), (hfObjectKind)kind, name));
}

// _name(kind, id)
static PyObject* model_name(PyObject* self, PyObject* args) {
  const hfModel* m = model_in(self);
  int kind;
  int id;
  if (!PyArg_ParseTuple(args, "ii", &kind, &id)) return NULL;

  if (id < 0 || id >= hf_model_object_count(m, (hfObjectKind)kind))
    return PyErr_Format(PyExc_IndexError, "no object %d", id);
  return PyUnicode_FromString(hf_model_name(m, (hfObjectKind)kind, id));
}

// _labels(kind): what logs call the objects, in the order of ids.
static PyObject* model_labels(PyObject* self, PyObject* args) {
  const hfModel* m = model_in(self);
  int kind;
  char buffer[HF_LABEL_SIZE];
  if (!PyArg_ParseTuple(args, "i", &kind)) return NULL;

  int count = hf_model_object_count(m, (hfObjectKind)kind);
  PyObject* list = PyList_New(count);
  for (int i = 0; list && i < count; ++i) {
    PyObject* label = PyUnicode_FromString(hf_model_label(m, (hfObjectKind)kind, i, buffer));
    if (!label || PyList_SetItem(list, i, label) < 0) Py_CLEAR(list);
  }
  return list;
}

static PyObject* model_object_count(PyObject* self, PyObject* args) {
  int kind;
  if (!PyArg_ParseTuple(args, "i", &kind)) return NULL;
  return PyLong_FromLong(hf_model_object_count(model_in(self), (hfObjectKind)kind));
}

// ---- writing a model -----------------------------------------------------------------------------------

static PyObject* model_to_bytes(PyObject* self, PyObject* none) {
  (void)none;
  const hfModel* m = model_in(self);
  return PyBytes_FromStringAndSize((const char*)m, (Py_ssize_t)m->size);
}

// _save(path)
static PyObject* model_save(PyObject* self, PyObject* args) {
  const char* path;
  hfError error;
  if (!PyArg_ParseTuple(args, "s", &path)) return NULL;
  if (hf_model_write(model_in(self), path, &error) < 0) return raise_error(&error);
  Py_RETURN_NONE;
}

// hf_model_write_sdf or hf_model_write_urdf
typedef hfStatus (*robotWriter)(const hfModel*, const char*, hfDiagnostics*, hfError*);

// Parses (path) and writes a model. Returns what the writer said, as list_diagnostics gives it.
static PyObject* write_robot(PyObject* self, PyObject* args, robotWriter write) {
  const char* path;
  hfError error;
  if (!PyArg_ParseTuple(args, "s", &path)) return NULL;

  hfDiagnostics* diagnostics = hf_diagnostics_create();
  if (!diagnostics) return PyErr_NoMemory();

  hfStatus status = write(model_in(self), path, diagnostics, &error);
  PyObject* said = status < 0 ? raise_error(&error) : list_diagnostics(diagnostics);
  hf_diagnostics_free(diagnostics);
  return said;
}

static PyObject* model_write_sdf(PyObject* self, PyObject* args) {
  return write_robot(self, args, hf_model_write_sdf);
}

static PyObject* model_write_urdf(PyObject* self, PyObject* args) {
  return write_robot(self, args, hf_model_write_urdf);
}

static PyObject* model_diagnostics(PyObject* self, void* none) {
  (void)none;
  return Py_NewRef(((ModelObject*)self)->diagnostics);
}

// ---- configurations ------------------------------------------------------------------------------------

// _integrate(q, v, h): q (+) h v
static PyObject* model_integrate(PyObject* self, PyObject* args) {
  const hfModel* m = model_in(self);
  PyObject* positions;
  PyObject* velocities;
  double h;
  if (!PyArg_ParseTuple(args, "OOd", &positions, &velocities, &h)) return NULL;

  Py_buffer q = {0};
  Py_buffer v = {0};
  double* moved;
  PyObject* result = NULL;

  if (get_doubles(positions, "q", m->nq, 0, &q) == 0 && get_doubles(velocities, "v", m->nv, 0, &v) == 0)
    result = array_vector(m->nq, &moved);
  if (result) {
    memcpy(moved, q.buf, (size_t)q.len);
    hf_model_integrate(m, moved, v.buf, h);
  }

  PyBuffer_Release(&q);
  PyBuffer_Release(&v);
  return result;
}

// _difference(q0, q1, h): the velocity v with q0 (+) h v = q1
static PyObject* model_difference(PyObject* self, PyObject* args) {
  const hfModel* m = model_in(self);
  PyObject* start;
  PyObject* end;
  double h;
  if (!PyArg_ParseTuple(args, "OOd", &start, &end, &h)) return NULL;

  Py_buffer q0 = {0};
  Py_buffer q1 = {0};
  double* v;
  PyObject* result = NULL;

  if (get_doubles(start, "q0", m->nq, 0, &q0) == 0 && get_doubles(end, "q1", m->nq, 0, &q1) == 0)
    result = array_vector(m->nv, &v);
  if (result) hf_model_difference(m, q0.buf, q1.buf, h, v);

  PyBuffer_Release(&q0);
  PyBuffer_Release(&q1);
  return result;
}

static PyMethodDef model_methods[] = {
    {"_load", model_load, METH_VARARGS | METH_CLASS, NULL},
    {"_parse", model_parse, METH_VARARGS | METH_CLASS, NULL},
    {"_from_bytes", model_from_bytes, METH_VARARGS | METH_CLASS, NULL},
    {"_diagnose", model_diagnose, METH_NOARGS, NULL},
    {"_counts", model_counts, METH_NOARGS, NULL},
    {"_world", model_world, METH_NOARGS, NULL},
    {"_fields", model_fields, METH_NOARGS, NULL},
    {"_field", model_field, METH_VARARGS, NULL},
    {"_find", model_find, METH_VARARGS, NULL},
    {"_name", model_name, METH_VARARGS, NULL},
    {"_labels", model_labels, METH_VARARGS, NULL},
    {"_object_count", model_object_count, METH_VARARGS, NULL},
    {"_to_bytes", model_to_bytes, METH_NOARGS, NULL},
    {"_save", model_save, METH_VARARGS, NULL},
    {"_write_sdf", model_write_sdf, METH_VARARGS, NULL},
    {"_write_urdf", model_write_urdf, METH_VARARGS, NULL},
    {"_integrate", model_integrate, METH_VARARGS, NULL},
    {"_difference", model_difference, METH_VARARGS, NULL},
    {0}};
static PyGetSetDef model_getset[] = {{"_diagnostics", model_diagnostics, NULL, NULL, NULL}, {0}};
static PyType_Slot model_slots[] = {
    {Py_tp_dealloc, model_dealloc}, {Py_tp_methods, model_methods}, {Py_tp_getset, model_getset}, {0}};
static PyType_Spec model_spec = {.name = "holdfast._core.Model",
                                 .basicsize = sizeof(ModelObject),
                                 .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                 .slots = model_slots};

// ---- parameters --------------------------------------------------------------------------------------

static void release_params(void* params) { hf_params_free(params); }

// Params(model): a copy of the parameters that a world may have of its own.
static PyObject* params_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  static char* names[] = {"model", NULL};
  PyObject* model;
  hfError error;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!", names, ModelType, &model)) return NULL;

  ParamsObject* self = object_alloc(type);
  if (!self) return NULL;
  if (hf_params_create(&self->params, ((ModelObject*)model)->model, &error) < 0) {
    Py_DECREF(self);
    return raise_error(&error);
  }

  self->model = Py_NewRef(model);
  self->owner = own(self->params, release_params, ((ModelObject*)model)->owner);
  if (!self->owner) Py_CLEAR(self);
  return (PyObject*)self;
}

static void params_dealloc(PyObject* self) {
  Py_CLEAR(((ParamsObject*)self)->owner);
  Py_CLEAR(((ParamsObject*)self)->model);
  object_free(self);
}

// _field(name): a view of a parameter, which may be written.
static PyObject* params_field(PyObject* self, PyObject* args) {
  ParamsObject* p = (ParamsObject*)self;
  const char* name;
  if (!PyArg_ParseTuple(args, "s", &name)) return NULL;
  if (strcmp(name, "gravity") == 0) return view_vector(p->owner, hf_params_gravity(p->params), 3, 0);

  int f = hf_model_field_find(name);
  double* data = f < 0 ? NULL : hf_params_field(p->params, (hfModelField)f);
  if (!data) return PyErr_Format(PyExc_AttributeError, "\"%s\" is no parameter that a world may have of its own", name);
  return view_field(p->owner, ((ModelObject*)p->model)->model, name, data);
}

// _update(): checks changed parameters and computes what follows from them.
static PyObject* params_update(PyObject* self, PyObject* none) {
  (void)none;
  ParamsObject* p = (ParamsObject*)self;
  hfError error;

  if (p->stepping) return raise_busy("params");
  if (hf_params_update(p->params, &error) < 0) return raise_error(&error);
  Py_RETURN_NONE;
}

static PyObject* params_model(PyObject* self, void* none) {
  (void)none;
  return Py_NewRef(((ParamsObject*)self)->model);
}

// _to_bytes(): the bytes of a model with these parameters.
static PyObject* params_to_bytes(PyObject* self, PyObject* none) {
  (void)none;
  hfModel* copy;
  hfError error;
  if (hf_model_copy(&copy, hf_params_model(((ParamsObject*)self)->params), &error) < 0) return raise_error(&error);

  PyObject* bytes = PyBytes_FromStringAndSize((const char*)copy, (Py_ssize_t)copy->size);
  hf_model_free(copy);
  return bytes;
}

static PyMethodDef params_methods[] = {{"_field", params_field, METH_VARARGS, NULL},
                                       {"_to_bytes", params_to_bytes, METH_NOARGS, NULL},
                                       {"_update", params_update, METH_NOARGS, NULL},
                                       {0}};
static PyGetSetDef params_getset[] = {{"model", params_model, NULL, "The model under the parameters.", NULL}, {0}};
static PyType_Slot params_slots[] = {{Py_tp_new, params_new},
                                     {Py_tp_dealloc, params_dealloc},
                                     {Py_tp_methods, params_methods},
                                     {Py_tp_getset, params_getset},
                                     {0}};
static PyType_Spec params_spec = {.name = "holdfast._core.Params",
                                  .basicsize = sizeof(ParamsObject),
                                  .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                                  .slots = params_slots};

// Adds the types Model and Params and the dict object_kinds, from names to numbers, to the module.
int add_model(PyObject* module) {
  PyObject* kinds = PyDict_New();
  for (int k = 0; kinds && k < HF_OBJECT_KINDS; ++k) {
    PyObject* number = PyLong_FromLong(k);
    if (number) PyDict_SetItemString(kinds, hf_object_kind_name((hfObjectKind)k), number);
    Py_XDECREF(number);
  }
  if (!kinds || PyModule_AddObjectRef(module, "object_kinds", kinds) < 0) return -1;
  Py_DECREF(kinds);

  ModelType = add_type(module, &model_spec);
  ParamsType = add_type(module, &params_spec);
  return ModelType && ParamsType ? 0 : -1;
}
